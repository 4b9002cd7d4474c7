//! Framing of a Cap'n Proto message: its segments, and the traversal limits that bound the work on untrusted messages.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use tiledb_core::error::{Error, Result, bail};
use tiledb_core::memory;

/// Maximum number of segments; messages with more are rejected.
const MOST_SEGMENTS: usize = 512;

/// Traversal limits of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum bytes reached by following pointers, counted each time a pointer is followed.
    pub bytes: u64,
    /// Maximum nesting depth of structs and lists.
    pub depth: u16,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 2 << 30, depth: 64 }
    }
}

/// A message: a segment table, followed by the segments.
pub(crate) struct Message<'a> {
    bytes: Cow<'a, [u8]>,
    /// Start of each segment, and its length in words.
    segments: Vec<(usize, u32)>,
    used: usize,
    left: AtomicU64,
    limits: Limits,
}

impl<'a> Message<'a> {
    /// Reads the message at the start of these bytes; what follows is not examined.
    ///
    /// # Errors
    /// If there are fewer bytes than the segment table states.
    pub(crate) fn read(bytes: impl Into<Cow<'a, [u8]>>, limits: Limits) -> Result<Message<'a>> {
        let bytes = bytes.into();
        let (segments, used) = table(&bytes)?;
        Ok(Message { bytes, segments, used, left: AtomicU64::new(limits.bytes), limits })
    }

    /// The bytes that the message takes.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// The message as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    /// The bytes after the message.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.used..).unwrap_or_default()
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    pub(super) fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// The words of a segment.
    pub(super) fn words(&self, segment: u32) -> Option<u32> {
        self.segments.get(segment as usize).map(|(_, words)| *words)
    }

    /// Bytes of a segment, `None` if they are not all there.
    pub(super) fn bytes_at(&self, segment: u32, first: usize, count: usize) -> Option<&[u8]> {
        let &(start, words) = self.segments.get(segment as usize)?;
        let end = first.checked_add(count).filter(|end| *end <= words as usize * 8)?;
        self.bytes.get(start + first..start + end)
    }

    /// A word of a segment.
    pub(super) fn word(&self, segment: u32, word: u32) -> Option<u64> {
        let bytes = self.bytes_at(segment, word as usize * 8, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Counts bytes against the limit before they are read.
    pub(super) fn spend(&self, bytes: u64) -> bool {
        let taken = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.is_ok()
    }
}

/// The table of segments, and where the last of them ends.
fn table(bytes: &[u8]) -> Result<(Vec<(usize, u32)>, usize)> {
    let number = |at: usize| -> Result<u32> {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or_else(|| Error::corrupt("The message ends inside the table of its segments"))
    };
    let count = number(0)? as usize;
    if count >= MOST_SEGMENTS {
        bail!(Corrupt, "The message is in {} segments, more than {MOST_SEGMENTS}", count as u64 + 1);
    }
    let count = count + 1;
    let mut segments = memory::with_capacity("segments of a message", count)?;
    let mut at = (4 + 4 * count).next_multiple_of(8);
    for segment in 0..count {
        let words = number(4 + 4 * segment)?;
        segments.push((at, words));
        at = at.saturating_add(words as usize * 8);
        if at > bytes.len() {
            bail!(Corrupt, "The message ends inside segment {segment}: {} bytes of {at} are there", bytes.len());
        }
    }
    Ok((segments, at))
}
