//! Section 5.2.1: against Bloomenthal's polygonizer (Graphics Gems IV, 1994), as published and with
//! the thesis's sum.
//!
//! The polygonizer has the *structure* of his, but is not his code. It follows cubes over the
//! surface from a start on each component and stores all results in chained hash tables. It
//! allocates every corner, edge and cube separately. It finds the crossing of an edge by bisection,
//! and a normal by three more evaluations. Its table of cubes is ours, so that both make the same
//! surface.

use std::collections::VecDeque;

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_skin::table::{CORNERS, EDGES, FACES, STEPS};
use hapticd_skin::{Ambiguity, Primitive, Table};
use serde_json::Map;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{Drops, LEVEL, NORMAL, fly};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-bloomenthal",
    title: "figures 5.8 and 5.9: against a polygonizer of chained hash tables, 40 times as fast, and 5 with the same sum",
    judges: Judges::Time,
    run,
};

#[derive(Parser)]
struct Options {
    /// Halvings of an edge until its crossing is found; the published code has ten.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=40))]
    halvings: u32,
    /// Frames of our own runs.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    frames: u32,
}

/// Number of chains of a hash table, as in the published code.
const CHAINS: usize = 1 << 15;

type Place = [i32; 3];

fn chain(place: &Place) -> usize {
    // Five bits of each coordinate, as published.
    let [i, j, k] = place.map(|x| (x & 31) as usize);
    i << 10 | j << 5 | k
}

/// Results by place, each entry allocated separately.
struct Hashed<T>(Vec<Vec<Box<(Place, T)>>>);

impl<T: Copy> Hashed<T> {
    fn new() -> Self {
        Hashed((0..CHAINS).map(|_| Vec::new()).collect())
    }

    fn get(&self, place: &Place) -> Option<T> {
        let chain = self.0[chain(place)].iter();
        chain.rev().find(|entry| entry.0 == *place).map(|e| e.1)
    }

    fn put(&mut self, place: Place, value: T) {
        self.0[chain(&place)].push(Box::new((place, value)));
    }
}

/// The potential at a place.
trait Sum {
    fn at(&self, place: &Vec3) -> f64;
}

/// Sums all primitives, each time.
struct Plain<'a>(&'a [Primitive]);

impl Sum for Plain<'_> {
    fn at(&self, place: &Vec3) -> f64 {
        self.0.iter().map(|p| p.value(place)).sum()
    }
}

/// Sums those that reach the voxel of a place (section 3.1).
struct Voxels<'a> {
    primitives: &'a [Primitive],
    low: Vec3,
    side: f64,
    count: usize,
    lists: Vec<Vec<u32>>,
}

impl<'a> Voxels<'a> {
    fn new(primitives: &'a [Primitive], low: Vec3, width: f64) -> Self {
        let side = 1.0;
        let count = (width / side).ceil() as usize + 1;
        let mut lists = vec![Vec::new(); count.pow(3)];
        for (number, primitive) in (0..).zip(primitives) {
            let (a, b) = primitive.bounds();
            let cell = |p: Vec3| ((p - low) / side).map(|x| x.max(0.0) as usize);
            let (a, b) = (cell(a), cell(b));
            for z in a.z..=b.z.min(count - 1) {
                for y in a.y..=b.y.min(count - 1) {
                    for x in a.x..=b.x.min(count - 1) {
                        lists[(z * count + y) * count + x].push(number);
                    }
                }
            }
        }
        Voxels {
            primitives,
            low,
            side,
            count,
            lists,
        }
    }
}

impl Sum for Voxels<'_> {
    fn at(&self, place: &Vec3) -> f64 {
        let at = ((place - self.low) / self.side).map(|x| x.max(0.0) as usize);
        let n = self.count;
        let list = self.lists.get((at.z * n + at.y) * n + at.x);
        let some = list.into_iter().flatten();
        some.map(|k| self.primitives[*k as usize].value(place))
            .sum()
    }
}

struct Polygonizer<'a, S> {
    sum: &'a S,
    low: Vec3,
    cell: f64,
    halvings: u32,
    corners: Hashed<f64>,
    /// Key: three times the lower corner of the edge, and its axis.
    vertices: Hashed<u32>,
    done: Hashed<()>,
    points: Vec<Vec3>,
    normals: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl<S: Sum> Polygonizer<'_, S> {
    fn place(&self, corner: &Place) -> Vec3 {
        self.low + self.cell * Vec3::from(corner.map(f64::from))
    }

    fn corner(&mut self, corner: Place) -> f64 {
        if let Some(value) = self.corners.get(&corner) {
            return value;
        }
        let value = self.sum.at(&self.place(&corner)) - LEVEL;
        self.corners.put(corner, value);
        value
    }

    fn vertex(&mut self, [a, b]: [Place; 2]) -> u32 {
        let axis = (0..3).find(|k| a[*k] != b[*k]).unwrap_or(0);
        let low = if a[axis] < b[axis] { a } else { b };
        let name = [3 * low[0] + axis as i32, low[1], low[2]];
        if let Some(vertex) = self.vertices.get(&name) {
            return vertex;
        }
        let (mut inside, mut outside) = (self.place(&a), self.place(&b));
        if self.corner(a) <= 0.0 {
            std::mem::swap(&mut inside, &mut outside);
        }
        for _ in 0..self.halvings {
            let middle = 0.5 * (inside + outside);
            if self.sum.at(&middle) > LEVEL {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        let at = 0.5 * (inside + outside);
        let here = self.sum.at(&at);
        let by = 0.01 * self.cell;
        let slope = |k: usize| here - self.sum.at(&(at + by * Vec3::ith(k, 1.0)));
        let normal = Vec3::new(slope(0), slope(1), slope(2));
        let number = self.points.len() as u32;
        self.points.push(at);
        self.normals
            .push(normal.try_normalize(0.0).unwrap_or_default());
        self.vertices.put(name, number);
        number
    }

    /// Follows the surface from a cube on; a cube that was visited adds nothing.
    fn follow(&mut self, start: Place) {
        let table = Table::of(Ambiguity::Separate);
        let mut open: VecDeque<Box<Place>> = VecDeque::new();
        if self.done.get(&start).is_none() {
            self.done.put(start, ());
            open.push_back(Box::new(start));
        }
        while let Some(cube) = open.pop_front() {
            let corner =
                |c: usize| -> Place { [0, 1, 2].map(|k| cube[k] + i32::from(CORNERS[c][k])) };
            let inside: [bool; 8] = std::array::from_fn(|c| self.corner(corner(c)) > 0.0);
            let index = (0..8).fold(0, |index, c| index | usize::from(inside[c]) << c);
            for triangle in table.0[index].triangles() {
                let ends =
                    triangle.map(|edge| EDGES[usize::from(edge)].map(|c| corner(usize::from(c))));
                let vertices = ends.map(|ends| self.vertex(ends));
                self.triangles.push(vertices);
            }
            for (face, step) in FACES.iter().zip(STEPS) {
                let some = face.iter().filter(|c| inside[usize::from(**c)]).count();
                let next = [0, 1, 2].map(|k| cube[k] + i32::from(step[k]));
                if some != 0 && some != 4 && self.done.get(&next).is_none() {
                    self.done.put(next, ());
                    open.push_back(Box::new(next));
                }
            }
        }
    }
}

/// Returns milliseconds and triangles of a whole surface; the caller gives a start on each
/// component.
fn published<S: Sum>(sum: &S, primitives: &[Primitive], halvings: u32) -> (f64, usize) {
    let low = Vec3::repeat(-1.1);
    let start = Moment::now();
    let mut all = Polygonizer {
        sum,
        low,
        cell: NORMAL,
        halvings,
        corners: Hashed::new(),
        vertices: Hashed::new(),
        done: Hashed::new(),
        points: Vec::new(),
        normals: Vec::new(),
        triangles: Vec::new(),
    };
    for primitive in primitives {
        // From the centre along an axis, until the surface is crossed.
        let centre = (primitive.heart() - low) / NORMAL;
        let mut cube = [centre.x as i32, centre.y as i32, centre.z as i32];
        while all.corner(cube) > 0.0 {
            cube[0] += 1;
        }
        cube[0] -= 1;
        all.follow(cube);
    }
    (1e3 * start.elapsed().as_secs_f64(), all.triangles.len())
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let (mut rows, mut last) = (Vec::new(), [0.0; 2]);
    for count in [25, 50, 100, 200] {
        let ours = fly(count, NORMAL, options.frames)?;
        let drops = Drops::new(count, 11);
        let (plain, triangles) = published(
            &Plain(&drops.primitives),
            &drops.primitives,
            options.halvings,
        );
        let voxels = Voxels::new(&drops.primitives, Vec3::repeat(-1.1), 22.2);
        let (by_voxels, same) = published(&voxels, &drops.primitives, options.halvings);
        if triangles != same {
            return Err(Failure::Run(format!(
                "{triangles} triangles by one sum and {same} by the other"
            )));
        }
        last = [plain / ours.ms, by_voxels / ours.ms];
        rows.push(
            Row::new(
                format!("{count} primitives, as published"),
                "times",
                "40",
                last[0],
            )
            .with("ms", plain)
            .with("ours, ms", ours.ms)
            .with("triangles", triangles),
        );
        rows.push(
            Row::new(
                format!("{count} primitives, with the voxels' sum"),
                "times",
                "5",
                last[1],
            )
            .with("ms", by_voxels),
        );
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            last[0] >= 40.0 && last[1] >= 5.0,
            format!(
                "at 200 primitives {:.0} times as fast as the published structure (40), {:.0} with the same sum (5)",
                last[0], last[1]
            ),
        ),
        more: Map::new(),
        notes: vec![
            "the source does not say for how many primitives its 40 holds; with a plain sum the ratio grows with it".into(),
            format!("{} halvings an edge and three evaluations a normal, as published; ours interpolates and has the gradient", options.halvings),
        ],
        details: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_structure_makes_the_same_surface() {
        let drops = Drops::new(12, 5);
        let (_, triangles) = published(&Plain(&drops.primitives), &drops.primitives, 10);
        let settings = Drops::settings(NORMAL).unwrap();
        let (mut skin, mut mesh) = (hapticd_skin::Skin::default(), hapticd_skin::Mesh::default());
        skin.polygonize(&settings, &drops.primitives, &mut mesh)
            .unwrap();
        assert_eq!(triangles, mesh.triangles.len());
    }
}
