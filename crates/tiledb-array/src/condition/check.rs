//! Validation of conditions against a schema, and translation of enumeration values to indexes.

use std::sync::Arc;

use super::{ComparisonOperator, ComparisonValue, Leaf, Predicate};
use crate::schema::{ArraySchema, Enumeration, Field};
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::Datatype;

impl Predicate {
    /// Replaces the values of enumerated attributes by their indexes, in all comparisons that use the enumeration.
    /// `enumeration` returns an enumeration of the schema by name.
    ///
    /// # Errors
    /// If an enumeration cannot be loaded, or has no order and the comparison needs one.
    pub fn resolve(
        &mut self,
        schema: &ArraySchema,
        enumeration: impl Fn(&str) -> Result<Arc<Enumeration>>,
    ) -> Result<()> {
        for leaf in self.leaves_mut().filter(|leaf| leaf.use_enumeration && *leaf.value() != ComparisonValue::Null) {
            let attribute = schema.attribute(leaf.field());
            if let Some((attribute, name)) = attribute.and_then(|a| Some((a, a.enumeration()?))) {
                resolve_leaf(leaf, attribute.datatype(), &*enumeration(name)?)?;
            }
        }
        Ok(())
    }

    /// Checks every comparison against the fields that `field` gives.
    ///
    /// # Errors
    /// For fields that do not exist and values that do not fit them.
    pub fn check<'s>(&self, field: impl Fn(&str) -> Option<&'s Field>) -> Result<()> {
        self.leaves().try_for_each(|leaf| match field(leaf.field()) {
            Some(field) => check_leaf(leaf, field),
            None => bail!(
                "[TileDB::QueryCondition] Error: Field doesn't exist: '{}' is neither an attribute nor a dimension of the array",
                leaf.field()
            ),
        })
    }
}

fn resolve_leaf(leaf: &mut Leaf, datatype: Datatype, enumeration: &Enumeration) -> Result<()> {
    if leaf.operator.is_inequality() && !enumeration.ordered() {
        bail!(
            "TileDB internal: Cannot apply an inequality operator against an unordered Enumeration: compare '{}' with \
             TILEDB_EQ, TILEDB_NE or a set",
            leaf.field()
        );
    }
    let size = datatype.size();
    let index_of =
        |value: &[u8]| enumeration.index_of(value).map(|index| (index as u64).to_le_bytes()[..size].to_vec());
    let (operator, value) = match leaf.value() {
        ComparisonValue::Bytes(bytes) => match (index_of(bytes), leaf.operator) {
            (Some(index), operator) => (operator, ComparisonValue::Bytes(index)),
            (None, ComparisonOperator::NotEqual) => {
                (ComparisonOperator::AlwaysTrue, ComparisonValue::Bytes(vec![0; size]))
            }
            (None, _) => (ComparisonOperator::AlwaysFalse, ComparisonValue::Bytes(vec![0; size])),
        },
        set => {
            let indexes: Vec<Vec<u8>> = set.members().filter_map(index_of).collect();
            let offsets = (0..indexes.len()).map(|member| (member * size) as u64).collect();
            (leaf.operator, ComparisonValue::Set { data: indexes.concat(), offsets })
        }
    };
    leaf.replace(operator, value);
    Ok(())
}

pub(super) fn check_leaf(leaf: &Leaf, field: &Field) -> Result<()> {
    let name = leaf.field();
    if matches!(leaf.operator, ComparisonOperator::AlwaysTrue | ComparisonOperator::AlwaysFalse) {
        return Ok(());
    }
    if *leaf.value() == ComparisonValue::Null {
        if field.nullable && !matches!(leaf.operator, ComparisonOperator::Equal | ComparisonOperator::NotEqual) {
            bail!(
                "[TileDB::QueryCondition] Error: Null value can only be used with equality operators: compare '{name}' with \
                 null by TILEDB_EQ or TILEDB_NE"
            );
        }
        return Ok(());
    }
    if field.is_var() && !field.datatype.is_text() {
        bail!(
            "[TileDB::QueryCondition] Error: Value node non-empty attribute may only be var-sized for ASCII strings: \
             {name}"
        );
    }
    if !field.is_var() && field.cell_val_num.fixed() != Some(1) && !field.datatype.is_text() {
        bail!(
            "[TileDB::QueryCondition] Error: Value node attribute must have one value per cell for non-string fixed \
             size attributes: {name}"
        );
    }
    check_sizes(leaf, field)?;
    let unsupported =
        !field.is_var() && (field.datatype.is_string() && !field.datatype.is_text() || field.datatype.is_opaque());
    if unsupported {
        let datatype = field.datatype.name();
        bail!("[TileDB::QueryCondition] Error: Unsupported value node attribute type {datatype} on field {name}");
    }
    Ok(())
}

fn check_sizes(leaf: &Leaf, field: &Field) -> Result<()> {
    let size = field.cell_size();
    match leaf.value() {
        _ if field.is_var() => Ok(()),
        ComparisonValue::Bytes(bytes) if bytes.len() != size && !field.datatype.is_text() => {
            Err(wrong_size(leaf, field, bytes.len()))
        }
        value => match value.members().find(|member| member.len() != size) {
            Some(member) => {
                bail!(
                    "QueryCondition: Value node set member size mismatch: {size} != {}; a cell of '{}', of type {}, has {size} \
                     bytes",
                    member.len(),
                    leaf.field(),
                    field.datatype.name()
                )
            }
            None => Ok(()),
        },
    }
}

#[cold]
fn wrong_size(leaf: &Leaf, field: &Field, actual: usize) -> Error {
    let size = field.cell_size();
    let name = leaf.field();
    let datatype = field.datatype.name();
    Error::invalid(format!(
        "[TileDB::QueryCondition] Error: Value node condition value size mismatch: {size} != {actual}; a cell of '{name}', of type \
         {datatype}, has {size} bytes"
    ))
}
