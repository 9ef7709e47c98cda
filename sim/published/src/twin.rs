//! Motion space against contact space: two algorithms for one problem, side by side (Redon 2002,
//! section 5.5).
//!
//! For comparison only; the product uses `hapticd_gauss::GroupProjector` and
//! `hapticd_gauss::ConeSolver`. Wilhelmsen's nearest point solves for the *motion* and keeps `6 n`
//! numbers. Dantzig's algorithm (after Baraff) solves for the *forces* and keeps one acceleration
//! per contact, with the matrix `J M^-1 J^T` between them. Both solve their inner systems by
//! Cholesky, from scratch every time, as the published experiment did. Both come with dense and
//! with sparse storage. The mass matrix is the identity and the wanted motion zero.
//!
//! Allocates. Bounded work, no panic, deterministic.

/// An inner system is singular when a pivot is below this fraction of its diagonal entry.
const DEPENDENT: f64 = 1e-10;

/// A row with at most two blocks of six: bodies and coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseRow {
    /// `(body, coefficients)`.
    pub blocks: Vec<(usize, [f64; 6])>,
}

impl SparseRow {
    fn dot(&self, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (body, c) in &self.blocks {
            for (c, x) in c.iter().zip(&x[6 * body..6 * body + 6]) {
                sum += c * x;
            }
        }
        sum
    }

    fn dot_row(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        for (i, a) in &self.blocks {
            for (j, b) in &other.blocks {
                if i == j {
                    sum += a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
                }
            }
        }
        sum
    }

    fn add_to(&self, x: &mut [f64], factor: f64) {
        for (body, c) in &self.blocks {
            for (c, x) in c.iter().zip(&mut x[6 * body..6 * body + 6]) {
                *x += c * factor;
            }
        }
    }
}

/// `min 1/2 |x|^2` under `J x >= c`.
#[derive(Clone, Debug)]
pub struct Twin {
    /// Number of bodies.
    pub bodies: usize,
    /// `J`.
    pub rows: Vec<SparseRow>,
    /// `c`.
    pub bounds: Vec<f64>,
}

impl Twin {
    /// Creates the random problem of the published experiment: `bodies * per_body` rows between two
    /// bodies drawn at random (the same twice is a contact with the scenery), coefficients in [-1,
    /// 1). `c = J k` for a random `k`, so that a solution exists.
    #[must_use]
    pub fn random(bodies: usize, per_body: usize, seed: u64) -> Self {
        let bodies = bodies.max(1);
        let mut state = seed;
        let mut next = move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        let mut pick = move |count: Option<usize>| match count {
            Some(count) => (next() % count as u64) as f64,
            None => (next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0,
        };
        let k: Vec<f64> = (0..6 * bodies).map(|_| pick(None)).collect();
        let rows: Vec<SparseRow> = (0..bodies * per_body)
            .map(|_| {
                let (i, j) = (pick(Some(bodies)) as usize, pick(Some(bodies)) as usize);
                let mut block = |b: usize| (b, std::array::from_fn(|_| pick(None)));
                let mut blocks = vec![block(i)];
                if i != j {
                    blocks.push(block(j));
                }
                SparseRow { blocks }
            })
            .collect();
        let bounds = rows.iter().map(|r| r.dot(&k)).collect();
        Self {
            bodies,
            rows,
            bounds,
        }
    }
}

/// Result of an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The motion found.
    pub motion: Vec<f64>,
    /// Number of inner systems solved.
    pub solves: usize,
    /// True if within the tolerance; false if the work bound was reached or the rows contradict
    /// each other.
    pub solved: bool,
}

/// Storage of `J`, and in contact space of `J J^T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Every entry.
    Dense,
    /// Nonzero entries.
    Sparse,
}

/// `J` in either storage.
enum Jacobian<'a> {
    Dense { rows: Vec<f64>, width: usize },
    Sparse(&'a [SparseRow]),
}

impl<'a> Jacobian<'a> {
    fn new(twin: &'a Twin, storage: Storage) -> Self {
        if storage == Storage::Sparse {
            return Self::Sparse(&twin.rows);
        }
        let width = 6 * twin.bodies;
        let mut rows = vec![0.0; width * twin.rows.len()];
        for (row, dense) in twin.rows.iter().zip(rows.chunks_mut(width)) {
            row.add_to(dense, 1.0);
        }
        Self::Dense { rows, width }
    }

    fn dot(&self, i: usize, x: &[f64]) -> f64 {
        match self {
            Self::Dense { rows, width } => dot(&rows[i * width..(i + 1) * width], x),
            Self::Sparse(rows) => rows[i].dot(x),
        }
    }

    fn dot_rows(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Dense { rows, width } => dot(
                &rows[i * width..(i + 1) * width],
                &rows[j * width..(j + 1) * width],
            ),
            Self::Sparse(rows) => rows[i].dot_row(&rows[j]),
        }
    }

    fn add_to(&self, i: usize, x: &mut [f64], factor: f64) {
        match self {
            Self::Dense { rows, width } => {
                for (x, c) in x.iter_mut().zip(&rows[i * width..(i + 1) * width]) {
                    *x += c * factor;
                }
            }
            Self::Sparse(rows) => rows[i].add_to(x, factor),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Solves `G z = b` with `G_ij = gram(set_i, set_j)`; `None` if `G` is singular.
fn cholesky(set: &[usize], gram: impl Fn(usize, usize) -> f64, b: &[f64]) -> Option<Vec<f64>> {
    let n = set.len();
    let mut l = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let entry = gram(set[i], set[j]);
            let sum = entry - dot(&l[i * n..i * n + j], &l[j * n..j * n + j]);
            if i != j {
                l[i * n + j] = sum / l[j * n + j];
            } else if sum > DEPENDENT * entry {
                l[i * n + i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    let mut z = b.to_vec();
    for i in 0..n {
        z[i] = (z[i] - dot(&l[i * n..i * n + i], &z[..i])) / l[i * n + i];
    }
    for i in (0..n).rev() {
        z[i] /= l[i * n + i];
        let x = z[i];
        for k in 0..i {
            z[k] -= l[i * n + k] * x;
        }
    }
    Some(z)
}

fn work_bound(rows: usize) -> usize {
    20 * rows + 100
}

/// Wilhelmsen's nearest point, in motion space.
#[must_use]
pub fn wilhelmsen(twin: &Twin, storage: Storage, tolerance: f64) -> Answer {
    let j = Jacobian::new(twin, storage);
    let m = twin.rows.len();
    let lengths: Vec<f64> = (0..m).map(|i| j.dot_rows(i, i).sqrt()).collect();
    let mut answer = Answer {
        motion: vec![0.0; 6 * twin.bodies],
        solves: 0,
        solved: false,
    };
    let mut set: Vec<usize> = Vec::new();
    let mut force: Vec<f64> = Vec::new();
    loop {
        let mut worst = (tolerance, None);
        for i in 0..m {
            let violation = (twin.bounds[i] - j.dot(i, &answer.motion)) / lengths[i];
            if violation > worst.0 && !set.contains(&i) {
                worst = (violation, Some(i));
            }
        }
        let Some(added) = worst.1 else {
            answer.solved = true;
            return answer;
        };
        set.push(added);
        force.push(0.0);
        loop {
            if answer.solves >= work_bound(m) {
                return answer;
            }
            answer.solves += 1;
            let bounds: Vec<f64> = set.iter().map(|&i| twin.bounds[i]).collect();
            let gram = |a: usize, b: usize| j.dot_rows(a, b);
            let Some(z) = cholesky(&set, gram, &bounds) else {
                // The new row is a combination of the others: shift forces along it until one is
                // zero.
                let last = set.len() - 1;
                let against: Vec<f64> =
                    set[..last].iter().map(|&i| -j.dot_rows(i, added)).collect();
                let Some(ratios) = cholesky(&set[..last], gram, &against) else {
                    return answer;
                };
                let mut share = (f64::INFINITY, None);
                for (i, ratio) in ratios.iter().enumerate() {
                    if *ratio < 0.0 && force[i] / -ratio < share.0 {
                        share = (force[i] / -ratio, Some(i));
                    }
                }
                let (step, Some(blocking)) = share else {
                    return answer;
                };
                for (f, ratio) in force.iter_mut().zip(ratios.iter().chain(&[1.0])) {
                    *f += step * ratio;
                }
                set.remove(blocking);
                force.remove(blocking);
                continue;
            };
            if z.iter().all(|&z| z > 0.0) {
                force = z;
                break;
            }
            let mut share = 1.0_f64;
            for (f, z) in force.iter().zip(&z) {
                if *z <= 0.0 {
                    share = share.min(f / (f - z));
                }
            }
            let mut k = 0;
            let mut kept = Vec::new();
            for (i, z) in z.iter().enumerate() {
                force[i] += share * (z - force[i]);
                kept.push(*z > 0.0 || force[i] > 1e-14);
            }
            set.retain(|_| {
                k += 1;
                kept[k - 1]
            });
            k = 0;
            force.retain(|_| {
                k += 1;
                kept[k - 1]
            });
            if set.is_empty() {
                break;
            }
        }
        answer.motion.fill(0.0);
        for (&i, f) in set.iter().zip(&force) {
            j.add_to(i, &mut answer.motion, *f);
        }
    }
}

/// `J J^T`, stored.
enum Delassus {
    Dense { rows: Vec<f64>, width: usize },
    Sparse(Vec<Vec<(usize, f64)>>),
}

impl Delassus {
    fn new(j: &Jacobian<'_>, twin: &Twin, storage: Storage) -> Self {
        let width = twin.rows.len();
        if storage == Storage::Dense {
            let mut rows = vec![0.0; width * width];
            for i in 0..width {
                for k in 0..=i {
                    let entry = j.dot_rows(i, k);
                    rows[i * width + k] = entry;
                    rows[k * width + i] = entry;
                }
            }
            return Self::Dense { rows, width };
        }
        let mut of_body: Vec<Vec<usize>> = vec![Vec::new(); twin.bodies];
        for (i, row) in twin.rows.iter().enumerate() {
            for (b, _) in &row.blocks {
                of_body[*b].push(i);
            }
        }
        let near = |row: &SparseRow| {
            let mut list: Vec<usize> = row
                .blocks
                .iter()
                .flat_map(|(b, _)| of_body[*b].iter().copied())
                .collect();
            list.sort_unstable();
            list.dedup();
            list
        };
        let of = |i: usize| {
            near(&twin.rows[i])
                .into_iter()
                .map(|k| (k, j.dot_rows(i, k)))
                .collect()
        };
        Self::Sparse((0..width).map(of).collect())
    }

    fn get(&self, i: usize, k: usize) -> f64 {
        match self {
            Self::Dense { rows, width } => rows[i * width + k],
            Self::Sparse(rows) => {
                (rows[i].binary_search_by_key(&k, |e| e.0)).map_or(0.0, |at| rows[i][at].1)
            }
        }
    }

    /// Adds `factor` times row `i`.
    fn add_to(&self, i: usize, x: &mut [f64], factor: f64) {
        match self {
            Self::Dense { rows, width } => {
                for (x, a) in x.iter_mut().zip(&rows[i * width..(i + 1) * width]) {
                    *x += a * factor;
                }
            }
            Self::Sparse(rows) => rows[i].iter().for_each(|(k, a)| x[*k] += a * factor),
        }
    }
}

/// Moves a contact that has stopped closing to the pressed ones. If it depends on them, its force
/// is first shifted to them, until one of them reaches zero and leaves, or its own does.
fn rest(
    a: &Delassus,
    driven: usize,
    pressed: &mut Vec<usize>,
    force: &mut [f64],
    apart: &mut [bool],
) {
    let against: Vec<f64> = pressed.iter().map(|&i| -a.get(i, driven)).collect();
    let ratios = cholesky(pressed, |x, y| a.get(x, y), &against).unwrap_or_default();
    let mut outside = a.get(driven, driven);
    let mut share = (force[driven], None);
    for (&i, z) in pressed.iter().zip(&ratios) {
        outside += a.get(i, driven) * z;
        if *z > 0.0 && force[i] / z < share.0 {
            share = (force[i] / z, Some(i));
        }
    }
    if outside <= 1e-8 * a.get(driven, driven) {
        force[driven] -= share.0;
        for (&i, z) in pressed.iter().zip(&ratios) {
            force[i] -= share.0 * z;
        }
        match share.1 {
            Some(emptied) => {
                force[emptied] = 0.0;
                apart[emptied] = true;
                pressed.retain(|&i| i != emptied);
            }
            None => force[driven] = 0.0,
        }
    }
    if force[driven] > 0.0 {
        pressed.push(driven);
    } else {
        apart[driven] = true;
    }
}

/// Dantzig's algorithm (Baraff, without friction), in contact space.
#[must_use]
pub fn dantzig(twin: &Twin, storage: Storage, tolerance: f64) -> Answer {
    let j = Jacobian::new(twin, storage);
    let a = Delassus::new(&j, twin, storage);
    let m = twin.rows.len();
    let lengths: Vec<f64> = (0..m).map(|i| a.get(i, i).sqrt()).collect();
    let mut force = vec![0.0; m];
    let mut acceleration: Vec<f64> = twin.bounds.iter().map(|c| -c).collect();
    // Contacts with force, and those that separate.
    let mut pressed: Vec<usize> = Vec::new();
    let mut apart = vec![false; m];
    let mut tied = vec![false; m];
    let mut change = vec![0.0; m];
    let mut answer = Answer {
        motion: vec![0.0; 6 * twin.bodies],
        solves: 0,
        solved: true,
    };
    // The most violated contact first, until none is left.
    'contacts: loop {
        let mut worst = (tolerance, None);
        for i in 0..m {
            let violation = -acceleration[i] / lengths[i];
            if violation > worst.0 && !pressed.contains(&i) {
                worst = (violation, Some(i));
            } else if acceleration[i] >= 0.0 && !pressed.contains(&i) {
                apart[i] = true;
            }
        }
        let Some(driven) = worst.1 else { break };
        apart[driven] = false;
        tied.fill(false);
        loop {
            if answer.solves >= work_bound(m) {
                answer.solved = false;
                break 'contacts;
            }
            // All rows of these problems meet in one point: another contact's event may have
            // brought this one there as well.
            if -acceleration[driven] <= tolerance * lengths[driven] {
                answer.solves += 1;
                rest(&a, driven, &mut pressed, &mut force, &mut apart);
                break;
            }
            answer.solves += 1;
            let against: Vec<f64> = pressed.iter().map(|&i| -a.get(i, driven)).collect();
            let Some(z) = cholesky(&pressed, |x, y| a.get(x, y), &against) else {
                // The newest contact depends on the others: it only seemed to close, and is skipped
                // for now.
                match pressed.pop() {
                    Some(last) if force[last] == 0.0 => {
                        apart[last] = true;
                        tied[last] = true;
                        continue;
                    }
                    _ => {
                        answer.solved = false;
                        break 'contacts;
                    }
                }
            };
            change.fill(0.0);
            a.add_to(driven, &mut change, 1.0);
            for (&i, z) in pressed.iter().zip(&z) {
                a.add_to(i, &mut change, *z);
            }
            // The first event.
            let mut first = (f64::INFINITY, None);
            if change[driven] > DEPENDENT * a.get(driven, driven) {
                first = (-acceleration[driven] / change[driven], Some(driven));
            }
            for (&i, z) in pressed.iter().zip(&z) {
                if *z < 0.0 && force[i] / -z < first.0 {
                    first = (force[i] / -z, Some(i));
                }
            }
            for i in (0..m).filter(|&i| apart[i] && !tied[i]) {
                if change[i] < -DEPENDENT * a.get(i, i) && acceleration[i] / -change[i] < first.0 {
                    first = (acceleration[i] / -change[i], Some(i));
                }
            }
            let (step, Some(event)) = first else {
                answer.solved = false;
                break 'contacts;
            };
            force[driven] += step;
            for (&i, z) in pressed.iter().zip(&z) {
                force[i] += step * z;
            }
            for (x, d) in acceleration.iter_mut().zip(&change) {
                *x += step * d;
            }
            if let Some(at) = pressed.iter().position(|&i| i == event) {
                force[event] = 0.0;
                tied.fill(false);
                pressed.remove(at);
                apart[event] = true;
                acceleration[event] = acceleration[event].max(0.0);
            } else {
                acceleration[event] = 0.0;
                apart[event] = false;
                pressed.push(event);
                if event == driven {
                    break;
                }
            }
        }
    }
    for (i, f) in force.iter().enumerate().filter(|(_, f)| **f != 0.0) {
        j.add_to(i, &mut answer.motion, *f);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_gauss::{GroupProjector, Metric, Motion, PairRow, Status};

    #[test]
    fn both_spaces_and_both_storages_have_one_solution() {
        for (n, p, seed) in [
            (2, 5, 1),
            (2, 15, 2),
            (7, 5, 3),
            (7, 15, 4),
            (4, 30, 5),
            (12, 5, 6),
        ] {
            let twin = Twin::random(n, p, seed);
            let mut answers = Vec::new();
            for storage in [Storage::Dense, Storage::Sparse] {
                answers.push(wilhelmsen(&twin, storage, 1e-6));
                answers.push(dantzig(&twin, storage, 1e-6));
            }
            let projector = projected(&twin);
            for (k, answer) in answers.iter().enumerate() {
                assert!(answer.solved, "{n} {p}: {k}");
                let off = answer
                    .motion
                    .iter()
                    .zip(&projector)
                    .map(|(x, y)| (x - y).abs())
                    .fold(0.0, f64::max);
                assert!(off < 1e-4, "{n} {p}: {k} is off by {off:e}");
            }
        }
    }

    fn projected(twin: &Twin) -> Vec<f64> {
        let metric = Metric::new(1.0, &nalgebra::Matrix3::identity()).unwrap();
        let rows: Vec<PairRow> = (twin.rows.iter().zip(&twin.bounds))
            .map(|(row, bound)| {
                let block = |k: usize| {
                    row.blocks
                        .get(k)
                        .map(|(b, c)| (*b as u32, Motion::from_row_slice(c)))
                };
                PairRow {
                    bodies: [block(0).map(|b| b.0), block(1).map(|b| b.0)],
                    covectors: [0, 1].map(|k| block(k).map_or_else(Motion::zeros, |b| b.1)),
                    bound: *bound,
                }
            })
            .collect();
        let mut x = vec![Motion::zeros(); twin.bodies];
        let result = GroupProjector::default().project(&vec![metric; twin.bodies], &mut x, &rows);
        assert_eq!(result.status, Status::Optimal);
        x.iter().flat_map(|m| m.iter().copied()).collect()
    }
}
