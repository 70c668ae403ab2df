//! The laws by name, each checked after every edit and tick.

use crate::case::Case;
use floodplain::glam::IVec3;
use floodplain::snapshot::Saved;
use floodplain::water::{Edge, Edit, FULL, Fixture, Ledger, Voxel, WaterWorld};
use floodplain::{Cube, Shape};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The names of the laws, in the order in which they are checked, with what each says.
pub const LAWS: [(&str, &str); 12] = [
    ("panic", "no edit and no tick panics"),
    ("refused", "a refused edit changes nothing"),
    ("ledger", "the units in the cells are the ledger's total"),
    ("validate", "`WaterWorld::validate` finds no broken law"),
    (
        "account",
        "a tick enters only what springs, taps, drains, edges, sea and evaporation may move",
    ),
    ("ground", "a tick leaves ground and springs, and springs are full after it"),
    ("current", "no current is above the throughput"),
    ("changes", "a tick lists every cell that it changes"),
    ("awake", "a world that sleeps is one that is woken before each tick"),
    ("slices", "a tick in slices is the tick in one call"),
    ("saved", "a world that is saved and loaded now and then goes on as if it were not"),
    ("rest", "a closed world without springs comes to rest"),
];

/// The ticks that a closed world has to come to rest.
const REST: u64 = 1500;
/// The ticks between two times at which a world is saved and loaded.
const SAVE_EVERY: u64 = 3;
/// The cells of a slice.
const SLICE: u64 = 23;

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub law: &'static str,
    /// The ticks done when it was seen.
    pub tick: u64,
    /// In words.
    pub what: String,
    /// Where, if it is about a cell.
    pub cell: Option<IVec3>,
}

/// Checks one law, or all of them, and returns the first that is broken.
pub fn check(case: &Case, only: Option<&str>) -> Option<Broken> {
    let watch = Watch { only, tick: 0 };
    let mut tick = 0;
    let run = AssertUnwindSafe(|| watched(case, watch, &mut tick));
    match catch_unwind(run) {
        Ok(result) => result.err(),
        Err(_) if only.is_none_or(|only| only == "panic") => {
            Some(Broken { law: "panic", tick, what: "it panics".to_owned(), cell: None })
        }
        Err(_) => None,
    }
}

/// What is looked at, and when.
#[derive(Clone, Copy)]
struct Watch<'l> {
    only: Option<&'l str>,
    tick: u64,
}

impl Watch<'_> {
    fn wants(self, law: &str) -> bool {
        self.only.is_none_or(|only| only == law)
    }

    /// Returns that a law is broken, if it is one to look at and does not hold.
    fn expect(
        self,
        law: &'static str,
        holds: bool,
        what: impl FnOnce() -> (String, Option<IVec3>),
    ) -> Result<(), Broken> {
        if holds || !self.wants(law) {
            return Ok(());
        }
        let (what, cell) = what();
        Err(Broken { law, tick: self.tick, what, cell })
    }
}

/// A world that must come to the same as the one without its name. A step that fails says so.
struct Twin {
    law: &'static str,
    world: WaterWorld,
    step: Step,
}

type Step = fn(&mut WaterWorld) -> Result<(), String>;

fn twins(case: &Case, watch: Watch<'_>) -> Vec<Twin> {
    let steps: [(&'static str, Step); 3] = [
        ("awake", |world| {
            world.wake_all();
            world.step();
            Ok(())
        }),
        ("slices", |world| {
            while !world.step_within(SLICE).finished {}
            Ok(())
        }),
        ("saved", |world| {
            if world.ticks().is_multiple_of(SAVE_EVERY) {
                *world = WaterWorld::load(&world.save()).map_err(|error| error.to_string())?;
            }
            world.step();
            Ok(())
        }),
    ];
    let wanted = steps.into_iter().filter(|(law, _)| watch.wants(law));
    wanted.map(|(law, step)| Twin { law, world: case.world(), step }).collect()
}

fn watched(case: &Case, mut watch: Watch<'_>, tick: &mut u64) -> Result<(), Broken> {
    let (mut world, mut twins) = (case.world(), twins(case, watch));
    let mut edits = case.edits.iter().peekable();
    loop {
        watch.tick = *tick;
        while let Some((_, edit)) = edits.next_if(|edit| edit.0 <= *tick) {
            make(&mut world, edit, watch)?;
            twins.iter_mut().for_each(|twin| drop(twin.world.apply(edit.clone())));
        }
        if *tick == case.ticks {
            break;
        }
        watch.tick = *tick + 1;
        step(&mut world, watch)?;
        for twin in &mut twins {
            if let Err(what) = (twin.step)(&mut twin.world) {
                watch.expect(twin.law, false, || (what, None))?;
            }
            same(&world, twin, watch)?;
        }
        *tick += 1;
    }
    if watch.wants("rest") && is_closed(&world) {
        world.run(REST);
        let what = || (format!("{} cells are awake", world.awake_cells()), None);
        watch.expect("rest", world.is_at_rest(), what)?;
    }
    Ok(())
}

/// Makes an edit; a refused one changes nothing.
fn make(world: &mut WaterWorld, edit: &Edit, watch: Watch<'_>) -> Result<(), Broken> {
    let before = watch.wants("refused").then(|| world.state_hash());
    if let Err(error) = world.apply(edit.clone())
        && let Some(before) = before
    {
        let what = || (format!("the edit {edit:?} was refused ({error}), and did something"), None);
        watch.expect("refused", world.state_hash() == before, what)?;
    }
    between_ticks(world, watch)
}

/// What holds after each edit and tick.
fn between_ticks(world: &WaterWorld, watch: Watch<'_>) -> Result<(), Broken> {
    if watch.wants("ledger") {
        let counted: u64 = world.chunks().map(|(_, chunk)| chunk.units()).sum();
        let what =
            || (format!("{counted} units in the cells, the ledger has {}", world.total()), None);
        watch.expect("ledger", counted == world.ledger().total(), what)?;
    }
    if watch.wants("validate")
        && let Err(law) = world.validate()
    {
        let cell = cell_in(&format!("{law:?}"));
        watch.expect("validate", false, || (law.to_string(), cell))?;
    }
    Ok(())
}

/// Returns the first cell that a violation names.
fn cell_in(words: &str) -> Option<IVec3> {
    let (_, after) = words.split_once("IVec3(")?;
    let mut axes = after.split(')').next()?.split(',').map(|axis| axis.trim().parse().ok());
    Some(IVec3::new(axes.next()??, axes.next()??, axes.next()??))
}

/// The cells of a world within its bounds, in the same order in worlds with the same chunks.
type Cells = Vec<(IVec3, Voxel)>;

fn cells(world: &WaterWorld) -> Cells {
    let mut all = Vec::new();
    for (position, chunk) in world.chunks() {
        let Some(region) = Cube::region_of(position).intersection(&world.bounds()) else {
            continue;
        };
        let look = |cell: IVec3| (cell, chunk.get(Cube::index_of(cell)));
        all.extend(region.positions().map(look));
    }
    all
}

/// Does a tick, with what must hold of it.
fn step(world: &mut WaterWorld, watch: Watch<'_>) -> Result<(), Broken> {
    let looks = ["account", "ground", "changes", "current"].iter().any(|law| watch.wants(law));
    let before = if looks { cells(world) } else { Cells::new() };
    let ledger = world.ledger();
    if watch.wants("changes") {
        world.take_all_changes();
    }
    world.step();
    if looks {
        let after = cells(world);
        account(world, &ledger, &after, watch)?;
        ground(&before, &after, watch)?;
        if watch.wants("changes") {
            changes(world, &before, &after, watch)?;
        }
        if watch.wants("current") {
            let most = i32::from(world.rules().throughput);
            let is_fast = |&cell: &IVec3| world.current(cell).abs().max_element() > most;
            let fast = after.iter().map(|&(cell, _)| cell).find(is_fast);
            let what = || ("a current above the throughput".to_owned(), fast);
            watch.expect("current", fast.is_none(), what)?;
        }
    }
    between_ticks(world, watch)
}

fn is_spring(voxel: &Voxel) -> bool {
    voxel.cell().is_some_and(|cell| cell.is_source())
}

/// A tick changes only the entries that it may.
fn account(
    world: &WaterWorld,
    before: &Ledger,
    cells: &Cells,
    watch: Watch<'_>,
) -> Result<(), Broken> {
    let (now, rules) = (world.ledger(), world.rules());
    let springs = cells.iter().filter(|(_, voxel)| is_spring(voxel)).count() as u64;
    let rates = |is_drain: bool| -> u64 {
        let rate = |fixture| match fixture {
            Fixture::Tap(rate) if !is_drain => u64::from(rate),
            Fixture::Drain(rate) if is_drain => u64::from(rate),
            _ => 0,
        };
        world.fixtures().map(|(_, fixture)| rate(fixture)).sum()
    };
    let drains = |edge: &Edge| matches!(edge, Edge::Drain | Edge::Level(_));
    let edges = rules.edges.outer.iter().chain([&rules.edges.unloaded]).any(drains);
    let touches_sea = cells.iter().any(|(_, voxel)| voxel.is_sea()) || edges;
    let supply = springs * u64::from(rules.source_supply.min(rules.throughput)) + rates(false);
    let evaporates = rules.evaporation > 0.0 || rules.film_evaporation > 0.0;
    let drained = now.drained - before.drained;
    for (holds, what) in [
        (now.placed == before.placed, "it enters units as placed"),
        (now.removed == before.removed, "it enters units as removed"),
        (now.injected - before.injected <= supply, "it injects more than springs and taps supply"),
        (edges || drained <= rates(true), "it drains where no edge drains"),
        (evaporates || now.evaporated == before.evaporated, "it evaporates against the rules"),
        (
            touches_sea || now.from_sea + now.into_sea == before.from_sea + before.into_sea,
            "a sea that is none moves units",
        ),
    ] {
        watch.expect("account", holds, || (what.to_owned(), None))?;
    }
    Ok(())
}

/// Ground and springs are as before, and springs are full.
fn ground(before: &Cells, after: &Cells, watch: Watch<'_>) -> Result<(), Broken> {
    let differs = before.iter().zip(after).find(|((_, voxel), (_, now))| {
        now.is_solid() != voxel.is_solid() || is_spring(now) != is_spring(voxel)
    });
    let cell = differs.map(|(&(cell, _), _)| cell);
    watch.expect("ground", cell.is_none(), || ("it changes ground or springs".to_owned(), cell))?;
    let low = after.iter().find(|(_, voxel)| is_spring(voxel) && voxel.height() < FULL);
    let cell = low.map(|&(cell, _)| cell);
    watch.expect("ground", cell.is_none(), || ("a spring is not full".to_owned(), cell))
}

/// Every cell that is another one is listed.
fn changes(
    world: &mut WaterWorld,
    before: &Cells,
    after: &Cells,
    watch: Watch<'_>,
) -> Result<(), Broken> {
    let listed: BTreeMap<_, _> = world
        .take_all_changes()
        .into_iter()
        .map(|changes| (changes.chunk.to_array(), changes.cells))
        .collect();
    let missed = before.iter().zip(after).find(|&(&(cell, before), &(_, now))| {
        let chunk = listed.get(&Cube::chunk_of(cell).to_array());
        let is_listed = chunk.is_some_and(|cells| cells.contains(Cube::index_of(cell)));
        now != before && !is_listed
    });
    let cell = missed.map(|(&(cell, _), _)| cell);
    watch.expect("changes", cell.is_none(), || ("a change is not listed".to_owned(), cell))
}

/// A twin has the same state.
fn same(world: &WaterWorld, twin: &Twin, watch: Watch<'_>) -> Result<(), Broken> {
    let is_same = twin.world.state_hash() == world.state_hash();
    watch.expect(twin.law, is_same, || {
        let (one, other) = (cells(world), cells(&twin.world));
        let cell = one.iter().zip(&other).find(|(one, other)| one != other);
        let cell = cell.map(|(&(cell, _), _)| cell);
        ("the other world differs".to_owned(), cell)
    })
}

/// Returns whether nothing comes in or goes out, so that all must come to rest.
fn is_closed(world: &WaterWorld) -> bool {
    let rules = world.rules();
    let walls = |edge: &Edge| matches!(edge, Edge::Wall | Edge::Held);
    rules.evaporation == 0.0
        && rules.film_evaporation == 0.0
        && rules.edges.outer.iter().chain([&rules.edges.unloaded]).all(walls)
        && rules.pools
        && world.fixtures().next().is_none()
        && cells(world).iter().all(|(_, voxel)| !is_spring(voxel) && !voxel.is_sea())
        && world.chunks().all(|(position, _)| !world.is_frozen(position))
}
