//! Take-over and hand-back, with a backend that fails and hangs on command.

mod common;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_rays::layout::Contact;
use hapticd_rays::{
    Detector, DetectorError, Failures, Progress, RayScene, Report, Responder, Separation, Settings,
    Shape, Topology, Tracer, Watched,
};

/// Instructions for the backend.
#[derive(Debug, Default)]
struct Script {
    /// Delay of the answers, in polls.
    lag: usize,
    /// No answers come.
    hangs: bool,
    /// The next call of this kind fails, and all after it until the backend is recovered.
    submit_fails: bool,
    poll_fails: bool,
    recover_fails: bool,
    submits: u64,
    recoveries: u64,
}

#[derive(Debug)]
struct Scripted {
    script: Arc<Mutex<Script>>,
    tracer: Tracer,
    under_way: VecDeque<(u64, Vec<Contact>)>,
    held: Vec<Contact>,
    progress: Progress,
}

fn scripted(settings: Settings) -> (Box<dyn Detector>, Arc<Mutex<Script>>) {
    let script = Arc::new(Mutex::new(Script::default()));
    let backend = Scripted {
        script: script.clone(),
        tracer: Tracer::new(settings),
        under_way: VecDeque::new(),
        held: Vec::new(),
        progress: Progress::default(),
    };
    (Box::new(backend), script)
}

impl Scripted {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap()
    }

    fn fault(&self) -> DetectorError {
        DetectorError::Fault {
            backend: "actor",
            step: self.progress.newest,
            source: "as told".into(),
        }
    }
}

impl Detector for Scripted {
    fn name(&self) -> &'static str {
        "actor"
    }

    fn settings(&self) -> &Settings {
        self.tracer.settings()
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), DetectorError> {
        if settings.separation != Separation::Reprojected {
            return Err(DetectorError::Unsupported {
                backend: "actor",
                what: "rays".into(),
                instead: "planes".into(),
            });
        }
        self.tracer.set_settings(settings);
        Ok(())
    }

    fn forget(&mut self) {
        self.tracer.forget();
    }

    fn submit(&mut self, scene: &mut RayScene) -> Result<(), DetectorError> {
        self.progress.newest += 1;
        self.script().submits += 1;
        if self.script().submit_fails {
            return Err(self.fault());
        }
        let contacts = self.tracer.step(scene).to_vec();
        self.under_way.push_back((self.progress.newest, contacts));
        Ok(())
    }

    fn poll(&mut self) -> Result<bool, DetectorError> {
        let (fails, hangs, lag) = {
            let script = self.script();
            (script.poll_fails, script.hangs, script.lag)
        };
        if fails {
            return Err(self.fault());
        }
        if hangs || self.under_way.len() <= lag {
            return Ok(false);
        }
        (self.progress.answered, self.held) = self.under_way.pop_front().unwrap();
        Ok(true)
    }

    fn recover(&mut self) -> Result<(), DetectorError> {
        self.script().recoveries += 1;
        if self.script().recover_fails {
            return Err(self.fault());
        }
        self.under_way.clear();
        self.held.clear();
        self.progress = Progress::default();
        self.tracer = Tracer::new(*self.tracer.settings());
        Ok(())
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn contacts(&self) -> &[Contact] {
        &self.held
    }

    fn near(&self) -> &[Contact] {
        &[]
    }

    fn report(&self) -> &Report {
        self.tracer.report()
    }

    fn gpu_ns(&self) -> Option<f64> {
        None
    }
}

/// A ball in a slab, and the supervised backend that processes it.
struct Play {
    scene: RayScene,
    watched: Watched,
    script: Arc<Mutex<Script>>,
}

const PATIENCE: u64 = 4;

impl Play {
    fn new() -> Self {
        let made = |mesh: &TriMesh| Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap());
        let ball = made(&shapes::icosphere(0.05, 2).unwrap());
        let slab = made(&shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap());
        let mut scene = RayScene::new();
        let place = Pose::translation(0.013, 0.007, 0.14);
        scene.add_rigid(ball, &place, false).unwrap();
        scene.add_rigid(slab, &Pose::identity(), true).unwrap();
        let (backend, script) = scripted(Settings::for_edges(0.02));
        Self {
            scene,
            watched: Watched::new(backend, PATIENCE),
            script,
        }
    }

    /// Runs a step of the world: there are contacts, and they are not older than patience allows.
    fn step(&mut self) {
        self.scene.begin_step();
        self.watched.submit(&mut self.scene).unwrap();
        self.watched.poll().unwrap();
        assert!(!self.watched.contacts().is_empty());
        assert!(
            self.watched.progress().age() <= PATIENCE,
            "{:?}",
            self.watched.progress()
        );
    }

    fn steps(&mut self, count: u32) {
        for _ in 0..count {
            self.step();
        }
    }

    fn tell(&self, what: impl FnOnce(&mut Script)) {
        what(&mut self.script.lock().unwrap());
    }

    fn seen(&self) -> (Responder, u64) {
        (self.watched.charge(), self.watched.progress().age())
    }
}

#[test]
fn until_the_backend_answers_the_twin_does() {
    let mut play = Play::new();
    play.tell(|script| script.lag = 2);
    // Two steps on trial; then the twin's answer holds until the backend has caught up with it.
    play.step();
    assert_eq!(play.seen(), (Responder::Trial, 0));
    play.steps(1);
    assert_eq!(play.seen(), (Responder::Trial, 0));
    play.step();
    let mut ages = vec![play.seen()];
    for _ in 0..4 {
        play.step();
        ages.push(play.seen());
    }
    assert!(ages.iter().all(|(charge, _)| *charge == Responder::Backend));
    assert_eq!(ages.last(), Some(&(Responder::Backend, 2)));
    assert_eq!(*play.watched.incidents(), Failures::default());
    assert_eq!(play.watched.name(), "actor");
}

#[test]
fn a_fault_when_a_step_is_submitted_is_the_twins_step() {
    let mut play = Play::new();
    play.steps(5);
    assert_eq!(play.seen(), (Responder::Backend, 0));
    play.tell(|script| script.submit_fails = true);
    play.step();
    // In the same call: the answer is of this step, traced in full.
    assert_eq!(play.seen(), (Responder::Twin, 0));
    assert!(play.watched.report().tree > 0 && play.watched.report().walks == 0);
    assert_eq!(play.watched.name(), "CPU");
    play.steps(3);
    let submits = play.script.lock().unwrap().submits;
    assert_eq!(submits, 6, "given up, it is not asked any more");
    assert!(play.watched.report().walks > 0);
    let expected = Failures {
        takeovers: 1,
        lost: 1,
        reason: "the actor failed at step 6: as told".to_string(),
        ..Failures::default()
    };
    assert_eq!(*play.watched.incidents(), expected);
}

#[test]
fn a_fault_when_an_answer_is_asked_for_leaves_the_last_one() {
    let mut play = Play::new();
    play.steps(5);
    play.scene.begin_step();
    play.watched.submit(&mut play.scene).unwrap();
    play.tell(|script| script.poll_fails = true);
    let before = play.watched.contacts().to_vec();
    assert!(!play.watched.poll().unwrap());
    assert_eq!(play.seen(), (Responder::Twin, 1));
    assert!(!before.is_empty());
    assert_eq!(play.watched.contacts(), before);
    play.step();
    assert_eq!(play.seen(), (Responder::Twin, 0));
    let incidents = play.watched.incidents();
    assert_eq!(
        (incidents.takeovers, incidents.lost, incidents.hung),
        (1, 1, 0)
    );
}

#[test]
fn a_backend_that_hangs_is_given_up_after_as_many_steps_as_patience_allows() {
    let mut play = Play::new();
    play.steps(5);
    play.tell(|script| script.hangs = true);
    for age in 1..=PATIENCE {
        play.step();
        assert_eq!(play.seen(), (Responder::Backend, age));
    }
    play.step();
    assert_eq!(play.seen(), (Responder::Twin, 0));
    let incidents = play.watched.incidents().clone();
    assert_eq!(
        (incidents.takeovers, incidents.lost, incidents.hung),
        (1, 0, 1)
    );
    assert_eq!(
        incidents.reason,
        "the actor has not answered for 5 steps, 4 are allowed"
    );
    // A step that was in flight is never requested, even if its answer comes.
    play.tell(|script| script.hangs = false);
    play.steps(3);
    assert_eq!(play.seen(), (Responder::Twin, 0));
    assert_eq!(*play.watched.incidents(), incidents);
}

#[test]
fn one_that_never_answers_is_never_in_charge() {
    let mut play = Play::new();
    play.tell(|script| script.hangs = true);
    play.steps(PATIENCE as u32);
    assert_eq!(play.seen(), (Responder::Trial, 0));
    play.steps(3);
    assert_eq!(play.seen(), (Responder::Twin, 0));
    let incidents = play.watched.incidents();
    assert_eq!((incidents.takeovers, incidents.hung), (0, 1));
}

#[test]
fn recovered_it_is_handed_back_when_it_has_answered() {
    let mut play = Play::new();
    play.steps(5);
    // Nothing to recover: the call does nothing.
    play.watched.try_recover().unwrap();
    assert_eq!(play.script.lock().unwrap().recoveries, 0);
    play.tell(|script| {
        script.submit_fails = true;
        script.recover_fails = true;
    });
    play.steps(2);
    assert!(play.watched.try_recover().is_err());
    play.step();
    assert_eq!(play.seen(), (Responder::Twin, 0));
    play.tell(|script| {
        script.submit_fails = false;
        script.recover_fails = false;
        script.lag = 1;
    });
    play.watched.recover().unwrap();
    assert_eq!(play.seen(), (Responder::Trial, 0));
    play.step();
    assert_eq!(play.seen(), (Responder::Trial, 0));
    play.steps(3);
    assert_eq!(play.seen(), (Responder::Backend, 1));
    assert_eq!(play.watched.name(), "actor");
    let incidents = play.watched.incidents();
    assert_eq!((incidents.takeovers, incidents.recovered), (1, 1));
    // Lost again while on trial: the twin never stopped.
    play.tell(|script| script.submit_fails = true);
    play.steps(2);
    play.tell(|script| script.submit_fails = false);
    play.watched.try_recover().unwrap();
    play.tell(|script| script.poll_fails = true);
    play.steps(2);
    assert_eq!(play.seen(), (Responder::Twin, 0));
    let incidents = play.watched.incidents();
    assert_eq!(
        (incidents.takeovers, incidents.lost, incidents.recovered),
        (2, 3, 1)
    );
}

#[test]
fn another_backend_takes_the_place_of_the_one_in_charge() {
    let mut play = Play::new();
    play.steps(3);
    assert_eq!(play.seen(), (Responder::Backend, 0));
    let settings = *play.watched.settings();
    let (other, script) = scripted(settings);
    play.watched.replace(other).unwrap();
    assert!(play.watched.contacts().is_empty());
    play.step();
    play.step();
    assert_eq!(play.seen(), (Responder::Backend, 0));
    assert_eq!(script.lock().unwrap().submits, 2);
    assert_eq!(play.script.lock().unwrap().submits, 3);
}

#[test]
fn one_that_was_given_up_comes_back_and_the_new_one_is_on_trial() {
    let mut play = Play::new();
    play.steps(3);
    play.tell(|script| script.submit_fails = true);
    play.steps(2);
    assert_eq!(play.seen(), (Responder::Twin, 0));
    let (other, script) = scripted(*play.watched.settings());
    script.lock().unwrap().lag = 2;
    let before = play.watched.contacts().to_vec();
    // As a scene does it, through the trait.
    let watched: &mut dyn Detector = &mut play.watched;
    let old = watched.replace(other).unwrap();
    assert_eq!(watched.charge(), Some(Responder::Trial));
    assert_eq!(watched.contacts(), before, "the twin's answer holds");
    assert_eq!((old.name(), old.progress().newest), ("actor", 4));
    // The old backend gets no more steps, and during the trial the twin's answers count.
    for _ in 0..2 {
        play.step();
        assert_eq!(play.seen(), (Responder::Trial, 0));
    }
    play.steps(4);
    assert_eq!(play.seen(), (Responder::Backend, 2));
    let incidents = play.watched.incidents();
    assert_eq!((incidents.takeovers, incidents.recovered), (1, 1));
    assert_eq!(play.script.lock().unwrap().submits, 4);
    drop(old);
}

#[test]
fn one_that_will_not_do_is_given_back() {
    let mut play = Play::new();
    play.steps(3);
    // The old backend accepts any settings; the new one does not.
    let along_rays = Settings {
        separation: Separation::Ray,
        ..*play.watched.settings()
    };
    let easy = Box::new(Tracer::new(along_rays));
    let mut watched = Watched::new(easy, PATIENCE);
    let (other, script) = scripted(*play.watched.settings());
    let refused = watched.replace(other).unwrap_err();
    assert_eq!(refused.backend.name(), "actor");
    assert_eq!(
        refused.to_string(),
        "the actor does not do rays: only planes"
    );
    assert_eq!(watched.backend().name(), "CPU");
    assert_eq!(script.lock().unwrap().submits, 0);
    // A detector that supervises no backend refuses one.
    let alone: &mut dyn Detector = &mut Tracer::new(along_rays);
    let refused = alone.replace(refused.backend).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the CPU does not do the work of another backend: only its own"
    );
    assert_eq!(alone.charge(), None);
}

#[test]
fn settings_that_the_backend_refuses_change_nothing() {
    let mut play = Play::new();
    let before = *play.watched.settings();
    let along_rays = Settings {
        separation: Separation::Ray,
        ..before
    };
    let refused = play.watched.set_settings(along_rays).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the actor does not do rays: only planes"
    );
    assert_eq!(*play.watched.settings(), before);
    play.steps(2);
}
