//! Schema evolution: adds and drops attributes and enumerations, and expands the current domain.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{ArraySchema, Attribute, CurrentDomain, Enumeration, EnumerationRef, SchemaName};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CURRENT_VERSION, FormatVersion};

/// Pending changes of a schema. The last request for a name wins: adding a name that was to be dropped cancels the
/// drop, and vice versa.
#[derive(Clone, Debug, Default)]
pub struct SchemaEvolution {
    attributes: Additions<Attribute>,
    dropped_attributes: BTreeSet<String>,
    enumerations: Additions<Enumeration>,
    extended: Additions<Enumeration>,
    dropped_enumerations: BTreeSet<String>,
    current_domain: CurrentDomain,
    timestamp: Option<u64>,
}

/// Parts to be added, in the order of the requests; each name once.
#[derive(Debug)]
struct Additions<T> {
    parts: BTreeMap<u64, Arc<T>>,
    /// The keys of `parts` by name.
    keys: HashMap<String, u64>,
    next: u64,
}

impl<T> Additions<T> {
    /// Appends a part; false if there is one of this name.
    fn add(&mut self, name: &str, part: Arc<T>) -> bool {
        if self.keys.contains_key(name) {
            return false;
        }
        self.keys.insert(name.to_owned(), self.next);
        self.parts.insert(self.next, part);
        self.next += 1;
        true
    }

    /// Removes the part of this name, if there is one.
    fn remove(&mut self, name: &str) {
        if let Some(key) = self.keys.remove(name) {
            self.parts.remove(&key);
        }
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<T>> {
        self.parts.values()
    }
}

impl<T> Default for Additions<T> {
    fn default() -> Self {
        Additions { parts: BTreeMap::new(), keys: HashMap::new(), next: 0 }
    }
}

impl<T> Clone for Additions<T> {
    fn clone(&self) -> Self {
        Additions { parts: self.parts.clone(), keys: self.keys.clone(), next: self.next }
    }
}

impl SchemaEvolution {
    /// Adds an attribute.
    ///
    /// # Errors
    /// If one of this name is to be added already.
    pub fn add_attribute(&mut self, attribute: Arc<Attribute>) -> Result<()> {
        if !self.attributes.add(attribute.name(), Arc::clone(&attribute)) {
            bail!("ArraySchemaEvolution: Cannot add attribute; Input attribute name is already there");
        }
        self.dropped_attributes.remove(attribute.name().as_str());
        Ok(())
    }

    pub fn drop_attribute(&mut self, name: &str) {
        self.attributes.remove(name);
        self.dropped_attributes.insert(name.to_owned());
    }

    /// Adds an enumeration.
    ///
    /// # Errors
    /// If one of this name is to be added already.
    pub fn add_enumeration(&mut self, enumeration: Arc<Enumeration>) -> Result<()> {
        if !self.enumerations.add(enumeration.name(), Arc::clone(&enumeration)) {
            bail!("ArraySchemaEvolution: Cannot add enumeration; Input enumeration name is already added");
        }
        self.dropped_enumerations.remove(enumeration.name().as_str());
        Ok(())
    }

    /// Replaces an enumeration by one of the same name with more values.
    ///
    /// # Errors
    /// If one of this name is to be extended already.
    pub fn extend_enumeration(&mut self, enumeration: Arc<Enumeration>) -> Result<()> {
        if !self.extended.add(enumeration.name(), Arc::clone(&enumeration)) {
            bail!(
                "ArraySchemaEvolution: Cannot extend enumeration; Input enumeration name has already been extended in this evolution."
            );
        }
        self.dropped_enumerations.remove(enumeration.name().as_str());
        Ok(())
    }

    pub fn drop_enumeration(&mut self, name: &str) {
        self.enumerations.remove(name);
        self.extended.remove(name);
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

    /// The added attributes.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = &Arc<Attribute>> {
        self.attributes.iter()
    }

    /// The names of the attributes that go, in their order.
    pub fn dropped_attributes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.dropped_attributes.iter().map(String::as_str)
    }

    /// The added enumerations.
    pub fn enumerations(&self) -> impl ExactSizeIterator<Item = &Arc<Enumeration>> {
        self.enumerations.iter()
    }

    /// The enumerations that get more values.
    pub fn extended(&self) -> impl ExactSizeIterator<Item = &Arc<Enumeration>> {
        self.extended.iter()
    }

    /// The names of the enumerations that go, in their order.
    pub fn dropped_enumerations(&self) -> impl ExactSizeIterator<Item = &str> {
        self.dropped_enumerations.iter().map(String::as_str)
    }

    /// The current domain that was set.
    pub fn current_domain(&self) -> &CurrentDomain {
        &self.current_domain
    }

    /// Sets the current domain, unchecked.
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

    /// The schema after the evolution, checked and with a name of its own. It keeps its version unless that is no longer
    /// written or lacks a feature of the result; with a limit it does not exceed both the limit and the version of the array.
    ///
    /// # Errors
    /// If a dropped or changed item does not exist, the result is not a valid schema, or it requires a version above the
    /// limit.
    pub fn apply(&self, schema: &ArraySchema, limit: Option<FormatVersion>) -> Result<ArraySchema> {
        let mut evolved = schema.clone();
        evolved.raise_version(schema.version.of_evolved_schemas(limit.unwrap_or(CURRENT_VERSION)));
        evolved.name = SchemaName::new(self.timestamp.unwrap_or_else(tiledb_core::env::timestamp));
        for enumeration in self.enumerations.iter() {
            evolved.add_enumeration(Arc::clone(enumeration))?;
        }
        for enumeration in self.extended.iter() {
            evolved.extend_enumeration(enumeration)?;
        }
        evolved.drop_attributes(&self.dropped_attributes)?;
        for attribute in self.attributes.iter() {
            evolved.check_enumeration_of(attribute)?;
            evolved.attributes.push(Arc::clone(attribute));
        }
        evolved.drop_enumerations(&self.dropped_enumerations)?;
        if !self.current_domain.is_empty() {
            evolved.expand_current_domain(&self.current_domain)?;
        }
        evolved.changed();
        evolved.check()?;
        evolved.fit_images()?;
        if let Some(limit) = limit {
            evolved.check_version(limit.max(evolved.version))?;
        }
        evolved.version = evolved.version.max(evolved.required_version());
        Ok(evolved)
    }
}

impl ArraySchema {
    fn drop_attributes(&mut self, names: &BTreeSet<String>) -> Result<()> {
        let known: HashSet<&str> = self.attributes.iter().map(|attribute| attribute.name().as_str()).collect();
        if names.iter().any(|name| !known.contains(name.as_str())) {
            bail!(
                "ArraySchemaEvolution: Cannot drop attribute; Input attribute name refers to a dimension or does not exist"
            );
        }
        self.attributes.retain(|attribute| !names.contains(attribute.name().as_str()));
        Ok(())
    }

    fn extend_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        let name = enumeration.name();
        let Some(known) = self.enumerations.get_mut(name) else {
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

    fn drop_enumerations(&mut self, names: &BTreeSet<String>) -> Result<()> {
        // The first dropped name that is in use, with the first attribute that uses it.
        let uses =
            self.attributes.iter().filter_map(|attribute| Some((attribute.enumeration()?.as_str(), attribute.name())));
        if let Some((name, user)) = uses.filter(|(name, _)| names.contains(*name)).min_by_key(|(name, _)| *name) {
            bail!("ArraySchema: Unable to drop enumeration '{name}' as it is used by attribute '{user}'.");
        }
        self.enumerations.retain(|known| !names.contains(known.name.as_str()));
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
