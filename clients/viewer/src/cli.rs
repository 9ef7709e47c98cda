//! Command line of `hapticd-view`. Exit codes: 0 success, 1 failure at run time, 2 wrong input of
//! the user.

use crate::{
    Failure,
    camera::Size,
    snapshot::{self, SnapshotOptions, parse_size},
    theme::Theme,
    window,
};
use clap::{Parser, Subcommand};
use std::{path::PathBuf, process::ExitCode, time::Duration};

/// Shows the scene of a running hapticd in a window, or draws it into a file.
#[derive(Parser)]
#[command(name = "hapticd-view", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// The daemon's socket. Without it: $HAPTICD_SOCKET, then the default folders.
    #[arg(long, value_name = "SOCKET", global = true)]
    socket: Option<PathBuf>,
    /// Dark on light.
    #[arg(long, global = true)]
    light: bool,
    /// Leave after so many pictures.
    #[arg(long, value_name = "COUNT")]
    frames: Option<u64>,
}

#[derive(Subcommand)]
enum Command {
    /// Draw one picture into a PNG file; needs no display.
    Snapshot {
        /// The file.
        #[arg(value_name = "OUT.png")]
        output: PathBuf,
        /// Pixels.
        #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x800", value_parser = parse_size)]
        size: Size,
        /// Follow the scene this long first, s.
        #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = seconds)]
        after: Duration,
        /// Longest wait for a daemon that is starting, s.
        #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
        within: Duration,
        /// Overwrite the file if it exists.
        #[arg(long)]
        force: bool,
        /// The scene alone.
        #[arg(long)]
        no_panels: bool,
    },
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|s| (0.0..=3600.0).contains(s));
    let duration = number.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| format!("`{text}` is not a number of seconds, 0 to 3600"))
}

/// Prints a line to standard error. If that cannot be written, only the exit code is left to tell.
fn print_error(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Parses the arguments, runs the command and returns the exit code.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // To clap, help and version are errors with exit code 0. A closed pipe is no one's
            // fault.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let socket = match cli.socket.map_or_else(hapticd_client::default_socket, Ok) {
        Ok(socket) => socket,
        Err(error) => {
            print_error(&format!("hapticd-view: {error}"));
            return ExitCode::from(1);
        }
    };
    let theme = if cli.light { Theme::Light } else { Theme::Dark };
    let done = match cli.command {
        None => window::show(socket, theme, cli.frames),
        Some(Command::Snapshot {
            output,
            size,
            after,
            within,
            force,
            no_panels,
        }) => snapshot::take(&SnapshotOptions {
            socket,
            output,
            size,
            after,
            within,
            force,
            theme,
            panels: !no_panels,
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Input(text)) => {
            print_error(&text);
            ExitCode::from(2)
        }
        Err(Failure::Runtime(text)) => {
            print_error(&format!("hapticd-view: {text}"));
            ExitCode::from(1)
        }
    }
}
