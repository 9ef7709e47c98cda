//! The renderer on the software driver: known scenes, and the content of their pixels.

use hapticd_client::{ArmInfo, ArmState, BodyKind, Contact, Limit, Pose, flag};
use hapticd_protocol::text::Name;
use hapticd_viewer::{
    camera::{Camera, Size},
    compose::scale,
    controls::Controls,
    history::{History, Sample},
    model::Model,
    offscreen::{Image, Offscreen},
    picture::{Color, Glyphs, Item, Picture, Style},
    scene::{Link, VisibleArm, VisibleBody, VisibleScene},
    theme::Theme,
};
use nalgebra::{Isometry3, Matrix4, Point3, Vector3};
use std::sync::Arc;

const SIZE: Size = [480, 360];
const BLACK: Color = [0.0, 0.0, 0.0, 1.0];

fn open(size: Size) -> Offscreen {
    Offscreen::open(size, true).unwrap()
}

/// Returns vertices and triangles of a cube with half edges of this length.
fn cube(half_m: f32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let corner = |k: u8| [0, 1, 2].map(|axis| (f32::from(k >> axis & 1) * 2.0 - 1.0) * half_m);
    let triangles = vec![
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    ((0..8).map(corner).collect(), triangles)
}

fn model(half_m: f32) -> Arc<Model> {
    let (points, triangles) = cube(half_m);
    Arc::new(Model::creased(&points, &triangles))
}

fn item(model: &Arc<Model>, at: [f32; 3], color: Color, style: Style) -> Item {
    Item {
        model: Arc::clone(model),
        world_from_model: Matrix4::new_translation(&Vector3::from(at)),
        color,
        style,
    }
}

fn picture(camera: Camera, items: Vec<Item>) -> Picture {
    Picture {
        camera,
        background: BLACK,
        items,
        ..Picture::default()
    }
}

fn count(image: &Image, wanted: impl Fn([u8; 4]) -> bool) -> usize {
    image.pixels.iter().filter(|pixel| wanted(**pixel)).count()
}

fn red([r, g, b, _]: [u8; 4]) -> bool {
    r > 150 && i16::from(r) - i16::from(g) > 90 && i16::from(r) - i16::from(b) > 90
}

/// Returns the area of the convex hull of points (Andrew's monotone chain), pixels.
fn hull_area(mut points: Vec<[f32; 2]>) -> f32 {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let cross = |o: [f32; 2], a: [f32; 2], b: [f32; 2]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    };
    let chain = |points: &mut dyn Iterator<Item = [f32; 2]>| {
        let mut chain: Vec<[f32; 2]> = Vec::new();
        for point in points {
            while let [.., o, a] = chain[..]
                && cross(o, a, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut points.iter().copied());
    hull.extend(chain(&mut points.iter().rev().copied()));
    let next = hull.iter().cycle().skip(1);
    hull.iter()
        .zip(next)
        .map(|(a, b)| a[0] * b[1] - b[0] * a[1])
        .sum::<f32>()
        / 2.0
}

#[test]
fn a_cube_covers_as_many_pixels_as_its_projection() {
    let mut offscreen = open(SIZE);
    let cube_model = model(0.05);
    for (azimuth_rad, elevation_rad) in [(0.3, 0.4), (2.1, -0.7), (4.0, 1.4), (5.5, 0.02)] {
        let camera = Camera {
            target: Point3::new(0.2, -0.1, 0.3),
            distance_m: 0.4,
            azimuth_rad,
            elevation_rad,
        };
        let at = [0.21, -0.11, 0.29];
        let white = item(&cube_model, at, [1.0; 4], Style::Solid);
        let image = offscreen.draw(&picture(camera, vec![white]), None).unwrap();
        let covered = count(&image, |pixel| pixel != [0, 0, 0, 255]) as f32;
        let corners = cube(0.05).0.into_iter();
        let pixels = corners.map(|c| {
            camera
                .pixel(&(Point3::from(at) + Vector3::from(c)), SIZE)
                .unwrap()
        });
        let area = hull_area(pixels.collect());
        assert!(
            (covered / area - 1.0).abs() < 0.02,
            "{covered} pixels for {area}"
        );
    }
}

#[test]
fn what_is_nearer_hides_what_is_farther_but_for_marks_and_through_what_is_translucent() {
    let mut offscreen = open(SIZE);
    let (near, far) = (model(0.05), model(0.03));
    let camera = Camera {
        distance_m: 0.5,
        azimuth_rad: 0.0,
        elevation_rad: 0.0,
        ..Camera::default()
    };
    let mut seen = |front: Style, behind: Style| {
        let green = item(&near, [0.1, 0.0, 0.0], [0.2, 0.8, 0.3, 0.3], front);
        let behind = item(&far, [-0.1, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0], behind);
        let image = offscreen
            .draw(&picture(camera, vec![green, behind]), None)
            .unwrap();
        image.at([240, 180])
    };
    let hidden = seen(Style::Solid, Style::Solid);
    assert!(hidden[1] > 2 * hidden[0], "{hidden:?}");
    for [r, g, _, _] in [
        seen(Style::Translucent, Style::Solid),
        seen(Style::Solid, Style::Mark),
    ] {
        assert!(r > hidden[0] + 40 && g > 20, "{r} {g} and {hidden:?}");
    }
}

#[test]
fn a_surface_that_bends_is_drawn_where_it_is_now() {
    let mut offscreen = open(SIZE);
    let camera = Camera {
        distance_m: 0.6,
        azimuth_rad: 0.0,
        elevation_rad: 0.0,
        ..Camera::default()
    };
    let (points, triangles) = cube(0.02);
    let mut model = Arc::new(Model::smooth(&points, &triangles));
    let mut column = |model: &Arc<Model>| {
        let white = item(model, [0.0; 3], [1.0; 4], Style::Solid);
        let image = offscreen.draw(&picture(camera, vec![white]), None).unwrap();
        let columns = (0..SIZE[0]).filter(|x| image.at([*x, 180])[0] > 20);
        let columns: Vec<u32> = columns.collect();
        columns.iter().sum::<u32>() as f32 / columns.len() as f32
    };
    assert!((column(&model) - 240.0).abs() < 1.5);
    let moved: Vec<[f32; 3]> = points.iter().map(|[x, y, z]| [*x, y + 0.05, *z]).collect();
    Arc::make_mut(&mut model).bend(&moved, &triangles);
    let expected = camera.pixel(&Point3::new(0.0, 0.05, 0.0), SIZE).unwrap()[0];
    assert!((column(&model) - expected).abs() < 1.5, "{expected}");
    // A skin's next frame: the same numbers of points and triangles, with other values.
    let swapped: Vec<[u32; 3]> = triangles.iter().map(|_| [0, 1, 1]).collect();
    Arc::make_mut(&mut model).replace(&moved, &[[1.0, 0.0, 0.0]; 8], &swapped);
    assert!(
        column(&model).is_nan(),
        "triangles without area show nothing"
    );
}

#[test]
fn a_model_that_is_none_is_not_drawn_and_no_fault() {
    let mut offscreen = open([64, 64]);
    let wild = Arc::new(Model::smooth(&[[0.0; 3]], &[[0, 7, 9]]));
    let empty = Arc::new(Model::smooth(&[], &[]));
    let items = [&wild, &empty].map(|m| item(m, [0.0; 3], [1.0; 4], Style::Solid));
    let image = offscreen
        .draw(&picture(Camera::default(), items.to_vec()), None)
        .unwrap();
    assert_eq!(count(&image, |pixel| pixel != [0, 0, 0, 255]), 0);
}

#[test]
fn a_size_that_no_adapter_draws_is_refused_with_the_numbers() {
    for size in [[0, 10], [10, 1 << 20]] {
        let Err(error) = Offscreen::open(size, true) else {
            panic!("{size:?} was taken");
        };
        let text = error.to_string();
        assert!(
            text.contains(&format!("{} x {}", size[0], size[1])),
            "{text}"
        );
    }
}

fn scene(force_n: [f64; 3]) -> VisibleScene {
    let state = ArmState {
        tick: 1000,
        time_ns: 5_000_000_000,
        flags: flag::ATTACHED | flag::TOUCHING,
        governor: 3,
        contacts: 1,
        force_n,
        wanted_force_n: force_n,
        world_from_proxy: Pose {
            translation_m: [0.0, 0.0, 0.05],
            ..Pose::IDENTITY
        },
        world_from_device: Pose {
            translation_m: [0.0, 0.0, 0.045],
            ..Pose::IDENTITY
        },
        ..ArmState::EMPTY
    };
    let mut history = History::default();
    for k in 0..400u16 {
        history.push(Sample {
            time_s: 1.0 + f64::from(k) * 0.01,
            force_n: 1.0 + (f64::from(k) * 0.05).sin(),
            ..Sample::of(&state)
        });
    }
    let (points, triangles) = cube(0.05);
    let body = VisibleBody {
        id: 1,
        name: "block".to_owned(),
        kind: BodyKind::Static,
        model: Arc::new(Model::creased(&points, &triangles)),
        world_from_body: Some(Isometry3::translation(0.0, 0.0, -0.01)),
        note: String::new(),
    };
    let ball = Model::ball();
    let small: Vec<[f32; 3]> = ball
        .vertices()
        .iter()
        .map(|v| v.position.map(|x| x * 0.01))
        .collect();
    let arm = VisibleArm {
        info: ArmInfo {
            name: Name::new("right").unwrap(),
            world_from_base: Pose::IDENTITY,
            scale: 1.0,
            workspace_center_m: [0.0; 3],
            workspace_half_extents_m: [0.1; 3],
            peak_force_n: Limit(8.0),
            continuous_force_n: Limit(3.0),
            peak_torque_nm: Limit(0.0),
            tool_radius_m: 0.01,
            period_ns: 1_000_000,
            sensed_dof: 3,
            actuated_dof: 3,
            index: 0,
            attached: true,
        },
        state: Some(state),
        inside: None,
        contacts: vec![Contact {
            point_m: [0.0, 0.0, 0.04],
            normal: [0.0, 0.0, 1.0],
            ..Contact::NONE
        }],
        tool: Arc::new(Model::smooth(&small, ball.indices().as_chunks().0)),
        history,
    };
    VisibleScene {
        link: Link::Up,
        connections: 1,
        bodies: vec![body],
        arms: vec![arm],
        ..VisibleScene::default()
    }
}

#[test]
fn a_force_has_an_arrow_of_its_length_and_colour_and_no_force_has_none() {
    let mut offscreen = open(SIZE);
    let mut controls = Controls::new(Theme::Dark);
    (controls.panels, controls.names) = (false, false);
    controls.camera.elevation_rad = 0.0;
    controls.camera.target = Point3::new(0.0, 0.0, 0.05);
    let mut arrow = |force_n: f64| {
        let image = offscreen
            .scene(&scene([0.0, 0.0, force_n]), &controls)
            .unwrap();
        // The label next to the tip has the same colour: use the rows in the middle column, where
        // the shaft and the head are.
        let rows = (0..SIZE[1]).filter(|y| red(image.at([240, *y])));
        rows.count()
    };
    assert_eq!(arrow(0.0), 0);
    let per_newton =
        scale(&controls.camera, SIZE).metres_per_newton / controls.camera.pixel_m(SIZE);
    let (two, three) = (arrow(2.0) as f32, arrow(3.0) as f32);
    assert!(
        (three - two - per_newton).abs() < 0.1 * per_newton + 2.0,
        "{two}, {three}, {per_newton} a newton"
    );
}

#[test]
fn panels_have_text_in_both_themes_and_can_be_left_out() {
    const LARGE: Size = [1000, 700];
    let mut offscreen = open(LARGE);
    for theme in [Theme::Dark, Theme::Light] {
        let mut controls = Controls::new(theme);
        let mut scene = scene([0.0, 0.0, 2.0]);
        controls.frame_first(&scene, LARGE);
        // No scene and no floor behind the panel.
        controls.camera.elevation_rad = 0.0;
        scene.bodies.clear();
        let mut written = |controls: &Controls| {
            let image = offscreen.scene(&scene, controls).unwrap();
            let background = controls
                .theme
                .background()
                .map(|c| (c * 255.0).round() as u8);
            assert_eq!(image.at([500, 2]), background, "far from everything");
            // Where the arm's values are, text differs strongly from the panel's own colour.
            let luma =
                |[r, g, b, _]: [u8; 4]| (u32::from(r) * 3 + u32::from(g) * 6 + u32::from(b)) / 10;
            let panel = (715..985).flat_map(|x| (20..260).map(move |y| [x, y]));
            let strong = panel.filter(|at| match controls.theme {
                Theme::Dark => luma(image.at(*at)) > 130,
                Theme::Light => luma(image.at(*at)) < 150,
            });
            strong.count()
        };
        let with = written(&controls);
        controls.panels = false;
        let without = written(&controls);
        assert!(
            with > 500 && 50 * without < with,
            "{theme:?}: {with} and {without}"
        );
    }
}

#[test]
fn the_same_scene_is_the_same_picture_and_a_file_gives_it_back() {
    let mut controls = Controls::new(Theme::Dark);
    let scene = scene([0.3, 0.0, 2.0]);
    controls.frame_first(&scene, SIZE);
    let image = open(SIZE).scene(&scene, &controls).unwrap();
    assert_eq!(open(SIZE).scene(&scene, &controls).unwrap(), image);
    let mut file = Vec::new();
    image.write_png(&mut file).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&file))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([info.width, info.height], SIZE);
    let expected: Vec<u8> = image
        .pixels
        .iter()
        .flat_map(|[r, g, b, _]| [*r, *g, *b])
        .collect();
    assert_eq!(bytes, expected);
}

#[test]
fn marks_are_as_large_in_pixels_from_afar_as_from_near() {
    let mut offscreen = open(SIZE);
    let glyphs = Glyphs::default();
    let mut area = |distance_m: f32| {
        let camera = Camera {
            distance_m,
            ..Camera::default()
        };
        let radius_m = 20.0 * camera.pixel_m(SIZE);
        let ball = glyphs.ball(&camera.target, radius_m, [1.0; 4], Style::Mark);
        let image = offscreen.draw(&picture(camera, vec![ball]), None).unwrap();
        count(&image, |pixel| pixel != [0, 0, 0, 255]) as f32
    };
    let expected = std::f32::consts::PI * 20.0 * 20.0;
    for distance_m in [0.01, 0.5, 80.0] {
        let covered = area(distance_m);
        assert!(
            (covered / expected - 1.0).abs() < 0.06,
            "{distance_m}: {covered} for {expected}"
        );
    }
}
