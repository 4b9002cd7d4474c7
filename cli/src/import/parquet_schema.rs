//! Checks how deep the schema of an untrusted Parquet file is nested, and the numbers of its children.
//!
//! The `parquet` crate decodes a schema recursively: some hundred kilobytes of groups within groups would overflow the stack,
//! which no caller can catch, and a group that announces more children than there are elements would allocate room for them.
//! Therefore the schema is scanned first. It is in the footer, in Thrift's compact protocol:
//! <https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift>.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::model::Result;

use super::arrow_reader::{damaged, no_memory};
use super::thrift::{Compact, INT32, LIST, STRUCT};

/// Maximum depth of a schema: more than that of any file that is not made to be deep.
const MAX_DEPTH: usize = 100;
/// Maximum depth of the structs of the protocol.
pub(super) const MAX_STRUCTS: usize = 32;
/// Behind the footer: its length, and the letters PAR1.
const TAIL: u64 = 8;

/// Rejects a file with a schema that is nested too deeply, or lacks elements. Other errors are left to the decoder.
pub(super) fn check_schema(file: &mut File) -> Result<()> {
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
    match scan(&footer) {
        Some(Schema::TooDeep) => Err(damaged(format!("its schema is nested more than {MAX_DEPTH} levels deep"))),
        Some(Schema::MissingChildren(count)) => {
            Err(damaged(format!("a group of its schema announces {count} children, which the schema does not have")))
        }
        _ => Ok(()),
    }
}

/// What the schema in a footer is like.
#[derive(PartialEq, Eq, Debug)]
enum Schema {
    Sound,
    TooDeep,
    MissingChildren(i64),
}

/// Scans the schema in a footer; none if the footer cannot be scanned.
fn scan(footer: &[u8]) -> Option<Schema> {
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
        for at in 0..count {
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
            if u64::try_from(children).is_ok_and(|children| children >= count - at) {
                return Some(Schema::MissingChildren(children));
            }
            if children > 0 {
                open.push(children as u64);
                if open.len() > MAX_DEPTH {
                    return Some(Schema::TooDeep);
                }
            }
        }
        return Some(Schema::Sound);
    }
    Some(Schema::Sound)
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
            let expected = if is_deep { Schema::TooDeep } else { Schema::Sound };
            assert_eq!(scan(&footer(depth)), Some(expected), "{depth}");
        }
    }

    #[test]
    fn more_children_than_elements_are_rejected() {
        let mut footer = footer(0);
        // The number of children of the second group is a varint of five bytes.
        let at = footer.iter().rposition(|byte| *byte == 0x48).unwrap() + 4;
        footer.splice(at..=at, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
        assert_eq!(scan(&footer), Some(Schema::MissingChildren(i64::from(i32::MAX))));
    }

    #[test]
    fn truncated_and_changed_footers_are_scanned() {
        let whole = footer(5);
        for end in 0..whole.len() - 1 {
            assert_ne!(scan(&whole[..end]), Some(Schema::TooDeep));
        }
        for at in 0..whole.len() {
            for byte in 0..=255 {
                let mut changed = whole.clone();
                changed[at] = byte;
                scan(&changed);
            }
        }
        // Structs within structs, and lists within lists.
        assert_eq!(scan(&[0x1c; 1000]), None);
        assert_eq!(scan(&[0x19; 1000]), None);
        // A map of more booleans than there are bytes.
        assert_eq!(scan(&[&[0x1b][..], &[0xff; 9], &[1, 0x11, 0, 0]].concat()), None);
    }
}
