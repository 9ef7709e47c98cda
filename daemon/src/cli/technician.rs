//! `hapticd clear` and `hapticd release`: clear latched faults and release tightened limits, on the
//! technician's socket.

use std::path::PathBuf;

use hapticd_client::{
    ALL_ARMS, ArmInfo, Client, ConnectError, Limits, Subscription, force_off_text, topic,
};
use hapticd_protocol::socket_folder::{self, APP_SOCKET, TECHNICIAN_SOCKET};

use super::{Failure, print_line};
use hapticd_devices::safety::ForceOffReason;
use hapticd_ipc::limit_names::changes;
use hapticd_sys::folder;

/// Maximum number of reads of a state that is being written.
const MAX_READS: usize = 1000;

#[derive(clap::Args)]
pub struct Args {
    /// Name or index of the arm; default: all arms.
    #[arg(value_name = "ARM")]
    arm: Option<String>,
    #[arg(long, value_name = "SOCKET", help = SOCKET_HELP)]
    socket: Option<PathBuf>,
}

/// Help on `--socket` of the commands for technicians.
pub(super) const SOCKET_HELP: &str = "The technician's socket. Without it: $HAPTICD_SOCKET, then \
    the default folders; where that ends in `app.sock`, `technician.sock` beside it";

/// Returns the technician's socket: the given path, or the one that clients try. Where that is the
/// applications' by its name, the technician's is beside it.
pub(super) fn socket(given: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(socket) = given {
        return Ok(socket.clone());
    }
    let socket = hapticd_client::default_socket()
        .map_err(|error| unconnected(&error, given, TECHNICIAN_SOCKET))?;
    Ok(match socket.ends_with(APP_SOCKET) {
        true => socket.with_file_name(TECHNICIAN_SOCKET),
        false => socket,
    })
}

/// Describes why there is no connection. If no socket was `given`, names every place that was
/// searched for the socket `name`.
pub(super) fn unconnected(error: &ConnectError, given: Option<&PathBuf>, name: &str) -> Failure {
    let is_search = matches!(
        error,
        ConnectError::NoDaemon { .. } | ConnectError::UntrustedFolder { .. }
    );
    let is_named = given.is_some() || std::env::var_os("HAPTICD_SOCKET").is_some();
    if !is_search || is_named {
        return Failure::runtime(error);
    }
    let folders = socket_folder::of_client(|name| std::env::var_os(name), folder::user());
    let places: Vec<String> = (folders.iter())
        .map(|folder| format!("\n  {}", folder.path.join(name).display()))
        .collect();
    Failure::Runtime(format!(
        "{error}\nthese places were tried:{}",
        places.join("")
    ))
}

/// Clears latched faults.
pub fn clear(args: &Args) -> Result<(), Failure> {
    let (mut client, asked, arms) = connected(args, "hapticd clear")?;
    let states: Vec<_> = (arms.iter())
        .map(|arm| client.subscribe(arm.index, topic::STATE).ok())
        .collect();
    let before: Vec<_> = states.iter().map(|state| reason(state.as_ref())).collect();
    client.clear_fault(asked).map_err(Failure::runtime)?;
    for ((arm, state), before) in arms.iter().zip(&states).zip(before) {
        print_line(&format!(
            "{}: {}",
            arm.name,
            cleared(before, reason(state.as_ref()))
        ));
    }
    Ok(())
}

/// Releases the limits that clients tightened.
pub fn release(args: &Args) -> Result<(), Failure> {
    let (mut client, asked, arms) = connected(args, "hapticd release")?;
    let before = limits(&mut client, &arms)?;
    client.release_limits(asked).map_err(Failure::runtime)?;
    let after = limits(&mut client, &arms)?;
    for ((arm, before), after) in arms.iter().zip(before).zip(after) {
        let what = match changes(&told(&before), &told(&after)) {
            Some(changed) => format!("released: {changed}"),
            None => "nothing was tightened".to_owned(),
        };
        print_line(&format!("{}: {what}", arm.name));
    }
    Ok(())
}

/// Connects. Returns the client, the arm index to request, and the arms concerned.
fn connected(args: &Args, name: &str) -> Result<(Client, u8, Vec<ArmInfo>), Failure> {
    let path = socket(args.socket.as_ref())?;
    let mut client = Client::connect_to(&path, name)
        .map_err(|error| unconnected(&error, args.socket.as_ref(), TECHNICIAN_SOCKET))?;
    let mut arms = client.arms().map_err(Failure::runtime)?;
    let Some(wanted) = args.arm.as_deref() else {
        return Ok((client, ALL_ARMS, arms));
    };
    let is_index = |arm: &ArmInfo| wanted.parse() == Ok(arm.index);
    let found = (arms.iter())
        .position(|arm| arm.name.as_str() == wanted)
        .or_else(|| arms.iter().position(is_index));
    let Some(found) = found else {
        let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
        return Err(Failure::Input(format!(
            "there is no arm `{wanted}`; there are {}: {}",
            names.len(),
            names.join(", ")
        )));
    };
    let arm = arms.swap_remove(found);
    Ok((client, arm.index, vec![arm]))
}

/// Returns the limits in force, by arm.
fn limits(client: &mut Client, arms: &[ArmInfo]) -> Result<Vec<Limits>, Failure> {
    let of = |arm: &ArmInfo| client.limits(arm.index).map_err(Failure::runtime);
    arms.iter().map(of).collect()
}

fn told(limits: &Limits) -> [f64; 8] {
    [
        limits.peak_force_n.0,
        limits.continuous_force_n.0,
        limits.peak_torque_nm.0,
        limits.continuous_torque_nm.0,
        limits.slew_n_per_s.0,
        limits.slew_nm_per_s.0,
        limits.velocity_m_s.0,
        limits.angular_velocity_rad_s.0,
    ]
}

/// Returns the code of the reason that keeps force off or reduces it, as of the loop's newest tick.
/// 0 means none; `None` before the first tick.
fn reason(state: Option<&Subscription>) -> Option<u8> {
    let state = state?;
    // A read is torn if a tick is written at the same time.
    let newest = (0..MAX_READS).find_map(|_| state.state().ok());
    newest.map(|state| state.reason)
}

/// Describes the effect of a clear, by the reasons before and after it.
fn cleared(before: Option<u8>, after: Option<u8>) -> String {
    let is_latched = |code| ForceOffReason::from_code(code).is_some_and(ForceOffReason::is_latched);
    let words = |code: u8| format!("{} ({code})", force_off_text(code));
    let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
    let what = if before != 0 && before == after && is_latched(before) {
        return format!("not cleared: {}; its cause still holds", words(before));
    } else if is_latched(before) {
        format!("cleared: {}", words(before))
    } else {
        "no latched fault was in force".to_owned()
    };
    match after {
        0 => what,
        why => format!("{what}; force is off or reduced: {}", words(why)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_says_what_is_gone_and_what_is_left() {
        for (before, after, says) in [
            (11, 0, "cleared: stopped by the supervisor (11)"),
            (
                1,
                2,
                "cleared: emergency stop (1); force is off or reduced: device lost (2)",
            ),
            (
                11,
                11,
                "not cleared: stopped by the supervisor (11); its cause still holds",
            ),
            (0, 0, "no latched fault was in force"),
            (
                2,
                2,
                "no latched fault was in force; force is off or reduced: device lost (2)",
            ),
            (
                39,
                39,
                "not cleared: shutting down (39); its cause still holds",
            ),
        ] {
            assert_eq!(cleared(Some(before), Some(after)), says);
        }
    }
}
