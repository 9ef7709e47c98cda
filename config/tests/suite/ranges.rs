//! The bounds of every number in the schema: each bound is accepted, the next number outside is
//! refused.

use hapticd_config::key::{Case, Key, Kind, Section};
use hapticd_config::{Config, Context, Problem, Tabular, Value, parse};

/// Of a recording: there a body may have the keys of every kind.
fn context() -> Context<'static> {
    Context::new("/etc/hapticd", |_| None).recorded()
}

/// Returns a text that gives `key` the value `value`, after `lines`.
fn assignment(lines: &[String], key: &Key, value: &str) -> String {
    format!("{}\n{} = {value}\n", lines.join("\n"), key.name)
}

/// Visits every leaf with the lines that must stand before it.
fn each_leaf(
    section: &'static Section,
    before: &[String],
    visit: &mut dyn FnMut(&[String], &'static Key),
) {
    fn enter(
        keys: &'static [Key],
        header: &str,
        before: &[String],
        visit: &mut dyn FnMut(&[String], &'static Key),
    ) {
        for key in keys {
            match key.kind {
                Kind::Table(section) => {
                    let path = if header.is_empty() {
                        key.name.to_owned()
                    } else {
                        format!("{header}.{}", key.name)
                    };
                    let mut before = before.to_vec();
                    before.push(format!("[{path}]"));
                    section_leaves(section, &path, &before, visit);
                }
                Kind::Tables { section, .. } => {
                    let before = vec![format!("[[{}]]", key.name)];
                    section_leaves(section, key.name, &before, visit);
                }
                Kind::Flatten(section) => section_leaves(section, header, before, visit),
                _ => visit(before, key),
            }
        }
    }
    fn section_leaves(
        section: &'static Section,
        header: &str,
        before: &[String],
        visit: &mut dyn FnMut(&[String], &'static Key),
    ) {
        enter(section.keys, header, before, visit);
        if let Some(variants) = &section.variants {
            for Case { name, keys, .. } in variants.cases {
                let mut before = before.to_vec();
                before.push(format!("{} = \"{name}\"", variants.tag.name));
                enter(keys, header, &before, visit);
            }
        }
    }
    section_leaves(section, "", before, visit);
}

/// Returns whether the text has a range error about `key`. It may have others: the tables are not
/// complete.
fn range_error(text: &str, key: &str) -> bool {
    match parse("x.toml", text, &context()) {
        Ok(_) => false,
        Err(errors) => errors
            .diagnostics()
            .iter()
            .any(|d| matches!(&d.problem, Problem::OutOfRange { key: k, .. } if *k == key)),
    }
}

/// Returns whether the text has an error that says that the key itself is not understood.
fn misunderstood(text: &str, key: &str) -> bool {
    match parse("x.toml", text, &context()) {
        Ok(_) => false,
        Err(errors) => errors.diagnostics().iter().any(|d| match &d.problem {
            Problem::UnknownKey { key: k, .. } | Problem::NotApplicable { key: k, .. } => k == key,
            Problem::WrongType { key: k, .. } | Problem::NotFinite { key: k, .. } => *k == key,
            Problem::Syntax { .. } => true,
            _ => false,
        }),
    }
}

#[test]
fn every_bound_is_inclusive_and_holds() {
    let mut tested = 0;
    each_leaf(Config::SECTION, &[], &mut |before, key| {
        let (inside, outside): (Vec<String>, Vec<String>) = match key.kind {
            Kind::Integer { min, max, .. } => (
                vec![min.to_string(), max.to_string()],
                vec![(min - 1).to_string(), (i128::from(max) + 1).to_string()],
            ),
            Kind::Number { min, max, .. } => (
                vec![
                    Value::Number(min).to_string(),
                    Value::Number(max).to_string(),
                ],
                vec![
                    Value::Number(min.next_down()).to_string(),
                    Value::Number(max.next_up()).to_string(),
                ],
            ),
            Kind::Numbers { count, min, max } => {
                let array = |x: f64| {
                    let mut xs = vec![min; count];
                    xs[count - 1] = x;
                    Value::Numbers(xs).to_string()
                };
                (
                    vec![array(min), array(max)],
                    vec![array(min.next_down()), array(max.next_up())],
                )
            }
            _ => return,
        };
        tested += 1;
        for value in inside {
            let text = assignment(before, key, &value);
            assert!(!misunderstood(&text, key.name), "{text}");
            assert!(!range_error(&text, key.name), "{text}");
        }
        for value in outside {
            let text = assignment(before, key, &value);
            assert!(range_error(&text, key.name), "{text}");
        }
    });
    assert!(tested > 60, "only {tested} numbers");
}

#[test]
fn whole_numbers_may_stand_for_real_ones_and_negative_zero_is_zero() {
    let parsed = |text: &str| parse("x.toml", text, &context()).unwrap().config;
    assert_eq!(
        parsed("[safety]\npeak_force_n = 3").safety.peak_force_n,
        3.0
    );
    let zero = parsed("[safety]\nedge_fade_m = -0.0").safety.edge_fade_m;
    assert!(zero == 0.0 && zero.is_sign_positive());
    assert_eq!(
        parsed("[loop]\ncpu_affinity = 1").haptic_loop.cpu_affinity,
        Some(1)
    );
    assert_eq!(
        parsed("[loop]\ncpu_affinity = \"any\"")
            .haptic_loop
            .cpu_affinity,
        None
    );
}
