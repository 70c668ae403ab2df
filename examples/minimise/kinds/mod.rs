//! What `minimise` knows of each kind of world: how it is built by edits, what does less, and what
//! it looks like.

mod blast;
mod graph;
mod humidity;
mod less;
mod materials;
mod water;
mod water2d;

use crate::case::Case;
use crate::laws::Broken;
use floodplain::Region;
use floodplain::Simulation;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::testing::{Small, Start};

/// An edit of a kind of world.
pub type EditOf<W> = <W as Simulation>::Edit;

/// A kind of world. Its recordings can be minimised.
pub trait Kind: Saved + Simulation + Small<Edit = EditOf<Self>> {
    /// Its name on the command line.
    const NAME: &'static str;
    /// The world, and its edits, in a program.
    const TYPES: [&'static str; 2];

    /// What is fixed when a world is made.
    type Setting: Clone + PartialEq;

    /// Returns what the world was made with.
    fn setting(&self) -> Self::Setting;

    /// Returns a world without chunks or nodes; `None` if rules exclude each other.
    fn empty(setting: &Self::Setting) -> Option<Self>;

    /// Returns the cells that a world may have.
    fn bounds_of(setting: &Self::Setting) -> Region;

    /// Returns edits that make an empty world like this one, as far as edits can.
    fn rebuilt(&self) -> Vec<EditOf<Self>>;

    /// Returns a small world to which edits are made: how it is empty, and what fills it.
    fn small(start: &Start<Self::Rules>) -> (Self::Setting, Vec<EditOf<Self>>) {
        let world = Self::build(start);
        (world.setting(), world.rebuilt())
    }

    /// Returns whether an edit brings what flows: without it, other edits do little.
    fn brings(edit: &EditOf<Self>) -> bool;

    /// Returns the edit without which this one does nothing, if there is one.
    fn needs(_edit: &EditOf<Self>) -> Option<EditOf<Self>> {
        None
    }

    /// Returns settings that are plainer, the plainest first. From each, a few such steps lead to
    /// one that is as plain as can be.
    fn plainer(setting: &Self::Setting) -> Vec<Self::Setting>;

    /// Returns edits that do less, the least first. From each, a few such steps lead to one of
    /// which nothing is less.
    fn lesser(edit: &EditOf<Self>) -> Vec<EditOf<Self>>;

    /// Returns the cells that an edit puts in by whole chunks, to leave some away; `None` if it
    /// puts in none but equal ones.
    fn cells(_edit: &EditOf<Self>) -> Option<Cells<EditOf<Self>>> {
        None
    }

    /// Returns the number of chunks that an edit inserts.
    fn chunks_in(edit: &EditOf<Self>) -> usize;

    /// Returns the cells as they are drawn; `None` of a kind that has no cells.
    fn tiles(&self) -> Option<Vec<(IVec3, Tile)>>;

    /// Returns an edit as a program has it, in words; `None` if by its bytes.
    fn edit_source(_edit: &EditOf<Self>) -> Option<String> {
        None
    }

    /// Returns an empty world as a program makes it, in words; `None` if by its bytes.
    fn empty_source(_setting: &Self::Setting) -> Option<String> {
        None
    }

    /// Returns the case as a scenario, or in one line why there is none.
    fn drawing(_case: &Case<Self>, _broken: &Broken) -> Result<String, String> {
        Err("only water is drawn as a scenario".to_owned())
    }
}

/// The cells that an edit puts in and that are not plain, by number, and the edit with some of
/// them.
pub struct Cells<E> {
    pub kept: Vec<usize>,
    pub with: With<E>,
}

/// Returns an edit with some of its cells.
pub type With<E> = Box<dyn Fn(&[usize]) -> E>;

/// What a cell looks like in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tile {
    Air,
    Ground,
    /// Air with water in it, as high as this share of the cell.
    Water(f64),
    Spring,
    Sea,
    /// Ground that is moist, or air under pressure, by this share.
    Moist(f64),
    Pressure(f64),
}

impl Tile {
    /// Returns whether it is what a picture is about.
    pub fn is_of_note(self) -> bool {
        !matches!(self, Tile::Air | Tile::Ground)
    }
}

/// Calls a generic function for the kind of a name.
macro_rules! for_kind {
    ($name:expr, $call:ident($($argument:expr),*), else $other:expr) => {{
        use $crate::kinds::Kind;
        use floodplain::world::World;
        use floodplain::{Cube, Sheet};
        use floodplain::blast::{BlastGraph, BlastWorld};
        use floodplain::humidity::HumidityWorld;
        use floodplain::water::WaterWorld;
        use floodplain::water2d::Water2dWorld;
        match $name {
            name if name == WaterWorld::NAME => $call::<WaterWorld>($($argument),*),
            name if name == World::NAME => $call::<World>($($argument),*),
            name if name == Water2dWorld::NAME => $call::<Water2dWorld>($($argument),*),
            name if name == HumidityWorld::<Sheet>::NAME => $call::<HumidityWorld<Sheet>>($($argument),*),
            name if name == HumidityWorld::<Cube>::NAME => $call::<HumidityWorld<Cube>>($($argument),*),
            name if name == BlastWorld::<Sheet>::NAME => $call::<BlastWorld<Sheet>>($($argument),*),
            name if name == BlastWorld::<Cube>::NAME => $call::<BlastWorld<Cube>>($($argument),*),
            name if name == BlastGraph::NAME => $call::<BlastGraph>($($argument),*),
            _ => $other,
        }
    }};
}
pub(crate) use for_kind;

/// The names of all kinds.
pub const NAMES: [&str; 8] = [
    "water",
    "materials",
    "water2d",
    "humidity-sheet",
    "humidity",
    "blast-sheet",
    "blast",
    "graph",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt;

    /// Replaces the value by a random one of its lesser values, until it has none.
    fn falls<T: Clone>(mut item: T, less: impl Fn(&T) -> Vec<T>, rng: &mut fastrand::Rng) {
        for _ in 0..2_000 {
            let all = less(&item);
            match rng.choice(&all) {
                Some(next) => item = next.clone(),
                None => return,
            }
        }
        panic!("it never ends");
    }

    fn check<W: Kind>() -> Option<()> {
        let mut rng = fastrand::Rng::with_seed(7);
        for seed in 0..40 {
            let case = hunt::case::<W>(seed);
            let setting = case.world().setting();
            let plainer = |setting: &W::Setting| {
                let all = W::plainer(setting);
                assert!(all.iter().all(|plainer| plainer != setting), "{}: no less", W::NAME);
                all
            };
            falls(setting, plainer, &mut rng);
            for (_, edit) in case.edits {
                if let Some(Cells { kept, with }) = W::cells(&edit) {
                    assert!(!kept.is_empty() && W::cells(&with(&[])).is_none());
                    assert_eq!(W::cells(&with(&kept)).map(|cells| cells.kept), Some(kept));
                }
                falls(edit, W::lesser, &mut rng);
            }
        }
        Some(())
    }

    #[test]
    fn lessening_ends_in_every_kind() {
        for name in NAMES {
            assert_eq!(for_kind!(name, check(), else None), Some(()), "{name}");
        }
    }

    /// What edits make of an empty world is the world, as far as it looks.
    fn rebuild<W: Kind>() -> Option<()> {
        for seed in 0..20 {
            let case = hunt::case::<W>(seed);
            let mut world = case.world();
            for (_, edit) in &case.edits {
                let _ = floodplain::testing::Watch::apply(&mut world, edit.clone());
            }
            let mut again = W::empty(&world.setting()).unwrap();
            for edit in world.rebuilt() {
                floodplain::testing::Watch::apply(&mut again, edit).unwrap();
            }
            let (found, expected) = (again.looks(), world.looks());
            assert!(found == expected, "{} {seed}", W::NAME);
        }
        Some(())
    }

    #[test]
    fn a_world_is_rebuilt_by_edits_in_every_kind() {
        for name in NAMES {
            assert_eq!(for_kind!(name, rebuild(), else None), Some(()), "{name}");
        }
    }
}
