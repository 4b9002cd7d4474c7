//! Evolution of schemas.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::attribute::Attribute;
use super::current_domain::{DimensionBounds, current_domain};
use super::enumeration::Enumeration;
use crate::error::Result;
use crate::value::Value;
use tiledb_array::schema as engine;

/// Changes of an array's schema, which [`Array::evolve`](crate::Array::evolve) applies.
///
/// No cell is rewritten: cells that were written before have the fill value of new attributes.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, SchemaEvolution};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("id", 0..=99_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://evolved", &schema)?;
/// let evolution = SchemaEvolution::new().add_attribute(Attribute::new::<f64>("b")).drop_attribute("a");
/// Array::evolve(&ctx, "mem://evolved", &evolution)?;
/// assert!(Array::load_schema(&ctx, "mem://evolved")?.attribute("b").is_some());
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SchemaEvolution {
    added: Vec<Attribute>,
    dropped: Vec<String>,
    enumerations: Vec<Enumeration>,
    extended: Vec<Enumeration>,
    dropped_enumerations: Vec<String>,
    current_domain: DimensionBounds,
    timestamp: Option<u64>,
}

impl SchemaEvolution {
    /// No changes.
    pub fn new() -> SchemaEvolution {
        SchemaEvolution::default()
    }

    /// Adds an attribute.
    #[must_use]
    pub fn add_attribute(mut self, attribute: Attribute) -> SchemaEvolution {
        self.added.push(attribute);
        self
    }

    /// Drops an attribute.
    #[must_use]
    pub fn drop_attribute(mut self, name: impl Into<String>) -> SchemaEvolution {
        self.dropped.push(name.into());
        self
    }

    /// Adds an enumeration.
    #[must_use]
    pub fn add_enumeration(mut self, enumeration: Enumeration) -> SchemaEvolution {
        self.enumerations.push(enumeration);
        self
    }

    /// Replaces an enumeration by one that begins with its values ([`Enumeration::extend`]).
    #[must_use]
    pub fn extend_enumeration(mut self, enumeration: Enumeration) -> SchemaEvolution {
        self.extended.push(enumeration);
        self
    }

    /// Drops an enumeration, to which no attribute may refer.
    #[must_use]
    pub fn drop_enumeration(mut self, name: impl Into<String>) -> SchemaEvolution {
        self.dropped_enumerations.push(name.into());
        self
    }

    /// Expands the current domain. Call it for every dimension.
    #[must_use]
    pub fn expand_current_domain<V: Into<Value>>(
        mut self,
        dimension: impl Into<String>,
        bounds: RangeInclusive<V>,
    ) -> SchemaEvolution {
        let (low, high) = bounds.into_inner();
        self.current_domain.push((dimension.into(), low.into(), high.into()));
        self
    }

    /// Sets the timestamp of the new schema, in milliseconds since 1970-01-01 UTC; the present unless it is set.
    #[must_use]
    pub fn at(mut self, timestamp: u64) -> SchemaEvolution {
        self.timestamp = Some(timestamp);
        self
    }

    /// Whether the newest schema is needed to express the changes.
    pub(crate) fn needs_schema(&self) -> bool {
        !self.current_domain.is_empty()
    }

    /// The changes, given the domain of the array.
    pub(crate) fn engine(&self, domain: Option<&Arc<engine::Domain>>) -> Result<engine::SchemaEvolution> {
        let mut evolution = engine::SchemaEvolution::default();
        for enumeration in &self.enumerations {
            evolution.add_enumeration(Arc::clone(&enumeration.0))?;
        }
        for enumeration in &self.extended {
            evolution.extend_enumeration(Arc::clone(&enumeration.0))?;
        }
        for attribute in &self.added {
            evolution.add_attribute(Arc::new(attribute.engine()?))?;
        }
        self.dropped.iter().for_each(|name| evolution.drop_attribute(name));
        self.dropped_enumerations.iter().for_each(|name| evolution.drop_enumeration(name));
        if let Some(domain) = domain.filter(|_| self.needs_schema()) {
            evolution.expand_current_domain(current_domain(domain, &self.current_domain)?)?;
        }
        if let Some(timestamp) = self.timestamp {
            evolution.set_timestamps(timestamp, timestamp)?;
        }
        Ok(evolution)
    }
}
