//! Serialization of estimates of result sizes.

use super::super::format::{Deserializer, SerializationType, required, while_doing};
use crate::encoding::{Builder, View};
use crate::messages::{self, EstimatedResultSize, Map, MapEntry, MemorySize};
use tiledb_core::error::Result;
use tiledb_core::memory;
use tiledb_core::types::Name;
use tiledb_query::Query;
use tiledb_query::read::estimate::sum::ResultSize;

/// Serializes the estimated result sizes of each field.
///
/// # Errors
/// As the estimates, and if memory does not suffice.
pub fn write(form: SerializationType, query: &Query) -> Result<Vec<u8>> {
    let mut estimates = Vec::new();
    for field in query.array().schema().fields() {
        let size = query.estimate(&field.name, field.is_var(), field.nullable)?;
        let fixed = if field.is_var() { size.offsets } else { size.data };
        let var = if field.is_var() { size.data } else { 0 };
        memory::push("estimates", &mut estimates, (field.name.clone(), [fixed, var, size.validity]))?;
    }
    form.write(|out| fill(out, &estimates)).map_err(while_doing("serializing query est result size"))
}

fn fill(out: &mut Builder<'_, EstimatedResultSize>, estimates: &[(Name, [u64; 3])]) -> Result<()> {
    let mut map = out.child(EstimatedResultSize::RESULT_SIZES)?;
    let mut list = map.list(Map::<messages::ResultSize>::ENTRIES, estimates.len())?;
    for (index, (name, [fixed, var, validity])) in estimates.iter().enumerate() {
        let mut entry = list.get(index)?;
        entry.set_text(MapEntry::<messages::ResultSize>::KEY, name)?;
        let mut size = entry.child(MapEntry::<messages::ResultSize>::VALUE)?;
        size.set(messages::ResultSize::SIZE_FIXED, *fixed as f64);
        size.set(messages::ResultSize::SIZE_VAR, *var as f64);
        size.set(messages::ResultSize::SIZE_VALIDITY, *validity as f64);
    }
    let mut map = out.child(EstimatedResultSize::MEMORY_SIZES)?;
    let mut list = map.list(Map::<MemorySize>::ENTRIES, estimates.len())?;
    for (index, (name, [fixed, var, validity])) in estimates.iter().enumerate() {
        let mut entry = list.get(index)?;
        entry.set_text(MapEntry::<MemorySize>::KEY, name)?;
        let mut size = entry.child(MapEntry::<MemorySize>::VALUE)?;
        size.set(MemorySize::SIZE_FIXED, *fixed);
        size.set(MemorySize::SIZE_VAR, *var);
        size.set(MemorySize::SIZE_VALIDITY, *validity);
    }
    Ok(())
}

/// Reads estimates, which are the query's from then on.
///
/// # Errors
/// If the bytes are none.
pub fn read(query: &mut Query, reading: Deserializer, bytes: &[u8]) -> Result<()> {
    let estimates =
        reading.read(bytes, |view| of(view, query)).map_err(while_doing("deserializing query est result size"))?;
    query.set_estimates(estimates.into());
    Ok(())
}

fn of(view: View<'_, EstimatedResultSize>, query: &Query) -> Result<Vec<(Name, ResultSize)>> {
    let Some(map) = view.child(EstimatedResultSize::RESULT_SIZES)? else { return Ok(Vec::new()) };
    let list = map.items(Map::<messages::ResultSize>::ENTRIES)?;
    let mut estimates = memory::with_capacity("estimates", list.len())?;
    for entry in list.iter() {
        let name = required("Map.Entry.key", entry.text(MapEntry::<messages::ResultSize>::KEY)?)?;
        let size = required("Map.Entry.value", entry.child(MapEntry::<messages::ResultSize>::VALUE)?)?;
        // Fractional estimates are rounded up.
        let whole = |bytes: f64| bytes.max(0.0).ceil() as u64;
        let fixed = whole(size.get(messages::ResultSize::SIZE_FIXED));
        let var = whole(size.get(messages::ResultSize::SIZE_VAR));
        let validity = whole(size.get(messages::ResultSize::SIZE_VALIDITY));
        let is_var = query.array().schema().field(name).is_some_and(|field| field.is_var());
        let (data, offsets) = if is_var { (var, fixed) } else { (fixed, 0) };
        estimates.push((Name::new(name), ResultSize { data, offsets, validity }));
    }
    Ok(estimates)
}
