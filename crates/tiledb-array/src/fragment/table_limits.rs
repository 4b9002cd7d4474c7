//! Size limits of a fragment's tables, against decompression bombs: a table has as many entries as the fragment has
//! tiles, and the size of a file limits the number of its tiles. A small file that would decode to gigabytes is
//! rejected before it is decoded.

use super::Fragment;
use super::files::FieldPart;
use super::footer_layout::FooterSection;
use super::tables::TableLimits;
use crate::schema::Field;
use tiledb_core::error::{Result, bail};

/// Numbers of tiles up to this are accepted without checking the size of a field's file.
const ALWAYS_PLAUSIBLE: u64 = 1 << 17;
/// Bytes that a tile takes at least: how many chunks it has.
const LEAST_TILE: u64 = 8;
/// Overhead of a table: counts, and for an R-tree the sizes of its levels.
const HEAD: usize = 1024;

/// Maximum decoded size of the texts of a table, which may be long and similar: an absolute size, or a multiple of the size on
/// disk.
fn texts(on_disk: usize) -> usize {
    on_disk.saturating_mul(64).max(64 << 20)
}

/// True for tables of values of a field.
fn has_values(section: FooterSection) -> bool {
    use FooterSection::{LowerBounds, Maxima, Minima, UpperBounds};
    matches!(section, Minima | Maxima | LowerBounds | UpperBounds)
}

impl TableLimits for Fragment {
    fn max_table_size(&self, section: FooterSection, index: usize, on_disk: usize) -> Result<usize> {
        let field = self.field_at(section, index);
        let entry = match (section, field) {
            (FooterSection::RTree, _) => return self.max_rtree_size(on_disk),
            (FooterSection::FragmentStats | FooterSection::Conditions, _) => return self.max_fields_size(on_disk),
            (_, Some(field)) if has_values(section) && !field.is_var() => field.cell_size(),
            _ => 8,
        };
        let more = match field {
            Some(field) if has_values(section) && field.is_var() => texts(on_disk),
            _ => 0,
        };
        let entries = self.plausible_tiles(field)?.saturating_mul(entry);
        Ok(entries.saturating_add(more).saturating_add(HEAD))
    }
}

impl Fragment {
    /// All levels together have fewer than twice as many boxes as there are tiles.
    fn max_rtree_size(&self, on_disk: usize) -> Result<usize> {
        let dimensions = self.schema().domain().dimensions();
        let size = |is_var: bool, size: usize| 2 * if is_var { 8 } else { size };
        let sizes: usize = dimensions.iter().map(|dimension| size(dimension.is_var(), dimension.size())).sum();
        let more = if dimensions.iter().any(|dimension| dimension.is_var()) { texts(on_disk) } else { 0 };
        let field = self.schema().fields().iter().find(|field| field.is_dimension);
        let boxes = self.plausible_tiles(field)?.saturating_mul(sizes.saturating_mul(2));
        Ok(boxes.saturating_add(more).saturating_add(HEAD))
    }

    /// Two cells and three words of each field, or the names of conditions.
    fn max_fields_size(&self, on_disk: usize) -> Result<usize> {
        let of_field = |field: &Field| field.cell_size().saturating_add(32).saturating_mul(2);
        let fields = self.schema().fields().iter().chain(self.special_fields()).map(of_field);
        Ok(fields.fold(texts(on_disk), usize::saturating_add))
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
