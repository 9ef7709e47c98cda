//! Pictures without a window: drawn to a texture, read back, written as PNG.

use crate::{
    camera::Size,
    compose::compose,
    controls::Controls,
    gpu::{Gpu, GpuError},
    panels,
    picture::{Glyphs, Picture},
    renderer::{Panels, Renderer, extent},
    scene::VisibleScene,
};
use std::{io::Write, sync::mpsc};

/// Format of the target: four bytes a pixel, without another sRGB encoding.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Bytes per pixel.
const PIXEL: u32 = 4;
/// Number of layout passes of panels before they are drawn: egui learns their sizes in the first
/// and shows them from the second on.
const PASSES: u32 = 3;

/// Pixels of a picture, row by row from the top, sRGB with alpha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width and height.
    pub size: Size,
    /// Pixels of four bytes.
    pub pixels: Vec<[u8; 4]>,
}

impl Image {
    /// Writes the picture as PNG, without alpha.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_png(&self, out: impl Write) -> Result<(), png::EncodingError> {
        let mut encoder = png::Encoder::new(out, self.size[0], self.size[1]);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header()?;
        let bytes: Vec<u8> = self
            .pixels
            .iter()
            .flat_map(|[r, g, b, _]| [*r, *g, *b])
            .collect();
        writer.write_image_data(&bytes)?;
        writer.finish()
    }

    /// Returns a pixel; black outside the picture.
    pub fn at(&self, [x, y]: [u32; 2]) -> [u8; 4] {
        let index = y as usize * self.size[0] as usize + x as usize;
        let inside = x < self.size[0];
        self.pixels
            .get(index)
            .copied()
            .filter(|_| inside)
            .unwrap_or_default()
    }
}

/// Draws pictures of one size.
pub struct Offscreen {
    gpu: Gpu,
    renderer: Renderer,
    texture: wgpu::Texture,
    read: wgpu::Buffer,
    size: Size,
    row_bytes: u32,
    glyphs: Glyphs,
}

impl Offscreen {
    /// Opens a device for pictures of this size, at least one pixel in each direction.
    ///
    /// # Errors
    /// [`GpuError`], also if the adapter cannot draw this size.
    pub fn open(size: Size, software: bool) -> Result<Self, GpuError> {
        let gpu = Gpu::open(&Gpu::headless(), None, software)?;
        let limits = gpu.device.limits();
        let most = limits.max_texture_dimension_2d;
        if size.contains(&0) || size.iter().any(|side| *side > most) {
            return Err(GpuError::Refused {
                adapter: gpu.name,
                why: format!(
                    "a picture of {} x {} pixels, at most {most} each way",
                    size[0], size[1]
                ),
            });
        }
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: extent(size),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let row_bytes = (size[0] * PIXEL).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let read = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("pixels"),
            size: u64::from(row_bytes) * u64::from(size[1]),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        Ok(Self {
            renderer: Renderer::new(&gpu, FORMAT),
            gpu,
            texture,
            read,
            size,
            row_bytes,
            glyphs: Glyphs::default(),
        })
    }

    /// Returns the name of the adapter.
    pub fn adapter(&self) -> &str {
        &self.gpu.name
    }

    /// Draws a scene with its panels, as the window shows it.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub fn scene(&mut self, scene: &VisibleScene, controls: &Controls) -> Result<Image, GpuError> {
        let picture = compose(scene, controls, &self.glyphs, self.size);
        let panels = panels_of(scene, controls, self.size);
        self.draw(&picture, Some(panels))
    }

    /// Draws a picture.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub fn draw(&mut self, picture: &Picture, panels: Option<Panels>) -> Result<Image, GpuError> {
        let view = self
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        self.renderer
            .draw(&self.gpu, &view, self.size, picture, panels);
        let mut encoder = self
            .gpu
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("read"),
            });
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &self.read,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(self.row_bytes),
                    rows_per_image: None,
                },
            },
            extent(self.size),
        );
        self.gpu.queue.submit([encoder.finish()]);
        let failed = |error: String| GpuError::Failed(error);
        let (mapped, told) = mpsc::channel();
        self.read
            .slice(..)
            .map_async(wgpu::MapMode::Read, move |result| {
                // The receiver is gone only if polling failed, which is reported below.
                let _ = mapped.send(result);
            });
        self.gpu
            .device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| failed(error.to_string()))?;
        self.gpu.fault()?;
        match told.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(failed(error.to_string())),
            Err(_) => return Err(failed("the picture was not read back".to_owned())),
        }
        let bytes = self.read.slice(..).get_mapped_range();
        let bytes = bytes.map_err(|error| failed(error.to_string()))?;
        let rows = bytes.chunks_exact(self.row_bytes as usize);
        let width = self.size[0] as usize;
        let pixels = rows.flat_map(|row| row.as_chunks().0.iter().take(width).copied());
        let pixels = pixels.collect();
        drop(bytes);
        self.read.unmap();
        Ok(Image {
            size: self.size,
            pixels,
        })
    }
}

/// Lays out the panels of a scene for drawing without a window, one pixel per point.
pub fn panels_of(scene: &VisibleScene, controls: &Controls, size: Size) -> Panels {
    let context = egui::Context::default();
    panels::dress(&context, controls.theme);
    let screen =
        egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(size[0] as f32, size[1] as f32));
    let mut textures = egui::TexturesDelta::default();
    let mut shapes = Vec::new();
    for _ in 0..PASSES {
        let input = egui::RawInput {
            screen_rect: Some(screen),
            ..egui::RawInput::default()
        };
        let output = context.run_ui(input, |ui| {
            // Without a window no button can be pressed.
            let _ = panels::show(ui.ctx(), scene, controls, size);
        });
        textures.append(output.textures_delta);
        shapes = output.shapes;
    }
    Panels {
        primitives: context.tessellate(shapes, 1.0),
        textures,
        pixels_per_point: 1.0,
    }
}
