//! The command line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
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
    after_help = "Exit status: 0 all verdicts hold, 1 one falls short or failed, 2 invalid input."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List all experiments.
    List {
        /// One JSON object a line: `id`, `title`, `judges`.
        #[arg(long)]
        json: bool,
    },
    /// Run one experiment, all of a group (`GROUP-all`), or all of them (`all`).
    // The experiment itself answers `lab run ID --help`.
    #[command(disable_help_flag = true)]
    Run {
        /// An ID of `lab list`, `GROUP-all`, or `all`.
        id: String,
        /// Arguments of the experiment (`lab run ID --help`), and `--json`: one JSON object a line,
        /// or `--json=FILE`: all of them in one file. `--quick` is a small run, unless times alone
        /// are judged; `--mutant` plants a fault, where there is one.
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
            let file = args.iter().find_map(|word| word.strip_prefix("--json="));
            let file = file.map(PathBuf::from);
            args.retain(|word| !word.starts_with("--json="));
            run(&id, &args, how, file.as_deref())
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
            Some(word) if word == "--json" || word.starts_with("--json=") => {
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
            let line = json!({ "id": e.id, "title": e.title, "judges": e.judges.name() });
            say(&line.to_string());
        }
        return;
    }
    let width = EXPERIMENTS.iter().map(|e| e.id.len()).max().unwrap_or(0);
    for e in EXPERIMENTS {
        say(&format!("{:<width$}  {}", e.id, e.title));
    }
}

/// Runs what the ID selects; prints it, and writes it to a file if one is given.
fn run(id: &str, args: &[String], how: How, file: Option<&Path>) -> ExitCode {
    let chosen = match registry::select(EXPERIMENTS, id) {
        Ok(chosen) => chosen,
        Err(why) => {
            complain(&why);
            return ExitCode::from(2);
        }
    };
    let mut worst = 0;
    let mut objects = Vec::new();
    for experiment in &chosen {
        let (object, status) = match run_one(experiment, args, how) {
            Ok(ran) => ran,
            Err(e) => return clap_exit(&e),
        };
        worst = worst.max(status);
        objects.push(object);
        // After each, so that a run that is cut short leaves what it has found.
        let Some(file) = file else { continue };
        if let Err(e) = std::fs::write(file, file_of(&objects)) {
            complain(&format!("{}: {e}", file.display()));
            return ExitCode::from(2);
        }
    }
    ExitCode::from(worst)
}

/// Formats the file of `--json=FILE`: how many hold, and each experiment on a line of its own.
fn file_of(objects: &[Value]) -> String {
    let count = |key: &str, word: &str| objects.iter().filter(|o| o[key] == word).count();
    let failed = objects.iter().filter(|o| o["error"].is_string()).count();
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    format!(
        "{{\"holds\": {}, \"falls_short\": {}, \"failed\": {failed}, \"experiments\": [\n{}\n]}}\n",
        count("verdict", "holds"),
        count("verdict", "falls short"),
        lines.join(",\n")
    )
}

/// Runs and prints one experiment; returns its object and its exit status.
fn run_one(experiment: &Experiment, args: &[String], how: How) -> Result<(Value, u8), clap::Error> {
    let words = experiment.judges.quick();
    let mut all = args.to_vec();
    if let Some(words) = words.filter(|_| how.quick) {
        all.splice(0..0, words.iter().map(|word| (*word).to_owned()));
    }
    let context = Context {
        id: experiment.id,
        args: all,
        quick: how.quick,
        mutant: how.mutant,
    };
    let fault = registry::fault(experiment.id);
    let ran = if how.mutant && fault.is_none() {
        Err(Failure::Input("it has no planted fault".into()))
    } else if how.quick && words.is_none() && fault.is_none() {
        Err(Failure::Input("judged by time: no small run".into()))
    } else {
        (experiment.run)(&context)
    };
    let mut object = json!({
        "id": experiment.id,
        "title": experiment.title,
        "judges": experiment.judges.name(),
    });
    let (why, status) = match ran {
        Ok(mut report) => {
            if let Some(fault) = fault.filter(|_| how.mutant) {
                report.notes.insert(0, format!("planted fault: {fault}"));
            }
            if let (Value::Object(all), Ok(Value::Object(own))) =
                (&mut object, serde_json::to_value(&report))
            {
                all.extend(own);
            }
            if how.json {
                say(&object.to_string());
            } else {
                say(&table::render(experiment.id, experiment.title, &report));
            }
            return Ok((object, u8::from(!report.verdict.holds)));
        }
        Err(Failure::Arguments(e)) => return Err(e),
        Err(Failure::Input(why)) => (why, 2),
        Err(Failure::Run(why)) => (why, 1),
    };
    complain(&format!("{}: {why}", experiment.id));
    object["error"] = why.into();
    if how.json {
        say(&object.to_string());
    }
    Ok((object, status))
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
