//! What a scenario may say of each automaton: what is refused, on which line and in which words,
//! and what can be asked.

use floodplain::glam::IVec3;
use floodplain::scenario::{Outcome, Scenario, play};

/// Plays a file with these lines, after two for the automaton and its ticks, and this layer after
/// them.
fn played(automaton: &str, lines: &str, rows: &str) -> (Outcome, String, String) {
    let text = format!("automaton = \"{automaton}\"\nticks = 3\n{lines}\n[[layer]]\nrows = {rows}");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = play("file.toml", &text, &mut out, &mut err).expect("writing to memory");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (outcome, text(out), text(err))
}

/// The lines, counted from their own start, are refused on this one, with a message that begins so.
#[track_caller]
fn refused(automaton: &str, lines: &str, line: usize, message: &str) {
    let (outcome, out, err) = played(automaton, lines, "[\"..\"]");
    assert_eq!((outcome, out.as_str()), (Outcome::Refused, ""), "{lines}\n{err}");
    assert!(err.starts_with(&format!("file.toml:{}: {message}", line + 2)), "{err}");
}

/// The world itself refuses the file, at no one line.
#[track_caller]
fn refused_by_the_world(automaton: &str, lines: &str, rows: &str, message: &str) {
    let (outcome, out, err) = played(automaton, lines, rows);
    assert_eq!((outcome, out.as_str()), (Outcome::Refused, ""), "{lines}\n{err}");
    assert!(err.starts_with(&format!("file.toml: the world was refused: {message}")), "{err}");
}

#[track_caller]
fn holds(automaton: &str, lines: &str, rows: &str) -> String {
    let (outcome, out, err) = played(automaton, lines, rows);
    assert_eq!((outcome, err.as_str()), (Outcome::Held, ""));
    out
}

#[test]
fn explosions_are_refused_in_words() {
    let refused =
        |lines: &str, line: usize, message: &str| refused("explosion", lines, line, message);
    refused(
        "[rules]\nrule = \"loud\"",
        2,
        "`rule` must be \"diffusive\" or \"wave\", not \"loud\"",
    );
    refused(
        "[rules]\nrule = \"wave\"\ndamping = 1.5",
        3,
        "`damping` must be above 0 and at most 1, not 1.5",
    );
    refused("[rules]\nthreshold = -1", 2, "`threshold` must be a pressure from 0 to 1e18, not -1");
    refused(
        "[rules]\ncoefficient = -1",
        2,
        "`coefficient` must be a number above 0, up to 1e6, not -1",
    );
    refused("[legend]\nw = { solid = false }", 2, "`w` must be one of { solid = true }");
    refused(
        "[legend]\nw = { solid = true, open = true }",
        2,
        "`w` must be one of { solid = true }",
    );
    refused("[legend]\nw = 3", 2, "`w` must be one of { solid = true }");
    refused_by_the_world(
        "explosion",
        "[rules]\nrule = \"wave\"\ndamping = 0.99",
        "[\".\"]",
        "damping is at most 0.98 on a grid",
    );
    refused_by_the_world(
        "explosion",
        "[legend]\nw = { pressure = -5 }",
        "[\"w\"]",
        "a pressure of -5 in cell [0, 0, 0]",
    );
}

#[test]
fn humidity_is_refused_in_words() {
    let refused =
        |lines: &str, line: usize, message: &str| refused("humidity", lines, line, message);
    refused(
        "[rules]\nsweep = \"wild\"",
        2,
        "`sweep` must be \"in place\", \"synchronous\" or \"conservative\"",
    );
    refused("[rules]\ncap = -1", 2, "`cap` must be above 0, up to 32767, not -1");
    refused("[rules]\ncoefficient = 9", 2, "`coefficient` must be above 0, up to 0.0625");
    refused("[rules]\nfall = 9", 2, "`fall` must be 0 to 0.125");
    refused(
        "[rules]\nsweep = \"synchronous\"\nfall = 0.1",
        3,
        "`fall` must be 0 in the sweep Synchronous",
    );
    refused("[rules]\nleast_impermeability = 0", 2, "`least_impermeability` must be");
    refused("[world]\nedges = \"held\"", 2, "`edges` must be \"wall\" or \"drain\", not \"held\"");
    refused("[legend]\nw = 3", 2, "`w` must be { humidity = …, impermeability = … }");
    refused(
        "[legend]\nw = { rock = false }",
        2,
        "`w` must be { humidity = …, impermeability = … }",
    );
    refused(
        "[legend]\nw = { rain = 1, humidity = 1 }",
        2,
        "`w` must be { humidity = …, impermeability = … }",
    );
    let drowned = "[legend]\nw = { humidity = 1e9 }";
    refused_by_the_world(
        "humidity",
        drowned,
        "[\"w\"]",
        "a humidity of 1000000000 in cell [0, 0, 0]",
    );
}

#[test]
fn two_dimensional_water_is_refused_in_words() {
    let refused =
        |lines: &str, line: usize, message: &str| refused("water-2d", lines, line, message);
    refused("[rules]\nrule = \"x\"", 2, "`rule` must be \"literal\" or \"settling\", not \"x\"");
    refused(
        "[world]\nfloor = \"drain\"",
        2,
        "`floor` must be \"wall\": nothing drains from 2D water, not \"drain\"",
    );
    for glyph in [
        "{ solid = false }",
        "{ solid = true, open = true }",
        "{ open = true, water = 3 }",
        "{ }",
        "3",
    ] {
        refused(
            &format!("[legend]\nw = {glyph}"),
            2,
            "`w` must be one of { solid = true }, { open = true }",
        );
    }
    refused(
        "[legend]\nw = { water = 2000000 }",
        2,
        "`water` must be a whole number from 0 to 1000000, not 2000000",
    );
}

#[test]
fn drawings_and_choices_of_cells_are_refused_in_words() {
    let refused = |lines: &str, line: usize, message: &str| refused("water", lines, line, message);
    let check = "[[expect.check]]\ntotal = 0\n";
    refused(
        &format!("{check}cells = \".\"\nfrom = [0, 0, 0]"),
        3,
        "`cells` must be alone, or give way to `from`",
    );
    refused(&format!("{check}to = [0, 0, 0]"), 3, "`to` must be the second corner, after `from`");
    refused(
        "[[layer]]\nrepeat = [1, 2]\nrows = [\"..\"]",
        2,
        "`repeat` must be a number or [x, y, z], not [1, 2]",
    );
    refused(
        "[[layer]]\nrepeat = [9999999, 9, 1]\nrows = [\"..\"]",
        1,
        "the drawing has more than 16777216 cells",
    );
    refused(
        "[legend]\nw = { water = 3, open = true }",
        2,
        "`w` must be one of { solid = true }, { open = true }",
    );
    refused(
        "[legend]\nw = { source = false }",
        2,
        "`w` must be one of { solid = true }, { open = true }",
    );
    let slices = "automaton = \"water\"\nticks = 1\n[[slice]]\nrepeat = 3\nrows = [\"7\"]\n[expect]\ntotal = 21";
    assert_eq!(Scenario::from_toml(slices).unwrap().run().unwrap().failures, []);
    let far = Scenario::from_toml(slices).unwrap().at_offset(IVec3::Z * i32::MAX).unwrap_err();
    assert_eq!((far.line, far.to_string().contains("leaves the i32 range")), (0, true), "{far}");
}

#[test]
fn humidity_can_be_asked_about() {
    for sweep in ["in place", "synchronous", "conservative"] {
        let lines = format!(
            "[rules]\nsweep = \"{sweep}\"\n[world]\nwest = \"drain\"\n\
             [legend]\nr = {{ rock = true }}\nw = {{ rain = 8.0, impermeability = 2.0 }}\nd = {{ impermeability = 3.0 }}\n\
             [expect]\nbalanced = true\n[[expect.check]]\nwhen = \"always\"\ncells = \"w\"\nrain = true\nhumidity = 8\n\
             [[expect.check]]\ncells = \"d\"\nrain = false\nimpermeability = 3\nhumidity = [0.01, 8]\nlevel = [0, inf]\n\
             [[edit]]\nat = 2\ncells = \"r\"\nwith = \".\""
        );
        let out = holds("humidity", &lines, "[\"r.w\", \" d.\"]");
        let last: serde_json::Value =
            serde_json::from_str(out.lines().last().expect("the last tick")).expect("JSON");
        assert_eq!(last["layers"][0]["values"][1][0], -2, "not in the world");
    }
}

#[test]
fn explosions_can_be_asked_about() {
    let lines = "[expect]\nbalanced = true\nfills = [\"@\"]\n\
                 [[expect.check]]\nwhen = 1\ncells = \"@\"\nflow = [0.1, inf]\nflow_x = [0.1, inf]\nflow_y = 0\n\
                 exposure = [0.1, inf]\npressure = [1, 299]\nlevel = [1, 299]\n\
                 [[expect.check]]\ncells = \"#\"\nsolid = true\n[[expect.check]]\ncells = \".\"\nsolid = false";
    let out = holds("explosion", lines, "[\"@.#\", \" ..\"]");
    let last: serde_json::Value =
        serde_json::from_str(out.lines().last().expect("the last tick")).expect("JSON");
    assert_eq!(
        (&last["layers"][0]["values"][0][2], &last["layers"][0]["values"][1][0]),
        (&(-1).into(), &(-2).into())
    );
}

#[test]
fn water_drains_where_the_file_says() {
    let lines = "[rules]\nevaporation = 0.0\n[world]\nedges = \"drain\"\nunloaded_edge = \"drain\"\n\
                 [expect]\nbalanced = true\n[[expect.check]]\ntotal = [0, 6]";
    holds("water", lines, "[\"7.\"]");
    let stays = "[rules]\nevaporation = 0.0\n[world]\nedges = \"held\"\n[expect]\ntotal = 7";
    holds("water", stays, "[\"7.\"]");
}

#[test]
fn worlds_of_materials_are_refused_in_words() {
    let refused = |lines: &str, line: usize, message: &str| refused("world", lines, line, message);
    refused(
        "[legend]\nw = { material = \"cheese\" }",
        2,
        "`material` must be a material of the palette",
    );
    refused("[legend]\nw = { water = 3 }", 2, "`w` must be { material = a name }");
    refused("[legend]\nw = { rain = 1, charge = 2 }", 2, "`w` must be { material = a name }");
    refused("[legend]\nw = 3", 2, "`w` must be { material = a name }");
    refused(
        "[legend]\nw = { material = \"air\", water = 8 }",
        2,
        "`water` must be a whole number from 0 to 7",
    );
    refused("[rules]\nborders = \"periodic\"", 2, "`borders` must be \"rigid\" or \"open\"");
    refused("[rules]\nspeed = 1", 2, "unknown key `speed`");
    let under_water = "`under_water` must be \"stops\", \"passes\" or a number";
    refused("[rules]\nunder_water = true", 2, under_water);
    refused("[rules]\nunder_water = \"sinks\"", 2, under_water);
    refused("[rules]\nthrow_flow = true", 2, "`throw_flow` must be a number or false");
    refused("[rules.couplings]\nebb = 1", 2, "`ebb` must be true or false");
    refused("[rules.couplings]\nflood = 1", 2, "unknown key `flood`");
    refused(
        "[rules.materials]\nhard = { strength = -1, breaks_into = \"air\" }",
        1,
        "`materials` must be a palette (strength is a number above 0 in \"hard\", not -1)",
    );
    refused_by_the_world(
        "world",
        "[rules]\nsoil_period = 0",
        "[\".\"]",
        "soil_period is 1 or more",
    );
    for (rules, message) in [
        ("[rules]\nunder_water = 2", "under_water is a part from 0 to 1, not 2"),
        ("[rules]\nthrow_flow = 0", "throw_flow is 0.001 or more, not 0"),
        ("[rules.couplings]\nseepage = 2", "seepage is 0 to 1, not 2"),
        ("[rules.couplings]\ndepth_gain = 17", "depth_gain is 0 to 16, not 17"),
    ] {
        refused_by_the_world("world", rules, "[\".\"]", message);
    }
    refused_by_the_world(
        "world",
        "[legend]\nw = { material = \"air\", moisture = 5 }",
        "[\"w\"]",
        "cell [0, 0, 0] of material 0 takes no moisture",
    );
}

#[test]
fn checks_measure_a_world_of_materials() {
    let lines = "[legend]\ns = { material = \"soil\", moisture = 128.0 }\nc = { material = \"clay\" }\n\
                 [[edit]]\nat = 1\ncells = \"c\"\nwith = \"7\"\n\
                 [expect]\nbalanced = true\ntotal = 9\n\
                 [[expect.check]]\nwhen = 0\ncells = \"s\"\nmoisture = 128\nmaterial = \"soil\"\n\
                 [[expect.check]]\nwhen = 0\ncells = \"c\"\nmaterial = \"clay\"\nsolid = true\nmoisture = 0\n\
                 [[expect.check]]\ncells = \"c\"\nmaterial = \"air\"\nsolid = false\nbroken = false\n\
                 [[expect.check]]\ncells = \"#\"\nmaterial = \"rock\"";
    let out = holds("world", lines, "[\"#s#c#\"]");
    assert!(out.contains("\"in soil\""), "{out}");
    // A name that is no material is no number.
    let (outcome, _, err) = played("world", "[[expect.check]]\nmaterial = \"cheese\"", "[\".\"]");
    assert_eq!(outcome, Outcome::Refused, "{err}");
    assert!(err.contains("`material` must be a number"), "{err}");
}

#[test]
fn edits_replace_the_content_of_cells() {
    let lines = "[legend]\nr = { rain = 5 }\ns = { material = \"soil\", moisture = 64.0 }\n\
                 [[edit]]\nat = 1\nfrom = [0, 0, 0]\nwith = \"2\"\n\
                 [[edit]]\nat = 2\nfrom = [2, 0, 0]\nwith = \"s\"\n\
                 [[edit]]\nat = 3\nfrom = [0, 0, 0]\nwith = \"r\"\n\
                 [expect]\nbalanced = true\n\
                 [[expect.check]]\nwhen = 1\nfrom = [0, 0, 0]\nheight = 2\n\
                 [[expect.check]]\nwhen = 2\nfrom = [2, 0, 0]\nmaterial = \"soil\"\nmoisture = 64\n\
                 [[expect.check]]\nwhen = 3\nfrom = [0, 0, 0]\nheight = 7";
    holds("world", lines, "[\"S#.\"]");
}

/// A file of two materials, sand that is moist or not and turf that breaks, with one check.
fn coupled(rules: &str, couplings: &str, check: &str) -> String {
    format!(
        "[rules]\nsoil_period = 1\n{rules}\n[rules.couplings]\n{couplings}\n\
         [rules.water]\nevaporation = 0.6\nfilm_evaporation = 0.6\n\
         [rules.blast]\nrule = \"diffusive\"\ncoefficient = 0.15\n\
         [rules.materials]\nturf = {{ permeability = 0.5, strength = 1, breaks_into = \"air\" }}\n\
         [legend]\ns = {{ material = \"sand\" }}\nm = {{ material = \"sand\", moisture = 900 }}\n\
         t = {{ material = \"turf\", moisture = 200 }}\n\"*\" = {{ charge = 300, radius = 2 }}\n\
         [expect]\nbalanced = true\n[[expect.check]]\n{check}"
    )
}

/// Layers from the bottom, one cell wide.
fn pond(height: u8) -> String {
    format!("[\"s\"]\n[[layer]]\nrows = [\"{height}\"]\n[[layer]]\nrows = [\"{height}\"]")
}

#[test]
fn exchange_of_water_and_soil_follows_the_rules_of_the_file() {
    let with = |couplings: &str, rows: &str, check: &str| {
        holds("world", &coupled("", couplings, check), rows);
    };
    let bank = "[\"m..\"]";
    with("seepage = 1\nebb = false", &pond(7), "soaked = 3\nebbed = 0");
    with("seepage = 0\nebb = false", &pond(7), "soaked = 0\nebbed = 0");
    with("seepage = 0", &pond(7), "soaked = 0\nebbed = [1, 6]");
    with("seepage = 0", bank, "sprung = [1, 5]");
    with("seepage = 0\nsprings = false", bank, "sprung = 0");
    // The chance of one unit is 1.5 · 0.04; below another of depth, it is sure.
    with("seepage = 0.04\ndepth_gain = 16\nebb = false", &pond(7), "soaked = 3");
}

#[test]
fn exchange_of_explosions_and_water_follows_the_rules_of_the_file() {
    let with = |rules: &str, rows: &str, check: &str| {
        let couplings = "seepage = 0\nsprings = false\nebb = false";
        holds("world", &coupled(rules, couplings, check), rows);
    };
    with("", "[\"*.t.\"]", "spilled = 3");
    with("spilling = false", "[\"*.t.\"]", "spilled = 0");
    let under = "[\"~~~~\"]\n[[layer]]\nrows = [\"~~~~\"]\n[[layer]]\nrows = [\"*...\"]";
    let dark = "when = 1\nfrom = [0, 0, 0]\nto = [3, 0, 0]\npressure";
    with("throw_flow = false", under, &format!("{dark} = 0\nthrown = 0"));
    with("throw_flow = false\nunder_water = \"stops\"", under, &format!("{dark} = 0"));
    for under_water in ["\"passes\"", "0.9"] {
        let rules = format!("throw_flow = false\nunder_water = {under_water}");
        with(&rules, under, "when = 1\nfrom = [0, 0, 0]\npressure = [0.01, 300]");
    }
    with("throw_flow = 0.5", under, "thrown = [1, 500]");
}
