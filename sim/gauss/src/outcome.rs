//! Outcome of a search for the nearest motion: its status, and the rows that carry force.

/// Outcome of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The motion is the nearest admissible one.
    ///
    /// Every row holds within 1e-8 of its scale, `|bound| + |row| (|wanted| + |motion|)` in the
    /// kinetic norm. Rows that are independent by less than one part in ten thousand may need
    /// coarser passes. The worst case is then 1e-4 of the scale;
    /// [`Projection::violation`](crate::Projection::violation) gives what was reached.
    Optimal,
    /// No motion satisfies all rows. The motion is optimal for the active rows only: an intention,
    /// not an admissible motion.
    Infeasible,
    /// The work bound was reached. The motion is optimal for the active rows only: an intention,
    /// not an admissible motion.
    IterationLimit,
    /// A number was not finite, or there were more rows than the projector's capacity. The motion
    /// is zero.
    Rejected,
}

/// One row that carries force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Active {
    /// Index of the row in the problem.
    pub row: usize,
    /// Multiplier, never negative, of the row as given: `M (x - wanted) = sum_i multiplier_i
    /// covector_i`.
    ///
    /// For a displacement (m) and a unit normal, its unit is kg m: a force times the square of the
    /// time step.
    pub multiplier: f64,
}

impl Active {
    pub(crate) const NONE: Self = Self {
        row: 0,
        multiplier: 0.0,
    };
}
