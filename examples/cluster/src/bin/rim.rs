//! What the handling of a rim costs without a network, in processor time: a rim of soil on sheets
//! (64 cells) and on cubes (256 cells), and to find its receivers. The least of several runs.
//!
//! ```sh
//! cargo run --release --bin rim
//! ```

use floodplain::humidity::{Cell, HumidityWorld, Rules, Sweep};
use floodplain::parts::{InParts, Message, Plan};
use floodplain::{Chunk, ChunkPos, ColumnPos, Cube, FieldShape, Region, Sheet};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;

const RUNS: usize = 30;
/// Columns along an axis of the world, which has two parts.
const SIDE: i32 = 32;

/// Returns the nanoseconds of this thread that something takes.
fn time(work: impl FnOnce()) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    };
    let begin = now();
    work();
    now() - begin
}

fn least(mut run: impl FnMut() -> f64) -> f64 {
    (0..RUNS).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns the owners around a column as nine look-ups find them.
fn nine_look_ups(plan: &Plan, column: ColumnPos) -> Vec<usize> {
    let around = (-1..=1).flat_map(|x| (-1..=1).map(move |z| (x, z)));
    let owner = |(x, z)| plan.owner(ColumnPos::new(column.x + x, column.z + z));
    let mut owners: Vec<usize> = around.filter_map(owner).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

/// Prints what the rims between two parts of wet soil cost to receive.
fn rims<S: FieldShape>(name: &str, depth: i32, rules: Rules, plan: &Plan) {
    let last = [SIDE - 1, SIDE / depth - 1, depth - 1];
    let bounds = Region::new(S::region_of([0; 3].into()).min(), S::region_of(last.into()).max());
    let part = |number: usize| {
        let mut world = HumidityWorld::<S>::with_bounds(rules, bounds).expect("rules");
        for chunk in Region::new([0; 3].into(), last.into()).positions() {
            let humidity = f64::from((chunk.x + chunk.y + chunk.z) % 5) * 80.0 + 3.0;
            let soil = Chunk::uniform(Cell::soil(humidity, 1.0));
            world.insert_chunk(ChunkPos::from(chunk), soil).expect("inside");
        }
        world.divide(plan, number).expect("planned");
        world
    };
    let mut parts = [part(0), part(1)];
    let (mut count, mut bytes) = (0, 0);
    let receive = least(|| {
        let [first, second] = &mut parts;
        let sent: [Vec<Message>; 2] =
            [(&mut *first, 0), (&mut *second, 1)].map(|(part, number)| {
                let messages = part.advance(0).messages.into_iter();
                // Those at the sides of the world have no receiver.
                messages.filter(|at| plan.receivers(at.chunk, number).next().is_some()).collect()
            });
        (count, bytes) = (sent[0].len(), sent[0].iter().map(|at| at.bytes.len()).sum());
        let took = time(|| sent[0].iter().for_each(|at| second.receive(at).expect("a rim")));
        sent[1].iter().for_each(|at| first.receive(at).expect("a rim"));
        took / count.max(1) as f64
    });
    println!("{name}: {count} rims of {} bytes, {receive:.0} ns each to receive", bytes / count);
}

fn main() {
    let columns = (0..SIDE).flat_map(|x| (0..SIDE).map(move |z| ColumnPos::new(x, z)));
    let plan = Plan::stripes(columns, 2).expect("columns");
    let border: Vec<ColumnPos> = (0..SIDE).map(|z| ColumnPos::new(SIDE / 2, z)).collect();
    let each = |took: f64| took / border.len() as f64;
    let before = least(|| {
        each(time(|| {
            for &column in &border {
                black_box(nine_look_ups(&plan, column));
            }
        }))
    });
    let after = least(|| {
        each(time(|| {
            for &column in &border {
                plan.receivers(column.chunk(0), 1).for_each(|part| _ = black_box(part));
            }
        }))
    });
    println!(
        "receivers of a rim: {before:.0} ns by nine look-ups, {after:.0} ns by the plan's table"
    );
    let synchronous = Rules::with_sweep(Sweep::Synchronous);
    let conservative = Rules::with_sweep(Sweep::Conservative);
    let row = Plan::stripes((0..SIDE).map(|x| ColumnPos::new(x, 0)), 2).expect("columns");
    rims::<Sheet>("mean on sheets", 1, synchronous, &row);
    rims::<Sheet>("conservative on sheets", 1, conservative, &row);
    rims::<Cube>("conservative on cubes", SIDE, conservative, &plan);
}
