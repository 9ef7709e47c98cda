//! Polygonizer: from primitives to triangles, brick by brick.
//!
//! # Theory
//!
//! Marching Cubes triangulates cubes with corners on both sides. It is fast only if it visits no
//! other cubes, and evaluates each node once. The source follows the surface from cube to cube from
//! a seed in each primitive, and keeps what it computed in grids over the whole box (Triquet 2001,
//! sections 3.3.1 to 3.3.3). Here the unit is a *brick* of 7³ cubes. Every brick that a primitive
//! reaches is tested against bounds of the sum. A brick that may hold surface is sampled whole, in
//! lanes, and the signs of its nodes are kept as bits. No component can be missed, no seed is
//! needed, no brick waits for another, and memory grows with the surface and not with the box.
//!
//! A cut edge has a vertex, and belongs to the brick of its lower node. The vertex's number is the
//! brick's first number plus the count of cut edges before it in the brick: a popcount. So
//! neighbours agree on vertices without an edge table. The mesh closes by the identity of edges
//! (see [`Table`]), never by comparing positions.
//!
//! # Practice
//!
//! A node is inside where the sum is *above* the level; one that equals the level is outside,
//! everywhere. Vertices come from linear interpolation, normals from the gradient. The nodes on the
//! domain's border count as outside: what leaves the domain is cut off and closed there, and
//! counted ([`Report::clipped`]). The same input gives the same bytes, whatever was made before,
//! with any number of threads.
//!
//! Runs on one thread, and then allocates only when a mesh exceeds earlier ones in size, for each
//! of the two meshes kept. Or on the rayon pool of the caller ([`Skin::set_parallel`]). Bricks with
//! primitives unchanged since the last call, with equal [`Settings`], are reused
//! ([`Report::reused`]).

use std::ops::Range;

use hapticd_geometry::Vec3;
use rayon::prelude::*;

use crate::blend::{Blending, Bulge, Graph, MAX_IN_PLACE, TooManyCliques, UnknownPrimitive};
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

/// Settings of a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Box that may hold the skin, and its resolution.
    pub domain: Domain,
    /// Sum of potentials on the surface, above 0.
    pub level: f64,
    /// Rule for ambiguous faces.
    pub ambiguity: Ambiguity,
}

/// Reasons for refusing a skin. The caller is at fault; the mesh is then empty.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// The level is 0, negative or not finite. At 0 or below, the surface would be where no
    /// primitive reaches.
    #[error("level {0}: it has to be above 0 and finite")]
    Level(f64),
    /// A primitive is invalid.
    #[error("primitive {number}: {why}")]
    Primitive {
        /// Number of the primitive.
        number: usize,
        /// Reason.
        why: Box<PrimitiveError>,
    },
    /// The graph names a primitive that does not exist.
    #[error("the blending graph names {0}")]
    Graph(#[from] UnknownPrimitive),
    /// Too many primitives that may not all blend reach one brick, or for a union one eighth of a
    /// brick.
    #[error(
        "{0} primitives that may not all blend reach one brick of 7³ cubes: there can be {MAX_IN_PLACE}"
    )]
    Crowded(usize),
    /// Primitives reach too many bricks of 7³ cubes together. Larger cubes need fewer bricks.
    #[error(
        "{primitives} primitives reach up to {entries} bricks of 7³ cubes, each counted for each of them: there can be {most}"
    )]
    Dense {
        /// Number of primitives, including grids.
        primitives: usize,
        /// Bricks in their boxes.
        entries: u64,
        /// Maximum.
        most: u64,
    },
    /// An eighth of a brick of a union has too many cliques.
    #[error("in one eighth of a brick of 7³ cubes {0}")]
    Tangled(#[from] TooManyCliques),
    /// The bulge was made for another level.
    #[error("the bulge ends at {bulge}, the level is {level}: they must be the same")]
    Bulge {
        /// Level of the bulge.
        bulge: f64,
        /// Level of the skin.
        level: f64,
    },
    /// There are more bricks than vertex numbers allow.
    #[error("{0} bricks of surface: there can be {MAX_BRICKS}")]
    TooLarge(usize),
}

impl Settings {
    /// Checks that a skin can be made of these primitives at all; [`Skin::polygonize`] does this
    /// first.
    ///
    /// # Errors
    /// [`SkinError`]: the first defect found.
    pub fn check(&self, primitives: &[Primitive]) -> Result<(), SkinError> {
        check(self, primitives)
    }
}

/// Maximum number of bricks with surface: each has at most 1,029 vertices.
pub const MAX_BRICKS: usize = (u32::MAX / 1029) as usize;

/// Limit of the vertices before each part, and before each brick within a part.
const MAX_POINTS: usize = (u32::MAX / 2) as usize;

/// Checks that a skin can be made of these primitives at all.
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

/// Checks the total number of list entries before any list is made.
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

/// Counters of one mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Bricks that a primitive reaches.
    pub reached: usize,
    /// Reached bricks that bounds do not exclude.
    pub sampled: usize,
    /// Sampled bricks taken over from the last mesh, since nothing that reaches them has changed.
    pub reused: usize,
    /// Bricks with surface, sampled or reused.
    pub active: usize,
    /// Nodes on the domain's border that would be inside.
    pub clipped: usize,
    /// Contact of primitives that may not blend.
    pub control: Control,
    /// Primitives that are not visible.
    pub lost: Lost,
}

/// A mesh, and what the next one can reuse of it.
#[derive(Clone, Debug, Default)]
struct Frame {
    /// Settings that it was made with; `None` if it was refused.
    made: Option<Settings>,
    /// True for an adopted mesh: its bricks have vertices only, nothing to reuse.
    adopted: bool,
    primitives: Vec<Primitive>,
    /// Blending relation, valid if `controlled`.
    links: Links,
    controlled: bool,
    union: bool,
    contacts: Contacts,
    lists: Lists,
    balls: Vec<Ball>,
    /// Number of the primitive of each entry in `lists`: balls first.
    order: Vec<u32>,
    /// Result by slot of `lists`.
    found: Vec<Found>,
    bricks: Vec<Brick>,
    /// Parts, the used ones first.
    parts: Vec<Part>,
    /// Number of vertices.
    points: usize,
    /// Test switch: handle no brick by groups.
    by_nodes: bool,
}

/// Triangles of one part.
#[derive(Clone, Debug, Default)]
struct Joined {
    dropped: usize,
    foreign: Vec<u32>,
    triangles: Vec<[u32; 3]>,
}

/// Makes meshes, and reuses its memory. See the module page.
#[derive(Clone, Debug, Default)]
pub struct Skin {
    now: Frame,
    before: Frame,
    /// True if the primitive differs from the last mesh's, by number.
    changed: Vec<bool>,
    /// True if the primitive reaches a brick with surface, by number.
    seen: Vec<bool>,
    /// Work space: vertices of neighbours for the brick being joined.
    foreign: Vec<u32>,
    /// Triangles by part, with their own work space and count of dropped triangles. Used with
    /// several parts.
    triangles: Vec<Joined>,
    parallel: bool,
    /// None of these has changed since the last mesh, if there is one.
    grids: Vec<Grid>,
}

/// Parts per thread, so that no thread waits long for the last part.
const PARTS: usize = 4;

/// Minimum number of bricks of a part.
const MIN_BRICKS: usize = 16;

impl Skin {
    /// Replaces the grids added to all later meshes, and returns the old ones. A grid is a term
    /// like a primitive, and is numbered after them: a [`Graph`] can name it, and [`Skin::motions`]
    /// takes a velocity for it. This discards the last mesh.
    pub fn set_grids(&mut self, grids: Vec<Grid>) -> Vec<Grid> {
        // Bricks made with other grids must not be reused.
        self.now.clear();
        std::mem::replace(&mut self.grids, grids)
    }

    /// Selects one thread (the default), or all of the rayon pool of the call (`pool.install(||
    /// skin.polygonize(...))`). The mesh is the same, to the bit. With more than one thread, rayon
    /// may allocate to distribute work.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Writes the surface of `primitives`, all of which blend, to `out`, replacing its content.
    ///
    /// # Errors
    /// [`SkinError`]: the first defect found.
    pub fn polygonize(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.polygonize_by(settings, primitives, Blending::Free, out)
    }

    /// Writes the surfaces of `primitives` to `out`, replacing its content. Pairs that the graph
    /// allows blend; others press each other flat where they meet ([`blend`](crate::blend)).
    /// [`Report::control`] shows whether the graph suffices for cubes of this size.
    ///
    /// # Errors
    /// [`SkinError`]: the first defect found.
    pub fn polygonize_controlled(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        graph: &Graph,
        out: &mut Mesh,
    ) -> Result<Report, SkinError> {
        self.polygonize_by(settings, primitives, Blending::Inhibited(graph), out)
    }

    /// Writes the surfaces of `primitives` to `out`, replacing its content. The primitives interact
    /// as `blending` says.
    ///
    /// # Errors
    /// [`SkinError`]: the first defect found.
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

    /// Bodies in contact in the last mesh, if bulges were requested. A body is named by its first
    /// primitive; pairs are sorted, lower number first. A body in contact with itself is a pair of
    /// equal numbers.
    #[must_use]
    pub fn contacts(&self) -> &[(u32, u32)] {
        &self.now.contacts.pairs
    }

    /// Sets the date of the lists as if this many skins had been made: dates end at 65,535 and
    /// start again. For tests.
    pub fn set_date(&mut self, date: u16) {
        self.now.lists.set_date(date);
        self.before.lists.set_date(date);
    }

    /// Makes the mesh. On an error, `out` and `now` are left incomplete.
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
        self.sample_bricks(settings, primitives, count);
        let mut report = self.now.number(count, out)?;
        self.join(settings, count, &mut report, out);
        self.count_lost(settings, &mut report);
        Ok(report)
    }

    /// Number of parts for this many bricks.
    fn parts(&self, bricks: usize) -> usize {
        if self.parallel {
            let most = PARTS * rayon::current_num_threads();
            bricks.div_ceil(MIN_BRICKS).clamp(1, most)
        } else {
            1
        }
    }

    /// Samples the bricks and finds their vertices.
    fn sample_bricks(&mut self, settings: &Settings, primitives: &[Primitive], count: usize) {
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

    /// Finds the bodies in contact.
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

    /// Returns whether bricks of the last mesh may be reused, and if so marks the changed
    /// primitives.
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

    /// Writes the triangles of all bricks.
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

/// Calls `with` for each of `count` parts, with its number and its range of slots. Uses all threads
/// of the pool if there are several parts.
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
    /// Splits the frame into the shared context and the parts.
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

    /// Removes everything and keeps the memory.
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

    /// Concatenates the first `count` parts, and numbers their bricks and vertices.
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

/// Distance of a lone primitive's surface from its skeleton, m; 0 if it has no surface. For callers
/// that choose a domain: if this is less than a cube, the primitive may fall between the nodes and
/// be invisible ([`Report::lost`]). For an ellipsoid, the distance along an axis of length 1; for a
/// convolved segment, at its middle.
#[must_use]
pub fn visible_radius_m(primitive: &Primitive, level: f64) -> f64 {
    if let Skeleton::Convolved([a, b]) = primitive.skeleton {
        // The potential falls monotonically across the segment.
        let across = (b - a).cross(&Vec3::ith((b - a).iamin(), 1.0));
        let Some(across) = across.try_normalize(0.0) else {
            return 0.0;
        };
        let is_in = |d: f64| primitive.value(&(primitive.heart() + d * across)) > level;
        let (mut low, mut high) = (0.0, primitive.radius_m);
        // One bisection per bit of the mantissa.
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

/// Visible radius over radius, for distance surfaces.
fn reach_of(primitive: &Primitive, level: f64) -> f64 {
    // A negative or zero amplitude reaches no level.
    if primitive.amplitude > 0.0 {
        primitive.kernel.reach(level / primitive.amplitude)
    } else {
        0.0
    }
}
