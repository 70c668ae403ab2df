//! The positions of the models in a scene: transforms are multiplied from the root down to each
//! shape.

use super::error::VoxError;
use super::file::{Contents, Model, Node};
use core::ops::Neg;
use glam::IVec3;

/// The most nodes that are visited. A node that is placed twice is visited twice, so a small file
/// could cause any number of visits.
const MOST_NODES: usize = 1 << 16;

/// A model at its place in the scene.
pub(super) struct Placed<'a> {
    pub model: &'a Model,
    pub number: u32,
    place: Transform,
}

/// A rotation and mirroring by axes, then a shift.
#[derive(Clone, Copy, Debug)]
struct Transform {
    /// For each axis of the result: its original axis, and whether its direction is reversed.
    axes: [(usize, bool); 3],
    /// Stored in 64 bits, which hold the sums of all visited nodes.
    shift: [i64; 3],
}

impl Transform {
    const NONE: Transform = Transform { axes: [(0, false), (1, false), (2, false)], shift: [0; 3] };

    /// Returns the transform of a node. Bits 0–1 and 2–3 of a rotation are the original axes of the
    /// first and second axis of the result, bits 4 to 6 the signs of all three.
    fn of(rotation: u8, translation: IVec3) -> Option<Transform> {
        let (first, second) = (usize::from(rotation & 3), usize::from(rotation >> 2 & 3));
        if first > 2 || second > 2 || first == second {
            return None;
        }
        let from = [first, second, 3 - first - second];
        let axes = core::array::from_fn(|axis| (from[axis], rotation >> (4 + axis) & 1 == 1));
        Some(Transform { axes, shift: translation.to_array().map(i64::from) })
    }

    fn turn<T: Copy + Neg<Output = T>>(&self, vector: [T; 3]) -> [T; 3] {
        self.axes.map(
            |(from, is_backwards)| {
                if is_backwards { -vector[from] } else { vector[from] }
            },
        )
    }

    /// Returns this transform after `inner`.
    fn after(&self, inner: &Transform) -> Transform {
        let turned = self.turn(inner.shift);
        let axes = self.axes.map(|(from, is_backwards)| {
            let (from, was_backwards) = inner.axes[from];
            (from, is_backwards != was_backwards)
        });
        Transform { axes, shift: core::array::from_fn(|axis| turned[axis] + self.shift[axis]) }
    }
}

impl Placed<'_> {
    /// Returns the cell of a voxel, y up: x is the editor's x, and z points along its −y.
    pub fn cell(&self, [x, y, z]: [u8; 3]) -> Option<IVec3> {
        let pivot = self.model.size / 2;
        let voxel = IVec3::new(x.into(), y.into(), z.into());
        // The middle of the voxel relative to the pivot, in half cells. It is odd, so that rotation
        // maps middles of voxels to middles.
        let middle = (2 * (voxel - pivot) + 1).to_array().map(i64::from);
        let turned = self.place.turn(middle);
        let at: [i64; 3] =
            core::array::from_fn(|axis| turned[axis].div_euclid(2) + self.place.shift[axis]);
        let fit = |value: i64| i32::try_from(value).ok();
        Some(IVec3::new(fit(at[0])?, fit(at[2])?, fit(-1 - at[1])?))
    }

    /// Returns the cell's displacement for a step along each axis of the editor.
    pub fn steps(&self) -> [IVec3; 3] {
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| {
            let [x, y, z] = self.place.turn(axis);
            IVec3::new(x, z, -y)
        })
    }
}

/// The visible part of a scene.
#[derive(Default)]
pub(super) struct Scene<'a> {
    pub placed: Vec<Placed<'a>>,
    /// The number of nodes that are hidden, directly or with their layer.
    pub hidden: usize,
}

/// Returns the models that the scene shows. A file without a scene shows the first model, with the
/// corner of its box at the origin.
pub(super) fn shown(contents: &Contents) -> Result<Scene<'_>, VoxError> {
    let mut scene = Scene::default();
    if contents.nodes.is_empty() {
        scene.placed.extend(contents.models.first().map(alone));
        return Ok(scene);
    }
    let mut waiting = vec![(0, Transform::NONE)];
    let mut visited = 0;
    while let Some((node, place)) = waiting.pop() {
        visited += 1;
        if visited + waiting.len() > MOST_NODES {
            return Err(VoxError::TooManyNodes { limit: MOST_NODES });
        }
        match contents.nodes.get(&node).ok_or(VoxError::NoNode { node })? {
            Node::Transform { child, layer, is_hidden, rotation, translation } => {
                if *is_hidden || contents.hidden_layers.contains(layer) {
                    scene.hidden += 1;
                    continue;
                }
                let inner = Transform::of(*rotation, *translation);
                let inner = inner.ok_or(VoxError::Rotation { node, rotation: *rotation })?;
                waiting.push((*child, place.after(&inner)));
            }
            // The children are added in reverse, so that the first is visited first.
            Node::Group(children) => {
                if children.len() > MOST_NODES {
                    return Err(VoxError::TooManyNodes { limit: MOST_NODES });
                }
                waiting.extend(children.iter().rev().map(|&child| (child, place)));
            }
            &Node::Shape(number) => {
                let model = contents.models.get(number as usize);
                let model = model.ok_or(VoxError::NoModel { model: number })?;
                scene.placed.push(Placed { model, number, place });
            }
        }
    }
    Ok(scene)
}

/// Returns a model placed so that its box has its lowest corner at the origin.
fn alone(model: &Model) -> Placed<'_> {
    let pivot = (model.size / 2).to_array().map(i64::from);
    // The z of cells runs against the editor's y.
    let shift = [pivot[0], pivot[1] - i64::from(model.size.y), pivot[2]];
    Placed { model, number: 0, place: Transform { shift, ..Transform::NONE } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies by the rotation, written as a matrix.
    fn by_matrix(rotation: u8, vector: [i64; 3]) -> [i64; 3] {
        let (first, second) = (usize::from(rotation & 3), usize::from(rotation >> 2 & 3));
        let places = [first, second, 3 - first - second];
        let mut matrix = [[0; 3]; 3];
        for row in 0..3 {
            matrix[row][places[row]] = if rotation >> (4 + row) & 1 == 1 { -1 } else { 1 };
        }
        matrix.map(|row| (0..3).map(|column| row[column] * vector[column]).sum())
    }

    #[test]
    fn rotations_are_the_published_matrices_also_one_after_another() {
        let valid = |rotation: &u8| Transform::of(*rotation, IVec3::ZERO).is_some();
        let rotations: Vec<u8> = (0..128).filter(valid).collect();
        assert_eq!(rotations.len(), 48);
        for &outer in &rotations {
            for &inner in &rotations {
                let both = Transform::of(outer, IVec3::new(1, 2, 3))
                    .zip(Transform::of(inner, IVec3::new(40, 50, 60)))
                    .map(|(outer, inner)| outer.after(&inner))
                    .unwrap();
                let turned = by_matrix(outer, by_matrix(inner, [7, 8, 9]));
                assert_eq!(both.turn([7, 8, 9]), turned);
                let shift = by_matrix(outer, [40, 50, 60]);
                assert_eq!(both.shift, [shift[0] + 1, shift[1] + 2, shift[2] + 3]);
            }
        }
    }

    #[test]
    fn turned_models_keep_their_middle() {
        let model = Model { size: IVec3::new(2, 2, 2), voxels: Vec::new() };
        for rotation in [0b000_0100, 0b111_0100, 0b001_0001] {
            let place = Transform::of(rotation, IVec3::ZERO).unwrap();
            let placed = Placed { model: &model, number: 0, place };
            let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]];
            let [x, y, z] = placed.steps().map(|step| placed.cell([0; 3]).unwrap() + step);
            assert_eq!(
                corners[1..4].iter().map(|&at| placed.cell(at).unwrap()).collect::<Vec<_>>(),
                [x, y, z]
            );
            for cell in corners.map(|corner| placed.cell(corner).unwrap()) {
                assert!(cell.cmpge(IVec3::splat(-1)).all() && cell.cmple(IVec3::ZERO).all());
            }
        }
    }
}
