//! The renderer of the window and of pictures in files: models with light from two sides, lines,
//! and the panels over them.
//!
//! It takes four samples per pixel. Models stay on the device under their numbers; it uploads them
//! again when their version changes, and drops them when a picture no longer contains them. It
//! draws to any target of the format that it was made for. Blending is done in sRGB, as egui
//! requires.

use crate::{
    camera::Size,
    gpu::Gpu,
    model::{Model, Vertex},
    picture::{Color, Item, Picture, Style},
};
use nalgebra::Vector3;
use std::{collections::HashMap, mem::size_of};
use wgpu::util::DeviceExt;

/// Samples per pixel.
const SAMPLES: u32 = 4;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Layout of the shader's `View`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct View {
    clip_from_world: [[f32; 4]; 4],
    eye: [f32; 4],
    key: [f32; 4],
    sky: [f32; 4],
    ground: [f32; 4],
    size: [f32; 4],
    fade: [f32; 4],
}

/// Layout of the shader's `Instance`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Instance {
    rows: [[f32; 4]; 3],
    color: Color,
}

/// Layout of the shader's `Line`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct LineInstance {
    from_width: [f32; 4],
    to_fade: [f32; 4],
    color: Color,
}

/// Output of egui to be painted.
#[derive(Debug)]
pub struct Panels {
    /// Triangles.
    pub primitives: Vec<egui::ClippedPrimitive>,
    /// Texture changes since the last time.
    pub textures: egui::TexturesDelta,
    /// Pixels per point.
    pub pixels_per_point: f32,
}

/// A model on the device.
#[derive(Debug)]
struct Resident {
    version: u64,
    mesh: u64,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    count: u32,
    used: bool,
}

/// Textures between scene and target.
#[derive(Debug)]
struct Attachments {
    size: Size,
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
}

#[derive(Debug)]
struct Pipelines {
    solid: wgpu::RenderPipeline,
    inner: wgpu::RenderPipeline,
    outer: wgpu::RenderPipeline,
    through: wgpu::RenderPipeline,
    lines: wgpu::RenderPipeline,
}

/// The renderer with everything on the device.
pub struct Renderer {
    format: wgpu::TextureFormat,
    pipelines: Pipelines,
    view: wgpu::Buffer,
    bindings: wgpu::BindGroup,
    models: HashMap<u64, Resident>,
    attachments: Option<Attachments>,
    panels: egui_wgpu::Renderer,
}

/// Converts sRGB to linear light.
fn linear([r, g, b, a]: Color) -> Color {
    let one = |c: f32| {
        if c <= 0.040_45 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    };
    [one(r), one(g), one(b), a]
}

const OVER: wgpu::BlendState = wgpu::BlendState::ALPHA_BLENDING;

impl Pipelines {
    fn new(gpu: &Gpu, format: wgpu::TextureFormat, layout: &wgpu::PipelineLayout) -> Self {
        let shader = gpu
            .device
            .create_shader_module(wgpu::include_wgsl!("wgsl/scene.wgsl"));
        let corners = wgpu::VertexBufferLayout {
            array_stride: size_of::<Vertex>() as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3],
        };
        let instances = wgpu::VertexBufferLayout {
            array_stride: size_of::<Instance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![2 => Float32x4, 3 => Float32x4, 4 => Float32x4, 5 => Float32x4],
        };
        let lines = wgpu::VertexBufferLayout {
            array_stride: size_of::<LineInstance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4],
        };
        let make = |label,
                    [vertex, fragment]: [&str; 2],
                    buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
                    cull_mode,
                    blend: Option<wgpu::BlendState>,
                    compare| {
            let depth_write_enabled = Some(blend.is_none());
            gpu.device
                .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                    label: Some(label),
                    layout: Some(layout),
                    vertex: wgpu::VertexState {
                        module: &shader,
                        entry_point: Some(vertex),
                        buffers,
                        compilation_options: wgpu::PipelineCompilationOptions::default(),
                    },
                    primitive: wgpu::PrimitiveState {
                        cull_mode,
                        ..wgpu::PrimitiveState::default()
                    },
                    depth_stencil: Some(wgpu::DepthStencilState {
                        format: DEPTH,
                        depth_write_enabled,
                        depth_compare: Some(compare),
                        stencil: wgpu::StencilState::default(),
                        bias: wgpu::DepthBiasState::default(),
                    }),
                    multisample: wgpu::MultisampleState {
                        count: SAMPLES,
                        ..wgpu::MultisampleState::default()
                    },
                    fragment: Some(wgpu::FragmentState {
                        module: &shader,
                        entry_point: Some(fragment),
                        targets: &[Some(wgpu::ColorTargetState {
                            format,
                            blend,
                            write_mask: wgpu::ColorWrites::ALL,
                        })],
                        compilation_options: wgpu::PipelineCompilationOptions::default(),
                    }),
                    multiview_mask: None,
                    cache: None,
                })
        };
        let body = [Some(corners), Some(instances)];
        let (front, back) = (Some(wgpu::Face::Front), Some(wgpu::Face::Back));
        let (nearer, farther) = (wgpu::CompareFunction::Less, wgpu::CompareFunction::Greater);
        let lit = ["body", "lit"];
        Self {
            solid: make("solid", lit, &body, None, None, nearer),
            inner: make("inner sides", lit, &body, front, Some(OVER), nearer),
            outer: make("outer sides", lit, &body, back, Some(OVER), nearer),
            // Front faces only: a mark must not hide itself.
            through: make(
                "marks",
                ["body", "veiled"],
                &body,
                back,
                Some(OVER),
                farther,
            ),
            lines: make(
                "lines",
                ["line", "drawn"],
                &[Some(lines)],
                None,
                Some(OVER),
                nearer,
            ),
        }
    }
}

impl Renderer {
    /// Makes a renderer for targets of this format. It must not be an sRGB format: the shader
    /// encodes colours.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some("view"),
                entries: &[wgpu::BindGroupLayoutEntry {
                    binding: 0,
                    visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
                    ty: wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                    count: None,
                }],
            });
        let view = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<View>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bindings = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: view.as_entire_binding(),
            }],
        });
        let layout = gpu
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("scene"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
        let options = egui_wgpu::RendererOptions {
            dithering: false,
            ..egui_wgpu::RendererOptions::default()
        };
        Self {
            format,
            pipelines: Pipelines::new(gpu, format, &layout),
            view,
            bindings,
            models: HashMap::new(),
            attachments: None,
            panels: egui_wgpu::Renderer::new(&gpu.device, format, options),
        }
    }

    /// Returns the format of the targets.
    pub fn format(&self) -> wgpu::TextureFormat {
        self.format
    }

    /// Draws a picture and the panels over it to a target of this size, and submits it to the
    /// queue. Both sides must be at least one pixel.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::TextureView,
        size: Size,
        picture: &Picture,
        panels: Option<Panels>,
    ) {
        let uniform = view_of(picture, size);
        gpu.queue
            .write_buffer(&self.view, 0, bytemuck::bytes_of(&uniform));
        self.upload_models(gpu, &picture.items);
        let instances: Vec<Instance> = picture.items.iter().map(instance).collect();
        let lines: Vec<LineInstance> = picture.lines.iter().map(line).collect();
        let instances = buffer(gpu, "instances", bytemuck::cast_slice(&instances));
        let line_buffer = buffer(gpu, "lines", bytemuck::cast_slice(&lines));
        let attachments = match self.attachments.take() {
            Some(same) if same.size == size => same,
            _ => Attachments::new(gpu, self.format, size),
        };
        let mut encoder = gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("picture"),
            });
        {
            let [r, g, b, a] = picture.background.map(f64::from);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("scene"),
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &attachments.color,
                    depth_slice: None,
                    resolve_target: Some(target),
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                        store: wgpu::StoreOp::Discard,
                    },
                })],
                depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                    view: &attachments.depth,
                    depth_ops: Some(wgpu::Operations {
                        load: wgpu::LoadOp::Clear(1.0),
                        store: wgpu::StoreOp::Discard,
                    }),
                    stencil_ops: None,
                }),
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_bind_group(0, &self.bindings, &[]);
            let styled = |styles: &'static [Style]| {
                let items = (0u32..).zip(&picture.items);
                items.filter(move |(_, item)| styles.contains(&item.style))
            };
            let solid = [Style::Solid, Style::Mark].as_slice();
            for (pipeline, styles) in [
                (&self.pipelines.solid, solid),
                (&self.pipelines.inner, &[Style::Translucent][..]),
                (&self.pipelines.outer, &[Style::Translucent][..]),
                (&self.pipelines.through, &[Style::Mark][..]),
            ] {
                pass.set_pipeline(pipeline);
                pass.set_vertex_buffer(1, instances.slice(..));
                for (index, item) in styled(styles) {
                    if let Some(model) = self.models.get(&item.model.id()).filter(|m| m.count > 0) {
                        pass.set_vertex_buffer(0, model.vertices.slice(..));
                        pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
                        pass.draw_indexed(0..model.count, 0, index..index + 1);
                    }
                }
                if std::ptr::eq(pipeline, &self.pipelines.solid) && !lines.is_empty() {
                    pass.set_pipeline(&self.pipelines.lines);
                    pass.set_vertex_buffer(0, line_buffer.slice(..));
                    pass.draw(0..6, 0..lines.len() as u32);
                }
            }
        }
        let before = panels.map(|panels| self.paint(gpu, &mut encoder, target, size, panels));
        let before = before.into_iter().flatten();
        gpu.queue.submit(before.chain([encoder.finish()]));
        self.attachments = Some(attachments);
    }

    /// Paints panels over the target; returns the command buffers that must be submitted first.
    fn paint(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: Size,
        mut panels: Panels,
    ) -> Vec<wgpu::CommandBuffer> {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: panels.pixels_per_point,
        };
        for (id, deltas) in &panels.textures.set {
            for delta in deltas {
                self.panels
                    .update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        let before = self.panels.update_buffers(
            &gpu.device,
            &gpu.queue,
            encoder,
            &panels.primitives,
            &screen,
        );
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panels"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        self.panels
            .render(&mut pass.forget_lifetime(), &panels.primitives, &screen);
        for id in &panels.textures.free {
            self.panels.free_texture(id);
        }
        // All of them were applied; egui expects the list to be cleared.
        panels.textures.clear();
        before
    }

    /// Uploads the models of a picture and drops those that it does not contain.
    fn upload_models(&mut self, gpu: &Gpu, items: &[Item]) {
        for model in self.models.values_mut() {
            model.used = false;
        }
        for item in items {
            let model = &*item.model;
            match self.models.get_mut(&model.id()) {
                Some(resident) if resident.version == model.version() => resident.used = true,
                Some(resident) if resident.fits(model) => {
                    let bytes = bytemuck::cast_slice(model.vertices());
                    gpu.queue.write_buffer(&resident.vertices, 0, bytes);
                    (resident.version, resident.used) = (model.version(), true);
                }
                _ => {
                    self.models.insert(model.id(), Resident::new(gpu, model));
                }
            }
        }
        self.models.retain(|_, model| model.used);
    }
}

impl Resident {
    fn new(gpu: &Gpu, model: &Model) -> Self {
        let make = |label, contents, usage| {
            let usage = usage | wgpu::BufferUsages::COPY_DST;
            let descriptor = wgpu::util::BufferInitDescriptor {
                label: Some(label),
                contents,
                usage,
            };
            gpu.device.create_buffer_init(&descriptor)
        };
        // An index beyond the vertices would read outside the buffer. Drivers tolerate that; do not
        // rely on it.
        let corners = model.vertices().len() as u32;
        let whole = model.indices().iter().all(|index| *index < corners);
        Self {
            version: model.version(),
            mesh: model.mesh(),
            vertices: make(
                "corners",
                bytemuck::cast_slice(model.vertices()),
                wgpu::BufferUsages::VERTEX,
            ),
            indices: make(
                "triangles",
                bytemuck::cast_slice(model.indices()),
                wgpu::BufferUsages::INDEX,
            ),
            count: if whole {
                model.indices().len() as u32
            } else {
                0
            },
            used: true,
        }
    }

    /// Returns true if another version can reuse this one's buffers: only points have moved.
    fn fits(&self, model: &Model) -> bool {
        self.mesh == model.mesh()
            && self.vertices.size() == size_of_val(model.vertices()) as u64
            && self.indices.size() == size_of_val(model.indices()) as u64
    }
}

impl Attachments {
    fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: Size) -> Self {
        let make = |label, format| {
            let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: extent(size),
                mip_level_count: 1,
                sample_count: SAMPLES,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
                view_formats: &[],
            });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Self {
            size,
            color: make("samples", format),
            depth: make("depth", DEPTH),
        }
    }
}

/// Converts a size to wgpu's type.
pub(crate) fn extent([width, height]: Size) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: width.max(1),
        height: height.max(1),
        depth_or_array_layers: 1,
    }
}

fn buffer(gpu: &Gpu, label: &str, contents: &[u8]) -> wgpu::Buffer {
    let nothing = [0; 64];
    gpu.device
        .create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some(label),
            // A buffer cannot be empty.
            contents: if contents.is_empty() {
                &nothing
            } else {
                contents
            },
            usage: wgpu::BufferUsages::VERTEX,
        })
}

fn view_of(picture: &Picture, size: Size) -> View {
    let camera = &picture.camera;
    let (right, up) = camera.right_up();
    let back = (camera.eye() - camera.target).normalize();
    // Light from over the left shoulder, but never from below.
    let key = (back * 0.18 - right * 0.85 + up * 0.25 + Vector3::z() * 0.42).normalize();
    let (centre, radius_m) = picture.fade.unwrap_or((camera.target, camera.planes_m().1));
    let four = |v: Vector3<f32>, w| [v.x, v.y, v.z, w];
    View {
        clip_from_world: camera.clip_from_world(size).into(),
        eye: four(camera.eye().coords, 1.0),
        key: four(key, 0.0),
        sky: [0.30, 0.32, 0.36, 0.0],
        ground: [0.10, 0.09, 0.085, 0.0],
        size: [size[0] as f32, size[1] as f32, camera.planes_m().0, 0.0],
        fade: four(centre.coords, radius_m.max(f32::MIN_POSITIVE)),
    }
}

fn instance(item: &Item) -> Instance {
    let m = &item.world_from_model;
    Instance {
        rows: [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| m[(row, column)])),
        color: linear(item.color),
    }
}

fn line(line: &crate::picture::Line) -> LineInstance {
    let four = |p: nalgebra::Point3<f32>, w| [p.x, p.y, p.z, w];
    LineInstance {
        from_width: four(line.from, line.width),
        to_fade: four(line.to, if line.fades { 1.0 } else { 0.0 }),
        color: linear(line.color),
    }
}
