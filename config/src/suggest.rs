//! "Did you mean": hints with the nearest name, or with the list of allowed names.

use crate::key::{Key, Kind, Literal, Section};
use crate::value::Value;

/// Smallest similarity at which one name is taken for another: 1 is equal, 0 has nothing in common
/// (normalized Damerau-Levenshtein).
const MIN_SIMILARITY: f64 = 0.55;

/// Returns the candidate nearest to `name`, if it is similar enough.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    let name = name.to_ascii_lowercase();
    let score = |candidate: &str| {
        // Names that differ only by a unit are near, however short: `peak_force` and
        // `peak_force_n`, `rate` and `rate_hz`.
        if candidate.starts_with(&format!("{name}_")) || name.starts_with(&format!("{candidate}_"))
        {
            return 0.99;
        }
        strsim::normalized_damerau_levenshtein(&name, candidate)
    };
    candidates
        .into_iter()
        .map(|candidate| (score(candidate), candidate))
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Lists the allowed names as a hint: ``allowed: `a`, `b` ``.
pub(crate) fn one_of<'c>(names: impl IntoIterator<Item = &'c str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => "nothing is allowed here".to_owned(),
        _ => format!("allowed: {}", names.join(", ")),
    }
}

/// Writes the inline table with the required keys of `section` for the tag value `tag`.
pub(crate) fn inline_table(section: &'static Section, tag: Literal) -> String {
    let tag = Value::from(tag);
    let mut parts = Vec::new();
    let mut keys: Vec<&Key> = section.keys.iter().collect();
    if let Some(variants) = &section.variants
        && let Some(case) = variants
            .cases
            .iter()
            .find(|case| tag.as_text() == Some(case.name))
    {
        parts.push(format!("{} = {tag}", variants.tag.name));
        keys.extend(case.keys);
    }
    for key in keys.into_iter().filter(|key| key.required) {
        if let Some(value) = key.shown() {
            parts.push(format!("{} = {}", key.name, Value::from(value)));
        }
    }
    format!("{{ {} }}", parts.join(", "))
}

/// Keys of earlier versions: name, a key of the table where it stood, what became of it.
const RETIRED: [(&str, &str, &str); 3] = [
    ("soft", "deformable", "it is `[deformable]` now"),
    ("oscillation_velocity_m_s", "oscillation_force_n", NO_EFFECT),
    (
        "oscillation_angular_velocity_rad_s",
        "oscillation_force_n",
        NO_EFFECT,
    ),
];
const NO_EFFECT: &str = "it was removed; it had no effect: delete the line";

/// Returns the hint for an unknown key in a table whose keys are `known`; `schema` has all tables
/// of the configuration.
pub(crate) fn for_key(name: &str, known: &[&'static str], schema: &'static Section) -> String {
    let retired = |(old, beside, _): &&(&str, &str, &str)| *old == name && known.contains(beside);
    if let Some((.., what)) = RETIRED.iter().find(retired) {
        return (*what).to_owned();
    }
    if let Some(nearest) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{nearest}`?");
    }
    if let Some(place) = table_with_key(name, schema, "") {
        return format!("`{name}` belongs in {place}");
    }
    one_of(known.iter().copied())
}

/// Returns the header of the first table of the schema that has the key `name`.
fn table_with_key(name: &str, section: &'static Section, header: &str) -> Option<String> {
    let mut found = None;
    section.each_key(&mut |key: &'static Key| {
        if found.is_some() {
            return;
        }
        let inner = |array: bool| {
            let path = if header.is_empty() {
                key.name.to_owned()
            } else {
                format!("{}.{}", header.trim_matches(['[', ']']), key.name)
            };
            if array {
                format!("[[{path}]]")
            } else {
                format!("[{path}]")
            }
        };
        found = match key.kind {
            Kind::Table(section) => table_with_key(name, section, &inner(false)),
            Kind::Tables { section, .. } => table_with_key(name, section, &inner(true)),
            _ if key.name == name && !header.is_empty() => Some(header.to_owned()),
            _ => None,
        };
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Tabular;
    use crate::schema::Config;

    #[test]
    fn the_nearest_name_is_found_through_typing_errors_and_missing_units() {
        let keys = ["rate_hz", "spin_us", "rt_priority", "peak_force_n"];
        assert_eq!(nearest("rate_khz", keys), Some("rate_hz"));
        assert_eq!(nearest("rate", keys), Some("rate_hz"));
        assert_eq!(nearest("Peak_Force_N", keys), Some("peak_force_n"));
        assert_eq!(nearest("prt_iority", keys), Some("rt_priority"));
        assert_eq!(nearest("gravity", keys), None);
    }

    #[test]
    fn a_retired_key_says_what_became_of_it() {
        let whole: Vec<_> = Config::SECTION.keys.iter().map(|key| key.name).collect();
        assert_eq!(
            for_key("soft", &whole, Config::SECTION),
            "it is `[deformable]` now"
        );
        assert!(!for_key("soft", &["rate_hz"], Config::SECTION).contains("[deformable]"));
        let known = ["oscillation_force_n"];
        assert_eq!(
            for_key("oscillation_velocity_m_s", &known, Config::SECTION),
            NO_EFFECT
        );
    }

    #[test]
    fn a_misplaced_key_names_its_table() {
        assert_eq!(
            for_key("peak_force_n", &["rate_hz"], Config::SECTION),
            "`peak_force_n` belongs in [safety]"
        );
        assert_eq!(
            for_key("friction_coefficient", &["rate_hz"], Config::SECTION),
            "`friction_coefficient` belongs in [[material]]"
        );
    }
}
