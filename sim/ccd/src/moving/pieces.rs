//! Parametric and implicit surfaces, handled by the same kind of search as meshes (Redon 2002,
//! section 3.4).
//!
//! A surface is a hierarchy of [`Pieces`], each enclosed by a box, that can be halved without
//! limit: rectangles of parameters, cells of space, the triangles of a mesh. The search visits
//! pairs of pieces in the order of the time at which their boxes may meet, as for meshes
//! ([`crate::moving`]). The contact is the first pair that cannot be separated when both pieces are
//! as small as the tolerance. So the time is a proven lower bound for any surface, and near the
//! true one as far as the tolerance and the inclusion functions allow.
//!
//! Not for the real-time path: allocates, and only the permitted number of box pairs bounds its
//! time. No panics.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use hapticd_geometry::{IVec3, Interval, Mat3, Vec3};

use super::boxes::{MovingBox, apart};
use super::motion::{Motion, RelativeMotion};
use crate::index::MeshIndex;
use crate::obb::{Obb, fit_triangle};

/// A surface as a hierarchy of pieces, in the frame of its body.
pub trait Pieces {
    /// One piece.
    type Piece: Copy;
    /// The whole surface.
    fn whole(&self) -> Self::Piece;
    /// A box that encloses every point of a piece, rounding included.
    fn enclose(&self, piece: &Self::Piece) -> Obb;
    /// Two pieces that make up this one; `None` for a half that contains no point of the surface.
    fn halves(&self, piece: &Self::Piece) -> [Option<Self::Piece>; 2];
}

/// A parametric surface: an inclusion function from rectangles of parameters to boxes.
#[derive(Clone, Copy, Debug)]
pub struct Parametric<F> {
    /// Box of the positions over a rectangle of parameters. Its boxes must shrink with the
    /// rectangles.
    pub position: F,
    /// Ranges of the two parameters.
    pub domain: [Interval; 2],
}

impl<F: Fn(Interval, Interval) -> IVec3> Pieces for Parametric<F> {
    type Piece = [Interval; 2];

    fn whole(&self) -> Self::Piece {
        self.domain
    }

    fn enclose(&self, [u, v]: &Self::Piece) -> Obb {
        upright(&(self.position)(*u, *v))
    }

    fn halves(&self, &[u, v]: &Self::Piece) -> [Option<Self::Piece>; 2] {
        // Halves the parameter that is wider relative to its domain.
        let share = |x: Interval, whole: Interval| x.width() / whole.width();
        if share(u, self.domain[0]) >= share(v, self.domain[1]) {
            halved(u).map(|u| Some([u, v]))
        } else {
            halved(v).map(|v| Some([u, v]))
        }
    }
}

/// An implicit surface: the zero set of a function, given by its inclusion function, inside a box.
#[derive(Clone, Copy, Debug)]
pub struct Implicit<F> {
    /// Range of the function over a box of positions. The ranges must shrink with the boxes.
    pub function: F,
    /// Box in which the surface is searched.
    pub bounds: IVec3,
}

impl<F: Fn(&IVec3) -> Interval> Pieces for Implicit<F> {
    type Piece = IVec3;

    fn whole(&self) -> IVec3 {
        self.bounds
    }

    fn enclose(&self, cell: &IVec3) -> Obb {
        upright(cell)
    }

    fn halves(&self, cell: &IVec3) -> [Option<IVec3>; 2] {
        let [x, y, z] = [cell.x, cell.y, cell.z];
        let (wx, wy, wz) = (x.width(), y.width(), z.width());
        let halves = if wx >= wy && wx >= wz {
            halved(x).map(|x| IVec3 { x, y, z })
        } else if wy >= wz {
            halved(y).map(|y| IVec3 { x, y, z })
        } else {
            halved(z).map(|z| IVec3 { x, y, z })
        };
        halves.map(|cell| (self.function)(&cell).contains(0.0).then_some(cell))
    }
}

/// A mesh: first its hierarchy, then its triangles, halved repeatedly. A point shape is a single
/// point.
#[derive(Clone, Copy, Debug)]
pub struct MeshPieces<'a>(pub &'a MeshIndex);

/// A piece of a mesh.
#[derive(Clone, Copy, Debug)]
pub enum MeshPiece {
    /// Everything below a box of the hierarchy.
    Node(u32),
    /// A triangle or a part of one.
    Triangle([Vec3; 3]),
}

impl Pieces for MeshPieces<'_> {
    type Piece = MeshPiece;

    fn whole(&self) -> MeshPiece {
        match self.0.feature_a(crate::PairKind::VertexFace, 0) {
            Some([p, ..]) if self.0.tree().is_none() => MeshPiece::Triangle([p; 3]),
            _ => MeshPiece::Node(0),
        }
    }

    fn enclose(&self, piece: &MeshPiece) -> Obb {
        match (piece, self.0.tree()) {
            (MeshPiece::Node(i), Some(tree)) => tree.obb(*i),
            (MeshPiece::Triangle(corners), _) => fit_triangle(corners),
            (MeshPiece::Node(_), None) => fit_triangle(&[Vec3::zeros(); 3]),
        }
    }

    fn halves(&self, piece: &MeshPiece) -> [Option<MeshPiece>; 2] {
        match (piece, self.0.surface()) {
            (MeshPiece::Node(i), Some(surface)) => {
                let node = &surface.tree.nodes()[*i as usize];
                if node.is_leaf() {
                    let corners = surface.corners(node.triangle());
                    [Some(MeshPiece::Triangle(corners)), None]
                } else {
                    [0, 1].map(|k| Some(MeshPiece::Node(node.children() + k)))
                }
            }
            (MeshPiece::Triangle(corners), _) => {
                let length = |k: usize| (corners[(k + 1) % 3] - corners[k]).norm_squared();
                let longest =
                    (0..3).fold(0, |best, k| if length(k) > length(best) { k } else { best });
                let [p, q, r] = [0, 1, 2].map(|k| corners[(longest + k) % 3]);
                let middle = (p + q) * 0.5;
                [
                    Some(MeshPiece::Triangle([p, middle, r])),
                    Some(MeshPiece::Triangle([middle, q, r])),
                ]
            }
            (MeshPiece::Node(_), None) => [None, None],
        }
    }
}

/// Answer of [`first_meeting`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceMeeting {
    /// Up to this time, the surfaces are proven to be farther apart than the clearance; 1 if they
    /// are throughout.
    pub free_until: f64,
    /// Centres of the boxes of the two pieces that could not be separated at that time, world;
    /// `None` if the whole step is free.
    pub at: Option<[Vec3; 2]>,
    /// `false` if the search ran out of box pairs, or if a number was not finite.
    pub certain: bool,
}

/// Finds the first time at which two surfaces come within `clearance_m` of each other, down to
/// pieces of size `tolerance_m`. Tests at most `most_pairs` box pairs.
pub fn first_meeting<A: Pieces, B: Pieces>(
    (a, motion_a): (&A, &Motion),
    (b, motion_b): (&B, &Motion),
    clearance_m: f64,
    tolerance_m: f64,
    most_pairs: u64,
) -> PieceMeeting {
    let unknown = PieceMeeting {
        free_until: 0.0,
        at: None,
        certain: false,
    };
    let sane = motion_a.is_finite()
        && motion_b.is_finite()
        && clearance_m.is_finite()
        && tolerance_m > 0.0;
    if !sane {
        return unknown;
    }
    let origin = motion_b.start().translation.vector;
    let common = motion_a.common_factors(motion_b);
    let relative_motions = [motion_a, motion_b].map(|m| RelativeMotion::new(m, common, &origin));
    let mut heap = BinaryHeap::new();
    let mut made = 0;
    let mut push = |heap: &mut BinaryHeap<Item<A::Piece, B::Piece>>, time, a, b| {
        made += 1;
        heap.push(Item {
            time,
            order: made,
            a,
            b,
        });
    };
    push(&mut heap, 0.0, a.whole(), b.whole());
    let mut pairs = 0;
    while let Some(item) = heap.pop() {
        pairs += 1;
        let boxes = (a.enclose(&item.a), b.enclose(&item.b));
        let states = [
            relative_motions[0].body(item.time),
            relative_motions[1].body(item.time),
        ];
        let moving = (
            MovingBox::new(&boxes.0, &relative_motions[0], &states[0], 1.0),
            MovingBox::new(&boxes.1, &relative_motions[1], &states[1], 1.0),
        );
        let remaining = 1.0 - item.time;
        let floor = clearance_m.max(0.0);
        let known = apart(
            &moving.0,
            &moving.1,
            [&relative_motions[0], &relative_motions[1]],
            floor,
            remaining,
        );
        if known.time >= remaining && remaining > 0.0 {
            continue;
        }
        let time = item.time + known.time;
        if known.far {
            push(&mut heap, time, item.a, item.b);
            continue;
        }
        let sizes = (boxes.0.half.norm(), boxes.1.half.norm());
        // Not `<=`: pieces with a NaN size also count as a contact and end the search.
        let small = !(sizes.0 + sizes.1 > 0.5 * tolerance_m) || !(sizes.0 + sizes.1).is_finite();
        if small || pairs >= most_pairs {
            // No other queued pair can meet earlier, nor this pair before its time.
            let until = if small {
                item.time
            } else {
                item.time.min(time)
            };
            let world = |m: &Motion, c: &Vec3| hapticd_geometry::transform(&m.pose_at(until), c);
            return PieceMeeting {
                free_until: until,
                at: Some([
                    world(motion_a, &boxes.0.center),
                    world(motion_b, &boxes.1.center),
                ]),
                certain: small && (sizes.0 + sizes.1).is_finite(),
            };
        }
        if sizes.0 >= sizes.1 {
            for half in a.halves(&item.a).into_iter().flatten() {
                push(&mut heap, time, half, item.b);
            }
        } else {
            for half in b.halves(&item.b).into_iter().flatten() {
                push(&mut heap, time, item.a, half);
            }
        }
    }
    PieceMeeting {
        free_until: 1.0,
        at: None,
        certain: true,
    }
}

/// Two pieces that are apart up to `time`.
struct Item<A, B> {
    time: f64,
    /// Order of insertion: of items with equal time, the last comes first.
    order: u64,
    a: A,
    b: B,
}

impl<A, B> Ord for Item<A, B> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time.total_cmp(&self.time)).then(self.order.cmp(&other.order))
    }
}

impl<A, B> PartialOrd for Item<A, B> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<A, B> PartialEq for Item<A, B> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<A, B> Eq for Item<A, B> {}

fn halved(x: Interval) -> [Interval; 2] {
    let middle = x.middle();
    [Interval::new(x.lo, middle), Interval::new(middle, x.hi)]
}

/// The axis-aligned box that encloses a box of intervals.
fn upright(held: &IVec3) -> Obb {
    let (low, high) = held.corners();
    let size = low.amax().max(high.amax());
    Obb {
        center: (low + high) * 0.5,
        axes: Mat3::identity(),
        half: (high - low) * 0.5 + Vec3::repeat(4.0 * f64::EPSILON * size),
    }
}
