//! Says what this crate makes of packets, for codecs in other languages: reads lines of
//! `requests|replies|events DESCRIPTORS HEX`, writes `taken HEX` (as it would write it) or
//! `refused` for each.
#![allow(clippy::print_stdout)]

use hapticd_protocol::{event::Event, frame::Message, reply::Reply, request::Request};

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    (0..hex.len()).step_by(2).map(byte).collect()
}

/// The packet as this crate writes the message that it holds.
fn verdict<M: Message>(packet: &[u8], descriptors: usize) -> Option<Vec<u8>> {
    let (id, message) = M::decode(packet, descriptors).ok()?;
    Some(message.encode(id))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lines() {
        let line = line?;
        let mut words = line.split(' ');
        let (direction, descriptors) = (words.next(), words.next());
        let packet = words.next().and_then(bytes);
        let (Some(descriptors), Some(packet)) = (descriptors, packet) else {
            return Err(format!("not a line of `DIRECTION DESCRIPTORS HEX`: {line}").into());
        };
        let descriptors = descriptors.parse()?;
        let taken = match direction {
            Some("requests") => verdict::<Request>(&packet, descriptors),
            Some("replies") => verdict::<Reply>(&packet, descriptors),
            Some("events") => verdict::<Event>(&packet, descriptors),
            _ => return Err(format!("not a direction: {line}").into()),
        };
        match taken {
            Some(packet) => {
                let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
                println!("taken {hex}");
            }
            None => println!("refused"),
        }
    }
    Ok(())
}
