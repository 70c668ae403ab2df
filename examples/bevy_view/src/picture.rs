//! A run without a player: the dam breaks, and a picture is taken.

use crate::camera::Orbit;
use crate::hand;
use crate::water::Game;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use std::path::PathBuf;

/// Makes the app break the dam, write a picture of its window in the tick, and end.
pub fn take(app: &mut App, file: PathBuf, tick: u64) {
    let stand_still = |mut orbit: Single<&mut Orbit>| orbit.is_alone = false;
    let breach = |mut game: ResMut<Game>| hand::break_dam(&mut game);
    app.add_systems(PostStartup, (stand_still, breach));
    let shoot = move |mut commands: Commands, game: Res<Game>, mut is_taken: Local<bool>| {
        if game.world.ticks() >= tick && !core::mem::replace(&mut *is_taken, true) {
            let mut save = save_to_disk(file.clone());
            let save_and_end =
                move |shot: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                    save(shot);
                    exit.write(AppExit::Success);
                };
            commands.spawn(Screenshot::primary_window()).observe(save_and_end);
        }
    };
    app.add_systems(Last, shoot);
}
