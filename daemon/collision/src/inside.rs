//! Reports which tools are inside of bodies. A body in which a tool starts, or that is placed
//! around it, exerts nothing until the tool has moved out, and the user has to know why.

use std::collections::{HashMap, VecDeque};

use hapticd_proxy::{MAX_ARMS, tool_id};

use crate::command::{Applied, SceneCommand};
use hapticd_loop::record::TickRecord;

/// An overlap that ends sooner is not reported: a body placed around a tool and removed again.
const REPORT_AFTER_NS: u64 = 100_000_000;
/// Names of removed bodies that are kept, since records may refer to them for a while.
const REMOVED: usize = 256;

/// A change of an arm's tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The tool has been inside this body for a while.
    Inside(String),
    /// The tool has left the body that it was reported to be inside of.
    Out(String),
}

impl Change {
    /// Text for a log or a list of events.
    pub fn text(&self, arm: &str) -> String {
        match self {
            Change::Inside(body) => format!(
                "{arm}: the tool is inside `{body}`, which exerts no force: move the tool out"
            ),
            Change::Out(body) => format!("{arm}: the tool is out of `{body}`"),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Tool {
    /// Id of the body that the tool is inside of, and since when, ns.
    since: Option<(u32, u64)>,
    told: Option<String>,
}

/// Watches the tools for overlaps: see the module documentation. Not for the real-time thread.
pub struct InsideWatch {
    names: HashMap<u32, String>,
    removed: VecDeque<u32>,
    tools: [Tool; MAX_ARMS],
}

impl InsideWatch {
    /// Watches these bodies, by client-visible id, and the tools of these arms.
    pub fn new(bodies: impl Iterator<Item = (u32, String)>, arms: &[String]) -> Self {
        let tools = (arms.iter().enumerate()).map(|(i, a)| (tool_id(i), format!("tool of {a}")));
        InsideWatch {
            names: bodies.chain(tools).collect(),
            removed: VecDeque::new(),
            tools: Default::default(),
        }
    }

    /// Follows a body that was added or removed.
    pub fn follow(&mut self, applied: &Applied) {
        match &applied.command {
            SceneCommand::Add(spec) => {
                self.names.insert(applied.id, spec.name.clone());
            }
            SceneCommand::Remove { id } => {
                self.removed.push_back(*id);
                if self.removed.len() > REMOVED
                    && let Some(oldest) = self.removed.pop_front()
                {
                    self.names.remove(&oldest);
                }
            }
            _ => {}
        }
    }

    /// Name of the body that an arm's tool is inside of.
    pub fn body(&self, record: &TickRecord, arm: usize) -> Option<String> {
        let tick = record.arms.get(arm).filter(|tick| tick.attached)?;
        self.named(tick.inside_body)
    }

    /// Name of the body that an arm holds.
    pub fn held(&self, record: &TickRecord, arm: usize) -> Option<String> {
        let tick = record.arms.get(arm).filter(|tick| tick.attached)?;
        self.named(tick.grasped)
    }

    fn named(&self, id: u32) -> Option<String> {
        let id = Some(id).filter(|id| *id > 0)?;
        let name = self.names.get(&id).cloned();
        Some(name.unwrap_or_else(|| format!("body {id}")))
    }

    /// Returns the change to report for an arm after this tick.
    pub fn change(&mut self, record: &TickRecord, arm: usize) -> Option<Change> {
        let body = self.body(record, arm);
        let id = record.arms.get(arm)?.inside_body;
        let tool = self.tools.get_mut(arm)?;
        let Some(body) = body else {
            tool.since = None;
            return tool.told.take().map(Change::Out);
        };
        let since = match tool.since {
            Some((same, since)) if same == id => since,
            _ => tool.since.insert((id, record.now_ns)).1,
        };
        let long = record.now_ns.saturating_sub(since) >= REPORT_AFTER_NS;
        if long && tool.told.is_none() {
            tool.told = Some(body.clone());
            return Some(Change::Inside(body));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports over this many ticks of 1 ms in which the tool is inside of a body with this id.
    fn told(watch: &mut InsideWatch, from: &mut u64, ticks: u64, id: u32) -> Vec<String> {
        let mut all = Vec::new();
        for _ in 0..ticks {
            *from += 1;
            let mut record = TickRecord::new();
            record.now_ns = *from * 1_000_000;
            record.arms[0].attached = true;
            record.arms[0].inside_body = id;
            all.extend(watch.change(&record, 0).map(|c| c.text("right")));
        }
        all
    }

    #[test]
    fn inside_and_out_are_told_once_by_name() {
        let bodies = [(1, "box".to_owned())].into_iter();
        let mut watch = InsideWatch::new(bodies, &["right".to_owned(), "left".to_owned()]);
        let now = &mut 0;
        let inside = |what: &str| {
            format!("right: the tool is inside `{what}`, which exerts no force: move the tool out")
        };
        assert_eq!(told(&mut watch, now, 1000, 1), [inside("box")]);
        assert_eq!(
            told(&mut watch, now, 10, 0),
            ["right: the tool is out of `box`"]
        );
        let other = tool_id(1);
        assert_eq!(told(&mut watch, now, 500, other), [inside("tool of left")]);
        assert_eq!(told(&mut watch, now, 1, 0).len(), 1);
        // Over at once: nothing is reported.
        assert!(told(&mut watch, now, 90, 1).is_empty());
        assert!(told(&mut watch, now, 90, 0).is_empty());
    }
}
