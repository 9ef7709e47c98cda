//! One step of the narrow phase: pairs, then points, then rays (Lehericey 2016, chapter 3, section 1).

use rayon::prelude::*;

use crate::V3;
use crate::commit::{Arbiter, Kept, commit};
use crate::displacement::{self, Measure, Pose};
use crate::emit::{Directed, Known, Rays, emit, relative};
use crate::layout::{Contact, Ray, Record};
use crate::neighbourhood::Neighbourhood;
use crate::resolve::{Algorithm, Part, trace};
use crate::scene::{Bounds, Scene};
use crate::settings::Settings;
use crate::sweep::Sweep;

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Pairs of the broad phase, self pairs included.
    pub pairs: usize,
    /// Of these: rigid, little moved.
    pub rigid_low: usize,
    /// Rigid, moved or new.
    pub rigid_high: usize,
    /// With a deformable.
    pub deformable: usize,
    /// Pairs of clusters near each other, both ways.
    pub cluster_pairs: usize,
    /// Of these to be traced in full.
    pub cluster_pairs_high: usize,
    /// Rays for the walk.
    pub walks: usize,
    /// Triangles that the walks looked at.
    pub walked: u64,
    /// Walks that found nothing.
    pub lost: u64,
    /// Rays for the tree.
    pub tree: usize,
    /// Rays for the basic algorithm.
    pub basic: usize,
    /// Contacts.
    pub collisions: usize,
    /// Records that are predictions.
    pub predictions: usize,
    /// Points of a sheet on the wrong side of another.
    pub inversions: u64,
    /// Sum of the lengths of the contacts' rays, m.
    pub length_m: f64,
}

/// Of a rigid pair: its relative pose at the last full trace.
#[derive(Clone, Copy, Debug)]
struct Traced {
    pair: (u32, u32),
    at: Pose,
}

/// Finds the contacts of a [`Scene`], step by step; remembers what it found.
///
/// Deterministic, whatever the number of threads. Does not allocate once it has seen as many pairs, rays and contacts.
#[derive(Clone, Debug)]
pub struct Tracer {
    settings: Settings,
    sweep: Sweep,
    boxes: Vec<Bounds>,
    pairs: Vec<(u32, u32)>,
    with_deformable: Vec<(u32, u32)>,
    traced: Vec<Traced>,
    traced_before: Vec<Traced>,
    rigid: Vec<Directed>,
    near: Neighbourhood,
    rays: Rays,
    ray_parts: Vec<Rays>,
    parts: Vec<Part>,
    arbiter: Arbiter,
    records: Vec<Record>,
    tracked: Vec<u32>,
    next: Vec<Record>,
    next_tracked: Vec<u32>,
    traced_at: Vec<V3>,
    kept: Kept,
    report: Report,
    wanted: Vec<bool>,
}

impl Tracer {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(settings: Settings) -> Tracer {
        Tracer {
            settings,
            sweep: Sweep::default(),
            boxes: Vec::new(),
            pairs: Vec::new(),
            with_deformable: Vec::new(),
            traced: Vec::new(),
            traced_before: Vec::new(),
            rigid: Vec::new(),
            near: Neighbourhood::default(),
            rays: Rays::default(),
            ray_parts: Vec::new(),
            parts: Vec::new(),
            arbiter: Arbiter::default(),
            records: Vec::new(),
            tracked: Vec::new(),
            next: Vec::new(),
            next_tracked: Vec::new(),
            traced_at: Vec::new(),
            kept: Kept::default(),
            report: Report::default(),
            wanted: Vec::new(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// New settings, from the next step on.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Forgets everything: the next step traces all in full. To be called when objects jumped.
    pub fn forget(&mut self) {
        for &place in &self.tracked {
            self.records[place as usize] = Record::EMPTY;
        }
        self.tracked.clear();
        self.traced.clear();
        self.near.now.clear();
        self.traced_at.fill(V3::repeat(f32::NAN));
    }

    /// One step: everything is where [`Scene::set_pose`] and [`Scene::set_points`] put it since [`Scene::begin_step`].
    ///
    /// The scene is only brought up to date (normals, boxes): several tracers may look at the same step.
    pub fn step(&mut self, scene: &mut Scene) -> &[Contact] {
        self.prepare(scene);
        self.classify(scene);
        self.emit(scene);
        self.trace(scene);
        self.keep(scene);
        &self.kept.contacts
    }

    /// The contacts of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.kept.contacts
    }

    /// The predictions of the last step, as contacts that are not: their depth is negative, the room that is left along their normal. For a
    /// solver that looks ahead within a step; the source's does not.
    #[must_use]
    pub fn near(&self) -> &[Contact] {
        &self.kept.near
    }

    /// What the last step did.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The rays of the last step.
    #[must_use]
    pub fn rays(&self) -> &Rays {
        &self.rays
    }

    /// Pairs of objects that were near each other in the last step, in order.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// What is known of a point of a volume (the first), or of both sides of a point of a sheet.
    #[must_use]
    pub fn records(&self, scene: &Scene, object: u32, point: u32) -> [Record; 2] {
        let place = scene.record_of(object, point);
        let get = |p: usize| self.records.get(p).copied().unwrap_or(Record::EMPTY);
        [get(place), get(place + 1)]
    }

    /// Where all are now.
    fn prepare(&mut self, scene: &mut Scene) {
        let records = scene.records as usize;
        self.records.resize(records, Record::EMPTY);
        self.next.resize(records, Record::EMPTY);
        if self.settings.measure == Measure::Absolute {
            self.traced_at.resize(records / 2, V3::repeat(f32::NAN));
        }
        let deformables = scene.items.par_iter_mut().filter(|item| item.deformable);
        deformables.for_each(crate::scene::Item::deform);
        self.boxes.clear();
        self.boxes
            .extend(scene.items.iter().map(|item| item.bounds));
    }

    /// Stage one.
    fn classify(&mut self, scene: &mut Scene) {
        let settings = &self.settings;
        let thickest = scene.items.iter().map(crate::scene::Item::half_thickness);
        let margin = settings
            .prediction_m
            .max(2.0 * thickest.fold(0.0, f32::max));
        let items = &scene.items;
        let counts = |a: u32, b: u32| !(items[a as usize].fixed && items[b as usize].fixed);
        self.pairs.clear();
        let found = self.sweep.pairs(&self.boxes, margin, counts);
        self.pairs.extend_from_slice(found);
        if settings.self_collision {
            let own = (items.iter().zip(0..)).filter(|(item, _)| item.deformable);
            self.pairs.extend(own.map(|(_, i)| (i, i)));
            self.pairs.sort_unstable();
        }
        std::mem::swap(&mut self.traced, &mut self.traced_before);
        self.traced.clear();
        self.rigid.clear();
        self.with_deformable.clear();
        let mut old = self.traced_before.iter().peekable();
        let mut high = 0;
        for &(a, b) in &self.pairs {
            let (x, y) = (&items[a as usize], &items[b as usize]);
            if x.deformable || y.deformable {
                self.with_deformable.push((a, b));
                continue;
            }
            while old.next_if(|o| o.pair < (a, b)).is_some() {}
            let known = old.next_if(|o| o.pair == (a, b));
            let now = relative(x, y);
            let radius = x.shape.radius.max(y.shape.radius);
            let low = known.filter(|known| {
                let moved = displacement::rigid(&known.at, &now, radius);
                settings.iterative && moved <= settings.displacement_m
            });
            high += usize::from(low.is_none());
            self.traced.push(Traced {
                pair: (a, b),
                at: low.map_or(now, |known| known.at),
            });
            for (source, target) in [(a, b), (b, a)] {
                self.rigid.push(Directed {
                    source,
                    target,
                    full: low.is_none(),
                });
            }
        }
        self.rigid.sort_unstable();
        self.wanted.clear();
        self.wanted.resize(scene.items.len(), false);
        for &(a, b) in &self.with_deformable {
            self.wanted[a as usize] = true;
            self.wanted[b as usize] = true;
        }
        let measure = settings.measure;
        let wanted = scene.items.par_iter_mut().zip(&self.wanted);
        wanted.for_each(|(item, wanted)| {
            if *wanted {
                item.update_clusters(measure);
            }
        });
        let threshold = settings.iterative.then_some(settings.displacement_m);
        let margin = margin + settings.displacement_m;
        self.near.update(
            &scene.items,
            &self.with_deformable,
            margin,
            threshold,
            measure,
        );
        self.report = Report {
            pairs: self.pairs.len(),
            rigid_low: self.traced.len() - high,
            rigid_high: high,
            deformable: self.with_deformable.len(),
            cluster_pairs: self.near.now.len(),
            cluster_pairs_high: self.near.now.iter().filter(|near| near.full).count(),
            ..Report::default()
        };
    }

    /// Stage two.
    fn emit(&mut self, scene: &Scene) {
        self.rays.clear();
        let known = Known {
            records: &self.records,
            tracked: &self.tracked,
            traced_at: &self.traced_at,
        };
        emit(
            scene,
            &self.settings,
            &self.rigid,
            &self.near,
            &known,
            &mut self.ray_parts,
            &mut self.rays,
        );
        if self.settings.measure == Measure::Absolute {
            for ray in self.rays.basic.iter().chain(&self.rays.tree) {
                let place = scene.record_of(ray.source, ray.point);
                self.traced_at[place / 2] = scene.items[ray.source as usize].world(ray.point);
            }
        }
    }

    /// Stage three.
    fn trace(&mut self, scene: &Scene) {
        self.arbiter.begin(self.records.len());
        let lists: [(Algorithm, &[Ray]); 3] = [
            (Algorithm::Walk, &self.rays.walk),
            (Algorithm::Tree, &self.rays.tree),
            (Algorithm::Basic, &self.rays.basic),
        ];
        for (algorithm, rays) in lists {
            let parts = trace(scene, &self.settings, algorithm, rays, &mut self.parts);
            for part in &self.parts[..parts] {
                for found in &part.found {
                    self.arbiter.offer(found);
                }
                self.report.walked += part.looked;
                self.report.lost += part.lost;
            }
        }
        self.report.walks = self.rays.walk.len();
        self.report.tree = self.rays.tree.len();
        self.report.basic = self.rays.basic.len();
    }

    /// And what is kept of it.
    fn keep(&mut self, scene: &Scene) {
        commit(
            scene,
            &self.settings,
            &mut self.arbiter,
            &self.records,
            &mut self.next,
            &mut self.next_tracked,
            &mut self.kept,
        );
        for &place in &self.tracked {
            self.records[place as usize] = Record::EMPTY;
        }
        std::mem::swap(&mut self.records, &mut self.next);
        std::mem::swap(&mut self.tracked, &mut self.next_tracked);
        self.report.collisions = self.kept.contacts.len();
        self.report.predictions = self.kept.near.len();
        self.report.inversions = self.kept.inversions;
        self.report.length_m = self.kept.length_m;
    }
}
