//! Tracking in volumes that are fully visible from their centres; the particle's position is never
//! used.
//!
//! Pitiot 2015, sections 7.2.1 to 7.2.3 (algorithms 1 to 3 and the prose after them), with
//! consistent orientations of the planes and with the flag for "on the plane" evaluated after the
//! loop. Four procedures hand over to each other. The one for volumes would be enough alone; the
//! other three are short cuts and settle ties.

use hapticd_geometry::Vec3;

use super::march::MarchLimits;
use super::{Budget, MAX_TESTS, Outcome, Particle, Path, State, Tally};
use crate::map::{Dart, Map};

/// The next procedure, and its dart.
#[derive(Clone, Copy)]
enum Next {
    Volume(Dart),
    Surface(Dart),
    Edge(Dart),
    Vertex(Dart),
    Stop(Dart, State),
    /// The goal is beyond a boundary face.
    Outside,
}

/// Most turns around one edge or vertex before the procedure for volumes takes over.
const MAX_TURNS: u32 = 64;

struct Walk<'a> {
    map: &'a Map,
    goal: &'a Vec3,
    tests: u32,
    most: u32,
    plain: bool,
}

impl Walk<'_> {
    fn ahead(&mut self, d: Dart) -> i32 {
        self.tests += 1;
        self.map.ahead(d, self.goal)
    }

    fn past_edge(&mut self, d: Dart) -> i32 {
        self.tests += 1;
        self.map.past_edge(d, self.goal)
    }

    fn past_face(&mut self, d: Dart) -> i32 {
        self.tests += 1;
        self.map.past_face(d, self.goal)
    }

    fn spent(&self) -> bool {
        self.tests >= self.most
    }

    /// Turns within the face until the goal is in the sector of the dart. The flag says that the
    /// goal is on the plane through its start.
    fn sector(&mut self, mut d: Dart) -> (Dart, bool) {
        let (mut left, mut right) = (false, false);
        let first = d;
        loop {
            match self.ahead(d) {
                -1 => {
                    left = true;
                    d = self.map.phi_1(d);
                }
                1 => {
                    right = true;
                    if !left {
                        d = self.map.phi1(d);
                    }
                }
                // On the plane at the first test may mean its far half; after a turn it is the near
                // one.
                _ if left || right => break,
                _ => d = self.map.phi1(d),
            }
            if (left && right) || d == first || self.spent() {
                break;
            }
        }
        let on = self.ahead(d) == 0;
        (d, on)
    }

    /// Algorithm 1: finds the facet with the cone from the centre that holds the goal. `below`
    /// means not on the plane of its edge.
    fn place(&mut self, mut d: Dart) -> (Dart, bool, bool) {
        loop {
            let (in_sector, on) = self.sector(d);
            d = in_sector;
            match self.past_edge(d) {
                1 if !self.spent() => d = self.map.phi2(d),
                e => return (d, e < 0, on),
            }
        }
    }

    /// Algorithm 2, except for goals that are well inside.
    fn volume(&mut self, d: Dart) -> Next {
        self.tests += 1;
        if self.map.well_inside(self.map.cell(d), self.goal) {
            return Next::Stop(d, State::Cell);
        }
        let d = if self.plain {
            d
        } else {
            let towards = self.map.start_dart(d, self.goal);
            // Most goals that leave a cell are well inside the next one.
            let far = self.map.phi3(towards);
            self.tests += 1;
            if self.map.well_inside(self.map.cell(far), self.goal) {
                return Next::Stop(far, State::Cell);
            }
            towards
        };
        let (d, below, on) = self.place(d);
        let state = match (below, on) {
            (true, _) => State::Face,
            (false, true) => State::Vertex,
            (false, false) => State::Edge,
        };
        match self.past_face(d) {
            0 => Next::Stop(d, state),
            1 => {
                let far = self.map.phi3(d);
                match state {
                    _ if far == d => Next::Outside,
                    _ if self.plain => Next::Volume(far),
                    State::Edge => Next::Edge(d),
                    State::Vertex => Next::Vertex(d),
                    _ => Next::Surface(d),
                }
            }
            _ => Next::Stop(d, State::Cell),
        }
    }

    /// Algorithm 3: from a face, first the sector, then its facet.
    fn surface(&mut self, d: Dart) -> Next {
        let (d, on) = self.sector(d);
        match self.past_face(d) {
            1 => {
                let far = self.map.phi3(d);
                if far == d {
                    self.plain = true;
                    return Next::Volume(d);
                }
                Next::Volume(far)
            }
            0 => match self.past_edge(d) {
                1 => Next::Edge(d),
                -1 => Next::Stop(d, State::Face),
                _ if on => Next::Stop(d, State::Vertex),
                _ => Next::Stop(d, State::Edge),
            },
            _ => Next::Volume(d),
        }
    }

    /// Turns around the edge to the slice of space that holds the goal.
    fn edge(&mut self, mut d: Dart) -> Next {
        let near = self.map.tolerance_m();
        let (s, e) = (self.map.start(d), self.map.start(self.map.phi1(d)));
        let u = (e - s) / (e - s).norm();
        let along = (self.goal - s).dot(&u);
        if (self.goal - s - u * along).norm() <= near {
            // On the line.
            let length = (e - s).norm();
            return if along <= near {
                Next::Vertex(d)
            } else if along < length - near {
                Next::Stop(d, State::Edge)
            } else {
                Next::Vertex(self.map.phi1(d))
            };
        }
        for _ in 0..MAX_TURNS {
            if self.spent() {
                break;
            }
            let other = self.map.phi2(d);
            for facet in [d, other] {
                // On the facet itself, not on its plane behind the edge.
                if self.past_face(facet) == 0 && self.past_edge(facet) < 0 {
                    return Next::Surface(facet);
                }
            }
            let turned = if self.past_face(d) >= 0 {
                let far = self.map.phi3(d);
                if far == d { d } else { self.map.phi2(far) }
            } else if self.past_face(other) >= 0 {
                let far = self.map.phi3(other);
                if far == other { d } else { far }
            } else {
                return Next::Volume(d);
            };
            if turned == d {
                break;
            }
            d = turned;
        }
        self.plain = true;
        Next::Volume(d)
    }

    /// Turns to a volume at the vertex that has the goal beyond none of its facets.
    fn vertex(&mut self, mut d: Dart) -> Next {
        if (self.goal - self.map.start(d)).norm() <= self.map.tolerance_m() {
            return Next::Stop(d, State::Vertex);
        }
        for _ in 0..MAX_TURNS {
            if self.spent() {
                break;
            }
            let first = d;
            let beyond = loop {
                if self.past_face(d) > 0 {
                    let far = self.map.phi3(d);
                    if far != d {
                        break Some(far);
                    }
                }
                d = self.map.phi2(self.map.phi_1(d));
                if d == first || self.spent() {
                    break None;
                }
            };
            match beyond {
                // The far dart starts at the other end.
                Some(far) => d = self.map.phi1(far),
                None => break,
            }
        }
        self.plain = true;
        Next::Volume(d)
    }

    fn run(&mut self, from: Dart, state: State) -> Option<Next> {
        let mut next = match state {
            State::Cell => Next::Volume(from),
            State::Face => Next::Surface(from),
            State::Edge => Next::Edge(from),
            State::Vertex => Next::Vertex(from),
        };
        loop {
            if self.spent() {
                return None;
            }
            // From half the limit on, only the procedure for volumes is used: it always reaches the
            // goal.
            self.plain |= self.tests > self.most / 2;
            next = match next {
                Next::Volume(d) => self.volume(d),
                Next::Surface(d) => self.surface(d),
                Next::Edge(d) => self.edge(d),
                Next::Vertex(d) => self.vertex(d),
                end => return Some(end),
            };
        }
    }
}

/// Result of a walk.
enum WalkEnd {
    Reached,
    /// The goal is beyond a boundary face.
    Outside,
    Spent,
}

impl Map {
    pub(super) fn track_volume(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        if self.has_obstacles() {
            // The walk does not follow the path, so a march must find the obstacles in between.
            budget.tests += 1;
            let from = particle.position;
            return match self.march_to(
                particle.dart,
                [&from, goal],
                MarchLimits::obstacles(budget.most),
                |_| {},
            ) {
                Path::Reached(dart) => {
                    *particle = self.settle_volume(dart, goal);
                    Some(Outcome::Reached)
                }
                Path::Blocked { dart, share } => Some(Outcome::Blocked { dart, share }),
                Path::Apart | Path::Lost => None,
            };
        }
        match self.walk_volume(particle, goal, budget) {
            WalkEnd::Reached => Some(Outcome::Reached),
            WalkEnd::Spent => None,
            WalkEnd::Outside => match self.around_bay(particle, goal, budget.most) {
                Path::Reached(_) => Some(Outcome::Reached),
                Path::Blocked { dart, share } => Some(Outcome::Blocked { dart, share }),
                Path::Apart | Path::Lost => None,
            },
        }
    }

    fn walk_volume(&self, particle: &mut Particle, goal: &Vec3, budget: &mut Budget) -> WalkEnd {
        let mut walk = Walk {
            map: self,
            goal,
            tests: 0,
            most: budget.most,
            plain: false,
        };
        let end = walk.run(particle.dart, particle.state);
        budget.tests += walk.tests;
        match end {
            Some(Next::Stop(dart, state)) => {
                *particle = Particle {
                    position: *goal,
                    dart,
                    state,
                };
                WalkEnd::Reached
            }
            Some(Next::Outside) => WalkEnd::Outside,
            _ => WalkEnd::Spent,
        }
    }

    /// Looks for a path around a bay of the boundary that the walk has met, from the particle or
    /// from the centre of its cell. Moves the particle if there is one; otherwise returns how its
    /// own path ends.
    fn around_bay(&self, particle: &mut Particle, goal: &Vec3, most: u32) -> Path {
        let own = self.march_to(
            particle.dart,
            [&particle.position, goal],
            MarchLimits::steps(most),
            |_| {},
        );
        let centre = self.centre(self.cell(particle.dart));
        let mut end = own;
        if !matches!(own, Path::Reached(_)) {
            end = self.march_to(
                particle.dart,
                [&centre, goal],
                MarchLimits::steps(most),
                |_| {},
            );
        }
        match end {
            Path::Reached(dart) => {
                *particle = self.settle_volume(dart, goal);
                end
            }
            _ => own,
        }
    }

    pub(super) fn relocate_volume(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        tally: &mut Tally,
    ) -> bool {
        let mut budget = Budget {
            most: MAX_TESTS,
            tests: 0,
        };
        let walked = self.walk_volume(particle, goal, &mut budget);
        tally.add(budget.tests);
        match walked {
            WalkEnd::Reached => return true,
            WalkEnd::Outside => {
                return matches!(self.around_bay(particle, goal, MAX_TESTS), Path::Reached(_));
            }
            WalkEnd::Spent => {}
        }
        tally.fallbacks += 1;
        match self.search(particle.dart, goal) {
            Some(dart) => {
                *particle = self.settle_volume(dart, goal);
                true
            }
            None => false,
        }
    }

    /// Returns a particle at a goal in `T(dart)`, with its state.
    pub(super) fn settle_volume(&self, dart: Dart, goal: &Vec3) -> Particle {
        let mut walk = Walk {
            map: self,
            goal,
            tests: 0,
            most: MAX_TESTS,
            plain: true,
        };
        let (dart, state) = match walk.run(dart, State::Cell) {
            Some(Next::Stop(dart, state)) => (dart, state),
            // Within rounding of the boundary, or in a cell that is inverted.
            _ => (dart, State::Cell),
        };
        Particle {
            position: *goal,
            dart,
            state,
        }
    }
}
