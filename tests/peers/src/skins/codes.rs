//! The polygonizers of the chain: ours, splatting with Flying Edges, splatting with splashsurf's
//! Marching Cubes, and fidget.
//!
//! fidget is used as a mesher of a sum of 64 compact kernels, a use that its author does not
//! advertise. Its octree of the domain ends at cubes of the same size and merges flat ones. Its
//! time includes rebuilding the shape, since the primitives move; it computes no normals.
//! splashsurf's Marching Cubes on a given field is its older method without subdomains; its current
//! method is in [`particles`](super::particles).

use std::error::Error;
use std::rc::Rc;

use fidget::jit::JitShape;
use fidget::mesh::{Octree, Settings as FidgetSettings};
use hapticd_geometry::Vec3;
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skeleton, Skin};
use splashsurf_lib::marching_cubes::triangulate_density_map;
use splashsurf_lib::mesh::TriMesh3d;
use splashsurf_lib::{DensityMap, UniformGrid, nalgebra as theirs};

use super::scene::{LEVEL, centres, chain, face, splat, tree};
use super::{Case, Code, timed, vtk};

/// Returns the case with all codes at this resolution.
///
/// # Errors
/// If one cannot be set up.
pub fn case(cells: u32, radius_m: f64, vtk: &Rc<vtk::Process>) -> Result<Case, Box<dyn Error>> {
    let splatting = || Splatting {
        cells,
        radius_m,
        primitives: chain(radius_m),
        nodes: Vec::new(),
    };
    Ok(Case {
        what: format!("chain of 64, radius {radius_m}, {cells}³"),
        codes: vec![
            Box::new(Ours::new(
                chain(radius_m),
                Domain::new(Vec3::repeat(-1.0), 2.0 / f64::from(cells), [cells; 3])?,
                LEVEL,
            )),
            Box::new(FlyingEdges {
                splatting: splatting(),
                process: Rc::clone(vtk),
            }),
            Box::new(MarchingCubes {
                splatting: splatting(),
                mesh: TriMesh3d::default(),
            }),
            Box::new(Fidget {
                centres: centres(),
                radius_m,
                // Cubes are 2^depth along an edge.
                depth: cells.ilog2() as u8,
                by_m: 1e-6,
                mesh: fidget::mesh::Mesh::default(),
            }),
        ],
    })
}

/// `hapticd-skin`: field, mesh and normals.
pub struct Ours {
    skin: Skin,
    settings: Settings,
    primitives: Vec<Primitive>,
    by_m: f64,
    mesh: Mesh,
}

impl Ours {
    /// Makes a polygonizer of these primitives.
    pub fn new(primitives: Vec<Primitive>, domain: Domain, level: f64) -> Self {
        Self {
            skin: Skin::default(),
            settings: Settings {
                domain,
                level,
                ambiguity: Ambiguity::default(),
            },
            primitives,
            by_m: 1e-6,
            mesh: Mesh::default(),
        }
    }
}

impl Code for Ours {
    fn name(&self) -> &'static str {
        "hapticd-skin, with normals"
    }

    fn frame(&mut self) -> Result<f64, Box<dyn Error>> {
        // What did not move would be reused.
        self.by_m = -self.by_m;
        for primitive in &mut self.primitives {
            if let Skeleton::Point(at) = &mut primitive.skeleton {
                at.x += self.by_m;
            }
        }
        let (seconds, done) = timed(|| {
            self.skin
                .polygonize(&self.settings, &self.primitives, &mut self.mesh)
                .map(drop)
        });
        done?;
        Ok(seconds)
    }

    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>> {
        let mut mesh = self.mesh.clone();
        face(&mut mesh, &self.primitives);
        Ok(mesh)
    }
}

/// Samples the field at all nodes of the grid: the first of two stages.
struct Splatting {
    cells: u32,
    radius_m: f64,
    primitives: Vec<Primitive>,
    nodes: Vec<f32>,
}

impl Splatting {
    fn frame(&mut self, x_first: bool) -> f64 {
        let (cells, radius_m) = (self.cells, self.radius_m);
        timed(|| splat(&self.primitives, cells, radius_m, x_first, &mut self.nodes)).0
    }
}

struct FlyingEdges {
    splatting: Splatting,
    process: Rc<vtk::Process>,
}

impl Code for FlyingEdges {
    fn name(&self) -> &'static str {
        "splatting + VTK Flying Edges, with normals"
    }

    fn frame(&mut self) -> Result<f64, Box<dyn Error>> {
        let field = self.splatting.frame(true);
        let edges = self
            .process
            .contour(self.splatting.cells, self.splatting.radius_m)?;
        Ok(field + edges)
    }

    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>> {
        let mut mesh = self
            .process
            .mesh(self.splatting.cells, self.splatting.radius_m)?;
        face(&mut mesh, &self.splatting.primitives);
        Ok(mesh)
    }
}

struct MarchingCubes {
    splatting: Splatting,
    mesh: TriMesh3d<f32>,
}

impl Code for MarchingCubes {
    fn name(&self) -> &'static str {
        "splatting + splashsurf Marching Cubes, with normals of triangles"
    }

    fn frame(&mut self) -> Result<f64, Box<dyn Error>> {
        // Its index runs fastest along z.
        let field = self.splatting.frame(false);
        let cells = i64::from(self.splatting.cells);
        let low = theirs::Vector3::repeat(-1.0_f32);
        let (cubes, mesh) = timed(|| -> Result<_, Box<dyn Error>> {
            let grid = UniformGrid::<i64, f32>::new(&low, &[cells; 3], 2.0 / cells as f32)?;
            let map = DensityMap::from(&self.splatting.nodes[..]);
            let mesh = triangulate_density_map(&grid, &map, LEVEL as f32)?;
            std::hint::black_box(mesh.vertex_normals());
            Ok(mesh)
        });
        self.mesh = mesh?;
        Ok(field + cubes)
    }

    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>> {
        let mut mesh = ours(&self.mesh);
        face(&mut mesh, &self.splatting.primitives);
        Ok(mesh)
    }
}

/// Converts a mesh to our type, without normals.
pub fn ours(mesh: &TriMesh3d<f32>) -> Mesh {
    let triangles = mesh.triangles.iter().map(|t| t.map(|i| i as u32));
    Mesh {
        points: mesh.vertices.iter().map(|p| [p.x, p.y, p.z]).collect(),
        normals: Vec::new(),
        triangles: triangles.collect(),
    }
}

struct Fidget {
    centres: Vec<Vec3>,
    radius_m: f64,
    depth: u8,
    by_m: f64,
    mesh: fidget::mesh::Mesh,
}

impl Code for Fidget {
    fn name(&self) -> &'static str {
        "fidget JIT, octree and dual contouring, without normals"
    }

    fn frame(&mut self) -> Result<f64, Box<dyn Error>> {
        self.by_m = -self.by_m;
        for centre in &mut self.centres {
            centre.x += self.by_m;
        }
        let (seconds, mesh) = timed(|| -> Result<_, Box<dyn Error>> {
            let shape = JitShape::from(tree(&self.centres, self.radius_m)).try_into()?;
            let settings = FidgetSettings {
                depth: self.depth,
                threads: None,
                ..FidgetSettings::default()
            };
            let octree = Octree::build(&shape, &settings).ok_or("fidget was cancelled")?;
            Ok(octree.walk_dual())
        });
        self.mesh = mesh?;
        Ok(seconds)
    }

    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>> {
        let triangles = self.mesh.triangles.iter();
        let mut mesh = Mesh {
            points: self.mesh.vertices.iter().map(|p| [p.x, p.y, p.z]).collect(),
            normals: Vec::new(),
            triangles: triangles
                .map(|t| [t.x, t.y, t.z].map(|i| i as u32))
                .collect(),
        };
        face(&mut mesh, &chain(self.radius_m));
        Ok(mesh)
    }
}
