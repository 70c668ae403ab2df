//! What redb is shown of a file's header, so that an opening trusts nothing that it has not
//! checked.
//!
//! Of a database that was closed in order, redb checks no page when it opens it, and loads its list
//! of free pages as it stands; a damaged one makes it panic. Of a database whose last commit had
//! one phase only, it checks every page, and makes that list anew; but if a page is damaged it
//! falls back to the commit before. So it is shown a commit of one phase, with the last commit in
//! the place of the one before, too: now it checks everything, and has nothing to fall back to.
//!
//! The layout is that of redb's format 3, in the `docs/design.md` of its sources.

use super::error::SaveError;
use redb::StorageBackend;

/// The header and its two commit slots.
const LENGTH: usize = 320;
const MAGIC: [u8; 9] = *b"redb\x1a\x0a\xa9\x0d\x0a";

/// Where the flags are.
const FLAGS: usize = MAGIC.len();
/// The last commit is that of slot 1.
const IN_SLOT_1: u8 = 1;
/// The last commit had two phases.
const TWO_PHASES: u8 = 4;

const SLOTS: [usize; 2] = [64, 192];
const SLOT: usize = 128;

/// The header to show in place of the one that the disk has; `None` to show that one.
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
