//! Saves of all ranks, whole or not there, by two phases: each rank writes its part into a folder
//! that no one reads, and waits for the others; then rank 0 writes the list of parts, and gives the
//! folder its name, which the file system does at once or not at all.

use crate::exchange::Ranks;
use crate::faults::Fault;
use crate::options::Options;
use crate::rank::Rank;
use crate::roam::Records;
use crate::scenes::Scene;
use crate::wire;
use floodplain::ColumnPos;
use floodplain::parts::{InParts, Plan};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The list of parts of a save.
const LIST: &str = "parts";

/// Saves the world as it is after a tick. Older saves are removed.
pub fn save<W: InParts>(options: &Options, rank: &mut Rank<W>) -> Result<(), Fault> {
    if options.saves().is_none() {
        return Ok(());
    }
    rank.settle()?;
    let (tick, part) = (rank.ticks(), part_of(rank));
    save_part(options, rank.ranks_mut(), tick, &part)
}

/// Saves a world after a tick: each rank calls this with its own part as bytes. Removes older
/// saves.
pub fn save_part(
    options: &Options,
    ranks: &mut Ranks,
    tick: u64,
    part: &[u8],
) -> Result<(), Fault> {
    let Some(folder) = options.saves() else { return Ok(()) };
    let me = ranks.me();
    let unready = folder.join(format!("unready-{tick}"));
    if me == 0 {
        remove_if_there(&unready)?;
        fs::create_dir_all(&unready)?;
    }
    ranks.barrier();
    write(&unready.join(format!("part-{me}")), part)?;
    std::thread::sleep(options.slow_saves);
    // The first phase ends: all parts are on disk, with these checksums.
    let checksums = ranks.gather(crc32fast::hash(part).to_le_bytes().to_vec());
    if me == 0 {
        write(&unready.join(LIST), &list_of(tick, &options.world_name(), &checksums))?;
        File::open(&unready)?.sync_all()?;
        std::thread::sleep(options.slow_saves);
        let ready = folder.join(format!("save-{tick}"));
        remove_if_there(&ready)?;
        fs::rename(&unready, &ready)?;
        File::open(folder)?.sync_all()?;
        remove_others(folder, &ready)?;
    }
    ranks.barrier();
    Ok(())
}

/// Returns the list of a save: the tick, the world's name after its length, the checksum of each
/// part, and the checksum of all this.
fn list_of(tick: u64, world: &str, checksums: &[Vec<u8>]) -> Vec<u8> {
    let mut list = tick.to_le_bytes().to_vec();
    list.extend((world.len() as u32).to_le_bytes());
    list.extend(world.as_bytes());
    list.extend(checksums.concat());
    list.extend(crc32fast::hash(&list).to_le_bytes());
    list
}

/// Returns this rank's part as bytes: its account, then the records of its chunks and of those that
/// it has unloaded.
fn part_of<W: InParts>(rank: &Rank<W>) -> Vec<u8> {
    let mut part = Vec::new();
    wire::put_account(&mut part, &rank.world().account());
    rank.columns().into_iter().for_each(|column| rank.put_column(column, &mut part));
    for (chunk, record) in rank.archive().values().flatten() {
        wire::put(&mut part, *chunk, record);
    }
    part
}

/// A save that was found.
pub struct Found {
    tick: u64,
    folder: PathBuf,
}

impl Found {
    /// Returns the tick after which it was made.
    pub fn tick(&self) -> u64 {
        self.tick
    }
}

/// Returns the save from which a run is to begin, if there is one, the same on all ranks.
pub fn to_resume(options: &Options, ranks: &mut Ranks) -> Result<Option<Found>, Fault> {
    let Some(folder) = options.saves() else { return Ok(None) };
    let newest = newest_of_all(folder, ranks)?;
    if newest.is_some() && !options.resume {
        let folder = folder.display();
        let text = format!("{folder} has a save: add --resume, or name another folder");
        return Err(Fault::Options(text));
    }
    Ok(newest)
}

/// Returns the newest save of a folder, the same on all ranks.
fn newest_of_all(folder: &Path, ranks: &mut Ranks) -> Result<Option<Found>, Fault> {
    let newest = newest(folder)?;
    let tick = newest.as_ref().map_or(u64::MAX, |&(tick, _)| tick).to_le_bytes().to_vec();
    if ranks.gather(tick.clone()).iter().any(|other| *other != tick) {
        let folder = folder.display();
        return Err(Fault::Bytes(format!("{folder} does not hold the same saves for all ranks")));
    }
    Ok(newest.map(|(tick, folder)| Found { tick, folder }))
}

/// Returns this rank's part of a save, which any number of ranks has made.
pub fn load<C: Scene>(
    save: &Found,
    ranks: Ranks,
    options: &Options,
    scene: &C,
) -> Result<Rank<C::World>, Fault> {
    let (me, count) = (ranks.me(), ranks.count());
    let plan = Plan::stripes(scene.columns(options.begin_at(save.tick)), count)?;
    let mut world = scene.empty()?;
    world.divide(&plan, me)?;
    let (mut account, mut archive) = (Vec::new(), BTreeMap::<ColumnPos, Records>::new());
    for (number, bytes) in parts_of(save, &options.world_name())?.into_iter().enumerate() {
        let mut part = wire::Reader(&bytes);
        wire::add_account(&mut account, &wire::take_account(&mut part)?);
        for (chunk, record) in wire::take_all(part.0)? {
            match plan.owner(chunk.column()) {
                Some(owner) if owner == me => world.restore(chunk, &record)?,
                None if number % count == me => {
                    archive.entry(chunk.column()).or_default().push((chunk, record));
                }
                _ => {}
            }
        }
    }
    // Rank 0 takes over the account of all.
    if me != 0 {
        account.fill(0);
    }
    world.resume(save.tick, &account)?;
    let mut rank = Rank::new(ranks, world, plan);
    *rank.archive_mut() = archive;
    rank.renew_ghosts()?;
    Ok(rank)
}

/// Returns the tick and the folder of the newest save.
fn newest(folder: &Path) -> Result<Option<(u64, PathBuf)>, Fault> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        entries => entries?,
    };
    let mut newest = None;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(tick) = name.strip_prefix("save-").and_then(|tick| tick.parse().ok()) {
            newest = newest.max(Some((tick, path)));
        }
    }
    Ok(newest)
}

/// Returns the parts of a save of the world of this name, checked.
pub fn parts_of(Found { tick, folder }: &Found, name: &str) -> Result<Vec<Vec<u8>>, Fault> {
    let damaged = |file: &str| Fault::Bytes(format!("{file} in {} is damaged", folder.display()));
    let list = fs::read(folder.join(LIST))?;
    let (content, checksum) = list.split_last_chunk().ok_or_else(|| damaged(LIST))?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return Err(damaged(LIST));
    }
    let mut content = wire::Reader(content);
    if content.u64()? != *tick {
        return Err(damaged(LIST));
    }
    let length = content.u32()? as usize;
    let saved = String::from_utf8_lossy(content.bytes(length)?);
    if saved != name {
        let folder = folder.display();
        return Err(Fault::Bytes(format!("{folder} is of the world \"{saved}\", not \"{name}\"")));
    }
    let mut parts = Vec::new();
    for (number, checksum) in content.0.chunks(4).enumerate() {
        let file = format!("part-{number}");
        let part = fs::read(folder.join(&file))?;
        if crc32fast::hash(&part).to_le_bytes() != checksum {
            return Err(damaged(&file));
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Writes a file, and waits until it is on disk.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(())
}

fn remove_if_there(folder: &Path) -> Result<(), Fault> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Removes the saves in a folder besides this one, and what was left of unready ones. Other folders
/// stay.
fn remove_others(folder: &Path, ready: &Path) -> Result<(), Fault> {
    let is_save = |name: &str| {
        let tick = name.strip_prefix("save-").or_else(|| name.strip_prefix("unready-"));
        tick.is_some_and(|tick| tick.parse::<u64>().is_ok())
    };
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_old = path.file_name().and_then(|name| name.to_str()).is_some_and(is_save);
        if path.is_dir() && is_old && path != ready {
            remove_if_there(&path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_saves_are_read() {
        let folder = std::env::temp_dir().join(format!("cluster-saves-{}", std::process::id()));
        remove_if_there(&folder).unwrap();
        assert!(newest(&folder).unwrap().is_none());
        for name in ["save-7", "save-12", "unready-30", "kept", "save-me"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let (tick, save) = newest(&folder).unwrap().unwrap();
        assert_eq!(tick, 12);
        let parts_of = |name: &str| parts_of(&Found { tick, folder: save.clone() }, name);
        assert!(parts_of("Soil 8").is_err(), "no list");
        let parts: [&[u8]; 2] = [b"one", b"two"];
        let checksums = parts.map(|part| crc32fast::hash(part).to_le_bytes().to_vec());
        write(&save.join(LIST), &list_of(11, "Soil 8", &checksums)).unwrap();
        assert!(matches!(parts_of("Soil 8"), Err(Fault::Bytes(_))), "of another tick");
        write(&save.join(LIST), &list_of(12, "Soil 8", &checksums)).unwrap();
        assert!(matches!(parts_of("Soil 6"), Err(Fault::Bytes(_))), "of another world");
        write(&save.join("part-0"), parts[0]).unwrap();
        assert!(parts_of("Soil 8").is_err(), "a part is missing");
        write(&save.join("part-1"), b"twn").unwrap();
        assert!(matches!(parts_of("Soil 8"), Err(Fault::Bytes(_))), "a part is damaged");
        write(&save.join("part-1"), parts[1]).unwrap();
        assert_eq!(parts_of("Soil 8").unwrap(), parts);
        remove_others(&folder, &save).unwrap();
        // The save, and the two folders that are no saves.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }
}
