//! Force shading: renders a coarse mesh as the smooth surface that it stands for. The proxy itself
//! is not affected.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`MAX_PAIRS`] and the steps of a
//! few searches. Deterministic.
//!
//! # Theory
//!
//! The edges of a mesh can be felt: on facets of length `L` of a body of radius `R` the normal
//! steps by `L / R`, and so does the force. Turning the force alone ("force shading", Morgenbesser
//! and Srinivasan 1996) gives energy over a closed path, because no potential has that force. So
//! the *anchor* of the spring is moved instead. The anchor is the point nearest to the hand on the
//! surface at a tool radius and the safe distance outside of a [`SmoothMesh`]; above that surface
//! it is the hand itself. Its force `k (q - d)` is minus the gradient, by the hand's position `d`,
//! of `k h^2 / 2`, where `h` is the hand's depth under that surface. It gives no energy over a
//! closed path, and it is continuous because the surface's normals are.
//!
//! With friction `mu` the anchor is held. It stays while its tangential pull is at most `mu` times
//! its normal pressure, and otherwise slides until that holds again. This is Coulomb's law for a
//! spring's far end on the smooth surface: the anchor moves only against what holds it, and takes
//! energy from the hand.
//!
//! The first search starts under the proxy, and each next one where the last ended. Points that
//! face away from the contact are refused: the proxy decides which side of a thin plate is touched.
//!
//! # Where the mesh itself is rendered
//!
//! - On planes, on creases and on meshes too coarse to judge ([`SmoothMesh`]).
//! - Near contacts with other surfaces and beyond a border of the surface, with a gradual
//!   transition ([`FADE_M`]). In the transition the force has no potential, by as much as the two
//!   surfaces differ.
//! - For tools that are not balls, on bodies that forces move (their push is the proxy's), with
//!   needles, for tools with mass, and while tools press each other or deformables press the tool.
//!
//! The rendered pose is never further from the proxy than [`MAX_LIFT_M`] plus [`MAX_LEAN`] times
//! the stretch of the spring.

use hapticd_geometry::smooth::{Foot, MAX_LIFT_M};
use hapticd_geometry::{Pose, Rigid, SmoothMesh, Vec3, transform};

use super::Proxy;
use crate::bodies::BodyTable;
use crate::interaction::Interaction;
use crate::rows::candidate;
use crate::slots::BodyKey;
use crate::snapshot::BodyEntry;

/// Most pairs evaluated in a tick.
const MAX_PAIRS: usize = 64;
/// Most contacts kept; the nearest.
const MAX_NEAR: usize = 8;
/// Most sheets searched in a tick, where sheets meet.
const MAX_SHEETS: usize = 2;
/// Distance of the transition from the smooth surface to the mesh, m.
const FADE_M: f64 = MAX_LIFT_M;
/// Difference of gaps up to which contacts count as equally near, m.
const TIE_M: f64 = 1e-7;
/// Largest sine of the angle between rendered and true force: that of a crease, with a margin.
const MAX_LEAN: f64 = 0.6;
/// Cosine of the angle from which two contacts with one sheet are on different sides of it.
const SIDES: f64 = 0.5;
/// Largest distance of a tool's centre from a sheet, as a share of the radius of its narrowest
/// valley.
const FITS: f64 = 0.4;
/// Excess of the pull over friction, as a share of it, that counts as rest.
const SLIPS: f64 = 1e-6;
/// Most sliding steps of the anchor in a tick.
const SLIDES: usize = 4;

/// Far end of the spring, which friction holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    body: BodyKey,
    /// Foot on the smooth surface, body frame.
    foot: Foot,
}

/// A contact at the proxy.
#[derive(Clone, Copy)]
struct Touched {
    /// Index in the snapshot's list of bodies.
    body: usize,
    face: u32,
    normal: Vec3,
    point: Vec3,
    gap_m: f64,
}

/// Rendering of one sheet.
struct RenderedSheet {
    /// Position of the spring's far end, world frame, m.
    place: Vec3,
    normal: Vec3,
    sheet: u32,
    /// Weight of the sheet against the mesh, 0 to 1.
    share: f64,
    pressed: bool,
    anchor: Option<Anchor>,
}

/// Rendered pose of the tool, and the surface that determines it.
pub(super) struct Shaded {
    pub(super) felt: Pose,
    /// Stiffness and damping of the pressed material.
    pub(super) material: Option<(f64, f64)>,
    /// True if the pressed body may move.
    pub(super) moves: bool,
}

impl Proxy {
    /// Returns the pose to render instead of a proxy at `base`; `None` if `base` is to be rendered.
    pub(super) fn shade(&mut self, base: &Pose, hand: &Pose, bodies: &BodyTable) -> Option<Shaded> {
        let held = self.anchor.take();
        let plain = self.intent.interaction() == Interaction::Spring
            && self.shape.bound_m == 0.0
            && self.guide.is_none()
            && self.yields.iter().all(|x| *x == 0.0)
            && self.soft_count == 0
            && self.holds.is_none();
        if !plain {
            return None;
        }
        let centre = self.shape.centre;
        let (proxy, hand_at) = (transform(base, &centre), transform(hand, &centre));
        let mut near = [None; MAX_NEAR];
        let count = self.touched(base, bodies, &mut near);
        let near = &near[..count];
        let nearest = near.iter().flatten().next()?;
        let mut best: Option<(RenderedSheet, usize)> = None;
        let mut searched = 0;
        for (k, touched) in near.iter().flatten().enumerate() {
            let tied = touched.gap_m <= nearest.gap_m + TIE_M;
            if !tied || searched == MAX_SHEETS {
                break;
            }
            let sheet = self.smooth(touched).and_then(|s| s.sheet(touched.face));
            let known = best
                .as_ref()
                .is_some_and(|(felt, _)| Some(felt.sheet) == sheet);
            if sheet.is_none() || known {
                continue;
            }
            searched += 1;
            let Some(felt) = self.sheet(touched, [&proxy, &hand_at], bodies, held) else {
                continue;
            };
            if best
                .as_ref()
                .is_none_or(|(best, _)| felt.share > best.share)
            {
                best = Some((felt, k));
            }
        }
        let (felt, k) = best?;
        let touched = near[k]?;
        let mut share = felt.share;
        for other in near.iter().flatten() {
            let same = other.body == touched.body
                && self.smooth(other).and_then(|s| s.sheet(other.face)) == Some(felt.sheet)
                && other.normal.dot(&felt.normal) > SIDES;
            // A crease under the tool belongs to both of its sides.
            let here = other.gap_m <= nearest.gap_m + TIE_M
                && other.normal.dot(&touched.normal) > 1.0 - TIE_M;
            if !(same || here) {
                let beyond_m = other.gap_m - self.distances.safe_m;
                share *= (beyond_m / FADE_M).clamp(0.0, 1.0);
            }
        }
        if !(share > 0.0) {
            return None;
        }
        self.anchor = felt.anchor;
        let mut shift = (felt.place - proxy) * share;
        let most_m = MAX_LIFT_M + MAX_LEAN * (proxy - hand_at).norm();
        let length = shift.norm();
        if length > most_m {
            shift *= most_m / length;
        }
        let entry = self.entry(touched.body)?;
        let material = entry.material;
        let mut pose = *base;
        pose.translation.vector += shift;
        Some(Shaded {
            felt: pose,
            material: felt
                .pressed
                .then_some((material.stiffness_n_per_m, material.damping_n_s_per_m)),
            moves: felt.pressed && !entry.fixed,
        })
    }

    fn entry(&self, body: usize) -> Option<&BodyEntry> {
        self.snapshot.as_deref()?.bodies.get(body)
    }

    /// Returns the smooth surface of a touched triangle, if it is not rendered flat.
    fn smooth(&self, touched: &Touched) -> Option<&SmoothMesh> {
        let smooth = self
            .snapshot
            .as_deref()?
            .smooth
            .get(touched.body)?
            .as_deref()?;
        (!smooth.is_flat(touched.face)).then_some(smooth)
    }

    /// Collects the contacts at a pose of the tool, nearest first; returns their number.
    fn touched(
        &self,
        base: &Pose,
        bodies: &BodyTable,
        near: &mut [Option<Touched>; MAX_NEAR],
    ) -> usize {
        let Some(snapshot) = self.snapshot.as_deref() else {
            return 0;
        };
        let reach_m = self.distances.safe_m + FADE_M;
        let world_from_tool = Rigid::new(base);
        let (mut count, mut tested) = (0, 0);
        let any = snapshot.smooth.iter().any(Option::is_some);
        for (i, entry) in snapshot.bodies.iter().enumerate().filter(|_| any) {
            let Some(body) = bodies.get(entry.key).filter(|_| self.meets(entry.key)) else {
                continue;
            };
            let moved = self.moved_since(snapshot, entry, &body.pose, base);
            let frame = (!entry.fixed).then(|| Rigid::new(&body.pose));
            let frame_from_tool = match entry.fixed {
                true => world_from_tool,
                false => Rigid::new(&(body.pose.inverse() * base)),
            };
            let radius_m = self.shape.radius_m + entry.radius_m;
            for pair in snapshot.pairs_of(entry) {
                if pair.distance_m - moved > reach_m || tested == MAX_PAIRS {
                    break;
                }
                if pair.separation(&frame_from_tool) - radius_m > reach_m {
                    continue;
                }
                tested += 1;
                let c = candidate(pair, &world_from_tool, frame.as_ref());
                let gap_m = c.distance_m - radius_m;
                if !c.contact || gap_m > reach_m {
                    continue;
                }
                let touched = Touched {
                    body: i,
                    face: pair.body_feature,
                    normal: c.normal,
                    point: c.body_point,
                    gap_m,
                };
                let mut at = count.min(MAX_NEAR);
                while at > 0 && near[at - 1].is_some_and(|t| t.gap_m > gap_m) {
                    if at < MAX_NEAR {
                        near[at] = near[at - 1];
                    }
                    at -= 1;
                }
                if at < MAX_NEAR {
                    near[at] = Some(touched);
                    count = (count + 1).min(MAX_NEAR);
                }
            }
        }
        count
    }

    /// Returns the anchor of the spring on the smooth surface over a touched triangle, for these
    /// centres of proxy and hand.
    fn sheet(
        &self,
        touched: &Touched,
        [proxy, hand]: [&Vec3; 2],
        bodies: &BodyTable,
        held: Option<Anchor>,
    ) -> Option<RenderedSheet> {
        let smooth = self.smooth(touched)?;
        let entry = self.entry(touched.body)?;
        let pose = bodies.get(entry.key)?.pose;
        let x = pose.inverse_transform_point(&(*hand).into()).coords;
        let under = pose.inverse_transform_point(&touched.point.into()).coords;
        let out_m = self.shape.radius_m + entry.radius_m + self.distances.safe_m;
        let sheet = smooth.sheet(touched.face)?;
        // The offset surface of a narrower valley would have edges.
        if out_m > FITS * smooth.min_concave_radius_m(sheet) {
            return None;
        }
        let held = held.filter(|h| h.body == entry.key && smooth.sheet(h.foot.face) == Some(sheet));
        let near = held.and_then(|h| smooth.foot(h.foot.face, &h.foot.weights, &x));
        let weights = smooth.weights(touched.face, &under);
        let from_under = |x: &Vec3| smooth.foot(touched.face, &weights, x);
        let foot = near.or_else(|| from_under(&x))?;
        let normal = pose.rotation * foot.normal;
        // The other side of an open sheet is another surface.
        if !(normal.dot(&touched.normal) > 0.0) {
            return None;
        }
        let off = x - foot.point;
        let depth_m = out_m - off.dot(&foot.normal);
        let beside_m = match foot.on_border {
            true => (off - foot.normal * off.dot(&foot.normal)).norm(),
            false => 0.0,
        };
        let pressed = depth_m > 0.0;
        let mu = entry.material.friction;
        let (place, anchor) = match pressed {
            false => (x, None),
            true => {
                let slid = (mu > 0.0).then(|| {
                    // Friction that held on another surface has held at the proxy.
                    let at_proxy = || {
                        let proxy = pose.inverse_transform_point(&(*proxy).into()).coords;
                        from_under(&proxy)
                    };
                    let start = held.map(|held| held.foot).or_else(at_proxy);
                    slide(smooth, start.unwrap_or(foot), &x, out_m, mu)
                });
                let foot = slid.flatten().unwrap_or(foot);
                let body = entry.key;
                (
                    foot.point + foot.normal * out_m,
                    Some(Anchor { body, foot }),
                )
            }
        };
        Some(RenderedSheet {
            place: transform(&pose, &place),
            normal,
            sheet,
            share: (1.0 - beside_m / FADE_M).max(0.0),
            pressed,
            anchor,
        })
    }
}

/// Slides an anchor under friction, with the hand at `x`; `None` if no foot was found.
fn slide(smooth: &SmoothMesh, start: Foot, x: &Vec3, out_m: f64, mu: f64) -> Option<Foot> {
    let mut foot = start;
    for _ in 0..SLIDES {
        let pull = foot.point + foot.normal * out_m - x;
        let press = pull.dot(&foot.normal);
        let along = pull - foot.normal * press;
        let (length, most) = (along.norm(), mu * press.max(0.0));
        if length <= most * (1.0 + SLIPS) {
            break;
        }
        // Displacement of the anchor itself, at the offset distance.
        let to = foot.point + foot.normal * out_m - along * (1.0 - most / length);
        foot = smooth.foot(foot.face, &foot.weights, &to)?;
    }
    Some(foot)
}
