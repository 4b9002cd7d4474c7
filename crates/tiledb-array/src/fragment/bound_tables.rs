//! Tables of the global-order bounds of tiles that a new sparse fragment stores since version 23, see [`super::tile_bounds`].

use super::filtered_tile::CoordinateBounds;
use super::footer_layout::FooterSection;
use super::min_max_column::MinMaxColumn;
use super::stored_bounds::StoredBounds;
use crate::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::FormatVersion;
use tiledb_core::wire::WireWriter;

/// The tables of all dimensions.
pub(super) struct BoundTables(Vec<DimensionBounds>);

/// The tables of one dimension.
struct DimensionBounds {
    /// Bytes of a coordinate of fixed size.
    size: usize,
    is_var: bool,
    lower: MinMaxColumn,
    upper: MinMaxColumn,
}

impl DimensionBounds {
    /// True if each table has one entry for each tile.
    fn have_entries(&self, tiles: u64) -> bool {
        let entry = if self.is_var { 8 } else { self.size };
        [&self.lower, &self.upper].into_iter().all(|column| {
            column.fixed.len() as u64 == tiles.saturating_mul(entry as u64)
                && (self.is_var || column.var.is_empty())
                && (0..tiles as usize).all(|tile| column.value(tile, self.size, self.is_var).is_some())
        })
    }
}

impl BoundTables {
    /// Tables without entries; `None` for fragments that have none.
    pub(super) fn new(schema: &ArraySchema, version: FormatVersion, dense: bool) -> Option<BoundTables> {
        let of = |dimension: &crate::schema::Dimension| DimensionBounds {
            size: dimension.size(),
            is_var: dimension.is_var(),
            lower: MinMaxColumn::default(),
            upper: MinMaxColumn::default(),
        };
        let has_tables = version.has_optional_footer_sections() && !dense;
        has_tables.then(|| BoundTables(schema.domain().dimensions().iter().map(|dimension| of(dimension)).collect()))
    }

    /// Appends the bounds of a tile, one per dimension.
    ///
    /// # Errors
    /// If they lack the coordinates of the first and last cell.
    pub(super) fn push(&mut self, bounds: &[CoordinateBounds]) -> Result<()> {
        for (tables, bounds) in self.0.iter_mut().zip(bounds) {
            let Some([first, last]) = &bounds.ends else {
                bail!(Internal, "A tile was written without the coordinates of its first and last cell");
            };
            tables.lower.push(first, tables.size, tables.is_var);
            tables.upper.push(last, tables.size, tables.is_var);
        }
        Ok(())
    }

    /// Number of dimensions.
    pub(super) fn dimensions(&self) -> usize {
        self.0.len()
    }

    /// Appends the payload of a table.
    pub(super) fn write(&self, section: FooterSection, dimension: usize, w: &mut WireWriter) {
        if let Some(tables) = self.0.get(dimension) {
            if section == FooterSection::LowerBounds { tables.lower.write(w) } else { tables.upper.write(w) }
        }
    }

    /// The tables as another writer resumes them.
    pub(super) fn into_draft(self) -> Vec<StoredBounds> {
        let of = |tables: DimensionBounds| StoredBounds {
            lower: [tables.lower.fixed, tables.lower.var],
            upper: [tables.upper.fixed, tables.upper.var],
        };
        self.0.into_iter().map(of).collect()
    }

    /// Replaces the tables by those of a draft with so many tiles.
    ///
    /// # Errors
    /// If these are not the tables of so many tiles.
    pub(super) fn resume(&mut self, draft: Vec<StoredBounds>, tiles: u64) -> Result<()> {
        let dimensions = draft.len();
        for (tables, StoredBounds { lower: [fixed, var], upper: [upper_fixed, upper_var] }) in
            self.0.iter_mut().zip(draft)
        {
            tables.lower = MinMaxColumn { fixed, var };
            tables.upper = MinMaxColumn { fixed: upper_fixed, var: upper_var };
        }
        if dimensions != self.0.len() || !self.0.iter().all(|tables| tables.have_entries(tiles)) {
            bail!(Corrupt, "Cannot go on with the write; the bounds of its tiles do not have {tiles} entries");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::schema::{Dimension, Domain};
    use tiledb_core::types::{ArrayType, CellRange, Datatype};

    /// Tables of a dimension of numbers and one of strings.
    fn tables() -> BoundTables {
        let ends = [0i32, 99].map(i32::to_le_bytes).concat();
        let x = Dimension::new("x", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap();
        let mut s = Dimension::new("s", Datatype::StringAscii, None, None).unwrap();
        s.set_cell_val_num(u32::MAX).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(x), Arc::new(s)]))).unwrap();
        BoundTables::new(&schema, FormatVersion::from_number(23).unwrap(), false).unwrap()
    }

    fn bounds(first: i32, text: &[u8]) -> [CoordinateBounds; 2] {
        let number = first.to_le_bytes();
        [
            CoordinateBounds { range: CellRange::of(first, first), ends: Some([number[..].into(), number[..].into()]) },
            CoordinateBounds { range: CellRange::var(text, text), ends: Some([text.into(), text.into()]) },
        ]
    }

    #[test]
    fn resumed_tables_continue_with_the_next_tile() {
        let (mut whole, mut begun, mut resumed) = (tables(), tables(), tables());
        for (number, text) in [(1, &b"a"[..]), (2, b""), (3, b"ccc")] {
            whole.push(&bounds(number, text)).unwrap();
        }
        begun.push(&bounds(1, b"a")).unwrap();
        begun.push(&bounds(2, b"")).unwrap();
        resumed.resume(begun.into_draft(), 2).unwrap();
        resumed.push(&bounds(3, b"ccc")).unwrap();
        assert_eq!(resumed.into_draft(), whole.into_draft());
    }

    #[test]
    fn drafts_with_other_numbers_of_tiles_are_refused() {
        let mut begun = tables();
        begun.push(&bounds(1, b"a")).unwrap();
        let draft = begun.into_draft();
        assert!(tables().resume(draft.clone(), 1).is_ok());
        for tiles in [0, 2, u64::MAX] {
            assert!(tables().resume(draft.clone(), tiles).is_err(), "{tiles}");
        }
        assert!(tables().resume(draft[..1].to_vec(), 1).is_err());
        let mut beyond = draft;
        beyond[1].upper[0] = 9u64.to_le_bytes().to_vec();
        assert!(tables().resume(beyond, 1).is_err());
    }

    #[test]
    fn tiles_without_first_and_last_cell_are_refused() {
        let without = bounds(1, b"a").map(|bounds| CoordinateBounds { ends: None, ..bounds });
        assert!(tables().push(&without).is_err());
    }
}
