//! Serialization of a hierarchy, to be kept next to its mesh: saves building it at every start.
//!
//! Little-endian: magic, version, checksum of the mesh, number of triangles, depth, origin, nodes,
//! checksum of everything before. Reading checks everything that can be wrong: the length, both
//! checksums, and that the bytes form a hierarchy over this very mesh with every triangle in every
//! box above it. Accepted bytes are therefore safe to use, whoever wrote them. All others are an
//! error, never a panic. No I/O here.

use hapticd_geometry::{TriMesh, Vec3};

use super::{Node, ObbTree, TreeDefect};

const MAGIC: [u8; 8] = *b"hapticOT";
/// Version of the format. Older versions are not read: build the hierarchy again.
const VERSION: u32 = 2;
const HEADER: usize = 8 + 4 + 8 + 4 + 4 + 24;
const NODE: usize = 8 * 4;

/// Why bytes are not a valid hierarchy over a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeBytesError {
    /// The magic number is missing.
    NotATree,
    /// The bytes have another version of the format.
    Version {
        /// Version in the bytes.
        found: u32,
        /// Version that this build reads.
        expected: u32,
    },
    /// Too few or too many bytes for the number of triangles that they declare.
    Length {
        /// Actual length, bytes.
        found: usize,
        /// Expected length, bytes.
        expected: usize,
    },
    /// The checksum does not match: the bytes have changed since they were written.
    Damaged,
    /// They belong to another mesh, or to this one before it was changed.
    OtherMesh,
    /// Intact, but not a valid hierarchy over this mesh.
    Defect(TreeDefect),
}

impl std::fmt::Display for TreeBytesError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotATree => write!(f, "not a saved box hierarchy"),
            Self::Version { found, expected } => {
                write!(
                    f,
                    "a box hierarchy of version {found}, this is version {expected}: build it again"
                )
            }
            Self::Length { found, expected } => {
                write!(
                    f,
                    "{found} bytes of a box hierarchy that should have {expected}"
                )
            }
            Self::Damaged => write!(f, "a damaged box hierarchy: its checksum is wrong"),
            Self::OtherMesh => write!(
                f,
                "the box hierarchy of another mesh, or the mesh was changed: build it again"
            ),
            Self::Defect(defect) => write!(f, "not a hierarchy of this mesh: {defect:?}"),
        }
    }
}

impl std::error::Error for TreeBytesError {}

impl ObbTree {
    /// Returns the hierarchy as bytes, tied to the mesh that it was built over.
    #[must_use]
    pub fn to_bytes(&self, mesh: &TriMesh) -> Vec<u8> {
        let triangles = self.nodes.len().div_ceil(2);
        let mut out = Vec::with_capacity(length(triangles));
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(mesh_checksum(mesh).to_le_bytes());
        out.extend((triangles as u32).to_le_bytes());
        out.extend(self.depth.to_le_bytes());
        out.extend(self.origin.iter().flat_map(|x| x.to_le_bytes()));
        let words = self.nodes.iter().flat_map(Node::words);
        out.extend(words.flat_map(u32::to_le_bytes));
        let sum = checksum(&out);
        out.extend(sum.to_le_bytes());
        out
    }

    /// Reads the hierarchy over `mesh` from saved `bytes`.
    ///
    /// # Errors
    /// If the bytes are not those of a hierarchy over this very mesh; see [`TreeBytesError`].
    pub fn from_bytes(bytes: &[u8], mesh: &TriMesh) -> Result<Self, TreeBytesError> {
        let mut reader = Reader(bytes);
        if reader.take() != Some(MAGIC) {
            return Err(TreeBytesError::NotATree);
        }
        let short = |expected| TreeBytesError::Length {
            found: bytes.len(),
            expected,
        };
        let version = reader.u32().ok_or(short(HEADER))?;
        if version != VERSION {
            return Err(TreeBytesError::Version {
                found: version,
                expected: VERSION,
            });
        }
        let of_mesh = reader.take().map(u64::from_le_bytes).ok_or(short(HEADER))?;
        let count = reader.u32().ok_or(short(HEADER))? as usize;
        let depth = reader.u32().ok_or(short(HEADER))?;
        let expected = length(count);
        if bytes.len() != expected {
            return Err(short(expected));
        }
        let (body, sum) = bytes.split_at(expected - 8);
        if sum != checksum(body).to_le_bytes() {
            return Err(TreeBytesError::Damaged);
        }
        if of_mesh != mesh_checksum(mesh) || count != mesh.triangles().len() {
            return Err(TreeBytesError::OtherMesh);
        }
        let tree = reader.tree(count, depth).ok_or(short(expected))?;
        tree.check(mesh).map_err(TreeBytesError::Defect)?;
        Ok(tree)
    }

    /// Does [`ObbTree::validate`] and also checks what that takes for granted.
    fn check(&self, mesh: &TriMesh) -> Result<(), TreeDefect> {
        if !self.origin.iter().all(|x| x.is_finite()) {
            return Err(TreeDefect::BadBox { node: 0 });
        }
        let (low, high) = mesh.bounds();
        self.validate(mesh, 1e-12 * (low.amax() + high.amax()))?;
        let mut levels = vec![0; self.nodes.len()];
        let mut deepest = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            deepest = deepest.max(levels[i]);
            let center = node.center32().iter().all(|x| x.is_finite());
            let half = node.half().iter().all(|h| *h >= 0.0);
            if !(center && half) {
                return Err(TreeDefect::BadBox { node: i as u32 });
            }
            if !node.is_leaf() {
                let children = node.children() as usize;
                levels[children] = levels[i] + 1;
                levels[children + 1] = levels[i] + 1;
            }
        }
        // An unreachable node would be a second root.
        let reached = levels[1..].iter().all(|&l| l > 0);
        if deepest == self.depth && reached {
            Ok(())
        } else {
            Err(TreeDefect::BadChild { node: 0 })
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    fn tree(&mut self, count: usize, depth: u32) -> Option<ObbTree> {
        let origin = Vec3::new(self.f64()?, self.f64()?, self.f64()?);
        let nodes = (0..nodes_of(count)).map(|_| self.node());
        Some(ObbTree {
            nodes: nodes.collect::<Option<Vec<Node>>>()?,
            origin,
            depth,
        })
    }

    fn node(&mut self) -> Option<Node> {
        let mut words = [0; 8];
        for word in &mut words {
            *word = self.u32()?;
        }
        Some(Node::from_words(words))
    }
}

fn nodes_of(triangles: usize) -> usize {
    triangles.saturating_mul(2).saturating_sub(1)
}

fn length(triangles: usize) -> usize {
    // Saturating, since the count is untrusted.
    let nodes = NODE.saturating_mul(nodes_of(triangles));
    nodes.saturating_add(HEADER + 8)
}

/// FNV-1a over words of eight bytes, with a final mixing step. Detects damage; does not prevent
/// forgery.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Sum::new();
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum.add(u64::from_le_bytes(*word));
    }
    for byte in rest {
        sum.add(u64::from(*byte));
    }
    sum.0 ^ sum.0 >> 29
}

fn mesh_checksum(mesh: &TriMesh) -> u64 {
    let mut sum = Sum::new();
    sum.add(mesh.positions().len() as u64);
    for x in mesh.positions().iter().flat_map(|p| p.iter()) {
        sum.add(x.to_bits());
    }
    for v in mesh.triangles().iter().flatten() {
        sum.add(u64::from(*v));
    }
    sum.0 ^ sum.0 >> 29
}

struct Sum(u64);

impl Sum {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        // The rotation moves high bits down, which multiplication alone never does.
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(23);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;

    fn saved() -> (TriMesh, ObbTree, Vec<u8>) {
        let mesh = shapes::torus(0.3, 0.1, 12, 7).unwrap();
        let tree = ObbTree::new(&mesh);
        let bytes = tree.to_bytes(&mesh);
        (mesh, tree, bytes)
    }

    /// Restores a valid checksum after a change of the body.
    fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - 8;
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    #[test]
    fn what_was_saved_is_read() {
        let (mesh, tree, bytes) = saved();
        assert_eq!(bytes.len(), length(mesh.triangles().len()));
        assert_eq!(ObbTree::from_bytes(&bytes, &mesh), Ok(tree));
    }

    #[test]
    fn one_triangle() {
        let mesh =
            TriMesh::new(vec![Vec3::zeros(), Vec3::x(), Vec3::y()], vec![[0, 1, 2]]).unwrap();
        let tree = ObbTree::new(&mesh);
        assert_eq!(ObbTree::from_bytes(&tree.to_bytes(&mesh), &mesh), Ok(tree));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let (mesh, _, bytes) = saved();
        let read = |b: &[u8]| ObbTree::from_bytes(b, &mesh);
        assert_eq!(read(b"solid"), Err(TreeBytesError::NotATree));
        let mut newer = bytes.clone();
        newer[8] = 9;
        assert_eq!(
            read(&newer),
            Err(TreeBytesError::Version {
                found: 9,
                expected: VERSION
            })
        );
        let short = read(&bytes[..bytes.len() - 1]);
        assert!(matches!(short, Err(TreeBytesError::Length { .. })));
        let mut damaged = bytes.clone();
        damaged[300] ^= 1;
        assert_eq!(read(&damaged), Err(TreeBytesError::Damaged));
        let mut moved = mesh.positions().to_vec();
        moved[3].x += 1e-15;
        let moved = TriMesh::new(moved, mesh.triangles().to_vec()).unwrap();
        assert_eq!(
            ObbTree::from_bytes(&bytes, &moved),
            Err(TreeBytesError::OtherMesh)
        );
        for error in [read(&newer), short] {
            assert!(error.unwrap_err().to_string().contains("box hierarchy"));
        }
    }

    /// Every byte changed and every length, with a valid checksum, gives an error or a hierarchy
    /// that contains the mesh, never a panic.
    #[test]
    fn garbage_is_an_error() {
        let (mesh, tree, bytes) = saved();
        for end in (0..bytes.len()).step_by(7) {
            assert!(ObbTree::from_bytes(&bytes[..end], &mesh).is_err());
        }
        let mut accepted = 0;
        for at in 0..bytes.len() - 8 {
            for flip in [0x01, 0x80, 0xff] {
                if at % 5 != 0 && at > 400 {
                    continue;
                }
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                assert!(ObbTree::from_bytes(&changed, &mesh).is_err());
                if let Ok(other) = ObbTree::from_bytes(&signed(changed), &mesh) {
                    accepted += 1;
                    assert_eq!(other.validate(&mesh, 1e-12), Ok(()));
                    assert_eq!(other.depth(), tree.depth());
                }
            }
        }
        // Mostly a bit of a floating-point number.
        assert!(accepted > 0);
    }

    #[test]
    fn any_number_of_triangles_claimed_is_refused() {
        let (mesh, _, bytes) = saved();
        for claimed in [0u32, 1, 1 << 20, u32::MAX] {
            let mut changed = bytes.clone();
            changed[20..24].copy_from_slice(&claimed.to_le_bytes());
            let error = ObbTree::from_bytes(&signed(changed), &mesh);
            assert!(matches!(error, Err(TreeBytesError::Length { .. })));
        }
    }
}
