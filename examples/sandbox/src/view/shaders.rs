//! Shaders, in the GLSL that both OpenGL and WebGL know, and the uniforms that they share.

use miniquad::{ShaderMeta, UniformBlockLayout, UniformDesc, UniformType};

/// What all shaders know of a frame.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Uniforms {
    /// From the world, or from pixels, to the screen.
    pub matrix: [f32; 16],
    /// Where the camera stands, and the seconds since the program began.
    pub eye: [f32; 4],
    /// Where the sun stands, and how much of its light haze swallows on each cell.
    pub sun: [f32; 4],
}

/// Returns the names of the uniforms, in their order, and of textures.
pub fn meta(images: &[&str]) -> ShaderMeta {
    let uniforms = vec![
        UniformDesc::new("matrix", UniformType::Mat4),
        UniformDesc::new("eye", UniformType::Float4),
        UniformDesc::new("sun", UniformType::Float4),
    ];
    let images = images.iter().map(|&image| image.to_owned()).collect();
    ShaderMeta { uniforms: UniformBlockLayout { uniforms }, images }
}

pub const FLAT_VERTEX: &str = r"#version 100
attribute vec3 at;
attribute vec4 colour;
uniform mat4 matrix;
uniform vec4 eye;
uniform vec4 sun;
varying highp vec4 shade;
varying highp float haze;
void main() {
    gl_Position = matrix * vec4(at, 1.0);
    shade = colour / 255.0;
    haze = 1.0 - exp(-max(distance(at, eye.xyz) - 60.0, 0.0) * sun.w);
}
";

pub const FLAT_FRAGMENT: &str = r"#version 100
precision highp float;
varying highp vec4 shade;
varying highp float haze;
void main() {
    gl_FragColor = vec4(mix(shade.rgb, vec3(0.80, 0.88, 0.94), haze), shade.a);
}
";

pub const WATER_VERTEX: &str = r"#version 100
attribute vec3 at;
attribute vec3 normal;
attribute vec4 looks;
uniform mat4 matrix;
varying highp vec3 place;
varying highp vec3 up;
varying highp vec2 look;
void main() {
    gl_Position = matrix * vec4(at, 1.0);
    place = at;
    up = normal;
    look = looks.xy / vec2(16.0, 255.0);
}
";

/// The surface mirrors the sky the more, the flatter one looks at it (Schlick), with ripples that
/// run over it; what is seen through it is the bluer, the deeper it is.
pub const WATER_FRAGMENT: &str = r"#version 100
precision highp float;
uniform vec4 eye;
uniform vec4 sun;
varying highp vec3 place;
varying highp vec3 up;
varying highp vec2 look;
void main() {
    float time = eye.w;
    vec2 p = place.xz;
    vec2 slope = 0.030 * vec2(cos(1.7 * p.x + 0.6 * p.y + 1.3 * time), cos(1.5 * p.y - 0.5 * p.x + 1.1 * time))
        + 0.022 * vec2(cos(3.9 * p.x - 2.1 * p.y - 2.3 * time), cos(3.1 * p.y + 2.7 * p.x + 1.9 * time));
    vec3 normal = normalize(up + vec3(slope.x, 0.0, slope.y) * (0.4 + 2.2 * look.y));
    vec3 view = normalize(eye.xyz - place);
    float facing = max(dot(normal, view), 0.0);
    float mirror = 0.03 + 0.97 * pow(1.0 - facing, 5.0);
    vec3 ray = reflect(-view, normal);
    vec3 sky = mix(vec3(0.84, 0.91, 0.96), vec3(0.40, 0.62, 0.86), clamp(ray.y, 0.0, 1.0));
    float glint = pow(max(dot(ray, sun.xyz), 0.0), 220.0);
    float deep = 1.0 - exp(-0.30 * look.x);
    float light = 0.72 + 0.28 * max(dot(normal, sun.xyz), 0.0);
    vec3 body = mix(vec3(0.28, 0.62, 0.72), vec3(0.05, 0.27, 0.48), deep) * light;
    float foam = look.y * (0.62 + 0.38 * sin(5.0 * (p.x + p.y) + 6.0 * sin(1.3 * p.x - 2.0 * time)));
    vec3 colour = mix(body, sky, mirror) + vec3(1.0, 0.95, 0.82) * glint;
    colour = mix(colour, vec3(0.93, 0.97, 0.99), 0.62 * foam);
    float opaque = mix(0.52, 0.93, deep);
    gl_FragColor = vec4(colour, clamp(max(opaque, mirror) + 0.4 * foam + glint, 0.0, 1.0));
}
";

pub const SCREEN_VERTEX: &str = r"#version 100
attribute vec2 at;
attribute vec2 uv;
attribute vec4 colour;
uniform mat4 matrix;
varying highp vec4 shade;
varying highp vec2 place;
void main() {
    gl_Position = matrix * vec4(at, 0.0, 1.0);
    shade = colour / 255.0;
    place = uv;
}
";

pub const SCREEN_FRAGMENT: &str = r"#version 100
precision highp float;
uniform sampler2D glyphs;
varying highp vec4 shade;
varying highp vec2 place;
void main() {
    gl_FragColor = vec4(shade.rgb, shade.a * texture2D(glyphs, place).a);
}
";
