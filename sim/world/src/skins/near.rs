//! The primitives of a body around a place, as the loop feels them.

use hapticd_geometry::Vec3;
use hapticd_haptics::{FOOT_REACH, ImplicitSurface, MAX_TERMS, Term};
use hapticd_skin::blend::{Classes, Set};
use hapticd_skin::{Primitive, Skeleton};

use super::{Blending, SkinState};

/// Work space, kept between calls.
#[derive(Clone, Debug, Default)]
pub struct Near {
    found: Vec<(f64, u32)>,
    may: Vec<Set>,
    classes: Classes,
}

impl Near {
    /// The body's number of a term of the last call; 0 for one that it had not.
    pub fn number(&self, term: usize) -> u32 {
        self.found.get(term).map_or(0, |(_, number)| *number)
    }
}

/// Whether a primitive may reach within `within_m` of a place; most are told from their centres alone.
fn reaches(primitive: &Primitive, at: &Vec3, within_m: f64) -> bool {
    match primitive.skeleton {
        Skeleton::Point(centre) => {
            let far = primitive.radius_m + within_m;
            (at - centre).norm_squared() <= far * far
        }
        _ => true,
    }
}

/// Fills terms and classes of `out` with the primitives that reach within `within_m` of a place, or the feet of such places: the nearest, where they are more than the loop has
/// room for. Allocates while its lists grow.
pub fn near(
    work: &mut Near,
    state: &SkinState,
    blending: Blending,
    at: &Vec3,
    within_m: f64,
    out: &mut ImplicitSurface,
) {
    work.found.clear();
    for (number, primitive) in (0..).zip(&state.primitives) {
        let room = within_m + FOOT_REACH * primitive.radius_m;
        if reaches(primitive, at, room) {
            let distance = Term::new(primitive, Vec3::zeros()).distance_m(at);
            if distance <= room {
                work.found.push((distance, number));
            }
        }
    }
    if work.found.len() > MAX_TERMS {
        // By the centre, of those that all reach the place alike; equals in their own order.
        for (distance, number) in &mut work.found {
            *distance = (state.primitives[*number as usize].heart() - at).norm();
        }
        (work.found).sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        work.found.truncate(MAX_TERMS);
        work.found.sort_unstable_by_key(|(_, number)| *number);
    }
    out.terms.clear();
    out.classes.clear();
    for (_, number) in &work.found {
        let number = *number as usize;
        let velocity = state.velocities.get(number).copied().unwrap_or_default();
        out.terms
            .push(Term::new(&state.primitives[number], velocity));
    }
    if blending == Blending::Free || work.found.is_empty() {
        return;
    }
    work.may.clear();
    let group = |number: u32| state.groups.get(number as usize);
    for (_, a) in &work.found {
        let blends = |(place, (_, b)): (usize, &(f64, u32))| {
            let may = match (group(*a), group(*b)) {
                (Some(a), Some(b)) => a == b,
                _ => state.graph.blends(*a, *b),
            };
            Set::from(may) << place
        };
        work.may
            .push(work.found.iter().enumerate().map(blends).sum());
    }
    let all = Set::MAX >> (Set::BITS as usize - work.found.len());
    work.classes.clear();
    work.classes.split(&work.may, all);
    // One of all is none to tell apart. No more terms than a mask of the loop has bits.
    if let [_, _, ..] = work.classes.classes() {
        (out.classes).extend(work.classes.classes().iter().map(|class| *class as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_haptics::Material;

    fn surface() -> ImplicitSurface {
        ImplicitSurface {
            id: 1,
            material: Material {
                stiffness_n_per_m: 1.0,
                damping_n_s_per_m: 0.0,
                friction: 0.0,
            },
            level: 0.5,
            terms: Vec::new(),
            classes: Vec::new(),
            sampled: None,
        }
    }

    fn line(count: u32) -> SkinState {
        let at = |i: u32| Vec3::new(0.004 * f64::from(i), 0.0, 0.0);
        let mut state = SkinState {
            primitives: (0..count).map(|i| Primitive::point(at(i), 0.01)).collect(),
            velocities: (0..count)
                .map(|i| Vec3::new(0.0, f64::from(i), 0.0))
                .collect(),
            ..SkinState::default()
        };
        for i in 1..count {
            state.graph.allow(i - 1, i);
        }
        state
    }

    #[test]
    fn what_is_felt_is_the_sum_of_all_wherever_the_list_is_said_to_hold() {
        let state = line(40);
        let (mut out, mut work) = (surface(), Near::default());
        let tool = Vec3::new(0.05, 0.006, 0.001);
        near(&mut work, &state, Blending::Free, &tool, 0.005, &mut out);
        assert!(out.terms.len() < 12, "{}", out.terms.len());
        for step in 0..200 {
            let turn = 0.7 * f64::from(step);
            let away = Vec3::new(turn.sin(), turn.cos(), (0.3 * turn).sin()).normalize();
            let at = tool + 0.005 * away;
            let all: f64 = state.primitives.iter().map(|p| p.value(&at)).sum();
            let felt = out.excess(&at) + out.level;
            assert!((all - felt).abs() < 1e-12, "{all} {felt}");
        }
    }

    #[test]
    fn of_too_many_the_nearest_are_felt_with_their_own_velocities() {
        let mut state = line(400);
        for (i, primitive) in state.primitives.iter_mut().enumerate() {
            primitive.skeleton = Skeleton::Point(Vec3::new(1e-5 * i as f64, 0.0, 0.0));
        }
        let (mut out, mut work) = (surface(), Near::default());
        let at = Vec3::new(0.002, 0.0, 0.0);
        near(&mut work, &state, Blending::Free, &at, 0.005, &mut out);
        let numbers: Vec<f64> = out.terms.iter().map(|t| t.velocity.y).collect();
        let expected: Vec<f64> = (168..232).map(f64::from).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn classes_are_those_of_the_graph_among_the_near_ones() {
        let mut state = line(3);
        let (mut out, mut work) = (surface(), Near::default());
        let at = Vec3::zeros();
        near(&mut work, &state, Blending::Controlled, &at, 0.01, &mut out);
        // The second blends with both, the first and the third do not with each other: as the digest has it, by representatives.
        assert_eq!(out.classes, [0b011, 0b110]);
        state.graph.allow(0, 2);
        near(&mut work, &state, Blending::Controlled, &at, 0.01, &mut out);
        assert!(out.classes.is_empty(), "all blend: {:?}", out.classes);
        // Groups count where there are any.
        state.groups = vec![0, 1, 0];
        near(&mut work, &state, Blending::Controlled, &at, 0.01, &mut out);
        assert_eq!(out.classes, [0b101, 0b010]);
        let far = Vec3::new(1.0, 0.0, 0.0);
        near(
            &mut work,
            &state,
            Blending::Controlled,
            &far,
            0.01,
            &mut out,
        );
        assert!(out.terms.is_empty() && out.classes.is_empty());
    }
}
