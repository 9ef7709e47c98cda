//! A packed scene on the GPU.

use hapticd_rays::layout::{Neighbours, Node, Normal, Object, Point, Triangle};

use crate::buffer::{BufferError, Store};
use crate::device::Gpu;
use crate::packed::{Cluster, Packed};
use crate::pass::Bound;
use crate::setup::SetupError;
use crate::structures::Structures;

/// A [`Packed`] scene on the GPU.
#[derive(Debug)]
pub struct GpuScene {
    objects: Store<Object>,
    points: Store<Point>,
    normals: Store<Normal>,
    triangles: Store<Triangle>,
    neighbours: Store<Neighbours>,
    nodes: Store<Node>,
    clusters: Store<Cluster>,
    members: Store<u32>,
    /// Acceleration structures, if ray queries are used.
    structures: Option<Structures>,
}

impl GpuScene {
    /// Creates a scene without objects.
    ///
    /// # Errors
    /// The device has failed, has no memory or does not accept a shader.
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        let none = wgpu::BufferUsages::empty();
        let structures = gpu.ray_queries().then(|| Structures::new(gpu));
        Ok(Self {
            structures: structures.transpose()?,
            objects: Store::new(gpu, "objects", none, 1)?,
            points: Store::new(gpu, "points", none, 1)?,
            normals: Store::new(gpu, "normals", none, 1)?,
            triangles: Store::new(gpu, "triangles", none, 1)?,
            neighbours: Store::new(gpu, "neighbours", none, 1)?,
            nodes: Store::new(gpu, "nodes", none, 1)?,
            clusters: Store::new(gpu, "clusters", none, 1)?,
            members: Store::new(gpu, "members", none, 1)?,
        })
    }

    /// Replaces all objects.
    ///
    /// # Errors
    /// There is no memory, or the device has failed; the scene is then undefined until it is set
    /// again.
    pub fn set(&mut self, gpu: &Gpu, packed: &Packed) -> Result<(), BufferError> {
        self.objects.write(gpu, &packed.objects)?;
        self.points.write(gpu, &packed.points)?;
        self.normals.write(gpu, &packed.normals)?;
        self.triangles.write(gpu, &packed.triangles)?;
        self.neighbours.write(gpu, &packed.neighbours)?;
        self.nodes.write(gpu, &packed.nodes)?;
        self.clusters.write(gpu, &packed.clusters)?;
        self.members.write(gpu, &packed.members)?;
        if let Some(structures) = &mut self.structures {
            structures.set(gpu, packed, &self.points)?;
        }
        Ok(())
    }

    /// Sets the current poses of all objects; all else must be as packed.
    ///
    /// # Errors
    /// There are more objects than were set, or the device has failed.
    pub fn place(&mut self, gpu: &Gpu, objects: &[Object]) -> Result<(), BufferError> {
        self.objects.overwrite(gpu, 0, objects)?;
        if let Some(structures) = &mut self.structures {
            structures.place(objects);
        }
        Ok(())
    }

    /// Sets the current poses, followed by those of the previous step.
    ///
    /// # Errors
    /// There is no memory, or the device has failed.
    pub(crate) fn place_all(
        &mut self,
        gpu: &Gpu,
        now: &[Object],
        before: &[Object],
    ) -> Result<(), BufferError> {
        self.objects.reserve(gpu, now.len() + before.len())?;
        self.place(gpu, now)?;
        self.objects.overwrite(gpu, now.len(), before)
    }

    /// Sets a deformable's current points, from packed number `first` on, and their normals.
    ///
    /// # Errors
    /// There are more points than were set, or the device has failed.
    pub fn deform(
        &mut self,
        gpu: &Gpu,
        first: usize,
        points: &[Point],
        normals: &[Normal],
    ) -> Result<(), BufferError> {
        self.points.overwrite(gpu, first, points)?;
        self.normals.overwrite(gpu, first, normals)
    }

    /// Records the work needed before rays are traced; nothing without ray queries.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(structures) = &self.structures {
            structures.record(encoder);
        }
    }

    /// Binding of a name used by the shaders.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Bound<'_>> {
        Some(match name {
            "objects" => self.objects.bound(),
            "points" => self.points.bound(),
            "normals" => self.normals.bound(),
            "triangles" => self.triangles.bound(),
            "neighbours" => self.neighbours.bound(),
            "nodes" => self.nodes.bound(),
            "clusters" => self.clusters.bound(),
            "members" => self.members.bound(),
            "structure" => self.structures.as_ref()?.bound(),
            _ => return None,
        })
    }
}
