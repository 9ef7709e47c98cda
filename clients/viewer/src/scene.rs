//! Snapshot of what the viewer knows of the daemon's scene: bodies, arms, and the state of the
//! connection.
//!
//! Plain data. A copy is cheap because meshes are shared, so drawing does not delay reading. Poses
//! that are not finite are rejected.

use crate::{history::History, model::Model};
use hapticd_client::{ArmInfo, ArmState, BodyKind, Contact, Pose};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::{collections::VecDeque, sync::Arc};

/// Number of lines of news that are kept.
const NEWS: usize = 4;

/// State of the connection.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// No daemon was reached yet, with the reason.
    Waiting(String),
    /// Connected.
    Up,
    /// The connection was lost, with the reason; the last known scene is shown.
    Lost(String),
}

/// A body.
#[derive(Clone, Debug)]
pub struct VisibleBody {
    /// Identity.
    pub id: u32,
    /// Name.
    pub name: String,
    /// Whether it may move, and whether it keeps its shape.
    pub kind: BodyKind,
    /// Model for drawing; points of a deformable body are in the world frame.
    pub model: Arc<Model>,
    /// Its pose; `None` until it is known. Identity for a deformable body.
    pub world_from_body: Option<Isometry3<f32>>,
    /// Note for people; may be empty.
    pub note: String,
}

/// An arm and its tool.
#[derive(Clone, Debug)]
pub struct VisibleArm {
    /// Description from the daemon.
    pub info: ArmInfo,
    /// Its newest state.
    pub state: Option<ArmState>,
    /// Its newest contacts.
    pub contacts: Vec<Contact>,
    /// Name of the body that its tool is inside of, and which is therefore not rendered.
    pub inside: Option<String>,
    /// Model of its tool.
    pub tool: Arc<Model>,
    /// Samples of the last seconds.
    pub history: History,
}

/// The whole scene.
#[derive(Clone, Debug)]
pub struct VisibleScene {
    /// State of the connection.
    pub link: Link,
    /// Number of connections so far.
    pub connections: u64,
    /// Bodies by identity.
    pub bodies: Vec<VisibleBody>,
    /// Arms by index.
    pub arms: Vec<VisibleArm>,
    /// Last lines of news, newest last.
    pub news: VecDeque<String>,
}

impl Default for VisibleScene {
    fn default() -> Self {
        Self {
            link: Link::Waiting("not connected yet".to_owned()),
            connections: 0,
            bodies: Vec::new(),
            arms: Vec::new(),
            news: VecDeque::new(),
        }
    }
}

/// Converts a pose for drawing; `None` if it is invalid.
pub fn isometry(pose: &Pose) -> Option<Isometry3<f32>> {
    let numbers = pose.to_array().map(|x| x as f32);
    let [x, y, z, i, j, k, w] = numbers;
    let rotation = Quaternion::new(w, i, j, k);
    (numbers.iter().all(|x| x.is_finite()) && rotation.norm() > 0.5).then(|| {
        Isometry3::from_parts(
            Translation3::new(x, y, z),
            UnitQuaternion::from_quaternion(rotation),
        )
    })
}

/// Converts a point for drawing.
pub fn point(point: [f64; 3]) -> Point3<f32> {
    Point3::from(point.map(|x| x as f32))
}

/// Converts a vector for drawing.
pub fn vector(vector: [f64; 3]) -> Vector3<f32> {
    Vector3::from(vector.map(|x| x as f32))
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner, m.
    pub low: Point3<f32>,
    /// Highest corner, m.
    pub high: Point3<f32>,
}

impl Bounds {
    /// Returns the bounds of some points; `None` if none is finite.
    pub fn of(points: impl Iterator<Item = Point3<f32>>) -> Option<Self> {
        let finite = points.filter(|p| p.iter().all(|x| x.is_finite()));
        let single = finite.map(|p| Self { low: p, high: p });
        single.reduce(Self::with)
    }

    fn with(self, other: Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// Returns the intersection; `None` if the boxes are apart.
    fn and(self, other: Self) -> Option<Self> {
        let both = Self {
            low: self.low.sup(&other.low),
            high: self.high.inf(&other.high),
        };
        (both.low <= both.high).then_some(both)
    }

    /// Returns the centre.
    pub fn centre(&self) -> Point3<f32> {
        nalgebra::center(&self.low, &self.high)
    }

    /// Returns the distance from the centre to a corner, m.
    pub fn radius_m(&self) -> f32 {
        nalgebra::distance(&self.low, &self.high) / 2.0
    }

    /// Returns the box scaled about its centre.
    fn scaled(&self, factor: f32) -> Self {
        let (centre, half) = (self.centre(), (self.high - self.low) / 2.0 * factor);
        Self {
            low: centre - half,
            high: centre + half,
        }
    }
}

/// Returns the bounds of a model at a pose: those of the corners of its box.
fn bounds_of(model: &Model, pose: &Isometry3<f32>) -> Option<Bounds> {
    let (low, high) = model.bounds();
    let corners = (0..8u8).map(|k| {
        let side = |axis: usize| {
            if k >> axis & 1 == 1 {
                high[axis]
            } else {
                low[axis]
            }
        };
        pose * Point3::new(side(0), side(1), side(2))
    });
    (!model.vertices().is_empty())
        .then(|| Bounds::of(corners))
        .flatten()
}

impl VisibleArm {
    /// Returns the device pose and the proxy's pose; `None` while the arm is not attached.
    pub fn poses(&self) -> Option<(Isometry3<f32>, Isometry3<f32>)> {
        let state = self.state.as_ref()?;
        let there = state.has(hapticd_client::flag::ATTACHED);
        let poses = (
            isometry(&state.world_from_device)?,
            isometry(&state.world_from_proxy)?,
        );
        there.then_some(poses)
    }

    /// Returns the bounds of its workspace in the world.
    fn workspace(&self) -> Option<Bounds> {
        let info = &self.info;
        let pose = isometry(&info.world_from_base)?;
        let corners = (0..8u8).map(|k| {
            let at = |axis: usize| {
                let sign = if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
                let half_m = info.workspace_half_extents_m[axis];
                ((info.workspace_center_m[axis] + sign * half_m) * info.scale) as f32
            };
            pose * Point3::new(at(0), at(1), at(2))
        });
        Bounds::of(corners)
    }
}

impl VisibleScene {
    /// Returns the bounds of bodies and tools. Of a body it takes only the part near the arms'
    /// workspaces; otherwise a ground plane of a kilometre would reduce everything else to a dot.
    /// `None` if there is nothing.
    pub fn bounds(&self) -> Option<Bounds> {
        let about = self.arms.iter().filter_map(VisibleArm::workspace);
        let about = about.reduce(Bounds::with).map(|b| b.scaled(2.0));
        let bodies = self.bodies.iter().filter_map(|body| {
            let bounds = bounds_of(&body.model, &body.world_from_body?)?;
            about.map_or(Some(bounds), |about| bounds.and(about))
        });
        let tools = self.arms.iter().filter_map(|arm| {
            let (_, proxy) = arm.poses()?;
            bounds_of(&arm.tool, &proxy)
        });
        bodies.chain(tools).reduce(Bounds::with)
    }

    /// Returns true if every arm has a state and every body a pose.
    pub fn is_complete(&self) -> bool {
        let arms = self.arms.iter().all(|arm| arm.state.is_some());
        let bodies = self
            .bodies
            .iter()
            .all(|body| body.world_from_body.is_some());
        self.link == Link::Up && arms && bodies
    }

    /// Returns the name of the nearest body or tool on a ray, and its distance, m. Tools are tested
    /// at the proxy's pose.
    pub fn met(&self, from: &Point3<f32>, along: &Vector3<f32>) -> Option<(String, f32)> {
        let bodies = self.bodies.iter().filter_map(|body| {
            let far_m = body
                .model
                .ray_distance_m(&body.world_from_body?, from, along)?;
            Some((body.name.clone(), far_m))
        });
        let tools = self.arms.iter().filter_map(|arm| {
            let far_m = arm.tool.ray_distance_m(&arm.poses()?.1, from, along)?;
            Some((format!("tool of {}", arm.info.name), far_m))
        });
        bodies.chain(tools).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Appends a line of news, unless it equals the last one.
    pub fn tell(&mut self, line: String) {
        if self.news.back() == Some(&line) {
            return;
        }
        self.news.push_back(line);
        while self.news.len() > NEWS {
            self.news.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(id: u32, half_m: f32, at: [f32; 3]) -> VisibleBody {
        let ball = Model::ball();
        let points: Vec<[f32; 3]> = ball
            .vertices()
            .iter()
            .map(|v| v.position.map(|x| x * half_m))
            .collect();
        VisibleBody {
            id,
            name: format!("body {id}"),
            kind: BodyKind::Static,
            model: Arc::new(Model::smooth(&points, ball.indices().as_chunks().0)),
            world_from_body: Some(Isometry3::translation(at[0], at[1], at[2])),
            note: String::new(),
        }
    }

    #[test]
    fn the_nearest_body_that_a_ray_meets_is_named() {
        let mut scene = VisibleScene::default();
        for (id, x) in [(1, 3.0), (2, 2.0), (3, -2.0)] {
            scene.bodies.push(body(id, 0.5, [x, 0.0, 0.0]));
        }
        let (name, far_m) = scene.met(&Point3::origin(), &Vector3::x()).unwrap();
        assert_eq!(name, "body 2");
        assert!((far_m - 1.5).abs() < 0.01, "{far_m}");
        assert_eq!(scene.met(&Point3::origin(), &Vector3::y()), None);
        // A body without a pose is not hit.
        scene.bodies[1].world_from_body = None;
        assert_eq!(
            scene.met(&Point3::origin(), &Vector3::x()).unwrap().0,
            "body 1"
        );
    }

    #[test]
    fn bounds_are_those_of_all_bodies() {
        let mut scene = VisibleScene::default();
        assert_eq!(scene.bounds(), None);
        scene.bodies.push(body(1, 1.0, [0.0; 3]));
        scene.bodies.push(body(2, 1.0, [0.0, 4.0, 0.0]));
        let bounds = scene.bounds().unwrap();
        assert!((bounds.centre() - Point3::new(0.0, 2.0, 0.0)).norm() < 1e-5);
        assert!(
            (bounds.radius_m() - 11.0_f32.sqrt()).abs() < 0.02,
            "{}",
            bounds.radius_m()
        );
    }

    #[test]
    fn the_last_news_are_kept_and_none_twice_in_a_row() {
        let mut scene = VisibleScene::default();
        for line in ["a", "a", "b", "a", "c", "d", "d"] {
            scene.tell(line.to_owned());
        }
        assert_eq!(scene.news, ["b", "a", "c", "d"]);
    }

    #[test]
    fn a_pose_that_is_none_is_not_taken() {
        for number in [f64::NAN, f64::INFINITY, 1e300] {
            let mut pose = Pose::IDENTITY;
            pose.translation_m[1] = number;
            assert_eq!(isometry(&pose), None);
        }
        let zero = Pose {
            rotation_xyzw: [0.0; 4],
            ..Pose::IDENTITY
        };
        assert_eq!(isometry(&zero), None);
        assert_eq!(isometry(&Pose::IDENTITY), Some(Isometry3::identity()));
    }
}
