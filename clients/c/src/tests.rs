//! The library beside its header, and what can be seen only from inside: allocations.

mod header;
mod reads;
