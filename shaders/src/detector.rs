//! Narrow phase on the GPU as a [`Detector`]: takes the scene and the plan of the CPU twin, and
//! returns answers some steps later.
//!
//! # Theory
//!
//! Stage one is the twin's own ([`Plan`]): both backends walk and trace the same pairs. The
//! capacity for a step's results is predicted (see the module `room`). An answer that overflowed is
//! discarded, since what it lacks is unknown. If rays were lost, the GPU's memory lacks them as
//! well, so no answer counts until all has been traced in full again.
//!
//! # Practice
//!
//! Only [`GpuDetector::wait`] and [`Detector::recover`] wait. The scene is packed in the first step
//! and whenever objects have come or gone; it must always be the same scene. Between, only poses
//! are sent. The GPU's memory of the remaining objects moves with them, on the GPU. Answers of
//! earlier steps are taken without what they say of objects that have changed since. A step
//! allocates only when it exceeds earlier steps in pairs and contacts; wgpu allocates in every
//! step.
//!
//! Not supported: [`Separation`] other than re-projected, and [`Measure::Absolute`], which are for
//! comparison, and the counts of triangles that walks visit. Inversions of less than a micrometre
//! are not counted in the report.

use std::collections::VecDeque;

use hapticd_rays::displacement::Measure;
use hapticd_rays::layout::{Contact, SHEET};
use hapticd_rays::{
    Detector, DetectorError, Full, Plan, Predicted, Progress, RayScene, Report, Roster, Separation,
    Settings,
};

use crate::buffer::BufferError;
use crate::device::{Fault, Gpu};
use crate::feed::Feed;
use crate::narrow::{Found, Moved, Narrow, Room};
use crate::packed::SceneError;
use crate::readback::DEPTH;
use crate::room::{Demand, Rooms};
use crate::setup::SetupError;
use crate::tracer::StepError;
use crate::traces::{LISTS, TRACES};

const NAME: &str = "GPU";

/// A contact deeper than its sheets' thickness by more than this, m, counts as passed through.
const THROUGH_M: f32 = 1e-6;

/// Errors of a step.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Scene(#[from] SceneError),
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Buffer(#[from] BufferError),
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// A step under way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    step: u64,
    report: Report,
    pairs: [usize; LISTS],
    room: [usize; LISTS],
}

/// Narrow phase on the GPU. See the module page.
#[derive(Debug)]
pub struct GpuDetector {
    narrow: Narrow,
    settings: Settings,
    plan: Plan,
    /// True if the GPU has the objects of the roster.
    packed: bool,
    roster: Roster,
    /// True if an object has gone and no step was sent since: the GPU may still remember it.
    may_remember_removed: bool,
    feed: Feed,
    records: usize,
    /// True if the GPU's memory must be cleared before the next step.
    clear_memory: bool,
    sent: VecDeque<Sent>,
    rooms: Rooms,
    max_in_flight: usize,
    progress: Progress,
    /// Answers of steps up to this one lack rays.
    incomplete_until: u64,
    news: bool,
    found: Found,
    held: Found,
    report: Report,
}

impl GpuDetector {
    /// Creates the detector and compiles the passes.
    ///
    /// # Errors
    /// [`DetectorError::Unsupported`] for settings that the GPU does not support;
    /// [`DetectorError::Fault`] if the device does not accept a shader, has no memory or has
    /// failed.
    pub fn new(gpu: Gpu, settings: Settings) -> Result<Self, DetectorError> {
        check(&settings)?;
        let narrow = Narrow::new(gpu).map_err(|error| fault(0, error.into()))?;
        Ok(Self {
            narrow,
            settings,
            plan: Plan::default(),
            packed: false,
            roster: Roster::default(),
            may_remember_removed: false,
            feed: Feed::default(),
            records: 0,
            clear_memory: false,
            sent: VecDeque::with_capacity(DEPTH),
            rooms: Rooms::default(),
            max_in_flight: DEPTH,
            progress: Progress::default(),
            incomplete_until: 0,
            news: false,
            found: Found::default(),
            held: Found::default(),
            report: Report::default(),
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.narrow.gpu()
    }

    /// Plan of the last step.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Predicted capacities: rays for the tree, the basic algorithm and the walk, contacts, and
    /// near points.
    #[must_use]
    pub fn predicted(&self) -> &[Predicted; LISTS] {
        &self.rooms.predicted
    }

    /// Sets the minimum capacity of every list of rays, and of contacts, unless even the worst case
    /// needs less.
    pub fn set_min_capacity(&mut self, rays: usize, contacts: usize) {
        self.rooms.least = [rays, contacts];
    }

    /// Limits the steps under way, to at most [`DEPTH`]; further steps are skipped. With 0 all are
    /// skipped.
    pub fn set_max_in_flight(&mut self, steps: usize) {
        self.max_in_flight = steps.min(DEPTH);
    }

    /// Waits until all steps under way are answered. For tests and measurements.
    ///
    /// # Errors
    /// [`DetectorError::Fault`].
    pub fn wait(&mut self) -> Result<(), DetectorError> {
        let waited = self.narrow.gpu().wait().map_err(Failure::from);
        let done = waited.and_then(|()| self.receive_answers());
        done.map_err(|failure| fault(self.progress.newest, failure))
    }

    /// Takes the answers that have arrived.
    fn receive_answers(&mut self) -> Result<(), Failure> {
        while self.narrow.receive_into(&mut self.found)? {
            let Some(sent) = self.sent.pop_front() else {
                break;
            };
            let found = &self.found;
            self.rooms.learn(found, &sent.room, &sent.pairs);
            let lacks = |(wanted, room): (&u32, &usize)| *wanted as usize > *room;
            let mut rays = found.wanted.iter().zip(&sent.room).take(TRACES);
            if rays.any(lacks) {
                self.incomplete_until = self.sent.back().map_or(sent.step, |last| last.step);
                self.plan.forget();
            }
            if found.overflow || sent.step <= self.incomplete_until {
                self.progress.short += 1;
                continue;
            }
            self.found.retain(&self.roster, sent.step);
            std::mem::swap(&mut self.found, &mut self.held);
            self.progress.answered = sent.step;
            self.report = self.completed_report(&sent.report);
            self.news = true;
        }
        Ok(())
    }

    /// Stage one's report, completed with the GPU's results.
    fn completed_report(&self, planned: &Report) -> Report {
        let [tree, basic, walks, ..] = self.held.wanted.map(|n| n as usize);
        let through = |c: &&Contact| {
            let [a, b] = [c.source, c.target].map(|id| &self.feed.objects()[id as usize]);
            let sheets = a.flags & b.flags & SHEET != 0;
            sheets && c.depth > a.half_thickness + b.half_thickness + THROUGH_M
        };
        let contacts = &self.held.contacts;
        Report {
            walks,
            tree,
            basic,
            collisions: contacts.len(),
            predictions: self.held.near.len(),
            inversions: contacts.iter().filter(through).count() as u64,
            length_m: contacts.iter().map(|c| f64::from(c.t.abs())).sum(),
            ..*planned
        }
    }

    fn step(&mut self, scene: &mut RayScene) -> Result<(), Failure> {
        self.narrow.gpu().check()?;
        self.receive_answers()?;
        if !self.packed || !self.roster.is_current(scene) {
            self.pack(scene)?;
        }
        let report = self.plan.make(scene, &self.settings);
        if self.narrow.under_way() >= self.max_in_flight {
            self.plan.void();
            self.progress.left_out += 1;
            return Ok(());
        }
        if std::mem::take(&mut self.clear_memory) {
            self.narrow.forget()?;
        }
        self.feed.advance(scene, &self.settings);
        self.feed.place(&mut self.narrow)?;
        self.feed.list(&self.plan, scene);
        let by_basic = self.settings.full == Full::Basic;
        let demand = Demand::new(&self.plan, self.feed.objects(), &self.narrow, by_basic);
        let most_bytes = self.narrow.gpu().largest_binding() as usize;
        let room = self.rooms.predict(&demand, self.records, most_bytes);
        let [rays @ .., contacts, near] = room;
        self.narrow.set_capacity(Room {
            rays,
            contacts,
            near,
        });
        self.narrow.send(&self.feed.step(&self.settings))?;
        self.may_remember_removed = false;
        self.sent.push_back(Sent {
            step: self.progress.newest,
            report,
            pairs: demand.pairs,
            room,
        });
        Ok(())
    }

    /// Packs all objects again; the GPU keeps its memory of the points of objects that stay.
    fn pack(&mut self, scene: &RayScene) -> Result<(), Failure> {
        // The memory of an object that has gone refers to it by number: no new object may have that
        // number before a step has run without the old one.
        let was_packed = std::mem::take(&mut self.packed);
        let (mut kept, may_remember_removed) = (was_packed, self.may_remember_removed);
        let before = self.feed.objects().to_vec();
        for (object, old) in (0..).zip(&before) {
            let gone = old.points > 0 && !self.roster.stays(scene, object);
            let comes = old.points == 0 && scene.identity(object).is_some();
            let replaced = gone && scene.identity(object).is_some();
            kept &= !(replaced || comes && may_remember_removed);
            self.may_remember_removed |= gone;
        }
        kept &= !(may_remember_removed && scene.len() > before.len());
        let packed = self.feed.pack(scene, &self.settings)?;
        if kept {
            let both = (0..).zip(before.iter().zip(&packed.objects));
            let stay = both.filter(|(object, _)| self.roster.stays(scene, *object));
            let moved: Vec<Moved> = stay
                .map(|(_, (old, new))| Moved {
                    from: old.first_record,
                    to: new.first_record,
                    count: 2 * new.points,
                })
                .collect();
            self.narrow.change_scene(&packed, &moved)?;
        } else {
            self.narrow.set_scene(&packed)?;
            self.plan.forget();
            self.may_remember_removed = false;
        }
        self.packed = true;
        self.roster.look(scene, self.progress.newest);
        self.held.retain(&self.roster, self.progress.answered);
        self.records = packed.records();
        self.rooms.forget();
        Ok(())
    }
}

fn fault(step: u64, failure: Failure) -> DetectorError {
    DetectorError::Fault {
        backend: NAME,
        step,
        source: Box::new(failure),
    }
}

fn check(settings: &Settings) -> Result<(), DetectorError> {
    let refused = |what: String, instead: String| DetectorError::Unsupported {
        backend: NAME,
        what,
        instead,
    };
    if settings.separation != Separation::Reprojected {
        return Err(refused(
            format!("Separation::{:?}", settings.separation),
            format!("{:?}", Separation::Reprojected),
        ));
    }
    if settings.measure == Measure::Absolute {
        let all = [Measure::Mean, Measure::MeanDeviation, Measure::Max];
        return Err(refused(
            format!("Measure::{:?}", settings.measure),
            format!("{all:?}"),
        ));
    }
    Ok(())
}

impl Detector for GpuDetector {
    fn name(&self) -> &'static str {
        NAME
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        check(&settings)?;
        self.settings = settings;
        Ok(())
    }

    fn forget(&mut self) {
        self.plan.forget();
        self.clear_memory = true;
    }

    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.progress.newest += 1;
        self.step(scene)
            .map_err(|failure| fault(self.progress.newest, failure))
    }

    fn poll(&mut self) -> Result<bool, DetectorError> {
        self.receive_answers()
            .map_err(|failure| fault(self.progress.newest, failure))?;
        Ok(std::mem::take(&mut self.news))
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        // The next step packs the scene again, and starts without memory, whatever fails from here
        // on.
        self.packed = false;
        self.roster = Roster::default();
        self.sent.clear();
        (self.clear_memory, self.news) = (false, false);
        self.held = Found::default();
        self.report = Report::default();
        let step = self.progress.newest;
        (self.progress, self.incomplete_until) = (Progress::default(), 0);
        self.narrow
            .recover()
            .map_err(|error| fault(step, error.into()))
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn contacts(&self) -> &[Contact] {
        &self.held.contacts
    }

    fn near(&self) -> &[Contact] {
        &self.held.near
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn gpu_ns(&self) -> Option<f64> {
        self.held.pass_ns.map(|all| all.iter().sum())
    }
}
