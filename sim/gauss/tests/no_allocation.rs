//! The solver never allocates: counted by the allocator itself.

use hapticd_counting::{Counting, counted};
use hapticd_gauss::{
    ConeSolver, Contact, DescentLimits, FrictionLaw, GroupProjector, Metric, Motion, Mover,
    PairRow, Projector, Row, Status, Vec3,
};
use nalgebra::Matrix3;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn projecting_never_allocates() {
    let metric = Metric::new(0.3, &(Matrix3::identity() * 1e-4)).unwrap();
    let wanted = Motion::new(1e-3, 2e-3, -1e-3, 0.1, 0.0, -0.2);
    let mut rows = Vec::new();
    for i in 0..64 {
        let a = f64::from(i);
        rows.push(Row {
            normal: Vec3::new(a.sin(), (2.0 * a).cos(), 1.0),
            arm: Vec3::new((3.0 * a).cos(), a.cos(), (5.0 * a).sin()) * 0.05,
            bound: 1e-4 * (7.0 * a).sin(),
        });
    }
    let squeeze = [
        Row {
            normal: Vec3::z(),
            arm: Vec3::zeros(),
            bound: 1.0,
        },
        Row {
            normal: -Vec3::z(),
            arm: Vec3::zeros(),
            bound: 1.0,
        },
    ];
    let mut projector = Projector::<64>::new();
    let mut seen = [0; 2];
    let ((), calls) = counted(|| {
        for count in 0..=64 {
            let projection = projector.project_or_hold(&metric, &wanted, &rows[..count]);
            seen[0] += u32::from(projection.status == Status::Optimal);
        }
        let projection = projector.project(&metric, &wanted, &squeeze);
        seen[1] += u32::from(projection.status == Status::Infeasible);
    });
    assert_eq!(calls, 0);
    assert_eq!(seen, [65, 1]);
}

/// The solvers for many bodies allocate in their first call only.
#[test]
fn solving_again_never_allocates() {
    let metrics = vec![Metric::new(1.0, &Matrix3::identity()).unwrap(); 4];
    let rows: Vec<PairRow> = (0..40)
        .map(|i| {
            let a = f64::from(i);
            let normal = Vec3::new(a.sin(), (2.0 * a).cos(), 1.5).normalize();
            let arms = [
                Vec3::new((3.0 * a).cos(), a.cos(), 0.2),
                Vec3::new(0.1, (5.0 * a).sin(), a.sin()),
            ];
            let other = (i % 5 < 4 && i % 5 != i % 4).then_some((i % 5) as u32);
            PairRow::contact([Some((i % 4) as u32), other], &normal, &arms, -0.01)
        })
        .collect();
    let contacts: Vec<Contact> = (rows.iter())
        .map(|r| Contact {
            bodies: r.bodies,
            normal: r.covectors[0].fixed_rows::<3>(0).into_owned(),
            arms: [Vec3::new(0.0, 0.1, 0.0); 2],
            drift: Vec3::zeros(),
            bound: r.bound,
            friction: 0.5,
            impulse: Vec3::zeros(),
        })
        .collect();
    let mut group = GroupProjector::default();
    let mut cone = ConeSolver::with_capacity(contacts.len());
    let mut work = contacts.clone();
    let mut once = || {
        let mut x = [Motion::new(0.0, 0.1, -1.0, 0.2, 0.0, 0.1); 4];
        let exact = group.project(&metrics, &mut x, &rows).status == Status::Optimal;
        let mut movers = [Mover {
            velocity: Vec3::new(0.0, 0.1, -1.0),
            spin: Vec3::zeros(),
            inverse_mass: 1.0,
            inverse_inertia: Matrix3::identity(),
        }; 4];
        work.copy_from_slice(&contacts);
        let limits = DescentLimits {
            tolerance_m_s: 1e-9,
            sweeps: 50,
        };
        let done = cone.solve(&mut movers, &mut work, FrictionLaw::Coulomb, &limits);
        exact && done.residual_m_s.is_finite()
    };
    assert!(once());
    let (solved, calls) = counted(|| (0..10).all(|_| once()));
    assert!(solved);
    assert_eq!(calls, 0);
}
