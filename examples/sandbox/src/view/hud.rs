//! What stands on the screen: meters, the line that says what to try, buttons with their keys, and
//! help.

use super::canvas::{Area, Canvas};
use super::meters::{self, Pace};
use super::overlay::Overlay;
use super::text::Size;
use crate::input::Intent;
use crate::model::Sandbox;
use crate::model::hand::{Hand, Tool};
use crate::model::worlds::Kind;
use floodplain::glam::IVec3;

/// What the screen tells.
pub struct Status<'a> {
    pub sandbox: &'a Sandbox,
    pub hand: &'a Hand,
    pub overlay: Overlay,
    /// `None` in scripts that do not wait for frames: there, it says nothing.
    pub pace: Option<Pace>,
    /// What was done or refused last.
    pub note: &'a str,
    /// In large letters: what to try, or what a script says.
    pub caption: &'a str,
    /// Whether there are meters, buttons and help at all.
    pub shows_screen: bool,
    /// Whether the meters are those of a developer.
    pub shows_meters: bool,
    pub shows_help: bool,
    pub is_touring: bool,
    /// The middle and the radius of the brush, where the mouse points.
    pub hover: Option<(IVec3, u8)>,
}

/// A button, with what it asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    pub area: Area,
    pub label: String,
    pub intent: Intent,
    pub is_on: bool,
}

pub const PANEL: [u8; 4] = [18, 28, 38, 176];
pub const INK: [u8; 4] = [240, 245, 248, 255];
pub const DIM: [u8; 4] = [176, 192, 204, 255];
const ON: [u8; 4] = [46, 122, 184, 235];
const OFF: [u8; 4] = [28, 40, 52, 190];

pub const GAP: f32 = 6.0;
const ROW: f32 = 27.0;

const HELP: [&str; 10] = [
    "left button: use the tool (hold: dig, build, pour)",
    "right button: turn   wheel: nearer, farther",
    "middle button, or shift + right: move",
    "W A S D, arrows: move   Q E: turn   C: look from the start",
    "1 to 8: tools   [ ]: narrower, wider   M: material",
    "Z X: lower, raise the sea   R: rain",
    "space: pause   N: one tick   T: speed   O: overlay",
    "K: save   L: load   Backspace: begin anew",
    "F1 to F7: worlds   P: tour   I: meters of a developer",
    "H: hide this",
];

/// Draws all of it on a screen of a size in pixels.
pub fn draw(canvas: &mut Canvas<'_>, size: [f32; 2], status: &Status<'_>) {
    if !status.caption.is_empty() {
        let y = size[1] * if status.shows_screen { 0.12 } else { 0.90 };
        canvas.title(size[0], y, status.caption, [INK, PANEL]);
    }
    if !status.shows_screen {
        return draw_cross(canvas, size);
    }
    meters::draw(canvas, status);
    let buttons = buttons(size, status);
    for button in &buttons {
        canvas.fill(button.area, if button.is_on { ON } else { OFF });
        canvas.text(button.area.x + 8.0, button.area.y + 4.0, &button.label, INK);
    }
    if status.shows_help {
        draw_help(canvas, size);
    }
    if !status.note.is_empty() {
        let highest = buttons.iter().map(|button| button.area.y).filter(|&y| y > size[1] / 2.0);
        let y = highest.fold(size[1], f32::min) - ROW - GAP;
        let area =
            Area { x: GAP, y, width: canvas.width(Size::Text, status.note) + 16.0, height: ROW };
        canvas.fill(area, PANEL);
        canvas.text(area.x + 8.0, area.y + 4.0, status.note, [255, 224, 150, 255]);
    }
}

/// Draws a cross in the middle, where a player works who has no mouse to point with.
fn draw_cross(canvas: &mut Canvas<'_>, [width, height]: [f32; 2]) {
    let (x, y) = ((width / 2.0).round(), (height / 2.0).round());
    for [half_width, half_height] in [[9.0, 1.0], [1.0, 9.0]] {
        let (width, height) = (2.0 * half_width, 2.0 * half_height);
        let area = Area { x: x - half_width, y: y - half_height, width, height };
        canvas.fill(area, [255, 255, 255, 190]);
    }
}

fn draw_help(canvas: &mut Canvas<'_>, [width, _]: [f32; 2]) {
    let line = canvas.line(Size::Text);
    let wide = HELP.iter().map(|text| canvas.width(Size::Text, text)).fold(0.0, f32::max) + 20.0;
    let (x, y) = (width - wide - GAP, 2.0 * GAP + ROW);
    canvas.fill(Area { x, y, width: wide, height: line * HELP.len() as f32 + 14.0 }, PANEL);
    for (row, text) in HELP.iter().enumerate() {
        canvas.text(x + 10.0, y + 6.0 + line * row as f32, text, DIM);
    }
}

/// Returns the buttons on a screen of a size in pixels: worlds at the top, clock and rain above
/// tools at the bottom, in as many rows as they need.
pub fn buttons([width, height]: [f32; 2], status: &Status<'_>) -> Vec<Button> {
    let mut buttons = Vec::new();
    let mut bottom = height;
    for labels in [tools(status), switches(status)] {
        let rows = rows(labels, width);
        bottom -= (ROW + GAP) * rows.len() as f32;
        for (row, y) in rows.into_iter().zip(0..) {
            buttons.extend(place(GAP, bottom + (ROW + GAP) * y as f32, row));
        }
    }
    let worlds = worlds(status);
    let wide: f32 = worlds.iter().map(|(label, ..)| button_width(label) + GAP).sum();
    buttons.extend(place((width - wide).max(GAP), GAP, worlds));
    buttons
}

/// Returns labels in rows that fit into a width.
fn rows(labels: Vec<Label>, width: f32) -> Vec<Vec<Label>> {
    let (mut rows, mut end) = (Vec::<Vec<Label>>::new(), width);
    for label in labels {
        let wide = button_width(&label.0) + GAP;
        match rows.last_mut() {
            Some(row) if end + wide <= width => row.push(label),
            _ => {
                end = GAP;
                rows.push(vec![label]);
            }
        }
        end += wide;
    }
    rows
}

type Label = (String, Intent, bool);

fn tools(status: &Status<'_>) -> Vec<Label> {
    let hand = status.hand;
    let mut labels: Vec<Label> = Tool::ALL
        .iter()
        .zip(1..)
        .map(|(&tool, key)| {
            (format!("{key} {}", tool.name()), Intent::Take(tool), tool == hand.tool)
        })
        .collect();
    let palette = status.sandbox.world().palette();
    let material = palette.material(hand.material()).map_or("", |material| &material.name);
    labels.push((format!("M {material}"), Intent::NextMaterial, false));
    labels.push(("[ narrower".to_owned(), Intent::Widen(-1), false));
    labels.push((format!("] wider ({})", hand.radius()), Intent::Widen(1), false));
    labels
}

fn switches(status: &Status<'_>) -> Vec<Label> {
    let sandbox = status.sandbox;
    let sea = sandbox.sea().map_or("off".to_owned(), |level| level.to_string());
    let overlay = status.overlay;
    let label = |text: &str| text.to_owned();
    vec![
        (label("Space pause"), Intent::Pause, sandbox.clock.is_paused),
        (label("N tick"), Intent::Step, false),
        (format!("T x{}", sandbox.clock.speed), Intent::Faster, sandbox.clock.speed > 1),
        (format!("O show: {}", overlay.name()), Intent::Overlay(1), overlay != Overlay::None),
        (label("R rain"), Intent::Rain, sandbox.is_raining()),
        (label("Z"), Intent::Sea(-1), false),
        (format!("X sea: {sea}"), Intent::Sea(1), sandbox.sea().is_some()),
        (label("K save"), Intent::Save, false),
        (label("L load"), Intent::Load, false),
        (label("P tour"), Intent::Tour, status.is_touring),
        (label("I meters"), Intent::Meters, status.shows_meters),
        (label("H help"), Intent::Help, status.shows_help),
    ]
}

fn worlds(status: &Status<'_>) -> Vec<Label> {
    let label = |(&kind, key): (&Kind, i32)| {
        let is_on = kind == status.sandbox.kind();
        (format!("F{key} {}", kind.name()), Intent::World(kind), is_on)
    };
    Kind::ALL.iter().zip(1..).map(label).collect()
}

/// The width of a button, about that of its words.
fn button_width(label: &str) -> f32 {
    16.0 + 8.0 * label.chars().count() as f32
}

/// Returns the buttons of a row, from its left end.
fn place(mut x: f32, y: f32, labels: Vec<Label>) -> Vec<Button> {
    let button = |(label, intent, is_on): Label| {
        let area = Area { x, y, width: button_width(&label), height: ROW };
        x += area.width + GAP;
        Button { area, label, intent, is_on }
    };
    labels.into_iter().map(button).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_lie_on_the_screen_and_not_on_each_other() {
        let (sandbox, hand) = (Sandbox::new(Kind::UTube).unwrap(), Hand::default());
        let status = Status {
            sandbox: &sandbox,
            hand: &hand,
            overlay: Overlay::None,
            pace: None,
            note: "",
            caption: "",
            shows_screen: true,
            shows_meters: false,
            shows_help: true,
            is_touring: false,
            hover: None,
        };
        for [width, height] in [[1280.0, 720.0], [700.0, 500.0]] {
            let buttons = buttons([width, height], &status);
            for (at, button) in buttons.iter().enumerate() {
                let Area { x, y, .. } = button.area;
                assert!(x >= 0.0 && x + button.area.width <= width, "{}", button.label);
                assert!(y >= 0.0 && y + button.area.height <= height, "{}", button.label);
                for other in &buttons[..at] {
                    assert!(!other.area.contains(x, y), "{} on {}", button.label, other.label);
                }
            }
            assert!(buttons.iter().any(|button| button.intent == Intent::World(Kind::Cave)));
        }
    }
}
