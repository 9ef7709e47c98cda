//! Tools among implicit bodies: pulled by the hand, ghosts until they have been clear of all
//! implicit bodies.

use std::sync::Arc;

use hapticd_ccd::{MeshIndex, NearestWork};
use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_particles::{MAX_WEIGHTS, Probe, ProbeContact, SphereError, SphereWorld};
use hapticd_proxy::{
    ArmQuery, DeformableSnapshot, ImplicitSurface, MAX_SAMPLES, MAX_TERMS, ToolShape,
};

use super::bodies::ImplicitBody;
use super::sampled;
use crate::skins::near_terms::NearTerms;

/// Stiffness for which the mass is chosen, N/m, and damping ratio, as among soft bodies.
const USUAL_N_M: f64 = 1000.0;
const DAMPING: f64 = 0.3;
/// Friction of a tool's surface; that of a contact is the geometric mean of both sides.
const FRICTION: f64 = 0.5;
/// Distance beyond the tool within which primitives are sent, m: the motion of the hand until the
/// next answer.
pub(super) const AHEAD_M: f64 = 0.02;
/// Distance from the tool below which contacts are passed to the mechanics, m.
const BAND_M: f64 = 0.003;
/// Distance between the samples of a mesh, as a fraction of its radius, where there are enough;
/// never below a tenth of a millimetre.
const APART: f64 = 0.25;
const SAME_M: f64 = 1e-4;
/// Cosine between normals above which contacts are redundant.
const ALIKE: f64 = 0.99;

/// A tool. See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    slot: usize,
    seen: ToolShape,
    /// `None` for a ball.
    mesh: Option<Arc<MeshIndex>>,
    mass_kg: f64,
    /// Placement that it follows; `None` if no arm holds it.
    pub epoch: Option<u32>,
    /// Whether it touches nothing yet.
    pub ghost: bool,
    goal: Pose,
    samples: Vec<Vec3>,
}

/// Scratch memory, kept between steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    near: NearTerms,
    nearest: NearestWork,
    /// Candidate samples of a tool's mesh, with their distance from touching.
    candidates: Vec<(f64, Vec3)>,
    surface: Option<ImplicitSurface>,
    pub contacts: Vec<ProbeContact>,
}

impl Tool {
    /// Creates a tool. `mesh` is `None` for a ball.
    pub fn new(slot: usize, seen: &ToolShape, mesh: Option<Arc<MeshIndex>>, step_s: f64) -> Tool {
        Tool {
            slot,
            seen: *seen,
            mesh,
            mass_kg: USUAL_N_M * step_s * step_s,
            epoch: None,
            ghost: true,
            goal: Pose::identity(),
            samples: Vec::with_capacity(MAX_SAMPLES),
        }
    }

    /// Sets the pull towards the hand, before a step.
    pub fn follow(&mut self, world: &mut SphereWorld, query: &ArmQuery) -> Result<(), SphereError> {
        let held = query.present.then_some(query.epoch);
        let goal = self.seen.seen_at(&query.world_from_goal);
        if held != self.epoch {
            self.epoch = held;
            self.ghost = true;
            self.goal = self.seen.seen_at(&query.world_from_tool);
            world.set_probe(self.slot, None)?;
        }
        if held.is_none() {
            return Ok(());
        }
        let centre = |pose: &Pose| transform(pose, &self.seen.centre);
        let (from, to) = (centre(&self.goal), centre(&goal));
        let now = world.probe(self.slot);
        let k = query.stiffness_n_per_m.max(0.0);
        world.set_probe(
            self.slot,
            Some(&Probe {
                position: now.map_or(from, |p| p.position),
                velocity: now.map_or(Vec3::zeros(), |p| p.velocity),
                mass_kg: self.mass_kg,
                from,
                to,
                stiffness_n_m: k,
                damping_n_s_m: 2.0 * DAMPING * (k * self.mass_kg).sqrt(),
            }),
        )?;
        self.goal = goal;
        Ok(())
    }

    /// Pose in the simulation: the hand's attitude at the probe's position.
    fn pose(&self, world: &SphereWorld) -> Option<Pose> {
        let at = world.probe(self.slot)?.position;
        let turn = self.goal.rotation;
        Some(Pose::from_parts(
            (at - turn * self.seen.centre).into(),
            turn,
        ))
    }

    /// Collects the points of its mesh nearest to the near primitives, tool frame, each with its
    /// distance from the primitive's radius.
    fn note(&self, work: &mut Work, pose: &Pose, surface: &ImplicitSurface) {
        let Some(mesh) = &self.mesh else { return };
        let inverse = pose.inverse();
        if let Some(sampled) = &surface.sampled {
            sampled::note(
                sampled,
                (mesh, &mut work.nearest),
                (&self.seen, pose),
                &mut work.candidates,
            );
        }
        for term in &surface.terms {
            let local = transform(&inverse, &term.primitive.heart());
            let radius = term.primitive.radius_m;
            if let Some(near) = work.nearest.query(mesh, &local, radius + AHEAD_M) {
                work.candidates.push((near.distance_m - radius, near.point));
            }
        }
    }

    /// Selects from the collected points those nearest to touching: first points that are apart, so
    /// that a flat side is held all over, then others.
    fn sample(&mut self, work: &mut Work) {
        // A stable sort: equals keep their order.
        work.candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.samples.clear();
        for apart in [APART * self.reach_m(), SAME_M] {
            for (_, point) in &work.candidates {
                if self.samples.len() < MAX_SAMPLES
                    && self.samples.iter().all(|p| (p - point).norm() > apart)
                {
                    self.samples.push(*point);
                }
            }
        }
        work.candidates.clear();
    }

    /// Distance from its centre within which it may touch anything, m.
    fn reach_m(&self) -> f64 {
        0.5 * self.seen.size_m()
    }

    /// Finds its contacts with implicit bodies, before a step. A ghost gets no contacts, and stops
    /// being a ghost when it touches nothing.
    pub fn meet(&mut self, world: &SphereWorld, bodies: &[ImplicitBody], work: &mut Work) {
        let Some(pose) = self.epoch.and_then(|_| self.pose(world)) else {
            return;
        };
        let centre = transform(&pose, &self.seen.centre);
        let first = work.contacts.len();
        let mut deepest = f64::INFINITY;
        for body in bodies {
            let mut surface = work.surface.take().unwrap_or_else(|| body.surface());
            body.set_properties(&mut surface);
            let within = self.reach_m() + BAND_M;
            work.near
                .fill(&body.state, body.blending, &centre, within, &mut surface);
            self.note(work, &pose, &surface);
            self.sample(work);
            // Too deep for the surface to be found also counts as inside.
            if surface.excess(&centre) > 0.0 {
                deepest = -f64::INFINITY;
            }
            let friction = (FRICTION * body.surface.friction).sqrt();
            let (numbers, contacts) = (&work.near, &mut work.contacts);
            surface.touches((&self.seen, &pose), &self.samples, 0.0, BAND_M, |touch| {
                deepest = deepest.min(touch.foot.distance_m);
                let normal = touch.foot.normal;
                let same = |c: &ProbeContact| c.normal.dot(&normal) > ALIKE;
                let mut shares = [0.0; MAX_TERMS];
                if contacts[first..].iter().any(same)
                    || !surface.shares(&touch.foot.point, &mut shares)
                {
                    return;
                }
                contacts.push(ProbeContact {
                    probe: self.slot as u32,
                    offset: touch.tool_point - centre,
                    normal,
                    gap_m: touch.foot.distance_m,
                    weights: heaviest(&shares, |term| body.sphere(numbers.number(term))),
                    friction,
                });
            });
            work.surface = Some(surface);
        }
        if self.ghost {
            work.contacts.truncate(first);
            self.ghost = deepest <= 0.0;
        }
    }

    /// Writes the implicit bodies near the tool for the loop, after a step.
    pub fn answer(
        &mut self,
        query: &ArmQuery,
        bodies: &[ImplicitBody],
        work: &mut Work,
        out: &mut DeformableSnapshot,
    ) {
        let hidden = self.ghost || self.epoch != Some(query.epoch);
        for (place, body) in bodies.iter().enumerate() {
            if out.implicit.len() == place {
                out.implicit.push(body.surface());
            }
            let surface = &mut out.implicit[place];
            body.set_properties(surface);
            surface.terms.clear();
            surface.cliques.clear();
            if hidden {
                surface.sampled = None;
            }
        }
        out.samples.clear();
        if hidden {
            return;
        }
        // Around the tool at the loop's pose, since the loop renders the force.
        let pose = self.seen.seen_at(&query.world_from_tool);
        let centre = transform(&pose, &self.seen.centre);
        for (body, surface) in bodies.iter().zip(&mut out.implicit) {
            let within = self.reach_m() + AHEAD_M;
            work.near
                .fill(&body.state, body.blending, &centre, within, surface);
            self.note(work, &pose, surface);
        }
        self.sample(work);
        out.samples.extend_from_slice(&self.samples);
    }
}

/// The largest shares, normalized to a sum of 1, with their spheres.
fn heaviest(shares: &[f64; MAX_TERMS], sphere: impl Fn(usize) -> u32) -> [(u32, f64); MAX_WEIGHTS] {
    let mut out = [(0, 0.0); MAX_WEIGHTS];
    for (term, share) in shares.iter().enumerate() {
        let mut new = (term, *share);
        for place in &mut out {
            if new.1 > place.1 {
                let old = (place.0 as usize, place.1);
                *place = (new.0 as u32, new.1);
                new = old;
            }
        }
    }
    let sum: f64 = out.iter().map(|(_, share)| share).sum();
    out.map(|(term, share)| match share > 0.0 {
        true => (sphere(term as usize), share / sum),
        false => (0, 0.0),
    })
}
