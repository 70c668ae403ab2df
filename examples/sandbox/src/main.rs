//! A window to play in with water, on a desktop and in a browser.
//!
//! It is drawn with miniquad, the layer below macroquad by the same author: macroquad sends every
//! triangle to the GPU in every frame, and gives buffers that stay there by an unsafe call only.
//! miniquad keeps a buffer for each chunk, is as small, and builds for browsers without a generator
//! of bindings.
//!
//! ```text
//! cargo run --release --manifest-path examples/sandbox/Cargo.toml -- --help
//! examples/sandbox/web/build
//! ```
//!
//! | file | what |
//! |---|---|
//! | `model/` | the sandbox without a window: world, clock, what a player can do, worlds to choose from |
//! | `script/` | scripts: their format, reading and playing them |
//! | `view/` | meshes, the GPU, and what stands on the screen |
//! | `input`, `events` | keys, the mouse, and what they ask for |
//! | `app`, `meter`, `spans`, `measure` | the work of a frame, and its time |
//! | `files`, `options`, `command_line` | files, the console, what is asked for |

mod app;
#[cfg(not(target_arch = "wasm32"))]
mod command_line;
mod events;
mod files;
mod input;
mod measure;
mod meter;
mod model;
#[path = "../../dam/noise.rs"]
mod noise;
mod options;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../../shared/png_file.rs"]
mod png_file;
mod script;
mod spans;
mod view;

use app::App;
use miniquad::conf::{Conf, Platform, WebGLVersion};
use miniquad::{EventHandler, date};
use model::Sandbox;
use options::Options;
use script::Line;
use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;

fn main() -> ExitCode {
    let begun = date::now();
    match start(begun) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("sandbox: {error}");
            ExitCode::from(2)
        }
    }
}

/// Opens the window and runs until it is closed. Returns whether the script of the command line, if
/// any, came to its end.
fn start(begun: f64) -> Result<bool, String> {
    let Some(Wish { options, script }) = read_options()? else { return Ok(true) };
    spans::begin().map_err(|error| error.to_string())?;
    if options.is_measured {
        return measure::print().map(|()| true).map_err(|error| error.to_string());
    }
    if cfg!(target_os = "linux") && std::env::var_os("DISPLAY").is_none() {
        let way = "`xvfb-run -a` before the command gives it one";
        return Err(format!("there is no screen, DISPLAY is not set; {way}"));
    }
    let sandbox = Sandbox::new(options.world).map_err(|error| error.to_string())?;
    let has_failed = Rc::new(Cell::new(false));
    let failed = has_failed.clone();
    let size = options.size.map(i32::from);
    miniquad::start(conf(size, script.is_some()), move || {
        match App::new(sandbox, options, script, begun, failed.clone()) {
            Ok(app) => Box::new(app),
            Err(error) => {
                files::say(&format!("sandbox: {error}"));
                failed.set(true);
                Box::new(Nothing)
            }
        }
    });
    Ok(!has_failed.get())
}

fn conf([width, height]: [i32; 2], is_batch: bool) -> Conf {
    Conf {
        window_title: "floodplain sandbox".to_owned(),
        window_width: width,
        window_height: height,
        high_dpi: false,
        sample_count: 4,
        platform: Platform {
            webgl_version: WebGLVersion::WebGL2,
            // A script that runs by itself does not wait for the screen.
            swap_interval: is_batch.then_some(0),
            ..Platform::default()
        },
        ..Conf::default()
    }
}

/// A window that closes: it cannot draw.
struct Nothing;

impl EventHandler for Nothing {
    fn update(&mut self) {
        miniquad::window::order_quit();
    }

    fn draw(&mut self) {}
}

/// What the command line asks for.
struct Wish {
    options: Options,
    script: Option<Vec<Line>>,
}

/// Returns what the command line asks for; `None` if that was only help.
#[cfg(not(target_arch = "wasm32"))]
fn read_options() -> Result<Option<Wish>, String> {
    let arguments = std::env::args_os().skip(1);
    let Some(options) = command_line::parse(arguments).map_err(|error| error.to_string())? else {
        print!("{}", command_line::HELP);
        return Ok(None);
    };
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        script::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
    };
    let script = options.script.as_ref().map(read).transpose()?;
    Ok(Some(Wish { options, script }))
}

/// A browser has no command line.
#[cfg(target_arch = "wasm32")]
fn read_options() -> Result<Option<Wish>, String> {
    Ok(Some(Wish { options: Options::default(), script: None }))
}
