//! What was written, and what a read may return.
//!
//! A write or delete takes effect at one step, when its commit appears in the storage. A reader that opens the array sees every one that took
//! effect before, none that took effect after it was open, and of those in between any.

use std::collections::{BTreeMap, BTreeSet};

use super::array::{Cell, Deletes, FILL, Shape};

/// A change of the array.
#[derive(Clone, Debug)]
pub struct Event {
    /// When its commit appeared.
    pub step: u64,
    /// When a crash removed it again.
    pub undone: Option<u64>,
    pub time: u64,
    /// The commit.
    pub path: String,
    /// Fragments with later cells may have been merged before: in dense arrays they supersede these cells, or not.
    pub is_late: bool,
    pub change: Change,
}

#[derive(Clone, Debug)]
pub enum Change {
    Write(Vec<Cell>),
    Delete(Deletes),
    Put(&'static str, Option<i32>),
}

/// A read that is judged.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Steps at which opening began and ended.
    pub opening: (u64, u64),
    /// The time of the snapshot.
    pub end: u64,
    /// A consolidation may have been about to hide merged fragments: cells of arrays with duplicates may appear twice.
    pub may_be_doubled: bool,
    /// There are later cells, and fragments were merged: those of dense arrays are visible completely or not at all.
    pub is_past: bool,
}

#[derive(Default)]
pub struct Ledger {
    pub events: Vec<Event>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Visible {
    Yes,
    No,
    Perhaps,
}

impl Ledger {
    fn visible(&self, event: &Event, window: &Window) -> Visible {
        let (begin, end) = window.opening;
        match event.undone {
            _ if event.time > window.end || event.step > end => Visible::No,
            Some(undone) if undone <= begin => Visible::No,
            Some(_) => Visible::Perhaps,
            None if event.step <= begin => Visible::Yes,
            None => Visible::Perhaps,
        }
    }

    /// Compares what was read with what it may be.
    pub fn check(&self, shape: &Shape, window: &Window, cells: &[Cell]) -> Result<(), String> {
        let mut written: BTreeMap<[u8; 2], Vec<(u64, Cell, Visible)>> = BTreeMap::new();
        let mut late: BTreeSet<i32> = BTreeSet::new();
        let mut deletes: Vec<(u64, Deletes, Visible)> = Vec::new();
        for event in &self.events {
            let visible = self.visible(event, window);
            match &event.change {
                _ if visible == Visible::No => (),
                Change::Write(cells) => {
                    for cell in cells {
                        if shape.is_dense && event.is_late {
                            late.insert(cell.number);
                        }
                        written.entry(cell.at).or_default().push((event.time, *cell, visible));
                    }
                }
                Change::Delete(condition) => deletes.push((event.time, *condition, visible)),
                Change::Put(..) => (),
            }
        }
        // Deleted at most, and at least.
        let is_deleted = |time: u64, cell: &Cell| {
            let mut deletes = deletes.iter().filter(|(at, condition, _)| *at >= time && condition.has(cell.number));
            let certainly = deletes.clone().any(|(_, _, visible)| *visible == Visible::Yes);
            if certainly {
                Visible::Yes
            } else if deletes.next().is_some() {
                Visible::Perhaps
            } else {
                Visible::No
            }
        };
        let mut returned: BTreeMap<[u8; 2], Vec<Cell>> = BTreeMap::new();
        for cell in cells {
            returned.entry(cell.at).or_default().push(*cell);
        }
        for place in shape.places() {
            let mut versions = written.remove(&place).unwrap_or_default();
            if shape.is_dense && window.is_past {
                versions.iter_mut().for_each(|version| version.2 = Visible::Perhaps);
            }
            let here = returned.remove(&place).unwrap_or_default();
            let is_certain = |(_, _, visible): &&(u64, Cell, Visible)| *visible == Visible::Yes;
            // Fill values of a merged fragment hide late cells.
            let is_late = |version: &&(u64, Cell, Visible)| late.contains(&version.1.number);
            let mut certain = versions.iter().filter(is_certain).filter(|version| !is_late(version)).peekable();
            let is_written = certain.peek().is_some();
            // Versions that no certain one supersedes.
            let supersedes = |(time, cell, _): &(u64, Cell, Visible), other: &(u64, Cell, Visible)| {
                *time > other.0 && !late.contains(&cell.number) && !late.contains(&other.1.number)
            };
            let is_latest = |version: &&(u64, Cell, Visible)| {
                shape.allows_dups || !versions.iter().filter(is_certain).any(|other| supersedes(other, version))
            };
            let latest = || versions.iter().filter(is_latest);
            for (at, cell) in here.iter().enumerate() {
                let repeats = here[..at].contains(cell);
                if repeats && !window.may_be_doubled || here.len() > 1 && !shape.allows_dups {
                    return Err(format!("{here:?} are returned of {place:?}"));
                }
                if cell.number == FILL && shape.is_dense {
                    if is_written {
                        return Err(format!("a fill value is returned of {place:?}, which has {versions:?}"));
                    }
                    continue;
                }
                let Some(version) = versions.iter().find(|(_, version, _)| version == cell) else {
                    return Err(format!("{cell:?} is returned, which is not visible"));
                };
                if !latest().any(|(_, latest, _)| latest == cell) {
                    return Err(format!("{cell:?} is returned, which one of {versions:?} supersedes"));
                }
                if is_deleted(version.0, cell) == Visible::Yes {
                    return Err(format!("{cell:?} is returned, which is deleted"));
                }
            }
            if shape.is_dense && here.len() != 1 {
                return Err(format!("{here:?} are returned of {place:?}"));
            }
            if shape.allows_dups {
                let is_missing = |(time, cell, visible): &&(u64, Cell, Visible)| {
                    *visible == Visible::Yes && is_deleted(*time, cell) == Visible::No && !here.contains(cell)
                };
                if let Some((_, cell, _)) = versions.iter().find(is_missing) {
                    return Err(format!("{cell:?} is missing"));
                }
            } else if here.is_empty()
                && is_written
                && latest().all(|(time, cell, _)| is_deleted(*time, cell) == Visible::No)
            {
                return Err(format!("none of {versions:?} is returned"));
            }
        }
        match returned.into_values().next() {
            Some(cells) => Err(format!("{cells:?} lie outside of the domain")),
            None => Ok(()),
        }
    }

    /// Compares metadata that was read with what it may be: of each key the last change, of several at one time any.
    pub fn check_metadata(&self, window: &Window, entries: &BTreeMap<String, i32>) -> Result<(), String> {
        for key in ["a", "b", "c"] {
            let changes = self.events.iter().filter_map(|event| match &event.change {
                Change::Put(other, value) if *other == key => Some((event, *value, self.visible(event, window))),
                _ => None,
            });
            let changes: Vec<_> = changes.filter(|(_, _, visible)| *visible != Visible::No).collect();
            // Merged metadata is older than what was put late.
            let certain = |(event, _, visible): &&(&Event, Option<i32>, Visible)| {
                *visible == Visible::Yes && !event.is_late && !window.is_past
            };
            let newest = changes.iter().filter(certain).map(|change| change.0.time).max();
            let is_last = |event: &Event| event.is_late || newest.is_none_or(|time| event.time >= time);
            let mut last = changes.iter().filter(|(event, _, _)| is_last(event));
            let value = entries.get(key).copied();
            let is_never_put = value.is_none() && newest.is_none();
            if !is_never_put && !last.any(|(_, other, _)| *other == value) {
                return Err(format!("metadata '{key}' is {value:?}, of {changes:?}"));
            }
        }
        Ok(())
    }

    /// Whether cells of several writes have equal coordinates and times.
    pub fn has_ties(&self) -> bool {
        let mut seen = BTreeSet::new();
        let writes = self.events.iter().filter_map(|event| match &event.change {
            Change::Write(cells) => Some((event.time, cells)),
            _ => None,
        });
        writes.into_iter().any(|(time, cells)| {
            let places: BTreeSet<_> = cells.iter().map(|cell| (time, cell.at)).collect();
            let repeats = places.iter().any(|place| seen.contains(place));
            seen.extend(places);
            repeats
        })
    }

    /// The greatest time of all writes and deletes.
    pub fn newest(&self) -> u64 {
        self.events.iter().map(|event| event.time).max().unwrap_or(0)
    }

    /// Marks what a crash removed.
    pub fn undo(&mut self, step: u64, paths: &[String]) {
        for event in self.events.iter_mut().filter(|event| event.step <= step && event.undone.is_none()) {
            event.undone = paths.contains(&event.path).then_some(step);
        }
    }
}
