//! Materials: the kinds of ground, and the properties that each automaton uses.

/// The number of a material in its [`Palette`](crate::world::Palette): its place, counted from 0,
/// in the list from which the palette was made. It takes one byte in each cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaterialId(pub u8);

/// A kind of ground or open space. Its fields are checked when a [`Palette`](crate::world::Palette)
/// is made from it.
///
/// ```
/// use floodplain::world::{Material, Palette};
///
/// let palette = Palette::new([
///     Material::open("air"),
///     Material::solid("granite"),
///     Material::solid("loam").permeable(0.8, 5).breaking(60.0, "air"),
/// ])?;
/// let loam = palette.id("loam").expect("the third");
/// assert_eq!(palette.material(loam).map(|loam| loam.capacity), Some(5));
/// # Ok::<(), floodplain::world::PaletteError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Material {
    /// The name: not empty, and unique in the palette.
    pub name: String,
    /// Whether it is ground, which stops water and pressure; else open space, with room for both.
    pub solid: bool,
    /// How easily moisture passes, and how fast [water soaks in](crate::world::Couplings::seepage),
    /// 10⁻³⁰ to 10³⁰. The [impermeability](crate::humidity::Cell::impermeability) of the material
    /// is 1 divided by the permeability, and must be in the range that the rules of humidity allow.
    /// `None` for impermeable ground and for open space.
    pub permeability: Option<f32>,
    /// The pressure difference across a cell of it that breaks it, above 0; `None` if it never
    /// breaks.
    pub strength: Option<f32>,
    /// The whole units of water that a cell of it soaks up; 0 if it is not permeable. Moisture from
    /// the soil around may raise the cell above that. One unit more, times
    /// [`Rules::moisture_per_unit`](crate::world::Rules::moisture_per_unit), must be at most what a
    /// step of humidity leaves in a cell, so this is at most 15 by default.
    #[cfg_attr(feature = "serde", serde(default))]
    pub capacity: u8,
    /// The name of the material that a cell becomes when it breaks; `None` if it never breaks.
    pub breaks_into: Option<String>,
}

impl Material {
    /// Returns open space.
    pub fn open(name: impl Into<String>) -> Material {
        Material {
            name: name.into(),
            solid: false,
            permeability: None,
            strength: None,
            capacity: 0,
            breaks_into: None,
        }
    }

    /// Returns rock: ground that is impermeable and never breaks.
    pub fn solid(name: impl Into<String>) -> Material {
        Material { solid: true, ..Material::open(name) }
    }

    /// Returns the same material, permeable: a cell of it soaks up `capacity` units of water.
    #[must_use]
    pub fn permeable(self, permeability: f32, capacity: u8) -> Material {
        Material { permeability: Some(permeability), capacity, ..self }
    }

    /// Returns the same material, which a pressure difference above `strength` breaks into the
    /// material named `into`.
    #[must_use]
    pub fn breaking(self, strength: f32, into: impl Into<String>) -> Material {
        Material { strength: Some(strength), breaks_into: Some(into.into()), ..self }
    }
}
