//! A detector whose answers are a fixed number of steps old, so that effects of their age are the
//! same in every run.

use std::collections::VecDeque;

use hapticd_rays::layout::Contact;
use hapticd_rays::{Detector, DetectorError, Progress, RayScene, Report, Roster, Settings};

use super::settle;

#[derive(Debug, Default)]
struct Answer {
    step: u64,
    contacts: Vec<Contact>,
    near: Vec<Contact>,
    report: Report,
}

/// Waits for the answers of another detector and delays each by `by` steps.
#[derive(Debug)]
pub struct Late {
    inner: Box<dyn Detector>,
    by: usize,
    kept: VecDeque<Answer>,
    held: Answer,
    roster: Roster,
}

impl Answer {
    fn retain(&mut self, roster: &Roster) {
        self.contacts
            .retain(|contact| roster.knows(contact, self.step));
        self.near.retain(|contact| roster.knows(contact, self.step));
    }
}

impl Late {
    pub fn new(inner: Box<dyn Detector>, by: usize) -> Self {
        Self {
            inner,
            by,
            kept: VecDeque::new(),
            held: Answer::default(),
            roster: Roster::default(),
        }
    }
}

impl Detector for Late {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn settings(&self) -> &Settings {
        self.inner.settings()
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        self.inner.set_settings(settings)
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.inner.submit(scene)?;
        settle(&mut *self.inner);
        if !self.roster.is_current(scene) {
            self.roster.look(scene, self.inner.progress().answered);
            self.kept
                .iter_mut()
                .for_each(|answer| answer.retain(&self.roster));
            self.held.retain(&self.roster);
        }
        self.kept.push_back(Answer {
            step: self.inner.progress().answered,
            contacts: self.inner.contacts().to_vec(),
            near: self.inner.near().to_vec(),
            report: *self.inner.report(),
        });
        Ok(())
    }

    fn poll(&mut self) -> Result<bool, DetectorError> {
        if self.kept.len() <= self.by {
            return Ok(false);
        }
        self.held = self.kept.pop_front().unwrap();
        Ok(true)
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        self.kept.clear();
        self.held = Answer::default();
        self.inner.recover()
    }

    fn progress(&self) -> Progress {
        Progress {
            answered: self.held.step,
            ..self.inner.progress()
        }
    }

    fn contacts(&self) -> &[Contact] {
        &self.held.contacts
    }

    fn near(&self) -> &[Contact] {
        &self.held.near
    }

    fn report(&self) -> &Report {
        &self.held.report
    }

    fn gpu_ns(&self) -> Option<f64> {
        None
    }
}
