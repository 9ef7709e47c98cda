//! Versions, the clock, words for codes, prediction.

use crate::{
    failure::{HD_HELD, HD_OK, Misuse, status_text},
    handle::guarded,
    memory,
    types::{hd_arm_state, hd_limits, hd_pose, signed, unsigned},
};
use hapticd_client::{
    BodyKind, GovernorState, Prediction, force_off_text, predict_device, predict_proxy,
};
use hapticd_protocol::block::ArmState;
use std::{
    ffi::{CString, c_char},
    sync::OnceLock,
};

/// `HD_ABI_VERSION` of the header: major * 65536 + minor.
pub(crate) const ABI_VERSION: u32 = 0x0001_0000;

#[unsafe(no_mangle)]
extern "C" fn hd_abi_version() -> u32 {
    ABI_VERSION
}

/// A constant that ends with a NUL, for C.
fn constant(text: &'static str) -> *const c_char {
    debug_assert!(text.ends_with('\0'));
    text.as_ptr().cast()
}

#[unsafe(no_mangle)]
extern "C" fn hd_version_string() -> *const c_char {
    constant(concat!(env!("CARGO_PKG_VERSION"), "\0"))
}

#[unsafe(no_mangle)]
extern "C" fn hd_now_ns() -> i64 {
    signed(hapticd_client::now_ns())
}

#[unsafe(no_mangle)]
extern "C" fn hd_status_text(status: i32) -> *const c_char {
    constant(status_text(status))
}

#[unsafe(no_mangle)]
extern "C" fn hd_governor_text(governor: u32) -> *const c_char {
    let state = u8::try_from(governor)
        .ok()
        .and_then(GovernorState::from_code);
    constant(match state {
        Some(GovernorState::Disengaged) => "off\0",
        Some(GovernorState::WaitingSmallForce) => "waiting\0",
        Some(GovernorState::Ramping) => "ramping up\0",
        Some(GovernorState::Active) => "active\0",
        Some(GovernorState::Fading) => "fading\0",
        Some(GovernorState::Fault) => "fault\0",
        None => "a state that this version does not know\0",
    })
}

#[unsafe(no_mangle)]
extern "C" fn hd_body_kind_text(kind: u32) -> *const c_char {
    let kind = u8::try_from(kind).ok().and_then(BodyKind::from_code);
    constant(match kind {
        Some(BodyKind::Static) => "static\0",
        Some(BodyKind::Kinematic) => "kinematic\0",
        Some(BodyKind::Dynamic) => "dynamic\0",
        Some(BodyKind::Soft) => "soft\0",
        Some(BodyKind::Cloth) => "cloth\0",
        Some(BodyKind::Crowd) => "crowd\0",
        Some(BodyKind::Implicit) => "implicit\0",
        None => "a kind that this version does not know\0",
    })
}

#[unsafe(no_mangle)]
extern "C" fn hd_reason_text(reason: u32) -> *const c_char {
    static TEXTS: OnceLock<Vec<CString>> = OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let text = |code| CString::new(force_off_text(code)).unwrap_or_default();
        (0..=u8::MAX).map(text).collect()
    });
    let known = texts.get(reason as usize).map(|text| text.as_ptr());
    known.unwrap_or(constant("a cause that this version does not know\0"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_limits_leave(limits: *mut hd_limits) -> i32 {
    // SAFETY: the rule of `memory`.
    let written = unsafe { memory::write(limits, &hd_limits::LEAVE) };
    written.map_or_else(|misuse| misuse.status(), |()| HD_OK)
}

/// Predicts with `predict` and writes the pose.
unsafe fn predicted(
    state: *const hd_arm_state,
    time_ns: i64,
    pose: *mut hd_pose,
    predict: fn(&ArmState, u64) -> Prediction,
) -> i32 {
    let result = || -> Result<i32, Misuse> {
        // SAFETY: the rule of `memory`.
        let state = unsafe { memory::read(state) }?;
        let Prediction { pose: made, held } = predict(&state.motion(), unsigned(time_ns));
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(pose, made.into()) }?;
        Ok(if held { HD_HELD } else { HD_OK })
    };
    guarded(|| result().unwrap_or_else(|misuse| misuse.status()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_predict_pose(
    state: *const hd_arm_state,
    time_ns: i64,
    pose: *mut hd_pose,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { predicted(state, time_ns, pose, predict_device) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_predict_proxy(
    state: *const hd_arm_state,
    time_ns: i64,
    pose: *mut hd_pose,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { predicted(state, time_ns, pose, predict_proxy) }
}

/// A mistake in the library, for tests of what it does then.
#[cfg(feature = "panic-entry")]
#[unsafe(no_mangle)]
extern "C" fn hd_test_panic() -> i32 {
    guarded(|| panic!("a planted mistake"))
}
