//! The world of spheres: its contents, and how objects are added and held.

use super::bend::Bend;
use super::blend::{Blending, Blends};
use super::fluid::{Fluid, FluidMaterial, FluidPair};
use super::near_pairs::{NearPairs, NeighbourSearch};
use super::pairs::PairRow;
use super::planes::{PlaneRow, Walls};
use super::probe::{Probe, Probes};
use super::skin_contact::SkinContactRow;
use super::sphere::{Sphere, SphereError, Spheres, check_place, finite_vector, not_negative};
use super::torsion::Torsion;
use crate::Vec3;
use hapticd_xpbd::{Distance, SettingsError};

/// Largest number of substeps in a step.
pub const MAX_SUBSTEPS: u32 = 1000;

/// Settings that hold for the whole world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Gravity, m/s².
    pub gravity_m_s2: Vec3,
    /// Rate of exponential decay of all velocities, 1/s.
    pub damping_1_s: f64,
    /// Substeps of a step, 1 to [`MAX_SUBSTEPS`].
    pub substeps: u32,
    /// Sweeps over the contacts in a substep, 1 to 64. Heaps need four, spheres squeezed by a tool
    /// two.
    pub contact_sweeps: u32,
    /// Largest speed at which spheres are pushed out of each other and of obstacles, m/s; it does
    /// not remain as velocity.
    pub push_out_m_s: f64,
    /// Coulomb's coefficient between spheres.
    pub friction: f64,
    /// Largest number of pairs of each kind (contacts, fluid, blending) in a step; further pairs
    /// are left out and counted.
    pub most_pairs: u32,
}

impl Default for Settings {
    /// Earth's gravity along -z, no damping, four substeps of one sweep, push-out at 0.5 m/s,
    /// friction 0.3, 262,144 pairs.
    fn default() -> Self {
        Self {
            gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
            damping_1_s: 0.0,
            substeps: 4,
            contact_sweeps: 1,
            push_out_m_s: 0.5,
            friction: 0.3,
            most_pairs: 1 << 18,
        }
    }
}

/// Spheres, the constraints between them and the objects that they touch. The [crate
/// documentation](super) lists its guarantees.
#[derive(Clone, Debug)]
pub struct SphereWorld {
    pub(super) settings: Settings,
    pub(super) spheres: Spheres,
    pub(super) links: Vec<Distance>,
    pub(super) bends: Vec<Bend>,
    pub(super) torsions: Vec<Torsion>,
    pub(super) fluids: Vec<Fluid>,
    pub(super) strands: u32,
    /// Pairs that never touch each other, as keys; sorted when a step begins.
    pub(super) neighbours: Vec<u64>,
    pub(super) neighbours_sorted: bool,
    pub(super) walls: Walls,
    pub(super) probes: Probes,
    pub(super) found: NearPairs,
    pub(super) pairs: Vec<PairRow>,
    pub(super) near: Vec<FluidPair>,
    pub(super) planes: Vec<PlaneRow>,
    pub(super) touches: Vec<SkinContactRow>,
    pub(super) blends: Blends,
    /// Distance that each sphere may move in the step, m.
    pub(super) max_move: Vec<f64>,
    /// Impulses on the sphere and on the probe, by index of the caller's lists, N s.
    pub(super) obstacle_impulses: Vec<Vec3>,
    pub(super) contact_impulses: Vec<Vec3>,
}

/// Packs both indices into one number, independent of their order.
pub(super) fn key(a: u32, b: u32) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

impl SphereWorld {
    /// Creates an empty world.
    ///
    /// # Errors
    /// [`SettingsError`] names the value that is not finite or out of its range.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let s = &settings;
        for (name, value, fine) in [
            ("gravity_m_s2", s.gravity_m_s2.norm(), true),
            ("damping_1_s", s.damping_1_s, s.damping_1_s >= 0.0),
            (
                "substeps",
                f64::from(s.substeps),
                (1..=MAX_SUBSTEPS).contains(&s.substeps),
            ),
            (
                "contact_sweeps",
                f64::from(s.contact_sweeps),
                (1..=64).contains(&s.contact_sweeps),
            ),
            ("push_out_m_s", s.push_out_m_s, s.push_out_m_s > 0.0),
            ("friction", s.friction, s.friction >= 0.0),
        ] {
            if !(fine && value.is_finite()) {
                return Err(SettingsError { name, value });
            }
        }
        Ok(Self {
            settings,
            spheres: Spheres::default(),
            links: Vec::new(),
            bends: Vec::new(),
            torsions: Vec::new(),
            fluids: Vec::new(),
            strands: 0,
            neighbours: Vec::new(),
            neighbours_sorted: true,
            walls: Walls::NONE,
            probes: Probes::default(),
            found: NearPairs::default(),
            pairs: Vec::new(),
            near: Vec::new(),
            planes: Vec::new(),
            touches: Vec::new(),
            blends: Blends::default(),
            max_move: Vec::new(),
            obstacle_impulses: Vec::new(),
            contact_impulses: Vec::new(),
        })
    }

    /// Adds a sphere and returns its index: from 0, in order of addition. Allocates.
    ///
    /// # Errors
    /// [`SphereError`] for numbers that are not finite, a mass that is not positive, a negative
    /// radius, or more spheres than can be numbered.
    pub fn add_sphere(&mut self, sphere: &Sphere) -> Result<u32, SphereError> {
        sphere.check()?;
        self.check_capacity(1)?;
        Ok(self.push(sphere))
    }

    pub(super) fn check_capacity(&self, more: usize) -> Result<(), SphereError> {
        let count = self.spheres.x.len();
        // Half of what an `i32` holds, so that tables of twice the size can also be numbered.
        let most = i32::MAX as usize / 2;
        if more > most - count.min(most) {
            return Err(SphereError::Full(most));
        }
        Ok(())
    }

    pub(super) fn push(&mut self, sphere: &Sphere) -> u32 {
        self.blends.push(sphere.body);
        self.max_move.push(0.0);
        let index = self.spheres.push(sphere);
        self.found.reserve(self.spheres.x.len());
        index
    }

    /// Sets the neighbour search to use from the next step on. `None` selects the world's own
    /// hashed grid, which is the default. Results are the same, to the bit.
    pub fn set_neighbour_search(&mut self, search: Option<Box<dyn NeighbourSearch>>) {
        self.found.set_other(search);
    }

    /// Fixes a sphere, or releases it. A fixed sphere moves by its own velocity only; fixing a free
    /// one stops it. Allocates nothing.
    ///
    /// # Errors
    /// [`SphereError::Unknown`] if the sphere does not exist.
    pub fn set_fixed(&mut self, sphere: u32, fixed: bool) -> Result<(), SphereError> {
        let i = self.spheres.index(sphere)?;
        let s = &mut self.spheres;
        if fixed && s.inverse_mass[i] > 0.0 {
            s.v[i] = Vec3::zeros();
        }
        s.inverse_mass[i] = if fixed { 0.0 } else { 1.0 / s.mass[i] };
        Ok(())
    }

    /// Sets the position (m) and velocity (m/s) of a sphere. A fixed sphere keeps that velocity
    /// until the next call, so this drives it. Allocates nothing.
    ///
    /// # Errors
    /// [`SphereError`] if the sphere does not exist or a number is not finite.
    pub fn place(
        &mut self,
        sphere: u32,
        position: Vec3,
        velocity: Vec3,
    ) -> Result<(), SphereError> {
        let i = self.spheres.index(sphere)?;
        check_place(&position, &velocity)?;
        self.spheres.x[i] = position;
        self.spheres.v[i] = velocity;
        Ok(())
    }

    /// Adds a spring of length `rest_m` with a compliance (m/N, 0 is rigid) and a damping time
    /// (viscosity over stiffness, s). The two spheres do not collide with each other. Allocates.
    ///
    /// # Errors
    /// [`SphereError`] if a sphere does not exist, both ends are the same, or a number is negative
    /// or not finite.
    pub fn link(
        &mut self,
        ends: [u32; 2],
        rest_m: f64,
        compliance_m_n: f64,
        damping_s: f64,
    ) -> Result<(), SphereError> {
        for end in ends {
            self.spheres.index(end)?;
        }
        if ends[0] == ends[1] {
            return Err(SphereError::Same(ends[0]));
        }
        not_negative("rest_m", rest_m)?;
        not_negative("compliance_m_n", compliance_m_n)?;
        not_negative("damping_s", damping_s)?;
        self.bind(ends, rest_m, compliance_m_n, damping_s);
        Ok(())
    }

    pub(super) fn bind(&mut self, ends: [u32; 2], rest: f64, compliance: f64, damping: f64) {
        self.links.push(Distance {
            particles: ends,
            rest,
            compliance,
            damping,
        });
        self.exclude_pair(ends[0], ends[1]);
    }

    /// Excludes this pair from collision.
    pub(super) fn exclude_pair(&mut self, a: u32, b: u32) {
        self.neighbours.push(key(a, b));
        self.neighbours_sorted = false;
    }

    /// Adds a fluid of spheres of one radius and mass at `points` (m), at rest. Returns their
    /// indices. Allocates.
    ///
    /// # Errors
    /// [`SphereError`] if a point is not finite, radius or mass is not positive, or the material is
    /// out of its range; nothing is added then.
    pub fn fluid(
        &mut self,
        points: &[Vec3],
        body: u32,
        radius_m: f64,
        mass_kg: f64,
        material: &FluidMaterial,
    ) -> Result<core::ops::Range<u32>, SphereError> {
        material.check()?;
        for point in points {
            finite_vector("point", point)?;
        }
        Sphere::at(Vec3::zeros(), mass_kg, radius_m, body).check()?;
        let fluid = Fluid::new(material, radius_m);
        if !(radius_m > 0.0 && (fluid.cutoff * fluid.cutoff).is_normal()) {
            return Err(SphereError::Number {
                name: "radius_m",
                value: radius_m,
            });
        }
        self.check_capacity(points.len())?;
        let (first, number) = (self.spheres.x.len() as u32, self.fluids.len() as u32);
        self.fluids.push(fluid);
        for point in points {
            let i = self.push(&Sphere::at(*point, mass_kg, radius_m, body));
            self.spheres.fluid[i as usize] = number;
        }
        Ok(first..self.spheres.x.len() as u32)
    }

    /// Sets the box that contains all spheres from now on. Allocates nothing.
    ///
    /// # Errors
    /// [`SphereError`] if a number is not finite, the friction is negative, or a low side is above
    /// the high one.
    pub fn set_walls(&mut self, walls: &Walls) -> Result<(), SphereError> {
        walls.check()?;
        self.walls = *walls;
        Ok(())
    }

    /// Sets when spheres of `body` blend; `None`, the default, means never. Allocates.
    ///
    /// # Errors
    /// [`SphereError::Number`] if a number is not finite, or `part_at_m` is below `blend_at_m`.
    pub fn set_blending(&mut self, body: u32, rule: Option<Blending>) -> Result<(), SphereError> {
        if let Some(rule) = &rule {
            rule.check()?;
        }
        self.blends.set(body, rule, &self.spheres);
        Ok(())
    }

    /// Puts a probe in a slot, replacing any other, or empties the slot. Allocates nothing.
    ///
    /// # Errors
    /// [`SphereError`] if the slot does not exist, a number is not finite, or a mass, stiffness or
    /// damping is out of its range.
    pub fn set_probe(&mut self, slot: usize, probe: Option<&Probe>) -> Result<(), SphereError> {
        self.probes.set(slot, probe)
    }

    /// Pulls a probe: its frame moves at constant velocity from `from` to `to` (m) during the next
    /// step, and stays there. Allocates nothing.
    ///
    /// # Errors
    /// [`SphereError`] if the slot holds no probe, or a point is not finite.
    pub fn pull_probe(&mut self, slot: usize, from: Vec3, to: Vec3) -> Result<(), SphereError> {
        let unknown = SphereError::Unknown {
            sphere: slot.try_into().unwrap_or(u32::MAX),
            count: self.probes.slots.iter().flatten().count(),
        };
        finite_vector("from", &from)?;
        finite_vector("to", &to)?;
        let tool = (self.probes.slots.get_mut(slot).and_then(Option::as_mut)).ok_or(unknown)?;
        tool.probe.from = from;
        tool.probe.to = to;
        Ok(())
    }
}
