//! A configuration that changes during a run is rendered, recorded and replayed.

use super::*;
use crate::reload::reader;

fn text(stiffness_n_per_m: f64, peak_force_n: f64, log: &str) -> String {
    let continuous_force_n = peak_force_n / 2.0;
    format!(
        r#"
[log]
level = "{log}"

[safety]
peak_force_n = {peak_force_n}
continuous_force_n = {continuous_force_n}

[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = {{ kind = "sphere", radius_m = 0.005 }}

[[material]]
name = "foam"
stiffness_n_per_m = {stiffness_n_per_m}

[[body]]
name = "floor"
shape = {{ kind = "plate", size_m = [0.2, 0.2] }}
material = "foam"

[[body]]
name = "far"
shape = {{ kind = "plate", size_m = [0.2, 0.2] }}
position_m = [0.0, 0.0, -1.0]
"#
    )
}

/// A configuration file in a separate folder.
struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("hapticd-reload-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).expect("a folder");
        let file = File(folder.join("rig.toml"));
        file.write(text, 0);
        file
    }

    /// Writes the file with a time `hours` after the start, so that the test does not depend on a
    /// clock that may not have ticked.
    fn write(&self, text: &str, hours: u64) {
        std::fs::write(&self.0, text).expect("written");
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(3600 * (1 + hours));
        let file = std::fs::File::options().write(true).open(&self.0);
        file.and_then(|f| f.set_modified(time)).expect("dated");
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Records 2.9 s of pressing: the hand is down from 1.5 s on. At 2 s the daemon reads what `change`
/// wrote before, if anything.
fn record(name: &str, change: Option<String>) -> Vec<u8> {
    let before = text(400.0, 4.0, "info");
    let file = File::new(name, &before);
    let loaded = config::load(&file.0).unwrap_or_else(|e| panic!("{e}"));
    let setup = build(&before, Time::Virtual);
    let reload = reader(file.0.clone(), loaded.clone(), &setup);
    let output = Memory::new(usize::MAX);
    let sink = recorder(&before, Time::Virtual, output.clone(), u64::MAX).expect("begins");
    let options = Options {
        duration_s: Some(2.9),
        check: false,
        sink: Some(Box::new(sink)),
        view: Box::new(move |live| {
            if let Some(text) = &change
                && live.record.tick == 1500
            {
                file.write(text, 1);
            }
            ViewAction::Continue
        }),
        view_every: Duration::from_millis(500),
        reload: Some(reload),
        log: None,
        require_ipc: false,
    };
    session::run_virtual(setup, &loaded.config, options);
    output.take()
}

/// Returns the force sent to the arm in each tick, N.
fn forces(bytes: &[u8]) -> Vec<f64> {
    let mut reader = reader_of(bytes);
    let mut forces = Vec::new();
    while let Some(event) = reader.event().expect("whole") {
        if let Event::Tick(tick) = event {
            let f = tick.arms[0].output.sent.force_n;
            forces.push(Vec3::new(f[0].0, f[1].0, f[2].0).norm());
        }
    }
    forces
}

fn reader_of(bytes: &[u8]) -> Reader<Cursor<&[u8]>> {
    super::reader(bytes).expect("a recording")
}

/// Returns the changes of surfaces in a recording: query tick, body, stiffness.
fn surfaces(bytes: &[u8]) -> Vec<(u64, u32, f64)> {
    let mut reader = reader_of(bytes);
    let mut found = Vec::new();
    while let Some(event) = reader.event().expect("whole") {
        let Event::Step(step) = event else { continue };
        for applied in &step.applied {
            if let message::CommandMessage::Surface {
                id,
                stiffness_n_per_m,
                ..
            } = &applied.command
            {
                found.push((step.query_tick, *id, stiffness_n_per_m.0));
            }
        }
    }
    found
}

#[test]
fn a_softer_material_is_felt_at_once_and_the_recording_replays() {
    let hard = record("hard", None);
    let deformable = record("soft", Some(text(20.0, 4.0, "info")));
    // Only the floor has that material.
    assert_eq!(
        (surfaces(&hard), surfaces(&deformable)),
        (vec![], vec![(2001, 1, 20.0)])
    );
    let (hard_n, soft_n) = (forces(&hard), forces(&deformable));
    assert!(
        hard_n[..2000] == soft_n[..2000],
        "nothing may change before the reload"
    );
    assert!(hard_n[1999] > 1.0, "{} N: it presses", hard_n[1999]);
    // Within a few answers and the glide of the coupling's stiffness.
    assert!(
        soft_n[2100] < 0.7 * hard_n[2100],
        "{} N on the softer floor, {} N on the hard one",
        soft_n[2100],
        hard_n[2100]
    );
    let outcome = replayed(&deformable, |_| true);
    assert!(
        outcome.is_identical() && outcome.ticks == 2900 && outcome.end == End::Complete,
        "{outcome:?}"
    );
    // The recorded command is what makes the replay identical.
    let outcome = replayed(&deformable, |event| {
        if let Event::Step(step) = event {
            step.applied.clear();
        }
        true
    });
    assert!(outcome.first_difference.is_some_and(|d| d.tick > 2000));
}

#[test]
fn tighter_limits_hold_in_virtual_time_too_and_the_recording_replays() {
    let tight = record("tight", Some(text(400.0, 0.5, "info")));
    let forces = forces(&tight);
    assert!(forces[1999] > 1.0, "{} N: it presses", forces[1999]);
    assert!(forces[2100] <= 0.5, "{} N", forces[2100]);
    assert!(replayed(&tight, |_| true).is_identical());
}

#[test]
fn what_is_reloaded_is_named_with_its_bodies_and_an_error_changes_nothing() {
    let before = text(400.0, 4.0, "info");
    let file = File::new("named", &before);
    let loaded = config::load(&file.0).unwrap_or_else(|e| panic!("{e}"));
    let setup = build(&before, Time::Virtual);
    let mut read = reader(file.0.clone(), loaded, &setup);
    assert!(read(false).expect("unchanged").is_none());
    // Broken, then looser: both are refused, and the next comparison is still with the running
    // configuration.
    file.write("[safety\n", 1);
    assert!(read(false).is_err());
    file.write(&text(20.0, 5.0, "debug"), 2);
    assert!(read(false).is_err());
    file.write(&text(20.0, 1.0, "debug"), 3);
    let new = read(false).expect("taken").expect("changed");
    let floor = setup.collider.infos()[0].id;
    assert_eq!(new.limits.peak_force_n, 1.0);
    assert_eq!(new.log_level, Some(config::Level::Debug));
    assert_eq!(new.surfaces.len(), 1);
    assert_eq!(
        (new.surfaces[0].0, new.surfaces[0].1.stiffness_n_per_m),
        (floor, 20.0)
    );
    assert_eq!(new.changes.len(), 4, "{:?}", new.changes);
    // On request the file is read even if it is unchanged.
    let same = read(true).expect("taken").expect("asked for");
    assert!(same.changes.is_empty() && same.surfaces.is_empty() && same.log_level.is_none());
}

/// A crowd is one body of the configuration and many of the scene.
#[test]
fn all_of_a_crowd_get_its_new_surface() {
    let crowd = |stiffness| {
        text(stiffness, 4.0, "info")
            + r#"
[[body]]
name = "stone"
kind = "crowd"
copies = 3
shape = { kind = "icosphere", radius_m = 0.01, subdivisions = 1 }
position_m = [0.0, 0.0, -0.5]
material = "foam"
"#
    };
    let file = File::new("crowd", &crowd(400.0));
    let loaded = config::load(&file.0).unwrap_or_else(|e| panic!("{e}"));
    let setup = build(&crowd(400.0), Time::Virtual);
    let mut read = reader(file.0.clone(), loaded, &setup);
    file.write(&crowd(20.0), 1);
    let new = read(false).expect("taken").expect("changed");
    let floor = setup.collider.infos()[0].id;
    let stones = (0..3).map(|k| hapticd_collision::deformable::FIRST_ID + k);
    let ids: Vec<u32> = new.surfaces.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids, [floor].into_iter().chain(stones).collect::<Vec<u32>>());
    assert!(
        new.surfaces
            .iter()
            .all(|(_, m)| m.stiffness_n_per_m == 20.0)
    );
}

#[test]
fn implicit_bodies_among_others_get_their_new_surface() {
    let bodies = |stiffness| {
        text(stiffness, 4.0, "info")
            + r#"
[[body]]
name = "stone"
kind = "crowd"
copies = 2
shape = { kind = "icosphere", radius_m = 0.01, subdivisions = 1 }
position_m = [0.0, 0.0, -0.5]

[[body]]
name = "worm"
kind = "implicit"
shape = { kind = "line", length_m = 0.1 }
implicit = { model = "strand" }
position_m = [0.0, 0.0, -0.8]
material = "foam"

[[body]]
name = "jelly"
kind = "soft"
shape = { kind = "cuboid", size_m = [0.02, 0.02, 0.02] }
position_m = [0.0, 0.0, -0.9]
soft = { cells = 2 }
material = "foam"
"#
    };
    let file = File::new("implicit", &bodies(400.0));
    let loaded = config::load(&file.0).unwrap_or_else(|e| panic!("{e}"));
    let setup = build(&bodies(400.0), Time::Virtual);
    let mut read = reader(file.0.clone(), loaded, &setup);
    file.write(&bodies(20.0), 1);
    let new = read(false).expect("taken").expect("changed");
    let ids: Vec<u32> = new.surfaces.iter().map(|(id, _)| *id).collect();
    let first = hapticd_collision::deformable::FIRST_ID;
    assert_eq!(
        ids[1..],
        [first + 2, first + 3],
        "worm and jelly behind two stones"
    );
    // The scene knows the bodies by these ids, and no body by another one.
    let mut deformable = setup.deformable.unwrap();
    let (id, material) = new.surfaces[1];
    assert!(deformable.set_surface(id, &material));
    assert!(!deformable.set_surface(first + 4, &material));
}
