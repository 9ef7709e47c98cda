//! Prints the state of an arm every 100 ms until the daemon goes: `cargo run --release -p
//! hapticd-client --example live [ARM]`.
#![allow(clippy::print_stdout)]

use hapticd_client::{
    Client, GovernorState, Notification, RequestError, flag, force_off_text, topic,
};
use std::{error::Error, time::Duration};

fn main() -> Result<(), Box<dyn Error>> {
    let arm: u8 = std::env::args().nth(1).as_deref().unwrap_or("0").parse()?;
    let mut client = Client::connect("live")?;
    for info in client.arms()? {
        println!(
            "arm {}: {} ({} in, {} out), at most {} N",
            info.index, info.name, info.sensed_dof, info.actuated_dof, info.peak_force_n.0
        );
    }
    let subscription = client.subscribe(arm, topic::STATE | topic::EVENTS)?;
    loop {
        // The wait for news sets the pace; the state is simply there.
        match client.poll(Duration::from_millis(100)) {
            Ok(None) => {}
            Ok(Some(Notification::Event(event))) => println!("-- {event:?}"),
            Ok(Some(Notification::Refused(error))) => println!("-- refused: {error}"),
            Err(RequestError::Disconnected) => {
                println!("-- the daemon is gone");
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        let state = match subscription.state() {
            Ok(state) => state,
            Err(error) => {
                println!("-- {error}");
                continue;
            }
        };
        let [x, y, z] = state
            .world_from_proxy
            .translation_m
            .map(|metres| metres * 1e3);
        let [fx, fy, fz] = state.force_n;
        println!(
            "tick {:>8}  tool {x:>7.1} {y:>7.1} {z:>7.1} mm  force {fx:>6.2} {fy:>6.2} {fz:>6.2} N  {:>2} contacts  {:<10} {}{}",
            state.tick,
            state.contacts,
            state.governor_state().map_or("?", GovernorState::text),
            if state.reason == 0 {
                ""
            } else {
                force_off_text(state.reason)
            },
            if state.has(flag::STARVED) {
                "  starved"
            } else {
                ""
            },
        );
    }
}
