//! Water over regions: a storm that moves over a generated valley, and springs at its head. Each
//! rank owns some regions, and after every tick the ranks send each other the messages between
//! regions. Regions are part of the rules, so any number of ranks has the same world, whichever
//! owns which region.
//!
//! | file | what |
//! |---|---|
//! | `scene` | regions, ground and weather |
//! | `records` | regions that move from rank to rank, and are saved |
//! | `map` | the picture |

mod map;
mod records;
mod scene;

use crate::exchange::Ranks;
use crate::faults::Fault;
use crate::options::Options;
use crate::saves;
use crate::wire::Reader;
use floodplain::ColumnPos;
use floodplain::glam::IVec2;
use floodplain::parts::Plan;
use floodplain::regions::{FaceMessage, RegionWorld};
use floodplain::water::Ledger;
use scene::Valley;
use std::time::Instant;

/// One rank's part of the valley.
struct Basin {
    valley: Valley,
    ranks: Ranks,
    /// The owner of each region, which stands in it as the column of the same x and z.
    plan: Plan,
    world: RegionWorld,
    /// Regions that came from other ranks.
    moved: u64,
    /// The tick of the save that this run began from, or 0.
    begun: u64,
}

/// Runs the scene, and prints the line of results on rank 0.
pub fn run(options: &Options, ranks: Ranks) -> Result<(), Fault> {
    options.write_process_id(ranks.me())?;
    let begin = Instant::now();
    let mut basin = Basin::begin(options, ranks)?;
    while basin.world.ticks() < options.ticks {
        let tick = basin.world.ticks();
        options.fail_if_asked(basin.ranks.me(), tick..tick + 1);
        basin.valley.weather(&mut basin.world)?;
        basin.step()?;
        let tick = basin.world.ticks();
        if options.balance.is_some_and(|every| tick.is_multiple_of(every)) {
            basin.balance()?;
        }
        if options.save_every.is_some_and(|every| tick.is_multiple_of(every)) {
            let part = basin.part()?;
            saves::save_part(options, &mut basin.ranks, tick, &part)?;
        }
    }
    basin.report(options, begin)
}

/// Returns where a region stands in a plan.
fn place_of(region: IVec2) -> ColumnPos {
    ColumnPos::new(region.x, region.y)
}

impl Basin {
    /// Returns this rank's regions: of the newest save, or generated.
    fn begin(options: &Options, mut ranks: Ranks) -> Result<Basin, Fault> {
        let valley = Valley { size: options.size };
        let all = valley.regions() * valley.regions();
        if ranks.count() > all as usize {
            let ranks = ranks.count();
            return Err(Fault::Options(format!("{ranks} ranks, and {all} regions: add --size")));
        }
        let plan = Plan::stripes(valley.places(), ranks.count())?;
        let save = saves::to_resume(options, &mut ranks)?;
        let world = valley.empty()?;
        let mut basin = Basin { valley, ranks, plan, world, moved: 0, begun: 0 };
        match save {
            Some(save) => basin.load(&save, &options.world_name())?,
            None => basin.fill()?,
        }
        Ok(basin)
    }

    fn fill(&mut self) -> Result<(), Fault> {
        let me = self.ranks.me();
        for (place, _) in self.plan.columns().filter(|&(_, owner)| owner == me) {
            self.valley.fill(&mut self.world, IVec2::new(place.x, place.z))?;
        }
        Ok(())
    }

    /// Runs a tick, and hands the messages of the regions on: here, or to their ranks.
    fn step(&mut self) -> Result<(), Fault> {
        let (_, messages) = self.world.advance();
        let mut for_ranks = vec![Vec::new(); self.ranks.count()];
        for message in &messages {
            if let Some(owner) = self.plan.owner(place_of(message.to)) {
                put(&mut for_ranks[owner], message);
            }
        }
        for bytes in self.ranks.exchange_all(for_ranks) {
            let mut from = Reader(&bytes);
            while !from.0.is_empty() {
                self.world.receive(&take(&mut from)?)?;
            }
        }
        Ok(())
    }

    /// Prints the sums over all ranks on rank 0, and draws the picture there.
    fn report(&mut self, options: &Options, begin: Instant) -> Result<(), Fault> {
        let [hash, total, placed, injected, drained, evaporated, messages, bytes, moved] =
            self.sums()?;
        if let Some(out) = &options.out {
            let maps = self.ranks.gather(map::maps_of(self.valley, &self.world));
            if self.ranks.me() == 0 {
                std::fs::create_dir_all(out)?;
                map::draw(self.valley, &maps)?.write(&out.join("valley.png"))?;
            }
        }
        if self.ranks.me() == 0 {
            println!(
                "{{\"scene\":\"Valley\",\"ranks\":{},\"world\":{{\"ticks\":{},\"hash\":\"{hash:016x}\",\
                 \"total\":{total},\"placed\":{placed},\"injected\":{injected},\"drained\":{drained},\
                 \"evaporated\":{evaporated}}},\"messages\":{messages},\"bytes\":{bytes},\
                 \"regions_moved\":{moved},\"from\":{},\"seconds\":{:.3}}}",
                self.ranks.count(),
                self.world.ticks(),
                self.begun,
                begin.elapsed().as_secs_f64()
            );
        }
        Ok(())
    }

    /// Returns the sums over all ranks: hash, units, four fields of the ledger, messages and bytes,
    /// and regions that have moved.
    fn sums(&mut self) -> Result<[u64; 9], Fault> {
        let Ledger { placed, injected, drained, evaporated, .. } = self.world.ledger();
        let [hash, total] = [self.world.state_hash(), self.world.total()];
        let (messages, bytes) = (self.ranks.messages, self.ranks.bytes);
        let numbers =
            [hash, total, placed, injected, drained, evaporated, messages, bytes, self.moved];
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut sums = [0_u64; 9];
        for bytes in self.ranks.gather(bytes) {
            let mut from = Reader(&bytes);
            for sum in &mut sums {
                *sum = sum.wrapping_add(from.u64()?);
            }
        }
        Ok(sums)
    }
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
