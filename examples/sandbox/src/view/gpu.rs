//! What runs on the GPU: pipelines, buffers, and pictures read back from it.

use super::mesh::{Flat, Wet};
use super::shaders::{self, Uniforms};
use super::text::Font;
use miniquad::{
    BlendFactor, BlendState, BlendValue, BufferId, BufferLayout, BufferSource, BufferType,
    BufferUsage, Comparison, CullFace, Equation, PassAction, Pipeline, PipelineParams,
    PrimitiveType, RenderPass, RenderingBackend, ShaderError, ShaderSource, TextureFormat,
    TextureId, TextureParams, UniformsSource, VertexAttribute, VertexFormat, window,
};

/// The most quadrilaterals in a buffer: their vertices are counted by 16 bits.
pub const MOST_QUADS: usize = 1 << 14;

/// The colour that a frame begins with; all of it is drawn over.
const CLEAR: (f32, f32, f32, f32) = (0.80, 0.88, 0.94, 1.0);

/// How something is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Solid [`Flat`] vertices.
    Solid,
    /// Translucent ones.
    Glass,
    /// Lines of [`Flat`] vertices.
    Lines,
    /// [`Wet`] vertices.
    Water,
    /// [`Pixel`] vertices.
    Screen,
}

/// A vertex on the screen, in pixels from its upper left corner.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pixel {
    pub at: [f32; 2],
    /// The place in the font's texture.
    pub uv: [f32; 2],
    pub colour: [u8; 4],
}

/// Vertices in the memory of the GPU.
#[derive(Debug)]
pub struct Mesh {
    buffer: BufferId,
    /// In bytes.
    capacity: usize,
    /// Vertices that are drawn.
    count: usize,
}

/// The connection to the GPU.
pub struct Gpu {
    context: Box<dyn RenderingBackend>,
    pipelines: Vec<(Style, Pipeline)>,
    /// The indices of two triangles for each four vertices.
    quads: BufferId,
    /// 0, 1, 2, …
    row: BufferId,
    font: TextureId,
}

impl Gpu {
    /// Connects to the window's GPU.
    ///
    /// # Errors
    /// A shader that it does not understand.
    pub fn new(font: &Font) -> Result<Gpu, ShaderError> {
        let mut context = window::new_rendering_backend();
        let pipelines = pipelines(context.as_mut())?;
        let first = (0..MOST_QUADS).map(|quad| quad as u16 * 4);
        let quads: Vec<u16> =
            first.flat_map(|first| [0, 1, 2, 0, 2, 3].map(|corner| first + corner)).collect();
        let row: Vec<u16> = (0..=u16::MAX).collect();
        let mut indices = |list: &[u16]| {
            let source = BufferSource::slice(list);
            context.new_buffer(BufferType::IndexBuffer, BufferUsage::Immutable, source)
        };
        let (quads, row) = (indices(&quads), indices(&row));
        let (width, height) = font.size();
        let font = context.new_texture_from_rgba8(width, height, font.pixels());
        Ok(Gpu { context, pipelines, quads, row, font })
    }

    /// Puts vertices into a mesh, in place of those that it has. More than a buffer holds are left
    /// out.
    pub fn upload<T>(&mut self, mesh: &mut Option<Mesh>, vertices: &[T]) {
        let vertices = &vertices[..vertices.len().min(4 * MOST_QUADS)];
        let bytes = std::mem::size_of_val(vertices);
        if vertices.is_empty() {
            if let Some(mesh) = mesh {
                mesh.count = 0;
            }
            return;
        }
        if let Some(old) = mesh.take_if(|mesh| mesh.capacity < bytes) {
            self.context.delete_buffer(old.buffer);
        }
        let mesh = mesh.get_or_insert_with(|| {
            // A quarter more, since water comes and goes.
            let room = vertices.len() + vertices.len() / 4;
            let source = BufferSource::empty::<T>(room);
            let buffer =
                self.context.new_buffer(BufferType::VertexBuffer, BufferUsage::Dynamic, source);
            Mesh { buffer, capacity: room * std::mem::size_of::<T>(), count: 0 }
        });
        self.context.buffer_update(mesh.buffer, BufferSource::slice(vertices));
        mesh.count = vertices.len();
    }

    /// Frees the memory of a mesh.
    pub fn free(&mut self, mesh: Mesh) {
        self.context.delete_buffer(mesh.buffer);
    }

    /// Begins a frame in the window, or in a picture.
    pub fn begin(&mut self, picture: Option<&Picture>) {
        let (red, green, blue, opaque) = CLEAR;
        let clear = PassAction::clear_color(red, green, blue, opaque);
        match picture {
            None => self.context.begin_default_pass(clear),
            Some(picture) => self.context.begin_pass(Some(picture.pass), clear),
        }
    }

    /// Draws meshes in one style.
    pub fn draw<'a>(
        &mut self,
        style: Style,
        uniforms: &Uniforms,
        meshes: impl IntoIterator<Item = &'a Mesh>,
    ) {
        let Some((_, pipeline)) = self.pipelines.iter().find(|(other, _)| *other == style) else {
            return;
        };
        self.context.apply_pipeline(pipeline);
        let font = [self.font];
        let (indices, images): (_, &[TextureId]) = match style {
            Style::Lines => (self.row, &[]),
            Style::Screen => (self.quads, &font),
            _ => (self.quads, &[]),
        };
        for mesh in meshes.into_iter().filter(|mesh| mesh.count > 0) {
            self.context.apply_bindings_from_slice(&[mesh.buffer], indices, images);
            self.context.apply_uniforms(UniformsSource::table(uniforms));
            let elements = if style == Style::Lines { mesh.count } else { mesh.count / 4 * 6 };
            self.context.draw(0, elements as i32, 1);
        }
    }

    /// Ends a frame in the window, or in a picture.
    pub fn end(&mut self, picture: Option<&Picture>) {
        self.context.end_render_pass();
        if picture.is_none() {
            self.context.commit_frame();
        }
    }

    /// Returns a picture to draw on, of a size in pixels.
    pub fn new_picture(&mut self, width: u32, height: u32) -> Picture {
        let params = TextureParams { width, height, ..TextureParams::default() };
        let colours = self.context.new_render_texture(params);
        let format = TextureFormat::Depth32;
        let depth = self.context.new_render_texture(TextureParams { format, ..params });
        Picture { pass: self.context.new_render_pass(colours, Some(depth)), colours, depth }
    }

    /// Returns the pixels of a picture: red, green, blue and opacity, row by row from the bottom.
    /// Frees its memory.
    pub fn take_pixels(&mut self, picture: Picture) -> Vec<u8> {
        let (width, height) = self.context.texture_size(picture.colours);
        let mut pixels = vec![0; (4 * width * height) as usize];
        self.context.texture_read_pixels(picture.colours, &mut pixels);
        self.context.delete_render_pass(picture.pass);
        for texture in [picture.colours, picture.depth] {
            self.context.delete_texture(texture);
        }
        pixels
    }
}

/// A picture in the memory of the GPU.
#[derive(Debug)]
pub struct Picture {
    pass: RenderPass,
    colours: TextureId,
    depth: TextureId,
}

fn pipelines(context: &mut dyn RenderingBackend) -> Result<Vec<(Style, Pipeline)>, ShaderError> {
    let shader = |context: &mut dyn RenderingBackend, vertex, fragment, images: &[&str]| {
        context.new_shader(ShaderSource::Glsl { vertex, fragment }, shaders::meta(images))
    };
    let flat = shader(context, shaders::FLAT_VERTEX, shaders::FLAT_FRAGMENT, &[])?;
    let water = shader(context, shaders::WATER_VERTEX, shaders::WATER_FRAGMENT, &[])?;
    let screen = shader(context, shaders::SCREEN_VERTEX, shaders::SCREEN_FRAGMENT, &["glyphs"])?;
    let (float2, float3, byte4) = (VertexFormat::Float2, VertexFormat::Float3, VertexFormat::Byte4);
    let flat_layout = [VertexAttribute::new("at", float3), VertexAttribute::new("colour", byte4)];
    let water_layout = [
        VertexAttribute::new("at", float3),
        VertexAttribute::new("normal", float3),
        VertexAttribute::new("looks", byte4),
    ];
    let screen_layout = [
        VertexAttribute::new("at", float2),
        VertexAttribute::new("uv", float2),
        VertexAttribute::new("colour", byte4),
    ];
    let styles = [Style::Solid, Style::Glass, Style::Lines, Style::Water, Style::Screen];
    Ok(styles
        .map(|style| {
            let (shader, layout, bytes): (_, &[VertexAttribute], _) = match style {
                Style::Water => (water, &water_layout, std::mem::size_of::<Wet>()),
                Style::Screen => (screen, &screen_layout, std::mem::size_of::<Pixel>()),
                _ => (flat, &flat_layout, std::mem::size_of::<Flat>()),
            };
            let buffer = BufferLayout { stride: bytes as i32, ..BufferLayout::default() };
            (style, context.new_pipeline(&[buffer], layout, shader, params(style)))
        })
        .into())
}

fn params(style: Style) -> PipelineParams {
    let over = BlendState::new(
        Equation::Add,
        BlendFactor::Value(BlendValue::SourceAlpha),
        BlendFactor::OneMinusValue(BlendValue::SourceAlpha),
    );
    // What is behind the page of a browser must not shine through.
    let keep = BlendState::new(Equation::Add, BlendFactor::Zero, BlendFactor::One);
    let is_translucent = style != Style::Solid;
    let is_in_front = style == Style::Screen;
    PipelineParams {
        cull_face: match style {
            Style::Solid | Style::Water => CullFace::Back,
            _ => CullFace::Nothing,
        },
        depth_test: if is_in_front { Comparison::Always } else { Comparison::LessOrEqual },
        // Without it, miniquad does not test the depth either.
        depth_write: !is_in_front,
        color_blend: is_translucent.then_some(over),
        alpha_blend: is_translucent.then_some(keep),
        primitive_type: match style {
            Style::Lines => PrimitiveType::Lines,
            _ => PrimitiveType::Triangles,
        },
        ..PipelineParams::default()
    }
}
