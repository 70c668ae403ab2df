//! Worlds of materials: random edits against a model of every cell's material, and the parts run
//! apart, coupled by hand.

pub mod apart;
pub mod edits;
mod exchange;
pub mod feed;
mod model;
mod saves;
mod throws;

use floodplain::world::{
    Content, Couplings, Material, MaterialId, Palette, Rules, Submerged, World,
};
use floodplain::{Cube, Region, Shape, water};

/// The natural materials, glass and turf that break into air, and brick that breaks into concrete.
pub fn palette() -> Palette {
    let natural = Palette::natural();
    let more = [
        Material::solid("glass").breaking(2.0, "air"),
        Material::solid("brick").permeable(0.1, 2).breaking(9.0, "concrete"),
        Material::solid("turf").permeable(0.5, 6).breaking(5.0, "air"),
    ];
    let all = natural.materials().map(|(_, material)| material.clone()).chain(more);
    Palette::new(all).expect("a palette")
}

/// The number of a material of [`palette`].
pub fn id(name: &str) -> MaterialId {
    palette().id(name).expect("of the palette")
}

/// Rules with a short clock, without evaporation, and with soil that soaks up water fast.
pub fn rules() -> Rules {
    let couplings = Couplings { seepage: 0.3, ..Couplings::default() };
    let water = water::Rules::lossless();
    Rules { water, soil_period: 2, blast_steps: 3, couplings, ..Rules::default() }
}

/// The same rules without all that passes between explosions and water.
pub fn uncoupled(rules: Rules) -> Rules {
    Rules { spilling: false, submerged: Submerged::Passes, throw_flow: None, ..rules }
}

/// A world all of whose chunks are loaded: air over a floor of soil.
pub fn world(seed: u64, rules: Rules, bounds: Region) -> World {
    let mut world =
        World::with_bounds(seed, palette(), rules, bounds).expect("rules within their ranges");
    let (air, soil, floor) = (id("air"), id("soil"), bounds.min().y);
    for chunk in Region::new(Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max())).positions()
    {
        let content = Content::from_heights(chunk, |_, _| floor, |_| soil, air);
        world.insert_chunk(chunk, content).expect("a chunk of the bounds");
    }
    world
}
