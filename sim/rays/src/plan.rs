//! Stage one: finds the objects near each other, and those that have moved too far for a walk
//! (Lehericey 2016, chapter 3, section 1.2).
//!
//! The plan is made on the CPU, whatever traces the rays, so every backend gets the same work. A
//! plan stores the relative poses at which its pairs were last traced in full, and assumes that the
//! requested work is done. If it is not, the caller must call [`Plan::void`] or [`Plan::forget`].
//! Pairs of removed objects are dropped, and an object that takes their number counts as new.
//!
//! Uses rayon's threads; deterministic. Does not allocate once it has seen as many pairs.

use rayon::prelude::*;

use crate::apart::Pairs;
use crate::bounds::Bounds;
use crate::displacement::{self, Pose};
use crate::neighbourhood::Neighbourhood;
use crate::report::Report;
use crate::roster::Roster;
use crate::scene::{Item, RayScene, relative};
use crate::settings::Settings;

pub use crate::neighbourhood::{ClusterPair, Run};

/// A rigid pair, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Directed {
    /// Object whose points send rays.
    pub source: u32,
    /// Object that the rays are tested against.
    pub target: u32,
    /// Whether to trace in full: the pair has moved, or is new.
    pub full: bool,
}

/// Relative pose of a rigid pair at its last full trace.
#[derive(Clone, Copy, Debug)]
struct Traced {
    pair: (u32, u32),
    at: Pose,
    /// Whether the last plan requested this trace.
    full: bool,
}

/// The plan of a step. See the module documentation.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    roster: Roster,
    apart: Pairs,
    boxes: Vec<Bounds>,
    pairs: Vec<(u32, u32)>,
    with_deformable: Vec<(u32, u32)>,
    traced: Vec<Traced>,
    traced_before: Vec<Traced>,
    rigid: Vec<Directed>,
    near: Neighbourhood,
    wanted: Vec<bool>,
}

impl Plan {
    /// Makes the plan of a step. Everything is where [`RayScene::set_pose`] and
    /// [`RayScene::set_points`] put it since [`RayScene::begin_step`]. Updates the boxes of the
    /// scene, but not its normals. The report contains what stage one knows.
    pub fn make(&mut self, scene: &mut RayScene, settings: &Settings) -> Report {
        self.forget_gone(scene);
        let deformables = scene.items.par_iter_mut().filter(|item| item.deformable);
        deformables.for_each(Item::update_bounds);
        self.boxes.clear();
        self.boxes
            .extend(scene.items.iter().map(|item| item.bounds));
        let thickest = scene.items.iter().map(Item::half_thickness);
        let margin = settings
            .prediction_m
            .max(2.0 * thickest.fold(0.0, f32::max));
        self.find_pairs(scene, settings, margin);
        let high = self.judge(scene, settings);
        self.wanted.clear();
        self.wanted.resize(scene.items.len(), false);
        for &(a, b) in &self.with_deformable {
            self.wanted[a as usize] = true;
            self.wanted[b as usize] = true;
        }
        let measure = settings.measure;
        let wanted = scene.items.par_iter_mut().zip(&self.wanted);
        wanted.for_each(|(item, wanted)| {
            if *wanted {
                item.update_clusters(measure);
            }
        });
        let threshold = settings.iterative.then_some(settings.displacement_m);
        let margin = margin + settings.displacement_m;
        self.near.update(
            &scene.items,
            &self.with_deformable,
            margin,
            threshold,
            measure,
        );
        Report {
            pairs: self.pairs.len(),
            rigid_low: self.traced.len() - high,
            rigid_high: high,
            deformable: self.with_deformable.len(),
            cluster_pairs: self.near.now.len(),
            cluster_pairs_high: self.near.now.iter().filter(|near| near.full).count(),
            ..Report::default()
        }
    }

    fn forget_gone(&mut self, scene: &RayScene) {
        if self.roster.is_current(scene) {
            return;
        }
        let roster = &self.roster;
        let stay = |a: u32, b: u32| roster.stays(scene, a) && roster.stays(scene, b);
        self.traced
            .retain(|traced| stay(traced.pair.0, traced.pair.1));
        (self.near.now).retain(|near| stay(near.source, near.target));
        self.roster.look(scene, 0);
    }

    fn find_pairs(&mut self, scene: &mut RayScene, settings: &Settings, margin: f32) {
        let items = &scene.items;
        let counts = |a: u32, b: u32| !(items[a as usize].fixed && items[b as usize].fixed);
        self.pairs.clear();
        let found = (self.apart).near(&self.boxes, margin, &mut *scene.broad, counts);
        self.pairs.extend_from_slice(found);
        if settings.self_collision {
            let tested =
                |item: &Item| item.deformable && (item.is_sheet() || settings.self_volumes);
            let own = (items.iter().zip(0..)).filter(|(item, _)| tested(item));
            self.pairs.extend(own.map(|(_, i)| (i, i)));
            self.pairs.sort_unstable();
        }
    }

    /// Separates rigid pairs from those with a deformable. Returns the number of rigid pairs to
    /// trace in full.
    fn judge(&mut self, scene: &RayScene, settings: &Settings) -> usize {
        std::mem::swap(&mut self.traced, &mut self.traced_before);
        self.traced.clear();
        self.rigid.clear();
        self.with_deformable.clear();
        let mut old = self.traced_before.iter().peekable();
        let mut high = 0;
        for &(a, b) in &self.pairs {
            let (x, y) = (&scene.items[a as usize], &scene.items[b as usize]);
            if x.deformable || y.deformable {
                self.with_deformable.push((a, b));
                continue;
            }
            while old.next_if(|o| o.pair < (a, b)).is_some() {}
            let known = old.next_if(|o| o.pair == (a, b));
            // In the frame of the larger object: of the larger one only points near the smaller
            // count, and the rim of a ground is far away.
            let (small, large) = if x.shape.radius <= y.shape.radius {
                (x, y)
            } else {
                (y, x)
            };
            let now = relative(small, large);
            let radius = small.shape.radius + settings.prediction_m;
            let low = known.filter(|known| {
                let moved = displacement::rigid(&known.at, &now, radius);
                settings.iterative && moved <= settings.displacement_m
            });
            let full = low.is_none();
            high += usize::from(full);
            self.traced.push(Traced {
                pair: (a, b),
                at: low.map_or(now, |known| known.at),
                full,
            });
            for (source, target) in [(a, b), (b, a)] {
                self.rigid.push(Directed {
                    source,
                    target,
                    full,
                });
            }
        }
        self.rigid.sort_unstable();
        high
    }

    /// Pairs of objects near each other, `(a, b)`, `a <= b`, in order, including a deformable with
    /// itself.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Pairs of rigid objects, both directions, in order.
    #[must_use]
    pub fn rigid(&self) -> &[Directed] {
        &self.rigid
    }

    /// For the other pairs: clusters of a source that have near clusters in a target, in order.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.near.runs
    }

    /// The clusters near those of [`Plan::runs`], run by run; within a run in order of
    /// [`ClusterPair::to`].
    #[must_use]
    pub fn near(&self) -> &[ClusterPair] {
        &self.near.now
    }

    pub(crate) fn neighbourhood(&self) -> &Neighbourhood {
        &self.near
    }

    /// Reports that the last plan was not carried out. Its full traces are requested again, and the
    /// displacement of the other pairs still counts.
    pub fn void(&mut self) {
        self.traced.retain(|traced| !traced.full);
        self.near.now.retain(|near| !near.full);
        self.near.runs.clear();
        self.rigid.clear();
    }

    /// Drops all knowledge of previous traces: the next plan requests everything in full.
    pub fn forget(&mut self) {
        self.traced.clear();
        self.near.now.clear();
        self.near.runs.clear();
        self.rigid.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hapticd_geometry::{Pose, Vec3, shapes};

    use super::*;
    use crate::shape::{Shape, Topology};

    /// A ball on a slab, and a cloth next to it on the slab.
    fn scene() -> (RayScene, Vec<Vec3>) {
        let ball = shapes::icosphere(0.02, 2).unwrap();
        let slab = shapes::cuboid(&Vec3::new(0.2, 0.2, 0.02)).unwrap();
        let mesh = shapes::sheet(0.05, 8).unwrap();
        let cloth = Topology::Sheet {
            half_thickness_m: 0.001,
        };
        let made = |mesh, topology| Arc::new(Shape::new(mesh, topology, 16).unwrap());
        let mut scene = RayScene::new();
        let below = Pose::translation(0.0, 0.0, -0.02);
        let slab = made(&slab, Topology::Volume);
        scene.add_rigid(slab, &below, true).unwrap();
        let on = Pose::translation(-0.1, 0.0, 0.019);
        let ball = made(&ball, Topology::Volume);
        scene.add_rigid(ball, &on, false).unwrap();
        let sheet = scene.add_deformable(made(&mesh, cloth));
        let points: Vec<Vec3> = mesh
            .positions()
            .iter()
            .map(|p| p + Vec3::new(0.1, 0.0, 0.0))
            .collect();
        scene.set_points(sheet, &points).unwrap();
        (scene, points)
    }

    fn full(plan: &Plan) -> (usize, usize) {
        (
            plan.rigid().iter().filter(|pair| pair.full).count(),
            plan.near().iter().filter(|near| near.full).count(),
        )
    }

    #[test]
    fn a_plan_that_was_not_carried_out_is_made_again() {
        let (mut scene, _) = scene();
        let settings = Settings::for_edges(0.01);
        let mut plan = Plan::default();
        plan.make(&mut scene, &settings);
        let all = full(&plan);
        assert!(all.0 == 2 && all.1 > 8, "{all:?}");
        plan.void();
        scene.begin_step();
        plan.make(&mut scene, &settings);
        assert_eq!(full(&plan), all);
        // Carried out, and nothing has moved.
        scene.begin_step();
        plan.make(&mut scene, &settings);
        assert_eq!(full(&plan), (0, 0));
        plan.forget();
        scene.begin_step();
        plan.make(&mut scene, &settings);
        assert_eq!(full(&plan), all);
    }

    /// Motion while plans are not carried out still counts: three steps of 1.25 thirds of the
    /// threshold exceed it.
    #[test]
    fn the_way_of_a_step_left_out_counts() {
        let (mut scene, points) = scene();
        let settings = Settings::for_edges(0.01);
        let by = f64::from(settings.displacement_m) / 3.0 * 1.25;
        let mut plan = Plan::default();
        plan.make(&mut scene, &settings);
        let all = full(&plan);
        for step in 1..=3 {
            scene.begin_step();
            let up = by * f64::from(step);
            let pose = Pose::translation(-0.1, 0.0, 0.019 - up);
            scene.set_pose(1, &pose).unwrap();
            let moved: Vec<Vec3> = points.iter().map(|p| p - Vec3::z() * up).collect();
            scene.set_points(2, &moved).unwrap();
            plan.make(&mut scene, &settings);
            // In the third step all pairs are beyond the threshold, except those of the cloth
            // against itself, which moved as one.
            let others = plan.near().iter().filter(|near| near.source != near.target);
            let slow = others.filter(|near| !near.full).count();
            assert_eq!(full(&plan).0, if step < 3 { 0 } else { 2 }, "{step}");
            assert_eq!(slow == 0, step == 3, "{step}");
            if step == 2 {
                plan.void();
            }
        }
        assert!(full(&plan).1 > 0 && full(&plan).1 < all.1);
    }
}
