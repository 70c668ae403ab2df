//! The values of random calls: bytes that become numbers, positions, pointers and edits, now and
//! then invalid ones.

use floodplain_c::*;
use std::ptr;

/// Bytes that become numbers; zeros at their end.
pub struct Source<'a>(pub &'a [u8]);

impl Source<'_> {
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.byte()) % values.len()]
    }

    /// Returns whether one of eight cases is drawn.
    pub fn rarely(&mut self) -> bool {
        self.byte() % 8 == 7
    }

    pub fn coordinate(&mut self) -> i32 {
        match self.byte() {
            255 => i32::MAX,
            254 => i32::MIN,
            other => i32::from(other % 36) - 2,
        }
    }

    pub fn cell(&mut self) -> [i32; 3] {
        [self.coordinate(), self.coordinate(), self.coordinate()]
    }

    pub fn chunk(&mut self) -> [i32; 3] {
        match self.byte() {
            255 => [i32::MAX; 3],
            other => [i32::from(other % 3), 0, i32::from(other / 8 % 2)],
        }
    }

    pub fn value(&mut self) -> f64 {
        self.pick(&[0.0, 1.0, 0.5, 2.0, 7.0, 90.0, 300.0, -1.0, f64::NAN, f64::INFINITY, 1e30])
    }

    /// Returns a kind of a list, now and then a number that names nothing.
    pub fn tag(&mut self, most: u32) -> u32 {
        if self.rarely() { 4_000_000_000 } else { u32::from(self.byte()) % most }
    }

    /// Returns a pointer to a value, or null.
    pub fn some<T>(&mut self, value: &T) -> *const T {
        if self.rarely() { ptr::null() } else { value }
    }

    /// Returns a place for a value, or null.
    pub fn place<T>(&mut self, value: &mut T) -> *mut T {
        if self.rarely() { ptr::null_mut() } else { value }
    }

    /// Returns a list and a count: what it has or less, or a null list, or an impossible count.
    pub fn list<T>(&mut self, values: &[T]) -> (*const T, usize) {
        match self.byte() % 16 {
            15 => (ptr::null(), values.len()),
            14 => (values.as_ptr(), usize::MAX),
            13 => (values.as_ptr(), values.len() / 2),
            12 => (ptr::null(), 0),
            _ => (values.as_ptr(), values.len()),
        }
    }

    /// Returns room for a list: all of it, less, none, or an impossible one.
    pub fn room<T>(&mut self, values: &mut [T]) -> (*mut T, usize) {
        match self.byte() % 16 {
            15 => (ptr::null_mut(), 5),
            14 => (values.as_mut_ptr(), usize::MAX),
            13 => (values.as_mut_ptr(), 1),
            12 => (ptr::null_mut(), 0),
            _ => (values.as_mut_ptr(), values.len()),
        }
    }

    pub fn edit(&mut self) -> FpEdit {
        const KINDS: [FpEditKind; 35] = {
            use FpEditKind::*;
            [
                SetSolid,
                ClearSolid,
                FillSolid,
                AddSource,
                RemoveSource,
                Pour,
                Scoop,
                FillWater,
                DrainBody,
                FillBody,
                SetSea,
                ClearSea,
                FillSea,
                SetEdge,
                SetFixture,
                Freeze,
                Thaw,
                WakeAll,
                RemoveChunk,
                SetMaterial,
                FillMaterial,
                Rain,
                Charge,
                SetHumidity,
                SetImpermeability,
                SetRain,
                ClearRain,
                SetRock,
                FillCells,
                SetPressure,
                AddPressure,
                FillPressure,
                SetWall,
                FillWall,
                SetLink,
            ]
        };
        let kind = self.pick(&KINDS);
        let is_of_chunk =
            matches!(kind, FpEditKind::Freeze | FpEditKind::Thaw | FpEditKind::RemoveChunk);
        let cell = if is_of_chunk { self.chunk() } else { self.cell() };
        let size = self.pick(&[0, 1, 3, -1, 9]);
        FpEdit {
            kind: if self.rarely() { 77 } else { kind as u32 },
            cell,
            to: cell.map(|axis| axis.saturating_add(size)),
            units: u32::from(self.byte() % 10),
            option: u32::from(self.byte() % 6),
            face: u32::from(self.byte() % 7),
            level: self.coordinate(),
            reserved: 0,
            value: self.value(),
            value2: self.pick(&[1.0, 2.5, 0.5, f64::NAN, 40.0]),
        }
    }
}
