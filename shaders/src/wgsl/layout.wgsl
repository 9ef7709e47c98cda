// Structures shared with the CPU twin, field by field as in `hapticd_rays::layout`; the test
// `layout` compares the two. `target` is a reserved word in WGSL, hence `target_`.

const NONE: u32 = 0xffffffffu;
const SHEET: u32 = 1u;
const DEFORMABLE: u32 = 2u;

struct Point {
    x: vec3<f32>,
    cluster: u32,
}

struct Normal {
    n: vec3<f32>,
    exit: f32,
}

struct Triangle {
    v: vec3<u32>,
    cluster: u32,
}

struct Neighbours {
    across: vec3<u32>,
    pad: u32,
}

struct Node {
    low: vec3<f32>,
    skip: u32,
    high: vec3<f32>,
    leaf: u32,
}

struct Object {
    q: vec4<f32>,
    t: vec3<f32>,
    radius: f32,
    first_point: u32,
    points: u32,
    first_triangle: u32,
    triangles: u32,
    first_node: u32,
    nodes: u32,
    first_record: u32,
    flags: u32,
    half_thickness: f32,
    walk_limit: u32,
    first_cluster: u32,
    clusters: u32,
}

struct Ray {
    source: u32,
    point: u32,
    target_: u32,
    start: u32,
}
