//! A hand on a spring that drives a needle, and tissues to drive it into.
#![allow(dead_code)]

use std::sync::Arc;

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_needle::{CLEARANCE_M, Layer, Needle, NeedleInTissue, Structure, Tissue, TissueSpec};
use hapticd_proxy::{Guide, Insertion};

pub const HUB_M: f64 = 0.004;
pub const LENGTH_M: f64 = 0.08;
pub const STIFFNESS: f64 = 1000.0;

pub fn needle(curvature_1_m: f64) -> Needle {
    Needle {
        length_m: LENGTH_M,
        radius_m: 5e-4,
        curvature_1_m,
        segment_m: 1e-3,
    }
}

pub fn layer(thickness_m: f64, puncture_force_n: f64) -> Layer {
    Layer {
        thickness_m,
        stiffness_n_per_m: 500.0,
        puncture_force_n,
        cutting_force_n: 0.3,
        friction_n_per_m: 20.0,
        lateral_n_per_m2: 2e4,
    }
}

pub fn moved(mesh: &TriMesh, by: &Vec3) -> TriMesh {
    let positions = mesh.positions().iter().map(|p| p + by).collect();
    TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
}

pub fn ball(radius_m: f64, at: Vec3) -> TriMesh {
    moved(&shapes::icosphere(radius_m, 2).unwrap(), &at)
}

/// A box 80 mm high.
pub fn tissue(layers: Vec<Layer>, structures: Vec<Structure>) -> Arc<Tissue> {
    let spec = TissueSpec {
        world_from_tissue: Pose::from_parts(
            Vec3::new(0.1, -0.2, 0.05).into(),
            Quat::from_euler_angles(0.3, -0.2, 0.5),
        ),
        half_m: Vec3::new(0.05, 0.04, 0.04),
        layers,
        structures,
    };
    Arc::new(Tissue::new(spec, 5e-4 + CLEARANCE_M).unwrap())
}

pub struct Hand {
    pub felt: NeedleInTissue,
    pub tissue: Arc<Tissue>,
    /// Stiffness of the spring, N/m.
    pub stiffness: f64,
    /// Force on the hand, world, N.
    pub force: Vec3,
    pub hub: Pose,
}

impl Hand {
    pub fn new(tissue: Arc<Tissue>, needle: Needle) -> Hand {
        Hand {
            felt: NeedleInTissue::new(tissue.clone(), needle, HUB_M).unwrap(),
            tissue,
            stiffness: STIFFNESS,
            force: Vec3::zeros(),
            hub: Pose::identity(),
        }
    }

    /// Moves the hand to a pose in the tissue's frame.
    pub fn at(&mut self, tissue_from_hand: &Pose) -> Insertion {
        let wanted = self.tissue.spec().world_from_tissue * tissue_from_hand;
        self.hub = self.felt.guide(&wanted, self.stiffness);
        self.felt.went(&self.hub);
        self.force = (self.hub.translation.vector - wanted.translation.vector) * self.stiffness;
        self.felt.insertion()
    }

    /// Moves the hand upright over the centre of the top, rolled, to where a rigid tip would be
    /// `depth_m` in.
    pub fn upright(&mut self, depth_m: f64, roll: f64) -> Insertion {
        let top = self.tissue.spec().half_m.z;
        self.at(&Pose::from_parts(
            Vec3::new(0.0, 0.0, top + HUB_M + LENGTH_M - depth_m).into(),
            Quat::from_axis_angle(&Vec3::z_axis(), roll),
        ))
    }

    /// Moves down and up again in steps.
    pub fn along(
        &mut self,
        from_m: f64,
        to_m: f64,
        steps: usize,
        mut each: impl FnMut(&mut Hand, f64, Insertion),
    ) {
        for i in 1..=steps {
            let depth_m = from_m + (to_m - from_m) * i as f64 / steps as f64;
            let told = self.upright(depth_m, 0.0);
            each(self, depth_m, told);
        }
    }
}

/// Numbers from a seed (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from `low` to `high`.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Runs this many cases, or the number that the environment asks for.
pub fn cases(usual: u32) -> proptest::prelude::ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    proptest::prelude::ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(usual),
        failure_persistence: None,
        ..Default::default()
    }
}
