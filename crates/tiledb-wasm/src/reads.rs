//! Reads whose results come batch by batch.

use serde_json::{Value as Json, json};
use tiledb::{Array, Batch, Batches, ErrorKind, Field, Layout, ReadQuery, Result, Subarray};

use crate::columns::column_json;
use crate::convert::value_of_json;
use crate::protocol::invalid;

/// A read that has begun.
///
/// A batch whose files are missing is read again after they were supplied, from the position of the last one. Where that position is
/// not known, the query begins anew and skips as many batches as were delivered, which are the same.
pub struct OpenRead {
    array: Array,
    request: Json,
    fields: Vec<Field>,
    batches: Option<Batches<'static>>,
    /// Number of batches that `batches` has returned.
    returned: u64,
    /// Number of batches that were delivered.
    delivered: u64,
    /// The last batch, in whose memory its columns are.
    current: Option<Batch>,
}

impl OpenRead {
    /// Begins the read that a request describes.
    ///
    /// # Errors
    /// If it does not fit the array.
    pub fn new(array: &Array, request: &Json) -> Result<OpenRead> {
        let batches = query(array, request)?.batches()?;
        let fields = batches.fields().to_vec();
        let (array, request) = (array.clone(), request.clone());
        Ok(OpenRead { array, request, fields, batches: Some(batches), returned: 0, delivered: 0, current: None })
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The next batch; null at the end. `is_waiting` tells whether files are missing.
    ///
    /// # Errors
    /// If the read fails.
    pub fn next(&mut self, is_waiting: impl Fn() -> bool) -> Result<Json> {
        self.current = None;
        loop {
            let batches = match &mut self.batches {
                Some(batches) => batches,
                None => {
                    self.returned = 0;
                    self.batches.insert(query(&self.array, &self.request)?.batches()?)
                }
            };
            let next = batches.next().transpose();
            let is_lost = match &next {
                Ok(_) => is_waiting(),
                Err(error) => error.kind() != ErrorKind::Pending || batches.is_done(),
            };
            if is_lost {
                self.batches = None;
            }
            let Some(batch) = next? else { return Ok(Json::Null) };
            self.returned += 1;
            if is_waiting() {
                return Ok(Json::Null);
            }
            if self.returned > self.delivered {
                self.delivered = self.returned;
                let batch = self.current.insert(batch);
                let columns = self.fields.iter().map(|field| column_json(batch, field));
                return Ok(json!({"rows": batch.len(), "columns": columns.collect::<Result<Vec<Json>>>()?}));
            }
        }
    }
}

/// The query of a request: fields, ranges, condition, order.
///
/// # Errors
/// If they do not fit the array.
pub fn query(array: &Array, request: &Json) -> Result<ReadQuery<'static>> {
    let mut query = array.read();
    if let Some(names) = request["fields"].as_array() {
        let names = names.iter().map(|name| name.as_str().ok_or_else(|| invalid("'fields' are no texts")));
        query = query.fields(names.collect::<Result<Vec<&str>>>()?);
    }
    if let Some(subarray) = subarray(array, request)? {
        query = query.subarray(&subarray);
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

/// The ranges of a request: by dimension or label, pairs of bounds, both included.
fn subarray(array: &Array, request: &Json) -> Result<Option<Subarray>> {
    let Some(ranges) = request["ranges"].as_object().filter(|ranges| !ranges.is_empty()) else { return Ok(None) };
    let schema = array.schema();
    let mut subarray = Subarray::new(&schema);
    for (name, list) in ranges {
        let is_label = schema.labels().iter().any(|label| label.name() == name);
        for pair in list.as_array().into_iter().flatten() {
            let (low, high) = (value_of_json(&pair[0])?, value_of_json(&pair[1])?);
            match (low, high) {
                (Some(low), Some(high)) if is_label => subarray.add_label_range(name, low..=high)?,
                (Some(low), Some(high)) => subarray.add_range(name, low..=high)?,
                (Some(low), None) => subarray.add_range(name, low..)?,
                (None, Some(high)) => subarray.add_range(name, ..=high)?,
                (None, None) => &mut subarray,
            };
        }
    }
    Ok(Some(subarray))
}
