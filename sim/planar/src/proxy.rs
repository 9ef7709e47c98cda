//! One arm's tool in the plane: moved towards the hand as far as the structure proves, sliding
//! along what stops it.
//!
//! Real-time callable: no allocation, no blocking; at most [`MAX_SUBSTEPS`] motions per tick, with
//! their events in the structure bounded by the tick's budget. Deterministic. World frame, SI
//! units.

use hapticd_gauss::coulomb::{Effort, FrictionMemory, FrictionProblem, Surface};
use hapticd_gauss::{ContactGap, Metric, Motion, Projection, Projector, Row};
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_kinetic::pseudo::{End, Shift};
use hapticd_kinetic::{Inconsistent, PseudoTriangulation};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, BodyKey, BodyTable, Contact, Coupling, Intent, Interaction, MAX_CONTACTS,
    MAX_SUBSTEPS, MIN_SUBSTEP_M, Material, RenderContext, RenderedProxy, SpringState, Touched,
};

use crate::contacts::{Features, KNOWN, Memory, PlanarContact, met};

/// Largest rotation in one motion, rad: rows are linear.
const MAX_TURN: f64 = 0.5;
/// Largest deviation of a motion from the screw between its ends, as a share of the clearance. In
/// the structure the tool's centre moves in a straight line, but readers of the recording assume
/// screws.
const BULGE: f64 = 0.1;
/// Distance by which a tool moves back along its path after a contact, as a share of the clearance.
/// Touching bodies are not in general position.
pub(crate) const BACK: f64 = 0.01;

/// Inputs of an arm's tick: the structure, and the bodies around the tool.
pub(crate) struct TickContext<'a> {
    pub structure: &'a mut PseudoTriangulation,
    pub bodies: &'a BodyTable,
    /// Body of each polygon of the scene.
    pub keys: &'a [Option<BodyKey>],
    pub ids: &'a [u32],
    pub materials: &'a [Material],
    pub tick: u64,
    pub period_s: f64,
}

impl TickContext<'_> {
    /// Returns the body that a contact is with; `None` for another arm's tool.
    fn key(&self, met: &PlanarContact) -> Option<BodyKey> {
        self.keys.get(met.other as usize).copied().flatten()
    }

    /// Returns the material that a contact is with.
    #[inline]
    fn material(&self, met: &PlanarContact) -> Option<&Material> {
        self.materials.get(met.other as usize)
    }
}

/// The tool of one arm.
pub(crate) struct PlanarProxy {
    pub setup: ArmSetup,
    /// Index of the tool in the structure.
    pub index: u32,
    pub coupling: Coupling,
    intent: Intent,
    pub present: bool,
    pub epoch: u32,
    /// Position of the shape's centre, m, and angle of the tool, rad.
    pub at: [f64; 2],
    pub angle: f64,
    /// Pose that the tool wants to have.
    pub goal: Pose,
    /// Far end of the coupling: the tool as it is rendered.
    rendered: RenderedProxy,
    /// What held the tool in the last tick that determined it.
    touched: Touched,
    /// True if something that moves held the tool.
    moved_by: bool,
    pub memory: Memory,
    projector: Projector<KNOWN>,
    rub: FrictionMemory,
}

/// Returns the counter-clockwise rotation of a pose about z, rad; `before` if its x axis is
/// vertical.
pub(crate) fn yaw(pose: &Pose, before: f64) -> f64 {
    let x = pose.rotation * Vec3::x();
    if x.x * x.x + x.y * x.y < 1e-6 {
        before
    } else {
        x.y.atan2(x.x)
    }
}

/// Returns `angle`, moved by whole turns to the value nearest to `near`.
pub(crate) fn unwound(angle: f64, near: f64) -> f64 {
    angle - ((angle - near) / std::f64::consts::TAU).round() * std::f64::consts::TAU
}

pub(crate) fn turned(angle: f64) -> Quat {
    Quat::from_axis_angle(&Vec3::z_axis(), angle)
}

impl PlanarProxy {
    pub fn new(setup: &ArmSetup, index: u32) -> Self {
        PlanarProxy {
            setup: *setup,
            index,
            coupling: Coupling::new(setup.gains, setup.damping),
            intent: Intent::new(setup.interaction),
            present: false,
            epoch: 0,
            at: [0.0; 2],
            angle: 0.0,
            goal: Pose::identity(),
            rendered: RenderedProxy::new(&Pose::identity()),
            touched: Touched::new(),
            moved_by: false,
            memory: Memory::default(),
            projector: Projector::new(),
            rub: FrictionMemory::new(),
        }
    }

    /// Returns the tool's pose.
    pub fn proxy(&self) -> Pose {
        self.posed(self.at, self.angle)
    }

    /// Returns the tool's pose for this centre and angle.
    fn posed(&self, at: [f64; 2], angle: f64) -> Pose {
        let rotation = turned(angle);
        let centre = Vec3::new(at[0], at[1], 0.0);
        Pose::from_parts((centre - rotation * self.flat_centre()).into(), rotation)
    }

    fn flat_centre(&self) -> Vec3 {
        let c = self.setup.shape.centre;
        Vec3::new(c.x, c.y, 0.0)
    }

    fn place(&mut self, pose: &Pose) {
        let centre = pose.translation.vector + turned(self.angle) * self.flat_centre();
        self.at = [centre.x, centre.y];
    }

    /// Returns a device pose projected on the plane.
    pub fn flat(&self, device: &Pose) -> Pose {
        let rotation = turned(unwound(yaw(device, self.angle), self.angle));
        let t = device.translation.vector;
        Pose::from_parts(Vec3::new(t.x, t.y, 0.0).into(), rotation)
    }

    /// Places the tool where the hand is, without a path. A tool that follows by increments is
    /// placed once.
    pub fn anchor(&mut self, device: &Pose) {
        self.present = true;
        let placed = self.epoch > 0 && self.intent.interaction() == Interaction::Increments;
        self.epoch = self.epoch.wrapping_add(1);
        if !placed {
            self.angle = yaw(device, self.angle);
            self.place(&self.flat(device));
        }
        self.goal = self.proxy();
        self.rendered = RenderedProxy::new(device);
        self.touched = Touched::new();
        self.intent.reset();
        self.coupling.reset();
        self.memory.forget();
        self.rub = FrictionMemory::new();
    }

    pub fn detach(&mut self) {
        self.present = false;
        self.epoch = self.epoch.wrapping_add(1);
        self.memory.forget();
    }

    /// Sets the goal, and returns its centre and angle.
    fn intend(&mut self, device: &Pose, period_s: f64) -> ([f64; 2], f64) {
        let proxy = self.proxy();
        let gains = self.coupling.gains();
        let shape = self.setup.shape;
        let intended = self.intent.goal(device, &proxy, &shape, &gains, period_s);
        let angle = if shape.turns {
            unwound(yaw(&intended, self.angle), self.angle)
        } else {
            self.angle
        };
        let rotation = turned(angle);
        let t = intended.translation.vector;
        self.goal = Pose::from_parts(Vec3::new(t.x, t.y, 0.0).into(), rotation);
        let centre = self.goal.translation.vector + rotation * self.flat_centre();
        ([centre.x, centre.y], angle)
    }

    /// Computes the force of a tick that led from `before` to the tool's present pose.
    fn settle(
        &mut self,
        device: &Pose,
        before: &Pose,
        what: Answer<'_>,
        period_s: f64,
        out: &mut ArmOutcome,
    ) {
        let proxy = self.proxy();
        let gains = self.coupling.gains();
        let went = [before, &proxy, &self.goal];
        (self.intent).went(went, device, &self.setup.shape, &gains, period_s);
        // The hand of a tool that follows by increments is at any offset.
        let mut drawn_to = match self.intent.interaction() {
            Interaction::Increments => proxy,
            _ => *device,
        };
        if !self.setup.shape.turns {
            drawn_to.rotation = proxy.rotation;
        }
        let shape = &self.setup.shape;
        let feel = RenderContext {
            shape,
            gyration_m2: gains.gyration_m2().unwrap_or(0.0),
            safe_m: self.setup.distances.safe_m,
            period_s,
        };
        let increments = self.intent.interaction() == Interaction::Increments;
        let (felt, touched) = match what {
            Answer::Unknown if !increments => {
                let felt = self.rendered.hold(&feel, &drawn_to, &proxy);
                (felt, self.touched)
            }
            Answer::Unknown => (proxy, self.touched),
            Answer::Known { touched, ahead } => {
                // The hand of a tool that follows by increments coincides with the tool.
                let ahead = ahead.filter(|_| !increments);
                let went = [before, &proxy];
                (self.rendered.step(&feel, &drawn_to, went, ahead), *touched)
            }
        };
        let centre = &shape.centre;
        out.wrench = (self.coupling).wrench_on(&drawn_to, &felt, centre, &touched, period_s);
        self.touched = touched;
        let contacts = &mut out.contacts[..out.contact_count];
        self.coupling.share_out(&out.wrench.force_n, contacts);
        let has_mass = matches!(self.intent.interaction(), Interaction::SpringWithMass(_));
        out.spring = SpringState {
            far_end: felt,
            centre: *centre,
            energy: *self.coupling.energy(),
            held_by_movers: self.moved_by || has_mass,
        };
        out.proxy = proxy;
    }

    /// Runs a tick of a tool that is not a member: it follows the hand.
    pub fn float(&mut self, device: &Pose, period_s: f64) -> ArmOutcome {
        let mut out = present();
        let device = self.flat(device);
        let before = self.proxy();
        let (at, angle) = self.intend(&device, period_s);
        (self.at, self.angle) = (at, angle);
        out.walked(&self.proxy());
        self.moved_by = false;
        let what = Answer::Known {
            touched: &Touched::new(),
            ahead: None,
        };
        self.settle(&device, &before, what, period_s, &mut out);
        out
    }

    /// Runs a tick in which nothing moves because the structure is being rebuilt.
    pub fn hold(&mut self, device: &Pose, period_s: f64) -> ArmOutcome {
        let mut out = present();
        out.starved = true;
        let device = self.flat(device);
        let before = self.proxy();
        self.intend(&device, period_s);
        self.settle(&device, &before, Answer::Unknown, period_s, &mut out);
        out
    }

    /// Moves the tool towards the hand as far as it may. After an error the structure has to be
    /// rebuilt; the tool is then where it was proven to be.
    pub fn tick(
        &mut self,
        device: &Pose,
        around: &mut TickContext<'_>,
    ) -> (ArmOutcome, Result<(), Inconsistent>) {
        let mut out = present();
        let device = self.flat(device);
        let before = self.proxy();
        let goal = self.intend(&device, around.period_s);
        self.memory.age(around.tick);
        let mut touched = Touched::new();
        self.moved_by = false;
        let mut ahead = None;
        let mut budget = self.setup.pair_budget.min(u32::MAX as usize) as u32;
        let mut sound = Ok(());
        for _ in 0..MAX_SUBSTEPS {
            let wanted = Motion::new(
                goal.0[0] - self.at[0],
                goal.0[1] - self.at[1],
                0.0,
                0.0,
                0.0,
                goal.1 - self.angle,
            );
            let mut rows = [None; KNOWN];
            let motion = self.project(&wanted, around, &mut rows, &mut out, &mut touched);
            let path = self.path_of(&motion);
            // Written so that NaN ends it.
            if !(path >= MIN_SUBSTEP_M) {
                break;
            }
            let part = self.bold(&motion);
            let shift = Shift {
                body: self.index,
                by: [motion[0] * part, motion[1] * part],
                turn: motion[5] * part,
            };
            out.substeps += 1;
            let end = [self.at[0] + motion[0], self.at[1] + motion[1]];
            let end = self.posed(end, self.angle + motion[5]);
            ahead = None;
            match self.go(&shift, path * part, &mut budget, around, &mut out) {
                Err(fault) => {
                    sound = Err(fault);
                    out.starved = true;
                    break;
                }
                Ok(End::Budget) => {
                    out.starved = true;
                    ahead = Some(end);
                    break;
                }
                Ok(End::Contact(contact)) => self.memory.note(Features::of(&contact), around.tick),
                Ok(End::Whole) if part < 1.0 => ahead = Some(end),
                Ok(End::Whole) if rows.iter().all(Option::is_none) => {
                    if (around.structure).settle(self.index, goal.0, goal.1) {
                        (self.at, self.angle) = goal;
                        if let Some(last) = out.path_len.checked_sub(1) {
                            out.path[last] = self.proxy();
                        }
                    }
                    break;
                }
                Ok(End::Whole) => {
                    let left = (motion - wanted).norm() > 1e-3 * wanted.norm();
                    let release_m = self.setup.distances.release_m;
                    let holds = |m: &PlanarContact| {
                        met(
                            around.structure,
                            self.index,
                            &m.features,
                            [-release_m, release_m],
                        )
                        .is_some()
                    };
                    if !left || rows.iter().flatten().all(holds) {
                        break;
                    }
                }
            }
        }
        let what = match &sound {
            Ok(()) => Answer::Known {
                touched: &touched,
                ahead: ahead.as_ref(),
            },
            Err(_) => Answer::Unknown,
        };
        self.settle(&device, &before, what, around.period_s, &mut out);
        (out, sound)
    }

    fn path_of(&self, motion: &Motion) -> f64 {
        motion[0].hypot(motion[1]) + motion[5].abs() * self.setup.shape.bound_m
    }

    /// Returns the part of a motion that may be made at once.
    fn bold(&self, motion: &Motion) -> f64 {
        let most = BULGE * self.setup.distances.clearance_m;
        max_share(motion[0].hypot(motion[1]), motion[5], most).min(MAX_TURN / motion[5].abs())
    }

    /// Makes one motion. After a contact the tool has moved back a little along its path.
    fn go(
        &mut self,
        shift: &Shift,
        path: f64,
        budget: &mut u32,
        around: &mut TickContext<'_>,
        out: &mut ArmOutcome,
    ) -> Result<End, Inconsistent> {
        let went = around.structure.go(&[*shift], *budget)?;
        *budget -= went.events.min(*budget);
        out.pairs_tested += went.events;
        if let End::Contact(_) = went.end {
            let back = (BACK * self.setup.distances.clearance_m / path).min(went.share);
            go_back(around.structure, shift, back)?;
        }
        if let Some((at, angle)) = around.structure.placed(self.index) {
            (self.at, self.angle) = (at, angle);
        }
        if went.share > 0.0 {
            out.walked(&self.proxy());
        }
        Ok(went.end)
    }

    /// Returns the row of a contact.
    fn row(&self, met: &PlanarContact, around: &TickContext<'_>) -> Row {
        let d = &self.setup.distances;
        let approach = around.key(met).map_or(0.0, |key| {
            around.bodies.approach(key, &met.body_point, &met.normal)
        });
        // In the structure the tool is larger by the clearance.
        let gap = ContactGap {
            gap_m: met.gap_m + d.clearance_m,
            safe_m: d.safe_m,
            approach_m: approach,
        };
        let centre = Vec3::new(self.at[0], self.at[1], 0.0);
        Row {
            normal: met.normal,
            arm: self.setup.shape.arm(&met.tool_point, &centre),
            bound: gap.bound(),
        }
    }

    /// Notes contacts that hold nothing of the wanted motion, but may limit how far a soft material
    /// gives way.
    fn note_near(
        &mut self,
        wanted: &Motion,
        held: &Projection,
        rows: &[Option<PlanarContact>; KNOWN],
        around: &TickContext<'_>,
        touched: &mut Touched,
    ) {
        let release_m = self.setup.distances.release_m;
        let mut near = [None; 2 * KNOWN];
        let further = [release_m, self.path_of(wanted)];
        let further = self.memory.now(around.structure, self.index, further);
        let known = rows.iter().flatten().copied().enumerate();
        let idle = known.filter(|(k, _)| !(held.multiplier(*k) > 0.0));
        // A contact that is not reported yet is no row.
        let further = further.map(|met| (usize::MAX, met));
        let all = idle.chain(further);
        for (slot, met) in near.iter_mut().zip(all) {
            *slot = Some(met);
        }
        for (k, met) in near.iter().flatten() {
            touched.from_row(*k);
            let Some(m) = around.material(met) else {
                continue;
            };
            let row = self.row(met, around);
            let gap_m = row.slack(&held.motion);
            if touched.near(m.stiffness_n_per_m, &row.normal, &row.arm, gap_m) {
                self.memory.note(met.features, around.tick);
            }
        }
    }

    /// Projects the wanted motion on the known contacts (Gauss). Writes the contacts to `rows` and
    /// to the outcome.
    fn project(
        &mut self,
        wanted: &Motion,
        around: &TickContext<'_>,
        rows: &mut [Option<PlanarContact>; KNOWN],
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> Motion {
        let count = self.find_contacts(around, rows);
        out.contact_count = 0;
        touched.clear_contacts();
        if count == 0 {
            return *wanted;
        }
        let mut bounds = [Row {
            normal: Vec3::zeros(),
            arm: Vec3::zeros(),
            bound: 0.0,
        }; KNOWN];
        let mut surfaces = [Surface::SMOOTH; KNOWN];
        self.lay_rows(rows, around, &mut bounds, &mut surfaces);
        let gains = self.coupling.gains();
        let gyration_m2 = (self.intent).gyration_m2(&gains, &self.setup.shape, around.period_s);
        let inertia = nalgebra::Matrix3::identity() * gyration_m2;
        let Ok(metric) = Metric::new(1.0, &inertia) else {
            return Motion::zeros();
        };
        let rubbed = self.projector.project_with_friction(
            FrictionProblem {
                metric: &metric,
                wanted,
                rows: &bounds[..count],
                surfaces: &surfaces[..count],
            },
            &mut self.rub,
            Effort::TICK,
        );
        out.rows = out.rows.max(count as u32);
        touched.hold_all(&rubbed, &bounds, |row| {
            Some(around.material(rows[row].as_ref()?)?.stiffness_n_per_m)
        });
        self.report_contacts(&rubbed.projection, rows, around, out, touched);
        self.note_near(wanted, &rubbed.projection, rows, around, touched);
        let motion = rubbed.projection.motion;
        // In the plane, and without rotation for a tool that may not turn.
        let turn = if self.setup.shape.turns {
            motion[5]
        } else {
            0.0
        };
        Motion::new(motion[0], motion[1], 0.0, 0.0, 0.0, turn)
    }

    /// Evaluates the known contacts at the present positions. Writes those in reach to the first
    /// places of `rows`; returns their number.
    fn find_contacts(
        &self,
        around: &TickContext<'_>,
        rows: &mut [Option<PlanarContact>; KNOWN],
    ) -> usize {
        let release_m = self.setup.distances.release_m;
        let mut count = 0;
        for met in self
            .memory
            .now(around.structure, self.index, [-release_m, release_m])
        {
            rows[count] = Some(met);
            count += 1;
        }
        count
    }

    /// Lays a row and a surface for each contact, and notes whether any of the bodies moves.
    fn lay_rows(
        &mut self,
        rows: &[Option<PlanarContact>; KNOWN],
        around: &TickContext<'_>,
        bounds: &mut [Row; KNOWN],
        surfaces: &mut [Surface; KNOWN],
    ) {
        let centre = Vec3::new(self.at[0], self.at[1], 0.0);
        for (k, met) in rows.iter().flatten().enumerate() {
            let key = around.key(met);
            // Another arm's tool has no body, and it moves.
            let body = key.and_then(|key| around.bodies.get(key));
            self.moved_by |= body.is_none_or(|b| b.by_trajectory || b.target.is_some() || b.moved);
            bounds[k] = self.row(met, around);
            surfaces[k] = Surface {
                friction: around.material(met).map_or(0.0, |m| m.friction),
                carrier: key.map_or_else(Motion::zeros, |key| around.bodies.carrier(key, &centre)),
            };
        }
    }

    /// Reports the contacts. Those that hold the tool stay known, and their materials cap the
    /// coupling's gains.
    fn report_contacts(
        &mut self,
        projection: &Projection,
        rows: &[Option<PlanarContact>; KNOWN],
        around: &TickContext<'_>,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) {
        for (k, met) in rows.iter().flatten().enumerate() {
            let active = projection.multiplier(k) > 0.0;
            if active {
                self.memory.note(met.features, around.tick);
                if let Some(m) = around.material(met) {
                    touched.touch(m.stiffness_n_per_m, m.damping_n_s_per_m);
                }
            }
            if out.contact_count < MAX_CONTACTS {
                out.contacts[out.contact_count] = Contact {
                    point: met.body_point,
                    normal: met.normal,
                    gap_m: met.gap_m + self.setup.distances.clearance_m,
                    body: around.ids.get(met.other as usize).copied().unwrap_or(0),
                    active,
                    force_n: Vec3::zeros(),
                    row: k as u8,
                };
                out.contact_count += 1;
            }
        }
    }
}

/// What a tick can determine about what holds a tool.
#[derive(Clone, Copy)]
enum Answer<'a> {
    Known {
        touched: &'a Touched,
        /// Pose that the tool would have reached if the budget had sufficed.
        ahead: Option<&'a Pose>,
    },
    /// The structure is being rebuilt.
    Unknown,
}

fn present() -> ArmOutcome {
    let mut out = ArmOutcome::absent();
    out.present = true;
    // The structure is always up to date.
    out.snapshot_age = 0;
    out
}

/// Returns the part of a motion, straight over `length` with a rotation by `turn`, that deviates by
/// at most `most` from the screw between its ends. The deviation is `length turn / 8`.
pub(crate) fn max_share(length: f64, turn: f64, most: f64) -> f64 {
    let bulge = length * turn.abs() / 8.0;
    if bulge > most {
        (most / bulge).sqrt()
    } else {
        1.0
    }
}

/// Moves back by the part `back` of a shift that has just ended at a contact. The path is free,
/// because the body has just come along it.
pub(crate) fn go_back(
    structure: &mut PseudoTriangulation,
    shift: &Shift,
    back: f64,
) -> Result<(), Inconsistent> {
    if !(back > 0.0) {
        return Ok(());
    }
    let home = Shift {
        body: shift.body,
        by: shift.by.map(|x| -x * back),
        turn: -shift.turn * back,
    };
    structure.go(&[home], BACK_EVENTS).map(|_| ())
}

/// Most events on the short way back; it passes a few corners at most.
const BACK_EVENTS: u32 = 64;
