//! Palettes: checked lists of materials, with the properties that the automata use, by number.

use crate::humidity;
use crate::rules_error::RulesError;
use crate::world::rules::material::{Material, MaterialId};
use core::fmt;

/// The most materials of a palette: the number of values of a byte.
const MOST: usize = 256;

/// The range of permeabilities: their inverses are impermeabilities of soil.
const PERMEABILITY: core::ops::RangeInclusive<f32> = 1e-30..=1e30;

/// The materials of a world, numbered from 0 in the order of the list. A world never changes them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::world")]
#[cfg_attr(feature = "bevy", reflect(opaque, Clone, Debug, PartialEq))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Serialize))]
#[cfg_attr(all(feature = "bevy", feature = "serde"), reflect(bevy_reflect::Deserialize))]
pub struct Palette {
    materials: Vec<Material>,
    traits: Vec<Traits>,
}

/// The properties of a material that the automata use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traits {
    pub(crate) solid: bool,
    /// The impermeability in the part of soil of a cell of this material: 1 / permeability, or the
    /// impermeability of rock.
    pub(crate) impermeability: f32,
    /// The pressure difference that breaks it.
    pub(crate) strength: Option<f32>,
    /// The whole units of water that a cell of this material soaks up.
    pub(crate) capacity: u8,
    /// The material that this one breaks into; the same material if it never breaks.
    pub(crate) remains: MaterialId,
}

impl Traits {
    pub(crate) fn is_permeable(&self) -> bool {
        self.impermeability != humidity::ROCK
    }
}

/// Why materials do not make a palette.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PaletteError {
    /// The list is empty.
    Empty,
    /// More than 256 materials.
    TooMany(usize),
    /// The name of this material is empty.
    Nameless(MaterialId),
    /// Two materials have this name.
    Duplicate(String),
    /// No material has the name of the one that this material breaks into.
    Unknown {
        /// The material that breaks.
        material: String,
        /// The name that no material has.
        breaks_into: String,
    },
    /// A value of a material is out of range: a strength that is not a number above 0, a
    /// permeability that is not a number from 10⁻³⁰ to 10³⁰, or a capacity without permeability.
    Value(RulesError),
    /// This open material has a strength, a permeability, or a material that it breaks into.
    Open(String),
    /// This material has a strength and no material that it breaks into, or the other way round.
    Remains(String),
    /// This material breaks, through the materials that it breaks into, into itself again.
    Circle(String),
}

impl fmt::Display for PaletteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaletteError::Empty => f.write_str("a palette has at least one material"),
            PaletteError::TooMany(count) => {
                write!(f, "a palette has at most {MOST} materials, not {count}")
            }
            PaletteError::Nameless(id) => write!(f, "material {} has no name", id.0),
            PaletteError::Duplicate(name) => write!(f, "two materials are called {name:?}"),
            PaletteError::Unknown { material, breaks_into } => {
                write!(f, "{material:?} breaks into {breaks_into:?}, which is no material")
            }
            PaletteError::Value(error) => error.fmt(f),
            PaletteError::Open(name) => {
                write!(f, "{name:?} is open, so it has no strength and no permeability")
            }
            PaletteError::Remains(name) => {
                write!(f, "{name:?} has a strength exactly if it breaks into something")
            }
            PaletteError::Circle(name) => write!(f, "{name:?} breaks into itself in the end"),
        }
    }
}

impl core::error::Error for PaletteError {}

impl Palette {
    /// Returns the palette of these materials.
    ///
    /// # Errors
    /// The first [`PaletteError`] found, material by material.
    ///
    /// ```
    /// use floodplain::world::{Material, Palette, PaletteError};
    ///
    /// let wall = Material::solid("wall").breaking(f32::NAN, "air");
    /// let error = Palette::new([Material::open("air"), wall]).unwrap_err();
    /// assert!(matches!(error, PaletteError::Value(error) if error.rule == "strength"));
    /// ```
    pub fn new(materials: impl IntoIterator<Item = Material>) -> Result<Palette, PaletteError> {
        let materials: Vec<Material> = materials.into_iter().collect();
        if materials.is_empty() {
            return Err(PaletteError::Empty);
        }
        if materials.len() > MOST {
            return Err(PaletteError::TooMany(materials.len()));
        }
        for (index, material) in materials.iter().enumerate() {
            if material.name.is_empty() {
                return Err(PaletteError::Nameless(MaterialId(index as u8)));
            }
            if materials[..index].iter().any(|other| other.name == material.name) {
                return Err(PaletteError::Duplicate(material.name.clone()));
            }
        }
        let traits = (0..materials.len()).map(|index| traits_of(&materials, index));
        let palette = Palette { traits: traits.collect::<Result<_, _>>()?, materials };
        match palette.ids().find(|&id| palette.breaks_into_itself(id)) {
            Some(id) => {
                Err(PaletteError::Circle(palette.materials[usize::from(id.0)].name.clone()))
            }
            None => Ok(palette),
        }
    }

    /// Returns a palette of natural ground and of building materials: air, rock, soil, sand, clay,
    /// gravel, concrete and rubble, in this order. All ground breaks. Sand breaks at a pressure
    /// difference of 40, rubble at 50, soil and gravel at 60, clay at 70, each into air; concrete
    /// at 120 and rock at 150, each into rubble. [`World::charge`](crate::world::World::charge)
    /// lists the sizes of the craters that charges leave in them.
    ///
    /// ```
    /// use floodplain::world::{MaterialId, Palette};
    /// let palette = Palette::natural();
    /// assert_eq!((palette.len(), palette.id("air")), (8, Some(MaterialId(0))));
    /// ```
    pub fn natural() -> Palette {
        let materials = [
            Material::open("air"),
            Material::solid("rock").breaking(150.0, "rubble"),
            Material::solid("soil").permeable(0.5, 6).breaking(60.0, "air"),
            Material::solid("sand").permeable(1.5, 6).breaking(40.0, "air"),
            Material::solid("clay").permeable(0.02, 4).breaking(70.0, "air"),
            Material::solid("gravel").permeable(2.0, 8).breaking(60.0, "air"),
            Material::solid("concrete").breaking(120.0, "rubble"),
            Material::solid("rubble").permeable(2.0, 8).breaking(50.0, "air"),
        ];
        let traits = (0..materials.len()).filter_map(|index| traits_of(&materials, index).ok());
        Palette { traits: traits.collect(), materials: materials.into() }
    }

    /// Returns the number of the material of this name; `None` if no material has it.
    pub fn id(&self, name: &str) -> Option<MaterialId> {
        position(&self.materials, name)
    }

    /// Returns a material by number; `None` if no material has the number.
    pub fn material(&self, id: MaterialId) -> Option<&Material> {
        self.materials.get(usize::from(id.0))
    }

    /// Returns all materials in order, with their numbers.
    pub fn materials(&self) -> impl Iterator<Item = (MaterialId, &Material)> {
        self.ids().zip(&self.materials)
    }

    /// Returns the number of materials, 1 to 256.
    #[expect(clippy::len_without_is_empty, reason = "none is empty")]
    pub fn len(&self) -> usize {
        self.materials.len()
    }

    /// Returns the properties of a material that the automata use. An unknown number, which no cell
    /// has, has the properties of the first material.
    #[inline]
    pub(crate) fn traits(&self, id: MaterialId) -> Traits {
        *self.traits.get(usize::from(id.0)).unwrap_or(&self.traits[0])
    }

    fn ids(&self) -> impl Iterator<Item = MaterialId> + use<> {
        (0..self.materials.len()).map(|index| MaterialId(index as u8))
    }

    fn breaks_into_itself(&self, id: MaterialId) -> bool {
        let next = |id: &MaterialId| {
            let remains = self.traits(*id).remains;
            (remains != *id || self.traits(*id).strength.is_some()).then_some(remains)
        };
        core::iter::successors(Some(id), next).skip(1).take(MOST).any(|later| later == id)
    }
}

fn position(materials: &[Material], name: &str) -> Option<MaterialId> {
    let index = materials.iter().position(|material| material.name == name)?;
    Some(MaterialId(index as u8))
}

/// Checks a material, and returns the properties that the automata use.
fn traits_of(materials: &[Material], index: usize) -> Result<Traits, PaletteError> {
    let material = &materials[index];
    let Material { solid, permeability, strength, capacity, ref breaks_into, .. } = *material;
    let name = || material.name.clone();
    let refused = |rule, value: &dyn fmt::Display, wanted: &str| {
        let wanted = format!("{wanted} in {:?}", material.name);
        Err(PaletteError::Value(RulesError::new(rule, value, wanted)))
    };
    if !solid && (permeability.is_some() || strength.is_some() || breaks_into.is_some()) {
        return Err(PaletteError::Open(name()));
    }
    if let Some(value) = permeability.filter(|value| !PERMEABILITY.contains(value)) {
        let (least, most) = (PERMEABILITY.start(), PERMEABILITY.end());
        return refused("permeability", &format!("{value:e}"), &format!("{least:e} to {most:e}"));
    }
    if let Some(value) = strength.filter(|&value| !(value > 0.0 && value.is_finite())) {
        return refused("strength", &value, "a number above 0");
    }
    if permeability.is_none() && capacity > 0 {
        return refused("capacity", &capacity, "0 without a permeability");
    }
    if strength.is_some() != breaks_into.is_some() {
        return Err(PaletteError::Remains(name()));
    }
    let remains = match breaks_into {
        None => MaterialId(index as u8),
        Some(into) => position(materials, into)
            .ok_or_else(|| PaletteError::Unknown { material: name(), breaks_into: into.clone() })?,
    };
    let impermeability = permeability.map_or(humidity::ROCK, |permeability| 1.0 / permeability);
    Ok(Traits { solid, impermeability, strength, capacity, remains })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_natural_palette_is_one_that_passes_all_checks() {
        let natural = Palette::natural();
        let again = Palette::new(natural.materials().map(|(_, material)| material.clone()));
        assert_eq!(again, Ok(natural));
    }

    #[test]
    fn chains_of_breaking_materials_are_followed_to_their_end() {
        let wall = |name: &str, into: &str| Material::solid(name).breaking(1.0, into);
        let air = Material::open("air");
        let chain = [wall("a", "b"), wall("b", "c"), wall("c", "air"), air.clone()];
        let palette = Palette::new(chain).unwrap();
        assert_eq!(palette.traits(MaterialId(1)).remains, MaterialId(2));
        for circle in
            [vec![wall("a", "a")], vec![wall("a", "b"), wall("b", "c"), wall("c", "a"), air]]
        {
            assert_eq!(Palette::new(circle), Err(PaletteError::Circle("a".into())));
        }
        // A material that leads into a cycle may not be in it, but a member of the cycle is found.
        let tail = [wall("a", "b"), wall("b", "c"), wall("c", "b")];
        assert_eq!(Palette::new(tail), Err(PaletteError::Circle("b".into())));
    }
}
