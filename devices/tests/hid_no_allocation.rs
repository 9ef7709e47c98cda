//! Once an arm is open, the path from a report to a sample and from a command to a report neither
//! allocates nor frees. The test binary's own allocator counts, on this thread, while armed. Covers
//! every shipped profile, with good reports, garbage and stalls.

use std::sync::Arc;
use std::time::Duration;

use hapticd_counting::{Counting, counted};
use hapticd_devices::arm::{ArmCommand, Vec3, Wrench};
use hapticd_devices::hid::{HidArm, RawHid};
use hapticd_devices::profile::SHIPPED;
use hapticd_devices::transport::{Transport, TransportError};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Gives reports of every shape: counting bytes, with each id and each length in turn, in bursts of
/// up to 80.
struct Noise {
    counter: u64,
    burst: u64,
}

impl RawHid for Noise {
    fn read(&mut self, buffer: &mut [u8], _: Duration) -> Result<usize, TransportError> {
        self.counter += 1;
        if self.burst == 0 {
            self.burst = self.counter % 80 + 1;
            return Ok(0);
        }
        self.burst -= 1;
        let length = (self.counter % 40) as usize + 1;
        for (i, byte) in buffer[..length].iter_mut().enumerate() {
            *byte = (self.counter.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (8 * (i % 8))) as u8;
        }
        buffer[0] = (self.counter % 4) as u8;
        Ok(length)
    }

    fn write(&mut self, _: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }

    fn write_feature(&mut self, _: &[u8]) -> Result<(), TransportError> {
        Ok(())
    }
}

#[test]
fn an_open_arm_never_allocates() {
    for shipped in SHIPPED {
        let profile = Arc::new(shipped.parse().unwrap());
        let noise = Noise {
            counter: 0,
            burst: 0,
        };
        let mut arm = HidArm::new(Box::new(noise), profile).unwrap();
        let mut samples = 0;
        let ((), calls) = counted(|| {
            for tick in 0..2_000_u64 {
                let _ = arm.wait_input(Duration::ZERO);
                if let Ok(Some(sample)) = arm.read_newest(tick * 1_000_000) {
                    samples += 1;
                    let force_n = if tick % 50 == 0 {
                        Vec3::repeat(f64::NAN)
                    } else {
                        -sample.linear_velocity
                    };
                    let wrench = Wrench {
                        force_n,
                        torque_nm: sample.angular_velocity,
                    };
                    let _ = arm.write(&ArmCommand {
                        sequence: tick,
                        wrench,
                    });
                }
            }
            let _ = arm.stop();
        });
        assert_eq!(calls, 0, "{}", shipped.name);
        assert!(samples > 100, "{}: {samples}", shipped.name);
    }
}
