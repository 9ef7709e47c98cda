//! The misbehaving processes: each is this program again, with a role, a seed and a folder.

use crate::{
    Failure,
    notes::{Notes, What},
    random::Random,
    raw::{self, Raw},
};
use hapticd_client::{
    BodyKind, BodySpec, Client, Event, Mesh, Notification, Pose, RequestError, topic,
};
use hapticd_protocol::{
    frame::Message,
    request::{ClearFault, ReleaseLimits, Reload, Request},
};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Role of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Puts a block under the right arm and renews its lease until it is killed.
    Presser,
    /// Adds and removes bodies around the left arm: boxes that move, large meshes.
    Churn,
    /// Sends more messages than allowed, some of them garbage.
    Flood,
    /// Passes descriptors that are not meshes, with every kind of message.
    Strange,
    /// Passes a descriptor that blocks on close.
    Linger,
    /// Asks for replies with descriptors and reads none of them.
    Mute,
    /// Tightens limits.
    Tighten,
    /// Has a body at the left arm, and loses and regains the user's focus.
    Focus,
    /// Clears faults and reloads through the technician's socket.
    Technician,
    /// Receives every event and notes it.
    Listener,
}

impl Role {
    /// Roles that an episode starts in turn.
    pub const DISTURBING: [Role; 7] = [
        Role::Churn,
        Role::Flood,
        Role::Strange,
        Role::Mute,
        Role::Tighten,
        Role::Focus,
        Role::Technician,
    ];

    const NAMES: [(Role, &'static str); 10] = [
        (Role::Presser, "presser"),
        (Role::Churn, "churn"),
        (Role::Flood, "flood"),
        (Role::Strange, "strange"),
        (Role::Linger, "linger"),
        (Role::Mute, "mute"),
        (Role::Tighten, "tighten"),
        (Role::Focus, "focus"),
        (Role::Technician, "technician"),
        (Role::Listener, "listener"),
    ];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(role, _)| *role == self);
        found.map_or("", |(_, name)| name)
    }

    /// Returns the role with this name.
    pub fn of(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(_, of)| *of == name);
        found.map(|(role, _)| *role)
    }
}

/// Top of the pressing client's block, m.
pub const TOP_M: f64 = -0.02;
/// Position of the left arm along x, m.
pub const LEFT_X_M: f64 = 0.5;
/// The id of a release of limits.
const RELEASE_ID: u64 = 41;
/// How long a close blocks, s.
pub const LINGER_S: u64 = 3;
/// Lifetime of a client that is not killed.
const LIFETIME: Duration = Duration::from_secs(120);

/// State of a process.
struct ProcessState {
    folder: PathBuf,
    notes: Notes,
    random: Random,
    end: Instant,
}

impl ProcessState {
    fn socket(&self, technician: bool) -> PathBuf {
        let name = ["app.sock", "technician.sock"][usize::from(technician)];
        self.folder.join("hapticd").join(name)
    }

    fn client(&self, name: &str) -> Result<Client, Failure> {
        let patience = Duration::from_secs(10);
        Ok(Client::connect_until(&self.socket(false), name, patience)?)
    }

    fn lives(&self) -> bool {
        Instant::now() < self.end
    }

    fn nap(&mut self, most_ms: f64) {
        let ms = self.random.within(1.0, most_ms);
        std::thread::sleep(Duration::from_micros((ms * 1000.0) as u64));
    }
}

/// Plays a role in an episode's folder until it is killed or the daemon is gone.
///
/// # Errors
/// What ended it: the daemon disconnects most roles.
pub fn play(role: Role, seed: u64, folder: &Path) -> Result<(), Failure> {
    let mut own = ProcessState {
        folder: folder.to_owned(),
        notes: Notes::open(&folder.join("notes.jsonl"))?,
        random: Random::new(seed),
        end: Instant::now() + LIFETIME,
    };
    match role {
        Role::Presser => press(&mut own),
        Role::Churn => churn(&mut own),
        Role::Flood => flood(&mut own),
        Role::Strange => strange(&mut own),
        Role::Linger => linger(&own),
        Role::Mute => mute(&mut own),
        Role::Tighten => tighten(&mut own),
        Role::Focus => focus(&mut own),
        Role::Technician => technician(&mut own),
        Role::Listener => listen(&mut own),
    }
}

/// Returns a box with these half edges, each edge divided into `cuts` parts.
pub fn cuboid(half: [f64; 3], cuts: u32) -> Mesh {
    let mut mesh = Mesh {
        positions: Vec::new(),
        triangles: Vec::new(),
    };
    for side in 0..6_usize {
        let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let base = mesh.positions.len() as u32;
        for i in 0..=cuts {
            for j in 0..=cuts {
                let along = |k: u32| f64::from(k) / f64::from(cuts) * 2.0 - 1.0;
                let mut p = [0.0; 3];
                (p[axis], p[u], p[v]) = (sign * half[axis], along(i) * half[u], along(j) * half[v]);
                mesh.positions.push(p);
            }
        }
        for i in 0..cuts {
            for j in 0..cuts {
                let at = |i: u32, j: u32| base + i * (cuts + 1) + j;
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                let two = if sign > 0.0 {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, c, b], [a, d, c]]
                };
                mesh.triangles.extend(two);
            }
        }
    }
    weld(&mut mesh);
    mesh
}

/// Merges equal vertices, so that the box is closed.
fn weld(mesh: &mut Mesh) {
    let mut seen = std::collections::HashMap::new();
    let mut kept: Vec<[f64; 3]> = Vec::new();
    let mut to = Vec::with_capacity(mesh.positions.len());
    for p in &mesh.positions {
        // Positive and negative zero are equal.
        let key = p.map(|x| (x + 0.0).to_bits());
        let index = *seen.entry(key).or_insert_with(|| {
            kept.push(*p);
            (kept.len() - 1) as u32
        });
        to.push(index);
    }
    mesh.positions = kept;
    for corner in mesh.triangles.iter_mut().flatten() {
        *corner = to[*corner as usize];
    }
}

/// Returns a body with the common material.
pub fn spec(name: &str, kind: BodyKind, at: [f64; 3]) -> BodySpec<'_> {
    BodySpec {
        name,
        world_from_body: Pose {
            translation_m: at,
            ..Pose::IDENTITY
        },
        stiffness_n_per_m: 800.0,
        damping_n_s_per_m: 0.5,
        friction: 0.3,
        restitution: 0.0,
        density_kg_m3: 1000.0,
        kind,
        solid: true,
    }
}

fn press(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = own.client("presser")?;
    let half = 0.02;
    let spec = spec("block", BodyKind::Kinematic, [0.0, 0.0, TOP_M - half]);
    own.notes.note(What::Adding);
    let body = client.add_body(&spec, &cuboid([0.03, 0.03, half], 1))?;
    own.notes.note(What::Added { body });
    while own.lives() {
        client.renew_leases(200)?;
        // Take refusals, and sleep.
        while client.poll(Duration::ZERO)?.is_some() {}
        std::thread::sleep(Duration::from_millis(40));
    }
    Ok(())
}

/// Treats a refusal like any other answer; an error that ends the connection ends the client.
///
/// # Errors
/// What ended it.
pub fn tolerant<T>(result: Result<T, RequestError>) -> Result<Option<T>, Failure> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(RequestError::Refused(_) | RequestError::Timeout(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn churn(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = own.client("churn")?;
    client.set_timeout(Duration::from_secs(5));
    let mut bodies: Vec<u32> = Vec::new();
    let mut count = 0;
    while own.lives() {
        count += 1;
        let dynamic = own.random.one_in(3);
        let kind = [BodyKind::Kinematic, BodyKind::Dynamic][usize::from(dynamic)];
        let at = [
            LEFT_X_M + own.random.within(-0.06, 0.06),
            own.random.within(-0.06, 0.06),
            // Also around the tool, and above the floor.
            own.random.within(-0.01, 0.1),
        ];
        // 12 to about 12,000 triangles; occasionally 300,000.
        let cuts = match own.random.below(40) {
            0 => 160,
            1..=6 => 32,
            _ => 1,
        };
        let half = [0.01, 0.012, 0.008];
        let name = format!("churn-{}-{count}", std::process::id());
        let added = client.add_body(&spec(&name, kind, at), &cuboid(half, cuts));
        bodies.extend(tolerant(added)?);
        if !bodies.is_empty() && (bodies.len() > 8 || own.random.one_in(2)) {
            let body = bodies.swap_remove(own.random.below(bodies.len()));
            tolerant(client.remove_body(body))?;
        }
        if let Some(body) = bodies.first() {
            let to = Pose {
                translation_m: [LEFT_X_M, 0.0, own.random.within(0.0, 0.05)],
                ..Pose::IDENTITY
            };
            // It may be one that no client can move.
            tolerant(client.set_body_pose(*body, to, 0.2, 500))?;
        }
        client.renew_leases(500)?;
        own.nap(60.0);
    }
    Ok(())
}

fn flood(own: &mut ProcessState) -> Result<(), Failure> {
    while own.lives() {
        let raw = {
            let technician = own.random.one_in(2);
            Raw::connect(&own.socket(technician))?
        };
        for _ in 0..4000 {
            let packet = if own.random.one_in(3) {
                let length = 1 + own.random.below(600);
                (0..length).map(|_| own.random.bits() as u8).collect()
            } else {
                raw::list_arms(0)
            };
            raw.send(&packet, &[]);
            raw.take();
        }
        own.nap(50.0);
    }
    Ok(())
}

fn strange(own: &mut ProcessState) -> Result<(), Failure> {
    use std::os::fd::AsFd;
    while own.lives() {
        let raw = Raw::connect(&own.socket(false))?;
        let fds = raw::strange(&own.folder)?;
        for fd in &fds {
            // With a message that takes no descriptor, and as a mesh.
            raw.send(&raw::list_arms(1), &[fd.as_fd()]);
            raw.send(&raw::list_arms(0), &[fd.as_fd()]);
            raw.send(&add_of(own), &[fd.as_fd()]);
            raw.take();
        }
        raw.send(&raw::list_arms(253), &raw::many(&fds));
        own.nap(100.0);
        for _ in 0..20 {
            raw.take();
        }
    }
    Ok(())
}

/// Returns a request for a body at the left arm, whatever its mesh is.
fn add_of(own: &mut ProcessState) -> Vec<u8> {
    use hapticd_protocol::{request::AddBody, text::Name, wire::NonNegative};
    let name = Name::new(&format!("s{}", own.random.bits())).ok();
    let Some(name) = name else {
        return raw::list_arms(1);
    };
    Request::from(AddBody {
        name,
        world_from_body: Pose {
            translation_m: [LEFT_X_M, 0.0, 0.1],
            ..Pose::IDENTITY
        },
        stiffness_n_per_m: NonNegative(500.0),
        damping_n_s_per_m: NonNegative(0.0),
        friction: NonNegative(0.0),
        restitution: NonNegative(0.0),
        density_kg_m3: NonNegative(1000.0),
        kind: BodyKind::Kinematic,
        solid: true,
    })
    .encode(11)
}

fn linger(own: &ProcessState) -> Result<(), Failure> {
    use std::os::fd::AsFd;
    let (sender, _peer) = raw::lingering(LINGER_S)?;
    let raw = Raw::connect(&own.socket(false))?;
    for _ in 0..100 {
        raw.send(&raw::list_arms(0), &[]);
    }
    raw.send(&raw::list_arms(1), &[sender.as_fd()]);
    // From here on only the daemon holds it.
    drop(sender);
    own.notes.note(What::Done {
        text: "a descriptor whose close blocks was sent".to_owned(),
    });
    std::thread::sleep(Duration::from_secs(LINGER_S + 1));
    Ok(())
}

fn mute(own: &mut ProcessState) -> Result<(), Failure> {
    use hapticd_protocol::request::{OpenShape, Subscribe};
    let raws = [
        Raw::connect(&own.socket(false))?,
        Raw::connect(&own.socket(false))?,
    ];
    while own.lives() {
        for raw in &raws {
            let subscribe = Request::from(Subscribe {
                arm: 0,
                topics: topic::ALL,
            });
            raw.send(&subscribe.encode(3), &[]);
            raw.send(&Request::from(OpenShape { body: 1 }).encode(4), &[]);
        }
        own.nap(3.0);
    }
    Ok(())
}

fn tighten(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = own.client("tighten")?;
    // A single one, or a series with pauses in which the daemon does other work: such a series was
    // once lost.
    let mut peak_n = own.random.within(2.5, 3.8);
    for _ in 0..1 + own.random.below(4) {
        let most_ms = [3.0, 40.0, 400.0][own.random.below(3)];
        own.nap(most_ms);
        let arm = [0, 1, hapticd_client::ALL_ARMS][own.random.below(3)];
        let asked_ns = hapticd_sys::clock::now_ns();
        if tolerant(client.tighten_force(arm, peak_n, 0.2))?.is_some() {
            let tightened = What::Tightened {
                arm,
                peak_n,
                asked_ns,
            };
            own.notes.note(tightened);
        }
        peak_n *= own.random.within(0.7, 0.98);
    }
    Ok(())
}

fn focus(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = own.client("focus")?;
    let name = format!("focus-{}", std::process::id());
    let spec = spec(&name, BodyKind::Kinematic, [LEFT_X_M + 0.1, 0.0, 0.0]);
    tolerant(client.add_body(&spec, &cuboid([0.01; 3], 1)))?;
    while own.lives() {
        let focused = own.random.one_in(2);
        tolerant(client.set_focus(focused))?;
        client.renew_leases(1000)?;
        own.nap(150.0);
    }
    Ok(())
}

fn technician(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = Client::connect_to(&own.socket(true), "technician")?;
    for _ in 0..20 {
        match own.random.below(4) {
            0 => {
                let arm = own.random.below(2) as u8;
                tolerant(client.request(ClearFault { arm }))?;
            }
            1 => {
                tolerant(client.request(Reload {}))?;
            }
            2 => {
                tolerant(client.status())?;
            }
            _ => release(own)?,
        }
        own.nap(300.0);
    }
    Ok(())
}

/// Undoes all tightenings of an arm, on a connection of its own.
fn release(own: &mut ProcessState) -> Result<(), Failure> {
    let arm = [0, 1, 255][own.random.below(3)];
    let raw = Raw::connect(&own.socket(true))?;
    let packet = Request::from(ReleaseLimits { arm }).encode(RELEASE_ID);
    own.notes.note(What::Undoing { arm });
    if raw.ask(&packet, RELEASE_ID, Duration::from_secs(5)) {
        own.notes.note(What::Undone { arm });
    }
    Ok(())
}

fn listen(own: &mut ProcessState) -> Result<(), Failure> {
    let mut client = own.client("listener")?;
    client.subscribe(0, topic::EVENTS)?;
    own.notes.note(What::Listening);
    loop {
        let Some(news) = client.poll(Duration::from_millis(200))? else {
            continue;
        };
        match news {
            Notification::Event(Event::ForceOff(off)) => own.notes.note(What::ForceOff {
                arm: off.arm,
                tick: off.tick,
                reason: off.reason,
            }),
            Notification::Event(Event::EventsLost(lost)) => {
                own.notes.note(What::Lost { count: lost.count });
            }
            Notification::Event(Event::ConfigReloaded(_)) => {
                // The file that the daemon has read is the current one: it changes once per
                // episode.
                if let Some(peak_n) = crate::daemon::peak_of(&own.folder) {
                    own.notes.note(What::Reloaded { peak_n });
                }
            }
            _ => {}
        }
    }
}
