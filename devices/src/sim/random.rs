//! Pseudo-random numbers as a pure function of a seed and an index, so that a simulation can be
//! evaluated at any time, in any order, with the same result.

/// SplitMix64's output function (Steele, Lea and Flood 2014): every bit of the result depends on
/// every bit of the argument.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns the `index`-th number of the sequence `seed`, uniform over -1..1.
pub(super) fn symmetric(seed: u64, index: u64) -> f64 {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let bits = mix(mix(seed.wrapping_add(GOLDEN)).wrapping_add(index.wrapping_mul(GOLDEN)));
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_fill_the_range_evenly_and_depend_on_both_arguments() {
        let n = 20_000;
        let all: Vec<f64> = (0..n).map(|i| symmetric(7, i)).collect();
        let mean = all.iter().sum::<f64>() / n as f64;
        let square = all.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.02 && (square - 1.0 / 3.0).abs() < 0.01);
        assert!(all.iter().all(|x| (-1.0..1.0).contains(x)));
        let pairs = all.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / n as f64;
        assert!(pairs.abs() < 0.01, "neighbours are not related: {pairs}");
        assert_ne!(symmetric(7, 1), symmetric(8, 1));
    }
}
