//! Brings liquids to rest before the scene begins.
//!
//! A shape is filled with drops on a lattice, side by side. Such a heap bears nothing: the drops
//! would fall in on each other and splash, and a hand would feel it. So they fall and flow for a
//! while before the scene begins, first nearly freely and then as in honey, until their own
//! mechanics hold them. All other spheres are held meanwhile, and no tool is there.

use hapticd_geometry::Vec3;

use super::bodies::ImplicitBodies;
use super::sampled;

/// Settling time, s: a fall of a hand's breadth, plus sloshing.
const TIME_S: f64 = 0.4;
/// Step while settling, or the scene's step if that is longer, s.
const STEP_S: f64 = 0.012;
/// Rate of velocity loss while settling, 1/s: first almost none, then strong.
const LOST_1_S: [f64; 2] = [2.0, 20.0];
/// Fraction of the time after which the second rate applies.
const SLOW_FROM: f64 = 0.4;
/// Largest number of drops times substeps: 4,000 drops get the full time, more get less.
const MAX_WORK: f64 = 1e6;
/// Largest initial displacement of a drop from its lattice, as a fraction of its radius; without
/// it, columns of drops would stand.
const MAX_SHIFT: f64 = 0.05;
/// Fraction of the terminal speed above which a liquid counts as falling: it has found no ground.
const FALLS: f64 = 0.5;

impl ImplicitBodies {
    /// Settles the liquids. See the module documentation. `step_s` is the scene's step. Allocates.
    pub fn settle(&mut self, step_s: f64) {
        let liquids: Vec<usize> = (0..self.bodies.len())
            .filter(|place| self.bodies[*place].liquid)
            .collect();
        if liquids.is_empty() {
            return;
        }
        let at_first = self.world.positions().to_vec();
        let drops: Vec<u32> = liquids
            .iter()
            .flat_map(|place| self.bodies[*place].spheres.clone())
            .filter(|drop| self.world.is_fixed(*drop) == Some(false))
            .collect();
        let mut held = vec![true; at_first.len()];
        for drop in &drops {
            held[*drop as usize] = false;
        }
        let others = (0..).zip(held);
        let others = others.filter(|(i, held)| *held && self.world.is_fixed(*i) == Some(false));
        let others: Vec<u32> = others.map(|(i, _)| i).collect();
        for other in &others {
            let _ = self.world.set_fixed(*other, true);
        }
        for drop in &drops {
            let radius_m = self.world.radii()[*drop as usize];
            let by = shaken(*drop) * (MAX_SHIFT * radius_m);
            let _ = (self.world).place(*drop, at_first[*drop as usize] + by, Vec3::zeros());
        }

        let dt_s = STEP_S.max(step_s);
        let substeps = f64::from(self.world.settings().substeps);
        let most = (MAX_WORK / (substeps * drops.len() as f64)).max(1.0);
        let steps = (TIME_S / dt_s).ceil().min(most) as u32;
        for step in 0..steps {
            self.rigids.find(&self.world, dt_s);
            sampled::obstacles(&self.world, &self.bodies, dt_s, &mut self.rigids.list);
            // Anything refused here is also refused in the scene's steps, which count it.
            let _ = self.world.step(dt_s, &self.rigids.list, &[]);
            self.follow();
            let late = f64::from(step) >= SLOW_FROM * f64::from(steps);
            let keep = (-LOST_1_S[usize::from(late)] * dt_s).exp();
            for drop in &drops {
                let i = *drop as usize;
                let (at, velocity) = (self.world.positions()[i], self.world.velocities()[i]);
                let _ = self.world.place(*drop, at, velocity * keep);
            }
        }

        let falling_m_s = FALLS * self.world.settings().gravity_m_s2.norm() / LOST_1_S[1];
        for place in liquids {
            let spheres = self.bodies[place].spheres.clone();
            let range = spheres.start as usize..spheres.end as usize;
            let speeds = self.world.velocities()[range].iter();
            let mean = speeds.sum::<Vec3>() / spheres.len() as f64;
            let falls = falling_m_s > 0.0 && mean.norm() > falling_m_s;
            for drop in spheres {
                let i = drop as usize;
                let at = if falls {
                    at_first[i]
                } else {
                    self.world.positions()[i]
                };
                let _ = self.world.place(drop, at, Vec3::zeros());
            }
        }
        for other in &others {
            let _ = self.world.set_fixed(*other, false);
        }
        self.follow();
    }
}

/// Returns a pseudo-random vector, up to 1 along each axis.
fn shaken(number: u32) -> Vec3 {
    let share = |axis: u64| {
        let seed = (3 * u64::from(number) + axis + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (seed ^ (seed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed >> 40) as f64 / f64::from(1_u32 << 23) - 1.0
    };
    Vec3::new(share(0), share(1), share(2))
}
