//! Bytes of the cells of a tile: the user's own where they lie as they are needed.

use std::ops::Deref;

use crate::error::Result;
use crate::pool::{Scratch, scratch};
use crate::query::columns::rows::Rows;

/// Bytes of gathered cells.
pub enum Gathered<'a> {
    /// The user's.
    Borrowed(&'a [u8]),
    /// Fixed cells.
    Owned(Scratch),
    /// Variable cells, one behind the other.
    Joined(Vec<u8>),
}

impl<'a> Gathered<'a> {
    /// These bytes, at an address that suits every type of cell.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn aligned(bytes: &'a [u8]) -> Result<Gathered<'a>> {
        if bytes.as_ptr().align_offset(ALIGNMENT) == 0 {
            return Ok(Gathered::Borrowed(bytes));
        }
        let mut own = scratch(bytes.len())?;
        own.copy_from_slice(bytes);
        Ok(Gathered::Owned(own))
    }

    /// Where the user has them.
    pub fn rows(&self) -> Option<Rows<'a>> {
        match self {
            Gathered::Borrowed(bytes) => Some(Rows::whole(bytes)),
            _ => None,
        }
    }
}

/// That of every type of cell.
const ALIGNMENT: usize = 8;

impl Deref for Gathered<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Gathered::Borrowed(bytes) => bytes,
            Gathered::Owned(bytes) => bytes,
            Gathered::Joined(bytes) => bytes,
        }
    }
}
