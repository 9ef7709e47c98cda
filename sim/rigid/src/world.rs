//! The world: its bodies and the operations on it.

use hapticd_ccd::moving::MovingSearch;
use hapticd_geometry::{BroadPhase, Pose, Vec3};

use crate::body::{
    BodyError, BodyId, BodyKind, BodySpec, BodyView, Hold, Material, Overlap, RigidBody, Twist,
    Wrench,
};
use crate::broad::Broad;
use crate::groups::Groups;
use crate::link::{Link, Searches, Sides};
use crate::overlap::overlap_of;
use crate::plan::Plan;
use crate::settings::Settings;
use crate::sleep::rouse;
use crate::solve::{Motions, Solver, State};

/// Maximum number of bodies in one world.
const MAX_BODIES: u32 = 1 << 16;

/// Rigid bodies in contact. See the crate page.
pub struct RigidWorld {
    pub(crate) settings: Settings,
    pub(crate) bodies: Vec<Option<RigidBody>>,
    pub(crate) generations: Vec<u32>,
    /// Current poses and twists of the bodies.
    pub(crate) state: State,
    /// Predicted poses and twists while a plan is made.
    pub(crate) ahead: State,
    pub(crate) broad: Broad,
    /// Sorted by slots, lower slot first.
    pub(crate) links: Vec<Link>,
    pub(crate) spare: Vec<Link>,
    pub(crate) searches: Searches,
    pub(crate) moving: MovingSearch,
    pub(crate) solver: Solver,
    pub(crate) motions: Motions,
    pub(crate) groups: Groups,
    pub(crate) held: Vec<bool>,
    pub(crate) plan: Plan,
    pub(crate) planned: bool,
    /// Length of the step that the links' impulses belong to, s.
    pub(crate) impulses_s: f64,
}

impl RigidWorld {
    /// Creates an empty world.
    ///
    /// # Errors
    /// [`BodyError::Setting`].
    pub fn new(settings: Settings) -> Result<Self, BodyError> {
        settings.check()?;
        Ok(Self {
            settings,
            bodies: Vec::new(),
            generations: Vec::new(),
            state: State::default(),
            ahead: State::default(),
            broad: Broad::default(),
            links: Vec::new(),
            spare: Vec::new(),
            searches: Searches::new(),
            moving: MovingSearch::new(4096),
            solver: Solver::default(),
            motions: Motions::default(),
            groups: Groups::default(),
            held: Vec::new(),
            plan: Plan::default(),
            planned: false,
            impulses_s: 1.0,
        })
    }

    /// Adds a body.
    ///
    /// # Errors
    /// [`BodyError`]: invalid numbers, a dynamic body without mass, or [`BodyError::Overlap`] with
    /// the depth of the pair if it would start inside another body (two static ones may overlap).
    /// The world is then unchanged.
    pub fn add(&mut self, spec: &BodySpec) -> Result<BodyId, BodyError> {
        self.check(spec)?;
        self.add_unchecked(spec)
    }

    /// Checks whether a body may be added, without adding it. Takes as long as the overlap test of
    /// two meshes can take.
    ///
    /// # Errors
    /// As [`RigidWorld::add`].
    pub fn check(&self, spec: &BodySpec) -> Result<(), BodyError> {
        self.check_without(spec, None)
    }

    /// As [`RigidWorld::check`], for a body that is to replace another one: that one is no
    /// obstacle.
    ///
    /// # Errors
    /// As [`RigidWorld::add`].
    pub fn check_without(&self, spec: &BodySpec, old: Option<BodyId>) -> Result<(), BodyError> {
        let body = RigidBody::new(spec)?;
        let mut pose = spec.world_from_body;
        pose.rotation.renormalize();
        for (slot, other) in self.bodies.iter().enumerate() {
            let Some(other) = other else { continue };
            if old == Some(self.id_at(slot)) {
                continue;
            }
            // Bodies that never move may be built of overlapping pieces.
            if !(is_solid(&body, &self.settings) || is_solid(other, &self.settings)) {
                continue;
            }
            let there = &self.state.pose[slot];
            let apart = (other.centre_at(there) - body.centre_at(&pose)).norm();
            if apart > other.radius_m + body.radius_m {
                continue;
            }
            let found = overlap_of(&body, other, &(there.inverse() * pose));
            if let Some((crossings, depth_m)) = found {
                return Err(BodyError::Overlap(Overlap {
                    other: self.id_at(slot),
                    crossings,
                    depth_m,
                }));
            }
        }
        Ok(())
    }

    /// Adds a body that [`RigidWorld::check`] has found to be apart from all others, if these have
    /// not moved since. `O(bodies)` with [`BodySpec::summary`].
    ///
    /// # Errors
    /// As [`RigidWorld::add`], except [`BodyError::Overlap`].
    pub fn add_unchecked(&mut self, spec: &BodySpec) -> Result<BodyId, BodyError> {
        let body = RigidBody::new(spec)?;
        let mut pose = spec.world_from_body;
        pose.rotation.renormalize();
        let free = self.bodies.iter().position(Option::is_none);
        let slot = free.unwrap_or(self.bodies.len());
        if slot >= MAX_BODIES as usize {
            return Err(BodyError::Full(MAX_BODIES));
        }
        if slot == self.bodies.len() {
            self.bodies.push(None);
            self.generations.push(0);
            self.state.pose.push(Pose::identity());
            self.state.twist.push(Twist::ZERO);
        }
        self.generations[slot] += 1;
        self.bodies[slot] = Some(body);
        self.state.pose[slot] = pose;
        self.state.twist[slot] = match spec.kind {
            BodyKind::Static => Twist::ZERO,
            _ => spec.twist,
        };
        self.changed();
        Ok(self.id_at(slot))
    }

    /// Removes a body; bodies that it touched wake.
    ///
    /// # Errors
    /// [`BodyError::Unknown`].
    pub fn remove(&mut self, id: BodyId) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        for k in 0..self.links.len() {
            let (a, b) = (self.links[k].a, self.links[k].b);
            if a == id.slot || b == id.slot {
                rouse(
                    &mut self.bodies,
                    &self.links,
                    if a == id.slot { b } else { a },
                );
            }
        }
        self.bodies[slot] = None;
        let (gone, kept) = std::mem::take(&mut self.links)
            .into_iter()
            .partition(|l: &Link| l.a == id.slot || l.b == id.slot);
        self.links = kept;
        let gone: Vec<Link> = gone;
        self.spare.extend(gone);
        self.changed();
        Ok(())
    }

    /// Returns the current state of a body.
    ///
    /// # Errors
    /// [`BodyError::Unknown`].
    pub fn body(&self, id: BodyId) -> Result<BodyView, BodyError> {
        let slot = self.slot_of(id)?;
        let Some(body) = &self.bodies[slot] else {
            return Err(BodyError::Unknown(id));
        };
        let (pose, twist) = (self.state.pose[slot], self.state.twist[slot]);
        Ok(BodyView {
            kind: body.kind,
            world_from_body: pose,
            twist,
            centre: body.pivot_at(&pose),
            pivot: body.pivot,
            asleep: body.asleep,
            energy_j: body.energy(&pose, &twist, &self.settings.gravity),
        })
    }

    /// All bodies, by slot.
    pub fn ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let slots = (0..self.bodies.len()).filter(|&s| self.bodies[s].is_some());
        slots.map(|s| self.id_at(s))
    }

    /// Sets the velocity of a body. A kinematic body follows this twist until further notice, as
    /// does a dynamic one in a first-order world. In a second-order world it sets the current
    /// velocity of a dynamic body.
    ///
    /// # Errors
    /// [`BodyError`]: unknown, static, or not finite.
    pub fn set_twist(&mut self, id: BodyId, twist: &Twist) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        if !twist.is_finite() {
            return Err(BodyError::NotFinite("twist"));
        }
        match self.bodies[slot].as_ref().map(|b| b.kind) {
            Some(BodyKind::Static) => {
                return Err(BodyError::Kind {
                    id,
                    kind: BodyKind::Static,
                });
            }
            Some(BodyKind::Dynamic) => rouse(&mut self.bodies, &self.links, id.slot),
            _ => {}
        }
        self.state.twist[slot] = *twist;
        self.planned = false;
        Ok(())
    }

    /// Sets the pose of a kinematic body that is moved from outside.
    ///
    /// # Errors
    /// [`BodyError`]: unknown, not kinematic, or not finite.
    pub fn place_kinematic(&mut self, id: BodyId, world_from_body: &Pose) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        let turn = world_from_body.rotation.coords.norm();
        let far = world_from_body.translation.vector.norm_squared();
        if !(far.is_finite() && (turn - 1.0).abs() < 1e-6) {
            return Err(BodyError::NotFinite("pose"));
        }
        match self.bodies[slot].as_ref().map(|b| b.kind) {
            Some(BodyKind::Kinematic) => {
                self.state.pose[slot] = *world_from_body;
                self.planned = false;
                Ok(())
            }
            Some(kind) => Err(BodyError::Kind { id, kind }),
            None => Err(BodyError::Unknown(id)),
        }
    }

    /// Sets the external wrench on a dynamic body, apart from gravity and contacts. A change wakes
    /// the body.
    ///
    /// # Errors
    /// [`BodyError`]: unknown, not dynamic, or not finite.
    pub fn set_wrench(&mut self, id: BodyId, wrench: &Wrench) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        if !(wrench.force.norm_squared() + wrench.torque.norm_squared()).is_finite() {
            return Err(BodyError::NotFinite("wrench"));
        }
        let Some(body) = &mut self.bodies[slot] else {
            return Err(BodyError::Unknown(id));
        };
        if body.kind != BodyKind::Dynamic {
            return Err(BodyError::Kind {
                id,
                kind: body.kind,
            });
        }
        if body.wrench != *wrench {
            body.wrench = *wrench;
            rouse(&mut self.bodies, &self.links, id.slot);
        }
        self.planned = false;
        Ok(())
    }

    /// Sets the springs that draw a dynamic body during the coming step; none is the rule. A held
    /// body does not sleep.
    ///
    /// # Errors
    /// [`BodyError`]: unknown, not dynamic, or not finite; nothing changes then.
    pub fn set_holds(&mut self, id: BodyId, holds: &[Hold]) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        if !holds.iter().all(Hold::is_finite) {
            return Err(BodyError::NotFinite("hold"));
        }
        let Some(body) = &mut self.bodies[slot] else {
            return Err(BodyError::Unknown(id));
        };
        if body.kind != BodyKind::Dynamic {
            return Err(BodyError::Kind {
                id,
                kind: body.kind,
            });
        }
        let changes = !(body.holds.is_empty() && holds.is_empty());
        body.holds.clear();
        body.holds.extend_from_slice(holds);
        if changes {
            rouse(&mut self.bodies, &self.links, id.slot);
            self.planned = false;
        }
        Ok(())
    }

    /// Sets the material of a body.
    ///
    /// # Errors
    /// [`BodyError`]: unknown, or out of range; nothing changes then.
    pub fn set_material(&mut self, id: BodyId, material: &Material) -> Result<(), BodyError> {
        let slot = self.slot_of(id)?;
        material.check()?;
        if let Some(body) = &mut self.bodies[slot] {
            body.material = *material;
        }
        for link in &mut self.links {
            let both = [link.a, link.b].map(|s| self.bodies[s as usize].as_ref());
            if let ([Some(a), Some(b)], true) = (both, link.a == id.slot || link.b == id.slot) {
                link.set_surfaces([a.material, b.material]);
            }
        }
        rouse(&mut self.bodies, &self.links, id.slot);
        self.planned = false;
        Ok(())
    }

    /// Wakes a body and everything that it touches.
    ///
    /// # Errors
    /// [`BodyError::Unknown`].
    pub fn wake(&mut self, id: BodyId) -> Result<(), BodyError> {
        self.slot_of(id)?;
        rouse(&mut self.bodies, &self.links, id.slot);
        self.planned = false;
        Ok(())
    }

    /// Effective mass at a world point along a unit direction, kg: the mass of a free body for a
    /// force through its centre of mass, less for an off-centre force. Infinite for a body that no
    /// force moves.
    #[must_use]
    pub fn mass_at(&self, id: BodyId, point: &Vec3, along: &Vec3) -> f64 {
        let Ok(slot) = self.slot_of(id) else {
            return f64::INFINITY;
        };
        let (Some(body), pose) = (&self.bodies[slot], &self.state.pose[slot]) else {
            return f64::INFINITY;
        };
        let turning = pose.rotation.inverse() * (point - body.pivot_at(pose)).cross(along);
        1.0 / (body.inverse_mass + turning.dot(&(body.inverse_inertia * turning)))
    }

    /// Change of velocity that an impulse (N s, at the centre of mass) and an angular impulse about
    /// the centre of mass (N m s) give to a body that nothing holds. World axes. Zero for a body
    /// that no force moves.
    #[must_use]
    pub fn velocity_change(&self, id: BodyId, impulse_n_s: &Vec3, moment_nm_s: &Vec3) -> Twist {
        let Ok(slot) = self.slot_of(id) else {
            return Twist::ZERO;
        };
        let (Some(body), pose) = (&self.bodies[slot], &self.state.pose[slot]) else {
            return Twist::ZERO;
        };
        let moment = pose.rotation.inverse() * moment_nm_s;
        Twist {
            linear: impulse_n_s * body.inverse_mass,
            angular: pose.rotation * (body.inverse_inertia * moment),
        }
    }

    /// Sets the broad phase that finds overlapping boxes of bodies; the default is sweep-and-prune.
    /// The resulting neighbours do not depend on it.
    pub fn set_broad_phase(&mut self, broad: Box<dyn BroadPhase>) {
        self.broad.set_search(broad);
    }

    /// The current broad phase. It runs when a body has moved farther than its list of neighbours
    /// covers, and has nothing to do while all bodies rest.
    #[must_use]
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        self.broad.search()
    }

    /// The current settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings and wakes all bodies.
    ///
    /// # Errors
    /// [`BodyError::Setting`]; nothing changes then.
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), BodyError> {
        settings.check()?;
        self.settings = settings;
        for body in self.bodies.iter_mut().flatten() {
            body.asleep = false;
            body.quiet_s = 0.0;
        }
        self.planned = false;
        Ok(())
    }

    /// Kinetic and potential energy of all bodies, J.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        let of = |(slot, b): (usize, &Option<RigidBody>)| match b {
            Some(b) => b.energy(
                &self.state.pose[slot],
                &self.state.twist[slot],
                &self.settings.gravity,
            ),
            None => 0.0,
        };
        self.bodies.iter().enumerate().map(of).sum()
    }

    /// Invalidates plan and neighbours after a body was added or removed.
    fn changed(&mut self) {
        self.broad.forget();
        self.planned = false;
    }

    pub(crate) fn id_at(&self, slot: usize) -> BodyId {
        BodyId {
            slot: slot as u32,
            generation: self.generations[slot],
        }
    }

    pub(crate) fn slot_of(&self, id: BodyId) -> Result<usize, BodyError> {
        let slot = id.slot as usize;
        match self.bodies.get(slot) {
            Some(Some(_)) if self.generations[slot] == id.generation => Ok(slot),
            _ => Err(BodyError::Unknown(id)),
        }
    }

    /// Predicted centre of mass of a body while a plan is made.
    pub(crate) fn pivot_ahead(&self, slot: usize) -> Vec3 {
        let pose = &self.ahead.pose[slot];
        self.bodies[slot]
            .as_ref()
            .map_or(pose.translation.vector, |b| b.pivot_at(pose))
    }
}

/// Whether a body is kept apart from all others.
pub(crate) fn is_solid(body: &RigidBody, settings: &Settings) -> bool {
    match body.kind {
        BodyKind::Static => false,
        BodyKind::Kinematic => !settings.kinematic_passes,
        BodyKind::Dynamic => true,
    }
}

/// The two sides of a link.
pub(crate) fn sides<'a>(
    bodies: &'a [Option<RigidBody>],
    state: &'a State,
    a: u32,
    b: u32,
) -> Option<Sides<'a>> {
    let (a, b) = (a as usize, b as usize);
    Some(Sides {
        bodies: [bodies[a].as_ref()?, bodies[b].as_ref()?],
        poses: [&state.pose[a], &state.pose[b]],
    })
}
