//! Records of pressure and of graphs that no world has, under right checksums: each is refused in
//! the words that say what is wrong with it.

use floodplain::blast::{BlastGraph, BlastWorld, Borders, Rules};
use floodplain::glam::{DVec3, IVec3};
use floodplain::snapshot::Saved;
use floodplain::{DecodeError, DecodeProblem, Format, Region, Sheet};
use support::snapshot::forgery::framed;

/// A snapshot with other contents of its sections.
fn snapshot(kind: u16, sections: [(&[u8; 4], &[u8]); 3]) -> Vec<u8> {
    let mut out = b"FLDPLAIN".to_vec();
    out.extend([1u16, kind].map(u16::to_le_bytes).as_flattened());
    out.extend(crc32fast::hash(&out).to_le_bytes());
    for (name, content) in sections {
        let start = out.len();
        out.extend(name);
        out.extend((content.len() as u64).to_le_bytes());
        out.extend(content);
        out.extend(crc32fast::hash(&out[start..]).to_le_bytes());
    }
    out
}

/// The rules and state of a world.
fn head(world: &impl Saved) -> [Vec<u8>; 2] {
    let [mut rules, mut state] = [Vec::new(), Vec::new()];
    world.put_rules(&mut rules);
    world.put_state(&mut state);
    [rules, state]
}

/// A small world of pressure with one record, which has this content after its position.
fn refusal(rules: Rules, record: &[&[u8]]) -> DecodeError {
    let bounds = Region::new(IVec3::ZERO, IVec3::new(9, 9, 0));
    let world = BlastWorld::<Sheet>::with_bounds(rules, bounds, Borders::default()).unwrap();
    let [rules, state] = head(&world);
    let chunks = [&1u64.to_le_bytes()[..], &[0; 12], &framed(&record.concat())].concat();
    let bytes = snapshot(4, [(b"RULE", &rules), (b"WRLD", &state), (b"CHNK", &chunks)]);
    BlastWorld::<Sheet>::load(&bytes).err().expect("no such world")
}

/// What was wanted of a chunk's bytes instead.
fn wanted(error: DecodeError) -> &'static str {
    match (error.format, error.problem) {
        (Format::Chunks, DecodeProblem::Value { wanted, .. }) => wanted,
        (format, problem) => panic!("{format}: {problem}"),
    }
}

/// The law that a loaded world breaks.
fn law(error: Option<DecodeError>) -> Option<String> {
    match error?.problem {
        DecodeProblem::Law { law } => Some(law),
        problem => panic!("{problem}"),
    }
}

/// A plane of equal numbers.
fn plane(value: f32) -> Vec<u8> {
    [&[0][..], &value.to_le_bytes()].concat()
}

/// A mask of one cell.
fn mask(cell: usize) -> Vec<u8> {
    let mut mask = vec![0; 512];
    mask[cell / 8] = 1 << (cell % 8);
    mask
}

/// An index and a number, after as many more as there are.
fn listed(index: u16, value: f32) -> Vec<u8> {
    [&index.to_le_bytes()[..], &value.to_le_bytes()].concat()
}

const NONE: &[u8] = &[0, 0];
const ONE: &[u8] = &[1, 0];
const TWO: &[u8] = &[2, 0];
const ASLEEP: &[u8] = &[0];

#[test]
fn records_of_pressure_that_no_world_has_are_refused_in_words() {
    let still = plane(0.0);
    let loud = plane(5.0);
    let (inside, outside) = (mask(3), mask(20));
    let wall = listed(3, 1.0);
    let weight =
        |along: u8, index: u16, weight: f32| [&[along][..], &listed(index, weight)].concat();
    let cases: [(&str, &[&[u8]]); 18] = [
        ("numbers up to 10²⁴, none of them −0", &[&plane(-0.0)]),
        ("numbers up to 10²⁴, none of them −0", &[&plane(f32::NAN)]),
        (
            "bits for audible, removed cells, flows and made since changes were asked for",
            &[&still, &[16]],
        ),
        ("removed cells inside the world's bounds", &[&still, &[2], &outside, NONE, NONE, ASLEEP]),
        ("strengths above 0 of removed cells", &[&still, &[0], ONE, &wall, NONE, ASLEEP]),
        (
            "strengths above 0 of removed cells",
            &[&still, &[2], &inside, ONE, &listed(3, 0.0), NONE, ASLEEP],
        ),
        (
            "strengths above 0 of removed cells",
            &[&still, &[2], &inside, ONE, &listed(3, f32::INFINITY), NONE, ASLEEP],
        ),
        (
            "the index of a cell after the one before",
            &[&still, &[2], &inside, TWO, &wall, &wall, NONE, ASLEEP],
        ),
        (
            "the index of a cell after the one before",
            &[&still, &[0], ONE, &listed(4096, 1.0), NONE, ASLEEP],
        ),
        (
            "weights from 0 to 10⁶ and not 1, of links between cells of the world",
            &[&still, &[0], NONE, ONE, &weight(0, 3, 1.0), ASLEEP],
        ),
        (
            "weights from 0 to 10⁶ and not 1, of links between cells of the world",
            &[&still, &[0], NONE, ONE, &weight(2, 3, 0.5), ASLEEP],
        ),
        // A weight of −0, of a link to the cell beyond the world, and of one beyond it.
        (
            "weights from 0 to 10⁶ and not 1, of links between cells of the world",
            &[&still, &[0], NONE, ONE, &weight(0, 3, -0.0), ASLEEP],
        ),
        (
            "weights from 0 to 10⁶ and not 1, of links between cells of the world",
            &[&still, &[0], NONE, ONE, &weight(0, 9, 0.5), ASLEEP],
        ),
        (
            "weights from 0 to 10⁶ and not 1, of links between cells of the world",
            &[&still, &[0], NONE, ONE, &weight(0, 20, 0.5), ASLEEP],
        ),
        (
            "the axis and the index of a link after the one before",
            &[&still, &[0], NONE, TWO, &weight(1, 3, 0.5), &weight(0, 3, 0.5), ASLEEP],
        ),
        (
            "flows of a wave inside the world's bounds",
            &[&still, &[4], NONE, NONE, &still, &still, &still, &still, ASLEEP],
        ),
        ("a chunk marked as audible if it is", &[&loud, &[0], NONE, NONE, ASLEEP]),
        ("marks: 0 to 3", &[&still, &[0], NONE, NONE, &[4]]),
    ];
    for (words, record) in cases {
        assert_eq!(wanted(refusal(Rules::default(), record)), words);
    }
    let awake_in_part = refusal(Rules::default(), &[&still, &[0], NONE, NONE, &[1], &inside]);
    let words = "marks of a chunk that is awake in every cell or in none";
    assert_eq!(wanted(awake_in_part), words);
    // Each link's flow is stored at both ends, and nothing flows beyond the bounds.
    let one_way = [&plane(1.0)[..], &still, &still, &still].concat();
    let flows = refusal(Rules::wave(0.2, 0.9), &[&still, &[5], NONE, NONE, &one_way, ASLEEP]);
    assert!(!wanted(flows).is_empty());
}

/// The state of a graph whose nodes and links are these.
fn graph_state(nodes: &[&[u8]], links: &[&[u8]], changed: &[u32]) -> Vec<u8> {
    let count = |of: usize| (of as u64).to_le_bytes();
    let changed_ids: Vec<u8> = changed.iter().flat_map(|node| node.to_le_bytes()).collect();
    // Steps, ledger, awake; nodes; links; no event; changes.
    [
        &[0; 40][..],
        &[1],
        &count(nodes.len()),
        &nodes.concat(),
        &count(links.len()),
        &links.concat(),
        &count(0),
        &count(changed.len()),
        &changed_ids,
    ]
    .concat()
}

fn numbers(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A node at the origin with its links: open, or closed up to a strength.
fn node(strength: Option<f64>, links: &[u64]) -> Vec<u8> {
    let mut out = vec![if strength.is_some() { 2 } else { 1 }];
    out.extend(numbers(&[0.0; 4]));
    out.extend(strength.iter().flat_map(|strength| strength.to_le_bytes()));
    out.extend((links.len() as u64).to_le_bytes());
    out.extend(links.iter().flat_map(|link| link.to_le_bytes()));
    out
}

fn link(a: u32, b: u32, weight: f64, flow: f64) -> Vec<u8> {
    let ends = [a.to_le_bytes(), b.to_le_bytes()];
    [ends.as_flattened(), &numbers(&[weight, 0.0, 0.0, 0.0, flow])].concat()
}

#[test]
fn graphs_that_cannot_be_are_refused_in_words() {
    let [rules, _] = head(&BlastGraph::new(Rules::default()).unwrap());
    let [open, linked] = [node(None, &[]), node(None, &[0])];
    let good = link(0, 1, 1.0, 0.0);
    let cases = [
        (
            "link 0 does not join two nodes that no other link joins",
            graph_state(&[&linked], &[&good], &[]),
        ),
        (
            "link 0 does not join two nodes that no other link joins",
            graph_state(&[&linked], &[&link(0, 0, 1.0, 0.0)], &[]),
        ),
        (
            "link 1 does not join two nodes that no other link joins",
            graph_state(&[&linked, &linked], &[&good, &link(1, 0, 1.0, 0.0)], &[]),
        ),
        (
            "link 0 has a weight, a direction or a flow that it cannot have",
            graph_state(&[&linked, &linked], &[&link(0, 1, -1.0, 0.0)], &[]),
        ),
        (
            "link 0 has a weight, a direction or a flow that it cannot have",
            graph_state(&[&linked, &linked], &[&link(0, 1, 1.0, 0.5)], &[]),
        ),
        ("node 1 does not list its link 0", graph_state(&[&linked, &open], &[&good], &[])),
        (
            "node 1 lists link 0, which does not lead to it, or twice",
            graph_state(&[&linked, &node(None, &[0, 0])], &[&good], &[]),
        ),
        (
            "the strength of node 0 is not a number above 0",
            graph_state(&[&node(Some(0.0), &[])], &[], &[]),
        ),
        (
            "the strength of node 0 is not a number above 0",
            graph_state(&[&node(Some(f64::INFINITY), &[])], &[], &[]),
        ),
        ("a change or an event of a node that never existed", graph_state(&[&open], &[], &[1])),
    ];
    for (words, state) in cases {
        let bytes = snapshot(6, [(b"RULE", &rules), (b"WRLD", &state), (b"CHNK", &[0; 8])]);
        assert_eq!(law(BlastGraph::load(&bytes).err()).as_deref(), Some(words));
    }
    // A wave flows, but neither over a link of weight 0 nor at a wall; and no direction is longer
    // than 1, but for rounding.
    let [waves, _] = head(&BlastGraph::new(Rules::wave(0.2, 0.9)).unwrap());
    let shut = node(Some(1.0), &[0]);
    let mut long = good.clone();
    long[16..24].copy_from_slice(&2.5f64.to_le_bytes());
    for (nodes, link, is_lawful) in [
        ([&linked[..], &linked], link(0, 1, 1.0, 0.5), true),
        ([&linked, &linked], link(0, 1, 0.0, 0.5), false),
        ([&shut, &linked], link(0, 1, 1.0, 0.5), false),
        ([&linked, &shut], link(0, 1, 1.0, 0.5), false),
        ([&linked, &linked], long, false),
    ] {
        let state = graph_state(&nodes, &[&link], &[]);
        let bytes = snapshot(6, [(b"RULE", &waves), (b"WRLD", &state), (b"CHNK", &[0; 8])]);
        let words = "link 0 has a weight, a direction or a flow that it cannot have";
        let refused = law(BlastGraph::load(&bytes).err());
        assert_eq!(refused.as_deref(), (!is_lawful).then_some(words), "{link:?}");
    }
    // The same links with nothing wrong in them; and then with a chunk, which no graph has.
    let state = graph_state(&[&linked, &linked], &[&good], &[0, 1]);
    let whole = snapshot(6, [(b"RULE", &rules), (b"WRLD", &state), (b"CHNK", &[0; 8])]);
    let graph = BlastGraph::load(&whole).unwrap();
    assert_eq!(
        (graph.nodes().count(), graph.position(graph.nodes().next().unwrap())),
        (2, Some(DVec3::ZERO))
    );
    let chunks = [&1u64.to_le_bytes()[..], &[0; 13]].concat();
    let with_chunk = snapshot(6, [(b"RULE", &rules), (b"WRLD", &state), (b"CHNK", &chunks)]);
    let refused = BlastGraph::load(&with_chunk).err().unwrap();
    assert_eq!(refused.at, with_chunk.len() - 4, "its record, before the checksum");
    assert_eq!(wanted(refused), "no chunk in a graph");
    // Events and changes come in order.
    let unordered = graph_state(&[&open, &open], &[], &[1, 0]);
    let bytes = snapshot(6, [(b"RULE", &rules), (b"WRLD", &unordered), (b"CHNK", &[0; 8])]);
    let refused = BlastGraph::load(&bytes).err().unwrap();
    let wanted = "a node after the one before";
    assert_eq!(refused.problem, DecodeProblem::Value { wanted, found: None });
}

#[test]
fn a_snapshot_of_version_0_is_refused() {
    let mut bytes = BlastGraph::new(Rules::default()).unwrap().save();
    bytes[8] = 0;
    let checksum = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    let problem = DecodeProblem::Version { found: 0, wanted: 1 };
    assert_eq!(BlastGraph::load(&bytes).err().map(|error| error.problem), Some(problem));
}
