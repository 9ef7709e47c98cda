//! The hand-over with backends that are numbers: with made-up times, and with the thread.

use std::cell::Cell;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::Instant;

use super::*;

const S: u64 = 1_000_000_000;

/// Backends that were dropped, and on which thread.
type Drops = Arc<Mutex<Vec<(u32, Option<String>)>>>;

struct Backend {
    number: u32,
    drops: Drops,
    /// Its driver panics when it is dropped.
    breaks: bool,
}

impl Drop for Backend {
    fn drop(&mut self) {
        let name = thread::current().name().map(str::to_owned);
        self.drops.lock().unwrap().push((self.number, name));
        assert!(!self.breaks, "the device vanished");
    }
}

struct Scene {
    backend: Box<Backend>,
    /// Why it was given up; empty while it is in use.
    given_up: &'static str,
    answered: u64,
    refuses: bool,
}

impl Scene {
    fn lose(&mut self) {
        self.given_up = "as told";
    }

    fn is_lost(&self) -> bool {
        !self.given_up.is_empty()
    }
}

impl BackendUser for Scene {
    type Backend = Backend;
    type Order = u32;

    fn vitals(&self) -> Vitals<'_> {
        Vitals {
            given_up: self.given_up,
            answered: self.answered,
        }
    }

    fn order(&self) -> u32 {
        self.backend.number + 1
    }

    fn replace(&mut self, new: Box<Backend>) -> Option<Box<Backend>> {
        if self.refuses {
            return Some(new);
        }
        self.given_up = "";
        Some(std::mem::replace(&mut self.backend, new))
    }
}

/// How the next attempts end.
#[derive(Clone, Copy, PartialEq)]
enum Driver {
    Works,
    Refuses,
    Panics,
}

struct Play {
    scene: Scene,
    end: Option<UserEnd<Scene>>,
    supervisor: SupervisorEnd<Scene>,
    drops: Drops,
    driver: Arc<Mutex<Driver>>,
    attempts: Arc<AtomicU64>,
    now_ns: Cell<u64>,
}

impl Play {
    fn new(pace: Pace) -> Self {
        let drops = Drops::default();
        let driver = Arc::new(Mutex::new(Driver::Works));
        let attempts = Arc::new(AtomicU64::new(0));
        let (for_new, told, counted) = (drops.clone(), driver.clone(), attempts.clone());
        let make = move |order: &u32| {
            counted.fetch_add(1, Ordering::Relaxed);
            let driver = *told.lock().unwrap();
            match driver {
                Driver::Works => {}
                Driver::Refuses => return Err("no adapter".to_owned()),
                Driver::Panics => panic!("a driver's defect"),
            }
            let new = Backend {
                number: *order,
                drops: for_new.clone(),
                breaks: false,
            };
            Ok((Box::new(new), format!("number {order}")))
        };
        let (end, supervisor) = pair(GpuUse::MidPhase, pace, Box::new(make));
        let first = Backend {
            number: 0,
            drops: drops.clone(),
            breaks: false,
        };
        Play {
            scene: Scene {
                backend: Box::new(first),
                given_up: "",
                answered: 0,
                refuses: false,
            },
            end: Some(end),
            supervisor,
            drops,
            driver,
            attempts,
            now_ns: Cell::new(0),
        }
    }

    fn attend(&mut self) {
        self.end.as_mut().unwrap().attend(&mut self.scene);
    }

    /// The GPU supervisor's round at a given time.
    fn round_at(&mut self, now_ns: u64) -> bool {
        self.now_ns.set(now_ns);
        let now = &self.now_ns;
        self.supervisor.round(&|| now.get())
    }

    fn give_up(&mut self) {
        self.scene.lose();
        self.attend();
    }

    fn drive(&self, driver: Driver) {
        *self.driver.lock().unwrap() = driver;
    }

    fn attempts(&self) -> u64 {
        self.attempts.load(Ordering::Relaxed)
    }

    fn stats(&mut self) -> GpuStats {
        self.end.as_mut().unwrap().stats(&self.scene)
    }

    fn failed(&mut self) -> u64 {
        self.stats().failed_attempts
    }

    fn dropped(&self) -> Vec<u32> {
        let drops = self.drops.lock().unwrap();
        drops.iter().map(|(number, _)| *number).collect()
    }
}

#[test]
fn a_lost_backend_is_replaced_when_due_and_dropped_by_the_gpu_supervisor() {
    let mut play = Play::new(Pace::DEFAULT);
    play.attend();
    assert!(play.round_at(0));
    assert_eq!(play.supervisor.due_ns(), None);
    play.give_up();
    assert!(play.round_at(10 * S));
    assert_eq!(play.supervisor.due_ns(), Some(11 * S));
    assert!(play.round_at(11 * S - 1));
    play.attend();
    assert_eq!((play.attempts(), play.scene.backend.number), (0, 0));
    assert!(play.round_at(11 * S));
    assert_eq!((play.attempts(), play.scene.backend.number), (1, 0));
    // No attempt is made while one is in progress.
    assert!(play.round_at(500 * S));
    assert_eq!((play.attempts(), play.supervisor.due_ns()), (1, None));

    play.attend();
    assert_eq!(play.scene.backend.number, 1);
    assert!(!play.scene.is_lost());
    assert_eq!((play.stats().takeovers, play.stats().handed_back), (1, 0));
    assert_eq!(play.dropped(), [0_u32; 0], "not by the scene's thread");
    assert!(play.round_at(501 * S));
    assert_eq!(play.dropped(), [0]);

    play.scene.answered += 1;
    play.attend();
    assert_eq!((play.stats().takeovers, play.stats().handed_back), (1, 1));
    assert!(play.round_at(502 * S));
    assert_eq!((play.failed(), play.supervisor.due_ns()), (0, None));
    // It lasts for a minute: the next wait is a first one.
    play.give_up();
    assert!(play.round_at(562 * S));
    assert_eq!(play.supervisor.due_ns(), Some(563 * S));
    assert!(play.round_at(563 * S));
    play.attend();
    assert_eq!(play.scene.backend.number, 2);
}

#[test]
fn a_failed_attempt_is_counted_and_the_scene_goes_on() {
    let mut play = Play::new(Pace::DEFAULT);
    play.drive(Driver::Refuses);
    play.give_up();
    play.round_at(0);
    for (attempt, at_s) in [1, 3, 7, 15, 31, 63, 123, 183].into_iter().enumerate() {
        assert_eq!(play.supervisor.due_ns(), Some(at_s * S));
        play.round_at(at_s * S);
        play.attend();
        assert_eq!(
            (play.attempts(), play.failed()),
            (attempt as u64 + 1, attempt as u64 + 1)
        );
        assert!(play.scene.is_lost());
    }
    // A driver that panics counts as one that fails.
    play.drive(Driver::Panics);
    assert!(play.round_at(243 * S));
    assert_eq!(play.failed(), 9);
    play.drive(Driver::Works);
    play.round_at(303 * S);
    play.attend();
    assert_eq!((play.scene.backend.number, play.failed()), (1, 9));
}

#[test]
fn the_wait_begins_when_the_attempt_is_over() {
    let mut play = Play::new(Pace::DEFAULT);
    play.drive(Driver::Refuses);
    play.give_up();
    play.round_at(0);
    // Each reading of the clock is a second after the one before: the attempt took time.
    let now = Cell::new(S);
    play.supervisor.round(&|| now.replace(now.get() + S));
    assert_eq!(play.failed(), 1);
    assert_eq!(play.supervisor.due_ns(), Some(2 * S + 2 * S));
}

#[test]
fn a_backend_lost_on_probation_or_refused_is_a_failed_attempt() {
    let mut play = Play::new(Pace::DEFAULT);
    play.give_up();
    play.round_at(0);
    play.round_at(S);
    play.attend();
    assert!(!play.scene.is_lost());
    play.give_up();
    play.round_at(2 * S);
    assert_eq!(play.failed(), 1);
    assert_eq!(play.dropped(), [0]);
    assert_eq!(play.supervisor.due_ns(), Some(4 * S));

    play.scene.refuses = true;
    play.round_at(4 * S);
    play.attend();
    assert_eq!(play.scene.backend.number, 1);
    // It goes back where it came from, and the next round reports that the old one is still given
    // up.
    play.attend();
    play.round_at(5 * S);
    assert_eq!(play.dropped(), [0, 2]);
    assert_eq!((play.failed(), play.supervisor.due_ns()), (2, Some(9 * S)));
    assert_eq!(
        play.stats().takeovers,
        2,
        "a refused backend computed something"
    );
}

#[test]
fn a_panic_while_dropping_the_old_one_is_survived() {
    let mut play = Play::new(Pace::DEFAULT);
    play.scene.backend.breaks = true;
    play.give_up();
    play.round_at(0);
    play.round_at(S);
    play.attend();
    assert!(play.round_at(2 * S));
    assert_eq!(play.dropped(), [0]);
    play.give_up();
    assert!(play.round_at(3 * S));
    assert_eq!(play.supervisor.due_ns(), Some(5 * S));
}

#[test]
fn without_a_supervisor_the_scene_goes_on_and_drops_nothing_early() {
    let mut play = Play::new(Pace::DEFAULT);
    play.give_up();
    play.round_at(0);
    play.round_at(S);
    let Play {
        mut scene,
        end,
        supervisor,
        drops,
        ..
    } = play;
    let mut end = end.unwrap();
    // The supervisor ends right after it has handed one over.
    drop(supervisor);
    for _ in 0..3 {
        end.attend(&mut scene);
    }
    assert_eq!(scene.backend.number, 1);
    assert!(drops.lock().unwrap().is_empty());
    scene.answered += 1;
    end.attend(&mut scene);
    scene.lose();
    end.attend(&mut scene);
    assert!(drops.lock().unwrap().is_empty());
    drop(end);
    assert_eq!(drops.lock().unwrap().len(), 1);
}

#[test]
fn a_gone_scene_is_forgotten() {
    let mut play = Play::new(Pace::DEFAULT);
    play.give_up();
    play.round_at(0);
    let failed = play.supervisor.failed.clone();
    let (attempts, drops) = (play.attempts.clone(), play.drops.clone());
    // It ends while the new one is being made.
    let end = Mutex::new(play.end.take());
    let mut make = std::mem::replace(&mut play.supervisor.make, Box::new(|_| Err(String::new())));
    play.supervisor.make = Box::new(move |order| {
        let made = make(order);
        end.lock().unwrap().take();
        made
    });
    assert!(play.round_at(S));
    assert_eq!(attempts.load(Ordering::Relaxed), 1);
    assert_eq!(failed.load(Ordering::Relaxed), 1);
    assert_eq!(
        drops.lock().unwrap().len(),
        1,
        "the new one goes with the attempt"
    );
    assert!(!play.round_at(100 * S));
    assert_eq!(attempts.load(Ordering::Relaxed), 1);
}

#[test]
fn an_ended_scene_leaves_its_backends_to_be_dropped() {
    let mut play = Play::new(Pace::DEFAULT);
    play.give_up();
    play.round_at(0);
    // The next one is made, and not yet taken over.
    play.round_at(S);
    let Play {
        scene,
        end,
        mut supervisor,
        drops,
        ..
    } = play;
    let numbers = |drops: &Drops| -> Vec<u32> {
        let drops = drops.lock().unwrap();
        drops.iter().map(|(number, _)| *number).collect()
    };
    end.unwrap().end(Some(scene.backend));
    assert_eq!(numbers(&drops), [0_u32; 0], "not by the scene's thread");
    assert!(!supervisor.round(&|| 2 * S));
    assert_eq!(numbers(&drops), [1, 0]);

    // Without a GPU supervisor they are leaked.
    let Play {
        scene,
        end,
        supervisor,
        drops,
        ..
    } = Play::new(Pace::DEFAULT);
    drop(supervisor);
    end.unwrap().end(Some(scene.backend));
    assert_eq!(numbers(&drops), [0_u32; 0]);
}

/// Nothing here takes long; a test that waits this long is held up for ever.
const WATCHDOG: Duration = Duration::from_secs(60);

/// The thread, and the signal that it ended.
fn thread_of(
    play: Play,
    stop: Receiver<Infallible>,
) -> (Scene, UserEnd<Scene>, Drops, mpsc::Receiver<()>) {
    let (done_in, done) = mpsc::channel();
    let ends: Vec<Box<dyn Supervised>> = vec![Box::new(play.supervisor)];
    let thread = thread::Builder::new().name("gpu-supervisor".to_owned());
    thread
        .spawn(move || {
            run(ends, stop);
            done_in.send(()).unwrap();
        })
        .unwrap();
    (play.scene, play.end.unwrap(), play.drops, done)
}

const AT_ONCE: Pace = Pace {
    first_ns: 0,
    max_ns: 0,
    settled_ns: 0,
};
const NEVER: Pace = Pace {
    first_ns: u64::MAX,
    max_ns: u64::MAX,
    settled_ns: 0,
};

#[test]
fn the_thread_makes_and_drops_and_ends_when_it_is_told_to() {
    let (stop_in, stop) = delivery(1);
    let (mut scene, mut end, drops, done) = thread_of(Play::new(AT_ONCE), stop);
    let started = Instant::now();
    for number in 1..=20 {
        scene.lose();
        while scene.backend.number < number {
            end.attend(&mut scene);
            assert!(started.elapsed() < WATCHDOG, "number {number} never came");
            thread::yield_now();
        }
        scene.answered += 1;
        end.attend(&mut scene);
    }
    drop(stop_in);
    done.recv_timeout(WATCHDOG)
        .expect("the GPU supervisor ends");
    let drops = drops.lock().unwrap();
    let expected: Vec<u32> = (0..20).collect();
    assert_eq!(
        drops.iter().map(|(number, _)| *number).collect::<Vec<_>>(),
        expected
    );
    assert!(
        drops
            .iter()
            .all(|(_, name)| name.as_deref() == Some("gpu-supervisor")),
        "{drops:?}"
    );
}

#[test]
fn the_thread_ends_at_once_while_it_waits_for_an_attempt() {
    let (stop_in, stop) = delivery(1);
    let (mut scene, mut end, _, done) = thread_of(Play::new(NEVER), stop);
    scene.lose();
    end.attend(&mut scene);
    drop(stop_in);
    done.recv_timeout(WATCHDOG)
        .expect("the GPU supervisor ends");
}

#[test]
fn the_thread_ends_with_the_last_scene() {
    let (_stop_in, stop) = delivery(1);
    let (_, end, _, done) = thread_of(Play::new(NEVER), stop);
    drop(end);
    done.recv_timeout(WATCHDOG)
        .expect("the GPU supervisor ends");
}
