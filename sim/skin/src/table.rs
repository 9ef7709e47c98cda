//! What Marching Cubes does with a cube, for each of the 256 ways its corners can lie in and out:
//! triangles, and the neighbours that the surface goes on in.
//!
//! # Theory
//!
//! A face of a cube with two opposite corners inside is ambiguous: the surface may cut off either
//! pair of corners. Two cubes that choose differently for the face that they share leave a hole.
//! The classic table does, since half of it is made by swapping inside and outside, which swaps the
//! choice. Here every entry comes from one rule that looks at one face at a time ([`Ambiguity`]),
//! so both cubes of a face choose alike, and every edge of the mesh belongs to two triangles
//! (Triquet 2001, section 3.4.3, whose 21 base cases are the classes of these entries under
//! rotation). Which topology is right is not asked.
//!
//! The rule joins the cut edges of each face in pairs, with the inside on one side; the pairs close
//! to loops, anticlockwise seen from outside. A loop is cut into triangles by diagonals between
//! edges that have no face in common: one within a face might be an edge of the neighbour's mesh,
//! too, which would then belong to four triangles.
//!
//! # Practice
//!
//! Corner `i` is bit `i` of an entry's number, 1 for inside. The numbering is the one that fits the
//! source's example (section 3.3.2, entry 241). Both tables are made when the crate is compiled.

/// Places of the corners in a cube of edge 1.
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

/// The corners that an edge joins.
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

/// The corners of a face, anticlockwise seen from outside the cube: of the neighbours in the order
/// of [`STEPS`].
pub const FACES: [[u8; 4]; 6] = [
    [0, 4, 7, 3],
    [1, 2, 6, 5],
    [0, 1, 5, 4],
    [3, 7, 6, 2],
    [0, 3, 2, 1],
    [4, 5, 6, 7],
];

/// Where the neighbour across each face is.
pub const STEPS: [[i8; 3]; 6] = [
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
];

/// Most triangles of a cube.
pub const MAX_TRIANGLES: usize = 5;

/// What happens on a face with two opposite corners inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ambiguity {
    /// The corners inside are cut off from each other (the source's annex A.1).
    #[default]
    Separate,
    /// The corners outside are cut off from each other (annex A.2).
    Join,
}

/// One way that the corners can lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Edges that the corners of each triangle lie on, anticlockwise seen from outside the surface;
    /// those beyond [`Case::count`] are 0.
    pub triangles: [[u8; 3]; MAX_TRIANGLES],
    /// How many triangles.
    pub count: u8,
    /// Bit `f`: the surface cuts face `f` of [`FACES`], and goes on in the neighbour there.
    pub neighbours: u8,
    /// Bit `e`: the surface cuts edge `e` of [`EDGES`].
    pub edges: u16,
}

impl Case {
    /// Its triangles.
    #[inline]
    #[must_use]
    pub fn triangles(&self) -> &[[u8; 3]] {
        &self.triangles[..self.count as usize]
    }
}

/// All 256 ways, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table(pub [Case; 256]);

static SEPARATE: Table = Table::new(Ambiguity::Separate);
static JOIN: Table = Table::new(Ambiguity::Join);

impl Table {
    /// The table of a choice.
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

/// No edge.
const NO: u8 = u8::MAX;

/// The loops of the surface in a cube: for each edge that it cuts the next one along the loop,
/// anticlockwise seen from outside the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loops([u8; 12]);

impl Loops {
    /// Of the corners that are inside.
    #[must_use]
    pub const fn of(corners: u8, ambiguity: Ambiguity) -> Loops {
        let mut next = [NO; 12];
        let mut f = 0;
        while f < 6 {
            let face = FACES[f];
            let mut k = 0;
            while k < 4 {
                // From outside to inside, anticlockwise: the corners inside that follow are cut off
                // by leaving at their end, those outside that came before by having entered at
                // their beginning.
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

    /// The edge after one that is cut.
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

/// Which edge joins two corners that one joins.
const fn edge(a: u8, b: u8) -> usize {
    let mut e = 0;
    while !((EDGES[e][0] == a && EDGES[e][1] == b) || (EDGES[e][0] == b && EDGES[e][1] == a)) {
        e += 1;
    }
    e
}

/// Whether a face has both of these edges.
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

/// Cuts a loop of `n` corners into triangles, ear by ear; false: there is no way without a diagonal
/// in a face.
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
