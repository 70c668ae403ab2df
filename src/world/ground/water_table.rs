//! Ground that is moist from the start: the moisture that soil has at rest about a water table.

use crate::chunk::Chunk;
use crate::coords::{ChunkPos, Cube, Shape};
use crate::humidity::UNITS;
use crate::world::ground::content::ChunkContent;
use crate::world::rules::Rules;
use crate::world::rules::limits::{above_at_rest, below_at_rest};
use crate::world::rules::palette::Palette;

impl ChunkContent {
    /// Returns this content, of the chunk at a chunk position, with the moisture that its ground
    /// has at rest around a water table. The highest cell of the table is at the y `level`. Below
    /// the table, the ground is wetter the deeper it lies; above the table, the moisture fades
    /// within a few cells. Use it for ground that is generated beside or below water, or deep down:
    /// such ground is at rest from the start, while dry ground would soak for hundreds of ticks.
    ///
    /// Where the table is level, no moisture flows, through ground of whatever materials. Ground at
    /// or below the table takes no water, and gives none to the [sea](crate::water::Voxel::SEA) or
    /// to full cells. It gives some into open space with room, as a spring does: above such space,
    /// generate dry ground. The moisture of the content is replaced.
    ///
    /// ```
    /// use floodplain::{ChunkPos, glam::IVec3};
    /// use floodplain::world::{ChunkContent, Palette, Rules, World};
    ///
    /// let (palette, rules) = (Palette::natural(), Rules::default());
    /// let [air, soil] = ["air", "soil"].map(|name| palette.id(name).expect("natural"));
    /// let ground = ChunkContent::from_heights(ChunkPos::ZERO, |_, _| 11, |_| soil, air);
    /// let moist = ground.with_water_table(ChunkPos::ZERO, 8, &palette, &rules);
    /// let mut world = World::new(7, palette, rules)?;
    /// world.insert_chunk(ChunkPos::ZERO, moist)?;
    /// let [top, table, foot] = [11, 8, 0].map(|y| world.moisture(IVec3::new(3, y, 3)));
    /// assert!(0 < top && top < table && table < foot);
    /// let report = world.run(100);
    /// assert_eq!(report.changed, 0, "it is at rest");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_water_table(
        self,
        chunk: ChunkPos,
        level: i32,
        palette: &Palette,
        rules: &Rules,
    ) -> ChunkContent {
        let lowest = Cube::cell_at(chunk, 0).y;
        let by_layer: [u32; 16] = core::array::from_fn(|up| {
            at_rest(palette, rules, i64::from(lowest) + up as i64, level)
        });
        let is_soil: Vec<bool> =
            palette.materials().map(|(id, _)| palette.traits(id).is_permeable()).collect();
        let mut moisture = Chunk::uniform(0);
        for (index, units) in moisture.cells_mut().iter_mut().enumerate() {
            let material = usize::from(self.materials.get(index).0);
            if is_soil.get(material) == Some(&true) {
                *units = by_layer[(Cube::cell_at(chunk, index).y - lowest) as usize];
            }
        }
        moisture.canonicalize();
        ChunkContent { moisture: Some(moisture), ..self }
    }
}

/// Returns the units of moisture that soil at `y` has at rest. At the table this is the largest
/// amount that any material soaks up.
fn at_rest(palette: &Palette, rules: &Rules, y: i64, level: i32) -> u32 {
    let capacities = palette.materials().map(|(id, _)| u32::from(palette.traits(id).capacity));
    let mut units = capacities.max().unwrap_or(0) * rules.scale() as u32;
    let cap = (f64::from(rules.soil.cap) * f64::from(UNITS)) as u32;
    let away = y - i64::from(level);
    for _ in 0..away.unsigned_abs() {
        let next = match away > 0 {
            true => above_at_rest(&rules.soil, units),
            false => below_at_rest(&rules.soil, units).min(cap),
        };
        // From here on the amount is constant.
        if next == units {
            break;
        }
        units = next;
    }
    units
}
