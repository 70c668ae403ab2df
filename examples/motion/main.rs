//! Water in motion, seen from above: a spring on a plain, the currents of a river nine cells wide,
//! and a crossing of channels of which three arms drain. Then water that stands: heaps at rest, a
//! lake that was generated full, with springs and an outflow, and a U that a spring fills, seen
//! from the side. Writes a PNG of each and prints a line of JSON for it.
//!
//! ```text
//! cargo run --release --example motion -- --out target/motion
//! ```

#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/out_folder.rs"]
mod out_folder;
mod panels;
mod picture;
#[path = "../shared/png_file.rs"]
mod png_file;
mod standing;

use floodplain::glam::IVec3;
use floodplain::water::{Edge, Edges, Rules, Voxel, WaterWorld};
use floodplain::{Chunk, Face, Region};
use panels::Panel;
use picture::Shade;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Water in motion: a spring on a plain, a wide river, a crossing of channels; and water that stands:
heaps, a lake, a U.

Usage: cargo run --release --example motion -- [--out DIR]

  --out DIR  folder for spring.png, river.png, crossing.png, heap.png, lake.png and u_tube.png
             (default: target/motion)
  --help     this text
";

/// Ticks over which the currents of a picture are averaged.
const TICKS_SHOWN: u32 = 100;

/// One of the pictures: a flat world of a layer of water.
struct Scene {
    name: &'static str,
    world: WaterWorld,
    /// Ticks before those shown.
    ticks: u64,
    shade: Shade,
    /// Pixels along the side of a cell.
    scale: usize,
}

fn main() -> ExitCode {
    out_folder::run("motion", HELP, |out| {
        draw(out).map_err(|error| format!("{}: {error}", out.display()))
    })
}

/// Draws all pictures; returns a line of JSON for each.
fn draw(out: &Path) -> Result<String, Box<dyn Error>> {
    labels::load_font()?;
    std::fs::create_dir_all(out)?;
    let mut lines = String::new();
    for mut scene in [spring()?, river()?, crossing()?] {
        scene.world.run(scene.ticks);
        let drained = scene.world.ledger().drained;
        let layer = scene.world.bounds();
        let flows = picture::flows(&mut scene.world, layer, TICKS_SHOWN);
        let path = out.join(format!("{}.png", scene.name));
        let pixels = picture::above(&scene.world, layer, &flows, scene.shade, scene.scale);
        let size = (pixels.width as u32, pixels.height as u32);
        png_file::save(&path, pixels.colours.as_flattened(), size)?;
        let drained = (scene.world.ledger().drained - drained) as f64 / f64::from(TICKS_SHOWN);
        lines += &format!(
            "{{\"picture\":\"{}\",\"ticks\":{},\"total\":{},\"drained_per_tick\":{drained:.2}}}\n",
            scene.name,
            scene.world.ticks(),
            scene.world.total(),
        );
    }
    let standing: [(&str, Vec<Panel>, usize); 3] = [
        ("heap", standing::heaps()?, 3),
        ("lake", standing::lakes()?, 1),
        ("u_tube", standing::u_tube()?, 2),
    ];
    for (name, panels, columns) in standing {
        panels::save(&out.join(format!("{name}.png")), &panels, columns)?;
        let titles: Vec<&str> = panels.iter().map(|panel| &panel.title[..]).collect();
        lines += &format!("{{\"picture\":\"{name}\",\"panels\":{titles:?}}}\n");
    }
    Ok(lines)
}

/// A spring in the middle of a plain.
fn spring() -> Result<Scene, Box<dyn Error>> {
    let mut world = open_world(IVec3::new(95, 0, 95), &[], |_| true)?;
    world.add_source(IVec3::new(47, 0, 47))?;
    Ok(Scene { name: "spring", world, ticks: 1_400, shade: Shade::Height, scale: 5 })
}

/// A channel nine cells wide, with a spring for each lane in the west and a drain in the east.
fn river() -> Result<Scene, Box<dyn Error>> {
    let mut world = open_world(IVec3::new(119, 0, 8), &[Face::East], |_| true)?;
    for z in 0..9 {
        world.add_source(IVec3::new(0, 0, z))?;
    }
    Ok(Scene { name: "river", world, ticks: 700, shade: Shade::Flow, scale: 8 })
}

/// Two channels three cells wide that cross. Three springs feed the western arm; the others drain.
fn crossing() -> Result<Scene, Box<dyn Error>> {
    const ARM: i32 = 18;
    let is_channel = |along: i32| (ARM..ARM + 3).contains(&along);
    let drains = [Face::East, Face::North, Face::South];
    let size = IVec3::new(2 * ARM + 2, 0, 2 * ARM + 2);
    let mut world = open_world(size, &drains, |cell| is_channel(cell.x) || is_channel(cell.z))?;
    for z in ARM..ARM + 3 {
        world.add_source(IVec3::new(0, 0, z))?;
    }
    Ok(Scene { name: "crossing", world, ticks: 900, shade: Shade::Flow, scale: 12 })
}

/// A world from the origin to `max`, which drains at these faces and has walls at the others.
fn open_world(
    max: IVec3,
    drains: &[Face],
    is_open: impl Fn(IVec3) -> bool,
) -> Result<WaterWorld, Box<dyn Error>> {
    let edges = drains.iter().fold(Edges::WALLS, |edges, &face| edges.with(face, Edge::Drain));
    let bounds = Region::new(IVec3::ZERO, max);
    let mut world = WaterWorld::with_bounds(1, Rules { edges, ..Rules::lossless() }, bounds)?;
    for chunk in Region::new(IVec3::ZERO, max >> 4).positions() {
        world.insert_chunk(chunk.into(), Chunk::uniform(Voxel::OPEN))?;
    }
    for cell in bounds.positions().filter(|&cell| !is_open(cell)) {
        world.set_solid(cell)?;
    }
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_is_written_and_has_a_line() {
        let out = std::env::temp_dir().join(format!("motion-{}", std::process::id()));
        let lines = draw(&out).unwrap();
        for name in ["spring", "river", "crossing", "heap", "lake", "u_tube"] {
            assert!(out.join(format!("{name}.png")).is_file(), "{name}");
            assert!(lines.contains(&format!("{{\"picture\":\"{name}\",")), "{lines}");
        }
        assert_eq!(lines.lines().count(), 6);
        std::fs::remove_dir_all(&out).unwrap();
    }
}
