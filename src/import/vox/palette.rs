//! The colours of a model.

/// A colour of a MagicaVoxel palette: its number, 1 to 255, and red, green, blue and alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxColour {
    /// The number that voxels have.
    pub index: u8,
    /// Red, green, blue and alpha.
    pub rgba: [u8; 4],
}

/// Returns whether a colour looks like water: the default of
/// [`VoxRules::is_water`](crate::import::VoxRules::is_water). Blue is at least 96, and above red by
/// 64 and green by 24 at least.
///
/// ```
/// use floodplain::import::{VoxColour, looks_like_water};
/// assert!(looks_like_water(VoxColour { index: 1, rgba: [0, 119, 190, 255] }));
/// assert!(!looks_like_water(VoxColour { index: 2, rgba: [150, 150, 170, 255] }));
/// ```
pub fn looks_like_water(colour: VoxColour) -> bool {
    let [red, green, blue, _] = colour.rgba.map(i32::from);
    blue >= 96 && blue - red >= 64 && blue - green >= 24
}

/// The colours of the numbers 1 to 255.
#[derive(Clone, Debug)]
pub(super) struct Palette(Vec<[u8; 4]>);

impl Palette {
    /// Reads the colours of a file: the first is that of number 1.
    pub fn read(bytes: &[u8]) -> Palette {
        Palette(bytes.as_chunks::<4>().0.to_vec())
    }

    /// Returns the colour of a number from 1.
    pub fn colour(&self, index: u8) -> VoxColour {
        let rgba = self.0.get(usize::from(index).wrapping_sub(1)).copied().unwrap_or_default();
        VoxColour { index, rgba }
    }
}

impl Default for Palette {
    /// Returns the colours of files without a palette: six steps of each of red, green and blue,
    /// from white, without black; then ten darker ones of red, green, blue and grey each.
    fn default() -> Palette {
        const STEPS: [u8; 6] = [255, 204, 153, 102, 51, 0];
        const RAMP: [u8; 10] = [238, 221, 187, 170, 136, 119, 85, 68, 34, 17];
        let cube = (0..6 * 6 * 6 - 1)
            .map(|at: usize| [STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6], 255]);
        let ramp = |[red, green, blue]: [u8; 3]| {
            RAMP.map(|value| [red * value, green * value, blue * value, 255])
        };
        let ramps = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]].into_iter().flat_map(ramp);
        Palette(cube.chain(ramps).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_palette_have_the_colours_of_the_editor() {
        let palette = Palette::default();
        let rgba = |index| palette.colour(index).rgba;
        assert_eq!(palette.0.len(), 255);
        assert_eq!(rgba(1), [255; 4]);
        assert_eq!(rgba(2), [255, 255, 204, 255]);
        assert_eq!(rgba(73), [153, 255, 255, 255]);
        assert_eq!(rgba(216), [238, 0, 0, 255]);
        assert_eq!(rgba(236), [0, 0, 238, 255]);
        assert_eq!(rgba(255), [17, 17, 17, 255]);
    }
}
