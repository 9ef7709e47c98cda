//! Intention files: all errors are reported at once, each with its place.

use hapticd_config::{HandIntention, HandPattern, parse_intention};

/// Returns the place and the first line of each error.
fn said(text: &str) -> Vec<String> {
    let errors = parse_intention("hand.toml", text).unwrap_err().to_string();
    let lines = errors.lines().filter(|l| l.starts_with("hand.toml:"));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_fault_of_a_track_is_told() {
    let text = "kind = \"script\"\nrepeat = 1\nspeed = 3\ntrack = [\n\
        { t_s = 0.0, position = [0.0, 0.0] },\n\
        { t_s = 0.5, position = [0.0, 0.0, 2e4], tilt = 1.0 },\n\
        { t_s = 0.5, position = [0.0, 0.0, 0.1], rotation = [nan, 0.0, 0.0] },\n\
        { position = [0.0, 0.0, 0.1] },\n\
        { t_s = 0.2, position = [0.0, 0.0, 0.1] },\n]\n";
    assert_eq!(
        said(text),
        [
            "hand.toml:2:10: error: `repeat` must be true or false, not an integer",
            "hand.toml:3:1: error: unknown key `speed` in the file",
            "hand.toml:5:25: error: `position` must have 3 numbers, not 2",
            "hand.toml:6:36: error: `position` = 20000 is above the maximum 10000 m",
            "hand.toml:6:42: error: unknown key `tilt` in [[track]] number 2",
            "hand.toml:7:9: error: `t_s` = 0.5 s is not later than 0.5 s, the time of the pose \
             before it",
            "hand.toml:7:54: error: `rotation` must be a finite number, not nan",
            "hand.toml:8:1: error: [[track]] number 4 needs the key `t_s`",
            "hand.toml:9:9: error: `t_s` = 0.2 s is not later than 0.5 s, the time of the pose \
             before it",
        ]
    );
}

#[test]
fn faults_beyond_a_single_key_are_reported() {
    let pose = "{ t_s = 0.0, position = [0.0, 0.0, 0.0] }";
    for (text, words) in [
        (String::new(), "the file needs the key `kind`"),
        ("kind = \"dance\"\n".into(), "`kind` cannot be \"dance\""),
        (
            "kind = \"recorded\"\n".into(),
            "the file needs the key `track`",
        ),
        (
            "kind = \"script\"\ntrack = []\n".into(),
            "`track` has no poses",
        ),
        (
            format!("kind = \"script\"\nrepeat = true\ntrack = [{pose}]\n"),
            "needs a `track` of two poses or more, and it has one",
        ),
        (
            "kind = \"circle\"\ncenter = [0, 0, 0]\nradius_m = 0.1\nperiod_s = 0.0\n".into(),
            "`period_s` = 0 is below the minimum",
        ),
        ("kind = \n".into(), "hand.toml:1:"),
    ] {
        let all = said(&text).join("\n");
        let end = parse_intention("hand.toml", &text).unwrap_err().to_string();
        assert!(all.contains(words) || end.contains(words), "{text}: {end}");
    }
}

#[test]
fn good_files_are_read() {
    let read = |text: &str| parse_intention("hand.toml", text).unwrap();
    let explore = "kind = \"explore\"\ncenter = [0, 0, 0.1]\nhalf_width_m = [0.1, 0.2]\n\
        pressure_depth_m = 0.01\nspeed_m_s = 0.1\npattern = \"lissajous\"\n";
    let expected = HandIntention::Explore {
        center: [0.0, 0.0, 0.1],
        rotation: [0.0; 3],
        half_width_m: [0.1, 0.2],
        pressure_depth_m: 0.01,
        speed_m_s: 0.1,
        pattern: HandPattern::Lissajous,
    };
    assert_eq!(read(explore), expected);
    let tables = "kind = \"recorded\"\n[[track]]\nt_s = 1\nposition = [0, 0, 0]\n\
        [[track]]\nt_s = 2\nposition = [0, 0, 0]\n";
    let HandIntention::Recorded { track } = read(tables) else {
        panic!("another kind");
    };
    assert_eq!(track.len(), 2);
    let turns = "kind = \"circle\"\ncenter = [0, 0, 0]\nradius_m = 0.1\nperiod_s = -2\n";
    assert!(matches!(
        read(turns),
        HandIntention::Circle { period_s: -2.0, .. }
    ));
}
