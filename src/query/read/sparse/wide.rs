//! Cells as records of several words, where a single integer does not hold coordinates, tile and cell: the words of the sort
//! key, where the strings lie in buffers beside the records, the bits of floating-point coordinates, and the code.

use std::cmp::Ordering;
use std::ops::Range;

use super::corners::Corners;
use super::packed::CodeLayout;
use super::records::{Point, Records, TileCells};
use super::stream::Stream;
use crate::budget::{Held, Kind, Leased};
use crate::error::Result;
use crate::memory;
use crate::query::columns::coords::Coords;
use crate::query::input::access::Access;
use crate::query::keys::plan::{Comparison, KeyPlan};
use crate::query::keys::unpack::{Unpack, Unpacked, copy_values};
use crate::query::keys::words::Keys;
use crate::types::{Cell, CellRange, Physical};

/// Bits of a word that hold the length of a string; those above hold where it begins.
const LENGTH_BITS: u32 = 30;
/// Strings are shorter than this.
pub const LONGEST: u64 = 1 << LENGTH_BITS;
/// Buffers of strings are shorter than this.
pub const FARTHEST: u64 = 1 << (u64::BITS - LENGTH_BITS);

/// A step of a comparison.
#[derive(Clone, Copy)]
enum Step {
    Word(usize),
    /// The strings of a buffer; the word says where they lie.
    Text {
        word: usize,
        buffer: usize,
    },
}

/// Where a coordinate is in a record.
#[derive(Clone, Copy)]
enum Place {
    Whole { word: usize, unpack: Unpack },
    Real { word: usize, physical: Physical },
    Text { word: usize, buffer: usize },
}

/// What the words of records of a read stand for.
pub struct WideLayout {
    codes: CodeLayout,
    /// How coordinates are compared.
    steps: Vec<Step>,
    /// By dimension.
    places: Vec<Place>,
    /// Words of the sort key, which come first.
    key_words: usize,
    /// The first of the words that only order cells with equal coordinates.
    exact: usize,
    words: usize,
    /// The dimension of each buffer, and how long its strings are on average.
    buffers: Vec<(usize, usize)>,
    /// The corners of tiles.
    lows: (Corners, Keys),
    highs: (Corners, Keys),
}

/// Strings that records refer to, by buffer.
type Texts<'t> = Vec<&'t [u8]>;

impl WideLayout {
    /// The layout for the tiles of `streams`; `None` if keys have more than coordinates.
    ///
    /// # Errors
    /// If tables of a fragment are not valid, or memory does not suffice.
    pub fn new(
        plan: &KeyPlan,
        codes: CodeLayout,
        streams: &[Stream],
        (lows, highs): (Corners, Corners),
    ) -> Result<Option<WideLayout>> {
        let Some(unpacked) = plan.unpacked() else { return Ok(None) };
        let key_words = plan.words();
        let texts = unpacked.iter().filter(|unpacked| matches!(unpacked, Unpacked::Text)).count();
        let (mut buffers, mut real, exact) = (Vec::new(), key_words + texts, key_words + texts);
        let mut places = Vec::with_capacity(unpacked.len());
        for (dimension, unpacked) in unpacked.into_iter().enumerate() {
            places.push(match unpacked {
                Unpacked::Whole { word, unpack } => Place::Whole { word, unpack },
                Unpacked::Real(physical) => {
                    real += 1;
                    Place::Real { word: real - 1, physical }
                }
                Unpacked::Text => {
                    buffers.push((dimension, average_length(streams, dimension)?));
                    Place::Text { word: key_words + buffers.len() - 1, buffer: buffers.len() - 1 }
                }
            });
        }
        let step = |comparison: &Comparison| match *comparison {
            Comparison::Word(word) => Some(Step::Word(word)),
            Comparison::Text(dimension) => match places[dimension] {
                Place::Text { word, buffer } => Some(Step::Text { word, buffer }),
                Place::Whole { .. } | Place::Real { .. } => None,
            },
        };
        let Some(steps) = plan.steps().iter().map(step).collect() else { return Ok(None) };
        let corners = |corners: Corners| corners.keys(plan).map(|keys| (corners, keys));
        let (lows, highs) = (corners(lows)?, corners(highs)?);
        Ok(Some(WideLayout { codes, steps, places, key_words, exact, words: real + 1, buffers, lows, highs }))
    }

    /// Words of a record.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The record of a row of coordinates, and a row of keys; its strings are those of the coordinates.
    fn record<const N: usize>(
        &self,
        (keys, key): (&Keys, usize),
        (coords, row): (&[Coords<'_>], usize),
        code: u64,
    ) -> [u64; N] {
        let mut record = [0; N];
        (0..self.key_words).for_each(|word| record[word] = keys.word(word, key));
        for (place, coords) in self.places.iter().zip(coords) {
            match (*place, coords) {
                (Place::Text { word, .. }, Coords::Var { starts, .. }) => {
                    record[word] = starts[row] << LENGTH_BITS | coords.text(row).len() as u64;
                }
                (Place::Real { word, physical }, coords) => record[word] = bits_of(physical, coords, row),
                _ => {}
            }
        }
        record[N - 1] = code;
        record
    }

    /// The record of a corner, which no cell with its coordinates comes before.
    fn corner<const N: usize>(&self, keys: &Keys, coords: &[Coords<'_>], tile: usize) -> [u64; N] {
        let mut record = self.record((keys, tile), (coords, tile), 0);
        record[self.exact..].fill(0);
        record
    }

    /// The strings of columns of coordinates.
    fn texts<'c>(&self, coords: &[Coords<'c>]) -> Texts<'c> {
        let of = |&(dimension, _): &(usize, usize)| match coords[dimension] {
            Coords::Var { data, .. } => data,
            Coords::Fixed(_) => &[],
        };
        self.buffers.iter().map(of).collect()
    }

    /// Compares coordinates.
    #[inline]
    fn compare_places<const N: usize>(&self, a: (&[u64; N], &Texts<'_>), b: (&[u64; N], &Texts<'_>)) -> Ordering {
        for step in &self.steps {
            let order = match *step {
                Step::Word(word) => a.0[word].cmp(&b.0[word]),
                Step::Text { word, buffer } => text(a.0[word], a.1[buffer]).cmp(text(b.0[word], b.1[buffer])),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Compares cells.
    #[inline]
    fn compare<const N: usize>(&self, a: (&[u64; N], &Texts<'_>), b: (&[u64; N], &Texts<'_>)) -> Ordering {
        self.compare_places(a, b).then_with(|| a.0[self.exact..].cmp(&b.0[self.exact..]))
    }
}

/// How long the strings of a dimension are on average.
fn average_length(streams: &[Stream], dimension: usize) -> Result<usize> {
    let (mut bytes, mut cells) = (0u64, 0u64);
    for stream in streams {
        for (tile, _) in (0..stream.tiles.count()).filter_map(|place| stream.tile(place)) {
            bytes = bytes.saturating_add(stream.fragment.var_tile_size(&stream.dimensions[dimension], tile)?);
            cells = cells.saturating_add(stream.fragment.cells_in_tile(tile));
        }
    }
    Ok(usize::try_from(bytes / cells.max(1) + 1).unwrap_or(usize::MAX))
}

/// The string that a word refers to.
#[inline]
fn text(word: u64, buffer: &[u8]) -> &[u8] {
    let (start, length) = (word >> LENGTH_BITS, word & (LONGEST - 1));
    buffer.get(start as usize..(start + length) as usize).unwrap_or_default()
}

/// The bits of a floating-point coordinate, which compare as `total_cmp` does.
fn bits_of(physical: Physical, coords: &Coords<'_>, row: usize) -> u64 {
    match physical {
        Physical::F32 => {
            let bits = f32::from_le(coords.value(row, 4)).to_bits();
            u64::from(if bits >> 31 == 0 { bits | 1 << 31 } else { !bits })
        }
        _ => {
            let bits = f64::from_le(coords.value(row, 8)).to_bits();
            if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
        }
    }
}

/// The coordinate that has these bits.
fn real_of(physical: Physical, bits: u64) -> [u8; 8] {
    let bits = match physical {
        Physical::F32 if bits >> 31 == 0 => u64::from(!(bits as u32)),
        Physical::F32 => bits & !(1 << 31),
        _ if bits >> 63 == 0 => !bits,
        _ => bits & !(1 << 63),
    };
    bits.to_le_bytes()
}

/// Records of `N` words.
pub struct WideRecords<const N: usize> {
    records: Vec<[u64; N]>,
    /// Strings; those of some cells in a row that are equal are there once.
    buffers: Vec<Vec<u8>>,
}

impl<const N: usize> Held for WideRecords<N> {
    fn held(&self) -> u64 {
        self.records.held() + self.buffers.iter().map(Held::held).sum::<u64>()
    }
}

impl<const N: usize> WideRecords<N> {
    fn new(records: usize, bytes: impl Iterator<Item = usize>) -> Result<Self> {
        let buffers = bytes.map(|bytes| memory::with_room("strings", bytes)).collect::<Result<_>>()?;
        Ok(WideRecords { records: memory::with_room("sort keys", records)?, buffers })
    }

    fn texts(&self) -> Texts<'_> {
        self.buffers.iter().map(Vec::as_slice).collect()
    }

    /// A single record, as a bound.
    fn of(layout: &WideLayout, record: &[u64; N], texts: &Texts<'_>, together: bool) -> Result<Self> {
        let mut copy = *record;
        if together {
            copy[layout.exact..].fill(0);
        }
        let mut one = WideRecords::new(1, texts.iter().enumerate().map(|(buffer, _)| layout.length(record, buffer)))?;
        one.push(layout, copy, texts, &mut Copied(None));
        Ok(one)
    }

    fn view(&self) -> (&[u64; N], Texts<'_>) {
        (&self.records[0], self.texts())
    }

    /// True if there is room for a record and its strings.
    fn has_room(&self, layout: &WideLayout, record: &[u64; N], copied: &Copied<N>) -> bool {
        let fits = |(number, buffer): (usize, &Vec<u8>)| {
            copied.last(layout, record, number).is_some()
                || layout.length(record, number) <= buffer.capacity() - buffer.len()
        };
        self.records.len() < self.records.capacity() && self.buffers.iter().enumerate().all(fits)
    }

    /// Appends a record and copies its strings, but for those that the one before has, too.
    fn push(&mut self, layout: &WideLayout, mut record: [u64; N], texts: &Texts<'_>, copied: &mut Copied<N>) {
        let of_source = record;
        for (number, buffer) in self.buffers.iter_mut().enumerate() {
            let word = &mut record[layout.key_words + number];
            *word = copied.last(layout, &of_source, number).unwrap_or_else(|| {
                let start = buffer.len() as u64;
                buffer.extend_from_slice(text(*word, texts[number]));
                start << LENGTH_BITS | *word & (LONGEST - 1)
            });
        }
        copied.0 = Some((of_source, record));
        self.records.push(record);
    }
}

impl WideLayout {
    /// The length of a string of a record.
    fn length<const N: usize>(&self, record: &[u64; N], buffer: usize) -> usize {
        (record[self.key_words + buffer] & (LONGEST - 1)) as usize
    }
}

/// The record that was copied last, as it was and as it is.
struct Copied<const N: usize>(Option<([u64; N], [u64; N])>);

impl<const N: usize> Copied<N> {
    /// Where its string is, if a record has the same.
    fn last(&self, layout: &WideLayout, record: &[u64; N], buffer: usize) -> Option<u64> {
        let word = layout.key_words + buffer;
        self.0.as_ref().filter(|(before, _)| before[word] == record[word]).map(|(_, after)| after[word])
    }
}

impl<const N: usize> Records for WideRecords<N> {
    type Layout = WideLayout;
    type Bound = WideRecords<N>;

    fn size(layout: &WideLayout) -> u64 {
        (size_of::<[u64; N]>() + layout.buffers.iter().map(|buffer| buffer.1).sum::<usize>()) as u64
    }

    fn with_room(layout: &WideLayout, count: usize) -> Result<Self> {
        WideRecords::new(count, layout.buffers.iter().map(|buffer| buffer.1.saturating_mul(count)))
    }

    fn more(&self) -> u64 {
        self.held() + (LEAST_MORE * self.buffers.len()) as u64
    }

    fn grow(&mut self) -> Result<()> {
        let more = 2 * self.records.capacity() - self.records.len();
        memory::reserve("sort keys", &mut self.records, more)?;
        self.buffers.iter_mut().try_for_each(|buffer| {
            let more = 2 * buffer.capacity() + LEAST_MORE - buffer.len();
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

    fn room(&self) -> usize {
        self.records.capacity()
    }

    fn code(&self, _: &WideLayout, at: usize) -> u64 {
        self.records[at][N - 1]
    }

    fn is_same_place(&self, layout: &WideLayout, a: usize, b: usize) -> bool {
        let texts = self.texts();
        layout.compare_places((&self.records[a], &texts), (&self.records[b], &texts)).is_eq()
    }

    fn assign(&mut self, to: usize, from: usize) {
        self.records[to] = self.records[from];
    }

    fn truncate(&mut self, count: usize) {
        self.records.truncate(count);
    }

    fn compact(&mut self, layout: &WideLayout) {
        for (number, buffer) in self.buffers.iter_mut().enumerate() {
            let word = layout.key_words + number;
            self.records.sort_unstable_by_key(|record| record[word]);
            let (mut end, mut last) = (0, None);
            for record in &mut self.records {
                let before = record[word];
                record[word] = match last {
                    Some((same, after)) if same == before => after,
                    _ => {
                        let (start, length) = ((before >> LENGTH_BITS) as usize, (before & (LONGEST - 1)) as usize);
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
        let texts: Texts<'_> = self.buffers.iter().map(Vec::as_slice).collect();
        self.records.sort_unstable_by(|a, b| layout.compare((a, &texts), (b, &texts)));
    }

    fn select_nth(&mut self, layout: &WideLayout, at: usize) {
        let texts: Texts<'_> = self.buffers.iter().map(Vec::as_slice).collect();
        self.records.select_nth_unstable_by(at, |a, b| layout.compare((a, &texts), (b, &texts)));
    }

    fn partition(&mut self, layout: &WideLayout, bound: &Self) -> usize {
        let texts: Texts<'_> = self.buffers.iter().map(Vec::as_slice).collect();
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
        let (texts, to, mut copied) = (other.texts(), to.map(Self::view), Copied(None));
        for (at, record) in other.records.iter().enumerate().skip(start) {
            if let Some((bound, of_bound)) = &to
                && layout.compare((record, &texts), (bound, of_bound)).is_ge()
            {
                continue;
            }
            if !self.has_room(layout, record, &copied) {
                return at;
            }
            self.push(layout, *record, &texts, &mut copied);
        }
        other.records.len()
    }

    fn bound(&self, layout: &WideLayout, at: usize, together: bool) -> Result<Self> {
        WideRecords::of(layout, &self.records[at], &self.texts(), together)
    }

    fn bound_behind(&self, layout: &WideLayout, at: usize) -> Result<Option<Self>> {
        let (texts, place) = (self.texts(), &self.records[at]);
        let is_behind = |record: &&[u64; N]| layout.compare_places((record, &texts), (place, &texts)).is_gt();
        let compare = |a: &&[u64; N], b: &&[u64; N]| layout.compare_places((a, &texts), (b, &texts));
        let next = self.records.iter().filter(is_behind).min_by(compare);
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

    fn ends_behind(layout: &WideLayout, tile: usize, bound: &Self) -> bool {
        let ((corners, keys), (bound, of_bound)) = (&layout.highs, bound.view());
        let coords = corners.coords();
        let corner = layout.corner(keys, &coords, tile);
        layout.compare_places((&corner, &layout.texts(&coords)), (bound, &of_bound)).is_ge()
    }

    fn select(
        layout: &WideLayout,
        cells: &TileCells<'_>,
        (from, to): (Option<&Self>, Option<&Self>),
        access: Access<'_>,
    ) -> Result<Leased<Self>> {
        let TileCells { tile, number, coords, cells, keys, places } = cells;
        let (first, texts) = (keys.first(), layout.texts(coords));
        let (from, to) = (from.map(Self::view), to.map(Self::view));
        // Cells that lie apart from the bounds are told by the first word.
        let low = from.as_ref().map_or(0, |(from, _)| from[0]);
        let high = to.as_ref().map_or(u64::MAX, |(to, _)| to[0]);
        let record = |at: usize| -> [u64; N] {
            let cell = tile.wanted_at(at);
            let code = layout.codes.code(*number, cell, tile.passes_at(at));
            layout.record((keys, cell - cells.start), (coords, cell), code)
        };
        let is_within = |at: usize| {
            let word = first[tile.wanted_at(at) - cells.start];
            if low < word && word < high {
                return true;
            }
            if word < low || word > high {
                return false;
            }
            let record = record(at);
            let is_from =
                |(from, of_from): &(&[u64; N], Texts<'_>)| layout.compare((&record, &texts), (from, of_from)).is_ge();
            let is_to = |(to, of_to): &(&[u64; N], Texts<'_>)| layout.compare((&record, &texts), (to, of_to)).is_lt();
            from.as_ref().is_none_or(is_from) && to.as_ref().is_none_or(is_to)
        };
        let marks = access.lease(Kind::Results, places.len() as u64, || {
            memory::collect("selected cells", places.clone().map(is_within))
        })?;
        let selected = || places.clone().zip(marks.iter()).filter(|(_, mark)| **mark).map(|(at, _)| at);
        let (mut count, mut bytes) = (0, vec![0; layout.buffers.len()]);
        for at in selected() {
            count += 1;
            for (buffer, &(dimension, _)) in layout.buffers.iter().enumerate() {
                bytes[buffer] += coords[dimension].text(tile.wanted_at(at)).len();
            }
        }
        let all = count * size_of::<[u64; N]>() + bytes.iter().sum::<usize>();
        access.lease(Kind::Results, all as u64, || {
            let mut records = WideRecords::new(count, bytes.iter().copied())?;
            let mut copied = Copied(None);
            // Equal strings of cells in a row are stored once.
            let mut last: Option<[u64; N]> = None;
            for at in selected() {
                let mut record = record(at);
                if let Some(last) = &last {
                    for (buffer, texts) in texts.iter().enumerate() {
                        let word = layout.key_words + buffer;
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
        cells: &TileCells<'_>,
        which: impl ExactSizeIterator<Item = usize> + Clone,
        from: Option<&Self>,
    ) -> Result<Self> {
        let (texts, from, mut copied) = (layout.texts(cells.coords), from.map(Self::view), Copied(None));
        let bytes =
            |&(dimension, _): &(usize, usize)| which.clone().map(|cell| cells.coords[dimension].text(cell).len()).sum();
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
            Place::Whole { word, unpack } => unpack.copy(records.map(|record| record[word]), out),
            Place::Real { word, physical } => {
                let size = if physical == Physical::F32 { 4 } else { 8 };
                copy_values(size, records.map(|record| real_of(physical, record[word])), out);
            }
            Place::Text { word, buffer } => {
                let mut rest = out;
                for record in records {
                    let text = text(record[word], &self.buffers[buffer]);
                    let Some((place, behind)) = rest.split_at_mut_checked(text.len()) else { return };
                    place.copy_from_slice(text);
                    rest = behind;
                }
            }
        }
    }

    fn lengths(&self, layout: &WideLayout, cells: Range<usize>, dimension: usize, out: &mut [u64]) {
        if let Place::Text { word, .. } = layout.places[dimension] {
            out.iter_mut().zip(&self.records[cells]).for_each(|(out, record)| *out = record[word] & (LONGEST - 1));
        }
    }

    fn compare(&self, layout: &WideLayout, at: usize, point: &Point) -> Ordering {
        let record = &self.records[at];
        let compared = point.iter().map(|(dimension, datatype, end)| match layout.places[*dimension] {
            Place::Whole { word, unpack } => {
                CellRange::compare(*datatype, &unpack.value(record[word])[..unpack.size], end)
            }
            Place::Real { word, physical } => {
                let size = if physical == Physical::F32 { 4 } else { 8 };
                CellRange::compare(*datatype, &real_of(physical, record[word])[..size], end)
            }
            Place::Text { word, buffer } => {
                CellRange::compare(*datatype, text(record[word], &self.buffers[buffer]), end)
            }
        });
        compared.fold(Ordering::Equal, Ordering::then)
    }
}

/// Bytes by which a buffer of strings grows at least.
const LEAST_MORE: usize = 64;
