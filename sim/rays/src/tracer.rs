//! One step of the narrow phase: pairs, then points, then rays (Lehericey 2016, chapter 3, section
//! 1).

use rayon::prelude::*;

use crate::V3;
use crate::asleep::Asleep;
use crate::commit::{Arbiter, Kept, StepRecords, commit};
use crate::displacement::Measure;
use crate::emit::{Emission, LastStep};
use crate::layout::{Contact, Ray, Record};
use crate::plan::Plan;
use crate::rays::Rays;
use crate::report::Report;
use crate::resolve::{Algorithm, Part, trace};
use crate::roster::Roster;
use crate::scene::{Item, RayScene};
use crate::settings::Settings;

/// Finds the contacts of a [`RayScene`], step by step, and stores what it found.
///
/// Deterministic, whatever the number of threads. Does not allocate once it has seen as many pairs,
/// rays and contacts, except in steps before which objects were added or removed.
#[derive(Clone, Debug)]
pub struct Tracer {
    settings: Settings,
    plan: Plan,
    rays: Rays,
    ray_parts: Vec<Rays>,
    parts: Vec<Part>,
    arbiter: Arbiter,
    records: Vec<Record>,
    tracked: Vec<u32>,
    next: Vec<Record>,
    next_tracked: Vec<u32>,
    traced_at: Vec<V3>,
    asleep: Asleep,
    /// Identities of the objects in the last step, and the first record of each.
    roster: Roster,
    places: Vec<u32>,
    kept: Kept,
    report: Report,
    steps: u64,
    /// Whether the last step's answer has not been taken yet.
    news: bool,
}

impl Tracer {
    /// Creates a tracer without data.
    #[must_use]
    pub fn new(settings: Settings) -> Tracer {
        Tracer {
            settings,
            plan: Plan::default(),
            rays: Rays::default(),
            ray_parts: Vec::new(),
            parts: Vec::new(),
            arbiter: Arbiter::default(),
            records: Vec::new(),
            tracked: Vec::new(),
            next: Vec::new(),
            next_tracked: Vec::new(),
            traced_at: Vec::new(),
            asleep: Asleep::default(),
            roster: Roster::default(),
            places: Vec::new(),
            kept: Kept::default(),
            report: Report::default(),
            steps: 0,
            news: false,
        }
    }

    /// Current settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the settings, from the next step on.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Clears all data: the next step traces everything in full. Must be called when objects
    /// jumped.
    pub fn forget(&mut self) {
        for &place in &self.tracked {
            self.records[place as usize] = Record::EMPTY;
        }
        self.tracked.clear();
        self.plan.forget();
        self.asleep.clear();
        self.traced_at.fill(V3::repeat(f32::NAN));
    }

    /// Runs one step and returns its contacts. Everything is where [`RayScene::set_pose`] and
    /// [`RayScene::set_points`] put it since [`RayScene::begin_step`].
    ///
    /// Only updates derived data of the scene (normals, boxes), so several tracers may process the
    /// same step.
    pub fn step(&mut self, scene: &mut RayScene) -> &[Contact] {
        self.prepare(scene);
        self.report = self.plan.make(scene, &self.settings);
        self.emit(scene);
        self.trace(scene);
        self.keep(scene);
        self.steps += 1;
        self.news = true;
        &self.kept.contacts
    }

    /// Contacts of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.kept.contacts
    }

    /// Predictions of the last step, except sleeping ones ([`Settings::awake_m`]), in the form of
    /// contacts. Their depth is negative: the remaining gap along their normal. For a solver that
    /// looks ahead within a step; Lehericey's does not.
    #[must_use]
    pub fn near(&self) -> &[Contact] {
        &self.kept.near
    }

    /// Statistics of the last step.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Rays of the last step.
    #[must_use]
    pub fn rays(&self) -> &Rays {
        &self.rays
    }

    /// Pairs of objects that were near each other in the last step, in order.
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        self.plan.pairs()
    }

    /// Plan of the last step.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether there was a step since the last call.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Number of steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Records of a point: the first for a volume (empty for a sleeping prediction), both sides for
    /// a sheet.
    #[must_use]
    pub fn records(&self, scene: &RayScene, object: u32, point: u32) -> [Record; 2] {
        let place = scene.record_of(object, point);
        let get = |p: usize| self.records.get(p).copied().unwrap_or(Record::EMPTY);
        [get(place), get(place + 1)]
    }

    /// Resizes the per-point data, and updates the surfaces to the present positions.
    fn prepare(&mut self, scene: &mut RayScene) {
        if !self.roster.is_current(scene) {
            self.follow(scene);
        }
        let records = scene.records as usize;
        self.records.resize(records, Record::EMPTY);
        self.next.resize(records, Record::EMPTY);
        if self.settings.measure == Measure::Absolute {
            self.traced_at.resize(records / 2, V3::repeat(f32::NAN));
        }
        let deformables = scene.items.par_iter_mut().filter(|item| item.deformable);
        deformables.for_each(Item::deform);
    }

    /// Handles added and removed objects: data of those that stay moves to the present place of
    /// their records; the rest is dropped.
    fn follow(&mut self, scene: &RayScene) {
        let records = scene.records as usize;
        let (old, old_tracked) = (
            std::mem::replace(&mut self.records, vec![Record::EMPTY; records]),
            std::mem::take(&mut self.tracked),
        );
        let nowhere = V3::repeat(f32::NAN);
        let old_traced_at = std::mem::take(&mut self.traced_at);
        if !old_traced_at.is_empty() {
            self.traced_at.resize(records / 2, nowhere);
        }
        let mut tracked = old_tracked.iter().peekable();
        for (object, &first) in (0..).zip(&self.places) {
            let last = self.places.get(object as usize + 1);
            let end = last.map_or(old.len() as u32, |next| *next);
            let stays = self.roster.stays(scene, object);
            let to = if stays {
                scene.items[object as usize].first_record
            } else {
                0
            };
            while let Some(&place) = tracked.next_if(|place| **place < end) {
                let record = old[place as usize];
                if stays && self.roster.stays(scene, record.target) {
                    let place = to + (place - first);
                    self.records[place as usize] = record;
                    self.tracked.push(place);
                }
            }
            if stays && !old_traced_at.is_empty() {
                let [from, end, to] = [first, end, to].map(|place| place as usize / 2);
                // Shorter than the records if another measure was set in between.
                if let Some(same) = old_traced_at.get(from..end) {
                    self.traced_at[to..to + same.len()].copy_from_slice(same);
                }
            }
        }
        let roster = &self.roster;
        (self.asleep).retain(|a, b| roster.stays(scene, a) && roster.stays(scene, b));
        self.places.clear();
        let items = scene.items.iter();
        self.places.extend(items.map(|item| item.first_record));
        self.roster.look(scene, self.steps);
    }

    /// Runs stage two.
    fn emit(&mut self, scene: &RayScene) {
        self.rays.clear();
        let emission = Emission {
            scene,
            settings: &self.settings,
            known: LastStep {
                records: &self.records,
                tracked: &self.tracked,
                traced_at: &self.traced_at,
                asleep: &self.asleep,
            },
        };
        emission.emit(
            self.plan.rigid(),
            self.plan.neighbourhood(),
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

    /// Runs stage three.
    fn trace(&mut self, scene: &RayScene) {
        self.arbiter.begin(self.records.len());
        let lists: [(Algorithm, &[Ray]); 3] = [
            (Algorithm::Walk, &self.rays.walk),
            (Algorithm::Tree, &self.rays.tree),
            (Algorithm::Basic, &self.rays.basic),
        ];
        self.asleep.begin();
        for (algorithm, rays) in lists {
            let parts = trace(scene, &self.settings, algorithm, rays, &mut self.parts);
            for part in &self.parts[..parts] {
                for found in &part.found {
                    self.arbiter.offer(found);
                }
                self.asleep
                    .fall(algorithm != Algorithm::Walk, &part.falling);
                self.report.walked += part.looked;
                self.report.lost += part.lost;
            }
        }
        self.asleep.update(self.plan.rigid(), &self.rays.woken);
        self.report.asleep = self.asleep.count();
        self.report.walks = self.rays.walk.len();
        self.report.tree = self.rays.tree.len();
        self.report.basic = self.rays.basic.len();
    }

    /// Stores the results of stage three.
    fn keep(&mut self, scene: &RayScene) {
        commit(
            scene,
            &self.settings,
            &mut self.arbiter,
            StepRecords {
                before: &self.records,
                next: &mut self.next,
                tracked: &mut self.next_tracked,
            },
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
