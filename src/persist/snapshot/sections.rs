//! The frame of a snapshot: header, sections, checksums.

use super::VERSION;
use crate::codec::{DecodeError, Format, Kind, Reader, put_header, seal};

const MAGIC: &str = "FLDPLAIN";
/// Bytes of the header: magic, version, kind, checksum.
const HEADER: usize = 16;
/// Bytes of a section besides its content: name, length, checksum.
const FRAME: usize = 16;

/// The name of the section that holds data of a format.
fn name_of(format: Format) -> &'static str {
    match format {
        Format::Rules => "RULE",
        Format::State => "WRLD",
        _ => "CHNK",
    }
}

/// Returns the header of a snapshot.
pub(crate) fn begin(kind: Kind) -> Vec<u8> {
    let mut out = Vec::new();
    put_header(&mut out, MAGIC, VERSION, kind);
    seal(&mut out, 0);
    out
}

/// Appends a section.
pub(crate) fn put_section(out: &mut Vec<u8>, format: Format, put: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(name_of(format).as_bytes());
    out.extend_from_slice(&[0; 8]);
    let content = out.len();
    put(out);
    let length = (out.len() - content) as u64;
    out[content - 8..content].copy_from_slice(&length.to_le_bytes());
    seal(out, start);
}

/// Reads the header of a snapshot.
pub(crate) fn take_header(from: &mut Reader<'_>, kind: Kind) -> Result<(), DecodeError> {
    from.expect(MAGIC)?;
    let mut header = from.part(Format::Snapshot, HEADER)?.sealed()?;
    header.header(MAGIC, VERSION, kind)
}

/// Returns the content of the next section, which must be the section of `format`.
pub(crate) fn take_section<'b>(
    from: &mut Reader<'b>,
    format: Format,
) -> Result<Reader<'b>, DecodeError> {
    let name = name_of(format);
    let mut rest = from.rest(format);
    rest.bytes(name.len())?;
    let length = usize::try_from(rest.take::<u64>()?).unwrap_or(usize::MAX);
    let length = length.checked_add(FRAME).filter(|&length| length <= from.left().len());
    let mut section = from.part(format, length.ok_or_else(|| rest.ends_early())?)?.sealed()?;
    section.expect(name)?;
    section.bytes(FRAME - 4)?;
    Ok(section)
}
