//! Function multiversioning: kernels compiled for several instruction sets, with the widest that
//! the machine supports picked at run time. Feature `simd`.
//!
//! By default Rust compiles for the oldest x86-64, at half to a quarter of the speed. All versions
//! do the same operations in the same order, and Rust neither contracts nor reorders float
//! operations, so all versions give the same bytes. On platforms other than x86-64 there is only
//! one version.

/// Aligns an array to a cache line. With the alignment of its items alone, vector loads may cross
/// cache lines or pages.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// A loop over at least a chunk, because a dispatched call is never inlined and costs a few
/// nanoseconds.
pub(crate) trait Kernel {
    /// The result of the loop.
    type Output;

    /// Runs the loop. It must be `#[inline(always)]`, and so must all hot functions that it calls:
    /// only inlined code is compiled for the instruction set.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the widest vectors that the machine supports.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(test)]
    match forced::level() {
        forced::Level::Widest => {}
        #[cfg(feature = "simd")]
        forced::Level::Avx2 => return versions::up_to_avx2(kernel),
        forced::Level::Portable => return kernel.run(),
    }
    #[cfg(feature = "simd")]
    return versions::widest(kernel);
    #[cfg(not(feature = "simd"))]
    kernel.run()
}

/// The levels v4 and v3 of the x86-64 psABI, without features that do not affect arithmetic.
#[cfg(feature = "simd")]
mod versions {
    use super::Kernel;

    #[multiversion::multiversion(targets(
        "x86_64+avx+avx2+avx512bw+avx512cd+avx512dq+avx512f+avx512vl+bmi1+bmi2+f16c+fma+lzcnt+movbe+popcnt",
        "x86_64+avx+avx2+bmi1+bmi2+f16c+fma+lzcnt+movbe+popcnt"
    ))]
    pub(super) fn widest<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }

    #[cfg(test)]
    #[multiversion::multiversion(targets("x86_64+avx+avx2+bmi1+bmi2+f16c+fma+lzcnt+movbe+popcnt"))]
    pub(super) fn up_to_avx2<K: Kernel>(kernel: K) -> K::Output {
        kernel.run()
    }
}

/// Forces a version, in tests.
#[cfg(test)]
pub(crate) mod forced {
    use std::sync::atomic::{AtomicU8, Ordering};
    use std::sync::{Mutex, PoisonError};

    /// The widest instruction set that kernels may use; if the machine does not support it, the
    /// next narrower one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(u8)]
    pub(crate) enum Level {
        Widest,
        #[cfg(feature = "simd")]
        Avx2,
        Portable,
    }

    impl Level {
        pub(crate) const ALL: &'static [Level] = &[
            Level::Widest,
            #[cfg(feature = "simd")]
            Level::Avx2,
            Level::Portable,
        ];
    }

    static LEVEL: AtomicU8 = AtomicU8::new(Level::Widest as u8);

    pub(super) fn level() -> Level {
        let level = LEVEL.load(Ordering::Relaxed);
        Level::ALL.iter().copied().find(|&known| known as u8 == level).unwrap_or(Level::Widest)
    }

    /// Returns the results of `run` at each level. A level holds for all threads, so calls are
    /// serialised.
    pub(crate) fn at_each_level<R>(mut run: impl FnMut() -> R) -> Vec<(Level, R)> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let at_level = |&level: &Level| {
            LEVEL.store(level as u8, Ordering::Relaxed);
            (level, run())
        };
        let results = Level::ALL.iter().map(at_level).collect();
        LEVEL.store(Level::Widest as u8, Ordering::Relaxed);
        results
    }
}

#[cfg(test)]
mod tests {
    use super::forced::at_each_level;
    use super::*;

    /// A dot product, whose value depends on rounding.
    struct Dot<'a>(&'a [f32], &'a [f32]);

    impl Kernel for Dot<'_> {
        type Output = u32;

        #[inline(always)]
        fn run(self) -> u32 {
            self.0.iter().zip(self.1).fold(0.0, |sum: f32, (a, b)| sum + a * b).to_bits()
        }
    }

    #[test]
    fn products_and_sums_are_rounded_one_by_one_at_every_level() {
        let mut rng = fastrand::Rng::with_seed(1);
        let [a, b] = [(); 2].map(|()| (0..1000).map(|_| rng.f32() - 0.5).collect::<Vec<f32>>());
        let exact = a.iter().zip(&b).fold(0.0f32, |sum, (a, b)| a.mul_add(*b, sum)).to_bits();
        for (level, sum) in at_each_level(|| run(Dot(&a, &b))) {
            let mut one_by_one = 0.0f32;
            for index in 0..a.len() {
                one_by_one += std::hint::black_box(a[index] * b[index]);
            }
            assert_eq!(sum, one_by_one.to_bits(), "{level:?}");
            assert_ne!(sum, exact, "a contraction would show");
        }
    }
}
