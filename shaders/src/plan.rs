//! What the host tells a step about its pairs: it knows them, and how far they have moved, from its
//! broad phase.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Object;

use crate::CHUNK;

/// A part of a pair: up to [`CHUNK`] points of the source against one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    /// The object whose points send rays.
    pub source: u32,
    /// The rigid object that they are to meet.
    pub target: u32,
    /// First of the points, local.
    pub first: u32,
    /// 1: traced in full, for a pair that has moved or is new. 0: walked on from what is known.
    pub full: u32,
}

impl Chunk {
    /// The chunks of one direction of a pair.
    pub fn of(source: u32, target: u32, points: u32, full: bool) -> impl Iterator<Item = Self> {
        (0..points).step_by(CHUNK as usize).map(move |first| Self {
            source,
            target,
            first,
            full: u32::from(full),
        })
    }
}

/// A cluster of a source's points against one target, where one of the two deforms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The object whose points send rays.
    pub source: u32,
    /// The object that they are to meet.
    pub target: u32,
    /// The cluster of the points, local.
    pub from: u32,
    /// First of its boxes in [`crate::Step::near`].
    pub first: u32,
    /// How many: the clusters of the target that are near by, in order.
    pub count: u32,
}

/// A cluster of a target that is near a [`Run`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NearCluster {
    /// Lowest corner of its box, with all its triangles, in the world.
    pub low: [f32; 3],
    /// Highest corner.
    pub high: [f32; 3],
    /// Which cluster, local.
    pub to: u32,
    /// Traced in full, for a pair of clusters that has moved or is new; otherwise walked on from
    /// what is known.
    pub full: bool,
}

/// A [`Run`] or a [`NearCluster`] as the passes read them: first all runs, then all boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// Of a run: source, target, first box, boxes. Of a box: lowest corner as bits, cluster.
    pub a: [u32; 4],
    /// Of a run: first point, points. Of a box: highest corner as bits, whether traced in full.
    pub b: [u32; 4],
}

/// Where the points of an object's clusters are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterPoints {
    /// Points, object by object and cluster by cluster, local.
    pub points: Vec<u32>,
    /// First of each cluster's, for all clusters of the scene, and their count at the end.
    pub starts: Vec<u32>,
}

impl ClusterPoints {
    /// First and number of the points of an object's cluster; none if there is no such cluster.
    pub(crate) fn of(&self, object: Option<&Object>, cluster: u32) -> [u32; 2] {
        let place = object
            .filter(|object| cluster < object.clusters)
            .map(|object| (object.first_cluster + cluster) as usize);
        let ends = place.and_then(|at| Some([*self.starts.get(at)?, *self.starts.get(at + 1)?]));
        ends.map_or([0, 0], |[first, end]| [first, end - first])
    }
}

/// Runs and boxes as rows.
pub(crate) fn rows(
    runs: &[Run],
    near: &[NearCluster],
    objects: &[Object],
    clusters: &ClusterPoints,
    out: &mut Vec<Row>,
) {
    out.clear();
    out.extend(runs.iter().map(|run| {
        let [first, count] = clusters.of(objects.get(run.source as usize), run.from);
        // A run that names boxes beyond the last has none.
        let there = run.first as usize + run.count as usize <= near.len();
        let boxes = if there { run.count } else { 0 };
        Row {
            a: [run.source, run.target, runs.len() as u32 + run.first, boxes],
            b: [first, count, 0, 0],
        }
    }));
    out.extend(near.iter().map(|near| {
        let [a, b, c] = near.low.map(f32::to_bits);
        let [d, e, f] = near.high.map(f32::to_bits);
        Row {
            a: [a, b, c, near.to],
            b: [d, e, f, u32::from(near.full)],
        }
    }));
}
