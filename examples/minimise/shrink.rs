//! Makes a case less, as long as it breaks the same law: fewer edits by delta debugging, then each
//! edit, its tick, its chunks and cells, and the world, until nothing more can go.

use crate::case::{Begin, Case};
use crate::ddmin::ddmin;
use crate::laws::{self, Broken};
use floodplain::glam::IVec3;
use floodplain::water::{Edit, Rules, Voxel};
use floodplain::{CHUNK_CELLS, Chunk, Cube, Face, Region, Shape};
use indicatif::ProgressBar;

/// The most cases that are tried.
const MOST: u64 = 40_000;

/// A case that breaks a law, while it is made less.
pub struct Shrinker<'p> {
    pub case: Case,
    pub broken: Broken,
    /// How many cases were tried.
    pub tried: u64,
    bar: &'p ProgressBar,
}

impl<'p> Shrinker<'p> {
    pub fn new(case: Case, broken: Broken, bar: &'p ProgressBar) -> Shrinker<'p> {
        Shrinker { case, broken, tried: 0, bar }
    }

    /// Makes the case as little as it gets.
    pub fn run(&mut self) {
        self.cut();
        if matches!(self.case.begin, Begin::Saved(_)) {
            self.accept(self.case.by_edits());
        }
        let mut size = u64::MAX;
        while self.case.size() < size && self.tried < MOST {
            size = self.case.size();
            self.edits();
            self.each_edit();
            self.ticks();
            self.begin();
            self.cut();
        }
    }

    /// Returns what law a case breaks, if it is the one.
    fn breaks(&mut self, case: &Case) -> Option<Broken> {
        self.tried += 1;
        let Case { edits, ticks, .. } = &self.case;
        self.bar.set_message(format!(
            "{} edits, {ticks} ticks, {} chunks; {} tried",
            edits.len(),
            self.case.chunks(),
            self.tried
        ));
        self.bar.tick();
        laws::check(case, Some(self.broken.law))
    }

    /// Takes a case if it breaks the law. Returns whether it did.
    fn accept(&mut self, case: Case) -> bool {
        match self.breaks(&case) {
            Some(broken) => {
                (self.case, self.broken) = (case, broken);
                true
            }
            None => false,
        }
    }

    /// Takes a case if it is less and breaks the law.
    fn accept_less(&mut self, case: Case) -> bool {
        self.tried < MOST && case.size() < self.case.size() && self.accept(case)
    }

    /// Ends with the tick at which the law is broken.
    fn cut(&mut self) {
        let (mut case, tick) = (self.case.clone(), self.broken.tick);
        case.ticks = case.ticks.min(tick);
        case.edits.retain(|edit| edit.0 <= tick);
        if case.size() < self.case.size() {
            self.accept(case);
        }
    }

    fn edits(&mut self) {
        let edits = self.case.edits.clone();
        let less = ddmin(&edits, |edits| {
            let case = Case { edits: edits.to_vec(), ..self.case.clone() };
            self.tried < MOST && self.breaks(&case).is_some()
        });
        let case = Case { edits: less, ..self.case.clone() };
        self.accept_less(case);
    }

    /// Tries lesser edits in the place of each.
    fn each_edit(&mut self) {
        for nth in 0..self.case.edits.len() {
            while self.tried < MOST {
                let candidates = lesser(&self.case.edits[nth].1);
                let is_less = candidates.into_iter().any(|edit| {
                    let mut case = self.case.clone();
                    case.edits[nth].1 = edit;
                    self.accept_less(case)
                });
                if !is_less {
                    break;
                }
            }
            self.cells(nth);
        }
    }

    /// Opens cells of a chunk that is not uniform, by delta debugging over those that are not open.
    fn cells(&mut self, nth: usize) {
        let (position, chunk) = match &self.case.edits[nth].1 {
            Edit::InsertChunk { position, chunk } if chunk.as_uniform().is_none() => {
                (*position, chunk.clone())
            }
            _ => return,
        };
        let kept: Vec<usize> =
            (0..CHUNK_CELLS).filter(|&index| chunk.get(index) != Voxel::OPEN).collect();
        let with = |kept: &[usize]| {
            let mut less = Chunk::uniform(Voxel::OPEN);
            for &index in kept {
                less.set(index, chunk.get(index));
            }
            Edit::InsertChunk { position, chunk: less }
        };
        let less = ddmin(&kept, |kept| {
            let mut case = self.case.clone();
            case.edits[nth].1 = with(kept);
            self.tried < MOST && self.breaks(&case).is_some()
        });
        let mut case = self.case.clone();
        case.edits[nth].1 = with(&less);
        self.accept(case);
    }

    /// Moves edits, and all that follows, to earlier ticks.
    fn ticks(&mut self) {
        for nth in 0..self.case.edits.len() {
            let least = nth.checked_sub(1).map_or(0, |last| self.case.edits[last].0);
            let mut by = self.case.edits[nth].0 - least;
            while by > 0 && self.tried < MOST {
                let mut case = self.case.clone();
                case.edits[nth..].iter_mut().for_each(|edit| edit.0 -= by);
                case.ticks -= by;
                if !self.accept_less(case) {
                    by /= 2;
                } else {
                    by = by.min(self.case.edits[nth].0 - least);
                }
            }
        }
        for ticks in [0, 1, self.case.ticks / 2, self.case.ticks.saturating_sub(1)] {
            let mut case = Case { ticks: ticks.min(self.case.ticks), ..self.case.clone() };
            case.edits.retain(|edit| edit.0 <= ticks);
            self.accept_less(case);
        }
    }

    /// Tries plainer rules, another seed, and narrower bounds.
    fn begin(&mut self) {
        let Begin::Empty { seed, bounds, .. } = self.case.begin else { return };
        for plainer in plainer() {
            // No less by its size, but plainer to who reads it.
            let Begin::Empty { rules: before, .. } = self.case.begin else { return };
            let rules = plainer(before);
            if rules != before {
                let begin = Begin::Empty { seed, rules, bounds };
                self.accept(Case { begin, ..self.case.clone() });
            }
        }
        for nth in 0..8 {
            let Begin::Empty { seed, rules, bounds } = self.case.begin else { return };
            let seed = if nth == 0 { 0 } else { seed };
            let (mut min, mut max) = (bounds.min(), bounds.max());
            let (axis, size) = (nth / 2 % 3, bounds.size());
            // Half of it, then a cell at a time, from either side.
            for less in [size[axis] / 2, 1, 1, 1, 1] {
                let less = i32::try_from(less).unwrap_or(i32::MAX);
                if less == 0 || size[axis] <= 1 {
                    break;
                }
                match nth % 2 {
                    0 => min[axis] = min[axis].saturating_add(less).min(max[axis]),
                    _ => max[axis] = max[axis].saturating_sub(less).max(min[axis]),
                }
                let begin = Begin::Empty { seed, rules, bounds: Region::new(min, max) };
                if !self.accept(Case { begin, ..self.case.clone() }) {
                    break;
                }
            }
        }
    }
}

/// Returns what makes rules plainer, all at once or one by one.
fn plainer() -> Vec<Box<dyn Fn(Rules) -> Rules>> {
    let plain = Rules::lossless();
    let mut all: Vec<Box<dyn Fn(Rules) -> Rules>> = vec![
        Box::new(move |_| plain),
        Box::new(move |rules| Rules {
            evaporation: 0.0,
            film_evaporation: 0.0,
            edges: rules.edges,
            ..plain
        }),
        Box::new(|rules| Rules { evaporation: 0.0, ..rules }),
        Box::new(|rules| Rules { film_evaporation: 0.0, ..rules }),
        Box::new(move |rules| Rules { throughput: plain.throughput, ..rules }),
        Box::new(move |rules| Rules { source_supply: plain.source_supply, ..rules }),
        Box::new(move |rules| Rules { activity_decay: plain.activity_decay, ..rules }),
        Box::new(|rules| Rules { pools: true, ..rules }),
        Box::new(|rules| Rules { many_parents: true, ..rules }),
        Box::new(move |mut rules| {
            rules.edges.unloaded = plain.edges.unloaded;
            rules
        }),
    ];
    for face in Face::ALL {
        all.push(Box::new(move |rules| {
            let edges = rules.edges.with(face, plain.edges.outer[face.index()]);
            Rules { edges, ..rules }
        }));
    }
    all
}

/// Returns edits that do less, the least first.
fn lesser(edit: &Edit) -> Vec<Edit> {
    let units = |units: u32| [1, units / 2, units.saturating_sub(1)];
    match edit {
        Edit::InsertChunks(chunks) if chunks.len() == 1 => {
            let (position, chunk) = chunks[0].clone();
            vec![Edit::InsertChunk { position, chunk }]
        }
        Edit::InsertChunks(chunks) => {
            let without = |nth: usize| {
                let mut chunks = chunks.clone();
                chunks.remove(nth);
                Edit::InsertChunks(chunks)
            };
            let plain = |nth: usize| {
                let mut chunks = chunks.clone();
                chunks[nth].1 = Chunk::uniform(Voxel::OPEN);
                Edit::InsertChunks(chunks)
            };
            (0..chunks.len()).map(without).chain((0..chunks.len()).map(plain)).collect()
        }
        Edit::InsertChunk { position, chunk } if chunk.as_uniform().is_none() => {
            [Voxel::OPEN, Voxel::SOLID]
                .map(|voxel| Edit::InsertChunk {
                    position: *position,
                    chunk: Chunk::uniform(voxel),
                })
                .to_vec()
        }
        Edit::FillSolid(region) if region.volume() == 1 => vec![Edit::SetSolid(region.min())],
        Edit::FillSea(region) if region.volume() == 1 => vec![Edit::SetSea(region.min())],
        Edit::FillWater { region, height } if region.volume() == 1 => {
            vec![Edit::Pour { cell: region.min(), units: (*height).into() }]
        }
        Edit::FillSolid(region) => parts(*region).map(Edit::FillSolid).collect(),
        Edit::FillSea(region) => parts(*region).map(Edit::FillSea).collect(),
        Edit::FillWater { region, height } => {
            let lower = units((*height).into()).into_iter();
            let lower = lower.map(|units| Edit::FillWater { region: *region, height: units as u8 });
            parts(*region)
                .map(|region| Edit::FillWater { region, height: *height })
                .chain(lower)
                .collect()
        }
        Edit::Pour { cell, units: most } => {
            units(*most).map(|units| Edit::Pour { cell: *cell, units }).to_vec()
        }
        Edit::Scoop { cell, units: most } => {
            units(*most).map(|units| Edit::Scoop { cell: *cell, units }).to_vec()
        }
        Edit::DrainBody { cell, units: most } => {
            units(*most).map(|units| Edit::DrainBody { cell: *cell, units }).to_vec()
        }
        Edit::FillBody { cell, units: most } => {
            units(*most).map(|units| Edit::FillBody { cell: *cell, units }).to_vec()
        }
        _ => Vec::new(),
    }
}

/// Returns parts of a region: its halves, then all but its outermost cells, along each axis.
fn parts(region: Region) -> impl Iterator<Item = Region> {
    let (min, max) = (region.min(), region.max());
    let cut = move |axis: usize, less: i32| {
        let mut cuts = Vec::new();
        if less > 0 {
            let (mut low, mut high) = (min, max);
            low[axis] += less;
            high[axis] -= less;
            cuts.extend([Region::new(low, max), Region::new(min, high)]);
        }
        cuts
    };
    let side = move |axis: usize| (i64::from(max[axis]) - i64::from(min[axis])).min(1 << 30) as i32;
    let halves = (0..3).flat_map(move |axis| cut(axis, side(axis) - side(axis) / 2));
    halves.chain((0..3).flat_map(move |axis| cut(axis, side(axis).min(1))))
}

/// Returns the chunks that a region lies in.
pub fn chunks_of(bounds: Region) -> Vec<IVec3> {
    let chunks = Region::new(Cube::chunk_of(bounds.min()), Cube::chunk_of(bounds.max()));
    chunks.positions().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A law that no world keeps: the shrinker works on what an edit does.
    #[test]
    fn parts_are_less_and_lie_within() {
        let region = Region::new(IVec3::new(-3, 0, 4), IVec3::new(5, 0, 9));
        let parts: Vec<Region> = parts(region).collect();
        assert_eq!(parts.len(), 8, "two halves and two of all but one, along x and z");
        for part in parts {
            assert!(part.volume() < region.volume());
            assert!(region.contains(part.min()) && region.contains(part.max()));
        }
    }

    #[test]
    fn each_lesser_edit_is_less() {
        let case = |edit: Edit| Case {
            begin: Begin::Empty { seed: 1, rules: Rules::default(), bounds: Region::EVERYWHERE },
            edits: vec![(0, edit)],
            ticks: 0,
        };
        let mut chunk = Chunk::uniform(Voxel::OPEN);
        chunk.set(5, Voxel::SOLID);
        let region = Region::new(IVec3::ZERO, IVec3::new(4, 0, 0));
        for edit in [
            Edit::InsertChunks(vec![(IVec3::ZERO, chunk.clone()), (IVec3::X, chunk.clone())]),
            Edit::InsertChunk { position: IVec3::ZERO, chunk },
            Edit::FillSolid(region),
            Edit::FillWater { region, height: 7 },
            Edit::Pour { cell: IVec3::ZERO, units: 7 },
        ] {
            let size = case(edit.clone()).size();
            let less = lesser(&edit).into_iter().filter(|less| case(less.clone()).size() < size);
            assert!(less.count() > 0, "{edit:?}");
        }
    }
}
