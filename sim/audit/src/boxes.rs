//! A tree of axis-aligned boxes over triangles: median split along the longest axis, up to eight
//! triangles a leaf. Immutable once built.

use hapticd_geometry::{Pose, Vec3};

use crate::Triangle;

/// Most triangles in a leaf.
const LEAF: usize = 8;

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

    /// Returns a box around the rotated and translated box, wider than any rounding of its
    /// contents' coordinates.
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

/// Contents of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    /// Indices of the two children.
    Inner(usize, usize),
    /// Range of [`Boxes::order`].
    Leaf(usize, usize),
}

/// A node in memory, 16 bytes. Its box is in cells of a grid about [`Boxes::origin`], rounded
/// outward.
#[derive(Clone, Copy, Debug)]
struct Packed {
    low: [i16; 3],
    high: [i16; 3],
    /// For a leaf, the first triangle times 16 plus their number; else the second child times 16.
    /// The first child is the next node. A mesh has at most 2^24 triangles.
    content: u32,
}

/// Cells on half of the grid's longest side; the rest of the 16 bits is for rounding.
const HALF_CELLS: f64 = 32_000.0;

/// A node of the tree, unpacked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Holds all triangles below; up to one cell of the grid wider than necessary on each side.
    pub bounds: Aabb,
    pub content: Content,
}

/// The tree; node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    nodes: Vec<Packed>,
    order: Vec<u32>,
    /// Centre of the grid.
    origin: Vec3,
    /// Side of a cell of the grid.
    cell: f64,
    /// Exact bounds of all triangles.
    all: Aabb,
}

impl Boxes {
    /// Builds a tree over `count` triangles, at least one.
    pub fn new(count: usize, triangle: impl Fn(usize) -> Triangle) -> Self {
        let bounds: Vec<Aabb> = (0..count)
            .map(|i| Aabb::of_triangle(&triangle(i)))
            .collect();
        let all = around(bounds.iter());
        let origin = all.low * 0.5 + all.high * 0.5;
        let extent = (all.high * 0.5 - all.low * 0.5).amax();
        // Never 0, not even around a point.
        let cell = (extent / HALF_CELLS).max(f64::MIN_POSITIVE);
        let mut order: Vec<u32> = (0..count as u32).collect();
        let mut nodes: Vec<Packed> = Vec::with_capacity(count);
        // Range of a node, and the node of which it is the second child.
        let mut pending = vec![(0, order.len(), None)];
        while let Some((start, end, parent)) = pending.pop() {
            let slice = &mut order[start..end];
            let around = around(slice.iter().map(|&i| &bounds[i as usize]));
            let index = nodes.len();
            nodes.push(Packed {
                low: rounded(&origin, cell, &around.low, -1, |x, y| x > y),
                high: rounded(&origin, cell, &around.high, 1, |x, y| x < y),
                // For an inner node a placeholder, until its second child exists.
                content: (start << 4 | (end - start)) as u32,
            });
            if let Some(parent) = parent {
                let parent: &mut Packed = &mut nodes[parent];
                parent.content = (index << 4) as u32;
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
                // The first half is popped next, and becomes the next node.
                pending.push((start + middle, end, Some(index)));
                pending.push((start, start + middle, None));
            }
        }
        nodes.shrink_to_fit();
        Self {
            nodes,
            order,
            origin,
            cell,
            all,
        }
    }

    pub fn node(&self, index: usize) -> Node {
        let node = &self.nodes[index];
        let corner = |c: &[i16; 3]| self.origin + Vec3::from(c.map(|x| f64::from(x) * self.cell));
        let (first, count) = (node.content as usize >> 4, node.content as usize & 15);
        Node {
            bounds: Aabb {
                low: corner(&node.low),
                high: corner(&node.high),
            },
            content: match count {
                0 => Content::Inner(index + 1, first),
                _ => Content::Leaf(first, first + count),
            },
        }
    }

    /// Returns the exact bounds of all triangles.
    pub fn all(&self) -> Aabb {
        self.all
    }

    /// Returns the triangles of a leaf.
    pub fn triangles(&self, start: usize, end: usize) -> &[u32] {
        &self.order[start..end]
    }
}

fn around<'a>(boxes: impl Iterator<Item = &'a Aabb>) -> Aabb {
    let all = boxes.copied().reduce(|a, b| a.union(&b));
    all.unwrap_or(Aabb::of_point(&Vec3::zeros()))
}

/// Returns `p` in cells about `origin`, moved by `step` for as long as `short` says that the
/// rounded value falls short of the exact one.
fn rounded(origin: &Vec3, cell: f64, p: &Vec3, step: i16, short: fn(f64, f64) -> bool) -> [i16; 3] {
    [0, 1, 2].map(|k| {
        let mut near = ((p[k] - origin[k]) / cell).round() as i16;
        while short(origin[k] + f64::from(near) * cell, p[k]) {
            near += step;
        }
        near
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every triangle is in exactly one leaf, and in every box above it, for any position and size
    /// of the mesh.
    #[test]
    fn no_box_is_too_small() {
        for (at, size) in [
            (0.0, 1.0),
            (1e4, 1e-3),
            (-3.0, 1e9),
            (1e30, 1e-5),
            (1e80, 1e85),
            // Corners that are a few units in the last place apart.
            (1e16, 1.0),
            (1e16, 4.0),
            (0.0, 1e-80),
            (0.0, 1e308),
        ] {
            let triangle = |i: usize| {
                let t = i as f64;
                let p = Vec3::new((0.7 * t).sin(), (1.3 * t).cos(), (0.3 * t).sin());
                let corner = |k| Vec3::repeat(at) + (p + Vec3::ith(k, 0.01)) * size;
                [corner(0), corner(1), corner(2)]
            };
            for count in [1, 4, 8, 9, 300] {
                let boxes = Boxes::new(count, triangle);
                let mut seen = vec![0; count];
                let mut pending = vec![(0, Vec::new())];
                while let Some((index, mut above)) = pending.pop() {
                    let node = boxes.node(index);
                    above.push(node.bounds);
                    match node.content {
                        Content::Inner(a, b) => pending.extend([(a, above.clone()), (b, above)]),
                        Content::Leaf(start, end) => {
                            for &i in boxes.triangles(start, end) {
                                seen[i as usize] += 1;
                                let exact = Aabb::of_triangle(&triangle(i as usize));
                                for b in &above {
                                    let holds = |k: usize| {
                                        b.low[k] <= exact.low[k]
                                            && exact.high[k] <= b.high[k]
                                            && b.low[k].is_finite()
                                            && b.high[k].is_finite()
                                    };
                                    assert!((0..3).all(holds), "{exact:?} not in {b:?}");
                                }
                            }
                        }
                    }
                }
                assert!(seen.iter().all(|&times| times == 1), "{seen:?}");
            }
        }
        assert_eq!(size_of::<Packed>(), 16);
    }
}
