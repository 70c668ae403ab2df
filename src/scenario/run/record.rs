//! The record of one tick, and its line of JSON.

use core::fmt::{self, Write};

/// The state of a world after one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The number of ticks run.
    pub tick: u64,
    /// The sum over all cells, counted one by one.
    pub total: f64,
    /// The entries of the account by name: the amounts that entered the world and that left it,
    /// since the start.
    pub account: Vec<(&'static str, f64)>,
    /// Whether the account's total equals the count.
    pub balanced: bool,
    /// Whether the world will not change until the next edit.
    pub at_rest: bool,
    /// The tick since which the world has been at rest; `None` if it is not at rest.
    pub rest_tick: Option<u64>,
    /// The number of cells that the next tick will visit.
    pub active_cells: usize,
    /// The units that moved in the tick.
    pub moved: u64,
    /// The hash of the whole state.
    pub state_hash: u64,
    /// The key of the layers' values in the JSON.
    pub values_name: &'static str,
    /// Every layer, bottom first.
    pub layers: Vec<LayerRecord>,
}

/// One layer of a [`Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRecord {
    /// The layer's y in the drawing.
    pub y: i32,
    /// Rows along +z of values along +x: −1 for solid, −2 for not in the world.
    pub rows: Vec<Vec<f64>>,
}

impl Record {
    /// Returns the record as one line of JSON, without a line break.
    ///
    /// ```
    /// use floodplain::scenario::Scenario;
    /// let text = "automaton = 'water'\nticks = 0\nlayer = [{ rows = ['#3.'] }]";
    /// let scenario = Scenario::from_toml(text)?;
    /// let json = scenario.run()?.records[0].to_json();
    /// assert!(json.starts_with("{\"tick\":0,\"total\":3,\"injected\":0,\"placed\":3,"));
    /// assert!(json.ends_with("\"layers\":[{\"y\":0,\"heights\":[[-1,3,0]]}]}"));
    /// # Ok::<(), floodplain::scenario::ScenarioError>(())
    /// ```
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_json(&mut json);
        json
    }

    fn write_json(&self, out: &mut String) -> fmt::Result {
        write!(out, "{{\"tick\":{},\"total\":{}", self.tick, self.total)?;
        for (name, value) in &self.account {
            write!(out, ",\"{name}\":{value}")?;
        }
        write!(out, ",\"balanced\":{},\"at_rest\":{},\"rest_tick\":", self.balanced, self.at_rest)?;
        match self.rest_tick {
            Some(tick) => write!(out, "{tick}")?,
            None => out.push_str("null"),
        }
        write!(out, ",\"active_cells\":{},\"moved\":{}", self.active_cells, self.moved)?;
        write!(out, ",\"state_hash\":\"{:016x}\",\"layers\":[", self.state_hash)?;
        for (index, layer) in self.layers.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(out, "{comma}{{\"y\":{},\"{}\":[", layer.y, self.values_name)?;
            for (index, row) in layer.rows.iter().enumerate() {
                out.push_str(if index > 0 { ",[" } else { "[" });
                for (index, value) in row.iter().enumerate() {
                    write!(out, "{}{value}", if index > 0 { "," } else { "" })?;
                }
                out.push(']');
            }
            out.push_str("]}");
        }
        out.push_str("]}");
        Ok(())
    }
}
