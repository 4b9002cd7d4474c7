//! The evolution of a schema: attributes and enumerations that come and go, and a greater current domain.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{ArraySchema, Attribute, CurrentDomain, Enumeration, EnumerationRef, SchemaName};
use crate::error::{Result, bail};

/// What is to change in a schema. What was asked for last holds: adding what was to be dropped takes it off that list,
/// and the other way round.
#[derive(Clone, Debug, Default)]
pub struct SchemaEvolution {
    attributes: Vec<Arc<Attribute>>,
    dropped_attributes: BTreeSet<String>,
    enumerations: Vec<Arc<Enumeration>>,
    extended: Vec<Arc<Enumeration>>,
    dropped_enumerations: BTreeSet<String>,
    current_domain: CurrentDomain,
    timestamp: Option<u64>,
}

impl SchemaEvolution {
    /// Adds an attribute.
    ///
    /// # Errors
    /// If one of this name is to be added already.
    pub fn add_attribute(&mut self, attribute: Arc<Attribute>) -> Result<()> {
        if self.attributes.iter().any(|known| known.name() == attribute.name()) {
            bail!("ArraySchemaEvolution: Cannot add attribute; Input attribute name is already there");
        }
        self.dropped_attributes.remove(attribute.name().as_str());
        self.attributes.push(attribute);
        Ok(())
    }

    /// Drops an attribute.
    pub fn drop_attribute(&mut self, name: &str) {
        self.attributes.retain(|known| known.name().as_str() != name);
        self.dropped_attributes.insert(name.to_owned());
    }

    /// Adds an enumeration.
    ///
    /// # Errors
    /// If one of this name is to be added already.
    pub fn add_enumeration(&mut self, enumeration: Arc<Enumeration>) -> Result<()> {
        if self.enumerations.iter().any(|known| known.name() == enumeration.name()) {
            bail!("ArraySchemaEvolution: Cannot add enumeration; Input enumeration name is already added");
        }
        self.dropped_enumerations.remove(enumeration.name().as_str());
        self.enumerations.push(enumeration);
        Ok(())
    }

    /// Puts an enumeration with more values in the place of that of the same name.
    ///
    /// # Errors
    /// If one of this name is to be extended already.
    pub fn extend_enumeration(&mut self, enumeration: Arc<Enumeration>) -> Result<()> {
        if self.extended.iter().any(|known| known.name() == enumeration.name()) {
            bail!(
                "ArraySchemaEvolution: Cannot extend enumeration; Input enumeration name has already been extended in this evolution."
            );
        }
        self.dropped_enumerations.remove(enumeration.name().as_str());
        self.extended.push(enumeration);
        Ok(())
    }

    /// Drops an enumeration.
    pub fn drop_enumeration(&mut self, name: &str) {
        self.enumerations.retain(|known| known.name().as_str() != name);
        self.extended.retain(|known| known.name().as_str() != name);
        self.dropped_enumerations.insert(name.to_owned());
    }

    /// Sets the current domain that holds the one there is.
    ///
    /// # Errors
    /// If it is empty.
    pub fn expand_current_domain(&mut self, current_domain: CurrentDomain) -> Result<()> {
        if current_domain.is_empty() {
            bail!(
                "ArraySchemaEvolution: Unable to expand the array current domain, the new current domain specified is empty"
            );
        }
        self.current_domain = current_domain;
        Ok(())
    }

    /// The attributes that come.
    pub fn attributes(&self) -> &[Arc<Attribute>] {
        &self.attributes
    }

    /// The names of the attributes that go, in their order.
    pub fn dropped_attributes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.dropped_attributes.iter().map(String::as_str)
    }

    /// The enumerations that come.
    pub fn enumerations(&self) -> &[Arc<Enumeration>] {
        &self.enumerations
    }

    /// The enumerations that get more values.
    pub fn extended(&self) -> &[Arc<Enumeration>] {
        &self.extended
    }

    /// The names of the enumerations that go, in their order.
    pub fn dropped_enumerations(&self) -> impl ExactSizeIterator<Item = &str> {
        self.dropped_enumerations.iter().map(String::as_str)
    }

    /// The current domain that was set.
    pub fn current_domain(&self) -> &CurrentDomain {
        &self.current_domain
    }

    /// The same evolution with this current domain, unchecked.
    pub fn with_current_domain(self, current_domain: CurrentDomain) -> SchemaEvolution {
        SchemaEvolution { current_domain, ..self }
    }

    /// Sets the time in milliseconds that the schema's name will state, both ends of it.
    ///
    /// # Errors
    /// If the ends differ.
    pub fn set_timestamps(&mut self, low: u64, high: u64) -> Result<()> {
        if low != high {
            bail!(
                "ArraySchemaEvolution: Cannot set timestamp range; first element {low} and second element {high} are not equal!"
            );
        }
        self.timestamp = Some(low);
        Ok(())
    }

    /// The time that was set.
    pub fn timestamp(&self) -> Option<u64> {
        self.timestamp
    }

    /// The schema after the evolution, checked, of the current version and with a name of its own.
    ///
    /// # Errors
    /// If what is to change is not there or the result would be no schema.
    pub fn apply(&self, schema: &ArraySchema) -> Result<ArraySchema> {
        let mut evolved = schema.clone();
        evolved.set_current_version();
        evolved.name = SchemaName::new(self.timestamp.unwrap_or_else(super::name::now));
        for enumeration in &self.enumerations {
            evolved.add_enumeration(Arc::clone(enumeration))?;
        }
        for enumeration in &self.extended {
            evolved.extend_enumeration(enumeration)?;
        }
        for name in &self.dropped_attributes {
            evolved.drop_attribute(name)?;
        }
        for attribute in &self.attributes {
            evolved.check_enumeration_of(attribute)?;
            evolved.attributes.push(Arc::clone(attribute));
        }
        for name in &self.dropped_enumerations {
            evolved.drop_enumeration(name)?;
        }
        if !self.current_domain.is_empty() {
            evolved.expand_current_domain(&self.current_domain)?;
        }
        evolved.changed();
        evolved.check()?;
        evolved.fit_images()?;
        Ok(evolved)
    }
}

impl ArraySchema {
    fn drop_attribute(&mut self, name: &str) -> Result<()> {
        let Some(place) = self.attributes.iter().position(|attribute| attribute.name().as_str() == name) else {
            bail!(
                "ArraySchemaEvolution: Cannot drop attribute; Input attribute name refers to a dimension or does not exist"
            );
        };
        self.attributes.remove(place);
        Ok(())
    }

    fn extend_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        let name = enumeration.name();
        let Some(known) = self.enumerations.iter_mut().find(|known| known.name == *name) else {
            bail!("ArraySchema: Unable to get enumeration path name. Unknown enumeration named '{name}'.");
        };
        if !enumeration.is_extension_of(&*known.values()?) {
            bail!(
                "ArraySchema: Error extending enumeration. Provided enumeration is not an extension of the current state of '{name}'"
            );
        }
        *known = EnumerationRef::of(Arc::clone(enumeration));
        Ok(())
    }

    fn drop_enumeration(&mut self, name: &str) -> Result<()> {
        let user = |attribute: &&Arc<Attribute>| attribute.enumeration().is_some_and(|used| used.as_str() == name);
        if let Some(user) = self.attributes.iter().find(user) {
            bail!("ArraySchema: Unable to drop enumeration '{name}' as it is used by attribute '{}'.", user.name());
        }
        self.enumerations.retain(|known| known.name.as_str() != name);
        Ok(())
    }

    fn expand_current_domain(&mut self, greater: &CurrentDomain) -> Result<()> {
        greater.check(&self.domain)?;
        let rectangles = greater.rectangle().zip(self.current_domain.rectangle());
        if rectangles.is_some_and(|(greater, now)| !greater.contains(now)) {
            bail!(
                "ArraySchema: The current domain of an array can only be expanded, please adjust your new current domain object."
            );
        }
        self.current_domain = match greater.rectangle() {
            Some(rectangle) => CurrentDomain::of(Arc::new(rectangle.as_ref().clone().over(self.domain.clone()))),
            None => greater.clone(),
        };
        Ok(())
    }
}
