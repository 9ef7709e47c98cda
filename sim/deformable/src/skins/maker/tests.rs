//! Frames are sound, within their limits, and where the body is felt.

use super::*;
use hapticd_skin::Primitive;

/// A coil whose turns touch, and the graph of the pairs that may blend along it.
fn coil(pitch_m: f64) -> SkinState {
    let mut state = SkinState::default();
    let steps = 120;
    let at = |i: i32| {
        let angle = 0.3 * f64::from(i);
        let z = pitch_m * angle / std::f64::consts::TAU;
        Vec3::new(0.02 * angle.cos(), 0.02 * angle.sin(), z)
    };
    for i in 0..steps {
        state.primitives.push(Primitive::point(at(i), 0.01));
        state.velocities.push(Vec3::new(0.0, 0.0, 0.1));
    }
    let ways: Vec<f64> = (1..steps).map(|i| (at(i) - at(i - 1)).norm()).collect();
    state.graph.strand(0, &ways, 0.03);
    state
}

fn maker(blending: Blending, cell_m: f64, most: usize) -> SkinMaker {
    let spec = SkinSpec {
        id: 3,
        name: "coil".into(),
        level: 0.5,
        cell_m,
        blending,
        sampled: None,
    };
    SkinMaker::new(spec, most, f64::INFINITY).unwrap()
}

#[test]
fn a_frame_is_sound_and_lies_where_the_body_is_felt() {
    for (blending, pitch_m) in [
        (Blending::Free, 0.02),
        (Blending::Controlled, 0.02),
        (Blending::Controlled, 0.011),
    ] {
        let state = coil(pitch_m);
        let mut maker = maker(blending, 0.0015, 1_000_000);
        for _ in 0..3 {
            let made = maker.make(&state).unwrap();
            assert!(made.check.is_sound(), "{blending:?} {made:?}");
            assert_eq!(
                (made.rung, made.creased, made.uncontrolled),
                (0, false, false)
            );
            assert!(maker.mesh().triangles.len() > 10_000);
            // Error of a linear crossing of a curved field: a small fraction of a cube. At the rim
            // of the contact between turns the field has a kink.
            let bound = if pitch_m > 0.015 { 0.05 } else { 0.25 };
            assert!(made.felt_m < bound * 0.0015, "{blending:?} {}", made.felt_m);
            let moved = |v: &[f32; 3]| v[0].abs() + v[1].abs() + (v[2] - 0.1).abs() < 1e-6;
            assert!(maker.velocities().iter().all(moved));
        }
    }
}

/// A strand that runs back next to itself, its legs pressed together, and the pairs that may blend
/// along it within `window_m`.
fn hairpin(window_m: f64) -> SkinState {
    let mut state = SkinState::default();
    let (leg, radius, step) = (0.05, 0.006, 0.0035);
    let bend = std::f64::consts::PI * radius;
    let count = ((2.0 * leg + bend) / step).floor() as u32;
    for k in 0..count {
        let s = step * f64::from(k);
        let (x, y) = if s < leg {
            (s, -radius)
        } else if s < leg + bend {
            let (sin, cos) = ((s - leg) / radius).sin_cos();
            (leg + radius * sin, -radius * cos)
        } else {
            (2.0 * leg + bend - s, radius)
        };
        state
            .primitives
            .push(Primitive::point(Vec3::new(x, y, 0.0), 0.01));
        state.velocities.push(Vec3::zeros());
    }
    let ways = vec![step; count as usize - 1];
    state.graph.strand(0, &ways, window_m);
    state
}

#[test]
fn a_hairpin_is_creased_closed_and_where_it_is_felt() {
    for (blending, window_m) in [
        (Blending::Controlled, 0.03),
        (Blending::Bulging, 0.03),
        (Blending::Creased, 0.03),
        (Blending::Creased, 0.022),
    ] {
        let state = hairpin(window_m);
        let mut maker = maker(blending, 0.0015, 1_000_000);
        for _ in 0..20 {
            let made = maker.make(&state).unwrap();
            assert!(made.check.is_sound(), "{blending:?} {made:?}");
            // Either this was asked for, or it is reported.
            let said = blending != Blending::Creased;
            assert_eq!((made.creased, made.uncontrolled), (said, false));
            // Creases are also where they are felt.
            assert!(made.felt_m < 0.1 * 0.0015, "{blending:?} {}", made.felt_m);
        }
        // The parts that melt in a free skin cannot be felt.
        let mut free = self::maker(Blending::Free, 0.0015, 1_000_000);
        free.make(&state).unwrap();
        let melted = free.mesh().clone();
        let height = |mesh: &Mesh| {
            let between = |p: &&[f32; 3]| p[1].abs() < 0.001 && p[0] < 0.02;
            let between = mesh.points.iter().filter(between);
            between.map(|p| p[2]).fold(0.0, f32::max)
        };
        let (creased, melted) = (height(maker.mesh()), height(&melted));
        assert!(
            creased + 0.0005 < melted,
            "{blending:?}: {creased} {melted}"
        );
    }
}

#[test]
fn what_was_torn_is_tried_again_after_a_while() {
    let torn = hairpin(0.03);
    let mut straight = hairpin(0.03);
    for (k, primitive) in (0..).zip(&mut straight.primitives) {
        *primitive = Primitive::point(Vec3::new(0.0035 * f64::from(k), 0.0, 0.0), 0.01);
    }
    let mut maker = maker(Blending::Controlled, 0.0015, 1_000_000);
    assert!(!maker.make(&straight).unwrap().creased);
    assert!(maker.make(&torn).unwrap().creased);
    let frames = (0..40).map(|_| maker.make(&straight).unwrap());
    let creased = frames.map(|made| {
        assert!(made.check.is_sound());
        made.creased
    });
    assert_eq!(
        creased.collect::<Vec<bool>>(),
        [[true; 30].as_slice(), &[false; 10]].concat()
    );
}

#[test]
fn what_has_too_many_triangles_becomes_coarser_in_the_same_frame_and_fine_again_when_it_can() {
    let state = coil(0.02);
    let mut fine = maker(Blending::Free, 0.0015, 1_000_000);
    fine.make(&state).unwrap();
    let all = fine.mesh().triangles.len();
    let mut short = maker(Blending::Free, 0.0015, all / 3);
    let made = short.make(&state).unwrap();
    let left = short.mesh().triangles.len();
    assert!(made.rung > 0 && made.cell_m > 0.0015, "{made:?}");
    assert!(left <= all / 3 && left > all / 12, "{left} of {all}");
    assert!(made.check.is_sound());
    // Half of the body: fine cubes fit again.
    let half = SkinState {
        primitives: state.primitives[..20].to_vec(),
        velocities: state.velocities[..20].to_vec(),
        ..SkinState::default()
    };
    short.took(0.001);
    let last = (0..8).map(|_| {
        let made = short.make(&half).unwrap();
        short.took(0.001);
        made.rung
    });
    assert_eq!(last.last(), Some(0));
}

#[test]
fn a_frame_that_takes_too_long_is_followed_by_a_coarser_one() {
    let state = coil(0.02);
    let spec = maker(Blending::Free, 0.0015, 1_000_000).spec().clone();
    let mut maker = SkinMaker::new(spec, 1_000_000, 0.010).unwrap();
    assert_eq!(maker.make(&state).unwrap().rung, 0);
    maker.took(0.030);
    let rung = maker.make(&state).unwrap().rung;
    // A rung is about half the triangles.
    assert!((2..=3).contains(&rung), "three times too long: {rung}");
}

#[test]
fn what_cannot_be_made_says_why_and_the_next_frame_can() {
    let mut maker = maker(Blending::Controlled, 0.0015, 1_000_000);
    let mut far = coil(0.02);
    far.primitives[0] = Primitive::point(Vec3::repeat(1e9), 0.01);
    let error = maker.make(&far).unwrap_err();
    assert!(error.to_string().starts_with("skin of `coil`"), "{error}");
    let mut nowhere = coil(0.02);
    nowhere.primitives[7].radius_m = f64::NAN;
    assert!(maker.make(&nowhere).is_err());
    let mut stray = coil(0.02);
    stray.graph.allow(3, 4000);
    assert!(maker.make(&stray).is_err());
    assert!(maker.make(&coil(0.02)).unwrap().check.is_sound());
    let none = maker.make(&SkinState::default());
    assert!(
        none.is_ok_and(|made| made.check.is_sound()),
        "no primitives, no triangles"
    );
    assert!(maker.mesh().triangles.is_empty());
}

#[test]
fn groups_that_hang_together_by_some_blend_as_a_whole_and_apart_from_others() {
    // Two puddles of drops that touch. Each drop blends only with its neighbours, so the graph is
    // not an equivalence.
    let mut state = SkinState::default();
    for puddle in 0..2_u32 {
        for i in 0..40_u32 {
            let (x, y) = (f64::from(i % 8), f64::from(i / 8));
            let at = Vec3::new(0.008 * x, 0.008 * y, 0.009 * f64::from(puddle));
            state.primitives.push(Primitive::point(at, 0.01));
            state.velocities.push(Vec3::zeros());
            state.groups.push(40 * puddle);
        }
    }
    for blending in [Blending::Controlled, Blending::Bulging] {
        let mut maker = maker(blending, 0.0015, 1_000_000);
        let made = maker.make(&state).unwrap();
        assert!(made.check.is_sound() && !made.creased, "{made:?}");
        assert_eq!(made.report.control.dropped, 0);
        assert_eq!(maker.mesh().pieces(), 2, "{blending:?}");
    }
    let mut free = maker(Blending::Free, 0.0015, 1_000_000);
    free.make(&state).unwrap();
    assert_eq!(free.mesh().pieces(), 1);
}

#[test]
fn any_graph_gives_a_sound_skin_and_says_when_it_is_creased() {
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut obeyed = 0;
    for round in 0..40 {
        let mut state = SkinState::default();
        for _ in 0..24 {
            let at = Vec3::new(random(), random(), random()) * 0.05;
            state.primitives.push(Primitive::point(at, 0.012));
            state.velocities.push(Vec3::zeros());
        }
        for a in 0..24 {
            for b in 0..a {
                if random() < 0.05 * f64::from(round % 8) {
                    state.graph.allow(b, a);
                }
            }
        }
        let mut maker = maker(Blending::Controlled, 0.003, 1_000_000);
        let made = maker.make(&state).unwrap();
        assert!(made.check.is_sound(), "round {round}: {made:?}");
        assert!(!made.uncontrolled);
        obeyed += usize::from(!made.creased);
    }
    assert!((5..40).contains(&obeyed), "{obeyed}");
}

#[test]
fn too_many_in_one_place_are_shown_blended_rather_than_not_at_all() {
    let mut state = SkinState::default();
    for i in 0..300 {
        let at = Vec3::new(1e-5 * f64::from(i), 0.0, 0.0);
        state.primitives.push(Primitive::point(at, 0.01));
        state.velocities.push(Vec3::zeros());
    }
    let made = maker(Blending::Controlled, 0.0015, 1_000_000).make(&state);
    assert!(made.is_ok_and(|made| made.uncontrolled && !made.creased && made.check.is_sound()));
}

/// Makes meshes like the CPU, and counts calls; spoils or refuses meshes if its flags say so.
#[derive(Debug, Default)]
struct Elsewhere {
    skin: Skin,
    asked: usize,
    refuses: bool,
    tears: bool,
    strays: bool,
}

impl Polygonizer for Elsewhere {
    fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, String> {
        self.asked += 1;
        let report = self.skin.polygonize(settings, primitives, out).unwrap();
        if self.tears {
            out.triangles.pop();
        }
        if self.strays {
            out.points[7] = [1e3; 3];
        }
        if self.refuses {
            return Err("not today".into());
        }
        Ok(report)
    }
}

fn by<'a>(elsewhere: &'a mut Elsewhere, triangles: f64) -> Option<LargeSkin<'a>> {
    Some(LargeSkin {
        by: elsewhere,
        triangles,
    })
}

#[test]
fn large_frames_of_what_blends_freely_are_made_elsewhere_and_no_others() {
    let state = coil(0.02);
    let mut alone = maker(Blending::Free, 0.0015, 1_000_000);
    let expected = alone.make(&state).unwrap();
    assert_eq!(expected.by, SkinBy::Cpu);
    let mut elsewhere = Elsewhere::default();
    let mut with = maker(Blending::Free, 0.0015, 1_000_000);
    let made = with.make_by(&state, by(&mut elsewhere, 1e3)).unwrap();
    assert_eq!((made.by, elsewhere.asked), (SkinBy::Large, 1));
    assert_eq!(
        SkinMade {
            by: SkinBy::Cpu,
            ..made
        },
        expected
    );
    assert!(with.mesh() == alone.mesh());
    assert_eq!(with.velocities().len(), with.mesh().points.len());
    let moved = |v: &[f32; 3]| v[0].abs() + v[1].abs() + (v[2] - 0.1).abs() < 1e-6;
    assert!(with.velocities().iter().all(moved));
    // Not large, or not free.
    let made = with.make_by(&state, by(&mut elsewhere, 1e9)).unwrap();
    assert_eq!((made.by, elsewhere.asked), (SkinBy::Cpu, 1));
    for blending in [Blending::Controlled, Blending::Bulging] {
        let mut maker = maker(blending, 0.0015, 1_000_000);
        let made = maker.make_by(&state, by(&mut elsewhere, 1e3)).unwrap();
        assert_eq!((made.by, elsewhere.asked), (SkinBy::Cpu, 1));
    }
}

#[test]
fn what_is_not_made_elsewhere_or_not_well_the_cpu_makes_in_the_same_frame() {
    let state = coil(0.02);
    let mut alone = maker(Blending::Free, 0.0015, 1_000_000);
    let expected = alone.make(&state).unwrap();
    let mut with = maker(Blending::Free, 0.0015, 1_000_000);
    for (refuses, tears, strays, why) in [
        (true, false, false, "not today"),
        (false, true, false, "not sound"),
        (false, false, true, "no primitive reaches it"),
    ] {
        let mut elsewhere = Elsewhere {
            refuses,
            tears,
            strays,
            ..Elsewhere::default()
        };
        let made = with.make_by(&state, by(&mut elsewhere, 1e3)).unwrap();
        assert_eq!((made.by, elsewhere.asked), (SkinBy::Instead, 1));
        assert!(with.why_not().contains(why), "{}", with.why_not());
        assert!(made.check == expected.check && with.mesh() == alone.mesh());
        assert_eq!(with.velocities(), alone.velocities());
    }
    // A frame with too many triangles becomes coarser, whichever polygonizer made it.
    let mut small = maker(Blending::Free, 0.0015, 5_000);
    let mut elsewhere = Elsewhere::default();
    let made = small.make_by(&state, by(&mut elsewhere, 0.0)).unwrap();
    assert_eq!(made.by, SkinBy::Large);
    assert!(made.rung > 0 && small.mesh().triangles.len() <= 5_000);
}
