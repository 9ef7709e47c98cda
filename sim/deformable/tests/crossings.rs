//! Crossings, compared with a test of all pairs one by one.

use hapticd_ccd::{LinearOptions, PairKind, first_contact_linear};
use hapticd_deformable::crossings::{Crossings, Nature, Surface};
use hapticd_geometry::{TriMesh, Vec3, shapes};
use proptest::prelude::*;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self, by: f64) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * (2.0 * by)
    }
}

/// A surface in motion.
#[derive(Clone)]
struct Moving {
    triangles: Vec<[u32; 3]>,
    nature: Nature,
    ghost: bool,
    before: Vec<Vec3>,
    after: Vec<Vec3>,
}

impl Moving {
    fn new(mesh: &TriMesh, nature: Nature) -> Self {
        Moving {
            triangles: mesh.triangles().to_vec(),
            nature,
            ghost: false,
            before: mesh.positions().to_vec(),
            after: mesh.positions().to_vec(),
        }
    }

    fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = (self.triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn at(&self, v: &[u32]) -> [[Vec3; 3]; 2] {
        let corner = |i: usize| v[i.min(v.len() - 1)] as usize;
        [&self.before, &self.after].map(|x| std::array::from_fn(|i| x[corner(i)]))
    }
}

type Name = (PairKind, [u32; 2], Vec<u32>, Vec<u32>, u64);

fn brute(all: &[Moving]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut test = |kind, who: [usize; 2], a: &[u32], b: &[u32]| {
        let [x, y] = [all[who[0]].at(a), all[who[1]].at(b)];
        let options = LinearOptions::default();
        if let Some(c) = first_contact_linear(kind, [&x[0], &x[1]], [&y[0], &y[1]], &options) {
            let who = who.map(|w| w as u32);
            found.push((kind, who, a.to_vec(), b.to_vec(), c.t.to_bits()));
        }
    };
    for (i, x) in all.iter().enumerate() {
        for (j, y) in all.iter().enumerate() {
            let watched = if i == j {
                x.nature != Nature::Rigid
            } else {
                x.nature == Nature::Sheet || y.nature == Nature::Sheet
            };
            if !watched || x.ghost || y.ghost {
                continue;
            }
            for v in 0..x.before.len() as u32 {
                for t in &y.triangles {
                    if i != j || !t.contains(&v) {
                        test(PairKind::VertexFace, [i, j], &[v], t);
                    }
                }
            }
            if i > j {
                continue;
            }
            for a in &x.edges() {
                for b in &y.edges() {
                    if i != j || (a < b && !a.iter().any(|v| b.contains(v))) {
                        test(PairKind::EdgeEdge, [i, j], a, b);
                    }
                }
            }
        }
    }
    found.sort();
    found
}

fn names(crossings: &Crossings) -> Vec<Name> {
    let mut names: Vec<Name> = (crossings.found().crossings.iter())
        .map(|c| {
            let [a, b] = [&c.a[..c.kind.points_a()], &c.b[..c.kind.points_b()]];
            (
                c.kind,
                c.surfaces,
                a.to_vec(),
                b.to_vec(),
                c.contact.t.to_bits(),
            )
        })
        .collect();
    names.sort();
    names
}

fn set(crossings: &mut Crossings, all: &[Moving]) {
    let surfaces: Vec<Surface<'_>> = (all.iter())
        .map(|x| Surface {
            vertices: x.before.len(),
            triangles: &x.triangles,
            nature: x.nature,
        })
        .collect();
    crossings.set_surfaces(&surfaces).unwrap();
}

fn find(crossings: &mut Crossings, all: &[Moving]) -> Vec<Name> {
    for (i, x) in all.iter().enumerate() {
        crossings.place(i, x.before.iter().copied(), x.after.iter().copied());
        crossings.set_ghost(i, x.ghost);
    }
    let _ = crossings.find();
    names(crossings)
}

/// A scene of two sheets, a soft ball, a rigid ball and a floor of two large triangles.
fn scene(random: &mut Random) -> Vec<Moving> {
    let sheet = shapes::sheet(0.5, 5).unwrap();
    let ball = shapes::icosphere(0.2, 1).unwrap();
    let mut all = vec![
        Moving::new(&sheet, Nature::Sheet),
        Moving::new(&ball, Nature::Rigid),
        Moving::new(&sheet, Nature::Sheet),
        Moving::new(&shapes::sheet(3.0, 1).unwrap(), Nature::Rigid),
        Moving::new(&ball, Nature::Solid),
    ];
    for (k, x) in all.iter_mut().enumerate() {
        let to = random.vector(0.4) + Vec3::z() * 0.15 * k as f64;
        for p in &mut x.before {
            *p += to + random.vector(0.03);
        }
    }
    all
}

/// Continues from the present positions: together, apart, crumpled, thrown far.
fn go(random: &mut Random, all: &mut [Moving], fast: f64) {
    for x in all.iter_mut() {
        let by = random.vector(fast);
        let (middle, squeeze) = (random.vector(0.5), 0.3 * random.unit());
        let wild = if random.unit() < 0.2 { 0.5 } else { 0.02 };
        for (a, b) in x.before.iter().zip(&mut x.after) {
            *b = a + by + random.vector(wild * fast) + (middle - a) * squeeze;
        }
    }
}

fn compare(seed: u64, fast: f64, steps: usize) -> usize {
    let mut random = Random(seed);
    let mut all = scene(&mut random);
    let mut crossings = Crossings::new();
    set(&mut crossings, &all);
    let mut met = 0;
    for _ in 0..steps {
        go(&mut random, &mut all, fast);
        all[1].ghost = random.unit() < 0.2;
        let expected = brute(&all);
        assert_eq!(find(&mut crossings, &all), expected, "seed {seed}");
        met += expected.len();
        let order = crossings.found().clone();
        // A new finder finds the same, in the same order.
        let mut other = Crossings::new();
        set(&mut other, &all);
        let _ = find(&mut other, &all);
        assert_eq!(*other.found(), order);
        for x in &mut all {
            x.before.clone_from(&x.after);
        }
    }
    met
}

#[test]
fn all_crossings_are_found_and_no_others() {
    let met: usize = [(1, 0.02), (2, 0.1), (3, 0.5)]
        .map(|(seed, fast)| compare(seed, fast, 3))
        .iter()
        .sum();
    assert!(met > 300, "{met}");
}

/// `usual` cases, or as many as the environment asks for.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(6))]

    #[test]
    fn whatever_moves_is_judged_as_pair_by_pair(seed: u64, fast in 0.001_f64..1.0) {
        let _ = compare(seed, fast, 2);
    }
}

/// Two sheets go through each other at the very start or the very end of long paths. Halfway they
/// are far apart, and only the ends of the paths reveal the crossing.
#[test]
fn what_meets_at_the_end_of_a_long_way_is_found_along_it() {
    let sheet = shapes::sheet(0.5, 8).unwrap();
    for far in [0.5, 0.8, 1.1, 1.5, 2.0, 2.7] {
        for late in [false, true] {
            let mut all = vec![Moving::new(&sheet, Nature::Sheet); 2];
            for (x, sign) in all.iter_mut().zip([1.0, -1.0]) {
                let at = |z: f64| {
                    let aside = Vec3::new(0.013 * sign, 0.007 * sign, sign * z);
                    sheet.positions().iter().map(|p| p + aside).collect()
                };
                (x.before, x.after) = (at(-0.001), at(far));
                if late {
                    std::mem::swap(&mut x.before, &mut x.after);
                }
            }
            let mut crossings = Crossings::new();
            set(&mut crossings, &all);
            let expected = brute(&all);
            assert!(expected.len() > 100, "{}", expected.len());
            assert_eq!(find(&mut crossings, &all), expected, "{far} {late}");
        }
    }
}

/// Two sheets that meet at one end of long paths, and a third one that shifts the cells around
/// them. Wherever the cells lie, the cells at both ends of a path are needed, and those that the
/// others come from. If the overall box is centred on the two, a ring that is wide enough to one
/// side may list by luck what only a march is sure to find.
#[test]
fn what_meets_at_the_end_of_a_way_is_found_wherever_the_cells_lie() {
    let sheet = shapes::sheet(0.5, 8).unwrap();
    for step in 0..12 {
        for late in [false, true] {
            for upside_down in [false, true] {
                let (far, sign) = (4.0, if upside_down { -1.0 } else { 1.0 });
                let aside = 2.5 + 0.4 * f64::from(step);
                let moved = |to: Vec3| {
                    let points = sheet.positions().iter();
                    points.map(|p| p + to * sign).collect::<Vec<Vec3>>()
                };
                let mut all = vec![Moving::new(&sheet, Nature::Sheet); 3];
                for (x, side) in all.iter_mut().zip([1.0, -1.0]) {
                    let at = |z: f64| moved(Vec3::new(0.013 * side, 0.007 * side, side * z));
                    (x.before, x.after) = (at(-0.001), at(far));
                    if late {
                        std::mem::swap(&mut x.before, &mut x.after);
                    }
                }
                let stands = moved(Vec3::new(0.0, 0.0, far + aside));
                (all[2].before, all[2].after) = (stands.clone(), stands);
                let mut crossings = Crossings::new();
                set(&mut crossings, &all);
                let expected = brute(&all);
                assert!(expected.len() > 100, "{}", expected.len());
                let found = find(&mut crossings, &all);
                assert_eq!(found.len(), expected.len(), "{aside} {late} {upside_down}");
                assert_eq!(found, expected);
            }
        }
    }
}

/// A sheet that is folded over in one step, and one that only bends.
#[test]
fn a_sheet_that_folds_through_itself_is_told_from_one_that_bends() {
    let sheet = shapes::sheet(0.1, 20).unwrap();
    for (turn, expected) in [(2.0_f64, false), (3.5, true)] {
        let mut all = vec![Moving::new(&sheet, Nature::Sheet)];
        // Around the middle, like a page: more than half a turn goes through the other half.
        let open = 1.4_f64;
        for (at, angle) in [(0, open), (1, turn)] {
            let x = sheet.positions().iter().map(|p| {
                if p.x > 0.0 {
                    Vec3::new(p.x * angle.cos(), p.y, p.x * angle.sin())
                } else {
                    *p
                }
            });
            let x: Vec<Vec3> = x.collect();
            if at == 0 {
                all[0].before = x;
            } else {
                all[0].after = x;
            }
        }
        let mut crossings = Crossings::new();
        set(&mut crossings, &all);
        let found = find(&mut crossings, &all);
        assert_eq!(!found.is_empty(), expected, "{turn}: {}", found.len());
        assert_eq!(found, brute(&all));
        // Of 441 vertices by 800 triangles, and all pairs of 1,240 edges.
        let tested = crossings.found().tested;
        assert!(tested < 100_000, "{tested}");
    }
}

/// Non-finite vertices are counted, and features without them are tested as usual.
#[test]
fn non_finite_points_hide_nothing_else() {
    let mut random = Random(9);
    let mut all = scene(&mut random);
    go(&mut random, &mut all, 0.4);
    let clean = brute(&all);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut broken = all.clone();
        broken[0].after[7].y = bad;
        broken[1].before[3].x = bad;
        let mut crossings = Crossings::new();
        set(&mut crossings, &broken);
        let found = find(&mut crossings, &broken);
        assert_eq!(crossings.found().unknown, 2);
        let touched = |name: &Name, who: u32, v: u32| {
            (name.1[0] == who && name.2.contains(&v)) || (name.1[1] == who && name.3.contains(&v))
        };
        let expected: Vec<Name> = (clean.iter())
            .filter(|name| !touched(name, 0, 7) && !touched(name, 1, 3))
            .cloned()
            .collect();
        assert_eq!(found, expected);
        // All finite again.
        assert_eq!(find(&mut crossings, &all), clean);
    }
}

/// Too far from zero for cells, everything is tested against everything; also when there were cells
/// before and after.
#[test]
fn what_is_too_far_away_for_cells_is_judged_all_the_same() {
    let mut random = Random(5);
    let mut all = scene(&mut random);
    let mut crossings = Crossings::new();
    set(&mut crossings, &all);
    for far in [0.0, 1e9, 0.0] {
        go(&mut random, &mut all, 0.3);
        let mut there = all.clone();
        for p in (there.iter_mut()).flat_map(|x| x.before.iter_mut().chain(&mut x.after)) {
            p.x += far;
        }
        let expected = brute(&there);
        assert!(expected.len() > 20, "{}", expected.len());
        assert_eq!(find(&mut crossings, &there), expected, "{far}");
    }
}

#[test]
fn invalid_surfaces_are_refused() {
    let mut crossings = Crossings::new();
    let fault = crossings
        .set_surfaces(&[Surface {
            vertices: 2,
            triangles: &[[0, 1, 2]],
            nature: Nature::Sheet,
        }])
        .unwrap_err();
    assert_eq!((fault.index, fault.vertices), (2, 2));
    assert!(crossings.find().crossings.is_empty());
    // A triangle with an invalid index, and a surface without triangles.
    let odd = Surface {
        vertices: 3,
        triangles: &[[0, 0, 0], [0, 1, 1]],
        nature: Nature::Sheet,
    };
    let none = Surface {
        vertices: 0,
        triangles: &[],
        nature: Nature::Solid,
    };
    crossings.set_surfaces(&[none, odd]).unwrap();
    let here = [Vec3::zeros(); 3];
    crossings.place(1, here.into_iter(), here.into_iter());
    let _ = crossings.find();
    // Too few positions.
    crossings.place(1, here.into_iter().take(1), here.into_iter());
    assert_eq!(crossings.find().unknown, 2);
}
