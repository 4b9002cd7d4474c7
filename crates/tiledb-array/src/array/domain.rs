//! Non-empty domain of an open array.

use super::OpenArray;
use crate::schema::Dimension;
use tiledb_core::error::{Result, bail};
use tiledb_core::suggestion::closest_names;
use tiledb_core::types::{CellRange, NdRange, QueryType};

impl OpenArray {
    /// The bounding box of all cells that are visible to reads; `None` if there are none.
    ///
    /// # Errors
    /// Unless the array was opened for reading.
    pub fn non_empty_domain(&self) -> Result<Option<NdRange>> {
        self.check_readable()?;
        if let Some(supplied) = self.supplied_domain()? {
            return Ok(supplied);
        }
        let dimensions = self.schema().domain().dimensions();
        let mut fragments = self.fragments()?.iter().map(|fragment| fragment.non_empty_domain());
        let Some(mut domain) = fragments.next().cloned() else { return Ok(None) };
        for next in fragments {
            for ((range, more), dimension) in domain.iter_mut().zip(next).zip(dimensions) {
                range.expand(dimension.datatype(), more);
            }
        }
        Ok(Some(domain))
    }

    /// The non-empty domain, if supplied by a message, or queried from the array's server.
    fn supplied_domain(&self) -> Result<Option<Option<NdRange>>> {
        let supplied = self.opened.supplied_domain().clone();
        match (supplied, &self.opened.source) {
            (Some(domain), _) => Ok(Some(domain)),
            (None, Some(source)) => {
                let domain = source.non_empty_domain()?;
                Ok(Some(self.opened.supplied_domain().get_or_insert(domain).clone()))
            }
            (None, None) => Ok(None),
        }
    }

    /// The non-empty domain for callers that know one fixed-size type for all dimensions.
    ///
    /// # Errors
    /// If the dimensions have different types or are strings, and as
    /// [`OpenArray::non_empty_domain`].
    pub fn non_empty_box(&self) -> Result<Option<NdRange>> {
        let domain = self.schema().domain();
        if !domain.is_homogeneous() {
            bail!(
                "Array: [non_empty_domain] Function non-applicable to arrays with heterogenous dimensions: get the domain of \
                 '{}' dimension by dimension",
                self.uri()
            );
        }
        if !domain.is_fixed_size() {
            bail!(
                "Array: [non_empty_domain] Function non-applicable to arrays with variable-sized dimensions: get the domain \
                 of '{}' dimension by dimension",
                self.uri()
            );
        }
        self.non_empty_domain()
    }

    /// The non-empty range of a dimension by position; `var` states the kind that the caller accepts.
    ///
    /// # Errors
    /// If there is no such dimension of that kind, or the array is not open for reading.
    pub fn non_empty_range(&self, index: u32, var: bool) -> Result<Option<CellRange>> {
        let dimensions = self.schema().domain().dimensions();
        let Some(dimension) = dimensions.get(index as usize) else {
            bail!(
                "Array: Cannot get non-empty domain; Invalid dimension index: {index} is not below {}",
                dimensions.len()
            );
        };
        check_kind(dimension, var, "var-sized")?;
        self.non_empty_range_of(index as usize)
    }

    /// The non-empty range of a dimension by name.
    ///
    /// # Errors
    /// As [`OpenArray::non_empty_range`].
    pub fn non_empty_range_named(&self, name: &str, var: bool) -> Result<Option<CellRange>> {
        let domain = self.schema().domain();
        let Some((index, dimension)) = domain.index_of(name).zip(domain.dimension(name)) else {
            let names = closest_names(name, domain.dimensions().iter().map(|dimension| &**dimension.name()));
            bail!("Array: Cannot get non-empty domain; Dimension name '{name}' does not exist{names}");
        };
        check_kind(dimension, var, "variable-sized")?;
        self.non_empty_range_of(index)
    }

    /// The range of one dimension of [`OpenArray::non_empty_domain`].
    fn non_empty_range_of(&self, index: usize) -> Result<Option<CellRange>> {
        self.check_readable()?;
        if let Some(supplied) = self.supplied_domain()? {
            return Ok(supplied.and_then(|domain| domain.get(index).cloned()));
        }
        let Some(dimension) = self.schema().domain().dimensions().get(index) else { return Ok(None) };
        let mut sides = self.fragments()?.iter().filter_map(|fragment| fragment.non_empty_domain().get(index));
        let Some(mut range) = sides.next().cloned() else { return Ok(None) };
        sides.for_each(|more| range.expand(dimension.datatype(), more));
        Ok(Some(range))
    }

    fn check_readable(&self) -> Result<()> {
        if self.query_type() != QueryType::Read {
            bail!("Array: [non_empty_domain] Array not opened for reads: open '{}' with TILEDB_READ", self.uri());
        }
        Ok(())
    }
}

fn check_kind(dimension: &Dimension, var: bool, word: &str) -> Result<()> {
    let kind = match (dimension.is_var(), var) {
        (true, false) => word,
        (false, true) => "fixed-sized",
        _ => return Ok(()),
    };
    bail!("Array: Cannot get non-empty domain; Dimension '{}' is {kind}", dimension.name())
}
