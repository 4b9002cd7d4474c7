//! Serialization of the aggregates of a query.

use super::super::format::required;
use crate::encoding::{Builder, View};
use crate::messages::{self, QueryChannel};
use tiledb_cells::aggregate::operation::{Aggregate, AggregateOperator};
use tiledb_core::error::{Result, bail};
use tiledb_query::Query;

const COUNT: &str = "COUNT";

/// Puts aggregates into a message: all are of the one channel there is.
pub(super) fn fill(out: &mut Builder<'_, messages::Query>, query: &Query) -> Result<()> {
    if query.aggregates().is_empty() {
        return Ok(());
    }
    let mut channels = out.list(messages::Query::CHANNELS, 1)?;
    let mut channel = channels.get(0)?;
    channel.set(QueryChannel::DEFAULT, true);
    let mut list = channel.list(QueryChannel::AGGREGATES, query.aggregates().len())?;
    for (index, (name, aggregate)) in query.aggregates().iter().enumerate() {
        let mut message = list.get(index)?;
        message.set_text(messages::Aggregate::OUTPUT_FIELD_NAME, name)?;
        match aggregate {
            Aggregate::Count => message.set_text(messages::Aggregate::NAME, COUNT)?,
            Aggregate::Unary(operator, field) => {
                message.set_text(messages::Aggregate::NAME, operator.name())?;
                message.set_text(messages::Aggregate::INPUT_FIELD_NAME, &field.name)?;
            }
        }
    }
    Ok(())
}

/// Applies the aggregates of a message that the query does not have.
pub(super) fn apply(query: &mut Query, view: View<'_, messages::Query>) -> Result<()> {
    for channel in view.items(messages::Query::CHANNELS)?.iter() {
        for message in channel.items(QueryChannel::AGGREGATES)?.iter() {
            let name = required("Aggregate.outputFieldName", message.text(messages::Aggregate::OUTPUT_FIELD_NAME)?)?;
            if query.aggregate_output(name).is_some() {
                continue;
            }
            let operator = required("Aggregate.name", message.text(messages::Aggregate::NAME)?)?;
            let aggregate = match (operator, message.text(messages::Aggregate::INPUT_FIELD_NAME)?) {
                (COUNT, _) => Aggregate::Count,
                (_, Some(field)) => query.unary_aggregate(operator_of(operator)?, field)?,
                (_, None) => bail!(Corrupt, "Aggregate.inputFieldName: {operator} needs one"),
            };
            query.apply_aggregate(name, &aggregate)?;
        }
    }
    Ok(())
}

fn operator_of(name: &str) -> Result<AggregateOperator> {
    let all = [
        AggregateOperator::Sum,
        AggregateOperator::Min,
        AggregateOperator::Max,
        AggregateOperator::Mean,
        AggregateOperator::NullCount,
    ];
    match all.into_iter().find(|operator| operator.name() == name) {
        Some(operator) => Ok(operator),
        None => bail!(Corrupt, "Aggregate.name: '{name}' is no aggregate"),
    }
}
