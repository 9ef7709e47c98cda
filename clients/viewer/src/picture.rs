//! Input of the renderer: models at poses, lines, a camera, a background.
//!
//! Colours are sRGB with straight alpha, 0 to 1. Pure.

use crate::{camera::Camera, model::Model};
use nalgebra::{Isometry3, Matrix4, Point3, Rotation3, Vector3};
use std::sync::Arc;

/// sRGB with straight alpha.
pub type Color = [f32; 4];

/// Style of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Opaque.
    Solid,
    /// What is behind it remains visible.
    Translucent,
    /// Opaque, and visible through everything that hides it: for marks.
    Mark,
}

/// A model at a pose.
#[derive(Clone, Debug)]
pub struct Item {
    /// The model.
    pub model: Arc<Model>,
    /// Pose and scale.
    pub world_from_model: Matrix4<f32>,
    /// Its colour.
    pub color: Color,
    /// Its style.
    pub style: Style,
}

/// A straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end, m.
    pub from: Point3<f32>,
    /// The other, m.
    pub to: Point3<f32>,
    /// Width in pixels.
    pub width: f32,
    /// Its colour.
    pub color: Color,
    /// Whether it fades out with the distance from [`Picture::fade`].
    pub fades: bool,
}

/// A whole picture.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// The camera.
    pub camera: Camera,
    /// Colour of the background.
    pub background: Color,
    /// Models.
    pub items: Vec<Item>,
    /// Lines.
    pub lines: Vec<Line>,
    /// Centre about which lines fade, and the distance at which they are invisible, m.
    pub fade: Option<(Point3<f32>, f32)>,
}

/// Models for marks.
#[derive(Clone, Debug)]
pub struct Glyphs {
    ball: Arc<Model>,
    shaft: Arc<Model>,
    cone: Arc<Model>,
}

impl Default for Glyphs {
    fn default() -> Self {
        Self {
            ball: Arc::new(Model::ball()),
            shaft: Arc::new(Model::shaft()),
            cone: Arc::new(Model::cone()),
        }
    }
}

impl Glyphs {
    /// Returns a ball.
    pub fn ball(&self, at: &Point3<f32>, radius_m: f32, color: Color, style: Style) -> Item {
        Item {
            model: Arc::clone(&self.ball),
            world_from_model: Matrix4::new_translation(&at.coords).prepend_scaling(radius_m),
            color,
            style,
        }
    }

    /// Returns an arrow of this thickness from a point along a vector; nothing for a vector without
    /// direction. The head is as long as four radii, or as a whole short arrow.
    pub fn arrow(
        &self,
        from: &Point3<f32>,
        vector: &Vector3<f32>,
        radius_m: f32,
        color: Color,
    ) -> Vec<Item> {
        let length_m = vector.norm();
        if !(length_m > 0.0 && length_m.is_finite()) {
            return Vec::new();
        }
        let head_m = (4.5 * radius_m).min(length_m);
        let turn = Rotation3::rotation_between(&Vector3::z(), vector).unwrap_or_else(|| {
            Rotation3::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI)
        });
        let part = |model: &Arc<Model>, start_m: f32, radius_m: f32, length_m: f32| Item {
            model: Arc::clone(model),
            world_from_model: Matrix4::new_translation(
                &(from.coords + vector / vector.norm() * start_m),
            ) * turn.to_homogeneous()
                * Matrix4::new_nonuniform_scaling(&Vector3::new(radius_m, radius_m, length_m)),
            color,
            style: Style::Mark,
        };
        let shaft_m = length_m - head_m;
        let head = part(&self.cone, shaft_m, 0.45 * head_m, head_m);
        let shaft = (shaft_m > 0.0).then(|| part(&self.shaft, 0.0, radius_m, shaft_m));
        shaft.into_iter().chain([head]).collect()
    }
}

/// Converts a pose to a matrix.
pub fn matrix(pose: &Isometry3<f32>) -> Matrix4<f32> {
    pose.to_homogeneous()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_begins_and_ends_where_it_says_whichever_way_it_points() {
        let glyphs = Glyphs::default();
        let from = Point3::new(0.1, 0.2, 0.3);
        for vector in [
            Vector3::z(),
            -Vector3::z(),
            Vector3::x(),
            Vector3::new(0.3, -0.4, 0.5),
        ] {
            for length in [0.02, 1.0] {
                let vector = vector.normalize() * length;
                let items = glyphs.arrow(&from, &vector, 0.01, [1.0; 4]);
                assert_eq!(items.len(), if length > 0.05 { 2 } else { 1 });
                let start = items[0].world_from_model.transform_point(&Point3::origin());
                let tip = items
                    .last()
                    .unwrap()
                    .world_from_model
                    .transform_point(&Point3::new(0.0, 0.0, 1.0));
                assert!((start - from).norm() < 1e-6, "{vector}");
                assert!((tip - (from + vector)).norm() < 1e-6, "{vector}");
            }
        }
        for nothing in [
            Vector3::zeros(),
            Vector3::repeat(f32::NAN),
            Vector3::repeat(f32::INFINITY),
        ] {
            assert!(glyphs.arrow(&from, &nothing, 0.01, [1.0; 4]).is_empty());
        }
    }
}
