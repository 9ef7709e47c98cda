//! Lists of the primitives that reach each brick: the source's voxel grid (Triquet 2001, section
//! 3.2.2), with bricks of cubes for voxels.
//!
//! Lists are rebuilt for every mesh and never cleared: an entry counts only if it carries this
//! mesh's date (section 3.3.3). Dates have 16 bits; when they run out, once in 65,535 meshes, all
//! are cleared. Allocates only when a mesh exceeds all earlier ones in size.

use hapticd_geometry::Vec3;

use crate::domain::{Domain, SIDE};

/// Relative enlargement of a box, so that single precision never finds a potential outside it.
const RELATIVE_MARGIN: f64 = 1e-5;

/// Maximum number of entries of all lists together, counted by bounding boxes; a ball reaches about
/// half of its box. 3 GB while the lists are built.
pub(crate) const MAX_ENTRIES: u64 = 1 << 28;

/// Index of nothing.
pub(crate) const NONE: u32 = u32::MAX;

/// Primitives by brick. See the module page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lists {
    /// Bricks along each axis.
    pub bricks: [u32; 3],
    date: u16,
    dates: Vec<u16>,
    /// Index into `reached`, by brick; valid if the brick carries the date.
    slots: Vec<u32>,
    /// Coordinates of each brick that a primitive reaches.
    pub reached: Vec<[u16; 3]>,
    /// Brick and primitive of each entry, in order of primitives.
    pairs: Vec<(u32, u32)>,
    first: Vec<u32>,
    entries: Vec<u32>,
}

impl Lists {
    /// Starts empty lists over a domain.
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

    /// Sets the date as if this many meshes had been made. For tests of the wrap-around.
    pub fn set_date(&mut self, date: u16) {
        self.date = date;
    }

    /// First and last brick along each axis that a box meets, and the enlargement of the box, m;
    /// `None` if it meets no brick.
    fn range(&self, domain: &Domain, (low, high): (Vec3, Vec3)) -> Option<([(u32, u32); 3], f64)> {
        let side = f64::from(SIDE) * domain.cell_m();
        // Rounding of positions in single precision scales with the domain, not with the primitive.
        let most_cells = domain.cells().into_iter().fold(0, u32::max);
        let rounding = 4.0 * f64::from(f32::EPSILON) * f64::from(most_cells) * domain.cell_m();
        let size = (high - low).amax().min(1e3 * side) * RELATIVE_MARGIN + rounding + 1e-9 * side;
        let mut range = [(0, 0); 3];
        for k in 0..3 {
            let last = f64::from(self.bricks[k]) - 1.0;
            // A node between two bricks belongs to both. The casts saturate, and NaN becomes 0;
            // ends outside the domain were rejected before.
            let from = ((low[k] - size - domain.low()[k]) / side).ceil() - 1.0;
            let to = ((high[k] + size - domain.low()[k]) / side).floor();
            if !(from <= last && to >= 0.0) {
                return None;
            }
            range[k] = (from.max(0.0) as u32, to.min(last) as u32);
        }
        Some((range, size))
    }

    /// Number of bricks that a box meets: an upper bound on its entries.
    pub fn count(&self, domain: &Domain, bounds: (Vec3, Vec3)) -> u64 {
        let range = self.range(domain, bounds);
        range.map_or(0, |(range, _)| {
            let along = range.map(|(from, to)| u64::from(to - from) + 1);
            along.iter().product()
        })
    }

    /// Adds a primitive to the bricks that its box meets, and its ball if given. Primitives must
    /// come in order.
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

    /// Builds the lists, after the last primitive.
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
        // Filling advances the offsets; they are moved back by one afterwards.
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

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> usize {
        2 * self.dates.capacity()
            + 4 * (self.slots.capacity() + self.first.capacity() + self.entries.capacity())
            + 6 * self.reached.capacity()
            + 8 * self.pairs.capacity()
    }

    /// Index of a brick in [`Lists::reached`]; [`NONE`] if no primitive reaches it or it is outside
    /// the domain.
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
