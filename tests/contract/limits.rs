//! Edits of clients obey limits: what breaks one is refused by its name and changes nothing, and
//! what is made keeps within all of them.

use fastrand::Rng;
use floodplain::glam::IVec3;
use floodplain::recording::{Recorder, RecordingError};
use floodplain::water::{self, Edge, Fixture, Voxel, WaterWorld};
use floodplain::world::{self, MaterialId, World};
use floodplain::{
    Chunk, ChunkPos, ClientEditError, ColumnPos, EditKinds, EditValue, LimitError, Limits, Region,
    Simulation, Ticket, blast, humidity,
};
use support::worlds;

fn at(x: i32, y: i32, z: i32) -> IVec3 {
    IVec3::new(x, y, z)
}

/// What a server does itself, and no client may by default.
fn of_servers() -> Vec<water::Edit> {
    use water::Edit;
    let (position, chunk) = (at(900, 0, 0), Chunk::uniform(Voxel::OPEN));
    vec![
        Edit::InsertChunk { position: position.into(), chunk: chunk.clone() },
        Edit::InsertChunks(vec![(position.into(), chunk)]),
        Edit::RemoveChunk(ChunkPos::ZERO),
        Edit::RemoveChunks(vec![ChunkPos::ZERO]),
        Edit::InsertRecords(Vec::new()),
        Edit::WakeAll,
        Edit::SetRules(water::Rules::lossless()),
        Edit::SetEdge { column: ColumnPos::default(), edge: Some(Edge::Drain) },
        Edit::Freeze(vec![ChunkPos::ZERO]),
        Edit::Thaw(vec![ChunkPos::ZERO]),
    ]
}

#[test]
fn server_edits_are_refused_from_clients() {
    let (mut water, mut world) = (worlds::water(1), worlds::materials(1));
    let limits = Limits { most_bytes: 1 << 20, ..Limits::default() };
    let before = (water.state_hash(), world.state_hash());
    let is_refused = |refused: Option<LimitError>, story: &str| {
        let kind = EditKinds::WORLD;
        assert!(
            matches!(refused, Some(LimitError::Kind { kind: found, .. }) if found == kind),
            "{story}"
        );
    };
    for edit in of_servers() {
        let story = format!("{edit:?}");
        let Err(ClientEditError::Limit(error)) = water.apply_bytes(&edit.to_bytes(), &limits)
        else {
            panic!("{story}")
        };
        is_refused(Some(error), &story);
        let bytes = world::Edit::Water(edit).to_bytes();
        let Err(ClientEditError::Limit(error)) = world.queue_bytes(&bytes, &limits) else {
            panic!("{story}")
        };
        is_refused(Some(error), &story);
    }
    let of_world = [
        world::Edit::RemoveChunk(ChunkPos::ZERO),
        world::Edit::RemoveChunks(vec![ChunkPos::ZERO]),
        world::Edit::InsertRecords(Vec::new()),
        world::Edit::WakeAll,
        world::Edit::Soil(humidity::Edit::WakeAll),
        world::Edit::Blast(blast::Edit::WakeAll),
        world::Edit::Blast(blast::Edit::RemoveChunk(ChunkPos::ZERO)),
    ];
    for edit in of_world {
        let Err(ClientEditError::Limit(error)) = world.apply_bytes(&edit.to_bytes(), &limits)
        else {
            panic!("{edit:?}")
        };
        is_refused(Some(error), &format!("{edit:?}"));
    }
    assert_eq!((water.state_hash(), world.state_hash()), before);
}

#[test]
fn each_limit_refuses_by_its_name_and_value() {
    use world::Edit;
    let (kinds, most) = (EditKinds::ALL, f32::MAX);
    let limits =
        Limits { kinds, reach: Region::new(at(-4, 0, -4), at(9, 9, 9)), ..Limits::default() };
    let charge = |radius, pressure| Edit::Charge { centre: at(3, 4, 3), radius, pressure };
    let charge_at = |centre, radius| Edit::Charge { centre, radius, pressure: 9.0 };
    let fill = |region| Edit::FillMaterial { region, material: MaterialId(0) };
    let pour = |cell, units| Edit::Water(water::Edit::Pour { cell, units });
    let wide = Limits { reach: Region::EVERYWHERE, most_radius: most, ..limits.clone() };
    let huge = Region::EVERYWHERE;
    let cases = [
        (charge(4.5, 9.0), &limits, LimitError::Radius { radius: 4.5, most: 4.0 }),
        (charge(1.0, 1e18), &limits, LimitError::Pressure { pressure: 1e18, most: 1_000.0 }),
        (charge(1e30, 1.0), &wide, LimitError::Cells { cells: 0, most: 4096 }),
        (charge_at(at(3, 2, 3), 4.0), &limits, LimitError::OutOfReach(at(-1, -2, -1))),
        (fill(huge), &wide, LimitError::Cells { cells: huge.volume(), most: 4096 }),
        (pour(at(3, 10, 3), 1), &limits, LimitError::OutOfReach(at(3, 10, 3))),
        (pour(at(3, 3, 3), 9_999), &limits, LimitError::Units { units: 9_999, most: 3_584 }),
        (
            Edit::Blast(blast::Edit::AddPressure { cell: at(3, 3, 3), more: -2e3 }),
            &limits,
            LimitError::Pressure { pressure: -2e3, most: 1_000.0 },
        ),
    ];
    let mut world = worlds::materials(2);
    let before = world.state_hash();
    for (edit, limits, wanted) in cases {
        let Err(ClientEditError::Limit(error)) = world.apply_bytes(&edit.to_bytes(), limits) else {
            panic!("{edit:?}")
        };
        match (error, wanted) {
            // Of charges, the box.
            (LimitError::Cells { cells, .. }, LimitError::Cells { cells: 0, .. }) => {
                assert!(cells > 4096);
            }
            _ => assert_eq!(error, wanted, "{edit:?}"),
        }
        assert!(!error.to_string().is_empty());
    }
    let long = [0; 2_000];
    let error = LimitError::Bytes { bytes: 2_000, most: 1024 };
    assert_eq!(world.apply_bytes(&long, &limits), Err(ClientEditError::Limit(error)));
    assert!(matches!(world.apply_bytes(&[255], &limits), Err(ClientEditError::Bytes(_))));
    assert_eq!(world.state_hash(), before);
}

/// Edits in line and the reports that nobody takes are bounded together.
#[test]
fn a_queue_that_nobody_empties_and_reports_that_nobody_takes_end_at_a_limit() {
    let mut world = worlds::water(3);
    let limits = Limits { most_waiting: 5, ..Limits::default() };
    let bytes = water::Edit::Pour { cell: at(0, 5, 0), units: 1 }.to_bytes();
    let full = Err(ClientEditError::Limit(LimitError::Waiting { waiting: 5, most: 5 }));
    for ticket in 0..5 {
        assert_eq!(world.queue_bytes(&bytes, &limits), Ok(Ticket(ticket)));
    }
    assert_eq!(world.queue_bytes(&bytes, &limits), full);
    world.run(3);
    assert_eq!(world.queue_bytes(&bytes, &limits), full, "reports wait");
    assert_eq!(world.take_edit_reports().len(), 5);
    assert_eq!(world.queue_bytes(&bytes, &limits), Ok(Ticket(5)));
}

fn some_edit(rng: &mut Rng) -> water::Edit {
    use water::Edit;
    let mut cell = || at(rng.i32(-4..5), rng.i32(-4..6), rng.i32(-4..5));
    let (cell, there) = (cell(), cell());
    let units = rng.u32(..20);
    match rng.u8(..14) {
        0 => Edit::SetSolid(cell),
        1 => Edit::ClearSolid(cell),
        2 => Edit::FillSolid(Region::new(cell, there)),
        3 | 4 => Edit::FillWater { region: Region::new(cell, there), height: rng.u8(..8) },
        5 => Edit::Pour { cell, units },
        6 => Edit::Scoop { cell, units },
        7 => Edit::DrainBody { cell, units },
        8 => Edit::FillBody { cell, units },
        9 => Edit::AddSource(cell),
        10 => Edit::SetFixture { cell, fixture: Some(Fixture::Tap(3)) },
        11 => Edit::FillSea(Region::new(cell, there)),
        _ => of_servers().swap_remove(rng.usize(..10)),
    }
}

#[test]
fn edits_that_are_made_keep_within_all_limits() {
    let reach = Region::new(at(-3, -3, -3), at(3, 4, 3));
    let limits = Limits { reach, most_cells: 12, most_units: 9, ..Limits::default() };
    let (mut made, mut refused) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let mut world = worlds::water(seed);
        for _ in 0..40 {
            let bytes = some_edit(&mut rng).to_bytes();
            let ground = |world: &WaterWorld| -> Vec<bool> {
                world.bounds().positions().map(|cell| world.is_solid(cell)).collect()
            };
            let (before, hash, was) = (ground(&world), world.state_hash(), world.ledger());
            let chunks = |world: &WaterWorld| world.chunks().map(|(at, _)| at).collect::<Vec<_>>();
            let (loaded, rules) = (chunks(&world), *world.rules());
            match world.apply_bytes(&bytes, &limits) {
                Ok(_) => made += 1,
                Err(_) => {
                    assert_eq!(world.state_hash(), hash, "seed {seed}: a refused edit");
                    refused += 1;
                }
            }
            assert_eq!((chunks(&world), *world.rules()), (loaded, rules), "seed {seed}");
            let now = world.ledger();
            let gained = now.placed - was.placed;
            // What is scooped from a spring is there again.
            let sprung = now.injected - was.injected;
            assert!(gained <= 9 + 7 * 12 && sprung <= 9, "seed {seed}: {gained}, {sprung}");
            let cells = world.bounds().positions().zip(before.iter().zip(ground(&world)));
            let changed = cells.filter(|(_, (was, is))| *was != is).map(|(cell, _)| cell);
            let changed: Vec<IVec3> = changed.collect();
            assert!(changed.len() <= 12, "seed {seed}: {} cells", changed.len());
            assert!(changed.iter().all(|&cell| reach.contains(cell)), "seed {seed}: {changed:?}");
        }
    }
    assert!(made > 60 && refused > 300, "{made} made, {refused} refused");
}

/// In lock step, too: the tick of another player is refused as a whole.
#[test]
fn a_recorder_obeys_limits_of_its_own() {
    let new = || Recorder::new(worlds::water(4));
    let (mut host, mut guest) = (new(), new().limits(Limits::default()));
    host.apply(water::Edit::Pour { cell: at(0, 5, 0), units: 1 }).unwrap();
    host.apply(water::Edit::WakeAll).unwrap();
    let before = guest.world().state_hash();
    let refused = guest.apply_bytes(&host.recording().tick_bytes(0)).unwrap_err();
    let error = LimitError::Kind { edit: "WakeAll", kind: EditKinds::WORLD };
    assert_eq!(refused, RecordingError::Limit { nth: 1, error });
    assert_eq!((guest.world().state_hash(), guest.recording().edits().len()), (before, 0));
    let mut other: Recorder<World> = Recorder::new(worlds::materials(4)).limits(Limits::default());
    let bytes = Recorder::new(worlds::materials(4)).recording().tick_bytes(0);
    assert_eq!(other.apply_bytes(&bytes), Ok(0));
}

/// Moisture that is set comes out of nothing, and a cell of rain gives it without end. Limits count
/// units of water alone, and let both pass as edits of moisture.
#[test]
fn moisture_that_is_set_is_the_servers() {
    let limits = Limits { kinds: EditKinds::ALL.without(EditKinds::WORLD), ..Limits::default() };
    let cell = at(1, 1, 1);
    for edit in [
        humidity::Edit::SetHumidity { cell, humidity: 1000.0 },
        humidity::Edit::SetRain { cell, humidity: 1.0 },
    ] {
        let mut world = worlds::materials(3);
        let hash = world.state_hash();
        let refused = world.apply_bytes(&world::Edit::Soil(edit).to_bytes(), &limits);
        let is_of_server = matches!(
            refused,
            Err(ClientEditError::Limit(LimitError::Kind { kind: EditKinds::WORLD, .. }))
        );
        assert!(is_of_server, "{refused:?}");
        assert_eq!(world.state_hash(), hash);
    }
}
