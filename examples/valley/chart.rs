//! The hydrograph.

use crate::labels::FAMILY;
use crate::png_file;
use floodplain::water::Ledger;
use plotters::prelude::*;
use std::path::Path;

const SIZE: (u32, u32) = (1000, 560);

/// The ledger at some ticks of the run, in order.
pub type Record = Vec<(u64, Ledger)>;

/// Draws the water that was stored, came in and left against ticks, with a line at `storm_end`.
pub fn hydrograph(path: &Path, record: &Record, storm_end: u64) -> Result<(), String> {
    let mut bytes = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    plot(&mut bytes, record, storm_end).map_err(|error| error.to_string())?;
    png_file::save(path, &bytes, SIZE)
}

fn plot(
    bytes: &mut [u8],
    record: &Record,
    storm_end: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    type Account = (&'static str, RGBColor, fn(&Ledger) -> u64);
    let accounts: [Account; 4] = [
        ("rain and springs", RGBColor(120, 120, 120), |ledger| ledger.placed + ledger.injected),
        ("stored", RGBColor(20, 90, 200), |ledger| ledger.total()),
        ("drained", RGBColor(220, 110, 20), |ledger| ledger.drained),
        ("evaporated", RGBColor(40, 150, 80), |ledger| ledger.evaporated),
    ];
    let last = record.last().map_or(0, |&(tick, _)| tick).max(1);
    let most =
        record.iter().map(|(_, ledger)| ledger.placed + ledger.injected).max().unwrap_or(0).max(1);
    let area = BitMapBackend::with_buffer(bytes, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Hydrograph: a storm, then springs", (FAMILY, 24))
        .margin(16)
        .x_label_area_size(48)
        .y_label_area_size(78)
        .build_cartesian_2d(0.0..last as f64, 0.0..most as f64 * 1.05)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("ticks")
        .y_desc("units of water (7 fill a voxel)")
        .x_label_formatter(&|&ticks| short(ticks))
        .y_label_formatter(&|&units| short(units))
        .label_style((FAMILY, 15))
        .axis_desc_style((FAMILY, 17))
        .draw()?;
    let end = storm_end as f64;
    chart.draw_series([PathElement::new(
        [(end, 0.0), (end, most as f64 * 1.05)],
        RGBColor(190, 190, 190),
    )])?;
    for (name, colour, units) in accounts {
        let points = record.iter().map(|(tick, ledger)| (*tick as f64, units(ledger) as f64));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 22, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .margin(12)
        .legend_area_size(30)
        .background_style(WHITE)
        .border_style(RGBColor(190, 190, 190))
        .label_font((FAMILY, 16))
        .draw()?;
    area.present()?;
    Ok(())
}

/// Formats a number with three or four digits.
fn short(value: f64) -> String {
    match value {
        1e6.. => format!("{}M", (value / 1e4).round() / 100.0),
        1e4.. => format!("{}k", (value / 1e3).round()),
        _ => format!("{}", (value * 100.0).round() / 100.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_any_length_has_a_hydrograph() {
        crate::labels::load_font().unwrap();
        let mut bytes = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
        for ticks in [0, 1, 3_000_000] {
            let record = vec![(0, Ledger::default()), (ticks, Ledger::default())];
            plot(&mut bytes, &record, ticks / 2).unwrap();
        }
        plot(&mut bytes, &Vec::new(), 0).unwrap();
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 250.0, 25_000.0, 1_250_000.0].map(short), ["0", "250", "25k", "1.25M"]);
    }
}
