//! Multiresolution registration of moving things in combinatorial maps (Pitiot 2015).
#![forbid(unsafe_code)]

pub mod map;
pub mod track;
