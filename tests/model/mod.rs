//! What an array is: a list of events, of which every read is a function. Shares no code with the engine, so that a mistake of
//! one is not a mistake of the other.
//!
//! Coordinates are small numbers, whatever the datatype of a dimension: only their order and their tiles matter. The first
//! attribute of an array identifies a cell: no two cells have the same value of it.
//!
//! Sources of the rules: the format guide of libtiledb ("guide"), or measured with libtiledb 2.30 ("measured").
#![allow(dead_code, unreachable_pub, reason = "each test program uses its part")]

pub mod aggregate;
pub mod cells;
pub mod condition;
pub mod order;
pub mod value;

use std::collections::BTreeMap;

use condition::Condition;
use value::Value;

/// Milliseconds; both ends of a window belong to it.
pub type Window = (u64, u64);

/// All times.
pub const ALWAYS: Window = (0, u64::MAX);

/// A cell of an array, or of the result of a read.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// A coordinate for each dimension.
    pub at: Vec<u8>,
    /// Values by the number of the attribute. A written cell has one for each attribute of the schema that was the newest when it was written.
    pub values: BTreeMap<usize, Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayKind {
    Sparse {
        dups: bool,
    },
    /// All cells of the domain have values.
    Dense,
}

/// What happened to an array or a group.
#[derive(Clone, Debug)]
pub enum Change {
    /// Cells of one fragment, by the number of the actor that wrote them.
    Write {
        actor: usize,
        cells: Vec<Cell>,
    },
    Delete(Condition),
    AddAttribute(usize),
    DropAttribute(usize),
    /// The current domain: the lowest and the highest coordinate of each dimension.
    Expand(Vec<(u8, u8)>),
    /// Metadata of the array, or a member of a group: a key and its value, `None` if it is removed.
    Put(String, Option<Vec<u8>>),
}

/// Whether readers see a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Present,
    /// The operation runs or was killed: it took effect as a whole, or did not.
    Uncertain,
    Absent,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub time: u64,
    pub change: Change,
    pub certainty: Certainty,
}

/// All that is known of an array.
#[derive(Clone, Debug)]
pub struct Model {
    pub kind: ArrayKind,
    /// The highest coordinate of each dimension; the lowest is 0.
    pub highest: Vec<u8>,
    /// The fill value of each attribute that the array has at any time: of cells that lack the attribute, and of dense cells that
    /// were not written. Events have the numbers of the attributes.
    pub fills: Vec<Value>,
    /// Number of those that the array was created with.
    created: usize,
    pub events: Vec<Event>,
    horizons: Horizons,
}

/// What maintenance may have dropped of the past.
#[derive(Clone, Debug, Default)]
struct Horizons {
    /// Reads that end before this time may lack deleted cells, with those that they superseded: they were purged.
    purged: u64,
    /// Fragments were merged up to this time, and metadata.
    merged: u64,
    merged_entries: u64,
    /// Reads of dense arrays that do not see all times up to this one may lack cells: the fragments that had them were removed.
    forgotten: u64,
    /// The same of metadata.
    forgotten_entries: u64,
    /// Attributes whose values may be gone at all times: they were dropped before fragments were merged.
    lost: Vec<usize>,
}

impl Model {
    /// An array without events, created with the first `created` attributes.
    pub fn new(kind: ArrayKind, highest: Vec<u8>, fills: Vec<Value>, created: usize) -> Model {
        let horizons = Horizons::default();
        Model { kind, highest, fills, created, events: Vec::new(), horizons }
    }

    /// Records a change; its number.
    pub fn record(&mut self, time: u64, change: Change, certainty: Certainty) -> usize {
        self.events.push(Event { time, change, certainty });
        self.events.len() - 1
    }

    /// Records what became known of an uncertain event.
    pub fn settle(&mut self, event: usize, certainty: Certainty) {
        self.events[event].certainty = certainty;
    }

    /// The latest of the events that are of some kind.
    fn last(&self, is_kind: impl Fn(&Change) -> bool) -> u64 {
        let events = self.events.iter().filter(|event| is_kind(&event.change));
        events.map(|event| event.time).max().unwrap_or(0)
    }

    /// Fragments with times up to `until` are merged, from which deleted cells are dropped if `purges` is set.
    pub fn consolidate(&mut self, until: u64, purges: bool) {
        if purges {
            self.horizons.purged = self.last(|change| matches!(change, Change::Delete(_))).max(self.horizons.purged);
        }
        let written = self.last(|change| matches!(change, Change::Write { .. }));
        self.horizons.merged = written.min(until).max(self.horizons.merged);
    }

    /// Fragments that were merged are removed. Guide: a dense fragment is visible in windows that contain all of its times,
    /// while sparse cells retain their own; measured: values of dropped attributes are not merged.
    pub fn vacuum(&mut self) {
        self.horizons.forgotten = self.horizons.merged;
        self.forget_dropped();
    }

    /// Values of dropped attributes may be gone.
    pub fn forget_dropped(&mut self) {
        let current = View::new(self, 0).attributes(u64::MAX);
        self.horizons.lost.extend((0..self.fills.len()).filter(|attribute| !current.contains(attribute)));
    }

    /// Metadata files are merged.
    pub fn consolidate_entries(&mut self, until: u64) {
        let put = self.last(|change| matches!(change, Change::Put(..)));
        self.horizons.merged_entries = put.min(until).max(self.horizons.merged_entries);
    }

    /// Metadata files that were merged are removed.
    pub fn vacuum_entries(&mut self) {
        self.horizons.forgotten_entries = self.horizons.merged_entries;
    }

    /// Whether fragments were merged.
    pub fn has_merged(&self) -> bool {
        self.horizons.merged > 0
    }

    /// Whether the values of an attribute may be gone.
    pub fn is_lost(&self, attribute: usize) -> bool {
        self.horizons.lost.contains(&attribute)
    }

    /// Whether all cells of a window are determined.
    pub fn is_determined(&self, (start, end): Window) -> bool {
        let is_cut = self.kind == ArrayKind::Dense
            && self.horizons.forgotten > 0
            && (start > 0 || end < self.horizons.forgotten);
        end >= self.horizons.purged && !is_cut
    }

    /// The array for each choice of the uncertain events; at most 2^10 of them.
    pub fn views(&self) -> impl Iterator<Item = View<'_>> {
        let uncertain = self.events.iter().filter(|event| event.certainty == Certainty::Uncertain).count();
        (0..1u32 << uncertain.min(10)).map(|choice| View::new(self, choice))
    }

    /// Judges the result of a read: it has to be that of some choice of the uncertain events. The numbers of the uncertain events
    /// that it shows to be present.
    ///
    /// # Errors
    /// Describes the difference.
    pub fn judge(&self, check: impl Fn(&View<'_>) -> Result<(), String>) -> Result<Vec<usize>, String> {
        let mut difference = String::new();
        let mut visible: Option<Vec<usize>> = None;
        for view in self.views() {
            match check(&view) {
                Ok(()) => {
                    let chosen = view.chosen();
                    visible.get_or_insert_with(|| chosen.clone()).retain(|event| chosen.contains(event));
                }
                Err(text) => difference = text,
            }
        }
        visible.ok_or(difference)
    }
}

/// The time of the last changes of a key, and their values.
type LastValues<'a> = (u64, Vec<Option<&'a Vec<u8>>>);

/// An array with a choice which of its uncertain events took effect.
pub struct View<'a> {
    pub model: &'a Model,
    events: Vec<(usize, &'a Event)>,
}

impl View<'_> {
    fn new(model: &Model, choice: u32) -> View<'_> {
        let mut position = 0;
        let is_present = |(_, event): &(usize, &Event)| match event.certainty {
            Certainty::Present => true,
            Certainty::Absent => false,
            Certainty::Uncertain => {
                position += 1;
                choice >> (position - 1).min(31) & 1 == 1
            }
        };
        View { model, events: model.events.iter().enumerate().filter(is_present).collect() }
    }

    /// The uncertain events that took effect.
    fn chosen(&self) -> Vec<usize> {
        let uncertain = self.events.iter().filter(|(_, event)| event.certainty == Certainty::Uncertain);
        uncertain.map(|(number, _)| *number).collect()
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter().map(|(_, event)| *event)
    }

    /// The attributes of the schema of a window: that of the last evolution until its end (measured).
    pub fn attributes(&self, end: u64) -> Vec<usize> {
        let mut attributes: Vec<usize> = (0..self.model.created).collect();
        for event in self.events().filter(|event| event.time <= end) {
            match event.change {
                Change::AddAttribute(number) => attributes.push(number),
                Change::DropAttribute(number) => attributes.retain(|other| *other != number),
                _ => {}
            }
        }
        attributes
    }

    /// The current domain of the schema of a window, or the domain.
    pub fn current_domain(&self, end: u64) -> Vec<(u8, u8)> {
        let expansions = self.events().filter(|event| event.time <= end).filter_map(|event| match &event.change {
            Change::Expand(ranges) => Some(ranges.clone()),
            _ => None,
        });
        expansions.last().unwrap_or_else(|| self.model.highest.iter().map(|highest| (0, *highest)).collect())
    }

    /// Compares metadata or members with those that a window shows: of each key the last change inside the window, of several at
    /// one time any (guide).
    ///
    /// # Errors
    /// Describes the difference.
    pub fn check_entries(&self, window: Window, entries: &BTreeMap<String, Vec<u8>>) -> Result<(), String> {
        let mut last: BTreeMap<&String, LastValues<'_>> = BTreeMap::new();
        for event in self.events().filter(|event| (window.0..=window.1).contains(&event.time)) {
            let Change::Put(key, value) = &event.change else { continue };
            let (time, values) = last.entry(key).or_default();
            if event.time > *time {
                values.clear();
            }
            if event.time >= *time {
                *time = event.time;
                values.push(value.as_ref());
            }
        }
        let forgotten = self.model.horizons.forgotten_entries;
        if forgotten > 0 && (window.0 > 0 || window.1 < forgotten) {
            return Ok(());
        }
        let wrong = |(key, values): (&&String, &LastValues<'_>)| {
            let value = entries.get(*key);
            (!values.1.contains(&value)).then(|| format!("{key} is {value:?}, not one of {:?}", values.1))
        };
        if let Some(difference) = last.iter().find_map(wrong) {
            return Err(difference);
        }
        let unknown = entries.keys().find(|key| !last.contains_key(key));
        unknown.map_or(Ok(()), |key| Err(format!("{key} was not put")))
    }
}
