//! Input columns of writes: the cells of fields as the user supplies them.

use std::borrow::Cow;

use tiledb_core::types::{HasName, Name, NamedList};

/// The cells of one field in a write.
#[derive(Clone)]
pub struct InputColumn<'a> {
    /// The field.
    pub name: Name,
    /// Fixed cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Starts of variable cells in bytes; ascending and inside `data`.
    pub starts: Option<Cow<'a, [u64]>>,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

/// Some of the cells of a column.
#[derive(Clone, Copy)]
pub(crate) struct InputSlice<'a> {
    /// Fixed cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Starts of variable cells; `data` begins at the start `origin`.
    pub starts: Option<&'a [u64]>,
    /// See `starts`.
    pub origin: u64,
    /// One byte per cell of a nullable field.
    pub validity: Option<&'a [u8]>,
}

impl HasName for InputColumn<'_> {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl InputColumn<'_> {
    /// How many cells there are; `cell_size` counts only for fixed fields.
    pub(crate) fn cells(&self, cell_size: usize) -> usize {
        self.starts.as_ref().map_or(self.data.len() / cell_size.max(1), |starts| starts.len())
    }

    /// The cells `first..first + count`, clamped to those that exist.
    pub(crate) fn slice(&self, cell_size: usize, first: usize, count: usize) -> InputSlice<'_> {
        let part = |len: usize, unit: usize| {
            first.saturating_mul(unit).min(len)..(first + count).saturating_mul(unit).min(len)
        };
        let validity = self.validity.map(|validity| &validity[part(validity.len(), 1)]);
        let Some(starts) = self.starts.as_deref() else {
            let data = &self.data[part(self.data.len(), cell_size)];
            return InputSlice { data, starts: None, origin: 0, validity };
        };
        let end = starts.get(first + count).map_or(self.data.len(), |&start| start as usize);
        let origin = starts.get(first).map_or(end, |&start| start as usize);
        let data = self.data.get(origin..end).unwrap_or_default();
        InputSlice { data, starts: Some(&starts[part(starts.len(), 1)]), origin: origin as u64, validity }
    }
}

/// The cells of one submit of a write.
#[derive(Clone, Default)]
pub struct Inputs<'a> {
    /// One column per field set.
    pub columns: NamedList<InputColumn<'a>>,
}

impl<'a> Inputs<'a> {
    /// The column of a field.
    pub fn column(&self, name: &str) -> Option<&InputColumn<'a>> {
        self.columns.get(name)
    }
}
