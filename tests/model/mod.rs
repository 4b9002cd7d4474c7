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
    /// The attributes afterwards. Several alternatives if the evolutions of two actors overlap: the later one is based on the schema
    /// before the other, or after it (measured).
    Evolve(Vec<Vec<usize>>),
    /// The current domain: the lowest and the highest coordinate of each dimension.
    Expand(Vec<(u8, u8)>),
    /// Metadata of the array, or a member of a group: a key and its value, `None` if it is removed.
    Put(String, Option<Vec<u8>>),
}

/// The steps between which a reader lists what the array has, of a clock that all actors share.
pub type Opening = (u64, u64);

/// A reader that opens the array after everything.
pub const AFTER_ALL: Opening = (u64::MAX, u64::MAX);

/// Whether a reader sees a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Present,
    /// It takes effect, or is undone, while the reader lists the array: as a whole, or not.
    Uncertain,
    Absent,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub time: u64,
    pub change: Change,
    /// The step at which it can be seen by some, and that at which it is by all. An operation that runs or was killed has no last one until
    /// somebody has seen what it did.
    pub appears: (u64, u64),
    /// The step at which a crash or its own failure removed it.
    pub undone: Option<u64>,
    /// What is later was merged before: it may be superseded by that, or not.
    pub is_late: bool,
}

impl Event {
    pub fn certainty(&self, (begin, end): Opening) -> Certainty {
        match self.undone {
            _ if self.appears.0 > end => Certainty::Absent,
            Some(undone) if undone <= begin => Certainty::Absent,
            None if self.appears.1 <= begin => Certainty::Present,
            _ => Certainty::Uncertain,
        }
    }
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
    /// Cells of arrays with duplicates may be returned twice: merged fragments and the new one are visible.
    pub may_be_doubled: bool,
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
        Model { kind, highest, fills, created, events: Vec::new(), horizons, may_be_doubled: false }
    }

    /// Records a change that everyone sees; its number.
    pub fn record(&mut self, time: u64, change: Change) -> usize {
        // The file of merged metadata has the place of the first of them.
        let is_late = matches!(change, Change::Put(..)) && time <= self.horizons.merged_entries;
        self.events.push(Event { time, change, appears: (0, 0), undone: None, is_late });
        self.events.len() - 1
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
        let schemas: Vec<(u64, &Vec<usize>)> = self
            .events
            .iter()
            .flat_map(|event| event.change.schemas().iter().map(|schema| (event.time, schema)))
            .collect();
        let had = |attribute: &usize, time: u64| {
            *attribute < self.created || schemas.iter().any(|(at, schema)| *at <= time && schema.contains(attribute))
        };
        let is_dropped = |attribute: &usize| {
            schemas.iter().any(|(time, schema)| !schema.contains(attribute) && had(attribute, *time))
        };
        self.horizons.lost = (0..self.fills.len()).filter(is_dropped).collect();
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

    /// The number of cells that all writes together have written.
    pub fn written_cells(&self) -> usize {
        let cells = |event: &Event| if let Change::Write { cells, .. } = &event.change { cells.len() } else { 0 };
        self.events.iter().map(cells).sum()
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

    /// The array with all that a reader who opens it then sees for certain.
    pub fn view(&self, opening: Opening) -> View<'_> {
        View::new(self, opening, &|_| false)
    }

    /// All schemas that the array has at some step between two, of any time.
    pub fn schemas_of(&self, opening: Opening) -> Vec<Vec<usize>> {
        let uncertain = self.events.iter().filter(|event| event.certainty(opening) == Certainty::Uncertain);
        let later = uncertain.flat_map(|event| event.change.schemas().to_vec());
        self.view(opening).schemas(u64::MAX).into_iter().chain(later).collect()
    }

    /// Judges the result of a read: it has to be that of some choice of the uncertain events. Of many only the choices that take a number
    /// of the first ones, as one listing does.
    ///
    /// # Errors
    /// Describes the difference.
    pub fn judge(&self, opening: Opening, check: impl Fn(&View<'_>) -> Result<(), String>) -> Result<(), String> {
        let is_uncertain = |event: &&Event| event.certainty(opening) == Certainty::Uncertain;
        let count = self.events.iter().filter(is_uncertain).count();
        let mut difference = Ok(());
        for number in (0..=count).rev() {
            match check(&View::new(self, opening, &|position| position < number)) {
                Ok(()) => return Ok(()),
                text => difference = difference.and(text),
            }
        }
        let choices = if count > 8 { 0 } else { 1u32 << count };
        let is_allowed =
            |choice: u32| check(&View::new(self, opening, &|position| choice >> position & 1 == 1)).is_ok();
        if (0..choices).any(is_allowed) { Ok(()) } else { difference }
    }
}

impl Change {
    fn schemas(&self) -> &[Vec<usize>] {
        if let Change::Evolve(schemas) = self { schemas } else { &[] }
    }
}

/// An event that put an entry, or removed it.
type EntryChange<'a> = (&'a Event, Option<&'a Vec<u8>>);

/// An array with a choice which of its uncertain events took effect.
pub struct View<'a> {
    pub model: &'a Model,
    events: Vec<&'a Event>,
}

impl<'a> View<'a> {
    fn new(model: &'a Model, opening: Opening, choice: &dyn Fn(usize) -> bool) -> View<'a> {
        let mut position = 0;
        let is_present = |event: &&Event| match event.certainty(opening) {
            Certainty::Present => true,
            Certainty::Absent => false,
            Certainty::Uncertain => {
                position += 1;
                choice(position - 1)
            }
        };
        View { model, events: model.events.iter().filter(is_present).collect() }
    }

    fn events(&self) -> impl Iterator<Item = &'a Event> + Clone {
        self.events.iter().copied()
    }

    /// The attributes that the schema of a window can have: those of the last evolution until its end, of several at one time of any
    /// (measured).
    pub fn schemas(&self, end: u64) -> Vec<Vec<usize>> {
        let evolutions = self.events().filter(|event| event.time <= end && !event.change.schemas().is_empty());
        let time = evolutions.clone().map(|event| event.time).max();
        let last =
            evolutions.filter(|event| Some(event.time) == time).flat_map(|event| event.change.schemas().to_vec());
        if time.is_none() { vec![(0..self.model.created).collect()] } else { last.collect() }
    }

    /// The attributes of the schema of a window, which has one.
    pub fn attributes(&self, end: u64) -> Vec<usize> {
        self.schemas(end).pop().unwrap_or_default()
    }

    /// Compares the attributes of a schema with those that it can have, in any order.
    ///
    /// # Errors
    /// Describes the difference.
    pub fn check_schema(&self, end: u64, attributes: &[usize]) -> Result<(), String> {
        let is_same = |schema: &Vec<usize>| {
            schema.len() == attributes.len() && attributes.iter().all(|attribute| schema.contains(attribute))
        };
        let schemas = self.schemas(end);
        if schemas.iter().any(is_same) {
            Ok(())
        } else {
            Err(format!("the schema has {attributes:?}, not {schemas:?}"))
        }
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
        let forgotten = self.model.horizons.forgotten_entries;
        if forgotten > 0 && (window.0 > 0 || window.1 < forgotten) {
            return Ok(());
        }
        let mut changes: BTreeMap<&String, Vec<EntryChange<'_>>> = BTreeMap::new();
        for event in self.events().filter(|event| (window.0..=window.1).contains(&event.time)) {
            if let Change::Put(key, value) = &event.change {
                changes.entry(key).or_default().push((event, value.as_ref()));
            }
        }
        let unknown = entries.keys().find(|key| !changes.contains_key(key));
        if let Some(key) = unknown {
            return Err(format!("{key} was not put"));
        }
        for (key, changes) in changes {
            let value = entries.get(key);
            let last = changes.iter().filter(|(event, _)| !event.is_late).map(|(event, _)| event.time).max();
            let is_last = |event: &Event| event.is_late || Some(event.time) == last;
            let is_allowed = changes.iter().any(|(event, other)| is_last(event) && *other == value);
            if !is_allowed && (last.is_some() || value.is_some()) {
                return Err(format!("{key} is {value:?}, of {changes:?}"));
            }
        }
        Ok(())
    }
}
