//! Headers and checksums.

use super::error::{DecodeError, DecodeProblem};
#[cfg(feature = "snapshot")]
use super::kind::Kind;
use super::reader::{Field, Reader};

/// The bytes of a checksum.
const CHECKSUM: usize = 4;

/// Appends the CRC-32 (IEEE) of the bytes from `start` on.
pub(crate) fn seal(out: &mut Vec<u8>, start: usize) {
    crc32fast::hash(&out[start..]).put(out);
}

/// Appends the header of a file: a magic of eight letters, a version and a kind of world.
#[cfg(feature = "snapshot")]
pub(crate) fn put_header(out: &mut Vec<u8>, magic: &str, version: u16, kind: Kind) {
    out.extend_from_slice(magic.as_bytes());
    version.put(out);
    kind.number().put(out);
}

impl Reader<'_> {
    /// Returns the reader without the checksum at the end, if the checksum matches all bytes before
    /// it.
    pub(crate) fn sealed(self) -> Result<Self, DecodeError> {
        let content = self.all().split_last_chunk::<CHECKSUM>();
        let content = content.filter(|(content, _)| content.len() >= self.read());
        let (content, checksum) = content.ok_or_else(|| self.ends_early())?;
        let (found, computed) = (u32::from_le_bytes(*checksum), crc32fast::hash(content));
        if found == computed {
            Ok(self.within(content.len()))
        } else {
            let at = self.at() - self.read() + content.len();
            Err(self.error(at, DecodeProblem::Checksum { found, computed }))
        }
    }

    /// Reads the version of a format, which must be `wanted`.
    pub(crate) fn version<V: Field + Into<u16>>(&mut self, wanted: V) -> Result<(), DecodeError> {
        let (at, found, wanted) = (self.at(), self.take::<V>()?.into(), wanted.into());
        if found == wanted {
            Ok(())
        } else {
            Err(self.error(at, DecodeProblem::Version { found, wanted }))
        }
    }

    /// Refuses bytes that do not continue with `wanted`.
    #[cfg(feature = "snapshot")]
    pub(crate) fn expect(&self, wanted: &'static str) -> Result<(), DecodeError> {
        match self.left().starts_with(wanted.as_bytes()) {
            true => Ok(()),
            false => Err(self.error(self.at(), DecodeProblem::Magic { wanted })),
        }
    }

    /// Reads a header as [`put_header`] writes it, and refuses another magic, version or kind.
    #[cfg(feature = "snapshot")]
    pub(crate) fn header(
        &mut self,
        magic: &'static str,
        version: u16,
        wanted: Kind,
    ) -> Result<(), DecodeError> {
        self.expect(magic)?;
        self.bytes(magic.len())?;
        self.version(version)?;
        let (at, found) = (self.at(), self.take()?);
        match found == wanted.number() {
            true => Ok(()),
            false => Err(self.error(at, DecodeProblem::Kind { found, wanted })),
        }
    }
}
