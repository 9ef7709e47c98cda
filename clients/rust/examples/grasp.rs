//! Holds what the tool touches for a second and a half, and says how hard it pulled.
//!
//! `hapticd run config/blocks.toml`, then `cargo run -p hapticd-client --example grasp [SECONDS]`.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::{Duration, Instant};

use hapticd_client::{Client, Event, Notification, topic};

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args()
        .nth(1)
        .map_or(Ok(10.0), |text| text.parse())?;
    let mut client = Client::connect("grasp")?;
    let arm = client.subscribe(0, topic::STATE | topic::CONTACT_EVENTS)?;
    let start = Instant::now();
    let (mut held, mut since, mut most_n) = (0, start, 0.0_f64);
    while start.elapsed() < Duration::from_secs_f64(seconds) {
        while let Some(news) = client.poll_renewing(Duration::ZERO)? {
            match news {
                // What presses most. A table is no body to hold: no harm.
                Notification::Event(Event::Touched(_)) if held == 0 => client.grasp_body(0, 0)?,
                Notification::Event(Event::Grasped(news)) => {
                    (held, since, most_n) = (news.body, Instant::now(), 0.0);
                    println!("holds body {held}");
                }
                Notification::Event(Event::LetGo(news)) if news.body > 0 => {
                    held = 0;
                    println!("let go of body {}: at most {most_n:.2} N", news.body);
                }
                _ => {}
            }
        }
        if held > 0 && since.elapsed() > Duration::from_millis(1500) {
            // It keeps the velocity of the hand.
            client.release_body(0)?;
        }
        if let Ok(state) = arm.state() {
            let force_n = state.force_n.iter().map(|x| x * x).sum::<f64>().sqrt();
            most_n = most_n.max(force_n);
        }
        std::thread::sleep(Duration::from_millis(8));
    }
    Ok(())
}
