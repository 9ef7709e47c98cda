//! The command line: its commands and their execution.
//!
//! Exit codes: 0 good, 1 failed at run time, 2 the user's input is wrong.

mod check;
mod devices;
mod export;
mod gateway;
mod outputs;
mod program;
mod record;
mod replay;
mod run;
mod schema;
mod status;
mod status_text;
mod technician;
mod view;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::{Parser, Subcommand};

/// Real-time haptic rendering service: arms in, certified contact, force out.
#[derive(Parser)]
#[command(name = "hapticd", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a simulated arm and hand in a built-in scene; needs no device and no file.
    Demo(run::DemoArgs),
    /// Run a configuration.
    Run(run::RunArgs),
    /// Run a configuration without a view and record all that crosses the loop.
    Record(record::Args),
    /// Replay a recording and report whether it is identical bit for bit.
    Replay(replay::Args),
    /// Check a configuration without opening any device.
    Check(check::Args),
    /// List HID devices and say which of them are arms.
    Devices(devices::Args),
    /// Ask the running daemon for its state.
    Status(status::Args),
    /// Clear latched faults of the running daemon's arms; a cause that still holds comes back.
    Clear(technician::Args),
    /// Release the limits that clients of the running daemon tightened.
    Release(technician::Args),
    /// Show the running daemon's scene in a window.
    View(view::ViewArgs),
    /// Draw the running daemon's scene into a PNG file.
    Snapshot(view::SnapshotArgs),
    /// Let browsers talk to the running daemon: WebSockets, and a page that shows the scene.
    Gateway(gateway::Args),
    /// Write the running daemon's skins into an OBJ, PLY or glTF file.
    Export(export::Args),
    /// Print the JSON Schema of the configuration.
    Schema,
}

/// A failure, by its cause.
pub enum Failure {
    /// The user's input is wrong: exit code 2.
    Input(String),
    /// Any other failure: exit code 1.
    Runtime(String),
}

impl Failure {
    fn input(e: impl std::fmt::Display) -> Self {
        Failure::Input(e.to_string())
    }
    fn runtime(e: impl std::fmt::Display) -> Self {
        Failure::Runtime(e.to_string())
    }
}

/// Parses the arguments, executes them, and returns the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are errors to clap, with exit code 0. A closed pipe is not an error
            // of this program.
            let _ = e.print();
            return ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2));
        }
    };
    let done = match cli.command {
        Command::Demo(args) => run::demo(args),
        Command::Run(args) => run::run(args),
        Command::Record(args) => record::record(args),
        Command::Replay(args) => replay::replay(&args),
        Command::Check(args) => check::check(&args),
        Command::Devices(args) => devices::devices(&args),
        Command::Status(args) => status::status(&args),
        Command::Clear(args) => technician::clear(&args),
        Command::Release(args) => technician::release(&args),
        Command::View(args) => view::view(&args),
        Command::Snapshot(args) => view::snapshot(&args),
        Command::Gateway(args) => gateway::gateway(args),
        Command::Export(args) => export::export(&args),
        Command::Schema => schema::schema(),
    };
    match done.and_then(|()| check_output()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(text)) => {
            print_error(text.trim_end());
            ExitCode::from(2)
        }
        Err(Failure::Runtime(text)) => {
            print_error(&format!("hapticd: {}", text.trim_end()));
            ExitCode::from(1)
        }
    }
}

/// The file that this run has created, if any. It may be removed again if the run fails.
#[derive(Default)]
pub struct CreatedFile(Option<PathBuf>);

impl CreatedFile {
    /// Removes the file, so that it does not block the next attempt.
    fn discard(&self) {
        if let Some(path) = &self.0 {
            // The user hears of the failure that made the file worthless.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Creates an output file. An existing file may be the user's only recording, so it is kept unless
/// `force` is set.
fn create(path: &Path, force: bool) -> Result<(File, CreatedFile), Failure> {
    let said = |e: io::Error| Failure::Input(format!("{}: {e}", path.display()));
    let anyway = || Ok((File::create(path).map_err(said)?, CreatedFile::default()));
    if force {
        return anyway();
    }
    match File::create_new(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
            // A pipe or a device holds nothing that could be lost. A pipe without a reader is an
            // error, because opening it would wait for one.
            if path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir()) {
                return Ok((
                    hapticd_sys::pipe::open_writable(path).map_err(said)?,
                    CreatedFile::default(),
                ));
            }
            Err(taken(path))
        }
        made => Ok((made.map_err(said)?, CreatedFile(Some(path.to_owned())))),
    }
}

/// Returns the failure for a file that exists already.
fn taken(path: &Path) -> Failure {
    Failure::Input(format!(
        "{}: already exists: choose another name, remove it, or overwrite it with --force",
        path.display()
    ))
}

/// First error on standard output.
static OUTPUT_ERROR: OnceLock<io::Error> = OnceLock::new();

/// Prints a line to standard output. An error is reported at the end ([`output_error`]).
fn print_line(line: &str) {
    use std::io::Write;
    if let Err(error) = writeln!(io::stdout().lock(), "{line}") {
        let _ = OUTPUT_ERROR.set(error);
    }
}

/// Prints a line to standard error. If that cannot be written, only the exit code is left to tell.
fn print_error(line: &str) {
    use std::io::Write;
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Returns the first error on standard output.
fn output_error() -> Option<&'static io::Error> {
    OUTPUT_ERROR.get()
}

/// Error number of a write to a terminal that was closed (`EIO`).
const EIO: i32 = 5;

/// Returns a failure if output was lost. A reader that has gone (`hapticd ... | head`) has what it
/// wanted.
fn check_output() -> Result<(), Failure> {
    let is_gone = |error: &io::Error| {
        error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(EIO)
    };
    match output_error() {
        Some(error) if !is_gone(error) => {
            Err(Failure::Runtime(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
