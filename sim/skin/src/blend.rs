//! Which primitives may blend, and how bodies that may not blend interact where they meet.
//!
//! # Theory
//!
//! A sum of potentials blends all that comes close: an arm with the hip next to it, a coil with
//! itself, drops before they touch. So the mechanics decide which pairs may blend, and change this
//! at will. A pair that is allowed when it touches and forbidden only when it has parted gives the
//! memory that positions alone cannot (Triquet 2001, section 4.1).
//!
//! At one place of the surface, *blends with* is treated as an equivalence. The primitives there
//! fall into [`Classes`], each of which makes its own surface; a node can be inside for one and
//! outside for another (section 4.2.3). The relation is an equivalence only if any two primitives
//! of a strand that reach the same cube may blend: all pairs up to `2R + √3 h` along the strand,
//! not only neighbours ([`Graph::strand`]; digest, section 4.6). Otherwise the classes depend on
//! the order of the primitives, and their mesh tears; [`Classes::is_partition`] reports this.
//!
//! Two classes that overlap press each other flat: the excess of the other's potential over the
//! level is subtracted ([`pressed`]). Where both are inside, this is the source's equation 4.1;
//! elsewhere neither changes. As printed, equation 4.2 keeps touching bodies apart, and 4.1
//! displaces free ones. Of several others, the one furthest above the level counts, in whatever
//! order they come. A [`Bulge`] also swells both around the contact (section 4.3.1). [`Blending`]
//! selects the mode.
//!
//! [`Cliques`] replace classes where the relation is not an equivalence, or where one closed
//! surface is wanted for any graph.
//!
//! # Practice
//!
//! Potentials are dimensionless. Only [`Graph`] allocates, and [`Classes`] while it grows to its
//! largest size.

mod cliques;

pub use cliques::{Cliques, TooManyCliques};

/// Pairs of primitives that may blend. Not transitive: two pairs say nothing about a third.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Lower number first, sorted.
    pairs: Vec<(u32, u32)>,
}

/// A pair names a primitive that does not exist. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("primitives {a} and {b}: there are {count}")]
pub struct UnknownPrimitive {
    /// First primitive as given.
    pub a: u32,
    /// Second primitive as given.
    pub b: u32,
    /// Number of primitives.
    pub count: u32,
}

impl Graph {
    /// Creates a graph in which nothing blends.
    #[must_use]
    pub fn new() -> Graph {
        Graph::default()
    }

    /// True if two primitives may blend. Each may blend with itself.
    #[must_use]
    pub fn blends(&self, a: u32, b: u32) -> bool {
        a == b || self.pairs.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// Allows a pair to blend. Returns false if it was allowed before.
    pub fn allow(&mut self, a: u32, b: u32) -> bool {
        let pair = (a.min(b), a.max(b));
        match self.pairs.binary_search(&pair) {
            Err(at) if a != b => {
                self.pairs.insert(at, pair);
                true
            }
            _ => false,
        }
    }

    /// Forbids a pair to blend. Returns false if it was not allowed.
    pub fn forbid(&mut self, a: u32, b: u32) -> bool {
        let found = self.pairs.binary_search(&(a.min(b), a.max(b)));
        found.map(|at| self.pairs.remove(at)).is_ok()
    }

    /// Allows pairs of a strand that are at most `reach_m` apart along it. `first` is the number of
    /// its first primitive, `steps_m` the distances between successive ones, m. With `2R + √3 h`
    /// the mesh closes, for primitives of radius `R` and cubes of edge `h`.
    pub fn strand(&mut self, first: u32, steps_m: &[f64], reach_m: f64) {
        for (i, a) in (first..).zip(0..steps_m.len()) {
            let mut way = 0.0;
            for (j, step) in (i + 1..).zip(&steps_m[a..]) {
                way += step;
                // Not `>`: a NaN ends the loop.
                if !(way <= reach_m) {
                    break;
                }
                self.pairs.push((i, j));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// Replaces all pairs. Any order, either number first; duplicates and pairs of one primitive
    /// with itself are dropped.
    pub fn set(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        self.pairs.clear();
        let pairs = pairs.filter(|(a, b)| a != b);
        self.pairs.extend(pairs.map(|(a, b)| (a.min(b), a.max(b))));
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// The pairs, sorted, lower number first.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Checks that all numbers are below `count`.
    ///
    /// # Errors
    /// [`UnknownPrimitive`]: the first pair with a larger number.
    pub fn check(&self, count: u32) -> Result<(), UnknownPrimitive> {
        match self.pairs.iter().find(|(_, b)| *b >= count) {
            Some(&(a, b)) => Err(UnknownPrimitive { a, b, count }),
            None => Ok(()),
        }
    }
}

/// How primitives interact where they meet: the source's three modes (section 5.4), and a union.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blending<'a> {
    /// All blend.
    Free,
    /// Pairs of the graph blend; others press each other flat ([`pressed`]).
    Inhibited(&'a Graph),
    /// As `Inhibited`, and bodies in contact swell around it. Bodies are the connected parts of the
    /// graph; two are in contact if a node is inside both. The bulge's level must be the skin's.
    Bulging(&'a Graph, Bulge),
    /// One surface around all: the largest sum over the cliques, sets that may all blend with each
    /// other ([`Cliques`]). Others meet in a crease. Closed for any graph.
    Union(&'a Graph),
}

/// Maximum number of primitives of one place that may not all blend.
pub const MAX_IN_PLACE: usize = 128;

/// A subset of the primitives of one place: bit `i` for the `i`-th of them.
pub type Set = u128;

/// Members of a set, in ascending order.
#[inline]
pub fn members(mut set: Set) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

/// Classes of primitives of one place that blend with each other (section 4.2.3). Work space, meant
/// to be reused.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    of: Set,
    classes: Vec<Set>,
    /// `None` until computed.
    partition: Option<bool>,
}

impl Classes {
    /// Splits candidates of a place into classes. `may[i]` holds the members that blend with `i`,
    /// including itself; it must be symmetric. The first candidate represents its class, and so
    /// does each that blends with no representative before it. A class holds all that blend with
    /// its representative.
    pub fn split(&mut self, may: &[Set], candidates: Set) {
        self.divide(may, candidates);
        if self.partition.is_none() {
            // A partition: each member is in one class, and blends with all of it and nothing else.
            let (mut seen, mut twice) = (0, 0);
            for class in &self.classes {
                twice |= seen & class;
                seen |= class;
            }
            let is = twice == 0
                && (self.classes.iter())
                    .all(|class| members(*class).all(|i| may[i] & candidates == *class));
            self.partition = Some(is);
        }
    }

    /// As [`Classes::split`], without testing whether the classes are a partition.
    pub(crate) fn divide(&mut self, may: &[Set], candidates: Set) {
        // Neighbouring places usually have the same candidates.
        if self.of == candidates && !self.classes.is_empty() {
            return;
        }
        self.of = candidates;
        self.partition = None;
        self.classes.clear();
        // Members that blend with no representative so far.
        let mut left = candidates;
        while left != 0 {
            let first = left.trailing_zeros();
            let class = may[first as usize] & candidates;
            left &= !(class | 1 << first);
            self.classes.push(class);
        }
    }

    /// Discards what [`Classes::split`] found, before another place.
    pub fn clear(&mut self) {
        self.classes.clear();
    }

    /// The classes, in the order of their representatives.
    #[must_use]
    pub fn classes(&self) -> &[Set] {
        &self.classes
    }

    /// True if *blends with* is an equivalence among these candidates. If not, the classes depend
    /// on their order.
    #[must_use]
    pub fn is_partition(&self) -> bool {
        self.partition.unwrap_or(true)
    }
}

/// Potential of a class next to others that it does not blend with: `own - max(0, other - level)`,
/// for the largest other. Where one other is inside as well, the surface is where both potentials
/// are equal. Elsewhere it is that of the class alone.
#[inline]
#[must_use]
pub fn pressed(own: f64, others: impl IntoIterator<Item = f64>, level: f64) -> f64 {
    own - others
        .into_iter()
        .fold(0.0, |most: f64, other| most.max(other - level))
}

/// What another body's potential adds to a body's own around their contact. It is 0 far away,
/// highest before the contact, and negative in it, where both press each other flat (equation 4.3).
/// Its slope is continuous everywhere, and -1 from the contact on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulge {
    from: f64,
    top: f64,
    height: f64,
    level: f64,
}

/// Parameters that do not form a bulge. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a bulge from {from} with its top at {top}, {height} high, level {level}: there has to be 0 <= from < top < level, and a height of at least (level - top) / 3, and below the level"
)]
pub struct InvalidBulge {
    from: f64,
    top: f64,
    height: f64,
    level: f64,
}

impl Bulge {
    /// Creates a bulge that starts where the other's potential is `from`, is `height` high where
    /// that is `top`, and ends at `level`, the contact.
    ///
    /// # Errors
    /// [`InvalidBulge`]: it would not rise to its top and fall from there, or would exceed the
    /// level alone and be a separate body.
    pub fn new(from: f64, top: f64, height: f64, level: f64) -> Result<Bulge, InvalidBulge> {
        let rises = 0.0 <= from && from < top && top < level && level.is_finite();
        if rises && height < level && level - top <= 3.0 * height {
            Ok(Bulge {
                from,
                top,
                height,
                level,
            })
        } else {
            Err(InvalidBulge {
                from,
                top,
                height,
                level,
            })
        }
    }

    /// Potential at which it ends: that of the surfaces it is for.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Upper bound of the ratio of the added potential to the other's, from its steepest slope.
    pub(crate) fn gain(&self) -> f64 {
        1.5 * self.height / (self.top - self.from)
    }

    /// Potential added where the other's is `other`, and its derivative.
    #[inline]
    #[must_use]
    pub fn with_slope(&self, other: f64) -> (f64, f64) {
        let h = self.height;
        if other <= self.from {
            (0.0, 0.0)
        } else if other < self.top {
            let width = self.top - self.from;
            let u = (other - self.from) / width;
            (h * u * u * (3.0 - 2.0 * u), 6.0 * h * u * (1.0 - u) / width)
        } else if other < self.level {
            let width = self.level - self.top;
            let u = (other - self.top) / width;
            let value = h * (1.0 - u * u * (3.0 - 2.0 * u)) + width * u * u * (1.0 - u);
            (
                value,
                -6.0 * h * u * (1.0 - u) / width + u * (2.0 - 3.0 * u),
            )
        } else {
            (self.level - other, -1.0)
        }
    }
}
