//! Soft bodies and cloth in the loop: simulated elsewhere and slower, felt at every tick.
//!
//! Real-time callable but for [`SoftSnapshot::new`] and what fills it: no allocation, no blocking,
//! work bounded by [`MAX_TRACKED`] and [`WALK_LIMIT`]. Deterministic.
//!
//! # Theory
//!
//! The detection of soft bodies knows, for each point of the tool or of a surface that touches or
//! is near, which triangle its line meets (Lehericey 2016, chapter 4). The loop gets these
//! *tracked* points with the surfaces and their velocities, and at every tick walks on from there
//! with the tool where it is now and the surface where it is by then: `O(1)` triangles a point, no
//! tree, and the sign of the length alone says whether what was near has become contact. Each gives
//! a plane, and the plane a row of the Gauss projection.
//!
//! What must not be felt:
//!
//! * *A jump at an edge*: the normal turns to that of the next triangle over some ticks ([`TURN`]).
//! * *A point that is lost*: its last plane stays until the next answer. Lost is not apart.
//! * *A contact that is found late*, deep in: the row gives it back by shares, as it does for a
//!   missing safe distance.
//!
//! # What this promises, and what not
//!
//! The certificate of the rigid bodies is not touched: rows bend the wanted motion, and continuous
//! detection then cuts it as ever. A soft surface itself is no wall: it is found by points at
//! discrete times, gives way, and a thin tool that is fast enough gets through.

use std::sync::Arc;

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Rigid, Vec3};
use hapticd_rays::line::Line;
use hapticd_rays::trace::walk_over;
use hapticd_rays::{Shape, Topology, V3};

use crate::implicit::{self, ImplicitSurface, MAX_PROBED};
use crate::snapshot::Material;
use crate::tool::ToolShape;

/// Most points that one tool tracks; the nearest are taken.
pub const MAX_TRACKED: usize = 96;
/// Most rows that they may give in a tick: the deepest that say something new.
pub const MAX_SOFT_ROWS: usize = 16;
/// Most places at which a tool may be found near soft surfaces in a tick.
pub(crate) const MAX_FOUND: usize = MAX_TRACKED + MAX_PROBED;
const _: () = assert!(MAX_FOUND <= 1 << u8::BITS, "places are numbered by bytes");
/// Most triangles that a walk looks at in a tick.
pub const WALK_LIMIT: u32 = 12;
/// Share of the way to a new triangle's normal that a plane turns in a tick.
const TURN: f64 = 0.2;
/// Rows say the same if their normals are this close (cosine) and their points nearer than this
/// part of the tool's radius.
const ALIKE: f64 = 0.99;
const NEAR: f64 = 0.5;
/// Surfaces go on as they moved for this many times the time between answers, and then stand still.
const AHEAD: f64 = 2.0;

/// The surface of a soft body or a cloth at the time of an answer.
#[derive(Clone, Debug)]
pub struct SoftSurface {
    /// Client-visible identity.
    pub id: u32,
    /// Triangles and neighbours.
    pub shape: Arc<Shape>,
    /// How it feels.
    pub material: Material,
    /// World frame, m; empty when no tracked point needs them.
    pub points: Vec<V3>,
    /// Of the points, unit, outward.
    pub normals: Vec<V3>,
    /// Of the points, m/s.
    pub velocities: Vec<V3>,
}

/// A point that touches the other side or is near it.
#[derive(Clone, Copy, Debug)]
pub struct Tracked {
    /// Which of [`SoftSnapshot::surfaces`].
    pub surface: u8,
    /// Whether it is the tool's point against the surface, or the surface's against the tool.
    pub from_tool: bool,
    /// Of the side that it belongs to.
    pub point: u32,
    /// Triangle of the other side that its line met last.
    pub triangle: u32,
    /// Which side of a sheet it is on: 1 where the triangle's normal points, else -1.
    pub side: f32,
    /// Length of its line at the reference, m: the nearest are tracked.
    pub length_m: f32,
    /// Where its line leaves its own body, m.
    pub exit_m: f32,
    /// Half thicknesses of both sides, m.
    pub gap_m: f64,
    /// Where the line last met the other side (world frame, m) and which way the tool has to go
    /// from there.
    pub plane: Option<(Vec3, Vec3)>,
}

impl Tracked {
    /// What makes it the same point in the next answer.
    fn key(&self) -> (bool, u8, u32) {
        (self.from_tool, self.surface, self.point)
    }
}

/// What the soft bodies' thread hands to the loop for one tool.
#[derive(Clone, Debug)]
pub struct SoftSnapshot {
    /// Counts the answers, over all arms.
    pub sequence: u64,
    /// At the end of this tick the surfaces are where they are said to be.
    pub query_tick: u64,
    /// Time between answers, ticks.
    pub every_ticks: u64,
    /// Which arm.
    pub arm: usize,
    /// The query's epoch of that arm.
    pub epoch: u32,
    /// The tool as the detection knows it, tool frame.
    pub tool: Option<Arc<Shape>>,
    /// Every deformable of the scene.
    pub surfaces: Vec<SoftSurface>,
    /// In the order of [`Tracked::from_tool`], surface and point; [`MAX_TRACKED`] at most.
    pub tracked: Vec<Tracked>,
    /// Implicit bodies, numbered on from the last of `surfaces`.
    pub implicit: Vec<ImplicitSurface>,
    /// Points of the tool's mesh that are probed against those, tool frame;
    /// [`MAX_SAMPLES`](crate::MAX_SAMPLES) at most.
    pub samples: Vec<Vec3>,
    /// Who found them, for reports only.
    pub finder: Finder,
}

/// Who found the contacts of an answer of the soft bodies, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finder {
    /// What it runs on, as it calls itself: `CPU` or `GPU`; empty if nobody did.
    pub name: &'static str,
    /// By how many steps its contacts are older than the surfaces.
    pub age_steps: u32,
    /// Time that they took on a GPU, ns; 0 on the CPU, or where there is no clock.
    pub took_ns: u64,
}

impl SoftSnapshot {
    /// Empty. Allocates, as does filling it for the first time; not for the real-time thread.
    #[must_use]
    pub fn new() -> Self {
        SoftSnapshot {
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

    /// Identity and feel of a surface, by its number in rows.
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

    /// Takes over the planes of an older answer for the points that both track: what turns goes on
    /// turning.
    pub(crate) fn inherit(&mut self, older: &SoftSnapshot) {
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

impl Default for SoftSnapshot {
    fn default() -> Self {
        Self::new()
    }
}

/// A tangent plane of a soft surface at the tool, for one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoftRow {
    /// As [`SoftSnapshot::body`] counts.
    pub surface: u8,
    /// The tool's point at the tick's beginning, world frame, m.
    pub tool_point: Vec3,
    /// Where the other side is, m.
    pub point: Vec3,
    /// Unit, towards the tool.
    pub normal: Vec3,
    /// Distance along the normal less the half thicknesses, m.
    pub gap_m: f64,
    /// How far the surface comes along the normal in this tick, m; not negative.
    pub approach_m: f64,
    /// How the surface moves in this tick.
    pub carrier: Motion,
}

/// How old the answer is in this tick.
pub(crate) struct Moment {
    /// For how long surfaces have moved on since, s.
    pub age_s: f64,
    /// And for how long they do in this tick; 0 when they stand still.
    pub period_s: f64,
}

impl SoftRow {
    /// `surface`: its number; where: the tool's point, the other side, and the normal; `step`: how
    /// the surface moves in this tick, m.
    pub(crate) fn new(
        surface: u8,
        (tool_point, point, normal): (Vec3, Vec3, Vec3),
        gap_m: f64,
        step: &Vec3,
    ) -> SoftRow {
        SoftRow {
            surface,
            tool_point,
            point,
            normal,
            gap_m,
            approach_m: step.dot(&normal).max(0.0),
            carrier: Motion::new(step.x, step.y, step.z, 0.0, 0.0, 0.0),
        }
    }
}

/// Where soft surfaces stop the tool at `pose`, `age_s` after the answer: writes the rows nearer
/// than `band_m`, deepest first, and says how many. Of rows that say the same only the deepest:
/// sixteen points on one side of a box would leave its other side to sink. `all` is work space with
/// room for [`MAX_FOUND`].
#[allow(clippy::too_many_arguments)]
pub(crate) fn survey(
    snapshot: &mut SoftSnapshot,
    tool: &ToolShape,
    pose: &Pose,
    age_s: f64,
    period_s: f64,
    band_m: f64,
    all: &mut Vec<SoftRow>,
    rows: &mut [Option<SoftRow>; MAX_SOFT_ROWS],
) -> usize {
    let SoftSnapshot {
        surfaces,
        tracked,
        tool: shape,
        every_ticks,
        implicit,
        samples,
        ..
    } = snapshot;
    let longest_s = AHEAD * *every_ticks as f64 * period_s;
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
            // NaN is no row.
            if row.gap_m < band_m {
                all.push(row);
            }
        }
    }
    // What was not found within the band leaves its number to nobody.
    let found = (&**implicit, surfaces.len());
    implicit::survey(found, samples, (tool, pose), &moment, band_m, all);
    // Equal gaps in the order of the points. Keys are sorted and not rows, which are ten times
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
        let same = |other: &SoftRow| {
            let apart = (other.tool_point - row.tool_point).norm_squared();
            other.normal.dot(&row.normal) > ALIKE && apart < near * near
        };
        if count == MAX_SOFT_ROWS {
            break;
        }
        if !rows[..count].iter().flatten().any(same) {
            rows[count] = Some(*row);
            count += 1;
        }
    }
    count
}

/// What all rows of a tick share.
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

/// Unit normal of a triangle; zero if it has no area.
fn normal_of(corners: &[V3; 3]) -> Vec3 {
    let [a, b, c] = corners.map(|p| double(&p));
    (b - a)
        .cross(&(c - a))
        .try_normalize(0.0)
        .unwrap_or_default()
}

impl RowContext<'_> {
    /// The row of a tracked point, which remembers triangle and plane. `None` if it has none, or is
    /// on its own body's far side.
    fn row(&self, tracked: &mut Tracked, surface: &SoftSurface) -> Option<SoftRow> {
        if tracked.from_tool {
            self.tool_on_surface(tracked, surface)
        } else {
            self.surface_on_tool(tracked, surface)
        }
    }

    /// Where a point of a surface is by now.
    fn now(&self, surface: &SoftSurface, point: u32) -> Option<V3> {
        let at = point as usize;
        Some(surface.points.get(at)? + surface.velocities.get(at)? * self.age_s)
    }

    fn tool_on_surface(&self, tracked: &mut Tracked, surface: &SoftSurface) -> Option<SoftRow> {
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
        // A surface without points answers NaN, which no line meets.
        let nowhere = V3::repeat(f32::NAN);
        let corners =
            |t: u32| triangles[t as usize].map(|v| self.now(surface, v).unwrap_or(nowhere));
        let neighbours = surface.shape.neighbours();
        let hit = walk_over(&line, corners, neighbours, tracked.triangle, WALK_LIMIT).hit;
        let mut velocity = V3::zeros();
        if let Some(hit) = hit {
            let solid = surface.shape.topology() == Topology::Volume;
            if (solid && !hit.at.outward) || hit.at.t > 0.9999 * tracked.exit_m {
                // The far side of the tool or of the surface: that is no contact of this point.
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
        Some(self.made(tracked, tool_point, point, normal, &double(&velocity)))
    }

    fn surface_on_tool(&self, tracked: &mut Tracked, surface: &SoftSurface) -> Option<SoftRow> {
        let at = tracked.point as usize;
        let point = double(&self.now(surface, tracked.point)?);
        let velocity = double(surface.velocities.get(at)?);
        if self.tool.radius_m > 0.0 {
            // A ball needs no walk, and is rounder than its mesh.
            let centre = self.world_from_tool.point(&self.tool.centre);
            let away = centre - point;
            let normal = away.try_normalize(0.0)?;
            let nearest = centre - normal * self.tool.radius_m;
            return Some(self.made(tracked, nearest, point, normal, &velocity));
        }
        let outward = double(surface.normals.get(at)?);
        let way = match surface.shape.topology() {
            Topology::Volume => -outward,
            Topology::Sheet { .. } => outward,
        };
        let line = Line {
            o: single(&self.world_from_tool.unpoint(&point)),
            d: single(&self.world_from_tool.unturn(&way)),
        };
        let (points, triangles) = (self.shape.points(), self.shape.triangles());
        let corners = |t: u32| triangles[t as usize].map(|v| points[v as usize]);
        let neighbours = self.shape.neighbours();
        let hit = walk_over(&line, corners, neighbours, tracked.triangle, WALK_LIMIT).hit;
        if let Some(hit) = hit {
            // A volume's line leaves the tool through an outer side; a sheet's may leave it either
            // way, but never enters ahead.
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
        Some(self.made(tracked, met, point, normal, &velocity))
    }

    /// `tool_point` and `point` are the two sides, `normal` the way that the tool has to go.
    fn made(
        &self,
        tracked: &Tracked,
        tool_point: Vec3,
        point: Vec3,
        normal: Vec3,
        velocity: &Vec3,
    ) -> SoftRow {
        let step = velocity * self.period_s;
        let gap_m = (tool_point - point).dot(&normal) - tracked.gap_m;
        let place = (tool_point, point, normal);
        SoftRow::new(tracked.surface, place, gap_m, &step)
    }
}

/// A plane's next normal: some of the way to that of the triangle met.
fn turned(plane: Option<(Vec3, Vec3)>, normal: &Vec3) -> Vec3 {
    let Some((_, old)) = plane.filter(|(_, old)| old.dot(normal) > 0.0) else {
        return *normal;
    };
    (old + (normal - old) * TURN)
        .try_normalize(0.0)
        .unwrap_or(*normal)
}
