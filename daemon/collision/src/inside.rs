//! Which tools are inside of bodies, in words: a body that a tool starts in, or that is put around
//! it, exerts nothing until the tool has moved out, and a person has to know why.

use std::collections::{HashMap, VecDeque};

use hapticd_proxy::{MAX_ARMS, tool_id};

use crate::collider::{Applied, SceneCommand};
use hapticd_loop::record::TickRecord;

/// What is over sooner is not told: a body that is put around a tool and taken away again.
const TOLD_AFTER_NS: u64 = 100_000_000;
/// Names of removed bodies that are kept, since records may name them for a while.
const REMOVED: usize = 256;

/// What happened to an arm's tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is inside of this body, and has been for a while.
    Inside(String),
    /// It is out of what it was said to be inside of.
    Out(String),
}

impl Change {
    /// For a log or a list of events.
    pub fn text(&self, arm: &str) -> String {
        match self {
            Change::Inside(body) => format!(
                "{arm}: the tool is inside `{body}`, which exerts nothing until it is out: move out"
            ),
            Change::Out(body) => format!("{arm}: the tool is out of `{body}`"),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Tool {
    /// Identity of the body that it is inside of, and since when, ns.
    since: Option<(u32, u64)>,
    told: Option<String>,
}

/// See the module page. Not for the real-time thread.
pub struct InsideWatch {
    names: HashMap<u32, String>,
    removed: VecDeque<u32>,
    tools: [Tool; MAX_ARMS],
}

impl InsideWatch {
    /// Of these bodies, by their client-visible ids, and the tools of these arms.
    pub fn new(bodies: impl Iterator<Item = (u32, String)>, arms: &[String]) -> Self {
        let tools = (arms.iter().enumerate()).map(|(i, a)| (tool_id(i), format!("tool of {a}")));
        InsideWatch {
            names: bodies.chain(tools).collect(),
            removed: VecDeque::new(),
            tools: Default::default(),
        }
    }

    /// A body came or went.
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

    /// The name of the body that an arm's tool is inside of.
    pub fn body(&self, record: &TickRecord, arm: usize) -> Option<String> {
        let tick = record.arms.get(arm).filter(|tick| tick.attached)?;
        let id = Some(tick.inside_body).filter(|id| *id > 0)?;
        let name = self.names.get(&id).cloned();
        Some(name.unwrap_or_else(|| format!("body {id}")))
    }

    /// What is to be told of an arm after this tick.
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
        let long = record.now_ns.saturating_sub(since) >= TOLD_AFTER_NS;
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

    /// What is told in so many ticks of 1 ms in which the tool is inside of a body of this id.
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
            format!(
                "right: the tool is inside `{what}`, which exerts nothing until it is out: move out"
            )
        };
        assert_eq!(told(&mut watch, now, 1000, 1), [inside("box")]);
        assert_eq!(
            told(&mut watch, now, 10, 0),
            ["right: the tool is out of `box`"]
        );
        let other = tool_id(1);
        assert_eq!(told(&mut watch, now, 500, other), [inside("tool of left")]);
        assert_eq!(told(&mut watch, now, 1, 0).len(), 1);
        // Over at once: nobody is told.
        assert!(told(&mut watch, now, 90, 1).is_empty());
        assert!(told(&mut watch, now, 90, 0).is_empty());
    }
}
