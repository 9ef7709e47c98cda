//! What a tool touches, and how stiff the spring is in which direction: each material answers for
//! what it holds.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic.
//!
//! # Theory
//! A surface of stiffness `k_i` under a coupling of stiffness `K` is a spring of `c_i` behind it,
//! `1/k_i = 1/K + 1/c_i`. Contacts of one stiffness together hold the part `a_i u_i` of the stretch
//! `s`, `u_i` of length one by the coupling's metric. What is stored,
//!
//! ```text
//! V(s) = min over z of  K |z - s|^2 / 2  +  sum of c_i (u_i . z)^2 / 2
//! ```
//!
//! has the gradient `F = K U (U'U + D)^-1 U' s` with `D = diag(K / c_i)`: symmetric, so that closed
//! paths give nothing. Where contacts are square to each other each gives `k_i a_i`, as if it were
//! alone; where they are parallel they are springs side by side, of which the stiffer one carries.
//! None pulls: one that would is left out.

use hapticd_dynamics::Motion;
use hapticd_geometry::Vec3;
use nalgebra::Matrix6;

/// Stiffnesses that are told apart: beyond, the softest of the last ones counts.
const MOST: usize = 4;
/// A part of the stretch that is so small a share of the whole has no direction.
const LEAST: f64 = 1e-9;

/// Contacts of one stiffness.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    stiffness_n_per_m: f64,
    /// The part of the stretch that they hold: shift, m, and its moment about the spring's centre,
    /// m².
    push: Motion,
}

/// What holds a tool in a tick, by material.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touched {
    /// Least stiffness and damping of the tick.
    softest: Option<(f64, f64)>,
    groups: [Group; MOST],
    count: usize,
}

impl Touched {
    /// Nothing.
    pub fn new() -> Self {
        Touched::default()
    }

    /// Forgets who holds how much, before the contacts are asked again. Least stiffness and damping
    /// stay the tick's.
    pub fn ask_again(&mut self) {
        self.count = 0;
    }

    /// A material of this stiffness and damping is touched.
    pub fn touch(&mut self, stiffness_n_per_m: f64, damping_n_s_per_m: f64) {
        let (k, b) = self.softest.unwrap_or((f64::INFINITY, f64::INFINITY));
        self.softest = Some((k.min(stiffness_n_per_m), b.min(damping_n_s_per_m)));
    }

    /// Nothing else was: a material of this stiffness and damping.
    pub fn or_touch(&mut self, material: Option<(f64, f64)>) {
        self.softest = self.softest.or(material);
    }

    /// It holds so much of the stretch: `push`, m, at `lever` from the spring's centre, m.
    pub fn hold(&mut self, stiffness_n_per_m: f64, push: &Vec3, lever: &Vec3) {
        let moment = lever.cross(push);
        let push = Motion::new(push.x, push.y, push.z, moment.x, moment.y, moment.z);
        let known = &mut self.groups[..self.count];
        if let Some(group) = known
            .iter_mut()
            .find(|group| group.stiffness_n_per_m == stiffness_n_per_m)
        {
            group.push += push;
        } else if self.count < MOST {
            self.groups[self.count] = Group {
                stiffness_n_per_m,
                push,
            };
            self.count += 1;
        } else {
            let last = &mut self.groups[MOST - 1];
            last.stiffness_n_per_m = last.stiffness_n_per_m.min(stiffness_n_per_m);
            last.push += push;
        }
    }

    /// Least stiffness and damping of what was touched in this tick.
    pub fn softest(&self) -> Option<(f64, f64)> {
        self.softest
    }

    /// Where several stiffnesses hold: the spring's, in shares of `whole` (N/m), and the stretch
    /// that they hold, both by the metric of this gyration.
    pub(super) fn form(&self, whole: f64, gyration_m2: Option<f64>) -> Option<(Form, Motion)> {
        let lever_m = gyration_m2.map_or(0.0, f64::sqrt);
        let mut parts = [(0.0, Motion::zeros()); MOST];
        let mut held = Motion::zeros();
        let mut count = 0;
        for group in &self.groups[..self.count] {
            let mut push = group.push;
            let scale = if lever_m > 0.0 { 1.0 / lever_m } else { 0.0 };
            push.fixed_rows_mut::<3>(3).scale_mut(scale);
            held += push;
            // All that is as stiff as the arm is one.
            let share = (group.stiffness_n_per_m / whole).min(1.0);
            match parts[..count].iter_mut().find(|part| part.0 == share) {
                Some(part) => part.1 += push,
                None => {
                    parts[count] = (share, push);
                    count += 1;
                }
            }
        }
        let least = LEAST * held.norm();
        let mut kept = 0;
        for k in 0..count {
            let (share, push) = parts[k];
            let length = push.norm();
            if length > least && share > 0.0 {
                parts[kept] = (share, push / length);
                kept += 1;
            }
        }
        let parts = &mut parts[..kept];
        (kept > 1).then(|| (Form::of(parts, &held), held))
    }
}

/// A spring that is not as stiff in each direction, in shares of the coupling's stiffness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form(Matrix6<f64>);

impl Form {
    /// Shares and directions of what holds; `held` is what they hold together.
    fn of(parts: &mut [(f64, Motion)], held: &Motion) -> Self {
        let softest = parts.iter().fold(1.0, |least: f64, part| least.min(part.0));
        // Across all of them nothing is stretched now: what comes there finds the softest.
        let mut form = (Matrix6::identity() - span(parts)) * softest;
        let mut count = parts.len();
        let mut inverse = nalgebra::Matrix4::zeros();
        while count > 0 {
            // Those that are left out have no place in the system: one on the diagonal.
            let mut system = nalgebra::Matrix4::identity();
            let mut right = nalgebra::Vector4::zeros();
            for i in 0..count {
                for j in 0..count {
                    system[(i, j)] = parts[i].1.dot(&parts[j].1);
                }
                system[(i, i)] = 1.0 / parts[i].0;
                right[i] = parts[i].1.dot(held);
            }
            // Positive: parallel ones differ in stiffness, and one at most is as stiff as the arm.
            inverse = system
                .try_inverse()
                .unwrap_or_else(nalgebra::Matrix4::zeros);
            let force = inverse * right;
            let weakest = (0..count).min_by(|a, b| force[*a].total_cmp(&force[*b]));
            match weakest.filter(|weakest| force[*weakest] < 0.0) {
                Some(weakest) => {
                    parts[weakest..count].rotate_left(1);
                    count -= 1;
                }
                None => break,
            }
        }
        let parts = &parts[..count];
        for (i, a) in parts.iter().enumerate() {
            for (j, b) in parts.iter().enumerate() {
                form += a.1 * b.1.transpose() * inverse[(i, j)];
            }
        }
        Form(form)
    }

    /// What is stored along this, as a share of what the coupling's whole stiffness would store.
    pub fn share(&self, along: &Motion) -> f64 {
        let square = along.norm_squared();
        match square > 0.0 {
            true => along.dot(&(self.0 * along)) / square,
            false => self.0[(0, 0)],
        }
    }

    /// The part of the force on a stretch that is across it, in shares.
    pub fn across(&self, along: &Motion) -> Motion {
        self.0 * along - along * self.share(along)
    }
}

/// The projector on what these directions span.
fn span(parts: &[(f64, Motion)]) -> Matrix6<f64> {
    let mut projector = Matrix6::zeros();
    for (k, part) in parts.iter().enumerate() {
        // Twice: once leaves rounding of a nearly parallel one.
        let mut rest = part.1;
        for _ in 0..2 {
            rest -= projector * rest;
        }
        let length = rest.norm();
        if k == 0 || length > 1e-6 {
            projector += rest * rest.transpose() / (length * length);
        }
    }
    projector
}

#[cfg(test)]
mod tests;
