//! The acceleration structures of a scene, for adapters that are asked ray queries: one for each rigid shape, built once; one for each deformable
//! and one for the places of all, built anew in every step from what the GPU has then.
//!
//! No vertex is NaN or infinite but those with NaN as first coordinate, which Vulkan leaves out, and no place is: see [`crate::scene`]. A step takes no
//! memory here but the lists that wgpu's commands are made of: one for each deformable, and within wgpu one for each object.

use hapticd_rays::layout::{DEFORMABLE, Object, Point};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::buffer::{BufferError, Store, next_id};
use crate::device::{Fault, Gpu};
use crate::pass::Bound;
use crate::scene::Packed;

/// Of a shape.
#[derive(Debug)]
struct Bottom {
    blas: wgpu::Blas,
    size: wgpu::BlasTriangleGeometrySizeDescriptor,
    first_point: u32,
    first_index: u32,
    deforms: bool,
}

/// See the module page.
#[derive(Debug)]
pub(crate) struct Structures {
    top: wgpu::Tlas,
    id: u64,
    indices: Store<u32>,
    bottoms: Vec<Bottom>,
    /// Of each object; `None` if it has no triangles.
    of: Vec<Option<usize>>,
}

/// Bytes of an instance, as Vulkan lays it out.
const INSTANCE: usize = 64;

impl Structures {
    /// Without objects.
    pub fn new(gpu: &Gpu) -> Result<Self, BufferError> {
        Ok(Self {
            top: top(gpu, 0)?,
            id: next_id(),
            indices: Store::new(gpu, "indices", wgpu::BufferUsages::BLAS_INPUT, 3)?,
            bottoms: Vec::new(),
            of: Vec::new(),
        })
    }

    /// Takes over the shapes of all objects, whose points are in that buffer already.
    pub fn set(
        &mut self,
        gpu: &Gpu,
        packed: &Packed,
        points: &Store<Point>,
    ) -> Result<(), BufferError> {
        let indices: Vec<u32> = packed.triangles.iter().flat_map(|t| t.v).collect();
        self.indices.write(gpu, &indices)?;
        self.bottoms.clear();
        self.of.clear();
        // One object of each rigid shape that there is.
        let mut shapes: Vec<(&Object, usize)> = Vec::new();
        for object in &packed.objects {
            if object.triangles == 0 {
                self.of.push(None);
                continue;
            }
            let deforms = object.flags & DEFORMABLE != 0;
            let alike = shapes
                .iter()
                .find(|(other, _)| !deforms && same_shape(packed, other, object));
            if let Some(&(_, bottom)) = alike {
                self.of.push(Some(bottom));
                continue;
            }
            let number = self.bottoms.len();
            self.bottoms.push(bottom(gpu, object, deforms)?);
            self.of.push(Some(number));
            if !deforms {
                shapes.push((object, number));
            }
        }
        self.top = top(gpu, packed.objects.len())?;
        self.id = next_id();
        self.place(&packed.objects);
        gpu.attempt(|device, queue| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.build_acceleration_structures(&self.entries(points, false), []);
            queue.submit([encoder.finish()]);
        })?;
        Ok(())
    }

    /// Where the objects are now. One that is nowhere, by numbers, is met by nothing.
    pub fn place(&mut self, objects: &[Object]) {
        let Self {
            top, bottoms, of, ..
        } = self;
        for (number, (object, bottom)) in (0..).zip(objects.iter().zip(of)) {
            let Some(slot) = top.get_mut_single(number) else {
                return;
            };
            let transform = transform(object);
            let bottom = bottom.filter(|_| transform.iter().all(|x| x.is_finite()));
            match (slot.as_mut(), bottom) {
                (Some(instance), Some(_)) => instance.transform = transform,
                (_, None) => *slot = None,
                (None, Some(bottom)) => {
                    let blas = &bottoms[bottom].blas;
                    let number = number as u32;
                    *slot = Some(wgpu::TlasInstance::new(blas, transform, number, bit(number)));
                }
            }
        }
    }

    /// Builds what may have changed since the last step.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, points: &Store<Point>) {
        encoder.build_acceleration_structures(&self.entries(points, true), [&self.top]);
    }

    pub fn bound(&self) -> Bound<'_> {
        (self.top.as_binding(), self.id)
    }

    fn entries<'a>(
        &'a self,
        points: &'a Store<Point>,
        deforms: bool,
    ) -> Vec<wgpu::BlasBuildEntry<'a>> {
        let these = self.bottoms.iter().filter(|b| b.deforms == deforms);
        let entry = |bottom: &'a Bottom| wgpu::BlasBuildEntry {
            blas: &bottom.blas,
            geometry: wgpu::BlasGeometries::TriangleGeometries(vec![wgpu::BlasTriangleGeometry {
                size: &bottom.size,
                vertex_buffer: points.buffer(),
                first_vertex: bottom.first_point,
                vertex_stride: size_of::<Point>() as u64,
                index_buffer: Some(self.indices.buffer()),
                first_index: Some(bottom.first_index),
                transform_buffer: None,
                transform_buffer_offset: None,
            }]),
        };
        these.map(entry).collect()
    }
}

fn top(gpu: &Gpu, instances: usize) -> Result<wgpu::Tlas, BufferError> {
    let most = gpu.most_instances();
    if instances > most {
        return Err(BufferError::TooLarge {
            buffer: "instances",
            elements: instances,
            bytes: (instances * INSTANCE) as u64,
            limit: (most * INSTANCE) as u64,
        });
    }
    let top = gpu.attempt(|device, _| {
        device.create_tlas(&wgpu::CreateTlasDescriptor {
            label: Some("structure"),
            max_instances: instances.max(1) as u32,
            flags: wgpu::AccelerationStructureFlags::PREFER_FAST_BUILD,
            update_mode: wgpu::AccelerationStructureUpdateMode::Build,
        })
    })?;
    Ok(top)
}

fn bottom(gpu: &Gpu, object: &Object, deforms: bool) -> Result<Bottom, Fault> {
    let size = wgpu::BlasTriangleGeometrySizeDescriptor {
        vertex_format: wgpu::VertexFormat::Float32x3,
        vertex_count: object.points,
        index_format: Some(wgpu::IndexFormat::Uint32),
        index_count: Some(3 * object.triangles),
        // Not opaque: what is met is told, and not only the nearest.
        flags: wgpu::AccelerationStructureGeometryFlags::empty(),
    };
    let flags = if deforms {
        wgpu::AccelerationStructureFlags::PREFER_FAST_BUILD
    } else {
        wgpu::AccelerationStructureFlags::PREFER_FAST_TRACE
    };
    let blas = gpu.attempt(|device, _| {
        device.create_blas(
            &wgpu::CreateBlasDescriptor {
                label: Some("shape"),
                flags,
                update_mode: wgpu::AccelerationStructureUpdateMode::Build,
            },
            wgpu::BlasGeometrySizeDescriptors::Triangles {
                descriptors: vec![size.clone()],
            },
        )
    })?;
    Ok(Bottom {
        blas,
        size,
        first_point: object.first_point,
        first_index: 3 * object.first_triangle,
        deforms,
    })
}

fn same_shape(packed: &Packed, a: &Object, b: &Object) -> bool {
    let points = |o: &Object| &packed.points[o.first_point as usize..][..o.points as usize];
    let triangles =
        |o: &Object| &packed.triangles[o.first_triangle as usize..][..o.triangles as usize];
    points(a) == points(b) && triangles(a) == triangles(b)
}

/// One of eight, by which `query.wgsl` leaves out most objects.
fn bit(object: u32) -> u8 {
    1 << (object % u8::BITS)
}

/// From the object's frame to the world's: three rows of four.
fn transform(object: &Object) -> [f32; 12] {
    let q = UnitQuaternion::new_unchecked(Quaternion::from(object.q));
    let turn = q.to_rotation_matrix().into_inner();
    let mut rows = [0.0; 12];
    for i in 0..3 {
        for j in 0..3 {
            rows[4 * i + j] = turn[(i, j)];
        }
        rows[4 * i + 3] = object.t[i];
    }
    rows
}
