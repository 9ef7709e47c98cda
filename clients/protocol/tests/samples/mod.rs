//! One sample of every message, in the order of their kinds.

use hapticd_protocol::{
    MAX_ARMS,
    event::{self, EffectEnd, Event, LetGoReason},
    gateway::{self, GatewayMessage, GatewayRequest},
    reply::{self, ArmInfo, BlockInfo, BlockKind, BodyInfo, ErrorCode, RefusalReason, Reply},
    request::{self, BodyKind, EffectKind, EffectShape, PushMode, Request, Waveform},
    text::{Name, Text},
    wire::{Limit, List, NonNegative, Pose},
};

pub fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn pose() -> Pose {
    Pose {
        translation_m: [1.0, -2.0, 3.0],
        rotation_xyzw: [0.5, -0.5, 0.5, 0.5],
    }
}

fn arm(index: u8) -> ArmInfo {
    ArmInfo {
        name: name("left"),
        world_from_base: pose(),
        scale: 2.0,
        workspace_center_m: [0.0, 0.1, 0.2],
        workspace_half_extents_m: [0.3; 3],
        peak_force_n: Limit(8.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.0),
        tool_radius_m: 0.005,
        period_ns: 1_000_000,
        sensed_dof: 6,
        actuated_dof: 3,
        index,
        attached: true,
    }
}

pub fn requests() -> Vec<Request> {
    vec![
        request::Hello::new(name("test client")).into(),
        request::ListArms {}.into(),
        request::ListBodies { skip: 16 }.into(),
        request::Subscribe {
            arm: 1,
            topics: request::topic::ALL,
        }
        .into(),
        request::SetBodyPose {
            world_from_body: pose(),
            speed_m_s: NonNegative(0.5),
            body: 7,
            lease_ms: 200,
        }
        .into(),
        request::AddBody {
            name: name("cup"),
            world_from_body: pose(),
            stiffness_n_per_m: NonNegative(800.0),
            damping_n_s_per_m: NonNegative(0.5),
            friction: NonNegative(0.3),
            restitution: NonNegative(0.1),
            density_kg_m3: NonNegative(900.0),
            kind: BodyKind::Kinematic,
            solid: true,
        }
        .into(),
        request::RemoveBody { body: 7 }.into(),
        request::HaltBody { body: 7 }.into(),
        request::TightenLimits {
            peak_force_n: Limit(2.0),
            continuous_force_n: Limit::NONE,
            peak_torque_nm: Limit(0.0),
            continuous_torque_nm: Limit::NONE,
            slew_n_per_s: Limit(100.0),
            slew_nm_per_s: Limit::NONE,
            velocity_m_s: Limit(0.5),
            angular_velocity_rad_s: Limit::NONE,
            arm: request::ALL_ARMS,
        }
        .into(),
        request::RenewLeases { lease_ms: 100 }.into(),
        request::SetFocus { focused: false }.into(),
        request::Goodbye {}.into(),
        request::OpenSurface { body: 7 }.into(),
        request::OpenSkin { body: 7 }.into(),
        request::OpenShape { body: 7 }.into(),
        request::GetLimits { arm: 1 }.into(),
        request::SetBodyPoses {
            targets: List(
                [7, 9]
                    .map(|body| request::BodyTarget {
                        world_from_body: pose(),
                        speed_m_s: NonNegative(0.5),
                        body,
                        lease_ms: 200,
                    })
                    .to_vec(),
            ),
        }
        .into(),
        request::SetMaterial {
            stiffness_n_per_m: NonNegative(300.0),
            damping_n_s_per_m: NonNegative(1.5),
            friction: NonNegative(0.25),
            body: 7,
        }
        .into(),
        request::AddInstance {
            name: name("cup 2"),
            world_from_body: pose(),
            stiffness_n_per_m: NonNegative(800.0),
            damping_n_s_per_m: NonNegative(0.5),
            friction: NonNegative(0.3),
            restitution: NonNegative(0.1),
            density_kg_m3: NonNegative(900.0),
            of: 7,
            kind: BodyKind::Dynamic,
        }
        .into(),
        request::SetEffect {
            place_m: [0.1, -0.2, 0.3],
            axis: [0.0, 0.0, 2.0],
            magnitude_n: -1.5,
            second_n: 0.25,
            coefficient: NonNegative(300.0),
            frequency_hz: NonNegative(120.0),
            phase: 0.25,
            dead_band_m: NonNegative(0.001),
            range_m: Limit::NONE,
            cap_n: NonNegative(2.0),
            delay_s: NonNegative(0.5),
            duration_s: Limit(2.5),
            attack_s: NonNegative(0.1),
            attack_level: NonNegative(0.2),
            fade_s: NonNegative(0.3),
            fade_level: NonNegative(0.4),
            effect: 9,
            arm: 1,
            kind: EffectKind::Periodic,
            waveform: Waveform::SawDown,
            shape: EffectShape::Plane,
        }
        .into(),
        request::StopEffect { effect: 9 }.into(),
        request::GraspBody { body: 7, arm: 1 }.into(),
        request::ReleaseBody { arm: 1 }.into(),
        request::SetWorkspace {
            world_from_base: pose(),
            scale: NonNegative(2.5),
            max_speed_m_s: NonNegative(0.5),
            bubble_center_m: [0.01, -0.02, 0.03],
            bubble_radius_m: NonNegative(0.05),
            bubble_width_m: NonNegative(0.03),
            bubble_speed_m_s: NonNegative(0.75),
            bubble_stiffness_n_per_m: NonNegative(150.0),
            bubble_cap_n: NonNegative(1.5),
            arm: 1,
            recentre: true,
        }
        .into(),
        request::SetClutch {
            arm: 1,
            engaged: true,
        }
        .into(),
        request::TeleportBody {
            world_from_body: pose(),
            body: 7,
        }
        .into(),
        request::PushBody {
            linear: [0.1, -0.2, 0.3],
            angular: [-0.01, 0.02, 0.03],
            point_m: [1.0, -2.0, 3.0],
            body: 7,
            mode: PushMode::Velocity,
        }
        .into(),
        request::GetStatus {}.into(),
        request::Reload {}.into(),
        request::Shutdown {}.into(),
        request::ClearFault { arm: 0 }.into(),
        request::ReleaseLimits { arm: 1 }.into(),
    ]
}

pub fn replies() -> Vec<Reply> {
    let body = BodyInfo {
        name: name("cup"),
        body: 7,
        triangles: 12,
        kind: BodyKind::Static,
        owned: true,
    };
    vec![
        reply::Welcome {
            magic: hapticd_protocol::MAGIC,
            major: hapticd_protocol::MAJOR,
            minor: hapticd_protocol::MINOR,
            client: 3,
            lease_ms: 200,
            messages_per_s: 2000,
            max_bodies: 16,
            technician: false,
        }
        .into(),
        reply::Refused {
            reason: RefusalReason::VersionMismatch,
            major: 1,
            minor: 0,
            client_major: 2,
            client_minor: 5,
            limit: 0,
        }
        .into(),
        reply::Done {}.into(),
        reply::Error {
            number: 70_000,
            limit: 4096,
            detail: Text::lossy("the mesh is too large"),
            code: ErrorCode::MeshTooLarge,
            request: 0x0106,
        }
        .into(),
        reply::Arms {
            arms: List((0..MAX_ARMS as u8).map(arm).collect()),
        }
        .into(),
        reply::Bodies {
            total: 40,
            skipped: 16,
            bodies: List(vec![body; reply::BODIES_PER_PAGE]),
        }
        .into(),
        reply::Subscribed {
            blocks: List(
                [
                    BlockKind::State,
                    BlockKind::Contacts,
                    BlockKind::Bodies,
                    BlockKind::Wake,
                    BlockKind::Needle,
                ]
                .map(|kind| BlockInfo { kind, arm: 1 })
                .to_vec(),
            ),
        }
        .into(),
        reply::BodyAdded {
            body: 7,
            triangles: 12,
        }
        .into(),
        reply::Status { bytes: 1000 }.into(),
        reply::Surface { body: 7 }.into(),
        reply::Skin { body: 7 }.into(),
        reply::Shape { body: 7 }.into(),
        reply::Limits {
            peak_force_n: Limit(4.0),
            continuous_force_n: Limit(3.0),
            peak_torque_nm: Limit(0.2),
            continuous_torque_nm: Limit(0.1),
            slew_n_per_s: Limit(900.0),
            slew_nm_per_s: Limit(40.0),
            velocity_m_s: Limit(1.2),
            angular_velocity_rad_s: Limit(15.0),
            arm: 1,
        }
        .into(),
        reply::EffectSet {
            most_force_n: 2.0,
            effect: 9,
        }
        .into(),
    ]
}

pub fn events() -> Vec<Event> {
    vec![
        event::BodyJoined {
            name: name("cup"),
            body: 7,
            kind: BodyKind::Kinematic,
        }
        .into(),
        event::BodyLeft {
            body: 7,
            reason: event::RemovalReason::ClientGone,
        }
        .into(),
        event::ArmAttached { arm: 0 }.into(),
        event::ArmLost { arm: 0 }.into(),
        event::ForceOff {
            tick: 9,
            time_ns: 10,
            arm: 1,
            reason: 35,
        }
        .into(),
        event::ForceOn {
            tick: 9,
            time_ns: 10,
            arm: 1,
        }
        .into(),
        event::LeaseExpired { body: 7 }.into(),
        event::ClientSilent { silent_ms: 200 }.into(),
        event::RecordingStopped {
            detail: Text::lossy("disk full"),
        }
        .into(),
        event::ConfigReloaded {}.into(),
        event::ConfigRefused {
            detail: Text::lossy("line 3: unknown key"),
        }
        .into(),
        event::ShuttingDown {}.into(),
        event::EventsLost { count: 5 }.into(),
        event::Touched {
            tick: 90,
            time_ns: 91,
            body: 7,
            arm: 1,
        }
        .into(),
        event::Released {
            tick: 92,
            time_ns: 93,
            last_touch_ns: 94,
            body: u32::MAX,
            arm: 1,
        }
        .into(),
        event::Ghost {
            tick: 95,
            time_ns: 96,
            body: 7,
            arm: 0,
        }
        .into(),
        event::Solid {
            tick: 97,
            time_ns: 98,
            body: 7,
            arm: 0,
        }
        .into(),
        event::ButtonPressed {
            tick: 99,
            time_ns: 100,
            arm: 1,
            button: 31,
        }
        .into(),
        event::ButtonReleased {
            tick: 101,
            time_ns: 102,
            arm: 1,
            button: 0,
        }
        .into(),
        event::EffectEnded {
            effect: 9,
            reason: EffectEnd::ClientSilent,
        }
        .into(),
        event::Grasped {
            tick: 103,
            time_ns: 104,
            body: 7,
            arm: 1,
        }
        .into(),
        event::LetGo {
            tick: 105,
            time_ns: 106,
            body: 7,
            arm: 1,
            reason: LetGoReason::Stretched,
        }
        .into(),
        event::ClutchEngaged {
            tick: 103,
            time_ns: 104,
            arm: 1,
        }
        .into(),
        event::ClutchReleased {
            tick: 105,
            time_ns: 106,
            arm: 1,
        }
        .into(),
    ]
}

pub fn gateway_requests() -> Vec<GatewayRequest> {
    vec![
        gateway::SetPushRates {
            state_hz: 60,
            surface_hz: 30,
        }
        .into(),
    ]
}

pub fn gateway_messages() -> Vec<GatewayMessage> {
    vec![
        gateway::BlockValue {
            version: 0x1_0000_0002,
            skipped: 3,
            body: 7,
            words: 48,
            kind: BlockKind::State,
            arm: 1,
        }
        .into(),
        gateway::SurfaceTriangles {
            body: 7,
            points: 9,
            triangles: 5,
        }
        .into(),
        gateway::ShapeFile {
            body: u32::MAX,
            bytes: 84,
        }
        .into(),
    ]
}
