//! Triangle meshes for drawing: points with normals, and intersection with rays.
//!
//! Normals of rigid bodies are smooth across nearly flat edges and broken at all others, so that a
//! ball looks round and a box has edges. Normals of deformable bodies are smooth everywhere.
//! Triangles without area do not contribute to normals. The module is pure and allocates what it
//! returns.

use nalgebra::{Isometry3, Point3, Vector3};
use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

/// A vertex in the layout of the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Vertex {
    /// Position in the model's frame, m.
    pub position: [f32; 3],
    /// Outward unit normal.
    pub normal: [f32; 3],
}

/// Edges that bend by more than this are sharp: the cosine of 40 degrees.
const CREASE_COSINE: f32 = 0.766;

/// Vertices and triangles, with a number by which a renderer recognises the model.
#[derive(Clone, Debug)]
pub struct Model {
    id: u64,
    version: u64,
    mesh: u64,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    bounds: (Point3<f32>, Point3<f32>),
}

fn next_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Only uniqueness matters; no other memory depends on it.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn bounds(vertices: &[Vertex]) -> (Point3<f32>, Point3<f32>) {
    let mut points = vertices.iter().map(|v| Point3::from(v.position));
    let Some(first) = points.next() else {
        return (Point3::origin(), Point3::origin());
    };
    points.fold((first, first), |(low, high), p| (low.inf(&p), high.sup(&p)))
}

/// Returns twice the triangle's area times its unit normal.
fn area_vector(points: &[[f32; 3]], corners: [u32; 3]) -> Vector3<f32> {
    let [a, b, c] = corners.map(|corner| {
        points
            .get(corner as usize)
            .map_or(Vector3::zeros(), |p| Vector3::from(*p))
    });
    (b - a).cross(&(c - a))
}

/// For each corner of a body that keeps its shape: the triangles that contribute to its normal.
/// Computed once, for any motion.
#[derive(Clone, Debug, Default)]
pub struct Creases {
    triangles: Vec<[u32; 3]>,
    /// The triangles of all corners, one corner after the other.
    around: Vec<u32>,
    /// End of each corner's triangles in `around`.
    ends: Vec<usize>,
}

impl Creases {
    /// Computes the creases of a mesh in its current pose. Points in the same place count as one,
    /// so that a mesh of loose triangles is smooth as well.
    pub fn of(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let faces: Vec<Vector3<f32>> = triangles.iter().map(|t| area_vector(points, *t)).collect();
        let place = |corner: u32| {
            let point = points.get(corner as usize).copied().unwrap_or_default();
            point.map(|x| (x + 0.0).to_bits())
        };
        let mut met: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
        for (face, corners) in (0u32..).zip(triangles) {
            for corner in corners {
                met.entry(place(*corner)).or_default().push(face);
            }
        }
        let mut creases = Self {
            triangles: triangles.to_vec(),
            ..Self::default()
        };
        for (face, corners) in faces.iter().zip(triangles) {
            let own = unit(*face);
            for corner in corners {
                let others = met.get(&place(*corner)).into_iter().flatten();
                let smooth = others.filter(|other| {
                    let other = faces.get(**other as usize).copied().unwrap_or_default();
                    other.dot(&own) >= CREASE_COSINE * other.norm()
                });
                creases.around.extend(smooth);
                creases.ends.push(creases.around.len());
            }
        }
        creases
    }

    /// Returns three vertices for each triangle, with the current points.
    pub fn vertices(&self, points: &[[f32; 3]]) -> Vec<Vertex> {
        let faces = self.triangles.iter().map(|t| area_vector(points, *t));
        let faces: Vec<Vector3<f32>> = faces.collect();
        let corners = self.triangles.iter().flatten();
        let mut start = 0;
        let vertex = |(corner, end): (&u32, &usize)| {
            let around = self.around.get(start..*end).unwrap_or(&[]);
            start = *end;
            let normals = around.iter().filter_map(|face| faces.get(*face as usize));
            Vertex {
                position: points.get(*corner as usize).copied().unwrap_or_default(),
                normal: unit(normals.sum()).into(),
            }
        };
        corners.zip(&self.ends).map(vertex).collect()
    }
}

fn unit(vector: Vector3<f32>) -> Vector3<f32> {
    vector.try_normalize(0.0).unwrap_or_else(Vector3::z)
}

impl Model {
    fn of(vertices: Vec<Vertex>, indices: Vec<u32>) -> Self {
        Self {
            id: next_id(),
            version: 0,
            mesh: 0,
            bounds: bounds(&vertices),
            vertices,
            indices,
        }
    }

    /// Makes a model of a body that keeps its shape. Corners that are not points count as the
    /// origin.
    pub fn creased(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let vertices = Creases::of(points, triangles).vertices(points);
        let indices = (0..vertices.len() as u32).collect();
        Self::of(vertices, indices)
    }

    /// Moves the points of the same triangles, with these creases.
    pub fn crease(&mut self, creases: &Creases, points: &[[f32; 3]]) {
        let vertices = creases.vertices(points);
        // With creases each corner is a separate vertex, which it was not before the first call.
        if vertices.len() != self.vertices.len() {
            self.indices = (0..vertices.len() as u32).collect();
            self.mesh += 1;
        }
        self.place(vertices.into_iter());
    }

    /// Makes a model of a surface that bends: one normal per point.
    pub fn smooth(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let mut model = Self::of(Vec::new(), triangles.iter().flatten().copied().collect());
        model.bend(points, triangles);
        model
    }

    /// Moves the points of the same surface.
    pub fn bend(&mut self, points: &[[f32; 3]], triangles: &[[u32; 3]]) {
        let mut normals = vec![Vector3::zeros(); points.len()];
        for corners in triangles {
            let area = area_vector(points, *corners);
            for corner in corners {
                if let Some(normal) = normals.get_mut(*corner as usize) {
                    *normal += area;
                }
            }
        }
        self.bend_with(
            points,
            normals.into_iter().map(|normal| unit(normal).into()),
        );
    }

    /// Replaces the mesh by another one with known normals: the next frame of a skin.
    pub fn replace(&mut self, points: &[[f32; 3]], normals: &[[f32; 3]], triangles: &[[u32; 3]]) {
        self.indices.clear();
        self.indices.extend(triangles.iter().flatten());
        self.mesh += 1;
        self.bend_with(points, normals.iter().copied());
    }

    fn bend_with(&mut self, points: &[[f32; 3]], normals: impl Iterator<Item = [f32; 3]>) {
        let vertices = points.iter().zip(normals);
        self.place(vertices.map(|(&position, normal)| Vertex { position, normal }));
    }

    fn place(&mut self, vertices: impl Iterator<Item = Vertex>) {
        self.vertices.clear();
        self.vertices.extend(vertices);
        self.bounds = bounds(&self.vertices);
        self.version += 1;
    }

    /// Makes a ball of radius 1 about the origin.
    pub fn ball() -> Self {
        let (rings, sectors) = (24u32, 36u32);
        let mut points = Vec::new();
        for ring in 0..=rings {
            let polar = std::f32::consts::PI * ring as f32 / rings as f32;
            for sector in 0..sectors {
                let turn = std::f32::consts::TAU * sector as f32 / sectors as f32;
                let radius = polar.sin();
                points.push([radius * turn.cos(), radius * turn.sin(), polar.cos()]);
            }
        }
        Self::smooth(&points, &stacked(rings, sectors))
    }

    /// Makes a cylinder of radius 1 and length 1 from the origin along z.
    pub fn shaft() -> Self {
        surface_of_revolution(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    }

    /// Makes a cone with a base of radius 1 at the origin and its tip at 1 along z.
    pub fn cone() -> Self {
        surface_of_revolution(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    }

    /// Returns the model's number: constant for all versions, unique among models.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns how often its vertices changed, whether or not its triangles changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns how often its triangles changed.
    pub fn mesh(&self) -> u64 {
        self.mesh
    }

    /// Returns its vertices.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// Returns three indices for each triangle.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Returns the lowest and the highest corner of its bounding box, in its own frame, m.
    pub fn bounds(&self) -> (Point3<f32>, Point3<f32>) {
        self.bounds
    }

    /// Returns the distance from `from` along the unit vector `along` at which a ray meets the
    /// model in this pose, m.
    pub fn ray_distance_m(
        &self,
        world_from_model: &Isometry3<f32>,
        from: &Point3<f32>,
        along: &Vector3<f32>,
    ) -> Option<f32> {
        let from = world_from_model.inverse_transform_point(from);
        let along = world_from_model.inverse_transform_vector(along);
        let corner = |index: u32| {
            let vertex = self.vertices.get(index as usize)?;
            Some(Point3::from(vertex.position))
        };
        let meets = self
            .indices
            .as_chunks::<3>()
            .0
            .iter()
            .filter_map(|corners| {
                let [a, b, c] = [
                    corner(corners[0])?,
                    corner(corners[1])?,
                    corner(corners[2])?,
                ];
                intersect_triangle(&from, &along, [a, b, c])
            });
        meets.reduce(f32::min)
    }
}

/// Tests a ray against a triangle from both sides (Möller and Trumbore, J. Graphics Tools 2(1),
/// 1997).
fn intersect_triangle(
    from: &Point3<f32>,
    along: &Vector3<f32>,
    [a, b, c]: [Point3<f32>; 3],
) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let p = along.cross(&ac);
    let determinant = ab.dot(&p);
    if determinant == 0.0 {
        return None;
    }
    let s = from - a;
    let u = s.dot(&p) / determinant;
    let q = s.cross(&ab);
    let v = along.dot(&q) / determinant;
    let far = ac.dot(&q) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && far > 0.0).then_some(far)
}

/// Returns the triangles between rings of points.
fn stacked(rings: u32, sectors: u32) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for sector in 0..sectors {
            let next = (sector + 1) % sectors;
            let (a, b) = (ring * sectors + sector, ring * sectors + next);
            let (c, d) = (a + sectors, b + sectors);
            triangles.push([a, c, d]);
            triangles.push([a, d, b]);
        }
    }
    triangles
}

/// Makes a surface of revolution about z from a profile of radius and height.
fn surface_of_revolution(profile: &[[f32; 2]]) -> Model {
    let sectors = 24;
    let mut points = Vec::new();
    // From the top down, as `stacked` requires.
    for [radius, height] in profile.iter().rev() {
        for sector in 0..sectors {
            let turn = std::f32::consts::TAU * sector as f32 / sectors as f32;
            points.push([radius * turn.cos(), radius * turn.sin(), *height]);
        }
    }
    Model::creased(&points, &stacked(profile.len() as u32 - 1, sectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns points and triangles of a cube with edges of 2 about the origin.
    fn cube_mesh() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let corner = |k: u8| [0, 1, 2].map(|axis| f32::from(k >> axis & 1) * 2.0 - 1.0);
        let triangles = vec![
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        ((0..8).map(corner).collect(), triangles)
    }

    fn cube() -> Model {
        let (points, triangles) = cube_mesh();
        Model::creased(&points, &triangles)
    }

    fn volume(model: &Model) -> f32 {
        let point = |i: &u32| Vector3::from(model.vertices()[*i as usize].position);
        let corners = model.indices().as_chunks::<3>().0.iter();
        let sixths = corners.map(|[a, b, c]| point(a).dot(&point(b).cross(&point(c))));
        sixths.sum::<f32>() / 6.0
    }

    #[test]
    fn a_cube_keeps_its_edges_and_a_ball_is_round() {
        for vertex in cube().vertices() {
            let normal = Vector3::from(vertex.normal);
            assert_eq!(normal.amax(), 1.0, "{vertex:?}");
            assert_eq!(normal.dot(&Vector3::from(vertex.position)), 1.0);
        }
        for vertex in Model::ball().vertices() {
            let cosine = Vector3::from(vertex.normal).dot(&Vector3::from(vertex.position));
            assert!(cosine > 0.99, "{vertex:?}");
        }
    }

    #[test]
    fn all_are_outward() {
        assert!((volume(&cube()) - 8.0).abs() < 1e-5);
        let pi = std::f32::consts::PI;
        for (model, volume_m3) in [
            (Model::ball(), 4.0 / 3.0 * pi),
            (Model::shaft(), pi),
            (Model::cone(), pi / 3.0),
        ] {
            let share = volume(&model) / volume_m3;
            assert!((0.97..1.0).contains(&share), "{share}");
        }
    }

    #[test]
    fn triangles_without_area_or_points_do_no_harm() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0]];
        for triangles in [&[[0, 0, 1]][..], &[[0, 1, 99]], &[]] {
            for model in [
                Model::creased(&points, triangles),
                Model::smooth(&points, triangles),
            ] {
                let finite = |v: &Vertex| v.normal.iter().all(|x| x.is_finite());
                assert!(model.vertices().iter().all(finite));
            }
        }
    }

    #[test]
    fn a_bent_surface_is_the_same_model_with_another_version_and_box() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mut model = Model::smooth(&points, &[[0, 1, 2]]);
        let (id, version) = (model.id(), model.version());
        assert_eq!(model.vertices()[1].normal, [0.0, 0.0, 1.0]);
        model.bend(&points.map(|[x, y, z]| [z, x, y]), &[[0, 1, 2]]);
        assert_eq!((model.id(), model.version()), (id, version + 1));
        assert_eq!(model.vertices()[1].normal, [1.0, 0.0, 0.0]);
        assert_eq!(model.bounds().1, Point3::new(0.0, 1.0, 1.0));
        assert_ne!(cube().id(), id);
        model.replace(&points[..2], &[[1.0, 0.0, 0.0]; 2], &[[1, 0, 1]]);
        assert_eq!((model.id(), model.version()), (id, version + 2));
        assert_eq!(
            (model.vertices().len(), model.indices()),
            (2, &[1, 0, 1][..])
        );
        assert_eq!(model.mesh(), 1);
    }

    #[test]
    fn a_body_that_keeps_its_shape_keeps_its_creases_where_it_goes() {
        let (points, triangles) = cube_mesh();
        let creases = Creases::of(&points, &triangles);
        let mut model = Model::smooth(&[], &[]);
        for version in 1..4u8 {
            // A quarter turn about z, and a shift: exact in these numbers.
            let away = 2.0 + f32::from(version);
            let moved: Vec<[f32; 3]> = points.iter().map(|[x, y, z]| [away - y, *x, *z]).collect();
            model.crease(&creases, &moved);
            let again = Model::creased(&moved, &triangles);
            assert_eq!(model.vertices(), again.vertices());
            let broken = |vertex: &Vertex| Vector3::from(vertex.normal).amax() == 1.0;
            assert!(model.vertices().iter().all(broken));
            assert_eq!((model.version(), model.mesh()), (u64::from(version) + 1, 1));
        }
        let corners = model.vertices().len() as u32;
        assert!(model.indices().iter().copied().eq(0..corners));
    }

    #[test]
    fn a_ray_meets_the_near_side_of_a_turned_cube_or_nothing() {
        let pose = Isometry3::new(
            Vector3::new(5.0, 0.0, 0.0),
            Vector3::z() * std::f32::consts::FRAC_PI_4,
        );
        let from = Point3::new(0.0, 0.1, 0.2);
        let met = cube().ray_distance_m(&pose, &from, &Vector3::x()).unwrap();
        // The edge of the turned cube is at sqrt(2) from its centre; a tenth to the side, the face
        // is a tenth further.
        assert!((met - (5.0 - 2.0_f32.sqrt() + 0.1)).abs() < 1e-5, "{met}");
        assert_eq!(cube().ray_distance_m(&pose, &from, &-Vector3::x()), None);
        assert_eq!(
            cube().ray_distance_m(&pose, &Point3::new(0.0, 0.0, 1.1), &Vector3::x()),
            None
        );
    }
}
