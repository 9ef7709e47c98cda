//! Shapes are filled up to their sides and not beyond; curves are set from end to end.

use super::*;
use hapticd_deformable::Blending;

fn body(text: &str) -> config::Body {
    let context = config::Context::new("", |_| None);
    let text = format!("[[body]]\nname = \"x\"\nkind = \"implicit\"\n{text}");
    let mut loaded = config::parse("test.toml", &text, &context).unwrap();
    loaded.config.bodies.remove(0)
}

fn made(text: &str) -> Result<ImplicitSpec, String> {
    implicit(&body(text), &[], Path::new(""), 5).map_err(|e| e.to_string())
}

#[test]
fn a_solid_is_filled_from_side_to_side() {
    let spec = made("shape = { kind = \"cuboid\", size_m = [0.1, 0.06, 0.04] }\nposition_m = [1, 2, 3]\npinned = \"bottom\"\nimplicit = { sphere_radius_m = 0.01 }").unwrap();
    // 80, 40 and 20 mm between the outermost centres, 12 mm between neighbours.
    assert_eq!(spec.points.len(), 7 * 4 * 2);
    assert_eq!(spec.pinned, (0..28).collect::<Vec<_>>());
    let middle: Vec3 = spec.points.iter().sum::<Vec3>() / 56.0;
    assert!((middle - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-12);
    assert!((spec.mass_kg - 0.24).abs() < 1e-12);
    let ball = made("shape = { kind = \"icosphere\", radius_m = 0.05 }\nimplicit = { model = \"fluid\", sphere_radius_m = 0.006 }").unwrap();
    assert!(ball.points.iter().all(|p| p.norm() < 0.05));
    assert!(ball.points.len() > 100, "{}", ball.points.len());
    assert!(matches!(ball.model, ImplicitModel::Fluid(_)));
}

#[test]
fn a_curve_is_filled_end_to_end() {
    let coil = made("shape = { kind = \"coil\", radius_m = 0.03, pitch_m = 0.02, turns = 2.5 }\npinned = \"ends\"\nimplicit = { model = \"strand\", sphere_radius_m = 0.008, blending = \"controlled\" }").unwrap();
    let count = coil.points.len();
    assert_eq!(coil.pinned, [0, 1, count - 2, count - 1]);
    assert_eq!(coil.blending, Blending::Controlled);
    assert!((coil.points[0] - Vec3::new(0.03, 0.0, -0.025)).norm() < 1e-12);
    assert!((coil.points[count - 1] - Vec3::new(-0.03, 0.0, 0.025)).norm() < 1e-12);
    let ways = coil.points.windows(2).map(|w| (w[1] - w[0]).norm());
    let [least, most] = ways.fold([f64::INFINITY, 0.0], |[a, b], w| [a.min(w), b.max(w)]);
    assert!(least > 0.0093 && most <= 0.0096, "{least} {most}");
    let folds = made("shape = { kind = \"folds\", run_m = 0.06, pitch_m = 0.02, runs = 3, layers = 2 }\nimplicit = { model = \"strand\", sphere_radius_m = 0.008, blending = \"creased\" }").unwrap();
    assert_eq!(folds.blending, Blending::Creased);
    // To and fro, up at the end of the third run, and back over it.
    let length_m = 6.0 * 0.06 + 5.0 * 0.01 * std::f64::consts::PI;
    let count = folds.points.len();
    assert_eq!(count as f64, (length_m / 0.0096).ceil() + 1.0);
    let step_m = length_m / (count - 1) as f64;
    assert!((folds.points[0] - Vec3::new(-0.03, -0.02, -0.01)).norm() < 1e-12);
    assert!((folds.points[count - 1] - Vec3::new(-0.03, -0.02, 0.01)).norm() < 1e-12);
    let ways = folds.points.windows(2).map(|w| (w[1] - w[0]).norm());
    let [least, most] = ways.fold([f64::INFINITY, 0.0], |[a, b], w| [a.min(w), b.max(w)]);
    // A chord of a half circle is shorter than its arc.
    assert!(
        least > 0.95 * step_m && most < step_m + 1e-12,
        "{least} {most}"
    );
    let sides = folds.points.iter().map(|p| p.abs());
    let size = sides.fold(Vec3::zeros(), |size, p| size.sup(&p));
    assert!(
        (size.y - 0.02).abs() < 1e-12 && (size.z - 0.01).abs() < 1e-12,
        "{size}"
    );
    assert!(size.x > 0.0385 && size.x <= 0.04, "{size}");
    let line =
        made("shape = { kind = \"line\", length_m = 0.1 }\nimplicit = { model = \"strand\" }")
            .unwrap();
    assert_eq!(line.points.len(), 12);
}

#[test]
fn what_cannot_be_made_says_what_to_change() {
    for (text, says) in [
        (
            "shape = { kind = \"cuboid\" , size_m = [0.1, 0.1, 0.1]}\nimplicit = { model = \"strand\" }",
            "strand `x`: give it a shape of kind \"coil\"",
        ),
        (
            "shape = { kind = \"line\", length_m = 0.1 }",
            "a `line` has no surface",
        ),
        (
            "shape = { kind = \"folds\", run_m = 0.1, pitch_m = 0.02 }",
            "a `folds` has no surface",
        ),
        (
            "shape = { kind = \"sheet\", size_m = 0.1 }\nsolid = false",
            "its shape is open",
        ),
        (
            "shape = { kind = \"cuboid\", size_m = [10, 10, 10] }",
            "there can be 20000",
        ),
        (
            "shape = { kind = \"line\", length_m = 100 }\nimplicit = { model = \"strand\", sphere_radius_m = 0.001 }",
            "there can be 20000",
        ),
        (
            "shape = { kind = \"torus\", major_radius_m = 0.05, minor_radius_m = 0.01 }\nimplicit = { sphere_radius_m = 0.06 }",
            "no sphere of 0.06 m fits",
        ),
    ] {
        let error = made(text).unwrap_err();
        assert!(error.contains(says), "{error}: not {says}");
    }
}
