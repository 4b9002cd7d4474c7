//! Serialization of query conditions.

use super::format::{in_field, required};
use crate::encoding::{Builder, View};
use crate::messages::{self, ASTNode, ConditionClause};
use tiledb_array::condition::{
    Combination, Comparison, ComparisonOperator, ComparisonValue, Condition, Leaf, Predicate, PredicateNode,
};
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;

/// Maximum depth: readers of messages accept 64 levels; each level of the tree is a list and a struct, and three
/// surround it.
const DEEPEST: usize = 30;

/// Serializes a condition; one that old clients can express also in their form.
pub(super) fn fill(out: &mut Builder<'_, messages::Condition>, predicate: &Predicate) -> Result<()> {
    let mut nodes = predicate.nodes().iter();
    fill_node(&mut out.child(messages::Condition::TREE)?, &mut nodes, DEEPEST)?;
    let Some(leaves) = clauses(predicate) else { return Ok(()) };
    let mut list = out.list(messages::Condition::CLAUSES, leaves.len())?;
    for (index, leaf) in leaves.iter().enumerate() {
        let mut clause = list.get(index)?;
        clause.set_text(ConditionClause::FIELD_NAME, leaf.field())?;
        if let ComparisonValue::Bytes(bytes) = leaf.value() {
            clause.set_data(ConditionClause::VALUE, bytes)?;
        }
        clause.set_text(ConditionClause::OP, leaf.operator.name())?;
        clause.set(ConditionClause::USE_ENUMERATION, leaf.use_enumeration);
    }
    if leaves.len() > 1 {
        out.set_texts(messages::Condition::CLAUSE_COMBINATION_OPS, vec![Combination::And.name(); leaves.len() - 1])?;
    }
    Ok(())
}

/// The comparisons, if all of them must hold and none is with a set.
fn clauses(predicate: &Predicate) -> Option<Vec<&Leaf>> {
    let mut groups = predicate.nodes().iter().filter_map(|node| match node {
        PredicateNode::Group { combination, .. } => Some(combination),
        PredicateNode::Leaf(_) => None,
    });
    let is_plain = groups.next().is_none_or(|combination| *combination == Combination::And) && groups.next().is_none();
    let leaves: Vec<&Leaf> = predicate.leaves().collect();
    (is_plain && leaves.iter().all(|leaf| !matches!(leaf.value(), ComparisonValue::Set { .. }))).then_some(leaves)
}

/// Serializes the next node and its subtree, at most this deep.
fn fill_node<'a>(
    out: &mut Builder<'_, ASTNode>,
    nodes: &mut impl Iterator<Item = &'a PredicateNode>,
    depth: usize,
) -> Result<()> {
    if depth == 0 {
        bail!("Cannot serialize a query condition whose parts lie more than {DEEPEST} deep inside one another");
    }
    match nodes.next() {
        Some(PredicateNode::Leaf(leaf)) => fill_leaf(out, leaf),
        Some(PredicateNode::Group { combination, parts }) => {
            out.set(ASTNode::IS_EXPRESSION, true);
            let mut list = out.list(ASTNode::CHILDREN, *parts)?;
            for part in 0..*parts {
                fill_node(&mut list.get(part)?, nodes, depth - 1)?;
            }
            out.set_text(ASTNode::COMBINATION_OP, combination.name())
        }
        None => bail!(Internal, "A condition has fewer parts than it says"),
    }
}

fn fill_leaf(out: &mut Builder<'_, ASTNode>, leaf: &Leaf) -> Result<()> {
    out.set_text(ASTNode::FIELD_NAME, leaf.field())?;
    match leaf.value() {
        // A comparison with null has no value, one with the empty string an empty value.
        ComparisonValue::Null => {}
        ComparisonValue::Bytes(bytes) => out.set_data(ASTNode::VALUE, bytes)?,
        ComparisonValue::Set { data, offsets } => {
            out.set_data(ASTNode::VALUE, data)?;
            out.set_data(ASTNode::OFFSETS, bytemuck::cast_slice(offsets))?;
        }
    }
    out.set_text(ASTNode::OP, leaf.operator.name())?;
    out.set(ASTNode::USE_ENUMERATION, leaf.use_enumeration);
    Ok(())
}

/// The condition of a message, on an array of this schema.
pub(super) fn of(view: View<'_, messages::Condition>, schema: &ArraySchema) -> Result<Condition> {
    let clauses = view.items(messages::Condition::CLAUSES)?;
    if clauses.is_empty() {
        return of_node(required("Condition.tree", view.child(messages::Condition::TREE)?)?, schema);
    }
    let mut conditions = memory::with_capacity("clauses", clauses.len())?;
    for clause in clauses.iter() {
        let field = required("ConditionClause.fieldName", clause.text(ConditionClause::FIELD_NAME)?)?;
        let operator = operator_of(clause.text(ConditionClause::OP)?).map_err(in_field("ConditionClause.op"))?;
        let value = value_of(schema, field, clause.data(ConditionClause::VALUE)?);
        let comparison = comparison(field, value, operator).map_err(in_field("ConditionClause.op"))?;
        conditions.push(with_enumeration(comparison, clause.get(ConditionClause::USE_ENUMERATION)));
    }
    combined(conditions, Combination::And)
}

fn of_node(view: View<'_, ASTNode>, schema: &ArraySchema) -> Result<Condition> {
    if !view.get(ASTNode::IS_EXPRESSION) {
        return of_leaf(view, schema);
    }
    let combination = match view.text(ASTNode::COMBINATION_OP)? {
        Some("AND") => Combination::And,
        Some("OR") => Combination::Or,
        other => bail!(Corrupt, "ASTNode.combinationOp: '{}' is none", other.unwrap_or_default()),
    };
    let children = view.items(ASTNode::CHILDREN)?;
    let mut conditions = memory::with_capacity("parts of a condition", children.len())?;
    for child in children.iter() {
        conditions.push(of_node(child, schema)?);
    }
    combined(conditions, combination)
}

fn of_leaf(view: View<'_, ASTNode>, schema: &ArraySchema) -> Result<Condition> {
    let field = required("ASTNode.fieldName", view.text(ASTNode::FIELD_NAME)?)?;
    let operator = operator_of(view.text(ASTNode::OP)?).map_err(in_field("ASTNode.op"))?;
    let value = view.data(ASTNode::VALUE)?;
    let comparison = match operator.is_set() {
        true => {
            let offsets = view.data(ASTNode::OFFSETS)?.unwrap_or_default().chunks_exact(8);
            let offsets: Vec<u64> = offsets.map(bytemuck::pod_read_unaligned).collect();
            Comparison::set(field, value.unwrap_or_default(), &offsets, operator)
                .map_err(in_field("ASTNode.offsets"))?
        }
        false => comparison(field, value_of(schema, field, value), operator).map_err(in_field("ASTNode.op"))?,
    };
    Ok(with_enumeration(comparison, view.get(ASTNode::USE_ENUMERATION)))
}

/// A comparison with one value. Servers return conditions rewritten for values that an enumeration lacks.
fn comparison(field: &str, value: Option<&[u8]>, operator: ComparisonOperator) -> Result<Comparison> {
    if matches!(operator, ComparisonOperator::AlwaysTrue | ComparisonOperator::AlwaysFalse) {
        let value = value.map_or(ComparisonValue::Null, |bytes| ComparisonValue::Bytes(bytes.to_vec()));
        return Ok(Comparison { field: field.to_owned(), operator, value });
    }
    Comparison::new(field, value, operator)
}

/// The value of a comparison. Libtiledb serializes null as an empty value, which means null unless the field is text or
/// of variable size.
fn value_of<'a>(schema: &ArraySchema, field: &str, value: Option<&'a [u8]>) -> Option<&'a [u8]> {
    let may_be_empty = schema.field(field).is_some_and(|field| field.is_var() || field.datatype.is_text());
    let is_enumerated = || schema.attribute(field).is_some_and(|attribute| attribute.enumeration().is_some());
    value.filter(|value| !value.is_empty() || may_be_empty || is_enumerated())
}

fn operator_of(name: Option<&str>) -> Result<ComparisonOperator> {
    let name = name.unwrap_or_default();
    match ComparisonOperator::from_name(name) {
        Some(operator) => Ok(operator),
        None => bail!(Corrupt, "'{name}' is no operator of conditions"),
    }
}

fn with_enumeration(comparison: Comparison, by_value: bool) -> Condition {
    let condition = Condition::new(comparison);
    if by_value { condition } else { condition.use_enumeration(false) }
}

/// A combination by AND or OR. Enumeration settings of the operands are preserved.
fn combined(conditions: Vec<Condition>, combination: Combination) -> Result<Condition> {
    let all = conditions.into_iter().reduce(|all, next| all.combine(&next, combination));
    required("ASTNode.children", all)
}
