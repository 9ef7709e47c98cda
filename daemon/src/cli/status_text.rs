//! The status in words: a line for each arm, then everything else.

use serde_json::Value;

use hapticd_ipc::limit_names::{NAMES, release_command};

/// Returns the lines at the top: the arms and the state of the loop.
///
/// ```text
/// right  FORCE OFF contact data too old (34), 1.2 s ago | 0.00 of 4.0 N | missed 28 (0.4 %)
/// ```
pub(super) fn head(status: &Value) -> Vec<String> {
    let arms = status["arms"].as_array();
    let names = arms.into_iter().flatten().map(|arm| text(&arm["name"]));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    let missed = format!(
        "missed {} ({:.1} %)",
        status["missed_periods"],
        number(&status["missed_percent"])
    );
    let mut lines: Vec<String> = arms
        .into_iter()
        .flatten()
        .flat_map(|one| arm(one, width, &missed))
        .collect();
    lines.push(format!(
        "up {}, tick {}",
        duration(number(&status["elapsed_s"])),
        status["tick"]
    ));
    lines
}

fn arm(arm: &Value, width: usize, missed: &str) -> Vec<String> {
    let name = text(&arm["name"]);
    let last = &arm["last_force_off"];
    let ago = || duration(number(&last["ago_s"]));
    let cause = match last["cause"].as_str() {
        None | Some("") => String::new(),
        Some(cause) => format!(": {cause}"),
    };
    let inside = arm["inside"].as_str().filter(|_| arm["attached"] == true);
    // The words of the live view.
    let state = match (arm["force_off"].as_str(), arm["state"].as_str()) {
        (Some(why), Some("fading")) => format!("fading to zero: {why}{cause}, {} ago", ago()),
        (Some(why), _) => format!("FORCE OFF {why}{cause}, {} ago", ago()),
        (None, _) if arm["attached"] != true => "not found; searching".to_owned(),
        (None, Some("waiting")) => "ready, waiting for a small force to engage".to_owned(),
        (None, state) => state.unwrap_or("unknown").to_owned(),
    };
    let state = match inside {
        Some(body) if arm["force_off"].is_null() => format!("inside `{body}`: move out"),
        Some(body) => format!("{state}; inside `{body}`"),
        None => state,
    };
    let state = match arm["holds"].as_str() {
        Some(body) => format!("{state}, holds `{body}`"),
        None => state,
    };
    let mut lines = vec![format!(
        "{name:width$}  {state} | {:.2} of {:.1} N | {missed}",
        number(&arm["force_magnitude_n"]),
        number(&arm["peak_force_n"]),
    )];
    let indent = " ".repeat(width);
    if let Some(line) = tightened(arm) {
        lines.push(format!("{indent}  {line}"));
    }
    if let (Some(why), None) = (last["reason"].as_str(), arm["force_off"].as_str()) {
        let ago = ago();
        lines.push(match arm["force_offs"].as_u64() {
            Some(1) => format!("{indent}  force went off once, {ago} ago: {why}"),
            _ => {
                let count = &arm["force_offs"];
                format!("{indent}  force went off {count} times, the last time {ago} ago: {why}")
            }
        });
    }
    if arm["attached"] == true {
        let age = match arm["snapshot_age_ticks"].as_u64() {
            None => "no contact data yet".to_owned(),
            Some(age) => format!("contact data {} old", of(age, "tick")),
        };
        let held = if arm["starved"] == true {
            ", the tool is held back"
        } else {
            ""
        };
        lines.push(format!(
            "{indent}  tool at {} mm, {}, {age}{held}",
            millimetres(&arm["proxy_position_m"]),
            counted(&arm["contacts"], "contact")
        ));
        let energy = &arm["energy"];
        let gain = number(&energy["gain"]);
        if gain < 1.0 {
            lines.push(format!(
                "{indent}  gain lowered to {gain:.2}: the coupling was too stiff for arm and hand, \
                 {:.1} mJ removed",
                number(&energy["withheld_j"]) * 1e3
            ));
        }
    }
    lines
}

/// Returns the limits that are tighter than configured, and the command that releases them; `None`
/// if there are none.
fn tightened(arm: &Value) -> Option<String> {
    let tighter: Vec<String> = (NAMES.iter())
        .map(|name| (name, &arm["limits"][name], &arm["limits_configured"][name]))
        .filter(|(_, now, configured)| number(now) < number(configured))
        .map(|(name, now, configured)| format!("{name} {now} (configuration {configured})"))
        .collect();
    let index = u8::try_from(arm["arm"].as_u64()?).ok()?;
    let undo = release_command(text(&arm["name"]), index);
    (!tighter.is_empty()).then(|| {
        let tighter = tighter.join(", ");
        format!("limits tightened by clients: {tighter}; `{undo}` undoes it")
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

/// Formats a number of things: `1 contact`, `2 contacts`.
pub(super) fn of(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Like [`of`], from JSON.
pub(super) fn counted(count: &Value, what: &str) -> String {
    of(count.as_u64().unwrap_or(0), what)
}

/// Formats how often something happened: `once`, `3 times`.
pub(super) fn times(count: &Value) -> String {
    match count.as_u64().unwrap_or(0) {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

/// Rounds a measured number to four significant digits.
pub(super) fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let unit = 10f64.powi(digits);
    ((value * unit).round() / unit).to_string()
}

fn millimetres(position_m: &Value) -> String {
    let each: Vec<String> = (0..3)
        .map(|axis| format!("{:.1}", number(&position_m[axis]) * 1e3))
        .collect();
    each.join(" ")
}

/// Formats a duration for people.
fn duration(s: f64) -> String {
    let whole = s as u64;
    if s < 60.0 {
        format!("{s:.1} s")
    } else if s < 3600.0 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3600, whole / 60 % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn status() -> Value {
        json!({
            "tick": 7000, "elapsed_s": 7.2, "missed_periods": 28, "missed_percent": 0.4,
            "arms": [
                {
                    "name": "right", "attached": true, "state": "fault", "force_offs": 3,
                    "force_off": "contact data too old (34)",
                    "last_force_off": {
                        "reason": "contact data too old (34)", "cause": "45 ms, limit 40",
                        "ago_s": 1.2,
                    },
                    "force_magnitude_n": 0.0, "peak_force_n": 4.0, "contacts": 0,
                    "proxy_position_m": [-0.025840000000000002, 0.0, 0.04],
                    "snapshot_age_ticks": 51, "starved": true,
                },
                {
                    "name": "my left", "attached": true, "state": "active", "force_offs": 2,
                    "force_off": null,
                    "last_force_off": { "reason": "device lost (2)", "ago_s": 3725.0 },
                    "force_magnitude_n": 1.234, "peak_force_n": 3.3, "contacts": 2,
                    "proxy_position_m": [0.0, 0.0, 0.0],
                    "snapshot_age_ticks": null, "starved": false,
                },
                {
                    "name": "third", "attached": false, "state": "off", "force_offs": 0,
                    "force_off": null, "last_force_off": null,
                    "force_magnitude_n": 0.0, "peak_force_n": 3.3,
                },
            ],
        })
    }

    #[test]
    fn a_single_loss_of_force_is_said_as_one() {
        let mut status = status();
        status["arms"][1]["force_offs"] = json!(1);
        let line = "         force went off once, 1 h 02 min ago: device lost (2)";
        assert!(head(&status).iter().any(|said| said == line));
    }

    #[test]
    fn numbers_are_rounded_and_one_is_singular() {
        for (value, text) in [
            (4586.277, "4586"),
            (32.869158, "32.87"),
            (1.2669200000000002, "1.267"),
            (0.00012345, "0.0001235"),
            (123456.7, "123500"),
            (0.0, "0"),
        ] {
            assert_eq!(rounded(value), text);
        }
        assert_eq!(counted(&json!(1), "contact"), "1 contact");
        assert_eq!(counted(&json!(0), "contact"), "0 contacts");
        assert_eq!(
            (times(&json!(1)), times(&json!(3))),
            ("once".to_owned(), "3 times".to_owned())
        );
    }

    #[test]
    fn a_tool_in_a_body_is_told_in_the_first_line() {
        let mut status = status();
        status["arms"][1]["inside"] = json!("box");
        status["arms"][0]["inside"] = json!("lid");
        let said = head(&status);
        assert!(
            said.iter()
                .any(|line| line.starts_with("my left  inside `box`: move out | "))
        );
        let off = "right    FORCE OFF contact data too old (34): 45 ms, limit 40, 1.2 s ago; inside `lid` | ";
        assert!(said[0].starts_with(off), "{said:?}");
        status["arms"][1]["inside"] = json!(null);
        status["arms"][1]["state"] = json!("waiting");
        let ready = "my left  ready, waiting for a small force to engage | ";
        assert!(head(&status).iter().any(|line| line.starts_with(ready)));
        status["arms"][0]["state"] = json!("fading");
        assert!(
            head(&status)[0].starts_with("right    fading to zero: contact data too old (34): ")
        );
    }

    #[test]
    fn what_an_arm_holds_is_told_in_the_first_line() {
        let mut status = status();
        status["arms"][1]["holds"] = json!("block");
        let said = head(&status);
        let held =
            |line: &String| line.starts_with("my left") && line.contains(", holds `block` |");
        assert!(said.iter().any(held), "{said:?}");
    }

    #[test]
    fn an_arm_is_told_in_words_and_rounded_numbers() {
        assert_eq!(
            head(&status()),
            [
                "right    FORCE OFF contact data too old (34): 45 ms, limit 40, 1.2 s ago | \
                 0.00 of 4.0 N | missed 28 (0.4 %)",
                "         tool at -25.8 0.0 40.0 mm, 0 contacts, contact data 51 ticks old, the tool is held back",
                "my left  active | 1.23 of 3.3 N | missed 28 (0.4 %)",
                "         force went off 2 times, the last time 1 h 02 min ago: device lost (2)",
                "         tool at 0.0 0.0 0.0 mm, 2 contacts, no contact data yet",
                "third    not found; searching | 0.00 of 3.3 N | missed 28 (0.4 %)",
                "up 7.2 s, tick 7000",
            ]
        );
    }
}
