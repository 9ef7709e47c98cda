//! Requests and their answers.

use crate::{
    connection::{ClientHandle, Connected, name_of},
    failure::{Failure, HD_OK, Misuse, check_output},
    handle::Handle,
    memory,
    types::{
        hd_arm_info, hd_body_info, hd_body_spec, hd_body_target, hd_effect, hd_error, hd_limits,
        hd_material, hd_pose, hd_pose_command, hd_push, hd_workspace,
    },
};
use hapticd_client::{
    BodyKind, BodySpec, BodyTarget, EffectKind, EffectShape, Limit, Mesh, NonNegative, PushBody,
    PushMode, SetEffect, SetWorkspace, Waveform,
};
use hapticd_protocol::request::{MAX_EFFECT_FORCE_N, Request, Shutdown};
use std::ptr;

/// An arm's index of the caller's. Whether there is such an arm is for the daemon to say.
pub(crate) fn arm_of(arm: u32) -> Result<u8, Misuse> {
    u8::try_from(arm).map_err(|_| Misuse {
        what: "no arm has such an index",
        number: arm.into(),
        limit: u8::MAX.into(),
    })
}

/// A truth value of the caller's.
fn truth(value: u32) -> Result<bool, Misuse> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Misuse {
            what: "a truth value is 0 or 1",
            number: value.into(),
            limit: 1,
        }),
    }
}

/// Calls `f`, which returns nothing.
unsafe fn carry_out(
    client: *mut ClientHandle,
    error: *mut hd_error,
    f: impl FnOnce(&mut Connected) -> Result<(), Failure>,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, |connected| f(connected).map(|()| HD_OK)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_arms_refresh(
    client: *mut ClientHandle,
    count: *mut u32,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| {
        connected.arms = connected.client.arms()?;
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(count, connected.arms.len() as u32) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

/// The element of a list that was asked for.
fn element<T>(list: &[T], index: u32) -> Result<&T, Misuse> {
    list.get(index as usize).ok_or(Misuse {
        what: "an index is not below the count of the last refresh",
        number: index.into(),
        limit: list.len() as u64,
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_arm_at(
    client: *const ClientHandle,
    index: u32,
    info: *mut hd_arm_info,
) -> i32 {
    let write = |connected: &mut Connected| {
        let made = hd_arm_info::from(element(&connected.arms, index)?);
        // SAFETY: the rule of `memory`.
        unsafe { memory::write(info, &made) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, ptr::null_mut(), write) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_bodies_refresh(
    client: *mut ClientHandle,
    count: *mut u32,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| {
        connected.bodies = connected.client.bodies()?;
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(count, connected.bodies.len() as u32) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_body_at(
    client: *const ClientHandle,
    index: u32,
    info: *mut hd_body_info,
) -> i32 {
    let write = |connected: &mut Connected| {
        let made = hd_body_info::from(element(&connected.bodies, index)?);
        // SAFETY: the rule of `memory`.
        unsafe { memory::write(info, &made) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, ptr::null_mut(), write) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_get_limits(
    client: *mut ClientHandle,
    arm: u32,
    limits: *mut hd_limits,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        unsafe { check_output(limits) }?;
        let made = hd_limits::from(&connected.client.limits(arm_of(arm)?)?);
        // SAFETY: the rule of `memory`.
        unsafe { memory::write(limits, &made) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_tighten_limits(
    client: *mut ClientHandle,
    arm: u32,
    limits: *const hd_limits,
    error: *mut hd_error,
) -> i32 {
    let tighten = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let limits = unsafe { read_limits(limits) }?;
        Ok(connected.client.request(limits.request(arm_of(arm)?))?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, tighten) }
}

/// Reads limits. Those that the caller's struct does not have must not become 0, which is no force.
unsafe fn read_limits(theirs: *const hd_limits) -> Result<hd_limits, Misuse> {
    // SAFETY: the rule of `memory`.
    let size = unsafe { memory::stated_size(theirs) }?;
    if size < size_of::<hd_limits>() {
        return Err(Misuse {
            what: "struct_size is less than that of version 1.0",
            number: size as u64,
            limit: size_of::<hd_limits>() as u64,
        });
    }
    // SAFETY: the rule of `memory`.
    unsafe { memory::read(theirs) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_body_pose(
    client: *mut ClientHandle,
    command: *const hd_pose_command,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let it = unsafe { memory::read(command) }?;
        let pose = it.world_from_body.into();
        Ok(connected
            .client
            .set_body_pose(it.body, pose, it.speed_m_s, it.lease_ms)?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_post_body_pose(
    client: *mut ClientHandle,
    command: *const hd_pose_command,
    error: *mut hd_error,
) -> i32 {
    let post = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let it = unsafe { memory::read(command) }?;
        let pose = it.world_from_body.into();
        connected.post(|client| client.post_body_pose(it.body, pose, it.speed_m_s, it.lease_ms))
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, post) }
}

/// Copies the targets of several bodies. The client refuses too many for one message.
unsafe fn targets_of(
    targets: *const hd_body_target,
    count: usize,
) -> Result<Vec<BodyTarget>, Misuse> {
    // SAFETY: the rule of `memory`.
    let theirs = unsafe { memory::copy(targets, count) }?;
    Ok(theirs.iter().map(BodyTarget::from).collect())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_body_poses(
    client: *mut ClientHandle,
    targets: *const hd_body_target,
    count: usize,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let targets = unsafe { targets_of(targets, count) }?;
        Ok(connected.client.set_body_poses(&targets)?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_post_body_poses(
    client: *mut ClientHandle,
    targets: *const hd_body_target,
    count: usize,
    error: *mut hd_error,
) -> i32 {
    let post = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let targets = unsafe { targets_of(targets, count) }?;
        connected.post(|client| client.post_body_poses(&targets))
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, post) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_material(
    client: *mut ClientHandle,
    body: u32,
    material: *const hd_material,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let it = unsafe { memory::read(material) }?;
        let (stiffness, damping) = (it.stiffness_n_per_m, it.damping_n_s_per_m);
        Ok(connected
            .client
            .set_material(body, stiffness, damping, it.friction)?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

/// A code of the caller's.
fn code_of<T>(code: u32, of: fn(u8) -> Option<T>, what: &'static str) -> Result<T, Misuse> {
    let known = u8::try_from(code).ok().and_then(of);
    known.ok_or(Misuse {
        what,
        number: code.into(),
        limit: 0,
    })
}

/// The numbers of an effect; a range, a duration and a cap of 0 are none.
fn effect_of(numbers: &hd_effect, effect: u32) -> Result<SetEffect, Misuse> {
    let or_none = |number: f64| Limit(if number == 0.0 { f64::INFINITY } else { number });
    let kind = code_of(
        numbers.kind,
        EffectKind::from_code,
        "there is no such kind of effect",
    )?;
    let waveform = code_of(
        numbers.waveform,
        Waveform::from_code,
        "there is no such waveform",
    )?;
    let shape = code_of(
        numbers.shape,
        EffectShape::from_code,
        "there is no such shape",
    )?;
    let cap_n = match numbers.cap_n == 0.0 {
        true => MAX_EFFECT_FORCE_N,
        false => numbers.cap_n,
    };
    Ok(SetEffect {
        place_m: numbers.place_m,
        axis: numbers.axis,
        magnitude_n: numbers.magnitude_n,
        second_n: numbers.second_n,
        coefficient: NonNegative(numbers.coefficient),
        frequency_hz: NonNegative(numbers.frequency_hz),
        phase: numbers.phase,
        dead_band_m: NonNegative(numbers.dead_band_m),
        range_m: or_none(numbers.range_m),
        cap_n: NonNegative(cap_n),
        delay_s: NonNegative(numbers.delay_s),
        duration_s: or_none(numbers.duration_s),
        attack_s: NonNegative(numbers.attack_s),
        attack_level: NonNegative(numbers.attack_level),
        fade_s: NonNegative(numbers.fade_s),
        fade_level: NonNegative(numbers.fade_level),
        effect,
        arm: arm_of(numbers.arm)?,
        kind,
        waveform,
        shape,
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_effect(
    client: *mut ClientHandle,
    numbers: *const hd_effect,
    effect: *mut u32,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let (numbers, running) = unsafe { (memory::read(numbers)?, memory::copy(effect, 1)?[0]) };
        let set = connected.client.set_effect(effect_of(&numbers, running)?)?;
        // SAFETY: the rule of `memory`.
        Ok(unsafe { memory::put(effect, set) }?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_stop_effect(
    client: *mut ClientHandle,
    effect: u32,
    error: *mut hd_error,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        carry_out(client, error, |connected| {
            Ok(connected.client.stop_effect(effect)?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_grasp_body(
    client: *mut ClientHandle,
    arm: u32,
    body: u32,
    error: *mut hd_error,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        carry_out(client, error, |connected| {
            Ok(connected.client.grasp_body(arm_of(arm)?, body)?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_release_body(
    client: *mut ClientHandle,
    arm: u32,
    error: *mut hd_error,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        carry_out(client, error, |connected| {
            Ok(connected.client.release_body(arm_of(arm)?)?)
        })
    }
}

fn workspace_of(numbers: &hd_workspace) -> Result<SetWorkspace, Misuse> {
    Ok(SetWorkspace {
        world_from_base: numbers.world_from_base.into(),
        scale: NonNegative(numbers.scale),
        max_speed_m_s: NonNegative(numbers.max_speed_m_s),
        bubble_center_m: numbers.bubble_center_m,
        bubble_radius_m: NonNegative(numbers.bubble_radius_m),
        bubble_width_m: NonNegative(numbers.bubble_width_m),
        bubble_speed_m_s: NonNegative(numbers.bubble_speed_m_s),
        bubble_stiffness_n_per_m: NonNegative(numbers.bubble_stiffness_n_per_m),
        bubble_cap_n: NonNegative(numbers.bubble_cap_n),
        arm: arm_of(numbers.arm)?,
        recentre: truth(numbers.recentre)?,
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_workspace(
    client: *mut ClientHandle,
    numbers: *const hd_workspace,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let numbers = unsafe { memory::read(numbers) }?;
        Ok(connected.client.set_workspace(workspace_of(&numbers)?)?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_clutch(
    client: *mut ClientHandle,
    arm: u32,
    engaged: u32,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| {
        let (arm, engaged) = (arm_of(arm)?, truth(engaged)?);
        Ok(connected.client.set_clutch(arm, engaged)?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_teleport_body(
    client: *mut ClientHandle,
    body: u32,
    world_from_body: *const hd_pose,
    error: *mut hd_error,
) -> i32 {
    let place = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let pose = unsafe { memory::copy(world_from_body, 1) }?[0];
        Ok(connected.client.teleport_body(body, pose.into())?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, place) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_push_body(
    client: *mut ClientHandle,
    push: *const hd_push,
    error: *mut hd_error,
) -> i32 {
    let give = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        let it = unsafe { memory::read(push) }?;
        let mode = code_of(
            it.mode,
            PushMode::from_code,
            "there is no such mode of a push",
        )?;
        Ok(connected.client.push_body(PushBody {
            linear: it.linear,
            angular: it.angular,
            point_m: it.point_m,
            body: it.body,
            mode,
        })?)
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, give) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_halt_body(
    client: *mut ClientHandle,
    body: u32,
    error: *mut hd_error,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        carry_out(client, error, |connected| {
            Ok(connected.client.halt_body(body)?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_add_body(
    client: *mut ClientHandle,
    spec: *const hd_body_spec,
    body: *mut u32,
    error: *mut hd_error,
) -> i32 {
    let add = |connected: &mut Connected| {
        if body.is_null() {
            return Err(Misuse::NULL.into());
        }
        // SAFETY: the rule of `memory`.
        let spec = unsafe { memory::read(spec) }?;
        // SAFETY: the rule of `memory`.
        let (name, mesh) = unsafe { (name_of(spec.name, spec.name_length)?, mesh_of(&spec)?) };
        let identity = connected.client.add_body(&spec_of(&spec, &name)?, &mesh)?;
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(body, identity) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, add) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_add_instance(
    client: *mut ClientHandle,
    spec: *const hd_body_spec,
    of: u32,
    body: *mut u32,
    error: *mut hd_error,
) -> i32 {
    let add = |connected: &mut Connected| {
        if body.is_null() {
            return Err(Misuse::NULL.into());
        }
        // SAFETY: the rule of `memory`.
        let spec = unsafe { memory::read(spec) }?;
        // SAFETY: the rule of `memory`.
        let name = unsafe { name_of(spec.name, spec.name_length) }?;
        let identity = connected.client.add_instance(&spec_of(&spec, &name)?, of)?;
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(body, identity) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, add) }
}

/// What a caller says of a body, but for its mesh.
fn spec_of<'a>(spec: &hd_body_spec, name: &'a str) -> Result<BodySpec<'a>, Misuse> {
    let kind = code_of(
        spec.kind,
        BodyKind::from_code,
        "there is no such kind of body",
    )?;
    Ok(BodySpec {
        name,
        kind,
        solid: truth(spec.solid)?,
        world_from_body: spec.world_from_body.into(),
        stiffness_n_per_m: spec.stiffness_n_per_m,
        damping_n_s_per_m: spec.damping_n_s_per_m,
        friction: spec.friction,
        restitution: spec.restitution,
        density_kg_m3: spec.density_kg_m3,
    })
}

/// Copies the mesh of a body. What is in it is for the daemon to check.
unsafe fn mesh_of(spec: &hd_body_spec) -> Result<Mesh, Misuse> {
    let counts = [spec.vertex_count, spec.triangle_count];
    if let Some(count) = counts.into_iter().find(|count| *count > u32::MAX as usize) {
        return Err(Misuse {
            what: "a mesh has too many vertices or triangles",
            number: count as u64,
            limit: u32::MAX.into(),
        });
    }
    // SAFETY: the rule of `memory`: arrays of threes.
    unsafe {
        Ok(Mesh {
            positions: memory::copy(spec.positions_m.cast(), spec.vertex_count)?,
            triangles: memory::copy(spec.triangles.cast(), spec.triangle_count)?,
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_remove_body(
    client: *mut ClientHandle,
    body: u32,
    error: *mut hd_error,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe {
        carry_out(client, error, |connected| {
            Ok(connected.client.remove_body(body)?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_set_focus(
    client: *mut ClientHandle,
    focused: u32,
    error: *mut hd_error,
) -> i32 {
    let set = |connected: &mut Connected| Ok(connected.client.set_focus(truth(focused)?)?);
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_renew_leases(
    client: *mut ClientHandle,
    lease_ms: u32,
    error: *mut hd_error,
) -> i32 {
    let post = |connected: &mut Connected| connected.post(|client| client.renew_leases(lease_ms));
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, post) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_release_limits(
    client: *mut ClientHandle,
    arm: u32,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| Ok(connected.client.release_limits(arm_of(arm)?)?);
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_clear_fault(
    client: *mut ClientHandle,
    arm: u32,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| Ok(connected.client.clear_fault(arm_of(arm)?)?);
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_reload(client: *mut ClientHandle, error: *mut hd_error) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, |connected| Ok(connected.client.reload()?)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_shutdown(client: *mut ClientHandle, error: *mut hd_error) -> i32 {
    let ask =
        |connected: &mut Connected| Ok(connected.client.request(Request::from(Shutdown {}))?);
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_status_json(
    client: *mut ClientHandle,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut hd_error,
) -> i32 {
    let ask = |connected: &mut Connected| {
        if length.is_null() {
            return Err(Misuse::NULL.into());
        }
        let mut text = connected.client.status()?.into_bytes();
        // For a reader of C there is one NUL, at the end.
        text.retain(|byte| *byte != 0);
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(length, text.len()) }?;
        text.push(0);
        // SAFETY: the rule of `memory`.
        unsafe { memory::fill(buffer, capacity, &text) }?;
        Ok(())
    };
    // SAFETY: the rule of `memory`.
    unsafe { carry_out(client, error, ask) }
}
