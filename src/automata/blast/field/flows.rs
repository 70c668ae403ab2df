//! Edge planes: a number for each face of each cell of a chunk, either the conductance of the link
//! behind the face or the flow over that link. In full the planes take 64 KB in sheets and 96 KB in
//! cubes, so they are allocated only by the first step that needs them. In a chunk in which all
//! links have weight 1, the flows take half as much.

use super::space::{axis, is_positive};
use crate::automata::blast::BlastShape;
#[cfg(feature = "snapshot")]
use crate::chunk::Chunk;
use crate::coords::{CHUNK_CELLS, Face};

/// By [`Face`] index; then by the cell's index.
pub(crate) type Planes = Box<[[f32; CHUNK_CELLS]]>;

/// The conductance of every link: coefficient times weight, 0 where no pressure passes. At a rigid
/// border the value is irrelevant, since each cell's own pressure is mirrored there.
#[derive(Clone, Default)]
pub(crate) enum Conductances {
    /// Not computed: no step has needed the conductances since the ground changed.
    #[default]
    Unknown,
    /// All links have weight 1.
    Uniform,
    Weighted(Planes),
}

impl Conductances {
    /// Returns the planes; `None` if uniform or unknown.
    pub(crate) fn planes(&self) -> Option<&Planes> {
        if let Conductances::Weighted(planes) = self { Some(planes) } else { None }
    }
}

/// The flow over each link in the last step of the wave rule, by axis, positive towards larger
/// coordinates. A line of n cells has n + 1 links, beginning with the link before the line's first
/// cell.
pub(crate) type LinkFlows = Box<[Vec<f32>]>;

/// The flow out of every cell across every face in the last step of the wave rule.
#[derive(Clone)]
pub(crate) enum ChunkFlows {
    /// One flow for all cells, by face.
    Equal([f32; 6]),
    /// Each link's flow is stored at both its ends, with opposite signs.
    Faces(Planes),
    /// Each link's flow is stored once: half the numbers, for chunks whose links all have weight 1.
    Links(LinkFlows),
}

impl Default for ChunkFlows {
    fn default() -> Self {
        ChunkFlows::Equal([0.0; 6])
    }
}

impl ChunkFlows {
    /// Returns the flows in these planes, one plane for each face.
    #[cfg(feature = "snapshot")]
    pub(crate) fn of(planes: &[Chunk<f32>]) -> ChunkFlows {
        if planes.iter().all(|plane| plane.as_uniform().is_some()) {
            ChunkFlows::Equal(core::array::from_fn(|face| {
                planes.get(face).map_or(0.0, |plane| plane.get(0))
            }))
        } else {
            let cells = |plane: &Chunk<f32>| core::array::from_fn(|index| plane.get(index));
            ChunkFlows::Faces(planes.iter().map(cells).collect())
        }
    }

    /// Returns a plane for each face. Flows of −0 become 0; no step distinguishes the two.
    #[cfg(feature = "snapshot")]
    pub(crate) fn to_chunks<S: BlastShape>(&self) -> Vec<Chunk<f32>> {
        faces::<S>()
            .map(|face| Chunk::from_cells(&self.plane::<S>(face).map(|flow| flow + 0.0)))
            .collect()
    }

    pub(crate) fn at<S: BlastShape>(&self, face: Face, index: usize) -> f32 {
        match self {
            ChunkFlows::Equal(flows) => flows[face.index()],
            ChunkFlows::Faces(planes) => planes[face.index()][index],
            ChunkFlows::Links(links) => signed(face, links[axis(face)][link_at::<S>(face, index)]),
        }
    }

    /// Sets the flow out of a cell across a face.
    pub(crate) fn set<S: BlastShape>(&mut self, face: Face, index: usize, flow: f32) {
        match self {
            ChunkFlows::Links(links) => {
                links[axis(face)][link_at::<S>(face, index)] = signed(face, flow)
            }
            _ => self.faces_mut::<S>()[face.index()][index] = flow,
        }
    }

    fn plane<S: BlastShape>(&self, face: Face) -> [f32; CHUNK_CELLS] {
        core::array::from_fn(|index| self.at::<S>(face, index))
    }

    /// Converts to storage by face, and returns the planes.
    pub(crate) fn faces_mut<S: BlastShape>(&mut self) -> &mut Planes {
        if !matches!(self, ChunkFlows::Faces(_)) {
            *self = ChunkFlows::Faces(faces::<S>().map(|face| self.plane::<S>(face)).collect());
        }
        match self {
            ChunkFlows::Faces(planes) => planes,
            _ => unreachable!("made so above"),
        }
    }

    /// Converts to storage by link, and returns the flows of the links.
    pub(crate) fn links_mut<S: BlastShape>(&mut self) -> &mut LinkFlows {
        if !matches!(self, ChunkFlows::Links(_)) {
            let mut links: LinkFlows = (0..S::NEIGHBOURS / 2)
                .map(|along| vec![0.0; CHUNK_CELLS + (CHUNK_CELLS >> S::BITS[along])])
                .collect();
            for face in faces::<S>() {
                for index in 0..CHUNK_CELLS {
                    links[axis(face)][link_at::<S>(face, index)] =
                        signed(face, self.at::<S>(face, index));
                }
            }
            *self = ChunkFlows::Links(links);
        }
        match self {
            ChunkFlows::Links(links) => links,
            _ => unreachable!("made so above"),
        }
    }

    /// Returns all flows, face by face in order of the cells.
    pub(crate) fn values<S: BlastShape>(&self) -> impl Iterator<Item = f32> {
        faces::<S>()
            .flat_map(move |face| (0..CHUNK_CELLS).map(move |index| self.at::<S>(face, index)))
    }

    /// Returns whether any flow is at least `least` in absolute value.
    pub(crate) fn reach(&self, least: f32) -> bool {
        match self {
            ChunkFlows::Equal(flows) => reaches(flows, least),
            ChunkFlows::Faces(planes) => planes.iter().any(|plane| reaches(plane, least)),
            ChunkFlows::Links(links) => links.iter().any(|links| reaches(links, least)),
        }
    }

    /// Returns whether any flow is not 0.
    pub(crate) fn is_moving(&self) -> bool {
        self.reach(f32::from_bits(1))
    }

    /// Returns the number of bytes on the heap.
    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            ChunkFlows::Equal(_) => 0,
            ChunkFlows::Faces(planes) => size_of_val(&**planes),
            ChunkFlows::Links(links) => links.iter().map(|links| size_of_val(&**links)).sum(),
        }
    }
}

/// Returns the faces across which cells are linked.
fn faces<S: BlastShape>() -> impl Iterator<Item = Face> {
    Face::ALL.into_iter().take(S::NEIGHBOURS)
}

/// Converts an outflow across a face to a flow towards larger coordinates, and back.
fn signed(face: Face, flow: f32) -> f32 {
    if is_positive(face) { flow } else { -flow }
}

/// Returns the index, among the links along the face's axis, of the link behind a face of a cell.
fn link_at<S: BlastShape>(face: Face, index: usize) -> usize {
    let (stride, bits) = (S::STRIDES[axis(face)], S::BITS[axis(face)]);
    let before = index + index / (stride << bits) * stride;
    if is_positive(face) { before + stride } else { before }
}

/// Returns whether any number is at least `least` in absolute value.
pub(crate) fn reaches(numbers: &[f32], least: f32) -> bool {
    // Each block is vectorised, with an early exit between blocks.
    numbers
        .chunks(64)
        .any(|block| block.iter().fold(false, |any, number| any | (number.abs() >= least)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coords::{ChunkPos, Cube, Sheet};

    fn flows_are_the_same_in_every_form<S: BlastShape>() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut flows = ChunkFlows::default();
        flows.links_mut::<S>().iter_mut().flatten().for_each(|link| *link = rng.f32() - 0.5);
        let by_link: Vec<f32> = flows.values::<S>().collect();
        for (index, face) in
            (0..CHUNK_CELLS).flat_map(|index| faces::<S>().map(move |face| (index, face)))
        {
            let there = S::cell_at(ChunkPos::ZERO, index) + face.offset();
            if S::chunk_of(there) == ChunkPos::ZERO {
                let back = flows.at::<S>(face.opposite(), S::index_of(there));
                assert_eq!(back, -flows.at::<S>(face, index), "{face:?} of {index}");
            }
        }
        flows.faces_mut::<S>();
        assert!(
            matches!(flows, ChunkFlows::Faces(_))
                && by_link.iter().copied().eq(flows.values::<S>())
        );
        flows.links_mut::<S>();
        assert!(
            matches!(flows, ChunkFlows::Links(_))
                && by_link.iter().copied().eq(flows.values::<S>())
        );

        let mut by_face = flows.clone();
        by_face.faces_mut::<S>();
        for mut flows in [flows, by_face] {
            flows.set::<S>(Face::West, 5, 2.0);
            assert_eq!(
                [flows.at::<S>(Face::West, 5), flows.at::<S>(Face::East, 5)],
                [2.0, by_link[CHUNK_CELLS + 5]]
            );
        }
    }

    #[test]
    fn flows_are_the_same_in_every_form_in_both_shapes() {
        flows_are_the_same_in_every_form::<Sheet>();
        flows_are_the_same_in_every_form::<Cube>();
    }
}
