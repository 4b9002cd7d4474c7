//! Thrift's compact protocol, in which Parquet files describe themselves:
//! <https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md>.

/// Types of the compact protocol.
const BYTE: u8 = 3;
const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;
pub(super) const INT32: u8 = 5;

/// Bytes in the compact protocol. Every function returns none at their end.
pub(super) struct Compact<'a>(pub &'a [u8]);

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
    pub(super) fn number(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The number and the type of the next field of a struct; none within at the end of the struct.
    pub(super) fn field(&mut self, last: i16) -> Option<Option<(i16, u8)>> {
        let head = self.byte()?;
        match (head >> 4, head & 0xf) {
            (_, 0) => Some(None),
            (0, kind) => Some(Some((i16::try_from(self.number()?).ok()?, kind))),
            (delta, kind) => Some(Some((last.checked_add(delta.into())?, kind))),
        }
    }

    /// The number and the type of the elements of a list.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { (head >> 4).into() };
        Some((count, head & 0xf))
    }

    fn advance(&mut self, length: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    /// Skips a value; at most so many levels of structs and lists.
    pub(super) fn skip(&mut self, kind: u8, levels: usize) -> Option<()> {
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
