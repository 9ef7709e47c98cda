//! Materials and layers for this crate's tests.

use hapticd_needle::Layer;
use hapticd_proxy::Material;

/// As stiff as a body that names no material.
pub const MATERIAL: Material = Material {
    stiffness_n_per_m: 800.0,
    damping_n_s_per_m: 0.5,
    friction: 0.3,
    force_shading: false,
};

/// One thick layer of soft tissue.
pub const LAYER: Layer = Layer {
    thickness_m: 1.0,
    stiffness_n_per_m: 400.0,
    puncture_force_n: 0.8,
    cutting_force_n: 0.2,
    friction_n_per_m: 15.0,
    lateral_n_per_m2: 20_000.0,
};
