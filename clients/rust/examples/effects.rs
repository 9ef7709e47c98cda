//! Lets the hand feel a guide, a viscous field and a vibration, one after the other.
//!
//! `hapticd run config/demo.toml`, then
//! `cargo run -p hapticd-client --example effects [SECONDS_EACH]`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::{Duration, Instant};

use hapticd_client::{
    Client, EffectKind, EffectShape, Limit, NonNegative, SetEffect, effect, topic,
};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args()
        .nth(1)
        .map_or(Ok(3.0), |text| text.parse())?;
    let mut client = Client::connect("effects")?;
    let arm = client.subscribe(0, topic::STATE)?;
    let effects = [
        (
            "a line to follow",
            SetEffect {
                place_m: [0.0, 0.0, 0.05],
                axis: [1.0, 0.0, 0.0],
                coefficient: NonNegative(80.0),
                shape: EffectShape::Line,
                ..effect(0, EffectKind::Spring)
            },
        ),
        (
            "honey within 10 cm",
            SetEffect {
                coefficient: NonNegative(5.0),
                range_m: Limit(0.1),
                ..effect(0, EffectKind::Damper)
            },
        ),
        (
            "a buzz",
            SetEffect {
                magnitude_n: 0.5,
                frequency_hz: NonNegative(80.0),
                attack_s: NonNegative(0.2),
                ..effect(0, EffectKind::Periodic)
            },
        ),
    ];
    for (name, numbers) in effects {
        let running = client.set_effect(numbers)?;
        let start = Instant::now();
        let mut most_n = 0.0_f64;
        while start.elapsed() < Duration::from_secs_f64(seconds) {
            // Effects last while their client is heard: `poll_renewing` says that it is alive.
            while client.poll_renewing(Duration::ZERO)?.is_some() {}
            if let Ok(state) = arm.state() {
                most_n = state
                    .force_n
                    .iter()
                    .fold(most_n, |most, x| most.max(x.abs()));
            }
            std::thread::sleep(Duration::from_millis(4));
        }
        client.stop_effect(running)?;
        println!("{name}: at most {most_n:.2} N along an axis");
    }
    Ok(())
}
