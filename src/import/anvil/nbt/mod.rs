//! NBT (named binary tags) read in place: a tag is a range of the bytes, found by skipping the tags
//! before it, so only requested data is copied.
//!
//! The whole tree is skipped once before anything is read from it. Nesting is bounded as in the
//! game; lengths are compared with the remaining bytes before any allocation.
//!
//! `packing` handles numbers packed in arrays; `splice` replaces parts of a document.

pub(super) mod packing;
pub(super) mod splice;

use core::ops::Range;

/// The deepest nesting, which is the game's limit.
const DEEPEST: usize = 512;

/// Where bytes do not follow the format, and what the format requires there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub at: usize,
    pub wanted: &'static str,
}

/// The kinds of tags, by number.
pub(super) mod kind {
    pub const END: u8 = 0;
    pub const BYTE: u8 = 1;
    pub const SHORT: u8 = 2;
    pub const INT: u8 = 3;
    pub const LONG: u8 = 4;
    pub const FLOAT: u8 = 5;
    pub const DOUBLE: u8 = 6;
    pub const BYTES: u8 = 7;
    pub const TEXT: u8 = 8;
    pub const LIST: u8 = 9;
    pub const COMPOUND: u8 = 10;
    pub const INTS: u8 = 11;
    pub const LONGS: u8 = 12;
}

/// A tag without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub kind: u8,
    /// The offset of the payload's first byte, and that of the byte after its last.
    pub start: usize,
    pub end: usize,
}

impl Tag {
    pub fn payload(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A tag in a compound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub name: &'a [u8],
    /// Where the tag's kind and name begin.
    pub start: usize,
    pub tag: Tag,
}

impl Field<'_> {
    /// Returns the range of the bytes of kind, name and payload.
    pub fn range(&self) -> Range<usize> {
        self.start..self.tag.end
    }

    /// Returns the tag; an error if it is of another kind.
    pub fn of_kind(&self, kind: u8) -> Result<Tag, Malformed> {
        if self.tag.kind == kind {
            return Ok(self.tag);
        }
        Err(Malformed { at: self.start, wanted: name_of(kind) })
    }
}

/// A document of NBT.
#[derive(Clone, Copy)]
pub(super) struct Nbt<'a> {
    pub bytes: &'a [u8],
    pub root: Tag,
}

impl<'a> Nbt<'a> {
    /// Checks the whole document. Bytes after its root are ignored.
    pub fn read(bytes: &'a [u8]) -> Result<Nbt<'a>, Malformed> {
        let mut reader = Reader { bytes, at: 0 };
        let kind = reader.kind()?;
        if kind != kind::COMPOUND {
            return Err(Malformed { at: 0, wanted: "a compound" });
        }
        reader.name()?;
        let root = reader.tag(kind, 0)?;
        Ok(Nbt { bytes, root })
    }

    /// Returns the fields of a compound, in order.
    fn fields(&self, compound: Tag) -> impl Iterator<Item = Result<Field<'a>, Malformed>> {
        let mut reader = Reader { bytes: self.bytes, at: compound.start };
        core::iter::from_fn(move || reader.field().transpose())
    }

    /// Returns the first field with each of the names, of whatever kind. One pass finds them all,
    /// so a compound of a million fields costs no more than its bytes.
    pub fn select<const N: usize>(
        &self,
        compound: Tag,
        names: [&str; N],
    ) -> Result<[Option<Field<'a>>; N], Malformed> {
        let mut found = [None; N];
        for field in self.fields(compound) {
            let field = field?;
            let wanted = names.iter().position(|name| name.as_bytes() == field.name);
            if let Some(wanted) = wanted {
                found[wanted].get_or_insert(field);
            }
        }
        Ok(found)
    }

    /// Returns the first field with the name `name`, of whatever kind.
    pub fn any_field(&self, compound: Tag, name: &str) -> Result<Option<Field<'a>>, Malformed> {
        let [field] = self.select(compound, [name])?;
        Ok(field)
    }

    /// Returns the tag of the first field with the name `name`; an error if it is of another kind.
    pub fn get(&self, compound: Tag, name: &str, kind: u8) -> Result<Option<Tag>, Malformed> {
        self.any_field(compound, name)?.map(|field| field.of_kind(kind)).transpose()
    }

    /// Returns the whole number, of one to four bytes, in a field.
    pub fn int_in(&self, field: &Field<'_>) -> Result<i32, Malformed> {
        let mut reader = Reader { bytes: self.bytes, at: field.tag.start };
        match field.tag.kind {
            kind::BYTE => Ok(i32::from(reader.byte()? as i8)),
            kind::SHORT => Ok(i32::from(i16::from_be_bytes(reader.array()?))),
            kind::INT => Ok(i32::from_be_bytes(reader.array()?)),
            _ => Err(Malformed { at: field.start, wanted: "a whole number" }),
        }
    }

    /// Returns the text in a field. Block names and properties are ASCII, so Java's encoding of
    /// other characters is not read.
    pub fn text_in(&self, field: &Field<'_>) -> Result<&'a str, Malformed> {
        self.text_of(field.of_kind(kind::TEXT)?)
    }

    /// Returns the text in the first field with the name `name`, as [`text_in`](Nbt::text_in) does.
    pub fn text(&self, compound: Tag, name: &str) -> Result<Option<&'a str>, Malformed> {
        self.any_field(compound, name)?.map(|field| self.text_in(&field)).transpose()
    }

    fn text_of(&self, tag: Tag) -> Result<&'a str, Malformed> {
        let mut reader = Reader { bytes: self.bytes, at: tag.start };
        let bytes = reader.name()?;
        core::str::from_utf8(bytes).map_err(|_| Malformed { at: tag.start, wanted: "UTF-8" })
    }

    /// Returns the fields of a compound of texts, as names and values.
    pub fn texts(&self, compound: Tag) -> Result<Vec<(&'a str, &'a str)>, Malformed> {
        let pair = |field: Field<'a>| {
            if field.tag.kind != kind::TEXT {
                return Err(Malformed { at: field.start, wanted: name_of(kind::TEXT) });
            }
            let name = core::str::from_utf8(field.name)
                .map_err(|_| Malformed { at: field.start, wanted: "UTF-8" })?;
            Ok((name, self.text_of(field.tag)?))
        };
        self.fields(compound).map(|field| field.and_then(pair)).collect()
    }

    /// Returns the compounds in a list, which may have at most `most`. An empty list may have any
    /// kind.
    pub fn compounds(&self, list: Tag, most: usize) -> Result<Vec<Tag>, Malformed> {
        let mut reader = Reader { bytes: self.bytes, at: list.start };
        let (kind, count) = reader.list()?;
        if count == 0 {
            return Ok(Vec::new());
        }
        if kind != kind::COMPOUND {
            return Err(Malformed { at: list.start, wanted: "a list of compounds" });
        }
        if count > most {
            return Err(Malformed { at: list.start, wanted: "a shorter list" });
        }
        (0..count).map(|_| reader.tag(kind, 0)).collect()
    }

    /// Returns the texts in a list.
    pub fn texts_in_list(&self, list: Tag) -> Result<Vec<&'a str>, Malformed> {
        let mut reader = Reader { bytes: self.bytes, at: list.start };
        let (kind, count) = reader.list()?;
        if count > 0 && kind != kind::TEXT {
            return Err(Malformed { at: list.start, wanted: "a list of texts" });
        }
        (0..count).map(|_| self.text_of(reader.tag(kind, 0)?)).collect()
    }

    /// Returns the bytes of an array of numbers.
    pub fn bytes(&self, array: Tag) -> &'a [u8] {
        self.bytes.get(array.start + 4..array.end).unwrap_or_default()
    }

    /// Returns the numbers of an array of 64-bit numbers.
    pub fn longs(&self, array: Tag) -> Vec<u64> {
        let long = |bytes: &[u8]| bytes.iter().fold(0, |long, &byte| long << 8 | u64::from(byte));
        self.bytes(array).chunks_exact(8).map(long).collect()
    }
}

/// Reads forwards, and refuses to read past the end.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let end = self.at.checked_add(count);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(Malformed { at: self.at, wanted: "more bytes" })?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    fn kind(&mut self) -> Result<u8, Malformed> {
        let at = self.at;
        match self.byte()? {
            kind if kind <= kind::LONGS => Ok(kind),
            _ => Err(Malformed { at, wanted: "the kind of a tag" }),
        }
    }

    fn name(&mut self) -> Result<&'a [u8], Malformed> {
        let length = u16::from_be_bytes(self.array()?);
        self.take(usize::from(length))
    }

    /// Returns the length of an array.
    fn length(&mut self) -> Result<usize, Malformed> {
        let at = self.at;
        let length = i32::from_be_bytes(self.array()?);
        usize::try_from(length).map_err(|_| Malformed { at, wanted: "a length" })
    }

    /// Returns the kind and the length of a list. A negative length counts as empty, as in the
    /// game.
    fn list(&mut self) -> Result<(u8, usize), Malformed> {
        let at = self.at;
        let kind = self.kind()?;
        let count = usize::try_from(i32::from_be_bytes(self.array()?)).unwrap_or(0);
        if kind == kind::END && count > 0 {
            return Err(Malformed { at, wanted: "the kind of a list" });
        }
        Ok((kind, count))
    }

    /// Returns the next field of a compound; `None` at its end.
    fn field(&mut self) -> Result<Option<Field<'a>>, Malformed> {
        let start = self.at;
        let kind = self.kind()?;
        if kind == kind::END {
            return Ok(None);
        }
        let name = self.name()?;
        Ok(Some(Field { name, start, tag: self.tag(kind, 0)? }))
    }

    /// Returns the tag whose payload begins here.
    fn tag(&mut self, kind: u8, depth: usize) -> Result<Tag, Malformed> {
        let start = self.at;
        self.skip(kind, depth)?;
        Ok(Tag { kind, start, end: self.at })
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Malformed> {
        if let Some(size) = size_of_payload(kind) {
            return self.take(size).map(drop);
        }
        if depth > DEEPEST {
            return Err(Malformed { at: self.at, wanted: "less nesting" });
        }
        match kind {
            kind::TEXT => self.name().map(drop),
            kind::LIST => self.skip_list(depth),
            kind::COMPOUND => self.skip_compound(depth),
            _ => {
                let size = size_of_element(kind);
                let length = self.length()?;
                self.take(length.saturating_mul(size)).map(drop)
            }
        }
    }

    fn skip_list(&mut self, depth: usize) -> Result<(), Malformed> {
        let (kind, count) = self.list()?;
        match size_of_payload(kind) {
            Some(size) => self.take(count.saturating_mul(size)).map(drop),
            None => (0..count).try_for_each(|_| self.skip(kind, depth + 1)),
        }
    }

    fn skip_compound(&mut self, depth: usize) -> Result<(), Malformed> {
        loop {
            let kind = self.kind()?;
            if kind == kind::END {
                return Ok(());
            }
            self.name()?;
            self.skip(kind, depth + 1)?;
        }
    }
}

/// Returns the number of bytes in a payload of this kind; `None` if its length is not fixed.
fn size_of_payload(kind: u8) -> Option<usize> {
    match kind {
        kind::END => Some(0),
        kind::BYTE => Some(1),
        kind::SHORT => Some(2),
        kind::INT | kind::FLOAT => Some(4),
        kind::LONG | kind::DOUBLE => Some(8),
        _ => None,
    }
}

/// Returns the number of bytes in an element of an array.
fn size_of_element(kind: u8) -> usize {
    match kind {
        kind::INTS => 4,
        kind::LONGS => 8,
        _ => 1,
    }
}

fn name_of(kind: u8) -> &'static str {
    match kind {
        kind::BYTES => "an array of bytes",
        kind::TEXT => "a text",
        kind::LIST => "a list",
        kind::COMPOUND => "a compound",
        kind::LONGS => "an array of 64-bit numbers",
        _ => "a number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a document whose root has no name and one field, `x`, with this kind and payload.
    fn document(kind: u8, payload: &[u8]) -> Vec<u8> {
        [&[kind::COMPOUND, 0, 0, kind, 0, 1, b'x'], payload, &[kind::END]].concat()
    }

    #[test]
    fn numbers_are_read_with_their_sign() {
        for (kind, payload) in [
            (kind::BYTE, &[0xfc][..]),
            (kind::SHORT, &[0xff, 0xfc]),
            (kind::INT, &[255, 255, 255, 252]),
        ] {
            let bytes = document(kind, payload);
            let nbt = Nbt::read(&bytes).unwrap();
            let [x, y] = nbt.select(nbt.root, ["x", "y"]).unwrap();
            assert_eq!(nbt.int_in(&x.unwrap()), Ok(-4));
            assert!(y.is_none());
            let wanted = Malformed { at: 3, wanted: "a text" };
            assert_eq!(nbt.text(nbt.root, "x"), Err(wanted));
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let nested = |depth: usize| {
            let lists = [kind::LIST, 0, 0, 0, 1].repeat(depth);
            document(kind::LIST, &[&lists[..], &[kind::BYTE, 0, 0, 0, 0]].concat())
        };
        assert!(Nbt::read(&nested(DEEPEST - 2)).is_ok());
        assert_eq!(Nbt::read(&nested(100_000)).err().unwrap().wanted, "less nesting");
    }

    #[test]
    fn lists_without_a_kind_are_empty() {
        let list = |count: i32| {
            let count = count.to_be_bytes();
            document(kind::LIST, &[&[kind::END][..], &count].concat())
        };
        for count in [0, -1, i32::MIN] {
            let bytes = list(count);
            let nbt = Nbt::read(&bytes).unwrap();
            let tag = nbt.get(nbt.root, "x", kind::LIST).unwrap().unwrap();
            assert_eq!(nbt.compounds(tag, 4), Ok(Vec::new()));
        }
        assert_eq!(Nbt::read(&list(1)).err().unwrap().wanted, "the kind of a list");
    }

    #[test]
    fn lengths_beyond_the_end_are_refused() {
        for kind in [kind::BYTES, kind::INTS, kind::LONGS, kind::TEXT] {
            let bytes = document(kind, &[0x7f, 0xff, 0xff, 0xff]);
            assert_eq!(Nbt::read(&bytes).err().unwrap().wanted, "more bytes");
        }
        let bytes = document(kind::BYTES, &[0xff; 4]);
        assert_eq!(Nbt::read(&bytes).err().unwrap(), Malformed { at: 7, wanted: "a length" });
    }
}
