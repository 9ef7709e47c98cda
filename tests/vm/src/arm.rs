//! The arm's firmware: a 1 kHz sample clock, an endpoint to drain, and switches to make it
//! misbehave.
//!
//! Two threads per arm: the *clock* sends a sample every millisecond (late periods are skipped and
//! counted, never caught up), the *drain* takes what the host sends and stores every force.
//! Thread-safe; SI units, arm frame.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::path::Path;
use crate::port::{Identity, Port, Received, Sent};
use crate::wire::{Force, Sample};

/// Sample period.
pub const PERIOD: Duration = Duration::from_millis(1);

/// Counters of the firmware since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Input reports that the host accepted.
    pub sent: u64,
    /// Samples dropped because the previous report was still in the endpoint.
    pub busy: u64,
    /// Sample periods that the clock slept through.
    pub late: u64,
    /// Sends that failed with an error of the kernel.
    pub errors: u64,
    /// Output reports received.
    pub outputs: u64,
    /// Output reports that are not a force (wrong length or id).
    pub malformed: u64,
    /// Number of times that a program on the host opened (and closed) the device; uhid only.
    pub opened: u64,
    /// See `opened`.
    pub closed: u64,
}

/// A force, with its time of arrival and plugged-in period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceAt {
    /// Time since the arm was made, s.
    pub at_s: f64,
    /// Number of times that the arm had been plugged in by then: 1 for the first time.
    pub plugged: u64,
    /// The force.
    pub force: Force,
}

struct Firmware {
    port: Box<dyn Port>,
    born: Instant,
    stopping: AtomicBool,
    streaming: AtomicBool,
    draining: AtomicBool,
    counting: AtomicBool,
    safety_switch: AtomicBool,
    calibrated: AtomicBool,
    cool: AtomicBool,
    plugged: AtomicU64,
    state: Mutex<State>,
}

struct State {
    path: Path,
    path_start: Instant,
    counter: u16,
    counters: Counters,
    forces: Vec<ForceAt>,
}

/// A running arm. Dropping it unplugs it and ends its threads.
pub struct Arm {
    firmware: Arc<Firmware>,
    threads: Vec<JoinHandle<()>>,
}

impl Arm {
    /// Starts the firmware on `port`, not yet plugged in, with the safety switch closed and
    /// calibrated.
    ///
    /// # Errors
    /// The operating system's error if a thread cannot be created.
    pub fn start(port: Box<dyn Port>, path: Path) -> io::Result<Arm> {
        let now = Instant::now();
        let firmware = Arc::new(Firmware {
            port,
            born: now,
            stopping: AtomicBool::new(false),
            streaming: AtomicBool::new(true),
            draining: AtomicBool::new(true),
            counting: AtomicBool::new(true),
            safety_switch: AtomicBool::new(true),
            calibrated: AtomicBool::new(true),
            cool: AtomicBool::new(true),
            plugged: AtomicU64::new(0),
            state: Mutex::new(State {
                path,
                path_start: now,
                counter: 0,
                counters: Counters::default(),
                forces: Vec::new(),
            }),
        });
        let mut arm = Arm {
            firmware,
            threads: Vec::new(),
        };
        for (name, work) in [
            ("arm-clock", Firmware::clock as fn(&Firmware)),
            ("arm-drain", Firmware::drain as fn(&Firmware)),
        ] {
            let firmware = Arc::clone(&arm.firmware);
            let thread = std::thread::Builder::new().name(name.to_owned());
            arm.threads.push(thread.spawn(move || work(&firmware))?);
        }
        Ok(arm)
    }

    /// Plugs the arm in; its path starts now.
    ///
    /// # Errors
    /// Those of the port.
    pub fn plug(&self, identity: &Identity) -> io::Result<()> {
        self.firmware.plugged.fetch_add(1, Ordering::AcqRel);
        self.firmware.state().path_start = Instant::now();
        self.firmware.port.plug(identity)
    }

    /// Pulls the cable.
    ///
    /// # Errors
    /// Those of the port.
    pub fn unplug(&self) -> io::Result<()> {
        self.firmware.port.unplug()
    }

    /// Sets whether samples are sent: `false` is a firmware that has stopped talking.
    pub fn set_streaming(&self, on: bool) {
        self.firmware.streaming.store(on, Ordering::Release);
    }

    /// Sets whether forces are taken from the endpoint: `false` is a firmware that has stopped
    /// listening.
    pub fn set_draining(&self, on: bool) {
        self.firmware.draining.store(on, Ordering::Release);
    }

    /// Sets whether the sample counter counts: `false` is a firmware that repeats its last sample
    /// forever.
    pub fn set_counting(&self, on: bool) {
        self.firmware.counting.store(on, Ordering::Release);
    }

    /// Closes (`true`) or opens the operator's safety switch.
    pub fn set_safety_switch(&self, closed: bool) {
        self.firmware.safety_switch.store(closed, Ordering::Release);
    }

    /// Sets whether the arm reports that it is calibrated.
    pub fn set_calibrated(&self, calibrated: bool) {
        self.firmware
            .calibrated
            .store(calibrated, Ordering::Release);
    }

    /// Sets whether the motors report 31.4 degrees Celsius, or 95.
    pub fn set_cool(&self, cool: bool) {
        self.firmware.cool.store(cool, Ordering::Release);
    }

    /// Gives the hand a new path, which starts now.
    pub fn set_path(&self, path: Path) {
        let mut state = self.firmware.state();
        state.path = path;
        state.path_start = Instant::now();
    }

    /// Sends these bytes as one input report, valid or not.
    ///
    /// # Errors
    /// Those of the port.
    pub fn inject(&self, report: &[u8]) -> io::Result<Sent> {
        self.firmware.port.send(report)
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.firmware.state().counters
    }

    /// Returns the forces received so far, starting at index `from`.
    pub fn forces_from(&self, from: usize) -> Vec<ForceAt> {
        self.firmware
            .state()
            .forces
            .get(from..)
            .unwrap_or_default()
            .to_vec()
    }

    /// Returns the newest force received.
    pub fn last_force(&self) -> Option<ForceAt> {
        self.firmware.state().forces.last().copied()
    }

    /// Returns the time since the arm was made, s, on the clock of [`ForceAt::at_s`].
    pub fn now_s(&self) -> f64 {
        self.firmware.born.elapsed().as_secs_f64()
    }
}

impl Drop for Arm {
    fn drop(&mut self) {
        self.firmware.stopping.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            // A thread that panicked has printed the reason; the arm is being dropped.
            let _ = thread.join();
        }
        // The kernel refuses only if it is unplugged already.
        let _ = self.firmware.port.unplug();
    }
}

impl Firmware {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn sample(&self) -> Sample {
        let mut state = self.state();
        if self.counting.load(Ordering::Acquire) {
            state.counter = state.counter.wrapping_add(1);
        }
        Sample {
            counter: state.counter,
            position_m: state.path.at(state.path_start.elapsed().as_secs_f64()),
            buttons: 0,
            safety_switch: self.safety_switch.load(Ordering::Acquire),
            calibrated: self.calibrated.load(Ordering::Acquire),
            temperature_c: if self.cool.load(Ordering::Acquire) {
                31.4
            } else {
                95.0
            },
        }
    }

    fn clock(&self) {
        let mut due = Instant::now();
        while !self.stopping.load(Ordering::Acquire) {
            due += PERIOD;
            let now = Instant::now();
            if let Some(wait) = due.checked_duration_since(now) {
                std::thread::sleep(wait);
            } else {
                let missed = (now - due).as_nanos() / PERIOD.as_nanos();
                due += PERIOD * missed as u32;
                self.state().counters.late += missed as u64;
            }
            if !self.streaming.load(Ordering::Acquire) {
                continue;
            }
            let sent = self.port.send(&self.sample().encode());
            let counters = &mut self.state().counters;
            match sent {
                Ok(Sent::Taken) => counters.sent += 1,
                Ok(Sent::Busy) => counters.busy += 1,
                Ok(Sent::Unplugged) => {}
                Err(_) => counters.errors += 1,
            }
        }
    }

    fn drain(&self) {
        let mut buffer = [0; 4096];
        while !self.stopping.load(Ordering::Acquire) {
            if !self.draining.load(Ordering::Acquire) {
                std::thread::sleep(PERIOD);
                continue;
            }
            let received = self.port.receive(&mut buffer, Duration::from_millis(20));
            let plugged = self.plugged.load(Ordering::Acquire);
            let at_s = self.born.elapsed().as_secs_f64();
            let mut state = self.state();
            match received {
                Ok(Received::Output(length)) => {
                    state.counters.outputs += 1;
                    match Force::decode(&buffer[..length]) {
                        Some(force) => state.forces.push(ForceAt {
                            at_s,
                            plugged,
                            force,
                        }),
                        None => state.counters.malformed += 1,
                    }
                }
                Ok(Received::Opened) => state.counters.opened += 1,
                Ok(Received::Closed) => state.counters.closed += 1,
                Ok(Received::Other | Received::Nothing) => {}
                Err(_) => {
                    state.counters.errors += 1;
                    drop(state);
                    std::thread::sleep(PERIOD);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// A cable in memory: stores what the firmware sends, and delivers what the test queued.
    #[derive(Default)]
    struct Loopback {
        sent: Mutex<Vec<Vec<u8>>>,
        queued: Mutex<VecDeque<Vec<u8>>>,
        plugged: AtomicBool,
    }

    impl Port for Arc<Loopback> {
        fn plug(&self, _: &Identity) -> io::Result<()> {
            self.plugged.store(true, Ordering::SeqCst);
            Ok(())
        }
        fn unplug(&self) -> io::Result<()> {
            self.plugged.store(false, Ordering::SeqCst);
            Ok(())
        }
        fn send(&self, report: &[u8]) -> io::Result<Sent> {
            if !self.plugged.load(Ordering::SeqCst) {
                return Ok(Sent::Unplugged);
            }
            self.sent.lock().expect("test").push(report.to_vec());
            Ok(Sent::Taken)
        }
        fn receive(&self, buffer: &mut [u8], _: Duration) -> io::Result<Received> {
            let Some(report) = self.queued.lock().expect("test").pop_front() else {
                std::thread::yield_now();
                return Ok(Received::Nothing);
            };
            buffer[..report.len()].copy_from_slice(&report);
            Ok(Received::Output(report.len()))
        }
    }

    #[test]
    fn the_firmware_streams_only_while_plugged_and_keeps_every_force() {
        let cable = Arc::new(Loopback::default());
        let arm =
            Arm::start(Box::new(Arc::clone(&cable)), Path::rest([0.0, 0.0, 0.05])).expect("start");
        for sequence in 0..100 {
            let force = Force {
                newtons: [0.0, 0.0, 0.5],
                sequence,
            };
            cable
                .queued
                .lock()
                .expect("test")
                .push_back(force.encode().to_vec());
        }
        cable.queued.lock().expect("test").push_back(vec![9, 9]);
        arm.plug(&Identity::generic("A")).expect("plug");
        while arm.counters().sent < 20 || arm.counters().malformed < 1 {
            std::thread::yield_now();
        }
        arm.unplug().expect("unplug");
        let forces = arm.forces_from(0);
        assert_eq!(forces.len(), 100);
        assert!(
            forces
                .iter()
                .enumerate()
                .all(|(k, f)| f.force.sequence == k as u16 && f.force.newtons[2] == 0.5)
        );
        assert_eq!(arm.counters().outputs, 101);
        drop(arm);
        let sent = cable.sent.lock().expect("test");
        assert!(sent.windows(2).all(|w| {
            let count = |r: &[u8]| u16::from_le_bytes([r[1], r[2]]);
            count(&w[1]) == count(&w[0]).wrapping_add(1)
        }));
    }
}
