//! Serialization of schema evolutions.

use std::sync::Arc;

use super::format::{Deserializer, SerializationType, in_field, while_doing};
use super::{attribute, current_domain, enumeration};
use crate::encoding::{Builder, List, MessageField, View};
use crate::messages::{self, ArraySchemaEvolution};
use tiledb_array::schema::{Enumeration, SchemaEvolution};
use tiledb_core::error::Result;

/// Writes an evolution.
///
/// # Errors
/// If memory does not suffice.
pub fn write(form: SerializationType, evolution: &SchemaEvolution) -> Result<Vec<u8>> {
    form.write(|out| fill(out, evolution)).map_err(while_doing("serializing array schema evolution"))
}

/// Reads an evolution.
///
/// # Errors
/// If the bytes are none.
pub fn read(reading: Deserializer, bytes: &[u8]) -> Result<SchemaEvolution> {
    reading.read(bytes, of).map_err(while_doing("deserializing array schema evolution"))
}

type Enumerations = MessageField<ArraySchemaEvolution, List<messages::Enumeration>>;

fn fill(out: &mut Builder<'_, ArraySchemaEvolution>, evolution: &SchemaEvolution) -> Result<()> {
    out.set_texts(ArraySchemaEvolution::ATTRIBUTES_TO_DROP, evolution.dropped_attributes())?;
    let mut attributes = out.list(ArraySchemaEvolution::ATTRIBUTES_TO_ADD, evolution.attributes().len())?;
    for (index, attribute) in evolution.attributes().enumerate() {
        attribute::fill(&mut attributes.get(index)?, attribute)?;
    }
    fill_enumerations(out, ArraySchemaEvolution::ENUMERATIONS_TO_ADD, evolution.enumerations())?;
    fill_enumerations(out, ArraySchemaEvolution::ENUMERATIONS_TO_EXTEND, evolution.extended())?;
    if evolution.dropped_enumerations().len() > 0 {
        out.set_texts(ArraySchemaEvolution::ENUMERATIONS_TO_DROP, evolution.dropped_enumerations())?;
    }
    out.set_numbers(ArraySchemaEvolution::TIMESTAMP_RANGE, &[evolution.timestamp().unwrap_or(0); 2])?;
    if !evolution.current_domain().is_empty() {
        let mut current = out.child(ArraySchemaEvolution::CURRENT_DOMAIN_TO_EXPAND)?;
        current_domain::fill(&mut current, evolution.current_domain())?;
    }
    Ok(())
}

fn fill_enumerations<'a>(
    out: &mut Builder<'_, ArraySchemaEvolution>,
    field: Enumerations,
    enumerations: impl ExactSizeIterator<Item = &'a Arc<Enumeration>>,
) -> Result<()> {
    if enumerations.len() == 0 {
        return Ok(());
    }
    let mut list = out.list(field, enumerations.len())?;
    for (index, enumeration) in enumerations.enumerate() {
        enumeration::fill(&mut list.get(index)?, enumeration)?;
    }
    Ok(())
}

fn of(view: View<'_, ArraySchemaEvolution>) -> Result<SchemaEvolution> {
    let mut evolution = SchemaEvolution::default();
    let named = in_field("ArraySchemaEvolution");
    for name in view.items(ArraySchemaEvolution::ATTRIBUTES_TO_DROP)?.iter() {
        evolution.drop_attribute(name?);
    }
    for name in view.items(ArraySchemaEvolution::ENUMERATIONS_TO_DROP)?.iter() {
        evolution.drop_enumeration(name?);
    }
    for values in enumeration::of_list(view.items(ArraySchemaEvolution::ENUMERATIONS_TO_ADD)?)? {
        evolution.add_enumeration(values).map_err(&named)?;
    }
    for values in enumeration::of_list(view.items(ArraySchemaEvolution::ENUMERATIONS_TO_EXTEND)?)? {
        evolution.extend_enumeration(values).map_err(&named)?;
    }
    for attribute in view.items(ArraySchemaEvolution::ATTRIBUTES_TO_ADD)?.iter() {
        evolution.add_attribute(Arc::new(attribute::of(attribute)?)).map_err(&named)?;
    }
    let times = view.items(ArraySchemaEvolution::TIMESTAMP_RANGE)?;
    if let (Some(start), Some(end)) = (times.get(0), times.get(1))
        && (start, end) != (0, 0)
    {
        evolution.set_timestamps(start, end).map_err(in_field("ArraySchemaEvolution.timestampRange"))?;
    }
    if let Some(current) = view.child(ArraySchemaEvolution::CURRENT_DOMAIN_TO_EXPAND)? {
        evolution = evolution.with_current_domain(current_domain::of(current, None)?);
    }
    Ok(evolution)
}
