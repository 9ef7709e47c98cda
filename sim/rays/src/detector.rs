//! The interface of all contact detectors: a step is submitted, and its answer comes at once or
//! some steps later.
//!
//! The world calls [`Detector::submit`] and then [`Detector::poll`] in each of its steps and uses
//! the answer that is held. Neither call waits for the other side. An answer may be some steps old
//! ([`Progress::age`]): a contact says which point met which triangle, and [`RayScene::refresh`]
//! computes where those two are now.
//!
//! [`Tracer`], the CPU twin, answers at once. [`crate::Watched`] supervises a backend that can
//! fail.

use std::error::Error;
use std::fmt::Debug;

use crate::layout::Contact;
use crate::report::Report;
use crate::scene::RayScene;
use crate::settings::Settings;
use crate::tracer::Tracer;

/// Why a detector cannot do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DetectorError {
    /// The backend does not support the caller's choice. It continues unchanged.
    #[error("the {backend} does not do {what}: only {instead}")]
    Unsupported {
        /// Name of the backend.
        backend: &'static str,
        /// The requested feature.
        what: String,
        /// The supported alternative.
        instead: String,
    },
    /// The backend has failed: it gives no more answers until [`Detector::recover`].
    #[error("the {backend} failed at step {step}: {source}")]
    Fault {
        /// Name of the backend.
        backend: &'static str,
        /// Newest submitted step.
        step: u64,
        /// Cause of the failure.
        source: Box<dyn Error + Send + Sync>,
    },
}

/// A backend that was refused, and why. It is returned because dropping it may take long: the
/// caller chooses where that happens.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refused {
    /// The backend, unchanged except for its settings.
    pub backend: Box<dyn Detector>,
    /// Why it was refused.
    pub error: DetectorError,
}

/// Progress of a detector. Steps are numbered from 1 in order of submission, including those left
/// out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Newest submitted step; 0 if there is none.
    pub newest: u64,
    /// Step of the held answer; 0 if there is none.
    pub answered: u64,
    /// Steps left out because too many were in flight.
    pub left_out: u64,
    /// Answers dropped because a buffer was too small for them.
    pub short: u64,
}

impl Progress {
    /// Number of steps between the newest and the answered one.
    #[must_use]
    pub fn age(&self) -> u64 {
        self.newest - self.answered
    }
}

/// Failures of a supervised backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// Number of times that the twin took over from an active backend.
    pub takeovers: u64,
    /// Number of times that the backend failed, on trial or active.
    pub lost: u64,
    /// Number of times that the answers did not come.
    pub hung: u64,
    /// Number of times that the backend took the work back from the twin.
    pub recovered: u64,
    /// Reason for which it was last given up; empty if it never was.
    pub reason: String,
}

/// Whether a supervised backend or its CPU twin answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Responder {
    /// The backend.
    Backend,
    /// The twin, while the backend has yet to show that it answers.
    Trial,
    /// Only the twin; the backend gets no steps.
    Twin,
}

/// A contact detector; see the module documentation. [`Detector::submit`] takes the scene as it is,
/// between two calls of [`RayScene::begin_step`]. Objects may have been added and removed since the
/// last submission. From then on contacts name only objects of that scene, and none that were added
/// after the answered step.
pub trait Detector: Debug + Send {
    /// Name of the hardware that it runs on, for reports.
    fn name(&self) -> &'static str;

    /// Current settings.
    fn settings(&self) -> &Settings;

    /// Sets the settings, from the next step on.
    ///
    /// # Errors
    /// [`DetectorError::Unsupported`]; the old settings then stay.
    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError>;

    /// Clears what is known about the points: the next step traces everything in full. Must be
    /// called when objects jumped. The held answer stays.
    fn forget(&mut self);

    /// Submits a step. Does not wait: a backend with too many steps in flight leaves the step out
    /// and counts it.
    ///
    /// # Errors
    /// [`DetectorError::Fault`] if the backend has failed.
    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError>;

    /// Takes over the newest answer that has arrived; returns whether there was one. Does not wait.
    ///
    /// # Errors
    /// [`DetectorError::Fault`]; the answer held before stays.
    fn poll(&mut self) -> Result<bool, DetectorError>;

    /// Restarts the detector as new, after a fault or when no answer comes. Steps in flight and the
    /// held answer are dropped; steps count from 1 again. May take long: must not be called in the
    /// middle of a step.
    ///
    /// # Errors
    /// [`DetectorError::Fault`]; the call may be repeated.
    fn recover(&mut self) -> Result<(), DetectorError>;

    /// Progress so far.
    fn progress(&self) -> Progress;

    /// Contacts of the held answer.
    fn contacts(&self) -> &[Contact];

    /// Predictions of the held answer: surfaces that are near but no contact yet. Their depth is
    /// negative: the remaining gap along their normal.
    fn near(&self) -> &[Contact];

    /// Statistics of the answered step.
    fn report(&self) -> &Report;

    /// GPU time of the answered step, ns, where it is measured.
    fn gpu_ns(&self) -> Option<f64>;

    /// Failures of the supervised backend, if this detector supervises one.
    fn incidents(&self) -> Option<&Failures> {
        None
    }

    /// Which detector answers, if this detector supervises a backend.
    fn charge(&self) -> Option<Responder> {
        None
    }

    /// Replaces the supervised backend by another one, on trial, and returns the old one. Drops
    /// nothing and does not wait.
    ///
    /// # Errors
    /// [`Refused`] if this detector supervises no backend, or the new one does not support the
    /// settings; nothing has changed then.
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

    /// The answer was made by `submit`.
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
