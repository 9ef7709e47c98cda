//! Limits through a real socket: only what the sink reports that the loop keeps.

use super::*;
use hapticd_protocol::reply;

/// Limits that a loop keeps, each a distinct number.
fn kept() -> Limits {
    Limits {
        peak_force_n: 4.0,
        continuous_force_n: 3.0,
        peak_torque_nm: 0.2,
        continuous_torque_nm: 0.1,
        slew_n_per_s: 900.0,
        slew_nm_per_s: 40.0,
        velocity_limit_m_s: 1.25,
        angular_velocity_limit_rad_s: 15.0,
        ..Limits::default()
    }
}

#[test]
fn a_client_is_told_what_the_loop_keeps_and_never_what_was_asked_for() {
    let fixture = Fixture::with_limits("limits", kept());
    let (mut app, mut other) = (fixture.client("app"), fixture.client("other"));
    let told = reply::Limits {
        peak_force_n: Limit(4.0),
        continuous_force_n: Limit(3.0),
        peak_torque_nm: Limit(0.2),
        continuous_torque_nm: Limit(0.1),
        slew_n_per_s: Limit(900.0),
        slew_nm_per_s: Limit(40.0),
        velocity_m_s: Limit(1.25),
        angular_velocity_rad_s: Limit(15.0),
        arm: 0,
    };
    assert_eq!(app.limits(0).unwrap(), told);
    // A request that no tick has kept yet: its client waits for the answer.
    thread::scope(|scope| {
        scope.spawn(|| other.tighten_force(0, 1.0, 0.1).unwrap());
        let Command::TightenLimits { token, .. } = fixture.command() else {
            panic!("not a tightening");
        };
        assert_eq!(app.limits(0).unwrap(), told);
        let answer = Answer::Done;
        fixture.handle.notify(Notice::Answer { token, answer });
    });
}

#[test]
fn limits_that_the_loop_has_not_told_are_refused_and_not_made_up() {
    let fixture = Fixture::new("untold", patient());
    let error = fixture.client("app").limits(0).unwrap_err();
    assert!(error.to_string().contains("haptic loop"), "{error}");
    assert_eq!(refusal(error), ErrorCode::Internal);
}
