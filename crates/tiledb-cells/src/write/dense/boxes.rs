//! Dense writes in row- and column-major order: the region is cut along the space tiles, the cells of each tile are
//! gathered from the user's buffers into the tile's cell order, and every submit creates a fragment.

use super::cells::{InputFieldCells, TileCut};
use super::order;
use crate::columns::input::Inputs;
use crate::space::grid::Odometer;
use crate::write::encode::error_prefix;
use crate::write::fragments::FragmentSplitter;
use crate::write::region::Region;
use crate::write::spec::{CommittedFragment, QueryWriter, WriteSpec};
use crate::write::tile_boxes::TileBoxes;
use crate::write::tiles::write_tiles;
use tiledb_array::array::OpenArray;
use tiledb_array::schema::Field;
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::stats::Timer;
use tiledb_core::types::{CellRange, Layout};

/// The attributes a dense write stores.
pub(crate) fn attributes(spec: &WriteSpec) -> Vec<&Field> {
    spec.array.schema().fields().iter().filter(|field| !field.is_dimension).collect()
}

/// Bytes of a tile over all fields, as long as those of other cells on average.
pub(crate) fn tile_bytes(fields: &[&Field], inputs: &Inputs<'_>, cells: usize) -> usize {
    let bytes = |field: &&Field| match inputs.column(&field.name) {
        Some(column) if field.is_var() => 8 + column.data.len() / column.cells(0).max(1) + 1,
        _ => field.cell_size(),
    };
    let bytes = |field: &&Field| cells.saturating_mul(bytes(field) + usize::from(field.nullable));
    fields.iter().map(bytes).fold(0, usize::saturating_add)
}

/// A write in row- or column-major order.
pub(crate) struct DenseWriter {
    spec: WriteSpec,
    region: Region,
}

impl DenseWriter {
    /// Prepares a write.
    ///
    /// # Errors
    /// If the subarray has several ranges.
    pub(crate) fn new(spec: WriteSpec) -> Result<DenseWriter> {
        let region = Region::new(&spec)?;
        Ok(DenseWriter { spec, region })
    }
}

/// Checks that a column has the expected number of cells, and of validity values if it has any.
pub(crate) fn check_cells(field: &Field, count: usize, validity: Option<&[u8]>, expected: usize) -> Result<()> {
    let validity = validity.map_or(expected, <[u8]>::len);
    for (kind, count) in [("validity cells", validity), ("cells", count)] {
        if count != expected {
            bail!(
                "WriterBase: Buffer sizes check failed; Invalid number of {kind} given for attribute '{}' ({count} != \
                 {expected}): its buffer holds {count}, the subarray {expected}",
                field.name
            );
        }
    }
    Ok(())
}

/// A region must be inside the current domain.
pub(crate) fn check_current_domain(array: &OpenArray, region: &[CellRange]) -> Result<()> {
    let current = array.current_domain().rectangle().and_then(|rectangle| rectangle.complete());
    let mut axes = array.schema().domain().dimensions().iter().zip(region).zip(current.iter().flatten());
    if axes.any(|((dimension, range), bounds)| !bounds.contains(dimension.datatype(), range)) {
        bail!("FragmentMetadata: Cells are written outside of the defined current domain.");
    }
    Ok(())
}

impl QueryWriter for DenseWriter {
    fn check(&self, inputs: &Inputs<'_>) -> Result<()> {
        for field in attributes(&self.spec) {
            if let Some(column) = inputs.column(&field.name) {
                check_cells(field, column.cells(field.cell_size()), column.validity, self.region.cells)?;
            }
        }
        let _timer = self.spec.stats.timer(Timer::CheckAttributes);
        for attribute in self.spec.array.schema().attributes() {
            if let Some(column) = inputs.column(attribute.name()) {
                order::check(attribute, column)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, inputs: &Inputs<'_>) -> Result<Vec<CommittedFragment>> {
        let _timer = self.spec.stats.timer(Timer::WriteOrdered);
        let Region { grid, spans, ranges, .. } = &self.region;
        let array = &self.spec.array;
        check_current_domain(array, ranges).context(|| error_prefix(self.spec.layout))?;
        let order = if self.spec.layout == Layout::ColMajor { Layout::ColMajor } else { Layout::RowMajor };
        let fields = attributes(&self.spec);
        let columns = fields.iter().map(|field| InputFieldCells::new(field, inputs, spans, order));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let cuts = cuts(&self.region);
        let mut fragments = FragmentSplitter::new(&self.spec, Some(TileBoxes::new(&self.region)))?;
        let _timer = self.spec.stats.timer(Timer::WriteOrderedTiles);
        let bytes = tile_bytes(&fields, inputs, grid.tile_cells);
        write_tiles(&self.spec, &mut fragments, &fields, cuts.len(), bytes, &|encoder, field, f, tile, take| {
            columns[f].tile(encoder, field, grid, &cuts[tile], take)
        })?;
        fragments.commit(&fields)
    }

    fn finish(&mut self) -> Result<Vec<CommittedFragment>> {
        Ok(Vec::new())
    }
}

/// The tiles of a region in tile order, with their written parts.
fn cuts(region: &Region) -> Vec<TileCut> {
    let mut cuts = Vec::new();
    let mut odometer = Odometer::new(region.tile_counts(), region.grid.tile_order);
    while let Some(position) = odometer.position() {
        let axes = region.grid.axes().iter().zip(&region.spans).zip(position);
        let bounds =
            axes.filter_map(|((axis, span), &tile)| axis.tile_span(axis.tile(span.low) + tile).intersect(*span));
        cuts.push(TileCut::new(&region.grid, bounds.collect()));
        odometer.advance();
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::input::InputColumn;
    use crate::write::testing::{column, spec};
    use std::sync::Arc;
    use tiledb_array::array::create;
    use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
    use tiledb_core::config::Config;
    use tiledb_core::types::{ArrayType, Datatype, QueryType};
    use tiledb_filters::crypto::EncryptionKey;
    use tiledb_filters::filter::Pipeline;
    use tiledb_storage::resources::Resources;
    use tiledb_storage::vfs::Uri;

    const SIDE: i32 = 600;
    const TILE: i32 = 200;

    fn resources(max_size: Option<&str>) -> (Resources, Uri) {
        let mut config = Config::new();
        if let Some(size) = max_size {
            config.set("sm.fragment.max_size", size).unwrap();
        }
        let (resources, uri) = (Resources::new(config).unwrap(), Uri::parse("mem://rows").unwrap());
        let sides = ["y", "x"].map(|name| {
            let ends = [0, SIDE - 1].map(i32::to_le_bytes).concat();
            Arc::new(Dimension::new(name, Datatype::Int32, Some(&ends), Some(&TILE.to_le_bytes())).unwrap())
        });
        let mut schema = ArraySchema::new(ArrayType::Dense);
        schema.set_domain(Arc::new(Domain::of(sides.into()))).unwrap();
        for (name, datatype) in [("real", Datatype::Float64), ("number", Datatype::Int64), ("little", Datatype::Int8)] {
            let mut attribute = Attribute::new(name, datatype);
            attribute.set_filters(Pipeline::default()).unwrap();
            attribute.set_nullable(name == "number");
            schema.add_attribute(Arc::new(attribute)).unwrap();
        }
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        (resources, uri)
    }

    /// The data files of all fragments, one after the other, and the statistics of tiles.
    fn written(numbers: &[i64], max_size: Option<&str>, budget: u64, layout: Layout) -> (Vec<Vec<u8>>, Vec<String>) {
        let (resources, uri) = resources(max_size);
        let open = |kind| OpenArray::open(&resources, &uri, kind, (0, 9), &EncryptionKey::None).unwrap();
        let mut spec = spec(open(QueryType::Write), layout, &[], budget);
        if let Some(size) = max_size {
            spec.config.set("sm.fragment.max_size", size).unwrap();
        }
        let reals: Vec<f64> = numbers.iter().map(|&number| (number as f64 * 0.37).sin()).collect();
        let bytes: Vec<u8> = numbers.iter().map(|&number| number as u8).collect();
        let validity: Vec<u8> = numbers.iter().map(|&number| u8::from(number % 3 != 1)).collect();
        let columns = vec![
            column("real", bytemuck::cast_slice(&reals)),
            InputColumn { validity: Some(&validity), ..column("number", bytemuck::cast_slice(numbers)) },
            column("little", &bytes),
        ];
        let fragments = crate::write::writer(spec).unwrap().write(&Inputs { columns: columns.into() }).unwrap();
        assert_eq!(fragments.len() > 1, max_size.is_some());
        let vfs = resources.vfs();
        let file = |name: &str| {
            let read = |written: &CommittedFragment| vfs.read(&Uri::parse(&written.uri).unwrap().join(name)).unwrap();
            fragments.iter().flat_map(read).collect()
        };
        let array = open(QueryType::Read);
        let mut stats = Vec::new();
        for fragment in array.fragments().unwrap().iter() {
            for field in fragment.schema().fields().iter().filter(|field| !field.is_dimension) {
                let tiles = fragment.tile_count();
                stats.extend((0..tiles).map(|tile| format!("{:?}", fragment.tile_stats(field, tile).unwrap())));
            }
        }
        stats.sort_unstable();
        (["a0.tdb", "a1.tdb", "a1_validity.tdb", "a2.tdb"].map(file).into(), stats)
    }

    /// Cell by cell of the tiles, the values at these positions of the user's buffers.
    fn turned(numbers: &[i64]) -> Vec<i64> {
        let side = SIDE as usize;
        (0..side * side).map(|cell| numbers[cell % side * side + cell / side]).collect()
    }

    #[test]
    fn rows_are_written_as_what_was_gathered_is() {
        let numbers: Vec<i64> = (0..i64::from(SIDE * SIDE)).map(|cell| cell * 7919 % 360_007).collect();
        // In the other order no cells are contiguous.
        let expected = written(&turned(&numbers), None, u64::MAX, Layout::ColMajor);
        assert!(expected.0[0].len() > 8 * numbers.len());
        assert!(written(&numbers, None, u64::MAX, Layout::RowMajor) == expected);
        // Field by field, and in fragments of which none may be larger.
        assert!(written(&numbers, None, 100_000, Layout::RowMajor) == expected);
        assert!(written(&numbers, Some("3000000"), u64::MAX, Layout::RowMajor) == expected);
        // A sum that leaves its type depends on how many cells are copied at a time, and that on the order.
        let large = |number: &i64| if number % 2 == 0 { -i64::MAX / 3 - number } else { i64::MAX / 3 + number };
        let large: Vec<i64> = numbers.iter().map(large).collect();
        let (files, stats) = written(&large, None, u64::MAX, Layout::RowMajor);
        let (others, other_stats) = written(&turned(&large), None, u64::MAX, Layout::ColMajor);
        assert!(files == others && stats != other_stats);
        let mut sum = 0i64;
        for row in large.chunks(SIDE as usize).take(TILE as usize) {
            let valid = row[..TILE as usize].iter().filter(|number| *number % 3 != 1);
            sum = valid
                .copied()
                .try_fold(sum, |sum, number| sum.checked_add(number).ok_or(sum))
                .unwrap_or_else(|sum: i64| if sum < 0 { i64::MIN } else { i64::MAX });
        }
        let sum = format!("sum: {:?}", sum.to_le_bytes());
        assert!(stats.iter().any(|stats| stats.contains(&sum)));
    }
}
