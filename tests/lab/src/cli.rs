//! The command line.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde_json::{Value, json};

use crate::experiment::{Context, Experiment, Failure};
use crate::registry::{self, EXPERIMENTS};
use crate::table;

#[derive(Parser)]
#[command(
    name = "lab",
    about = "Published experiments, the published value beside ours.",
    after_help = "Exit status: 0 every verdict holds, 1 one falls short or failed, 2 the input was wrong."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Name the experiments.
    List {
        /// One JSON object a line: `id`, `title`.
        #[arg(long)]
        json: bool,
    },
    /// Run one experiment, or with `GROUP-all` every one of a group.
    // The experiment itself answers `lab run ID --help`.
    #[command(disable_help_flag = true)]
    Run {
        /// An ID of `lab list`, or `GROUP-all`.
        id: String,
        /// Arguments of the experiment (`lab run ID --help`), and `--json`: one JSON object a line.
        /// Of `feel-*` also `--mutant`, with a planted fault, and `--quick`, few cases.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

/// Parses and runs the command line of the process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_id_first(std::env::args().collect())) {
        Ok(cli) => cli,
        Err(e) => return clap_exit(&e),
    };
    match cli.command {
        Command::List { json } => {
            list(json);
            ExitCode::SUCCESS
        }
        Command::Run { id, mut args } => {
            let mut has = |flag: &str| {
                let words = args.len();
                args.retain(|word| word != flag);
                args.len() < words
            };
            let how = How {
                json: has("--json"),
                quick: has("--quick"),
                mutant: has("--mutant"),
            };
            run(&id, &args, how)
        }
    }
}

/// Options that all experiments share.
#[derive(Clone, Copy)]
struct How {
    json: bool,
    quick: bool,
    mutant: bool,
}

/// Reorders the words, so that `lab run --json ID` means `lab run ID --json`, and `lab run --help`
/// means `lab help run`.
fn with_id_first(mut words: Vec<String>) -> Vec<String> {
    if words.get(1).is_some_and(|w| w == "run") {
        match words.get(2).map(String::as_str) {
            Some("--json") => {
                let json = words.remove(2);
                words.push(json);
            }
            Some("--help" | "-h") => words
                .splice(1..3, ["help".into(), "run".into()])
                .for_each(drop),
            _ => {}
        }
    }
    words
}

fn list(json: bool) {
    if json {
        for e in EXPERIMENTS {
            say(&json!({ "id": e.id, "title": e.title }).to_string());
        }
        return;
    }
    let width = EXPERIMENTS.iter().map(|e| e.id.len()).max().unwrap_or(0);
    for e in EXPERIMENTS {
        say(&format!("{:<width$}  {}", e.id, e.title));
    }
}

fn run(id: &str, args: &[String], how: How) -> ExitCode {
    let chosen = match registry::select(EXPERIMENTS, id) {
        Ok(chosen) => chosen,
        Err(why) => {
            complain(&why);
            return ExitCode::from(2);
        }
    };
    let mut worst = 0;
    for experiment in &chosen {
        worst = worst.max(match run_one(experiment, args, how) {
            Ok(status) => status,
            Err(e) => return clap_exit(&e),
        });
    }
    ExitCode::from(worst)
}

/// Runs and prints one experiment; returns its exit status.
fn run_one(experiment: &Experiment, args: &[String], how: How) -> Result<u8, clap::Error> {
    let context = Context {
        id: experiment.id,
        args: args.to_vec(),
        quick: how.quick,
        mutant: how.mutant,
    };
    let fault = registry::fault(experiment.id);
    let ran = if (how.quick || how.mutant) && fault.is_none() {
        Err(Failure::Input("it has no planted fault".into()))
    } else {
        (experiment.run)(&context)
    };
    let (why, status) = match ran {
        Ok(mut report) => {
            if let Some(fault) = fault.filter(|_| how.mutant) {
                report.notes.insert(0, format!("planted fault: {fault}"));
            }
            if how.json {
                let mut object = json!({ "id": experiment.id, "title": experiment.title });
                if let (Value::Object(all), Ok(Value::Object(own))) =
                    (&mut object, serde_json::to_value(&report))
                {
                    all.extend(own);
                }
                say(&object.to_string());
            } else {
                say(&table::render(experiment.id, experiment.title, &report));
            }
            return Ok(u8::from(!report.verdict.holds));
        }
        Err(Failure::Arguments(e)) => return Err(e),
        Err(Failure::Input(why)) => (why, 2),
        Err(Failure::Run(why)) => (why, 1),
    };
    if how.json {
        say(&json!({ "id": experiment.id, "title": experiment.title, "error": why }).to_string());
    }
    complain(&format!("{}: {why}", experiment.id));
    Ok(status)
}

fn clap_exit(e: &clap::Error) -> ExitCode {
    // To clap, help and version are errors with exit code 0. A closed pipe is no one's fault.
    let _ = e.print();
    ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2))
}

/// Prints a line on standard output; a closed pipe is no one's fault.
fn say(line: &str) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// Prints a line on standard error.
fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "lab: {line}");
}
