//! Two static meshes of 70,000 triangles: all intersecting pairs and the distance, next to FCL.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use serde_json::json;

use crate::sweeps::mesh_json;
use crate::{Row, Times, ask, bar};

const ROUNDS: usize = 30;

fn timed<T>(mut call: impl FnMut() -> T, times: &mut Vec<f64>) {
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        black_box(call());
        times.push(clock.elapsed().as_secs_f64());
    }
}

/// Measures ours before and after the peer's.
pub fn statics(python: &str) -> Result<Vec<Row>, Box<dyn Error>> {
    let torus = MeshIndex::new(shapes::torus(0.3, 0.1, 265, 132)?);
    let turn = Quat::from_scaled_axis(Vec3::new(1.2, 0.3, -0.2));
    let at = |x: f64| Pose::from_parts(Vec3::new(x, 0.05, 0.02).into(), turn);
    let (across, apart) = (at(0.1), at(0.9));
    let (mut search, mut proximity) = (Intersections::default(), Proximity::new(16));
    let (mut pairs, mut distance) = (Vec::new(), Vec::new());
    let count = search.all(&torus, &torus, &across).len();
    let gap = proximity.query(&torus, 0.0, &torus, &apart, 10.0).pairs[0].distance;
    let pose = |p: &Pose| {
        let q = p.rotation.quaternion();
        json!({"t": p.translation.vector.as_slice(), "q": [q.w, q.i, q.j, q.k]})
    };
    let request = json!({"statics": {
        "mesh": mesh_json(&torus)?, "across": pose(&across), "apart": pose(&apart), "rounds": 2 * ROUNDS,
    }});
    let mut answer = None;
    for _ in 0..2 {
        timed(
            || search.all(&torus, &torus, black_box(&across)).len(),
            &mut pairs,
        );
        timed(
            || {
                proximity
                    .query(&torus, 0.0, &torus, black_box(&apart), 10.0)
                    .pairs[0]
                    .distance
            },
            &mut distance,
        );
        if answer.is_none() {
            answer = Some(ask(python, "fcl_queries.py", &request)?);
        }
    }
    let answer = answer.ok_or("no answer")?;
    let of = |key: &str| -> Result<Times, Box<dyn Error>> {
        let times: Option<Vec<f64>> = answer["statics"][key]
            .as_array()
            .map(|a| a.iter().filter_map(|x| x.as_f64()).collect());
        Ok(Times::of(
            &times.filter(|t| !t.is_empty()).ok_or("no times")?,
        ))
    };
    let row = |what: &str, ours: &[f64], theirs: Times, result: [String; 2]| {
        let ours = Times::of(ours);
        let [a, b] = result;
        Row::new(
            what,
            format!("{}; {a}", ours.ms()),
            format!("FCL {}; {b}", theirs.ms()),
            bar(ours.median / theirs.median, 2.0),
        )
    };
    let (their_count, their_gap) = (&answer["statics"]["count"], &answer["statics"]["gap"]);
    Ok(vec![
        row(
            "two meshes of 70,000 triangles, all intersecting pairs (medians)",
            &pairs,
            of("pairs")?,
            [format!("{count} pairs"), format!("{their_count} contacts")],
        ),
        row(
            "the same apart, distance (medians)",
            &distance,
            of("distance")?,
            [
                format!("{gap:.6} m"),
                format!("{:.6} m", their_gap.as_f64().unwrap_or(f64::NAN)),
            ],
        ),
    ])
}
