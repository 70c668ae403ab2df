//! What the player holds: a tool, and how wide and of what it works.

use super::action::{Action, LARGEST_CHARGE, WIDEST};
use super::floats::Craft;
use super::materials::BUILDABLE;
use super::pick::Target;
use floodplain::glam::IVec3;
use floodplain::world::MaterialId;
use floodplain::world::World;

/// What a click does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Dig,
    Build,
    Pour,
    Spring,
    Drain,
    Charge,
    Boat,
    Crate,
}

impl Tool {
    /// All of them, in the order of their keys.
    pub const ALL: [Tool; 8] = [
        Tool::Dig,
        Tool::Build,
        Tool::Pour,
        Tool::Spring,
        Tool::Drain,
        Tool::Charge,
        Tool::Boat,
        Tool::Crate,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Tool::Dig => "dig",
            Tool::Build => "build",
            Tool::Pour => "pour",
            Tool::Spring => "spring",
            Tool::Drain => "drain",
            Tool::Charge => "charge",
            Tool::Boat => "boat",
            Tool::Crate => "crate",
        }
    }

    /// Returns whether the mouse points at water, not through it at the ground.
    pub fn meets_water(self) -> bool {
        !matches!(self, Tool::Dig | Tool::Build | Tool::Drain)
    }

    /// Returns whether it goes on working while the button is held.
    pub fn repeats(self) -> bool {
        matches!(self, Tool::Dig | Tool::Build | Tool::Pour)
    }
}

/// A tool in the player's hand.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    pub tool: Tool,
    /// Of the brush, in cells round its middle.
    radius: u8,
    material: usize,
}

impl Default for Hand {
    fn default() -> Hand {
        Hand { tool: Tool::Dig, radius: 2, material: 0 }
    }
}

impl Hand {
    /// Returns the material that is built with.
    pub fn material(&self) -> MaterialId {
        BUILDABLE[self.material]
    }

    /// Takes the next material.
    pub fn next_material(&mut self) {
        self.material = (self.material + 1) % BUILDABLE.len();
    }

    /// Makes the brush wider or narrower.
    pub fn widen(&mut self, by: i32) {
        self.radius = (i32::from(self.radius) + by).clamp(0, i32::from(WIDEST)) as u8;
    }

    /// Returns the radius of the brush, or of the charge.
    pub fn radius(&self) -> u8 {
        match self.tool {
            Tool::Spring | Tool::Drain | Tool::Boat | Tool::Crate => 0,
            Tool::Charge => (3 + 2 * self.radius).min(LARGEST_CHARGE),
            _ => self.radius,
        }
    }

    /// Returns the middle of what the tool works on. On a cut side of the world, the cell before
    /// the one that is met lies outside, and the tool works on that one itself: a charge goes off
    /// in the cut ground, and a spring comes into the cut water.
    pub fn middle(&self, world: &World, target: Target) -> IVec3 {
        let Target { cell, before } = target;
        let is_spring = world.water().cell(cell).is_some_and(|cell| cell.is_source());
        let before = if world.bounds().contains(before) { before } else { cell };
        match self.tool {
            Tool::Dig => cell,
            Tool::Spring if is_spring => cell,
            Tool::Pour => before + IVec3::Y * i32::from(self.radius),
            Tool::Boat | Tool::Crate => before + IVec3::Y * 2,
            _ => before,
        }
    }

    /// Returns what a click on a target does.
    pub fn action(&self, world: &World, target: Target) -> Action {
        let (cell, radius) = (self.middle(world, target), self.radius());
        match self.tool {
            Tool::Dig => Action::Dig { cell, radius },
            Tool::Build => Action::Build { material: self.material(), cell, radius },
            Tool::Pour => Action::Pour { cell, radius },
            Tool::Spring => Action::Spring(cell),
            Tool::Drain => Action::Drain(cell),
            Tool::Charge => Action::Charge { cell, radius },
            Tool::Boat => Action::Float { craft: Craft::Boat, cell },
            Tool::Crate => Action::Float { craft: Craft::Crate, cell },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    #[test]
    fn each_tool_works_on_the_cell_that_it_is_for() {
        let mut world = Kind::Plain.world(7).unwrap();
        let cell = IVec3::new(150, 8, 80);
        let before = cell + IVec3::Y;
        let target = Target { cell, before };
        let with = |tool| Hand { tool, ..Hand::default() };
        let action = |tool, world: &World| with(tool).action(world, target);
        assert_eq!(action(Tool::Dig, &world), Action::Dig { cell, radius: 2 });
        let built = Action::Build { material: BUILDABLE[0], cell: before, radius: 2 };
        assert_eq!(action(Tool::Build, &world), built);
        let above = before + IVec3::Y * 2;
        assert_eq!(action(Tool::Pour, &world), Action::Pour { cell: above, radius: 2 });
        assert_eq!(action(Tool::Spring, &world), Action::Spring(before));
        assert_eq!(action(Tool::Drain, &world), Action::Drain(before));
        assert_eq!(action(Tool::Charge, &world), Action::Charge { cell: before, radius: 7 });
        // A click on a spring takes it away.
        let spring = Target { cell: before, before: before + IVec3::Y };
        world.add_source(before).unwrap();
        assert_eq!(with(Tool::Spring).action(&world, spring), Action::Spring(before));
    }

    #[test]
    fn on_a_cut_side_the_tool_works_on_what_is_cut() {
        let world = Kind::UTube.world(7).unwrap();
        let rock = IVec3::new(2, 8, 15);
        let target = Target { cell: rock, before: rock + IVec3::Z };
        let action = |tool| Hand { tool, ..Hand::default() }.action(&world, target);
        assert_eq!(action(Tool::Charge), Action::Charge { cell: rock, radius: 7 });
        assert_eq!(action(Tool::Dig), Action::Dig { cell: rock, radius: 2 });
        let water = Target { cell: rock.with_x(16), before: rock.with_x(16) + IVec3::Z };
        let boat = Hand { tool: Tool::Boat, ..Hand::default() };
        assert!(world.bounds().contains(boat.middle(&world, water)));
    }

    #[test]
    fn brushes_and_materials_stay_in_their_range() {
        let mut hand = Hand::default();
        hand.widen(99);
        assert_eq!(hand.radius(), WIDEST);
        hand.widen(-99);
        assert_eq!(hand.radius(), 0);
        for _ in BUILDABLE {
            assert!(BUILDABLE.contains(&hand.material()));
            hand.next_material();
        }
        assert_eq!(hand.material(), BUILDABLE[0]);
        let charge = Hand { tool: Tool::Charge, radius: WIDEST, ..hand };
        assert!(charge.radius() <= LARGEST_CHARGE);
    }
}
