//! `hapticd-view snapshot`: connects, waits until there is something to see, follows it for a
//! while, and writes a picture.
//!
//! An existing file is kept unless `--force` is given; even then it is kept until there is a
//! picture. A file that this run created is removed if the run fails.

use crate::{
    Failure,
    camera::Size,
    controls::Controls,
    feed::Feed,
    gpu::Gpu,
    offscreen::Offscreen,
    scene::{Link, VisibleScene},
    theme::Theme,
};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Polling period.
const POLL_PERIOD: Duration = Duration::from_millis(3);
/// Largest picture, pixels in each direction.
const LARGEST: u32 = 8192;

/// Options of a snapshot.
#[derive(Clone, Debug)]
pub struct SnapshotOptions {
    /// The daemon's socket.
    pub socket: PathBuf,
    /// File to write.
    pub output: PathBuf,
    /// Size in pixels.
    pub size: Size,
    /// How long to follow the scene first, so that plots have content.
    pub after: Duration,
    /// How long to wait for a daemon that is starting, and for its complete scene.
    pub within: Duration,
    /// Overwrite an existing file.
    pub force: bool,
    /// Colour theme.
    pub theme: Theme,
    /// Draw panels and names.
    pub panels: bool,
}

/// Parses a size such as `1280x800`.
///
/// # Errors
/// A sentence for the user.
pub fn parse_size(text: &str) -> Result<Size, String> {
    let sides = text.split_once('x').and_then(|(width, height)| {
        Some([width.parse::<u32>().ok()?, height.parse::<u32>().ok()?])
    });
    match sides {
        Some(size) if size.iter().all(|side| (16..=LARGEST).contains(side)) => Ok(size),
        _ => Err(format!(
            "`{text}` is no size: WIDTHxHEIGHT in pixels, 16 to {LARGEST} each, as in 1280x800"
        )),
    }
}

/// Takes a snapshot.
///
/// # Errors
/// [`Failure::Input`] if the file exists or cannot be created, [`Failure::Runtime`] for everything
/// else.
pub fn take(wanted: &SnapshotOptions) -> Result<(), Failure> {
    let (file, fresh) = create(&wanted.output, wanted.force)?;
    let done = picture(wanted, file);
    if done.is_err() && fresh {
        // Report the failure that made the file worthless, not one of removing it.
        let _ = std::fs::remove_file(&wanted.output);
    }
    done
}

/// Creates the file; returns also whether it is new.
fn create(path: &Path, force: bool) -> Result<(File, bool), Failure> {
    let said = |error: io::Error| Failure::Input(format!("{}: {error}", path.display()));
    if force {
        let fresh = !path.exists();
        // The file is truncated only when there is something to write.
        let mut options = File::options();
        let file = options.write(true).create(true).truncate(false).open(path);
        return Ok((file.map_err(said)?, fresh));
    }
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::Input(format!(
            "{}: already exists: choose another name, remove it, or overwrite it with --force",
            path.display()
        ))),
        made => Ok((made.map_err(said)?, true)),
    }
}

fn picture(wanted: &SnapshotOptions, file: File) -> Result<(), Failure> {
    // Open the device first: it takes a while, and the scene has nothing to show yet.
    let mut offscreen =
        Offscreen::open(wanted.size, Gpu::software_wanted()).map_err(Failure::runtime)?;
    let scene = follow(&wanted.socket, wanted.after, wanted.within).map_err(Failure::Runtime)?;
    let mut controls = Controls::new(wanted.theme);
    (controls.panels, controls.names) = (wanted.panels, wanted.panels);
    controls.frame_first(&scene, wanted.size);
    let image = offscreen
        .scene(&scene, &controls)
        .map_err(Failure::runtime)?;
    file.set_len(0).map_err(Failure::runtime)?;
    let mut out = BufWriter::new(file);
    image.write_png(&mut out).map_err(Failure::runtime)?;
    out.flush().map_err(Failure::runtime)
}

/// Follows the scene until it is complete, and then for `after`.
fn follow(socket: &Path, after: Duration, within: Duration) -> Result<VisibleScene, String> {
    let mut feed = Feed::new(socket.to_owned());
    let start = Instant::now();
    let mut complete = None;
    loop {
        let elapsed = start.elapsed();
        feed.step(elapsed.as_secs_f64());
        let scene = feed.scene();
        if complete.is_none() && scene.is_complete() {
            complete = Some(elapsed);
        }
        match (complete, &scene.link) {
            (_, Link::Lost(why)) => return Err(format!("the daemon went away: {why}")),
            (Some(since), _) if elapsed >= since + after => return Ok(scene.clone()),
            (None, Link::Waiting(why)) if elapsed >= within => return Err(why.clone()),
            (None, Link::Up) if elapsed >= within => {
                return Err("the daemon publishes no state".to_owned());
            }
            _ => std::thread::sleep(POLL_PERIOD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_daemon_an_old_picture_stays_even_by_force() {
        let folder = std::env::temp_dir().join(format!("hapticd-snapshot-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let wanted = SnapshotOptions {
            socket: folder.join("nobody.sock"),
            output: folder.join("old.png"),
            size: [64, 64],
            after: Duration::ZERO,
            within: Duration::ZERO,
            force: true,
            theme: Theme::default(),
            panels: false,
        };
        std::fs::write(&wanted.output, "old").unwrap();
        assert!(take(&wanted).is_err());
        assert_eq!(std::fs::read(&wanted.output).unwrap(), b"old");
        std::fs::remove_file(&wanted.output).unwrap();
        assert!(take(&wanted).is_err());
        assert!(!wanted.output.exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_size_is_two_numbers_within_reason() {
        assert_eq!(parse_size("1280x800"), Ok([1280, 800]));
        for wrong in [
            "", "1280", "x", "1280x", "1280x0", "1280X800", "-1x5", "9000x10", "1x2x3",
        ] {
            let error = parse_size(wrong).unwrap_err();
            assert!(
                error.contains(wrong) && error.contains("1280x800"),
                "{error}"
            );
        }
    }
}
