//! Boxes 33 to 37 of Pitiot 2015's properties (docs/sources/pitiot-2015.md), against brute force
//! over all agents.

use hapticd_geometry::Vec3;
use hapticd_registration::map::Map;
use hapticd_registration::registration::{Kind, Policy, Registration};
use hapticd_registration::scale::Density;
use hapticd_testkit::Random;

use super::points::Choice;
use super::polygon::{Ahead, Body, box_of};
use super::shape::Shape;
use super::{Crowd, Settings};
use crate::registration::corridor::{WIDE, corridor};
use crate::registration::stage::{Cells, LEVELS, density};

/// An empty crowd, in squares of this width.
fn field(width: f64, count: usize, density: Option<Density>) -> Crowd {
    let map = Map::grid_2d(Vec3::zeros(), width, [count; 2]).unwrap();
    Crowd::new(
        Settings::default(),
        Registration::new(map, Policy::Exact),
        density,
    )
    .unwrap()
}

fn at(x: f64, y: f64) -> Vec3 {
    Vec3::new(x, y, 0.0)
}

fn car(crowd: &mut Crowd, centre: Vec3, target: Vec3, speed: f64, ahead: Ahead) -> usize {
    let to = target - centre;
    let body = Body::rigid(box_of(4.0, 2.0), centre, to.y.atan2(to.x), true);
    crowd.add_polygon(body, &[], ahead, target, speed).unwrap()
}

fn slug(centre: Vec3) -> (Body, Vec<Vec3>) {
    let corners: Vec<Vec3> = (0..8)
        .map(|i| {
            let (sin, cos) = (f64::from(i) * std::f64::consts::FRAC_PI_4).sin_cos();
            centre + at(2.0 * cos, 1.2 * sin)
        })
        .collect();
    let shape = Shape::new(&corners, 0.2, 0.3).unwrap();
    (Body::Soft { shape }, corners)
}

/// Cars, a snake, slugs, a house and points, in dense places and empty ones.
fn everybody(seed: u64) -> Crowd {
    let mut crowd = field(16.0, 4, Some(density(LEVELS)));
    let mut random = Random::new(seed);
    crowd
        .add_obstacle(&[
            at(40.0, 10.0),
            at(48.0, 12.0),
            at(47.0, 20.0),
            at(39.0, 18.0),
        ])
        .unwrap();
    for i in 0..5 {
        let from = at(random.between(5.0, 30.0), random.between(5.0, 60.0));
        let ahead = [Ahead::None, Ahead::One, Ahead::Wedge][i % 3];
        let to = at(random.between(30.0, 60.0), random.between(25.0, 60.0));
        car(&mut crowd, from, to, random.between(1.0, 6.0), ahead);
    }
    for _ in 0..3 {
        let (body, corners) = slug(at(random.between(5.0, 35.0), random.between(5.0, 60.0)));
        let to = at(random.between(20.0, 40.0), random.between(25.0, 55.0));
        crowd
            .add_polygon(body, &corners, Ahead::One, to, 2.0)
            .unwrap();
    }
    let hinges = (0..5)
        .map(|i| at(50.0 - 3.0 * f64::from(i), 58.0))
        .collect();
    let snake = Body::Chain {
        hinges,
        link_m: 3.0,
        half_width_m: 0.6,
    };
    crowd
        .add_polygon(snake, &[], Ahead::One, at(20.0, 30.0), 4.0)
        .unwrap();
    for i in 0..160 {
        let middle = if i % 2 == 0 {
            at(20.0, 30.0)
        } else {
            at(32.0, 32.0)
        };
        let spread = if i % 2 == 0 { 6.0 } else { 30.0 };
        let from = middle + at(random.signed(), random.signed()) * spread;
        crowd
            .add_point(from, at(64.0, 64.0) - from, random.between(0.8, 2.0))
            .unwrap();
    }
    crowd.settle_cells();
    crowd
}

#[test]
fn boxes_33_34_forces_of_what_is_listed_are_those_of_all_there_is() {
    let mut crowds = 0;
    for seed in 0..4 {
        let mut crowd = everybody(seed);
        for k in 0..120 {
            crowd.step().unwrap();
            if k % 12 != 0 {
                continue;
            }
            for i in 0..crowd.agents.len() {
                let mut all = Choice::default();
                (0..crowd.agents.len()).for_each(|j| crowd.offer_point(&mut all, i, j as u32));
                (0..crowd.edges.len()).for_each(|j| crowd.offer_edge(&mut all, i, j as u32));
                let choice = crowd.choose(i).0;
                let listed = crowd.acceleration(i, &choice);
                assert_eq!(
                    listed,
                    crowd.acceleration(i, &all),
                    "point {i}, seed {seed}, step {k}"
                );
            }
            for owner in 0..crowd.polygons.len() {
                for i in 0..crowd.polygons[owner].corners.len() {
                    let corner = crowd.polygons[owner].corners[i];
                    let mut all = super::nearest::Nearest::default();
                    for j in 0..crowd.edges.len() {
                        crowd.offer_to_corner(&mut all, owner as u32, &corner.at, j as u32);
                    }
                    let listed = crowd.choose_for_corner(owner as u32, i);
                    assert_eq!(
                        crowd.push_of(&corner, &listed),
                        crowd.push_of(&corner, &all)
                    );
                }
            }
            let (missed, near) = crowd.unseen();
            assert_eq!(missed, 0);
            crowds += usize::from(near > 100);
        }
        assert!(
            crowd.cost.refined > 0 && crowd.cost.changes > 100,
            "{:?}",
            crowd.cost
        );
    }
    assert!(crowds > 20, "{crowds}");
}

#[test]
fn how_space_is_cut_changes_no_path_by_a_bit() {
    let marks = [Cells::Coarse, Cells::Fine, Cells::Multiresolution].map(|cells| {
        let mut crowd = corridor(WIDE, cells, 150, 24, 3).unwrap();
        for agent in &mut crowd.agents {
            agent.at.x = agent.at.x.clamp(60.0, 130.0);
            let p = crowd.registration.move_particle(agent.particle, &agent.at);
            assert!(p.is_ok());
        }
        for _ in 0..150 {
            crowd.shuttle();
            crowd.step().unwrap();
        }
        assert_eq!(crowd.unseen().0, 0);
        crowd.fingerprint()
    });
    assert_eq!(marks[0], marks[1]);
    assert_eq!(marks[0], marks[2]);
}

#[test]
fn box_34_points_give_way_to_polygons_which_do_not_notice() {
    let walk = |points: usize| {
        let mut crowd = field(8.0, 8, None);
        car(&mut crowd, at(10.0, 30.0), at(50.0, 30.0), 4.0, Ahead::None);
        let mut random = Random::new(5);
        for _ in 0..points {
            let from = at(random.between(20.0, 45.0), random.between(26.0, 34.0));
            crowd.add_point(from, from, 1.5).unwrap();
        }
        let mut pushed = 0.0_f64;
        for _ in 0..240 {
            crowd.step().unwrap();
            for agent in &crowd.agents {
                pushed = pushed.max((agent.at - agent.back).norm());
            }
        }
        let corners: Vec<Vec3> = crowd.polygons[0].corners.iter().map(|c| c.at).collect();
        (corners, pushed)
    };
    let (alone, _) = walk(0);
    let (among, pushed) = walk(60);
    assert_eq!(alone, among);
    assert!(pushed > 1.0, "points leave its way: {pushed}");
}

#[test]
fn box_34_polygons_keep_off_each_other_and_off_what_stands_still() {
    // Two on the same line with a small offset, and one towards a wall.
    let mut crowd = field(8.0, 8, None);
    crowd
        .add_obstacle(&[
            at(50.0, 50.0),
            at(52.0, 50.0),
            at(52.0, 62.0),
            at(50.0, 62.0),
        ])
        .unwrap();
    car(&mut crowd, at(10.0, 30.0), at(50.0, 30.2), 2.0, Ahead::None);
    car(&mut crowd, at(50.0, 30.3), at(10.0, 30.3), 2.0, Ahead::None);
    car(&mut crowd, at(30.0, 56.0), at(60.0, 56.0), 2.0, Ahead::None);
    let (mut aside, mut met) = (0.0_f64, false);
    for _ in 0..900 {
        crowd.step().unwrap();
        let [a, b, c] = [0, 1, 2].map(|i| &crowd.polygons[i]);
        for corner in &a.corners {
            assert!(!b.holds(&corner.at), "{corner:?}");
        }
        for corner in &b.corners {
            assert!(!a.holds(&corner.at), "{corner:?}");
        }
        assert!(c.corners.iter().all(|m| m.at.x < 50.0), "through the wall");
        met |= (a.middle() - b.middle()).norm() < 6.0;
        aside = aside.max((a.middle().y - 30.0).abs());
    }
    assert!(met && aside > 0.3, "{met} {aside}");
    assert!(crowd.polygons[2].middle().x > 44.0, "it goes up to it");
}

#[test]
fn box_35_slugs_are_pressed_and_come_back_and_cars_and_links_stay_as_they_are() {
    let mut crowd = everybody(7);
    let lengths = |crowd: &Crowd, k: usize| -> Vec<f64> {
        let polygon: Vec<Vec3> = crowd.polygons[k].corners.iter().map(|c| c.at).collect();
        let all = polygon.iter().enumerate().flat_map(|(i, a)| {
            let size = if polygon.len() == 8 { 8 } else { 4 };
            let polygon = &polygon;
            (i / size * size..i).map(move |j| (a - polygon[j]).norm())
        });
        all.collect()
    };
    let before: Vec<Vec<f64>> = (0..9).map(|k| lengths(&crowd, k)).collect();
    let off = |crowd: &Crowd, k: usize| {
        let now = lengths(crowd, k);
        now.iter()
            .zip(&before[k])
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max)
    };
    let mut pressed = 0.0_f64;
    for _ in 0..300 {
        crowd.step().unwrap();
        for k in (0..5).chain([8]) {
            assert!(off(&crowd, k) < 1e-9, "{k}: {}", off(&crowd, k));
        }
        for k in 5..8 {
            pressed = pressed.max(off(&crowd, k));
        }
    }
    assert!(pressed > 0.05, "{pressed}");
    // Alone, each behaves as before.
    let mut alone = field(8.0, 8, None);
    let (body, corners) = slug(at(30.0, 30.0));
    let squeezed: Vec<Vec3> = corners
        .iter()
        .map(|c| at(c.x, 30.0 + 0.3 * (c.y - 30.0)))
        .collect();
    alone
        .add_polygon(body, &squeezed, Ahead::None, at(30.0, 30.0), 1.0)
        .unwrap();
    for _ in 0..600 {
        alone.step().unwrap();
    }
    let now = lengths(&alone, 0);
    let left = now
        .iter()
        .zip(&before[5])
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(left < 1e-3, "{left}");
}

/// A point 12 m ahead of a car that does 10 m/s, in cells of 2 m.
fn ahead_of_a_car(ahead: Ahead, aside: f64, length: f64, width: f64) -> (Crowd, usize) {
    let mut crowd = field(2.0, 32, None);
    let body = Body::rigid(box_of(length, width), at(12.0, 32.0), 0.0, true);
    crowd
        .add_polygon(body, &[], ahead, at(60.0, 32.0), 10.0)
        .unwrap();
    crowd.polygons[0].velocity = Vec3::x() * 10.0;
    let i = crowd
        .add_point(at(24.0, 32.0 + aside), at(24.0, 32.0 + aside), 1.4)
        .unwrap();
    (crowd, i)
}

#[test]
fn box_36_virtual_edges_make_a_fast_polygon_seen_and_fled_in_time() {
    let mut gaps = Vec::new();
    for ahead in [Ahead::None, Ahead::One] {
        let (mut crowd, i) = ahead_of_a_car(ahead, 0.2, 4.0, 2.0);
        let mut near = Vec::new();
        let (mut first_seen, mut panicked, mut fastest, mut least) =
            (None, false, 0.0_f64, f64::MAX);
        for k in 0..100 {
            crowd.step().unwrap();
            let c = crowd.cell_of(crowd.agents[i].particle);
            crowd.list(c, Kind::Edge, &mut near);
            let seen = near.len();
            if seen > 0 {
                first_seen = first_seen.or(Some(k));
            }
            let agent = &crowd.agents[i];
            panicked |= agent.panics;
            fastest = fastest.max(agent.velocity.norm());
            let corners = crowd.polygons[0].corners.clone();
            for (n, a) in corners.iter().enumerate() {
                let b = corners[(n + 1) % corners.len()];
                let near = hapticd_geometry::closest::point_segment(&agent.at, &a.at, &b.at).0;
                let gap = (near - agent.at).norm();
                least = least.min(if crowd.polygons[0].holds(&agent.at) {
                    -gap
                } else {
                    gap
                });
            }
        }
        assert_eq!(panicked, ahead != Ahead::None);
        assert_eq!(
            fastest > 1.4 + 1e-9,
            panicked,
            "only those that panic run: {fastest}"
        );
        gaps.push((first_seen.unwrap(), least));
    }
    assert!(
        gaps[1].0 + 10 < gaps[0].0,
        "seen ten steps sooner: {gaps:?}"
    );
    assert!(
        gaps[0].1 < 0.0 && gaps[1].1 > 0.3,
        "run over without, not with: {gaps:?}"
    );
}

#[test]
fn box_36_a_wedge_clears_a_way_as_wide_as_the_polygon() {
    // Off the axis of a body that is 9 m wide: one virtual edge is not felt there, a wedge is.
    let felt = |ahead: Ahead| {
        let (mut crowd, i) = ahead_of_a_car(ahead, 3.5, 2.0, 9.0);
        let mut panicked = None;
        for k in 0..24 {
            crowd.step().unwrap();
            if crowd.agents[i].panics {
                panicked = panicked.or(Some(k));
            }
        }
        (panicked, crowd.polygons[0].virtual_edges.len())
    };
    let (none, one) = felt(Ahead::One);
    let (some, two) = felt(Ahead::Wedge);
    assert_eq!((one, two), (1, 2));
    assert!(none.is_none() && some.is_some(), "{none:?} {some:?}");
}

#[test]
fn who_was_run_over_gets_out_on_the_nearest_side() {
    let mut crowd = field(4.0, 8, None);
    let centre = at(16.0, 16.0);
    car(
        &mut crowd,
        centre,
        centre + Vec3::x() * 1e-3,
        0.1,
        Ahead::None,
    );
    for (x, y) in [(0.2, 0.8), (-1.8, 0.1), (1.0, -0.7)] {
        let from = centre + at(x, y);
        crowd.add_point(from, from, 1.4).unwrap();
    }
    assert_eq!(crowd.inside_polygons(), 3);
    for _ in 0..60 {
        crowd.step().unwrap();
    }
    assert_eq!(crowd.inside_polygons(), 0);
    let out: Vec<Vec3> = crowd.agents.iter().map(|a| a.at - centre).collect();
    assert!(
        out[0].y > 1.0 && out[1].x < -2.0 && out[2].y < -1.0,
        "{out:?}"
    );
}

#[test]
fn box_37_a_random_push_ends_what_two_head_on_cannot() {
    let meet = |perturbation: f64| {
        let mut crowd = field(4.0, 8, None);
        crowd.settings.perturbation_m_s2 = perturbation;
        crowd.add_point(at(6.0, 16.0), at(26.0, 16.0), 1.4).unwrap();
        crowd.add_point(at(26.0, 16.0), at(6.0, 16.0), 1.4).unwrap();
        for _ in 0..1200 {
            crowd.step().unwrap();
        }
        crowd
            .agents
            .iter()
            .map(|a| (a.target - a.at).norm())
            .fold(0.0, f64::max)
    };
    assert!(
        meet(0.0) > 8.0,
        "without they stand before each other for ever"
    );
    assert!(meet(2.0) < 0.5);
}

#[test]
fn what_is_blocked_stays_inside_and_whole() {
    // Into the border of the space, at an angle.
    let mut crowd = field(8.0, 4, None);
    car(&mut crowd, at(10.0, 10.0), at(10.0, -30.0), 5.0, Ahead::One);
    let (body, corners) = slug(at(20.0, 10.0));
    crowd
        .add_polygon(body, &corners, Ahead::One, at(60.0, -30.0), 5.0)
        .unwrap();
    let hinges = (0..4)
        .map(|i| at(20.0 - 3.0 * f64::from(i), 28.0))
        .collect();
    let snake = Body::Chain {
        hinges,
        link_m: 3.0,
        half_width_m: 0.6,
    };
    crowd
        .add_polygon(snake, &[], Ahead::One, at(60.0, 28.0), 5.0)
        .unwrap();
    crowd.add_point(at(5.0, 5.0), at(-9.0, 9.0), 2.0).unwrap();
    for _ in 0..600 {
        crowd.step().unwrap();
        let corners = crowd
            .polygons
            .iter()
            .flat_map(|p| p.corners.iter().map(|c| c.at));
        for p in corners.chain(crowd.agents.iter().map(|a| a.at)) {
            let inside = -1e-9..=32.0 + 1e-9;
            assert!(inside.contains(&p.x) && inside.contains(&p.y), "{p:?}");
        }
    }
    let car = &crowd.polygons[0];
    assert!((car.corners[0].at - car.corners[2].at).norm() - 20.0_f64.sqrt() < 1e-9);
    let link = &crowd.polygons[2].corners;
    assert!(((link[0].at - link[1].at).norm() - 0.94 * 3.0).abs() < 1e-9);
    let y = crowd.agents[0].at.y;
    assert!(
        (y - 9.0).abs() < 0.5,
        "along the border to its goal's height: {y}"
    );
}
