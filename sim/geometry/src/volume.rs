//! Volumes: samples on a regular grid in a local frame, as scanners and simulations produce them.
//!
//! [`nrrd`] reads and writes them; [`skull()`](skull::skull) computes one by formula. A [`Volume`]
//! holds exactly as many finite samples as it has nodes, in a right-handed frame with orthogonal
//! axes; later code need not check that again. Allocates, and reading blocks on the disk: not for a
//! real-time thread. Deterministic.

use crate::pose::Pose;

pub mod nrrd;
pub mod skull;

/// Most samples of a volume: 512 MiB.
pub const MAX_SAMPLES: u64 = 1 << 27;
/// Most samples along an axis.
pub const MAX_NODES: u32 = 4096;

/// Samples on a grid, x fastest, then y. Lengths are in a unit that the source chooses.
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    /// Position of the first sample and orientation of the axes.
    pub frame: Pose,
    /// Distance between samples along each axis.
    pub spacing: [f64; 3],
    /// Number of samples along each axis.
    pub nodes: [u32; 3],
    /// The samples, in a unit that the source chooses.
    pub samples: Vec<f32>,
    /// Length of the unit of `frame` and `spacing`, m, if it is known.
    pub unit_m: Option<f64>,
}

/// Why samples do not form a volume. The source of the samples decides where the fault lies.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeFault {
    /// Too few or too many samples along an axis, or too many in total.
    #[error(
        "{0:?} samples: there have to be 2 to {MAX_NODES} along each axis, and {MAX_SAMPLES} in all at most"
    )]
    Nodes([u64; 3]),
    /// A spacing is not positive, or not finite.
    #[error("samples every {0:?}: it has to be more than 0 and finite along each axis")]
    Spacing([f64; 3]),
    /// Position or rotation of the frame is not finite.
    #[error("the first sample is at {0:?}")]
    Origin([f64; 3]),
    /// The number of samples differs from the number of nodes.
    #[error("{given} samples for {nodes:?} nodes")]
    Count {
        /// Number of samples.
        given: usize,
        /// Nodes along each axis.
        nodes: [u32; 3],
    },
    /// A sample is not finite; the first such sample.
    #[error("sample {at:?} is {value}")]
    NotFinite {
        /// Its index along each axis, from 0.
        at: [u32; 3],
        /// Its value.
        value: f32,
    },
}

/// Returns the number of samples along each axis, if it is allowed.
fn nodes_of(nodes: [u64; 3]) -> Result<[u32; 3], VolumeFault> {
    let fits = |n: &u64| (2..=u64::from(MAX_NODES)).contains(n);
    // The product of three such numbers does not overflow.
    if nodes.iter().all(fits) && nodes.iter().product::<u64>() <= MAX_SAMPLES {
        Ok(nodes.map(|n| n as u32))
    } else {
        Err(VolumeFault::Nodes(nodes))
    }
}

impl Volume {
    /// Checks everything that the module page promises.
    ///
    /// # Errors
    /// [`VolumeFault`]: the first fault found.
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
