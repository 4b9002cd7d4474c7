//! The objects of the handles of domains, rectangles and current domains, and the parts that they share.

use std::sync::Arc;

use super::value::{Parts, Value};
use tiledb_array::schema::{CurrentDomain, Dimension, Domain, NdRectangle};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Name, NamedList};

/// A domain, whose dimensions are shared with the handles that they were added from or returned as.
pub type DomainObject = Value<Domain, Dimensions>;

/// A rectangle, which shares the domain that it was made for.
pub type RectangleObject = Value<NdRectangle, Arc<DomainObject>>;

/// A current domain, which shares its rectangle.
pub type CurrentDomainObject = Value<CurrentDomain, Option<Arc<RectangleObject>>>;

/// The dimensions of a domain.
#[derive(Clone, Default)]
pub struct Dimensions(NamedList<(Name, Arc<Value<Dimension>>)>);

impl Parts<Domain> for Dimensions {
    fn gather(&self, domain: &Domain) -> Option<Domain> {
        let now: Vec<Arc<Dimension>> = self.0.iter().map(|(_, dimension)| dimension.snapshot()).collect();
        (!same(&now, domain.dimensions())).then(|| Domain::of(now))
    }
}

/// True for lists of the same objects.
pub(super) fn same<T>(some: &[Arc<T>], others: &[Arc<T>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| Arc::ptr_eq(one, other))
}

impl DomainObject {
    /// A domain with dimensions of its own.
    pub(super) fn owning(domain: Arc<Domain>) -> DomainObject {
        let handle = |dimension: &Arc<Dimension>| Arc::new(Value::new(Arc::clone(dimension)));
        let dimensions = domain.dimensions().iter().map(|dimension| (dimension.name().clone(), handle(dimension)));
        let dimensions = Dimensions(dimensions.collect());
        Value::of(domain, dimensions)
    }

    /// Appends a dimension.
    pub(super) fn add(&self, dimension: Arc<Value<Dimension>>) -> Result<()> {
        let name = dimension.snapshot().name().clone();
        self.change_parts(|_, dimensions| {
            dimensions.0.push((name, dimension));
            Ok(())
        })
    }

    /// The dimension at this position.
    pub(super) fn dimension(&self, index: usize) -> Option<Arc<Value<Dimension>>> {
        let parts = self.parts();
        let (_, dimension) = parts.0.at(index)?;
        Some(Arc::clone(dimension))
    }

    /// The dimension with this name.
    pub(super) fn dimension_named(&self, name: &str) -> Option<Arc<Value<Dimension>>> {
        self.parts().0.get(name).map(|(_, dimension)| Arc::clone(dimension))
    }

    /// The number of dimensions.
    pub(super) fn dimension_num(&self) -> usize {
        self.parts().0.len()
    }

    /// Gives numeric dimensions without a tile extent their whole domain as extent.
    pub(super) fn fill_extents(&self) -> Result<()> {
        let parts = self.parts();
        let lacking = parts.0.iter().filter(|(_, dimension)| dimension.snapshot().lacks_extent());
        lacking.into_iter().try_for_each(|(_, dimension)| {
            dimension.change(|dimension| {
                dimension.fill_extent();
                Ok(())
            })
        })
    }
}

impl Parts<NdRectangle> for Arc<DomainObject> {
    fn gather(&self, rectangle: &NdRectangle) -> Option<NdRectangle> {
        let domain = self.snapshot();
        (!Arc::ptr_eq(&domain, rectangle.domain())).then(|| rectangle.clone().over(domain))
    }
}

impl Parts<CurrentDomain> for Option<Arc<RectangleObject>> {
    fn gather(&self, current: &CurrentDomain) -> Option<CurrentDomain> {
        let rectangle = self.as_ref()?.snapshot();
        let known = current.rectangle().is_some_and(|known| Arc::ptr_eq(known, &rectangle));
        (!known).then(|| CurrentDomain::of(rectangle))
    }
}

impl CurrentDomainObject {
    /// A current domain over a domain, with a rectangle of its own.
    pub(super) fn owning(current: CurrentDomain, domain: &Arc<DomainObject>) -> CurrentDomainObject {
        let rectangle = current.rectangle().map(Arc::clone);
        Value::of(current, rectangle.map(|rectangle| Arc::new(Value::of(rectangle, Arc::clone(domain)))))
    }

    /// Sets the rectangle of an empty current domain.
    ///
    /// # Errors
    /// If one is set already.
    pub(super) fn set_rectangle(&self, rectangle: Arc<RectangleObject>) -> Result<()> {
        self.change_parts(|_, parts| {
            if parts.is_some() {
                bail!("Setting a rectangle on a non-empty CurrentDomain object is not allowed. Allocate another one");
            }
            *parts = Some(rectangle);
            Ok(())
        })
    }
}
