//! The objects that rays go between, and where they are now and were a step ago.
//!
//! Objects come and go between steps. The number of one that stays never changes; that of one that
//! has gone is given to one that comes when there has been a step without either. That one has
//! another *identity* ([`RayScene::identity`]): who remembers anything by number compares those.

use std::sync::Arc;

use hapticd_geometry::{BroadPhase, Pose, Vec3};

use crate::V3;
use crate::accept::Side;
use crate::displacement::{Measure, Motion};
use crate::layout::{Contact, NONE};
use crate::line::Line;
use crate::shape::{Shape, Topology};
use crate::trace::{Range, Target, trace_basic, walk};

/// Why an object or a position was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// NaN or infinite, or beyond what `f32` tells apart to a tenth of a millimetre.
    #[error("object {object}, point {point}: {value:?} is not a position within {FURTHEST_M} m")]
    BadPoint {
        /// Which object.
        object: u32,
        /// Which of its points.
        point: usize,
        /// As given.
        value: [f64; 3],
    },
    /// A pose with a NaN or infinite number, or too far away.
    #[error("object {object}: not a pose within {FURTHEST_M} m: {value:?}")]
    BadPose {
        /// Which object.
        object: u32,
        /// As given.
        value: Box<Pose>,
    },
    /// Another number of points than the shape has.
    #[error("object {object}: {given} points, its shape has {wanted}")]
    Count {
        /// Which object.
        object: u32,
        /// As given.
        given: usize,
        /// As it should be.
        wanted: usize,
    },
    /// There is no such object, or it is of the other kind.
    #[error("object {object} is not a {wanted} one")]
    NotOne {
        /// Which object.
        object: u32,
        /// "rigid" or "deformable".
        wanted: &'static str,
    },
    /// Too many points.
    #[error(
        "object {object}: its {points} points and the {of} of the scene are more than {MAX_POINTS}"
    )]
    Full {
        /// The number that it would have had.
        object: u32,
        /// Of its shape.
        points: usize,
        /// Of all that are there.
        of: usize,
    },
}

/// Furthest from the world's origin, m.
pub const FURTHEST_M: f64 = 1e3;

/// Most points of all objects of a scene together: two records of 16 bytes each are kept of every
/// point, twice, so about 130 MB.
pub const MAX_POINTS: usize = 1 << 21;

/// A box along the axes: lowest and highest corner.
pub type Bounds = (V3, V3);

/// Holds nothing.
pub(crate) const NOWHERE: Bounds = (
    V3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
    V3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
);

pub(crate) fn bounds_of<'a>(points: impl Iterator<Item = &'a V3>) -> Bounds {
    points.fold(NOWHERE, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// Whether two boxes are nearer than `margin` along every axis.
#[inline]
pub(crate) fn near(a: &Bounds, b: &Bounds, margin: f32) -> bool {
    (0..3).all(|k| a.0[k] - margin <= b.1[k] && b.0[k] - margin <= a.1[k])
}

/// Whether a point is in a box that is larger by `margin` on all sides.
#[inline]
pub(crate) fn contains(b: &Bounds, p: &V3, margin: f32) -> bool {
    (0..3).all(|k| b.0[k] - margin <= p[k] && p[k] <= b.1[k] + margin)
}

/// [`Item::identity`] of a number that nobody has. Such an item has no points, is nowhere and never
/// moves, so nothing needs to ask.
pub(crate) const NOBODY: u64 = 0;

/// One object.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// What no other object of the scene ever has; [`NOBODY`] of a number that nobody has.
    pub identity: u64,
    /// Without points where nobody is.
    pub shape: Arc<Shape>,
    pub deformable: bool,
    /// Never moves: two of these are no pair.
    pub fixed: bool,
    /// Identity for a deformable.
    pub pose: Pose,
    pub pose_before: Pose,
    /// In the world; of a deformable only.
    points: Vec<V3>,
    points_before: Vec<V3>,
    normals: Vec<V3>,
    exits: Vec<f32>,
    exit_triangles: Vec<u32>,
    /// In the world.
    pub bounds: Bounds,
    /// Of its clusters with all their triangles, in the world; not kept up for a rigid object that
    /// no deformable is near.
    pub cluster_bounds: Vec<Bounds>,
    pub motions: Vec<Motion>,
    /// The clusters' boxes are of these poses.
    clusters_at: Option<Pose>,
    pub first_record: u32,
    /// Was never in a step: where it is put now is where it starts.
    fresh: bool,
    /// Of a number that nobody has: steps that the scene had begun when it became free.
    free_since: u64,
}

impl Item {
    fn nobody(free_since: u64) -> Item {
        Item {
            free_since,
            identity: NOBODY,
            shape: Arc::new(Shape::nothing()),
            deformable: false,
            fixed: true,
            pose: Pose::identity(),
            pose_before: Pose::identity(),
            points: Vec::new(),
            points_before: Vec::new(),
            normals: Vec::new(),
            exits: Vec::new(),
            exit_triangles: Vec::new(),
            bounds: NOWHERE,
            cluster_bounds: Vec::new(),
            motions: Vec::new(),
            clusters_at: None,
            first_record: 0,
            fresh: false,
        }
    }

    /// Points in the object's frame: the world's for a deformable.
    pub fn points(&self) -> &[V3] {
        if self.deformable {
            &self.points
        } else {
            &self.shape.points
        }
    }

    fn normals(&self) -> &[V3] {
        if self.deformable {
            &self.normals
        } else {
            &self.shape.normals
        }
    }

    pub fn exit(&self, p: usize) -> f32 {
        if self.deformable {
            self.exits[p]
        } else {
            self.shape.exits[p]
        }
    }

    /// A point's line in the object's frame: ahead is the inner ray of a volume, the upper side of
    /// a sheet. `None` for a point of no triangle.
    pub fn line(&self, p: usize) -> Option<Line> {
        let n = self.normals()[p];
        let d = match self.shape.topology {
            Topology::Volume => -n,
            Topology::Sheet { .. } => n,
        };
        (d != V3::zeros()).then_some(Line {
            o: self.points()[p],
            d,
        })
    }

    /// For the acceptance rules, as the source of a ray from `p`.
    pub fn side(&self, p: usize) -> Side {
        match self.shape.topology {
            Topology::Volume => Side::Volume { exit: self.exit(p) },
            Topology::Sheet { half_thickness_m } => Side::Sheet {
                half_thickness: half_thickness_m as f32,
            },
        }
    }

    pub fn is_sheet(&self) -> bool {
        matches!(self.shape.topology, Topology::Sheet { .. })
    }

    pub fn half_thickness(&self) -> f32 {
        match self.shape.topology {
            Topology::Volume => 0.0,
            Topology::Sheet { half_thickness_m } => half_thickness_m as f32,
        }
    }

    pub fn target(&self) -> Target<'_> {
        self.shape.target(self.points(), self.deformable)
    }

    /// A point in the world.
    pub fn world(&self, p: u32) -> V3 {
        if self.deformable {
            self.points[p as usize]
        } else {
            place(&self.pose, &self.shape.points[p as usize])
        }
    }

    /// The same, a step ago.
    pub fn world_before(&self, p: u32) -> V3 {
        if self.deformable {
            self.points_before[p as usize]
        } else {
            place(&self.pose_before, &self.shape.points[p as usize])
        }
    }

    /// Where it is now is where it was.
    pub fn settle(&mut self) {
        self.fresh = false;
        self.pose_before = self.pose;
        if self.deformable {
            self.points_before.copy_from_slice(&self.points);
        }
    }

    /// It was put somewhere: if that is where it starts, it was there before, too.
    fn start(&mut self) {
        if self.fresh {
            self.settle();
            self.fresh = true;
        }
    }

    pub fn update_bounds(&mut self) {
        self.bounds = if self.deformable {
            bounds_of(self.points.iter())
        } else {
            let (low, high) = self.shape.tree.bounds();
            let turn = self.pose.rotation.to_rotation_matrix();
            let half = turn.matrix().abs() * ((high - low) / 2.0).cast::<f64>();
            let centre = place64(&self.pose, &((high + low) / 2.0).cast());
            // A rounding must not make the box smaller.
            let wide = half.map(|x| x * (1.0 + 1e-6)) + Vec3::repeat(1e-6 * centre.amax());
            ((centre - wide).cast(), (centre + wide).cast())
        };
    }

    /// Normals, and the exits of volumes, where the points are now. Of a deformable.
    pub fn deform(&mut self) {
        let shape = self.shape.clone();
        shape.normals_at(&self.points, &mut self.normals);
        if shape.topology == Topology::Volume {
            for p in 0..self.points.len() {
                (self.exits[p], self.exit_triangles[p]) = self.find_exit(p);
            }
        }
    }

    /// Where the inner ray leaves the object now: a walk from where it did before, or the whole
    /// surface if that is lost.
    fn find_exit(&self, p: usize) -> (f32, u32) {
        let Some(line) = self.line(p) else {
            return (0.0, NONE);
        };
        let target = self.target();
        let limit = 16;
        let found = |hit: crate::trace::Hit| {
            (hit.at.t > 0.0 && hit.at.outward).then_some((hit.at.t, hit.triangle))
        };
        let start = self.exit_triangles[p];
        let walked = walk(&line, &target, start, limit).hit.and_then(found);
        walked.unwrap_or_else(|| {
            let range = Range {
                behind: 0.0,
                ahead: f32::INFINITY,
            };
            let all = 0..self.shape.triangles.len() as u32;
            let hits = trace_basic(&line, &target, all, &range, Some(p as u32));
            hits.ahead.and_then(found).unwrap_or((0.0, NONE))
        })
    }

    /// Boxes and motions of the clusters.
    pub fn update_clusters(&mut self, measure: Measure) {
        let shape = self.shape.clone();
        let clusters = &shape.clusters;
        let still = self.pose == self.pose_before;
        if self.deformable || self.clusters_at != Some(self.pose) {
            self.cluster_bounds.clear();
            self.cluster_bounds.resize(clusters.count(), NOWHERE);
            for &corners in &shape.triangles {
                let (low, high) = bounds_of(corners.map(|v| self.world(v)).iter());
                for cluster in clusters.of_corners(corners) {
                    let bounds = &mut self.cluster_bounds[cluster as usize];
                    *bounds = (bounds.0.inf(&low), bounds.1.sup(&high));
                }
            }
            self.clusters_at = Some(self.pose);
        }
        self.motions.clear();
        for c in 0..clusters.count() {
            self.motions.push(if !self.deformable && still {
                Motion::ZERO
            } else {
                let moves = clusters.points_of(c).iter();
                Motion::of(
                    measure,
                    moves.map(|&p| self.world(p) - self.world_before(p)),
                )
            });
        }
    }
}

pub(crate) fn place(pose: &Pose, p: &V3) -> V3 {
    place64(pose, &p.cast()).cast()
}

fn place64(pose: &Pose, p: &Vec3) -> Vec3 {
    pose.rotation * p + pose.translation.vector
}

/// See the module page.
#[derive(Clone, Debug, Default)]
pub struct RayScene {
    pub(crate) items: Vec<Item>,
    pub(crate) records: u32,
    /// The last identity that was given.
    identities: u64,
    /// Steps that were begun.
    steps: u64,
    /// Who says which objects are near each other, to all that plan steps of this scene.
    pub(crate) broad: Box<dyn BroadPhase>,
}

impl RayScene {
    /// Empty.
    #[must_use]
    pub fn new() -> RayScene {
        RayScene::default()
    }

    /// Numbers of objects are below this one. As many as there are objects while none has gone;
    /// afterwards never more than there were at once, together with those that went within two
    /// steps: who lets objects come and go without ever stepping counts on.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// No objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// What no other object of this scene has or ever had, from 1; `None` where nobody has that
    /// number. In order of addition.
    #[must_use]
    pub fn identity(&self, object: u32) -> Option<u64> {
        let item = self.items.get(object as usize)?;
        (item.identity != NOBODY).then_some(item.identity)
    }

    /// The number that an object would get now: the lowest that nobody has, nor had in the last
    /// step.
    #[must_use]
    pub fn next(&self) -> u32 {
        let free = self.items.iter().position(|item| self.is_free(item));
        free.unwrap_or(self.items.len()) as u32
    }

    /// Begun twice since somebody had it, a step has been looked at without, wherever between two
    /// beginnings he went.
    fn is_free(&self, item: &Item) -> bool {
        item.identity == NOBODY && self.steps >= item.free_since + 2
    }

    /// Takes an object out, between two steps. The others keep their numbers; this one's is free.
    /// What is known of it is forgotten, and contacts with it are no more, from the next step of
    /// whoever looks at the scene.
    ///
    /// # Errors
    /// [`SceneError::NotOne`], if nobody has that number.
    pub fn remove(&mut self, object: u32) -> Result<(), SceneError> {
        if self.identity(object).is_none() {
            return Err(SceneError::NotOne {
                object,
                wanted: "known",
            });
        }
        while self.items.last().is_some_and(|item| self.is_free(item)) {
            self.items.pop();
        }
        self.items[object as usize] = Item::nobody(self.steps);
        self.lay_out();
        Ok(())
    }

    /// Records lie in order of the objects, without gaps.
    fn lay_out(&mut self) {
        self.records = 0;
        for item in &mut self.items {
            item.first_record = self.records;
            self.records += 2 * item.shape.points.len() as u32;
        }
    }

    /// An object that moves as a whole, or not at all (`fixed`). Its number: [`RayScene::next`].
    ///
    /// # Errors
    /// [`SceneError::BadPose`], [`SceneError::Full`].
    pub fn add_rigid(
        &mut self,
        shape: Arc<Shape>,
        pose: &Pose,
        fixed: bool,
    ) -> Result<u32, SceneError> {
        self.check_room(&shape, pose)?;
        Ok(self.add(shape, *pose, false, fixed))
    }

    /// Whether an object of that shape could be added at that pose.
    ///
    /// # Errors
    /// [`SceneError::BadPose`], [`SceneError::Full`].
    pub fn check_room(&self, shape: &Shape, pose: &Pose) -> Result<(), SceneError> {
        let object = self.next();
        check_pose(object, pose)?;
        let (points, of) = (shape.points.len(), self.records as usize / 2);
        if of + points > MAX_POINTS {
            return Err(SceneError::Full { object, points, of });
        }
        Ok(())
    }

    /// An object whose points are given again every step, in the world, m; at first those of its
    /// shape. Its number: [`RayScene::next`].
    pub fn add_deformable(&mut self, shape: Arc<Shape>) -> u32 {
        self.add(shape, Pose::identity(), true, false)
    }

    fn add(&mut self, shape: Arc<Shape>, pose: Pose, deformable: bool, fixed: bool) -> u32 {
        let object = self.next();
        self.identities += 1;
        let of = |on: bool| if on { shape.points.clone() } else { Vec::new() };
        let mut item = Item {
            identity: self.identities,
            deformable,
            fixed,
            pose,
            pose_before: pose,
            points: of(deformable),
            points_before: of(deformable),
            normals: if deformable {
                shape.normals.clone()
            } else {
                Vec::new()
            },
            exits: if deformable {
                shape.exits.clone()
            } else {
                Vec::new()
            },
            exit_triangles: if deformable {
                // Its normals will be asked for in every step.
                shape.around();
                shape.cluster_triangles();
                shape.exit_triangles()
            } else {
                Vec::new()
            },
            bounds: NOWHERE,
            cluster_bounds: Vec::with_capacity(shape.clusters.count()),
            motions: Vec::with_capacity(shape.clusters.count()),
            clusters_at: None,
            first_record: self.records,
            fresh: true,
            free_since: 0,
            shape,
        };
        item.update_bounds();
        if object as usize == self.items.len() {
            self.records += 2 * item.shape.points.len() as u32;
            self.items.push(item);
        } else {
            self.items[object as usize] = item;
            self.lay_out();
        }
        object
    }

    /// Who says from now on which objects are near each other, to all detectors that are given this
    /// scene. What they find is the same whoever it is.
    pub fn set_broad_phase(&mut self, broad: Box<dyn BroadPhase>) {
        self.broad = broad;
    }

    /// Who says which objects are near each other; sweep-and-prune if nothing was said.
    #[must_use]
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        &*self.broad
    }

    /// A new step: where all are now is where they were before. To be called before they are moved;
    /// never twice for one step of a tracer, or points that cross a sheet are not seen.
    pub fn begin_step(&mut self) {
        self.steps += 1;
        for item in self.items.iter_mut().filter(|item| !item.fixed) {
            item.settle();
        }
    }

    /// Where a rigid object is now.
    ///
    /// # Errors
    /// [`SceneError::BadPose`], [`SceneError::NotOne`]; the object stays where it was.
    pub fn set_pose(&mut self, object: u32, pose: &Pose) -> Result<(), SceneError> {
        check_pose(object, pose)?;
        let item = self.of_kind(object, false)?;
        item.pose = *pose;
        item.start();
        item.update_bounds();
        Ok(())
    }

    /// Where a deformable's points are now, world frame, m.
    ///
    /// # Errors
    /// [`SceneError::Count`], [`SceneError::BadPoint`], [`SceneError::NotOne`]; the object stays
    /// where it was.
    pub fn set_points(&mut self, object: u32, points: &[Vec3]) -> Result<(), SceneError> {
        let item = self.of_kind(object, true)?;
        if points.len() != item.points.len() {
            return Err(SceneError::Count {
                object,
                given: points.len(),
                wanted: item.points.len(),
            });
        }
        if let Some(point) = points.iter().position(|p| !is_near(p)) {
            return Err(SceneError::BadPoint {
                object,
                point,
                value: points[point].into(),
            });
        }
        for (to, from) in item.points.iter_mut().zip(points) {
            *to = from.cast();
        }
        item.start();
        Ok(())
    }

    fn of_kind(&mut self, object: u32, deformable: bool) -> Result<&mut Item, SceneError> {
        let item = self.items.get_mut(object as usize);
        item.filter(|item| item.identity != NOBODY && item.deformable == deformable)
            .ok_or(SceneError::NotOne {
                object,
                wanted: if deformable { "deformable" } else { "rigid" },
            })
    }

    /// The shape of an object; one without points where the number is free.
    ///
    /// # Panics
    /// If the number is not below [`RayScene::len`].
    #[must_use]
    pub fn shape(&self, object: u32) -> &Arc<Shape> {
        &self.items[object as usize].shape
    }

    /// How far the inner ray of an object's point goes until it leaves the object itself, m;
    /// infinite on sheets.
    #[must_use]
    pub fn exit(&self, object: u32, point: u32) -> f32 {
        let item = &self.items[object as usize];
        if item.is_sheet() {
            f32::INFINITY
        } else {
            item.exit(point as usize)
        }
    }

    /// Where a rigid object is now, and where it was before; `None` of a deformable, and where
    /// there is no such object.
    #[must_use]
    pub fn poses(&self, object: u32) -> Option<(&Pose, &Pose)> {
        let item = self.items.get(object as usize);
        item.filter(|item| item.identity != NOBODY && !item.deformable)
            .map(|item| (&item.pose, &item.pose_before))
    }

    /// Where a deformable's points are now, and where they were before, world frame, m; `None` of a
    /// rigid object, and where there is none.
    #[must_use]
    pub fn points(&self, object: u32) -> Option<(&[V3], &[V3])> {
        let item = self.items.get(object as usize);
        item.filter(|item| item.deformable)
            .map(|item| (&item.points[..], &item.points_before[..]))
    }

    /// Box of a cluster with all its triangles where they were when a [`Plan`](crate::Plan) last
    /// looked at it, world frame, m.
    ///
    /// # Panics
    /// If there is no such object or cluster, or no plan ever named it.
    #[must_use]
    pub fn cluster_bounds(&self, object: u32, cluster: u32) -> Bounds {
        self.items[object as usize].cluster_bounds[cluster as usize]
    }

    /// An old contact where its point and its triangle are now: the depth is that along the normal,
    /// which stays as it was. So does the place on the triangle: what slides for some steps is held
    /// by the triangle's plane.
    ///
    /// # Panics
    /// If it is of another scene, or of objects that have gone: a detector's are not, from
    /// [`Detector::submit`](crate::Detector::submit) until the next object goes or comes.
    pub fn refresh(&self, contact: &mut Contact) {
        let [a, b] = [contact.source, contact.target].map(|id| &self.items[id as usize]);
        let x = a.world(contact.point);
        let corners = b.shape.triangles[contact.triangle as usize];
        let [p, q, r] = corners.map(|v| b.world(v));
        let met = p + (q - p) * contact.uv[0] + (r - p) * contact.uv[1];
        let thickness = a.half_thickness() + b.half_thickness();
        contact.x = x.into();
        contact.depth = thickness - (x - met).dot(&V3::from(contact.n));
    }

    /// The place of a point's two [records](crate::layout::Record).
    pub(crate) fn record_of(&self, object: u32, point: u32) -> usize {
        (self.items[object as usize].first_record + 2 * point) as usize
    }
}

/// Written so that NaN is not.
fn is_near(p: &Vec3) -> bool {
    p.iter().all(|x| x.abs() <= FURTHEST_M)
}

/// Whether an object of that number could be at that pose.
///
/// # Errors
/// [`SceneError::BadPose`].
pub fn check_pose(object: u32, pose: &Pose) -> Result<(), SceneError> {
    let near = is_near(&pose.translation.vector);
    let turn = (pose.rotation.coords.norm() - 1.0).abs() <= 1e-6;
    if near && turn {
        return Ok(());
    }
    Err(SceneError::BadPose {
        object,
        value: Box::new(*pose),
    })
}
