//! Intentions: files that describe what a simulated hand wants. The reader of the configuration
//! reads them, so all errors are reported at once, each with its place.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::context::Context;
use crate::decode;
use crate::diagnostic::{Diagnostic, Problem};
use crate::errors::ConfigErrors;
use crate::field::{choice, tables};
use crate::key::Literal::{Integer, Number, Numbers, Text};
use crate::key::{Key, boolean, integer, number, numbers};
use crate::load::report_syntax_errors;
use crate::macros::{choices, section, variants};
use crate::read::{Reader, Tabular};
use crate::schema::Config;
use crate::source::Source;
use crate::value::Value;

/// Largest coordinate of a position, m, and of a rotation vector, rad.
pub const MAX_COORDINATE_M: f64 = 1e4;
/// Range of lengths, times and speeds, in their SI units: beyond it they overflow when they are
/// divided by each other.
pub const POSITIVE: RangeInclusive<f64> = MIN_POSITIVE..=MAX_POSITIVE;
const MIN_POSITIVE: f64 = 1e-9;
const MAX_POSITIVE: f64 = 1e9;

/// A position, m, or a rotation vector, rad.
const fn vector() -> Key {
    numbers(&[0.0; 3], -MAX_COORDINATE_M, MAX_COORDINATE_M)
}

/// A position that must be given.
const fn place() -> Key {
    vector().required(Numbers(&[0.0, 0.0, 0.05])).unit("m")
}

const fn positive(example: f64) -> Key {
    number(example, MIN_POSITIVE, MAX_POSITIVE).required(Number(example))
}

const fn offset(example: f64) -> Key {
    number(example, -MAX_COORDINATE_M, MAX_COORDINATE_M).required(Number(example))
}

choices! {
    /// Path over a surface.
    pub enum HandPattern {
        /// To and fro along x, slowly across along y, and back.
        Raster as "raster",
        /// Sines along x and y with frequencies in the ratio 5 to 4.
        Lissajous as "lissajous",
    }
}

section! {
    /// A pose at a time.
    pub struct HandKey {
        /// Time after the start; later than that of the pose before it.
        t_s: f64 = number(0.0, -1e12, 1e12).required(Number(0.5)).unit("s"),
        /// Position in the arm's base frame.
        position: [f64; 3] = place(),
        /// Rotation vector in the arm's base frame.
        rotation: [f64; 3] = vector().unit("rad"),
    }
}

variants! {
    /// What the hand wants.
    pub enum HandIntention by "kind" = choice::<HandIntention>("press").required(Text("press")); {
        /// Stay in one pose.
        Rest as "rest" {
            /// Position.
            at: [f64; 3] = place(),
            /// Rotation vector.
            rotation: [f64; 3] = vector().unit("rad"),
        },
        /// Go straight down, hold, come back, pause for as long, and repeat.
        Press as "press" {
            /// Position to start from.
            from: [f64; 3] = place(),
            /// Rotation vector.
            rotation: [f64; 3] = vector().unit("rad"),
            /// Depth below the start.
            depth_m: f64 = offset(0.08).unit("m"),
            /// Duration of one movement.
            move_s: f64 = positive(1.0).unit("s"),
            /// Time spent below, and time spent above.
            hold_s: f64 = number(1.0, 0.0, MAX_POSITIVE).required(Number(1.0)).unit("s"),
        },
        /// Move over a surface while pressing on it.
        Explore as "explore" {
            /// Centre of the region, at the height of the surface.
            center: [f64; 3] = place(),
            /// Rotation vector.
            rotation: [f64; 3] = vector().unit("rad"),
            /// Half of the region along x and y.
            half_width_m: [f64; 2] = numbers(&[0.05; 2], MIN_POSITIVE, MAX_POSITIVE)
                .required(Numbers(&[0.05, 0.05])).unit("m"),
            /// Depth below the surface that the hand wants to reach.
            pressure_depth_m: f64 = offset(0.01).unit("m"),
            /// Largest speed along the surface.
            speed_m_s: f64 = positive(0.1).unit("m/s"),
            /// Path over the surface.
            pattern: HandPattern = choice::<HandPattern>("raster").required(Text("raster")),
        },
        /// Move on a circle at constant height.
        Circle as "circle" {
            /// Centre of the circle.
            center: [f64; 3] = place(),
            /// Rotation vector at the start.
            rotation: [f64; 3] = vector().unit("rad"),
            /// Radius of the circle.
            radius_m: f64 = positive(0.04).unit("m"),
            /// Duration of one turn; if negative, turns are clockwise seen from above.
            period_s: f64 = number(3.0, -MAX_POSITIVE, MAX_POSITIVE)
                .required(Number(3.0)).unit("s"),
            /// Whether the tool turns about z with the motion.
            turn_along: bool = boolean(false),
        },
        /// Follow poses with straight motions between them, then stay.
        Recorded as "recorded" {
            /// The poses, in order of time.
            track: Vec<HandKey> = tables::<HandKey>(usize::MAX),
        },
        /// Follow poses with minimum-jerk movements.
        Script as "script" {
            /// The poses, in order of time.
            track: Vec<HandKey> = tables::<HandKey>(usize::MAX),
            /// Whether to begin again at the end.
            repeat: bool = boolean(false),
        },
        /// Dash straight between random points of a box.
        Dash as "dash" {
            /// Centre of the box.
            center: [f64; 3] = place(),
            /// Half of its edges.
            half_extents: [f64; 3] = numbers(&[0.05; 3], MIN_POSITIVE, MAX_POSITIVE)
                .required(Numbers(&[0.05, 0.05, 0.05])).unit("m"),
            /// Speed of a dash.
            speed_m_s: f64 = positive(0.5).unit("m/s"),
            /// Largest value of each component of the random rotation vectors.
            turn_rad: f64 = number(0.0, -MAX_COORDINATE_M, MAX_COORDINATE_M).unit("rad"),
            /// Seed of the random points.
            seed: u64 = integer(1, 0, i64::MAX).required(Integer(1)),
        },
    }
}

/// Checks the intention `text`, which errors show as the file `name`.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn parse_intention(name: &str, text: &str) -> Result<HandIntention, ConfigErrors> {
    let source = Source::new(name, text);
    let (root, syntax_errors) = DeTable::parse_recoverable(text);
    let context = Context::new("", |_| None);
    let mut reader = Reader::unlisted(&context, Config::SECTION);
    let read = reader.read::<HandIntention>(root.get_ref());
    let mut diagnostics = reader.diagnostics;
    if syntax_errors.is_empty() {
        check(root.get_ref(), read.as_ref(), &mut diagnostics);
    }
    report_syntax_errors(&mut diagnostics, &syntax_errors, &source, root.get_ref());
    match read {
        Some(read) if diagnostics.is_empty() => Ok(read),
        _ => Err(ConfigErrors::new(source, diagnostics)),
    }
}

/// Checks that need more than one key.
fn check(root: &DeTable<'_>, read: Option<&HandIntention>, found: &mut Vec<Diagnostic>) {
    let has_track = root
        .get("kind")
        .and_then(|kind| kind.get_ref().as_str())
        .is_some_and(|kind| matches!(kind, "script" | "recorded"));
    if has_track {
        track(root, found);
    }
    let span_of = |key| root.get(key).map(Spanned::span);
    match read {
        Some(HandIntention::Circle { period_s, .. }) if period_s.abs() < MIN_POSITIVE => {
            let problem = Problem::OutOfRange {
                key: "period_s",
                value: Value::Number(*period_s),
                min: Value::Number(MIN_POSITIVE),
                max: Value::Number(MAX_POSITIVE),
                unit: Some("s"),
            };
            let diagnostic = Diagnostic::new(problem, span_of("period_s"));
            found.push(diagnostic.help("or the same below zero, for clockwise turns"));
        }
        Some(HandIntention::Script {
            track,
            repeat: true,
        }) if track.len() == 1 => {
            found.push(Diagnostic::new(Problem::NothingToRepeat, span_of("repeat")));
        }
        _ => {}
    }
}

/// Checks that a track has poses and that their times increase.
fn track(root: &DeTable<'_>, found: &mut Vec<Diagnostic>) {
    let Some(item) = root.get("track") else {
        let problem = Problem::Missing {
            key: "track",
            place: "the file".to_owned(),
        };
        let help = "for example `track = [{ t_s = 0.0, position = [0.0, 0.0, 0.05] }]`";
        found.push(Diagnostic::new(problem, None).help(help));
        return;
    };
    let DeValue::Array(array) = item.get_ref() else {
        return;
    };
    if array.is_empty() {
        found.push(Diagnostic::new(Problem::NoPoses, Some(item.span())));
    }
    let Some(key) = HandKey::SECTION.keys.first() else {
        return;
    };
    let times = array.iter().filter_map(|pose| {
        let time = pose.get_ref().as_table()?.get(key.name)?;
        Some((decode::decode(key, time).ok()?.as_number()?, time.span()))
    });
    let mut before: Option<(f64, std::ops::Range<usize>)> = None;
    for (t_s, span) in times {
        if let Some((before_s, earlier)) = before.take()
            && t_s <= before_s
        {
            let problem = Problem::NotLater { t_s, before_s };
            let diagnostic = Diagnostic::new(problem, Some(span.clone()));
            found.push(diagnostic.related(Some(earlier), "the pose before it"));
        }
        before = Some((t_s, span));
    }
}
