//! Snapshots of explosions on a graph.

use super::blast::{put_events, take_events};
use super::world::Saved;
use crate::automata::blast::restore::LARGEST;
use crate::automata::blast::{GraphParts, LinkParts, NodeParts};
use crate::blast::{BlastGraph, NodeId, Rules};
use crate::codec::{DecodeError, Field, Kind, Reader};
use crate::coords::ChunkPos;
use glam::DVec3;

/// The codes of a removed, an open and a closed node.
const GONE: u8 = 0;
const OPEN: u8 = 1;
const CLOSED: u8 = 2;

/// The number that stands for the outside, at the other end of a vent.
const OUTSIDE: u32 = u32::MAX;

/// Kind 6. A graph has no chunks: all of it is in the state.
///
/// | | content |
/// |---|---|
/// | rules | rule `u8` (0 diffusive, 1 wave), coefficient `f64`, damping `f64` (0 if diffusive), threshold `f64` |
/// | state | steps `u64`; ledger: placed, removed, left, absorbed, `f64` each, up to 10²⁰⁰; whether the graph is awake `bool`; the nodes; the links; a count of the walls that broke since `take_events` was last called, then for each its step `u64`, node `u32`, difference `f64`, strength `f64`; a count of the nodes that changed since `take_changes` was last called, then each, ascending, as `u32` |
/// | nodes | a count, then for each, in order of number, a `u8` (0 removed, 1 open, 2 closed); unless it is removed, position as three `f64`, pressure `f64` up to 10²⁴, strength `f64` if it is closed, then a count of its links and the index of each among the links as `u64`, in the order in which they were added to the node |
/// | links | a count, then for each its nodes as two `u32`, 0xffffffff for the outside, weight `f64`, direction as three `f64`, flow `f64` up to 10²⁴ |
impl Saved for BlastGraph {
    const KIND: Kind = Kind::BlastGraph;

    fn put_rules(&self, out: &mut Vec<u8>) {
        self.rules().put(out);
    }

    fn put_state(&self, out: &mut Vec<u8>) {
        let GraphParts { rules: _, tick, ledger, is_awake, nodes, links, events, changed } =
            self.parts();
        tick.put(out);
        ledger.put(out);
        is_awake.put(out);
        (nodes.len() as u64).put(out);
        nodes.iter().for_each(|node| put_node(node.as_deref(), out));
        (links.len() as u64).put(out);
        for LinkParts { a, b, weight, direction, flow } in &links {
            a.put(out);
            b.map_or(OUTSIDE, |b| b.0).put(out);
            weight.put(out);
            direction.put(out);
            flow.put(out);
        }
        put_events(&events, out);
        (changed.len() as u64).put(out);
        changed.iter().for_each(|node| node.put(out));
    }

    fn chunk_positions(&self) -> Vec<ChunkPos> {
        Vec::new()
    }

    fn put_chunk(&self, _: ChunkPos, _: &mut Vec<u8>) {}

    fn take_world(rules: &mut Reader<'_>, state: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let rules: Rules = rules.take()?;
        let (tick, ledger, is_awake) = (state.take()?, state.take()?, state.take()?);
        let nodes = (0..state.count(1)?).map(|_| take_node(state)).collect::<Result<_, _>>()?;
        let links = (0..state.count(48)?).map(|_| take_link(state)).collect::<Result<_, _>>()?;
        let events = take_events(state)?;
        let mut changed = Vec::new();
        for _ in 0..state.count(4)? {
            let wrong = state.malformed("a node after the one before");
            let node: NodeId = state.take()?;
            if changed.last().is_some_and(|&last| last >= node) {
                return Err(wrong);
            }
            changed.push(node);
        }
        BlastGraph::restored(GraphParts {
            rules,
            tick,
            ledger,
            is_awake,
            nodes,
            links,
            events,
            changed,
        })
        .map_err(|law| state.unlawful(law))
    }

    fn take_chunk(&mut self, _: ChunkPos, record: &mut Reader<'_>) -> Result<(), DecodeError> {
        Err(record.malformed("no chunk in a graph"))
    }

    fn broken_law(&self) -> Option<String> {
        self.validate().err().map(|law| law.to_string())
    }
}

fn put_node(node: Option<&NodeParts>, out: &mut Vec<u8>) {
    let Some(NodeParts { position, pressure, strength, links }) = node else {
        return out.push(GONE);
    };
    out.push(if strength.is_some() { CLOSED } else { OPEN });
    position.put(out);
    pressure.put(out);
    strength.iter().for_each(|strength| strength.put(out));
    (links.len() as u64).put(out);
    links.iter().for_each(|&place| (place as u64).put(out));
}

fn take_node(state: &mut Reader<'_>) -> Result<Option<Box<NodeParts>>, DecodeError> {
    let wrong = state.malformed("a removed, an open or a closed node: 0 to 2");
    let is_closed = match state.take::<u8>()? {
        GONE => return Ok(None),
        OPEN => false,
        CLOSED => true,
        _ => return Err(wrong),
    };
    let (position, pressure) = (take_vector(state)?, state.number_within(LARGEST)?);
    let strength = if is_closed { Some(state.take()?) } else { None };
    let mut links = Vec::new();
    for _ in 0..state.count(8)? {
        let wrong = state.malformed("the place of a link");
        links.push(usize::try_from(state.take::<u64>()?).map_err(|_| wrong)?);
    }
    Ok(Some(Box::new(NodeParts { position, pressure, strength, links })))
}

fn take_link(state: &mut Reader<'_>) -> Result<LinkParts, DecodeError> {
    let (a, b) = (state.take()?, state.take::<u32>()?);
    let b = (b != OUTSIDE).then_some(NodeId(b));
    Ok(LinkParts {
        a,
        b,
        weight: state.take()?,
        direction: take_vector(state)?,
        flow: state.number_within(LARGEST)?,
    })
}

/// Reads a finite vector.
fn take_vector(state: &mut Reader<'_>) -> Result<DVec3, DecodeError> {
    let mut number = || state.number_within(f64::MAX);
    Ok(DVec3::new(number()?, number()?, number()?))
}
