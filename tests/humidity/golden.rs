//! The in-place sweep is the original program, to the bit: its own output on a board of 24×24 cells
//! after 1, 10 and 100 updates, wherever the board lies across chunks, in both shapes.

use floodplain::glam::IVec3;
use floodplain::humidity::{Cell, HumidityWorld, Rules, Sweep};
use floodplain::{Chunk, Cube, FieldShape, Region, Sheet};
use serde_json::Value;

fn golden() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/golden/humidity_in_place_24.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

fn numbers(list: &Value) -> Vec<u32> {
    let number = |value: &Value| {
        value.as_u64().and_then(|value| u32::try_from(value).ok()).expect("32 bits")
    };
    list.as_array().expect("a list").iter().map(number).collect()
}

/// The board with its first cell at `origin`.
fn board<S: FieldShape>(golden: &Value, side: i32, origin: IVec3) -> HumidityWorld<S> {
    let bounds = Region::new(origin, origin + IVec3::new(side - 1, side - 1, 0));
    let mut world =
        HumidityWorld::<S>::with_bounds(Rules::with_sweep(Sweep::InPlace), bounds).unwrap();
    for chunk in S::chunks_of(bounds) {
        world.insert_chunk(chunk, Chunk::uniform(Cell::ROCK)).unwrap();
    }
    let rain = numbers(&golden["rain"]);
    let humidity = numbers(&golden["humidity_bits_after"]["0"]);
    let impermeability = numbers(&golden["impermeability_bits"]);
    for (index, (&humidity, &impermeability)) in humidity.iter().zip(&impermeability).enumerate() {
        let cell = Cell {
            humidity: f64::from(f32::from_bits(humidity)),
            impermeability: f32::from_bits(impermeability),
            rain: rain.contains(&(index as u32)),
        };
        world.set_cell(origin + at(index, side), cell).unwrap();
    }
    world
}

fn at(index: usize, side: i32) -> IVec3 {
    IVec3::new(index as i32 / side, index as i32 % side, 0)
}

fn the_original_everywhere<S: FieldShape>(origins: &[IVec3]) {
    let golden = golden();
    let side = golden["n"].as_i64().expect("a side") as i32;
    for &origin in origins {
        let mut world = board::<S>(&golden, side, origin);
        for ticks in [1, 10, 100] {
            world.run(ticks - world.ticks());
            let expected = numbers(&golden["humidity_bits_after"][ticks.to_string()]);
            assert_eq!(expected.len() as i32, side * side);
            for (index, bits) in expected.into_iter().enumerate() {
                let humidity = world.humidity(origin + at(index, side)) as f32;
                assert_eq!(
                    humidity.to_bits(),
                    bits,
                    "cell {} of {origin} after {ticks}",
                    at(index, side)
                );
            }
        }
        assert_eq!(world.validate(), Ok(()));
    }
}

#[test]
fn sheets_give_the_bits_of_the_original_wherever_the_board_lies() {
    let corner = IVec3::new(i32::MAX - 23, i32::MIN, 5);
    the_original_everywhere::<Sheet>(&[
        IVec3::ZERO,
        IVec3::new(-11, -1, 0),
        IVec3::new(63, 50, -3),
        corner,
    ]);
}

#[test]
fn one_layer_of_cubes_gives_the_bits_of_the_original() {
    the_original_everywhere::<Cube>(&[
        IVec3::ZERO,
        IVec3::new(-7, 9, 15),
        IVec3::new(i32::MIN, i32::MAX - 23, 0),
    ]);
}
