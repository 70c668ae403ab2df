//! Messages between regions that are not due, or not lawful, are refused and change nothing.

use crate::scenes::{check_accounts, world};
use fastrand::Rng;
use floodplain::regions::{FaceMessage, RegionError, RegionWorld};
use floodplain::water::{Edit, Rules, Voxel};
use glam::{IVec2, IVec3};

/// Two regions with a river from one to the other and a lake across the border, after some ticks.
fn flowing() -> RegionWorld {
    let size = IVec3::new(32, 16, 16);
    let mut world = world(3, Rules::lossless(), 16, size, |cell| match (cell.y, cell.z) {
        (0, _) => Voxel::SOLID,
        (_, 6) => Voxel::SOLID,
        _ => Voxel::OPEN,
    });
    world.apply(Edit::AddSource(IVec3::new(2, 1, 2))).unwrap();
    world.apply(Edit::Pour { cell: IVec3::new(15, 1, 10), units: 7 }).unwrap();
    (0..40).for_each(|_| _ = world.step());
    world
}

#[test]
fn messages_come_once_in_their_tick_from_a_neighbour() {
    let mut world = flowing();
    let (_, messages) = world.advance();
    let tick = world.ticks();
    for message in &messages {
        world.receive(message).unwrap();
        let again = RegionError::OutOfTurn { from: message.from, tick, due: tick + 1 };
        assert_eq!(world.receive(message), Err(again));
        let far = FaceMessage { from: message.to + IVec2::new(2, 0), ..message.clone() };
        assert_eq!(world.receive(&far), Err(RegionError::NotBeside(far.from, far.to)));
        let own = FaceMessage { from: message.to, ..message.clone() };
        assert_eq!(world.receive(&own), Err(RegionError::NotBeside(own.from, own.to)));
        let edge = FaceMessage { from: IVec2::MIN, ..message.clone() };
        assert_eq!(world.receive(&edge), Err(RegionError::NotBeside(edge.from, edge.to)));
        let absent = FaceMessage { to: IVec2::MAX, ..message.clone() };
        assert_eq!(world.receive(&absent), Err(RegionError::Absent(IVec2::MAX)));
    }
    check_accounts(&world, "after refusals");
    // A message that has not come is missed in the next tick.
    let (_, messages) = world.advance();
    world.receive(&messages[0]).unwrap();
    let (_, messages) = world.advance();
    world.receive(&messages[0]).unwrap();
    let late = RegionError::OutOfTurn { from: messages[1].from, tick: tick + 2, due: tick + 1 };
    assert_eq!(world.receive(&messages[1]), Err(late));
}

/// Random damage: what is taken over leaves a lawful world, what is refused changes nothing.
#[test]
fn damaged_messages_are_refused_or_lawful() {
    let (mut refused, mut taken) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let mut world = flowing();
        let (_, mut messages) = world.advance();
        let message = &mut messages[0];
        for _ in 0..rng.u8(1..4) {
            let at = rng.usize(..message.bytes.len());
            match rng.u8(..4) {
                0 => message.bytes[at] = u8::MAX,
                1 => message.bytes.truncate(at.max(1)),
                _ => message.bytes[at] ^= 1 << rng.u8(..8),
            }
        }
        let before = world.state_hash();
        match world.receive(message) {
            Ok(()) => taken += 1,
            Err(_) => {
                assert_eq!(world.state_hash(), before, "seed {seed}");
                refused += 1;
            }
        }
        for message in &messages[1..] {
            world.receive(message).unwrap();
        }
        world.advance();
    }
    println!("{refused} refused, {taken} taken over");
    assert!(refused > 100 && taken > 0, "{refused} refused, {taken} taken over");
}
