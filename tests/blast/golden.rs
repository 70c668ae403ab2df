//! The original explosion program's own outputs, reproduced at every step that they give: the graph
//! within 1e-9, the grid within 1e-3.

use floodplain::blast::{BlastGraph, BlastWorld, Border, Borders, NodeId, Rules};
use floodplain::glam::{DVec3, IVec3};
use floodplain::{Face, Region};
use serde_json::Value;
use std::collections::BTreeMap;

const SIZE: i32 = 30;
/// As the source has them: 0.12 from each end of a link, and nothing too small to count.
const RULES: Rules = Rules { threshold: 0.0, ..Rules::diffusive(0.24) };

struct Golden {
    /// The step, and the pressures after it.
    after: BTreeMap<u64, Vec<(IVec3, f64)>>,
}

fn golden(name: &str) -> Golden {
    let path = format!("{}/data/golden/explosion_{name}_30.json", env!("CARGO_MANIFEST_DIR"));
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let node = |node: &Value| {
        let whole = |index: usize| node[index].as_i64().unwrap() as i32;
        (IVec3::new(whole(0), whole(1), 0), node[2].as_f64().unwrap())
    };
    let nodes = |nodes: &Value| nodes.as_array().unwrap().iter().map(node).collect();
    let steps = file["pressure_after"].as_object().unwrap();
    Golden {
        after: steps.iter().map(|(step, after)| (step.parse().unwrap(), nodes(after))).collect(),
    }
}

fn is_wall(cell: IVec3, walls: &[[i32; 2]]) -> bool {
    cell.x == 10 && walls.iter().any(|&[first, last]| (first..=last).contains(&cell.y))
}

/// The weight of the link from a cell to the next one along x.
fn weight_along_x(cell: IVec3) -> f32 {
    if cell.x == 0 || cell.x == SIZE - 2 { 0.5 } else { 1.0 }
}

fn grid(walls: &[[i32; 2]]) -> BlastWorld {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(SIZE - 1, SIZE - 1, 0));
    let borders = Borders { y: Border::Periodic, ..Borders::default() };
    let mut world = BlastWorld::with_bounds(RULES, bounds, borders).unwrap();
    for cell in bounds.positions() {
        if is_wall(cell, walls) {
            world.set_solid(cell).unwrap();
        }
        if cell.x < SIZE - 1 {
            world.set_link(cell, Face::East, weight_along_x(cell)).unwrap();
        }
    }
    world.set_pressure(IVec3::new(9, 15, 0), 300.0).unwrap();
    world
}

fn graph(walls: &[[i32; 2]]) -> (BlastGraph, BTreeMap<(i32, i32), NodeId>) {
    let mut graph = BlastGraph::new(RULES).unwrap();
    let mut nodes = BTreeMap::new();
    for cell in Region::new(IVec3::ZERO, IVec3::new(SIZE - 1, SIZE - 1, 0)).positions() {
        if !is_wall(cell, walls) {
            let pressure = if (cell.x, cell.y) == (9, 15) { 300.0 } else { 0.0 };
            nodes.insert((cell.x, cell.y), graph.add_node(cell.as_dvec3(), pressure).unwrap());
        }
    }
    for (&(x, y), &node) in &nodes {
        if let Some(&east) = nodes.get(&(x + 1, y)) {
            graph.add_link(node, east, f64::from(weight_along_x(IVec3::new(x, y, 0)))).unwrap();
        }
        if let Some(&up) = nodes.get(&(x, (y + 1) % SIZE)) {
            graph.add_link_along(node, up, 1.0, DVec3::Y).unwrap();
        }
    }
    (graph, nodes)
}

fn reproduces(name: &str, walls: &[[i32; 2]], steps: &[u64]) {
    let golden = golden(name);
    assert_eq!(golden.after.keys().copied().collect::<Vec<_>>(), steps);
    let mut grid = grid(walls);
    let (mut graph, nodes) = graph(walls);
    for (&step, after) in &golden.after {
        assert_eq!(after.len(), nodes.len());
        grid.run(step - grid.ticks());
        graph.run(step - graph.ticks());
        for &(cell, pressure) in after {
            let on_grid = f64::from(grid.pressure(cell));
            assert!(
                (on_grid - pressure).abs() < 1e-3,
                "step {step}, {cell}: {on_grid}, not {pressure}"
            );
            let on_graph = graph.pressure(nodes[&(cell.x, cell.y)]).unwrap();
            assert!(
                (on_graph - pressure).abs() < 1e-9,
                "step {step}, {cell}: {on_graph}, not {pressure}"
            );
        }
        assert_eq!(grid.validate(), Ok(()));
        assert_eq!(graph.validate(), Ok(()));
    }
}

#[test]
fn the_door() {
    reproduces("door", &[[0, 14], [17, SIZE - 1]], &[1, 4, 8, 20, 100, 200]);
}

#[test]
fn the_obstacle() {
    reproduces("obstacle", &[[14, 16]], &[1, 4, 10, 20, 40, 80, 200]);
}
