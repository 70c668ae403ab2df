//! A run without a player: the dam breaks, and a picture is taken.

use crate::camera::Orbit;
use crate::hand;
use crate::water::Game;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Makes the app break the dam, write a picture of its window in the tick, and end.
pub fn take(app: &mut App, file: PathBuf, tick: u64) {
    let stand_still = |mut orbit: Single<&mut Orbit>| orbit.is_alone = false;
    let breach = |mut game: ResMut<Game>| hand::break_dam(&mut game);
    let shoot = move |mut commands: Commands, game: Res<Game>, mut is_taken: Local<bool>| {
        if game.world.ticks() >= tick && !core::mem::replace(&mut *is_taken, true) {
            let file = file.clone();
            let save_and_end =
                move |shot: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                    let saved = save(&shot.image, &file);
                    exit.write(saved.map_or_else(
                        |problem| {
                            error!("{}: {problem}", file.display());
                            AppExit::error()
                        },
                        |()| AppExit::Success,
                    ));
                };
            commands.spawn(Screenshot::primary_window()).observe(save_and_end);
        }
    };
    // A frame shows at most one tick more than the one before, however long it takes to draw.
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(PostStartup, (stand_still, breach))
        .add_systems(Last, shoot);
}

fn save(image: &Image, file: &Path) -> Result<(), Box<dyn Error>> {
    // Alpha is of no use: a window's is not what is seen.
    Ok(image.clone().try_into_dynamic()?.to_rgb8().save(file)?)
}
