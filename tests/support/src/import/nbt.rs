//! A naive tree of NBT: everything is copied, and written again as it was.

/// A tag.
#[derive(Clone, Debug, PartialEq)]
pub enum Tag {
    Byte(i8),
    Int(i32),
    Bytes(Vec<u8>),
    Text(String),
    /// Its kind, and the elements.
    List(u8, Vec<Tag>),
    Compound(Vec<(String, Tag)>),
    Longs(Vec<u64>),
    /// Any other kind, with the bytes of its payload.
    Other(u8, Vec<u8>),
}

/// A compound of fields.
pub fn compound<const N: usize>(fields: [(&str, Tag); N]) -> Tag {
    Tag::Compound(fields.into_iter().map(|(name, tag)| (name.to_owned(), tag)).collect())
}

/// A text.
pub fn text(text: &str) -> Tag {
    Tag::Text(text.to_owned())
}

/// A list of compounds.
pub fn list(tags: Vec<Tag>) -> Tag {
    Tag::List(10, tags)
}

impl Tag {
    fn kind(&self) -> u8 {
        match self {
            Tag::Byte(_) => 1,
            Tag::Int(_) => 3,
            Tag::Bytes(_) => 7,
            Tag::Text(_) => 8,
            Tag::List(..) => 9,
            Tag::Compound(_) => 10,
            Tag::Longs(_) => 12,
            Tag::Other(kind, _) => *kind,
        }
    }

    /// The document whose root this is.
    pub fn document(&self) -> Vec<u8> {
        let mut bytes = vec![self.kind(), 0, 0];
        self.write(&mut bytes);
        bytes
    }

    fn write(&self, to: &mut Vec<u8>) {
        let text = |text: &str, to: &mut Vec<u8>| {
            to.extend((text.len() as u16).to_be_bytes());
            to.extend(text.bytes());
        };
        match self {
            Tag::Byte(byte) => to.push(*byte as u8),
            Tag::Int(int) => to.extend(int.to_be_bytes()),
            Tag::Bytes(bytes) => {
                to.extend((bytes.len() as u32).to_be_bytes());
                to.extend(bytes);
            }
            Tag::Text(value) => text(value, to),
            Tag::List(kind, tags) => {
                to.push(*kind);
                to.extend((tags.len() as u32).to_be_bytes());
                tags.iter().for_each(|tag| tag.write(to));
            }
            Tag::Compound(fields) => {
                for (name, tag) in fields {
                    to.push(tag.kind());
                    text(name, to);
                    tag.write(to);
                }
                to.push(0);
            }
            Tag::Longs(longs) => {
                to.extend((longs.len() as u32).to_be_bytes());
                longs.iter().for_each(|long| to.extend(long.to_be_bytes()));
            }
            Tag::Other(_, payload) => to.extend(payload),
        }
    }

    /// Reads a sound document.
    pub fn read(bytes: &[u8]) -> Tag {
        let name = usize::from(u16::from_be_bytes([bytes[1], bytes[2]]));
        read(bytes[0], &mut &bytes[3 + name..])
    }

    /// The field of this name, if there is one.
    pub fn get(&self, name: &str) -> Option<&Tag> {
        let Tag::Compound(fields) = self else { panic!("no compound: {self:?}") };
        fields.iter().find(|(key, _)| key == name).map(|(_, tag)| tag)
    }

    /// The field of this name, which is there.
    pub fn get_mut(&mut self, name: &str) -> &mut Tag {
        let Tag::Compound(fields) = self else { panic!("no compound: {self:?}") };
        &mut fields.iter_mut().find(|(key, _)| key == name).expect(name).1
    }

    /// The tag without these fields, at any depth.
    pub fn without(self, names: &[&str]) -> Tag {
        match self {
            Tag::Compound(fields) => {
                let kept = fields.into_iter().filter(|(name, _)| !names.contains(&name.as_str()));
                Tag::Compound(kept.map(|(name, tag)| (name, tag.without(names))).collect())
            }
            Tag::List(kind, tags) => {
                Tag::List(kind, tags.into_iter().map(|tag| tag.without(names)).collect())
            }
            tag => tag,
        }
    }

    /// The number, of whatever kind.
    pub fn int(&self) -> i32 {
        match self {
            Tag::Byte(byte) => (*byte).into(),
            Tag::Int(int) => *int,
            tag => panic!("no number: {tag:?}"),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        let Tag::Text(text) = self else { panic!("no text: {self:?}") };
        text
    }

    /// The elements of the list.
    pub fn elements(&self) -> &[Tag] {
        let Tag::List(_, tags) = self else { panic!("no list: {self:?}") };
        tags
    }
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (taken, rest) = from.split_at(count);
    *from = rest;
    taken
}

fn number(from: &mut &[u8], count: usize) -> u64 {
    take(from, count).iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn read(kind: u8, from: &mut &[u8]) -> Tag {
    let text = |from: &mut &[u8]| {
        let length = number(from, 2) as usize;
        String::from_utf8_lossy(take(from, length)).into_owned()
    };
    match kind {
        1 => Tag::Byte(number(from, 1) as i8),
        3 => Tag::Int(number(from, 4) as i32),
        2 => Tag::Other(kind, take(from, 2).to_vec()),
        5 => Tag::Other(kind, take(from, 4).to_vec()),
        4 | 6 => Tag::Other(kind, take(from, 8).to_vec()),
        7 => {
            let length = number(from, 4) as usize;
            Tag::Bytes(take(from, length).to_vec())
        }
        8 => Tag::Text(text(from)),
        9 => {
            let (kind, length) = (number(from, 1) as u8, number(from, 4));
            Tag::List(kind, (0..length).map(|_| read(kind, from)).collect())
        }
        10 => {
            let mut fields = Vec::new();
            loop {
                let kind = number(from, 1) as u8;
                if kind == 0 {
                    return Tag::Compound(fields);
                }
                let name = text(from);
                fields.push((name, read(kind, from)));
            }
        }
        11 => {
            let length = u32::from_be_bytes(from[..4].try_into().expect("four bytes")) as usize;
            Tag::Other(kind, take(from, 4 + 4 * length).to_vec())
        }
        12 => {
            let length = number(from, 4);
            Tag::Longs((0..length).map(|_| number(from, 8)).collect())
        }
        _ => panic!("kind {kind}"),
    }
}
