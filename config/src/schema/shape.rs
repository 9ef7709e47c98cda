//! Shapes: a mesh file or one of the built-in closed surfaces.

use std::path::PathBuf;

use crate::key::Literal::{Number, Numbers, Points, Text};
use crate::key::{PathUse, choice, integer, number, numbers, path, points};
use crate::macros::{choices, variants};

choices! {
    /// Which samples of a volume are inside.
    pub enum Inside {
        /// Those above the level, as bone is in a scan.
        Above as "above",
        /// Those below it, as in signed distances.
        Below as "below",
    }
}

variants! {
    /// What a tool or a body looks like.
    pub enum Shape by "kind" = choice::<Shape>("sphere").required(Text("sphere")); {
        /// An exact sphere (a point with a radius, not a mesh). Only for tools.
        Sphere as "sphere" {
            /// Radius.
            radius_m: f64 = number(0.005, 1e-5, 1.0).unit("m").required(Number(0.005)),
        },
        /// A triangle mesh from a file: OBJ, STL, PLY or glTF.
        Mesh as "mesh" {
            /// The file.
            file: PathBuf = path(PathUse::Input).required(Text("tool.obj")),
            /// Length of one unit of the file; 0.001 for a file in millimetres.
            scale: f64 = number(1.0, 1e-6, 1e6).unit("m"),
        },
        /// A box centred on the origin.
        Cuboid as "cuboid" {
            /// Full edge lengths along x, y and z.
            size_m: [f64; 3] = numbers(&[0.1, 0.1, 0.1], 1e-5, 100.0).unit("m").required(Numbers(&[0.1, 0.1, 0.1])),
        },
        /// A flat plate: its top is centred on the origin, in z = 0, and its thickness is below.
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
            /// How often the 20 triangles of the icosahedron are split in four.
            subdivisions: u32 = integer(3, 0, 7),
        },
        /// A cylinder around the z axis, centred on the origin.
        Cylinder as "cylinder" {
            /// Radius.
            radius_m: f64 = number(0.03, 1e-5, 100.0).unit("m").required(Number(0.03)),
            /// Full length along z.
            length_m: f64 = number(0.1, 1e-5, 100.0).unit("m").required(Number(0.1)),
            /// Sides of the polygon that stands for the circle.
            segments: u32 = integer(48, 3, 4096),
        },
        /// A torus around the z axis, centred on the origin.
        Torus as "torus" {
            /// Radius of the circle in the middle of the tube.
            major_radius_m: f64 = number(0.05, 1e-5, 100.0).unit("m").required(Number(0.05)),
            /// Radius of the tube.
            minor_radius_m: f64 = number(0.015, 1e-5, 100.0).unit("m").required(Number(0.015)),
            /// Segments along the big circle.
            major_segments: u32 = integer(64, 3, 4096),
            /// Segments around the tube.
            minor_segments: u32 = integer(24, 3, 4096),
        },
        /// A block with a hilly upper side around z = 0; the same `seed` gives the same hills.
        Terrain as "terrain" {
            /// Full edge lengths along x and y.
            size_m: [f64; 2] = numbers(&[0.3, 0.3], 1e-3, 100.0).unit("m").required(Numbers(&[0.3, 0.3])),
            /// Greatest height of a hill, and depth of a valley.
            amplitude_m: f64 = number(0.02, 0.0, 10.0).unit("m"),
            /// Material under z = 0: at least `amplitude_m`.
            depth_m: f64 = number(0.05, 1e-4, 100.0).unit("m"),
            /// Squares along each edge; 71 or more give above 10 000 triangles on the upper side
            /// alone.
            cells: u32 = integer(80, 3, 1024),
            /// Chooses the hills.
            seed: u32 = integer(1, 0, 4_294_967_295),
        },
        /// A block centred on the origin with a round hole through it along z, for peg-in-hole
        /// tasks.
        BlockWithHole as "block_with_hole" {
            /// Full edge lengths along x, y and z.
            size_m: [f64; 3] = numbers(&[0.1, 0.1, 0.05], 1e-4, 100.0).unit("m").required(Numbers(&[0.1, 0.1, 0.05])),
            /// Radius of the hole: less than half of the edge along x and along y.
            hole_radius_m: f64 = number(0.0105, 1e-5, 50.0).unit("m").required(Number(0.0105)),
            /// Sides of the polygon that stands for the circle.
            segments: u32 = integer(48, 8, 4096),
        },
        /// Three walls that meet at right angles, open towards +x, +y and +z; the corner is the
        /// origin.
        InnerCorner as "inner_corner" {
            /// Inner edge length of the walls.
            size_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
            /// Thickness of the walls.
            thickness_m: f64 = number(0.01, 1e-5, 10.0).unit("m"),
        },
        /// A coil around the z axis, centred on the origin. Only for strands of implicit bodies: a
        /// course, without a surface.
        Coil as "coil" {
            /// Radius of the coil.
            radius_m: f64 = number(0.03, 1e-4, 100.0).unit("m").required(Number(0.03)),
            /// From turn to turn.
            pitch_m: f64 = number(0.02, 0.0, 100.0).unit("m").required(Number(0.02)),
            /// Whole turns and parts of them.
            turns: f64 = number(3.0, 0.05, 1000.0).required(Number(3.0)),
        },
        /// A straight line along x, centred on the origin. Only for strands of implicit bodies.
        Line as "line" {
            /// From end to end.
            length_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
        },
        /// A course that runs to and fro, as a gut lies: straight runs along x, side by side along
        /// y and in layers on top of each other, joined by half circles. Centred on the origin, but
        /// for the half circles. Only for strands of implicit bodies.
        Folds as "folds" {
            /// Length of a run, without the half circles at its ends.
            run_m: f64 = number(0.1, 1e-4, 100.0).unit("m").required(Number(0.1)),
            /// From run to run, and from layer to layer.
            pitch_m: f64 = number(0.02, 1e-4, 100.0).unit("m").required(Number(0.02)),
            /// Runs of a layer.
            runs: u32 = integer(6, 1, 1000),
            /// Layers.
            layers: u32 = integer(1, 1, 100),
        },
        /// A volume of samples from a NRRD file: a scan, a simulation. Only for implicit bodies
        /// whose model is `fixed`. Its surface is where its samples, smoothly interpolated, are at
        /// the level; it is closed at the border of the volume.
        Volume as "volume" {
            /// The file: three axes of numbers, raw, ASCII or gzip.
            file: PathBuf = path(PathUse::Input).required(Text("volume.nrrd")),
            /// What samples are on the surface, in their own unit.
            level: f64 = number(0.0, -1e9, 1e9).required(Number(300.0)),
            /// Which samples are inside.
            inside: Inside = choice::<Inside>("above"),
            /// Length of one unit of the file; 0.001 for a file in millimetres. Without one, what
            /// the file says of its units.
            scale: Option<f64> = number(0.001, 1e-6, 1e6).unit("m").optional(Number(0.001)),
        },
        /// A made-up skull, nobody's anatomy, as a volume of samples: its face towards -y, its
        /// crown towards +z, about the origin. Only for implicit bodies whose model is `fixed`.
        Skull as "skull" {
            /// From chin to crown.
            height_m: f64 = number(0.21, 0.001, 10.0).unit("m"),
            /// Samples along its height.
            samples: u32 = integer(96, 16, 256),
        },
        /// A simple polygon in the plane z = 0: a scene with one is planar, and all of it is
        /// polygons. Clients see prisms 10 mm high. As a tool it is convex; it turns with the arm
        /// where that gives an orientation.
        Polygon as "polygon" {
            /// Its vertices, one after the other, either way round. Edges that are no neighbours
            /// are 10 um apart at least.
            vertices_m: Vec<[f64; 2]> = points(3, 256, -100.0, 100.0).unit("m").required(Points(&[[0.0, 0.0], [0.04, 0.0], [0.0, 0.04]])),
        },
        /// A star about the origin, a polygon of planar scenes; its first point is along x. Only
        /// for bodies.
        Star as "star" {
            /// How many points.
            points: u32 = integer(5, 2, 64),
            /// From the origin to its points.
            outer_radius_m: f64 = number(0.02, 1e-4, 100.0).unit("m").required(Number(0.02)),
            /// From the origin to the corners between them.
            inner_radius_m: f64 = number(0.01, 1e-4, 100.0).unit("m").required(Number(0.01)),
        },
        /// A disc of planar scenes: a regular polygon about it, which holds it and whose corners
        /// are further out by `1 / cos(pi / sides)`, 0.9 % with 24.
        Disc as "disc" {
            /// Radius of the disc.
            radius_m: f64 = number(0.005, 1e-4, 10.0).unit("m").required(Number(0.005)),
            /// Sides of the polygon.
            sides: u32 = integer(16, 6, 64),
        },
        /// A square sheet without thickness in z = 0, facing +z. Needs `solid = false`.
        Sheet as "sheet" {
            /// Edge length.
            size_m: f64 = number(0.2, 1e-4, 100.0).unit("m").required(Number(0.2)),
            /// Squares along each edge, of two triangles each.
            cells: u32 = integer(8, 1, 1024),
        },
    }
}
