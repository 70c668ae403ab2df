//! The palette of a film, found from some of its pictures (median cut), and pictures in it.

use crate::film::CLEAR;

/// Red, green and blue of each pixel, row by row from the top.
pub type Picture = Vec<[u8; 3]>;

/// Bits kept of each of red, green and blue.
const BITS: u32 = 6;

/// A palette, and the nearest colour of it for every colour.
pub struct Inks {
    pub palette: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Colours that share an ink, each with the number of its pixels.
type Group = Vec<([u8; 3], u32)>;

impl Inks {
    pub fn of<'a>(pictures: impl IntoIterator<Item = &'a Picture>) -> Inks {
        let mut counts = vec![0u32; 1 << (3 * BITS)];
        for &pixel in pictures.into_iter().flatten() {
            counts[bin(pixel)] += 1;
        }
        let used = |(bin, &count): (usize, &u32)| (count > 0).then(|| (middle(bin), count));
        let all: Group = counts.iter().enumerate().filter_map(used).collect();
        let palette: Vec<[u8; 3]> = cut(all).iter().map(mean).collect();
        let nearest = (0..counts.len()).map(|bin| closest(&palette, middle(bin))).collect();
        Inks { palette, nearest }
    }

    /// Returns the inks of a picture.
    pub fn draw(&self, picture: &Picture) -> Vec<u8> {
        picture.iter().map(|&pixel| self.nearest[bin(pixel)]).collect()
    }
}

fn bin(pixel: [u8; 3]) -> usize {
    pixel.into_iter().fold(0, |bin, part| bin << BITS | usize::from(part) >> (8 - BITS))
}

fn middle(bin: usize) -> [u8; 3] {
    let part = |at: u32| ((bin >> (at * BITS) & ((1 << BITS) - 1)) << (8 - BITS)) as u8;
    [2, 1, 0].map(|at| part(at) + (1 << (7 - BITS)))
}

/// Splits the group with the most spread, until there are as many as inks.
fn cut(all: Group) -> Vec<Group> {
    let mut groups = vec![all];
    while groups.len() < usize::from(CLEAR) {
        let Some(widest) = (0..groups.len()).max_by_key(|&at| spread(&groups[at]).1) else { break };
        let (axis, amount) = spread(&groups[widest]);
        if amount == 0 {
            break;
        }
        let mut lower = groups.swap_remove(widest);
        lower.sort_unstable_by_key(|(colour, _)| colour[axis]);
        let centre = mean(&lower)[axis];
        let at = lower.partition_point(|(colour, _)| colour[axis] <= centre);
        let upper = lower.split_off(at.clamp(1, lower.len() - 1));
        groups.extend([lower, upper]);
    }
    groups
}

/// Returns the axis on which a group is widest, and its width there weighted by its pixels.
fn spread(colours: &Group) -> (usize, u64) {
    let pixels: u32 = colours.iter().map(|(_, count)| count).sum();
    let width = |axis: usize| {
        let parts = || colours.iter().map(|(colour, _)| colour[axis]);
        u64::from(parts().max().unwrap_or(0) - parts().min().unwrap_or(0))
    };
    let axis = (0..3).max_by_key(|&axis| width(axis)).unwrap_or(0);
    (axis, width(axis).pow(2) * u64::from(pixels).isqrt())
}

fn mean(colours: &Group) -> [u8; 3] {
    let pixels: u64 = colours.iter().map(|&(_, count)| u64::from(count)).sum();
    let sum = |axis: usize| -> u64 {
        colours.iter().map(|(colour, count)| u64::from(colour[axis]) * u64::from(*count)).sum()
    };
    [0, 1, 2].map(|axis| (sum(axis) / pixels.max(1)) as u8)
}

fn closest(palette: &[[u8; 3]], colour: [u8; 3]) -> u8 {
    let distance = |other: &[u8; 3]| -> u32 {
        let parts = other.iter().zip(&colour);
        parts.map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
    };
    let nearest = palette.iter().enumerate().min_by_key(|(_, other)| distance(other));
    nearest.map_or(0, |(ink, _)| ink as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_colours_keep_an_ink_each() {
        let picture = vec![[10, 200, 30], [250, 250, 250], [10, 200, 30], [90, 20, 160]];
        let inks = Inks::of([&picture]);
        assert_eq!(inks.palette.len(), 3);
        for (ink, pixel) in inks.draw(&picture).into_iter().zip(&picture) {
            let found = inks.palette[usize::from(ink)];
            assert!(found.iter().zip(pixel).all(|(a, b)| a.abs_diff(*b) <= 3), "{found:?}");
        }
    }

    #[test]
    fn many_colours_share_as_many_inks_as_a_film_has() {
        let picture: Picture = (0..=255).flat_map(|r| [[r, 0, 255], [r, 255, r]]).collect();
        let inks = Inks::of([&picture]);
        assert!(inks.palette.len() > 100 && inks.palette.len() <= usize::from(CLEAR));
        assert!(inks.draw(&picture).iter().all(|&ink| usize::from(ink) < inks.palette.len()));
    }
}
