//! The objects that rays go between, with their present pose and that of a step ago.
//!
//! Objects are added and removed between steps. An object keeps its number while it stays. The
//! number of a removed object is reused after a step without either. The new object has another
//! *identity* ([`RayScene::identity`]): code that stores anything by number must compare
//! identities.

use std::sync::Arc;

use hapticd_geometry::{BroadPhase, Pose, Vec3};

use crate::V3;
use crate::accept::Side;
use crate::bounds::{Bounds, NOWHERE, bounds_of};
use crate::displacement::{self, Measure, Motion};
use crate::layout::{Contact, NONE};
use crate::line::Line;
use crate::shape::{Shape, Topology};
use crate::trace::{Range, Target, trace_basic, walk};

/// Why an object or a position was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The position is NaN, infinite, or too far away for `f32` to resolve a tenth of a millimetre.
    #[error(
        "object {object}, point {point}: {value:?} is not a position within {MAX_COORDINATE_M} m"
    )]
    BadPoint {
        /// Number of the object.
        object: u32,
        /// Index of the point.
        point: usize,
        /// The given position, m.
        value: [f64; 3],
    },
    /// The pose is not finite, has no unit rotation, or is too far away.
    #[error("object {object}: not a pose within {MAX_COORDINATE_M} m: {value:?}")]
    BadPose {
        /// Number of the object.
        object: u32,
        /// The given pose.
        value: Box<Pose>,
    },
    /// The number of points differs from that of the shape.
    #[error("object {object}: {given} points, its shape has {wanted}")]
    Count {
        /// Number of the object.
        object: u32,
        /// Number of points given.
        given: usize,
        /// Number of points of the shape.
        wanted: usize,
    },
    /// The object does not exist, or is of the other kind.
    #[error("object {object} is not a {wanted} one")]
    NotOne {
        /// Number of the object.
        object: u32,
        /// Expected kind: "rigid", "deformable" or "known".
        wanted: &'static str,
    },
    /// The scene would have too many points.
    #[error("object {object}: its {points} points and the scene's {of} exceed {MAX_POINTS}")]
    Full {
        /// Number that the object would have had.
        object: u32,
        /// Points of its shape.
        points: usize,
        /// Points of the objects in the scene.
        of: usize,
    },
}

/// Largest coordinate, m.
pub const MAX_COORDINATE_M: f64 = 1e3;

/// Largest number of points of all objects of a scene together. Two records of 16 bytes are stored
/// for every point, twice, so this is about 130 MB.
pub const MAX_POINTS: usize = 1 << 21;

/// [`Item::identity`] of a free number. Such an item has no points, is nowhere and never moves, so
/// it needs no special case.
pub(crate) const FREE_IDENTITY: u64 = 0;

/// One object.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Unique among all objects that the scene ever had; [`FREE_IDENTITY`] for a free number.
    pub identity: u64,
    /// Has no points if the number is free.
    pub shape: Arc<Shape>,
    pub deformable: bool,
    /// Never moves: two fixed objects form no pair.
    pub fixed: bool,
    /// Identity for a deformable.
    pub pose: Pose,
    pub pose_before: Pose,
    /// World positions of a deformable; empty for a rigid object.
    points: Vec<V3>,
    points_before: Vec<V3>,
    normals: Vec<V3>,
    exits: Vec<f32>,
    exit_triangles: Vec<u32>,
    /// Bounding box, world frame.
    pub bounds: Bounds,
    /// Boxes of its clusters with all their triangles, world frame; not updated for a rigid object
    /// without a deformable nearby.
    pub cluster_bounds: Vec<Bounds>,
    pub motions: Vec<Motion>,
    /// Pose for which the clusters' boxes were computed.
    clusters_at: Option<Pose>,
    pub first_record: u32,
    /// True until the object's first step: setting its position then sets where it starts.
    fresh: bool,
    /// For a free number: steps that the scene had begun when it became free.
    free_since: u64,
}

impl Item {
    fn nobody(free_since: u64) -> Item {
        Item {
            free_since,
            identity: FREE_IDENTITY,
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

    /// Points in the object's frame, which is the world's for a deformable.
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

    /// Input of the acceptance rules, as the source of a ray from `p`.
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

    /// World position of a point.
    pub fn world(&self, p: u32) -> V3 {
        if self.deformable {
            self.points[p as usize]
        } else {
            place(&self.pose, &self.shape.points[p as usize])
        }
    }

    /// World position of a point a step ago.
    pub fn world_before(&self, p: u32) -> V3 {
        if self.deformable {
            self.points_before[p as usize]
        } else {
            place(&self.pose_before, &self.shape.points[p as usize])
        }
    }

    /// Makes the present pose the previous one.
    pub fn settle(&mut self) {
        self.fresh = false;
        self.pose_before = self.pose;
        if self.deformable {
            self.points_before.copy_from_slice(&self.points);
        }
    }

    /// Handles a new position: before its first step, the object has also been there before.
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
            // Rounding must not make the box smaller.
            let wide = half.map(|x| x * (1.0 + 1e-6)) + Vec3::repeat(1e-6 * centre.amax());
            ((centre - wide).cast(), (centre + wide).cast())
        };
    }

    /// Updates the normals, and the exits of volumes, of a deformable to the present points.
    pub fn deform(&mut self) {
        let shape = self.shape.clone();
        shape.normals_at(&self.points, &mut self.normals);
        if shape.topology == Topology::Volume {
            for p in 0..self.points.len() {
                (self.exits[p], self.exit_triangles[p]) = self.find_exit(p);
            }
        }
    }

    /// Finds where the inner ray leaves the object now: by a walk from the last exit triangle, or
    /// over the whole surface if the walk is lost.
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

    /// Updates the boxes and motions of the clusters.
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

/// The transform from the source's frame to the target's.
pub(crate) fn relative(source: &Item, target: &Item) -> displacement::Pose {
    (target.pose.inverse() * source.pose).cast()
}

/// The objects of a scene. See the module documentation.
#[derive(Clone, Debug, Default)]
pub struct RayScene {
    pub(crate) items: Vec<Item>,
    pub(crate) records: u32,
    /// Last identity that was assigned.
    identities: u64,
    /// Number of steps begun.
    steps: u64,
    /// Broad phase for all plans of this scene.
    pub(crate) broad: Box<dyn BroadPhase>,
}

impl RayScene {
    /// Creates an empty scene.
    #[must_use]
    pub fn new() -> RayScene {
        RayScene::default()
    }

    /// Upper bound of the object numbers (exclusive). Equals the number of objects while none has
    /// been removed. Afterwards it never exceeds the largest number of simultaneous objects plus
    /// those removed within two steps. A caller that adds and removes objects without stepping
    /// makes it grow.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Identity of an object: unique among all objects that this scene ever had, from 1, in order
    /// of addition. `None` if the number is free.
    #[must_use]
    pub fn identity(&self, object: u32) -> Option<u64> {
        let item = self.items.get(object as usize)?;
        (item.identity != FREE_IDENTITY).then_some(item.identity)
    }

    /// Number that the next object would get: the lowest that is free now and was free in the last
    /// step.
    #[must_use]
    pub fn next(&self) -> u32 {
        let free = self.items.iter().position(|item| self.is_free(item));
        free.unwrap_or(self.items.len()) as u32
    }

    /// Two steps begun since the removal mean that one whole step has passed without the object,
    /// whenever between two beginnings it was removed.
    fn is_free(&self, item: &Item) -> bool {
        item.identity == FREE_IDENTITY && self.steps >= item.free_since + 2
    }

    /// Removes an object, between two steps. The others keep their numbers; its own becomes free.
    /// Every user of the scene drops its data and contacts from its next step on.
    ///
    /// # Errors
    /// [`SceneError::NotOne`] if the number is free.
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

    /// Records are in order of the objects, without gaps.
    fn lay_out(&mut self) {
        self.records = 0;
        for item in &mut self.items {
            item.first_record = self.records;
            self.records += 2 * item.shape.points.len() as u32;
        }
    }

    /// Adds an object that moves as a whole, or not at all (`fixed`). Its number is
    /// [`RayScene::next`].
    ///
    /// # Errors
    /// [`SceneError::BadPose`], [`SceneError::Full`].
    pub fn add_rigid(
        &mut self,
        shape: Arc<Shape>,
        pose: &Pose,
        fixed: bool,
    ) -> Result<u32, SceneError> {
        self.check_capacity(&shape, pose)?;
        Ok(self.add(shape, *pose, false, fixed))
    }

    /// Checks whether an object of that shape could be added at that pose.
    ///
    /// # Errors
    /// [`SceneError::BadPose`], [`SceneError::Full`].
    pub fn check_capacity(&self, shape: &Shape, pose: &Pose) -> Result<(), SceneError> {
        let object = self.next();
        check_pose(object, pose)?;
        let (points, of) = (shape.points.len(), self.records as usize / 2);
        if of + points > MAX_POINTS {
            return Err(SceneError::Full { object, points, of });
        }
        Ok(())
    }

    /// Adds an object whose points are given every step, in the world, m; initially those of its
    /// shape. Its number is [`RayScene::next`].
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
                // Build these now: its normals are computed in every step.
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

    /// Sets the broad phase for all detectors of this scene. The result does not depend on it.
    pub fn set_broad_phase(&mut self, broad: Box<dyn BroadPhase>) {
        self.broad = broad;
    }

    /// The broad phase; sweep-and-prune by default.
    #[must_use]
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        &*self.broad
    }

    /// Begins a step: the present positions become the previous ones. Must be called before objects
    /// are moved, and only once per step of a tracer, or points that cross a sheet are not seen.
    pub fn begin_step(&mut self) {
        self.steps += 1;
        for item in self.items.iter_mut().filter(|item| !item.fixed) {
            item.settle();
        }
    }

    /// Sets the present pose of a rigid object.
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

    /// Sets the present points of a deformable, world frame, m.
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
        item.filter(|item| item.identity != FREE_IDENTITY && item.deformable == deformable)
            .ok_or(SceneError::NotOne {
                object,
                wanted: if deformable { "deformable" } else { "rigid" },
            })
    }

    /// Shape of an object; one without points if the number is free.
    ///
    /// # Panics
    /// If the number is not below [`RayScene::len`].
    #[must_use]
    pub fn shape(&self, object: u32) -> &Arc<Shape> {
        &self.items[object as usize].shape
    }

    /// Length of the inner ray of an object's point up to its exit from the object, m; infinite on
    /// sheets.
    #[must_use]
    pub fn exit(&self, object: u32, point: u32) -> f32 {
        let item = &self.items[object as usize];
        if item.is_sheet() {
            f32::INFINITY
        } else {
            item.exit(point as usize)
        }
    }

    /// Present and previous pose of a rigid object; `None` for a deformable, and if the object does
    /// not exist.
    #[must_use]
    pub fn poses(&self, object: u32) -> Option<(&Pose, &Pose)> {
        let item = self.items.get(object as usize);
        item.filter(|item| item.identity != FREE_IDENTITY && !item.deformable)
            .map(|item| (&item.pose, &item.pose_before))
    }

    /// Present and previous points of a deformable, world frame, m; `None` for a rigid object, and
    /// if the object does not exist.
    #[must_use]
    pub fn points(&self, object: u32) -> Option<(&[V3], &[V3])> {
        let item = self.items.get(object as usize);
        item.filter(|item| item.deformable)
            .map(|item| (&item.points[..], &item.points_before[..]))
    }

    /// Box of a cluster with all its triangles, at the positions of the last [`Plan`](crate::Plan)
    /// that updated it, world frame, m.
    ///
    /// # Panics
    /// If the object or the cluster does not exist, or no plan ever updated it.
    #[must_use]
    pub fn cluster_bounds(&self, object: u32, cluster: u32) -> Bounds {
        self.items[object as usize].cluster_bounds[cluster as usize]
    }

    /// Updates an old contact to the present positions of its point and its triangle. The depth is
    /// measured along the normal, which stays as it was. The place on the triangle also stays: a
    /// point that slides for some steps is held by the triangle's plane.
    ///
    /// # Panics
    /// If the contact is of another scene, or of removed objects. The contacts of a detector are
    /// valid from [`Detector::submit`](crate::Detector::submit) until the next object is added or
    /// removed.
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

    /// Place of a point's two [records](crate::layout::Record).
    pub(crate) fn record_of(&self, object: u32, point: u32) -> usize {
        (self.items[object as usize].first_record + 2 * point) as usize
    }
}

/// Written so that NaN is rejected.
fn is_near(p: &Vec3) -> bool {
    p.iter().all(|x| x.abs() <= MAX_COORDINATE_M)
}

/// Checks whether an object of that number could be at that pose.
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
