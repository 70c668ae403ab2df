//! Charges: pressure added in a ball of cells, as a smooth bump.
//!
//! The bump is the biweight kernel of statistics, `(1 − r²/R²)²`. It ends at R without a step or an
//! edge, so it contains little of the waves that are only a few cells long. The grid passes on such
//! short waves more slowly than long ones, and more slowly along axes than along diagonals.
//! Pressure set in a single cell leaves short waves behind as a chequered pattern. A third power
//! ends more smoothly still, but is narrower at the same R, and contains more of the waves four to
//! eight cells long. The kernel needs only products, so it is the same on every platform; a cosine
//! would not be.

use super::error::EditError;
#[cfg(doc)]
use super::rules::FILL_CHUNK_LIMIT;
use super::rules::{LEAST_CHARGE_RADIUS, PRESSURE_LIMIT};
use super::{BlastShape, BlastWorld};
use crate::coords::Region;
use glam::IVec3;

/// Checks a charge, and with `check_sum` the resulting pressure of each cell. Cells for which
/// `takes_none` holds are left out. Returns the region of the charge.
pub(crate) fn check_charge<S: BlastShape, E: From<EditError>>(
    world: &BlastWorld<S>,
    centre: IVec3,
    radius: f32,
    pressure: f32,
    takes_none: impl Fn(IVec3) -> bool,
    check_sum: impl Fn(IVec3, f32) -> Result<(), E>,
) -> Result<Region, E> {
    if !(radius >= LEAST_CHARGE_RADIUS && radius.is_finite()) {
        return Err(EditError::Radius { centre, value: radius }.into());
    }
    if pressure.is_nan() || pressure.abs() > PRESSURE_LIMIT {
        return Err(EditError::Pressure { cell: centre, value: pressure }.into());
    }
    world.check_inside(centre)?;
    let ball = around(world, centre, radius);
    world.check_region(ball)?;
    for cell in ball.positions() {
        let more = pressure * bump(cell, centre, radius);
        if more != 0.0 && !takes_none(cell) {
            check_sum(cell, world.pressure(cell) + more)?;
        }
    }
    Ok(ball)
}

/// Returns the cells that a charge may reach within the bounds: in a world of sheets, one layer.
pub(super) fn around<S: BlastShape>(world: &BlastWorld<S>, centre: IVec3, radius: f32) -> Region {
    // A cast from a float to an integer saturates.
    let reach = IVec3::splat(radius as i32);
    let reach = if S::NEIGHBOURS == 4 { reach.with_z(0) } else { reach };
    let (min, max) = (centre.saturating_sub(reach), centre.saturating_add(reach));
    Region::new(min.max(world.bounds().min()), max.min(world.bounds().max()))
}

/// Returns the fraction of a charge's pressure that a cell gets: 1 at the centre, 0 from the radius
/// on.
pub(super) fn bump(cell: IVec3, centre: IVec3, radius: f32) -> f32 {
    let away = (cell.as_dvec3() - centre.as_dvec3()).length_squared();
    let rest = (1.0 - away / (f64::from(radius) * f64::from(radius))).max(0.0);
    (rest * rest) as f32
}
