//! Forces between entities: the law of repulsion, and the distances that it takes.
//!
//! Equation 8.1 of Pitiot 2015 (section 8.2.2): `F = k (R - d)^2 - z d'` up to `R`, nothing beyond.
//! The source gives no numbers, and does not say what a strong damping does to an entity that
//! leaves: taken literally it would pull. Here a repulsion never pulls: negative results are set
//! to 0.
//!
//! The field of an edge is an ellipse, "a sum of two distances": its distance is half the
//! difference between the path over the point and the length of the edge. So a bubble of reach `R`
//! about an edge of length `L` is `sqrt(R (R + L))` wide to each side, more than `R`. The
//! registration depends on the width, so the width is given, and the reach follows from it
//! ([`reach_m`]). Taken literally, a long edge would also be weak, `k R^2` at most, where its reach
//! is short. Here distances are measured as fractions of the reach, so that the law's `R` is the
//! width for every edge ([`Influence::scaled`]).
//!
//! Pure; no allocation. Metres, seconds, unit masses.

use hapticd_geometry::Vec3;

/// Equation 8.1 without its radius, for a unit mass.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Stiffness, 1/(m s^2).
    pub stiffness: f64,
    /// Damping, 1/s.
    pub damping: f64,
}

impl Law {
    /// Returns the acceleration, m/s^2, at a distance, m, that changes at this rate, m/s, for an
    /// influence with this reach, m.
    pub fn strength(&self, distance_m: f64, rate_m_s: f64, reach_m: f64) -> f64 {
        if distance_m > reach_m {
            return 0.0;
        }
        let inside = reach_m - distance_m;
        (self.stiffness * inside * inside - self.damping * rate_m_s).max(0.0)
    }
}

/// An influence on a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    pub distance_m: f64,
    /// Rate of change of the distance.
    pub rate_m_s: f64,
    /// Direction in which the distance grows: a unit vector, or 0 if there is none.
    pub away: Vec3,
}

/// A position and its velocity.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    pub at: Vec3,
    pub velocity: Vec3,
}

impl Influence {
    /// Returns the influence with its distances multiplied by `by`.
    pub fn scaled(self, by: f64) -> Self {
        Influence {
            distance_m: self.distance_m * by,
            rate_m_s: self.rate_m_s * by,
            ..self
        }
    }
}

fn unit(v: Vec3) -> Vec3 {
    let length = v.norm();
    if length > 0.0 { v / length } else { v }
}

/// Returns the influence of a point on another.
pub fn of_point(on: &Moving, by: &Moving) -> Influence {
    let away = unit(on.at - by.at);
    Influence {
        distance_m: (on.at - by.at).norm(),
        rate_m_s: away.dot(&(on.velocity - by.velocity)),
        away,
    }
}

/// Returns the elliptical distance of a point from an edge: 0 on the edge.
pub fn edge_distance_m(on: &Vec3, ends: &[Vec3; 2]) -> f64 {
    let [a, b] = ends;
    0.5 * ((on - a).norm() + (on - b).norm() - (b - a).norm()).max(0.0)
}

/// Returns the influence of an edge on a point. A point on the edge itself is pushed to the right
/// of the edge: out of a polygon that is counter-clockwise seen from +z.
pub fn of_edge(on: &Moving, [a, b]: &[Moving; 2]) -> Influence {
    let (u, v, along) = (unit(on.at - a.at), unit(on.at - b.at), unit(b.at - a.at));
    let rate = u.dot(&(on.velocity - a.velocity)) + v.dot(&(on.velocity - b.velocity))
        - along.dot(&(b.velocity - a.velocity));
    let sum = u + v;
    let away = if sum.norm() > 1e-9 {
        sum.normalize()
    } else {
        along.cross(&Vec3::z())
    };
    Influence {
        distance_m: edge_distance_m(&on.at, &[a.at, b.at]),
        rate_m_s: 0.5 * rate,
        away,
    }
}

/// Returns the reach R of a bubble that is `across_m` wide to each side of an edge: nothing farther
/// than that from the edge is inside.
pub fn reach_m(across_m: f64, length_m: f64) -> f64 {
    let half = 0.5 * length_m;
    (half * half + across_m * across_m).sqrt() - half
}

#[cfg(test)]
mod tests {
    use hapticd_geometry::closest::point_segment;
    use hapticd_testkit::Random;

    use super::*;

    fn moving(random: &mut Random) -> Moving {
        Moving {
            at: random.vector() * 3.0,
            velocity: random.vector(),
        }
    }

    fn later(m: &Moving, t: f64) -> Vec3 {
        m.at + m.velocity * t
    }

    #[test]
    fn box_33_the_law_is_equation_8_1_and_ends_at_its_radius() {
        let law = Law {
            stiffness: 2.0,
            damping: 0.5,
        };
        assert_eq!(law.strength(0.25, 0.0, 1.0), 2.0 * 0.75 * 0.75);
        assert_eq!(law.strength(0.25, -1.0, 1.0), 2.0 * 0.75 * 0.75 + 0.5);
        assert_eq!(law.strength(1.0, -1.0, 1.0), 0.5);
        assert_eq!(law.strength(1.0 + 1e-12, -1.0, 1.0), 0.0);
        assert_eq!(law.strength(0.9, 5.0, 1.0), 0.0, "it does not pull");
    }

    #[test]
    fn box_33_rates_and_directions_are_those_of_differences() {
        let mut random = Random::new(1);
        let h = 1e-6;
        for _ in 0..2000 {
            let [p, a, b] = std::array::from_fn(|_| moving(&mut random));
            let [point, edge] = [of_point(&p, &a), of_edge(&p, &[a, b])];
            let ends = |t: f64| [later(&a, t), later(&b, t)];
            let distance = |t: f64| edge_distance_m(&later(&p, t), &ends(t));
            assert_eq!(edge.distance_m, distance(0.0));
            let rate = (distance(h) - distance(-h)) / (2.0 * h);
            assert!((edge.rate_m_s - rate).abs() < 1e-5, "{edge:?} {rate}");
            let apart = |t: f64| (later(&p, t) - later(&a, t)).norm();
            let rate = (apart(h) - apart(-h)) / (2.0 * h);
            assert!((point.rate_m_s - rate).abs() < 1e-5, "{point:?} {rate}");
            // In no direction does the distance grow faster than in this one.
            let slope =
                |to: Vec3| (edge_distance_m(&(p.at + to * h), &ends(0.0)) - edge.distance_m) / h;
            let most = slope(edge.away);
            for _ in 0..20 {
                assert!(slope(random.direction()) <= most + 1e-4, "{edge:?}");
            }
        }
    }

    #[test]
    fn box_33_a_bubble_is_as_wide_as_asked_and_nowhere_wider() {
        let mut random = Random::new(2);
        for _ in 0..300 {
            let (across, length) = (random.between(0.2, 3.0), random.between(0.01, 6.0));
            let reach = reach_m(across, length);
            let ends = [Vec3::zeros(), Vec3::x() * length];
            // Its lateral extent matches the source's own ellipse, with half axes R + L / 2 and
            // sqrt(R (R + L)).
            assert!(((reach * (reach + length)).sqrt() - across).abs() < 1e-9);
            let side = Vec3::new(0.5 * length, across, 0.0);
            assert!((edge_distance_m(&side, &ends) - reach).abs() < 1e-9);
            for _ in 0..200 {
                let p = random.vector().component_mul(&Vec3::new(8.0, 4.0, 0.0));
                let apart = (point_segment(&p, &ends[0], &ends[1]).0 - p).norm();
                if apart > across + 1e-9 {
                    assert!(
                        edge_distance_m(&p, &ends) > reach,
                        "{p:?} {across} {length}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_on_an_edge_is_pushed_out_of_the_polygon() {
        let still = |at: Vec3| Moving {
            at,
            velocity: Vec3::zeros(),
        };
        let edge = [still(Vec3::zeros()), still(Vec3::x())];
        let found = of_edge(&still(Vec3::new(0.5, 0.0, 0.0)), &edge);
        assert_eq!(found.away, -Vec3::y());
        let end = of_edge(&still(Vec3::zeros()), &edge);
        assert!(end.away.iter().all(|x| x.is_finite()) && end.distance_m == 0.0);
    }
}
