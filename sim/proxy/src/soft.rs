//! Soft solids and cloth in the haptic loop: simulated elsewhere at a lower rate, rendered in every
//! tick.
//!
//! Real-time callable except for [`DeformableSnapshot::new`] and filling it: no allocation, no
//! blocking, work bounded by [`MAX_TRACKED`] and [`WALK_LIMIT`]. Deterministic.
//!
//! # Theory
//!
//! The detection of deformables finds, for each point of the tool or of a surface that touches or
//! is near, the triangle that its line meets (Lehericey 2016, chapter 4). The loop receives these
//! *tracked* points with the surfaces and their velocities. In every tick it walks on from that
//! triangle, with the tool at its present pose and the surface moved on to the present time. This
//! takes `O(1)` triangles per point and no tree, and the sign of the length alone tells whether
//! proximity has become contact. Each point gives a plane, and the plane a row of the Gauss
//! projection.
//!
//! What must not be rendered:
//!
//! * *A jump at an edge*: the normal turns to that of the next triangle over some ticks ([`TURN`]).
//! * *A lost point*: its last plane stays until the next answer, since a lost point is not a
//!   separated one.
//! * *A contact that is found late*, deep inside: the row restores the distance by shares, as it
//!   does for a missing safe distance.
//!
//! # Guarantees and limits
//!
//! The certificate of the rigid bodies is not affected: rows bend the wanted motion, and continuous
//! detection then cuts it as usual. A soft surface itself is not a hard wall. It is found by points
//! at discrete times and gives way, and a thin tool that is fast enough passes through it.

use std::sync::Arc;

use hapticd_geometry::{Rigid, Vec3};
use hapticd_rays::line::Line;
use hapticd_rays::trace::walk_over;
use hapticd_rays::{Shape, Topology, V3};

use crate::implicit::{self, ImplicitSurface, MAX_PROBED};
use crate::snapshot::Material;
use crate::soft_row::{DeformableRow, Moment, RowQuery};
use crate::tool::ToolShape;

/// Most points that one tool tracks; the nearest are kept.
pub const MAX_TRACKED: usize = 96;
/// Most rows that they give in a tick: the deepest ones that are distinct.
pub const MAX_DEFORMABLE_ROWS: usize = 16;
/// Most points at which a tool is found near soft surfaces in a tick.
pub(crate) const MAX_FOUND: usize = MAX_TRACKED + MAX_PROBED;
const _: () = assert!(MAX_FOUND <= 1 << u8::BITS, "places are numbered by bytes");
/// Most triangles that a walk visits in a tick.
pub const WALK_LIMIT: u32 = 12;
/// Share of the difference to a new triangle's normal that a plane turns by in a tick.
const TURN: f64 = 0.2;
/// Two rows count as equal if their normals are this close (cosine) and their points nearer than
/// this share of the tool's radius.
const SAME_NORMAL_COS: f64 = 0.99;
const NEAR: f64 = 0.5;
/// Surfaces keep their velocity for this many times the interval between answers, then stand still.
const MAX_EXTRAPOLATION: f64 = 2.0;

/// Surface of a soft solid or a cloth at the time of an answer.
#[derive(Clone, Debug)]
pub struct DeformableSurface {
    /// Client-visible identity.
    pub id: u32,
    /// Triangles and their neighbours.
    pub shape: Arc<Shape>,
    /// Material of the surface.
    pub material: Material,
    /// Points, world frame, m; empty if no tracked point needs them.
    pub points: Vec<V3>,
    /// Outward unit normals of the points.
    pub normals: Vec<V3>,
    /// Velocities of the points, m/s.
    pub velocities: Vec<V3>,
}

/// A point that touches the other side or is near it.
#[derive(Clone, Copy, Debug)]
pub struct Tracked {
    /// Index in [`DeformableSnapshot::surfaces`].
    pub surface: u8,
    /// True for a point of the tool against the surface, false for one of the surface against the
    /// tool.
    pub from_tool: bool,
    /// Index of the point on its own side.
    pub point: u32,
    /// Triangle of the other side that its line met last.
    pub triangle: u32,
    /// Side of a sheet: 1 where the triangle's normal points, else -1.
    pub side: f32,
    /// Length of its line at the reference, m; the points with the shortest lines are tracked.
    pub length_m: f32,
    /// Length at which its line leaves its own body, m.
    pub exit_m: f32,
    /// Sum of the half thicknesses of both sides, m.
    pub gap_m: f64,
    /// Point where the line last met the other side (world frame, m), and the direction in which
    /// the tool has to move from there.
    pub plane: Option<(Vec3, Vec3)>,
}

impl Tracked {
    /// Identifies the same point in the next answer.
    fn key(&self) -> (bool, u8, u32) {
        (self.from_tool, self.surface, self.point)
    }
}

/// Data of the deformables' thread for one tool in the loop.
#[derive(Clone, Debug)]
pub struct DeformableSnapshot {
    /// Sequence number of the answer, over all arms.
    pub sequence: u64,
    /// Tick; the answer has the surfaces as they are at its end.
    pub query_tick: u64,
    /// Interval between answers, ticks.
    pub every_ticks: u64,
    /// Index of the arm.
    pub arm: usize,
    /// Epoch of that arm in the query.
    pub epoch: u32,
    /// The tool as the detection has it, tool frame.
    pub tool: Option<Arc<Shape>>,
    /// Surfaces of the scene's deformables, except for implicit bodies.
    pub surfaces: Vec<DeformableSurface>,
    /// Tracked points by [`Tracked::from_tool`], surface and point; at most [`MAX_TRACKED`].
    pub tracked: Vec<Tracked>,
    /// Implicit bodies, numbered on from the last of `surfaces`.
    pub implicit: Vec<ImplicitSurface>,
    /// Points of the tool's mesh that are probed against the implicit bodies, tool frame; at most
    /// [`MAX_SAMPLES`](crate::MAX_SAMPLES).
    pub samples: Vec<Vec3>,
    /// Method that found the contacts, for reports only.
    pub finder: Finder,
}

/// Method that found the contacts of an answer, and their age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finder {
    /// Name of the processor: `CPU` or `GPU`; empty if no contacts were searched.
    pub name: &'static str,
    /// Age of the contacts relative to the surfaces, in steps.
    pub age_steps: u32,
    /// Time that they took on a GPU, ns; 0 on the CPU, or if there is no clock.
    pub took_ns: u64,
}

impl DeformableSnapshot {
    /// Creates an empty snapshot. Allocates, as does filling it for the first time; not for the
    /// real-time thread.
    #[must_use]
    pub fn new() -> Self {
        DeformableSnapshot {
            sequence: 0,
            query_tick: 0,
            every_ticks: 1,
            arm: 0,
            epoch: 0,
            tool: None,
            surfaces: Vec::new(),
            tracked: Vec::with_capacity(MAX_TRACKED),
            implicit: Vec::new(),
            samples: Vec::with_capacity(implicit::MAX_SAMPLES),
            finder: Finder::default(),
        }
    }

    /// Returns identity and material of a surface by its number in rows.
    pub(crate) fn body(&self, surface: u8) -> Option<(u32, Material)> {
        let number = usize::from(surface);
        let soft = self.surfaces.get(number).map(|s| (s.id, s.material));
        soft.or_else(|| {
            let body = self
                .implicit
                .get(number.checked_sub(self.surfaces.len())?)?;
            Some((body.id, body.material))
        })
    }

    /// Takes the planes of an older answer for the points that both track, so that a turning plane
    /// continues to turn.
    pub(crate) fn inherit(&mut self, older: &DeformableSnapshot) {
        let mut old = older.tracked.iter().peekable();
        for tracked in &mut self.tracked {
            while old.next_if(|o| o.key() < tracked.key()).is_some() {}
            let same = old.peek().filter(|o| o.key() == tracked.key());
            if let Some((_, normal)) = same.and_then(|o| o.plane)
                && let Some((_, now)) = &mut tracked.plane
                && normal.dot(now) > 0.0
            {
                *now = normal;
            }
        }
    }
}

impl Default for DeformableSnapshot {
    fn default() -> Self {
        Self::new()
    }
}

/// Finds the rows by which soft surfaces stop the tool. Writes those within the query's band,
/// deepest first, and returns their number.
///
/// The moment of the query has the true age of the answer and the length of the tick. Surfaces that
/// have moved on for long enough stand still ([`MAX_EXTRAPOLATION`]).
///
/// Of equal rows only the deepest is kept: sixteen points on one side of a box would let its other
/// side sink. `all` is work space with capacity for [`MAX_FOUND`].
pub(crate) fn survey(
    snapshot: &mut DeformableSnapshot,
    query: &RowQuery<'_>,
    all: &mut Vec<DeformableRow>,
    rows: &mut [Option<DeformableRow>; MAX_DEFORMABLE_ROWS],
) -> usize {
    let DeformableSnapshot {
        surfaces,
        tracked,
        tool: shape,
        every_ticks,
        implicit,
        samples,
        ..
    } = snapshot;
    let &RowQuery {
        tool,
        pose,
        moment: Moment { age_s, period_s },
        band_m,
    } = query;
    let longest_s = MAX_EXTRAPOLATION * *every_ticks as f64 * period_s;
    let moment = Moment {
        age_s: age_s.min(longest_s),
        period_s: if age_s < longest_s { period_s } else { 0.0 },
    };
    all.clear();
    if let Some(shape) = shape.as_deref() {
        let scene = RowContext {
            shape,
            tool,
            world_from_tool: Rigid::new(pose),
            age_s: moment.age_s as f32,
            period_s: moment.period_s,
        };
        for tracked in tracked.iter_mut().take(MAX_TRACKED) {
            let Some(surface) = surfaces.get(usize::from(tracked.surface)) else {
                continue;
            };
            let Some(row) = scene.row(tracked, surface) else {
                continue;
            };
            // NaN is not a row.
            if row.gap_m < band_m {
                all.push(row);
            }
        }
    }
    // Implicit bodies are numbered after all surfaces, whether or not those gave rows.
    let found = (&**implicit, surfaces.len());
    implicit::survey(found, samples, &RowQuery { moment, ..*query }, all);
    // Equal gaps keep the order of the points. Keys are sorted instead of rows, which are ten times
    // longer.
    let mut keys = [(0.0, 0u8); MAX_FOUND];
    let keys = &mut keys[..all.len().min(MAX_FOUND)];
    for (key, (row, at)) in keys.iter_mut().zip(all.iter().zip(0..)) {
        *key = (row.gap_m, at);
    }
    keys.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let near = if tool.turns {
        NEAR * tool.bound_m
    } else {
        f64::INFINITY
    };
    let mut count = 0;
    for row in keys.iter().map(|&(_, at)| &all[usize::from(at)]) {
        let same = |other: &DeformableRow| {
            let apart = (other.tool_point - row.tool_point).norm_squared();
            other.normal.dot(&row.normal) > SAME_NORMAL_COS && apart < near * near
        };
        if count == MAX_DEFORMABLE_ROWS {
            break;
        }
        if !rows[..count].iter().flatten().any(same) {
            rows[count] = Some(*row);
            count += 1;
        }
    }
    count
}

/// Data shared by all rows of a tick.
struct RowContext<'a> {
    shape: &'a Shape,
    tool: &'a ToolShape,
    world_from_tool: Rigid,
    age_s: f32,
    period_s: f64,
}

fn single(v: &Vec3) -> V3 {
    v.map(|x| x as f32)
}

fn double(v: &V3) -> Vec3 {
    v.map(f64::from)
}

/// Returns the unit normal of a triangle; zero if it has no area.
fn normal_of(corners: &[V3; 3]) -> Vec3 {
    let [a, b, c] = corners.map(|p| double(&p));
    (b - a)
        .cross(&(c - a))
        .try_normalize(0.0)
        .unwrap_or_default()
}

impl RowContext<'_> {
    /// Returns the row of a tracked point and updates its triangle and plane. `None` if it has no
    /// plane, or is on its own body's far side.
    fn row(&self, tracked: &mut Tracked, surface: &DeformableSurface) -> Option<DeformableRow> {
        if tracked.from_tool {
            self.tool_on_surface(tracked, surface)
        } else {
            self.surface_on_tool(tracked, surface)
        }
    }

    /// Returns the present position of a point of a surface.
    fn now(&self, surface: &DeformableSurface, point: u32) -> Option<V3> {
        let at = point as usize;
        Some(surface.points.get(at)? + surface.velocities.get(at)? * self.age_s)
    }

    fn tool_on_surface(
        &self,
        tracked: &mut Tracked,
        surface: &DeformableSurface,
    ) -> Option<DeformableRow> {
        let at = tracked.point as usize;
        let tool_point = self
            .world_from_tool
            .point(&double(self.shape.points().get(at)?));
        let inward = -self
            .world_from_tool
            .turn(&double(self.shape.normals().get(at)?));
        let line = Line {
            o: single(&tool_point),
            d: single(&inward),
        };
        let triangles = surface.shape.triangles();
        // A surface without points gives NaN, which no line meets.
        let nowhere = V3::repeat(f32::NAN);
        let corners =
            |t: u32| triangles[t as usize].map(|v| self.now(surface, v).unwrap_or(nowhere));
        let neighbours = surface.shape.neighbours();
        let hit = walk_over(&line, corners, neighbours, tracked.triangle, WALK_LIMIT).hit;
        let mut velocity = V3::zeros();
        if let Some(hit) = hit {
            let solid = surface.shape.topology() == Topology::Volume;
            if (solid && !hit.at.outward) || hit.at.t > 0.9999 * tracked.exit_m {
                // The far side of the tool or of the surface is not a contact of this point.
                tracked.plane = None;
                return None;
            }
            tracked.triangle = hit.triangle;
            let normal = normal_of(&corners(hit.triangle)) * f64::from(tracked.side);
            let point = tool_point + inward * f64::from(hit.at.t);
            tracked.plane = Some((point, turned(tracked.plane, &normal)));
            let [a, b, c] = triangles[hit.triangle as usize]
                .map(|v| (surface.velocities.get(v as usize).copied()).unwrap_or_default());
            velocity = a + (b - a) * hit.at.u + (c - a) * hit.at.v;
        }
        let (point, normal) = tracked.plane?;
        Some(self.new_row(tracked, tool_point, point, normal, &double(&velocity)))
    }

    fn surface_on_tool(
        &self,
        tracked: &mut Tracked,
        surface: &DeformableSurface,
    ) -> Option<DeformableRow> {
        let at = tracked.point as usize;
        let point = double(&self.now(surface, tracked.point)?);
        let velocity = double(surface.velocities.get(at)?);
        if self.tool.radius_m > 0.0 {
            // A ball needs no walk, and is rounder than its mesh.
            let centre = self.world_from_tool.point(&self.tool.centre);
            let away = centre - point;
            let normal = away.try_normalize(0.0)?;
            let nearest = centre - normal * self.tool.radius_m;
            return Some(self.new_row(tracked, nearest, point, normal, &velocity));
        }
        let outward = double(surface.normals.get(at)?);
        let way = match surface.shape.topology() {
            Topology::Volume => -outward,
            Topology::Sheet { .. } => outward,
        };
        let line = Line {
            o: single(&self.world_from_tool.inverse_point(&point)),
            d: single(&self.world_from_tool.inverse_vector(&way)),
        };
        let (points, triangles) = (self.shape.points(), self.shape.triangles());
        let corners = |t: u32| triangles[t as usize].map(|v| points[v as usize]);
        let neighbours = self.shape.neighbours();
        let hit = walk_over(&line, corners, neighbours, tracked.triangle, WALK_LIMIT).hit;
        if let Some(hit) = hit {
            // A volume's line leaves the tool through an outer side. A sheet's line may leave it
            // either way, but never enters it ahead.
            let leaves = match surface.shape.topology() {
                Topology::Volume => hit.at.outward && hit.at.t <= 0.9999 * tracked.exit_m,
                Topology::Sheet { .. } => true,
            };
            if !leaves {
                tracked.plane = None;
                return None;
            }
            tracked.triangle = hit.triangle;
            let local = normal_of(&corners(hit.triangle));
            let normal = -self.world_from_tool.turn(&local);
            let met = point + way * f64::from(hit.at.t);
            tracked.plane = Some((met, turned(tracked.plane, &normal)));
        }
        let (met, normal) = tracked.plane?;
        Some(self.new_row(tracked, met, point, normal, &velocity))
    }

    /// Creates the row of a tracked point. `tool_point` and `point` are the two sides, and `normal`
    /// is the direction in which the tool has to move.
    fn new_row(
        &self,
        tracked: &Tracked,
        tool_point: Vec3,
        point: Vec3,
        normal: Vec3,
        velocity: &Vec3,
    ) -> DeformableRow {
        let step = velocity * self.period_s;
        let gap_m = (tool_point - point).dot(&normal) - tracked.gap_m;
        let place = (tool_point, point, normal);
        DeformableRow::new(tracked.surface, place, gap_m, &step)
    }
}

/// Returns a plane's next normal: turned partly to that of the triangle that was met.
fn turned(plane: Option<(Vec3, Vec3)>, normal: &Vec3) -> Vec3 {
    let Some((_, old)) = plane.filter(|(_, old)| old.dot(normal) > 0.0) else {
        return *normal;
    };
    (old + (normal - old) * TURN)
        .try_normalize(0.0)
        .unwrap_or(*normal)
}
