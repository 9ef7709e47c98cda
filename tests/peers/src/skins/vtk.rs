//! VTK in a separate Python process that stays alive, so that it can take turns with the others.

use std::cell::RefCell;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use hapticd_skin::Mesh;
use serde_json::Value;

/// The process of `flying_edges.py`, queried line by line.
pub struct Process {
    child: RefCell<Child>,
    ends: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
    version: String,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// If it does not run; it has then printed the reason.
    pub fn start(python: &str) -> Result<Rc<Self>, Box<dyn Error>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("flying_edges.py");
        let mut child = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let ends = child.stdin.take().zip(child.stdout.take());
        let (to, from) = ends.ok_or("no pipes")?;
        let mut process = Self {
            child: RefCell::new(child),
            ends: RefCell::new((to, BufReader::new(from))),
            version: String::new(),
        };
        let told = process.answer()?;
        process.version = told["version"].as_str().unwrap_or("?").to_owned();
        Ok(Rc::new(process))
    }

    /// Returns the version of VTK.
    pub fn version(&self) -> &str {
        &self.version
    }

    fn answer(&self) -> Result<Value, Box<dyn Error>> {
        let mut line = String::new();
        if self.ends.borrow_mut().1.read_line(&mut line)? == 0 {
            return Err("VTK's Python ended".into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn ask(&self, question: &str) -> Result<Value, Box<dyn Error>> {
        writeln!(self.ends.borrow_mut().0, "{question}")?;
        self.answer()
    }

    /// Runs Flying Edges with normals on the chain's field, which is already in memory; returns its
    /// processor time, s.
    ///
    /// # Errors
    /// If it does not answer.
    pub fn contour(&self, cells: u32, radius_m: f64) -> Result<f64, Box<dyn Error>> {
        let answer = self.ask(&format!("{cells}:{radius_m}"))?;
        Ok(answer["normals_s"].as_f64().ok_or("no time")?)
    }

    /// Returns the mesh that it makes, without normals.
    ///
    /// # Errors
    /// If it does not answer, or its file cannot be read.
    pub fn mesh(&self, cells: u32, radius_m: f64) -> Result<Mesh, Box<dyn Error>> {
        let path = std::env::temp_dir().join(format!("hapticd-peers-{}.mesh", std::process::id()));
        let answer = self.ask(&format!("{cells}:{radius_m} {}", path.display()))?;
        let bytes = std::fs::read(&path)?;
        std::fs::remove_file(&path)?;
        let count = |what: &str| answer[what].as_u64().map(|n| n as usize);
        let (points, triangles) = count("points").zip(count("triangles")).ok_or("no counts")?;
        let words: Vec<[[u8; 4]; 3]> = bytes.as_chunks().0.as_chunks().0.to_vec();
        if words.len() != points + triangles {
            return Err(format!(
                "{} triples of {points} points and {triangles} triangles",
                words.len()
            )
            .into());
        }
        let (places, corners) = words.split_at(points);
        Ok(Mesh {
            points: places.iter().map(|p| p.map(f32::from_le_bytes)).collect(),
            normals: Vec::new(),
            triangles: corners.iter().map(|t| t.map(u32::from_le_bytes)).collect(),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that has ended needs no kill.
        let _ = self.child.borrow_mut().kill();
        let _ = self.child.borrow_mut().wait();
    }
}
