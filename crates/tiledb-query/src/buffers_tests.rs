//! Buffers of queries as they are set, ranges that a query accepts, and writes that continue with more cells.

use std::sync::Arc;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, CurrentDomain, Dimension, Domain, NdRectangle};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::error::Result;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A sparse array with a dimension of numbers, one of texts, and an attribute; numbers have a current domain.
struct TestArray {
    resources: Resources,
    uri: Uri,
}

impl TestArray {
    fn new(name: &str) -> TestArray {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse(&format!("mem://buffers/{name}")).unwrap();
        let ends = [0i32, 99].map(i32::to_le_bytes).concat();
        let mut domain = Domain::new();
        domain.add(Arc::new(Dimension::new("d", Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap()));
        domain.add(Arc::new(Dimension::new("s", Datatype::StringAscii, None, None).unwrap()));
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(domain)).unwrap();
        schema.set_allows_dups(true).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        let mut rectangle = NdRectangle::new(schema.domain().clone());
        rectangle.set_range(0, &10i32.to_le_bytes(), &59i32.to_le_bytes()).unwrap();
        rectangle.set_range(1, b"a", b"z").unwrap();
        schema.set_current_domain(CurrentDomain::of(Arc::new(rectangle)));
        create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
        TestArray { resources, uri }
    }

    fn open(&self, kind: QueryType) -> Arc<OpenArray> {
        let window = (0, if kind == QueryType::Read { u64::MAX } else { 1 });
        Arc::new(OpenArray::open(&self.resources, &self.uri, kind, window, &EncryptionKey::None).unwrap())
    }

    fn query(&self, kind: QueryType) -> Query {
        let mut query = Query::new(&self.open(kind), kind).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        query
    }
}

/// Memory that outlives all queries.
fn leaked(bytes: u64) -> (UserPtr<u8>, UserPtr<u64>) {
    let data = Box::leak(vec![0u64; 32].into_boxed_slice());
    let size = Box::leak(Box::new(bytes));
    (UserPtr::in_test(data.as_mut_ptr().cast()), UserPtr::in_test(size))
}

fn set_data(query: &mut Query, name: &str, bytes: u64) -> Result<()> {
    let (data, size) = leaked(bytes);
    query.set_data_buffer(name, data, size)
}

fn set_offsets(query: &mut Query, name: &str, count: u64) -> Result<()> {
    let (offsets, size) = leaked(8 * count);
    query.set_offsets_buffer(name, offsets, size)
}

#[test]
fn coordinate_buffers_of_a_write_are_set_again_with_as_many_cells() {
    let array = TestArray::new("counts");
    let mut query = array.query(QueryType::Write);
    let error = |set: Result<()>| set.unwrap_err().text().contains("different number of coordinates");
    set_data(&mut query, "d", 12).unwrap();
    set_data(&mut query, "d", 12).unwrap();
    assert!(error(set_data(&mut query, "d", 16)));
    // Sizes of texts are no numbers of cells.
    set_data(&mut query, "s", 7).unwrap();
    set_data(&mut query, "s", 30).unwrap();
    set_data(&mut query, "a", 12).unwrap();
    set_data(&mut query, "a", 16).unwrap();
    set_offsets(&mut query, "s", 3).unwrap();
    set_offsets(&mut query, "s", 3).unwrap();
    assert!(error(set_offsets(&mut query, "s", 4)));
    // Reads have buffers of any size.
    let mut query = array.query(QueryType::Read);
    for cells in [3, 5] {
        set_data(&mut query, "d", 4 * cells).unwrap();
        set_offsets(&mut query, "s", cells).unwrap();
    }
}

#[test]
fn queries_have_the_order_of_rows_but_for_sparse_writes() {
    let array = TestArray::new("order");
    for (kind, expected) in [(QueryType::Read, Layout::RowMajor), (QueryType::Write, Layout::Unordered)] {
        assert_eq!(Query::new(&array.open(kind), kind).unwrap().layout(), expected, "{kind:?}");
    }
}

#[test]
fn coordinates_are_zipped_or_separate() {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://buffers/zipped").unwrap();
    let ends = [0i32, 99].map(i32::to_le_bytes).concat();
    let dimension = |name| Arc::new(Dimension::new(name, Datatype::Int32, Some(&ends), None).unwrap());
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![dimension("x"), dimension("y")]))).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let array = TestArray { resources, uri };
    for kind in [QueryType::Read, QueryType::Write] {
        for (first, second) in [("__coords", "x"), ("x", "__coords"), ("y", "__coords")] {
            let mut query = array.query(kind);
            set_data(&mut query, first, 16).unwrap();
            set_data(&mut query, "a", 8).unwrap();
            let error = set_data(&mut query, second, 16).unwrap_err();
            assert!(error.text().contains("zipped coordinate buffer in the same query"), "{error:?}");
            set_data(&mut query, first, 16).unwrap();
        }
    }
}

/// Attaches buffers of cells, whose attribute is their number, and submits.
fn submit_cells(query: &mut Query, cells: std::ops::Range<i32>) {
    let mut numbers: Vec<i32> = cells.map(|cell| 10 + cell).collect();
    let mut texts = vec![b'x'; numbers.len()];
    let mut offsets: Vec<u64> = (0..numbers.len() as u64).collect();
    let count = numbers.len() as u64;
    let mut sizes = [4 * count, count, 8 * count];
    let [of_numbers, of_texts, of_offsets] = sizes.each_mut().map(|size| UserPtr::in_test(size));
    for name in ["d", "a"] {
        query.set_data_buffer(name, UserPtr::in_test(numbers.as_mut_ptr().cast()), of_numbers).unwrap();
    }
    query.set_data_buffer("s", UserPtr::in_test(texts.as_mut_ptr()), of_texts).unwrap();
    query.set_offsets_buffer("s", UserPtr::in_test(offsets.as_mut_ptr().cast()), of_offsets).unwrap();
    query.submit().unwrap();
    assert_eq!(query.status(), Status::Completed);
}

#[test]
fn unordered_write_continues_with_another_number_of_cells() {
    let array = TestArray::new("more");
    let mut query = array.query(QueryType::Write);
    submit_cells(&mut query, 0..3);
    query.write_more();
    submit_cells(&mut query, 3..8);
    drop(query);
    let opened = array.open(QueryType::Read);
    let mut counts: Vec<u64> = opened.fragments().unwrap().iter().map(|fragment| fragment.cell_count()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [3, 5]);
}

#[test]
fn ranges_of_reads_are_in_the_current_domain() {
    let array = TestArray::new("current");
    submit_cells(&mut array.query(QueryType::Write), 0..9);
    for (low, high, is_inside) in
        [(10i32, 59i32, true), (12, 12, true), (9, 20, false), (50, 60, false), (70, 80, false)]
    {
        for with_another in [false, true] {
            let mut query = array.query(QueryType::Read);
            let mut subarray = Subarray::new(query.array().schema());
            if with_another {
                subarray.add_range(0, &11i32.to_le_bytes(), &13i32.to_le_bytes()).unwrap();
            }
            subarray.add_range(0, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
            query.set_subarray(&subarray).unwrap();
            let mut values = [0i32; 32];
            let mut bytes = 128;
            let start = UserPtr::in_test(values.as_mut_ptr().cast());
            query.set_data_buffer("a", start, UserPtr::in_test(&raw mut bytes)).unwrap();
            let submitted = query.submit();
            let is_refused = |error: &str| error.contains("was set outside of the current domain");
            match submitted {
                Ok(()) => assert!(is_inside, "{low} to {high}"),
                Err(error) => assert!(!is_inside && is_refused(error.text()), "{low} to {high}: {error:?}"),
            }
        }
    }
}

#[test]
fn number_of_no_layout_is_refused_by_submit_and_after_it() {
    let array = TestArray::new("layout");
    let mut query = array.query(QueryType::Read);
    query.set_unknown_layout(99).unwrap();
    let (data, size) = leaked(8);
    query.set_data_buffer("a", data, size).unwrap();
    assert!(query.submit().unwrap_err().text().contains("99 is no layout"));
    let mut query = array.query(QueryType::Read);
    query.set_unknown_layout(99).unwrap();
    query.set_layout(Layout::Unordered).unwrap();
    let (data, size) = leaked(8);
    query.set_data_buffer("a", data, size).unwrap();
    query.submit().unwrap();
    assert!(query.set_unknown_layout(99).unwrap_err().text().contains("after initialization"));
}

/// Clients state larger buffers than there are, beside each other: what counts are the cells of the ranges.
#[test]
fn buffers_of_dense_reads_may_overlap_beyond_the_cells_of_their_ranges() {
    let resources = Resources::new(Config::new()).unwrap();
    let key = EncryptionKey::None;
    let uri = Uri::parse("mem://buffers/dense").unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    let dimension = Dimension::new("d", Datatype::Uint8, Some(&[1, 8]), Some(&[4])).unwrap();
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    for name in ["a", "b"] {
        let mut attribute = Attribute::new(name, Datatype::Uint8);
        attribute.set_fill(Some(name.as_bytes())).unwrap();
        schema.add_attribute(Arc::new(attribute)).unwrap();
    }
    create(&resources, &uri, &schema, &key).unwrap();
    let array = Arc::new(OpenArray::open(&resources, &uri, QueryType::Read, (0, 9), &key).unwrap());
    for (low, high, is_refused) in [(2, 5, false), (2, 6, true)] {
        let mut query = Query::new(&array, QueryType::Read).unwrap();
        let mut subarray = Subarray::new(array.schema());
        subarray.add_range(0, &[low], &[high]).unwrap();
        query.set_subarray(&subarray).unwrap();
        let mut bytes = [0u8; 20];
        let mut sizes = [16u64; 2];
        let [of_a, of_b] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        let start = bytes.as_mut_ptr();
        query.set_data_buffer("a", UserPtr::in_test(start), of_a).unwrap();
        query.set_data_buffer("b", UserPtr::in_test(start.wrapping_add(4)), of_b).unwrap();
        match query.submit() {
            Ok(()) => {
                assert!(!is_refused);
                assert_eq!((&bytes[..8], sizes), (&b"aaaabbbb"[..], [4, 4]));
            }
            Err(error) => assert!(is_refused && error.text().contains("overlap"), "{error:?}"),
        }
    }
}
