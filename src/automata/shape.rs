//! The shapes that both humidity and explosions run on, [`Sheet`] and [`Cube`], for code that
//! serves both.

use super::blast::BlastShape;
use super::humidity::HumidityShape;
use crate::coords::{Cube, Sheet};

/// The shapes that both humidity and explosions run on. Implemented by [`Cube`] and [`Sheet`] only.
pub trait FieldShape: HumidityShape + BlastShape {}

impl FieldShape for Cube {}
impl FieldShape for Sheet {}
