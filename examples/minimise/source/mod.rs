//! A case as the source of a test against the public functions of the crate.

pub mod water;

use crate::case::{Begin, Case};
use crate::kinds::{EditOf, Kind};
use crate::laws::Broken;
use floodplain::EditValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The most characters of an edit that stands in words beside its bytes.
const WORDS: usize = 70;

/// What a source may use besides the type of its edits.
const IMPORTS: [(&str, &[&str]); 6] = [
    ("floodplain::glam", &["IVec3"]),
    ("floodplain::recording", &["Recording"]),
    ("floodplain::snapshot", &["Saved"]),
    ("floodplain::testing", &["Watched"]),
    ("floodplain::water", &["Edge", "Edges", "Fixture", "Rules", "Voxel"]),
    ("floodplain", &["Chunk", "ChunkPos", "ColumnPos", "EditValue", "Face", "Region"]),
];

/// Returns the file.
pub fn test<W: Kind>(case: &Case<W>, broken: &Broken) -> String {
    let [world, edit] = W::TYPES;
    let mut text = format!("fn world() -> {world} {{\n");
    let made = match &case.begin {
        Begin::Empty(setting) => W::empty_source(setting),
        Begin::Saved(_) => None,
    };
    let made = made
        .unwrap_or_else(|| format!("    <{world}>::load(&{:?}).unwrap()\n", case.world().save()));
    let _ = write!(text, "{made}}}\n\n#[test]\nfn the_law_{}_holds() {{\n", broken.law);
    let _ = writeln!(text, "    let edits: Vec<(u64, {})> = vec![", short(edit));
    for (tick, edit) in &case.edits {
        let _ = writeln!(text, "        ({tick}, {}),", source::<W>(edit));
    }
    let _ = writeln!(
        text,
        "    ];\n    let recording = Recording::new(&world(), edits, {});",
        case.ticks
    );
    text += "    let watched = Watched::of(&recording).unwrap();\n";
    text += "    assert_eq!(watched.follow(&recording, |_| true), None);\n}\n";
    let what = broken.what.replace(['\n', '\r'], " ");
    format!(
        "//! The law `{}`: {what}.\n//!\n//! Needs floodplain with the features `recording` and \
         `testing`.\n\n{}\n{text}",
        broken.law,
        imports(&text, edit)
    )
}

/// Returns the imports of those names that a source uses outside its comments, and of an edit.
fn imports(source: &str, edit: &str) -> String {
    let mut code = String::new();
    for part in source.split("/*") {
        code += part.split_once("*/").map_or(part, |(_, code)| code);
    }
    let words: Vec<&str> = code.split(|letter: char| !letter.is_alphanumeric()).collect();
    let mut paths = BTreeMap::from(IMPORTS.map(|(path, names)| {
        // A trait is used by its function: `load`, `from_bytes`.
        let is_used = |name: &str| match name {
            "Saved" => words.contains(&"load"),
            "EditValue" => words.contains(&"bytes"),
            _ => words.contains(&name),
        };
        (path, names.iter().copied().filter(|name| is_used(name)).collect::<BTreeSet<_>>())
    }));
    if let Some((path, name)) = edit.rsplit_once("::") {
        paths.entry(path).or_default().insert(name);
    }
    let mut text = String::new();
    for (path, names) in paths {
        let used: Vec<&str> = names.into_iter().collect();
        let _ = match used[..] {
            [] => Ok(()),
            [name] => writeln!(text, "use {path}::{name};"),
            _ => writeln!(text, "use {path}::{{{}}};", used.join(", ")),
        };
    }
    text
}

/// Returns the last name of a path.
fn short(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Returns an edit as it is written in a program: in words, or by its bytes.
fn source<W: Kind>(edit: &EditOf<W>) -> String {
    W::edit_source(edit).unwrap_or_else(|| {
        let words = format!("{edit:?}");
        let comment = if words.len() <= WORDS { format!("/* {words} */ ") } else { String::new() };
        let bytes = edit.to_bytes();
        format!("{comment}{}::from_bytes(&{bytes:?}).unwrap()", short(W::TYPES[1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::blast::{BlastGraph, GraphEdit};
    use floodplain::glam::IVec3;
    use floodplain::water::{Edit, Voxel, WaterWorld};
    use floodplain::{Chunk, ChunkPos};

    #[test]
    fn only_what_the_code_uses_is_imported() {
        let source = "let a = W::load(&[IVec3::ONE]); /* Edge ChunkPos(1) */ f(Chunk::x(Edges))";
        let expected = "use floodplain::Chunk;\nuse floodplain::glam::IVec3;\n\
                        use floodplain::snapshot::Saved;\nuse floodplain::water::{Edges, Edit};\n";
        assert_eq!(imports(source, "floodplain::water::Edit"), expected);
        let expected = "use floodplain::blast::GraphEdit;\n";
        assert_eq!(imports("", "floodplain::blast::GraphEdit"), expected);
        let expected = "use floodplain::EditValue;\nuse floodplain::water::Edit;\n";
        assert_eq!(imports("Edit::from_bytes(&[11])", "floodplain::water::Edit"), expected);
    }

    #[test]
    fn a_report_of_several_lines_is_one_line_of_the_source() {
        let broken = Broken { law: "no_panic", tick: 0, what: "a\nb".to_owned(), cell: None };
        let text = test(&crate::hunt::case::<WaterWorld>(1), &broken);
        let head = "//! The law `no_panic`: a b.\n//!\n//! Needs floodplain with the features ";
        assert!(text.starts_with(head), "{text}");
    }

    #[test]
    fn edits_are_written_in_words_or_by_their_bytes() {
        let source = source::<WaterWorld>;
        let pour = Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 };
        assert_eq!(source(&pour), "Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 }");
        let open = Edit::InsertChunk {
            position: ChunkPos::new(1, 0, 0),
            chunk: Chunk::uniform(Voxel::OPEN),
        };
        let words = "Edit::InsertChunk { position: ChunkPos::new(1, 0, 0), \
                     chunk: Chunk::uniform(Voxel::OPEN) }";
        assert_eq!(source(&open), words);
        assert_eq!(source(&Edit::WakeAll), "/* WakeAll */ Edit::from_bytes(&[11]).unwrap()");
        let wake = super::source::<BlastGraph>(&GraphEdit::WakeAll);
        assert!(wake.starts_with("/* WakeAll */ GraphEdit::from_bytes(&["), "{wake}");
    }
}
