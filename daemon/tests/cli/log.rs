//! Lines and levels of the log of a run.

use super::*;

#[test]
fn an_orderly_end_is_no_warning() {
    let dir = folder("end");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    daemon.signal("-TERM");
    let lines: Vec<String> = daemon.log.by_ref().map(Result::unwrap).collect();
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let told: Vec<&String> = (lines.iter())
        .filter(|line| line.contains("shutting down (39)"))
        .collect();
    assert!(!told.is_empty(), "{lines:#?}");
    for line in told {
        assert!(line.contains(" INFO arm=right force off: "), "{line}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}
