//! Coordinates that no scene can have: beyond 10 km, in whatever file.

use super::*;

/// Returns a volume of 5 x 5 x 5 samples with the middle one inside.
fn volume(origin: &str) -> String {
    let mut text = format!(
        "NRRD0004\ntype: short\ndimension: 3\nsizes: 5 5 5\nspace: left-posterior-superior\n\
         space directions: (1,0,0) (0,1,0) (0,0,1)\nspace origin: {origin}\nencoding: ascii\n\n"
    );
    (0..125).for_each(|k| text += if k == 62 { "100 " } else { "0 " });
    text
}

fn body(kind: &str, shape: &str) -> String {
    format!("{ARM}[[body]]\nname = \"far\"\nkind = \"{kind}\"\nshape = {{ {shape} }}\n")
}

fn hid() -> String {
    let arm = "[[arm]]\nname = \"right\"\nkind = \"hid\"\nprofile = \"./arm.toml\"\n";
    format!("{arm}tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n")
}

const SAMPLES: &str = "implicit = { model = \"fixed\" }\n";
const TISSUE: &str = "[[body]]\nname = \"flank\"\nkind = \"tissue\"\n\
    shape = { kind = \"cuboid\", size_m = [0.12, 0.1, 0.08] }\n\
    [[layer]]\nname = \"fat\"\nthickness_m = 0.08\n";

/// Every file with coordinates: `check` names the key or the file's line, and no run begins.
#[test]
fn coordinates_beyond_ten_kilometres_are_refused_in_every_file() {
    let dir = folder("far");
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    let generic = include_str!("../../../config/devices/generic-vendor-3dof.toml");
    write("far.obj", &obj("0 0 3e9", false));
    write("near.obj", &obj("0 0 1", false));
    write("far.nrrd", &volume("(0,0,3e9)"));
    write("near.nrrd", &volume("(0,0,0)"));
    let far = |from: &str, to: &str| {
        assert!(generic.contains(from));
        generic.replacen(from, to, 1)
    };
    let scaled = "scale = 1e6";
    let mesh = "kind = \"mesh\", file = \"far.obj\"";
    let scaled_mesh = format!("kind = \"mesh\", file = \"near.obj\", {scaled}");
    let samples = |file: &str, scale: &str| {
        format!("kind = \"volume\", file = \"{file}\", level = 50, {scale}")
    };
    let track = "kind = \"script\"\nrepeat = true\n\
        track = [{ t_s = 0.0, position = [0.0, 0.0, 2e4] }]\n";
    let cases: [(&str, String, Option<String>, &str); 11] = [
        (
            "rigid",
            body("static", mesh),
            None,
            "line 4: vertex 4 is 3.000e9 m",
        ),
        (
            "soft",
            body("soft", mesh),
            None,
            "line 4: vertex 4 is 3.000e9 m",
        ),
        (
            "scaled",
            body("soft", &scaled_mesh),
            None,
            "m are allowed: is `scale` right?",
        ),
        (
            "spheres",
            body("implicit", mesh),
            None,
            "line 4: vertex 4 is 3.000e9 m",
        ),
        (
            "structure",
            body("structure", mesh) + TISSUE,
            None,
            "line 4: vertex 4 is 3.000e9 m",
        ),
        (
            "volume",
            body("implicit", &samples("far.nrrd", "scale = 0.001")) + SAMPLES,
            None,
            "its samples reach 3.000e6 m",
        ),
        (
            "scaled volume",
            body("implicit", &samples("near.nrrd", scaled)) + SAMPLES,
            None,
            "10000 m are allowed: is `scale` right?",
        ),
        (
            "workspace",
            hid(),
            Some(far("[0.08, 0.08, 0.08]", "[0.08, 2e9, 0.08]")),
            "`workspace_half_extents_m` must be 10000 m at most",
        ),
        (
            "centre",
            hid(),
            Some(far(
                "[limits]",
                "[limits]\nworkspace_center_m = [0, 0, -1e300]",
            )),
            "`workspace_center_m` must be 10000 m at most",
        ),
        (
            "flange",
            hid(),
            Some(far(
                "translations = 3",
                "translations = 3\nflange_from_tool = { translation_m = [2e9, 0, 0] }",
            )),
            "`translation_m` must be 10000 m at most",
        ),
        (
            "intention",
            ARM.replace("\"press\"", "\"./arm.toml\""),
            Some(track.to_owned()),
            "`position` = 20000 is above the maximum 10000 m",
        ),
    ];
    for (name, config, profile, words) in cases {
        write("case.toml", &config);
        write("arm.toml", profile.as_deref().unwrap_or(generic));
        for command in ["check", "run"] {
            let out = hapticd(&dir, &[command, "case.toml"]);
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert_eq!(out.status.code(), Some(2), "{command}, {name}: {said}");
            assert!(said.contains(words), "{command}, {name}: {said}");
            // The body, the profile's line, or the key of the intention.
            let place = ["`far`", "arm.toml:", "case.toml:"];
            assert!(
                place.iter().any(|p| said.contains(p)),
                "{command}, {name}: {said}"
            );
        }
    }
    // Coordinates within the bound are accepted.
    write(
        "case.toml",
        &(body("implicit", &samples("near.nrrd", "scale = 0.01")) + SAMPLES),
    );
    let out = hapticd(&dir, &["check", "case.toml"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}
