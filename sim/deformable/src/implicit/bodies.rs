//! All implicit bodies of a scene, stepped together.

use std::ops::Range;
use std::sync::Arc;

use hapticd_geometry::Vec3;
use hapticd_particles::{self as particles, BlendEvent, Settings, Sphere, SphereWorld};
use hapticd_proxy::{
    BodyKey, DeformableSnapshot, ImplicitSurface, MAX_ARMS, Material, Query, Sampled,
};
use hapticd_skin::Primitive;

use super::obstacles::Rigids;
use super::sampled;
use super::spec::{ImplicitAddError, ImplicitModel, ImplicitSpec, LEVEL};
use super::tools::{Tool, Work};
use crate::settings::DeformableSettings;
use crate::skins::{Blending, SkinSpec, SkinState, SkinStates};
use hapticd_scene::BodySpec;
use hapticd_scene::Scene;

/// Rate at which air drag takes velocity, 1/s.
const AIR_1_S: f64 = 0.5;
/// Gap, as a fraction of the radius, at which spheres that touched part.
const PART: f64 = 0.3;

/// One implicit body.
#[derive(Clone, Debug)]
pub(super) struct ImplicitBody {
    pub id: u32,
    name: String,
    pub blending: Blending,
    cell_m: f64,
    pub surface: Material,
    pub(super) spheres: Range<u32>,
    /// A sampled potential. The body then has one sphere, which nothing reaches; the mechanics hold
    /// tools by it.
    pub sampled: Option<Arc<Sampled>>,
    /// Whether it is a fluid, whose drops fall and flow.
    pub liquid: bool,
    /// State after the last step, for tools and skin.
    pub state: SkinState,
}

impl ImplicitBody {
    /// Creates the surface of this body, without terms.
    pub fn surface(&self) -> ImplicitSurface {
        ImplicitSurface {
            id: self.id,
            material: self.surface,
            level: LEVEL,
            terms: Vec::new(),
            cliques: Vec::new(),
            sampled: self.sampled.clone(),
        }
    }

    /// Sets the properties of a surface to those of this body.
    pub fn set_properties(&self, surface: &mut ImplicitSurface) {
        surface.id = self.id;
        surface.material = self.surface;
        surface.level = LEVEL;
        surface.sampled.clone_from(&self.sampled);
    }

    /// The world's index of one of its spheres.
    pub fn sphere(&self, primitive: u32) -> u32 {
        self.spheres.start + primitive
    }

    /// Finds the connected groups of blending pairs; the group of a sphere is its lowest member.
    fn group(&mut self) {
        let groups = &mut self.state.groups;
        for (number, group) in (0..).zip(groups.iter_mut()) {
            *group = number;
        }
        fn first(groups: &mut [u32], mut of: u32) -> u32 {
            while groups[of as usize] != of {
                // Halve the path for the next query.
                groups[of as usize] = groups[groups[of as usize] as usize];
                of = groups[of as usize];
            }
            of
        }
        for (a, b) in self.state.graph.pairs() {
            let (a, b) = (first(groups, *a), first(groups, *b));
            groups[a.max(b) as usize] = a.min(b);
        }
        for number in 0..groups.len() as u32 {
            groups[number as usize] = first(groups, number);
        }
    }

    /// Moves the potential with the spheres, after a step.
    fn follow(&mut self, world: &SphereWorld) {
        let range = self.spheres.start as usize..self.spheres.end as usize;
        let places = world.positions()[range.clone()].iter();
        if self.sampled.is_some() {
            return;
        }
        for (primitive, at) in self.state.primitives.iter_mut().zip(places) {
            primitive.skeleton = hapticd_skin::Skeleton::Point(*at);
        }
        self.state.velocities.clear();
        (self.state.velocities).extend_from_slice(&world.velocities()[range]);
    }
}

/// All implicit bodies. See the module documentation. The same queries and commands give the same
/// bodies, bit for bit.
#[derive(Debug)]
pub(crate) struct ImplicitBodies {
    pub(super) world: SphereWorld,
    pub(super) bodies: Vec<ImplicitBody>,
    pub(super) rigids: Rigids,
    tools: [Option<Tool>; MAX_ARMS],
    work: Work,
    /// Pairs of spheres left out so far because a step had no capacity for them.
    left_out: u64,
}

impl ImplicitBodies {
    /// Adds the bodies `specs` among the rigid bodies and tools of `rigid`.
    ///
    /// # Errors
    /// [`ImplicitAddError`]: the first fault.
    pub fn new(
        settings: &DeformableSettings,
        specs: &[ImplicitSpec],
        rigid: &Scene,
    ) -> Result<ImplicitBodies, ImplicitAddError> {
        let world = SphereWorld::new(Settings {
            gravity_m_s2: settings.gravity_m_s2,
            damping_1_s: AIR_1_S,
            substeps: settings.substeps,
            ..Settings::default()
        });
        let mut world = world.map_err(|why| ImplicitAddError {
            name: "[deformable]".into(),
            why: why.to_string(),
        })?;
        let mut bodies = Vec::with_capacity(specs.len());
        for (number, spec) in (0..).zip(specs) {
            bodies.push(add(&mut world, number, spec)?);
        }
        let mut rigids = Rigids::default();
        for (key, spec) in rigid.residents() {
            rigids.add(key, spec);
        }
        let step_s = settings.step_ticks as f64 * settings.period_s;
        let mut tools = [const { None }; MAX_ARMS];
        for (slot, (place, tool)) in tools.iter_mut().zip(rigid.tools()).enumerate() {
            *place = tool.map(|(shape, seen)| {
                let ball = seen.radius_m > 0.0;
                let mesh = (!ball).then(|| shape.index.clone());
                Tool::new(slot, seen, mesh, step_s)
            });
        }
        Ok(ImplicitBodies {
            world,
            bodies,
            rigids,
            tools,
            work: Work::default(),
            left_out: 0,
        })
    }

    /// Adds a body of the rigid scene.
    pub fn add_body(&mut self, key: BodyKey, spec: &BodySpec) {
        self.rigids.remove(key);
        self.rigids.add(key, spec);
    }

    /// Removes a body of the rigid scene.
    pub fn remove_body(&mut self, key: BodyKey) {
        self.rigids.remove(key);
    }

    /// Makes a step. Returns the number of inputs refused, and of spheres, probes and constraints
    /// held or skipped, because of invalid numbers.
    pub fn step(&mut self, query: &Query, dt_s: f64) -> u64 {
        if self.bodies.is_empty() {
            return 0;
        }
        let mut refused = 0;
        self.rigids.follow(query);
        self.rigids.find(&self.world, dt_s);
        sampled::obstacles(&self.world, &self.bodies, dt_s, &mut self.rigids.list);
        self.work.contacts.clear();
        for (tool, asked) in self.tools.iter_mut().zip(&query.arms) {
            let Some(tool) = tool else { continue };
            refused += u64::from(tool.follow(&mut self.world, asked).is_err());
            tool.meet(&self.world, &self.bodies, &mut self.work);
        }
        match self
            .world
            .step(dt_s, &self.rigids.list, &self.work.contacts)
        {
            Ok(report) => {
                let lists = report.obstacles_refused + report.contacts_refused;
                let none = report.spheres_held + report.probes_held + report.constraints_skipped;
                refused += u64::from(lists) + u64::from(none);
                self.left_out += u64::from(report.pairs_left_out);
            }
            Err(_) => refused += 1,
        }
        self.follow();
        refused
    }

    /// Updates blending pairs and potentials after a step of the spheres.
    pub(super) fn follow(&mut self) {
        let news = !self.world.events().is_empty();
        for event in self.world.events() {
            let (BlendEvent::Added(a, b) | BlendEvent::Removed(a, b)) = *event;
            let owner =
                |body: &&mut ImplicitBody| body.spheres.contains(&a) && body.spheres.contains(&b);
            let Some(body) = self.bodies.iter_mut().find(owner) else {
                continue;
            };
            let first = body.spheres.start;
            match event {
                BlendEvent::Added(..) => body.state.graph.allow(a - first, b - first),
                BlendEvent::Removed(..) => body.state.graph.forbid(a - first, b - first),
            };
        }
        for body in &mut self.bodies {
            if news && !body.state.groups.is_empty() {
                body.group();
            }
            body.follow(&self.world);
        }
    }

    /// Sets the neighbour search for the spheres from the next step on.
    pub fn set_neighbour_search(&mut self, search: Option<Box<dyn particles::NeighbourSearch>>) {
        self.world.set_neighbour_search(search);
    }

    /// Pairs of spheres left out so far because a step had no capacity for them: those that were
    /// furthest apart.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Writes the data for an arm's tool, after a step.
    pub fn answer(&mut self, query: &Query, arm: usize, out: &mut DeformableSnapshot) {
        if let (Some(Some(tool)), Some(asked)) = (self.tools.get_mut(arm), query.arms.get(arm)) {
            tool.answer(asked, &self.bodies, &mut self.work, out);
        }
    }

    /// Specification of each skin.
    pub fn skin_specs(&self) -> impl Iterator<Item = SkinSpec> + '_ {
        self.bodies.iter().map(|body| SkinSpec {
            id: body.id,
            name: body.name.clone(),
            level: LEVEL,
            cell_m: body.cell_m,
            blending: body.blending,
            sampled: body.sampled.clone(),
        })
    }

    /// Copies the bodies after the last step, which was for query `tick`. Allocates while the lists
    /// grow.
    pub fn states(&self, tick: u64, out: &mut SkinStates) {
        out.tick = tick;
        out.bodies
            .resize_with(self.bodies.len(), SkinState::default);
        for (to, body) in out.bodies.iter_mut().zip(&self.bodies) {
            to.primitives.clone_from(&body.state.primitives);
            to.velocities.clone_from(&body.state.velocities);
            to.graph.clone_from(&body.state.graph);
            to.groups.clone_from(&body.state.groups);
        }
    }

    /// Sets the haptic material of a body from the next answer on. Returns false if the body does
    /// not exist.
    pub fn set_surface(&mut self, id: u32, surface: &Material) -> bool {
        let body = self.bodies.iter_mut().find(|body| body.id == id);
        body.map(|body| body.surface = *surface).is_some()
    }
}

/// Adds one body.
fn add(
    world: &mut SphereWorld,
    number: u32,
    spec: &ImplicitSpec,
) -> Result<ImplicitBody, ImplicitAddError> {
    spec.check()?;
    let points = &spec.points;
    let mut state = SkinState::default();
    let spheres = match &spec.model {
        ImplicitModel::Springs {
            spacing_m,
            stiffness_n_m,
            damping_s,
        } => {
            let material = spec.lattice((*stiffness_n_m, *damping_s));
            let added = world.lattice(points, number, *spacing_m, &material);
            added.map_err(|why| spec.refused(why))?
        }
        ImplicitModel::Strand {
            stretch_n,
            bend_n_m2,
            damping_s,
        } => {
            let material = spec.strand((*stretch_n, *bend_n_m2, *damping_s));
            let strand = world.strand(points, number, &material);
            let strand = strand.map_err(|why| spec.strand_refused(why))?;
            let first = strand.spheres.start;
            for (a, b) in strand.blended {
                state.graph.allow(a - first, b - first);
            }
            strand.spheres
        }
        ImplicitModel::Fluid(material) => {
            let mass_kg = spec.mass_kg / points.len() as f64;
            let added = world.fluid(points, number, spec.radius_m, mass_kg, material);
            added.map_err(|why| spec.refused(why))?
        }
        ImplicitModel::Fixed | ImplicitModel::Sampled(_) => {
            let mass_kg = spec.mass_kg / points.len() as f64;
            let first = world.positions().len() as u32;
            for point in points {
                let mut sphere = Sphere::at(*point, mass_kg, spec.radius_m, number);
                sphere.fixed = true;
                world.add_sphere(&sphere).map_err(|why| spec.refused(why))?;
            }
            first..first + points.len() as u32
        }
    };
    for at in &spec.pinned {
        let held = world.set_fixed(spheres.start + *at as u32, true);
        held.map_err(|why| spec.refused(why))?;
    }
    // A solid of springs is one piece: all of it blends. Loose spheres blend when they touch.
    let loose = matches!(spec.model, ImplicitModel::Fluid(_));
    let blending = match spec.model {
        ImplicitModel::Strand { .. } | ImplicitModel::Fluid(_) => spec.blending,
        ImplicitModel::Springs { .. } | ImplicitModel::Fixed | ImplicitModel::Sampled(_) => {
            Blending::Free
        }
    };
    if loose && blending != Blending::Free {
        state.groups = (0..points.len() as u32).collect();
        let rule = particles::Blending {
            blend_at_m: 0.0,
            part_at_m: PART * spec.radius_m,
            others: false,
        };
        let ruled = world.set_blending(number, Some(rule));
        ruled.map_err(|why| spec.refused(why))?;
    }
    let sampled = match &spec.model {
        ImplicitModel::Sampled(sampled) => Some(sampled.clone()),
        _ => None,
    };
    // A sampled body has no primitives.
    if sampled.is_none() {
        let influence_m = spec.influence_m();
        state.primitives = points
            .iter()
            .map(|at| Primitive::point(*at, influence_m))
            .collect();
        state.velocities = vec![Vec3::zeros(); points.len()];
    }
    Ok(ImplicitBody {
        id: spec.id,
        name: spec.name.clone(),
        blending,
        cell_m: spec.cell_m,
        surface: spec.surface,
        spheres,
        sampled,
        liquid: loose,
        state,
    })
}
