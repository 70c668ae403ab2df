//! Soil beside the sea stays full: within the same step of soil, the sea replaces the moisture that
//! flows out of the soil, to the unit of moisture. If the sea gave whole units of water at random,
//! the flow would never be steady.

use crate::chunk::LAYER_CELLS;
use crate::coords::ChunkPos;
use crate::humidity::Fed;
use crate::water::query::contact::{Contact, contacts, surroundings};
use crate::world::World;
use crate::world::tick::touched::touch;

/// Updates which cells of a chunk of soil the sea feeds.
pub(in crate::world) fn find_seabed(world: &mut World, chunk: ChunkPos) {
    let fed = seabed_of(world, chunk);
    if world.soil.set_fed(chunk, fed) {
        // The cells are part of what is saved, even if the chunk stays asleep.
        touch(world, chunk);
    }
}

/// Returns the cells of soil of a chunk that have sea above or beside them, in index order.
pub(in crate::world) fn seabed_of(world: &World, chunk: ChunkPos) -> Vec<Fed> {
    let mut seabed = Vec::new();
    let (bank, ground) = (world.contacts.banks.get(&chunk), world.ground.chunk(chunk));
    let (Some(bank), Some(ground)) = (bank, ground) else { return seabed };
    if world.rules.couplings.seepage == 0.0 || world.water.is_frozen(chunk) {
        return seabed;
    }
    let around = surroundings(&world.water, chunk);
    for layer in (0..16).filter(|&layer| bank.shore.layer(layer).any()) {
        let across = contacts(&world.water, &around, layer, Contact::Sea);
        let [west, east, _, up, north, south] = across;
        let beside = bank.shore.layer(layer) & (west | east | up | north | south);
        seabed.extend(beside.iter().map(|at| {
            let index = layer * LAYER_CELLS + at;
            Fed { index: index as u16, full: world.limits.fill(ground.get(index).0) }
        }));
    }
    seabed
}
