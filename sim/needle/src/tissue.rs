//! A box of tissue: layers from the top down, and structures in them, listed by cell of a mesh of
//! space.
//!
//! # Theory
//!
//! Space is a 3-map of cubes over the box (Pitiot 2015, section 3.1), a little larger than it. Each
//! cell lists the triangles of all structures that come nearer to it than [`Tissue::reach_m`].
//! Whatever a ball of that radius meets on its path is in the lists of the cells that its centre
//! passes through, and the exact march gives those cells (`Map::march`). So continuous detection
//! starts from a few lists instead of all triangles.
//!
//! Built once, read-only afterwards; allocates when it is built. Tissue frame: origin at the centre
//! of the box, z up; m.

use hapticd_geometry::{Adjacency, MeshReport, Pose, TriMesh, Vec3};
use hapticd_registration::map::{GridError, Map};

/// Properties of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// Thickness from its upper side to its lower, m. The lowest layer extends to the bottom of the
    /// box, and its value may be larger.
    pub thickness_m: f64,
    /// Stiffness under the tip until the layer is pierced or cut, N/m.
    pub stiffness_n_per_m: f64,
    /// Force at which its surface is pierced, N.
    pub puncture_force_n: f64,
    /// Cutting force at the tip, N.
    pub cutting_force_n: f64,
    /// Friction per metre of shaft in it, N/m.
    pub friction_n_per_m: f64,
    /// Lateral stiffness that each metre of shaft in it adds, N/m per m.
    pub lateral_n_per_m2: f64,
}

impl Layer {
    /// The defaults of a `[[layer]]`, as thick as any tissue.
    pub const DEFAULT: Self = Layer {
        thickness_m: 1.0,
        stiffness_n_per_m: 400.0,
        puncture_force_n: 0.8,
        cutting_force_n: 0.2,
        friction_n_per_m: 15.0,
        lateral_n_per_m2: 20_000.0,
    };
}

/// Something in the tissue that the tip meets.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Identity in reports.
    pub id: u32,
    /// Surface in the tissue's frame, inside the box, m. Bone is closed.
    pub mesh: TriMesh,
    /// Force at which it is pierced, N; `None` for bone, which never is.
    pub puncture_force_n: Option<f64>,
}

/// Specification of a tissue.
#[derive(Clone, Debug)]
pub struct TissueSpec {
    /// Pose of the centre of the box in the world.
    pub world_from_tissue: Pose,
    /// Half of the box's edges, m.
    pub half_m: Vec3,
    /// Layers from the top down.
    pub layers: Vec<Layer>,
    /// Structures in the tissue.
    pub structures: Vec<Structure>,
}

/// Most layers of a tissue.
pub const MAX_LAYERS: usize = 16;
/// Most structures of a tissue.
pub const MAX_STRUCTURES: usize = 64;
/// Cells along the longest edge.
const CELLS: f64 = 20.0;

/// Reason why the specification of a tissue is invalid; it comes from the configuration.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TissueError {
    /// The edges of the box are invalid: not finite and above 0, or too different.
    #[error(
        "tissue edges of {0:?} m must be finite, above 0, and the longest at most 30 times the shortest"
    )]
    Size([f64; 3]),
    /// There are too many layers, or none.
    #[error("{0} layers: 1 to {MAX_LAYERS}")]
    Layers(usize),
    /// The numbers of a layer are invalid.
    #[error(
        "layer {layer}: thickness and stiffness must be above 0, forces 0 or more, all finite, and piercing must take no less than cutting"
    )]
    Layer {
        /// Index from 0, from the top down.
        layer: usize,
    },
    /// A layer starts below the box.
    #[error("layer {layer} begins {depth_m} m deep in a tissue of {height_m} m")]
    Depth {
        /// Index from 0, from the top down.
        layer: usize,
        /// Depth at which it starts, m.
        depth_m: f64,
        /// Height of the box, m.
        height_m: f64,
    },
    /// There are too many structures.
    #[error("{0} structures: at most {MAX_STRUCTURES}")]
    Structures(usize),
    /// A structure is not entirely in the box.
    #[error("structure {id} reaches out of the tissue, to {at_m:?} m from its middle")]
    Outside {
        /// Identity of the structure.
        id: u32,
        /// A corner that is outside, m.
        at_m: [f64; 3],
    },
    /// The mesh of a bone has holes.
    #[error(
        "structure {id} is never pierced, but its mesh has {boundary_edges} boundary edges: close it"
    )]
    Open {
        /// Identity of the structure.
        id: u32,
        /// Number of edges with one face or with more than two.
        boundary_edges: usize,
    },
    /// The puncture force of a structure is not finite and at least 0.
    #[error("structure {id} pierced at {force_n} N: not finite or negative")]
    Force {
        /// Identity of the structure.
        id: u32,
        /// Given force, N.
        force_n: f64,
    },
    /// The mesh of space cannot cover the box.
    #[error(transparent)]
    Grid(#[from] GridError),
}

/// A tissue as the loop reads it.
#[derive(Debug)]
pub struct Tissue {
    spec: TissueSpec,
    /// Height of each layer's upper side, m.
    tops: Vec<f64>,
    map: Map,
    origin: Vec3,
    cells: [usize; 3],
    width_m: f64,
    reach_m: f64,
    triangles: Vec<[Vec3; 3]>,
    /// Index of each triangle's structure in the list.
    owner: Vec<u16>,
    /// Start of each cell's list, with one more entry at the end.
    starts: Vec<u32>,
    lists: Vec<u32>,
}

impl Tissue {
    /// Builds the lists, for tips with a ball of radius `reach_m` or less.
    ///
    /// # Errors
    ///
    /// See [`TissueError`].
    pub fn new(spec: TissueSpec, reach_m: f64) -> Result<Self, TissueError> {
        let half = spec.half_m;
        let (low, high) = (half.min(), half.max());
        // Written so that NaN is invalid.
        if !(low > 0.0 && high <= 30.0 * low && high.is_finite()) {
            return Err(TissueError::Size((half * 2.0).into()));
        }
        let tops = check_layers(&spec)?;
        check_structures(&spec)?;
        let width_m = 2.0 * high / CELLS;
        let cells = half.map(|h| (2.0 * h / width_m).ceil() + 2.0);
        let cells = [cells.x as usize, cells.y as usize, cells.z as usize];
        let origin = -Vec3::from_fn(|i, _| cells[i] as f64) * (width_m / 2.0);
        let map = Map::grid_3d(origin, width_m, cells)?;
        let mut triangles = Vec::new();
        let mut owner = Vec::new();
        for (k, structure) in spec.structures.iter().enumerate() {
            for i in 0..structure.mesh.triangles().len() {
                triangles.push(structure.mesh.triangle(i));
                owner.push(k as u16);
            }
        }
        let mut tissue = Tissue {
            spec,
            tops,
            map,
            origin,
            cells,
            width_m,
            reach_m,
            triangles,
            owner,
            starts: Vec::new(),
            lists: Vec::new(),
        };
        tissue.list();
        Ok(tissue)
    }

    /// Lists every triangle in all cells that its box, grown by the reach, meets: counts first,
    /// then fills in.
    fn list(&mut self) {
        let count: usize = self.cells.iter().product();
        let mut starts = vec![0_u32; count + 1];
        for t in 0..self.triangles.len() {
            self.for_cells(t, |c| starts[c + 1] += 1);
        }
        for c in 0..count {
            starts[c + 1] += starts[c];
        }
        let mut next = starts.clone();
        let mut lists = vec![0_u32; starts[count] as usize];
        for t in 0..self.triangles.len() {
            self.for_cells(t, |c| {
                lists[next[c] as usize] = t as u32;
                next[c] += 1;
            });
        }
        (self.starts, self.lists) = (starts, lists);
    }

    fn for_cells(&self, t: usize, mut visit: impl FnMut(usize)) {
        // Far above the rounding errors of march and map.
        let grow = Vec3::repeat(self.reach_m + 1e-6 * self.width_m);
        let [a, b, c] = self.triangles[t];
        let (low, high) = (a.inf(&b).inf(&c) - grow, a.sup(&b).sup(&c) + grow);
        let at = |p: &Vec3, i: usize| {
            let x = ((p[i] - self.origin[i]) / self.width_m).floor();
            x.clamp(0.0, (self.cells[i] - 1) as f64) as usize
        };
        for z in at(&low, 2)..=at(&high, 2) {
            for y in at(&low, 1)..=at(&high, 1) {
                for x in at(&low, 0)..=at(&high, 0) {
                    visit(x + self.cells[0] * (y + self.cells[1] * z));
                }
            }
        }
    }

    /// Returns the specification.
    #[must_use]
    pub fn spec(&self) -> &TissueSpec {
        &self.spec
    }

    /// Returns the mesh of space; its cells are never refined.
    #[must_use]
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Returns the radius of the largest ball that the lists cover, m.
    #[must_use]
    pub fn reach_m(&self) -> f64 {
        self.reach_m
    }

    /// Returns the edge of a cell, m.
    #[must_use]
    pub fn width_m(&self) -> f64 {
        self.width_m
    }

    /// Returns the triangles of all structures, in order.
    #[must_use]
    pub fn triangles(&self) -> &[[Vec3; 3]] {
        &self.triangles
    }

    /// Returns the index of the structure that a triangle belongs to.
    #[must_use]
    pub fn owner(&self, triangle: usize) -> usize {
        usize::from(self.owner[triangle])
    }

    /// Returns the structure at an index of the list.
    #[must_use]
    pub fn structure(&self, k: usize) -> &Structure {
        &self.spec.structures[k]
    }

    /// Returns the indices of the triangles near a cell of the map; empty if there is no such cell.
    #[must_use]
    pub fn listed(&self, cell: usize) -> &[u32] {
        match (self.starts.get(cell), self.starts.get(cell + 1)) {
            (Some(&from), Some(&to)) => &self.lists[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Returns a layer, counted from the top; beyond the lowest, the lowest.
    #[must_use]
    pub fn layer(&self, k: usize) -> &Layer {
        &self.spec.layers[k.min(self.spec.layers.len() - 1)]
    }

    /// Returns the layer at a height, counted from the top; above the box the uppermost, below it
    /// the lowest.
    #[must_use]
    pub fn layer_at(&self, z_m: f64) -> usize {
        self.tops.iter().rposition(|top| z_m <= *top).unwrap_or(0)
    }

    /// Returns the height of a layer's upper side, m; `None` beyond the lowest.
    #[must_use]
    pub fn top_m(&self, layer: usize) -> Option<f64> {
        self.tops.get(layer).copied()
    }

    /// Returns true if a point is in the box.
    #[must_use]
    pub fn holds(&self, p: &Vec3) -> bool {
        (0..3).all(|i| p[i].abs() <= self.spec.half_m[i])
    }
}

fn check_layers(spec: &TissueSpec) -> Result<Vec<f64>, TissueError> {
    if spec.layers.is_empty() || spec.layers.len() > MAX_LAYERS {
        return Err(TissueError::Layers(spec.layers.len()));
    }
    let mut tops = Vec::with_capacity(spec.layers.len());
    let (mut depth_m, height_m) = (0.0, 2.0 * spec.half_m.z);
    for (k, layer) in spec.layers.iter().enumerate() {
        let forces = [
            layer.cutting_force_n,
            layer.friction_n_per_m,
            layer.lateral_n_per_m2,
        ];
        let sizes = [layer.thickness_m, layer.stiffness_n_per_m];
        let is_good = forces.iter().all(|x| *x >= 0.0 && x.is_finite())
            && sizes.iter().all(|x| *x > 0.0 && x.is_finite())
            && layer.puncture_force_n >= layer.cutting_force_n
            && layer.puncture_force_n.is_finite();
        if !is_good {
            return Err(TissueError::Layer { layer: k });
        }
        if depth_m >= height_m {
            return Err(TissueError::Depth {
                layer: k,
                depth_m,
                height_m,
            });
        }
        tops.push(spec.half_m.z - depth_m);
        depth_m += layer.thickness_m;
    }
    Ok(tops)
}

fn check_structures(spec: &TissueSpec) -> Result<(), TissueError> {
    if spec.structures.len() > MAX_STRUCTURES {
        return Err(TissueError::Structures(spec.structures.len()));
    }
    for Structure {
        id,
        mesh,
        puncture_force_n,
    } in &spec.structures
    {
        let outside = |p: &&Vec3| !(0..3).all(|i| p[i].abs() < spec.half_m[i]);
        if let Some(p) = mesh.positions().iter().find(outside) {
            return Err(TissueError::Outside {
                id: *id,
                at_m: (*p).into(),
            });
        }
        match puncture_force_n {
            Some(force_n) if !(*force_n >= 0.0 && force_n.is_finite()) => {
                return Err(TissueError::Force {
                    id: *id,
                    force_n: *force_n,
                });
            }
            Some(_) => {}
            None => {
                let report = MeshReport::of(mesh, &Adjacency::new(mesh));
                if !report.closed {
                    return Err(TissueError::Open {
                        id: *id,
                        boundary_edges: report.boundary_edges + report.non_manifold_edges,
                    });
                }
            }
        }
    }
    Ok(())
}
