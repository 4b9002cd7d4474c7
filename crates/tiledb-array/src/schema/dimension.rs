//! One dimension: name, type, domain, tile extent and filters.

use super::{dimension_check, filter_check};
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, CellValNum, Datatype, FormatVersion, HasName, Name};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::filter::Pipeline;

/// A dimension of an array. Numeric dimensions have a domain, string dimensions have none; the tile
/// extent is optional in sparse arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    name: Name,
    datatype: Datatype,
    /// The dimension's own filters, as stored.
    filters: Pipeline,
    /// The schema's coordinate filters, where the stored list was empty.
    inherited_filters: Option<Pipeline>,
    domain: Option<CellRange>,
    /// Both ends of the domain side by side and aligned, for C callers that borrow them.
    domain_words: [u64; 2],
    /// The bytes of the tile extent, aligned like the domain.
    extent: Option<[u64; 1]>,
}

impl HasName for Dimension {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl Dimension {
    /// A dimension as a user defines it. `domain` holds the two ends, `extent` one value, both as
    /// bytes of `datatype`; strings take neither.
    ///
    /// # Errors
    /// If the datatype is not one of a dimension, or domain and extent break a rule.
    pub fn new(name: &str, datatype: Datatype, domain: Option<&[u8]>, extent: Option<&[u8]>) -> Result<Dimension> {
        dimension_check::datatype(datatype)?;
        let mut dimension = Dimension::without_domain(name, datatype);
        dimension.set_domain(domain)?;
        dimension.set_extent(extent)?;
        Ok(dimension)
    }

    /// A dimension from a message: the rules and filters of stored ones apply.
    ///
    /// # Errors
    /// If the datatype is not valid for a dimension, or domain and extent break a rule.
    pub fn from_parts(
        name: &str,
        datatype: Datatype,
        domain: &[u8],
        extent: Option<&[u8]>,
        filters: Pipeline,
    ) -> Result<Dimension> {
        dimension_check::datatype(datatype)?;
        let mut dimension = Dimension { filters, ..Dimension::without_domain(name, datatype) };
        if dimension.is_var() && extent.is_some() {
            bail!("Dimension: Setting the tile extent to a dimension with type '{}' is not supported", datatype.name());
        }
        dimension.accept_stored(domain, extent)?;
        Ok(dimension)
    }

    /// A dimension of which only the type is known.
    ///
    /// # Errors
    /// If it is not one of a dimension.
    pub fn nameless(datatype: Datatype) -> Result<Dimension> {
        dimension_check::datatype(datatype)?;
        Ok(Dimension::without_domain("", datatype))
    }

    fn without_domain(name: &str, datatype: Datatype) -> Dimension {
        Dimension {
            name: Name::new(name),
            datatype,
            filters: Pipeline::default(),
            inherited_filters: None,
            domain: None,
            domain_words: [0; 2],
            extent: None,
        }
    }

    fn set_domain(&mut self, domain: Option<&[u8]>) -> Result<()> {
        let Some(bytes) = domain else { return Ok(()) };
        if self.is_var() {
            bail!("Dimension: Setting the domain to a dimension with type '{}' is not supported", self.datatype.name());
        }
        let range = self.range_of(bytes)?;
        dimension_check::domain(&self.name, self.datatype, &range)?;
        self.keep_domain(range, bytes);
        Ok(())
    }

    fn set_extent(&mut self, extent: Option<&[u8]>) -> Result<()> {
        if self.is_var() {
            if extent.is_some() {
                bail!(
                    "Dimension: Setting the tile extent to a dimension with type '{}' is not supported",
                    self.datatype.name()
                );
            }
            return Ok(());
        }
        let Some(domain) = &self.domain else {
            bail!("Dimension: Cannot set tile extent; Domain must be set first: dimension '{}' has none", self.name);
        };
        if let Some(bytes) = extent {
            if bytes.len() != self.size() {
                bail!("Dimension: Tile extent has {} bytes, one value has {}", bytes.len(), self.size());
            }
            dimension_check::extent(&self.name, self.datatype, domain, bytes)?;
            self.keep_extent(bytes);
        }
        Ok(())
    }

    fn range_of(&self, bytes: &[u8]) -> Result<CellRange> {
        let size = self.size();
        if bytes.len() != 2 * size {
            bail!("Dimension: The domain has {} bytes, two values have {}", bytes.len(), 2 * size);
        }
        CellRange::fixed(&bytes[..size], &bytes[size..])
    }

    fn keep_domain(&mut self, range: CellRange, bytes: &[u8]) {
        bytemuck::bytes_of_mut(&mut self.domain_words)[..bytes.len()].copy_from_slice(bytes);
        self.domain = Some(range);
    }

    fn keep_extent(&mut self, bytes: &[u8]) {
        let mut words = [0; 1];
        bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        self.extent = Some(words);
    }

    /// The name; empty for an anonymous dimension.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The type of the coordinates.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// Values per coordinate: variable for strings, else one.
    pub fn cell_val_num(&self) -> CellValNum {
        self.datatype.coordinate_cells()
    }

    /// True for string dimensions.
    pub fn is_var(&self) -> bool {
        self.cell_val_num().is_var()
    }

    /// Bytes of one value of a coordinate.
    pub fn size(&self) -> usize {
        self.datatype.size()
    }

    /// The filters of the coordinates: the dimension's own or, in a schema that was read, the
    /// schema's coordinate filters where it has none.
    pub fn filters(&self) -> &Pipeline {
        self.inherited_filters.as_ref().unwrap_or(&self.filters)
    }

    /// Makes inherited filters explicit, so that they are stored when a loaded schema is stored again.
    pub(super) fn own_filters(&mut self) {
        if let Some(filters) = self.inherited_filters.take() {
            self.filters = filters;
        }
    }

    /// Reading does not compare digests.
    pub(super) fn skip_checksums(&mut self) {
        self.filters.skip_checksums();
        if let Some(filters) = &mut self.inherited_filters {
            filters.skip_checksums();
        }
    }

    /// Sets the filters of the coordinates.
    ///
    /// # Errors
    /// If a filter does not accept its input.
    pub fn set_filters(&mut self, filters: Pipeline) -> Result<()> {
        filter_check::field(&filters, self.datatype, self.cell_val_num())?;
        self.filters = filters;
        self.inherited_filters = None;
        Ok(())
    }

    /// Sets the number of values per coordinate, which follows from the datatype: only that number
    /// is accepted.
    ///
    /// # Errors
    /// For any other number.
    pub fn set_cell_val_num(&mut self, cell_val_num: u32) -> Result<()> {
        match (self.is_var(), cell_val_num) {
            (true, u32::MAX) | (false, 1) => Ok(()),
            (true, _) => {
                bail!(
                    "Dimension: Cannot set non-variable number of values per coordinate for a string dimension: '{}' takes \
                     TILEDB_VAR_NUM, not {cell_val_num}",
                    self.name
                )
            }
            (false, _) => bail!(
                "Dimension: Cannot set number of values per coordinate; Currently only one value per coordinate is supported: '{}' \
                 takes 1, not {cell_val_num}",
                self.name
            ),
        }
    }

    /// The domain; `None` for strings.
    pub fn domain(&self) -> Option<&CellRange> {
        self.domain.as_ref()
    }

    /// Both ends of the domain side by side, aligned for their type; `None` for strings.
    pub fn domain_bytes(&self) -> Option<&[u8]> {
        let len = 2 * self.size();
        self.domain.as_ref().and_then(|_| bytemuck::bytes_of(&self.domain_words).get(..len))
    }

    /// The tile extent as bytes of one value, aligned for its type; `None` if there is none.
    #[inline]
    pub fn tile_extent(&self) -> Option<&[u8]> {
        let len = self.size();
        self.extent.as_ref().and_then(|words| bytemuck::bytes_of(words).get(..len))
    }

    /// The tile extent of an integer type as a count of cells; `None` if there is none and for
    /// floats. Extents are counts even in signed types: a negative one has the bits of the count.
    pub fn cells_per_tile(&self) -> Option<u64> {
        if self.datatype.is_float() {
            return None;
        }
        self.tile_extent().map(dimension_check::extent_count)
    }

    /// True for a numeric dimension without a tile extent.
    pub fn lacks_extent(&self) -> bool {
        self.domain.is_some() && self.extent.is_none()
    }

    /// Sets the tile extent of a numeric dimension without one to its whole domain, as in every array except for
    /// Hilbert order.
    pub fn fill_extent(&mut self) {
        if let (Some(domain), None) = (&self.domain, &self.extent) {
            let extent = dimension_check::whole_extent(self.datatype, domain);
            self.keep_extent(&extent);
        }
    }

    /// Reads one dimension of a schema. Before dimensions were fields of their own, the schema
    /// states `domain_type` for all of them; later `coords_filters` replace an empty filter list.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub(super) fn read(
        r: &mut WireReader,
        version: FormatVersion,
        domain_type: Option<Datatype>,
        coords_filters: &Pipeline,
    ) -> Result<Dimension> {
        let name = r.str32()?;
        let mut dimension;
        let domain_size;
        if let Some(datatype) = domain_type {
            dimension = Dimension::without_domain(name, datatype);
            domain_size = 2 * datatype.size();
        } else {
            dimension = Dimension::without_domain(name, Datatype::from_number(u32::from(r.u8()?))?);
            let cell_val_num = r.u32()?;
            dimension.set_cell_val_num(cell_val_num)?;
            dimension.filters = Pipeline::read(r, version)?;
            if dimension.filters.is_empty() {
                dimension.inherited_filters = Some(coords_filters.clone());
            }
            domain_size = r.length64()?;
        }
        dimension_check::datatype(dimension.datatype)?;
        let domain = r.bytes(domain_size)?;
        let no_extent = r.u8()? != 0;
        let extent = if no_extent { None } else { Some(r.bytes(dimension.size())?) };
        dimension.accept_stored(domain, extent)?;
        Ok(dimension)
    }

    /// Sets domain and extent from a file. Rules that only prevent overflow apply to arrays with an extent.
    fn accept_stored(&mut self, domain: &[u8], extent: Option<&[u8]>) -> Result<()> {
        if self.is_var() {
            return self.set_domain((!domain.is_empty()).then_some(domain));
        }
        let range = self.range_of(domain)?;
        dimension_check::stored_domain(&self.name, self.datatype, &range)?;
        if let Some(extent) = extent {
            dimension_check::stored_extent(&self.name, self.datatype, &range, extent)?;
            self.keep_extent(extent);
        }
        self.keep_domain(range, domain);
        Ok(())
    }

    /// Writes the dimension as writable versions have it.
    pub(super) fn write(&self, w: &mut WireWriter, version: FormatVersion) {
        w.str32(&self.name).u8(self.datatype.number()).u32(self.cell_val_num().number());
        self.filters.write(w, version);
        let domain = self.domain_bytes().unwrap_or_default();
        w.u64(domain.len() as u64).bytes(domain);
        match self.tile_extent() {
            Some(extent) => w.u8(0).bytes(extent),
            None => w.u8(1),
        };
    }
}
