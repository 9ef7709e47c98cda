//! A tree of axis-aligned boxes over triangles: median split along the longest axis, a few triangles a leaf. Immutable once built.

use hapticd_geometry::{Pose, Vec3};

use crate::Triangle;

/// Most triangles in a leaf.
const LEAF: usize = 4;

/// An axis-aligned box, corners included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aabb {
    pub low: Vec3,
    pub high: Vec3,
}

impl Aabb {
    pub fn of_point(p: &Vec3) -> Self {
        Self { low: *p, high: *p }
    }

    pub fn of_triangle(t: &Triangle) -> Self {
        Self {
            low: t[0].inf(&t[1]).inf(&t[2]),
            high: t[0].sup(&t[1]).sup(&t[2]),
        }
    }

    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// Squared distance of two boxes, at most a few units in the last place too large.
    pub fn distance2(&self, other: &Self) -> f64 {
        (0..3)
            .map(|k| {
                (self.low[k] - other.high[k])
                    .max(other.low[k] - self.high[k])
                    .max(0.0)
                    .powi(2)
            })
            .sum()
    }

    pub fn size2(&self) -> f64 {
        (self.high - self.low).norm_squared()
    }

    /// A box around the rotated and translated box, wider than any rounding of its contents' coordinates.
    pub fn transformed(&self, pose: &Pose, rotation: &nalgebra::Matrix3<f64>) -> Self {
        let centre = (self.low + self.high) * 0.5;
        let half = (self.high - self.low) * 0.5;
        let moved = rotation * centre + pose.translation.vector;
        let pad = 1e-12 * (centre.amax() + half.amax() + pose.translation.vector.amax());
        let reach = rotation.abs() * half + Vec3::repeat(pad);
        Self {
            low: moved - reach,
            high: moved + reach,
        }
    }
}

/// What a node holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// Indices of the two children.
    Inner(usize, usize),
    /// Range of [`Boxes::order`].
    Leaf(usize, usize),
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub bounds: Aabb,
    pub content: Content,
}

/// The tree; node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

impl Boxes {
    /// A tree over at least one triangle.
    pub fn new(triangles: &[Triangle]) -> Self {
        let bounds: Vec<Aabb> = triangles.iter().map(Aabb::of_triangle).collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::new();
        let mut pending = vec![(0, order.len(), None)];
        while let Some((start, end, parent)) = pending.pop() {
            let slice = &mut order[start..end];
            let around = slice
                .iter()
                .map(|&i| bounds[i as usize])
                .reduce(|a, b| a.union(&b))
                .unwrap_or(Aabb::of_point(&Vec3::zeros()));
            let index = nodes.len();
            nodes.push(Node {
                bounds: around,
                content: Content::Leaf(start, end),
            });
            if let Some((parent, right)) = parent {
                let node: &mut Node = &mut nodes[parent];
                if let Content::Inner(a, b) = &mut node.content {
                    *(if right { b } else { a }) = index;
                }
            }
            if end - start > LEAF {
                let axis = (around.high - around.low).imax();
                let centre = |i: u32| {
                    let b = &bounds[i as usize];
                    b.low[axis] + b.high[axis]
                };
                let middle = (end - start) / 2;
                slice.select_nth_unstable_by(middle, |&i, &j| {
                    centre(i).total_cmp(&centre(j)).then(i.cmp(&j))
                });
                nodes[index].content = Content::Inner(0, 0);
                pending.push((start, start + middle, Some((index, false))));
                pending.push((start + middle, end, Some((index, true))));
            }
        }
        Self { nodes, order }
    }

    pub fn node(&self, index: usize) -> &Node {
        &self.nodes[index]
    }

    /// The triangles of a leaf.
    pub fn triangles(&self, start: usize, end: usize) -> &[u32] {
        &self.order[start..end]
    }
}
