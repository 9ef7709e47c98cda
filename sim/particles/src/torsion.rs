//! Twist resistance of a curved wire: one constraint for each four consecutive spheres.
//!
//! # Theory
//!
//! Three segments `a`, `b`, `c` span the volume `V = a . (b x c)`. It is `l³ t1 t2 sin(f)` with the
//! angles `t1`, `t2` between segments and `f` between the planes of the first two and the last two:
//! torsion times length. With the rest lengths and angles as constants, `C = (V - V at rest) / l³
//! t1 t2` is the change of that angle where it is small. It has a sign: a right-handed coil does
//! not come to rest as a left-handed one, as it would with distance constraints. The energy is `EI
//! C² / 2l`: a wire as stiff against twisting as against bending. Where the wire is straight no
//! plane is defined, and nothing resists.

use crate::Vec3;

/// Smallest angle between segments, rad, at which a wire defines a plane.
const CURVED: f64 = 0.01;

#[derive(Clone, Copy, Debug)]
pub(super) struct Torsion {
    pub spheres: [u32; 4],
    /// `V` at rest, m³.
    rest: f64,
    /// `1 / (l1 l2 l3 t1 t2)`, 1/m³.
    scale: f64,
    /// `l / EI`, 1/J.
    compliance: f64,
    /// Viscosity over stiffness, s.
    damping: f64,
}

fn pieces(x: [&Vec3; 4]) -> [Vec3; 3] {
    [x[1] - x[0], x[2] - x[1], x[3] - x[2]]
}

impl Torsion {
    /// Builds the constraint on four spheres at `at`, with their present shape as rest shape.
    /// Returns `None` if they are too straight.
    pub fn new(spheres: [u32; 4], at: [&Vec3; 4], rigidity: f64, damping: f64) -> Option<Self> {
        let [a, b, c] = pieces(at);
        let l = [a.norm(), b.norm(), c.norm()];
        let angles = [
            a.cross(&b).norm() / (l[0] * l[1]),
            b.cross(&c).norm() / (l[1] * l[2]),
        ];
        let torsion = Self {
            spheres,
            rest: a.dot(&b.cross(&c)),
            scale: 1.0 / (l[0] * l[1] * l[2] * angles[0] * angles[1]),
            compliance: (l[0] + l[1] + l[2]) / 3.0 / rigidity,
            damping,
        };
        let curved = angles[0] > CURVED && angles[1] > CURVED;
        (curved && torsion.scale.is_finite() && torsion.compliance.is_finite()).then_some(torsion)
    }

    /// Moves the four spheres; returns false if the numbers are not finite.
    #[inline]
    pub fn solve(&self, x: &mut [Vec3], before: &[Vec3], w: &[f64], h: f64) -> bool {
        let id = self.spheres.map(|i| i as usize);
        let [a, b, c] = pieces(id.map(|i| &x[i]));
        let (da, db, dc) = (b.cross(&c), c.cross(&a), a.cross(&b));
        let gradients = [-da, da - db, db - dc, dc].map(|g| g * self.scale);
        let mut gain = 0.0;
        let mut moved = 0.0;
        for (g, &i) in gradients.iter().zip(&id) {
            gain += w[i] * g.norm_squared();
            moved += g.dot(&(x[i] - before[i]));
        }
        if gain == 0.0 {
            return true;
        }
        let gamma = self.damping / h;
        let error = (a.dot(&da) - self.rest) * self.scale + gamma * moved;
        let p = -error / (gain * (1.0 + gamma) + self.compliance / (h * h));
        if !p.is_finite() {
            return false;
        }
        for (g, &i) in gradients.iter().zip(&id) {
            x[i] += g * (p * w[i]);
        }
        true
    }
}
