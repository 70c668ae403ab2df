//! A run without a player: the dam breaks, and a picture is taken.

use crate::chunks::Flow;
use crate::hand;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use std::error::Error;
use std::path::{Path, PathBuf};

/// The frame that is saved: the first ones lack what is still on its way to the GPU.
const FRAME: u32 = 10;

/// Makes the app break the dam, stop after the tick, write a picture of its window, and end.
pub fn take(app: &mut App, file: PathBuf, tick: u64) {
    let flood = move |app: &mut World| {
        app.write_message(hand::break_dam());
        while app.resource::<Flow>().ticks < tick {
            app.run_schedule(FixedUpdate);
        }
        app.resource_mut::<Time<Virtual>>().pause();
    };
    let shoot = move |mut commands: Commands, mut frame: Local<u32>| {
        *frame += 1;
        if *frame == FRAME {
            let file = file.clone();
            commands.spawn(Screenshot::primary_window()).observe(
                move |shot: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                    exit.write(answer(save(&shot.image, &file), &file));
                },
            );
        }
    };
    app.add_systems(PostStartup, flood).add_systems(Last, shoot);
}

/// Returns what the app ends with, once the picture is saved or not.
fn answer(saved: Result<(), Box<dyn Error>>, file: &Path) -> AppExit {
    match saved {
        Ok(()) => AppExit::Success,
        Err(problem) => {
            error!("{}: {problem}", file.display());
            AppExit::error()
        }
    }
}

fn save(image: &Image, file: &Path) -> Result<(), Box<dyn Error>> {
    // Alpha is of no use: a window's is not what is seen.
    Ok(image.clone().try_into_dynamic()?.to_rgb8().save(file)?)
}
