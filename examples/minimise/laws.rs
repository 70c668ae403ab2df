//! Whether a case breaks a law: those of `floodplain::testing`, after every edit and tick.

use crate::case::Case;
use crate::kinds::Kind;
use floodplain::glam::IVec3;
use floodplain::testing::{Watch, Watched};

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub law: &'static str,
    /// The ticks of the case that were done when it was seen.
    pub tick: u64,
    /// In words.
    pub what: String,
    /// Where, if it is about a cell.
    pub cell: Option<IVec3>,
}

/// Checks one law, or all of them, and returns the first that is broken.
pub fn check<W: Kind>(case: &Case<W>, only: Option<&str>) -> Option<Broken> {
    let recording = case.recording();
    let watched = Watched::of(&recording).ok()?;
    let before = Watch::ticks(watched.world());
    let broken = watched.follow(&recording, |law| only.is_none_or(|only| only == law))?;
    let cell = cell_in(&broken.what);
    Some(Broken { law: broken.law, tick: broken.tick - before, what: broken.what, cell })
}

/// Returns the first cell that a report names, as `[x, y, z]`.
fn cell_in(words: &str) -> Option<IVec3> {
    let cell = |text: &str| {
        let mut axes = text.split(']').next()?.split(',').map(|axis| axis.trim().parse().ok());
        let cell = IVec3::new(axes.next()??, axes.next()??, axes.next()??);
        axes.next().is_none().then_some(cell)
    };
    words.split(['[', '(']).skip(1).find_map(|text| cell(text.split(')').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cell_of_a_report_is_read() {
        let cell = Some(IVec3::new(1, -2, 3));
        assert_eq!(cell_in("[1, -2, 3] is Voxel(7), and Voxel(0) in the twin"), cell);
        assert_eq!(cell_in("chunks [9], cell [1, -2, 3]: 4"), cell);
        assert_eq!(cell_in("Uneven(IVec3(1, -2, 3))"), cell);
        assert_eq!(cell_in("3 cells are awake [1, 2]"), None);
    }
}
