//! Carries out the hub's decisions: replies with their descriptors, events, wake-up lines.

use super::super::{
    ClientId, Expulsion, GoneWhy, Refusal, Role,
    hub::Output,
    outbox::{MAX_REPLIES, Passed},
    shapes::ShapeFile,
};
use super::peers::Peer;
use super::{ClientStatus, File, LimitsStatus, Server, ServerStatus};
use hapticd_devices::safety::Limits;
use hapticd_protocol::{
    reply::{self, BlockKind, ErrorCode, Reply},
    text::Text,
    wire::Limit,
};
use hapticd_sync::delivery::Unsent;
use hapticd_sys::{
    clock::now_ns,
    sealed_file::create_sealed,
    socket::{Connection, SendError},
};
use std::{os::fd::OwnedFd, sync::Arc};

/// A wake-up line, which is rung when an arm's state is new.
pub(super) struct Line {
    pub(super) client: ClientId,
    pub(super) arm: u16,
    pub(super) connection: Connection,
    pub(super) rung_version: u64,
}

impl Server {
    /// Carries out the hub's decisions, and what follows from them.
    pub(super) fn perform(&mut self, out: &mut Vec<Output<File>>) {
        while !out.is_empty() {
            let mut more = Vec::new();
            for output in out.drain(..) {
                match output {
                    Output::Reply { client, id, reply } => self.reply(client, id, reply, &mut more),
                    Output::Event { client, event } => {
                        if let Some(peer) = self.peers.get_mut(&client) {
                            peer.outbox.event(&event);
                        }
                    }
                    Output::Command(command) => self.submit(command, &mut more),
                    Output::Import(job) => {
                        let token = job.token;
                        let refusal = match self.imports.send(job) {
                            Ok(()) => continue,
                            Err(Unsent::Full(_)) => Refusal::new(ErrorCode::Busy, 0, 0),
                            Err(Unsent::Gone(_)) => {
                                Refusal::text(ErrorCode::Internal, "the importer has ended")
                            }
                        };
                        self.hub.imported(token, Err(refusal), now_ns(), &mut more);
                    }
                    Output::Close { client } => {
                        if let Some(mut peer) = self.peers.remove(&client) {
                            peer.flush(now_ns());
                        }
                        self.lines.retain(|line| line.client != client);
                    }
                }
            }
            *out = more;
        }
    }

    fn reply(&mut self, client: ClientId, id: u64, mut reply: Reply, more: &mut Vec<Output<File>>) {
        if let Reply::Welcome(welcome) = &reply
            && let Some(peer) = self.peers.get(&client)
        {
            let names = self.hub.names().find(|(id, ..)| *id == client);
            let name = names.and_then(|(_, _, name)| name).unwrap_or("?");
            let technician = welcome.technician;
            self.log
                .came(client, name, technician, (peer.pid, peer.uid));
        }
        if let Reply::Refused(refused) = &reply
            && let Some(peer) = self.peers.get(&client)
        {
            self.log.refused((peer.pid, peer.uid), refused);
        }
        let passed = match self.passed(client, &mut reply) {
            Ok(passed) => passed,
            Err(refusal) => {
                let error = reply::Error {
                    number: 0,
                    limit: 0,
                    detail: Text::lossy(&refusal.detail),
                    code: refusal.code,
                    request: 0,
                };
                reply = error.into();
                Passed::default()
            }
        };
        if let Some(peer) = self.peers.get_mut(&client)
            && peer.outbox.reply(id, &reply, passed).is_err()
        {
            let waiting = MAX_REPLIES;
            self.expel(client, id, Expulsion::UnreadAnswers { waiting }, more);
        }
    }

    /// Closes a client for its behaviour. The answer to its request `id` gives the reason, if its
    /// socket accepts that now.
    pub(super) fn expel(
        &mut self,
        client: ClientId,
        id: u64,
        why: Expulsion,
        more: &mut Vec<Output<File>>,
    ) {
        if let Some(peer) = self.peers.get_mut(&client) {
            let refusal = why.refusal();
            let error = reply::Error {
                number: refusal.number,
                limit: refusal.limit,
                detail: Text::lossy(&refusal.detail),
                code: refusal.code,
                request: 0,
            };
            peer.outbox.push_final(id, &error.into());
            peer.flush(now_ns());
        }
        self.drop_peer(client, GoneWhy::Expelled(why), more);
    }

    /// Adds the descriptors and present values that go with a reply.
    fn passed(&mut self, client: ClientId, reply: &mut Reply) -> Result<Passed, Refusal> {
        let shared = |fds: Option<Vec<Arc<OwnedFd>>>| {
            let fds = fds.ok_or_else(|| Refusal::text(ErrorCode::Internal, "no such block"))?;
            Ok(Passed { fds, own: false })
        };
        match reply {
            Reply::Arms(arms) => {
                for arm in &mut arms.arms.0 {
                    if let Some(limits) = self.sink.limits_in_force(arm.index) {
                        arm.peak_force_n = Limit(limits.peak_force_n);
                        arm.continuous_force_n = Limit(limits.continuous_force_n);
                        arm.peak_torque_nm = Limit(limits.peak_torque_nm);
                    }
                }
                shared(Some(Vec::new()))
            }
            Reply::Limits(limits) => {
                let in_force = self.sink.limits_in_force(limits.arm);
                let why = "the haptic loop has not reported its limits";
                let in_force = in_force.ok_or_else(|| Refusal::text(ErrorCode::Internal, why))?;
                *limits = told(limits.arm, &in_force);
                shared(Some(Vec::new()))
            }
            Reply::Subscribed(subscribed) => {
                let blocks = subscribed.blocks.0.clone();
                let own = blocks.iter().any(|block| block.kind == BlockKind::Wake);
                if own {
                    self.check_own(client)?;
                }
                let fds = blocks
                    .iter()
                    .map(|block| self.descriptor(client, block.kind, block.arm));
                let fds = fds.collect::<Result<_, _>>()?;
                Ok(Passed { fds, own })
            }
            Reply::Surface(surface) => {
                let fd = self.surfaces.descriptor(surface.body);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Skin(skin) => {
                let fd = self.skins.descriptor(skin.body);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Shape(shape) => {
                let fd = self.hub.shape(shape.body).map(ShapeFile::descriptor);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Status(status) => {
                self.check_own(client)?;
                let file = self.status_file(status).ok_or_else(shortage)?;
                Ok(Passed {
                    fds: vec![Arc::new(file)],
                    own: true,
                })
            }
            _ => Ok(Passed::default()),
        }
    }

    /// Checks that a client may have one more reply with a separate descriptor.
    fn check_own(&self, client: ClientId) -> Result<(), Refusal> {
        let takes = |peer: &Peer| peer.outbox.takes_own();
        if self.peers.get(&client).is_none_or(takes) {
            return Ok(());
        }
        let detail = "read the waiting answers first: each holds a descriptor";
        Err(Refusal::text(ErrorCode::Busy, detail))
    }

    fn descriptor(
        &mut self,
        client: ClientId,
        kind: BlockKind,
        arm: u16,
    ) -> Result<Arc<OwnedFd>, Refusal> {
        if kind != BlockKind::Wake {
            let block = self.blocks.descriptor(kind, arm);
            return block.ok_or_else(|| Refusal::text(ErrorCode::Internal, "no such block"));
        }
        let (ours, theirs) = Connection::pair().map_err(|_| shortage())?;
        // Otherwise messages that the client puts into the line would wait here, and closing the
        // line would wait for them.
        ours.refuse_messages().map_err(|_| shortage())?;
        // One line per client and arm: a new one replaces the old.
        self.lines
            .retain(|line| (line.client, line.arm) != (client, arm));
        let rung_version = self.blocks.state_version(arm);
        self.lines.push(Line {
            client,
            arm,
            connection: ours,
            rung_version,
        });
        Ok(Arc::new(theirs.into()))
    }

    fn status_file(&mut self, reply: &mut reply::Status) -> Option<OwnedFd> {
        let clients = self
            .hub
            .names()
            .map(|(client, role, name)| ClientStatus {
                client: client.0,
                technician: role == Role::Technician,
                name: name.map(str::to_owned),
            })
            .collect();
        let arms = self.hub.arms().iter();
        let limits = arms.map(|arm| {
            Some(LimitsStatus {
                in_force: self.sink.limits_in_force(arm.index)?,
                configured: self.sink.limits_configured(arm.index)?,
            })
        });
        let limits = limits.collect();
        let text = (self.status)(&ServerStatus {
            clients,
            limits,
            refused: self.refused,
            oversize: self.oversize,
            closer: self.closer.stats(),
        });
        reply.bytes = text.len() as u64;
        create_sealed("hapticd-status", text.as_bytes()).ok()
    }

    /// Rings the lines of arms whose state is new since the last ring.
    pub(super) fn ring(&mut self) {
        let blocks = &self.blocks;
        self.lines.retain_mut(|line| {
            let version = blocks.state_version(line.arm);
            if version == line.rung_version {
                return true;
            }
            line.rung_version = version;
            // A full line has rings that were not read yet; one more would add nothing.
            matches!(
                line.connection.send(&[1], &[]),
                Ok(()) | Err(SendError::WouldBlock | SendError::Exhausted(_))
            )
        });
    }
}

/// Converts an arm's limits to the protocol's form.
fn told(arm: u8, in_force: &Limits) -> reply::Limits {
    reply::Limits {
        peak_force_n: Limit(in_force.peak_force_n),
        continuous_force_n: Limit(in_force.continuous_force_n),
        peak_torque_nm: Limit(in_force.peak_torque_nm),
        continuous_torque_nm: Limit(in_force.continuous_torque_nm),
        slew_n_per_s: Limit(in_force.slew_n_per_s),
        slew_nm_per_s: Limit(in_force.slew_nm_per_s),
        velocity_m_s: Limit(in_force.velocity_limit_m_s),
        angular_velocity_rad_s: Limit(in_force.angular_velocity_limit_rad_s),
        arm,
    }
}

fn shortage() -> Refusal {
    let detail = "out of descriptors or memory: try again";
    Refusal::text(ErrorCode::Busy, detail)
}
