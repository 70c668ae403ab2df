//! What frames cost the program itself: ticks and meshes in their budgets, without a window, and so
//! without the driver and the GPU.

use crate::app::{MESH_BUDGET, TICK_BUDGET};
use crate::files::say;
use crate::meter::Meter;
use crate::model::Sandbox;
use crate::model::action::{Action, Refusal};
use crate::model::worlds::Kind;
use crate::spans;
use crate::view::CHUNKS_A_FRAME;
use crate::view::meshes::Meshes;
use crate::view::overlay::Overlay;
use floodplain::glam::IVec3;
use miniquad::date;

/// Frames of each measurement, and frames a second that are taken for granted.
const FRAMES: u32 = 900;
const RATE: f32 = 60.0;

/// Measures a lake that lies still, one whose dam breaks, and the same with an overlay.
pub fn print() -> Result<(), Refusal> {
    let charge = |x, y, z| Action::Charge { cell: IVec3::new(x, y, z), radius: 10 };
    let cases = [
        ("a lake of 100,352 cells lies still", Kind::Plain, None, Overlay::None),
        ("its weir breaks", Kind::Plain, Some(charge(128, 16, 79)), Overlay::None),
        ("the dam of a valley breaks", Kind::Dam, Some(charge(76, 17, 57)), Overlay::None),
        ("the same, with currents shown", Kind::Dam, Some(charge(76, 17, 57)), Overlay::Current),
    ];
    for (name, kind, action, overlay) in cases {
        let meter = measure(kind, action, overlay)?;
        let Meter { work, ticks, pieces, following, .. } = meter;
        say(&format!("{name}:\n  work of a frame: {work}\n  ticks: {ticks}"));
        say(&format!("  calls for them: {pieces}\n  following them: {following}"));
    }
    Ok(())
}

fn measure(kind: Kind, action: Option<Action>, overlay: Overlay) -> Result<Meter, Refusal> {
    let mut sandbox = Sandbox::new(kind)?;
    let mut meshes = Meshes::new(&mut sandbox, overlay);
    while !meshes.make(sandbox.world()).is_empty() {}
    action.map_or(Ok(()), |action| sandbox.act(&action))?;
    let mut meter = Meter::default();
    for _ in 0..FRAMES {
        let begin = date::now();
        sandbox.clock.pass(1.0 / RATE);
        loop {
            let piece = date::now();
            let is_complete = sandbox.advance(|_| date::now() - begin < TICK_BUDGET);
            let Some(is_complete) = is_complete else { break };
            meter.count_piece(date::now() - piece, spans::take_seconds(), is_complete);
            if is_complete {
                let following = date::now();
                meshes.follow(&mut sandbox, true);
                meter.count_following(date::now() - following);
            }
            if date::now() - begin >= TICK_BUDGET {
                break;
            }
        }
        let meshing = date::now();
        meshes.catch_up(&mut sandbox);
        for _ in 0..CHUNKS_A_FRAME {
            let is_empty = meshes.make(sandbox.world()).is_empty();
            if is_empty || date::now() - meshing >= MESH_BUDGET {
                break;
            }
        }
        meter.end_frame(date::now() - begin, 0.0);
    }
    Ok(meter)
}
