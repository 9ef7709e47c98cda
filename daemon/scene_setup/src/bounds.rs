//! Bounds on the size of a configuration's shapes, and on their distance from the origin.
//!
//! Beyond 10 km the rounding of a coordinate is no longer small against the clearance, and the
//! boxes of trees lose their meaning. Beyond a million triangles a generated shape takes minutes
//! and gigabytes, which is hardly intended with a number of cells.

use hapticd_config as config;
use hapticd_geometry::Vec3;

/// Maximum coordinate of a mesh, m. Clients' poses have the same bound.
pub const MAX_COORDINATE_M: f64 = 1e4;
/// Maximum number of triangles of a generated shape; files may have more.
pub const GENERATED_TRIANGLES_MAX: u64 = 1_000_000;

/// Reason why a shape is not made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// A vertex is too far away, after scaling.
    #[error(
        "{}vertex {vertex} is {metres:.3e} m from the origin; {MAX_COORDINATE_M} m are allowed: \
         is `scale` right?",
        line.map(|line| format!("line {line}: ")).unwrap_or_default()
    )]
    Far {
        /// Line of the vertex, from 1, if the file has lines.
        line: Option<usize>,
        /// Number of the vertex: from 1 in such a file, otherwise from 0.
        vertex: usize,
        /// Largest coordinate of the vertex, m.
        metres: f64,
    },
    /// A number of cells or segments is too large.
    #[error("it would have about {triangles} triangles; {GENERATED_TRIANGLES_MAX} are allowed")]
    Count {
        /// Estimated number of triangles.
        triangles: u64,
    },
}

/// Checks the number of triangles of a shape before it is made.
pub fn check_count(shape: &config::Shape) -> Result<(), BoundsError> {
    use config::Shape as S;
    let triangles = match shape {
        S::Terrain { cells, .. } | S::Sheet { cells, .. } => 2 * u64::from(*cells).pow(2),
        S::Torus {
            major_segments,
            minor_segments,
            ..
        } => 2 * u64::from(*major_segments) * u64::from(*minor_segments),
        S::Icosphere { subdivisions, .. } => 20 << (2 * u64::from((*subdivisions).min(20))),
        // Linear in numbers of at most a few thousand.
        _ => 0,
    };
    if triangles > GENERATED_TRIANGLES_MAX {
        return Err(BoundsError::Count { triangles });
    }
    Ok(())
}

/// Checks that all points of a file are near enough to the origin; `scale` is the length of its
/// unit, m.
pub fn check_extent(points: &[Vec3], scale: f64) -> Result<(), BoundsError> {
    for (vertex, point) in points.iter().enumerate() {
        let metres = point.amax() * scale;
        if metres.is_nan() || metres > MAX_COORDINATE_M {
            let line = None;
            return Err(BoundsError::Far {
                line,
                vertex,
                metres,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_of_millions_of_triangles_are_never_made() {
        let terrain = |cells| config::Shape::Terrain {
            size_m: [0.3, 0.3],
            amplitude_m: 0.02,
            depth_m: 0.05,
            cells,
            seed: 1,
        };
        assert_eq!(check_count(&terrain(700)), Ok(()));
        let triangles = 2 * 1024 * 1024;
        assert_eq!(
            check_count(&terrain(1024)),
            Err(BoundsError::Count { triangles })
        );
        let torus = config::Shape::Torus {
            major_radius_m: 0.05,
            minor_radius_m: 0.01,
            major_segments: 4096,
            minor_segments: 4096,
        };
        assert!(check_count(&torus).is_err());
    }

    #[test]
    fn points_beyond_ten_kilometres_are_refused_with_their_number() {
        let points = [Vec3::zeros(), Vec3::new(0.0, -2e9, 0.0)];
        let far = BoundsError::Far {
            line: None,
            vertex: 1,
            metres: 2e9,
        };
        assert_eq!(check_extent(&points, 1.0), Err(far));
        assert_eq!(check_extent(&points, 1e-6), Ok(()));
        assert!(check_extent(&[Vec3::repeat(f64::NAN)], 1.0).is_err());
    }
}
