//! Conversion of an Arrow column to the cells of a write; zero-copy if the memory layouts agree.

use std::borrow::Cow;
use std::fmt::Display;

use bytemuck::Pod;

use super::conversion::{ColumnConversion, ColumnLayout};
use super::import::ImportedArray;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::ArrowConversion;

/// The number that is no point in time, as in NumPy.
pub(crate) const NOT_A_TIME: i64 = i64::MIN;

/// A range of rows of a column, with its position for error messages.
#[derive(Clone, Copy)]
pub(crate) struct RowRange<'a> {
    /// The column.
    pub name: &'a str,
    /// The first row, counted with the offset of the column.
    pub first: usize,
    pub count: usize,
    /// The same row, counted from the beginning of the stream.
    pub first_row: u64,
}

/// Cells of a field.
pub(crate) struct ColumnCells<'a> {
    /// Cells, or the values of variable ones.
    pub data: Cow<'a, [u8]>,
    /// Where variable cells begin in `data`, from 0 on, and where the last one ends.
    pub starts: Option<Cow<'a, [u64]>>,
    /// A byte for each cell: 0 for null. `None` if none is null.
    pub validity: Option<Vec<u8>>,
}

impl ColumnCells<'_> {
    /// The bytes of a cell of `size`, or of variable length.
    pub(crate) fn cell(&self, at: usize, size: Option<usize>) -> &[u8] {
        let place = match (&self.starts, size) {
            (Some(starts), _) => {
                starts.get(at).zip(starts.get(at + 1)).map(|(&start, &end)| start as usize..end as usize)
            }
            (None, size) => size.map(|size| at * size..(at + 1) * size),
        };
        place.and_then(|place| self.data.get(place)).unwrap_or_default()
    }

    /// True if a cell is not null.
    pub(crate) fn is_valid(&self, at: usize) -> bool {
        self.validity.as_ref().is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0))
    }
}

impl RowRange<'_> {
    /// The number of a row in the stream.
    pub(crate) fn number(&self, at: usize) -> u64 {
        self.first_row.saturating_add(at as u64)
    }
}

/// A byte for each of `count` bits from bit `first` on: 1 where it is set.
pub(crate) fn bytes_of_bits(bits: &[u8], first: usize, count: usize) -> Result<Vec<u8>> {
    let mut bytes = memory::with_capacity("Arrow bits", count.next_multiple_of(8))?;
    let skipped = first / 8;
    let shift = first % 8;
    for at in 0..count.div_ceil(8) {
        let byte = |at: usize| u16::from(bits.get(skipped + at).copied().unwrap_or(0));
        let eight = (byte(at) | byte(at + 1) << 8) >> shift & 0xFF;
        // Each bit stays in a byte of its own, and makes it 1.
        let apart = u64::from(eight).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        let ones = (apart + 0x7F7F_7F7F_7F7F_7F7F) >> 7 & 0x0101_0101_0101_0101;
        bytes.extend_from_slice(&ones.to_le_bytes());
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// The validity of some rows; `None` if none is null.
///
/// # Errors
/// As [`ImportedArray::validity`].
pub(crate) fn validity(values: &ImportedArray, first: usize, count: usize) -> Result<Option<Vec<u8>>> {
    let Some((bits, first)) = values.validity(first, count)? else { return Ok(None) };
    let bytes = bytes_of_bits(bits, first, count)?;
    Ok(Some(bytes).filter(|bytes| bytes.contains(&0)))
}

impl ColumnConversion {
    /// Validates the offsets of some rows, so that [`ColumnConversion::cells`] of any part of them stays within the buffers. Offsets validated
    /// part by part would not do: an offset at the end of one part may exceed those of the next.
    ///
    /// # Errors
    /// If offsets are missing, negative, descend, or exceed the last offset of the column, naming the row.
    pub(crate) fn check_offsets(&self, values: &ImportedArray, rows: RowRange<'_>) -> Result<()> {
        let size = self.size as i64;
        let end = values.offset + values.length;
        match self.layout {
            _ if rows.count == 0 => Ok(()),
            ColumnLayout::Text { wide: true } => check_ascending::<i64>(values, rows, i64::MAX, end),
            ColumnLayout::Text { wide: false } => check_ascending::<i32>(values, rows, i32::MAX, end),
            ColumnLayout::Lists { wide: true, .. } => check_ascending::<i64>(values, rows, i64::MAX / size, end),
            ColumnLayout::Lists { wide: false, .. } => check_ascending::<i32>(values, rows, i32::MAX, end),
            ColumnLayout::Values(_) | ColumnLayout::Bytes(_) | ColumnLayout::Fixed(..) | ColumnLayout::Views => Ok(()),
        }
    }

    /// The cells of some rows, whose offsets were validated by [`ColumnConversion::check_offsets`].
    ///
    /// # Errors
    /// If buffers are missing, views lead elsewhere, values do not fit; naming the row.
    pub(crate) fn cells<'a>(&self, values: &'a ImportedArray, rows: RowRange<'_>) -> Result<ColumnCells<'a>> {
        let RowRange { first, count, .. } = rows;
        let validity = validity(values, first, count)?;
        let (data, starts) = match self.layout {
            ColumnLayout::Values(kind) => (numbers(values, kind, self.size, rows)?, None),
            ColumnLayout::Bytes(size) => {
                (Cow::Borrowed(bytes(values, 1, first, count, size)?), Some(size).filter(|_| self.cell.is_none()))
            }
            ColumnLayout::Views => {
                let (data, starts) = viewed(values, rows, validity.as_deref())?;
                return self
                    .fitted(ColumnCells { data: Cow::Owned(data), starts: Some(Cow::Owned(starts)), validity }, rows);
            }
            ColumnLayout::Text { wide } => {
                let (origin, starts) = starts(values, wide, rows, 1)?;
                let data = values.buffer(2, origin, starts.last().map_or(0, |&end| end as usize))?;
                return self.fitted(ColumnCells { data: Cow::Borrowed(data), starts: Some(starts), validity }, rows);
            }
            ColumnLayout::Fixed(each, kind) => {
                let child = child(values, rows)?;
                let (from, all) = (first.saturating_mul(each), count.saturating_mul(each));
                let place = |at: usize| at * each..(at + 1) * each;
                let within = within(child, (from, all), rows)?;
                no_nulls_in(child, within, rows, validity.as_deref(), place)?;
                (numbers(child, kind, self.size, within)?, Some(each * self.size).filter(|_| self.cell.is_none()))
            }
            ColumnLayout::Lists { wide, values: kind } => {
                let child = child(values, rows)?;
                let size = self.size as u64;
                let (origin, starts) = starts(values, wide, rows, size)?;
                let end = |at: usize| starts.get(at).map_or(0, |&start| (start / size) as usize);
                let within = within(child, (origin, end(count)), rows)?;
                no_nulls_in(child, within, rows, validity.as_deref(), |at| end(at)..end(at + 1))?;
                let data = numbers(child, kind, self.size, within)?;
                return self.fitted(ColumnCells { data, starts: Some(starts), validity }, rows);
            }
        };
        // Cells of one size in a field of variable length.
        let starts = match starts {
            Some(size) => Some(Cow::Owned(memory::collect("Arrow offsets", (0..=count).map(|at| (at * size) as u64))?)),
            None => None,
        };
        let cells = ColumnCells { data, starts, validity };
        self.checked(cells, rows)
    }

    /// Cells that are text if the field holds text.
    fn checked<'a>(&self, cells: ColumnCells<'a>, rows: RowRange<'_>) -> Result<ColumnCells<'a>> {
        let is_text = |at| !cells.is_valid(at) || std::str::from_utf8(cells.cell(at, None)).is_ok();
        match (0..rows.count).filter(|_| self.is_new_text).find(|at| !is_text(*at)) {
            None => Ok(cells),
            Some(at) => bail!(
                "Arrow: row {} of column '{}' is not UTF-8, but the field holds text; write it to a field of TILEDB_BLOB",
                rows.number(at),
                rows.name
            ),
        }
    }

    /// Cells of variable length as those of the field.
    fn fitted<'a>(&self, cells: ColumnCells<'a>, rows: RowRange<'_>) -> Result<ColumnCells<'a>> {
        let Some(size) = self.cell else { return self.checked(cells, rows) };
        let mut data = memory::with_capacity("Arrow values", rows.count.saturating_mul(size))?;
        for at in 0..rows.count {
            match cells.cell(at, None) {
                cell if cell.len() == size => data.extend_from_slice(cell),
                _ if !cells.is_valid(at) => data.resize(data.len() + size, 0),
                cell => bail!(
                    "Arrow: row {} of column '{}' has {} values, but each cell of the field has {}; give as many",
                    rows.number(at),
                    rows.name,
                    cell.len() / self.size,
                    size / self.size
                ),
            }
        }
        Ok(ColumnCells { data: Cow::Owned(data), starts: None, validity: cells.validity })
    }
}

fn child<'a>(values: &'a ImportedArray, rows: RowRange<'_>) -> Result<&'a ImportedArray> {
    match values.children.first() {
        Some(child) => Ok(child),
        None => bail!("Arrow: column '{}' has lists without values", rows.name),
    }
}

/// The values `from..from + count` of a child as rows of it.
fn within<'a>(child: &ImportedArray, (from, count): (usize, usize), rows: RowRange<'a>) -> Result<RowRange<'a>> {
    if from.checked_add(count).is_none_or(|end| end > child.length) {
        bail!(
            "Arrow: column '{}' has {} values, but its rows from {} on need {count} from {from} on",
            rows.name,
            child.length,
            rows.first_row
        );
    }
    Ok(RowRange { first: child.offset + from, count, ..rows })
}

/// Rejects nulls among the values of non-null cells. `place` returns the values of a row.
fn no_nulls_in(
    child: &ImportedArray,
    within: RowRange<'_>,
    rows: RowRange<'_>,
    valid: Option<&[u8]>,
    place: impl Fn(usize) -> std::ops::Range<usize>,
) -> Result<()> {
    let Some(nulls) = validity(child, within.first, within.count)? else { return Ok(()) };
    for at in 0..rows.count {
        let is_valid = valid.is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0));
        if is_valid && nulls.get(place(at)).is_some_and(|values| values.contains(&0)) {
            bail!(
                "Arrow: row {} of column '{}' has a null among its values; cells can be null as a whole only, fill it",
                rows.number(at),
                rows.name
            );
        }
    }
    Ok(())
}

/// The bytes of values of `size` bytes.
fn bytes(values: &ImportedArray, buffer: usize, first: usize, count: usize, size: usize) -> Result<&[u8]> {
    values.buffer(buffer, first.saturating_mul(size), count.saturating_mul(size))
}

/// Values of an Arrow type as those of a datatype, of `size` bytes each.
fn numbers<'a>(
    values: &'a ImportedArray,
    kind: ArrowConversion,
    size: usize,
    rows: RowRange<'_>,
) -> Result<Cow<'a, [u8]>> {
    let RowRange { first, count, .. } = rows;
    match kind {
        ArrowConversion::Same => bytes(values, 1, first, count, size).map(Cow::Borrowed),
        ArrowConversion::Bits => {
            let bits = values.buffer(1, first / 8, (first % 8 + count).div_ceil(8))?;
            bytes_of_bits(bits, first % 8, count).map(Cow::Owned)
        }
        ArrowConversion::Widened => {
            let mut wide = memory::with_capacity("Arrow values", count.saturating_mul(8))?;
            for number in bytes(values, 1, first, count, 4)?.chunks_exact(4) {
                wide.extend_from_slice(&i64::from(bytemuck::pod_read_unaligned::<i32>(number)).to_le_bytes());
            }
            Ok(Cow::Owned(wide))
        }
        ArrowConversion::Divided(units) => {
            let whole = |time: i64| (time % units == 0).then_some(time / units);
            let multiple = || format!("a multiple of {units}, the field's unit; round it");
            times(values, rows, whole, multiple)
        }
        ArrowConversion::Multiplied(units) => {
            let most =
                || format!("between {} and {}, which the field's unit can express", i64::MIN / units, i64::MAX / units);
            times(values, rows, |time: i64| time.checked_mul(units), most)
        }
    }
}

/// Points in time in another unit; `describe` describes those that can be converted.
fn times<'a>(
    values: &'a ImportedArray,
    rows: RowRange<'_>,
    convert: impl Fn(i64) -> Option<i64>,
    describe: impl Fn() -> String,
) -> Result<Cow<'a, [u8]>> {
    let RowRange { name, first, count, first_row } = rows;
    let mut converted = memory::with_capacity("Arrow values", count.saturating_mul(8))?;
    for (at, time) in bytes(values, 1, first, count, 8)?.chunks_exact(8).enumerate() {
        let time: i64 = bytemuck::pod_read_unaligned(time);
        let converted_time = if time == NOT_A_TIME { Some(time) } else { convert(time) };
        // The value of a null may be anything.
        if converted_time.is_none() && validity(values, first + at, 1)?.is_none() {
            bail!("Arrow: value {at} from row {first_row} on of column '{name}' is {time}, not {}", describe());
        }
        converted.extend_from_slice(&converted_time.unwrap_or_default().to_le_bytes());
    }
    Ok(Cow::Owned(converted))
}

/// Validates the offsets of some rows: not negative, ascending, and at most the last offset of the column, entry `end`, up to which
/// the data reaches.
fn check_ascending<T: Pod + PartialOrd + Default + Display>(
    values: &ImportedArray,
    rows: RowRange<'_>,
    most: T,
    end: usize,
) -> Result<()> {
    let bytes_of = |first, count| bytes(values, 1, first, count, size_of::<T>());
    let (offset_bytes, last) = (bytes_of(rows.first, rows.count + 1)?, bytes_of(end, 1)?);
    let most = std::cmp::min_by(most, bytemuck::pod_read_unaligned(last), |a, b| {
        a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal)
    });
    let offsets = || offset_bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>);
    let pairs = || [T::default()].into_iter().chain(offsets()).zip(offsets());
    // One pass that has no branches; the row is looked for only if there is one.
    let (descends, greatest) = match bytemuck::try_cast_slice::<u8, T>(offset_bytes) {
        Ok(offsets) => (
            offsets.windows(2).fold(false, |descends, pair| descends | (pair[0] > pair[1])),
            offsets.last().copied().unwrap_or_default(),
        ),
        Err(_) => (pairs().any(|(before, offset)| before > offset), offsets().next_back().unwrap_or_default()),
    };
    if descends || offsets().next().is_some_and(|first| first < T::default()) || greatest > most {
        let at = pairs().position(|(before, offset)| before > offset || offset > most).unwrap_or(0);
        let (before, offset) = pairs().nth(at).unwrap_or_default();
        bail!(
            "Arrow: the offsets of column '{}' descend, or exceed the last one, {most}, at row {}: {offset} after {before}",
            rows.name,
            rows.number(at.saturating_sub(1))
        );
    }
    Ok(())
}

/// The starts of variable cells in bytes, from 0 on, with the end of the last; and the first value.
fn starts<'a>(values: &'a ImportedArray, wide: bool, rows: RowRange<'_>, size: u64) -> Result<(usize, Cow<'a, [u64]>)> {
    if rows.count == 0 {
        return Ok((0, Cow::Owned(vec![0])));
    }
    let width = if wide { 8 } else { 4 };
    let offset_bytes = bytes(values, 1, rows.first, rows.count + 1, width)?;
    let starts: Cow<'a, [u64]> = match bytemuck::try_cast_slice(offset_bytes) {
        Ok(words) if wide => Cow::Borrowed(words),
        _ if wide => Cow::Owned(memory::collect(
            "Arrow offsets",
            offset_bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned),
        )?),
        _ => {
            let wide = |start| i64::from(bytemuck::pod_read_unaligned::<i32>(start)) as u64;
            Cow::Owned(memory::collect("Arrow offsets", offset_bytes.chunks_exact(4).map(wide))?)
        }
    };
    let origin = starts.first().copied().unwrap_or(0);
    let starts = match (origin, size) {
        (0, 1) => starts,
        _ => Cow::Owned(memory::collect(
            "Arrow offsets",
            starts.iter().map(|start| start.wrapping_sub(origin).wrapping_mul(size)),
        )?),
    };
    Ok((origin as usize, starts))
}

/// Bytes of a view.
const VIEW: usize = 16;
/// Maximum length of a string that is stored inline in a view.
const SHORT: usize = 12;

/// The cells that views lead to, one after the other.
fn viewed(values: &ImportedArray, rows: RowRange<'_>, valid: Option<&[u8]>) -> Result<(Vec<u8>, Vec<u64>)> {
    let RowRange { name, first, count, .. } = rows;
    // Views, buffers of bytes, and the sizes of these.
    let pools = values.buffer_count().saturating_sub(3);
    let sizes = values.buffer(pools + 2, 0, pools * 8)?;
    let size_of = |pool: usize| {
        let size = sizes.get(pool * 8..pool * 8 + 8).map(bytemuck::pod_read_unaligned::<i64>);
        usize::try_from(size.unwrap_or(-1)).ok()
    };
    let mut starts = memory::with_capacity("Arrow offsets", count.saturating_add(1))?;
    let mut data = Vec::new();
    starts.push(0);
    for (at, view) in bytes(values, 1, first, count, VIEW)?.chunks_exact(VIEW).enumerate() {
        let word = |at: usize| usize::try_from(bytemuck::pod_read_unaligned::<i32>(&view[at..at + 4])).ok();
        let is_valid = valid.is_none_or(|valid| valid.get(at).is_some_and(|&byte| byte != 0));
        let cell = match word(0) {
            _ if !is_valid => Some(&[][..]),
            Some(length) if length <= SHORT => Some(&view[4..4 + length]),
            Some(length) => {
                let place = word(8).zip(word(12)).filter(|(pool, start)| {
                    size_of(*pool).is_some_and(|size| start.checked_add(length).is_some_and(|end| end <= size))
                });
                place.map(|(pool, start)| values.buffer(2 + pool, start, length)).transpose()?
            }
            None => None,
        };
        let Some(cell) = cell else {
            bail!("Arrow: row {} of column '{name}' is a view that leads out of its buffers", rows.number(at))
        };
        memory::reserve("Arrow values", &mut data, cell.len())?;
        data.extend_from_slice(cell);
        starts.push(data.len() as u64);
    }
    Ok((data, starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_bytes_from_any_bit_on() {
        let bits: Vec<u8> = (0..20).map(|at: u8| at.wrapping_mul(167) ^ 0x5A).collect();
        for first in 0..20 {
            for count in 0..100 {
                let expected: Vec<u8> = (first..first + count).map(|at| bits[at / 8] >> (at % 8) & 1).collect();
                assert_eq!(bytes_of_bits(&bits, first, count).unwrap(), expected, "{count} from {first}");
            }
        }
    }
}
