//! The breach in Luanti with the game's own water, as `examples/side_by_side/record` recorded it:
//! the nodes that changed, by the seconds since the gap was dug.

use crate::scene::{self, Block, SIZE};
use floodplain::glam::IVec3;

/// A line `t SECONDS`, then a line `x y z LEVEL` for each node that changed since the last. Levels
/// are those of flowing water, 1 to 8, [`SOURCE`], or 0 without water.
const RECORDED: &str = include_str!("../data/side_by_side_luanti.txt");
const SOURCE: u8 = 9;

/// The nodes at some time.
pub struct Recording {
    lines: core::iter::Peekable<core::str::Lines<'static>>,
    /// x fastest, then z, then y.
    levels: Vec<u8>,
}

impl Recording {
    /// The scene before the breach.
    pub fn new() -> Recording {
        let mut levels = vec![0; (SIZE.x * SIZE.y * SIZE.z) as usize];
        for cell in scene::region().positions() {
            if scene::block(cell) == Block::Water {
                levels[index(cell)] = SOURCE;
            }
        }
        let mut lines = RECORDED.lines().peekable();
        while lines.next_if(|line| line.starts_with('#')).is_some() {}
        Recording { lines, levels }
    }

    /// Follows the nodes up to so many seconds after the breach; the error names the line.
    pub fn follow(&mut self, seconds: f32) -> Result<(), String> {
        let is_later = |line: &&str| {
            let time = line.strip_prefix("t ").and_then(|time| time.parse::<f32>().ok());
            time.is_some_and(|time| time > seconds)
        };
        while let Some(line) = self.lines.next_if(|line| !is_later(line)) {
            if line.starts_with("t ") {
                continue;
            }
            let numbers: Vec<i32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            let (cell, level) = match numbers[..] {
                [x, y, z, level @ 0..=9] => (IVec3::new(x, y, z), level as u8),
                _ => return Err(format!("the recording has a line {line:?}")),
            };
            if !scene::region().contains(cell) {
                return Err(format!("the recording has a node {cell}"));
            }
            self.levels[index(cell)] = level;
        }
        Ok(())
    }

    /// Returns the share of a cell that is water, as the game draws it: flowing water of level 1 to
    /// 8 up to (level − ½)/8, a source whole.
    pub fn share(&self, cell: IVec3) -> f32 {
        match self.levels[index(cell)] {
            0 => 0.0,
            SOURCE => 1.0,
            level => (f32::from(level) - 0.5) / 8.0,
        }
    }

    /// Returns all water, in cells.
    pub fn total(&self) -> f64 {
        scene::region().positions().map(|cell| f64::from(self.share(cell))).sum()
    }
}

fn index(cell: IVec3) -> usize {
    (cell.x + SIZE.x * (cell.z + SIZE.z * cell.y)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lake_stays_as_high_as_it_was() {
        let mut recording = Recording::new();
        assert_eq!(recording.total(), 14.0 * 28.0 * 8.0);
        recording.follow(1e9).unwrap();
        assert_eq!(recording.lines.next(), None);
        let lake = (0..14).flat_map(|x| (0..28).map(move |z| IVec3::new(x, 11, z)));
        assert!(lake.into_iter().all(|cell| recording.share(cell) == 1.0));
        assert!(recording.total() > 14.0 * 28.0 * 8.0, "the flood comes on top of it");
    }
}
