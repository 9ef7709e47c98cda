//! Settings of a step.

use crate::displacement::Measure;

/// Full algorithm for rigid targets. Deformable targets have no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The shape's tree, without a stack.
    Tree,
    /// All triangles.
    Basic,
}

/// How a contact between two volumes is derived from a ray (Lehericey 2016, chapter 3, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separation {
    /// Along the triangle's normal, with the depth along it.
    Reprojected,
    /// Along the ray, with its length as depth. For comparison.
    Ray,
    /// Along the ray, with its length times the cosine as depth (Hermann 2008). For comparison.
    Cosine,
}

/// Settings of the ray detection. [`Settings::for_edges`] gives a start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Longest prediction that is kept, m (`distPrediction`); 0 switches predictions off.
    pub prediction_m: f32,
    /// Relative displacement up to which the walk is trusted, m (`seuilDéplacement`).
    pub displacement_m: f32,
    /// Limit of a walk, as a multiple of the number of triangles that the displacement crosses on
    /// average (equation 4.1), at least 1.
    pub walk_confidence: f32,
    /// Free distance above which predictions between rigid solids sleep, m. Sleeping predictions
    /// are neither walked nor returned ([`Tracer::near`](crate::Tracer::near)), and cost almost
    /// nothing. With 0, every prediction sleeps that cannot be a contact yet; if infinite, none
    /// ever sleeps. A solver that looks ahead by predictions needs the distance by which a pair may
    /// approach in one of its steps. On a GPU none sleeps.
    pub awake_m: f32,
    /// Whether to use the walk.
    pub iterative: bool,
    /// Full algorithm for rigid targets.
    pub full: Full,
    /// Measure of motion for pairs with a deformable.
    pub measure: Measure,
    /// Whether to detect points that crossed a sheet.
    pub inversions: bool,
    /// Whether to test deformables against themselves.
    pub self_collision: bool,
    /// Whether self-collision includes volumes. A deep dent then gives false contacts at its rim,
    /// where inner rays leave through the outer slope before the exit that is tracked.
    pub self_volumes: bool,
    /// Separation of contacts between volumes.
    pub separation: Separation,
}

impl Settings {
    /// Settings for meshes of this mean edge, m: displacement threshold of half an edge,
    /// predictions of one.
    #[must_use]
    pub fn for_edges(mean_edge_m: f32) -> Settings {
        Settings {
            prediction_m: mean_edge_m,
            displacement_m: 0.5 * mean_edge_m,
            walk_confidence: 4.0,
            awake_m: f32::INFINITY,
            iterative: true,
            full: Full::Tree,
            measure: Measure::MeanDeviation,
            inversions: true,
            self_collision: true,
            self_volumes: true,
            separation: Separation::Reprojected,
        }
    }

    /// Largest number of triangles that a walk visits on a surface of this mean edge (equation
    /// 4.1), at least 8.
    #[must_use]
    pub fn walk_limit(&self, mean_edge_m: f32) -> u32 {
        let triangles = self.walk_confidence * self.displacement_m / mean_edge_m;
        // The cast gives 0 for NaN and saturates. A walk of more than a thousand triangles makes no
        // sense.
        (triangles.ceil() as u32).clamp(8, 1024)
    }
}
