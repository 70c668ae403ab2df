//! Reading scripts.

use super::{Command, Fault, Line, ScriptError};
use crate::model::action::Action;
use crate::model::floats::Craft;
use crate::model::materials::{BUILDABLE, palette};
use crate::model::worlds::Kind;
use crate::view::camera::Camera;
use crate::view::overlay::Overlay;
use floodplain::glam::{IVec3, Vec3};
use floodplain::world::MaterialId;
use std::str::{FromStr, SplitWhitespace};

/// What the name of a picture is.
const NAME: &str = "a name of letters, digits, - and _";

/// Reads a script.
///
/// # Errors
/// The first line that is none.
pub fn parse(text: &str) -> Result<Vec<Line>, ScriptError> {
    let mut lines: Vec<Line> = Vec::new();
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        if text.trim().is_empty() {
            continue;
        }
        let before = lines.last().map_or(0, |line| line.tick);
        let (tick, command) =
            read_line(text, before).map_err(|fault| ScriptError { line: number, fault })?;
        lines.push(Line { number, tick, command });
    }
    Ok(lines)
}

fn read_line(text: &str, before: u64) -> Result<(u64, Command), Fault> {
    let mut words = Words(text.split_whitespace());
    let tick = words.0.next().unwrap_or_default();
    let tick: u64 = tick.parse().map_err(|_| Fault::Tick(tick.to_owned()))?;
    if tick < before {
        return Err(Fault::Earlier { tick, before });
    }
    let verb = words.0.next().unwrap_or_default();
    let command = read_command(verb, &mut words)?;
    match words.0.next() {
        Some(word) => Err(Fault::Extra(word.to_owned())),
        None => Ok((tick, command)),
    }
}

fn read_command(verb: &str, words: &mut Words<'_>) -> Result<Command, Fault> {
    Ok(match verb {
        "overlay" => Command::Overlay(words.name("an overlay", Overlay::from_name)?),
        "camera" => Command::Camera(words.camera()?),
        "eyes" => Command::Camera(Camera::of_player(words.point()?, words.point()?)),
        "caption" => Command::Caption(words.rest()),
        "screen" => Command::Screen(words.name("on or off", on_off)?),
        "meters" => Command::Meters(words.name("on or off", on_off)?),
        "film" => Command::Film(words.name(NAME, file_name)?, words.number("ticks")?),
        "shot" => Command::Shot(words.name(NAME, file_name)?),
        "print" => Command::Print,
        "end" => Command::End,
        _ => Command::Play(read_action(verb, words)?),
    })
}

fn read_action(verb: &str, words: &mut Words<'_>) -> Result<Action, Fault> {
    Ok(match verb {
        "world" => Action::World(words.name("a world", Kind::from_name)?),
        "dig" => Action::Dig { cell: words.cell()?, radius: words.number("a radius")? },
        "build" => {
            let material = words.name("a material to build with", buildable)?;
            Action::Build { material, cell: words.cell()?, radius: words.number("a radius")? }
        }
        "pour" => Action::Pour { cell: words.cell()?, radius: words.number("a radius")? },
        "spring" => Action::Spring(words.cell()?),
        "drain" => Action::Drain(words.cell()?),
        "sea" => Action::Sea(words.name("a height or off", |word| match word {
            "off" => Some(None),
            _ => word.parse().ok().map(Some),
        })?),
        "charge" => Action::Charge { cell: words.cell()?, radius: words.number("a radius")? },
        "boat" => Action::Float { craft: Craft::Boat, cell: words.cell()? },
        "crate" => Action::Float { craft: Craft::Crate, cell: words.cell()? },
        "rain" => Action::Rain(words.name("on or off", on_off)?),
        "pause" => Action::Pause(words.name("on or off", on_off)?),
        "step" => Action::Step,
        "speed" => Action::Speed(words.number("a speed")?),
        "save" => Action::Save,
        "load" => Action::Load,
        _ => return Err(Fault::Verb(verb.to_owned())),
    })
}

fn on_off(word: &str) -> Option<bool> {
    match word {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn buildable(word: &str) -> Option<MaterialId> {
    let id = palette().ok()?.id(word)?;
    BUILDABLE.contains(&id).then_some(id)
}

fn file_name(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    word.chars().all(is_plain).then(|| word.to_owned())
}

/// The arguments of a line.
struct Words<'a>(SplitWhitespace<'a>);

impl Words<'_> {
    fn name<T>(
        &mut self,
        wanted: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Fault> {
        let word = self.0.next().ok_or(Fault::Missing(wanted))?;
        read(word).ok_or_else(|| Fault::Argument { wanted, found: word.to_owned() })
    }

    fn number<T: FromStr>(&mut self, wanted: &'static str) -> Result<T, Fault> {
        self.name(wanted, |word| word.parse().ok())
    }

    fn cell(&mut self) -> Result<IVec3, Fault> {
        let [x, y, z] = ["x of a cell", "y of a cell", "z of a cell"];
        Ok(IVec3::new(self.number(x)?, self.number(y)?, self.number(z)?))
    }

    fn finite(&mut self, wanted: &'static str) -> Result<f32, Fault> {
        self.name(wanted, |word| word.parse().ok().filter(|value: &f32| value.is_finite()))
    }

    fn camera(&mut self) -> Result<Camera, Fault> {
        let place = [
            self.finite("degrees round the world")?,
            self.finite("degrees above it")?,
            self.finite("a distance")?,
        ];
        Ok(Camera::new(place, self.point()?))
    }

    fn point(&mut self) -> Result<Vec3, Fault> {
        let [x, y, z] = ["x of a point", "y of a point", "z of a point"];
        Ok(Vec3::new(self.finite(x)?, self.finite(y)?, self.finite(z)?))
    }

    fn rest(&mut self) -> String {
        self.0.by_ref().collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::materials::CLAY;

    #[test]
    fn each_verb_is_read() {
        let cell = IVec3::new(1, 2, -3);
        let cases = [
            ("world u-tube", Command::Play(Action::World(Kind::UTube))),
            ("dig 1 2 -3 4", Command::Play(Action::Dig { cell, radius: 4 })),
            (
                "build clay 1 2 -3 0",
                Command::Play(Action::Build { material: CLAY, cell, radius: 0 }),
            ),
            ("pour 1 2 -3 1", Command::Play(Action::Pour { cell, radius: 1 })),
            ("spring 1 2 -3", Command::Play(Action::Spring(cell))),
            ("drain 1 2 -3", Command::Play(Action::Drain(cell))),
            ("sea 12", Command::Play(Action::Sea(Some(12)))),
            ("sea off", Command::Play(Action::Sea(None))),
            ("charge 1 2 -3 7", Command::Play(Action::Charge { cell, radius: 7 })),
            ("rain on", Command::Play(Action::Rain(true))),
            ("pause off", Command::Play(Action::Pause(false))),
            ("step", Command::Play(Action::Step)),
            ("speed 4", Command::Play(Action::Speed(4))),
            ("save", Command::Play(Action::Save)),
            ("load", Command::Play(Action::Load)),
            ("overlay pressure", Command::Overlay(Overlay::Pressure)),
            (
                "camera 30 45.5 100 1 2 3",
                Command::Camera(Camera::new([30.0, 45.5, 100.0], Vec3::new(1.0, 2.0, 3.0))),
            ),
            ("boat 1 2 -3", Command::Play(Action::Float { craft: Craft::Boat, cell })),
            (
                "eyes 1 2 3 4 5 6",
                Command::Camera(Camera::of_player(
                    Vec3::new(1.0, 2.0, 3.0),
                    Vec3::new(4.0, 5.0, 6.0),
                )),
            ),
            ("caption a  boat", Command::Caption("a boat".to_owned())),
            ("caption", Command::Caption(String::new())),
            ("screen off", Command::Screen(false)),
            ("meters on", Command::Meters(true)),
            ("film river 2", Command::Film("river".to_owned(), 2)),
            ("shot dam-1", Command::Shot("dam-1".to_owned())),
            ("print", Command::Print),
            ("end", Command::End),
        ];
        for (text, command) in cases {
            let lines = parse(&format!("# first\n\n5 {text} # why\n")).unwrap();
            assert_eq!(lines, [Line { number: 3, tick: 5, command }], "{text}");
        }
    }

    #[test]
    fn faults_name_line_and_word() {
        let found = |word: &str| word.to_owned();
        let cases = [
            ("dig 1 2 3 4", Fault::Tick(found("dig"))),
            ("-1 end", Fault::Tick(found("-1"))),
            ("7", Fault::Verb(String::new())),
            ("7 fly", Fault::Verb(found("fly"))),
            ("7 dig 1 2", Fault::Missing("z of a cell")),
            ("7 dig 1 2 3", Fault::Missing("a radius")),
            ("7 dig 1 2 3 300", Fault::Argument { wanted: "a radius", found: found("300") }),
            ("7 world mars", Fault::Argument { wanted: "a world", found: found("mars") }),
            (
                "7 build tiles 1 2 3 1",
                Fault::Argument { wanted: "a material to build with", found: found("tiles") },
            ),
            (
                "7 camera nan 1 2 3 4 5",
                Fault::Argument { wanted: "degrees round the world", found: found("nan") },
            ),
            (
                "7 shot ../x",
                Fault::Argument {
                    wanted: "a name of letters, digits, - and _",
                    found: found("../x"),
                },
            ),
            ("7 end now", Fault::Extra(found("now"))),
            ("4 end", Fault::Earlier { tick: 4, before: 5 }),
        ];
        for (text, fault) in cases {
            let error = parse(&format!("5 print\n{text}")).unwrap_err();
            assert!(!error.to_string().contains('\n'));
            assert_eq!(error, ScriptError { line: 2, fault }, "{text}");
        }
    }

    #[test]
    fn a_player_gives_lines_when_their_ticks_are_complete() {
        let mut player = super::super::Player::new(parse("0 print\n0 step\n2 end").unwrap());
        let due = |player: &mut super::super::Player| {
            std::iter::from_fn(|| player.next_due()).map(|line| line.command).collect::<Vec<_>>()
        };
        assert_eq!(due(&mut player), [Command::Print, Command::Play(Action::Step)]);
        player.count_tick();
        assert_eq!(due(&mut player), []);
        assert!(!player.is_done());
        player.count_tick();
        assert_eq!(due(&mut player), [Command::End]);
        assert!(player.is_done());
    }
}
