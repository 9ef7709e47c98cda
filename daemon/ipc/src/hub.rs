//! Every decision about clients and their rights, without a socket, a thread or a clock.
//!
//! Packets, descriptors (of any type `F`) and the time go in; [`Output`]s come out, in the order in
//! which they must be carried out. Deterministic. Does not panic on any packet. Not real-time:
//! allocates.

mod adding;
mod bucket;
mod effects;
mod grasps;
mod placing;
mod registry;
mod requests;
mod session;
mod workspace;

use super::{
    Answer, BodyRecord, ClientId, Command, Expulsion, GoneWhy, Notice, Quotas, Refusal, Role,
    shapes::ShapeFile,
};
pub(crate) use adding::scene_kind;
use bucket::Verdict;
use effects::EffectTable;
use grasps::GraspTable;
use hapticd_protocol::{
    MAJOR, MINOR,
    event::{self, EffectEnd, Event, RemovalReason},
    frame::{Header, MAX_MESSAGE, Message},
    reply::{self, ArmInfo, ErrorCode, RefusalReason, Refused, Reply},
    request::{AddBody, Hello, Request, SetEffect},
    text::Text,
};
use hapticd_scene::BodySpec;
use hapticd_sys::socket::MAX_FDS;
use registry::{ClientMesh, Registry};
use session::{HELLO_NS, Session};
use std::collections::BTreeMap;
use workspace::WorkspaceTable;

/// Places that only technicians can take, in addition to those open to everybody.
const TECHNICIANS: usize = 4;

/// An action for the server.
pub enum Output<F> {
    /// Send this reply.
    Reply {
        /// The recipient.
        client: ClientId,
        /// The request's id.
        id: u64,
        /// The reply. The sender adds its descriptors, if it has any (the named blocks, or the
        /// status text), and the arms' present limits.
        reply: Reply,
    },
    /// Send this event.
    Event {
        /// The recipient.
        client: ClientId,
        /// The event.
        event: Event,
    },
    /// Hand this command on. If it is not accepted and is not urgent, call [`Hub::answer`] with
    /// [`ErrorCode::Busy`].
    Command(Command),
    /// Read and index this mesh, then call [`Hub::imported`].
    Import(Import<F>),
    /// Close the connection, after everything sent before.
    Close {
        /// The client to disconnect.
        client: ClientId,
    },
}

/// A mesh to read.
#[derive(Debug)]
pub struct Import<F> {
    /// Token to return with the result.
    pub token: u64,
    /// The future owner of the body.
    pub client: ClientId,
    /// The client's request.
    pub request: AddBody,
    /// The mesh file.
    pub file: F,
    /// Longest accepted file, bytes.
    pub limit_bytes: u64,
}

/// A body ready for the scene.
pub struct Imported {
    /// The body.
    pub spec: Box<BodySpec>,
    /// Length of its file.
    pub mesh_bytes: u64,
    /// Triangles of its mesh.
    pub triangles: u32,
    /// Its mesh in the form that clients see.
    pub file: ShapeFile,
}

/// What is known of a packet even if it cannot be decoded; its answer refers to it.
#[derive(Clone, Copy)]
struct Envelope {
    /// The sender.
    client: ClientId,
    /// The request's id, chosen by the client.
    id: u64,
    /// The request's kind.
    kind: u16,
    /// When it came.
    now_ns: u64,
}

/// A body on its way into the scene; its id is not known yet.
struct Adding {
    client: ClientId,
    id: u64,
    /// Kind of the request.
    kind: u16,
    record: BodyRecord,
    mesh: ClientMesh,
    file: ShapeFile,
}

/// A request that waits for an answer from outside the hub.
enum Pending {
    /// The importer reads the mesh.
    Import {
        client: ClientId,
        id: u64,
        request: AddBody,
    },
    /// The scene adds the body.
    Add(Adding),
    /// The loop takes an order about an effect.
    Effect {
        client: ClientId,
        id: u64,
        effect: u32,
        is_new: bool,
    },
    /// The supervisor or the loop carries out a request of this kind.
    Done {
        client: ClientId,
        id: u64,
        kind: u16,
    },
    /// The loop takes an order by which a client holds something of an arm: a body, or the frame.
    Hold {
        client: ClientId,
        id: u64,
        kind: u16,
        arm: u8,
        /// The client that held it before.
        before: Option<ClientId>,
    },
}

/// All clients and their rights: see the module documentation.
pub struct Hub {
    quotas: Quotas,
    arms: Vec<ArmInfo>,
    sessions: BTreeMap<ClientId, Session>,
    registry: Registry,
    effects: EffectTable,
    grasps: GraspTable,
    workspaces: WorkspaceTable,
    /// Shapes of the arms' tools.
    tools: BTreeMap<u32, ShapeFile>,
    /// Whether all bodies lie in the plane z = 0, and stay there.
    planar: bool,
    pending: BTreeMap<u64, Pending>,
    next_client: u32,
    next_token: u64,
    stopping: bool,
    busy: bool,
}

impl Hub {
    /// Makes a hub without clients, for these arms and bodies.
    pub fn new(quotas: Quotas, arms: Vec<ArmInfo>, bodies: Vec<BodyRecord>) -> Self {
        let mut registry = Registry::default();
        for body in bodies {
            registry.add(body, None);
        }
        Self {
            quotas,
            arms,
            sessions: BTreeMap::new(),
            registry,
            effects: EffectTable::default(),
            grasps: GraspTable::default(),
            workspaces: WorkspaceTable::default(),
            tools: BTreeMap::new(),
            planar: false,
            pending: BTreeMap::new(),
            next_client: 1,
            next_token: 1,
            stopping: false,
            busy: false,
        }
    }

    /// Declares the scene planar: from now on no client may move a body out of the plane z = 0.
    pub fn set_planar(&mut self) {
        self.planar = true;
    }

    /// Sets the shape of a body that exists from the start, or of a tool: an id without a body is a
    /// tool's.
    pub fn set_shape(&mut self, body: u32, file: ShapeFile) {
        if let Some(file) = self.registry.set_shape(body, file) {
            self.tools.insert(body, file);
        }
    }

    /// Shape of a body or of a tool, for the reply to a request that [`Hub::receive`] accepted.
    pub fn shape(&self, body: u32) -> Option<&ShapeFile> {
        self.registry.shape(body).or_else(|| self.tools.get(&body))
    }

    /// Sets whether commands pile up. As long as they do, requests that would add commands are
    /// refused.
    pub fn set_busy(&mut self, busy: bool) {
        self.busy = busy;
    }

    /// Number of connected clients.
    pub fn clients(&self) -> usize {
        self.sessions.len()
    }

    /// The arms, by index.
    pub fn arms(&self) -> &[ArmInfo] {
        &self.arms
    }

    /// Clients with role and name, for the status.
    pub fn names(&self) -> impl Iterator<Item = (ClientId, Role, Option<&str>)> {
        self.sessions.values().map(|session| {
            (
                session.id,
                session.role,
                session.name.as_ref().map(|name| name.as_str()),
            )
        })
    }

    /// Admits a new connection. `permitted`: its user may use this socket.
    ///
    /// # Errors
    /// The packet to send before closing, if the connection is refused.
    pub fn connect(
        &mut self,
        role: Role,
        permitted: bool,
        now_ns: u64,
    ) -> Result<ClientId, Refused> {
        if !permitted {
            return Err(self.refused(RefusalReason::NotPermitted, None));
        }
        if self.stopping {
            return Err(self.refused(RefusalReason::ShuttingDown, None));
        }
        // Applications cannot lock out a technician, who may undo what they did.
        let places = match role {
            Role::App => self.quotas.clients,
            Role::Technician => self.quotas.clients.saturating_add(TECHNICIANS),
        };
        if self.sessions.len() >= places {
            return Err(Refused {
                limit: u16::try_from(places).unwrap_or(u16::MAX),
                ..self.refused(RefusalReason::TooManyClients, None)
            });
        }
        let id = ClientId(self.next_client);
        self.next_client = self.next_client.wrapping_add(1).max(1);
        self.sessions.insert(
            id,
            Session::new(id, role, self.quotas.messages_per_s, now_ns),
        );
        Ok(id)
    }

    fn refused(&self, reason: RefusalReason, hello: Option<&Hello>) -> Refused {
        Refused {
            reason,
            major: MAJOR,
            minor: MINOR,
            client_major: hello.map_or(0, |hello| hello.major),
            client_minor: hello.map_or(0, |hello| hello.minor),
            limit: 0,
        }
    }

    /// Handles a packet with these descriptors. Ignores packets of clients that are not connected.
    pub fn receive<F>(
        &mut self,
        client: ClientId,
        packet: &[u8],
        files: Vec<F>,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let envelope = Envelope {
            client,
            id: Header::id_of(packet),
            kind: packet
                .first_chunk()
                .map_or(0, |bytes| u16::from_le_bytes(*bytes)),
            now_ns,
        };
        let decoded = Request::decode(packet, files.len())
            .map(|(_, request)| request)
            .map_err(|error| Refusal::text(ErrorCode::Malformed, error.to_string()));
        self.take(envelope, decoded, files, out);
    }

    /// Handles a packet that was longer than any message, or had too many descriptors. It is lost,
    /// so its content is unknown.
    pub fn oversize<F>(&mut self, client: ClientId, now_ns: u64, out: &mut Vec<Output<F>>) {
        let envelope = Envelope {
            client,
            id: 0,
            kind: 0,
            now_ns,
        };
        let detail = format!("a message has at most {MAX_MESSAGE} bytes and {MAX_FDS} descriptors");
        let refusal = Refusal {
            limit: MAX_MESSAGE as u64,
            ..Refusal::text(ErrorCode::Malformed, detail)
        };
        self.take(envelope, Err(refusal), Vec::new(), out);
    }

    /// Handles a packet, decoded or not.
    fn take<F>(
        &mut self,
        envelope: Envelope,
        decoded: Result<Request, Refusal>,
        files: Vec<F>,
        out: &mut Vec<Output<F>>,
    ) {
        let Envelope {
            client,
            id,
            kind,
            now_ns,
        } = envelope;
        let lease_ms = self.quotas.lease_ms;
        self.effects.note_time(now_ns);
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        let greeted = session.name.is_some();
        let verdict = session.bucket.take(now_ns);
        if verdict == Verdict::Flood {
            let per_s = self.quotas.messages_per_s;
            let why = Expulsion::Flood { per_s };
            let reply = error_reply(&why.refusal(), kind).into();
            out.push(Output::Reply { client, id, reply });
            self.expel(client, why, out);
            return;
        }
        if !greeted {
            self.hello(envelope, decoded, out);
            return;
        }
        // Any packet shows that the client is alive, even if its request is refused.
        session.heard(now_ns, lease_ms);
        if std::mem::take(&mut session.silent) {
            let bodies = self.registry.responsible_for(client);
            out.push(Output::Command(Command::Back { client, bodies }));
        }
        let result = if verdict == Verdict::Over {
            Err(Refusal::new(
                ErrorCode::TooManyMessages,
                0,
                u64::from(self.quotas.messages_per_s),
            ))
        } else {
            decoded.and_then(|request| self.carry_out(envelope, request, files, out))
        };
        match result {
            Ok(Some(reply)) => out.push(Output::Reply { client, id, reply }),
            Ok(None) => {}
            Err(refusal) => out.push(Output::Reply {
                client,
                id,
                reply: error_reply(&refusal, kind).into(),
            }),
        }
    }

    /// Handles a client's first packet, which must be the hello of a version that the hub knows.
    fn hello<F>(
        &mut self,
        envelope: Envelope,
        decoded: Result<Request, Refusal>,
        out: &mut Vec<Output<F>>,
    ) {
        let Envelope {
            client, id, now_ns, ..
        } = envelope;
        let refuse = |reason, hello: Option<&Hello>, hub: &mut Self, out: &mut Vec<Output<F>>| {
            out.push(Output::Reply {
                client,
                id,
                reply: hub.refused(reason, hello).into(),
            });
            hub.expel(client, Expulsion::NoHello, out);
        };
        let hello = match decoded {
            Ok(Request::Hello(hello)) if hello.magic == hapticd_protocol::MAGIC => hello,
            _ => return refuse(RefusalReason::NotHello, None, self, out),
        };
        if hello.major != MAJOR {
            return refuse(RefusalReason::VersionMismatch, Some(&hello), self, out);
        }
        if hello.features != 0 {
            // Reserved for later minor versions, which this daemon cannot know.
            return refuse(RefusalReason::NotHello, Some(&hello), self, out);
        }
        let quotas = self.quotas;
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        session.name = Some(hello.name);
        session.heard(now_ns, quotas.lease_ms);
        let welcome = reply::Welcome {
            magic: hapticd_protocol::MAGIC,
            major: MAJOR,
            minor: MINOR,
            client: client.0,
            lease_ms: quotas.lease_ms,
            messages_per_s: quotas.messages_per_s,
            max_bodies: u32::try_from(quotas.bodies).unwrap_or(u32::MAX),
            technician: session.role == Role::Technician,
        };
        out.push(Output::Reply {
            client,
            id,
            reply: welcome.into(),
        });
    }

    /// Removes a client whose connection ended or turned out unusable.
    pub fn disconnect<F>(&mut self, client: ClientId, why: GoneWhy, out: &mut Vec<Output<F>>) {
        // The rest of the daemon does not know a client that never said hello.
        if self
            .sessions
            .remove(&client)
            .is_none_or(|session| session.name.is_none())
        {
            return;
        }
        self.end_effects(client, out);
        self.end_grasps(client, out);
        self.end_workspaces(client, out);
        // Everything that it was moving stops, including bodies that it does not own.
        let ended = self.registry.take_leases(0, Some(client));
        let bodies = self.registry.owned(client);
        out.extend(
            ended
                .into_iter()
                .filter(|(body, _)| !bodies.contains(body))
                .map(|(body, _)| Output::Command(Command::HaltBody { body })),
        );
        for body in &bodies {
            self.registry.remove(*body);
            self.broadcast(
                event::BodyLeft {
                    body: *body,
                    reason: RemovalReason::ClientGone,
                }
                .into(),
                out,
            );
        }
        out.push(Output::Command(Command::Gone {
            client,
            why,
            bodies,
        }));
    }

    fn expel<F>(&mut self, client: ClientId, why: Expulsion, out: &mut Vec<Output<F>>) {
        self.disconnect(client, GoneWhy::Expelled(why), out);
        out.push(Output::Close { client });
    }

    /// Takes the importer's result for a mesh.
    pub fn imported<F>(
        &mut self,
        token: u64,
        result: Result<Imported, Refusal>,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let lease_ms = self.quotas.lease_ms;
        let Some(Pending::Import {
            client,
            id,
            request,
        }) = self.pending.remove(&token)
        else {
            return;
        };
        // The client is gone, and with it the need for the body.
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        session.importing = false;
        session.heard(now_ns, lease_ms);
        match result {
            Ok(Imported {
                spec,
                mesh_bytes,
                triangles,
                file,
            }) => {
                let record = BodyRecord {
                    body: 0,
                    name: request.name,
                    kind: request.kind,
                    triangles,
                };
                let mesh = ClientMesh {
                    shape: spec.shape.clone(),
                    solid: request.solid,
                    bytes: mesh_bytes,
                };
                let token = self.register_pending(Pending::Add(Adding {
                    client,
                    id,
                    kind: AddBody::KIND,
                    record,
                    mesh,
                    file,
                }));
                out.push(Output::Command(Command::AddBody {
                    token,
                    client,
                    spec,
                }));
            }
            Err(refusal) => {
                session.pending_bodies = session.pending_bodies.saturating_sub(1);
                out.push(Output::Reply {
                    client,
                    id,
                    reply: error_reply(&refusal, AddBody::KIND).into(),
                });
            }
        }
    }

    /// Takes an answer to a command with a token. Ignores unknown tokens.
    pub fn answer<F>(
        &mut self,
        token: u64,
        answer: &Answer,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        match self.pending.remove(&token) {
            Some(Pending::Add(adding)) => self.added(adding, answer, now_ns, out),
            Some(Pending::Hold {
                client,
                id,
                kind,
                arm,
                before,
            }) => {
                if matches!(answer, Answer::Refused(_)) {
                    self.give_back((kind, arm), client, before);
                }
                self.carried_out((client, id, kind), answer, out);
            }
            Some(Pending::Done { client, id, kind }) => {
                self.carried_out((client, id, kind), answer, out);
            }
            Some(Pending::Effect {
                client,
                id,
                effect,
                is_new,
            }) => {
                if is_new && matches!(answer, Answer::Refused(_)) {
                    self.effects.withdraw(effect);
                }
                let most_force_n = self.quotas.effect_force_n;
                let reply = match answer {
                    Answer::Refused(refusal) => error_reply(refusal, SetEffect::KIND).into(),
                    Answer::Done | Answer::Added { .. } => reply::EffectSet {
                        most_force_n,
                        effect,
                    }
                    .into(),
                };
                out.push(Output::Reply { client, id, reply });
            }
            Some(import @ Pending::Import { .. }) => {
                // Only the importer answers this.
                self.pending.insert(token, import);
            }
            None => {}
        }
    }

    fn added<F>(&mut self, adding: Adding, answer: &Answer, now_ns: u64, out: &mut Vec<Output<F>>) {
        let Adding {
            client,
            id,
            kind,
            record,
            mesh,
            file,
        } = adding;
        let lease_ms = self.quotas.lease_ms;
        let session = self.sessions.get_mut(&client);
        if let Answer::Added { body } = answer
            && session.is_none()
        {
            // The client left while its body was on its way.
            out.push(Output::Command(Command::Orphaned { body: *body }));
            return;
        }
        let Some(session) = session else { return };
        session.pending_bodies = session.pending_bodies.saturating_sub(1);
        // The client was waiting for this answer, not silent.
        session.heard(now_ns, lease_ms);
        let reply = match answer {
            Answer::Added { body } => {
                let record = BodyRecord {
                    body: *body,
                    ..record
                };
                let joined = event::BodyJoined {
                    name: record.name,
                    body: *body,
                    kind: record.kind,
                };
                let triangles = record.triangles;
                if !session.focused {
                    // The body arrived while its client did not have the user's attention.
                    out.push(Output::Command(Command::Focus {
                        client,
                        focused: false,
                        bodies: vec![*body],
                    }));
                }
                self.registry.add(record, Some(client));
                self.registry.set_shape(*body, file);
                self.registry.set_mesh(*body, mesh);
                self.broadcast(joined.into(), out);
                reply::BodyAdded {
                    body: *body,
                    triangles,
                }
                .into()
            }
            Answer::Refused(refusal) => error_reply(refusal, kind).into(),
            Answer::Done => error_reply(
                &Refusal::text(ErrorCode::Internal, "wrong kind of answer"),
                kind,
            )
            .into(),
        };
        out.push(Output::Reply { client, id, reply });
    }

    /// Handles a notice of the daemon.
    pub fn notice<F>(&mut self, notice: Notice, now_ns: u64, out: &mut Vec<Output<F>>) {
        match notice {
            Notice::Answer { token, answer } => self.answer(token, &answer, now_ns, out),
            Notice::Event(event) => {
                let attached = match &event {
                    Event::ArmAttached(event) => Some((event.arm, true)),
                    Event::ArmLost(event) => Some((event.arm, false)),
                    _ => None,
                };
                if let Some((arm, attached)) = attached
                    && let Some(info) = self.arms.iter_mut().find(|info| info.index == arm)
                {
                    info.attached = attached;
                }
                self.broadcast(event, out);
            }
            Notice::Contact(event) => {
                let listening = self.sessions.values().filter(|s| s.contact_events);
                out.extend(listening.map(|session| Output::Event {
                    client: session.id,
                    event: event.clone(),
                }));
            }
            Notice::BodyJoined(record) => {
                let event = event::BodyJoined {
                    name: record.name,
                    body: record.body,
                    kind: record.kind,
                };
                self.registry.add(record, None);
                self.broadcast(event.into(), out);
            }
            Notice::BodyLeft { body, reason } => {
                if self.registry.remove(body) {
                    self.broadcast(event::BodyLeft { body, reason }.into(), out);
                }
            }
        }
    }

    /// Carries out what is due. Returns the time of the next due action, `None` if there is none.
    pub fn expire<F>(&mut self, now_ns: u64, out: &mut Vec<Output<F>>) -> Option<u64> {
        for (body, holder) in self.registry.take_leases(now_ns, None) {
            out.push(Output::Command(Command::HaltBody { body }));
            if self
                .sessions
                .get(&holder)
                .is_some_and(|session| session.events)
            {
                out.push(Output::Event {
                    client: holder,
                    event: event::LeaseExpired { body }.into(),
                });
            }
        }
        self.effects.note_time(now_ns);
        let (over, next_over_ns) = self.effects.take_over();
        for (effect, client) in over {
            self.tell_effects_ended(client, &[effect], EffectEnd::Finished, out);
        }
        let mut next_ns = [self.registry.next_end_ns(), next_over_ns]
            .into_iter()
            .flatten()
            .min();
        let mut silent = Vec::new();
        let mut unidentified = Vec::new();
        for session in self.sessions.values_mut() {
            let due_ns = if session.name.is_none() {
                let due_ns = session.since_ns.saturating_add(HELLO_NS);
                if due_ns <= now_ns {
                    unidentified.push(session.id);
                    continue;
                }
                due_ns
            } else {
                // Only a client that makes force can fall silent.
                let client = session.id;
                let bodies = self.registry.responsible_for(client);
                // A client that waits for the daemon's answer is not silent.
                let makes_force = !bodies.is_empty()
                    || self.effects.any_of(client)
                    || self.grasps.any_of(client)
                    || self.workspaces.any_of(client);
                if session.silent || session.pending_bodies > 0 || !makes_force {
                    continue;
                }
                if session.silent_at_ns <= now_ns {
                    session.silent = true;
                    silent.push(client);
                    out.push(Output::Command(Command::Silent { client, bodies }));
                    if session.events {
                        let silent_ms = now_ns.saturating_sub(session.last_heard_ns) / 1_000_000;
                        let silent_ms = u32::try_from(silent_ms).unwrap_or(u32::MAX);
                        out.push(Output::Event {
                            client,
                            event: event::ClientSilent { silent_ms }.into(),
                        });
                    }
                    continue;
                }
                session.silent_at_ns
            };
            next_ns = Some(next_ns.map_or(due_ns, |next| next.min(due_ns)));
        }
        for client in silent {
            self.end_grasps(client, out);
            self.end_workspaces(client, out);
            let ended = self.end_effects(client, out);
            self.tell_effects_ended(client, &ended, EffectEnd::ClientSilent, out);
        }
        for client in unidentified {
            out.push(Output::Reply {
                client,
                id: 0,
                reply: self.refused(RefusalReason::NotHello, None).into(),
            });
            self.expel(client, Expulsion::NoHello, out);
        }
        next_ns
    }

    /// Announces the end of the daemon to all clients. Requests that add anything are refused from
    /// now on.
    pub fn stop<F>(&mut self, out: &mut Vec<Output<F>>) {
        if !std::mem::replace(&mut self.stopping, true) {
            self.broadcast(event::ShuttingDown {}.into(), out);
        }
    }

    /// Whether a client listens for the news of contacts and buttons, which it wants soon.
    pub fn hears_contacts(&self) -> bool {
        self.sessions.values().any(|session| session.contact_events)
    }

    fn broadcast<F>(&self, event: Event, out: &mut Vec<Output<F>>) {
        out.extend(
            self.sessions
                .values()
                .filter(|session| session.events)
                .map(|session| Output::Event {
                    client: session.id,
                    event: event.clone(),
                }),
        );
    }

    /// Bytes of a client's meshes on their way into the scene; instances count as if they had
    /// meshes of their own.
    fn pending_mesh_bytes(&self, client: ClientId) -> u64 {
        self.pending
            .values()
            .map(|pending| match pending {
                Pending::Add(adding) if adding.client == client => adding.mesh.bytes,
                _ => 0,
            })
            .sum()
    }

    /// Answers a request that somebody else has carried out. A client that is gone needs no answer.
    fn carried_out<F>(
        &self,
        (client, id, kind): (ClientId, u64, u16),
        answer: &Answer,
        out: &mut Vec<Output<F>>,
    ) {
        if self.sessions.contains_key(&client) {
            let reply = match answer {
                Answer::Done | Answer::Added { .. } => reply::Done {}.into(),
                Answer::Refused(refusal) => error_reply(refusal, kind).into(),
            };
            out.push(Output::Reply { client, id, reply });
        }
    }

    fn register_done(&mut self, envelope: Envelope, kind: u16) -> u64 {
        let Envelope { client, id, .. } = envelope;
        self.register_pending(Pending::Done { client, id, kind })
    }

    fn register_pending(&mut self, pending: Pending) -> u64 {
        let token = self.next_token;
        self.next_token += 1;
        self.pending.insert(token, pending);
        token
    }
}

/// Converts a refusal into a reply to a request of this kind.
fn error_reply(refusal: &Refusal, request: u16) -> reply::Error {
    let Refusal {
        code,
        number,
        limit,
        detail,
    } = refusal;
    reply::Error {
        number: *number,
        limit: *limit,
        detail: Text::lossy(detail),
        code: *code,
        request,
    }
}

#[cfg(test)]
mod tests;
