//! What is no save, is newer, of another kind, damaged or forged: each has its own error, and is
//! left as it was.

use crate::disk::Disk;
use crate::living::{born, live, records};
use crate::path;
use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::save_file::{Part, SaveError, SaveFile, VERSION};
use floodplain::snapshot::{Kind, Saved};
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use floodplain::{Cube, DecodeProblem, Region, Shape};
use redb::{Database, MultimapTableDefinition, TableDefinition};
use std::fs;
use support::snapshot::forgery::framed;
use support::worlds;

const HEAD: TableDefinition<&str, &[u8]> = TableDefinition::new("floodplain");
const CHUNKS: TableDefinition<&[u8; 12], &[u8]> = TableDefinition::new("chunks");

/// Opens these bytes, which must be refused, and checks that they are left as they were.
fn refusal(name: &str, bytes: &[u8]) -> SaveError {
    refusal_as::<WaterWorld>(name, bytes)
}

fn refusal_as<W: Saved>(name: &str, bytes: &[u8]) -> SaveError {
    let path = path(name);
    fs::write(&path, bytes).unwrap();
    let error = SaveFile::<W>::open(&path).err().expect("not a save");
    assert!(fs::read(&path).unwrap() == bytes, "{name}: the refused file was changed");
    fs::remove_file(&path).unwrap();
    error
}

/// The bytes of a database that another program made.
fn database(name: &str, make: impl FnOnce(&Database)) -> Vec<u8> {
    let path = path(name);
    make(&Database::create(&path).unwrap());
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    bytes
}

/// The bytes of a save, closed, and those of one that was cut off while it was open.
fn saved() -> [Vec<u8>; 2] {
    let disk = Disk::default();
    let mut rng = Rng::with_seed(4);
    let mut world = born(4);
    let mut file = SaveFile::create_on(disk.clone(), &world).unwrap();
    for _ in 0..4 {
        live(&mut world, &mut rng);
        file.save(&world).unwrap();
    }
    let cut_off = disk.bytes();
    drop(file);
    [disk.bytes(), cut_off]
}

#[test]
fn files_that_are_no_save_have_their_own_error() {
    assert!(matches!(refusal("empty", b""), SaveError::Empty));
    assert!(matches!(refusal("unfinished", &[0; 8192]), SaveError::Empty));
    assert!(matches!(refusal("short", b"redb"), SaveError::NotADatabase));
    assert!(matches!(refusal("snapshot", &born(1).save()), SaveError::NotADatabase));
    assert!(matches!(
        refusal("magic", b"redb\x1a\x0a\xa9\x0d\x0aand no more"),
        SaveError::DamagedDatabase { .. }
    ));
    let nothing = database("nothing", |_| {});
    assert!(matches!(refusal("nothing", &nothing), SaveError::Empty));
    let other = database("other", |database| {
        let write = database.begin_write().unwrap();
        write.open_table(TableDefinition::<u64, u64>::new("x")).unwrap().insert(1, 2).unwrap();
        write.commit().unwrap();
    });
    assert!(matches!(refusal("other", &other), SaveError::OtherProgram));
    let namesake = database("namesake", |database| {
        let write = database.begin_write().unwrap();
        write
            .open_table(TableDefinition::<u64, u64>::new("floodplain"))
            .unwrap()
            .insert(1, 2)
            .unwrap();
        write.commit().unwrap();
    });
    assert!(matches!(refusal("namesake", &namesake), SaveError::OtherProgram));
    let many_valued = database("many_valued", |database| {
        let write = database.begin_write().unwrap();
        write
            .open_multimap_table(MultimapTableDefinition::<u64, u64>::new("x"))
            .unwrap()
            .insert(1, 2)
            .unwrap();
        write.commit().unwrap();
    });
    assert!(matches!(refusal("many_valued", &many_valued), SaveError::OtherProgram));
    let empty_head = database("empty_head", |database| {
        let write = database.begin_write().unwrap();
        write.open_table(HEAD).unwrap().insert("format", b"something".as_slice()).unwrap();
        write.commit().unwrap();
    });
    assert!(matches!(refusal("empty_head", &empty_head), SaveError::OtherProgram));
}

/// A save in which one value of a table is replaced by another, with a right checksum if `seal`
/// says so.
fn forged(saved: &[u8], name: &str, key: &[u8], value: Option<&[u8]>, seal: bool) -> Vec<u8> {
    let path = path(name);
    fs::write(&path, saved).unwrap();
    let database = Database::open(&path).unwrap();
    let write = database.begin_write().unwrap();
    let mut sealed = value.unwrap_or_default().to_vec();
    let checksum = crc32fast::hash(&[key, &sealed].concat()) ^ u32::from(!seal);
    sealed.extend(checksum.to_le_bytes());
    match <&[u8; 12]>::try_from(key) {
        Ok(key) => {
            let mut chunks = write.open_table(CHUNKS).unwrap();
            match value {
                Some(_) => drop(chunks.insert(key, sealed.as_slice()).unwrap()),
                None => drop(chunks.remove(key).unwrap()),
            }
        }
        Err(_) => {
            let name = core::str::from_utf8(key).unwrap();
            let mut head = write.open_table(HEAD).unwrap();
            match value {
                Some(_) => drop(head.insert(name, sealed.as_slice()).unwrap()),
                None => drop(head.remove(name).unwrap()),
            }
        }
    }
    write.commit().unwrap();
    drop(database);
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    bytes
}

fn forgery(name: &str, key: &[u8], value: Option<&[u8]>, seal: bool) -> SaveError {
    refusal(name, &forged(&saved()[0], name, key, value, seal))
}

/// The value of the entry `format` of a version and a kind.
fn format(version: u16, kind: u16) -> Vec<u8> {
    [b"FLDPSAVE".as_slice(), &version.to_le_bytes(), &kind.to_le_bytes()].concat()
}

/// What is wrong with the entry `format`.
fn in_format(error: SaveError) -> DecodeProblem {
    match error {
        SaveError::Malformed { part: Part::Entry("format"), error } => error.problem,
        other => panic!("{other}"),
    }
}

#[test]
fn newer_versions_and_other_kinds_have_their_own_errors() {
    let newer = forgery("newer", b"format", Some(&format(VERSION + 1, 1)), true);
    let version = |found| DecodeProblem::Version { found, wanted: 1 };
    assert_eq!(in_format(newer), version(2));
    // The rest of a newer version's header.
    let newer =
        forgery("much_newer", b"format", Some(&[format(900, 70), vec![1, 2, 3]].concat()), true);
    assert_eq!(in_format(newer), version(900));
    let other = forgery("kind", b"format", Some(&format(VERSION, 99)), true);
    assert_eq!(in_format(other), DecodeProblem::Kind { found: 99, wanted: Kind::Water });
    let zero = forgery("zero", b"format", Some(&format(0, 1)), true);
    assert_eq!(in_format(zero), version(0));
    let longer = forgery("longer", b"format", Some(&[format(1, 1), vec![0]].concat()), true);
    assert_eq!(in_format(longer), DecodeProblem::Trailing { bytes: 1 });
    let shorter = forgery("shorter", b"format", Some(b"FLDPSAVE\x01"), true);
    assert_eq!(in_format(shorter), DecodeProblem::EndsEarly);
    let wrong = forgery("wrong", b"format", Some(&format(1, 1)), false);
    assert!(matches!(wrong, SaveError::Damaged { part: Part::Entry("format") }), "{wrong}");
}

#[test]
fn every_missing_damaged_or_malformed_part_is_named() {
    for name in ["rules", "state", "count"] {
        for (value, seal) in [(None, true), (Some([].as_slice()), false)] {
            let error = forgery("entry", name.as_bytes(), value, seal);
            assert!(
                matches!(error, SaveError::Damaged { part: Part::Entry(part) } if part == name),
                "{name}: {error}"
            );
        }
    }
    for name in ["rules", "state"] {
        let error = forgery("entry", name.as_bytes(), Some(&[7; 3]), true);
        assert!(
            matches!(error, SaveError::Malformed { part: Part::Entry(part), .. } if part == name),
            "{name}: {error}"
        );
    }
    let count = forgery("count", b"count", Some(&[0; 8]), true);
    assert!(matches!(count, SaveError::Damaged { part: Part::Chunks }), "{count}");
    // A chunk of the save: y, z and x are 0, with the sign bit flipped.
    let (origin, key) = (IVec3::ZERO, [0x80, 0, 0, 0, 0x80, 0, 0, 0, 0x80, 0, 0, 0]);
    let gone = forgery("gone", &key, None, true);
    assert!(matches!(gone, SaveError::Damaged { part: Part::Chunks }), "{gone}");
    let damaged = forgery("damaged", &key, Some(&[0; 3]), false);
    assert!(
        matches!(damaged, SaveError::Damaged { part: Part::Chunk(chunk) } if chunk == origin.into()),
        "{damaged}"
    );
    for record in [[].as_slice(), &[2], &[0, 0, 0, 0, 0, 0, 1]] {
        let error = forgery("malformed", &key, Some(record), true);
        assert!(
            matches!(error, SaveError::Malformed { part: Part::Chunk(chunk), .. } if chunk == origin.into()),
            "{error}"
        );
    }
    // Each message, and a byte more.
    let (_, world) = SaveFile::<WaterWorld>::open_on(Disk::holding(saved()[0].clone())).unwrap();
    let [mut rules, mut state, mut record] =
        [vec![], vec![], records(&world)[&origin.to_array()].clone()];
    world.put_rules(&mut rules);
    world.put_state(&mut state);
    [&mut rules, &mut state, &mut record].into_iter().for_each(|value| value.push(0));
    for (key, value, named) in [
        (&b"rules"[..], rules, Part::Entry("rules")),
        (b"state", state, Part::Entry("state")),
        (&key, framed(&record), Part::Chunk(origin.into())),
    ] {
        let longer = forgery("longer_entry", key, Some(&value), true);
        assert!(
            matches!(longer, SaveError::Malformed { part, .. } if part == named),
            "{named}: {longer}"
        );
    }
    // The state of water ends with a list, which takes the byte for its own; that of 2D water does
    // not.
    let (disk, slice) = (Disk::default(), worlds::water_2d(1));
    drop(SaveFile::create_on(disk.clone(), &slice).unwrap());
    let mut state = vec![];
    slice.put_state(&mut state);
    state.push(0);
    let longer = refusal_as::<Water2dWorld>(
        "longer_state",
        &forged(&disk.bytes(), "longer_state", b"state", Some(&state), true),
    );
    assert!(matches!(longer, SaveError::Malformed { part: Part::Entry("state"), .. }), "{longer}");
    // Still water of height 1 in a cell that was dry: lawful for the chunk, but not for the ledger.
    let mut wetter = WaterWorld::load(&world.save()).unwrap();
    let is_dry = |cell: &IVec3| wetter.units(*cell) == 0 && !wetter.is_solid(*cell);
    let dry = Cube::region_of(origin.into()).positions().find(is_dry).unwrap();
    wetter.fill_water(Region::cell(dry), 1).unwrap();
    let record = framed(&records(&wetter)[&origin.to_array()]);
    let unlawful = forgery("unlawful", &key, Some(&record), true);
    assert!(matches!(unlawful, SaveError::Unlawful { .. }), "{unlawful}");
}

#[test]
fn a_save_without_a_table_of_chunks_or_with_another_is_damaged() {
    let other: TableDefinition<u64, u64> = TableDefinition::new("chunks");
    for is_there in [false, true] {
        let path = path("table");
        fs::write(&path, &saved()[0]).unwrap();
        let database = Database::open(&path).unwrap();
        let write = database.begin_write().unwrap();
        assert!(write.delete_table(CHUNKS).unwrap());
        if is_there {
            write.open_table(other).unwrap().insert(1, 2).unwrap();
        }
        write.commit().unwrap();
        drop(database);
        let error = refusal("table_refused", &fs::read(&path).unwrap());
        assert!(matches!(error, SaveError::Damaged { part: Part::Chunks }), "{error}");
        fs::remove_file(&path).unwrap();
    }
}

/// The world in a save, as a snapshot.
fn opened(bytes: &[u8]) -> Vec<u8> {
    SaveFile::<WaterWorld>::open_on(Disk::holding(bytes.to_vec())).unwrap().1.save()
}

/// Opens a damaged save of this world. Says whether it is refused; then it must be left as it was.
/// Otherwise it gives the world, and later saves do not build upon what is damaged.
fn is_refused(bytes: &[u8], world: &[u8], rng: &mut Rng, story: &str) -> bool {
    let disk = Disk::holding(bytes.to_vec());
    let Ok((mut file, mut living)) = SaveFile::<WaterWorld>::open_on(disk.clone()) else {
        assert!(disk.bytes() == bytes, "{story}: the refused file was changed");
        return true;
    };
    assert!(living.save() == world, "{story}: another world");
    for _ in 0..3 {
        live(&mut living, rng);
        file.save(&living).unwrap_or_else(|error| panic!("{story}: {error}"));
    }
    drop(file);
    assert!(opened(&disk.bytes()) == living.save(), "{story}: another world later");
    false
}

#[test]
fn damaged_files_are_refused_and_left_alone_or_give_the_world_that_was_saved() {
    let [closed, cut_off] = saved();
    let world = opened(&closed);
    assert!(opened(&cut_off) == world);
    let mut refused = 0;
    for seed in 0..160 {
        let mut rng = Rng::with_seed(seed);
        let mut bytes = if rng.bool() { closed.clone() } else { cut_off.clone() };
        // Records leave much of their pages empty.
        let used: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
        for _ in 0..rng.usize(1..4) {
            let at =
                if rng.u8(..4) == 0 { rng.usize(..320) } else { used[rng.usize(..used.len())] };
            bytes[at] ^= 1 << rng.u8(..8);
        }
        refused += usize::from(is_refused(&bytes, &world, &mut rng, &format!("seed {seed}")));
    }
    assert!(refused > 30, "only {refused} of 160 were refused");
}

/// Pages that hold no chunk too, such as the list of free pages, which the database does not check
/// when a file was closed in order: it panics over a damaged one, unless it is made to work it out
/// anew.
#[test]
fn damage_in_any_page_of_a_closed_file_is_found_or_mended() {
    let closed = saved()[0].clone();
    let (world, mut rng) = (opened(&closed), Rng::with_seed(7));
    let pages = (4096..closed.len()).step_by(4096).filter(|&page| closed[page] != 0);
    let refused = pages.clone().filter(|&page| {
        let mut bytes = closed.clone();
        bytes[page] ^= 0x11;
        is_refused(&bytes, &world, &mut rng, &format!("byte {page}"))
    });
    let (refused, all) = (refused.count(), pages.count());
    assert!(0 < refused && refused < all, "{refused} of {all} were refused");
}
