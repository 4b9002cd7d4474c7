//! Detects unterminated quotes of a CSV file while it is read.
//!
//! The `csv` crate accepts a file that ends within quotes: the last cell contains the rest of the file. This module
//! runs the same automaton in parallel, so that the error message can state the line of the opening quote.

use std::cell::Cell;
use std::io::{Error, Read, Result};
use std::rc::Rc;

/// Longer rows are not read: in a file that opens a quote and never closes it, all the rest is one.
const MAX_ROW: u64 = 1 << 30;

/// State of the automaton: position of the next byte within a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before its first byte.
    Start,
    /// In an unquoted cell, or after closing quotes.
    Plain,
    Quoted,
    /// After a quote within quotes: it closes them, unless another one follows.
    QuoteInQuoted,
}

/// State of the file so far.
#[derive(Default)]
pub(super) struct Quotes {
    /// The line of the quote that is open.
    open: Cell<Option<u64>>,
    has_ended: Cell<bool>,
}

impl Quotes {
    /// The line where the quote was opened in which the file ends; none before it was read to its end.
    pub(super) fn unterminated(&self) -> Option<u64> {
        self.open.get().filter(|_| self.has_ended.get())
    }
}

/// Hands on what it reads.
pub(super) struct QuoteTracker<R> {
    source: R,
    delimiter: u8,
    state: State,
    line: u64,
    /// Bytes of this row.
    row: u64,
    /// Bytes of the byte-order mark at the start of the file, which belongs to no cell.
    mark: usize,
    quotes: Rc<Quotes>,
}

const MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

impl<R: Read> QuoteTracker<R> {
    /// A reader that tracks the quotes of a source, and the shared result.
    pub(super) fn new(source: R, delimiter: u8) -> (Self, Rc<Quotes>) {
        let quotes = Rc::new(Quotes::default());
        let tracker =
            Self { source, delimiter, state: State::Start, line: 1, row: 0, mark: 0, quotes: Rc::clone(&quotes) };
        (tracker, quotes)
    }

    fn follow(&mut self, byte: u8) {
        if self.mark < MARK.len() {
            self.mark = if MARK[self.mark] == byte { self.mark + 1 } else { MARK.len() };
            if byte >= 0x80 {
                return;
            }
        }
        self.row += 1;
        if byte == b'\n' {
            self.line += 1;
        }
        self.state = match (self.state, byte) {
            (State::Quoted, b'"') => State::QuoteInQuoted,
            (State::Quoted, _) => State::Quoted,
            (State::QuoteInQuoted, b'"') => State::Quoted,
            (State::Start, b'"') => {
                self.quotes.open.set(Some(self.line));
                State::Quoted
            }
            (_, b'\n' | b'\r') => {
                self.row = 0;
                State::Start
            }
            (_, byte) if byte == self.delimiter => State::Start,
            _ => State::Plain,
        };
    }
}

impl<R: Read> Read for QuoteTracker<R> {
    fn read(&mut self, place: &mut [u8]) -> Result<usize> {
        let size = self.source.read(place)?;
        for &byte in &place[..size] {
            self.follow(byte);
        }
        let has_ended = size == 0 && !place.is_empty();
        // A quote within quotes may be followed by another one, unless this is the end.
        let is_open = self.state == State::Quoted || (self.state == State::QuoteInQuoted && !has_ended);
        if !is_open {
            self.quotes.open.set(None);
        }
        self.quotes.has_ended.set(has_ended);
        if self.row > MAX_ROW {
            let open = self.quotes.open.get();
            let quote = open.map_or(String::new(), |line| format!("; a quote was opened in line {line}"));
            return Err(Error::other(format!("line {}: the row has more than 1 GiB{quote}", self.line)));
        }
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of an unterminated quote of a text that is read in pieces of `piece` bytes.
    fn open_line(text: &str, piece: usize) -> Option<u64> {
        let (mut tracker, quotes) = QuoteTracker::new(text.as_bytes(), b',');
        let mut place = vec![0; piece];
        while tracker.read(&mut place).is_ok_and(|size| size > 0) {
            assert_eq!(quotes.unterminated(), None);
        }
        quotes.unterminated()
    }

    #[test]
    fn open_quotes_are_found() {
        for (text, line) in [
            ("", None),
            ("a,b\n1,2\n", None),
            ("\"a\",\"b\"\n\"1\n2\",\"\"\n", None),
            ("a,\"b\"\"\"", None),
            ("a,b\"c\nd\"", None),
            ("a,\"b\"c\"\n1,2", None),
            ("\"", Some(1)),
            ("a\n\"1\n2\n3", Some(2)),
            ("a,b\n1,\"x\"\"\n2,3\n", Some(2)),
            ("a,b\r\n\r\n1,\"", Some(3)),
            ("\u{feff}\"a\nb", Some(1)),
            ("\u{feff}\"a\"\nb", None),
            ("\"a\n\",\"b", Some(2)),
        ] {
            for piece in 1..=text.len().max(1) {
                assert_eq!(open_line(text, piece), line, "{text:?} by {piece}");
            }
        }
    }
}
