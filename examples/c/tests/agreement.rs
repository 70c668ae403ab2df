//! What a world of C does is what one of Rust does, edit by edit and tick by tick.

use crate::support::*;
use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::water::{self, Voxel, WaterView, WaterWorld};
use floodplain::world::{self, ChunkContent, MaterialId, Palette, World};
use floodplain::{Chunk, ChunkPos, Cube, EditValue, Region, Sheet, Simulation};
use floodplain_c::*;
use std::ptr;

/// Makes an edit in both worlds, by its struct or by its bytes, and compares what it came to.
fn both<W: Simulation>(here: &mut W, there: &Handle, edit: FpEdit, same: W::Edit, kind: FpKind) {
    let before = hash(there);
    let bytes = all(0, |out, capacity, length| {
        // SAFETY: the edit lives.
        unsafe { fp_edit_bytes(kind as u32, &edit, out, capacity, length) }
    });
    assert_eq!(bytes, same.to_bytes(), "{same:?}");
    let status = match edit.units % 2 {
        // SAFETY: the handle lives.
        0 => unsafe { fp_world_apply(there.0, &edit, ptr::null_mut()) },
        // SAFETY: the handle and the list live.
        _ => unsafe {
            fp_world_apply_bytes(there.0, bytes.as_ptr(), bytes.len(), ptr::null(), ptr::null_mut())
        },
    };
    match here.apply(same.clone()) {
        Ok(_) => assert_eq!(status, FpStatus::Ok, "{same:?}: {}", last_error()),
        Err(error) => {
            assert_ne!(status, FpStatus::Ok, "{same:?}");
            assert_eq!(last_error(), error.to_string(), "{same:?}");
            assert_eq!(hash(there), before, "{same:?}");
        }
    }
    assert_eq!(hash(there), here.state_hash(), "{same:?}");
}

/// A random cell, now and then of a chunk that is not there.
fn cell(random: &mut fastrand::Rng) -> IVec3 {
    IVec3::new(random.i32(-2..34), random.i32(-1..17), random.i32(0..16))
}

/// Draws an edit of water twice: as a struct and as a value.
fn water_edit(random: &mut fastrand::Rng, ground: bool) -> (FpEdit, water::Edit) {
    use FpEditKind as K;
    use water::Edit as E;
    let (at, units) = (cell(random), random.u32(0..12));
    let to = at + IVec3::new(random.i32(0..3), random.i32(0..3), random.i32(0..3));
    let (region, units_of) = (Region::new(at, to), |kind| FpEdit { units, ..edit_of(kind, at) });
    let region_of = |kind| FpEdit { to: to.into(), ..units_of(kind) };
    match random.u32(if ground { 0 } else { 3 }..16) {
        0 => (edit_of(K::SetSolid, at), E::SetSolid(at)),
        1 => (edit_of(K::ClearSolid, at), E::ClearSolid(at)),
        2 => (region_of(K::FillSolid), E::FillSolid(region)),
        3 => (edit_of(K::AddSource, at), E::AddSource(at)),
        4 => (edit_of(K::RemoveSource, at), E::RemoveSource(at)),
        5 => (units_of(K::Pour), E::Pour { cell: at, units }),
        6 => (units_of(K::Scoop), E::Scoop { cell: at, units }),
        7 => (region_of(K::FillWater), E::FillWater { region, height: units as u8 }),
        8 => (units_of(K::DrainBody), E::DrainBody { cell: at, units }),
        9 => (units_of(K::FillBody), E::FillBody { cell: at, units }),
        10 => (edit_of(K::ClearSea, at), E::ClearSea(at)),
        11 => (region_of(K::FillSea), E::FillSea(region)),
        12 => {
            let edge = Some(water::Edge::Level(at.y));
            let edit = FpEdit { option: 3, level: at.y, ..edit_of(K::SetEdge, at) };
            (edit, E::SetEdge { column: floodplain::glam::IVec2::new(at.x, at.z).into(), edge })
        }
        13 => {
            let face = random.u8(0..6);
            let towards = floodplain::Face::from_index(face).unwrap();
            let fixture = Some(water::Fixture::Valve { towards, rate: units as u8 });
            let edit = FpEdit { option: 3, face: face.into(), ..units_of(K::SetFixture) };
            (edit, E::SetFixture { cell: at, fixture })
        }
        14 => {
            let chunk = IVec3::new(random.i32(0..3), 0, 0);
            (edit_of(K::Freeze, chunk), E::Freeze(vec![chunk.into()]))
        }
        _ => {
            let chunk = IVec3::new(random.i32(0..3), 0, 0);
            (edit_of(K::Thaw, chunk), E::Thaw(vec![chunk.into()]))
        }
    }
}

#[test]
fn water_of_c_is_water_of_rust() {
    let mut random = fastrand::Rng::with_seed(1);
    for seed in 0..12 {
        let there = water_of(seed);
        let mut here = WaterWorld::new(seed, water::Rules::lossless()).unwrap();
        let words: Vec<u16> = (0..8192)
            .map(|_| match random.u32(..4) {
                0 => FP_WORD_SOLID,
                1 => random.u16(0..8),
                _ => FP_WORD_OPEN,
            })
            .collect();
        ok!(fp_water_insert_chunks(there.0, [0, 0, 0, 1, 0, 0].as_ptr(), 2, words.as_ptr(), 4096));
        let chunk = |words: &[u16]| {
            Chunk::from_cells(&core::array::from_fn(|at| Voxel::from_word(words[at]).unwrap()))
        };
        let at = [0, 1].map(|x| ChunkPos::new(x, 0, 0));
        let chunks = [(at[0], chunk(&words[..4096])), (at[1], chunk(&words[4096..]))];
        here.insert_chunks(chunks).unwrap();
        for _ in 0..60 {
            let (edit, same) = water_edit(&mut random, true);
            both(&mut here, &there, edit, same, FpKind::Water);
            if random.bool() {
                ok!(fp_world_step_within(there.0, random.u64(..2_000), ptr::null_mut()));
                ok!(fp_world_finish_tick(there.0, ptr::null_mut()));
                here.step();
            }
        }
        same_view(&there, &here);
        assert_eq!(snapshot(&there), floodplain::snapshot::Saved::save(&here));
    }
}

/// What is drawn of a world of C is what is drawn of one of Rust.
fn same_view(there: &Handle, here: &WaterWorld) {
    for chunk in [IVec3::ZERO, IVec3::X] {
        let mesh = here.surface_mesh(chunk.into(), None);
        let vertices = mesh.positions.len();
        let mut lists = [vec![0f32; 3 * vertices], vec![0f32; 3 * vertices]];
        let [positions, normals] = &mut lists;
        let mut indices = vec![0u32; mesh.indices.len()];
        let mut room = FpMesh {
            positions: positions.as_mut_ptr(),
            normals: normals.as_mut_ptr(),
            flow: ptr::null_mut(),
            vertex_capacity: vertices,
            vertex_count: 0,
            indices: indices.as_mut_ptr(),
            index_capacity: indices.len(),
            index_count: 0,
        };
        ok!(fp_view_mesh(there.0, chunk.x, chunk.y, chunk.z, &mut room));
        assert_eq!((room.vertex_count, room.index_count), (vertices, mesh.indices.len()));
        let flat = |list: &[floodplain::glam::Vec3]| {
            list.iter().flat_map(|vector| vector.to_array()).collect::<Vec<f32>>()
        };
        assert_eq!(indices, mesh.indices);
        assert_eq!(lists, [flat(&mesh.positions), flat(&mesh.normals)]);
        let falls = all(FpFall::default(), |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_view_falls(there.0, chunk.x, chunk.y, chunk.z, out, capacity, length) }
        });
        let wanted =
            here.falls(chunk.into()).into_iter().map(|fall| (fall.lowest.to_array(), fall.cells));
        assert!(falls.iter().map(|fall| (fall.lowest, fall.cells)).eq(wanted));
    }
    let mut ledger = FpWaterLedger::default();
    ok!(fp_water_ledger(there.0, &mut ledger));
    assert_eq!((ledger.total, ledger.injected), (here.total(), here.ledger().injected));
    let (mut body, at) = (FpBody::default(), IVec3::new(8, 3, 8));
    // SAFETY: the handle lives.
    let status = unsafe { fp_water_body(there.0, at.x, at.y, at.z, 500, &mut body) };
    match here.body_at(at, 500) {
        Some(report) => assert_eq!((body.units, body.surface), (report.units, report.surface)),
        None => assert_eq!(status, FpStatus::None),
    }
}

#[test]
fn materials_of_c_are_those_of_rust() {
    let mut random = fastrand::Rng::with_seed(2);
    for seed in 0..6 {
        let there = materials_of(seed);
        let mut here = World::new(seed, Palette::natural(), Default::default()).unwrap();
        let cells: Vec<u8> = (0..4096).map(|_| random.u8(0..8)).collect();
        let content = FpContent {
            chunk: [0; 3],
            reserved: 0,
            materials: cells.as_ptr(),
            material_count: cells.len(),
            water: ptr::null(),
            water_count: 0,
            moisture: ptr::null(),
            moisture_count: 0,
        };
        ok!(fp_materials_insert_chunks(there.0, &content, 1));
        let cells = core::array::from_fn(|at| MaterialId(cells[at]));
        here.insert_chunk(ChunkPos::ZERO, ChunkContent::from(Chunk::from_cells(&cells))).unwrap();
        for _ in 0..40 {
            let (edit, same) = materials_edit(&mut random);
            both(&mut here, &there, edit, same, FpKind::Materials);
            ok!(fp_world_run(there.0, 2, ptr::null_mut()));
            here.run(2);
        }
        assert_eq!(snapshot(&there), floodplain::snapshot::Saved::save(&here));
        // SAFETY: plain numbers.
        let broken = all(unsafe { core::mem::zeroed() }, |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_world_take_events(there.0, out, capacity, length) }
        });
        let wanted = here.take_events();
        assert!(
            broken
                .iter()
                .map(|one: &FpBroken| one.cell)
                .eq(wanted.iter().map(|one| one.cell.to_array()))
        );
    }
}

fn materials_edit(random: &mut fastrand::Rng) -> (FpEdit, world::Edit) {
    use FpEditKind as K;
    use world::Edit as E;
    let (at, number) = (cell(random), random.u8(0..9));
    let numbered = |kind| FpEdit { units: number.into(), ..edit_of(kind, at) };
    match random.u32(..8) {
        0 => (numbered(K::SetMaterial), E::SetMaterial { cell: at, material: MaterialId(number) }),
        1 => {
            let (region, material) = (Region::new(at, at + 2), MaterialId(number));
            let edit = FpEdit { to: (at + 2).into(), ..numbered(K::FillMaterial) };
            (edit, E::FillMaterial { region, material })
        }
        2 => (numbered(K::Rain), E::Rain { from: at, units: number.into() }),
        3 => {
            let edit = FpEdit { value: 90.0, value2: 2.5, ..numbered(K::Charge) };
            (edit, E::Charge { centre: at, radius: 2.5, pressure: 90.0 })
        }
        4 => {
            let edit = FpEdit { value: 3.0, ..numbered(K::SetHumidity) };
            (edit, E::Soil(humidity::Edit::SetHumidity { cell: at, humidity: 3.0 }))
        }
        5 => {
            let edit = FpEdit { value: 8.0, ..numbered(K::AddPressure) };
            (edit, E::Blast(blast::Edit::AddPressure { cell: at, more: 8.0 }))
        }
        _ => {
            let (edit, same) = water_edit(random, false);
            (edit, E::Water(same))
        }
    }
}

#[test]
fn humidity_of_c_is_that_of_rust() {
    let mut random = fastrand::Rng::with_seed(3);
    let (sheets, cubes) = (humidity_of(FpShape::Sheet), humidity_of(FpShape::Cube));
    let mut here = HumidityWorld::<Sheet>::new(Default::default()).unwrap();
    let mut here_3d = HumidityWorld::<Cube>::new(Default::default()).unwrap();
    let loam = FpHumidityCell { humidity: 5.0, impermeability: 2.0, rain: 0 };
    let chunk = || Chunk::uniform(humidity::Cell::soil(5.0, 2.0));
    ok!(fp_humidity_insert_chunk(sheets.0, 0, 0, 0, &loam, 1));
    ok!(fp_humidity_insert_chunk(cubes.0, 0, 0, 0, &loam, 1));
    here.insert_chunk(ChunkPos::ZERO, chunk()).unwrap();
    here_3d.insert_chunk(ChunkPos::ZERO, chunk()).unwrap();
    for _ in 0..60 {
        let (edit, same) = humidity_edit(&mut random);
        both(&mut here, &sheets, edit, same.clone(), FpKind::HumiditySheet);
        both(&mut here_3d, &cubes, edit, same, FpKind::HumidityCube);
        ok!(fp_world_step(sheets.0, ptr::null_mut()));
        ok!(fp_world_step(cubes.0, ptr::null_mut()));
        here.step();
        here_3d.step();
    }
    let cells = all(FpHumidityCell::default(), |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_humidity_chunk(sheets.0, 0, 0, 0, out, capacity, length) }
    });
    let wanted = here.chunk(ChunkPos::ZERO).unwrap();
    assert!(cells.iter().map(|cell| cell.humidity).eq(wanted.iter().map(|cell| cell.humidity)));
}

fn humidity_edit(random: &mut fastrand::Rng) -> (FpEdit, humidity::Edit) {
    use FpEditKind as K;
    use humidity::Edit as E;
    let (at, value) = (cell(random), random.f64() * 40.0 - 1.0);
    let valued = |kind| FpEdit { value, ..edit_of(kind, at) };
    match random.u32(..7) {
        0 => (valued(K::SetHumidity), E::SetHumidity { cell: at, humidity: value }),
        1 => {
            let impermeability = value as f32;
            (valued(K::SetImpermeability), E::SetImpermeability { cell: at, impermeability })
        }
        2 => (valued(K::SetRain), E::SetRain { cell: at, humidity: value }),
        3 => (edit_of(K::ClearRain, at), E::ClearRain(at)),
        4 => (edit_of(K::SetRock, at), E::SetRock(at)),
        5 => {
            let (to, value2) = (at + IVec3::new(2, 1, 0), 1.5);
            let edit = FpEdit { to: to.into(), value2, ..valued(K::FillCells) };
            let cell = humidity::Cell::soil(value, 1.5);
            (edit, E::FillCells { region: Region::new(at, to), value: cell })
        }
        _ => (edit_of(K::WakeAll, at), E::WakeAll),
    }
}

#[test]
fn pressure_of_c_is_that_of_rust() {
    let mut random = fastrand::Rng::with_seed(4);
    let (sheets, cubes) = (blast_of(FpShape::Sheet), blast_of(FpShape::Cube));
    let mut here = BlastWorld::<Sheet>::new(BLAST).unwrap();
    let mut here_3d = BlastWorld::<Cube>::new(BLAST).unwrap();
    for _ in 0..60 {
        let (edit, same) = blast_edit(&mut random);
        both(&mut here, &sheets, edit, same.clone(), FpKind::BlastSheet);
        both(&mut here_3d, &cubes, edit, same, FpKind::BlastCube);
        let at = cell(&mut random);
        let mut probe = FpProbe { cell: at.into(), cross_section: 0.5, ..FpProbe::default() };
        let mut probes = [blast::Probe::new(at, 0.5).unwrap()];
        ok!(fp_blast_run_probed(cubes.0, 3, &mut probe, 1, ptr::null_mut()));
        here_3d.run_probed(3, &mut probes);
        assert_eq!(probe.impulse, probes[0].impulse().to_array());
        assert_eq!(probe.exposure, probes[0].exposure());
        ok!(fp_world_run(sheets.0, 3, ptr::null_mut()));
        here.run(3);
    }
    let pressures = all(0f32, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_blast_chunk(cubes.0, 0, 0, 0, out, capacity, length) }
    });
    let at = |index| <Cube as floodplain::Shape>::cell_at(ChunkPos::ZERO, index);
    assert!((0..4096).all(|index| pressures[index] == here_3d.pressure(at(index))));
}

fn blast_edit(random: &mut fastrand::Rng) -> (FpEdit, blast::Edit) {
    use FpEditKind as K;
    use blast::Edit as E;
    let (cell, pressure) = (cell(random), random.f32() * 90.0 - 5.0);
    let valued = |kind| FpEdit { value: pressure.into(), ..edit_of(kind, cell) };
    match random.u32(..8) {
        0 => (edit_of(K::SetSolid, cell), E::SetSolid(cell)),
        1 => (edit_of(K::ClearSolid, cell), E::ClearSolid(cell)),
        2 => (valued(K::SetPressure), E::SetPressure { cell, pressure }),
        3 => (valued(K::AddPressure), E::AddPressure { cell, more: pressure }),
        4 => (valued(K::SetWall), E::SetWall { cell, strength: pressure }),
        5 => {
            let edit = FpEdit { face: 1, value: 0.5, ..edit_of(K::SetLink, cell) };
            (edit, E::SetLink { cell, face: floodplain::Face::East, weight: 0.5 })
        }
        6 => {
            let edit = FpEdit { value2: 2.0, ..valued(K::Charge) };
            (edit, E::AddCharge { centre: cell, radius: 2.0, pressure })
        }
        _ => (edit_of(K::WakeAll, cell), E::WakeAll),
    }
}
