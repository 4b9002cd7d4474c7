//! Timeout of a process in processor time, since the machine may be busy.

use std::time::{Duration, Instant};

/// So many times longer may it take by the clock, in which it may wait for something that never comes.
const BUSY: u32 = 12;

/// Waits for a process.
pub struct CpuTimeout {
    process: u32,
    limit: Duration,
    since: Instant,
    used: Duration,
}

impl CpuTimeout {
    /// The environment variable `TIME_FACTOR` multiplies the limit: emulated programs take many times the processor time.
    pub fn new(process: u32, limit: Duration) -> CpuTimeout {
        let factor = std::env::var("TIME_FACTOR").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1);
        CpuTimeout::within(process, limit * factor)
    }

    fn within(process: u32, limit: Duration) -> CpuTimeout {
        CpuTimeout { process, limit, since: Instant::now(), used: processor_time(process) }
    }

    /// Gives it as much again, since there was progress.
    pub fn renew(&mut self) {
        *self = CpuTimeout::within(self.process, self.limit);
    }

    pub fn is_over(&self) -> bool {
        let used = processor_time(self.process).saturating_sub(self.used);
        used > self.limit || self.since.elapsed() > self.limit * BUSY
    }
}

/// What the threads of a process used so far.
pub fn processor_time(process: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name, which may hold anything, in hundredths of a second.
    let words = stat.rsplit_once(')').map_or("", |(_, words)| words).split_whitespace();
    let ticks: u64 = words.skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}
