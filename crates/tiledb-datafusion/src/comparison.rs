//! Comparisons of columns with constants.

use datafusion::logical_expr::{Expr, Operator};

use crate::literal::Literal;

/// A comparison of a column with a constant.
pub(crate) struct FieldComparison<'e> {
    pub(crate) name: &'e str,
    pub(crate) operator: Operator,
    pub(crate) value: Literal,
}

pub(crate) fn comparison(filter: &Expr) -> Option<FieldComparison<'_>> {
    let Expr::BinaryExpr(binary) = filter else { return None };
    let (column, operator, scalar) = match (&*binary.left, &*binary.right) {
        (Expr::Column(column), Expr::Literal(scalar, _)) => (column, binary.op, scalar),
        (Expr::Literal(scalar, _), Expr::Column(column)) => (column, binary.op.swap()?, scalar),
        _ => return None,
    };
    Some(FieldComparison { name: &column.name, operator, value: Literal::of_scalar(scalar)? })
}

/// The column, the constants, and whether it is negated, of a membership.
pub(crate) fn members(filter: &Expr) -> Option<(&str, Vec<Literal>, bool)> {
    let Expr::InList(list) = filter else { return None };
    let Expr::Column(column) = &*list.expr else { return None };
    let values = list.list.iter().map(|value| match value {
        Expr::Literal(scalar, _) => Literal::of_scalar(scalar),
        _ => None,
    });
    Some((&column.name, values.collect::<Option<_>>()?, list.negated))
}
