//! Groups of bodies: KKT conditions, the least-distance oracle, reference vectors, friction.

use hapticd_gauss::friction::{pit, rebound, sliding};
use hapticd_gauss::{
    ConeSolver, Contact, DescentLimits, FrictionLaw, GroupProjector, Metric, Motion, Mover,
    PairRow, Projector, Row, Status, Vec3,
};
use nalgebra::{DMatrix, DVector, Matrix3};

mod common;
use common::Random;

struct Problem {
    masses: Vec<(f64, Matrix3<f64>)>,
    wanted: Vec<Motion>,
    rows: Vec<PairRow>,
}

impl Problem {
    fn metrics(&self) -> Vec<Metric> {
        self.masses
            .iter()
            .map(|(m, i)| Metric::new(*m, i).unwrap())
            .collect()
    }

    fn mass_times(&self, x: &[Motion]) -> Vec<Motion> {
        let of = |((m, i), x): (&(f64, Matrix3<f64>), &Motion)| {
            let (v, w) = (x.fixed_rows::<3>(0) * *m, i * x.fixed_rows::<3>(3));
            Motion::new(v.x, v.y, v.z, w.x, w.y, w.z)
        };
        self.masses.iter().zip(x).map(of).collect()
    }
}

/// 1 to 4 bodies, up to 50 contacts: random, coplanar with unequal bounds, duplicated.
fn problem(random: &mut Random) -> Problem {
    let bodies = 1 + random.below(4);
    let masses = (0..bodies)
        .map(|_| {
            let root = Matrix3::from_fn(|_, _| random.signed());
            (
                10f64.powf(random.signed()),
                root * root.transpose() + Matrix3::identity() * 0.1,
            )
        })
        .collect();
    let wanted = (0..bodies)
        .map(|_| Motion::from_fn(|_, _| 2.0 * random.signed()))
        .collect();
    let count = 1 + random.below(50);
    let kind = random.below(3);
    let flat = random.vec3().normalize();
    let mut rows: Vec<PairRow> = Vec::new();
    for _ in 0..count {
        let i = random.below(bodies) as u32;
        let other = random.below(bodies + 1);
        let j = (other < bodies && other as u32 != i).then_some(other as u32);
        let normal = if kind == 1 {
            flat
        } else {
            random.vec3().normalize()
        };
        let arms = [random.vec3(), random.vec3()];
        // Standing still is admissible in two kinds of three, so that most are feasible.
        let bound = if kind == 2 {
            0.3 * random.signed()
        } else {
            -0.5 * random.signed().abs()
        };
        rows.push(PairRow::contact([Some(i), j], &normal, &arms, bound));
        if random.below(5) == 0 {
            let twin = rows[random.below(rows.len())];
            rows.push(twin);
        }
    }
    Problem {
        masses,
        wanted,
        rows,
    }
}

/// Dense `J`, bounds and root of the mass matrix for the oracle.
fn dense(p: &Problem) -> (DMatrix<f64>, DVector<f64>, DMatrix<f64>, DVector<f64>) {
    let n = 6 * p.masses.len();
    let mut j = DMatrix::zeros(p.rows.len(), n);
    for (r, row) in p.rows.iter().enumerate() {
        for k in 0..2 {
            if let Some(b) = row.bodies[k] {
                for c in 0..6 {
                    j[(r, 6 * b as usize + c)] += row.covectors[k][c];
                }
            }
        }
    }
    let mut mass = DMatrix::zeros(n, n);
    for (b, (m, i)) in p.masses.iter().enumerate() {
        for c in 0..3 {
            mass[(6 * b + c, 6 * b + c)] = *m;
            for d in 0..3 {
                mass[(6 * b + 3 + c, 6 * b + 3 + d)] = i[(c, d)];
            }
        }
    }
    let x = DVector::from_iterator(n, p.wanted.iter().flat_map(|w| w.iter().copied()));
    (
        j,
        DVector::from_iterator(p.rows.len(), p.rows.iter().map(|r| r.bound)),
        mass,
        x,
    )
}

/// Non-negative least squares `min |E u - f|`, after Lawson and Hanson.
fn nnls(e: &DMatrix<f64>, f: &DVector<f64>) -> DVector<f64> {
    let m = e.ncols();
    let mut u = DVector::zeros(m);
    let mut passive = vec![false; m];
    for _ in 0..20 * m {
        let w = e.transpose() * (f - e * &u);
        let best = (0..m)
            .filter(|&i| !passive[i])
            .max_by(|&a, &b| w[a].total_cmp(&w[b]));
        let Some(best) = best.filter(|&i| w[i] > 1e-11) else {
            break;
        };
        passive[best] = true;
        loop {
            let set: Vec<usize> = (0..m).filter(|&i| passive[i]).collect();
            let sub = DMatrix::from_fn(e.nrows(), set.len(), |r, c| e[(r, set[c])]);
            let z = sub.svd(true, true).solve(f, 1e-12).unwrap();
            if z.iter().all(|&x| x > 0.0) {
                u.fill(0.0);
                set.iter().zip(z.iter()).for_each(|(&i, &x)| u[i] = x);
                break;
            }
            let mut step = 1.0_f64;
            for (&i, &x) in set.iter().zip(z.iter()) {
                if x <= 0.0 {
                    step = step.min(u[i] / (u[i] - x));
                }
            }
            for (&i, &x) in set.iter().zip(z.iter()) {
                u[i] += step * (x - u[i]);
                if u[i] <= 1e-14 {
                    u[i] = 0.0;
                    passive[i] = false;
                }
            }
        }
    }
    u
}

/// Least-distance programming (Lawson and Hanson): the nearest motion, `None` if there is none.
fn oracle(p: &Problem) -> Option<Vec<Motion>> {
    let (j, bounds, mass, wanted) = dense(p);
    let root = mass.cholesky().unwrap().l().transpose();
    let inverse = root.clone().try_inverse().unwrap();
    let jq = &j * &inverse;
    let gap = &bounds - &j * &wanted;
    let n = jq.ncols();
    let e = DMatrix::from_fn(
        n + 1,
        jq.nrows(),
        |r, c| if r < n { jq[(c, r)] } else { gap[c] },
    );
    let mut f = DVector::zeros(n + 1);
    f[n] = 1.0;
    let r = &e * nnls(&e, &f) - &f;
    if r.norm() < 1e-9 {
        return None;
    }
    let y = r.rows(0, n) / -r[n];
    let x = wanted + inverse * y;
    Some(
        (0..p.masses.len())
            .map(|b| Motion::from_column_slice(&x.as_slice()[6 * b..6 * b + 6]))
            .collect(),
    )
}

#[test]
fn the_projection_obeys_kkt_and_the_least_distance_oracle() {
    let mut random = Random(11);
    let mut projector = GroupProjector::default();
    let (mut optimal, mut infeasible, mut most) = (0, 0, 0.0_f64);
    for _ in 0..300 {
        let p = problem(&mut random);
        let metrics = p.metrics();
        let mut x = p.wanted.clone();
        let result = projector.project(&metrics, &mut x, &p.rows);
        let expected = oracle(&p);
        let Some(expected) = expected else {
            assert_eq!(result.status, Status::Infeasible);
            infeasible += 1;
            continue;
        };
        assert_eq!(result.status, Status::Optimal);
        optimal += 1;
        let size: f64 = 1.0 + x.iter().map(|m| m.amax()).fold(0.0, f64::max);
        for (a, b) in x.iter().zip(&expected) {
            most = most.max((a - b).amax() / size);
        }
        // KKT: admissible; M (x - wanted) is a sum of rows, each of them at its bound.
        let before = p.mass_times(&p.wanted);
        let mut left: Vec<Motion> = p
            .mass_times(&x)
            .iter()
            .zip(before)
            .map(|(a, b)| a - b)
            .collect();
        for active in projector.active() {
            let row = &p.rows[active.row];
            assert!(active.multiplier >= 0.0 && row.slack(&x).abs() < 1e-8 * size);
            for k in 0..2 {
                if let Some(b) = row.bodies[k] {
                    left[b as usize] -= row.covectors[k] * active.multiplier;
                }
            }
        }
        let force: f64 = projector.active().iter().map(|a| a.multiplier).sum();
        assert!(
            left.iter().all(|m| m.amax() < 1e-8 * (size + force)),
            "{left:?}"
        );
        assert!(p.rows.iter().all(|r| r.slack(&x) > -1e-8 * size));
    }
    assert!(optimal > 200 && infeasible > 5 && most < 1e-7);
}

#[test]
fn one_body_is_the_single_body_projector() {
    let mut random = Random(5);
    let mut group = GroupProjector::default();
    for _ in 0..100 {
        let metric = Metric::new(0.5, &(Matrix3::identity() * 0.3)).unwrap();
        let wanted = Motion::from_fn(|_, _| random.signed());
        let rows: Vec<Row> = (0..20)
            .map(|_| Row {
                normal: random.vec3().normalize(),
                arm: random.vec3(),
                bound: -0.2 * random.signed().abs(),
            })
            .collect();
        let pairs: Vec<PairRow> = (rows.iter())
            .map(|r| PairRow::contact([Some(0), None], &r.normal, &[r.arm, Vec3::zeros()], r.bound))
            .collect();
        let single = Projector::<32>::new().project(&metric, &wanted, &rows);
        let mut x = [wanted];
        assert_eq!(
            group.project(&[metric], &mut x, &pairs).status,
            single.status
        );
        assert!((x[0] - single.motion).amax() < 1e-10);
    }
}

#[test]
fn separate_groups_are_solved_alike_together_and_alone() {
    let mut random = Random(3);
    let mut projector = GroupProjector::default();
    for _ in 0..20 {
        let (a, b) = (problem(&mut random), problem(&mut random));
        let offset = a.masses.len() as u32;
        let mut rows = a.rows.clone();
        rows.extend(b.rows.iter().map(|r| PairRow {
            bodies: r.bodies.map(|i| i.map(|i| i + offset)),
            ..*r
        }));
        let mut alone = a.wanted.clone();
        let first = projector.project(&a.metrics(), &mut alone, &a.rows);
        let mut other = b.wanted.clone();
        let second = projector.project(&b.metrics(), &mut other, &b.rows);
        if (first.status, second.status) != (Status::Optimal, Status::Optimal) {
            continue;
        }
        let mut both: Vec<Motion> = a.wanted.iter().chain(&b.wanted).copied().collect();
        let metrics: Vec<Metric> = a.metrics().into_iter().chain(b.metrics()).collect();
        assert_eq!(
            projector.project(&metrics, &mut both, &rows).status,
            Status::Optimal
        );
        for (x, y) in both.iter().zip(alone.iter().chain(&other)) {
            assert!((x - y).amax() < 1e-8, "{x} {y}");
        }
    }
}

/// V7: a unit cube on two or four corners.
#[test]
fn gauss_reference_vectors_hold_for_groups() {
    let metric = Metric::new(1.0, &(Matrix3::identity() / 6.0)).unwrap();
    let down = Motion::new(0.0, 0.0, -9.81, 0.0, 0.0, 0.0);
    let corner = |x: f64, y: f64, bound: f64| {
        PairRow::contact(
            [Some(0), None],
            &Vec3::z(),
            &[Vec3::new(x, y, -0.5), Vec3::zeros()],
            bound,
        )
    };
    let mut projector = GroupProjector::default();
    let mut x = [down];
    projector.project(
        &[metric],
        &mut x,
        &[corner(0.5, 0.5, 0.0), corner(0.5, -0.5, 0.0)],
    );
    assert!((x[0] - Motion::new(0.0, 0.0, -5.886, 0.0, -11.772, 0.0)).amax() < 1e-12);
    assert!(
        projector
            .active()
            .iter()
            .all(|a| (a.multiplier - 1.962).abs() < 1e-12)
    );
    let four = |d: [f64; 4]| {
        let c = d.map(|d| 100.0 * (0.01 - d));
        [
            corner(0.5, 0.5, c[0]),
            corner(0.5, -0.5, c[1]),
            corner(-0.5, 0.5, c[2]),
            corner(-0.5, -0.5, c[3]),
        ]
    };
    x = [down];
    projector.project(&[metric], &mut x, &four([0.01; 4]));
    assert!(x[0].amax() < 1e-12);
    let total: f64 = projector.active().iter().map(|a| a.multiplier).sum();
    assert!((total - 9.81).abs() < 1e-12);
    x = [down];
    projector.project(&[metric], &mut x, &four([0.008, 0.009, 0.0095, 0.0101]));
    assert!((x[0] - Motion::new(0.0, 0.0, 0.095, 0.1, -0.11, 0.0)).amax() < 1e-12);
}

/// The motion of a particle and the sum of the multipliers.
fn particle(wanted: Vec3, rows: &[Row]) -> Vec3 {
    let metric = Metric::new(1.0, &Matrix3::identity()).unwrap();
    let wanted = Motion::new(wanted.x, wanted.y, wanted.z, 0.0, 0.0, 0.0);
    let result = Projector::<64>::new().project(&metric, &wanted, rows);
    assert_eq!(result.status, Status::Optimal);
    result.motion.fixed_rows::<3>(0).into_owned()
}

/// V8, friction of a particle.
#[test]
fn friction_reference_vectors_hold() {
    let n = Vec3::z();
    let flat = Row {
        normal: n,
        arm: Vec3::zeros(),
        bound: 0.0,
    };
    for (wanted, expected) in [
        (Vec3::new(0.0, 0.0, -9.81), Vec3::new(-2.943, 0.0, 0.0)),
        (Vec3::new(0.0, 2.0, -9.81), Vec3::new(-2.943, 2.0, 0.0)),
        (Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 1.0)),
    ] {
        let motion = Motion::new(wanted.x, wanted.y, wanted.z, 0.0, 0.0, 0.0);
        let slides = sliding(&n, &Vec3::zeros(), &Vec3::x(), 0.3, &motion);
        assert!((particle(wanted, &[flat, slides]) - expected).amax() < 1e-9);
    }
    let (sin, cos) = 30f64.to_radians().sin_cos();
    for (wanted, expected) in [
        (Vec3::new(3.0, 0.0, -9.81), Vec3::zeros()),
        (Vec3::new(4.0, 0.0, -9.81), Vec3::zeros()),
        (Vec3::new(5.0, 0.0, -9.81), Vec3::new(0.076, 0.0, 0.038)),
        (Vec3::new(6.0, 0.0, -9.81), Vec3::new(0.876, 0.0, 0.438)),
        (
            Vec3::new(5.0 * cos, 5.0 * sin, -9.81),
            Vec3::new(0.5485280, 0.3166928, 0.2742640),
        ),
        (
            Vec3::new(6.0 * cos, 6.0 * sin, -9.81),
            Vec3::new(1.2778126, 0.7377454, 0.6389063),
        ),
    ] {
        let rows: Vec<Row> = (pit(&n, 0.5, 6))
            .map(|normal| Row {
                normal,
                arm: Vec3::zeros(),
                bound: 0.0,
            })
            .collect();
        let got = particle(wanted, &rows);
        assert!((got - expected).amax() < 1e-7, "{got} {expected}");
    }
}

/// V8 with infinitely many sides: the same result along the directions of the sides, no anisotropy.
#[test]
fn the_cone_is_the_pit_without_sides() {
    let solve = |wanted: Vec3, law: FrictionLaw| {
        let mut movers = [mover(1.0, wanted)];
        let mut contacts = [touch(Vec3::zeros(), 0.5)];
        let limits = DescentLimits {
            tolerance_m_s: 1e-13,
            sweeps: 10_000,
        };
        let done = ConeSolver::default().solve(&mut movers, &mut contacts, law, &limits);
        assert!(done.converged, "{done:?}");
        movers[0].velocity
    };
    let (sin, cos) = 40f64.to_radians().sin_cos();
    for (push, expected) in [
        (4.0, (0.0, 0.0)),
        (5.0, (0.076, 0.038)),
        (6.0, (0.876, 0.438)),
    ] {
        let v = solve(
            Vec3::new(push * cos, push * sin, -9.81),
            FrictionLaw::Convex,
        );
        assert!(
            (v - Vec3::new(expected.0 * cos, expected.0 * sin, expected.1)).norm() < 1e-9,
            "{v}"
        );
        // Coulomb: the rest of the push, and no lift.
        let v = solve(
            Vec3::new(push * cos, push * sin, -9.81),
            FrictionLaw::Coulomb,
        );
        let left = (push - 0.5 * 9.81_f64).max(0.0);
        assert!(
            (v - Vec3::new(left * cos, left * sin, 0.0)).norm() < 1e-9,
            "{v}"
        );
    }
}

fn mover(mass: f64, velocity: Vec3) -> Mover {
    Mover {
        velocity,
        spin: Vec3::zeros(),
        inverse_mass: 1.0 / mass,
        inverse_inertia: Matrix3::identity() / mass,
    }
}

fn touch(arm: Vec3, friction: f64) -> Contact {
    Contact {
        bodies: [Some(0), None],
        normal: Vec3::z(),
        arms: [arm, Vec3::zeros()],
        drift: Vec3::zeros(),
        bound: 0.0,
        friction,
        impulse: Vec3::zeros(),
    }
}

/// V9: `v- = (1, 0, -2)`, `e = 0.5`.
#[test]
fn the_impact_reference_vector_holds() {
    let hit = Row {
        normal: Vec3::z(),
        arm: Vec3::zeros(),
        bound: rebound(-2.0, 0.5),
    };
    assert!(
        (particle(Vec3::new(1.0, 0.0, -2.0), &[hit]) - Vec3::new(1.0, 0.0, 1.0)).amax() < 1e-12
    );
    let metric = Metric::new(1.0, &Matrix3::identity()).unwrap();
    let wanted = Motion::new(1.0, 0.0, -2.0, 0.0, 0.0, 0.0);
    let impulse = Projector::<4>::new()
        .project(&metric, &wanted, &[hit])
        .multiplier(0);
    assert!((impulse - 3.0).abs() < 1e-12);
}

/// Several balls in a row, hit at one end and all at once: restitution at every contact; the energy
/// never grows.
#[test]
fn simultaneous_impacts_obey_newton_and_keep_the_energy() {
    let mut random = Random(17);
    let mut projector = GroupProjector::default();
    for e in [0.0, 0.3, 0.8, 1.0] {
        for _ in 0..50 {
            let mut p = problem(&mut random);
            for row in &mut p.rows {
                row.bound = 0.0;
                let speed = row.slack(&p.wanted);
                row.bound = rebound(speed, e);
            }
            let energy = |x: &[Motion]| -> f64 {
                p.mass_times(x)
                    .iter()
                    .zip(x)
                    .map(|(p, x)| 0.5 * p.dot(x))
                    .sum()
            };
            let mut x = p.wanted.clone();
            let result = projector.project(&p.metrics(), &mut x, &p.rows);
            assert_eq!(result.status, Status::Optimal);
            assert!(p.rows.iter().all(|r| r.slack(&x) > -1e-8));
            assert!(energy(&x) <= energy(&p.wanted) * (1.0 + 1e-9), "{e}");
        }
    }
}

/// A table on 3 to 12 legs of one height: the forces on the legs are not unique; the motion and the
/// sum of the forces are.
#[test]
fn a_table_does_not_mind_how_many_legs_it_has() {
    let mass = 7.0;
    let inertia = Matrix3::from_diagonal(&Vec3::new(1.0, 1.5, 2.0));
    let metric = Metric::new(mass, &inertia).unwrap();
    let wanted = Motion::new(0.3, -0.1, -9.81, 0.05, 0.02, 0.1);
    for legs in 3..=12 {
        let arms: Vec<Vec3> = (0..legs)
            .map(|k| {
                let a = std::f64::consts::TAU * f64::from(k) / f64::from(legs);
                Vec3::new(a.cos(), a.sin(), -0.8)
            })
            .collect();
        let rows: Vec<PairRow> = (arms.iter())
            .map(|arm| PairRow::contact([Some(0), None], &Vec3::z(), &[*arm, Vec3::zeros()], 0.0))
            .collect();
        let mut exact = [wanted];
        let mut projector = GroupProjector::default();
        assert_eq!(
            projector.project(&[metric], &mut exact, &rows).status,
            Status::Optimal
        );
        let mut movers = [Mover {
            velocity: wanted.fixed_rows::<3>(0).into_owned(),
            spin: wanted.fixed_rows::<3>(3).into_owned(),
            inverse_mass: 1.0 / mass,
            inverse_inertia: inertia.try_inverse().unwrap(),
        }];
        let mut contacts: Vec<Contact> = arms.iter().map(|arm| touch(*arm, 0.0)).collect();
        let limits = DescentLimits {
            tolerance_m_s: 1e-13,
            sweeps: 100_000,
        };
        let done =
            ConeSolver::default().solve(&mut movers, &mut contacts, FrictionLaw::Coulomb, &limits);
        assert!(done.converged);
        // All legs stay on the floor: only the planar motion remains.
        let expected = Motion::new(0.3, -0.1, 0.0, 0.0, 0.0, 0.1);
        assert!((exact[0] - expected).amax() < 1e-12, "{legs}: {}", exact[0]);
        assert!((movers[0].velocity - Vec3::new(0.3, -0.1, 0.0)).norm() < 1e-11);
        assert!((movers[0].spin - Vec3::new(0.0, 0.0, 0.1)).norm() < 1e-11);
        let exact: f64 = projector.active().iter().map(|a| a.multiplier).sum();
        let descent: f64 = contacts.iter().map(|c| c.impulse.z).sum();
        assert!((exact - mass * 9.81).abs() < 1e-10 && (descent - mass * 9.81).abs() < 1e-10);
    }
}

/// The descent without friction converges to the result of the projector.
#[test]
fn the_descent_agrees_with_the_projector() {
    let mut random = Random(23);
    let mut solver = ConeSolver::default();
    let mut projector = GroupProjector::default();
    let (mut compared, mut most) = (0, 0.0_f64);
    for _ in 0..60 {
        let p = problem(&mut random);
        let mut exact = p.wanted.clone();
        if projector.project(&p.metrics(), &mut exact, &p.rows).status != Status::Optimal {
            continue;
        }
        let mut movers: Vec<Mover> = (p.masses.iter().zip(&p.wanted))
            .map(|((m, i), x)| Mover {
                velocity: x.fixed_rows::<3>(0).into_owned(),
                spin: x.fixed_rows::<3>(3).into_owned(),
                inverse_mass: 1.0 / m,
                inverse_inertia: i.try_inverse().unwrap(),
            })
            .collect();
        let mut contacts: Vec<Contact> = (p.rows.iter())
            .map(|r| {
                let normal = r.covectors[0].fixed_rows::<3>(0).into_owned();
                // From the moments: the arm perpendicular to the normal.
                let arm =
                    |k: usize, sign: f64| normal.cross(&(r.covectors[k].fixed_rows::<3>(3) * sign));
                Contact {
                    bodies: r.bodies,
                    normal,
                    arms: [arm(0, 1.0), arm(1, -1.0)],
                    drift: Vec3::zeros(),
                    bound: r.bound,
                    friction: 0.0,
                    impulse: Vec3::zeros(),
                }
            })
            .collect();
        let limits = DescentLimits {
            tolerance_m_s: 1e-9,
            sweeps: 200_000,
        };
        let done = solver.solve(&mut movers, &mut contacts, FrictionLaw::Coulomb, &limits);
        assert!(done.converged, "{done:?}");
        for (m, x) in movers.iter().zip(&exact) {
            let same =
                (m.velocity - x.fixed_rows::<3>(0)).norm() + (m.spin - x.fixed_rows::<3>(3)).norm();
            most = most.max(same);
        }
        compared += 1;
    }
    assert!(compared > 40 && most < 1e-5);
}

/// A pot on its foot: one body with dozens of nearly redundant contacts. A descent that
/// extrapolates by a guessed length oscillates forever, and the body jumps.
#[test]
fn a_ring_of_contacts_comes_to_rest() {
    let mut random = Random(9);
    for (count, friction) in [(16, 0.0), (64, 0.0), (16, 0.5), (64, 0.5)] {
        for spread in [0.0, 3e-4] {
            let wanted = Vec3::new(0.0, 0.0, -0.3);
            let inertia = Matrix3::from_diagonal(&Vec3::new(4e-3, 5e-3, 6e-3));
            let mut movers = [Mover {
                spin: Vec3::new(1.0, 0.3, 0.0),
                inverse_inertia: inertia.try_inverse().unwrap(),
                ..mover(0.8, wanted)
            }];
            let mut contacts: Vec<Contact> = (0..count)
                .map(|k| {
                    let turn = std::f64::consts::TAU * f64::from(k) / f64::from(count);
                    let arm = Vec3::new(0.07 * turn.cos() + 0.01, 0.07 * turn.sin(), -0.08);
                    let mut contact = touch(arm, friction);
                    contact.bound = -spread * random.signed().abs();
                    contact
                })
                .collect();
            let limits = DescentLimits {
                tolerance_m_s: 3e-6,
                sweeps: 500,
            };
            let law = FrictionLaw::Coulomb;
            let done = ConeSolver::default().solve(&mut movers, &mut contacts, law, &limits);
            let case = format!("{count} {friction} {spread}: {done:?} {:?}", movers[0]);
            assert!(done.converged || spread > 0.0, "{case}");
            assert!(done.residual_m_s < 1e-3, "{case}");
            let left = movers[0].velocity.norm() + 0.1 * movers[0].spin.norm();
            assert!(left < 5.0 * spread + 1e-3, "{case}");
        }
    }
}

#[test]
fn nonsense_is_refused_and_moves_nothing() {
    let metric = Metric::new(1.0, &Matrix3::identity()).unwrap();
    let wanted = Motion::new(1.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    let row = |bodies, bound| PairRow::contact(bodies, &Vec3::z(), &[Vec3::zeros(); 2], bound);
    for rows in [
        [row([Some(3), None], 0.0)],
        [row([Some(0), None], f64::NAN)],
    ] {
        let mut x = [wanted];
        assert_eq!(
            GroupProjector::default()
                .project(&[metric], &mut x, &rows)
                .status,
            Status::Rejected
        );
        assert_eq!(x[0], Motion::zeros());
    }
    let mut x = [wanted];
    let squeezed = [
        row([Some(0), None], 1.0),
        PairRow::contact([Some(0), None], &-Vec3::z(), &[Vec3::zeros(); 2], 1.0),
    ];
    assert_eq!(
        GroupProjector::default()
            .project(&[metric], &mut x, &squeezed)
            .status,
        Status::Infeasible
    );
    let mut movers = [mover(1.0, Vec3::x())];
    let mut contacts = [Contact {
        bound: f64::NAN,
        ..touch(Vec3::zeros(), 0.5)
    }];
    let limits = DescentLimits {
        tolerance_m_s: 1e-9,
        sweeps: 10,
    };
    let done =
        ConeSolver::default().solve(&mut movers, &mut contacts, FrictionLaw::Coulomb, &limits);
    assert!(done.residual_m_s.is_infinite() && !done.converged && movers[0].velocity == Vec3::x());
}
