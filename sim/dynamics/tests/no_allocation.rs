//! The solver never allocates: counted by the allocator itself.

use hapticd_counting::{Counting, counted};
use hapticd_dynamics::{Metric, Motion, Projector, Row, Status, Vec3};
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
