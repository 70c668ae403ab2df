//! Runs of several steps with probes that stay, move or are reset, or with none. Each probe must
//! add up the flow that the world reports around it, step by step. For grids and graphs.

use floodplain::StepReport;
use floodplain::blast::Probe;
use floodplain::glam::DVec3;
use std::fmt::Debug;

const CROSS_SECTION: f64 = 2.5;

/// The probes of a run.
#[derive(Clone, Copy, Debug)]
pub enum Crew {
    /// One probe that stays.
    Standing,
    /// None: `run`.
    Nobody,
    /// None: `run_probed` without probes.
    Empty,
    /// One probe that stays, two that move at half time, one of which is reset there, and one that
    /// is new there.
    Moving,
}

impl Crew {
    /// By the upper two bits of a byte.
    pub fn of(byte: u8) -> Crew {
        [Crew::Standing, Crew::Nobody, Crew::Empty, Crew::Moving][usize::from(byte >> 6)]
    }
}

/// What flows around the first and around the second place of a run in one step: as a vector, and
/// in magnitude.
pub type Flows = [(DVec3, f64); 2];

/// A run of several steps, with probes at one place and later at another.
pub struct ProbedRun<P> {
    pub crew: Crew,
    pub steps: u64,
    pub from: P,
    pub to: P,
}

impl<P: Copy + Debug + PartialEq> ProbedRun<P> {
    /// Runs a world by its functions `run` and `run_probed`. Returns what it reports, and the
    /// probes that felt it.
    pub fn go<W>(
        &self,
        world: &mut W,
        run: fn(&mut W, u64) -> StepReport,
        run_probed: fn(&mut W, u64, &mut [Probe<P>]) -> StepReport,
    ) -> (StepReport, Vec<Probe<P>>) {
        let mut probes = Vec::new();
        let half = self.half();
        let report = match self.crew {
            Crew::Nobody => run(world, self.steps),
            Crew::Empty => run_probed(world, self.steps, &mut []),
            Crew::Standing => {
                probes.push(new(self.from));
                run_probed(world, self.steps, &mut probes)
            }
            Crew::Moving => {
                probes.extend([new(self.from), new(self.from), new(self.from)]);
                let mut report = run_probed(world, half as u64, &mut probes);
                self.turn(&mut probes);
                report += run_probed(world, self.steps - half as u64, &mut probes);
                report
            }
        };
        (report, probes)
    }

    fn half(&self) -> usize {
        (self.steps / 2) as usize
    }

    /// Half time: a move keeps all sums, and a reset clears all but the place.
    fn turn(&self, probes: &mut Vec<Probe<P>>) {
        let before = probes[1].clone();
        for probe in &mut probes[1..] {
            probe.move_to(self.to);
            assert_eq!(*probe.place(), self.to);
            assert_eq!(
                (probe.impulse(), probe.exposure()),
                (before.impulse(), before.exposure()),
                "kept on the move"
            );
            assert_eq!(probe.steps(), before.steps());
        }
        probes[2].reset();
        assert_eq!(
            (probes[2].impulse(), probes[2].mean_force()),
            (DVec3::ZERO, DVec3::ZERO),
            "forgotten"
        );
        probes.push(new(self.to));
        assert_eq!(probes[2], probes[3], "one that forgot is as good as new");
    }

    /// Holds the probes against the flows of all steps.
    pub fn check(&self, probes: &[Probe<P>], flows: &[Flows]) {
        let (early, late) = flows.split_at(self.half());
        let [at_first, then] = [0, 1].map(|place| move |flows: &Flows| flows[place]);
        match probes {
            [standing] => check(standing, flows.iter().map(at_first)),
            [standing, moving, forgetful, fresh] => {
                check(standing, flows.iter().map(at_first));
                check(moving, early.iter().map(at_first).chain(late.iter().map(then)));
                check(fresh, late.iter().map(then));
                assert_eq!(forgetful, fresh);
            }
            _ => assert!(matches!(self.crew, Crew::Nobody | Crew::Empty)),
        }
    }
}

fn new<P>(place: P) -> Probe<P> {
    Probe::new(place, CROSS_SECTION).expect("a cross-section")
}

fn check<P: Debug>(probe: &Probe<P>, flows: impl Iterator<Item = (DVec3, f64)>) {
    let (mut impulse, mut exposure, mut most, mut steps) = (DVec3::ZERO, 0.0, 0.0, 0);
    for (flow, magnitude) in flows {
        impulse += flow * CROSS_SECTION;
        exposure += magnitude;
        // Step by step like the impulse, so that both lose the same digits where hardly any are
        // left.
        most += magnitude * CROSS_SECTION;
        steps += 1;
    }
    assert_eq!(
        (probe.impulse(), probe.exposure(), probe.steps()),
        (impulse, exposure, steps),
        "{probe:?}"
    );
    let mean = if steps == 0 { DVec3::ZERO } else { impulse / steps as f64 };
    assert_eq!(probe.mean_force(), mean);
    // Axis by axis: the squares of what hardly flows have no digits left.
    assert!(
        impulse.abs().max_element() <= most * (1.0 + 1e-9),
        "an impulse of {impulse} from flows of {exposure}"
    );
}
