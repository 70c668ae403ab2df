//! Any bytes as files of other programs. Those of a region file are also read as one column of it,
//! which is where its inner formats begin.

use arbitrary::{Arbitrary, Result, Unstructured};
use floodplain::glam::IVec3;
use floodplain::import::Sources;
use floodplain::{Cube, Shape};
use support::import::region::{PLAIN, file};
use support::import::region_laws;

/// One run of the target `import_region`.
#[derive(Debug)]
pub struct RegionRun {
    sources: Sources,
    /// Where water is poured into each chunk before it is written back.
    poured: usize,
    is_column: bool,
    bytes: Vec<u8>,
}

impl Arbitrary<'_> for RegionRun {
    fn arbitrary(bytes: &mut Unstructured<'_>) -> Result<RegionRun> {
        let sources = match u8::arbitrary(bytes)? {
            0..=99 => Sources::Finite,
            100..=149 => Sources::Springs,
            level => Sources::Sea(i32::from(level) - 150),
        };
        let poured = usize::from(u8::arbitrary(bytes)?) * 16;
        let is_column = u8::arbitrary(bytes)? < 200;
        let bytes = bytes.bytes(bytes.len())?.to_vec();
        Ok(RegionRun { sources, poured, is_column, bytes })
    }
}

impl RegionRun {
    /// Reads the bytes, and writes the water back.
    pub fn run(&self) {
        let bytes = if self.is_column {
            file(&[([0, 0], PLAIN, self.bytes.clone())])
        } else {
            self.bytes.clone()
        };
        // Files that are refused are as good as others.
        let _ = region_laws(&bytes, self.sources, |world| {
            let cells: Vec<IVec3> =
                world.chunks().map(|(chunk, _)| Cube::cell_at(chunk, self.poured)).collect();
            for cell in cells {
                // Solid cells take none.
                let _ = world.pour(cell, 5);
            }
        });
    }
}
