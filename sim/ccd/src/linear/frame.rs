//! A query in its local form: three vectors that are linear in time.

use hapticd_geometry::Vec3;

use crate::pair::{PairDistance, PairKind, closest};

use super::double_double::DoubleDouble;
use super::polynomials::{Number, Vectors};

/// A vector that is linear in time, on `[0, 1]`.
#[derive(Clone, Copy)]
struct Linear<'a> {
    /// Vertices at times 0 and 1; the vector is the difference `to - from`.
    from: [&'a Vec3; 2],
    to: [&'a Vec3; 2],
    start: Vec3,
    end: Vec3,
    change: Vec3,
}

impl<'a> Linear<'a> {
    #[inline]
    fn between(from: [&'a Vec3; 2], to: [&'a Vec3; 2]) -> Self {
        let (start, end) = (to[0] - from[0], to[1] - from[1]);
        Self {
            from,
            to,
            start,
            end,
            change: end - start,
        }
    }

    #[inline]
    fn at(&self, t: f64) -> Vec3 {
        if t >= 1.0 {
            self.end
        } else {
            self.start + self.change * t
        }
    }

    /// As `at`, in double-double arithmetic; exact at 0 and 1.
    #[inline]
    fn exactly_at(&self, t: f64) -> [DoubleDouble; 3] {
        if t <= 0.0 {
            self.exact_end(0)
        } else if t >= 1.0 {
            self.exact_end(1)
        } else {
            let ([x, y, z], [u, v, w]) = (self.exact_end(0), self.exact_end(1));
            [
                x + (u - x).times(t),
                y + (v - y).times(t),
                z + (w - z).times(t),
            ]
        }
    }

    #[inline]
    fn exact_end(&self, i: usize) -> [DoubleDouble; 3] {
        let (from, to) = (self.from[i], self.to[i]);
        [
            DoubleDouble::difference(to.x, from.x),
            DoubleDouble::difference(to.y, from.y),
            DoubleDouble::difference(to.z, from.z),
        ]
    }

    /// The larger of the two lengths, rounded up.
    #[inline]
    fn size(&self) -> f64 {
        let square = self.start.norm_squared().max(self.end.norm_squared());
        square.sqrt() * (1.0 + 1e-14)
    }
}

/// The three vectors at one time.
#[derive(Clone, Copy)]
pub(super) struct State {
    pub d: Vec3,
    pub e1: Vec3,
    pub e2: Vec3,
}

impl State {
    #[inline]
    pub fn vectors(&self) -> Vectors<f64> {
        Vectors {
            d: self.d.into(),
            e1: self.e1.into(),
            e2: self.e2.into(),
        }
    }
}

/// The query: see the module's theory.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    /// Whether this is edge/edge; vertex/face otherwise.
    pub edges: bool,
    d: Linear<'a>,
    e1: Linear<'a>,
    e2: Linear<'a>,
    /// `Nd + N1 + N2`.
    pub reach: f64,
    /// `Nd N1 N2`.
    pub volume: f64,
    /// `N1 N2`.
    pub area: f64,
    /// `Nd N1 + Nd N2 + N1 N2`.
    pub areas: f64,
}

impl<'a> Frame<'a> {
    /// Sets up a vertex/face query; `vertex` and `face` are given at the two ends of the motion.
    pub fn vertex_face(vertex: [&'a Vec3; 2], face: [&'a [Vec3; 3]; 2]) -> Self {
        let corner = |i: usize| [&face[0][i], &face[1][i]];
        Self::new(
            false,
            Linear::between(corner(0), vertex),
            Linear::between(corner(0), corner(1)),
            Linear::between(corner(0), corner(2)),
        )
    }

    /// Sets up an edge/edge query; edges `a[..][0..2]` and `b[..][0..2]` are given at the two ends
    /// of the motion.
    pub fn edge_edge(a: [&'a [Vec3; 3]; 2], b: [&'a [Vec3; 3]; 2]) -> Self {
        let a = |i: usize| [&a[0][i], &a[1][i]];
        let b = |i: usize| [&b[0][i], &b[1][i]];
        Self::new(
            true,
            Linear::between(b(0), a(0)),
            Linear::between(a(0), a(1)),
            Linear::between(b(0), b(1)),
        )
    }

    fn new(edges: bool, d: Linear<'a>, e1: Linear<'a>, e2: Linear<'a>) -> Self {
        let (nd, n1, n2) = (d.size(), e1.size(), e2.size());
        Self {
            edges,
            d,
            e1,
            e2,
            reach: nd + n1 + n2,
            volume: nd * n1 * n2,
            area: n1 * n2,
            areas: nd * (n1 + n2) + n1 * n2,
        }
    }

    #[inline]
    pub fn at(&self, t: f64) -> State {
        State {
            d: self.d.at(t),
            e1: self.e1.at(t),
            e2: self.e2.at(t),
        }
    }

    /// As [`Frame::at`], in double-double arithmetic.
    pub fn exactly_at(&self, t: f64) -> Vectors<DoubleDouble> {
        Vectors {
            d: self.d.exactly_at(t),
            e1: self.e1.exactly_at(t),
            e2: self.e2.exactly_at(t),
        }
    }

    /// Closest points. Side A is the vertex or the first edge; the reference vertex of B is the
    /// origin.
    #[inline]
    pub fn closest(&self, s: &State) -> PairDistance {
        let o = Vec3::zeros();
        if self.edges {
            closest(PairKind::EdgeEdge, &[s.d, s.d + s.e1, o], &[o, s.e2, o])
        } else {
            closest(PairKind::VertexFace, &[s.d, o, o], &[o, s.e1, s.e2])
        }
    }

    /// Difference, in another state, of the two points given by the parameters of `closest`.
    #[inline]
    pub fn difference(&self, s: &State, params: &[f64; 3]) -> Vec3 {
        if self.edges {
            s.d + s.e1 * params[0] - s.e2 * params[1]
        } else {
            s.d - s.e1 * params[1] - s.e2 * params[2]
        }
    }
}
