//! Checks of a crowd from outside: brute force over all agents, outside the timers.

use hapticd_registration::registration::Kind;

use super::Crowd;

impl Crowd {
    /// Counts pairs that the lists of the point's cell miss, of all pairs of points within the
    /// reach of their repulsion and of points in bubbles of edges; returns also the number of all
    /// such pairs.
    pub fn unseen(&mut self) -> (usize, usize) {
        let (mut missed, mut all) = (0, 0);
        let mut listed = vec![usize::MAX; self.agents.len()];
        let mut edges = vec![usize::MAX; self.edges.len()];
        let reach2 = self.settings.reach_m * self.settings.reach_m;
        let mut near = Vec::new();
        for i in 0..self.agents.len() {
            let c = self.cell_of(self.agents[i].particle);
            self.list(c, Kind::Point, &mut near);
            near.iter().for_each(|&j| listed[j as usize] = i);
            self.list(c, Kind::Edge, &mut near);
            near.iter().for_each(|&j| edges[j as usize] = i);
            let at = self.agents[i].at;
            for (j, other) in self.agents.iter().enumerate() {
                if i != j && (other.at - at).norm_squared() <= reach2 {
                    all += 1;
                    missed += usize::from(listed[j] != i);
                }
            }
            for (j, edge) in self.edges.iter().enumerate() {
                let ends = [edge.ends[0].at, edge.ends[1].at];
                if super::force::edge_distance_m(&at, &ends) <= edge.reach_m {
                    all += 1;
                    missed += usize::from(edges[j] != i);
                }
            }
        }
        (missed, all)
    }

    /// Returns the number of points inside a polygon.
    pub fn inside_polygons(&self) -> usize {
        let inside = |p| self.polygons.iter().any(|polygon| polygon.holds(p));
        self.agents.iter().filter(|a| inside(&a.at)).count()
    }

    /// Returns a hash of all positions to the last bit: equal crowds have equal hashes.
    pub fn fingerprint(&self) -> u64 {
        let corners = self
            .polygons
            .iter()
            .flat_map(|p| p.corners.iter().map(|c| c.at));
        let mut mark = 0xcbf2_9ce4_8422_2325_u64;
        for p in self.agents.iter().map(|a| a.at).chain(corners) {
            for x in p.iter() {
                mark = (mark ^ x.to_bits()).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        mark
    }
}
