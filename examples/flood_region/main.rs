//! Floods a Minecraft region: reads it, opens a dam or lets it rain, runs the water, draws it from
//! obliquely above and in a slice, and writes it back as blocks. Prints one line of JSON with the
//! ledger, and whether the file that was written reads back as the same water.
//!
//! ```text
//! cargo run --release --example flood_region -- r.0.0.mca --rain 14
//! ```

#[path = "../shared/answer.rs"]
mod answer;
#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/oblique.rs"]
mod oblique;
mod options;
mod picture;
#[path = "../shared/png_file.rs"]
mod png_file;

use floodplain::glam::IVec3;
use floodplain::import::{BlockRules, RegionChunks, RegionFile};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{CHUNK_CELLS, Cube, Region, Shape};
use indicatif::ProgressBar;
use options::{HELP, Options};
use picture::Picture;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The region that is flooded without another, and the hole in its dam.
const GORGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/gorge.mca");
const DAM: (IVec3, i32) = (IVec3::new(27, 74, 37), 4);

const SEED: u64 = 7;

/// Ticks between two units of rain on each column.
const TICKS_PER_UNIT: u64 = 10;

fn main() -> ExitCode {
    let answer = match options::parse(std::env::args_os().skip(1)) {
        Ok(Some(options)) => flood(&options),
        Ok(None) => Ok(HELP.to_owned()),
        Err(error) => Err(error.to_string()),
    };
    answer::print("flood_region", answer)
}

/// Floods the region, and writes pictures and the new file; returns a line of JSON.
fn flood(options: &Options) -> Result<String, String> {
    let path = options.file.clone().unwrap_or(PathBuf::from(GORGE));
    let breach = match options.file {
        None if options.rain == 0 => options.breach.or(Some(DAM)),
        _ => options.breach,
    };
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let in_file = |error: &dyn std::error::Error| format!("{}: {error}", path.display());
    let file = RegionFile::from_bytes(bytes).map_err(|error| in_file(&error))?;
    let rules = BlockRules { sources: options.sources, ..BlockRules::default() };
    let RegionChunks { chunks, report: left_out } =
        file.chunks(&rules).map_err(|error| in_file(&error))?;
    eprintln!("{}: {left_out}", path.display());
    let positions = chunks.iter().map(|&(position, _)| Cube::region_of(position));
    let region = positions.reduce(around).ok_or("the region has no columns")?;
    let mut world = WaterWorld::new(SEED, Rules::lossless()).map_err(|error| error.to_string())?;
    world.insert_chunks(chunks).map_err(|error| error.to_string())?;

    let x = breach.map_or(region.min().x.midpoint(region.max().x), |(middle, _)| middle.x);
    let view = seen(&world, region);
    labels::load_font()?;
    let draw = |world: &WaterWorld, words: &str| -> Result<[Picture; 2], String> {
        Ok([picture::oblique(world, view).label(words)?, picture::slice(world, view, x)])
    };
    let before = draw(&world, "before")?;
    if let Some((middle, radius)) = breach {
        open(&mut world, middle, radius)?;
    }
    run(&mut world, region, options)?;
    let after = draw(&world, &format!("{} ticks later", options.ticks))?;

    let out = &options.out;
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    for ((before, after), name) in before.iter().zip(&after).zip(["view.png", "slice.png"]) {
        save(&out.join(name), &before.beside(after))?;
    }
    let new = file.with_water(&world, &rules).map_err(|error| in_file(&error))?.bytes;
    let name = path.file_name().ok_or("the file has no name")?;
    let new_path = out.join(name);
    std::fs::write(&new_path, &new).map_err(|error| format!("{}: {error}", new_path.display()))?;
    let again = RegionFile::from_bytes(new).and_then(|file| file.chunks(&rules));
    let again = again.map_err(|error| format!("{}: {error}", new_path.display()))?;
    let is_same = again.chunks.iter().all(|(position, chunk)| {
        world.chunk(*position).is_some_and(|wanted| {
            (0..CHUNK_CELLS).all(|cell| plain(chunk.get(cell)) == plain(wanted.get(cell)))
        })
    });
    Ok(report(&world, is_same))
}

/// What a file keeps of a cell: its ground and its water, but not its flow.
fn plain(voxel: Voxel) -> (bool, bool, u8) {
    let is_endless = voxel.is_sea() || voxel.cell().is_some_and(WaterCell::is_source);
    (voxel.is_solid(), is_endless, voxel.height())
}

/// The smallest region around two.
fn around(a: Region, b: Region) -> Region {
    Region::new(a.min().min(b.min()), a.max().max(b.max()))
}

/// The part of the region to draw: from below the lowest water or open ground up to the highest.
fn seen(world: &WaterWorld, region: Region) -> Region {
    const ABOVE: i32 = 4;
    let tops = (region.min().z..=region.max().z)
        .flat_map(|z| (region.min().x..=region.max().x).map(move |x| surface(world, region, x, z)));
    let tops: Vec<i32> = tops.map(|cell| cell.y).collect();
    let low = tops.iter().min().copied().unwrap_or(region.min().y) - 2 * ABOVE;
    let high = tops.iter().max().copied().unwrap_or(region.max().y) + ABOVE;
    Region::new(
        region.min().with_y(low.max(region.min().y)),
        region.max().with_y(high.min(region.max().y)),
    )
}

/// The lowest open cell above all ground of a column.
fn surface(world: &WaterWorld, region: Region, x: i32, z: i32) -> IVec3 {
    let heights = (region.min().y..=region.max().y).rev();
    let ground = heights.map(|y| IVec3::new(x, y, z)).find(|&cell| world.is_solid(cell));
    ground.map_or(IVec3::new(x, region.min().y, z), |cell| cell + IVec3::Y)
}

/// Makes all loaded cells within `radius` of `middle` open.
fn open(world: &mut WaterWorld, middle: IVec3, radius: i32) -> Result<(), String> {
    let corner = IVec3::splat(radius);
    let ball = Region::new(middle.saturating_sub(corner), middle.saturating_add(corner));
    for cell in ball.positions() {
        let is_inside = (cell - middle).length_squared() <= radius * radius;
        if is_inside && world.voxel(cell).is_some() {
            world.clear_solid(cell).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// Runs all ticks, with the rain in the first of them.
fn run(world: &mut WaterWorld, region: Region, options: &Options) -> Result<(), String> {
    let bar = ProgressBar::new(options.ticks);
    while world.ticks() < options.ticks {
        let tick = world.ticks();
        if tick.is_multiple_of(TICKS_PER_UNIT) && tick / TICKS_PER_UNIT < options.rain.into() {
            rain(world, region)?;
        }
        world.step();
        bar.set_position(world.ticks());
    }
    bar.finish_and_clear();
    Ok(())
}

/// Pours a unit on the ground of each column, or on the highest cell with room above it.
fn rain(world: &mut WaterWorld, region: Region) -> Result<(), String> {
    for z in region.min().z..=region.max().z {
        for x in region.min().x..=region.max().x {
            let mut cell = surface(world, region, x, z);
            while world.units(cell) == 7 && cell.y < region.max().y {
                cell += IVec3::Y;
            }
            if world.cell(cell).is_some() {
                world.pour(cell, 1).map_err(|error| error.to_string())?;
            }
        }
    }
    Ok(())
}

fn save(path: &Path, picture: &Picture) -> Result<(), String> {
    let size = (picture.width as u32, picture.height as u32);
    png_file::save(path, &picture.bytes, size)
}

fn report(world: &WaterWorld, is_same: bool) -> String {
    let ledger = world.ledger();
    format!(
        "{{\"ticks\":{},\"chunks\":{},\"total\":{},\"placed\":{},\"injected\":{},\"removed\":{},\
         \"from_sea\":{},\"into_sea\":{},\"awake\":{},\"balanced\":{},\"reads_back\":{is_same},\
         \"state_hash\":\"{:016x}\"}}\n",
        world.ticks(),
        world.chunks().count(),
        world.total(),
        ledger.placed,
        ledger.injected,
        ledger.removed,
        ledger.from_sea,
        ledger.into_sea,
        world.awake_cells(),
        world.validate().is_ok(),
        world.state_hash(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dam_of_the_gorge_is_opened_below_its_lake_and_nothing_is_lost() {
        let file = RegionFile::from_bytes(std::fs::read(GORGE).unwrap()).unwrap();
        let mut world = WaterWorld::new(SEED, Rules::lossless()).unwrap();
        world.insert_chunks(file.chunks(&BlockRules::default()).unwrap().chunks).unwrap();
        let total = world.total();
        let below = IVec3::new(27, 72, 44);
        assert_eq!((world.units(below), world.is_solid(DAM.0)), (0, true));
        open(&mut world, DAM.0, DAM.1).unwrap();
        world.run(40);
        assert!(!world.is_solid(DAM.0) && world.units(below) > 0);
        assert_eq!((world.total(), world.ledger().removed), (total, 0));
    }
}
