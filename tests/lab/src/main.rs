//! `lab`: every published experiment that can be reproduced here, with the published value next to
//! ours, and a verdict.
//!
//! ```text
//! lab list                      all experiments
//! lab run ID [ARGS] [--json]    one experiment
//! lab run redon-all [--json]    every experiment whose ID starts with `redon-`
//! lab run all --json=FILE       every experiment, all results in one file
//! ```
//!
//! With `--json` each experiment prints one JSON object on one line: `id`, `title`, `judges`,
//! `rows` (published next to ours), `verdict` (`"holds"` or `"falls short"`), `why`, and further
//! keys of the experiment. An experiment that could not be run has `error` in place of rows and
//! verdict. A file (`--json=FILE`) has these objects in `experiments`, and counts of them in
//! `holds`, `falls_short` and `failed`.
//!
//! `judges` tells what the verdict depends on: `"counts"` (and distances, and forces: the same in
//! every run), `"counts and time"`, `"time"`, `"peer"`. Where counts and times decide,
//! `verdict_untimed` is the verdict without the times. `--quick` is a small run of what counts
//! decide; `tests/verdicts.rs` holds each experiment to it.
//!
//! Exit status: 0 if all hold, 1 if one falls short or failed, 2 if the input was wrong.
//!
//! An experiment is one file here and one line in [`registry`].

#![forbid(unsafe_code)]

mod ccd_queries;
mod cli;
mod clock;
mod contact;
mod experiment;
mod feel;
mod kinetic;
mod models;
mod output;
mod peer;
mod rays;
mod redon;
mod registration;
mod registry;
mod skin;
mod svg;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
