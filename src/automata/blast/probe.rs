//! Probes measure the effect of an explosion on an object: force, impulse, exposure.

use crate::rules_error::RulesError;
use crate::simulation::StepReport;
use glam::{DVec3, IVec3};
use smallvec::SmallVec;

/// An object with a cross-section, at a cell of a [`BlastWorld`](super::BlastWorld) (`P` is
/// [`IVec3`]) or a node of a [`BlastGraph`](super::BlastGraph) (`P` is [`NodeId`](super::NodeId)),
/// which measures every step that it takes part in.
///
/// The force of a step is the cross-section times the flow vector at the probe's place: the sum
/// over all links of the outflow, in the link's direction. A step lasts 1, so forces add up to the
/// impulse. A game runs tens of steps in a frame, applies [`mean_force`](Probe::mean_force) or
/// [`impulse`](Probe::impulse), and [`reset`](Probe::reset)s the probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe<P = IVec3> {
    place: P,
    cross_section: f64,
    impulse: DVec3,
    exposure: f64,
    steps: u64,
}

/// The outflow over each link of a place: a unit vector along the link, and the amount.
pub(super) type LinkFluxes = SmallVec<[(DVec3, f64); 6]>;

/// Returns the vector sum of the flows.
pub(super) fn net_flux(flows: &LinkFluxes) -> DVec3 {
    flows.iter().map(|&(direction, flow)| direction * flow).sum()
}

impl<P> Probe<P> {
    /// Returns a probe without measurements. The game chooses the unit of the cross-section.
    ///
    /// # Errors
    /// The cross-section is not a number of 0 or more.
    pub fn new(place: P, cross_section: f64) -> Result<Self, RulesError> {
        if cross_section >= 0.0 && cross_section.is_finite() {
            Ok(Probe { place, cross_section, impulse: DVec3::ZERO, exposure: 0.0, steps: 0 })
        } else {
            Err(RulesError::new("cross_section", cross_section, "a number of 0 or more"))
        }
    }

    /// Returns the probe's place.
    pub fn place(&self) -> &P {
        &self.place
    }

    /// Moves the probe, and keeps its measurements.
    pub fn move_to(&mut self, place: P) {
        self.place = place;
    }

    /// Returns the sum of the forces of all steps, in pressure times cross-section times steps.
    pub fn impulse(&self) -> DVec3 {
        self.impulse
    }

    /// Returns the mean force; zero before the first step.
    pub fn mean_force(&self) -> DVec3 {
        if self.steps == 0 { DVec3::ZERO } else { self.impulse / self.steps as f64 }
    }

    /// Returns the sum of the absolute values of all flows around the probe, over all links and
    /// steps, regardless of its cross-section: for deafness, broken glass, damage.
    pub fn exposure(&self) -> f64 {
        self.exposure
    }

    /// Returns the number of steps measured.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Discards all measurements, for a new frame.
    pub fn reset(&mut self) {
        (self.impulse, self.exposure, self.steps) = (DVec3::ZERO, 0.0, 0);
    }

    /// Measures a step with these flows around the probe.
    pub(super) fn measure(&mut self, flows: &LinkFluxes) {
        self.impulse += net_flux(flows) * self.cross_section;
        self.exposure += flows.iter().map(|(_, flow)| flow.abs()).sum::<f64>();
        self.steps += 1;
    }
}

/// Runs steps of a world or graph, and measures every step with each probe. Diffusive flows follow
/// from the pressures before a step; the flows of waves are stored by the step.
pub(super) fn run_probed<W, P: Copy>(
    world: &mut W,
    is_wave: bool,
    steps: u64,
    probes: &mut [Probe<P>],
    step: impl Fn(&mut W) -> StepReport,
    flows_at: impl Fn(&W, P) -> LinkFluxes,
) -> StepReport {
    let mut sum = StepReport::default();
    for _ in 0..steps {
        let after = is_wave.then(|| step(world));
        probes.iter_mut().for_each(|probe| probe.measure(&flows_at(world, *probe.place())));
        sum += after.unwrap_or_else(|| step(world));
    }
    sum
}
