//! The arms' threads, one each.

use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use hapticd_devices::sim::{HeldArm, SimTransport};
use hapticd_devices::transport::Transport;
use hapticd_loop::arms::{self, Opener};

use super::Spawner;
use crate::hid::{Claims, OpenHid};
use crate::session::wire::ArmHalf;
use crate::session::{SessionError, thread};
use crate::session_setup::{SessionArm, Source};

impl Spawner<'_> {
    /// Starts a thread for each arm.
    pub(super) fn arms(
        &self,
        arms: Vec<SessionArm>,
        halves: Vec<ArmHalf>,
    ) -> Result<Vec<JoinHandle<()>>, SessionError> {
        let claims = Claims::default();
        arms.into_iter()
            .zip(halves)
            .map(|(arm, half)| self.arm(arm, half, &claims))
            .collect()
    }

    fn arm(
        &self,
        arm: SessionArm,
        half: ArmHalf,
        claims: &Claims,
    ) -> Result<JoinHandle<()>, SessionError> {
        let stop = self.brake.stop.clone();
        let name = arm.name;
        let mut opener: Box<dyn Opener> = match arm.source {
            Source::Simulated(setup) => Box::new(OpenSim(Some(setup))),
            Source::Hid(source) => Box::new(OpenHid::new(*source, claims.clone())),
        };
        // Above everything but the loop: what it reads and writes is what the loop waits for.
        let of_loop = self.config.haptic_loop.rt_priority;
        let priority = u8::try_from(of_loop.saturating_sub(5)).unwrap_or(0);
        let running = self.brake.arms.clone();
        running.fetch_add(1, Ordering::Relaxed);
        let stall_ms = self.config.safety.stall_ms;
        thread::spawn("arm", move || {
            let ArmHalf {
                input,
                commands,
                state,
            } = half;
            let served = arms::Served {
                name: &name,
                stall_ms,
                priority,
                state: &state,
                stop: &stop,
            };
            arms::serve(&served, &mut *opener, input, commands);
            running.fetch_sub(1, Ordering::Release);
        })
    }
}

/// Opens a simulated arm, once.
struct OpenSim(Option<Box<HeldArm>>);

impl Opener for OpenSim {
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String> {
        Ok(self.0.take().map(|setup| {
            Box::new(SimTransport::new(*setup, std::thread::sleep)) as Box<dyn Transport>
        }))
    }
}
