//! The cells that a read returns.

use std::collections::BTreeMap;

use super::condition::Condition;
use super::value::Value;
use super::{ALWAYS, ArrayKind, Cell, Change, View, Window};

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

/// A cell with the time at which it was written.
type Version<'a> = (u64, &'a Cell);

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
            cells.iter().map(|cell| (event.time, cell))
        })
    }

    /// Guide: a delete applies to cells written at its time and before, if its time is in the window.
    fn is_deleted(&self, (time, cell): Version<'_>, end: u64) -> bool {
        let deletes = self.events().filter(|event| time <= event.time && event.time <= end);
        deletes
            .filter_map(|event| if let Change::Delete(by) = &event.change { Some(by) } else { None })
            .any(|by| by.deletes(cell))
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

    /// Compares the rows of a read with what it has to return, in any order.
    ///
    /// # Errors
    /// Describes the first difference.
    pub fn check(&self, selection: &Selection, rows: &[Cell]) -> Result<(), String> {
        match self.model.kind {
            ArrayKind::Sparse { dups } => self.check_sparse(selection, rows, dups),
            ArrayKind::Dense => self.check_dense(selection, rows),
        }
    }

    fn check_sparse(&self, selection: &Selection, rows: &[Cell], dups: bool) -> Result<(), String> {
        let (window, end) = (selection.window, selection.window.1);
        let attributes = self.attributes(end);
        let inside: Vec<Version<'_>> =
            self.versions(window).filter(|version| selection.is_inside(&version.1.at)).collect();
        let is_shown = |version: &Version<'_>| {
            self.selects(selection.condition.as_ref(), version.1) && !self.is_deleted(*version, end)
        };
        for (number, row) in rows.iter().enumerate() {
            if rows[..number].iter().any(|other| other.values.get(&0) == row.values.get(&0)) {
                return Err(format!("{row:?} is returned twice"));
            }
            if !inside.iter().any(|version| self.is_row(row, version.1, &attributes) && is_shown(version)) {
                return Err(format!("{row:?} is deleted, or no cell that the read selects"));
            }
        }
        if !self.model.is_determined(window) {
            return Ok(());
        }
        let is_returned = |version: &Version<'_>| rows.iter().any(|row| self.is_row(row, version.1, &attributes));
        if dups {
            let missing = inside.iter().find(|version| is_shown(version) && !is_returned(version));
            return missing.map_or(Ok(()), |version| Err(format!("{version:?} is missing")));
        }
        for (at, versions) in latest(inside.into_iter()) {
            let mut returned = rows.iter().filter(|row| row.at == at);
            match (returned.next(), returned.next()) {
                (Some(_), Some(_)) => return Err(format!("two cells are returned of {at:?}")),
                (Some(row), None) if !versions.iter().any(|version| self.is_row(row, version.1, &attributes)) => {
                    return Err(format!("{row:?} is superseded by {versions:?}"));
                }
                (None, _) if versions.iter().all(is_shown) => return Err(format!("none of {versions:?} is returned")),
                _ => {}
            }
        }
        Ok(())
    }

    /// Guide: each cell of the ranges has the values of the latest fragment that contains it, or the fill values. Measured: so do
    /// cells that do not meet a condition.
    fn check_dense(&self, selection: &Selection, rows: &[Cell]) -> Result<(), String> {
        let (window, condition) = (selection.window, selection.condition.as_ref());
        let attributes = self.attributes(window.1);
        let empty = |at: &[u8]| Cell { at: at.to_vec(), values: BTreeMap::new() };
        let is_determined = self.model.is_determined(window);
        let domain = self.current_domain(window.1);
        let is_inside = |at: &Vec<u8>| {
            selection.is_inside(at) && at.iter().zip(&domain).all(|(at, (low, high))| (low..=high).contains(&at))
        };
        let mut versions = match is_determined {
            true => latest(self.versions(window)),
            false => all(self.versions(ALWAYS).filter(|version| (window.0..=window.1).contains(&version.0))),
        };
        let mut number = 0;
        for row in rows {
            number += 1;
            if !is_inside(&row.at) || rows[..number - 1].iter().any(|other| other.at == row.at) {
                return Err(format!("{:?} is returned twice, or outside of the ranges", row.at));
            }
            let versions = versions.remove(&row.at).unwrap_or_default();
            let of_version = |version: &Version<'_>| match self.selects(condition, version.1) {
                true => self.is_row(row, version.1, &attributes),
                false => self.is_row(row, &empty(&row.at), &attributes),
            };
            let is_unwritten =
                (versions.is_empty() || !is_determined) && self.is_row(row, &empty(&row.at), &attributes);
            if !is_unwritten && !versions.iter().any(of_version) {
                return Err(format!("{row:?} is none of {versions:?}"));
            }
        }
        let expected = places(&self.model.highest).into_iter().filter(is_inside).count();
        if number == expected { Ok(()) } else { Err(format!("{number} cells instead of {expected}")) }
    }
}

/// Versions by coordinates.
fn all<'a>(versions: impl Iterator<Item = Version<'a>>) -> BTreeMap<Vec<u8>, Vec<Version<'a>>> {
    let mut places: BTreeMap<Vec<u8>, Vec<Version<'a>>> = BTreeMap::new();
    versions.for_each(|version| places.entry(version.1.at.clone()).or_default().push(version));
    places
}

/// The latest versions by coordinates; of several written at one time any supersedes the others.
fn latest<'a>(versions: impl Iterator<Item = Version<'a>>) -> BTreeMap<Vec<u8>, Vec<Version<'a>>> {
    let mut places = all(versions);
    for versions in places.values_mut() {
        let time = versions.iter().map(|version| version.0).max();
        versions.retain(|version| Some(version.0) == time);
    }
    places
}

/// All coordinates of a domain, in row order.
pub fn places(highest: &[u8]) -> Vec<Vec<u8>> {
    highest.iter().fold(vec![Vec::new()], |places, highest| {
        let extended = |place: Vec<u8>| (0..=*highest).map(move |at| [&place[..], &[at]].concat());
        places.into_iter().flat_map(extended).collect()
    })
}
