//! Continuous detection in the step: a step in which a surface would go through another is repeated
//! with the crossings as contacts.
//!
//! Rays find contacts at the present positions only. A thin, fast object can be on one side in a
//! step and on the other in the next, and edges that cross between their ends meet no ray. So after
//! a step, all motions from its start to its end are tested ([`Crossings`]). If features met, the
//! dynamics return to the start of the step and repeat it with a contact for each pair that met.
//! The normal is the direction in which the two were nearest just before. This is repeated as often
//! as allowed. Points of sheets that still meet something are then put back to the start of the
//! step, at rest, together with those that would go through them, and so on: a resting sheet does
//! not go through a resting object. Any remaining crossing (a moving object went through a point
//! that was put back) is reported.
//!
//! Limits. Pinned or driven points ([`XpbdWorld::drive_particle`]) are tested like others, but
//! contacts do not move them. Points of cloth among them can be stopped, which a caller that drives
//! them must expect. The surface points of a soft solid are carried by finite elements and cannot
//! be stopped: what they go through is only reported. Pairs of two soft solids, or of a soft solid
//! and a rigid body or a tool, are not tested, since rays push them apart and they overlap by
//! design (see [`crossings`](crate::crossings)).
//!
//! Held pairs remain contacts in the next steps while they are near. Otherwise an object that rests
//! on an edge would go through it in every first attempt.

use hapticd_ccd::{PairDistance, PairKind, closest};
use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_rays::Topology;
use hapticd_xpbd::{Contact, ContactPoint, ParticleId, XpbdWorld};

use crate::contacts::on_surface;
use crate::crossings::{Crossing, Crossings, Nature, Surface};
use crate::mover::{Mover, View, pose_of};

/// Smallest gap of a contact made by continuous detection, m: two surfaces without thickness are
/// held apart by this.
const MIN_GAP_M: f64 = 1e-5;
/// Fraction of the motion up to the contact at which the direction between the nearest points is
/// taken.
const JUST_BEFORE: f64 = 0.9;
/// Largest number of rounds in which points are stopped.
const ROUNDS: u32 = 16;
/// Largest number of contacts that are kept for the next step.
const MAX_HELD: usize = 1 << 14;

/// Treatment of surfaces that go through each other between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Continuous {
    /// No detection.
    #[default]
    Off,
    /// Crossings are counted.
    Count,
    /// Steps with crossings are repeated with these as contacts.
    Hold {
        /// Largest number of repetitions per step; after that, points stay where they were.
        attempts: u32,
    },
}

/// Statistics of continuous detection in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContinuousReport {
    /// Pairs of features that met in the final step; 0 proves that nothing went through anything.
    pub crossings: u32,
    /// Pairs that met in discarded attempts.
    pub prevented: u32,
    /// Number of discarded attempts.
    pub attempts: u32,
    /// Points of sheets that were put back because nothing else helped.
    pub stopped: u32,
    /// Contacts added to those of the rays in the final attempt.
    pub contacts: u32,
    /// Pairs that were proven free or found to meet, in all attempts.
    pub tested: u32,
    /// Vertices whose positions are not finite: nothing is known about their features.
    pub unknown: u32,
}

/// A pair of features that is held as a contact.
#[derive(Clone, Copy, Debug)]
struct Held {
    kind: PairKind,
    surfaces: [u32; 2],
    a: [u32; 3],
    b: [u32; 3],
}

impl Held {
    fn key(&self) -> ([u32; 2], [u32; 3], [u32; 3]) {
        (self.surfaces, self.a, self.b)
    }
}

/// State and scratch memory, kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    pub mode: Continuous,
    crossings: Crossings,
    /// For each surface, its object and the object's identity.
    objects: Vec<(u32, u64)>,
    /// Whether any surface is deformable.
    any: bool,
    /// Whether no object has been placed yet, not even the fixed ones.
    fresh: bool,
    /// Held pairs, sorted by key.
    held: Vec<Held>,
    /// Stopped particles, sorted.
    stopped: Vec<u32>,
    contacts: Vec<Contact>,
    saved: Option<XpbdWorld>,
    report: ContinuousReport,
}

impl Watch {
    /// Begins a step: keeps the contacts of the last one that are still near, updated to the
    /// present positions.
    pub fn begin(&mut self, view: &View<'_>, world: &XpbdWorld, dt_s: f64) {
        self.report = ContinuousReport::default();
        self.meet(view);
        self.contacts.clear();
        let Continuous::Hold { attempts } = self.mode else {
            self.held.clear();
            return;
        };
        if attempts > 0 && self.any {
            match &mut self.saved {
                Some(saved) => saved.clone_from(world),
                None => self.saved = Some(world.clone()),
            }
        }
        let fall_m = world.settings().gravity_m_s2.norm() * dt_s * dt_s;
        let (objects, contacts) = (&self.objects, &mut self.contacts);
        self.held.retain(|held| {
            let ids = held.surfaces.map(|s| objects[s as usize].0);
            let sides = [(ids[0], held.a), (ids[1], held.b)];
            let [a, b] = sides.map(|(id, v)| v.map(|v| now(view, world, id, v)));
            let nearest = closest(held.kind, &a, &b);
            let gap_m = gap(view, ids);
            let [va, vb] = sides.map(|(id, v)| velocity(view, world, id, v[0]));
            let towards = (vb - va).dot(&nearest.normal).max(0.0) * dt_s;
            // A pair that has slid off or separated is found again if it meets again.
            let near = nearest.distance <= 1.5 * gap_m + 2.0 * (towards + fall_m);
            let apart = nearest.interior && nearest.normal != Vec3::zeros();
            let ghost = ids.iter().any(|id| view.ghosts[*id as usize]);
            let stays = near && apart && !ghost;
            if stays {
                let contact = made(view, held, ids, &nearest.normal, &nearest);
                contacts.push(contact);
            }
            stays
        });
        self.report.contacts = self.contacts.len() as u32;
    }

    /// Contacts to add to those of the rays.
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    /// Tests a step that was made. Returns true if it must be repeated with more
    /// [`Watch::contacts`]; the dynamics are then back at its start.
    pub fn again(&mut self, view: &View<'_>, world: &mut XpbdWorld) -> bool {
        if self.mode == Continuous::Off || !self.any {
            return false;
        }
        let count = self.search(view, world);
        let Continuous::Hold { attempts } = self.mode else {
            return false;
        };
        if count == 0 {
            return false;
        }
        let before = self.contacts.len();
        if self.report.attempts < attempts {
            self.hold(view);
        }
        let saved = self.saved.as_ref().filter(|_| self.contacts.len() > before);
        let Some(saved) = saved else {
            self.stop(view, world);
            return false;
        };
        world.clone_from(saved);
        self.report.attempts += 1;
        self.report.prevented = self.report.prevented.saturating_add(count);
        self.report.contacts = self.contacts.len() as u32;
        true
    }

    /// Finds the features that met in the step that led to the present state. Returns the number of
    /// pairs.
    fn search(&mut self, view: &View<'_>, world: &XpbdWorld) -> u32 {
        for (surface, &(id, _)) in self.objects.iter().enumerate() {
            if self.fresh || !matches!(view.movers[id as usize], Mover::Fixed) {
                place(&mut self.crossings, surface, view, world, id);
            }
            (self.crossings).set_ghost(surface, view.ghosts[id as usize]);
        }
        self.fresh = false;
        let found = self.crossings.find();
        self.report.tested = self.report.tested.saturating_add(found.tested);
        self.report.unknown = found.unknown;
        self.report.crossings = found.crossings.len() as u32;
        self.report.crossings
    }

    /// Adds a contact for each pair that met; a second one if the pair met before in another
    /// direction.
    fn hold(&mut self, view: &View<'_>) {
        for crossing in &self.crossings.found().crossings {
            let held = Held {
                kind: crossing.kind,
                surfaces: crossing.surfaces,
                a: crossing.a,
                b: crossing.b,
            };
            let Some(normal) = direction(&self.crossings, crossing) else {
                continue;
            };
            if self.contacts.len() >= MAX_HELD {
                break;
            }
            let ids = crossing.surfaces.map(|s| self.objects[s as usize].0);
            let contact = made(view, &held, ids, &normal, &crossing.contact.pair);
            self.contacts.push(contact);
            if let Err(place) = self.held.binary_search_by_key(&held.key(), Held::key) {
                self.held.insert(place, held);
            }
        }
    }

    /// Puts the points of sheets that meet something back to the start of the step.
    fn stop(&mut self, view: &View<'_>, world: &mut XpbdWorld) {
        self.stopped.clear();
        for _ in 0..ROUNDS {
            let before = self.stopped.len();
            for crossing in &self.crossings.found().crossings {
                let corners = [
                    (0, &crossing.a[..crossing.kind.points_a()]),
                    (1, &crossing.b[..crossing.kind.points_b()]),
                ];
                for (side, vertices) in corners {
                    let (id, _) = self.objects[crossing.surfaces[side] as usize];
                    let Mover::Deformable(deformable) = view.movers[id as usize] else {
                        continue;
                    };
                    for v in vertices {
                        // Soft solids have none: their surface is carried by other particles.
                        if let Some(ParticleId(p)) = world.particle_of(deformable, *v) {
                            self.stopped.push(p);
                        }
                    }
                }
            }
            self.stopped.sort_unstable();
            self.stopped.dedup();
            if self.stopped.len() == before {
                break;
            }
            for p in &self.stopped {
                let at = world.positions_at_start()[*p as usize];
                // A previous position is valid.
                let _ = world.set_particle(ParticleId(*p), at, Vec3::zeros());
            }
            if self.search(view, world) == 0 {
                break;
            }
        }
        self.report.stopped = self.stopped.len() as u32;
    }

    pub fn report(&self) -> ContinuousReport {
        self.report
    }

    /// The finder with the result of the last search.
    pub fn crossings(&self) -> &Crossings {
        &self.crossings
    }

    /// Updates the surfaces if objects were added or removed.
    fn meet(&mut self, view: &View<'_>) {
        let objects = (0..view.movers.len() as u32)
            .filter_map(|id| view.scene.identity(id).map(|identity| (id, identity)));
        if self.mode == Continuous::Off || objects.clone().eq(self.objects.iter().copied()) {
            return;
        }
        self.objects.clear();
        self.objects.extend(objects);
        self.held.clear();
        let surfaces: Vec<Surface<'_>> = (self.objects.iter())
            .map(|(id, _)| Surface {
                vertices: view.scene.shape(*id).points().len(),
                triangles: view.scene.shape(*id).triangles(),
                nature: match (&view.movers[*id as usize], view.scene.shape(*id).topology()) {
                    (Mover::Deformable(_), Topology::Sheet { .. }) => Nature::Sheet,
                    (Mover::Deformable(_), Topology::Volume) => Nature::Solid,
                    _ => Nature::Rigid,
                },
            })
            .collect();
        // The shapes are checked: they refer to no vertex that does not exist.
        let set = self.crossings.set_surfaces(&surfaces).is_ok();
        self.fresh = true;
        self.any = set && surfaces.iter().any(|s| s.nature != Nature::Rigid);
    }
}

/// Sets the positions of an object's vertices before and after the step.
fn place(crossings: &mut Crossings, surface: usize, view: &View<'_>, world: &XpbdWorld, id: u32) {
    let shape = view.scene.shape(id);
    let rigid =
        |pose: Pose| (shape.points().iter()).map(move |p| transform(&pose, &p.cast::<f64>()));
    match &view.movers[id as usize] {
        Mover::Deformable(deformable) => {
            let [before, after] = [
                world.surface_at_start(*deformable),
                world.surface(*deformable),
            ]
            .map(|x| x.unwrap_or_default().iter().copied());
            crossings.place(surface, before, after);
        }
        Mover::Body {
            body,
            body_from_mesh,
        } => {
            let [before, after] = [world.body_at_start(*body), world.body(*body)]
                .map(|state| state.map_or_else(Pose::identity, |s| pose_of(s) * body_from_mesh));
            crossings.place(surface, rigid(before), rigid(after));
        }
        Mover::Fixed | Mover::Gone => {
            let pose = (view.scene.poses(id)).map_or_else(Pose::identity, |(now, _)| *now);
            crossings.place(surface, rigid(pose), rigid(pose));
        }
    }
}

/// Present position of a vertex, m.
fn now(view: &View<'_>, world: &XpbdWorld, id: u32, v: u32) -> Vec3 {
    let local = || view.scene.shape(id).points()[v as usize].cast::<f64>();
    match &view.movers[id as usize] {
        Mover::Deformable(deformable) => (world.surface(*deformable))
            .and_then(|x| x.get(v as usize))
            .copied()
            .unwrap_or_default(),
        Mover::Body {
            body,
            body_from_mesh,
        } => world.body(*body).map_or_else(Vec3::zeros, |state| {
            transform(&(pose_of(state) * body_from_mesh), &local())
        }),
        Mover::Fixed | Mover::Gone => {
            (view.scene.poses(id)).map_or_else(Vec3::zeros, |(pose, _)| transform(pose, &local()))
        }
    }
}

/// Velocity of a vertex, m/s.
fn velocity(view: &View<'_>, world: &XpbdWorld, id: u32, v: u32) -> Vec3 {
    let at = now(view, world, id, v);
    crate::contacts::velocity(world, &view.movers[id as usize], v, &at)
}

/// Gap at which a contact of these two objects is held, m.
fn gap(view: &View<'_>, ids: [u32; 2]) -> f64 {
    let thickness = ids.map(|id| match view.scene.shape(id).topology() {
        Topology::Volume => 0.0,
        Topology::Sheet { half_thickness_m } => half_thickness_m,
    });
    (thickness[0] + thickness[1]).max(MIN_GAP_M)
}

/// Direction from the second side to the first just before they meet. `None` if they touch from the
/// start: then the sides are unknown.
fn direction(crossings: &Crossings, crossing: &Crossing) -> Option<Vec3> {
    let t = JUST_BEFORE * crossing.contact.t;
    let [a, b] = crossings.ways(crossing).map(|[from, to]| {
        let at = |i: usize| from[i] + (to[i] - from[i]) * t;
        [at(0), at(1), at(2)]
    });
    let nearest = closest(crossing.kind, &a, &b);
    (crossing.contact.t > 0.0 && nearest.normal != Vec3::zeros()).then_some(nearest.normal)
}

fn made(
    view: &View<'_>,
    held: &Held,
    ids: [u32; 2],
    normal: &Vec3,
    pair: &PairDistance,
) -> Contact {
    let [s, t, _] = pair.params;
    let (of_a, of_b) = match held.kind {
        PairKind::EdgeEdge => ([1.0 - s, s, 0.0], [1.0 - t, t, 0.0]),
        _ => ([1.0, 0.0, 0.0], pair.params),
    };
    let side = |id: u32, vertices: [u32; 3], weights: [f64; 3], at: &Vec3| {
        on_surface(
            &view.movers[id as usize],
            view.scene.shape(id),
            vertices,
            weights,
            at,
        )
    };
    let a = match (&view.movers[ids[0] as usize], held.kind) {
        (Mover::Deformable(deformable), PairKind::VertexFace) => ContactPoint::Vertex {
            deformable: *deformable,
            vertex: held.a[0],
        },
        _ => side(ids[0], held.a, of_a, &pair.point_a),
    };
    Contact {
        a,
        b: side(ids[1], held.b, of_b, &pair.point_b),
        normal: *normal,
        gap_m: gap(view, ids),
        friction: (view.friction[ids[0] as usize] * view.friction[ids[1] as usize]).sqrt(),
        restitution: 0.0,
    }
}
