"""GLSL 1.20 of the 3D view. Vertices in metres in the world; colours linear until the last line."""

BODY_VERTEX = """
uniform mat4 u_model;
uniform mat4 u_camera;
uniform float u_pull;
attribute vec3 a_position;
attribute vec3 a_normal;
attribute vec2 a_uv;
varying vec3 v_place;
varying vec3 v_normal;
varying vec2 v_uv;
void main() {
    vec4 place = u_model * vec4(a_position, 1.0);
    v_place = place.xyz;
    v_normal = mat3(u_model[0].xyz, u_model[1].xyz, u_model[2].xyz) * a_normal;
    v_uv = a_uv;
    gl_Position = u_camera * place;
    gl_Position.z -= u_pull * gl_Position.w;
}
"""

BODY_FRAGMENT = """
uniform vec3 u_color;
uniform vec3 u_eye;
uniform vec3 u_to_light;
uniform float u_roughness;
uniform float u_metallic;
uniform float u_textured;
uniform sampler2D u_texture;
varying vec3 v_place;
varying vec3 v_normal;
varying vec2 v_uv;
void main() {
    vec3 n = normalize(v_normal);
    vec3 v = normalize(u_eye - v_place);
    if (dot(n, v) < 0.0) n = -n;
    vec3 base = u_color;
    if (u_textured > 0.5) base *= pow(texture2D(u_texture, v_uv).rgb, vec3(2.2));
    float sky = 0.5 + 0.5 * n.z;
    vec3 ambient = mix(vec3(0.16), vec3(0.42), sky);
    float facing = max(dot(n, u_to_light), 0.0);
    vec3 h = normalize(u_to_light + v);
    float a = max(u_roughness * u_roughness, 0.02);  // Trowbridge and Reitz 1975, as GGX
    float nh = max(dot(n, h), 0.0);
    float d = a * a / pow(nh * nh * (a * a - 1.0) + 1.0, 2.0) / 3.14159;
    vec3 f0 = mix(vec3(0.04), base, u_metallic);
    vec3 shine = f0 * min(d, 6.0) * facing * 0.6;
    float edge = pow(1.0 - max(dot(n, v), 0.0), 5.0);
    vec3 mirrored = (f0 + (1.0 - f0) * edge) * mix(vec3(0.10), vec3(0.55), 0.5 + 0.5 * reflect(-v, n).z);
    vec3 color = base * (1.0 - 0.85 * u_metallic) * (ambient + 0.75 * facing) + shine;
    color += mirrored * mix(0.12, 0.9, u_metallic) * (1.0 - 0.6 * u_roughness);
    gl_FragColor = vec4(pow(clamp(color, 0.0, 1.0), vec3(1.0 / 2.2)), 1.0);
}
"""

GHOST_FRAGMENT = """
uniform vec3 u_tint;
uniform vec3 u_eye;
varying vec3 v_place;
varying vec3 v_normal;
varying vec2 v_uv;
void main() {
    float facing = abs(dot(normalize(v_normal), normalize(u_eye - v_place)));
    gl_FragColor = vec4(u_tint, 0.16 + 0.62 * pow(1.0 - facing, 2.0));
}
"""

GROUND_VERTEX = """
uniform mat4 u_camera;
uniform vec3 u_centre;
uniform float u_reach;
attribute vec2 a_corner;
varying vec3 v_place;
void main() {
    v_place = u_centre + vec3(a_corner * u_reach, 0.0);
    gl_Position = u_camera * vec4(v_place, 1.0);
}
"""

GROUND_FRAGMENT = """
uniform vec3 u_ground;
uniform vec3 u_line;
uniform vec3 u_back;
uniform vec3 u_centre;
uniform float u_reach;
uniform float u_step;
uniform float u_lines;
varying vec3 v_place;
float grid(float step) {
    vec2 at = v_place.xy / step;
    vec2 wide = max(fwidth(at), vec2(1e-5));
    vec2 near = abs(fract(at - 0.5) - 0.5) / wide;
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * (1.0 - smoothstep(0.2, 0.6, max(wide.x, wide.y)));
}
void main() {
    float out_there = smoothstep(0.25, 1.0, length(v_place.xy - u_centre.xy) / u_reach);
    float line = max(0.4 * grid(u_step), 0.8 * grid(5.0 * u_step)) * u_lines;
    vec3 color = mix(u_ground, u_line, line);
    gl_FragColor = vec4(mix(color, u_back, out_there), 1.0);
}
"""

SHADOW_VERTEX = """
uniform mat4 u_model;
uniform mat4 u_camera;
uniform mat4 u_receiver;
uniform vec3 u_along;
uniform float u_height;
uniform float u_lift;
attribute vec3 a_position;
varying vec3 v_local;
varying float v_above;
void main() {
    vec3 place = (u_model * vec4(a_position, 1.0)).xyz;
    v_above = place.z - u_height;
    vec3 shade = place - u_along * (v_above / u_along.z);
    v_local = (u_receiver * vec4(shade, 1.0)).xyz;
    gl_Position = u_camera * vec4(shade.xy, u_height + u_lift, 1.0);
}
"""

SHADOW_FRAGMENT = """
uniform vec2 u_half;
uniform float u_strength;
varying vec3 v_local;
varying float v_above;
void main() {
    if (v_above < -1e-4 || abs(v_local.x) > u_half.x || abs(v_local.y) > u_half.y) discard;
    gl_FragColor = vec4(0.0, 0.0, 0.0, u_strength);
}
"""

LINE_VERTEX = """
uniform mat4 u_camera;
uniform vec2 u_size;
attribute vec3 a_here;
attribute vec3 a_there;
attribute float a_side;
attribute float a_width;
attribute vec4 a_color;
varying vec4 v_color;
const float NEAR = 1e-4;
void main() {
    vec4 here = u_camera * vec4(a_here, 1.0);
    vec4 there = u_camera * vec4(a_there, 1.0);
    v_color = a_color;
    if (here.w < NEAR && there.w < NEAR) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        return;
    }
    if (here.w < NEAR) here = mix(there, here, (there.w - NEAR) / (there.w - here.w));
    if (there.w < NEAR) there = mix(here, there, (here.w - NEAR) / (here.w - there.w));
    vec2 along = (there.xy / there.w - here.xy / here.w) * u_size;
    along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    here.xy += vec2(-along.y, along.x) * a_side * a_width / u_size * here.w;
    here.z -= 2e-4 * here.w;
    gl_Position = here;
}
"""

LINE_FRAGMENT = """
varying vec4 v_color;
void main() { gl_FragColor = v_color; }
"""

POINT_VERTEX = """
uniform mat4 u_camera;
uniform float u_pixels;
uniform float u_radius;
attribute vec3 a_position;
void main() {
    gl_Position = u_camera * vec4(a_position, 1.0);
    gl_PointSize = max(u_pixels, u_radius / gl_Position.w);
    gl_Position.z -= 3e-4 * gl_Position.w;
}
"""

POINT_FRAGMENT = """
uniform vec4 u_color;
void main() {
    vec2 at = 2.0 * gl_PointCoord - 1.0;
    float out_there = dot(at, at);
    if (out_there > 1.0) discard;
    gl_FragColor = vec4(u_color.rgb * (1.0 - 0.35 * out_there), u_color.a);
}
"""

PICTURE_VERTEX = """
uniform mat4 u_camera;
attribute vec3 a_position;
attribute vec2 a_uv;
varying vec2 v_uv;
void main() {
    v_uv = a_uv;
    gl_Position = u_camera * vec4(a_position, 1.0);
}
"""

PICTURE_FRAGMENT = """
uniform sampler2D u_texture;
varying vec2 v_uv;
void main() { gl_FragColor = vec4(texture2D(u_texture, v_uv).rgb, 0.92); }
"""
