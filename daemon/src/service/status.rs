//! The status of the daemon on request: JSON with stable keys, described by [`SCHEMA`].

use hapticd_devices::safety::{ForceOffReason, Limits};
use hapticd_protocol::block::GovernorState;
use serde_json::{Map, Value, json};

use hapticd_collision::broad_phase::PlanarStats;
use hapticd_ipc::ServerStatus;
use hapticd_ipc::limit_names;
use hapticd_loop::record::ArmTick;
use hapticd_monitor::scribe::{ForceOffs, Live, LiveArm};
use hapticd_recording::message::NeedleMessage;

/// JSON Schema of the status: every key with its unit and meaning.
pub const SCHEMA: &str = include_str!("status.schema.json");

/// Returns the technician's status: the arms, the loop, the clients, the report so far.
pub(super) fn json(server: &ServerStatus, live: &Live) -> String {
    let arms: Vec<Value> = (0..)
        .zip(live.arms.iter().zip(&live.record.arms))
        .map(|(index, (arm, tick))| {
            let mut value = self::arm(index, arm, tick, live.record.now_ns);
            value["inside"] = json!(live.inside.get(index));
            value["holds"] = json!(live.holds.get(index));
            let limits = server.limits.get(index).copied().flatten();
            value["limits"] = json!(limits.map(|limits| tightenable_limits(&limits.in_force)));
            value["limits_configured"] =
                json!(limits.map(|limits| tightenable_limits(&limits.configured)));
            value
        })
        .collect();
    let clients: Vec<Value> = server
        .clients
        .iter()
        .map(|c| json!({ "client": c.client, "technician": c.technician, "name": c.name }))
        .collect();
    let missed = live.report.as_ref().map_or(0, |r| r.missed.total);
    let due = (live.record.tick + missed).max(1);
    json!({
        "tick": live.record.tick,
        "elapsed_s": live.elapsed_s(),
        "missed_periods": missed,
        "missed_percent": missed as f64 / due as f64 * 100.0,
        "arms": arms,
        "clients": clients,
        "deformables": live.deformable,
        "skin": live.skin,
        "mid_phase": live.near,
        "broad_phase": live.broad,
        "planar": live.record.measures.as_ref().map(PlanarStats::from),
        "needles": live.needles,
        "refused_connections": server.refused,
        "oversize_messages": server.oversize,
        "descriptors_to_close": server.closer.waiting,
        "descriptors_closed": server.closer.closed,
        "report": live.report,
        "events": live.events,
    })
    .to_string()
}

fn arm(index: usize, arm: &LiveArm, tick: &ArmTick, now_ns: u64) -> Value {
    let state = GovernorState::from_code(tick.state).map_or("unknown", GovernorState::text);
    let off = ForceOffReason::from_code(tick.reason);
    json!({
        "arm": index,
        "name": arm.name,
        "attached": tick.attached,
        "state": state,
        "force_off": off.map(|r| r.to_string()),
        "force_off_code": off.map(ForceOffReason::code),
        "force_offs": arm.offs.count,
        "last_force_off": last_off(&arm.offs, now_ns),
        "force_n": <[f64; 3]>::from(tick.sent.force_n),
        "force_magnitude_n": tick.sent.force_n.norm(),
        "peak_force_n": arm.limits.peak_force_n,
        "torque_nm": <[f64; 3]>::from(tick.sent.torque_nm),
        "device_position_m": <[f64; 3]>::from(tick.world_from_device.translation.vector),
        "proxy_position_m": <[f64; 3]>::from(tick.world_from_proxy.translation.vector),
        "contacts": tick.contacts,
        "starved": tick.starved,
        "snapshot_age_ticks": (tick.snapshot_age != u32::MAX).then_some(tick.snapshot_age),
        "mid_phase_by_gpu": tick.midphase.bodies,
        "mid_phase_gpu_us": tick.midphase.took_ns as f64 * 1e-3,
        "deformable_age_ticks": (tick.soft_age != u32::MAX).then_some(tick.soft_age),
        "tracked": tick.tracked,
        "needle": NeedleMessage::of(&tick.insertion),
        "stiffness_n_per_m": tick.gains.stiffness_n_per_m,
        "energy": {
            "given_j": tick.energy.given_j,
            "world_j": tick.energy.world_j,
            "stored_j": tick.energy.stored_j,
            "leak_j": tick.energy.leak_j,
            "limits_j": tick.energy.limits_j,
            "debt_j": tick.energy.debt_j,
            "withheld_j": tick.energy.withheld_j,
            "gain": tick.energy.gain,
        },
    })
}

/// Returns the eight limits that clients can tighten.
fn tightenable_limits(limits: &Limits) -> Map<String, Value> {
    let names = limit_names::NAMES.iter().copied().map(str::to_owned);
    let values = limit_names::of(limits).map(Value::from);
    names.zip(values).collect()
}

/// Returns the newest force-off, whether force is on again or not.
fn last_off(offs: &ForceOffs, now_ns: u64) -> Option<Value> {
    let reason = ForceOffReason::from_code(offs.reason)?;
    Some(json!({
        "reason": reason.to_string(),
        "cause": offs.cause.to_string().trim_start_matches(": "),
        "code": reason.code(),
        "tick": offs.tick,
        "ago_s": now_ns.saturating_sub(offs.now_ns) as f64 / 1e9,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_ccd::MidPhaseStats;
    use hapticd_collision::deformable::DeformableState;
    use hapticd_collision::gpu_supervisor::GpuStats;
    use hapticd_collision::mid_phase::MidPhaseTotals;
    use hapticd_collision::skin::SkinThreadState;
    use hapticd_ipc::LimitsStatus;
    use hapticd_loop::cause::Cause;

    fn keys(object: &Value) -> Vec<&String> {
        object.as_object().map_or(Vec::new(), |o| {
            let mut keys: Vec<_> = o.keys().collect();
            keys.sort();
            keys
        })
    }

    #[test]
    fn the_status_has_the_keys_of_its_schema_and_no_other() {
        let mut live = Live::new();
        let mut arm = LiveArm::new("right", Limits::default(), true);
        arm.offs = ForceOffs {
            reason: 34,
            cause: Cause::Words("no answer"),
            tick: 800,
            now_ns: 800_000_000,
            count: 3,
        };
        live.arms.push(arm);
        live.record.now_ns = 2_000_000_000;
        live.record.arms[0].state = 5;
        live.record.arms[0].reason = 34;
        let server = ServerStatus {
            clients: vec![hapticd_ipc::ClientStatus {
                client: 1,
                technician: true,
                name: None,
            }],
            limits: vec![Some(LimitsStatus {
                in_force: Limits::default(),
                configured: Limits::default(),
            })],
            ..ServerStatus::default()
        };
        let status: Value = serde_json::from_str(&json(&server, &live)).unwrap();
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(keys(&status), keys(&schema["properties"]));
        for (list, of) in [
            ("arms", &status["arms"][0]),
            ("clients", &status["clients"][0]),
        ] {
            let items = &schema["properties"][list]["items"];
            assert_eq!(keys(of), keys(&items["properties"]), "{list}");
        }
        let last = &schema["properties"]["arms"]["items"]["properties"]["last_force_off"];
        assert_eq!(
            keys(&status["arms"][0]["last_force_off"]),
            keys(&last["properties"])
        );
        for name in ["limits", "limits_configured"] {
            let of = &schema["properties"]["arms"]["items"]["properties"][name];
            assert_eq!(keys(&status["arms"][0][name]), keys(&of["properties"]));
        }
        let arm = &status["arms"][0];
        assert_eq!(
            (&arm["state"], &arm["name"]),
            (&"fault".into(), &"right".into())
        );
        assert_eq!(arm["force_off"], "contact data too old (34)");
        assert_eq!(arm["last_force_off"]["ago_s"], 1.2);
        assert_eq!(arm["last_force_off"]["cause"], "no answer");
        assert_eq!(arm["force_offs"], 3);
    }

    #[test]
    fn what_became_of_a_gpu_has_the_same_keys_everywhere() {
        let mut live = Live::new();
        live.deformable = Some(DeformableState::default().facts());
        let gpu = GpuStats {
            takeovers: 2,
            why: "unplugged".to_owned(),
            handed_back: 1,
            failed_attempts: 3,
        };
        let status = MidPhaseTotals::default().facts(&MidPhaseStats::default(), gpu.clone());
        live.near = Some(status);
        let skin = SkinThreadState::default();
        *skin.gpu.lock().unwrap() = Some(gpu.clone());
        live.skin = Some(skin.facts());
        let status = json(&ServerStatus::default(), &live);
        let status: Value = serde_json::from_str(&status).unwrap();
        let expected = serde_json::to_value(&gpu).unwrap();
        assert_eq!(status["skin"]["gpu"], expected);
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&status["mid_phase"][key], value);
            assert!(status["deformables"].get(key).is_some(), "{key}");
        }
        let mut own = keys(&status["mid_phase"]);
        own.retain(|key| expected.get(key.as_str()).is_none());
        let kept = "answered backend candidates given_up gpu_us late refused sent short";
        assert!(
            own.iter().map(|key| key.as_str()).eq(kept.split(' ')),
            "{own:?}"
        );
    }
}
