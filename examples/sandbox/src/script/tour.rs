//! The script that comes with the program comes to the recorded lines: on a desktop in this test,
//! in a browser in `web/check`.

use super::{Command, Player, parse};
use crate::model::Sandbox;
use crate::model::worlds::Kind;

/// Plays a script without a window, in pieces of so many cells. Returns its lines of `print`.
fn play(text: &str, budget: u64) -> Vec<String> {
    let mut sandbox = Sandbox::new(Kind::UTube).unwrap();
    let (mut player, mut printed) = (Player::new(parse(text).unwrap()), Vec::new());
    loop {
        while let Some(line) = player.next_due() {
            match line.command {
                Command::Play(action) => sandbox.act(&action).unwrap(),
                Command::Print => printed.push(sandbox.account()),
                Command::End => return printed,
                _ => {}
            }
        }
        sandbox.clock.hurry();
        while sandbox.advance(|progress| progress.visited < budget) == Some(false) {}
        player.count_tick();
    }
}

#[test]
fn the_tour_ends_as_recorded() {
    let printed = play(include_str!("../../scripts/tour.txt"), 30_000);
    let recorded: Vec<&str> = include_str!("../../scripts/tour.expected").lines().collect();
    assert_eq!(printed, recorded);
    assert!(printed.iter().all(|line| line.ends_with(" balanced")));
}
