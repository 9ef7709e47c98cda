//! Tests of the methods as published.

use hapticd_counting::Counting;

mod algebraic;
mod backface;
mod baselines;
#[path = "../common/mod.rs"]
mod common;
mod counters;
mod first_contact;
mod hull;
mod interval;
mod one_mover;
mod sorted;
mod spheres;
mod sweep;
#[path = "../common/tree.rs"]
mod tree;

/// Counts for all of these modules, per thread.
#[global_allocator]
static ALLOCATOR: Counting = Counting;
