//! Writes in global order.

use super::cells::Cells;
use super::session::QuerySession;
use super::write::{WriteQuery, WriteSummary, write};
use crate::datatype::Layout;
use crate::error::Result;

/// A write in global order, in any number of parts: one fragment of any size with little memory; made by
/// [`ArrayWriter::write_global`](crate::ArrayWriter::write_global).
///
/// The cells of all parts come in the order in which they are stored: tile by tile. A write that is dropped before
/// [`finish`](GlobalWrite::finish) writes nothing.
///
/// ```
/// use tiledb::{Array, ArraySchema, Attribute, Cells, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::sparse()
///     .dimension(Dimension::new("time", 0..=999_999_i64).tile(1000))
///     .attribute(Attribute::new::<f64>("value"))
///     .build()?;
/// Array::create(&ctx, "mem://ordered", &schema)?;
/// let writer = Array::open_for_writing(&ctx, "mem://ordered")?;
/// let mut write = writer.write_global()?;
/// for part in 0..10 {
///     let times: Vec<i64> = (0..100).map(|at| part * 100 + at).collect();
///     let values = vec![0.5; 100];
///     write.write(Cells::new().values("time", &times).values("value", &values))?;
/// }
/// write.finish()?;
/// # Ok::<(), tiledb::Error>(())
/// ```
#[must_use = "nothing is written before `finish`"]
pub struct GlobalWrite {
    session: QuerySession,
    is_finished: bool,
}

impl GlobalWrite {
    pub(crate) fn new(query: WriteQuery<'_>) -> Result<GlobalWrite> {
        Ok(GlobalWrite { session: query.layout(Layout::GlobalOrder).begin(None)?, is_finished: false })
    }

    /// Writes the next cells.
    ///
    /// # Errors
    /// If columns are missing, have another type or different lengths, cells are not in order, or storage fails.
    pub fn write(&mut self, cells: Cells<'_>) -> Result<()> {
        let uri = self.session.handle.uri().to_owned();
        self.session.query.expect_new_cells();
        write(&mut self.session, cells, &uri)
    }

    /// Commits the fragment: its cells become visible.
    ///
    /// # Errors
    /// If cells of a dense array are missing, or storage fails.
    pub fn finish(mut self) -> Result<WriteSummary> {
        self.session.finalize()?;
        self.is_finished = true;
        Ok(WriteSummary::of(&self.session))
    }
}

impl Drop for GlobalWrite {
    fn drop(&mut self) {
        if !self.is_finished {
            self.session.query.abort();
        }
    }
}
