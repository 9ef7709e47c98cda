//! The state machine behind the application's and the technician's socket, in virtual time.
//!
//! An input is a sequence of steps: clients that connect to either socket, packets with 0 to 3
//! descriptors, silence, answers of the rest of the daemon in any order, clients that disconnect.

use crate::input::Input;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_ipc::{
    Answer, BodyRecord, ClientId, Command, GoneWhy, Notice, Quotas, Refusal, Role,
    hub::{Hub, Imported, Output},
    shapes::ShapeFile,
};
use hapticd_protocol::{
    event::{self, RemovalReason},
    frame::{HEADER_BYTES, MAX_MESSAGE, Message},
    reply::{ArmInfo, ErrorCode},
    request::{self, BodyKind, Request},
    text::Name,
    wire::{Limit, Pose as WirePose},
};
use hapticd_proxy::Material;
use hapticd_scene::{BodySpec, Shape};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

const MS: u64 = 1_000_000;
/// Kinds of requests, in the order in which a step names them.
const KINDS: [u16; 21] = [
    0x0101, 0x0102, 0x0103, 0x0104, 0x0105, 0x0106, 0x0107, 0x0108, 0x0109, 0x010a, 0x010b, 0x010c,
    0x010d, 0x010e, 0x010f, 0x0201, 0x0202, 0x0203, 0x0204, 0x0205, 0x0110,
];

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn arm(index: u8) -> ArmInfo {
    ArmInfo {
        name: name(["left", "right"][usize::from(index)]),
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

fn record(body: u32, kind: BodyKind) -> BodyRecord {
    BodyRecord {
        body,
        name: name(&format!("body {body}")),
        kind,
        triangles: 12,
    }
}

/// Returns a cube's mesh for clients, made once as a memory file.
fn file() -> ShapeFile {
    static FILE: OnceLock<ShapeFile> = OnceLock::new();
    let cube = || ShapeFile::new(&shapes::cuboid(&Vec3::repeat(0.1)).unwrap()).unwrap();
    FILE.get_or_init(cube).clone()
}

fn imported(bytes: u64) -> Imported {
    static SHAPE: OnceLock<Shape> = OnceLock::new();
    let cube = || Shape::of(shapes::cuboid(&Vec3::repeat(0.1)).unwrap()).0;
    let spec = BodySpec {
        name: "cuboid".to_owned(),
        kind: hapticd_scene::BodyKind::Kinematic,
        shape: SHAPE.get_or_init(cube).clone(),
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
    Imported {
        spec: Box::new(spec),
        mesh_bytes: bytes,
        triangles: 12,
        file: file(),
    }
}

/// The hub and a model of the rest of the daemon.
struct World {
    hub: Hub,
    now_ns: u64,
    out: Vec<Output<u8>>,
    clients: Vec<ClientId>,
    gone: BTreeSet<ClientId>,
    bodies: BTreeSet<u32>,
    moving: BTreeSet<u32>,
    imports: BTreeSet<u64>,
    adds: BTreeSet<u64>,
    reloads: BTreeSet<u64>,
    next_body: u32,
    /// By client: the number of packets that require an answer, and the number of answers.
    asked: BTreeMap<ClientId, (u64, u64)>,
}

impl World {
    fn new() -> Self {
        let quotas = Quotas {
            clients: 4,
            bodies: 3,
            messages_per_s: 50,
            ..Quotas::default()
        };
        let bodies = vec![
            record(1, BodyKind::Static),
            record(2, BodyKind::Kinematic),
            record(3, BodyKind::Soft),
            record(4, BodyKind::Implicit),
        ];
        let mut hub = Hub::new(quotas, vec![arm(0), arm(1)], bodies);
        for body in [1, 2] {
            hub.set_shape(body, file());
        }
        Self {
            hub,
            now_ns: 1000 * MS,
            out: Vec::new(),
            clients: Vec::new(),
            gone: BTreeSet::new(),
            bodies: BTreeSet::new(),
            moving: BTreeSet::new(),
            imports: BTreeSet::new(),
            adds: BTreeSet::new(),
            reloads: BTreeSet::new(),
            next_body: 100,
            asked: BTreeMap::new(),
        }
    }

    fn client(&self, byte: u8) -> ClientId {
        let count = self.clients.len().max(1);
        let index = usize::from(byte) % count;
        self.clients.get(index).copied().unwrap_or(ClientId(0))
    }

    fn packet(&mut self, client: ClientId, packet: &[u8], descriptors: u8) {
        let files = (0..descriptors).collect();
        self.asked.entry(client).or_default().0 += 1;
        self.hub
            .receive(client, packet, files, self.now_ns, &mut self.out);
    }

    /// Sends a packet with a header that matches kind and body.
    fn framed(&mut self, client: ClientId, kind: u16, descriptors: u8, body: &[u8]) {
        let body = &body[..body.len().min(MAX_MESSAGE - HEADER_BYTES)];
        let mut packet = Vec::with_capacity(HEADER_BYTES + body.len());
        packet.extend(kind.to_le_bytes());
        packet.extend([descriptors, 0]);
        packet.extend(((HEADER_BYTES + body.len()) as u32).to_le_bytes());
        packet.extend(77_u64.to_le_bytes());
        packet.extend(body);
        self.packet(client, &packet, descriptors);
    }

    fn step(&mut self, input: &mut Input<'_>) {
        let op = input.byte();
        let which = input.byte();
        let client = self.client(which);
        match op % 12 {
            0 => {
                let role = [Role::App, Role::Technician][usize::from(which & 1)];
                if let Ok(client) = self.hub.connect(role, which & 2 == 0, self.now_ns) {
                    self.clients.push(client);
                    if which & 4 == 0 {
                        let hello = Request::from(request::Hello::new(name("fuzz")));
                        self.packet(client, &hello.encode(1), 0);
                    }
                }
            }
            1 => {
                let packet = input.piece();
                self.packet(client, packet, which >> 6);
            }
            2..=4 => {
                let kind = KINDS[usize::from(input.byte()) % KINDS.len()];
                let body = input.piece();
                self.framed(client, kind, u8::from(kind == 0x0106), body);
            }
            5 => {
                let why = [GoneWhy::Closed, GoneWhy::ProcessEnded][usize::from(which >> 7)];
                self.hub.disconnect(client, why, &mut self.out);
            }
            6 => self.import(which),
            7 => self.answer(which),
            8 => {
                self.now_ns += u64::from(input.short()) * MS / 16;
                let next = self.hub.expire(self.now_ns, &mut self.out);
                // Everything due is done: the next deadline lies ahead, or the daemon spins.
                assert!(next.is_none_or(|next| next > self.now_ns), "{next:?}");
            }
            9 => {
                self.asked.entry(client).or_default().0 += 1;
                self.hub.oversize(client, self.now_ns, &mut self.out);
            }
            10 => {
                let event = event::BodyLeft {
                    body: u32::from(which % 8),
                    reason: RemovalReason::Configuration,
                };
                let notice = match which >> 6 {
                    0 => Notice::Event(event::ArmLost { arm: which & 3 }.into()),
                    1 => Notice::Event(event.into()),
                    2 => Notice::BodyJoined(record(5 + u32::from(which % 4), BodyKind::Cloth)),
                    _ => Notice::BodyLeft {
                        body: 5 + u32::from(which % 4),
                        reason: RemovalReason::Configuration,
                    },
                };
                self.hub.notice(notice, self.now_ns, &mut self.out);
            }
            _ => self.hub.set_busy(which & 1 == 1),
        }
        self.settle();
    }

    fn import(&mut self, which: u8) {
        let Some(token) = pick(&mut self.imports, which) else {
            return;
        };
        let result = if which & 1 == 0 {
            Ok(imported(u64::from(which) << 20))
        } else {
            Err(Refusal::new(ErrorCode::InvalidMesh, 0, 0))
        };
        self.hub.imported(token, result, self.now_ns, &mut self.out);
    }

    fn answer(&mut self, which: u8) {
        let (token, answer) = if which & 1 == 0 {
            let Some(token) = pick(&mut self.adds, which) else {
                return;
            };
            let answer = if which & 2 == 0 {
                self.bodies.insert(self.next_body);
                self.next_body += 1;
                Answer::Added {
                    body: self.next_body - 1,
                }
            } else {
                Answer::Refused(Refusal::new(ErrorCode::SceneFull, 64, 64))
            };
            (token, answer)
        } else {
            let Some(token) = pick(&mut self.reloads, which) else {
                return;
            };
            (token, Answer::Done)
        };
        self.hub.answer(token, &answer, self.now_ns, &mut self.out);
    }

    /// Takes the hub's output and checks it against the model.
    fn settle(&mut self) {
        for output in std::mem::take(&mut self.out) {
            match output {
                Output::Reply { client, id, reply } => {
                    assert!(
                        !self.gone.contains(&client),
                        "{client:?} is gone: {reply:?}"
                    );
                    assert!(reply.encode(id).len() <= MAX_MESSAGE);
                    self.asked.entry(client).or_default().1 += 1;
                }
                Output::Event { client, event } => {
                    assert!(
                        !self.gone.contains(&client),
                        "{client:?} is gone: {event:?}"
                    );
                }
                Output::Import(import) => {
                    assert!(self.imports.insert(import.token));
                    assert!(!import.request.kind.is_simulated());
                }
                Output::Close { .. } => {}
                Output::Command(command) => self.command(command),
            }
        }
        for (client, (asked, answered)) in &self.asked {
            // A client that is refused without having sent a request is told why, once.
            assert!(*answered <= asked + 1, "{client:?}: {answered} of {asked}");
        }
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::AddBody { token, .. } => assert!(self.adds.insert(token)),
            Command::Reload { token, .. } => assert!(self.reloads.insert(token)),
            Command::RemoveBody { body } | Command::Orphaned { body } => {
                assert!(self.bodies.remove(&body), "{body} is not in the scene");
                self.moving.remove(&body);
            }
            Command::Gone { client, bodies, .. } => {
                assert!(self.gone.insert(client), "{client:?} is gone twice");
                for body in bodies {
                    assert!(self.bodies.remove(&body), "{body} is not in the scene");
                    self.moving.remove(&body);
                }
            }
            Command::MoveBody { body, .. } => {
                assert!(!(3..=8).contains(&body), "{body} is the simulation's");
                self.moving.insert(body);
            }
            Command::HaltBody { body } => {
                self.moving.remove(&body);
            }
            // They change force only in ways that other targets and tests check.
            _ => {}
        }
    }

    /// Disconnects all clients and answers everything pending: nothing must remain.
    fn end(mut self) {
        for client in self.clients.clone() {
            self.hub
                .disconnect(client, GoneWhy::ShuttingDown, &mut self.out);
        }
        self.settle();
        while let Some(token) = self.imports.pop_first() {
            self.hub
                .imported(token, Ok(imported(1000)), self.now_ns, &mut self.out);
            self.settle();
        }
        while let Some(token) = self.adds.pop_first() {
            let body = self.next_body;
            self.next_body += 1;
            self.bodies.insert(body);
            let answer = Answer::Added { body };
            self.hub.answer(token, &answer, self.now_ns, &mut self.out);
            self.settle();
        }
        assert!(self.bodies.is_empty(), "left behind: {:?}", self.bodies);
        assert!(self.moving.is_empty(), "still moving: {:?}", self.moving);
        assert_eq!(self.hub.clients(), 0);
    }
}

fn pick(tokens: &mut BTreeSet<u64>, which: u8) -> Option<u64> {
    let index = usize::from(which >> 2) % tokens.len().max(1);
    let token = tokens.iter().nth(index).copied()?;
    tokens.remove(&token);
    Some(token)
}

/// Runs steps until the input ends, then disconnects all clients.
pub fn packets(data: &[u8]) {
    let mut input = Input::new(data);
    let mut world = World::new();
    while !input.is_empty() {
        world.step(&mut input);
    }
    world.end();
}
