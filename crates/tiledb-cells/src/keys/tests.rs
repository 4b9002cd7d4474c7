use proptest::prelude::*;
use std::cmp::Ordering;
use std::sync::Arc;
use tiledb_core::limits::simulation::SimulatedLimits;

use super::columns::{KeyedColumns, OrderCheck};
use super::plan::{CellOrder, KeyPlan};
use super::words::{CellKeys, Keys};
use crate::columns::coords::Coords;
use tiledb_array::schema::{ArraySchema, Dimension, Domain};
use tiledb_core::pool::{CancelToken, Pools};
use tiledb_core::types::{ArrayType, Cell, Datatype, Layout};

/// A column of one of the kinds dimensions have.
#[derive(Clone, Debug)]
enum Column {
    Int8(Vec<i8>),
    Int64(Vec<i64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Text { starts: Vec<u64>, data: Vec<u8> },
}

impl Column {
    fn coords(&self) -> Coords<'_> {
        match self {
            Column::Int8(v) => Coords::Fixed(bytemuck::cast_slice(v)),
            Column::Int64(v) => Coords::Fixed(bytemuck::cast_slice(v)),
            Column::Float32(v) => Coords::Fixed(bytemuck::cast_slice(v)),
            Column::Float64(v) => Coords::Fixed(bytemuck::cast_slice(v)),
            Column::Text { starts, data } => Coords::Var { starts, data },
        }
    }

    fn dimension(&self, name: &str, extent: usize) -> Arc<Dimension> {
        fn of<T: Cell>(name: &str, datatype: Datatype, low: T, high: T, extent: T) -> Dimension {
            let domain = [bytemuck::bytes_of(&low), bytemuck::bytes_of(&high)].concat();
            Dimension::new(name, datatype, Some(&domain), Some(bytemuck::bytes_of(&extent))).unwrap()
        }
        Arc::new(match self {
            Column::Int8(_) => of(name, Datatype::Int8, -100i8, 99, [1i8, 8, 7][extent % 3]),
            Column::Int64(_) => of(name, Datatype::Int64, -50_000i64, 70_000, [1i64, 1024, 1000][extent % 3]),
            Column::Float32(_) => of(name, Datatype::Float32, -10f32, 10.0, [0.3f32, 1.0, 20.0][extent % 3]),
            Column::Float64(_) => of(name, Datatype::Float64, -1e6f64, 1e6, [0.1f64, 512.0, 1e6][extent % 3]),
            Column::Text { .. } => Dimension::new(name, Datatype::StringAscii, None, None).unwrap(),
        })
    }

    fn compare(&self, i: usize, j: usize) -> Ordering {
        match self {
            Column::Int8(v) => v[i].cmp(&v[j]),
            Column::Int64(v) => v[i].cmp(&v[j]),
            Column::Float32(v) => v[i].partial_cmp(&v[j]).unwrap(),
            Column::Float64(v) => v[i].partial_cmp(&v[j]).unwrap(),
            Column::Text { .. } => self.coords().text(i).cmp(self.coords().text(j)),
        }
    }

    /// The number of the space tile, by the definition of the format.
    fn tile(&self, dimension: &Dimension, i: usize) -> u64 {
        let Some(domain) = dimension.domain() else { return 0 };
        let extent = dimension.tile_extent().unwrap();
        match self {
            Column::Int8(v) => (i64::from(v[i]) - i64::from(domain.ends::<i8>().0)) as u64 / u64::from(extent[0]),
            Column::Int64(v) => {
                (v[i] - domain.ends::<i64>().0) as u64 / u64::from_le(bytemuck::pod_read_unaligned(extent))
            }
            Column::Float32(v) => ((v[i] - domain.ends::<f32>().0) / f32::from_le(extent)) as u64,
            Column::Float64(v) => ((v[i] - domain.ends::<f64>().0) / f64::from_le(extent)) as u64,
            Column::Text { .. } => 0,
        }
    }
}

const CELLS: usize = 60;

fn column() -> impl Strategy<Value = Column> {
    let list = |texts: Vec<String>| {
        let starts = texts.iter().scan(0, |end, text| {
            let start = *end;
            *end += text.len() as u64;
            Some(start)
        });
        Column::Text { starts: starts.collect(), data: texts.concat().into_bytes() }
    };
    prop_oneof![
        prop::collection::vec(-100i8..=99, CELLS).prop_map(Column::Int8),
        prop::collection::vec(-50_000i64..=70_000, CELLS).prop_map(Column::Int64),
        prop::collection::vec(-5i64..=5, CELLS).prop_map(Column::Int64),
        prop::collection::vec(-10f32..=10.0, CELLS).prop_map(Column::Float32),
        prop::collection::vec(-20i32..20, CELLS)
            .prop_map(|v| Column::Float64(v.iter().map(|&v| f64::from(v)).collect())),
        prop::collection::vec("[ab]{0,2}(cccccccc)?[ab]{0,2}", CELLS).prop_map(list),
    ]
}

fn schema_of(columns: &[Column], extent: usize, tile_order: Layout, cell_order: Layout) -> ArraySchema {
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    let dimension = |(index, column): (usize, &Column)| column.dimension(&format!("d{index}"), extent + index);
    schema.set_domain(Arc::new(Domain::of(columns.iter().enumerate().map(dimension).collect()))).unwrap();
    schema.set_tile_order(tile_order).unwrap();
    schema.set_cell_order(cell_order).unwrap();
    schema
}

fn in_order(count: usize, layout: Layout) -> Vec<usize> {
    if layout == Layout::ColMajor { (0..count).rev().collect() } else { (0..count).collect() }
}

/// The order by the format's definition, one cell at a time.
fn by_definition(columns: &[Column], schema: &ArraySchema, order: CellOrder, i: usize, j: usize) -> Ordering {
    let dimensions = schema.domain().dimensions();
    let mut steps = Ordering::Equal;
    if order == CellOrder::Global {
        for d in in_order(columns.len(), schema.tile_order()) {
            steps = steps.then(columns[d].tile(&dimensions[d], i).cmp(&columns[d].tile(&dimensions[d], j)));
        }
    }
    let cells = match order {
        CellOrder::Global => schema.cell_order(),
        CellOrder::Row => Layout::RowMajor,
        CellOrder::Col => Layout::ColMajor,
    };
    in_order(columns.len(), cells).into_iter().fold(steps, |steps, d| steps.then(columns[d].compare(i, j)))
}

proptest! {
    #[test]
    fn keys_order_as_the_definition_does(
        columns in prop::collection::vec(column(), 1..4),
        extent in 0usize..3,
        tile_col: bool,
        cell_col: bool,
        inside: bool,
        limits in prop::option::of(any::<u64>()),
    ) {
        let layout = |col| if col { Layout::ColMajor } else { Layout::RowMajor };
        let schema = schema_of(&columns, extent, layout(tile_col), layout(cell_col));
        let coords: Vec<Coords> = columns.iter().map(Column::coords).collect();
        let mut keys = Keys::default();
        for order in [CellOrder::Global, CellOrder::Row, CellOrder::Col] {
            let plan = KeyPlan::new(&schema, order, inside).unwrap();
            let limits = SimulatedLimits::of_option(limits);
            limits.run(|| plan.compute(&coords, CELLS, &mut keys)).unwrap();
            let keyed = CellKeys { keys: &keys, coords: &coords };
            let cells: Vec<u64> = (0..CELLS as u64).map(|cell| cell * 7 % CELLS as u64).collect();
            for word in 1..plan.words() {
                let mut gathered = vec![0; CELLS];
                limits.run(|| plan.gather_word(word, &coords, &cells, &mut gathered));
                prop_assert!(gathered.iter().zip(&cells).all(|(&key, &cell)| key == keys.word(word, cell as usize)));
            }
            if let Some((unpack, bits)) = plan.unpack() {
                for (&key, cell) in keys.first().iter().zip(0..) {
                    prop_assert!(bits == 64 || key >> bits == 0);
                    for (dimension, column) in unpack.iter().zip(&coords) {
                        prop_assert_eq!(&dimension.value(key)[..dimension.size], column.value(cell, dimension.size));
                    }
                }
            }
            for i in 0..CELLS {
                for j in 0..CELLS {
                    prop_assert_eq!(
                        plan.compare(keyed, i, keyed, j),
                        by_definition(&columns, &schema, order, i, j),
                        "cells {} and {} in {:?}", i, j, order
                    );
                }
            }
        }
    }
}

/// Cells with runs of equal coordinates and of equal first words, in order but for those at some positions.
#[test]
fn the_order_of_many_cells_is_checked_in_parallel() {
    const MANY: usize = 300_000;
    let first = |cell: usize| cell as i64 / 5_000 - 50;
    let second = |cell: usize| cell as i64 / 3 % 60_000 - 50_000;
    for disorders in [vec![], vec![1], vec![MANY - 1], vec![256, 65_536], vec![255, 254], vec![MANY / 2, MANY / 2 + 1]]
    {
        let mut seconds: Vec<i64> = (0..MANY).map(second).collect();
        disorders.iter().for_each(|&cell| seconds[cell] = -50_000);
        // As one word and as two.
        for inside in [true, false] {
            let columns = [Column::Int64((0..MANY).map(first).collect()), Column::Int64(seconds.clone())];
            let schema = schema_of(&columns, 0, Layout::RowMajor, Layout::RowMajor);
            let coords: Vec<Coords> = columns.iter().map(Column::coords).collect();
            let plan = KeyPlan::new(&schema, CellOrder::Row, inside).unwrap();
            assert_eq!(plan.is_one_word(), inside);
            let cell = |cell: usize| (first(cell), seconds[cell]);
            let first_disorder = (1..MANY).find(|&at| cell(at) < cell(at - 1));
            let end = first_disorder.unwrap_or(MANY);
            let equal = (1..end).filter(|&at| cell(at) == cell(at - 1)).collect();
            let expected = OrderCheck { first_disorder, equal, has_mixed: false };
            let columns = KeyedColumns::new(&plan, &coords, MANY).unwrap();
            assert!(columns.check_order().unwrap() == expected, "{disorders:?}");
            let parallel = columns.check_order_in_parallel(&Pools::new(3, 1), &CancelToken::default()).unwrap();
            assert!(parallel == expected, "{disorders:?}");
        }
    }
}

#[test]
fn narrow_domains_take_one_word() {
    let columns = [Column::Int64(vec![0]), Column::Int64(vec![0]), Column::Int8(vec![0])];
    let schema = schema_of(&columns, 1, Layout::RowMajor, Layout::RowMajor);
    for order in [CellOrder::Global, CellOrder::Row, CellOrder::Col] {
        assert!(KeyPlan::new(&schema, order, true).unwrap().is_one_word());
    }
    assert!(!KeyPlan::new(&schema, CellOrder::Row, false).unwrap().is_one_word());
}

#[test]
fn any_coordinate_gets_a_key() {
    let values = vec![i64::MIN, -50_001, -50_000, 0, 70_000, 70_001, i64::MAX];
    let columns = [Column::Int64(values.clone()), Column::Int64(values)];
    let schema = schema_of(&columns, 2, Layout::RowMajor, Layout::RowMajor);
    let coords: Vec<Coords> = columns.iter().map(Column::coords).collect();
    for (order, inside) in [(CellOrder::Global, true), (CellOrder::Global, false), (CellOrder::Row, false)] {
        let plan = KeyPlan::new(&schema, order, inside).unwrap();
        let mut keys = Keys::default();
        plan.compute(&coords, 7, &mut keys).unwrap();
        let keyed = CellKeys { keys: &keys, coords: &coords };
        if !inside {
            assert!((0..7).all(|i| (0..7).all(|j| plan.compare(keyed, i, keyed, j).is_eq() == (i == j))));
        }
    }
    let missing = KeyPlan::new(&schema, CellOrder::Row, true).unwrap().compute(&coords[..1], 7, &mut Keys::default());
    assert!(missing.is_err());
}

/// Zeros and NaNs, in a domain of their own and with keys of any width: one place, but different coordinates.
#[test]
fn floats_with_equal_codes_are_compared_by_value() {
    let nan = f64::from_bits(0x7ff8_0000_0000_0001);
    let values = vec![0.0, -0.0, 0.0, 1e6, f64::NAN, nan, -f64::NAN, nan, -1e6];
    let single: Vec<f32> = vec![0.0, -0.0, 0.0, 10.0, f32::NAN, f32::from_bits(0x7fa0_0001), -f32::NAN, 0.5, -10.0];
    let place = [1, 1, 1, 2, 3, 3, 3, 3, 0];
    for (columns, inside) in [
        (vec![Column::Float64(values.clone())], true),
        (vec![Column::Float64(values.clone())], false),
        (vec![Column::Int8(vec![0; 9]), Column::Float64(values.clone())], true),
        (vec![Column::Float64(values.clone()), Column::Float32(single.clone())], true),
        (vec![Column::Float64(values), Column::Float32(single)], false),
    ] {
        let schema = schema_of(&columns, 0, Layout::RowMajor, Layout::RowMajor);
        let coords: Vec<Coords> = columns.iter().map(Column::coords).collect();
        let plan = KeyPlan::new(&schema, CellOrder::Row, inside).unwrap();
        let mut keys = Keys::default();
        plan.compute(&coords, 9, &mut keys).unwrap();
        let keyed = CellKeys { keys: &keys, coords: &coords };
        let bytes = |cell: usize| -> Vec<&[u8]> {
            coords.iter().enumerate().map(|(d, column)| column.value(cell, plan.size(d))).collect()
        };
        for i in 0..9 {
            for j in 0..9 {
                let exact = plan.compare_exactly(keyed, i, keyed, j);
                assert_eq!(exact.is_eq(), bytes(i) == bytes(j), "{i} {j} {inside}");
                if !matches!(columns.last(), Some(Column::Float32(_))) {
                    assert_eq!(plan.compare(keyed, i, keyed, j), place[i].cmp(&place[j]), "{i} {j} {inside}");
                }
            }
        }
        let columns = KeyedColumns::new(&plan, &coords, 9).unwrap();
        let order = columns.order(&Pools::new(1, 1), &CancelToken::default()).unwrap();
        let picks = order.picks.unwrap();
        let same = |at: usize| bytes(picks[at - 1] as usize) == bytes(picks[at] as usize);
        assert_eq!(order.equal, (1..9).filter(|&at| same(at)).collect::<Vec<_>>());
    }
}

/// Runs of equal first words that are too long to be compared, in keys of several words, of texts with long common
/// beginnings, some of which end in zeros, and of floats that are equal only in order.
#[test]
fn many_ties_are_put_in_order() {
    const COUNT: usize = 6000;
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut texts = |most: u64| {
        let (mut starts, mut data) = (Vec::new(), Vec::new());
        for _ in 0..COUNT {
            starts.push(data.len() as u64);
            let beginning = ["", "s3://bucket/folder/", "s3://bucket/folder/with/more", "abcdefgh"][next(4) as usize];
            data.extend_from_slice(beginning.as_bytes());
            data.extend(std::iter::repeat_n(b'x', next(3) as usize * 60));
            data.extend_from_slice(&next(most).to_string().as_bytes()[..1]);
            data.extend(std::iter::repeat_n(0, next(3) as usize));
            data.extend_from_slice(next(most).to_string().as_bytes());
            data.extend(std::iter::repeat_n(0, next(3) as usize));
        }
        Column::Text { starts, data }
    };
    let (few_texts, many_texts) = (texts(3), texts(100_000));
    let mut reals = |most: u64| {
        let real = |_| match next(most) {
            0 => -0.0,
            value => value as f64 - 1.0,
        };
        Column::Float64((0..COUNT).map(real).collect())
    };
    let (few_reals, many_reals) = (reals(3), reals(100_000));
    let mut whole = |most: u64| Column::Int64((0..COUNT).map(|_| next(most) as i64 - 50).collect());
    let (few, many) = (whole(4), whole(70_000));
    for columns in [
        vec![many_texts.clone()],
        vec![few_texts.clone(), many_texts.clone()],
        vec![few_texts.clone(), few.clone(), few_reals.clone()],
        vec![few.clone(), many.clone(), few_texts],
        vec![few_reals.clone(), many_reals.clone()],
        vec![few_reals, few, many_reals, many],
    ] {
        let coords: Vec<Coords> = columns.iter().map(Column::coords).collect();
        for (layout, inside) in [(Layout::RowMajor, true), (Layout::ColMajor, false)] {
            let schema = schema_of(&columns, 2, layout, layout);
            let plan = KeyPlan::new(&schema, CellOrder::Global, inside).unwrap();
            let mut keys = Keys::default();
            plan.compute(&coords, COUNT, &mut keys).unwrap();
            let keyed = CellKeys { keys: &keys, coords: &coords };
            let columns = KeyedColumns::new(&plan, &coords, COUNT).unwrap();
            let order = columns.order(&Pools::new(2, 1), &CancelToken::default()).unwrap();
            let exactly = |i: u64, j: u64| plan.compare_exactly(keyed, i as usize, keyed, j as usize);
            let mut expected: Vec<u64> = (0..COUNT as u64).collect();
            expected.sort_by(|&i, &j| exactly(i, j));
            let equal = (1..COUNT).filter(|&at| exactly(expected[at - 1], expected[at]).is_eq());
            assert_eq!(order.equal, equal.collect::<Vec<_>>(), "{layout:?}");
            assert!(order.picks.unwrap() == expected, "{layout:?}");
        }
    }
}
