//! The camera, which looks up the valley and swings, slowly, until the player turns it; and the
//! light.

use crate::valley;
use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::input::mouse::{
    AccumulatedMouseMotion, AccumulatedMouseScroll, MouseScrollPixelsPerLine,
};
use bevy::light::CascadeShadowConfigBuilder;
use bevy::prelude::*;

/// What the camera looks at: the valley below the dam.
const MIDDLE: Vec3 = Vec3::new(valley::LENGTH as f32 * 0.36, 20.0, 24.0);

/// Where it looks from: radians round the upright from the south, and above the ground; cells. The
/// ridges would be in its way from further round.
const ROUND: f32 = 1.38;
const ABOVE: f32 = 0.52;
const DISTANCE: f32 = 62.0;

/// Radians to each side that it swings by itself, and radians of that motion's phase in a second.
const SWING: f32 = 0.3;
const PACE: f32 = 0.15;

/// Radians that a pixel of the mouse turns.
const TURN: f32 = 0.005;

pub fn plugin(app: &mut App) {
    app.insert_resource(ClearColor(Color::srgb(0.62, 0.74, 0.84)))
        .add_systems(Startup, (place, light))
        .add_systems(Update, turn);
}

/// Where the camera is, as seen from the middle: radians round the upright and above the ground,
/// and cells.
#[derive(Component)]
struct Orbit {
    round: f32,
    above: f32,
    distance: f32,
    /// Whether it swings by itself.
    is_alone: bool,
}

impl Orbit {
    fn transform(&self) -> Transform {
        let turned = Quat::from_rotation_y(self.round) * Quat::from_rotation_x(-self.above);
        Transform::from_translation(MIDDLE + turned * Vec3::Z * self.distance)
            .looking_at(MIDDLE, Vec3::Y)
    }
}

fn place(mut commands: Commands) {
    let orbit = Orbit { round: ROUND, above: ABOVE, distance: DISTANCE, is_alone: true };
    // The default of Bevy needs tables that come with another feature.
    commands.spawn((Camera3d::default(), Tonemapping::AcesFitted, orbit.transform(), orbit));
}

fn turn(
    camera: Single<(&mut Orbit, &mut Transform)>,
    buttons: Res<ButtonInput<MouseButton>>,
    moved: Res<AccumulatedMouseMotion>,
    scrolled: Res<AccumulatedMouseScroll>,
    wheel: Res<MouseScrollPixelsPerLine>,
    time: Res<Time>,
) {
    let (mut orbit, mut transform) = camera.into_inner();
    if buttons.pressed(MouseButton::Left) {
        orbit.is_alone = false;
        orbit.round -= TURN * moved.delta.x;
        orbit.above = (orbit.above + TURN * moved.delta.y).clamp(0.05, 1.5);
    } else if orbit.is_alone {
        orbit.round = ROUND + SWING * (PACE * time.elapsed_secs()).sin();
    }
    let lines = scrolled.to_lines(&wheel).delta.y;
    orbit.distance = (orbit.distance * 0.9_f32.powf(lines)).clamp(10.0, 300.0);
    *transform = orbit.transform();
}

/// The sun, and the light of the sky in the shade.
fn light(mut commands: Commands, mut sky: ResMut<GlobalAmbientLight>) {
    sky.color = Color::srgb(0.75, 0.85, 1.0);
    sky.brightness = 1_200.0;
    let sun = DirectionalLight {
        color: Color::srgb(1.0, 0.93, 0.82),
        illuminance: 8_000.0,
        shadow_maps_enabled: true,
        ..default()
    };
    let place = Transform::from_xyz(60.0, 110.0, 40.0).looking_at(Vec3::ZERO, Vec3::Y);
    let shadows = CascadeShadowConfigBuilder {
        first_cascade_far_bound: 60.0,
        maximum_distance: 350.0,
        ..default()
    };
    commands.spawn((sun, place, shadows.build()));
}
