//! Steady flow from rain to drains: it is reached exactly, ground sleeps in it, and the ledger goes
//! on. A failure prints the seed that replays it.

use super::random::{counted, world};
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::humidity::{Border, Cell, HumidityWorld, Rules, UNITS};
use floodplain::{ChunkPos, Cube, Face, FieldShape, Region, Sheet};

fn region() -> Region {
    Region::new(IVec3::new(-4, 0, 0), IVec3::new(3, 7, 1))
}

/// Rules with drains at some faces, in which moisture falls or not.
fn rules(rng: &mut Rng) -> Rules {
    let drain = [Face::East, Face::Down, Face::Down][rng.usize(..3)];
    let least_flow = [1.0 / 65_536.0, 0.25][rng.usize(..2)];
    let fall = [0.0, 1.0 / 32.0][rng.usize(..2)];
    Rules { least_flow, fall, ..Rules::default() }.with_border(drain, Border::Drain)
}

/// Soils of several kinds with rock, rain on some cells of the top, all else dry.
fn dry<S: FieldShape>(rules: Rules, rng: &mut Rng) -> HumidityWorld<S> {
    let mut world = world::<S>(rules, region());
    let soils = [0.5, 1.0, 1.0, 2.0];
    for at in region().positions() {
        let impermeability = soils[rng.usize(..4)];
        let cell = match rng.u8(..10) {
            0 => Cell::ROCK,
            1..5 if at.y == region().max().y => Cell::rain(rng.f64() * 900.0, impermeability),
            _ => Cell::soil(0.0, impermeability),
        };
        world.set_cell(at, cell).unwrap();
    }
    world
}

fn cells<S: FieldShape>(world: &HumidityWorld<S>) -> Vec<f64> {
    region().positions().map(|at| world.humidity(at)).collect()
}

/// The flow from rain to drains went up and down by a few units for ever.
fn dry_ground_gets_wetter_until_a_steady_flow_rests_in<S: FieldShape>() {
    for seed in 0..2 {
        let mut rng = Rng::with_seed(seed);
        let mut world = dry::<S>(rules(&mut rng), &mut rng);
        let mut steps = 0;
        while !world.is_at_rest() {
            let before = cells(&world);
            world.run(1 + steps / 20);
            steps = world.ticks();
            let now = cells(&world);
            assert!(before.iter().zip(&now).all(|(old, new)| old <= new), "seed {seed}: {steps}");
            assert!(steps < 50_000, "seed {seed}");
        }
        let before = world.ledger().unwrap();
        let hash = cells(&world);
        let mut awake = dry::<S>(*world.rules(), &mut {
            let mut rng = Rng::with_seed(seed);
            self::rules(&mut rng);
            rng
        });
        awake.run(world.ticks());
        assert_eq!(awake.ledger(), world.ledger());
        // Step by step, many at once, and never asleep.
        for _ in 0..10 {
            awake.wake_all();
            awake.step();
        }
        assert_eq!(world.run(9).visited, 0, "seed {seed}");
        world.step();
        let after = world.ledger().unwrap();
        assert_eq!((awake.ledger(), cells(&awake)), (Some(after), hash), "seed {seed}");
        let drained = after.drained + after.runoff - before.drained - before.runoff;
        assert_eq!(after.rained - before.rained, drained as i128, "seed {seed}");
        assert_eq!(counted(&world), after.total() as i128, "seed {seed}");
        assert_eq!((world.validate(), awake.validate()), (Ok(()), Ok(())), "seed {seed}");
        assert_eq!(world.state_hash(), awake.state_hash());
    }
}

#[test]
fn dry_ground_gets_wetter_until_a_steady_flow_rests() {
    dry_ground_gets_wetter_until_a_steady_flow_rests_in::<Sheet>();
    dry_ground_gets_wetter_until_a_steady_flow_rests_in::<Cube>();
}

/// Ground that is wetter in each cell than its twin is so after each step.
fn wetter_ground_stays_wetter_in<S: FieldShape>() {
    for seed in 0..20 {
        let mut rng = Rng::with_seed(seed);
        let rules = rules(&mut rng);
        let same = rng.clone();
        let [mut drier, mut wetter] = [(); 2].map(|()| dry::<S>(rules, &mut same.clone()));
        let flow = f64::from(rules.least_flow);
        for at in region().positions() {
            if drier.is_rock(at) || drier.is_rain(at) {
                continue;
            }
            // As wet but for a few cells, or hardly any wetter, or by far.
            let held = rng.f64() * [3.0, 900.0][rng.usize(..2)];
            let more = [0.0, flow, 2.0 * flow, 50.0][rng.usize(..4)];
            drier.set_humidity(at, held).unwrap();
            let held = drier.humidity(at);
            wetter.set_humidity(at, held + more).unwrap();
        }
        for step in 0..60 {
            drier.step();
            wetter.step();
            let pairs = cells(&drier).into_iter().zip(cells(&wetter));
            let less = pairs.filter(|(drier, wetter)| drier > wetter).count();
            assert_eq!(less, 0, "seed {seed}, step {step}");
        }
    }
}

#[test]
fn wetter_ground_stays_wetter() {
    wetter_ground_stays_wetter_in::<Sheet>();
    wetter_ground_stays_wetter_in::<Cube>();
}

/// An edit ends what a chunk entered while it slept, as does taking the chunk out.
#[test]
fn steady_flow_ends_when_its_ground_is_removed() {
    let rules = Rules::default().with_border(Face::East, Border::Drain);
    let row = Region::new(IVec3::ZERO, IVec3::new(3 * 64 - 1, 0, 0));
    let flowing = || {
        let mut world = world::<Sheet>(rules, row);
        for at in row.positions() {
            // Of 64 units, between cells of impermeability 1, two flow in a step, also at the end.
            let humidity = f64::from(64 * (row.max().x + 1 - at.x)) / f64::from(UNITS);
            let is_first = at.x == 0;
            let cell = if is_first { Cell::rain } else { Cell::soil };
            world.set_cell(at, cell(humidity, 1.0)).unwrap();
        }
        world.run(5);
        assert!(world.is_at_rest());
        world
    };
    let gone =
        |world: &mut HumidityWorld<Sheet>| _ = world.remove_chunk(ChunkPos::new(2, 0, 0)).unwrap();
    let rock = |world: &mut HumidityWorld<Sheet>| {
        world.set_rock(world.bounds().max()).unwrap();
    };
    let edits: [fn(&mut HumidityWorld<Sheet>); 2] = [gone, rock];
    for edit in edits {
        let mut world = flowing();
        let before = world.ledger().unwrap().drained;
        world.step();
        let held = world.ledger().unwrap().drained;
        assert!(held > before);
        edit(&mut world);
        world.run(3);
        assert_eq!(world.ledger().unwrap().drained, held);
        assert_eq!(world.validate(), Ok(()));
    }
}
