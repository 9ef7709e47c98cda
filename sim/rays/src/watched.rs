//! A backend that may fail, and the CPU twin that takes over: contacts are never missing for more
//! than a few steps.
//!
//! # Theory
//!
//! A GPU can be unplugged, reset or kept busy by others. A failure is noticed at the next call, but
//! a hang only by the missing answers. So *patience* is counted in steps of the world, whatever
//! time they take. A twin that takes over has no data of previous steps: its first step traces
//! everything in full. It cannot know which points of a sheet had gone through another and were on
//! their way back ([`crate::layout::INVERTED`]).
//!
//! # Practice
//!
//! Initially, and after [`Watched::try_recover`] or [`Watched::replace`], the backend is *on
//! trial*: both get every step and the twin's answers count, until the backend has answered a step.
//! Work that a backend had in flight when it was given up is never requested again.
//!
//! Blocks only in [`Watched::try_recover`], and allocates only when something fails: the reason is
//! a text.

use crate::detector::{Detector, DetectorError, Failures, Progress, Refused, Responder};
use crate::layout::Contact;
use crate::report::Report;
use crate::scene::RayScene;
use crate::settings::Settings;
use crate::tracer::Tracer;

/// Default number of steps without an answer after which a backend is given up: an eighth of a
/// second at 60 Hz.
pub const PATIENCE: u64 = 8;

/// A supervised backend with its CPU twin. See the module documentation.
#[derive(Debug)]
pub struct Watched {
    backend: Box<dyn Detector>,
    twin: Tracer,
    charge: Responder,
    patience: u64,
    /// Number of steps submitted to this detector.
    newest: u64,
    /// Offset from the backend's step numbers to this detector's.
    offset: u64,
    /// Step of the held answer, and whether that answer is the twin's.
    answered: u64,
    held_is_twins: bool,
    /// Whether an answer has arrived that no caller has polled yet.
    news: bool,
    incidents: Failures,
}

impl Watched {
    /// Supervises `backend`, which starts on trial. `patience`: largest age of an answer in steps,
    /// at least 1.
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
            held_is_twins: true,
            news: false,
            incidents: Failures::default(),
        }
    }

    /// Which of the two answers.
    #[must_use]
    pub fn charge(&self) -> Responder {
        self.charge
    }

    /// Largest age of an answer, in steps.
    #[must_use]
    pub fn patience(&self) -> u64 {
        self.patience
    }

    /// Failures so far.
    #[must_use]
    pub fn incidents(&self) -> &Failures {
        &self.incidents
    }

    /// The backend, active or not.
    #[must_use]
    pub fn backend(&self) -> &dyn Detector {
        &*self.backend
    }

    /// Restarts the backend after it was given up, and puts it on trial. Does nothing if it was not
    /// given up. May take long, so call it only while no step is due. A caller without such a time
    /// makes a new backend elsewhere and passes it to [`Watched::replace`].
    ///
    /// # Errors
    /// If the backend still does not work; the twin continues.
    pub fn try_recover(&mut self) -> Result<(), DetectorError> {
        if self.charge != Responder::Twin {
            return Ok(());
        }
        self.backend.recover()?;
        self.begin_trial()
    }

    /// Replaces the backend by another one, on trial, and returns the old one for the caller to
    /// drop. If the old one was active, no answer is held until the next step. Drops no backend, so
    /// it does not wait for one.
    ///
    /// # Errors
    /// [`Refused`] with [`DetectorError::Unsupported`] if the new backend does not support the
    /// settings; it is returned and the old one stays.
    pub fn replace(
        &mut self,
        mut backend: Box<dyn Detector>,
    ) -> Result<Box<dyn Detector>, Refused> {
        if let Err(error) = backend.set_settings(*Tracer::settings(&self.twin)) {
            return Err(Refused { backend, error });
        }
        if !self.held_is_twins {
            self.twin = Tracer::new(*Tracer::settings(&self.twin));
            (self.held_is_twins, self.answered, self.news) = (true, 0, false);
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

    /// Switches to the twin alone, from the next step on or from the one that is being submitted.
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

    /// Takes the answers of the backend, and switches back to it if it was on trial and answers.
    fn poll_backend(&mut self) {
        match self.backend.poll() {
            Ok(true) => {
                if self.charge == Responder::Trial {
                    self.charge = Responder::Backend;
                    self.incidents.recovered += u64::from(!self.incidents.reason.is_empty());
                }
                // On trial the backend may be behind the twin; the twin's answer then holds until
                // the backend has caught up.
                let answered = self.offset + self.backend.progress().answered;
                if answered >= self.answered {
                    self.answered = answered;
                    (self.held_is_twins, self.news) = (false, true);
                }
            }
            Ok(false) => {}
            Err(error) => self.lose(&error),
        }
    }

    fn held(&self) -> &dyn Detector {
        if self.held_is_twins {
            &self.twin
        } else {
            &*self.backend
        }
    }

    /// Number of steps for which the backend owes an answer.
    fn owed(&self) -> u64 {
        self.backend.progress().age()
    }
}

impl Detector for Watched {
    /// Name of the detector that gave the held answer.
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

    /// Never fails: whatever happens to the backend, the twin answers this step if necessary.
    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.newest += 1;
        if self.charge != Responder::Twin {
            // Poll first: a failure since the last step is noticed before more is sent.
            self.poll_backend();
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
            (self.held_is_twins, self.news) = (true, true);
        }
        Ok(())
    }

    /// Never fails. If the backend is found to be lost here, its last answer stays until the next
    /// step, which the twin answers.
    fn poll(&mut self) -> Result<bool, DetectorError> {
        if self.charge != Responder::Twin {
            self.poll_backend();
        }
        Ok(std::mem::take(&mut self.news))
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        self.try_recover()
    }

    /// `left_out` and `short` are the backend's.
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
