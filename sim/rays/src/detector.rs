//! What finds contacts, whatever it runs on: a step goes in, an answer comes out, at once or some
//! steps later.
//!
//! The world calls [`Detector::submit`] and then [`Detector::poll`] in every step of its own and
//! takes the answer that is held. Neither ever waits for the other side. An answer may be some
//! steps old ([`Progress::age`]): a contact says which point met which triangle, and
//! [`RayScene::refresh`] tells where those two are now.
//!
//! [`Tracer`], the CPU twin, answers at once. A backend that can fail is watched over by
//! [`crate::Watched`].

use std::error::Error;
use std::fmt::Debug;

use crate::layout::Contact;
use crate::report::Report;
use crate::scene::RayScene;
use crate::settings::Settings;
use crate::tracer::Tracer;

/// Why a detector does not do what it should.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DetectorError {
    /// The caller's choice: this backend does not do that. It goes on as it was.
    #[error("the {backend} does not do {what}: only {instead}")]
    Unsupported {
        /// Which backend.
        backend: &'static str,
        /// What was asked for.
        what: String,
        /// What it does.
        instead: String,
    },
    /// The backend has failed: nothing more comes from it until [`Detector::recover`].
    #[error("the {backend} failed at step {step}: {source}")]
    Fault {
        /// Which backend.
        backend: &'static str,
        /// The newest step that was submitted.
        step: u64,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A backend that was not taken on, and why: given back, for whoever is to drop it, which may take
/// long.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refused {
    /// As it came, but for its settings.
    pub backend: Box<dyn Detector>,
    /// Why.
    pub error: DetectorError,
}

/// How far a detector is. Steps are numbered from 1 in order of submission; those left out have
/// numbers, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The newest step that was submitted; 0 if there was none.
    pub newest: u64,
    /// The step that the held answer is for; 0 if there is none.
    pub answered: u64,
    /// Steps that were left out because too many were under way.
    pub left_out: u64,
    /// Answers that were dropped because something found no room in them.
    pub short: u64,
}

impl Progress {
    /// Steps between the newest and the one that is answered.
    #[must_use]
    pub fn age(&self) -> u64 {
        self.newest - self.answered
    }
}

/// See the module page. [`Detector::submit`] takes the scene as it stands, between two calls of
/// [`RayScene::begin_step`]. Objects may have come and gone since the last: from then on contacts
/// name objects of that scene only, and none that came after the step that is answered.
pub trait Detector: Debug + Send {
    /// What it runs on, for reports.
    fn name(&self) -> &'static str;

    /// The settings.
    fn settings(&self) -> &Settings;

    /// New settings, from the next step on.
    ///
    /// # Errors
    /// [`DetectorError::Unsupported`]; the old ones then stay.
    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError>;

    /// Forgets what is known of the points: the next step traces all in full. To be called when
    /// objects jumped. The held answer stays.
    fn forget(&mut self);

    /// Takes on a step. Does not wait: a backend that has too many under way leaves the step out
    /// and counts it.
    ///
    /// # Errors
    /// [`DetectorError::Fault`].
    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError>;

    /// Takes over the newest answer that has come; whether there was one. Does not wait.
    ///
    /// # Errors
    /// [`DetectorError::Fault`]; the answer held before stays.
    fn poll(&mut self) -> Result<bool, DetectorError>;

    /// After a fault, or when no answer comes: gets ready again, as new. What was under way and the
    /// held answer are dropped, steps count from 1. May take long: never in the middle of a step.
    ///
    /// # Errors
    /// [`DetectorError::Fault`]; it can be tried again.
    fn recover(&mut self) -> Result<(), DetectorError>;

    /// How far it is.
    fn progress(&self) -> Progress;

    /// Contacts of the held answer.
    fn contacts(&self) -> &[Contact];

    /// What is near and no contact yet, in the held answer: their depth is negative, the room that
    /// is left along their normal.
    fn near(&self) -> &[Contact];

    /// What the answered step did.
    fn report(&self) -> &Report;

    /// Nanoseconds that the answered step took on a GPU, where that is measured.
    fn gpu_ns(&self) -> Option<f64>;

    /// If it watches over a backend: what happened to that.
    fn incidents(&self) -> Option<&crate::Failures> {
        None
    }

    /// If it watches over a backend: who answers.
    fn charge(&self) -> Option<crate::Responder> {
        None
    }

    /// If it watches over a backend: another one in its place, on trial. Gives back what is no
    /// longer wanted; drops nothing and does not wait.
    ///
    /// # Errors
    /// If it watches over none, or the new one does not do what the settings say; all is as it was
    /// then.
    fn replace(&mut self, backend: Box<dyn Detector>) -> Result<Box<dyn Detector>, Refused> {
        let error = DetectorError::Unsupported {
            backend: self.name(),
            what: "the work of another backend".to_owned(),
            instead: "its own".to_owned(),
        };
        Err(Refused { backend, error })
    }
}

impl Detector for Tracer {
    fn name(&self) -> &'static str {
        "CPU"
    }

    fn settings(&self) -> &Settings {
        Tracer::settings(self)
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        Tracer::set_settings(self, settings);
        Ok(())
    }

    fn forget(&mut self) {
        Tracer::forget(self);
    }

    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.step(scene);
        Ok(())
    }

    /// The answer came with the step.
    fn poll(&mut self) -> Result<bool, DetectorError> {
        Ok(self.take_news())
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        *self = Tracer::new(*Tracer::settings(self));
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress {
            newest: self.steps(),
            answered: self.steps(),
            ..Progress::default()
        }
    }

    fn contacts(&self) -> &[Contact] {
        Tracer::contacts(self)
    }

    fn near(&self) -> &[Contact] {
        Tracer::near(self)
    }

    fn report(&self) -> &Report {
        Tracer::report(self)
    }

    fn gpu_ns(&self) -> Option<f64> {
        None
    }
}
