//! Specification of an implicit body, and why one is refused.

use hapticd_particles::{
    FluidMaterial, LatticeError, LatticeMaterial, Rest, SphereError, StrandError, StrandMaterial,
};
use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3, Volume};
use hapticd_proxy::{Material, Sampled};
use hapticd_skin::{Grid, GridError, Inside};

use crate::skins::Blending;

/// Factor by which cubes may exceed the wanted size and still give a skin with controlled blending.
const COARSE: f64 = 2.0;
/// Ratio of length along a bent strand to distance across it; half a circle is 1.57.
const BENT: f64 = 2.2;
const HALF_CIRCLE: f64 = std::f64::consts::FRAC_PI_2;

/// Sum of potentials on the surface.
pub(super) const LEVEL: f64 = 0.5;

/// Mechanical model of an implicit body. Positions are in the world, m.
#[derive(Clone, Debug, PartialEq)]
pub enum ImplicitModel {
    /// A solid of springs.
    Springs {
        /// Spacing of the grid, m.
        spacing_m: f64,
        /// Stiffness of a spring along an axis of the grid, N/m.
        stiffness_n_m: f64,
        /// Viscosity over stiffness, s.
        damping_s: f64,
    },
    /// A wire, a thread or an intestine, along the points.
    Strand {
        /// The force that would double its length, N.
        stretch_n: f64,
        /// Flexural rigidity, N m²; 0 is a thread.
        bend_n_m2: f64,
        /// Viscosity over stiffness, s.
        damping_s: f64,
    },
    /// Drops that cohere.
    Fluid(FluidMaterial),
    /// A body that never moves.
    Fixed,
    /// A body that never moves, with the shape of these samples. [`ImplicitSpec::of_samples`] makes
    /// a matching specification.
    Sampled(Arc<Sampled>),
}

/// An implicit body to add.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplicitSpec {
    /// Name for people.
    pub name: String,
    /// Identity visible to clients, unique among all bodies.
    pub id: u32,
    /// Initial positions of its spheres, m.
    pub points: Vec<Vec3>,
    /// Mechanical model.
    pub model: ImplicitModel,
    /// Radius of the collision spheres, m. The surface of an isolated primitive coincides with its
    /// sphere.
    pub radius_m: f64,
    /// Total mass, kg.
    pub mass_kg: f64,
    /// Spheres that never move, as indices into `points`.
    pub pinned: Vec<usize>,
    /// Which of its spheres blend.
    pub blending: Blending,
    /// Edge of the cubes that its skin is made of, m.
    pub cell_m: f64,
    /// Haptic material.
    pub surface: Material,
}

/// Why an implicit body was refused. The caller is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{name}`: {why}")]
pub struct ImplicitAddError {
    /// Name of the body.
    pub name: String,
    /// Reason.
    pub why: String,
}

/// A volume of samples in the world.
#[derive(Clone, Debug)]
pub struct PlacedVolume<'a> {
    /// The samples.
    pub volume: Volume,
    /// Takes the volume's frame, in metres, to the world.
    pub world_from_volume: &'a Pose,
    /// Length of one unit of the volume's frame, m.
    pub unit_m: f64,
    /// Which samples are inside.
    pub inside: Inside,
}

impl ImplicitSpec {
    /// Sum of potentials on the surface of every implicit body.
    pub const LEVEL: f64 = LEVEL;

    /// Creates a body from the samples of a volume that count as inside, closed at its border
    /// ([`Grid::of_volume`]). Without a `cell_m`, the finest spacing of the volume is used.
    ///
    /// # Errors
    /// [`GridError`] if the place, the size or the level is invalid.
    pub fn of_volume(
        named: (String, u32),
        placed: PlacedVolume<'_>,
        cell_m: Option<f64>,
        surface: Material,
    ) -> Result<ImplicitSpec, GridError> {
        let place = (placed.world_from_volume, placed.unit_m);
        let grid = Grid::of_volume(placed.volume, place, placed.inside, LEVEL)?;
        let spacing_m = grid.spacing_m().into_iter().fold(f64::INFINITY, f64::min);
        let [lowest, highest] =
            [f32::min, f32::max].map(|f| grid.values().iter().copied().fold(0.0, f));
        // The samples are so close to the level that in single precision they are on it.
        let level = LEVEL;
        let none = GridError::NoSurface {
            lowest,
            highest,
            level,
        };
        let sampled = Sampled::new(grid, LEVEL).ok_or(none)?;
        let cell_m = cell_m.unwrap_or(spacing_m);
        Ok(ImplicitSpec::of_samples(
            named,
            Arc::new(sampled),
            cell_m,
            surface,
        ))
    }

    /// Creates a sampled body, whose level must be [`ImplicitSpec::LEVEL`]. It has one small
    /// sphere, at the deepest point.
    #[must_use]
    pub fn of_samples(
        (name, id): (String, u32),
        sampled: Arc<Sampled>,
        cell_m: f64,
        surface: Material,
    ) -> ImplicitSpec {
        let (at, depth_m) = sampled.deepest();
        ImplicitSpec {
            name,
            id,
            points: vec![at],
            model: ImplicitModel::Sampled(sampled),
            // Below every spacing, however shallow the body is.
            radius_m: 0.1 * depth_m.abs().max(1e-6),
            // It never moves, so any mass will do.
            mass_kg: 1.0,
            pinned: Vec::new(),
            blending: Blending::Free,
            cell_m,
            surface,
        }
    }

    /// Radius of the potential around a sphere, m, such that the surface of an isolated primitive
    /// coincides with its sphere.
    #[must_use]
    pub fn influence_m(&self) -> f64 {
        // Murakami's kernel: (1 - u²)² is the level where u² is 1 - sqrt(level).
        self.radius_m / (1.0 - LEVEL.sqrt()).sqrt()
    }

    /// Length along a strand within which pairs blend so that the skin closes. Two primitives reach
    /// one cube if they are within `2 R + sqrt(3) h` (Triquet 2001), and
    /// along a bent strand the distance is longer than across. A bend tighter than this allows for
    /// has cubes in which blending is not an equivalence, and its frames are creased.
    ///
    /// A creased skin closes whatever blends. There, primitives blend that reach one point, which
    /// are no further apart than `2 R` across: less of the strand melts in a fold.
    #[must_use]
    pub fn window_m(&self) -> f64 {
        if self.blending == Blending::Creased {
            return HALF_CIRCLE * 2.0 * self.influence_m();
        }
        BENT * (2.0 * self.influence_m() + 3.0_f64.sqrt() * COARSE * self.cell_m)
    }

    pub(super) fn strand(
        &self,
        (stretch_n, bend_n_m2, damping_s): (f64, f64, f64),
    ) -> StrandMaterial {
        StrandMaterial {
            radius_m: self.radius_m,
            mass_kg: self.mass_kg,
            stretch_n,
            bend_n_m2,
            damping_s,
            rest: Rest::AsGiven,
            window_m: self.window_m(),
        }
    }

    pub(super) fn lattice(&self, (stiffness_n_m, damping_s): (f64, f64)) -> LatticeMaterial {
        LatticeMaterial {
            radius_m: self.radius_m,
            mass_kg: self.mass_kg,
            stiffness_n_m,
            damping_s,
            neighbours: hapticd_particles::Neighbours::TwentySix,
        }
    }

    pub(super) fn refused(&self, why: impl ToString) -> ImplicitAddError {
        ImplicitAddError {
            name: self.name.clone(),
            why: why.to_string(),
        }
    }

    /// Checks the values that no model checks.
    pub(super) fn check(&self) -> Result<(), ImplicitAddError> {
        let above = |name: &'static str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(self.refused(SphereError::Number { name, value }))
            }
        };
        if let ImplicitModel::Sampled(sampled) = &self.model
            && sampled.level() != LEVEL
        {
            let level = sampled.level();
            return Err(self.refused(format!("its level is {level}: it has to be {LEVEL}")));
        }
        above("radius_m", self.radius_m)?;
        above("cell_m", self.cell_m)?;
        above("mass_kg", self.mass_kg)?;
        if self.points.is_empty() {
            return Err(self.refused(LatticeError::Empty));
        }
        let count = self.points.len();
        match self.pinned.iter().find(|at| **at >= count) {
            Some(at) => Err(self.refused(format!("pinned sphere {at}: there are {count}"))),
            None => Ok(()),
        }
    }

    pub(super) fn strand_refused(&self, why: StrandError) -> ImplicitAddError {
        self.refused(why)
    }
}
