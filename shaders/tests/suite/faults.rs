//! Failures are reported, and do no harm.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use common::{Shape, body, choice, gpu, step, tracer};
use hapticd_geometry::{Vec3, shapes};
use hapticd_rays::layout::{NONE, Normal, Object, Point, Ray};
use hapticd_shaders::{
    BufferError, Choice, DEPTH, Fault, Gpu, Hits, Kind, OpenError, Options, Packed, Pass,
    PassError, SceneError, Source, StepError, Store, Tracer, Work, passes, suffices, wgpu,
};

/// A point (object 0) under the middle of a plate (object 1), with its ray upwards.
fn scene() -> Packed {
    let mut packed = Packed::default();
    let point = Point {
        x: [0.013, 0.007, -0.05],
        cluster: 0,
    };
    let normal = Normal {
        n: [0.0, 0.0, -1.0],
        exit: f32::INFINITY,
    };
    Shape::cloud(vec![point], vec![normal]).add_to(&mut packed, &body(0));
    let plate = Shape::new(&shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).unwrap());
    plate.add_to(&mut packed, &body(0));
    packed
}

const RAY: Ray = Ray {
    source: 0,
    point: 0,
    target: 1,
    start: NONE,
};

fn all_three<'a>(rays: &'a [Ray], walks: &'a [Ray]) -> Work<'a> {
    Work {
        tree: rays,
        basic: rays,
        walk: walks,
        prediction: 1.0,
    }
}

#[test]
fn software_is_never_taken_for_hardware() {
    match Gpu::open(Choice::Hardware) {
        Ok(gpu) => assert_ne!(gpu.adapter().kind, Kind::Software),
        Err(OpenError::NoAdapter { wanted, found }) => {
            assert_eq!(wanted, Choice::Hardware);
            assert!(found.iter().all(|adapter| adapter.kind == Kind::Software));
        }
        Err(other) => panic!("{other}"),
    }
    let gpu = gpu();
    assert_eq!(
        gpu.adapter().kind == Kind::Software,
        choice() == Choice::Software
    );
    println!("{}", gpu.adapter());
}

#[test]
fn an_adapter_that_is_too_small_is_refused_with_numbers() {
    let few = wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::defaults()
    };
    let error = suffices("Toy", &few).unwrap_err();
    let needs = passes::STORAGE_BUFFERS;
    assert_eq!(
        error.to_string(),
        format!("adapter Toy has max_storage_buffers_per_shader_stage 4, the passes need {needs}")
    );
    suffices("WebGPU's least", &wgpu::Limits::defaults()).unwrap();
    let narrow = wgpu::Limits {
        max_compute_invocations_per_workgroup: 32,
        ..wgpu::Limits::defaults()
    };
    let refused = Gpu::open(Options {
        limits: Some(narrow),
        ..choice().into()
    })
    .unwrap_err();
    assert!(
        matches!(
            refused,
            OpenError::TooSmall {
                has: 32,
                needs: 64,
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn a_lost_device_is_opened_again_and_answers_as_before() {
    let packed = scene();
    let mut tracer = tracer(&packed);
    let rays = [RAY];
    let walks = [Ray { start: 0, ..RAY }];
    let work = all_three(&rays, &walks);
    let before = step(&mut tracer, &work);
    assert_eq!((before.ticket.generation, before.ticket.number), (1, 1));
    assert!(before.tree[0].ahead().is_some());

    // Lost with a step under way: it is never answered.
    tracer.send(&work).unwrap();
    tracer.gpu().lose();
    assert!(matches!(tracer.receive(), Err(Fault::Lost(_))));
    assert!(matches!(
        tracer.send(&work),
        Err(StepError::Fault(Fault::Lost(_)))
    ));
    assert!(matches!(
        tracer.set_scene(&packed),
        Err(BufferError::Fault(Fault::Lost(_)))
    ));
    assert!(matches!(tracer.wait(), Err(Fault::Lost(_))));

    tracer.recover().unwrap();
    assert_eq!(tracer.gpu().generation(), 2);
    assert!(matches!(tracer.send(&work), Err(StepError::NoScene(2))));
    tracer.set_scene(&packed).unwrap();
    let after = step(&mut tracer, &work);
    assert_eq!((after.ticket.generation, after.ticket.number), (2, 1));
    assert_eq!(
        (after.tree, after.basic, after.walk),
        (before.tree, before.basic, before.walk)
    );
}

#[test]
fn a_shader_that_is_not_accepted_is_an_error_and_the_device_goes_on() {
    static BROKEN: Source = Source {
        entry: "broken",
        wgsl: "@compute @workgroup_size(64) fn broken() { let x: u32 = 1.0; }",
        slots: &[],
    };
    static ELSEWHERE: Source = Source {
        entry: "elsewhere",
        wgsl: "@compute @workgroup_size(64) fn here() {}",
        slots: &[],
    };
    let gpu = gpu();
    for source in [&BROKEN, &ELSEWHERE] {
        let error = Pass::new(&gpu, source).unwrap_err();
        assert!(
            matches!(&error, PassError::Rejected { pass, .. } if *pass == source.entry),
            "{error}"
        );
    }
    gpu.check().unwrap();
    Pass::new(&gpu, &passes::BUILD_ARGS).unwrap();
}

#[test]
fn a_buffer_that_the_adapter_cannot_bind_is_refused_with_numbers() {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 1 << 16,
        ..wgpu::Limits::defaults()
    };
    let gpu = Gpu::open(Options {
        limits: Some(limits),
        ..choice().into()
    })
    .unwrap();
    let mut store = Store::<[u32; 4]>::new(&gpu, "rows", wgpu::BufferUsages::empty(), 10).unwrap();
    store.write(&gpu, &[[1; 4]; 1000]).unwrap();
    assert_eq!(store.capacity(), 1000);
    // By half at least, and never beyond what can be bound.
    store.write(&gpu, &[[1; 4]; 1001]).unwrap();
    assert_eq!(store.capacity(), 1500);
    store.write(&gpu, &[[1; 4]; 4000]).unwrap();
    store.write(&gpu, &[[1; 4]; 4096]).unwrap();
    assert_eq!(store.capacity(), 4096);
    let id = store.id();
    let error = store.write(&gpu, &[[1; 4]; 4097]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "buffer `rows`: 4097 elements are 65552 bytes, the adapter binds 65536"
    );
    assert_eq!((store.capacity(), store.id()), (4096, id));
    gpu.check().unwrap();

    // A step with too many rays is refused, and the next goes on.
    let mut tracer = Tracer::new(gpu).unwrap();
    tracer.set_scene(&scene()).unwrap();
    let many = vec![RAY; 3000];
    let error = tracer.send(&all_three(&many, &[])).unwrap_err();
    assert!(
        matches!(
            error,
            StepError::Buffer(BufferError::TooLarge { elements: 6000, .. })
        ),
        "{error}"
    );
    let answer = step(&mut tracer, &all_three(&many[..1000], &[]));
    assert!(answer.basic.iter().all(|hits| hits.ahead().is_some()));
}

#[test]
fn a_step_too_many_is_refused_and_answers_come_in_order() {
    let mut tracer = tracer(&scene());
    let rays = [RAY; 100];
    let sent: Vec<_> = (1..=DEPTH)
        .map(|n| tracer.send(&all_three(&rays[..n], &[])).unwrap())
        .collect();
    assert!(matches!(
        tracer.send(&all_three(&rays, &[])),
        Err(StepError::Busy)
    ));
    for (n, ticket) in (1..).zip(sent) {
        let answer = tracer.wait().unwrap().unwrap();
        assert_eq!((answer.ticket, answer.tree.len()), (ticket, n));
    }
    assert_eq!(tracer.wait().unwrap(), None);
    assert_eq!(step(&mut tracer, &all_three(&rays, &[])).basic.len(), 100);
}

#[test]
fn no_rays_is_a_step_like_any_other() {
    let mut tracer = tracer(&scene());
    let answer = step(&mut tracer, &Work::default());
    assert!(answer.tree.is_empty() && answer.basic.is_empty() && answer.walk.is_empty());
    // A scene without objects has nothing to trace.
    tracer.set_scene(&Packed::default()).unwrap();
    step(&mut tracer, &Work::default());
}

#[test]
fn what_is_no_number_meets_nothing_and_ends() {
    let good = scene();
    let bad_values = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let mut tracer = tracer(&good);
    let rays = [RAY; 3];
    let walks: Vec<Ray> = (0..12).map(|start| Ray { start, ..RAY }).collect();
    let nothing = |tracer: &mut Tracer, packed: &Packed, what: &str| {
        tracer.set_scene(packed).unwrap();
        let answer = step(tracer, &all_three(&rays, &walks));
        let all = answer.tree.iter().chain(&answer.basic).chain(&answer.walk);
        for hits in all {
            assert_eq!((hits.ahead(), hits.behind()), (None, None), "{what}");
        }
    };
    for bad in bad_values {
        for k in 0..3 {
            let mut packed = good.clone();
            packed.points[0].x[k] = bad;
            nothing(&mut tracer, &packed, "source point");
            let mut packed = good.clone();
            packed.normals[0].n[k] = bad;
            nothing(&mut tracer, &packed, "normal");
            let mut packed = good.clone();
            packed.objects[1].t[k] = bad;
            nothing(&mut tracer, &packed, "place");
            let mut packed = good.clone();
            packed.objects[0].q[k] = bad;
            nothing(&mut tracer, &packed, "turn");
            // All points of the target; its boxes are as before.
            let mut packed = good.clone();
            for point in &mut packed.points[1..] {
                point.x[k] = bad;
            }
            nothing(&mut tracer, &packed, "target points");
        }
    }
    // Invalid boxes do not prevent the end: every node is visited at most once.
    let mut packed = good.clone();
    for node in &mut packed.nodes {
        node.low = [f32::NAN; 3];
        node.high = [f32::NAN; 3];
    }
    tracer.set_scene(&packed).unwrap();
    step(&mut tracer, &all_three(&rays, &walks));
    // A zero normal emits no ray.
    let mut packed = good.clone();
    packed.normals[0].n = [0.0; 3];
    nothing(&mut tracer, &packed, "no normal");
}

#[test]
fn a_walk_that_goes_round_ends() {
    let mut packed = scene();
    // A line next to the plate that never hits it: whatever the limit, the walk ends after as many
    // triangles as exist.
    packed.points[0].x = [0.5, 0.3, 0.0];
    for object in &mut packed.objects {
        object.walk_limit = u32::MAX;
    }
    let walks: Vec<Ray> = (0..12).map(|start| Ray { start, ..RAY }).collect();
    let answer = step(&mut tracer(&packed), &all_three(&[], &walks));
    assert_eq!(answer.walk, vec![Hits::NOTHING; 12]);
}

#[test]
fn rays_that_name_what_is_not_there_meet_nothing() {
    let mut tracer = tracer(&scene());
    let walks = [Ray { start: 12, ..RAY }, Ray { start: NONE, ..RAY }];
    let basic = [Ray { start: 99, ..RAY }];
    let answer = step(
        &mut tracer,
        &Work {
            basic: &basic,
            walk: &walks,
            ..all_three(&[], &[])
        },
    );
    assert_eq!(answer.walk, vec![Hits::NOTHING; 2]);
    assert_eq!(answer.basic, vec![Hits::NOTHING]);
}

#[test]
fn a_scene_that_does_not_fit_together_is_refused() {
    let shape = Shape::new(&shapes::cuboid(&Vec3::new(0.1, 0.1, 0.1)).unwrap());
    let try_one = |change: &dyn Fn(&mut Shape)| {
        let mut broken = shape.clone();
        change(&mut broken);
        let mut packed = Packed::default();
        let result = packed.add(&broken.parts(), &body(0));
        if result.is_err() {
            assert_eq!(packed, Packed::default());
        }
        result
    };
    assert_eq!(try_one(&|_| {}), Ok(0));
    let index = |what, index, of| {
        Err(SceneError::Index {
            object: 0,
            what,
            index,
            of,
        })
    };
    assert_eq!(try_one(&|s| s.triangles[3].v[1] = 8), index("point", 8, 8));
    assert_eq!(
        try_one(&|s| s.neighbours[3].across[1] = 12),
        index("triangle", 12, 12)
    );
    assert_eq!(try_one(&|s| s.nodes[0].skip = 0), index("node", 0, 0));
    assert_eq!(
        try_one(&|s| *s.members.last_mut().unwrap() = 77),
        index("member", 77, 12)
    );
    assert!(try_one(&|s| s.nodes.last_mut().unwrap().leaf = 12 << 3 | 1).is_err());
    assert!(try_one(&|s| s.normals.truncate(7)).is_err());
    assert!(try_one(&|s| s.cluster_starts[1] = 1000).is_err());
    assert!(try_one(&|s| s.members.truncate(1)).is_err());
    let deformable = Object {
        flags: hapticd_rays::layout::DEFORMABLE,
        ..body(0)
    };
    assert!(Packed::default().add(&shape.parts(), &deformable).is_err());
}
