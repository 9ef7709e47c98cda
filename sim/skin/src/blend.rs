//! Which primitives may blend, and what bodies that may not do to each other where they meet.
//!
//! # Theory
//!
//! A sum of potentials blends whatever comes near: an arm with the hip that it hangs beside, a coil
//! with itself, drops before they touch. So the mechanics say which pairs may, and change it as
//! they like: a pair that is allowed when it touches and forbidden only when it has parted gives
//! the memory that positions alone cannot (Triquet 2001, section 4.1).
//!
//! In one place of the surface *blends with* is taken for an equivalence: the primitives there fall
//! into [`Classes`], each of which makes a surface of its own, and a node can be inside for one and
//! outside for another (section 4.2.3). The relation is what it is taken for only if every two
//! primitives that reach one cube, and are of one strand, may blend: all pairs up to `2R + √3 h`
//! along the strand, not neighbours only ([`Graph::strand`]; digest, section 4.6). Where it is not,
//! the classes depend on the order of the primitives, and a mesh made of them tears:
//! [`Classes::is_partition`] says so.
//!
//! Two classes that overlap press each other flat: the potential of one is less what the other's
//! has above the level ([`pressed`]). That is the source's equation 4.1 where both are inside and
//! leaves both alone where they are not; taken as printed, equation 4.2 keeps bodies apart that
//! touch, and 4.1 moves what is free. Of several others the one furthest above the level counts,
//! whatever order they come in. A [`Bulge`] also swells both around the contact (section 4.3.1).
//! [`Blending`] chooses.
//!
//! Where the relation is no equivalence, and whoever wants one closed surface whatever the graph,
//! there are [`Cliques`] in place of classes.
//!
//! # Practice
//!
//! Potentials have no unit. Nothing here allocates but [`Graph`], and [`Classes`] until it has seen
//! as many.

mod cliques;

pub use cliques::{Cliques, TooManyCliques};

/// Pairs of primitives that may blend. Not transitive: what it says of two says nothing of a third.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The lower number first, in order.
    pairs: Vec<(u32, u32)>,
}

/// Why a pair was refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("primitives {a} and {b}: there are {count}")]
pub struct NoPrimitive {
    /// As given.
    pub a: u32,
    /// As given.
    pub b: u32,
    /// How many there are.
    pub count: u32,
}

impl Graph {
    /// Nobody blends.
    #[must_use]
    pub fn new() -> Graph {
        Graph::default()
    }

    /// Whether two may blend. One may with itself.
    #[must_use]
    pub fn blends(&self, a: u32, b: u32) -> bool {
        a == b || self.pairs.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// Lets two blend. False: they could already.
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

    /// Keeps two from blending. False: they did not.
    pub fn forbid(&mut self, a: u32, b: u32) -> bool {
        let found = self.pairs.binary_search(&(a.min(b), a.max(b)));
        found.map(|at| self.pairs.remove(at)).is_ok()
    }

    /// Lets those of a strand blend that are no further apart than `reach_m` along it; `first` is
    /// the number of its first primitive, `steps_m` the ways from each to the next, m. With `2R +
    /// √3 h` the mesh closes, for primitives of radius `R` and cubes of edge `h`.
    pub fn strand(&mut self, first: u32, steps_m: &[f64], reach_m: f64) {
        for (i, a) in (first..).zip(0..steps_m.len()) {
            let mut way = 0.0;
            for (j, step) in (i + 1..).zip(&steps_m[a..]) {
                way += step;
                // Not `>`: a NaN ends it.
                if !(way <= reach_m) {
                    break;
                }
                self.pairs.push((i, j));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// These, in place of those before. In any order, either number first; more than once is once,
    /// and of one with itself there is nothing to allow.
    pub fn set(&mut self, pairs: impl Iterator<Item = (u32, u32)>) {
        self.pairs.clear();
        let pairs = pairs.filter(|(a, b)| a != b);
        self.pairs.extend(pairs.map(|(a, b)| (a.min(b), a.max(b))));
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }

    /// The pairs, the lower number first, in order.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Whether all that it names are among the first `count`.
    ///
    /// # Errors
    /// [`NoPrimitive`]: the first pair that is not.
    pub fn check(&self, count: u32) -> Result<(), NoPrimitive> {
        match self.pairs.iter().find(|(_, b)| *b >= count) {
            Some(&(a, b)) => Err(NoPrimitive { a, b, count }),
            None => Ok(()),
        }
    }
}

/// What primitives do to each other where they meet: the source's three modes (section 5.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Blending<'a> {
    /// All blend.
    Free,
    /// Those that may blend by the graph do; others press each other flat ([`pressed`]).
    Inhibited(&'a Graph),
    /// So do those, and bodies in contact swell around it: bodies are what hangs together by the
    /// graph, and in contact if a node is inside of both. The bulge's level has to be that of the
    /// skin.
    Bulging(&'a Graph, Bulge),
    /// One surface around all, of the largest sum over those that may all blend with each other
    /// ([`Cliques`]): others meet in a crease. Closed whatever the graph.
    Union(&'a Graph),
}

/// Most primitives of one place that may not all blend.
pub const MAX_IN_PLACE: usize = 128;

/// Some of the primitives of one place: bit `i` for the `i`-th of them.
pub type Set = u128;

/// The members of a set, from the first on.
#[inline]
pub fn members(mut set: Set) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

/// Primitives of one place, by who blends with whom (section 4.2.3). Work space: keep it.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    of: Set,
    classes: Vec<Set>,
    /// If it was asked for.
    partition: Option<bool>,
}

impl Classes {
    /// Of some of a place, `may` being who may blend with each of the place, itself among them, and
    /// they with it. The first represents its class, and so does each that blends with no
    /// representative before it; a class is who blends with its representative.
    pub fn split(&mut self, may: &[Set], candidates: Set) {
        self.divide(may, candidates);
        if self.partition.is_none() {
            // Each is in one class, and blends with all of it and nobody else.
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

    /// The classes of [`Classes::split`], without a look at whether they are a partition.
    pub(crate) fn divide(&mut self, may: &[Set], candidates: Set) {
        // Places side by side have the same ones, as a rule.
        if self.of == candidates && !self.classes.is_empty() {
            return;
        }
        self.of = candidates;
        self.partition = None;
        self.classes.clear();
        // Those that blend with no representative so far.
        let mut left = candidates;
        while left != 0 {
            let first = left.trailing_zeros();
            let class = may[first as usize] & candidates;
            left &= !(class | 1 << first);
            self.classes.push(class);
        }
    }

    /// Forgets what [`Classes::split`] found: for another place.
    pub fn clear(&mut self) {
        self.classes.clear();
    }

    /// The classes, in order of their representatives.
    #[must_use]
    pub fn classes(&self) -> &[Set] {
        &self.classes
    }

    /// Whether *blends with* is an equivalence among these candidates. If not, the classes depend
    /// on their order.
    #[must_use]
    pub fn is_partition(&self) -> bool {
        self.partition.unwrap_or(true)
    }
}

/// The potential of a class beside others that it does not blend with: `own - max(0, other -
/// level)`, by the largest of them. Where one other is inside as well the surface is where both
/// potentials are equal; where none is, it is that of the class alone.
#[inline]
#[must_use]
pub fn pressed(own: f64, others: impl IntoIterator<Item = f64>, level: f64) -> f64 {
    own - others
        .into_iter()
        .fold(0.0, |most: f64, other| most.max(other - level))
}

/// What another body's potential adds to one's own around their contact: 0 far away, highest before
/// the contact, and below 0 in it, where both press each other flat (equation 4.3). Its slope is
/// continuous everywhere, and -1 from the contact on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulge {
    from: f64,
    top: f64,
    height: f64,
    level: f64,
}

/// Of numbers that make no bulge. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a bulge from {from} with its top at {top}, {height} high, level {level}: there has to be 0 <= from < top < level, and a height of at least (level - top) / 3, and below the level"
)]
pub struct NoBulge {
    from: f64,
    top: f64,
    height: f64,
    level: f64,
}

impl Bulge {
    /// It begins where the other's potential is `from`, is `height` high where that is `top`, and
    /// ends at `level`, the contact.
    ///
    /// # Errors
    /// [`NoBulge`]: it would not rise to its top and fall from there on, or be a body of its own
    /// where the other one ends.
    pub fn new(from: f64, top: f64, height: f64, level: f64) -> Result<Bulge, NoBulge> {
        let rises = 0.0 <= from && from < top && top < level && level.is_finite();
        if rises && height < level && level - top <= 3.0 * height {
            Ok(Bulge {
                from,
                top,
                height,
                level,
            })
        } else {
            Err(NoBulge {
                from,
                top,
                height,
                level,
            })
        }
    }

    /// Where it ends: the potential on the surfaces that it is for.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Largest share that what is added can have of the other's potential, from above: that of its
    /// steepest place.
    pub(crate) fn gain(&self) -> f64 {
        1.5 * self.height / (self.top - self.from)
    }

    /// What is added where the other's potential is `other`, and how that changes with it.
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
