//! Oriented bounding boxes: fitting, the discrete separating-axis test, a lower bound on distance.
//!
//! Boxes are fitted with the axes of the covariance of the enclosed surface (Gottschalk, Lin,
//! Manocha 1996), then sized so that every enclosed corner is inside in floating point. Boxes of
//! flat sets have a zero half size and stay exact. Nothing here allocates, blocks or panics.
//! Metres.

use hapticd_geometry::{Mat3, Pose, Vec3};

/// An oriented box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// Centre.
    pub center: Vec3,
    /// Axes as columns, orthonormal.
    pub axes: Mat3,
    /// Half sizes along the axes, not negative.
    pub half: Vec3,
}

impl Obb {
    /// Fits the tightest box with the given axes around `points`; a point box at the origin if
    /// there are none.
    ///
    /// Every point passes [`Obb::contains`] with tolerance 0.
    #[must_use]
    pub fn with_axes<'a, I>(axes: Mat3, points: I) -> Self
    where
        I: Iterator<Item = &'a Vec3> + Clone,
    {
        let Some(&first) = points.clone().next() else {
            return Self {
                center: Vec3::zeros(),
                axes,
                half: Vec3::zeros(),
            };
        };
        let mut low = Vec3::zeros();
        let mut high = Vec3::zeros();
        for p in points.clone() {
            let q = axes.tr_mul(&(p - first));
            low = low.inf(&q);
            high = high.sup(&q);
        }
        let center = first + axes * ((low + high) * 0.5);
        // Repeated in exactly the arithmetic of `contains`.
        let mut half = Vec3::zeros();
        for p in points {
            half = half.sup(&axes.tr_mul(&(p - center)).abs());
        }
        Self { center, axes, half }
    }

    /// Whether `p` is inside or within `tolerance` of each face's plane.
    #[must_use]
    pub fn contains(&self, p: &Vec3, tolerance: f64) -> bool {
        let q = self.axes.tr_mul(&(p - self.center)).abs();
        (0..3).all(|i| q[i] <= self.half[i] + tolerance)
    }

    /// The same box, expressed in another frame.
    #[must_use]
    pub fn transformed(&self, new_from_old: &Pose) -> Self {
        let r = new_from_old.rotation.to_rotation_matrix();
        Self {
            center: r * self.center + new_from_old.translation.vector,
            axes: r.matrix() * self.axes,
            half: self.half,
        }
    }

    /// An eighth of the surface area of the box, square metres: the measure that the hierarchy
    /// minimizes. Unlike the volume, it does not vanish for flat boxes.
    #[must_use]
    pub fn size(&self) -> f64 {
        let h = &self.half;
        h.x * h.y + h.y * h.z + h.z * h.x
    }
}

/// Weighted first and second moments of a triangle soup about a reference point. Moments of several
/// triangles can be added.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    weight: f64,
    first: [f64; 3],
    /// xx, yy, zz, xy, yz, zx
    second: [f64; 6],
}

impl Moments {
    /// Moments of the area of one triangle (Gottschalk 2000, section 3.3: exact integrals), with
    /// corners relative to the reference point. `small` is added to the area, so that degenerate
    /// triangles also count.
    pub(crate) fn of_triangle([p, q, r]: &[Vec3; 3], small: f64) -> Self {
        let weight = 0.5 * (q - p).cross(&(r - p)).norm() + small;
        let c = p + q + r;
        let s = |i: usize, j: usize| {
            weight / 12.0 * (c[i] * c[j] + p[i] * p[j] + q[i] * q[j] + r[i] * r[j])
        };
        let third = weight / 3.0;
        Self {
            weight,
            first: [c.x * third, c.y * third, c.z * third],
            second: [s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0)],
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.weight += other.weight;
        for i in 0..3 {
            self.first[i] += other.first[i];
        }
        for i in 0..6 {
            self.second[i] += other.second[i];
        }
    }

    /// Orthonormal principal axes as columns; the coordinate axes if the moments do not define any.
    pub(crate) fn axes(&self) -> Mat3 {
        let [x, y, z] = self.first;
        let w = self.weight;
        let [xx, yy, zz, xy, yz, zx] = self.second;
        let (dx, dy, dz) = (x / w, y / w, z / w);
        let covariance = [
            [xx - x * dx, xy - x * dy, zx - x * dz],
            [xy - x * dy, yy - y * dy, yz - y * dz],
            [zx - x * dz, yz - y * dz, zz - z * dz],
        ];
        let axes = principal_axes(covariance);
        if axes.iter().all(|v| v.is_finite()) {
            axes
        } else {
            Mat3::identity()
        }
    }
}

/// Eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations.
fn principal_axes(mut a: [[f64; 3]; 3]) -> Mat3 {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        let off = a[0][1].abs() + a[1][2].abs() + a[0][2].abs();
        let diagonal = a[0][0].abs() + a[1][1].abs() + a[2][2].abs();
        if off <= 1e-15 * diagonal {
            break;
        }
        for (p, q, r) in [(0, 1, 2), (1, 2, 0), (0, 2, 1)] {
            let apq = a[p][q];
            if apq == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            a[p][p] -= t * apq;
            a[q][q] += t * apq;
            a[p][q] = 0.0;
            a[q][p] = 0.0;
            let (arp, arq) = (a[r][p], a[r][q]);
            a[r][p] = c * arp - s * arq;
            a[p][r] = a[r][p];
            a[r][q] = s * arp + c * arq;
            a[q][r] = a[r][q];
            for row in &mut v {
                let (vp, vq) = (row[p], row[q]);
                row[p] = c * vp - s * vq;
                row[q] = s * vp + c * vq;
            }
        }
    }
    Mat3::new(
        v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], v[2][0], v[2][1], v[2][2],
    )
}

/// Fits a box around one triangle, with axes along its longest edge, its normal, and their cross
/// product. Exactly flat.
#[must_use]
pub fn fit_triangle(tri: &[Vec3; 3]) -> Obb {
    let edges = [tri[1] - tri[0], tri[2] - tri[1], tri[0] - tri[2]];
    let mut longest = 0;
    for i in 1..3 {
        if edges[i].norm_squared() > edges[longest].norm_squared() {
            longest = i;
        }
    }
    let length = edges[longest].norm();
    let mut axes = Mat3::identity();
    if length > 0.0 && length.is_finite() {
        let e = edges[longest] / length;
        let mut n = e.cross(&edges[(longest + 1) % 3]);
        let area = n.norm();
        n = if area > 1e-12 * length {
            n / area
        } else {
            any_orthogonal(&e)
        };
        // The cross product of nearly parallel edges is only roughly orthogonal to them.
        n = (n - e * e.dot(&n)).normalize();
        axes = Mat3::from_columns(&[e, n, e.cross(&n)]);
    }
    Obb::with_axes(axes, tri.iter())
}

/// Any unit vector orthogonal to the unit vector `e`.
fn any_orthogonal(e: &Vec3) -> Vec3 {
    let smallest = if e.x.abs() <= e.y.abs() && e.x.abs() <= e.z.abs() {
        Vec3::x()
    } else if e.y.abs() <= e.z.abs() {
        Vec3::y()
    } else {
        Vec3::z()
    };
    e.cross(&smallest).normalize()
}

/// Fits a box around triangles, with the principal axes of their area.
#[must_use]
pub fn fit(triangles: &[[Vec3; 3]]) -> Obb {
    match triangles {
        [] => Obb {
            center: Vec3::zeros(),
            axes: Mat3::identity(),
            half: Vec3::zeros(),
        },
        [tri] => fit_triangle(tri),
        _ => {
            let reference = triangles[0][0];
            let mut extent: f64 = 0.0;
            for p in triangles.iter().flatten() {
                extent = extent.max((p - reference).amax());
            }
            let mut moments = Moments::default();
            for tri in triangles {
                let local = tri.map(|p| p - reference);
                moments.add(&Moments::of_triangle(&local, 1e-9 * extent * extent));
            }
            Obb::with_axes(moments.axes(), triangles.iter().flatten())
        }
    }
}

/// Discrete separating-axis test over all 15 axes (Redon 2002, section 3.1; Gottschalk et al.
/// 1996): whether two boxes in one frame overlap or touch. Never reports overlapping boxes as
/// disjoint.
#[must_use]
pub fn overlap(a: &Obb, b: &Obb) -> bool {
    overlap_on(a, b, Axes::All)
}

/// Which axes a separating-axis test tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// The six face normals only.
    Faces,
    /// Also the nine cross products of edges.
    All,
}

/// As [`overlap`], with a choice of axes. With fewer axes, disjoint boxes may be reported as
/// overlapping.
#[must_use]
pub fn overlap_on(a: &Obb, b: &Obb, axes: Axes) -> bool {
    let r = Relative::new(a, b);
    if (0..3).any(|i| r.gap_a(i) > r.slack) || (0..3).any(|j| r.gap_b(j) > r.slack) {
        return false;
    }
    if axes == Axes::Faces {
        return true;
    }
    // Axis e_i x f_j. The small term prevents rounding from separating near-parallel edges, where
    // both sides tend to zero.
    let m = r.m;
    let n = m.map(|x| x.abs() + 1e-12);
    for i in 0..3 {
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (p, q) = ((j + 1) % 3, (j + 2) % 3);
            let left = (r.in_a[l] * m[(k, j)] - r.in_a[k] * m[(l, j)]).abs();
            let right = a.half[k] * n[(l, j)]
                + a.half[l] * n[(k, j)]
                + b.half[p] * n[(i, q)]
                + b.half[q] * n[(i, p)];
            if left > right + r.slack {
                return false;
            }
        }
    }
    true
}

/// Lower bound on the distance of two boxes in one frame, metres; 0 if none is found.
///
/// It is the length of the gap vector between box `a` and the axis-aligned bounds of `b` in `a`'s
/// axes, or the reverse, whichever is larger. It is reduced by the rounding error, so it never
/// exceeds the distance.
#[must_use]
pub fn distance_lower_bound(a: &Obb, b: &Obb) -> f64 {
    let r = Relative::new(a, b);
    let mut from_a = 0.0;
    let mut from_b = 0.0;
    for i in 0..3 {
        let (ga, gb) = (
            (r.gap_a(i) - r.slack).max(0.0),
            (r.gap_b(i) - r.slack).max(0.0),
        );
        from_a += ga * ga;
        from_b += gb * gb;
    }
    from_a.max(from_b).sqrt() * (1.0 - 8.0 * f64::EPSILON)
}

/// Two boxes relative to each other.
struct Relative<'a> {
    a: &'a Obb,
    b: &'a Obb,
    /// `m[(i, j)]` is axis i of a times axis j of b.
    m: Mat3,
    /// Centre of b minus centre of a, in the axes of a and of b.
    in_a: Vec3,
    in_b: Vec3,
    /// Bound on the rounding error of a gap along one axis.
    slack: f64,
}

impl<'a> Relative<'a> {
    #[inline]
    fn new(a: &'a Obb, b: &'a Obb) -> Self {
        let between = b.center - a.center;
        let size = a.center.amax() + b.center.amax() + a.half.sum() + b.half.sum();
        Self {
            a,
            b,
            m: a.axes.tr_mul(&b.axes),
            in_a: a.axes.tr_mul(&between),
            in_b: b.axes.tr_mul(&between),
            slack: 16.0 * f64::EPSILON * size,
        }
    }

    #[inline]
    fn gap_a(&self, i: usize) -> f64 {
        let h = &self.b.half;
        self.in_a[i].abs()
            - self.a.half[i]
            - (self.m[(i, 0)].abs() * h.x + self.m[(i, 1)].abs() * h.y + self.m[(i, 2)].abs() * h.z)
    }

    #[inline]
    fn gap_b(&self, j: usize) -> f64 {
        let h = &self.a.half;
        self.in_b[j].abs()
            - self.b.half[j]
            - (self.m[(0, j)].abs() * h.x + self.m[(1, j)].abs() * h.y + self.m[(2, j)].abs() * h.z)
    }
}
