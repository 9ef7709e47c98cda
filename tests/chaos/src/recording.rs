//! Ticks of a recording, read with as little of hapticd's own code as possible: a judge that shares
//! code with the accused shares its faults.

use crate::Failure;
use serde::{Deserialize, Deserializer};
use std::{io::Read, path::Path};

/// State of an arm in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArmTick {
    /// Force, N.
    pub force_n: [f64; 3],
    /// Magnitude of the force that the coupling wanted, N.
    pub wanted_n: f64,
    /// The wanted force, and the torque about the tool's origin, base frame, N and N m.
    pub wanted_force_n: [f64; 3],
    /// See `wanted_force_n`.
    pub wanted_torque_nm: [f64; 3],
    /// Height of the hand, m.
    pub hand_z_m: f64,
    /// Position of the hand along x, m.
    pub hand_x_m: f64,
    /// Position of the proxy, world frame, m.
    pub proxy_m: [f64; 3],
    /// Tip of a needle that is in tissue, world frame, m.
    pub tip_m: Option<[f64; 3]>,
    /// Energy given to the hand so far, by the daemon's ledger, J.
    pub given_j: f64,
    /// Energy that bodies put into the spring at its far end so far, J.
    pub world_j: f64,
    /// True energy given by a simulated arm's motors, J.
    pub motor_work_j: f64,
    /// Gain of the passivity controller.
    pub gain: f64,
    /// State of the governor, as in the state block.
    pub state: u8,
    /// Code of the reason why force is off; 0 for no reason.
    pub reason: u8,
    /// The tool was held back because the certificate or the budget was exhausted.
    pub starved: bool,
    /// Client-visible id of the body that the arm holds; 0: none.
    pub grasped: u32,
}

impl ArmTick {
    /// Returns the magnitude of the force, N.
    pub fn length_n(&self) -> f64 {
        length(&self.force_n)
    }
}

/// One tick of the loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tick {
    /// Number of the tick.
    pub tick: u64,
    /// Time of the tick, ns, `CLOCK_MONOTONIC`.
    pub now_ns: u64,
    /// The arms.
    pub arms: Vec<ArmTick>,
}

/// Returns the length of a vector.
pub fn length(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A number, or the bits of one that JSON cannot represent.
#[derive(Clone, Copy, Default)]
struct Num(f64);

impl<'de> Deserialize<'de> for Num {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Bits(String),
        }
        match Either::deserialize(deserializer)? {
            Either::Number(x) => Ok(Num(x)),
            Either::Bits(text) => {
                let digits = text.trim_start_matches("0x");
                let bits = u64::from_str_radix(digits, 16).map_err(serde::de::Error::custom)?;
                Ok(Num(f64::from_bits(bits)))
            }
        }
    }
}

#[derive(Deserialize)]
struct WrenchText {
    force_n: [Num; 3],
    torque_nm: [Num; 3],
}

#[derive(Deserialize)]
struct PoseText {
    position_m: [Num; 3],
}

#[derive(Deserialize)]
struct NeedleText {
    phase: String,
    tip_m: [Num; 3],
}

#[derive(Clone, Copy, Default, Deserialize)]
struct EnergyText {
    given_j: Num,
    world_j: Num,
    gain: Num,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct WorkText {
    force_j: Num,
    torque_j: Num,
}

#[derive(Clone, Copy, Default, Deserialize)]
struct TruthText {
    motor_work: WorkText,
}

#[derive(Deserialize)]
struct OutputText {
    wanted: WrenchText,
    sent: WrenchText,
    world_from_device: PoseText,
    world_from_proxy: PoseText,
    needle: Option<NeedleText>,
    energy: Option<EnergyText>,
    state: u8,
    reason: u8,
    starved: bool,
    #[serde(default)]
    grasped: u32,
}

#[derive(Deserialize)]
struct ArmText {
    truth: Option<TruthText>,
    output: OutputText,
}

#[derive(Deserialize)]
struct TickText {
    tick: u64,
    now_ns: u64,
    arms: Vec<ArmText>,
}

impl From<TickText> for Tick {
    fn from(text: TickText) -> Self {
        let plain = |of: [Num; 3]| of.map(|x| x.0);
        let arm = |arm: ArmText| {
            let energy = arm.output.energy.unwrap_or_default();
            let work = arm.truth.unwrap_or_default().motor_work;
            ArmTick {
                force_n: plain(arm.output.sent.force_n),
                wanted_n: length(&plain(arm.output.wanted.force_n)),
                wanted_force_n: plain(arm.output.wanted.force_n),
                wanted_torque_nm: plain(arm.output.wanted.torque_nm),
                hand_z_m: arm.output.world_from_device.position_m[2].0,
                hand_x_m: arm.output.world_from_device.position_m[0].0,
                proxy_m: plain(arm.output.world_from_proxy.position_m),
                tip_m: (arm.output.needle)
                    .filter(|needle| needle.phase == "inserted")
                    .map(|needle| plain(needle.tip_m)),
                given_j: energy.given_j.0,
                world_j: energy.world_j.0,
                motor_work_j: work.force_j.0 + work.torque_j.0,
                gain: energy.gain.0,
                state: arm.output.state,
                reason: arm.output.reason,
                starved: arm.output.starved,
                grasped: arm.output.grasped,
            }
        };
        Tick {
            tick: text.tick,
            now_ns: text.now_ns,
            arms: text.arms.into_iter().map(arm).collect(),
        }
    }
}

/// Content of a recording.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Ticks in order.
    pub ticks: Vec<Tick>,
    /// Lines about events, in order.
    pub events: Vec<String>,
    /// Why the file is truncated, if it is: its daemon was killed.
    pub cut: Option<String>,
}

#[derive(serde::Deserialize)]
struct EventText {
    text: String,
}

/// Reads ticks and events of a recording, even of a truncated one.
///
/// # Errors
/// A file that cannot be read, or an invalid tick.
pub fn read(path: &Path) -> Result<Recorded, Failure> {
    use mcap::sans_io::linear_reader::{LinearReadEvent, LinearReader};
    let wanted =
        |opcode| [mcap::records::op::CHANNEL, mcap::records::op::MESSAGE].contains(&opcode);
    let mut file = std::io::BufReader::new(std::fs::File::open(path)?);
    let mut reader = LinearReader::new();
    let mut topics = std::collections::HashMap::new();
    let mut recorded = Recorded::default();
    while let Some(event) = reader.next_event() {
        match event {
            Ok(LinearReadEvent::ReadRequest(count)) => {
                let read = file.read(reader.insert(count))?;
                reader.notify_read(read);
            }
            Ok(LinearReadEvent::Record { opcode, .. }) if !wanted(opcode) => {}
            Ok(LinearReadEvent::Record { data, opcode }) => match mcap::parse_record(opcode, data)?
            {
                mcap::records::Record::Channel(channel) => {
                    topics.insert(channel.id, channel.topic);
                }
                mcap::records::Record::Message { header, data } => {
                    match topics.get(&header.channel_id).map(String::as_str) {
                        Some("/tick") => {
                            let text: TickText = serde_json::from_slice(&data)?;
                            recorded.ticks.push(text.into());
                        }
                        Some("/event") => {
                            let event: EventText = serde_json::from_slice(&data)?;
                            recorded.events.push(event.text);
                        }
                        _ => {}
                    }
                }
                _ => {}
            },
            Err(error) => {
                recorded.cut = Some(error.to_string());
                break;
            }
        }
    }
    Ok(recorded)
}
