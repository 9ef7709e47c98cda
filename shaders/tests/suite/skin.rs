//! A skin of the GPU equals the CPU's: closed, wound outwards, and with every vertex where the CPU
//! has one, up to single precision.
//!
//! # Tolerance
//!
//! The sum at a node, of `n` terms with amplitudes of `A` levels in all, has an error of some
//! `(n + 16) ε A` levels in either implementation. A vertex is where a line between two sums is 1:
//! its error is twice that over their difference, in cubes. So it is accurate to a hundredth of a
//! cube wherever the sums differ by two hundred times the error ([`TOLERANCE`]). Where they do not,
//! the level cannot be distinguished from a node's sum within that error. Both are checked in
//! double precision, for each vertex without a counterpart within the tolerance.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use std::collections::HashMap;

use common::{Random, choice, gpu};
use hapticd_deformable::{Blending, LargeSkin, SkinBy, SkinMaker, SkinSpec, SkinState};
use hapticd_geometry::Vec3;
use hapticd_shaders::{
    BufferError, Fault, Gpu, GpuReport, GpuSkin, GpuSkinError, LargeSkins, Options, Patience,
    SkinRefused, wgpu,
};
use hapticd_skin::{
    Ambiguity, Checker, Domain, Kernel, Mesh, Polygonizer, Primitive, Settings, Skeleton, Skin,
    SkinError,
};

/// Maximum distance of a vertex from its counterpart, in edges of cubes.
const TOLERANCE: f64 = 0.01;
/// Maximum angle between their normals, rad, where the gradient is not negligible.
const ANGLE: f64 = 0.01;

fn skin() -> GpuSkin {
    GpuSkin::new(gpu(), Patience::Answer).unwrap()
}

fn settings(low: Vec3, cell_m: f64, cells: [u32; 3], level: f64) -> Settings {
    Settings {
        domain: Domain::new(low, cell_m, cells).unwrap(),
        level,
        ambiguity: Ambiguity::default(),
    }
}

/// A box from -1 to 1 m, with this many cubes along each axis.
fn cube(cells: u32, level: f64) -> Settings {
    settings(
        Vec3::repeat(-1.0),
        2.0 / f64::from(cells),
        [cells; 3],
        level,
    )
}

/// Sixty-four points on a moving curve.
fn chain(t: f64, radius_m: f64) -> Vec<Primitive> {
    let at = |i: u32| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new(
            (6.0 * s + t).sin(),
            (9.0 * s + 1.7 * t + 0.5).sin(),
            (5.0 * s + 0.9 * t).cos(),
        )
    };
    (0..64).map(|i| Primitive::point(at(i), radius_m)).collect()
}

/// A scene evaluated in double precision.
struct Exact<'a> {
    settings: &'a Settings,
    primitives: &'a [Primitive],
    /// Possible error of a sum in single precision, in levels.
    error: f64,
}

impl<'a> Exact<'a> {
    fn of(settings: &'a Settings, primitives: &'a [Primitive]) -> Self {
        let size: f64 = primitives.iter().map(|p| p.amplitude.abs()).sum();
        // No more terms reach a node than exist. In a large scene far fewer do: the tolerance for a
        // hundredth of them applies.
        let share = if primitives.len() > 100 { 0.01 } else { 1.0 };
        let terms = share * primitives.len() as f64 + 16.0;
        let error = terms * f64::from(f32::EPSILON) * (share * size).max(1.0) / settings.level;
        Self {
            settings,
            primitives,
            error,
        }
    }

    /// Sum in levels, clipped at nodes on the domain's border.
    fn sum(&self, node: [f64; 3]) -> f64 {
        let domain = &self.settings.domain;
        let at = domain.low() + domain.cell_m() * Vec3::from(node);
        let sum: f64 = self.primitives.iter().map(|p| p.value(&at)).sum();
        let cells = domain.cells().map(f64::from);
        let within = (0..3).all(|k| node[k] > 0.0 && node[k] < cells[k]);
        let sum = sum / self.settings.level;
        if within { sum } else { sum.min(1.0) }
    }

    /// True if single precision may put a vertex there, elsewhere, or nowhere.
    fn is_open(&self, cubes: [f64; 3]) -> bool {
        let off = cubes.map(|x| (x - x.round()).abs());
        let along = (0..3).max_by(|a, b| off[*a].total_cmp(&off[*b])).unwrap();
        let node = cubes.map(f64::round);
        // Next to it in both directions, if it is on a node.
        (-1..=1).any(|step| {
            (0..3)
                .filter(|k| off[along] < 2e-2 || *k == along)
                .any(|k| {
                    let (mut a, mut b) = (node, node);
                    a[k] = cubes[k].floor() + f64::from(step);
                    b[k] = a[k] + 1.0;
                    let (a, b) = (self.sum(a), self.sum(b));
                    let near = (a - 1.0).abs().min((b - 1.0).abs()) <= self.error;
                    near || (a - b).abs() <= 2.0 * self.error / TOLERANCE
                })
        })
    }

    /// Number of nodes with a side that single precision may not decide.
    fn open_nodes(&self) -> usize {
        let [x, y, z] = self.settings.domain.cells();
        let nodes =
            (0..=z).flat_map(|k| (0..=y).flat_map(move |j| (0..=x).map(move |i| [i, j, k])));
        let sums = nodes.map(|node| self.sum(node.map(f64::from)));
        sums.filter(|sum| (sum - 1.0).abs() <= self.error).count()
    }

    fn cubes(&self, point: &[f32; 3]) -> [f64; 3] {
        let domain = &self.settings.domain;
        ((Vec3::from(point.map(f64::from)) - domain.low()) / domain.cell_m()).into()
    }

    /// Number of vertices of `mesh` without a counterpart in `other`, and the maximum distance of
    /// the rest.
    fn compare(&self, mesh: &Mesh, other: &Mesh) -> (usize, f64) {
        let key = |p: [f64; 3]| p.map(|x| x.floor() as i32);
        let mut cells: HashMap<[i32; 3], Vec<usize>> = HashMap::new();
        for (i, point) in other.points.iter().enumerate() {
            cells.entry(key(self.cubes(point))).or_default().push(i);
        }
        let (mut alone, mut furthest) = (0, 0.0_f64);
        for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
            let at = self.cubes(point);
            let near = |i: &usize| {
                let other = self.cubes(&other.points[*i]);
                (Vec3::from(other) - Vec3::from(at)).norm()
            };
            let around =
                (-1..=1).flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| [x, y, z])));
            let around = around.filter_map(|by| {
                let [x, y, z] = key(at);
                cells.get(&[x + by[0], y + by[1], z + by[2]])
            });
            let nearest = around
                .flatten()
                .map(|i| (near(i), *i))
                .min_by(|a, b| a.0.total_cmp(&b.0));
            match nearest {
                Some((distance, i)) if distance <= TOLERANCE => {
                    furthest = furthest.max(distance);
                    let [a, b] = [normal, &other.normals[i]].map(|n| Vec3::from(n.map(f64::from)));
                    assert!((a.norm() - 1.0).abs() < 1e-5, "{a:?}");
                    if a.angle(&b) > ANGLE {
                        assert!(self.slope(&at) < 0.02, "{a:?} {b:?} at {at:?}");
                    }
                }
                _ => {
                    alone += 1;
                    assert!(self.is_open(at), "a vertex at {at:?}: {nearest:?}");
                }
            }
        }
        (alone, furthest)
    }

    /// Slope of the sum, in levels per edge of a cube.
    fn slope(&self, cubes: &[f64; 3]) -> f64 {
        let domain = &self.settings.domain;
        let at = domain.low() + domain.cell_m() * Vec3::from(*cubes);
        let all = self.primitives.iter().map(|p| p.with_gradient(&at).1);
        all.sum::<Vec3>().norm() * domain.cell_m() / self.settings.level
    }
}

/// Checks that both make the same of a scene; returns the GPU's mesh.
fn alike(skin: &mut GpuSkin, settings: &Settings, primitives: &[Primitive]) -> (Mesh, GpuReport) {
    let (mut ours, mut theirs) = (Mesh::default(), Mesh::default());
    let report = skin.polygonize(settings, primitives, &mut ours).unwrap();
    let cpu = (Skin::default())
        .polygonize(settings, primitives, &mut theirs)
        .unwrap();
    let exact = Exact::of(settings, primitives);
    let [here, there] = [&ours, &theirs].map(|mesh| Checker::default().check(mesh));
    assert!(here.is_sound(), "{here:?}");
    assert_eq!((here.borders, here.crowded, here.same_way), (0, 0, 0));
    let (alone, furthest) = exact.compare(&ours, &theirs);
    let (missed, _) = exact.compare(&theirs, &ours);
    let [a, b] = [&ours, &theirs].map(|mesh| mesh.triangles.len());
    println!(
        "{a} triangles, the CPU {b}; {alone} and {missed} vertices alone, {furthest:.1e} cubes; {report:?}"
    );
    let many = theirs.points.len() / 200 + 4;
    assert!(alone <= many && missed <= many, "{alone} {missed}");
    if a != b || report.clipped != cpu.clipped {
        let open = exact.open_nodes();
        // A node is in eight cubes.
        assert!(a.abs_diff(b) <= 8 * 5 * open, "{a} {b}: {open} nodes");
        assert!(report.clipped.abs_diff(cpu.clipped) <= open);
    } else if alone + missed == 0 {
        assert_eq!(ours.points.len(), theirs.points.len());
        assert_eq!(ours.pieces(), theirs.pieces());
        assert_eq!(report.active, cpu.active);
    }
    let slack = 8 * (alone + missed) + a.abs_diff(b);
    assert!(
        here.faults.flipped <= there.faults.flipped + slack,
        "{here:?} {there:?}"
    );
    // Wound outwards: the enclosed volumes agree.
    let volumes = [&ours, &theirs].map(volume);
    let cell = settings.domain.cell_m();
    let most = 0.02 * cell * cell * cell * (theirs.points.len() as f64 + 1.0);
    assert!((volumes[0] - volumes[1]).abs() <= most, "{volumes:?}");
    // The same bytes, whatever was made before.
    let mut again = Mesh::default();
    let second = skin.polygonize(settings, primitives, &mut again).unwrap();
    assert!(again == ours);
    assert!(second.tries <= 1);
    (ours, report)
}

/// Volume enclosed by a closed mesh, m³.
fn volume(mesh: &Mesh) -> f64 {
    let at = |v: u32| Vec3::from(mesh.points[v as usize].map(f64::from));
    let all = mesh.triangles.iter().map(|t| {
        let [a, b, c] = t.map(at);
        a.dot(&b.cross(&c)) / 6.0
    });
    all.sum()
}

#[test]
fn a_chain_is_the_cpus() {
    let mut skin = skin();
    for (t, radius_m) in [(0.0, 0.30), (1.0, 0.30), (0.0, 0.10), (2.5, 0.15)] {
        let (mesh, _) = alike(&mut skin, &cube(32, 0.35), &chain(t, radius_m));
        assert!(mesh.triangles.len() > 1000);
    }
    // A different number of handles would change the Euler characteristic.
    let (mesh, _) = alike(&mut skin, &cube(64, 0.35), &chain(0.0, 0.30));
    let mut cpu = Mesh::default();
    (Skin::default())
        .polygonize(&cube(64, 0.35), &chain(0.0, 0.30), &mut cpu)
        .unwrap();
    assert_eq!(mesh.euler(), cpu.euler());
}

/// Any number of points of any size and amplitude, some negative; domains that are not whole
/// bricks; both rules for ambiguous faces.
#[test]
fn scenes_by_chance_are_the_cpus() {
    let mut skin = skin();
    for seed in 0..10 {
        let mut chance = Random(seed);
        let count = 1 + chance.below(60);
        let primitives: Vec<Primitive> = (0..count)
            .map(|_| Primitive {
                amplitude: if chance.below(5) == 0 {
                    -0.7
                } else {
                    0.5 + 0.4 * chance.signed()
                },
                ..Primitive::point(0.9 * chance.vector(), 0.3 + 0.25 * chance.signed())
            })
            .collect();
        let cells = [(); 3].map(|()| 9 + chance.below(27) as u32);
        let low = Vec3::new(-1.0, -0.9, -1.1) + 0.1 * chance.vector();
        let mut settings = settings(low, 2.0 / f64::from(cells[0]), cells, 0.2);
        if seed % 2 == 1 {
            settings.ambiguity = Ambiguity::Join;
        }
        alike(&mut skin, &settings, &primitives);
    }
}

#[test]
fn what_leaves_the_domain_is_cut_off_and_closed_at_its_border() {
    let mut skin = skin();
    let settings = settings(Vec3::repeat(-0.5), 0.05, [20, 15, 23], 0.35);
    let (mesh, report) = alike(&mut skin, &settings, &chain(0.0, 0.3));
    assert!(report.clipped > 0 && !mesh.triangles.is_empty());
    // The whole domain is inside.
    let whole = [Primitive {
        amplitude: 5.0,
        ..Primitive::point(Vec3::zeros(), 4.0)
    }];
    let (mesh, report) = alike(&mut skin, &settings, &whole);
    assert!(report.clipped > 1000);
    assert_eq!((mesh.pieces(), mesh.euler()), (1, 2));
}

#[test]
fn pieces_are_all_there_far_from_the_origin_too() {
    let mut skin = skin();
    let corner = Vec3::new(30.0, -20.0, 10.0);
    let at = |i: u32| corner + 0.2 * Vec3::new((i % 6).into(), (i / 6 % 6).into(), (i / 36).into());
    let primitives: Vec<Primitive> = (0..216).map(|i| Primitive::point(at(i), 0.09)).collect();
    let low = corner - Vec3::repeat(0.123);
    let settings = settings(low, 0.025, [50; 3], 0.2);
    let (mesh, _) = alike(&mut skin, &settings, &primitives);
    assert_eq!(mesh.pieces(), 216);
}

/// Nodes at the level to the bit, or up to rounding: whichever side either implementation chooses,
/// the mesh is closed and in its place.
#[test]
fn nodes_at_the_level_are_on_one_side_or_the_other() {
    let mut skin = skin();
    let at = |i: u32| Vec3::new((i % 3).into(), (i / 3 % 3).into(), (i / 9).into());
    // Three quarters squared, a cube's edge off a node.
    for level in [0.562_5, 0.562_5 * 0.3] {
        let points = (0..27).map(|i| Primitive {
            amplitude: level / 0.562_5,
            ..Primitive::point(0.5 * (at(i) - Vec3::repeat(1.0)), 0.125)
        });
        let primitives: Vec<Primitive> = points.collect();
        let settings = cube(32, level);
        assert_eq!(Exact::of(&settings, &primitives).open_nodes(), 6 * 27);
        let (mesh, _) = alike(&mut skin, &settings, &primitives);
        assert_eq!(mesh.pieces(), 27);
    }
}

/// Lists of hundreds of primitives in every brick, and of thousands in some.
#[test]
fn thousands_of_points_are_the_cpus() {
    let mut chance = Random(5);
    let mut primitives: Vec<Primitive> = (0..2500)
        .map(|_| {
            let out = 0.75 + 0.05 * chance.signed();
            let at = out * chance.direction();
            Primitive {
                amplitude: 0.3,
                ..Primitive::point(at, 0.12)
            }
        })
        .collect();
    primitives.extend((0..1500).map(|_| Primitive {
        amplitude: 0.002,
        ..Primitive::point(0.05 * chance.vector(), 0.2)
    }));
    let (mesh, report) = alike(&mut skin(), &cube(48, 0.35), &primitives);
    assert!(mesh.triangles.len() > 20_000 && report.active > 100);
}

#[test]
fn nothing_makes_nothing() {
    let mut skin = skin();
    let settings = cube(20, 0.35);
    let mut out = chain_mesh(&mut skin);
    // None at all, none in the domain, none strong enough, only negative ones.
    let far = Primitive::point(Vec3::repeat(5.0), 0.5);
    let weak = Primitive {
        amplitude: 0.3,
        ..Primitive::point(Vec3::zeros(), 0.5)
    };
    let less = Primitive {
        amplitude: -3.0,
        ..weak
    };
    for some in [vec![], vec![far], vec![weak, far], vec![less]] {
        let report = skin.polygonize(&settings, &some, &mut out).unwrap();
        assert_eq!(out, Mesh::default());
        assert_eq!((report.active, report.clipped), (0, 0));
        alike(&mut skin, &settings, &some);
    }
}

fn chain_mesh(skin: &mut GpuSkin) -> Mesh {
    let mut mesh = Mesh::default();
    skin.polygonize(&cube(20, 0.35), &chain(0.0, 0.3), &mut mesh)
        .unwrap();
    assert!(!mesh.triangles.is_empty());
    mesh
}

#[test]
fn what_the_cpu_refuses_is_refused_in_its_words() {
    let mut skin = skin();
    let mut out = chain_mesh(&mut skin);
    let point = |at, radius_m| Primitive::point(at, radius_m);
    let strong = Primitive {
        amplitude: f64::INFINITY,
        ..point(Vec3::zeros(), 0.1)
    };
    for wrong in [
        point(Vec3::new(0.0, f64::NAN, 0.0), 0.1),
        point(Vec3::zeros(), -0.1),
        point(Vec3::zeros(), f64::NAN),
        strong,
    ] {
        let all = [point(Vec3::zeros(), 0.1), wrong];
        let settings = cube(20, 0.35);
        let cpu = Skin::default().polygonize(&settings, &all, &mut Mesh::default());
        let gpu = skin.polygonize(&settings, &all, &mut out);
        let same = |e: &GpuSkinError| {
            matches!(
                e,
                GpuSkinError::Skin(SkinError::Primitive { number: 1, .. })
            )
        };
        assert!(gpu.as_ref().is_err_and(same), "{gpu:?}");
        assert_eq!(gpu.unwrap_err().to_string(), cpu.unwrap_err().to_string());
        assert_eq!(out, Mesh::default());
    }
    for level in [0.0, -1.0, f64::NAN] {
        let mut settings = cube(20, 0.35);
        settings.level = level;
        let gpu = skin.polygonize(&settings, &chain(0.0, 0.3), &mut out);
        assert!(matches!(gpu, Err(GpuSkinError::Skin(SkinError::Level(_)))));
    }
}

#[test]
fn what_only_the_cpu_does_is_refused_by_name() {
    let mut skin = skin();
    let mut out = Mesh::default();
    let settings = cube(20, 0.35);
    let mut refused = |primitive: Primitive| {
        let all = [Primitive::point(Vec3::zeros(), 0.3), primitive];
        match skin.polygonize(&settings, &all, &mut out) {
            Err(GpuSkinError::Refused { number: 1, why }) => why,
            other => panic!("{other:?}"),
        }
    };
    let point = Primitive::point(Vec3::zeros(), 0.3);
    let segment = Skeleton::Segment([Vec3::zeros(), Vec3::x()]);
    assert_eq!(
        refused(Primitive {
            skeleton: segment,
            ..point
        }),
        SkinRefused::Skeleton(segment)
    );
    let kernel = Kernel::Wyvill;
    assert_eq!(
        refused(Primitive { kernel, ..point }),
        SkinRefused::Kernel(kernel)
    );
    for (radius_m, amplitude) in [(1e-9, 1.0), (1e9, 1.0), (0.3, 1e20), (0.3, -1e20)] {
        let why = refused(Primitive {
            radius_m,
            amplitude,
            ..point
        });
        assert!(matches!(why, SkinRefused::Range { .. }), "{why}");
    }
}

/// More than the adapter binds: the numbers are in the error, and a smaller skin is made as before.
#[test]
fn what_the_adapter_cannot_bind_is_refused_with_numbers() {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 1 << 18,
        max_buffer_size: 1 << 20,
        ..wgpu::Limits::defaults()
    };
    let small = Gpu::open(Options {
        limits: Some(limits),
        ..choice().into()
    });
    let mut skin = GpuSkin::new(small.unwrap(), Patience::Answer).unwrap();
    let before = chain_mesh(&mut skin);
    let mut out = Mesh::default();
    // Too many vertices, and too many bricks.
    for cells in [64, 400] {
        let error = skin
            .polygonize(&cube(cells, 0.35), &chain(0.0, 0.3), &mut out)
            .unwrap_err();
        let GpuSkinError::Buffer(BufferError::TooLarge { bytes, limit, .. }) = &error else {
            panic!("{error}");
        };
        assert!(*bytes > *limit && *limit == 1 << 18, "{error}");
        assert_eq!(out, Mesh::default());
    }
    assert!(chain_mesh(&mut skin) == before);
}

#[test]
fn buffers_grow_and_a_mesh_that_did_not_fit_is_made_again() {
    let mut skin = skin();
    let mut mesh = Mesh::default();
    let tries = |skin: &mut GpuSkin, cells, mesh: &mut Mesh| {
        let report = skin.polygonize(&cube(cells, 0.35), &chain(0.0, 0.3), mesh);
        report.unwrap().tries
    };
    assert_eq!(tries(&mut skin, 24, &mut mesh), 3);
    let small = mesh.clone();
    assert_eq!(tries(&mut skin, 24, &mut mesh), 1);
    assert!(tries(&mut skin, 48, &mut mesh) > 1);
    // Remains of the larger one do no harm.
    assert_eq!(tries(&mut skin, 24, &mut mesh), 1);
    assert!(mesh == small);
}

#[test]
fn a_lost_device_is_a_fault_and_after_it_all_is_as_before() {
    let mut skin = skin();
    let before = chain_mesh(&mut skin);
    skin.gpu().lose();
    let mut out = Mesh::default();
    for _ in 0..2 {
        let error = skin
            .polygonize(&cube(20, 0.35), &chain(0.0, 0.3), &mut out)
            .unwrap_err();
        assert!(
            matches!(error, GpuSkinError::Fault(Fault::Lost(_))),
            "{error}"
        );
        assert!(error.is_fault());
    }
    skin.recover().unwrap();
    assert_eq!(skin.gpu().generation(), 2);
    assert!(chain_mesh(&mut skin) == before);
}

/// A late answer is not taken for the answer to a later query.
#[test]
fn an_answer_that_is_late_is_not_the_next_ones() {
    let mut skin = skin();
    let before = chain_mesh(&mut skin);
    skin.set_patience(Patience::Looks(0));
    let mut out = Mesh::default();
    let other = chain(1.0, 0.2);
    let error = skin
        .polygonize(&cube(20, 0.35), &other, &mut out)
        .unwrap_err();
    assert_eq!(error, GpuSkinError::Late { looks: 0 });
    assert!(!error.is_fault() && out == Mesh::default());
    skin.set_patience(Patience::Answer);
    assert!(chain_mesh(&mut skin) == before);
    // Polling suffices, with enough polls.
    skin.set_patience(Patience::Looks(600_000));
    assert!(chain_mesh(&mut skin) == before);
}

/// Frames of a body with velocities, as on the skin thread, whatever happens to the GPU.
#[test]
fn a_body_is_shown_by_the_gpu_and_when_it_fails_by_the_cpu_in_the_same_frame() {
    let spec = SkinSpec {
        id: 1,
        name: "worm".into(),
        level: 0.35,
        cell_m: 0.02,
        blending: Blending::Free,
        sampled: None,
    };
    let maker = || SkinMaker::new(spec.clone(), 1_000_000, f64::INFINITY).unwrap();
    let (mut alone, mut with) = (maker(), maker());
    let mut gpu = LargeSkins::new(skin());
    let frame = |t: f64| SkinState {
        primitives: chain(t, 0.2),
        velocities: vec![Vec3::new(0.0, 0.0, 0.5); 64],
        ..SkinState::default()
    };
    for k in 0..6 {
        if k == 3 {
            gpu.skin().gpu().lose();
        }
        let state = frame(f64::from(k) * 0.1);
        let cpu = alone.make(&state).unwrap();
        let large = LargeSkin {
            by: &mut gpu,
            triangles: 1e3,
        };
        let made = with.make_by(&state, Some(large)).unwrap();
        assert_eq!(
            made.by,
            if k < 3 {
                SkinBy::Large
            } else {
                SkinBy::Instead
            }
        );
        assert!(made.check.is_sound() && made.report.lost == cpu.report.lost);
        assert_eq!(with.mesh().triangles.len(), alone.mesh().triangles.len());
        assert_eq!(with.mesh() == alone.mesh(), k >= 3);
        assert!(made.felt_m < 0.1 * 0.02, "{}", made.felt_m);
        assert_eq!(with.velocities().len(), with.mesh().points.len());
        let moved = |v: &[f32; 3]| v[0].abs() + v[1].abs() + (v[2] - 0.5).abs() < 1e-6;
        assert!(with.velocities().iter().all(moved));
    }
    assert!(with.why_not().contains("lost"), "{}", with.why_not());
    assert_eq!(gpu.given_up(), with.why_not());
}

#[test]
fn a_gpu_that_is_late_too_often_in_a_row_is_given_up_and_one_that_refuses_is_not() {
    let mut made = skin();
    made.set_patience(Patience::Looks(0));
    let mut gpu = LargeSkins::new(made);
    let mut out = Mesh::default();
    let settings = cube(20, 0.35);
    let segment = Primitive {
        skeleton: Skeleton::Segment([Vec3::zeros(), Vec3::x()]),
        ..Primitive::point(Vec3::zeros(), 0.3)
    };
    for k in 0..20 {
        assert!(gpu.given_up().is_empty());
        let refused = gpu.polygonize(&settings, &[segment], &mut out).unwrap_err();
        assert!(refused.contains("points only"), "{k}: {refused}");
    }
    let mut late = 0;
    while gpu.given_up().is_empty() {
        late += 1;
        assert!(late < 100);
        assert!(
            gpu.polygonize(&settings, &chain(0.0, 0.3), &mut out)
                .is_err()
        );
    }
    assert_eq!(late, 8);
    let why = gpu
        .polygonize(&settings, &chain(0.0, 0.3), &mut out)
        .unwrap_err();
    assert_eq!(why, "the GPU was late 8 times in a row");
}
