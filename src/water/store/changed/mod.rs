//! Records of changes, one for each consumer.
//!
//! | file | consumer: content |
//! |---|---|
//! | `changes` | games and feeds: cells whose words differ, and cells that look different |
//! | `tick_changes` | games and feeds: the same cells for the tick underway, until it is complete |
//! | `touched` | saves: the chunks that differ from the last save |
//! | `dirty_layers` | bodies of water: cells whose levels or ground changed |

pub(crate) mod changes;
pub(crate) mod dirty_layers;
pub(crate) mod tick_changes;
pub(crate) mod touched;
