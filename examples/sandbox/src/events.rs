//! The window's events.

use crate::app::App;
use crate::input::intent;
use miniquad::{EventHandler, KeyCode, KeyMods, MouseButton, window};

impl EventHandler for App {
    fn update(&mut self) {
        self.run_frame();
    }

    fn draw(&mut self) {
        self.draw_frame();
    }

    fn mouse_motion_event(&mut self, x: f32, y: f32) {
        self.drag(x, y);
    }

    fn mouse_wheel_event(&mut self, _: f32, y: f32) {
        self.zoom(y);
    }

    fn mouse_button_down_event(&mut self, button: MouseButton, x: f32, y: f32) {
        self.held.mouse = [x, y];
        match button {
            MouseButton::Left => self.click(),
            MouseButton::Right => self.held.turns = true,
            MouseButton::Middle => self.held.walks = true,
            MouseButton::Unknown => {}
        }
    }

    fn mouse_button_up_event(&mut self, button: MouseButton, _: f32, _: f32) {
        match button {
            MouseButton::Left => self.held.works = false,
            MouseButton::Right => self.held.turns = false,
            MouseButton::Middle => self.held.walks = false,
            MouseButton::Unknown => {}
        }
    }

    fn key_down_event(&mut self, key: KeyCode, mods: KeyMods, is_repeated: bool) {
        self.held.shift = mods.shift;
        self.held.press(key);
        if !is_repeated && let Some(intent) = intent(key, mods.shift) {
            self.follow_intent(intent);
        }
    }

    fn key_up_event(&mut self, key: KeyCode, mods: KeyMods) {
        self.held.shift = mods.shift;
        self.held.release(key);
    }

    fn window_minimized_event(&mut self) {
        self.held.release_all();
    }

    /// A file that is dropped on the window is a script.
    fn files_dropped_event(&mut self) {
        let from_path = || std::fs::read(window::dropped_file_path(0)?).ok();
        if let Some(bytes) = window::dropped_file_bytes(0).or_else(from_path) {
            self.begin_script(&String::from_utf8_lossy(&bytes));
        }
    }
}
