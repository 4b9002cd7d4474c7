//! Property: each coordinate lies in the parts as often as in the whole, and parts have the expected weights.

use std::sync::Arc;

use proptest::prelude::*;

use super::divide::{THROUGH_SPARSE, Weight, WeightedTiles, divide};
use super::weigh::{WeightedSpace, of_boxes};
use super::{SubarrayPartition, cut_out};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::space::subarray::Subarray;
use tiledb_core::pool::CancelToken;
use tiledb_core::types::{ArrayType, CellRange, Datatype, NdRange};

const TYPES: [Datatype; 4] = [Datatype::Int8, Datatype::Float32, Datatype::StringAscii, Datatype::Uint64];

fn schema(types: &[usize]) -> Arc<ArraySchema> {
    let mut domain = Domain::new();
    for (d, &kind) in types.iter().enumerate() {
        let bounds = (TYPES[kind] != Datatype::StringAscii).then(|| [value(kind, -20), value(kind, 20)].concat());
        let dimension = Dimension::new(&format!("d{d}"), TYPES[kind], bounds.as_deref(), None);
        domain.add(Arc::new(dimension.unwrap()));
    }
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(domain)).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    Arc::new(schema)
}

/// The coordinate of a type that stands for a small number; numbers and coordinates have the same order.
fn value(kind: usize, number: i8) -> Vec<u8> {
    match TYPES[kind] {
        Datatype::Int8 => number.to_le_bytes().to_vec(),
        Datatype::Float32 => (f32::from(number) / 8.0).to_le_bytes().to_vec(),
        Datatype::StringAscii => format!("{:02}", i16::from(number) + 20).into_bytes(),
        _ => ((i64::from(number) + 20) as u64 * 1_000_000_007).to_le_bytes().to_vec(),
    }
}

fn range(kind: usize, (a, b): (i8, i8)) -> CellRange {
    let (low, high) = (value(kind, a.min(b)), value(kind, a.max(b)));
    if TYPES[kind] == Datatype::StringAscii {
        CellRange::var(&low, &high)
    } else {
        CellRange::fixed(&low, &high).unwrap()
    }
}

/// How many boxes of ranges hold a point.
fn hits(subarray: &Subarray, types: &[usize], point: &[i8]) -> usize {
    let along = subarray.sets().iter().zip(types).zip(point).map(|((set, &kind), &number)| {
        let point = range(kind, (number, number));
        let is_in = |range: &&CellRange| range.contains(TYPES[kind], &point);
        if set.is_default() { 1 } else { set.ranges().iter().filter(is_in).count() }
    });
    along.product()
}

fn parts_of(subarray: &Subarray, boxes: &[(NdRange, u64)], max_parts: u64) -> Vec<SubarrayPartition> {
    let Some(WeightedSpace { axes, weight }) = of_boxes(subarray, &boxes.iter().collect::<Vec<_>>()).unwrap() else {
        return Vec::new();
    };
    let parts = divide(&axes, &weight, max_parts, &CancelToken::default()).unwrap();
    parts.iter().map(|part| cut_out(subarray, &axes, part).unwrap()).collect()
}

fn ends() -> impl Strategy<Value = (i8, i8)> {
    (-20..=20i8, -20..=20i8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn parts_are_disjoint_and_all(
        types in prop::collection::vec(0..TYPES.len(), 1..4),
        ranges in prop::collection::vec(prop::collection::vec(ends(), 0..4), 3),
        boxes in prop::collection::vec((prop::collection::vec(ends(), 3), 1..100u64), 1..40),
        points in prop::collection::vec(prop::collection::vec(-20..=20i8, 3), 60),
        max_parts in 1..20u64,
    ) {
        let schema = schema(&types);
        let mut subarray = Subarray::new(&schema);
        for (d, (&kind, ranges)) in types.iter().zip(&ranges).enumerate() {
            for &ends in ranges {
                let range = range(kind, ends);
                match range.is_var() {
                    true => subarray.add_range_var(d as u32, range.low(), range.high()).unwrap(),
                    false => subarray.add_range(d as u32, range.low(), range.high()).unwrap(),
                }
            }
        }
        let sides = |ends: &[(i8, i8)]| types.iter().zip(ends).map(|(&kind, &ends)| range(kind, ends)).collect();
        let boxes: Vec<(NdRange, u64)> = boxes.iter().map(|(ends, cells)| (sides(ends), *cells)).collect();
        let parts = parts_of(&subarray, &boxes, max_parts);
        prop_assert!(parts.len() as u64 <= max_parts);
        if parts.is_empty() {
            return Ok(());
        }
        for point in &points {
            // Strings greater than all boxes are in no cell.
            let is_known = types.iter().zip(point).enumerate().all(|(d, (&kind, &number))| {
                let ends: Vec<&CellRange> = boxes.iter().map(|(sides, _)| &sides[d]).collect();
                let place = value(kind, number);
                TYPES[kind] != Datatype::StringAscii || ends.iter().any(|range| *range.high() >= *place)
            });
            if is_known {
                let hit_count: usize = parts.iter().map(|part| hits(&part.subarray, &types, point)).sum();
                prop_assert_eq!(hit_count, hits(&subarray, &types, point), "{:?}", point);
            }
        }
    }

    #[test]
    fn tiles_of_a_cell_each_are_dealt_out_evenly(
        cells in prop::collection::btree_set((-20..=20i8, -20..=20i8), 64..400),
        max_parts in 2..9u64,
    ) {
        let types = [0, 3];
        let boxes: Vec<(NdRange, u64)> =
            cells.iter().map(|&(a, b)| (vec![range(0, (a, a)), range(3, (b, b))], 1)).collect();
        let parts = parts_of(&Subarray::new(&schema(&types)), &boxes, max_parts);
        prop_assert_eq!(parts.len() as u64, max_parts);
        let mean = cells.len() as f64 / max_parts as f64;
        for part in parts {
            let inside = cells.iter().filter(|&&(a, b)| hits(&part.subarray, &types, &[a, b]) > 0).count();
            prop_assert_eq!(part.cells, inside as u64);
            prop_assert!(inside as f64 <= 1.5 * mean, "{} of {}", inside, mean);
        }
    }
}

#[test]
fn there_are_no_more_parts_than_cells() {
    let subarray = Subarray::new(&schema(&[3]));
    let wide = (vec![range(3, (-20, 20))], 3);
    assert_eq!(parts_of(&subarray, &[wide], 1_000_000).len(), 3);
}

#[test]
fn a_grid_is_cut_at_the_ends_of_its_tiles() {
    let axes = [(1i32, 100), (1, 10)]
        .map(|(low, high)| super::PartitionAxis::of_numbers(Datatype::Int32, &[CellRange::of(low, high)]));
    let key = |value: i32| axes[0].key(&value.to_le_bytes());
    let weight = Weight::Even(vec![(key(8), 8), (key(10), 10)]);
    let parts = divide(&axes, &weight, 4, &CancelToken::default()).unwrap();
    let ends: Vec<(u64, u64)> = parts.iter().map(|part| (part.ends[0].0 - key(0), part.ends[0].1 - key(0))).collect();
    assert_eq!(ends, [(1, 24), (25, 48), (49, 72), (73, 100)]);
    assert_eq!(parts.iter().map(|part| part.weight).sum::<f64>(), 1000.0);
    // Where there is but one tile it is cut.
    assert_eq!(divide(&axes[1..], &Weight::Even(vec![(key(10), 10)]), 2, &CancelToken::default()).unwrap().len(), 2);
}

/// Ends of the parts along each dimension, counted from zero.
fn ends_of_parts(weight: &Weight, sides: &[&[CellRange]], parts: u64) -> Vec<Vec<(u64, u64)>> {
    let axes: Vec<_> = sides.iter().map(|ranges| super::PartitionAxis::of_numbers(Datatype::Uint8, ranges)).collect();
    let mut parts: Vec<_> =
        divide(&axes, weight, parts, &CancelToken::default()).unwrap().into_iter().map(|part| part.ends).collect();
    parts.sort();
    parts
}

#[test]
fn cuts_go_through_as_few_tiles_as_possible() {
    let side = [CellRange::of(0u8, 19)];
    let tiled = [(0, 9), (10, 19)];
    let whole = (0, 19);
    for d in [0, 1] {
        let mut grid = vec![(19, 20); 2];
        grid[d] = (9, 10);
        let mut expected = vec![vec![(0, 19); 2]; 2];
        (expected[0][d], expected[1][d]) = (tiled[0], tiled[1]);
        assert_eq!(ends_of_parts(&Weight::Even(grid), &[&side, &side], 2), expected, "a grid");
        // Two tiles beside each other along one of the dimensions.
        let mut keys = vec![whole; 4];
        (keys[d], keys[2 + d]) = (tiled[0], tiled[1]);
        let tiles = |through| WeightedTiles { keys: keys.clone(), weights: vec![40.0, 60.0], through };
        assert_eq!(ends_of_parts(&Weight::Tiles(tiles(THROUGH_SPARSE)), &[&side, &side], 2), expected, "tiles");
        // At no cost, halves are most even.
        let parts = ends_of_parts(&Weight::Tiles(tiles(0.0)), &[&side, &side], 2);
        assert_ne!(parts, expected, "through the heavier tile");
    }
}

#[test]
fn parts_have_equal_shares_where_tiles_permit_it() {
    let side = [CellRange::of(0u8, 99)];
    let parts = |extent, count| {
        let parts = ends_of_parts(&Weight::Even(vec![(extent - 1, extent)]), &[&side], count);
        parts.into_iter().map(|ends| ends[0]).collect::<Vec<_>>()
    };
    assert_eq!(parts(10, 2), [(0, 49), (50, 99)]);
    // One of three has a tile more.
    let mut sizes: Vec<u64> = parts(10, 3).into_iter().map(|(low, high)| high - low + 1).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [30, 30, 40]);
    assert_eq!(parts(1, 4), [(0, 24), (25, 49), (50, 74), (75, 99)]);
    assert_eq!(parts(10, 1), [(0, 99)]);
}

/// Each part has cells: a cut between two ranges is in both or none.
#[test]
fn parts_of_several_ranges_have_a_selection_each() {
    let side = [CellRange::of(0u8, 9), CellRange::of(90u8, 99)];
    for extent in [1, 7, 10, 100] {
        let weight = Weight::Even(vec![(extent - 1, extent)]);
        let parts = ends_of_parts(&weight, &[&side], 2);
        assert_eq!(parts.len(), 2, "{extent}");
        assert!(parts.iter().all(|ends| ends[0].0 <= 9 || ends[0].1 >= 90), "{extent}: {parts:?}");
        assert!((9..90).contains(&parts[0][0].1), "{extent}: {parts:?}");
    }
    assert_eq!(ends_of_parts(&Weight::Even(vec![(0, 1)]), &[&side], 30).len(), 20, "a cell each");
    let nothing = WeightedTiles { keys: vec![(20, 30)], weights: vec![0.0], through: THROUGH_SPARSE };
    assert_eq!(ends_of_parts(&Weight::Tiles(nothing), &[&side], 2).len(), 1, "nothing is selected");
}

/// Cells of each of `max_parts` parts of 40 tiles of 100 cells side by side in one dimension with this domain.
fn parts_of_small_tiles(datatype: Datatype, domain: [Vec<u8>; 2], side: impl Fn(u8) -> CellRange) -> Vec<u64> {
    let dimension = Dimension::new("x", datatype, Some(&domain.concat()), None).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema
        .set_domain(Arc::new([dimension].into_iter().fold(Domain::new(), |mut domain, dimension| {
            domain.add(Arc::new(dimension));
            domain
        })))
        .unwrap();
    schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
    let boxes: Vec<(NdRange, u64)> = (0..40).map(|tile| (vec![side(tile)], 100)).collect();
    parts_of(&Subarray::new(&Arc::new(schema)), &boxes, 5).iter().map(|part| part.cells).collect()
}

#[test]
fn small_tiles_in_large_domains_are_dealt_out_evenly() {
    let integers = [i64::MIN, i64::MAX - 1].map(|end| end.to_le_bytes().to_vec());
    let side = |tile: u8| CellRange::of(i64::from(tile) * 100, i64::from(tile) * 100 + 99);
    assert_eq!(parts_of_small_tiles(Datatype::Int64, integers.clone(), side), [800; 5]);
    // A tile far away, such as of missing dates.
    let far = |tile: u8| if tile == 0 { CellRange::of(i64::MIN, i64::MIN + 1) } else { side(tile) };
    assert_eq!(parts_of_small_tiles(Datatype::Int64, integers, far), [800; 5]);
    let reals = [f64::MIN, f64::MAX].map(|end| end.to_le_bytes().to_vec());
    let side = |tile: u8| CellRange::of(f64::from(tile), f64::from(tile) + 0.9);
    assert_eq!(parts_of_small_tiles(Datatype::Float64, reals.clone(), side), [800; 5]);
    let far = |tile: u8| if tile == 0 { CellRange::of(f64::MIN, f64::MIN) } else { side(tile) };
    assert_eq!(parts_of_small_tiles(Datatype::Float64, reals, far), [800; 5]);
}
