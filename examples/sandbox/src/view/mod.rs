//! Drawing a sandbox: which chunks are meshed when, and what is drawn in which order.
//!
//! | file | what |
//! |---|---|
//! | `meshes` | which chunks are meshed when |
//! | `scene`, `stale` | what is drawn of each cell, copied where it changed; which chunks are out of date |
//! | `terrain`, `colours` | ground as shaded faces |
//! | `water` | the surface of water, its cut sides, falls, the glow of pressure |
//! | `copy` | the water after one tick, for meshes that are made while ticks go on |
//! | `overlay` | marks for direction, activity, flow, moisture and so on |
//! | `pieces`, `spray`, `rain` | what flies off when walls break, drops, streaks of rain |
//! | `craft` | crates and boats |
//! | `camera` | where one looks from |
//! | `canvas`, `text`, `hud`, `meters` | words and buttons on the screen |
//! | `mesh`, `shaders`, `gpu` | vertices, shaders, buffers |

pub mod camera;
mod canvas;
mod colours;
mod copy;
mod craft;
mod gpu;
pub mod hud;
mod mesh;
pub mod meshes;
pub mod meters;
pub mod overlay;
mod pieces;
mod rain;
mod scene;
mod shaders;
mod spray;
mod stale;
mod terrain;
mod text;
mod water;

use crate::model::Sandbox;
use crate::model::worlds::Kind;
use camera::{Camera, may_see};
use canvas::{Area, Canvas};
use floodplain::glam::camera::rh::proj::opengl;
use floodplain::glam::{IVec3, Mat4, Vec3};
use floodplain::world::World;
use floodplain::{ChunkPos, Cube, Shape};
use gpu::{Gpu, Mesh, Picture, Pixel, Style};
use hud::{Status, draw as draw_hud};
use mesh::{Flat, FlatMesh};
use meshes::{Made, Meshes};
use miniquad::ShaderError;
use overlay::Overlay;
use scene::SUN;
use shaders::Uniforms;
use std::collections::BTreeMap;
use std::fmt;
use text::Font;

/// The heights of a line of text and of a title, in pixels.
const LINES: [f32; 2] = [17.0, 32.0];

/// The share of light that haze swallows on each cell.
const HAZE: f32 = 0.0011;

/// The most chunks of which a mesh of each kind is made anew in a frame.
pub const CHUNKS_A_FRAME: usize = 12;

/// Why nothing can be drawn.
#[derive(Debug)]
pub enum ViewError {
    /// The font is damaged.
    Font(ab_glyph::InvalidFont),
    /// The GPU does not understand a shader.
    Shader(ShaderError),
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewError::Font(error) => write!(f, "font: {error}"),
            ViewError::Shader(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ViewError {}

/// The meshes of a chunk.
#[derive(Default)]
struct Drawn {
    terrain: Option<Mesh>,
    water: Option<Mesh>,
    effects: Option<Mesh>,
    marks: Option<Mesh>,
}

/// What is on the GPU of a sandbox, and what of it is out of date.
pub struct View {
    gpu: Gpu,
    font: Font,
    pub camera: Camera,
    meshes: Meshes,
    chunks: BTreeMap<ChunkPos, Drawn>,
    /// Meshes that were made and wait for those beside them.
    waiting: Vec<Made>,
    /// Pieces, springs, drains, crates and boats.
    things: Option<Mesh>,
    /// Drops and rain.
    drops: Option<Mesh>,
    sea: Option<Mesh>,
    lines: Option<Mesh>,
    sky: Option<Mesh>,
    screen: Option<Mesh>,
}

impl View {
    /// Returns the view of a sandbox in the window, with nothing meshed yet.
    ///
    /// # Errors
    /// The window's GPU cannot draw it.
    pub fn new(sandbox: &mut Sandbox) -> Result<View, ViewError> {
        let font = Font::new(LINES).map_err(ViewError::Font)?;
        let gpu = Gpu::new(&font).map_err(ViewError::Shader)?;
        Ok(View {
            gpu,
            font,
            camera: outlook(sandbox),
            meshes: Meshes::new(sandbox, Overlay::None),
            chunks: BTreeMap::new(),
            waiting: Vec::new(),
            things: None,
            drops: None,
            sea: None,
            lines: None,
            sky: None,
            screen: None,
        })
    }

    /// Looks at another world.
    pub fn begin(&mut self, sandbox: &mut Sandbox) {
        drop(sandbox.take_changes());
        drop(sandbox.take_events());
        self.waiting.clear();
        for (_, drawn) in std::mem::take(&mut self.chunks) {
            let meshes = [drawn.terrain, drawn.water, drawn.effects, drawn.marks];
            meshes.into_iter().flatten().for_each(|mesh| self.gpu.free(mesh));
        }
        if self.meshes.scene.size() != sandbox.kind().size() {
            self.camera = outlook(sandbox);
        }
        self.meshes = Meshes::new(sandbox, self.overlay());
    }

    /// Goes back to where one looks at the world from first.
    pub fn look_again(&mut self, sandbox: &Sandbox) {
        self.camera = outlook(sandbox);
    }

    pub fn overlay(&self) -> Overlay {
        self.meshes.overlay()
    }

    /// Shows an overlay.
    pub fn show(&mut self, overlay: Overlay, world: &World) {
        self.meshes.show(overlay, world);
    }

    /// Follows the world: after a tick, or after edits while it is paused.
    pub fn follow(&mut self, sandbox: &mut Sandbox, is_tick: bool) {
        self.meshes.follow(sandbox, is_tick);
    }

    /// Returns how many meshes are out of date.
    pub fn stale(&self) -> usize {
        self.meshes.stale()
    }

    /// Makes meshes anew that are out of date, as many as a frame may and as long as `goes_on` says
    /// so; at least one of each kind.
    pub fn refresh(&mut self, sandbox: &mut Sandbox, mut goes_on: impl FnMut() -> bool) {
        self.meshes.catch_up(sandbox);
        for _ in 0..CHUNKS_A_FRAME {
            if !self.refresh_one(sandbox.world()) || !goes_on() {
                return;
            }
        }
    }

    /// Makes all meshes anew that are out of date.
    pub fn refresh_all(&mut self, sandbox: &mut Sandbox) {
        while self.refresh_one(sandbox.world()) {}
        self.meshes.catch_up(sandbox);
        while self.refresh_one(sandbox.world()) {}
    }

    /// Makes a mesh of each kind anew. Returns whether one was out of date.
    fn refresh_one(&mut self, world: &World) -> bool {
        let mut made = self.meshes.make(world);
        let is_stale = !made.is_empty();
        // Marks lie on single cells, so they need not wait.
        self.upload(Made { marks: made.marks.take(), ..Made::default() });
        self.waiting.push(made);
        // A new world is shown as it comes.
        if self.meshes.is_batch_made() || !self.has_drawn_all(world) {
            for made in std::mem::take(&mut self.waiting) {
                self.upload(made);
            }
        }
        is_stale
    }

    fn has_drawn_all(&self, world: &World) -> bool {
        world.chunks().all(|(chunk, _)| self.chunks.contains_key(&chunk))
    }

    fn upload(&mut self, made: Made) {
        let (gpu, chunks) = (&mut self.gpu, &mut self.chunks);
        if let Some((chunk, vertices)) = made.terrain {
            gpu.upload(&mut chunks.entry(chunk).or_default().terrain, &vertices);
        }
        if let Some((chunk, vertices)) = made.water {
            gpu.upload(&mut chunks.entry(chunk).or_default().water, &vertices);
        }
        if let Some((chunk, mesh)) = made.effects {
            gpu.upload(&mut chunks.entry(chunk).or_default().effects, &mesh.0);
        }
        if let Some((chunk, mesh)) = made.marks {
            gpu.upload(&mut chunks.entry(chunk).or_default().marks, &mesh.0);
        }
    }

    /// Draws a frame in the window.
    pub fn draw(&mut self, status: &Status<'_>, seconds: f32) {
        let (width, height) = miniquad::window::screen_size();
        self.draw_on(None, [width, height], status, seconds);
    }

    /// Draws a frame of a size in pixels, of what is meshed, and returns its pixels: red, green and
    /// blue, row by row from the top.
    pub fn take_picture(
        &mut self,
        [width, height]: [u32; 2],
        status: &Status<'_>,
        seconds: f32,
    ) -> Vec<u8> {
        // Twice as large, for smooth edges.
        let picture = self.gpu.new_picture(2 * width, 2 * height);
        let size = [width as f32, height as f32];
        self.draw_on(Some(&picture), size, status, seconds);
        half(&self.gpu.take_pixels(picture), width as usize, height as usize)
    }

    fn draw_on(
        &mut self,
        picture: Option<&Picture>,
        [width, height]: [f32; 2],
        status: &Status<'_>,
        seconds: f32,
    ) {
        let mut canvas = Canvas::new(&self.font);
        draw_hud(&mut canvas, [width, height], status);
        let screen = canvas.into_vertices();
        let sky = sky(&self.font, width, height);
        self.gpu.upload(&mut self.screen, &screen);
        self.gpu.upload(&mut self.sky, &sky);
        self.upload_things(status.sandbox, status.hover, seconds);
        self.upload_drops(status.sandbox, seconds);

        let matrix = self.camera.matrix(width / height);
        let eye = self.camera.eye();
        let uniforms = |matrix: Mat4| Uniforms {
            matrix: matrix.to_cols_array(),
            eye: eye.extend(seconds).to_array(),
            sun: SUN.normalize().extend(HAZE).to_array(),
        };
        let world = uniforms(matrix);
        let pixels = uniforms(opengl::orthographic(0.0, width, height, 0.0, -1.0, 1.0));
        let seen = self.seen(&matrix, eye);
        let part = |part: fn(&Drawn) -> &Option<Mesh>| {
            seen.iter().filter_map(|chunk| part(&self.chunks[chunk]).as_ref()).collect::<Vec<_>>()
        };
        let gpu = &mut self.gpu;
        gpu.begin(picture);
        gpu.draw(Style::Screen, &pixels, &self.sky);
        gpu.draw(Style::Solid, &world, part(|drawn| &drawn.terrain));
        gpu.draw(Style::Solid, &world, &self.things);
        gpu.draw(Style::Water, &world, part(|drawn| &drawn.water));
        gpu.draw(Style::Glass, &world, part(|drawn| &drawn.effects));
        gpu.draw(Style::Glass, &world, &self.sea);
        gpu.draw(Style::Glass, &world, &self.drops);
        if self.meshes.overlay() != Overlay::None {
            gpu.draw(Style::Glass, &world, part(|drawn| &drawn.marks));
        }
        gpu.draw(Style::Lines, &world, &self.lines);
        gpu.draw(Style::Screen, &pixels, &self.screen);
        gpu.end(picture);
    }

    /// Returns the chunks that may be seen, the farthest first.
    fn seen(&self, matrix: &Mat4, eye: Vec3) -> Vec<ChunkPos> {
        let low = |chunk: &ChunkPos| Cube::cell_at(*chunk, 0).as_vec3();
        let is_seen = |chunk: &&ChunkPos| may_see(matrix, low(chunk), low(chunk) + 16.0);
        let mut seen: Vec<ChunkPos> = self.chunks.keys().filter(is_seen).copied().collect();
        let apart = |chunk: &ChunkPos| (low(chunk) + 8.0).distance_squared(eye);
        seen.sort_by(|a, b| apart(b).total_cmp(&apart(a)));
        seen
    }

    /// Uploads drops and rain.
    fn upload_drops(&mut self, sandbox: &Sandbox, seconds: f32) {
        let mut drops = FlatMesh::default();
        self.meshes.spray.add_to(&mut drops, self.camera.sides());
        if sandbox.is_raining() {
            rain::add_to(&mut drops, &self.meshes.scene, &self.camera, seconds);
        }
        self.gpu.upload(&mut self.drops, &drops.0);
    }

    /// Uploads what moves or follows the mouse: pieces, crates and boats, springs, drains, the sea
    /// round the world, and the cells under the mouse.
    fn upload_things(&mut self, sandbox: &Sandbox, hover: Option<(IVec3, u8)>, seconds: f32) {
        let mut things = FlatMesh::default();
        self.meshes.pieces.add_to(&mut things);
        sandbox.floats().iter().for_each(|float| craft::add_to(&mut things, float, seconds));
        let world = sandbox.world();
        for spring in sandbox.springs() {
            add_thing(&mut things, spring, [90, 220, 255, 255]);
        }
        for (drain, _) in world.water().fixtures() {
            add_thing(&mut things, drain, [60, 58, 66, 255]);
        }
        self.gpu.upload(&mut self.things, &things.0);
        let sea = sandbox.sea().map_or_else(FlatMesh::default, |level| sea(sandbox.kind(), level));
        self.gpu.upload(&mut self.sea, &sea.0);
        let lines = hover.map_or_else(Vec::new, |(cell, radius)| frame(cell, radius));
        self.gpu.upload(&mut self.lines, &lines);
    }
}

fn outlook(sandbox: &Sandbox) -> Camera {
    let (place, middle) = sandbox.kind().outlook();
    Camera::new(place, Vec3::from_array(middle))
}

fn add_thing(mesh: &mut FlatMesh, cell: IVec3, colour: [u8; 4]) {
    let middle = cell.as_vec3() + Vec3::new(0.5, 0.4, 0.5);
    mesh.add_box(middle - 0.4, middle + 0.4, colour);
}

/// Returns the sea beyond the shore of a world: a sheet at its level for each side.
fn sea(kind: Kind, level: i32) -> FlatMesh {
    const OUT: f32 = 120.0;
    let (y, size) = (level as f32 + 1.0, kind.size().as_vec3());
    let mut mesh = FlatMesh::default();
    for face in kind.shore() {
        let off = face.offset().as_vec3();
        // From one corner of the side outwards, then along it.
        let from = off.max(Vec3::ZERO) * size;
        let (out, along) = (from + off * OUT, (Vec3::new(1.0, 0.0, 1.0) - off.abs()) * size);
        let corners = [from, out, out + along, from + along].map(|at| at.with_y(y));
        mesh.add(mesh::Quad(corners), [44, 112, 158, 190]);
    }
    mesh
}

/// Returns the edges of the box round a brush, as lines.
fn frame(cell: IVec3, radius: u8) -> Vec<Flat> {
    let radius = f32::from(radius);
    let (low, high) = (cell.as_vec3() - radius - 0.02, cell.as_vec3() + radius + 1.02);
    let corner = |bits: usize| {
        let part = |axis: usize| if bits >> axis & 1 == 0 { low[axis] } else { high[axis] };
        Flat::new(Vec3::new(part(0), part(1), part(2)), [255, 255, 255, 235])
    };
    let edges = (0..8_usize).flat_map(|from| (0..3).map(move |axis| (from, from | 1 << axis)));
    edges
        .filter(|(from, to)| from != to)
        .flat_map(|(from, to)| [corner(from), corner(to)])
        .collect()
}

fn sky(font: &Font, width: f32, height: f32) -> Vec<Pixel> {
    let mut canvas = Canvas::new(font);
    let half = height * 0.55;
    let (zenith, horizon, ground) =
        ([142, 188, 226, 255], [222, 234, 241, 255], [236, 236, 230, 255]);
    canvas.shade(Area { x: 0.0, y: 0.0, width, height: half }, zenith, horizon);
    canvas.shade(Area { x: 0.0, y: half, width, height: height - half }, horizon, ground);
    canvas.into_vertices()
}

/// Returns a picture of half the size, turned upside down, without opacity.
fn half(pixels: &[u8], width: usize, height: usize) -> Vec<u8> {
    let part = |x: usize, y: usize, colour: usize| {
        let at = |dx: usize, dy: usize| {
            let row = 2 * (height - 1 - y) + dy;
            u16::from(pixels[4 * (row * 2 * width + 2 * x + dx) + colour])
        };
        ((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4) as u8
    };
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    cells.flat_map(|(x, y)| [0, 1, 2].map(|colour| part(x, y, colour))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sea_lies_beyond_the_shore() {
        let sheet = sea(Kind::Plain, 7);
        assert_eq!(sheet.0.len(), 4, "the plain has its coast in the east");
        for vertex in &sheet.0 {
            let [x, y, z] = vertex.at;
            assert!((192.0..=312.0).contains(&x) && y == 8.0 && (0.0..=160.0).contains(&z));
        }
        assert_eq!(sea(Kind::UTube, 7).0.len(), 16);
    }

    #[test]
    fn a_brush_has_twelve_edges() {
        let lines = frame(IVec3::new(3, 4, 5), 2);
        assert_eq!(lines.len(), 24);
        let lowest = lines.iter().map(|end| end.at[1]).fold(f32::MAX, f32::min);
        assert_eq!(lowest, 1.98);
    }

    #[test]
    fn pictures_are_halved_and_turned() {
        // Two pixels, one above the other: below red, above green.
        let red = [200, 0, 0, 255].repeat(4);
        let green = [0, 100, 0, 255].repeat(4);
        assert_eq!(half(&[red, green].concat(), 1, 2), [0, 100, 0, 200, 0, 0]);
    }
}
