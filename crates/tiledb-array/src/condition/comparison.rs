//! One comparison of a field with a value.

use super::ComparisonOperator;
use tiledb_core::error::{Result, bail};

/// Right-hand side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComparisonValue {
    /// Null: equality tests for null cells.
    Null,
    /// The bytes of one value, or text.
    Bytes(Vec<u8>),
    /// Concatenated members of a set, and where each starts.
    Set {
        /// The members.
        data: Vec<u8>,
        /// Their starts in bytes, ascending, within the data.
        offsets: Vec<u64>,
    },
}

impl ComparisonValue {
    /// The members of a set; nothing of other values.
    pub fn members(&self) -> impl Iterator<Item = &[u8]> {
        let (data, offsets) = match self {
            ComparisonValue::Set { data, offsets } => (data.as_slice(), offsets.as_slice()),
            _ => (&[][..], &[][..]),
        };
        let end = data.len() as u64;
        let ends = offsets.iter().skip(1).copied().chain([end]);
        offsets.iter().zip(ends).map(|(&start, end)| data.get(start as usize..end as usize).unwrap_or_default())
    }
}

/// One comparison of a field with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The name of the field.
    pub field: String,
    pub operator: ComparisonOperator,
    pub value: ComparisonValue,
}

impl Comparison {
    /// A comparison with one value; `None` is null.
    ///
    /// # Errors
    /// For operators that take a set, or that are not for users.
    pub fn new(field: &str, value: Option<&[u8]>, operator: ComparisonOperator) -> Result<Comparison> {
        match operator {
            ComparisonOperator::In | ComparisonOperator::NotIn => bail!(
                "Invalid query condition operation for set membership. For the set of '{field}' use \
                 tiledb_query_condition_alloc_set_membership"
            ),
            ComparisonOperator::AlwaysTrue => bail!("Invalid use of internal operation: ALWAYS_TRUE"),
            ComparisonOperator::AlwaysFalse => bail!("Invalid use of internal operation: ALWAYS_FALSE"),
            _ => {}
        }
        let value = value.map_or(ComparisonValue::Null, |bytes| ComparisonValue::Bytes(bytes.to_vec()));
        Ok(Comparison { field: field.to_owned(), operator, value })
    }

    /// Membership in a set. `offsets` are the starts of the members in `data`.
    ///
    /// # Errors
    /// For another operator, and if data and offsets do not fit together.
    pub fn set(field: &str, data: &[u8], offsets: &[u64], operator: ComparisonOperator) -> Result<Comparison> {
        if offsets.is_empty() {
            bail!("ASTNodeVal set membership offsets size must be greater than zero. The set of '{field}' is empty");
        }
        if !operator.is_set() {
            bail!(
                "ASTNodeVal invalid set membership operator in set membership constructor. Compare '{field}' with TILEDB_IN or \
                 TILEDB_NOT_IN"
            );
        }
        if !offsets.is_sorted() {
            bail!("ASTNodeVal set membership offsets must not decrease. Field: '{field}'");
        }
        if let Some(last) = offsets.last().filter(|&&last| last > data.len() as u64) {
            bail!(
                "ASTNodeVal invalid set membership offsets invalid for data size: last offset {last} is larger than \
                 data size {}",
                data.len()
            );
        }
        let value = ComparisonValue::Set { data: data.to_vec(), offsets: offsets.to_vec() };
        Ok(Comparison { field: field.to_owned(), operator, value })
    }
}
