//! A query of the engine with the array that it belongs to, run where the array is.

use std::sync::Arc;

use crate::error::{AtUri, Result};
use crate::handle::ArrayHandle;
use crate::location::{self, RemoteQueryState};
use crate::progress::{OnProgress, report};
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_core::types::QueryType;
use tiledb_query::{EstimatedSize, FilledBuffers, Query, ResultBuffers, Status};

type Engine<T> = tiledb_core::error::Result<T>;

/// Offsets of 64 bits, in bytes, one more than there are cells.
pub(crate) const OFFSETS: OffsetFormat = OffsetFormat { width: 8, elements: false, extra: true };

pub(crate) struct QuerySession {
    pub(crate) handle: Arc<ArrayHandle>,
    pub(crate) query: Query,
    remote_state: RemoteQueryState,
}

impl QuerySession {
    pub(crate) fn new(handle: &Arc<ArrayHandle>, kind: QueryType) -> Result<QuerySession> {
        let mut query = Query::new(&handle.snapshot()?, kind).at(handle.uri())?;
        query.set_offset_format(OFFSETS);
        Ok(QuerySession { handle: Arc::clone(handle), query, remote_state: Default::default() })
    }

    /// Runs work on the query, to which it gets a function that submits.
    pub(crate) fn run<T>(
        &mut self,
        work: impl FnOnce(&mut Query, &mut dyn FnMut(&mut Query) -> Engine<()>) -> Engine<T>,
    ) -> Result<T> {
        let QuerySession { handle, query, remote_state } = self;
        let _running = handle.ctx.running()?;
        let before = query.written().len();
        let done = work(query, &mut |query| location::submit(&handle.array, query, remote_state));
        let is_condition = matches!(query.kind(), QueryType::Delete);
        if done.is_ok() && (query.written().len() != before || is_condition) {
            location::maintain_after_write(&handle.array, handle.resources());
        }
        done.at(handle.uri())
    }

    /// Reads into new buffers; reports progress if it is asked for.
    pub(crate) fn read(
        &mut self,
        buffers: Vec<ResultBuffers>,
        on_progress: &mut Option<OnProgress<'_>>,
    ) -> Result<Vec<FilledBuffers>> {
        if on_progress.is_none() && self.is_deferred() {
            return self.run(|query, submit| {
                let mut filled = Vec::new();
                let mut buffers = Some(buffers);
                query.submit_watched(|query| {
                    filled = query.submit_into_buffers(buffers.take().unwrap_or_default(), |query| submit(query))?;
                    Ok(())
                })?;
                Ok(filled)
            });
        }
        if on_progress.is_none() {
            return self.run(|query, submit| query.submit_into_buffers(buffers, |query| submit(query)));
        }
        let QuerySession { handle, query, remote_state } = self;
        let _running = handle.ctx.running()?;
        let watch = query.watch().at(handle.uri())?;
        let mut filled = Vec::new();
        let mut buffers = Some(buffers);
        let array = &handle.array;
        let work = || {
            query.submit_watched(|query| {
                filled = query.submit_into_buffers(buffers.take().unwrap_or_default(), |query| {
                    location::submit(array, query, remote_state)
                })?;
                Ok(())
            })
        };
        watch.run(work, &mut |done, total| report(on_progress, done, total)).at(handle.uri())?;
        Ok(filled)
    }

    pub(crate) fn finalize(&mut self) -> Result<()> {
        let QuerySession { handle, query, remote_state } = self;
        let _running = handle.ctx.running()?;
        let before = query.written().len();
        location::finalize(&handle.array, query, remote_state).at(handle.uri())?;
        if query.written().len() != before {
            location::maintain_after_write(&handle.array, handle.resources());
        }
        Ok(())
    }

    pub(crate) fn estimate(&mut self, name: &str, is_var: bool, is_nullable: bool) -> Result<EstimatedSize> {
        let QuerySession { handle, query, remote_state } = self;
        location::estimate(&handle.array, query, remote_state, name, (is_var, is_nullable)).at(handle.uri())
    }

    /// Whether reads are repeated after the host program has supplied what they need.
    fn is_deferred(&self) -> bool {
        let array = self.query.array();
        array.resources().vfs().is_deferred(array.uri()).unwrap_or(false)
    }

    /// Whether the position of a read that failed was restored.
    pub(crate) fn can_repeat(&self) -> bool {
        self.query.status() != Status::Failed
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.query.status() == Status::Completed
    }
}
