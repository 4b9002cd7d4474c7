//! Operations as users ask for them.

use super::kernel::Wants;
use super::summary::Shape;
use tiledb_array::fragment::TIMESTAMPS;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellValNum, Datatype, Name};

/// What an aggregate computes of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The sum of a numeric field.
    Sum,
    /// The least value.
    Min,
    /// The greatest value.
    Max,
    /// The mean of a numeric field.
    Mean,
    /// How many cells are null.
    NullCount,
}

/// A field that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputField {
    /// Its name.
    pub name: Name,
    /// Its cells.
    pub shape: Shape,
    /// Whether they may be null.
    pub nullable: bool,
}

/// An aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many cells there are.
    Count,
    /// An operator applied to a field.
    Unary(Operator, InputField),
}

/// The field that an aggregate delivers: always one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its cells.
    pub shape: Shape,
    /// Whether the cell may be null: where there is nothing to compute it of.
    pub nullable: bool,
}

impl InputField {
    /// A field of an array, or one that every array has.
    pub fn find(schema: &ArraySchema, name: &str) -> Option<InputField> {
        let shape = |datatype, cell_val_num| Shape { datatype, cell_val_num };
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

impl Operator {
    /// The name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Sum => "SUM",
            Operator::Min => "MIN",
            Operator::Max => "MAX",
            Operator::Mean => "MEAN",
            Operator::NullCount => "NULL_COUNT",
        }
    }
}

impl Aggregate {
    /// An operator applied to a field of an array.
    ///
    /// # Errors
    /// If there is no such field, or the operator does not apply to its cells.
    pub fn unary(schema: &ArraySchema, operator: Operator, name: &str) -> Result<Aggregate> {
        let Some(field) = InputField::find(schema, name) else { bail!("C API: There is no field {name}") };
        let Shape { datatype, cell_val_num } = field.shape;
        if operator == Operator::NullCount {
            if !field.nullable {
                bail!("InputFieldValidator: Aggregate must only be requested for nullable fields. Field: '{name}'");
            }
            return Ok(Aggregate::Unary(operator, field));
        }
        if !datatype.is_numeric() && !field.shape.is_text() {
            bail!("TileDB internal: Datatype::{} is not a supported Datatype", datatype.name());
        }
        if field.shape.is_text() && matches!(operator, Operator::Sum | Operator::Mean) {
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

    /// What it delivers.
    pub fn output(&self) -> Output {
        let one = |datatype| Shape { datatype, cell_val_num: CellValNum::ONE };
        let Aggregate::Unary(operator, field) = self else {
            return Output { shape: one(Datatype::Uint64), nullable: false };
        };
        let shape = match operator {
            Operator::Min | Operator::Max => field.shape,
            Operator::Mean => one(Datatype::Float64),
            Operator::NullCount => one(Datatype::Uint64),
            Operator::Sum => one(field.shape.datatype.widest()),
        };
        Output { shape, nullable: field.nullable && *operator != Operator::NullCount }
    }

    /// The field it looks at, and what must be known of that.
    pub fn input(&self) -> Option<(&InputField, Wants)> {
        let Aggregate::Unary(operator, field) = self else { return None };
        let wants = Wants {
            extremes: matches!(operator, Operator::Min | Operator::Max),
            sum: matches!(operator, Operator::Sum | Operator::Mean),
            nulls: *operator == Operator::NullCount,
        };
        Some((field, wants))
    }

    /// Whether a validity buffer may be set for the result; that of counts of nulls is refused when it is run.
    pub fn takes_validity(&self) -> bool {
        matches!(self, Aggregate::Unary(_, field) if field.nullable)
    }

    /// What errors about its results begin with.
    pub fn class(&self) -> &'static str {
        match self {
            Aggregate::Count | Aggregate::Unary(Operator::NullCount, _) => "CountAggregator",
            Aggregate::Unary(Operator::Sum | Operator::Mean, _) => "SumAggregator",
            Aggregate::Unary(Operator::Min | Operator::Max, _) => "MinMaxAggregator",
        }
    }
}
