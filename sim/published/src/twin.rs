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

/// State of Dantzig's algorithm: a force and an acceleration per contact.
struct Dantzig {
    a: Delassus,
    /// Length of each row.
    lengths: Vec<f64>,
    force: Vec<f64>,
    acceleration: Vec<f64>,
    /// Contacts with force.
    pressed: Vec<usize>,
    /// Contacts that separate.
    apart: Vec<bool>,
    /// Contacts that are skipped for now: they depend on the pressed ones.
    tied: Vec<bool>,
    /// Change of the accelerations for a unit of the driven force.
    change: Vec<f64>,
}

/// What comes of driving a contact as far as one event.
enum Driven {
    /// The contact is done: it rests or is pressed.
    Done,
    /// Another contact's state changed; it is to be driven further.
    Changed,
    /// The rows contradict each other.
    Failed,
}

impl Dantzig {
    fn new(a: Delassus, twin: &Twin) -> Self {
        let m = twin.rows.len();
        Self {
            lengths: (0..m).map(|i| a.get(i, i).sqrt()).collect(),
            a,
            force: vec![0.0; m],
            acceleration: twin.bounds.iter().map(|c| -c).collect(),
            pressed: Vec::new(),
            apart: vec![false; m],
            tied: vec![false; m],
            change: vec![0.0; m],
        }
    }

    /// Returns the most violated contact, if there is any; notes those that separate.
    fn most_violated(&mut self, tolerance: f64) -> Option<usize> {
        let mut worst = (tolerance, None);
        for i in 0..self.lengths.len() {
            let violation = -self.acceleration[i] / self.lengths[i];
            if violation > worst.0 && !self.pressed.contains(&i) {
                worst = (violation, Some(i));
            } else if self.acceleration[i] >= 0.0 && !self.pressed.contains(&i) {
                self.apart[i] = true;
            }
        }
        worst.1
    }

    /// Presses on a contact until the first event.
    fn drive(&mut self, driven: usize, tolerance: f64) -> Driven {
        // All rows of these problems meet in one point: another contact's event may have brought
        // this one there as well.
        if -self.acceleration[driven] <= tolerance * self.lengths[driven] {
            self.rest(driven);
            return Driven::Done;
        }
        let Some(z) = self.balance(driven) else {
            return self.skip_newest();
        };
        self.set_change(driven, &z);
        let Some((step, event)) = self.first_event(driven, &z) else {
            return Driven::Failed;
        };
        self.advance(driven, &z, step);
        self.switch(driven, event)
    }

    /// Solves for the forces of the pressed contacts that hold their accelerations for a unit of
    /// the driven force; `None` if they depend on each other.
    fn balance(&self, driven: usize) -> Option<Vec<f64>> {
        let against: Vec<f64> = (self.pressed.iter())
            .map(|&i| -self.a.get(i, driven))
            .collect();
        cholesky(&self.pressed, |x, y| self.a.get(x, y), &against)
    }

    /// Releases the newest contact, which depends on the others: it only seemed to close, and is
    /// skipped for now.
    fn skip_newest(&mut self) -> Driven {
        match self.pressed.pop() {
            Some(last) if self.force[last] == 0.0 => {
                self.apart[last] = true;
                self.tied[last] = true;
                Driven::Changed
            }
            _ => Driven::Failed,
        }
    }

    /// Sets how the accelerations change while the pressed contacts hold theirs.
    fn set_change(&mut self, driven: usize, z: &[f64]) {
        self.change.fill(0.0);
        self.a.add_to(driven, &mut self.change, 1.0);
        for (&i, z) in self.pressed.iter().zip(z) {
            self.a.add_to(i, &mut self.change, *z);
        }
    }

    /// Returns the first event and the driven force up to it: the driven contact stops closing, a
    /// pressed one loses its force, or one that separates begins to close.
    fn first_event(&self, driven: usize, z: &[f64]) -> Option<(f64, usize)> {
        let Self {
            a,
            force,
            acceleration,
            change,
            ..
        } = self;
        let mut first = (f64::INFINITY, None);
        if change[driven] > DEPENDENT * a.get(driven, driven) {
            first = (-acceleration[driven] / change[driven], Some(driven));
        }
        for (&i, z) in self.pressed.iter().zip(z) {
            if *z < 0.0 && force[i] / -z < first.0 {
                first = (force[i] / -z, Some(i));
            }
        }
        for i in (0..self.lengths.len()).filter(|&i| self.apart[i] && !self.tied[i]) {
            if change[i] < -DEPENDENT * a.get(i, i) && acceleration[i] / -change[i] < first.0 {
                first = (acceleration[i] / -change[i], Some(i));
            }
        }
        first.1.map(|event| (first.0, event))
    }

    /// Moves forces and accelerations to the event.
    fn advance(&mut self, driven: usize, z: &[f64], step: f64) {
        self.force[driven] += step;
        for (&i, z) in self.pressed.iter().zip(z) {
            self.force[i] += step * z;
        }
        for (x, d) in self.acceleration.iter_mut().zip(&self.change) {
            *x += step * d;
        }
    }

    /// Moves the contact of an event to the side that it changes to.
    fn switch(&mut self, driven: usize, event: usize) -> Driven {
        if let Some(at) = self.pressed.iter().position(|&i| i == event) {
            self.force[event] = 0.0;
            self.tied.fill(false);
            self.pressed.remove(at);
            self.apart[event] = true;
            self.acceleration[event] = self.acceleration[event].max(0.0);
            return Driven::Changed;
        }
        self.acceleration[event] = 0.0;
        self.apart[event] = false;
        self.pressed.push(event);
        match event == driven {
            true => Driven::Done,
            false => Driven::Changed,
        }
    }

    /// Moves a contact that has stopped closing to the pressed ones. If it depends on them, its
    /// force is first shifted to them, until one of them reaches zero and leaves, or its own does.
    fn rest(&mut self, driven: usize) {
        let ratios = self.balance(driven).unwrap_or_default();
        let Self {
            a,
            force,
            pressed,
            apart,
            ..
        } = self;
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
}

/// Dantzig's algorithm (Baraff, without friction), in contact space.
#[must_use]
pub fn dantzig(twin: &Twin, storage: Storage, tolerance: f64) -> Answer {
    let j = Jacobian::new(twin, storage);
    let mut state = Dantzig::new(Delassus::new(&j, twin, storage), twin);
    let mut answer = Answer {
        motion: vec![0.0; 6 * twin.bodies],
        solves: 0,
        solved: true,
    };
    // The most violated contact first, until none is left.
    'contacts: while let Some(driven) = state.most_violated(tolerance) {
        state.apart[driven] = false;
        state.tied.fill(false);
        loop {
            if answer.solves >= work_bound(twin.rows.len()) {
                answer.solved = false;
                break 'contacts;
            }
            answer.solves += 1;
            match state.drive(driven, tolerance) {
                Driven::Done => break,
                Driven::Changed => {}
                Driven::Failed => {
                    answer.solved = false;
                    break 'contacts;
                }
            }
        }
    }
    for (i, f) in (state.force.iter().enumerate()).filter(|(_, f)| **f != 0.0) {
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
