//! A second tracer that traces everything in full next to the judged one, to find its wrong answers
//! (Lehericey 2016, chapter 4, section 1).

use std::ops::AddAssign;

use hapticd_rays::layout::{Contact, Ray};
use hapticd_rays::{RayScene, Settings, Tracer};

/// Two points on one ray closer than this count as the same, m: rounding between adjacent triangles
/// is a hundred times less.
const SAME_M: f32 = 1e-5;

/// Errors in the answers of one or more steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// Lines of the full trace: point and target.
    pub rays: u64,
    /// Number of true contacts.
    pub contacts: u64,
    /// False negatives: true contacts that were not found.
    pub missed: u64,
    /// False positives.
    pub invented: u64,
    /// Contacts in both answers, but at different places.
    pub misplaced: u64,
}

impl Errors {
    pub fn wrong(&self) -> u64 {
        self.missed + self.invented + self.misplaced
    }

    /// Returns the errors as a fraction of all rays.
    pub fn rate(&self) -> f64 {
        self.wrong() as f64 / self.rays.max(1) as f64
    }

    /// Returns the errors as a fraction of all true contacts.
    pub fn of_contacts(&self) -> f64 {
        self.wrong() as f64 / self.contacts.max(1) as f64
    }

    /// Returns the share of false negatives among all errors; 1 if there are none.
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
    /// Makes a tracer with the settings of the scene, but without the walk.
    pub fn new(settings: Settings) -> Audit {
        Audit {
            reference: Tracer::new(Settings {
                iterative: false,
                ..settings
            }),
        }
    }

    /// Traces the scene in full, in the state that the judged tracer saw. Call it once in every
    /// step.
    pub fn look(&mut self, scene: &mut RayScene) {
        self.reference.step(scene);
    }

    /// Compares a tracer's answers with those of this step.
    pub fn judge(&self, judged: &[Contact]) -> Errors {
        let mut errors = compare(self.reference.contacts(), judged);
        let rays = self.reference.rays();
        errors.rays = (rays.tree.len() + lines(&rays.basic)) as u64;
        errors
    }

    /// Returns the sum of the lengths of all rays that are contacts, m.
    pub fn length_m(&self) -> f64 {
        self.reference.report().length_m
    }
}

/// Returns the number of distinct lines: the basic algorithm traces a line once for every cluster.
pub fn lines(rays: &[Ray]) -> usize {
    let key = |ray: &Ray| (ray.source, ray.target, ray.point);
    rays.chunk_by(|a, b| key(a) == key(b)).count()
}

/// Compares two lists in order of the points.
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
