//! A case as a scenario: the world before its first tick as slices, later edits as characters, and
//! what is expected of it.

use crate::case::Case;
use crate::laws::Broken;
use floodplain::glam::IVec3;
use floodplain::scenario::{Run, Scenario};
use floodplain::testing::Watch;
use floodplain::water::{Edge, Edges, Edit, FULL, Voxel, WaterWorld};
use floodplain::{ChunkPos, Cube, Region, Shape};
use std::fmt::{self, Write};

/// The most cells of a drawing.
const MOST: u128 = 100_000;

/// Returns the text of a scenario, or in one line why there is none.
pub fn draw(case: &Case<WaterWorld>, broken: &Broken) -> Result<String, String> {
    let mut world = case.world();
    if world.ticks() > 0 || world.chunks().next().is_some() {
        return Err("the world had run before: a drawing knows no flows".to_owned());
    }
    let (first, later) = case.edits.split_at(case.edits.partition_point(|edit| edit.0 == 0));
    first.iter().for_each(|(_, edit)| drop(world.apply(edit.clone())));
    if world.fixtures().next().is_some() {
        return Err("a drawing has no fixtures".to_owned());
    }
    let region = drawn(&world)?;
    let mut text = String::new();
    let written = write(&mut text, case, broken, &world, region);
    written.map_err(|_| "a string cannot be written".to_owned())?;
    for (tick, edit) in later {
        write_edit(&mut text, &mut world, *tick, edit, region)?;
    }
    Ok(text)
}

/// Runs a drawing, with all laws after each tick. Returns what is broken in it, if anything is.
pub fn broken_in(text: &str) -> Result<Option<String>, String> {
    let scenario = Scenario::from_toml(text).map_err(|error| error.to_string())?;
    let mut run = Run::new(&scenario).map_err(|error| error.to_string())?;
    while run.step().map_err(|error| error.to_string())? {
        if let Err(law) = run.validate() {
            return Ok(Some(law));
        }
        if !run.is_balanced() {
            return Ok(Some("the ledger is not balanced".to_owned()));
        }
    }
    Ok(run.failures().first().map(ToString::to_string))
}

/// Returns the cells that are loaded and within the bounds.
fn drawn(world: &WaterWorld) -> Result<Region, String> {
    let chunks: Vec<Region> =
        world.chunks().map(|(position, _)| Cube::region_of(position)).collect();
    let hull = chunks
        .iter()
        .copied()
        .reduce(|one, other| Region::new(one.min().min(other.min()), one.max().max(other.max())));
    let region = hull.and_then(|hull| hull.intersection(&world.bounds()));
    let region = region.ok_or("no chunk is loaded before the first tick")?;
    if region.volume() > MOST {
        return Err(format!("a drawing of {} cells is no picture", region.volume()));
    }
    Ok(region)
}

fn write(
    text: &mut String,
    case: &Case<WaterWorld>,
    broken: &Broken,
    world: &WaterWorld,
    region: Region,
) -> fmt::Result {
    let rules = world.rules();
    let ticks = ticks(case, broken);
    writeln!(text, "# The law `{}`: {}.", broken.law, broken.what.replace(['\n', '\r'], " "))?;
    writeln!(text, "automaton = \"water\"\nseed = {}\nticks = {ticks}\n", world.seed())?;
    writeln!(text, "[rules]")?;
    writeln!(text, "evaporation = {:?}", rules.evaporation)?;
    writeln!(text, "film_evaporation = {:?}", rules.film_evaporation)?;
    writeln!(text, "source_supply = {}\nthroughput = {}", rules.source_supply, rules.throughput)?;
    writeln!(text, "pools = {}\nmany_parents = {}", rules.pools, rules.many_parents)?;
    let min = region.min();
    writeln!(text, "\n[world]\noffset = [{}, {}, {}]", min.x, min.y, min.z)?;
    write_edges(text, &rules.edges)?;
    let missing = chunks_in(region).filter(|&chunk| world.chunk(chunk).is_none());
    let missing: Vec<String> =
        missing.map(|chunk| format!("[{}, {}, {}]", chunk.x, chunk.y, chunk.z)).collect();
    if !missing.is_empty() {
        writeln!(text, "unloaded = [{}]", missing.join(", "))?;
    }
    write_slices(text, world, region)?;
    writeln!(text, "\n[expect]\nbalanced = true")?;
    if broken.law == "comes_to_rest" {
        writeln!(text, "at_rest_by = {ticks}")?;
    }
    Ok(())
}

/// Returns the ticks of the drawing, at least one: those of the case, and if it is to come to rest
/// then, those within which it must.
fn ticks(case: &Case<WaterWorld>, broken: &Broken) -> u64 {
    if broken.law != "comes_to_rest" {
        return case.ticks.max(1);
    }
    let end = case.recording().replay().ok();
    case.ticks + end.and_then(|world| world.rests_within()).unwrap_or(1)
}

fn chunks_in(region: Region) -> impl Iterator<Item = ChunkPos> {
    Cube::chunks_of(region)
}

/// Equal slices are drawn once.
fn write_slices(text: &mut String, world: &WaterWorld, region: Region) -> fmt::Result {
    let (min, max) = (region.min(), region.max());
    let row = |y: i32, z: i32| -> String {
        (min.x..=max.x).map(|x| character(world.voxel(IVec3::new(x, y, z)))).collect()
    };
    let slice = |z: i32| -> Vec<String> { (min.y..=max.y).rev().map(|y| row(y, z)).collect() };
    let slices: Vec<Vec<String>> = (min.z..=max.z).map(slice).collect();
    for equal in slices.chunk_by(|one, next| one == next) {
        writeln!(text, "\n[[slice]]")?;
        if equal.len() > 1 {
            writeln!(text, "repeat = {}", equal.len())?;
        }
        let rows: Vec<String> = equal[0].iter().map(|row| format!("\"{row}\"")).collect();
        writeln!(text, "rows = [{}]", rows.join(",\n        "))?;
    }
    Ok(())
}

/// A cell that is not loaded is open: what is in it does not matter until it is.
fn character(voxel: Option<Voxel>) -> char {
    match voxel {
        Some(Voxel::SOLID) => '#',
        Some(voxel) if voxel.is_sea() => '=',
        Some(voxel) if voxel.cell().is_some_and(|cell| cell.is_source()) => 'S',
        Some(voxel) => match voxel.height() {
            0 => '.',
            height => char::from(b'0' + height.min(FULL)),
        },
        None => '.',
    }
}

fn write_edges(text: &mut String, edges: &Edges) -> fmt::Result {
    use floodplain::Face;
    for (key, face) in [
        ("floor", Face::Down),
        ("ceiling", Face::Up),
        ("west", Face::West),
        ("east", Face::East),
        ("north", Face::North),
        ("south", Face::South),
    ] {
        writeln!(text, "{key} = {}", edge(edges.outer[face.index()]))?;
    }
    writeln!(text, "unloaded_edge = {}", edge(edges.unloaded))
}

fn edge(edge: Edge) -> String {
    match edge {
        Edge::Wall => "\"wall\"".to_owned(),
        Edge::Drain => "\"drain\"".to_owned(),
        Edge::Held => "\"held\"".to_owned(),
        Edge::Level(y) => y.to_string(),
    }
}

/// Writes an edit before a later tick: what its cells are after it.
fn write_edit(
    text: &mut String,
    world: &mut WaterWorld,
    tick: u64,
    edit: &Edit,
    region: Region,
) -> Result<(), String> {
    while world.ticks() < tick {
        world.step();
    }
    if world.apply(edit.clone()).is_err() {
        // A drawing makes no edit that is refused.
        return Ok(());
    }
    let cells = match edit {
        Edit::SetSolid(cell)
        | Edit::ClearSolid(cell)
        | Edit::AddSource(cell)
        | Edit::RemoveSource(cell)
        | Edit::SetSea(cell)
        | Edit::ClearSea(cell)
        | Edit::Pour { cell, .. }
        | Edit::Scoop { cell, .. } => Region::new(*cell, *cell),
        Edit::FillSolid(region) | Edit::FillSea(region) | Edit::FillWater { region, .. } => *region,
        Edit::InsertChunk { position, .. } => {
            let ChunkPos { x, y, z } = *position;
            let _ = write!(text, "\n[[edit]]\nat = {}\nload = [{x}, {y}, {z}]\n", tick + 1);
            return Ok(());
        }
        other => return Err(format!("a drawing cannot make the edit {other:?}")),
    };
    if region.intersection(&cells) != Some(cells) {
        return Err(format!("a drawing cannot make an edit outside it: {edit:?}"));
    }
    let with = character(world.voxel(cells.min()));
    let (from, to) = (cells.min() - region.min(), cells.max() - region.min());
    let _ = write!(
        text,
        "\n[[edit]]\nat = {}\nfrom = [{}, {}, {}]\nto = [{}, {}, {}]\nwith = \"{with}\"\n",
        tick + 1,
        from.x,
        from.y,
        from.z,
        to.x,
        to.y,
        to.z
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Begin;
    use floodplain::Chunk;
    use floodplain::testing::Start;
    use floodplain::water::Rules;

    /// A case from an empty world.
    fn case(bounds: Region, edits: Vec<(u64, Edit)>, ticks: u64) -> Case<WaterWorld> {
        let start = Start { seed: 3, rules: Rules::lossless(), bounds };
        Case { begin: Begin::Empty(start), edits, ticks }
    }

    fn open(position: IVec3) -> Edit {
        Edit::InsertChunk { position: position.into(), chunk: Chunk::uniform(Voxel::OPEN) }
    }

    #[test]
    fn an_edit_outside_the_drawing_is_why_there_is_none() {
        let far = IVec3::new(i32::MIN >> 4, 0, 0);
        let edits = vec![
            (0, open(IVec3::X)),
            (1, open(far)),
            (2, Edit::SetSolid(IVec3::new(i32::MIN, 0, 0))),
        ];
        let bounds = Region::new(IVec3::MIN, IVec3::MAX);
        let broken = Broken { law: "valid", tick: 2, what: String::new(), cell: None };
        let none = draw(&case(bounds, edits, 2), &broken).unwrap_err();
        assert!(none.starts_with("a drawing cannot make an edit outside it"), "{none}");
    }

    /// A world has the same time to come to rest in a drawing as under the law.
    #[test]
    fn a_world_that_comes_to_rest_in_time_breaks_nothing_in_its_drawing() {
        let bounds = Region::new(IVec3::ZERO, IVec3::splat(7));
        let pour = Edit::Pour { cell: IVec3::new(3, 7, 3), units: 7 };
        let case = case(bounds, vec![(0, open(IVec3::ZERO)), (0, pour)], 0);
        let broken =
            Broken { law: "comes_to_rest", tick: 0, what: "two\nlines".to_owned(), cell: None };
        let text = draw(&case, &broken).unwrap();
        assert!(text.contains("at_rest_by") && text.starts_with("# The law"), "{text}");
        assert_eq!(broken_in(&text), Ok(None));
    }
}
