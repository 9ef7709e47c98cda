//! Tests of recordings: written, read, replayed.
