//! Skins: a chain of 64 points that blend, polygonized by `hapticd-skin`, by VTK's Flying Edges, by
//! fidget and by splashsurf, alternating, as one table.
//!
//! Each code runs on one thread; times are processor times of the working process. Every code makes
//! its mesh from scratch in every run, as if all primitives had moved. Each states what its time
//! includes. The number of triangles depends on the method, so the table also gives millions of
//! triangles per second. All meshes go through our own [`Checker`]. The gradient of the field from
//! which a triangle was made decides which way it faces, not the code's own normals.

mod codes;
mod particles;
mod scene;
mod vtk;

use std::error::Error;
use std::time::Duration;

use hapticd_skin::{Check, Checker, Mesh};
use rustix::time::{ClockId, clock_gettime};

/// Number of runs of each code, after one that does not count.
const ROUNDS: usize = 9;

/// A polygonizer.
pub trait Code {
    /// Returns its name, and what its time includes.
    fn name(&self) -> &'static str;
    /// Makes the mesh once; returns the processor time, s.
    fn frame(&mut self) -> Result<f64, Box<dyn Error>>;
    /// Returns the mesh of the last run. Normals are those of the field, outwards.
    fn mesh(&mut self) -> Result<Mesh, Box<dyn Error>>;
}

/// A scene at a resolution, and the codes that polygonize it; ours is the first.
pub struct Case {
    /// Description.
    pub what: String,
    /// Polygonizers.
    pub codes: Vec<Box<dyn Code>>,
}

/// Returns the processor time of this process so far.
pub fn processor_time() -> Duration {
    let t = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(t.tv_sec as u64, t.tv_nsec as u32)
}

/// Returns the processor time of a call, s, and its result.
pub fn timed<T>(call: impl FnOnce() -> T) -> (f64, T) {
    let start = processor_time();
    let made = call();
    ((processor_time() - start).as_secs_f64(), made)
}

/// Summarises a check in a few words.
fn verdict(check: &Check, triangles: usize) -> String {
    let mut faults = Vec::new();
    let mut count = |number: usize, what: &str| {
        if number > 0 {
            faults.push(format!("{number} {what}"));
        }
    };
    count(check.borders, "open edges");
    count(check.crowded, "edges of more than two");
    count(check.faults.pinched, "pinched points");
    count(check.same_way, "edges along one way");
    count(check.not_finite, "points not finite");
    count(check.strays, "strays");
    // A tenth of a per cent of the triangles are slivers that lie across their field where the
    // surface is thinner than a cube.
    if check.faults.flipped > 0 {
        let share = 100.0 * check.faults.flipped as f64 / triangles as f64;
        faults.push(format!("{} flipped ({share:.2} %)", check.faults.flipped));
    }
    if faults.is_empty() {
        "closed, manifold, wound outwards".to_owned()
    } else {
        faults.join(", ")
    }
}

/// Runs all codes and prints the table.
///
/// # Errors
/// If a code does not run.
pub fn run(python: &str) -> Result<(), Box<dyn Error>> {
    // splashsurf has its own threads, whose time would count. It gets one, like all others.
    splashsurf_lib::initialize_thread_pool(1)?;
    let vtk = vtk::Process::start(python)?;
    println!(
        "peers: VTK {}, fidget 0.5.1, splashsurf_lib 0.14.1; one thread each, processor time of {ROUNDS} runs in turns",
        vtk.version()
    );
    println!(
        "\n| scene | code | triangles | least ms | median ms | M triangles/s | times ours | ns a triangle, times ours | check |\n|---|---|---|---|---|---|---|---|---|"
    );
    let mut checker = Checker::default();
    for (cells, radius) in scene::CASES {
        show(&mut checker, codes::case(cells, radius, &vtk)?)?;
    }
    for cells in particles::CASES {
        show(&mut checker, particles::case(cells)?)?;
    }
    Ok(())
}

fn show(checker: &mut Checker, mut case: Case) -> Result<(), Box<dyn Error>> {
    let mut times = vec![Vec::new(); case.codes.len()];
    for round in 0..=ROUNDS {
        for (code, times) in case.codes.iter_mut().zip(&mut times) {
            let seconds = code.frame()?;
            // Memory grows in the first round.
            if round > 0 {
                times.push(seconds);
            }
        }
    }
    let mut ours = None;
    for (code, times) in case.codes.iter_mut().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let (least, median) = (times[0], times[times.len() / 2]);
        let mesh = code.mesh()?;
        let count = mesh.triangles.len();
        let each = median / count as f64;
        let (first, first_each) = *ours.get_or_insert((median, each));
        println!(
            "| {} | {} | {count} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {} |",
            case.what,
            code.name(),
            1e3 * least,
            1e3 * median,
            1e-6 / each,
            median / first,
            each / first_each,
            verdict(&checker.check(&mesh), count),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_and_a_sound_mesh_is_called_so() {
        let mut mesh = Mesh {
            points: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            normals: vec![
                [-0.577; 3],
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
            ],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        let say = |mesh: &Mesh| verdict(&Checker::default().check(mesh), mesh.triangles.len());
        assert_eq!(say(&mesh), "closed, manifold, wound outwards");
        mesh.triangles[3].swap(1, 2);
        let said = say(&mesh);
        assert!(
            said.contains("edges along one way") && said.contains("1 flipped (25.00 %)"),
            "{said}"
        );
        mesh.triangles.pop();
        assert!(say(&mesh).contains("3 open edges"), "{}", say(&mesh));
    }
}
