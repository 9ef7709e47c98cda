//! A mesh preprocessed for rays: neighbours, normals, exit distances, tree, clusters.
//!
//! Built once, off-line, in `f64`; stored in the `f32` of the passes. A volume must be closed,
//! consistently oriented and outward. A sheet must have at most two triangles on an edge. Other
//! meshes are refused with numbers.

use std::sync::OnceLock;

use hapticd_geometry::{Adjacency, MeshReport, NO_FACE, TriMesh, Vec3};

use crate::V3;
use crate::clusters::{self, Clusters};
use crate::layout::NONE;
use crate::line::Line;
use crate::lists::Lists;
use crate::neighbours::NeighbourTable;
use crate::trace::{Range, Target, trace_tree};
use crate::tree::{self, Tree};

/// Whether a surface bounds a solid or is a sheet (Lehericey 2016, chapter 3, section 4.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Topology {
    /// A solid.
    Volume,
    /// The middle layer of a thin material.
    Sheet {
        /// Half thickness, m: the material reaches this far on both sides.
        half_thickness_m: f64,
    },
}

/// Why a mesh was refused. The mesh or its description is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The surface of a volume has holes.
    #[error(
        "not the surface of a volume: {boundary} edges have one triangle, {non_manifold} have more than two"
    )]
    Open {
        /// Edges with one triangle.
        boundary: usize,
        /// Edges with more than two.
        non_manifold: usize,
    },
    /// The triangles of a volume do not all face outward.
    #[error(
        "not oriented outward: {misoriented} edges between triangles that disagree, volume {volume_m3} m³"
    )]
    Orientation {
        /// Edges whose triangles disagree.
        misoriented: usize,
        /// Volume by the divergence theorem.
        volume_m3: f64,
    },
    /// A sheet branches.
    #[error(
        "a sheet that branches: {non_manifold} edges have more than two triangles, {misoriented} have two that disagree on its upper side"
    )]
    Branches {
        /// Edges with more than two triangles.
        non_manifold: usize,
        /// Edges whose triangles disagree.
        misoriented: usize,
    },
    /// The sheet is too thick, or has no thickness.
    #[error(
        "half a thickness of {half_thickness_m} m is not between 0 and half of the mean edge of {mean_edge_m} m"
    )]
    Thickness {
        /// The given half thickness.
        half_thickness_m: f64,
        /// Mean edge of the mesh.
        mean_edge_m: f64,
    },
    /// `f32` cannot resolve the coordinates: the mesh is too far from its origin, or degenerate.
    #[error("triangle {triangle} has no area in single precision")]
    Degenerate {
        /// Index of the triangle.
        triangle: usize,
    },
}

/// A preprocessed mesh. See the module documentation. Immutable; share it in an `Arc`.
#[derive(Clone, Debug)]
pub struct Shape {
    pub(crate) topology: Topology,
    pub(crate) points: Vec<V3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) neighbours: NeighbourTable,
    pub(crate) normals: Vec<V3>,
    pub(crate) exits: Vec<f32>,
    pub(crate) tree: Tree,
    pub(crate) clusters: Clusters,
    /// Triangles at each point. Needed, like the next field, only for a shape that deforms, so
    /// built on first use.
    around: OnceLock<Lists>,
    /// Triangles of each cluster.
    cluster_triangles: OnceLock<Lists>,
    pub(crate) radius: f32,
    pub(crate) mean_edge: f32,
}

/// Default mean number of points per cluster: the number of invocations in one workgroup of a
/// shader.
pub const POINTS_PER_CLUSTER: usize = 64;

impl Shape {
    /// Preprocesses a mesh. `points_per_cluster` is the mean size of its clusters; 0 means one
    /// cluster.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub fn new(
        mesh: &TriMesh,
        topology: Topology,
        points_per_cluster: usize,
    ) -> Result<Shape, ShapeError> {
        let adjacency = Adjacency::new(mesh);
        let report = MeshReport::of(mesh, &adjacency);
        let mean_edge = mean_edge(mesh, &adjacency);
        check(&report, topology, mean_edge)?;
        let (tree, order) = tree::build(mesh);
        let mut place = vec![0_u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old as usize] = new as u32;
        }
        let clusters = clusters::cluster(mesh, &adjacency, points_per_cluster);
        let in_order = order.iter().map(|&old| mesh.triangles()[old as usize]);
        let triangles: Vec<[u32; 3]> = in_order.collect();
        let across = order.iter().map(|&old| neighbours(&adjacency, old, &place));
        let points: Vec<V3> = (mesh.positions().iter())
            .map(|p| p.map(|x| x as f32))
            .collect();
        for (t, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| points[v as usize]);
            if !((b - a).cross(&(c - a)).norm_squared() > 0.0) {
                return Err(ShapeError::Degenerate {
                    triangle: order[t] as usize,
                });
            }
        }
        let mut shape = Shape {
            topology,
            radius: round_up(mesh.positions().iter().map(Vec3::norm).fold(0.0, f64::max)),
            mean_edge: mean_edge as f32,
            around: OnceLock::new(),
            cluster_triangles: OnceLock::new(),
            clusters,
            normals: vec![V3::zeros(); points.len()],
            exits: vec![f32::INFINITY; points.len()],
            points,
            triangles,
            neighbours: NeighbourTable::new(across),
            tree,
        };
        let around = shape.triangles_at_points();
        let mut normals = std::mem::take(&mut shape.normals);
        shape.normals_around(&around, &shape.points, &mut normals);
        shape.normals = normals;
        if topology == Topology::Volume {
            for p in 0..shape.points.len() {
                shape.exits[p] = shape.exit(p).0;
            }
        }
        Ok(shape)
    }

    /// Creates a shape without points.
    pub(crate) fn nothing() -> Shape {
        Shape {
            topology: Topology::Volume,
            points: Vec::new(),
            triangles: Vec::new(),
            neighbours: NeighbourTable::default(),
            normals: Vec::new(),
            exits: Vec::new(),
            tree: Tree::default(),
            around: OnceLock::new(),
            cluster_triangles: OnceLock::new(),
            clusters: Clusters::default(),
            radius: 0.0,
            mean_edge: 1.0,
        }
    }

    /// Points, m, in the frame of the mesh.
    #[must_use]
    pub fn points(&self) -> &[V3] {
        &self.points
    }

    /// Corners of the triangles, in the order of the tree.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Neighbours across the edges of each triangle.
    #[must_use]
    pub fn neighbours(&self) -> &NeighbourTable {
        &self.neighbours
    }

    /// Outward unit normals of the points, weighted by angle; zero for a point of no triangle.
    #[must_use]
    pub fn normals(&self) -> &[V3] {
        &self.normals
    }

    /// Length of each point's inner ray up to its exit from the volume (Lehericey 2016, chapter 1,
    /// section 2.2.4 B, which does not say how it is computed); infinite on sheets.
    #[must_use]
    pub fn exits(&self) -> &[f32] {
        &self.exits
    }

    /// Tree over the triangles.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Clusters of the points.
    #[must_use]
    pub fn clusters(&self) -> &Clusters {
        &self.clusters
    }

    /// Cluster of a triangle: that of its first corner.
    ///
    /// # Panics
    /// If the triangle does not exist.
    #[inline]
    #[must_use]
    pub fn cluster_of(&self, triangle: u32) -> u32 {
        let [first, ..] = self.triangles[triangle as usize];
        self.clusters.of_point[first as usize]
    }

    /// Mean length of an edge, m.
    #[must_use]
    pub fn mean_edge_m(&self) -> f32 {
        self.mean_edge
    }

    /// Whether it is a volume or a sheet.
    #[must_use]
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// Target for tracing: the shape with its points at the given positions.
    pub(crate) fn target<'a>(&'a self, points: &'a [V3], deformed: bool) -> Target<'a> {
        Target {
            points,
            triangles: &self.triangles,
            neighbours: &self.neighbours,
            tree: (!deformed).then_some(&self.tree),
        }
    }

    /// Triangle of its own surface where the inner ray of each point leaves it, or [`NONE`]; for a
    /// shape that will deform. Takes as long as building the shape.
    pub(crate) fn exit_triangles(&self) -> Vec<u32> {
        let of = |p| match self.topology {
            Topology::Volume => self.exit(p).1,
            Topology::Sheet { .. } => NONE,
        };
        (0..self.points.len()).map(of).collect()
    }

    /// Triangles at each point. Built, which allocates, on first use.
    pub(crate) fn around(&self) -> &Lists {
        self.around.get_or_init(|| self.triangles_at_points())
    }

    fn triangles_at_points(&self) -> Lists {
        let all = (0..).zip(&self.triangles);
        let entries = all.flat_map(|(t, corners)| corners.map(|v| (v, t)));
        Lists::new(self.points.len(), entries)
    }

    /// Triangles of each cluster. Built, which allocates, on first use.
    pub(crate) fn cluster_triangles(&self) -> &Lists {
        let made = || self.clusters.triangles(&self.triangles);
        self.cluster_triangles.get_or_init(made)
    }

    /// Computes the unit normals of the points at the given positions, weighted by the angles of
    /// their triangles. Both slices have one entry per point. Allocates the first time, unless an
    /// object of this shape was added to a scene as a deformable.
    pub fn normals_at(&self, points: &[V3], normals: &mut [V3]) {
        self.normals_around(self.around(), points, normals);
    }

    fn normals_around(&self, around: &Lists, points: &[V3], normals: &mut [V3]) {
        for (p, normal) in normals.iter_mut().enumerate() {
            let mut sum = V3::zeros();
            for &t in around.of(p) {
                let v = self.triangles[t as usize];
                let k = v.iter().position(|&v| v as usize == p).unwrap_or(0);
                let [o, a, b] = [0, 1, 2].map(|i| points[v[(k + i) % 3] as usize]);
                let (a, b) = (a - o, b - o);
                let n = a.cross(&b);
                let (sine, cosine) = (n.norm(), a.dot(&b));
                if sine > 0.0 {
                    sum += n * (sine.atan2(cosine) / sine);
                }
            }
            *normal = sum.try_normalize(0.0).unwrap_or_default();
        }
    }

    /// Length of a point's inner ray up to its exit from the volume, and the triangle there. 0 if
    /// the ray is never inside: such a point meets nothing.
    fn exit(&self, p: usize) -> (f32, u32) {
        let line = Line {
            o: self.points[p],
            d: -self.normals[p],
        };
        if line.d == V3::zeros() {
            return (0.0, NONE);
        }
        let range = Range {
            behind: 0.0,
            ahead: f32::INFINITY,
        };
        let target = self.target(&self.points, false);
        match trace_tree(&line, &target, &range, Some(p as u32)).ahead {
            Some(hit) if hit.at.outward => (hit.at.t, hit.triangle),
            _ => (0.0, NONE),
        }
    }
}

fn check(report: &MeshReport, topology: Topology, mean_edge_m: f64) -> Result<(), ShapeError> {
    match topology {
        Topology::Volume if !report.closed => Err(ShapeError::Open {
            boundary: report.boundary_edges,
            non_manifold: report.non_manifold_edges,
        }),
        Topology::Volume if !report.oriented => Err(ShapeError::Orientation {
            misoriented: report.misoriented_edges,
            volume_m3: report.signed_volume_m3,
        }),
        Topology::Sheet { .. } if report.non_manifold_edges + report.misoriented_edges > 0 => {
            Err(ShapeError::Branches {
                non_manifold: report.non_manifold_edges,
                misoriented: report.misoriented_edges,
            })
        }
        // With a thicker material, the points of one flat sheet would touch its own triangles.
        Topology::Sheet { half_thickness_m }
            if !(half_thickness_m > 0.0 && 2.0 * half_thickness_m < mean_edge_m) =>
        {
            Err(ShapeError::Thickness {
                half_thickness_m,
                mean_edge_m,
            })
        }
        _ => Ok(()),
    }
}

fn mean_edge(mesh: &TriMesh, adjacency: &Adjacency) -> f64 {
    let at = |v: u32| mesh.positions()[v as usize];
    let lengths = (adjacency.edges.iter()).map(|e| (at(e.vertices[0]) - at(e.vertices[1])).norm());
    lengths.sum::<f64>() / adjacency.edges.len() as f64
}

/// Neighbours in the walk's order: sides 01, 12, 20 of the adjacency are edges 1, 2, 0 of the walk.
fn neighbours(adjacency: &Adjacency, old: u32, place: &[u32]) -> [u32; 3] {
    [2, 0, 1].map(|side| {
        let edge = adjacency.edges[adjacency.triangle_edges[old as usize][side] as usize];
        let other = edge.faces.into_iter().find(|&f| f != old);
        match other {
            Some(face) if face != NO_FACE => place[face as usize],
            _ => NONE,
        }
    })
}

fn round_up(x: f64) -> f32 {
    let y = x as f32;
    if f64::from(y) < x { y.next_up() } else { y }
}
