//! JSON Schemas of the messages, for viewers. [`super::message`] defines the meaning of each field.
//!
//! A number that is not finite is a string of its bits (see [`super::number`]). The schemas still
//! declare a number, because viewers take one type per field.

use serde_json::{Map, Value, json};

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn all(names: &[&str], kind: &Value) -> Map<String, Value> {
    names
        .iter()
        .map(|n| ((*n).to_owned(), kind.clone()))
        .collect()
}

fn merged(parts: &[Value]) -> Value {
    let fields = parts.iter().filter_map(Value::as_object).flatten();
    object(Value::Object(
        fields.map(|(k, v)| (k.clone(), v.clone())).collect(),
    ))
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn integer() -> Value {
    json!({ "type": "integer" })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn numbers() -> Value {
    json!({ "type": "array", "items": { "type": "number" } })
}

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn pose() -> Value {
    object(json!({ "position_m": numbers(), "rotation_xyzw": numbers() }))
}

fn wrench() -> Value {
    object(json!({ "force_n": numbers(), "torque_nm": numbers() }))
}

fn sample() -> Value {
    object(json!({
        "time_ns": integer(), "sequence": integer(), "pose": pose(), "linear_velocity": numbers(),
        "angular_velocity": numbers(), "buttons": integer(), "skipped": integer(), "temperature_c": number(),
        "status": integer(),
    }))
}

fn input() -> Value {
    let gains = [
        "stiffness_n_per_m",
        "damping_n_s_per_m",
        "rotational_stiffness_nm_per_rad",
        "rotational_damping_nm_s_per_rad",
    ];
    let limits = [
        "peak_force_n",
        "continuous_force_n",
        "peak_torque_nm",
        "continuous_torque_nm",
        "continuous_window_s",
        "slew_n_per_s",
        "slew_nm_per_s",
        "velocity_limit_m_s",
        "angular_velocity_limit_rad_s",
        "max_temperature_c",
        "ramp_s",
        "engage_force_n",
        "engage_torque_nm",
        "edge_fade_m",
        "oscillation_motion_m",
        "oscillation_force_n",
        "oscillation_turning_rad",
        "oscillation_torque_nm",
    ];
    let counts = [
        "fade_ns",
        "engage_ticks",
        "stall_ns",
        "stale_input_ns",
        "stale_contact_ns",
    ];
    object(json!({
        "sample": sample(), "attached": flag(), "offered": integer(),
        "gains": object(Value::Object(all(&gains, &number()))),
        "limits": merged(&[all(&limits, &number()).into(), all(&counts, &integer()).into()]),
        "cleared": flag(), "eased": flag(),
    }))
}

fn output() -> Value {
    let counts = [
        "state",
        "reason",
        "contacts",
        "rows",
        "pairs",
        "substeps",
        "snapshot",
        "snapshot_age_ticks",
        "mid_phase_by_gpu",
        "mid_phase_gpu_ns",
        "deformable_age_ticks",
        "tracked",
        "deformable_gpu_age_steps",
        "deformable_gpu_ns",
        "input_age_ns",
    ];
    let energy = [
        "given_j",
        "world_j",
        "stored_j",
        "leak_j",
        "limits_j",
        "debt_j",
        "withheld_j",
        "gain",
    ];
    merged(&[
        json!({
            "wanted": wrench(), "effects_n": numbers(), "sent": wrench(), "frame": frame(), "world_from_device": pose(), "world_from_proxy": pose(),
            "anchored": flag(), "starved": flag(), "grasped": integer(), "solid": text(),
            "inside": text(),
            "needle": object(json!({
                "phase": text(), "held": text(), "depth_m": number(), "force_n": number(), "lateral_n": number(), "tip_m": numbers(), "pierced": integer(),
            })),
        }),
        json!({ "energy": object(Value::Object(all(&energy, &number()))) }),
        all(&counts, &integer()).into(),
    ])
}

/// Schema of a simulated arm's true state.
fn truth() -> Value {
    let work = || object(json!({ "force_j": number(), "torque_j": number() }));
    object(json!({
        "time_ns": integer(), "pose": pose(), "linear_velocity": numbers(),
        "angular_velocity": numbers(), "hand": wrench(), "motors": wrench(),
        "hand_work": work(), "motor_work": work(),
    }))
}

/// Schema of an order about an effect.
fn effect_order() -> Value {
    let scalars = [
        "magnitude_n",
        "second_n",
        "coefficient",
        "frequency_hz",
        "phase",
        "dead_band_m",
        "range_m",
        "cap_n",
        "delay_s",
        "duration_s",
        "attack_s",
        "attack_level",
        "fade_s",
        "fade_level",
    ];
    let effect = merged(&[
        all(&["kind", "waveform", "shape"], &integer()).into(),
        all(&["place_m", "axis"], &numbers()).into(),
        all(&scalars, &number()).into(),
    ]);
    let numbered = || object(json!({ "place": integer(), "effect": effect.clone() }));
    object(json!({
        "start": numbered(), "update": numbered(), "stop": object(json!({ "place": integer() })),
        "hold": object(json!({ "place": integer(), "held": flag() })),
    }))
}

/// Schema of an order about what an arm holds.
fn grasp_order() -> Value {
    object(json!({
        "take": object(json!({ "arm": integer(), "body": integer() })),
        "let_go": object(json!({ "arm": integer() })),
        "abandon": object(json!({ "arm": integer() })),
    }))
}

/// Schema of an order about a workspace.
fn workspace_order() -> Value {
    let bubble = [
        "radius_m",
        "width_m",
        "max_speed_m_s",
        "stiffness_n_per_m",
        "cap_n",
    ];
    let bubble = merged(&[
        json!({ "centre_m": numbers() }),
        all(&bubble, &number()).into(),
    ]);
    let mapping = object(json!({
        "world_from_base": pose(), "scale": number(), "max_speed_m_s": number(),
        "recentre": flag(), "bubble": bubble,
    }));
    object(json!({
        "map": object(json!({ "arm": integer(), "mapping": mapping })),
        "stop": object(json!({ "arm": integer() })),
        "clutch": object(json!({ "arm": integer(), "engaged": flag() })),
    }))
}

/// Schema of a frame that was moved.
fn frame() -> Value {
    object(json!({
        "world_from_base": pose(), "scale": number(), "hand_from_tool_xyzw": numbers(),
        "clutched": flag(), "driven": flag(),
    }))
}

/// Returns the schema of `/tick`.
pub fn tick() -> Value {
    let counts = [
        "tick",
        "now_ns",
        "periods",
        "signalled_ns",
        "awake_ns",
        "done_ns",
    ];
    let arm = object(
        json!({ "index": integer(), "input": input(), "output": output(), "truth": truth() }),
    );
    merged(&[
        all(&counts, &integer()).into(),
        json!({ "stopping": flag(), "cut": flag(), "silent": integer(), "gone": list(integer()), "silenced": list(list(json!({}))), "effects": list(effect_order()), "grasps": list(grasp_order()), "workspaces": list(workspace_order()), "blame": text(), "arms": list(arm) }),
    ])
}

/// Returns the schema of `/tick` in a trajectory.
pub fn trajectory() -> Value {
    object(json!({ "now_ns": integer(), "position_m": numbers(), "rotation_xyzw": numbers() }))
}

/// Returns the schema of `/collision`.
pub fn collision() -> Value {
    let add = object(json!({
        "name": text(), "id": integer(), "kinematic": flag(), "dynamic": flag(), "solid": flag(), "world_from_body": pose(),
        "stiffness_n_per_m": number(), "damping_n_s_per_m": number(), "friction": number(),
        "force_shading": flag(), "restitution": number(), "density_kg_m3": number(),
        "positions": list(numbers()), "triangles": list(list(integer())),
    }));
    let which = object(json!({ "id": integer() }));
    let command = object(json!({
        "add": add, "remove": which, "halt": which,
        "target": object(json!({ "id": integer(), "world_from_body": pose(), "speed_m_s": number() })),
        "surface": object(json!({
            "id": integer(), "stiffness_n_per_m": number(), "damping_n_s_per_m": number(), "friction": number(),
            "force_shading": flag(),
        })),
        "place": object(json!({ "id": integer(), "world_from_body": pose() })),
        "impulse": object(json!({
            "id": integer(), "impulse_n_s": numbers(), "moment_nm_s": numbers(), "point": numbers(),
        })),
        "velocity": object(json!({
            "id": integer(), "linear_m_s": numbers(), "angular_rad_s": numbers(),
        })),
    }));
    let key = object(json!({ "slot": integer(), "generation": integer() }));
    object(json!({
        "step": integer(), "query_tick": integer(), "last_sequence": integer(),
        "dynamics_landed": flag(), "dynamics_away": flag(), "dynamics_awaited": flag(),
        "applied": list(object(json!({ "command": command, "key": key }))),
    }))
}

/// Returns the schema of `/event`.
pub fn event() -> Value {
    object(json!({ "now_ns": integer(), "text": text() }))
}
