//! Acceleration structures of a scene, for adapters with ray queries in use: the boxes of each
//! shape's triangles, and the instances of all objects.
//!
//! The structure of a rigid shape is built once, and shared by all objects of that shape. Those of
//! deformables and of the instances are rebuilt in every step, on the GPU and from its current
//! data. All boxes and transforms are finite, except boxes that are marked as left out. A step
//! allocates here only the lists for wgpu's commands, one entry for each deformable; wgpu itself
//! allocates for each object, and a buffer to build in.

use hapticd_rays::layout::{DEFORMABLE, Object, Point};
use nalgebra::{Quaternion, UnitQuaternion};

use crate::GROUP;
use crate::buffer::{BufferError, Store, next_id};
use crate::device::Gpu;
use crate::packed::Packed;
use crate::pass::{Bound, Pass};
use crate::passes;
use crate::setup::SetupError;

/// Lowest and highest corner, as bits.
type Corners = [u32; 6];

/// Structure of one shape.
#[derive(Debug)]
struct Bottom {
    blas: wgpu::Blas,
    size: wgpu::BlasAABBGeometrySizeDescriptor,
    /// Byte offset of its boxes.
    first: u32,
    deforms: bool,
}

/// Acceleration structures of a scene. See the module page.
#[derive(Debug)]
pub(crate) struct Structures {
    top: wgpu::Tlas,
    id: u64,
    find_boxes: Pass,
    /// Points of each triangle, numbered over the whole scene.
    corners: Store<[u32; 4]>,
    triangles: u32,
    boxes: Store<Corners>,
    bottoms: Vec<Bottom>,
    /// Index in `bottoms` of each object's shape; `None` if it has no triangles.
    of: Vec<Option<usize>>,
}

/// Bytes of an instance in Vulkan's layout.
const INSTANCE: usize = 64;

impl Structures {
    /// Creates structures without objects.
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        Ok(Self {
            top: top(gpu, 0)?,
            id: next_id(),
            find_boxes: Pass::new(gpu, &passes::FIND_BOXES)?,
            corners: Store::new(gpu, "corners", wgpu::BufferUsages::empty(), 1)?,
            triangles: 0,
            boxes: Store::new(gpu, "triangle_boxes", wgpu::BufferUsages::BLAS_INPUT, 1)?,
            bottoms: Vec::new(),
            of: Vec::new(),
        })
    }

    /// Takes the shapes of all objects; their points must be in `points` already.
    pub fn set(
        &mut self,
        gpu: &Gpu,
        packed: &Packed,
        points: &Store<Point>,
    ) -> Result<(), BufferError> {
        let corners: Vec<[u32; 4]> = (packed.objects.iter())
            .flat_map(|object| {
                let own = &packed.triangles[object.first_triangle as usize..];
                let own = own[..object.triangles as usize].iter();
                own.map(|triangle| {
                    let [a, b, c] = triangle.v.map(|v| object.first_point + v);
                    [a, b, c, 0]
                })
            })
            .collect();
        self.corners.write(gpu, &corners)?;
        self.triangles = corners.len() as u32;
        // Same capacity as `corners`: the pass processes all it is given.
        self.boxes.reserve(gpu, self.corners.capacity())?;
        let (corners, boxes) = (&self.corners, &self.boxes);
        self.find_boxes.bind(gpu, |name| match name {
            "points" => Some(points.bound()),
            "corners" => Some(corners.bound()),
            "triangle_boxes" => Some(boxes.bound()),
            _ => None,
        })?;
        self.bottoms.clear();
        self.of.clear();
        // One object of each rigid shape.
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
            self.build(&mut encoder, false, None);
            queue.submit([encoder.finish()]);
        })?;
        Ok(())
    }

    /// Sets the current poses. No ray hits an object with a non-finite pose.
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
                    *slot = Some(wgpu::TlasInstance::new(
                        blas,
                        transform,
                        number,
                        bit(number),
                    ));
                }
            }
        }
    }

    /// Records the rebuild of what may have changed since the last step.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder) {
        self.build(encoder, true, Some(&self.top));
    }

    pub fn bound(&self) -> Bound<'_> {
        (self.top.as_binding(), self.id)
    }

    /// Builds the deforming or the rigid shapes, and the instances if `top` is given.
    fn build(&self, encoder: &mut wgpu::CommandEncoder, deforms: bool, top: Option<&wgpu::Tlas>) {
        let these = self.bottoms.iter().filter(|b| b.deforms == deforms);
        let entries: Vec<_> = these.map(|bottom| self.entry(bottom)).collect();
        if !entries.is_empty() {
            self.find_boxes
                .record(encoder, self.triangles.div_ceil(GROUP), None);
        }
        encoder.build_acceleration_structures(&entries, top);
    }

    fn entry<'a>(&'a self, bottom: &'a Bottom) -> wgpu::BlasBuildEntry<'a> {
        wgpu::BlasBuildEntry {
            blas: &bottom.blas,
            geometry: wgpu::BlasGeometries::AabbGeometries(vec![wgpu::BlasAabbGeometry {
                size: &bottom.size,
                stride: size_of::<Corners>() as u64,
                aabb_buffer: self.boxes.buffer(),
                primitive_offset: bottom.first,
            }]),
        }
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

fn bottom(gpu: &Gpu, object: &Object, deforms: bool) -> Result<Bottom, BufferError> {
    let too_many = BufferError::TooLarge {
        buffer: "triangle_boxes",
        elements: object.first_triangle as usize,
        bytes: u64::from(object.first_triangle) * size_of::<Corners>() as u64,
        limit: u32::MAX.into(),
    };
    let first = object
        .first_triangle
        .checked_mul(size_of::<Corners>() as u32);
    let first = first.ok_or(too_many)?;
    let size = wgpu::BlasAABBGeometrySizeDescriptor {
        primitive_count: object.triangles,
        // Not opaque: every box that is hit is reported.
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
            wgpu::BlasGeometrySizeDescriptors::AABBs {
                descriptors: vec![size.clone()],
            },
        )
    })?;
    Ok(Bottom {
        blas,
        size,
        first,
        deforms,
    })
}

fn same_shape(packed: &Packed, a: &Object, b: &Object) -> bool {
    let points = |o: &Object| &packed.points[o.first_point as usize..][..o.points as usize];
    let triangles =
        |o: &Object| &packed.triangles[o.first_triangle as usize..][..o.triangles as usize];
    points(a) == points(b) && triangles(a) == triangles(b)
}

/// One of eight mask bits, by which `query.wgsl` skips most objects.
fn bit(object: u32) -> u8 {
    1 << (object % u8::BITS)
}

/// Transform from the object's frame to the world: three rows of four.
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
