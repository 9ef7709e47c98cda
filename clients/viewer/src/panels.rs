//! Panels over the picture: an arm's values and plots, the legend, names, the connection, the help.
//!
//! They are the same for the window and for files, except for the buttons, which only the window
//! has. The module draws with egui and knows only the scene; the caller receives what a button
//! requests.

use crate::{
    camera::Size,
    compose::{Scale, scale},
    controls::{Action, Controls, HELP},
    export,
    history::SPAN_S,
    picture::Color,
    plot::{Curve, Plot, short},
    scene::{Link, VisibleArm, VisibleScene, point},
    theme::{self, Theme},
};
use egui::{
    Align2, Area, Color32, Context, FontId, Frame, Grid, Id, LayerId, Order, RichText, Ui, Vec2,
    pos2, vec2,
};
use hapticd_client::{ArmEnergy, ArmState, BodyKind, GovernorState, flag, force_off_text};
use nalgebra::{Point3, Vector3};
use std::collections::HashSet;

/// Width of an arm's panel, points.
const ARM_WIDTH: f32 = 268.0;
/// Width of an arm's panel in a small picture, points.
const NARROW_ARM_WIDTH: f32 = 190.0;
/// Distance of panels from the edge, points.
const MARGIN: f32 = 10.0;
/// Maximum number of bodies with notes.
const MAX_NOTES: usize = 4;
/// In a picture below this width or height, points, panels show only the minimum.
const NARROW: (f32, f32) = (900.0, 560.0);
/// Name of the panel of buttons.
const BUTTONS: &str = "buttons";
/// Maximum number of names that are shown.
const MAX_NAMES: usize = 24;

const GOOD: Color32 = Color32::from_rgb(70, 190, 110);
const FAIR: Color32 = Color32::from_rgb(225, 165, 40);
const BAD: Color32 = Color32::from_rgb(235, 80, 70);

/// Converts a colour to egui's type.
pub fn egui_color([r, g, b, a]: Color) -> Color32 {
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    Color32::from_rgba_unmultiplied(byte(r), byte(g), byte(b), byte(a))
}

/// Sets font sizes and colours; cheap enough for every picture.
pub fn dress(context: &Context, theme: Theme) {
    let theme = match theme {
        Theme::Dark => egui::Theme::Dark,
        Theme::Light => egui::Theme::Light,
    };
    context.set_theme(theme);
    context.set_visuals_of(
        theme,
        egui::Visuals {
            // The names of rows must be readable as well.
            weak_text_alpha: 0.85,
            ..theme.default_visuals()
        },
    );
}

/// Draws everything that is enabled over a picture of this size; returns what a button requests.
pub fn show(
    context: &Context,
    scene: &VisibleScene,
    controls: &Controls,
    size: Size,
) -> Option<Action> {
    let view = View {
        scene,
        controls,
        size,
        scale: scale(&controls.camera, size),
    };
    view.marks(context);
    if controls.panels {
        view.legend(context);
        view.arms(context);
    }
    view.banner(context);
    if controls.help {
        help(context);
    }
    controls.buttons.then(|| view.buttons(context)).flatten()
}

struct View<'a> {
    scene: &'a VisibleScene,
    controls: &'a Controls,
    size: Size,
    scale: Scale,
}

/// Shows a panel in a corner. It cannot be moved and does not take clicks.
fn corner(context: &Context, name: &str, align: Align2, offset: Vec2, add: impl FnOnce(&mut Ui)) {
    let area = Area::new(Id::unique(name)).interactable(false);
    framed(context, area.anchor(align, offset), add);
}

fn framed(context: &Context, area: Area, add: impl FnOnce(&mut Ui)) {
    let area = area.fade_in(false);
    area.show(context, |ui| {
        let visuals = ui.visuals();
        let fill = visuals.panel_fill.gamma_multiply(0.9);
        Frame::new()
            .fill(fill)
            .inner_margin(8)
            .corner_radius(5)
            .stroke(visuals.widgets.noninteractive.bg_stroke)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing = vec2(6.0, 3.0);
                add(ui);
            });
    });
}

fn small(text: impl Into<String>) -> RichText {
    RichText::new(text).size(12.0)
}

fn weak(text: impl Into<String>) -> RichText {
    small(text).weak()
}

/// Shows a row: name and value.
fn row(ui: &mut Ui, name: &str, value: RichText) {
    ui.label(weak(name));
    ui.label(value);
    ui.end_row();
}

/// Formats a length for people.
pub fn length(m: f32) -> String {
    let number = |x: f32| short(f64::from((x * 1e4).round() / 1e4));
    if m >= 0.9995 {
        format!("{} m", number(m))
    } else if m >= 0.009_995 {
        format!("{} cm", number(m * 1e2))
    } else if m >= 0.000_999_5 {
        format!("{} mm", number(m * 1e3))
    } else {
        format!("{} um", number(m * 1e6))
    }
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the state of the governor and its colour.
fn governor(state: &ArmState) -> (&'static str, Color32) {
    match state.governor_state() {
        Some(state @ GovernorState::Active) => (state.text(), GOOD),
        Some(state @ GovernorState::Fault) => (state.text(), BAD),
        Some(state) => (state.text(), FAIR),
        None => ("unknown here", FAIR),
    }
}

/// Returns notes for people in addition to the numbers, the most urgent first; may be empty.
fn notes(state: &ArmState, inside: Option<&str>) -> String {
    let inside = inside.map(|body| format!("inside {body}: move out"));
    let reason = match state.reason {
        0 => None,
        reason => Some(force_off_text(reason)),
    };
    let flags = [
        (flag::STARVED, "held back by the certificate"),
        (flag::STALE, "contacts too old"),
        (flag::STOPPING, "the daemon ends"),
    ];
    let flags = flags
        .into_iter()
        .filter_map(|(bit, text)| state.has(bit).then_some(text));
    let all: Vec<&str> = (inside.as_deref().into_iter())
        .chain(reason)
        .chain(flags)
        .collect();
    all.join(", ")
}

impl View<'_> {
    /// Returns true if the picture is too small for more than the minimum.
    fn narrow(&self, context: &Context) -> bool {
        let [width, height] = self
            .size
            .map(|side| side as f32 / context.pixels_per_point());
        width < NARROW.0 || height < NARROW.1
    }

    /// Shows names of bodies, and the force next to its arrow, in the picture itself.
    fn marks(&self, context: &Context) {
        let painter = context.layer_painter(LayerId::new(Order::Background, Id::unique("marks")));
        let per_point = context.pixels_per_point();
        let place = |at: &Point3<f32>| {
            let [x, y] = self.controls.camera.pixel(at, self.size)?;
            Some(pos2(x / per_point, y / per_point))
        };
        let halo = match self.controls.theme {
            Theme::Dark => Color32::from_black_alpha(170),
            Theme::Light => Color32::from_white_alpha(190),
        };
        let write = |at, text: String, font: f32, color| {
            let galley = painter.layout_no_wrap(text, FontId::proportional(font), color);
            let rect = Align2::CENTER_CENTER.anchor_size(at, galley.size());
            painter.rect_filled(rect.expand2(vec2(4.0, 1.0)), 3.0, halo);
            painter.galley(rect.min, galley, color);
        };
        if self.controls.names {
            let ink = context.global_style().visuals.text_color();
            let mut shown = HashSet::new();
            for body in self.scene.bodies.iter().take(MAX_NAMES) {
                // One label stands for a crowd, whose bodies are numbered.
                let name = match body.kind {
                    BodyKind::Crowd => body
                        .name
                        .trim_end_matches(|c: char| c.is_ascii_digit())
                        .trim_end(),
                    _ => &body.name,
                };
                if !shown.insert(name) {
                    continue;
                }
                let (low, high) = body.model.bounds();
                let Some(pose) = body.world_from_body.filter(|_| low != high) else {
                    continue;
                };
                let middle = pose * nalgebra::center(&low, &high);
                if let Some(at) = place(&middle) {
                    write(at, name.to_owned(), 12.0, ink);
                }
            }
        }
        for arm in &self.scene.arms {
            let (Some(state), Some((_, proxy))) = (&arm.state, arm.poses()) else {
                continue;
            };
            let force_n = norm(state.force_n);
            let along =
                Vector3::from(state.force_n.map(|x| x as f32)) * self.scale.metres_per_newton;
            let pixel_m = self.controls.camera.pixel_m(self.size);
            let tip = Point3::from(proxy.translation.vector) + along;
            if let Some(at) = place(&tip).filter(|_| along.norm() > 3.0 * pixel_m) {
                write(
                    at + vec2(0.0, -14.0),
                    format!("{force_n:.2} N"),
                    13.0,
                    egui_color(theme::FORCE),
                );
            }
        }
    }

    fn legend(&self, context: &Context) {
        let offset = vec2(MARGIN, -MARGIN);
        let narrow = self.narrow(context);
        corner(context, "legend", Align2::LEFT_BOTTOM, offset, |ui| {
            let swatch = |ui: &mut Ui, color: Color, text: String| {
                ui.horizontal(|ui| {
                    let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), egui::Sense::hover());
                    ui.painter().rect_filled(rect, 3.0, egui_color(color));
                    ui.label(small(text));
                });
            };
            if !narrow {
                let [r, g, b, _] = theme::tool(0);
                swatch(ui, [r, g, b, 1.0], "tool, where it may be".to_owned());
                swatch(ui, [r, g, b, 0.35], "hand, where it is".to_owned());
                swatch(ui, theme::CONTACT, "contact and its normal".to_owned());
            }
            let newton = length(self.scale.metres_per_newton);
            swatch(
                ui,
                theme::FORCE,
                format!("force on the hand, {newton} = 1 N"),
            );
            let [x, y, z] = self.controls.theme.axes().map(egui_color);
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                for (color, name) in [(x, "x"), (y, "y"), (z, "z")] {
                    ui.label(RichText::new(name).size(12.0).strong().color(color));
                }
                ui.label(small(format!(
                    "  floor: a line every {}",
                    length(self.scale.grid_m)
                )));
            });
            ui.label(weak("h: help"));
        });
    }

    fn arms(&self, context: &Context) {
        let height = self.size[1] as f32 / context.pixels_per_point();
        let per_arm = (height - 2.0 * MARGIN) / self.scene.arms.len().max(1) as f32;
        // With many arms there is not enough space for plots.
        let narrow = self.narrow(context);
        let plots = per_arm > 540.0 && !narrow;
        corner(
            context,
            "arms",
            Align2::RIGHT_TOP,
            vec2(-MARGIN, MARGIN),
            |ui| {
                ui.set_width(if narrow { NARROW_ARM_WIDTH } else { ARM_WIDTH });
                if self.scene.arms.is_empty() {
                    ui.label(weak("no arm yet"));
                }
                for (index, arm) in self.scene.arms.iter().enumerate() {
                    if index > 0 {
                        ui.separator();
                    }
                    arm_panel(ui, index, arm, plots, narrow);
                }
                let noted = self.scene.bodies.iter().filter(|b| !b.note.is_empty());
                for body in noted.take(if narrow { 0 } else { MAX_NOTES }) {
                    let text = format!("{}: {}", body.name, body.note);
                    ui.add(egui::Label::new(weak(text)).wrap());
                }
                if !self.scene.news.is_empty() && !narrow {
                    ui.separator();
                    for line in &self.scene.news {
                        ui.add(egui::Label::new(weak(line)).truncate());
                    }
                }
            },
        );
    }

    /// Shows the buttons and the result of the last export.
    fn buttons(&self, context: &Context) -> Option<Action> {
        let button = self.controls.panels && export::has_skins(self.scene);
        if !button && self.controls.exported.is_empty() {
            return None;
        }
        let area = Area::new(Id::unique(BUTTONS)).anchor(Align2::CENTER_BOTTOM, [0.0, -MARGIN]);
        let mut asked = None;
        framed(context, area, |ui| {
            ui.set_max_width(420.0);
            if button && ui.button("Export skins").clicked() {
                asked = Some(Action::Export);
            }
            if !self.controls.exported.is_empty() {
                let text = weak(&self.controls.exported);
                ui.add(egui::Label::new(text).wrap().selectable(false));
            }
        });
        asked
    }

    /// Shows the state of the connection if it is noteworthy.
    fn banner(&self, context: &Context) {
        let (text, color) = match &self.scene.link {
            Link::Waiting(why) => (format!("waiting for a daemon: {why}"), FAIR),
            Link::Lost(why) => (
                format!(
                    "the daemon is gone ({why}); this is the last that was seen. Connecting again ..."
                ),
                BAD,
            ),
            Link::Up if self.controls.paused => (
                "held: space goes on".to_owned(),
                Color32::from_rgb(90, 160, 235),
            ),
            Link::Up => return,
        };
        corner(
            context,
            "banner",
            Align2::CENTER_TOP,
            vec2(0.0, MARGIN),
            |ui| {
                ui.set_max_width(520.0);
                ui.label(RichText::new(text).size(13.0).color(color));
            },
        );
    }
}

fn arm_panel(ui: &mut Ui, index: usize, arm: &VisibleArm, plots: bool, narrow: bool) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), egui::Sense::hover());
        ui.painter()
            .rect_filled(rect, 3.0, egui_color(theme::tool(index)));
        ui.label(
            RichText::new(format!("{}  {}", index + 1, arm.info.name))
                .size(14.0)
                .strong(),
        );
    });
    let Some(state) = &arm.state else {
        ui.label(weak("no state yet"));
        return;
    };
    Grid::new(("facts", index))
        .num_columns(2)
        .spacing([10.0, 2.0])
        .show(ui, |ui| {
            facts(ui, arm, state, narrow);
        });
    // Always one separate line, so that the panel keeps its size.
    let text = format!("notes: {}", notes(state, arm.inside.as_deref()));
    let text = match arm.inside {
        Some(_) => small(text).color(FAIR),
        None => weak(text),
    };
    ui.add(egui::Label::new(text).truncate());
    if !plots {
        return;
    }
    let end_s = arm.history.last().map_or(0.0, |sample| sample.time_s);
    let curve = |name, color, value: fn(&crate::history::Sample) -> f64| Curve {
        name,
        color: egui_color(color),
        points: arm.history.iter().map(|s| (s.time_s, value(s))).collect(),
    };
    Plot {
        unit: "N",
        end_s,
        min_top: 1.0,
        curves: vec![
            curve("wanted", theme::WANTED, |s| s.wanted_n),
            curve("force", theme::FORCE, |s| s.force_n),
        ],
        height: 92.0,
    }
    .show(ui);
    Plot {
        unit: "us",
        end_s,
        min_top: 50.0,
        curves: vec![
            curve("late", theme::LATENESS, |s| s.lateness_us),
            curve("computing", theme::COMPUTE, |s| s.compute_us),
        ],
        height: 78.0,
    }
    .show(ui);
    ui.label(weak(format!("the last {SPAN_S:.0} s, sampled")));
}

fn facts(ui: &mut Ui, arm: &VisibleArm, state: &ArmState, narrow: bool) {
    if state.has(flag::ATTACHED) {
        let (text, color) = match arm.inside {
            // The hand feels nothing of that body, whatever the governor lets through.
            Some(_) if state.reason == 0 => ("inside a body", FAIR),
            _ => governor(state),
        };
        row(ui, "force is", small(text).color(color));
    } else {
        row(ui, "arm", small("not there").color(FAIR));
    }
    let (force_n, wanted_n) = (norm(state.force_n), norm(state.wanted_force_n));
    let peak_n = arm.info.peak_force_n.0;
    let limit = if peak_n.is_finite() {
        format!(" of {} N", short(peak_n))
    } else {
        " N".to_owned()
    };
    row(ui, "force", small(format!("{force_n:.2}{limit}")).strong());
    let touching = match (state.contacts, state.has(flag::TOUCHING)) {
        (0, false) => "none".to_owned(),
        (0, true) => "touching".to_owned(),
        (count, _) => format!("{count}"),
    };
    row(ui, "contacts", small(touching));
    let apart =
        point(state.world_from_proxy.translation_m) - point(state.world_from_device.translation_m);
    row(
        ui,
        "tool to hand",
        small(format!("{:.2} mm", apart.norm() * 1e3)),
    );
    row(
        ui,
        "tick",
        small(format!(
            "{:.0} us late, {:.0} us long",
            state.lateness_ns as f64 * 1e-3,
            state.compute_ns as f64 * 1e-3
        )),
    );
    if narrow {
        return;
    }
    row(ui, "wanted", small(format!("{wanted_n:.2} N")));
    // The first three degrees are forces.
    if arm.info.actuated_dof > 3 {
        row(
            ui,
            "torque",
            small(format!("{:.3} N m", norm(state.torque_nm))),
        );
    }
    row(ui, "energy", small(energy(&state.energy)));
    if let Some(text) = passivity_note(&state.energy) {
        row(ui, "held back", small(text).color(FAIR));
    }
    row(
        ui,
        "hand",
        small(format!("{:.1} mm/s", norm(state.linear_velocity_m_s) * 1e3)),
    );
    row(
        ui,
        "missed",
        small(format!("{} of {}", state.missed_ticks, state.tick)),
    );
    let answer = match state.snapshot_age_ticks {
        u32::MAX => "none".to_owned(),
        1 => "1 tick".to_owned(),
        ticks => format!("{ticks} ticks"),
    };
    let ages = format!(
        "sample {:.1} ms, contacts {answer}",
        state.input_age_ns as f64 * 1e-6
    );
    row(ui, "ages", small(ages));
}

/// Describes the energy that the spring gave to the hand and stores.
fn energy(energy: &ArmEnergy) -> String {
    let mj = |joules: f64| 1e3 * joules;
    format!(
        "{:.1} mJ given, {:.1} stored",
        mj(energy.given_j),
        mj(energy.stored_j)
    )
}

/// Describes the effect of the passivity controller where it acts.
fn passivity_note(energy: &ArmEnergy) -> Option<String> {
    (energy.gain < 1.0).then(|| {
        let taken_mj = 1e3 * energy.withheld_j;
        format!("gain {:.2}, {taken_mj:.1} mJ taken off", energy.gain)
    })
}

fn help(context: &Context) {
    corner(context, "help", Align2::CENTER_CENTER, Vec2::ZERO, |ui| {
        ui.label(RichText::new("What keys and mouse do").size(15.0).strong());
        Grid::new("keys")
            .num_columns(2)
            .spacing([16.0, 4.0])
            .show(ui, |ui| {
                for (key, text) in HELP {
                    ui.label(RichText::new(key).size(13.0).strong());
                    ui.label(RichText::new(text).size(13.0));
                    ui.end_row();
                }
            });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Model, scene::VisibleBody};

    #[test]
    fn energy_is_told_and_what_the_controller_took_off_where_it_acts() {
        let mut told = ArmEnergy {
            given_j: -0.0123,
            stored_j: 0.0045,
            withheld_j: 0.002,
            ..ArmEnergy::EMPTY
        };
        assert_eq!(energy(&told), "-12.3 mJ given, 4.5 stored");
        assert_eq!(passivity_note(&told), None);
        told.gain = 0.5;
        let held = passivity_note(&told);
        assert_eq!(held.as_deref(), Some("gain 0.50, 2.0 mJ taken off"));
    }

    use std::sync::Arc;

    /// Lays out one picture with these events; returns what a button requested.
    fn picture(
        context: &Context,
        scene: &VisibleScene,
        controls: &Controls,
        events: Vec<egui::Event>,
    ) -> Option<Action> {
        let input = egui::RawInput {
            screen_rect: Some(egui::Rect::from_min_size(
                pos2(0.0, 0.0),
                vec2(640.0, 480.0),
            )),
            events,
            ..egui::RawInput::default()
        };
        let mut asked = None;
        let mut output = context.run_ui(input, |ui| {
            asked = show(ui.ctx(), scene, controls, [640, 480]).or(asked);
        });
        // Nothing draws it.
        output.textures_delta.clear();
        asked
    }

    #[test]
    fn a_click_on_the_button_asks_for_the_file_and_one_beside_it_does_not() {
        let body = VisibleBody {
            id: 1,
            name: "gut".to_owned(),
            kind: BodyKind::Implicit,
            model: Arc::new(Model::ball()),
            world_from_body: None,
            note: String::new(),
        };
        let scene = VisibleScene {
            bodies: vec![body],
            ..VisibleScene::default()
        };
        let mut controls = Controls::new(Theme::Dark);
        let context = Context::default();
        let click = |at: egui::Pos2| {
            let press = |pressed| egui::Event::PointerButton {
                pos: at,
                button: egui::PointerButton::Primary,
                pressed,
                modifiers: egui::Modifiers::default(),
            };
            [
                vec![egui::Event::PointerMoved(at)],
                vec![press(true)],
                vec![press(false)],
            ]
        };
        let asked = |controls: &Controls, at| {
            let pictures = click(at).map(|events| picture(&context, &scene, controls, events));
            pictures.into_iter().flatten().collect::<Vec<_>>()
        };
        // A picture in a file has no button.
        for _ in 0..2 {
            picture(&context, &scene, &controls, Vec::new());
        }
        let place = || context.memory(|memory| memory.area_rect(Id::unique(BUTTONS)));
        assert_eq!(place(), None);
        controls.buttons = true;
        for _ in 0..2 {
            picture(&context, &scene, &controls, Vec::new());
        }
        let middle = place().unwrap().center();
        assert_eq!(asked(&controls, middle), [Action::Export]);
        assert_eq!(asked(&controls, middle - vec2(200.0, 0.0)), []);
        // Without a skin there is nothing to export.
        let mut empty = scene.clone();
        empty.bodies.clear();
        let none = click(middle).map(|events| picture(&context, &empty, &controls, events));
        assert_eq!(none, [None; 3]);
    }

    #[test]
    fn lengths_are_in_the_unit_that_a_person_would_take() {
        for (m, text) in [
            (0.02, "2 cm"),
            (0.5, "50 cm"),
            (1.0, "1 m"),
            (20.0, "20 m"),
            (0.005, "5 mm"),
            (0.01, "1 cm"),
            (2e-5, "20 um"),
        ] {
            assert_eq!(length(m), text);
        }
    }
}
