//! `lab`: every published experiment that can be rebuilt here, the published value beside ours, and
//! a verdict.
//!
//! ```text
//! lab list                      what there is
//! lab run ID [ARGS] [--json]    one experiment
//! lab run redon-all [--json]    every experiment whose ID starts with `redon-`
//! ```
//!
//! With `--json` each experiment prints one JSON object on one line: `id`, `title`, `rows`
//! (published beside ours), `verdict` (`"holds"` or `"falls short"`), `why`, and what else the
//! experiment states about itself; one that could not be run has `error` in place of rows and
//! verdict. Exit status: 0 all hold, 1 one falls short or failed, 2 the input was wrong.
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
