//! What a reload may change.

use hapticd_config::key::{Reload, Stricter};
use hapticd_config::reload::{Change, compare};
use hapticd_config::{Context, Loaded, Value, parse};

fn parsed(text: &str) -> Loaded {
    let context = Context::new("/etc/hapticd", |_| None);
    match parse("new.toml", text, &context) {
        Ok(loaded) => loaded,
        Err(errors) => panic!("{errors}"),
    }
}

fn changes(old: &str, new: &str) -> Vec<Change> {
    match compare(&parsed(old), &parsed(new)) {
        Ok(changes) => changes,
        Err(errors) => panic!("{errors}"),
    }
}

fn refusal(old: &str, new: &str) -> String {
    compare(&parsed(old), &parsed(new)).unwrap_err().to_string()
}

const MATERIAL: &str = "[[material]]\nname = \"wood\"\n";

#[test]
fn equal_files_change_nothing_however_they_are_written() {
    let old = "[loop]\nrate_hz = 1000\n[safety]\n";
    let new = "safety.ramp_s = 1.0\n# comment\n";
    assert_eq!(changes(old, new), []);
}

#[test]
fn tighter_limits_and_live_keys_are_taken_over() {
    let old =
        format!("[safety]\npeak_force_n = 4\nramp_s = 1\n{MATERIAL}stiffness_n_per_m = 500\n");
    let new =
        format!("[safety]\npeak_force_n = 3\nramp_s = 2\n{MATERIAL}stiffness_n_per_m = 900\n");
    let expected = [
        ("safety.peak_force_n", 4.0, 3.0),
        ("safety.ramp_s", 1.0, 2.0),
        ("material.wood.stiffness_n_per_m", 500.0, 900.0),
    ];
    let expected = expected.map(|(path, old, new)| Change {
        path: path.to_owned(),
        old: Value::Number(old),
        new: Value::Number(new),
    });
    assert_eq!(changes(&old, &new), expected);
}

#[test]
fn every_safety_limit_is_tighten_only_in_its_direction() {
    let base = parsed("");
    for entry in base
        .effective()
        .iter()
        .filter(|e| e.table.is_within("safety"))
    {
        let Reload::TightenOnly(stricter) = entry.key.reload else {
            panic!("{} may be loosened by a reload", entry.path())
        };
        let value = entry.value.as_number().unwrap();
        let (lower, higher) = (value * 0.5, value * 1.5);
        let text = |x: f64| match entry.value {
            Value::Integer(_) if x > value => {
                format!("[safety]\n{} = {}\n", entry.key.name, value + 1.0)
            }
            Value::Integer(_) => format!("[safety]\n{} = {}\n", entry.key.name, value - 1.0),
            _ => format!("[safety]\n{} = {x}\n", entry.key.name),
        };
        let (tighter, looser) = match stricter {
            Stricter::Lower => (lower, higher),
            Stricter::Higher => (higher, lower),
        };
        // A peak below its continuous limit is invalid, so both files lower the continuous limit as
        // well.
        let continuous = entry.key.name.replace("peak", "continuous");
        let low = |text: String| match entry.key.name.starts_with("peak_") {
            true => format!("{text}{continuous} = 0\n"),
            false => text,
        };
        let old = low("[safety]\n".to_owned());
        assert_eq!(
            changes(&old, &low(text(tighter))).len(),
            1,
            "{}",
            entry.path()
        );
        let refused = refusal("", &text(looser));
        assert!(
            refused.contains("loosening a safety limit needs a restart"),
            "{refused}"
        );
    }
}

#[test]
fn a_loosened_limit_is_refused_with_both_numbers() {
    let text = refusal(
        "[safety]\npeak_force_n = 3\n",
        "\n[safety]\npeak_force_n = 3.5\n",
    );
    let expected = "\
new.toml:3:16: error: safety.peak_force_n = 3.5 is looser than the running 3 (lower is stricter): \
loosening a safety limit needs a restart
  |
3 | peak_force_n = 3.5
  |                ^^^
";
    assert_eq!(text, expected);
}

#[test]
fn a_limit_loosened_by_removing_its_line_is_refused_too() {
    let text = refusal("[safety]\npeak_force_n = 3\n", "");
    assert_eq!(
        text,
        "new.toml: error: safety.peak_force_n = 4 is looser than the running 3 (lower is stricter): \
         loosening a safety limit needs a restart\n"
    );
}

#[test]
fn one_refused_change_refuses_all_and_all_are_named() {
    let text = refusal(
        "[safety]\npeak_force_n = 4\n",
        "[loop]\nrate_hz = 2000\n[safety]\npeak_force_n = 3\nramp_s = 0.5\n",
    );
    assert!(text.contains(
        "loop.rate_hz = 2000 differs from the running 1000: changing it needs a restart"
    ));
    assert!(text.contains("safety.ramp_s = 0.5 is looser than the running 1 (higher is stricter)"));
    assert_eq!(text.matches("error: ").count(), 2, "{text}");
}

#[test]
fn tables_that_come_or_go_need_a_restart_but_their_order_does_not_matter() {
    let two = "[[material]]\nname = \"wood\"\n[[material]]\nname = \"felt\"\nfriction_coefficient = 0.9\n";
    let turned = "[[material]]\nname = \"felt\"\nfriction_coefficient = 0.9\n[[material]]\nname = \"wood\"\n";
    assert_eq!(changes(two, turned), []);
    let text = refusal(two, MATERIAL);
    assert!(
        text.contains("error: material.felt was removed: that needs a restart"),
        "{text}"
    );
    let text = refusal(MATERIAL, two);
    assert!(
        text.starts_with("new.toml:4:8: error: material.felt was added: that needs a restart"),
        "{text}"
    );
}

#[test]
fn another_kind_of_arm_needs_a_restart() {
    let arm = |keys: &str| {
        format!(
            "[[arm]]\nname = \"right\"\ntool = {{ kind = \"sphere\", radius_m = 0.01 }}\n{keys}\n"
        )
    };
    let simulated = arm("kind = \"simulated\"\nintention = \"press\"");
    let hid = arm("kind = \"hid\"\nprofile = \"falcon\"");
    let text = refusal(&simulated, &hid);
    assert!(
        text.contains("arm.right.kind = \"hid\" differs from the running \"simulated\""),
        "{text}"
    );
    let with_serial = hid.clone() + "serial = \"A1\"\n";
    let text = refusal(&hid, &with_serial);
    assert!(
        text.contains("arm.right.serial = \"A1\" differs from the running unset"),
        "{text}"
    );
}
