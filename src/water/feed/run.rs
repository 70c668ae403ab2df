//! Runs of equal cells of a chunk: run-length coding.

/// Successive cells of a chunk, by local index, that have equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<T> {
    /// The local index of the first cell, 0 to 4095; see [`Shape`](crate::Shape).
    pub start: u16,
    /// The number of cells, 1 to 4096.
    pub cells: u16,
    /// The value of each of these cells.
    pub value: T,
}

impl<T> Run<T> {
    /// Returns the local indices of the cells.
    pub fn indices(&self) -> core::ops::Range<usize> {
        usize::from(self.start)..usize::from(self.start) + usize::from(self.cells)
    }
}

/// Returns the runs of these cells, which must come in order of index.
pub(crate) fn runs<T: Copy + PartialEq>(cells: impl Iterator<Item = (usize, T)>) -> Vec<Run<T>> {
    let mut runs: Vec<Run<T>> = Vec::new();
    for (index, value) in cells {
        match runs.last_mut() {
            Some(last) if last.indices().end == index && last.value == value => last.cells += 1,
            _ => runs.push(Run { start: index as u16, cells: 1, value }),
        }
    }
    runs
}
