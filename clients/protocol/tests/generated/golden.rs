//! Packets and blocks with the values that they hold, for codecs in other languages.

use crate::{by_layout, json::Json, samples};
use hapticd_protocol::{
    block::{ArmEnergy, ArmState, Bodies, BodyState, Contact, Contacts, NeedleState, flag},
    frame::{HEADER_BYTES, Message},
    layout::{MessageLayout, messages},
    wire::Pose,
};

/// Id of the packets.
const ID: u64 = 0x0102_0304_0506_0708;

fn packets<M: Message>(samples: &[M], layouts: &[MessageLayout]) -> Json {
    let packet = |(sample, layout): (&M, &MessageLayout)| {
        let bytes = sample.encode(ID);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Json::object([
            ("name", Json::text(layout.body.name)),
            ("descriptors", Json::number(sample.descriptors())),
            ("packet", Json::text(hex)),
            ("fields", by_layout::decode(layout, &bytes[HEADER_BYTES..])),
        ])
    };
    Json::List(samples.iter().zip(layouts).map(packet).collect())
}

/// Words in hexadecimal, as their bytes stand in memory.
fn words(words: &[u64]) -> Json {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    Json::text(bytes.map(|byte| format!("{byte:02x}")).collect::<String>())
}

fn floats(values: &[f64]) -> Json {
    Json::List(values.iter().copied().map(by_layout::float).collect())
}

fn pose(first: f64) -> Pose {
    Pose::from_array(std::array::from_fn(|index| first + index as f64))
}

/// A state of which each number tells its place.
fn state() -> (ArmState, Json) {
    let three = |first: f64| [first, first + 1.0, first + 2.0];
    let state = ArmState {
        tick: u64::MAX - 1,
        time_ns: 1,
        world_from_device: pose(2.0),
        world_from_proxy: pose(9.0),
        linear_velocity_m_s: three(16.0),
        angular_velocity_rad_s: three(19.0),
        force_n: three(22.0),
        torque_nm: three(25.0),
        wanted_force_n: three(28.0),
        wanted_torque_nm: three(31.0),
        governor: 3,
        reason: 35,
        flags: flag::TOUCHING | flag::INSIDE,
        contacts: 7,
        inside_body: 9,
        buttons: 5,
        snapshot_age_ticks: 6,
        missed_ticks: 36,
        compute_ns: 37,
        lateness_ns: 38,
        input_age_ns: 39,
        last_force_off: 40,
        grasped_body: 8,
        last_force_off_tick: 41,
        force_offs: 42,
        energy: ArmEnergy {
            given_j: -43.5,
            stored_j: 44.0,
            debt_j: 45.0,
            withheld_j: 46.0,
            gain: 0.25,
        },
    };
    let big = |value: u64| by_layout::unsigned(64, value);
    let fields = Json::object([
        ("tick", big(state.tick)),
        ("time_ns", big(1)),
        (
            "world_from_device",
            floats(&state.world_from_device.to_array()),
        ),
        (
            "world_from_proxy",
            floats(&state.world_from_proxy.to_array()),
        ),
        ("linear_velocity_m_s", floats(&state.linear_velocity_m_s)),
        (
            "angular_velocity_rad_s",
            floats(&state.angular_velocity_rad_s),
        ),
        ("force_n", floats(&state.force_n)),
        ("torque_nm", floats(&state.torque_nm)),
        ("wanted_force_n", floats(&state.wanted_force_n)),
        ("wanted_torque_nm", floats(&state.wanted_torque_nm)),
        ("governor", Json::number(state.governor)),
        ("reason", Json::number(state.reason)),
        ("flags", Json::number(state.flags)),
        ("contacts", Json::number(state.contacts)),
        ("inside_body", Json::number(state.inside_body)),
        ("buttons", Json::number(state.buttons)),
        ("snapshot_age_ticks", Json::number(state.snapshot_age_ticks)),
        ("missed_ticks", big(36)),
        ("compute_ns", big(37)),
        ("lateness_ns", big(38)),
        ("input_age_ns", big(39)),
        ("last_force_off", Json::number(40)),
        ("grasped_body", Json::number(8)),
        ("last_force_off_tick", big(41)),
        ("force_offs", big(42)),
        (
            "energy",
            Json::object([
                ("given_j", by_layout::float(-43.5)),
                ("stored_j", by_layout::float(44.0)),
                ("debt_j", by_layout::float(45.0)),
                ("withheld_j", by_layout::float(46.0)),
                ("gain", by_layout::float(0.25)),
            ]),
        ),
    ]);
    (state, fields)
}

fn contacts() -> (Contacts, Json) {
    let mut contacts = Contacts::new(10, 11);
    let mut list = Vec::new();
    for body in [3, u32::MAX] {
        let contact = Contact {
            point_m: [0.5, -1.0, 2.0],
            normal: [0.0, 0.0, 1.0],
            distance_m: 1e-5,
            body,
            force_n: [0.25, -0.5, 1.5],
        };
        contacts.push(contact);
        list.push(Json::object([
            ("point_m", floats(&contact.point_m)),
            ("normal", floats(&contact.normal)),
            ("distance_m", by_layout::float(contact.distance_m)),
            ("body", Json::number(body)),
            ("force_n", floats(&contact.force_n)),
        ]));
    }
    (contacts, listed(10, 11, list))
}

fn bodies() -> (Bodies, Json) {
    let mut bodies = Bodies::new(12, 13);
    let mut list = Vec::new();
    for (body, moving) in [(4, true), (5, false)] {
        let world_from_body = pose(f64::from(body));
        let (force_n, torque_nm) = ([0.5, 0.0, -1.5], [0.0, 0.125, -0.25]);
        bodies.push(BodyState {
            body,
            moving,
            world_from_body,
            force_n,
            torque_nm,
        });
        list.push(Json::object([
            ("body", Json::number(body)),
            ("moving", Json::number(moving)),
            ("world_from_body", floats(&world_from_body.to_array())),
            ("force_n", floats(&force_n)),
            ("torque_nm", floats(&torque_nm)),
        ]));
    }
    (bodies, listed(12, 13, list))
}

fn needle() -> (NeedleState, Json) {
    let state = NeedleState {
        tick: 14,
        time_ns: 15,
        phase: 3,
        hold: 2,
        pierced: 4,
        held_by: 1,
        depth_m: 0.0625,
        axial_n: -0.5,
        lateral_n: 0.25,
        layer: 3,
        tip_m: [0.5, -1.0, 2.0],
        nearest: 2,
        nearest_m: 0.03125,
        sure_m: 0.125,
        nearest_tick: 13,
    };
    let fields = Json::object([
        ("tick", by_layout::unsigned(64, state.tick)),
        ("time_ns", by_layout::unsigned(64, state.time_ns)),
        ("phase", Json::number(state.phase)),
        ("hold", Json::number(state.hold)),
        ("layer", Json::number(state.layer)),
        ("pierced", Json::number(state.pierced)),
        ("held_by", Json::number(state.held_by)),
        ("nearest", Json::number(state.nearest)),
        ("depth_m", by_layout::float(state.depth_m)),
        ("axial_n", by_layout::float(state.axial_n)),
        ("lateral_n", by_layout::float(state.lateral_n)),
        ("tip_m", floats(&state.tip_m)),
        ("nearest_m", by_layout::float(state.nearest_m)),
        ("sure_m", by_layout::float(state.sure_m)),
        ("nearest_tick", by_layout::unsigned(64, state.nearest_tick)),
    ]);
    (state, fields)
}

fn listed(tick: u64, time_ns: u64, list: Vec<Json>) -> Json {
    Json::object([
        ("tick", by_layout::unsigned(64, tick)),
        ("time_ns", by_layout::unsigned(64, time_ns)),
        ("list", Json::List(list)),
    ])
}

/// Returns `clients/protocol/golden.json`.
pub fn json() -> String {
    let all = messages();
    let payload = |name: &str, payload: &[u64], fields: Json| {
        Json::object([
            ("name", Json::text(name)),
            ("payload", words(payload)),
            ("fields", fields),
        ])
    };
    let ((state, of_state), (contacts, of_contacts), (bodies, of_bodies)) =
        (state(), contacts(), bodies());
    let (needle, of_needle) = needle();
    let about = "Generated from clients/protocol: UPDATE_GENERATED=1 cargo test -p \
                 hapticd-protocol. Packets and payloads in hexadecimal, with the values that they \
                 hold. Integers of 64 bits and numbers that are not finite are texts.";
    Json::object([
        ("about", Json::text(about)),
        ("id", by_layout::unsigned(64, ID)),
        ("requests", packets(&samples::requests(), &all.requests)),
        ("replies", packets(&samples::replies(), &all.replies)),
        ("events", packets(&samples::events(), &all.events)),
        (
            "gateway_requests",
            packets(&samples::gateway_requests(), &all.gateway_requests),
        ),
        (
            "gateway_messages",
            packets(&samples::gateway_messages(), &all.gateway_messages),
        ),
        (
            "blocks",
            Json::List(vec![
                payload("State", &state.to_words(), of_state),
                payload("Contacts", &contacts.to_words(), of_contacts),
                payload("Bodies", &bodies.to_words(), of_bodies),
                payload("Needle", &needle.to_words(), of_needle),
            ]),
        ),
    ])
    .pretty()
}
