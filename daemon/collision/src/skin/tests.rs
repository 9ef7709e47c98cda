//! Frames come in order and describe themselves, and a state that cannot be shown leaves the last
//! frame in place.

use hapticd_client::SkinFrame;
use hapticd_deformable::{Blending, SkinState};
use hapticd_geometry::Vec3;
use hapticd_skin::Primitive;

use super::*;
use crate::gpu_supervisor::{self, GpuUse, Make, Pace, Supervised, SupervisorEnd};
use hapticd_ipc::skins::{self, SkinInfo};

const ID: u32 = 1 << 30;

fn spec() -> SkinSpec {
    SkinSpec {
        id: ID,
        name: "worm".into(),
        level: 0.5,
        cell_m: 0.002,
        blending: Blending::Free,
        sampled: None,
    }
}

fn links(triangles: u32) -> (latest::Writer<SkinUpdate>, Links, hapticd_client::Skin) {
    let info = SkinInfo {
        id: ID,
        name: "worm".into(),
        triangles,
    };
    let (mut writers, fds) = skins::create(&[info]).unwrap();
    let fd = fds.descriptor(ID).unwrap().try_clone().unwrap();
    let maker = SkinMaker::new(spec(), triangles as usize, f64::INFINITY).unwrap();
    let (feed, updates) = latest::latest(SkinUpdate::default());
    let links = Links {
        updates,
        bodies: vec![SkinBody::new(0, maker, writers.remove(0))],
        large: None,
        period: Duration::from_millis(1),
        state: Arc::default(),
    };
    (feed, links, hapticd_client::Skin::open(fd, ID).unwrap())
}

fn offer(feed: &mut latest::Writer<SkinUpdate>, step: u64, primitives: &[Primitive]) {
    feed.overwrite(|update| {
        update.step = step;
        update.time_ns = 1000 * step;
        update.states.tick = 4 * step;
        let body = SkinState {
            primitives: primitives.to_vec(),
            velocities: vec![Vec3::new(0.25, 0.0, 0.0); primitives.len()],
            ..SkinState::default()
        };
        update.states.bodies = vec![body];
    });
}

#[test]
fn each_round_shows_the_newest_state_with_its_time_and_what_was_not_shown_is_counted() {
    let (mut feed, mut links, mut skin) = links(20_000);
    let (mut last, mut skipped) = (0, 0);
    let mut frame = SkinFrame::default();
    assert!(!round(&mut links, (&mut last, &mut skipped)), "nothing yet");
    for (step, shown) in [(1, 1), (2, 2), (9, 3)] {
        let centre = Vec3::new(0.01 * step as f64, 0.0, 0.0);
        offer(&mut feed, step, &[Primitive::point(centre, 0.02)]);
        assert!(round(&mut links, (&mut last, &mut skipped)));
        assert!(!round(&mut links, (&mut last, &mut skipped)), "once");
        skin.read(&mut frame).unwrap();
        let header = frame.header;
        assert_eq!(
            (header.frame, header.tick, header.time_ns),
            (shown, 4 * step, 1000 * step)
        );
        assert_eq!((header.flags, header.faults, header.primitives), (0, 0, 1));
        assert!(header.deviation_m < 2e-4 && header.published_ns > 0);
        let middle = frame.points.iter().map(|p| f64::from(p[0])).sum::<f64>();
        let middle = middle / frame.points.len() as f64;
        assert!((middle - centre.x).abs() < 1e-4, "{middle}");
        assert!(frame.velocities.iter().all(|v| *v == [0.25, 0.0, 0.0]));
    }
    assert_eq!((skipped, frame.header.skipped), (6, 6));
    let facts = links.state.facts();
    assert_eq!((facts.frames, facts.refused, facts.skipped), (3, 0, 6));
    assert_eq!(facts.triangles as usize, frame.triangles.len());
}

#[test]
fn a_state_that_cannot_be_shown_leaves_the_last_frame_and_says_why() {
    let (mut feed, mut links, mut skin) = links(20_000);
    let (mut last, mut skipped) = (0, 0);
    let one = Primitive::point(Vec3::zeros(), 0.02);
    offer(&mut feed, 1, &[one]);
    round(&mut links, (&mut last, &mut skipped));
    let far = Primitive::point(Vec3::new(1e9, 0.0, 0.0), 0.02);
    offer(&mut feed, 2, &[one, far]);
    round(&mut links, (&mut last, &mut skipped));
    let mut frame = SkinFrame::default();
    skin.read(&mut frame).unwrap();
    assert_eq!((frame.header.frame, skin.version()), (1, 1));
    let facts = links.state.facts();
    assert_eq!((facts.frames, facts.refused), (1, 1));
    assert!(facts.why.starts_with("skin of `worm`"), "{}", facts.why);
    offer(&mut feed, 3, &[one]);
    round(&mut links, (&mut last, &mut skipped));
    assert_eq!(skin.version(), 2);
}

#[test]
fn frames_over_capacity_are_coarser_and_say_so() {
    let (mut feed, mut links, mut skin) = links(1000);
    offer(&mut feed, 1, &[Primitive::point(Vec3::zeros(), 0.04)]);
    round(&mut links, (&mut 0, &mut 0));
    let mut frame = SkinFrame::default();
    skin.read(&mut frame).unwrap();
    let header = frame.header;
    assert_eq!(header.flags, skin_flag::COARSE);
    assert!(header.coarser > 0 && header.cell_m > 0.002);
    assert!(frame.triangles.len() <= 1000);
    assert_eq!(links.state.facts().coarse, 1);
}

#[test]
fn without_time_a_frame_is_coarser_and_says_so() {
    let (mut feed, mut links, mut skin) = links(20_000);
    links.bodies[0].maker = SkinMaker::new(spec(), 20_000, 1e-9).unwrap();
    let (mut last, mut skipped) = (0, 0);
    let mut frame = SkinFrame::default();
    // The cost of a triangle is known after the first frame.
    for (step, coarse) in [(1, 0), (2, skin_flag::COARSE)] {
        offer(&mut feed, step, &[Primitive::point(Vec3::zeros(), 0.04)]);
        assert!(round(&mut links, (&mut last, &mut skipped)));
        skin.read(&mut frame).unwrap();
        let flags = frame.header.flags;
        assert_eq!(flags & skin_flag::COARSE, coarse, "{:?}", frame.header);
        assert!(!frame.triangles.is_empty(), "never out of sight");
    }
    assert!(frame.header.coarser > 0 && frame.header.cell_m > 0.002);
    let facts = links.state.facts();
    assert_eq!((facts.frames, facts.coarse), (2, 1));
}

#[test]
fn what_never_changes_is_shown_once_a_second() {
    let (mut feed, mut links, skin) = links(20_000);
    let samples = (0..9 * 9 * 9).map(|k| {
        let at = [k % 9, k / 9 % 9, k / 81].map(|i| f64::from(i) - 4.0);
        (1.0 - Vec3::from(at).norm() / 6.0).max(0.0) as f32
    });
    let grid = hapticd_skin::Grid::new(Vec3::zeros(), 0.005, [9; 3], samples.collect()).unwrap();
    let sampled = hapticd_proxy::Sampled::new(grid, 0.5).map(Arc::new);
    assert!(sampled.is_some());
    let spec = SkinSpec { sampled, ..spec() };
    links.bodies[0].maker = SkinMaker::new(spec, 20_000, f64::INFINITY).unwrap();
    let (mut last, mut skipped) = (0, 0);
    for (step, time_ns, shown) in [
        (1, 5_000, 1),
        (2, 500_000_000, 1),
        (3, 1_000_004_999, 1),
        (4, 1_000_005_000, 2),
        (5, 1_500_000_000, 2),
    ] {
        feed.overwrite(|update| {
            (update.step, update.time_ns) = (step, time_ns);
            update.states.bodies = vec![SkinState::default()];
        });
        assert!(round(&mut links, (&mut last, &mut skipped)));
        assert_eq!(skin.version(), shown, "at {time_ns} ns");
    }
}

/// Makes meshes by the CPU's means, or refuses.
#[derive(Debug, Default)]
struct Elsewhere {
    skin: hapticd_skin::Skin,
    refuses: bool,
    /// Set while its device is gone; then it gives itself up.
    gone: Arc<AtomicBool>,
    given_up: &'static str,
    _drops: Drops,
}

/// Counts those that were dropped.
#[derive(Debug, Default)]
struct Drops(Arc<AtomicU64>);

impl Drop for Drops {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Polygonizer for Elsewhere {
    fn polygonize(
        &mut self,
        settings: &hapticd_skin::Settings,
        primitives: &[Primitive],
        out: &mut hapticd_skin::Mesh,
    ) -> Result<hapticd_skin::Report, String> {
        let made = self.skin.polygonize(settings, primitives, out);
        if self.gone.load(Ordering::Relaxed) {
            self.given_up = "reset";
        }
        if !self.given_up.is_empty() {
            return Err(self.given_up.into());
        }
        if self.refuses {
            return Err("unplugged".into());
        }
        made.map_err(|e| e.to_string())
    }

    fn given_up(&self) -> &str {
        self.given_up
    }
}

/// Ends of the supervision of a polygonizer that cannot be made again.
fn alone() -> (UserEnd<LargeSkins>, SupervisorEnd<LargeSkins>) {
    let make: Make<LargeSkins> = Box::new(|()| Err("no adapter".into()));
    gpu_supervisor::pair(GpuUse::Skins, Pace::DEFAULT, make)
}

#[test]
fn large_frames_that_a_gpu_makes_and_those_that_it_does_not_are_counted_and_all_are_shown() {
    let (mut feed, mut links, mut skin) = links(20_000);
    let (mut last, mut skipped) = (0, 0);
    let mut frame = SkinFrame::default();
    for (step, refuses, triangles, counts) in [
        (1, false, 1e9, (0, 0, "")),
        (2, false, 10.0, (1, 0, "")),
        (3, true, 10.0, (1, 1, "unplugged")),
        (4, true, 10.0, (1, 2, "unplugged")),
        (5, false, 10.0, (2, 2, "unplugged")),
    ] {
        let by = Elsewhere {
            refuses,
            ..Elsewhere::default()
        };
        links.large = Some(LargeFrames {
            skins: LargeSkins::new(Box::new(by), triangles),
            supervisor: alone().0,
        });
        let centre = Vec3::new(0.01 * step as f64, 0.0, 0.0);
        offer(&mut feed, step, &[Primitive::point(centre, 0.02)]);
        assert!(round(&mut links, (&mut last, &mut skipped)));
        skin.read(&mut frame).unwrap();
        assert_eq!((frame.header.frame, frame.header.flags), (step, 0));
        assert!(frame.velocities.iter().all(|v| *v == [0.25, 0.0, 0.0]));
        let facts = links.state.facts();
        let told = (facts.by_gpu, facts.instead, facts.why_instead.as_str());
        assert_eq!(told, counts, "step {step}");
        assert_eq!((facts.frames, facts.refused), (step, 0));
    }
}

/// A GPU is lost. The GPU supervisor finds none, then one that is lost in its first frame, then one
/// that stays. Every state is shown, and the skin thread neither opens nor drops one.
#[test]
fn a_gpu_that_was_given_up_is_opened_again_and_no_frame_is_missing() {
    const S: u64 = 1_000_000_000;
    let (mut feed, mut links, mut skin) = links(20_000);
    let (gone, drops) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
    let new = {
        let (gone, drops) = (gone.clone(), drops.clone());
        move || -> Box<dyn Polygonizer> {
            Box::new(Elsewhere {
                gone: gone.clone(),
                _drops: Drops(drops.clone()),
                ..Elsewhere::default()
            })
        }
    };
    let attempts = Arc::<AtomicU64>::default();
    let (make_new, counted) = (new.clone(), attempts.clone());
    let make: Make<LargeSkins> =
        Box::new(move |()| match counted.fetch_add(1, Ordering::Relaxed) {
            0 => Err("no adapter".into()),
            _ => Ok((make_new(), "a GPU".into())),
        });
    let (supervisor, mut end) = gpu_supervisor::pair(GpuUse::Skins, Pace::DEFAULT, make);
    links.large = Some(LargeFrames {
        skins: LargeSkins::new(new(), 10.0),
        supervisor,
    });
    let (mut last, mut skipped) = (0, 0);
    let mut frame = SkinFrame::default();
    // Of each step: the supervisor's clock before it, whether the device is there, frames by the
    // GPU and by the CPU in its place, takeovers, returns, failed attempts, attempts, drops.
    for (step, now_s, is_there, counts) in [
        (1, 10, true, [1, 0, 0, 0, 0, 0, 0]),
        (2, 11, false, [1, 1, 1, 0, 0, 0, 0]),
        // The next round reports the loss; the first attempt is a second after that.
        (3, 12, false, [1, 2, 1, 0, 0, 0, 0]),
        (4, 13, false, [1, 3, 1, 0, 0, 0, 0]),
        (5, 14, false, [1, 4, 1, 0, 1, 1, 0]),
        // Two seconds later there is one, and it does not last.
        (6, 15, false, [1, 5, 1, 0, 1, 1, 0]),
        (7, 16, false, [1, 6, 2, 0, 1, 2, 0]),
        (8, 17, false, [1, 7, 2, 0, 1, 2, 1]),
        (9, 18, true, [1, 8, 2, 0, 2, 2, 1]),
        (10, 21, true, [1, 9, 2, 0, 2, 2, 1]),
        // Four seconds later the third one comes and stays.
        (11, 22, true, [2, 9, 2, 1, 2, 3, 1]),
        (12, 23, true, [3, 9, 2, 1, 2, 3, 2]),
        (13, 24, true, [4, 9, 2, 1, 2, 3, 2]),
    ] {
        assert!(end.round(&|| now_s * S));
        gone.store(!is_there, Ordering::Relaxed);
        let centre = Vec3::new(0.01 * step as f64, 0.0, 0.0);
        offer(&mut feed, step, &[Primitive::point(centre, 0.02)]);
        let before = [&attempts, &drops].map(|count| count.load(Ordering::Relaxed));
        assert!(round(&mut links, (&mut last, &mut skipped)));
        let [tried, dropped] = [&attempts, &drops].map(|count| count.load(Ordering::Relaxed));
        assert_eq!([tried, dropped], before, "not on this thread");
        skin.read(&mut frame).unwrap();
        assert_eq!((frame.header.frame, frame.header.flags), (step, 0));
        let facts = links.state.facts();
        let gpu = facts.gpu.unwrap();
        let told = [
            facts.by_gpu,
            facts.instead,
            gpu.takeovers,
            gpu.handed_back,
            gpu.failed_attempts,
            tried,
            dropped,
        ];
        assert_eq!(told, counts, "step {step}");
        assert_eq!((facts.frames, facts.refused), (step, 0));
        assert_eq!(gpu.why, if gpu.takeovers == 0 { "" } else { "reset" });
    }
}

#[test]
fn without_a_gpu_the_cpu_makes_all_and_what_was_chosen_is_said() {
    let (none, line) = crate::backend::choose_skins(hapticd_config::SkinGpu::Never);
    assert!(none.is_none() && line == "skins: CPU");
    let (some, line) = crate::backend::choose_skins(hapticd_config::SkinGpu::Large);
    match some {
        Some(large) => {
            assert!(line.starts_with("skins from 1000000 triangles on: "));
            assert_eq!(large.triangles, 1e6);
        }
        None => assert!(line.starts_with("skins: CPU ("), "{line}"),
    }
}
