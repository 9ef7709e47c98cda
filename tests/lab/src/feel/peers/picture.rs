//! Two curves of each method: the deviation of its force from the smooth truth on a sphere, and its
//! upward force while it is pressed through a plate.

use super::compare::{ALL, Trajectory};
use crate::svg::{Axis, COLOURS, Frame, Point, Svg};
use hapticd_geometry::Vec3;

/// Ticks of the slide in the picture.
const SHOWN: std::ops::Range<usize> = 300..1100;

/// Draws the results of each method in [`ALL`] on both trajectories.
pub fn of(sphere: (&Trajectory, &[Vec<Vec3>]), plate: (&Trajectory, &[Vec<Vec3>])) -> String {
    let names: Vec<&str> = ALL.iter().map(|(_, name)| *name).collect();
    let mut svg = Svg::new(860.0, 560.0);
    let angle = Frame {
        place: [70.0, 30.0, 600.0, 200.0],
        x: Axis::linear(
            "ms, a ball slides over a sphere of 1280 triangles",
            [SHOWN.start as f64, SHOWN.end as f64],
        ),
        y: Axis::linear("degrees from the smooth truth", [0.0, 8.0]),
    };
    angle.axes(&mut svg);
    angle.names(&mut svg, &names);
    let (trajectory, forces) = sphere;
    for (on, colour) in forces.iter().zip(COLOURS) {
        let line: Vec<Point> = SHOWN
            .map(|k| {
                [
                    k as f64,
                    on[k].angle(&trajectory.path[k]).to_degrees().min(8.0),
                ]
            })
            .collect();
        svg.line(&angle.all(&line), colour, 1.2);
    }
    let force = Frame {
        place: [70.0, 310.0, 600.0, 200.0],
        x: Axis::linear("mm down, pressed through a plate of 4 mm", [0.0, 9.6]),
        y: Axis::linear("N up", [-4.0, 8.0]),
    };
    force.axes(&mut svg);
    let (trajectory, forces) = plate;
    let top = trajectory.path[0].z;
    for (on, colour) in forces.iter().zip(COLOURS) {
        let line: Vec<Point> = trajectory
            .path
            .iter()
            .zip(on)
            .map(|(at, f)| [1e3 * (top - at.z), f.z])
            .collect();
        svg.line(&force.all(&line), colour, 1.2);
    }
    svg.finish()
}
