//! Tests of the whole tree: digests, layers, parameters, links, keys.

mod golden;
mod keys;
mod lab;
mod layers;
mod links;
mod parameters;
