//! Attacks every scene and prints the results; exits 1 on any violation.
//!
//! `adversary [--ticks N] [--seed N] [--scene NAME] [--list] [--digests]`: N ticks are divided over
//! all scenes (or go to the named one). In half of them answers are late by a fixed 0 to 15 ticks;
//! in the other half answers get lost, stall and overtake each other. `--digests` prints a digest
//! of the ticks of each scene, and nothing that depends on time.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;
use std::time::Instant;

use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{Fixture, Hand, ScenePlan, Tally, catalogue};

struct Options {
    ticks: u64,
    seed: u64,
    scene: Option<String>,
    list: bool,
    digests: bool,
}

fn options() -> Result<Options, String> {
    let mut o = Options {
        ticks: 100_000,
        seed: 1,
        scene: None,
        list: false,
        digests: false,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or(format!("{arg} needs a value"));
        match arg.as_str() {
            "--ticks" => o.ticks = value()?.parse().map_err(|e| format!("--ticks: {e}"))?,
            "--seed" => o.seed = value()?.parse().map_err(|e| format!("--seed: {e}"))?,
            "--scene" => o.scene = Some(value()?),
            "--list" => o.list = true,
            "--digests" => o.digests = true,
            _ => {
                return Err(format!(
                    "no such option: {arg}; known: --ticks --seed --scene --list --digests"
                ));
            }
        }
    }
    Ok(o)
}

fn attack(scene: &ScenePlan, ticks: u64, seed: u64) -> Result<Tally, String> {
    let lag = [0, 1, 3, 15][(seed % 4) as usize];
    let mut total = Tally::default();
    for (k, manner) in [Delivery::fixed(lag), Delivery::wild()]
        .into_iter()
        .enumerate()
    {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(k as u64);
        let mut fixture = Fixture::new(scene, manner, seed)?;
        let mut hand = Hand::new(scene.playground(), seed ^ 0xA5A5);
        for _ in 0..ticks.div_ceil(2) {
            let device = hand.step();
            fixture.step(Some(device));
        }
        total.add(&fixture.tally);
    }
    Ok(total)
}

fn run() -> Result<bool, String> {
    let o = options()?;
    let mut scenes = catalogue::scenes().map_err(|e| e.to_string())?;
    if let Some(name) = &o.scene {
        scenes.retain(|s| s.name == name);
        if scenes.is_empty() {
            return Err(format!("no such scene: {name}; --list names them"));
        }
    }
    if o.list {
        for s in &scenes {
            println!("{}", s.name);
        }
        return Ok(true);
    }
    let weights: f64 = scenes.iter().map(|s| s.weight).sum();
    if !o.digests {
        println!("{:<22} {} {:>8}", "scene", Tally::heads(), "us/tick");
    }
    let mut total = Tally::default();
    let begun = Instant::now();
    for (i, scene) in scenes.iter().enumerate() {
        let share = (o.ticks as f64 * scene.weight / weights).ceil() as u64;
        let started = Instant::now();
        let tally = attack(scene, share, o.seed.wrapping_add(i as u64))?;
        let us = started.elapsed().as_secs_f64() * 1e6 / tally.ticks.max(1) as f64;
        if o.digests {
            println!("{} {}", scene.name, tally.digest);
        } else {
            println!("{:<22} {tally} {us:>8.0}", scene.name);
        }
        for f in &tally.findings {
            println!(
                "    tick {} body {:?} at {:?}: {:?}",
                f.tick,
                f.body,
                f.at.as_slice(),
                f.violation
            );
        }
        total.add(&tally);
    }
    if o.digests {
        return Ok(total.is_clean());
    }
    let s = begun.elapsed().as_secs_f64();
    println!(
        "{:<22} {total} {:>8.0}",
        "total",
        s * 1e6 / total.ticks.max(1) as f64
    );
    println!(
        "{} violations in {} ticks, {s:.1} s, seed {}",
        total.violations, total.ticks, o.seed
    );
    Ok(total.is_clean())
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("adversary: {e}");
            ExitCode::from(2)
        }
    }
}
