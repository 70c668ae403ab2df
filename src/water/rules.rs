//! The public rules of a water world, with their units and ranges, and the checks at the door.

use crate::coords::Face;
use crate::water::cell::FULL;
use core::fmt;

/// What a face of the world does to water that reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Edge {
    /// Nothing passes, ever.
    Wall,
    /// Water that reaches it leaves the world and is entered as drained.
    Drain,
    /// Nothing passes for now: water waits there, and goes on when a chunk comes.
    Held,
}

/// What the six outer faces of a world do, and the faces of chunks that are not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edges {
    /// The outer faces, by [`Face::index`].
    pub outer: [Edge; 6],
    /// The face of a chunk that is not loaded, inside the world's bounds.
    pub unloaded: Edge,
}

impl Edges {
    /// Walls all round; water waits at chunks that are not loaded.
    pub const WALLS: Edges = Edges { outer: [Edge::Wall; 6], unloaded: Edge::Held };

    /// The four sides drain; floor and ceiling are walls; water waits at chunks that are not
    /// loaded.
    pub const DRAINING_SIDES: Edges = Edges {
        outer: [Edge::Drain, Edge::Drain, Edge::Wall, Edge::Wall, Edge::Drain, Edge::Drain],
        unloaded: Edge::Held,
    };

    /// Whether water can leave the world anywhere.
    pub(crate) fn any_drains(&self) -> bool {
        self.outer.contains(&Edge::Drain) || self.unloaded == Edge::Drain
    }

    /// The same with another edge at `face`.
    #[must_use]
    pub const fn with(mut self, face: Face, edge: Edge) -> Edges {
        self.outer[face.index()] = edge;
        self
    }
}

/// How water behaves. Chances are kept to a 65,536th, rounded up. The default is what the source
/// text says, so water that lies still slowly goes away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The chance, 0 to 1, for an inactive cell to lose a unit in a tick: evaporation, or seepage
    /// into the ground.
    pub evaporation: f64,
    /// The chance, 0 to 1, for a cell without flow to lose one step of activity in a tick.
    pub activity_decay: f64,
    /// Units that a source can supply in a tick, 0 to 7.
    pub source_supply: u8,
    /// Units that a cell passes on in a tick, counted over all paths through it, 1 to 7.
    pub throughput: u8,
    /// The world's outer faces and those of chunks that are not loaded.
    pub edges: Edges,
    /// Whether a cell in a pool draws from the highest water of its body. Without, pools do not
    /// level.
    pub pools: bool,
    /// Whether a cell keeps all of the flows that feed it, not the first alone.
    pub many_parents: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            evaporation: 1.0 / 1024.0,
            activity_decay: 0.25,
            source_supply: FULL,
            throughput: FULL,
            edges: Edges::WALLS,
            pools: true,
            many_parents: true,
        }
    }
}

/// Why rules were refused.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum RulesError {
    /// A chance that is not a number from 0 to 1.
    Chance {
        /// The rule's field name.
        rule: &'static str,
        /// What was asked for.
        value: f64,
    },
    /// A number of units outside its range.
    Units {
        /// The rule's field name.
        rule: &'static str,
        /// What was asked for.
        value: u8,
        /// The least that is allowed.
        least: u8,
    },
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RulesError::Chance { rule, value } => {
                write!(f, "{rule} is a chance from 0 to 1, not {value}")
            }
            RulesError::Units { rule, value, least } => {
                write!(f, "{rule} is {least} to 7 units a tick, not {value}")
            }
        }
    }
}

impl core::error::Error for RulesError {}

impl Rules {
    /// The default without loss: nothing evaporates, so the total changes by edits, sources and
    /// drains alone.
    ///
    /// ```
    /// use floodplain::water::Rules;
    /// assert_eq!(Rules::lossless().evaporation, 0.0);
    /// assert!(Rules::default().evaporation > 0.0);
    /// ```
    pub fn lossless() -> Rules {
        Rules { evaporation: 0.0, ..Rules::default() }
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// The first [`RulesError`], in field order.
    pub fn check(&self) -> Result<(), RulesError> {
        for (rule, value) in
            [("evaporation", self.evaporation), ("activity_decay", self.activity_decay)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(RulesError::Chance { rule, value });
            }
        }
        for (rule, value, least) in
            [("source_supply", self.source_supply, 0), ("throughput", self.throughput, 1)]
        {
            if value < least || value > FULL {
                return Err(RulesError::Units { rule, value, least });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let rules = Rules { evaporation: f64::NAN, ..Rules::default() };
        assert!(matches!(rules.check(), Err(RulesError::Chance { rule: "evaporation", .. })));
        let rules = Rules { activity_decay: 1.5, ..Rules::default() };
        assert_eq!(rules.check(), Err(RulesError::Chance { rule: "activity_decay", value: 1.5 }));
        let rules = Rules { throughput: 0, ..Rules::default() };
        assert_eq!(
            rules.check(),
            Err(RulesError::Units { rule: "throughput", value: 0, least: 1 })
        );
        let rules = Rules { source_supply: 8, ..Rules::default() };
        assert_eq!(
            rules.check(),
            Err(RulesError::Units { rule: "source_supply", value: 8, least: 0 })
        );
        assert_eq!(Rules::default().check(), Ok(()));
    }
}
