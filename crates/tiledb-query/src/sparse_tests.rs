//! Sparse arrays against a plain model: whatever cells are written, in any number of fragments, a read returns those of
//! its box, in the requested order, however small the buffers are.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::tests::{limit, resources};
use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::fragment::FieldPart;
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::aggregate::operation::AggregateOperator;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::input::decoded::is_cached;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::limits::sparse_read::{BATCH_BYTES_PER_THREAD, COMPACTED_PART};
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Content, Uri};

/// Row and column.
type Place = (i32, i32);
/// Inclusive rows and columns.
type Region = [(i32, i32); 2];

#[derive(Clone, Debug)]
struct Case {
    size: [i32; 2],
    extent: [i32; 2],
    cell_order: Layout,
    tile_order: Layout,
    capacity: u64,
    dups: bool,
    /// The greatest size of a fragment.
    limit: u64,
    writes: Vec<Vec<Place>>,
    /// The box, the order, and cells per submit.
    reads: Vec<(Region, Layout, usize)>,
}

/// What is written at a place: a number that tells the cells apart, and a text that follows from it.
fn text(value: i32) -> String {
    format!("{value:x}").repeat(value as usize % 3)
}

/// No text is longer.
const LONGEST: usize = 16;

fn order() -> impl Strategy<Value = Layout> {
    prop_oneof![Just(Layout::RowMajor), Just(Layout::ColMajor)]
}

fn case() -> impl Strategy<Value = Case> {
    (1..40i32, 1..40i32).prop_flat_map(|(rows, cols)| {
        let side = |count: i32| (1..=count, 1..=count).prop_map(|(a, b)| (a.min(b), a.max(b)));
        let region = (side(rows), side(cols)).prop_map(|(rows, cols)| [rows, cols]);
        let layout = prop_oneof![order(), Just(Layout::GlobalOrder), Just(Layout::Unordered)];
        let cell_order = prop_oneof![4 => order(), 1 => Just(Layout::Hilbert)];
        let writes = prop::collection::vec(prop::collection::vec((1..=rows, 1..=cols), 1..60), 0..5);
        let reads = prop::collection::vec((region, layout, 1..80usize), 1..6);
        let orders = (cell_order, order(), 1..40u64, any::<bool>(), limit());
        (1..=rows, 1..=cols, orders, writes, reads).prop_map(move |(a, b, orders, writes, reads)| Case {
            size: [rows, cols],
            extent: [a, b],
            cell_order: orders.0,
            tile_order: orders.1,
            capacity: orders.2,
            dups: orders.3,
            limit: orders.4,
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
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_cell_order(case.cell_order).unwrap();
    schema.set_tile_order(case.tile_order).unwrap();
    schema.set_capacity(case.capacity).unwrap();
    schema.set_allows_dups(case.dups).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    let mut text = Attribute::new("s", Datatype::StringAscii);
    text.set_cell_val_num(u32::MAX).unwrap();
    schema.add_attribute(Arc::new(text)).unwrap();
    schema
}

/// The buffers of a query, with their sizes in bytes.
struct Buffers {
    ints: [Vec<i32>; 3],
    texts: Vec<u8>,
    offsets: Vec<u64>,
    sizes: [u64; 5],
}

const INTS: [&str; 3] = ["rows", "cols", "a"];

impl Buffers {
    fn attach(&mut self, query: &mut Query) {
        for (d, name) in INTS.iter().enumerate() {
            self.sizes[d] = 4 * self.ints[d].len() as u64;
            let start = UserPtr::in_test(self.ints[d].as_mut_ptr().cast());
            query.set_data_buffer(name, start, UserPtr::in_test(&mut self.sizes[d])).unwrap();
        }
        (self.sizes[3], self.sizes[4]) = (self.texts.len() as u64, 8 * self.offsets.len() as u64);
        let (texts, offsets) =
            (UserPtr::in_test(self.texts.as_mut_ptr()), UserPtr::in_test(self.offsets.as_mut_ptr().cast()));
        query.set_data_buffer("s", texts, UserPtr::in_test(&mut self.sizes[3])).unwrap();
        query.set_offsets_buffer("s", offsets, UserPtr::in_test(&mut self.sizes[4])).unwrap();
    }

    /// The cells that a submit has delivered; the texts are checked.
    fn cells(&self) -> Vec<(Place, i32)> {
        let count = self.sizes[0] as usize / 4;
        assert!(self.sizes[..3].iter().all(|&size| size == self.sizes[0]) && self.sizes[4] == 2 * self.sizes[0]);
        (0..count)
            .map(|cell| {
                let end = if cell + 1 < count { self.offsets[cell + 1] } else { self.sizes[3] };
                let value = self.ints[2][cell];
                assert_eq!(&self.texts[self.offsets[cell] as usize..end as usize], text(value).as_bytes());
                ((self.ints[0][cell], self.ints[1][cell]), value)
            })
            .collect()
    }
}

fn write(array: &Arc<OpenArray>, cells: &[(Place, i32)]) {
    let mut buffers = Buffers {
        ints: [
            cells.iter().map(|cell| cell.0.0).collect(),
            cells.iter().map(|cell| cell.0.1).collect(),
            cells.iter().map(|cell| cell.1).collect(),
        ],
        texts: Vec::new(),
        offsets: Vec::new(),
        sizes: [0; 5],
    };
    for (_, value) in cells {
        buffers.offsets.push(buffers.texts.len() as u64);
        buffers.texts.extend_from_slice(text(*value).as_bytes());
    }
    // The address of an empty vector is no memory.
    buffers.texts.reserve(1);
    let mut query = Query::new(array, QueryType::Write).unwrap();
    query.set_layout(Layout::Unordered).unwrap();
    buffers.attach(&mut query);
    query.submit().unwrap();
}

/// Reads some ranges of rows and of columns; `handed` on from one query to the next where that can be.
fn read(
    array: &Arc<OpenArray>,
    ranges: [&[(i32, i32)]; 2],
    layout: Layout,
    capacity: usize,
    handed: bool,
) -> Vec<(Place, i32)> {
    let mut subarray = Subarray::new(array.schema());
    for (d, ranges) in ranges.into_iter().enumerate() {
        for (low, high) in ranges {
            subarray.add_range(d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
        }
    }
    let begin = || {
        let mut query = Query::new(array, QueryType::Read).unwrap();
        query.set_layout(layout).unwrap();
        query.set_subarray(&subarray).unwrap();
        query
    };
    let mut query = begin();
    let mut buffers = Buffers {
        ints: std::array::from_fn(|_| vec![0; capacity]),
        texts: vec![0; LONGEST.max(3 * capacity)],
        offsets: vec![0; capacity],
        sizes: [0; 5],
    };
    let mut cells_read = Vec::new();
    loop {
        buffers.attach(&mut query);
        query.submit().unwrap();
        let cells = buffers.cells();
        cells_read.extend_from_slice(&cells);
        if query.status() == Status::Completed {
            return cells_read;
        }
        assert!(!cells.is_empty() || handed, "a submit without progress");
        if handed && let Some(position) = query.position().ok().flatten() {
            query = begin();
            buffers.attach(&mut query);
            query.resume_from(position);
        }
    }
}

/// The sums of the coordinates of the cells of a box.
fn sums(array: &Arc<OpenArray>, region: &Region) -> [i64; 2] {
    let mut subarray = Subarray::new(array.schema());
    for (d, (low, high)) in region.iter().enumerate() {
        subarray.add_range(d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
    }
    let mut query = Query::new(array, QueryType::Read).unwrap();
    query.set_layout(Layout::Unordered).unwrap();
    query.set_subarray(&subarray).unwrap();
    let (mut results, mut sizes) = ([[0i64; 1]; 2], [8u64; 2]);
    for ((name, result), size) in INTS.iter().zip(&mut results).zip(&mut sizes) {
        let sum = query.unary_aggregate(AggregateOperator::Sum, name).unwrap();
        let output = format!("sum of {name}");
        query.apply_aggregate(&output, &sum).unwrap();
        let start = UserPtr::in_test(result.as_mut_ptr().cast());
        query.set_data_buffer(&output, start, UserPtr::in_test(size)).unwrap();
    }
    query.submit().unwrap();
    results.map(|[result]| result)
}

/// What cells are ordered by; `None` where the order is free, or the curve's.
fn sort_key(case: &Case, layout: Layout, (row, col): Place) -> Option<[i32; 4]> {
    let turn = |order: Layout, [a, b]: [i32; 2]| if order == Layout::ColMajor { [b, a] } else { [a, b] };
    let cell = |order: Layout| turn(order, [row, col]);
    match layout {
        Layout::Unordered if case.dups => None,
        Layout::GlobalOrder | Layout::Unordered if case.cell_order == Layout::Hilbert => None,
        Layout::GlobalOrder | Layout::Unordered => {
            let tile = turn(case.tile_order, [(row - 1) / case.extent[0], (col - 1) / case.extent[1]]);
            let cell = cell(case.cell_order);
            Some([tile[0], tile[1], cell[0], cell[1]])
        }
        order => Some([0, 0, cell(order)[0], cell(order)[1]]),
    }
}

/// With other batches cells of the same coordinates may come in another order.
fn comparable(case: &Case, mut cells: Vec<(Place, i32)>) -> Vec<(Place, i32)> {
    if case.dups && SimulatedLimits::current() != SimulatedLimits::default() {
        cells.sort_unstable();
    }
    cells
}

fn run(case: &Case) {
    with_array(case, |array, model| {
        for (region, layout, capacity) in &case.reads {
            let ranges = [&region[..1], &region[1..]];
            let cells_read = read(array, ranges, *layout, *capacity, false);
            let handed_on = read(array, ranges, *layout, *capacity, true);
            assert_eq!(
                comparable(case, handed_on),
                comparable(case, cells_read.clone()),
                "{region:?} in {layout:?}, handed on"
            );
            let inside = |&(row, col): &Place| {
                (region[0].0..=region[0].1).contains(&row) && (region[1].0..=region[1].1).contains(&col)
            };
            let cells = model.iter().filter(|(place, _)| inside(place));
            let expected: Vec<(Place, i32)> =
                cells.flat_map(|(place, values)| values.iter().map(move |value| (*place, *value))).collect();
            assert!(
                cells_read.is_sorted_by_key(|cell| sort_key(case, *layout, cell.0)),
                "the order of {region:?} in {layout:?}"
            );
            let mut sorted = cells_read;
            sorted.sort_unstable();
            assert_eq!(sorted, expected, "{region:?} in {layout:?}, {capacity} cells at a time");
            let sum = |of: fn(&(Place, i32)) -> i32| expected.iter().map(|cell| i64::from(of(cell))).sum::<i64>();
            assert_eq!(sums(array, region), [sum(|cell| cell.0.0), sum(|cell| cell.0.1)], "{region:?}");
        }
    });
}

/// Reads several ranges, which may overlap and come in any order: cells come once for every pair of ranges they lie in.
fn run_ranges(case: &Case, ranges: [&[(i32, i32)]; 2], layout: Layout, capacity: usize) {
    with_array(case, |array, model| {
        let mut expected = Vec::new();
        for (&(row, col), values) in model {
            let count =
                |ranges: &[(i32, i32)], at| ranges.iter().filter(|(low, high)| (*low..=*high).contains(&at)).count();
            let copies = count(ranges[0], row) * count(ranges[1], col);
            expected.extend(values.iter().flat_map(|&value| std::iter::repeat_n(((row, col), value), copies)));
        }
        let mut cells_read = read(array, ranges, layout, capacity, false);
        let handed_on = read(array, ranges, layout, capacity, true);
        assert_eq!(
            comparable(case, handed_on),
            comparable(case, cells_read.clone()),
            "{ranges:?} in {layout:?}, handed on"
        );
        let ascend = |ranges: &[(i32, i32)]| ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        if ranges.into_iter().all(ascend) {
            assert!(cells_read.is_sorted_by_key(|cell| sort_key(case, layout, cell.0)), "the order of {ranges:?}");
        }
        cells_read.sort_unstable();
        assert_eq!(cells_read, expected, "{ranges:?} in {layout:?}, {capacity} cells at a time");
    });
}

/// Writes the cells of a case.
fn with_array(case: &Case, check: impl FnOnce(&Arc<OpenArray>, &BTreeMap<Place, Vec<i32>>)) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let uri = format!("mem://sparse_model/{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let (resources, uri) = (resources(case.limit), Uri::parse(&uri).unwrap());
    let key = EncryptionKey::None;
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &key).unwrap());
    create(&resources, &uri, &schema(case), &key).unwrap();
    let mut model: BTreeMap<Place, Vec<i32>> = BTreeMap::new();
    for (number, places) in case.writes.iter().enumerate() {
        let mut places = places.clone();
        if !case.dups {
            let mut distinct = std::collections::HashSet::new();
            places.retain(|place| distinct.insert(*place));
        }
        let cells: Vec<(Place, i32)> = places.into_iter().zip(1000 * number as i32..).collect();
        for &(place, value) in &cells {
            let values = model.entry(place).or_default();
            if !case.dups {
                values.clear();
            }
            values.push(value);
        }
        write(&open(QueryType::Write, number as u64 + 1), &cells);
    }
    let array = open(QueryType::Read, u64::MAX);
    check(&array, &model);
    resources.vfs().remove_dir(&uri).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn cells_of_a_box_are_read_once(case in case(), limits in prop::option::of(any::<u64>())) {
        SimulatedLimits::of_option(limits).run(|| run(&case));
    }

    #[test]
    fn cells_of_overlapping_ranges_are_read_once_per_range(
        case in case(),
        ends in prop::array::uniform2(prop::collection::vec((0..1000i32, 0..9i32), 1..5)),
        ascending: bool,
        layout in order(),
        capacity in 1..40usize,
        limits in prop::option::of(any::<u64>()),
    ) {
        let ranges: Vec<Vec<(i32, i32)>> = (0..2).map(|d| {
            let range = |&(low, length): &(i32, i32)| (1 + low % case.size[d], (1 + low % case.size[d] + length).min(case.size[d]));
            let mut ranges: Vec<(i32, i32)> = ends[d].iter().map(range).collect();
            if ascending {
                ranges.sort_unstable();
                ranges.dedup_by(|next, range| next.0 <= range.1);
            }
            ranges
        }).collect();
        SimulatedLimits::of_option(limits).run(|| run_ranges(&case, [&ranges[0], &ranges[1]], layout, capacity));
    }
}

/// A tile of which most cells were delivered is compacted to the others when the tiles that follow are loaded.
#[test]
fn aggregate_of_a_dimension_counts_the_cells_of_compacted_tiles_once() {
    let case = Case {
        size: [1, 40],
        extent: [1, 40],
        cell_order: Layout::RowMajor,
        tile_order: Layout::RowMajor,
        capacity: 16,
        dups: false,
        limit: u64::MAX,
        writes: vec![
            (1..=16).map(|col| (1, col)).collect(),
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20].map(|col| (1, col)).to_vec(),
            [3, 16, 30].map(|col| (1, col)).to_vec(),
        ],
        reads: vec![([(1, 1), (1, 40)], Layout::Unordered, 80)],
    };
    for bytes in [1, 100, 300] {
        SimulatedLimits::new(&[(&BATCH_BYTES_PER_THREAD, bytes), (&COMPACTED_PART, 1)]).run(|| run(&case));
    }
}

/// The least and the greatest cell of each tile of a global-order write of nulls.
fn extremes_of_nulls(cells: usize) -> Vec<(i32, i32)> {
    let (resources, uri) =
        (Resources::new(Config::new()).unwrap(), Uri::parse(&format!("mem://nulls/{cells}")).unwrap());
    let key = EncryptionKey::None;
    let mut domain = Domain::new();
    let bounds = [0i32, 99];
    let rows =
        Dimension::new("rows", Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&100i32.to_le_bytes()));
    domain.add(Arc::new(rows.unwrap()));
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_capacity(10).unwrap();
    let mut attribute = Attribute::new("a", Datatype::Int32);
    attribute.set_nullable(true);
    schema.add_attribute(Arc::new(attribute)).unwrap();
    create(&resources, &uri, &schema, &key).unwrap();
    let open = |kind| Arc::new(OpenArray::open(&resources, &uri, kind, (0, u64::MAX), &key).unwrap());

    let mut query = Query::new(&open(QueryType::Write), QueryType::Write).unwrap();
    query.set_layout(Layout::GlobalOrder).unwrap();
    let (mut rows, mut validity): (Vec<i32>, _) = ((0..cells as i32).collect(), vec![0u8; cells]);
    let (mut size, mut count) = (4 * cells as u64, cells as u64);
    let mut values = vec![5i32; cells];
    query.set_data_buffer("rows", UserPtr::in_test(rows.as_mut_ptr().cast()), UserPtr::in_test(&mut size)).unwrap();
    query.set_data_buffer("a", UserPtr::in_test(values.as_mut_ptr().cast()), UserPtr::in_test(&mut size)).unwrap();
    query.set_validity_buffer("a", UserPtr::in_test(validity.as_mut_ptr()), UserPtr::in_test(&mut count)).unwrap();
    query.submit().unwrap();
    query.finalize().unwrap();

    let array = open(QueryType::Read);
    let (field, fragment) = (array.schema().field("a").unwrap(), &array.fragments().unwrap()[0]);
    let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().unwrap());
    let tile = |tile| fragment.tile_min_max(field, tile).unwrap().map(|(min, max)| (number(min), number(max)));
    (0..cells.div_ceil(10) as u64).map(|number| tile(number).unwrap()).collect()
}

/// A tile that is not full leaves the extremes of no cell, but for the only one.
#[test]
fn global_order_writes_of_nulls_have_extremes() {
    assert_eq!(extremes_of_nulls(4), [(0, 0)]);
    assert_eq!(extremes_of_nulls(10), [(0, 0)]);
    assert_eq!(extremes_of_nulls(15), [(0, 0), (i32::MAX, i32::MIN)]);
}

#[test]
fn decoded_tiles_are_cached_across_opens_until_the_file_changes() {
    let directory = tempfile::tempdir().unwrap();
    let resources = Resources::new(Config::new()).unwrap();
    let side = 40;
    let case = Case {
        size: [side, side],
        extent: [side, side],
        cell_order: Layout::RowMajor,
        tile_order: Layout::RowMajor,
        capacity: 2000,
        dups: true,
        limit: u64::MAX,
        writes: Vec::new(),
        reads: Vec::new(),
    };
    let [first, second] = ["first", "second"].map(|name| Uri::from_path(&directory.path().join(name)).unwrap());
    let open = |uri: &Uri, kind| {
        Arc::new(OpenArray::open(&resources, uri, kind, (0, u64::MAX), &EncryptionKey::None).unwrap())
    };
    // Their texts are empty.
    let value = |place: i32, factor: i32| place * factor * 3;
    for (uri, factor) in [(&first, 1), (&second, 2)] {
        create(&resources, uri, &schema(&case), &EncryptionKey::None).unwrap();
        let places = (1..=side).flat_map(|row| (1..=side).map(move |col| (row, col)));
        let cells: Vec<(Place, i32)> = places.map(|(row, col)| ((row, col), value(row * side + col, factor))).collect();
        write(&open(uri, QueryType::Write), &cells);
    }
    let row = |uri: &Uri, factor: i32| {
        let array = open(uri, QueryType::Read);
        let cells_read = read(&array, [&[(3, 3)], &[]], Layout::RowMajor, 100, false);
        let expected: Vec<(Place, i32)> = (1..=side).map(|col| ((3, col), value(3 * side + col, factor))).collect();
        assert_eq!(cells_read, expected);
    };
    let fragment = |uri: &Uri| open(uri, QueryType::Read).fragments().unwrap()[0].clone();
    let is_cached_of = |uri: &Uri| is_cached(&fragment(uri), fragment(uri).field("a").unwrap(), 0);
    let file = |uri: &Uri| fragment(uri).file_uri(fragment(uri).field("a").unwrap(), FieldPart::Data);
    // Until then no stamp is a validator; on some file systems none ever is.
    std::thread::sleep(std::time::Duration::from_millis(1200));
    let caches = resources.vfs().open_to_cache(&file(&first), Content::Cells).unwrap().validator().is_some();
    assert!(!is_cached_of(&first));
    row(&first, 1);
    assert!(is_cached_of(&first) == caches && !is_cached_of(&second));
    let bytes = resources.vfs().read(&file(&second)).unwrap();
    std::fs::write(file(&first).path(), bytes).unwrap();
    assert!(!is_cached_of(&first));
    row(&first, 2);
}
