//! Makes a frame of a body's skin: as fine as its budget allows, checked, with velocities, and
//! measured against the surface that is rendered.

use std::sync::Arc;

use hapticd_geometry::Vec3;
use hapticd_proxy::{ImplicitSurface, Material, Sampled};
use hapticd_skin::blend::{self, Bulge, Graph};
use hapticd_skin::{
    Ambiguity, Check, Checker, DomainError, Mesh, Polygonizer, Report, Settings, Skin, SkinError,
    quality::{Budget, Choice, InvalidBudget, Quality},
};

use super::near_terms::NearTerms;
use super::{Blending, SkinState};

/// Number of points of a frame that are measured against the rendered surface; each frame measures
/// others.
const PROBES: usize = 64;
/// Number of frames after a torn one that skip the method that tore: a fold stays for a while, and
/// an attempt costs as much as a frame.
const CREASED: u32 = 30;
/// Attempts at a frame with too many triangles, each coarser: a rung halves them.
const ATTEMPTS: u32 = 6;

/// How a body's skin is made.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinSpec {
    /// Identity of the body.
    pub id: u32,
    /// Name for people.
    pub name: String,
    /// Sum of potentials on the surface.
    pub level: f64,
    /// Wanted edge of the cubes, m.
    pub cell_m: f64,
    /// Which primitives blend.
    pub blending: Blending,
    /// Sampled potential; if present, it is the whole body.
    pub sampled: Option<Arc<Sampled>>,
}

/// Why there is no frame. The next one may be possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SkinMakeError {
    /// No box of cubes contains the body: it is spread out too far.
    #[error("skin of `{name}`: {why}")]
    Domain {
        /// Name of the body.
        name: String,
        /// Reason.
        why: DomainError,
    },
    /// The mesh could not be made.
    #[error("skin of `{name}`: {why}")]
    Skin {
        /// Name of the body.
        name: String,
        /// Reason.
        why: Box<SkinError>,
    },
    /// Even with larger cubes the frame has too many triangles.
    #[error("skin of `{name}`: {triangles} triangles with cubes of {cell_m} m, {most} are allowed")]
    TooLarge {
        /// Name of the body.
        name: String,
        /// Number of triangles.
        triangles: usize,
        /// Largest allowed number of triangles.
        most: usize,
        /// Edge of the cubes, m.
        cell_m: f64,
    },
}

/// Description of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinMade {
    /// Statistics of the polygonizer.
    pub report: Report,
    /// Result of the mesh check.
    pub check: Check,
    /// Edge of the cubes, m.
    pub cell_m: f64,
    /// Number of rungs coarser than wanted.
    pub rung: u32,
    /// Largest distance, among the measured points, from the mesh to the surface that tools feel,
    /// m.
    pub felt_m: f64,
    /// Primitives that may not blend meet in a crease, although the body asks for more. Either
    /// blending is not an equivalence in cubes of this size, as in a strand that folds tightly, or
    /// too many primitives are in one place ([`Blending::Creased`]).
    pub creased: bool,
    /// Blending could not be controlled in this frame: too many primitives in one place, even for
    /// creases.
    pub uncontrolled: bool,
    /// Which polygonizer made it.
    pub by: SkinBy,
}

/// Which polygonizer made a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SkinBy {
    /// The CPU, as planned.
    #[default]
    Cpu,
    /// The polygonizer for large frames.
    Large,
    /// The CPU, since the polygonizer for large frames failed: [`SkinMaker::why_not`].
    Instead,
}

/// Polygonizer for large frames of freely blending bodies; the CPU makes all other frames.
#[derive(Debug)]
pub struct LargeSkin<'a> {
    /// The polygonizer.
    pub by: &'a mut dyn Polygonizer,
    /// Expected number of triangles from which a frame is large.
    pub triangles: f64,
}

/// Makes the skin of one body, frame by frame. Deterministic for the same calls.
#[derive(Debug)]
pub struct SkinMaker {
    spec: SkinSpec,
    most_triangles: usize,
    quality: Quality,
    skin: Skin,
    checker: Checker,
    mesh: Mesh,
    velocities: Vec<[f32; 3]>,
    frames: u64,
    /// Number of frames still to be made without classes.
    creased: u32,
    near: NearTerms,
    felt: ImplicitSurface,
    bulge: Bulge,
    /// For groups: which primitives blend, and scratch memory.
    graph: Graph,
    order: Vec<u32>,
    why_not: String,
    /// The frame of a sampled body, once it is made: it never changes.
    still: Option<SkinMade>,
}

/// Blending method of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SkinMethod {
    Classes,
    Union,
    Free,
}

/// How the mesh of a frame came about.
struct SkinFrame {
    method: SkinMethod,
    report: Report,
    check: Check,
    by: SkinBy,
}

/// Blending methods that a frame tries in turn. Without `with_classes`, the one that tore lately is
/// skipped.
fn methods<'g>(
    blending: Blending,
    graph: &'g Graph,
    bulge: Bulge,
    with_classes: bool,
) -> [Option<(SkinMethod, blend::Blending<'g>)>; 3] {
    let classes = match blending {
        Blending::Controlled => Some(blend::Blending::Inhibited(graph)),
        Blending::Bulging => Some(blend::Blending::Bulging(graph, bulge)),
        Blending::Free | Blending::Creased => None,
    };
    let classes = classes.filter(|_| with_classes);
    [
        classes.map(|by| (SkinMethod::Classes, by)),
        (blending != Blending::Free).then_some((SkinMethod::Union, blend::Blending::Union(graph))),
        Some((SkinMethod::Free, blend::Blending::Free)),
    ]
}

/// Bulges, as fractions of the level: value of the other's potential at which they begin, value at
/// which they are highest, and height.
const BULGE: [f64; 3] = [0.2, 0.7, 0.25];

impl SkinMaker {
    /// Creates a maker of frames with at most `most_triangles` triangles that take about `seconds`,
    /// s.
    ///
    /// # Errors
    /// [`InvalidBudget`] if one of the numbers is invalid.
    pub fn new(
        spec: SkinSpec,
        most_triangles: usize,
        seconds: f64,
    ) -> Result<SkinMaker, InvalidBudget> {
        let budget = Budget {
            cell_m: spec.cell_m,
            // Leaves a margin for the error of the prediction.
            triangles: 0.9 * most_triangles as f64,
            seconds,
        };
        let quality = Quality::new(budget)?;
        let [from, top, height] = BULGE.map(|part| part * spec.level);
        // It rises and falls whatever the level.
        let bulge = Bulge::new(from, top, height, spec.level).map_err(|_| InvalidBudget(budget))?;
        let felt = ImplicitSurface {
            id: spec.id,
            material: Material {
                stiffness_n_per_m: 0.0,
                damping_n_s_per_m: 0.0,
                friction: 0.0,
                force_shading: false,
            },
            level: spec.level,
            terms: Vec::new(),
            cliques: Vec::new(),
            sampled: spec.sampled.clone(),
        };
        Ok(SkinMaker {
            spec,
            most_triangles,
            quality,
            skin: Skin::default(),
            checker: Checker::default(),
            mesh: Mesh::default(),
            velocities: Vec::new(),
            frames: 0,
            creased: 0,
            near: NearTerms::default(),
            felt,
            bulge,
            graph: Graph::new(),
            order: Vec::new(),
            why_not: String::new(),
            still: None,
        })
    }

    /// Specification of the skin.
    #[must_use]
    pub fn spec(&self) -> &SkinSpec {
        &self.spec
    }

    /// The mesh of the last frame.
    #[must_use]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Velocities of the mesh's points, m/s.
    #[must_use]
    pub fn velocities(&self) -> &[[f32; 3]] {
        &self.velocities
    }

    /// Reason for the last failure of the polygonizer for large frames.
    #[must_use]
    pub fn why_not(&self) -> &str {
        &self.why_not
    }

    /// Makes a frame of the present body. Quality is reduced before a frame is dropped: a mesh with
    /// too many triangles is rebuilt with larger cubes.
    ///
    /// # Errors
    /// [`SkinMakeError`]: there is no frame, and the mesh is meaningless.
    pub fn make(&mut self, state: &SkinState) -> Result<SkinMade, SkinMakeError> {
        self.make_by(state, None)
    }

    /// Like [`SkinMaker::make`], with another polygonizer for large frames. If it fails, the CPU
    /// makes the frame in the same call. Its mesh is checked like any other.
    ///
    /// # Errors
    /// As [`SkinMaker::make`].
    pub fn make_by(
        &mut self,
        state: &SkinState,
        large: Option<LargeSkin<'_>>,
    ) -> Result<SkinMade, SkinMakeError> {
        if let Some(sampled) = self.spec.sampled.clone() {
            return self.make_still(&sampled);
        }
        let (choice, frame) = self.build_within_limit(state, large)?;
        self.set_velocities(state);
        self.frames += 1;
        let has_classes = matches!(self.spec.blending, Blending::Controlled | Blending::Bulging);
        self.creased = match frame.method {
            SkinMethod::Classes => 0,
            _ if !has_classes => 0,
            _ if self.creased == 0 => CREASED,
            _ => self.creased - 1,
        };
        Ok(SkinMade {
            check: frame.check,
            cell_m: choice.domain.cell_m(),
            rung: choice.rung,
            felt_m: self.felt_m(state),
            report: frame.report,
            creased: frame.method == SkinMethod::Union && has_classes,
            uncontrolled: frame.method == SkinMethod::Free && self.spec.blending != Blending::Free,
            by: frame.by,
        })
    }

    /// Builds the mesh as fine as its limit of triangles allows: each attempt that exceeds it makes
    /// the next one coarser.
    fn build_within_limit(
        &mut self,
        state: &SkinState,
        mut large: Option<LargeSkin<'_>>,
    ) -> Result<(Choice, SkinFrame), SkinMakeError> {
        let mut attempt = 0;
        loop {
            let choice = (self.quality)
                .choose(self.spec.level, &state.primitives)
                .map_err(|why| SkinMakeError::Domain {
                    name: self.spec.name.clone(),
                    why,
                })?;
            let frame = self.build(&choice, state, large.as_mut())?;
            let triangles = self.mesh.triangles.len();
            if triangles <= self.most_triangles {
                return Ok((choice, frame));
            }
            attempt += 1;
            // The coarsest frame is the same however often it is made.
            if attempt == ATTEMPTS || choice.is_coarsest() {
                return Err(SkinMakeError::TooLarge {
                    name: self.spec.name.clone(),
                    triangles,
                    most: self.most_triangles,
                    cell_m: choice.domain.cell_m(),
                });
            }
            // The time is unknown here; NaN means none.
            self.quality.made(triangles, f64::NAN);
        }
    }

    /// Builds the mesh of one attempt: by the polygonizer for large frames where it is asked and
    /// succeeds, otherwise on the CPU.
    fn build(
        &mut self,
        choice: &Choice,
        state: &SkinState,
        large: Option<&mut LargeSkin<'_>>,
    ) -> Result<SkinFrame, SkinMakeError> {
        let settings = Settings {
            domain: choice.domain,
            level: self.spec.level,
            ambiguity: Ambiguity::default(),
        };
        let is_free = self.spec.blending == Blending::Free;
        let large = large.filter(|large| is_free && choice.triangles >= large.triangles);
        let by_large = large.map(|large| {
            let skin = (&mut self.skin, &mut self.checker);
            elsewhere(large.by, skin, &settings, state, &mut self.mesh)
        });
        if !state.groups.is_empty() {
            let cell_m = choice.domain.cell_m();
            set_group_pairs(&mut self.order, &mut self.graph, state, cell_m);
        }
        let by = match by_large {
            Some(Ok((report, check))) => {
                return Ok(SkinFrame {
                    method: SkinMethod::Free,
                    report,
                    check,
                    by: SkinBy::Large,
                });
            }
            Some(Err(why)) => {
                self.why_not = why;
                SkinBy::Instead
            }
            None => SkinBy::Cpu,
        };
        self.build_on_cpu(&settings, state, by)
    }

    /// Builds the mesh by the first blending method that does not tear. Better creased than torn,
    /// and better blended than no frame: larger cubes need more blending pairs than the mechanics
    /// report, a strand that folds has no classes at all, and one place has a limited capacity for
    /// primitives that do not blend.
    fn build_on_cpu(
        &mut self,
        settings: &Settings,
        state: &SkinState,
        by: SkinBy,
    ) -> Result<SkinFrame, SkinMakeError> {
        let graph = match state.groups.is_empty() {
            true => &state.graph,
            false => &self.graph,
        };
        let mut method = SkinMethod::Free;
        let (mut made, mut check) = (Ok(Report::default()), Check::default());
        let methods = methods(self.spec.blending, graph, self.bulge, self.creased == 0);
        for (next, blending) in methods.into_iter().flatten() {
            method = next;
            made = (self.skin).polygonize_by(settings, &state.primitives, blending, &mut self.mesh);
            check = self.checker.check(&self.mesh);
            let torn = match &made {
                Ok(_) => method == SkinMethod::Classes && !check.is_sound(),
                Err(why) => matches!(why, SkinError::Crowded(_) | SkinError::Tangled(_)),
            };
            if !torn {
                break;
            }
        }
        let report = made.map_err(|why| SkinMakeError::Skin {
            name: self.spec.name.clone(),
            why: Box::new(why),
        })?;
        Ok(SkinFrame {
            method,
            report,
            check,
            by,
        })
    }

    /// Gives every point of the mesh the velocity of the primitives around it.
    fn set_velocities(&mut self, state: &SkinState) {
        // The number of velocities equals that of the primitives just given.
        let moved = self
            .skin
            .motions(&self.mesh, &state.velocities, &mut self.velocities);
        if moved.is_err() {
            self.velocities.clear();
            self.velocities.resize(self.mesh.points.len(), [0.0; 3]);
        }
    }

    /// Reports the time of the last frame, s; it limits the quality of the next.
    pub fn took(&mut self, seconds: f64) {
        self.quality.made(self.mesh.triangles.len(), seconds);
    }

    /// Returns the largest distance from some of the mesh's points to the surface that a tool would
    /// feel, to first order, m.
    fn felt_m(&mut self, state: &SkinState) -> f64 {
        let count = self.mesh.points.len();
        let stride = count.div_ceil(PROBES).max(1);
        let first = (self.frames % stride as u64) as usize;
        let mut worst = 0.0_f64;
        for point in self.mesh.points.iter().skip(first).step_by(stride) {
            let at = Vec3::from(point.map(f64::from));
            let (work, felt) = (&mut self.near, &mut self.felt);
            work.fill(state, self.spec.blending, &at, 0.0, felt);
            // Where bodies press on each other the skin is between them, and no tool can touch it.
            if felt.layers(&at) < 2
                && let Some(foot) = felt.foot(&at, 0.0)
            {
                worst = worst.max(foot.distance_m.abs());
            }
        }
        worst
    }
}

/// Makes and checks a frame by another polygonizer, as if the skin had made it; or returns why
/// there is none.
fn elsewhere(
    by: &mut dyn Polygonizer,
    (skin, checker): (&mut Skin, &mut Checker),
    settings: &Settings,
    state: &SkinState,
    mesh: &mut Mesh,
) -> Result<(Report, Check), String> {
    let report = by.polygonize(settings, &state.primitives, mesh)?;
    let check = checker.check(mesh);
    if !check.is_sound() {
        return Err(format!("the mesh is not sound: {check:?}"));
    }
    let lost = skin.adopt(settings, &state.primitives, mesh);
    let lost = lost.map_err(|why| why.to_string())?;
    Ok((Report { lost, ..report }, check))
}

/// Sets all pairs of a group that may reach one cube. With these pairs, and only these, *blends
/// with* is an equivalence in every cube.
fn set_group_pairs(order: &mut Vec<u32>, graph: &mut Graph, state: &SkinState, cell_m: f64) {
    let at = |i: u32| state.primitives[i as usize].heart();
    let radius = |i: u32| state.primitives[i as usize].radius_m;
    let count = state.primitives.len().min(state.groups.len());
    order.clear();
    order.extend(0..count as u32);
    order.sort_unstable_by(|a, b| at(*a).x.total_cmp(&at(*b).x).then(a.cmp(b)));
    let widest = (0..count as u32).map(radius).fold(0.0, f64::max);
    let diagonal = 3.0_f64.sqrt() * cell_m;
    let pairs = order.iter().enumerate().flat_map(|(place, a)| {
        let (here, reach) = (at(*a), radius(*a) + diagonal);
        let neighbours = order[place + 1..].iter();
        let neighbours = neighbours.take_while(move |b| at(**b).x - here.x <= reach + widest);
        let near = move |b: &&u32| {
            let near = (at(**b) - here).norm() <= reach + radius(**b);
            near && state.groups[*a as usize] == state.groups[**b as usize]
        };
        neighbours.filter(near).map(|b| (*a.min(b), *a.max(b)))
    });
    graph.set(pairs);
}

mod still;
#[cfg(test)]
mod tests;
