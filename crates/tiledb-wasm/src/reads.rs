//! Reads whose results come batch by batch.

use serde_json::{Value as Json, json};
use tiledb::{Array, Batch, Batches, Error, ErrorKind, Field, Result, Subarray};

use crate::columns::column_json;
use crate::division;
use crate::selection::{query, subarray};

/// Number of parts into which a part is divided whose files exceed the cache.
const RETRY_PARTS: u64 = 8;

/// A read that has begun.
///
/// A batch whose files are missing is read again after they were supplied, from the position of the last one. Where that position is
/// not known, the query begins anew and skips as many batches as were delivered, which are the same.
pub struct OpenRead {
    array: Array,
    request: Json,
    fields: Vec<Field>,
    /// What is left to read, the next part last.
    parts: Vec<Option<Subarray>>,
    batches: Option<Batches<'static>>,
    /// Number of batches of the part that `batches` has returned.
    returned: u64,
    /// Number of batches of the part that were delivered.
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
        let whole = subarray(array, request)?;
        let batches = query(array, request, whole.as_ref())?.batches()?;
        let fields = batches.fields().to_vec();
        let mut parts = division::parts(array, request, whole, &fields)?;
        parts.reverse();
        let batches = (parts.len() == 1).then_some(batches);
        let (array, request) = (array.clone(), request.clone());
        Ok(OpenRead { array, request, fields, parts, batches, returned: 0, delivered: 0, current: None })
    }

    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The next batch; null at the end. One without columns is followed by others: each part is read by a call of its own, after
    /// which its files may be evicted. `is_waiting` tells whether files are missing.
    ///
    /// # Errors
    /// If the read fails.
    pub fn next(&mut self, is_waiting: impl Fn() -> bool) -> Result<Json> {
        self.current = None;
        while let Some(part) = self.parts.last() {
            let batches = match &mut self.batches {
                Some(batches) => batches,
                None => {
                    self.returned = 0;
                    self.batches.insert(query(&self.array, &self.request, part.as_ref())?.batches()?)
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
            let next = match next {
                Err(error) if error.kind() == ErrorKind::OutOfMemory && self.delivered == 0 => {
                    return self.divide(error);
                }
                next => next?,
            };
            if is_waiting() {
                return Ok(Json::Null);
            }
            let Some(batch) = next else {
                self.parts.pop();
                (self.batches, self.delivered) = (None, 0);
                return Ok(if self.parts.is_empty() { Json::Null } else { json!({"rows": 0}) });
            };
            self.returned += 1;
            if self.returned > self.delivered {
                self.delivered = self.returned;
                let batch = self.current.insert(batch);
                let columns = self.fields.iter().map(|field| column_json(batch, field));
                return Ok(json!({"rows": batch.len(), "columns": columns.collect::<Result<Vec<Json>>>()?}));
            }
        }
        Ok(Json::Null)
    }

    /// Divides the part that is read, of which nothing was delivered.
    fn divide(&mut self, error: Error) -> Result<Json> {
        let Some(part) = self.parts.pop() else { return Err(error) };
        let mut parts = division::divide(&self.array, &self.request, part, RETRY_PARTS)?;
        if parts.len() < 2 {
            return Err(error);
        }
        parts.reverse();
        self.parts.extend(parts);
        Ok(json!({"rows": 0}))
    }
}
