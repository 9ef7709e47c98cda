//! Effects: who may change them, their numbers, and when they end.

use super::*;
use hapticd_loop::effects::EFFECTS_PER_ARM;
use hapticd_protocol::request::{EffectKind, EffectShape, SetEffect, StopEffect, Waveform};

fn push() -> SetEffect {
    SetEffect {
        place_m: [0.0; 3],
        axis: [0.0, 0.0, 4.0],
        magnitude_n: 1.0,
        second_n: 0.0,
        coefficient: NonNegative(100.0),
        frequency_hz: NonNegative(0.0),
        phase: 0.0,
        dead_band_m: NonNegative(0.0),
        range_m: Limit::NONE,
        cap_n: NonNegative(2.0),
        delay_s: NonNegative(0.0),
        duration_s: Limit::NONE,
        attack_s: NonNegative(0.0),
        attack_level: NonNegative(0.0),
        fade_s: NonNegative(0.0),
        fade_level: NonNegative(0.0),
        effect: 0,
        arm: 0,
        kind: EffectKind::Constant,
        waveform: Waveform::Sine,
        shape: EffectShape::Point,
    }
}

/// Asks for an effect; the loop takes it, or has no room. Returns the number of the effect.
fn set(fixture: &mut Fixture, client: ClientId, asked: SetEffect, taken: bool) -> Option<u32> {
    fixture.send(client, asked, vec![]);
    let token = fixture.out.iter().rev().find_map(|output| match output {
        Output::Command(Command::Order { token, .. }) => *token,
        _ => None,
    });
    let answer = match taken {
        true => Answer::Done,
        false => Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0)),
    };
    fixture
        .hub
        .answer(token.unwrap(), &answer, fixture.now_ns, &mut fixture.out);
    match fixture.reply(client) {
        Some(Reply::EffectSet(set)) => {
            assert_eq!(set.most_force_n, 2.0);
            Some(set.effect)
        }
        Some(Reply::Error(error)) => {
            assert_eq!(error.code, ErrorCode::Busy);
            None
        }
        other => panic!("{other:?}"),
    }
}

fn begin(fixture: &mut Fixture, client: ClientId, asked: SetEffect) -> u32 {
    set(fixture, client, asked, true).unwrap()
}

#[test]
fn an_effect_is_begun_changed_and_ended_by_its_client_alone() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    let effect = begin(&mut fixture, a, push());
    assert_eq!(fixture.took(), ["effect 0 start Constant"]);
    let spring = SetEffect {
        kind: EffectKind::Spring,
        effect,
        ..push()
    };
    assert_eq!(begin(&mut fixture, a, spring.clone()), effect);
    assert_eq!(fixture.took(), ["effect 0 update Spring"]);
    assert_eq!(fixture.refused(b, spring), ErrorCode::NoSuchEffect);
    assert_eq!(fixture.ask(b, StopEffect { effect }), done());
    assert!(fixture.took().is_empty());
    // Another one, on the other arm.
    let other = begin(&mut fixture, b, SetEffect { arm: 1, ..push() });
    assert_ne!(other, effect);
    let place = EFFECTS_PER_ARM;
    assert_eq!(fixture.took(), [format!("effect {place} start Constant")]);
    assert_eq!(fixture.ask(a, StopEffect { effect }), done());
    assert_eq!(fixture.took(), ["effect 0 stop"]);
    // Once, and no error.
    assert_eq!(fixture.ask(a, StopEffect { effect }), done());
    assert!(fixture.took().is_empty());
}

#[test]
fn an_arm_has_so_many_effects_and_a_place_waits_until_its_effect_has_gone_out() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let effects: Vec<_> = (0..EFFECTS_PER_ARM)
        .map(|_| begin(&mut fixture, client, push()))
        .collect();
    assert_eq!(fixture.refused(client, push()), ErrorCode::TooManyEffects);
    fixture.ask(client, StopEffect { effect: effects[3] });
    assert_eq!(fixture.refused(client, push()), ErrorCode::TooManyEffects);
    fixture.now_ns += 100 * MS;
    fixture.took();
    begin(&mut fixture, client, push());
    assert_eq!(fixture.took(), ["effect 3 start Constant"]);
    // What the loop has no room for takes no place.
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    for _ in 0..2 * EFFECTS_PER_ARM {
        assert_eq!(set(&mut fixture, client, push(), false), None);
        fixture.took();
    }
    assert!(set(&mut fixture, client, push(), true).is_some());
}

#[test]
fn a_configuration_without_effects_refuses_them() {
    let mut fixture = Fixture::new(Quotas {
        effect_force_n: 0.0,
        ..Quotas::default()
    });
    let client = fixture.connect(Role::App);
    match fixture.ask(client, push()) {
        Some(Reply::Error(error)) => {
            assert_eq!((error.code, error.limit), (ErrorCode::TooManyEffects, 0));
            assert!(error.to_string().contains("max_effect_force_n"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn numbers_out_of_range_are_refused_and_named() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    type Spoil = fn(&mut SetEffect);
    let spoilt: [(&str, Spoil); 18] = [
        ("place_m", |e| e.place_m[1] = -1e5),
        ("axis", |e| e.axis = [0.0; 3]),
        ("magnitude_n", |e| e.magnitude_n = -101.0),
        ("second_n", |e| e.second_n = 101.0),
        ("magnitude_n", |e| {
            (e.kind, e.magnitude_n) = (EffectKind::Friction, -1.0);
        }),
        ("coefficient", |e| e.coefficient = NonNegative(2e5)),
        ("frequency_hz", |e| e.frequency_hz = NonNegative(401.0)),
        ("phase", |e| e.phase = 1.5),
        ("dead_band_m", |e| e.dead_band_m = NonNegative(1e5)),
        ("range_m", |e| e.range_m = Limit(1e5)),
        ("range_m", |e| e.kind = EffectKind::Magnet),
        ("range_m", |e| e.kind = EffectKind::Barrier),
        ("cap_n", |e| e.cap_n = NonNegative(101.0)),
        ("delay_s", |e| e.delay_s = NonNegative(3601.0)),
        ("duration_s", |e| e.duration_s = Limit(3601.0)),
        ("duration_s", |e| e.kind = EffectKind::Ramp),
        ("attack_level", |e| e.attack_level = NonNegative(1.5)),
        ("fade_s", |e| e.fade_s = NonNegative(3601.0)),
    ];
    for (name, spoil) in spoilt {
        let mut asked = push();
        spoil(&mut asked);
        match fixture.ask(client, asked) {
            Some(Reply::Error(error)) => {
                assert_eq!(error.code, ErrorCode::OutOfRange);
                assert!(error.to_string().starts_with(name), "{name}: {error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let arm = |arm| SetEffect { arm, ..push() };
    assert_eq!(fixture.refused(client, arm(2)), ErrorCode::NoSuchArm);
    assert_eq!(fixture.refused(client, arm(255)), ErrorCode::NoSuchArm);
    // The half-space of a plane has no end, and the largest axis has a direction.
    let floor = SetEffect {
        kind: EffectKind::Barrier,
        shape: EffectShape::Plane,
        axis: [f64::MAX, 0.0, -f64::MAX],
        ..push()
    };
    begin(&mut fixture, client, floor);
}

#[test]
fn an_effect_ends_when_its_time_is_over_and_its_client_hears_of_it() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let topics = topic::EVENTS;
    fixture.ask(client, request::Subscribe { arm: 0, topics });
    let pulse = SetEffect {
        delay_s: NonNegative(0.02),
        duration_s: Limit(0.03),
        ..push()
    };
    begin(&mut fixture, client, pulse);
    fixture.took();
    let over_ns = fixture.now_ns + 150 * MS;
    assert_eq!(fixture.expire(), Some(over_ns));
    fixture.now_ns = over_ns;
    fixture.expire();
    assert_eq!(
        fixture.took(),
        ["1 EffectEnded(EffectEnded { effect: 1, reason: Finished })"]
    );
}

#[test]
fn effects_end_with_a_client_that_is_silent_or_gone() {
    let mut fixture = Fixture::new(Quotas::default());
    let (a, b) = (fixture.connect(Role::App), fixture.connect(Role::App));
    let topics = topic::EVENTS;
    fixture.ask(a, request::Subscribe { arm: 0, topics });
    begin(&mut fixture, a, push());
    begin(&mut fixture, b, push());
    fixture.took();
    // The second one renews for longer.
    fixture.ask(b, request::RenewLeases { lease_ms: 900 });
    let silent_ns = fixture.now_ns + 200 * MS;
    assert_eq!(fixture.expire(), Some(silent_ns));
    fixture.now_ns = silent_ns;
    fixture.expire();
    assert_eq!(
        fixture.took(),
        [
            "1 silent []",
            "1 ClientSilent(ClientSilent { silent_ms: 200 })",
            "effect 0 stop",
            "1 EffectEnded(EffectEnded { effect: 1, reason: ClientSilent })",
        ]
    );
    let why = GoneWhy::Closed;
    fixture.hub.disconnect(b, why, &mut fixture.out);
    assert_eq!(fixture.took(), ["effect 1 stop", "2 gone Closed []"]);
}

#[test]
fn without_focus_effects_are_held() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    begin(&mut fixture, client, push());
    fixture.took();
    let focus = |focused| request::SetFocus { focused };
    fixture.ask(client, focus(false));
    assert_eq!(fixture.took(), ["1 focus false []", "effect 0 hold true"]);
    begin(&mut fixture, client, push());
    assert_eq!(
        fixture.took(),
        ["effect 1 start Constant", "effect 1 hold true"]
    );
    fixture.ask(client, focus(true));
    assert_eq!(
        fixture.took(),
        [
            "1 focus true []",
            "effect 0 hold false",
            "effect 1 hold false"
        ]
    );
}

/// Stopping must get through while commands pile up.
#[test]
fn a_busy_hub_stops_effects_and_begins_none() {
    let mut fixture = Fixture::new(Quotas::default());
    let client = fixture.connect(Role::App);
    let effect = begin(&mut fixture, client, push());
    fixture.took();
    fixture.hub.set_busy(true);
    assert_eq!(fixture.refused(client, push()), ErrorCode::Busy);
    assert_eq!(fixture.ask(client, StopEffect { effect }), done());
    assert_eq!(fixture.took(), ["effect 0 stop"]);
}
