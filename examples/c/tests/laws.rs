//! Laws across the border: what a world of C does is what one of Rust does, and what is refused
//! changes nothing.

use floodplain::blast::{self, BlastWorld};
use floodplain::glam::IVec3;
use floodplain::humidity::{self, HumidityWorld};
use floodplain::water::{self, Voxel, WaterView, WaterWorld};
use floodplain::world::{self, Content, MaterialId, Palette, World};
use floodplain::{Chunk, ChunkPos, Cube, EditValue, Region, Sheet, Simulation};
use floodplain_c::*;
use std::ptr;

/// A world of C, which is freed at the end.
pub struct Handle(pub *mut FpWorld);

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: given out once, and not used again.
        assert_eq!(unsafe { fp_world_free(self.0) }, FpStatus::Ok);
    }
}

/// Calls functions of C that have to succeed.
macro_rules! ok {
    ($call:expr) => {{
        // SAFETY: the tests keep the promises.
        let status = unsafe { $call };
        assert_eq!(status, FpStatus::Ok, "{}: {}", stringify!($call), last_error());
    }};
}

pub fn last_error() -> String {
    let (mut out, mut length) = ([0u8; 500], 0);
    // SAFETY: there is room.
    unsafe { fp_last_error(out.as_mut_ptr().cast(), out.len(), &mut length) };
    String::from_utf8_lossy(&out[..length.min(500)]).into_owned()
}

/// Returns all values of a function that fills a list.
pub fn all<T: Copy>(empty: T, call: impl Fn(*mut T, usize, *mut usize) -> FpStatus) -> Vec<T> {
    let mut length = 0;
    let first = call(ptr::null_mut(), 0, &mut length);
    if first == FpStatus::Ok {
        assert_eq!(length, 0);
        return Vec::new();
    }
    assert_eq!(first, FpStatus::Buffer, "{}", last_error());
    let mut out = vec![empty; length];
    assert_eq!(call(out.as_mut_ptr(), length, &mut length), FpStatus::Ok, "{}", last_error());
    assert_eq!(length, out.len());
    out
}

pub fn hash(world: &Handle) -> u64 {
    let mut hash = 0;
    ok!(fp_world_state_hash(world.0, &mut hash));
    hash
}

fn snapshot(world: &Handle) -> Vec<u8> {
    // SAFETY: the handle lives.
    all(0, |out, capacity, length| unsafe { fp_world_snapshot(world.0, out, capacity, length) })
}

pub fn water_of(seed: u64) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpWaterRules = unsafe { core::mem::zeroed() };
    ok!(fp_water_rules_default(FpPreset::Lossless as u32, &mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_water_new(seed, &rules, ptr::null(), &mut world));
    Handle(world)
}

pub fn materials_of(seed: u64) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpMaterialsRules = unsafe { core::mem::zeroed() };
    ok!(fp_materials_rules_default(&mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_materials_new(seed, ptr::null(), 0, &rules, ptr::null(), &mut world));
    Handle(world)
}

pub fn humidity_of(shape: FpShape) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpHumidityRules = unsafe { core::mem::zeroed() };
    ok!(fp_humidity_rules_default(&mut rules));
    let mut world = ptr::null_mut();
    ok!(fp_humidity_new(shape as u32, &rules, ptr::null(), &mut world));
    Handle(world)
}

/// Rules of pressure that are stable in both shapes.
const BLAST: blast::Rules = blast::Rules::diffusive(0.12);

pub fn blast_of(shape: FpShape) -> Handle {
    // SAFETY: plain numbers.
    let mut rules: FpBlastRules = unsafe { core::mem::zeroed() };
    ok!(fp_blast_rules_default(&mut rules));
    rules.coefficient = BLAST.rule.coefficient();
    let mut world = ptr::null_mut();
    ok!(fp_blast_new(shape as u32, &rules, ptr::null(), ptr::null(), &mut world));
    Handle(world)
}

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

fn edit_of(kind: FpEditKind, cell: IVec3) -> FpEdit {
    FpEdit { kind: kind as u32, cell: cell.into(), ..FpEdit::default() }
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
        here.insert_chunk(ChunkPos::ZERO, Content::from(Chunk::from_cells(&cells))).unwrap();
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

/// Returns a small world of water with a spring over ground.
pub fn spring() -> Handle {
    let world = water_of(7);
    ok!(fp_water_insert_chunks(world.0, [0, 0, 0, 1, 0, 0].as_ptr(), 2, [0u16; 2].as_ptr(), 1));
    let ground = FpEdit { to: [31, 0, 15], ..edit_of(FpEditKind::FillSolid, IVec3::ZERO) };
    ok!(fp_world_apply(world.0, &ground, ptr::null_mut()));
    let source = edit_of(FpEditKind::AddSource, IVec3::new(8, 4, 8));
    ok!(fp_world_apply(world.0, &source, ptr::null_mut()));
    world
}

#[test]
fn what_is_refused_changes_nothing() {
    let world = spring();
    let before = snapshot(&world);
    let (edit, mut length) = (edit_of(FpEditKind::Pour, IVec3::new(3, 3, 3)), 0);
    let there = world.0;
    let none = ptr::null_mut::<FpWorld>();
    let words = [FP_WORD_OPEN, u16::MAX];
    let turned = FpEdit { cell: [1; 3], ..edit_of(FpEditKind::FillSolid, IVec3::ONE) };
    let at = [5, 0, 0];
    // SAFETY: what is not null is valid; the rest is refused.
    let statuses = unsafe {
        [
            (fp_world_apply(none, &edit, ptr::null_mut()), FpStatus::Pointer),
            (fp_world_apply(there, ptr::null(), ptr::null_mut()), FpStatus::Pointer),
            (fp_world_apply(there, &FpEdit { kind: 999, ..edit }, ptr::null_mut()), FpStatus::Tag),
            (fp_world_apply(there, &turned, ptr::null_mut()), FpStatus::Value),
            (
                fp_world_apply(there, &edit_of(FpEditKind::SetRain, IVec3::ONE), ptr::null_mut()),
                FpStatus::Kind,
            ),
            (
                fp_world_apply_bytes(there, ptr::null(), 3, ptr::null(), ptr::null_mut()),
                FpStatus::Pointer,
            ),
            (
                fp_world_apply_bytes(there, [99].as_ptr(), 1, ptr::null(), ptr::null_mut()),
                FpStatus::Decode,
            ),
            (fp_water_insert_chunks(there, at.as_ptr(), 1, words.as_ptr(), 2), FpStatus::Length),
            (
                fp_water_insert_chunks(there, at.as_ptr(), 1, words[1..].as_ptr(), 1),
                FpStatus::Value,
            ),
            (fp_water_insert_chunks(there, ptr::null(), 1, words.as_ptr(), 1), FpStatus::Pointer),
            (
                fp_water_insert_chunks(there, at.as_ptr(), usize::MAX, words.as_ptr(), 1),
                FpStatus::Length,
            ),
            (
                fp_water_insert_chunks(there, [0; 3].as_ptr(), 1, words.as_ptr(), 1),
                FpStatus::ChunkPresent,
            ),
            (fp_world_remove_chunks(there, at.as_ptr(), 1, &mut length), FpStatus::NotLoaded),
            (fp_world_insert_records(there, [9, 0, 0, 0, 1].as_ptr(), 5), FpStatus::Decode),
            (fp_materials_insert_chunks(there, ptr::null(), 0), FpStatus::Kind),
            (fp_mirror_apply(there, [0].as_ptr(), 1, ptr::null_mut()), FpStatus::Kind),
            (fp_record_undo(there), FpStatus::Recording),
            (fp_world_take_changes(there, ptr::null_mut(), 0, &mut length), FpStatus::Buffer),
            (fp_feed_free(there.cast()), FpStatus::Handle),
        ]
    };
    for (at, (status, wanted)) in statuses.into_iter().enumerate() {
        assert_eq!(status, wanted, "call {at}");
    }
    // Only the list of changes was taken out, and waits.
    assert!(length > 0);
    let changes = all(FpChunkChanges { chunk: [0; 3], cells: 0, mask: [0; 64] }, |out, most, n| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_changes(there, out, most, n) }
    });
    assert_eq!(changes.len(), length);
    let mut again = WaterWorld::arrange(&before);
    again.take_changes();
    assert_eq!(hash(&world), again.state_hash());
}

/// Loads a world in a test.
trait Arrange {
    fn arrange(bytes: &[u8]) -> Self;
}

impl Arrange for WaterWorld {
    fn arrange(bytes: &[u8]) -> WaterWorld {
        floodplain::snapshot::Saved::load(bytes).expect("a snapshot")
    }
}

#[test]
fn rules_are_checked_and_given_back() {
    // SAFETY: plain numbers.
    let mut rules: FpWaterRules = unsafe { core::mem::zeroed() };
    let mut world = ptr::null_mut();
    let mut new = |rules: &FpWaterRules| {
        // SAFETY: all is valid.
        let status = unsafe { fp_water_new(1, rules, ptr::null(), &mut world) };
        (status, core::mem::replace(&mut world, ptr::null_mut()))
    };
    assert_eq!(new(&rules).0, FpStatus::Size);
    ok!(fp_water_rules_default(0, &mut rules));
    assert_eq!(new(&FpWaterRules { throughput: 8, ..rules }).0, FpStatus::Value);
    assert_eq!(new(&FpWaterRules { pools: 2, ..rules }).0, FpStatus::Value);
    let edge = FpEdge { kind: 4, level: 0 };
    assert_eq!(new(&FpWaterRules { unloaded: edge, ..rules }).0, FpStatus::Tag);
    let given = FpWaterRules { unloaded: FpEdge { kind: 3, level: -5 }, ..rules };
    let (status, world) = new(&given);
    assert_eq!(status, FpStatus::Ok);
    let world = Handle(world);
    ok!(fp_water_rules(world.0, &mut rules));
    assert_eq!(rules, given);
    let changed = FpWaterRules { source_supply: 3, ..given };
    ok!(fp_water_set_rules(world.0, &changed));
    ok!(fp_water_rules(world.0, &mut rules));
    assert_eq!(rules, changed);
}

#[test]
fn palettes_have_the_names_of_the_caller() {
    // SAFETY: plain numbers.
    let mut rules: FpMaterialsRules = unsafe { core::mem::zeroed() };
    ok!(fp_materials_rules_default(&mut rules));
    let material = |name: &core::ffi::CStr, solid| FpMaterial {
        name: name.as_ptr(),
        breaks_into: ptr::null(),
        permeability: 0.0,
        strength: 0.0,
        solid,
        capacity: 0,
        reserved: [0; 6],
    };
    let [air, stone] = [material(c"air", 0), material(c"stone", 1)];
    let wall = FpMaterial { breaks_into: c"air".as_ptr(), strength: 9.0, ..material(c"wall", 1) };
    let mut world = ptr::null_mut();
    let materials = [air, stone, wall];
    ok!(fp_materials_new(1, materials.as_ptr(), 3, &rules, ptr::null(), &mut world));
    drop(Handle(world));
    // SAFETY: all is valid.
    let status =
        unsafe { fp_materials_new(1, [air, air].as_ptr(), 2, &rules, ptr::null(), &mut world) };
    assert_eq!(status, FpStatus::Value);
}

#[test]
fn mirrors_follow_and_feeds_keep_what_does_not_fit() {
    let world = spring();
    let (mut feed, mut mirror) = (ptr::null_mut(), ptr::null_mut());
    ok!(fp_feed_new(world.0, &mut feed));
    ok!(fp_mirror_new(FpKind::Water as u32, 10, &mut mirror));
    let mirror = Handle(mirror);
    let whole = all(0u8, |out, capacity, length| {
        // SAFETY: the handles live.
        unsafe { fp_feed_whole(feed, world.0, [0, 0, 0].as_ptr(), 1, out, capacity, length) }
    });
    ok!(fp_mirror_apply(mirror.0, whole.as_ptr(), whole.len(), ptr::null_mut()));
    for _ in 0..20 {
        ok!(fp_world_step(world.0, ptr::null_mut()));
        let update = all(0u8, |out, capacity, length| {
            // SAFETY: the handles live.
            unsafe { fp_feed_take(feed, world.0, out, capacity, length) }
        });
        let only = all(0u8, |out, capacity, length| {
            let (bytes, count) = (update.as_ptr(), update.len());
            // SAFETY: the lists live.
            unsafe { fp_update_only(1, bytes, count, [0, 0, 0].as_ptr(), 1, out, capacity, length) }
        });
        ok!(fp_mirror_apply(mirror.0, only.as_ptr(), only.len(), ptr::null_mut()));
    }
    let looks = |view: &Handle| {
        all(0u16, |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_view_looks(view.0, 0, 0, 0, out, capacity, length) }
        })
    };
    assert_eq!(looks(&mirror), looks(&world));
    assert!(looks(&mirror).contains(&FP_LOOK_SOLID));
    // SAFETY: the handle lives.
    let gap = unsafe { fp_mirror_apply(mirror.0, whole.as_ptr(), whole.len(), ptr::null_mut()) };
    assert_eq!(gap, FpStatus::Gap);
    ok!(fp_mirror_retain(mirror.0, ptr::null(), 0));
    let chunks = all(0, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_chunks(mirror.0, out, capacity, length) }
    });
    assert!(chunks.is_empty());
    ok!(fp_feed_free(feed));
}

#[test]
fn recordings_replay_undo_and_go_on() {
    let world = spring();
    ok!(fp_world_step_within(world.0, 9, ptr::null_mut()));
    ok!(fp_record_start(world.0, 4, 8, ptr::null()));
    let mut ticket = 9;
    let pour = FpEdit { units: 7, ..edit_of(FpEditKind::Pour, IVec3::new(3, 9, 3)) };
    ok!(fp_world_queue(world.0, &pour, &mut ticket));
    assert_eq!(ticket, 0);
    ok!(fp_world_run(world.0, 10, ptr::null_mut()));
    let before = hash(&world);
    ok!(fp_world_apply(world.0, &pour, ptr::null_mut()));
    ok!(fp_world_step_within(world.0, 9, ptr::null_mut()));
    let reports = take_reports(&world);
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].ticket, reports[0].tick, reports[0].outcome.units), (0, 1, 7));
    ok!(fp_world_finish_tick(world.0, ptr::null_mut()));
    let bytes = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_record_bytes(world.0, out, capacity, length) }
    });
    let mut again = ptr::null_mut();
    ok!(fp_record_replay(FpKind::Water as u32, bytes.as_ptr(), bytes.len(), &mut again));
    assert_eq!(hash(&Handle(again)), hash(&world));
    ok!(fp_record_undo(world.0));
    assert_eq!(hash(&world), before);
    ok!(fp_record_rewind(world.0, 0));
    ok!(fp_world_step(world.0, ptr::null_mut()));
    ok!(fp_record_stop(world.0));
    ok!(fp_world_step(world.0, ptr::null_mut()));
    ok!(fp_world_validate(world.0));
}

fn take_reports(world: &Handle) -> Vec<FpEditReport> {
    // SAFETY: plain numbers.
    all(unsafe { core::mem::zeroed() }, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_edit_reports(world.0, out, capacity, length) }
    })
}

#[test]
fn lock_step_worlds_are_the_same() {
    let (host, guest) = (spring(), spring());
    ok!(fp_record_start(host.0, 5, 0, ptr::null()));
    // SAFETY: plain numbers.
    let mut limits: FpLimits = unsafe { core::mem::zeroed() };
    ok!(fp_limits_default(&mut limits));
    ok!(fp_record_start(guest.0, 5, 0, &limits));
    for tick in 0..20 {
        let pour = FpEdit { units: 5, ..edit_of(FpEditKind::Pour, IVec3::new(tick, 9, 3)) };
        ok!(fp_world_apply(host.0, &pour, ptr::null_mut()));
        let sent = all(0u8, |out, capacity, length| {
            // SAFETY: the handle lives.
            unsafe { fp_record_tick_bytes(host.0, tick as u64, out, capacity, length) }
        });
        let mut made = 0;
        ok!(fp_record_apply_bytes(guest.0, sent.as_ptr(), sent.len(), &mut made));
        assert_eq!(made, 1);
        ok!(fp_world_step(host.0, ptr::null_mut()));
        ok!(fp_world_step(guest.0, ptr::null_mut()));
        assert_eq!(hash(&host), hash(&guest));
    }
    let spring = edit_of(FpEditKind::AddSource, IVec3::new(3, 9, 9));
    ok!(fp_world_apply(host.0, &spring, ptr::null_mut()));
    let sent = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_record_tick_bytes(host.0, 20, out, capacity, length) }
    });
    // SAFETY: the handle lives.
    let status =
        unsafe { fp_record_apply_bytes(guest.0, sent.as_ptr(), sent.len(), ptr::null_mut()) };
    assert_ne!(status, FpStatus::Ok, "beyond the limits");
}

#[test]
fn chunks_come_and_go_with_their_records() {
    let world = spring();
    ok!(fp_world_run(world.0, 30, ptr::null_mut()));
    let mut here = WaterWorld::arrange(&snapshot(&world));
    let mut length = 0;
    ok!(fp_world_remove_chunks(world.0, [1, 0, 0].as_ptr(), 1, &mut length));
    let records = all(0u8, |out, capacity, length| {
        // SAFETY: the handle lives.
        unsafe { fp_world_take_records(world.0, out, capacity, length) }
    });
    assert_eq!(records.len(), length);
    let kept = here.remove_chunks([ChunkPos::new(1, 0, 0)]).unwrap();
    assert_eq!(records[4..], kept[0].to_bytes());
    ok!(fp_world_insert_records(world.0, records.as_ptr(), records.len()));
    here.insert_records(kept).unwrap();
    ok!(fp_world_run(world.0, 5, ptr::null_mut()));
    here.run(5);
    assert_eq!(hash(&world), here.state_hash());
}

#[test]
fn files_hold_worlds() {
    let path = std::env::temp_dir().join(format!("floodplain-c-{}.redb", std::process::id()));
    let name = std::ffi::CString::new(path.to_str().expect("UTF-8")).unwrap();
    for (world, kind) in [
        (spring(), FpKind::Water),
        (materials_of(1), FpKind::Materials),
        (humidity_of(FpShape::Cube), FpKind::HumidityCube),
        (blast_of(FpShape::Sheet), FpKind::BlastSheet),
    ] {
        drop(std::fs::remove_file(&path));
        let (mut save, mut opened) = (ptr::null_mut(), ptr::null_mut());
        ok!(fp_save_create(name.as_ptr(), world.0, &mut save));
        ok!(fp_world_run(world.0, 9, ptr::null_mut()));
        ok!(fp_save_write(save, world.0, ptr::null_mut()));
        ok!(fp_save_free(save));
        // SAFETY: all is valid.
        let exists = unsafe { fp_save_create(name.as_ptr(), world.0, &mut save) };
        assert_eq!(exists, FpStatus::File);
        ok!(fp_save_open(name.as_ptr(), kind as u32, &mut save, &mut opened));
        assert_eq!(hash(&Handle(opened)), hash(&world));
        ok!(fp_save_free(save));
    }
    drop(std::fs::remove_file(&path));
}
