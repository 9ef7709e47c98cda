//! Converts ray contacts into contacts for the dynamics.

use hapticd_geometry::{Vec3, transform};
use hapticd_rays::layout;
use hapticd_rays::{Detector, RayScene, Shape, Topology};
use hapticd_xpbd::{Contact, ContactPoint, XpbdWorld, keep_four};

use crate::mover::{Mover, View};

/// Scratch memory, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    /// Whether to use contacts only and ignore predictions.
    pub only: bool,
    list: Vec<Contact>,
    /// Number of contacts in `list` that come from the rays.
    rays: usize,
    /// Each contact with the gap that remains at the end of the step at present velocities, m.
    ahead: Vec<(layout::Contact, f64)>,
    /// Contacts between rigid objects: the pair, whether it is a prediction, the remaining gap, and
    /// the index in `ahead`.
    rigid: Vec<((u32, u32), bool, f64, u32)>,
    points: Vec<Vec3>,
    depths: Vec<f64>,
}

/// Largest number of predictions for a pair of rigid objects: those that will touch first.
const AHEAD: usize = 8;

impl Contacts {
    /// Returns the contacts of the rays followed by `more`.
    pub fn with(&mut self, more: &[Contact]) -> &[Contact] {
        self.list.truncate(self.rays);
        self.list.extend_from_slice(more);
        &self.list
    }

    /// Converts the contacts of the last step, and the predictions that may touch within the coming
    /// step. Contacts between two rigid objects are reduced: touching ones to four per pair, as in
    /// Lehericey's solver (2016, chapter 3, section 3.3), and predictions to the [`AHEAD`] soonest.
    /// Contacts of deformables come first, then those of rigid pairs in order.
    ///
    /// An answer that is some steps old is updated to the present positions: contacts that have
    /// separated do not act, and predictions may have become contacts.
    ///
    /// Without predictions, a resting body would fall freely in every step after one that corrected
    /// it: a jitter of `g dt²`. A rolling body would tip over the last of its four contacts, sink
    /// in ahead of them, and be pushed out needlessly. Reducing contacts and predictions together
    /// to four made a ball on a plane roll off by itself, ever faster.
    pub fn convert(
        &mut self,
        detector: &dyn Detector,
        view: &View<'_>,
        world: &XpbdWorld,
        dt_s: f64,
    ) {
        let &View {
            scene,
            movers,
            friction,
            ghosts,
        } = view;
        let old = detector.progress().age() > 0;
        let now = |contact: &layout::Contact| {
            let mut contact = *contact;
            if old {
                scene.refresh(&mut contact);
            }
            contact
        };
        self.ahead.clear();
        let touching = detector.contacts().iter().map(now);
        self.ahead
            .extend(touching.map(|contact| (contact, -f64::from(contact.depth))));
        let fall_m = world.settings().gravity_m_s2.norm() * dt_s * dt_s;
        let near = if self.only { &[] } else { detector.near() };
        let soon = near.iter().map(now).filter_map(|near| {
            let [a, b] = [near.source, near.target].map(|id| &movers[id as usize]);
            let n = Vec3::from(near.n.map(f64::from));
            let triangle = scene.shape(near.target).triangles()[near.triangle as usize];
            let x = Vec3::from(near.x.map(f64::from));
            let towards =
                (velocity(world, b, triangle[0], &x) - velocity(world, a, near.point, &x)).dot(&n);
            let room = f64::from(-near.depth);
            // Factor two: the triangle's other corners and the coming forces are not considered.
            let reached = room <= 2.0 * (towards * dt_s).max(0.0) + 2.0 * fall_m;
            reached.then_some((near, room - towards * dt_s))
        });
        self.ahead.extend(soon);
        let yields = |id: u32| match &movers[id as usize] {
            Mover::Gone | Mover::Fixed => false,
            Mover::Body { body, .. } => world.is_dynamic(*body),
            Mover::Deformable(_) => true,
        };
        self.ahead.retain(|(contact, _)| {
            let (a, b) = (contact.source, contact.target);
            !(ghosts[a as usize] || ghosts[b as usize]) && (yields(a) || yields(b))
        });
        self.list.clear();
        self.rigid.clear();
        for (i, (contact, room)) in (0..).zip(&self.ahead) {
            let (a, b) = (contact.source, contact.target);
            let is_soft = |id: u32| matches!(movers[id as usize], Mover::Deformable(_));
            if is_soft(a) || is_soft(b) {
                self.list.push(made(contact, scene, movers, friction));
            } else {
                let pair = (a.min(b), a.max(b));
                self.rigid.push((pair, contact.depth < 0.0, *room, i));
            }
        }
        (self.rigid).sort_unstable_by(|x, y| {
            (x.0, x.1)
                .cmp(&(y.0, y.1))
                .then(x.2.total_cmp(&y.2))
                .then(x.3.cmp(&y.3))
        });
        let (ahead, list) = (&self.ahead, &mut self.list);
        let mut take = |i: u32| list.push(made(&ahead[i as usize].0, scene, movers, friction));
        for pair in self.rigid.chunk_by(|x, y| x.0 == y.0) {
            let (touching, near) = pair.split_at(pair.partition_point(|x| !x.1));
            self.points.clear();
            self.depths.clear();
            for (_, _, _, i) in touching {
                let (contact, _) = &ahead[*i as usize];
                self.points.push(Vec3::from(contact.x.map(f64::from)));
                self.depths.push(f64::from(contact.depth));
            }
            for &k in keep_four(&self.points, &self.depths).indices() {
                take(touching[k as usize].3);
            }
            near.iter().take(AHEAD).for_each(|x| take(x.3));
        }
        self.rays = self.list.len();
    }
}

/// Velocity of a point of an object, m/s: by index for a deformable, by position for a body.
pub(crate) fn velocity(world: &XpbdWorld, mover: &Mover, point: u32, at: &Vec3) -> Vec3 {
    match mover {
        Mover::Gone | Mover::Fixed => Vec3::zeros(),
        Mover::Body { body, .. } => world.body(*body).map_or_else(Vec3::zeros, |state| {
            state.velocity + state.spin.cross(&(at - state.position))
        }),
        Mover::Deformable(deformable) => {
            (world.surface_velocity(*deformable, point)).unwrap_or_default()
        }
    }
}

fn made(
    contact: &layout::Contact,
    scene: &RayScene,
    movers: &[Mover],
    friction: &[f64],
) -> Contact {
    let shape = |id: u32| scene.shape(id);
    let thickness = |id: u32| match shape(id).topology() {
        Topology::Volume => 0.0,
        Topology::Sheet { half_thickness_m } => half_thickness_m,
    };
    let (a, b) = (contact.source, contact.target);
    let x = Vec3::from(contact.x.map(f64::from));
    let normal = Vec3::from(contact.n.map(f64::from)).normalize();
    let gap_m = thickness(a) + thickness(b);
    // The rays know how far the first side has to move: the two points are now `gap - depth` apart.
    let met = x - normal * (gap_m - f64::from(contact.depth));
    let source = match &movers[a as usize] {
        Mover::Gone | Mover::Fixed => ContactPoint::World(x),
        Mover::Body {
            body,
            body_from_mesh,
        } => ContactPoint::Body {
            body: *body,
            local: transform(
                body_from_mesh,
                &shape(a).points()[contact.point as usize].cast(),
            ),
        },
        Mover::Deformable(deformable) => ContactPoint::Vertex {
            deformable: *deformable,
            vertex: contact.point,
        },
    };
    let triangle = shape(b).triangles()[contact.triangle as usize];
    let [u, v] = contact.uv.map(f64::from);
    let weights = [1.0 - u - v, u, v];
    let target = on_surface(&movers[b as usize], shape(b), triangle, weights, &met);
    Contact {
        a: source,
        b: target,
        normal,
        gap_m,
        friction: (friction[a as usize] * friction[b as usize]).sqrt(),
        restitution: 0.0,
    }
}

/// Returns a point of an object's surface, by barycentric weights of three of its vertices. For a
/// fixed object, `at` is the position of the point.
pub(crate) fn on_surface(
    mover: &Mover,
    shape: &Shape,
    vertices: [u32; 3],
    weights: [f64; 3],
    at: &Vec3,
) -> ContactPoint {
    match mover {
        Mover::Gone | Mover::Fixed => ContactPoint::World(*at),
        Mover::Body {
            body,
            body_from_mesh,
        } => {
            let corner = |k: usize| shape.points()[vertices[k] as usize].cast::<f64>();
            let on = corner(0) * weights[0] + corner(1) * weights[1] + corner(2) * weights[2];
            ContactPoint::Body {
                body: *body,
                local: transform(body_from_mesh, &on),
            }
        }
        Mover::Deformable(deformable) => ContactPoint::Triangle {
            deformable: *deformable,
            vertices,
            weights,
        },
    }
}
