//! Keys, and what they and the buttons on the screen ask for.

use crate::model::hand::Tool;
use crate::model::worlds::Kind;
use miniquad::KeyCode;

/// What a key or a button asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    Take(Tool),
    /// Makes the brush wider or narrower.
    Widen(i32),
    NextMaterial,
    /// Raises or lowers the sea; below its lowest level, there is none.
    Sea(i32),
    Rain,
    Pause,
    Step,
    /// Doubles the speed, from the fastest on to the slowest.
    Faster,
    /// Goes so many overlays on.
    Overlay(i32),
    Save,
    Load,
    World(Kind),
    /// Begins the world anew.
    Again,
    /// Goes back to where one looks from first.
    LookAgain,
    Help,
    /// Shows or hides the meters of a developer.
    Meters,
    /// Plays the script that comes with the program.
    Tour,
}

/// Returns what a key asks for; `shift` turns some of them round.
pub fn intent(key: KeyCode, shift: bool) -> Option<Intent> {
    let by = if shift { -1 } else { 1 };
    Some(match key {
        KeyCode::Key1 => Intent::Take(Tool::Dig),
        KeyCode::Key2 => Intent::Take(Tool::Build),
        KeyCode::Key3 => Intent::Take(Tool::Pour),
        KeyCode::Key4 => Intent::Take(Tool::Spring),
        KeyCode::Key5 => Intent::Take(Tool::Drain),
        KeyCode::Key6 => Intent::Take(Tool::Charge),
        KeyCode::Key7 => Intent::Take(Tool::Boat),
        KeyCode::Key8 => Intent::Take(Tool::Crate),
        KeyCode::LeftBracket => Intent::Widen(-1),
        KeyCode::RightBracket => Intent::Widen(1),
        KeyCode::M => Intent::NextMaterial,
        KeyCode::Z => Intent::Sea(-1),
        KeyCode::X => Intent::Sea(1),
        KeyCode::R => Intent::Rain,
        KeyCode::Space => Intent::Pause,
        KeyCode::N => Intent::Step,
        KeyCode::T => Intent::Faster,
        KeyCode::O => Intent::Overlay(by),
        KeyCode::K => Intent::Save,
        KeyCode::L => Intent::Load,
        KeyCode::F1 => Intent::World(Kind::Valley),
        KeyCode::F2 => Intent::World(Kind::Dam),
        KeyCode::F3 => Intent::World(Kind::UTube),
        KeyCode::F4 => Intent::World(Kind::Cave),
        KeyCode::F5 => Intent::World(Kind::Plain),
        KeyCode::F6 => Intent::World(Kind::Terraces),
        KeyCode::F7 => Intent::World(Kind::Hamlet),
        KeyCode::Backspace => Intent::Again,
        KeyCode::C => Intent::LookAgain,
        KeyCode::H => Intent::Help,
        KeyCode::I => Intent::Meters,
        KeyCode::P => Intent::Tour,
        _ => return None,
    })
}

/// The mouse, and the keys that are held.
#[derive(Debug, Default)]
pub struct Held {
    pub mouse: [f32; 2],
    /// Whether the tool works: the left button is down, and went down over the world.
    pub works: bool,
    /// Whether the mouse turns the camera, or moves it over the ground.
    pub turns: bool,
    pub walks: bool,
    pub shift: bool,
    keys: Vec<KeyCode>,
}

impl Held {
    pub fn press(&mut self, key: KeyCode) {
        if !self.keys.contains(&key) {
            self.keys.push(key);
        }
    }

    pub fn release(&mut self, key: KeyCode) {
        self.keys.retain(|&held| held != key);
    }

    /// Lets go of everything, as when the window is left.
    pub fn release_all(&mut self) {
        *self = Held { mouse: self.mouse, ..Held::default() };
    }

    /// Returns the steps to the right and ahead that the keys ask for, and the turn to the left.
    pub fn steps(&self) -> [f32; 3] {
        let is_held = |keys: &[KeyCode]| self.keys.iter().any(|key| keys.contains(key));
        let between = |more: &[KeyCode], less: &[KeyCode]| {
            f32::from(u8::from(is_held(more))) - f32::from(u8::from(is_held(less)))
        };
        [
            between(&[KeyCode::D, KeyCode::Right], &[KeyCode::A, KeyCode::Left]),
            between(&[KeyCode::W, KeyCode::Up], &[KeyCode::S, KeyCode::Down]),
            between(&[KeyCode::E], &[KeyCode::Q]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_keys_walk_and_turn() {
        let mut held = Held::default();
        held.press(KeyCode::W);
        held.press(KeyCode::W);
        held.press(KeyCode::Left);
        held.press(KeyCode::E);
        assert_eq!(held.steps(), [-1.0, 1.0, 1.0]);
        held.press(KeyCode::D);
        held.release(KeyCode::W);
        assert_eq!(held.steps(), [0.0, 0.0, 1.0], "to both sides");
        held.release_all();
        assert_eq!(held.steps(), [0.0; 3]);
    }

    #[test]
    fn shift_goes_back_through_the_overlays() {
        assert_eq!(intent(KeyCode::O, false), Some(Intent::Overlay(1)));
        assert_eq!(intent(KeyCode::O, true), Some(Intent::Overlay(-1)));
        assert_eq!(intent(KeyCode::Tab, false), None);
    }
}
