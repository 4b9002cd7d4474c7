//! The cells that a read returns.

use std::collections::BTreeMap;

use super::condition::Condition;
use super::value::Value;
use super::{ALWAYS, ArrayKind, Cell, Change, Event, Model, Window, latest};

/// What a read selects.
#[derive(Clone, Debug)]
pub struct Selection {
    pub window: Window,
    /// Disjoint ranges of coordinates by dimension; none for all.
    pub ranges: Vec<Vec<(u8, u8)>>,
    pub condition: Option<Condition>,
    /// Sparse reads in row or column order ignore the current domain where they have no ranges (measured, `differential_scenarios`).
    pub exceeds_domain: bool,
}

impl Selection {
    fn contains(&self, at: &[u8]) -> bool {
        let mut ranges = self.ranges.iter().zip(at);
        ranges.all(|(ranges, at)| ranges.is_empty() || ranges.iter().any(|(low, high)| (low..=high).contains(&at)))
    }
}

type Version<'a> = (&'a Event, &'a Cell);

/// What was written (an event and a cell of it) and read of a cell. A cell of a dense array exists without having been written.
#[derive(Debug, Default)]
struct Place<'a> {
    unwritten: Option<&'a Cell>,
    versions: Vec<Version<'a>>,
    rows: Vec<&'a Cell>,
}

impl Model {
    /// Compares the rows of a read of some attributes with what it has to return, in any order. The current domain is that of the end of
    /// the window, also for cells that were written before it expanded (measured).
    pub fn check(&self, selection: &Selection, attributes: &[usize], rows: &[Cell]) -> Result<(), String> {
        let domain = &self.schema(selection.window.1).domain;
        let filled = if self.kind == ArrayKind::Dense { places(domain) } else { Vec::new() };
        let filled: Vec<Cell> = filled.into_iter().map(|at| Cell { at, values: BTreeMap::new() }).collect();
        let mut places: BTreeMap<_, Place<'_>> = BTreeMap::new();
        filled.iter().for_each(|cell| places.entry(self.key(cell)).or_default().unwritten = Some(cell));
        rows.iter().for_each(|row| places.entry(self.key(row)).or_default().rows.push(row));
        for (event, cell) in self.during(ALWAYS).flat_map(|event| event.cells().iter().map(move |cell| (event, cell))) {
            places.entry(self.key(cell)).or_default().versions.push((event, cell));
        }
        for ((at, _), place) in places {
            let is_inside = selection.contains(at) && (selection.exceeds_domain || is_in_box(domain, at));
            let outcomes = if is_inside { self.outcomes(selection, &place) } else { vec![None] };
            let is_expected = outcomes.iter().any(|outcome| match (&place.rows[..], outcome) {
                ([row], Some(cell)) => self.is_row(row, cell, attributes),
                (rows, outcome) => rows.is_empty() && outcome.is_none(),
            });
            if !is_expected {
                return Err(format!("{at:?}: {place:?}, expected one of {outcomes:?}"));
            }
        }
        Ok(())
    }

    /// Cells of equal coordinates supersede each other, except in arrays with duplicates (concepts).
    fn key<'a>(&self, cell: &'a Cell) -> (&'a [u8], Option<&'a Value>) {
        (&cell.at, cell.values.get(&0).filter(|_| self.kind == ArrayKind::Sparse { dups: true }))
    }

    /// What a read may return of a cell of which one version supersedes the others: one of these, or nothing (format, "Time travel").
    /// Conditions and deletes apply to what is not superseded (measured).
    fn outcomes<'a>(&self, selection: &Selection, place: &Place<'a>) -> Vec<Option<&'a Cell>> {
        let (start, end) = selection.window;
        let visible =
            place.versions.iter().filter(|version| (start..=end).contains(&version.0.time)).copied().collect();
        let is_dense = place.unwritten.is_some();
        let (last, may_lack) = latest(visible, is_dense && self.merged.cuts(selection.window));
        let shown = |version: &Version<'a>| {
            let is_shown = self.selects(selection, version.1) && !self.is_deleted(*version, (0, end));
            if is_shown { Some(version.1) } else { place.unwritten }
        };
        let mut outcomes: Vec<Option<&Cell>> = last.iter().map(shown).collect();
        // A purged cell is gone with those that it superseded. Fill values of merged dense fragments supersede late cells.
        let is_purged = |other: &Version<'_>| {
            last.iter().any(|version| version.0.time <= other.0.time)
                && self.is_deleted(*other, (end.saturating_add(1), self.purged))
        };
        if last.is_empty() || may_lack && is_dense || place.versions.iter().any(is_purged) {
            outcomes.push(place.unwritten);
        }
        outcomes
    }

    /// Attributes newer than the cell are compared by their fill values, in all kinds of arrays (difference b, d).
    fn selects(&self, selection: &Selection, cell: &Cell) -> bool {
        let mut cell = cell.clone();
        self.fills.iter().enumerate().for_each(|(at, fill)| _ = cell.values.entry(at).or_insert_with(|| fill.clone()));
        let labels = &self.schema(selection.window.1).labels;
        selection.condition.as_ref().is_none_or(|condition| condition.selects(&cell, labels))
    }

    /// Whether a delete as of a time in a window deletes a cell, which then was written at its time or before (format, "Deletes").
    fn is_deleted(&self, (written, cell): Version<'_>, window: Window) -> bool {
        self.during(window).filter(|event| written.time <= event.time).any(|event| match &event.change {
            Change::Delete(condition) => condition.deletes(cell, &self.schema(event.time).labels),
            _ => false,
        })
    }

    /// Whether a row shows a written cell. Attributes newer than the cell have the fill value (format, "Schema"; of dense arrays also
    /// where an older fragment has a value, difference b), and those that maintenance has lost may.
    fn is_row(&self, row: &Cell, cell: &Cell, attributes: &[usize]) -> bool {
        let is_value = |attribute: &usize| {
            let (value, fill) = (row.values.get(attribute), self.fills.get(*attribute));
            value == cell.values.get(attribute).or(fill) || self.lost.contains(attribute) && value == fill
        };
        row.values.len() == attributes.len() && attributes.iter().all(is_value)
    }
}

pub fn is_in_box(ranges: &[(u8, u8)], at: &[u8]) -> bool {
    at.iter().zip(ranges).all(|(at, (low, high))| (low..=high).contains(&at))
}

/// All coordinates in a box, in row order.
pub fn places(ranges: &[(u8, u8)]) -> Vec<Vec<u8>> {
    ranges.iter().fold(vec![Vec::new()], |places, (low, high)| {
        let extended = |place: Vec<u8>| (*low..=*high).map(move |at| [&place[..], &[at]].concat());
        places.into_iter().flat_map(extended).collect()
    })
}
