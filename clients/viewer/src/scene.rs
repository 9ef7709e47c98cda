//! What is known of the daemon's scene at a moment: bodies, arms, and how the connection is.
//!
//! Plain data; a copy is cheap (meshes are shared), so that what is drawn does not hold up what is
//! read. Poses that are not finite are not taken.

use crate::{history::History, model::Model};
use hapticd_client::{ArmInfo, ArmState, BodyKind, Contact, Pose};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::{collections::VecDeque, sync::Arc};

/// Lines of news that are kept.
const NEWS: usize = 4;

/// How the connection is.
#[derive(Clone, Debug, PartialEq)]
pub enum Link {
    /// Nobody was reached yet; why.
    Waiting(String),
    /// It stands.
    Up,
    /// It stood, and was lost; what is shown is the last that was known.
    Lost(String),
}

/// A body.
#[derive(Clone, Debug)]
pub struct VisibleBody {
    /// Its identity.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// May it move, does it keep its shape.
    pub kind: BodyKind,
    /// What it looks like; points of a deformable body are in the world frame.
    pub model: Arc<Model>,
    /// Where it is; `None` until that is known. Identity for a deformable body.
    pub world_from_body: Option<Isometry3<f32>>,
    /// What a person should know of it, perhaps nothing.
    pub note: String,
}

/// An arm and its tool.
#[derive(Clone, Debug)]
pub struct VisibleArm {
    /// What the daemon says of it.
    pub info: ArmInfo,
    /// Its newest state.
    pub state: Option<ArmState>,
    /// Its newest contacts.
    pub contacts: Vec<Contact>,
    /// The body that its tool is inside of, and so does not feel, by its name.
    pub inside: Option<String>,
    /// What its tool looks like.
    pub tool: Arc<Model>,
    /// Its last seconds.
    pub history: History,
}

/// Everything.
#[derive(Clone, Debug)]
pub struct VisibleScene {
    /// How the connection is.
    pub link: Link,
    /// How many connections there were.
    pub connections: u64,
    /// Bodies by identity.
    pub bodies: Vec<VisibleBody>,
    /// Arms by index.
    pub arms: Vec<VisibleArm>,
    /// What happened last, newest last.
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

/// A pose for drawing; `None` if it is none.
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

/// A point for drawing.
pub fn point(point: [f64; 3]) -> Point3<f32> {
    Point3::from(point.map(|x| x as f32))
}

/// A vector for drawing.
pub fn vector(vector: [f64; 3]) -> Vector3<f32> {
    Vector3::from(vector.map(|x| x as f32))
}

/// An upright box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lowest corner, m.
    pub low: Point3<f32>,
    /// Highest corner, m.
    pub high: Point3<f32>,
}

impl Bounds {
    /// Of some points; `None` without one that is finite.
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

    /// What is in both; `None` if they are apart.
    fn and(self, other: Self) -> Option<Self> {
        let both = Self {
            low: self.low.sup(&other.low),
            high: self.high.inf(&other.high),
        };
        (both.low <= both.high).then_some(both)
    }

    /// Its middle.
    pub fn centre(&self) -> Point3<f32> {
        nalgebra::center(&self.low, &self.high)
    }

    /// From its middle to a corner, m.
    pub fn radius_m(&self) -> f32 {
        nalgebra::distance(&self.low, &self.high) / 2.0
    }

    /// About its middle, so many times as large.
    fn scaled(&self, factor: f32) -> Self {
        let (centre, half) = (self.centre(), (self.high - self.low) / 2.0 * factor);
        Self {
            low: centre - half,
            high: centre + half,
        }
    }
}

/// Of a model at a pose: of the corners of its box.
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
    /// Where the hand and the tool are; `None` while the arm is not there.
    pub fn poses(&self) -> Option<(Isometry3<f32>, Isometry3<f32>)> {
        let state = self.state.as_ref()?;
        let there = state.has(hapticd_client::flag::ATTACHED);
        let poses = (
            isometry(&state.world_from_device)?,
            isometry(&state.world_from_proxy)?,
        );
        there.then_some(poses)
    }

    /// What its workspace takes up in the world.
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
    /// What there is to look at: bodies and tools, but of a body no more than what is about the
    /// arms' workspaces, or a ground of a kilometre would make a dot of all else. `None` if there
    /// is nothing.
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

    /// Whether there is something to show of every arm, and of every body a place.
    pub fn is_complete(&self) -> bool {
        let arms = self.arms.iter().all(|arm| arm.state.is_some());
        let bodies = self
            .bodies
            .iter()
            .all(|body| body.world_from_body.is_some());
        self.link == Link::Up && arms && bodies
    }

    /// The nearest body or tool that a ray meets, by name, and how far that is, m. A tool is met
    /// where it is allowed to be.
    pub fn met(&self, from: &Point3<f32>, along: &Vector3<f32>) -> Option<(String, f32)> {
        let bodies = self.bodies.iter().filter_map(|body| {
            let far_m = body.model.met_m(&body.world_from_body?, from, along)?;
            Some((body.name.clone(), far_m))
        });
        let tools = self.arms.iter().filter_map(|arm| {
            let far_m = arm.tool.met_m(&arm.poses()?.1, from, along)?;
            Some((format!("tool of {}", arm.info.name), far_m))
        });
        bodies.chain(tools).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Adds a line of news, unless it is the one that was told last.
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
        // What has no place is nowhere.
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
