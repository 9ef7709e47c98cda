//! Volumes: samples on a regular grid in a frame of their own, as scanners and simulations give
//! them.
//!
//! [`nrrd`] reads them from files and writes them; [`skull()`](skull::skull) makes one up by
//! formula. A [`Volume`] that there is holds as many finite samples as its nodes are, in a
//! right-handed frame with axes at right angles: nobody has to ask again. Allocates, and reading
//! blocks on the disk: not for a real-time thread. Deterministic.

use crate::pose::Pose;

pub mod nrrd;
pub mod skull;

/// Most samples of a volume: 512 MB.
pub const MAX_SAMPLES: u64 = 1 << 27;
/// Most samples along an axis.
pub const MAX_NODES: u32 = 4096;

/// Samples on a grid, x fastest, then y. Lengths are in the units of whoever made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Where the first sample is, and how the axes stand.
    pub frame: Pose,
    /// From sample to sample along each axis.
    pub spacing: [f64; 3],
    /// How many along each axis.
    pub nodes: [u32; 3],
    /// What they are, in a unit of their own.
    pub samples: Vec<f32>,
    /// Length of a unit of `frame` and `spacing`, m, if it is known.
    pub unit_m: Option<f64>,
}

/// Why samples are no volume. Whose fault it is depends on where they come from.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeFault {
    /// Too few or too many along an axis, or in all.
    #[error(
        "{0:?} samples: there have to be 2 to {MAX_NODES} along each axis, and {MAX_SAMPLES} in all at most"
    )]
    Nodes([u64; 3]),
    /// Not more than 0, or not finite.
    #[error("samples every {0:?}: it has to be more than 0 and finite along each axis")]
    Spacing([f64; 3]),
    /// No place.
    #[error("the first sample is at {0:?}")]
    Origin([f64; 3]),
    /// Not as many as nodes.
    #[error("{given} samples for {nodes:?} nodes")]
    Count {
        /// How many there are.
        given: usize,
        /// Along each axis.
        nodes: [u32; 3],
    },
    /// One that is none: the first.
    #[error("sample {at:?} is {value}")]
    NotFinite {
        /// Along each axis, from 0.
        at: [u32; 3],
        /// What it is.
        value: f32,
    },
}

/// How many samples along each axis, if there can be as many.
fn nodes_of(nodes: [u64; 3]) -> Result<[u32; 3], VolumeFault> {
    let fits = |n: &u64| (2..=u64::from(MAX_NODES)).contains(n);
    // No product of three such numbers is too large to be one.
    if nodes.iter().all(fits) && nodes.iter().product::<u64>() <= MAX_SAMPLES {
        Ok(nodes.map(|n| n as u32))
    } else {
        Err(VolumeFault::Nodes(nodes))
    }
}

impl Volume {
    /// Checks everything that the page above promises.
    ///
    /// # Errors
    /// [`VolumeFault`]: the first thing that is wrong.
    pub fn new(
        frame: Pose,
        spacing: [f64; 3],
        nodes: [u32; 3],
        samples: Vec<f32>,
    ) -> Result<Volume, VolumeFault> {
        let nodes = nodes_of(nodes.map(u64::from))?;
        if !spacing.iter().all(|h| *h > 0.0 && h.is_finite()) {
            return Err(VolumeFault::Spacing(spacing));
        }
        let origin = frame.translation.vector;
        if !(origin.iter().all(|x| x.is_finite())
            && frame.rotation.coords.iter().all(|x| x.is_finite()))
        {
            return Err(VolumeFault::Origin(origin.into()));
        }
        let given = samples.len();
        if given as u64 != nodes.iter().map(|n| u64::from(*n)).product::<u64>() {
            return Err(VolumeFault::Count { given, nodes });
        }
        if let Some(k) = samples.iter().position(|x| !x.is_finite()) {
            let [nx, ny] = [nodes[0], nodes[1]].map(|n| n as usize);
            let at = [k % nx, k / nx % ny, k / (nx * ny)].map(|i| i as u32);
            let value = samples[k];
            return Err(VolumeFault::NotFinite { at, value });
        }
        Ok(Volume {
            frame,
            spacing,
            nodes,
            samples,
            unit_m: None,
        })
    }
}
