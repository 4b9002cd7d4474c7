//! The layout of records of several words, and how they are compared.

use std::cmp::Ordering;

use super::fragment_cursor::FragmentCursor;
use super::packed_cell::CodeLayout;
use super::points::Points;
use tiledb_cells::columns::coords::Coords;
use tiledb_cells::keys::plan::{KeyComparison, KeyPlan};
use tiledb_cells::keys::unpack::{CoordEncoding, CoordUnpack};
use tiledb_cells::keys::words::Keys;
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::types::PhysicalType;

/// Bits of a word that hold the length of a string; those above hold where it begins.
pub(super) const LENGTH_BITS: u32 = 30;
/// Strings are shorter than this.
pub(super) const LONGEST: u64 = 1 << LENGTH_BITS;

#[derive(Clone, Copy)]
pub(super) enum CompareStep {
    Word(usize),
    /// The bits of a floating-point number, where both zeros are equal, and all NaNs.
    Real(usize, RealBits),
    /// The strings of a buffer; the word has their position.
    Text {
        word: usize,
        buffer: usize,
    },
}

/// Where a coordinate is in a record.
#[derive(Clone, Copy)]
pub(super) enum CoordLocation {
    Whole { word: usize, unpack: CoordUnpack },
    Real { word: usize, bits: RealBits },
    Text { word: usize, buffer: usize },
}

/// The source of a word of a record.
#[derive(Clone, Copy)]
pub(super) enum WordSource {
    /// A word of the sort key.
    Key(usize),
    /// A part of it.
    KeyPart(usize, CoordUnpack),
    /// The bits of the coordinate along a dimension.
    Real(usize, RealBits),
    /// The position of its string.
    Text(usize),
}

impl WordSource {
    #[inline]
    fn word(self, (keys, key): (&Keys, usize), (coords, row): (&[Coords<'_>], usize)) -> u64 {
        match self {
            WordSource::Key(word) => keys.word(word, key),
            WordSource::KeyPart(word, unpack) => keys.word(word, key) >> unpack.shift & unpack.mask,
            WordSource::Real(dimension, bits) => bits.read(&coords[dimension], row),
            WordSource::Text(dimension) => {
                let start = match coords[dimension] {
                    Coords::Var { starts, .. } => starts[row],
                    Coords::Fixed(_) => 0,
                };
                start << LENGTH_BITS | coords[dimension].text(row).len() as u64
            }
        }
    }
}

/// Strings that records refer to.
pub(super) struct StringBuffer {
    pub dimension: usize,
    /// The word of records that has their position.
    pub word: usize,
    /// How long they are on average.
    pub average: usize,
}

/// The meaning of the words of records of a read. The last is the code.
pub(super) struct WideLayout {
    pub codes: CodeLayout,
    /// The sources of the others.
    origins: Vec<WordSource>,
    /// How coordinates are compared.
    steps: Vec<CompareStep>,
    /// By dimension.
    pub places: Vec<CoordLocation>,
    pub buffers: Vec<StringBuffer>,
    /// The corners of tiles.
    pub lows: (Points, Keys),
    pub highs: (Points, Keys),
}

/// Strings that records refer to, by buffer.
pub(super) type StringBuffers<'t> = Vec<&'t [u8]>;

impl WideLayout {
    /// The layout for the tiles of `cursors`; `None` if keys have more than coordinates.
    ///
    /// # Errors
    /// If tables of a fragment are not valid, or memory does not suffice.
    pub(super) fn new(
        plan: &KeyPlan,
        codes: CodeLayout,
        cursors: &[FragmentCursor],
        (lows, highs): (Points, Points),
    ) -> Result<Option<WideLayout>> {
        let Some(unpacked) = plan.unpacked() else { return Ok(None) };
        let corners = |corners: Points| corners.keys(plan).map(|keys| (corners, keys));
        let (lows, highs) = (corners(lows)?, corners(highs)?);
        let origins = Vec::new();
        let steps = Vec::new();
        let places = Vec::new();
        let buffers = Vec::new();
        let mut layout = WideLayout { codes, origins, steps, places, buffers, lows, highs };
        layout.places.extend(unpacked.iter().map(|unpacked| match *unpacked {
            CoordEncoding::Whole { word, unpack } => CoordLocation::Whole { word, unpack },
            CoordEncoding::Real(physical) => CoordLocation::Real { word: 0, bits: RealBits::of(physical) },
            CoordEncoding::Text { word } => CoordLocation::Text { word, buffer: 0 },
        }));
        match plan.has_floats() {
            true => layout.lay_out_by_dimension(plan, cursors)?,
            false => layout.lay_out_by_word(plan, cursors)?,
        }
        Ok(Some(layout))
    }

    /// Words of the key hold all coordinates but the rest of strings.
    fn lay_out_by_word(&mut self, plan: &KeyPlan, cursors: &[FragmentCursor]) -> Result<()> {
        self.origins = (0..plan.words()).map(WordSource::Key).collect();
        for step in plan.steps() {
            match *step {
                KeyComparison::Word(word) => self.steps.push(CompareStep::Word(word)),
                KeyComparison::Text(dimension) => self.lay_out_text(dimension, cursors)?,
            }
        }
        Ok(())
    }

    /// Of floating-point numbers the key has less than their bits, which serve as well: each coordinate has a word.
    fn lay_out_by_dimension(&mut self, plan: &KeyPlan, cursors: &[FragmentCursor]) -> Result<()> {
        for dimension in plan.compared() {
            let next = self.origins.len();
            match &mut self.places[dimension] {
                CoordLocation::Whole { word, unpack } => {
                    self.origins.push(WordSource::KeyPart(*word, *unpack));
                    self.steps.push(CompareStep::Word(next));
                    (*word, unpack.shift) = (next, 0);
                }
                CoordLocation::Real { word, bits } => {
                    self.origins.push(WordSource::Real(dimension, *bits));
                    self.steps.push(CompareStep::Real(next, *bits));
                    *word = next;
                }
                CoordLocation::Text { word, .. } => {
                    self.origins.push(WordSource::Key(*word));
                    self.steps.push(CompareStep::Word(next));
                    self.lay_out_text(dimension, cursors)?;
                }
            }
        }
        Ok(())
    }

    /// The rest of a string, after its first bytes.
    fn lay_out_text(&mut self, dimension: usize, cursors: &[FragmentCursor]) -> Result<()> {
        let word = self.origins.len();
        let buffer = self.buffers.len();
        self.origins.push(WordSource::Text(dimension));
        self.steps.push(CompareStep::Text { word, buffer });
        self.places[dimension] = CoordLocation::Text { word, buffer };
        self.buffers.push(StringBuffer { dimension, word, average: average_length(cursors, dimension)? });
        Ok(())
    }

    /// The words that a record needs.
    pub(super) fn words(&self) -> usize {
        self.origins.len() + 1
    }

    /// The record of a row of coordinates, and a row of keys; its strings are those of the coordinates.
    pub(super) fn record<const N: usize>(
        &self,
        keys: (&Keys, usize),
        coords: (&[Coords<'_>], usize),
        code: u64,
    ) -> [u64; N] {
        let mut record = [0; N];
        for (word, origin) in record.iter_mut().zip(&self.origins) {
            *word = origin.word(keys, coords);
        }
        record[N - 1] = code;
        record
    }

    /// Whether records have words of the sort key.
    pub(super) fn has_keys(&self) -> bool {
        self.origins.iter().any(|origin| matches!(origin, WordSource::Key(_) | WordSource::KeyPart(..)))
    }

    /// True if records are compared as their words are: they refer to no strings, and no coordinate of this one is equal to
    /// one with other bits.
    pub(super) fn is_plain<const N: usize>(&self, record: &[u64; N]) -> bool {
        self.steps.iter().all(|step| match *step {
            CompareStep::Word(_) => true,
            CompareStep::Real(word, bits) => bits.key(record[word]) == record[word],
            CompareStep::Text { .. } => false,
        })
    }

    /// Fills records of some rows, but for their codes; `start` is the row of the first key.
    pub(super) fn fill<const N: usize>(
        &self,
        (keys, start): (&Keys, usize),
        coords: &[Coords<'_>],
        rows: impl Iterator<Item = usize> + Clone,
        records: &mut [[u64; N]],
    ) {
        for (word, origin) in self.origins.iter().enumerate() {
            let records = records.iter_mut().zip(rows.clone());
            // One loop for each origin, without a dispatch in it.
            match *origin {
                WordSource::Real(dimension, bits) => {
                    let coords = &coords[dimension];
                    records.for_each(|(record, row)| record[word] = bits.read(coords, row));
                }
                WordSource::Key(of_key) => {
                    records.for_each(|(record, row)| record[word] = keys.word(of_key, row - start))
                }
                origin => {
                    records.for_each(|(record, row)| record[word] = origin.word((keys, row - start), (coords, row)));
                }
            }
        }
    }

    /// The first comparison word of some rows; `start` is the row of the first key.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(super) fn first_of_rows(
        &self,
        (keys, start): (&Keys, usize),
        coords: &[Coords<'_>],
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Vec<u64>> {
        let mut firsts = memory::with_capacity("sort keys", rows.len())?;
        match self.origins.first() {
            Some(&WordSource::Real(dimension, bits)) => {
                let coords = &coords[dimension];
                firsts.extend(rows.map(|row| bits.key(bits.read(coords, row))));
            }
            Some(&WordSource::Key(word)) => firsts.extend(rows.map(|row| keys.word(word, row - start))),
            Some(origin) => {
                firsts.extend(rows.map(|row| self.first_key(origin.word((keys, row - start), (coords, row)))))
            }
            None => firsts.extend(rows.map(|_| 0)),
        }
        Ok(firsts)
    }

    /// The first comparison word of a record.
    #[inline]
    pub(super) fn first<const N: usize>(&self, record: &[u64; N]) -> u64 {
        self.first_key(record[0])
    }

    #[inline]
    fn first_key(&self, word: u64) -> u64 {
        match self.steps.first() {
            Some(CompareStep::Real(_, bits)) => bits.key(word),
            _ => word,
        }
    }

    /// Converts a record to the lowest one with its coordinates.
    pub(super) fn lower<const N: usize>(&self, record: &mut [u64; N]) {
        for step in &self.steps {
            if let CompareStep::Real(word, bits) = *step {
                record[word] = bits.least(record[word]);
            }
        }
        record[N - 1] = 0;
    }

    /// The record of a corner: the lowest one with its coordinates.
    pub(super) fn corner<const N: usize>(&self, keys: &Keys, coords: &[Coords<'_>], tile: usize) -> [u64; N] {
        let mut record = self.record((keys, tile), (coords, tile), 0);
        self.lower(&mut record);
        record
    }

    /// The strings of columns of coordinates.
    pub(super) fn texts<'c>(&self, coords: &[Coords<'c>]) -> StringBuffers<'c> {
        let of = |buffer: &StringBuffer| match coords[buffer.dimension] {
            Coords::Var { data, .. } => data,
            Coords::Fixed(_) => &[],
        };
        self.buffers.iter().map(of).collect()
    }

    /// The length of a string of a record.
    pub(super) fn length<const N: usize>(&self, record: &[u64; N], buffer: usize) -> usize {
        (record[self.buffers[buffer].word] & (LONGEST - 1)) as usize
    }

    /// Compares the positions of cells in the order.
    #[inline]
    pub(super) fn compare_places<const N: usize>(
        &self,
        a: (&[u64; N], &StringBuffers<'_>),
        b: (&[u64; N], &StringBuffers<'_>),
    ) -> Ordering {
        for step in &self.steps {
            let order = match *step {
                CompareStep::Word(word) => a.0[word].cmp(&b.0[word]),
                CompareStep::Real(word, bits) => bits.key(a.0[word]).cmp(&bits.key(b.0[word])),
                CompareStep::Text { word, buffer } => text(a.0[word], a.1[buffer]).cmp(text(b.0[word], b.1[buffer])),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Compares coordinates, and the bits of those with the same position: zeros and NaNs with different ones are
    /// different coordinates.
    pub(super) fn compare_coordinates<const N: usize>(
        &self,
        a: (&[u64; N], &StringBuffers<'_>),
        b: (&[u64; N], &StringBuffers<'_>),
    ) -> Ordering {
        self.compare_places(a, b).then_with(|| {
            let of_bits = |step: &CompareStep| match *step {
                CompareStep::Real(word, _) => a.0[word].cmp(&b.0[word]),
                CompareStep::Word(_) | CompareStep::Text { .. } => Ordering::Equal,
            };
            self.steps.iter().map(of_bits).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    }

    /// Compares cells; those with the same coordinates by their codes.
    #[inline]
    pub(super) fn compare<const N: usize>(
        &self,
        a: (&[u64; N], &StringBuffers<'_>),
        b: (&[u64; N], &StringBuffers<'_>),
    ) -> Ordering {
        // The first word decides nearly always.
        let of_first = self.first(a.0).cmp(&self.first(b.0));
        of_first.then_with(|| self.compare_coordinates(a, b)).then_with(|| a.0[N - 1].cmp(&b.0[N - 1]))
    }
}

/// Floating-point numbers as integers: their bits, in the order of `total_cmp`.
#[derive(Clone, Copy)]
pub(super) struct RealBits {
    /// Bytes of a number.
    pub size: usize,
    sign: u64,
    /// The images of the infinities.
    lowest: u64,
    highest: u64,
}

impl RealBits {
    fn of(physical: PhysicalType) -> RealBits {
        let (size, sign, infinity) = match physical {
            PhysicalType::F32 => (4, 1 << 31, u64::from(f32::INFINITY.to_bits())),
            _ => (8, 1 << 63, f64::INFINITY.to_bits()),
        };
        let (lowest, highest) = (!(infinity | sign) & (sign | (sign - 1)), infinity | sign);
        RealBits { size, sign, lowest, highest }
    }

    /// The image of a coordinate.
    #[inline]
    fn read(self, coords: &Coords<'_>, row: usize) -> u64 {
        let value = coords.value(row, self.size);
        // Copies of a known size are loads.
        let bits = match self.size {
            4 => value.try_into().map_or(0, |bytes| u64::from(u32::from_le_bytes(bytes))),
            _ => value.try_into().map_or(0, u64::from_le_bytes),
        };
        if bits & self.sign == 0 { bits | self.sign } else { !bits & (self.sign | (self.sign - 1)) }
    }

    /// The coordinate that has an image, in its first `size` bytes.
    pub(super) fn value(self, image: u64) -> [u8; 8] {
        let bits = if image & self.sign == 0 { !image } else { image & !self.sign };
        bits.to_le_bytes()
    }

    /// The comparison key: both zeros are equal, and all NaNs, which sort last.
    #[inline]
    fn key(self, image: u64) -> u64 {
        match image {
            // The lower zero.
            _ if image == self.sign - 1 => self.sign,
            _ if image < self.lowest || image > self.highest => u64::MAX,
            _ => image,
        }
    }

    /// The minimum image with the same key.
    fn least(self, image: u64) -> u64 {
        match self.key(image) {
            u64::MAX => 0,
            key if key == self.sign => self.sign - 1,
            key => key,
        }
    }
}

/// How long the strings of a dimension are on average.
fn average_length(cursors: &[FragmentCursor], dimension: usize) -> Result<usize> {
    let mut bytes = 0u64;
    let mut cells = 0u64;
    for cursor in cursors {
        for (tile, _) in (0..cursor.tiles.count()).filter_map(|place| cursor.tile(place)) {
            bytes = bytes.saturating_add(cursor.fragment.var_tile_size(&cursor.dimensions[dimension], tile)?);
            cells = cells.saturating_add(cursor.fragment.cells_in_tile(tile));
        }
    }
    Ok(usize::try_from(bytes / cells.max(1) + 1).unwrap_or(usize::MAX))
}

/// The string that a word refers to.
#[inline]
pub(super) fn text(word: u64, buffer: &[u8]) -> &[u8] {
    let start = word >> LENGTH_BITS;
    let length = word & (LONGEST - 1);
    buffer.get(start as usize..(start + length) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_core::types::Cell;

    #[test]
    fn images_of_numbers_have_their_order() {
        let numbers = [-1.5, -0.0, 0.0, 1e-30, 7.25, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN];
        let wide = RealBits::of(PhysicalType::F64);
        let narrow = RealBits::of(PhysicalType::F32);
        for a in numbers {
            let (of_a, a_bytes, a_narrow) = (|b: f64| b.to_key(), a.to_le_bytes(), (a as f32).to_le_bytes());
            let image = wide.read(&Coords::Fixed(&a_bytes), 0);
            assert_eq!(wide.value(image), a_bytes);
            let of_narrow = narrow.read(&Coords::Fixed(&a_narrow), 0);
            assert_eq!(narrow.value(of_narrow)[..4], a_narrow);
            assert_eq!((wide.key(wide.least(image)), wide.least(image) <= image), (wide.key(image), true));
            for b in numbers {
                let other = wide.read(&Coords::Fixed(&b.to_le_bytes()), 0);
                assert_eq!(wide.key(image).cmp(&wide.key(other)), of_a(a).cmp(&of_a(b)), "{a} {b}");
                assert_eq!(image.cmp(&other), a.total_cmp(&b), "{a} {b}");
                let other = narrow.read(&Coords::Fixed(&(b as f32).to_le_bytes()), 0);
                assert_eq!(narrow.key(of_narrow).cmp(&narrow.key(other)), of_a(a).cmp(&of_a(b)), "{a} {b}");
            }
        }
    }
}
