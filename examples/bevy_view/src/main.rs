//! A valley with a lake behind a dam, drawn by the whole engine Bevy: break the dam, dig, pour.
//!
//! The plugin of floodplain's feature `bevy` runs the world: edits go in as messages, ticks run in
//! `FixedUpdate` within a budget, and each chunk is an entity, which is drawn again when it counts
//! as `Changed`. With `--client` the world runs in another app, and what is drawn is a mirror of
//! it: only bytes pass between the two. Both ways share the meshes, and look the same.
//!
//! ```text
//! cd examples/bevy_view && cargo run --release -- --help
//! ```
//!
//! | file | what |
//! |---|---|
//! | `game.rs` | a world in this app, by the plugin |
//! | `server.rs`, `client.rs` | a world in an app of its own, and its mirror in this one |
//! | `chunks.rs` | what is drawn of a chunk: an entity for its water, and one for its ground |
//! | `surface.rs` | the meshes of water, with foam and falls |
//! | `ground.rs` | the meshes of ground |
//! | `triangles.rs` | meshes that are being made |
//! | `camera.rs` | the camera, which swings until the player turns it; the light |
//! | `hand.rs` | the edits that the player asks for |
//! | `picture.rs` | a run without a player, for a picture |

mod camera;
mod chunks;
mod client;
mod game;
mod ground;
mod hand;
mod options;
mod picture;
mod server;
mod surface;
mod triangles;
#[path = "../../shared/dammed_valley.rs"]
mod valley;

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
        .add_plugins((camera::plugin, chunks::plugin, hand::plugin))
        .add_plugins(if options.client { client::plugin } else { game::plugin });
    if let Some(picture) = options.picture {
        picture::take(&mut app, picture, options.tick);
    }
    app.run()
}
