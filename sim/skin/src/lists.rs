//! Which primitives reach which brick: the source's voxel grid (Triquet 2001, section 3.2.2), with
//! bricks of cubes for voxels.
//!
//! Lists are rebuilt for every mesh and never cleared: an entry counts only if it carries the
//! date of this mesh (section 3.3.3). The dates are of 16 bits; when they are used up all are
//! cleared, once in 65,535 meshes. Does not allocate once it has seen as much.

use hapticd_geometry::Vec3;

use crate::domain::Domain;

/// Cubes along a side of a brick; it has one node more.
pub(crate) const SIDE: u32 = 7;

/// Part of a box by which it is taken larger, so that single precision never finds a potential
/// beyond it.
const ROOM: f64 = 1e-5;

/// Most entries of all lists together, counted by boxes: of a ball about half of them are there. 3
/// GB while they are made.
pub(crate) const MAX_ENTRIES: u64 = 1 << 28;

/// None.
pub(crate) const NONE: u32 = u32::MAX;

/// See the module page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Bricks along each axis.
    pub bricks: [u32; 3],
    date: u16,
    dates: Vec<u16>,
    /// By place: where it is in `reached`, if it carries the date.
    slots: Vec<u32>,
    /// Place of each brick that something reaches.
    pub reached: Vec<[u16; 3]>,
    /// The brick and the primitive, in order of primitives.
    pairs: Vec<(u32, u32)>,
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// Empty, over a domain.
    pub fn begin(&mut self, domain: &Domain) {
        let bricks = domain.cells().map(|n| n.div_ceil(SIDE));
        if self.bricks != bricks {
            self.bricks = bricks;
            let count = bricks.iter().map(|n| *n as usize).product();
            self.dates.clear();
            self.dates.resize(count, 0);
            self.slots.resize(count, NONE);
            self.date = 0;
        }
        if self.date == u16::MAX {
            self.dates.fill(0);
            self.date = 0;
        }
        self.date += 1;
        self.reached.clear();
        self.pairs.clear();
    }

    /// Starts with this many meshes behind it: for tests of the end of dates.
    pub fn set_date(&mut self, date: u16) {
        self.date = date;
    }

    /// The first and the last brick along each axis that a box meets, and by how much it was taken
    /// larger, m; `None`: it meets none.
    fn range(&self, domain: &Domain, (low, high): (Vec3, Vec3)) -> Option<([(u32, u32); 3], f64)> {
        let side = f64::from(SIDE) * domain.cell_m();
        // What rounding makes of places in single precision goes with the domain's size, not with
        // the primitive's.
        let most_cells = domain.cells().into_iter().fold(0, u32::max);
        let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(most_cells) * domain.cell_m();
        let size = (high - low).amax().min(1e3 * side) * ROOM + rounding + 1e-9 * side;
        let mut range = [(0, 0); 3];
        for k in 0..3 {
            let last = f64::from(self.bricks[k]) - 1.0;
            // Both bricks of a node between them. The casts saturate, and a NaN is 0; ends beyond
            // the domain are kept apart before.
            let from = ((low[k] - size - domain.low()[k]) / side).ceil() - 1.0;
            let to = ((high[k] + size - domain.low()[k]) / side).floor();
            if !(from <= last && to >= 0.0) {
                return None;
            }
            range[k] = (from.max(0.0) as u32, to.min(last) as u32);
        }
        Some((range, size))
    }

    /// How many bricks a box meets: as many entries as it may become.
    pub fn count(&self, domain: &Domain, bounds: (Vec3, Vec3)) -> u64 {
        let range = self.range(domain, bounds);
        range.map_or(0, |(range, _)| {
            let along = range.map(|(from, to)| u64::from(to - from) + 1);
            along.iter().product()
        })
    }

    /// Adds a primitive to the bricks that a box meets, and a ball where there is one. Primitives
    /// in order.
    pub fn add(
        &mut self,
        domain: &Domain,
        primitive: u32,
        bounds: (Vec3, Vec3),
        ball: Option<(Vec3, f64)>,
    ) {
        let Some((range, size)) = self.range(domain, bounds) else {
            return;
        };
        let side = f64::from(SIDE) * domain.cell_m();
        let reach = ball.map_or(0.0, |(_, r)| (r + size) * (r + size));
        for z in range[2].0..=range[2].1 {
            for y in range[1].0..=range[1].1 {
                for x in range[0].0..=range[0].1 {
                    if let Some((c, _)) = ball {
                        let corner = domain.low() + side * Vec3::new(x.into(), y.into(), z.into());
                        let away = c - c.sup(&corner).inf(&corner.add_scalar(side));
                        if away.norm_squared() > reach {
                            continue;
                        }
                    }
                    self.put([x, y, z], primitive);
                }
            }
        }
    }

    fn at(&self, [x, y, z]: [u32; 3]) -> usize {
        ((z * self.bricks[1] + y) * self.bricks[0] + x) as usize
    }

    fn put(&mut self, place: [u32; 3], primitive: u32) {
        let at = self.at(place);
        if self.dates[at] != self.date {
            self.dates[at] = self.date;
            self.slots[at] = self.reached.len() as u32;
            self.reached.push(place.map(|x| x as u16));
        }
        self.pairs.push((self.slots[at], primitive));
    }

    /// After the last primitive.
    pub fn finish(&mut self) {
        self.first.clear();
        self.first.resize(self.reached.len() + 1, 0);
        for (slot, _) in &self.pairs {
            self.first[*slot as usize + 1] += 1;
        }
        for k in 1..self.first.len() {
            self.first[k] += self.first[k - 1];
        }
        self.entries.clear();
        self.entries.resize(self.pairs.len(), 0);
        // Moved on while filling, and then moved back by one.
        for (slot, primitive) in &self.pairs {
            let next = &mut self.first[*slot as usize];
            self.entries[*next as usize] = *primitive;
            *next += 1;
        }
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    /// Primitives that reach a brick of [`Lists::reached`], in order.
    pub fn of(&self, slot: usize) -> &[u32] {
        &self.entries[self.first[slot] as usize..self.first[slot + 1] as usize]
    }

    /// Memory, bytes.
    pub fn bytes(&self) -> usize {
        2 * self.dates.capacity()
            + 4 * (self.slots.capacity() + self.first.capacity() + self.entries.capacity())
            + 6 * self.reached.capacity()
            + 8 * self.pairs.capacity()
    }

    /// Where a brick is in [`Lists::reached`]; [`NONE`] if nothing reaches it, or it is not in the
    /// domain.
    pub fn slot(&self, place: [u32; 3]) -> u32 {
        if (0..3).any(|k| place[k] >= self.bricks[k]) {
            return NONE;
        }
        let at = self.at(place);
        if self.dates[at] == self.date {
            self.slots[at]
        } else {
            NONE
        }
    }
}
