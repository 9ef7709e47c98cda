//! Very many primitives: meshed, or refused with a reason; memory scales with the surface.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::Graph;
use hapticd_skin::quality::{Budget, Quality};
use hapticd_skin::{Ambiguity, Checker, Domain, Mesh, Primitive, Settings, Skin, SkinError};

fn settings(domain: Domain) -> Settings {
    Settings {
        domain,
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

/// A wavy sheet of `side`² points a centimetre apart.
fn sheet(side: u32) -> Vec<Primitive> {
    let at = |k: u32| {
        let [x, y] = [k % side, k / side].map(|i| 0.01 * f64::from(i));
        Vec3::new(x, y, 0.05 * (2.0 * x).sin() * (1.5 * y).cos())
    };
    (0..side * side)
        .map(|k| Primitive::point(at(k), 0.02))
        .collect()
}

/// A million, 10 m wide: as many as requested, closed, and each with an effect.
#[test]
fn a_million_primitives_make_a_mesh() {
    let sheet = sheet(1000);
    assert_eq!(sheet.len(), 1_000_000);
    let mut quality = Quality::new(Budget {
        cell_m: 0.001,
        triangles: 500_000.0,
        seconds: f64::INFINITY,
    })
    .unwrap();
    let choice = quality.choose(0.5, &sheet).unwrap();
    assert!(choice.is_below() && !choice.over, "{choice:?}");
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    // Coarser than the sheet is thick: what is left of it closes.
    let coarse = settings(choice.domain);
    let report = skin.polygonize(&coarse, &sheet, &mut mesh).unwrap();
    assert!(mesh.triangles.len() < 500_000, "{}", mesh.triangles.len());
    assert!(Checker::default().check(&mesh).is_sound());
    assert_eq!(report.lost.small, 1_000_000);
    // Fine enough to resolve it, with only a part of it in the domain.
    let part = Domain::holding(Vec3::new(4.0, 4.0, -0.1), Vec3::new(5.0, 5.0, 0.1), 0.01).unwrap();
    let report = skin.polygonize(&settings(part), &sheet, &mut mesh).unwrap();
    assert!(report.lost.outside > 980_000, "{report:?}");
    assert!(mesh.triangles.len() > 40_000 && report.clipped > 0);
    assert!(Checker::default().check(&mesh).is_sound());
}

/// All in one place, which is one brick's list: no limit where all blend, and a clear limit where
/// they do not.
#[test]
fn a_crowd_in_one_place_works_or_says_why_not() {
    let ball = |k: u32| Primitive {
        amplitude: 1e-4,
        ..Primitive::point(1e-6 * Vec3::new(k.into(), 0.3, 0.7), 0.2)
    };
    let crowd: Vec<Primitive> = (0..100_000).map(ball).collect();
    let settings = settings(Domain::new(Vec3::repeat(-0.5), 0.05, [20; 3]).unwrap());
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let report = skin.polygonize(&settings, &crowd, &mut mesh).unwrap();
    assert_eq!((mesh.euler(), report.lost.weak), (2, 100_000));
    assert!(Checker::default().check(&mesh).is_sound());
    let made = skin.polygonize_controlled(&settings, &crowd, &Graph::new(), &mut mesh);
    assert!(matches!(made, Err(SkinError::Crowded(_))));
    assert_eq!(mesh, Mesh::default());
}

/// Memory scales with the surface, plus a word or two per reached brick; a nearly empty box costs
/// next to nothing.
#[test]
fn memory_goes_with_the_surface() {
    let ball = [Primitive::point(Vec3::new(0.013, -0.007, 0.021), 1.0)];
    for cell_m in [0.02, 0.01, 0.005] {
        let domain = Domain::around(&ball, 0.5, cell_m).unwrap();
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        let report = skin
            .polygonize(&settings(domain), &ball, &mut mesh)
            .unwrap();
        let most = 70 * mesh.points.len() + 70 * report.reached + 10_000;
        assert!(skin.bytes() < most, "{cell_m}: {} of {most}", skin.bytes());
        // Twice: a mesh and the one before.
        skin.polygonize(&settings(domain), &ball, &mut mesh)
            .unwrap();
        assert!(skin.bytes() < 2 * most);
    }
    let wide = Domain::new(Vec3::repeat(-3.5), 0.02, [350; 3]).unwrap();
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    skin.polygonize(&settings(wide), &ball, &mut mesh).unwrap();
    assert!(skin.bytes() < 4_000_000, "{}", skin.bytes());
}
