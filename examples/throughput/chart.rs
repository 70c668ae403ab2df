//! The cells a second of each workload, as bars; those of an earlier run are drawn behind them.

use crate::figures::Figures;
use crate::labels::{self, FAMILY};
use crate::png_file;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const WIDTH: u32 = 1000;
const ROW: u32 = 34;
/// Width of the column of names.
const NAMES: u32 = 170;
/// Where the axis begins, in millions of cells a second.
const LEAST: f64 = 0.01;
const ONE: RGBColor = RGBColor(20, 90, 200);
const MORE: RGBColor = RGBColor(20, 150, 130);
const BEFORE: RGBColor = RGBColor(190, 190, 190);

/// Draws the figures, first row on top.
pub fn draw(path: &Path, figures: &[Figures], before: &[Figures]) -> Result<(), Box<dyn Error>> {
    labels::load_font()?;
    let size = (WIDTH, ROW * figures.len() as u32 + 110);
    let mut bytes = vec![0; (size.0 * size.1 * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut bytes, size).into_drawing_area();
        area.fill(&WHITE)?;
        let rows = figures.len() as f64;
        let mut chart = ChartBuilder::on(&area)
            .caption("Millions of cells a second (grey: before)", (FAMILY, 22))
            .margin(14)
            .margin_right(40)
            .y_label_area_size(NAMES)
            .x_label_area_size(28)
            .build_cartesian_2d((LEAST..most(figures, before)).log_scale(), rows..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .light_line_style(WHITE)
            .label_style((FAMILY, 15))
            .x_label_formatter(&|millions| millions.to_string())
            .draw()?;
        for (at, row) in figures.iter().enumerate() {
            let top = at as f64;
            let mut bar = |value: f64, from: f64, to: f64, colour: RGBColor| {
                let corners = [(LEAST, top + from), (value, top + to)];
                chart.draw_series([Rectangle::new(corners, colour.filled())]).map(drop)
            };
            if let Some(before) = row.same_in(before) {
                bar(before.cells_a_second() / 1e6, 0.1, 0.9, BEFORE)?;
            }
            let colour = if row.threads == 1 { ONE } else { MORE };
            bar(row.cells_a_second() / 1e6, 0.22, 0.78, colour)?;
            let name = match row.threads {
                1 => row.workload.clone(),
                threads => format!("{}, {threads} threads", row.workload),
            };
            let (_, middle) = chart.plotting_area().map_coordinate(&(LEAST, top + 0.5));
            area.draw(&Text::new(name, (14, middle - 9), (FAMILY, 16)))?;
        }
        area.present()?;
    }
    Ok(png_file::save(path, &bytes, size)?)
}

/// Returns where the axis ends, in millions.
fn most(figures: &[Figures], before: &[Figures]) -> f64 {
    let rates = figures.iter().chain(before).map(|row| row.cells_a_second() / 1e6);
    1.3 * rates.fold(1.0, f64::max)
}
