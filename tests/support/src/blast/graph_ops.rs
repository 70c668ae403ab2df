//! What is done to a graph of pressure: the operations, and which of them bytes say.

use super::probes::Crew;
use crate::bytes::Bytes;
use crate::model;
use floodplain::glam::DVec3;

/// Every public function that changes a graph. Nodes are numbered in the order in which they were
/// added, including removed ones, modulo their number.
#[derive(Clone, Debug)]
pub enum Edit {
    AddNode(DVec3, f64),
    RemoveNode(usize),
    AddLink(usize, usize, f64),
    AddLinkAlong(usize, usize, f64, DVec3),
    AddVent(usize, f64),
    RemoveLink(usize, usize),
    RemoveVent(usize),
    SetLink(usize, usize, f64),
    SetPressure(usize, f64),
    SetWall(usize, f64),
    ClearWall(usize),
    TakeEvents,
}

/// Runs are felt at a node and later perhaps at the next.
pub type Op = model::Op<Edit, (usize, Crew)>;

fn pressure(bytes: &mut Bytes) -> f64 {
    match bytes.byte() {
        byte @ 0..230 => f64::from(byte) * 1.37,
        byte => {
            let odd = [
                0.0,
                -0.0,
                -3.0,
                1e-12,
                1e-300,
                1e18,
                2e18,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ];
            odd[usize::from(byte) % odd.len()]
        }
    }
}

fn weight(bytes: &mut Bytes) -> f64 {
    match bytes.byte() {
        byte @ 0..220 => f64::from(byte) / 110.0,
        byte => [0.0, 1.0, -0.5, 1e6, 2e6, f64::NAN, f64::INFINITY, 5.0][usize::from(byte % 8)],
    }
}

fn strength(bytes: &mut Bytes) -> f64 {
    match bytes.byte() {
        byte @ 0..230 => f64::from(byte) / 4.0,
        byte => [f64::NAN, f64::INFINITY, -1.0, 1e300][usize::from(byte % 4)],
    }
}

fn place(bytes: &mut Bytes) -> DVec3 {
    let byte = bytes.byte();
    if byte == 255 {
        return DVec3::new(f64::NAN, 0.0, 0.0);
    }
    DVec3::new(f64::from(byte & 7), f64::from(byte >> 3 & 7), f64::from(byte >> 6))
}

fn node(bytes: &mut Bytes) -> usize {
    usize::from(bytes.byte())
}

/// The operation that these bytes say; any do.
pub fn op(bytes: &mut Bytes) -> Op {
    Op::Edit(match bytes.byte() % 32 {
        0..=5 => Edit::AddNode(place(bytes), pressure(bytes)),
        6 => Edit::RemoveNode(node(bytes)),
        7..=11 => Edit::AddLink(node(bytes), node(bytes), weight(bytes)),
        12 => Edit::AddLinkAlong(node(bytes), node(bytes), weight(bytes), place(bytes)),
        13 => Edit::AddVent(node(bytes), weight(bytes)),
        14 => Edit::RemoveLink(node(bytes), node(bytes)),
        15 => Edit::RemoveVent(node(bytes)),
        16 => Edit::SetLink(node(bytes), node(bytes), weight(bytes)),
        17 | 18 => Edit::SetPressure(node(bytes), pressure(bytes)),
        19 | 20 => Edit::SetWall(node(bytes), strength(bytes)),
        21 => Edit::ClearWall(node(bytes)),
        22 => return Op::WakeAll,
        23 => return Op::TakeChanges,
        24 => Edit::TakeEvents,
        25 => return Op::SaveAndLoad,
        26 => {
            let byte = bytes.byte();
            return Op::Run(byte % 64, (node(bytes), Crew::of(byte)));
        }
        _ => return Op::Step(1 + bytes.byte() % 8),
    })
}
