//! What stays on an arm's wire when its service ends for any reason.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use hapticd_devices::arm::Vec3;
use hapticd_devices::hid::{HidArm, RawHid};
use hapticd_devices::profile::{Profile, generic};

use super::*;

const PROFILE: &str = include_str!("../../../../config/devices/generic-vendor-3dof.toml");
/// Report that switches the motors of the test arm off.
const STOP: [u8; 2] = [6, 0];
/// An output report of zero force, except for its sequence.
const ZERO: [u8; 7] = [generic::OUTPUT_REPORT_ID, 0, 0, 0, 0, 0, 0];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Every read fails.
    Read,
    /// Every read panics.
    Panic,
    /// Every write of a force fails; zero force and the stop are accepted.
    Force,
    /// Reads and writes fail.
    All,
}

/// A device that keeps the reports that it accepted.
struct Wire {
    fault: Fault,
    taken: Vec<Vec<u8>>,
    counter: u16,
    /// Scheduling policies of the threads that searched for it, and of the last one that read from
    /// it.
    searches: Vec<u32>,
    reading: u32,
}

#[derive(Clone)]
struct Device(Arc<Mutex<Wire>>);

impl Device {
    fn new() -> Self {
        Device(Arc::new(Mutex::new(Wire {
            fault: Fault::None,
            taken: Vec::new(),
            counter: 0,
            searches: Vec::new(),
            reading: 0,
        })))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Wire> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_pressing(&self) -> bool {
        let wire = self.lock();
        let last = wire.taken.iter().rfind(|bytes| bytes.len() > 2);
        last.is_some_and(|bytes| !bytes.starts_with(&ZERO))
    }
}

const IO: TransportError = TransportError::Io { errno: 71 };

impl RawHid for Device {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, TransportError> {
        if timeout.is_zero() {
            return Ok(0);
        }
        std::thread::sleep(Duration::from_micros(200));
        let mut wire = self.lock();
        wire.reading = policy();
        match wire.fault {
            Fault::Read | Fault::All => return Err(IO),
            Fault::Panic => panic!("the test's device panics"),
            Fault::None | Fault::Force => {}
        }
        wire.counter = wire.counter.wrapping_add(1);
        buffer[..generic::INPUT_REPORT_BYTES].fill(0);
        buffer[0] = generic::INPUT_REPORT_ID;
        buffer[1..3].copy_from_slice(&wire.counter.to_le_bytes());
        buffer[15] = 0xC0;
        Ok(generic::INPUT_REPORT_BYTES)
    }

    fn write(&mut self, report: &[u8]) -> Result<(), TransportError> {
        let mut wire = self.lock();
        let is_force = report.len() > 2 && !report.starts_with(&ZERO);
        if wire.fault == Fault::All || (wire.fault == Fault::Force && is_force) {
            return Err(IO);
        }
        wire.taken.push(report.to_vec());
        Ok(())
    }

    fn write_feature(&mut self, _: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }
}

/// Finds the device once, or as often as requested.
struct OpenDevice {
    device: Device,
    times: u32,
}

/// Priority that the arm's thread requests; low enough for every possible limit.
const PRIORITY: u8 = 1;

/// Scheduling policy of this thread, as the kernel reports it: 1 is SCHED_FIFO, 0 the ordinary
/// scheduler.
fn policy() -> u32 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let behind_the_name = stat.rsplit_once(')').unwrap().1;
    // Field 41; the name is field 2.
    let policy = behind_the_name.split_whitespace().nth(38).unwrap();
    policy.parse().unwrap()
}

impl Opener for OpenDevice {
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String> {
        self.device.lock().searches.push(policy());
        if self.times == 0 {
            return Ok(None);
        }
        self.times -= 1;
        let stop = "\n[[stop]]\nkind = \"output\"\nbytes = [6, 0]\n";
        let profile = Profile::parse("arm", &format!("{PROFILE}{stop}")).unwrap();
        let arm = HidArm::new(Box::new(self.device.clone()), Arc::new(profile));
        Ok(Some(Box::new(arm.map_err(|e| e.to_string())?)))
    }
}

/// Captured log text.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A loop and an arm that presses.
struct Fixture {
    device: Device,
    commands: latest::Writer<ArmCommand>,
    input: latest::Reader<ArmInput>,
    state: Arc<ArmState>,
    stop: Arc<AtomicBool>,
    said: Said,
    thread: Option<std::thread::JoinHandle<()>>,
    sequence: u64,
}

impl Fixture {
    /// An arm that can be opened `times` times and holds a force of 2 N.
    fn pressing(times: u32) -> Self {
        let device = Device::new();
        let (input_writer, input) = latest::latest(ArmInput::default());
        let (commands, reader) = latest::latest(ArmCommand::default());
        let (state, stop) = (
            Arc::new(ArmState::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let said = Said::default();
        let thread = {
            let (state, stop, said) = (state.clone(), stop.clone(), said.clone());
            let mut opener = OpenDevice {
                device: device.clone(),
                times,
            };
            std::thread::spawn(move || {
                let log = tracing_subscriber::fmt()
                    .with_writer(move || said.clone())
                    .with_ansi(false)
                    .finish();
                tracing::subscriber::with_default(log, || {
                    let served = Served {
                        name: "right",
                        stall_ms: 10.0,
                        priority: PRIORITY,
                        state: &state,
                        stop: &stop,
                    };
                    serve(&served, &mut opener, input_writer, reader);
                });
            })
        };
        let mut fixture = Fixture {
            device,
            commands,
            input,
            state,
            stop,
            said,
            thread: Some(thread),
            sequence: 0,
        };
        fixture.until(2.0, "a force on the wire", |fixture| {
            fixture.device.is_pressing()
        });
        fixture
    }

    fn command(&mut self, newtons: f64) {
        self.sequence += 1;
        let mut command = ArmCommand {
            sequence: self.sequence,
            ..ArmCommand::default()
        };
        command.wrench.force_n = Vec3::new(newtons, 0.0, 0.0);
        self.commands.write(command);
    }

    /// Commands a force until the condition holds.
    fn until(&mut self, newtons: f64, what: &str, is_so: impl Fn(&Fixture) -> bool) {
        let begun = Instant::now();
        while !is_so(self) {
            assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
            self.command(newtons);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn lost(&self) -> u64 {
        self.state.lost.load(Ordering::Relaxed)
    }

    /// Reports that the arm took after a fault, and the log text.
    fn end_after(mut self, fault: Fault) -> (Vec<Vec<u8>>, String) {
        let before = {
            let mut wire = self.device.lock();
            wire.fault = fault;
            wire.taken.len()
        };
        self.until(2.0, "the loss", |fixture| fixture.lost() > 0);
        self.end();
        assert!(
            !self.input.read().0.attached,
            "the loop knows nothing of it"
        );
        let taken = self.device.lock().taken[before..].to_vec();
        let said = String::from_utf8(self.said.0.lock().unwrap().clone()).unwrap();
        (taken, said)
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread
                .join()
                .expect("a panic of a device is a loss of the arm");
        }
    }
}

fn assert_stopped(taken: &[Vec<u8>], said: &str) {
    let [.., zero, stop] = taken else {
        panic!("it took {taken:?} after the fault\n{said}");
    };
    assert!(zero.starts_with(&ZERO), "{zero:?}\n{said}");
    assert_eq!(stop, &STOP, "{said}");
    assert!(said.contains("arm lost"), "{said}");
    assert!(!said.contains("may still be in force"), "{said}");
}

#[test]
fn an_arm_whose_reads_fail_is_told_to_stop() {
    let (taken, said) = Fixture::pressing(1).end_after(Fault::Read);
    assert_stopped(&taken, &said);
}

#[test]
fn an_arm_whose_driver_panics_is_told_to_stop() {
    let (taken, said) = Fixture::pressing(1).end_after(Fault::Panic);
    assert_stopped(&taken, &said);
    assert!(said.contains("the test's device panics"), "{said}");
}

#[test]
fn an_arm_that_refuses_forces_is_lost_and_told_to_stop() {
    let (taken, said) = Fixture::pressing(1).end_after(Fault::Force);
    assert_stopped(&taken, &said);
    assert!(said.contains("commands in a row"), "{said}");
}

#[test]
fn a_refused_stop_is_reported() {
    let (taken, said) = Fixture::pressing(1).end_after(Fault::All);
    assert_eq!(taken, Vec::<Vec<u8>>::new());
    assert!(
        said.contains("its last command may still be in force"),
        "{said}"
    );
}

#[test]
fn a_silent_loop_leaves_no_force_on_the_arm() {
    let mut fixture = Fixture::pressing(1);
    let begun = Instant::now();
    while fixture.device.is_pressing() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it presses on");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(fixture.lost(), 0, "the arm is well");
    let said = String::from_utf8(fixture.said.0.lock().unwrap().clone()).unwrap();
    assert!(said.contains("the loop sends no commands"), "{said}");
    // A loop that resumes is served again.
    fixture.until(1.0, "a force again", |fixture| fixture.device.is_pressing());
    fixture.end();
}

#[test]
fn an_arm_that_is_opened_again_begins_with_no_force() {
    let mut fixture = Fixture::pressing(2);
    fixture.device.lock().fault = Fault::All;
    fixture.until(2.0, "the loss", |fixture| fixture.lost() == 1);
    assert!(fixture.device.is_pressing(), "it took nothing");
    let before = {
        let mut wire = fixture.device.lock();
        wire.fault = Fault::None;
        wire.taken.len()
    };
    fixture.until(2.0, "two commands", |fixture| {
        fixture.device.lock().taken.len() > before + 1
    });
    fixture.end();
    let taken = &fixture.device.lock().taken[before..];
    assert!(taken[0].starts_with(&ZERO), "{taken:?}");
}

/// A search takes long: on a machine with one processor no thread of lower priority would run.
#[test]
fn an_arm_is_looked_for_at_an_ordinary_priority() {
    let granted = std::thread::spawn(|| priority::request_fifo(PRIORITY).is_granted());
    let while_served = u32::from(granted.join().unwrap());
    let mut fixture = Fixture::pressing(2);
    assert_eq!(fixture.device.lock().reading, while_served);
    fixture.device.lock().fault = Fault::Read;
    fixture.until(2.0, "two losses and a search in vain", |fixture| {
        fixture.device.lock().searches.len() > 2
    });
    assert_eq!(fixture.lost(), 2);
    fixture.end();
    let wire = fixture.device.lock();
    assert!(
        wire.searches.iter().all(|policy| *policy == 0),
        "{:?}",
        wire.searches
    );
    assert_eq!(wire.reading, while_served, "once it was found again");
}
