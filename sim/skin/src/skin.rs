//! From primitives to triangles, brick by brick.
//!
//! # Theory
//!
//! Marching Cubes looks at cubes whose corners lie on both sides; all that makes it fast is to look
//! at no others, and at each place once. The source follows the surface from cube to cube from a
//! seed in each primitive, and keeps what it computed in grids over the whole box (Triquet 2001,
//! sections 3.3.1 to 3.3.3). Here the unit is a *brick* of 7³ cubes: every brick that a primitive
//! reaches is held against bounds of the sum, what may hold surface is sampled whole, in lanes, and
//! its nodes' signs are kept as bits. A component cannot be missed, no seed is needed, no brick
//! waits for another, and memory grows with the surface and not with the box.
//!
//! A cut edge has a vertex, and belongs to the brick of its lower node. Its number is where the
//! brick's begin, plus the cut edges of the brick before it: a count of bits. So neighbours agree
//! on vertices without a table of edges, and the mesh closes by the edges' identities ([`Table`]
//! says why), never by comparing places.
//!
//! # Practice
//!
//! A node is inside where the sum is *above* the level; one that equals it is outside, everywhere.
//! Vertices are set by linear interpolation, normals by the gradient. The nodes on the domain's
//! border count as outside: what leaves the domain is cut off and closed there, and counted
//! ([`Report::clipped`]). The same input gives the same bytes, whatever was made before, by however
//! many threads.
//!
//! One thread, which does not allocate once it has seen as much twice (two meshes are kept); or
//! those of the pool that the call comes from ([`Skin::set_parallel`]). Bricks whose primitives did
//! not change since the last call, in the same [`Settings`], are taken over from it
//! ([`Report::reused`]).

use std::ops::Range;

use hapticd_geometry::Vec3;
use rayon::prelude::*;

use crate::blend::{Blending, Bulge, Graph, MAX_IN_PLACE, NoPrimitive, TooManyCliques};
use crate::domain::Domain;
use crate::grid::Grid;
use crate::lists::{Lists, MAX_ENTRIES, NONE};
use crate::mesh::Mesh;
use crate::primitive::{Primitive, PrimitiveError, Skeleton};
use crate::sample::Ball;
use crate::table::{Ambiguity, Table};

mod adopt;
mod brick;
mod classes;
mod contacts;
mod groups;
mod join;
mod lost;
mod memory;
mod motions;
mod part;
mod union;

pub(crate) use brick::part_of;
use brick::{Border, Brick, Found};
use classes::Links;
use contacts::Contacts;
use join::Join;
use part::{Kept, MeshContext, Part};

pub use adopt::AdoptError;
pub use classes::Control;
pub use lost::Lost;
pub use motions::MotionError;
pub use union::MAX_CLIQUES;

/// What a skin is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Where it may be, and how fine.
    pub domain: Domain,
    /// The sum of potentials on the surface, above 0.
    pub level: f64,
    /// What happens on ambiguous faces.
    pub ambiguity: Ambiguity,
}

/// Why a skin was refused. The caller's fault; the mesh is empty then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// At 0 or below the surface would be where no primitive reaches.
    #[error("level {0}: it has to be above 0 and finite")]
    Level(f64),
    /// One of the primitives.
    #[error("primitive {number}: {why}")]
    Primitive {
        /// Which.
        number: usize,
        /// Why.
        why: Box<PrimitiveError>,
    },
    /// One that the graph names.
    #[error("the graph of blending names {0}")]
    Graph(#[from] NoPrimitive),
    /// In one brick; of a union in an eighth of one.
    #[error(
        "{0} primitives that may not all blend reach one brick of 7³ cubes: there can be {MAX_IN_PLACE}"
    )]
    Crowded(usize),
    /// Together they reach too many bricks of 7³ cubes: larger cubes have fewer.
    #[error(
        "{primitives} primitives reach up to {entries} bricks of 7³ cubes, each counted for each of them: there can be {most}"
    )]
    Dense {
        /// How many there are, grids among them.
        primitives: usize,
        /// Bricks in their boxes.
        entries: u64,
        /// How many there can be.
        most: u64,
    },
    /// Of a union, in an eighth of a brick.
    #[error("in one eighth of a brick of 7³ cubes {0}")]
    Tangled(#[from] TooManyCliques),
    /// One for other surfaces.
    #[error("a bulge that ends at {bulge}, where the level is {level}: they have to be the same")]
    Bulge {
        /// The bulge's.
        bulge: f64,
        /// The skin's.
        level: f64,
    },
    /// More vertices than numbers.
    #[error("{0} bricks of surface: there can be {MAX_BRICKS}")]
    TooLarge(usize),
}

impl Settings {
    /// Whether a skin can be made of these at all: what [`Skin::polygonize`] looks at before
    /// anything else.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn check(&self, primitives: &[Primitive]) -> Result<(), SkinError> {
        check(self, primitives)
    }
}

/// Most bricks with surface in them: each has at most 1,029 vertices.
pub const MAX_BRICKS: usize = (u32::MAX / 1029) as usize;

/// Most vertices before the last brick.
const MAX_POINTS: usize = (u32::MAX / 2) as usize;

/// Whether a skin can be made of these at all.
pub(crate) fn check(settings: &Settings, primitives: &[Primitive]) -> Result<(), SkinError> {
    if !(settings.level > 0.0 && settings.level.is_finite()) {
        return Err(SkinError::Level(settings.level));
    }
    for (number, primitive) in primitives.iter().enumerate() {
        primitive.check().map_err(|why| SkinError::Primitive {
            number,
            why: Box::new(why),
        })?;
    }
    Ok(())
}

/// Whether there is room for lists of so many entries, before any of them is made.
pub(crate) fn check_entries(counts: impl Iterator<Item = u64>) -> Result<(), SkinError> {
    let (mut primitives, mut entries) = (0, 0_u64);
    for count in counts {
        (primitives, entries) = (primitives + 1, entries.saturating_add(count));
    }
    if entries > MAX_ENTRIES {
        let most = MAX_ENTRIES;
        return Err(SkinError::Dense {
            primitives,
            entries,
            most,
        });
    }
    Ok(())
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Bricks that a primitive reaches.
    pub reached: usize,
    /// Of those: not excluded by bounds.
    pub sampled: usize,
    /// Of those: taken over from the last mesh, since nothing that reaches them has changed.
    pub reused: usize,
    /// Of those sampled or taken over: with surface.
    pub active: usize,
    /// Nodes on the domain's border that would be inside.
    pub clipped: usize,
    /// Where primitives meet that may not blend.
    pub control: Control,
    /// Primitives that will not be seen.
    pub lost: Lost,
}

/// A mesh, and what the next one can take from it.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// With what it was made; none, if it was refused.
    made: Option<Settings>,
    /// Somebody else made it: of its bricks nothing is known but their vertices.
    adopted: bool,
    primitives: Vec<Primitive>,
    /// Who may blend, if that was asked.
    links: Links,
    controlled: bool,
    union: bool,
    contacts: Contacts,
    lists: Lists,
    balls: Vec<Ball>,
    /// Numbers of the primitives that `lists` counts: balls first.
    order: Vec<u32>,
    /// By slot.
    found: Vec<Found>,
    bricks: Vec<Brick>,
    /// Those in use first.
    parts: Vec<Part>,
    /// How many vertices it has.
    points: usize,
    /// For tests: no brick is one of groups.
    by_nodes: bool,
}

/// Of one part.
#[derive(Clone, Debug, Default)]
struct Joined {
    dropped: usize,
    foreign: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

/// Makes meshes; keeps the memory between them. See the module page.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    now: Frame,
    before: Frame,
    /// By primitive: whether it is not what it was.
    changed: Vec<bool>,
    /// By primitive: whether it reaches a brick with surface.
    seen: Vec<bool>,
    /// Of the brick that is joined: vertices of neighbours.
    foreign: Vec<u32>,
    /// The same by part, where there is more than one, what was left out and the triangles.
    triangles: Vec<Joined>,
    parallel: bool,
    /// None of them has changed since the last mesh, if there is one.
    grids: Vec<Grid>,
}

/// Parts for each thread: none waits long for the last one.
const PARTS: usize = 4;

/// Fewest bricks of a part.
const MIN_BRICKS: usize = 16;

impl Skin {
    /// Adds these grids to all that is made from now on, in place of those before, which are given
    /// back. Each is a term like a primitive, and its number follows theirs: a [`Graph`] can name
    /// it, and [`Skin::motions`] takes a velocity of it. There is no last mesh then.
    pub fn set_grids(&mut self, grids: Vec<Grid>) -> Vec<Grid> {
        // Nothing is to be taken over from what was made with others.
        self.now.clear();
        std::mem::replace(&mut self.grids, grids)
    }

    /// With how many threads: one, as it is at first, or all of the rayon pool that a call comes
    /// from (`pool.install(|| skin.polygonize(...))`). The mesh is the same, to the bit. With more
    /// than one rayon may allocate, to hand out work.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// The surface of `primitives`, all of which blend, in place of what was in `out`.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.polygonize_by(settings, primitives, Blending::Free, out)
    }

    /// The surfaces of `primitives`, in place of what was in `out`: those that may blend by the
    /// graph make one, those that may not press each other flat where they meet
    /// ([`blend`](crate::blend)). [`Report::control`] says whether the graph does for cubes of this
    /// size.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn polygonize_controlled(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        graph: &Graph,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.polygonize_by(settings, primitives, Blending::Inhibited(graph), out)
    }

    /// The surfaces of `primitives`, in place of what was in `out`, which do to each other what
    /// `blending` says.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn polygonize_by(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        blending: Blending<'_>,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        let (graph, bulge) = match blending {
            Blending::Free => (None, None),
            Blending::Inhibited(graph) | Blending::Union(graph) => (Some(graph), None),
            Blending::Bulging(graph, bulge) => (Some(graph), Some(bulge)),
        };
        out.clear();
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.now.union = matches!(blending, Blending::Union(_));
        let made = self.surface(settings, primitives, (graph, bulge), out);
        if made.is_err() {
            out.clear();
            self.now.clear();
        } else {
            self.now.made = Some(*settings);
            self.now.points = out.points.len();
        }
        made
    }

    /// The bodies of the last mesh that are in contact, if bulges were asked for: each by the first
    /// of its primitives, the lower one first, in order. One with itself if it is.
    #[must_use]
    pub fn contacts(&self) -> &[(u32, u32)] {
        &self.now.contacts.pairs
    }

    /// Starts as if this many skins had been made: the dates of the lists end at 65,535 and begin
    /// again. For tests.
    pub fn set_date(&mut self, date: u16) {
        self.now.lists.set_date(date);
        self.before.lists.set_date(date);
    }

    /// Leaves what there is so far where something is refused on the way.
    fn surface(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        (graph, bulge): (Option<&Graph>, Option<Bulge>),
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        check(settings, primitives)?;
        if let Some(bulge) = bulge
            .map(|bulge| bulge.level())
            .filter(|x| *x != settings.level)
        {
            let level = settings.level;
            return Err(SkinError::Bulge { bulge, level });
        }
        let terms = primitives.len() + self.grids.len();
        self.now.controlled = graph.is_some();
        if let Some(graph) = graph {
            graph.check(terms as u32)?;
            self.now.links.set(graph, terms);
        }
        let Frame {
            contacts, links, ..
        } = &mut self.now;
        contacts.begin(bulge, links, terms);
        self.now.reach(&settings.domain, primitives, &self.grids)?;
        let count = self.parts(self.now.lists.reached.len());
        if bulge.is_some() {
            self.find_contacts(settings, primitives, count);
        }
        self.look(settings, primitives, count);
        let mut report = self.now.number(count, out)?;
        self.join(settings, count, &mut report, out);
        self.count_lost(settings, &mut report);
        Ok(report)
    }

    /// Into how many parts this many bricks are divided.
    fn parts(&self, bricks: usize) -> usize {
        if self.parallel {
            let most = PARTS * rayon::current_num_threads();
            bricks.div_ceil(MIN_BRICKS).clamp(1, most)
        } else {
            1
        }
    }

    /// What is in the bricks.
    fn look(&mut self, settings: &Settings, primitives: &[Primitive], count: usize) {
        let kept = self.find_changed(settings, primitives);
        let kept = kept.then_some(Kept {
            frame: &self.before,
            changed: &self.changed,
            same_order: self.now.order == self.before.order,
        });
        let (scene, parts) = self.now.scene(settings, (primitives, &self.grids), kept);
        each_part(
            parts,
            count,
            scene.lists.reached.len(),
            |number, part, slots| {
                part.make(&scene, number, slots);
            },
        );
    }

    /// Which bodies are in contact.
    fn find_contacts(&mut self, settings: &Settings, primitives: &[Primitive], count: usize) {
        let (scene, parts) = self.now.scene(settings, (primitives, &self.grids), None);
        each_part(parts, count, scene.lists.reached.len(), |_, part, slots| {
            part.find_contacts(&scene, slots);
        });
        let Frame {
            parts, contacts, ..
        } = &mut self.now;
        for part in &parts[..count] {
            contacts.pairs.extend_from_slice(&part.touching);
        }
        contacts.pairs.sort_unstable();
        contacts.pairs.dedup();
    }

    /// Whether anything of the last mesh may be taken over; if so, which primitives are not what
    /// they were.
    fn find_changed(&mut self, settings: &Settings, primitives: &[Primitive]) -> bool {
        let (now, before) = (&self.now, &self.before);
        let same = before.made == Some(*settings)
            && (before.controlled, before.union) == (now.controlled, now.union);
        let linked = !now.controlled || now.links == before.links;
        if !(same && linked && !before.adopted && now.contacts == before.contacts) {
            return false;
        }
        let was = before
            .primitives
            .iter()
            .map(Some)
            .chain(std::iter::repeat(None));
        let changed = primitives
            .iter()
            .zip(was)
            .map(|(now, was)| Some(now) != was);
        self.changed.clear();
        self.changed.extend(changed);
        self.changed.extend(self.grids.iter().map(|_| false));
        true
    }

    /// The triangles of all bricks.
    fn join(&mut self, settings: &Settings, count: usize, report: &mut Report, out: &mut Mesh) {
        let join = Join {
            lists: &self.now.lists,
            found: &self.now.found,
            bricks: &self.now.bricks,
            parts: &self.now.parts,
            table: Table::of(settings.ambiguity),
        };
        let bricks = join.bricks;
        if count == 1 {
            for brick in bricks {
                report.control.dropped += join.all(brick, &mut self.foreign, &mut out.triangles);
            }
            return;
        }
        if self.triangles.len() < count {
            self.triangles.resize_with(count, Default::default);
        }
        let some = self.triangles[..count].par_iter_mut().enumerate();
        some.for_each(|(k, joined)| {
            joined.triangles.clear();
            let range = k * bricks.len() / count..(k + 1) * bricks.len() / count;
            joined.dropped = (bricks[range].iter())
                .map(|brick| join.all(brick, &mut joined.foreign, &mut joined.triangles))
                .sum();
        });
        for joined in &self.triangles[..count] {
            report.control.dropped += joined.dropped;
            out.triangles.extend_from_slice(&joined.triangles);
        }
    }
}

/// Does something to each of `count` parts, with its number and its share of the slots; on all
/// threads of the pool if there is more than one.
fn each_part(
    parts: &mut Vec<Part>,
    count: usize,
    slots: usize,
    with: impl Fn(usize, &mut Part, Range<usize>) + Sync,
) {
    if parts.len() < count {
        parts.resize_with(count, Part::default);
    }
    let with = |(number, part): (usize, &mut Part)| {
        with(
            number,
            part,
            number * slots / count..(number + 1) * slots / count,
        );
    };
    if count > 1 {
        parts[..count].par_iter_mut().enumerate().for_each(with);
    } else {
        parts[..count].iter_mut().enumerate().for_each(with);
    }
}

impl Frame {
    /// What parts have to know, and the parts.
    fn scene<'a>(
        &'a mut self,
        settings: &'a Settings,
        (primitives, grids): (&'a [Primitive], &'a [Grid]),
        kept: Option<Kept<'a>>,
    ) -> (MeshContext<'a>, &'a mut Vec<Part>) {
        let scene = MeshContext {
            settings,
            primitives,
            grids,
            lists: &self.lists,
            balls: &self.balls,
            order: &self.order,
            border: Border::of(&settings.domain),
            links: self.controlled.then_some(&self.links),
            union: self.union,
            contacts: &self.contacts,
            kept,
            by_nodes: self.by_nodes,
        };
        (scene, &mut self.parts)
    }

    /// Nothing but the memory.
    fn clear(&mut self) {
        self.made = None;
        self.adopted = false;
        self.contacts.pairs.clear();
        self.primitives.clear();
        self.found.clear();
        self.bricks.clear();
        self.points = 0;
    }

    fn reach(
        &mut self,
        domain: &Domain,
        primitives: &[Primitive],
        grids: &[Grid],
    ) -> Result<(), SkinError> {
        self.primitives.extend_from_slice(primitives);
        self.balls.clear();
        self.order.clear();
        self.lists.begin(domain);
        let bounds = primitives.iter().map(Primitive::bounds);
        let bounds = bounds.chain(grids.iter().map(Grid::bounds));
        check_entries(bounds.map(|bounds| self.lists.count(domain, bounds)))?;
        for (number, primitive) in (0..).zip(primitives) {
            if let Some(ball) = Ball::of(domain, primitive) {
                let Skeleton::Point(centre) = primitive.skeleton else {
                    continue;
                };
                let reach = Some((centre, primitive.radius_m));
                let entry = self.order.len() as u32;
                self.lists.add(domain, entry, primitive.bounds(), reach);
                self.balls.push(ball);
                self.order.push(number);
            }
        }
        for (number, primitive) in (0..).zip(primitives) {
            if Ball::of(domain, primitive).is_none() {
                let entry = self.order.len() as u32;
                self.lists.add(domain, entry, primitive.bounds(), None);
                self.order.push(number);
            }
        }
        for (number, grid) in (primitives.len() as u32..).zip(grids) {
            let entry = self.order.len() as u32;
            self.lists.add(domain, entry, grid.bounds(), None);
            self.order.push(number);
        }
        self.lists.finish();
        Ok(())
    }

    /// Puts the first `count` parts one behind the other.
    fn number(&mut self, count: usize, out: &mut Mesh) -> Result<Report, SkinError> {
        let mut report = Report {
            reached: self.lists.reached.len(),
            ..Report::default()
        };
        for part in &mut self.parts[..count] {
            let (base, first) = (self.bricks.len(), out.points.len());
            let bricks = base + part.bricks.len();
            if bricks > MAX_BRICKS || first > MAX_POINTS {
                return Err(SkinError::TooLarge(bricks));
            }
            if let Some(refused) = part.refused.take() {
                return Err(refused);
            }
            for found in &part.found {
                report.sampled += usize::from(found.sampled);
                report.clipped += usize::from(found.clipped);
                report.control.shared += usize::from(found.shared);
                report.control.doubled += usize::from(found.doubled);
                report.control.torn += usize::from(found.torn);
                let number = match found.number {
                    NONE => NONE,
                    number => base as u32 + number,
                };
                self.found.push(Found { number, ..*found });
            }
            let bricks = part.bricks.iter().map(|brick| Brick {
                first: first as u32 + brick.at,
                ..*brick
            });
            self.bricks.extend(bricks);
            out.points.extend_from_slice(&part.points);
            out.normals.extend_from_slice(&part.normals);
            report.reused += part.reused;
        }
        report.active = self.bricks.len();
        Ok(report)
    }
}

/// How far from its skeleton the surface of a lone primitive is, m; 0: it has none. For callers who
/// choose a domain: where this is less than a cube, the primitive may fall between the nodes and
/// not be seen ([`Report::lost`]). Of an ellipsoid along an axis of length 1; of a convolved
/// segment about its middle.
#[must_use]
pub fn visible_radius_m(primitive: &Primitive, level: f64) -> f64 {
    if let Skeleton::Convolved([a, b]) = primitive.skeleton {
        // Across the segment it falls all the way.
        let across = (b - a).cross(&Vec3::ith((b - a).iamin(), 1.0));
        let Some(across) = across.try_normalize(0.0) else {
            return 0.0;
        };
        let is_in = |d: f64| primitive.value(&(primitive.heart() + d * across)) > level;
        let (mut low, mut high) = (0.0, primitive.radius_m);
        // As many halvings as the mantissa has bits.
        for _ in 0..53 {
            let middle = 0.5 * (low + high);
            if is_in(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }
    primitive.radius_m * reach_of(primitive, level)
}

/// The same over its radius, of those that are distances.
fn reach_of(primitive: &Primitive, level: f64) -> f64 {
    // What adds nothing, or takes away, reaches no level.
    if primitive.amplitude > 0.0 {
        primitive.kernel.reach(level / primitive.amplitude)
    } else {
        0.0
    }
}
