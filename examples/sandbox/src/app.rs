//! The program in its window: what is done in each frame.

use crate::files::{self, say};
use crate::input::{Held, Intent};
use crate::meter::{Meter, Times};
use crate::model::Sandbox;
use crate::model::action::{Action, FASTEST, Refusal};
use crate::model::hand::Hand;
use crate::model::pick::{Target, pick};
use crate::options::Options;
use crate::script::{Command, Fault, Line, Player, ScriptError, parse};
use crate::spans;
use crate::view::hud::{Status, buttons};
use crate::view::meters::{Pace, Phases};
use crate::view::{View, ViewError};
use floodplain::glam::IVec3;
use miniquad::{date, window};
use std::cell::Cell;
use std::rc::Rc;

/// The seconds of a frame that ticks may take, and those that meshes may take. A tick that takes
/// longer goes on in the next frame.
pub const TICK_BUDGET: f64 = 0.006;
pub const MESH_BUDGET: f64 = 0.004;

/// The share of a frame that ticks may take even so where frames take long to draw.
const TICK_SHARE: f64 = 0.3;

/// The cells that a piece of a tick visits, about, in a script that runs by itself.
const CELLS: u64 = 20_000;

/// The seconds between two works of a tool that is held.
const REPEAT: f64 = 0.08;

/// In shares of the camera's distance, and in degrees: what a second of a held key comes to.
const WALK: f32 = 0.7;
const TURN: f32 = 70.0;

/// The script that comes with the program.
const TOUR: &str = include_str!("../scripts/tour.txt");

/// What the player has in hand and is told.
struct Desk {
    hand: Hand,
    meter: Meter,
    note: String,
    /// What a script says in large letters.
    caption: String,
    /// Whether the player is still to be told what to try first.
    shows_hint: bool,
    shows_screen: bool,
    shows_meters: bool,
    shows_help: bool,
    shows_pace: bool,
    player: Option<Player>,
    film: Option<Film>,
}

/// Pictures that are written one after the other.
struct Film {
    name: String,
    /// Ticks from one to the next, 0 if there is none, and those since the last.
    every: u32,
    ticks: u32,
    count: u32,
}

impl Desk {
    fn status<'a>(
        &'a self,
        sandbox: &'a Sandbox,
        view: &View,
        hover: Option<(IVec3, u8)>,
    ) -> Status<'a> {
        let Desk { hand, meter, note, player, .. } = self;
        let hint = if self.shows_hint { sandbox.kind().hint() } else { "" };
        Status {
            sandbox,
            hand,
            overlay: view.overlay(),
            pace: self.shows_pace.then(|| Pace {
                frames: 1e3 / meter.frames.mean_lately().max(1.0),
                work: meter.work.mean_lately(),
                tick: [meter.ticks.mean_lately(), meter.ticks.most_lately()],
                phases: Phases {
                    step: meter.ticks.mean_lately(),
                    parts: meter.parts.each_ref().map(Times::mean_lately),
                    changes: meter.following.mean_lately(),
                    meshes: meter.meshes.mean_lately(),
                    drawing: meter.drawing.mean_lately(),
                },
                stale: view.stale(),
            }),
            caption: if self.caption.is_empty() { hint } else { &self.caption },
            shows_screen: self.shows_screen,
            shows_meters: self.shows_meters,
            note,
            shows_help: self.shows_help,
            is_touring: player.is_some(),
            hover,
        }
    }
}

/// The window's program.
pub struct App {
    sandbox: Sandbox,
    view: View,
    desk: Desk,
    pub(crate) held: Held,
    options: Options,
    /// Whether the program ends with its script, and whether that has a tick in each frame.
    is_batch: bool,
    is_hurried: bool,
    has_failed: Rc<Cell<bool>>,
    /// When the program began, when the last frame did, and when a held tool works again.
    begun: f64,
    last: f64,
    next_work: f64,
    /// What this frame's ticks and meshes took.
    work: f64,
    has_drawn: bool,
}

impl App {
    /// Returns the program before its first frame. `script` is that of the command line; whether it
    /// failed is told by `has_failed`.
    ///
    /// # Errors
    /// The window cannot draw.
    pub fn new(
        mut sandbox: Sandbox,
        options: Options,
        script: Option<Vec<Line>>,
        begun: f64,
        has_failed: Rc<Cell<bool>>,
    ) -> Result<App, ViewError> {
        let mut view = View::new(&mut sandbox)?;
        view.refresh_all(&mut sandbox);
        let is_batch = script.is_some();
        let is_hurried = is_batch && !options.is_live;
        let desk = Desk {
            hand: Hand::default(),
            meter: Meter::default(),
            note: String::new(),
            caption: String::new(),
            shows_hint: !is_batch,
            shows_screen: true,
            shows_meters: false,
            shows_help: false,
            shows_pace: !is_hurried,
            player: script.map(Player::new),
            film: None,
        };
        Ok(App {
            sandbox,
            view,
            desk,
            held: Held::default(),
            is_batch,
            is_hurried,
            options,
            has_failed,
            begun,
            last: date::now(),
            next_work: 0.0,
            work: 0.0,
            has_drawn: false,
        })
    }

    /// Does all of a frame but drawing it.
    pub fn run_frame(&mut self) {
        let begin = date::now();
        let seconds = (begin - self.last).max(0.0);
        if self.has_drawn {
            self.desk.meter.begin_frame(seconds);
        }
        self.last = begin;
        // The clock of the machine may jump, and a window may have slept.
        let seconds = seconds.min(0.25);
        if self.is_hurried {
            self.sandbox.clock.hurry();
        } else {
            self.sandbox.clock.pass(seconds as f32);
        }
        let [right, ahead, round] = self.held.steps().map(|step| step * seconds as f32);
        self.view.camera.walk(right * WALK, ahead * WALK);
        self.view.camera.turn(round * TURN, 0.0);
        if self.held.works && self.desk.hand.tool.repeats() && begin >= self.next_work {
            self.work_tool(begin);
        }
        self.run_ticks(begin);
        let meshes = date::now();
        self.view.refresh(&mut self.sandbox, || date::now() - meshes < MESH_BUDGET);
        self.desk.meter.count_meshes(date::now() - meshes);
        self.work = date::now() - begin;
    }

    /// Draws a frame.
    pub fn draw_frame(&mut self) {
        let begin = date::now();
        let hover = self.target().map(|target| {
            let hand = &self.desk.hand;
            (hand.middle(self.sandbox.world(), target), hand.radius())
        });
        let status = self.desk.status(&self.sandbox, &self.view, hover.filter(|_| !self.is_batch));
        // Shaders count seconds in few bits, so not from 1970 on.
        self.view.draw(&status, (begin - self.begun) as f32);
        self.desk.meter.end_frame(self.work, date::now() - begin);
        if !self.has_drawn {
            self.has_drawn = true;
            say(&format!("first picture after {:.0} ms", (date::now() - self.begun) * 1e3));
        }
    }

    /// Takes and goes on with ticks that are due, as long as their budget lasts.
    fn run_ticks(&mut self, begin: f64) {
        let is_hurried = self.is_hurried;
        let frame = f64::from(self.desk.meter.frames.mean_lately()) / 1e3;
        let budget = TICK_BUDGET.max(frame * TICK_SHARE);
        loop {
            if !self.sandbox.is_underway() {
                self.play_due();
            }
            let piece = date::now();
            let is_complete = self.sandbox.advance(|progress| match is_hurried {
                true => progress.visited < CELLS,
                false => date::now() - begin < budget,
            });
            let Some(is_complete) = is_complete else { break };
            let seconds = date::now() - piece;
            self.desk.meter.count_piece(seconds, spans::take_seconds(), is_complete);
            if is_complete {
                self.desk.player.iter_mut().for_each(Player::count_tick);
                let following = date::now();
                self.view.follow(&mut self.sandbox, true);
                self.desk.meter.count_following(date::now() - following);
                self.film();
            }
            let is_over = if is_hurried { is_complete } else { date::now() - begin >= budget };
            if is_over {
                break;
            }
        }
        if let Some(notice) = self.sandbox.take_notice() {
            self.desk.note = notice;
        }
    }

    /// Plays the lines of the script that are due.
    fn play_due(&mut self) {
        while let Some(line) = self.desk.player.as_mut().and_then(Player::next_due) {
            if let Err(fault) = self.play(line.command) {
                return self.fail(&ScriptError { line: line.number, fault }.to_string());
            }
        }
        if self.desk.player.as_ref().is_some_and(Player::is_done) {
            self.end_script();
        } else if self.is_batch && self.desk.player.is_some() && self.sandbox.clock.is_stopped() {
            self.fail("the clock is stopped, and no line of the script lets it go on");
        }
    }

    /// Does what a line of a script says.
    fn play(&mut self, command: Command) -> Result<(), Fault> {
        match command {
            Command::Play(action) => self.act(&action).map_err(Fault::Refused)?,
            Command::Overlay(overlay) => self.view.show(overlay, self.sandbox.world()),
            Command::Camera(camera) => self.view.camera = camera,
            Command::Caption(text) => self.desk.caption = text,
            Command::Screen(shows_screen) => self.desk.shows_screen = shows_screen,
            Command::Meters(shows_meters) => self.desk.shows_meters = shows_meters,
            Command::Shot(name) => self.shoot(&name),
            Command::Film(name, every) => {
                // A name that is filmed again keeps its numbers.
                let count = self.desk.film.take().filter(|film| film.name == name);
                let count = count.map_or(0, |film| film.count);
                self.desk.film = Some(Film { name, every, ticks: 0, count });
            }
            Command::Print => say(&format!("script: {}", self.sandbox.account())),
            Command::End => self.end_script(),
        }
        Ok(())
    }

    /// Ends a script, and the program with it if it runs by itself.
    fn end_script(&mut self) {
        self.desk.player = None;
        self.desk.film = None;
        self.desk.caption.clear();
        self.desk.shows_screen = true;
        say("script: end");
        self.desk.note = "the script has ended".to_owned();
        if self.is_batch {
            say(&self.desk.meter.to_string());
            window::order_quit();
        }
    }

    fn fail(&mut self, error: &str) {
        self.desk.player = None;
        say(&format!("script: {error}"));
        self.desk.note = error.to_owned();
        if self.is_batch {
            self.has_failed.set(true);
            window::order_quit();
        }
    }

    /// Writes the next picture of the film, if it is due.
    fn film(&mut self) {
        let Some(film) = &mut self.desk.film else { return };
        film.ticks += 1;
        if film.every > 0 && film.ticks >= film.every {
            let name = format!("{}-{:05}", film.name, film.count);
            (film.ticks, film.count) = (0, film.count + 1);
            self.shoot(&name);
        }
    }

    /// Writes a picture of what is seen now.
    fn shoot(&mut self, name: &str) {
        self.view.refresh_all(&mut self.sandbox);
        let path = self.options.shots.join(format!("{name}.png"));
        let size = self.options.size.map(u32::from);
        let status = self.desk.status(&self.sandbox, &self.view, None);
        let seconds = self.sandbox.world().ticks() as f32 / 20.0;
        let pixels = self.view.take_picture(size, &status, seconds);
        if let Err(error) = files::write_picture(&path, &pixels, size) {
            self.fail(&error);
        }
    }

    /// Does what a player does, and lets the view follow.
    fn act(&mut self, action: &Action) -> Result<(), Refusal> {
        self.sandbox.act(action)?;
        match action {
            Action::World(_) | Action::Load => self.view.begin(&mut self.sandbox),
            _ if self.sandbox.clock.is_paused && !self.sandbox.is_underway() => {
                self.view.follow(&mut self.sandbox, false);
            }
            _ => {}
        }
        Ok(())
    }

    /// Does what a player does; what is refused is told.
    fn try_to(&mut self, action: &Action) {
        self.desk.note = match self.act(action) {
            Ok(()) => String::new(),
            Err(refusal) => refusal.to_string(),
        };
    }

    /// Returns what the mouse points at.
    fn target(&self) -> Option<Target> {
        let ([width, height], [x, y]) = (screen(), self.held.mouse);
        let (right, up) = (2.0 * x / width - 1.0, 1.0 - 2.0 * y / height);
        let ray = self.view.camera.ray(width / height, right, up);
        let meets_water = self.desk.hand.tool.meets_water();
        pick(self.sandbox.world(), self.view.camera.eye(), ray, meets_water)
    }

    /// Lets the tool work where the mouse points.
    fn work_tool(&mut self, now: f64) {
        self.next_work = now + REPEAT;
        if let Some(target) = self.target() {
            self.desk.shows_hint = false;
            let action = self.desk.hand.action(self.sandbox.world(), target);
            self.try_to(&action);
        }
    }

    /// Presses the left button of the mouse: on a button, or in the world.
    pub fn click(&mut self) {
        let status = self.desk.status(&self.sandbox, &self.view, None);
        let [x, y] = self.held.mouse;
        let button =
            buttons(screen(), &status).into_iter().find(|button| button.area.contains(x, y));
        match button {
            Some(button) => self.follow_intent(button.intent),
            None => {
                self.held.works = true;
                self.work_tool(date::now());
            }
        }
    }

    /// Moves the mouse, which may turn or move the camera.
    pub fn drag(&mut self, x: f32, y: f32) {
        let off = [x - self.held.mouse[0], y - self.held.mouse[1]];
        self.held.mouse = [x, y];
        if self.held.walks || self.held.turns && self.held.shift {
            let [_, height] = screen();
            self.view.camera.walk(-off[0] / height, off[1] / height);
        } else if self.held.turns {
            self.view.camera.turn(-0.3 * off[0], 0.3 * off[1]);
        }
    }

    /// Turns the wheel.
    pub fn zoom(&mut self, by: f32) {
        // Browsers count pixels, others notches.
        self.view.camera.approach(0.9_f32.powf(by.clamp(-1.5, 1.5)));
    }

    /// Does what a key or a button asks for.
    pub fn follow_intent(&mut self, intent: Intent) {
        let (is_paused, speed) = (self.sandbox.clock.is_paused, self.sandbox.clock.speed);
        match intent {
            Intent::Take(tool) => self.desk.hand.tool = tool,
            Intent::Widen(by) => self.desk.hand.widen(by),
            Intent::NextMaterial => self.desk.hand.next_material(),
            Intent::Sea(by) => self.try_to(&Action::Sea(self.next_sea(by))),
            Intent::Rain => self.try_to(&Action::Rain(!self.sandbox.is_raining())),
            Intent::Pause => self.try_to(&Action::Pause(!is_paused)),
            Intent::Step => {
                if !is_paused {
                    self.try_to(&Action::Pause(true));
                }
                self.try_to(&Action::Step);
            }
            Intent::Faster => {
                let faster = if speed >= FASTEST { 1 } else { speed * 2 };
                self.try_to(&Action::Speed(faster));
            }
            Intent::Overlay(by) => {
                let overlay = self.view.overlay().after(by);
                self.view.show(overlay, self.sandbox.world());
            }
            Intent::Save => self.save(),
            Intent::Load => self.load(),
            Intent::World(kind) => {
                self.desk.shows_hint = true;
                self.try_to(&Action::World(kind));
            }
            Intent::Again => self.try_to(&Action::World(self.sandbox.kind())),
            Intent::LookAgain => self.view.look_again(&self.sandbox),
            Intent::Help => self.desk.shows_help = !self.desk.shows_help,
            Intent::Meters => self.desk.shows_meters = !self.desk.shows_meters,
            Intent::Tour => self.begin_script(TOUR),
        }
    }

    fn next_sea(&self, by: i32) -> Option<i32> {
        let most = self.sandbox.world().bounds().max().y;
        // One begins at the height of low ground, not at the bottom of the world.
        let level = self.sandbox.sea().map_or(if by > 0 { 6 } else { -1 }, |level| level + by);
        (level >= 0).then_some(level.min(most))
    }

    /// Keeps the world, in a file where there are files.
    fn save(&mut self) {
        self.try_to(&Action::Save);
        let saved = self.sandbox.saved().map(|bytes| files::save(&self.options.save, bytes));
        self.desk.note = match saved {
            Some(Err(error)) => error,
            _ => files::SAVED.to_owned(),
        };
    }

    /// Goes back to what was kept, by this run or, where there are files, by an earlier one.
    fn load(&mut self) {
        if self.sandbox.saved().is_none()
            && let Some(bytes) = files::load(&self.options.save)
        {
            self.sandbox.keep(bytes);
        }
        self.try_to(&Action::Load);
    }

    /// Plays a script while the clock goes on as it does for a player.
    pub fn begin_script(&mut self, text: &str) {
        match parse(text) {
            Ok(lines) => {
                self.try_to(&Action::Pause(false));
                // The tick that is underway is none of its own.
                while self.sandbox.is_underway() {
                    self.sandbox.advance(|_| true);
                }
                self.view.follow(&mut self.sandbox, false);
                self.desk.shows_hint = false;
                self.desk.player = Some(Player::new(lines));
            }
            Err(error) => self.fail(&error.to_string()),
        }
    }
}

/// Returns the size of the window in pixels.
fn screen() -> [f32; 2] {
    let (width, height) = window::screen_size();
    [width.max(1.0), height.max(1.0)]
}
