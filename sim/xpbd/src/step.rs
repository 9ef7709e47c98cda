//! One step of the world, in substeps: predict, constrain, contact, settle.

use super::contact::{Contact, ContactFault};
use super::contact_solver::Movers;
use super::world::XpbdWorld;

/// Largest number of substeps in a step.
pub const MAX_SUBSTEPS: u32 = 1000;

/// Why no step was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepError {
    /// The step (s) is not a positive finite number.
    Time(f64),
    /// The number of substeps is not 1 to [`MAX_SUBSTEPS`].
    Substeps(u32),
}

impl core::fmt::Display for StepError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Time(dt) => write!(f, "step of {dt} s is not positive and finite"),
            Self::Substeps(n) => write!(f, "{n} substeps; 1 to {MAX_SUBSTEPS} allowed"),
        }
    }
}

impl core::error::Error for StepError {}

/// Faults of a step, counted; all zero in a healthy world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Contacts that were left out.
    pub contacts_refused: u32,
    /// The first of them: its index in the list, and why.
    pub first_refused: Option<(usize, ContactFault)>,
    /// Number of times, over the substeps, that a particle's next state was not finite; it stayed
    /// where the substep began, at rest.
    pub particles_held: u32,
    /// The same for bodies.
    pub bodies_held: u32,
    /// Constraints and contacts skipped because their numbers were not finite, over the substeps.
    pub constraints_skipped: u32,
}

impl XpbdWorld {
    /// Advances everything by `dt_s` seconds in `substeps` substeps under `contacts`, which hold
    /// for this step only; then clears the forces.
    ///
    /// A contact with a fault is left out and reported. No allocation for lists within
    /// [`XpbdWorld::reserve_contacts`]. Cost is proportional to substeps times constraints and
    /// contacts.
    ///
    /// # Errors
    /// [`StepError`]; nothing has moved then.
    pub fn step(
        &mut self,
        dt_s: f64,
        substeps: u32,
        contacts: &[Contact],
    ) -> Result<StepReport, StepError> {
        if !(dt_s > 0.0 && dt_s.is_finite()) {
            return Err(StepError::Time(dt_s));
        }
        if !(1..=MAX_SUBSTEPS).contains(&substeps) {
            return Err(StepError::Substeps(substeps));
        }
        let mut report = StepReport::default();
        self.begin(dt_s);
        self.take(contacts, dt_s / f64::from(substeps), &mut report);
        for i in 0..substeps {
            let count = f64::from(substeps);
            self.substep(dt_s / count, (i, count), &mut report);
        }
        self.end();
        Ok(report)
    }

    fn begin(&mut self, dt: f64) {
        self.particles.begin_step(dt);
        if core::mem::take(&mut self.masses_changed) {
            for t in &mut self.tetrahedra {
                t.align(&self.particles.inverse_mass);
            }
        }
        for deformable in &mut self.deformables {
            deformable.begin_step();
        }
        for body in &mut self.bodies {
            body.begin_step(dt);
        }
        for hold in &mut self.attachments {
            hold.impulse = crate::Vec3::zeros();
        }
    }

    fn take(&mut self, contacts: &[Contact], h: f64, report: &mut StepReport) {
        self.contacts.begin(contacts.len(), h);
        for (index, contact) in contacts.iter().enumerate() {
            let sides = contact.check().and_then(|()| {
                let a = self.anchor(&contact.a)?;
                Ok([a, self.anchor(&contact.b)?])
            });
            match sides {
                Ok(sides) => self.contacts.add(index, contact, sides, &self.particles),
                Err(fault) => {
                    report.contacts_refused += 1;
                    report.first_refused.get_or_insert((index, fault));
                }
            }
        }
    }

    fn substep(&mut self, h: f64, (i, count): (u32, f64), report: &mut StepReport) {
        let settings = &self.settings;
        let gravity = settings.gravity_m_s2;
        let keep = (-settings.damping_1_s * h).exp();
        let mut movers = Movers {
            particles: &mut self.particles,
            bodies: &mut self.bodies,
        };
        self.contacts
            .begin_substep(&movers, h, settings.push_out_m_s);
        let over = (f64::from(i + 1) / count, h * count);
        movers.particles.predict(h, &gravity, keep);
        for body in movers.bodies.iter_mut() {
            body.predict(h, &gravity, keep, over);
        }

        self.contacts.resume(&mut movers, h);

        let p = &mut *movers.particles;
        let (x, before, w) = (&mut p.x, &p.before, &p.inverse_mass);
        let mut skipped = 0;
        for c in &mut self.tetrahedra {
            skipped += u32::from(!c.solve(x, before, w, h));
        }
        for c in &self.bendings {
            skipped += u32::from(!c.solve(x, before, w, h));
        }
        for c in &self.distances {
            skipped += u32::from(!c.solve(x, before, w, h));
        }
        let fractions = [f64::from(i) / count, f64::from(i + 1) / count];
        for hold in &mut self.attachments {
            skipped += u32::from(!hold.solve(p, fractions[0], fractions[1], h));
        }
        // Last, so that at the end of the substep the contacts hold best: eye and hand notice them
        // first.
        for k in 0..settings.contact_sweeps {
            let back = (i + k) % 2 == 1;
            skipped += self.contacts.sweep(&mut movers, h, back);
        }
        report.constraints_skipped = report.constraints_skipped.saturating_add(skipped);

        report.particles_held += movers.particles.settle(h);
        for body in movers.bodies.iter_mut() {
            report.bodies_held += u32::from(!body.settle());
        }
        self.contacts
            .velocities(&mut movers, h, 2.0 * gravity.norm() * h);
        for k in 0..settings.contact_sweeps {
            self.contacts.push_out(&mut movers, (i + k) % 2 == 1);
        }
    }

    fn end(&mut self) {
        self.particles.end_step();
        for body in &mut self.bodies {
            body.end_step();
        }
        for hold in &mut self.attachments {
            hold.from = hold.target;
        }
        for deformable in &mut self.deformables {
            deformable.follow(&self.particles.x);
        }
    }
}
