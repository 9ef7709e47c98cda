//! A volume goes from its file to its place in the world; errors name the faulty part.

use super::*;
use hapticd_deformable::ImplicitModel;
use hapticd_geometry::{Pose, Quat};

fn body(text: &str) -> config::Body {
    let context = config::Context::new("", |_| None);
    let text = format!("[[body]]\nname = \"x\"\nkind = \"implicit\"\n{text}");
    let mut loaded = config::parse("test.toml", &text, &context).unwrap();
    loaded.config.bodies.remove(0)
}

/// A temporary folder, removed on drop.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("hapticd-volume-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn made(&self, text: &str) -> Result<ImplicitSpec, String> {
        let made = crate::implicit::implicit(&body(text), &[], &self.0, 5);
        made.map_err(|error| error.to_string())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns a ball of 6 mm in samples a millimetre apart, off the centre of the file's frame, as a
/// scanner that counts in millimetres would write it.
fn ball(units: bool) -> Vec<u8> {
    let mut text = String::from(
        "NRRD0004\ntype: short\ndimension: 3\nsizes: 17 17 17\nspace: left-posterior-superior\nspace directions: (0,1,0) (-1,0,0) (0,0,1)\nspace origin: (20,12,22)\nencoding: ascii\n",
    );
    if units {
        text += "space units: \"mm\" \"mm\" \"mm\"\n";
    }
    text += "\n";
    for k in 0..17 * 17 * 17 {
        let at = [k % 17 - 8, k / 17 % 17 - 8, k / 289 - 8].map(f64::from);
        let away = Vec3::from(at).norm() - 6.0;
        let sample = (300.0 - 200.0 * away).clamp(-1000.0, 1500.0).round() as i16;
        text += &format!("{sample} ");
    }
    text.into_bytes()
}

#[test]
fn a_file_is_a_body_in_its_place_at_its_scale() {
    let folder = Folder::new("place");
    std::fs::write(folder.0.join("mm.nrrd"), ball(true)).unwrap();
    std::fs::write(folder.0.join("bare.nrrd"), ball(false)).unwrap();
    let place = Pose::from_parts(
        Vec3::new(0.3, -0.1, 0.2).into(),
        Quat::from_euler_angles(0.0, 0.0, std::f64::consts::FRAC_PI_2),
    );
    for (file, scale, m) in [
        ("mm", "", 1e-3),
        ("mm", ", scale = 0.002", 2e-3),
        ("bare", ", scale = 0.001", 1e-3),
    ] {
        let spec = folder.made(&format!("shape = {{ kind = \"volume\", file = \"{file}.nrrd\", level = 300{scale} }}\nposition_m = [0.3, -0.1, 0.2]\nrpy_deg = [0, 0, 90]\nimplicit = {{ model = \"fixed\" }}"));
        let spec = spec.unwrap();
        let ImplicitModel::Sampled(sampled) = &spec.model else {
            panic!("{:?}", spec.points);
        };
        // Eight samples from the first along each direction.
        let centre = transform(&place, &(Vec3::new(20.0 - 8.0, 12.0 + 8.0, 22.0 + 8.0) * m));
        for side in [
            Vec3::x(),
            -Vec3::x(),
            Vec3::y(),
            -Vec3::y(),
            Vec3::z(),
            -Vec3::z(),
        ] {
            let foot = sampled.foot(&(centre + side * 7.5 * m)).unwrap();
            assert!((foot.distance_m - 1.5 * m).abs() < 0.02 * m, "{foot:?}");
            assert!((foot.normal - side).norm() < 0.02, "{foot:?}");
        }
        assert!((spec.cell_m - m).abs() < 1e-12);
        assert!((spec.points[0] - centre).norm() < 2.0 * m);
    }
}

#[test]
fn a_generated_volume_equals_one_read_back() {
    let folder = Folder::new("skull");
    let mut bytes = Vec::new();
    let made = skull::skull(0.1, 32).unwrap();
    nrrd::write(&mut bytes, &made).unwrap();
    std::fs::write(folder.0.join("skull.nrrd"), bytes).unwrap();
    let model = "implicit = { model = \"fixed\", cell_m = 0.004 }";
    let built_in = folder.made(&format!(
        "shape = {{ kind = \"skull\", height_m = 0.1, samples = 32 }}\n{model}"
    ));
    let file = folder.made(&format!(
        "shape = {{ kind = \"volume\", file = \"skull.nrrd\", level = 500 }}\n{model}"
    ));
    assert_eq!(built_in.unwrap(), file.unwrap());
}

#[test]
fn bad_volumes_name_the_fault() {
    let folder = Folder::new("faults");
    std::fs::write(folder.0.join("mm.nrrd"), ball(true)).unwrap();
    std::fs::write(folder.0.join("bare.nrrd"), ball(false)).unwrap();
    let broken = String::from_utf8(ball(true))
        .unwrap()
        .replace("dimension: 3", "dimension: 4");
    std::fs::write(folder.0.join("colours.nrrd"), broken).unwrap();
    let fixed = "implicit = { model = \"fixed\" }";
    for (shape, model, says) in [
        (
            "kind = \"volume\", file = \"mm.nrrd\", level = 300",
            "",
            "body `x` is made of samples, which nothing moves",
        ),
        (
            "kind = \"skull\"",
            "implicit = { model = \"fluid\" }",
            "body `x` is made of samples",
        ),
        (
            "kind = \"volume\", file = \"bare.nrrd\", level = 300",
            fixed,
            "body `x`: its file does not say in which unit",
        ),
        (
            "kind = \"volume\", file = \"mm.nrrd\", level = 1600",
            fixed,
            "body `x`: no surface: the samples within the border go from ",
        ),
        (
            "kind = \"volume\", file = \"mm.nrrd\", level = -1000",
            fixed,
            "body `x`: no surface",
        ),
        (
            "kind = \"volume\", file = \"mm.nrrd\", level = 300, scale = 1e-6",
            "position_m = [900, 0, 0]\nimplicit = { model = \"fixed\" }",
            "body `x`: [900",
        ),
    ] {
        let error = folder
            .made(&format!("shape = {{ {shape} }}\n{model}"))
            .unwrap_err();
        assert!(error.starts_with(says), "{error}");
    }
    for (file, says) in [
        ("colours", "line 3: not supported: other than three axes"),
        ("none", "No such file"),
    ] {
        let shape = format!(
            "shape = {{ kind = \"volume\", file = \"{file}.nrrd\", level = 300 }}\n{fixed}"
        );
        let error = folder.made(&shape).unwrap_err();
        assert!(
            error.starts_with("body `x`: ") && error.contains(says),
            "{error}"
        );
        assert!(error.contains(&format!("{file}.nrrd")), "{error}");
    }
    // No other model can be made of samples.
    for shape in [
        "kind = \"skull\"",
        "kind = \"volume\", file = \"mm.nrrd\", level = 300",
    ] {
        let mut other = body(&format!("shape = {{ {shape} }}\n{fixed}"));
        other.kind = config::BodyKind::Static;
        let error = crate::body(&other, &[], &folder.0).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("is made of samples: only an implicit body"),
            "{error}"
        );
    }
}

#[test]
fn a_recording_brings_its_volumes_along_also_those_in_two_files() {
    use hapticd_recording::files::{Unpacked, embed};
    let folder = Folder::new("recording");
    let whole = String::from_utf8(ball(true)).unwrap();
    let (head, samples) = whole.split_once("\n\n").unwrap();
    let path = folder.0.join("ball.nhdr");
    std::fs::write(&path, format!("{head}\ndata file: ball.txt\n")).unwrap();
    std::fs::write(folder.0.join("ball.txt"), samples).unwrap();
    let shape = format!(
        "shape = {{ kind = \"volume\", file = \"{}\", level = 300 }}\nimplicit = {{ model = \"fixed\" }}",
        path.display()
    );
    let text = format!("[[body]]\nname = \"x\"\nkind = \"implicit\"\n{shape}\n");
    let context = config::Context::new("", |_| None);
    let mut config = config::parse("test.toml", &text, &context).unwrap().config;
    let files = embed(&config).unwrap();
    let before = folder.made(&shape).unwrap();
    std::fs::remove_file(folder.0.join("ball.txt")).unwrap();
    assert!(embed(&config).is_err(), "half of it is no volume");
    let _unpacked = Unpacked::new(&mut config, &files).unwrap();
    let after = implicit(&config.bodies[0], &[], Path::new(""), 5);
    assert_eq!(after.unwrap(), Some(before));
}
