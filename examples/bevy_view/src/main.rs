//! A valley with a lake behind a dam, drawn by the whole engine Bevy: break the dam, dig, pour.
//!
//! The plugin of floodplain's feature `bevy` needs the ECS of Bevy 0.20. The renderer of that
//! version needs a newer Rust than this crate's tests use. So this is the other way to draw the
//! water with Bevy: the world as a resource, ticks within a budget in `FixedUpdate`, and a mesh for
//! each chunk that looks different. It has no need of the plugin, and works with any version of
//! Bevy.
//!
//! ```text
//! cargo run --release --manifest-path examples/bevy_view/Cargo.toml -- --help
//! ```
//!
//! | file | what |
//! |---|---|
//! | `water.rs` | the world, its ticks, and the entities of its water |
//! | `surface.rs` | the meshes of its water, with foam and falls |
//! | `ground.rs` | the meshes of its ground |
//! | `skin.rs` | meshes by chunk, of one material |
//! | `camera.rs` | the camera, which swings until the player turns it |
//! | `hand.rs` | what the player does |
//! | `picture.rs` | a run without a player, for a picture |

mod camera;
mod ground;
mod hand;
mod options;
mod picture;
mod skin;
mod surface;
#[path = "../../shared/dammed_valley.rs"]
mod valley;
mod water;

use bevy::light::CascadeShadowConfigBuilder;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use options::Options;
use std::process::ExitCode;

fn main() -> ExitCode {
    match options::parse(std::env::args_os().skip(1)) {
        Ok(None) => print!("{}", options::HELP),
        Ok(Some(options)) => match play(options) {
            AppExit::Success => {}
            AppExit::Error(code) => return ExitCode::from(code.get()),
        },
        Err(error) => {
            eprintln!("bevy_view: {error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn play(options: Options) -> AppExit {
    let mut app = App::new();
    let window = Window {
        title: "floodplain: B breaks the dam, D digs, W pours, S makes a spring".to_owned(),
        resolution: (1280, 720).into(),
        ..default()
    };
    let window = WindowPlugin { primary_window: Some(window), ..default() };
    // A picture waits for its shaders.
    let renderer =
        RenderPlugin { synchronous_pipeline_compilation: options.picture.is_some(), ..default() };
    app.add_plugins(DefaultPlugins.set(window).set(renderer))
        .insert_resource(Time::<Fixed>::from_hz(20.0))
        .insert_resource(ClearColor(Color::srgb(0.62, 0.74, 0.84)))
        .add_systems(Startup, (light, camera::place, water::load))
        .add_systems(FixedUpdate, water::tick)
        .add_systems(Update, (camera::turn, hand::act, water::draw, ground::draw).chain());
    if let Some(picture) = options.picture {
        picture::take(&mut app, picture, options.tick);
    }
    app.run()
}

/// The sun, and the light of the sky in the shade.
fn light(mut commands: Commands, mut sky: ResMut<GlobalAmbientLight>) {
    sky.color = Color::srgb(0.8, 0.88, 1.0);
    sky.brightness = 1_000.0;
    let sun = DirectionalLight { illuminance: 6_000.0, shadow_maps_enabled: true, ..default() };
    let place = Transform::from_xyz(90.0, 110.0, 45.0).looking_at(Vec3::ZERO, Vec3::Y);
    let shadows = CascadeShadowConfigBuilder {
        first_cascade_far_bound: 60.0,
        maximum_distance: 350.0,
        ..default()
    };
    commands.spawn((sun, place, shadows.build()));
}
