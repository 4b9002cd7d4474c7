//! Runtime selection of vector instruction sets: AVX2 on x86-64. NEON needs none: every aarch64 processor has it, and the
//! compiler assumes it.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "a function compiled for AVX2 may only be called where the processor has it")
)]

/// A loop that the compiler vectorizes. Mark `run` and all it calls `#[inline(always)]`, so that it is
/// compiled separately for each instruction set.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it.
    fn run(self) -> Self::Output;
}

/// Runs the kernel with the best instructions this processor has.
#[cfg(target_arch = "x86_64")]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    use std::arch::is_x86_feature_detected as has;
    if has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") {
        // SAFETY: the processor has these instructions.
        unsafe { run_avx2(kernel) }
    } else {
        kernel.run()
    }
}

/// Runs the kernel.
#[cfg(not(target_arch = "x86_64"))]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
