//! Reflection: what an inspector shows, sets and sends, by the names of types and fields alone.

use super::app::{app, request, simulation, spawn, update};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{ReflectComponent, ReflectMessage};
use bevy_reflect::serde::ReflectDeserializer;
use bevy_reflect::structs::DynamicStruct;
use bevy_reflect::{GetPath, PartialReflect, TypeInfo, TypePath, TypeRegistry};
use floodplain::bevy::{EditFailure, FloodplainPlugin, Simulated, StepBudget};
use floodplain::blast::BlastWorld;
use floodplain::glam::IVec3;
use floodplain::humidity::HumidityWorld;
use floodplain::water::{Edit, EditError, Outcome, Rules, Voxel, WaterWorld};
use floodplain::water2d::{self, Water2dWorld};
use floodplain::world::World as Materials;
use floodplain::{Chunk, ChunkPos, Cube, Region, Sheet};
use serde::de::DeserializeSeed;

fn app_with_a_chunk() -> (App, Entity) {
    let mut app = app::<WaterWorld>(FloodplainPlugin::new());
    let mut world = WaterWorld::new(7, Rules::lossless()).unwrap();
    world.insert_chunk(ChunkPos::ZERO, Chunk::uniform(Voxel::OPEN)).unwrap();
    let world = spawn(&mut app, world);
    (app, world)
}

/// Runs `read` with the types that an app has registered.
fn with_types<T>(app: &mut App, read: impl FnOnce(&mut World, &TypeRegistry) -> T) -> T {
    let types = app.world().resource::<AppTypeRegistry>().clone();
    read(app.world_mut(), &types.read())
}

/// Sends an edit of water that is written in JSON, as a tool would that knows no type of it.
fn send(app: &mut App, world: Entity, edit: &str) -> Result<(), String> {
    with_types(app, |app, types| {
        let json = format!(r#"{{"floodplain::water::Edit": {edit}}}"#);
        let mut from = serde_json::Deserializer::from_str(&json);
        let read = ReflectDeserializer::new(types).deserialize(&mut from);
        let mut message = DynamicStruct::default();
        message.insert("world", world);
        message.insert_boxed("edit", read.map_err(|error| error.to_string())?);
        let name = "floodplain::bevy::EditRequest<floodplain::water::WaterWorld>";
        let registration = types.get_with_type_path(name).expect("it is registered");
        let writer = registration.data::<ReflectMessage>().expect("it is a message");
        writer.write_message(app, &message, types);
        Ok(())
    })
}

#[test]
fn a_rule_is_found_and_set_by_its_name_and_the_world_takes_it() {
    let (mut app, world) = app_with_a_chunk();
    let mut rules = *simulation::<WaterWorld>(&app, world).world().rules();
    let fields: Vec<String> = rules
        .as_partial_reflect()
        .reflect_ref()
        .as_struct()
        .expect("rules are a struct")
        .iter_fields()
        .map(|(name, value)| format!("{name}: {value:?}"))
        .collect();
    let shown = ["evaporation: 0.0", "film_evaporation: 0.0", "source_supply: 7", "throughput: 7"];
    assert_eq!(fields[..4], shown);
    assert_eq!(fields[5..], ["pools: true", "many_parents: true"]);

    rules.reflect_path_mut("throughput").unwrap().apply(&3_u8);
    request::<WaterWorld>(&mut app, world, Edit::SetRules(rules));
    assert_eq!(update::<WaterWorld>(&mut app).outcomes[0].result, Ok(Outcome::Done));
    let now = *simulation::<WaterWorld>(&app, world).world().rules();
    assert_eq!(now, Rules { throughput: 3, ..Rules::lossless() });
}

#[test]
fn a_rule_out_of_range_is_refused_when_the_world_takes_it() {
    let (mut app, world) = app_with_a_chunk();
    let mut rules = Rules::lossless();
    *rules.path_mut::<u8>("throughput").unwrap() = 9;
    request::<WaterWorld>(&mut app, world, Edit::SetRules(rules));
    let outcome = update::<WaterWorld>(&mut app).outcomes.remove(0);
    let Err(EditFailure::Refused(EditError::Rules(error))) = outcome.result else {
        panic!("{outcome:?}");
    };
    assert_eq!((error.rule, error.value.as_str()), ("throughput", "9"));
    assert_eq!(simulation::<WaterWorld>(&app, world).world().rules(), &Rules::lossless());
}

#[test]
fn a_budget_is_set_by_reflection_and_holds_from_the_next_update() {
    let (mut app, world) = app_with_a_chunk();
    request::<WaterWorld>(&mut app, world, Edit::Pour { cell: IVec3::new(4, 9, 4), units: 7 });
    update::<WaterWorld>(&mut app);
    app.world_mut().entity_mut(world).insert(StepBudget::default());
    with_types(&mut app, |app, types| {
        let registration = types.get_with_type_path("floodplain::bevy::StepBudget").unwrap();
        let budgets = registration.data::<ReflectComponent>().unwrap();
        budgets.apply(app.entity_mut(world), &StepBudget::Cells(1));
    });
    assert_eq!(app.world().get(world), Some(&StepBudget::Cells(1)));
    update::<WaterWorld>(&mut app);
    let progress = simulation::<WaterWorld>(&app, world);
    assert!(!progress.progress().finished, "a cell is less than the tick takes");
    let shown = progress.path::<bool>("progress.finished").unwrap();
    assert!(!shown, "an inspector shows the same");
}

#[test]
fn edits_are_sent_by_the_names_of_their_types_and_checked_when_they_are_read() {
    let (mut app, world) = app_with_a_chunk();
    let build = r#"{"FillSolid": {"min": [0, 0, 0], "max": [15, 0, 15]}}"#;
    assert_eq!(send(&mut app, world, build), Ok(()));
    assert_eq!(update::<WaterWorld>(&mut app).outcomes[0].result, Ok(Outcome::Units(0)));
    let pour = r#"{"Pour": {"cell": [3, 1, 3], "units": 5}}"#;
    assert_eq!(send(&mut app, world, pour), Ok(()));
    assert_eq!(update::<WaterWorld>(&mut app).outcomes[0].result, Ok(Outcome::Units(5)));
    let water = simulation::<WaterWorld>(&app, world).world();
    assert!(water.is_solid(IVec3::ZERO));
    assert_eq!(water.total(), 5);

    let swapped = r#"{"FillSolid": {"min": [0, 0, 0], "max": [-1, 0, 0]}}"#;
    let refused = send(&mut app, world, swapped).unwrap_err();
    assert!(refused.contains("below its min"), "{refused}");
}

/// Types with fields, by their paths in the crate.
const PLAIN: &str = "
    ChunkPos ColumnPos Progress StepReport bevy::StepBudget
    blast::Edit blast::Ledger blast::Outcome blast::Rules
    humidity::Edit humidity::Ledger humidity::Rules
    water2d::Edit water2d::Ledger water2d::Rules
    water::Edges water::Edit water::EditError water::Fixture water::Ledger
    water::Outcome water::Rules RulesError
    world::ChunkContent world::Edit world::Ledger world::MaterialId world::Rules";

/// The values that keep a law have no fields that reflection could break it by.
#[test]
fn the_plugins_register_their_types_by_public_paths() {
    let mut app = App::new();
    app.add_plugins((
        FloodplainPlugin::<WaterWorld>::new(),
        FloodplainPlugin::<Materials>::new(),
        FloodplainPlugin::<HumidityWorld<Sheet>>::new(),
        FloodplainPlugin::<BlastWorld<Cube>>::new(),
        FloodplainPlugin::<Water2dWorld>::new(),
    ));
    with_types(&mut app, |_, types| {
        has_components::<WaterWorld>(types, "floodplain::water::WaterWorld");
        has_components::<Materials>(types, "floodplain::world::World");
        let sheet = "floodplain::humidity::HumidityWorld<floodplain::Sheet>";
        has_components::<HumidityWorld<Sheet>>(types, sheet);
        let cube = "floodplain::blast::BlastWorld<floodplain::Cube>";
        has_components::<BlastWorld<Cube>>(types, cube);
        has_components::<Water2dWorld>(types, "floodplain::water2d::Water2dWorld");
        for name in PLAIN.split_whitespace() {
            let path = format!("floodplain::{name}");
            let info = types.get_with_type_path(&path).map(|registration| registration.type_info());
            let is_plain = |info: &TypeInfo| !matches!(info, TypeInfo::Opaque(_));
            assert!(info.is_some_and(is_plain), "{path}: {info:?}");
        }
        for path in [
            Region::type_path(),
            Chunk::<Voxel>::type_path(),
            "floodplain::water::ChunkRecord",
            Chunk::<water2d::Cell>::type_path(),
            "floodplain::world::ChunkRecord",
        ] {
            let info = types.get_with_type_path(path).map(|registration| registration.type_info());
            assert!(matches!(info, Some(TypeInfo::Opaque(_))), "{path}: {info:?}");
        }
    });
}

/// Panics unless the types of the plugin are registered for the kind of this name.
fn has_components<W: Simulated>(types: &TypeRegistry, kind: &str) {
    assert_eq!(W::type_path(), kind);
    let of = |name: &str| {
        let path = format!("floodplain::bevy::{name}<{kind}>");
        types.get_with_type_path(&path).unwrap_or_else(|| panic!("{path} is registered"))
    };
    for name in ["ChunkSurface", "SimulationChunk", "SimulationWorld"] {
        assert!(of(name).data::<ReflectComponent>().is_some(), "{name} of {kind}");
    }
    for name in ["EditOutcome", "EditRequest"] {
        assert!(of(name).data::<ReflectMessage>().is_some(), "{name} of {kind}");
    }
}
