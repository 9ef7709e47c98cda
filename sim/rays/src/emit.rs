//! Stage two: selects the points that send a ray, and the algorithm that traces it (Lehericey 2016,
//! chapter 3, section 1.2).

use rayon::prelude::*;

use crate::V3;
use crate::asleep::Asleep;
use crate::bounds::contains;
use crate::displacement::Measure;
use crate::layout::{Class, NONE, Ray, Record};
use crate::neighbourhood::{ClusterPair, Neighbourhood};
use crate::plan::Directed;
use crate::rays::Rays;
use crate::scene::{Item, RayScene, relative};
use crate::settings::{Full, Settings};

/// Data known from the step before.
#[derive(Clone, Copy)]
pub(crate) struct LastStep<'a> {
    pub records: &'a [Record],
    /// Places of the records that are not empty, in order.
    pub tracked: &'a [u32],
    /// Position of each point (half of a record's place) when it was last traced in full. For
    /// [`Measure::Absolute`] only.
    pub traced_at: &'a [V3],
    pub asleep: &'a Asleep,
}

impl LastStep<'_> {
    /// The tracked records of an object.
    fn of<'b>(&'b self, item: &Item) -> &'b [u32] {
        let first = item.first_record;
        let end = first + 2 * item.shape.points.len() as u32;
        let from = self.tracked.partition_point(|&r| r < first);
        let to = self.tracked.partition_point(|&r| r < end);
        &self.tracked[from..to]
    }
}

/// Entries per task.
const CHUNK: usize = 16;

/// Stage two of one step.
pub(crate) struct Emission<'a> {
    pub scene: &'a RayScene,
    pub settings: &'a Settings,
    pub known: LastStep<'a>,
}

impl Emission<'_> {
    /// Appends the rays of all pairs to `rays`. `parts` is scratch memory, kept between steps.
    pub(crate) fn emit(
        &self,
        rigid: &[Directed],
        near: &Neighbourhood,
        parts: &mut Vec<Rays>,
        rays: &mut Rays,
    ) {
        let needed = rigid
            .len()
            .div_ceil(CHUNK)
            .max(near.runs.len().div_ceil(CHUNK));
        if parts.len() < needed {
            parts.resize_with(needed, Rays::default);
        }
        let chunks = rigid.par_chunks(CHUNK).zip(parts.par_iter_mut());
        chunks.for_each(|(chunk, part)| {
            part.clear();
            for pair in chunk {
                self.of_rigid(pair, part);
            }
        });
        for part in &parts[..rigid.len().div_ceil(CHUNK)] {
            rays.append(part);
        }
        let chunks = near.runs.par_chunks(CHUNK).zip(parts.par_iter_mut());
        chunks.for_each(|(chunk, part)| {
            part.clear();
            for run in chunk {
                self.of_run(near.of(run), part);
            }
        });
        for part in &parts[..near.runs.len().div_ceil(CHUNK)] {
            rays.append(part);
        }
    }

    /// Uses criterion C2 for a pair that moved little, C1 for one that moved much.
    fn of_rigid(&self, pair: &Directed, out: &mut Rays) {
        let &Emission {
            scene,
            settings,
            ref known,
        } = self;
        let (source, target) = (
            &scene.items[pair.source as usize],
            &scene.items[pair.target as usize],
        );
        if !pair.full {
            let first = out.walk.len();
            for &place in known.of(source) {
                let record = &known.records[place as usize];
                if record.target == pair.target {
                    out.walk.push(Ray {
                        source: pair.source,
                        point: (place - source.first_record) / 2,
                        target: pair.target,
                        start: record.triangle,
                    });
                }
            }
            let records = out.walk.len();
            known.asleep.wake(scene, settings, pair, out);
            if first < records && records < out.walk.len() {
                out.walk[first..].sort_unstable();
            }
            return;
        }
        let relative = relative(source, target);
        let turn = relative.rotation.to_rotation_matrix();
        let bounds = target.shape.tree.bounds();
        let rays = match settings.full {
            Full::Tree => &mut out.tree,
            Full::Basic => &mut out.basic,
        };
        for (p, x) in source.shape.points.iter().enumerate() {
            let there = turn * x + relative.translation.vector;
            if contains(bounds, &there, margin(settings, source, target)) {
                rays.push(Ray {
                    source: pair.source,
                    point: p as u32,
                    target: pair.target,
                    start: NONE,
                });
            }
        }
    }

    /// Emits the rays of one cluster's points to its neighbours in one target.
    fn of_run(&self, run: &[ClusterPair], out: &mut Rays) {
        let &Emission {
            scene,
            settings,
            ref known,
        } = self;
        let ClusterPair {
            source,
            target,
            from,
            ..
        } = run[0];
        let (a, b) = (&scene.items[source as usize], &scene.items[target as usize]);
        let margin = margin(settings, a, b);
        let absolute = settings.measure == Measure::Absolute && settings.iterative;
        for &point in a.shape.clusters.points_of(from as usize) {
            let base = (a.first_record + 2 * point) as usize;
            let x = a.world(point);
            let moved = absolute && {
                let since = x - known.traced_at[base / 2];
                // Not `>`: a point that was never traced in full is at NaN.
                !(since.norm() <= settings.displacement_m)
            };
            let mut by_tree = false;
            for near in run.iter().filter(|near| near.full || moved) {
                if !contains(&b.cluster_bounds[near.to as usize], &x, margin) {
                    continue;
                }
                let ray = |start| Ray {
                    source,
                    point,
                    target,
                    start,
                };
                if b.deformable || settings.full == Full::Basic {
                    out.basic.push(ray(near.to));
                } else if !by_tree {
                    out.tree.push(ray(NONE));
                    by_tree = true;
                }
            }
            if by_tree {
                continue;
            }
            for record in &known.records[base..base + 2] {
                if record.class() == Class::Nothing || record.target != target {
                    continue;
                }
                let of = b.shape.cluster_of(record.triangle);
                let at = run.binary_search_by_key(&of, |near| near.to);
                // If the cluster is no longer a neighbour, it is out of reach.
                if at.is_ok_and(|k| !(run[k].full || moved)) {
                    out.walk.push(Ray {
                        source,
                        point,
                        target,
                        start: record.triangle,
                    });
                }
            }
        }
    }
}

/// Distance outside a target's box at which a point may still get an answer, m.
pub(crate) fn margin(settings: &Settings, source: &Item, target: &Item) -> f32 {
    let thickness = source.half_thickness() + target.half_thickness();
    settings.prediction_m.max(thickness)
}
