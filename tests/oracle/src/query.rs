//! The query and its exact answer.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;

use crate::polynomial::{Dyadic, Polynomial};
use crate::root::{self, Root};

/// The two closed features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// Points 0 and 1, 2, 3: a vertex and a triangle.
    VertexFace,
    /// Points 0, 1 and 2, 3: two segments.
    EdgeEdge,
}

/// A point in space.
pub type Point = [BigRational; 3];

/// Two features whose four points move on straight lines from `start` at time 0 to `end` at time 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Meaning of the points.
    pub features: Features,
    /// Points at time 0.
    pub start: [Point; 4],
    /// Points at time 1.
    pub end: [Point; 4],
}

/// Enclosure of a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Lower bound.
    pub from: BigRational,
    /// Upper bound; at most 2^-64 later than `from`.
    pub to: BigRational,
}

/// A vector of polynomials.
type Vector = [Polynomial; 3];

fn minus(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| a[i].minus(&b[i]))
}

/// Returns a component of the cross product.
fn flat(x: &Vector, y: &Vector, axis: usize) -> Polynomial {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    x[i].times(&y[j]).minus(&x[j].times(&y[i]))
}

fn dot(x: &Vector, y: &Vector) -> Polynomial {
    let [a, b, c] = std::array::from_fn(|i| x[i].times(&y[i]));
    a.plus(&b).plus(&c)
}

impl Query {
    /// Makes a query with these coordinates, unrounded; `None` if one is not finite.
    #[must_use]
    pub fn from_f64(
        features: Features,
        start: &[[f64; 3]; 4],
        end: &[[f64; 3]; 4],
    ) -> Option<Self> {
        let exact = |points: &[[f64; 3]; 4]| -> Option<[Point; 4]> {
            let all: Option<Vec<Point>> = (points.iter())
                .map(|p| {
                    let x: Option<Vec<_>> = p.iter().map(|&x| BigRational::from_float(x)).collect();
                    x.and_then(|x| x.try_into().ok())
                })
                .collect();
            all.and_then(|points| points.try_into().ok())
        };
        Some(Self {
            features,
            start: exact(start)?,
            end: exact(end)?,
        })
    }

    /// Returns the first time in `[0, 1]` at which the closed features have a point in common;
    /// `None` if there is none.
    #[must_use]
    pub fn first_contact(&self) -> Option<Span> {
        Motion::new(self).first_contact().map(|root| root.span())
    }
}

/// The points as polynomials in time, all multiplied by the same positive number.
struct Motion {
    features: Features,
    points: [Vector; 4],
    d: Vector,
    e1: Vector,
    e2: Vector,
}

impl Motion {
    fn new(query: &Query) -> Self {
        let all = || query.start.iter().chain(&query.end).flatten();
        let scale = all().fold(BigInt::one(), |lcm, x| lcm.lcm(x.denom()));
        let integer = |x: &BigRational| x.numer() * (&scale / x.denom());
        let points: [Vector; 4] = std::array::from_fn(|i| {
            std::array::from_fn(|axis| {
                let (from, to) = (integer(&query.start[i][axis]), integer(&query.end[i][axis]));
                let change = to - &from;
                Polynomial::new(vec![from, change])
            })
        });
        let (d, e1, e2) = match query.features {
            Features::VertexFace => (
                minus(&points[0], &points[1]),
                minus(&points[2], &points[1]),
                minus(&points[3], &points[1]),
            ),
            Features::EdgeEdge => (
                minus(&points[0], &points[2]),
                minus(&points[1], &points[0]),
                minus(&points[3], &points[2]),
            ),
        };
        Self {
            features: query.features,
            points,
            d,
            e1,
            e2,
        }
    }

    fn first_contact(&self) -> Option<Root> {
        let normal: Vector = std::array::from_fn(|axis| flat(&self.e1, &self.e2, axis));
        let coplanarity = dot(&self.d, &normal);
        if !coplanarity.is_zero() {
            return root::roots(&coplanarity).into_iter().find_map(|mut root| {
                // At each root the signs are those of a contact or not.
                self.touch(&mut root).then_some(root)
            });
        }
        let mut first: Option<Root> = None;
        let times = self.conditions().into_iter().filter(|p| !p.is_zero());
        let times = times
            .flat_map(|p| root::roots(&p))
            .chain([root::at(0), root::at(1)]);
        for mut time in times {
            if self.touch(&mut time) && first.as_mut().is_none_or(|first| time.before(first)) {
                first = Some(time);
            }
        }
        first
    }

    /// Returns the pairs (point, segment) that make up a contact of degenerate features.
    fn point_on_segment(&self) -> &'static [[usize; 3]] {
        match self.features {
            Features::VertexFace => &[[0, 1, 2], [0, 1, 3], [0, 2, 3]],
            Features::EdgeEdge => &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
        }
    }

    /// Returns the polynomials of which [`Motion::touch`] needs the signs, in the projection along
    /// an axis: the normal first.
    fn projected(&self, axis: usize) -> Vec<Polynomial> {
        let (p, q) = (flat(&self.e2, &self.d, axis), flat(&self.e1, &self.d, axis));
        let r = flat(&self.e1, &self.e2, axis);
        match self.features {
            // d = u e1 + w e2: -P = u R, Q = w R, R + P - Q = (1 - u - w) R.
            Features::VertexFace => vec![r.clone(), p.negated(), q.clone(), r.plus(&p).minus(&q)],
            // d + u e1 = w e2: P = u R, Q = w R.
            Features::EdgeEdge => vec![r.clone(), p.clone(), q.clone(), r.minus(&p), r.minus(&q)],
        }
    }

    /// Returns the polynomials for a point and a segment: three that must be 0 and one that must
    /// not be positive.
    fn in_line(&self, [p, from, to]: [usize; 3]) -> [Polynomial; 4] {
        let [p, from, to] = [p, from, to].map(|i| &self.points[i]);
        let (edge, arm) = (minus(to, from), minus(p, from));
        let [x, y, z] = std::array::from_fn(|axis| flat(&edge, &arm, axis));
        [x, y, z, dot(&arm, &minus(p, to))]
    }

    /// Returns the polynomials of all conditions.
    fn conditions(&self) -> Vec<Polynomial> {
        let mut all = Vec::new();
        for axis in 0..3 {
            all.extend(self.projected(axis));
        }
        for &triple in self.point_on_segment() {
            all.extend(self.in_line(triple));
        }
        all
    }

    /// Returns true if the features touch at a time at which the four points are coplanar.
    fn touch(&self, time: &mut Root) -> bool {
        for axis in 0..3 {
            let conditions = self.projected(axis);
            let side = time.sign(&conditions[0]);
            if side != 0 {
                return conditions[1..].iter().all(|c| time.sign(c) * side >= 0);
            }
        }
        self.point_on_segment().iter().any(|&triple| {
            let [x, y, z, between] = self.in_line(triple);
            [x, y, z].iter().all(|c| time.sign(c) == 0) && time.sign(&between) <= 0
        })
    }
}

fn rational(t: &Dyadic) -> BigRational {
    BigRational::new(t.numerator.clone(), BigInt::one() << t.shift)
}

impl Root {
    fn width(&self) -> BigRational {
        rational(&self.high) - rational(&self.low)
    }

    /// Narrows the enclosure to 2^-64.
    fn span(mut self) -> Span {
        let enough = BigRational::new(BigInt::one(), BigInt::one() << 64);
        while self.width() > enough {
            self.refine();
        }
        Span {
            from: rational(&self.low),
            to: rational(&self.high),
        }
    }

    /// Returns true if it is earlier than another; times that 2^-80 cannot separate count as equal.
    fn before(&mut self, other: &mut Root) -> bool {
        for _ in 0..80 {
            if rational(&self.high) < rational(&other.low) {
                return true;
            }
            if rational(&other.high) < rational(&self.low) {
                return false;
            }
            self.refine();
            other.refine();
        }
        rational(&self.low) < rational(&other.low)
    }
}
