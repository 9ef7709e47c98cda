//! The host's input to a step: the pairs and how far they have moved, from its broad phase.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Object;

use crate::CHUNK;

/// Part of a pair: up to [`CHUNK`] points of the source against one target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    /// Object with the points that emit rays.
    pub source: u32,
    /// Rigid object that the rays are traced against.
    pub target: u32,
    /// First of the points, local.
    pub first: u32,
    /// 1: trace in full, for a pair that has moved or is new. 0: walk on from remembered hits.
    pub full: u32,
}

impl Chunk {
    /// Chunks of one direction of a pair.
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
    /// Object with the points that emit rays.
    pub source: u32,
    /// Object that the rays are traced against.
    pub target: u32,
    /// Cluster of the points, local.
    pub from: u32,
    /// First of its clusters in [`crate::Step::near`].
    pub first: u32,
    /// Number of nearby clusters of the target, in order.
    pub count: u32,
}

/// A cluster of a target that is near a [`Run`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NearCluster {
    /// Lowest corner of the box around all its triangles, in the world.
    pub low: [f32; 3],
    /// Highest corner of the box.
    pub high: [f32; 3],
    /// Number of the cluster, local.
    pub to: u32,
    /// True: trace in full, for a pair of clusters that has moved or is new. False: walk on from
    /// remembered hits.
    pub full: bool,
}

/// A [`Run`] or a [`NearCluster`] as the passes read them: first all runs, then all boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// For a run: source, target, first box, number of boxes. For a box: lowest corner as bits,
    /// cluster.
    pub a: [u32; 4],
    /// For a run: first point, number of points. For a box: highest corner as bits, 1 to trace in
    /// full.
    pub b: [u32; 4],
}

/// Lists of the points of all clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterPoints {
    /// Points, object by object and cluster by cluster, local.
    pub points: Vec<u32>,
    /// Start of each cluster's points, for all clusters of the scene, and the end.
    pub starts: Vec<u32>,
}

impl ClusterPoints {
    /// Start and number of the points of an object's cluster; `[0, 0]` if the cluster does not
    /// exist.
    pub(crate) fn of(&self, object: Option<&Object>, cluster: u32) -> [u32; 2] {
        let place = object
            .filter(|object| cluster < object.clusters)
            .map(|object| (object.first_cluster + cluster) as usize);
        let ends = place.and_then(|at| Some([*self.starts.get(at)?, *self.starts.get(at + 1)?]));
        ends.map_or([0, 0], |[first, end]| [first, end - first])
    }
}

/// Converts runs and boxes to rows.
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
        // A run that names boxes out of range gets none.
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
