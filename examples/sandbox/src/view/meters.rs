//! The meters at the upper left: what a player asks about the water, and, behind a key, what a
//! developer asks about the program.

use super::canvas::{Area, Canvas};
use super::hud::{DIM, GAP, INK, PANEL, Status};
use super::text::Size;
use crate::model::Sandbox;
use crate::spans::{ByPart, Part};

const GOOD: [u8; 4] = [142, 226, 150, 255];
const BAD: [u8; 4] = [255, 120, 100, 255];

/// The widths of the panels.
const WIDE: f32 = 300.0;
const NARROW: f32 = 238.0;

/// Where bars begin and how long they get, in pixels, and the fewest milliseconds that this stands
/// for.
const BARS: f32 = 138.0;
const LONGEST: f32 = WIDE - BARS - 10.0;
const FULL: f32 = 6.0;

/// The units in a bucket: a full cell.
const BUCKET: u64 = 7;

/// How fast the program is.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Frames a second, and the milliseconds that the program works on one.
    pub frames: f32,
    pub work: f32,
    /// Milliseconds of a tick, in the mean and at most of late.
    pub tick: [f32; 2],
    /// The phases of a tick on its way to the screen, in milliseconds.
    pub phases: Phases,
    /// Meshes that are out of date.
    pub stale: usize,
}

/// Milliseconds: stepping the world, with the parts of that, and copying what changed, for each
/// tick; making meshes and drawing them, for each frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    pub step: f32,
    pub parts: ByPart<f32>,
    pub changes: f32,
    pub meshes: f32,
    pub drawing: f32,
}

/// A line of text, and its colour.
type Entry = (String, [u8; 4]);

/// Draws the meters of a player, or those of a developer.
pub fn draw(canvas: &mut Canvas<'_>, status: &Status<'_>) {
    if !status.shows_meters {
        return draw_lines(canvas, NARROW, &of_player(status.sandbox));
    }
    let lines = of_developer(status);
    draw_lines(canvas, WIDE, &lines);
    if let Some(pace) = status.pace {
        let y = 2.0 * GAP + panel_height(canvas, lines.len());
        draw_bars(canvas, y, pace.phases);
    }
}

fn panel_height(canvas: &Canvas<'_>, lines: usize) -> f32 {
    canvas.line(Size::Text) * lines as f32 + 14.0
}

fn draw_lines(canvas: &mut Canvas<'_>, width: f32, lines: &[Entry]) {
    let (line, height) = (canvas.line(Size::Text), panel_height(canvas, lines.len()));
    canvas.fill(Area { x: GAP, y: GAP, width, height }, PANEL);
    for (row, (text, colour)) in lines.iter().enumerate() {
        canvas.text(GAP + 10.0, GAP + 6.0 + line * row as f32, text, *colour);
    }
}

/// Draws a bar for each phase, to one scale.
fn draw_bars(canvas: &mut Canvas<'_>, y: f32, phases: Phases) {
    let bars = bars(phases);
    let most = bars.iter().map(|bar| bar.time).fold(FULL, f32::max);
    let line = canvas.line(Size::Text);
    canvas.fill(Area { x: GAP, y, width: WIDE, height: line * bars.len() as f32 + 14.0 }, PANEL);
    for (row, Bar { label, time, colour }) in (0..).zip(bars) {
        let y = y + 7.0 + line * row as f32;
        canvas.text(GAP + 10.0, y, &label, DIM);
        let width = (time / most * LONGEST).max(1.0);
        canvas.fill(Area { x: GAP + BARS, y: y + 4.0, width, height: line - 8.0 }, colour);
    }
}

/// A bar: what it is of, and its milliseconds.
struct Bar {
    label: String,
    time: f32,
    colour: [u8; 4],
}

/// Returns the bars. The parts of the step are indented below it.
fn bars(phases: Phases) -> Vec<Bar> {
    let Phases { step, parts, changes, meshes, drawing } = phases;
    let whole = |name: &str, time: f32, colour| {
        let label = format!("{name} {time:.1} ms");
        Bar { label, time, colour }
    };
    let mut bars = vec![whole("step", step, [86, 156, 224, 255])];
    bars.extend(Part::ALL.into_iter().zip(parts).map(|(part, time)| {
        let label = format!("    {} {time:.2}", part.name());
        Bar { label, time, colour: colour(part) }
    }));
    bars.extend([
        whole("changes", changes, [120, 200, 130, 255]),
        whole("meshes", meshes, [236, 178, 76, 255]),
        whole("drawing", drawing, [206, 120, 196, 255]),
    ]);
    bars
}

/// Returns the colour of a part of a tick: blue for water.
fn colour(part: Part) -> [u8; 4] {
    match part {
        Part::Soil => [176, 128, 84, 255],
        Part::Blasts => [236, 120, 84, 255],
        Part::Other => [150, 160, 170, 255],
        _ => [116, 190, 236, 255],
    }
}

/// Returns what a player asks about the water.
fn of_player(sandbox: &Sandbox) -> Vec<Entry> {
    let (world, ledger) = (sandbox.world(), sandbox.world().ledger());
    let units = world.water().total();
    let buckets = |units: u64| grouped(u128::from(units.div_ceil(BUCKET)));
    let soil = (ledger.soil.total() / u128::from(ledger.scale.max(1))) as u64;
    let moving = 100 * world.water().awake_cells() as u64 * BUCKET / units.max(1);
    let mut lines = vec![
        (sandbox.kind().name().to_owned(), INK),
        (format!("water {} buckets", buckets(units)), INK),
        (format!("awake {} %", moving.min(100)), DIM),
    ];
    if soil > 0 {
        lines.push((format!("in the ground {} buckets", buckets(soil)), DIM));
    }
    lines.push(match is_balanced(sandbox) {
        true => ("none made, none lost".to_owned(), GOOD),
        false => ("THE ACCOUNT IS WRONG".to_owned(), BAD),
    });
    lines
}

fn is_balanced(sandbox: &Sandbox) -> bool {
    let ledger = sandbox.world().ledger();
    ledger.came_in() - ledger.went_out() == sandbox.world().total()
}

/// Returns how far the world has come and how fast, what it takes, and the account of all water.
fn of_developer(status: &Status<'_>) -> Vec<Entry> {
    let world = status.sandbox.world();
    let name = status.sandbox.kind().name();
    let mut lines = vec![
        (format!("{name}, tick {}", world.ticks()), INK),
        (format!("awake cells {}", grouped(world.awake_cells() as u128)), DIM),
        (format!("world {} bytes", grouped(world.memory_bytes() as u128)), DIM),
    ];
    if let Some(Pace { frames, work, tick: [mean, most], stale, .. }) = status.pace {
        lines.extend([
            (format!("tick {mean:.1} ms, at most {most:.1}"), DIM),
            (format!("{frames:.0} frames a second, {work:.1} ms of work"), DIM),
            (format!("meshes that wait {stale}"), DIM),
        ]);
    }
    lines.push((String::new(), DIM));
    lines.extend(account(status.sandbox));
    lines
}

/// Returns the account of all water.
fn account(sandbox: &Sandbox) -> Vec<Entry> {
    let ledger = sandbox.world().ledger();
    let (water, scale) = (ledger.water, u128::from(ledger.scale.max(1)));
    let pair = |a: &str, more: u128, b: &str, less: u128| {
        (format!("{a} {}, {b} {}", grouped(more), grouped(less)), DIM)
    };
    vec![
        ("units of water".to_owned(), INK),
        pair("in cells", water.total().into(), "in soil", ledger.soil.total() / scale),
        pair("came in", ledger.came_in() / scale, "went out", ledger.went_out() / scale),
        pair("springs", water.injected.into(), "sea", water.from_sea.into()),
        pair("drained", water.drained.into(), "evaporated", water.evaporated.into()),
        pair("soaked", ledger.soaked.into(), "thrown", ledger.thrown.into()),
        match is_balanced(sandbox) {
            true => ("in - out = held, exactly".to_owned(), GOOD),
            false => ("IN - OUT IS NOT HELD".to_owned(), BAD),
        },
    ]
}

/// Returns a number with a comma after each three digits.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::worlds::Kind;

    #[test]
    fn the_account_of_a_world_is_balanced() {
        let lines = account(&Sandbox::new(Kind::UTube).unwrap());
        assert_eq!(lines.last(), Some(&("in - out = held, exactly".to_owned(), GOOD)));
        assert!(lines[1].0.starts_with("in cells 6,"), "{}", lines[1].0);
    }

    #[test]
    fn a_player_reads_buckets() {
        let lines = of_player(&Sandbox::new(Kind::Plain).unwrap());
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts[0], "plain");
        assert_eq!(texts[1], "water 100,352 buckets");
        assert_eq!(texts.last(), Some(&"none made, none lost"));
    }

    #[test]
    fn each_phase_of_a_tick_has_a_bar_below_the_step() {
        let parts = Part::ALL.map(|part| 0.25 * (part as u8 + 1) as f32);
        let bars = bars(Phases { step: 11.25, parts, ..Phases::default() });
        let labels: Vec<&str> = bars.iter().map(|bar| bar.label.trim_start()).collect();
        let phases = [
            "step 11.2 ms",
            "steady 0.25",
            "flow 0.50",
            "draw 0.75",
            "pools 1.00",
            "ebb 1.25",
            "end 1.50",
            "soil 1.75",
            "blasts 2.00",
            "other 2.25",
        ];
        assert_eq!(labels[..10], phases);
        assert!(bars[1..10].iter().zip(parts).all(|(bar, time)| bar.time == time));
    }

    #[test]
    fn digits_are_grouped() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }
}
