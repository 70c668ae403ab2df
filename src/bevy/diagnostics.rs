//! Measurements of the worlds of a kind, as diagnostics.

use super::simulated::Simulated;
use super::simulation::SimulationWorld;
use bevy_app::App;
use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::system::{Local, Query};

/// A measurement in each update, over all worlds of a kind.
///
/// ```
/// use floodplain::bevy::Measure;
/// use floodplain::water::WaterWorld;
/// let path = Measure::StepTime.path::<WaterWorld>();
/// assert_eq!(path.as_str(), "floodplain/water/step_time");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The duration of the ticks of all worlds, or of slices of ticks, in milliseconds.
    StepTime,
    /// The number of cells that the next tick will visit, or that the tick underway began with.
    AwakeCells,
    /// The known number of cells that the ticks underway have still to visit: 0 between ticks.
    Backlog,
    /// The difference between the counted content of the cells and the total of the ledger, without
    /// its sign and summed over the worlds: 0 if all ledgers balance. For explosions, whose
    /// pressures are floating-point numbers, it is only near 0. A world without a ledger counts as
    /// 0. Measured in the updates set by
    /// [`with_ledger_check`](super::FloodplainPlugin::with_ledger_check).
    Imbalance,
}

impl Measure {
    /// All measures.
    pub const ALL: [Measure; 4] =
        [Measure::StepTime, Measure::AwakeCells, Measure::Backlog, Measure::Imbalance];

    /// Returns the path of the diagnostic for the worlds of a kind.
    pub fn path<W: Simulated>(self) -> DiagnosticPath {
        DiagnosticPath::from_components(["floodplain", W::NAME, self.name()])
    }

    fn name(self) -> &'static str {
        match self {
            Measure::StepTime => "step_time",
            Measure::AwakeCells => "awake_cells",
            Measure::Backlog => "backlog",
            Measure::Imbalance => "imbalance",
        }
    }

    /// Returns the unit as a suffix.
    fn suffix(self) -> &'static str {
        match self {
            Measure::StepTime => "ms",
            Measure::AwakeCells | Measure::Backlog => " cells",
            Measure::Imbalance => "",
        }
    }
}

/// Registers the diagnostics of a kind.
pub(super) fn register<W: Simulated>(app: &mut App) {
    for measure in Measure::ALL {
        app.register_diagnostic(Diagnostic::new(measure.path::<W>()).with_suffix(measure.suffix()));
    }
}

/// Returns the system that measures. `check_every` is the number of updates from one count of the
/// ledger to the next.
pub(super) fn measure<W: Simulated>(
    check_every: Option<u32>,
) -> impl FnMut(Query<'_, '_, &SimulationWorld<W>>, Diagnostics<'_, '_>, Local<'_, u32>) {
    let paths = Measure::ALL.map(Measure::path::<W>);
    move |worlds, mut diagnostics, mut updates| {
        let mut add = |measure: Measure, value: &dyn Fn() -> f64| {
            diagnostics.add_measurement(&paths[measure as usize], value);
        };
        let millis = |world: &SimulationWorld<W>| world.step_time().as_secs_f64() * 1_000.0;
        let awake = |world: &SimulationWorld<W>| world.world().awake_cells() as f64;
        let left = |world: &SimulationWorld<W>| world.world().work_left() as f64;
        add(Measure::StepTime, &|| worlds.iter().map(millis).sum());
        add(Measure::AwakeCells, &|| worlds.iter().map(awake).sum());
        add(Measure::Backlog, &|| worlds.iter().map(left).sum());
        *updates = updates.wrapping_add(1);
        if check_every.is_some_and(|every| updates.is_multiple_of(every.max(1))) {
            // The faults of two worlds must not cancel.
            let fault = |world: &SimulationWorld<W>| world.world().imbalance().map(f64::abs);
            add(Measure::Imbalance, &|| worlds.iter().filter_map(fault).sum());
        }
    }
}
