//! The query set that needs no file: seeded, hard in every way that the oracle knows, with its
//! truth.

use hapticd_oracle::cases::{Family, Random};
use hapticd_oracle::{Features, Query};

use super::file::Labelled;

/// Returns `count` queries of either kind, cycling through the families.
pub fn generate(seed: u64, count: usize) -> Vec<Labelled> {
    let mut queries = Vec::new();
    for features in [Features::VertexFace, Features::EdgeEdge] {
        let mut random = Random::new(seed);
        for family in Family::ALL.iter().cycle().take(count) {
            let (start, end) = random.query(*family, features);
            let mut query = Labelled {
                features,
                start,
                end,
                touch: false,
                rounded: false,
            };
            query.touch = truth(&query);
            queries.push(query);
        }
    }
    queries
}

/// Returns whether the features touch, for the coordinates in memory.
pub fn truth(query: &Labelled) -> bool {
    // Coordinates are finite: they were read or generated as such.
    Query::from_f64(query.features, &query.start, &query.end)
        .is_none_or(|query| query.first_contact().is_some())
}
