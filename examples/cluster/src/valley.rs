//! Water over regions: a storm over a generated valley, then springs at its head. Each rank owns
//! some regions, and after every tick the ranks send each other what the regions tell their
//! neighbours. Regions are part of the rules, so any number of ranks has the same world.

use crate::exchange::Ranks;
use crate::faults::Fault;
use crate::options::Options;
use crate::picture::{Canvas, OWNERS, heat};
use crate::wire::Reader;
use floodplain::glam::{IVec2, IVec3};
use floodplain::regions::{FaceMessage, RegionWorld};
use floodplain::water::{Edges, Edit, Ledger, Rules, Voxel};
use floodplain::{Chunk, ColumnPos, Cube, Region, Shape};
use std::time::Instant;

/// The cells along the side of a region, and its columns of chunks.
const SIDE: i32 = 64;
const COLUMNS: i32 = SIDE / 16;

/// The height of the world in chunks.
const HEIGHT: i32 = 3;

/// Drops in a tick and region while it rains, and the units of each.
const DROPS: u32 = 12;
const DROP: u32 = 3;

/// Pixels of a cell.
const PIXELS: usize = 4;

/// The valley: its size in columns, and the rank that owns each region.
struct Valley {
    size: i32,
    ranks: usize,
}

impl Valley {
    /// Returns the regions along each axis.
    fn regions(&self) -> i32 {
        (self.size + COLUMNS - 1) / COLUMNS
    }

    fn owner(&self, region: IVec2) -> usize {
        let all = (self.regions() * self.regions()) as usize;
        (region.y * self.regions() + region.x) as usize * self.ranks / all
    }

    fn cells(&self) -> i32 {
        16 * self.size
    }

    /// Returns the y of the highest ground: a valley that winds and falls towards the east, with a
    /// lake in its middle and rough slopes.
    fn ground(&self, x: i32, z: i32) -> i32 {
        let wide = f64::from(self.cells());
        let (along, across) = (f64::from(x) / wide, f64::from(z) / wide);
        let bed = 0.5 + 0.2 * (along * 9.0).sin();
        let slope = 26.0 * (1.0 - along) * 0.5 + 50.0 * (across - bed).abs().powf(1.3);
        let basin = 9.0 * (-60.0 * ((along - 0.55).powi(2) + (across - bed).powi(2))).exp();
        let rough = (hash(x / 5, z / 5, 0) % 3) as f64;
        (4.0 + slope - basin + rough).clamp(1.0, f64::from(16 * HEIGHT - 4)) as i32
    }
}

/// Returns a number that depends on a place and a time only.
fn hash(x: i32, z: i32, time: u64) -> u64 {
    let mut mixed =
        (x as u64) << 32 ^ u64::from(z as u32) ^ time.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        mixed = (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    mixed ^ mixed >> 29
}

/// Runs the scene, and prints the line of results on rank 0.
pub fn run(options: &Options, mut ranks: Ranks) -> Result<(), Fault> {
    let begin = Instant::now();
    let valley = Valley { size: options.size, ranks: ranks.count() };
    let all = valley.regions() * valley.regions();
    if ranks.count() > all as usize {
        return Err(Fault::Options(format!(
            "{} ranks, and {all} regions: add --size",
            ranks.count()
        )));
    }
    let mut world = begin_world(&valley, ranks.me())?;
    for tick in 0..options.ticks {
        options.fail_if_asked(ranks.me(), tick..tick + 1);
        weather(&valley, &mut world, tick, options.ticks)?;
        step(&valley, &mut world, &mut ranks)?;
    }
    report(options, &valley, &world, &mut ranks, begin)
}

/// Returns the regions of a rank, with their ground.
fn begin_world(valley: &Valley, me: usize) -> Result<RegionWorld, Fault> {
    let bounds = IVec3::new(valley.cells(), 16 * HEIGHT, valley.cells());
    let rules = Rules { edges: Edges::DRAINING_SIDES, ..Rules::rain() };
    let mut world = RegionWorld::new(7, rules, Region::new(IVec3::ZERO, bounds - 1), SIDE)?;
    for x in 0..valley.size {
        for z in (0..valley.size).filter(|z| valley.owner(IVec2::new(x, *z) / COLUMNS) == me) {
            for y in 0..HEIGHT {
                let position = ColumnPos::new(x, z).chunk(y);
                let chunk = Chunk::from_cells(&core::array::from_fn(|index| {
                    let cell = Cube::cell_at(position, index);
                    let is_ground = cell.y <= valley.ground(cell.x, cell.z);
                    if is_ground { Voxel::SOLID } else { Voxel::OPEN }
                }));
                world.apply(Edit::InsertChunk { position, chunk })?;
            }
        }
    }
    Ok(world)
}

/// Lets it rain on the regions here for two thirds of the time; then springs flow at the valley's
/// head.
fn weather(valley: &Valley, world: &mut RegionWorld, tick: u64, ticks: u64) -> Result<(), Fault> {
    let here: Vec<IVec2> = world.regions().collect();
    for region in here {
        let first = region * SIDE;
        for drop in 0..if 3 * tick < 2 * ticks { DROPS } else { 0 } {
            let random = hash(first.x, first.y, tick << 8 | u64::from(drop));
            let at = first + IVec2::new((random % 64) as i32, (random >> 8 & 63) as i32);
            if at.x < valley.cells() && at.y < valley.cells() {
                let cell = IVec3::new(at.x, valley.ground(at.x, at.y) + 1, at.y);
                world.apply(Edit::Pour { cell, units: DROP })?;
            }
        }
    }
    if tick == ticks / 3 {
        for z in 0..3 {
            let (x, z) = (3, valley.cells() / 2 + 6 + z);
            // Above the ponds that the rain has left.
            let cell = IVec3::new(x, valley.ground(x, z) + 4, z);
            if world.region_of(cell).is_some() {
                world.apply(Edit::AddSource(cell))?;
            }
        }
    }
    Ok(())
}

/// Runs a tick, and hands the messages of the regions on: here, or to their ranks.
fn step(valley: &Valley, world: &mut RegionWorld, ranks: &mut Ranks) -> Result<(), Fault> {
    let (_, messages) = world.advance();
    let mut for_ranks = vec![Vec::new(); ranks.count()];
    for message in &messages {
        put(&mut for_ranks[valley.owner(message.to)], message);
    }
    for bytes in ranks.exchange_all(for_ranks) {
        let mut from = Reader(&bytes);
        while !from.0.is_empty() {
            world.receive(&take(&mut from)?)?;
        }
    }
    Ok(())
}

/// Appends a message: both regions, the number of bytes, the bytes.
fn put(out: &mut Vec<u8>, message: &FaceMessage) {
    for axis in message.from.to_array().into_iter().chain(message.to.to_array()) {
        out.extend(axis.to_le_bytes());
    }
    out.extend((message.bytes.len() as u32).to_le_bytes());
    out.extend(&message.bytes);
}

fn take(from: &mut Reader<'_>) -> Result<FaceMessage, Fault> {
    let mut region =
        || -> Result<IVec2, Fault> { Ok(IVec2::new(from.u32()? as i32, from.u32()? as i32)) };
    let (sender, to) = (region()?, region()?);
    let length = from.u32()? as usize;
    Ok(FaceMessage { from: sender, to, bytes: from.bytes(length)?.to_vec() })
}

/// Prints the sums over all ranks on rank 0, and draws the picture there.
fn report(
    options: &Options,
    valley: &Valley,
    world: &RegionWorld,
    ranks: &mut Ranks,
    begin: Instant,
) -> Result<(), Fault> {
    let [hash, total, placed, injected, drained, evaporated, messages, bytes] = sums(world, ranks)?;
    if let Some(out) = &options.out {
        let maps = ranks.gather(maps_of(valley, world));
        if ranks.me() == 0 {
            std::fs::create_dir_all(out)?;
            draw(valley, &maps)?.write(&out.join("valley.png"))?;
        }
    }
    if ranks.me() == 0 {
        println!(
            "{{\"scene\":\"Valley\",\"ranks\":{},\"world\":{{\"ticks\":{},\"hash\":\"{hash:016x}\",\
             \"total\":{total},\"placed\":{placed},\"injected\":{injected},\"drained\":{drained},\
             \"evaporated\":{evaporated}}},\"messages\":{messages},\"bytes\":{bytes},\
             \"seconds\":{:.3}}}",
            ranks.count(),
            world.ticks(),
            begin.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// Returns the sums over all ranks: hash, units, four fields of the ledger, messages and bytes.
fn sums(world: &RegionWorld, ranks: &mut Ranks) -> Result<[u64; 8], Fault> {
    let Ledger { placed, injected, drained, evaporated, .. } = world.ledger();
    let [hash, total] = [world.state_hash(), world.total()];
    let numbers = [hash, total, placed, injected, drained, evaporated, ranks.messages, ranks.bytes];
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut sums = [0_u64; 8];
    for bytes in ranks.gather(bytes) {
        let mut from = Reader(&bytes);
        for sum in &mut sums {
            *sum = sum.wrapping_add(from.u64()?);
        }
    }
    Ok(sums)
}

/// Returns the regions here as bytes: where each is, its awake cells, and the units over each
/// column of its cells.
fn maps_of(valley: &Valley, world: &RegionWorld) -> Vec<u8> {
    let mut out = Vec::new();
    for region in world.regions() {
        let first = region * SIDE;
        let Some(water) = world.region_of(IVec3::new(first.x, 0, first.y)) else { continue };
        out.extend((region.x as u32).to_le_bytes());
        out.extend((region.y as u32).to_le_bytes());
        out.extend((water.awake_cells() as u32).to_le_bytes());
        for at in 0..SIDE * SIDE {
            let (x, z) = (first.x + at % SIDE, first.y + at / SIDE);
            let over = valley.ground(x, z) + 1..16 * HEIGHT;
            let units: u32 = over.map(|y| u32::from(water.units(IVec3::new(x, y, z)))).sum();
            out.extend(units.to_le_bytes());
        }
    }
    out
}

/// Draws the valley with its water, and beside it the owner and the awake cells of each region.
fn draw(valley: &Valley, maps: &[Vec<u8>]) -> Result<Canvas, Fault> {
    let wide = PIXELS * valley.cells() as usize;
    let block = PIXELS * SIDE as usize / 2;
    let beside = block * valley.regions() as usize;
    let mut canvas = Canvas::new(wide + beside + 24, wide.max(2 * beside + 24));
    for (rank, bytes) in maps.iter().enumerate() {
        let mut from = Reader(bytes);
        while !from.0.is_empty() {
            let region = IVec2::new(from.u32()? as i32, from.u32()? as i32);
            let load = from.u32()?;
            let at = |down: usize| {
                (wide + 12 + block * region.x as usize, down + block * region.y as usize)
            };
            canvas.fill(at(0), (block - 1, block - 1), OWNERS[rank % OWNERS.len()]);
            canvas.fill(at(beside + 12), (block - 1, block - 1), heat(load.into(), 4096));
            for at in 0..SIDE * SIDE {
                let units = from.u32()?;
                let cell = region * SIDE + IVec2::new(at % SIDE, at / SIDE);
                if cell.x < valley.cells() && cell.y < valley.cells() {
                    let pixel = (PIXELS * cell.x as usize, PIXELS * cell.y as usize);
                    canvas.fill(pixel, (PIXELS, PIXELS), ink(valley, cell, units));
                }
            }
        }
    }
    Ok(canvas)
}

/// Returns brown ground, lighter the higher, or blue water, darker the deeper.
fn ink(valley: &Valley, cell: IVec2, units: u32) -> [u8; 3] {
    let light = (60 + 4 * valley.ground(cell.x, cell.y)).min(230) as u8;
    match units {
        0 => [light, light - light / 6, light / 2],
        _ => [60, 170_u32.saturating_sub(2 * units) as u8, 255_u32.saturating_sub(units) as u8],
    }
}
