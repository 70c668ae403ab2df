//! A process that saves is killed at random moments, again and again, with the same file: each time
//! the file opens as the last save that the process acknowledged, or the one that was under way.
//!
//! 25 kills of each kind; as many as the variable `FLOODPLAIN_KILLS` says, if it is set. The long
//! form, some minutes:
//!
//! ```sh
//! FLOODPLAIN_KILLS=1000 cargo test --test save_file kill -- --nocapture
//! ```

use crate::living;
use fastrand::Rng;
use floodplain::Simulation;
use floodplain::save_file::{SaveError, SaveFile};
use floodplain::snapshot::Saved;
use floodplain::water::WaterWorld;
use floodplain::water2d::Water2dWorld;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs, io};
use support::worlds;

const PATH: &str = "FLOODPLAIN_KILL_PATH";
const SEED: &str = "FLOODPLAIN_KILL_SEED";
const KIND: &str = "FLOODPLAIN_KILL_KIND";

/// A world that lives on between saves.
trait Living: Simulation + Saved {
    fn born() -> Self;
    fn live(&mut self, rng: &mut Rng);
}

impl Living for WaterWorld {
    fn born() -> Self {
        living::born(9)
    }

    fn live(&mut self, rng: &mut Rng) {
        living::live(self, rng);
    }
}

impl Living for Water2dWorld {
    fn born() -> Self {
        worlds::water_2d(8)
    }

    fn live(&mut self, rng: &mut Rng) {
        (0..rng.usize(..3)).for_each(|_| worlds::edit_water_2d(self, rng));
        self.run(rng.u64(..4));
    }
}

/// Ticks and digest of a world, in one word.
fn name_of(world: &impl Living) -> String {
    format!("{}:{:08x}", world.ticks(), crc32fast::hash(&world.save()))
}

/// Says something to the process that kills; whole lines only.
fn say(out: &mut impl Write, verb: &str, world: &impl Living) {
    writeln!(out, "kill: {verb} {}", name_of(world))
        .and_then(|()| out.flush())
        .expect("somebody listens");
}

/// The process that the other tests kill, if they say where it is to save. By itself it saves ten
/// times to a file of its own, and what is opened then is what it saved last.
#[test]
fn saves_until_it_is_killed() {
    let Ok(path) = env::var(PATH) else {
        left_alone::<WaterWorld>();
        left_alone::<Water2dWorld>();
        return;
    };
    let seed = env::var(SEED).expect("set with the path").parse().expect("a number");
    match env::var(KIND).expect("set with the path").as_str() {
        "Water" => {
            _ = save_again_and_again::<WaterWorld>(
                Path::new(&path),
                seed,
                u64::MAX,
                &mut io::stdout(),
            )
        }
        "Water2d" => {
            _ = save_again_and_again::<Water2dWorld>(
                Path::new(&path),
                seed,
                u64::MAX,
                &mut io::stdout(),
            )
        }
        other => panic!("no kind {other}"),
    }
}

fn left_alone<W: Living>() {
    let path = crate::path(&format!("left_alone_{:?}", W::KIND));
    for seed in 0..3 {
        let last = save_again_and_again::<W>(&path, seed, 10, &mut io::sink());
        let (_, world) =
            SaveFile::<W>::open(&path).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(name_of(&world), last, "seed {seed}");
    }
}

/// Goes on with the world in a file, or begins one, and saves it so many times. Returns the name of
/// the last world saved.
fn save_again_and_again<W: Living>(
    path: &Path,
    seed: u64,
    saves: u64,
    out: &mut impl Write,
) -> String {
    let mut rng = Rng::with_seed(seed);
    let (mut file, mut world) = match SaveFile::<W>::open(path) {
        Ok(opened) => opened,
        // What an earlier process did not create to its end.
        Err(SaveError::Empty | SaveError::NotADatabase | SaveError::Io(_)) => {
            let _ = fs::remove_file(path);
            let world = W::born();
            say(out, "saving", &world);
            (SaveFile::create(path, &world).expect("nothing is there"), world)
        }
        Err(error) => panic!("{error}"),
    };
    say(out, "saved", &world);
    for _ in 0..saves {
        world.live(&mut rng);
        say(out, "saving", &world);
        file.save(&world).expect("the disk is sound");
        say(out, "saved", &world);
    }
    name_of(&world)
}

/// The worlds that the file may hold, by name.
#[derive(Default)]
struct Expected {
    acknowledged: Option<String>,
    under_way: Option<String>,
}

impl Expected {
    /// Takes in what the killed process said. Its first `saved` may speak of what it opened, which
    /// had to be expected.
    fn listen(&mut self, line: &str) -> bool {
        match line.split_once("kill: ").and_then(|(_, said)| said.split_once(' ')) {
            Some(("saving", world)) => self.under_way = Some(world.to_owned()),
            Some(("saved", world)) => {
                self.assert_may_hold(world);
                *self = Expected { acknowledged: Some(world.to_owned()), under_way: None };
                return true;
            }
            _ => {}
        }
        false
    }

    fn assert_may_hold(&self, world: &str) {
        let expected =
            [&self.acknowledged, &self.under_way].into_iter().flatten().any(|name| name == world);
        assert!(expected, "{world}, and neither {:?} nor {:?}", self.acknowledged, self.under_way);
    }
}

/// Runs a process that saves, and kills it after a while. Returns how many saves it acknowledged.
fn kill_one<W: Living>(path: &Path, rng: &mut Rng, expected: &mut Expected) -> usize {
    let mut child = Command::new(env::current_exe().expect("this test runs"))
        .args(["--exact", "kill::saves_until_it_is_killed", "--nocapture", "--test-threads=1"])
        .env(PATH, path)
        .env(KIND, format!("{:?}", W::KIND))
        .env(SEED, rng.u64(..).to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test can be run again");
    let out = child.stdout.take().expect("piped");
    let mut lines = BufReader::new(out).lines().map_while(Result::ok);
    let (mut saves, mut unheard) = (0, rng.usize(..10));
    // From before it has opened the file to after a few saves, however slow the machine is.
    while unheard > 0
        && let Some(line) = lines.next()
    {
        unheard -= usize::from(line.contains("kill: "));
        saves += usize::from(expected.listen(&line));
    }
    sleep(Duration::from_micros(rng.u64(..10_000)));
    let running = child.try_wait().expect("a child").is_none();
    child.kill().expect("a child");
    child.wait().expect("a child");
    saves += lines.filter(|line| expected.listen(line)).count();
    assert!(running, "the process ended by itself");
    saves
}

fn kill_again_and_again<W: Living>() {
    let kills: u64 =
        env::var("FLOODPLAIN_KILLS").map_or(25, |kills| kills.parse().expect("a number"));
    let path = crate::path(&format!("kill_{:?}", W::KIND));
    let mut expected = Expected::default();
    let (mut saves, mut opened, mut newer) = (0, 0, 0);
    for kill in 0..kills {
        let mut rng = Rng::with_seed(kill);
        saves += kill_one::<W>(&path, &mut rng, &mut expected);
        // Sometimes the next process is the first to see what this one left.
        if expected.acknowledged.is_none() || rng.u8(..3) == 0 {
            continue;
        }
        let (_, world) =
            SaveFile::<W>::open(&path).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        let name = name_of(&world);
        expected.assert_may_hold(&name);
        world.validate().unwrap_or_else(|law| panic!("kill {kill}: {law}"));
        opened += 1;
        newer += u64::from(expected.under_way.as_ref() == Some(&name));
        expected = Expected { acknowledged: Some(name), under_way: None };
    }
    println!(
        "{:?}: {kills} kills, {saves} saves acknowledged, {opened} openings; {newer} gave the save under way",
        W::KIND
    );
    assert!(saves > 0 && opened > 0, "{saves} saves, {opened} openings");
}

#[test]
fn a_killed_process_leaves_the_last_save_of_water_or_the_one_under_way() {
    kill_again_and_again::<WaterWorld>();
}

#[test]
fn a_killed_process_leaves_the_last_save_of_2d_water_or_the_one_under_way() {
    kill_again_and_again::<Water2dWorld>();
}
