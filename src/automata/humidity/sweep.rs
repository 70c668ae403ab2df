//! The sweeps, and the word of 32 bits in which each stores a humidity.

use super::cell::UNITS;

/// The scheme by which a step computes new humidities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain::humidity")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sweep {
    /// The weighted mean with updated values of earlier cells, as in a Gauss–Seidel sweep: the same
    /// as the original program, to the bit. The order is x, then y, then z, x slowest; since a cell
    /// reads only its neighbours, any order in which each cell comes after its neighbours at
    /// smaller coordinates gives the same result. It is strictly sequential.
    InPlace,
    /// The weighted mean of the old state, as in a Jacobi sweep: the rule in the text of the
    /// original. It is independent of order.
    Synchronous,
    /// Flows across faces in whole units of 1/65,536, a finite-volume scheme: it conserves humidity
    /// exactly, comes to rest, and is independent of order.
    Conservative,
}

impl Sweep {
    /// Returns the word that stores a humidity from 0 to [`MOST_HUMIDITY`].
    pub(super) fn word_of(self, humidity: f64) -> u32 {
        match self {
            Sweep::Conservative => (humidity * f64::from(UNITS)).round() as u32,
            // The sum turns −0 into 0, so that equal humidities have equal words.
            Sweep::InPlace | Sweep::Synchronous => (humidity as f32 + 0.0).to_bits(),
        }
    }

    /// Returns the humidity that a word stores, exactly.
    pub(super) fn humidity_of(self, word: u32) -> f64 {
        match self {
            Sweep::Conservative => f64::from(word) / f64::from(UNITS),
            Sweep::InPlace | Sweep::Synchronous => f64::from(f32::from_bits(word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::MOST_HUMIDITY;
    use super::*;

    #[test]
    fn words_return_what_they_store_exactly() {
        let mut rng = fastrand::Rng::with_seed(1);
        for humidity in
            (0..1000).map(|_| rng.f64() * MOST_HUMIDITY).chain([0.0, -0.0, MOST_HUMIDITY])
        {
            for (sweep, error) in
                [(Sweep::Synchronous, 1e-3), (Sweep::Conservative, 0.5 / f64::from(UNITS))]
            {
                let kept = sweep.humidity_of(sweep.word_of(humidity));
                assert!((kept - humidity).abs() <= error);
                assert_eq!(sweep.word_of(kept), sweep.word_of(humidity));
                assert!(kept.is_sign_positive());
            }
        }
    }
}
