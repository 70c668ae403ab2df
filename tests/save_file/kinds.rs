//! Saves of every kind of world, not of water alone: what is opened is what was saved, and on a
//! disk that fails and loses its power the last save acknowledged survives, or the one under way.

use crate::disk::{Disk, Fault, Unsynced};
use fastrand::Rng;
use floodplain::blast::{BlastGraph, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::save_file::{Part, SaveError, SaveFile};
use floodplain::snapshot::{Kind, Saved};
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use floodplain::world::World;
use floodplain::{ChunkPos, Cube, DecodeProblem, Region, Sheet};
use support::worlds;

/// Edits a world and runs it.
type Live<W> = fn(&mut W, &mut Rng);

/// What must hold for each kind of world.
trait Law {
    fn check<W: Saved>(&mut self, name: &str, born: fn(u64) -> W, live: Live<W>);
}

fn every_kind(law: &mut impl Law) {
    law.check::<WaterWorld>("water", worlds::water, |world, rng| {
        worlds::edit_water(world, rng);
        world.run(2);
    });
    law.check::<HumidityWorld<Sheet>>("humidity, sheets", worlds::humidity, |world, rng| {
        worlds::edit_humidity(world, rng);
        world.run(2);
    });
    law.check::<HumidityWorld<Cube>>("humidity, cubes", worlds::humidity, |world, rng| {
        worlds::edit_humidity(world, rng);
        world.run(2);
    });
    law.check::<BlastWorld<Sheet>>("pressure, sheets", worlds::blast, |world, rng| {
        worlds::edit_blast(world, rng);
        world.run(2);
    });
    law.check::<BlastWorld<Cube>>("pressure, cubes", worlds::blast, |world, rng| {
        worlds::edit_blast(world, rng);
        world.run(2);
    });
    law.check::<BlastGraph>("pressure, a graph", worlds::graph, |graph, rng| {
        worlds::edit_graph(graph, rng);
        graph.run(2);
    });
    law.check::<Water2dWorld>("2D water", worlds::water_2d, |world, rng| {
        worlds::edit_water_2d(world, rng);
        world.run(2);
    });
    law.check::<World>("materials", worlds::materials, |world, rng| {
        worlds::edit_materials(world, rng);
        world.run(2);
    });
}

/// Saves and opens alternately, with power losses in between.
struct OpenedAsSaved;

impl Law for OpenedAsSaved {
    fn check<W: Saved>(&mut self, name: &str, born: fn(u64) -> W, live: Live<W>) {
        for seed in 0..3 {
            let (mut rng, mut world) = (Rng::with_seed(seed), born(seed));
            let mut disk = Disk::default();
            let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
            for round in 0..5 {
                live(&mut world, &mut rng);
                file.save(&world).unwrap();
                let again = file.save(&world).unwrap();
                assert_eq!(
                    (again.chunks_written, again.chunks_removed),
                    (0, 0),
                    "{name}, seed {seed}: nothing differs"
                );
                drop(file);
                disk = disk.after_power_loss(Unsynced::Lost);
                let opened;
                (file, opened) = SaveFile::<W>::open_on(disk.clone()).unwrap();
                assert!(
                    opened.save() == world.save(),
                    "{name}, seed {seed}, round {round}: another world"
                );
                world = opened;
            }
        }
    }
}

#[test]
fn every_kind_of_world_is_opened_as_it_was_saved() {
    every_kind(&mut OpenedAsSaved);
}

/// Lets a disk operation fail, of every few one, and opens what is left.
struct SurvivesFaults {
    failed: u64,
}

impl Law for SurvivesFaults {
    fn check<W: Saved>(&mut self, name: &str, born: fn(u64) -> W, live: Live<W>) {
        let mut at = 0;
        loop {
            let disk = Disk::default();
            disk.fail_at(at, [Fault::Once, Fault::ForGood, Fault::Torn][at as usize % 3]);
            let (mut rng, mut world) = (Rng::with_seed(at), born(at % 2));
            let mut acknowledged = None;
            let mut result = SaveFile::create_on(disk.clone(), &world);
            for _ in 0..2 {
                let Ok(file) = &mut result else { break };
                acknowledged = Some(world.save());
                live(&mut world, &mut rng);
                if let Err(error) = file.save(&world) {
                    result = Err(error);
                }
            }
            let is_done = result.is_ok();
            drop(result);
            self.failed += u64::from(!is_done);
            for unsynced in [Unsynced::Kept, Unsynced::Lost, Unsynced::Some(at)] {
                match SaveFile::<W>::open_on(disk.after_power_loss(unsynced)) {
                    Ok((_, opened)) => {
                        let opened = Some(opened.save());
                        assert!(
                            opened == acknowledged || opened == Some(world.save()),
                            "{name}, operation {at}"
                        );
                    }
                    Err(error) => {
                        assert!(acknowledged.is_none(), "{name}, operation {at}: {error}")
                    }
                }
            }
            if is_done {
                break;
            }
            at += 7;
        }
    }
}

#[test]
fn whichever_operation_fails_every_kind_of_world_survives() {
    let mut law = SurvivesFaults { failed: 0 };
    every_kind(&mut law);
    assert!(law.failed >= 8 * 4, "only {} sessions failed", law.failed);
}

/// Opens each save as a world of another kind.
struct NeverAnotherKind;

impl Law for NeverAnotherKind {
    fn check<W: Saved>(&mut self, name: &str, born: fn(u64) -> W, _: Live<W>) {
        let disk = Disk::default();
        drop(SaveFile::create_on(disk.clone(), &born(1)).unwrap());
        let before = disk.bytes();
        let refused = match W::KIND {
            Kind::Water => SaveFile::<Water2dWorld>::open_on(disk.clone()).err(),
            _ => SaveFile::<WaterWorld>::open_on(disk.clone()).err(),
        };
        let Some(SaveError::Malformed { part: Part::Entry("format"), error }) = refused else {
            panic!("{name}: {refused:?}")
        };
        let is_kind = matches!(error.problem, DecodeProblem::Kind { .. });
        assert!(is_kind, "{name}: {error}");
        assert!(disk.bytes() == before, "{name}: what was refused was written to");
    }
}

#[test]
fn no_kind_of_world_is_opened_as_another() {
    every_kind(&mut NeverAnotherKind);
}

#[test]
fn of_a_world_of_materials_only_chunks_that_changed_are_written() {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(63, 15, 15));
    let mut world = support::world::world(1, support::world::rules(), bounds);
    world.run(8);
    let mut file = SaveFile::create_on(Disk::default(), &world).unwrap();
    world.set_material(IVec3::new(24, 8, 8), support::world::id("concrete")).unwrap();
    let report = file.save(&world).unwrap();
    assert_eq!((report.chunks_written, report.chunks_removed), (1, 0));
    world.remove_chunk(ChunkPos::new(3, 0, 0)).unwrap();
    assert_eq!(file.save(&world).unwrap().chunks_removed, 1);
}
