//! The fourth method: a kd-tree of another library, rebuilt at each update.

use hapticd_geometry::Vec3;
use hapticd_published::baselines::{BaselineError, Neighbours, Pairs};
use hapticd_registration::track::TrackError;
use kdtree::KdTree;
use kdtree::distance::squared_euclidean;

pub struct ByTree {
    tree: KdTree<f64, u32, [f64; 3]>,
    positions: Vec<Vec3>,
    radius_m: f64,
}

impl ByTree {
    pub fn new(positions: &[Vec3], radius_m: f64) -> Result<Self, BaselineError> {
        let mut new = ByTree {
            tree: KdTree::new(3),
            positions: positions.to_vec(),
            radius_m,
        };
        new.update(positions)?;
        Ok(new)
    }
}

impl Neighbours for ByTree {
    fn update(&mut self, positions: &[Vec3]) -> Result<(), BaselineError> {
        let (given, wanted) = (positions.len(), self.positions.len());
        if given != wanted {
            return Err(BaselineError::Count { given, wanted });
        }
        let mut tree = KdTree::with_capacity(3, 16);
        for (i, p) in positions.iter().enumerate() {
            let p = [p.x, p.y, p.z];
            tree.add(p, i as u32)
                .map_err(|_| TrackError::NotFinite { goal: p })?;
        }
        self.tree = tree;
        self.positions.copy_from_slice(positions);
        Ok(())
    }

    fn pairs(&mut self, out: &mut Pairs) {
        out.clear();
        let r2 = self.radius_m * self.radius_m;
        for (i, p) in self.positions.iter().enumerate() {
            let near = self
                .tree
                .within(&[p.x, p.y, p.z], r2 * (1.0 + 1e-12), &squared_euclidean)
                .unwrap_or_default();
            for (_, &j) in near {
                let q = self.positions[j as usize];
                if (i as u32) < j && (q - p).norm_squared() <= r2 {
                    out.push([i as u32, j]);
                }
            }
        }
    }
}
