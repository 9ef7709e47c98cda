//! The rounds of a tick: each projects the rest of the wanted motion on the contacts in reach, and
//! makes as much of it as is proven free.
//!
//! Real-time callable: no allocation, no blocking; at most [`MAX_SUBSTEPS`] rounds, and the pair
//! budget of each.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Rigid, Screw, Vec3};

use super::planes::{Aim, Round};
use super::survey::ROUNDING_M;
use super::{GUARD, Proxy, TickContext};
use crate::bodies::BodyTable;
use crate::coupling::Touched;
use crate::outcome::{ArmOutcome, MAX_SUBSTEPS, MIN_SUBSTEP_M};
use crate::rows::{Candidate, candidate};
use crate::screw_path::ScrewPath;
use crate::twist::shift_of_velocity;

/// Largest rotation of one piece of path, rad. It is below half a turn, so that the corners of the
/// path determine the sense of rotation. It is also limited because rows are linear.
const MAX_TURN: f64 = 3.0;
/// Longest motion that is projected on contacts at once, in tool sizes (radii of its ball).
const MAX_STRIDE: f64 = 0.25;
/// Rotation from which a motion in contact counts as turning, rad.
const TURNING: f64 = 1e-5;
/// Excess distance, as a share of the safe distance, up to which a contact counts as where its row
/// put it.
const SLACK: f64 = 0.1;
/// Cosine of the largest rotation of a normal for which a contact still counts as the same: 0.1
/// degrees. Where a ball rolls round an edge, the force is off by the same angle. On moving
/// surfaces 2.5 degrees.
const SAME_NORMAL_COS: [f64; 2] = [1.0 - 2e-6, 0.999];
/// Cosine of the largest angle between the normals of one plane: 0.08 degrees.
const SAME_PLANE_COS: f64 = 1.0 - 1e-6;

/// Limits of one round's search for contacts.
struct Search {
    /// Path by which bodies, soft surfaces and the recovery of the safe distance may exceed the
    /// wanted motion, m.
    push_m: f64,
    /// Longest path that certificate and budget allow, m.
    allowed_m: f64,
    /// Path of the first search, m.
    first_m: f64,
    /// Most pairs to evaluate.
    budget: usize,
    /// True if the budget allows less than the certificate.
    is_short: bool,
    /// Number of candidates kept from the round before; 0 unless the budget is short.
    kept: usize,
}

/// Motion of one round, projected on the contacts within the searched path.
struct Step {
    /// Shift of the shape's centre, and rotation vector.
    motion: Motion,
    /// The same motion as a screw.
    screw: Screw,
    /// Upper bound on the path of a point of the tool on that screw, m.
    path_m: f64,
    /// Path for which contacts were searched, m; the tool goes no further.
    searched_m: f64,
    /// Number of rows of the projection.
    rows: usize,
    /// Part of the wanted motion that was projected; below 1 for a stride.
    share: f64,
    /// True if no row changed the wanted motion.
    is_free: bool,
    /// True if the largest rotation cut the motion.
    is_cut: bool,
}

/// What ended the motion of one round.
enum End {
    /// The tool is at the goal of the tick.
    Goal,
    /// This candidate stopped it.
    Contact(usize),
    /// It made all of the step that was searched.
    Whole,
}

impl Proxy {
    /// Moves the proxy to the goal in rounds, until it is there or nothing more can be made of the
    /// wanted motion. Returns the pose that it would have reached if certificate or budget had not
    /// ended first; `None` if neither did.
    pub(super) fn approach(
        &mut self,
        context: &TickContext<'_>,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> Option<Pose> {
        let (mut walked, mut ahead) = (0.0, None);
        self.load_count = 0;
        self.moved_by = false;
        (self.behind_m, self.uncarried) = (0.0, 1.0);
        self.holding.clear();
        for substep in 0..MAX_SUBSTEPS {
            self.keep_holding();
            self.survey(context.bodies);
            let aim = self.aim(&self.proxy, &context.goal, context.period_s);
            if self.is_done(&aim, context, substep) {
                break;
            }
            let search = self.limit_search(&aim, context, substep, out.pairs_tested as usize);
            out.substeps += 1;
            let step = self.find_step(&aim, &search, context, out, touched);
            out.rows = out.rows.max(step.rows as u32);
            if !step.path_m.is_finite() || step.path_m < MIN_SUBSTEP_M {
                break;
            }
            walked += step.path_m.min(step.searched_m);
            let round = Round {
                from: self.proxy,
                uncarried: self.uncarried,
                is_free: false,
                kept: search.kept,
            };
            match self.advance(&step, &aim.wanted, &context.goal, out) {
                End::Goal => break,
                End::Contact(candidate) => self.stop_at(candidate, context.tick),
                End::Whole if out.starved => {
                    ahead = Some(self.beyond_step(&round, &step, search.is_short, context, out));
                    break;
                }
                End::Whole if self.is_settled(&step, &aim.wanted, context.bodies) => break,
                End::Whole => {}
            }
            if self.is_spent(out) {
                // Another round could evaluate nothing, and would take the contacts for gone.
                out.starved = true;
                ahead = Some(self.beyond(&round, context, out));
                break;
            }
        }
        self.stride = 1.1 * walked + self.distances.safe_m;
        ahead
    }

    /// Returns true if a round has nothing to do: the aim is invalid, or the tool is at its goal
    /// and nothing pushes it. The first round always projects, since it determines the contacts.
    fn is_done(&self, aim: &Aim, context: &TickContext<'_>, substep: usize) -> bool {
        let pushes = |key| context.bodies.step_path(key) > 0.0;
        let is_pushed = self.near.iter().any(|n| pushes(n.entry.key)) || context.soft_m > 0.0;
        !aim.path_m.is_finite() || (aim.path_m < MIN_SUBSTEP_M && !is_pushed && substep > 0)
    }

    /// Returns true if the tick has evaluated all the pairs that it may.
    #[inline]
    fn is_spent(&self, out: &ArmOutcome) -> bool {
        out.pairs_tested as usize >= MAX_SUBSTEPS * self.pair_budget
    }

    /// Returns how far and over how many pairs a round may search, after `tested` pairs of earlier
    /// rounds. If the budget is short, what held the tool in the round before is evaluated first.
    fn limit_search(
        &mut self,
        aim: &Aim,
        context: &TickContext<'_>,
        substep: usize,
        tested: usize,
    ) -> Search {
        // The search covers the wanted motion, pushes by bodies and the recovery of the safe
        // distance.
        let bodies = context.bodies;
        let steps = self.near.iter().map(|n| bodies.step_path(n.entry.key));
        let push_m = self.distances.safe_m + context.soft_m + steps.sum::<f64>();
        let mut allowed_m = aim.path_m + push_m;
        // A round takes its share of the tick's pairs; if that cuts it short, all that the tick has
        // left.
        let left = (MAX_SUBSTEPS * self.pair_budget).saturating_sub(tested);
        let mut budget = self.pair_budget.min(left);
        let (mut kept, mut is_short) = (0, false);
        if let Some(s) = self.snapshot.as_deref() {
            let certified = self.certified_path(allowed_m);
            allowed_m = self.affordable_path(&self.near, s, certified, budget);
            if allowed_m < certified && budget < left {
                budget = left;
                allowed_m = self.affordable_path(&self.near, s, certified, budget);
            }
            is_short = allowed_m < certified;
            if is_short {
                kept = self.recall();
            }
        }
        // A pressing hand wants millimetres and moves micrometres. So the search covers only the
        // last tick's motion, and is repeated over everything if that was too short. The proxy
        // never passes what was not searched: `advance` cuts the path there. Later rounds seldom
        // find more than what a contact's plane cut off. Tools that press each other need all rows,
        // because `together` derives their goals from them.
        let presses = self.yields != Motion::zeros();
        let first_m = allowed_m.min(if presses {
            f64::INFINITY
        } else if substep == 0 {
            self.stride
        } else {
            2.0 * self.distances.safe_m
        });
        Search {
            push_m,
            allowed_m,
            first_m,
            budget,
            is_short,
            kept,
        }
    }

    /// Searches contacts and projects the wanted motion on them, again over a longer path while
    /// the projected motion exceeds what was searched.
    fn find_step(
        &mut self,
        aim: &Aim,
        search: &Search,
        context: &TickContext<'_>,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> Step {
        let (mut searched_m, mut share, mut is_cut) = (search.first_m, 1.0, false);
        loop {
            out.pairs_tested += self.gather(context.bodies, searched_m, search.budget, search.kept);
            let (mut motion, rows) =
                self.project_stride(aim, &mut share, context.bodies, out, touched);
            self.slipping(&mut motion, &context.hand_step);
            self.pressing(&mut motion, &aim.wanted, search.push_m);
            let is_free = motion == aim.wanted;
            is_cut |= cut_turn(&mut motion);
            let screw = screw_of(&motion, &aim.centre);
            let path_m = self.shape.path(&screw, &self.proxy);
            let is_covered = path_m <= searched_m || searched_m >= search.allowed_m;
            if is_covered || self.is_spent(out) || !path_m.is_finite() {
                return Step {
                    motion,
                    screw,
                    path_m,
                    searched_m,
                    rows,
                    share,
                    is_free,
                    is_cut,
                };
            }
            searched_m = if searched_m == search.first_m {
                search.allowed_m.min(2.0 * path_m)
            } else {
                search.allowed_m
            };
        }
    }

    /// Projects the wanted motion on the contacts: all of it, or a stride if the tool turns about
    /// something that holds it. Writes the stride's part of the motion to `share`, which later
    /// projections of the round keep. Returns the motion and the number of rows.
    ///
    /// Rows are tangent planes of a contact that bends as the tool turns about it. If the hand is
    /// further away than the contact's radius of curvature, its projection would overshoot back and
    /// forth. In contact the goal is therefore approached in strides.
    fn project_stride(
        &mut self,
        aim: &Aim,
        share: &mut f64,
        bodies: &BodyTable,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> (Motion, usize) {
        let bold = MAX_STRIDE * self.shape.bound_m;
        let aims = [aim.pull * *share, aim.wanted * *share];
        let (motion, rows) = self.project(&aims, aim, bodies, out, touched);
        // Without rotation, as in sliding on a face, the planes are exact.
        let turning = motion.fixed_rows::<3>(3).norm() > TURNING;
        let bounded = turning && *share == 1.0 && aim.path_m > bold;
        let held = motion != aims[1] || out.contacts[..out.contact_count].iter().any(|c| c.active);
        if !(bounded && held) {
            return (motion, rows);
        }
        *share = bold / aim.path_m;
        let aims = [aim.pull * *share, aim.wanted * *share];
        self.project(&aims, aim, bodies, out, touched)
    }

    /// Makes as much of a step as was searched and is proven free, and returns what ended it.
    fn advance(&mut self, step: &Step, wanted: &Motion, goal: &Pose, out: &mut ArmOutcome) -> End {
        let mut t_end = 1.0_f64;
        if step.path_m > step.searched_m {
            t_end = step.searched_m / step.path_m;
            self.behind_m = step.path_m - step.searched_m;
            out.starved = true;
        }
        out.starved |= step.is_cut;
        let (t, stopper) = self.first_contact(&step.screw, step.path_m, t_end);
        if t == 1.0 && step.motion == *wanted {
            // The end of the screw except for rounding; without this, free space would render
            // 1e-17 m.
            self.proxy = *goal;
            out.walked(&self.proxy);
            return End::Goal;
        }
        if t > 0.0 {
            self.proxy = step.screw.pose_at(&self.proxy, t);
            self.proxy.rotation.renormalize_fast();
            out.walked(&self.proxy);
            self.uncarried *= 1.0 - t;
        }
        stopper.map_or(End::Whole, End::Contact)
    }

    /// Notes the candidate that stopped the tool: it holds the tool in the next round, and has a
    /// row for some ticks.
    fn stop_at(&mut self, candidate: usize, tick: u64) {
        if !self.holding.contains(&(candidate as u32)) {
            self.holding.push(candidate as u32);
        }
        self.remember(candidate, tick);
    }

    /// Returns the pose that the tool would have reached by a step without the end of certificate
    /// or budget.
    ///
    /// Known surfaces hold back even beyond the certificate. If the budget left some out, only the
    /// projected motion is known; but nothing holds what remains after a stride.
    fn beyond_step(
        &mut self,
        round: &Round,
        step: &Step,
        is_short: bool,
        context: &TickContext<'_>,
        out: &mut ArmOutcome,
    ) -> Pose {
        let (t, _) = self.first_contact(&step.screw, step.path_m, 1.0);
        let is_free = step.is_free && t == 1.0;
        match is_short && step.share == 1.0 {
            true if is_free => context.goal,
            true => step.screw.pose_at(&round.from, t),
            false => self.beyond(&Round { is_free, ..*round }, context, out),
        }
    }

    /// Returns true if another round would find nothing after the whole projected motion was made.
    /// The rest of the wanted one is behind contacts, unless far rows were only guesses: one more
    /// round finds that out.
    fn is_settled(&self, step: &Step, wanted: &Motion, bodies: &BodyTable) -> bool {
        if step.rows == 0 {
            return true;
        }
        let held = (step.motion - wanted).norm() > 1e-3 * wanted.norm();
        step.share == 1.0 && (!held || self.still_holds(step.path_m, bodies))
    }

    /// Returns true if the contacts that held back the last projection still hold at the end of its
    /// motion, `path` long: present, at the safe distance, and facing as before. The rest of the
    /// wanted motion is then behind them, and another round would find nothing.
    ///
    /// A contact that slid off its feature may have been replaced by a neighbour in the same plane,
    /// as on every inner edge of a flat side.
    fn still_holds(&self, path: f64, bodies: &BodyTable) -> bool {
        let Some(snapshot) = self.snapshot.as_deref() else {
            return false;
        };
        let world_from_tool = Rigid::new(&self.proxy);
        let near_enough = (1.0 + SLACK) * self.distances.safe_m;
        let now = |c: &Candidate| {
            let pair = &snapshot.pairs[c.pair_index as usize];
            let near = &self.near[c.body_index as usize];
            Candidate {
                radius_m: c.radius_m,
                ..candidate(pair, &world_from_tool, near.frame())
            }
        };
        let holds = |c: &Candidate, normal: &Vec3, facing: f64| {
            let gap = c.distance_m - c.radius_m;
            c.contact && gap <= near_enough && c.normal.dot(normal) > facing
        };
        let close = |p: &Vec3, q: &Vec3| (p - q).norm_squared() <= path * path;
        self.holding.iter().all(|&i| {
            let before = &self.candidates[i as usize];
            let itself = now(before);
            let body = self.near[before.body_index as usize].entry.key;
            let facing = SAME_NORMAL_COS[usize::from(bodies.step_path(body) > 0.0)];
            holds(&itself, &before.normal, facing)
                || self.candidates.iter().any(|other| {
                    other.body_index == before.body_index
                        && close(&other.tool_point, &before.tool_point)
                        && {
                            let there = now(other);
                            holds(&there, &before.normal, SAME_PLANE_COS)
                                && close(&there.tool_point, &itself.tool_point)
                        }
                })
        })
    }

    /// Returns the earliest proven lower bound over the candidates, and the candidate that set it.
    fn first_contact(&self, screw: &Screw, path: f64, t_end: f64) -> (f64, Option<usize>) {
        let clearance_m = GUARD * self.distances.clearance_m;
        let way = ScrewPath::new(screw);
        let mut t = t_end;
        let mut stopper = None;
        for (i, c) in self.candidates.iter().enumerate() {
            let threshold = c.radius_m + clearance_m;
            // Not: `distance >= ...`, so that NaN is tested (and stops).
            if c.distance_m - path > threshold || way.least_gap(c) > threshold + ROUNDING_M {
                continue;
            }
            let at = way.advance(c.features(), &c.normal, threshold, t);
            if at < t {
                t = at;
                stopper = Some(i);
            }
        }
        (t, stopper)
    }
}

/// Cuts a motion to the largest rotation of one piece of path: to a part of the same twist, since
/// the screw of more than half a turn would be another one. Returns true if it cut.
#[inline]
fn cut_turn(motion: &mut Motion) -> bool {
    let angle = motion.fixed_rows::<3>(3).norm();
    let is_cut = angle > MAX_TURN;
    if is_cut {
        *motion *= MAX_TURN / angle;
    }
    is_cut
}

/// Returns the screw of a motion about `centre`.
#[inline]
fn screw_of(motion: &Motion, centre: &Vec3) -> Screw {
    let turn = motion.fixed_rows::<3>(3).into_owned();
    let shift = shift_of_velocity(&motion.fixed_rows::<3>(0).into_owned(), &turn);
    Screw::from_twist(&shift, &turn, centre)
}
