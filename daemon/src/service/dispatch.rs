//! Passes the commands of clients on: to the collision thread, the loop, or the supervisor.

use std::collections::{BTreeMap, BTreeSet};

use hapticd_collision::command::SceneCommand;
use hapticd_collision::requests::SceneRequests;
use hapticd_devices::safety::Limits;
use hapticd_ipc::restrictions::RestrictionQueue;
use hapticd_ipc::{Answer, ClientId, Command, CommandSink};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{BodyOrder, Silencing};
use hapticd_sync::{delivery, ring};

use super::{RequestStop, SupervisorRequest, answer};

/// Takes commands on the server's thread and passes them on without blocking.
pub(crate) struct Dispatch {
    pub(super) requests: SceneRequests,
    /// Orders about bodies to the haptic loop: forget, silence, restore.
    pub(super) gone: ring::Producer<BodyOrder>,
    /// Orders of applications to the haptic loop.
    pub(super) orders: ring::Producer<LoopOrder>,
    pub(super) supervisor_requests: delivery::Sender<SupervisorRequest>,
    pub(super) end: RequestStop,
    /// Requests about limits and faults, straight to the haptic loop.
    pub(super) restrictions: RestrictionQueue,
    /// Bodies that must make no force, each with the clients that cause it.
    pub(super) silent: Silences,
    /// The silenced bodies that the loop has been told about.
    pub(super) silenced: BTreeSet<u32>,
}

/// Reason why a body makes no force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Silence {
    /// Its client, or the client that moves it, shows no sign of life.
    Silent(ClientId),
    /// Its client is out of focus.
    Unfocused(ClientId),
}

/// Reasons by body. All of them must end before the body makes force again.
#[derive(Debug, Default)]
pub(super) struct Silences(BTreeMap<u32, BTreeSet<Silence>>);

impl Silences {
    fn add(&mut self, why: Silence, bodies: &[u32]) {
        for body in bodies {
            self.0.entry(*body).or_default().insert(why);
        }
    }

    /// Ends a reason on all bodies that it holds for; the set of bodies may have changed since it
    /// began.
    fn end(&mut self, why: Silence) {
        self.0.retain(|_, reasons| {
            reasons.remove(&why);
            !reasons.is_empty()
        });
    }
}

impl Dispatch {
    /// Creates a dispatch for commands about limits and faults only.
    #[cfg(test)]
    pub(crate) fn of_limits(restrictions: hapticd_loop::limits::RestrictionsOwner) -> Self {
        let ((requests, _), _) = super::tests::scene_requests(1);
        Dispatch::of(requests, ring::ring(1).0, restrictions)
    }

    /// Creates a dispatch for commands that neither end the run nor reload the configuration.
    #[cfg(test)]
    pub(super) fn of(
        requests: SceneRequests,
        gone: ring::Producer<BodyOrder>,
        restrictions: hapticd_loop::limits::RestrictionsOwner,
    ) -> Self {
        Dispatch {
            requests,
            gone,
            orders: ring::ring(1).0,
            supervisor_requests: delivery::delivery(1).0,
            end: Box::new(|| {}),
            restrictions: RestrictionQueue::new(restrictions),
            silent: Silences::default(),
            silenced: BTreeSet::new(),
        }
    }

    /// Removes a body from the scene. The loop learns of it from the next answers.
    fn remove(&mut self, id: u32) -> bool {
        self.silent.0.remove(&id);
        self.send_silences() && self.requests.post(SceneCommand::Remove { id }).is_ok()
    }

    /// Like [`remove`](Self::remove), for a body whose client is gone: the loop drops it at its
    /// next tick, because no client answers for its force any more.
    fn forget(&mut self, id: u32) -> bool {
        self.gone.push(BodyOrder::Forget(id)).is_ok() && self.remove(id)
    }

    /// Forgets all bodies of a client. Restores bodies of other clients that this client was
    /// moving.
    fn forget_client(&mut self, client: ClientId, bodies: &[u32]) -> bool {
        let forgotten = bodies.iter().all(|id| self.forget(*id));
        self.silent.end(Silence::Silent(client));
        self.silent.end(Silence::Unfocused(client));
        forgotten && self.send_silences()
    }

    /// Sends the loop every silenced or restored body that it does not know yet. It takes the force
    /// away at its next tick.
    fn send_silences(&mut self) -> bool {
        let known = &self.silenced;
        let silent = self.silent.0.keys().filter(|body| !known.contains(body));
        let restored = known
            .iter()
            .filter(|body| !self.silent.0.contains_key(body));
        let orders = silent.map(|body| (*body, true));
        let orders: Vec<_> = orders.chain(restored.map(|body| (*body, false))).collect();
        for (body, silent) in orders {
            let order = BodyOrder::Silence(Silencing { body, silent });
            if self.gone.push(order).is_err() {
                return false;
            }
            if silent {
                self.silenced.insert(body);
            } else {
                self.silenced.remove(&body);
            }
        }
        true
    }
}

impl CommandSink for Dispatch {
    fn submit(&mut self, command: Command) -> Result<(), Box<Command>> {
        let done = match &command {
            Command::AddBody { token, spec, .. } => {
                let add = SceneCommand::Add(spec.clone());
                self.requests.ask(add, *token).is_ok()
            }
            Command::RemoveBody { body } => self.remove(*body),
            Command::MoveBody {
                body,
                world_from_body,
                speed_m_s,
                ..
            } => {
                let target = SceneCommand::Target {
                    id: *body,
                    world_from_body: *world_from_body,
                    speed_m_s: *speed_m_s,
                };
                self.requests.post(target).is_ok()
            }
            Command::SetMaterial {
                token,
                body,
                material,
            } => {
                let surface = SceneCommand::Surface {
                    id: *body,
                    material: *material,
                };
                self.requests.ask(surface, *token).is_ok()
            }
            Command::PlaceBody {
                token,
                body,
                world_from_body,
            } => {
                let place = SceneCommand::Place {
                    id: *body,
                    world_from_body: *world_from_body,
                };
                self.requests.ask(place, *token).is_ok()
            }
            Command::PushBody { token, body, push } => {
                let push = SceneCommand::Push {
                    id: *body,
                    push: Box::new(*push),
                };
                self.requests.ask(push, *token).is_ok()
            }
            Command::Order { order, .. } => self.orders.push(*order).is_ok(),
            Command::HaltBody { body } => {
                let halt = SceneCommand::Halt { id: *body };
                self.requests.post(halt).is_ok()
            }
            Command::TightenLimits {
                token, arm, limits, ..
            } => {
                self.restrictions.tighten(*token, *arm, limits);
                true
            }
            Command::ReleaseLimits { token, arm, .. } => {
                self.restrictions.release(*token, *arm);
                true
            }
            Command::ClearFault { token, arm } => {
                self.restrictions.clear_faults(*token, *arm);
                true
            }
            Command::Focus {
                client,
                focused,
                bodies,
            } => {
                let why = Silence::Unfocused(*client);
                if *focused {
                    self.silent.end(why);
                } else {
                    self.silent.add(why, bodies);
                }
                self.send_silences()
            }
            Command::Silent { client, bodies } => {
                self.silent.add(Silence::Silent(*client), bodies);
                self.send_silences()
            }
            Command::Back { client, .. } => {
                self.silent.end(Silence::Silent(*client));
                self.send_silences()
            }
            Command::Gone { client, bodies, .. } => self.forget_client(*client, bodies),
            Command::Orphaned { body } => self.forget(*body),
            Command::Reload { token } => self
                .supervisor_requests
                .send(SupervisorRequest::Reload(*token))
                .is_ok(),
            Command::Shutdown => {
                (self.end)();
                true
            }
        };
        // Urgent commands are offered again. Doing a part of one twice does no harm.
        if done { Ok(()) } else { Err(Box::new(command)) }
    }

    fn settle(&mut self, now_ns: u64, answers: &mut Vec<(u64, Answer)>) -> bool {
        while let Some((token, reply)) = self.requests.next_reply() {
            answers.push((token, answer(reply)));
        }
        self.restrictions.settle(now_ns, answers)
    }

    fn limits_in_force(&mut self, arm: u8) -> Option<Limits> {
        self.restrictions.in_force(usize::from(arm))
    }

    fn limits_configured(&mut self, arm: u8) -> Option<Limits> {
        self.restrictions.configured(usize::from(arm))
    }

    fn limits_asked(&mut self, arm: u8) -> Option<Limits> {
        self.restrictions.asked(usize::from(arm))
    }
}
