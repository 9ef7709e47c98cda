//! Sine, exponential, power and so on with the same bits on every x86-64 processor.
//!
//! The C library has several versions of these functions and takes the one for the processor that
//! it runs on: those with fused multiplication differ from the others in the last bit. A recording
//! that is replayed elsewhere, or a digest of a run, would differ with them. So programs that link
//! this crate call the functions of the crate `libm`, one version for all; this holds for Rust's
//! own `f64::sin` and for every dependency, nalgebra included.
//!
//! # Practice
//! The crate defines the C names. The linker takes them before it looks into the C library, so
//! nothing has to be called here: a program that depends on this crate has them, if the crate is
//! one object (`codegen-units = 1` in the workspace's profiles). Their errors are below one unit in
//! the last place, nearly all, as the C library's are. Real-time callable: no allocation, no locks,
//! no state. Libraries that are loaded at run time keep their own.

use std::ffi::{c_double, c_float};

macro_rules! of_one {
    ($($double:ident $single:ident),* $(,)?) => { $(
        // Name, arguments and meaning are those of C's function.
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
        // Name, arguments and meaning are those of C's function.
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

/// Both at once, as the compiler asks where it finds both.
///
/// # Safety
/// `sine` and `cosine` may be written.
// Name, arguments and meaning are those of the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn sincos(x: c_double, sine: *mut c_double, cosine: *mut c_double) {
    let (s, c) = libm::sincos(x);
    // SAFETY: see above.
    unsafe {
        sine.write(s);
        cosine.write(c);
    }
}

/// See [`sincos`].
///
/// # Safety
/// `sine` and `cosine` may be written.
// Name, arguments and meaning are those of the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn sincosf(x: c_float, sine: *mut c_float, cosine: *mut c_float) {
    let (s, c) = libm::sincosf(x);
    // SAFETY: see above.
    unsafe {
        sine.write(s);
        cosine.write(c);
    }
}
