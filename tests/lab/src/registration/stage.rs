//! Common parts of the experiments: options, runs with checks and pictures, cells by density, rows.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_registration::map::Map;
use hapticd_registration::registration::{Kind, Policy, Registration};
use hapticd_registration::scale::Density;
use serde_json::Value;

use super::crowd::{Cost, Crowd, Settings};
use crate::experiment::{Failure, Row};
use crate::output;

/// The same for all, so that `registration-all` takes them.
#[derive(Parser)]
pub struct Options {
    /// The source's sizes where it gives them: 10,000 steps, more seeds.
    #[arg(long)]
    pub full: bool,
    /// Steps of each run; else the experiment's own.
    #[arg(long, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub steps: Option<u64>,
    /// Where agents start and whom they are pushed by follows from this.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// A folder to write pictures into.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

impl Options {
    /// Returns the number of steps: the short one, or the source's with `--full`.
    pub fn steps(&self, here: u64, full: u64) -> u64 {
        self.steps.unwrap_or(if self.full { full } else { here })
    }

    /// Writes a picture six times in a run, if pictures are wanted; it is named after the
    /// experiment and the step.
    pub fn frame(
        &self,
        name: &str,
        k: u64,
        steps: u64,
        draw: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match &self.out {
            Some(folder) if (k + 1).is_multiple_of((steps / 6).max(1)) => {
                let file = format!("registration-{name}-{:05}.svg", k + 1);
                output::save(folder, &file, &draw())
            }
            _ => Ok(()),
        }
    }
}

/// Decomposition of space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    Coarse,
    Fine,
    /// From coarse to fine, by density.
    Multiresolution,
}

/// Width of the widest cells, m.
pub const COARSE_M: f64 = 16.0;

/// Number of levels below the widest cells.
pub const LEVELS: u8 = 3;

/// A cell with more than 4 points is split; four cells with fewer than 2 in all are merged. The
/// source gives no thresholds: these were the best of 3, 4, 6 and 12 for the corridor of figure
/// 8.18.
pub fn density(levels: u8) -> Density {
    Density {
        kind: Kind::Point,
        split: 4,
        merge: 2,
        finest: levels,
        coarsest: 0,
        budget: 64,
        balanced: false,
    }
}

/// Makes an empty crowd in a plane of this many coarse cells with its corner at 0. Influences must
/// not reach farther than the width of the finest cells.
pub fn plane(
    cells: Cells,
    coarse: [usize; 2],
    levels: u8,
    settings: Settings,
) -> Result<Crowd, Failure> {
    let fine = 1 << levels;
    let (width, count) = match cells {
        Cells::Fine => (COARSE_M / fine as f64, coarse.map(|n| n * fine)),
        _ => (COARSE_M, coarse),
    };
    let map = Map::grid_2d(Vec3::zeros(), width, count);
    let map = map.map_err(|e| Failure::Run(format!("the map: {e}")))?;
    let density = (cells == Cells::Multiresolution).then(|| density(levels));
    Crowd::new(settings, Registration::new(map, Policy::Exact), density)
}

/// Observations of a run from outside.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watch {
    /// Pairs within reach that the lists missed, and the number of all such pairs.
    pub missed: usize,
    pub near: usize,
    /// Sum over the checks of points inside polygons, and the number of checks.
    pub inside_polygons: usize,
    pub checks: usize,
}

impl Watch {
    pub fn add(&mut self, other: &Watch) {
        self.missed += other.missed;
        self.near += other.near;
        self.inside_polygons += other.inside_polygons;
        self.checks += other.checks;
    }

    /// Compares with brute force over all agents.
    pub fn look(&mut self, crowd: &mut Crowd) {
        let (missed, near) = crowd.unseen();
        self.missed += missed;
        self.near += near;
        self.inside_polygons += crowd.inside_polygons();
        self.checks += 1;
    }

    pub fn words(&self) -> String {
        format!(
            "{} of {} influences within reach missed by the lists",
            self.missed, self.near
        )
    }

    pub fn row(&self) -> Row {
        let name = "influences within reach, by brute force: missed by the lists";
        Row::new(name, "", Value::Null, self.missed).with("of", self.near)
    }
}

/// Steps crowds, calling `plan` before each step; checks each of them ten times. They take turns,
/// so that other load on the machine affects all alike. `seen` gets each crowd after each step,
/// with its number and the step's.
pub fn run_together(
    crowds: &mut [Crowd],
    steps: u64,
    plan: impl Fn(&mut Crowd),
    mut seen: impl FnMut(usize, &Crowd, u64) -> Result<(), Failure>,
) -> Result<Vec<Watch>, Failure> {
    let mut watches = vec![Watch::default(); crowds.len()];
    let every = (steps / 10).max(1);
    let turn = 20.min(every);
    let mut done = 0;
    while done < steps {
        let until = (done + turn).min(steps);
        for (i, (crowd, watch)) in crowds.iter_mut().zip(&mut watches).enumerate() {
            for k in done..until {
                plan(crowd);
                crowd.step()?;
                seen(i, crowd, k)?;
            }
            if until / every > done / every {
                watch.look(crowd);
            }
        }
        done = until;
    }
    Ok(watches)
}

pub fn ms(t: Duration) -> f64 {
    t.as_secs_f64() * 1e3
}

/// Returns the four timers as columns, in ms, summed up.
pub fn timers(cost: &Cost) -> [(&'static str, f64); 4] {
    [
        ("multiresolution", ms(cost.multiresolution)),
        ("behaviour", ms(cost.behaviour)),
        ("points", ms(cost.points)),
        ("polygons", ms(cost.polygons)),
    ]
}

/// Fits a line to points: slope, offset and coefficient of determination.
pub fn line(points: &[(f64, f64)]) -> [f64; 3] {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (mx, my) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>();
    let sxx = sum(&|p| (p.0 - mx).powi(2));
    let sxy = sum(&|p| (p.0 - mx) * (p.1 - my));
    let syy = sum(&|p| (p.1 - my).powi(2));
    let slope = sxy / sxx;
    [slope, my - slope * mx, sxy * sxy / (sxx * syy)]
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_is_found_with_its_scatter() {
        let [slope, offset, r2] = super::line(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]);
        assert!((slope - 2.0).abs() < 1e-12 && (offset - 1.0).abs() < 1e-12 && r2 > 1.0 - 1e-12);
        let [_, _, r2] = super::line(&[(0.0, 1.0), (1.0, -1.0), (2.0, 1.0)]);
        assert!(r2 < 1e-12);
    }
}
