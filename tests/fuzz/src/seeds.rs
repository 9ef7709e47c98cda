//! Seed inputs: shipped configurations and profiles, packets, small meshes, a recording.

use hapticd_devices::profile::SHIPPED;
use hapticd_geometry::{Vec3, shapes};
use hapticd_protocol::{
    event,
    frame::Message,
    mesh::{Mesh, Precision},
    reply::{self, Reply},
    request::{self, BodyKind, EffectKind, EffectShape, PushMode, Request, Waveform, topic},
    text::Name,
    wire::{Limit, List, NonNegative, Pose},
};

const CONFIGS: [&str; 10] = [
    include_str!("../../../config/assembly.toml"),
    include_str!("../../../config/blocks.toml"),
    include_str!("../../../config/cloth.toml"),
    include_str!("../../../config/crowd.toml"),
    include_str!("../../../config/fluid.toml"),
    include_str!("../../../config/needle.toml"),
    include_str!("../../../config/palpation.toml"),
    include_str!("../../../config/planar.toml"),
    include_str!("../../../config/skull.toml"),
    include_str!("../../../config/trajectory-demo.toml"),
];

const INTENTIONS: [&str; 4] = [
    "kind = \"rest\"\nat = [0.0, 0.0, 0.02]\n",
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.06\nmove_s = 0.4\nhold_s = 1.6\n",
    "kind = \"circle\"\ncenter = [0.0, 0.0, 0.0]\nradius_m = 0.04\nperiod_s = 3.0\n",
    "kind = \"script\"\nrepeat = true\n[track]\nkeys = [{ t_s = 0.0, position = [0.0, 0.0, 0.0\
    ] }]\n",
];

const MESHES: [(u8, &str); 5] = [
    (
        0,
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1/1 2//2 4\nf -4 -1 -2\n",
    ),
    (
        1,
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendl\
        oop\nendfacet\nendsolid a\n",
    ),
    (
        2,
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty f\
        loat z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\
        \n0 1 0\n3 0 1 2\n",
    ),
    (
        3,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\
        \"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accesso\
        rs\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,\
        0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\
        \"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwA\
        AAAAAAAAAAAAAAAAAgD8AAAAA\"}]}",
    ),
    (
        2,
        "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty double x\nproperty dou\
        ble y\nproperty double z\nelement face 0\nproperty list uchar uint vertex_index\nend_hea\
        der\n012345678901234567890123",
    ),
];

const VOLUMES: [&str; 2] = [
    "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 2 2\nencoding: raw\nspacings: 1 1 1\
    \n\n\x01\x02\x03\x04\x05\x06\x07\x08",
    "NRRD0005\ntype: float\ndimension: 3\nspace: left-posterior-superior\nsizes: 2 2 2\nspace di\
    rections: (1,0,0) (0,1,0) (0,0,1)\nencoding: ascii\nendian: little\n\n0 1 2 3 4 5 6 7\n",
];

/// A mouse's report descriptor, as printed in the HID specification.
const DESCRIPTOR: [u8; 50] = [
    0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x01, 0xA1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03,
    0x15, 0x00, 0x25, 0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x01,
    0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06,
    0xC0, 0xC0,
];

fn name() -> Name {
    Name::new("seed").unwrap()
}

fn requests() -> Vec<Request> {
    let body = 100;
    vec![
        request::Hello::new(name()).into(),
        request::ListArms {}.into(),
        request::ListBodies { skip: 0 }.into(),
        request::Subscribe {
            arm: 0,
            topics: topic::ALL,
        }
        .into(),
        request::SetBodyPoses {
            targets: List(vec![
                request::BodyTarget {
                    world_from_body: Pose::IDENTITY,
                    speed_m_s: NonNegative(0.5),
                    body,
                    lease_ms: 100,
                };
                2
            ]),
        }
        .into(),
        request::SetMaterial {
            stiffness_n_per_m: NonNegative(500.0),
            damping_n_s_per_m: NonNegative(1.0),
            friction: NonNegative(0.3),
            body,
        }
        .into(),
        request::SetEffect {
            place_m: [0.0; 3],
            axis: [1.0, 0.0, 0.0],
            magnitude_n: 1.0,
            second_n: 0.0,
            coefficient: NonNegative(100.0),
            frequency_hz: NonNegative(50.0),
            phase: 0.0,
            dead_band_m: NonNegative(0.0),
            range_m: Limit(0.1),
            cap_n: NonNegative(1.0),
            delay_s: NonNegative(0.0),
            duration_s: Limit(1.0),
            attack_s: NonNegative(0.1),
            attack_level: NonNegative(0.0),
            fade_s: NonNegative(0.1),
            fade_level: NonNegative(0.0),
            effect: 0,
            arm: 0,
            kind: EffectKind::Periodic,
            waveform: Waveform::Sine,
            shape: EffectShape::Point,
        }
        .into(),
        request::StopEffect { effect: 1 }.into(),
        request::GraspBody { body, arm: 0 }.into(),
        request::ReleaseBody { arm: 0 }.into(),
        request::SetWorkspace {
            world_from_base: Pose::IDENTITY,
            scale: NonNegative(1.0),
            max_speed_m_s: NonNegative(0.5),
            bubble_center_m: [0.0; 3],
            bubble_radius_m: NonNegative(0.05),
            bubble_width_m: NonNegative(0.03),
            bubble_speed_m_s: NonNegative(0.5),
            bubble_stiffness_n_per_m: NonNegative(100.0),
            bubble_cap_n: NonNegative(1.0),
            arm: 0,
            recentre: false,
        }
        .into(),
        request::SetClutch {
            arm: 0,
            engaged: true,
        }
        .into(),
        request::TeleportBody {
            world_from_body: Pose::IDENTITY,
            body,
        }
        .into(),
        request::PushBody {
            linear: [0.0, 0.0, 0.1],
            angular: [0.0; 3],
            point_m: [0.0; 3],
            body,
            mode: PushMode::Impulse,
        }
        .into(),
        request::SetBodyPose {
            world_from_body: Pose::IDENTITY,
            speed_m_s: NonNegative(0.5),
            body,
            lease_ms: 100,
        }
        .into(),
        request::AddBody {
            name: name(),
            world_from_body: Pose::IDENTITY,
            stiffness_n_per_m: NonNegative(500.0),
            damping_n_s_per_m: NonNegative(1.0),
            friction: NonNegative(0.3),
            restitution: NonNegative(0.0),
            density_kg_m3: NonNegative(1000.0),
            kind: BodyKind::Kinematic,
            solid: true,
        }
        .into(),
        request::RemoveBody { body }.into(),
        request::HaltBody { body }.into(),
        request::TightenLimits {
            peak_force_n: Limit(1.0),
            continuous_force_n: Limit::NONE,
            peak_torque_nm: Limit::NONE,
            continuous_torque_nm: Limit::NONE,
            slew_n_per_s: Limit::NONE,
            slew_nm_per_s: Limit::NONE,
            velocity_m_s: Limit::NONE,
            angular_velocity_rad_s: Limit::NONE,
            arm: 0,
        }
        .into(),
        request::RenewLeases { lease_ms: 100 }.into(),
        request::SetFocus { focused: false }.into(),
        request::Goodbye {}.into(),
        request::OpenSurface { body: 3 }.into(),
        request::OpenSkin { body: 4 }.into(),
        request::OpenShape { body }.into(),
        request::GetLimits { arm: 0 }.into(),
        request::GetStatus {}.into(),
        request::Reload {}.into(),
        request::ClearFault { arm: 0 }.into(),
        request::ReleaseLimits { arm: 0 }.into(),
    ]
}

fn replies() -> Vec<Vec<u8>> {
    let done: Reply = reply::Done {}.into();
    let added: Reply = reply::BodyAdded {
        body: 100,
        triangles: 12,
    }
    .into();
    let limits: Reply = reply::Limits {
        peak_force_n: Limit(4.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.2),
        continuous_torque_nm: Limit(0.1),
        slew_n_per_s: Limit(900.0),
        slew_nm_per_s: Limit(40.0),
        velocity_m_s: Limit(1.2),
        angular_velocity_rad_s: Limit(15.0),
        arm: 0,
    }
    .into();
    let joined: event::Event = event::BodyJoined {
        name: name(),
        body: 100,
        kind: BodyKind::Kinematic,
    }
    .into();
    let off: event::Event = event::RecordingStopped {
        detail: hapticd_protocol::text::Text::lossy("the disc is full"),
    }
    .into();
    vec![
        done.encode(7),
        added.encode(7),
        limits.encode(7),
        joined.encode(0),
        off.encode(0),
    ]
}

/// Steps for the hub: for either socket a client connects, sends every request, and disconnects.
fn hub() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for role in [0_u8, 1] {
        let mut steps = vec![0, role];
        for request in requests() {
            let packet = request.encode(7);
            let descriptors = request.descriptors();
            if packet.len() <= 255 {
                steps.extend([1, descriptors << 6, packet.len() as u8]);
                steps.extend(&packet);
                // The importer and the scene answer; time advances.
                steps.extend([6, 0, 7, 0, 7, 1, 8, 0, 100, 0]);
            }
        }
        all.push(steps);
    }
    all
}

fn cube() -> Mesh {
    let cube = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
    Mesh {
        positions: cube.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: cube.triangles().to_vec(),
    }
}

/// Returns every seed with its target's name.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let mut seeds: Vec<(&'static str, Vec<u8>)> = Vec::new();
    seeds.extend(CONFIGS.map(|text| ("config", text.into())));
    seeds.extend(INTENTIONS.map(|text| ("intention", text.into())));
    seeds.extend(VOLUMES.map(|text| ("volume", text.into())));
    for (index, shipped) in SHIPPED.iter().enumerate() {
        seeds.push(("profile", shipped.text.into()));
        for id in 0..6_u8 {
            let mut report = vec![index as u8, 16, id];
            report.extend([0x55; 15]);
            seeds.push(("hid_report", report));
        }
    }
    seeds.push(("hid_descriptor", DESCRIPTOR.into()));
    for (format, text) in MESHES {
        let mut mesh = vec![format];
        mesh.extend(text.as_bytes());
        seeds.push(("mesh_file", mesh));
    }
    for precision in [Precision::Single, Precision::Double] {
        seeds.push(("haptmesh", cube().encode(precision).unwrap()));
    }
    for request in requests() {
        let mut packet = vec![request.descriptors()];
        packet.extend(request.encode(7));
        seeds.push(("request", packet));
    }
    for packet in replies() {
        let mut input = vec![0];
        input.extend(packet);
        seeds.push(("reply", input));
    }
    seeds.extend(hub().into_iter().map(|steps| ("hub", steps)));
    for kind in 0..6 {
        let mut words = vec![kind, 1, 0, 1];
        words.extend([1; 40 * 8]);
        seeds.push(("block", words));
    }
    seeds.push((
        "socket_folder",
        b"\0\0\0\0\x09/run/user\x08/run/svcname".into(),
    ));
    seeds.extend(recordings().into_iter().map(|file| ("recording", file)));
    seeds
}

/// Returns the beginning of a shipped recording: whole, and truncated after its first chunk.
fn recordings() -> Vec<Vec<u8>> {
    let whole: &[u8] = include_bytes!("../../data/explore-terrain.mcap");
    [4096, 16_384]
        .map(|bytes| whole[..bytes.min(whole.len())].to_vec())
        .to_vec()
}
