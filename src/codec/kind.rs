//! The kinds of worlds that are saved and recorded.

/// The kind of world in a snapshot, with its number in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum Kind {
    /// 1: [`WaterWorld`](crate::water::WaterWorld).
    Water = 1,
    /// 2: [`HumidityWorld`](crate::humidity::HumidityWorld) of sheets.
    HumiditySheet = 2,
    /// 3: [`HumidityWorld`](crate::humidity::HumidityWorld) of cubes.
    HumidityCube = 3,
    /// 4: [`BlastWorld`](crate::blast::BlastWorld) of sheets.
    BlastSheet = 4,
    /// 5: [`BlastWorld`](crate::blast::BlastWorld) of cubes.
    BlastCube = 5,
    /// 6: [`BlastGraph`](crate::blast::BlastGraph).
    BlastGraph = 6,
    /// 7: [`Water2dWorld`](crate::water2d::Water2dWorld).
    Water2d = 7,
    /// 8: [`World`](crate::world::World).
    World = 8,
}

impl Kind {
    /// Returns the number in the file.
    pub const fn number(self) -> u16 {
        self as u16
    }
}
