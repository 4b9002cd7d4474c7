//! Bytes of tiles, all at once or gathered piece by piece if all of them would exceed memory.

use std::borrow::Cow;
use std::ops::Range;

use crate::columns::box_rows::BoxRows;
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_filters::filter::{Placeholder, TileInput};

/// The cells of a tile with null cells replaced by a placeholder: users leave values there that a filter may not
/// accept.
pub(crate) struct NullsReplaced<'a> {
    data: CellBytes<'a>,
    starts: Option<&'a [u64]>,
    validity: &'a [u8],
    /// Bytes of a fixed cell.
    cell: usize,
    placeholder: Placeholder,
}

impl<'a> NullsReplaced<'a> {
    /// `None` if the cells of a field can be filtered as they are.
    pub(crate) fn of(
        field: &Field,
        data: CellBytes<'a>,
        starts: Option<&'a [u64]>,
        validity: Option<&'a [u8]>,
    ) -> Option<NullsReplaced<'a>> {
        let placeholder = field.filters.placeholder(field.datatype)?;
        let validity = validity.filter(|validity| field.nullable && validity.contains(&0))?;
        Some(NullsReplaced { data, starts, validity, cell: field.cell_size().max(1), placeholder })
    }

    fn bounds(&self, cell: usize) -> Range<usize> {
        match self.starts {
            Some(starts) => {
                let start = |cell| starts.get(cell).map_or(self.size(), |&start| start as usize);
                start(cell)..start(cell + 1)
            }
            None => cell * self.cell..(cell + 1) * self.cell,
        }
    }
}

impl TileInput for NullsReplaced<'_> {
    fn size(&self) -> usize {
        self.data.size()
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        let original = self.data.piece(range.clone())?;
        let mut bytes = memory::with_capacity("a tile", original.len())?;
        bytes.extend_from_slice(&original);
        let first = match self.starts {
            Some(starts) => starts.partition_point(|&start| start as usize <= range.start).saturating_sub(1),
            None => range.start / self.cell,
        };
        let cells = (first..self.validity.len()).map(|cell| (cell, self.bounds(cell)));
        let cells = cells.take_while(|(_, bounds)| bounds.start < range.end);
        for (_, bounds) in cells.filter(|(cell, _)| self.validity[*cell] == 0) {
            let (start, end) = (bounds.start.max(range.start), bounds.end.min(range.end));
            let null = bytes.get_mut(start - range.start..end.max(start) - range.start).unwrap_or_default();
            self.placeholder.replace(null);
        }
        Ok(Cow::Owned(bytes))
    }
}

/// The bytes of the cells of a tile.
#[derive(Clone, Copy)]
pub(crate) enum CellBytes<'a> {
    /// All of them.
    Here(&'a [u8]),
    /// Gathered on demand.
    Apart(&'a dyn TileInput),
}

impl<'a> CellBytes<'a> {
    /// All of them, side by side.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub(crate) fn whole(self) -> Result<Cow<'a, [u8]>> {
        match self {
            CellBytes::Here(bytes) => Ok(Cow::Borrowed(bytes)),
            CellBytes::Apart(pieces) => pieces.piece(0..pieces.size()),
        }
    }
}

impl TileInput for CellBytes<'_> {
    fn size(&self) -> usize {
        match self {
            CellBytes::Here(bytes) => bytes.len(),
            CellBytes::Apart(pieces) => pieces.size(),
        }
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        match self {
            CellBytes::Here(bytes) => Ok(Cow::Borrowed(&bytes[range])),
            CellBytes::Apart(pieces) => pieces.piece(range),
        }
    }
}

/// Puts these cells of a tile side by side.
pub(crate) type GatherCells<'a> = &'a dyn Fn(Range<usize>, &mut [u8]) -> Result<()>;

/// Fixed cells of a tile.
pub(crate) struct FixedCells<'a> {
    /// Bytes of a cell.
    pub cell: usize,
    /// How many cells there are.
    pub count: usize,
    /// Gathers some of them.
    pub gather: GatherCells<'a>,
}

impl TileInput for FixedCells<'_> {
    fn size(&self) -> usize {
        self.cell * self.count
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        // Chunks of early versions end amid a cell.
        let cells = range.start / self.cell..range.end.div_ceil(self.cell);
        let mut bytes = memory::zeroed("cells of a tile", cells.len() * self.cell)?;
        (self.gather)(cells.clone(), &mut bytes)?;
        bytes.truncate(range.end - cells.start * self.cell);
        bytes.drain(..range.start - cells.start * self.cell);
        Ok(Cow::Owned(bytes))
    }

    fn copy_piece(&self, range: Range<usize>, out: &mut [u8]) -> Result<()> {
        if range.start.is_multiple_of(self.cell) && range.end.is_multiple_of(self.cell) {
            return (self.gather)(range.start / self.cell..range.end / self.cell, out);
        }
        out.copy_from_slice(&self.piece(range)?);
        Ok(())
    }
}

impl TileInput for BoxRows<'_> {
    fn size(&self) -> usize {
        BoxRows::size(self)
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        let mut bytes = memory::with_capacity("cells of a tile", range.len())?;
        let mut start = 0;
        for run in self.runs() {
            let part = range.start.clamp(start, start + run.len())..range.end.clamp(start, start + run.len());
            bytes.extend_from_slice(&run[part.start - start..part.end - start]);
            start += run.len();
        }
        Ok(Cow::Owned(bytes))
    }
}

/// Variable cells of a tile.
pub(crate) struct VarCells<'a> {
    /// Where they start in the tile, and their bytes in all.
    pub starts: &'a [u64],
    pub size: usize,
    /// The source buffer, and the position in it.
    pub source: &'a [u8],
    pub place: &'a dyn Fn(usize) -> Range<usize>,
}

impl TileInput for VarCells<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn piece(&self, range: Range<usize>) -> Result<Cow<'_, [u8]>> {
        let mut bytes = memory::with_capacity("cells of a tile", range.len())?;
        let first = self.starts.partition_point(|&start| start as usize <= range.start).saturating_sub(1);
        let starts = self.starts.iter().enumerate().skip(first).map(|(cell, &start)| (cell, start as usize));
        for (cell, start) in starts.take_while(|(_, start)| *start < range.end) {
            let place = (self.place)(cell);
            let end = place.end.min(place.start + (range.end - start));
            match self.source.get(place.start + range.start.saturating_sub(start)..end) {
                Some(part) => bytes.extend_from_slice(part),
                None => bail!(Internal, "Cell {cell} of a tile does not lie in its column"),
            }
        }
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::input::{InputColumn, Inputs};
    use crate::write::testing::{self, column, spec};
    use crate::write::writer;
    use proptest::prelude::*;
    use std::sync::Arc;
    use tiledb_array::array::{OpenArray, create};
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::{Filter, FilterType, Pipeline};
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    const SIDES: [i32; 2] = [100, 130];

    /// Of one tile that has several chunks of each attribute.
    fn schema(kind: ArrayType) -> ArraySchema {
        let dimensions = ["y", "x"].into_iter().zip(SIDES).map(|(name, side)| {
            if kind == ArrayType::Sparse && name == "y" {
                return Arc::new(Dimension::new(name, Datatype::StringAscii, None, None).unwrap());
            }
            let ends = [0, side - 1].map(i32::to_le_bytes).concat();
            Arc::new(Dimension::new(name, Datatype::Int32, Some(&ends), Some(&side.to_le_bytes())).unwrap())
        });
        let mut schema = ArraySchema::new(kind);
        schema.set_domain(Arc::new(Domain::of(dimensions.collect()))).unwrap();
        schema.set_capacity(20_000).unwrap();
        for (name, datatype, values) in [
            ("number", Datatype::Float64, 1),
            ("text", Datatype::StringAscii, 7),
            ("var", Datatype::StringAscii, u32::MAX),
        ] {
            let mut attribute = Attribute::new(name, datatype);
            attribute.set_filters(Pipeline::new(vec![Filter::new(FilterType::Zstd)])).unwrap();
            attribute.set_cell_val_num(values).unwrap();
            attribute.set_nullable(name != "number");
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        schema
    }

    /// The files of the fragment that a write makes within a budget.
    fn files(resources: &Resources, uri: &Uri, layout: Layout, budget: u64) -> Vec<(String, Vec<u8>)> {
        let array = OpenArray::open(resources, uri, QueryType::Write, (0, 9), &EncryptionKey::None).unwrap();
        let is_dense = array.schema().is_dense();
        let spec = spec(array, layout, &[], budget);
        let cells: Vec<i32> = (0..SIDES[0] * SIDES[1]).map(|cell| cell * 7919 % (SIDES[0] * SIDES[1])).collect();
        let numbers: Vec<f64> = cells.iter().map(|&cell| (f64::from(cell) * 0.37).sin()).collect();
        let texts: Vec<u8> = cells.iter().flat_map(|cell| format!("{cell:07}").into_bytes()).collect();
        let validity: Vec<u8> = cells.iter().map(|cell| u8::from(cell % 3 != 1)).collect();
        let (mut starts, mut values) = (Vec::new(), Vec::new());
        for &cell in &cells {
            starts.push(values.len() as u64);
            values.extend_from_slice(&format!("{cell:012}").as_bytes()[..cell as usize % 12]);
        }
        let [y, x] = [|cell: &i32| cell / SIDES[1], |cell: &i32| cell % SIDES[1]]
            .map(|side| cells.iter().map(side).collect::<Vec<i32>>());
        let rows: Vec<String> = y.iter().map(|row| "row".repeat(*row as usize % 4) + &row.to_string()).collect();
        let (places, rows) = (testing::starts(&rows), rows.concat());
        let mut columns = vec![
            column("number", bytemuck::cast_slice(&numbers)),
            InputColumn { validity: Some(&validity), ..column("text", &texts) },
            InputColumn { starts: Some(starts.into()), validity: Some(&validity), ..column("var", &values) },
        ];
        if !is_dense {
            let rows = InputColumn { starts: Some(places.into()), ..column("y", rows.as_bytes()) };
            columns.extend([rows, column("x", bytemuck::cast_slice(&x))]);
        }
        let fragment = writer(spec).unwrap().write(&Inputs { columns: columns.into() }).unwrap().remove(0).uri;
        let (fragment, vfs) = (Uri::parse(&fragment).unwrap(), resources.vfs());
        let names = vfs.names(&fragment).unwrap().into_iter().map(|item| item.name);
        names.map(|name| (name.clone(), vfs.read(&fragment.join(&name)).unwrap())).collect()
    }

    #[test]
    fn what_is_gathered_apart_is_written_as_a_whole_is() {
        let resources = Resources::new(Config::new()).unwrap();
        for (kind, layouts) in
            [(ArrayType::Dense, &[Layout::RowMajor, Layout::ColMajor][..]), (ArrayType::Sparse, &[Layout::Unordered])]
        {
            let uri = Uri::parse(&format!("mem://apart/{kind:?}")).unwrap();
            create(&resources, &uri, &schema(kind), &EncryptionKey::None).unwrap();
            for &layout in layouts {
                let whole = files(&resources, &uri, layout, u64::MAX);
                assert!(whole.len() >= 6 && whole.iter().any(|(_, bytes)| bytes.len() > 60_000));
                assert!(files(&resources, &uri, layout, 1000) == whole, "{kind:?} {layout:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn pieces_are_what_lies_there(
            lengths in prop::collection::vec(0usize..7, 1..30),
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            // Cells are in the column from the last to the first.
            let source: Vec<u8> = (0..lengths.iter().sum::<usize>() as u8).collect();
            let (mut starts, mut whole, mut places, mut end) = (Vec::new(), Vec::new(), Vec::new(), source.len());
            for len in &lengths {
                starts.push(whole.len() as u64);
                places.push(end - len..end);
                whole.extend_from_slice(&source[end - len..end]);
                end -= len;
            }
            let place = |cell: usize| places[cell].clone();
            let cells = VarCells { starts: &starts, size: whole.len(), source: &source, place: &place };
            let (a, b) = (ends.0.index(whole.len() + 1), ends.1.index(whole.len() + 1));
            let range = a.min(b)..a.max(b);
            prop_assert_eq!(&*cells.piece(range.clone()).unwrap(), &whole[range]);

            let gather = |cells: Range<usize>, out: &mut [u8]| {
                out.copy_from_slice(&source[cells.start * 3..cells.end * 3]);
                Ok(())
            };
            let cells = FixedCells { cell: 3, count: source.len() / 3, gather: &gather };
            let (a, b) = (ends.0.index(cells.size() + 1), ends.1.index(cells.size() + 1));
            let range = a.min(b)..a.max(b);
            prop_assert_eq!(&*cells.piece(range.clone()).unwrap(), &source[range]);
        }

        #[test]
        fn null_cells_hold_the_placeholder(
            cells in prop::collection::vec((0usize..4, any::<bool>()), 1..30),
            is_var: bool,
            ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        ) {
            let (mut original, mut expected, mut starts) = (Vec::new(), Vec::new(), Vec::new());
            for (values, is_valid) in &cells {
                starts.push(8 * original.len() as u64);
                let values = if is_var { *values } else { 2 };
                original.extend(std::iter::repeat_n(f64::NAN.to_bits(), values));
                let value = if *is_valid { f64::NAN } else { 5.0 };
                expected.extend(std::iter::repeat_n(value.to_bits(), values));
            }
            let validity: Vec<u8> = cells.iter().map(|cell| u8::from(cell.1)).collect();
            let pipeline = Pipeline::new(vec![Filter::ScaleFloat { factor: 1.0, offset: 5.0, byte_width: 8 }]);
            let replaced = NullsReplaced {
                data: CellBytes::Here(bytemuck::cast_slice(&original)),
                starts: is_var.then_some(&starts),
                validity: &validity,
                cell: 16,
                placeholder: pipeline.placeholder(Datatype::Float64).unwrap(),
            };
            let (a, b) = (ends.0.index(original.len() + 1), ends.1.index(original.len() + 1));
            let range = a.min(b)..a.max(b);
            let piece = replaced.piece(8 * range.start..8 * range.end).unwrap();
            prop_assert_eq!(&*piece, bytemuck::cast_slice::<u64, u8>(&expected[range]));
        }
    }
}
