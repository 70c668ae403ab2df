//! What a player can do, and why it may be refused.

use super::floats::Craft;
use super::materials::{AIR, BUILDABLE};
use super::worlds::Kind;
use floodplain::glam::IVec3;
use floodplain::world::{EditError, MaterialId, World};
use floodplain::{DecodeError, Region, water, world};
use std::fmt;

/// The largest radius of a brush, in cells round its middle.
pub const WIDEST: u8 = 6;

/// The largest radius of a charge, in cells.
pub const LARGEST_CHARGE: u8 = 16;

/// The radius of the hole for a charge in ground, in cells.
const BOREHOLE: u8 = 1;

/// The pressure in the middle of a charge, for each cell of its radius.
const PRESSURE: f32 = 80.0;

/// The fastest that time can pass, as a multiple of 20 ticks a second.
pub const FASTEST: u32 = 16;

/// What a player does. Keys, the mouse and scripts all come to one of these.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Begins a world anew.
    World(Kind),
    /// Takes away the ground of a ball.
    Dig { cell: IVec3, radius: u8 },
    /// Fills the open cells of a ball with a material.
    Build { material: MaterialId, cell: IVec3, radius: u8 },
    /// Fills the open cells of a ball with water.
    Pour { cell: IVec3, radius: u8 },
    /// Makes a cell a spring, or a spring an ordinary cell.
    Spring(IVec3),
    /// Puts a drain into a cell, or takes it out.
    Drain(IVec3),
    /// Lets the sea stand up to and including this height at the shore of the world; `None`: no
    /// sea.
    Sea(Option<i32>),
    /// Lets a charge go off.
    Charge { cell: IVec3, radius: u8 },
    /// Lets a thing that floats fall into a cell.
    Float { craft: Craft, cell: IVec3 },
    /// Begins or ends rain.
    Rain(bool),
    /// Stops the clock, or lets it go on.
    Pause(bool),
    /// Runs a tick while the clock is stopped.
    Step,
    /// Lets time pass so many times as fast as 20 ticks a second.
    Speed(u32),
    /// Keeps the world as bytes, in the place of what was kept before.
    Save,
    /// Goes back to what was kept.
    Load,
}

/// Why an action was refused. It changed nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// The cell lies outside the world.
    Outside(IVec3),
    /// No open cell to put something into.
    Solid(IVec3),
    /// A brush or a charge that is too wide.
    Radius { found: u8, most: u8 },
    /// A material that cannot be built with.
    Material(MaterialId),
    /// A speed of 0, or too fast.
    Speed(u32),
    /// A sea that stands higher than the world.
    Sea { found: i32, most: i32 },
    /// Nothing was kept.
    NothingSaved,
    /// The bytes are no world.
    Load(DecodeError),
    /// The library refused the edit.
    Edit(EditError),
    /// The world cannot be made.
    World(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Outside(cell) => write!(f, "{cell} lies outside the world"),
            Refusal::Solid(cell) => write!(f, "{cell} is ground"),
            Refusal::Radius { found, most } => write!(f, "a radius is 0 to {most}, not {found}"),
            Refusal::Material(id) => write!(f, "nobody builds with material {}", id.0),
            Refusal::Speed(speed) => write!(f, "a speed is 1 to {FASTEST}, not {speed}"),
            Refusal::Sea { found, most } => write!(f, "the sea stands at 0 to {most}, not {found}"),
            Refusal::NothingSaved => f.write_str("nothing was saved"),
            Refusal::Load(error) => write!(f, "{error}"),
            Refusal::Edit(error) => write!(f, "{error}"),
            Refusal::World(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Action {
    /// Returns the edits of the world that an action comes to; none for one that only changes
    /// clock, rain or what is kept.
    pub fn edits(&self, world: &World) -> Result<Vec<world::Edit>, Refusal> {
        match *self {
            Action::Dig { cell, radius } => {
                let is_dug = |cell: IVec3| cell.y > 0 && world.material(cell) != Some(AIR);
                Ok(set(ball(world, cell, radius)?.filter(|&cell| is_dug(cell)), AIR))
            }
            Action::Build { material, cell, radius } => {
                if !BUILDABLE.contains(&material) {
                    return Err(Refusal::Material(material));
                }
                Ok(set(open(world, ball(world, cell, radius)?), material))
            }
            Action::Pour { cell, radius } => {
                let pour = |cell| water::Edit::Pour { cell, units: 7 };
                let cells = open(world, ball(world, cell, radius)?);
                Ok(cells.map(|cell| world::Edit::Water(pour(cell))).collect())
            }
            Action::Spring(cell) => {
                check_open(world, cell)?;
                let is_spring = world.water().cell(cell).is_some_and(|cell| cell.is_source());
                Ok(vec![world::Edit::Water(match is_spring {
                    true => water::Edit::RemoveSource(cell),
                    false => water::Edit::AddSource(cell),
                })])
            }
            Action::Drain(cell) => {
                check_open(world, cell)?;
                let fixture = match world.water().fixture(cell) {
                    Some(_) => None,
                    None => Some(water::Fixture::Drain(7)),
                };
                Ok(vec![world::Edit::Water(water::Edit::SetFixture { cell, fixture })])
            }
            Action::Charge { cell, radius } => {
                check_inside(world, cell)?;
                check_radius(radius, LARGEST_CHARGE)?;
                // In ground there is no room for pressure, so a hole is bored for the charge.
                let mut edits = match world.material(cell) {
                    Some(AIR) => Vec::new(),
                    _ => Action::Dig { cell, radius: BOREHOLE }.edits(world)?,
                };
                let radius = f32::from(radius.max(1));
                let pressure = PRESSURE * radius;
                edits.push(world::Edit::Charge { centre: cell, radius, pressure });
                Ok(edits)
            }
            Action::Float { cell, .. } => check_open(world, cell).map(|()| Vec::new()),
            _ => Ok(Vec::new()),
        }
    }
}

fn set(cells: impl Iterator<Item = IVec3>, material: MaterialId) -> Vec<world::Edit> {
    cells.map(|cell| world::Edit::SetMaterial { cell, material }).collect()
}

fn open(world: &World, cells: impl Iterator<Item = IVec3>) -> impl Iterator<Item = IVec3> {
    cells.filter(|&cell| world.material(cell) == Some(AIR))
}

/// Returns the cells of a ball that lie in the world.
fn ball(world: &World, middle: IVec3, radius: u8) -> Result<impl Iterator<Item = IVec3>, Refusal> {
    check_inside(world, middle)?;
    check_radius(radius, WIDEST)?;
    let (bounds, radius) = (world.bounds(), i32::from(radius));
    let region = Region::new(middle - radius, middle + radius);
    let is_in = move |cell: &IVec3| {
        // With a little more than the radius, balls have no single cells at their poles.
        (*cell - middle).length_squared() <= radius * radius + radius / 2
    };
    Ok(region.positions().filter(is_in).filter(move |&cell| bounds.contains(cell)))
}

fn check_inside(world: &World, cell: IVec3) -> Result<(), Refusal> {
    if world.bounds().contains(cell) { Ok(()) } else { Err(Refusal::Outside(cell)) }
}

fn check_open(world: &World, cell: IVec3) -> Result<(), Refusal> {
    check_inside(world, cell)?;
    if world.material(cell) == Some(AIR) { Ok(()) } else { Err(Refusal::Solid(cell)) }
}

fn check_radius(found: u8, most: u8) -> Result<(), Refusal> {
    if found <= most { Ok(()) } else { Err(Refusal::Radius { found, most }) }
}
