//! Conversion of the CPU twin's scene and plan for the narrow phase: packed once, then poses and
//! lists of pairs.
//!
//! A step is [`Feed::advance`] and [`Feed::list`], then [`Feed::place`] and [`Narrow::send`] of
//! [`Feed::step`], to one or several narrow phases. Allocates only when a step has more pairs than
//! earlier ones. Deterministic; only [`Feed::place`] accesses a device.

use hapticd_geometry::Pose;
use hapticd_rays::layout::{Object, Point};
use hapticd_rays::{Full, Plan, RayScene, Settings, V3};

use crate::buffer::BufferError;
use crate::narrow::{Narrow, Step};
use crate::packed::{Packed, SceneError, set_place};
use crate::plan::{Chunk, NearCluster, Run};

/// Scene and plan in the narrow phase's format. See the module page.
#[derive(Debug, Default)]
pub struct Feed {
    /// Objects now, and one step ago.
    now: Vec<Object>,
    before: Vec<Object>,
    /// For each deformable: its number, its points now, and its points one step ago.
    deformables: Vec<(u32, [Vec<Point>; 2])>,
    chunks: Vec<Chunk>,
    runs: Vec<Run>,
    near: Vec<NearCluster>,
}

impl Feed {
    /// Packs all objects of a scene, for [`Narrow::set_scene`], with equal current and previous
    /// poses.
    ///
    /// # Errors
    /// There are more objects than indices can count.
    pub fn pack(&mut self, scene: &RayScene, settings: &Settings) -> Result<Packed, SceneError> {
        let mut packed = Packed::default();
        let nowhere = Pose::identity();
        self.deformables.clear();
        for object in 0..scene.len() as u32 {
            let shape = scene.shape(object);
            let limit = settings.walk_limit(shape.mean_edge_m());
            let pose = scene.poses(object).map(|(_, before)| before);
            // An unused number becomes a rigid object without points.
            let nobody = scene.identity(object).is_none();
            packed.add_shape(shape, pose.or(nobody.then_some(&nowhere)), limit)?;
            if let Some((_, before)) = scene.points(object) {
                let own =
                    &mut packed.points[packed.objects[object as usize].first_point as usize..];
                put(before, own);
                let points = own.to_vec();
                self.deformables.push((object, [points.clone(), points]));
            }
        }
        self.before.clone_from(&packed.objects);
        self.now.clone_from(&packed.objects);
        Ok(packed)
    }

    /// Objects with their current poses; empty before [`Feed::pack`].
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.now
    }

    /// Takes the current poses and points. The former current ones become one step old, even if the
    /// scene has advanced several steps: a point that crossed a sheet in a skipped step has crossed
    /// it. The scene must have the objects that were packed.
    pub fn advance(&mut self, scene: &RayScene, settings: &Settings) {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.copy_from_slice(&self.before);
        for (id, object) in (0..).zip(&mut self.now) {
            object.walk_limit = settings.walk_limit(scene.shape(id).mean_edge_m());
            if let Some((pose, _)) = scene.poses(id) {
                set_place(object, pose);
            }
        }
        for (id, [now, before]) in &mut self.deformables {
            std::mem::swap(now, before);
            if let Some((points, _)) = scene.points(*id) {
                put(points, now);
            }
        }
    }

    /// Sends current and previous poses and points. [`Step::surfaces`] computes the normals of
    /// deformables.
    ///
    /// # Errors
    /// The narrow phase has another scene, or the device has failed.
    pub fn place(&self, narrow: &mut Narrow) -> Result<(), BufferError> {
        narrow.place(&self.now, &self.before)?;
        for (id, [now, before]) in &self.deformables {
            let first = self.now[*id as usize].first_point as usize;
            narrow.deform(first, now, before, &[])?;
        }
        Ok(())
    }

    /// Takes the pairs of a plan for this scene.
    pub fn list(&mut self, plan: &Plan, scene: &RayScene) {
        self.chunks.clear();
        for pair in plan.rigid() {
            let points = self.now[pair.source as usize].points;
            let chunks = Chunk::of(pair.source, pair.target, points, pair.full);
            self.chunks.extend(chunks);
        }
        self.runs.clear();
        self.runs.extend(plan.runs().iter().map(|run| Run {
            source: run.source,
            target: run.target,
            from: run.from,
            first: run.first,
            count: run.count,
        }));
        self.near.clear();
        self.near.extend(plan.near().iter().map(|near| {
            let (low, high) = scene.cluster_bounds(near.target, near.to);
            NearCluster {
                low: low.into(),
                high: high.into(),
                to: near.to,
                full: near.full,
            }
        }));
    }

    /// Step that traces the pairs of the last [`Feed::list`].
    #[must_use]
    pub fn step(&self, settings: &Settings) -> Step<'_> {
        Step {
            chunks: &self.chunks,
            runs: &self.runs,
            near: &self.near,
            prediction: settings.prediction_m,
            by_basic: settings.full == Full::Basic,
            inversions: settings.inversions,
            surfaces: true,
            ..Step::default()
        }
    }
}

fn put(from: &[V3], to: &mut [Point]) {
    for (to, from) in to.iter_mut().zip(from) {
        to.x = (*from).into();
    }
}
