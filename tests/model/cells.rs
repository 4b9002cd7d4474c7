//! The cells that a read returns.

use std::collections::{BTreeMap, BTreeSet};

use super::condition::Condition;
use super::value::Value;
use super::{ArrayKind, Cell, Change, View, Window};

/// What a read selects.
#[derive(Clone, Debug)]
pub struct Selection {
    pub window: Window,
    /// Disjoint ranges of coordinates by dimension; none for all.
    pub ranges: Vec<Vec<(u8, u8)>>,
    pub condition: Option<Condition>,
}

impl Selection {
    /// All cells of a window of an array with so many dimensions.
    pub fn all(dimensions: usize, window: Window) -> Selection {
        Selection { window, ranges: vec![Vec::new(); dimensions], condition: None }
    }

    fn is_inside(&self, at: &[u8]) -> bool {
        let within = |(ranges, at): (&Vec<(u8, u8)>, &u8)| {
            ranges.is_empty() || ranges.iter().any(|(low, high)| (low..=high).contains(&at))
        };
        self.ranges.iter().zip(at).all(within)
    }
}

/// A written cell.
#[derive(Clone, Debug)]
struct Version<'a> {
    time: u64,
    cell: &'a Cell,
    is_late: bool,
}

impl View<'_> {
    fn fill(&self, attribute: usize) -> Value {
        self.model.fills[attribute].clone()
    }

    /// The cells written in a window. Guide: the fragments with times inside of it.
    fn versions(&self, (start, end): Window) -> impl Iterator<Item = Version<'_>> {
        self.events().filter(move |event| (start..=end).contains(&event.time)).flat_map(|event| {
            let cells: &[Cell] = match &event.change {
                Change::Write { cells, .. } => cells,
                _ => &[],
            };
            cells.iter().map(|cell| Version { time: event.time, cell, is_late: event.is_late })
        })
    }

    /// Guide: a delete applies to cells written at its time and before, if its time is in the window.
    fn is_deleted(&self, version: &Version<'_>, end: u64) -> bool {
        let deletes = self.events().filter(|event| version.time <= event.time && event.time <= end);
        deletes
            .filter_map(|event| if let Change::Delete(by) = &event.change { Some(by) } else { None })
            .any(|by| by.deletes(version.cell))
    }

    /// Whether a read of a schema with these attributes returns a written cell so. Measured: attributes newer than the cell have the
    /// fill value, in results and in conditions; values of dropped attributes may be gone.
    fn is_row(&self, row: &Cell, cell: &Cell, attributes: &[usize]) -> bool {
        let is_value = |attribute: &usize| {
            let fill = self.fill(*attribute);
            let value = row.values.get(attribute);
            value == cell.values.get(attribute).or(Some(&fill))
                || self.model.is_lost(*attribute) && value == Some(&fill)
        };
        row.at == cell.at && row.values.len() == attributes.len() && attributes.iter().all(is_value)
    }

    fn selects(&self, condition: Option<&Condition>, cell: &Cell) -> bool {
        condition.is_none_or(|condition| condition.selects(cell, &|attribute| Some(self.fill(attribute))))
    }

    /// Compares the rows of a read of some attributes with what it has to return, in any order.
    ///
    /// # Errors
    /// Describes the first difference.
    pub fn check(&self, selection: &Selection, attributes: &[usize], rows: &[Cell]) -> Result<(), String> {
        match self.model.kind {
            ArrayKind::Sparse { .. } => self.check_sparse(selection, attributes, rows),
            ArrayKind::Dense => self.check_dense(selection, attributes, rows),
        }
    }

    fn check_sparse(&self, selection: &Selection, attributes: &[usize], rows: &[Cell]) -> Result<(), String> {
        let mut written = all(self.versions(selection.window).filter(|version| selection.is_inside(&version.cell.at)));
        let mut returned: BTreeMap<&[u8], Vec<&Cell>> = BTreeMap::new();
        rows.iter().for_each(|row| returned.entry(&row.at).or_default().push(row));
        for (at, rows) in returned {
            self.check_place(selection, attributes, written.remove(at).unwrap_or_default(), &rows)?;
        }
        written.into_values().try_for_each(|versions| self.check_place(selection, attributes, versions, &[]))
    }

    /// Compares what a read of a sparse array returns of a place with the versions of its cells.
    fn check_place(
        &self,
        selection: &Selection,
        attributes: &[usize],
        mut versions: Vec<Version<'_>>,
        rows: &[&Cell],
    ) -> Result<(), String> {
        let is_shown = |version: &Version<'_>| {
            self.selects(selection.condition.as_ref(), version.cell) && !self.is_deleted(version, selection.window.1)
        };
        for (number, row) in rows.iter().enumerate() {
            let is_repeated = rows[..number].iter().any(|other| other.values.get(&0) == row.values.get(&0));
            if is_repeated && !self.model.may_be_doubled {
                return Err(format!("{row:?} is returned twice"));
            }
            if !versions.iter().any(|version| self.is_row(row, version.cell, attributes) && is_shown(version)) {
                return Err(format!("{row:?} is deleted, or no cell that the read selects, of {versions:?}"));
            }
        }
        if !self.model.is_determined(selection.window) {
            return Ok(());
        }
        if self.model.kind == (ArrayKind::Sparse { dups: true }) {
            let is_returned = |version: &Version<'_>| rows.iter().any(|row| self.is_row(row, version.cell, attributes));
            let missing = versions.iter().find(|version| is_shown(version) && !is_returned(version));
            return missing.map_or(Ok(()), |version| Err(format!("{version:?} is missing")));
        }
        retain_latest(&mut versions);
        match rows {
            [_, _, ..] => Err(format!("two cells are returned of {:?}", rows[0].at)),
            [row] if !versions.iter().any(|version| self.is_row(row, version.cell, attributes)) => {
                Err(format!("{row:?} is superseded by {versions:?}"))
            }
            [] if versions.iter().all(is_shown) => Err(format!("none of {versions:?} is returned")),
            _ => Ok(()),
        }
    }

    /// Guide: each cell of the ranges has the values of the latest fragment that contains it, or the fill values. Measured: so do
    /// cells that do not meet a condition. An attribute that this fragment lacks has the fill value, however much of the tile the
    /// fragment covers; libtiledb reads an older value if it covers a part only.
    fn check_dense(&self, selection: &Selection, attributes: &[usize], rows: &[Cell]) -> Result<(), String> {
        let window = selection.window;
        let condition = selection.condition.as_ref();
        let empty = |at: &[u8]| Cell { at: at.to_vec(), values: BTreeMap::new() };
        let is_determined = self.model.is_determined(window);
        let domain = self.current_domain(window.1);
        let is_inside = |at: &Vec<u8>| {
            selection.is_inside(at) && at.iter().zip(&domain).all(|(at, (low, high))| (low..=high).contains(&at))
        };
        let mut written = all(self.versions(window));
        let mut read: BTreeSet<&[u8]> = BTreeSet::new();
        for row in rows {
            if !is_inside(&row.at) || !read.insert(&row.at) {
                return Err(format!("{:?} is returned twice, or outside of the ranges", row.at));
            }
            let mut versions = written.remove(&row.at).unwrap_or_default();
            if is_determined {
                retain_latest(&mut versions);
            }
            let of_version = |version: &Version<'_>| match self.selects(condition, version.cell) {
                true => self.is_row(row, version.cell, attributes),
                false => self.is_row(row, &empty(&row.at), attributes),
            };
            // The fill values of a merged fragment supersede late cells.
            let is_unwritten = !is_determined || versions.iter().all(|version| version.is_late);
            let is_fill = is_unwritten && self.is_row(row, &empty(&row.at), attributes);
            if !is_fill && !versions.iter().any(of_version) {
                return Err(format!("{row:?} is none of {versions:?}"));
            }
        }
        let expected = places(&self.model.highest).into_iter().filter(is_inside).count();
        if rows.len() == expected { Ok(()) } else { Err(format!("{} cells instead of {expected}", rows.len())) }
    }
}

/// Versions by coordinates.
fn all<'a>(versions: impl Iterator<Item = Version<'a>>) -> BTreeMap<Vec<u8>, Vec<Version<'a>>> {
    let mut places: BTreeMap<Vec<u8>, Vec<Version<'a>>> = BTreeMap::new();
    versions.for_each(|version| places.entry(version.cell.at.clone()).or_default().push(version));
    places
}

/// The latest versions of a cell, one of which supersedes the others: of several written at one time any, and late ones.
fn retain_latest(versions: &mut Vec<Version<'_>>) {
    let time = versions.iter().filter(|version| !version.is_late).map(|version| version.time).max();
    versions.retain(|version| version.is_late || Some(version.time) == time);
}

/// All coordinates of a domain, in row order.
pub fn places(highest: &[u8]) -> Vec<Vec<u8>> {
    highest.iter().fold(vec![Vec::new()], |places, highest| {
        let extended = |place: Vec<u8>| (0..=*highest).map(move |at| [&place[..], &[at]].concat());
        places.into_iter().flat_map(extended).collect()
    })
}
