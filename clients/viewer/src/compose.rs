//! Composes a picture from a scene and a view of it: bodies, hands and tools, contacts, forces, and
//! the grid on the floor.
//!
//! The module is pure. The tool is solid at the proxy and translucent at the device pose. Marks
//! grow with the distance, so that they have the same size in any scene. An arrow's length is its
//! force times [`Scale::metres_per_newton`].

use crate::{
    camera::{Camera, Size},
    controls::Controls,
    picture::{Glyphs, Item, Line, Picture, Style, matrix},
    scene::{Bounds, VisibleArm, VisibleBody, VisibleScene, point, vector},
    theme::{self, Theme},
};
use hapticd_client::{BodyKind, flag};
use nalgebra::{Point3, Vector3};
use std::sync::Arc;

/// Minimum distance of two lines of the floor, pixels.
const GRID_PIXELS: f32 = 22.0;
/// Maximum number of lines of the floor on either side.
const GRID_LINES: i32 = 60;
/// Minimum length of a force of 1 N, pixels.
const FORCE_PIXELS: f32 = 28.0;
/// Radius of a contact's mark, pixels.
const CONTACT_PIXELS: f32 = 4.0;
/// Length of a contact's normal, pixels.
const NORMAL_PIXELS: f32 = 26.0;

/// Sizes that the legend states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Distance of two lines of the grid, m.
    pub grid_m: f32,
    /// Length of an arrow for 1 N, m.
    pub metres_per_newton: f32,
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is at least this size; 1 if it is
/// not a positive finite number.
pub fn round_up(size: f32) -> f32 {
    if !(size > 0.0 && size.is_finite()) {
        return 1.0;
    }
    let power = 10.0_f32.powf(size.log10().floor());
    let steps = [1.0, 2.0, 5.0].map(|step| step * power);
    // A size that rounding puts slightly above a step counts as that step.
    let fits = |step: &&f32| **step >= size * (1.0 - 1e-5);
    steps.iter().find(fits).copied().unwrap_or(10.0 * power)
}

/// Returns the sizes that fit this view.
pub fn scale(camera: &Camera, size: Size) -> Scale {
    let pixel_m = camera.pixel_m(size);
    Scale {
        grid_m: round_up(pixel_m * GRID_PIXELS),
        metres_per_newton: round_up(pixel_m * FORCE_PIXELS),
    }
}

/// Composes the picture of a scene in this view.
pub fn compose(scene: &VisibleScene, controls: &Controls, glyphs: &Glyphs, size: Size) -> Picture {
    let camera = controls.camera;
    let pixel_m = camera.pixel_m(size);
    let scale = scale(&camera, size);
    let mut items: Vec<Item> = bodies(&scene.bodies).collect();
    for (index, arm) in scene.arms.iter().enumerate() {
        items.extend(arm_items(index, arm, glyphs, pixel_m, scale));
    }
    let bounds = scene.bounds();
    let mut lines = grid(bounds, &camera, scale.grid_m, controls.theme);
    lines.extend(axes(bounds, pixel_m, controls.theme));
    Picture {
        camera,
        background: controls.theme.background(),
        items,
        lines,
        fade: Some((floor_centre(bounds, &camera), fade_m(scale.grid_m))),
    }
}

fn bodies(bodies: &[VisibleBody]) -> impl Iterator<Item = Item> {
    let is_static = |body: &VisibleBody| body.kind == BodyKind::Static;
    bodies.iter().enumerate().filter_map(move |(at, body)| {
        let alike = bodies[..at]
            .iter()
            .filter(|b| is_static(b) == is_static(body));
        let color = theme::body(body.kind, alike.count());
        Some(Item {
            model: Arc::clone(&body.model),
            world_from_model: matrix(&body.world_from_body?),
            color,
            style: if color[3] < 1.0 {
                Style::Translucent
            } else {
                Style::Solid
            },
        })
    })
}

fn arm_items(
    index: usize,
    arm: &VisibleArm,
    glyphs: &Glyphs,
    pixel_m: f32,
    scale: Scale,
) -> Vec<Item> {
    let (Some(state), Some((device, proxy))) = (&arm.state, arm.poses()) else {
        return Vec::new();
    };
    let [r, g, b, _] = theme::tool(index);
    let tool = |pose, color, style| Item {
        model: Arc::clone(&arm.tool),
        world_from_model: matrix(pose),
        color,
        style,
    };
    // The body around the tool would hide it and does not hold it: draw the tool through it.
    let placed = if state.has(flag::INSIDE) {
        tool(&proxy, theme::INSIDE, Style::Mark)
    } else {
        tool(&proxy, [r, g, b, 1.0], Style::Solid)
    };
    let mut items = vec![placed, tool(&device, [r, g, b, 0.30], Style::Translucent)];
    for contact in &arm.contacts {
        let (at, normal) = (point(contact.point_m), vector(contact.normal));
        if !at.iter().chain(normal.iter()).all(|x| x.is_finite()) {
            continue;
        }
        items.push(glyphs.ball(&at, CONTACT_PIXELS * pixel_m, theme::CONTACT, Style::Mark));
        let along = normal * (NORMAL_PIXELS * pixel_m);
        items.extend(glyphs.arrow(&at, &along, 1.1 * pixel_m, theme::CONTACT));
    }
    let along = vector(state.force_n) * scale.metres_per_newton;
    // An arrow below a few pixels is noise.
    if along.norm() > 3.0 * pixel_m {
        let from = Point3::from(proxy.translation.vector);
        items.extend(glyphs.arrow(&from, &along, 2.6 * pixel_m, theme::FORCE));
    }
    items
}

/// Returns the centre of the floor's grid: below everything, near the point in view.
fn floor_centre(bounds: Option<Bounds>, camera: &Camera) -> Point3<f32> {
    let floor_m = bounds.map_or(0.0, |b| b.low.z - 0.003 * b.radius_m());
    Point3::new(camera.target.x, camera.target.y, floor_m)
}

fn fade_m(grid_m: f32) -> f32 {
    grid_m * GRID_LINES as f32 * 0.95
}

fn grid(bounds: Option<Bounds>, camera: &Camera, grid_m: f32, theme: Theme) -> Vec<Line> {
    let centre = floor_centre(bounds, camera);
    let half_m = fade_m(grid_m);
    let [common, tenth] = theme.grid();
    let mut lines = Vec::new();
    for axis in 0..2 {
        // Lines lie at multiples of the distance, independent of the view.
        let middle = (centre[axis] / grid_m).round();
        for k in -GRID_LINES..=GRID_LINES {
            let number = middle + k as f32;
            let mut from = centre;
            from[axis] = number * grid_m;
            let mut to = from;
            from[1 - axis] -= half_m;
            to[1 - axis] += half_m;
            let strong = (number / 10.0).fract() == 0.0;
            lines.push(Line {
                from,
                to,
                width: if strong { 1.6 } else { 1.0 },
                color: if strong { tenth } else { common },
                fades: true,
            });
        }
    }
    lines
}

/// Returns the directions of the world's axes, next to the lowest corner of the scene.
fn axes(bounds: Option<Bounds>, pixel_m: f32, theme: Theme) -> impl Iterator<Item = Line> {
    let from = bounds.map_or_else(Point3::origin, |b| {
        let aside_m = 0.08 * b.radius_m();
        b.low - Vector3::new(aside_m, aside_m, 0.0)
    });
    let colors = theme.axes().into_iter().enumerate();
    colors.map(move |(axis, color)| {
        let mut along = Vector3::zeros();
        along[axis] = 60.0 * pixel_m;
        Line {
            from,
            to: from + along,
            width: 2.6,
            color,
            fades: false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{history::History, model::Model, scene::Link};
    use hapticd_client::{ArmInfo, ArmState, Contact, Limit, Pose};

    const SIZE: Size = [1280, 800];

    pub(crate) fn arm() -> VisibleArm {
        let state = ArmState {
            flags: flag::ATTACHED | flag::TOUCHING,
            force_n: [0.0, 0.0, 2.0],
            world_from_device: Pose {
                translation_m: [0.0, 0.0, -0.01],
                ..Pose::IDENTITY
            },
            ..ArmState::EMPTY
        };
        VisibleArm {
            info: ArmInfo {
                name: hapticd_protocol::text::Name::new("right").unwrap(),
                world_from_base: Pose::IDENTITY,
                scale: 1.0,
                workspace_center_m: [0.0; 3],
                workspace_half_extents_m: [0.08; 3],
                peak_force_n: Limit(8.0),
                continuous_force_n: Limit(3.0),
                peak_torque_nm: Limit(0.0),
                tool_radius_m: 0.005,
                period_ns: 1_000_000,
                sensed_dof: 3,
                actuated_dof: 3,
                index: 0,
                attached: true,
            },
            state: Some(state),
            inside: None,
            contacts: vec![Contact {
                normal: [0.0, 0.0, 1.0],
                ..Contact::NONE
            }],
            tool: Arc::new(Model::ball()),
            history: History::default(),
        }
    }

    fn scene() -> VisibleScene {
        VisibleScene {
            link: Link::Up,
            arms: vec![arm()],
            ..VisibleScene::default()
        }
    }

    fn tip(picture: &Picture) -> f32 {
        let red = picture
            .items
            .iter()
            .rfind(|item| item.color == theme::FORCE)
            .unwrap();
        red.world_from_model
            .transform_point(&Point3::new(0.0, 0.0, 1.0))
            .z
    }

    #[test]
    fn an_arrow_is_as_long_as_the_legend_says_at_any_distance() {
        let (mut controls, mut scene) = (Controls::new(Theme::Dark), scene());
        for distance_m in [0.05, 0.3, 7.0, 90.0] {
            controls.camera.distance_m = distance_m;
            for force_n in [1.0, 2.0, 5.0] {
                scene.arms[0].state.as_mut().unwrap().force_n = [0.0, 0.0, force_n];
                let picture = compose(&scene, &controls, &Glyphs::default(), SIZE);
                let expected = scale(&controls.camera, SIZE).metres_per_newton * force_n as f32;
                assert!(
                    (tip(&picture) / expected - 1.0).abs() < 1e-5,
                    "{distance_m} {force_n}"
                );
            }
        }
    }

    #[test]
    fn the_tool_is_solid_at_the_proxy_and_translucent_at_the_hand() {
        let (controls, scene) = (Controls::new(Theme::Dark), scene());
        let picture = compose(&scene, &controls, &Glyphs::default(), SIZE);
        let heights: Vec<_> = picture.items[..2]
            .iter()
            .map(|item| (item.style, item.world_from_model[(2, 3)]))
            .collect();
        assert_eq!(heights, [(Style::Solid, 0.0), (Style::Translucent, -0.01)]);
    }

    #[test]
    fn a_tool_inside_a_body_is_drawn_through_it_in_a_colour_of_its_own() {
        let (controls, mut scene) = (Controls::new(Theme::Dark), scene());
        scene.arms[0].state.as_mut().unwrap().flags |= flag::INSIDE;
        let picture = compose(&scene, &controls, &Glyphs::default(), SIZE);
        let proxy = &picture.items[0];
        assert_eq!((proxy.style, proxy.color), (Style::Mark, theme::INSIDE));
    }

    #[test]
    fn an_arm_that_is_not_there_has_neither_tool_nor_marks_and_no_force_has_no_arrow() {
        let (controls, mut scene) = (Controls::new(Theme::Dark), scene());
        let red = |picture: &Picture| picture.items.iter().any(|item| item.color == theme::FORCE);
        for force_n in [[0.0; 3], [1e-6, 0.0, 0.0], [f64::NAN; 3]] {
            scene.arms[0].state.as_mut().unwrap().force_n = force_n;
            assert!(
                !red(&compose(&scene, &controls, &Glyphs::default(), SIZE)),
                "{force_n:?}"
            );
        }
        scene.arms[0].state.as_mut().unwrap().flags = 0;
        let picture = compose(&scene, &controls, &Glyphs::default(), SIZE);
        assert!(picture.items.is_empty());
    }

    #[test]
    fn steps_of_the_grid_are_round_and_never_too_narrow() {
        for (size, step) in [
            (0.011, 0.02),
            (0.02, 0.02),
            (0.021, 0.05),
            (0.6, 1.0),
            (7.0, 10.0),
            (1e-4, 1e-4),
        ] {
            assert!(
                (round_up(size) / step - 1.0).abs() < 1e-4,
                "{size}: {}",
                round_up(size)
            );
        }
        for nothing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(round_up(nothing), 1.0);
        }
        let (mut controls, scene) = (Controls::new(Theme::Dark), scene());
        for k in 0..60u8 {
            controls.camera.distance_m = 0.01 * 1.2_f32.powi(k.into());
            let grid_m = scale(&controls.camera, SIZE).grid_m;
            let pixels = grid_m / controls.camera.pixel_m(SIZE);
            assert!(
                (GRID_PIXELS * 0.99..GRID_PIXELS * 2.6).contains(&pixels),
                "{pixels}"
            );
            let lines = compose(&scene, &controls, &Glyphs::default(), SIZE).lines;
            assert!(lines.len() < 300);
        }
    }
}
