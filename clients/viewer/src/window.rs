//! The window: shows what a [`Follower`] knows, at the display's pace, and passes keys and mouse to
//! the [`Controls`].
//!
//! Nothing here sends requests to the daemon. A lost surface is rebuilt; a failed device ends the
//! window with the reason.

use crate::{
    Failure,
    camera::Size,
    compose::compose,
    controls::{Action, Controls},
    export,
    feed::Follower,
    gpu::Gpu,
    panels,
    picture::Glyphs,
    renderer::{Panels, Renderer},
    scene::VisibleScene,
    theme::Theme,
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};
use winit::{
    application::ApplicationHandler,
    dpi::LogicalSize,
    event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    keyboard::{Key, ModifiersState, NamedKey},
    window::{Window, WindowId},
};

/// Minimum time from one picture to the next.
const FRAME: Duration = Duration::from_micros(15_500);
/// Maximum time between the clicks of a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(350);
/// Maximum movement of a click, pixels.
const CLICK_PIXELS: f32 = 4.0;
/// Touchpad pixels for one step of a wheel.
const PIXELS_PER_STEP: f32 = 40.0;

/// Shows the window until the user closes it, or until it has shown `frames` pictures.
///
/// # Errors
/// [`Failure::Runtime`] if there is no display or no device.
pub fn show(socket: PathBuf, theme: Theme, frames: Option<u64>) -> Result<(), Failure> {
    let events = EventLoop::new().map_err(Failure::runtime)?;
    let follower = Follower::start(socket).map_err(Failure::runtime)?;
    let mut controls = Controls::new(theme);
    controls.buttons = true;
    let mut app = App {
        follower,
        scene: VisibleScene::default(),
        controls,
        shown: None,
        failure: None,
        next: Instant::now(),
        frames,
    };
    events.run_app(&mut app).map_err(Failure::runtime)?;
    app.failure.map_or(Ok(()), Err)
}

struct App {
    follower: Follower,
    /// The scene that is shown: the newest, or the one at which the picture was frozen.
    scene: VisibleScene,
    controls: Controls,
    shown: Option<Shown>,
    failure: Option<Failure>,
    next: Instant,
    /// Number of pictures left to show; `None` for no limit.
    frames: Option<u64>,
}

/// State that only an open window has.
struct Shown {
    window: Arc<Window>,
    instance: wgpu::Instance,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    renderer: Renderer,
    glyphs: Glyphs,
    egui: egui_winit::State,
    mouse: Mouse,
    /// Action that a button requested in the last picture.
    asked: Option<Action>,
}

/// State of the mouse.
#[derive(Default)]
struct Mouse {
    at: [f32; 2],
    pressed: Option<(MouseButton, [f32; 2])>,
    last_click: Option<(Instant, [f32; 2])>,
    modifiers: ModifiersState,
}

fn surface(
    instance: &wgpu::Instance,
    window: &Arc<Window>,
) -> Result<wgpu::Surface<'static>, Failure> {
    let target = wgpu::SurfaceTarget::DisplayAndWindow(Box::new(Arc::clone(window)));
    instance.create_surface(target).map_err(Failure::runtime)
}

impl Shown {
    fn open(event_loop: &ActiveEventLoop) -> Result<Self, Failure> {
        let attributes = Window::default_attributes()
            .with_title("hapticd")
            .with_inner_size(LogicalSize::new(1280.0, 800.0));
        let window = event_loop
            .create_window(attributes)
            .map_err(Failure::runtime)?;
        let window = Arc::new(window);
        let instance = Gpu::headless();
        let surface = surface(&instance, &window)?;
        let gpu = Gpu::open(&instance, Some(&surface), Gpu::software_wanted())
            .map_err(Failure::runtime)?;
        let size = window.inner_size();
        let mut config = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or_else(|| Failure::Runtime("the adapter cannot show on this window".to_owned()))?;
        // The shaders encode colours, as egui requires.
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        let plain = formats.iter().find(|format| {
            matches!(
                format,
                wgpu::TextureFormat::Bgra8Unorm | wgpu::TextureFormat::Rgba8Unorm
            )
        });
        config.format = *plain.ok_or_else(|| {
            Failure::Runtime(format!(
                "the window has none of the formats that are drawn: {formats:?}"
            ))
        })?;
        config.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &config);
        let renderer = Renderer::new(&gpu, config.format);
        let side = gpu.device.limits().max_texture_dimension_2d as usize;
        let egui = egui_winit::State::new(
            egui::Context::default(),
            egui::ViewportId::ROOT,
            &window,
            Some(window.scale_factor() as f32),
            None,
            Some(side),
        );
        Ok(Self {
            window,
            instance,
            surface,
            config,
            gpu,
            renderer,
            glyphs: Glyphs::default(),
            egui,
            mouse: Mouse::default(),
            asked: None,
        })
    }

    fn size(&self) -> Size {
        [self.config.width, self.config.height]
    }

    fn resize(&mut self, width: u32, height: u32) {
        (self.config.width, self.config.height) = (width.max(1), height.max(1));
        self.surface.configure(&self.gpu.device, &self.config);
    }

    /// Shows a picture; returns whether there was a surface to show it on.
    fn draw(&mut self, scene: &VisibleScene, controls: &Controls) -> Result<bool, Failure> {
        use wgpu::CurrentSurfaceTexture as Current;
        let (texture, stale) = match self.surface.get_current_texture() {
            Current::Success(texture) => (texture, false),
            Current::Suboptimal(texture) => (texture, true),
            Current::Timeout | Current::Occluded | Current::Validation => {
                return self.gpu.fault().map(|()| false).map_err(Failure::runtime);
            }
            Current::Outdated => {
                self.surface.configure(&self.gpu.device, &self.config);
                return Ok(false);
            }
            Current::Lost => {
                self.surface = surface(&self.instance, &self.window)?;
                self.surface.configure(&self.gpu.device, &self.config);
                return Ok(false);
            }
        };
        let size = self.size();
        let picture = compose(scene, controls, &self.glyphs, size);
        let panels = self.panels(scene, controls, size);
        let view = texture
            .texture
            .create_view(&wgpu::TextureViewDescriptor::default());
        self.renderer
            .draw(&self.gpu, &view, size, &picture, Some(panels));
        self.window.pre_present_notify();
        self.gpu.queue.present(texture);
        if stale {
            self.surface.configure(&self.gpu.device, &self.config);
        }
        self.gpu.fault().map(|()| true).map_err(Failure::runtime)
    }

    fn panels(&mut self, scene: &VisibleScene, controls: &Controls, size: Size) -> Panels {
        let input = self.egui.take_egui_input(&self.window);
        let context = self.egui.egui_ctx().clone();
        panels::dress(&context, controls.theme);
        let asked = &mut self.asked;
        let output = context.run_ui(input, |ui| {
            *asked = panels::show(ui.ctx(), scene, controls, size).or(*asked);
        });
        self.egui
            .handle_platform_output(&self.window, output.platform_output);
        Panels {
            primitives: context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        }
    }

    /// Handles a movement of the mouse: turns or moves the picture while a button is held.
    fn moved(&mut self, to: [f32; 2], controls: &mut Controls) {
        let by = [to[0] - self.mouse.at[0], to[1] - self.mouse.at[1]];
        self.mouse.at = to;
        match self.mouse.pressed {
            Some((MouseButton::Left, _)) if !self.mouse.modifiers.shift_key() => {
                controls.camera.orbit(by)
            }
            Some(_) => controls.camera.pan(by, self.size()),
            None => {}
        }
    }

    /// Handles a button press or release; a second click in the same place looks at what is there.
    fn button(
        &mut self,
        state: ElementState,
        button: MouseButton,
        scene: &VisibleScene,
        controls: &mut Controls,
    ) {
        let at = self.mouse.at;
        let near = |other: [f32; 2]| {
            (other[0] - at[0]).abs() <= CLICK_PIXELS && (other[1] - at[1]).abs() <= CLICK_PIXELS
        };
        if state == ElementState::Pressed {
            self.mouse.pressed = Some((button, at));
            return;
        }
        let pressed = self.mouse.pressed.take();
        if button != MouseButton::Left || !pressed.is_some_and(|(_, from)| near(from)) {
            return;
        }
        let now = Instant::now();
        match self.mouse.last_click.take() {
            Some((when, place)) if now - when < DOUBLE_CLICK && near(place) => {
                controls.look_at_pixel(at, scene, self.size());
            }
            _ => self.mouse.last_click = Some((now, at)),
        }
    }
}

impl App {
    fn fail(&mut self, event_loop: &ActiveEventLoop, failure: Failure) {
        self.failure = Some(failure);
        event_loop.exit();
    }

    fn redraw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(shown) = &mut self.shown else {
            return;
        };
        if !self.controls.paused {
            self.scene = self.follower.scene();
        }
        self.controls.frame_first(&self.scene, shown.size());
        match shown.draw(&self.scene, &self.controls) {
            Ok(true) => {
                self.frames = self.frames.map(|frames| frames.saturating_sub(1));
                if self.frames == Some(0) {
                    event_loop.exit();
                }
            }
            Ok(false) => {}
            Err(failure) => return self.fail(event_loop, failure),
        }
        if let Some(shown) = &mut self.shown
            && let Some(act) = shown.asked.take()
        {
            let size = shown.size();
            self.controls.act(act, &self.scene, size);
        }
        if std::mem::take(&mut self.controls.export) {
            self.export();
        }
    }

    /// Writes the visible skins to the folder in which this program was started.
    fn export(&mut self) {
        let folder = std::env::current_dir();
        let folder = folder.as_deref().unwrap_or(Path::new("."));
        let done = export::export(&self.scene, folder, SystemTime::now());
        self.controls.exported = done.unwrap_or_else(|why| why);
    }
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.shown.is_some() {
            return;
        }
        match Shown::open(event_loop) {
            Ok(shown) => self.shown = Some(shown),
            Err(failure) => self.fail(event_loop, failure),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(shown) = &mut self.shown else {
            return;
        };
        // egui needs scale, size and the mouse for its buttons; events that it consumes are not the
        // picture's.
        let taken = shown.egui.on_window_event(&shown.window, &event).consumed;
        match event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::Resized(size) => shown.resize(size.width, size.height),
            WindowEvent::ModifiersChanged(modifiers) => shown.mouse.modifiers = modifiers.state(),
            WindowEvent::CursorMoved { position, .. } => {
                shown.moved([position.x as f32, position.y as f32], &mut self.controls);
            }
            // A button that was pressed on the picture may be released with the mouse over a panel.
            WindowEvent::MouseInput { state, button, .. }
                if !taken || state == ElementState::Released =>
            {
                shown.button(state, button, &self.scene, &mut self.controls);
            }
            WindowEvent::MouseWheel { delta, .. } => self.controls.camera.zoom(match delta {
                MouseScrollDelta::LineDelta(_, lines) => lines,
                MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 / PIXELS_PER_STEP,
            }),
            WindowEvent::KeyboardInput { event, .. } if event.state == ElementState::Pressed => {
                let letter = match &event.logical_key {
                    Key::Named(NamedKey::Space) => Some(' '),
                    Key::Named(NamedKey::Escape) => Some('\u{1b}'),
                    Key::Character(text) => text.chars().next(),
                    _ => None,
                };
                if let Some(act) = letter.and_then(Action::of).filter(|_| !event.repeat) {
                    self.controls.act(act, &self.scene, shown.size());
                }
                if self.controls.quit {
                    event_loop.exit();
                }
            }
            WindowEvent::RedrawRequested => self.redraw(event_loop),
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let now = Instant::now();
        if now >= self.next {
            self.next = now + FRAME;
            if let Some(shown) = &self.shown {
                shown.window.request_redraw();
            }
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(self.next));
    }
}
