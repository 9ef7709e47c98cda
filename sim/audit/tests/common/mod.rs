//! Shapes, numbers and slow oracles for the tests; nothing here comes from the crate under test.
#![allow(dead_code)] // Each test binary uses its own part.

use hapticd_audit::{Solid, Tool, distance_m, intersects};
use hapticd_geometry::{Pose, TriMesh, Vec3};
use nalgebra::{Translation3, UnitQuaternion};

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }

    pub fn pose(&mut self, reach: f64) -> Pose {
        Pose::from_parts(
            Translation3::from(self.vec3() * reach),
            UnitQuaternion::from_scaled_axis(self.vec3() * 3.0),
        )
    }
}

pub fn mesh(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(positions, triangles).unwrap()
}

/// A closed outward box.
pub fn cuboid(half: [f64; 3]) -> TriMesh {
    let positions = (0..8)
        .map(|i| {
            let side = |k: usize| if i >> k & 1 == 1 { half[k] } else { -half[k] };
            Vec3::new(side(0), side(1), side(2))
        })
        .collect();
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]])
        .collect();
    mesh(positions, triangles)
}

/// A closed outward ball of latitudes and longitudes, its radius pushed about by up to `rough`.
pub fn ball(radius: f64, rings: usize, rough: f64, random: &mut Random) -> TriMesh {
    let around = 2 * rings;
    let mut positions = vec![Vec3::z() * radius, -Vec3::z() * radius];
    for i in 1..rings {
        let polar = std::f64::consts::PI * i as f64 / rings as f64;
        for j in 0..around {
            let azimuth = std::f64::consts::TAU * j as f64 / around as f64;
            let direction = Vec3::new(
                polar.sin() * azimuth.cos(),
                polar.sin() * azimuth.sin(),
                polar.cos(),
            );
            positions.push(direction * radius * (1.0 + rough * random.signed()));
        }
    }
    let at = |i: usize, j: usize| (2 + (i - 1) * around + j % around) as u32;
    let mut triangles = Vec::new();
    for j in 0..around {
        triangles.push([0, at(1, j), at(1, j + 1)]);
        triangles.push([1, at(rings - 1, j + 1), at(rings - 1, j)]);
        for i in 1..rings - 1 {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh(positions, triangles)
}

/// An open square of side two in the plane z = 0, `n` by `n` cells.
pub fn sheet(n: u32) -> TriMesh {
    let mut positions = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let x = |k: u32| 2.0 * f64::from(k) / f64::from(n) - 1.0;
            positions.push(Vec3::new(x(i), x(j), 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = j * (n + 1) + i;
            triangles.push([a, a + 1, a + n + 2]);
            triangles.push([a, a + n + 2, a + n + 1]);
        }
    }
    mesh(positions, triangles)
}

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

/// Each triangle of a mesh as a solid of its own.
pub fn singles(mesh: &TriMesh) -> Vec<Solid> {
    (0..mesh.triangles().len())
        .map(|i| {
            let t = mesh.triangle(i);
            Solid::new(&TriMesh::new(t.to_vec(), vec![[0, 1, 2]]).unwrap())
        })
        .collect()
}

/// Whether any two triangles meet and the least distance of any two, pair by pair.
pub fn brute_force(tool: &[Solid], tool_at: &Pose, body: &[Solid], body_at: &Pose) -> (bool, f64) {
    let mut meet = false;
    let mut least = f64::INFINITY;
    for a in tool {
        for b in body {
            meet |= intersects(&Tool::Mesh(a), tool_at, b, body_at).is_some();
            least = least.min(distance_m(&Tool::Mesh(a), tool_at, b, body_at));
        }
    }
    (meet, least)
}
