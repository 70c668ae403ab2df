//! Reading a water world: cells, currents, totals, what changed, and the hash of its state.

use crate::automaton::{ChunkChanges, StateHash};
use crate::chunk::Chunk;
use crate::coords::Region;
use crate::water::WaterWorld;
use crate::water::cell::{FULL, WaterCell};
use crate::water::ledger::Ledger;
use crate::water::rules::Rules;
use crate::water::voxel::Voxel;
use glam::IVec3;

impl WaterWorld {
    /// The world's rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The cells that belong to the world, loaded or not.
    pub fn bounds(&self) -> Region {
        self.store.bounds()
    }

    /// The seed of all its random choices.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Ticks run so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// What stands in a cell; `None` if it is not loaded or out of bounds.
    pub fn voxel(&self, cell: IVec3) -> Option<Voxel> {
        self.place(cell).ok().map(|place| self.store.read(place).between_ticks(FULL))
    }

    /// The water of an open cell; `None` if it is solid, not loaded or out of bounds.
    pub fn cell(&self, cell: IVec3) -> Option<WaterCell> {
        self.voxel(cell).and_then(Voxel::cell)
    }

    /// Units of water in a cell, 0 to 7; 0 where there is no open cell.
    pub fn height(&self, cell: IVec3) -> u8 {
        self.place(cell).map_or(0, |place| self.store.read(place).height())
    }

    /// Whether a cell is solid ground; `false` if it is not loaded.
    pub fn is_solid(&self, cell: IVec3) -> bool {
        self.place(cell).is_ok_and(|place| self.store.read(place).is_solid())
    }

    /// How water flowed out of a cell in the last step: units along x, y and z, each −7 to 7. Zero
    /// in still water. For drawing currents and pushing things. While a tick is underway, what
    /// has flowed in it so far: ask when [`backlog`](WaterWorld::backlog) is 0.
    pub fn current(&self, cell: IVec3) -> IVec3 {
        self.place(cell).map_or(IVec3::ZERO, |place| self.work.current(place))
    }

    /// Units of water in the world.
    pub fn total(&self) -> u64 {
        self.ledger.total()
    }

    /// The account of all water that entered and left.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// Whether nothing will change until the next edit: no cell is awake, and no tick underway.
    pub fn is_at_rest(&self) -> bool {
        !self.is_underway() && self.awake_cells() == 0
    }

    /// Cells that the next step will look at.
    pub fn awake_cells(&self) -> usize {
        self.store.grid().awake_cells()
    }

    /// The chunks with cells that changed since this was last asked, in order of position, with
    /// those cells. Loading and unloading is not listed.
    pub fn take_changes(&mut self) -> Vec<ChunkChanges> {
        ChunkChanges::list(self.store.take_changes())
    }

    /// The chunks that are loaded, in order of position. Cells beyond the world's bounds have no
    /// water. While a tick goes on they hold what it works with: two cells without water may be
    /// two different voxels.
    pub fn chunks(&self) -> impl Iterator<Item = (IVec3, &Chunk<Voxel>)> {
        self.store.grid().chunks()
    }

    /// A chunk, by its chunk position; `None` if it is not loaded. As
    /// [`chunks`](WaterWorld::chunks) has it.
    pub fn chunk(&self, position: IVec3) -> Option<&Chunk<Voxel>> {
        self.store.grid().chunk(position)
    }

    /// Bytes that the world holds, those of the last step's flow included.
    pub fn memory_bytes(&self) -> usize {
        self.store.memory_bytes() + self.work.memory_bytes() + self.unfinished.memory_bytes()
    }

    /// A hash of the state that decides the future: seed, ticks, ledger, and every cell of every
    /// chunk in order of position. While a tick is underway it stays what it was when the tick
    /// began, and so it is in a world that was saved meanwhile and loaded. The same on every
    /// platform; independent of the order in which chunks were loaded. Rules and bounds are not
    /// part of it.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        let ledger = self.ledger_before();
        for value in [
            self.seed,
            self.tick,
            ledger.placed,
            ledger.injected,
            ledger.removed,
            ledger.drained,
            ledger.evaporated,
        ] {
            hash.add(value);
        }
        for slot in self.store.grid().sorted_slots() {
            hash.add_position(self.store.grid().position_at(slot));
            hash.add_chunk::<_, 4>(&self.cells_before(slot), |voxel| u64::from(voxel.word()));
        }
        hash.finish()
    }
}
