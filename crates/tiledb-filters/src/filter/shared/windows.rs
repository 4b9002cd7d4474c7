//! Filters that divide a chunk into windows of integers: BIT_WIDTH_REDUCTION and POSITIVE_DELTA.

use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Datatype, FormatVersion, PhysicalType};

/// The integers of a chunk and the most bytes of a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::filter) struct Windows {
    pub(in crate::filter) physical: PhysicalType,
    max_window: usize,
}

impl Windows {
    pub(in crate::filter) fn new(datatype: Datatype, max_window: u32) -> Windows {
        Windows { physical: datatype.physical(), max_window: max_window as usize }
    }

    /// Bytes of an integer.
    pub(in crate::filter) fn width(self) -> usize {
        self.physical.size()
    }

    /// The windows of a part: as large as allowed, in whole values.
    pub(in crate::filter) fn cut<'a>(self, data: &'a [u8]) -> std::slice::Chunks<'a, u8> {
        let size = data.len().min(self.max_window) / self.width() * self.width();
        data.chunks(size.max(self.width()))
    }
}

/// True for the types whose values are windowed integers: datetimes since the version that says so.
pub(in crate::filter) fn take_values_of(datatype: Datatype, version: FormatVersion) -> bool {
    let time = datatype.is_datetime() || datatype.is_time();
    datatype.is_integer() || time && version.has_datetime_integer_filters()
}

/// Splits `len` bytes off the front.
#[inline(always)]
pub(in crate::filter) fn take<'a>(src: &mut &'a [u8], len: usize) -> Result<&'a [u8]> {
    match src.split_at_checked(len) {
        Some((front, rest)) => {
            *src = rest;
            Ok(front)
        }
        None => bail!(Corrupt, "A chunk of integers has {} bytes left of {len}", src.len()),
    }
}
