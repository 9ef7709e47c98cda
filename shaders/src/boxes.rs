//! A mesh for the mid-phase: the boxes of its triangles and a tree over them, in single precision
//! and never too small.
//!
//! Built once, in `f64` and relative to the middle of the mesh, wherever that is; every corner is
//! then rounded outward. Each leaf holds one triangle, and nodes are split along the longest side
//! at the median. This suffices, since a whole workgroup descends in parallel.

use bytemuck::{Pod, Zeroable};
use hapticd_geometry::{TriMesh, Vec3};
use hapticd_rays::layout::Node;

/// Box of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TriangleBox {
    /// Lowest corner.
    pub low: [f32; 3],
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// Highest corner.
    pub high: [f32; 3],
    /// Padding.
    pub pad: u32,
}

/// Boxes and tree of one mesh. See the module page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshBoxes {
    pub(crate) boxes: Vec<TriangleBox>,
    /// Nodes of the tree; a leaf's triangle index is the mesh's.
    pub(crate) nodes: Vec<Node>,
    /// Point that the boxes are relative to, m.
    pub(crate) middle: Vec3,
    /// Largest absolute coordinate, m.
    pub(crate) furthest: f64,
}

impl MeshBoxes {
    /// Builds the boxes of all triangles of a mesh.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let (low, high) = mesh.bounds();
        let middle = 0.5 * (low + high);
        let mut boxes: Vec<TriangleBox> = (0..mesh.triangles().len())
            .map(|t| {
                let [a, b, c] = mesh.triangle(t).map(|p| p - middle);
                let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
                TriangleBox {
                    low: rounded(&low, f32::next_down, |x, y| x > y),
                    high: rounded(&high, f32::next_up, |x, y| x < y),
                    triangle: t as u32,
                    pad: 0,
                }
            })
            .collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len());
        if !boxes.is_empty() {
            grow(&mut boxes, &mut nodes);
        }
        let all = mesh.positions().iter().flat_map(|p| p.iter());
        Self {
            boxes,
            nodes,
            middle,
            furthest: all.fold(0.0, |most, x| x.abs().max(most)),
        }
    }

    /// Number of triangles.
    #[must_use]
    pub fn triangles(&self) -> usize {
        self.boxes.len()
    }
}

/// Rounds to single precision, one step further where `beyond` says that the result is too short.
fn rounded(p: &Vec3, step: fn(f32) -> f32, beyond: fn(f64, f64) -> bool) -> [f32; 3] {
    [0, 1, 2].map(|k| {
        let near = p[k] as f32;
        if beyond(f64::from(near), p[k]) {
            step(near)
        } else {
            near
        }
    })
}

fn grow(part: &mut [TriangleBox], nodes: &mut Vec<Node>) {
    let here = nodes.len();
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for b in part.iter() {
        for k in 0..3 {
            low[k] = low[k].min(b.low[k]);
            high[k] = high[k].max(b.high[k]);
        }
    }
    nodes.push(Node {
        low,
        high,
        ..Node::default()
    });
    if let [one] = part {
        nodes[here].leaf = one.triangle << 3 | 1;
    } else {
        let width = |k: usize| high[k] - low[k];
        let axis = (1..3).fold(0, |a, k| if width(k) > width(a) { k } else { a });
        let middle = part.len() / 2;
        let key = |b: &TriangleBox| b.low[axis] + b.high[axis];
        part.select_nth_unstable_by(middle, |x, y| {
            (key(x).total_cmp(&key(y))).then(x.triangle.cmp(&y.triangle))
        });
        let (left, right) = part.split_at_mut(middle);
        grow(left, nodes);
        grow(right, nodes);
    }
    nodes[here].skip = nodes.len() as u32;
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;

    #[test]
    fn every_triangle_is_in_its_box_and_in_all_above() {
        // Coordinates that single precision cannot represent.
        let torus = shapes::torus(0.1, 0.03, 24, 12).unwrap();
        let positions = torus.positions().iter().map(|p| p / 3.0);
        let mesh = TriMesh::new(positions.collect(), torus.triangles().to_vec()).unwrap();
        let made = MeshBoxes::new(&mesh);
        let count = mesh.triangles().len();
        assert_eq!((made.triangles(), made.nodes.len()), (count, 2 * count - 1));
        let within = |low: &[f32; 3], high: &[f32; 3], t: u32| {
            let inside =
                |p: &Vec3| (0..3).all(|k| f64::from(low[k]) <= p[k] && p[k] <= f64::from(high[k]));
            mesh.triangle(t as usize).iter().all(inside)
        };
        let mut seen = vec![false; count];
        for b in &made.boxes {
            assert!(within(&b.low, &b.high, b.triangle));
        }
        for (i, node) in made.nodes.iter().enumerate() {
            for below in &made.nodes[i..node.skip as usize] {
                if below.leaf != 0 {
                    assert!(within(&node.low, &node.high, below.leaf >> 3));
                }
            }
            if node.leaf != 0 {
                assert_eq!(node.skip as usize, i + 1);
                seen[(node.leaf >> 3) as usize] = true;
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    }
}
