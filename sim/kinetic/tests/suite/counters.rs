//! Common to all structures: counters over a window, time that does not run backwards.

use crate::common;

use common::counting::goes_on;
use hapticd_kinetic::pseudo::{Bounce, Contacts, Policy, PolygonBody};
use hapticd_kinetic::sap::Lines;
use hapticd_kinetic::{PseudoTriangulation, Rigid2, Sap};

#[test]
fn sweep_and_prune_counts() {
    let mut sap = Sap::new(10);
    for b in 0..10 {
        let x = f64::from(b) * 2.0;
        let bounds = |x: f64| [[x, x + 1.0], [0.0, 1.0], [0.0, 1.0]];
        let lines = Lines {
            start: bounds(x),
            end: bounds(20.0 - x),
        };
        sap.set(b, &lines).unwrap();
    }
    sap.step(1.0).unwrap();
    goes_on(sap, 1.0);
}

#[test]
fn polygons_count() {
    let shape = vec![[-0.5, -0.4], [0.6, -0.5], [0.5, 0.4], [-0.4, 0.5]];
    let body = |x: f64, v: f64| PolygonBody {
        shape: shape.clone(),
        motion: Rigid2 {
            centre: [x, 0.02 * x * x],
            velocity: [v, 0.0],
            omega: 0.3 * v,
            ..Rigid2::default()
        },
        mass: 1.0,
        inertia: 0.2,
    };
    let how = Bounce {
        restitution: 1.0,
        least_speed: 0.0,
    };
    let bodies = vec![body(-2.0, 1.0), body(2.0, -1.0), body(6.0, -1.5)];
    let structure =
        PseudoTriangulation::new(bodies, 0.0, 20.0, Policy::Foreign, Contacts::Bounce(how));
    goes_on(structure.unwrap(), 6.0);
}
