//! Marching Cubes table: for each of the 256 inside/outside patterns of a cube's corners, the
//! triangles, and the neighbours into which the surface continues.
//!
//! # Theory
//!
//! A face of a cube with two opposite corners inside is ambiguous: the surface may cut off either
//! pair of corners. Two cubes that decide differently for their shared face leave a hole. The
//! classic table does so: half of it is made by swapping inside and outside, which swaps the
//! decision. Here every entry comes from one rule per face ([`Ambiguity`]), so both cubes of a face
//! decide alike, and every edge of the mesh belongs to two triangles (Triquet 2001, section 3.4.3;
//! its 21 base cases are the classes of these entries under rotation). The rule does not try to
//! find the true topology.
//!
//! The rule joins the cut edges of each face in pairs, with the inside on one side. The pairs close
//! to loops, anticlockwise as seen from outside. A loop is cut into triangles by diagonals between
//! edges that have no face in common. A diagonal within a face might also be an edge of the
//! neighbour's mesh, which would then belong to four triangles.
//!
//! # Practice
//!
//! Corner `i` is bit `i` of an entry's number, 1 for inside. The numbering fits the source's
//! example (section 3.3.2, entry 241). Both tables are computed at compile time.

/// Positions of the corners in a unit cube.
pub const CORNERS: [[u8; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
];

/// Corners of each edge.
pub const EDGES: [[u8; 2]; 12] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
    [4, 5],
    [5, 6],
    [6, 7],
    [7, 4],
];

/// Corners of each face, anticlockwise as seen from outside the cube, in the order of [`STEPS`].
pub const FACES: [[u8; 4]; 6] = [
    [0, 4, 7, 3],
    [1, 2, 6, 5],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 3, 2, 1],
    [4, 5, 6, 7],
];

/// Step to the neighbour across each face.
pub const STEPS: [[i8; 3]; 6] = [
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
];

/// Maximum number of triangles of a cube.
pub const MAX_TRIANGLES: usize = 5;

/// Rule for a face with two opposite corners inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ambiguity {
    /// Separates the corners inside (the source's annex A.1).
    #[default]
    Separate,
    /// Separates the corners outside, joining those inside (annex A.2).
    Join,
}

/// Entry of the table for one pattern of corners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Edges that carry the corners of each triangle, anticlockwise as seen from outside the
    /// surface. Entries from [`Case::count`] on are 0.
    pub triangles: [[u8; 3]; MAX_TRIANGLES],
    /// Number of triangles.
    pub count: u8,
    /// Bit `f`: the surface cuts face `f` of [`FACES`] and continues in the neighbour there.
    pub neighbours: u8,
    /// Bit `e`: the surface cuts edge `e` of [`EDGES`].
    pub edges: u16,
}

impl Case {
    /// Returns the triangles.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> &[[u8; 3]] {
        &self.triangles[..self.count as usize]
    }
}

/// All 256 cases, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table(pub [Case; 256]);

static SEPARATE: Table = Table::new(Ambiguity::Separate);
static JOIN: Table = Table::new(Ambiguity::Join);

impl Table {
    /// Table of an ambiguity rule.
    #[must_use]
    pub fn of(ambiguity: Ambiguity) -> &'static Table {
        match ambiguity {
            Ambiguity::Separate => &SEPARATE,
            Ambiguity::Join => &JOIN,
        }
    }

    const fn new(ambiguity: Ambiguity) -> Table {
        let mut cases = [Case {
            triangles: [[0; 3]; MAX_TRIANGLES],
            count: 0,
            neighbours: 0,
            edges: 0,
        }; 256];
        let mut corners = 0;
        while corners < 256 {
            cases[corners] = case(corners as u8, ambiguity);
            corners += 1;
        }
        Table(cases)
    }
}

/// Marks an edge that the surface does not cut.
const NO: u8 = u8::MAX;

/// Loops of the surface in a cube: for each cut edge the next one along the loop, anticlockwise as
/// seen from outside the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops([u8; 12]);

impl Loops {
    /// Computes the loops for the corners that are inside.
    #[must_use]
    pub const fn of(corners: u8, ambiguity: Ambiguity) -> Loops {
        let mut next = [NO; 12];
        let mut f = 0;
        while f < 6 {
            let face = FACES[f];
            let mut k = 0;
            while k < 4 {
                // At an edge from outside to inside, anticlockwise. `Separate` searches forwards
                // for the edge that leaves: it cuts off the inside corners that follow. `Join`
                // searches backwards: it cuts off the outside corners before.
                if enters(corners, &face, k) {
                    let by = match ambiguity {
                        Ambiguity::Separate => 1,
                        Ambiguity::Join => 3,
                    };
                    let mut j = (k + by) % 4;
                    while !leaves(corners, &face, j) {
                        j = (j + by) % 4;
                    }
                    next[edge(face[k], face[(k + 1) % 4])] = edge(face[j], face[(j + 1) % 4]) as u8;
                }
                k += 1;
            }
            f += 1;
        }
        Loops(next)
    }

    /// Edge that follows a cut edge; `None` if the edge is not cut.
    #[must_use]
    pub fn after(&self, edge: u8) -> Option<u8> {
        let next = *self.0.get(edge as usize)?;
        (next != NO).then_some(next)
    }
}

const fn inside(corners: u8, corner: u8) -> bool {
    corners >> corner & 1 == 1
}

const fn enters(corners: u8, face: &[u8; 4], k: usize) -> bool {
    !inside(corners, face[k]) && inside(corners, face[(k + 1) % 4])
}

const fn leaves(corners: u8, face: &[u8; 4], k: usize) -> bool {
    inside(corners, face[k]) && !inside(corners, face[(k + 1) % 4])
}

/// Index of the edge between two corners; such an edge must exist.
const fn edge(a: u8, b: u8) -> usize {
    let mut e = 0;
    while !((EDGES[e][0] == a && EDGES[e][1] == b) || (EDGES[e][0] == b && EDGES[e][1] == a)) {
        e += 1;
    }
    e
}

/// True if some face has both edges.
const fn share_a_face(a: u8, b: u8) -> bool {
    let mut f = 0;
    while f < 6 {
        if of_face(f, a) && of_face(f, b) {
            return true;
        }
        f += 1;
    }
    false
}

const fn of_face(face: usize, edge: u8) -> bool {
    let [a, b] = EDGES[edge as usize];
    let (mut found, mut k) = (0, 0);
    while k < 4 {
        if FACES[face][k] == a || FACES[face][k] == b {
            found += 1;
        }
        k += 1;
    }
    found == 2
}

const fn case(corners: u8, ambiguity: Ambiguity) -> Case {
    let mut case = Case {
        triangles: [[0; 3]; MAX_TRIANGLES],
        count: 0,
        neighbours: 0,
        edges: 0,
    };
    let mut f = 0;
    while f < 6 {
        let mut k = 0;
        while k < 4 {
            if enters(corners, &FACES[f], k) {
                case.neighbours |= 1 << f;
            }
            k += 1;
        }
        f += 1;
    }
    let loops = Loops::of(corners, ambiguity);
    let mut first = 0;
    while first < 12 {
        if loops.0[first] != NO && case.edges >> first & 1 == 0 {
            let mut corner = [0; 12];
            let mut n = 0;
            let mut e = first as u8;
            while case.edges >> e & 1 == 0 {
                case.edges |= 1 << e;
                corner[n] = e;
                n += 1;
                e = loops.0[e as usize];
            }
            let (more, done) = cut_up(case, corner, n);
            assert!(done, "a loop that cannot be cut up");
            case = more;
        }
        first += 1;
    }
    case
}

/// Cuts a loop of `n` corners into triangles, ear by ear. Returns false if this needs a diagonal in
/// a face.
const fn cut_up(case: Case, corner: [u8; 12], n: usize) -> (Case, bool) {
    let mut k = 0;
    while k < n {
        let (before, after) = (corner[(k + n - 1) % n], corner[(k + 1) % n]);
        if n == 3 || !share_a_face(before, after) {
            let mut more = case;
            more.triangles[more.count as usize] = [before, corner[k], after];
            more.count += 1;
            if n == 3 {
                return (more, true);
            }
            let mut rest = corner;
            let mut i = k;
            while i + 1 < n {
                rest[i] = corner[i + 1];
                i += 1;
            }
            let (whole, done) = cut_up(more, rest, n - 1);
            if done {
                return (whole, true);
            }
        }
        k += 1;
    }
    (case, false)
}
