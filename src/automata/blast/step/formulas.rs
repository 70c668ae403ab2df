//! The flux formulas of both rules: the flow over a link in a step, on grids and graphs.

use core::ops::{Add, Mul, Sub};

/// Returns the flow from here to there under the diffusive rule.
#[inline(always)]
pub(crate) fn diffusive_flux<T>(conductance: T, here: T, there: T) -> T
where
    T: Mul<Output = T> + Sub<Output = T>,
{
    conductance * (here - there)
}

/// Returns the flow from here to there under the wave rule, after `flow` in the step before.
#[inline(always)]
pub(crate) fn wave_flux<T>(damping: T, flow: T, conductance: T, here: T, there: T) -> T
where
    T: Add<Output = T> + Mul<Output = T> + Sub<Output = T>,
{
    damping * (flow + conductance * (here - there))
}

/// Returns the larger of two numbers that are not NaN, in one instruction, unlike `f32::max`.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Truncates a flow to a multiple of the spacing of `f32` at `scale`, the larger of the two
/// pressures that the link joins.
///
/// Both ends then change by exactly the same amount (unless a sum passes a power of two), and the
/// sum of all pressures is conserved. With untruncated flows each cell would round separately, in a
/// smooth field all cells in the same direction, and 10,000 steps would create or lose a
/// hundred-thousandth of the total. Flows are truncated, not rounded, because rounded flows can
/// exceed the flow of the rule: two neighbours with pressures a few spacings apart would then
/// exchange their pressures for ever.
#[inline(always)]
pub(crate) fn quantized(flow: f32, scale: f32) -> f32 {
    let amount = flow.abs();
    let nearest = scale + amount;
    // One spacing less if the sum was rounded up. The next smaller positive float has the preceding
    // bit pattern.
    let cut = f32::from_bits(nearest.to_bits() - u32::from(nearest - scale > amount));
    (cut - scale).copysign(flow)
}

/// Returns the flow from here to there on a grid under the diffusive rule; both ends compute the
/// same amount.
#[inline(always)]
pub(crate) fn grid_diffusive_flux(conductance: f32, here: f32, there: f32) -> f32 {
    quantized(diffusive_flux(conductance, here, there), larger(here, there))
}

/// Returns the flow from here to there on a grid under the wave rule; both ends compute the same
/// amount.
#[inline(always)]
pub(crate) fn grid_wave_flux(
    [damping, conductance]: [f32; 2],
    flow: f32,
    here: f32,
    there: f32,
) -> f32 {
    quantized(wave_flux(damping, flow, conductance, here, there), larger(here.abs(), there.abs()))
}

/// Returns a pressure after a step of the diffusive rule. It is clamped at 0, since products of
/// subnormal numbers may be rounded up to more than the cell's pressure.
#[inline(always)]
pub(crate) fn after_outflow(here: f32, out: f32) -> f32 {
    larger(here - out, 0.0)
}

/// Returns the sum of a cell's outflows along each axis, of which a cell with `N` neighbours has `N
/// / 2`. The sum is bit-identical under any permutation of the axes.
///
/// Floating-point addition is commutative but not associative. So opposite faces are added first,
/// by the caller, and then the sums of three axes in order of size.
#[inline(always)]
pub(crate) fn balanced_sum<const N: usize>([x, y, z]: [f32; 3]) -> f32 {
    if N == 4 {
        return x + y;
    }
    let smaller = |a: f32, b: f32| if a < b { a } else { b };
    let (low, high) = (smaller(x, y), larger(x, y));
    (smaller(low, z) + larger(high, z)) + larger(low, smaller(high, z))
}

/// Returns the outflow along each axis from the outflow across each face; 0 along an axis without
/// faces.
#[inline(always)]
pub(crate) fn sum_by_axis<const N: usize>(out: [f32; N]) -> [f32; 3] {
    core::array::from_fn(|axis| if 2 * axis < N { out[2 * axis] + out[2 * axis + 1] } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_the_order_of_axes() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..1000 {
            let [a, b, c, d, e, f] =
                core::array::from_fn(|_| (rng.f32() - 0.5) * 10f32.powi(rng.i32(-3..4)));
            let sum_of = |out: [f32; 6]| balanced_sum::<6>(sum_by_axis(out));
            let sum = sum_of([a, b, c, d, e, f]);
            for turned in
                [[b, a, c, d, e, f], [c, d, a, b, e, f], [e, f, d, c, a, b], [a, b, f, e, c, d]]
            {
                assert_eq!(sum_of(turned).to_bits(), sum.to_bits());
            }
            assert!(
                (f64::from(sum) - [a, b, c, d, e, f].map(f64::from).iter().sum::<f64>()).abs()
                    < 1e-3
            );
            let sum_of = |out: [f32; 4]| balanced_sum::<4>(sum_by_axis(out));
            assert_eq!(sum_of([a, b, c, d]).to_bits(), sum_of([d, c, b, a]).to_bits());
        }
    }

    #[test]
    fn both_ends_of_a_link_compute_the_same_flow() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..1000 {
            let (a, b) = (rng.f32() * 300.0, rng.f32() * rng.f32());
            let out = grid_diffusive_flux(0.24, a, b);
            assert_eq!(out, -grid_diffusive_flux(0.24, b, a));
            assert_eq!(
                grid_wave_flux([0.9, 0.2], out, a, -b),
                -grid_wave_flux([0.9, 0.2], -out, -b, a)
            );
            assert!((out - 0.24 * (a - b)).abs() <= 2.0 * larger(a, b) * f32::EPSILON);
            assert!(out.abs() <= 0.24 * (a - b).abs(), "never more than the rule says");
        }
        assert_eq!(quantized(0.0, 5.0), 0.0);
    }
}
