//! Routes around buildings and holes: for each goal, the next cell from every cell, by
//! breadth-first search over the cells that a map was built of.
//!
//! This is the source's *global* layer (Pitiot 2015, section 8.2): it knows the static obstacles
//! and gives intermediate goals, the middles of cells. It runs outside the timers.

use std::collections::VecDeque;

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};

const NONE: u32 = u32::MAX;

/// Routes in a map that was not refined yet.
pub struct Routes {
    next: Vec<Vec<u32>>,
    centres: Vec<Vec3>,
}

/// Returns the cell of the coarsest level that contains a leaf.
pub fn root(map: &Map, mut c: Cell) -> Cell {
    while let Some(parent) = map.parent(c) {
        c = parent;
    }
    c
}

impl Routes {
    /// Computes routes to each of these cells, across sides that are not obstacles.
    pub fn new(map: &Map, goals: &[Cell]) -> Self {
        let mut centres = vec![Vec3::zeros(); map.cell_slots()];
        for c in map.leaves() {
            centres[c.index()] = map.centre(c);
        }
        let next = goals.iter().map(|&goal| {
            let mut next = vec![NONE; map.cell_slots()];
            next[goal.index()] = goal.index() as u32;
            let mut queue = VecDeque::from([goal]);
            while let Some(c) = queue.pop_front() {
                for d in map.cell_darts(c) {
                    let beyond = map.cell(map.beyond(d));
                    if !map.is_obstacle(d) && next[beyond.index()] == NONE {
                        next[beyond.index()] = c.index() as u32;
                        queue.push_back(beyond);
                    }
                }
            }
            next
        });
        Routes {
            next: next.collect(),
            centres,
        }
    }

    /// Returns the next position from a cell of the coarsest level towards a goal: the middle of
    /// the next cell, or of the goal in the goal's cell; `None` if there is no route.
    pub fn ahead(&self, from: Cell, goal: usize) -> Option<Vec3> {
        let next = self.next[goal][from.index()];
        (next != NONE).then(|| self.centres[next as usize])
    }

    /// Returns true if a cell is the goal.
    pub fn is_there(&self, at: Cell, goal: usize) -> bool {
        self.next[goal][at.index()] == at.index() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_as_short_as_can_be_and_lead_around_what_is_in_the_way() {
        let mut map = Map::grid_2d(Vec3::zeros(), 1.0, [5, 5]).unwrap();
        let cells: Vec<Cell> = map.leaves().collect();
        // A wall from the bottom up to the last row, and a closed yard.
        for y in 0..4 {
            map.set_obstacle_cell(cells[2 + 5 * y], true);
        }
        let routes = Routes::new(&map, &[cells[0], cells[2]]);
        let mut at = cells[4];
        let mut steps = 0;
        while !routes.is_there(at, 0) {
            let to = routes.ahead(at, 0).unwrap();
            let next = cells
                .iter()
                .copied()
                .find(|&c| (map.centre(c) - to).norm() < 1e-9)
                .unwrap();
            assert!((map.centre(next) - map.centre(at)).norm() < 1.0 + 1e-9);
            at = next;
            steps += 1;
        }
        assert_eq!(steps, 4 + 4 + 4);
        assert!(
            routes.ahead(cells[0], 1).is_none(),
            "nothing leads into a wall"
        );
    }
}
