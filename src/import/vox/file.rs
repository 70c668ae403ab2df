//! The chunks of a `.vox` file: models with their sizes, the palette, and the nodes of the scene.

use super::error::VoxError;
use super::palette::{Palette, VoxMaterial};
use glam::IVec3;
use hashbrown::{HashMap, HashSet};

/// A model: the voxels of a box, with x and y level, and z up.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// The sides of the box, 1 to 256 each.
    pub size: IVec3,
    /// The position and the colour of each voxel, as in the file.
    pub voxels: Vec<[u8; 4]>,
}

/// A node of the scene.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Transform {
        child: u32,
        layer: i32,
        is_hidden: bool,
        rotation: u8,
        translation: IVec3,
    },
    Group(Vec<u32>),
    /// A shape, with the number of the model of its first frame.
    Shape(u32),
}

/// The contents of a file that decide its cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    pub models: Vec<Model>,
    pub palette: Palette,
    pub nodes: HashMap<u32, Node>,
    /// The numbers of layers that are not shown.
    pub hidden_layers: HashSet<i32>,
    /// The number of frames of animations after the first frame.
    pub later_frames: usize,
}

/// The longest side of a model, whose coordinates are bytes.
const LONGEST_SIDE: u32 = 256;

/// The rotation that leaves everything as it is: the first row has its 1 in the first place, the
/// second in the second.
const NO_ROTATION: u8 = 0b0100;

impl Contents {
    pub fn read(bytes: &[u8]) -> Result<Contents, VoxError> {
        let mut reader = Reader { bytes, at: 0 };
        reader.expect(b"VOX ", "a MagicaVoxel file")?;
        reader.number()?;
        reader.expect(b"MAIN", "the chunk MAIN")?;
        let (content, children) = (reader.number()?, reader.number()?);
        reader.take(content)?;
        let mut main = reader.part(children)?;
        let mut contents = Contents::default();
        let mut size = None;
        while !main.is_at_end() {
            let at = main.at;
            let id = main.take(4)?;
            let (content, children) = (main.number()?, main.number()?);
            let mut chunk = main.part(content)?;
            main.take(children)?;
            match id {
                b"SIZE" => size = Some(chunk.size()?),
                b"XYZI" => {
                    let wanted = "the size of the model";
                    let malformed = VoxError::Malformed { at: chunk.at, wanted };
                    contents.models.push(chunk.model(size.take().ok_or(malformed)?)?);
                }
                b"TDCZ" => return Err(VoxError::Compressed { at }),
                b"RGBA" => contents.palette.read(chunk.take(content)?),
                b"MATL" => chunk.material(&mut contents.palette)?,
                b"MATT" => chunk.old_material(&mut contents.palette)?,
                b"nTRN" => {
                    let frames = chunk.transform(&mut contents.nodes)?;
                    contents.later_frames = contents.later_frames.saturating_add(frames);
                }
                b"nGRP" => chunk.group(&mut contents.nodes)?,
                b"nSHP" => {
                    let frames = chunk.shape(&mut contents.nodes)?;
                    contents.later_frames = contents.later_frames.saturating_add(frames);
                }
                b"LAYR" => contents.hidden_layers.extend(chunk.hidden_layer()?),
                _ => {}
            }
        }
        if contents.models.is_empty() { Err(VoxError::NoModels) } else { Ok(contents) }
    }
}

/// Reads forwards, and refuses to read past the end of its part of the file.
struct Reader<'a> {
    /// The bytes of the file up to the end of the part.
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn malformed(&self, wanted: &'static str) -> VoxError {
        VoxError::Malformed { at: self.at, wanted }
    }

    fn take(&mut self, count: u32) -> Result<&'a [u8], VoxError> {
        let end = self.at.checked_add(count as usize);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(self.malformed("more bytes"))?;
        self.at += taken.len();
        Ok(taken)
    }

    /// Returns a reader of the next bytes, and advances past them.
    fn part(&mut self, count: u32) -> Result<Reader<'a>, VoxError> {
        let start = self.at;
        self.take(count)?;
        Ok(Reader { bytes: &self.bytes[..self.at], at: start })
    }

    fn expect(&mut self, wanted: &[u8; 4], name: &'static str) -> Result<(), VoxError> {
        let error = self.malformed(name);
        if self.take(4)? == wanted { Ok(()) } else { Err(error) }
    }

    fn number(&mut self) -> Result<u32, VoxError> {
        let bytes = self.take(4)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    fn size(&mut self) -> Result<IVec3, VoxError> {
        let mut side = || {
            let error = self.malformed("a side of 1 to 256");
            let side = self.number()?;
            if (1..=LONGEST_SIDE).contains(&side) { Ok(side as i32) } else { Err(error) }
        };
        Ok(IVec3::new(side()?, side()?, side()?))
    }

    fn model(&mut self, size: IVec3) -> Result<Model, VoxError> {
        let count = self.number()?;
        let start = self.at;
        let bytes = self.take(count.saturating_mul(4))?;
        let (voxels, _) = bytes.as_chunks::<4>();
        let is_outside =
            |&[x, y, z, _]: &[u8; 4]| IVec3::new(x.into(), y.into(), z.into()).cmpge(size).any();
        match voxels.iter().position(is_outside) {
            Some(voxel) => {
                Err(VoxError::Malformed { at: start + 4 * voxel, wanted: "a voxel in the model" })
            }
            None => Ok(Model { size, voxels: voxels.to_vec() }),
        }
    }

    fn text(&mut self) -> Result<&'a [u8], VoxError> {
        let length = self.number()?;
        self.take(length)
    }

    /// Reads a dictionary, and calls `note` with each key and value.
    fn dictionary(
        &mut self,
        mut note: impl FnMut(&[u8], &[u8]) -> Result<(), &'static str>,
    ) -> Result<(), VoxError> {
        for _ in 0..self.number()? {
            let (key, at) = (self.text()?, self.at);
            let value = self.text()?;
            note(key, value).map_err(|wanted| VoxError::Malformed { at, wanted })?;
        }
        Ok(())
    }

    /// Reads a dictionary, and returns whether it hides its node or layer.
    fn is_hidden(&mut self) -> Result<bool, VoxError> {
        let mut is_hidden = false;
        self.dictionary(|key, value| {
            is_hidden |= key == b"_hidden" && value == b"1";
            Ok(())
        })?;
        Ok(is_hidden)
    }

    fn material(&mut self, palette: &mut Palette) -> Result<(), VoxError> {
        let id = self.number()?;
        self.dictionary(|key, value| {
            if key == b"_type" {
                palette.set_material(id, VoxMaterial::of_name(value));
            }
            Ok(())
        })
    }

    fn old_material(&mut self, palette: &mut Palette) -> Result<(), VoxError> {
        let id = self.number()?;
        palette.set_material(id, VoxMaterial::of_number(self.number()?));
        Ok(())
    }

    /// Returns the number of frames after the first.
    fn transform(&mut self, nodes: &mut HashMap<u32, Node>) -> Result<usize, VoxError> {
        let id = self.number()?;
        let is_hidden = self.is_hidden()?;
        let child = self.number()?;
        self.number()?;
        let layer = self.number()? as i32;
        let (mut rotation, mut translation) = (NO_ROTATION, IVec3::ZERO);
        let frames = self.number()?;
        // Only the first frame of an animation counts.
        if frames > 0 {
            self.dictionary(|key, value| {
                match key {
                    b"_r" => rotation = parsed(value).ok_or("a rotation")?,
                    b"_t" => translation = translation_of(value).ok_or("a translation")?,
                    _ => {}
                }
                Ok(())
            })?;
        }
        nodes.insert(id, Node::Transform { child, layer, is_hidden, rotation, translation });
        Ok(frames.saturating_sub(1) as usize)
    }

    fn group(&mut self, nodes: &mut HashMap<u32, Node>) -> Result<(), VoxError> {
        let id = self.number()?;
        self.is_hidden()?;
        let count = self.number()?;
        let (children, _) = self.take(count.saturating_mul(4))?.as_chunks::<4>();
        let children = children.iter().map(|&child| u32::from_le_bytes(child)).collect();
        nodes.insert(id, Node::Group(children));
        Ok(())
    }

    /// Returns the number of frames after the first.
    fn shape(&mut self, nodes: &mut HashMap<u32, Node>) -> Result<usize, VoxError> {
        let id = self.number()?;
        self.is_hidden()?;
        let error = self.malformed("a shape with a model");
        let frames = self.number()?;
        if frames == 0 {
            return Err(error);
        }
        nodes.insert(id, Node::Shape(self.number()?));
        Ok(frames as usize - 1)
    }

    /// Reads a layer, and returns its number if it is hidden.
    fn hidden_layer(&mut self) -> Result<Option<i32>, VoxError> {
        let id = self.number()? as i32;
        Ok(self.is_hidden()?.then_some(id))
    }
}

/// Returns the value of a text that is a number.
fn parsed<T: core::str::FromStr>(text: &[u8]) -> Option<T> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

fn translation_of(text: &[u8]) -> Option<IVec3> {
    let mut parts = text.split(|&byte| byte == b' ').filter(|part| !part.is_empty()).map(parsed);
    let mut part = || parts.next().flatten();
    Some(IVec3::new(part()?, part()?, part()?))
}
