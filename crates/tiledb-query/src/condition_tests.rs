//! Conditions on dense and sparse arrays, against a plain model: cells that do not meet one have fill values in a dense array, and are
//! left out of a sparse one, whatever the layout, the requested fields and the sizes of the buffers.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Query, Status, part_count, partition};
use tiledb_array::array::{OpenArray, create};
use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::aggregate::operation::AggregateOperator;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, CellRange, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Rows and columns, from 1 on, and of a tile.
const SIZE: [i32; 2] = [8, 6];
const EXTENT: [i32; 2] = [4, 3];
/// The boxes that are written one after the other, as inclusive rows and columns. Some cells of a dense array are never written.
const WRITES: [[(i32, i32); 2]; 3] = [[(1, 8), (1, 4)], [(3, 6), (3, 6)], [(5, 5), (2, 2)]];
/// Cells that are not written, or do not meet a condition.
const FILL: i32 = -7;

/// Row and column.
type Place = (i32, i32);

#[derive(Clone, Debug, PartialEq)]
struct Cell {
    a: i32,
    n: Option<i32>,
    t: Option<&'static str>,
    f: f64,
}

impl Cell {
    fn new((row, column): Place, write: i32) -> Cell {
        let a = 100 * write + 10 * row + column;
        let t = [None, Some(""), Some("b"), Some("bc"), Some("cc")][(row + column) as usize % 5];
        Cell { a, n: (a % 3 > 0).then_some(a % 7), t, f: if a % 5 == 0 { f64::NAN } else { f64::from(a) / 2.0 } }
    }

    fn print(&self, (row, column): Place, field: &str) -> String {
        match field {
            "rows" => row.to_string(),
            "columns" => column.to_string(),
            "a" => self.a.to_string(),
            "n" => self.n.map_or("null".to_owned(), |n| n.to_string()),
            "t" => format!("{:?}", self.t),
            "p" => format!("{:?}", [self.a; 3]),
            _ => self.f.to_string(),
        }
    }

    fn fill((row, column): Place, field: &str) -> String {
        match field {
            "rows" => row.to_string(),
            "columns" => column.to_string(),
            "a" => FILL.to_string(),
            "n" => "null".to_owned(),
            "t" => "None".to_owned(),
            "p" => format!("{:?}", [FILL; 3]),
            _ => f64::NAN.to_string(),
        }
    }
}

type CellTest = Box<dyn Fn(Place, &Cell) -> bool>;

/// A condition, and the cells that meet it.
struct Case {
    name: &'static str,
    condition: Condition,
    is_met: CellTest,
}

fn number(field: &str, operator: ComparisonOperator, value: i32) -> Condition {
    Condition::new(Comparison::new(field, Some(&value.to_le_bytes()), operator).unwrap())
}

fn text(operator: ComparisonOperator, value: &str) -> Condition {
    Condition::new(Comparison::new("t", Some(value.as_bytes()), operator).unwrap())
}

fn real(operator: ComparisonOperator, value: f64) -> Condition {
    Condition::new(Comparison::new("f", Some(&value.to_le_bytes()), operator).unwrap())
}

fn null(field: &str, operator: ComparisonOperator) -> Condition {
    Condition::new(Comparison::new(field, None, operator).unwrap())
}

fn cases() -> Vec<Case> {
    use ComparisonOperator::{Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, NotEqual, NotIn};
    let mut cases = Vec::new();
    let mut add = |name, condition, is_met: CellTest| cases.push(Case { name, condition, is_met });
    // Of whole tiles, of the cells of one write, of some cells, of one and of none; the statistics of tiles decide some.
    add("all", number("a", GreaterOrEqual, 0), Box::new(|_, _| true));
    add("none", number("a", Less, 0), Box::new(|_, _| false));
    add("first write", number("a", Less, 200), Box::new(|_, cell| cell.a < 200));
    add("later writes", number("a", Greater, 200), Box::new(|_, cell| cell.a > 200));
    add("upper tiles", number("a", LessOrEqual, 144), Box::new(|_, cell| cell.a <= 144));
    add("some", number("a", Greater, 162), Box::new(|_, cell| cell.a > 162));
    add("one", number("a", Equal, 243), Box::new(|_, cell| cell.a == 243));
    add("superseded", number("a", Equal, 133), Box::new(|_, _| false));
    add("all but one", number("a", NotEqual, 352), Box::new(|_, cell| cell.a != 352));
    let set = |operator| {
        let bytes = [111, 236, 900].map(i32::to_le_bytes).concat();
        Condition::new(Comparison::set("a", &bytes, &[0, 4, 8], operator).unwrap())
    };
    add("set", set(In), Box::new(|_, cell| [111, 236].contains(&cell.a)));
    add("not in set", set(NotIn), Box::new(|_, cell| ![111, 236].contains(&cell.a)));
    add("null", null("n", Equal), Box::new(|_, cell| cell.n.is_none()));
    add("not null", null("n", NotEqual), Box::new(|_, cell| cell.n.is_some()));
    add("nullable", number("n", Less, 4), Box::new(|_, cell| cell.n.is_some_and(|n| n < 4)));
    add("not nullable", number("n", Less, 4).negate().unwrap(), Box::new(|_, cell| cell.n.is_some_and(|n| n >= 4)));
    add("no nullable", number("n", Less, -1), Box::new(|_, _| false));
    add("text", text(Equal, "b"), Box::new(|_, cell| cell.t == Some("b")));
    add("empty text", text(Equal, ""), Box::new(|_, cell| cell.t == Some("")));
    add("greater text", text(Greater, "b"), Box::new(|_, cell| cell.t.is_some_and(|t| t > "b")));
    add("no text", text(Equal, "d"), Box::new(|_, _| false));
    add("null text", null("t", Equal), Box::new(|_, cell| cell.t.is_none()));
    add("any text", null("t", NotEqual), Box::new(|_, cell| cell.t.is_some()));
    add("real", real(Less, 80.0), Box::new(|_, cell| cell.f < 80.0));
    add("not real", real(NotEqual, 55.5), Box::new(|_, cell| cell.f != 55.5));
    add("rows", number("rows", LessOrEqual, 4), Box::new(|place, _| place.0 <= 4));
    add("some rows", number("rows", Equal, 3), Box::new(|place, _| place.0 == 3));
    add("columns", number("columns", Greater, 3), Box::new(|place, _| place.1 > 3));
    let (both, either) = (Combination::And, Combination::Or);
    add(
        "both",
        number("a", Less, 165).combine(&text(NotEqual, "b"), both),
        Box::new(|_, cell| cell.a < 165 && cell.t.is_some_and(|t| t != "b")),
    );
    add(
        "either",
        null("n", Equal).combine(&number("rows", Greater, 6), either),
        Box::new(|place, cell| cell.n.is_none() || place.0 > 6),
    );
    add(
        "groups",
        number("n", Equal, 1).combine(&text(Less, "bc"), both).combine(&number("a", Greater, 260), either),
        Box::new(|_, cell| cell.n == Some(1) && cell.t.is_some_and(|t| t < "bc") || cell.a > 260),
    );
    add(
        "either of dimensions and nulls, negated",
        null("t", Equal).combine(&number("columns", Less, 3), either).negate().unwrap(),
        Box::new(|place, cell| cell.t.is_some() && place.1 >= 3),
    );
    cases
}

struct Model {
    array: Arc<OpenArray>,
    cells: BTreeMap<Place, Cell>,
    is_dense: bool,
}

fn places(region: [(i32, i32); 2]) -> impl Iterator<Item = Place> {
    let [rows, columns] = region;
    (rows.0..=rows.1).flat_map(move |row| (columns.0..=columns.1).map(move |column| (row, column)))
}

/// Writes an array whose texts have this filter.
fn written(kind: ArrayType, orders: [Layout; 2], filter: Option<FilterType>) -> Model {
    let resources = Resources::new(Config::new()).unwrap();
    let uri = Uri::parse(&format!("mem://conditions/{kind:?}_{orders:?}_{filter:?}")).unwrap();
    let key = EncryptionKey::None;
    let mut domain = Domain::new();
    for (name, d) in [("rows", 0), ("columns", 1)] {
        let (bounds, extent) = ([1, SIZE[d]], EXTENT[d].to_le_bytes());
        let dimension = Dimension::new(name, Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent));
        domain.add(Arc::new(dimension.unwrap()));
    }
    let mut schema = ArraySchema::new(kind);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.set_cell_order(orders[0]).unwrap();
    schema.set_tile_order(orders[1]).unwrap();
    schema.set_capacity(5).unwrap();
    let mut a = Attribute::new("a", Datatype::Int32);
    a.set_fill(Some(&FILL.to_le_bytes())).unwrap();
    let mut n = Attribute::new("n", Datatype::Int32);
    n.set_nullable(true);
    let mut t = Attribute::new("t", Datatype::StringAscii);
    t.set_cell_val_num(u32::MAX).unwrap();
    t.set_nullable(true);
    t.set_filters(Pipeline::new(filter.into_iter().map(Filter::new).collect())).unwrap();
    let f = Attribute::new("f", Datatype::Float64);
    let mut p = Attribute::new("p", Datatype::Int32);
    p.set_cell_val_num(3).unwrap();
    p.set_fill(Some(&FILL.to_le_bytes().repeat(3))).unwrap();
    [a, n, t, f, p].into_iter().for_each(|attribute| schema.add_attribute(Arc::new(attribute)).unwrap());
    create(&resources, &uri, &schema, &key).unwrap();
    let open = |kind, time| Arc::new(OpenArray::open(&resources, &uri, kind, (0, time), &key).unwrap());
    let mut cells = BTreeMap::new();
    for (write, region) in (1..).zip(WRITES) {
        let added: Vec<(Place, Cell)> = places(region).map(|place| (place, Cell::new(place, write))).collect();
        let mut query = Query::new(&open(QueryType::Write, write as u64), QueryType::Write).unwrap();
        match kind {
            ArrayType::Dense => {
                query.set_layout(Layout::RowMajor).unwrap();
                query.set_subarray(&subarray(&query, region)).unwrap();
            }
            ArrayType::Sparse => query.set_layout(Layout::Unordered).unwrap(),
        }
        let texts: Vec<&str> = added.iter().map(|(_, cell)| cell.t.unwrap_or_default()).collect();
        let ints = |value: &dyn Fn(&(Place, Cell)) -> i32| added.iter().map(value).collect::<Vec<i32>>();
        let mut numbers = [
            ints(&|cell| cell.0.0),
            ints(&|cell| cell.0.1),
            ints(&|cell| cell.1.a),
            ints(&|cell| cell.1.n.unwrap_or(9)),
        ];
        let mut triples: Vec<[i32; 3]> = added.iter().map(|(_, cell)| [cell.a; 3]).collect();
        let mut reals: Vec<f64> = added.iter().map(|(_, cell)| cell.f).collect();
        let mut starts = tiledb_cells::write::testing::starts(&texts);
        let mut text = texts.concat().into_bytes();
        let bytes = |is_valid: &dyn Fn(&Cell) -> bool| {
            added.iter().map(|(_, cell)| u8::from(is_valid(cell))).collect::<Vec<u8>>()
        };
        let mut validity = [bytes(&|cell| cell.n.is_some()), bytes(&|cell| cell.t.is_some())];
        let count = added.len() as u64;
        let mut sizes = [8 * count, text.len() as u64, 8 * count, count, count, 12 * count];
        let mut fixed = [4 * count; 4];
        let [of_reals, of_text, of_starts, of_n, of_t, of_p] = sizes.each_mut().map(|size| UserPtr::in_test(size));
        for ((name, numbers), size) in ["rows", "columns", "a", "n"].into_iter().zip(&mut numbers).zip(&mut fixed) {
            if kind == ArrayType::Sparse || name.len() == 1 {
                let start = UserPtr::in_test(numbers.as_mut_ptr().cast());
                query.set_data_buffer(name, start, UserPtr::in_test(size)).unwrap();
            }
        }
        query.set_data_buffer("f", UserPtr::in_test(reals.as_mut_ptr().cast()), of_reals).unwrap();
        query.set_data_buffer("p", UserPtr::in_test(triples.as_mut_ptr().cast()), of_p).unwrap();
        query.set_data_buffer("t", UserPtr::in_test(text.as_mut_ptr()), of_text).unwrap();
        query.set_offsets_buffer("t", UserPtr::in_test(starts.as_mut_ptr().cast()), of_starts).unwrap();
        query.set_validity_buffer("n", UserPtr::in_test(validity[0].as_mut_ptr()), of_n).unwrap();
        query.set_validity_buffer("t", UserPtr::in_test(validity[1].as_mut_ptr()), of_t).unwrap();
        query.submit().unwrap();
        cells.extend(added);
    }
    Model { array: open(QueryType::Read, 9), cells, is_dense: kind == ArrayType::Dense }
}

fn subarray(query: &Query, region: [(i32, i32); 2]) -> Subarray {
    let mut subarray = Subarray::new(query.array().schema());
    for (d, (low, high)) in region.iter().enumerate() {
        subarray.add_range(d as u32, &low.to_le_bytes(), &high.to_le_bytes()).unwrap();
    }
    subarray
}

/// The buffers of a field.
struct Buffers {
    data: Vec<u64>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
    sizes: [u64; 3],
}

impl Buffers {
    fn print(&self, field: &str) -> Vec<String> {
        let data: &[u8] = &bytemuck::cast_slice(&self.data)[..self.sizes[0] as usize];
        let is_valid = |cell: usize| self.validity[cell] == 1;
        match field {
            "t" => {
                let count = self.sizes[1] as usize / 8;
                let end = |cell: usize| if cell + 1 < count { self.offsets[cell + 1] } else { self.sizes[0] } as usize;
                let value = |cell: usize| std::str::from_utf8(&data[self.offsets[cell] as usize..end(cell)]).unwrap();
                (0..count).map(|cell| format!("{:?}", is_valid(cell).then(|| value(cell)))).collect()
            }
            "p" => bytemuck::cast_slice::<u8, [i32; 3]>(data).iter().map(|cell| format!("{cell:?}")).collect(),
            "f" => bytemuck::cast_slice::<u8, f64>(data).iter().map(f64::to_string).collect(),
            _ => {
                let numbers = bytemuck::cast_slice::<u8, i32>(data).iter().enumerate();
                let print = |(cell, number): (usize, &i32)| match field == "n" && !is_valid(cell) {
                    true => "null".to_owned(),
                    false => number.to_string(),
                };
                numbers.map(print).collect()
            }
        }
    }
}

impl Model {
    /// The cells of a region that meet a condition, in the order of a layout.
    fn expected(&self, case: &Case, region: [(i32, i32); 2], layout: Layout, fields: &[&str]) -> Vec<Vec<String>> {
        let schema = self.array.schema();
        let mut all: Vec<Place> = places(region).collect();
        let turn = |order: Layout, (a, b): Place| if order == Layout::ColMajor { (b, a) } else { (a, b) };
        match layout {
            Layout::GlobalOrder => all.sort_by_key(|&(row, column)| {
                let tile = ((row - 1) / EXTENT[0], (column - 1) / EXTENT[1]);
                (turn(schema.tile_order(), tile), turn(schema.cell_order(), (row, column)))
            }),
            order => all.sort_by_key(|&place| turn(order, place)),
        }
        let print = |place: Place| {
            let cell = self.cells.get(&place).filter(|cell| (case.is_met)(place, cell));
            let print = |field: &&str| match cell {
                Some(cell) => cell.print(place, field),
                None => Cell::fill(place, field),
            };
            (self.is_dense || cell.is_some()).then(|| fields.iter().map(print).collect())
        };
        all.into_iter().filter_map(print).collect()
    }

    /// Reads with buffers that hold so many cells.
    fn read(
        &self,
        condition: &Condition,
        region: [(i32, i32); 2],
        layout: Layout,
        fields: &[&str],
        capacity: usize,
    ) -> Vec<Vec<String>> {
        let mut query = Query::new(&self.array, QueryType::Read).unwrap();
        query.set_layout(layout).unwrap();
        query.set_subarray(&subarray(&query, region)).unwrap();
        query.set_condition(Some(condition.clone())).unwrap();
        let mut actual = Vec::new();
        loop {
            let mut buffers: Vec<Buffers> = Vec::with_capacity(fields.len());
            for field in fields {
                let bytes = match *field {
                    "t" => 2,
                    "f" => 8,
                    "p" => 12,
                    _ => 4,
                };
                let sizes = [(bytes * capacity) as u64, 8 * capacity as u64, capacity as u64];
                let (data, offsets) = (vec![0; 2 * capacity], vec![0; capacity]);
                buffers.push(Buffers { data, offsets, validity: vec![0; capacity], sizes });
                let Buffers { data, offsets, validity, sizes } = buffers.last_mut().unwrap();
                let [of_data, of_offsets, of_validity] = sizes.each_mut().map(|size| UserPtr::in_test(size));
                query.set_data_buffer(field, UserPtr::in_test(data.as_mut_ptr().cast()), of_data).unwrap();
                if *field == "t" {
                    let start = UserPtr::in_test(offsets.as_mut_ptr().cast());
                    query.set_offsets_buffer(field, start, of_offsets).unwrap();
                }
                if ["n", "t"].contains(field) {
                    query.set_validity_buffer(field, UserPtr::in_test(validity.as_mut_ptr()), of_validity).unwrap();
                }
            }
            query.submit().unwrap();
            let columns: Vec<Vec<String>> =
                fields.iter().zip(&buffers).map(|(field, buffers)| buffers.print(field)).collect();
            assert!(columns.iter().all(|column| column.len() == columns[0].len()), "{columns:?}");
            actual
                .extend((0..columns[0].len()).map(|cell| columns.iter().map(|column| column[cell].clone()).collect()));
            if query.status() == Status::Completed {
                return actual;
            }
            assert!(!columns[0].is_empty(), "a submit without progress");
        }
    }
}

#[test]
fn cells_that_do_not_meet_a_condition_are_filled_or_left_out() {
    const FIELDS: [&[&str]; 7] =
        [&["a"], &["n"], &["t"], &["p"], &["f", "t"], &["rows", "columns", "a"], &["a", "n", "t", "f"]];
    let (row, column) = (Layout::RowMajor, Layout::ColMajor);
    let regions = [[(1, 8), (1, 6)], [(2, 7), (2, 5)], [(3, 3), (1, 6)]];
    let mut number = 0;
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        for (orders, filter) in
            [([row, row], None), ([column, row], Some(FilterType::Dictionary)), ([row, column], Some(FilterType::Rle))]
        {
            let model = written(kind, orders, filter);
            for case in cases() {
                for layout in [row, column, Layout::GlobalOrder] {
                    for fields in FIELDS {
                        // Each combination with other ones of the region and the capacity.
                        number += 1;
                        let region = regions[number % regions.len()];
                        let capacity = [48, 1, 7, 20][number % 4];
                        let expected = model.expected(&case, region, layout, fields);
                        let actual = model.read(&case.condition, region, layout, fields, capacity);
                        assert_eq!(
                            actual, expected,
                            "{:?} {kind:?} {orders:?} {filter:?}: {region:?} in {layout:?}, {fields:?}, {capacity} cells at a time",
                            case.name
                        );
                    }
                }
            }
        }
    }
}

/// True if a part has a place.
fn contains(part: &Subarray, (row, column): Place) -> bool {
    let mut sides = part.sets().iter().zip([row, column]);
    sides.all(|(set, at)| {
        let is_inside = |range: &CellRange| (range.ends::<i32>().0..=range.ends::<i32>().1).contains(&at);
        set.is_default() || set.ranges().iter().any(is_inside)
    })
}

#[test]
fn parts_have_each_cell_that_meets_the_condition_once() {
    for kind in [ArrayType::Dense, ArrayType::Sparse] {
        let model = written(kind, [Layout::ColMajor; 2], None);
        let query = Query::new(&model.array, QueryType::Read).unwrap();
        for region in [[(1, 8), (1, 6)], [(2, 7), (2, 5)], [(3, 3), (1, 6)]] {
            let subarray = subarray(&query, region);
            for case in cases() {
                let predicate = case.condition.predicate().unwrap();
                for max_parts in [1, 2, 3, 5, 1000] {
                    let parts = partition(&model.array, &subarray, Some(&predicate), max_parts).unwrap();
                    let context = format!("{kind:?} {:?}, {region:?}, {max_parts} parts", case.name);
                    assert!((1..=max_parts).contains(&(parts.len() as u64)), "{context}: {}", parts.len());
                    for place in places(region) {
                        let count = parts.iter().filter(|part| contains(&part.subarray, place)).count();
                        let is_met = model.cells.get(&place).is_some_and(|cell| (case.is_met)(place, cell));
                        assert!(count == 1 || !is_met && count == 0, "{context}: {place:?} is in {count}");
                    }
                    let outside = places([(1, 8), (1, 6)]).filter(|place| !contains(&subarray, *place));
                    assert!(outside.into_iter().all(|place| parts.iter().all(|part| !contains(&part.subarray, place))));
                    let estimated: u64 = parts.iter().map(|part| part.cells).sum();
                    let is_none = case.name == "none";
                    assert!(!is_none || (parts.len(), estimated) == (1, 0), "{context}: statistics exclude all tiles");
                    if case.name == "rows" && kind == ArrayType::Dense {
                        // Tiles below are excluded.
                        let expected = places(region).filter(|place| place.0 <= 4).count() as u64;
                        assert_eq!(estimated, expected, "{context}");
                    }
                }
            }
            let whole = partition(&model.array, &subarray, None, 1).unwrap();
            let count = places(region).count() as u64;
            assert!(whole.len() == 1 && (kind == ArrayType::Sparse || whole[0].cells == count), "{kind:?}, {region:?}");
            let halves = partition(&model.array, &subarray, None, 2).unwrap();
            assert!(halves.len() == 2 && halves.iter().all(|half| 4 * half.cells >= count), "{kind:?}, {region:?}");
        }
        let region = subarray(&query, [(1, 8), (1, 6)]);
        assert!(partition(&model.array, &region, None, 0).err().unwrap().text().contains("0 parts are wanted"));
        let count = |fields: &[&str], bytes| {
            let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
            part_count(&model.array, &region, None, Some(&fields), bytes)
        };
        // A dense array has 48 cells, the fragments of a sparse one have 49.
        let cells: u64 = if kind == ArrayType::Dense { 48 } else { 32 + 16 + 1 };
        for (fields, size) in [(&["a"][..], 4), (&["n"], 5), (&["a", "f"], 12), (&["rows"], 4)] {
            for bytes in [1, 7, 50, 10_000] {
                assert_eq!(
                    count(fields, bytes).unwrap(),
                    (cells * size).div_ceil(bytes),
                    "{kind:?} {fields:?} {bytes}"
                );
            }
        }
        assert!(count(&["a"], 0).unwrap_err().text().contains("parts of 0 bytes"));
        assert!(count(&["b"], 1).unwrap_err().text().contains("has no field 'b'"));
        if kind == ArrayType::Sparse {
            let written = WRITES.iter().zip(1..).flat_map(|(region, write)| {
                places(*region).map(move |place| Cell::new(place, write).t.unwrap_or_default().len() as u64)
            });
            // Coordinates, numbers, starts, validity and reals of each cell, and all texts.
            let bytes = cells * (8 + 4 + 5 + 9 + 8 + 12) + written.sum::<u64>();
            // The mean of the texts is rounded.
            assert!((bytes..=bytes + 1).contains(&part_count(&model.array, &region, None, None, 1).unwrap()));
        }
    }
}

#[test]
fn aggregates_are_those_of_the_cells_that_meet_the_condition() {
    let operators = [
        ("sum", AggregateOperator::Sum, "a"),
        ("least", AggregateOperator::Min, "a"),
        ("greatest", AggregateOperator::Max, "a"),
        ("sum of some", AggregateOperator::Sum, "n"),
        ("nulls", AggregateOperator::NullCount, "n"),
        ("first text", AggregateOperator::Min, "t"),
    ];
    for (kind, layout) in [(ArrayType::Dense, Layout::RowMajor), (ArrayType::Sparse, Layout::Unordered)] {
        let model = written(kind, [Layout::RowMajor, Layout::ColMajor], None);
        // All of these cells were written; the regions have whole tiles, and parts of tiles.
        for region in [[(1, 8), (1, 4)], [(1, 4), (1, 3)], [(2, 7), (2, 4)], [(5, 5), (1, 4)]] {
            for case in cases() {
                let mut query = Query::new(&model.array, QueryType::Read).unwrap();
                query.set_layout(layout).unwrap();
                query.set_subarray(&subarray(&query, region)).unwrap();
                query.set_condition(Some(case.condition.clone())).unwrap();
                let (mut data, mut sizes) = ([[0i64; 1]; 6], [[8u64, 8, 1]; 6]);
                let (mut offsets, mut validity) = ([0u64; 1], [[0u8; 1]; 6]);
                for (number, (name, operator, field)) in operators.into_iter().enumerate() {
                    let aggregate = query.unary_aggregate(operator, field).unwrap();
                    if ["least", "greatest"].contains(&name) {
                        sizes[number][0] = 4;
                    }
                    query.apply_aggregate(name, &aggregate).unwrap();
                    let [of_data, of_offsets, of_validity] =
                        sizes[number].each_mut().map(|size| UserPtr::in_test(size));
                    query.set_data_buffer(name, UserPtr::in_test(data[number].as_mut_ptr().cast()), of_data).unwrap();
                    let start = UserPtr::in_test(offsets.as_mut_ptr().cast());
                    match query.set_offsets_buffer(name, start, of_offsets) {
                        Err(error) => assert!(field != "t" && error.text().contains("not var sized"), "{error:?}"),
                        Ok(()) => assert_eq!(field, "t"),
                    }
                    if operator == AggregateOperator::NullCount {
                        continue;
                    }
                    let start = UserPtr::in_test(validity[number].as_mut_ptr());
                    match query.set_validity_buffer(name, start, of_validity) {
                        Err(error) => assert!(field == "a" && error.text().contains("not nullable"), "{error:?}"),
                        Ok(()) => assert_ne!(field, "a"),
                    }
                }
                query.submit().unwrap();
                let context = format!("{kind:?} {:?}, {region:?}", case.name);
                assert_eq!(query.status(), Status::Completed, "{context}");
                let selected = places(region).filter_map(|place| Some((place, model.cells.get(&place)?)));
                let met: Vec<&Cell> =
                    selected.filter(|(place, cell)| (case.is_met)(*place, cell)).map(|(_, cell)| cell).collect();
                let [sum, least, greatest, of_some, nulls, text] = data;
                let number = |bytes: [i64; 1]| i64::from(bytemuck::cast::<i64, [i32; 2]>(bytes[0])[0]);
                assert_eq!(sum[0], met.iter().map(|cell| i64::from(cell.a)).sum::<i64>(), "{context}");
                if let Some(first) = met.iter().map(|cell| cell.a).min() {
                    assert_eq!(number(least), i64::from(first), "{context}");
                    assert_eq!(number(greatest), i64::from(met.iter().map(|cell| cell.a).max().unwrap()), "{context}");
                }
                let some: Vec<i64> = met.iter().filter_map(|cell| cell.n.map(i64::from)).collect();
                assert_eq!(
                    (validity[3][0] == 1, nulls[0]),
                    (!some.is_empty(), (met.len() - some.len()) as i64),
                    "{context}"
                );
                assert!(some.is_empty() || of_some[0] == some.iter().sum::<i64>(), "{context}");
                let first_text = met.iter().filter_map(|cell| cell.t).min();
                let bytes = &bytemuck::cast_slice::<i64, u8>(&text)[..sizes[5][0] as usize];
                assert_eq!(validity[5][0] == 1, first_text.is_some(), "{context}");
                assert!(first_text.is_none_or(|first| bytes == first.as_bytes()), "{context}: {first_text:?}");
            }
        }
    }
}
