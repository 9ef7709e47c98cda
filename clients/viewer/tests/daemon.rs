//! The viewer and the real daemon: the content of a demo, a daemon that stops and restarts, and
//! `hapticd snapshot` as a user types it.
//!
//! `hapticd` is the one next to `hapticd-view`, as in a built workspace. Waits end with the awaited
//! condition.

use hapticd_client::BodyKind;
use hapticd_viewer::{
    feed::Feed,
    scene::{Link, VisibleScene},
};
use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    time::SystemTime,
};

fn hapticd() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_hapticd-view")).with_file_name("hapticd");
    assert!(
        path.is_file(),
        "{}: build the whole workspace",
        path.display()
    );
    path
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hapticd-viewer-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn run(folder: &Path, program: &Path, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .env("HAPTICD_GPU", "software")
        .output()
        .unwrap()
}

/// A demo that runs until the test ends in any way.
struct Daemon(Child);

impl Daemon {
    fn demo(folder: &Path, scene: &str) -> Self {
        let started = Command::new(hapticd())
            .args(["demo", "--plain", "--scene", scene])
            .current_dir(folder)
            .env("XDG_RUNTIME_DIR", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(started.unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // One that has already ended needs no kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Follows until the scene is as expected.
fn until(feed: &mut Feed, now_s: &mut f64, done: impl Fn(&VisibleScene) -> bool) {
    while !done(feed.scene()) {
        // The test controls the clock: each step tries again.
        *now_s += 1.0;
        feed.step(*now_s);
        std::thread::yield_now();
    }
}

#[test]
fn a_demos_bodies_tools_and_contacts_are_followed_and_the_next_daemons_after_it() {
    let folder = folder("follow");
    let (mut feed, mut now_s) = (Feed::new(folder.join("hapticd/app.sock")), 0.0);
    feed.step(now_s);
    assert!(matches!(feed.scene().link, Link::Waiting(_)));

    let daemon = Daemon::demo(&folder, "palpation");
    until(&mut feed, &mut now_s, VisibleScene::is_complete);
    let scene = feed.scene();
    let bodies: Vec<_> = scene.bodies.iter().map(|b| (&*b.name, b.kind)).collect();
    let expected = [
        ("bench", BodyKind::Static),
        ("lump", BodyKind::Static),
        ("tissue", BodyKind::Soft),
    ];
    assert_eq!(bodies, expected);
    // The shape of the bench is 30 cm wide, the tool a ball of 6 mm.
    let (low, high) = scene.bodies[0].model.bounds();
    assert!((high.x - low.x - 0.3).abs() < 1e-6);
    let (low, high) = scene.arms[0].tool.bounds();
    assert!(((high - low).amax() - 0.012).abs() < 2e-4, "{low} {high}");
    // The fingertip presses; the surface bends and returns.
    let bent = scene.bodies[2].model.version();
    until(&mut feed, &mut now_s, |scene| {
        !scene.arms[0].contacts.is_empty() && scene.bodies[2].model.version() > bent + 5
    });
    let until_s = feed.scene().arms[0].history.last().unwrap().time_s;
    assert!(feed.scene().arms[0].history.iter().len() > 5);

    drop(daemon);
    until(&mut feed, &mut now_s, |scene| {
        matches!(scene.link, Link::Lost(_))
    });
    assert_eq!(feed.scene().bodies.len(), 3, "what was seen last stays");
    let _daemon = Daemon::demo(&folder, "blocks");
    until(&mut feed, &mut now_s, VisibleScene::is_complete);
    let scene = feed.scene();
    assert_eq!(scene.connections, 2);
    let mut names: Vec<_> = scene.bodies.iter().map(|b| &*b.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["ball", "left", "right", "rod", "table", "top"]);
    // Nothing of the old daemon is left.
    let times = scene.arms[0].history.iter().map(|sample| sample.time_s);
    assert!(times.into_iter().all(|time_s| time_s > until_s));
    assert!(scene.news.iter().any(|line| line == "connected again"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_skin_is_drawn_as_it_is_now_and_said_how_fine_it_is() {
    let folder = folder("skin");
    let (mut feed, mut now_s) = (Feed::new(folder.join("hapticd/app.sock")), 0.0);
    let _daemon = Daemon::demo(&folder, "coil");
    let gut = |scene: &VisibleScene| {
        scene
            .bodies
            .iter()
            .position(|b| b.kind == BodyKind::Implicit)
    };
    until(&mut feed, &mut now_s, |scene| {
        scene.is_complete() && gut(scene).is_some()
    });
    let index = gut(feed.scene()).unwrap();
    let first = feed.scene().bodies[index].clone();
    until(&mut feed, &mut now_s, |scene| {
        scene.bodies[index].model.version() > first.model.version() + 2
    });
    let body = &feed.scene().bodies[index];
    let corners = body.model.indices();
    assert!(corners.len() > 3000, "{}", corners.len());
    let says = format!("{} triangles, cubes of ", corners.len() / 3);
    assert!(body.note.starts_with(&says), "{}: not {says}", body.note);
    let points = body.model.vertices();
    assert!(
        corners
            .iter()
            .all(|corner| (*corner as usize) < points.len())
    );
    for vertex in points {
        let length = vertex.normal.iter().map(|x| x * x).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-3, "{vertex:?}");
    }
    // The window's button writes what is shown.
    let said = hapticd_viewer::export::export(feed.scene(), &folder, SystemTime::UNIX_EPOCH);
    let path = folder.join("hapticd-skins-19700101-000000.glb");
    let expected = format!("{} triangles: {}", corners.len() / 3, path.display());
    assert_eq!(said, Ok(expected));
    let bytes = std::fs::metadata(&path).unwrap().len();
    let body = 24 * points.len() + 4 * corners.len();
    assert!(
        (body as u64..body as u64 + 4096).contains(&bytes),
        "{bytes}"
    );
    std::fs::remove_dir_all(folder).unwrap();
}

fn decode(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    (info.width, info.height, bytes)
}

#[test]
fn a_snapshot_of_a_demo_is_of_its_size_not_blank_and_overwrites_nothing() {
    let folder = folder("snapshot");
    let _daemon = Daemon::demo(&folder, "terrain");
    let snapshot = |more: &[&str]| {
        let args = [
            "snapshot", "out.png", "--size", "640x400", "--within", "600",
        ];
        run(&folder, &hapticd(), &[&args[..], more].concat())
    };
    let out = snapshot(&["--after", "0.2"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    let (width, height, bytes) = decode(&folder.join("out.png"));
    assert_eq!((width, height), (640, 400));
    let pixels = bytes.as_chunks::<3>().0;
    let colors: BTreeSet<_> = pixels.iter().collect();
    assert!(colors.len() > 500, "{} colours", colors.len());
    let ground = pixels[0];
    let drawn = pixels
        .iter()
        .filter(|p| p.iter().zip(&ground).any(|(a, b)| a.abs_diff(*b) > 40));
    let share = drawn.count() as f64 / pixels.len() as f64;
    assert!((0.1..0.9).contains(&share), "{share}");

    let before = std::fs::read(folder.join("out.png")).unwrap();
    let again = snapshot(&[]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_eq!(again.status.code(), Some(2), "{said}");
    assert!(
        said.contains("out.png") && said.contains("--force"),
        "{said}"
    );
    assert_eq!(std::fs::read(folder.join("out.png")).unwrap(), before);
    let forced = snapshot(&["--force", "--light", "--no-panels", "--after", "0"]);
    assert_eq!(forced.status.code(), Some(0));
    let (_, _, light) = decode(&folder.join("out.png"));
    assert!(light[0] > 200, "a light ground");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn without_a_daemon_or_with_bad_input_there_is_no_file_and_a_reason() {
    let folder = folder("none");
    for (args, code, says) in [
        (&["a.png", "--within", "0"][..], 1, "no daemon at"),
        (&["a.png", "--size", "9x9"], 2, "1280x800"),
        (&["a.png", "--after=-1"], 2, "number of seconds"),
        (&["no/such/folder.png"], 2, "no/such/folder.png"),
    ] {
        let out = run(&folder, &hapticd(), &[&["snapshot"], args].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(says), "{args:?}: {said}");
        assert!(!folder.join("a.png").exists(), "{args:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_daemon_without_a_viewer_beside_it_says_how_to_get_one() {
    let folder = folder("alone");
    let alone = folder.join("hapticd");
    std::fs::copy(hapticd(), &alone).unwrap();
    for args in [&["view"][..], &["snapshot", "a.png"]] {
        let out = Command::new(&alone)
            .args(args)
            .env("PATH", &folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(
            said.contains("hapticd-view") && said.contains("cargo build"),
            "{said}"
        );
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// An X server without a screen; `Xvfb` chooses a free number.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    fn open() -> Self {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1000x700x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is not there: `. tests/packages.sh; need_display` installs it");
        let mut number = String::new();
        let mut told = BufReader::new(server.stdout.take().unwrap());
        // It prints its number when it accepts connections.
        told.read_line(&mut number).unwrap();
        Self {
            server,
            name: format!(":{}", number.trim()),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn the_window_opens_shows_pictures_with_and_without_a_daemon_and_closes() {
    let folder = folder("window");
    let display = Display::open();
    let view = |display: Option<&str>| {
        let mut view = Command::new(env!("CARGO_BIN_EXE_hapticd-view"));
        view.args(["--frames", "12"])
            .env("XDG_RUNTIME_DIR", &folder)
            .env("HAPTICD_GPU", "software")
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .env_remove("DISPLAY");
        view.envs(display.map(|name| ("DISPLAY", name)));
        let out = view.output().unwrap();
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    assert_eq!(view(Some(&display.name)), (Some(0), String::new()));
    let _daemon = Daemon::demo(&folder, "cloth");
    assert_eq!(view(Some(&display.name)), (Some(0), String::new()));
    let (code, said) = view(None);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.starts_with("hapticd-view: "), "{said}");
    std::fs::remove_dir_all(folder).unwrap();
}
