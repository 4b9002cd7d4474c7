//! Progress bar of long operations, and cancellation by signals such as Ctrl-C.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use tiledb::Context;

use crate::model::{Error, Result};
use crate::output::{complain, escape, is_quiet, remove_partial};
use crate::signals;

/// Time that cancelled work may take to end.
const PATIENCE: Duration = Duration::from_millis(500);
/// Interval at which a wait checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// A progress bar on standard error if that is a terminal, and the cancellation flag.
pub(crate) struct Progress {
    bar: ProgressBar,
    is_stopped: Arc<AtomicBool>,
}

impl Progress {
    /// Starts; a signal that stops programs cancels operations of the context from now on.
    pub(crate) fn new(ctx: &Context, what: &str) -> Result<Self> {
        Self::with(ctx, bar(what), || ())
    }

    /// Starts a read-only operation. While output blocks, a signal ends the process.
    pub(crate) fn of_look(ctx: &Context, what: &str) -> Result<Self> {
        Self::with(ctx, bar(what), end_soon)
    }

    /// Starts a read-only operation that prints continuously: without a bar.
    pub(crate) fn quiet(ctx: &Context) -> Result<Self> {
        Self::with(ctx, ProgressBar::hidden(), end_soon)
    }

    /// Starts an operation that goes on until it is stopped, which is no failure: without a bar.
    pub(crate) fn quiet_until_stopped(ctx: &Context) -> Result<Self> {
        Self::with(ctx, ProgressBar::hidden(), || ())
    }

    /// Waits; false if the tool is stopped meanwhile.
    pub(crate) fn pause(&self, duration: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < duration && !self.is_stopped() {
            std::thread::sleep(LOOK.min(duration));
        }
        !self.is_stopped()
    }

    /// Without a bar and without cancellation.
    pub(crate) fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), is_stopped: Arc::default() }
    }

    fn with(ctx: &Context, bar: ProgressBar, then: impl Fn() + Send + 'static) -> Result<Self> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (stop, context) = (Arc::clone(&is_stopped), ctx.clone());
        let handler = move || {
            stop.store(true, Ordering::SeqCst);
            context.cancel();
            then();
        };
        signals::on_stop(handler).map_err(|error| Error::failed(format!("signals cannot be caught: {error}")))?;
        Ok(Self { bar, is_stopped })
    }

    /// A pipe such as the standard input, which ends with an error when the tool is stopped while nothing comes.
    pub(crate) fn input<R: Read + Send + 'static>(&self, mut input: R) -> impl Read + use<R> {
        let (send, received) = sync_channel(4);
        std::thread::spawn(move || {
            loop {
                let mut bytes = vec![0; 1 << 18];
                let read = input.read(&mut bytes).map(|size| bytes.truncate(size));
                let is_last = read.is_err() || bytes.is_empty();
                if send.send(read.map(|()| bytes)).is_err() || is_last {
                    break;
                }
            }
        });
        Input { received, is_stopped: Arc::clone(&self.is_stopped), held: Vec::new(), taken: 0 }
    }

    /// Sets the current operation.
    pub(crate) fn about(&self, what: &str) {
        self.bar.reset();
        self.bar.set_message(escape(what).into_owned());
    }

    /// Updates the bar; false if cancelled.
    pub(crate) fn update(&self, done: u64, total: u64) -> bool {
        self.bar.set_length(total);
        self.bar.set_position(done);
        !self.is_stopped()
    }

    /// Updates the bar for an operation of the crate, and stops it if cancelled.
    pub(crate) fn report(&self, progress: tiledb::Progress) -> ControlFlow<()> {
        if self.update(progress.done, progress.total) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Ends the bar; an error caused by a signal is reported as such.
    pub(crate) fn end<T>(&self, result: std::result::Result<T, impl Into<Error>>) -> Result<T> {
        self.bar.finish_and_clear();
        result.map_err(|error| if self.is_stopped() { Error::Stopped } else { error.into() })
    }

    /// Whether a signal stopped the tool.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }
}

fn bar(what: &str) -> ProgressBar {
    if is_quiet() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {eta}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what.to_owned());
    bar
}

/// Ends the process if it does not end by itself.
fn end_soon() {
    std::thread::sleep(PATIENCE);
    complain(&Error::Stopped.to_string());
    remove_partial();
    std::process::exit(signals::exit_code().into());
}

/// Reads a pipe in a thread, so that it can be cancelled.
struct Input {
    received: Receiver<std::io::Result<Vec<u8>>>,
    is_stopped: Arc<AtomicBool>,
    held: Vec<u8>,
    taken: usize,
}

impl Read for Input {
    fn read(&mut self, place: &mut [u8]) -> std::io::Result<usize> {
        while self.taken == self.held.len() {
            if self.is_stopped.load(Ordering::SeqCst) {
                return Err(std::io::Error::other("stopped"));
            }
            match self.received.recv_timeout(LOOK) {
                Ok(bytes) => (self.held, self.taken) = (bytes?, 0),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            }
            if self.held.is_empty() {
                return Ok(0);
            }
        }
        let size = (&self.held[self.taken..]).read(place)?;
        self.taken += size;
        Ok(size)
    }
}
