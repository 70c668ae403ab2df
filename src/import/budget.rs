//! How much work a file may need. Work is counted in units, not measured in time, so that the same
//! bytes are refused on every machine.

/// The most work that reading or writing a file may take, so that no file keeps a reader busy for
/// long: a base for every file, and an allowance for each of its bytes.
///
/// A unit is a byte decompressed, a cell unpacked, a voxel placed or a byte of a picture. The state
/// of a block counts as 64, a change of a state as 256, a chunk of a model as 1,024, and a chunk of
/// a heightmap as 2,048, or as 256 if its cells are equal. Files that the games write stay below a
/// quarter of the default. With the default, no file takes more than two seconds a megabyte; a
/// short file may take a fifth of a second.
///
/// ```
/// use floodplain::import::{Budget, Heightmap, HeightmapError};
/// let nothing = Budget { base: 0, per_byte: 0 };
/// # let mut png = Vec::new();
/// # let mut encoder = png::Encoder::new(&mut png, 1, 1);
/// # encoder.set_color(png::ColorType::Grayscale);
/// # encoder.write_header()?.write_image_data(&[7])?;
/// let refused = Heightmap::from_png_within(&png, nothing);
/// assert_eq!(refused, Err(HeightmapError::OverBudget { units: 0 }));
/// assert!(Heightmap::from_png_within(&png, Budget::default()).is_ok());
/// # Ok::<(), png::EncodingError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The units that any file may take. Default 2²⁴.
    pub base: u64,
    /// The units for each byte of the file. Default 128.
    pub per_byte: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { base: 1 << 24, per_byte: 128 }
    }
}

impl Budget {
    /// Unlimited work.
    pub const UNLIMITED: Budget = Budget { base: u64::MAX, per_byte: 0 };

    /// Returns the work allowed for a file of this many bytes.
    pub(super) fn work(self, bytes: usize) -> Work {
        let units = self.base.saturating_add(self.per_byte.saturating_mul(bytes as u64));
        Work { units, left: units }
    }
}

/// The remaining work for a file.
#[derive(Clone, Debug)]
pub(super) struct Work {
    units: u64,
    left: u64,
}

/// The error of a file that needs more than `units` units of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverBudget {
    pub units: u64,
}

impl Work {
    /// Subtracts units from the remaining work.
    pub fn take(&mut self, units: u64) -> Result<(), OverBudget> {
        self.left = self.left.checked_sub(units).ok_or(self.over())?;
        Ok(())
    }

    /// Returns the remaining units.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Returns the error of exceeding the budget.
    pub fn over(&self) -> OverBudget {
        OverBudget { units: self.units }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_the_base_and_the_allowance_of_the_bytes() {
        let mut work = Budget { base: 10, per_byte: 3 }.work(4);
        assert_eq!(work.take(20), Ok(()));
        assert_eq!(work.take(3), Err(OverBudget { units: 22 }));
        assert_eq!((work.left(), work.take(2), work.left()), (2, Ok(()), 0));
        assert_eq!(Budget::UNLIMITED.work(usize::MAX).left(), u64::MAX);
    }
}
