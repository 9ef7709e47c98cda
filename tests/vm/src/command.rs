//! The one-line commands with which `uhid-arm` and `gadget-arm` are driven from a terminal, a FIFO
//! or a script.
//!
//! Every command answers with one line: `ok`, a line of counters, or `error: ...`. Blank lines and
//! `#` comments are skipped. [`HELP`] lists the commands.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use hapticd_devices::profile::generic;

use crate::arm::Arm;
use crate::path::Path;
use crate::port::{Identity, Port};
use crate::wire;

/// The commands, for `--help`.
pub const HELP: &str = "\
commands, one a line on standard input:
  plug [SERIAL]       plug in, with another serial number if given
  unplug              pull the cable
  stream on|off       off: the arm stops sending
  drain on|off        off: the arm stops taking forces (hung firmware)
  count on|off        off: the arm repeats its last sample number
  switch on|off       safety switch closed / open
  calibrated on|off   what the arm says of its encoders
  cool on|off         off: its motors report 95 degrees Celsius
  path T X Y Z; ...   new path in seconds and metres; end with `; repeat` to repeat it
  understate on|off   next plug: declare one byte of input, so that reports of any length pass the kernel
  send HEX            one input report of these bytes
  counters            what was sent and received
  force               the last force received
  wait SECONDS        do nothing for a while
  quit                unplug and end";

/// An arm and its identity at the next `plug`.
pub struct Console {
    arm: Arm,
    identity: Identity,
}

impl Console {
    /// Makes a console for `arm`; commands plug it in.
    pub fn new(arm: Arm, identity: Identity) -> Console {
        Console { arm, identity }
    }

    /// Runs commands from `input` until it ends or says `quit`; answers go to `output`.
    ///
    /// # Errors
    /// If `input` cannot be read or `output` cannot be written. A command that fails is an answer,
    /// not an error.
    pub fn run(&mut self, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        for line in input.lines() {
            let line = line?;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line == "quit" {
                break;
            }
            match self.execute(line) {
                Ok(answer) => writeln!(output, "{answer}")?,
                Err(error) => writeln!(output, "error: {error}")?,
            }
            output.flush()?;
        }
        Ok(())
    }

    fn execute(&mut self, line: &str) -> Result<String, String> {
        let (verb, rest) = line
            .split_once(' ')
            .map_or((line, ""), |(verb, rest)| (verb, rest.trim()));
        let io = |error: io::Error| error.to_string();
        match verb {
            "plug" => {
                if !rest.is_empty() {
                    self.identity.serial = rest.to_owned();
                }
                self.arm.plug(&self.identity).map_err(io)?;
            }
            "unplug" => self.arm.unplug().map_err(io)?,
            "stream" => self.arm.set_streaming(on_off(rest)?),
            "drain" => self.arm.set_draining(on_off(rest)?),
            "count" => self.arm.set_counting(on_off(rest)?),
            "switch" => self.arm.set_safety_switch(on_off(rest)?),
            "calibrated" => self.arm.set_calibrated(on_off(rest)?),
            "cool" => self.arm.set_cool(on_off(rest)?),
            "path" => self
                .arm
                .set_path(Path::parse(rest).map_err(|error| error.to_string())?),
            "understate" => {
                self.identity.descriptor = if on_off(rest)? {
                    wire::understated_descriptor()
                } else {
                    generic::GENERIC_3DOF_DESCRIPTOR.to_vec()
                };
            }
            "send" => {
                let sent = self.arm.inject(&hex(rest)?).map_err(io)?;
                return Ok(format!("{sent:?}").to_lowercase());
            }
            "counters" => {
                let c = self.arm.counters();
                return Ok(format!(
                    "sent {} busy {} late {} errors {} outputs {} malformed {} opened {} closed {}",
                    c.sent, c.busy, c.late, c.errors, c.outputs, c.malformed, c.opened, c.closed
                ));
            }
            "force" => {
                return Ok(match self.arm.last_force() {
                    None => "none".to_owned(),
                    Some(last) => {
                        let [x, y, z] = last.force.newtons;
                        format!("{x:.3} {y:.3} {z:.3} N sequence {}", last.force.sequence)
                    }
                });
            }
            "wait" => {
                let seconds = rest
                    .parse()
                    .map_err(|_| format!("`{rest}` is not a number of seconds"))?;
                let wait =
                    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
                std::thread::sleep(wait);
            }
            _ => return Err(format!("no command `{verb}`")),
        }
        Ok("ok".to_owned())
    }
}

/// The whole of a stand-alone arm program: `--serial S`, `--name N`, `--path P`, then commands on
/// standard input.
///
/// `make` builds the port from the value of `--port` (default `default_port`). A wrong option or a
/// refusal of the kernel is reported on standard error and is a failure.
pub fn main(
    program: &str,
    default_port: &str,
    make: impl FnOnce(&str) -> io::Result<Box<dyn Port>>,
) -> ExitCode {
    let Err(error) = obey(default_port, make) else {
        return ExitCode::SUCCESS;
    };
    // Standard error may be closed; the exit code still tells.
    let _ = writeln!(io::stderr(), "{program}: {error}");
    ExitCode::FAILURE
}

fn obey(
    default_port: &str,
    make: impl FnOnce(&str) -> io::Result<Box<dyn Port>>,
) -> Result<(), String> {
    let mut identity = Identity::generic("RIG-0001");
    let mut path = Path::rest([0.0; 3]);
    let mut port = default_port.to_owned();
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        if option == "--help" {
            let text =
                format!("options: --serial S, --name N, --port P, --path 'T X Y Z; ...'\n{HELP}\n");
            return io::stdout()
                .write_all(text.as_bytes())
                .map_err(|error| error.to_string());
        }
        let value = arguments
            .next()
            .ok_or_else(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--serial" => identity.serial = value,
            "--name" => identity.name = value,
            "--port" => port = value,
            "--path" => path = Path::parse(&value).map_err(|error| error.to_string())?,
            _ => return Err(format!("no option `{option}`; see --help")),
        }
    }
    let port = make(&port).map_err(|error| error.to_string())?;
    let arm = Arm::start(port, path).map_err(|error| error.to_string())?;
    Console::new(arm, identity)
        .run(io::stdin().lock(), io::stdout().lock())
        .map_err(|error| error.to_string())
}

fn on_off(word: &str) -> Result<bool, String> {
    match word {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{word}` is neither `on` nor `off`")),
    }
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            c.to_digit(16)
                .ok_or_else(|| format!("`{c}` is not a hexadecimal digit"))
        })
        .collect::<Result<_, _>>()?;
    if digits.len() % 2 == 1 {
        return Err("an odd number of hexadecimal digits".to_owned());
    }
    Ok(digits
        .chunks(2)
        .map(|pair| (pair[0] * 16 + pair[1]) as u8)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::{Received, Sent};

    struct Nowhere;

    impl Port for Nowhere {
        fn plug(&self, identity: &Identity) -> io::Result<()> {
            if identity.serial == "refused" {
                Err(io::ErrorKind::PermissionDenied.into())
            } else {
                Ok(())
            }
        }
        fn unplug(&self) -> io::Result<()> {
            Ok(())
        }
        fn send(&self, report: &[u8]) -> io::Result<Sent> {
            Ok(if report == [0xAB, 0x0C] {
                Sent::Taken
            } else {
                Sent::Busy
            })
        }
        fn receive(&self, _: &mut [u8], _: Duration) -> io::Result<Received> {
            std::thread::yield_now();
            Ok(Received::Nothing)
        }
    }

    #[test]
    fn every_command_answers_with_one_line() {
        let arm = Arm::start(Box::new(Nowhere), Path::rest([0.0; 3])).expect("start");
        let script = "# a comment\n\nplug X\nplug refused\nsend ab 0C\nsend abc\nsend zz\nforce\nstream maybe\n\
                      path 0 0 0\ndance\nwait 0\nquit\nplug\n";
        let mut answers = Vec::new();
        Console::new(arm, Identity::generic("A"))
            .run(script.as_bytes(), &mut answers)
            .expect("runs");
        let expected = "ok\nerror: permission denied\ntaken\nerror: an odd number of hexadecimal digits\n\
                        error: `z` is not a hexadecimal digit\nnone\nerror: `maybe` is neither `on` nor `off`\n\
                        error: path: `0 0 0` is not `T X Y Z`\nerror: no command `dance`\nok\n";
        assert_eq!(String::from_utf8_lossy(&answers), expected);
    }
}
