//! What an array is: a list of events, of which every read is a function. Shares no code, and so no mistake, with the engine.
//!
//! - Coordinates are small numbers, whatever the datatype of a dimension: only their order and their tiles matter.
//! - The first attribute of an array identifies a cell: no two cells have the same value of it.
//! - All enumerated attributes of an array have the same enumeration.
//!
//! Each rule names its source: `docs/format.md` ("format", with the section), `docs/concepts.md` ("concepts"), `measure_rules.py` of the
//! simulation ("measured"), or a row of `docs/differences.md` ("difference", with its letter). `docs/model.md` lists all of them.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its part")]
#![allow(clippy::missing_errors_doc, reason = "an error describes the first difference")]

pub mod aggregate;
pub mod cells;
pub mod condition;
pub mod maintenance;
pub mod metadata;
pub mod order;
pub mod schema;
pub mod value;

use std::collections::BTreeMap;
use std::sync::Arc;

use condition::Condition;
use maintenance::Merge;
use schema::Schema;
use value::Value;

/// Milliseconds; both ends of a window belong to it.
pub type Window = (u64, u64);

pub const ALWAYS: Window = (0, u64::MAX);

/// A cell of an array, or of the result of a read.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// A coordinate for each dimension.
    pub at: Vec<u8>,
    /// Values by the number of the attribute. A written cell has one for each attribute of the schema that was the newest when it was written.
    pub values: BTreeMap<usize, Value>,
}

/// All cells of the current domain of a dense array have values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArrayKind {
    Sparse {
        dups: bool,
    },
    #[default]
    Dense,
}

/// What happened to an array or a group.
#[derive(Clone, Debug)]
pub enum Change {
    /// The cells of one fragment.
    Write(Vec<Cell>),
    /// Compares with values that the enumeration has at the time: others delete nothing (difference d).
    Delete(Condition),
    /// The schema afterwards. Several alternatives if the evolutions of two processes overlap: the later one is based on the schema
    /// before the other, or after it (format, "Schema").
    Evolve(Vec<Schema>),
    /// Metadata of the array, or a member of a group: a key and its value, `None` if it is removed.
    Put(String, Option<Vec<u8>>),
}

/// A change as of a time.
#[derive(Debug)]
pub struct Event {
    pub time: u64,
    pub change: Change,
    /// What is later was merged before: it may be superseded by that, or not.
    pub is_late: bool,
    /// The name of its file, unless files of its time may have been merged before: then it does not decide.
    pub name: Option<String>,
}

impl Event {
    fn cells(&self) -> &[Cell] {
        if let Change::Write(cells) = &self.change { cells } else { &[] }
    }

    fn schemas(&self) -> &[Schema] {
        if let Change::Evolve(schemas) = &self.change { schemas } else { &[] }
    }
}

/// An array, or a group.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub kind: ArrayKind,
    /// What it was created with.
    pub schema: Schema,
    /// The fill value of each attribute that the array has at any time: of cells that lack the attribute, and of dense cells that
    /// were not written.
    pub fills: Vec<Value>,
    pub events: Vec<Arc<Event>>,
    pub merged: Merge,
    pub merged_entries: Merge,
    /// Cells that were deleted until this time were purged: reads of earlier times may lack them, and what they superseded.
    pub purged: u64,
    /// Attributes whose values may be gone: they were dropped before fragments were merged.
    pub lost: Vec<usize>,
}

impl Model {
    /// The events in a window.
    fn during(&self, (start, end): Window) -> impl Iterator<Item = &Event> {
        self.events.iter().map(|event| &**event).filter(move |event| (start..=end).contains(&event.time))
    }
}

/// The latest of several versions of a thing, and whether there may be none: of one time that with the last name (difference b: in some
/// orders libtiledb shows another one), and late ones, since a merged file has the place of the first of its sources (measured). If the
/// window cuts merged files, any.
fn latest<T>(mut versions: Vec<(&Event, T)>, is_cut: bool) -> (Vec<(&Event, T)>, bool) {
    let time = versions.iter().filter(|(event, _)| !event.is_late).map(|(event, _)| event.time).max();
    versions.retain(|(event, _)| is_cut || event.is_late || Some(event.time) == time);
    let are_named = !is_cut && versions.iter().all(|(event, _)| !event.is_late && event.name.is_some());
    let last = versions.iter().map(|(event, _)| event.name.clone()).max().flatten();
    versions.retain(|(event, _)| !are_named || event.name == last);
    (versions, is_cut || time.is_none())
}
