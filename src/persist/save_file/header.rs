//! A changed file header for redb, so that opening checks every page.
//!
//! If the database was closed properly, redb checks no page on opening and loads its list of free
//! pages unchecked; a damaged list makes it panic. If the last commit had one phase, redb checks
//! every page and rebuilds the list, but if a page is damaged it falls back to the commit before.
//! This header claims a one-phase commit and has the last commit in both slots: redb checks
//! everything, and the fallback is the same commit.
//!
//! The layout is that of redb's format 3, in the `docs/design.md` of its sources.

use super::error::SaveError;
use redb::StorageBackend;

/// The length of the header with its two commit slots.
const LENGTH: usize = 320;
const MAGIC: [u8; 9] = *b"redb\x1a\x0a\xa9\x0d\x0a";

/// The offset of the flags.
const FLAGS: usize = MAGIC.len();
/// This flag is set if the last commit is in slot 1.
const IN_SLOT_1: u8 = 1;
/// This flag is set if the last commit had two phases.
const TWO_PHASES: u8 = 4;

const SLOTS: [usize; 2] = [64, 192];
const SLOT: usize = 128;

/// Returns the changed header; `None` if the header on the disk will do.
///
/// # Errors
/// The disk has no database.
pub(super) fn to_show(disk: &dyn StorageBackend) -> Result<Option<Vec<u8>>, SaveError> {
    let mut header = vec![0; disk.len()?.min(LENGTH as u64) as usize];
    disk.read(0, &mut header)?;
    // redb writes its magic last.
    if header.iter().take(MAGIC.len()).all(|&byte| byte == 0) {
        return Err(SaveError::Empty);
    }
    if !header.starts_with(&MAGIC) {
        return Err(SaveError::NotADatabase);
    }
    if header.len() < LENGTH || header[FLAGS] & TWO_PHASES == 0 {
        return Ok(None);
    }
    let last = usize::from(header[FLAGS] & IN_SLOT_1);
    header.copy_within(SLOTS[last]..SLOTS[last] + SLOT, SLOTS[1 - last]);
    header[FLAGS] &= !TWO_PHASES;
    Ok(Some(header))
}
