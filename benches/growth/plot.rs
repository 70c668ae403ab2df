//! The series as a table in a file, and as two plots side by side, both axes logarithmic.

use super::labels::{self, FAMILY};
use super::{Series, png_file};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

const SIZE: (u32, u32) = (1400, 620);
const COLOURS: [RGBColor; 8] = [
    RGBColor(20, 90, 200),
    RGBColor(110, 170, 235),
    RGBColor(40, 130, 70),
    RGBColor(130, 190, 90),
    RGBColor(200, 60, 30),
    RGBColor(240, 150, 60),
    RGBColor(110, 60, 160),
    RGBColor(190, 130, 210),
];

/// Writes one line for each point: measure, series, count, cost of each.
pub fn table(path: &Path, costs: &[Series], sizes: &[Series]) -> Result<(), Box<dyn Error>> {
    let mut lines = String::from("measure,series,count,each\n");
    for (measure, all) in [("nanoseconds an active cell", costs), ("bytes a chunk", sizes)] {
        for Series { name, points } in all {
            for (count, each) in points {
                writeln!(lines, "{measure},\"{name}\",{count:.0},{each:.2}")?;
            }
        }
    }
    Ok(std::fs::write(path, lines)?)
}

/// Writes both plots as a PNG.
pub fn draw(path: &Path, costs: &[Series], sizes: &[Series]) -> Result<(), Box<dyn Error>> {
    labels::load_font()?;
    let mut bytes = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut bytes, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (left, right) = area.split_horizontally(SIZE.0 / 2);
        chart(
            &left,
            "Time of a step for each active cell",
            ["active cells", "nanoseconds a cell"],
            costs,
        )?;
        chart(&right, "Memory for each chunk", ["chunks", "bytes a chunk"], sizes)?;
        area.present()?;
    }
    Ok(png_file::save(path, &bytes, SIZE)?)
}

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

fn chart(
    area: &Area<'_>,
    title: &str,
    axes: [&str; 2],
    series: &[Series],
) -> Result<(), Box<dyn Error>> {
    let points = || series.iter().flat_map(|series| &series.points);
    // Two decades above the data leave room for the legend.
    let (counts, each) =
        (decades(points().map(|point| point.0), 0), decades(points().map(|point| point.1), 2));
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FAMILY, 22))
        .margin(14)
        .x_label_area_size(46)
        .y_label_area_size(70)
        .build_cartesian_2d(counts.log_scale(), each.log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc(axes[0])
        .y_desc(axes[1])
        .x_label_formatter(&power)
        .y_label_formatter(&power)
        .label_style((FAMILY, 15))
        .axis_desc_style((FAMILY, 17))
        .draw()?;
    for (Series { name, points }, colour) in series.iter().zip(COLOURS) {
        chart
            .draw_series(
                LineSeries::new(points.iter().copied(), colour.stroke_width(2)).point_size(3),
            )?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 24, y)], colour.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE)
        .border_style(RGBColor(200, 200, 200))
        .label_font((FAMILY, 14))
        .draw()?;
    Ok(())
}

/// The range of powers of ten around these numbers, extended by `more` decades at the top.
fn decades(numbers: impl Iterator<Item = f64>, more: i32) -> Range<f64> {
    let (least, most) = numbers
        .fold((f64::MAX, 1.0), |(least, most), number| (number.min(least), number.max(most)));
    10f64.powi(least.log10().floor() as i32)..10f64.powi(most.log10().ceil() as i32 + more)
}

/// Formats a power of ten, in plain figures below 10,000.
fn power(number: &f64) -> String {
    if *number < 1e4 { format!("{number}") } else { format!("10^{:.0}", number.log10()) }
}
