//! Boxes around the triangles of a rigid shape, for tracing without a stack.
//!
//! # Theory
//!
//! A depth-first tree needs no stack: if a line meets a node's box, the next node is its first
//! child, else it is [`Node::skip`]. (Popov 2007 and Hapala 2011, whom Lehericey 2016 cites, use
//! links to parent and sibling, which lets a ray visit the nearer child first. Collision rays are
//! so short that the order does not matter.) Splits use the surface area heuristic over 16 bins.
//!
//! # Practice
//!
//! Triangles are sorted into the order of the leaves, so a leaf is a range. Built once, off-line.
//!
//! Boxes are stored in 16-bit numbers: corners in cells of a grid over the whole tree, 1/65,534 of
//! its longest side, rounded outward. Each line is transformed into the grid once, instead of each
//! box out of it. That halves the memory. A box is up to a cell too large on every side; the hits
//! are the same.

use hapticd_geometry::{TriMesh, Vec3};

use crate::V3;
use crate::bounds::{Bounds, NOWHERE};
use crate::layout::Node;
use crate::line::{Line, inverse};

/// Groups of at most this many triangles may stay unsplit while the triangles are sorted.
const LEAF: usize = 4;
/// Largest number of triangles of a leaf: the count has 3 bits. Boxes around fewer triangles cost
/// memory and save no time. Splits below this size still order the triangles.
const MAX_LEAF: usize = 7;
const BINS: usize = 16;

/// Cost of visiting a node, in triangle tests.
const VISIT: f64 = 1.0;

/// Tree over the triangles of a shape. See the module documentation.
#[derive(Clone, Debug)]
pub struct Tree {
    bounds: Bounds,
    /// Side of a grid cell, m. The origin of the grid is the lower corner of `bounds`.
    cell_m: f32,
    nodes: Vec<Kept>,
}

/// A node as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// Lowest and highest corner of the box, in cells.
    corners: [[u16; 3]; 2],
    /// For a leaf, [`IS_LEAF`] and the bits of [`Node::leaf`]; otherwise [`Node::skip`]. The node
    /// after a leaf is the next one.
    next: u32,
}

/// Flag in [`Kept::next`]. Indices of triangles and nodes are below 2^26.
const IS_LEAF: u32 = 1 << 31;
/// Cells along the longest side; one is left for rounding.
const CELLS: f64 = 65_534.0;

impl Kept {
    /// Index of the next node if the line misses the box of node `here`.
    #[inline]
    pub fn skip(&self, here: usize) -> usize {
        if self.next & IS_LEAF == 0 {
            self.next as usize
        } else {
            here + 1
        }
    }

    /// Triangles of a leaf; empty for an inner node.
    #[inline]
    pub fn triangles(&self) -> std::ops::Range<u32> {
        let leaf = self.leaf();
        leaf >> 3..(leaf >> 3) + (leaf & 7)
    }

    /// Value of [`Node::leaf`].
    #[inline]
    fn leaf(&self) -> u32 {
        if self.next & IS_LEAF == 0 {
            0
        } else {
            self.next & !IS_LEAF
        }
    }
}

/// A line in the coordinates of the grid.
pub(crate) struct GridLine {
    /// Origin of the line, in cells.
    o: V3,
    /// Reciprocal of its direction, in metres per cell.
    inverse: V3,
    /// For each axis, the corner of a box that the line reaches first.
    first: [usize; 3],
}

impl GridLine {
    /// Like [`within`](crate::line::within), for a box of the grid; `from` and `to` are metres on
    /// the line.
    #[inline]
    pub fn meets(&self, node: &Kept, from: f32, to: f32) -> bool {
        let (mut from, mut to) = (from, to);
        for k in 0..3 {
            let first = self.first[k] & 1;
            let [near, far] = [first, 1 - first].map(|side| f32::from(node.corners[side][k]));
            from = from.max((near - self.o[k]) * self.inverse[k]);
            to = to.min((far - self.o[k]) * self.inverse[k]);
        }
        // Each end is rounded three times.
        from <= to + 1e-6 * (from.abs() + to.abs())
    }
}

impl Default for Tree {
    /// A tree without triangles.
    fn default() -> Tree {
        Tree {
            bounds: NOWHERE,
            cell_m: f32::MIN_POSITIVE,
            nodes: Vec::new(),
        }
    }
}

impl Tree {
    fn new(nodes: &[Node]) -> Tree {
        let Some(root) = nodes.first() else {
            return Tree::default();
        };
        let bounds = (V3::from(root.low), V3::from(root.high));
        let (low, high) = (bounds.0.cast::<f64>(), bounds.1.cast::<f64>());
        let cell_m = (((high - low).amax() / CELLS) as f32).max(f32::MIN_POSITIVE);
        // The casts saturate.
        let cells = |corner: &[f32; 3], rounded: fn(f64) -> f64| {
            [0, 1, 2].map(|k| rounded((f64::from(corner[k]) - low[k]) / f64::from(cell_m)) as u16)
        };
        let kept = |node: &Node| Kept {
            corners: [cells(&node.low, f64::floor), cells(&node.high, f64::ceil)],
            next: match node.leaf {
                0 => node.skip,
                leaf => IS_LEAF | leaf,
            },
        };
        Tree {
            bounds,
            cell_m,
            nodes: nodes.iter().map(kept).collect(),
        }
    }

    /// Box around all triangles.
    #[must_use]
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    #[inline]
    pub(crate) fn node(&self, number: usize) -> Option<&Kept> {
        self.nodes.get(number)
    }

    /// Transforms a line into the grid.
    ///
    /// Three roundings move its origin by 2e-7 of the distance from the grid's origin: a tenth of
    /// the margin around the boxes. For an origin further away than the size of the tree,
    /// [`GridLine::meets`] has a tolerance.
    #[inline]
    pub(crate) fn in_grid(&self, line: &Line) -> GridLine {
        let inverse = inverse(&line.d) * self.cell_m;
        GridLine {
            o: (line.o - self.bounds.0) / self.cell_m,
            inverse,
            first: inverse.map(|x| usize::from(x < 0.0)).into(),
        }
    }

    /// The nodes in rows, as the shaders read them. The box of the first is [`Tree::bounds`].
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Node> + '_ {
        let (origin, highest) = (self.bounds.0.cast::<f64>(), self.bounds.1.cast::<f64>());
        let cell_m = f64::from(self.cell_m);
        let at = move |cells: [u16; 3]| {
            let corner = origin + Vec3::from(cells.map(f64::from)) * cell_m;
            corner.inf(&highest)
        };
        self.nodes.iter().enumerate().map(move |(i, node)| Node {
            low: round_down(&at(node.corners[0])),
            skip: node.skip(i) as u32,
            high: round_up(&at(node.corners[1])),
            leaf: node.leaf(),
        })
    }
}

/// Builds the tree of a mesh and the order of its triangles: `order[i]` is the triangle of the mesh
/// that now has index `i`.
pub(crate) fn build(mesh: &TriMesh) -> (Tree, Vec<u32>) {
    let boxes: Vec<(Vec3, Vec3)> = (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.triangle(t);
            (a.inf(&b).inf(&c), a.sup(&b).sup(&c))
        })
        .collect();
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut nodes = Vec::new();
    // Margin for the rounding errors of the comparisons with the boxes, and for lines along a side.
    let (low, high) = mesh.bounds();
    let room = 2e-6 * (high - low).amax().max(low.amax()).max(high.amax());
    let wide = |(low, high): &(Vec3, Vec3)| (low.add_scalar(-room), high.add_scalar(room));
    let boxes: Vec<(Vec3, Vec3)> = boxes.iter().map(wide).collect();
    grow(&boxes, &mut order, 0, &mut nodes);
    (Tree::new(&nodes), order)
}

fn bounds(boxes: &[(Vec3, Vec3)], part: &[u32]) -> (Vec3, Vec3) {
    part.iter().fold(
        (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)),
        |(low, high), &t| {
            let (l, h) = &boxes[t as usize];
            (low.inf(l), high.sup(h))
        },
    )
}

fn area((low, high): &(Vec3, Vec3)) -> f64 {
    let d = high - low;
    d.x * d.y + d.y * d.z + d.z * d.x
}

/// Appends the tree of `part`, whose first triangle gets index `first`.
fn grow(boxes: &[(Vec3, Vec3)], part: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let (low, high) = bounds(boxes, part);
    let here = nodes.len();
    nodes.push(Node {
        low: round_down(&low),
        high: round_up(&high),
        ..Node::default()
    });
    match split(boxes, part, &(low, high)) {
        Some(middle) => {
            let (a, b) = part.split_at_mut(middle);
            grow(boxes, a, first, nodes);
            grow(boxes, b, first + middle, nodes);
            if part.len() <= MAX_LEAF {
                nodes.truncate(here + 1);
                nodes[here].leaf = (first as u32) << 3 | part.len() as u32;
            }
        }
        None => nodes[here].leaf = (first as u32) << 3 | part.len() as u32,
    }
    nodes[here].skip = nodes.len() as u32;
}

/// Sorts `part` into the better halves and returns the start of the second; `None` for a leaf.
fn split(boxes: &[(Vec3, Vec3)], part: &mut [u32], bounds: &(Vec3, Vec3)) -> Option<usize> {
    if part.len() <= 1 {
        return None;
    }
    let middle = |t: u32| (boxes[t as usize].0 + boxes[t as usize].1) / 2.0;
    let (low, high) = part.iter().fold(
        (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)),
        |(low, high), &t| (low.inf(&middle(t)), high.sup(&middle(t))),
    );
    let axis = (high - low).imax();
    let width = high[axis] - low[axis];
    let mut best: Option<(f64, usize)> = None;
    if width > 0.0 {
        let bin_of = |t: u32| {
            let at = (middle(t)[axis] - low[axis]) / width * BINS as f64;
            (at as usize).min(BINS - 1)
        };
        let empty = (
            (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)),
            0_usize,
        );
        let mut bins = [empty; BINS];
        for &t in part.iter() {
            let (b, count) = &mut bins[bin_of(t)];
            let (l, h) = &boxes[t as usize];
            *b = (b.0.inf(l), b.1.sup(h));
            *count += 1;
        }
        for cut in 1..BINS {
            let side = |bins: &[((Vec3, Vec3), usize)]| {
                bins.iter().fold(empty, |(b, n), (c, m)| {
                    ((b.0.inf(&c.0), b.1.sup(&c.1)), n + m)
                })
            };
            let (a, b) = (side(&bins[..cut]), side(&bins[cut..]));
            if a.1 > 0 && b.1 > 0 {
                let cost = area(&a.0) * a.1 as f64 + area(&b.0) * b.1 as f64;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, cut));
                }
            }
        }
        if let Some((cost, cut)) = best {
            let whole = area(bounds);
            if part.len() > LEAF || VISIT * whole + cost < whole * part.len() as f64 {
                part.sort_by_key(|&t| (bin_of(t) >= cut, t));
                return Some(part.partition_point(|&t| bin_of(t) < cut));
            }
        }
    }
    // All centres in one place: halves by index.
    (part.len() > LEAF).then_some(part.len() / 2)
}

/// Rounds to a lower corner in `f32` that is not above the one in `f64`.
fn round_down(p: &Vec3) -> [f32; 3] {
    std::array::from_fn(|k| {
        let x = p[k] as f32;
        if f64::from(x) > p[k] {
            x.next_down()
        } else {
            x
        }
    })
}

fn round_up(p: &Vec3) -> [f32; 3] {
    std::array::from_fn(|k| {
        let x = p[k] as f32;
        if f64::from(x) < p[k] { x.next_up() } else { x }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;

    /// Every triangle is in one leaf, every box contains all below it, skips lead to the next
    /// sibling.
    fn check(mesh: &TriMesh) {
        let (tree, order) = build(mesh);
        let nodes: Vec<Node> = tree.rows().collect();
        let root = (V3::from(nodes[0].low), V3::from(nodes[0].high));
        assert_eq!(root, *tree.bounds());
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &t)| i as u32 == t));
        let mut next = 0;
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.skip as usize > i && node.skip as usize <= nodes.len());
            if node.leaf == 0 {
                continue;
            }
            let (first, count) = (node.leaf >> 3, node.leaf & 7);
            assert_eq!(first, next, "leaves in the order of the triangles");
            assert!((1..=MAX_LEAF as u32).contains(&count));
            assert_eq!(node.skip as usize, i + 1);
            next += count;
        }
        assert_eq!(next as usize, order.len());
        for (i, node) in nodes.iter().enumerate() {
            for below in &nodes[i..node.skip as usize] {
                for k in 0..3 {
                    assert!(node.low[k] <= below.low[k] && node.high[k] >= below.high[k]);
                }
                for t in (below.leaf >> 3)..(below.leaf >> 3) + (below.leaf & 7) {
                    for p in mesh.triangle(order[t as usize] as usize) {
                        for k in 0..3 {
                            assert!(f64::from(below.low[k]) <= p[k]);
                            assert!(f64::from(below.high[k]) >= p[k]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn trees_hold_what_they_are_of() {
        check(&shapes::icosphere(0.1, 3).unwrap());
        check(&shapes::torus(0.1, 0.03, 40, 20).unwrap());
        check(&shapes::cuboid(&Vec3::repeat(0.1)).unwrap());
        check(&shapes::sheet(0.1, 7).unwrap());
        // All triangles in the same place: no split by space.
        let heap = TriMesh::new(
            vec![Vec3::zeros(), Vec3::x(), Vec3::y()],
            vec![[0, 1, 2]; 37],
        );
        check(&heap.unwrap());
    }
}
