//! What the scenario format refuses, with its line and words, and what the report and the failures
//! look like.

use floodplain::scenario::{Outcome, Scenario, play};

const HEAD: &str = "automaton = \"water\"\nticks = 10\n";
const LAYER: &str = "[[layer]]\nrows = [\n \"#3.\",\n \"#S \",\n]\n";

/// The line and the message with which a file is refused.
fn refusal(text: &str) -> (usize, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", text, &mut out, &mut err).expect("writing to memory");
    let err = String::from_utf8(err).expect("a message in UTF-8");
    assert_eq!((outcome, outcome as u8), (Outcome::Refused, 2), "{text}\n{err}");
    assert!(out.is_empty(), "nothing was run");
    match Scenario::from_toml(text) {
        Ok(_) => panic!("not refused: {text}"),
        Err(error) => {
            assert_eq!(err, format!("file.toml:{}: {error}\n", error.line));
            (error.line, error.to_string())
        }
    }
}

/// After the head (2 lines) and the layer (5 lines), the given text is refused on a line counted
/// from its start.
#[track_caller]
fn refused_after_the_layer(text: &str, line: usize, message: &str) {
    assert_eq!(refusal(&format!("{HEAD}{LAYER}{text}")), (7 + line, message.to_owned()));
}

#[track_caller]
fn refused(text: &str, line: usize, message: &str) {
    assert_eq!(refusal(text), (line, message.to_owned()));
}

#[test]
fn unknown_keys_are_refused_wherever_they_stand() {
    refused(&format!("{HEAD}speed = 3\n{LAYER}"), 3, "unknown key `speed`");
    refused_after_the_layer(
        "[rules]\npools = true\nspeed = 3",
        3,
        "unknown key `speed` in [rules]",
    );
    refused_after_the_layer(
        "[rules]\nedges = { outter = \"wall\" }",
        2,
        "`edges`: unknown field `outter`, expected `outer` or `unloaded`",
    );
    refused_after_the_layer("[world]\nedge = \"wall\"", 2, "unknown key `edge` in [world]");
    refused_after_the_layer("[[layer]]\nrow = []\nrows = []", 2, "unknown key `row` in [[layer]]");
    refused_after_the_layer("[legend]\nw = { watre = 3 }", 2, "unknown key `watre` in [legend.w]");
    refused_after_the_layer(
        "[[edit]]\nat = 1\nwith = \"#\"\nfrom = [0,0,0]\nby = 3",
        5,
        "unknown key `by` in [[edit]]",
    );
    refused_after_the_layer("[expect]\ntotl = 3", 2, "unknown key `totl` in [expect]");
    refused_after_the_layer(
        "[[expect.check]]\ntotal = 3\nhieght = 3",
        3,
        "unknown key `hieght` in [[expect.check]]",
    );
}

#[test]
fn missing_keys_are_refused() {
    refused("ticks = 1", 1, "no `automaton`");
    refused("automaton = \"water\"", 1, "no `ticks`");
    refused(HEAD, 1, "no `layer`");
    refused_after_the_layer("[[edit]]\nwith = \"#\"", 1, "no `at` in [[edit]]");
    refused_after_the_layer("[[edit]]\nat = 1", 1, "no `with` in [[edit]]");
    refused_after_the_layer("[[edit]]\nat = 1\nwith = \"#\"", 1, "no `from` in [[edit]]");
    refused_after_the_layer(
        "[rules]\nedges = { outer = [\"Wall\", \"Wall\", \"Wall\", \"Wall\", \"Wall\", \"Wall\"] }",
        2,
        "`edges`: missing field `unloaded`",
    );
    let measure = "no `height, total, level or another measure` in [[expect.check]]";
    refused_after_the_layer("\n[[expect.check]]\ncells = \"3\"", 2, measure);
}

#[test]
fn drawings_that_are_no_box_are_refused() {
    refused(
        &format!("{HEAD}[[layer]]\nrows = [\"##\",\n\"###\"]"),
        5,
        "a row of 3 cells; the first row has 2",
    );
    refused_after_the_layer(
        "[[layer]]\nrows = [\"###\"]",
        1,
        "3×1 cells; the first drawing has 3×2",
    );
    refused(&format!("{HEAD}[[layer]]\nrows = []"), 3, "0×0 cells; the first drawing has 0×0");
    refused_after_the_layer(
        "[[layer]]\ny = 0\nrows = [\"###\",\"###\"]",
        1,
        "y = 0 is not beyond the drawing before; the least is 1",
    );
    refused_after_the_layer(
        "[[layer]]\nrepeat = 9999999\nrows = [\"###\",\"###\"]",
        1,
        "the drawing has more than 16777216 cells",
    );
    refused_after_the_layer(
        "[[layer]]\ny = 1000000000\nrows = [\"###\",\"###\"]",
        1,
        "the drawing has more than 16777216 cells",
    );
}

#[test]
fn characters_need_a_meaning() {
    let unknown = "character 'x' is neither a default one nor in [legend]";
    refused(&format!("{HEAD}[[layer]]\nrows = [\"##\",\n\"#x\"]"), 5, unknown);
    refused_after_the_layer("[[edit]]\nat = 1\nfrom = [0, 0, 0]\nwith = \"x\"", 4, unknown);
    refused_after_the_layer(
        "[legend]\nx = \"y\"",
        2,
        "`x` must be a default character or one from further up, not \"y\"",
    );
    refused_after_the_layer(
        "[legend]\nx = { water = 8 }",
        2,
        "`water` must be a whole number from 0 to 7, not 8",
    );
    refused_after_the_layer(
        "[legend]\n\" \" = \".\"",
        2,
        "` ` must be under another key: a space is never part of the world, not \".\"",
    );
    let error = refusal(&format!("{HEAD}{LAYER}[legend]\nx = {{ water = 3, solid = true }}"));
    assert!(
        error.0 == 9 && error.1.starts_with("`x` must be one of { solid = true }"),
        "{error:?}"
    );
    assert_eq!(refusal(&format!("{HEAD}{LAYER}[legend]\nxy = \".\"")).0, 9);
}

#[test]
fn values_out_of_range_are_refused() {
    refused("ticks = 1\nautomaton = \"lava\"", 2, {
        "`automaton` must be \"water\", \"humidity\", \"explosion\", \"water-2d\" or \"world\", not \"lava\""
    });
    refused(
        "automaton = \"water\"\nticks = -1",
        2,
        "`ticks` must be a whole number, 0 or more, not -1",
    );
    refused(
        "automaton = \"water\"\nticks = true",
        2,
        "`ticks` must be a whole number, 0 or more, not true",
    );
    refused(
        &format!("{HEAD}record = [1,\n11]\n{LAYER}"),
        4,
        "`record` must be a whole number from 0 to 10, not 11",
    );
    refused_after_the_layer(
        "[rules]\npools = true\nevaporation = 1.5",
        3,
        "`evaporation` must be a chance from 0 to 1, not 1.5",
    );
    refused_after_the_layer(
        "[rules]\nthroughput = 0",
        2,
        "`throughput` must be 1 to 7 units a tick, not 0",
    );
    refused_after_the_layer(
        "[rules]\nsource_supply = 8",
        2,
        "`source_supply` must be 0 to 7 units a tick, not 8",
    );
    refused_after_the_layer(
        "[world]\nfloor = \"lava\"",
        2,
        "`floor` must be \"wall\", \"drain\", \"held\" or the y of a level, not \"lava\"",
    );
    refused_after_the_layer(
        "[world]\noffset = [0, 0]",
        2,
        "`offset` must be [x, y, z], not [0, 0]",
    );
    refused_after_the_layer(
        "[world]\noffset = [0, 0, 2147483647]",
        2,
        "`offset` must be an offset that keeps the drawing in the i32 range, not [0, 0, 2147483647]",
    );
    refused_after_the_layer("[world]\nunloaded = [[0, 0, 0],\n[0, 1, 0]]", 3, {
        "chunk [0, 1, 0] holds no cell of the drawing"
    });
}

#[test]
fn edits_and_checks_stay_in_the_drawing() {
    let edit = "[[edit]]\nat = 1\nwith = \"#\"\n";
    refused_after_the_layer(
        &format!("{edit}from = [0, 0, 0]\nto = [0, 0, 2]"),
        5,
        "cell [0, 0, 2] is not part of the drawn world",
    );
    refused_after_the_layer(
        &format!("{edit}from = [2, 0, 0]\nto = [2, 0, 1]"),
        1,
        "cell [2, 0, 1] is not part of the drawn world",
    );
    refused_after_the_layer(
        &format!("{edit}cells = \"7\""),
        4,
        "`cells` must be characters of the drawing, not \"7\"",
    );
    refused_after_the_layer(
        "[[edit]]\nat = 11\nload = [0, 0, 0]",
        2,
        "`at` must be a whole number from 1 to 10, not 11",
    );
    refused_after_the_layer(
        "[[edit]]\nat = 1\nload = [0, 0, 1]",
        3,
        "chunk [0, 0, 1] holds no cell of the drawing",
    );
    refused_after_the_layer(
        "[expect]\nwets = [\"S\", \"9\"]",
        2,
        "`wets` must be characters of the drawing, not \"9\"",
    );
    refused_after_the_layer(
        "[[expect.check]]\nfrom = [9, 0, 0]\ntotal = 1",
        2,
        "cell [9, 0, 0] is not part of the drawn world",
    );
    refused_after_the_layer(
        "[[expect.check]]\nwhen = [3, 2]\ntotal = 1",
        2,
        "`when` must be [first, last], not [3, 2]",
    );
    refused_after_the_layer("[[expect.check]]\nflow = 1", 2, "`flow` must be true or false, not 1");
    refused_after_the_layer(
        "[[expect.check]]\ntotal = [2, 1]",
        2,
        "`total` must be [least, most], not [2, 1]",
    );
}

#[test]
fn text_that_is_not_toml_is_refused() {
    assert_eq!(refusal("automaton = \"water\"\nticks = = 3").0, 2);
    assert_eq!(refusal("ticks = 3\nticks = 4").0, 2);
}

/// An edit that the world refuses when its tick comes is a refusal as well, after the ticks before
/// it.
#[test]
fn a_chunk_cannot_be_loaded_twice() {
    let text = format!("{HEAD}record = [1]\n{LAYER}[[edit]]\nat = 4\nload = [0, 0, 0]");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", &text, &mut out, &mut err).expect("writing to memory");
    assert_eq!(outcome, Outcome::Refused);
    assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), 1);
    let message =
        "file.toml:9: the edit before tick 4 was refused: chunk [0, 0, 0] is loaded already\n";
    assert_eq!(String::from_utf8(err).expect("a message in UTF-8"), message);
}

#[test]
fn single_layer_worlds_load_no_chunks() {
    for automaton in ["humidity", "explosion", "water-2d"] {
        let text = format!(
            "automaton = \"{automaton}\"\nticks = 5\n[[layer]]\nrows = [\".\"]\n[[edit]]\nat = 4\nload = [0, 0, 0]"
        );
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let outcome = play("file.toml", &text, &mut out, &mut err).expect("writing to memory");
        let message = String::from_utf8(err).expect("a message in UTF-8");
        assert_eq!(outcome, Outcome::Refused, "{message}");
        let refusal = "the edit before tick 4 was refused: chunk [0, 0, 0] is there: all of a single-layer world is loaded";
        assert!(message.starts_with(&format!("file.toml:5: {refusal}")), "{message}");
    }
}

/// A failed expectation names itself, the value and the tick.
#[test]
fn failures_name_expectation_value_and_tick() {
    let text = format!(
        "{HEAD}{LAYER}[expect]\ntotal = [1, 9]\nwets = [\"S\", \"3\"]\n[[expect.check]]\nname = \"wall\"\n\
         cells = \"#\"\nheight = 0\n[[expect.check]]\nwhen = 0\ncells = \"3\"\nheight = 4\nat_rest = true\n"
    );
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", &text, &mut out, &mut err).expect("writing to memory");
    assert_eq!((outcome, outcome as u8), (Outcome::Failed, 1));
    let err = String::from_utf8(err).expect("messages in UTF-8");
    for line in [
        "file.toml:18: height: 3 in cell [1, 0, 0] at tick 0, expected 4",
        "file.toml:19: at_rest: false at tick 0, expected true",
        "file.toml:14: wall: height: no cell that has it at tick 10, expected 0",
        "file.toml:10: wets: \"3\" came at tick 0, expected it after \"S\", tick 0",
    ] {
        assert!(err.lines().any(|there| there == line), "{line}\nis not in\n{err}");
    }
    assert!(err.contains("file.toml:9: total: "), "{err}");
}

/// The report has the documented fields.
#[test]
fn explosions_are_refused_by_the_line_that_is_wrong() {
    let refused = |head: &str| {
        let text =
            format!("automaton = \"explosion\"\nticks = 1\n{head}\n[[layer]]\nrows = [\"@.#\"]");
        let error = Scenario::from_toml(&text).unwrap_err();
        (error.line, error.to_string())
    };
    assert_eq!(
        refused("borders = { x = \"soft\" }"),
        (3, "`x` must be \"rigid\", \"periodic\" or \"open\", not \"soft\"".to_owned())
    );
    let (line, message) = refused("[rules]\ncoefficient = 0.3");
    assert_eq!(
        (line, message.as_str()),
        (4, "`coefficient` must be at most 1/4 to be stable, with weights of 4 at a node, not 0.3")
    );
    assert_eq!(refused("[rules]\ndamping = 0.5").0, 4, "the diffusive rule has no damping");
    assert_eq!(refused("[legend]\nw = { strength = 0 }").0, 4);
    assert_eq!(refused("[legend]\nw = { pressure = inf }").0, 4);
    assert_eq!(refused("[world]\nedges = \"drain\"").0, 4);
    let text =
        "automaton = \"explosion\"\nticks = 1\nlayer = [{ rows = [\"@\"] }, { rows = [\"@\"] }]";
    assert!(Scenario::from_toml(text).is_err(), "two layers");
}

#[test]
fn records_are_lines_of_json() {
    let text = format!("{HEAD}record = [0]\n{LAYER}");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", &text, &mut out, &mut err).expect("writing to memory");
    assert_eq!(outcome, Outcome::Held);
    let out = String::from_utf8(out).expect("JSON in UTF-8");
    let keys = [
        "tick",
        "total",
        "injected",
        "placed",
        "removed",
        "drained",
        "evaporated",
        "balanced",
        "at_rest",
        "rest_tick",
        "active_cells",
        "moved",
        "state_hash",
        "layers",
    ];
    for line in out.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("an object of JSON");
        let mut at = 0;
        for key in keys {
            let here = line[at..]
                .find(&format!("\"{key}\":"))
                .unwrap_or_else(|| panic!("{key} in its place"));
            at += here;
        }
        assert_eq!(record.as_object().expect("an object").len(), keys.len());
        assert_eq!(record["state_hash"].as_str().expect("a hash in hex").len(), 16);
        assert_eq!(record["balanced"], true);
    }
    let first: serde_json::Value =
        serde_json::from_str(out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        first["layers"],
        serde_json::json!([{ "y": 0, "heights": [[-1, 3, 0], [-1, 7, -2]] }])
    );
    assert_eq!((&first["placed"], &first["injected"]), (&3.into(), &7.into()));
    assert_eq!(first["rest_tick"], serde_json::Value::Null);
    assert_eq!(out.lines().count(), 2);
}

/// A value of the wrong kind is shown as it could be written in the file.
#[test]
fn values_of_the_wrong_kind_are_shown() {
    let ticks = |value: &str| refusal(&format!("automaton = \"water\"\nticks = {value}")).1;
    let whole = "`ticks` must be a whole number, 0 or more, not";
    for (value, shown) in [
        ("1979-05-27", "1979-05-27"),
        ("[1, -2.5, \"a\", [true]]", "[1, -2.5, \"a\", [true]]"),
        ("{ a = 1 }", "a table"),
        ("\"9\"", "\"9\""),
    ] {
        assert_eq!(ticks(value), format!("{whole} {shown}"));
    }
    let large = "0xffff_ffff_ffff_ffff_f";
    assert_eq!(ticks(large), format!("{whole} {large}"));
    refused("automaton = 3", 1, "`automaton` must be a string, not 3");
    refused(&format!("{HEAD}rules = 3\n{LAYER}"), 3, "`rules` must be a table, not 3");
    refused(&format!("{HEAD}layer = 3"), 3, "`layer` must be a list, not 3");
    refused(&format!("{HEAD}layer = [3]"), 3, "`layer` must be a table, not 3");
    refused_after_the_layer(
        "[rules]\nevaporation = nan",
        2,
        "`evaporation` must be a chance from 0 to 1, not nan",
    );
    refused_after_the_layer("[rules]\npools = 1", 2, "`pools` must be true or false, not 1");
    refused_after_the_layer("[expect]\nbalanced = false", 2, "`balanced` must be true, not false");
    refused_after_the_layer("[expect]\ntotal = [1, 2, 3]", 2, {
        "`total` must be a number or [least, most], not [1, 2, 3]"
    });
    let when = |value: &str| format!("[[expect.check]]\ntotal = 1\nwhen = {value}");
    refused_after_the_layer(&when("\"soon\""), 3, "`when` must be a tick or \"end\", not \"soon\"");
    refused_after_the_layer(&when("[1]"), 3, {
        "`when` must be \"end\", \"always\", a tick or [first, last], not [1]"
    });
}

#[test]
fn duplicate_settings_are_refused() {
    let slice = "[[slice]]\nrows = [\"#\"]";
    refused_after_the_layer(slice, 1, "unknown key `slice` in a file with [[layer]]");
    let text = "automaton = \"explosion\"\nticks = 1\nborders = { x = \"open\" }\n[world]\nborders = { y = \"open\" }\n\
                [[layer]]\nrows = [\"@\"]";
    refused(text, 3, "`borders` must be in one place only, not a table");
}

/// The words of the failures of a scenario that runs, with their lines.
#[track_caller]
pub fn failures(text: &str) -> Vec<String> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", text, &mut out, &mut err).expect("writing to memory");
    let err = String::from_utf8(err).expect("messages in UTF-8");
    assert_eq!(outcome, if err.is_empty() { Outcome::Held } else { Outcome::Failed }, "{err}");
    err.lines().map(str::to_owned).collect()
}

#[test]
fn a_world_that_rests_late_or_never_fails_with_the_tick_or_the_cells() {
    let fall = "automaton = \"water\"\nticks = 60\n[rules]\nevaporation = 0.0\n[[layer]]\nrows = [\".\"]\n\
                [[layer]]\nrows = [\"7\"]\n[expect]\nat_rest_by = ";
    assert_eq!(failures(&format!("{fall}59")), [] as [&str; 0]);
    let late = failures(&format!("{fall}0"));
    assert!(
        late.len() == 1 && late[0].starts_with("file.toml:10: at_rest_by: at rest since tick "),
        "{late:?}"
    );
    assert!(late[0].ends_with("at tick 60, expected rest by tick 0"), "{late:?}");
    let spring = "automaton = \"water\"\nticks = 9\n[world]\nwest = \"drain\"\n[[layer]]\nrows = [\"..S\"]\n\
                  [expect]\nat_rest_by = 5\nfills = [\"S\", \".\"]\n[[expect.check]]\nwhen = \"always\"\nsteady = 2";
    let failed = failures(spring);
    let says = |start: &str, end: &str| {
        failed.iter().any(|line| line.starts_with(start) && line.ends_with(end))
    };
    assert!(
        says(
            "file.toml:8: at_rest_by: not at rest, ",
            " active cells at tick 9, expected rest by tick 5"
        ),
        "{failed:?}"
    );
    assert!(says("file.toml:12: steady: ", "over 2 ticks at tick 2, expected 0"), "{failed:?}");
}

#[test]
fn an_order_that_never_ends_fails() {
    let apart = "automaton = \"water\"\nticks = 20\n[rules]\nevaporation = 0.0\n[legend]\na = \".\"\n[[layer]]\n\
                 rows = [\"3.#a\"]\n[expect]\nfills = [\"3\", \"a\"]\nwets = [\".\", \"a\"]";
    let failed = failures(apart);
    assert!(
        failed.contains(
            &"file.toml:11: wets: \"a\" has not come at tick 20, expected all of them".to_owned()
        ),
        "{failed:?}"
    );
    assert!(
        failed.contains(
            &"file.toml:10: fills: \"3\" has not come at tick 20, expected all of them".to_owned()
        ),
        "{failed:?}"
    );
}
