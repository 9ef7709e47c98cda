//! An adopted mesh answers queries like one's own: how its vertices move, and which primitives are
//! invisible in it.

use hapticd_geometry::Vec3;
use hapticd_skin::{AdoptError, Ambiguity, Domain, Mesh, Primitive, Settings, Skin, SkinError};

fn settings(cells: u32) -> Settings {
    let cell_m = 2.0 / f64::from(cells);
    Settings {
        domain: Domain::new(Vec3::repeat(-1.0), cell_m, [cells; 3]).unwrap(),
        level: 0.35,
        ambiguity: Ambiguity::default(),
    }
}

/// Two strands of points, one point too weak to be visible, and one outside the box.
fn points(t: f64) -> Vec<Primitive> {
    let at = |i: u32| {
        let s = f64::from(i) * 0.05 + t;
        Vec3::new(
            0.6 * s.cos(),
            0.6 * s.sin(),
            if i.is_multiple_of(2) { -0.4 } else { 0.4 },
        )
    };
    let mut all: Vec<Primitive> = (0..40).map(|i| Primitive::point(at(i), 0.3)).collect();
    all.push(Primitive {
        amplitude: 0.1,
        ..Primitive::point(Vec3::new(-0.8, -0.8, 0.0), 0.15)
    });
    all.push(Primitive::point(Vec3::repeat(5.0), 0.3));
    all
}

/// Reverses the order of points and triangles, as another mesher might.
fn turned_round(mesh: &Mesh) -> Mesh {
    let last = mesh.points.len() as u32 - 1;
    Mesh {
        points: mesh.points.iter().rev().copied().collect(),
        normals: mesh.normals.iter().rev().copied().collect(),
        triangles: (mesh.triangles.iter().rev())
            .map(|t| t.map(|v| last - v))
            .collect(),
    }
}

#[test]
fn adopted_vertices_move_as_in_the_same_mesh() {
    let (settings, primitives) = (settings(40), points(0.0));
    let velocities: Vec<Vec3> = (0..primitives.len())
        .map(|i| Vec3::new(i as f64, -1.0, if i.is_multiple_of(2) { 3.0 } else { 0.0 }))
        .collect();
    let (mut maker, mut mesh) = (Skin::default(), Mesh::default());
    let report = maker.polygonize(&settings, &primitives, &mut mesh).unwrap();
    let mut theirs = Vec::new();
    maker.motions(&mesh, &velocities, &mut theirs).unwrap();
    for turned in [false, true] {
        let given = if turned {
            turned_round(&mesh)
        } else {
            mesh.clone()
        };
        let (mut other, mut ours) = (Skin::default(), Vec::new());
        let lost = other.adopt(&settings, &primitives, &given).unwrap();
        assert_eq!(lost, report.lost);
        assert_eq!((lost.weak, lost.outside, lost.unseen), (1, 1, 2));
        other.motions(&given, &velocities, &mut ours).unwrap();
        if turned {
            ours.reverse();
        }
        assert_eq!(ours.len(), theirs.len());
        for (a, b) in ours.iter().zip(&theirs) {
            assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-3), "{a:?} {b:?}");
        }
    }
}

/// Nothing is known of its bricks.
#[test]
fn an_adopted_mesh_leaves_the_next_untouched() {
    let (settings, primitives) = (settings(40), points(0.0));
    let mut mesh = Mesh::default();
    (Skin::default())
        .polygonize(&settings, &primitives, &mut mesh)
        .unwrap();
    let (mut skin, mut next) = (Skin::default(), Mesh::default());
    for _ in 0..2 {
        skin.adopt(&settings, &primitives, &mesh).unwrap();
        let report = skin.polygonize(&settings, &primitives, &mut next).unwrap();
        assert_eq!(report.reused, 0);
        assert!(next == mesh);
        // Its own mesh is reused.
        let report = skin.polygonize(&settings, &primitives, &mut next).unwrap();
        assert_eq!(report.reused, report.sampled);
        assert!(next == mesh);
    }
}

#[test]
fn a_mesh_of_something_else_is_refused() {
    let (settings, primitives) = (settings(40), points(0.0));
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    (Skin::default())
        .polygonize(&settings, &primitives, &mut mesh)
        .unwrap();
    let number = mesh.points.len() / 2;
    for at in [[0.0, 0.0, 0.9], [f32::NAN; 3], [-1e30, 0.0, 0.0]] {
        let mut other = mesh.clone();
        other.points[number] = at;
        match skin.adopt(&settings, &primitives, &other) {
            Err(AdoptError::Point { number: n, .. }) => assert_eq!(n, number),
            made => panic!("{made:?}"),
        }
        // There is no last mesh, and the next one is as usual.
        let none = skin.motions(
            &mesh,
            &vec![Vec3::zeros(); primitives.len()],
            &mut Vec::new(),
        );
        assert!(none.is_err());
    }
    let wrong = [Primitive::point(Vec3::zeros(), f64::NAN)];
    let refused = skin.adopt(&settings, &wrong, &mesh);
    assert!(matches!(
        refused,
        Err(AdoptError::Skin(SkinError::Primitive { number: 0, .. }))
    ));
    let lost = skin.adopt(&settings, &[], &Mesh::default()).unwrap();
    assert_eq!(lost.unseen, 0);
}
