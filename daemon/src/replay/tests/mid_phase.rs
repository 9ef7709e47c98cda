//! Recordings of runs with a GPU mid-phase, or a stand-in for one. The ticks say so, and the replay
//! without it is the same where the answers are.

use std::sync::Arc;

use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery, MidPhaseStats};
use hapticd_proxy::Finder;

use super::*;

/// Names every pair of triangles of two small meshes, and counts no more than necessary.
#[derive(Debug, Default)]
struct Everything {
    asked: Vec<Vec<[u32; 2]>>,
    facts: MidPhaseStats,
}

impl MidPhase for Everything {
    fn prepare(&mut self, _: &Arc<MeshIndex>) {}

    fn ask(&mut self, asks: &mut dyn Iterator<Item = MidPhaseQuery<'_>>) {
        self.asked.clear();
        let triangles = |of: &MeshIndex| of.mesh().map_or(0, |mesh| mesh.triangles().len() as u32);
        for ask in asks {
            let (a, b) = (triangles(ask.a), triangles(ask.b));
            let all = (0..a).flat_map(|i| (0..b).map(move |j| [i, j]));
            self.asked.push(all.take(200).collect());
        }
    }

    fn candidates(&mut self, ask: usize) -> Option<&[[u32; 2]]> {
        self.facts.gpu_ns = Some(1234.5);
        // The ground has more triangles, so the CPU does it.
        let pairs = self.asked.get(ask)?;
        (1..200).contains(&pairs.len()).then_some(pairs)
    }

    fn facts(&self) -> &MidPhaseStats {
        &self.facts
    }
}

const SCENE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "cuboid", size_m = [0.01, 0.01, 0.01] }

[[body]]
name = "table"
shape = { kind = "cuboid", size_m = [0.1, 0.1, 0.02] }
position_m = [0.0, 0.0, -0.01]

[[body]]
name = "ground"
shape = { kind = "terrain", size_m = [0.3, 0.3], amplitude_m = 0.005, cells = 24, seed = 7 }
position_m = [0.0, 0.0, -0.03]
"#;

#[test]
fn the_gpus_share_of_an_answer_is_recorded_but_not_replayed() {
    const TICKS: u64 = 2500;
    let output = Memory::new(usize::MAX);
    let mut setup = build(SCENE, Time::Virtual);
    let mut sink = recorder(SCENE, Time::Virtual, output.clone(), u64::MAX).unwrap();
    assert!(
        setup
            .collider
            .set_midphase(Box::<Everything>::default())
            .is_none()
    );
    let arms = session::virtual_arms(&mut setup);
    let (scene, pairs) = ((setup.collider, setup.deformable), setup.pair_capacity);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 4, pairs);
    for tick in 0..TICKS {
        let record = *driver.step(tick + 100 > TICKS);
        sink.tick(&record).unwrap();
        sink.step(driver.last_step()).unwrap();
    }
    sink.finish().unwrap();
    let bytes = output.take();

    let (mut with, mut without) = (0, 0);
    let mut reader = reader(&bytes).unwrap();
    while let Some(event) = reader.event().unwrap() {
        let Event::Tick(tick) = event else { continue };
        let output = &tick.arms[0].output;
        match (output.mid_phase_by_gpu, output.mid_phase_gpu_ns) {
            // One of two bodies.
            (Some(1), Some(1234)) => with += 1,
            (None, None) => without += 1,
            other => panic!("{other:?}"),
        }
        assert_eq!(output.mid_phase_by_gpu.is_some(), output.snapshot > 0);
        let text = serde_json::to_value(output).unwrap();
        assert_eq!(
            text.get("mid_phase_by_gpu").is_some(),
            output.mid_phase_by_gpu.is_some()
        );
    }
    assert!(with > TICKS - 20 && without > 0, "{with} and {without}");

    // The replay uses only the CPU, and is the same to the last bit.
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(outcome.first_difference, None);
    assert!(outcome.is_identical());
    assert!(outcome.report.arms[0].contact_ticks > 300);
}

/// Recordings from before the GPU mid-phase can be read.
#[test]
fn a_tick_without_the_gpus_share_is_read() {
    let mut record = hapticd_loop::record::TickRecord::new();
    record.arms[0].midphase.bodies = 3;
    record.arms[0].midphase.took_ns = 70_000;
    record.arms[0].soft_finder = Finder {
        name: "GPU",
        age_steps: 2,
        took_ns: 900_000,
    };
    let message = TickMessage::of(&record, 1, &mut Default::default());
    let mut json = serde_json::to_value(&message).unwrap();
    let again: TickMessage = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(again, message);
    assert_eq!(again.arms[0].output.mid_phase_by_gpu, Some(3));
    assert_eq!(again.arms[0].output.deformable_gpu_age_steps, Some(2));
    let output = json["arms"][0]["output"].as_object_mut().unwrap();
    for field in [
        "mid_phase_by_gpu",
        "mid_phase_gpu_ns",
        "deformable_gpu_age_steps",
        "deformable_gpu_ns",
    ] {
        let of = &schema::tick()["properties"]["arms"]["items"]["properties"]["output"];
        assert_eq!(of["properties"][field]["type"], "integer", "{field}");
        assert!(output.remove(field).is_some(), "{field}");
    }
    let old: TickMessage = serde_json::from_value(json).unwrap();
    assert_eq!(old.arms[0].output.mid_phase_by_gpu, None);
    assert_eq!(old.arms[0].output.deformable_gpu_age_steps, None);
    // The CPU's contacts are as old as their surfaces, so nothing is recorded of that.
    record.arms[0].soft_finder.name = "CPU";
    let message = TickMessage::of(&record, 1, &mut Default::default());
    assert_eq!(message.arms[0].output.deformable_gpu_ns, None);
}
