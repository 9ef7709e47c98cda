//! One daemon from start to end, with the disturbances that a seed selects.

use crate::{
    Failure,
    clients::{LINGER_S, Role, TOP_M},
    daemon::{Daemon, PEAK_N, signal_process},
    judge::{Guarantees, Verdict, judge},
    notes::{self, Notes, What},
    random::Random,
    raw, recording,
};
use hapticd_client::{Client, Subscription, topic};
use rustix::process::Signal;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Parameters of an episode.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Path of the daemon's program.
    pub daemon: PathBuf,
    /// Path of this program, for the clients.
    pub chaos: PathBuf,
    /// Folder for the episode's files: empty, and used by this episode only.
    pub folder: PathBuf,
    /// Seed of all decisions.
    pub seed: u64,
    /// Number of actions.
    pub actions: usize,
    /// Names of the only allowed actions, in lower case; empty allows all.
    pub only: Vec<String>,
}

/// Result of an episode.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Verdict on each rule.
    pub verdicts: Vec<Verdict>,
    /// Number of recorded ticks.
    pub ticks: usize,
    /// Number of ticks under force.
    pub pressed: usize,
    /// Number of periods that the loop missed.
    pub missed: u64,
}

/// An action on the daemon while clients disturb it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// The pressing client dies under force.
    Kill,
    /// It dies while a descriptor that blocks on close is in transit.
    KillWhileClosing,
    /// It is stopped under force, and continues later.
    Stop,
    /// A series of tightenings.
    Tighten,
    /// A configuration with a lower peak.
    Reload,
    /// A configuration full of mistakes, repeatedly, while the log is not read.
    Mistakes,
    /// A FIFO in place of the configuration, for a while.
    Fifo,
    /// A disturbing client starts, or one dies.
    Disturb,
}

const ACTIONS: [Action; 11] = [
    Action::Kill,
    Action::KillWhileClosing,
    Action::Stop,
    Action::Tighten,
    Action::Reload,
    Action::Mistakes,
    Action::Fifo,
    Action::Disturb,
    Action::Disturb,
    Action::Disturb,
    Action::Disturb,
];

struct Episode<'a> {
    setup: &'a Setup,
    random: Random,
    notes: Notes,
    daemon: Daemon,
    state: Subscription,
    // Keeps its connection open.
    _monitor: Client,
    listener: Child,
    presser: Option<Child>,
    others: Vec<Child>,
}

/// Runs an episode and judges it.
///
/// # Errors
/// What prevented the run or the judgement. Faults of the daemon are in the verdicts.
pub fn run(setup: &Setup) -> Result<Outcome, Failure> {
    fs::create_dir_all(&setup.folder)?;
    let mut episode = Episode::begin(setup)?;
    let result = episode.play();
    episode.clear();
    let _ = (episode.listener.kill(), episode.listener.wait());
    drop(episode);
    result?;
    verdict(&setup.folder)
}

/// Judges the files that an episode left in its folder.
///
/// # Errors
/// Files that cannot be read.
pub fn verdict(folder: &Path) -> Result<Outcome, Failure> {
    let recorded = recording::read(&folder.join("run.mcap"))?;
    let notes = notes::read(&folder.join("notes.jsonl"))?;
    let ticks = &recorded.ticks;
    let mut verdicts = judge(&promises(), ticks, &notes);
    verdicts.push(penetration(folder));
    let (first, last) = (ticks.first(), ticks.last());
    let span = last.map_or(0, |t| t.now_ns) - first.map_or(0, |t| t.now_ns);
    let periods = span / promises().period_ns;
    let numbered = last.map_or(0, |t| t.tick) - first.map_or(0, |t| t.tick);
    let lost = (numbered as usize + 1).saturating_sub(ticks.len());
    verdicts.push(Verdict {
        rule: "recorded",
        checked: numbered as usize,
        // On a loaded machine the recorder loses ticks; with less than half of them the judge is
        // blind.
        broken: if lost * 2 > numbered as usize {
            lost
        } else {
            0
        },
        words: format!("{lost} lost {}", recorded.cut.unwrap_or_default()),
    });
    let force = |tick: &&recording::Tick| tick.arms.iter().any(|arm| arm.length_n() > 0.0);
    Ok(Outcome {
        verdicts,
        ticks: ticks.len(),
        pressed: ticks.iter().filter(force).count(),
        missed: periods.saturating_sub(numbered),
    })
}

fn promises() -> Guarantees {
    Guarantees {
        peak_n: PEAK_N,
        slew_n_per_s: 1000.0,
        stall_ns: 10_000_000,
        ramp_s: 1.0,
        period_ns: 1_000_000,
        lone_arm: 0,
        top_m: TOP_M,
        // A small force by the configuration (`engage_force_n`).
        silent_max_n: 0.2,
        zero_ticks: 100,
        silent_ticks: 400,
    }
}

/// Rule: the daemon's own checker, which is independent of the simulation, found no penetration.
fn penetration(folder: &Path) -> Verdict {
    let mut verdict = Verdict {
        rule: "penetration",
        ..Verdict::default()
    };
    let text = fs::read_to_string(folder.join("report.json")).unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(arms) = report["arms"].as_array() else {
        verdict.broken = 1;
        verdict.words = "there is no report".to_owned();
        return verdict;
    };
    for arm in arms {
        let checked = arm["checked_ticks"].as_u64().unwrap_or(0);
        let deepest = arm["max_penetration_m"].as_f64().unwrap_or(f64::NAN);
        let crossings = arm["crossings"].as_u64().unwrap_or(1);
        verdict.checked += checked as usize;
        if !(deepest <= 0.0) || crossings > 0 {
            verdict.broken += 1;
            verdict.words = format!("{}: {deepest} m, {crossings} crossings", arm["name"]);
        }
    }
    verdict
}

impl<'a> Episode<'a> {
    fn begin(setup: &'a Setup) -> Result<Self, Failure> {
        let notes = Notes::open(&setup.folder.join("notes.jsonl"))?;
        let daemon = Daemon::start(&setup.daemon, &setup.folder)?;
        let socket = setup.folder.join("hapticd/app.sock");
        let mut monitor = Client::connect_until(&socket, "monitor", Duration::from_secs(60))?;
        let state = monitor.subscribe(0, topic::STATE)?;
        let listener = child(setup, Role::Listener, 0)?;
        let mut episode = Self {
            setup,
            random: Random::new(setup.seed),
            notes,
            daemon,
            state,
            _monitor: monitor,
            listener,
            presser: None,
            others: Vec::new(),
        };
        // Both hands are down, all threads run, all clients are connected. Threads that start on
        // demand have started.
        let mut warmth = [episode.child(Role::Strange)?, episode.child(Role::Presser)?];
        std::thread::sleep(Duration::from_secs(2));
        for client in &mut warmth {
            let _ = (client.kill(), client.wait());
        }
        episode.notes.note(What::Dead);
        std::thread::sleep(Duration::from_secs(1));
        episode.notes.note(episode.daemon.usage(true));
        episode.press()?;
        Ok(episode)
    }

    fn play(&mut self) -> Result<(), Failure> {
        let mut actions: Vec<Action> = Vec::new();
        let possible: Vec<Action> = ACTIONS.into_iter().filter(|a| self.may(*a)).collect();
        if possible.is_empty() {
            return Err(format!("no action of {:?}", self.setup.only).into());
        }
        while actions.len() < self.setup.actions {
            let mut all = possible.clone();
            self.random.shuffle(&mut all);
            actions.extend(all);
        }
        actions.truncate(self.setup.actions);
        for action in actions {
            if !self.daemon.runs() {
                break;
            }
            self.done(&format!("{action:?}"));
            self.act(action)?;
            let pause = self.random.within(50.0, 700.0);
            std::thread::sleep(Duration::from_micros((pause * 1000.0) as u64));
        }
        self.clear();
        // Everything that their end takes is over, including a close that blocks.
        std::thread::sleep(Duration::from_secs(LINGER_S + 1));
        self.notes.note(self.daemon.usage(false));
        self.press()?;
        self.wait_for_force();
        // In many episodes the daemon ends while its log is not read; in some, with an opened FIFO.
        if !self.random.one_in(3) && self.may(Action::Mistakes) {
            self.done("nobody reads any more");
            self.daemon.set_reading(false);
            self.mistakes()?;
        }
        if self.random.one_in(4) && self.may(Action::Fifo) {
            self.done("a FIFO");
            self.fifo()?;
        }
        if !self.daemon.runs() {
            return Ok(());
        }
        self.wait_for_force();
        self.notes.note(What::Terminated);
        self.daemon.signal(Signal::TERM);
        let status = self.daemon.end(Duration::from_secs(30));
        self.daemon.set_reading(true);
        if status.is_none() {
            // The recording so far is needed as well; the daemon may end now that the log is read.
            self.daemon.end(Duration::from_secs(5));
        }
        self.notes.note(What::Exited { status });
        Ok(())
    }

    fn may(&self, action: Action) -> bool {
        let name = format!("{action:?}").to_lowercase();
        self.setup.only.is_empty() || self.setup.only.contains(&name)
    }

    fn done(&self, text: &str) {
        let text = text.to_owned();
        self.notes.note(What::Done { text });
    }

    fn act(&mut self, action: Action) -> Result<(), Failure> {
        match action {
            Action::Kill => {
                self.wait_for_force();
                self.kill_presser();
                std::thread::sleep(Duration::from_millis(300));
                self.press()?;
            }
            Action::KillWhileClosing => {
                self.wait_for_force();
                let linger = self.child(Role::Linger)?;
                self.others.push(linger);
                std::thread::sleep(Duration::from_millis(300));
                self.kill_presser();
                std::thread::sleep(Duration::from_millis(1000));
                self.press()?;
            }
            Action::Stop => {
                self.wait_for_force();
                if let Some(presser) = &self.presser {
                    signal_process(presser, Signal::STOP);
                    self.notes.note(What::Stopped);
                    let ms = self.random.within(200.0, 1500.0);
                    std::thread::sleep(Duration::from_micros((ms * 1000.0) as u64));
                    self.notes.note(What::Continued);
                    signal_process(presser, Signal::CONT);
                    std::thread::sleep(Duration::from_millis(800));
                }
            }
            Action::Tighten => {
                self.wait_for_force();
                let mut tighten = self.child(Role::Tighten)?;
                std::thread::sleep(Duration::from_millis(1000));
                let _ = (tighten.kill(), tighten.wait());
            }
            Action::Reload => {
                let peak_n = self.random.within(2.5, 3.9);
                self.daemon.configure(peak_n)?;
                self.daemon.signal(Signal::HUP);
            }
            Action::Mistakes => {
                self.daemon.set_reading(false);
                self.mistakes()?;
                std::thread::sleep(Duration::from_millis(500));
                self.daemon.set_reading(true);
            }
            Action::Fifo => self.fifo()?,
            Action::Disturb => self.disturb()?,
        }
        Ok(())
    }

    /// Makes the daemon repeatedly reload a configuration of two hundred mistakes, which is more
    /// text than a pipe holds, and then the good one.
    fn mistakes(&self) -> Result<(), Failure> {
        let path = self.setup.folder.join("config.toml");
        let good = fs::read(&path)?;
        let mistakes: String = (0..200).map(|k| format!("nothing_{k} = {k}\n")).collect();
        for round in 0..12 {
            fs::write(&path, format!("# {round}\n{mistakes}"))?;
            self.daemon.signal(Signal::HUP);
            std::thread::sleep(Duration::from_millis(80));
        }
        Ok(fs::write(&path, good)?)
    }

    /// Puts a FIFO in place of the configuration, then a file again.
    fn fifo(&self) -> Result<(), Failure> {
        let path = self.setup.folder.join("config.toml");
        let good = fs::read(&path)?;
        fs::remove_file(&path)?;
        raw::make_fifo(&path)?;
        self.daemon.signal(Signal::HUP);
        std::thread::sleep(Duration::from_millis(300));
        fs::remove_file(&path)?;
        Ok(fs::write(&path, good)?)
    }

    fn disturb(&mut self) -> Result<(), Failure> {
        if self.others.len() >= 4 || (self.others.len() > 1 && self.random.one_in(3)) {
            let index = self.random.below(self.others.len());
            let mut other = self.others.swap_remove(index);
            let _ = (other.kill(), other.wait());
            return Ok(());
        }
        let roles = Role::DISTURBING;
        let role = roles[self.random.below(roles.len())];
        self.done(role.name());
        let other = self.child(role)?;
        self.others.push(other);
        Ok(())
    }

    fn child(&mut self, role: Role) -> Result<Child, Failure> {
        child(self.setup, role, self.random.bits())
    }

    /// Replaces the pressing client by a new one.
    fn press(&mut self) -> Result<(), Failure> {
        self.kill_presser();
        self.presser = Some(self.child(Role::Presser)?);
        Ok(())
    }

    fn kill_presser(&mut self) {
        if let Some(mut presser) = self.presser.take() {
            let _ = (presser.kill(), presser.wait());
            self.notes.note(What::Dead);
        }
    }

    /// Waits up to five seconds until the right arm is under force; a press of the hand or a limit
    /// of zero may delay it.
    fn wait_for_force(&self) {
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            let force = self.state.state().map_or([0.0; 3], |state| state.force_n);
            if recording::length(&force) > 0.5 {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        self.done("no force in five seconds");
    }

    /// Kills all clients except the listener.
    fn clear(&mut self) {
        self.kill_presser();
        for mut other in self.others.drain(..) {
            let _ = (other.kill(), other.wait());
        }
    }
}

fn child(setup: &Setup, role: Role, seed: u64) -> Result<Child, Failure> {
    let mut command = Command::new(&setup.chaos);
    command
        .args(["client", role.name(), &seed.to_string()])
        .arg(&setup.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(
            fs::File::options()
                .create(true)
                .append(true)
                .open(setup.folder.join("clients.log"))?,
        );
    Ok(command.spawn()?)
}
