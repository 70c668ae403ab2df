//! What the phases of a tick share.

pub(crate) mod layer_record;
pub(crate) mod layers;
pub(crate) mod rollback;
pub(crate) mod schedule;
#[cfg(test)]
pub(crate) mod test_worlds;
