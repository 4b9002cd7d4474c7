//! Selected cells of fields, decoded and in encoded form, against all cells of the same tile.

use std::sync::Arc;
use tiledb_core::limits::simulation::SimulatedLimits;

use proptest::prelude::*;

use super::decode_context::DecodeContext;
use super::decoded::{DecodedTile, read_field};
use super::encoded::read_encoded;
use super::selected::read_selected;
use crate::columns::input::{InputColumn, Inputs};
use crate::predicate::program::Program;
use crate::write::testing::{column, spec, starts};
use crate::write::writer;
use tiledb_array::array::{OpenArray, create};
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_core::budget::Budget;
use tiledb_core::config::Config;
use tiledb_core::error::ErrorKind;
use tiledb_core::stats::Stats;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Several chunks of each field.
const CELLS: usize = 40_000;
/// Name, bytes of a cell unless it is variable, nullable, filters.
const FIELDS: [(&str, Option<u32>, bool, &[FilterType]); 7] = [
    ("triple", Some(3), true, &[FilterType::Zstd]),
    ("eight", Some(8), false, &[FilterType::ByteShuffle, FilterType::Lz4]),
    ("plain", Some(8), false, &[]),
    ("text", None, true, &[FilterType::Zstd]),
    ("words", None, true, &[FilterType::Dictionary]),
    ("packed", None, false, &[FilterType::Dictionary, FilterType::Zstd]),
    ("runs", None, false, &[FilterType::Rle]),
];

fn cell(name: &str, size: Option<u32>, number: usize) -> Vec<u8> {
    match (name, size) {
        (_, Some(size)) => (number as u64 * 7919).to_le_bytes()[..size as usize].to_vec(),
        ("text", _) => format!("{number}").repeat(number % 4).into(),
        ("runs", _) => vec![b'a' + (number / 500 % 26) as u8; number / 500 % 40],
        _ => format!("word {}", number * number % 600 / 7).into(),
    }
}

fn is_valid(number: usize) -> bool {
    number % 5 != 3
}

/// An array of one tile.
fn written() -> Arc<OpenArray> {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://selections").unwrap();
    let ends = [0, CELLS as i32 - 1].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&(CELLS as i32).to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    for (name, size, nullable, filters) in FIELDS {
        let mut attribute = Attribute::new(name, Datatype::StringAscii);
        attribute.set_cell_val_num(size.unwrap_or(u32::MAX)).unwrap();
        attribute.set_nullable(nullable);
        attribute.set_filters(Pipeline::new(filters.iter().copied().map(Filter::new).collect())).unwrap();
        schema.add_attribute(Arc::new(attribute)).unwrap();
    }
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let open = |kind| OpenArray::open(&resources, &uri, kind, (0, 9), &EncryptionKey::None).unwrap();
    let spec = spec(open(QueryType::Write), Layout::RowMajor, &[(0, CELLS as i32 - 1)], u64::MAX);
    let validity: Vec<u8> = (0..CELLS).map(|number| is_valid(number).into()).collect();
    let cells = FIELDS.map(|(name, size, ..)| (0..CELLS).map(|number| cell(name, size, number)).collect::<Vec<_>>());
    let data = cells.each_ref().map(|cells| cells.concat());
    let columns = FIELDS.iter().zip(&cells).zip(&data).map(|(((name, size, nullable, _), cells), data)| InputColumn {
        starts: size.is_none().then(|| starts(cells).into()),
        validity: nullable.then_some(&validity[..]),
        ..column(name, data)
    });
    writer(spec).unwrap().write(&Inputs { columns: columns.collect() }).unwrap();
    Arc::new(open(QueryType::Read))
}

/// Clusters of cells, ascending.
fn selections() -> impl Strategy<Value = Vec<u32>> {
    let cluster = (0..CELLS, 1usize..200, 1usize..20);
    prop::collection::vec(cluster, 0..6).prop_map(|clusters| {
        let cells = clusters.into_iter().flat_map(|(first, count, step)| (first..CELLS).step_by(step).take(count));
        cells.map(|cell| cell as u32).collect::<std::collections::BTreeSet<u32>>().into_iter().collect()
    })
}

fn assert_selected(got: &DecodedTile, selected: &[u32], (name, size, nullable): (&str, Option<u32>, bool)) {
    let coords = got.coords();
    for (row, number) in selected.iter().map(|cell| *cell as usize).enumerate() {
        let size = size.unwrap_or(0) as usize;
        assert_eq!(coords.value(row, size), cell(name, Some(size as u32).filter(|size| *size > 0), number), "{name}");
        assert_eq!(got.validity().map(|validity| validity[row] != 0), nullable.then(|| is_valid(number)), "{name}");
    }
    assert_eq!(got.starts().map(<[u64]>::len), size.is_none().then_some(selected.len() + 1), "{name}");
    assert_eq!(
        got.bytes().len(),
        selected.iter().map(|cell_of| cell(name, size, *cell_of as usize).len()).sum::<usize>(),
        "{name}"
    );
}

#[test]
fn selected_cells_are_those_of_the_tile() {
    let array = written();
    let (budget, stats) = (Budget::new(64 << 20), Stats::unlisted());
    let fragment = &*array.fragments().unwrap()[0];
    let access = DecodeContext::new(&array, &budget, &stats);
    proptest!(ProptestConfig::with_cases(24), |(selected in selections(), limits in prop::option::of(any::<u64>()))| {
        SimulatedLimits::of_option(limits).run(|| {
        for (name, size, nullable, filters) in FIELDS {
            let field = fragment.schema().field(name).unwrap();
            let got = read_selected(fragment, field, 0, CELLS, &selected, access).unwrap().unwrap();
            assert_selected(&got, &selected, (name, size, nullable));
            let encoded = read_encoded(fragment, field, 0, CELLS, access).unwrap();
            let encodes = matches!(filters.first(), Some(FilterType::Dictionary | FilterType::Rle));
            assert_eq!(encoded.is_some(), encodes, "{name}");
            if let Some(encoded) = encoded {
                assert_selected(&encoded.decode(field, Some(&selected), access).unwrap(), &selected, (name, size, nullable));
            }
        }
        assert_eq!(budget.used(), 0);
        });
    });
    // All cells.
    let all: Vec<u32> = (0..CELLS as u32).collect();
    for (name, size, nullable, _) in FIELDS {
        let field = fragment.schema().field(name).unwrap();
        assert_selected(&read_field(fragment, field, 0, CELLS, access, false).unwrap(), &all, (name, size, nullable));
        if let Some(encoded) = read_encoded(fragment, field, 0, CELLS, access).unwrap() {
            assert_selected(&encoded.decode(field, None, access).unwrap(), &all, (name, size, nullable));
        }
    }
}

#[test]
fn conditions_on_words_are_those_on_cells() {
    let array = written();
    let (budget, stats) = (Budget::new(64 << 20), Stats::unlisted());
    let fragment = &*array.fragments().unwrap()[0];
    let access = DecodeContext::new(&array, &budget, &stats);
    for name in ["words", "packed", "runs"] {
        let field = fragment.schema().field(name).unwrap();
        let (cells, encoded) = (
            read_field(fragment, field, 0, CELLS, access, false).unwrap(),
            read_encoded(fragment, field, 0, CELLS, access).unwrap().unwrap(),
        );
        for value in [&b""[..], b"a", b"word 3", b"word 30", b"ccccccccccccc", b"zz"] {
            for operator in (0..6).map(ComparisonOperator::from_number) {
                let comparison = Comparison::new(name, Some(value), operator).unwrap();
                let predicate = Condition::new(comparison).predicate().unwrap();
                let program = Program::new(&predicate, |name| fragment.schema().field(name)).unwrap();
                let of_cells = program.run(CELLS, |_| Ok(None), |_| Ok(cells.input())).unwrap();
                let of_words = program.run(CELLS, |_| Ok(None), |_| Ok(encoded.input())).unwrap();
                assert!(of_cells[..] == of_words[..], "{name} {operator:?} {value:?}");
            }
        }
        for operator in [ComparisonOperator::Equal, ComparisonOperator::NotEqual] {
            let comparison = Comparison::new(name, None, operator).unwrap();
            let predicate = Condition::new(comparison).predicate().unwrap();
            let program = Program::new(&predicate, |name| fragment.schema().field(name)).unwrap();
            let of_cells = program.run(CELLS, |_| Ok(None), |_| Ok(cells.input())).unwrap();
            let of_words = program.run(CELLS, |_| Ok(None), |_| Ok(encoded.input())).unwrap();
            assert!(of_cells[..] == of_words[..], "{name} {operator:?} null");
        }
    }
}

#[test]
fn without_memory_for_words_cells_are_decoded() {
    let array = written();
    let fragment = &*array.fragments().unwrap()[0];
    for room in (14..24).map(|bits| 1u64 << bits) {
        let (budget, stats) = (Budget::new(room), Stats::unlisted());
        let access = DecodeContext::new(&array, &budget, &stats);
        for (name, size, nullable, _) in FIELDS {
            let field = fragment.schema().field(name).unwrap();
            match read_selected(fragment, field, 0, CELLS, &[7, 39_999], access) {
                Ok(Some(got)) => assert_selected(&got, &[7, 39_999], (name, size, nullable)),
                Ok(None) => assert!(read_encoded(fragment, field, 0, CELLS, access).is_ok()),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Budget, "{name}: {}", error.text()),
            }
        }
        assert_eq!(budget.used(), 0);
    }
}
