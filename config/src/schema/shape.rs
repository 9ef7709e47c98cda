//! Shapes: mesh files, scans and the built-in shapes.

use std::path::PathBuf;

use crate::field::choice;
use crate::key::Literal::{Number, Numbers, Points, Text};
use crate::key::{PathUse, integer, number, numbers, path, points};
use crate::macros::{choices, variants};

choices! {
    /// Which samples of a volume are inside.
    pub enum Inside {
        /// Those above `level`, as for bone in a scan.
        Above as "above",
        /// Those below `level`, as for signed distances.
        Below as "below",
    }
}

variants! {
    /// Geometry of a tool or a body.
    pub enum Shape by "kind" = choice::<Shape>("sphere").required(Text("sphere")); {
        /// An exact sphere (a point with a radius, not a mesh). Only for tools.
        Sphere as "sphere" {
            /// Radius of the sphere.
            radius_m: f64 = number(0.005, 1e-5, 1.0).unit("m").required(Number(0.005)),
        },
        /// A triangle mesh from a file: OBJ, STL, PLY or glTF.
        Mesh as "mesh" {
            /// Path of the file.
            file: PathBuf = path(PathUse::Input).required(Text("tool.obj")),
            /// Length of one unit of the file; 0.001 for a file in millimetres.
            scale: f64 = number(1.0, 1e-6, 1e6).unit("m"),
        },
        /// A box centred on the origin.
        Cuboid as "cuboid" {
            /// Full edge lengths along x, y and z.
            size_m: [f64; 3] = numbers(&[0.1, 0.1, 0.1], 1e-5, 100.0).unit("m").required(Numbers(&[0.1, 0.1, 0.1])),
        },
        /// A flat plate. Its top is centred on the origin, in z = 0; its thickness is below.
        Plate as "plate" {
            /// Full edge lengths along x and y.
            size_m: [f64; 2] = numbers(&[0.2, 0.2], 1e-5, 100.0).unit("m").required(Numbers(&[0.2, 0.2])),
            /// Thickness along z.
            thickness_m: f64 = number(0.01, 1e-5, 10.0).unit("m"),
        },
        /// A sphere made of triangles: a subdivided icosahedron.
        Icosphere as "icosphere" {
            /// Radius of the sphere that the vertices lie on.
            radius_m: f64 = number(0.05, 1e-5, 100.0).unit("m").required(Number(0.05)),
            /// Number of times that each of the 20 triangles of the icosahedron is split in four.
            subdivisions: u32 = integer(3, 0, 7),
        },
        /// A cylinder around the z axis, centred on the origin.
        Cylinder as "cylinder" {
            /// Radius of the cylinder.
            radius_m: f64 = number(0.03, 1e-5, 100.0).unit("m").required(Number(0.03)),
            /// Full length along z.
            length_m: f64 = number(0.1, 1e-5, 100.0).unit("m").required(Number(0.1)),
            /// Sides of the polygon that approximates the circle.
            segments: u32 = integer(48, 3, 4096),
        },
        /// A torus around the z axis, centred on the origin.
        Torus as "torus" {
            /// Radius of the centre line of the tube.
            major_radius_m: f64 = number(0.05, 1e-5, 100.0).unit("m").required(Number(0.05)),
            /// Radius of the tube; at most `major_radius_m`.
            minor_radius_m: f64 = number(0.015, 1e-5, 100.0).unit("m").required(Number(0.015)),
            /// Segments along the centre line.
            major_segments: u32 = integer(64, 3, 4096),
            /// Segments around the tube.
            minor_segments: u32 = integer(24, 3, 4096),
        },
        /// A block with a hilly upper side around z = 0. The same `seed` gives the same hills.
        Terrain as "terrain" {
            /// Full edge lengths along x and y.
            size_m: [f64; 2] = numbers(&[0.3, 0.3], 1e-3, 100.0).unit("m").required(Numbers(&[0.3, 0.3])),
            /// Greatest height of a hill, and depth of a valley.
            amplitude_m: f64 = number(0.02, 0.0, 10.0).unit("m"),
            /// Depth of material below z = 0; at least `amplitude_m`.
            depth_m: f64 = number(0.05, 1e-4, 100.0).unit("m"),
            /// Squares along each edge. 71 or more give over 10,000 triangles on the upper side
            /// alone.
            cells: u32 = integer(80, 3, 1024),
            /// Seed of the hills.
            seed: u32 = integer(1, 0, 4_294_967_295),
        },
        /// A block centred on the origin, with a round hole through it along z. For peg-in-hole
        /// tasks.
        BlockWithHole as "block_with_hole" {
            /// Full edge lengths along x, y and z.
            size_m: [f64; 3] = numbers(&[0.1, 0.1, 0.05], 1e-4, 100.0).unit("m").required(Numbers(&[0.1, 0.1, 0.05])),
            /// Radius of the hole; less than half of the edges along x and y.
            hole_radius_m: f64 = number(0.0105, 1e-5, 50.0).unit("m").required(Number(0.0105)),
            /// Sides of the polygon that approximates the circle.
            segments: u32 = integer(48, 8, 4096),
        },
        /// Three walls that meet at right angles, open towards +x, +y and +z. The corner is the
        /// origin.
        InnerCorner as "inner_corner" {
            /// Inner edge length of the walls.
            size_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
            /// Thickness of the walls.
            thickness_m: f64 = number(0.01, 1e-5, 10.0).unit("m"),
        },
        /// A coil around the z axis, centred on the origin: a curve without a surface. Only for
        /// strands of implicit bodies.
        Coil as "coil" {
            /// Radius of the coil.
            radius_m: f64 = number(0.03, 1e-4, 100.0).unit("m").required(Number(0.03)),
            /// Distance from turn to turn.
            pitch_m: f64 = number(0.02, 0.0, 100.0).unit("m").required(Number(0.02)),
            /// Number of turns, fractions included.
            turns: f64 = number(3.0, 0.05, 1000.0).required(Number(3.0)),
        },
        /// A straight line along x, centred on the origin. Only for strands of implicit bodies.
        Line as "line" {
            /// Distance from end to end.
            length_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
        },
        /// A curve that runs to and fro like a gut: straight runs along x, next to each other along
        /// y and in layers, joined by half circles. Centred on the origin, half circles not
        /// counted. Only for strands of implicit bodies.
        Folds as "folds" {
            /// Length of a run, without the half circles at its ends.
            run_m: f64 = number(0.1, 1e-4, 100.0).unit("m").required(Number(0.1)),
            /// Distance from run to run, and from layer to layer.
            pitch_m: f64 = number(0.02, 1e-4, 100.0).unit("m").required(Number(0.02)),
            /// Number of runs in a layer.
            runs: u32 = integer(6, 1, 1000),
            /// Number of layers.
            layers: u32 = integer(1, 1, 100),
        },
        /// A volume of samples from a NRRD file, such as a scan or a simulation. Only for implicit
        /// bodies whose `model` is "fixed". The surface is where the smoothly interpolated samples
        /// equal `level`; it is closed at the border of the volume.
        Volume as "volume" {
            /// Path of the file: three axes of numbers, raw, ASCII or gzip.
            file: PathBuf = path(PathUse::Input).required(Text("volume.nrrd")),
            /// Value of samples on the surface, in the unit of the samples.
            level: f64 = number(0.0, -1e9, 1e9).required(Number(300.0)),
            /// Which samples are inside.
            inside: Inside = choice::<Inside>("above"),
            /// Length of one unit of the file; 0.001 for a file in millimetres. Unset: as the file
            /// states.
            scale: Option<f64> = number(0.001, 1e-6, 1e6).unit("m").optional(Number(0.001)),
        },
        /// An invented skull, from no person's anatomy, as a volume of samples. Its face points
        /// along -y and its crown along +z; it is centred on the origin. Only for implicit bodies
        /// whose `model` is "fixed".
        Skull as "skull" {
            /// Height from chin to crown.
            height_m: f64 = number(0.21, 0.001, 10.0).unit("m"),
            /// Samples along the height.
            samples: u32 = integer(96, 16, 256),
        },
        /// A simple polygon in the plane z = 0. A scene with one is planar: all its shapes are then
        /// planar. Clients see prisms 10 mm high. A tool must be convex; it turns with the arm if
        /// the arm measures orientation.
        Polygon as "polygon" {
            /// Vertices in order around the polygon, in either direction. Edges that are not
            /// adjacent must be at least 10 um apart.
            vertices_m: Vec<[f64; 2]> = points(3, 256, -100.0, 100.0).unit("m").required(Points(&[[0.0, 0.0], [0.04, 0.0], [0.0, 0.04]])),
        },
        /// A star around the origin, a polygon of planar scenes. Its first point lies along +x.
        /// Only for bodies.
        Star as "star" {
            /// Number of points.
            points: u32 = integer(5, 2, 64),
            /// Distance from the origin to the points.
            outer_radius_m: f64 = number(0.02, 1e-4, 100.0).unit("m").required(Number(0.02)),
            /// Distance from the origin to the corners between the points; at most
            /// `outer_radius_m`.
            inner_radius_m: f64 = number(0.01, 1e-4, 100.0).unit("m").required(Number(0.01)),
        },
        /// A disc of planar scenes, as a regular polygon that contains it. The corners lie outside
        /// the disc by a factor of `1 / cos(pi / sides)`: 0.9 % with 24 sides.
        Disc as "disc" {
            /// Radius of the disc.
            radius_m: f64 = number(0.005, 1e-4, 10.0).unit("m").required(Number(0.005)),
            /// Sides of the polygon.
            sides: u32 = integer(16, 6, 64),
        },
        /// A square sheet without thickness in z = 0, facing +z. Needs `solid = false`.
        Sheet as "sheet" {
            /// Edge length of the sheet.
            size_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
            /// Squares along each edge, of two triangles each.
            cells: u32 = integer(8, 1, 1024),
        },
    }
}
