//! Aggregates.

use super::column::{Column, OFFSET_BYTES};
use super::session::{OFFSETS, QuerySession};
use crate::datatype::{CellValNum, Datatype};
use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::schema::Field;
use crate::value::Value;
use tiledb_cells::aggregate::operation::{self as engine, AggregateOperator};
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_query::ResultBuffers;

/// An aggregate of the cells of a read: their number, or the sum, minimum, maximum, mean or number of nulls of a field.
///
/// ```
/// use tiledb::{Aggregate, Array, ArraySchema, Attribute, Context, Dimension, Value};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("x", 0..=9_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://summed", &schema)?;
/// let values: Vec<i32> = (0..10).collect();
/// Array::open_for_writing(&ctx, "mem://summed")?.write().values("a", &values).submit()?;
///
/// let array = Array::open(&ctx, "mem://summed")?;
/// let results = array.read().range("x", 5..).aggregate([Aggregate::count(), Aggregate::sum("a"), Aggregate::max("a")])?;
/// assert_eq!(results.get("count"), Some(&Value::Unsigned(5)));
/// assert_eq!(results.get("sum(a)"), Some(&Value::Int(35)));
/// assert_eq!(results.get("max(a)"), Some(&Value::Int(9)));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Aggregate {
    name: String,
    /// The operator and its field; none for the number of cells.
    unary: Option<(AggregateOperator, String)>,
}

impl Aggregate {
    fn unary(operator: AggregateOperator, function: &str, field: impl Into<String>) -> Aggregate {
        let field = field.into();
        Aggregate { name: format!("{function}({field})"), unary: Some((operator, field)) }
    }

    /// The number of cells, named `count`.
    pub fn count() -> Aggregate {
        Aggregate { name: "count".to_owned(), unary: None }
    }

    /// The sum of a field of numbers, named `sum(FIELD)`: of 64 bits, signed or unsigned as the field, or a double.
    pub fn sum(field: impl Into<String>) -> Aggregate {
        Aggregate::unary(AggregateOperator::Sum, "sum", field)
    }

    /// The least value of a field of numbers or of ASCII texts, named `min(FIELD)`.
    pub fn min(field: impl Into<String>) -> Aggregate {
        Aggregate::unary(AggregateOperator::Min, "min", field)
    }

    /// The greatest value of a field of numbers or of ASCII texts, named `max(FIELD)`.
    pub fn max(field: impl Into<String>) -> Aggregate {
        Aggregate::unary(AggregateOperator::Max, "max", field)
    }

    /// The mean of a field of numbers, named `mean(FIELD)`.
    pub fn mean(field: impl Into<String>) -> Aggregate {
        Aggregate::unary(AggregateOperator::Mean, "mean", field)
    }

    /// The number of null cells of a nullable field, named `null_count(FIELD)`.
    pub fn null_count(field: impl Into<String>) -> Aggregate {
        Aggregate::unary(AggregateOperator::NullCount, "null_count", field)
    }

    /// Sets another name for the result.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Aggregate {
        Aggregate { name: name.into(), ..self }
    }
}

/// The results of aggregates by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregates(Vec<(String, Option<Value>)>);

impl Aggregates {
    /// The result of an aggregate; `None` if it is null, since there were no cells, or there is no aggregate of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_ref())
    }

    /// The results in the order of the aggregates.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Option<&Value>)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_ref()))
    }
}

/// Bytes for texts that are extremes: the engine rejects a buffer that is too small.
const TEXT_BYTES: [u64; 4] = [1 << 10, 1 << 16, 1 << 22, 1 << 28];

/// Computes aggregates by a query that `begin` makes, once more for each size of text that does not fit.
pub(super) fn aggregate(
    mut begin: impl FnMut() -> Result<QuerySession>,
    aggregates: &[Aggregate],
) -> Result<Aggregates> {
    if aggregates.is_empty() {
        return Err(Error::invalid("No aggregates are computed; name one"));
    }
    let mut sizes = TEXT_BYTES.into_iter().peekable();
    loop {
        let mut session = begin()?;
        let fields = apply(&mut session, aggregates)?;
        let text_bytes = sizes.next().unwrap_or_default();
        let buffers = fields.iter().map(|field| buffers_of_result(field, text_bytes)).collect::<Result<_>>()?;
        match session.read(buffers, &mut None) {
            Ok(filled) => {
                let columns = fields.iter().zip(filled).map(|(field, filled)| Column::new(field, filled));
                let values = columns.map(|column| (column.field.name().to_owned(), value_of(&column)));
                return Ok(Aggregates(values.collect()));
            }
            Err(error) => {
                let may_be_text = error.kind() == ErrorKind::InvalidArgument && fields.iter().any(Field::is_var);
                if !may_be_text || sizes.peek().is_none() {
                    return Err(error);
                }
            }
        }
    }
}

/// Adds aggregates to a query; returns the fields of their results.
fn apply(session: &mut QuerySession, aggregates: &[Aggregate]) -> Result<Vec<Field>> {
    let uri = session.handle.uri().to_owned();
    let query = &mut session.query;
    // A text has one offset.
    query.set_offset_format(OffsetFormat { extra: false, ..OFFSETS });
    let fields = aggregates.iter().map(|Aggregate { name, unary }| {
        let operation = match unary {
            None => engine::Aggregate::Count,
            Some((operator, field)) => query.unary_aggregate(*operator, field).at(&uri)?,
        };
        query.apply_aggregate(name, &operation).at(&uri)?;
        let output = operation.output();
        let datatype = Datatype::of_engine(output.shape.datatype);
        Ok(Field::aggregate(name, datatype, CellValNum::of_engine(output.shape.cell_val_num), output.nullable))
    });
    fields.collect()
}

/// Buffers for one cell.
fn buffers_of_result(field: &Field, text_bytes: u64) -> Result<ResultBuffers> {
    let data = if field.is_var() { text_bytes } else { field.cell_size() as u64 };
    let offsets = field.is_var().then_some(OFFSET_BYTES);
    Ok(ResultBuffers::new(&field.name, data, offsets, field.is_nullable().then_some(1))?)
}

fn value_of(column: &Column) -> Option<Value> {
    if column.is_null(0) {
        return None;
    }
    Some(Value::from_bytes(column.field.datatype(), column.data()))
}
