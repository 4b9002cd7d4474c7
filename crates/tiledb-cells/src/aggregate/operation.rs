//! Aggregate operations as users request them.

use super::kernel::RequiredStats;
use super::summary::CellType;
use tiledb_array::fragment::TIMESTAMPS;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, Datatype, Name};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateOperator {
    /// The sum of a numeric field.
    Sum,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
    /// The mean of a numeric field.
    Mean,
    /// How many cells are null.
    NullCount,
}

/// A field that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputField {
    pub name: Name,
    /// Its cells.
    pub shape: CellType,
    /// Whether they may be null.
    pub nullable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many cells there are.
    Count,
    /// An operator applied to a field.
    Unary(AggregateOperator, InputField),
}

/// The field that an aggregate delivers: always one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AggregateOutput {
    /// Its cells.
    pub shape: CellType,
    /// Whether the result may be null, which it is if no cell is aggregated.
    pub nullable: bool,
}

impl InputField {
    /// A field of an array, or one that every array has.
    pub(crate) fn find(schema: &ArraySchema, name: &str) -> Option<InputField> {
        let shape = |datatype, cell_val_num| CellType { datatype, cell_val_num };
        if let Some(field) = schema.field(name) {
            let shape = shape(field.datatype, field.cell_val_num);
            return Some(InputField { name: field.name.clone(), shape, nullable: field.nullable });
        }
        let datatype = match name {
            TIMESTAMPS => Datatype::Uint64,
            "__coords" => schema.domain().dimensions().first()?.datatype(),
            _ => return None,
        };
        Some(InputField { name: Name::new(name), shape: shape(datatype, CellValNum::ONE), nullable: false })
    }
}

impl AggregateOperator {
    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            AggregateOperator::Sum => "SUM",
            AggregateOperator::Min => "MIN",
            AggregateOperator::Max => "MAX",
            AggregateOperator::Mean => "MEAN",
            AggregateOperator::NullCount => "NULL_COUNT",
        }
    }
}

impl Aggregate {
    /// An operator applied to a field of an array.
    ///
    /// # Errors
    /// If there is no such field, or the operator does not apply to its cells.
    pub fn unary(schema: &ArraySchema, operator: AggregateOperator, name: &str) -> Result<Aggregate> {
        let Some(field) = InputField::find(schema, name) else { bail!("C API: There is no field {name}") };
        let CellType { datatype, cell_val_num } = field.shape;
        if operator == AggregateOperator::NullCount {
            if !field.nullable {
                bail!("InputFieldValidator: Aggregate must only be requested for nullable fields. Field: '{name}'");
            }
            return Ok(Aggregate::Unary(operator, field));
        }
        if !datatype.is_numeric() && !field.shape.is_text() {
            bail!("TileDB internal: Datatype::{} is not a supported Datatype", datatype.name());
        }
        if field.shape.is_text() && matches!(operator, AggregateOperator::Sum | AggregateOperator::Mean) {
            bail!("TileDB internal: {} aggregates can only be requested on numeric types", operator.name());
        }
        if !field.shape.is_text() && cell_val_num.is_var() {
            bail!("InputFieldValidator: Aggregate is not supported for var sized non-string fields. Field: '{name}'");
        }
        if !field.shape.is_text() && cell_val_num != CellValNum::ONE {
            bail!(
                "InputFieldValidator: Aggregate is not supported for non-string fields with cell_val_num greater than one. Field: '{name}'"
            );
        }
        Ok(Aggregate::Unary(operator, field))
    }

    /// The result field.
    pub fn output(&self) -> AggregateOutput {
        let one = |datatype| CellType { datatype, cell_val_num: CellValNum::ONE };
        let Aggregate::Unary(operator, field) = self else {
            return AggregateOutput { shape: one(Datatype::Uint64), nullable: false };
        };
        let shape = match operator {
            AggregateOperator::Min | AggregateOperator::Max => field.shape,
            AggregateOperator::Mean => one(Datatype::Float64),
            AggregateOperator::NullCount => one(Datatype::Uint64),
            AggregateOperator::Sum => one(field.shape.datatype.widest()),
        };
        AggregateOutput { shape, nullable: field.nullable && *operator != AggregateOperator::NullCount }
    }

    /// The input field and the statistics that the operator requires of it.
    pub fn input(&self) -> Option<(&InputField, RequiredStats)> {
        let Aggregate::Unary(operator, field) = self else { return None };
        let wants = RequiredStats {
            extremes: matches!(operator, AggregateOperator::Min | AggregateOperator::Max),
            sum: matches!(operator, AggregateOperator::Sum | AggregateOperator::Mean),
            nulls: *operator == AggregateOperator::NullCount,
        };
        Some((field, wants))
    }

    /// Whether a validity buffer may be set for the result; that of counts of nulls is rejected when it is run.
    pub fn takes_validity(&self) -> bool {
        matches!(self, Aggregate::Unary(_, field) if field.nullable)
    }

    /// The prefix of errors about its results.
    pub(crate) fn class(&self) -> &'static str {
        match self {
            Aggregate::Count | Aggregate::Unary(AggregateOperator::NullCount, _) => "CountAggregator",
            Aggregate::Unary(AggregateOperator::Sum | AggregateOperator::Mean, _) => "SumAggregator",
            Aggregate::Unary(AggregateOperator::Min | AggregateOperator::Max, _) => "MinMaxAggregator",
        }
    }
}
