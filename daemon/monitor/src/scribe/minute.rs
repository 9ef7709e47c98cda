//! One log line per minute: what the loop missed and what was lost, by cause.

use hapticd_loop::record::{Blame, TickRecord};

/// Length of a minute, ns.
const MINUTE_NS: u64 = 60_000_000_000;

/// Counts of the minute under way, by the loop's time.
#[derive(Clone, Debug, Default)]
pub struct Minute {
    began_ns: Option<u64>,
    last_tick: u64,
    ticks: u64,
    by_loop: u64,
    by_device: u64,
    late_samples: u64,
    late_answers: u64,
    lost_records: u64,
    /// Ticks that the deformables did not simulate since the start: now, and at the start of the
    /// minute.
    soft_lost: (u64, u64),
}

impl Minute {
    /// Takes one tick and the number of ticks that the deformables did not simulate since
    /// the start. Logs when the minute is over.
    pub fn tick(&mut self, record: &TickRecord, soft_lost: u64) {
        let began_ns = *self.began_ns.get_or_insert(record.now_ns);
        if record.now_ns.saturating_sub(began_ns) >= MINUTE_NS {
            self.tell();
            *self = Minute {
                began_ns: Some(record.now_ns),
                last_tick: self.last_tick,
                soft_lost: (self.soft_lost.0, self.soft_lost.0),
                ..Minute::default()
            };
        }
        if self.last_tick > 0 {
            self.lost_records += record.tick.saturating_sub(self.last_tick + 1);
        }
        self.last_tick = record.tick;
        self.soft_lost.0 = self.soft_lost.0.max(soft_lost);
        self.ticks += 1;
        let skipped = u64::from(record.periods.saturating_sub(1));
        match record.blame {
            Blame::Device if skipped > 0 => self.by_device += skipped,
            Blame::Device => self.late_samples += 1,
            Blame::Collision => self.late_answers += 1,
            Blame::Loop | Blame::None => self.by_loop += skipped,
        }
    }

    fn tell(&self) {
        let deformable = self.soft_lost.0 - self.soft_lost.1;
        let missed = self.by_loop + self.by_device;
        let line = format!(
            "last minute: {} ticks; {missed} periods missed (loop {}, device {}); \
             {} ticks with late answers, {} with late samples; {} records and {deformable} ticks of the deformables lost",
            self.ticks,
            self.by_loop,
            self.by_device,
            self.late_answers,
            self.late_samples,
            self.lost_records
        );
        let event = "minute";
        if missed + self.late_answers + self.late_samples + self.lost_records + deformable > 0 {
            tracing::warn!(event, "{line}");
        } else {
            tracing::info!(event, "{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{LogFormat, logged};

    #[test]
    fn each_minute_is_summed_up_once_by_cause() {
        let said = logged(LogFormat::Journal, || {
            let mut minute = Minute::default();
            for k in 0..130_000_u64 {
                let mut record = TickRecord::new();
                (record.tick, record.now_ns) = (k + 1, k * 1_000_000);
                // Two records are lost in the first minute; everything late or missed belongs to
                // the second.
                if k == 100 || k == 101 {
                    continue;
                }
                (record.blame, record.periods) = match k {
                    70_000 => (Blame::Loop, 4),
                    70_001 => (Blame::Device, 2),
                    70_002..70_005 => (Blame::Device, 1),
                    70_005..70_010 => (Blame::Collision, 1),
                    _ => (Blame::None, 1),
                };
                minute.tick(&record, if k < 80_000 { 7 } else { 16 });
            }
        });
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(
            lines,
            [
                "<4>last minute: 59998 ticks; 0 periods missed (loop 0, device 0); \
                 0 ticks with late answers, 0 with late samples; 2 records and 7 ticks of the deformables lost",
                "<4>last minute: 60000 ticks; 4 periods missed (loop 3, device 1); \
                 5 ticks with late answers, 3 with late samples; 0 records and 9 ticks of the deformables lost",
            ]
        );
    }
}
