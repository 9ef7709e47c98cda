//! Recordings that are cut off, damaged, of another kind, or that did not fit on the disk.

use super::*;

#[test]
fn a_file_that_is_cut_off_is_replayed_as_far_as_it_goes() {
    let bytes = virtual_bytes(1300);
    let mut seen = Vec::new();
    for tenths in [2, 5, 8, 9] {
        let cut = &bytes[..bytes.len() * tenths / 10];
        let outcome = replayed(cut, |_| true);
        assert_eq!(outcome.end, End::Truncated);
        assert_eq!(outcome.is_identical(), outcome.ticks > 0);
        seen.push(outcome.ticks);
    }
    assert!(seen.is_sorted() && seen[3] > seen[0], "{seen:?}");
    // Cut anywhere: no panic, and the file never counts as complete.
    for cut in (0..bytes.len())
        .step_by(bytes.len() / 60)
        .chain([1, 8, 9, bytes.len() - 1])
    {
        match reader(&bytes[..cut]) {
            Err(ReadError::NotMcap | ReadError::NotOurs) => {}
            Err(e) => panic!("{cut}: {e}"),
            Ok(mut r) => assert!(drain(&mut r).is_err(), "cut at {cut} and nothing said"),
        }
    }
}

#[test]
fn other_files_are_refused_with_the_reason() {
    assert!(matches!(reader(b""), Err(ReadError::NotMcap)));
    assert!(matches!(
        reader(b"[[arm]]\nname = \"right\"\n"),
        Err(ReadError::NotMcap)
    ));
    let mut random = Random(3);
    let garbage: Vec<u8> = (0..4096).map(|_| random.below(256) as u8).collect();
    assert!(matches!(reader(&garbage), Err(ReadError::NotMcap)));
    // A recording begins like this, so garbage after the magic must only be refused.
    let mut magic = mcap::MAGIC.to_vec();
    magic.extend(&garbage);
    assert!(matches!(reader(&magic), Err(ReadError::NotMcap)));

    let mut other = Vec::new();
    let mut writer = mcap::WriteOptions::new()
        .compression(None)
        .create(Cursor::new(&mut other))
        .expect("memory");
    let channel = writer
        .add_channel(0, "/imu", "json", &Default::default())
        .expect("memory");
    let header = mcap::records::MessageHeader {
        channel_id: channel,
        sequence: 0,
        log_time: 0,
        publish_time: 0,
    };
    writer
        .write_to_known_channel(&header, b"{}")
        .expect("memory");
    writer.finish().expect("memory");
    drop(writer);
    assert!(matches!(reader(&other), Err(ReadError::NotOurs)));
}

#[test]
fn another_format_is_named_with_both_versions() {
    let mut meta = Meta::of_this(Time::Virtual, false);
    meta.format = 7;
    meta.version = "9.8.7".to_owned();
    let output = Memory::new(usize::MAX);
    let setup = Setup {
        meta,
        config: "",
        files: &[],
        arms: 0,
        max_bytes: u64::MAX,
        epoch_ns: 0,
    };
    Recorder::new(output.clone(), &setup)
        .expect("begins")
        .finish()
        .expect("ends");
    let Err(error) = reader(&output.take()) else {
        panic!("read")
    };
    let text = error.to_string();
    assert!(
        text.contains("format 7") && text.contains("9.8.7") && text.contains("reads format 3"),
        "{text}"
    );
}

#[test]
fn damaged_bytes_never_panic_and_are_never_believed() {
    let bytes = virtual_bytes(120);
    let mut random = Random(99);
    for _ in 0..400 {
        let mut broken = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            broken[at] ^= 1 << random.below(8);
        }
        if let Ok(mut r) = reader(&broken) {
            let _ = r.config();
            let _ = r.files();
            if let Ok(ticks) = drain(&mut r) {
                // Only the summary, or the framing around it, may be wrong without being noticed
                // here.
                assert_eq!(ticks, 120);
            }
        }
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_leaves_it_readable() {
    let whole = virtual_bytes(1500).len();
    for share in [20, 50, 77, 99] {
        let output = Memory::new(whole * share / 100);
        let why = record_virtual(&output, u64::MAX, 1500).expect_err("it is full");
        assert!(why.contains("the file is whole up to"), "{why}");
        let bytes = output.take();
        let mut r = reader(&bytes).expect("still a recording");
        // Complete: closed in order after the last whole chunk.
        let ticks = drain(&mut r).expect("readable to its end");
        assert!(share < 50 || ticks > 300, "{ticks} ticks of {share} %");
        let outcome = replayed(&bytes, |_| true);
        assert_eq!(outcome.ticks + outcome.unverified_ticks, ticks);
        assert!(outcome.is_identical() || ticks == 0, "{:?}", outcome.end);
    }
    // Not enough capacity for the beginning.
    assert!(record_virtual(&Memory::new(100), u64::MAX, 10).is_err());
}

/// The loop's clock has run for hours when the run begins, and the file is cut back to its last
/// whole chunk.
#[test]
fn a_full_disk_is_told_in_the_sessions_time_and_as_far_as_the_file_goes() {
    let whole = virtual_bytes(1500).len();
    for share in [20, 77, 99] {
        let output = Memory::new(whole * share / 100);
        let mut setup = build(SCENE, Time::Virtual);
        let mut sink = recorder(SCENE, Time::Virtual, output.clone(), u64::MAX).expect("it begins");
        let arms = session::virtual_arms(&mut setup);
        let mut driver = VirtualLoop::new(
            setup.core,
            (setup.collider, setup.deformable),
            arms,
            4,
            setup.pair_capacity,
        );
        let mut run = || {
            for _ in 0..1500 {
                let mut record = *driver.step(false);
                record.now_ns += 17_360_083_000_000;
                sink.tick(&record)?;
                sink.step(driver.last_step())?;
            }
            sink.finish()
        };
        let why = run().expect_err("it is full");
        let ticks = drain(&mut reader(&output.take()).expect("a recording")).expect("readable");
        assert!(share < 50 || ticks > 300, "{ticks} ticks of {share} %");
        let last_s = ticks.saturating_sub(1) as f64 * 1e-3;
        let end = format!("; the file is whole up to {last_s:.3} s");
        assert!(why.ends_with(&end), "{why}, but it holds {ticks} ticks");
    }
}

#[test]
fn the_size_limit_holds() {
    for max_bytes in [1 << 20, 3 << 19] {
        let output = Memory::new(usize::MAX);
        let why = record_virtual(&output, max_bytes, 2500).expect_err("it is small");
        assert!(why.contains("size limit"), "{why}");
        let bytes = output.take();
        assert!(
            bytes.len() as u64 <= max_bytes && bytes.len() as u64 > max_bytes * 8 / 10,
            "{} of {max_bytes}",
            bytes.len()
        );
        let mut r = reader(&bytes).expect("a recording");
        assert!(drain(&mut r).expect("whole") > 200);
    }
}

#[test]
fn a_run_goes_on_without_its_recorder() {
    let loaded = parse(SCENE);
    let sink = recorder(SCENE, Time::Virtual, Memory::new(700_000), u64::MAX).expect("begins");
    let failure = sink.failure();
    let options = Options {
        duration_s: Some(1.5),
        check: false,
        sink: Some(Box::new(sink)),
        view: Box::new(|_| ViewAction::Continue),
        view_every: Duration::from_secs(1),
        reload: None,
        log: None,
        require_ipc: false,
    };
    let report = session::run_virtual(build(SCENE, Time::Virtual), &loaded.config, options);
    assert_eq!(report.ticks, 1500);
    assert!(
        failure
            .get()
            .is_some_and(|why| why.contains("no storage space")),
        "{failure:?}"
    );
}

#[test]
fn a_device_that_is_always_full_is_survived() {
    let output = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("Linux has one");
    let setup = Setup {
        meta: Meta::of_this(Time::Virtual, false),
        config: "",
        files: &[],
        arms: 0,
        max_bytes: u64::MAX,
        epoch_ns: 0,
    };
    let Err(why) = Recorder::new(output, &setup) else {
        panic!("wrote to a full device")
    };
    assert!(why.contains("No space left"), "{why}");
}
