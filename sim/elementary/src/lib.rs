//! Sine, exponential, power and similar functions with the same bits on every x86-64 processor.
//!
//! The C library has several versions of these functions and selects one for the processor at run
//! time. Those with fused multiplication differ from the others in the last bit. A recording that
//! is replayed on another machine, or the digest of a run, would differ with them. Programs that
//! link this crate therefore call the functions of the crate `libm`, one version for all
//! processors. This holds for Rust's own `f64::sin` and for every dependency, nalgebra included.
//!
//! # Practice
//! The crate defines the C names. The linker resolves them here before it searches the C library,
//! so no call is needed: a program that depends on this crate has them, if the crate is one object
//! (`codegen-units = 1` in the workspace's profiles). Nearly all errors are below one unit in the
//! last place, as the C library's are. Real-time callable: no allocation, no locks, no state.
//! Libraries loaded at run time keep their own versions.

use std::ffi::{c_double, c_float};

macro_rules! of_one {
    ($($double:ident $single:ident),* $(,)?) => { $(
        // Name, arguments and meaning are those of the C function.
        #[unsafe(no_mangle)]
        extern "C" fn $double(x: c_double) -> c_double {
            libm::$double(x)
        }
        // As above.
        #[unsafe(no_mangle)]
        extern "C" fn $single(x: c_float) -> c_float {
            libm::$single(x)
        }
    )* };
}

macro_rules! of_two {
    ($($double:ident $single:ident),* $(,)?) => { $(
        // Name, arguments and meaning are those of the C function.
        #[unsafe(no_mangle)]
        extern "C" fn $double(x: c_double, y: c_double) -> c_double {
            libm::$double(x, y)
        }
        // As above.
        #[unsafe(no_mangle)]
        extern "C" fn $single(x: c_float, y: c_float) -> c_float {
            libm::$single(x, y)
        }
    )* };
}

of_one!(
    acos acosf,
    asin asinf,
    atan atanf,
    cbrt cbrtf,
    cos cosf,
    cosh coshf,
    exp expf,
    exp2 exp2f,
    expm1 expm1f,
    log logf,
    log10 log10f,
    log1p log1pf,
    log2 log2f,
    sin sinf,
    sinh sinhf,
    tan tanf,
    tanh tanhf,
);

of_two!(atan2 atan2f, hypot hypotf, pow powf);

/// Computes sine and cosine together, which the compiler calls when it finds both.
///
/// # Safety
/// `sine` and `cosine` must be valid for writes.
// Name, arguments and meaning are those of the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn sincos(x: c_double, sine: *mut c_double, cosine: *mut c_double) {
    let (s, c) = libm::sincos(x);
    // SAFETY: the caller guarantees that both pointers are valid for writes.
    unsafe {
        sine.write(s);
        cosine.write(c);
    }
}

/// Same as [`sincos`], in single precision.
///
/// # Safety
/// `sine` and `cosine` must be valid for writes.
// Name, arguments and meaning are those of the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn sincosf(x: c_float, sine: *mut c_float, cosine: *mut c_float) {
    let (s, c) = libm::sincosf(x);
    // SAFETY: the caller guarantees that both pointers are valid for writes.
    unsafe {
        sine.write(s);
        cosine.write(c);
    }
}
