//! The save file of a world that lives on: each of its saves holds what was touched since the last
//! one, and is opened as the whole world.

use floodplain::save_file::{SaveError, SaveFile, StorageBackend, Stream};
use floodplain::snapshot::Saved;
use floodplain::world::{Broken, World};
use std::io;
use std::sync::{Arc, Mutex};

/// A file in memory; clones are the same.
#[derive(Clone, Debug, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    fn bytes<T>(&self, of: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        of(&mut self.0.lock().expect("no holder panics"))
    }
}

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes(|bytes| bytes.len() as u64))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.bytes(|bytes| {
            let there = bytes.get(offset as usize..).and_then(|bytes| bytes.get(..out.len()));
            out.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.bytes(|bytes| bytes.resize(len as usize, 0));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.bytes(|bytes| {
            let (from, to) = (offset as usize, offset as usize + data.len());
            bytes.resize(bytes.len().max(to), 0);
            bytes[from..to].copy_from_slice(data);
        });
        Ok(())
    }
}

/// Returns a companion with a file: at times it saves what was touched, some of it copied
/// before, and opens that, which must be the world.
pub fn saved_as_it_lives() -> impl FnMut(&mut World, &[Broken]) -> Result<(), String> {
    let mut file: Option<(Memory, SaveFile<World>, Stream<World>)> = None;
    move |world, _| {
        let Some((memory, file, stream)) = &mut file else {
            let memory = Memory::default();
            let created = SaveFile::create_on(memory.clone(), world).map_err(said)?;
            let stream = created.stream();
            file = Some((memory, created, stream));
            return Ok(());
        };
        // Another moment in each world and life of it.
        let number = world.state_hash();
        if number % 4 > 0 {
            return Ok(());
        }
        stream.copy_ahead(world, (number / 4 % 3) as usize);
        let saved = world.save();
        file.commit(stream.prepare(world)).map_err(said)?;
        let copy = Memory(Arc::new(Mutex::new(memory.bytes(|bytes| bytes.clone()))));
        let (_, opened) = SaveFile::<World>::open_on(copy).map_err(said)?;
        if opened.save() == saved { Ok(()) } else { Err("another world than was saved".to_owned()) }
    }
}

fn said(error: SaveError) -> String {
    error.to_string()
}
