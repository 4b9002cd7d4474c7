//! Creation of arrays.

use std::collections::HashMap;

use super::advise::{Advice, AdvisedSchema};
use super::context::{Context, call, make};
use super::datatype::{Datatype, DatatypeKind};
use super::enumeration::NewEnumeration;
use super::error::Result;
use super::handle::{Handle, text};
use super::schema::VAR;
use super::sys;

/// The definition of an array to be created.
pub struct NewArray {
    pub is_dense: bool,
    /// Cells of a tile of a sparse array.
    pub capacity: u64,
    pub dimensions: Vec<NewDimension>,
    pub attributes: Vec<NewAttribute>,
    /// The checksum of each stored chunk.
    pub checksum: Option<Checksum>,
    pub filters: FilterChoice,
}

/// The filters of an array.
pub enum FilterChoice {
    /// None but the checksum.
    Checksum,
    /// Those that suit most data, and the checksum: numbers are byte-shuffled, so that bytes of equal significance are adjacent
    /// for the codec.
    Default,
    /// Recommended ones, the checksum included.
    Advised(Vec<Advice>, AdvisedSchema),
}

/// Filters that find out whether stored bytes were changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Checksum {
    /// 16 bytes for each chunk
    Md5,
    /// 32 bytes for each chunk
    Sha256,
}

impl Checksum {
    fn filter(self) -> u32 {
        match self {
            Self::Md5 => 12,
            Self::Sha256 => 13,
        }
    }

    /// Its name among the filters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Md5 => "CHECKSUM_MD5",
            Self::Sha256 => "CHECKSUM_SHA256",
        }
    }
}

/// One of its dimensions.
pub struct NewDimension {
    pub name: String,
    pub datatype: Datatype,
    /// The bytes of both bounds; `None` for strings.
    pub domain: Option<Vec<u8>>,
    /// The bytes of a tile's extent.
    pub extent: Option<Vec<u8>>,
}

/// One of its attributes; text is of any length.
pub struct NewAttribute {
    pub name: String,
    pub datatype: Datatype,
    pub is_nullable: bool,
}

/// Properties of an attribute that only files with types have.
pub struct AttributeDetail {
    /// Number of values per cell.
    pub values: u32,
    /// The values that its cells refer to by index.
    pub enumeration: Option<NewEnumeration>,
}

/// Details of attributes by name. Without them an attribute has no enumeration, and one value per cell, or one text.
pub type AttributeDetails = HashMap<String, AttributeDetail>;

const ZSTD: u32 = 2;
const BYTESHUFFLE: u32 = 9;

impl NewArray {
    /// Makes it.
    pub fn create(&self, ctx: &Context, uri: &str, details: &AttributeDetails) -> Result<()> {
        let schema = make!(ctx, tiledb_array_schema_alloc(u32::from(!self.is_dense)), tiledb_array_schema_free)?;
        let domain = make!(ctx, tiledb_domain_alloc(), tiledb_domain_free)?;
        let advised = match &self.filters {
            FilterChoice::Advised(_, schema) => Some(schema),
            _ => None,
        };
        for (at, dimension) in (0..).zip(&self.dimensions) {
            let name = text(&dimension.name)?;
            let place =
                |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(std::ptr::null(), |bytes| bytes.as_ptr().cast());
            let (bounds, extent) = (place(&dimension.domain), place(&dimension.extent));
            let made = make!(
                ctx,
                tiledb_dimension_alloc(name.as_ptr(), dimension.datatype.0, bounds, extent),
                tiledb_dimension_free
            )?;
            let filters = match advised {
                // The dimensions of a dense array store nothing.
                Some(advised) if !self.is_dense => advised.of_dimension(ctx, at)?,
                _ => self.filter_list(ctx, self.filters_of(dimension.datatype))?,
            };
            call!(ctx, tiledb_dimension_set_filter_list(made.raw(), filters.raw()))?;
            call!(ctx, tiledb_domain_add_dimension(domain.raw(), made.raw()))?;
        }
        call!(ctx, tiledb_array_schema_set_domain(schema.raw(), domain.raw()))?;
        for (at, attribute) in (0..).zip(&self.attributes) {
            let name = text(&attribute.name)?;
            let made = make!(ctx, tiledb_attribute_alloc(name.as_ptr(), attribute.datatype.0), tiledb_attribute_free)?;
            let detail = details.get(&attribute.name);
            let is_text = matches!(attribute.datatype.kind(), DatatypeKind::Text(_) | DatatypeKind::Bytes);
            let values = detail.map_or(if is_text { VAR } else { 1 }, |detail| detail.values);
            if values != 1 {
                call!(ctx, tiledb_attribute_set_cell_val_num(made.raw(), values))?;
            }
            if let Some(enumeration) = detail.and_then(|detail| detail.enumeration.as_ref()) {
                enumeration.add_to(ctx, &schema, &made)?;
            }
            call!(ctx, tiledb_attribute_set_nullable(made.raw(), u8::from(attribute.is_nullable)))?;
            let filters = match advised {
                Some(advised) => advised.of_attribute(ctx, at)?,
                None => self.filter_list(ctx, self.filters_of(attribute.datatype))?,
            };
            call!(ctx, tiledb_attribute_set_filter_list(made.raw(), filters.raw()))?;
            call!(ctx, tiledb_array_schema_add_attribute(schema.raw(), made.raw()))?;
        }
        let (offsets, validity) = match advised {
            Some(advised) => (advised.of_offsets(ctx)?, advised.of_validity(ctx)?),
            None => (
                self.filter_list(ctx, self.filters_of(Datatype::UINT64))?,
                self.filter_list(ctx, self.filters_of(Datatype::UINT8))?,
            ),
        };
        call!(ctx, tiledb_array_schema_set_offsets_filter_list(schema.raw(), offsets.raw()))?;
        call!(ctx, tiledb_array_schema_set_validity_filter_list(schema.raw(), validity.raw()))?;
        if !self.is_dense {
            call!(ctx, tiledb_array_schema_set_capacity(schema.raw(), self.capacity))?;
            call!(ctx, tiledb_array_schema_set_allows_dups(schema.raw(), 1))?;
        }
        let uri = text(uri)?;
        call!(ctx, tiledb_array_create(uri.as_ptr(), schema.raw()))
    }

    /// The filters of a datatype without recommendations.
    fn filters_of(&self, datatype: Datatype) -> &'static [u32] {
        match (&self.filters, datatype.kind()) {
            (FilterChoice::Checksum, _) => &[],
            (_, DatatypeKind::Text(_) | DatatypeKind::Bytes | DatatypeKind::Bool) => &[ZSTD],
            _ if datatype.size() == 1 => &[ZSTD],
            _ => &[BYTESHUFFLE, ZSTD],
        }
    }

    /// The filters of a field as text.
    pub fn filters_as_text(&self, field: &str, datatype: Datatype) -> String {
        if let FilterChoice::Advised(all, _) = &self.filters {
            // The dimension of a dense array stores nothing.
            let advice = all.iter().find(|advice| advice.is_of_filters() && advice.field.as_deref() == Some(field));
            let text = |advice: &Advice| match advice.recommended.as_str() {
                "" => "none".to_owned(),
                filters => filters.to_owned(),
            };
            return advice.map_or_else(String::new, text);
        }
        let filters = if self.filters_of(datatype).len() > 1 { "BYTESHUFFLE, ZSTD" } else { "ZSTD" };
        self.checksum.map_or(filters.to_owned(), |checksum| format!("{filters}, {}", checksum.name()))
    }

    /// These filters, followed by the checksum filter.
    fn filter_list(&self, ctx: &Context, filters: &[u32]) -> Result<Handle<sys::tiledb_filter_list_t>> {
        let list = make!(ctx, tiledb_filter_list_alloc(), tiledb_filter_list_free)?;
        for kind in filters.iter().copied().chain(self.checksum.map(Checksum::filter)) {
            let filter = make!(ctx, tiledb_filter_alloc(kind), tiledb_filter_free)?;
            call!(ctx, tiledb_filter_list_add_filter(list.raw(), filter.raw()))?;
        }
        Ok(list)
    }
}
