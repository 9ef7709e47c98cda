//! The camera: it orbits a point, with z up, and its projection can be inverted at a pixel.
//!
//! The world frame is right-handed, in metres. The eye looks along its own -z, with y up. Clip
//! space is that of wgpu (x right, y up, z 0 at the near plane and 1 at the far plane). Pixels
//! count from the upper left corner. The module is pure and does not allocate.

use nalgebra::{Matrix4, Point3, Vector3};

/// Half of the vertical field of view, rad.
const HALF_FOV_RAD: f32 = 0.33;
/// Minimum angle between the eye's direction and the poles, rad.
const POLE_RAD: f32 = 0.02;
/// Minimum and maximum distance from the target, m.
const DISTANCES_M: (f32, f32) = (1e-4, 1e4);
/// Drag distance of one radian, pixels.
const PIXELS_PER_RAD: f32 = 180.0;
/// Factor of the distance for one step of the wheel.
const ZOOM_STEP: f32 = 1.12;

/// Width and height of a picture, pixels.
pub type Size = [u32; 2];

/// An orbiting camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Point that it looks at, m.
    pub target: Point3<f32>,
    /// Distance from the target to the eye, m.
    pub distance_m: f32,
    /// Azimuth of the eye about the z axis, rad; 0 is on the side of +x.
    pub azimuth_rad: f32,
    /// Elevation of the eye above the horizon, rad.
    pub elevation_rad: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            target: Point3::origin(),
            distance_m: 0.5,
            azimuth_rad: -1.05,
            elevation_rad: 0.5,
        }
    }
}

/// Returns width over height; 1 for a picture without area.
fn aspect(size: Size) -> f32 {
    if size.contains(&0) {
        1.0
    } else {
        size[0] as f32 / size[1] as f32
    }
}

impl Camera {
    /// Returns the unit vector from the target to the eye.
    fn outward(&self) -> Vector3<f32> {
        let (sin_a, cos_a) = self.azimuth_rad.sin_cos();
        let (sin_e, cos_e) = self.elevation_rad.sin_cos();
        Vector3::new(cos_a * cos_e, sin_a * cos_e, sin_e)
    }

    /// Returns the position of the eye, m.
    pub fn eye(&self) -> Point3<f32> {
        self.target + self.outward() * self.distance_m
    }

    /// Returns the picture's right and up directions, unit vectors.
    pub fn right_up(&self) -> (Vector3<f32>, Vector3<f32>) {
        let (sin_a, cos_a) = self.azimuth_rad.sin_cos();
        let right = Vector3::new(-sin_a, cos_a, 0.0);
        (right, self.outward().cross(&right))
    }

    /// Returns the transform from world to eye coordinates.
    pub fn eye_from_world(&self) -> Matrix4<f32> {
        let (right, up) = self.right_up();
        let back = self.outward();
        let eye = self.eye().coords;
        let mut matrix = Matrix4::identity();
        for (row, axis) in [right, up, back].iter().enumerate() {
            matrix
                .fixed_view_mut::<1, 3>(row, 0)
                .copy_from(&axis.transpose());
            matrix[(row, 3)] = -axis.dot(&eye);
        }
        matrix
    }

    /// Returns the distances of the near and far planes from the eye, m.
    pub fn planes_m(&self) -> (f32, f32) {
        (self.distance_m * 0.02, self.distance_m * 200.0)
    }

    /// Returns the transform from eye to clip coordinates.
    pub fn clip_from_eye(&self, size: Size) -> Matrix4<f32> {
        let (near, far) = self.planes_m();
        let f = 1.0 / HALF_FOV_RAD.tan();
        let mut matrix = Matrix4::zeros();
        matrix[(0, 0)] = f / aspect(size);
        matrix[(1, 1)] = f;
        matrix[(2, 2)] = far / (near - far);
        matrix[(2, 3)] = near * far / (near - far);
        matrix[(3, 2)] = -1.0;
        matrix
    }

    /// Returns the transform from world to clip coordinates.
    pub fn clip_from_world(&self, size: Size) -> Matrix4<f32> {
        self.clip_from_eye(size) * self.eye_from_world()
    }

    /// Returns the pixel that shows a point; `None` for a point not in front of the near plane.
    pub fn pixel(&self, point: &Point3<f32>, size: Size) -> Option<[f32; 2]> {
        let clip = self.clip_from_world(size) * point.to_homogeneous();
        if !(clip.w > self.planes_m().0) {
            return None;
        }
        let (x, y) = (clip.x / clip.w, clip.y / clip.w);
        Some([
            (0.5 + 0.5 * x) * size[0] as f32,
            (0.5 - 0.5 * y) * size[1] as f32,
        ])
    }

    /// Returns the unit direction from the eye through a pixel.
    pub fn ray(&self, pixel: [f32; 2], size: Size) -> Vector3<f32> {
        let x = pixel[0] / size[0].max(1) as f32 * 2.0 - 1.0;
        let y = 1.0 - pixel[1] / size[1].max(1) as f32 * 2.0;
        let slope = HALF_FOV_RAD.tan();
        let (right, up) = self.right_up();
        let direction = right * (x * slope * aspect(size)) + up * (y * slope) - self.outward();
        direction.normalize()
    }

    /// Returns the length of a pixel at the target, m.
    pub fn pixel_m(&self, size: Size) -> f32 {
        2.0 * self.distance_m * HALF_FOV_RAD.tan() / size[1].max(1) as f32
    }

    /// Turns about the target, as by a drag of this many pixels: what is visible follows the hand.
    pub fn orbit(&mut self, pixels: [f32; 2]) {
        let limit = std::f32::consts::FRAC_PI_2 - POLE_RAD;
        let turned = self.azimuth_rad - pixels[0] / PIXELS_PER_RAD;
        self.azimuth_rad = turned.rem_euclid(std::f32::consts::TAU);
        self.elevation_rad = (self.elevation_rad + pixels[1] / PIXELS_PER_RAD).clamp(-limit, limit);
    }

    /// Moves parallel to the picture, as by a drag of this many pixels: the target stays under the
    /// hand.
    pub fn pan(&mut self, pixels: [f32; 2], size: Size) {
        let (right, up) = self.right_up();
        let m = self.pixel_m(size);
        self.target += up * (pixels[1] * m) - right * (pixels[0] * m);
    }

    /// Moves closer by this many steps of the wheel; negative steps move away.
    pub fn zoom(&mut self, steps: f32) {
        let distance = self.distance_m * ZOOM_STEP.powf(-steps.clamp(-50.0, 50.0));
        self.distance_m = distance.clamp(DISTANCES_M.0, DISTANCES_M.1);
    }

    /// Makes a ball fill the picture, seen from the current direction.
    pub fn frame(&mut self, centre: Point3<f32>, radius_m: f32, size: Size) {
        let across = (HALF_FOV_RAD.tan() * aspect(size)).atan().min(HALF_FOV_RAD);
        self.target = centre;
        self.distance_m = (radius_m / across.sin()).clamp(DISTANCES_M.0, DISTANCES_M.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Perspective3, Vector4};

    const SIZE: Size = [1280, 800];

    fn cameras() -> impl Iterator<Item = Camera> {
        (0..24u8).map(|k| {
            let k = f32::from(k);
            Camera {
                target: Point3::new(0.1 * k, -0.03 * k, 0.02),
                distance_m: 0.05 + 0.1 * k,
                azimuth_rad: 0.7 * k,
                elevation_rad: (1.3 * k).sin() * 1.5,
            }
        })
    }

    #[test]
    fn the_matrices_are_nalgebras_but_for_the_depth_of_clip_space() {
        for camera in cameras() {
            let up = Vector3::z();
            let theirs = Matrix4::look_at_rh(&camera.eye(), &camera.target, &up);
            assert!(
                (camera.eye_from_world() - theirs).amax() < 2e-4,
                "{camera:?}"
            );
            let (near, far) = camera.planes_m();
            let theirs = Perspective3::new(1.6, 2.0 * HALF_FOV_RAD, near, far);
            // nalgebra has the near plane at -1.
            let to_wgpu = Matrix4::new(
                1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 0.5, 0.5, 0., 0., 0., 1.,
            );
            let theirs = to_wgpu * theirs.as_matrix();
            let ours = camera.clip_from_eye(SIZE);
            assert!(
                (ours - theirs).amax() < 1e-5 * theirs.amax(),
                "{ours} {theirs}"
            );
        }
    }

    #[test]
    fn the_near_plane_is_at_0_and_the_far_one_at_1() {
        let camera = Camera::default();
        let (near, far) = camera.planes_m();
        for (z, depth) in [(near, 0.0), (far, 1.0)] {
            let clip = camera.clip_from_eye(SIZE) * Vector4::new(0.0, 0.0, -z, 1.0);
            assert!(
                (clip.z / clip.w - depth).abs() < 1e-4,
                "{}",
                clip.z / clip.w
            );
        }
    }

    #[test]
    fn a_ray_through_the_pixel_of_a_point_meets_the_point() {
        for camera in cameras() {
            for k in 0..27i8 {
                let offset = |n: i8| f32::from(n % 3 - 1) * 0.3 * camera.distance_m;
                let point = camera.target + Vector3::new(offset(k), offset(k / 3), offset(k / 9));
                let pixel = camera.pixel(&point, SIZE).unwrap();
                let to = point - camera.eye();
                let miss = to.cross(&camera.ray(pixel, SIZE)).norm() / to.norm();
                assert!(miss < 1e-4, "{camera:?} {point}: {miss}");
            }
        }
    }

    #[test]
    fn what_is_behind_the_eye_has_no_pixel() {
        for camera in cameras() {
            let behind = camera.eye() + (camera.eye() - camera.target);
            assert_eq!(camera.pixel(&behind, SIZE), None);
            assert_eq!(camera.pixel(&camera.eye(), SIZE), None);
        }
    }

    #[test]
    fn a_framed_ball_touches_the_border_in_either_format() {
        for size in [[1280, 800], [400, 900]] {
            let mut camera = Camera::default();
            let centre = Point3::new(0.3, -0.2, 0.1);
            camera.frame(centre, 0.07, size);
            let (right, up) = camera.right_up();
            let narrow = if size[0] < size[1] { right } else { up };
            let eye = camera.eye();
            // A ray from the eye to the outermost visible point of a ball is tangent to the ball.
            let d = camera.distance_m;
            let sine = 0.07 / d;
            let tangent =
                centre + (narrow * (1.0 - sine * sine).sqrt() + (eye - centre) / d * sine) * 0.07;
            let pixel = camera.pixel(&tangent, size).unwrap();
            let border = if size[0] < size[1] {
                pixel[0] - 400.0
            } else {
                pixel[1]
            };
            assert!(border.abs() < 0.5, "{size:?}: {pixel:?}");
        }
    }

    #[test]
    fn a_drag_takes_the_target_along_and_a_turn_stops_before_the_poles() {
        let mut camera = Camera::default();
        let held = camera.target;
        camera.pan([37.0, -11.0], SIZE);
        let pixel = camera.pixel(&held, SIZE).unwrap();
        assert!(
            (pixel[0] - 677.0).abs() < 0.1 && (pixel[1] - 389.0).abs() < 0.1,
            "{pixel:?}"
        );
        for pixels in [1e6, -1e6] {
            camera.orbit([3.0, pixels]);
            assert!(
                camera.elevation_rad.abs() < 1.56,
                "{}",
                camera.elevation_rad
            );
            let (right, up) = camera.right_up();
            assert!(right.cross(&up).z.signum() == pixels.signum());
        }
        camera.zoom(1e9);
        assert!(camera.distance_m >= DISTANCES_M.0);
        camera.zoom(-1e9);
        assert!(camera.distance_m.is_finite());
    }
}
