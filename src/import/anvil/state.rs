//! The state of a block as a file stores it, and its replacement when the water in its cell has
//! changed.

use super::block::Block;
use super::nbt::splice::{self, Splices};
use super::nbt::{Malformed, Nbt, kind};
use super::old_ids;
use super::rules::{BlockRules, Held};
use crate::water::Voxel;

/// The state of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// Since 1.13: the compound of name and properties, as the bytes of its payload.
    Named(Vec<u8>),
    /// Before 1.13: 16 × number + data.
    Numbered(u16),
}

/// The numbers of still water and of stone.
const OLD_WATER: u16 = 9;
const OLD_STONE: u16 = 1;

pub(super) const AIR: &str = "minecraft:air";

impl State {
    /// Returns the content of the state's cell.
    pub fn held(&self, rules: &BlockRules<'_>) -> Result<Held, Malformed> {
        match self {
            State::Named(payload) => {
                let bytes = document(payload);
                let nbt = Nbt::read(&bytes)?;
                let properties = match nbt.get(nbt.root, "Properties", kind::COMPOUND)? {
                    Some(tag) => nbt.texts(tag)?,
                    None => Vec::new(),
                };
                let wanted = Malformed { at: 0, wanted: "the name of a block" };
                let name = nbt.text(nbt.root, "Name")?.ok_or(wanted)?;
                Ok(Held::of(Block::new(name, &properties), rules))
            }
            State::Numbered(number) => {
                let (id, data) = (number >> 4, (number & 15).to_string());
                let name = match old_ids::name_of(id) {
                    Some(name) => format!("minecraft:{name}"),
                    None => format!("legacy:{id}"),
                };
                Ok(Held::of(Block::new(&name, &[("data", &data)]), rules))
            }
        }
    }

    /// Returns whether the state is air.
    pub fn is_air(&self) -> bool {
        *self == State::Numbered(0) || *self == State::named(AIR, None)
    }

    /// Returns the state to store in a cell that had this state and whose content is now `wanted`,
    /// where a source reads back as `source`.
    ///
    /// The result is the first of the following states that reads back as `wanted`: this state;
    /// this state with the other value of `waterlogged`; air; water of the level for the units, a
    /// source before falling water; stone. Under rules without springs or sea, no state reads back
    /// as these: springs and sea become sources.
    pub fn for_voxel(
        &self,
        wanted: Voxel,
        source: Voxel,
        rules: &BlockRules<'_>,
    ) -> Result<State, Malformed> {
        let reads_back = |state: &State| Ok(state.held(rules)?.voxel(source) == wanted);
        if reads_back(self)? {
            return Ok(self.clone());
        }
        if let Some(state) = self.with_other_waterlogging()?
            && reads_back(&state)?
        {
            return Ok(state);
        }
        if wanted.is_solid() {
            return Ok(self.alike("minecraft:stone", OLD_STONE, None));
        }
        if wanted == Voxel::OPEN {
            return Ok(self.alike(AIR, 0, None));
        }
        let is_endless = wanted.is_sea() || wanted.cell().is_some_and(|cell| cell.is_source());
        let level = match wanted.height() {
            _ if is_endless => 0,
            7 if source == wanted => 0,
            // A full cell that would read back as unlimited water becomes falling water, which is
            // full, too.
            7 => 8,
            height => 8 - height,
        };
        Ok(self.alike("minecraft:water", OLD_WATER, Some(level)))
    }

    /// Returns a state in the same form as this one: by `name` since 1.13, by the number `id`
    /// before.
    fn alike(&self, name: &str, id: u16, level: Option<u8>) -> State {
        match self {
            State::Numbered(_) => State::Numbered(id << 4 | u16::from(level.unwrap_or(0))),
            State::Named(_) => State::named(name, level),
        }
    }

    /// Returns the state of the block with a name, with the property `level` if one is given.
    pub fn named(name: &str, level: Option<u8>) -> State {
        let mut fields = vec![splice::field(kind::TEXT, "Name", &splice::text(name))];
        if let Some(level) = level {
            let level = splice::field(kind::TEXT, "level", &splice::text(&level.to_string()));
            let properties = splice::compound(&[level]);
            fields.push(splice::field(kind::COMPOUND, "Properties", &properties));
        }
        State::Named(splice::compound(&fields))
    }

    /// Returns the state with the other value of its property `waterlogged`; `None` if it has no
    /// such property.
    fn with_other_waterlogging(&self) -> Result<Option<State>, Malformed> {
        let State::Named(payload) = self else { return Ok(None) };
        let bytes = document(payload);
        let nbt = Nbt::read(&bytes)?;
        let Some(properties) = nbt.get(nbt.root, "Properties", kind::COMPOUND)? else {
            return Ok(None);
        };
        let Some(value) = nbt.get(properties, "waterlogged", kind::TEXT)? else {
            return Ok(None);
        };
        let other = match nbt.text(properties, "waterlogged")? {
            Some("true") => "false",
            _ => "true",
        };
        let mut splices = Splices::default();
        splices.replace(value.payload(), splice::text(other));
        let bytes = splices.apply(&bytes);
        Ok(Some(State::Named(bytes[DOCUMENT.len()..].to_vec())))
    }
}

/// The first bytes of a document: its root is a compound without a name.
const DOCUMENT: [u8; 3] = [kind::COMPOUND, 0, 0];

/// Returns the document whose root has this payload.
fn document(payload: &[u8]) -> Vec<u8> {
    [&DOCUMENT, payload].concat()
}
