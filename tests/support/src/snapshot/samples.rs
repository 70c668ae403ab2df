//! Eleven snapshots, of every kind of world.

use crate::worlds;
use floodplain::DecodeError;
use floodplain::blast::BlastGraph;
use floodplain::snapshot::Saved;
use floodplain::{Cube, Sheet, Simulation};

/// A world that can be saved, and how its kind is loaded and saved again.
pub struct Sample {
    pub name: String,
    pub bytes: Vec<u8>,
    pub again: fn(&[u8]) -> Result<Vec<u8>, DecodeError>,
    /// Loads the world, runs it, and checks its laws.
    pub run: fn(&[u8]) -> Result<(), String>,
}

/// Loads a world, runs it, and checks its laws.
pub fn run<W: Simulation>(loaded: Result<W, DecodeError>) -> Result<(), String> {
    let mut world = loaded.map_err(|error| error.to_string())?;
    for _ in 0..8 {
        world.step();
        world.validate().map_err(|law| law.to_string())?;
    }
    Ok(())
}

/// The same for a graph, which is no [`Simulation`].
pub fn run_graph(loaded: Result<BlastGraph, DecodeError>) -> Result<(), String> {
    let mut graph = loaded.map_err(|error| error.to_string())?;
    for _ in 0..8 {
        graph.step();
        graph.validate().map_err(|law| law.to_string())?;
    }
    Ok(())
}

fn sample<W: Simulation + Saved>(seed: u64, world: W) -> Sample {
    Sample {
        name: format!("{:?} {seed}", W::KIND),
        bytes: world.save(),
        again: |bytes| W::load(bytes).map(|world| world.save()),
        run: |bytes| run(W::load(bytes)),
    }
}

/// Eleven snapshots, at least one of each kind.
pub fn samples() -> Vec<Sample> {
    let mut samples: Vec<Sample> = (0..3).map(|seed| sample(seed, worlds::water(seed))).collect();
    samples.push(sample(3, worlds::water_with_fixtures(3)));
    samples.push(sample(0, worlds::humidity::<Sheet>(0)));
    samples.push(sample(1, worlds::humidity::<Cube>(1)));
    samples.push(sample(2, worlds::blast::<Sheet>(2)));
    samples.push(sample(1, worlds::blast::<Cube>(1)));
    samples.push(sample(4, worlds::water_2d(4)));
    samples.push(sample(1, worlds::materials(1)));
    samples.push(Sample {
        name: "BlastGraph 2".to_owned(),
        bytes: worlds::graph(2).save(),
        again: |bytes| BlastGraph::load(bytes).map(|graph| graph.save()),
        run: |bytes| run_graph(BlastGraph::load(bytes)),
    });
    samples
}
