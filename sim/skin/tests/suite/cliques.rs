//! Maximal cliques against their definition, and the limit on their number.

use hapticd_skin::blend::{Cliques, Graph, Set, TooManyCliques, members};
use proptest::prelude::*;

/// Members that may blend with each of the first `count`.
fn among(graph: &Graph, count: u32) -> Vec<Set> {
    let may = |a| (0..count).fold(0, |set, b| set | Set::from(graph.blends(a, b)) << b);
    (0..count).map(may).collect()
}

fn sorted(cliques: &[Set]) -> Vec<Set> {
    let mut all = cliques.to_vec();
    all.sort_unstable();
    all
}

/// All subsets that are cliques and part of no larger one.
fn by_definition(may: &[Set], candidates: Set) -> Vec<Set> {
    let is_clique = |set: Set| members(set).all(|i| set & !may[i] == 0);
    let cliques: Vec<Set> = (1..1 << may.len())
        .filter(|set| set & !candidates == 0 && is_clique(*set))
        .collect();
    let is_in_another = |set: &Set| cliques.iter().any(|c| c != set && set & !c == 0);
    let maximal = cliques.iter().filter(|set| !is_in_another(set));
    sorted(&maximal.copied().collect::<Vec<Set>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any graph and any candidates; the work space keeps nothing of earlier searches.
    #[test]
    fn cliques_are_those_of_the_definition(
        pairs in proptest::collection::vec((0_u32..9, 0_u32..9), 0..36),
        some in proptest::collection::vec(0_u16..512, 1..4),
    ) {
        let mut graph = Graph::new();
        for (a, b) in pairs {
            graph.allow(a, b);
        }
        let may = among(&graph, 9);
        let mut cliques = Cliques::default();
        for set in some.into_iter().map(Set::from).chain([0x1ff]) {
            let wanted = by_definition(&may, set);
            let found = sorted(cliques.find(&may, set, 256).unwrap());
            prop_assert_eq!(&found, &wanted);
            // With exactly enough capacity, and with one less.
            prop_assert!(cliques.find(&may, set, wanted.len()).is_ok());
            if let Some(most) = wanted.len().checked_sub(1) {
                let members = set.count_ones() as usize;
                prop_assert_eq!(cliques.find(&may, set, most), Err(TooManyCliques { members, most }));
                prop_assert!(cliques.cliques().is_empty());
            }
        }
    }
}

/// A strand has one clique for each place of its window, which is what a place sees.
#[test]
fn a_strands_cliques_are_windows() {
    let mut graph = Graph::new();
    graph.strand(0, &[1.0; 127], 9.0);
    let may = among(&graph, 128);
    let mut cliques = Cliques::default();
    let found = sorted(cliques.find(&may, Set::MAX, 119).unwrap());
    let windows: Vec<Set> = (0..119).map(|i| 0x3ff << i).collect();
    assert_eq!(found, windows);
}

/// Groups of three in which none blend: the largest possible number of cliques (Moon and Moser).
/// The search ends long before it has them all.
#[test]
fn more_than_are_wanted_end_the_search() {
    let mut graph = Graph::new();
    for b in 0..126 {
        for a in (0..b).filter(|a| a / 3 != b / 3) {
            graph.allow(a, b);
        }
    }
    let may = among(&graph, 126);
    let mut cliques = Cliques::default();
    let some = |count: u32| Set::MAX >> (128 - count);
    assert_eq!(cliques.find(&may, some(15), 243).unwrap().len(), 243);
    let error = cliques.find(&may, some(126), 256).unwrap_err();
    assert_eq!(
        error,
        TooManyCliques {
            members: 126,
            most: 256
        }
    );
    let said = "more than 256 maximal cliques among 126 primitives";
    assert_eq!(error.to_string(), said);
}
