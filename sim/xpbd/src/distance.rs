//! Distance constraint between two particles, `C = |a - b| - rest`: the threads of a cloth
//! (Macklin, Müller, Chentanez 2016, XPBD).

use crate::Vec3;

#[derive(Clone, Copy, Debug)]
/// A thread between two particles: a spring given by its compliance, with viscosity.
pub struct Distance {
    /// The two ends.
    pub particles: [u32; 2],
    /// Rest length, m.
    pub rest: f64,
    /// Inverse stiffness, m/N.
    pub compliance: f64,
    /// Viscosity over stiffness, s.
    pub damping: f64,
}

impl Distance {
    /// Moves both particles; returns false if the numbers are not finite.
    #[inline]
    pub fn solve(&self, x: &mut [Vec3], before: &[Vec3], w: &[f64], h: f64) -> bool {
        let [a, b] = self.particles.map(|p| p as usize);
        let mass = w[a] + w[b];
        let apart = x[a] - x[b];
        let length = apart.norm();
        if mass == 0.0 || length == 0.0 {
            return true;
        }
        let n = apart / length;
        let mut error = length - self.rest;
        let mut gain = mass;
        if self.damping > 0.0 {
            let gamma = self.damping / h;
            error += gamma * n.dot(&((x[a] - before[a]) - (x[b] - before[b])));
            gain *= 1.0 + gamma;
        }
        let p = -error / (gain + self.compliance / (h * h));
        if !p.is_finite() {
            return false;
        }
        x[a] += n * (p * w[a]);
        x[b] -= n * (p * w[b]);
        true
    }
}
