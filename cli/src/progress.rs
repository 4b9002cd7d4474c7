//! Progress of long work, and Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::tiledb::{Context, Error, Result};

/// A bar on the error output if that is a terminal, and the wish to stop.
pub struct Progress {
    bar: ProgressBar,
    is_stopped: Arc<AtomicBool>,
}

impl Progress {
    /// Begins; Ctrl-C ends what runs in the context from now on.
    pub fn new(ctx: &Context, what: &str) -> Result<Self> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let (stop, context) = (Arc::clone(&is_stopped), ctx.clone());
        let handler = move || {
            stop.store(true, Ordering::SeqCst);
            context.cancel();
        };
        ctrlc::set_handler(handler).map_err(|error| Error::failed(format!("Ctrl-C cannot be caught: {error}")))?;
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {eta}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what.to_owned());
        Ok(Self { bar, is_stopped })
    }

    /// Says what is done now.
    pub fn about(&self, what: &str) {
        self.bar.reset();
        self.bar.set_message(what.to_owned());
    }

    /// Shows how far it is; false when it shall stop.
    pub fn tell(&self, done: u64, total: u64) -> bool {
        self.bar.set_length(total);
        self.bar.set_position(done);
        !self.is_stopped()
    }

    /// Ends the bar; an error that came of Ctrl-C says so.
    pub fn end<T>(&self, result: Result<T>) -> Result<T> {
        self.bar.finish_and_clear();
        result.map_err(|error| if self.is_stopped() { Error::Stopped } else { error })
    }

    /// Whether somebody pressed Ctrl-C.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }
}
