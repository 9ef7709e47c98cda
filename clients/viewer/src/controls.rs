//! Controls of the view: keys, the mouse, and their effects. Pure.

use crate::{
    camera::{Camera, Size},
    scene::{VisibleScene, point},
    theme::Theme,
};

/// Keys and their effects, as the help shows them.
pub const HELP: [(&str, &str); 13] = [
    ("drag", "turn"),
    ("right or middle drag, Shift drag", "move"),
    ("wheel", "nearer, farther"),
    ("double click", "look at what is there"),
    ("f", "all in the picture"),
    ("1 .. 8", "look at the tool of arm 1 .. 8"),
    ("space", "hold the picture; the daemon goes on"),
    ("n", "names of the bodies"),
    ("p", "panels"),
    ("t", "dark or light"),
    ("e", "skins into a file in this folder"),
    ("h", "this help"),
    ("q, Esc", "leave"),
];

/// Action that a key or a button requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Freeze the picture, or continue.
    Pause,
    /// Bring everything into the picture.
    FrameAll,
    /// Look at the tool of the arm with this index.
    LookAt(usize),
    /// Show or hide the help.
    Help,
    /// Show or hide the panels.
    Panels,
    /// Show or hide names.
    Names,
    /// Switch to the other theme.
    Theme,
    /// Write the skins to a file.
    Export,
    /// Quit.
    Quit,
}

impl Action {
    /// Returns the action of the key with this letter.
    pub fn of(key: char) -> Option<Self> {
        Some(match key.to_ascii_lowercase() {
            ' ' => Self::Pause,
            'f' => Self::FrameAll,
            'h' | '?' => Self::Help,
            'p' => Self::Panels,
            'n' => Self::Names,
            't' => Self::Theme,
            'e' => Self::Export,
            'q' | '\u{1b}' => Self::Quit,
            digit @ '1'..='8' => Self::LookAt(digit as usize - '1' as usize),
            _ => return None,
        })
    }
}

/// State of the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// The camera.
    pub camera: Camera,
    /// The colour theme.
    pub theme: Theme,
    /// The picture is frozen.
    pub paused: bool,
    /// The help is shown.
    pub help: bool,
    /// The panels are shown.
    pub panels: bool,
    /// Names of bodies are shown.
    pub names: bool,
    /// Buttons are shown; only where a user can press them.
    pub buttons: bool,
    /// The user wants the skins in a file; the writer of the file clears this.
    pub export: bool,
    /// Result of the last export; may be empty.
    pub exported: String,
    /// The user wants to quit.
    pub quit: bool,
    /// Number of the connection whose scene was last brought into the picture automatically.
    framed: u64,
}

impl Controls {
    /// Returns controls that show everything but the help.
    pub fn new(theme: Theme) -> Self {
        Self {
            camera: Camera::default(),
            theme,
            paused: false,
            help: false,
            panels: true,
            names: true,
            buttons: false,
            export: false,
            exported: String::new(),
            quit: false,
            framed: 0,
        }
    }

    /// Performs an action.
    pub fn act(&mut self, act: Action, scene: &VisibleScene, size: Size) {
        match act {
            Action::Pause => self.paused = !self.paused,
            Action::FrameAll => self.frame(scene, size),
            Action::LookAt(arm) => {
                if let Some(state) = scene.arms.get(arm).and_then(|arm| arm.state.as_ref()) {
                    let at = point(state.world_from_proxy.translation_m);
                    if at.iter().all(|x| x.is_finite()) {
                        self.camera.target = at;
                    }
                }
            }
            Action::Help => self.help = !self.help,
            Action::Panels => self.panels = !self.panels,
            Action::Names => self.names = !self.names,
            Action::Theme => self.theme = self.theme.other(),
            Action::Export => self.export = true,
            Action::Quit => self.quit = true,
        }
    }

    /// Brings everything into the picture, seen from the current direction.
    pub fn frame(&mut self, scene: &VisibleScene, size: Size) {
        if let Some(bounds) = scene.bounds() {
            // A box is seldom seen corner first: its bounding ball would leave much of the picture
            // empty.
            let radius_m = (bounds.radius_m() * 0.88).max(1e-3);
            self.camera.frame(bounds.centre(), radius_m, size);
        }
    }

    /// Does the same once for each connection, when its scene is complete.
    pub fn frame_first(&mut self, scene: &VisibleScene, size: Size) {
        if self.framed != scene.connections && scene.is_complete() && scene.bounds().is_some() {
            self.framed = scene.connections;
            self.frame(scene, size);
        }
    }

    /// Looks at what is under a pixel, from the same side; returns its name.
    pub fn look_at_pixel(
        &mut self,
        pixel: [f32; 2],
        scene: &VisibleScene,
        size: Size,
    ) -> Option<String> {
        let (eye, along) = (self.camera.eye(), self.camera.ray(pixel, size));
        let (name, far_m) = scene.met(&eye, &along)?;
        self.camera.target = eye + along * far_m;
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::Model,
        scene::{Link, VisibleBody},
    };
    use hapticd_client::BodyKind;
    use nalgebra::{Isometry3, Point3};
    use std::sync::Arc;

    const SIZE: Size = [640, 480];

    fn scene() -> VisibleScene {
        let body = VisibleBody {
            id: 1,
            name: "ball".to_owned(),
            kind: BodyKind::Static,
            model: Arc::new(Model::ball()),
            world_from_body: Some(Isometry3::translation(3.0, 0.0, 0.0)),
            note: String::new(),
        };
        VisibleScene {
            link: Link::Up,
            connections: 1,
            bodies: vec![body],
            ..VisibleScene::default()
        }
    }

    #[test]
    fn a_scene_is_framed_once_and_stays_as_it_was_turned() {
        let mut controls = Controls::new(Theme::Dark);
        let mut scene = scene();
        scene.bodies[0].world_from_body = None;
        controls.frame_first(&scene, SIZE);
        assert_eq!(controls.camera, Camera::default(), "not before it is there");
        scene.bodies[0].world_from_body = Some(Isometry3::translation(3.0, 0.0, 0.0));
        controls.frame_first(&scene, SIZE);
        assert!((controls.camera.target - Point3::new(3.0, 0.0, 0.0)).norm() < 1e-5);
        controls.camera.zoom(5.0);
        let zoomed = controls.camera;
        controls.frame_first(&scene, SIZE);
        assert_eq!(controls.camera, zoomed);
        scene.connections = 2;
        controls.frame_first(&scene, SIZE);
        assert_ne!(controls.camera, zoomed, "another daemon has another scene");
    }

    #[test]
    fn what_is_looked_at_comes_to_the_middle() {
        let (mut controls, scene) = (Controls::new(Theme::Dark), scene());
        controls.frame(&scene, SIZE);
        let pixel = [320.0 + 40.0, 240.0 - 30.0];
        assert_eq!(
            controls.look_at_pixel(pixel, &scene, SIZE).as_deref(),
            Some("ball")
        );
        let target = controls.camera.target;
        assert!((nalgebra::distance(&target, &Point3::new(3.0, 0.0, 0.0)) - 1.0).abs() < 0.02);
        let before = controls.camera;
        assert_eq!(controls.look_at_pixel([0.0, 0.0], &scene, SIZE), None);
        assert_eq!(controls.camera, before);
    }

    #[test]
    fn every_key_of_the_help_does_something_and_twice_undoes_it() {
        let (start, scene) = (Controls::new(Theme::Dark), scene());
        for key in [' ', 'n', 'p', 't', 'h'] {
            let mut controls = start.clone();
            let act = Action::of(key).unwrap();
            controls.act(act, &scene, SIZE);
            assert_ne!(controls, start, "{key}");
            controls.act(act, &scene, SIZE);
            assert_eq!(controls, start, "{key}");
        }
        assert_eq!(Action::of('1'), Some(Action::LookAt(0)));
        assert_eq!(Action::of('9'), None);
        let mut controls = start.clone();
        controls.act(Action::of('e').unwrap(), &scene, SIZE);
        assert!(controls.export);
        let mut controls = start.clone();
        // An arm that does not exist is not looked at.
        controls.act(Action::LookAt(3), &scene, SIZE);
        assert_eq!(controls, start);
        controls.act(Action::Quit, &scene, SIZE);
        assert!(controls.quit);
    }
}
