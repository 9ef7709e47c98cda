//! What the hand feels of a coarse mesh: the smooth surface that it stands for. The proxy is not
//! asked.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`MAX_PAIRS`] and the steps of a
//! few searches. Deterministic.
//!
//! # Theory
//!
//! A mesh is felt at its edges: on facets of length `L` of a body of radius `R` the normal steps by
//! `L / R`, and so does the force. Turning the force alone ("force shading", Morgenbesser and
//! Srinivasan 1996) gives energy over a closed path: no potential has that force. So the *anchor*
//! of the spring is moved instead. It is the place nearest to the hand on the surface a tool's
//! radius and the safe distance outside of a [`SmoothMesh`]; above that surface it is the hand
//! itself. Its force `k (q - d)` is minus the gradient, by the hand's place `d`, of `k h^2 / 2`,
//! where `h` is the hand's depth under that surface: it gives nothing over a closed path, and is
//! continuous, for the surface's normals are.
//!
//! With friction `mu` the anchor is held: it stays while what it is drawn by along the surface is
//! no more than `mu` times what presses it, and else slides until it is no more. It is Coulomb's
//! law for a spring's far end on the smooth surface: the anchor moves only against what holds it,
//! and takes energy from the hand.
//!
//! The first search starts under the proxy, the next ones where the last ended, and no place is
//! taken that faces away from the contact: which side of a thin plate is meant is the proxy's word.
//!
//! # Where the mesh itself is felt
//!
//! On planes, on creases and on meshes too coarse to tell ([`SmoothMesh`]); near contacts with
//! other surfaces, and beyond a border of the surface, in between by degrees ([`FADE_M`]): there
//! force has no potential, by as much as the two surfaces differ. By tools that are no balls, on
//! bodies that forces move (their push is the proxy's), with needles, with tools of mass, and while
//! tools press each other or soft bodies do.
//!
//! What is felt is never further from the proxy than [`MAX_LIFT_M`] and [`MAX_LEAN`] of what the
//! spring is stretched by.

use hapticd_geometry::smooth::{Foot, MAX_LIFT_M};
use hapticd_geometry::{Pose, Rigid, SmoothMesh, Vec3, transform};

use super::Proxy;
use crate::bodies::BodyTable;
use crate::interaction::Interaction;
use crate::rows::candidate;
use crate::snapshot::{BodyEntry, BodyKey};

/// Most pairs that are looked at in a tick.
const MAX_PAIRS: usize = 64;
/// Most contacts that are kept, the nearest.
const MAX_NEAR: usize = 8;
/// Most places that are sought in a tick, where sheets meet.
const MAX_SHEETS: usize = 2;
/// Distance over which the smooth surface is left for the mesh, m.
const FADE_M: f64 = MAX_LIFT_M;
/// Contacts are as near as each other, m.
const TIE_M: f64 = 1e-7;
/// Sine of the angle between felt and true force, at most: that of a crease, and some.
const MAX_LEAN: f64 = 0.6;
/// Cosine of the angle from which contacts with one sheet are on different sides of it.
const SIDES: f64 = 0.5;
/// Of the radius of a sheet's narrowest valley, the largest distance of a tool's centre from it.
const FITS: f64 = 0.4;
/// A pull beyond friction by less than this share of it is at rest.
const SLIPS: f64 = 1e-6;
/// Most times that a sliding anchor is drawn after the hand in a tick.
const SLIDES: usize = 4;

/// Where the spring's far end is, which friction holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    body: BodyKey,
    /// In the body's frame.
    foot: Foot,
}

/// A contact at the proxy.
#[derive(Clone, Copy)]
struct Touched {
    /// Place in the snapshot's list of bodies.
    body: usize,
    face: u32,
    normal: Vec3,
    point: Vec3,
    gap_m: f64,
}

/// What is felt of one sheet.
struct RenderedSheet {
    /// World.
    place: Vec3,
    normal: Vec3,
    sheet: u32,
    /// 0 to 1: how much it counts.
    share: f64,
    pressed: bool,
    anchor: Option<Anchor>,
}

/// Where the hand feels the tool to be, and the surface that says so.
pub(super) struct Shaded {
    pub(super) felt: Pose,
    /// Stiffness and damping of what is pressed.
    pub(super) material: Option<(f64, f64)>,
    /// It may move.
    pub(super) moves: bool,
}

impl Proxy {
    /// What the hand feels instead of a proxy at `base`; `None`: that.
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
        let mut sought = 0;
        for (k, touched) in near.iter().flatten().enumerate() {
            let tied = touched.gap_m <= nearest.gap_m + TIE_M;
            if !tied || sought == MAX_SHEETS {
                break;
            }
            let sheet = self.smooth(touched).and_then(|s| s.sheet(touched.face));
            let known = best
                .as_ref()
                .is_some_and(|(felt, _)| Some(felt.sheet) == sheet);
            if sheet.is_none() || known {
                continue;
            }
            sought += 1;
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
            // A crease under the tool is a place of both of its sides.
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

    /// The surface that a touched triangle is felt as, if that is not the triangle.
    fn smooth(&self, touched: &Touched) -> Option<&SmoothMesh> {
        let smooth = self
            .snapshot
            .as_deref()?
            .smooth
            .get(touched.body)?
            .as_deref()?;
        (!smooth.is_flat(touched.face)).then_some(smooth)
    }

    /// Contacts at a pose of the tool, nearest first; how many.
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

    /// Where the spring is anchored on the smooth surface over a touched triangle, with the proxy
    /// and the hand there.
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
        // What lies so far outside of a narrower valley has edges of its own.
        if out_m > FITS * smooth.narrowest_m(sheet) {
            return None;
        }
        let held = held.filter(|h| h.body == entry.key && smooth.sheet(h.foot.face) == Some(sheet));
        let near = held.and_then(|h| smooth.foot(h.foot.face, &h.foot.weights, &x));
        let weights = smooth.weights(touched.face, &under);
        let from_under = |x: &Vec3| smooth.foot(touched.face, &weights, x);
        let foot = near.or_else(|| from_under(&x))?;
        let normal = pose.rotation * foot.normal;
        // On the other side of an open sheet its surface is another one.
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
                    // What friction has held on another surface, it has held where the proxy is.
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

/// Where an anchor goes that friction holds, with the hand at `x`; `None`: nowhere that was found.
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
        // The way of the anchor itself, which is so far outside.
        let to = foot.point + foot.normal * out_m - along * (1.0 - most / length);
        foot = smooth.foot(foot.face, &foot.weights, &to)?;
    }
    Some(foot)
}
