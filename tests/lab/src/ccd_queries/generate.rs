//! The set of queries that needs no file: seeded, hard in every way the oracle knows, with its
//! truth.

use hapticd_oracle::cases::{Family, Random};
use hapticd_oracle::{Features, Query};

use super::file::Labelled;

/// `count` queries of either kind, the families in turn.
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

/// Whether the features touch, of the coordinates as they are in memory.
pub fn truth(query: &Labelled) -> bool {
    // Coordinates are finite: they were read or made so.
    Query::from_f64(query.features, &query.start, &query.end)
        .is_none_or(|query| query.first_contact().is_some())
}
