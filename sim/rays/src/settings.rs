//! What a step may be told.

use crate::displacement::Measure;

/// Which full algorithm traces rigid targets. Deformable ones have no tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// The shape's tree, without a stack.
    Tree,
    /// All triangles.
    Basic,
}

/// What a contact between two volumes says of a ray (Lehericey 2016, chapter 3, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separation {
    /// Along the triangle's normal, as deep as it is along that.
    Reprojected,
    /// Along the ray, as deep as the ray is long. For comparison.
    Ray,
    /// Along the ray, its length times the cosine (Hermann 2008). For comparison.
    Cosine,
}

/// See the fields. [`Settings::for_edges`] gives a start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Longest prediction that is kept, m (`distPrediction`); 0 switches predictions off.
    pub prediction_m: f32,
    /// Relative displacement up to which the walk is trusted, m (`seuilDéplacement`).
    pub displacement_m: f32,
    /// Walks may look at this many times as many triangles as the displacement crosses on average
    /// (equation 4.1), at least 1.
    pub walk_confidence: f32,
    /// Predictions between rigid solids sleep while the pair has further to go than this until they
    /// touch, m: they are neither walked on nor given out ([`Tracer::near`](crate::Tracer::near)),
    /// and cost next to nothing. 0: all that cannot be a contact yet. Infinite: none ever sleeps. A
    /// solver that looks ahead by predictions needs as much as a pair may come nearer in its step.
    /// On a GPU none sleeps.
    pub awake_m: f32,
    /// Use the walk at all.
    pub iterative: bool,
    /// For rigid targets.
    pub full: Full,
    /// For pairs with a deformable.
    pub measure: Measure,
    /// Look for points that crossed a sheet.
    pub inversions: bool,
    /// Test deformables against themselves.
    pub self_collision: bool,
    /// And volumes among them: a deep dent then finds false contacts at its rim, where inner rays
    /// leave through the outer slope before the exit that is tracked.
    pub self_volumes: bool,
    /// Of contacts between volumes.
    pub separation: Separation,
}

impl Settings {
    /// For meshes of this mean edge, m: threshold of half an edge, predictions of one.
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

    /// Most triangles that a walk looks at on a surface of this mean edge (equation 4.1), 8 at
    /// least.
    #[must_use]
    pub fn walk_limit(&self, mean_edge_m: f32) -> u32 {
        let triangles = self.walk_confidence * self.displacement_m / mean_edge_m;
        // The cast is 0 for NaN and saturates: more than a thousand is no walk.
        (triangles.ceil() as u32).clamp(8, 1024)
    }
}
