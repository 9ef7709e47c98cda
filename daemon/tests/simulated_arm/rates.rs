//! Reports at the configured rate.

use super::*;

/// Returns the share of ticks that see the same sample as the tick before, the periods of the
/// samples, ns, and how many of them show another position than the one before.
fn samples(arms: &[Arm]) -> (f64, Vec<u64>, usize) {
    let sample = |arm: &Arm| {
        let place = ["/0", "/1", "/2"].map(|axis| {
            arm.number(&format!("/input/sample/pose/position_m{axis}"))
                .to_bits()
        });
        let of = |name: &str| arm.integer(&format!("/input/sample/{name}"));
        (of("sequence"), of("time_ns"), place)
    };
    let all: Vec<_> = arms.iter().map(sample).collect();
    let pairs = || all.windows(2).filter(|pair| pair[0].0 > 0);
    let new = || pairs().filter(|pair| pair[1].0 != pair[0].0);
    let mut periods: Vec<u64> = new()
        .map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0))
        .collect();
    periods.sort_unstable();
    periods.dedup();
    let moved = new().filter(|pair| pair[0].2 != pair[1].2).count();
    let repeats = arms.len() - 1 - new().count();
    (repeats as f64 / (arms.len() - 1) as f64, periods, moved)
}

#[test]
fn each_tick_has_a_new_sample_at_one_to_eight_kilohertz() {
    for rate_hz in [1000, 2000, 4000, 8000] {
        let folder = Folder::new(&format!("rate-{rate_hz}"));
        folder.write("hand.toml", HAND);
        // Without encoder steps and without static friction, every new sample differs.
        let mechanics =
            format!("report_rate_hz = {rate_hz}, resolution_m = 0.0, coulomb_friction_n = 0.0");
        folder.write("scene.toml", &scene(rate_hz, "", &mechanics));
        let arms = folder.run("2");
        assert!(arms.len() >= 2 * rate_hz as usize, "{} ticks", arms.len());
        let (repeats, periods, moved) = samples(&arms);
        assert!(
            repeats < 0.01,
            "{rate_hz} Hz: {repeats} of the ticks repeat"
        );
        let period_ns = 1_000_000_000 / u64::from(rate_hz);
        assert_eq!(periods, [period_ns], "{rate_hz} Hz");
        let share = moved as f64 / arms.len() as f64;
        assert!(share > 0.98, "{rate_hz} Hz: {share} of the samples differ");
    }
}

#[test]
fn an_arm_reports_at_its_own_rate_in_a_faster_loop() {
    for (report_hz, repeated) in [("", 0.875), ("report_rate_hz = 2000,", 0.75)] {
        let folder = Folder::new(&format!("slow-{repeated}"));
        folder.write("hand.toml", HAND);
        folder.write(
            "scene.toml",
            &scene(8000, "", &format!("{report_hz} resolution_m = 0.0")),
        );
        let (repeats, ..) = samples(&folder.run("1"));
        assert!(
            (repeats - repeated).abs() < 0.01,
            "{repeats}, not {repeated}"
        );
    }
}

#[test]
fn a_report_rate_that_no_arm_has_is_refused_with_its_bounds() {
    let folder = Folder::new("bounds");
    folder.write("hand.toml", HAND);
    for rate in ["124", "8001"] {
        let mechanics = format!("report_rate_hz = {rate}");
        folder.write("scene.toml", &scene(1000, "", &mechanics));
        let output = folder.hapticd(&["check", "scene.toml"]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.contains(&format!("`report_rate_hz` = {rate}")),
            "{said}"
        );
        assert!(said.contains("allowed: 125 to 8000 Hz"), "{said}");
    }
}
