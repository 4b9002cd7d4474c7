//! What is fetched of a file ahead, and who waits for it.

use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};

use tiledb_core::error::Result;
use tiledb_core::fork::PerProcess;
use tiledb_core::memory;

/// What is fetched at a time.
pub(super) struct Window {
    most: u64,
    /// The bytes that are held or coming, and whether all is over.
    state: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl Window {
    /// Room for about so many bytes.
    pub(super) fn new(most: u64) -> Window {
        Window { most, state: Mutex::new((0, false)), changed: Condvar::new() }
    }

    /// Ends all waiting: what is not fetched yet is not wanted any more.
    pub(super) fn close(&self) {
        self.change(|state| state.1 = true);
    }

    fn state(&self) -> MutexGuard<'_, (u64, bool)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until so many bytes more may be held, and counts them; false once all is over.
    pub(super) fn enter(&self, bytes: u64) -> bool {
        let mut state = self.state();
        while !state.1 && state.0 > 0 && state.0.saturating_add(bytes) > self.most {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.0 += bytes;
        !state.1
    }

    fn change(&self, change: impl FnOnce(&mut (u64, bool))) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

/// A part of a file.
pub(super) struct Piece {
    pub(super) range: Range<u64>,
    state: Mutex<State>,
    changed: Condvar,
    window: Arc<Window>,
}

enum State {
    /// Nobody fetches it yet; so many of its bytes are wanted.
    Idle(u64),
    Coming,
    /// So many of its bytes were not read yet.
    Here(Vec<u8>, u64),
    /// It was read, or could not be fetched.
    Gone,
}

/// Fetches bytes from an offset on.
pub(super) type Get<'g> = &'g dyn Fn(u64, &mut [u8]) -> Result<()>;

impl Piece {
    /// A part of which so many bytes are wanted.
    pub(super) fn new(range: Range<u64>, wanted: u64, window: &Arc<Window>) -> Piece {
        let (state, changed) = (Mutex::new(State::Idle(wanted)), Condvar::new());
        Piece { range, state, changed, window: Arc::clone(window) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn len(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Fetches it when there is room for it, unless somebody does or did; false once all is over.
    pub(super) fn bring_in_turn(&self, get: Get<'_>) -> bool {
        if !self.window.enter(self.len()) {
            return false;
        }
        match self.claim() {
            // Whoever reads it tells of a failure.
            Some(wanted) => _ = self.fetch(wanted, get),
            None => self.window.change(|state| state.0 -= self.len()),
        }
        true
    }

    /// Fetches it now unless somebody does or did: it is being waited for.
    fn bring(&self, get: Get<'_>) -> Result<()> {
        let Some(wanted) = self.claim() else { return Ok(()) };
        self.window.change(|state| state.0 += self.len());
        self.fetch(wanted, get)
    }

    /// How much of it is wanted, for the one who fetches it.
    fn claim(&self) -> Option<u64> {
        let mut state = self.state();
        let State::Idle(wanted) = *state else { return None };
        *state = State::Coming;
        Some(wanted)
    }

    /// Fetches it; the window has counted it.
    fn fetch(&self, wanted: u64, get: Get<'_>) -> Result<()> {
        let len = usize::try_from(self.len()).unwrap_or(usize::MAX);
        let fetched = memory::zeroed("what is fetched ahead", len)
            .and_then(|mut bytes| get(self.range.start, &mut bytes).map(|()| bytes));
        let (state, fetched) = match fetched {
            Ok(bytes) => (State::Here(bytes, wanted), Ok(())),
            Err(error) => (State::Gone, Err(error)),
        };
        *self.state() = state;
        self.changed.notify_all();
        if fetched.is_err() {
            self.window.change(|state| state.0 -= self.len());
        }
        fetched
    }

    /// Copies bytes that it holds, which it fetches or waits for if need be; false where it is gone.
    fn copy(&self, offset: u64, out: &mut [u8], get: Get<'_>) -> Result<bool> {
        self.bring(get)?;
        let mut state = self.state();
        loop {
            match &mut *state {
                State::Here(bytes, left) => {
                    let start = (offset - self.range.start) as usize;
                    let Some(found) = bytes.get(start..start + out.len()) else { return Ok(false) };
                    out.copy_from_slice(found);
                    *left = left.saturating_sub(out.len() as u64);
                    if *left == 0 {
                        let len = bytes.len() as u64;
                        *state = State::Gone;
                        self.window.change(|state| state.0 -= len);
                    }
                    return Ok(true);
                }
                State::Gone => return Ok(false),
                State::Idle(_) | State::Coming => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// What one read fetches of a file, in the order of the file.
pub(super) type Pieces = Arc<Vec<Piece>>;

/// The pieces that hold a range; none where they do not hold all of it.
fn holding(pieces: &[Piece], range: Range<u64>) -> &[Piece] {
    let first = pieces.partition_point(|piece| piece.range.end <= range.start);
    let count = pieces[first..].iter().take_while(|piece| piece.range.start < range.end).count();
    let found = &pieces[first..first + count];
    let (Some(begin), Some(end)) = (found.first(), found.last()) else { return &[] };
    let is_whole = found.windows(2).all(|two| two[0].range.end == two[1].range.start);
    if is_whole && begin.range.start <= range.start && range.end <= end.range.end { found } else { &[] }
}

/// The parts of one file that are fetched ahead, for each who reads it.
#[derive(Default)]
pub struct RangeCache(PerProcess<RwLock<Vec<Pieces>>>);

impl RangeCache {
    /// Nobody goes on in a forked child with what a thread of the parent began.
    fn pieces(&self) -> &RwLock<Vec<Pieces>> {
        self.0.get_or_init(RwLock::default)
    }

    /// Reads from them; false where they do not hold all that is asked for.
    pub(super) fn read(&self, offset: u64, out: &mut [u8], get: Get<'_>) -> Result<bool> {
        let end = offset.saturating_add(out.len() as u64);
        let known: Vec<Pieces> = self.pieces().read().unwrap_or_else(PoisonError::into_inner).clone();
        for pieces in &known {
            let found = holding(pieces, offset..end);
            let (mut rest, mut at) = (&mut *out, offset);
            for piece in found {
                let (now, later) = std::mem::take(&mut rest).split_at_mut((piece.range.end.min(end) - at) as usize);
                if !piece.copy(at, now, get)? {
                    break;
                }
                at += now.len() as u64;
                rest = later;
            }
            if !found.is_empty() && at == end {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether nothing is fetched ahead.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.pieces().read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    pub(super) fn add(&self, pieces: &Pieces) {
        self.pieces().write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(pieces));
    }

    pub(super) fn remove(&self, pieces: &Pieces) {
        self.pieces().write().unwrap_or_else(PoisonError::into_inner).retain(|known| !Arc::ptr_eq(known, pieces));
    }
}
