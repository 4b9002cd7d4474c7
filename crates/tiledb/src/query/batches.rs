//! Reads as iterators of batches.

use super::batch::Batch;
use super::column::{Column, buffers};
use super::session::QuerySession;
use crate::error::{ErrorKind, Result};
use crate::progress::OnProgress;
use crate::schema::Field;

/// The results of a read, batch by batch; made by [`ReadQuery::batches`](crate::ReadQuery::batches).
///
/// A batch has as many cells as fit into the memory that a batch may use; the next one continues where it ended. After an error the
/// iterator ends, except after [`Pending`](crate::ErrorKind::Pending) where the read can be repeated ([`Batches::is_done`]).
pub struct Batches<'a> {
    session: QuerySession,
    fields: Vec<Field>,
    /// Target size of a batch.
    bytes: u64,
    /// Number of cells that are read at most, if it is known.
    cells: Option<u64>,
    on_progress: Option<OnProgress<'a>>,
    is_done: bool,
}

impl<'a> Batches<'a> {
    pub(super) fn new(
        session: QuerySession,
        fields: Vec<Field>,
        bytes: u64,
        cells: Option<u64>,
        on_progress: Option<OnProgress<'a>>,
    ) -> Batches<'a> {
        Batches { session, fields, bytes, cells, on_progress, is_done: false }
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        while !self.is_done {
            let buffers = buffers(&self.fields, self.bytes, self.cells)?;
            let filled = self.session.read(buffers, &mut self.on_progress)?;
            self.is_done = self.session.is_complete();
            let columns = self.fields.iter().zip(filled).map(|(field, filled)| Column::new(field, filled));
            let batch = Batch::new(self.session.query.array(), columns.collect());
            if !batch.columns.iter().all(|column| column.rows == 0) {
                return Ok(Some(batch));
            }
            if !self.is_done {
                // Not even one cell fits: a long one.
                self.bytes = self.bytes.saturating_mul(2);
                self.cells = None;
            }
        }
        Ok(None)
    }

    /// The fields of the batches.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Whether the iterator has ended.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// An empty batch with the same fields.
    pub(super) fn empty(&self) -> Batch {
        let filled = || tiledb_query::FilledBuffers { data: (Vec::new(), 0), offsets: None, validity: None };
        let columns = self.fields.iter().map(|field| {
            let mut filled = filled();
            filled.offsets = field.is_var().then(|| (vec![0], 8));
            filled.validity = field.is_nullable().then(|| (Vec::new(), 0));
            Column::new(field, filled)
        });
        Batch::new(self.session.query.array(), columns.collect())
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let next = self.next_batch().transpose();
        if let Some(Err(error)) = &next {
            self.is_done |= error.kind() != ErrorKind::Pending || !self.session.can_repeat();
        }
        next
    }
}

impl std::iter::FusedIterator for Batches<'_> {}
