//! Key plan: which words the keys of an array's cells consist of.

use std::cmp::Ordering;
use std::ops::Range;

use super::hilbert::Hilbert;
use super::kernel;
use super::kernel::{Tiling, bits};
use super::unpack::{CoordEncoding, CoordUnpack};
use super::words::{CellKeys, Keys};
use crate::columns::coords::Coords;
use tiledb_array::schema::{ArraySchema, Dimension};
use tiledb_core::error::{Result, bail};
use tiledb_core::limits::keys::{CELLS_PER_GATHER, CELLS_PER_KEY_BLOCK};
use tiledb_core::memory;
use tiledb_core::types::{Cell, Layout, PhysicalType, dispatch};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellOrder {
    /// The order of cells in a fragment.
    Global,
    /// By the coordinates, the last dimension fastest.
    Row,
    /// By the coordinates, the first dimension fastest.
    Col,
}

/// The source of one part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyPart {
    /// The number of the space tile along a dimension.
    Tile(usize),
    /// The coordinate's distance from the start of its space tile.
    Inside(usize),
    Coordinate(usize),
    /// The first eight bytes of a string.
    Prefix(usize),
    /// The Hilbert value.
    Hilbert,
}

impl KeyPart {
    /// The dimension that it is computed from; `None` for all of them.
    fn dimension(self) -> Option<usize> {
        match self {
            KeyPart::Tile(index) | KeyPart::Inside(index) | KeyPart::Coordinate(index) | KeyPart::Prefix(index) => {
                Some(index)
            }
            KeyPart::Hilbert => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct KeyPartLayout {
    part: KeyPart,
    word: usize,
    shift: u32,
    /// With a tile number: the position of the distance in the tile, which the same division yields.
    inside: Option<u32>,
}

/// A step of a comparison.
#[derive(Clone, Copy, Debug)]
pub enum KeyComparison {
    /// By a word of the keys.
    Word(usize),
    /// By the strings of a dimension, whose first eight bytes were the word before.
    Text(usize),
}

/// One dimension as the kernels need it.
struct KeyDimension {
    physical: PhysicalType,
    size: usize,
    is_var: bool,
    /// Bits of a key that no value of the type uses.
    drop: u32,
    /// The key of the domain's low end, unused bits dropped; 0 if values may be outside the domain.
    low: u64,
    /// The maximum key from there on, which all NaNs share; unbounded for integers.
    most: u64,
    /// Bits of a coordinate.
    width: u32,
    tiling: Tiling,
    /// Bits of a tile number.
    tile_width: u32,
}

/// Which words keys have, in what order they are compared, and how they are computed. Created once per query.
pub struct KeyPlan {
    dimensions: Vec<KeyDimension>,
    parts: Vec<KeyPartLayout>,
    words: usize,
    steps: Vec<KeyComparison>,
    /// Dimensions whose values may differ where their keys do not.
    floats: Vec<usize>,
    preserves_corners: bool,
    hilbert: Option<Hilbert>,
}

impl KeyPlan {
    /// The plan for cells of an array. `inside` promises that all coordinates are in the domain, which makes keys
    /// shorter; without it any coordinate can be sorted.
    ///
    /// # Errors
    /// For a schema without dimensions.
    pub fn new(schema: &ArraySchema, order: CellOrder, inside: bool) -> Result<KeyPlan> {
        let dimensions = schema.domain().dimensions();
        if dimensions.is_empty() {
            bail!("ArraySchema: The array has no dimensions");
        }
        let keyed: Vec<KeyDimension> =
            dimensions.iter().map(|dimension| KeyDimension::new(dimension, inside)).collect();
        let along_hilbert = order == CellOrder::Global && schema.cell_order() == Layout::Hilbert;
        let mut plan = KeyPlan {
            hilbert: along_hilbert.then(|| Hilbert::new(dimensions)),
            floats: (0..keyed.len()).filter(|&index| keyed[index].is_float()).collect(),
            preserves_corners: !along_hilbert,
            dimensions: keyed,
            parts: Vec::new(),
            words: 0,
            steps: Vec::new(),
        };
        let mut bits_left = 0;
        match order {
            CellOrder::Global if along_hilbert => {
                plan.place(KeyPart::Hilbert, 64, &mut bits_left);
                plan.place_cells(Layout::RowMajor, false, &mut bits_left);
            }
            CellOrder::Global => {
                let tiles = plan.place_tiles(schema.tile_order(), &mut bits_left);
                plan.place_cells(schema.cell_order(), tiles && inside, &mut bits_left);
            }
            CellOrder::Row => plan.place_cells(Layout::RowMajor, false, &mut bits_left),
            CellOrder::Col => plan.place_cells(Layout::ColMajor, false, &mut bits_left),
        }
        // The numbers of tiles outside the domain wrap around.
        plan.preserves_corners &= inside || !plan.parts.iter().any(|placed| matches!(placed.part, KeyPart::Tile(_)));
        plan.words = plan.words.max(1);
        plan.align();
        plan.join_divisions();
        Ok(plan)
    }

    fn in_order(&self, order: Layout) -> Vec<usize> {
        let count = self.dimensions.len();
        if order == Layout::ColMajor { (0..count).rev().collect() } else { (0..count).collect() }
    }

    /// Tile numbers; along a single dimension they say nothing that coordinates do not.
    fn place_tiles(&mut self, order: Layout, bits_left: &mut u32) -> bool {
        if self.dimensions.len() == 1 {
            return false;
        }
        for index in self.in_order(order) {
            let dimension = &self.dimensions[index];
            if !matches!(dimension.tiling, Tiling::None) && dimension.tile_width > 0 {
                self.place(KeyPart::Tile(index), self.dimensions[index].tile_width, bits_left);
            }
        }
        true
    }

    fn place_cells(&mut self, order: Layout, inside_tiles: bool, bits_left: &mut u32) {
        for index in self.in_order(order) {
            let dimension = &self.dimensions[index];
            if dimension.is_var {
                self.place(KeyPart::Prefix(index), 64, bits_left);
                self.steps.push(KeyComparison::Text(index));
                *bits_left = 0;
                continue;
            }
            match dimension.tiling.inside_width() {
                Some(width) if inside_tiles => {
                    self.place(KeyPart::Inside(index), width.min(dimension.width), bits_left)
                }
                _ => self.place(KeyPart::Coordinate(index), dimension.width, bits_left),
            }
        }
    }

    /// Appends a part: to the current word if `bits_left` of it suffice. Until [`KeyPlan::align`] the shift counts from
    /// the word's top.
    fn place(&mut self, part: KeyPart, width: u32, bits_left: &mut u32) {
        if width == 0 {
            return;
        }
        if *bits_left < width {
            self.words += 1;
            self.steps.push(KeyComparison::Word(self.words - 1));
            *bits_left = 64;
        }
        *bits_left -= width;
        self.parts.push(KeyPartLayout { part, word: self.words - 1, shift: *bits_left, inside: None });
    }

    /// Moves the parts of every word down to its low bits: short keys sort faster.
    fn align(&mut self) {
        // Parts of one word follow one another.
        for word in self.parts.chunk_by_mut(|one, next| one.word == next.word) {
            let least = word.iter().map(|placed| placed.shift).min().unwrap_or(0);
            word.iter_mut().for_each(|placed| placed.shift -= least);
        }
        if self.steps.is_empty() {
            self.steps.push(KeyComparison::Word(0));
        }
    }

    /// Joins the distances in tiles to the tile numbers in the same word.
    fn join_divisions(&mut self) {
        let is_inside = |placed: &&KeyPartLayout| matches!(placed.part, KeyPart::Inside(_));
        for inside in self.parts.iter().filter(is_inside).copied().collect::<Vec<_>>() {
            let Some(dimension) = inside.part.dimension() else { continue };
            let mut parts = self.parts.iter_mut();
            if let Some(tile) =
                parts.find(|placed| placed.part == KeyPart::Tile(dimension) && placed.word == inside.word)
            {
                tile.inside = Some(inside.shift);
                self.parts.retain(|placed| placed.part != inside.part);
            }
        }
    }

    /// The steps of a comparison, starting with the first word.
    pub fn steps(&self) -> &[KeyComparison] {
        &self.steps
    }

    /// True if the first word alone decides the order.
    pub fn is_one_word(&self) -> bool {
        self.steps.len() == 1
    }

    /// True if different coordinates may have the same position in the order.
    pub fn has_floats(&self) -> bool {
        !self.floats.is_empty()
    }

    /// True if the first word alone decides whether coordinates are equal.
    pub fn is_one_exact_word(&self) -> bool {
        self.is_one_word() && !self.has_floats()
    }

    /// How coordinates are unpacked from keys, per dimension, and the significant bits of a key; `None` unless a key is a
    /// single word that holds all coordinates in full.
    pub fn unpack(&self) -> Option<(Vec<CoordUnpack>, u32)> {
        if !self.is_one_exact_word() {
            return None;
        }
        let of = |unpacked| match unpacked {
            CoordEncoding::Whole { unpack, .. } => Some(unpack),
            CoordEncoding::Real(_) | CoordEncoding::Text { .. } => None,
        };
        let width = self.dimensions.iter().map(|dimension| dimension.width).sum();
        Some((self.unpacked()?.into_iter().map(of).collect::<Option<_>>()?, width))
    }

    /// How coordinates are decoded from keys, per dimension; `None` unless keys consist of coordinates only.
    pub fn unpacked(&self) -> Option<Vec<CoordEncoding>> {
        let is_coordinate = |placed: &KeyPartLayout| matches!(placed.part, KeyPart::Coordinate(_) | KeyPart::Prefix(_));
        if !self.parts.iter().all(is_coordinate) {
            return None;
        }
        let of = |(index, dimension): (usize, &KeyDimension)| {
            if dimension.is_float() {
                return CoordEncoding::Real(dimension.physical);
            }
            let of_dimension =
                |placed: &&KeyPartLayout| [KeyPart::Coordinate(index), KeyPart::Prefix(index)].contains(&placed.part);
            let placed = self.parts.iter().find(of_dimension);
            if dimension.is_var {
                return CoordEncoding::Text { word: placed.map_or(0, |placed| placed.word) };
            }
            let unpack = CoordUnpack {
                size: dimension.size,
                shift: placed.map_or(0, |placed| placed.shift),
                mask: placed.map_or(0, |_| u64::MAX.checked_shr(64 - dimension.width).unwrap_or(0)),
                low: dimension.low,
                zero: dispatch!(dimension.physical, T => <T as Default>::default().to_key()),
            };
            CoordEncoding::Whole { word: placed.map_or(0, |placed| placed.word), unpack }
        };
        Some(self.dimensions.iter().enumerate().map(of).collect())
    }

    /// Bytes of one coordinate of a dimension; of one value for strings.
    #[inline]
    pub fn size(&self, dimension: usize) -> usize {
        self.dimensions.get(dimension).map_or(1, |dimension| dimension.size)
    }

    /// True if a dimension holds strings.
    pub fn is_var(&self, dimension: usize) -> bool {
        self.dimensions.get(dimension).is_some_and(|dimension| dimension.is_var)
    }

    /// How many dimensions there are.
    pub fn dimension_count(&self) -> usize {
        self.dimensions.len()
    }

    /// True if no cell of a box precedes the box's lower corner or follows its upper one.
    pub fn preserves_corners(&self) -> bool {
        self.preserves_corners
    }

    /// True if two cells are in the same space tile.
    pub(crate) fn same_tile(&self, a: &[Coords<'_>], i: usize, b: &[Coords<'_>], j: usize) -> bool {
        self.dimensions.iter().zip(a.iter().zip(b)).all(|(dimension, (a, b))| {
            let tile = |column: &Coords<'_>, cell: usize| {
                let mut tile = [0];
                if !dimension.is_var {
                    let bytes = column.value(cell, dimension.size);
                    dispatch!(dimension.physical, T => kernel::tiles::<T>(bytes, dimension.tiling, 0, &mut tile));
                }
                tile
            };
            tile(a, i) == tile(b, j)
        })
    }

    /// Compares cells whose first words are equal.
    pub fn compare_rest(&self, a: CellKeys<'_>, i: usize, b: CellKeys<'_>, j: usize) -> Ordering {
        for step in &self.steps[1..] {
            let order = match *step {
                KeyComparison::Word(word) => a.keys.word(word, i).cmp(&b.keys.word(word, j)),
                KeyComparison::Text(dimension) => a.coords[dimension].text(i).cmp(b.coords[dimension].text(j)),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Compares the bits of floats with the same position in the order.
    pub(crate) fn compare_bits(&self, a: &[Coords<'_>], i: usize, b: &[Coords<'_>], j: usize) -> Ordering {
        let order = |&index: &usize| {
            let size = self.dimensions[index].size;
            let (x, y) = (a[index].value(i, size), b[index].value(j, size));
            dispatch!(self.dimensions[index].physical, T => <T as Cell>::from_le(x).compare_bits(<T as Cell>::from_le(y)))
        };
        self.floats.iter().map(order).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// The dimensions in the order in which they are compared, but for those that have a single coordinate; for keys that consist
    /// of nothing but coordinates.
    pub fn compared(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|placed| match placed.part {
            KeyPart::Coordinate(dimension) | KeyPart::Prefix(dimension) => Some(dimension),
            KeyPart::Tile(_) | KeyPart::Inside(_) | KeyPart::Hilbert => None,
        })
    }

    /// How many words a key has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bytes of the key of a cell.
    pub fn key_size(&self) -> usize {
        self.words * size_of::<u64>()
    }

    /// The keys of `count` cells, from one column of coordinates per dimension. Memory of `keys` is used again.
    ///
    /// # Errors
    /// If a column is missing or has fewer cells, or memory does not suffice.
    #[inline]
    pub fn compute(&self, coords: &[Coords<'_>], count: usize, keys: &mut Keys) -> Result<()> {
        self.compute_range(coords, 0..count, keys)
    }

    /// As [`KeyPlan::compute`] for some of the cells.
    ///
    /// # Errors
    /// As [`KeyPlan::compute`].
    pub fn compute_range(&self, coords: &[Coords<'_>], cells: Range<usize>, keys: &mut Keys) -> Result<()> {
        self.check(coords, cells.end)?;
        self.reserve_words(cells.len(), keys)?;
        let mut words: Vec<&mut [u64]> = keys.words.chunks_mut(cells.len().max(1)).collect();
        self.fill(coords, cells.start, &mut words);
        Ok(())
    }

    /// Reserves memory for the keys of `count` cells, with arbitrary content.
    fn reserve_words(&self, count: usize, keys: &mut Keys) -> Result<()> {
        let total = self.words.saturating_mul(count);
        if total <= keys.words.capacity() {
            keys.words.resize(total, 0);
        } else {
            keys.words = Vec::new();
            keys.words = memory::zeroed("sort keys", total)?;
        }
        keys.count = count;
        Ok(())
    }

    /// Computes the keys of the cells from `first` on; as many as each of `words` has capacity for.
    fn fill(&self, coords: &[Coords<'_>], first: usize, words: &mut [&mut [u64]]) {
        let count = words.first().map_or(0, |word| word.len());
        let block = CELLS_PER_KEY_BLOCK.count();
        for start in (0..count).step_by(block) {
            let end = count.min(start + block);
            for (word, out) in words.iter_mut().enumerate() {
                self.fill_word(word, coords, first + start, &mut out[start..end]);
            }
        }
    }

    /// Computes a word of the keys of the cells from `first` on, of at most [`CELLS_PER_KEY_BLOCK`] cells.
    pub(super) fn fill_word(&self, word: usize, coords: &[Coords<'_>], first: usize, out: &mut [u64]) {
        // This faults in untouched pages by a write. If they were read before, they would fault twice.
        out.fill(0);
        for placed in self.parts.iter().filter(|placed| placed.word == word) {
            match (placed.part.dimension(), &self.hilbert) {
                (Some(dimension), _) => self.compute_part(placed, &coords[dimension], first, out),
                (None, Some(hilbert)) => hilbert.compute(coords, first, out, &mut hilbert.buckets(out.len())),
                (None, None) => (),
            }
        }
    }

    /// Computes a word of the keys of the cells at some positions.
    pub(super) fn gather_word(&self, word: usize, coords: &[Coords<'_>], cells: &[u64], out: &mut [u64]) {
        /// Cells that the buffer holds: the value of [`CELLS_PER_GATHER`].
        const MAX_CELLS: usize = 128;
        let most = CELLS_PER_GATHER.count().min(MAX_CELLS);
        let mut values = [0; 8 * MAX_CELLS];
        for (cells, out) in cells.chunks(most).zip(out.chunks_mut(most)) {
            out.fill(0);
            for placed in self.parts.iter().filter(|placed| placed.word == word) {
                let Some(index) = placed.part.dimension() else {
                    for (out, &cell) in out.iter_mut().zip(cells) {
                        self.fill_word(word, coords, cell as usize, std::slice::from_mut(out));
                    }
                    continue;
                };
                match coords[index] {
                    Coords::Fixed(bytes) => {
                        let values = &mut values[..cells.len() * self.dimensions[index].size];
                        kernel::gather(self.dimensions[index].size, bytes, cells, values);
                        self.compute_part(placed, &Coords::Fixed(values), 0, out);
                    }
                    column => kernel::gather_prefixes(&column, cells, out),
                }
            }
        }
    }

    pub(super) fn check(&self, coords: &[Coords<'_>], count: usize) -> Result<()> {
        if coords.len() != self.dimensions.len() {
            bail!(Internal, "Keys of {} dimensions from {} columns", self.dimensions.len(), coords.len());
        }
        for (dimension, column) in self.dimensions.iter().zip(coords) {
            let cells = match column {
                Coords::Fixed(bytes) if !dimension.is_var => bytes.len() / dimension.size.max(1),
                Coords::Var { starts, .. } if dimension.is_var => starts.len(),
                _ => bail!(Internal, "A column of coordinates is of the wrong kind"),
            };
            if cells < count {
                bail!(Internal, "Keys of {count} cells from {cells} coordinates");
            }
        }
        Ok(())
    }

    /// Adds a part to its word, or two parts that are computed together.
    fn compute_part(&self, placed: &KeyPartLayout, column: &Coords<'_>, start: usize, out: &mut [u64]) {
        let (shift, Some(index)) = (placed.shift, placed.part.dimension()) else { return };
        let dimension = &self.dimensions[index];
        let Coords::Fixed(bytes) = *column else {
            return kernel::prefixes(column, start, out);
        };
        let bytes = &bytes[start * dimension.size..(start + out.len()) * dimension.size];
        dispatch!(dimension.physical, T => match (placed.part, placed.inside) {
            (KeyPart::Tile(_), Some(inside)) => {
                kernel::tiles_and_insides::<T>(bytes, dimension.tiling, [shift, inside], out);
            }
            (KeyPart::Tile(_), None) => kernel::tiles::<T>(bytes, dimension.tiling, shift, out),
            (KeyPart::Inside(_), _) => kernel::insides::<T>(bytes, dimension.tiling, shift, out),
            _ => kernel::coordinates::<T>(bytes, dimension.span(), shift, out),
        });
    }
}

impl KeyDimension {
    fn is_float(&self) -> bool {
        !self.is_var && self.physical.is_real()
    }

    fn span(&self) -> kernel::KeySpan {
        kernel::KeySpan { drop: self.drop, low: self.low, most: self.most }
    }

    fn new(dimension: &Dimension, inside: bool) -> KeyDimension {
        let physical = dimension.datatype().physical();
        let drop = physical.spare_key_bits();
        let mut keyed = KeyDimension {
            physical,
            size: dimension.size(),
            is_var: dimension.is_var(),
            drop,
            low: 0,
            most: u64::MAX,
            width: 64 - drop,
            tiling: Tiling::None,
            tile_width: 0,
        };
        if let Some(domain) = dimension.domain() {
            dispatch!(physical, T => {
                let (low, high) = domain.ends::<T>();
                if let Some(extent) = dimension.tile_extent() {
                    keyed.tiling = Tiling::new::<T>(low, extent);
                    keyed.tile_width = if inside { keyed.tiling.width::<T>(high) } else { 64 };
                }
                if inside {
                    keyed.low = low.to_key() >> drop;
                    let most = (high.to_key() >> drop).wrapping_sub(keyed.low);
                    // NaNs sort last.
                    keyed.most = if keyed.is_float() { most.saturating_add(1) } else { most };
                    keyed.width = bits(keyed.most);
                    keyed.tiling = keyed.tiling.for_width(keyed.width);
                }
            });
        }
        keyed
    }
}
