//! `hapticd export`: writes the newest skins of the running daemon into a file. It is an ordinary
//! client that adds nothing and holds no lease.
//!
//! Everything is read, checked and assembled before the file is created. An existing file is kept
//! unless `--force` is given; even then it is kept if the export fails before that point.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hapticd_client::export::{FileFormat, NewestSkin, SkinSelection, SkinsError, newest_skins};
use hapticd_client::{Client, ConnectError, skin_flag};
use hapticd_protocol::socket_folder::APP_SOCKET;

use super::technician::unconnected;
use super::{Failure, create, print_error, print_line, taken};

#[derive(clap::Args)]
pub struct Args {
    /// File to write: Wavefront OBJ, PLY or binary glTF, by its suffix.
    #[arg(value_name = "OUT.{obj,ply,glb}")]
    output: PathBuf,
    /// Only this body's skin.
    #[arg(long, value_name = "NAME|ID")]
    body: Option<String>,
    /// Let the scene run this long first, s.
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    after: Duration,
    /// Longest wait for a daemon that is starting, and its skins, s.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    within: Duration,
    /// Overwrite the file if it exists.
    #[arg(long)]
    force: bool,
    /// The daemon's socket. Without it: $HAPTICD_SOCKET, then the default folders.
    #[arg(long, value_name = "SOCKET")]
    socket: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|s| (0.0..=3600.0).contains(s));
    let duration = number.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| format!("`{text}` is not a number of seconds, 0 to 3600"))
}

/// Writes the file and reports what it has written.
pub fn export(args: &Args) -> Result<(), Failure> {
    let output = &args.output;
    let format =
        FileFormat::of(output).map_err(|e| Failure::Input(format!("{}: {e}", output.display())))?;
    if !args.force && output.is_file() {
        // Reported before any wait. A file that appears in the meantime is found when the file is
        // created.
        return Err(taken(output));
    }
    let socket = match args.socket.clone() {
        Some(socket) => socket,
        None => hapticd_client::default_socket()
            .map_err(|error| unconnected(&error, None, APP_SOCKET))?,
    };
    let mut client = connect(&socket, args.within)
        .map_err(|error| unconnected(&error, args.socket.as_ref(), APP_SOCKET))?;
    std::thread::sleep(args.after);
    let whose = args
        .body
        .as_deref()
        .map_or(SkinSelection::All, SkinSelection::One);
    let skins = newest_skins(&mut client, whose, args.within).map_err(|e| match e {
        SkinsError::NoSuchBody { .. } | SkinsError::NoSkin { .. } => Failure::input(e),
        _ => Failure::runtime(e),
    })?;
    let parts: Vec<_> = skins.iter().map(NewestSkin::part).collect();
    let mut bytes = Vec::new();
    format.write(&parts, &mut bytes).map_err(Failure::runtime)?;
    let (mut file, fresh) = create(output, args.force)?;
    if let Err(e) = file.write_all(&bytes) {
        fresh.discard();
        return Err(Failure::runtime(format!("{}: {e}", output.display())));
    }
    for skin in &skins {
        print_line(&described(skin));
    }
    let triangles: usize = skins.iter().map(|s| s.frame.triangles.len()).sum();
    let up = if format == FileFormat::Glb {
        "y up, as this format has it"
    } else {
        "z up"
    };
    print_line(&format!(
        "{}: {triangles} triangles, {} bytes; metres, {up}",
        output.display(),
        bytes.len()
    ));
    Ok(())
}

/// Connects. If nothing listens yet, first reports what it waits for.
fn connect(socket: &Path, within: Duration) -> Result<Client, ConnectError> {
    let name = "hapticd export";
    match Client::connect_to(socket, name) {
        Err(error @ ConnectError::NoDaemon { .. }) if !within.is_zero() => {
            print_error(&format!(
                "hapticd: {error}; waiting up to {} s for one (--within)",
                within.as_secs_f64()
            ));
            Client::connect_until(socket, name, within)
        }
        connected => connected,
    }
}

/// Describes a skin: its size, its age, and whether it is closed.
fn described(skin: &NewestSkin) -> String {
    let header = &skin.frame.header;
    let whole = match skin.part().surface.open_sides() {
        0 => "closed".to_owned(),
        open => format!("NOT closed: {open} open edges"),
    };
    let flags = [
        (skin_flag::COARSE, ", coarser than wanted"),
        (skin_flag::CLIPPED, ", cut off at its box"),
        (skin_flag::SMALL, ", parts too small to see"),
        (skin_flag::UNCONTROLLED, ", blended wrongly"),
        (skin_flag::FAULTY, ", FAULTY by the daemon's own check"),
    ];
    let flags = flags.iter().filter(|(bit, _)| header.flags & bit != 0);
    let flags: String = flags.map(|(_, text)| *text).collect();
    format!(
        "{}: {} triangles, cubes of {:.2} mm, {:.1} ms old, {whole}{flags}",
        skin.body,
        skin.frame.triangles.len(),
        header.cell_m * 1e3,
        skin.age_ns as f64 * 1e-6,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_client::export::NamedBody;
    use hapticd_client::{BodyKind, SkinFrame, SkinFrameHeader};

    #[test]
    fn faults_of_a_skin_are_named() {
        let mut skin = NewestSkin {
            body: NamedBody {
                name: "gut".to_owned(),
                body: 7,
                kind: BodyKind::Implicit,
            },
            frame: SkinFrame {
                triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
                header: SkinFrameHeader {
                    cell_m: 0.002,
                    ..SkinFrameHeader::default()
                },
                ..SkinFrame::default()
            },
            age_ns: 12_345_678,
        };
        assert_eq!(
            described(&skin),
            "gut (7): 4 triangles, cubes of 2.00 mm, 12.3 ms old, closed"
        );
        skin.frame.triangles.pop();
        skin.frame.header.flags = skin_flag::COARSE | skin_flag::FAULTY;
        let said = described(&skin);
        let end = "NOT closed: 3 open edges, coarser than wanted, FAULTY by the daemon's own check";
        assert!(said.ends_with(end), "{said}");
    }
}
