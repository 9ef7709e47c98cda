//! `hapticd status`: prints the status of the running daemon.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hapticd_client::Client;
use hapticd_monitor::log;
use hapticd_protocol::socket_folder::TECHNICIAN_SOCKET;

use super::status_text::{self, counted, rounded, times};
use super::{Failure, print_error, print_line, technician};
use crate::service::status::SCHEMA;

/// What technicians see of this command.
const NAME: &str = "hapticd status";
/// Time between two requests of `--watch`.
const WATCH_PERIOD: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON; its keys are in `--schema`.
    #[arg(long)]
    json: bool,
    /// Repeat every second until interrupted, even while no daemon runs; --json: an object
    /// per line.
    #[arg(long)]
    watch: bool,
    /// Print the JSON Schema of --json; needs no daemon.
    #[arg(long, conflicts_with_all = ["json", "watch", "socket"])]
    schema: bool,
    #[arg(long, value_name = "SOCKET", help = technician::SOCKET_HELP)]
    socket: Option<PathBuf>,
}

/// Requests the status and prints it.
pub fn status(args: &Args) -> Result<(), Failure> {
    if args.schema {
        print_line(SCHEMA.trim_end());
        return Ok(());
    }
    let path = technician::socket(args.socket.as_ref())?;
    let connected = Client::connect_to(&path, NAME);
    let mut client = Some(connected.map_err(|error| {
        technician::unconnected(&error, args.socket.as_ref(), TECHNICIAN_SOCKET)
    })?);
    let (mut is_gone, mut is_first) = (false, true);
    loop {
        let asked = ask(&path, &mut client);
        if args.watch && std::io::stdout().is_terminal() {
            // Moves to the top left and erases everything.
            print_line("\x1b[H\x1b[2J");
        }
        if args.watch && !args.json {
            separate(&mut is_first);
        }
        let was_gone = std::mem::replace(&mut is_gone, asked.is_err());
        let json = match asked {
            Ok(json) => json,
            Err(Failure::Runtime(why)) if args.watch => {
                // The next request goes to a new daemon.
                client = None;
                gone(args.json, was_gone, &why);
                if super::output_error().is_some() {
                    return Ok(());
                }
                std::thread::sleep(WATCH_PERIOD);
                continue;
            }
            Err(failure) => return Err(failure),
        };
        if args.json {
            let text = if args.watch {
                Ok(json.to_string())
            } else {
                serde_json::to_string_pretty(&json)
            };
            print_line(&text.map_err(Failure::runtime)?);
        } else {
            print(&json);
        }
        // The reader has gone.
        if !args.watch || super::output_error().is_some() {
            return Ok(());
        }
        std::thread::sleep(WATCH_PERIOD);
    }
}

/// Requests the status; connects first if there is no connection.
fn ask(path: &Path, client: &mut Option<Client>) -> Result<serde_json::Value, Failure> {
    let client = match client {
        Some(client) => client,
        None => client.insert(Client::connect_to(path, NAME).map_err(Failure::runtime)?),
    };
    let text = client.status().map_err(Failure::runtime)?;
    serde_json::from_str(&text).map_err(Failure::runtime)
}

/// Begins a block of `--watch`: a blank line after the last one, and the time.
fn separate(is_first: &mut bool) {
    if !std::mem::replace(is_first, false) {
        print_line("");
    }
    print_line(&log::time());
}

/// Reports that there is no daemon. With JSON output this goes to standard error, once.
fn gone(json: bool, was_gone: bool, why: &str) {
    let line = format!("the daemon is gone; retrying every second: {why}");
    if !json {
        print_line(&line);
    } else if !was_gone {
        print_error(&format!("hapticd: {line}"));
    }
}

/// Prints the status in words.
fn print(json: &serde_json::Value) {
    for line in status_text::head(json) {
        print_line(&line);
    }
    if let Some(deformable) = json
        .get("deformables")
        .filter(|deformable| deformable.is_object())
    {
        print_line(&format!(
            "soft bodies: {}, the last took {}, {} from the {}, {} lost{}{}; they meet {} and cannot meet {}",
            counted(&deformable["steps"], "step"),
            measured(&deformable["step_us"], 1.0, "us"),
            counted(&deformable["contacts"], "contact"),
            deformable["backend"].as_str().unwrap_or("?"),
            counted(&deformable["lost_ticks"], "tick"),
            losses(deformable),
            gpu_history(deformable),
            rigid(&deformable["rigid_bodies"]),
            deformable["unmet_bodies"]
        ));
    }
    if let Some(skin) = json.get("skin").filter(|skin| skin.is_object()) {
        print_line(&format!(
            "skins: {}, the last round took {} for {}, {} coarser than wanted, {} late, {} faulty, {} refused; at most {} from drawn to felt",
            counted(&skin["frames"], "frame"),
            measured(&skin["round_ms"], 1.0, "ms"),
            counted(&skin["triangles"], "triangle"),
            skin["coarse"],
            skin["late"],
            skin["faulty"],
            skin["refused"],
            measured(&skin["felt_m"], 1e3, "mm"),
        ));
        if [&skin["by_gpu"], &skin["instead"]]
            .iter()
            .any(|n| n.as_u64() > Some(0))
        {
            print_line(&format!(
                "large skins: a GPU made {}, the CPU {} in its place; last reason: {}{}",
                counted(&skin["by_gpu"], "frame"),
                skin["instead"],
                skin["why_instead"],
                gpu_history(&skin["gpu"]),
            ));
        }
    }
    if let Some(near) = json.get("mid_phase").filter(|near| near.is_object()) {
        print_line(&format!(
            "mid-phase: {} in use; the GPU was asked {} and answered {}, {} over capacity, {} late, the last in {}{}",
            near["backend"].as_str().unwrap_or("?"),
            times(&near["sent"]),
            times(&near["answered"]),
            near["short"],
            near["late"],
            measured(&near["gpu_us"], 1.0, "us"),
            gpu_history(near),
        ));
    }
    if let Some(line) = broad(&json["broad_phase"]) {
        print_line(&format!("broad phase: {line}"));
    }
    if let Some(line) = broad(&json["deformables"]["broad_phase"]) {
        print_line(&format!("broad phase of the soft bodies: {line}"));
    }
    if let Some(line) = planar(&json["planar"]) {
        print_line(&format!("planar: {line}"));
    }
    for client in json["clients"].as_array().into_iter().flatten() {
        print_line(&format!("client {}: {}", client["client"], client["name"]));
    }
    if let Some(report) = json.get("report").filter(|r| r.is_object()) {
        print_line(&format!(
            "{}, {} missed, compute p99 {:.1} us, lateness p99 {:.1} us",
            counted(&report["ticks"], "tick"),
            report["missed"]["total"],
            report["compute_us"]["p99"].as_f64().unwrap_or_default(),
            report["lateness_us"]["p99"].as_f64().unwrap_or_default()
        ));
    }
}

fn rigid(count: &serde_json::Value) -> String {
    let what = if *count == 1 { "body" } else { "bodies" };
    format!("{count} rigid {what}")
}

/// Formats a measured number, in a unit of which it has `scale`.
fn measured(value: &serde_json::Value, scale: f64, unit: &str) -> String {
    match value.as_f64() {
        Some(value) => format!("{} {unit}", rounded(value * scale)),
        None => format!("? {unit}"),
    }
}

/// Describes the broad phase and its work; `None` for a daemon that does not report it.
fn broad(facts: &serde_json::Value) -> Option<String> {
    let name = facts["name"].as_str()?;
    let searches = facts["searches"].as_f64()?;
    if searches == 0.0 {
        return Some(format!("{name}, not used"));
    }
    let each = |what: &str| facts[what].as_f64().unwrap_or(0.0) / searches;
    let (boxes, pairs) = (each("boxes"), each("pairs"));
    let kept = &facts["upkeep"];
    let kept = if let Some(order) = kept.get("sweep") {
        format!(
            "{} in its order, sorted again {}",
            counted(&order["exchanges"], "exchange"),
            times(&order["sorts"])
        )
    } else if let Some(kinetic) = kept.get("kinetic") {
        format!(
            "{} certificates, {} per box; {} internal events (exchanges, {} certificates each), {} external (pairs that began or ended), sorted again {}",
            kinetic["certificates"],
            kinetic["certificates_per_box"],
            kinetic["exchanges"],
            kinetic["changes_per_exchange"],
            kinetic["events"],
            times(&kinetic["sorts"])
        )
    } else if let Some(registration) = kept.get("registration") {
        format!(
            "{} of {} moves ended in another cell, {} boxes were too large for the cells, {} made",
            registration["changed_cell"],
            registration["moved"],
            registration["large"],
            counted(&registration["maps"], "map")
        )
    } else {
        return None;
    };
    let asked = times(&facts["searches"]);
    Some(format!(
        "{name}, asked {asked}, {boxes:.1} boxes and {pairs:.1} pairs each time; {kept}"
    ))
}

/// Describes the four measures of a planar scene's structure; `None` without one.
fn planar(facts: &serde_json::Value) -> Option<String> {
    facts.as_object()?;
    Some(format!(
        "at most {} certificates at once (of what moved), {} per body (of all bodies); {} internal events, {} external (contacts), at most {} certificates changed by one; rebuilt {}",
        facts["certificates_max"],
        facts["certificates_per_body_max"],
        facts["events_internal"],
        facts["events_external"],
        facts["changes_per_event_max"],
        times(&facts["builds"])
    ))
}

/// Describes the losses of a GPU; empty if it was never given up.
fn gpu_history(facts: &serde_json::Value) -> String {
    if facts["takeovers"].as_u64().unwrap_or(0) == 0 {
        return String::new();
    }
    format!(
        "; given up {}, back {}, {} failed; last reason: {}",
        times(&facts["takeovers"]),
        times(&facts["handed_back"]),
        counted(&facts["failed_attempts"], "attempt"),
        facts["why"].as_str().unwrap_or("?"),
    )
}

/// Describes pairs of spheres beyond the capacity, and surfaces that crossed each other, if any.
fn losses(facts: &serde_json::Value) -> String {
    let crossings = match facts["crossings"].as_u64() {
        None | Some(0) => String::new(),
        Some(pairs) => {
            format!(
                ", {pairs} crossings of surfaces (cloth went through something between two steps)"
            )
        }
    };
    let left_out = match facts["pairs_left_out"].as_u64() {
        None | Some(0) => String::new(),
        Some(pairs) => {
            format!(", {pairs} pairs of spheres left out (implicit bodies too dense or too fast)")
        }
    };
    left_out + &crossings
}

#[cfg(test)]
mod tests {
    use hapticd_geometry::broad::{BroadWork, Upkeep};
    use hapticd_scene::{BroadPhaseKind, broad_phase};

    use super::{broad, gpu_history, losses, planar};
    use hapticd_collision::broad_phase::{BroadPhaseStats, PlanarStats};

    #[test]
    fn each_broad_phase_says_what_it_did() {
        let told = |facts: BroadPhaseStats| broad(&serde_json::json!(facts)).unwrap();
        let work = |upkeep| BroadWork {
            searches: 4,
            boxes: 26,
            pairs: 2,
            upkeep,
        };
        let asked = "asked 4 times, 6.5 boxes and 0.5 pairs each time; ";
        let sweep = work(Upkeep::Order {
            exchanges: 9,
            sorts: 1,
        });
        assert_eq!(
            told(BroadPhaseStats::of("sweep", Some(sweep))),
            format!("sweep, {asked}9 exchanges in its order, sorted again once")
        );
        let kinetic = work(Upkeep::Kinetic {
            certificates: 93,
            exchanges: 40,
            events: 7,
            sorts: 2,
        });
        assert_eq!(
            told(BroadPhaseStats::of("kinetic", Some(kinetic))),
            format!(
                "kinetic, {asked}93 certificates, 12 per box; 40 internal events (exchanges, 3 certificates each), \
                 7 external (pairs that began or ended), sorted again 2 times"
            )
        );
        let registration = work(Upkeep::Registration {
            moved: 30,
            changed_cell: 3,
            large: 5,
            maps: 1,
        });
        assert_eq!(
            told(BroadPhaseStats::of("registration", Some(registration))),
            format!(
                "registration, {asked}3 of 30 moves ended in another cell, 5 boxes were too large for the cells, 1 map made"
            )
        );
    }

    #[test]
    fn every_unused_broad_phase_says_so() {
        for kind in BroadPhaseKind::ALL {
            for work in [None, Some(broad_phase(kind).work())] {
                let facts = serde_json::json!(BroadPhaseStats::of(kind.name(), work));
                assert_eq!(facts["upkeep"], serde_json::Value::Null);
                assert_eq!(broad(&facts), Some(format!("{}, not used", kind.name())));
            }
        }
        // The daemon does not report it.
        assert_eq!(broad(&serde_json::Value::Null), None);
    }

    #[test]
    fn a_planar_scene_shows_the_four_measures() {
        let facts = PlanarStats {
            certificates_max: 90,
            events_internal: 12,
            events_external: 3,
            certificates_per_body_max: 33,
            changes_per_event_max: 5,
            builds: 2,
        };
        assert_eq!(
            planar(&serde_json::json!(facts)).unwrap(),
            "at most 90 certificates at once (of what moved), 33 per body (of all bodies); 12 internal events, 3 external (contacts), \
             at most 5 certificates changed by one; rebuilt 2 times"
        );
        assert_eq!(planar(&serde_json::Value::Null), None);
    }

    #[test]
    fn pairs_over_capacity_are_shown_if_any() {
        let told = |facts| losses(&facts);
        assert_eq!(told(serde_json::json!({})), "");
        assert_eq!(told(serde_json::json!({ "pairs_left_out": 0 })), "");
        let text = told(serde_json::json!({ "pairs_left_out": 7 }));
        assert!(text.starts_with(", 7 pairs of spheres left out"), "{text}");
        let text = told(serde_json::json!({ "pairs_left_out": 0, "crossings": 3 }));
        assert!(text.starts_with(", 3 crossings of surfaces"), "{text}");
    }

    #[test]
    fn what_became_of_a_gpu_is_told_when_there_is_something_to_tell() {
        let mut facts = serde_json::json!({
            "takeovers": 0, "handed_back": 0, "failed_attempts": 0, "why": "",
        });
        assert_eq!(gpu_history(&facts), "");
        // The daemon does not know of it.
        assert_eq!(gpu_history(&serde_json::json!({})), "");
        facts["takeovers"] = 3.into();
        facts["handed_back"] = 2.into();
        facts["failed_attempts"] = 5.into();
        facts["why"] = "the GPU was lost".into();
        assert_eq!(
            gpu_history(&facts),
            "; given up 3 times, back 2 times, 5 attempts failed; last reason: the GPU was lost"
        );
    }
}
