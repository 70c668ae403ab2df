//! Saves while the game goes on, and the chunks that are out of view.

use floodplain::save_file::{SaveError, SaveFile, SaveReport, Stream};
use floodplain::world::World;
use std::path::Path;
use std::thread::JoinHandle;

type Written = (Result<SaveReport, SaveError>, SaveFile<World>);

pub struct Saves {
    pub stream: Stream<World>,
    /// `None` while a save is written.
    file: Option<SaveFile<World>>,
    writer: Option<JoinHandle<Written>>,
    pub reports: Vec<SaveReport>,
}

impl Saves {
    /// Creates a file that holds the world.
    pub fn new(path: &Path, world: &World) -> Result<Saves, SaveError> {
        let file = SaveFile::create(path, world)?;
        let stream = file.stream();
        Ok(Saves { stream, file: Some(file), writer: None, reports: Vec::new() })
    }

    /// Prepares a save, and writes it on another thread.
    pub fn begin(&mut self, world: &mut World) {
        let job = self.stream.prepare(world);
        if let Some(mut file) = self.file.take() {
            self.writer = Some(std::thread::spawn(move || (file.commit(job), file)));
        }
    }

    /// Waits for the save that is written.
    pub fn wait(&mut self) -> Result<(), SaveError> {
        if let Some(writer) = self.writer.take() {
            let (report, file) = writer.join().expect("a commit does not panic");
            self.file = Some(file);
            self.reports.push(report?);
        }
        Ok(())
    }
}
