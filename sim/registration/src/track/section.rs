//! The path along a curved surface between two of its points, and the exact cells that it crosses.
//!
//! # Theory
//! The source tracks edges on curved surfaces by a particle that moves straight on the unfolded
//! surface (Pitiot 2015, section 5.4 with the public library's displacement). Sent from one end,
//! such a particle misses the other because of the curvature, so it does not name an edge's cells.
//! Here the path is a *plane section*. The plane goes through both ends and the mean of their
//! cells' normals; the path is the shorter of the two arcs that it cuts out of the surface between
//! them. The path reaches the other end whenever the section's piece does, it is the same from both
//! ends, and on a flat surface it is the segment. The choice of plane is not critical: any plane
//! through both ends gives a path between them. Where the two normals cancel, or the ends lie one
//! above the other, another one is used ([`Section::new`]).
//!
//! A vertex is on one of two sides of the plane, by the sign of one number that does not depend on
//! the triangle. So the plane cuts either no sides or two sides of each triangle. The section is a
//! chain of triangles that neither forks nor ends except at the boundary, whatever the rounding and
//! however cells are folded. Coordinates only measure lengths. Vertices on the plane, within the
//! tolerance, count as on its positive side and, if that gives no path, as on its negative side. So
//! there is a path between two ends at the same straight boundary.
//!
//! # Practice
//! For the real-time thread: no allocation, as many triangles as the caller allows, then
//! [`Path::Lost`]. The two arcs are followed alternately, the shorter one first. So the cost is
//! twice that of the triangles within the path's length to both sides.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_segment;

use super::Particle;
use super::march::{MAX_STEPS, MarchLimits, Path};
use crate::map::{Cell, Dart, Map, ON_SURFACE, Space};

/// A plane through a surface.
struct Section<'a> {
    map: &'a Map,
    through: Vec3,
    normal: Vec3,
    /// Heights above this count as positive, m.
    level: f64,
    /// The point to be reached, and a triangle there that the plane cuts.
    end: Vec3,
    target: Option<Dart>,
}

/// State of an arm of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ArmState {
    /// Still on its way.
    Going,
    /// At the end point.
    Arrived,
    /// At the boundary.
    Boundary,
    /// Back at the start.
    Closed,
}

/// One of the two arms from the start.
#[derive(Clone, Copy)]
struct Arm {
    /// Its current triangle.
    d: Dart,
    /// The side through which it leaves the triangle, numbered by the opposite corner, and the
    /// position there.
    side: usize,
    at: Vec3,
    length: f64,
    stand: ArmState,
}

/// Result of following a section: from its first triangle by this arm.
#[derive(Clone, Copy)]
enum SectionEnd {
    Reached {
        first: Dart,
        arm: Arm,
    },
    /// To the boundary, by the arm that starts towards the end.
    Boundary {
        first: Dart,
        arm: Arm,
    },
    Apart,
    Lost,
}

/// A cross product shorter than this has no direction.
const PARALLEL: f64 = 1e-6;

impl<'a> Section<'a> {
    /// Builds the plane through both ends and the mean of their cells' normals.
    ///
    /// If those cancel, uses the first one's normal. If the ends lie one above the other, uses the
    /// axis along which they differ least. `None` if the ends coincide.
    fn new(map: &'a Map, from: &Particle, to: &Particle) -> Option<Self> {
        let apart = to.position - from.position;
        let length = apart.norm();
        if !(length > map.tolerance_m()) {
            return None;
        }
        let along = apart / length;
        let of = |p: &Particle| map.normal(map.cell(p.dart));
        let axis = Vec3::ith(along.iamin(), 1.0);
        let normal = [of(from) + of(to), of(from), axis]
            .into_iter()
            .map(|up| along.cross(&up))
            .find(|n| n.norm() > PARALLEL)
            .unwrap_or(axis);
        let mut section = Section {
            map,
            through: from.position,
            normal: normal.normalize(),
            level: 0.0,
            end: to.position,
            target: None,
        };
        section.count(-map.tolerance_m(), to);
        Some(section)
    }

    /// Sets the height, m, above which vertices count as on the positive side.
    fn count(&mut self, level: f64, to: &Particle) {
        self.level = level;
        self.target = self.triangle_at(to);
    }

    fn heights(&self, d: Dart) -> [f64; 3] {
        let [v, _, s, e] = self.map.tetrahedron(d);
        [v, s, e].map(|p| self.normal.dot(&(p - self.through)))
    }

    /// Returns whether the side opposite to corner `i` is cut.
    fn cuts(&self, heights: &[f64; 3], i: usize) -> bool {
        (heights[(i + 1) % 3] > self.level) != (heights[(i + 2) % 3] > self.level)
    }

    /// Returns where that side is cut.
    fn cut(&self, d: Dart, heights: &[f64; 3], i: usize) -> Vec3 {
        let [v, _, s, e] = self.map.tetrahedron(d);
        let corners = [v, s, e];
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let share = heights[j] / (heights[j] - heights[k]);
        corners[j] + (corners[k] - corners[j]) * share.clamp(0.0, 1.0)
    }

    /// Returns a triangle that holds the particle and is cut: its own, or another one with the
    /// particle on its border.
    fn triangle_at(&self, particle: &Particle) -> Option<Dart> {
        let (map, p) = (self.map, &particle.position);
        let cut = |d: Dart| {
            let heights = self.heights(d);
            self.cuts(&heights, 0) || self.cuts(&heights, 1)
        };
        let own = map.facet_at(particle.dart, p);
        if cut(own) {
            return Some(own);
        }
        let fits = |d: &Dart| cut(*d) && map.holds(*d, p);
        let here = map.cell(particle.dart);
        map.cell_darts(here).find(fits).or_else(|| {
            map.cell_darts(here)
                .flat_map(|x| map.vertex_darts(map.vertex(x)))
                .find_map(|x| map.cell_darts(map.cell(x)).find(fits))
        })
    }

    /// Returns whether the end lies on the section of a triangle.
    fn ends_in(&self, d: Dart, p: &Vec3, q: &Vec3) -> bool {
        self.target == Some(d)
            || (point_segment(&self.end, p, q).0 - self.end).norm()
                <= ON_SURFACE * self.map.tolerance_m()
    }

    /// Returns both arms from a triangle that is cut, the one towards the end first.
    fn begin(&self, d: Dart) -> [Arm; 2] {
        let heights = self.heights(d);
        // Exactly one of the sides is not cut.
        let whole = (0..3).find(|&i| !self.cuts(&heights, i)).unwrap_or(0);
        let [mut a, mut b] = [(whole + 1) % 3, (whole + 2) % 3].map(|side| {
            let at = self.cut(d, &heights, side);
            Arm {
                d,
                side,
                at,
                length: (at - self.through).norm(),
                stand: ArmState::Going,
            }
        });
        let towards = self.end - self.through;
        if towards.dot(&a.at) < towards.dot(&b.at) {
            std::mem::swap(&mut a, &mut b);
        }
        if self.ends_in(d, &a.at, &b.at) {
            a.stand = ArmState::Arrived;
            a.length = 0.0;
        }
        [a, b]
    }

    /// Follows both arms alternately.
    fn way(&self, from: &Particle, most: u32) -> SectionEnd {
        let Some(first) = self.triangle_at(from) else {
            return SectionEnd::Apart;
        };
        let begin = self.begin(first);
        let mut arms = begin;
        for _ in 0..=most {
            // The shorter one moves on; if it has arrived, the other cannot be shorter.
            let going = |arm: &Arm| matches!(arm.stand, ArmState::Going | ArmState::Arrived);
            let shorter = match [going(&arms[0]), going(&arms[1])] {
                [true, true] => usize::from(arms[1].length < arms[0].length),
                [true, false] => 0,
                [false, true] => 1,
                // The one towards the end decides.
                [false, false] if arms[0].stand == ArmState::Closed => return SectionEnd::Apart,
                [false, false] => {
                    let arm = begin[0];
                    return SectionEnd::Boundary { first, arm };
                }
            };
            if arms[shorter].stand == ArmState::Arrived {
                let arm = begin[shorter];
                return SectionEnd::Reached { first, arm };
            }
            self.step(&mut arms[shorter], first);
        }
        SectionEnd::Lost
    }

    /// Moves an arm that began in `first` into the next triangle.
    fn step(&self, arm: &mut Arm, first: Dart) {
        let d = arm.d;
        let next = match arm.side {
            0 => self.map.phi2(d),
            1 => self.map.phi1(d),
            _ => self.map.phi_1(d),
        };
        if next == d {
            arm.stand = ArmState::Boundary;
            return;
        }
        if next == first {
            arm.stand = ArmState::Closed;
            return;
        }
        // The same side seen from beyond: opposite to V again, or S and S' change places.
        let entered = [0, 2, 1][arm.side];
        let heights = self.heights(next);
        let side = if self.cuts(&heights, (entered + 1) % 3) {
            (entered + 1) % 3
        } else {
            (entered + 2) % 3
        };
        let from = arm.at;
        (arm.d, arm.side, arm.at) = (next, side, self.cut(next, &heights, side));
        if self.ends_in(next, &from, &arm.at) {
            arm.stand = ArmState::Arrived;
            arm.length += (self.end - from).norm();
        } else {
            arm.length += (arm.at - from).norm();
        }
    }
}

impl Map {
    /// Marches from one particle to another, and calls `visit` with every cell on the path,
    /// including the first. A cell that it re-enters is reported again.
    ///
    /// The path is the segment between them ([`Map::march`]). On a [`Space::Surface`] it is the
    /// shorter arc of the section of the surface with the plane through both and the mean normal of
    /// their cells. Obstacles do not count.
    ///
    /// On a surface the path may end at the boundary: [`Path::Blocked`], with the cells of the arc
    /// that starts towards the other end. The result is [`Path::Apart`] if the section returns to
    /// its start without passing the other end, or is only a point here.
    ///
    /// No allocation; at most 16 384 steps, then [`Path::Lost`].
    pub fn march_between(&self, from: &Particle, to: &Particle, visit: impl FnMut(Cell)) -> Path {
        self.march_bounded(from, to, MAX_STEPS, visit)
    }

    /// [`Map::march_between`] for the haptic loop: at most `most` steps from one tetrahedron or
    /// triangle to the next, then [`Path::Lost`].
    ///
    /// On a surface the limit applies to both arms together. Repeated passes can cost up to four
    /// times as much, plus the darts of the cells of both ends. After [`Path::Lost`] on a surface
    /// only the first cell has been visited.
    pub fn march_bounded(
        &self,
        from: &Particle,
        to: &Particle,
        most: u32,
        mut visit: impl FnMut(Cell),
    ) -> Path {
        if self.space() != Space::Surface {
            let (a, b) = (&from.position, &to.position);
            return self.march_to(from.dart, [a, b], MarchLimits::steps(most), visit);
        }
        visit(self.cell(from.dart));
        let Some(mut section) = Section::new(self, from, to) else {
            visit(self.cell(to.dart));
            return Path::Reached(to.dart);
        };
        let way = section.way(from, most);
        let (way, level) = match way {
            SectionEnd::Reached { .. } => (way, section.level),
            _ => {
                section.count(self.tolerance_m(), to);
                match section.way(from, most) {
                    other @ SectionEnd::Reached { .. } => (other, section.level),
                    _ => (way, -self.tolerance_m()),
                }
            }
        };
        let (first, mut arm) = match way {
            SectionEnd::Reached { first, arm } | SectionEnd::Boundary { first, arm } => {
                (first, arm)
            }
            SectionEnd::Apart => return Path::Apart,
            SectionEnd::Lost => return Path::Lost,
        };
        if level != section.level {
            section.count(level, to);
        }
        let mut here = self.cell(arm.d);
        visit(here);
        while arm.stand == ArmState::Going {
            section.step(&mut arm, first);
            let next = self.cell(arm.d);
            if next != here {
                here = next;
                visit(here);
            }
        }
        if arm.stand == ArmState::Arrived {
            return Path::Reached(arm.d);
        }
        let way = to.position - from.position;
        let share = (arm.at - from.position).dot(&way) / way.norm_squared();
        Path::Blocked {
            dart: arm.d,
            share: share.clamp(0.0, 1.0),
        }
    }
}
