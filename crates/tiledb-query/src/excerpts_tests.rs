//! Tests of `tiledb_cells::input::excerpts` on tiles that a writer has stored.

use std::ops::Range;
use std::sync::Arc;

use crate::write::testing::{column, spec, starts};
use crate::write::writer;
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::columns::memory::OutMem;
use tiledb_cells::input::copy_pieces::CopyPiece;
use tiledb_cells::input::decode_context::DecodeContext;
use tiledb_cells::input::excerpts::Excerpts;
use tiledb_cells::predicate::column_test::ColumnInput;
use tiledb_core::budget::Budget;
use tiledb_core::config::Config;
use tiledb_core::stats::Stats;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const CELLS: usize = 500;
/// Attributes, and the filters of their values.
const FIELDS: [(&str, FilterType); 3] =
    [("number", FilterType::Zstd), ("text", FilterType::Zstd), ("encoded", FilterType::Dictionary)];

fn schema() -> ArraySchema {
    let ends = [0, CELLS as i32 - 1].map(i32::to_le_bytes).concat();
    let extent = (CELLS as i32).to_le_bytes();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent)).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    for (name, filter) in FIELDS {
        let mut attribute = Attribute::new(name, Datatype::StringAscii);
        attribute.set_cell_val_num(if name == "number" { 3 } else { u32::MAX }).unwrap();
        attribute.set_nullable(name != "text");
        attribute.set_filters(Pipeline::new(vec![Filter::new(filter)])).unwrap();
        schema.add_attribute(Arc::new(attribute)).unwrap();
    }
    schema
}

fn cell(name: &str, number: usize) -> Vec<u8> {
    if name == "number" { format!("{number:03}").into() } else { b"cells"[..number % 6].to_vec() }
}

/// The array with all its cells.
fn written() -> Arc<OpenArray> {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://excerpts").unwrap();
    create(&resources, &uri, &schema(), &EncryptionKey::None).unwrap();
    let open = |kind| OpenArray::open(&resources, &uri, kind, (0, 9), &EncryptionKey::None).unwrap();
    let spec = spec(open(QueryType::Write), Layout::RowMajor, &[(0, CELLS as i32 - 1)], u64::MAX);
    let validity: Vec<u8> = (0..CELLS).map(|cell| u8::from(cell % 3 != 1)).collect();
    let values: Vec<Vec<Vec<u8>>> =
        FIELDS.map(|(name, _)| (0..CELLS).map(|number| cell(name, number)).collect()).into();
    let data: Vec<Vec<u8>> = values.iter().map(|cells| cells.concat()).collect();
    let columns = FIELDS.iter().zip(&values).zip(&data).map(|(((name, _), cells), data)| InputColumn {
        starts: (*name != "number").then(|| starts(cells).into()),
        validity: (*name != "text").then_some(&validity[..]),
        ..column(name, data)
    });
    writer(spec).unwrap().write(&Inputs { columns: columns.collect() }).unwrap();
    Arc::new(open(QueryType::Read))
}

#[test]
fn some_cells_at_a_time_are_all_cells() {
    let array = written();
    let (budget, stats) = (Budget::new(1 << 20), Stats::unlisted());
    let fragment = &*array.fragments().unwrap()[0];
    for (name, _) in FIELDS {
        let field = fragment.schema().field(name).unwrap();
        let access = DecodeContext::new(&array, &budget, &stats);
        let excerpts = Excerpts { fragment, field, tile: 0, cells: CELLS, access };
        for share in [0, 100, 3000, 1 << 20] {
            let mut next = 0;
            let look = |cells: Range<usize>, input: ColumnInput<'_>| {
                let ColumnInput::Cells { data, validity } = input else { panic!("a constant") };
                assert_eq!((cells.start, validity.is_some()), (next, field.nullable));
                next = cells.end;
                for (place, number) in cells.enumerate() {
                    assert_eq!(data.value(place, 3), cell(name, number), "{name} {share}");
                    assert!(validity.is_none_or(|validity| validity[place] == u8::from(number % 3 != 1)));
                }
            };
            excerpts.each(share, look).unwrap();
            assert_eq!((next, budget.used()), (CELLS, 0));
            if field.is_var() {
                pieces_arrive(&excerpts, share, name);
            }
        }
    }
}

/// Copies every third cell, in the opposite order.
fn pieces_arrive(excerpts: &Excerpts<'_>, share: usize, name: &str) {
    let pieces: Vec<CopyPiece> =
        (0..CELLS / 3).map(|number| CopyPiece { from: number * 3, to: CELLS / 3 - 1 - number, count: 1 }).collect();
    let mut lengths = vec![0u64; pieces.len()];
    excerpts.measure(&pieces, share, &mut OutMem::new(bytemuck::cast_slice_mut(&mut lengths))).unwrap();
    let starts: Vec<u64> = lengths.iter().scan(0, |end, length| Some(std::mem::replace(end, *end + length))).collect();
    let mut bytes = vec![0; lengths.iter().sum::<u64>() as usize];
    excerpts.copy_values(&pieces, share, &starts, &mut OutMem::new(&mut bytes)).unwrap();
    let wanted: Vec<u8> = pieces.iter().rev().flat_map(|piece| cell(name, piece.from)).collect();
    assert_eq!(bytes, wanted, "{name} {share}");
}
