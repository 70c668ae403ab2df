//! Snapshots in few bytes: run-length coding in which a run repeats what lies a cell, a row or a
//! layer of cells before it (LZ77 with seven distances), so that even ground takes little.

use crate::water::varint::{read_varint, write_varint};

/// How far before a run lies what it repeats, by kind from 1 on: a byte; cells of two and four
/// bytes, their rows of a cube, and their layers.
const DISTANCES: [usize; 7] = [1, 2, 4, 32, 64, 512, 1024];

/// The most bytes of a run, so that no byte of a packed snapshot unpacks to more than 1366.
const LONGEST: usize = 4096;

/// The least bytes that a run which repeats is worth: a shorter one would interrupt the bytes
/// around it for nothing.
const WORTHWHILE: usize = 6;

/// A snapshot, packed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Packed(Vec<u8>);

impl Packed {
    /// Returns a snapshot, packed.
    pub(super) fn pack(bytes: &[u8]) -> Packed {
        let mut out = Vec::new();
        write_varint(&mut out, bytes.len() as u64);
        let (mut at, mut literal) = (0, 0);
        while at < bytes.len() {
            let (kind, length) = longest(bytes, at);
            if length < WORTHWHILE {
                at += 1;
                continue;
            }
            put_literals(&mut out, &bytes[literal..at]);
            write_varint(&mut out, (length * 8 + kind) as u64);
            at += length;
            literal = at;
        }
        put_literals(&mut out, &bytes[literal..]);
        Packed(out)
    }

    /// Returns what these bytes hold, if they are a packed snapshot and nothing more.
    pub(super) fn checked(bytes: &[u8]) -> Option<Packed> {
        let mut length = 0;
        let expected = walk(bytes, |run| {
            length += match run {
                Run::Bytes(bytes) => bytes.len(),
                Run::Again { distance, count } => (distance <= length).then_some(count)?,
            };
            Some(())
        })?;
        (expected == length as u64).then(|| Packed(bytes.to_vec()))
    }

    /// Returns the packed bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the snapshot.
    pub(super) fn unpack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        walk(&self.0, |run| {
            match run {
                Run::Bytes(bytes) => out.extend_from_slice(bytes),
                Run::Again { distance, count } => {
                    for _ in 0..count {
                        out.push(out[out.len() - distance]);
                    }
                }
            }
            Some(())
        });
        out
    }
}

/// Returns the kind and the length of the longest run that begins at `at`.
fn longest(bytes: &[u8], at: usize) -> (usize, usize) {
    let mut best = (0, 0);
    for (kind, &distance) in DISTANCES.iter().enumerate() {
        let Some(from) = at.checked_sub(distance) else { break };
        let end = bytes.len().min(at + LONGEST);
        let pairs = bytes[at..end].iter().zip(&bytes[from..]);
        let length = pairs.take_while(|(now, before)| now == before).count();
        if length > best.1 {
            best = (kind + 1, length);
        }
    }
    best
}

fn put_literals(out: &mut Vec<u8>, bytes: &[u8]) {
    for bytes in bytes.chunks(LONGEST) {
        write_varint(out, (bytes.len() * 8) as u64);
        out.extend_from_slice(bytes);
    }
}

/// A piece of a snapshot.
enum Run<'b> {
    Bytes(&'b [u8]),
    Again { distance: usize, count: usize },
}

/// Hands over all runs until `visit` returns `None`. Returns the number of bytes that the packed
/// ones say they hold; `None` if they break off or hold something else than runs.
fn walk<'b>(bytes: &'b [u8], mut visit: impl FnMut(Run<'b>) -> Option<()>) -> Option<u64> {
    let mut at = 0;
    let length = read_varint(bytes, &mut at).ok()?;
    while at < bytes.len() {
        let run = read_varint(bytes, &mut at).ok()?;
        let count = usize::try_from(run / 8).ok().filter(|count| (1..=LONGEST).contains(count))?;
        let run = match (run % 8) as usize {
            0 => {
                let bytes = bytes[at..].get(..count)?;
                at += count;
                Run::Bytes(bytes)
            }
            kind => Run::Again { distance: DISTANCES[kind - 1], count },
        };
        visit(run)?;
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8]) -> usize {
        let packed = Packed::pack(bytes);
        assert!(packed.unpack() == bytes);
        assert!(Packed::checked(packed.bytes()).as_ref() == Some(&packed));
        packed.bytes().len()
    }

    #[test]
    fn what_is_packed_is_unpacked_to_the_same() {
        let mut random = fastrand::Rng::with_seed(5);
        assert_eq!(check(&[]), 1);
        assert_eq!(check(&[7; 8192]), 2 + 2 + 3 + 3, "their number, one of them, two long runs");
        for length in 0..200 {
            let few: Vec<u8> = (0..length * 9).map(|_| random.u8(..2)).collect();
            check(&few);
            let rows: Vec<u8> = (0..length * 64).map(|at| (at / 7 % 5 * (at % 32)) as u8).collect();
            check(&rows);
            let noise: Vec<u8> = (0..length * 50).map(|_| random.u8(..)).collect();
            assert!(check(&noise) <= noise.len() + 3 * (1 + noise.len() / LONGEST) + 3);
        }
    }

    #[test]
    fn what_breaks_off_or_reaches_before_the_start_is_refused() {
        let packed =
            Packed::pack(b"water water everywhere, nor any drop, drop, drop, drop to drink");
        for length in 0..packed.bytes().len() {
            assert!(Packed::checked(&packed.bytes()[..length]).is_none(), "{length}");
        }
        for (bytes, fault) in [
            (&[8, 8 * 8 + 1][..], "repeats what is not there"),
            (&[1, 0], "a run of no bytes"),
            (&[2, 8, 5], "one byte for two"),
        ] {
            assert!(Packed::checked(bytes).is_none(), "{fault}");
        }
        let mut long = vec![0];
        write_varint(&mut long, (LONGEST as u64 + 1) * 8);
        assert!(Packed::checked(&long).is_none());
    }
}
