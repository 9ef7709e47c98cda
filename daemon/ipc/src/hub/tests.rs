//! Clients in virtual time: descriptors are numbers, the clock is an argument.

mod anything;
mod bodies;
mod connections;
mod deformables;
mod effects;
mod grasps;
mod leases;
mod placing;
mod rights;
mod shapes_of_bodies;
mod workspaces;

use super::{Hub, Import, Imported, Output};
use crate::{
    Answer, BodyRecord, ClientId, Command, GoneWhy, Notice, Quotas, Refusal, Role,
    shapes::ShapeFile,
};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_loop::effects::EffectChange;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::workspace::WorkspaceChange;
use hapticd_protocol::{
    MAGIC, MAJOR, MINOR, event,
    frame::Message,
    reply::{self, ArmInfo, ErrorCode, RefusalReason, Reply},
    request::{self, BodyKind, Request, topic},
    text::Name,
    wire::{Limit, NonNegative, Pose as WirePose},
};
use hapticd_proxy::{Material, tool_id};
use hapticd_scene::{AddError, BodySpec};

pub(super) const MS: u64 = 1_000_000;

pub(super) fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// A cube with half edges of this length.
pub(super) fn shape_file(half_m: f64) -> ShapeFile {
    ShapeFile::new(&shapes::cuboid(&Vec3::repeat(half_m)).unwrap()).unwrap()
}

pub(super) fn arm(index: u8) -> ArmInfo {
    ArmInfo {
        name: name("arm"),
        world_from_base: WirePose::IDENTITY,
        scale: 1.0,
        workspace_center_m: [0.0; 3],
        workspace_half_extents_m: [0.1; 3],
        peak_force_n: Limit(8.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.0),
        tool_radius_m: 0.005,
        period_ns: MS,
        sensed_dof: 6,
        actuated_dof: 3,
        index,
        attached: false,
    }
}

/// A hub with two arms, a static floor (body 1) and a kinematic lid without an owner (body 2).
pub(super) struct Fixture {
    pub(super) hub: Hub,
    pub(super) now_ns: u64,
    pub(super) out: Vec<Output<u32>>,
}

/// The change of an effect in a word.
fn effect_change(change: &EffectChange) -> String {
    match change {
        EffectChange::Start(effect) => format!("start {:?}", effect.kind),
        EffectChange::Update(effect) => format!("update {:?}", effect.kind),
        EffectChange::Stop => "stop".to_owned(),
        EffectChange::Hold(held) => format!("hold {held}"),
    }
}

/// The change of a workspace in a word.
fn workspace_change(change: &WorkspaceChange) -> String {
    match change {
        WorkspaceChange::Map(mapping) => {
            let bubble = mapping.bubble.map(|bubble| bubble.radius_m);
            format!("map {} {bubble:?}", mapping.scale)
        }
        WorkspaceChange::Stop => "stop".to_owned(),
        WorkspaceChange::Clutch(engaged) => format!("clutch {engaged}"),
    }
}

impl Fixture {
    pub(super) fn new(quotas: Quotas) -> Self {
        let body = |body, kind| BodyRecord {
            body,
            name: name(&format!("body {body}")),
            kind,
            triangles: 12,
        };
        let bodies = vec![body(1, BodyKind::Static), body(2, BodyKind::Kinematic)];
        let mut hub = Hub::new(quotas, vec![arm(0), arm(1)], bodies);
        for body in [1, 2, tool_id(0), tool_id(1)] {
            hub.set_shape(body, shape_file(0.2));
        }
        Self {
            hub,
            now_ns: 1000 * MS,
            out: Vec::new(),
        }
    }

    /// Adds a soft pad (body 3) and a cloth (body 4).
    pub(super) fn with_deformables(quotas: Quotas) -> Self {
        let mut fixture = Self::new(quotas);
        for (body, kind) in [(3, BodyKind::Soft), (4, BodyKind::Cloth)] {
            let joined = Notice::BodyJoined(BodyRecord {
                body,
                name: name(kind.text()),
                kind,
                triangles: 40,
            });
            fixture.hub.notice(joined, fixture.now_ns, &mut fixture.out);
        }
        fixture
    }

    pub(super) fn connect(&mut self, role: Role) -> ClientId {
        let client = self.hub.connect(role, true, self.now_ns).unwrap();
        let reply = self.ask(client, request::Hello::new(name("test")));
        assert!(matches!(reply, Some(Reply::Welcome(_))), "{reply:?}");
        client
    }

    /// Sends a request; its effects are in `out`.
    pub(super) fn send(&mut self, client: ClientId, request: impl Into<Request>, files: Vec<u32>) {
        let packet = request.into().encode(77);
        self.hub
            .receive(client, &packet, files, self.now_ns, &mut self.out);
    }

    /// Sends a request and returns the reply to it.
    pub(super) fn ask(&mut self, client: ClientId, request: impl Into<Request>) -> Option<Reply> {
        self.send(client, request, vec![]);
        self.reply(client)
    }

    pub(super) fn reply(&mut self, client: ClientId) -> Option<Reply> {
        let at = self.out.iter().position(
            |output| matches!(output, Output::Reply { client: to, .. } if *to == client),
        )?;
        match self.out.remove(at) {
            Output::Reply { id, reply, .. } => {
                assert_eq!(id, 77, "the id is given back");
                Some(reply)
            }
            _ => None,
        }
    }

    pub(super) fn refused(&mut self, client: ClientId, request: impl Into<Request>) -> ErrorCode {
        match self.ask(client, request) {
            Some(Reply::Error(error)) => error.code,
            other => panic!("not refused: {other:?}"),
        }
    }

    /// Takes all outputs, as text.
    pub(super) fn took(&mut self) -> Vec<String> {
        self.out
            .drain(..)
            .map(|output| match output {
                Output::Reply { client, reply, .. } => format!("{} reply {reply:?}", client.0),
                Output::Event { client, event } => format!("{} {event:?}", client.0),
                Output::Import(import) => {
                    format!("import {} limit {}", import.file, import.limit_bytes)
                }
                Output::Close { client } => format!("{} close", client.0),
                Output::Command(command) => match command {
                    Command::AddBody { client, spec, .. } => {
                        format!("{} add {}", client.0, spec.name)
                    }
                    Command::RemoveBody { body } => format!("remove {body}"),
                    Command::Orphaned { body } => format!("orphaned {body}"),
                    Command::MoveBody {
                        client,
                        body,
                        world_from_body,
                        speed_m_s,
                        lease_until_ns,
                    } => format!(
                        "{} move {body} to {} at {speed_m_s} until {}",
                        client.0,
                        world_from_body.translation.vector.x,
                        lease_until_ns / MS
                    ),
                    Command::HaltBody { body } => format!("halt {body}"),
                    Command::SetMaterial { body, material, .. } => {
                        format!("surface {body} {}", material.stiffness_n_per_m)
                    }
                    Command::PlaceBody {
                        body,
                        world_from_body,
                        ..
                    } => format!("place {body} at {}", world_from_body.translation.vector.x),
                    Command::PushBody { body, push, .. } => format!("push {body} {push:?}"),
                    Command::Order { order, .. } => match order {
                        LoopOrder::Effect(order) => {
                            format!("effect {} {}", order.place, effect_change(&order.change))
                        }
                        LoopOrder::Grasp(order) => format!("{} {:?}", order.arm, order.change),
                        LoopOrder::Workspace(order) => {
                            format!(
                                "workspace {} {}",
                                order.arm,
                                workspace_change(&order.change)
                            )
                        }
                    },
                    Command::TightenLimits { arm, limits, .. } => {
                        format!("tighten {arm:?} {}", limits.peak_force_n.0)
                    }
                    Command::Focus {
                        client,
                        focused,
                        bodies,
                    } => format!("{} focus {focused} {bodies:?}", client.0),
                    Command::Silent { client, bodies } => format!("{} silent {bodies:?}", client.0),
                    Command::Back { client, bodies } => format!("{} back {bodies:?}", client.0),
                    Command::Gone {
                        client,
                        why,
                        bodies,
                    } => format!("{} gone {why:?} {bodies:?}", client.0),
                    Command::Reload { token } => format!("reload {token}"),
                    Command::Shutdown => "shutdown".to_owned(),
                    Command::ClearFault { arm, .. } => format!("clear {arm:?}"),
                    Command::ReleaseLimits { arm, .. } => format!("release {arm:?}"),
                },
            })
            .collect()
    }

    pub(super) fn expire(&mut self) -> Option<u64> {
        self.hub.expire(self.now_ns, &mut self.out)
    }

    pub(super) fn start_add(&mut self, client: ClientId, text: &str) -> u64 {
        self.send(client, add(text), vec![5]);
        match self.out.pop() {
            Some(Output::Import(import)) => import.token,
            _ => panic!("no import"),
        }
    }

    pub(super) fn finish_import(&mut self, token: u64, mesh_bytes: u64) -> u64 {
        let (shape, report) = hapticd_scene::Shape::of(shapes::cuboid(&Vec3::repeat(0.1)).unwrap());
        let spec = BodySpec {
            name: "cuboid".to_owned(),
            kind: hapticd_scene::BodyKind::Kinematic,
            shape,
            solid: true,
            world_from_body: Pose::identity(),
            material: Material {
                stiffness_n_per_m: 1.0,
                damping_n_s_per_m: 0.0,
                friction: 0.0,
                force_shading: false,
            },
            restitution: 0.0,
            density_kg_m3: 1000.0,
        };
        let triangles = u32::try_from(report.triangles).unwrap();
        let file = shape_file(0.1);
        let imported = Imported {
            spec: Box::new(spec),
            mesh_bytes,
            triangles,
            file,
        };
        self.hub
            .imported(token, Ok(imported), self.now_ns, &mut self.out);
        match self.out.pop() {
            Some(Output::Command(Command::AddBody { token, .. })) => token,
            _ => panic!("no command"),
        }
    }

    /// Adds a body with all steps.
    pub(super) fn add(&mut self, client: ClientId, body: u32) {
        let token = self.start_add(client, &format!("body {body}"));
        let token = self.finish_import(token, 1000);
        self.hub
            .answer(token, &Answer::Added { body }, self.now_ns, &mut self.out);
        let reply = self.reply(client);
        assert_eq!(
            reply,
            Some(
                reply::BodyAdded {
                    body,
                    triangles: 12
                }
                .into()
            )
        );
    }
}

pub(super) fn add(text: &str) -> request::AddBody {
    request::AddBody {
        name: name(text),
        world_from_body: WirePose::IDENTITY,
        stiffness_n_per_m: NonNegative(500.0),
        damping_n_s_per_m: NonNegative(1.0),
        friction: NonNegative(0.3),
        restitution: NonNegative(0.0),
        density_kg_m3: NonNegative(1000.0),
        kind: BodyKind::Kinematic,
        solid: true,
    }
}

pub(super) fn move_body(body: u32, lease_ms: u32) -> request::SetBodyPose {
    let world_from_body = WirePose {
        translation_m: [0.25, 0.0, 0.0],
        ..WirePose::IDENTITY
    };
    request::SetBodyPose {
        world_from_body,
        speed_m_s: NonNegative(0.5),
        body,
        lease_ms,
    }
}

pub(super) fn done() -> Option<Reply> {
    Some(reply::Done {}.into())
}
