//! The layout of the structs: no size or offset moves, for programs that were built before, or that
//! name offsets by hand, as those of Java do.

use core::mem::{align_of, offset_of, size_of};
use floodplain_c::*;

macro_rules! sizes {
    ($($type:ident $size:literal)+) => {
        [$((stringify!($type), size_of::<$type>(), $size)),+]
    };
}

#[test]
#[cfg(target_pointer_width = "64")]
fn structs_have_the_sizes_of_the_header() {
    let sizes = sizes! {
        FpActivity 40 FpBlastCell 56 FpBlastRules 32 FpBody 32 FpBroken 48 FpChunkChanges 528
        FpContent 64 FpEdge 8 FpEdit 64 FpEditReport 72 FpFall 16 FpHumidityCell 16
        FpHumidityRules 52 FpLimits 72 FpMaterial 32 FpMaterialsCell 16 FpMaterialsLedger 64
        FpMaterialsRules 248 FpMesh 64 FpOutcome 48 FpProbe 56 FpProgress 40 FpRegion 24
        FpSaveReport 24 FpStepReport 24 FpSubmerged 16 FpWaterLedger 80 FpWaterRules 80
    };
    for (name, found, wanted) in sizes {
        assert_eq!(found, wanted, "{name}");
        let header = include_str!("../cbindgen.toml");
        assert!(header.contains(&format!("FP_LAYOUT({name}, {wanted});")), "{name}");
    }
    assert_eq!(size_of::<FpStatus>(), 4);
    assert_eq!(align_of::<FpHumidityRules>(), 4);
}

#[test]
fn fields_have_their_offsets() {
    let edit = [
        offset_of!(FpEdit, cell),
        offset_of!(FpEdit, to),
        offset_of!(FpEdit, units),
        offset_of!(FpEdit, option),
        offset_of!(FpEdit, face),
        offset_of!(FpEdit, level),
        offset_of!(FpEdit, value),
        offset_of!(FpEdit, value2),
    ];
    assert_eq!(edit, [4, 16, 28, 32, 36, 40, 48, 56]);
    let outcome = [
        offset_of!(FpOutcome, changed),
        offset_of!(FpOutcome, units),
        offset_of!(FpOutcome, moved),
        offset_of!(FpOutcome, removed),
        offset_of!(FpOutcome, material),
        offset_of!(FpOutcome, moisture),
        offset_of!(FpOutcome, value),
    ];
    assert_eq!(outcome, [4, 8, 16, 20, 24, 32, 40]);
    let rules = [
        offset_of!(FpMaterialsRules, water),
        offset_of!(FpMaterialsRules, soil),
        offset_of!(FpMaterialsRules, borders),
        offset_of!(FpMaterialsRules, blast),
        offset_of!(FpMaterialsRules, moisture_per_unit),
        offset_of!(FpMaterialsRules, under_water),
        offset_of!(FpMaterialsRules, throw_flow),
        offset_of!(FpMaterialsRules, depth_gain),
    ];
    assert_eq!(rules, [8, 88, 140, 152, 184, 216, 224, 240]);
    assert_eq!([offset_of!(FpEditReport, outcome), offset_of!(FpProgress, finished)], [24, 32]);
    assert_eq!([offset_of!(FpProbe, impulse), offset_of!(FpProbe, exposure)], [24, 48]);
}

#[test]
fn constants_are_those_of_the_library() {
    use floodplain::snapshot::Kind;
    use floodplain::water::Voxel;
    let words = [Voxel::SOLID, Voxel::OPEN, Voxel::SEA].map(Voxel::word);
    assert_eq!(words, [FP_WORD_SOLID, FP_WORD_OPEN, FP_WORD_SEA]);
    assert_eq!(FP_WORD_SPRING, Voxel::water(floodplain::water::WaterCell::SOURCE).word());
    assert_eq!(FP_WORD_SPRING & 64, 64);
    assert_eq!(FP_ROCK, floodplain::humidity::ROCK);
    assert_eq!(FP_CHUNK_CELLS, floodplain::CHUNK_CELLS);
    let kinds = [
        (FpKind::Water, Kind::Water),
        (FpKind::HumiditySheet, Kind::HumiditySheet),
        (FpKind::HumidityCube, Kind::HumidityCube),
        (FpKind::BlastSheet, Kind::BlastSheet),
        (FpKind::BlastCube, Kind::BlastCube),
        (FpKind::Materials, Kind::World),
    ];
    assert!(kinds.iter().all(|&(here, there)| here as u32 == u32::from(there.number())));
    assert_eq!(fp_interface_version(), FP_INTERFACE_VERSION);
}
