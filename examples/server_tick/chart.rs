//! The time of each tick, and the cells awake, against game time.

use crate::figures::Tick;
use crate::game::{EVENTS, LENGTH};
use crate::labels::{self, FAMILY};
use crate::png_file;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

const SIZE: (u32, u32) = (1200, 800);
const WATER: RGBColor = RGBColor(20, 90, 200);
const UNFINISHED: RGBColor = RGBColor(220, 110, 20);
const GREY: RGBColor = RGBColor(150, 150, 150);

type Area<'a> = DrawingArea<BitMapBackend<'a>, Shift>;

/// Draws a run of so many seconds.
pub fn draw(path: &Path, ticks: &[Tick], seconds: u64) -> Result<(), Box<dyn Error>> {
    labels::load_font()?;
    let mut bytes = vec![0; (SIZE.0 * SIZE.1 * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut bytes, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let (upper, lower) = area.split_vertically(SIZE.1 * 3 / 5);
        times(&upper, ticks, seconds as f64)?;
        awake(&lower, ticks, seconds as f64)?;
        area.present()?;
    }
    Ok(png_file::save(path, &bytes, SIZE)?)
}

/// The second of a tick.
fn second(at: usize, ticks: &[Tick], seconds: f64) -> f64 {
    at as f64 * seconds / ticks.len() as f64
}

/// A dot for each tick: blue if it completed a tick of the water, orange if time ran out.
fn times(area: &Area<'_>, ticks: &[Tick], seconds: f64) -> Result<(), Box<dyn Error>> {
    let of = |tick: &Tick| 1e3 * tick.water.as_secs_f64();
    let most = ticks.iter().map(of).fold(8.0, f64::max) * 1.15;
    let mut chart = ChartBuilder::on(area)
        .caption(
            "The water's part of a server tick, 5 ms at most (orange: more is left)",
            (FAMILY, 22),
        )
        .margin(14)
        .x_label_area_size(28)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..seconds, 0.0..most)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .y_desc("milliseconds")
        .label_style((FAMILY, 15))
        .axis_desc_style((FAMILY, 17))
        .draw()?;
    chart.draw_series([PathElement::new([(0.0, 5.0), (seconds, 5.0)], GREY)])?;
    for event in EVENTS {
        let at = event.when as f64 / LENGTH as f64 * seconds;
        chart.draw_series([PathElement::new([(at, 0.0), (at, most)], GREY)])?;
        let label = Text::new(event.name, (at + seconds / 300.0, most * 0.98), (FAMILY, 15));
        chart.draw_series([label])?;
    }
    let dots = ticks.iter().enumerate().map(|(at, tick)| {
        let colour = if tick.is_complete { WATER } else { UNFINISHED };
        Circle::new((second(at, ticks, seconds), of(tick)), 2, colour.filled())
    });
    chart.draw_series(dots)?;
    Ok(())
}

fn awake(area: &Area<'_>, ticks: &[Tick], seconds: f64) -> Result<(), Box<dyn Error>> {
    let most = ticks.iter().map(|tick| tick.awake).max().unwrap_or(0).max(1) as f64 * 1.1;
    let mut chart = ChartBuilder::on(area)
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..seconds, 0.0..most)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("seconds of game time")
        .y_desc("cells awake")
        .y_label_formatter(&|cells| format!("{:.0}k", cells / 1e3))
        .label_style((FAMILY, 15))
        .axis_desc_style((FAMILY, 17))
        .draw()?;
    let points = ticks.iter().enumerate();
    let points = points.map(|(at, tick)| (second(at, ticks, seconds), tick.awake as f64));
    chart.draw_series(LineSeries::new(points, WATER.stroke_width(2)))?;
    Ok(())
}
