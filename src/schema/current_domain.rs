//! The current domain: the part of the domain that an array uses at present.

use std::sync::Arc;

use super::{Domain, read_range, write_range};
use crate::error::{Result, bail};
use crate::types::{CellRange, NdRange};
use crate::wire::{Reader, Writer};

/// The only version of the structure.
const VERSION: u32 = 0;
/// The only type of current domain: an n-dimensional rectangle.
const NDRECTANGLE: u8 = 0;

/// A rectangle over the dimensions of a domain; ranges may still be missing while it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct NdRectangle {
    domain: Arc<Domain>,
    ranges: Vec<Option<CellRange>>,
}

impl NdRectangle {
    /// A rectangle without ranges.
    pub fn new(domain: Arc<Domain>) -> NdRectangle {
        let ranges = vec![None; domain.len()];
        NdRectangle { domain, ranges }
    }

    /// The domain it belongs to.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The ranges set so far, one place per dimension.
    pub fn ranges(&self) -> &[Option<CellRange>] {
        &self.ranges
    }

    /// All ranges, or `None` while some are missing.
    pub fn complete(&self) -> Option<NdRange> {
        self.ranges.iter().cloned().collect()
    }
}

/// The current domain of a schema; empty means the whole domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurrentDomain {
    rectangle: Option<Arc<NdRectangle>>,
}

impl CurrentDomain {
    /// True if none is set.
    pub fn is_empty(&self) -> bool {
        self.rectangle.is_none()
    }

    /// The rectangle, if one is set.
    pub fn rectangle(&self) -> Option<&Arc<NdRectangle>> {
        self.rectangle.as_ref()
    }

    /// Reads the current domain of a schema over `domain`.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read(r: &mut Reader, domain: &Arc<Domain>) -> Result<CurrentDomain> {
        let version = r.u32()?;
        if version > VERSION {
            bail!(Unsupported, "Current domain version {version} is newer than this library's, which is {VERSION}");
        }
        if r.u8()? != 0 {
            return Ok(CurrentDomain::default());
        }
        let kind = r.u8()?;
        if kind != NDRECTANGLE {
            bail!(Unsupported, "Current domain type {kind} is unknown; this library knows rectangles, type 0");
        }
        let mut ranges = Vec::with_capacity(domain.len());
        for dimension in domain.dimensions() {
            ranges.push(Some(read_range(r, dimension)?));
        }
        Ok(CurrentDomain { rectangle: Some(Arc::new(NdRectangle { domain: domain.clone(), ranges })) })
    }

    /// Writes the current domain.
    pub(super) fn write(&self, w: &mut Writer) {
        w.u32(VERSION).u8(u8::from(self.is_empty()));
        if let Some(rectangle) = &self.rectangle {
            w.u8(NDRECTANGLE);
            rectangle.ranges.iter().flatten().for_each(|range| write_range(w, range));
        }
    }
}
