//! MagicaVoxel files: each voxel at its place, y up, and water by colour.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::import::{VoxColour, VoxError, VoxFile, VoxMaterial, VoxReport, VoxRules};
use floodplain::water::{Rules, Voxel, WaterCell, WaterWorld};
use floodplain::{Cube, Region, Shape};
use std::collections::BTreeMap;
use support::import::vox::{Model, Node, WATER, chunk, file, file_with, material};

const STILL: Voxel = Voxel::water(WaterCell::STILL);

/// The cells of a file that are not open.
fn cells(bytes: &[u8], rules: &VoxRules<'_>) -> Result<BTreeMap<[i32; 3], Voxel>, VoxError> {
    let chunks = VoxFile::from_bytes(bytes)?.chunks(rules)?.chunks;
    let mut cells = BTreeMap::new();
    for (position, chunk) in &chunks {
        for index in (0..4096).filter(|&index| chunk.get(index) != Voxel::OPEN) {
            cells.insert(Cube::cell_at(*position, index).to_array(), chunk.get(index));
        }
    }
    Ok(cells)
}

fn transform(child: u32, frame: &[(&'static str, &str)]) -> Node {
    let frame = frame.iter().map(|&(key, value)| (key, value.to_owned())).collect();
    Node::Transform { child, layer: 0, attributes: Vec::new(), frame }
}

#[test]
fn a_file_without_a_scene_is_its_first_model_at_the_origin() {
    let first =
        Model { size: [3, 2, 4], voxels: vec![[0, 0, 0, 1], [2, 1, 3, WATER], [1, 1, 1, 0]] };
    let second = Model { size: [9, 9, 9], voxels: vec![[8, 8, 8, 1]] };
    let bytes = file(&[first, second], &[], &[], &[]);
    let read = cells(&bytes, &VoxRules::default()).unwrap();
    assert_eq!(read, BTreeMap::from([([0, 0, 1], Voxel::SOLID), ([2, 3, 0], STILL)]));
    let bounds = VoxFile::from_bytes(&bytes).unwrap().bounds();
    assert_eq!(bounds, Ok(Some(Region::new(IVec3::ZERO, IVec3::new(2, 3, 1)))));
    let offset = IVec3::new(-5, 100, 7);
    let moved = cells(&bytes, &VoxRules { offset, ..VoxRules::default() }).unwrap();
    assert_eq!(moved, BTreeMap::from([([-5, 100, 8], Voxel::SOLID), ([-3, 103, 7], STILL)]));
}

/// The colours from number 1 on, as the chunk of a file.
fn palette(colours: &[[u8; 4]], count: usize) -> Vec<u8> {
    let mut colours = colours.to_vec();
    colours.resize(count, [0; 4]);
    chunk("RGBA", &colours.concat(), &[])
}

fn row(colours: &[u8]) -> Model {
    let voxels = (0..).zip(colours).map(|(x, &colour)| [x, 0, 0, colour]).collect();
    Model { size: [colours.len() as u32, 1, 1], voxels }
}

#[test]
fn material_and_a_function_of_the_callers_say_what_is_water() {
    let colours = [[0, 0, 200, 255], [0, 0, 200, 255], [90, 40, 0, 255], [153, 204, 255, 255]];
    let materials = ["_glass", "_diffuse", "_glass", "_blend"];
    let materials = (1..).zip(materials).map(|(colour, kind)| material(colour, kind));
    let chunks = [palette(&colours, 256), materials.collect::<Vec<_>>().concat()].concat();
    let bytes = file_with(&[row(&[1, 2, 3, 4])], &[], &chunks);
    let water = |rules: &VoxRules<'_>| {
        let read = cells(&bytes, rules).unwrap();
        [0, 1, 2, 3].map(|x| read[&[x, 0, 0]] == STILL)
    };
    assert_eq!(water(&VoxRules::default()), [true, false, false, true]);
    let with = |is_water| water(&VoxRules { is_water, ..VoxRules::default() });
    assert_eq!(with(&|colour| colour.rgba == [90, 40, 0, 255]), [false, false, true, false]);
    assert_eq!(with(&|colour| colour.index == 2), [false, true, false, false]);
    let is_glass = |colour: VoxColour| colour.material == VoxMaterial::Glass;
    assert_eq!(with(&is_glass), [true, false, true, false]);
}

/// A house in pale blue and all other blues of the default palette is no lake.
#[test]
fn models_of_blue_paint_are_solid() {
    let colours: Vec<u8> = (1..=255).collect();
    let bytes = file_with(&[row(&colours)], &[], &[]);
    let read = cells(&bytes, &VoxRules::default()).unwrap();
    assert_eq!(read.len(), 255);
    assert!(read.values().all(|&voxel| voxel == Voxel::SOLID));
}

#[test]
fn materials_of_early_files_are_read() {
    let numbers = |numbers: [u32; 3]| numbers.map(u32::to_le_bytes).concat();
    let material = |colour, kind| chunk("MATT", &numbers([colour, kind, 0]), &[]);
    let chunks = [material(WATER.into(), 2), material(235, 1)].concat();
    let bytes = file_with(&[row(&[235, WATER])], &[], &chunks);
    let read = cells(&bytes, &VoxRules::default()).unwrap();
    assert_eq!((read[&[0, 0, 0]], read[&[1, 0, 0]]), (Voxel::SOLID, STILL));
}

#[test]
fn palettes_may_lack_the_colour_without_a_number() {
    let colours = vec![[0, 0, 200, 255]; 255];
    for count in [0, 1, 254, 255, 256] {
        let chunks = [palette(&colours[..count.min(255)], count), material(1, "_glass")].concat();
        let bytes = file_with(&[row(&[1, 255])], &[], &chunks);
        let seen = std::cell::RefCell::new(BTreeMap::new());
        let is_water = |colour: VoxColour| {
            seen.borrow_mut().insert(colour.index, colour.rgba);
            floodplain::import::looks_like_water(colour)
        };
        let read = cells(&bytes, &VoxRules { is_water: &is_water, ..VoxRules::default() }).unwrap();
        assert_eq!(read[&[0, 0, 0]] == STILL, count > 0, "{count}");
        assert_eq!(seen.borrow()[&255] == colours[0], count >= 255, "{count}");
    }
}

#[test]
fn files_without_models_that_are_read_are_refused() {
    let refused = |chunks: &[u8], scene: &[Node]| {
        VoxFile::from_bytes(&file_with(&[], scene, chunks)).unwrap_err()
    };
    assert_eq!(refused(&[], &[]), VoxError::NoModels);
    assert_eq!(refused(&[], &[Node::Shape(0)]), VoxError::NoModels);
    let teardown = chunk("TDCZ", &[8, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 0x78, 0x9c], &[]);
    assert_eq!(refused(&teardown, &[]), VoxError::Compressed { at: 20 });
    // Beside others, too: their numbers would be wrong.
    let mixed = file_with(&[row(&[1])], &[Node::Shape(0)], &teardown);
    assert!(matches!(VoxFile::from_bytes(&mixed), Err(VoxError::Compressed { .. })));
}

/// Every rotation, by the matrix that the format publishes, with the middle of a model kept in half
/// cells.
#[test]
fn turned_and_shifted_models_are_where_their_matrices_say() {
    let mut rng = Rng::with_seed(4);
    for rotation in (0..128_u8).filter(|rotation| {
        let (first, second) = (rotation & 3, rotation >> 2 & 3);
        first < 3 && second < 3 && first != second
    }) {
        let size: [u32; 3] = std::array::from_fn(|_| rng.u32(1..=5));
        let voxel: [u8; 3] = std::array::from_fn(|axis| rng.u8(..size[axis] as u8));
        let shift: [i32; 3] = std::array::from_fn(|_| rng.i32(-40..40));
        let (first, second) = (usize::from(rotation & 3), usize::from(rotation >> 2 & 3));
        let columns = [first, second, 3 - first - second];
        let at: [i32; 3] = std::array::from_fn(|row| {
            let sign = if rotation >> (4 + row) & 1 == 1 { -1.0 } else { 1.0 };
            let column = columns[row];
            let middle = f64::from(voxel[column]) + 0.5 - f64::from(size[column] / 2);
            (sign * middle).floor() as i32 + shift[row]
        });
        let [x, y, z] = voxel;
        let model = Model { size, voxels: vec![[x, y, z, 1]] };
        let text = format!("{} {} {}", shift[0], shift[1], shift[2]);
        let turn = rotation.to_string();
        let scene = [
            transform(1, &[]),
            Node::Group(vec![2]),
            transform(3, &[("_r", &turn), ("_t", &text)]),
            Node::Shape(0),
        ];
        let read = cells(&file(&[model], &scene, &[], &[]), &VoxRules::default()).unwrap();
        let wanted = [at[0], at[2], -1 - at[1]];
        assert_eq!(read, BTreeMap::from([(wanted, Voxel::SOLID)]), "rotation {rotation}");
    }
}

#[test]
fn hidden_models_are_left_out_and_the_last_of_two_models_counts() {
    let model = |colour| Model { size: [1, 1, 1], voxels: vec![[0, 0, 0, colour]] };
    let hidden = Node::Transform {
        child: 4,
        layer: 0,
        attributes: vec![("_hidden", "1".to_owned())],
        frame: vec![("_t", "9 9 9".to_owned())],
    };
    let in_hidden_layer =
        Node::Transform { child: 4, layer: 7, attributes: Vec::new(), frame: Vec::new() };
    let scene = [
        transform(1, &[]),
        Node::Group(vec![2, 3, 5, 6]),
        hidden,
        in_hidden_layer,
        Node::Shape(1),
        Node::Shape(0),
        Node::Shape(1),
    ];
    let bytes = file(&[model(1), model(WATER), model(1)], &scene, &[], &[7]);
    let read = cells(&bytes, &VoxRules::default()).unwrap();
    assert_eq!(read, BTreeMap::from([([0, 0, -1], STILL)]));
    let report = VoxFile::from_bytes(&bytes).unwrap().chunks(&VoxRules::default()).unwrap().report;
    let expected = VoxReport { placed: 2, hidden: 2, unplaced: 1, later_frames: 0 };
    assert_eq!(report, expected);
    assert_eq!(report.to_string(), "2 models placed, 2 nodes hidden, 1 models not shown");
}

#[test]
fn broken_scenes_are_refused_by_name() {
    let model = || Model { size: [1, 1, 1], voxels: vec![[0, 0, 0, 1]] };
    let error = |scene: &[Node]| {
        let bytes = file(&[model()], scene, &[], &[]);
        let vox = VoxFile::from_bytes(&bytes).unwrap();
        let error = vox.chunks(&VoxRules::default()).unwrap_err();
        assert_eq!(vox.bounds().err().unwrap_or(VoxError::TooLarge), error);
        error
    };
    assert_eq!(error(&[transform(9, &[])]), VoxError::NoNode { node: 9 });
    assert_eq!(error(&[transform(1, &[]), Node::Shape(1)]), VoxError::NoModel { model: 1 });
    let turned = [transform(1, &[("_r", "5")]), Node::Shape(0)];
    assert_eq!(error(&turned), VoxError::Rotation { node: 0, rotation: 5 });
    let limit = 65_536;
    assert_eq!(error(&[transform(0, &[])]), VoxError::TooManyNodes { limit });
    // Thirty groups that each hold the next one twice would be a billion models.
    let mut doubled: Vec<Node> = (1..31).map(|next| Node::Group(vec![next, next])).collect();
    doubled.push(Node::Shape(0));
    assert_eq!(error(&doubled), VoxError::TooManyNodes { limit });
    let far = i32::MAX.to_string();
    let far = format!("{far} {far} {far}");
    let twice = [transform(1, &[("_t", &far)]), transform(2, &[("_t", &far)]), Node::Shape(0)];
    assert_eq!(error(&twice), VoxError::Position { model: 0 });
    let apart = [
        Node::Group(vec![1, 2]),
        transform(3, &[("_t", "0 0 0")]),
        transform(3, &[("_t", "20000 20000 0")]),
        Node::Shape(0),
    ];
    assert_eq!(error(&apart), VoxError::TooLarge);
    for frame in [("_r", "x"), ("_t", "1 2"), ("_t", "1 2 9999999999"), ("_r", "-1")] {
        let bytes = file(&[model()], &[transform(1, &[frame]), Node::Shape(0)], &[], &[]);
        assert!(
            matches!(VoxFile::from_bytes(&bytes), Err(VoxError::Malformed { .. })),
            "{frame:?}"
        );
    }
}

#[test]
fn models_beyond_their_size_or_without_one_are_refused() {
    let refused = |model: Model| {
        let bytes = file(&[model], &[], &[], &[]);
        match VoxFile::from_bytes(&bytes) {
            Err(VoxError::Malformed { at, wanted }) => (at, wanted),
            other => panic!("{other:?}"),
        }
    };
    let model = |size, voxel| Model { size, voxels: vec![[0, 0, 0, 1], voxel] };
    let outside = (64, "a voxel in the model");
    assert_eq!(refused(model([3, 2, 4], [3, 0, 0, 1])), outside);
    assert_eq!(refused(model([3, 2, 4], [0, 0, 4, 1])), outside);
    assert_eq!(refused(model([0, 2, 4], [0, 0, 0, 1])), (32, "a side of 1 to 256"));
    assert_eq!(refused(model([1, 2, 257], [0, 0, 0, 1])), (40, "a side of 1 to 256"));
    let mut bytes = file(&[model([3, 2, 4], [0; 4])], &[], &[], &[]);
    bytes[20] = b'?';
    let error = VoxFile::from_bytes(&bytes).unwrap_err();
    assert_eq!(error, VoxError::Malformed { at: 56, wanted: "the size of the model" });
}

#[test]
fn a_pool_of_voxels_runs_out() {
    let mut voxels = Vec::new();
    for x in 0..12 {
        for y in 0..6 {
            voxels.push([x, y, 0, 1]);
            if x < 3 {
                voxels.push([x, y, 1, WATER]);
            }
        }
    }
    let bytes = file(&[Model { size: [12, 6, 3], voxels }], &[], &[], &[]);
    let vox = VoxFile::from_bytes(&bytes).unwrap();
    let bounds = vox.bounds().unwrap().unwrap();
    let mut world = WaterWorld::with_bounds(3, Rules::lossless(), bounds).unwrap();
    world.insert_chunks(vox.chunks(&VoxRules::default()).unwrap().chunks).unwrap();
    assert_eq!(world.total(), 7 * 18);
    world.run(60);
    assert!(world.units(IVec3::new(11, 1, 3)) > 0);
    assert_eq!(world.total(), 7 * 18);
}
