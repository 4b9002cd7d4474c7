//! Incomplete reads that are continued: by another query from the position of the first one, and by the same query after a submit
//! that was cancelled. Together the submits return each selected cell once, as a read with large buffers does.

use std::sync::Arc;

use super::{Query, Status};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, ErrorKind};
use tiledb_core::limits::simulation::SimulatedLimits;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

const LAYOUTS: [Layout; 4] = [Layout::RowMajor, Layout::ColMajor, Layout::GlobalOrder, Layout::Unordered];

/// The coordinate along the first dimension, that along the second, and a number that tells cells apart.
type Cell = (String, i32, i32);
/// Ranges of texts, and of numbers.
type Ranges<'a> = (&'a [(&'a str, &'a str)], &'a [(i32, i32)]);

/// Texts that differ in their last character only, which parts of ranges do not reach, or in their first one.
fn texts(is_deep: bool) -> [String; 3] {
    ["a", "b", "c"].map(|text| if is_deep { "x".repeat(30) + text } else { text.repeat(3) })
}

/// A sparse array with a dimension of texts, and one of numbers; each fragment has all texts.
fn written(name: &str, is_deep: bool, dups: bool, fragments: i32) -> (Arc<OpenArray>, Vec<Cell>) {
    let (resources, key) = (Resources::new(Config::new()).unwrap(), EncryptionKey::None);
    let uri = Uri::parse(&format!("mem://continued/{name}")).unwrap();
    let mut domain = Domain::new();
    domain.add(Arc::new(Dimension::new("s", Datatype::StringAscii, None, None).unwrap()));
    let bounds = [0i32, 99];
    let second = Dimension::new("x", Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&10i32.to_le_bytes()));
    domain.add(Arc::new(second.unwrap()));
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_capacity(5).unwrap();
    schema.set_allows_dups(dups).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    create(&resources, &uri, &schema, &key).unwrap();
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &key).unwrap());
    let mut cells: Vec<Cell> = Vec::new();
    for fragment in 0..fragments {
        let mut own: Vec<Cell> = Vec::new();
        for (number, text) in texts(is_deep).into_iter().enumerate() {
            own.extend((0..8).map(|at| (text.clone(), 3 * at + fragment, 100 * fragment + 10 * number as i32 + at)));
        }
        let mut data: Vec<u8> = own.iter().flat_map(|cell| cell.0.bytes()).collect();
        let mut starts = tiledb_cells::write::testing::starts(&own.iter().map(|cell| &cell.0).collect::<Vec<_>>());
        let mut numbers: [Vec<i32>; 2] =
            [own.iter().map(|cell| cell.1).collect(), own.iter().map(|cell| cell.2).collect()];
        let count = own.len() as u64;
        let mut sizes = [data.len() as u64, 8 * count, 4 * count, 4 * count];
        let [of_data, of_starts, of_x, of_a] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        let mut query = Query::new(&open(QueryType::Write, fragment as u64 + 1), QueryType::Write).unwrap();
        query.set_layout(Layout::Unordered).unwrap();
        query.set_data_buffer("s", UserPtr::in_test(data.as_mut_ptr()), of_data).unwrap();
        query.set_offsets_buffer("s", UserPtr::in_test(starts.as_mut_ptr().cast()), of_starts).unwrap();
        for ((name, numbers), size) in ["x", "a"].into_iter().zip(&mut numbers).zip([of_x, of_a]) {
            query.set_data_buffer(name, UserPtr::in_test(numbers.as_mut_ptr().cast()), size).unwrap();
        }
        query.submit().unwrap();
        cells.extend(own);
    }
    (open(QueryType::Read, 99), cells)
}

struct Buffers {
    data: Vec<u8>,
    offsets: Vec<u64>,
    numbers: [Vec<i32>; 2],
    sizes: [u64; 4],
}

impl Buffers {
    fn new(capacity: usize) -> Buffers {
        let numbers = [vec![0; capacity], vec![0; capacity]];
        Buffers { data: vec![0; 31 * capacity], offsets: vec![0; capacity], numbers, sizes: [0; 4] }
    }

    fn attach(&mut self, query: &mut Query) {
        let count = self.offsets.len() as u64;
        self.sizes = [self.data.len() as u64, 8 * count, 4 * count, 4 * count];
        let [of_data, of_offsets, of_x, of_a] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer("s", UserPtr::in_test(self.data.as_mut_ptr()), of_data).unwrap();
        query.set_offsets_buffer("s", UserPtr::in_test(self.offsets.as_mut_ptr().cast()), of_offsets).unwrap();
        for ((name, numbers), size) in ["x", "a"].into_iter().zip(&mut self.numbers).zip([of_x, of_a]) {
            query.set_data_buffer(name, UserPtr::in_test(numbers.as_mut_ptr().cast()), size).unwrap();
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let count = self.sizes[2] as usize / 4;
        let end = |cell: usize| if cell + 1 < count { self.offsets[cell + 1] } else { self.sizes[0] } as usize;
        let text = |cell: usize| std::str::from_utf8(&self.data[self.offsets[cell] as usize..end(cell)]).unwrap();
        (0..count).map(|cell| (text(cell).to_owned(), self.numbers[0][cell], self.numbers[1][cell])).collect()
    }
}

fn query(array: &Arc<OpenArray>, layout: Layout, (of_texts, of_numbers): Ranges<'_>) -> Query {
    let mut subarray = Subarray::new(array.schema());
    of_texts.iter().for_each(|(low, high)| subarray.add_range_var(0, low.as_bytes(), high.as_bytes()).unwrap());
    of_numbers.iter().for_each(|(low, high)| subarray.add_range(1, &low.to_le_bytes(), &high.to_le_bytes()).unwrap());
    let mut query = Query::new(array, QueryType::Read).unwrap();
    query.set_layout(layout).unwrap();
    query.set_subarray(&subarray).unwrap();
    query
}

/// How a read goes on after a submit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Continued {
    /// As always.
    BySubmits,
    /// Another query goes on from its position, if it has one.
    ByPosition,
    /// Before each submit another one is cancelled once it has read.
    AfterCancelledSubmits,
}

/// The cells of each submit.
fn read(
    array: &Arc<OpenArray>,
    layout: Layout,
    ranges: Ranges<'_>,
    capacity: usize,
    continued: Continued,
) -> Vec<Vec<Cell>> {
    let mut query = query(array, layout, ranges);
    let mut buffers = Buffers::new(capacity);
    let mut submits = Vec::new();
    loop {
        buffers.attach(&mut query);
        if continued == Continued::AfterCancelledSubmits {
            let watch = query.watch().unwrap();
            watch.cancel.request();
            // A read that could not go on afterwards is not cancelled: nothing is watched, or the request is revoked.
            let is_watched = query.watch().unwrap().cancel.check().is_err();
            let mut is_cancelled = false;
            let submitted = query.submit_watched(|query| {
                is_cancelled = is_watched && watch.cancel.check().is_err();
                watch.cancel.reset();
                query.submit()?;
                if is_cancelled { Err(Error::new(ErrorKind::Cancelled, "cancelled")) } else { Ok(()) }
            });
            assert_eq!(submitted.is_err(), is_cancelled, "{submitted:?}");
            if is_cancelled {
                buffers.attach(&mut query);
                query.submit().unwrap();
            }
        } else {
            query.submit().unwrap();
        }
        let cells = buffers.cells();
        let is_completed = query.status() == Status::Completed;
        assert!(is_completed || !cells.is_empty() || continued == Continued::ByPosition, "a submit without progress");
        submits.push(cells);
        if is_completed {
            return submits;
        }
        if continued == Continued::ByPosition
            && let Ok(Some(position)) = query.position()
        {
            query = self::query(array, layout, ranges);
            buffers.attach(&mut query);
            query.resume_from(position);
        }
    }
}

/// The cells of the ranges, as often as they are in ranges.
fn expected(cells: &[Cell], dups: bool, (of_texts, of_numbers): Ranges<'_>) -> Vec<Cell> {
    let count_texts = |text: &str| of_texts.iter().filter(|(low, high)| (*low..=*high).contains(&text)).count();
    let count_numbers = |number: i32| of_numbers.iter().filter(|(low, high)| (*low..=*high).contains(&number)).count();
    let mut expected = Vec::new();
    for (place, cell) in cells.iter().enumerate() {
        let is_newest = cells[place + 1..].iter().all(|later| (&later.0, later.1) != (&cell.0, cell.1));
        if dups || is_newest {
            let texts = if of_texts.is_empty() { 1 } else { count_texts(&cell.0) };
            let numbers = if of_numbers.is_empty() { 1 } else { count_numbers(cell.1) };
            expected.extend(std::iter::repeat_n(cell.clone(), texts * numbers));
        }
    }
    expected.sort();
    expected
}

#[test]
fn continued_reads_return_each_selected_cell_once() {
    let deep = texts(true);
    let range_of_deep = [(deep[0].as_str(), deep[2].as_str())];
    let points = [(deep[2].as_str(), deep[2].as_str()), (deep[0].as_str(), deep[0].as_str())];
    let text_ranges: [&[(&str, &str)]; 5] =
        [&[], &range_of_deep, &points, &[("aaa", "bbb")], &[("a", "b"), ("bb", "y")]];
    let number_ranges: [&[(i32, i32)]; 5] =
        [&[], &[(2, 17)], &[(0, 7), (9, 99)], &[(9, 99), (0, 7)], &[(0, 9), (6, 20)]];
    let arrays = [(true, false, 1), (true, true, 3), (false, false, 3), (false, true, 1)];
    for (number, (is_deep, dups, fragments)) in arrays.into_iter().enumerate() {
        // Every other one with tiny internal limits, which stay the same as long as the array is open.
        let limits = SimulatedLimits::of_option((number % 2 == 1).then_some(number as u64));
        limits.run(|| {
            let (array, cells) = written(&number.to_string(), is_deep, dups, fragments);
            let mut combination = number;
            for ranges in text_ranges.iter().flat_map(|texts| number_ranges.map(|numbers| (*texts, numbers))) {
                let expected = expected(&cells, dups, ranges);
                for layout in LAYOUTS {
                    // Several ranges are read in the order of rows or columns only.
                    let is_ordered = matches!(layout, Layout::RowMajor | Layout::ColMajor);
                    if !is_ordered && (ranges.0.len() > 1 || ranges.1.len() > 1) {
                        continue;
                    }
                    // Each combination with another size of the buffers.
                    combination += 1;
                    let capacity = [1, 4, 9][combination % 3];
                    for continued in [Continued::BySubmits, Continued::ByPosition, Continued::AfterCancelledSubmits] {
                        let mut actual = read(&array, layout, ranges, capacity, continued).concat();
                        actual.sort();
                        let context = format!("array {number}, {ranges:?} in {layout:?}, {capacity} cells at a time");
                        assert_eq!(actual, expected, "{context}, continued {continued:?}");
                    }
                }
            }
        });
    }
}
