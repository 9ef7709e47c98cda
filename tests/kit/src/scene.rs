//! A scene to be attacked: tool, bodies, distances, where to strike.

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
        /// Its surface.
        mesh: TriMesh,
        /// Whether contact may turn it.
        turns: bool,
    },
}

/// One body.
#[derive(Clone, Debug)]
pub struct BodyPlan {
    /// Its surface.
    pub mesh: TriMesh,
    /// Where it starts.
    pub pose: Pose,
    /// Has an inside. False: an open sheet.
    pub solid: bool,
    /// Poses that it is sent to, one after the other, at these speeds (m/s); never moves if empty.
    pub stations: Vec<(Pose, f64)>,
    /// Ticks between two stations.
    pub every: u64,
}

impl BodyPlan {
    /// A closed body that never moves.
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

    /// An open sheet that never moves.
    #[must_use]
    pub fn sheet(mesh: TriMesh, pose: Pose) -> Self {
        BodyPlan {
            solid: false,
            ..Self::fixed(mesh, pose)
        }
    }

    /// A closed body that visits these stations in turn, a new one every so many ticks.
    #[must_use]
    pub fn moving(mesh: TriMesh, pose: Pose, stations: Vec<(Pose, f64)>, every: u64) -> Self {
        BodyPlan {
            stations,
            every,
            ..Self::fixed(mesh, pose)
        }
    }
}

/// See the module page.
#[derive(Clone, Debug)]
pub struct ScenePlan {
    /// For the table.
    pub name: &'static str,
    /// What is moved.
    pub tool: ToolPlan,
    /// What is touched.
    pub bodies: Vec<BodyPlan>,
    /// Distances of the contact.
    pub distances: Distances,
    /// A pose clear of everything.
    pub start: Pose,
    /// Half size of the box about the origin that the hand roams, m.
    pub room: Vec3,
    /// Places worth striking, m.
    pub targets: Vec<Vec3>,
    /// Direction of insertion (from outside in) if there is something to insert into; zero
    /// otherwise.
    pub insert: Vec3,
    /// Feature pairs a snapshot lists per body.
    pub pairs_per_body: usize,
    /// Feature pairs that a substep may test.
    pub pair_budget: usize,
    /// Furthest that a query looks, m.
    pub reach_max_m: f64,
    /// Relative weight when ticks are shared out over scenes: heavy scenes get less.
    pub weight: f64,
    /// Coefficient of friction of all bodies.
    pub friction: f64,
}

impl ScenePlan {
    /// With the daemon's usual numbers for a workspace of 0.2 m.
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

    /// Where a hand attacks it.
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
