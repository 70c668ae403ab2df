//! What the phases of a tick share.

pub(in crate::water) mod layer_record;
pub(in crate::water) mod layers;
pub(in crate::water) mod rollback;
pub(in crate::water) mod schedule;
#[cfg(test)]
pub(in crate::water) mod test_worlds;
