//! Reference model of statistics: the expected tile statistics of an attribute in fragment metadata, computed from the
//! written cells. It does not cover arrays in Hilbert order, nor dropped cells.

use std::cmp::Ordering;

use crate::round_trip::data::Shape;
use crate::round_trip::execute::Cell;
use crate::round_trip::order::Order;
use crate::round_trip::scenario::{Scenario, Write};
use crate::round_trip::types::{ASCII, CHAR, Kind};

/// The cells of each tile as places among those that were written, in the order of the tiles.
fn tiles(scenario: &Scenario, write: &Write) -> Option<Vec<Vec<usize>>> {
    let order = Order::new(scenario);
    if !scenario.dense {
        if scenario.cell_order == 4 || write.dedup {
            return None;
        }
        let cells = coordinates(scenario, write);
        let mut places: Vec<usize> = (0..cells.len()).collect();
        places.sort_by(|&a, &b| order.compare(&cells[a], &cells[b]));
        return Some(places.chunks(scenario.capacity as usize).map(<[usize]>::to_vec).collect());
    }
    let mut points = points(scenario, write);
    let tile = |at: &[i64]| -> Vec<i64> {
        let sides = scenario.dimensions.iter().zip(at);
        let tile = sides.map(|(side, at)| (at - side.low) / side.extent.unwrap_or(1));
        if scenario.tile_order == 0 { tile.collect() } else { tile.rev().collect() }
    };
    if write.layout == 2 {
        points.sort_by(|a, b| order.compare(a, b));
    }
    let mut places: Vec<usize> = (0..points.len()).collect();
    places.sort_by(|&a, &b| order.compare(&points[a], &points[b]));
    let tiles = places.chunk_by(|&a, &b| tile(&points[a]).cmp(&tile(&points[b])) == Ordering::Equal);
    Some(tiles.map(<[usize]>::to_vec).collect())
}

/// The points of the box that a dense write fills, in the order of rows or columns.
fn points(scenario: &Scenario, write: &Write) -> Vec<Vec<i64>> {
    let count = scenario.dimensions.len();
    let mut points = vec![vec![0; count]];
    for dimension in (0..count).map(|place| if write.layout == 1 { count - 1 - place } else { place }) {
        let (low, high) = write.region[dimension];
        let at = |point: &Vec<i64>, value: i64| {
            let mut point = point.clone();
            point[dimension] = value;
            point
        };
        points =
            points.iter().flat_map(|point| (low..=high).map(|value| at(point, value)).collect::<Vec<_>>()).collect();
    }
    points
}

/// The coordinates of the cells of a sparse write, as numbers in their order.
fn coordinates(scenario: &Scenario, write: &Write) -> Vec<Vec<i64>> {
    let columns = write.columns[scenario.attributes.len()..].iter().zip(&scenario.dimensions);
    let columns: Vec<Vec<i64>> = columns
        .map(|(data, dimension)| {
            let cells = data.split(dimension.shape().cell_size());
            cells.into_iter().map(|(bytes, _)| dimension.value(&bytes)).collect()
        })
        .collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
}

/// What the metadata says of an attribute, by the names of its tables.
pub type Tables = Vec<(String, Vec<u8>)>;

/// Checks the statistics of our fragment: counts of nulls, least and greatest texts, sums that no order changes.
pub fn check(scenario: &Scenario, write: &Write, tables: &Tables) -> Result<(), String> {
    let Some(tiles) = tiles(scenario, write) else { return Ok(()) };
    for (number, (attribute, data)) in scenario.attributes.iter().zip(&write.columns).enumerate() {
        let cells = data.split(attribute.shape.cell_size());
        let of = |places: &Vec<usize>| places.iter().map(|&place| cells[place].clone()).collect::<Vec<Cell>>();
        let tiles: Vec<Vec<Cell>> = tiles.iter().map(of).collect();
        let all = vec![tiles.concat()];
        let table = |kind: &str| {
            let name = format!("{kind} of a{number}");
            let table = tables.iter().find(|(other, _)| *other == name);
            table.map(|(_, table)| &table[..]).ok_or(format!("there is no table of {name}"))
        };
        let is = |kind: &str, actual: &[u8], expected: &[u8]| match actual == expected {
            true => Ok(()),
            false => Err(format!("{kind} of a{number}: {actual:?} of cells {expected:?}")),
        };
        let (per_tile, whole) = (table("null counts")?, table("null count")?);
        let counts = if attribute.shape.nullable { nulls(&tiles) } else { Vec::new() };
        is("null counts", per_tile.get(8..).unwrap_or_default(), &counts)?;
        is("null count", whole, &nulls(&all))?;
        for (least, per_tile, whole) in [(true, "minima", "minimum"), (false, "maxima", "maximum")] {
            let Some(expected) = texts(&tiles, attribute.shape, least) else { continue };
            let table = table(per_tile)?.get(16..).unwrap_or_default();
            let places = if attribute.shape.values.is_none() { 8 * tiles.len() } else { 0 };
            let (starts, values) = table.split_at_checked(places).ok_or("a short table")?;
            is(per_tile, &ended(values, &expected), &ended(&expected.concat(), &expected))?;
            let lengths = expected.iter().scan(0u64, |at, value| Some(std::mem::replace(at, *at + value.len() as u64)));
            let expected_starts: Vec<u8> = lengths.flat_map(u64::to_le_bytes).take(places).collect();
            is(per_tile, starts, &expected_starts)?;
            // Of variable texts where some tile holds nulls alone the other library decides, where it can be believed.
            if places > 0 && tiles.iter().any(|tile| tile.iter().all(|cell| cell.1 == Some(0))) {
                continue;
            }
            let expected = texts(&all, attribute.shape, least).unwrap_or_default();
            let actual = trimmed(self::whole(tables, whole, number)?, &all);
            is(whole, &ended(actual, &expected), &ended(trimmed(&expected.concat(), &all), &expected))?;
        }
        if let Some(sums) = sums(&tiles, attribute.shape) {
            is("sums", table("sums")?.get(8..).unwrap_or_default(), &sums)?;
        }
    }
    Ok(())
}

/// A table of a fragment as a whole.
fn whole<'t>(tables: &'t Tables, kind: &str, number: usize) -> Result<&'t [u8], String> {
    let name = format!("{kind} of a{number}");
    let table = tables.iter().find(|(other, _)| *other == name);
    table.map(|(_, table)| &table[..]).ok_or(format!("there is no {name}"))
}

/// The least value of a fragment without values is one of zeros.
fn trimmed<'t>(value: &'t [u8], all: &[Vec<Cell>]) -> &'t [u8] {
    if all[0].iter().any(|cell| cell.1 != Some(0)) { value } else { &value[..0] }
}

fn nulls(tiles: &[Vec<Cell>]) -> Vec<u8> {
    let count = |tile: &Vec<Cell>| (tile.iter().filter(|cell| cell.1 == Some(0)).count() as u64).to_le_bytes();
    tiles.iter().flat_map(count).collect()
}

/// The least or the greatest text of each tile, as the other library compares them.
fn texts(tiles: &[Vec<Cell>], shape: Shape, least: bool) -> Option<Vec<Vec<u8>>> {
    if !matches!(shape.ty.number, CHAR | ASCII) {
        return None;
    }
    let text = |tile: &Vec<Cell>| -> Vec<u8> {
        let cells = tile.iter().filter(|cell| cell.1 != Some(0)).map(|cell| &cell.0);
        let extreme = cells.reduce(|best, cell| {
            let order = compare(cell, best);
            if order == if least { Ordering::Less } else { Ordering::Greater } { cell } else { best }
        });
        // Without values there are zeros in the place of a fixed one.
        extreme.cloned().unwrap_or_else(|| vec![0; shape.values.map_or(0, |_| shape.cell_size())])
    };
    Some(tiles.iter().map(text).collect())
}

/// Up to the first zero byte, then by length.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let text = |text: &[u8]| text[..common].split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    text(a).cmp(&text(b)).then(a.len().cmp(&b.len()))
}

/// Values of the lengths of others, with zeros behind the first zero of each: what is there is that of any of them.
fn ended(values: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut left = values;
    let mut ended = Vec::new();
    for other in others {
        let (value, rest) = left.split_at(other.len().min(left.len()));
        let text = value.split(|byte| *byte == 0).next().unwrap_or_default();
        ended.extend_from_slice(text);
        ended.resize(ended.len() + value.len() - text.len(), 0);
        left = rest;
    }
    ended.extend_from_slice(left);
    ended
}

/// The sums of whole numbers, where no order of adding them can go out of range.
fn sums(tiles: &[Vec<Cell>], shape: Shape) -> Option<Vec<u8>> {
    if !shape.ty.is_integer() || shape.values != Some(1) {
        return None;
    }
    let number = |cell: &Cell| -> i128 {
        let bits = cell.0.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
        let shift = 64 - 8 * cell.0.len() as u32;
        match shape.ty.kind {
            Kind::Signed => i128::from((bits << shift) as i64 >> shift),
            _ => i128::from(bits),
        }
    };
    let mut sums = Vec::new();
    for tile in tiles {
        let values = tile.iter().filter(|cell| cell.1 != Some(0)).map(number);
        let (sum, most) = values.fold((0i128, 0i128), |(sum, most), value| (sum + value, most + value.abs()));
        if most > i128::from(i64::MAX) {
            return None;
        }
        sums.extend((sum as i64).to_le_bytes());
    }
    Some(sums)
}
