//! What a sparse array contains: a list of all writes and deletes, of which every read is a filter.

use std::collections::BTreeMap;

use tiledb_array::condition::{Combination, Comparison, ComparisonOperator, Condition};

/// A cell. Its number identifies it, all other values can be equal to those of other cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    /// One coordinate for each dimension; arrays of one dimension have 0 as the other.
    pub(super) at: [u8; 2],
    pub(super) number: i32,
    pub(super) small: u8,
    pub(super) text: String,
    pub(super) nullable: Option<i32>,
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Number(ComparisonOperator, i32),
    Small(ComparisonOperator, u8),
    Text(ComparisonOperator, String),
    Nullable(ComparisonOperator, i32),
    Both(Box<Test>, Box<Test>),
    Either(Box<Test>, Box<Test>),
}

impl Test {
    /// Whether a condition selects a cell: true, false, or unknown since the cell is null.
    fn holds(&self, cell: &Cell) -> Option<bool> {
        let compare = |operator: &ComparisonOperator, order: std::cmp::Ordering| match operator {
            ComparisonOperator::Less => order.is_lt(),
            ComparisonOperator::LessOrEqual => order.is_le(),
            ComparisonOperator::Greater => order.is_gt(),
            ComparisonOperator::GreaterOrEqual => order.is_ge(),
            ComparisonOperator::Equal => order.is_eq(),
            _ => order.is_ne(),
        };
        match self {
            Test::Number(operator, value) => Some(compare(operator, cell.number.cmp(value))),
            Test::Small(operator, value) => Some(compare(operator, cell.small.cmp(value))),
            Test::Text(operator, value) => Some(compare(operator, cell.text.cmp(value))),
            Test::Nullable(operator, value) => Some(compare(operator, cell.nullable?.cmp(value))),
            Test::Both(left, right) => match (left.holds(cell), right.holds(cell)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (left, right) => Some(left? && right?),
            },
            Test::Either(left, right) => match (left.holds(cell), right.holds(cell)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (left, right) => Some(left? || right?),
            },
        }
    }

    /// Whether a query with this condition returns a cell.
    pub(super) fn selects(&self, cell: &Cell) -> bool {
        self.holds(cell) == Some(true)
    }

    /// Whether a delete with this condition deletes a cell. Cells that meet the negation remain, so that those of which the
    /// condition is neither true nor false are deleted.
    fn deletes(&self, cell: &Cell) -> bool {
        self.holds(cell) != Some(false)
    }

    /// The condition as the engine has it.
    pub(super) fn condition(&self) -> Condition {
        let leaf = |name: &str, value: &[u8], operator: &ComparisonOperator| {
            Condition::new(Comparison::new(name, Some(value), *operator).unwrap())
        };
        match self {
            Test::Number(operator, value) => leaf("number", &value.to_le_bytes(), operator),
            Test::Small(operator, value) => leaf("small", &[*value], operator),
            Test::Text(operator, value) => leaf("text", value.as_bytes(), operator),
            Test::Nullable(operator, value) => leaf("nullable", &value.to_le_bytes(), operator),
            Test::Both(left, right) => left.condition().combine(&right.condition(), Combination::And),
            Test::Either(left, right) => left.condition().combine(&right.condition(), Combination::Or),
        }
    }
}

/// A read: what it selects.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    /// The times between which cells are read.
    pub(super) window: (u64, u64),
    /// Disjoint ranges of coordinates by dimension; none for all.
    pub(super) ranges: [Vec<(u8, u8)>; 2],
    pub(super) condition: Option<Test>,
}

impl Selection {
    /// All cells between two times.
    pub(super) fn all(window: (u64, u64)) -> Selection {
        Selection { window, ranges: [Vec::new(), Vec::new()], condition: None }
    }

    fn is_inside(&self, cell: &Cell) -> bool {
        let within = |(ranges, at): (&Vec<(u8, u8)>, &u8)| {
            ranges.is_empty() || ranges.iter().any(|(low, high)| (low..=high).contains(&at))
        };
        self.ranges.iter().zip(&cell.at).all(within)
    }
}

/// All that happened to an array.
pub(super) struct Model {
    pub(super) dups: bool,
    /// Cells with the times at which they were written.
    writes: Vec<(u64, Cell)>,
    /// Conditions with their times.
    deletes: Vec<(u64, Test)>,
    /// Of earlier times deleted cells may be gone, with those that they superseded.
    purged: u64,
}

impl Model {
    pub(super) fn new(dups: bool) -> Model {
        Model { dups, writes: Vec::new(), deletes: Vec::new(), purged: 0 }
    }

    pub(super) fn write(&mut self, time: u64, cells: &[Cell]) {
        self.writes.extend(cells.iter().map(|cell| (time, cell.clone())));
    }

    pub(super) fn delete(&mut self, time: u64, condition: &Test) {
        self.deletes.push((time, condition.clone()));
    }

    /// Records that deleted cells were dropped.
    pub(super) fn purge(&mut self) {
        self.purged = self.deletes.iter().map(|delete| delete.0).max().unwrap_or(0).max(self.purged);
    }

    /// The time from which on all reads are determined.
    pub(super) fn purged(&self) -> u64 {
        self.purged
    }

    fn is_deleted(&self, time: u64, cell: &Cell, end: u64) -> bool {
        let mut deletes = self.deletes.iter();
        deletes.any(|(at, condition)| time <= *at && *at <= end && condition.deletes(cell))
    }

    /// Compares the result of a read, in any order, with what it has to be.
    pub(super) fn check(&self, selection: &Selection, mut cells: Vec<Cell>) -> Result<(), String> {
        let (start, end) = selection.window;
        let of_window = || self.writes.iter().filter(|(time, _)| (start..=end).contains(time));
        let inside = || of_window().filter(|(_, cell)| selection.is_inside(cell));
        let is_shown = |(time, cell): &(u64, Cell)| {
            !self.is_deleted(*time, cell, end)
                && selection.condition.as_ref().is_none_or(|condition| condition.selects(cell))
        };
        cells.sort();
        if cells.windows(2).any(|pair| pair[0].number == pair[1].number) {
            return Err("a cell is returned twice".to_owned());
        }
        let unknown = cells.iter().find(|cell| !inside().any(|other| other.1 == **cell && is_shown(other)));
        if let Some(cell) = unknown {
            return Err(format!("{cell:?} is deleted, or no cell that the read selects"));
        }
        if end < self.purged {
            return Ok(());
        }
        if self.dups {
            let missing = inside().find(|cell| is_shown(cell) && !cells.contains(&cell.1));
            return missing.map_or(Ok(()), |cell| Err(format!("{cell:?} is missing")));
        }
        // The latest cells of each place; of several one supersedes the others.
        let mut latest: BTreeMap<[u8; 2], Vec<&(u64, Cell)>> = BTreeMap::new();
        for cell in inside() {
            let place = latest.entry(cell.1.at).or_default();
            match place.first().map_or(std::cmp::Ordering::Greater, |first| cell.0.cmp(&first.0)) {
                std::cmp::Ordering::Greater => *place = vec![cell],
                std::cmp::Ordering::Equal => place.push(cell),
                std::cmp::Ordering::Less => (),
            }
        }
        for (at, versions) in latest {
            let mut returned = cells.iter().filter(|cell| cell.at == at);
            match (returned.next(), returned.next()) {
                (Some(_), Some(_)) => return Err(format!("two cells are returned of {at:?}")),
                (Some(cell), None) if !versions.iter().any(|version| version.1 == *cell) => {
                    return Err(format!("{cell:?} is superseded by {versions:?}"));
                }
                (None, _) if versions.iter().all(|version| is_shown(version)) => {
                    return Err(format!("none of {versions:?} is returned"));
                }
                _ => (),
            }
        }
        Ok(())
    }
}
