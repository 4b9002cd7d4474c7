//! What happened to an array or a group, and who can see it.
//!
//! A change appears and is undone at steps of a clock that all processes share. For a reader that opens the array meanwhile it is
//! uncertain: present or absent as a whole.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::model::schema::Schema;
use super::model::{Change, Event, Model};

/// The steps between which a reader lists what the array has.
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

/// When a change can be seen.
#[derive(Clone, Copy, Debug)]
pub struct Visibility {
    /// The step at which it can be seen by some, and that at which it is by all. An operation that runs or was killed has no last one until
    /// somebody has seen what it did.
    pub appears: (u64, u64),
    /// The step at which a crash or its own failure removed it.
    pub undone: Option<u64>,
}

impl Visibility {
    fn certainty(&self, (begin, end): Opening) -> Certainty {
        match self.undone {
            _ if self.appears.0 > end => Certainty::Absent,
            Some(undone) if undone <= begin => Certainty::Absent,
            None if self.appears.1 <= begin => Certainty::Present,
            _ => Certainty::Uncertain,
        }
    }
}

/// A model with all changes, whether they are seen or not.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    model: Model,
    /// Of each event.
    pub visibility: Vec<Visibility>,
    /// Cells of arrays with duplicates may be returned twice: merged fragments and the new one are visible.
    pub may_be_doubled: bool,
}

impl Deref for Journal {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}

impl DerefMut for Journal {
    fn deref_mut(&mut self) -> &mut Model {
        &mut self.model
    }
}

impl Journal {
    pub fn new(model: Model) -> Journal {
        Journal { model, ..Journal::default() }
    }

    /// The same without the names that decide between changes of one time, as libtiledb reads an array with a file of consolidated
    /// commits: it orders the fragments that the file has before all others of their time (difference b).
    pub fn without_names(&self) -> Journal {
        let mut journal = self.clone();
        for event in &mut journal.model.events {
            let Event { time, change, is_late, .. } = &**event;
            *event = Arc::new(Event { time: *time, change: change.clone(), is_late: *is_late, name: None });
        }
        journal
    }

    /// Records a change that everyone sees.
    pub fn record(&mut self, time: u64, change: Change) {
        self.record_file(time, change, None);
    }

    /// As [`Journal::record`], of a file with a name, if that decides between changes of one time.
    pub fn record_file(&mut self, time: u64, change: Change, name: Option<String>) {
        // The file of merged metadata has the place of the first of them (measured).
        let is_late = matches!(change, Change::Put(..)) && time <= self.model.merged_entries.until;
        self.commit(Event { time, change, is_late, name }, 0);
    }

    /// Records a change that appears at a step; its number.
    pub fn commit(&mut self, event: Event, step: u64) -> usize {
        self.model.events.push(Arc::new(event));
        self.visibility.push(Visibility { appears: (step, step), undone: None });
        self.visibility.len() - 1
    }

    fn uncertain_count(&self, opening: Opening) -> usize {
        self.visibility.iter().filter(|visibility| visibility.certainty(opening) == Certainty::Uncertain).count()
    }

    /// The array with a choice which of its uncertain events took effect.
    fn choose(&self, opening: Opening, choice: &dyn Fn(usize) -> bool) -> Model {
        let mut number = 0;
        let mut view = self.model.clone();
        let mut visibility = self.visibility.iter();
        view.events.retain(|_| match visibility.next().map(|visibility| visibility.certainty(opening)) {
            Some(Certainty::Present) => true,
            Some(Certainty::Absent) | None => false,
            Some(Certainty::Uncertain) => {
                number += 1;
                choice(number - 1)
            }
        });
        view
    }

    /// The array with all that a reader who opens it then sees for certain.
    pub fn view(&self, opening: Opening) -> Model {
        self.choose(opening, &|_| false)
    }

    /// All schemas that the array has at some step between two, of any time.
    pub fn schemas_of(&self, opening: Opening) -> Vec<Schema> {
        let is_uncertain = |visibility: &Visibility| visibility.certainty(opening) == Certainty::Uncertain;
        let uncertain =
            self.model.events.iter().zip(&self.visibility).filter(|(_, visibility)| is_uncertain(visibility));
        let later = uncertain.flat_map(|(event, _)| match &event.change {
            Change::Evolve(schemas) => schemas.clone(),
            _ => Vec::new(),
        });
        let view = self.view(opening);
        view.schemas(u64::MAX).into_iter().cloned().chain(later).collect()
    }

    /// Judges the result of a read: it has to be that of some choice of the uncertain events. Of many only the choices that take a number
    /// of the first ones, as one listing does.
    ///
    /// # Errors
    /// Describes the difference.
    pub fn judge(&self, opening: Opening, check: impl Fn(&Model) -> Result<(), String>) -> Result<(), String> {
        let count = self.uncertain_count(opening);
        let mut difference = Ok(());
        for number in (0..=count).rev() {
            match check(&self.choose(opening, &|position| position < number)) {
                Ok(()) => return Ok(()),
                text => difference = difference.and(text),
            }
        }
        let choices = if count > 8 { 0 } else { 1u32 << count };
        let is_allowed = |choice: u32| check(&self.choose(opening, &|position| choice >> position & 1 == 1)).is_ok();
        if (0..choices).any(is_allowed) { Ok(()) } else { difference }
    }
}
