//! A camera that circles round a point, or stands where a player would.

use floodplain::glam::camera::rh::{proj::opengl, view::look_at_mat4};
use floodplain::glam::{Mat4, Vec3, Vec4};

/// The field of view from bottom to top, in degrees: of a camera that looks at a world from
/// outside, and of one that stands in it.
const FIELD: f32 = 42.0;
const EYE_FIELD: f32 = 68.0;

/// How near and how far the camera comes, in cells.
const DISTANCES: (f32, f32) = (8.0, 420.0);

/// How low and how high it stands, in degrees above the horizon.
const HEIGHTS: (f32, f32) = (3.0, 88.0);

/// Where the camera stands: round a point in the middle of its pictures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Degrees round the world; at 0 it looks north.
    round: f32,
    /// Degrees above the horizon.
    above: f32,
    /// In cells.
    distance: f32,
    middle: Vec3,
    /// From bottom to top, in degrees.
    field: f32,
}

impl Camera {
    /// Returns a camera: degrees round the world and above the horizon, the distance in cells, and
    /// the point in the middle. Heights and distances out of range are brought into it.
    pub fn new([round, above, distance]: [f32; 3], middle: Vec3) -> Camera {
        let mut camera = Camera { round, above, distance, middle, field: FIELD };
        camera.turn(0.0, 0.0);
        camera.approach(1.0);
        camera
    }

    /// Returns a camera in the eyes of a player who stands at a point and looks at another. It may
    /// look upwards, and both may be near each other, until it is turned.
    pub fn of_player(eye: Vec3, middle: Vec3) -> Camera {
        let off = eye - middle;
        let distance = off.length().max(0.1);
        let round = off.x.atan2(off.z).to_degrees();
        let above = (off.y / distance).asin().to_degrees().clamp(-HEIGHTS.1, HEIGHTS.1);
        Camera { round, above, distance, middle, field: EYE_FIELD }
    }

    /// Returns the point in the middle of its pictures, and how far that is.
    pub fn focus(&self) -> (Vec3, f32) {
        (self.middle, self.distance)
    }

    /// Returns the directions to the right and upwards on its pictures.
    pub fn sides(&self) -> (Vec3, Vec3) {
        let ahead = self.ahead();
        let right = ahead.cross(Vec3::Y).normalize_or_zero();
        (right, right.cross(ahead))
    }

    /// Returns where it stands.
    pub fn eye(&self) -> Vec3 {
        self.middle - self.ahead() * self.distance
    }

    fn ahead(&self) -> Vec3 {
        let (round, above) = (self.round.to_radians(), self.above.to_radians());
        let level = above.cos();
        -Vec3::new(round.sin() * level, above.sin(), round.cos() * level)
    }

    /// Turns it, in degrees.
    pub fn turn(&mut self, round: f32, above: f32) {
        self.round = (self.round + round).rem_euclid(360.0);
        self.above = (self.above + above).clamp(HEIGHTS.0, HEIGHTS.1);
    }

    /// Multiplies its distance.
    pub fn approach(&mut self, factor: f32) {
        self.distance = (self.distance * factor).clamp(DISTANCES.0, DISTANCES.1);
    }

    /// Moves it over the ground, in shares of its distance: to the right, and ahead.
    pub fn walk(&mut self, right: f32, ahead: f32) {
        let (sin, cos) = self.round.to_radians().sin_cos();
        let (side, front) = (Vec3::new(cos, 0.0, -sin), Vec3::new(-sin, 0.0, -cos));
        self.middle += (side * right + front * ahead) * self.distance;
    }

    /// Returns the matrix from the world to the screen, of this width over its height.
    pub fn matrix(&self, aspect: f32) -> Mat4 {
        let field = self.field.to_radians();
        let (near, far) = ((self.distance * 0.02).clamp(0.2, 8.0), self.distance + 600.0);
        opengl::perspective(field, aspect, near, far)
            * look_at_mat4(self.eye(), self.middle, Vec3::Y)
    }

    /// Returns the direction of the ray through a point of the screen, from −1 to 1 to the right
    /// and upwards.
    pub fn ray(&self, aspect: f32, right: f32, up: f32) -> Vec3 {
        let far = self.matrix(aspect).inverse() * Vec4::new(right, up, 1.0, 1.0);
        (far.truncate() / far.w - self.eye()).normalize()
    }
}

/// Returns whether a box may be seen through a matrix: not if all its corners lie beyond one side
/// of the screen.
pub fn may_see(matrix: &Mat4, low: Vec3, high: Vec3) -> bool {
    let corners: [Vec4; 8] = std::array::from_fn(|corner| {
        let part = |axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
        *matrix * Vec4::new(part(0), part(1), part(2), 1.0)
    });
    let is_beyond = |side: fn(&Vec4) -> bool| corners.iter().all(side);
    !(is_beyond(|at| at.x < -at.w)
        || is_beyond(|at| at.x > at.w)
        || is_beyond(|at| at.y < -at.w)
        || is_beyond(|at| at.y > at.w)
        || is_beyond(|at| at.z < -at.w))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera::new([0.0, 30.0, 100.0], Vec3::new(10.0, 20.0, 30.0))
    }

    #[test]
    fn the_middle_is_in_the_middle_of_the_screen() {
        let camera = camera();
        let at = camera.matrix(1.6) * camera.middle.extend(1.0);
        assert!(at.x.abs() < 1e-3 && at.y.abs() < 1e-3);
        let ray = camera.ray(1.6, 0.0, 0.0);
        assert!((camera.eye() + ray * 100.0).distance(camera.middle) < 0.1);
        assert!(camera.eye().z > 100.0, "it looks north from the south");
        assert!(camera.ray(1.6, 0.9, 0.0).x > 0.3, "east is to the right");
    }

    #[test]
    fn a_player_looks_from_the_eyes_at_a_point() {
        let (eye, middle) = (Vec3::new(3.0, 4.0, 5.0), Vec3::new(9.0, 8.0, -2.0));
        let camera = Camera::of_player(eye, middle);
        assert!(camera.eye().distance(eye) < 1e-3);
        assert!(camera.ray(1.6, 0.0, 0.0).y > 0.0, "upwards");
        let (right, up) = camera.sides();
        assert!(right.x > 0.0 && right.y == 0.0 && up.y > 0.0);
        assert!(right.dot(middle - eye).abs() < 1e-3 && up.dot(middle - eye).abs() < 1e-3);
    }

    #[test]
    fn points_behind_or_beside_the_camera_are_not_seen() {
        let camera = camera();
        let matrix = camera.matrix(1.6);
        let sees = |middle: Vec3| may_see(&matrix, middle - 8.0, middle + 8.0);
        assert!(sees(camera.middle));
        assert!(!sees(camera.eye() + Vec3::new(0.0, 20.0, 40.0)));
        assert!(!sees(camera.middle + Vec3::X * 200.0));
    }

    #[test]
    fn heights_and_distances_stay_in_range() {
        let mut camera = Camera::new([0.0, -50.0, 1e9], Vec3::ZERO);
        assert_eq!((camera.above, camera.distance), (HEIGHTS.0, DISTANCES.1));
        camera.turn(400.0, 500.0);
        camera.approach(0.0);
        assert_eq!((camera.round, camera.above, camera.distance), (40.0, HEIGHTS.1, DISTANCES.0));
    }
}
