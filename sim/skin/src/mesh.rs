//! Triangle meshes of skins, and their defects.

/// Triangles with shared points. Single precision, world frame, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions.
    pub points: Vec<[f32; 3]>,
    /// Unit normals, outwards, by point.
    pub normals: Vec<[f32; 3]>,
    /// Corners, anticlockwise as seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Counts of what a sound closed mesh has none of. For tests, and for the skin's own check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Directed edges without exactly one oppositely directed partner.
    pub open_edges: usize,
    /// Points with triangles that do not form one ring.
    pub pinched: usize,
    /// Triangles that face away from the normals of their corners.
    pub flipped: usize,
}

impl Mesh {
    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.points.clear();
        self.normals.clear();
        self.triangles.clear();
    }

    /// Counts the defects. Allocates; takes a sort of the edges, and is linear otherwise.
    #[must_use]
    pub fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        let mut sides: Vec<(u32, u32)> = Vec::with_capacity(3 * self.triangles.len());
        // Around each point: the point, then the ends of the edges before and after it.
        let mut around: Vec<(u32, u32, u32)> = Vec::with_capacity(3 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            sides.extend([(a, b), (b, c), (c, a)]);
            around.extend([(a, b, c), (b, c, a), (c, a, b)]);
        }
        sides.sort_unstable();
        let count = |side: (u32, u32)| {
            sides.partition_point(|s| *s <= side) - sides.partition_point(|s| *s < side)
        };
        faults.open_edges = sides
            .iter()
            .filter(|(a, b)| count((*a, *b)) != 1 || count((*b, *a)) != 1)
            .count();
        around.sort_unstable();
        for ring in around.chunk_by(|p, q| p.0 == q.0) {
            let (mut steps, mut at) = (0, ring[0].1);
            while steps <= ring.len() {
                let Ok(k) = ring.binary_search_by_key(&at, |r| r.1) else {
                    break;
                };
                (steps, at) = (steps + 1, ring[k].2);
                if at == ring[0].1 {
                    break;
                }
            }
            // An open fan takes as many steps if it starts at the right point, but does not return.
            faults.pinched += usize::from(steps != ring.len() || at != ring[0].1);
        }
        faults.flipped = self.triangles.iter().filter(|t| self.is_flipped(t)).count();
        faults
    }

    /// Normal of a triangle, towards its front; its length is twice the area, m². The corners must
    /// exist.
    pub(crate) fn across(&self, triangle: &[u32; 3]) -> [f64; 3] {
        let [a, b, c] = triangle.map(|v| self.points[v as usize].map(f64::from));
        let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
        [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            u[i] * v[j] - u[j] * v[i]
        })
    }

    /// True if a triangle faces away from the normals of its corners, which must exist.
    pub(crate) fn is_flipped(&self, triangle: &[u32; 3]) -> bool {
        let n = self.across(triangle);
        let along = triangle.iter().map(|v| {
            let m = self.normals[*v as usize];
            (0..3).map(|k| n[k] * f64::from(m[k])).sum::<f64>()
        });
        along.sum::<f64>() < 0.0
    }

    /// Number of connected pieces. Allocates.
    #[must_use]
    pub fn pieces(&self) -> usize {
        let mut lead: Vec<u32> = (0..self.points.len() as u32).collect();
        fn leader(lead: &mut [u32], mut v: u32) -> u32 {
            while lead[v as usize] != v {
                lead[v as usize] = lead[lead[v as usize] as usize];
                v = lead[v as usize];
            }
            v
        }
        for &[a, b, c] in &self.triangles {
            for v in [b, c] {
                let (p, q) = (leader(&mut lead, a), leader(&mut lead, v));
                lead[q as usize] = p;
            }
        }
        (0..).zip(&lead).filter(|(v, lead)| v == *lead).count()
    }

    /// Euler characteristic, points less edges plus triangles: 2 for each piece without handles.
    /// Valid for closed meshes.
    #[must_use]
    pub fn euler(&self) -> i64 {
        self.points.len() as i64 - self.triangles.len() as i64 / 2
    }
}
