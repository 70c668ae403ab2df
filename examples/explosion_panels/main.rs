//! The two scenes of the article that the explosion rules come from, a charge by an obstacle and a
//! charge by a door, at the article's times and under both rules; for waves, the charge has a
//! radius. Arrows show the flow, and the impulse on a figure that stands there. Writes four PNGs
//! and prints a line of JSON for each.
//!
//! ```text
//! cargo run --release --example explosion_panels -- --out target/explosion_panels
//! ```

mod draw;
#[path = "../shared/labels.rs"]
mod labels;
#[path = "../shared/out_folder.rs"]
mod out_folder;
#[path = "../shared/png_file.rs"]
mod png_file;

use floodplain::Region;
use floodplain::blast::{BlastWorld, Border, Borders, Probe, Rule, Rules};
use floodplain::glam::{DVec3, IVec3};
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
Explosions beside an obstacle and in a door, at several times, under both rules.

Usage: cargo run --release --example explosion_panels -- [options]

  --out DIR   folder for the pictures (default: target/explosion_panels)
  --help      this text
";

/// Cells along each side of the world, as many as the article has nodes.
const SIZE: i32 = 30;

/// One of the article's two scenes.
struct Scene {
    name: &'static str,
    title: &'static str,
    times: &'static [u64],
    /// First and last y of each part of the wall at x = 10.
    walls: &'static [[i32; 2]],
    /// Where the figure stands.
    stands: IVec3,
}

const SCENES: [Scene; 2] = [
    Scene {
        name: "obstacle",
        title: "A charge by a small obstacle",
        times: &[1, 4, 10, 20, 40, 80, 200],
        walls: &[[14, 16]],
        stands: IVec3::new(5, 21, 0),
    },
    Scene {
        name: "door",
        title: "A charge by a door in a wall",
        times: &[1, 4, 8, 20, 100, 200],
        walls: &[[0, 14], [17, SIZE - 1]],
        stands: IVec3::new(15, 19, 0),
    },
];

/// The state at one time.
struct Panel {
    time: u64,
    /// Cells, x fastest; `None` is a wall.
    cells: Vec<Option<Cell>>,
    stands: IVec3,
    /// On the figure since the start, per unit of its cross-section.
    impulse: DVec3,
    exposure: f64,
}

/// A cell's pressure, and the flow vector there.
#[derive(Clone, Copy)]
struct Cell {
    pressure: f64,
    flow: DVec3,
}

fn main() -> ExitCode {
    out_folder::run("explosion_panels", HELP, run)
}

/// The charges: pressure in one cell beside the wall, as in the article, and for waves the same
/// amount in a ball, of which they make a ring; a single cell would leave speckles.
const LOADED: (IVec3, f32) = (IVec3::new(9, 15, 0), 300.0);
const BALL: (IVec3, f32) = (IVec3::new(5, 15, 0), 4.0);

/// Draws both scenes under both rules; returns a line of JSON for each.
fn run(out: &Path) -> Result<String, String> {
    std::fs::create_dir_all(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let mut lines = String::new();
    for (rules, rule) in [(Rules::default(), "diffusive"), (Rules::wave(0.25, 0.9), "wave")] {
        for scene in &SCENES {
            let mut world = scene.world(rules).map_err(|error| error.to_string())?;
            let panels = scene.panels(&mut world).map_err(|error| error.to_string())?;
            let path = out.join(format!("{}_{rule}.png", scene.name));
            draw::write(&path, &format!("{}, {rule} rule", scene.title), &panels)?;
            let last = panels.last().map_or(DVec3::ZERO, |panel| panel.impulse);
            lines += &format!(
                "{{\"figure\":\"{}\",\"rule\":\"{rule}\",\"steps\":{},\"total\":{:.4},\
                 \"impulse\":[{:.4},{:.4}]}}\n",
                scene.name,
                world.ticks(),
                world.total(),
                last.x,
                last.y
            );
        }
    }
    Ok(lines)
}

impl Scene {
    /// The world of the scene: closed at left and right, periodic from bottom to top.
    fn world(&self, rules: Rules) -> Result<BlastWorld, Box<dyn std::error::Error>> {
        let bounds = Region::new(IVec3::ZERO, IVec3::new(SIZE - 1, SIZE - 1, 0));
        let borders = Borders { y: Border::Periodic, ..Borders::default() };
        let mut world = BlastWorld::with_bounds(rules, bounds, borders)?;
        for &[first, last] in self.walls {
            world.fill_solid(Region::new(IVec3::new(10, first, 0), IVec3::new(10, last, 0)))?;
        }
        let (cell, pressure) = LOADED;
        match rules.rule {
            Rule::Diffusive { .. } => drop(world.set_pressure(cell, pressure)?),
            Rule::Wave { .. } => {
                let (centre, radius) = BALL;
                world.add_charge(centre, radius, pressure / (1.05 * radius * radius))?;
            }
        }
        Ok(world)
    }

    fn panels(&self, world: &mut BlastWorld) -> Result<Vec<Panel>, Box<dyn std::error::Error>> {
        let mut probe = [Probe::new(self.stands, 1.0)?];
        let mut panels = Vec::new();
        for &time in self.times {
            world.run_probed(time - world.ticks(), &mut probe);
            let cell = |cell: IVec3| {
                let pressure = f64::from(world.pressure(cell));
                (!world.is_solid(cell)).then(|| Cell { pressure, flow: world.flow(cell) })
            };
            panels.push(Panel {
                time,
                cells: world.bounds().positions().map(cell).collect(),
                stands: self.stands,
                impulse: probe[0].impulse(),
                exposure: probe[0].exposure(),
            });
        }
        Ok(panels)
    }
}
