//! Reference model of queries: the cells that a query must select, computed from the written cells, independently of
//! tiles, fragments and both libraries.

use std::cmp::Ordering;

use crate::conditions::scenario::{Attribute, Fragment, Kind, Scenario, Tree};
use crate::conditions::stored_condition::is_deleted;

/// Bytes and validity of a field of a cell, as buffers give them.
pub type Value = (Vec<u8>, Option<u8>);

/// What is asked.
pub struct ModelQuery<'a> {
    pub layout: u64,
    /// The first and the last time that counts.
    pub window: (u64, u64),
    /// Of each dimension; none for all of it.
    pub ranges: &'a [Vec<(i64, i64)>],
    pub condition: Option<&'a Tree>,
}

/// A cell that is selected.
#[derive(Clone)]
pub struct ModelCell<'a> {
    pub at: Vec<i64>,
    /// The newest fragment that has it; none for a cell of a dense array that nobody wrote.
    layer: Option<Layer<'a>>,
    /// False for a cell of a dense array that does not meet the condition: it is read as if nobody had written it.
    pub meets: bool,
    /// In how many ranges it lies.
    pub times: usize,
}

/// What a fragment has of a cell: its place in the newest fragment that was written, none in a gap between several that were
/// merged. What was merged has all attributes of the last schema.
#[derive(Clone)]
struct Layer<'a> {
    place: Option<(&'a Fragment, usize)>,
    merged: bool,
}

impl ModelCell<'_> {
    pub fn is_written(&self) -> bool {
        self.layer.is_some()
    }

    /// When it was written.
    fn time(&self) -> u64 {
        self.layer.as_ref().and_then(|layer| layer.place).map_or(0, |(fragment, _)| fragment.time)
    }
}

/// The selected cells, in the order of the layout where that is of rows or columns or the array is dense.
pub fn select<'a>(scenario: &'a Scenario, query: &ModelQuery<'_>) -> Vec<ModelCell<'a>> {
    let mut selected = if scenario.dense { dense(scenario, query) } else { sparse(scenario, query) };
    if let Some(tree) = query.condition {
        for cell in &mut selected {
            cell.meets = cell.is_written() && meets(scenario, cell, tree, false);
        }
    }
    if !scenario.dense {
        selected.retain(|cell| cell.meets);
    }
    selected
}

/// A field of a cell by its place among dimensions and attributes; the place behind them is that of its time.
pub fn value(scenario: &Scenario, cell: &ModelCell<'_>, place: usize) -> Value {
    let Some(number) = place.checked_sub(scenario.dimensions.len()) else {
        return (scenario.coordinate(place, cell.at[place]), None);
    };
    let Some(attribute) = scenario.attributes.get(number) else {
        return (cell.time().to_le_bytes().to_vec(), None);
    };
    let (value, valid) =
        stored(scenario, cell, number).filter(|_| cell.meets).unwrap_or_else(|| (fill(attribute.kind), false));
    (value, attribute.nullable.then_some(u8::from(valid)))
}

/// The value of an attribute, and whether it is valid; none where the cell's fragment lacks it.
pub fn stored(scenario: &Scenario, cell: &ModelCell<'_>, number: usize) -> Option<(Vec<u8>, bool)> {
    let attribute = &scenario.attributes[number];
    // Attributes that were dropped and added again, here without another type or enumeration, have their old values.
    let layer = cell.layer.as_ref()?;
    let written = || {
        let (fragment, place) = layer.place.filter(|(fragment, _)| fragment.present[number])?;
        let (value, valid) = fragment.values[number][place];
        Some((attribute.pool[value].clone(), valid || !attribute.nullable))
    };
    let lasts = scenario.present(usize::MAX)[number];
    match layer.merged {
        true if lasts => written().or_else(|| Some((fill(attribute.kind), !attribute.nullable))),
        true => None,
        false => written(),
    }
}

/// What cells hold that nobody wrote, as the schema says that the reference created: on aarch64 its characters have no sign,
/// and the least of them is 0.
fn fill(kind: Kind) -> Vec<u8> {
    let element = match kind.number {
        4 if cfg!(target_arch = "aarch64") => vec![0],
        2 => f32::NAN.to_le_bytes().to_vec(),
        3 => f64::NAN.to_le_bytes().to_vec(),
        6 | 8 | 9 | 10 => vec![0xff; kind.size],
        0 | 1 | 4 | 5 | 7 | 18..=39 => [vec![0; kind.size - 1], vec![0x80]].concat(),
        _ => vec![0; kind.size],
    };
    element.repeat(kind.values.unwrap_or(1))
}

/// The schema that an array is opened with: those that fragments do not begin with are younger than all of these.
fn opened_schema(window: (u64, u64)) -> usize {
    if window.1 == u64::MAX { usize::MAX } else { 0 }
}

/// A fragment of a dense array: its box, and those that were written of which it is made.
struct Sheet<'a> {
    region: Vec<(i64, i64)>,
    parts: Vec<&'a Fragment>,
    merged: bool,
}

/// The fragments of a dense array that count, by time.
fn sheets<'a>(scenario: &'a Scenario, query: &ModelQuery<'_>) -> Vec<Sheet<'a>> {
    let mut sheets: Vec<Sheet<'a>> = Vec::new();
    let (start, end) = query.window;
    for fragment in visible(scenario, query) {
        // What was merged counts if all of its times do.
        let times = merged_times(scenario, fragment, query.window).filter(|times| start <= times.0 && times.1 <= end);
        match sheets.last_mut() {
            Some(last) if times.is_some_and(|times| last.parts[0].time >= times.0) => {
                let sides = last.region.iter_mut().zip(&fragment.region);
                sides.for_each(|(side, more)| *side = (side.0.min(more.0), side.1.max(more.1)));
                last.parts.push(fragment);
            }
            _ => {
                sheets.push(Sheet { region: fragment.region.clone(), parts: vec![fragment], merged: times.is_some() });
            }
        }
    }
    sheets
}

/// The times of what a fragment was merged into, if that counts: where the merged one lacks what the schema has, those that
/// it was made of are read.
fn merged_times(scenario: &Scenario, fragment: &Fragment, window: (u64, u64)) -> Option<(u64, u64)> {
    let times = scenario.merged.iter().copied().find(|times| (times.0..=times.1).contains(&fragment.time));
    times.filter(|_| !scenario.drops_after(opened_schema(window)))
}

/// The cells at each point of the ranges.
fn dense<'a>(scenario: &'a Scenario, query: &ModelQuery<'_>) -> Vec<ModelCell<'a>> {
    let sheets = sheets(scenario, query);
    let cell = |at: Vec<i64>| {
        let holds = |region: &[(i64, i64)]| region.iter().zip(&at).all(|(&(low, high), at)| (low..=high).contains(at));
        let layer = sheets.iter().rfind(|sheet| holds(&sheet.region)).map(|sheet| {
            let fragment = sheet.parts.iter().copied().rfind(|fragment| holds(&fragment.region));
            Layer { place: fragment.map(|fragment| (fragment, place(fragment, &at))), merged: sheet.merged }
        });
        ModelCell { at, layer, meets: true, times: 1 }
    };
    points(scenario, query).into_iter().map(cell).collect()
}

/// Where a fragment has a cell: cells are written in row-major order.
fn place(fragment: &Fragment, at: &[i64]) -> usize {
    let sides = fragment.region.iter().zip(at);
    sides.fold(0, |place, (&(low, high), at)| place * (high - low + 1) + (at - low)) as usize
}

/// The points of the ranges of a dense array in the order of the layout.
fn points(scenario: &Scenario, query: &ModelQuery<'_>) -> Vec<Vec<i64>> {
    let axes: Vec<Vec<i64>> = scenario
        .dimensions
        .iter()
        .zip(query.ranges)
        .map(|(&(high, _), ranges)| match ranges.is_empty() {
            true => (1..=high).collect(),
            false => ranges.iter().flat_map(|&(low, high)| low..=high).collect(),
        })
        .collect();
    let by_columns = query.layout == 1 || query.layout == 2 && scenario.cell_order == 1;
    let mut points: Vec<Vec<i64>> = vec![Vec::new()];
    // The last axis that is multiplied changes first.
    let turned: Vec<&Vec<i64>> = if by_columns { axes.iter().rev().collect() } else { axes.iter().collect() };
    for axis in turned {
        points = points.iter().flat_map(|point| axis.iter().map(move |&at| [&point[..], &[at]].concat())).collect();
    }
    if by_columns {
        points.iter_mut().for_each(|point| point.reverse());
    }
    if query.layout == 2 {
        points.sort_by_key(|point| {
            let tile = point.iter().zip(&scenario.dimensions).map(|(at, (_, extent))| (at - 1) / extent);
            let tile: Vec<i64> = tile.collect();
            if scenario.tile_order == 1 { tile.into_iter().rev().collect() } else { tile }
        });
    }
    points
}

fn visible<'a>(scenario: &'a Scenario, query: &ModelQuery<'_>) -> Vec<&'a Fragment> {
    let (start, end) = query.window;
    scenario.fragments.iter().filter(|fragment| (start..=end).contains(&fragment.time)).collect()
}

/// The cells in the ranges that neither a newer one hides nor a deletion concerns.
fn sparse<'a>(scenario: &'a Scenario, query: &ModelQuery<'_>) -> Vec<ModelCell<'a>> {
    let mut selected: Vec<ModelCell<'a>> = Vec::new();
    for fragment in visible(scenario, query) {
        for (place, at) in fragment.cells.iter().enumerate() {
            let layer = Some(Layer { place: Some((fragment, place)), merged: false });
            let cell = ModelCell { at: at.clone(), layer, meets: true, times: 1 };
            match selected.iter_mut().find(|other| !scenario.dups && other.at == *at) {
                // Fragments are in the order of their times.
                Some(older) => *older = cell,
                None => selected.push(cell),
            }
        }
    }
    let (start, end) = query.window;
    selected.retain(|cell| {
        let deletions = scenario.deletes.iter().filter(|deletion| (start.max(cell.time())..=end).contains(&deletion.0));
        !deletions.into_iter().any(|deletion| is_deleted(scenario, cell, deletion))
    });
    // What was merged is what the deletions left, and these are older than all that was dropped.
    for cell in &mut selected {
        if let Some(layer) = &mut cell.layer {
            let times = layer.place.and_then(|(fragment, _)| merged_times(scenario, fragment, query.window));
            layer.merged = times.is_some();
        }
    }
    let times = |cell: &ModelCell<'_>| -> usize {
        let each = cell.at.iter().zip(query.ranges).enumerate().map(|(dimension, (&at, ranges))| {
            let bytes = scenario.coordinate(dimension, at);
            let within = |&(low, high): &(i64, i64)| {
                let order =
                    |end| compare(scenario.dimension_kinds[dimension], &bytes, &scenario.coordinate(dimension, end));
                order(low).is_some_and(Ordering::is_ge) && order(high).is_some_and(Ordering::is_le)
            };
            usize::from(ranges.is_empty()) + ranges.iter().filter(|range| within(range)).count()
        });
        each.product()
    };
    selected.iter_mut().for_each(|cell| cell.times = times(cell));
    selected.retain(|cell| cell.times > 0);
    let by_columns = query.layout == 1;
    let kinds = &scenario.dimension_kinds;
    selected.sort_by(|a, b| {
        let order = |dimension: usize| {
            let bytes = |cell: &ModelCell<'_>| scenario.coordinate(dimension, cell.at[dimension]);
            compare(kinds[dimension], &bytes(a), &bytes(b)).unwrap_or(Ordering::Equal)
        };
        let count = kinds.len();
        let place = |i: usize| if by_columns { count - 1 - i } else { i };
        (0..count).map(|i| order(place(i))).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    selected
}

/// True if a cell meets a condition, or its reverse, which turns every comparison round: cells that are null meet neither.
fn meets(scenario: &Scenario, cell: &ModelCell<'_>, tree: &Tree, reverse: bool) -> bool {
    match tree {
        Tree::Not(inner) => meets(scenario, cell, inner, !reverse),
        Tree::Both(left, right, combination) => {
            let each = [left, right].map(|part| meets(scenario, cell, part, reverse));
            // 0 is AND, 1 is OR.
            if (*combination == 0) != reverse { each[0] && each[1] } else { each[0] || each[1] }
        }
        Tree::Leaf { operator, .. } => {
            holds_in(scenario, cell, tree, if reverse { REVERSE[*operator as usize] } else { *operator })
        }
    }
}

/// True if a cell meets a comparison with another operator.
pub fn holds_in(scenario: &Scenario, cell: &ModelCell<'_>, comparison: &Tree, operator: u64) -> bool {
    let Tree::Leaf { field, value, members, by_index, .. } = comparison else { return false };
    // There is no field without a number.
    let Ok(number) = field[1..].parse::<usize>() else { return false };
    let set = (operator > 5).then_some(&members[..]);
    if field.starts_with('d') {
        let kind = scenario.dimension_kinds[number];
        let bytes = scenario.coordinate(number, cell.at[number]);
        return match (set, value) {
            (Some(members), _) => members.contains(&bytes) == (operator == IN),
            (None, Some(value)) => holds(kind, operator, &bytes, value),
            (None, None) => operator != EQUAL,
        };
    }
    let attribute = &scenario.attributes[number];
    // A field that the cell's fragment lacks is compared as it is read.
    let (bytes, valid) = stored(scenario, cell, number).unwrap_or_else(|| (fill(attribute.kind), !attribute.nullable));
    let Leaf { value, set } = resolved(attribute, value.as_deref(), set, *by_index);
    match (set, value) {
        (Some(members), _) => valid && members.contains(&bytes) == (operator == IN),
        (None, Sought::Null) if attribute.nullable => valid == (operator != EQUAL),
        (None, Sought::Null) => operator != EQUAL,
        (None, Sought::Missing) => valid && operator == NOT_EQUAL,
        (None, Sought::Value(value)) => valid && holds(attribute.kind, operator, &bytes, &value),
    }
}

/// Less, less or equal, greater, greater or equal, equal, not equal, in, not in: what is true where they are not.
pub const REVERSE: [u64; 8] = [3, 2, 1, 0, 5, 4, 7, 6];
pub const EQUAL: u64 = 4;
pub const NOT_EQUAL: u64 = 5;
pub const IN: u64 = 6;

/// What a cell is compared with.
pub struct Leaf {
    pub value: Sought,
    pub set: Option<Vec<Vec<u8>>>,
}

pub enum Sought {
    Null,
    /// A value that the enumeration lacks.
    Missing,
    Value(Vec<u8>),
}

/// Puts indexes in the place of the values of an enumeration.
pub fn resolved(attribute: &Attribute, value: Option<&[u8]>, set: Option<&[Vec<u8>]>, by_index: bool) -> Leaf {
    let index = |value: &[u8]| match attribute.enumeration.as_ref().filter(|_| !by_index) {
        None => Some(value.to_vec()),
        Some((_, values)) => {
            let index = values.iter().position(|other| other == value)?;
            Some((index as u64).to_le_bytes()[..attribute.kind.size].to_vec())
        }
    };
    let sought = match value {
        None => Sought::Null,
        Some(value) => index(value).map_or(Sought::Missing, Sought::Value),
    };
    Leaf { value: sought, set: set.map(|members| members.iter().filter_map(|member| index(member)).collect()) }
}

pub fn holds(kind: Kind, operator: u64, cell: &[u8], value: &[u8]) -> bool {
    let order = compare(kind, cell, value);
    match operator {
        0 => order.is_some_and(Ordering::is_lt),
        1 => order.is_some_and(Ordering::is_le),
        2 => order.is_some_and(Ordering::is_gt),
        3 => order.is_some_and(Ordering::is_ge),
        4 => order == Some(Ordering::Equal),
        _ => order != Some(Ordering::Equal),
    }
}

/// How a value stands to another; none where one is no number.
fn compare(kind: Kind, a: &[u8], b: &[u8]) -> Option<Ordering> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |all, &byte| (all << 8) | u64::from(byte));
    let signed = |bytes: &[u8]| (number(bytes) << (64 - 8 * bytes.len())) as i64;
    let first = |bytes: &[u8]| bytes.first().copied().unwrap_or(0) as i8;
    match kind.number {
        2 => f32::from_bits(number(a) as u32).partial_cmp(&f32::from_bits(number(b) as u32)),
        3 => f64::from_bits(number(a)).partial_cmp(&f64::from_bits(number(b))),
        // Of fixed characters only the first is compared, unless the value has the size of a cell.
        4 if kind.values.is_some() && a.len() != b.len() => Some(first(a).cmp(&first(b))),
        4 if kind.values.is_some() => Some(a.iter().map(|&byte| byte as i8).cmp(b.iter().map(|&byte| byte as i8))),
        4 | 11 | 12 => Some(a.cmp(b)),
        6 | 8 | 9 | 10 | 40 | 41 => Some(number(a).cmp(&number(b))),
        _ => Some(signed(a).cmp(&signed(b))),
    }
}
