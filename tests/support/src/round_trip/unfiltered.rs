//! The *twin* of a scenario: the same cells in the same array, without filters except those that round values. A read of the
//! twin returns the written cells, independently of the filtered array.

use std::cmp::Ordering;
use std::path::Path;

use crate::Api;
use crate::limits::Noise;
use crate::round_trip::execute::{self, Answer, Cell, comparable};
use crate::round_trip::order::Order;
use crate::round_trip::pipeline::SCALE_FLOAT;
use crate::round_trip::scenario::{Read, Scenario};

/// The twin, of the first writes.
fn twin(scenario: &Scenario, writes: usize) -> Scenario {
    let mut twin = scenario.clone();
    twin.writes.truncate(writes);
    let attributes = twin.attributes.iter_mut().map(|attribute| &mut attribute.pipeline);
    let dimensions = twin.dimensions.iter_mut().map(|dimension| &mut dimension.pipeline);
    let lists = [&mut twin.coords, &mut twin.offsets, &mut twin.validity].into_iter().flatten();
    for pipeline in attributes.chain(dimensions).chain(lists) {
        // Only the first filter scales.
        let filters = usize::from(pipeline.filters.first().is_some_and(|filter| filter.kind == SCALE_FLOAT));
        pipeline.filters.truncate(filters);
    }
    twin
}

/// Makes an array anew in a folder; none where that is refused.
fn make(api: &Api, place: &Path, scenario: &Scenario) -> Option<String> {
    if place.exists() {
        std::fs::remove_dir_all(place).ok()?;
    }
    let uri = place.to_str()?.to_owned();
    execute::create(api, &uri, scenario).ok()?;
    scenario.writes.iter().try_for_each(|write| execute::write(api, &uri, scenario, write)).ok()?;
    Some(uri)
}

/// What a query must answer: the cells in its ranges of those that the reference finds when it reads all of the twin at
/// once. In the order of rows or columns a cell of a sparse array comes as often as it lies in ranges.
pub fn cells(reference: &Api, folder: &Path, scenario: &Scenario, read: &Read) -> Option<Vec<Vec<Cell>>> {
    let twin = twin(scenario, scenario.writes.len());
    let uri = make(reference, &folder.join("twin"), &twin)?;
    let whole = Read { window: read.window, layout: if scenario.dense { 0 } else { 3 }, ..scenario.whole() };
    let all = execute::read(reference, &uri, &twin, &whole).ok()?;
    let places = if scenario.dense { points(scenario, read) } else { within(scenario, read, &all) };
    let columns = all.iter().zip(&read.fields).filter(|(_, columns)| **columns);
    let take = |column: &Vec<Cell>| places.iter().map(|&place| column.get(place).cloned()).collect();
    let cells: Vec<Vec<Cell>> = columns.map(|(column, _)| take(column)).collect::<Option<_>>()?;
    // In several submits they come part by part of the ranges, each in order.
    let in_parts = read.layout < 2 && read.ranges.iter().any(|ranges| ranges.len() > 1);
    let answer = if in_parts { execute::read(reference, &uri, &twin, read).ok() } else { None };
    Some(answer.filter(|answer| rows(answer) == rows(&cells)).unwrap_or(cells))
}

/// The cells of all fields, row by row, in any order.
fn rows(fields: &[Vec<Cell>]) -> Vec<Vec<&Cell>> {
    let count = fields.iter().map(Vec::len).min().unwrap_or(0);
    let mut rows: Vec<Vec<&Cell>> = (0..count).map(|row| fields.iter().map(|cells| &cells[row]).collect()).collect();
    rows.sort();
    rows
}

/// The points of the ranges of a dense array in the order of the layout, as places in row-major order.
fn points(scenario: &Scenario, read: &Read) -> Vec<usize> {
    let by_columns = read.layout == 1 || read.layout == 2 && scenario.cell_order == 1;
    let count = scenario.dimensions.len();
    let turned = |place: usize| if by_columns { count - 1 - place } else { place };
    let mut points = vec![vec![0; count]];
    for dimension in (0..count).map(turned) {
        let axis: Vec<i64> = read.ranges[dimension].iter().flat_map(|&(low, high)| low..=high).collect();
        let at = |point: &Vec<i64>, value: i64| {
            let mut point = point.clone();
            point[dimension] = value;
            point
        };
        points =
            points.iter().flat_map(|point| axis.iter().map(|&value| at(point, value)).collect::<Vec<_>>()).collect();
    }
    if read.layout == 2 {
        let order = Order::new(scenario);
        points.sort_by(|a, b| order.compare(a, b));
    }
    let place = |point: &Vec<i64>| {
        let sides = scenario.dimensions.iter().zip(point);
        sides.fold(0, |place, (side, at)| place * (side.high - side.low + 1) + (at - side.low)) as usize
    };
    points.iter().map(place).collect()
}

/// The places of the cells of a sparse array that lie in the ranges, in the order of rows or columns.
fn within(scenario: &Scenario, read: &Read, all: &[Vec<Cell>]) -> Vec<usize> {
    let times = |cell: usize| -> usize {
        let dimensions = scenario.dimensions.iter().zip(&read.ranges).zip(all);
        let each = dimensions.map(|((dimension, ranges), column)| {
            let order = |value: i64| dimension.compare(&column[cell].0, &dimension.bytes(value));
            ranges.iter().filter(|(low, high)| order(*low).is_ge() && order(*high).is_le()).count()
                + usize::from(ranges.is_empty())
        });
        each.product()
    };
    let often = |cell: usize| if read.layout < 2 { times(cell) } else { times(cell).min(1) };
    let count = all.first().map_or(0, Vec::len);
    let mut places: Vec<usize> = (0..count).flat_map(|cell| std::iter::repeat_n(cell, often(cell))).collect();
    let dimensions = scenario.dimensions.len();
    places.sort_by(|&a, &b| {
        let compare = |d: usize| scenario.dimensions[d].compare(&all[d][a].0, &all[d][b].0);
        let turned = |place: usize| if read.layout == 1 { dimensions - 1 - place } else { place };
        (0..dimensions).map(|i| compare(turned(i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    places
}

/// True if an answer has these cells, in this order where the query's is of rows or columns.
pub fn is_same(scenario: &Scenario, read: &Read, answer: &Answer, cells: &[Vec<Cell>]) -> bool {
    let Ok(answer) = answer else { return false };
    if scenario.dense || read.layout < 2 {
        return answer == cells;
    }
    answer.len() == cells.len() && rows(answer) == rows(cells)
}

/// True if the reference does not read what it wrote with the first `writes`, or some more: the filters lose cells, if not
/// of those that nobody wrote.
pub fn is_lost(reference: &Api, folder: &Path, scenario: &Scenario, writes: usize) -> bool {
    (writes..=scenario.writes.len()).any(|writes| loses(reference, folder, scenario, writes))
}

fn loses(reference: &Api, folder: &Path, scenario: &Scenario, writes: usize) -> bool {
    let mut filtered = scenario.clone();
    filtered.writes.truncate(writes);
    let plain = twin(scenario, writes);
    let whole = scenario.whole();
    let Some(plain_uri) = make(reference, &folder.join("twin"), &plain) else { return false };
    let Some(uri) = make(reference, &folder.join("lossy"), &filtered) else { return false };
    let read = |uri: &str, scenario: &Scenario| {
        execute::read(reference, uri, scenario, &whole).map(|cells| comparable(scenario, &whole, cells))
    };
    let written = read(&plain_uri, &plain);
    // What was dropped must not come back from what its memory happened to hold before.
    let _noise = Noise::enable();
    written.is_ok() && read(&uri, &filtered) != written
}
