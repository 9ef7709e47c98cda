//! The log of events: one line each, comma-separated.

use std::fmt::{Display, Write};

/// A log of events; see the module.
pub struct Log(String);

impl Log {
    /// Makes a log with the names of the columns only.
    pub fn new() -> Self {
        Self("time_s,type,objects,queue,certificates,external\n".into())
    }

    /// Adds an event: time, kind, objects, and the length of the queue and the number of live
    /// certificates after it.
    pub fn event(
        &mut self,
        time: f64,
        kind: &str,
        objects: impl IntoIterator<Item = impl Display>,
        [queue, certificates]: [u64; 2],
        external: bool,
    ) {
        let mut names = String::new();
        for object in objects {
            let gap = if names.is_empty() { "" } else { " " };
            let _ = write!(names, "{gap}{object}");
        }
        let external = u8::from(external);
        let _ = writeln!(
            self.0,
            "{time},{kind},{names},{queue},{certificates},{external}"
        );
    }

    /// Returns the content of the file.
    pub fn text(&self) -> String {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_lines() {
        let mut log = Log::new();
        log.event(0.5, "swap", [3, 1], [4, 7], true);
        log.event(0.75, "x", ["0.1"], [0, 2], false);
        assert_eq!(
            log.text(),
            "time_s,type,objects,queue,certificates,external\n0.5,swap,3 1,4,7,1\n0.75,x,0.1,0,2,0\n"
        );
    }
}
