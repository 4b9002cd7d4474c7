//! Recommended properties against truth: arrays are written with them, and their sizes compared with the estimates.

use super::*;
use tiledb_array::array::create;
use tiledb_array::condition::{Comparison, ComparisonOperator, Condition};
use tiledb_array::schema::{Attribute, Dimension, Domain};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, Name};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};
use tiledb_query::Query;

/// Numbers without a pattern.
fn noise(seed: u64, count: usize) -> Vec<u32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    };
    (0..count).map(|_| next()).collect()
}

fn dimension(name: &str, last: i32, extent: i32) -> Arc<Dimension> {
    let ends = [0, last].map(i32::to_le_bytes).concat();
    Arc::new(Dimension::new(name, Datatype::Int32, Some(&ends), Some(&extent.to_le_bytes())).unwrap())
}

fn attribute(name: &str, datatype: Datatype) -> Attribute {
    let mut attribute = Attribute::new(name, datatype);
    if datatype.is_string() {
        attribute.set_cell_val_num(u32::MAX).unwrap();
    }
    attribute.set_filters(Pipeline::new(vec![Filter::new(FilterType::Zstd)])).unwrap();
    attribute
}

fn schema(kind: ArrayType, dimensions: Vec<Arc<Dimension>>, attributes: Vec<Attribute>) -> ArraySchema {
    let mut schema = ArraySchema::new(kind);
    schema.set_domain(Arc::new(Domain::of(dimensions))).unwrap();
    attributes.into_iter().for_each(|attribute| schema.add_attribute(Arc::new(attribute)).unwrap());
    schema
}

struct TestArray {
    resources: Resources,
    uri: Uri,
}

impl TestArray {
    fn new(schema: &ArraySchema) -> TestArray {
        let (resources, uri) = (Resources::new(Config::new()).unwrap(), Uri::parse("mem://array").unwrap());
        create(&resources, &uri, schema, &EncryptionKey::None).unwrap();
        TestArray { resources, uri }
    }

    fn open(&self, query: QueryType) -> OpenArray {
        OpenArray::open(&self.resources, &self.uri, query, (0, u64::MAX), &EncryptionKey::None).unwrap()
    }

    fn write(&self, layout: Layout, sides: &[(i32, i32)], columns: Vec<InputColumn<'_>>) {
        let spec = testing::spec(self.open(QueryType::Write), layout, sides, u64::MAX);
        writer(spec).unwrap().write(&Inputs { columns: columns.into() }).unwrap();
    }

    fn set(mut self, name: &str, value: &str) -> TestArray {
        let mut config = self.resources.config().clone();
        config.set(name, value).unwrap();
        self.resources = self.resources.with_config(config).unwrap();
        self
    }

    fn advise(&self, objective: Objective) -> Advice {
        advise(&self.resources, &self.uri, objective).unwrap()
    }

    fn size(&self) -> u64 {
        let array = self.open(QueryType::Read);
        let size = trial::size_of(&array).unwrap();
        size.data + size.metadata
    }
}

fn property(advice: &Advice, property: &Property) -> AdvisedProperty {
    let found = advice.properties.iter().find(|one| one.property == *property);
    found.unwrap_or_else(|| panic!("{property:?} is not in {:?}", advice.properties)).clone()
}

fn assert_near(estimate: u64, size: u64, percent: u64, what: &str) {
    assert!(estimate.abs_diff(size) * 100 <= size * percent, "{what}: estimate {estimate}, size {size}");
}

/// Random points in a square, with a number each.
fn points(cells: usize) -> [Vec<i32>; 3] {
    let coordinate = |seed| noise(seed, cells).into_iter().map(|number| (number % 100_000) as i32).collect::<Vec<_>>();
    let (x, y) = (coordinate(1), coordinate(2));
    let values = x.iter().zip(&y).map(|(x, y)| x / 10 + y / 10).collect();
    [x, y, values]
}

fn points_schema(capacity: u64) -> ArraySchema {
    let dimensions = vec![dimension("x", 99_999, 100_000), dimension("y", 99_999, 100_000)];
    let mut schema = schema(ArrayType::Sparse, dimensions, vec![attribute("a", Datatype::Int32)]);
    schema.set_allows_dups(true).unwrap();
    schema.set_capacity(capacity).unwrap();
    schema
}

fn write_points(schema: &ArraySchema, cells: usize) -> TestArray {
    let array = TestArray::new(schema);
    let [x, y, a] = points(cells);
    let columns = [("x", &x), ("y", &y), ("a", &a)].map(|(name, data)| column(name, bytemuck::cast_slice(data)));
    array.write(Layout::Unordered, &[], columns.to_vec());
    array
}

#[test]
fn the_estimated_sizes_of_capacities_are_those_of_written_arrays() {
    for (cells, capacity) in [(3_000, 1_000), (50_000, 10_000), (200_000, 1_000), (200_000, 100_000)] {
        let array = write_points(&points_schema(capacity), cells);
        for objective in [Objective::Smallest, Objective::Fastest] {
            let advice = array.advise(objective);
            let advised = property(&advice, &Property::Capacity);
            assert_eq!(advised.is_applied, advised.reason == PropertyReason::Better);
            assert_eq!(advice.schema.capacity().to_string(), advised.recommended);
            let mut current = advice.schema.clone();
            current.set_capacity(capacity).unwrap();
            let what = format!("{cells} cells, {advised:?}");
            assert_near(advised.current_cost.stored, write_points(&current, cells).size(), 5, &what);
            let rewritten = write_points(&advice.schema, cells);
            assert_near(advised.recommended_cost.stored, rewritten.size(), 5, &what);
            // What was recommended is recommended again.
            let again = property(&rewritten.advise(objective), &Property::Capacity);
            assert_eq!(again.reason, PropertyReason::Current, "{what}, {again:?}");
        }
    }
}

#[test]
fn tiny_and_huge_tiles_are_better_larger_and_smaller() {
    let advised = |capacity, objective| {
        let advice = write_points(&points_schema(capacity), 200_000).advise(objective);
        property(&advice, &Property::Capacity)
    };
    for objective in [Objective::Smallest, Objective::Balanced, Objective::Fastest] {
        let tiny = advised(10, objective);
        assert!(tiny.recommended.parse::<u64>().unwrap() >= 1000, "{tiny:?}");
        assert!(tiny.recommended_cost.stored < tiny.current_cost.stored / 2, "{tiny:?}");
        let huge = advised(1_000_000, objective);
        assert!(huge.recommended.parse::<u64>().unwrap() < 100_000, "{huge:?}");
        assert!(huge.recommended_cost.decode < huge.current_cost.decode / 2, "{huge:?}");
    }
}

#[test]
fn points_are_better_along_a_hilbert_curve_and_rows_are_not() {
    let schema = points_schema(1_000);
    let array = write_points(&schema, 60_000).set("sm.advise.properties", "cell_order");
    let advice = array.advise(Objective::Balanced);
    let advised = property(&advice, &Property::CellOrder);
    assert_eq!((advised.reason, advised.is_applied), (PropertyReason::Better, true), "{advised:?}");
    assert_eq!(advice.schema.cell_order(), Layout::Hilbert);
    // The capacity was not asked for.
    assert_eq!(advice.schema.capacity(), 1_000);
    assert!(!property(&advice, &Property::Capacity).is_applied);
    let mut with_capacity = advice.schema.clone();
    with_capacity.set_capacity(property(&advice, &Property::Capacity).recommended.parse().unwrap()).unwrap();
    assert_near(advised.recommended_cost.stored, write_points(&with_capacity, 60_000).size(), 5, "Hilbert order");

    // Dense rows in tiles of two of them: a query of 30 by 30 cells does not gain by another order as much.
    let array = TestArray::new(&schema);
    let [x, y]: [Vec<i32>; 2] =
        [|cell| cell / 50_000, |cell| cell % 50_000].map(|of: fn(i32) -> i32| (0..60_000).map(of).collect());
    let columns = [("x", &x), ("y", &y), ("a", &x)].map(|(name, data)| column(name, bytemuck::cast_slice(data)));
    array.write(Layout::Unordered, &[], columns.to_vec());
    let advice = array.advise(Objective::Balanced);
    let advised = property(&advice, &Property::CellOrder);
    assert_eq!(
        (advised.reason, advice.schema.cell_order()),
        (PropertyReason::Current, Layout::RowMajor),
        "{advised:?}"
    );
}

#[test]
fn properties_that_are_not_named_are_not_compared_with_only() {
    let compared = |properties: &str| {
        let array = write_points(&points_schema(1_000), 20_000).set("sm.advise.properties", properties);
        let advice = array.advise(Objective::Balanced);
        advice.properties.into_iter().map(|one| one.property).collect::<Vec<_>>()
    };
    assert_eq!(compared("only"), []);
    assert_eq!(compared("only, capacity"), [Property::Capacity]);
    assert_eq!(compared("capacity"), [Property::Capacity, Property::CellOrder]);
    assert_eq!(compared("only, cell_order"), [Property::Capacity, Property::CellOrder]);
}

/// Events in the order of time at some places, of which each has values of its own.
fn write_events(schema: &ArraySchema, cells: usize) -> TestArray {
    let array = TestArray::new(schema);
    let place: Vec<i32> = noise(5, cells).into_iter().map(|number| (number % 300) as i32 * 300).collect();
    let time: Vec<i32> = (0..cells as i32).collect();
    let values: Vec<i32> = place.iter().map(|&place| hash(place, 1) >> 2).collect();
    let columns =
        [("x", &time), ("y", &place), ("a", &values)].map(|(name, data)| column(name, bytemuck::cast_slice(data)));
    array.write(Layout::Unordered, &[], columns.to_vec());
    array
}

#[test]
fn an_order_in_which_values_repeat_is_smaller() {
    let cells = 60_000;
    let dimensions = vec![dimension("x", 99_999, 10_000), dimension("y", 99_999, 100_000)];
    let mut schema = schema(ArrayType::Sparse, dimensions, vec![attribute("a", Datatype::Int32)]);
    schema.set_allows_dups(true).unwrap();
    let array = write_events(&schema, cells).set("sm.advise.properties", "capacity,cell_order,tile_extents");
    let advice = array.advise(Objective::Smallest);
    let advised = property(&advice, &Property::CellOrder);
    assert_eq!((advised.reason, advised.is_applied), (PropertyReason::Better, true), "{advised:?}");
    assert_eq!(advice.schema.cell_order(), Layout::ColMajor);
    let extents = property(&advice, &Property::TileExtents);
    assert!(extents.is_applied && extents.current == "10000, 100000", "{extents:?}");
    assert!(advised.recommended_cost.stored * 100 < advised.current_cost.stored * 80, "{advised:?}");
    let rewritten = write_events(&advice.schema, cells);
    assert_near(advised.recommended_cost.stored, rewritten.size(), 10, &format!("{advised:?}"));
    // The filters of the schema are those that are reported.
    for part in &advice.parts {
        let FilteredPart::Values(name) = &part.part else { continue };
        assert_eq!(part.recommended, advice.schema.field(name.as_str()).unwrap().filters);
    }
}

#[test]
fn arrays_whose_cells_are_all_deleted_keep_their_capacity() {
    let array = write_points(&points_schema(1_000), 2_000);
    let mut query = Query::new(&Arc::new(array.open(QueryType::Delete)), QueryType::Delete).unwrap();
    let all = Comparison::new("a", Some(&0i32.to_le_bytes()), ComparisonOperator::GreaterOrEqual).unwrap();
    query.set_condition(Some(Condition::new(all))).unwrap();
    query.submit().unwrap();
    let advice = array.advise(Objective::Smallest);
    let is_of_tiles = |one: &AdvisedProperty| [Property::Capacity, Property::CellOrder].contains(&one.property);
    assert!(!advice.properties.iter().any(is_of_tiles), "{:?}", advice.properties);
    assert_eq!(advice.schema.capacity(), 1_000);
}

/// Space tiles separate the cells of a place, of which each has one value.
#[test]
fn space_tiles_go_if_asked_for_where_the_order_stays() {
    let cells = 60_000;
    let dimensions = vec![dimension("x", 99_999, 100_000), dimension("y", 99_999, 100)];
    let mut schema = schema(ArrayType::Sparse, dimensions, vec![attribute("a", Datatype::Int32)]);
    schema.set_allows_dups(true).unwrap();
    let array = TestArray::new(&schema);
    let place: Vec<i32> = noise(5, cells).into_iter().map(|number| (number % 300) as i32 * 300).collect();
    let time: Vec<i32> = (0..cells as i32).collect();
    let values: Vec<i32> = place.iter().map(|&place| hash(place, 1) >> 2).collect();
    let columns =
        [("x", &place), ("y", &time), ("a", &values)].map(|(name, data)| column(name, bytemuck::cast_slice(data)));
    array.write(Layout::Unordered, &[], columns.to_vec());
    let advice = array.set("sm.advise.properties", "tile_extents").advise(Objective::Smallest);
    let order = property(&advice, &Property::CellOrder);
    assert_eq!((order.recommended.as_str(), order.is_applied), (order.current.as_str(), false), "{order:?}");
    let extents = property(&advice, &Property::TileExtents);
    assert!(extents.is_applied && extents.current == "100000, 100", "{extents:?}");
    assert_eq!(advice.schema.cell_order(), Layout::RowMajor);
    assert!(advice.schema.domain().dimensions()[1].cells_per_tile() >= Some(60_000), "{extents:?}");
}

#[test]
fn orders_and_extents_stay_unless_asked_for() {
    let schema = points_schema(1_000);
    let advice = write_events(&schema, 30_000).advise(Objective::Smallest);
    assert_eq!(advice.schema.cell_order(), Layout::RowMajor);
    assert_eq!(advice.schema.domain().dimensions()[0].cells_per_tile(), Some(100_000));
    let order = property(&advice, &Property::CellOrder);
    assert!(!order.is_applied, "{order:?}");
}

fn image(extents: [i32; 2]) -> ArraySchema {
    let dimensions = vec![dimension("y", 1 << 20, extents[0]), dimension("x", 1 << 20, extents[1])];
    schema(ArrayType::Dense, dimensions, vec![attribute("a", Datatype::Int32), attribute("b", Datatype::Float64)])
}

fn write_image(schema: &ArraySchema, sides: [i32; 2]) -> TestArray {
    let array = TestArray::new(schema);
    let cells = || (0..sides[0]).flat_map(|y| (0..sides[1]).map(move |x| (y, x)));
    let random = noise(3, (sides[0] * sides[1]) as usize);
    let a: Vec<i32> = cells().zip(&random).map(|((y, x), random)| 10 * y + x / 7 + (random % 3) as i32).collect();
    let b: Vec<f64> = cells().map(|(y, x)| f64::from(y / 9) + f64::from(x) / 4.0).collect();
    let columns = vec![column("a", bytemuck::cast_slice(&a)), column("b", bytemuck::cast_slice(&b))];
    array.write(Layout::RowMajor, &sides.map(|side| (0, side - 1)), columns);
    array
}

#[test]
fn the_estimated_sizes_of_tile_extents_are_those_of_written_arrays() {
    for (extents, sides) in [([8, 8], [512, 512]), ([512, 512], [1024, 768]), ([1, 1024], [512, 1024])] {
        let array = write_image(&image(extents), sides);
        let quiet = array.advise(Objective::Balanced);
        // Extents are a decision of the user unless the recommended ones are asked for.
        assert!(!property(&quiet, &Property::TileExtents).is_applied);
        let array = array.set("sm.advise.properties", "tile_extents, capacity");
        for objective in [Objective::Smallest, Objective::Balanced, Objective::Fastest] {
            let advice = array.advise(objective);
            let advised = property(&advice, &Property::TileExtents);
            let what = format!("{extents:?} {advised:?}");
            assert_eq!(advised.is_applied, advised.reason == PropertyReason::Better, "{what}");
            let rewritten = write_image(&advice.schema, sides).set("sm.advise.properties", "tile_extents");
            assert_near(advised.recommended_cost.stored, rewritten.size(), 10, &what);
            // Filters may suit the new tiles better still; the other objectives trade size for time.
            if objective == Objective::Smallest {
                let again = property(&rewritten.advise(objective), &Property::TileExtents);
                assert!(again.current_cost.stored <= advised.recommended_cost.stored * 21 / 20, "{what} {again:?}");
            }
        }
        let advised = property(&array.advise(Objective::Balanced), &Property::TileExtents);
        assert_eq!(advised.reason, PropertyReason::Better, "{advised:?}");
    }
}

fn texts_schema(nullable: bool) -> ArraySchema {
    let mut status = attribute("status", Datatype::StringUtf8);
    status.set_nullable(nullable);
    let attributes = vec![status, attribute("id", Datatype::StringAscii)];
    schema(ArrayType::Dense, vec![dimension("row", 1 << 20, 10_000)], attributes)
}

const STATUS: [&str; 5] = ["", "delivered to a neighbour", "lost", "on the way", "returned to the sender"];

#[test]
fn repeated_texts_become_an_enumeration_if_asked_for() {
    for nullable in [false, true] {
        let array = TestArray::new(&texts_schema(nullable));
        let random = noise(7, 40_000);
        let codes: Vec<u8> = random.iter().map(|random| (random % 5) as u8).collect();
        let validity: Vec<u8> = codes.iter().map(|&code| u8::from(code != 0)).collect();
        let status: Vec<&str> = codes.iter().map(|&code| STATUS[code as usize]).collect();
        let id: Vec<String> = random.iter().map(|random| format!("{random:x}")).collect();
        let (all_status, all_id) = (status.concat(), id.concat());
        let text = |name, starts: Vec<u64>, text| InputColumn { starts: Some(starts.into()), ..column(name, text) };
        let validity = nullable.then_some(validity.as_slice());
        let status = InputColumn { validity, ..text("status", starts(&status), all_status.as_bytes()) };
        let columns = || vec![status.clone(), text("id", starts(&id), all_id.as_bytes())];
        array.write(Layout::RowMajor, &[(0, 39_999)], columns());
        let advice = array.advise(Objective::Balanced);
        let name = Property::Enumeration(Name::new("status"));
        let advised = property(&advice, &name);
        assert_eq!((advised.reason, advised.is_applied), (PropertyReason::Better, false), "{advised:?}");
        assert!(advice.schema.field("status").unwrap().is_var());
        let is_id = |one: &AdvisedProperty| one.property == Property::Enumeration(Name::new("id"));
        assert!(!advice.properties.iter().any(is_id), "{:?}", advice.properties);

        let advice = array.set("sm.advise.properties", "enumerations").advise(Objective::Balanced);
        let schema = &advice.schema;
        assert!(property(&advice, &name).is_applied);
        assert_eq!(schema.field("status").unwrap().datatype, Datatype::Uint8);
        assert_eq!(schema.field("status").unwrap().nullable, nullable);
        let enumeration = schema.loaded_enumeration("status").unwrap();
        let texts: Vec<&[u8]> = (0..enumeration.len()).filter_map(|index| enumeration.value(index)).collect();
        let expected: Vec<&[u8]> = STATUS[usize::from(nullable)..].iter().map(|text| text.as_bytes()).collect();
        assert_eq!(texts, expected);
        let coded = TestArray::new(schema);
        let codes: Vec<u8> = codes.iter().map(|code| code.saturating_sub(u8::from(nullable))).collect();
        let status = InputColumn { validity, ..column("status", &codes) };
        coded.write(Layout::RowMajor, &[(0, 39_999)], vec![status, text("id", starts(&id), all_id.as_bytes())]);
        let open = coded.open(QueryType::Read);
        let fragment = &open.fragments().unwrap()[0];
        let field = fragment.field("status").unwrap();
        let size = fragment.file_size(field, tiledb_array::fragment::FieldPart::Data);
        let values = enumeration.write().unwrap().len() as u64;
        assert_near(advised.recommended_cost.stored, size + values, 5, "codes");
    }
}

#[test]
fn nullable_attributes_without_nulls_are_reported_and_stay() {
    let mut a = attribute("a", Datatype::Int32);
    a.set_nullable(true);
    let schema = schema(ArrayType::Dense, vec![dimension("row", 1 << 20, 1_000)], vec![a]);
    for nulls in [0, 1] {
        let array = TestArray::new(&schema);
        let values = noise(1, 5_000);
        let validity: Vec<u8> = (0..5_000).map(|cell| u8::from(cell != 77 || nulls == 0)).collect();
        let column = InputColumn { validity: Some(&validity), ..column("a", bytemuck::cast_slice(&values)) };
        array.write(Layout::RowMajor, &[(0, 4_999)], vec![column]);
        let advice = array.advise(Objective::Balanced);
        let name = Property::Nullability(Name::new("a"));
        assert_eq!(advice.properties.iter().any(|one| one.property == name), nulls == 0, "{:?}", advice.properties);
        assert!(advice.schema.field("a").unwrap().nullable);
    }
}

#[test]
fn unknown_properties_and_queries_of_no_cells_are_errors() {
    for (name, value, text) in
        [("sm.advise.properties", "capacity,colour", "'colour'"), ("sm.advise.slice_cells", "0", "is 0")]
    {
        let array = TestArray::new(&points_schema(10)).set(name, value);
        let error = advise(&array.resources, &array.uri, Objective::Balanced).unwrap_err();
        assert!(error.text().contains(text) && error.text().contains(name), "{}", error.text());
    }
    for cells in ["1", "18446744073709551615"] {
        let array = write_points(&points_schema(1_000), 2_000).set("sm.advise.slice_cells", cells);
        property(&array.advise(Objective::Balanced), &Property::Capacity);
    }
    let array = write_image(&image([16, 16]), [64, 64]).set("sm.advise.slice_cells", "18446744073709551615");
    property(&array.advise(Objective::Balanced), &Property::TileExtents);
}

/// A number between 0 and 2^24 without a pattern.
fn hash(y: i32, x: i32) -> i32 {
    let mut word = ((y as u64) << 32 | x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2 {
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (word >> 40) as i32
}

fn grid_schema(kind: ArrayType) -> ArraySchema {
    let mut text = attribute("t", Datatype::StringAscii);
    text.set_nullable(true);
    let dimensions = vec![dimension("y", 9_999, 100), dimension("x", 9_999, 100)];
    schema(kind, dimensions, vec![attribute("a", Datatype::Int32), text])
}

/// Writes some of the cells of a square, with a side of 300, of which a dense array has the others as fill values.
fn write_grid(schema: &ArraySchema, is_stored: impl Fn(i32, i32) -> bool, copies: usize) -> TestArray {
    let (array, fill) = (TestArray::new(schema), i32::MIN);
    let all = (0..300).flat_map(|y| (0..300).map(move |x| (y, x)));
    let cells: Vec<(i32, i32, bool)> = all.map(|(y, x)| (y, x, is_stored(y, x))).collect();
    let kept = cells.iter().filter(|cell| cell.2 || schema.is_dense()).flat_map(|cell| vec![*cell; copies]);
    let kept: Vec<(i32, i32, bool)> = kept.collect();
    let of = |value: fn(&(i32, i32, bool)) -> i32| kept.iter().map(value).collect::<Vec<_>>();
    let (y, x) = (of(|cell| cell.0), of(|cell| cell.1));
    let a: Vec<i32> = kept.iter().map(|&(y, x, stored)| if stored { hash(y, x) >> 22 } else { fill }).collect();
    let validity: Vec<u8> = kept.iter().map(|cell| u8::from(cell.2)).collect();
    let t: Vec<String> = kept.iter().map(|&(y, _, stored)| if stored { y.to_string() } else { "\0".into() }).collect();
    let joined = t.concat();
    let text =
        InputColumn { starts: Some(starts(&t).into()), validity: Some(&validity), ..column("t", joined.as_bytes()) };
    let mut columns = vec![column("a", bytemuck::cast_slice(&a)), text];
    if schema.is_dense() {
        array.write(Layout::RowMajor, &[(0, 299), (0, 299)], columns);
    } else {
        columns.extend([("y", &y), ("x", &x)].map(|(name, data)| column(name, bytemuck::cast_slice(data))));
        array.write(Layout::Unordered, &[], columns);
    }
    array
}

#[test]
fn full_sparse_arrays_are_better_dense_and_empty_dense_ones_sparse() {
    let full = |_: i32, _: i32| true;
    let empty = |y: i32, x: i32| hash(y, x) % 97 == 0;
    for (from, to, is_stored) in [
        (ArrayType::Sparse, ArrayType::Dense, full as fn(i32, i32) -> bool),
        (ArrayType::Dense, ArrayType::Sparse, empty),
    ] {
        let array = write_grid(&grid_schema(from), is_stored, 1);
        let quiet = array.advise(Objective::Smallest);
        let advised = property(&quiet, &Property::ArrayType);
        assert_eq!((advised.reason, advised.is_applied), (PropertyReason::Better, false), "{advised:?}");
        assert_eq!(quiet.schema.array_type(), from);
        let mut current = quiet.schema.clone();
        current.set_capacity(10_000).unwrap();
        let now = write_grid(&current, is_stored, 1).size();
        assert_near(advised.current_cost.stored, now, 15, &format!("{advised:?}"));
        let advice = array.set("sm.advise.properties", "array_type").advise(Objective::Smallest);
        let advised = property(&advice, &Property::ArrayType);
        assert!(advised.is_applied && advice.schema.array_type() == to, "{advised:?}");
        let then = write_grid(&advice.schema, is_stored, 1).size();
        assert_near(advised.recommended_cost.stored, then, 15, &format!("{advised:?}"));
        assert!(then < now / 20 * 21, "{then} {now}");
    }
}

#[test]
fn duplicates_and_gaps_stay_sparse_and_values_stay_dense() {
    let has_type = |array: &TestArray| {
        let advice = array.advise(Objective::Smallest);
        advice.properties.iter().any(|one| one.property == Property::ArrayType)
    };
    let mut schema = grid_schema(ArrayType::Sparse);
    schema.set_allows_dups(true).unwrap();
    assert!(!has_type(&write_grid(&schema, |_, _| true, 2)));
    assert!(!has_type(&write_grid(&schema, |y, x| (y + x) % 3 == 0, 1)));
    assert!(!has_type(&write_grid(&grid_schema(ArrayType::Dense), |y, x| (y + x) % 5 == 0, 1)));
    assert!(!has_type(&write_grid(&grid_schema(ArrayType::Dense), |_, _| false, 1)));
}

#[test]
fn tiles_follow_the_given_queries() {
    let array = write_image(&image([64, 64]), [512, 512]);
    let extents = |sides: &str| {
        let array = TestArray { resources: array.resources.clone(), uri: array.uri.clone() };
        let advice = array.set("sm.advise.slice_sides", sides).advise(Objective::Fastest);
        let text = property(&advice, &Property::TileExtents).recommended;
        let all: Vec<u64> = text.split(", ").map(|extent| extent.parse().unwrap()).collect();
        (all[0], all[1])
    };
    let (rows, columns) = (extents("1, *"), extents("*,1"));
    assert!(rows.0 * columns.1 < rows.1 * columns.0, "{rows:?} {columns:?}");
    // A query of a single point decodes one tile, that of everything all of them.
    let capacity = |sides: &str| {
        let sparse = write_points(&points_schema(1_000), 50_000).set("sm.advise.slice_sides", sides);
        property(&sparse.advise(Objective::Fastest), &Property::Capacity).recommended.parse::<u64>().unwrap()
    };
    let (point, all) = (capacity("1,1;0.5,2"), capacity("*,*"));
    assert!(point <= all && all > 1_000, "{point} {all}");
}
