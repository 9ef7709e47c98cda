//! Random sequences of all operations on a registration.

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map, Space, Vertex};
use hapticd_registration::registration::{Kind, ParticleId, Policy, Registration};

use crate::common::{
    Random, bent_cubes, bent_squares, closed_surface, hills, on_surface, triangles,
};
use crate::oracle::Scene;

pub struct World {
    pub r: Registration,
    pub scene: Scene,
    pub random: Random,
    pub width: f64,
    pub deforms: bool,
}

/// Number of kinds of space.
pub const SPACES: usize = 6;

pub fn space(kind: usize) -> (Map, f64) {
    match kind % SPACES {
        0 => (bent_cubes(3, 0.0, 1), 3.0),
        1 => (bent_cubes(3, 0.2, 2), 3.0),
        2 => (bent_squares(4, 0.15, 3), 4.0),
        3 => (triangles(3), 3.0),
        4 => (closed_surface(3, true), 3.0),
        _ => (hills(4, 0.4, 5, |x, y| (x, y) == (1, 2)), 4.0),
    }
}

impl World {
    pub fn new(kind: usize, policy: Policy, deforms: bool, seed: u64) -> Self {
        let (map, width) = space(kind);
        World {
            r: Registration::new(map, policy),
            scene: Scene::default(),
            random: Random(seed),
            width,
            deforms,
        }
    }

    fn curved(&self) -> bool {
        self.r.map().space() == Space::Surface
    }

    pub fn somewhere(&mut self) -> Vec3 {
        if self.curved() {
            return on_surface(self.r.map(), &mut self.random);
        }
        let mut p = self
            .random
            .inside(Vec3::repeat(0.01), Vec3::repeat(self.width - 0.01));
        if self.r.map().space() == Space::Plane {
            p.z = 0.0;
        }
        p
    }

    fn near(&mut self, p: Vec3, by: f64) -> Vec3 {
        if self.curved() {
            // The nearest of some candidates.
            let mut near = self.somewhere();
            for _ in 0..[8, 3, 1][usize::from(by > 0.5) + usize::from(by > 1.2)] {
                let q = self.somewhere();
                if (q - p).norm() < (near - p).norm() {
                    near = q;
                }
            }
            return near;
        }
        // Into the space, to a position without symmetry: through edges and vertices there is more
        // than one right answer.
        let mut q = p + self.random.vector(by);
        for x in q.iter_mut() {
            if *x < 0.01 || *x > self.width - 0.01 {
                *x = (0.02 + 0.96 * self.random.unit()) * self.width;
            }
        }
        if self.r.map().space() == Space::Plane {
            Vec3::new(q.x, q.y, 0.0)
        } else {
            q
        }
    }

    pub fn particle(&mut self, at: Vec3) -> ParticleId {
        let leaf = self.r.map().leaves().next().unwrap();
        let p = self.r.insert_particle(&at, leaf).unwrap();
        self.scene.particles.push(p);
        p
    }

    /// An entity; some of its ends may already belong to others.
    pub fn insert(&mut self) {
        let at = self.somewhere();
        let kind = self.random.below(3);
        let reach = [0.3, 1.0, 2.5][self.random.below(3)];
        let mut ends = Vec::new();
        for _ in 0..=kind {
            let shared = !self.scene.particles.is_empty() && self.random.unit() < 0.3;
            let p = if shared {
                self.scene.particles[self.random.below(self.scene.particles.len())]
            } else {
                let at = self.near(at, reach);
                self.particle(at)
            };
            if !ends.contains(&p) {
                ends.push(p);
            }
        }
        let x = match ends[..] {
            [p] => self.r.insert_point(p),
            [a, b] => self.r.insert_edge(a, b),
            [a, b, c] => self.r.insert_triangle([a, b, c]),
            _ => unreachable!(),
        };
        self.scene.entities.push(x.unwrap());
    }

    pub fn remove(&mut self) {
        if self.scene.entities.is_empty() {
            return;
        }
        let i = self.random.below(self.scene.entities.len());
        let x = self.scene.entities.swap_remove(i);
        let ends: Vec<_> = self.r.ends(x).collect();
        self.r.remove(x).unwrap();
        for p in ends {
            if self.r.users(p).next().is_none() {
                self.r.remove_particle(p).unwrap();
                self.scene.particles.retain(|&q| q != p);
            }
        }
    }

    pub fn moves(&mut self) {
        for _ in 0..6 {
            if self.scene.particles.is_empty() {
                return;
            }
            let p = self.scene.particles[self.random.below(self.scene.particles.len())];
            let from = self.r.particle(p).unwrap().position;
            let by = [0.05, 0.3, 1.5][self.random.below(3)];
            let goal = self.near(from, by);
            let _ = self.r.move_particle(p, &goal).unwrap();
        }
        self.r.settle();
    }

    pub fn rescale(&mut self, refine: bool) {
        let leaves: Vec<Cell> = self.r.map().leaves().collect();
        let c = leaves[self.random.below(leaves.len())];
        if refine {
            if self.r.map().cell_level(c) < 3 {
                self.r.refine(c).unwrap();
            }
        } else if let Some(parent) = self.r.map().parent(c)
            && self.r.map().can_coarsen(parent).is_ok()
        {
            self.r.coarsen(parent).unwrap();
        }
    }

    /// Moves inner vertices; where a cell would no longer be fully visible they move back.
    pub fn deform(&mut self) {
        let vertices: Vec<Vertex> = self.r.map().all_vertices().collect();
        let mut moves = Vec::new();
        let mut back = Vec::new();
        let flat = self.r.map().space() == Space::Plane;
        for _ in 0..4 {
            let v = vertices[self.random.below(vertices.len())];
            let p = self.r.map().position(v);
            let axes = if flat { 2 } else { 3 };
            if back.iter().any(|&(w, _)| w == v)
                || (!self.curved() && (0..axes).any(|i| p[i] <= 0.0 || p[i] >= self.width))
            {
                continue;
            }
            let mut to = p + self.random.vector(0.02);
            if flat {
                to.z = 0.0;
            }
            moves.push((v, to));
            back.push((v, p));
        }
        let done = self.r.deform(&moves).unwrap();
        assert_eq!(done.invalid > 0, done.worst.is_some());
        if done.invalid > 0 {
            let _ = self.r.deform(&back).unwrap();
        }
    }

    pub fn step(&mut self, op: u8) {
        match op % 12 {
            0..=2 => self.insert(),
            3 => self.remove(),
            4..=6 => self.moves(),
            7 | 8 => self.rescale(true),
            9 => self.rescale(false),
            _ if self.deforms => self.deform(),
            _ => self.moves(),
        }
    }

    /// Whether all cells are fully visible from their centres. Merging deformed cells, or moving
    /// back from there, may leave one that is not. Then it is undefined which of two cells holds a
    /// point, and there is nothing to compare.
    pub fn is_valid(&self) -> bool {
        self.r
            .map()
            .leaves()
            .all(|c| self.r.map().validity(c).is_ok())
    }

    /// Number of entities of a kind.
    pub fn count(&self, kind: Kind) -> usize {
        self.scene
            .entities
            .iter()
            .filter(|&&x| self.r.kind(x) == Some(kind))
            .count()
    }
}
