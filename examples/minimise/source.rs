//! A case as the source of a test against the public functions of the crate.

use crate::case::{Begin, Case};
use crate::laws::Broken;
use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edit, Rules, Voxel};
use floodplain::{Chunk, Region};
use std::fmt::Write;

/// Returns the file.
pub fn test(case: &Case, broken: &Broken) -> String {
    let mut text = format!("//! The law `{}`: {}.\n\n", broken.law, broken.what);
    text.push_str("#![allow(unused_imports)]\n\nuse floodplain::glam::IVec3;\n");
    text.push_str("use floodplain::snapshot::Saved;\n");
    text.push_str("use floodplain::water::{Edge, Edges, Edit, Rules, Voxel, WaterWorld};\n");
    text.push_str("use floodplain::{Chunk, Cube, Region, Shape};\n\n");
    text.push_str(&world(&case.begin));
    let _ = write!(text, "\n#[test]\nfn the_law_{}_holds() {{\n", broken.law);
    let _ = writeln!(text, "    let edits: Vec<(u64, Edit)> = vec![");
    for (tick, edit) in &case.edits {
        let _ = writeln!(text, "        ({tick}, {}),", source(edit));
    }
    text.push_str("    ];\n");
    text.push_str(&body(broken.law, case.ticks));
    text.push_str("}\n");
    text
}

fn world(begin: &Begin) -> String {
    let mut text = "fn world() -> WaterWorld {\n".to_owned();
    match begin {
        Begin::Empty { seed, rules, bounds } => {
            let _ = writeln!(text, "    let rules = {};", rules_source(rules));
            let _ = writeln!(text, "    let bounds = {};", region(bounds));
            let _ = writeln!(text, "    WaterWorld::with_bounds({seed}, rules, bounds).unwrap()");
        }
        Begin::Saved(saved) => {
            let _ = writeln!(text, "    WaterWorld::load(&{saved:?}).unwrap()");
        }
    }
    text + "}\n"
}

/// What is done with the edits, and what must hold: what holds of all worlds, and the law.
fn body(law: &str, ticks: u64) -> String {
    let twin = match law {
        "awake" => "        twin.wake_all();\n        twin.step();\n",
        "slices" => "        while !twin.step_within(23).finished {}\n",
        "saved" => {
            "        if tick % 3 == 0 {\n            twin = WaterWorld::load(&twin.save()).unwrap();\n        \
             }\n        twin.step();\n"
        }
        _ => "",
    };
    let cells = match law {
        "ground" => GROUND,
        "changes" => CHANGES,
        "current" => CURRENT,
        _ => "",
    };
    let when = |is_so: bool, text: &str| if is_so { text.to_owned() } else { String::new() };
    let has_twin = !twin.is_empty();
    let mut text = "    let mut world = world();\n".to_owned();
    text += &when(has_twin, "    let mut twin = self::world();\n");
    let _ = writeln!(text, "    for tick in 0..={ticks} {{");
    text += "        for (_, edit) in edits.iter().filter(|edit| edit.0 == tick) {\n";
    text += "            let before = world.state_hash();\n";
    text += "            if world.apply(edit.clone()).is_err() {\n";
    text += "                assert_eq!(world.state_hash(), before);\n            }\n";
    text += &when(has_twin, "            let _ = twin.apply(edit.clone());\n");
    text += "            world.validate().unwrap();\n        }\n";
    let _ = writeln!(text, "        if tick == {ticks} {{\n            break;\n        }}");
    text += &when(!cells.is_empty(), LOOK);
    text += "        let before = world.ledger();\n        world.step();\n";
    text += twin;
    text += &when(has_twin, "        assert_eq!(world.state_hash(), twin.state_hash());\n");
    text += "        world.validate().unwrap();\n        let after = world.ledger();\n";
    text += "        assert_eq!((after.placed, after.removed), (before.placed, before.removed));\n";
    text += &when(law == "account", ACCOUNT);
    text += "        let units: u64 = world.chunks().map(|(_, chunk)| chunk.units()).sum();\n";
    text += "        assert_eq!(units, world.total());\n";
    text += cells;
    text += "    }\n";
    text += &when(law == "rest", "    world.run(1500);\n    assert!(world.is_at_rest());\n");
    text
}

/// Before a tick, for laws of cells.
const LOOK: &str = "        \
        let chunks: Vec<_> =
            world.chunks().map(|(at, chunk)| (at, chunk.into_owned())).collect();
        world.take_all_changes();
";

const GROUND: &str = "        \
        let is_spring = |voxel: Voxel| voxel.cell().is_some_and(|cell| cell.is_source());
        for (at, before) in chunks {
            let after = world.chunk(at).unwrap();
            for (old, new) in (0..4096).map(|index| (before.get(index), after.get(index))) {
                assert_eq!((old.is_solid(), is_spring(old)), (new.is_solid(), is_spring(new)));
                assert!(!is_spring(new) || new.height() == 7);
            }
        }
";

const CHANGES: &str = "        \
        let listed = world.take_all_changes();
        for (at, before) in chunks {
            let after = world.chunk(at).unwrap();
            for index in (0..4096).filter(|&index| before.get(index) != after.get(index)) {
                let has = |changes: &floodplain::ChunkChanges| {
                    changes.chunk == at && changes.cells.contains(index)
                };
                assert!(listed.iter().any(has));
            }
        }
";

const CURRENT: &str = "        \
        let most = i32::from(world.rules().throughput);
        for cell in chunks.iter().flat_map(|&(at, _)| Cube::region_of(at).positions()) {
            assert!(world.current(cell).abs().max_element() <= most);
        }
";

/// Of a world whose edges do not drain.
const ACCOUNT: &str = "        \
        let rules = world.rules();
        let evaporates = rules.evaporation > 0.0 || rules.film_evaporation > 0.0;
        assert!(evaporates || after.evaporated == before.evaporated);
        let springs: u64 = world.chunks().map(|(_, chunk)| {
            let is_spring = |&i: &usize| chunk.get(i).cell().is_some_and(|cell| cell.is_source());
            (0..4096).filter(is_spring).count() as u64
        }).sum();
        let taps = 7 * world.fixtures().count() as u64;
        assert!(after.injected - before.injected <= 7 * springs + taps);
";

fn cell(cell: IVec3) -> String {
    format!("IVec3::new({}, {}, {})", cell.x, cell.y, cell.z)
}

fn region(region: &Region) -> String {
    format!("Region::new({}, {})", cell(region.min()), cell(region.max()))
}

fn edge(edge: Edge) -> String {
    format!("Edge::{edge:?}")
}

fn rules_source(rules: &Rules) -> String {
    if *rules == Rules::lossless() {
        return "Rules::lossless()".to_owned();
    }
    let Rules { evaporation, film_evaporation, activity_decay, source_supply, throughput, .. } =
        rules;
    let outer: Vec<String> = rules.edges.outer.iter().map(|&outer| edge(outer)).collect();
    format!(
        "Rules {{ evaporation: {evaporation:?}, film_evaporation: {film_evaporation:?}, \
         activity_decay: {activity_decay:?}, source_supply: {source_supply}, \
         throughput: {throughput}, edges: Edges {{ outer: [{}], unloaded: {} }}, pools: {}, \
         many_parents: {} }}",
        outer.join(", "),
        edge(rules.edges.unloaded),
        rules.pools,
        rules.many_parents
    )
}

fn chunk(chunk: &Chunk<Voxel>) -> Option<String> {
    match chunk.as_uniform()? {
        Voxel::OPEN => Some("Chunk::uniform(Voxel::OPEN)".to_owned()),
        Voxel::SOLID => Some("Chunk::uniform(Voxel::SOLID)".to_owned()),
        _ => None,
    }
}

/// Returns an edit as it is written in a program: in words, or by its bytes.
fn source(edit: &Edit) -> String {
    let words = match edit {
        Edit::SetSolid(at) => Some(format!("Edit::SetSolid({})", cell(*at))),
        Edit::ClearSolid(at) => Some(format!("Edit::ClearSolid({})", cell(*at))),
        Edit::AddSource(at) => Some(format!("Edit::AddSource({})", cell(*at))),
        Edit::RemoveSource(at) => Some(format!("Edit::RemoveSource({})", cell(*at))),
        Edit::SetSea(at) => Some(format!("Edit::SetSea({})", cell(*at))),
        Edit::ClearSea(at) => Some(format!("Edit::ClearSea({})", cell(*at))),
        Edit::RemoveChunk(at) => Some(format!("Edit::RemoveChunk({})", cell(*at))),
        Edit::FillSolid(cells) => Some(format!("Edit::FillSolid({})", region(cells))),
        Edit::FillSea(cells) => Some(format!("Edit::FillSea({})", region(cells))),
        Edit::FillWater { region: cells, height } => {
            Some(format!("Edit::FillWater {{ region: {}, height: {height} }}", region(cells)))
        }
        Edit::Pour { cell: at, units } => {
            Some(format!("Edit::Pour {{ cell: {}, units: {units} }}", cell(*at)))
        }
        Edit::Scoop { cell: at, units } => {
            Some(format!("Edit::Scoop {{ cell: {}, units: {units} }}", cell(*at)))
        }
        Edit::InsertChunk { position, chunk: cells } => chunk(cells).map(|cells| {
            format!("Edit::InsertChunk {{ position: {}, chunk: {cells} }}", cell(*position))
        }),
        Edit::InsertChunks(chunks) => {
            let item = |(position, cells): &(IVec3, Chunk<Voxel>)| {
                chunk(cells).map(|cells| format!("({}, {cells})", cell(*position)))
            };
            let items: Option<Vec<String>> = chunks.iter().map(item).collect();
            items.map(|items| format!("Edit::InsertChunks(vec![{}])", items.join(", ")))
        }
        _ => None,
    };
    words.unwrap_or_else(|| format!("Edit::from_bytes(&{:?}).unwrap()", edit.to_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_written_in_words_or_by_their_bytes() {
        let pour = Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 };
        assert_eq!(source(&pour), "Edit::Pour { cell: IVec3::new(1, -2, 3), units: 4 }");
        let open = Edit::InsertChunk { position: IVec3::X, chunk: Chunk::uniform(Voxel::OPEN) };
        let words = "Edit::InsertChunk { position: IVec3::new(1, 0, 0), \
                     chunk: Chunk::uniform(Voxel::OPEN) }";
        assert_eq!(source(&open), words);
        assert_eq!(source(&Edit::WakeAll), "Edit::from_bytes(&[11]).unwrap()");
    }
}
