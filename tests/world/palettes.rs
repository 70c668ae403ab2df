//! Palettes and rules that are refused, each by an error of its own.

use floodplain::humidity::{self, Sweep};
use floodplain::world::{
    Couplings, Material, MaterialId, Palette, PaletteError, Rules, RulesError, UnderWater, World,
};
use floodplain::{blast, water};

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
        let error = beside_air(stone().breaking(value, "air"));
        assert!(
            matches!(&error, PaletteError::Strength { material, value: found }
                if *material == name() && found.to_bits() == value.to_bits()),
            "{error}"
        );
    }
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e31, 1e-31] {
        let error = beside_air(stone().permeable(value, 1));
        assert!(
            matches!(&error, PaletteError::Permeability { material, value: found }
                if *material == name() && found.to_bits() == value.to_bits()),
            "{error}"
        );
    }
    let soaking = Material { capacity: 3, ..stone() };
    assert_eq!(beside_air(soaking), PaletteError::Capacity { material: name(), value: 3 });
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
    let refused = |rules: Rules| World::new(7, Palette::natural(), rules).err();
    let rules = Rules::default();
    assert_eq!(refused(rules), None);
    let water = water::Rules { throughput: 9, ..rules.water };
    assert!(matches!(refused(Rules { water, ..rules }), Some(RulesError::Water(_))));
    let soil = humidity::Rules { cap: -1.0, ..rules.soil };
    assert!(matches!(refused(Rules { soil, ..rules }), Some(RulesError::Soil(_))));
    for blast in [blast::Rules::default(), blast::Rules::wave(0.2, 0.99)] {
        assert!(matches!(refused(Rules { blast, ..rules }), Some(RulesError::Blast(_))));
    }
    let soil = humidity::Rules::with_sweep(Sweep::InPlace);
    assert_eq!(refused(Rules { soil, ..rules }), Some(RulesError::Sweep(Sweep::InPlace)));
    let borders = blast::Borders::all(blast::Border::Periodic);
    assert_eq!(refused(Rules { borders, ..rules }), Some(RulesError::Periodic));
    for moisture_per_unit in [0, 1024 * humidity::UNITS + 1, u32::MAX] {
        let error = refused(Rules { moisture_per_unit, ..rules });
        assert!(matches!(error, Some(RulesError::MoisturePerUnit(_))), "{moisture_per_unit}");
    }
    assert_eq!(refused(Rules { soil_period: 0, ..rules }), Some(RulesError::SoilPeriod(0)));
    let coupled = |seepage, depth_gain| {
        let couplings = Couplings { seepage, depth_gain, ..rules.couplings };
        refused(Rules { couplings, ..rules })
    };
    for wrong in [-0.1, 16.1, f64::NAN, f64::INFINITY] {
        assert!(matches!(coupled(wrong, 0.0), Some(RulesError::Seepage(_))), "{wrong}");
        assert!(matches!(coupled(0.0, wrong), Some(RulesError::DepthGain(_))), "{wrong}");
    }
    assert_eq!((coupled(1.0, 16.0), coupled(0.0, 0.0)), (None, None));
    assert_eq!(coupled(1.1, 0.0), Some(RulesError::Seepage(1.1)));
    let many = Rules { blast_steps: 1_001, ..rules };
    assert_eq!(refused(many), Some(RulesError::BlastSteps(1_001)));
    for part in [-0.1, 1.5, f32::NAN] {
        let error = refused(Rules { under_water: UnderWater::Damps(part), ..rules });
        assert!(
            matches!(error, Some(RulesError::Damping(found)) if found.to_bits() == part.to_bits())
        );
    }
    for flow in [0.0, -1.0, 0.0009, f64::NAN, f64::INFINITY] {
        let error = refused(Rules { throw_flow: Some(flow), ..rules });
        assert!(
            matches!(error, Some(RulesError::ThrowFlow(found)) if found.to_bits() == flow.to_bits())
        );
    }
    // Gravel soaks up eight.
    let coarse = Rules { moisture_per_unit: 146 * humidity::UNITS, ..rules };
    let gravel = || "gravel".to_string();
    let error = RulesError::Capacity { material: gravel(), value: 8, most: 6 };
    assert_eq!(refused(coarse), Some(error));
    let soil = humidity::Rules { least_impermeability: 0.625, ..rules.soil };
    let error = RulesError::Permeability { material: gravel(), value: 2.0, most: 1.6 };
    assert_eq!(refused(Rules { soil, ..rules }), Some(error));
}

#[test]
fn every_error_says_what_is_wrong() {
    let errors = [
        PaletteError::Empty.to_string(),
        PaletteError::TooMany(300).to_string(),
        PaletteError::Remains("mud".into()).to_string(),
        RulesError::Capacity { material: "mud".into(), value: 30, most: 16 }.to_string(),
        RulesError::SoilPeriod(0).to_string(),
        RulesError::Seepage(2.0).to_string(),
        RulesError::DepthGain(-1.0).to_string(),
        RulesError::ThrowFlow(-2.0).to_string(),
        RulesError::Damping(-3.0).to_string(),
    ];
    let parts = [
        "one material",
        "300",
        "mud",
        "16 units",
        "1 or more",
        "0 to 1, not 2",
        "0 to 16, not -1",
        "not -2",
        "not -3",
    ];
    for (error, part) in errors.iter().zip(parts) {
        assert!(error.contains(part), "{error}");
    }
}
