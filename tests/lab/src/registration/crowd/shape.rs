//! Shape matching: displaced points remember their shape.
//!
//! Müller et al. 2005, *Meshless deformations based on shape matching*, as Pitiot 2015, section
//! 8.2.2 uses it, in the plane and with equal masses. The best rotation is the polar factor of the
//! sum of `p_i q_i^T`; in the plane its angle has a closed form (polar decomposition of a 2 x 2
//! matrix). The source's *plasticity*, `beta`, is Müller's weight of the best linear map, which has
//! the area of the rest shape. Its *elasticity*, `alpha`, is the fraction of the path to its goal
//! that a point moves in a step.
//!
//! Pure; the goals are written where the caller says.

use hapticd_geometry::Vec3;

/// A shape at rest, about its own centre.
#[derive(Clone, Debug)]
pub struct Shape {
    rest: Vec<Vec3>,
    /// `(sum q q^T)^-1`, by rows.
    inverse: [[f64; 2]; 2],
    /// Elasticity, 0 to 1.
    alpha: f64,
    /// Plasticity, 0 to 1.
    beta: f64,
}

type Square = [[f64; 2]; 2];

fn outer(pairs: impl Iterator<Item = (Vec3, Vec3)>) -> Square {
    let mut sum = [[0.0; 2]; 2];
    for (p, q) in pairs {
        sum[0][0] += p.x * q.x;
        sum[0][1] += p.x * q.y;
        sum[1][0] += p.y * q.x;
        sum[1][1] += p.y * q.y;
    }
    sum
}

fn det(m: &Square) -> f64 {
    m[0][0] * m[1][1] - m[0][1] * m[1][0]
}

fn times(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][0] * b[0][j] + a[i][1] * b[1][j]))
}

/// Returns the mean of some points.
pub fn centre(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}

impl Shape {
    /// Makes a shape from points; `None` if they lie on a line.
    pub fn new(points: &[Vec3], alpha: f64, beta: f64) -> Option<Self> {
        let middle = centre(points);
        let rest: Vec<Vec3> = points.iter().map(|p| p - middle).collect();
        let m = outer(rest.iter().map(|q| (*q, *q)));
        let d = det(&m);
        let size = m[0][0] + m[1][1];
        (d > 1e-9 * size * size).then(|| Shape {
            inverse: [[m[1][1] / d, -m[0][1] / d], [-m[1][0] / d, m[0][0] / d]],
            rest,
            alpha,
            beta,
        })
    }

    /// Computes the goal of each point, with the shape fitted to the points.
    pub fn goals(&self, points: &[Vec3], goals: &mut Vec<Vec3>) {
        let middle = centre(points);
        let apq = outer(points.iter().zip(&self.rest).map(|(p, q)| (p - middle, *q)));
        let angle = (apq[1][0] - apq[0][1]).atan2(apq[0][0] + apq[1][1]);
        let (sin, cos) = angle.sin_cos();
        let turn = [[cos, -sin], [sin, cos]];
        let mut linear = times(&apq, &self.inverse);
        let area = det(&linear);
        if area > 1e-6 {
            linear = linear.map(|row| row.map(|x| x / area.sqrt()));
        } else {
            // Flat or turned over: there is no area to preserve.
            linear = turn;
        }
        let m: Square = std::array::from_fn(|i| {
            std::array::from_fn(|j| self.beta * linear[i][j] + (1.0 - self.beta) * turn[i][j])
        });
        goals.clear();
        goals.extend(self.rest.iter().map(|q| {
            let x = m[0][0] * q.x + m[0][1] * q.y;
            let y = m[1][0] * q.x + m[1][1] * q.y;
            middle + Vec3::new(x, y, 0.0)
        }));
    }

    /// Computes the velocities that the shape adds, m/s, in a step of this length, s.
    pub fn pull(
        &self,
        points: &[Vec3],
        step_s: f64,
        goals: &mut Vec<Vec3>,
        velocities: &mut [Vec3],
    ) {
        self.goals(points, goals);
        for ((v, g), p) in velocities.iter_mut().zip(goals.iter()).zip(points) {
            *v += (g - p) * (self.alpha / step_s);
        }
    }
}

#[cfg(test)]
mod tests {
    use hapticd_testkit::Random;

    use super::*;

    fn slug(random: &mut Random) -> Vec<Vec3> {
        (0..8)
            .map(|i| {
                let (sin, cos) = (f64::from(i) * std::f64::consts::FRAC_PI_4).sin_cos();
                Vec3::new(2.0 * cos, sin, 0.0) * random.between(0.7, 1.3)
            })
            .collect()
    }

    fn turned(points: &[Vec3], angle: f64, by: Vec3) -> Vec<Vec3> {
        let (sin, cos) = angle.sin_cos();
        let turn = |p: &Vec3| Vec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, 0.0) + by;
        points.iter().map(turn).collect()
    }

    fn off(a: &[Vec3], b: &[Vec3]) -> f64 {
        a.iter().zip(b).map(|(p, q)| (p - q).norm_squared()).sum()
    }

    #[test]
    fn box_35_a_shape_that_has_only_moved_is_where_it_belongs() {
        let mut random = Random::new(1);
        for _ in 0..200 {
            let rest = slug(&mut random);
            let shape = Shape::new(&rest, 0.5, random.unit()).unwrap();
            let by = Vec3::new(random.signed(), random.signed(), 0.0) * 9.0;
            let now = turned(&rest, random.between(-3.1, 3.1), by);
            let mut goals = Vec::new();
            shape.goals(&now, &mut goals);
            assert!(off(&goals, &now) < 1e-20);
        }
    }

    #[test]
    fn box_35_no_other_rotation_fits_better() {
        let mut random = Random::new(2);
        for _ in 0..50 {
            let rest = slug(&mut random);
            let shape = Shape::new(&rest, 0.5, 0.0).unwrap();
            let now: Vec<Vec3> = (turned(&rest, random.between(-3.1, 3.1), Vec3::x()).iter())
                .map(|p| p + Vec3::new(random.signed(), random.signed(), 0.0))
                .collect();
            let mut goals = Vec::new();
            shape.goals(&now, &mut goals);
            let (home, middle) = (centre(&rest), centre(&now));
            let about: Vec<Vec3> = rest.iter().map(|p| p - home).collect();
            for k in 0..720 {
                let other = turned(&about, f64::from(k) * std::f64::consts::PI / 360.0, middle);
                assert!(off(&goals, &now) <= off(&other, &now) + 1e-9);
            }
        }
    }

    /// Returns the number of steps until a sheared shape's error has fallen to a hundredth.
    fn settling(alpha: f64, beta: f64, shear: f64) -> (u32, f64) {
        let mut random = Random::new(3);
        let rest = slug(&mut random);
        let shape = Shape::new(&rest, alpha, beta).unwrap();
        let mut now: Vec<Vec3> = rest.iter().map(|p| p + Vec3::x() * (shear * p.y)).collect();
        let rigid = Shape::new(&rest, 1.0, 0.0).unwrap();
        let (mut goals, mut ideal) = (Vec::new(), Vec::new());
        rigid.goals(&now, &mut ideal);
        let first = off(&ideal, &now);
        for k in 0..1000 {
            rigid.goals(&now, &mut ideal);
            if off(&ideal, &now) < 1e-4 * first {
                return (k, 0.0);
            }
            let mut v = vec![Vec3::zeros(); now.len()];
            shape.pull(&now, 0.1, &mut goals, &mut v);
            for (p, v) in now.iter_mut().zip(&v) {
                *p += v * 0.1;
            }
        }
        (1000, off(&ideal, &now) / first)
    }

    #[test]
    fn box_35_alpha_is_how_soon_and_beta_how_much_of_a_deformation_stays() {
        let soft = settling(0.1, 0.0, 0.8).0;
        let stiff = settling(0.5, 0.0, 0.8).0;
        // The remaining error falls by 1 - alpha per step: to a hundredth in log(0.01) / log(1 -
        // alpha).
        assert!((43..=45).contains(&soft), "{soft}");
        assert!((6..=8).contains(&stiff), "{stiff}");
        assert!(settling(0.1, 0.5, 0.8).0 > soft);
        let (steps, kept) = settling(0.5, 1.0, 0.8);
        assert!(
            steps == 1000 && (kept - 1.0).abs() < 1e-9,
            "all of a shear of the same area: {kept}"
        );
    }

    #[test]
    fn box_35_what_is_no_shape_is_refused_and_what_is_flattened_comes_back() {
        let line: Vec<Vec3> = (0..5).map(|i| Vec3::x() * f64::from(i)).collect();
        assert!(Shape::new(&line, 0.5, 0.0).is_none());
        let mut random = Random::new(4);
        let rest = slug(&mut random);
        let shape = Shape::new(&rest, 0.3, 0.9).unwrap();
        let mut now: Vec<Vec3> = rest.iter().map(|p| Vec3::new(p.x, 0.0, 0.0)).collect();
        let mut goals = Vec::new();
        for _ in 0..2000 {
            let mut v = vec![Vec3::zeros(); now.len()];
            shape.pull(&now, 0.1, &mut goals, &mut v);
            for (p, v) in now.iter_mut().zip(&v) {
                *p += v * 0.1;
            }
        }
        assert!(off(&goals, &now) < 1e-6 && now.iter().any(|p| p.y.abs() > 0.3));
    }
}
