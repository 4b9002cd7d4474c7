//! Comparison operators and their numbers in files and in C.

use tiledb_core::error::{Result, bail};

/// How a cell is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOperator {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    /// One of a set.
    In,
    /// None of a set.
    NotIn,
    /// Every cell that is not null: what became of NE with a value that an enumeration lacks.
    AlwaysTrue,
    /// No cell.
    AlwaysFalse,
    /// A number from C that is not an operator: an error as soon as cells are compared.
    Unknown(u32),
}

use ComparisonOperator::*;

/// Operators with their numbers, their opposites and their names in messages.
const TABLE: [(ComparisonOperator, u32, ComparisonOperator, &str); 10] = [
    (Less, 0, GreaterOrEqual, "LT"),
    (LessOrEqual, 1, Greater, "LE"),
    (Greater, 2, LessOrEqual, "GT"),
    (GreaterOrEqual, 3, Less, "GE"),
    (Equal, 4, NotEqual, "EQ"),
    (NotEqual, 5, Equal, "NE"),
    (In, 6, NotIn, "IN"),
    (NotIn, 7, In, "NOT_IN"),
    (AlwaysTrue, 253, AlwaysFalse, "ALWAYS_TRUE"),
    (AlwaysFalse, 254, AlwaysTrue, "ALWAYS_FALSE"),
];

impl ComparisonOperator {
    /// The operator with a number.
    pub fn from_number(number: u32) -> ComparisonOperator {
        TABLE.iter().find(|row| row.1 == number).map_or(Unknown(number), |row| row.0)
    }

    /// The operator with a name in messages.
    pub fn from_name(name: &str) -> Option<ComparisonOperator> {
        TABLE.iter().find(|row| row.3 == name).map(|row| row.0)
    }

    /// The name in messages.
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.0 == self).map_or("", |row| row.3)
    }

    /// The number in files and in C.
    pub fn number(self) -> u32 {
        match self {
            Unknown(number) => number,
            known => TABLE.iter().find(|row| row.0 == known).map_or(u32::MAX, |row| row.1),
        }
    }

    /// The negated operator: true for a value if and only if this one is false; null cells match neither.
    ///
    /// # Errors
    /// For a number that names no operator.
    pub fn negated(self) -> Result<ComparisonOperator> {
        match TABLE.iter().find(|row| row.0 == self) {
            Some(row) => Ok(row.2),
            None => {
                bail!("Error: Internal TileDB uncaught exception; negate_query_condition_op: Invalid op.")
            }
        }
    }

    /// True for membership in a set.
    pub fn is_set(self) -> bool {
        matches!(self, In | NotIn)
    }

    /// True for one of the four that compare by order.
    pub fn is_inequality(self) -> bool {
        matches!(self, Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// Logical operator that combines conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    And = 0,
    Or = 1,
}

impl Combination {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Combination::And => "AND",
            Combination::Or => "OR",
        }
    }

    /// AND for OR and the reverse, as a negation exchanges them.
    #[must_use]
    pub fn negated(self) -> Combination {
        match self {
            Combination::And => Combination::Or,
            Combination::Or => Combination::And,
        }
    }
}
