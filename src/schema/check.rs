//! The rules a whole schema must satisfy before an array is made of it.

use super::{ArraySchema, Domain};
use crate::error::{Result, bail};
use std::collections::HashSet;

/// The dimensions of dense arrays are integers of one type.
pub(super) fn dense_domain(domain: &Domain) -> Result<()> {
    if !domain.is_homogeneous() {
        bail!("ArraySchema: Cannot set domain; In dense arrays, all dimensions must have the same datatype");
    }
    for dimension in domain.dimensions() {
        let datatype = dimension.datatype();
        if dimension.is_var() || datatype.is_float() {
            bail!(
                "ArraySchema: Cannot set domain; Dense arrays do not support dimension datatype '{}'",
                datatype.name()
            );
        }
    }
    Ok(())
}

impl ArraySchema {
    /// Checks the schema as a whole.
    ///
    /// # Errors
    /// For the first rule it breaks.
    pub fn check(&self) -> Result<()> {
        if self.domain.is_empty() {
            bail!("ArraySchema: Array schema check failed; Domain not set");
        }
        if self.is_dense() && self.attributes.is_empty() {
            bail!("ArraySchema: Array schema check failed; No attributes provided");
        }
        self.check_names()
    }

    fn check_names(&self) -> Result<()> {
        let mut names = HashSet::new();
        let dimensions = self.domain.dimensions().iter().map(|dimension| dimension.name().as_str());
        let attributes = self.attributes.iter().map(|attribute| attribute.name().as_str());
        let labels = self.labels.iter().map(|label| label.name.as_str());
        if !dimensions.chain(attributes).chain(labels).all(|name| names.insert(name)) {
            bail!(
                "ArraySchema: Array schema check failed; Attributes, dimensions and dimension labels must have unique names"
            );
        }
        Ok(())
    }
}
