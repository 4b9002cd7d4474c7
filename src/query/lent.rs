//! Submits with memory that is lent for as long as they take.
#![expect(unsafe_code, reason = "a query keeps addresses, which are forgotten before the memory is given back")]

use super::Query;
use crate::error::{Result, bail};
use crate::query::columns::user::UserPtr;
use crate::types::QueryType;

impl Query {
    /// Reads cells of a field of fixed size into `cells`, as many as there are and fit; tells their bytes.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`] and [`Query::submit`].
    pub fn submit_into(&mut self, field: &str, cells: &mut [u8]) -> Result<u64> {
        self.submit_lent(field, cells.as_mut_ptr(), cells.len())
    }

    /// Writes cells of a field of fixed size.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`] and [`Query::submit`], and for queries that do not write.
    pub fn submit_from(&mut self, field: &str, cells: &[u8]) -> Result<()> {
        if self.kind() != QueryType::Write {
            bail!(Internal, "A query that does not write would overwrite the cells of '{field}'");
        }
        self.submit_lent(field, cells.as_ptr().cast_mut(), cells.len()).map(|_| ())
    }

    fn submit_lent(&mut self, field: &str, start: *mut u8, bytes: usize) -> Result<u64> {
        let mut size = bytes as u64;
        let query = Forgetting { query: self, field };
        // SAFETY: both callers hold the memory, of which only writers make do with a shared borrow, until this function
        // ends, and so lives `size`; `query` forgets both before that, also where the submit panics.
        let (start, size_at) = unsafe { (UserPtr::new(start), UserPtr::new(&raw mut size)) };
        query.query.set_data_buffer(field, start, size_at)?;
        query.query.submit()?;
        drop(query);
        Ok(size)
    }
}

/// A query that forgets the data buffer of a field at the end.
struct Forgetting<'a> {
    query: &'a mut Query,
    field: &'a str,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        self.query.forget_data(self.field);
    }
}
