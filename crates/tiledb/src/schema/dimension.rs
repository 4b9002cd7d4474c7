//! Dimensions.

use std::ops::RangeInclusive;

use super::filter::{Filter, FilterList};
use crate::datatype::Datatype;
use crate::element::Element;
use crate::error::{Error, ErrorKind, Result};
use crate::name::check_text;
use crate::value::Value;
use tiledb_array::schema as engine;

/// A dimension: a named axis of an array with a datatype, a domain and a tile extent.
///
/// ```
/// use tiledb::{Datatype, Dimension, Filter};
///
/// let id = Dimension::new("id", 0..=999_999_i64).tile(1000);
/// let day = Dimension::with_datatype("day", Datatype::DatetimeDay, "1990-01-01"..="2100-01-01").tile(30);
/// let airport = Dimension::string("airport").filter(Filter::zstd(5));
/// assert_eq!((id.datatype(), day.datatype()), (Datatype::Int64, Datatype::DatetimeDay));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    name: String,
    datatype: Datatype,
    domain: Option<(Value, Value)>,
    tile_extent: Option<Value>,
    filters: FilterList,
}

impl Dimension {
    /// A dimension of numbers; both bounds of the domain are included.
    ///
    /// All dimensions of a dense array have the same integer datatype; those of a sparse array may differ.
    pub fn new<T: Element>(name: impl Into<String>, domain: RangeInclusive<T>) -> Dimension {
        Dimension::with_datatype(name, T::DATATYPE, domain)
    }

    /// A dimension of a datatype that is known at run time, or that no Rust type stands for, such as dates.
    pub fn with_datatype<V: Into<Value>>(
        name: impl Into<String>,
        datatype: Datatype,
        domain: RangeInclusive<V>,
    ) -> Dimension {
        let (low, high) = domain.into_inner();
        Dimension {
            name: name.into(),
            datatype,
            domain: Some((low.into(), high.into())),
            tile_extent: None,
            filters: FilterList::new(),
        }
    }

    /// A dimension of ASCII strings, which has no domain; of sparse arrays only.
    pub fn string(name: impl Into<String>) -> Dimension {
        Dimension {
            name: name.into(),
            datatype: Datatype::StringAscii,
            domain: None,
            tile_extent: None,
            filters: FilterList::new(),
        }
    }

    /// A dimension of a datatype that is known at run time only, without a domain: an array can have it if it is of strings.
    pub fn unbounded(name: impl Into<String>, datatype: Datatype) -> Dimension {
        Dimension { datatype, ..Dimension::string(name) }
    }

    /// Sets the tile extent: the number of coordinates per tile. Without it the whole domain is one tile.
    #[must_use]
    pub fn tile(mut self, extent: impl Into<Value>) -> Dimension {
        self.tile_extent = Some(extent.into());
        self
    }

    /// Appends a filter for the coordinates of sparse arrays.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Dimension {
        self.filters = self.filters.with(filter);
        self
    }

    /// Sets the filters of the coordinates.
    #[must_use]
    pub fn filters(mut self, filters: impl Into<FilterList>) -> Dimension {
        self.filters = filters.into();
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The datatype of the coordinates.
    pub fn datatype(&self) -> Datatype {
        self.datatype
    }

    /// The lower and the upper bound, both included; none for strings.
    pub fn domain(&self) -> Option<(&Value, &Value)> {
        self.domain.as_ref().map(|(low, high)| (low, high))
    }

    /// The tile extent.
    pub fn tile_extent(&self) -> Option<&Value> {
        self.tile_extent.as_ref()
    }

    /// The filters of the coordinates.
    pub fn filter_list(&self) -> &FilterList {
        &self.filters
    }

    pub(super) fn engine(&self) -> Result<engine::Dimension> {
        let of_dimension = |error: Error| {
            let message = format!("Dimension '{}': {}", self.name, error.message());
            Error::new(error.kind(), message).refined(ErrorKind::Schema)
        };
        check_text(&self.name).map_err(of_dimension)?;
        let bytes = |value: &Value| value.to_bytes(self.datatype).map_err(of_dimension);
        let domain = match &self.domain {
            Some((low, high)) => Some([bytes(low)?, bytes(high)?].concat()),
            None => None,
        };
        let extent = self.tile_extent.as_ref().map(bytes).transpose()?;
        let mut dimension =
            engine::Dimension::new(&self.name, self.datatype.engine(), domain.as_deref(), extent.as_deref())
                .map_err(|error| of_dimension(error.into()))?;
        dimension.set_filters(self.filters.engine()).map_err(|error| of_dimension(error.into()))?;
        Ok(dimension)
    }

    pub(super) fn of_engine(dimension: &engine::Dimension) -> Dimension {
        let datatype = Datatype::of_engine(dimension.datatype());
        let value = |bytes: &[u8]| Value::from_bytes(datatype, bytes);
        Dimension {
            name: dimension.name().to_string(),
            datatype,
            domain: dimension.domain().map(|domain| (value(domain.low()), value(domain.high()))),
            tile_extent: dimension.tile_extent().map(value),
            filters: FilterList::of_engine(dimension.filters()),
        }
    }
}
