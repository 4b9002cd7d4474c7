//! Records of several words per cell, if coordinates, tile and cell number do not fit into a single integer: the words of the
//! sort key or the coordinates, with strings in separate buffers, and the code that identifies the cell.

use std::cmp::Ordering;
use std::ops::Range;

use super::records::{KeyedCells, Point, Records, SELECTION};
use super::wide_layout::{CoordLocation, LENGTH_BITS, LONGEST, StringBuffer, StringBuffers, WideLayout, text};
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::keys::unpack::copy_values;
use tiledb_core::budget::{Lease, MemoryKind, MemoryUsage};
use tiledb_core::error::Result;
use tiledb_core::limits::sparse_read::MIN_STRING_GROWTH_BYTES;
use tiledb_core::memory;
use tiledb_core::types::CellRange;

/// A list of records of `N` words each.
pub(super) struct WideRecords<const N: usize> {
    records: Vec<[u64; N]>,
    /// Strings; equal strings of consecutive cells are stored once.
    buffers: Vec<Vec<u8>>,
    /// All are plain, as [`WideLayout::is_plain`] has it.
    plain: bool,
}

impl<const N: usize> MemoryUsage for WideRecords<N> {
    fn memory_usage(&self) -> u64 {
        self.records.memory_usage() + self.buffers.iter().map(MemoryUsage::memory_usage).sum::<u64>()
    }
}

impl<const N: usize> WideRecords<N> {
    fn new(records: usize, bytes: impl Iterator<Item = usize>) -> Result<Self> {
        let buffers = bytes.map(|bytes| memory::with_capacity("strings", bytes)).collect::<Result<_>>()?;
        Ok(WideRecords { records: memory::with_capacity("sort keys", records)?, buffers, plain: true })
    }

    fn texts(&self) -> StringBuffers<'_> {
        self.buffers.iter().map(Vec::as_slice).collect()
    }

    /// A single record, as a bound.
    fn of(layout: &WideLayout, record: &[u64; N], texts: &StringBuffers<'_>, group_equal: bool) -> Result<Self> {
        let mut copy = *record;
        if group_equal {
            layout.lower(&mut copy);
        }
        let mut one = WideRecords::new(1, texts.iter().enumerate().map(|(buffer, _)| layout.length(record, buffer)))?;
        one.push(layout, copy, texts, &mut LastCopied(None));
        Ok(one)
    }

    fn view(&self) -> (&[u64; N], StringBuffers<'_>) {
        (&self.records[0], self.texts())
    }

    /// True if the capacity suffices for a record and its strings.
    fn has_capacity(&self, layout: &WideLayout, record: &[u64; N], copied: &LastCopied<N>) -> bool {
        let fits = |(number, buffer): (usize, &Vec<u8>)| {
            copied.last(layout, record, number).is_some()
                || layout.length(record, number) <= buffer.capacity() - buffer.len()
        };
        self.records.len() < self.records.capacity() && self.buffers.iter().enumerate().all(fits)
    }

    /// Appends a record and copies its strings, but for those that the one before has, too.
    fn push(
        &mut self,
        layout: &WideLayout,
        mut record: [u64; N],
        texts: &StringBuffers<'_>,
        copied: &mut LastCopied<N>,
    ) {
        let of_source = record;
        for (number, buffer) in self.buffers.iter_mut().enumerate() {
            let word = &mut record[layout.buffers[number].word];
            *word = copied.last(layout, &of_source, number).unwrap_or_else(|| {
                let start = buffer.len() as u64;
                buffer.extend_from_slice(text(*word, texts[number]));
                start << LENGTH_BITS | *word & (LONGEST - 1)
            });
        }
        copied.0 = Some((of_source, record));
        self.plain &= layout.is_plain(&record);
        self.records.push(record);
    }
}

/// The last copied record: the original, and the copy.
struct LastCopied<const N: usize>(Option<([u64; N], [u64; N])>);

impl<const N: usize> LastCopied<N> {
    /// The position of its string, if a record has the same one.
    fn last(&self, layout: &WideLayout, record: &[u64; N], buffer: usize) -> Option<u64> {
        let word = layout.buffers[buffer].word;
        self.0.as_ref().filter(|(before, _)| before[word] == record[word]).map(|(_, after)| after[word])
    }
}

impl<const N: usize> Records for WideRecords<N> {
    type Layout = WideLayout;
    type Bound = WideRecords<N>;

    fn has_keys(layout: &WideLayout) -> bool {
        layout.has_keys()
    }

    fn size(layout: &WideLayout) -> u64 {
        (size_of::<[u64; N]>() + layout.buffers.iter().map(|buffer| buffer.average).sum::<usize>()) as u64
    }

    fn with_layout(layout: &WideLayout, count: usize) -> Result<Self> {
        WideRecords::new(count, layout.buffers.iter().map(|buffer| buffer.average.saturating_mul(count)))
    }

    fn more(&self) -> u64 {
        self.memory_usage() + (MIN_STRING_GROWTH_BYTES.count() * self.buffers.len()) as u64
    }

    fn grow(&mut self) -> Result<()> {
        let more = 2 * self.records.capacity() - self.records.len();
        memory::reserve("sort keys", &mut self.records, more)?;
        self.buffers.iter_mut().try_for_each(|buffer| {
            let more = 2 * buffer.capacity() + MIN_STRING_GROWTH_BYTES.count() - buffer.len();
            memory::reserve("strings", buffer, more)
        })
    }

    fn shrink(&mut self) {
        self.records.shrink_to_fit();
        self.buffers.iter_mut().for_each(Vec::shrink_to_fit);
    }

    fn count(&self) -> usize {
        self.records.len()
    }

    fn remaining_capacity(&self) -> usize {
        self.records.capacity()
    }

    fn code(&self, _: &WideLayout, at: usize) -> u64 {
        self.records[at][N - 1]
    }

    fn is_same_place(&self, layout: &WideLayout, a: usize, b: usize) -> bool {
        let texts = self.texts();
        layout.compare_coordinates((&self.records[a], &texts), (&self.records[b], &texts)).is_eq()
    }

    fn assign(&mut self, to: usize, from: usize) {
        self.records[to] = self.records[from];
    }

    fn truncate(&mut self, count: usize) {
        self.records.truncate(count);
    }

    fn compact(&mut self, layout: &WideLayout) {
        for (number, buffer) in self.buffers.iter_mut().enumerate() {
            let word = layout.buffers[number].word;
            self.records.sort_unstable_by_key(|record| record[word]);
            let mut end = 0;
            let mut last = None;
            for record in &mut self.records {
                let before = record[word];
                record[word] = match last {
                    Some((same, after)) if same == before => after,
                    _ => {
                        let start = (before >> LENGTH_BITS) as usize;
                        let length = (before & (LONGEST - 1)) as usize;
                        buffer.copy_within(start..start + length, end);
                        end += length;
                        ((end - length) as u64) << LENGTH_BITS | length as u64
                    }
                };
                last = Some((before, record[word]));
            }
            buffer.truncate(end);
        }
    }

    fn sort(&mut self, layout: &WideLayout) {
        if self.plain {
            return self.records.sort_unstable();
        }
        let texts: StringBuffers<'_> = self.buffers.iter().map(Vec::as_slice).collect();
        self.records.sort_unstable_by_key(|record| layout.first(record));
        for ties in self.records.chunk_by_mut(|a, b| layout.first(a) == layout.first(b)).filter(|ties| ties.len() > 1) {
            ties.sort_unstable_by(|a, b| layout.compare((a, &texts), (b, &texts)));
        }
    }

    fn select_nth(&mut self, layout: &WideLayout, at: usize) {
        if self.plain {
            self.records.select_nth_unstable(at);
            return;
        }
        let texts: StringBuffers<'_> = self.buffers.iter().map(Vec::as_slice).collect();
        self.records.select_nth_unstable_by(at, |a, b| layout.compare((a, &texts), (b, &texts)));
    }

    fn partition(&mut self, layout: &WideLayout, bound: &Self) -> usize {
        let texts: StringBuffers<'_> = self.buffers.iter().map(Vec::as_slice).collect();
        let ((bound, of_bound), mut below) = (bound.view(), 0);
        for at in 0..self.records.len() {
            if layout.compare((&self.records[at], &texts), (bound, &of_bound)).is_lt() {
                self.records.swap(at, below);
                below += 1;
            }
        }
        below
    }

    fn append_before(&mut self, layout: &WideLayout, other: &Self, start: usize, to: Option<&Self>) -> usize {
        if other.plain && to.is_none_or(|to| to.plain) {
            let end = to.and_then(|to| to.records.first());
            let is_before = |record: &[u64; N]| end.is_none_or(|end| record < end);
            for (at, record) in other.records.iter().enumerate().skip(start).filter(|(_, record)| is_before(record)) {
                if self.records.len() == self.records.capacity() {
                    return at;
                }
                self.records.push(*record);
            }
            return other.records.len();
        }
        let texts = other.texts();
        let to = to.map(Self::view);
        let mut copied = LastCopied(None);
        for (at, record) in other.records.iter().enumerate().skip(start) {
            if let Some((bound, of_bound)) = &to
                && layout.compare((record, &texts), (bound, of_bound)).is_ge()
            {
                continue;
            }
            if !self.has_capacity(layout, record, &copied) {
                return at;
            }
            self.push(layout, *record, &texts, &mut copied);
        }
        other.records.len()
    }

    fn bound(&self, layout: &WideLayout, at: usize, group_equal: bool) -> Result<Self> {
        WideRecords::of(layout, &self.records[at], &self.texts(), group_equal)
    }

    fn bound_after(&self, layout: &WideLayout, at: usize) -> Result<Option<Self>> {
        let texts = self.texts();
        let place = &self.records[at];
        let is_after = |record: &&[u64; N]| layout.compare_places((record, &texts), (place, &texts)).is_gt();
        let compare = |a: &&[u64; N], b: &&[u64; N]| layout.compare_places((a, &texts), (b, &texts));
        let next = self.records.iter().filter(is_after).min_by(compare);
        next.map(|record| WideRecords::of(layout, record, &texts, true)).transpose()
    }

    fn is_above(layout: &WideLayout, bound: &Self, other: &Self) -> bool {
        let ((bound, of_bound), (other, of_other)) = (bound.view(), other.view());
        layout.compare((bound, &of_bound), (other, &of_other)).is_gt()
    }

    fn begins_before(layout: &WideLayout, tile: usize, bound: &Self) -> bool {
        let ((corners, keys), (bound, of_bound)) = (&layout.lows, bound.view());
        let coords = corners.coords();
        let corner = layout.corner(keys, &coords, tile);
        layout.compare((&corner, &layout.texts(&coords)), (bound, &of_bound)).is_lt()
    }

    fn ends_after(layout: &WideLayout, tile: usize, bound: &Self) -> bool {
        let ((corners, keys), (bound, of_bound)) = (&layout.highs, bound.view());
        let coords = corners.coords();
        let corner = layout.corner(keys, &coords, tile);
        layout.compare_places((&corner, &layout.texts(&coords)), (bound, &of_bound)).is_ge()
    }

    fn select(
        layout: &WideLayout,
        cells: &KeyedCells<'_>,
        (from, to): (Option<&Self>, Option<&Self>),
        access: DecodeContext<'_>,
    ) -> Result<Lease<Self>> {
        let KeyedCells { tile, number, coords, cells, keys, places } = cells;
        let texts = layout.texts(coords);
        let (from, to) = (from.map(Self::view), to.map(Self::view));
        // Cells that are not close to the bounds are decided by the first comparison step.
        let low = from.as_ref().map_or(0, |(from, _)| layout.first(from));
        let high = to.as_ref().map_or(u64::MAX, |(to, _)| layout.first(to));
        let record = |at: usize| -> [u64; N] {
            let cell = tile.selected_at(at);
            let code = layout.codes.code(*number, cell, tile.passes_at(at));
            layout.record((keys, cell - cells.start), (coords, cell), code)
        };
        let is_within = |at: usize, first: u64| {
            if low < first && first < high {
                return true;
            }
            if first < low || first > high {
                return false;
            }
            let record = record(at);
            let is_from = |(from, of_from): &(&[u64; N], StringBuffers<'_>)| {
                layout.compare((&record, &texts), (from, of_from)).is_ge()
            };
            let is_to =
                |(to, of_to): &(&[u64; N], StringBuffers<'_>)| layout.compare((&record, &texts), (to, of_to)).is_lt();
            from.as_ref().is_none_or(is_from) && to.as_ref().is_none_or(is_to)
        };
        let selected = access.lease(MemoryKind::Results, (places.len() * SELECTION) as u64, || {
            let rows = places.clone().map(|at| tile.selected_at(at));
            let firsts = layout.first_of_rows((keys, cells.start), coords, rows)?;
            let mut selected: Vec<u32> = memory::with_capacity("selected cells", places.len())?;
            let of_places = places.clone().zip(firsts).filter(|&(at, first)| is_within(at, first));
            selected.extend(of_places.map(|(at, _)| at as u32));
            Ok(selected)
        })?;
        let (count, selected) = (selected.len(), selected.iter().map(|&at| at as usize));
        let text_bytes = |buffer: &StringBuffer| {
            let text = |at| coords[buffer.dimension].text(tile.selected_at(at));
            selected.clone().map(|at| text(at).len()).sum::<usize>()
        };
        let bytes: Vec<usize> = layout.buffers.iter().map(text_bytes).collect();
        let all = count * size_of::<[u64; N]>() + bytes.iter().sum::<usize>();
        access.lease(MemoryKind::Results, all as u64, || {
            let mut records = WideRecords::new(count, bytes.iter().copied())?;
            if layout.buffers.is_empty() {
                records.records.resize(count, [0; N]);
                let rows = selected.clone().map(|at| tile.selected_at(at));
                layout.fill((keys, cells.start), coords, rows, &mut records.records);
                for (record, at) in records.records.iter_mut().zip(selected) {
                    record[N - 1] = layout.codes.code(*number, tile.selected_at(at), tile.passes_at(at));
                    records.plain &= layout.is_plain(record);
                }
                return Ok(records);
            }
            let mut copied = LastCopied(None);
            // Equal strings of cells in a row are stored once.
            let mut last: Option<[u64; N]> = None;
            for at in selected {
                let mut record = record(at);
                if let Some(last) = &last {
                    for (buffer, texts) in texts.iter().enumerate() {
                        let word = layout.buffers[buffer].word;
                        if text(last[word], texts) == text(record[word], texts) {
                            record[word] = last[word];
                        }
                    }
                }
                last = Some(record);
                records.push(layout, record, &texts, &mut copied);
            }
            Ok(records)
        })
    }

    fn sample(
        layout: &WideLayout,
        cells: &KeyedCells<'_>,
        which: impl ExactSizeIterator<Item = usize> + Clone,
        from: Option<&Self>,
    ) -> Result<Self> {
        let texts = layout.texts(cells.coords);
        let from = from.map(Self::view);
        let mut copied = LastCopied(None);
        let bytes =
            |buffer: &StringBuffer| which.clone().map(|cell| cells.coords[buffer.dimension].text(cell).len()).sum();
        let mut records = WideRecords::new(which.len(), layout.buffers.iter().map(bytes))?;
        for cell in which {
            let code = layout.codes.code(cells.number, cell, false);
            let record = layout.record((cells.keys, cell - cells.cells.start), (cells.coords, cell), code);
            if from.as_ref().is_none_or(|(from, of)| layout.compare((&record, &texts), (from, of)).is_ge()) {
                records.push(layout, record, &texts, &mut copied);
            }
        }
        Ok(records)
    }

    fn copy(&self, layout: &WideLayout, cells: Range<usize>, dimension: usize, out: &mut [u8]) {
        let records = self.records[cells].iter();
        match layout.places[dimension] {
            CoordLocation::Whole { word, unpack } => unpack.copy(records.map(|record| record[word]), out),
            CoordLocation::Real { word, bits } => {
                copy_values(bits.size, records.map(|record| bits.value(record[word])), out)
            }
            CoordLocation::Text { word, buffer } => {
                let mut rest = out;
                for record in records {
                    let text = text(record[word], &self.buffers[buffer]);
                    let Some((place, tail)) = rest.split_at_mut_checked(text.len()) else { return };
                    place.copy_from_slice(text);
                    rest = tail;
                }
            }
        }
    }

    fn lengths(&self, layout: &WideLayout, cells: Range<usize>, dimension: usize, out: &mut [u64]) {
        if let CoordLocation::Text { word, .. } = layout.places[dimension] {
            out.iter_mut().zip(&self.records[cells]).for_each(|(out, record)| *out = record[word] & (LONGEST - 1));
        }
    }

    fn compare(&self, layout: &WideLayout, at: usize, point: &Point) -> Ordering {
        let record = &self.records[at];
        let compared = point.iter().map(|(dimension, datatype, end)| match layout.places[*dimension] {
            CoordLocation::Whole { word, unpack } => {
                CellRange::compare(*datatype, &unpack.value(record[word])[..unpack.size], end)
            }
            CoordLocation::Real { word, bits } => {
                CellRange::compare(*datatype, &bits.value(record[word])[..bits.size], end)
            }
            CoordLocation::Text { word, buffer } => {
                CellRange::compare(*datatype, text(record[word], &self.buffers[buffer]), end)
            }
        });
        compared.fold(Ordering::Equal, Ordering::then)
    }
}
