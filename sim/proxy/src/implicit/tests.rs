//! Feet are on the surface, and a ball's rows are where it is deepest.

use super::*;
use hapticd_geometry::{Pose, Vec3};

const SOFT: Material = Material {
    stiffness_n_per_m: 500.0,
    damping_n_s_per_m: 0.5,
    friction: 0.2,
    force_shading: false,
};

fn body(balls: &[([f64; 3], f64)]) -> ImplicitSurface {
    let term = |(at, radius): &([f64; 3], f64)| {
        Term::new(&Primitive::point(Vec3::from(*at), *radius), Vec3::zeros())
    };
    ImplicitSurface {
        id: 7,
        material: SOFT,
        level: 0.5,
        terms: balls.iter().map(term).collect(),
        cliques: Vec::new(),
        sampled: None,
    }
}

/// Returns a chain with a bend, in which all terms blend.
fn chain() -> ImplicitSurface {
    body(&[
        ([0.0, 0.0, 0.0], 0.02),
        ([0.012, 0.0, 0.0], 0.018),
        ([0.022, 0.006, 0.0], 0.018),
        ([0.024, 0.018, 0.004], 0.02),
    ])
}

/// Iterates over directions all around, the same in each run.
fn around(count: usize) -> impl Iterator<Item = Vec3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
        let r = (1.0 - z * z).sqrt();
        let angle = golden * i as f64;
        Vec3::new(r * angle.cos(), r * angle.sin(), z)
    })
}

#[test]
fn beside_one_ball_a_foot_is_where_it_has_to_be_from_nearly_everywhere_that_it_reaches() {
    let one = body(&[([0.01, -0.02, 0.03], 0.02)]);
    let centre = Vec3::new(0.01, -0.02, 0.03);
    // Murakami's kernel is a half where its argument is 1 - 1/sqrt(2).
    let surface_m = 0.02 * (1.0 - 0.5_f64.sqrt()).sqrt();
    for direction in around(50) {
        for share in [0.2, 0.4, 0.541, 0.6, 0.8, 0.99] {
            let at = centre + direction * (0.02 * share);
            let foot = one.foot(&at, 0.0).unwrap();
            let expected = 0.02 * share - surface_m;
            let close = if share < 0.3 { 1e-3 } else { 1e-6 };
            assert!(
                (foot.distance_m - expected).abs() < 0.02 * close,
                "{share}: {foot:?}, not {expected}"
            );
            assert!((foot.normal - direction).norm() < 1e-9);
        }
        assert!(one.foot(&(centre + direction * 0.0201), 0.0).is_none());
    }
    // The summit has no direction.
    assert!(one.foot(&centre, 0.0).is_none());
}

#[test]
fn a_foot_is_on_the_blended_surface_and_its_normal_is_that_of_the_potential() {
    let chain = chain();
    let (mut felt, mut worst) = (0, 0.0_f64);
    for term in &chain.terms {
        for direction in around(200) {
            let at = term.centre + direction * 0.013;
            let Some(foot) = chain.foot(&at, 0.0) else {
                continue;
            };
            // Points near the surface, where a tool's points are.
            if foot.distance_m.abs() > 0.004 {
                continue;
            }
            felt += 1;
            let (value, gradient) = (chain.terms.iter())
                .map(|t| t.primitive.with_gradient(&foot.point))
                .fold((0.0, Vec3::zeros()), |(v, g), (w, h)| (v + w, g + h));
            worst = worst.max((value - 0.5).abs() / gradient.norm());
            assert!((foot.normal + gradient.normalize()).norm() < 1e-9);
        }
    }
    assert!(felt > 300, "{felt}");
    assert!(worst < 2e-6, "{worst} m off the surface");
}

#[test]
fn what_does_not_blend_is_felt_apart_and_shares_are_of_one() {
    let mut two = body(&[([-0.008, 0.0, 0.0], 0.02), ([0.008, 0.0, 0.0], 0.02)]);
    let between = Vec3::new(0.0, 0.0095, 0.0);
    assert!(
        two.excess(&between) > 0.0,
        "together they reach the level there"
    );
    assert_eq!(two.layers(&between), 1);
    two.cliques = vec![0b01, 0b10];
    assert!(two.excess(&between) < 0.0);
    assert_eq!(two.layers(&between), 0);
    assert_eq!(two.layers(&Vec3::zeros()), 2);
    assert_eq!(two.layers(&Vec3::new(-0.015, 0.0, 0.0)), 1);
    let mut shares = [0.0; 2];
    assert!(two.shares(&Vec3::new(-0.015, 0.005, 0.0), &mut shares));
    assert_eq!(shares, [1.0, 0.0]);
    two.cliques.clear();
    assert!(two.shares(&between, &mut shares));
    assert!((shares[0] - 0.5).abs() < 1e-12, "{shares:?}");
    assert!(!two.shares(&Vec3::new(1.0, 0.0, 0.0), &mut shares));
}

/// Windows of a chain: each of three in a row, as of a strand.
#[test]
fn without_an_equivalence_the_largest_sum_of_a_clique_is_felt() {
    let at = |i: u32| [0.011 * f64::from(i % 3), 0.013 * f64::from(i / 3), 0.0];
    let balls: Vec<([f64; 3], f64)> = (0..12).map(|i| (at(i), 0.02)).collect();
    let mut chain = body(&balls);
    chain.cliques = (0..10).map(|i| 0b111 << i).collect();
    let (mut creased, mut layered) = (0, 0);
    let scaled = |size: f64| around(400).map(move |direction| direction * size);
    for away in [1.0, 0.7, 0.4].into_iter().flat_map(scaled) {
        let place = Vec3::new(0.011, 0.02, 0.0) + away.component_mul(&Vec3::new(0.03, 0.04, 0.02));
        let values: Vec<f64> = chain
            .terms
            .iter()
            .map(|t| t.primitive.value(&place))
            .collect();
        let sums = values.windows(3).map(|three| three.iter().sum::<f64>());
        let wanted = sums.clone().fold(0.0, f64::max);
        assert!((chain.excess(&place) + chain.level - wanted).abs() < 1e-12);
        creased += u32::from(wanted > 0.0 && values.iter().sum::<f64>() > 1.2 * wanted);
        // Sets with the same members within reach count as one.
        let reach = |k: usize| (k..k + 3).filter(|i| values[*i] > 0.0).collect::<Vec<_>>();
        let all: Vec<Vec<usize>> = (0..10).map(reach).collect();
        let is_other = |k: usize| {
            let inside = |j: usize| all[k].iter().all(|i| all[j].contains(i));
            !(0..10).any(|j| j != k && inside(j) && (all[j].len() > all[k].len() || j < k))
        };
        let layers = (0..10)
            .zip(sums)
            .filter(|(k, sum)| *sum > chain.level && is_other(*k));
        let layers = layers.count();
        assert_eq!(chain.layers(&place), layers);
        layered += u32::from(layers > 1);
        // A foot is on the union.
        if let Some(foot) = chain.foot(&place, 0.0)
            && foot.distance_m.abs() < 0.002
        {
            // The largest deviation that a foot may have, of the root.
            assert!(
                chain.excess(&foot.point).abs() < 1.03 * LEVEL_TOLERANCE,
                "{foot:?}"
            );
        }
    }
    assert!(creased > 50 && layered > 10, "{creased} {layered}");
}

/// Sets that coincide where the tool is are evaluated once, and sets beyond the capacity are
/// dropped.
#[test]
fn sets_are_cut_down_to_near_ones_and_none_is_in_another() {
    let of = |cliques: &[u64], some| Sets::among(cliques, some).get().to_vec();
    let windows: Vec<u64> = (0..60).map(|i| 0b1111 << i).collect();
    assert_eq!(
        of(&windows, 0b11_1111_0000),
        [0b1111_0000, 0b1_1110_0000, 0b11_1100_0000]
    );
    assert_eq!(of(&windows, 0b10_0001), [0b00_0001, 0b10_0000]);
    assert_eq!(of(&windows, 0b100), [0b100]);
    assert_eq!(of(&windows, 0), [0; 0]);
    assert_eq!(of(&[0b001, 0b010, 0b011, 0b011], u64::MAX), [0b011]);
    let many: Vec<u64> = (0..100).map(|i| 1 << (i % 64)).collect();
    assert_eq!(of(&many, u64::MAX).len(), MAX_CLIQUES);
}

fn rows(
    body: &ImplicitSurface,
    samples: &[Vec3],
    tool: &ToolShape,
    pose: &Pose,
    moment: &Moment,
) -> Vec<DeformableRow> {
    let mut all = Vec::with_capacity(MAX_PROBED);
    let surfaces = std::slice::from_ref(body);
    let query = RowQuery {
        tool,
        pose,
        moment: *moment,
        band_m: 0.003,
    };
    survey((surfaces, 3), samples, &query, &mut all);
    all
}

const STILL: Moment = Moment {
    age_s: 0.0,
    period_s: 0.001,
};

#[test]
fn no_point_of_a_ball_is_deeper_than_its_deepest_row() {
    let chain = chain();
    let tool = ToolShape::sphere(0.005);
    let mut met = 0;
    for term in &chain.terms {
        for direction in around(60) {
            let centre = term.centre + direction * 0.0165;
            let pose = Pose::translation(centre.x, centre.y, centre.z);
            // Depth of the ball, by its points. The points of feet that lie across a bend are not a
            // depth.
            let deep = around(4000)
                .filter_map(|d| chain.foot(&(centre + d * 0.005), 0.0))
                .map(|foot| foot.distance_m)
                .fold(f64::INFINITY, f64::min);
            let found = rows(&chain, &[], &tool, &pose, &STILL);
            let deepest = found.iter().map(|r| r.gap_m).fold(f64::INFINITY, f64::min);
            if deep < 0.0025 && deep > -0.003 {
                met += 1;
                assert!(
                    deepest < deep + 0.03 * deep.abs() + 5e-6,
                    "{deepest} at {centre:?}, and {deep} is there"
                );
            }
        }
    }
    assert!(met > 60, "{met}");
}

#[test]
fn a_meshes_samples_are_probed_where_they_are_and_surfaces_go_on_moving() {
    let mut one = body(&[([0.0, 0.0, 0.0], 0.02)]);
    one.terms[0].velocity = Vec3::new(0.0, 0.0, 0.5);
    let corners = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 0.05)];
    let tool = ToolShape::mesh(&corners, true);
    let pose = Pose::translation(0.0, 0.0, 0.011);
    let later = Moment {
        age_s: 0.004,
        period_s: 0.001,
    };
    let found = rows(&one, &corners, &tool, &pose, &later);
    assert_eq!(found.len(), 1, "the other corner is far away");
    let row = found[0];
    assert_eq!(row.surface, 3);
    let surface_m = 0.02 * (1.0 - 0.5_f64.sqrt()).sqrt();
    assert!(
        (row.gap_m - (0.011 - surface_m - 0.002)).abs() < 1e-5,
        "{row:?}"
    );
    assert!(
        (row.approach_m - 0.0005).abs() < 1e-12,
        "half a millimetre a tick"
    );
    let still = Moment {
        period_s: 0.0,
        ..later
    };
    assert_eq!(
        rows(&one, &corners, &tool, &pose, &still)[0].approach_m,
        0.0
    );
}

#[test]
fn non_finite_numbers_and_full_lists_make_no_row() {
    let tool = ToolShape::sphere(0.005);
    let pose = Pose::translation(0.0, 0.0, 0.0145);
    let good = body(&[([0.0; 3], 0.02)]);
    assert_eq!(rows(&good, &[], &tool, &pose, &STILL).len(), 1);
    for spoil in [f64::NAN, f64::INFINITY] {
        let mut bad = good.clone();
        bad.terms[0].velocity.x = spoil;
        let moment = Moment {
            age_s: 0.001,
            period_s: 0.001,
        };
        assert!(rows(&bad, &[], &tool, &pose, &moment).is_empty());
        let mut bad = good.clone();
        bad.level = spoil;
        assert!(rows(&bad, &[], &tool, &pose, &STILL).is_empty());
    }
    let many: Vec<ImplicitSurface> = (0..300).map(|_| good.clone()).collect();
    let mut all = Vec::with_capacity(10);
    let query = RowQuery {
        tool: &tool,
        pose: &pose,
        moment: STILL,
        band_m: 0.003,
    };
    survey((&many, 0), &[], &query, &mut all);
    assert_eq!((all.len(), all.capacity()), (10, 10));
}
