//! The save file of a world that lives on: each of its saves holds what was touched since the last
//! one, and is opened as the whole world.

use floodplain::save_file::{SaveFile, StorageBackend, Stream};
use floodplain::snapshot::Saved;
use floodplain::world::World;
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

/// The file of a world, and the game's side of it.
pub struct Saves {
    memory: Memory,
    file: SaveFile<World>,
    stream: Stream<World>,
}

impl Saves {
    pub fn of(world: &World) -> Saves {
        let memory = Memory::default();
        let file = SaveFile::create_on(memory.clone(), world).expect("an empty file");
        let stream = file.stream();
        Saves { memory, file, stream }
    }

    /// Saves what was touched, up to `ahead` chunks of it copied first, and opens that.
    pub fn check(&mut self, world: &mut World, ahead: usize) {
        self.stream.copy_ahead(world, ahead);
        let saved = world.save();
        let job = self.stream.prepare(world);
        self.file.commit(job).expect("memory does not fail");
        let copy = Memory(Arc::new(Mutex::new(self.memory.bytes(|bytes| bytes.clone()))));
        let (_, opened) = SaveFile::<World>::open_on(copy).expect("just saved");
        assert!(opened.save() == saved, "another world than was saved");
    }
}
