//! Motion space against contact space (Redon 2002, tables 5.1 and 5.2): `cargo run --release -p hapticd-dynamics --example motion_or_contact [runs]`.
//!
//! Time of Dantzig's algorithm over that of Wilhelmsen's on random problems, by bodies (columns) and contacts per body (rows).
#![allow(clippy::print_stdout)]

use std::time::Instant;

use hapticd_dynamics::twin::{Storage, Twin, dantzig, wilhelmsen};

const TOLERANCE: f64 = 1e-6;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: u64 = std::env::args().nth(1).map_or(Ok(5), |s| s.parse())?;
    for storage in [Storage::Dense, Storage::Sparse] {
        println!("{storage:?}: p \\ n    2      7     12     17     22");
        let mut most_off = 0.0_f64;
        let mut unsolved = [0; 2];
        for p in [5, 15, 25, 35, 45] {
            print!("{p:>18}");
            for n in [2, 7, 12, 17, 22] {
                let (mut contact, mut motion) = (0.0, 0.0);
                for run in 0..runs {
                    let twin = Twin::random(n, p, run + 1000 * (n * 100 + p) as u64);
                    let clock = Instant::now();
                    let x = wilhelmsen(&twin, storage, TOLERANCE);
                    motion += clock.elapsed().as_secs_f64();
                    let clock = Instant::now();
                    let y = dantzig(&twin, storage, TOLERANCE);
                    contact += clock.elapsed().as_secs_f64();
                    unsolved[0] += u32::from(!x.solved);
                    unsolved[1] += u32::from(!y.solved);
                    if x.solved && y.solved {
                        let off = x.motion.iter().zip(&y.motion).map(|(a, b)| (a - b).abs());
                        most_off = off.fold(most_off, f64::max);
                    }
                }
                print!(" {:>6.2}", contact / motion);
            }
            println!();
        }
        let [motion, contact] = unsolved;
        println!(
            "solutions differ by at most {most_off:.1e}; {motion} not solved in motion space, {contact} in contact space"
        );
    }
    Ok(())
}
