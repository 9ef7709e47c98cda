//! A backend that may fail, and the CPU twin to take over: contacts are never missing for more than
//! a few steps.
//!
//! # Theory
//!
//! A GPU can be unplugged, reset or kept busy by others. Failing is noticed at the next call, being
//! stuck only by the answers that do not come; so *patience* is counted in steps of the world,
//! whatever they take. A twin that takes over knows nothing of what was met before: its first step
//! traces all in full. What it cannot know is which points of a sheet had gone through another and
//! were on their way back ([`crate::layout::INVERTED`]).
//!
//! # Practice
//!
//! At first, and after [`Watched::try_recover`] or [`Watched::replace`], the backend is *on trial*:
//! both get every step and the twin's answers count, until the backend has answered one. What a
//! backend still had under way when it was given up is never asked for again.
//!
//! Waits nowhere but in [`Watched::try_recover`], and allocates only when something goes wrong: the
//! reason is a text.

use crate::detector::{Detector, DetectorError, Progress, Refused};
use crate::layout::Contact;
use crate::report::Report;
use crate::scene::RayScene;
use crate::settings::Settings;
use crate::tracer::Tracer;

/// Steps without an answer after which a backend is given up, if nothing else is asked for: at 60
/// Hz an eighth of a second.
pub const PATIENCE: u64 = 8;

/// What happened to the backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Times that the twin took over from a backend in charge.
    pub takeovers: u64,
    /// Times that the backend failed, on trial or in charge.
    pub lost: u64,
    /// Times that its answers did not come.
    pub hung: u64,
    /// Times that it was handed back what the twin had taken over.
    pub recovered: u64,
    /// Why it was given up the last time; empty if it never was.
    pub reason: String,
}

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// The backend.
    Backend,
    /// The twin, and the backend has yet to show that it answers.
    Trial,
    /// The twin alone.
    Twin,
}

/// See the module page.
#[derive(Debug)]
pub struct Watched {
    backend: Box<dyn Detector>,
    twin: Tracer,
    charge: Responder,
    patience: u64,
    /// Steps submitted to us.
    newest: u64,
    /// What to add to the number of a step of the backend's to get ours.
    offset: u64,
    /// The step of ours that the held answer is for, and whose answer it is.
    answered: u64,
    twins: bool,
    /// There was one that nobody has been told of.
    news: bool,
    incidents: Failures,
}

impl Watched {
    /// The backend is on trial. `patience`: how many steps an answer may be old, at least 1.
    #[must_use]
    pub fn new(backend: Box<dyn Detector>, patience: u64) -> Watched {
        Watched {
            twin: Tracer::new(*backend.settings()),
            backend,
            charge: Responder::Trial,
            patience: patience.max(1),
            newest: 0,
            offset: 0,
            answered: 0,
            twins: true,
            news: false,
            incidents: Failures::default(),
        }
    }

    /// Who answers.
    #[must_use]
    pub fn charge(&self) -> Responder {
        self.charge
    }

    /// How many steps an answer may be old.
    #[must_use]
    pub fn patience(&self) -> u64 {
        self.patience
    }

    /// What happened so far.
    #[must_use]
    pub fn incidents(&self) -> &Failures {
        &self.incidents
    }

    /// The backend, in charge or not.
    #[must_use]
    pub fn backend(&self) -> &dyn Detector {
        &*self.backend
    }

    /// Gets the backend ready again after it was given up, and puts it on trial. Nothing happens if
    /// it was not. May take long: for a moment when no step is due; who has none makes a new
    /// backend elsewhere and hands it to [`Watched::replace`].
    ///
    /// # Errors
    /// If it is still not to be had; the twin goes on.
    pub fn try_recover(&mut self) -> Result<(), DetectorError> {
        if self.charge != Responder::Twin {
            return Ok(());
        }
        self.backend.recover()?;
        self.begin_trial()
    }

    /// Another backend in place of this one, on trial; gives back the old one, for whoever is to
    /// drop it. If that was in charge, no answer is held until the next step. Drops no backend, so
    /// it does not wait for one.
    ///
    /// # Errors
    /// [`DetectorError::Unsupported`], if the new one cannot do what the settings say; it is given
    /// back then and the old one stays.
    pub fn replace(
        &mut self,
        mut backend: Box<dyn Detector>,
    ) -> Result<Box<dyn Detector>, Refused> {
        if let Err(error) = backend.set_settings(*Tracer::settings(&self.twin)) {
            return Err(Refused { backend, error });
        }
        if !self.twins {
            self.twin = Tracer::new(*Tracer::settings(&self.twin));
            (self.twins, self.answered, self.news) = (true, 0, false);
        }
        if self.charge == Responder::Backend {
            self.twin.forget();
        }
        self.charge = Responder::Trial;
        Ok(std::mem::replace(&mut self.backend, backend))
    }

    fn begin_trial(&mut self) -> Result<(), DetectorError> {
        self.backend.set_settings(*Tracer::settings(&self.twin))?;
        self.charge = Responder::Trial;
        Ok(())
    }

    /// The twin alone, from the next step on or from the one that is being submitted.
    fn give_up(&mut self, reason: String) {
        if self.charge == Responder::Backend {
            self.incidents.takeovers += 1;
            self.twin.forget();
        }
        self.charge = Responder::Twin;
        self.incidents.reason = reason;
    }

    fn lose(&mut self, error: &DetectorError) {
        self.incidents.lost += 1;
        self.give_up(error.to_string());
    }

    /// Takes what the backend has; hands back to it if it was on trial and answers.
    fn hear(&mut self) {
        match self.backend.poll() {
            Ok(true) => {
                if self.charge == Responder::Trial {
                    self.charge = Responder::Backend;
                    self.incidents.recovered += u64::from(!self.incidents.reason.is_empty());
                }
                // On trial it may be behind the twin, whose answer then holds until it has caught
                // up.
                let answered = self.offset + self.backend.progress().answered;
                if answered >= self.answered {
                    self.answered = answered;
                    (self.twins, self.news) = (false, true);
                }
            }
            Ok(false) => {}
            Err(error) => self.lose(&error),
        }
    }

    fn held(&self) -> &dyn Detector {
        if self.twins {
            &self.twin
        } else {
            &*self.backend
        }
    }

    /// Steps that the backend owes an answer for.
    fn owed(&self) -> u64 {
        self.backend.progress().age()
    }
}

impl Detector for Watched {
    /// Of who gave the held answer.
    fn name(&self) -> &'static str {
        self.held().name()
    }

    fn settings(&self) -> &Settings {
        Tracer::settings(&self.twin)
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        self.backend.set_settings(settings)?;
        Tracer::set_settings(&mut self.twin, settings);
        Ok(())
    }

    fn forget(&mut self) {
        self.backend.forget();
        self.twin.forget();
    }

    /// Never fails: whatever happens to the backend, the twin answers this step if it has to.
    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.newest += 1;
        if self.charge != Responder::Twin {
            // What was noted since the last step is noticed before more is sent.
            self.hear();
        }
        if self.charge != Responder::Twin {
            match self.backend.submit(scene) {
                Ok(()) => {
                    self.offset = self.newest - self.backend.progress().newest;
                    if self.owed() > self.patience {
                        let owed = self.owed();
                        self.incidents.hung += 1;
                        self.give_up(format!(
                            "the {} has not answered for {owed} steps, {} are allowed",
                            self.backend.name(),
                            self.patience
                        ));
                    }
                }
                Err(error) => self.lose(&error),
            }
        }
        if self.charge != Responder::Backend {
            self.twin.step(scene);
            self.answered = self.newest;
            (self.twins, self.news) = (true, true);
        }
        Ok(())
    }

    /// Never fails. A backend that turns out to be lost here leaves its last answer until the next
    /// step, which is the twin's.
    fn poll(&mut self) -> Result<bool, DetectorError> {
        if self.charge != Responder::Twin {
            self.hear();
        }
        Ok(std::mem::take(&mut self.news))
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        self.try_recover()
    }

    /// Steps left out and short answers are the backend's.
    fn progress(&self) -> Progress {
        Progress {
            newest: self.newest,
            answered: self.answered,
            ..self.backend.progress()
        }
    }

    fn contacts(&self) -> &[Contact] {
        self.held().contacts()
    }

    fn near(&self) -> &[Contact] {
        self.held().near()
    }

    fn report(&self) -> &Report {
        self.held().report()
    }

    fn gpu_ns(&self) -> Option<f64> {
        self.held().gpu_ns()
    }

    fn incidents(&self) -> Option<&Failures> {
        Some(&self.incidents)
    }

    fn charge(&self) -> Option<Responder> {
        Some(self.charge)
    }

    fn replace(&mut self, backend: Box<dyn Detector>) -> Result<Box<dyn Detector>, Refused> {
        Watched::replace(self, backend)
    }
}
