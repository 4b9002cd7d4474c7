//! Random queries.

use crate::aggregates::OPERATORS;
use crate::conditions::scenario::{Kind, Scenario, Tree};
use crate::random::Random;

/// An aggregate: operator, and the field's place among dimensions and attributes; `None` counts cells.
pub type Aggregate = Option<(&'static str, usize)>;

/// The first and the last time, where they are given.
pub type Window = (Option<u64>, Option<u64>);

/// The room of a field's buffers: values of fixed cells or bytes of others, offsets, validity values.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub data: usize,
    pub offsets: usize,
    pub validity: usize,
}

#[derive(Clone, Debug)]
pub struct RandomQuery {
    pub layout: u64,
    pub window: Window,
    /// The window that the array is opened in before it is opened anew.
    pub before: Option<Window>,
    /// Places among dimensions and attributes; the one behind them is that of the cells' times.
    pub fields: Vec<usize>,
    pub ranges: Vec<Vec<(i64, i64)>>,
    pub condition: Option<Tree>,
    pub rooms: Vec<Room>,
    /// True if it may take several submits.
    pub tight: bool,
    pub config: Vec<(&'static str, String)>,
    pub aggregates: Vec<Aggregate>,
}

/// What a field is: its name, kind and nullability.
pub struct Field {
    pub name: String,
    pub kind: Kind,
    pub nullable: bool,
}

impl Field {
    pub fn of(scenario: &Scenario, place: usize) -> Field {
        let dimensions = scenario.dimensions.len();
        match place.checked_sub(dimensions) {
            None => Field { name: format!("d{place}"), kind: scenario.dimension_kinds[place], nullable: false },
            Some(number) => match scenario.attributes.get(number) {
                Some(attribute) => {
                    Field { name: format!("a{number}"), kind: attribute.kind, nullable: attribute.nullable }
                }
                None => Field {
                    name: "__timestamps".to_owned(),
                    kind: Kind { number: 10, size: 8, values: Some(1) },
                    nullable: false,
                },
            },
        }
    }

    /// Bytes of a fixed cell, or of the values of others.
    pub fn size(&self) -> usize {
        self.kind.size * self.kind.values.unwrap_or(1)
    }
}

impl RandomQuery {
    pub fn random(random: &mut Random, scenario: &Scenario) -> RandomQuery {
        let window = any_window(random);
        let layout = random.next() % 4;
        let several = random.one_in(3) && layout != 2;
        let nothing = !scenario.dense && random.one_in(6);
        let ranges: Vec<Vec<(i64, i64)>> = scenario
            .dimensions
            .iter()
            .map(|&(high, _)| if nothing { Vec::new() } else { ranges(random, high, if several { 4 } else { 1 }) })
            .collect();
        let dimensions = scenario.dimensions.len();
        // Schemas are younger than the cells: an end in the past gives the first one.
        let present = scenario.present(if window.1.is_some() { 0 } else { usize::MAX });
        let there: Vec<usize> = (0..dimensions + present.len())
            .filter(|&place| place < dimensions || present[place - dimensions])
            .collect();
        let mut fields: Vec<usize> = there.iter().copied().filter(|_| !random.one_in(3)).collect();
        if fields.is_empty() {
            fields.push(dimensions);
        }
        if !scenario.dense && random.one_in(12) {
            fields.push(dimensions + present.len());
        }
        let mut aggregates = Vec::new();
        if random.one_in(3) {
            aggregates = pick(random, scenario, &there);
            if random.one_in(2) {
                fields.clear();
            }
        }
        let tight = random.one_in(3);
        let rooms = fields.iter().map(|&place| room(random, &Field::of(scenario, place), tight)).collect();
        RandomQuery {
            layout,
            window,
            before: random.one_in(6).then(|| any_window(random)),
            fields,
            ranges,
            condition: random.one_in(2).then(|| scenario.tree(random, 3)),
            rooms,
            tight,
            config: if random.one_in(4) { budgets(random) } else { Vec::new() },
            aggregates,
        }
    }
}

fn any_window(random: &mut Random) -> Window {
    let all = (None, None);
    *random.pick(&[all, all, (None, Some(20)), (Some(15), None), (Some(15), Some(40)), (None, Some(35))])
}

/// Up to `most` ranges, sorted or not, some over one another.
fn ranges(random: &mut Random, high: i64, most: i64) -> Vec<(i64, i64)> {
    if random.one_in(3) {
        return vec![(1, high)];
    }
    let mut ranges: Vec<(i64, i64)> = (0..random.between(1, most))
        .map(|_| {
            let low = random.between(1, high);
            (low, if random.one_in(4) { low } else { random.between(low, high) })
        })
        .collect();
    if random.one_in(2) {
        ranges.sort_unstable();
    }
    if random.one_in(2) {
        // Cut off what overlaps.
        ranges.sort_unstable();
        let mut end = i64::MIN;
        ranges.retain(|&(low, high)| {
            let apart = low > end;
            end = if apart { high } else { end };
            apart
        });
    }
    ranges
}

/// Any of a field's buffers may be the smallest.
fn room(random: &mut Random, field: &Field, tight: bool) -> Room {
    let mut cells = |most: i64| if tight { random.between(1, most) as usize } else { 4000 };
    let values = cells(30);
    let data = match field.kind.values {
        Some(count) => values * count,
        None => values * 5,
    };
    Room { data: data * field.kind.size, offsets: cells(30), validity: cells(30) }
}

/// Little memory, in one way or several.
fn budgets(random: &mut Random) -> Vec<(&'static str, String)> {
    let names = ["sm.mem.total_budget", "sm.memory_budget", "sm.memory_budget_var", "sm.mem.tile_upper_memory_limit"];
    let mut config: Vec<(&str, String)> = Vec::new();
    for name in names {
        if random.one_in(2) {
            let least = if name == names[0] { 4 } else { 1 };
            let size = 10u64.pow(random.between(least, 7) as u32) * random.between(1, 9) as u64;
            config.push((name, size.to_string()));
        }
    }
    config
}

/// Some aggregates that the array allows.
fn pick(random: &mut Random, scenario: &Scenario, places: &[usize]) -> Vec<Aggregate> {
    let mut aggregates: Vec<Aggregate> = if random.one_in(2) { vec![None] } else { Vec::new() };
    for &place in places {
        let Field { kind, nullable, .. } = Field::of(scenario, place);
        for operator in OPERATORS {
            let number = matches!(kind.number, 0..=3 | 5..=10 | 18..=39) && kind.values == Some(1);
            let fits = match operator {
                "null_count" => nullable,
                "min" | "max" => kind.number == 11 || number,
                _ => number,
            };
            if fits && random.one_in(3) {
                aggregates.push(Some((operator, place)));
            }
        }
    }
    if aggregates.is_empty() { vec![None] } else { aggregates }
}
