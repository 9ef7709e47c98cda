//! Results of a run.

use std::fmt;

use hapticd_geometry::{Digest, Vec3};

/// A violated requirement.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// The tool is this deep in a body, m.
    Penetration(f64),
    /// A piece of the tool's path, or of the body's step, met the surface at this fraction of the
    /// piece.
    Crossing(f64),
    /// The checker could not decide: at this fraction of the piece the surfaces were this close, m.
    Unresolved(f64, f64),
    /// The distance is below the certified clearance, m.
    TooNear(f64),
    /// A number that is not finite, or an invalid contact.
    Nonsense(&'static str),
    /// At rest and deflected by this much (m), although nothing is touched or no answer releases
    /// it.
    Held(f64),
}

/// A violation with its place and time.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Tick of the fixture.
    pub tick: u64,
    /// Index of the body, if one is concerned.
    pub body: Option<usize>,
    /// Position of the tool.
    pub at: Vec3,
    /// The violation.
    pub violation: Violation,
}

/// Sums over a run.
#[derive(Clone, Debug)]
pub struct Tally {
    /// Digest of the results of all ticks.
    pub digest: Digest,
    /// Number of ticks.
    pub ticks: u64,
    /// Ticks with an active contact.
    pub contact: u64,
    /// Ticks that the certificate, the budget or the step cap cut short.
    pub starved: u64,
    /// Maximum number of feature pairs in one snapshot.
    pub pairs_listed: usize,
    /// Maximum number of feature pairs evaluated in one tick.
    pub pairs_tested: u32,
    /// Deepest penetration, m.
    pub penetration_m: f64,
    /// Pieces of path that met a surface or were undecided.
    pub crossings: u64,
    /// Pieces of path that were checked.
    pub pieces: u64,
    /// Smallest distance seen, m.
    pub least_gap_m: f64,
    /// Largest displacement of the device in a tick, m.
    pub fastest_m: f64,
    /// Ticks without a solid body.
    pub ghost: u64,
    /// Ticks at rest in which the tool was held back without a contact.
    pub held: u64,
    /// Ticks after the first 30 of standing still, while the hand moves and fewer than three
    /// contacts hold the tool.
    pub pinned: u64,
    /// Number of violations.
    pub violations: u64,
    /// The first violations.
    pub findings: Vec<Finding>,
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            digest: Digest::default(),
            ticks: 0,
            contact: 0,
            starved: 0,
            pairs_listed: 0,
            pairs_tested: 0,
            penetration_m: 0.0,
            crossings: 0,
            pieces: 0,
            least_gap_m: f64::INFINITY,
            fastest_m: 0.0,
            ghost: 0,
            held: 0,
            pinned: 0,
            violations: 0,
            findings: Vec::new(),
        }
    }
}

impl Tally {
    /// Records a violation.
    pub fn note(&mut self, finding: Finding) {
        self.violations += 1;
        match finding.violation {
            Violation::Penetration(d) => self.penetration_m = self.penetration_m.max(d),
            Violation::Crossing(_) | Violation::Unresolved(..) => self.crossings += 1,
            _ => {}
        }
        if self.findings.len() < 8 {
            self.findings.push(finding);
        }
    }

    /// Returns true if there was no violation.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.violations == 0
    }

    /// Adds another run's sums.
    pub fn add(&mut self, other: &Tally) {
        self.digest.bytes(other.digest.to_string().as_bytes());
        self.ticks += other.ticks;
        self.contact += other.contact;
        self.starved += other.starved;
        self.pairs_listed = self.pairs_listed.max(other.pairs_listed);
        self.pairs_tested = self.pairs_tested.max(other.pairs_tested);
        self.penetration_m = self.penetration_m.max(other.penetration_m);
        self.crossings += other.crossings;
        self.pieces += other.pieces;
        self.least_gap_m = self.least_gap_m.min(other.least_gap_m);
        self.fastest_m = self.fastest_m.max(other.fastest_m);
        self.ghost += other.ghost;
        self.held += other.held;
        self.pinned += other.pinned;
        self.violations += other.violations;
        self.findings.extend(other.findings.iter().cloned());
    }

    /// Returns the column headings of [`fmt::Display`].
    #[must_use]
    pub fn heads() -> String {
        format!(
            "{:>8} {:>8} {:>8} {:>7} {:>7} {:>8} {:>9} {:>9} {:>11} {:>9} {:>6} {:>6} {:>6}",
            "ticks",
            "contact",
            "starved",
            "listed",
            "tested",
            "m/s",
            "pieces",
            "depth mm",
            "crossings",
            "gap mm",
            "ghost",
            "held",
            "pinned"
        )
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>8} {:>8} {:>8} {:>7} {:>7} {:>8.1} {:>9} {:>9.2e} {:>11} {:>9.5} {:>6} {:>6} {:>6}",
            self.ticks,
            self.contact,
            self.starved,
            self.pairs_listed,
            self.pairs_tested,
            self.fastest_m * 1e3,
            self.pieces,
            self.penetration_m * 1e3,
            self.crossings,
            self.least_gap_m * 1e3,
            self.ghost,
            self.held,
            self.pinned
        )
    }
}
