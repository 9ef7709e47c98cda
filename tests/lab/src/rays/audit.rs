//! A second tracer that traces everything in full, beside the one that is judged: which of its
//! answers are wrong (Lehericey 2016, chapter 4, section 1).

use std::ops::AddAssign;

use hapticd_rays::layout::{Contact, Ray};
use hapticd_rays::{RayScene, Settings, Tracer};

/// Two places on one ray that are nearer than this are one, m: rounding between neighbouring
/// triangles is a hundred times less.
const SAME_M: f32 = 1e-5;

/// Answers of one or more steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Lines that the full trace looked along: point and target.
    pub rays: u64,
    /// Contacts that there are.
    pub contacts: u64,
    /// False negatives: there is a contact, and it was not found.
    pub missed: u64,
    /// False positives.
    pub invented: u64,
    /// A contact on both accounts, but elsewhere.
    pub misplaced: u64,
}

impl Errors {
    pub fn wrong(&self) -> u64 {
        self.missed + self.invented + self.misplaced
    }

    /// Of all rays.
    pub fn rate(&self) -> f64 {
        self.wrong() as f64 / self.rays.max(1) as f64
    }

    /// Of all contacts that there are.
    pub fn of_contacts(&self) -> f64 {
        self.wrong() as f64 / self.contacts.max(1) as f64
    }

    /// False negatives of all that is wrong; 1 where nothing is.
    pub fn share_missed(&self) -> f64 {
        if self.wrong() == 0 {
            1.0
        } else {
            self.missed as f64 / self.wrong() as f64
        }
    }
}

impl AddAssign for Errors {
    fn add_assign(&mut self, more: Errors) {
        self.rays += more.rays;
        self.contacts += more.contacts;
        self.missed += more.missed;
        self.invented += more.invented;
        self.misplaced += more.misplaced;
    }
}

/// The second tracer.
pub struct Audit {
    reference: Tracer,
}

impl Audit {
    /// `settings`: of the scene; the walk is switched off.
    pub fn new(settings: Settings) -> Audit {
        Audit {
            reference: Tracer::new(Settings {
                iterative: false,
                ..settings
            }),
        }
    }

    /// Traces the scene in full, as the judged tracer found it. Once a step, in every step.
    pub fn look(&mut self, scene: &mut RayScene) {
        self.reference.step(scene);
    }

    /// How a tracer's answers to the step that was looked at compare.
    pub fn judge(&self, judged: &[Contact]) -> Errors {
        let mut errors = compare(self.reference.contacts(), judged);
        let rays = self.reference.rays();
        errors.rays = (rays.tree.len() + lines(&rays.basic)) as u64;
        errors
    }

    /// Sum of the lengths of all rays that are contacts, m.
    pub fn length_m(&self) -> f64 {
        self.reference.report().length_m
    }
}

/// Different lines: the basic algorithm looks along one once for every cluster.
pub fn lines(rays: &[Ray]) -> usize {
    let key = |ray: &Ray| (ray.source, ray.target, ray.point);
    rays.chunk_by(|a, b| key(a) == key(b)).count()
}

/// Both in order of the points.
fn compare(true_ones: &[Contact], judged: &[Contact]) -> Errors {
    let key = |c: &Contact| (c.source, c.point, c.t < 0.0);
    let mut errors = Errors {
        contacts: true_ones.len() as u64,
        ..Errors::default()
    };
    let mut rest = judged.iter().peekable();
    for contact in true_ones {
        while rest.next_if(|c| key(c) < key(contact)).is_some() {
            errors.invented += 1;
        }
        match rest.next_if(|c| key(c) == key(contact)) {
            None => errors.missed += 1,
            Some(found) => {
                let same = found.target == contact.target && (found.t - contact.t).abs() <= SAME_M;
                errors.misplaced += u64::from(!same);
            }
        }
    }
    errors.invented += rest.count() as u64;
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(point: u32, target: u32, t: f32) -> Contact {
        Contact {
            point,
            target,
            t,
            ..Contact::default()
        }
    }

    #[test]
    fn each_kind_of_error_is_counted() {
        let there = [
            contact(1, 7, 0.01),
            contact(2, 7, 0.01),
            contact(4, 7, 0.01),
            contact(4, 8, -0.01),
            contact(6, 7, 0.02),
        ];
        let found = [
            contact(0, 7, 0.01),
            contact(1, 7, 0.01),
            contact(4, 9, 0.01),
            contact(4, 8, -0.01),
            contact(5, 7, 0.01),
            contact(6, 7, 0.0201),
            contact(9, 7, 0.01),
        ];
        let errors = compare(&there, &found);
        assert_eq!(
            (
                errors.contacts,
                errors.missed,
                errors.invented,
                errors.misplaced
            ),
            (5, 1, 3, 2)
        );
        assert_eq!(compare(&there, &there).wrong(), 0);
        assert_eq!(compare(&there, &[]).share_missed(), 1.0);
    }

    #[test]
    fn a_line_to_several_clusters_is_one() {
        let ray = |source, point, start| Ray {
            source,
            point,
            target: 3,
            start,
        };
        assert_eq!(
            lines(&[ray(0, 1, 0), ray(0, 1, 5), ray(0, 2, 5), ray(1, 2, 0)]),
            3
        );
    }
}
