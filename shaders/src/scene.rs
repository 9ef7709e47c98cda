//! The objects on the GPU: the shapes of all of them packed one behind the other, and where they
//! are.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::Pose;
use hapticd_rays::layout::{
    DEFORMABLE, NONE, Neighbours, Node, Normal, Object, Point, SHEET, Triangle,
};
use hapticd_rays::{Shape, Topology};
use thiserror::Error;

use crate::buffer::{BufferError, Store};
use crate::device::Gpu;
use crate::pass::Bound;
use crate::plan::ClusterPoints;
use crate::structures::Structures;
use crate::tracer::SetupError;

/// Where the triangles of a cluster are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cluster {
    /// First, in [`Packed::members`].
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// One shape's parts, with local indices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// Points.
    pub points: &'a [Point],
    /// Of each point.
    pub normals: &'a [Normal],
    /// Corners.
    pub triangles: &'a [Triangle],
    /// Of each triangle.
    pub neighbours: &'a [Neighbours],
    /// The tree; empty for a deformable.
    pub nodes: &'a [Node],
    /// First triangle of each cluster in [`Parts::members`], and their count at the end; empty if
    /// there are no clusters.
    pub cluster_starts: &'a [u32],
    /// Triangles, cluster by cluster.
    pub members: &'a [u32],
    /// First point of each cluster in [`Parts::cluster_points`], and their count at the end; empty
    /// if there are no clusters.
    pub cluster_point_starts: &'a [u32],
    /// Points, cluster by cluster.
    pub cluster_points: &'a [u32],
}

/// What is wrong with a scene: the caller's fault, and nothing has been taken over.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SceneError {
    /// Two lists that go together have different lengths.
    #[error("object {object}: {count} {what}, it has {of}")]
    Count {
        /// Which object.
        object: usize,
        /// Of what.
        what: &'static str,
        /// How many are given.
        count: usize,
        /// How many there should be.
        of: usize,
    },
    /// An index beyond what it counts.
    #[error("object {object}: {what} {index} of {of}")]
    Index {
        /// Which object.
        object: usize,
        /// What is counted.
        what: &'static str,
        /// The index.
        index: u32,
        /// How many there are.
        of: usize,
    },
    /// More than an index can count.
    #[error("object {object}: the scene has more than {most} {what}")]
    Full {
        /// Which object.
        object: usize,
        /// Of what.
        what: &'static str,
        /// How many there can be.
        most: usize,
    },
}

/// The shapes of all objects, packed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// Where their parts are, and where they are.
    pub objects: Vec<Object>,
    /// Points of all.
    pub points: Vec<Point>,
    /// Of each point.
    pub normals: Vec<Normal>,
    /// Triangles of all.
    pub triangles: Vec<Triangle>,
    /// Of each triangle.
    pub neighbours: Vec<Neighbours>,
    /// Trees of all.
    pub nodes: Vec<Node>,
    /// Clusters of all.
    pub clusters: Vec<Cluster>,
    /// Triangles of the clusters, local to their objects.
    pub members: Vec<u32>,
    /// Points of the clusters.
    pub cluster_points: ClusterPoints,
    records: usize,
}

/// Triangle numbers share a word with a flag, and a leaf of a tree with a count.
const MAX_TRIANGLES: usize = 1 << 29;

impl Packed {
    /// Adds an object and gives its number. Of `body` its place, radius, flags, thickness and walk
    /// limit are taken; where its parts are is filled in.
    ///
    /// # Errors
    /// If the parts do not fit each other; every index is looked at, so that no pass can leave its
    /// own object.
    pub fn add(&mut self, parts: &Parts<'_>, body: &Object) -> Result<u32, SceneError> {
        let object = self.objects.len();
        check(object, parts, body.flags & DEFORMABLE != 0)?;
        let full = |what, len: usize, more: usize, most: usize| {
            if len + more > most {
                return Err(SceneError::Full { object, what, most });
            }
            Ok(len as u32)
        };
        let most = NONE as usize;
        let clusters = parts.cluster_starts.len().saturating_sub(1);
        let placed = Object {
            first_point: full("points", self.points.len(), parts.points.len(), most)?,
            points: parts.points.len() as u32,
            first_triangle: full(
                "triangles",
                self.triangles.len(),
                parts.triangles.len(),
                MAX_TRIANGLES,
            )?,
            triangles: parts.triangles.len() as u32,
            first_node: full("nodes", self.nodes.len(), parts.nodes.len(), most)?,
            nodes: parts.nodes.len() as u32,
            first_record: full("records", self.records, 2 * parts.points.len(), most)?,
            first_cluster: full("clusters", self.clusters.len(), clusters, most)?,
            clusters: clusters as u32,
            ..*body
        };
        let first_member = full("members", self.members.len(), parts.members.len(), most)?;
        self.records += 2 * parts.points.len();
        self.objects.push(placed);
        self.points.extend_from_slice(parts.points);
        self.normals.extend_from_slice(parts.normals);
        self.triangles.extend_from_slice(parts.triangles);
        self.neighbours.extend_from_slice(parts.neighbours);
        self.nodes.extend_from_slice(parts.nodes);
        self.clusters
            .extend(parts.cluster_starts.windows(2).map(|w| Cluster {
                first: first_member + w[0],
                count: w[1] - w[0],
            }));
        self.members.extend_from_slice(parts.members);
        if clusters > 0 {
            let listed = &mut self.cluster_points;
            let base = listed.points.len() as u32;
            listed.points.extend_from_slice(parts.cluster_points);
            // The end of the last object's is where this one's begin.
            listed.starts.truncate(self.clusters.len() - clusters);
            let starts = parts.cluster_point_starts.iter();
            listed.starts.extend(starts.map(|start| base + start));
        }
        Ok(object as u32)
    }

    /// Adds an object of this shape, and gives its number. `pose`: where a rigid one is; `None` for
    /// a deformable, whose points are given in the world and are at first those of the shape.
    ///
    /// # Errors
    /// If the scene is full.
    pub fn add_shape(
        &mut self,
        shape: &Shape,
        pose: Option<&Pose>,
        walk_limit: u32,
    ) -> Result<u32, SceneError> {
        let clusters = shape.clusters();
        let points: Vec<Point> = (shape.points().iter().zip(&clusters.of_point))
            .map(|(p, &cluster)| Point {
                x: (*p).into(),
                cluster,
            })
            .collect();
        let normals: Vec<Normal> = (shape.normals().iter().zip(shape.exits()))
            .map(|(n, &exit)| Normal {
                n: (*n).into(),
                exit,
            })
            .collect();
        let triangles: Vec<Triangle> = (0..)
            .zip(shape.triangles())
            .map(|(t, &v)| Triangle {
                v,
                cluster: shape.cluster_of(t),
            })
            .collect();
        let neighbours: Vec<Neighbours> = (shape.neighbours().iter())
            .map(|across| Neighbours { across, pad: 0 })
            .collect();
        let nodes: Vec<Node> = match pose {
            Some(_) => shape.tree().rows().collect(),
            None => Vec::new(),
        };
        let members = clusters.triangles(shape.triangles());
        let radius = shape.points().iter().map(|p| p.norm()).fold(0.0, f32::max);
        let (sheet, half_thickness) = match shape.topology() {
            Topology::Volume => (0, 0.0),
            Topology::Sheet { half_thickness_m } => (SHEET, half_thickness_m as f32),
        };
        let body = Object {
            radius,
            flags: sheet | if pose.is_none() { DEFORMABLE } else { 0 },
            half_thickness,
            walk_limit,
            ..at(&Pose::identity())
        };
        let parts = Parts {
            points: &points,
            normals: &normals,
            triangles: &triangles,
            neighbours: &neighbours,
            nodes: &nodes,
            cluster_starts: &members.first,
            members: &members.all,
            cluster_point_starts: &clusters.points.first,
            cluster_points: &clusters.points.all,
        };
        let number = self.add(&parts, &body)?;
        if let Some(pose) = pose {
            self.set_pose(number, pose);
        }
        Ok(number)
    }

    /// Where a rigid object is; no object of that number, no change.
    pub fn set_pose(&mut self, object: u32, pose: &Pose) {
        if let Some(object) = self.objects.get_mut(object as usize) {
            set_place(object, pose);
        }
    }

    /// For each point of the scene the first of its triangles in the same list, and their end after
    /// the last; then the triangles, local.
    pub(crate) fn around(&self) -> Vec<u32> {
        let corners = || {
            self.objects.iter().flat_map(|object| {
                let first = object.first_triangle as usize;
                let own = &self.triangles[first..first + object.triangles as usize];
                (0..).zip(own).flat_map(|(t, triangle)| {
                    let point = |v| (object.first_point + v) as usize;
                    triangle.v.map(|v| (point(v), t))
                })
            })
        };
        let count = self.points.len() + 1;
        let mut list = vec![0; count + 3 * self.triangles.len()];
        for (point, _) in corners() {
            list[point + 1] += 1;
        }
        list[0] = count as u32;
        for point in 1..count {
            list[point] += list[point - 1];
        }
        let mut next = list[..count].to_vec();
        for (point, triangle) in corners() {
            list[next[point] as usize] = triangle;
            next[point] += 1;
        }
        list
    }

    /// Records of all: two for every point.
    #[must_use]
    pub fn records(&self) -> usize {
        self.records
    }
}

pub(crate) fn set_place(object: &mut Object, pose: &Pose) {
    let Object { q, t, .. } = at(pose);
    (object.q, object.t) = (q, t);
}

/// An object at that place, and nothing else known of it.
fn at(pose: &Pose) -> Object {
    Object {
        q: pose.rotation.coords.cast().into(),
        t: pose.translation.vector.cast().into(),
        ..Object::default()
    }
}

fn check(object: usize, parts: &Parts<'_>, deformable: bool) -> Result<(), SceneError> {
    let (points, triangles) = (parts.points.len(), parts.triangles.len());
    let count = |what, count: usize, of: usize| {
        if count != of {
            return Err(SceneError::Count {
                object,
                what,
                count,
                of,
            });
        }
        Ok(())
    };
    let within = |what, index: u32, of: usize| {
        if index as usize >= of {
            return Err(SceneError::Index {
                object,
                what,
                index,
                of,
            });
        }
        Ok(())
    };
    count("normals", parts.normals.len(), points)?;
    count("neighbours", parts.neighbours.len(), triangles)?;
    for triangle in parts.triangles {
        for v in triangle.v {
            within("point", v, points)?;
        }
    }
    for neighbours in parts.neighbours {
        for across in neighbours.across {
            if across != NONE {
                within("triangle", across, triangles)?;
            }
        }
    }
    if deformable {
        count("nodes of a deformable", parts.nodes.len(), 0)?;
    }
    for (i, node) in parts.nodes.iter().enumerate() {
        // Forward, or the way through the tree has no end.
        if node.skip as usize <= i {
            within("node", node.skip, 0)?;
        }
        within("node", node.skip, parts.nodes.len() + 1)?;
        within(
            "triangle",
            (node.leaf >> 3) + (node.leaf & 7),
            triangles + 1,
        )?;
    }
    count(
        "clusters of points",
        parts.cluster_point_starts.len(),
        parts.cluster_starts.len(),
    )?;
    for (starts, list, of) in [
        (parts.cluster_starts, parts.members, triangles),
        (parts.cluster_point_starts, parts.cluster_points, points),
    ] {
        for pair in starts.windows(2) {
            within("member", pair[0], pair[1] as usize + 1)?;
        }
        let end = starts.last().map_or(0, |&end| end as usize);
        count("members", list.len(), end)?;
        for &member in list {
            within("member", member, of)?;
        }
    }
    Ok(())
}

/// A [`Packed`] on the GPU.
#[derive(Debug)]
pub struct GpuScene {
    objects: Store<Object>,
    points: Store<Point>,
    normals: Store<Normal>,
    triangles: Store<Triangle>,
    neighbours: Store<Neighbours>,
    nodes: Store<Node>,
    clusters: Store<Cluster>,
    members: Store<u32>,
    /// For ray queries, if the adapter is asked any.
    structures: Option<Structures>,
}

impl GpuScene {
    /// Without objects.
    ///
    /// # Errors
    /// If the device has failed, has no memory or does not accept a shader.
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        let none = wgpu::BufferUsages::empty();
        let structures = gpu.ray_queries().then(|| Structures::new(gpu));
        Ok(Self {
            structures: structures.transpose()?,
            objects: Store::new(gpu, "objects", none, 1)?,
            points: Store::new(gpu, "points", none, 1)?,
            normals: Store::new(gpu, "normals", none, 1)?,
            triangles: Store::new(gpu, "triangles", none, 1)?,
            neighbours: Store::new(gpu, "neighbours", none, 1)?,
            nodes: Store::new(gpu, "nodes", none, 1)?,
            clusters: Store::new(gpu, "clusters", none, 1)?,
            members: Store::new(gpu, "members", none, 1)?,
        })
    }

    /// Takes over all objects, in place of those before.
    ///
    /// # Errors
    /// If there is no room, or the device has failed; the scene is then undefined until it is set
    /// again.
    pub fn set(&mut self, gpu: &Gpu, packed: &Packed) -> Result<(), BufferError> {
        self.objects.write(gpu, &packed.objects)?;
        self.points.write(gpu, &packed.points)?;
        self.normals.write(gpu, &packed.normals)?;
        self.triangles.write(gpu, &packed.triangles)?;
        self.neighbours.write(gpu, &packed.neighbours)?;
        self.nodes.write(gpu, &packed.nodes)?;
        self.clusters.write(gpu, &packed.clusters)?;
        self.members.write(gpu, &packed.members)?;
        if let Some(structures) = &mut self.structures {
            structures.set(gpu, packed, &self.points)?;
        }
        Ok(())
    }

    /// Where the objects are now: all of them, as packed but for place.
    ///
    /// # Errors
    /// If there are more than were set, or the device has failed.
    pub fn place(&mut self, gpu: &Gpu, objects: &[Object]) -> Result<(), BufferError> {
        self.objects.overwrite(gpu, 0, objects)?;
        if let Some(structures) = &mut self.structures {
            structures.place(objects);
        }
        Ok(())
    }

    /// Where the objects are now, and behind them where they were a step ago.
    ///
    /// # Errors
    /// If there is no room, or the device has failed.
    pub(crate) fn place_all(
        &mut self,
        gpu: &Gpu,
        now: &[Object],
        before: &[Object],
    ) -> Result<(), BufferError> {
        self.objects.reserve(gpu, now.len() + before.len())?;
        self.place(gpu, now)?;
        self.objects.overwrite(gpu, now.len(), before)
    }

    /// Where a deformable's points are now, from packed number `first` on, and their normals.
    ///
    /// # Errors
    /// If there are more than were set, or the device has failed.
    pub fn deform(
        &mut self,
        gpu: &Gpu,
        first: usize,
        points: &[Point],
        normals: &[Normal],
    ) -> Result<(), BufferError> {
        self.points.overwrite(gpu, first, points)?;
        self.normals.overwrite(gpu, first, normals)
    }

    /// Records what has to be done before rays are traced; nothing if no ray queries are asked.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(structures) = &self.structures {
            structures.record(encoder);
        }
    }

    /// What the shaders call this.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Bound<'_>> {
        Some(match name {
            "objects" => self.objects.bound(),
            "points" => self.points.bound(),
            "normals" => self.normals.bound(),
            "triangles" => self.triangles.bound(),
            "neighbours" => self.neighbours.bound(),
            "nodes" => self.nodes.bound(),
            "clusters" => self.clusters.bound(),
            "members" => self.members.bound(),
            "structure" => self.structures.as_ref()?.bound(),
            _ => return None,
        })
    }
}
