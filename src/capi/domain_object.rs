//! What the handle of a domain holds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::value::Value;
use crate::schema::{Dimension, Domain};

/// The dimensions of a domain, each shared with the handles it was added from or given out to: what is changed through
/// one of them, such as filters, changes in the domain too.
pub struct DomainObject(Mutex<Vec<Arc<Value<Dimension>>>>);

impl DomainObject {
    /// A domain with dimensions of its own.
    pub(super) fn new(domain: &Domain) -> DomainObject {
        let dimensions = domain.dimensions().iter().map(|dimension| Arc::new(Value::new(Arc::clone(dimension))));
        DomainObject(Mutex::new(dimensions.collect()))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Value<Dimension>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The domain of this moment.
    pub(super) fn snapshot(&self) -> Arc<Domain> {
        // Not while the domain is locked: dimensions have locks of their own.
        let dimensions = self.lock().clone();
        Arc::new(Domain::of(dimensions.iter().map(|dimension| dimension.snapshot()).collect()))
    }

    /// Appends a dimension.
    pub(super) fn add(&self, dimension: Arc<Value<Dimension>>) {
        self.lock().push(dimension);
    }

    /// The dimension at this position.
    pub(super) fn dimension(&self, index: usize) -> Option<Arc<Value<Dimension>>> {
        self.lock().get(index).map(Arc::clone)
    }
}
