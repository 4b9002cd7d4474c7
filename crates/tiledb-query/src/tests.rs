//! Dense arrays against a plain model: whatever is written in any order, reads return the latest.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tiledb_core::limits::simulation::SimulatedLimits;

use proptest::prelude::*;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create, evolve};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaEvolution};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::budget::TOTAL;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Inclusive rows and columns, counted from 1.
type Region = [(i32, i32); 2];

#[derive(Clone, Debug)]
struct Case {
    size: [i32; 2],
    extent: [i32; 2],
    orders: (Layout, Layout),
    /// The greatest size of a fragment.
    limit: u64,
    writes: Vec<(Region, Layout)>,
    reads: Vec<(Region, Layout, usize)>,
}

fn order() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::RowMajor), Just(Layout::ColMajor)]
}

/// Few bytes, or no limit.
pub(super) fn limit() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..1000, Just(u64::MAX)]
}

/// Resources with a greatest size of fragments.
pub(super) fn resources(limit: u64) -> Resources {
    let mut config = Config::new();
    config.set("sm.fragment.max_size", &limit.to_string()).unwrap();
    Resources::new(config).unwrap()
}

fn region(size: [i32; 2]) -> impl Strategy<Value = Region> {
    let side = |count: i32| (1..=count, 1..=count).prop_map(|(a, b)| (a.min(b), a.max(b)));
    (side(size[0]), side(size[1])).prop_map(|(rows, cols)| [rows, cols])
}

fn case() -> impl Strategy<Value = Case> {
    (1..12i32, 1..12i32).prop_flat_map(|(rows, cols)| {
        let size = [rows, cols];
        let any_order = prop_oneof![order(), Just(Layout::GlobalOrder)];
        let writes = prop::collection::vec((region(size), order()), 0..4);
        let reads = prop::collection::vec((region(size), any_order, 1..80usize), 1..4);
        let orders = (order(), order(), limit());
        (1..=rows, 1..=cols, orders, writes, reads).prop_map(move |(a, b, orders, writes, reads)| Case {
            size,
            extent: [a, b],
            orders: (orders.0, orders.1),
            limit: orders.2,
            writes,
            reads,
        })
    })
}

fn schema(case: &Case) -> ArraySchema {
    let mut domain = Domain::new();
    for (name, d) in [("rows", 0), ("cols", 1)] {
        let bounds = [1i32, case.size[d]];
        let extent = case.extent[d].to_le_bytes();
        let dimension = Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent));
        domain.add(Arc::new(dimension.unwrap()));
    }
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_cell_order(case.orders.0).unwrap();
    schema.set_tile_order(case.orders.1).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    schema
}

/// The coordinates of a region in an order.
fn walk(case: &Case, region: &Region, layout: Layout) -> Vec<(i32, i32)> {
    let [rows, cols] = *region;
    let mut cells: Vec<(i32, i32)> = (rows.0..=rows.1).flat_map(|r| (cols.0..=cols.1).map(move |c| (r, c))).collect();
    let turn = |order: Layout, (a, b): (i32, i32)| if order == Layout::ColMajor { (b, a) } else { (a, b) };
    match layout {
        Layout::GlobalOrder => cells.sort_by_key(|&(r, c)| {
            let tile = ((r - 1) / case.extent[0], (c - 1) / case.extent[1]);
            (turn(case.orders.1, tile), turn(case.orders.0, (r, c)))
        }),
        order => cells.sort_by_key(|&cell| turn(order, cell)),
    }
    cells
}

fn query(array: &Arc<OpenArray>, kind: QueryType, region: &Region, layout: Layout) -> Query {
    let mut subarray = Subarray::new(array.schema());
    for (d, (low, high)) in region.iter().enumerate() {
        subarray.add_range(d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
    }
    let mut query = Query::new(array, kind).unwrap();
    query.set_layout(layout).unwrap();
    query.set_subarray(&subarray).unwrap();
    query
}

fn run(case: &Case) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let uri = format!("mem://dense_model/{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let (resources, uri) = (resources(case.limit), Uri::parse(&uri).unwrap());
    let key = EncryptionKey::None;
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &key).unwrap());
    create(&resources, &uri, &schema(case), &key).unwrap();
    let mut model = vec![vec![i32::MIN; case.size[1] as usize + 1]; case.size[0] as usize + 1];
    for (number, (region, layout)) in case.writes.iter().enumerate() {
        let cells = walk(case, region, *layout);
        let mut values: Vec<i32> = (0..cells.len() as i32).map(|value| value + 1000 * number as i32).collect();
        for (&(r, c), &value) in cells.iter().zip(&values) {
            model[r as usize][c as usize] = value;
        }
        let mut query = query(&open(QueryType::Write, number as u64 + 1), QueryType::Write, region, *layout);
        let mut size = 4 * values.len() as u64;
        let start = UserPtr::in_test(values.as_mut_ptr().cast());
        query.set_data_buffer("a", start, UserPtr::in_test(&mut size)).unwrap();
        query.submit().unwrap();
        for fragment in 0..query.fragment_num().unwrap() {
            let file = Uri::parse(query.fragment_uri(u64::from(fragment)).unwrap().as_str()).unwrap().join("a0.tdb");
            let tile = 4 * u64::try_from(case.extent[0] * case.extent[1]).unwrap();
            let size = resources.vfs().size(&file).unwrap();
            assert!(size <= case.limit || size == tile + 20, "{size} bytes in a fragment of {}", case.limit);
        }
    }
    for (region, layout, capacity) in &case.reads {
        let begin = || query(&open(QueryType::Read, u64::MAX), QueryType::Read, region, *layout);
        let expected: Vec<i32> =
            walk(case, region, *layout).into_iter().map(|(r, c)| model[r as usize][c as usize]).collect();
        for handed in [false, true] {
            let values_read = read(&begin, *capacity, handed);
            assert_eq!(
                values_read, expected,
                "{region:?} in {layout:?}, {capacity} cells at a time, handed on: {handed}"
            );
        }
    }
    resources.vfs().remove_dir(&uri).unwrap();
}

/// Reads cells, by one query or `handed` on from each to the next.
fn read(begin: &dyn Fn() -> Query, capacity: usize, handed: bool) -> Vec<i32> {
    let mut room = vec![0i32; capacity];
    let mut size = 4 * room.len() as u64;
    let mut values_read = Vec::new();
    let mut query = begin();
    loop {
        size = size.max(4 * room.len() as u64);
        let start = UserPtr::in_test(room.as_mut_ptr().cast());
        query.set_data_buffer("a", start, UserPtr::in_test(&mut size)).unwrap();
        query.submit().unwrap();
        values_read.extend_from_slice(&room[..size as usize / 4]);
        assert!(size > 0);
        if query.status() == Status::Completed {
            return values_read;
        }
        if handed {
            let position = query.position().unwrap().unwrap();
            query = begin();
            query.set_data_buffer("a", start, UserPtr::in_test(&mut size)).unwrap();
            query.resume_from(position);
        }
    }
}

/// Results of 16 MiB and more are written with non-temporal stores.
#[test]
fn large_results_are_complete() {
    let size = [2100, 2010];
    let (all, most) = ([(1, size[0]), (1, size[1])], [(3, 1500), (40, size[1])]);
    let cells = (size[0] * size[1]) as usize;
    assert!(4 * cells > 16 << 20);
    let reads = [Layout::RowMajor, Layout::ColMajor].map(|layout| (all, layout, cells)).to_vec();
    let orders = (Layout::RowMajor, Layout::ColMajor);
    run(&Case { size, extent: [300, 257], orders, limit: u64::MAX, writes: vec![(most, Layout::ColMajor)], reads });
}

/// A part of a tile needs no less memory for the starts that the tile has than the tile as a whole.
#[test]
fn strings_of_a_tile_with_more_starts_than_memory_come_in_large_parts() {
    const CELLS: i32 = 40_000;
    let mut config = Config::new();
    config.set(TOTAL, "500000").unwrap();
    let (resources, uri) = (Resources::new(config).unwrap(), Uri::parse("mem://many_starts").unwrap());
    let dimension =
        Dimension::new("d", Datatype::Int32, Some(bytemuck::cast_slice(&[1, CELLS])), Some(&CELLS.to_le_bytes()));
    let mut attribute = Attribute::new("v", Datatype::StringAscii);
    attribute.set_cell_val_num(u32::MAX).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Dense);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension.unwrap())]))).unwrap();
    schema.add_attribute(Arc::new(attribute)).unwrap();
    create(&resources, &uri, &schema, &EncryptionKey::None).unwrap();
    let open = |kind| OpenArray::open(&resources, &uri, kind, (0, 1), &EncryptionKey::None).unwrap();
    let cells: Vec<&[u8]> = (0..CELLS as usize).map(|cell| &b"cells"[..cell % 6]).collect();
    let (starts, data) = (starts(&cells), cells.concat());
    let inputs = Inputs { columns: vec![InputColumn { starts: Some(starts.into()), ..column("v", &data) }].into() };
    let spec = testing::spec(open(QueryType::Write), Layout::RowMajor, &[(1, CELLS)], u64::MAX);
    writer(spec).unwrap().write(&inputs).unwrap();

    let array = Arc::new(open(QueryType::Read));
    let mut subarray = Subarray::new(array.schema());
    subarray.add_range(0, &1i32.to_le_bytes(), &CELLS.to_le_bytes()).unwrap();
    let mut query = Query::new(&array, QueryType::Read).unwrap();
    query.set_layout(Layout::RowMajor).unwrap();
    query.set_subarray(&subarray).unwrap();
    let (mut values, mut offsets) = (vec![0u8; data.len()], vec![0u64; cells.len()]);
    let (mut bytes_read, mut submits) = (Vec::new(), 0);
    while query.status() != Status::Completed {
        let mut sizes = [values.len() as u64, 8 * offsets.len() as u64];
        let [bytes, places] = &mut sizes;
        query.set_data_buffer("v", UserPtr::in_test(values.as_mut_ptr()), UserPtr::in_test(bytes)).unwrap();
        query.set_offsets_buffer("v", UserPtr::in_test(offsets.as_mut_ptr().cast()), UserPtr::in_test(places)).unwrap();
        query.submit().unwrap();
        bytes_read.extend_from_slice(&values[..sizes[0] as usize]);
        submits += 1;
    }
    assert!(bytes_read == data && submits <= 4, "{} of {} bytes in {submits} submits", bytes_read.len(), data.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn the_latest_write_is_read(case in case(), limits in prop::option::of(any::<u64>())) {
        SimulatedLimits::of_option(limits).run(|| run(&case));
    }
}

/// An attribute of the same name that is added later has other values, even if these have the same size.
#[test]
fn values_of_a_dropped_attribute_are_not_those_of_a_later_one_of_its_name() {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse("mem://query/dropped").unwrap();
    let key = EncryptionKey::None;
    let ends = [1i32, 9].map(i32::to_le_bytes).concat();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&3i32.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    for name in ["a", "b"] {
        schema.add_attribute(Arc::new(Attribute::new(name, Datatype::Int32))).unwrap();
    }
    create(&resources, &uri, &schema, &key).unwrap();
    let open = |kind, time| OpenArray::open(&resources, &uri, kind, (0, time), &key).unwrap();
    let cells = bytemuck::cast_slice::<i32, u8>(&[2, 5]);
    let columns = ["d", "a", "b"].map(|name| column(name, cells)).to_vec();
    let mut writer = writer(testing::spec(open(QueryType::Write, 1), Layout::Unordered, &[], u64::MAX)).unwrap();
    writer.write(&Inputs { columns: columns.into() }).unwrap();
    writer.finish().unwrap();
    let change = |evolution: &dyn Fn(&mut SchemaEvolution)| {
        // Schemas have times of their own.
        std::thread::sleep(std::time::Duration::from_millis(2));
        let mut evolved = SchemaEvolution::default();
        evolution(&mut evolved);
        evolve(&resources, &uri, &evolved, &key).unwrap();
    };
    change(&|evolution| evolution.drop_attribute("b"));
    change(&|evolution| evolution.add_attribute(Arc::new(Attribute::new("b", Datatype::Float32))).unwrap());
    let mut query = Query::new(&Arc::new(open(QueryType::Read, u64::MAX)), QueryType::Read).unwrap();
    let mut values = [[7u32; 2]; 2];
    let mut sizes = [8u64; 2];
    for ((name, values), size) in ["a", "b"].into_iter().zip(&mut values).zip(&mut sizes) {
        query.set_data_buffer(name, UserPtr::in_test(values.as_mut_ptr().cast()), UserPtr::in_test(size)).unwrap();
    }
    query.submit().unwrap();
    assert_eq!((values[0], sizes), ([2, 5], [8, 8]));
    assert!(values[1].iter().all(|value| f32::from_bits(*value).is_nan()), "{values:?}");
}
