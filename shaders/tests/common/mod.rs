//! Shared by the tests: the adapter, shapes prepared independently of the CPU twin, random numbers.
#![allow(dead_code)]

pub mod oracle;
pub mod waited;

use hapticd_geometry::{TriMesh, Vec3};
use hapticd_rays::layout::{DEFORMABLE, NONE, Neighbours, Node, Normal, Object, Point, Triangle};
use hapticd_shaders::{Answer, Choice, Gpu, Options, Packed, Parts, RayQueries, Tracer, Work};

/// Adapter kind that the environment names; software by default, so that a test means the same
/// everywhere. A missing adapter is a failure.
pub fn choice() -> Choice {
    Choice::from_env().unwrap().unwrap_or(Choice::Software)
}

/// Opens a device, with ray queries if the environment says so: the same tests cover both. A device
/// without them is then a failure.
pub fn gpu() -> Gpu {
    let ray_queries = RayQueries::from_env().unwrap();
    let gpu = Gpu::open(Options {
        ray_queries,
        ..choice().into()
    })
    .unwrap();
    assert!(gpu.ray_queries() || ray_queries != RayQueries::Demanded);
    gpu
}

/// A tracer with a scene.
pub fn tracer(packed: &Packed) -> Tracer {
    let mut tracer = Tracer::new(gpu()).unwrap();
    tracer.set_scene(packed).unwrap();
    tracer
}

/// Sends one step and waits for it.
pub fn step(tracer: &mut Tracer, work: &Work<'_>) -> Answer {
    let ticket = tracer.send(work).unwrap();
    let answer = tracer.wait().unwrap().unwrap();
    assert_eq!(answer.ticket, ticket);
    answer
}

/// Splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Within `-1..1`.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.vector();
            if (0.01..1.0).contains(&v.norm()) {
                return v.normalize();
            }
        }
    }

    /// A random unit quaternion.
    pub fn turn(&mut self) -> [f32; 4] {
        let axis = self.direction();
        let half = self.signed() * 1.5;
        let v = axis * half.sin();
        let q = [v.x, v.y, v.z, half.cos()];
        q.map(|x| x as f32)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }
}

/// Data of a shape, owned.
#[derive(Clone, Default)]
pub struct Shape {
    pub points: Vec<Point>,
    pub normals: Vec<Normal>,
    pub triangles: Vec<Triangle>,
    pub neighbours: Vec<Neighbours>,
    pub nodes: Vec<Node>,
    pub cluster_starts: Vec<u32>,
    pub members: Vec<u32>,
    pub cluster_point_starts: Vec<u32>,
    pub cluster_points: Vec<u32>,
}

impl Shape {
    /// Builds a tree by halving the longest side, and clusters by octant.
    pub fn new(mesh: &TriMesh) -> Self {
        let points: Vec<Point> = mesh
            .positions()
            .iter()
            .map(|p| Point {
                x: [p.x as f32, p.y as f32, p.z as f32],
                cluster: octant(p),
            })
            .collect();
        let mut order: Vec<usize> = (0..mesh.triangles().len()).collect();
        let mut nodes = Vec::new();
        let x = |t: usize, k: usize| mesh.triangles()[t].map(|v| points[v as usize].x[k]);
        grow(&x, &mut order, 0, &mut nodes);
        let triangles: Vec<Triangle> = order
            .iter()
            .map(|&t| {
                let v = mesh.triangles()[t];
                Triangle {
                    v,
                    cluster: points[v[0] as usize].cluster,
                }
            })
            .collect();
        let mut clusters = vec![Vec::new(); 8];
        for (t, triangle) in triangles.iter().enumerate() {
            let mut of = triangle.v.map(|v| points[v as usize].cluster).to_vec();
            of.sort_unstable();
            of.dedup();
            for c in of {
                clusters[c as usize].push(t as u32);
            }
        }
        let mut starts = vec![0];
        for list in &clusters {
            starts.push(starts[starts.len() - 1] + list.len() as u32);
        }
        let mut cluster_points = Vec::new();
        let mut cluster_point_starts = vec![0];
        for c in 0..8 {
            cluster_points
                .extend((0..points.len() as u32).filter(|&p| points[p as usize].cluster == c));
            cluster_point_starts.push(cluster_points.len() as u32);
        }
        let mut shape = Self {
            cluster_points,
            cluster_point_starts,
            normals: vec![Normal::default(); points.len()],
            neighbours: neighbours(&triangles),
            nodes,
            cluster_starts: starts,
            members: clusters.concat(),
            points,
            triangles,
        };
        shape.straighten();
        shape
    }

    /// Only points: rays start there, and nothing is hit.
    pub fn cloud(points: Vec<Point>, normals: Vec<Normal>) -> Self {
        Self {
            points,
            normals,
            ..Self::default()
        }
    }

    /// Sets area-weighted normals and infinite exits.
    pub fn straighten(&mut self) {
        let mut sums = vec![Vec3::zeros(); self.points.len()];
        for triangle in &self.triangles {
            let [a, b, c] = self.corners(triangle);
            let n = (b - a).cross(&(c - a));
            for v in triangle.v {
                sums[v as usize] += n;
            }
        }
        for (normal, sum) in self.normals.iter_mut().zip(&sums) {
            let n = sum.try_normalize(0.0).unwrap_or_default();
            normal.n = [n.x as f32, n.y as f32, n.z as f32];
            normal.exit = f32::INFINITY;
        }
    }

    /// Corners exactly as the passes have them.
    pub fn corners(&self, triangle: &Triangle) -> [Vec3; 3] {
        triangle.v.map(|v| self.point(v))
    }

    pub fn point(&self, v: u32) -> Vec3 {
        let x = self.points[v as usize].x;
        Vec3::new(x[0].into(), x[1].into(), x[2].into())
    }

    pub fn parts(&self) -> Parts<'_> {
        Parts {
            points: &self.points,
            normals: &self.normals,
            triangles: &self.triangles,
            neighbours: &self.neighbours,
            nodes: &self.nodes,
            cluster_starts: &self.cluster_starts,
            members: &self.members,
            cluster_point_starts: &self.cluster_point_starts,
            cluster_points: &self.cluster_points,
        }
    }

    pub fn add_to(&self, packed: &mut Packed, body: &Object) -> u32 {
        let mut parts = self.parts();
        if body.flags & DEFORMABLE != 0 {
            parts.nodes = &[];
        }
        packed.add(&parts, body).unwrap()
    }
}

/// At the origin, unrotated, with a walk limit for long walks.
pub fn body(flags: u32) -> Object {
    Object {
        q: [0.0, 0.0, 0.0, 1.0],
        flags,
        walk_limit: 64,
        ..Object::default()
    }
}

fn octant(p: &Vec3) -> u32 {
    u32::from(p.x > 0.0) | u32::from(p.y > 0.0) << 1 | u32::from(p.z > 0.0) << 2
}

fn grow(
    x: &impl Fn(usize, usize) -> [f32; 3],
    part: &mut [usize],
    first: usize,
    nodes: &mut Vec<Node>,
) {
    let mut low = [f32::INFINITY; 3];
    let mut high = [f32::NEG_INFINITY; 3];
    for &t in part.iter() {
        for k in 0..3 {
            for value in x(t, k) {
                low[k] = low[k].min(value);
                high[k] = high[k].max(value);
            }
        }
    }
    let here = nodes.len();
    nodes.push(Node {
        low,
        high,
        ..Node::default()
    });
    if part.len() <= 4 {
        nodes[here].leaf = (first as u32) << 3 | part.len() as u32;
    } else {
        let axis = (0..3)
            .max_by(|&a, &b| (high[a] - low[a]).total_cmp(&(high[b] - low[b])))
            .unwrap();
        let middle = |t: usize| x(t, axis).iter().sum::<f32>();
        part.sort_by(|&a, &b| middle(a).total_cmp(&middle(b)));
        let half = part.len() / 2;
        let (a, b) = part.split_at_mut(half);
        grow(x, a, first, nodes);
        grow(x, b, first + half, nodes);
    }
    nodes[here].skip = nodes.len() as u32;
}

fn neighbours(triangles: &[Triangle]) -> Vec<Neighbours> {
    let mut sides = std::collections::HashMap::new();
    // Edges 0, 1 and 2 of the walk are (0, 2), (0, 1) and (1, 2).
    let edges = |v: [u32; 3]| [[v[0], v[2]], [v[0], v[1]], [v[1], v[2]]];
    for (t, triangle) in triangles.iter().enumerate() {
        for mut edge in edges(triangle.v) {
            edge.sort_unstable();
            sides.entry(edge).or_insert_with(Vec::new).push(t as u32);
        }
    }
    triangles
        .iter()
        .enumerate()
        .map(|(t, triangle)| Neighbours {
            across: edges(triangle.v).map(|mut edge| {
                edge.sort_unstable();
                let other = sides[&edge].iter().find(|&&o| o != t as u32);
                other.copied().unwrap_or(NONE)
            }),
            pad: 0,
        })
        .collect()
}
