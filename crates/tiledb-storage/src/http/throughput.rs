//! Minimum throughput of a connection, and a limit of received bytes that carry no content.
//!
//! A read timeout alone does not bound a transfer: a peer that sends one byte just before each timeout would be awaited
//! forever, and so would one that sends headers, interim responses or trailers without end.

use std::cell::Cell;
use std::io;
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::unversioned::transport::{Buffers, NextTimeout, Transport};

/// Maximum window over which throughput is measured.
const WINDOW: Duration = Duration::from_secs(15);

/// If the read timeout is longer than the window (a server may compute for long between two parts of a response), one
/// wait counts as at most this fraction of the window.
const PART: u32 = 8;

/// Maximum number of bytes of headers, interim responses, chunk sizes and trailers without any body bytes.
const MOST_QUIET: usize = 256 << 10;

thread_local! {
    /// Bytes received during the current read on this thread.
    static QUIET: Cell<usize> = const { Cell::new(0) };
}

/// Must be called before each read of a response: resets the count of bytes without content.
pub(super) fn begin() {
    QUIET.set(0);
}

/// Minimum throughput in either direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct MinThroughput {
    /// Bytes per second; 0 disables the check.
    rate: u64,
    window: Duration,
    /// Maximum time that one wait counts as.
    longest: Duration,
}

impl MinThroughput {
    /// `rate` bytes per second; `progress` is the read timeout (zero for none).
    pub(super) fn new(rate: u64, progress: Duration) -> MinThroughput {
        let is_patient = progress.is_zero() || progress > WINDOW;
        let window = if is_patient { WINDOW } else { progress };
        MinThroughput { rate, window, longest: if is_patient { window / PART } else { Duration::MAX } }
    }
}

/// Measures the throughput in one direction of a connection.
#[derive(Debug)]
pub(super) struct ThroughputMeter {
    pace: MinThroughput,
    /// No bytes were transferred yet in this direction.
    is_new: bool,
    waited: Duration,
    bytes: u64,
}

impl ThroughputMeter {
    pub(super) fn new(pace: MinThroughput) -> ThroughputMeter {
        ThroughputMeter { pace, is_new: true, waited: Duration::ZERO, bytes: 0 }
    }

    /// Restarts the measurement when the direction changes.
    pub(super) fn restart(&mut self) {
        *self = ThroughputMeter::new(self.pace);
    }

    /// Counts transferred bytes and the time that was spent waiting for them.
    ///
    /// # Errors
    /// If too few were moved in a window of time.
    pub(super) fn count(&mut self, bytes: usize, waited: Duration) -> io::Result<()> {
        // The first wait is for the server to respond.
        if std::mem::replace(&mut self.is_new, false) {
            return Ok(());
        }
        self.waited = self.waited.saturating_add(waited.min(self.pace.longest));
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.waited < self.pace.window {
            return Ok(());
        }
        let (moved, seconds) = (self.bytes, self.waited.as_secs_f64());
        (self.waited, self.bytes) = (Duration::ZERO, 0);
        if moved as f64 >= self.pace.rate as f64 * seconds {
            return Ok(());
        }
        let text = format!(
            "too slow: {moved} bytes in {seconds:.0} s, at least {} a second are expected ('vfs.min_throughput', \
             'rest.min_throughput')",
            self.pace.rate
        );
        Err(io::Error::new(io::ErrorKind::TimedOut, text))
    }
}

/// A transport that enforces the minimum throughput and a bounded size of headers and trailers.
#[derive(Debug)]
pub(super) struct MeteredTransport<T> {
    inner: T,
    meter: ThroughputMeter,
}

impl<T> MeteredTransport<T> {
    pub(super) fn new(inner: T, pace: MinThroughput) -> MeteredTransport<T> {
        MeteredTransport { inner, meter: ThroughputMeter::new(pace) }
    }
}

impl<T: Transport> Transport for MeteredTransport<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.meter.restart();
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if QUIET.get() >= MOST_QUIET {
            let text = format!("more than {MOST_QUIET} bytes of headers or trailers");
            return Err(Error::Io(io::Error::new(io::ErrorKind::InvalidData, text)));
        }
        let (before, begun) = (self.inner.buffers().input().len(), Instant::now());
        let has_more = self.inner.await_input(timeout)?;
        let came = self.inner.buffers().input().len().saturating_sub(before);
        QUIET.set(QUIET.get().saturating_add(came));
        self.meter.count(came, begun.elapsed()).map_err(Error::Io)?;
        Ok(has_more)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the arrival at which it is too slow.
    fn ends(pace: MinThroughput, bytes: usize, wait: Duration) -> Option<usize> {
        let mut meter = ThroughputMeter::new(pace);
        (1..10_000).find(|_| meter.count(bytes, wait).is_err())
    }

    #[test]
    fn a_trickle_ends_and_what_is_slow_does_not() {
        let seconds = Duration::from_secs;
        let (brief, patient) = (MinThroughput::new(100, seconds(3)), MinThroughput::new(100, seconds(3600)));
        assert_eq!(ends(brief, 1, Duration::from_millis(2500)), Some(3));
        assert_eq!(ends(patient, 1, Duration::from_millis(2500)), Some(9));
        assert_eq!(ends(patient, 1, seconds(3000)), Some(9));
        // Results that a server computes for long, each in one piece.
        assert_eq!(ends(patient, 400, seconds(3000)), None);
        assert_eq!(ends(brief, 300, seconds(2)), None);
        assert_eq!(ends(MinThroughput::new(0, seconds(3)), 1, seconds(2)), None);
        assert_eq!(ends(brief, 1, Duration::ZERO), None, "what is there already");
    }
}
