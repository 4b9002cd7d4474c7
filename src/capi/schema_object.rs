//! The object of a schema handle, and the parts that it shares with other handles.

use std::sync::Arc;

use super::domain_object::{CurrentDomainObject, DomainObject, same};
use super::value::{Parts, Value};
use tiledb_array::schema::{ArraySchema, Attribute, CurrentDomain, SchemaEvolution};
use tiledb_core::error::Result;
use tiledb_core::types::{DataOrder, Datatype, Layout, Name, NamedList};

/// A schema, whose attributes, domain and current domain are shared with their handles.
pub type SchemaObject = Value<ArraySchema, SchemaParts>;

/// A schema evolution, which shares the current domain that was set.
pub type EvolutionObject = Value<SchemaEvolution, Option<Arc<CurrentDomainObject>>>;

/// The parts of a schema that have handles of their own.
#[derive(Clone)]
pub struct SchemaParts {
    attributes: NamedList<(Name, Arc<Value<Attribute>>)>,
    domain: Arc<DomainObject>,
    current_domain: Arc<CurrentDomainObject>,
}

impl Parts<ArraySchema> for SchemaParts {
    fn gather(&self, schema: &ArraySchema) -> Option<ArraySchema> {
        let attributes: Vec<Arc<Attribute>> =
            self.attributes.iter().map(|(_, attribute)| attribute.snapshot()).collect();
        let domain = self.domain.snapshot();
        let current_domain = self.current_domain.snapshot();
        let is_known = same(&attributes, schema.attributes())
            && Arc::ptr_eq(&domain, schema.domain())
            && current_domain.is_same(schema.current_domain());
        (!is_known).then(|| schema.clone().with_parts(attributes, domain, CurrentDomain::clone(&current_domain)))
    }
}

impl SchemaObject {
    /// A schema with parts of its own.
    pub(super) fn owning(schema: impl Into<Arc<ArraySchema>>) -> SchemaObject {
        let schema = schema.into();
        let handle = |attribute: &Arc<Attribute>| Arc::new(Value::new(Arc::clone(attribute)));
        let attributes = schema.attributes().iter().map(|attribute| (attribute.name().clone(), handle(attribute)));
        let domain = Arc::new(DomainObject::owning(Arc::clone(schema.domain())));
        let current_domain = Arc::new(CurrentDomainObject::owning(schema.current_domain().clone(), &domain));
        let parts = SchemaParts { attributes: attributes.collect(), domain, current_domain };
        Value::of(schema, parts)
    }

    /// Appends an attribute.
    ///
    /// # Errors
    /// If the schema cannot have it.
    pub(super) fn add_attribute(&self, attribute: Arc<Value<Attribute>>) -> Result<()> {
        let now = attribute.snapshot();
        self.change_parts(|schema, parts| {
            schema.check_new_attribute(&now)?;
            parts.attributes.push((now.name().clone(), attribute));
            Ok(())
        })
    }

    /// Sets the domain. Its dimensions get the extents they lack, unless cells are ordered along a Hilbert curve.
    ///
    /// # Errors
    /// If the schema cannot have it.
    pub(super) fn set_domain(&self, domain: Arc<DomainObject>) -> Result<()> {
        let schema = self.snapshot();
        schema.check_domain(&domain.snapshot())?;
        if schema.cell_order() != Layout::Hilbert {
            domain.fill_extents()?;
        }
        self.change_parts(|_, parts| {
            parts.domain = domain;
            Ok(())
        })
    }

    /// Adds a dimension label.
    ///
    /// # Errors
    /// If the schema cannot have it.
    pub(super) fn add_label(&self, dimension: u32, name: &str, order: DataOrder, datatype: Datatype) -> Result<()> {
        let is_attribute = self.attribute_named(name).is_some();
        self.change_labels(|schema| schema.add_label(dimension, name, order, datatype, is_attribute))
    }

    /// Changes dimension labels. They depend on the domain, but not on the attributes, which are not looked up.
    ///
    /// # Errors
    /// What `change` gives.
    pub(super) fn change_labels(&self, change: impl FnOnce(&mut ArraySchema) -> Result<()>) -> Result<()> {
        let domain = self.domain().snapshot();
        self.change_own(|schema| {
            if !Arc::ptr_eq(&domain, schema.domain()) {
                schema.replace_domain(domain);
            }
            change(schema)
        })
    }

    /// Sets the current domain.
    pub(super) fn set_current_domain(&self, current_domain: Arc<CurrentDomainObject>) -> Result<()> {
        self.change_parts(|_, parts| {
            parts.current_domain = current_domain;
            Ok(())
        })
    }

    /// The attribute at this position.
    pub(super) fn attribute(&self, index: usize) -> Option<Arc<Value<Attribute>>> {
        let parts = self.parts();
        let (_, attribute) = parts.attributes.at(index)?;
        Some(Arc::clone(attribute))
    }

    /// The attribute with this name.
    pub(super) fn attribute_named(&self, name: &str) -> Option<Arc<Value<Attribute>>> {
        self.parts().attributes.get(name).map(|(_, attribute)| Arc::clone(attribute))
    }

    /// The number of attributes.
    pub(super) fn attribute_num(&self) -> usize {
        self.parts().attributes.len()
    }

    /// The domain.
    pub(super) fn domain(&self) -> Arc<DomainObject> {
        Arc::clone(&self.parts().domain)
    }

    /// The current domain.
    pub(super) fn current_domain(&self) -> Arc<CurrentDomainObject> {
        Arc::clone(&self.parts().current_domain)
    }
}

impl EvolutionObject {
    /// Sets the current domain that holds the one there is.
    ///
    /// # Errors
    /// If it is empty.
    pub(super) fn expand_current_domain(&self, greater: Arc<CurrentDomainObject>) -> Result<()> {
        let now = CurrentDomain::clone(&greater.snapshot());
        self.change(|evolution| evolution.expand_current_domain(now))?;
        self.change_parts(|_, parts| {
            *parts = Some(greater);
            Ok(())
        })
    }
}

impl Parts<SchemaEvolution> for Option<Arc<CurrentDomainObject>> {
    fn gather(&self, evolution: &SchemaEvolution) -> Option<SchemaEvolution> {
        let current_domain = self.as_ref()?.snapshot();
        (!current_domain.is_same(evolution.current_domain()))
            .then(|| evolution.clone().with_current_domain(CurrentDomain::clone(&current_domain)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_array::schema::Dimension;
    use tiledb_core::types::ArrayType;

    #[test]
    fn labels_and_attributes_are_added_in_turn() {
        let axis = |name: &str| {
            let ends = [0i32, 99].map(i32::to_le_bytes).concat();
            Arc::new(Value::new(
                Dimension::new(name, Datatype::Int32, Some(&ends), Some(&10i32.to_le_bytes())).unwrap(),
            ))
        };
        let schema = SchemaObject::owning(ArraySchema::new(ArrayType::Dense));
        schema.domain().add(axis("x")).unwrap();
        let attribute = |name: &str| Arc::new(Value::new(Attribute::new(name, Datatype::Int32)));
        let label = |dimension, name: &str| schema.add_label(dimension, name, DataOrder::Increasing, Datatype::Int64);
        for number in 0..3 {
            schema.add_attribute(attribute(&format!("a{number}"))).unwrap();
            label(0, &format!("l{number}")).unwrap();
            let taken = label(0, &format!("a{number}")).unwrap_err();
            assert!(taken.text().contains("An attribute with that name already exists"), "{}", taken.text());
        }
        assert!(label(1, "y0").is_err());
        schema.domain().add(axis("y")).unwrap();
        label(1, "y0").unwrap();
        schema
            .change_labels(|schema| schema.set_label_extent("y0", Datatype::Int32, Some(&5i32.to_le_bytes())))
            .unwrap();
        let whole = schema.snapshot();
        assert_eq!((whole.attributes().len(), whole.labels().len(), whole.domain().len()), (3, 4, 2));
        assert!(whole.attribute("a2").is_some() && whole.label("y0").is_some());
    }
}
