//! Creation of arrays.

use std::collections::HashMap;

use tiledb::{
    Array, ArraySchema, Attribute, CellValNum, Context, Datatype, Dimension, Enumeration, Filter, FilterList,
    SchemaEvolution, Value,
};

use super::advise::Advice;
use super::datatype::{DatatypeExt, DatatypeKind};
use super::error::{Error, Result};
use super::schema::VAR;

/// The definition of an array to be created.
pub(crate) struct NewArray {
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
pub(crate) enum FilterChoice {
    /// None but the checksum.
    Checksum,
    /// Those that suit most data, and the checksum: numbers are byte-shuffled, so that bytes of equal significance are adjacent
    /// for the codec.
    Default,
    /// Recommended ones, the checksum included.
    Advised(Vec<Advice>, ArraySchema),
}

/// Filters that find out whether stored bytes were changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Checksum {
    /// 16 bytes for each chunk
    Md5,
    /// 32 bytes for each chunk
    Sha256,
}

impl Checksum {
    fn filter(self) -> Filter {
        match self {
            Self::Md5 => Filter::checksum_md5(),
            Self::Sha256 => Filter::checksum_sha256(),
        }
    }

    /// Its name among the filters.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Md5 => "CHECKSUM_MD5",
            Self::Sha256 => "CHECKSUM_SHA256",
        }
    }
}

/// One of its dimensions.
pub(crate) struct NewDimension {
    pub name: String,
    pub datatype: Datatype,
    /// The bytes of both bounds; `None` for strings.
    pub domain: Option<Vec<u8>>,
    /// The bytes of a tile's extent.
    pub extent: Option<Vec<u8>>,
}

/// One of its attributes; text is of any length.
pub(crate) struct NewAttribute {
    pub name: String,
    pub datatype: Datatype,
    pub is_nullable: bool,
}

/// Properties of an attribute that only files with types have.
pub(crate) struct AttributeDetail {
    /// Number of values per cell.
    pub values: u32,
    /// The values that its cells refer to by index.
    pub enumeration: Option<NewEnumeration>,
}

/// Details of attributes by name. Without them an attribute has no enumeration, and one value per cell, or one text.
pub(crate) type AttributeDetails = HashMap<String, AttributeDetail>;

/// An enumeration to be created.
#[derive(Clone)]
pub(crate) struct NewEnumeration {
    pub name: String,
    pub datatype: Datatype,
    /// Number of values per member; [`VAR`] for texts.
    pub values: u32,
    pub is_ordered: bool,
    /// The bytes of all members.
    pub data: Vec<u8>,
    /// Where each begins, for variable lengths.
    pub offsets: Vec<u64>,
}

impl NewEnumeration {
    /// Number of members.
    pub(crate) fn members(&self) -> usize {
        match self.values {
            VAR => self.offsets.len(),
            values => self.data.len() / (self.datatype.size() * values as usize).max(1),
        }
    }

    /// As the library takes it.
    fn build(&self) -> Result<Enumeration> {
        let values = if self.values == VAR { CellValNum::Var } else { CellValNum::Fixed(self.values) };
        let offsets = if self.offsets.is_empty() { None } else { Some(self.offsets.as_slice()) };
        Ok(Enumeration::from_bytes(&self.name, self.datatype, values, self.is_ordered, &self.data, offsets)?)
    }
}

/// Appends members to the enumeration of an attribute of an existing array.
pub(crate) fn extend_enumeration(
    ctx: &Context,
    uri: &str,
    attribute: &str,
    data: &[u8],
    offsets: &[u64],
) -> Result<()> {
    let schema = Array::load_schema(ctx, uri)?;
    let found = schema.attribute(attribute).and_then(|attribute| attribute.enumeration_name().map(str::to_owned));
    let name = found.ok_or_else(|| Error::failed(format!("{uri}: {attribute:?} has no enumeration")))?;
    let offsets = if offsets.is_empty() { None } else { Some(offsets) };
    let extended = schema.enumeration(&name)?.extend_bytes(data, offsets)?;
    Ok(Array::evolve(ctx, uri, &SchemaEvolution::new().extend_enumeration(extended))?)
}

/// Sets the number of values per cell; [`VAR`] for any number.
fn set_values(attribute: Attribute, values: u32) -> Attribute {
    if values == VAR { attribute.variable() } else { attribute.values_per_cell(values) }
}

impl NewArray {
    /// Makes it.
    pub(crate) fn create(&self, ctx: &Context, uri: &str, details: &AttributeDetails) -> Result<()> {
        let mut schema = if self.is_dense { ArraySchema::dense() } else { ArraySchema::sparse() };
        let advised = match &self.filters {
            FilterChoice::Advised(_, schema) => Some(schema),
            _ => None,
        };
        // The dimensions of a dense array store nothing.
        let advised_dimensions = advised.filter(|_| !self.is_dense).map(ArraySchema::dimensions);
        for (at, dimension) in self.dimensions.iter().enumerate() {
            let advised = advised_dimensions.as_ref().and_then(|all| all.get(at));
            let filters = match advised {
                Some(advised) => advised.filter_list().clone(),
                None => self.filter_list(dimension.datatype),
            };
            schema = schema.dimension(dimension.build().filters(filters));
        }
        let advised_attributes = advised.map(ArraySchema::attributes);
        for (at, attribute) in self.attributes.iter().enumerate() {
            let detail = details.get(&attribute.name);
            let is_text = attribute.datatype.is_text();
            let values = detail.map_or(if is_text { VAR } else { 1 }, |detail| detail.values);
            let mut made = set_values(Attribute::with_datatype(&attribute.name, attribute.datatype), values);
            if let Some(enumeration) = detail.and_then(|detail| detail.enumeration.as_ref()) {
                schema = schema.enumeration(enumeration.build()?);
                made = made.enumeration(&enumeration.name);
            }
            if attribute.is_nullable {
                made = made.nullable();
            }
            let filters = match advised_attributes.as_ref().and_then(|all| all.get(at)) {
                Some(advised) => advised.filter_list().clone(),
                None => self.filter_list(attribute.datatype),
            };
            schema = schema.attribute(made.filters(filters));
        }
        let (offsets, validity) = match advised {
            Some(advised) => (advised.offsets_filters(), advised.validity_filters()),
            None => (self.filter_list(Datatype::Uint64), self.filter_list(Datatype::Uint8)),
        };
        schema = schema.offsets_filters(offsets).validity_filters(validity);
        if !self.is_dense {
            schema = schema.capacity(self.capacity).allow_duplicates();
        }
        Ok(Array::create(ctx, uri, &schema.build()?)?)
    }

    /// The filters of a datatype without recommendations: its own, followed by the checksum filter.
    fn filter_list(&self, datatype: Datatype) -> FilterList {
        self.filters_of(datatype).into_iter().chain(self.checksum.map(Checksum::filter)).collect()
    }

    fn filters_of(&self, datatype: Datatype) -> Vec<Filter> {
        const DEFAULT_LEVEL: i32 = -1;
        let zstd = Filter::zstd(DEFAULT_LEVEL);
        match (&self.filters, datatype.kind()) {
            (FilterChoice::Checksum, _) => Vec::new(),
            (_, DatatypeKind::Text(_) | DatatypeKind::Bytes | DatatypeKind::Bool) => vec![zstd],
            _ if datatype.size() == 1 => vec![zstd],
            _ => vec![Filter::byte_shuffle(), zstd],
        }
    }

    /// The filters of a field as text.
    pub(crate) fn filters_as_text(&self, field: &str, datatype: Datatype) -> String {
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
}

impl NewDimension {
    fn build(&self) -> Dimension {
        let value = |bytes: &[u8]| Value::from_bytes(self.datatype, bytes);
        let dimension = match self.domain.as_deref().and_then(|bytes| bytes.split_at_checked(self.datatype.size())) {
            Some((low, high)) => Dimension::with_datatype(&self.name, self.datatype, value(low)..=value(high)),
            None => Dimension::unbounded(&self.name, self.datatype),
        };
        match &self.extent {
            Some(extent) => dimension.tile(value(extent)),
            None => dimension,
        }
    }
}
