//! Force of a coarse mesh that stands for a smooth surface, as recorded.

use super::*;

/// Radius of the mesh and of the tool, m.
const RADIUS_M: f64 = 0.05;
const BALL_M: f64 = 0.005;

/// Returns the angle between the force and the sphere's radius at the tool, root mean square,
/// degrees, while a hand goes over the top of the default sphere, 2 mm deep. The sphere is a shape,
/// or comes from a file.
fn off_deg(name: &str, shape: &str, force_shading: &str) -> f64 {
    let folder = Folder::new(&format!("shading-{name}"));
    let keys: String = (0..=200)
        .map(|k| {
            let angle = -0.4 + 0.004 * f64::from(k);
            let r = RADIUS_M + BALL_M - 0.002;
            format!(
                "{{ t_s = {:?}, position = [{:?}, 0.003, {:?}] }}, ",
                1.0 + 0.01 * f64::from(k),
                r * angle.sin(),
                r * angle.cos()
            )
        })
        .collect();
    let hand = format!(
        "kind = \"script\"\ntrack = [ {{ t_s = 0.0, position = [-0.03, 0.003, 0.07] }}, {keys} ]\n"
    );
    let scene = format!(
        "[[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         tool = {{ kind = \"sphere\", radius_m = {BALL_M:?} }}\n\
         mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, resolution_m = 0.0, \
         coulomb_friction_n = 0.0, delay_us = 0 }}\n\
         hand = {{ stiffness_n_per_m = 5000.0, damping_n_s_per_m = 50.0 }}\n\
         [safety]\nramp_s = 0.1\n\
         [[body]]\nname = \"ball\"\nmaterial = \"smooth\"\n\
         shape = {{ {shape} }}\n\
         [[material]]\nname = \"smooth\"\n{force_shading}\n\
         stiffness_n_per_m = 800.0\ndamping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
    );
    std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    std::fs::write(folder.0.join("ball.obj"), obj()).unwrap();
    let ticks = arm(&folder.run(3));
    let (mut sum, mut count) = (0.0, 0);
    // The last ticks are the final fade.
    for tick in &ticks[1200..2700] {
        let dot: f64 = (0..3).map(|k| tick.force_n[k] * tick.proxy_m[k]).sum();
        let radius_m = recording::length(&tick.proxy_m);
        assert!(tick.length_n() > 0.5, "{tick:?}");
        let cosine = (dot / (tick.length_n() * radius_m)).min(1.0);
        sum += cosine.acos().to_degrees().powi(2);
        count += 1;
    }
    (sum / f64::from(count)).sqrt()
}

/// The default sphere as a file.
fn obj() -> String {
    let mesh = hapticd_geometry::shapes::icosphere(RADIUS_M, 3).unwrap();
    let points = mesh.positions().iter();
    let points = points.map(|p| format!("v {:?} {:?} {:?}\n", p.x, p.y, p.z));
    let faces = mesh.triangles().iter();
    let faces = faces.map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    points.chain(faces).collect()
}

#[test]
fn a_coarse_sphere_is_felt_as_a_sphere_where_its_shape_or_material_says_so() {
    let shape = format!("kind = \"icosphere\", radius_m = {RADIUS_M:?}");
    let file = "kind = \"mesh\", file = \"ball.obj\"";
    let [off, shapes, all] = ["off", "shapes", "all"].map(|s| format!("force_shading = \"{s}\""));
    for (name, shape, material, smooth) in [
        ("off", shape.as_str(), off.as_str(), false),
        ("default", &shape, "", true),
        ("shapes", &shape, &shapes, true),
        ("file", file, "", false),
        ("all", file, &all, true),
    ] {
        let off_deg = off_deg(name, shape, material);
        match smooth {
            true => assert!(off_deg < 0.5, "{name}: a sphere, but {off_deg} degrees"),
            false => assert!(off_deg > 1.5, "{name}: the mesh, but {off_deg} degrees"),
        }
    }
}
