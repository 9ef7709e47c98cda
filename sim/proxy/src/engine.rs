//! The haptic loop's engine: one tick of all arms and bodies as a pure function of its inputs.
//!
//! [`Engine`] is sans-I/O: the daemon passes in device poses and snapshots and takes out wrenches,
//! poses and queries. After construction nothing here allocates, locks, blocks or reads a clock.
//! Work per tick is bounded by arms x substeps x pair budget. The same inputs in the same order
//! give bit-identical outputs.
//!
//! # Order of a tick
//!
//! 1. Every moving body plans its step ([`BodyTable::plan`]).
//! 2. The tools move, one after the other, while the bodies stand still. They give way to the
//!    bodies' steps, and their pushes are recorded. To a tool, the other arms' tools are bodies at
//!    their present poses.
//! 3. Every body steps while the tools stand still; those on a [`Trajectory`](crate::Trajectory)
//!    step all together.
//!
//! With one mover at a time, each detection is a screw against constants. Any number of arms and
//! bodies is safe without a common contact time. The price is at most one tick of ordering error.
//!
//! # Solid
//!
//! A body is *solid* to a tool from the first snapshot that proves the tool clear of it at the
//! present poses. Until then (a body added around the tool, a tool that starts inside an object) it
//! exerts nothing: no code path could separate the two without a jump. Once solid, it stays so
//! until body or tool goes. A body goes with the first snapshot that does not list it, or at once
//! by [`Engine::forget`]. Two tools are solid to each other as soon as both know it.
//!
//! A body that is not solid is a *ghost* to the tool, for one of two reasons: no answer about it
//! has come yet, or the newest one found the tool *inside* ([`ArmOutcome::inside`]). Only the
//! second lasts, until the hand moves out.
//!
//! # Grasp
//!
//! A tool can hold a dynamic body ([`Engine::grasp`]). The body is then no obstacle to it, and the
//! hand feels it behind the tool.

use hapticd_geometry::Pose;

use crate::arm_setup::ArmSetup;
use crate::bodies::{BodyTable, TrackedBody};
use crate::coupling::{Gains, Passed};
use crate::frame_change::FrameChange;
use crate::guide::Guide;
use crate::outcome::{ArmOutcome, LetGo};
use crate::proxy::Proxy;
use crate::slots::{BodyKey, MAX_ARMS, MAX_BODIES, tool_in, tool_key, tool_slot};
use crate::snapshot::{ArmQuery, Query, Snapshot};
use crate::soft::DeformableSnapshot;
use crate::together::MutualProjector;

/// Input of one tick.
#[derive(Clone, Copy, Debug)]
pub struct TickInput {
    /// Nominal or measured time since the previous tick, s.
    pub period_s: f64,
    /// Device poses in the world (`world_from_device`), by arm; `None` means no device now. An
    /// invalid pose (not finite, not a rotation, or further than 10 km from the origin) counts as
    /// no change.
    pub devices: [Option<Pose>; MAX_ARMS],
    /// One bit per arm: places its proxy at the device pose instead of moving it (first input after
    /// a gap).
    pub anchor: u8,
}

/// Output of one tick.
#[derive(Clone, Copy, Debug)]
pub struct TickOutput {
    /// Number of the tick, from 1.
    pub tick: u64,
    /// Outcome by arm.
    pub arms: [ArmOutcome; MAX_ARMS],
    /// Bodies that could not make their whole step because a tool blocked them, one bit per slot.
    pub blocked_bodies: u64,
}

/// All arms and bodies of the haptic loop. See the module page.
pub struct Engine {
    /// Boxed: an engine is moved before it runs, and tests have small stacks.
    arms: [Option<Box<Proxy>>; MAX_ARMS],
    setups: [Option<ArmSetup>; MAX_ARMS],
    speed_m_s: [f64; MAX_ARMS],
    last_device: [Option<Pose>; MAX_ARMS],
    bodies: BodyTable,
    tick: u64,
    retired: [Option<Box<Snapshot>>; MAX_ARMS],
    output: TickOutput,
    snapshot_lag_s: f64,
    /// Period of the last tick, s.
    period_s: f64,
    together: MutualProjector,
}

impl Engine {
    /// Creates an engine for these arms. Allocates everything that it will ever need.
    ///
    /// `snapshot_lag_s` is the expected time from a query to the use of its answer; it sizes the
    /// reach of the queries.
    pub fn new(setups: [Option<ArmSetup>; MAX_ARMS], snapshot_lag_s: f64) -> Self {
        Engine {
            arms: setups.map(|s| s.as_ref().map(|s| Box::new(Proxy::new(s)))),
            setups,
            speed_m_s: [0.0; MAX_ARMS],
            last_device: [None; MAX_ARMS],
            bodies: BodyTable::new(),
            tick: 0,
            retired: [const { None }; MAX_ARMS],
            output: TickOutput {
                tick: 0,
                arms: std::array::from_fn(|_| ArmOutcome::absent()),
                blocked_bodies: 0,
            },
            snapshot_lag_s,
            period_s: 0.0,
            together: MutualProjector::new(),
        }
    }

    /// Sets an arm's gains, from the next tick on.
    pub fn set_gains(&mut self, arm: usize, gains: Gains) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.set_gains(gains);
        }
    }

    /// Carries what an arm's coupling remembers of the last tick along with the arm's frame, which
    /// moves before the next one. Only the hand's own motion then counts as the hand's: what a
    /// frame does in contact is work of the spring's far end. Poses of tool and bodies stay.
    pub fn carry(&mut self, arm: usize, change: &FrameChange) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.carry(change);
        }
    }

    /// Sets how much of an arm's last wrench the safety governor let through.
    pub fn set_passed(&mut self, arm: usize, passed: Passed) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.set_passed(passed);
        }
    }

    /// Fixes a guide to an arm's tool, such as a needle, which may hold it back; it replaces an
    /// earlier one. To be called before the first tick.
    pub fn set_guide(&mut self, arm: usize, guide: Box<dyn Guide>) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.guide = Some(guide);
        }
    }

    /// Returns the gains of an arm.
    pub fn gains(&self, arm: usize) -> Option<Gains> {
        self.arms.get(arm)?.as_ref().map(|a| a.coupling.gains())
    }

    /// Takes a snapshot. Returns a buffer that is no longer needed: this one, if it certifies
    /// nothing here.
    pub fn receive(&mut self, snapshot: Box<Snapshot>) -> Option<Box<Snapshot>> {
        self.bodies.follow(&snapshot);
        match self.arms.get_mut(snapshot.arm).and_then(Option::as_mut) {
            Some(arm) => arm.offer(snapshot, &self.bodies),
            None => Some(snapshot),
        }
    }

    /// Takes a soft snapshot from the thread of the deformables. Returns a buffer that is no longer
    /// needed: this one, if it is of no use here.
    pub fn receive_soft(
        &mut self,
        soft: Box<DeformableSnapshot>,
    ) -> Option<Box<DeformableSnapshot>> {
        match self.arms.get_mut(soft.arm).and_then(Option::as_mut) {
            Some(arm) => arm.offer_soft(soft),
            None => Some(soft),
        }
    }

    /// Removes a body after the client that answered for it has gone. From the next tick on the
    /// body neither stops nor pushes, although snapshots list it until the collision thread has
    /// removed it as well. `id` is the client-visible identity, which is never used twice.
    pub fn forget(&mut self, id: u32) {
        self.bodies.forget(id);
    }

    /// Lets an arm's tool take a dynamic body from the next tick on: the one with this
    /// client-visible identity, or with 0 the one that presses it most. It lets go of another one.
    /// The body must be within the arm's largest reach of the tool, and move at no more than
    /// 0.5 m/s against the hand there.
    /// Returns false, with nothing done, if there is none, or the arm is not there.
    pub fn grasp(&mut self, arm: usize, id: u32) -> bool {
        let Some(proxy) = self.arms.get_mut(arm).and_then(Option::as_mut) else {
            return false;
        };
        let outcome = &self.output.arms[arm];
        let touched = || {
            let contacts = outcome.contacts[..outcome.contact_count].iter();
            let dynamic = contacts.filter(|contact| {
                let mut bodies = self.bodies.of_scene();
                contact.active && bodies.any(|body| body.id == contact.body && body.dynamic)
            });
            let pressed = dynamic.max_by(|a, b| a.force_n.norm().total_cmp(&b.force_n.norm()));
            pressed.map_or(0, |contact| contact.body)
        };
        let id = if id == 0 { touched() } else { id };
        let body = self.bodies.of_scene().find(|body| body.id == id);
        let body = body.filter(|body| body.dynamic && proxy.present);
        let reach_m = self.setups[arm].as_ref().map_or(0.0, |s| s.reach_max_m);
        let now = (self.tick, self.period_s);
        body.is_some_and(|body| proxy.take(body, reach_m, now))
    }

    /// Returns the client-visible identity of the body that an arm's tool holds; 0: none.
    #[must_use]
    pub fn held(&self, arm: usize) -> u32 {
        let proxy = self.arms.get(arm).and_then(Option::as_ref);
        proxy.map_or(0, |proxy| proxy.held_id())
    }

    /// Lets an arm's tool let go of what it holds, from the next tick on.
    pub fn let_go(&mut self, arm: usize, why: LetGo) {
        if let Some(proxy) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            proxy.let_go(why, self.tick);
        }
    }

    /// Returns a buffer freed by an anchoring or a lost arm, if there is one. Recycle it like that
    /// of [`Self::receive`].
    pub fn take_retired(&mut self) -> Option<Box<Snapshot>> {
        self.retired.iter_mut().find_map(Option::take)
    }

    /// Runs one tick. See the module page.
    pub fn tick(&mut self, input: &TickInput) -> &TickOutput {
        self.tick += 1;
        self.output.tick = self.tick;
        self.period_s = input.period_s;
        self.bodies.plan(input.period_s);
        self.update_mutually_solid();
        self.limit_steps();
        for (i, slot) in self.arms.iter_mut().enumerate() {
            let Some(arm) = slot.as_mut() else {
                self.output.arms[i].present = false;
                continue;
            };
            // An invalid pose counts as no news: the hand is taken to be where it was. Releasing
            // the proxy instead would make the tool appear inside whatever the hand presses on.
            let held = self.last_device[i].filter(|_| input.anchor & (1 << i) == 0);
            let device = input.devices[i].and_then(|p| if is_pose(&p) { Some(p) } else { held });
            let Some(device) = device else {
                if arm.present {
                    self.retired[i] = arm.detach(self.tick);
                }
                self.last_device[i] = None;
                self.bodies.place_tool(i, None);
                self.output.arms[i] = ArmOutcome::absent();
                self.output.arms[i].let_go = arm.take_end();
                continue;
            };
            if !arm.present || input.anchor & (1 << i) != 0 {
                if let Some(old) = arm.anchor(&device, self.tick) {
                    self.retired[i] = Some(old);
                }
                self.last_device[i] = None;
            }
            let moved =
                self.last_device[i].map_or(0.0, |last| arm.shape.displacement(&last, &device));
            self.last_device[i] = Some(device);
            let speed = if input.period_s > 0.0 {
                moved / input.period_s
            } else {
                0.0
            };
            // Rises at once, falls slowly: the reach must cover the next motion, not the last.
            self.speed_m_s[i] = speed.max(0.95 * self.speed_m_s[i]);
            self.output.arms[i] = arm.tick(&device, &self.bodies, self.tick, input.period_s);
            self.output.arms[i].solid = slot_bits(&self.bodies, |key| arm.meets(key));
            self.output.arms[i].inside = slot_bits(&self.bodies, |key| arm.is_inside(key));
            arm.push_back(&mut self.bodies, input.period_s);
            let seen_at = arm.shape.seen_at(&arm.proxy);
            self.bodies.place_tool(i, Some((arm.epoch, &seen_at)));
        }
        (self.together).after(&mut self.arms, &self.output.arms);
        self.output.blocked_bodies = 0;
        for slot in 0..MAX_BODIES {
            let Some((key, step, path)) = self.bodies.step(slot) else {
                continue;
            };
            let mut t = 1.0_f64;
            for arm in self.arms.iter_mut().flatten() {
                t = t.min(arm.body_advance(&self.bodies, key, &step, path));
            }
            if t < 1.0 {
                self.output.blocked_bodies |= 1 << slot;
            }
            self.bodies.commit(slot, t);
        }
        let arms = &self.arms;
        let blocked = &mut self.output.blocked_bodies;
        self.bodies.follow_trajectory(|bodies, key, screw, path| {
            let share = |arm: &Proxy| arm.body_advance(bodies, key, screw, path);
            let t = arms
                .iter()
                .flatten()
                .map(|arm| share(arm))
                .fold(1.0, f64::min);
            if t < 1.0 {
                *blocked |= 1 << key.slot;
            }
            t
        });
        &self.output
    }

    /// Limits the steps that bodies want to those that the answers in use allow.
    fn limit_steps(&mut self) {
        for slot in 0..MAX_BODIES {
            let Some(body) = self.bodies.stepping(slot) else {
                continue;
            };
            let arms = self.arms.iter().flatten();
            let most_m = arms
                .map(|arm| arm.largest_step_m(body))
                .fold(f64::INFINITY, f64::min);
            self.bodies.shorten(slot, most_m);
        }
    }

    /// Sets for each arm, before a tick, the other tools to which its own is solid.
    fn update_mutually_solid(&mut self) {
        let present = |arm: &&Proxy| arm.present;
        let mut met = [0_u64; MAX_ARMS];
        for (i, met) in met.iter_mut().enumerate() {
            for j in (0..MAX_ARMS).filter(|j| *j != i) {
                let [Some(a), Some(b)] = [i, j].map(|k| self.arms[k].as_deref().filter(present))
                else {
                    continue;
                };
                if a.is_solid(tool_key(j, b.epoch)) && b.is_solid(tool_key(i, a.epoch)) {
                    *met |= 1 << tool_slot(j);
                }
            }
        }
        for (i, arm) in self.arms.iter_mut().enumerate() {
            if let Some(arm) = arm {
                arm.met = met[i];
            }
        }
    }

    /// Returns the highest speed of the other arms' tools that are listed near an arm's, m/s.
    fn neighbours_m_s(&self, arm: &Proxy) -> f64 {
        let entries = arm.snapshot.iter().flat_map(|s| &s.bodies);
        entries
            .filter(|entry| entry.pair_count > 0)
            .filter_map(|entry| tool_in(entry.key.slot as usize))
            .map(|other| self.speed_m_s[other])
            .fold(0.0, f64::max)
    }

    /// Returns the query to the collision thread after a tick.
    pub fn query(&self) -> Query {
        let mut q = Query {
            tick: self.tick,
            ..Query::default()
        };
        let bodies_m_s = if self.period_s > 0.0 {
            self.bodies.longest_step() / self.period_s
        } else {
            0.0
        };
        for i in 0..MAX_ARMS {
            if let (Some(arm), Some(setup)) = (&self.arms[i], &self.setups[i]) {
                // Tools and bodies approach each other: their speeds add up.
                let towards_m_s = bodies_m_s.max(self.neighbours_m_s(arm));
                let bodies_m = 3.0 * towards_m_s * self.snapshot_lag_s;
                // A deformable pushes a tool and lets it fall, both faster than the hand moves.
                let tool_m_s = self.speed_m_s[i].max(arm.carried_m_s());
                let ahead_m = 3.0 * tool_m_s * self.snapshot_lag_s + bodies_m + arm.behind_m;
                // An answer is first used in the tick in which it arrives. The prediction covers
                // the tool's motion until then.
                let age = self.output.arms[i].snapshot_age;
                let age = if age > MAX_EXPECTED_TICKS { 0 } else { age };
                let ahead = arm.expected(age.saturating_sub(1) as f64 * self.period_s);
                let reference = arm.proxy * ahead;
                let worthwhile_m = arm.worthwhile_reach(&self.bodies, &reference) + bodies_m;
                let reach_m = (setup.reach_min_m + ahead_m).min(setup.reach_max_m);
                q.arms[i] = ArmQuery {
                    present: arm.present,
                    epoch: arm.epoch,
                    world_from_tool: arm.proxy,
                    ahead,
                    world_from_goal: arm.goal,
                    stiffness_n_per_m: arm.coupling.stiffness_n_per_m(),
                    stiffness_nm_per_rad: if arm.shape.turns {
                        arm.coupling.gains().rotational_stiffness_nm_per_rad
                    } else {
                        0.0
                    },
                    reach_m: reach_m.min(worthwhile_m),
                    solid: slot_bits(&self.bodies, |key| arm.is_solid(key)),
                };
            }
        }
        q.body_count = self.bodies.write_poses(&mut q.bodies);
        q.followed = self.bodies.followed();
        q.idle_ticks = self.bodies.idle_ticks();
        q.push_count = self.bodies.write_pushes(&mut q.pushes);
        let arms = q.grasps.iter_mut().zip(&self.arms);
        for (grasp, arm) in arms {
            *grasp = arm.as_ref().and_then(|arm| arm.grasp_query());
        }
        q
    }

    /// Returns the table of bodies, tools included.
    #[must_use]
    pub fn table(&self) -> &BodyTable {
        &self.bodies
    }

    /// Iterates over the bodies of the scene at their present poses.
    pub fn bodies(&self) -> impl Iterator<Item = &TrackedBody> {
        self.bodies.of_scene()
    }

    /// Returns the last tick's output.
    pub fn output(&self) -> &TickOutput {
        &self.output
    }
}

/// Returns, one bit per slot, the existing bodies for which `says` holds. The arm itself may still
/// name a body that has gone; its slot may belong to another one by now.
fn slot_bits(bodies: &BodyTable, says: impl Fn(BodyKey) -> bool) -> u64 {
    let named = bodies.iter().filter(|body| says(body.key));
    named.fold(0, |bits, body| bits | 1 << body.key.slot)
}

/// Age beyond which nothing is predicted from an answer, ticks.
const MAX_EXPECTED_TICKS: u64 = 20;

/// Largest coordinate of a device pose, m. Beyond it continuous detection would lose its precision.
const MAX_COORDINATE_M: f64 = 1e4;

/// Returns true if this is a valid device pose: finite, a rotation, and nearer than 10 km.
#[must_use]
pub fn is_pose(pose: &Pose) -> bool {
    // Written so that NaN fails.
    pose.translation
        .vector
        .iter()
        .all(|x| x.abs() <= MAX_COORDINATE_M)
        && (pose.rotation.coords.norm() - 1.0).abs() <= 1e-6
}
