//! Columns of blocks of every version of the game, and region files of them, written and read
//! without regard to speed.

use super::nbt::{Tag, compound, list, text};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder, ZlibDecoder, ZlibEncoder};
use std::collections::BTreeMap;
use std::io::Read;

/// How a version stores blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.12: numbers.
    Numbered,
    /// 1.13: indices without gaps.
    Spanning,
    /// 1.16: indices with gaps.
    Padded,
    /// 1.18: the same, and heights below 0.
    Contained,
}

impl Version {
    /// All of them.
    pub const ALL: [Version; 4] =
        [Version::Numbered, Version::Spanning, Version::Padded, Version::Contained];

    fn data_version(self) -> i32 {
        match self {
            Version::Numbered => 1139,
            Version::Spanning => 1976,
            Version::Padded => 2730,
            Version::Contained => 3465,
        }
    }

    /// The sections of a column, in chunks.
    pub fn span(self) -> std::ops::RangeInclusive<i32> {
        if self == Version::Contained { -4..=19 } else { 0..=15 }
    }
}

/// The state of a block, as files of any version have it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Block {
    /// By name and properties.
    Named(String, Vec<(String, String)>),
    /// By number and data.
    Numbered(u16, u8),
}

impl Block {
    /// The block of this name, with one property unless that is empty.
    pub fn named(name: &str, property: &str, value: &str) -> Block {
        let properties = if property.is_empty() {
            Vec::new()
        } else {
            vec![(property.to_owned(), value.to_owned())]
        };
        Block::Named(format!("minecraft:{name}"), properties)
    }

    fn tag(&self) -> Tag {
        let Block::Named(name, properties) = self else { panic!("not named: {self:?}") };
        let properties: Vec<_> =
            properties.iter().map(|(key, value)| (key.clone(), text(value))).collect();
        if properties.is_empty() {
            return compound([("Name", text(name))]);
        }
        compound([("Properties", Tag::Compound(properties)), ("Name", text(name))])
    }

    fn of_tag(tag: &Tag) -> Block {
        let properties = match tag.get("Properties") {
            Some(Tag::Compound(fields)) => {
                fields.iter().map(|(key, value)| (key.clone(), value.text().to_owned())).collect()
            }
            _ => Vec::new(),
        };
        Block::Named(tag.get("Name").expect("a name").text().to_owned(), properties)
    }
}

/// What the cell of a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Ground,
    Source,
    Units(u8),
}

/// Blocks of a version, and what their cells hold.
pub fn catalogue(version: Version) -> Vec<(Block, Holds)> {
    use Holds::{Ground, Source, Units};
    if version == Version::Numbered {
        let mut blocks: Vec<(Block, Holds)> = (1..=15)
            .map(|level| (Block::Numbered(9, level), Units(if level > 7 { 7 } else { 8 - level })))
            .collect();
        // Air, stone, sources, grass, tall grass, a rail, a torch, lava, snow in layers and whole,
        // and a block of a mod.
        let others = [
            (0, 0, Units(0)),
            (1, 3, Ground),
            (9, 0, Source),
            (8, 0, Source),
            (2, 0, Ground),
            (31, 1, Units(0)),
            (66, 5, Units(0)),
            (50, 1, Units(0)),
            (11, 0, Ground),
            (78, 3, Units(0)),
            (80, 0, Ground),
            (3000, 7, Ground),
        ];
        blocks.extend(others.map(|(id, data, holds)| (Block::Numbered(id, data), holds)));
        return blocks;
    }
    let level = |level: u8| Block::named("water", "level", &level.to_string());
    let mut blocks: Vec<(Block, Holds)> = (1..=15)
        .map(|value| (level(value), Units(if value > 7 { 7 } else { 8 - value })))
        .collect();
    let others = [
        ("air", "", "", Units(0)),
        ("cave_air", "", "", Units(0)),
        ("stone", "", "", Ground),
        ("water", "level", "0", Source),
        ("kelp", "age", "3", Source),
        ("bubble_column", "drag", "true", Source),
        ("poppy", "", "", Units(0)),
        ("wall_torch", "facing", "west", Units(0)),
        ("rail", "waterlogged", "true", Source),
        ("rail", "waterlogged", "false", Units(0)),
        ("oak_slab", "waterlogged", "true", Ground),
        ("oak_leaves", "waterlogged", "false", Ground),
        ("lava", "level", "0", Ground),
        ("snow", "layers", "2", Units(0)),
        ("piston_head", "", "", Ground),
    ];
    let named = |(name, property, value, holds)| (Block::named(name, property, value), holds);
    blocks.extend(others.map(named));
    blocks.push((Block::Named("mod:torch".to_owned(), Vec::new()), Ground));
    blocks
}

/// A column: x and z in chunks, and the blocks of its sections, 4,096 each, by their y in chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    pub version: Version,
    pub x: i32,
    pub z: i32,
    pub sections: BTreeMap<i32, Vec<Block>>,
}

impl Column {
    /// The column of sections at these y with the blocks of a function of their positions.
    pub fn of(
        version: Version,
        [x, z]: [i32; 2],
        sections: std::ops::Range<i32>,
        block: impl Fn(i32, i32, i32) -> Block,
    ) -> Column {
        let section = |y| {
            let at = |at: i32| block(x * 16 + at % 16, y * 16 + at / 256, z * 16 + at / 16 % 16);
            (y, (0..4096).map(at).collect())
        };
        Column { version, x, z, sections: sections.map(section).collect() }
    }

    /// Its place in a region file.
    pub fn place(&self) -> [u8; 2] {
        [(self.x & 31) as u8, (self.z & 31) as u8]
    }

    /// The column as the game would store it, with data that has nothing to do with blocks.
    pub fn tag(&self) -> Tag {
        let sections: Vec<Tag> =
            self.sections.iter().map(|(&y, blocks)| self.section(y, blocks)).collect();
        let version = ("DataVersion", Tag::Int(self.version.data_version()));
        let unknown = Tag::Other(11, vec![0, 0, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]);
        let (x, z) = (("xPos", Tag::Int(self.x)), ("zPos", Tag::Int(self.z)));
        if self.version == Version::Contained {
            return compound([
                version,
                x,
                z,
                ("yPos", Tag::Int(-4)),
                ("Status", text("minecraft:full")),
                ("sections", list(sections)),
                ("Heightmaps", compound([("WORLD_SURFACE", Tag::Longs(vec![7; 37]))])),
                ("block_entities", list(vec![compound([("id", text("a chest"))])])),
                ("unknown", unknown),
            ]);
        }
        let level = compound([
            x,
            ("HeightMap", unknown),
            ("Sections", list(sections)),
            z,
            ("Entities", list(vec![compound([("id", text("a cow")), ("Air", Tag::Byte(9))])])),
        ]);
        compound([("Level", level), version])
    }

    fn section(&self, y: i32, blocks: &[Block]) -> Tag {
        let y = ("Y", Tag::Byte(y as i8));
        let light = ("BlockLight", Tag::Bytes(vec![y_light(&y.1); 2048]));
        if self.version == Version::Numbered {
            let number = |at: usize| match blocks[at] {
                Block::Numbered(id, data) => (id, data),
                ref block => panic!("not numbered: {block:?}"),
            };
            let pairs = |half: &dyn Fn(usize) -> u8| {
                Tag::Bytes((0..2048).map(|at| half(2 * at) | half(2 * at + 1) << 4).collect())
            };
            let low = Tag::Bytes((0..4096).map(|at| number(at).0 as u8).collect());
            let add = pairs(&|at| (number(at).0 >> 8) as u8);
            return compound([
                ("Blocks", low),
                light,
                ("Add", add),
                ("Data", pairs(&|at| number(at).1)),
                y,
            ]);
        }
        let mut palette: Vec<&Block> = blocks.iter().collect();
        palette.sort();
        palette.dedup();
        let bits = (4..).find(|&bits| palette.len() <= 1 << bits).expect("few states");
        let indices = blocks.iter().map(|block| palette.binary_search(&block).expect("in it"));
        let data = Tag::Longs(packed(indices, bits, self.version == Version::Spanning));
        let states = list(palette.iter().map(|block| block.tag()).collect());
        if self.version != Version::Contained {
            return compound([("Palette", states), light, ("BlockStates", data), y]);
        }
        let held = if palette.len() == 1 {
            compound([("palette", states)])
        } else {
            compound([("data", data), ("palette", states)])
        };
        compound([y, ("block_states", held), light, ("biomes", compound([("b", text("x"))]))])
    }

    /// Reads the column of a tag.
    pub fn of_tag(tag: &Tag) -> Column {
        let version = tag.get("DataVersion").expect("a version").int();
        let version = Version::ALL
            .into_iter()
            .rev()
            .find(|known| known.data_version() <= version)
            .expect("a known version");
        let parent = tag.get("Level").unwrap_or(tag);
        let number = |name| parent.get(name).expect("a number").int();
        let sections = parent.get("Sections").or(parent.get("sections")).expect("sections");
        let section =
            |tag: &Tag| Some((tag.get("Y").expect("a height").int(), blocks_of(tag, version)?));
        let sections = sections.elements().iter().filter_map(section).collect();
        Column { version, x: number("xPos"), z: number("zPos"), sections }
    }
}

/// Some light, which tells the sections apart.
fn y_light(y: &Tag) -> u8 {
    y.int() as u8
}

/// Indices as the game packs them, bit by bit.
fn packed(indices: impl Iterator<Item = usize>, bits: usize, is_spanning: bool) -> Vec<u64> {
    let mut longs = vec![0; 4096];
    for (at, index) in indices.enumerate() {
        let first = first_bit(at, bits, is_spanning);
        for bit in (0..bits).filter(|bit| index >> bit & 1 == 1) {
            longs[(first + bit) / 64] |= 1 << ((first + bit) % 64);
        }
    }
    longs.truncate(first_bit(4095, bits, is_spanning) / 64 + 1);
    longs
}

fn first_bit(at: usize, bits: usize, is_spanning: bool) -> usize {
    let each = 64 / bits;
    if is_spanning { at * bits } else { at / each * 64 + at % each * bits }
}

/// The blocks of a section, if it has any.
fn blocks_of(tag: &Tag, version: Version) -> Option<Vec<Block>> {
    if version == Version::Numbered {
        let array = |name| match tag.get(name) {
            Some(Tag::Bytes(bytes)) => bytes.clone(),
            _ => vec![0; 2048],
        };
        let (blocks, add, data) = (array("Blocks"), array("Add"), array("Data"));
        let half = |bytes: &[u8], at: usize| bytes[at / 2] >> (at % 2 * 4) & 15;
        let block = |at| {
            let id = u16::from(half(&add, at)) << 8 | u16::from(blocks[at]);
            Block::Numbered(id, half(&data, at))
        };
        return Some((0..4096).map(block).collect());
    }
    let (holder, palette, data) = match version {
        Version::Contained => (tag.get("block_states")?, "palette", "data"),
        _ => (tag, "Palette", "BlockStates"),
    };
    let palette: Vec<Block> = holder.get(palette)?.elements().iter().map(Block::of_tag).collect();
    let longs = match holder.get(data) {
        Some(Tag::Longs(longs)) => longs.clone(),
        _ => vec![0; 4096],
    };
    let bits = (4..).find(|&bits| palette.len() <= 1 << bits).expect("few states");
    let index = |at| {
        let first = first_bit(at, bits, version == Version::Spanning);
        (0..bits).fold(0, |index, bit| {
            let at = first + bit;
            index | ((longs[at / 64] >> (at % 64) & 1) as usize) << bit
        })
    };
    Some((0..4096).map(|at| palette[index(at)].clone()).collect())
}

/// How a column is compressed: the byte in the file.
pub const GZIP: u8 = 1;
/// By zlib.
pub const ZLIB: u8 = 2;
/// Not at all.
pub const PLAIN: u8 = 3;

/// A region file of documents at places x and z, 0 to 31, each compressed in its way.
pub fn file(columns: &[([u8; 2], u8, Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0; 8192];
    // Times, which nothing here depends on.
    file[4096..].fill(0x5a);
    for ([x, z], compression, document) in columns {
        let mut bytes = Vec::new();
        let level = Compression::best();
        match *compression {
            GZIP => GzEncoder::new(&document[..], level).read_to_end(&mut bytes),
            ZLIB => ZlibEncoder::new(&document[..], level).read_to_end(&mut bytes),
            _ => (&document[..]).read_to_end(&mut bytes),
        }
        .expect("reading from memory");
        let sectors = (bytes.len() + 5).div_ceil(4096);
        let place = (file.len() / 4096) << 8 | sectors.min(255);
        let at = 4 * (usize::from(*x) + 32 * usize::from(*z));
        file[at..at + 4].copy_from_slice(&(place as u32).to_be_bytes());
        file.extend((bytes.len() as u32 + 1).to_be_bytes());
        file.push(*compression);
        file.extend(bytes);
        file.resize(file.len().next_multiple_of(4096), 0);
    }
    file
}

/// The documents of a sound region file, with their places.
pub fn documents(file: &[u8]) -> Vec<([u8; 2], Vec<u8>)> {
    let mut documents = Vec::new();
    for at in 0..1024 {
        let place = u32::from_be_bytes(file[4 * at..][..4].try_into().expect("four bytes"));
        if place == 0 {
            continue;
        }
        let column = &file[(place >> 8) as usize * 4096..];
        let length = u32::from_be_bytes(column[..4].try_into().expect("four bytes")) as usize;
        let bytes = &column[5..4 + length];
        let document = decompressed(column[4], bytes);
        documents.push(([at as u8 % 32, (at / 32) as u8], document));
    }
    documents
}

/// Sound bytes that are compressed in this way.
pub fn decompressed(compression: u8, bytes: &[u8]) -> Vec<u8> {
    let mut document = Vec::new();
    match compression {
        GZIP => GzDecoder::new(bytes).read_to_end(&mut document),
        ZLIB => ZlibDecoder::new(bytes).read_to_end(&mut document),
        _ => (&mut &bytes[..]).read_to_end(&mut document),
    }
    .expect("sound bytes");
    document
}
