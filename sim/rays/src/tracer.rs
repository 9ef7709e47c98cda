//! One step of the narrow phase: pairs, then points, then rays (Lehericey 2016, chapter 3, section
//! 1).

use rayon::prelude::*;

use crate::V3;
use crate::asleep::Asleep;
use crate::commit::{Arbiter, Kept, commit};
use crate::displacement::Measure;
use crate::emit::{LastStep, Rays, emit};
use crate::layout::{Contact, Ray, Record};
use crate::plan::Plan;
use crate::report::Report;
use crate::resolve::{Algorithm, Part, trace};
use crate::roster::Roster;
use crate::scene::{Item, RayScene};
use crate::settings::Settings;

/// Finds the contacts of a [`RayScene`], step by step; remembers what it found.
///
/// Deterministic, whatever the number of threads. Does not allocate once it has seen as many pairs,
/// rays and contacts, but in steps before which objects came or went.
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
    /// Who was there in the last step, and the first record of each.
    roster: Roster,
    places: Vec<u32>,
    kept: Kept,
    report: Report,
    steps: u64,
    /// The last step's answer has not been asked for yet.
    news: bool,
}

impl Tracer {
    /// Knows nothing yet.
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
        self.plan.forget();
        self.asleep.clear();
        self.traced_at.fill(V3::repeat(f32::NAN));
    }

    /// One step: everything is where [`RayScene::set_pose`] and [`RayScene::set_points`] put it
    /// since [`RayScene::begin_step`].
    ///
    /// The scene is only brought up to date (normals, boxes): several tracers may look at the same
    /// step.
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

    /// The contacts of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.kept.contacts
    }

    /// The predictions of the last step but for those that sleep ([`Settings::awake_m`]), as
    /// contacts that are not: their depth is negative, the room that is left along their normal.
    /// For a solver that looks ahead within a step; the source's does not.
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
        self.plan.pairs()
    }

    /// What the last step was to do.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Whether there was a step since this was last asked.
    pub(crate) fn take_news(&mut self) -> bool {
        std::mem::take(&mut self.news)
    }

    /// Steps so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What is known of a point of a volume (the first; nothing of one that sleeps), or of both
    /// sides of a point of a sheet.
    #[must_use]
    pub fn records(&self, scene: &RayScene, object: u32, point: u32) -> [Record; 2] {
        let place = scene.record_of(object, point);
        let get = |p: usize| self.records.get(p).copied().unwrap_or(Record::EMPTY);
        [get(place), get(place + 1)]
    }

    /// Room for every point, and the surfaces where they are now.
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

    /// Objects have come or gone: what is known of those that stay moves to where their records are
    /// now, the rest is forgotten.
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
                // Shorter than the records if the measure was another one in between.
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

    /// Stage two.
    fn emit(&mut self, scene: &RayScene) {
        self.rays.clear();
        let known = LastStep {
            records: &self.records,
            tracked: &self.tracked,
            traced_at: &self.traced_at,
            asleep: &self.asleep,
        };
        emit(
            scene,
            &self.settings,
            self.plan.rigid(),
            self.plan.neighbourhood(),
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

    /// And what is kept of it.
    fn keep(&mut self, scene: &RayScene) {
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
