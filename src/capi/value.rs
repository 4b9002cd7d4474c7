//! Mutable handles over immutable values, whose parts may be shared with other handles.
//!
//! The engine uses immutable values; handles of the C interface are mutable. A [`Value`] returns a snapshot of the
//! current value and replaces the value when it is changed. Parts with handles of their own (the attributes of a
//! schema, the dimensions of a domain, the rectangle of a current domain) are shared with these handles; the value is
//! assembled from them again if anything has changed since it was last assembled. Only one of them is locked at a time.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tiledb_core::error::{Error, ErrorKind, Result};

/// Number of changes of values in the process: while it is unchanged, all assembled values are up to date.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// The parts from which a value of type `T` is assembled.
pub trait Parts<T>: Clone {
    /// The value with its current parts; `None` if it is up to date.
    fn gather(&self, value: &T) -> Option<T>;
}

/// No parts: the value is independent of other handles.
impl<T> Parts<T> for () {
    fn gather(&self, _: &T) -> Option<T> {
        None
    }
}

/// The object of the handle of a schema, or of a part of one.
pub struct Value<T, P = ()>(Mutex<State<T, P>>);

struct State<T, P> {
    value: Arc<T>,
    parts: Arc<P>,
    /// The value of [`CHANGES`] before the parts were last gathered.
    seen: u64,
    /// Values, and parts of values, to which C has pointers, by their addresses.
    lent: BTreeMap<usize, Arc<dyn Any + Send + Sync>>,
}

impl<T> Value<T> {
    /// The object of a handle, sharing the value with other owners.
    pub(crate) fn new(value: impl Into<Arc<T>>) -> Value<T> {
        Value::of(value, ())
    }
}

impl<T, P> Value<T, P> {
    fn lock(&self) -> MutexGuard<'_, State<T, P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value as last assembled, for callers that do not depend on its parts.
    pub(super) fn own(&self) -> Arc<T> {
        Arc::clone(&self.lock().value)
    }

    /// The parts of this moment.
    pub(super) fn parts(&self) -> Arc<P> {
        Arc::clone(&self.lock().parts)
    }
}

impl<T, P: Parts<T>> Value<T, P> {
    /// A value that is assembled from these parts.
    pub(super) fn of(value: impl Into<Arc<T>>, parts: P) -> Value<T, P> {
        let state = State { value: value.into(), parts: Arc::new(parts), seen: u64::MAX, lent: BTreeMap::new() };
        Value(Mutex::new(state))
    }

    /// The value of this moment.
    pub(crate) fn snapshot(&self) -> Arc<T> {
        loop {
            let changes = CHANGES.load(Ordering::Acquire);
            let (value, parts) = {
                let state = self.lock();
                if state.seen == changes {
                    return Arc::clone(&state.value);
                }
                (Arc::clone(&state.value), Arc::clone(&state.parts))
            };
            // Not while this value is locked: parts have locks of their own.
            let gathered = parts.gather(&value);
            let mut state = self.lock();
            if Arc::ptr_eq(&state.value, &value) && Arc::ptr_eq(&state.parts, &parts) {
                if let Some(gathered) = gathered {
                    state.value = Arc::new(gathered);
                }
                state.seen = changes;
                return Arc::clone(&state.value);
            }
        }
    }

    /// Changes the list of parts; `change` also gets the value as last assembled.
    ///
    /// # Errors
    /// Any error of `change`.
    pub(super) fn change_parts(&self, change: impl FnOnce(&T, &mut P) -> Result<()>) -> Result<()> {
        let mut state = self.lock();
        let State { value, parts, .. } = &mut *state;
        let outcome = change(value, Arc::make_mut(parts));
        CHANGES.fetch_add(1, Ordering::AcqRel);
        outcome
    }
}

impl<T: Send + Sync + 'static, P: Parts<T>> Value<T, P> {
    /// The current value, for pointers that are returned to C: it lives as long as the handle.
    pub(crate) fn lend(&self) -> Arc<T> {
        let value = self.snapshot();
        self.keep(&value);
        value
    }

    /// A part of the current value, for pointers that are returned to C: only the part lives as long as the handle.
    ///
    /// # Errors
    /// Any error of `part`.
    pub(super) fn lend_part<U: Send + Sync + 'static>(
        &self,
        part: impl FnOnce(&T) -> Result<Option<Arc<U>>>,
    ) -> Result<Option<Arc<U>>> {
        let part = part(&*self.snapshot())?;
        if let Some(part) = &part {
            self.keep(part);
        }
        Ok(part)
    }

    fn keep<U: Send + Sync + 'static>(&self, lent: &Arc<U>) {
        let address = Arc::as_ptr(lent) as usize;
        let keep = || Arc::clone(lent) as Arc<dyn Any + Send + Sync>;
        self.lock().lent.entry(address).or_insert_with(keep);
    }
}

impl<T: Clone, P: Parts<T>> Value<T, P> {
    /// Changes the value; snapshots stay as they are. After an error it is as it was.
    ///
    /// # Errors
    /// What `change` gives.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T) -> Result<()>) -> Result<()> {
        // With the parts as they are now.
        drop(self.snapshot());
        self.change_own(change)
    }

    /// As [`Value::change`], for changes that do not depend on the parts, which are not gathered.
    ///
    /// # Errors
    /// Any error of `change`.
    pub(super) fn change_own(&self, change: impl FnOnce(&mut T) -> Result<()>) -> Result<()> {
        let mut state = self.lock();
        let outcome = change(Arc::make_mut(&mut state.value));
        let before = CHANGES.fetch_add(1, Ordering::AcqRel);
        if state.seen == before {
            // Nothing but this value has changed.
            state.seen = before + 1;
        }
        outcome
    }
}

/// Marks an error as libtiledb does, which reports errors of keys and versions without further context.
pub(crate) fn internal(error: Error) -> Error {
    match error.kind() {
        ErrorKind::Newer | ErrorKind::Key => error,
        _ => error.prefixed("TileDB internal: "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of numbers that have handles of their own.
    #[derive(Clone)]
    struct Terms(Vec<Arc<Value<i32>>>);

    impl Parts<i32> for Terms {
        fn gather(&self, sum: &i32) -> Option<i32> {
            let now = self.0.iter().map(|term| *term.snapshot()).sum();
            (now != *sum).then_some(now)
        }
    }

    fn set(value: &Value<i32>, number: i32) {
        value
            .change(|value| {
                *value = number;
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn a_change_of_a_part_shows_in_the_whole_and_not_in_snapshots() {
        let terms = [1, 2].map(|term| Arc::new(Value::new(term)));
        let sum = Value::of(0, Terms(terms.to_vec()));
        let early = sum.snapshot();
        set(&terms[1], 40);
        assert_eq!((*early, *sum.snapshot()), (3, 41));
        sum.change_parts(|_, parts| {
            parts.0.remove(0);
            Ok(())
        })
        .unwrap();
        assert_eq!(*sum.snapshot(), 40);
    }

    #[test]
    fn a_change_of_the_value_itself_looks_up_no_parts() {
        let term = Arc::new(Value::new(1));
        let sum = Value::of(7, Terms(vec![Arc::clone(&term)]));
        let add_ten = |sum: &mut i32| {
            *sum += 10;
            Ok(())
        };
        sum.change_own(add_ten).unwrap();
        assert_eq!(*sum.lock().value, 17, "nothing was added up");
        sum.change(add_ten).unwrap();
        assert_eq!(*sum.lock().value, 11);
    }

    #[test]
    fn parts_are_lent_without_the_whole() {
        let value = Value::new(vec![Arc::new(5), Arc::new(6)]);
        let first = |value: &Vec<Arc<i32>>| Ok(value.first().map(Arc::clone));
        let (first, second) = (value.lend_part(first).unwrap().unwrap(), Arc::downgrade(&value.snapshot()[1]));
        let whole = Arc::downgrade(&value.snapshot());
        value
            .change(|value| {
                *value = Vec::new();
                Ok(())
            })
            .unwrap();
        assert_eq!((Arc::strong_count(&first), second.upgrade()), (2, None), "the handle keeps what was lent only");
        assert!(whole.upgrade().is_none_or(|whole| whole.is_empty()));
    }

    #[test]
    fn what_was_lent_is_kept() {
        let value = Value::new(5);
        let lent = Arc::downgrade(&value.lend());
        let unused = Arc::downgrade(&{
            set(&value, 6);
            value.snapshot()
        });
        set(&value, 7);
        assert_eq!((lent.upgrade().map(|lent| *lent), unused.upgrade().map(|value| *value)), (Some(5), None));
    }

    #[test]
    fn parts_and_wholes_may_be_changed_and_looked_at_by_many_threads() {
        let terms = [0, 0, 0].map(|term| Arc::new(Value::new(term)));
        let sum = Value::of(0, Terms(terms.to_vec()));
        std::thread::scope(|scope| {
            for term in &terms {
                scope.spawn(|| (1..=500).for_each(|number| set(term, number)));
            }
            scope.spawn(|| {
                let mut last = 0;
                for _ in 0..500 {
                    let now = *sum.snapshot();
                    assert!(now >= last);
                    last = now;
                }
            });
        });
        assert_eq!(*sum.snapshot(), 1500);
    }
}
