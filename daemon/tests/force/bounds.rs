//! The bounds of every force, in virtual time, where the hand alone decides.

use super::*;

/// Period of the loop, s.
const DT: f64 = 1e-3;
/// Published code of the reason.
const OVER_VELOCITY: u8 = 8;

/// A hand that taps: down far beyond what the peak allows, and up again.
const TAP: &str =
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.3\nhold_s = 0.4\n";

#[test]
fn peak_slew_and_what_is_wanted_bound_every_tick() {
    let folder = Folder::new("bounds");
    let (peak_n, slew_n) = (2.0, 0.05);
    let safety = format!(
        "peak_force_n = {peak_n:?}\ncontinuous_force_n = {peak_n:?}\nslew_n_per_ms = {slew_n}\nramp_s = 0.1\n"
    );
    folder.scene(&safety, TAP, &[0.0]);
    let ticks = arm(&folder.run(10));
    assert_eq!(ticks.len(), 10_000);
    // The hand must push against the peak, or the test shows nothing.
    assert!(longest(&ticks) > 0.999 * peak_n, "{}", longest(&ticks));
    // Force that the limits hold back does not count as given to the hand.
    let gain = ticks.iter().map(|tick| tick.gain).fold(1.0, f64::min);
    assert!(
        gain > 0.0 && ticks[..500].iter().all(|tick| tick.gain == 1.0),
        "{gain}"
    );
    let mut fastest: f64 = 0.0;
    for (tick, pair) in ticks.windows(2).enumerate() {
        let [before, now] = pair else { unreachable!() };
        let change: f64 = (0..3)
            .map(|k| (now.force_n[k] - before.force_n[k]).powi(2))
            .sum::<f64>()
            .sqrt();
        fastest = fastest.max(change);
        assert!(now.length_n() <= peak_n + 1e-12, "tick {tick}: {now:?}");
        // A cut is exempt: its purpose is zero at once.
        assert!(
            change <= slew_n + 1e-12 || now.length_n() == 0.0,
            "tick {tick}: {change} N from {before:?} to {now:?}"
        );
        // The wanted force may fall faster than the slew limit lets the sent force follow: then the
        // sent force falls.
        assert!(
            now.length_n() <= now.wanted_n.max(before.length_n()) + 1e-12,
            "tick {tick}: {before:?} to {now:?}"
        );
    }
    assert!(fastest > 0.999 * slew_n, "{fastest}");
}

/// `docs/config.md`: the mean square over any window is at most that of the continuous limit over
/// the window and `continuous_window_s`.
#[test]
fn a_force_that_is_held_falls_to_the_continuous_limit() {
    let folder = Folder::new("continuous");
    let (continuous_n, window_s) = (1.0, 2.0);
    let safety = format!(
        "peak_force_n = 4.0\ncontinuous_force_n = {continuous_n:?}\ncontinuous_window_s = {window_s:?}\nramp_s = 0.1\n"
    );
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.3\nhold_s = 100.0\n";
    folder.scene(&safety, hand, &[0.0]);
    let ticks = arm(&folder.run(20));
    assert!(longest(&ticks) > 2.0 * continuous_n, "{}", longest(&ticks));
    // The last second contains the final fade.
    let held = ticks[ticks.len() - 1000].length_n();
    assert!(held <= continuous_n * 1.001, "{held} N held");
    assert!(held >= continuous_n * 0.9, "{held} N held");
    // The worst window: the largest sum over a run of ticks.
    let bound = continuous_n * continuous_n * window_s;
    let mut excess: f64 = 0.0;
    for tick in &ticks {
        excess += (tick.length_n().powi(2) - continuous_n.powi(2)) * DT;
        excess = excess.max(0.0);
        assert!(excess <= bound * (1.0 + 1e-9), "{excess} of {bound} N2 s");
    }
    assert!(excess > 0.5 * bound, "{excess} of {bound} N2 s");
}

/// Checks that force is zero until little was wanted for `engage_ticks`, and then rises to the peak
/// within `ramp_s`. Returns how often it came back.
fn comes_back_by_waiting_and_a_ramp(ticks: &[Tick], ramp_s: f64, peak_n: f64) -> usize {
    let mut returns = 0;
    let mut little = 0;
    // Start of the ramp, ns.
    let mut ramp: Option<u64> = None;
    for pair in ticks.windows(2) {
        let [before, tick] = pair else { unreachable!() };
        let now = tick.arms[0];
        if now.reason != 0 {
            (ramp, little) = (None, 0);
            continue;
        }
        // The defaults: less than 0.2 N (`engage_force_n`), for four ticks.
        little = if now.wanted_n < 0.2 { little + 1 } else { 0 };
        if ramp.is_none() && little >= 4 {
            ramp = Some(before.now_ns);
            returns += 1;
        }
        let risen = ramp.map_or(0.0, |begun| (tick.now_ns - begun) as f64 * 1e-9 / ramp_s);
        let most = peak_n * risen.min(1.0);
        assert!(
            now.length_n() <= most + 1e-9,
            "{tick:?}: at most {most} N of a force that comes back"
        );
    }
    returns
}

#[test]
fn a_hand_that_is_too_fast_gets_nothing_and_waits_for_a_small_force() {
    let folder = Folder::new("fast");
    let (peak_n, ramp_s) = (4.0, 0.5);
    let safety = format!(
        "peak_force_n = {peak_n:?}\ncontinuous_force_n = {peak_n:?}\nvelocity_limit_m_s = 0.25\nramp_s = {ramp_s}\n"
    );
    folder.scene(&safety, TAP, &[0.0]);
    let recorded = folder.run(10);
    let ticks = arm(&recorded);
    let fast: Vec<&ArmTick> = ticks.iter().filter(|t| t.reason == OVER_VELOCITY).collect();
    assert!(fast.len() > 10, "{} ticks were too fast", fast.len());
    assert!(fast.iter().all(|t| t.force_n == [0.0; 3]), "{fast:?}");
    let returns = comes_back_by_waiting_and_a_ramp(&recorded, ramp_s, peak_n);
    assert!(returns >= 3, "it came back {returns} times");
}
