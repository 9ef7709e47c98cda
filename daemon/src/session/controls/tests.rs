//! Limits, clears, reloads and gains from several clients in turn, through hub, dispatch and the
//! loop's ticks, in virtual time.

use super::*;
use crate::service::Dispatch;
use crate::session_setup;
use hapticd_devices::safety::Limits;
use hapticd_ipc::hub::{Hub, Output};
use hapticd_ipc::{ClientId, Command, CommandSink, GoneWhy, Quotas, Role};
use hapticd_loop::limits;
use hapticd_loop::thread::{Flags, Links, Moment, Turns};
use hapticd_loop::watchdog::{Guard, WATCHED};
use hapticd_protocol::frame::Message;
use hapticd_protocol::reply::Reply;
use hapticd_protocol::request::{self, ALL_ARMS, Request as SupervisorRequest, TightenLimits};
use hapticd_protocol::text::Name;
use hapticd_protocol::wire::Limit;
use hapticd_proxy::{Gains, MAX_ARMS, Query};
use hapticd_sync::{latest, ring};
use std::collections::BTreeMap;
use std::path::Path;

const ARMS: usize = 2;
const MS: u64 = 1_000_000;

const CONFIG: &str = "\
[[arm]]
name = \"left\"
kind = \"simulated\"
intention = \"press\"
tool = { kind = \"sphere\", radius_m = 0.005 }
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"press\"
tool = { kind = \"sphere\", radius_m = 0.005 }
";

/// A xorshift generator, so that the run is the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn unit(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }

    /// Returns no limit as a rule, otherwise one up to `most`.
    fn limit(&mut self, most: f64) -> Limit {
        match self.below(4) {
            0 => Limit(most * self.unit()),
            _ => Limit::NONE,
        }
    }

    fn arm(&mut self) -> u8 {
        [0, 1, ALL_ARMS][self.below(3) as usize]
    }

    fn tightening(&mut self) -> TightenLimits {
        TightenLimits {
            peak_force_n: self.limit(6.0),
            continuous_force_n: self.limit(3.0),
            peak_torque_nm: self.limit(0.3),
            continuous_torque_nm: self.limit(0.2),
            slew_n_per_s: self.limit(2000.0),
            slew_nm_per_s: self.limit(80.0),
            velocity_m_s: self.limit(2.0),
            angular_velocity_rad_s: self.limit(30.0),
            arm: self.arm(),
        }
    }
}

/// Returns the eight limits that clients can tighten.
fn eight(l: &Limits) -> [f64; 8] {
    [
        l.peak_force_n,
        l.continuous_force_n,
        l.peak_torque_nm,
        l.continuous_torque_nm,
        l.slew_n_per_s,
        l.slew_nm_per_s,
        l.velocity_limit_m_s,
        l.angular_velocity_limit_rad_s,
    ]
}

fn wished(w: &TightenLimits) -> [f64; 8] {
    [
        w.peak_force_n.0,
        w.continuous_force_n.0,
        w.peak_torque_nm.0,
        w.continuous_torque_nm.0,
        w.slew_n_per_s.0,
        w.slew_nm_per_s.0,
        w.velocity_m_s.0,
        w.angular_velocity_rad_s.0,
    ]
}

fn is_meant(arm: u8, index: usize) -> bool {
    arm == ALL_ARMS || usize::from(arm) == index
}

/// The expected state, from a plain list of all requests.
struct Oracle {
    /// Limits of arm and configuration at the start.
    start: [Limits; ARMS],
    /// Limits of the configuration, as last reloaded.
    configured: Limits,
    /// Tightenings that were not undone, by the token of their answer.
    list: Vec<(u64, TightenLimits)>,
}

impl Oracle {
    fn expected(&self, arm: usize) -> [f64; 8] {
        let mut least = eight(&self.start[arm]);
        let list = self.list.iter().filter(|(_, w)| is_meant(w.arm, arm));
        let others = list.map(|(_, w)| wished(w));
        for other in others.chain([eight(&self.configured)]) {
            for (least, other) in least.iter_mut().zip(other) {
                *least = least.min(other);
            }
        }
        least
    }

    /// Checks that the governor keeps exactly the strictest of all limits; the peak is lower only
    /// where heating would not allow it.
    fn check(&self, arm: usize, kept: &Limits, told: &str) -> bool {
        let (expected, kept_eight) = (self.expected(arm), eight(kept));
        kept.validate().unwrap();
        let mut lowered = false;
        for (index, (expected, is)) in expected.into_iter().zip(kept_eight).enumerate() {
            if is == expected {
                continue;
            }
            let is_peak = index == 0 || index == 2;
            let continuous = kept_eight[index + 1];
            let as_wished = Limits {
                peak_force_n: if index == 0 {
                    expected
                } else {
                    kept.peak_force_n
                },
                peak_torque_nm: if index == 2 {
                    expected
                } else {
                    kept.peak_torque_nm
                },
                ..*kept
            };
            assert!(
                is_peak && is < expected && continuous > 0.0 && as_wished.validate().is_err(),
                "{told}, arm {arm}, limit {index}: {is} in force, {expected} expected"
            );
            lowered = true;
        }
        lowered
    }
}

struct Bench {
    random: Random,
    hub: Hub,
    out: Vec<Output<u32>>,
    dispatch: Dispatch,
    turns: Turns<()>,
    flags: Flags,
    records: ring::Consumer<hapticd_loop::record::TickRecord>,
    queries: latest::Reader<Query>,
    controls: Controls,
    news: Vec<String>,
    apps: Vec<ClientId>,
    technician: ClientId,
    oracle: Oracle,
    now_ns: u64,
    ids: u64,
    /// Unanswered requests by their ids.
    open: BTreeMap<u64, (ClientId, SupervisorRequest)>,
    answered: BTreeMap<&'static str, u64>,
}

fn connect(hub: &mut Hub, role: Role, now_ns: u64) -> ClientId {
    let client = hub.connect(role, true, now_ns).unwrap();
    let hello = SupervisorRequest::from(request::Hello::new(Name::new("test").unwrap())).encode(0);
    let mut out: Vec<Output<u32>> = Vec::new();
    hub.receive(client, &hello, vec![], now_ns, &mut out);
    client
}

impl Bench {
    fn new(seed: u64) -> Self {
        let context = hapticd_config::Context::new("", |_| None);
        let loaded = hapticd_config::parse("limits.toml", CONFIG, &context).unwrap();
        let setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
        let base = Limits::from(&loaded.config.safety);
        let (composer, configured, restrictions) = limits::link(&setup.core, base);
        let start = [0, 1].map(|arm| *setup.core.governor(arm).unwrap().limits());
        let (query_in, queries) = latest::latest(Query::default());
        let (_, snapshots) = ring::ring(1);
        let (used, _) = ring::ring(1);
        let (_, gone) = ring::ring(1);
        let (record_in, records) = ring::ring(4);
        let links = Links {
            inputs: [const { None }; MAX_ARMS],
            commands: [const { None }; MAX_ARMS],
            snapshots,
            used,
            queries: query_in,
            deformable: None,
            records: record_in,
            limits: composer,
            gone,
            orders: ring::ring(1).1,
            guard: Guard::new([const { None }; WATCHED]),
            publisher: (),
        };
        let quotas = Quotas {
            messages_per_s: 1_000_000,
            ..Quotas::default()
        };
        let infos = setup.arms.iter().zip(0..).map(|(arm, index)| {
            crate::service::arm_info(&crate::service::ArmSummary::of(arm), index, setup.period_ns)
        });
        let mut hub = Hub::new(quotas, infos.collect(), vec![]);
        let now_ns = 1000 * MS;
        let apps = (0..3)
            .map(|_| connect(&mut hub, Role::App, now_ns))
            .collect();
        let technician = connect(&mut hub, Role::Technician, now_ns);
        let (requests, _) = crossbeam::channel::bounded(1);
        let (deformable, _) = crossbeam::channel::bounded(1);
        Bench {
            random: Random(seed),
            hub,
            out: Vec::new(),
            dispatch: Dispatch::of_limits(restrictions),
            turns: Turns::new(setup.core, links),
            flags: Flags::new(),
            records,
            queries,
            controls: Controls::new(configured, requests, deformable, None),
            news: Vec::new(),
            apps,
            technician,
            oracle: Oracle {
                start,
                configured: base,
                list: Vec::new(),
            },
            now_ns,
            ids: 0,
            open: BTreeMap::new(),
            answered: BTreeMap::new(),
        }
    }

    fn send(&mut self, client: ClientId, wish: SupervisorRequest) {
        self.ids += 1;
        let packet = wish.encode(self.ids);
        self.open.insert(self.ids, (client, wish));
        self.hub
            .receive(client, &packet, vec![], self.now_ns, &mut self.out);
        self.perform();
    }

    /// Performs requests like the server: commands go to the dispatch, replies to their requests.
    fn perform(&mut self) {
        for output in std::mem::take(&mut self.out) {
            match output {
                Output::Command(command) => {
                    if let Command::TightenLimits { token, limits, .. } = &command {
                        self.oracle.list.push((*token, limits.clone()));
                    }
                    if let Command::ReleaseLimits { arm, .. } = &command {
                        self.undo(*arm);
                    }
                    assert!(self.dispatch.submit(command).is_ok(), "there is room");
                }
                Output::Reply { id, reply, .. } => {
                    let (_, wish) = self.open.remove(&id).expect("asked for once");
                    let what = match (&reply, &wish) {
                        (Reply::Done(_), _) => "done",
                        (Reply::Error(e), SupervisorRequest::TightenLimits(_))
                            if e.code == ErrorCode::LimitsRefused =>
                        {
                            "refused"
                        }
                        (Reply::Error(e), _) if e.code == ErrorCode::TechnicianOnly => "forbidden",
                        _ => panic!("{wish:?} is answered by {reply:?}"),
                    };
                    *self.answered.entry(what).or_default() += 1;
                }
                _ => {}
            }
        }
    }

    fn undo(&mut self, arm: Option<usize>) {
        let Some(arm) = arm else {
            self.oracle.list.clear();
            return;
        };
        // A tightening for all arms stays on the other arm.
        let other = 1 - arm as u8;
        self.oracle.list.retain_mut(|(_, wish)| {
            if wish.arm == ALL_ARMS {
                wish.arm = other;
            }
            wish.arm == other
        });
    }

    /// Runs one round of the server. Returns the number of answers.
    fn settle(&mut self) -> usize {
        let mut answers = Vec::new();
        self.dispatch.settle(self.now_ns, &mut answers);
        for (token, answer) in &answers {
            if let Answer::Refused(_) = answer {
                self.oracle.list.retain(|(of, _)| of != token);
            }
            self.hub.answer(*token, answer, self.now_ns, &mut self.out);
        }
        self.perform();
        answers.len()
    }

    /// Performs an action of a client or the supervisor. Returns the arms whose faults are cleared.
    fn act(&mut self, gains: &mut [Option<Gains>; MAX_ARMS]) -> [bool; ARMS] {
        let nobody = [false; ARMS];
        let app = self.apps[self.random.below(3) as usize];
        match self.random.below(12) {
            0..6 => {
                let wish = self.random.tightening();
                let by = if self.random.below(8) == 0 {
                    self.technician
                } else {
                    app
                };
                self.send(by, wish.into());
                // Limits that cannot be kept are refused at once; the list holds what stands.
                self.settle();
            }
            6 => {
                let arm = self.random.arm();
                self.send(self.technician, request::ReleaseLimits { arm }.into());
            }
            7 => {
                let arm = self.random.arm();
                self.send(app, request::ReleaseLimits { arm }.into());
                self.send(app, request::ClearFault { arm }.into());
            }
            8 => {
                let arm = self.random.arm();
                self.send(self.technician, request::ClearFault { arm }.into());
                return [0, 1].map(|index| is_meant(arm, index));
            }
            9 => self.reload(),
            10 => {
                let stiffness_n_per_m = 100.0 + self.random.below(900) as f64;
                let new = Gains {
                    stiffness_n_per_m,
                    ..Gains::default()
                };
                self.controls.configured.set_gains([new; ARMS].into_iter());
                gains[..ARMS].fill(Some(new));
            }
            _ => {
                // The client's tightenings outlive it.
                let which = self.random.below(3) as usize;
                let gone = std::mem::replace(
                    &mut self.apps[which],
                    connect(&mut self.hub, Role::App, self.now_ns),
                );
                self.hub.disconnect(gone, GoneWhy::Closed, &mut self.out);
                self.out.clear();
                self.open.retain(|_, (client, _)| *client != gone);
            }
        }
        nobody
    }

    fn reload(&mut self) {
        let start = self.oracle.start[0];
        let peak_force_n = 1.0 + 3.0 * self.random.unit();
        let limits = Limits {
            peak_force_n,
            continuous_force_n: peak_force_n * (0.3 + 0.5 * self.random.unit()),
            continuous_window_s: 5.0 + 5.0 * self.random.unit(),
            slew_n_per_s: start.slew_n_per_s * (0.5 + 0.5 * self.random.unit()),
            ..start
        };
        limits.validate().unwrap();
        let new = Reloaded {
            limits,
            surfaces: vec![],
            log_level: None,
            changes: vec!["safety".into()],
        };
        let outcome = self.controls.reload(Ok(Some(new)), vec![1], &mut self.news);
        assert!(outcome.is_none(), "not before the loop has it");
        self.oracle.configured = limits;
    }

    /// Runs a tick of the loop and checks its state.
    fn turn(&mut self, cleared: [bool; ARMS], gains: &[Option<Gains>; MAX_ARMS]) -> bool {
        let (reloads, said) = (self.controls.reloading.len(), self.news.len());
        assert!(self.controls.settle(self.now_ns, &mut self.news).is_none());
        assert_eq!(self.settle(), 0, "done before a tick has kept it");
        self.now_ns += MS;
        let moment = Moment {
            deadline_ns: self.now_ns,
            periods: 1,
            signalled_ns: self.now_ns,
            awake_ns: self.now_ns,
            device_late: false,
        };
        self.turns.turn(moment, &self.flags);
        self.queries.update();
        let record = self.records.pop().expect("a record");
        let mut lowered = false;
        for arm in 0..ARMS {
            let core = self.turns.core();
            let kept = *core.governor(arm).unwrap().limits();
            let tick = record.tick;
            lowered |= self.oracle.check(arm, &kept, &format!("tick {tick}"));
            assert_eq!(record.arms[arm].limits, kept, "as recorded");
            assert_eq!(
                record.arms[arm].cleared, cleared[arm],
                "tick {tick}, arm {arm}"
            );
            assert_eq!(self.dispatch.limits_in_force(arm as u8), Some(kept));
            if let Some(gains) = gains[arm] {
                assert_eq!(
                    record.arms[arm].gains.stiffness_n_per_m,
                    gains.stiffness_n_per_m
                );
            }
        }
        // Everything requested is in force, so everything is answered, and a reload is reported
        // only now.
        self.settle();
        assert!(self.open.is_empty(), "{:?}", self.open);
        for _ in 0..reloads {
            let outcome = self.controls.settle(self.now_ns, &mut self.news).unwrap();
            assert_eq!((outcome.tokens, outcome.result), (vec![1], Ok(true)));
        }
        assert_eq!(self.news.len(), said + reloads);
        self.news.clear();
        lowered
    }
}

#[test]
fn limits_in_force_are_the_strictest_of_all_at_every_tick() {
    let (mut done, mut refused, mut forbidden, mut lowered) = (0, 0, 0, 0);
    for seed in [1, 0x9e37_79b9_7f4a_7c15, 0x1234_5678_9abc_def1] {
        let mut bench = Bench::new(seed);
        let mut gains = [None; MAX_ARMS];
        for _ in 0..3000 {
            let mut cleared = [false; ARMS];
            // Usually nothing, sometimes many actions at once, so that the loop sees the last of
            // many values.
            for _ in 0..[0, 0, 1, 1, 2, 7][bench.random.below(6) as usize] {
                let now = bench.act(&mut gains);
                cleared = [0, 1].map(|arm| cleared[arm] || now[arm]);
            }
            lowered += u64::from(bench.turn(cleared, &gains));
        }
        let count = |what| bench.answered.get(what).copied().unwrap_or_default();
        done += count("done");
        refused += count("refused");
        forbidden += count("forbidden");
    }
    // The run is meaningful only if all of these happened.
    assert!(
        done > 5000 && refused > 200 && forbidden > 1000,
        "{done} {refused} {forbidden}"
    );
    assert!(
        lowered > 0,
        "no reload ever met a tightening that it did not allow"
    );
}

#[test]
fn a_reload_that_the_loop_does_not_take_is_told_of() {
    let mut bench = Bench::new(1);
    bench.reload();
    let mut rounds = 0;
    let outcome = loop {
        bench.now_ns += 20 * MS;
        if let Some(outcome) = bench.controls.settle(bench.now_ns, &mut bench.news) {
            break outcome;
        }
        rounds += 1;
        assert!(rounds < 1000, "nobody is told");
    };
    let why = outcome.result.unwrap_err();
    assert!(why.detail.contains("haptic loop"), "{}", why.detail);
    let events = bench.news.clone();
    assert!(events.iter().all(|e| !e.contains("configuration reloaded")));
}
