//! The parameters of a water world, with their units and ranges, and their validation.

use crate::coords::Face;
use crate::rules_error::RulesError;
use crate::water::cell::FULL;

/// The behaviour of water at a face of the world, or at the face of a chunk that is not loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Edge {
    /// No water passes.
    Wall,
    /// Water that reaches the edge leaves the world, and counts as
    /// [`drained`](crate::water::Ledger::drained).
    Drain,
    /// No water passes until a chunk is loaded beyond the edge; then the water flows on. A face
    /// between a [frozen](crate::water::WaterWorld::freeze) chunk and a chunk that is not frozen
    /// acts as this edge, whatever the edges of the rules.
    Held,
    /// The [sea](crate::water::Voxel::SEA) continues beyond the edge, up to and including this y:
    /// cells at or below this y fill from the sea, and water that is pressed into the sea is gone.
    /// Above this y, the edge acts as [`Drain`](Edge::Drain). At the lower and upper face of a
    /// chunk or of the world it acts as [`Held`](Edge::Held), since the sea continues sideways
    /// only.
    Level(i32),
}

impl Edge {
    /// Returns whether water may leave the world over this edge.
    pub(crate) fn may_drain(self) -> bool {
        matches!(self, Edge::Drain | Edge::Level(_))
    }
}

/// The edges of a world: its six outer faces, and the faces of chunks that are not loaded.
/// [`set_edge`](crate::water::WaterWorld::set_edge) overrides the edges of chunks that are not
/// loaded, column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Edges {
    /// The six faces of the world's bounds, by [`Face::index`].
    pub outer: [Edge; 6],
    /// The faces of chunks that are not loaded, inside the world's bounds.
    pub unloaded: Edge,
}

impl Edges {
    /// Walls on all six sides. Water is held at chunks that are not loaded.
    pub const WALLS: Edges = Edges { outer: [Edge::Wall; 6], unloaded: Edge::Held };

    /// The four sides drain, and floor and ceiling are walls. Water is held at chunks that are not
    /// loaded.
    pub const DRAINING_SIDES: Edges = Edges {
        outer: [Edge::Drain, Edge::Drain, Edge::Wall, Edge::Wall, Edge::Drain, Edge::Drain],
        unloaded: Edge::Held,
    };

    /// Returns whether any edge drains.
    pub(crate) fn any_drains(&self) -> bool {
        self.all().any(Edge::may_drain)
    }

    /// Returns all seven edges: the outer ones by [`Face::index`], then the unloaded one.
    pub(crate) fn all(&self) -> impl Iterator<Item = Edge> {
        self.outer.into_iter().chain([self.unloaded])
    }

    /// Returns the edges with the outer face `face` replaced by `edge`.
    #[must_use]
    pub const fn with(mut self, face: Face, edge: Edge) -> Edges {
        self.outer[face.index()] = edge;
        self
    }
}

/// The parameters of a water world, given when the world is made;
/// [`set_rules`](crate::water::WaterWorld::set_rules) replaces them.
///
/// Chances up to 1/64 are rounded up to a multiple of 2⁻³², larger ones to a multiple of 1/65,536.
/// By default, still water evaporates slowly; [`lossless`](Rules::lossless) turns that off.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::water")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Rules {
    /// The chance, 0 to 1, that a still surface cell of 2 units or more loses a unit in a tick, by
    /// evaporation or seepage into the ground. A cell is still in a tick in which no water flows
    /// through it. A cell is at the surface if the cell above it holds no water and is loaded, or
    /// lies beyond the end of the world. The default is 2⁻²⁰, at 20 ticks a second once in 15
    /// hours. Whatever the chance, still water sleeps between its losses; each loss costs a few
    /// microseconds.
    pub evaporation: f64,
    /// The chance, 0 to 1, that a still surface cell of a single unit, as for
    /// [`evaporation`](Rules::evaporation), loses that unit in a tick. The default is 2⁻¹⁶, at 20
    /// ticks a second once in 55 minutes, so that the films that a flood leaves evaporate before
    /// the lakes. A bucket of 7 units on a plain leaves seven such films for about an hour: see
    /// [`puddle`](Rules::puddle).
    pub film_evaporation: f64,
    /// The units that a source can supply in a tick, 0 to 7; no more than `throughput` takes
    /// effect. The default is 7.
    pub source_supply: u8,
    /// The units that a cell can pass on in a tick, summed over all paths through it, 1 to 7. The
    /// default is 7.
    pub throughput: u8,
    /// The edges of the world. The default is [`Edges::WALLS`].
    pub edges: Edges,
    /// Whether bodies of joined water level out: in a body that is not level, water above the level
    /// moves to room below the level, and springs add water to the body. Without this rule, water
    /// only flows from cell to cell and is drawn from springs, and water that no spring feeds comes
    /// to rest in slopes of a unit a cell. The default is `true`.
    pub pools: bool,
    /// Whether a cell that becomes connected to a spring keeps as parents all connected neighbours
    /// that could feed it, not only the first. A draw tries the parents in random order. The
    /// default is `true`.
    pub many_parents: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            evaporation: 1.0 / 1_048_576.0,
            film_evaporation: 1.0 / 65_536.0,
            source_supply: FULL,
            throughput: FULL,
            edges: Edges::WALLS,
            pools: true,
            many_parents: true,
        }
    }
}

impl Rules {
    /// Returns the default rules without evaporation: only edits, sources and draining edges change
    /// the total.
    ///
    /// ```
    /// use floodplain::water::Rules;
    /// assert_eq!(Rules::lossless().evaporation, 0.0);
    /// assert!(Rules::default().evaporation > 0.0);
    /// ```
    pub fn lossless() -> Rules {
        Rules { evaporation: 0.0, film_evaporation: 0.0, ..Rules::default() }
    }

    /// Returns the default rules with faster evaporation of films: of the films that a bucket
    /// leaves on the ground, all except one in 64 are gone in two minutes; lakes evaporate as by
    /// default. Like the other presets, this one is for 20 ticks a second; for other rates see
    /// [`with_half_lives`](Rules::with_half_lives).
    ///
    /// | preset | half of the films of a unit have gone after | half of the cells of deeper water have lost a unit after |
    /// |---|---|---|
    /// | `desert` | 5 s | 5 min |
    /// | `puddle` | 20 s | 10 h |
    /// | `rain` | 60 s | 1 h |
    /// | `default` | 38 min | 10 h |
    /// | `lossless` | never | never |
    ///
    /// ```
    /// use floodplain::water::Rules;
    /// assert!(Rules::desert().film_evaporation > Rules::puddle().film_evaporation);
    /// assert!(Rules::puddle().film_evaporation > Rules::rain().film_evaporation);
    /// assert!(Rules::rain().film_evaporation > Rules::default().film_evaporation);
    /// ```
    pub fn puddle() -> Rules {
        Rules::default().with_half_lives(20.0, 36_000.0, 20.0)
    }

    /// Returns the default rules with evaporation for rain: rainwater gathers in puddles, which dry
    /// up some minutes after the rain; lakes sink by a unit in an hour or two. See
    /// [`puddle`](Rules::puddle).
    pub fn rain() -> Rules {
        Rules::default().with_half_lives(60.0, 3_600.0, 20.0)
    }

    /// Returns the default rules with evaporation that dries up all water without a spring: films
    /// in seconds, a pond one cell deep in about half an hour. See [`puddle`](Rules::puddle).
    pub fn desert() -> Rules {
        Rules::default().with_half_lives(5.0, 300.0, 20.0)
    }

    /// Returns these rules with evaporation by half-lives, in seconds: `film` for films of a single
    /// unit, and `deeper` for the next unit that a cell of deeper water loses. Infinity means
    /// never.
    ///
    /// ```
    /// use floodplain::water::Rules;
    /// let rules = Rules::default().with_half_lives(30.0, f64::INFINITY, 20.0);
    /// assert_eq!(rules.film_evaporation, Rules::chance(30.0, 20.0));
    /// assert_eq!(rules.evaporation, 0.0);
    /// ```
    #[must_use]
    pub fn with_half_lives(self, film: f64, deeper: f64, ticks_per_second: f64) -> Rules {
        Rules {
            evaporation: Rules::chance(deeper, ticks_per_second),
            film_evaporation: Rules::chance(film, ticks_per_second),
            ..self
        }
    }

    /// Returns the chance in each tick of an event that has happened to half of all cells after a
    /// half-life, in seconds: 1 − 2^(−1 / (`half_life` · `ticks_per_second`)). The chance is 1/2
    /// for a half-life below a tick, and 0 for infinity. It has the same bits on every platform.
    ///
    /// ```
    /// use floodplain::water::Rules;
    /// assert_eq!(Rules::chance(0.05, 20.0), 0.5, "in a tick");
    /// assert!((Rules::chance(60.0, 20.0) - 0.693 / 1_200.0).abs() < 1e-6);
    /// ```
    pub fn chance(half_life: f64, ticks_per_second: f64) -> f64 {
        let ticks = half_life * ticks_per_second;
        if ticks.is_nan() || ticks <= 1.0 {
            return 0.5;
        }
        // The series of 1 − e^(−x). The result of the standard library's function depends on the
        // platform.
        let x = core::f64::consts::LN_2 / ticks;
        let (mut sum, mut term) = (0.0, -1.0);
        for n in 1..=20 {
            term *= -x / f64::from(n);
            sum += term;
        }
        sum
    }

    /// Checks every field against its range.
    ///
    /// # Errors
    /// A value is out of range. The error names the first such value: chances come first, then
    /// units, both in the order of the fields.
    pub fn check(&self) -> Result<(), RulesError> {
        for (rule, value) in
            [("evaporation", self.evaporation), ("film_evaporation", self.film_evaporation)]
        {
            if !(0.0..=1.0).contains(&value) {
                return Err(RulesError::new(rule, value, "a chance from 0 to 1"));
            }
        }
        for (rule, value, least) in
            [("source_supply", self.source_supply, 0), ("throughput", self.throughput, 1)]
        {
            if value < least || value > FULL {
                return Err(RulesError::new(
                    rule,
                    value,
                    format!("{least} to {FULL} units a tick"),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_all_cells_are_left_after_a_half_life() {
        for ticks in [1.0, 1.5, 2.0, 7.0, 400.0, 1e6, 1e9] {
            let chance = Rules::chance(ticks / 20.0, 20.0);
            let left = (ticks * (-chance).ln_1p()).exp();
            assert!((left - 0.5).abs() < 1e-7, "{ticks} ticks: {left}");
        }
        let rates = [f64::NAN, 0.0, -1.0, f64::INFINITY];
        assert_eq!(rates.map(|rate| Rules::chance(1.0, rate)), [0.5, 0.5, 0.5, 0.0]);
        let all = [Rules::puddle(), Rules::rain(), Rules::desert(), Rules::lossless()];
        assert!(all.iter().all(|rules| rules.check().is_ok()));
    }

    #[test]
    fn values_out_of_range_are_refused_by_name() {
        let refused = |rules: Rules| rules.check().unwrap_err().to_string();
        let rules = Rules::default();
        let error = refused(Rules { evaporation: f64::NAN, ..rules });
        assert_eq!(error, "evaporation is a chance from 0 to 1, not NaN");
        let error = refused(Rules { film_evaporation: -0.1, ..rules });
        assert_eq!(error, "film_evaporation is a chance from 0 to 1, not -0.1");
        let error = refused(Rules { throughput: 0, ..rules });
        assert_eq!(error, "throughput is 1 to 7 units a tick, not 0");
        let error = refused(Rules { source_supply: 8, ..rules });
        assert_eq!(error, "source_supply is 0 to 7 units a tick, not 8");
        assert_eq!(rules.check(), Ok(()));
    }
}
