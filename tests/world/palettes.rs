//! Palettes and rules that are refused, each by an error of its own.

use floodplain::humidity::{self, Sweep};
use floodplain::world::{
    Couplings, Material, MaterialId, Palette, PaletteError, Rules, UnderWater, World,
};
use floodplain::{blast, water};
use std::fmt::Display;

fn refused(materials: impl IntoIterator<Item = Material>) -> PaletteError {
    Palette::new(materials).unwrap_err()
}

/// A second material beside air.
fn beside_air(material: Material) -> PaletteError {
    refused([Material::open("air"), material])
}

#[test]
fn materials_out_of_range_are_refused_by_name() {
    let stone = || Material::solid("stone");
    let name = || "stone".to_string();
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let error = beside_air(stone().breaking(value, "air")).to_string();
        assert_eq!(error, format!(r#"strength is a number above 0 in "stone", not {value}"#));
    }
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e31, 1e-31] {
        let error = beside_air(stone().permeable(value, 1)).to_string();
        let wanted = r#"permeability is 1e-30 to 1e30 in "stone""#;
        assert_eq!(error, format!("{wanted}, not {value:e}"));
    }
    let soaking = Material { capacity: 3, ..stone() };
    let error = r#"capacity is 0 without a permeability in "stone", not 3"#;
    assert_eq!(beside_air(soaking).to_string(), error);
    let strong = Material { strength: Some(1.0), ..stone() };
    assert_eq!(beside_air(strong), PaletteError::Remains(name()));
    let weak = Material { breaks_into: Some("air".into()), ..stone() };
    assert_eq!(beside_air(weak), PaletteError::Remains(name()));
    let unknown = PaletteError::Unknown { material: name(), breaks_into: "dust".into() };
    assert_eq!(beside_air(stone().breaking(1.0, "dust")), unknown);
    assert_eq!(beside_air(stone().breaking(1.0, "stone")), PaletteError::Circle(name()));
    let open = || Material::open("stone");
    for open in [open().permeable(1.0, 0), open().breaking(1.0, "air")] {
        assert_eq!(beside_air(open), PaletteError::Open(name()));
    }
    assert_eq!(beside_air(Material::open("air")), PaletteError::Duplicate("air".into()));
    assert_eq!(beside_air(Material::open("")), PaletteError::Nameless(MaterialId(1)));
    assert_eq!(refused([]), PaletteError::Empty);
    let many = |count: usize| (0..count).map(|index| Material::solid(index.to_string()));
    assert_eq!(refused(many(257)), PaletteError::TooMany(257));
    assert_eq!(Palette::new(many(256)).map(|palette| palette.len()), Ok(256));
}

#[test]
fn rules_out_of_range_are_refused_by_name() {
    let error = |rules: Rules| World::new(7, Palette::natural(), rules).err();
    let refused = |rules: Rules| error(rules).map(|error| error.to_string());
    let names = |rules: Rules, rule: &str, value: &dyn Display| {
        let error = error(rules).unwrap();
        assert_eq!((error.part, error.rule, error.value), (None, rule, value.to_string()));
    };
    let part = |rules: Rules| error(rules).map(|error| (error.part.unwrap(), error.rule));
    let rules = Rules::default();
    assert_eq!(refused(rules), None);
    let water = water::Rules { throughput: 9, ..rules.water };
    assert_eq!(part(Rules { water, ..rules }), Some(("water", "throughput")));
    let soil = humidity::Rules { cap: -1.0, ..rules.soil };
    assert_eq!(part(Rules { soil, ..rules }), Some(("soil", "cap")));
    let blast = blast::Rules::default();
    assert_eq!(part(Rules { blast, ..rules }), Some(("blast", "coefficient")));
    let blast = blast::Rules::wave(0.2, 0.99);
    assert_eq!(part(Rules { blast, ..rules }), Some(("blast", "damping")));
    let soil = humidity::Rules::with_sweep(Sweep::InPlace);
    assert_eq!(part(Rules { soil, ..rules }), Some(("soil", "sweep")));
    let borders = blast::Borders::all(blast::Border::Periodic);
    names(Rules { borders, ..rules }, "borders", &"Periodic");
    for moisture_per_unit in [0, 1024 * humidity::UNITS + 1, u32::MAX] {
        names(Rules { moisture_per_unit, ..rules }, "moisture_per_unit", &moisture_per_unit);
    }
    names(Rules { soil_period: 0, ..rules }, "soil_period", &0);
    let coupled = |seepage, depth_gain| {
        let couplings = Couplings { seepage, depth_gain, ..rules.couplings };
        Rules { couplings, ..rules }
    };
    for wrong in [-0.1, 1.1, 16.1, f64::NAN, f64::INFINITY] {
        names(coupled(wrong, 0.0), "seepage", &wrong);
    }
    for wrong in [-0.1, 16.1, f64::NAN, f64::INFINITY] {
        names(coupled(0.0, wrong), "depth_gain", &wrong);
    }
    assert_eq!((refused(coupled(1.0, 16.0)), refused(coupled(0.0, 0.0))), (None, None));
    names(Rules { blast_steps: 1_001, ..rules }, "blast_steps", &1_001);
    names(Rules { blast_reach: 65, ..rules }, "blast_reach", &65);
    names(Rules { blast_fading: 1.5, ..rules }, "blast_fading", &1.5);
    for part in [-0.1, 1.5, f32::NAN] {
        names(Rules { under_water: UnderWater::Damps(part), ..rules }, "under_water", &part);
    }
    for flow in [0.0, -1.0, 0.0009, f64::NAN, f64::INFINITY] {
        names(Rules { throw_flow: Some(flow), ..rules }, "throw_flow", &flow);
    }
    // Gravel soaks up eight.
    let coarse = Rules { moisture_per_unit: 146 * humidity::UNITS, ..rules };
    let error = r#"capacity is at most 6 units in "gravel", not 8"#;
    assert_eq!(refused(coarse).as_deref(), Some(error));
    let soil = humidity::Rules { least_impermeability: 0.625, ..rules.soil };
    let error = r#"permeability is at most 1.6 in "gravel", not 2"#;
    assert_eq!(refused(Rules { soil, ..rules }).as_deref(), Some(error));
}

#[test]
fn every_error_says_what_is_wrong() {
    let errors = [
        PaletteError::Empty.to_string(),
        PaletteError::TooMany(300).to_string(),
        PaletteError::Remains("mud".into()).to_string(),
    ];
    for (error, part) in errors.iter().zip(["one material", "300", "mud"]) {
        assert!(error.contains(part), "{error}");
    }
}
