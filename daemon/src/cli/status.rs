//! `hapticd status`: what the running daemon says of itself.

use std::path::PathBuf;

use hapticd_client::Client;
use hapticd_protocol::place::TECHNICIAN_SOCKET;

use super::{Failure, say};

#[derive(clap::Args)]
pub struct Args {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// The technician's socket.
    #[arg(long, value_name = "SOCKET")]
    socket: Option<PathBuf>,
}

/// Asks it.
pub fn status(args: &Args) -> Result<(), Failure> {
    let path = args
        .socket
        .clone()
        .unwrap_or_else(|| hapticd_client::default_socket().with_file_name(TECHNICIAN_SOCKET));
    let mut client = Client::connect_to(&path, "hapticd status").map_err(Failure::runtime)?;
    let text = client.status().map_err(Failure::runtime)?;
    let json: serde_json::Value = serde_json::from_str(&text).map_err(Failure::runtime)?;
    if args.json {
        say(&serde_json::to_string_pretty(&json).map_err(Failure::runtime)?);
        return Ok(());
    }
    say(&format!("tick {}", json["tick"]));
    for arm in json["arms"].as_array().into_iter().flatten() {
        let off = arm["force_off"]
            .as_str()
            .map_or_else(String::new, |why| format!(", force off: {why}"));
        say(&format!(
            "arm {}: {}, proxy {} m, force {} N, {} contacts, answer {} ticks old{off}",
            arm["arm"],
            if arm["attached"] == true {
                "attached"
            } else {
                "gone"
            },
            arm["proxy_position_m"],
            arm["force_n"],
            arm["contacts"],
            arm["snapshot_age_ticks"],
        ));
    }
    if let Some(soft) = json.get("soft").filter(|soft| soft.is_object()) {
        say(&format!(
            "soft bodies: {} steps, the last took {} us, {} contacts from the {}, {} ticks lost{}{}; they meet {} rigid bodies and cannot meet {}",
            soft["steps"],
            soft["step_us"],
            soft["contacts"],
            soft["backend"].as_str().unwrap_or("?"),
            soft["lost_ticks"],
            crowded(soft),
            incidents(soft),
            soft["rigid_bodies"],
            soft["unmet_bodies"]
        ));
    }
    if let Some(skin) = json.get("skin").filter(|skin| skin.is_object()) {
        say(&format!(
            "skins: {} frames, the last round took {} ms for {} triangles, {} coarser than wanted, {} late, {} faulty, {} refused; seen and felt are at most {} m apart",
            skin["frames"],
            skin["round_ms"],
            skin["triangles"],
            skin["coarse"],
            skin["late"],
            skin["faulty"],
            skin["refused"],
            skin["felt_m"],
        ));
        if [&skin["by_gpu"], &skin["instead"]]
            .iter()
            .any(|n| n.as_u64() > Some(0))
        {
            say(&format!(
                "large skins: a GPU made {} frames, the CPU {} in its place; the last time since {}",
                skin["by_gpu"], skin["instead"], skin["why_instead"],
            ));
        }
    }
    if let Some(near) = json.get("near").filter(|near| near.is_object()) {
        say(&format!(
            "near the tools: the {} looks; the GPU was asked {} times, answered {}, {} short of room, {} late, the last took it {} us{}",
            near["backend"].as_str().unwrap_or("?"),
            near["sent"],
            near["answered"],
            near["short"],
            near["late"],
            near["gpu_us"],
            incidents(near),
        ));
    }
    for client in json["clients"].as_array().into_iter().flatten() {
        say(&format!("client {}: {}", client["client"], client["name"]));
    }
    if let Some(report) = json.get("report").filter(|r| r.is_object()) {
        say(&format!(
            "{} ticks, {} missed, compute p99 {} us, lateness p99 {} us",
            report["ticks"],
            report["missed"]["total"],
            report["compute_us"]["p99"],
            report["lateness_us"]["p99"]
        ));
    }
    Ok(())
}

/// What became of a GPU; nothing if it was never given up.
fn incidents(facts: &serde_json::Value) -> String {
    if facts["takeovers"].as_u64().unwrap_or(0) == 0 {
        return String::new();
    }
    format!(
        "; given up {} times, handed back {}, {} attempts failed; the last time: {}",
        facts["takeovers"],
        facts["handed_back"],
        facts["failed_attempts"],
        facts["why"].as_str().unwrap_or("?"),
    )
}

/// Pairs of spheres that there was no room for, and surfaces that went through each other, if any.
fn crowded(facts: &serde_json::Value) -> String {
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
    use super::{crowded, incidents};

    #[test]
    fn pairs_that_had_no_room_are_told_when_there_are_any() {
        let told = |facts| crowded(&facts);
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
        assert_eq!(incidents(&facts), "");
        // Of a daemon that does not know of it.
        assert_eq!(incidents(&serde_json::json!({})), "");
        facts["takeovers"] = 3.into();
        facts["handed_back"] = 2.into();
        facts["failed_attempts"] = 5.into();
        facts["why"] = "the GPU was lost".into();
        assert_eq!(
            incidents(&facts),
            "; given up 3 times, handed back 2, 5 attempts failed; the last time: the GPU was lost"
        );
    }
}
