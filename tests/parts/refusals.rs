//! What does not fit is refused by name, and changes nothing.

use crate::worlds::{Divided, Drawn, Soil};
use floodplain::blast::{self, BlastWorld};
use floodplain::humidity::{self, HumidityWorld, Sweep};
use floodplain::parts::{InParts, Message, PartError, Plan};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::{Chunk, ChunkPos, ColumnPos, Region, Sheet, Simulation};
use glam::IVec3;

fn plan() -> Plan {
    Plan::stripes((0..2).map(|x| ColumnPos::new(x, 0)), 2).unwrap()
}

const BOUNDS: [i32; 3] = [127, 63, 0];

fn bounds() -> Region {
    Region::new(IVec3::ZERO, BOUNDS.into())
}

#[test]
fn worlds_that_cannot_be_divided_are_refused() {
    let rules = humidity::Rules::with_sweep(Sweep::InPlace);
    let mut soil = HumidityWorld::<Sheet>::with_bounds(rules, bounds()).unwrap();
    assert_eq!(soil.divide(&plan(), 0), Err(PartError::InPlace));
    let rules = water2d::Rules::default();
    let mut slice = Water2dWorld::with_bounds(1, rules, bounds()).unwrap();
    assert_eq!(slice.divide(&plan(), 0), Err(PartError::Settling));
    let mut endless = Water2dWorld::new(1, water2d::Rules::literal()).unwrap();
    assert_eq!(endless.divide(&plan(), 0), Ok(()), "nothing is loaded");
    let mut endless = Water2dWorld::new(1, water2d::Rules::literal()).unwrap();
    endless.insert_chunk(ChunkPos::new(2, 0, 0), Chunk::uniform(water2d::Cell::AIR)).unwrap();
    assert_eq!(endless.divide(&plan(), 0), Err(PartError::Column(ColumnPos::new(2, 0))));
    let mut air = BlastWorld::<Sheet>::new(blast::Rules::default()).unwrap();
    let error = air.divide(&plan(), 0).unwrap_err();
    assert!(matches!(error, PartError::Unbounded { planned: 2, .. }), "{error}");
    let borders = blast::Borders { x: blast::Border::Periodic, ..blast::Borders::default() };
    let mut air =
        BlastWorld::<Sheet>::with_bounds(blast::Rules::default(), bounds(), borders).unwrap();
    assert_eq!(air.divide(&plan(), 1), Err(PartError::Periodic('x')));
    let mut soil =
        HumidityWorld::<Sheet>::with_bounds(humidity::Rules::default(), bounds()).unwrap();
    assert_eq!(soil.divide(&plan(), 2), Err(PartError::Part { part: 2, parts: 2 }));
    assert_eq!(soil.divide(&plan(), 1), Ok(()));
}

/// Messages that are cut short are refused; with another byte, or about another chunk, they are
/// refused or those of another valid world.
fn damage_is_refused<W: Drawn>(worlds: u64) {
    let mut refused = 0;
    for seed in 0..worlds {
        let mut divided = Divided::<W>::draw(seed);
        if divided.parts.len() < 2 {
            continue;
        }
        for _ in 0..3 {
            divided.step();
        }
        let mut sent = Vec::new();
        for round in 0..W::ROUNDS {
            let [first, second, ..] = &mut divided.parts[..] else { unreachable!() };
            sent.extend(first.advance(round).messages);
            second.advance(round);
        }
        sent.retain(|message| divided.plan.receivers(message.chunk, 0).any(|part| part == 1));
        let second = &mut divided.parts[1];
        for Message { chunk, bytes } in sent {
            let before = second.hash_part();
            let cut = Message { chunk, bytes: bytes[..bytes.len() - 1].to_vec() };
            let error = second.receive(&cut).unwrap_err();
            assert!(matches!(error, PartError::Message { .. }), "{error}");
            assert_eq!(second.hash_part(), before, "seed {seed}");
            refused += 1;
            for _ in 0..4 {
                let mut other = Message { chunk, bytes: bytes.clone() };
                let at = divided.rng.usize(..bytes.len());
                match divided.rng.u8(..4) {
                    0 => other.chunk = ChunkPos::new(chunk.x + 1, chunk.y, chunk.z),
                    _ => other.bytes[at] ^= 1 << divided.rng.u8(..8),
                }
                let before = second.hash_part();
                if second.receive(&other).is_err() {
                    assert_eq!(second.hash_part(), before, "seed {seed}");
                }
                assert_eq!(second.validate(), Ok(()), "seed {seed}: {other:?}");
            }
        }
    }
    assert!(refused > 0, "no message was damaged");
}

#[test]
fn damaged_messages_change_nothing() {
    damage_is_refused::<Soil>(10);
    damage_is_refused::<Water2dWorld>(10);
    damage_is_refused::<crate::worlds::Blast>(20);
}

#[test]
fn damaged_records_and_accounts_are_refused() {
    let mut divided = Divided::<Soil>::draw(3);
    let part = &mut divided.parts[0];
    let mut chunks = Vec::new();
    part.visit_chunk_hashes(&mut |chunk, _| chunks.push(chunk));
    let record = part.record(chunks[0]).unwrap();
    let error = part.restore(chunks[0], &record[..record.len() - 1]).unwrap_err();
    assert!(matches!(error, PartError::Record { .. }), "{error}");
    assert_eq!(part.record(chunks[0]), None, "then there is no chunk");
    part.restore(chunks[0], &record).unwrap();
    assert_eq!(part.record(chunks[0]), Some(record));
    let mut slice = Water2dWorld::with_bounds(1, water2d::Rules::literal(), bounds()).unwrap();
    let fields = PartError::Account { fields: 3, wanted: 2 };
    assert_eq!(slice.resume(4, &[1, 2, 3]), Err(fields));
    assert_eq!(slice.resume(4, &[1, -2]), Err(PartError::Units(-2)));
    slice.resume(4, &[2, 1]).unwrap();
    assert_eq!((slice.ticks(), slice.account()), (4, vec![2, 1]));
}
