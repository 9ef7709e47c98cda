//! Four edges of a vertex represent all of them: exactly in the regular meshes here, nearly always
//! elsewhere. They never refuse what all edges together would accept.

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{TriMesh, Vec3, VertexEdges, shapes};

/// Whether no edge of the vertex leads nearer to a point in this direction, tested by all edges.
fn holds(
    mesh: &TriMesh,
    (index, around): (&MeshIndex, &VertexEdges),
    vertex: u32,
    direction: &Vec3,
) -> bool {
    let adjacency = index.adjacency().unwrap();
    around.of(vertex).iter().all(|&e| {
        let [p, q] = adjacency.edges[e as usize].vertices;
        let other = if p == vertex { q } else { p };
        let along = mesh.positions()[other as usize] - mesh.positions()[vertex as usize];
        direction.dot(&along.normalize()) <= 1e-9
    })
}

/// Directions over the whole sphere, the axes among them.
fn directions() -> impl Iterator<Item = Vec3> {
    let grid = -4..=4;
    let grid = move || grid.clone();
    grid()
        .flat_map(move |x| grid().flat_map(move |y| (-4..=4).map(move |z| (x, y, z))))
        .filter_map(|(x, y, z)| {
            Vec3::new(f64::from(x), f64::from(y), f64::from(z)).try_normalize(1e-9)
        })
}

/// Number of vertex directions that hold by all edges, and by the four edges alone.
fn count(mesh: TriMesh) -> (usize, usize) {
    let index = MeshIndex::new(mesh.clone());
    let around = index.adjacency().unwrap().around_vertices();
    let (mut by_all, mut by_four) = (0, 0);
    for vertex in 0..mesh.positions().len() as u32 {
        let four = index.along_edges(vertex);
        for direction in directions() {
            let all = holds(&mesh, (&index, &around), vertex, &direction);
            let some = four.iter().all(|along| direction.dot(along) <= 1e-9);
            assert!(some || !all, "a direction that holds is refused");
            by_all += usize::from(all);
            by_four += usize::from(some);
        }
    }
    (by_all, by_four)
}

/// A block with sides cut into 3 x 3 squares: vertices at corners, on ridges and on flat sides.
fn block() -> TriMesh {
    const N: i32 = 3;
    let mut positions: Vec<Vec3> = Vec::new();
    let mut triangles = Vec::new();
    let mut at = |p: Vec3| {
        let known = positions.iter().position(|q| *q == p);
        known.unwrap_or_else(|| {
            positions.push(p);
            positions.len() - 1
        }) as u32
    };
    for axis in 0..3 {
        for side in [0, N] {
            for i in 0..N {
                for j in 0..N {
                    let corner = |di: i32, dj: i32| {
                        let mut p = [0; 3];
                        p[axis] = side;
                        p[(axis + 1) % 3] = i + di;
                        p[(axis + 2) % 3] = j + dj;
                        Vec3::from(p.map(f64::from))
                    };
                    let square = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| at(corner(i, j)));
                    let [a, b, c, d] = square;
                    if side == 0 {
                        triangles.extend([[a, c, b], [a, d, c]]);
                    } else {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

#[test]
fn exact_on_regular_flats_ridges_and_corners() {
    let sheet = shapes::sheet(0.1, 6).unwrap();
    let (by_all, by_four) = count(sheet);
    assert_eq!(by_all, by_four);
    let (by_all, by_four) = count(block());
    assert_eq!(by_all, by_four);
    let cuboid = shapes::cuboid(&Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let (by_all, by_four) = count(cuboid);
    assert_eq!(by_all, by_four);
    assert!(by_all > 8);
}

#[test]
fn a_good_guess_on_smooth_surfaces() {
    for mesh in [
        shapes::torus(0.03, 0.01, 40, 20).unwrap(),
        shapes::terrain([0.1, 0.1], 30, 0.005, 0.05, 3).unwrap(),
    ] {
        let vertices = mesh.positions().len();
        let (by_all, by_four) = count(mesh);
        // Of 728 directions at each vertex, fewer than one passes by the four edges but not by all.
        assert!(
            by_four < by_all + vertices,
            "{by_four} of {by_all} at {vertices} vertices"
        );
    }
}

/// The hub of a wheel with this many spokes at random angles, flat.
fn wheel(spokes: u32, seed: &mut u64) -> TriMesh {
    let mut angles: Vec<f64> = (0..spokes)
        .map(|_| {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 11) as f64 / (1_u64 << 53) as f64 * std::f64::consts::TAU
        })
        .collect();
    angles.sort_by(f64::total_cmp);
    let rim = angles.iter().map(|a| Vec3::new(a.cos(), a.sin(), 0.0));
    let positions = std::iter::once(Vec3::zeros()).chain(rim).collect();
    let triangles = (1..=spokes).map(|k| [0, k, k % spokes + 1]).collect();
    TriMesh::new(positions, triangles).unwrap()
}

#[test]
fn a_good_guess_at_hubs() {
    let mut seed = 1;
    for spokes in [5, 7, 9, 14, 30] {
        let (mut closed, mut open) = (0, 0);
        for _ in 0..200 {
            let mesh = wheel(spokes, &mut seed);
            let index = MeshIndex::new(mesh.clone());
            let around = index.adjacency().unwrap().around_vertices();
            let four = index.along_edges(0);
            for k in 0..72 {
                let (sin, cos) = (f64::from(k) * 5.0_f64.to_radians()).sin_cos();
                let direction = Vec3::new(cos, sin, 0.0);
                if !holds(&mesh, (&index, &around), 0, &direction) {
                    closed += 1;
                    open += u32::from(four.iter().all(|e| direction.dot(e) <= 1e-9));
                }
            }
        }
        assert!(1000 * open < closed, "{spokes} spokes: {open} of {closed}");
    }
}

#[test]
fn a_point_has_none() {
    let index = MeshIndex::point(Vec3::x());
    assert_eq!(index.along_edges(0), [Vec3::zeros(); 4]);
    assert_eq!(index.along_edges(7), [Vec3::zeros(); 4]);
}
