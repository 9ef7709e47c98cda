//! All shapes of a scene packed one after the other, and the objects' poses: what the GPU is given.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::Pose;
use hapticd_rays::layout::{
    DEFORMABLE, NONE, Neighbours, Node, Normal, Object, Point, SHEET, Triangle,
};
use hapticd_rays::{Shape, Topology};
use thiserror::Error;

use crate::plan::ClusterPoints;

/// Location of a cluster's triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cluster {
    /// Index of the first triangle, in [`Packed::members`].
    pub first: u32,
    /// Number of triangles.
    pub count: u32,
}

/// Data of one shape, with local indices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// Points.
    pub points: &'a [Point],
    /// Normal of each point.
    pub normals: &'a [Normal],
    /// Corners of each triangle.
    pub triangles: &'a [Triangle],
    /// Neighbours of each triangle.
    pub neighbours: &'a [Neighbours],
    /// Nodes of the tree; empty for a deformable.
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

/// Defects of a scene. The caller is at fault, and nothing has been taken.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SceneError {
    /// Two related lists have different lengths.
    #[error("object {object}: {count} {what}, it has {of}")]
    Count {
        /// Number of the object.
        object: usize,
        /// Kind of element.
        what: &'static str,
        /// Number given.
        count: usize,
        /// Number required.
        of: usize,
    },
    /// An index is out of range.
    #[error("object {object}: {what} {index} of {of}")]
    Index {
        /// Number of the object.
        object: usize,
        /// Kind of element that the index refers to.
        what: &'static str,
        /// The index.
        index: u32,
        /// Number of elements.
        of: usize,
    },
    /// The scene has more elements than an index can count.
    #[error("object {object}: the scene has more than {most} {what}")]
    Full {
        /// Number of the object.
        object: usize,
        /// Kind of element.
        what: &'static str,
        /// Maximum number.
        most: usize,
    },
}

/// Packed shapes of all objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packed {
    /// Objects: the location of their data, and their poses.
    pub objects: Vec<Object>,
    /// Points of all objects.
    pub points: Vec<Point>,
    /// Normal of each point.
    pub normals: Vec<Normal>,
    /// Triangles of all objects.
    pub triangles: Vec<Triangle>,
    /// Neighbours of each triangle.
    pub neighbours: Vec<Neighbours>,
    /// Trees of all objects.
    pub nodes: Vec<Node>,
    /// Clusters of all objects.
    pub clusters: Vec<Cluster>,
    /// Triangles of the clusters, local to their objects.
    pub members: Vec<u32>,
    /// Points of the clusters.
    pub cluster_points: ClusterPoints,
    records: usize,
}

/// A triangle number shares a word with flags, and a tree's leaf shares one with a count.
const MAX_TRIANGLES: usize = 1 << 29;

impl Packed {
    /// Adds an object and returns its number. `body` supplies pose, radius, flags, thickness and
    /// walk limit; the locations of its data are filled in.
    ///
    /// # Errors
    /// The data is inconsistent or the scene is full. Every index is checked, so that no pass can
    /// leave its own object.
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
            // This object's start replaces the end entry of the last object.
            listed.starts.truncate(self.clusters.len() - clusters);
            let starts = parts.cluster_point_starts.iter();
            listed.starts.extend(starts.map(|start| base + start));
        }
        Ok(object as u32)
    }

    /// Adds an object of this shape and returns its number. `pose` is the pose of a rigid object.
    /// `None` means a deformable: its points are in the world, and start as those of the shape.
    ///
    /// # Errors
    /// The scene is full.
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

    /// Sets the pose of a rigid object; ignores an unknown number.
    pub fn set_pose(&mut self, object: u32, pose: &Pose) {
        if let Some(object) = self.objects.get_mut(object as usize) {
            set_place(object, pose);
        }
    }

    /// Triangles around each point: for each point the start of its triangles in the same list,
    /// then their end, then the triangles, with local indices.
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

    /// Number of records: two for every point.
    #[must_use]
    pub fn records(&self) -> usize {
        self.records
    }
}

pub(crate) fn set_place(object: &mut Object, pose: &Pose) {
    let Object { q, t, .. } = at(pose);
    (object.q, object.t) = (q, t);
}

/// An object with this pose; all else is default.
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
        // Skips must lead forwards, or the tree traversal would not end.
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
