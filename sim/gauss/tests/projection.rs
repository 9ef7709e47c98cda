//! The projection against its definition: KKT conditions, an exhaustive oracle, the reference
//! vectors, degenerate contacts.

use hapticd_gauss::{MAX_ACTIVE, Metric, Motion, Projection, Projector, Row, Status, Vec3};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};

mod common;
use common::Random;

struct Problem {
    inertia: Matrix3<f64>,
    mass: f64,
    wanted: Motion,
    rows: Vec<Row>,
}

impl Problem {
    fn metric(&self) -> Metric {
        Metric::new(self.mass, &self.inertia).unwrap()
    }

    fn mass_matrix(&self) -> Matrix6<f64> {
        let mut m = Matrix6::identity() * self.mass;
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.inertia);
        m
    }
}

/// A problem of the size of a tool: 1 to `most` rows of several kinds, feasible or not.
fn problem(random: &mut Random, most: usize) -> Problem {
    let size = 10f64.powf(1.5 * random.signed() - 1.5);
    let mass = 10f64.powf(random.signed());
    let root = Matrix3::from_fn(|_, _| random.signed());
    let inertia = (root * root.transpose() + Matrix3::identity() * 0.05) * (mass * size * size);
    let step = 10f64.powf(2.0 * random.signed() - 2.0);
    let mut wanted = Motion::zeros();
    for i in 0..6 {
        wanted[i] = random.signed() * step * if i < 3 { size } else { 1.0 };
    }
    let count = 1 + random.below(most);
    let kind = random.below(6);
    let mut rows: Vec<Row> = Vec::new();
    let flat = random.vec3().normalize();
    for _ in 0..count {
        let bound = step * size * random.signed();
        let mut row = Row {
            normal: random.vec3().normalize(),
            arm: random.vec3() * size,
            bound: match kind {
                // Gaps only: always feasible.
                0 | 1 => -bound.abs() * f64::from(u8::from(random.below(3) > 0)),
                _ => bound,
            },
        };
        match kind {
            // Coplanar contacts under a flat bottom with inconsistent bounds.
            2 => {
                row.normal = flat;
                row.arm -= flat * flat.dot(&row.arm);
            }
            // Duplicates, some with another bound, some reversed.
            3 if !rows.is_empty() => {
                let earlier = rows[random.below(rows.len())];
                row.normal = earlier.normal;
                row.arm = earlier.arm;
                if random.below(2) == 0 {
                    row.bound = earlier.bound;
                }
                if random.below(8) == 0 {
                    row.normal = -row.normal;
                    row.bound = -earlier.bound - (bound.abs());
                }
            }
            // All normals in a half space, unnormalised: feasible.
            4 => {
                if row.normal.dot(&flat) < 0.2 {
                    row.normal += flat * 1.3;
                }
                row.normal *= 10f64.powf(3.0 * random.signed());
                row.bound *= row.normal.norm();
            }
            _ => {}
        }
        rows.push(row);
    }
    Problem {
        inertia,
        mass,
        wanted,
        rows,
    }
}

/// Scale of a row in its own unit, as the crate documents it.
fn scale(problem: &Problem, row: &Row, motion: &Motion) -> f64 {
    let metric = problem.metric();
    let length = metric.covector_to_kinetic(&row.covector()).norm();
    row.bound.abs() + length * (metric.norm(&problem.wanted) + metric.norm(motion))
}

fn assert_kkt(problem: &Problem, projection: &Projection, tolerance: f64) {
    let motion = &projection.motion;
    for row in &problem.rows {
        let limit = tolerance * scale(problem, row, motion);
        assert!(
            row.slack(motion) >= -limit,
            "violated by {}",
            row.slack(motion)
        );
        assert!(projection.violation >= -row.slack(motion) - limit);
    }
    let metric = problem.metric();
    let mut force = Motion::zeros();
    let mut size = 0.0;
    for active in projection.active() {
        assert!(active.multiplier >= 0.0);
        let row = &problem.rows[active.row];
        let slack = row.slack(motion);
        assert!(
            slack.abs() <= tolerance * scale(problem, row, motion),
            "slack {slack}"
        );
        force += row.covector() * active.multiplier;
        size += metric.covector_to_kinetic(&row.covector()).norm() * active.multiplier;
        assert_eq!(projection.multiplier(active.row), active.multiplier);
    }
    let residual = problem.mass_matrix() * (motion - problem.wanted) - force;
    let residual = metric.covector_to_kinetic(&residual).norm();
    let limit = tolerance * (metric.norm(&problem.wanted) + metric.norm(motion) + size);
    assert!(residual <= limit, "stationarity {residual} > {limit}");
}

/// A Farkas certificate, computed independently: nonnegative weights that cancel the rows while the
/// bounds add up to a positive number.
///
/// Least squares over nonnegative weights by Lawson and Hanson on the stacked system `[N; b] u =
/// (0, 1)`: a zero residual is a certificate.
fn is_infeasible(problem: &Problem) -> bool {
    let metric = problem.metric();
    let m = problem.rows.len();
    let mut e = DMatrix::zeros(7, m);
    let mut largest = 0.0_f64;
    for (i, row) in problem.rows.iter().enumerate() {
        let c = metric.covector_to_kinetic(&row.covector());
        let length = c.norm();
        for k in 0..6 {
            e[(k, i)] = c[k] / length;
        }
        e[(6, i)] = row.bound / length;
        largest = largest.max((row.bound / length).abs());
    }
    for i in 0..m {
        e[(6, i)] /= largest.max(f64::MIN_POSITIVE);
    }
    let mut f = DVector::zeros(7);
    f[6] = 1.0;
    let mut u = DVector::<f64>::zeros(m);
    let mut passive: Vec<usize> = Vec::new();
    for _ in 0..1000 {
        let residual = &f - &e * &u;
        if residual.norm() < 1e-9 {
            return true;
        }
        let gradient = e.transpose() * &residual;
        let next = (0..m)
            .filter(|i| !passive.contains(i))
            .max_by(|&a, &b| gradient[a].total_cmp(&gradient[b]));
        let Some(next) = next.filter(|&i| gradient[i] > 1e-10) else {
            return false;
        };
        passive.push(next);
        loop {
            let sub = DMatrix::from_fn(7, passive.len(), |r, c| e[(r, passive[c])]);
            let z = sub.svd(true, true).solve(&f, 1e-12).unwrap();
            if z.iter().all(|&z| z > 0.0) {
                u.fill(0.0);
                for (k, &i) in passive.iter().enumerate() {
                    u[i] = z[k];
                }
                break;
            }
            let mut alpha = 1.0_f64;
            for (k, &i) in passive.iter().enumerate() {
                if z[k] <= 0.0 {
                    alpha = alpha.min(u[i] / (u[i] - z[k]).max(f64::MIN_POSITIVE));
                }
            }
            for (k, &i) in passive.iter().enumerate() {
                u[i] += alpha * (z[k] - u[i]);
            }
            passive.retain(|&i| u[i] > 1e-14);
        }
    }
    false
}

#[test]
fn kkt_holds_on_random_problems() {
    let mut random = Random(1);
    let mut projector = Projector::<64>::new();
    let (mut optimal, mut infeasible, mut most) = (0, 0, 0);
    for _ in 0..6000 {
        let problem = problem(&mut random, 64);
        let metric = problem.metric();
        let projection = projector.project(&metric, &problem.wanted, &problem.rows);
        most = most.max(projection.iterations);
        match projection.status {
            Status::Optimal => {
                optimal += 1;
                assert_kkt(&problem, &projection, 1e-8);
            }
            Status::Infeasible => {
                infeasible += 1;
                assert!(is_infeasible(&problem));
            }
            other => panic!("{other:?} after {} iterations", projection.iterations),
        }
        // The clamped problem always has a solution.
        let held = projector.project_or_hold(&metric, &problem.wanted, &problem.rows);
        assert_eq!(held.status, Status::Optimal);
        assert_eq!(held.relaxed, projection.status == Status::Infeasible);
        if held.relaxed {
            let mut clamped = problem;
            for row in &mut clamped.rows {
                row.bound = row.bound.min(0.0);
            }
            assert_kkt(&clamped, &held, 1e-8);
        }
    }
    assert!(optimal > 2000 && infeasible > 500, "{optimal} {infeasible}");
    assert!(most < 200, "{most} iterations");
}

/// Solves every set of at most six rows with equality; returns the one that satisfies KKT, if any.
fn oracle(problem: &Problem) -> Option<Motion> {
    let metric = problem.metric();
    let start = metric.to_kinetic(&problem.wanted);
    let m = problem.rows.len();
    let rows: Vec<(Vector6<f64>, f64)> = problem
        .rows
        .iter()
        .map(|row| {
            let c = metric.covector_to_kinetic(&row.covector());
            (c / c.norm(), row.bound / c.norm())
        })
        .collect();
    for set in 0u32..1 << m {
        let members: Vec<usize> = (0..m).filter(|&i| set >> i & 1 == 1).collect();
        if members.len() > MAX_ACTIVE {
            continue;
        }
        let n = DMatrix::from_fn(6, members.len(), |r, c| rows[members[c]].0[r]);
        let gap = DVector::from_fn(members.len(), |i, _| {
            rows[members[i]].1 - rows[members[i]].0.dot(&start)
        });
        let mut point = start;
        if !members.is_empty() {
            let svd = (n.transpose() * &n).svd(true, true);
            if svd.singular_values.min() < 1e-10 {
                continue;
            }
            let lambda = svd.solve(&gap, 0.0).unwrap();
            if lambda.min() < 0.0 {
                continue;
            }
            let pull = &n * lambda;
            for k in 0..6 {
                point[k] += pull[k];
            }
        }
        let size = start.norm() + point.norm();
        if rows
            .iter()
            .all(|(n, b)| n.dot(&point) >= b - 1e-9 * (size + b.abs()))
        {
            return Some(metric.from_kinetic(&point));
        }
    }
    None
}

#[test]
fn agrees_with_exhaustive_enumeration() {
    let mut random = Random(2);
    let mut projector = Projector::<8>::new();
    let mut infeasible = 0;
    for _ in 0..1500 {
        let problem = problem(&mut random, 8);
        let metric = problem.metric();
        let projection = projector.project(&metric, &problem.wanted, &problem.rows);
        match oracle(&problem) {
            Some(motion) => {
                assert_eq!(projection.status, Status::Optimal);
                let error = metric.norm(&(projection.motion - motion));
                let size = metric.norm(&motion) + metric.norm(&problem.wanted);
                assert!(error <= 1e-6 * size, "{error} against {size}");
            }
            None => {
                infeasible += 1;
                assert_eq!(projection.status, Status::Infeasible);
            }
        }
    }
    assert!(infeasible > 20);
}

#[test]
fn motion_does_not_depend_on_row_order_or_history() {
    let mut random = Random(3);
    let mut with_history = Projector::<48>::new();
    for _ in 0..800 {
        let mut problem = problem(&mut random, 48);
        let metric = problem.metric();
        let first = Projector::<48>::new().project(&metric, &problem.wanted, &problem.rows);
        let again = with_history.project(&metric, &problem.wanted, &problem.rows);
        for i in (1..problem.rows.len()).rev() {
            problem.rows.swap(i, random.below(i + 1));
        }
        let permuted = with_history.project(&metric, &problem.wanted, &problem.rows);
        for other in [again, permuted] {
            assert_eq!(other.status, first.status);
            if first.status == Status::Optimal {
                let error = metric.norm(&(other.motion - first.motion));
                let size = metric.norm(&first.motion) + metric.norm(&problem.wanted);
                assert!(error <= 1e-7 * size, "{error} against {size}");
            }
        }
    }
}

#[test]
fn equal_inputs_give_equal_bits() {
    let mut random = Random(4);
    let problems: Vec<Problem> = (0..200).map(|_| problem(&mut random, 32)).collect();
    let run = || {
        let mut projector = Projector::<32>::new();
        problems
            .iter()
            .map(|p| projector.project(&p.metric(), &p.wanted, &p.rows))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

fn unit_cube() -> Metric {
    Metric::new(1.0, &(Matrix3::identity() / 6.0)).unwrap()
}

fn corners(bounds: &[(f64, f64, f64)]) -> Vec<Row> {
    bounds
        .iter()
        .map(|&(x, y, bound)| Row {
            normal: Vec3::z(),
            arm: Vec3::new(x, y, -0.5),
            bound,
        })
        .collect()
}

fn gravity() -> Motion {
    Motion::new(0.0, 0.0, -9.81, 0.0, 0.0, 0.0)
}

fn assert_motion(motion: &Motion, expected: [f64; 6]) {
    let error = (motion - Motion::from(expected)).amax();
    assert!(error < 1e-10, "{motion}");
}

/// A cube over an edge: it tips about the two corners that touch.
#[test]
fn cube_on_two_corners() {
    let rows = corners(&[(0.5, 0.5, 0.0), (0.5, -0.5, 0.0)]);
    let p = Projector::<8>::new().project(&unit_cube(), &gravity(), &rows);
    assert_eq!(p.status, Status::Optimal);
    assert_motion(&p.motion, [0.0, 0.0, -5.886, 0.0, -11.772, 0.0]);
    assert!((p.multiplier(0) - 1.962).abs() < 1e-12);
    assert!((p.multiplier(1) - 1.962).abs() < 1e-12);
}

/// A cube at rest: the forces are not unique, their sum and the motion are.
#[test]
fn cube_on_four_corners() {
    let rows = corners(&[
        (0.5, 0.5, 0.0),
        (0.5, -0.5, 0.0),
        (-0.5, 0.5, 0.0),
        (-0.5, -0.5, 0.0),
    ]);
    let p = Projector::<8>::new().project(&unit_cube(), &gravity(), &rows);
    assert_eq!(p.status, Status::Optimal);
    assert_motion(&p.motion, [0.0; 6]);
    let total: f64 = p.active().iter().map(|a| a.multiplier).sum();
    assert!((total - 9.81).abs() < 1e-12);
    assert!(
        p.active().len() <= 3,
        "dependent rows are never active together"
    );
}

/// The same with stabilisation terms that no acceleration can meet with equality.
#[test]
fn cube_with_inconsistent_bounds() {
    let c = |d: f64| 100.0 * (0.01 - d);
    let rows = corners(&[
        (0.5, 0.5, c(0.008)),
        (0.5, -0.5, c(0.009)),
        (-0.5, 0.5, c(0.0095)),
        (-0.5, -0.5, c(0.0101)),
    ]);
    let p = Projector::<8>::new().project(&unit_cube(), &gravity(), &rows);
    assert_eq!(p.status, Status::Optimal);
    assert_motion(&p.motion, [0.0, 0.0, 0.095, 0.1, -0.11, 0.0]);
    let residuals: Vec<f64> = rows.iter().map(|row| row.slack(&p.motion)).collect();
    for (residual, expected) in residuals.iter().zip([0.0, 0.0, 0.04, 0.0]) {
        assert!((residual - expected).abs() < 1e-12, "{residuals:?}");
    }
}

/// A table's motion and total reaction do not depend on its number of legs.
#[test]
fn table_with_three_to_twelve_legs() {
    let wanted = Motion::new(0.3, 0.0, -9.81, 0.1, 0.2, 0.3);
    for legs in 3..=12 {
        let bounds: Vec<_> = (0..legs)
            .map(|i| {
                let angle = f64::from(i) * std::f64::consts::TAU / f64::from(legs);
                (angle.cos(), angle.sin(), 0.0)
            })
            .collect();
        let p = Projector::<16>::new().project(&unit_cube(), &wanted, &corners(&bounds));
        assert_eq!(p.status, Status::Optimal);
        let total: f64 = p.active().iter().map(|a| a.multiplier).sum();
        assert!((total - 9.81).abs() < 1e-10);
        // At rest on the table: only sliding and spinning remain.
        assert!((p.motion[2]).abs() + (p.motion[3]).abs() + (p.motion[4]).abs() < 1e-10);
        assert!((p.motion[5] - 0.3).abs() < 1e-12);
    }
}

#[test]
fn no_rows_or_separating_rows_leave_the_motion_alone() {
    let wanted = Motion::new(0.1, 0.2, 0.3, 0.4, 0.5, 0.6);
    let mut projector = Projector::<4>::new();
    let free = projector.project(&unit_cube(), &wanted, &[]);
    let rows = corners(&[(0.5, 0.5, -5.0), (-0.5, 0.5, 0.0)]);
    let separating = projector.project(&unit_cube(), &wanted, &rows);
    for p in [free, separating] {
        assert_eq!(p.status, Status::Optimal);
        assert!((p.motion - wanted).amax() < 1e-15);
        assert!(p.active().is_empty());
        assert_eq!(p.violation, 0.0);
    }
}

fn walls(gap_below: f64, gap_above: f64) -> [Row; 2] {
    [(1.0, gap_below), (-1.0, gap_above)].map(|(side, gap)| Row {
        normal: Vec3::z() * side,
        arm: Vec3::z() * -0.5 * side,
        bound: -gap,
    })
}

#[test]
fn opposite_walls() {
    let metric = unit_cube();
    let wanted = Motion::new(1.0, 0.0, -3.0, 0.0, 0.0, 0.5);
    let mut projector = Projector::<4>::new();
    let wide = projector.project(&metric, &wanted, &walls(0.25, 0.0));
    assert_eq!(wide.status, Status::Optimal);
    assert_motion(&wide.motion, [1.0, 0.0, -0.25, 0.0, 0.0, 0.5]);
    // No clearance at all: the peg slides and spins.
    let tight = projector.project(&metric, &wanted, &walls(0.0, 0.0));
    assert_eq!(tight.status, Status::Optimal);
    assert_motion(&tight.motion, [1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
    // Walls that contradict each other by less than rounding do not count as a contradiction.
    let touching = projector.project(&metric, &wanted, &walls(-1e-13, 0.0));
    assert_eq!(touching.status, Status::Optimal);
    // Approaching walls: reported, and the fallback keeps the free directions.
    let squeezed = projector.project(&metric, &wanted, &walls(-0.1, -0.2));
    assert_eq!(squeezed.status, Status::Infeasible);
    assert!(squeezed.violation > 0.0);
    let held = projector.project_or_hold(&metric, &wanted, &walls(-0.1, -0.2));
    assert_eq!(held.status, Status::Optimal);
    assert!(held.relaxed);
    assert_motion(&held.motion, [1.0, 0.0, 0.0, 0.0, 0.0, 0.5]);
}

/// A violation of a billionth of the motion is corrected, not tolerated.
#[test]
fn small_violations_are_corrected() {
    let wanted = Motion::new(1.0, 0.0, -1e-9, 0.0, 0.0, 0.0);
    let rows = corners(&[(0.0, 0.0, 0.0)]);
    let p = Projector::<4>::new().project(&unit_cube(), &wanted, &rows);
    assert_eq!(p.active().len(), 1);
    assert!(rows[0].slack(&p.motion).abs() < 1e-15);
}

/// Rows that are almost parallel or almost opposite must not make the motion explode, nor count as
/// infeasible when standing still is admissible.
#[test]
fn nearly_dependent_rows_with_gaps_are_always_solved() {
    let mut random = Random(5);
    let mut projector = Projector::<32>::new();
    for round in 0..20_000 {
        let base = problem(&mut random, 4);
        let mut rows = base.rows.clone();
        for row in &mut rows {
            row.bound = -row.bound.abs();
        }
        let tilt = 10f64.powi(-(round % 17));
        for _ in 0..random.below(20) {
            let mut row = rows[random.below(rows.len())];
            row.normal += random.vec3() * tilt;
            row.arm += random.vec3() * (tilt * 0.01);
            if random.below(2) == 0 {
                row.normal = -row.normal;
            }
            if random.below(2) == 0 {
                row.bound = 0.0;
            }
            rows.push(row);
        }
        let problem = Problem { rows, ..base };
        let p = projector.project(&problem.metric(), &problem.wanted, &problem.rows);
        assert_eq!(p.status, Status::Optimal, "tilt {tilt}");
        for row in &problem.rows {
            let limit = 1.1e-4 * scale(&problem, row, &p.motion);
            assert!(row.slack(&p.motion) >= -limit);
        }
        // Zero is admissible, so the nearest admissible motion lies in the ball over the wanted
        // one.
        let metric = problem.metric();
        let wanted = metric.norm(&problem.wanted);
        let moved = metric.norm(&(p.motion - problem.wanted));
        assert!(moved <= wanted * (1.0 + 1e-4), "{moved} against {wanted}");
    }
}

#[test]
fn rows_without_direction() {
    let metric = unit_cube();
    let mut projector = Projector::<4>::new();
    let empty = |bound| Row {
        normal: Vec3::zeros(),
        arm: Vec3::x(),
        bound,
    };
    let fine = projector.project(&metric, &gravity(), &[empty(-1.0), empty(0.0)]);
    assert_eq!(fine.status, Status::Optimal);
    assert_motion(&fine.motion, [0.0, 0.0, -9.81, 0.0, 0.0, 0.0]);
    let never = projector.project(&metric, &gravity(), &[empty(1.0)]);
    assert_eq!(never.status, Status::Infeasible);
}

#[test]
fn bad_numbers_and_too_many_rows_are_rejected_with_zero_motion() {
    let metric = unit_cube();
    let mut projector = Projector::<2>::new();
    let good = corners(&[(0.5, 0.5, 0.0)])[0];
    let cases: Vec<(Motion, Vec<Row>)> = vec![
        (gravity(), vec![good; 3]),
        (gravity() * f64::NAN, vec![good]),
        (gravity() * 1e300, vec![good]),
        (
            gravity(),
            vec![Row {
                bound: f64::INFINITY,
                ..good
            }],
        ),
        (
            gravity(),
            vec![Row {
                bound: f64::NAN,
                ..good
            }],
        ),
        (
            gravity(),
            vec![Row {
                normal: Vec3::repeat(f64::NAN),
                ..good
            }],
        ),
        (
            gravity(),
            vec![Row {
                arm: Vec3::repeat(1e200),
                normal: Vec3::new(1e200, 0.0, 1.0),
                ..good
            }],
        ),
    ];
    for (wanted, rows) in cases {
        let p = projector.project_or_hold(&metric, &wanted, &rows);
        assert_eq!(p.status, Status::Rejected);
        assert_eq!(p.motion, Motion::zeros());
    }
    let next = projector.project(&metric, &gravity(), &[good, good]);
    assert_eq!(next.status, Status::Optimal);
}
