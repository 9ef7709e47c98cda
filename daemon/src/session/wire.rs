//! The channels between a session's threads: made at once, then handed out, a half a thread.
//!
//! A half has every end that its thread holds, so that a thread ends what it alone can end: the
//! scribe runs until the last half that writes steps or records is gone. `docs/design/threads.md`
//! says which thread may wait for which; what a thread must not wait for, its half cannot wait for.

use std::sync::{Arc, Mutex};

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_collision::broad_phase::BroadPhaseStats;
use hapticd_collision::collider;
use hapticd_collision::command::{Applied, Request};
use hapticd_collision::deformable::{self, DeformableState, Surface};
use hapticd_collision::janitor::{self, Janitor};
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::planner::{self, Planner};
use hapticd_collision::requests::{self, ReplySender};
use hapticd_collision::skin::{SkinThreadState, SkinUpdate};
use hapticd_collision::step_log::StepLog;
use hapticd_config as config;
use hapticd_devices::arm::ArmCommand;
use hapticd_devices::safety::Limits;
use hapticd_loop::arms::ArmState;
use hapticd_loop::contact_events::ContactFeed;
use hapticd_loop::core::ArmInput;
use hapticd_loop::events::{EventFeed, LoopEvent};
use hapticd_loop::limits::{self, Composer};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{BodyOrder, TickRecord};
use hapticd_loop::thread::{DeformableLinks, Flags};
use hapticd_loop::watchdog::Beat;
use hapticd_monitor::log::LogLevel;
use hapticd_monitor::scribe::Live;
use hapticd_proxy::{DeformableSnapshot, MAX_ARMS, Query, Snapshot};
use hapticd_scene::BodySpec;
use hapticd_sync::{latest, ring};
use hapticd_sys::wake::Wake;

use super::SessionError;
use super::controls::Controls;
use super::supervise::Signs;
use crate::service;
use crate::session_setup::SessionSetup;

/// Records in flight to the scribe: four seconds at 1 kHz.
const RECORDS: usize = 4096;
/// Bodies on their way out of the loop.
const GONE: usize = 256;
/// Orders of applications under way: the loop takes two in a tick.
const ORDERS: usize = 64;

/// Every channel of a session, by the thread that takes its half.
pub(super) struct Channels {
    pub(super) haptic: LoopHalf,
    /// By index of the arm.
    pub(super) arms: Vec<ArmHalf>,
    pub(super) collision: CollisionHalf,
    pub(super) planner: planner::Ends,
    pub(super) janitor: Receiver<BodySpec>,
    /// Where the scene has deformable bodies.
    pub(super) deformable: Option<DeformableHalf>,
    /// As well; the skin thread runs only if there are skins, and clients to see them.
    pub(super) skin: Option<SkinHalf>,
    pub(super) scribe: ScribeHalf,
    pub(super) service: service::Links,
    pub(super) news: NewsHalf,
    pub(super) supervisor: SupervisorHalf,
}

/// The haptic loop's. Every end is wait-free: the loop waits only for its clock.
pub(super) struct LoopHalf {
    /// Newest input of each arm.
    pub(super) inputs: [Option<latest::Reader<ArmInput>>; MAX_ARMS],
    /// Newest command to each arm.
    pub(super) commands: [Option<latest::Writer<ArmCommand>>; MAX_ARMS],
    /// From the collision thread.
    pub(super) snapshots: ring::Consumer<Box<Snapshot>>,
    /// Back to it.
    pub(super) used: ring::Producer<Box<Snapshot>>,
    /// To it.
    pub(super) queries: latest::Writer<Query>,
    /// To and from the thread of deformable bodies.
    pub(super) deformable: Option<DeformableLinks>,
    /// To the scribe; a full ring loses the record and counts it.
    pub(super) records: ring::Producer<TickRecord>,
    /// From the supervisor and the clients' server.
    pub(super) limits: Composer,
    /// From the clients' server.
    pub(super) gone: ring::Consumer<BodyOrder>,
    /// From the clients' server.
    pub(super) orders: ring::Consumer<LoopOrder>,
    /// To the clients' server and the scribe.
    pub(super) events: EventFeed,
    /// To the clients' server.
    pub(super) contact_events: ContactFeed,
}

/// An arm's. Its thread waits only for its device.
pub(super) struct ArmHalf {
    pub(super) input: latest::Writer<ArmInput>,
    pub(super) commands: latest::Reader<ArmCommand>,
    pub(super) state: Arc<ArmState>,
}

/// The collision thread waits only for the planner and the GPU's thread, each within a bound, and
/// no other thread: it counts a full queue as a loss, or tries again.
pub(super) struct CollisionHalf {
    /// Capacity for feature pairs of one snapshot.
    pub(super) pair_capacity: usize,
    pub(super) queries: latest::Reader<Query>,
    pub(super) snapshots: ring::Producer<Box<Snapshot>>,
    pub(super) used: ring::Consumer<Box<Snapshot>>,
    /// From the clients' server and the supervisor.
    pub(super) requests: Receiver<Request>,
    /// To the clients' server, which it wakes.
    pub(super) replies: ReplySender,
    /// Where the scene has deformable bodies.
    pub(super) deformable: Option<Sender<Applied>>,
    /// To the scribe.
    pub(super) log: Sender<StepLog>,
    pub(super) near: Arc<Mutex<Option<MidPhaseStatus>>>,
    pub(super) broad: Arc<Mutex<BroadPhaseStats>>,
    pub(super) planner: Planner,
    pub(super) janitor: Janitor,
    pub(super) beat: Beat,
}

/// The thread of deformable bodies, which never waits.
pub(super) struct DeformableHalf {
    pub(super) queries: latest::Reader<Query>,
    pub(super) answers: ring::Producer<Box<DeformableSnapshot>>,
    pub(super) used: ring::Consumer<Box<DeformableSnapshot>>,
    /// From the supervisor.
    pub(super) requests: Receiver<Surface>,
    /// From the collision thread.
    pub(super) bodies: Receiver<Applied>,
    /// To the scribe.
    pub(super) log: Sender<StepLog>,
    /// To the skin thread; `None` where it does not run.
    pub(super) skins: Option<latest::Writer<SkinUpdate>>,
    pub(super) state: Arc<DeformableState>,
}

/// The skin thread's. It waits for the clock only.
pub(super) struct SkinHalf {
    pub(super) updates: latest::Reader<SkinUpdate>,
    pub(super) state: Arc<SkinThreadState>,
}

/// The scribe's. It may wait for files and for the lock of what is shown, and ends when nobody can
/// write records or steps any more.
pub(super) struct ScribeHalf {
    pub(super) records: ring::Consumer<TickRecord>,
    pub(super) steps: Receiver<StepLog>,
    pub(super) events: ring::Consumer<LoopEvent>,
    /// What the arms' threads count.
    pub(super) arms: Vec<Arc<ArmState>>,
    pub(super) live: Arc<Mutex<Live>>,
    pub(super) beat: Beat,
}

/// The thread that gathers news. It may wait for the locks of threads that write their status.
pub(super) struct NewsHalf {
    pub(super) live: Arc<Mutex<Live>>,
    /// For the clients' server, which must never wait for a writer.
    pub(super) status: latest::Writer<Live>,
}

/// The supervisor's. It waits for no lock and no queue.
pub(super) struct SupervisorHalf {
    pub(super) controls: Controls,
    pub(super) signs: Signs,
    pub(super) live: Arc<Mutex<Live>>,
}

/// Makes all channels of a session. Starts nothing and waits for nothing; allocates. `log`: what
/// the supervisor may change of the log.
///
/// # Errors
/// [`SessionError::Wake`]: the process is out of descriptors.
pub(super) fn wire(
    setup: &SessionSetup,
    config: &config::Config,
    flags: &Arc<Flags>,
    log: Option<LogLevel>,
) -> Result<Channels, SessionError> {
    let live = setup.live();
    let (status, client_status) = latest::latest(live.clone());
    let live = Arc::new(Mutex::new(live));
    let (query_in, query_out) = latest::latest(Query::default());
    let (snapshot_in, snapshot_out) = ring::ring(collider::BUFFERS);
    let (used_in, used_out) = ring::ring(2 * collider::BUFFERS);
    let (record_in, record_out) = ring::ring(RECORDS);
    let (composer, configured, restrictions) =
        limits::link(&setup.core, Limits::from(&config.safety));
    let (request_in, request_out) = bounded(256);
    let wake = Wake::new().map_err(SessionError::Wake)?;
    let reply_wake = wake.try_clone().map_err(SessionError::Wake)?;
    let (scene_requests, replies) = requests::requests(request_in.clone(), reply_wake);
    let (gone_in, gone_out) = ring::ring(GONE);
    let (orders_in, orders_out) = ring::ring(ORDERS);
    let (events, client_events, scribe_events) = EventFeed::new();
    let (contact_events, client_contacts) = ContactFeed::new();
    let (log_in, log_out) = bounded(RECORDS);
    let (planner, planner_ends) = planner::planner();
    let (janitor, garbage) = janitor::janitor();
    let (surface_in, surface_out) = bounded(256);
    let arms = wire_arms(setup.arms.len());
    let states: Vec<_> = arms.halves.iter().map(|arm| arm.state.clone()).collect();
    let signs = Signs::new(
        flags.clone(),
        states.clone(),
        setup.collider.broad_phase_stats(),
    );
    // The log has another end only where there is somebody who writes to it: the scribe ends when
    // nobody can any more.
    let scene = setup.deformable.as_ref();
    let deformable = scene.map(|_| wire_deformable(surface_out, log_in.clone(), &signs));
    let (threads, ends) = deformable.unzip();
    let (deformable, skin) = threads.unzip();
    let (soft_links, soft_bodies) = ends.unzip();
    Ok(Channels {
        haptic: LoopHalf {
            inputs: arms.inputs,
            commands: arms.commands,
            snapshots: snapshot_out,
            used: used_in,
            queries: query_in,
            deformable: soft_links,
            records: record_in,
            limits: composer,
            gone: gone_out,
            orders: orders_out,
            events,
            contact_events,
        },
        arms: arms.halves,
        collision: CollisionHalf {
            pair_capacity: setup.pair_capacity,
            queries: query_out,
            snapshots: snapshot_in,
            used: used_out,
            requests: request_out,
            replies,
            deformable: soft_bodies,
            log: log_in,
            near: signs.near.clone(),
            broad: signs.broad.clone(),
            planner,
            janitor,
            beat: signs.collision.clone(),
        },
        planner: planner_ends,
        janitor: garbage,
        deformable,
        skin,
        scribe: ScribeHalf {
            records: record_out,
            steps: log_out,
            events: scribe_events,
            arms: states,
            live: live.clone(),
            beat: signs.scribe.clone(),
        },
        service: service::Links {
            restrictions,
            requests: scene_requests,
            wake,
            gone: gone_in,
            orders: orders_in,
            live: client_status,
            events: client_events,
            contact_events: client_contacts,
        },
        news: NewsHalf {
            live: live.clone(),
            status,
        },
        supervisor: SupervisorHalf {
            controls: Controls::new(configured, request_in, surface_in, log),
            signs,
            live,
        },
    })
}

/// The ends of the arms' threads, and the loop's ends of them.
struct Arms {
    inputs: [Option<latest::Reader<ArmInput>>; MAX_ARMS],
    commands: [Option<latest::Writer<ArmCommand>>; MAX_ARMS],
    halves: Vec<ArmHalf>,
}

fn wire_arms(count: usize) -> Arms {
    let mut arms = Arms {
        inputs: [const { None }; MAX_ARMS],
        commands: [const { None }; MAX_ARMS],
        halves: Vec::new(),
    };
    for index in 0..count {
        let (input_writer, input_reader) = latest::latest(ArmInput::default());
        let (command_writer, command_reader) = latest::latest(ArmCommand::default());
        arms.inputs[index] = Some(input_reader);
        arms.commands[index] = Some(command_writer);
        arms.halves.push(ArmHalf {
            input: input_writer,
            commands: command_reader,
            state: Arc::new(ArmState::default()),
        });
    }
    arms
}

/// What a scene with deformable bodies needs besides: the halves of their thread and of the skin
/// thread, and the ends that the loop and the collision thread have of them.
fn wire_deformable(
    requests: Receiver<Surface>,
    log: Sender<StepLog>,
    signs: &Signs,
) -> (
    (DeformableHalf, SkinHalf),
    (DeformableLinks, Sender<Applied>),
) {
    let (query_in, query_out) = latest::latest(Query::default());
    let (answer_in, answer_out) = ring::ring(deformable::BUFFERS);
    let (used_in, used_out) = ring::ring(2 * deformable::BUFFERS);
    let (body_in, body_out) = bounded(256);
    let (feed, updates) = latest::latest(SkinUpdate::default());
    let deformable = DeformableHalf {
        queries: query_out,
        answers: answer_in,
        used: used_out,
        requests,
        bodies: body_out,
        log,
        skins: Some(feed),
        state: signs.deformable.clone(),
    };
    let skin = SkinHalf {
        updates,
        state: signs.skin.clone(),
    };
    let links = DeformableLinks {
        answers: answer_out,
        used: used_in,
        queries: query_in,
    };
    ((deformable, skin), (links, body_in))
}
