//! Numbers that look random and depend on the place alone.

/// Returns a hash of a place.
pub fn hash(x: i32, y: i32, z: i32) -> u32 {
    let mut bits = (x as u32).wrapping_mul(0x85eb_ca6b)
        ^ (y as u32).wrapping_mul(0xc2b2_ae35)
        ^ (z as u32).wrapping_mul(0x27d4_eb2f);
    for _ in 0..2 {
        bits = (bits ^ bits >> 15).wrapping_mul(0x2c1b_3c6d);
    }
    bits ^ bits >> 13
}

/// Returns a smooth number from 0 to 1 (value noise with lattice cells of side 1).
pub fn noise(x: f32, z: f32) -> f32 {
    let (west, north) = (x.floor(), z.floor());
    let corner = |dx: i32, dz: i32| {
        (hash(west as i32 + dx, 77, north as i32 + dz) & 0xffff) as f32 / 65_535.0
    };
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (u, v) = (ease(x - west), ease(z - north));
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    mix(mix(corner(0, 0), corner(1, 0), u), mix(corner(0, 1), corner(1, 1), u), v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_and_stays_in_its_range() {
        let values: Vec<f32> = (0..2000).map(|at| noise(at as f32 / 50.0, 3.3)).collect();
        assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        assert!(values.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 0.05));
        assert!(values.iter().any(|&value| value > 0.7) && values.iter().any(|&value| value < 0.3));
    }
}
