//! Procedural stand-ins for the models of the published experiments, which are not available:
//! metres, deterministic, no I/O.
//!
//! Each has the size and about the triangle count of the original, and the traits that its
//! experiments depend on: thin plates, holes for a part to pass, open patches, smooth curvature.
//! They are closed, face outward and do not intersect themselves, unless stated otherwise.

pub mod bunny;
pub mod car;
pub mod concave;
pub mod lift_door;
pub mod mannequin;
pub mod meshing;
pub mod nozzle;
pub mod pylon;
pub mod steering_wheel;
pub mod teapot;
pub mod test_door;
pub mod window_motor;

mod lattice;

pub use bunny::bunny;
pub use lift_door::lift_door;
pub use teapot::teapot;
pub use test_door::test_door;
pub use window_motor::window_motor;

#[cfg(test)]
mod tests {
    use hapticd_ccd::MeshIndex;
    use hapticd_ccd::intersect::Intersections;
    use hapticd_geometry::{MassProperties, MeshReport, Pose, TriMesh};

    use super::*;

    fn report(mesh: &MeshIndex) -> MeshReport {
        MeshReport::of(mesh.mesh().unwrap(), mesh.adjacency().unwrap())
    }

    fn is_near(count: usize, original: usize) -> bool {
        count.abs_diff(original) * 20 <= original
    }

    #[test]
    fn solids_are_closed_outward_heavy_and_do_not_cross_themselves() {
        let cases: [(&str, TriMesh, f64); 4] = [
            ("motor", window_motor().unwrap(), 7800.0),
            ("door", lift_door().unwrap(), 7800.0),
            ("test door", test_door().unwrap(), 400.0),
            ("bunny", bunny().unwrap(), 1000.0),
        ];
        for (name, mesh, density) in cases {
            let mesh = MeshIndex::new(mesh);
            let r = report(&mesh);
            assert!(r.oriented && r.degenerate_triangles == 0, "{name}: {r:?}");
            assert_eq!(r.components, 1, "{name}");
            let mass = MassProperties::of(mesh.mesh().unwrap(), &r, density).unwrap();
            assert!(mass.mass > 0.1 && mass.mass < 100.0, "{name}: {mass:?}");
            let triangles = mesh.mesh().unwrap().triangles();
            let mut crossings = Intersections::default();
            let apart = |&&(i, j): &&(u32, u32)| {
                let (i, j) = (triangles[i as usize], triangles[j as usize]);
                !i.iter().any(|v| j.contains(v))
            };
            let crossing = crossings.all(&mesh, &mesh, &Pose::identity());
            assert_eq!(crossing.iter().filter(apart).count(), 0, "{name}");
        }
    }

    #[test]
    fn counts_are_those_of_the_originals() {
        let count = |mesh: TriMesh| mesh.triangles().len();
        let (motor, door) = (count(window_motor().unwrap()), count(lift_door().unwrap()));
        assert!(is_near(motor + door, 20_000), "{motor} + {door}");
        assert!(is_near(count(test_door().unwrap()), 3_530));
        assert!(is_near(count(bunny().unwrap()), 5_000));
        let pot = count(teapot().unwrap());
        assert!(is_near(pot, 6_320), "{pot}");
    }

    #[test]
    fn the_teapot_is_open_and_has_no_mass() {
        let mesh = MeshIndex::new(teapot().unwrap());
        let r = report(&mesh);
        assert!(!r.closed && r.boundary_edges > 100, "{r:?}");
        assert_eq!(
            (r.non_manifold_edges, r.degenerate_triangles),
            (0, 0),
            "{r:?}"
        );
        assert!(r.components > 4, "{r:?}");
        assert!(MassProperties::of(mesh.mesh().unwrap(), &r, 1000.0).is_err());
    }

    #[test]
    fn the_mounted_motor_is_inside_the_door_and_fits_through_its_access_hole() {
        let (motor, door) = (
            MeshIndex::new(window_motor().unwrap()),
            MeshIndex::new(lift_door().unwrap()),
        );
        let mut crossings = Intersections::default();
        let mounted = lift_door::mounted_motor();
        assert!(!crossings.any(&motor, &door, &mounted));
        let (low, high) = door.mesh().unwrap().bounds();
        let at = mounted.translation.vector;
        assert!((0..3).all(|i| low[i] < at[i] && at[i] < high[i]), "{at}");
        // Along the door to the hole, and out.
        let way = [at, lift_door::before_access_hole(), lift_door::outside()];
        for leg in way.windows(2) {
            for k in 0..=40 {
                let mut pose = mounted;
                pose.translation.vector = leg[0].lerp(&leg[1], f64::from(k) / 40.0);
                assert!(!crossings.any(&motor, &door, &pose), "{pose}");
            }
        }
        assert!((0..3).any(|i| lift_door::outside()[i] > high[i] + 0.02));
    }
}
