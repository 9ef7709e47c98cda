//! `chaos`: runs hapticd under force while everything misbehaves, and prints the verdict. See the
//! library.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use hapticd_chaos::{
    Failure,
    clients::{self, Role},
    crowd,
    episode::{self, Outcome, Setup},
    judge::Verdict,
    soak,
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

const USAGE: &str = "\
chaos [--minutes M] [--seed S] [--daemon PROGRAM] [--folder DIR] [--actions N] [--only A,B] [--keep]
    runs episodes of some twenty seconds until M minutes are over (2), from seed S (1) on;
    --only: of kill, killwhileclosing, stop, tighten, reload, mistakes, fifo, disturb
    PROGRAM is $HAPTICD or target/debug/hapticd; what broke a rule stays in DIR (build/chaos)
chaos judge DIR
    judges an episode's folder once more
chaos crowd [--minutes M] [--seed S] [--daemon PROGRAM] [--folder DIR] [--boxes N] [--triangles N]
    a heap of N dynamic boxes (25) and a mesh of N triangles (2000000) that comes and goes, beside a
    tool that presses, for M minutes (2): no force-off, and contact data no older than 8 ticks in 99
    of 100 ticks
chaos soak [--minutes M] [--seed S] [--daemon PROGRAM] [--folder DIR] [--no-realtime]
    one daemon under force for M minutes (2), with clients that come and go: what it holds stays the
    same, and no thread is taken for hung; --no-realtime: it does not ask for real-time priorities";

struct Options {
    minutes: f64,
    seed: u64,
    daemon: PathBuf,
    folder: PathBuf,
    actions: usize,
    only: Vec<String>,
    keep: bool,
    realtime: bool,
    boxes: usize,
    triangles: usize,
}

impl Options {
    /// Sets an option that has a value.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        match name {
            "--minutes" => self.minutes = value.parse()?,
            "--seed" => self.seed = value.parse()?,
            "--daemon" => self.daemon = value.into(),
            "--folder" => self.folder = value.into(),
            "--only" => self.only = value.split(',').map(str::to_owned).collect(),
            "--boxes" => self.boxes = value.parse()?,
            "--triangles" => self.triangles = value.parse()?,
            "--actions" => self.actions = value.parse()?,
            _ => return Err(USAGE.into()),
        }
        Ok(())
    }
}

fn options(arguments: &[String]) -> Result<Options, Failure> {
    let daemon = std::env::var_os("HAPTICD").map(PathBuf::from);
    let mut options = Options {
        minutes: 2.0,
        seed: 1,
        daemon: daemon.unwrap_or_else(|| "target/debug/hapticd".into()),
        folder: "build/chaos".into(),
        actions: 11,
        only: Vec::new(),
        keep: false,
        realtime: true,
        boxes: 25,
        triangles: 2_000_000,
    };
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        match name.as_str() {
            "--keep" => options.keep = true,
            "--no-realtime" => options.realtime = false,
            name => {
                let value = arguments.next().ok_or(USAGE)?;
                options.set(name, value)?;
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["client", role, seed, folder] => client(role, seed, Path::new(folder)).map(|()| true),
        ["judge", folder] => {
            episode::verdict(Path::new(folder)).map(|outcome| print(&outcome) == 0)
        }
        ["crowd", ..] => options(&arguments[1..]).and_then(|options| crowd(&options)),
        ["soak", ..] => options(&arguments[1..]).and_then(|options| soak(&options)),
        _ => options(&arguments).and_then(|options| run(&options)),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn client(role: &str, seed: &str, folder: &Path) -> Result<(), Failure> {
    let known = Role::of(role).ok_or(USAGE)?;
    let played = clients::play(known, seed.parse()?, folder);
    played.map_err(|error| format!("{role}: {error}").into())
}

/// Prints every rule; returns how many are violated.
fn print(outcome: &Outcome) -> usize {
    println!(
        "{} ticks, {} under force, {} periods missed",
        outcome.ticks, outcome.pressed, outcome.missed
    );
    print_all(&outcome.verdicts)
}

fn print_all(verdicts: &[Verdict]) -> usize {
    for verdict in verdicts {
        println!("  {verdict}");
    }
    verdicts.iter().filter(|v| v.broken > 0).count()
}

/// Creates an empty folder for one run.
fn fresh(options: &Options, name: &str) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(&options.folder)?;
    let folder = options.folder.canonicalize()?.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    Ok(folder)
}

fn crowd(options: &Options) -> Result<bool, Failure> {
    let folder = fresh(options, "crowd")?;
    let verdicts = crowd::run(&crowd::Setup {
        daemon: options.daemon.canonicalize()?,
        folder: folder.clone(),
        seed: options.seed,
        length: Duration::from_secs_f64(options.minutes * 60.0),
        boxes: options.boxes,
        triangles: options.triangles,
        max_age_ticks: 8.0,
    })?;
    conclude(options, &folder, &verdicts)
}

fn soak(options: &Options) -> Result<bool, Failure> {
    let folder = fresh(options, "soak")?;
    let verdicts = soak::run(&soak::Setup {
        daemon: options.daemon.canonicalize()?,
        folder: folder.clone(),
        seed: options.seed,
        length: Duration::from_secs_f64(options.minutes * 60.0),
        realtime: options.realtime,
    })?;
    conclude(options, &folder, &verdicts)
}

/// Prints the rules of a trial, and keeps its files if one is violated.
fn conclude(options: &Options, folder: &Path, verdicts: &[Verdict]) -> Result<bool, Failure> {
    let broken = print_all(verdicts);
    if broken == 0 && !options.keep {
        std::fs::remove_dir_all(folder)?;
    } else {
        println!("  kept: {}", folder.display());
    }
    println!("{} passed, {broken} failed", verdicts.len() - broken);
    Ok(broken == 0)
}

fn run(options: &Options) -> Result<bool, Failure> {
    let start = Instant::now();
    let length = Duration::from_secs_f64(options.minutes * 60.0);
    let (mut ticks, mut pressed) = (0, 0);
    let (mut passed, mut failed) = (0_usize, 0);
    let mut seed = options.seed;
    while start.elapsed() < length || passed + failed == 0 {
        let folder = fresh(options, &format!("seed-{seed}"))?;
        println!("seed {seed}");
        let outcome = episode::run(&Setup {
            daemon: options.daemon.canonicalize()?,
            chaos: std::env::current_exe()?,
            folder: folder.clone(),
            seed,
            actions: options.actions,
            only: options.only.clone(),
        })?;
        let broken = print(&outcome);
        passed += outcome.verdicts.len() - broken;
        failed += broken;
        ticks += outcome.ticks;
        pressed += outcome.pressed;
        if broken == 0 && !options.keep {
            std::fs::remove_dir_all(&folder)?;
        } else {
            println!("  kept: {}", folder.display());
        }
        seed += 1;
    }
    // Without forces, a judge of forces sees nothing.
    let blind = pressed * 50 < ticks;
    let word = if blind { "BROKEN" } else { "holds" };
    println!("pressed      {word:<6} {pressed} of {ticks} ticks under force; one in 50 is wanted");
    failed += usize::from(blind);
    passed += usize::from(!blind);
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}
