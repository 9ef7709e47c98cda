//! Tracking through convex faces in a plane, along the straight line.
//!
//! The path is cut by the lines of the cell's edges, and leaves the cell where it first crosses one
//! outward (Pitiot 2015, section 4.2, for dimension 2). Through a vertex it goes to the cell around
//! it that holds the goal's direction in its corner. If a deformation has made a cell non-convex,
//! the path is marched along instead.

use hapticd_geometry::Vec3;

use super::march::MarchLimits;
use super::{Budget, Outcome, Particle, Path, State};
use crate::map::{Dart, Map};

impl Map {
    pub(super) fn track_plane(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        let goal = self.on_plane(goal);
        if !self.is_convex() {
            return self.track_fan(particle, &goal, budget);
        }
        let near = self.tolerance_m();
        let from = particle.position;
        let length = (goal - from).norm();
        let share = |p: &Vec3| {
            if length > 0.0 {
                ((p - from).norm() / length).min(1.0)
            } else {
                0.0
            }
        };
        let mut d = particle.dart;
        let mut p = from;
        if particle.state == State::Vertex {
            d = self.corner_towards(d, &goal).unwrap_or(d);
        }
        while budget.tests < budget.most {
            budget.tests += 1;
            if self.well_inside(self.cell(d), &goal) {
                *particle = Particle {
                    position: goal,
                    dart: d,
                    state: State::Cell,
                };
                return Some(Outcome::Reached);
            }
            // The first edge that the rest of the path crosses outward.
            let mut exit: Option<(f64, Dart)> = None;
            let mut at = d;
            loop {
                budget.tests += 1;
                // No square roots for edges with the goal on their inner side; usually these are
                // all.
                let (turn, length2) = self.turn_of(at, &goal);
                if turn < 0.0 && turn * turn > near * near * length2 {
                    let outside = -turn / length2.sqrt();
                    let here = self.inside_of(at, &p).max(0.0);
                    let t = here / (here + outside);
                    if exit.is_none_or(|(least, _)| t < least) {
                        exit = Some((t, at));
                    }
                }
                at = self.phi1(at);
                if at == d {
                    break;
                }
                if budget.tests >= budget.most {
                    return None;
                }
            }
            let Some((t, side)) = exit else {
                *particle = self.settle_in_face(d, &goal);
                return Some(Outcome::Reached);
            };
            p += (goal - p) * t;
            let ends = [side, self.phi1(side)];
            if let Some(corner) = ends
                .into_iter()
                .find(|&c| (p - self.start(c)).norm() <= near)
                && let Some(next) = self.corner_towards(corner, &goal)
            {
                // Through the vertex, if nothing there blocks it.
                p = self.start(corner);
                d = next;
                continue;
            }
            let far = self.phi2(side);
            if far == side || self.is_obstacle(side) {
                // At the side, with the dart still in the cell from which it came.
                *particle = self.settle_in_face(side, &p);
                particle.position = p;
                return Some(Outcome::Blocked {
                    dart: side,
                    share: share(&p),
                });
            }
            d = far;
        }
        None
    }

    /// [`Map::track_plane`] for faces that are only fully visible from their centres: through their
    /// triangles.
    fn track_fan(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        let from = *particle;
        budget.tests += 1;
        match self.march_to(
            from.dart,
            [&from.position, goal],
            MarchLimits::obstacles(budget.most),
            |_| {},
        ) {
            Path::Reached(dart) => {
                *particle = self.settle(dart, goal);
                Some(Outcome::Reached)
            }
            Path::Blocked { dart, share } => {
                *particle = self.settle(dart, &from.position.lerp(goal, share));
                Some(Outcome::Blocked { dart, share })
            }
            Path::Apart | Path::Lost => None,
        }
    }

    /// Returns a dart at the start of `d` of the cell that holds the goal's direction in its corner
    /// there; does not cross obstacles.
    fn corner_towards(&self, d: Dart, goal: &Vec3) -> Option<Dart> {
        let holds =
            |c: Dart| self.inside_of(c, goal) >= 0.0 && self.inside_of(self.phi_1(c), goal) >= 0.0;
        // Both ways around, as far as there are neighbours and no obstacles.
        let mut at = d;
        loop {
            if holds(at) {
                return Some(at);
            }
            let before = self.phi_1(at);
            let next = self.phi2(before);
            if next == before || self.is_obstacle(before) {
                break;
            }
            at = next;
            if at == d {
                return None;
            }
        }
        at = d;
        loop {
            let across = self.phi2(at);
            if across == at || self.is_obstacle(at) {
                return None;
            }
            at = self.phi1(across);
            if holds(at) {
                return Some(at);
            }
            if at == d {
                return None;
            }
        }
    }

    /// Returns a particle in the closed face of `d`, aiming at the dart on which, or before which,
    /// it lies.
    fn settle_in_face(&self, d: Dart, at: &Vec3) -> Particle {
        let near = self.tolerance_m();
        let mut particle = Particle {
            position: *at,
            dart: d,
            state: State::Cell,
        };
        let mut side = d;
        loop {
            if (at - self.start(side)).norm_squared() <= near * near {
                particle.dart = side;
                particle.state = State::Vertex;
                return particle;
            }
            let (turn, length2) = self.turn_of(side, at);
            if turn <= 0.0 || turn * turn <= near * near * length2 {
                let (s, e) = (self.start(side), self.start(self.phi1(side)));
                let along = (at - s).dot(&(e - s)) / (e - s).norm();
                if along > 0.0 && along < (e - s).norm() {
                    particle.dart = side;
                    particle.state = State::Edge;
                }
            }
            side = self.phi1(side);
            if side == d {
                return particle;
            }
        }
    }

    /// Returns the plane's height, m; arbitrary in other spaces.
    pub(crate) fn positions_z(&self) -> f64 {
        self.all_vertices()
            .next()
            .map_or(0.0, |v| self.position(v).z)
    }
}
