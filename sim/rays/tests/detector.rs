//! The CPU twin as a detector, and a supervised one.

mod common;

use common::conformance;
use hapticd_rays::{Detector, Responder, Settings, Tracer, Watched};

fn twin(settings: Settings) -> Box<dyn Detector> {
    Box::new(Tracer::new(settings))
}

/// The same, supervised.
fn watched(settings: Settings) -> Box<dyn Detector> {
    Box::new(Watched::new(twin(settings), 4))
}

macro_rules! both {
    ($($name:ident),+) => {$(
        #[test]
        fn $name() {
            conformance::$name(&twin);
            conformance::$name(&watched);
        }
    )+};
}

both!(
    a_ruler_agrees,
    a_heap_of_bodies,
    cloths_and_a_ball,
    a_sheet_beside_an_edge_is_outside,
    a_soft_ball,
    objects_come_later,
    objects_come_and_go,
    what_stays_is_remembered,
    settings_change
);

// A supervised detector continues its count when its backend is recovered.
#[test]
fn steps_are_counted() {
    conformance::steps_are_counted(&twin);
}

#[test]
fn recovered_it_is_as_new() {
    conformance::recovered_it_is_as_new(&twin);
}

#[test]
fn a_backend_that_answers_is_in_charge_from_its_first_answer() {
    let watched = Watched::new(twin(Settings::for_edges(0.01)), 4);
    assert_eq!(watched.charge(), Responder::Trial);
    let mut watched = watched;
    let mut scene = hapticd_rays::RayScene::new();
    watched.submit(&mut scene).unwrap();
    assert!(watched.poll().unwrap());
    assert_eq!(watched.charge(), Responder::Backend);
}
