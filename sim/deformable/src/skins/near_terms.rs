//! The primitives of a body around a point, as the loop renders them.

use hapticd_geometry::Vec3;
use hapticd_proxy::{FOOT_REACH, ImplicitSurface, MAX_CLIQUES, MAX_TERMS, Term};
use hapticd_skin::blend::{Cliques, Set};
use hapticd_skin::{Primitive, Skeleton};

use super::{Blending, SkinState};

/// Scratch memory, kept between calls.
#[derive(Clone, Debug, Default)]
pub struct NearTerms {
    found: Vec<(f64, u32)>,
    may: Vec<Set>,
    cliques: Cliques,
}

impl NearTerms {
    /// Index in the body of a term of the last call; 0 if there is no such term.
    pub fn number(&self, term: usize) -> u32 {
        self.found.get(term).map_or(0, |(_, number)| *number)
    }

    /// Fills terms and cliques of `out` with the primitives that reach within `within_m` of a
    /// point, or the feet of such points. If they exceed the loop's capacity for terms or cliques,
    /// keeps the nearest. Allocates while its lists grow.
    pub fn fill(
        &mut self,
        state: &SkinState,
        blending: Blending,
        at: &Vec3,
        within_m: f64,
        out: &mut ImplicitSurface,
    ) {
        self.found.clear();
        for (number, primitive) in (0..).zip(&state.primitives) {
            let room = within_m + FOOT_REACH * primitive.radius_m;
            if reaches(primitive, at, room) {
                let distance = Term::new(primitive, Vec3::zeros()).distance_m(at);
                if distance <= room {
                    self.found.push((distance, number));
                }
            }
        }
        if self.found.len() > MAX_TERMS {
            keep_nearest(self, state, at, MAX_TERMS);
        }
        out.cliques.clear();
        // Half as many primitives have far fewer cliques, and a single one has one.
        while blending != Blending::Free && !find_cliques(self, state, &mut out.cliques) {
            keep_nearest(self, state, at, self.found.len() / 2);
        }
        out.terms.clear();
        for (_, number) in &self.found {
            let number = *number as usize;
            let velocity = state.velocities.get(number).copied().unwrap_or_default();
            out.terms
                .push(Term::new(&state.primitives[number], velocity));
        }
    }
}

/// Whether a primitive may reach within `within_m` of a point; for most, the centre decides.
fn reaches(primitive: &Primitive, at: &Vec3, within_m: f64) -> bool {
    match primitive.skeleton {
        Skeleton::Point(centre) => {
            let far = primitive.radius_m + within_m;
            (at - centre).norm_squared() <= far * far
        }
        _ => true,
    }
}

/// Keeps the nearest by their centres, since all of them reach the point; equals keep their order.
fn keep_nearest(work: &mut NearTerms, state: &SkinState, at: &Vec3, most: usize) {
    for (distance, number) in &mut work.found {
        *distance = (state.primitives[*number as usize].heart() - at).norm();
    }
    (work.found).sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    work.found.truncate(most);
    work.found.sort_unstable_by_key(|(_, number)| *number);
}

/// Finds the cliques of the primitives found; none if all blend. Returns false if there are too
/// many.
fn find_cliques(work: &mut NearTerms, state: &SkinState, out: &mut Vec<u64>) -> bool {
    let NearTerms {
        found,
        may,
        cliques,
    } = work;
    may.clear();
    let group = |number: u32| state.groups.get(number as usize);
    for (_, a) in found.iter() {
        let blends = |(place, (_, b)): (usize, &(f64, u32))| {
            let may = match (group(*a), group(*b)) {
                (Some(a), Some(b)) => a == b,
                _ => state.graph.blends(*a, *b),
            };
            Set::from(may) << place
        };
        may.push(found.iter().enumerate().map(blends).sum());
    }
    let all = match found.len() {
        0 => 0,
        count => Set::MAX >> (Set::BITS as usize - count),
    };
    match cliques.find(may, all, MAX_CLIQUES) {
        // A single clique of all needs no distinction. There are no more terms than a set of the
        // loop has bits.
        Ok([] | [_]) => true,
        Ok(cliques) => {
            out.extend(cliques.iter().map(|clique| *clique as u64));
            true
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_proxy::Material;

    fn surface() -> ImplicitSurface {
        ImplicitSurface {
            id: 1,
            material: Material {
                stiffness_n_per_m: 1.0,
                damping_n_s_per_m: 0.0,
                friction: 0.0,
                force_shading: false,
            },
            level: 0.5,
            terms: Vec::new(),
            cliques: Vec::new(),
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
        let (mut out, mut work) = (surface(), NearTerms::default());
        let tool = Vec3::new(0.05, 0.006, 0.001);
        work.fill(&state, Blending::Free, &tool, 0.005, &mut out);
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
        let (mut out, mut work) = (surface(), NearTerms::default());
        let at = Vec3::new(0.002, 0.0, 0.0);
        work.fill(&state, Blending::Free, &at, 0.005, &mut out);
        let numbers: Vec<f64> = out.terms.iter().map(|t| t.velocity.y).collect();
        let expected: Vec<f64> = (168..232).map(f64::from).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn cliques_are_those_of_the_graph_among_the_near_ones() {
        let mut state = line(3);
        let (mut out, mut work) = (surface(), NearTerms::default());
        let at = Vec3::zeros();
        let mut by = |state: &SkinState, at: &Vec3| {
            work.fill(state, Blending::Controlled, at, 0.01, &mut out);
            out.cliques.sort_unstable();
            (out.terms.len(), out.cliques.clone())
        };
        // The second blends with both, but the first and the third do not blend with each other.
        assert_eq!(by(&state, &at), (3, vec![0b011, 0b110]));
        state.graph.allow(0, 2);
        assert_eq!(by(&state, &at), (3, vec![]), "all blend");
        // Groups take precedence if there are any.
        state.groups = vec![0, 1, 0];
        assert_eq!(by(&state, &at), (3, vec![0b010, 0b101]));
        assert_eq!(by(&state, &Vec3::new(1.0, 0.0, 0.0)), (0, vec![]));
    }

    /// A strand whose window is shorter than the range that reaches a point: the rendered value is
    /// the largest sum over any window along the whole strand.
    #[test]
    fn what_is_felt_of_a_strand_is_its_highest_window() {
        let mut state = line(40);
        state.graph.strand(0, &[0.004; 39], 0.0081);
        for (i, primitive) in state.primitives.iter_mut().enumerate() {
            // Out, and back next to it.
            let (x, y) = if i < 20 { (i, 0.0) } else { (39 - i, 0.008) };
            primitive.skeleton = Skeleton::Point(Vec3::new(0.004 * x as f64, y, 0.0));
        }
        let (mut out, mut work) = (surface(), NearTerms::default());
        let mut creased = 0;
        for step in 0..200 {
            let turn = 0.7 * f64::from(step);
            let tool = Vec3::new(0.04 + 0.035 * turn.sin(), 0.004 + 0.006 * turn.cos(), 0.005);
            work.fill(&state, Blending::Creased, &tool, 0.002, &mut out);
            let values: Vec<f64> = state.primitives.iter().map(|p| p.value(&tool)).collect();
            let windows = values.windows(3).map(|w| w.iter().sum::<f64>());
            let wanted = windows.fold(0.0, f64::max);
            let felt = out.excess(&tool) + out.level;
            assert!((wanted - felt).abs() < 1e-12, "{wanted} {felt}");
            creased += u32::from(values.iter().sum::<f64>() > 1.2 * wanted && wanted > 0.1);
        }
        assert!(creased > 30, "{creased}");
    }

    /// If there are more cliques than the loop has capacity for, the furthest primitives are not
    /// rendered.
    #[test]
    fn of_too_many_cliques_those_of_the_nearest_are_felt() {
        let mut state = line(60);
        for (i, primitive) in state.primitives.iter_mut().enumerate() {
            primitive.skeleton = Skeleton::Point(Vec3::new(1e-5 * i as f64, 0.0, 0.0));
        }
        for b in 0..60 {
            for a in 0..b {
                if a / 3 == b / 3 {
                    state.graph.forbid(a, b);
                } else {
                    state.graph.allow(a, b);
                }
            }
        }
        let (mut out, mut work) = (surface(), NearTerms::default());
        let at = Vec3::new(-0.002, 0.0, 0.0);
        work.fill(&state, Blending::Controlled, &at, 0.005, &mut out);
        // Fifteen primitives have 3^5 cliques, seven have 3 * 3 * 1.
        assert_eq!((out.terms.len(), out.cliques.len()), (7, 9));
        assert_eq!(work.number(6), 6);
    }
}
