//! The six directions from a cell or chunk to its neighbours.

use glam::IVec3;

/// One of the six faces of a cell or chunk.
///
/// The discriminant is the face's index, 0 to 5; opposite faces differ in the lowest bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Face {
    /// Towards smaller x.
    West = 0,
    /// Towards larger x.
    East = 1,
    /// Towards smaller y.
    Down = 2,
    /// Towards larger y.
    Up = 3,
    /// Towards smaller z.
    North = 4,
    /// Towards larger z.
    South = 5,
}

impl Face {
    /// All six faces, by index.
    pub const ALL: [Face; 6] =
        [Face::West, Face::East, Face::Down, Face::Up, Face::North, Face::South];

    /// The four faces that are neither up nor down.
    pub const LATERAL: [Face; 4] = [Face::West, Face::East, Face::North, Face::South];

    /// Returns the face with this index, or `None` if `index` is above 5.
    pub const fn from_index(index: u8) -> Option<Face> {
        match index {
            0 => Some(Face::West),
            1 => Some(Face::East),
            2 => Some(Face::Down),
            3 => Some(Face::Up),
            4 => Some(Face::North),
            5 => Some(Face::South),
            _ => None,
        }
    }

    /// Returns this face's index, 0 to 5.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns whether this is one of the [`LATERAL`](Face::LATERAL) faces.
    pub(crate) const fn is_lateral(self) -> bool {
        !matches!(self, Face::Down | Face::Up)
    }

    /// Returns the place of a lateral face in [`LATERAL`](Face::LATERAL).
    #[inline]
    pub(crate) fn side(self) -> Option<usize> {
        match self {
            Face::West => Some(0),
            Face::East => Some(1),
            Face::North => Some(2),
            Face::South => Some(3),
            Face::Down | Face::Up => None,
        }
    }

    /// Returns the face on the other side.
    ///
    /// ```
    /// use floodplain::Face;
    /// assert_eq!(Face::Up.opposite(), Face::Down);
    /// ```
    pub const fn opposite(self) -> Face {
        match self {
            Face::West => Face::East,
            Face::East => Face::West,
            Face::Down => Face::Up,
            Face::Up => Face::Down,
            Face::North => Face::South,
            Face::South => Face::North,
        }
    }

    /// Returns the unit vector that points out of this face.
    pub const fn offset(self) -> IVec3 {
        match self {
            Face::West => IVec3::NEG_X,
            Face::East => IVec3::X,
            Face::Down => IVec3::NEG_Y,
            Face::Up => IVec3::Y,
            Face::North => IVec3::NEG_Z,
            Face::South => IVec3::Z,
        }
    }

    /// Returns the neighbour of `position` across this face, or `None` if it would leave the `i32`
    /// range.
    pub const fn step(self, position: IVec3) -> Option<IVec3> {
        let offset = self.offset();
        // Axis by axis: glam's `checked_add` takes a fifth more instructions in `Grid::faces`.
        match (
            position.x.checked_add(offset.x),
            position.y.checked_add(offset.y),
            position.z.checked_add(offset.z),
        ) {
            (Some(x), Some(y), Some(z)) => Some(IVec3::new(x, y, z)),
            _ => None,
        }
    }
}
