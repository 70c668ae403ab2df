//! The colours of a model, and their materials.

use hashbrown::HashMap;

/// A colour of a MagicaVoxel palette: its number, 1 to 255, red, green, blue and alpha, and its
/// material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoxColour {
    /// The number by which voxels name the colour.
    pub index: u8,
    /// Red, green, blue and alpha. Editors leave alpha at 255; see the material.
    pub rgba: [u8; 4],
    /// The material with which the editor draws the colour.
    pub material: VoxMaterial,
}

/// The material of a colour, with its name in MagicaVoxel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VoxMaterial {
    /// Opaque; also used for colours without a material or with an unknown one.
    #[default]
    Diffuse,
    /// Metal.
    Metal,
    /// A light.
    Emissive,
    /// Glass and water.
    Glass,
    /// Between metal and glass.
    Blend,
    /// Cloud and smoke.
    Media,
}

impl VoxMaterial {
    /// Returns the material named by the property `_type`.
    pub(super) fn of_name(name: &[u8]) -> VoxMaterial {
        match name {
            b"_metal" => VoxMaterial::Metal,
            b"_emit" => VoxMaterial::Emissive,
            b"_glass" => VoxMaterial::Glass,
            b"_blend" => VoxMaterial::Blend,
            b"_media" | b"_cloud" => VoxMaterial::Media,
            _ => VoxMaterial::Diffuse,
        }
    }

    /// Returns the material that has the number `number` in files before 0.99.
    pub(super) fn of_number(number: u32) -> VoxMaterial {
        match number {
            1 => VoxMaterial::Metal,
            2 => VoxMaterial::Glass,
            3 => VoxMaterial::Emissive,
            _ => VoxMaterial::Diffuse,
        }
    }
}

/// Returns whether a colour looks like water: the default of
/// [`VoxRules::is_water`](crate::import::VoxRules::is_water). Its material is glass or blend, and
/// its blue is at least 96, at least 64 above red, and at least 24 above green. The colour alone is
/// not enough: sky, ice and roofs are blue as well.
///
/// ```
/// use floodplain::import::{VoxColour, VoxMaterial, looks_like_water};
/// let blue = VoxColour { index: 1, rgba: [0, 119, 190, 255], material: VoxMaterial::Glass };
/// assert!(looks_like_water(blue));
/// assert!(!looks_like_water(VoxColour { material: VoxMaterial::Diffuse, ..blue }));
/// assert!(!looks_like_water(VoxColour { rgba: [150, 150, 170, 255], ..blue }));
/// ```
pub fn looks_like_water(colour: VoxColour) -> bool {
    let [red, green, blue, _] = colour.rgba.map(i32::from);
    let is_clear = matches!(colour.material, VoxMaterial::Glass | VoxMaterial::Blend);
    is_clear && blue >= 96 && blue - red >= 64 && blue - green >= 24
}

/// The colours of the numbers 1 to 255, and their materials.
#[derive(Clone, Debug)]
pub(super) struct Palette {
    colours: Vec<[u8; 4]>,
    materials: HashMap<u32, VoxMaterial>,
}

impl Palette {
    /// Takes the colours of a file, beginning with number 1. Some programs write the 255 numbered
    /// colours; the editor writes one more.
    pub fn read(&mut self, bytes: &[u8]) {
        self.colours = bytes.as_chunks::<4>().0.to_vec();
    }

    /// Sets the material of the colour with a number.
    pub fn set_material(&mut self, index: u32, material: VoxMaterial) {
        self.materials.insert(index, material);
    }

    /// Returns the colour with this number. Numbers start at 1.
    pub fn colour(&self, index: u8) -> VoxColour {
        let rgba = self.colours.get(usize::from(index).wrapping_sub(1));
        let material = self.materials.get(&u32::from(index));
        VoxColour {
            index,
            rgba: rgba.copied().unwrap_or_default(),
            material: material.copied().unwrap_or_default(),
        }
    }
}

impl Default for Palette {
    /// Returns the colours of files without a palette: six steps of each of red, green and blue,
    /// from white, without black; then ten darker shades of red, green, blue and grey each.
    fn default() -> Palette {
        const STEPS: [u8; 6] = [255, 204, 153, 102, 51, 0];
        const RAMP: [u8; 10] = [238, 221, 187, 170, 136, 119, 85, 68, 34, 17];
        let cube = (0..6 * 6 * 6 - 1)
            .map(|at: usize| [STEPS[at / 36], STEPS[at / 6 % 6], STEPS[at % 6], 255]);
        let ramp = |[red, green, blue]: [u8; 3]| {
            RAMP.map(|value| [red * value, green * value, blue * value, 255])
        };
        let ramps = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]].into_iter().flat_map(ramp);
        Palette { colours: cube.chain(ramps).collect(), materials: HashMap::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_a_palette_have_the_colours_of_the_editor() {
        let palette = Palette::default();
        let rgba = |index| palette.colour(index).rgba;
        assert_eq!(palette.colours.len(), 255);
        assert_eq!(rgba(1), [255; 4]);
        assert_eq!(rgba(2), [255, 255, 204, 255]);
        assert_eq!(rgba(73), [153, 255, 255, 255]);
        assert_eq!(rgba(216), [238, 0, 0, 255]);
        assert_eq!(rgba(236), [0, 0, 238, 255]);
        assert_eq!(rgba(255), [17, 17, 17, 255]);
    }
}
