//! Fluid-like particles: a pair force between neighbours, in the manner of Lennard-Jones, and
//! viscosity.
//!
//! # Theory
//!
//! Triquet 2001 (section 2.3.2) moves blood by particles with Lennard-Jones forces and gives no
//! constants. The r^-12 core would dictate the step, so it is softened to a parabola; the tail ends
//! at a cutoff. With the rest distance `d`, the cutoff `R = reach d`, the core's stiffness `k` and
//! the cohesion's `c <= k`, the repulsive force is
//!
//! * `c (d - r) + (k - c) (d - r)² / d` for `r < d`: at most `k d`, where two particles are in one
//!   place;
//! * `-c (r - d) (1 - s)²`, `s = (r - d) / (R - d)`, for `d <= r < R`: at most `4/27 c (R - d)` of
//!   attraction; the well is `c (R - d)² / 12` deep.
//!
//! The force and its slope are continuous. Each substep applies it as one linearly implicit
//! correction along the line of centres, with the steepest slope between the present and the rest
//! distance. So no pair overshoots, whatever the substep (a majorised descent step, one pair after
//! the other). The same correction includes viscosity. It damps the approach speed of two particles
//! with the weight `(1 - r/R)²`, the central part of dissipative particle dynamics (Español and
//! Warren 1995). That conserves linear and angular momentum, whereas the averaging of XSPH
//! (Monaghan 1989) conserves only one of them.

use super::Vec3;
use super::sphere::{SphereError, Spheres, not_negative};

/// Material of a fluid. The rest distance is twice the radius of its spheres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidMaterial {
    /// Mean stiffness of the core, N/m, positive.
    pub stiffness_n_m: f64,
    /// Stiffness near the rest distance and of the attraction, N/m: from 0 (a gas of soft balls) to
    /// the core's stiffness.
    pub cohesion_n_m: f64,
    /// Range of the attraction in rest distances: 1.05 to 3.
    pub reach: f64,
    /// Rate at which two particles in one place lose their approach speed, 1/s.
    pub viscosity_1_s: f64,
}

impl Default for FluidMaterial {
    /// Drops of grams and centimetres: core 200 N/m, cohesion a tenth of it, reach 1.5, viscosity
    /// 20 1/s.
    fn default() -> Self {
        Self {
            stiffness_n_m: 200.0,
            cohesion_n_m: 20.0,
            reach: 1.5,
            viscosity_1_s: 20.0,
        }
    }
}

impl FluidMaterial {
    pub(super) fn check(&self) -> Result<(), SphereError> {
        not_negative("cohesion_n_m", self.cohesion_n_m)?;
        not_negative("viscosity_1_s", self.viscosity_1_s)?;
        let k = self.stiffness_n_m;
        for (name, value, fine) in [
            ("stiffness_n_m", k, k > 0.0 && k.is_finite()),
            ("cohesion_n_m", self.cohesion_n_m, self.cohesion_n_m <= k),
            ("reach", self.reach, (1.05..=3.0).contains(&self.reach)),
        ] {
            if !fine {
                return Err(SphereError::Number { name, value });
            }
        }
        Ok(())
    }

    /// Returns the force between two particles of this fluid that are `distance_m` apart, N;
    /// positive means repulsion.
    #[must_use]
    pub fn force_n(&self, distance_m: f64, radius_m: f64) -> f64 {
        Fluid::new(self, radius_m).force(distance_m).0
    }

    /// Returns the energy of that force, J: 0 beyond the cutoff, smallest at the rest distance.
    #[must_use]
    pub fn energy_j(&self, distance_m: f64, radius_m: f64) -> f64 {
        let f = Fluid::new(self, radius_m);
        let well = f.cohesion * f.tail * f.tail / 12.0;
        let r = distance_m;
        if r >= f.cutoff {
            0.0
        } else if r >= f.rest {
            // The remaining part of the integral of c L² s (1 - s)².
            let u = 1.0 - (r - f.rest) / f.tail;
            -f.cohesion * f.tail * f.tail * u.powi(3) * (1.0 / 3.0 - u / 4.0)
        } else {
            let u = f.rest - r;
            f.cohesion * u * u / 2.0 + f.hardening * u.powi(3) / 3.0 - well
        }
    }
}

/// A fluid of one material and radius, with the reciprocals that spare each pair a division.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fluid {
    rest: f64,
    pub cutoff: f64,
    per_cutoff: f64,
    tail: f64,
    per_tail: f64,
    cohesion: f64,
    /// `(k - c) / d`, N/m².
    hardening: f64,
    viscosity: f64,
}

impl Fluid {
    pub fn new(material: &FluidMaterial, radius: f64) -> Self {
        let rest = 2.0 * radius;
        let cutoff = material.reach * rest;
        let tail = (material.reach - 1.0) * rest;
        Self {
            rest,
            cutoff,
            per_cutoff: 1.0 / cutoff,
            tail,
            per_tail: 1.0 / tail,
            cohesion: material.cohesion_n_m,
            hardening: (material.stiffness_n_m - material.cohesion_n_m) / rest,
            viscosity: material.viscosity_1_s,
        }
    }

    /// Returns the force (N) and the steepest slope between `r` and the rest distance (N/m,
    /// positive).
    #[inline]
    fn force(&self, r: f64) -> (f64, f64) {
        if r < self.rest {
            let u = self.rest - r;
            let more = self.hardening * u;
            ((self.cohesion + more) * u, self.cohesion + 2.0 * more)
        } else if r < self.cutoff {
            let left = 1.0 - (r - self.rest) * self.per_tail;
            let force = -self.cohesion * (r - self.rest) * left * left;
            (force, self.cohesion)
        } else {
            (0.0, self.cohesion)
        }
    }
}

/// Two particles of one fluid that may be near each other in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct FluidPair {
    pub a: u32,
    pub b: u32,
    pub fluid: u32,
}

impl FluidPair {
    /// Moves both particles; returns false if the numbers are not finite.
    #[inline]
    pub fn solve(&self, fluids: &[Fluid], s: &mut Spheres, h: f64) -> bool {
        let fluid = &fluids[self.fluid as usize];
        let (a, b) = (self.a as usize, self.b as usize);
        let apart = s.x[a] - s.x[b];
        let square = apart.norm_squared();
        if square >= fluid.cutoff * fluid.cutoff {
            return true;
        }
        let w = s.inverse_mass[a] + s.inverse_mass[b];
        if w == 0.0 {
            return true;
        }
        let r = square.sqrt();
        // Two coincident particles need some direction to part: z.
        let n = if r > 0.0 {
            apart * (1.0 / r)
        } else {
            Vec3::z()
        };
        let (force, slope) = fluid.force(r);
        let near = 1.0 - r * fluid.per_cutoff;
        let drag = h * fluid.viscosity * near * near;
        let moved = n.dot(&((s.x[a] - s.before[a]) - (s.x[b] - s.before[b])));
        let wh = w * h * h;
        let p = (wh * force - drag * moved) / (w * (1.0 + wh * slope + drag));
        if !p.is_finite() {
            return false;
        }
        let p = n * p;
        s.x[a] += p * s.inverse_mass[a];
        s.x[b] -= p * s.inverse_mass[b];
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RADIUS: f64 = 0.005;

    fn material() -> FluidMaterial {
        FluidMaterial {
            stiffness_n_m: 300.0,
            cohesion_n_m: 40.0,
            reach: 1.7,
            viscosity_1_s: 0.0,
        }
    }

    /// The force is minus the slope of the energy, both are continuous, and the bounds of the
    /// module documentation hold.
    #[test]
    fn the_force_is_the_slope_of_the_energy_and_bounded() {
        let m = material();
        let (d, tail) = (2.0 * RADIUS, 0.7 * 2.0 * RADIUS);
        let e = 1e-8;
        for i in 1..2000 {
            let r = f64::from(i) * 1e-5 + 3e-6;
            let slope = (m.energy_j(r + e, RADIUS) - m.energy_j(r - e, RADIUS)) / (2.0 * e);
            let force = m.force_n(r, RADIUS);
            assert!((force + slope).abs() < 1e-6, "{r}: {force} {slope}");
            assert!(force <= 300.0 * d && force >= -4.0 / 27.0 * 40.0 * tail * (1.0 + 1e-12));
            let kink = (m.force_n(r + e, RADIUS) - 2.0 * force + m.force_n(r - e, RADIUS)) / e;
            assert!(kink.abs() < 1e-2, "{r}: {kink}");
        }
        assert_eq!(m.force_n(0.0, RADIUS), 300.0 * d);
        assert_eq!(m.energy_j(1.7 * d, RADIUS), 0.0);
        assert!((m.energy_j(d, RADIUS) + 40.0 * tail * tail / 12.0).abs() < 1e-15);
    }

    /// The slope that the correction uses is the steepest between there and the rest distance.
    #[test]
    fn the_slope_is_the_steepest_on_the_way_to_rest() {
        let f = Fluid::new(&material(), RADIUS);
        for i in 0..1700 {
            let r = f64::from(i) * 1e-5;
            let (_, bound) = f.force(r);
            for k in 0..100 {
                let at = r + (f.rest - r) * f64::from(k) / 100.0;
                let slope = (f.force(at + 1e-9).0 - f.force(at - 1e-9).0) / 2e-9;
                assert!(
                    -slope <= bound * (1.0 + 1e-4) + 1e-4,
                    "{r} {at}: {slope} {bound}"
                );
            }
        }
    }

    /// However long the substep, two particles that approach their rest distance do not pass it.
    #[test]
    fn no_pair_overshoots_its_rest_distance() {
        let fluids = [Fluid::new(&material(), RADIUS)];
        let near = FluidPair {
            a: 0,
            b: 1,
            fluid: 0,
        };
        for start in [0.0, 1e-4, 5e-3, 9e-3, 11e-3, 15e-3] {
            for h in [1e-4, 1e-2, 1.0, 1e3] {
                let mut s = Spheres::default();
                for x in [start, 0.0] {
                    let place = Vec3::new(0.0, 0.0, x);
                    s.push(&crate::Sphere::at(place, 1e-3, RADIUS, 0));
                }
                assert!(near.solve(&fluids, &mut s, h));
                let r = (s.x[0] - s.x[1]).norm();
                let rest = 2.0 * RADIUS;
                assert!((r - start) * (rest - start) > 0.0, "it went the wrong way");
                assert!((rest - r) * (rest - start) >= -1e-18, "{start} {h}: {r}");
            }
        }
    }
}
