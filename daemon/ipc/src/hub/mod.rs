//! Who may do what: every decision about clients, without a socket, a thread or a clock.
//!
//! Packets, descriptors (of any type `F`) and the time go in; [`Output`]s come out, in the order in
//! which they are to be carried out. Deterministic. No panic on any packet. Not real-time:
//! allocates.

mod bucket;
mod registry;
mod requests;
mod session;

use super::{
    Answer, BodyRecord, ClientId, Command, Expulsion, GoneWhy, Notice, Quotas, Refusal, Role,
    shapes::ShapeFile,
};
use bucket::Verdict;
use hapticd_protocol::{
    MAJOR, MINOR, MINOR_SAFETY, MINOR_SURFACES,
    event::{self, Event, RemovedCode},
    frame::{Header, MAX_MESSAGE, Message},
    reply::{self, ArmInfo, ErrorCode, Refused, RefusedCode, Reply},
    request::{AddBody, BodyKind, Hello, Request},
    text::Text,
};
use hapticd_scene::BodySpec;
use hapticd_sys::socket::MAX_FDS;
use registry::Registry;
use session::{HELLO_NS, Session};
use std::collections::BTreeMap;

/// Places that only technicians can take, beside those that are everybody's.
const TECHNICIANS: usize = 4;

/// What is to be done next.
pub enum Output<F> {
    /// Send this reply.
    Reply {
        /// To whom.
        client: ClientId,
        /// The request's id.
        id: u64,
        /// What; its descriptors, if it has any, are the sender's to add: the named blocks, or the
        /// status text. So are the arms' limits now.
        reply: Reply,
    },
    /// Send this event.
    Event {
        /// To whom.
        client: ClientId,
        /// What.
        event: Event,
    },
    /// Hand this on. If it is not taken and is not urgent, call [`Hub::answer`] with
    /// [`ErrorCode::Busy`].
    Command(Command),
    /// Read and index this mesh, then call [`Hub::imported`].
    Import(Import<F>),
    /// Close the connection, after what was sent before.
    Close {
        /// Whose.
        client: ClientId,
    },
}

/// A mesh to read.
#[derive(Debug)]
pub struct Import<F> {
    /// Goes back with the result.
    pub token: u64,
    /// Whose body it is to be.
    pub client: ClientId,
    /// What was asked for.
    pub request: AddBody,
    /// The file.
    pub file: F,
    /// Most bytes that it may have.
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
    /// Its mesh as clients see it.
    pub file: ShapeFile,
}

/// What can be told of a packet whatever else it is: its answer goes by that.
struct Head {
    id: u64,
    kind: u16,
}

/// A body on its way into the scene; its identity is not known yet.
struct Adding {
    client: ClientId,
    id: u64,
    record: BodyRecord,
    mesh_bytes: u64,
    file: ShapeFile,
}

/// What waits for an answer from elsewhere.
enum Pending {
    /// The importer reads the mesh.
    Import {
        client: ClientId,
        id: u64,
        request: AddBody,
    },
    /// The scene takes the body.
    Add(Adding),
    /// The supervisor or the loop does what was asked for by a request of this kind.
    Done {
        client: ClientId,
        id: u64,
        kind: u16,
    },
}

/// All clients. See the module page.
pub struct Hub {
    quotas: Quotas,
    arms: Vec<ArmInfo>,
    sessions: BTreeMap<ClientId, Session>,
    registry: Registry,
    /// Shapes of the arms' tools.
    tools: BTreeMap<u32, ShapeFile>,
    /// All bodies lie in the plane z = 0, and stay there.
    planar: bool,
    pending: BTreeMap<u64, Pending>,
    next_client: u32,
    next_token: u64,
    stopping: bool,
    busy: bool,
}

impl Hub {
    /// Nobody is connected; these arms and bodies are there.
    pub fn new(quotas: Quotas, arms: Vec<ArmInfo>, bodies: Vec<BodyRecord>) -> Self {
        let mut registry = Registry::default();
        for body in bodies {
            registry.add(body, None, 0);
        }
        Self {
            quotas,
            arms,
            sessions: BTreeMap::new(),
            registry,
            tools: BTreeMap::new(),
            planar: false,
            pending: BTreeMap::new(),
            next_client: 1,
            next_token: 1,
            stopping: false,
            busy: false,
        }
    }

    /// From now on the scene lies in the plane z = 0, and no client sends a body out of it.
    pub fn set_planar(&mut self) {
        self.planar = true;
    }

    /// The shape of a body that is there from the start, or of a tool: of an identity that no body
    /// has.
    pub fn set_shape(&mut self, body: u32, file: ShapeFile) {
        if let Some(file) = self.registry.set_shape(body, file) {
            self.tools.insert(body, file);
        }
    }

    /// The shape of a body or of a tool, for the reply that [`Hub::receive`] gave to who asked for
    /// it.
    pub fn shape(&self, body: u32) -> Option<&ShapeFile> {
        self.registry.shape(body).or_else(|| self.tools.get(&body))
    }

    /// Whether commands pile up: until they no longer do, requests that would make more of them are
    /// refused.
    pub fn set_busy(&mut self, busy: bool) {
        self.busy = busy;
    }

    /// How many clients are connected.
    pub fn clients(&self) -> usize {
        self.sessions.len()
    }

    /// The arms, by index.
    pub fn arms(&self) -> &[ArmInfo] {
        &self.arms
    }

    /// Clients by number, with role and name, for the status.
    pub fn names(&self) -> impl Iterator<Item = (ClientId, Role, Option<&str>)> {
        self.sessions.values().map(|session| {
            (
                session.id,
                session.role,
                session.name.as_ref().map(|name| name.as_str()),
            )
        })
    }

    /// Somebody connected. `permitted`: its user may use this socket.
    ///
    /// # Errors
    /// The packet to send before closing, when it is not taken.
    pub fn connect(
        &mut self,
        role: Role,
        permitted: bool,
        now_ns: u64,
    ) -> Result<ClientId, Refused> {
        if !permitted {
            return Err(self.refused(RefusedCode::NotPermitted, None));
        }
        if self.stopping {
            return Err(self.refused(RefusedCode::ShuttingDown, None));
        }
        // Applications cannot lock a technician out, who may take back what they did.
        let places = match role {
            Role::App => self.quotas.clients,
            Role::Technician => self.quotas.clients.saturating_add(TECHNICIANS),
        };
        if self.sessions.len() >= places {
            return Err(Refused {
                limit: u16::try_from(places).unwrap_or(u16::MAX),
                ..self.refused(RefusedCode::TooManyClients, None)
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

    fn refused(&self, code: RefusedCode, hello: Option<&Hello>) -> Refused {
        Refused {
            code,
            major: MAJOR,
            minor: MINOR,
            client_major: hello.map_or(0, |hello| hello.major),
            client_minor: hello.map_or(0, |hello| hello.minor),
            limit: 0,
        }
    }

    /// A packet arrived with these descriptors. Packets of clients that are not connected are
    /// nothing.
    pub fn receive<F>(
        &mut self,
        client: ClientId,
        packet: &[u8],
        files: Vec<F>,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let head = Head {
            id: Header::id_of(packet),
            kind: packet
                .first_chunk()
                .map_or(0, |bytes| u16::from_le_bytes(*bytes)),
        };
        let decoded = Request::decode(packet, files.len())
            .map(|(_, request)| request)
            .map_err(|error| Refusal::text(ErrorCode::Malformed, error.to_string()));
        self.take(client, head, decoded, files, now_ns, out);
    }

    /// A packet arrived that was longer than any message, or had more descriptors than any. It is
    /// lost, so nobody knows what it was.
    pub fn oversize<F>(&mut self, client: ClientId, now_ns: u64, out: &mut Vec<Output<F>>) {
        let head = Head { id: 0, kind: 0 };
        let detail = format!("a message has at most {MAX_MESSAGE} bytes and {MAX_FDS} descriptors");
        let refusal = Refusal {
            limit: MAX_MESSAGE as u64,
            ..Refusal::text(ErrorCode::Malformed, detail)
        };
        self.take(client, head, Err(refusal), Vec::new(), now_ns, out);
    }

    /// A packet of which this much is known.
    fn take<F>(
        &mut self,
        client: ClientId,
        Head { id, kind }: Head,
        decoded: Result<Request, Refusal>,
        files: Vec<F>,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let lease_ms = self.quotas.lease_ms;
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        let (greeted, minor) = (session.name.is_some(), session.minor);
        let verdict = session.bucket.take(now_ns);
        if verdict == Verdict::Flood {
            let per_s = self.quotas.messages_per_s;
            let why = Expulsion::Flood { per_s };
            let reply = error_reply(&why.refusal().in_version(minor), kind).into();
            out.push(Output::Reply { client, id, reply });
            self.expel(client, why, out);
            return;
        }
        if !greeted {
            self.hello(client, id, decoded, now_ns, out);
            return;
        }
        // Any packet shows that the client is alive; what it asks for may still be refused.
        session.heard(now_ns, lease_ms);
        if std::mem::take(&mut session.silent) {
            let bodies = self.registry.answered_for(client);
            out.push(Output::Command(Command::Back { client, bodies }));
        }
        let result = if verdict == Verdict::Over {
            Err(Refusal::new(
                ErrorCode::TooManyMessages,
                0,
                u64::from(self.quotas.messages_per_s),
            ))
        } else {
            decoded.and_then(|request| self.carry_out(client, id, request, files, now_ns, out))
        };
        match result {
            Ok(Some(reply)) => out.push(Output::Reply { client, id, reply }),
            Ok(None) => {}
            Err(refusal) => out.push(Output::Reply {
                client,
                id,
                reply: error_reply(&refusal.in_version(minor), kind).into(),
            }),
        }
    }

    fn hello<F>(
        &mut self,
        client: ClientId,
        id: u64,
        decoded: Result<Request, Refusal>,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        let refuse = |code, hello: Option<&Hello>, hub: &mut Self, out: &mut Vec<Output<F>>| {
            out.push(Output::Reply {
                client,
                id,
                reply: hub.refused(code, hello).into(),
            });
            hub.expel(client, Expulsion::NoHello, out);
        };
        let hello = match decoded {
            Ok(Request::Hello(hello)) if hello.magic == hapticd_protocol::MAGIC => hello,
            _ => return refuse(RefusedCode::NotHello, None, self, out),
        };
        if hello.major != MAJOR {
            return refuse(RefusedCode::Version, Some(&hello), self, out);
        }
        if hello.features != 0 {
            // Reserved for later minor versions, which a daemon of this one cannot know.
            return refuse(RefusedCode::NotHello, Some(&hello), self, out);
        }
        let quotas = self.quotas;
        let Some(session) = self.sessions.get_mut(&client) else {
            return;
        };
        session.name = Some(hello.name);
        session.minor = hello.minor.min(MINOR);
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

    /// A connection ended by itself, or was found unusable.
    pub fn disconnect<F>(&mut self, client: ClientId, why: GoneWhy, out: &mut Vec<Output<F>>) {
        // A client that never said hello is nobody to the rest of the daemon.
        if self
            .sessions
            .remove(&client)
            .is_none_or(|session| session.name.is_none())
        {
            return;
        }
        // What it was moving stops, also what is not its own.
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
                    why: RemovedCode::ClientGone,
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

    /// The importer is done with a mesh.
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
        // Gone meanwhile: nobody wants the body any more.
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
                let token = self.promise(Pending::Add(Adding {
                    client,
                    id,
                    record,
                    mesh_bytes,
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

    /// An answer to a command with a token. Tokens that nobody waits for are nothing.
    pub fn answer<F>(
        &mut self,
        token: u64,
        answer: &Answer,
        now_ns: u64,
        out: &mut Vec<Output<F>>,
    ) {
        match self.pending.remove(&token) {
            Some(Pending::Add(adding)) => self.added(adding, answer, now_ns, out),
            Some(Pending::Done { client, id, kind }) => {
                // Who is gone meanwhile wants no answer; what was asked for is done all the same.
                let Some(session) = self.sessions.get_mut(&client) else {
                    return;
                };
                let reply = match answer {
                    Answer::Done | Answer::Added { .. } => reply::Done {}.into(),
                    Answer::Refused(refusal) => {
                        error_reply(&refusal.clone().in_version(session.minor), kind).into()
                    }
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
            record,
            mesh_bytes,
            file,
        } = adding;
        let lease_ms = self.quotas.lease_ms;
        let session = self.sessions.get_mut(&client);
        if let Answer::Added { body } = answer
            && session.is_none()
        {
            // Its client went while it was on its way.
            out.push(Output::Command(Command::Orphaned { body: *body }));
            return;
        }
        let Some(session) = session else { return };
        session.pending_bodies = session.pending_bodies.saturating_sub(1);
        // It was waiting for this answer, not silent.
        session.heard(now_ns, lease_ms);
        let kind = AddBody::KIND;
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
                    // It came while its client had not the user's attention.
                    out.push(Output::Command(Command::Focus {
                        client,
                        focused: false,
                        bodies: vec![*body],
                    }));
                }
                self.registry.add(record, Some(client), mesh_bytes);
                self.registry.set_shape(*body, file);
                self.broadcast(joined.into(), out);
                reply::BodyAdded {
                    body: *body,
                    triangles,
                }
                .into()
            }
            Answer::Refused(refusal) => error_reply(refusal, kind).into(),
            Answer::Done => error_reply(
                &Refusal::text(ErrorCode::Internal, "an answer of the wrong kind"),
                kind,
            )
            .into(),
        };
        out.push(Output::Reply { client, id, reply });
    }

    /// The daemon has something to say.
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
            Notice::BodyJoined(record) => {
                let event = event::BodyJoined {
                    name: record.name,
                    body: record.body,
                    kind: record.kind,
                };
                self.registry.add(record, None, 0);
                self.broadcast(event.into(), out);
            }
            Notice::BodyLeft { body, why } => {
                if self.registry.remove(body) {
                    self.broadcast(event::BodyLeft { body, why }.into(), out);
                }
            }
        }
    }

    /// Carries out what is due, and says when something will be next (`None`: nothing is).
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
        let mut next_ns = self.registry.next_end_ns();
        let mut strangers = Vec::new();
        for session in self.sessions.values_mut() {
            let due_ns = if session.name.is_none() {
                let due_ns = session.since_ns.saturating_add(HELLO_NS);
                if due_ns <= now_ns {
                    strangers.push(session.id);
                    continue;
                }
                due_ns
            } else {
                // Only who makes force can fall silent.
                let client = session.id;
                let bodies = self.registry.answered_for(client);
                // Who waits for our answer is not silent.
                if session.silent || session.pending_bodies > 0 || bodies.is_empty() {
                    continue;
                }
                if session.silent_at_ns <= now_ns {
                    session.silent = true;
                    out.push(Output::Command(Command::Silent { client, bodies }));
                    if session.events {
                        let silent_ms = now_ns.saturating_sub(session.last_heard_ns) / 1_000_000;
                        let silent_ms = u32::try_from(silent_ms).unwrap_or(u32::MAX);
                        out.push(Output::Event {
                            client,
                            event: event::Silent { silent_ms }.into(),
                        });
                    }
                    continue;
                }
                session.silent_at_ns
            };
            next_ns = Some(next_ns.map_or(due_ns, |next| next.min(due_ns)));
        }
        for client in strangers {
            out.push(Output::Reply {
                client,
                id: 0,
                reply: self.refused(RefusedCode::NotHello, None).into(),
            });
            self.expel(client, Expulsion::NoHello, out);
        }
        next_ns
    }

    /// The daemon is about to end: tells everybody, and takes no more requests that add anything.
    pub fn stop<F>(&mut self, out: &mut Vec<Output<F>>) {
        if !std::mem::replace(&mut self.stopping, true) {
            self.broadcast(event::ShuttingDown {}.into(), out);
        }
    }

    fn broadcast<F>(&self, event: Event, out: &mut Vec<Output<F>>) {
        let of = match &event {
            Event::BodyJoined(joined) => joined.kind,
            _ => BodyKind::Static,
        };
        out.extend(
            self.sessions
                .values()
                .filter(|session| session.events && session.knows(of))
                .map(|session| Output::Event {
                    client: session.id,
                    event: event.clone(),
                }),
        );
    }

    /// Bytes of a client's meshes on their way into the scene.
    fn pending_mesh_bytes(&self, client: ClientId) -> u64 {
        self.pending
            .values()
            .map(|pending| match pending {
                Pending::Add(adding) if adding.client == client => adding.mesh_bytes,
                _ => 0,
            })
            .sum()
    }

    fn promise_done(&mut self, client: ClientId, id: u64, kind: u16) -> u64 {
        self.promise(Pending::Done { client, id, kind })
    }

    fn promise(&mut self, pending: Pending) -> u64 {
        let token = self.next_token;
        self.next_token += 1;
        self.pending.insert(token, pending);
        token
    }
}

impl Refusal {
    /// The same in the words of a minor version: to a client of before there were deformable
    /// bodies, there is no such body, and limits that cannot be kept are numbers out of range.
    fn in_version(self, minor: u16) -> Self {
        match self.code {
            ErrorCode::Deformable if minor < MINOR_SURFACES => Self {
                code: ErrorCode::NoSuchBody,
                detail: String::new(),
                ..self
            },
            ErrorCode::LimitsRefused if minor < MINOR_SAFETY => Self {
                code: ErrorCode::OutOfRange,
                ..self
            },
            // Before there was a word for it.
            ErrorCode::BadBody if minor < MINOR_SAFETY => Self {
                code: ErrorCode::OutOfRange,
                ..self
            },
            _ => self,
        }
    }
}

/// A refusal as a reply to a request of this kind.
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
