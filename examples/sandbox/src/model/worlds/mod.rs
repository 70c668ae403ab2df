//! The worlds to choose from.

mod cave;
mod dam;
mod hamlet;
mod plain;
mod plan;
mod terraces;
mod u_tube;
mod valley;

use super::floats::Craft;
use floodplain::Face;
use floodplain::glam::IVec3;
use floodplain::world::World;
use plan::Plan;
use std::error::Error;

/// A world to play in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A river from springs in the hills, with brooks at its sides.
    Valley,
    /// A lake behind a dam, and a village below it.
    Dam,
    /// Two shafts in rock that a tunnel joins, one of them full.
    UTube,
    /// A cavern under a hill, with a lake, and a brook that falls into it.
    Cave,
    /// A plain with a reservoir of 100,000 cells of water behind dikes.
    Plain,
    /// Basins, one below the other, with a spring at the top.
    Terraces,
    /// A river that runs and carries boats, a tarn above a cave, a well.
    Hamlet,
}

impl Kind {
    /// All of them, in the order of their keys.
    pub const ALL: [Kind; 7] = [
        Kind::Valley,
        Kind::Dam,
        Kind::UTube,
        Kind::Cave,
        Kind::Plain,
        Kind::Terraces,
        Kind::Hamlet,
    ];

    /// Returns its name in scripts and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Valley => "valley",
            Kind::Dam => "dam",
            Kind::UTube => "u-tube",
            Kind::Cave => "cave",
            Kind::Plain => "plain",
            Kind::Terraces => "terraces",
            Kind::Hamlet => "hamlet",
        }
    }

    /// Returns the world of a name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns where one looks at it from first: degrees round the world and above it, the
    /// distance, and the point in the middle.
    pub fn outlook(self) -> ([f32; 3], [f32; 3]) {
        match self {
            Kind::Valley => ([35.0, 36.0, 190.0], [78.0, 12.0, 62.0]),
            Kind::Dam => ([42.0, 33.0, 176.0], [88.0, 14.0, 52.0]),
            Kind::UTube => ([10.0, 12.0, 78.0], [32.0, 20.0, 12.0]),
            Kind::Cave => ([14.0, 20.0, 125.0], [56.0, 22.0, 50.0]),
            Kind::Plain => ([40.0, 34.0, 240.0], [96.0, 6.0, 84.0]),
            Kind::Terraces => ([38.0, 33.0, 140.0], [54.0, 16.0, 46.0]),
            Kind::Hamlet => ([32.0, 27.0, 118.0], [86.0, 17.0, 56.0]),
        }
    }

    /// Returns the line that says what to try first.
    pub fn hint(self) -> &'static str {
        match self {
            Kind::Valley => "Press 3 and hold the left button on a hill: a brook begins.",
            Kind::Dam => "Press 6 and click on the dam: a charge breaks it.",
            Kind::UTube => "Click on the rock to dig; the water finds its level.",
            Kind::Cave => "Click on the bed of the brook: it falls into the cave.",
            Kind::Plain => "Press 6 and click on the grey weir: the lake runs out.",
            Kind::Terraces => "Click on the rim of a terrace: it runs into the next.",
            Kind::Hamlet => "Hold the left button on the hill's lake: dig into the cave.",
        }
    }

    /// Returns what floats in it from the first tick on.
    pub fn floats(self) -> &'static [(Craft, [i32; 3])] {
        match self {
            Kind::Hamlet => hamlet::FLOATS,
            Kind::Dam => &[(Craft::Boat, [52, 31, 58]), (Craft::Crate, [40, 31, 50])],
            _ => &[],
        }
    }

    fn plan(self) -> Plan {
        match self {
            Kind::Valley => valley::plan(),
            Kind::Dam => dam::plan(),
            Kind::UTube => u_tube::plan(),
            Kind::Cave => cave::plan(),
            Kind::Plain => plain::plan(),
            Kind::Terraces => terraces::plan(),
            Kind::Hamlet => hamlet::plan(),
        }
    }

    /// Returns its size in cells: whole chunks.
    pub fn size(self) -> IVec3 {
        16 * match self {
            Kind::Valley => valley::CHUNKS,
            Kind::Dam => dam::CHUNKS,
            Kind::UTube => u_tube::CHUNKS,
            Kind::Cave => cave::CHUNKS,
            Kind::Plain => plain::CHUNKS,
            Kind::Terraces => terraces::CHUNKS,
            Kind::Hamlet => hamlet::CHUNKS,
        }
    }

    /// Returns the sides at which water leaves it while there is no sea.
    pub fn coast(self) -> &'static [Face] {
        match self {
            Kind::Valley => valley::COAST,
            Kind::Dam => dam::COAST,
            Kind::UTube => u_tube::COAST,
            Kind::Cave => cave::COAST,
            Kind::Plain => plain::COAST,
            Kind::Terraces => terraces::COAST,
            Kind::Hamlet => hamlet::COAST,
        }
    }

    /// Returns the sides at which the sea stands, if there is one: its coast, or all sides of a
    /// world without.
    pub fn shore(self) -> &'static [Face] {
        if self.coast().is_empty() { &Face::LATERAL } else { self.coast() }
    }

    /// Returns the world as it begins.
    ///
    /// # Errors
    /// Those of the library; a test makes all of the worlds.
    pub fn world(self, seed: u64) -> Result<World, Box<dyn Error>> {
        self.plan().world(seed, self.coast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_worlds_can_be_made_and_keep_their_account() {
        for kind in Kind::ALL {
            let mut world = kind.world(7).unwrap();
            assert_eq!(world.validate(), Ok(()), "{}", kind.name());
            world.run(3);
            assert_eq!(world.validate(), Ok(()), "{}", kind.name());
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
        }
    }

    #[test]
    fn lakes_lie_still_until_something_happens() {
        for kind in [Kind::Dam, Kind::Plain] {
            let mut world = kind.world(7).unwrap();
            let lake = world.water().total();
            assert!(lake > 50_000, "{}: {lake} units", kind.name());
            world.run(8);
            assert_eq!(world.water().total(), lake, "{}", kind.name());
        }
    }

    #[test]
    fn the_reservoir_of_the_plain_has_100_000_cells() {
        let units = Kind::Plain.world(7).unwrap().water().total();
        assert!(units >= 7 * 100_000, "{units} units");
    }

    #[test]
    fn the_arms_of_the_u_tube_level_out() {
        let mut world = Kind::UTube.world(7).unwrap();
        world.run(400);
        let level = |x: i32| {
            let column = (0..40).map(|y| world.units(floodplain::glam::IVec3::new(x, y, 13)));
            column.map(u32::from).sum::<u32>()
        };
        assert!(level(16) > 0 && level(16).abs_diff(level(46)) <= 7, "{} {}", level(16), level(46));
    }
}
