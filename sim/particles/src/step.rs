//! One step of the world, in substeps: predict, constrain, touch, settle.

use super::planes::{ListFault, Obstacle, Plane, PlaneRow};
use super::skin_contact::{ProbeContact, SkinContact, SkinContactRow};
use super::unilateral::{ContactState, StepContext};
use super::world::SphereWorld;
use crate::Vec3;

/// Passes of the velocity correction after pushes; cheap, since few contacts need it.
const VELOCITY_PASSES: u32 = 4;

/// Why no step was made: its length (s) is not positive and finite, or the square of a substep is
/// zero, subnormal or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepError(pub f64);

impl core::fmt::Display for StepError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "step of {} s is not positive and finite", self.0)
    }
}

impl core::error::Error for StepError {}

/// Faults of a step, counted; all zero in a healthy world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Obstacles that were left out.
    pub obstacles_refused: u32,
    /// The first of them: its index in the list, and why.
    pub first_obstacle: Option<(usize, ListFault)>,
    /// Contacts of probes that were left out.
    pub contacts_refused: u32,
    /// The first of them: its index in the list, and why.
    pub first_contact: Option<(usize, ListFault)>,
    /// Pairs of spheres that may come near in the step but exceed
    /// [`Settings::most_pairs`](super::Settings::most_pairs). The nearest pairs are kept.
    pub pairs_left_out: u32,
    /// Number of times, over the substeps, that a sphere's next state was not finite; it stayed
    /// where the substep began, at rest.
    pub spheres_held: u32,
    /// The same for probes.
    pub probes_held: u32,
    /// Constraints and contacts skipped because their numbers were not finite, over the substeps.
    pub constraints_skipped: u32,
}

impl SphereWorld {
    /// Advances everything by `dt_s` seconds among `obstacles` and `contacts` of probes, which hold
    /// for this step only.
    ///
    /// An entry with a fault is left out and reported. Allocates only for more spheres, pairs or
    /// entries than ever before. Cost is proportional to substeps times links, pairs and entries.
    ///
    /// # Errors
    /// [`StepError`]; nothing has moved then.
    pub fn step(
        &mut self,
        dt_s: f64,
        obstacles: &[Obstacle],
        contacts: &[ProbeContact],
    ) -> Result<StepReport, StepError> {
        let count = self.settings.substeps;
        let h = dt_s / f64::from(count);
        if !(dt_s > 0.0 && dt_s.is_finite() && (h * h).is_normal()) {
            return Err(StepError(dt_s));
        }
        let mut report = StepReport::default();
        self.spheres.start.copy_from_slice(&self.spheres.x);
        self.probes.begin_step(h);
        self.search(dt_s, &mut report);
        self.planes.clear();
        self.take_obstacles(obstacles, &mut report);
        self.add_wall_rows(dt_s);
        self.take_contacts(contacts, &mut report);
        for i in 0..count {
            self.substep(h, i, &mut report);
        }
        self.probes.end_step();
        self.blends.update(&self.spheres);
        Ok(report)
    }

    fn take_obstacles(&mut self, obstacles: &[Obstacle], report: &mut StepReport) {
        self.obstacle_impulses.clear();
        self.obstacle_impulses
            .resize(obstacles.len(), Vec3::zeros());
        for (index, o) in obstacles.iter().enumerate() {
            match o.check(&self.spheres) {
                Ok(()) => {
                    let normal = o.normal.normalize();
                    self.planes.push(PlaneRow {
                        sides: Plane {
                            sphere: o.sphere,
                            point: o.point,
                            normal,
                            velocity: o.velocity,
                        },
                        press: ContactState::new(o.friction),
                        source: Some(index as u32),
                    });
                }
                Err(fault) => {
                    report.obstacles_refused += 1;
                    report.first_obstacle.get_or_insert((index, fault));
                }
            }
        }
    }

    fn take_contacts(&mut self, contacts: &[ProbeContact], report: &mut StepReport) {
        self.touches.clear();
        self.contact_impulses.clear();
        self.contact_impulses.resize(contacts.len(), Vec3::zeros());
        for (index, contact) in contacts.iter().enumerate() {
            match contact.check(&self.probes, &self.spheres) {
                Ok(()) => {
                    let sides = SkinContact::new(contact);
                    self.touches.push(SkinContactRow {
                        sides,
                        press: ContactState::new(contact.friction),
                        source: index as u32,
                    });
                }
                Err(fault) => {
                    report.contacts_refused += 1;
                    report.first_contact.get_or_insert((index, fault));
                }
            }
        }
    }

    fn substep(&mut self, h: f64, i: u32, report: &mut StepReport) {
        let settings = &self.settings;
        let count = f64::from(settings.substeps);
        let share = f64::from(i + 1) / count;
        let keep = (-settings.damping_1_s * h).exp();
        let mut scene = StepContext {
            spheres: &mut self.spheres,
            probes: &mut self.probes,
            h,
            time: f64::from(i) * h,
            push_out: settings.push_out_m_s,
        };
        for row in &mut self.pairs {
            row.press.begin(&row.sides, &scene);
        }
        for row in &mut self.planes {
            row.press.begin(&row.sides, &scene);
        }
        for row in &mut self.touches {
            row.press.begin(&row.sides, &scene);
        }
        scene.spheres.predict(h, &settings.gravity_m_s2, keep);
        scene.probes.predict(h, share, h * count);
        scene.time = f64::from(i + 1) * h;

        let mut skipped = 0;
        for near in &self.near {
            skipped += u32::from(!near.solve(&self.fluids, scene.spheres, h));
        }
        let s = &mut *scene.spheres;
        let (x, before, w) = (&mut s.x, &s.before, &s.inverse_mass);
        for torsion in &self.torsions {
            skipped += u32::from(!torsion.solve(x, before, w, h));
        }
        for bend in &self.bends {
            skipped += u32::from(!bend.solve(x, before, w, h));
        }
        for link in &self.links {
            skipped += u32::from(!link.solve(x, before, w, h));
        }
        // Last, so that at the end of the substep the contacts hold best: eye and hand notice them
        // first. Alternating the direction cancels the advantage of the last contact over the
        // first.
        for k in 0..settings.contact_sweeps {
            let back = (i + k) % 2 == 1;
            in_turn(&mut self.pairs, back, |row| {
                if !row.is_far(scene.spheres) {
                    skipped += u32::from(!row.press.solve(&row.sides, &mut scene));
                }
            });
            in_turn(&mut self.touches, back, |row| {
                skipped += u32::from(!row.press.solve(&row.sides, &mut scene));
            });
            in_turn(&mut self.planes, back, |row| {
                skipped += u32::from(!row.press.solve(&row.sides, &mut scene));
            });
        }
        report.constraints_skipped = report.constraints_skipped.saturating_add(skipped);
        report.spheres_held = (report.spheres_held).saturating_add(scene.spheres.settle(h));
        report.probes_held += scene.probes.settle(h);
        for row in &mut self.pairs {
            row.press.accumulate_slip(&row.sides, &scene);
        }
        for row in &mut self.touches {
            row.press.accumulate_slip(&row.sides, &scene);
        }
        for row in &mut self.planes {
            row.press.accumulate_slip(&row.sides, &scene);
        }
        for k in 0..VELOCITY_PASSES {
            let back = (i + k) % 2 == 1;
            in_turn(&mut self.pairs, back, |row| {
                row.press.remove_excess_velocity(&row.sides, &mut scene);
            });
            in_turn(&mut self.touches, back, |row| {
                row.press.remove_excess_velocity(&row.sides, &mut scene);
            });
            in_turn(&mut self.planes, back, |row| {
                row.press.remove_excess_velocity(&row.sides, &mut scene);
            });
        }
        let felt = scene.probes.impulses();
        for row in &self.touches {
            let impulse = row.press.impulse(h);
            self.contact_impulses[row.source as usize] += impulse;
            if let Some(tool) = &mut self.probes.slots[row.sides.probe as usize] {
                tool.impulse += impulse;
            }
        }
        self.probes.record_pull(&felt);
        for row in &self.planes {
            if let Some(source) = row.source {
                self.obstacle_impulses[source as usize] += row.press.impulse(h);
            }
        }
    }
}

#[inline]
fn in_turn<T>(rows: &mut [T], back: bool, visit: impl FnMut(&mut T)) {
    if back {
        rows.iter_mut().rev().for_each(visit);
    } else {
        rows.iter_mut().for_each(visit);
    }
}
