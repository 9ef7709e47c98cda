//! Recomputes everything from positions and darts alone.

use std::collections::{BTreeMap, BTreeSet};

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Space};
use hapticd_registration::registration::{EntityId, Kind, ParticleId, Policy, Registration};

use crate::common;

/// The entities, as the test that inserted them knows them.
#[derive(Default)]
pub struct Scene {
    pub particles: Vec<ParticleId>,
    pub entities: Vec<EntityId>,
}

pub fn positions(r: &Registration, x: EntityId) -> Vec<Vec3> {
    r.ends(x).map(|p| r.particle(p).unwrap().position).collect()
}

/// The cells that an entity crosses, by brute force.
pub fn crossed(r: &Registration, x: EntityId) -> BTreeSet<Cell> {
    let map = r.map();
    let mut joined = true;
    let ends: Vec<_> = r.ends(x).map(|p| *r.particle(p).unwrap()).collect();
    let mut cells: BTreeSet<Cell> = ends.iter().map(|p| map.cell(p.dart)).collect();
    let free = r.policy() == Policy::Tolerate || map.is_convex();
    if cells.len() == 1 && free {
        return cells;
    }
    for i in 0..if ends.len() == 3 { 3 } else { ends.len() - 1 } {
        let (a, b) = (&ends[i], &ends[(i + 1) % ends.len()]);
        if map.cell(a.dart) == map.cell(b.dart) && free {
            continue;
        }
        if map.space() == Space::Surface && ends.len() > 1 {
            let (way, whole) = common::section(map, a, b);
            cells.extend(way);
            joined &= whole;
        } else {
            cells.extend(common::crossed(map, &a.position, &b.position));
        }
    }
    if map.space() == Space::Surface {
        assert_eq!(r.is_joined(x), joined, "{x:?}");
    }
    cells
}

/// Checks that all lists equal those built from scratch, and that all particles are in the cells of
/// their darts.
pub fn check(r: &Registration, scene: &Scene) {
    assert!(r.is_settled());
    let map = r.map();
    let rings = common::rings(map);
    for &p in &scene.particles {
        let particle = r.particle(p).unwrap();
        assert!(map.has_dart(particle.dart));
        assert!(
            map.cell_holds(map.cell(particle.dart), &particle.position),
            "{p:?} {particle:?}"
        );
    }
    let mut present: BTreeMap<(Cell, Kind), BTreeSet<EntityId>> = BTreeMap::new();
    let mut neighbours = present.clone();
    for &x in &scene.entities {
        let kind = r.kind(x).unwrap();
        let cells = crossed(r, x);
        let listed: BTreeSet<Cell> = r.crossed(x).collect();
        assert_eq!(r.crossed(x).len(), listed.len(), "{x:?}: doubles");
        assert_eq!(listed, cells, "{x:?} {kind:?} {:?}", positions(r, x));
        let ring: BTreeSet<Cell> = cells
            .iter()
            .flat_map(|c| rings[c].clone())
            .filter(|c| !cells.contains(c))
            .collect();
        if kind != Kind::Point {
            assert_eq!(r.ring(x).len(), ring.len());
            assert_eq!(r.ring(x).collect::<BTreeSet<_>>(), ring, "{x:?}");
        }
        for c in cells {
            present.entry((c, kind)).or_default().insert(x);
        }
        for c in ring {
            neighbours.entry((c, kind)).or_default().insert(x);
        }
    }
    let mut read = r.clone();
    for c in map.leaves() {
        for kind in Kind::ALL {
            let made = |lists: &mut BTreeMap<_, BTreeSet<EntityId>>| {
                lists.remove(&(c, kind)).unwrap_or_default()
            };
            let is: BTreeSet<EntityId> = r.present(c, kind).collect();
            assert_eq!(
                r.present(c, kind).len(),
                is.len(),
                "doubles present in {c:?}"
            );
            assert_eq!(is, made(&mut present), "present in {c:?}");
            let is: BTreeSet<EntityId> = read.neighbours(c, kind).collect();
            assert_eq!(
                read.neighbours(c, kind).count(),
                is.len(),
                "doubles around {c:?}"
            );
            assert_eq!(is, made(&mut neighbours), "{kind:?} neighbours of {c:?}");
        }
    }
}
