//! A clock for steps that have a budget of time: that of the system, or, in WebAssembly without a
//! system, that of the host.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use host::Instant;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::time::Duration;

    #[link(wasm_import_module = "floodplain")]
    unsafe extern "C" {
        /// Returns milliseconds since any moment, as `performance.now` of JavaScript does.
        safe fn now() -> f64;
    }

    /// A moment of the host's clock.
    pub(crate) struct Instant(f64);

    impl Instant {
        pub(crate) fn now() -> Instant {
            Instant(now())
        }

        /// Returns the time since then; none if the clock went back.
        pub(crate) fn elapsed(&self) -> Duration {
            Duration::try_from_secs_f64((now() - self.0) / 1e3).unwrap_or_default()
        }
    }
}
