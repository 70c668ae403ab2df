//! What the sandbox's ground is made of.

use floodplain::world::{Material, MaterialId, Palette, PaletteError};

pub const AIR: MaterialId = MaterialId(0);
pub const ROCK: MaterialId = MaterialId(1);
pub const SOIL: MaterialId = MaterialId(2);
pub const SAND: MaterialId = MaterialId(3);
pub const CLAY: MaterialId = MaterialId(4);
pub const CONCRETE: MaterialId = MaterialId(5);
pub const WOOD: MaterialId = MaterialId(6);
pub const LEAVES: MaterialId = MaterialId(7);
pub const PLASTER: MaterialId = MaterialId(8);
pub const TILES: MaterialId = MaterialId(9);

/// What a player can build with.
pub const BUILDABLE: [MaterialId; 6] = [CONCRETE, ROCK, SOIL, SAND, CLAY, WOOD];

/// Returns the palette of all worlds. Water seeps into soil and sand; a charge breaks all but rock.
pub fn palette() -> Result<Palette, PaletteError> {
    Palette::new([
        Material::open("air"),
        Material::solid("rock"),
        Material::solid("soil").permeable(1.0, 6).breaking(70.0, "air"),
        Material::solid("sand").permeable(1.5, 6).breaking(50.0, "air"),
        Material::solid("clay").breaking(90.0, "air"),
        Material::solid("concrete").breaking(30.0, "air"),
        Material::solid("wood").breaking(30.0, "air"),
        Material::solid("leaves").breaking(24.0, "air"),
        Material::solid("plaster").breaking(60.0, "air"),
        Material::solid("tiles").breaking(60.0, "air"),
    ])
}
