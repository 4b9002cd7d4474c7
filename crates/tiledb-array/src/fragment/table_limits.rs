//! Size limits of a fragment's tables, against decompression bombs: a table has as many entries as the fragment has
//! tiles, and the size of a file limits the number of its tiles. Texts take what other structures may. A small file that
//! would decode to gigabytes is rejected before it is decoded.

use super::Fragment;
use super::files::FieldPart;
use super::footer_layout::FooterSection;
use super::tables::TableLimits;
use crate::schema::Field;
use tiledb_core::budget::{StructureBudget, StructureMemory};
use tiledb_core::error::{Result, bail};
use tiledb_filters::tile::generic;

/// Numbers of tiles up to this are accepted without checking the size of a field's file.
const ALWAYS_PLAUSIBLE: u64 = 1 << 17;
/// Bytes that a tile takes at least: how many chunks it has.
const LEAST_TILE: u64 = 8;
/// Counts at the start of a table: of fixed and of variable bytes.
const TABLE_HEADER: usize = 16;
/// Overhead of an R-tree: its fanout, and the sizes of its levels.
const RTREE_HEADER: usize = 1024;

/// True for tables of values of a field.
fn has_values(section: FooterSection) -> bool {
    use FooterSection::{LowerBounds, Maxima, Minima, UpperBounds};
    matches!(section, Minima | Maxima | LowerBounds | UpperBounds)
}

impl TableLimits for Fragment {
    fn table_memory(&self, section: FooterSection, index: usize, stored_bytes: usize) -> Result<StructureMemory> {
        let field = self.field_at(section, index);
        let entry = match (section, field) {
            _ if !self.version().has_footer() => return self.texts_memory(stored_bytes),
            (FooterSection::RTree, _) => return self.rtree_memory(stored_bytes),
            (FooterSection::FragmentStats | FooterSection::Conditions, _) => return self.fields_memory(stored_bytes),
            (_, Some(field)) if has_values(section) && !field.is_var() => field.cell_size(),
            (_, None) if has_values(section) => self.zipped_size(),
            _ => 8,
        };
        let has_texts = has_values(section) && field.is_some_and(Field::is_var);
        let entries = self.plausible_tiles(field)?.saturating_mul(entry).saturating_add(TABLE_HEADER);
        self.memory_of(entries, has_texts, stored_bytes)
    }
}

impl Fragment {
    /// Decodes the table at the start of `bytes`, of field `index` if it is the table of a field; returns its size on disk.
    ///
    /// # Errors
    /// If it is corrupt, or takes more memory than such a table can.
    pub fn verify_table(&self, bytes: &[u8], section: FooterSection, index: usize) -> Result<usize> {
        let limit = |stored_bytes| self.table_memory(section, index, stored_bytes);
        Ok(generic::decode(bytes, self.key(), limit, &|_, _| Ok(()))?.tile_size)
    }

    /// Entries take a known size, texts any.
    fn memory_of(&self, entries: usize, has_texts: bool, stored_bytes: usize) -> Result<StructureMemory> {
        match has_texts {
            true => Ok(self.texts_memory(stored_bytes)?.extended(entries)),
            false => Ok(StructureMemory::of_known_size(entries, stored_bytes)),
        }
    }

    fn texts_memory(&self, stored_bytes: usize) -> Result<StructureMemory> {
        Ok(StructureBudget::of(self.resources().config())?.of_stored(stored_bytes))
    }

    /// All levels together have fewer than twice as many boxes as there are tiles.
    fn rtree_memory(&self, stored_bytes: usize) -> Result<StructureMemory> {
        let dimensions = self.schema().domain().dimensions();
        let size = |is_var: bool, size: usize| 2 * if is_var { 8 } else { size };
        let sizes: usize = dimensions.iter().map(|dimension| size(dimension.is_var(), dimension.size())).sum();
        let has_texts = dimensions.iter().any(|dimension| dimension.is_var());
        let field = self.schema().fields().iter().find(|field| field.is_dimension);
        let boxes = self.plausible_tiles(field)?.saturating_mul(sizes.saturating_mul(2)).saturating_add(RTREE_HEADER);
        self.memory_of(boxes, has_texts, stored_bytes)
    }

    /// Two cells and three words of each field, or the names of conditions.
    fn fields_memory(&self, stored_bytes: usize) -> Result<StructureMemory> {
        let of_field = |field: &Field| field.cell_size().saturating_add(32).saturating_mul(2);
        let fields = self.schema().fields().iter().chain(self.special_fields()).map(of_field);
        self.memory_of(fields.fold(0, usize::saturating_add), true, stored_bytes)
    }

    /// Coordinates of a cell. Tables have a place for zipped coordinates, with as many zeros where dimensions have files of
    /// their own.
    fn zipped_size(&self) -> usize {
        let dimensions = self.schema().domain().dimensions();
        let size = dimensions.iter().map(|dimension| dimension.size()).max().unwrap_or_default();
        dimensions.len().saturating_mul(size)
    }

    /// The field whose table this is.
    fn field_at(&self, section: FooterSection, index: usize) -> Option<&Field> {
        if matches!(section, FooterSection::RTree | FooterSection::FragmentStats | FooterSection::Conditions) {
            return None;
        }
        if matches!(section, FooterSection::LowerBounds | FooterSection::UpperBounds) {
            return self.schema().fields().iter().filter(|field| field.is_dimension).nth(index);
        }
        // Attributes come first in the tables, then a place for zipped coordinates, dimensions and special fields.
        let fields = self.schema().fields();
        let nearest = [Some(index), index.checked_sub(1)].into_iter().flatten().filter_map(|place| fields.get(place));
        let first_dimension = fields.get(self.schema().attributes().len());
        let mut candidates = nearest.chain(first_dimension).chain(self.special_fields());
        candidates.find(|&field| self.index_of(field) == index)
    }

    /// The number of tiles that the footer states, if the file of a field can hold that many.
    fn plausible_tiles(&self, field: Option<&Field>) -> Result<usize> {
        let tiles = self.tile_count();
        if let (true, Some(field)) = (tiles > ALWAYS_PLAUSIBLE, field) {
            let size = self.file(field, FieldPart::Data)?.len();
            if tiles > size / LEAST_TILE {
                bail!(Corrupt, "{tiles} tiles are said to lie in {size} bytes of field '{}'", field.name);
            }
        }
        Ok(usize::try_from(tiles).unwrap_or(usize::MAX))
    }
}
