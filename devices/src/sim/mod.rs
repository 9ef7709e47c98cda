//! Simulated arm and simulated hand.
