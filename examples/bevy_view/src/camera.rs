//! The camera: it goes round the middle of the valley, slowly, until the player turns it.

use crate::valley;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollUnit};
use bevy::prelude::*;

/// What the camera looks at: the valley below the dam.
const MIDDLE: Vec3 = Vec3::new(valley::LENGTH as f32 * 0.42, 14.0, 24.0);

/// Radians a second of the camera that no player has turned.
const SPEED: f32 = 0.05;

/// Radians that a pixel of the mouse turns.
const TURN: f32 = 0.005;

/// Where the camera is, as seen from the middle: radians round the upright and above the ground,
/// and cells.
#[derive(Component)]
pub struct Orbit {
    round: f32,
    above: f32,
    distance: f32,
    /// Whether it goes round by itself.
    pub is_alone: bool,
}

impl Orbit {
    fn transform(&self) -> Transform {
        let turned = Quat::from_rotation_y(self.round) * Quat::from_rotation_x(-self.above);
        Transform::from_translation(MIDDLE + turned * Vec3::Z * self.distance)
            .looking_at(MIDDLE, Vec3::Y)
    }
}

pub fn place(mut commands: Commands) {
    let orbit = Orbit { round: 0.75, above: 0.55, distance: 115.0, is_alone: true };
    // The default of Bevy needs tables that come with another feature.
    commands.spawn((Camera3d::default(), Tonemapping::AcesFitted, orbit.transform(), orbit));
}

pub fn turn(
    camera: Single<(&mut Orbit, &mut Transform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    moved: Res<AccumulatedMouseMotion>,
    scrolled: Res<AccumulatedMouseScroll>,
    time: Res<Time>,
) {
    let (mut orbit, mut transform) = camera.into_inner();
    if buttons.pressed(MouseButton::Left) {
        orbit.is_alone = false;
        orbit.round -= TURN * moved.delta.x;
        orbit.above = (orbit.above + TURN * moved.delta.y).clamp(0.05, 1.5);
    } else if orbit.is_alone {
        orbit.round += SPEED * time.delta_secs();
    }
    let lines = match scrolled.unit {
        MouseScrollUnit::Line => scrolled.delta.y,
        MouseScrollUnit::Pixel => scrolled.delta.y / MouseScrollUnit::SCROLL_UNIT_CONVERSION_FACTOR,
    };
    orbit.distance = (orbit.distance * 0.9_f32.powf(lines)).clamp(10.0, 300.0);
    *transform = orbit.transform();
}
