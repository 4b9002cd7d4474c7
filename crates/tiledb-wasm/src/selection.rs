//! Queries of requests: fields, ranges, conditions, orders.

use serde_json::Value as Json;
use tiledb::{Array, Layout, ReadQuery, Result, Subarray, Value};

use crate::convert::{integer_of_value, value_of_integer, value_of_json};
use crate::protocol::invalid;

/// Maximum number of coordinates of a range with a step.
const MAX_STEPS: i128 = 1 << 24;

/// The query of a request: fields, condition and order, of the cells of a subarray.
///
/// # Errors
/// If they do not fit the array.
pub fn query(array: &Array, request: &Json, subarray: Option<&Subarray>) -> Result<ReadQuery<'static>> {
    let mut query = array.read();
    if let Some(names) = request["fields"].as_array() {
        let names = names.iter().map(|name| name.as_str().ok_or_else(|| invalid("'fields' are no texts")));
        query = query.fields(names.collect::<Result<Vec<&str>>>()?);
    }
    if let Some(subarray) = subarray {
        query = query.subarray(subarray);
    }
    if let Some(text) = request["where"].as_str() {
        query = query.condition_text(text);
    }
    if let Some(layout) = request["order"].as_str() {
        query = query.layout(match layout {
            "row-major" => Layout::RowMajor,
            "col-major" => Layout::ColMajor,
            "global" => Layout::GlobalOrder,
            "unordered" => Layout::Unordered,
            other => return Err(invalid(format!("There is no order '{other}'"))),
        });
    }
    if let Some(bytes) = request["batchBytes"].as_u64() {
        query = query.batch_bytes(bytes);
    }
    Ok(query)
}

/// The ranges of a request: by dimension or label, pairs of bounds, both included, and for dimensions a step.
///
/// # Errors
/// If they do not fit the array.
pub fn subarray(array: &Array, request: &Json) -> Result<Option<Subarray>> {
    let Some(ranges) = request["ranges"].as_object().filter(|ranges| !ranges.is_empty()) else { return Ok(None) };
    let schema = array.schema();
    let mut subarray = Subarray::new(&schema);
    for (name, list) in ranges {
        let is_label = schema.labels().iter().any(|label| label.name() == name);
        for pair in list.as_array().into_iter().flatten() {
            if let Some(step) = pair[2].as_u64().filter(|step| *step != 1) {
                let mut range = Subarray::new(&schema);
                add_range(&mut range, name, pair, is_label)?;
                subarray.add_points(name, steps(&range, name, step)?)?;
                continue;
            }
            add_range(&mut subarray, name, pair, is_label)?;
        }
    }
    Ok(Some(subarray))
}

fn add_range(subarray: &mut Subarray, name: &str, pair: &Json, is_label: bool) -> Result<()> {
    let (low, high) = (value_of_json(&pair[0])?, value_of_json(&pair[1])?);
    match (low, high) {
        (Some(low), Some(high)) if is_label => subarray.add_label_range(name, low..=high)?,
        (Some(low), Some(high)) => subarray.add_range(name, low..=high)?,
        (Some(low), None) => subarray.add_range(name, low..)?,
        (None, Some(high)) => subarray.add_range(name, ..=high)?,
        (None, None) => subarray,
    };
    Ok(())
}

/// Every coordinate of a range whose distance from its lower end is a multiple of `step`.
fn steps(range: &Subarray, name: &str, step: u64) -> Result<Vec<Value>> {
    let ends = range.ranges(name)?;
    let [(low, high)] = ends.as_slice() else { return Err(invalid(format!("'{name}' has no range"))) };
    let (Some(low), Some(high), 1..) = (integer_of_value(low), integer_of_value(high), step) else {
        return Err(invalid(format!(
            "Ranges of '{name}' have no step {step}; dimensions of integers and dates have, from 1 on"
        )));
    };
    if (high - low) / i128::from(step) >= MAX_STEPS {
        return Err(invalid(format!("The range of '{name}' has more than {MAX_STEPS} steps")));
    }
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    Ok((low..=high).step_by(step).map(value_of_integer).collect())
}
