//! The named intentions of the simulated hand, and the reader of intention files.
//!
//! Positions are in the arm's base frame, in which a desktop arm works within 10 cm of the origin.

use std::path::{Path, PathBuf};

use hapticd_config::schema::INTENTIONS;
use hapticd_config::{ConfigErrors, parse_intention};
use hapticd_devices::sim::{Intention, IntentionError, Keyframe, Track};

use hapticd_recording::{ReadError, trajectory};

/// Maximum size of an intention file, bytes: an hour of a hand at 60 Hz.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Reason why there is no intention.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The name is not one of [`INTENTIONS`].
    #[error("there is no intention `{name}`; known: {}", INTENTIONS.join(", "))]
    Unknown {
        /// The unknown name.
        name: String,
    },
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: std::io::Error,
    },
    /// The file is not an intention; lists all that is wrong with it.
    #[error("{0}")]
    File(Box<ConfigErrors>),
    /// The recording or trajectory cannot be read.
    #[error("{path}: {error}")]
    Recording {
        /// Path of the file.
        path: PathBuf,
        /// Error of the reader.
        error: Box<ReadError>,
    },
    /// The numbers make no sense.
    #[error(transparent)]
    Intention(#[from] IntentionError),
}

/// Returns one of the intentions that ship with the daemon.
pub fn named(name: &str) -> Result<Intention, Error> {
    match name {
        "rest" => Ok(Intention::Rest {
            at: [0.0, 0.0, 0.05],
            rotation: [0.0; 3],
        }),
        "press" => Ok(Intention::Press {
            from: [0.0, 0.0, 0.05],
            rotation: [0.0; 3],
            depth_m: 0.1,
            move_s: 1.5,
            hold_s: 1.5,
        }),
        "explore" => Ok(Intention::Recorded {
            track: exploration()?,
        }),
        "circle" => Ok(Intention::Circle {
            center: [0.0, 0.0, -0.02],
            rotation: [0.0; 3],
            radius_m: 0.04,
            period_s: 3.0,
            turn_along: false,
        }),
        "assemble" => Ok(assembly()?),
        "palpate" => Ok(palpation()?),
        "insert" => Ok(insertion()?),
        "wander" => Ok(Intention::Recorded {
            track: wandering()?,
        }),
        _ => Err(Error::Unknown {
            name: name.to_owned(),
        }),
    }
}

/// Loads an intention from a TOML file, or the device poses of a recording or trajectory (`.mcap`).
pub fn load(path: &Path) -> Result<Intention, Error> {
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("mcap"))
    {
        let keys = trajectory::keyframes(path).map_err(|error| Error::Recording {
            path: path.to_owned(),
            error: Box::new(error),
        })?;
        return Ok(Intention::Recorded {
            track: Track::new(keys)?,
        });
    }
    let text =
        hapticd_files::read_text(path, MAX_TEXT_BYTES).map_err(|error| Error::Unreadable {
            path: path.to_owned(),
            error,
        })?;
    let wants = parse_intention(&path.display().to_string(), &text)
        .map_err(|errors| Error::File(Box::new(errors)))?;
    Ok(Intention::try_from(wants)?)
}

/// A hand that fits a peg of 3 cm into a hole at the origin with its rim at z = 0. It sets the peg
/// down 3 cm away and askew, slides it over the hole with 3 mm of pressure, eases off, and probes
/// for the hole in a circle of 1 mm (straight in, it would wedge on the rim). It pushes the peg 17
/// mm in, pulls it out, and begins again. 8 s.
fn assembly() -> Result<Intention, IntentionError> {
    let keys = [
        (0.0, [0.03, 0.01, 0.05], 0.1),
        (1.0, [0.03, 0.01, 0.012], 0.05),
        (3.0, [0.0, 0.0, 0.012], 0.0),
        (3.1, [0.0, 0.0, 0.014], 0.0),
        (3.2, [0.001, 0.0, 0.013], 0.0),
        (3.3, [0.0, 0.001, 0.013], 0.0),
        (3.4, [-0.001, 0.0, 0.0125], 0.0),
        (3.5, [0.0, -0.001, 0.012], 0.0),
        (3.7, [0.0, 0.0, 0.011], 0.0),
        (4.5, [0.0, 0.0, -0.002], 0.0),
        (5.2, [0.0, 0.0, -0.002], 0.0),
        (6.7, [0.0, 0.0, 0.05], 0.0),
        (8.0, [0.03, 0.01, 0.05], 0.1),
    ];
    let keys = keys.map(|(t_s, position, tilt)| Keyframe {
        t_s,
        position,
        rotation: [tilt, 0.0, 0.0],
    });
    Ok(Intention::Script {
        track: Track::new(keys.to_vec())?,
        repeat: true,
    })
}

/// A hand that presses into a surface at z = -0.04 at seven places along x, 15 mm deep, and strokes
/// back over it 3 mm deep. 14 s.
fn palpation() -> Result<Intention, IntentionError> {
    let key = |t_s: f64, x: f64, z: f64| Keyframe {
        t_s,
        position: [x, 0.0, z],
        rotation: [0.0; 3],
    };
    let mut keys = Vec::new();
    for k in 0..7 {
        let (t, x) = (1.5 * f64::from(k), -0.03 + 0.01 * f64::from(k));
        keys.extend([
            key(t, x, -0.02),
            key(t + 0.6, x, -0.055),
            key(t + 0.9, x, -0.055),
        ]);
    }
    keys.extend([
        key(10.5, 0.03, -0.02),
        key(11.0, 0.03, -0.043),
        key(13.0, -0.03, -0.043),
        key(14.0, -0.03, -0.02),
    ]);
    Ok(Intention::Script {
        track: Track::new(keys)?,
        repeat: true,
    })
}

/// A hand with a needle whose tip hangs 2 cm over a surface. It pushes the needle 6 cm deep, rests,
/// pulls it sideways and draws it out. Then it turns it by half a turn about its axis and goes in
/// again 2 cm away. 17 s.
fn insertion() -> Result<Intention, IntentionError> {
    let key = |t_s: f64, x: f64, z: f64, roll: f64| Keyframe {
        t_s,
        position: [x, 0.0, z],
        rotation: [0.0, 0.0, roll],
    };
    let half = std::f64::consts::PI;
    let keys = vec![
        key(0.0, 0.0, 0.02, 0.0),
        key(1.0, 0.0, 0.002, 0.0),
        key(5.0, 0.0, -0.063, 0.0),
        key(5.5, 0.001, -0.063, 0.0),
        key(6.0, 0.0, -0.058, 0.0),
        key(8.0, 0.0, 0.02, 0.0),
        key(9.0, -0.02, 0.02, half),
        key(10.0, -0.02, 0.002, half),
        key(13.0, -0.02, -0.06, half),
        key(14.0, -0.02, -0.06, half),
        key(16.0, -0.02, 0.02, half),
        key(17.0, 0.0, 0.02, 0.0),
    ];
    Ok(Intention::Script {
        track: Track::new(keys)?,
        repeat: true,
    })
}

/// Ten minutes of a hand that comes down on a surface around z = -0.04 and wanders over it, with
/// varying pressure, lifting off now and then. The path is a Lissajous figure of two incommensurate
/// periods, 5 cm to each side.
fn exploration() -> Result<Track, IntentionError> {
    const STEP_S: f64 = 0.04;
    let keys = (0..15_000)
        .map(|k| {
            let t = f64::from(k) * STEP_S;
            let tau = std::f64::consts::TAU;
            // Touch-down within 1.5 s, then 4 mm to 12 mm into the surface, with a lift every 9 s
            // or so.
            let arrive = (1.0 - t / 1.5).max(0.0);
            let lift = ((t * tau / 9.0).sin() - 0.9).max(0.0) * 10.0;
            let press = 0.008 + 0.004 * (t * tau / 2.3).sin();
            Keyframe {
                t_s: t,
                position: [
                    0.05 * (t * tau / 5.1).sin(),
                    0.05 * (t * tau / 7.3).sin(),
                    -0.04 - press + 0.1 * arrive * arrive + 0.035 * lift,
                ],
                rotation: [
                    0.15 * (t * tau / 3.7).sin(),
                    0.15 * (t * tau / 4.9).sin(),
                    0.0,
                ],
            }
        })
        .collect();
    Track::new(keys)
}

/// Ten minutes of a hand that wanders about a room in the plane z = 0, 18 cm by 12, and leans on
/// everything in its way. The path has two incommensurate periods and a small circling on top. It
/// starts in the middle.
fn wandering() -> Result<Track, IntentionError> {
    const STEP_S: f64 = 0.04;
    let keys = (0..15_000)
        .map(|k| {
            let t = f64::from(k) * STEP_S;
            let tau = std::f64::consts::TAU;
            let begin = (t / 1.5).min(1.0);
            Keyframe {
                t_s: t,
                position: [
                    0.088 * (t * tau / 12.7).sin() + 0.008 * begin * (t * tau / 1.9).cos(),
                    0.062 * (t * tau / 8.3).sin() + 0.008 * begin * (t * tau / 1.9).sin(),
                    0.0,
                ],
                rotation: [0.0; 3],
            }
        })
        .collect();
    Track::new(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_an_intention() {
        for name in INTENTIONS {
            named(name).unwrap().validate().unwrap();
        }
        assert!(matches!(named("dance"), Err(Error::Unknown { .. })));
    }
}
