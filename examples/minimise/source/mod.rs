//! A case as the source of a test against the public functions of the crate.

pub mod water;

use crate::case::{Begin, Case};
use crate::kinds::{EditOf, Kind};
use crate::laws::Broken;
use std::fmt::Write;

/// The most characters of an edit that stands in words beside its bytes.
const WORDS: usize = 70;

/// Returns the file.
pub fn test<W: Kind>(case: &Case<W>, broken: &Broken) -> String {
    let [world, edit] = W::TYPES;
    let mut text = format!("//! The law `{}`: {}.\n\n", broken.law, broken.what);
    text += "#![allow(unused_imports)]\n\nuse floodplain::glam::{IVec2, IVec3};\n";
    text += "use floodplain::recording::Recording;\nuse floodplain::snapshot::Saved;\n";
    text += "use floodplain::testing::Watched;\n";
    text += "use floodplain::water::{Edge, Edges, Fixture, Rules, Voxel};\n";
    text += "use floodplain::{Chunk, Face, Region};\n";
    let _ = writeln!(text, "use {edit};\n\nfn world() -> {world} {{");
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
    text + "    assert_eq!(watched.follow(&recording, |_| true), None);\n}\n"
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
        let bytes = W::edit_bytes(edit);
        format!("{comment}{}::from_bytes(&{bytes:?}).unwrap()", short(W::TYPES[1]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use floodplain::Chunk;
    use floodplain::blast::{BlastGraph, GraphEdit};
    use floodplain::glam::IVec3;
    use floodplain::water::{Edit, Voxel, WaterWorld};

    #[test]
    fn edits_are_written_in_words_or_by_their_bytes() {
        let source = source::<WaterWorld>;
        let pour = Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 };
        assert_eq!(source(&pour), "Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 }");
        let open = Edit::InsertChunk { position: IVec3::X, chunk: Chunk::uniform(Voxel::OPEN) };
        let words = "Edit::InsertChunk { position: IVec3::new(1, 0, 0), \
                     chunk: Chunk::uniform(Voxel::OPEN) }";
        assert_eq!(source(&open), words);
        assert_eq!(source(&Edit::WakeAll), "/* WakeAll */ Edit::from_bytes(&[11]).unwrap()");
        let wake = super::source::<BlastGraph>(&GraphEdit::WakeAll);
        assert!(wake.starts_with("/* WakeAll */ GraphEdit::from_bytes(&["), "{wake}");
    }
}
