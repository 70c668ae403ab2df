//! A number for each face of each cell of a chunk: what its links conduct, and what flows over them. In full that is 64 KB in
//! sheets and 96 KB in cubes, so it is kept in full only from the first step that needs it.

use super::kernel::reaches;
#[cfg(feature = "snapshot")]
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Face};

/// By [`Face`] index; then by the cell's index.
pub(super) type Planes = Box<[[f32; CHUNK_CELLS]]>;

/// What every link of every cell conducts: coefficient times weight, 0 where nothing passes.
#[derive(Clone, Default)]
pub(super) enum Conductances {
    /// No step has needed them.
    #[default]
    Unknown,
    /// All links are whole.
    Whole,
    Each(Planes),
}

impl Conductances {
    /// None if all links are whole, or nothing is known of them.
    pub(super) fn planes(&self) -> Option<&Planes> {
        if let Conductances::Each(planes) = self { Some(planes) } else { None }
    }
}

/// What flowed out of every cell across every face in the last step of the wave rule. Each link's flow stands at both its
/// ends, with opposite signs.
#[derive(Clone, Default)]
pub(super) struct ChunkFlows {
    /// Of all cells alike, by face; of no meaning once there are planes.
    equal: [f32; 6],
    each: Option<Planes>,
}

impl ChunkFlows {
    /// The flows that stand in these planes, one for each face.
    #[cfg(feature = "snapshot")]
    pub(super) fn of(planes: &[Chunk<f32>]) -> ChunkFlows {
        let mut flows = ChunkFlows::default();
        if planes.iter().all(|plane| plane.as_uniform().is_some()) {
            flows.equal.iter_mut().zip(planes).for_each(|(flow, plane)| *flow = plane.get(0));
        } else {
            let cells = |plane: &Chunk<f32>| core::array::from_fn(|index| plane.get(index));
            flows.each = Some(planes.iter().map(cells).collect());
        }
        flows
    }

    /// A plane for each of so many faces. Flows of −0 are 0 in them: no step tells them apart.
    #[cfg(feature = "snapshot")]
    pub(super) fn to_chunks(&self, faces: usize) -> Vec<Chunk<f32>> {
        match &self.each {
            Some(planes) => planes.iter().map(|plane| Chunk::from_cells(&plane.map(|flow| flow + 0.0))).collect(),
            None => self.equal[..faces].iter().map(|flow| Chunk::uniform(flow + 0.0)).collect(),
        }
    }

    pub(super) fn at(&self, face: Face, index: usize) -> f32 {
        self.each.as_ref().map_or(self.equal[face.index()], |planes| planes[face.index()][index])
    }

    /// All of them, to change, for so many faces.
    pub(super) fn planes_mut(&mut self, faces: usize) -> &mut Planes {
        self.each.get_or_insert_with(|| self.equal[..faces].iter().map(|&flow| [flow; CHUNK_CELLS]).collect())
    }

    /// Those of so many faces: face by face, then in order of the cells.
    pub(super) fn values(&self, faces: usize) -> impl Iterator<Item = f32> {
        let of_face = move |&face: &Face| (0..CHUNK_CELLS).map(move |index| self.at(face, index));
        Face::ALL.split_at(faces).0.iter().flat_map(of_face)
    }

    /// The sum of what flows across so many faces, whichever way.
    pub(super) fn size(&self, faces: usize) -> f64 {
        let sum = |flows: &[f32]| flows.iter().map(|flow| f64::from(flow.abs())).sum::<f64>();
        match &self.each {
            Some(planes) => planes.iter().map(|plane| sum(plane)).sum(),
            None => sum(&self.equal[..faces]) * CHUNK_CELLS as f64,
        }
    }

    /// Whether one of them, up or down, is as large as this.
    pub(super) fn reach(&self, least: f32) -> bool {
        match &self.each {
            Some(planes) => planes.iter().any(|plane| reaches(plane, least)),
            None => self.equal.iter().any(|flow| flow.abs() >= least),
        }
    }

    /// Whether there is any.
    pub(super) fn is_moving(&self) -> bool {
        self.reach(f32::from_bits(1))
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.each.as_deref().map_or(0, size_of_val)
    }
}
