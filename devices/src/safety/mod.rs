//! The safety governor: the last stage before the wire, which can only ever reduce a force.
