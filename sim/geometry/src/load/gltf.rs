//! glTF 2.0, as text (`.gltf`) and binary (`.glb`) (Khronos Group, "glTF 2.0 Specification", 2021).
//!
//! All triangles of the default scene, with their nodes' transforms, make one mesh; without a
//! scene, those of all root nodes. glTF is in metres with y up, and is left so. Lines and points
//! are skipped; morph targets are read at rest. Skins, sparse accessors and required extensions
//! that change geometry are refused by name, so that no mesh is loaded wrong.
//!
//! The JSON is read with the `gltf` crate's types, but with neither its container reader nor its
//! validation: both can panic on bad numbers. Every index and every range is checked here.

mod data;

use std::path::Path;

use gltf::json;
use json::mesh::{Mode, Primitive, Semantic};
use json::validation::Checked;

use self::data::Data;
use super::{LoadProblem, Soup};
use crate::pose::{Mat3, Quat, Vec3};

/// Extensions that may be required: they do not affect the triangles, or are supported here
/// (quantization).
const ALLOWED_EXTENSIONS: [&str; 4] = [
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_texture_",
    "KHR_materials_",
];

/// `folder` holds the files that this one refers to; if `None`, such references are refused.
pub(super) fn parse(bytes: &[u8], folder: Option<&Path>) -> Result<Soup, LoadProblem> {
    let (text, chunk) = data::container(bytes)?;
    let root: json::Root =
        json::deserialize::from_slice(text).map_err(|e| LoadProblem::Json(e.to_string()))?;
    if root.asset.version.split('.').next() != Some("2") {
        return Err(unsupported(format!(
            "glTF version {:.20}",
            root.asset.version
        )));
    }
    let foreign = root.extensions_required.iter().find(|name| {
        !ALLOWED_EXTENSIONS
            .iter()
            .any(|known| name.starts_with(known))
    });
    if let Some(name) = foreign {
        return Err(unsupported(format!("extension {name:.60}")));
    }
    let data = Data::new(&root, chunk, folder)?;
    let mut soup = Soup::default();
    for (mesh, transform) in placed_meshes(&root)? {
        let primitives = &data::get(&root.meshes, mesh, "mesh")?.primitives;
        for primitive in primitives {
            add(&mut soup, &data, primitive, &transform)?;
        }
    }
    Ok(soup)
}

fn unsupported(what: String) -> LoadProblem {
    LoadProblem::Unsupported { what }
}

/// The map `x -> linear x + shift`.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    shift: Vec3,
}

impl Affine {
    fn identity() -> Self {
        Affine {
            linear: Mat3::identity(),
            shift: Vec3::zeros(),
        }
    }

    fn after(&self, inner: &Affine) -> Affine {
        Affine {
            linear: self.linear * inner.linear,
            shift: self.linear * inner.shift + self.shift,
        }
    }

    fn of(node: &json::Node, index: usize) -> Result<Self, LoadProblem> {
        let vector = |v: [f32; 3]| Vec3::from(v.map(f64::from));
        if let Some(m) = node.matrix {
            let column = |c: usize| vector([m[4 * c], m[4 * c + 1], m[4 * c + 2]]);
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                return Err(unsupported(format!("projective matrix of node {index}")));
            }
            return Ok(Affine {
                linear: Mat3::from_columns(&[column(0), column(1), column(2)]),
                shift: column(3),
            });
        }
        let [x, y, z, w] = node.rotation.unwrap_or_default().0.map(f64::from);
        let rotation = Quat::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
        let scale = vector(node.scale.unwrap_or([1.0; 3]));
        Ok(Affine {
            linear: rotation.to_rotation_matrix().matrix() * Mat3::from_diagonal(&scale),
            shift: vector(node.translation.unwrap_or_default()),
        })
    }
}

/// Returns mesh indices with their global transforms, depth first. Nodes must form a forest.
fn placed_meshes(root: &json::Root) -> Result<Vec<(usize, Affine)>, LoadProblem> {
    if root.nodes.is_empty() {
        return Ok((0..root.meshes.len())
            .map(|mesh| (mesh, Affine::identity()))
            .collect());
    }
    let mut placed = Vec::new();
    let mut is_visited = vec![false; root.nodes.len()];
    let mut open: Vec<(usize, Affine)> = roots(root)?
        .into_iter()
        .rev()
        .map(|node| (node, Affine::identity()))
        .collect();
    while let Some((index, parent)) = open.pop() {
        let node = data::get(&root.nodes, index, "node")?;
        if std::mem::replace(&mut is_visited[index], true) {
            return Err(LoadProblem::NodeTwice { node: index });
        }
        let transform = parent.after(&Affine::of(node, index)?);
        for child in node.children.iter().flatten().rev() {
            open.push((child.value(), transform));
        }
        if let Some(mesh) = &node.mesh {
            if node.skin.is_some() {
                return Err(unsupported(format!("skin of node {index}")));
            }
            placed.push((mesh.value(), transform));
        }
    }
    Ok(placed)
}

/// Returns the roots of the default scene, of the first scene, or of all nodes.
fn roots(root: &json::Root) -> Result<Vec<usize>, LoadProblem> {
    let scene = root.scene.as_ref().map_or(0, |s| s.value());
    if root.scene.is_none() && root.scenes.is_empty() {
        let mut is_child = vec![false; root.nodes.len()];
        for child in root.nodes.iter().flat_map(|n| n.children.iter().flatten()) {
            if let Some(flag) = is_child.get_mut(child.value()) {
                *flag = true;
            }
        }
        return Ok((0..root.nodes.len()).filter(|&n| !is_child[n]).collect());
    }
    let scene = data::get(&root.scenes, scene, "scene")?;
    Ok(scene.nodes.iter().map(|n| n.value()).collect())
}

/// Adds a primitive's triangles.
fn add(
    soup: &mut Soup,
    data: &Data<'_>,
    primitive: &Primitive,
    transform: &Affine,
) -> Result<(), LoadProblem> {
    let Checked::Valid(mode) = primitive.mode else {
        return Err(unsupported("primitive mode".to_owned()));
    };
    if !matches!(
        mode,
        Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan
    ) {
        return Ok(());
    }
    let Some(accessor) = primitive
        .attributes
        .get(&Checked::Valid(Semantic::Positions))
    else {
        return Ok(()); // "Should be skipped" (section 3.7.2.1).
    };
    let first = soup.positions.len() as u32;
    let mut count = 0u32;
    data.positions(accessor.value(), |p| {
        count += 1;
        soup.vertex(transform.linear * p + transform.shift)
            .map(drop)
    })?;
    // A mirror turns triangles inside out (section 3.7.4).
    let is_mirrored = transform.linear.determinant() < 0.0;
    let mut corners = Corners {
        soup,
        mode,
        is_mirrored,
        seen: 0,
        kept: [0; 3],
    };
    match &primitive.indices {
        None => (0..count).try_for_each(|i| corners.next(first + i)),
        Some(indices) => data.indices(indices.value(), |i| {
            if i < count {
                return corners.next(first + i);
            }
            Err(LoadProblem::Index {
                line: None,
                face: corners.seen / 3 + 1,
                index: i64::from(i),
                vertices: count as usize,
            })
        }),
    }
}

/// Assembles triangles from a primitive's corners (section 3.7.2.1).
struct Corners<'a> {
    soup: &'a mut Soup,
    mode: Mode,
    is_mirrored: bool,
    /// Number of corners so far.
    seen: usize,
    /// Corners that the next triangle may need.
    kept: [u32; 3],
}

impl Corners<'_> {
    fn next(&mut self, corner: u32) -> Result<(), LoadProblem> {
        let [a, b, _] = self.kept;
        let at = self.seen;
        self.seen += 1;
        if at < 2 {
            self.kept[at] = corner;
            return Ok(());
        }
        let triangle = match self.mode {
            Mode::TriangleStrip => {
                self.kept = [b, corner, 0];
                if at.is_multiple_of(2) {
                    [a, b, corner]
                } else {
                    [a, corner, b]
                }
            }
            Mode::TriangleFan => {
                self.kept = [a, corner, 0];
                [b, corner, a]
            }
            _ => match at % 3 {
                2 => [a, b, corner],
                place => {
                    self.kept[place] = corner;
                    return Ok(());
                }
            },
        };
        let [a, b, c] = triangle;
        self.soup.triangle(if self.is_mirrored {
            [a, c, b]
        } else {
            triangle
        })
    }
}
