//! The current domain: the part of the domain that cells may be written to, which schema evolution can expand.

use std::sync::Arc;

use super::value_text::range_text;
use super::{Dimension, Domain, no_dimension, read_range, write_range};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, Datatype, NdRange};
use tiledb_core::wire::{WireReader, WireWriter};

/// The only version of the structure.
const VERSION: u32 = 0;
/// The only type of current domain: an n-dimensional rectangle.
const NDRECTANGLE: u8 = 0;

/// A hyperrectangle over the dimensions of a domain; ranges may be missing while it is being built.
#[derive(Clone, Debug, PartialEq)]
pub struct NdRectangle {
    domain: Arc<Domain>,
    /// Shared with copies of the rectangle, and with C, which has pointers into them.
    ranges: Vec<Option<Arc<CellRange>>>,
}

impl NdRectangle {
    /// A rectangle without ranges.
    pub fn new(domain: Arc<Domain>) -> NdRectangle {
        let ranges = vec![None; domain.len()];
        NdRectangle { domain, ranges }
    }

    /// The same ranges over a domain that may have more dimensions.
    pub fn over(self, domain: Arc<Domain>) -> NdRectangle {
        NdRectangle { domain, ..self }
    }

    /// The domain it belongs to.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// All ranges, or `None` while some are missing.
    pub fn complete(&self) -> Option<NdRange> {
        self.ranges.iter().map(|range| range.as_deref().cloned()).collect()
    }

    /// The position of the dimension with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn index_of(&self, name: &str) -> Result<usize> {
        match self.domain.index_of(name) {
            Some(index) => Ok(index),
            None => Err(no_dimension(&self.domain, name)),
        }
    }

    /// The type of a dimension.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn datatype(&self, index: usize) -> Result<Datatype> {
        match self.domain.dimensions().get(index).filter(|_| index < self.ranges.len()) {
            Some(dimension) => Ok(dimension.datatype()),
            None => bail!(
                "The index does not correspond to a valid dimension in the NDRectangle: {index} is not below {}",
                self.ranges.len()
            ),
        }
    }

    /// The range of a dimension, `None` while it is missing.
    ///
    /// # Errors
    /// If there is no such dimension.
    pub fn range(&self, index: usize) -> Result<Option<&Arc<CellRange>>> {
        match self.ranges.get(index) {
            Some(range) => Ok(range.as_ref()),
            None => bail!(
                "Trying to get a range for an index out of bounds is not possible. {index} is not below {}",
                self.ranges.len()
            ),
        }
    }

    /// Sets the range of a dimension from the bytes of its ends.
    ///
    /// # Errors
    /// If there is no such dimension, or the ends are none of its values or not in order.
    pub fn set_range(&mut self, index: usize, low: &[u8], high: &[u8]) -> Result<()> {
        let Some(dimension) = self.domain.dimensions().get(index) else {
            bail!("invalid dimension index: {index} is not below {}", self.domain.len())
        };
        let Some(place) = self.ranges.get_mut(index) else {
            bail!("Trying to set a range for an index out of bounds is not possible. No dimension {index}");
        };
        *place = Some(Arc::new(checked_range(dimension, low, high)?));
        Ok(())
    }

    /// True if `other` is completely inside; never for rectangles with missing ranges.
    pub fn contains(&self, other: &NdRectangle) -> bool {
        let (Some(outer), Some(inner)) = (self.complete(), other.complete()) else { return false };
        outer.len() == inner.len()
            && self.domain.dimensions().iter().zip(outer.iter().zip(&inner)).all(|(dimension, (outer, inner))| {
                outer.is_var() == inner.is_var() && outer.contains(dimension.datatype(), inner)
            })
    }

    /// The ranges as text, one per line.
    pub fn dump(&self) -> String {
        let mut text = String::from(" - NDRectangle ###\n");
        for (dimension, range) in self.domain.dimensions().iter().zip(&self.ranges) {
            let range = range.as_ref().map_or_else(|| "null".into(), |range| range_text(dimension, range));
            text.push_str(&format!("  - {range}\n"));
        }
        text
    }
}

fn checked_range(dimension: &Dimension, low: &[u8], high: &[u8]) -> Result<CellRange> {
    if low.is_empty() && high.is_empty() {
        bail!("Range is empty: that of dimension '{}'", dimension.name());
    }
    if dimension.is_var() {
        if low > high {
            bail!(
                "Lower range bound {} cannot be larger than the higher bound {}",
                String::from_utf8_lossy(low),
                String::from_utf8_lossy(high)
            );
        }
        return Ok(CellRange::var(low, high));
    }
    let size = dimension.size();
    if low.len() != size || high.len() != size {
        bail!("Range size {} does not match the expected size {}", low.len() + high.len(), 2 * size);
    }
    let range = CellRange::fixed(low, high)?;
    super::dimension_check::range(dimension.datatype(), &range)?;
    Ok(range)
}

/// The current domain of a schema; empty means the whole domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurrentDomain {
    rectangle: Option<Arc<NdRectangle>>,
}

impl CurrentDomain {
    /// A current domain of this rectangle.
    pub fn of(rectangle: Arc<NdRectangle>) -> CurrentDomain {
        CurrentDomain { rectangle: Some(rectangle) }
    }

    /// True if both have the same rectangle, or none.
    pub fn is_same(&self, other: &CurrentDomain) -> bool {
        match (&self.rectangle, &other.rectangle) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// True if none is set.
    pub fn is_empty(&self) -> bool {
        self.rectangle.is_none()
    }

    /// The rectangle, if one is set.
    pub fn rectangle(&self) -> Option<&Arc<NdRectangle>> {
        self.rectangle.as_ref()
    }

    /// Checks that the rectangle is complete and within `domain`.
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn check(&self, domain: &Domain) -> Result<()> {
        let Some(rectangle) = &self.rectangle else { return Ok(()) };
        if rectangle.ranges.len() != domain.len() {
            bail!(
                "TileDB internal: The array current domain and the array schema have a non-equal number of dimensions: {} and {}",
                rectangle.ranges.len(),
                domain.len()
            );
        }
        if let Some(index) = rectangle.ranges.iter().position(Option::is_none) {
            bail!("TileDB internal: This current domain has no range specified for dimension idx: {index}");
        }
        for (dimension, range) in domain.dimensions().iter().zip(rectangle.ranges.iter().flatten()) {
            let fits = match dimension.domain() {
                Some(domain) => {
                    range.low().len() == dimension.size()
                        && !range.is_var()
                        && domain.contains(dimension.datatype(), range)
                }
                None => range.is_var(),
            };
            if !fits {
                bail!(
                    "TileDB internal: This array current domain has ranges past the boundaries of the array schema domain: that \
                     of dimension '{}'",
                    dimension.name()
                );
            }
        }
        Ok(())
    }

    /// The current domain as text.
    pub fn dump(&self) -> String {
        let mut text =
            format!("### Current domain ###\n- Version: {VERSION}\n- Empty: {}\n", u8::from(self.is_empty()));
        if let Some(rectangle) = &self.rectangle {
            text.push_str("- Type: NDRECTANGLE\n");
            text.push_str(&rectangle.dump());
        }
        text
    }

    /// Reads the current domain of a schema over `domain`.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read(r: &mut WireReader, domain: &Arc<Domain>) -> Result<CurrentDomain> {
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
            ranges.push(Some(Arc::new(read_range(r, dimension)?)));
        }
        Ok(CurrentDomain { rectangle: Some(Arc::new(NdRectangle { domain: domain.clone(), ranges })) })
    }

    /// Writes the current domain.
    pub(super) fn write(&self, w: &mut WireWriter) {
        w.u32(VERSION).u8(u8::from(self.is_empty()));
        if let Some(rectangle) = &self.rectangle {
            w.u8(NDRECTANGLE);
            rectangle.ranges.iter().flatten().for_each(|range| write_range(w, range));
        }
    }
}
