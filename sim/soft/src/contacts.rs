//! From what the rays found to what the dynamics take.

use hapticd_dynamics::xpbd::{Contact, ContactPoint, World, keep_four};
use hapticd_geometry::{Vec3, transform};
use hapticd_rays::layout;
use hapticd_rays::{Scene, Topology, Tracer};

use crate::world::Mover;

/// Work space, kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    list: Vec<Contact>,
    ahead: Vec<layout::Contact>,
    /// Of pairs of rigid objects: the pair and the number of the contact.
    rigid: Vec<((u32, u32), u32)>,
    points: Vec<Vec3>,
    depths: Vec<f64>,
}

impl Contacts {
    pub fn list(&self) -> &[Contact] {
        &self.list
    }

    /// The last step's contacts, and what may become one within the coming step; those between two rigid objects thinned out to four a pair, as
    /// the source's solver had them (Lehericey 2016, chapter 3, section 3.3). In order: those of deformables first.
    ///
    /// Without a look ahead what rests would fall freely for every step after one in which it was put right: a jitter of `g dt²`.
    pub fn convert(
        &mut self,
        tracer: &Tracer,
        scene: &Scene,
        world: &World,
        movers: &[Mover],
        friction: &[f64],
        dt_s: f64,
    ) {
        self.ahead.clear();
        self.ahead.extend_from_slice(tracer.contacts());
        let fall_m = world.settings().gravity_m_s2.norm() * dt_s * dt_s;
        let soon = tracer.near().iter().filter(|near| {
            let [a, b] = [near.source, near.target].map(|id| &movers[id as usize]);
            let n = Vec3::from(near.n.map(f64::from));
            let triangle = scene.shape(near.target).triangles()[near.triangle as usize].v;
            let x = Vec3::from(near.x.map(f64::from));
            let towards =
                (velocity(world, b, triangle[0], &x) - velocity(world, a, near.point, &x)).dot(&n);
            // Twice: neither the triangle's other corners nor the coming forces are looked at.
            f64::from(-near.depth) <= 2.0 * (towards * dt_s).max(0.0) + 2.0 * fall_m
        });
        self.ahead.extend(soon);
        self.list.clear();
        self.rigid.clear();
        for (i, contact) in (0..).zip(&self.ahead) {
            let (a, b) = (contact.source, contact.target);
            let is_soft = |id: u32| matches!(movers[id as usize], Mover::Deformable(_));
            if is_soft(a) || is_soft(b) {
                self.list.push(made(contact, scene, movers, friction));
            } else {
                self.rigid.push(((a.min(b), a.max(b)), i));
            }
        }
        self.rigid.sort_unstable();
        for pair in self.rigid.chunk_by(|x, y| x.0 == y.0) {
            self.points.clear();
            self.depths.clear();
            for (_, i) in pair {
                let contact = &self.ahead[*i as usize];
                self.points.push(Vec3::from(contact.x.map(f64::from)));
                self.depths.push(f64::from(contact.depth));
            }
            for &k in keep_four(&self.points, &self.depths).indices() {
                let contact = &self.ahead[pair[k as usize].1 as usize];
                self.list.push(made(contact, scene, movers, friction));
            }
        }
    }
}

/// Of an object's point (a deformable's, by number; a body's, by place), m/s.
fn velocity(world: &World, mover: &Mover, point: u32, at: &Vec3) -> Vec3 {
    match mover {
        Mover::Fixed => Vec3::zeros(),
        Mover::Body { body, .. } => world.body(*body).map_or_else(Vec3::zeros, |state| {
            state.velocity + state.spin.cross(&(at - state.position))
        }),
        Mover::Deformable(deformable) => {
            (world.surface_velocity(*deformable, point)).unwrap_or_default()
        }
    }
}

fn made(contact: &layout::Contact, scene: &Scene, movers: &[Mover], friction: &[f64]) -> Contact {
    let shape = |id: u32| scene.shape(id);
    let thickness = |id: u32| match shape(id).topology() {
        Topology::Volume => 0.0,
        Topology::Sheet { half_thickness_m } => half_thickness_m,
    };
    let (a, b) = (contact.source, contact.target);
    let x = Vec3::from(contact.x.map(f64::from));
    let normal = Vec3::from(contact.n.map(f64::from)).normalize();
    let gap_m = thickness(a) + thickness(b);
    // The rays know how far the first side has to go: `gap - depth` are between the two points now.
    let met = x - normal * (gap_m - f64::from(contact.depth));
    let source = match &movers[a as usize] {
        Mover::Fixed => ContactPoint::World(x),
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
    let triangle = shape(b).triangles()[contact.triangle as usize].v;
    let [u, v] = contact.uv.map(f64::from);
    let weights = [1.0 - u - v, u, v];
    let target = match &movers[b as usize] {
        Mover::Fixed => ContactPoint::World(met),
        Mover::Body {
            body,
            body_from_mesh,
        } => {
            let corner = |k: usize| shape(b).points()[triangle[k] as usize].cast::<f64>();
            let on = corner(0) * weights[0] + corner(1) * weights[1] + corner(2) * weights[2];
            ContactPoint::Body {
                body: *body,
                local: transform(body_from_mesh, &on),
            }
        }
        Mover::Deformable(deformable) => ContactPoint::Triangle {
            deformable: *deformable,
            vertices: triangle,
            weights,
        },
    };
    Contact {
        a: source,
        b: target,
        normal,
        gap_m,
        friction: (friction[a as usize] * friction[b as usize]).sqrt(),
        restitution: 0.0,
    }
}
