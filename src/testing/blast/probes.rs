//! Steps by one call with probes that stay, move or are reset, or without probes, on grids and
//! graphs. Each probe must add up the flow that the world reports around it, step by step.

use crate::StepReport;
use crate::blast::Probe;
use crate::testing::findings::Findings;
use crate::testing::law;
use crate::testing::watch::Watch;
use core::fmt::Debug;
use fastrand::Rng;
use glam::DVec3;

const CROSS_SECTION: f64 = 2.5;

/// A world in which probes stand.
pub(super) trait Probed: Watch {
    /// The place of a probe.
    type At: Copy + Debug + PartialEq;

    /// Returns two places picked by a number; `None` if there are none.
    fn two_places(&self, number: usize) -> Option<[Self::At; 2]>;

    /// Returns whether flows are those of the last step, and not those of the next.
    fn is_wave(&self) -> bool;

    /// Returns the flow around a place in one step: as a vector, and in magnitude.
    fn flow_at(&self, place: Self::At) -> (DVec3, f64);

    fn run(&mut self, steps: u64) -> StepReport;

    fn run_probed(&mut self, steps: u64, probes: &mut [Probe<Self::At>]) -> StepReport;
}

/// The flows around the first and around the second place of a run in one step.
type Flows = [(DVec3, f64); 2];

/// Runs several steps by one call, or by two with probes that move in between. The state decides
/// whether there are probes, and where.
pub(super) fn run<W: Probed>(world: &mut W, steps: u64, found: &mut Findings) -> StepReport {
    let mut random = Rng::with_seed(world.state_hash());
    match (random.usize(..4), world.two_places(random.usize(..))) {
        (0, _) | (_, None) => world.run(steps),
        (1, _) => world.run_probed(steps, &mut []),
        _ if steps == 1 => world.run(steps),
        (crew, Some(places)) => {
            let flows = step_by_step(world, steps, places, found);
            let run = ProbedRun { steps, places, flows };
            if crew == 2 { run.standing(world, found) } else { run.moving(world, found) }
        }
    }
}

/// Returns the flows of all steps, which a copy of the world takes one by one.
fn step_by_step<W: Probed>(
    world: &W,
    steps: u64,
    places: [W::At; 2],
    found: &mut Findings,
) -> Vec<Flows> {
    let mut copy = match world.saved_and_loaded() {
        Ok(copy) => copy,
        Err(wrong) => {
            found.hold(law::SAVED_AND_LOADED, false, || wrong);
            return Vec::new();
        }
    };
    let flows = |world: &W| places.map(|place| world.flow_at(place));
    let mut step = |_| {
        let before = flows(&copy);
        copy.step();
        if copy.is_wave() { flows(&copy) } else { before }
    };
    (0..steps).map(&mut step).collect()
}

/// A run of several steps at two places, and the flows there.
struct ProbedRun<P> {
    steps: u64,
    places: [P; 2],
    flows: Vec<Flows>,
}

impl<P: Copy + Debug + PartialEq> ProbedRun<P> {
    /// Runs the steps with one probe that stays at the first place.
    fn standing<W: Probed<At = P>>(&self, world: &mut W, found: &mut Findings) -> StepReport {
        let mut probes = [new(self.places[0])];
        let report = world.run_probed(self.steps, &mut probes);
        check(&probes[0], self.flows.iter().map(|flows| flows[0]), found);
        report
    }

    /// Runs the steps with four probes: one that stays, two that move to the second place at half
    /// time, one of which is reset there, and one that is new there from half time on.
    fn moving<W: Probed<At = P>>(&self, world: &mut W, found: &mut Findings) -> StepReport {
        let half = self.steps / 2;
        let mut probes = vec![new(self.places[0]); 3];
        let mut report = world.run_probed(half, &mut probes);
        self.turn(&mut probes, found);
        report += world.run_probed(self.steps - half, &mut probes);
        let (early, late) = self.flows.split_at(self.flows.len().min(half as usize));
        let [at_first, then] = [0, 1].map(|place| move |flows: &Flows| flows[place]);
        check(&probes[0], self.flows.iter().map(at_first), found);
        check(&probes[1], early.iter().map(at_first).chain(late.iter().map(then)), found);
        check(&probes[3], late.iter().map(then), found);
        found.same(law::PROBES, &probes[2], &probes[3], || "one that was reset".to_owned());
        report
    }

    /// Moves, resets and adds probes at half time. A move must keep all sums, and a reset must
    /// clear everything except the place.
    fn turn(&self, probes: &mut Vec<Probe<P>>, found: &mut Findings) {
        let sums = |probe: &Probe<P>| (probe.impulse(), probe.exposure(), probe.steps());
        let before = sums(&probes[1]);
        for probe in &mut probes[1..] {
            probe.move_to(self.places[1]);
            found.same(law::PROBES, probe.place(), &self.places[1], || "moved".to_owned());
            found.same(law::PROBES, &sums(probe), &before, || "kept on the move".to_owned());
        }
        probes[2].reset();
        let forgotten = (probes[2].impulse(), probes[2].mean_force());
        found.same(law::PROBES, &forgotten, &(DVec3::ZERO, DVec3::ZERO), || "reset".to_owned());
        probes.push(new(self.places[1]));
        found.same(law::PROBES, &probes[2], &probes[3], || "reset, as good as new".to_owned());
    }
}

fn new<P>(place: P) -> Probe<P> {
    Probe::new(place, CROSS_SECTION).expect("a cross-section")
}

fn check<P: Debug>(
    probe: &Probe<P>,
    flows: impl Iterator<Item = (DVec3, f64)>,
    found: &mut Findings,
) {
    let (mut impulse, mut exposure, mut most, mut steps) = (DVec3::ZERO, 0.0, 0.0, 0);
    for (flow, magnitude) in flows {
        impulse += flow * CROSS_SECTION;
        exposure += magnitude;
        // Added step by step like the impulse, so that both lose the same digits if the sums are
        // tiny.
        most += magnitude * CROSS_SECTION;
        steps += 1;
    }
    let mean = if steps == 0 { DVec3::ZERO } else { impulse / steps as f64 };
    let felt = (probe.impulse(), probe.exposure(), probe.steps(), probe.mean_force());
    found.same(law::PROBES, &felt, &(impulse, exposure, steps, mean), || format!("{probe:?}"));
    // Axis by axis, since the squares of very small flows have no digits left.
    let is_bounded = impulse.abs().max_element() <= most * (1.0 + 1e-9);
    found.hold(law::PROBES, is_bounded, || {
        format!("an impulse of {impulse} from flows of {exposure}")
    });
}
