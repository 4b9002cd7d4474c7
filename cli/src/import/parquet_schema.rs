//! Checks how deep the schema of an untrusted Parquet file is nested.
//!
//! The `parquet` crate decodes a schema recursively: some hundred kilobytes of groups within groups would overflow the stack,
//! which no caller can catch. Therefore the schema is scanned first. It is in the footer, in Thrift's compact protocol:
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::model::Result;

use super::arrow_reader::{damaged, no_memory};

/// Maximum depth of a schema: more than that of any file that is not made to be deep.
const MAX_DEPTH: usize = 100;
/// Maximum depth of the structs of the protocol.
const MAX_STRUCTS: usize = 32;
/// Behind the footer: its length, and the letters PAR1.
const TAIL: u64 = 8;

/// Types of the compact protocol.
const BYTE: u8 = 3;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const INT32: u8 = 5;

/// Rejects a file with a schema that is nested too deeply. Other errors are left to the decoder.
pub fn check_depth(file: &mut File) -> Result<()> {
    let size = file.metadata()?.len();
    let Some(tail_at) = size.checked_sub(TAIL) else { return Ok(()) };
    let mut tail = [0; TAIL as usize];
    file.seek(SeekFrom::Start(tail_at))?;
    file.read_exact(&mut tail)?;
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let Some(footer_at) = tail_at.checked_sub(length) else { return Ok(()) };
    file.seek(SeekFrom::Start(footer_at))?;
    let mut footer = Vec::new();
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    footer.try_reserve_exact(length).map_err(|_| no_memory(length as u64))?;
    file.take(length as u64).read_to_end(&mut footer)?;
    file.seek(SeekFrom::Start(0))?;
    match is_too_deep(&footer) {
        Some(true) => Err(damaged(format!("its schema is nested more than {MAX_DEPTH} levels deep"))),
        _ => Ok(()),
    }
}

/// Whether the schema in a footer is nested too deeply; none if the footer cannot be scanned.
fn is_too_deep(footer: &[u8]) -> Option<bool> {
    /// Of the struct `FileMetaData`.
    const SCHEMA: i16 = 2;
    /// Of the struct `SchemaElement`.
    const NUM_CHILDREN: i16 = 5;
    let mut input = Compact(footer);
    let mut last = 0;
    while let Some((field, kind)) = input.field(last)? {
        last = field;
        if field != SCHEMA || kind != LIST {
            input.skip(kind, MAX_STRUCTS)?;
            continue;
        }
        let (count, kind) = input.list()?;
        // Elements that each open group still lacks.
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..count {
            let mut children = 0;
            let mut last = 0;
            if kind != STRUCT {
                return None;
            }
            while let Some((field, kind)) = input.field(last)? {
                last = field;
                match (field, kind) {
                    (NUM_CHILDREN, INT32) => children = input.number()?,
                    _ => input.skip(kind, MAX_STRUCTS)?,
                }
            }
            if let Some(lacking) = open.last_mut() {
                *lacking = lacking.saturating_sub(1);
            }
            while open.last() == Some(&0) && children <= 0 {
                open.pop();
            }
            if children > 0 {
                open.push(children as u64);
                if open.len() > MAX_DEPTH {
                    return Some(true);
                }
            }
        }
        return Some(false);
    }
    Some(false)
}

/// Bytes in the compact protocol. Every function returns none at their end.
struct Compact<'a>(&'a [u8]);

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A signed integer.
    fn number(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The number and the type of the next field of a struct; none within at the end of the struct.
    fn field(&mut self, last: i16) -> Option<Option<(i16, u8)>> {
        let head = self.byte()?;
        match (head >> 4, head & 0xf) {
            (_, 0) => Some(None),
            (0, kind) => Some(Some((i16::try_from(self.number()?).ok()?, kind))),
            (delta, kind) => Some(Some((last.checked_add(delta.into())?, kind))),
        }
    }

    /// The number and the type of the elements of a list.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { (head >> 4).into() };
        Some((count, head & 0xf))
    }

    fn advance(&mut self, length: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    /// Skips a value; at most so many levels of structs and lists.
    fn skip(&mut self, kind: u8, levels: usize) -> Option<()> {
        let levels = levels.checked_sub(1)?;
        match kind {
            // Booleans are their types.
            1 | 2 => {}
            BYTE => self.advance(1)?,
            4..=6 => _ = self.varint()?,
            7 => self.advance(8)?,
            BINARY => {
                let length = self.varint()?;
                self.advance(length)?;
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    self.skip(in_list(kind), levels)?;
                }
            }
            MAP => {
                let count = self.varint()?;
                let kinds = if count > 0 { self.byte()? } else { 0 };
                for _ in 0..count {
                    self.skip(in_list(kinds >> 4), levels)?;
                    self.skip(in_list(kinds & 0xf), levels)?;
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((field, kind)) = self.field(last)? {
                    last = field;
                    self.skip(kind, levels)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// The type of an element: booleans in lists and maps are bytes, so that each element takes a byte at least.
fn in_list(kind: u8) -> u8 {
    if kind <= 2 { BYTE } else { kind }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops at once")]
    use super::*;

    /// A footer with a column within this many groups, and one behind them.
    fn footer(depth: usize) -> Vec<u8> {
        // Fields 4 (name) and 5 (children): a group.
        let group = |children: u8| vec![0x48, 1, b'g', 0x15, 2 * children, 0];
        // Fields 1 (type) and 4 (name): a column.
        let column = [0x15, 2, 0x38, 1, b'x', 0];
        let mut elements = group(2);
        elements.extend(group(1).repeat(depth));
        elements.extend(column.repeat(2));
        let count = depth + 3;
        // Version, then the list, with a length of up to three bytes.
        let length = [(count & 0x7f) as u8 | 0x80, (count >> 7 & 0x7f) as u8 | 0x80, (count >> 14) as u8];
        [&[0x15, 2, 0x19, 0xfc][..], &length, &elements, &[0x16, 0, 0]].concat()
    }

    #[test]
    fn depth_is_limited() {
        for (depth, is_deep) in [(0, false), (1, false), (90, false), (110, true), (1_000_000, true)] {
            assert_eq!(is_too_deep(&footer(depth)), Some(is_deep), "{depth}");
        }
    }

    #[test]
    fn truncated_and_changed_footers_are_scanned() {
        let whole = footer(5);
        for end in 0..whole.len() - 1 {
            assert_ne!(is_too_deep(&whole[..end]), Some(true));
        }
        for at in 0..whole.len() {
            for byte in 0..=255 {
                let mut changed = whole.clone();
                changed[at] = byte;
                is_too_deep(&changed);
            }
        }
        // Structs within structs, and lists within lists.
        assert_eq!(is_too_deep(&[0x1c; 1000]), None);
        assert_eq!(is_too_deep(&[0x19; 1000]), None);
        // A map of more booleans than there are bytes.
        assert_eq!(is_too_deep(&[&[0x1b][..], &[0xff; 9], &[1, 0x11, 0, 0]].concat()), None);
    }
}
