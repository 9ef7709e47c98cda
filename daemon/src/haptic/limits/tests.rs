use super::*;

#[test]
fn a_restriction_takes_the_smaller_of_each_and_nothing_else() {
    let one = Restriction {
        peak_force_n: 2.0,
        velocity_m_s: 0.5,
        ..Restriction::NONE
    };
    let other = Restriction {
        peak_force_n: 3.0,
        slew_n_per_s: 100.0,
        ..Restriction::NONE
    };
    let both = one.and(&other);
    assert_eq!(both, other.and(&one));
    assert_eq!(
        (both.peak_force_n, both.slew_n_per_s, both.velocity_m_s),
        (2.0, 100.0, 0.5)
    );
    let limits = Limits {
        peak_force_n: 1.0,
        slew_n_per_s: 500.0,
        velocity_limit_m_s: 1.5,
        ..Limits::default()
    };
    let expected = Limits {
        slew_n_per_s: 100.0,
        velocity_limit_m_s: 0.5,
        ..limits
    };
    assert_eq!(both.applied_to(&limits), expected);
    assert_eq!(Restriction::NONE.applied_to(&limits), limits);
}

/// The owner's value is whole however often the loop looks: what the mailbox's cells hold does not matter.
#[test]
fn no_change_is_lost_whenever_the_loop_looks() {
    for looks in 0..64_u32 {
        let core = LoopCore::new([const { None }; MAX_ARMS], 1_000_000, 0.0);
        let mut core = core.unwrap();
        let (mut composer, mut configured, mut restrictions) = link(&core, Limits::default());
        for round in 0..6_u32 {
            restrictions.change(|all| all.clears[0] += 1);
            restrictions.change(|all| all.arms[1].peak_force_n = 6.0 - f64::from(round));
            configured.set_gains([Gains::default()].into_iter());
            if looks & (1 << round) != 0 {
                composer.take(&mut core);
                assert!(!configured.is_taken(u64::from(round) + 1), "before a tick");
                composer.acknowledge();
                assert!(configured.is_taken(u64::from(round) + 1));
                assert_eq!(composer.clears[0], u64::from(round) + 1);
            }
        }
        composer.take(&mut core);
        composer.acknowledge();
        assert_eq!(composer.clears[0], 6);
        assert_eq!(composer.restrictions.get().arms[1].peak_force_n, 1.0);
        let kept = restrictions.in_force();
        assert_eq!((kept.configured, kept.restrictions), (6, 12));
    }
}
