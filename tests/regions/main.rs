//! Water over regions: what passes between them, and what must not depend on them.

mod laws;
mod messages;
mod random;
mod records;
mod rivers;
mod scenes;
mod vessels;
