//! Number of cells of a sparse array, and means of attributes, in the squares of a grid. Of a large array the library counts them, from
//! the statistics of tiles where a block covers whole tiles, and blocks with many cells are divided further than others.

use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tiledb::{Aggregate, Layout};

use super::axis::Axis;
use super::grid::GridSide;
use super::values::{FIELD_BUFFER_BYTES, number, rounded};
use crate::model::{Array, Dimension, Field, Range, Result, Selection, Value};

/// Maximum number of cells that are read rather than counted: three fields of them are 24 MB.
const MAX_READ_CELLS: u64 = 1 << 20;
/// Maximum number of queries that count cells.
const MAX_QUERIES: usize = 1 << 12;
/// After this time no block is divided further: each query of a remote array may take requests.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Some squares: rows and columns from one to before another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Block {
    rows: (u64, u64),
    columns: (u64, u64),
}

/// What is known of the cells of a block. Blocks with more cells come first.
struct Counted {
    cells: u64,
    block: Block,
    means: Vec<Option<f64>>,
}

/// The grid, and the cells that were found in it.
struct Grid<'a> {
    array: &'a Array,
    /// Ranges of the other dimensions.
    fixed: Vec<Range>,
    down: Option<GridSide<'a>>,
    across: GridSide<'a>,
    fields: Vec<Field>,
}

/// Cells and means by square, row by row.
struct Squares {
    cells: Vec<f64>,
    means: Vec<Vec<Option<f64>>>,
    /// Whether several squares share a count.
    is_coarse: bool,
}

/// The squares within these ranges; null if the array is empty or no dimension has numbers.
pub(super) fn collect<'a>(array: &'a Array, ranges: &[Range], fields: Vec<Field>, axes: &[Axis]) -> Result<Json> {
    let dimensions = &array.schema().dimensions;
    let Some(stored) = array.non_empty_domain()? else { return Ok(Json::Null) };
    let side = |(number, (dimension, stored)): (usize, (&'a Dimension, &(Value, Value)))| {
        let mut own = ranges.iter().filter(|range| range.dimension == dimension.name);
        let value = |bytes: &[u8]| Value::of_bytes(dimension.datatype, bytes);
        match (own.next(), own.next()) {
            (Some(range), None) => GridSide::new(number, dimension, &value(&range.low), &value(&range.high)),
            (None, _) => GridSide::new(number, dimension, &stored.0, &stored.1),
            _ => None,
        }
    };
    let sides: Vec<GridSide<'_>> = dimensions.iter().zip(&stored).enumerate().filter_map(side).collect();
    let map = map_of(&sides);
    let mut sides = sides.into_iter().map(Some).collect::<Vec<_>>();
    let (down, across) = match map {
        Some((latitude, longitude)) => (Some(latitude), longitude),
        None if sides.len() > 1 => (Some(0), 1),
        None => (None, 0),
    };
    let down = down.and_then(|at| sides[at].take());
    let Some(across) = sides.get_mut(across).and_then(Option::take) else { return Ok(Json::Null) };
    let is_drawn = |name: &str| name == across.name() || down.as_ref().is_some_and(|side| side.name() == name);
    let fixed = ranges.iter().filter(|range| !is_drawn(&range.dimension));
    let fixed = fixed.map(|range| Range {
        dimension: range.dimension.clone(),
        low: range.low.clone(),
        high: range.high.clone(),
    });
    let grid = Grid { array, fixed: fixed.collect(), down, across, fields };
    grid.json(map.is_some(), axes)
}

/// The dimensions of latitude and longitude, in degrees.
fn map_of(sides: &[GridSide<'_>]) -> Option<(usize, usize)> {
    let find = |names: &[&str], limit: f64| {
        let is_named = |side: &GridSide<'_>| names.contains(&side.name().to_lowercase().as_str());
        sides.iter().position(|side| is_named(side) && side.is_within(limit))
    };
    find(&["latitude", "lat"], 90.0).zip(find(&["longitude", "lon", "long", "lng"], 360.0))
}

impl Grid<'_> {
    fn json(&self, is_map: bool, axes: &[Axis]) -> Result<Json> {
        let whole = Block { rows: (0, self.rows()), columns: (0, self.across.squares) };
        let first = self.count(whole)?;
        if first.cells == 0 {
            return Ok(Json::Null);
        }
        let all = first.cells;
        let mut squares = if all <= MAX_READ_CELLS { self.read()? } else { self.divide(first)? };
        if is_map {
            squares.turn(self.across.squares as usize);
        }
        let down = self.down.as_ref().map(|side| {
            let json = side.json(&axes[side.number]);
            // North is at the top.
            if is_map {
                json!({ "name": json["name"], "axis": json["axis"], "squares": json["squares"], "length": json["length"],
                    "low": json["high"], "high": json["low"], "from": json["to"], "to": json["from"] })
            } else {
                json
            }
        });
        let empty = |cells: &f64| if *cells > 0.0 { Json::from(rounded(*cells)) } else { Json::Null };
        let counts: Vec<Json> = squares.cells.iter().map(empty).collect();
        let highest = squares.cells.iter().fold(0.0, |most: f64, cells| most.max(*cells));
        let least =
            squares.cells.iter().filter(|cells| **cells > 0.0).fold(highest, |least: f64, cells| least.min(*cells));
        let density = json!({ "name": "number of cells", "type": "", "mean": false, "count": true, "cells": counts,
            "low": rounded(least), "high": rounded(highest) });
        let means = self.fields.iter().zip(&squares.means).map(|(field, means)| {
            let known = means.iter().flatten().copied();
            let (low, high) =
                known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), mean| (low.min(mean), high.max(mean)));
            let finite = |number: f64| if number.is_finite() { Json::from(rounded(number)) } else { Json::Null };
            let cells: Vec<Option<f64>> = means.iter().map(|mean| mean.map(rounded)).collect();
            json!({ "name": field.name, "type": field.datatype.to_string(), "mean": true, "cells": cells,
                "low": finite(low), "high": finite(high) })
        });
        Ok(json!({
            "sparse": true, "map": is_map, "all": all, "coarse": squares.is_coarse, "sample": false, "fixed": "",
            "down": down, "across": self.across.json(&axes[self.across.number]),
            "attributes": std::iter::once(density).chain(means).collect::<Json>(),
        }))
    }

    fn rows(&self) -> u64 {
        self.down.as_ref().map_or(1, |side| side.squares)
    }

    /// The ranges of a block; none if no value lies between its bounds.
    fn ranges(&self, block: &Block) -> Option<Vec<Range>> {
        let mut ranges = vec![self.across.range(block.columns)?];
        if let Some(down) = &self.down {
            ranges.push(down.range(block.rows)?);
        }
        ranges.extend(self.fixed.iter().map(|range| Range {
            dimension: range.dimension.clone(),
            low: range.low.clone(),
            high: range.high.clone(),
        }));
        Some(ranges)
    }

    /// Counts the cells of a block by a query that returns none.
    fn count(&self, block: Block) -> Result<Counted> {
        let Some(ranges) = self.ranges(&block) else {
            return Ok(Counted { cells: 0, block, means: vec![None; self.fields.len()] });
        };
        let selection = Selection { array: self.array, layout: Layout::Unordered, ranges: &ranges, condition: None };
        let means = self.fields.iter().enumerate();
        let means = means.map(|(number, field)| Aggregate::mean(&field.name).named(format!("mean_{number}")));
        let results = selection.aggregate(std::iter::once(Aggregate::count()).chain(means).collect())?;
        let cells = results.get("count").and_then(tiledb::Value::as_u64).unwrap_or_default();
        let mean = |number: usize| results.get(&format!("mean_{number}")).and_then(tiledb::Value::as_f64);
        let means = (0..self.fields.len()).map(|number| mean(number).filter(|mean| cells > 0 && mean.is_finite()));
        Ok(Counted { cells, means: means.collect(), block })
    }

    /// Divides the block with the most cells, again and again.
    fn divide(&self, first: Counted) -> Result<Squares> {
        let started = Instant::now();
        let mut queries = 1;
        let mut waiting = BinaryHeap::from([first]);
        let mut squares = self.squares();
        while let Some(counted) = waiting.pop() {
            let Some([one, other]) = counted.block.halves() else {
                squares.fill(&counted, self.across.squares);
                continue;
            };
            if queries >= MAX_QUERIES || started.elapsed() > MAX_TIME {
                squares.is_coarse = true;
                squares.fill(&counted, self.across.squares);
                continue;
            }
            let one = self.count(one)?;
            queries += 1;
            if one.cells == 0 {
                waiting.push(Counted { block: other, ..counted });
                continue;
            }
            if one.cells < counted.cells {
                waiting.push(self.count(other)?);
                queries += 1;
            }
            waiting.push(one);
        }
        Ok(squares)
    }

    /// Reads all cells.
    fn read(&self) -> Result<Squares> {
        let mut squares = self.squares();
        let whole = Block { rows: (0, self.rows()), columns: (0, self.across.squares) };
        let Some(ranges) = self.ranges(&whole) else { return Ok(squares) };
        let dimensions = self.down.iter().chain([&self.across]).map(GridSide::field);
        let fields: Vec<Field> = dimensions.chain(self.fields.iter().cloned()).collect();
        let attributes = fields.len() - self.fields.len();
        let selection = Selection { array: self.array, layout: Layout::Unordered, ranges: &ranges, condition: None };
        let mut sums = vec![vec![(0.0, 0_u32); squares.cells.len()]; self.fields.len()];
        let mut reader = selection.reader(fields, FIELD_BUFFER_BYTES)?;
        while let Some(batch) = reader.next()? {
            let columns = batch.columns()?;
            for at in 0..batch.cells() {
                let row = match &self.down {
                    Some(down) => columns.first().and_then(|values| down.square_of(&values.value(at))),
                    None => Some(0),
                };
                let column = columns.get(attributes - 1).and_then(|values| self.across.square_of(&values.value(at)));
                let Some((row, column)) = row.zip(column) else { continue };
                let square = (row * self.across.squares + column) as usize;
                let Some(cells) = squares.cells.get_mut(square) else { continue };
                *cells += 1.0;
                for ((field, sums), values) in self.fields.iter().zip(&mut sums).zip(&columns[attributes..]) {
                    if let Some(value) = number(field.datatype, &values.value(at)) {
                        sums[square].0 += value;
                        sums[square].1 += 1;
                    }
                }
            }
        }
        let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
        squares.means = sums.into_iter().map(|sums| sums.into_iter().map(mean).collect()).collect();
        Ok(squares)
    }

    fn squares(&self) -> Squares {
        let number = (self.rows() * self.across.squares) as usize;
        Squares { cells: vec![0.0; number], means: vec![vec![None; number]; self.fields.len()], is_coarse: false }
    }
}

impl Squares {
    /// Distributes what is known of a block over its squares.
    fn fill(&mut self, counted: &Counted, columns: u64) {
        let Block { rows, columns: (left, right) } = counted.block;
        let number = (rows.1 - rows.0) * (right - left);
        for row in rows.0..rows.1 {
            for column in left..right {
                let square = (row * columns + column) as usize;
                self.cells[square] = counted.cells as f64 / number as f64;
                for (means, mean) in self.means.iter_mut().zip(&counted.means) {
                    means[square] = *mean;
                }
            }
        }
    }

    /// Exchanges the first row and the last one, and so on.
    fn turn(&mut self, columns: usize) {
        let turn = |squares: &mut Vec<f64>| *squares = squares.chunks(columns).rev().flatten().copied().collect();
        turn(&mut self.cells);
        for means in &mut self.means {
            *means = means.chunks(columns).rev().flatten().copied().collect();
        }
    }
}

impl Block {
    /// The halves along the longer side; none of a single square.
    fn halves(&self) -> Option<[Self; 2]> {
        let middle = |(from, to): (u64, u64)| from + (to - from) / 2;
        let height = self.rows.1 - self.rows.0;
        let width = self.columns.1 - self.columns.0;
        if height.max(width) < 2 {
            return None;
        }
        let mut halves = [self.clone(), self.clone()];
        if height > width {
            (halves[0].rows.1, halves[1].rows.0) = (middle(self.rows), middle(self.rows));
        } else {
            (halves[0].columns.1, halves[1].columns.0) = (middle(self.columns), middle(self.columns));
        }
        Some(halves)
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.cells, &self.block).cmp(&(other.cells, &other.block))
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Counted {}
