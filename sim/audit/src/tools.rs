//! Checks between two tools, as between a tool and a body, for every pairing of balls and meshes.

use hapticd_geometry::Pose;

use crate::{
    ScrewMotion, Solid, Sweep, SweepLimits, Tool, is_finite, penetration_depth_m, sweep_body,
    sweep_tool,
};

/// Follows a tool that moves past a tool that stands still, as [`sweep_tool`] does. The centre of a
/// ball moves in a straight line.
#[must_use]
pub fn sweep_past_tool(
    mover: &Tool<'_>,
    motion: ScrewMotion<'_>,
    other: &Tool<'_>,
    at: &Pose,
    limits: &SweepLimits,
) -> Sweep {
    let ScrewMotion { from, to } = motion;
    match (mover, other) {
        (_, Tool::Mesh(solid)) => sweep_tool(mover, motion, solid, at, limits),
        (Tool::Mesh(solid), Tool::Sphere { .. }) => sweep_body(other, at, solid, motion, limits),
        (Tool::Sphere { radius_m: a }, Tool::Sphere { radius_m: b }) => {
            let start = from.translation.vector - at.translation.vector;
            let way = to.translation.vector - from.translation.vector;
            let t = -start.dot(&way) / way.norm_squared();
            // Written so that zero motion (0 / 0) gives the start.
            let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
            let gap = (start + way * t).norm() - (a + b);
            if !(is_finite(from) && is_finite(to) && is_finite(at)) {
                Sweep::Unresolved {
                    t: 0.0,
                    distance_m: gap,
                }
            } else if gap > 0.0 {
                Sweep::Clear { seen_m: gap }
            } else {
                Sweep::Crossing { t }
            }
        }
    }
}

/// Returns how deep two tools are in each other, m: 0 if and only if they do not touch and neither
/// is inside the other.
#[must_use]
pub fn tools_overlap_m(a: &Tool<'_>, at_a: &Pose, b: &Tool<'_>, at_b: &Pose) -> f64 {
    let in_solid = |tool: &Tool<'_>, at: &Pose, solid: &Solid, there: &Pose| {
        penetration_depth_m(tool, at, solid, there)
    };
    match (a, b) {
        (Tool::Mesh(x), Tool::Mesh(y)) => {
            in_solid(a, at_a, y, at_b).max(in_solid(b, at_b, x, at_a))
        }
        (Tool::Sphere { .. }, Tool::Mesh(y)) => in_solid(a, at_a, y, at_b),
        (Tool::Mesh(x), Tool::Sphere { .. }) => in_solid(b, at_b, x, at_a),
        (Tool::Sphere { radius_m: r }, Tool::Sphere { radius_m: s }) => {
            let apart = (at_a.translation.vector - at_b.translation.vector).norm();
            // Written so that NaN counts as deep.
            if apart > r + s {
                0.0
            } else {
                (r + s - apart).max(f64::MIN_POSITIVE)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Vec3, shapes};

    #[test]
    fn every_pairing_tells_past_from_through() {
        let cube = Solid::new(&shapes::cuboid(&Vec3::repeat(0.01)).unwrap());
        let tools = [Tool::Sphere { radius_m: 0.01 }, Tool::Mesh(&cube)];
        let at = Pose::identity();
        let limits = SweepLimits::default();
        for a in &tools {
            for b in &tools {
                let sweep = |height: f64| {
                    let pose = |x: f64| Pose::translation(x, 0.001, height);
                    sweep_past_tool(
                        a,
                        ScrewMotion {
                            from: &pose(-0.1),
                            to: &pose(0.1),
                        },
                        b,
                        &at,
                        &limits,
                    )
                };
                let overlap = |x: f64| tools_overlap_m(a, &Pose::translation(x, 0.0, 0.0), b, &at);
                assert!(matches!(sweep(0.0201), Sweep::Clear { .. }));
                assert!(matches!(sweep(0.0199), Sweep::Crossing { .. }));
                assert!(overlap(0.0201) == 0.0 && overlap(0.0199) > 0.0 && overlap(0.0) > 0.0);
                assert!(overlap(f64::NAN) > 0.0);
            }
        }
        // One entirely inside the other, surfaces apart.
        let small = Tool::Sphere { radius_m: 0.001 };
        assert!(tools_overlap_m(&small, &at, &tools[1], &at) > 0.0);
        assert!(tools_overlap_m(&tools[1], &at, &small, &at) > 0.0);
    }
}
