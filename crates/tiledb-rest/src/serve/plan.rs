//! Request handler for query plans.

use std::sync::Arc;

use crate::encoding::{Builder, View};
use crate::messages::{self, QueryPlanRequest, QueryPlanResponse};
use crate::serialization::format::required;
use crate::serialization::{Deserializer, query};
use tiledb_array::array::OpenArray;
use tiledb_core::error::{Result, bail};
use tiledb_query::Query;

/// A query that was made for an array of another kind, or with other dimensions, has no plan here.
fn check_fits(open: &OpenArray, message: View<'_, messages::Query>) -> Result<()> {
    let Some(array) = message.child(messages::Query::ARRAY)? else { return Ok(()) };
    let Some(schema) = array.child(messages::Array::ARRAY_SCHEMA_LATEST)? else { return Ok(()) };
    let own = open.schema();
    let kind = schema.text(messages::ArraySchema::ARRAY_TYPE)?.unwrap_or_default();
    let mut fits = kind == own.array_type().name();
    if let Some(domain) = schema.child(messages::ArraySchema::DOMAIN)? {
        let dimensions = domain.items(messages::Domain::DIMENSIONS)?;
        fits &= dimensions.len() == own.domain().len();
        for (message, dimension) in dimensions.iter().zip(own.domain().dimensions()) {
            fits &= message.text(messages::Dimension::NAME)? == Some(dimension.name().as_str());
            fits &= message.text(messages::Dimension::TYPE)? == Some(dimension.datatype().name());
        }
    }
    if !fits {
        bail!("Query.array: the query is on another array than '{}', with another schema", open.uri());
    }
    Ok(())
}

/// Handles a query plan request.
///
/// # Errors
/// If the bytes are no request, or its query does not fit the array.
pub fn query_plan(open: &Arc<OpenArray>, reading: Deserializer, request: &[u8]) -> Result<Vec<u8>> {
    let see = |view: View<'_, QueryPlanRequest>| {
        let message = required("QueryPlanRequest.query", view.child(QueryPlanRequest::QUERY)?)?;
        check_fits(open, message)?;
        let mut query_of_plan = Query::new(open, open.query_type())?;
        query::of_plain(&mut query_of_plan, message)?;
        Ok(query_of_plan)
    };
    let prefix = "[TileDB::Serialization][QueryPlan]: Error deserializing query plan request; ";
    let plan = reading.read(request, see).map_err(|error| error.prefixed(prefix))?.plan()?;
    let fill = |out: &mut Builder<'_, QueryPlanResponse>| {
        out.set_text(QueryPlanResponse::QUERY_LAYOUT, plan.layout.name())?;
        out.set_text(QueryPlanResponse::STRATEGY_NAME, plan.strategy)?;
        out.set_text(QueryPlanResponse::ARRAY_TYPE, plan.array_type().name())?;
        if !plan.attributes.is_empty() {
            out.set_texts(QueryPlanResponse::ATTRIBUTE_NAMES, plan.attributes.iter().map(|name| name.as_str()))?;
        }
        if !plan.dimensions.is_empty() {
            out.set_texts(QueryPlanResponse::DIMENSION_NAMES, plan.dimensions.iter().map(|name| name.as_str()))?;
        }
        Ok(())
    };
    reading.form().write(fill)
}
