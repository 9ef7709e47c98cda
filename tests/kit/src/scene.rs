//! Plan of a scene to attack: tool, bodies, distances, and points to attack.

use hapticd_geometry::{Pose, TriMesh, Vec3};
use hapticd_proxy::Distances;

use crate::hand::Playground;

/// The tool.
#[derive(Clone, Debug)]
pub enum ToolPlan {
    /// A ball.
    Ball {
        /// Radius, m.
        radius_m: f64,
    },
    /// A mesh; `turns` as in `ToolShape`.
    Mesh {
        /// Surface of the tool.
        mesh: TriMesh,
        /// Whether contact may turn it.
        turns: bool,
    },
}

/// One body.
#[derive(Clone, Debug)]
pub struct BodyPlan {
    /// Surface of the body.
    pub mesh: TriMesh,
    /// Initial pose.
    pub pose: Pose,
    /// True if it has an inside; false for an open sheet.
    pub solid: bool,
    /// Target poses, one after the other, with speeds (m/s). Empty for a body that never moves.
    pub stations: Vec<(Pose, f64)>,
    /// Ticks between two stations.
    pub every: u64,
}

impl BodyPlan {
    /// Returns a closed body that never moves.
    #[must_use]
    pub fn fixed(mesh: TriMesh, pose: Pose) -> Self {
        BodyPlan {
            mesh,
            pose,
            solid: true,
            stations: Vec::new(),
            every: 1,
        }
    }

    /// Returns an open sheet that never moves.
    #[must_use]
    pub fn sheet(mesh: TriMesh, pose: Pose) -> Self {
        BodyPlan {
            solid: false,
            ..Self::fixed(mesh, pose)
        }
    }

    /// Returns a closed body that visits these stations in turn, a new one after every `every`
    /// ticks.
    #[must_use]
    pub fn moving(mesh: TriMesh, pose: Pose, stations: Vec<(Pose, f64)>, every: u64) -> Self {
        BodyPlan {
            stations,
            every,
            ..Self::fixed(mesh, pose)
        }
    }
}

/// A scene to attack; see the module page.
#[derive(Clone, Debug)]
pub struct ScenePlan {
    /// Name for the table.
    pub name: &'static str,
    /// The tool.
    pub tool: ToolPlan,
    /// The bodies.
    pub bodies: Vec<BodyPlan>,
    /// Distances of the contact.
    pub distances: Distances,
    /// A pose away from all bodies.
    pub start: Pose,
    /// Half size of the box about the origin in which the hand moves, m.
    pub room: Vec3,
    /// Points to attack, m.
    pub targets: Vec<Vec3>,
    /// Direction of insertion, from outside in; zero if there is nothing to insert into.
    pub insert: Vec3,
    /// Maximum number of feature pairs that a snapshot lists per body.
    pub pairs_per_body: usize,
    /// Maximum number of feature pairs that a substep tests.
    pub pair_budget: usize,
    /// Maximum reach of a query, m.
    pub reach_max_m: f64,
    /// Relative weight when ticks are divided over scenes; expensive scenes get less.
    pub weight: f64,
    /// Coefficient of friction of all bodies.
    pub friction: f64,
}

impl ScenePlan {
    /// Returns a plan with the daemon's defaults for a workspace of 0.2 m.
    #[must_use]
    pub fn new(name: &'static str, tool: ToolPlan, bodies: Vec<BodyPlan>) -> Self {
        ScenePlan {
            name,
            tool,
            bodies,
            friction: 0.3,
            distances: Distances::for_width(0.2),
            start: Pose::translation(0.0, 0.0, 0.06),
            room: Vec3::repeat(0.06),
            targets: vec![Vec3::zeros()],
            insert: Vec3::zeros(),
            pairs_per_body: 4096,
            pair_budget: 256,
            reach_max_m: 0.05,
            weight: 1.0,
        }
    }

    /// Returns the space in which a hand attacks it.
    #[must_use]
    pub fn playground(&self) -> Playground {
        Playground {
            room: self.room,
            targets: self.targets.clone(),
            insert: self.insert,
            free: self.start,
        }
    }
}
