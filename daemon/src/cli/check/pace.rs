//! A warning of `hapticd check`: deformable bodies whose steps take longer on this machine than
//! their period.

use hapticd_config as config;
use hapticd_sys::clock;

use super::warnings::Warning;
use crate::session_setup::SessionSetup;

/// Maximum number of steps that are measured.
const STEPS: u32 = 25;
/// Time after which no further step begins, ns, so that a check stays short.
const PATIENCE_NS: u64 = 500_000_000;

/// Runs a few steps of the deformable bodies, if there are any, on the CPU and untouched by tools.
/// Warns if even the fastest one took too long. The scene advances by these steps.
pub(super) fn warning(setup: &mut SessionSetup, config: &config::Config) -> Option<Warning> {
    let scene = setup.deformable.as_mut()?;
    let step_ticks = u64::from(config.deformable.step_ticks.max(1));
    let mut query = setup.core.query();
    let step = || {
        query.tick += step_ticks;
        scene.step(&query);
    };
    let took_ns = quickest(step, clock::now_ns);
    too_slow(took_ns, step_ticks * setup.period_ns)
}

/// Returns the shortest of several steps, ns: other load of the machine lengthens a step and never
/// shortens it.
fn quickest(mut step: impl FnMut(), mut now_ns: impl FnMut() -> u64) -> u64 {
    let begun_ns = now_ns();
    let mut before_ns = begun_ns;
    let mut least_ns = u64::MAX;
    for _ in 0..STEPS {
        step();
        let after_ns = now_ns();
        least_ns = least_ns.min(after_ns.saturating_sub(before_ns));
        before_ns = after_ns;
        if after_ns.saturating_sub(begun_ns) >= PATIENCE_NS {
            break;
        }
    }
    least_ns
}

fn too_slow(took_ns: u64, may_ns: u64) -> Option<Warning> {
    let ms = |ns: u64| ns as f64 * 1e-6;
    let share = 100.0 * may_ns as f64 / took_ns.max(1) as f64;
    (took_ns > may_ns).then(|| Warning {
        key: "deformable.step_ticks".to_owned(),
        message: format!(
            "a step of the deformable bodies takes {:.1} ms on this machine (CPU, no contact) but \
             may take {:.1} ms: they move at {share:.0} % of their speed, and their forces are \
             late; use fewer `cells` or `deformable.substeps`, or more `deformable.step_ticks`",
            ms(took_ns),
            ms(may_ns)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the shortest step and the number of steps, for steps of these lengths, ns; later
    /// steps are as long as the last.
    fn measured(lengths_ns: &[u64]) -> (u64, usize) {
        let (mut count, mut asked, mut at_ns) = (0, 0, 7);
        let least_ns = quickest(
            || count += 1,
            || {
                if asked > 0 {
                    at_ns += lengths_ns[(asked - 1).min(lengths_ns.len() - 1)];
                }
                asked += 1;
                at_ns
            },
        );
        (least_ns, count)
    }

    #[test]
    fn the_quickest_step_counts_and_measuring_has_an_end() {
        assert_eq!(measured(&[90, 40, 60]), (40, STEPS as usize));
        assert_eq!(measured(&[3 * PATIENCE_NS]), (3 * PATIENCE_NS, 1));
        assert_eq!(measured(&[PATIENCE_NS / 2]), (PATIENCE_NS / 2, 2));
    }

    #[test]
    fn a_step_that_takes_too_long_is_reported_in_numbers() {
        assert_eq!(too_slow(4_000_000, 4_000_000), None);
        let warning = too_slow(16_000_000, 4_000_000).unwrap();
        assert_eq!(warning.key, "deformable.step_ticks");
        for words in ["takes 16.0 ms", "may take 4.0 ms", "at 25 % of"] {
            assert!(warning.message.contains(words), "{warning}");
        }
    }
}
