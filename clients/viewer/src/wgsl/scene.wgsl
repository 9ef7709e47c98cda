// Bodies and glyphs with light from two sides, and lines of a width in pixels. Colours come linear
// and leave as sRGB: the target is not.

struct View {
    clip_from_world: mat4x4<f32>,
    eye: vec4<f32>,
    // Unit, towards the light; world frame.
    key: vec4<f32>,
    sky: vec4<f32>,
    ground: vec4<f32>,
    // Width and height in pixels; depth of the near plane, m.
    size: vec4<f32>,
    // Where fading lines fade about, and how far from there they end, m.
    fade: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;

struct Instance {
    @location(2) row0: vec4<f32>,
    @location(3) row1: vec4<f32>,
    @location(4) row2: vec4<f32>,
    @location(5) color: vec4<f32>,
}

struct Lit {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) color: vec4<f32>,
}

@vertex
fn body(@location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, it: Instance) -> Lit {
    let p = vec4(position, 1.0);
    let world = vec3(dot(it.row0, p), dot(it.row1, p), dot(it.row2, p));
    // Normals go by the cofactors, so that a glyph may be stretched.
    let x = vec3(it.row0.x, it.row1.x, it.row2.x);
    let y = vec3(it.row0.y, it.row1.y, it.row2.y);
    let z = vec3(it.row0.z, it.row1.z, it.row2.z);
    var out: Lit;
    out.clip = view.clip_from_world * vec4(world, 1.0);
    out.world = world;
    out.normal = cross(y, z) * normal.x + cross(z, x) * normal.y + cross(x, y) * normal.z;
    out.color = it.color;
    return out;
}

fn encoded(linear: vec3<f32>) -> vec3<f32> {
    let c = clamp(linear, vec3(0.0), vec3(1.0));
    return select(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3(0.0031308));
}

@fragment
fn lit(in: Lit) -> @location(0) vec4<f32> {
    let to_eye = normalize(view.eye.xyz - in.world);
    var n = in.normal * inverseSqrt(max(dot(in.normal, in.normal), 1e-30));
    n = select(-n, n, dot(n, to_eye) >= 0.0);
    let around = mix(view.ground.rgb, view.sky.rgb, 0.5 + 0.5 * n.z);
    let key = max(dot(n, view.key.xyz), 0.0);
    // A little light from the eye, so that no side is flat.
    let head = max(dot(n, to_eye), 0.0);
    let half_way = normalize(view.key.xyz + to_eye);
    let gloss = 0.10 * pow(max(dot(n, half_way), 0.0), 48.0);
    let light = around + vec3(0.80 * key + 0.14 * head);
    return vec4(encoded(in.color.rgb * light + vec3(gloss)), in.color.a);
}

// What is hidden behind something, shown through it.
@fragment
fn veiled(in: Lit) -> @location(0) vec4<f32> {
    return vec4(encoded(in.color.rgb), 0.35 * in.color.a);
}

struct Line {
    @location(0) from_width: vec4<f32>,
    @location(1) to_fade: vec4<f32>,
    @location(2) color: vec4<f32>,
}

struct Drawn {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) color: vec4<f32>,
    @location(2) fade: f32,
}

@vertex
fn line(@builtin(vertex_index) index: u32, it: Line) -> Drawn {
    var a = view.clip_from_world * vec4(it.from_width.xyz, 1.0);
    var b = view.clip_from_world * vec4(it.to_fade.xyz, 1.0);
    var ends = array(it.from_width.xyz, it.to_fade.xyz);
    // What is behind the near plane is cut off before the division: w is the depth.
    let near = view.size.z;
    if a.w < near && b.w > near {
        let t = (near - a.w) / (b.w - a.w);
        a = mix(a, b, t);
        ends[0] = mix(ends[0], ends[1], t);
    } else if b.w < near && a.w > near {
        let t = (near - b.w) / (a.w - b.w);
        b = mix(b, a, t);
        ends[1] = mix(ends[1], ends[0], t);
    }
    let along = normalize((b.xy / b.w - a.xy / a.w) * view.size.xy + vec2(1e-9, 0.0));
    let side = vec2(-along.y, along.x) * it.from_width.w / view.size.xy;
    let second = index == 1u || index == 4u || index == 5u;
    let left = index == 0u || index == 1u || index == 4u;
    let at = select(a, b, second);
    var out: Drawn;
    out.clip = vec4(at.xy + select(-side, side, left) * at.w, at.zw);
    out.world = select(ends[0], ends[1], second);
    out.color = it.color;
    out.fade = it.to_fade.w;
    return out;
}

@fragment
fn drawn(in: Drawn) -> @location(0) vec4<f32> {
    let far = length(in.world - view.fade.xyz) / view.fade.w;
    let faded = clamp(1.0 - far, 0.0, 1.0);
    return vec4(encoded(in.color.rgb), in.color.a * mix(1.0, faded, in.fade));
}
