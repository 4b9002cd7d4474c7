//! Comparison of the cells of two arrays with the same dimensions.

use std::cmp::Ordering;

use serde_json::{Value as Json, json};
use tiledb::Layout;

use super::array::Array;
use super::error::Result;
use super::query::{Range, Reader, Selection};
use super::schema::{Field, Schema};
use super::value::Value;

/// Bytes of the buffer of a field.
const BUFFER: usize = 1 << 20;

/// How the cells of two arrays compare.
#[derive(Default)]
pub(crate) struct CellComparison {
    /// Whether they could be compared.
    pub is_compared: bool,
    pub equal: u64,
    pub different: u64,
    /// The first of those that differ.
    pub listed: Vec<DifferentCell>,
}

/// A cell that only one of the arrays has, or with other values.
pub(crate) struct DifferentCell {
    pub coordinates: String,
    pub left: String,
    pub right: String,
}

impl DifferentCell {
    pub(crate) fn json(&self) -> Json {
        json!({ "coordinates": self.coordinates, "left": self.left, "right": self.right })
    }
}

/// The cells of one array, row by row.
struct Rows {
    reader: Option<Reader>,
    dimensions: usize,
    batch: std::vec::IntoIter<Row>,
    next: Option<Row>,
}

/// Coordinates, and the values of attributes.
struct Row {
    coordinates: Vec<Value>,
    values: Vec<Value>,
}

/// Compares the cells, in the attributes that both arrays have, until `goes_on` says otherwise.
pub(crate) fn compare_cells(
    left: &Array,
    right: &Array,
    limit: u64,
    goes_on: impl Fn() -> bool,
) -> Result<CellComparison> {
    let mut comparison = CellComparison::default();
    let Some(fields) = common_fields(left.schema(), right.schema()) else { return Ok(comparison) };
    comparison.is_compared = true;
    let ranges = ranges(left, right)?;
    let mut left = Rows::read(left, &fields, ranges.as_deref())?;
    let mut right = Rows::read(right, &fields, ranges.as_deref())?;
    while goes_on() {
        let (mut ours, mut theirs) = match (&left.next, &right.next) {
            (None, None) => break,
            (Some(_), None) => (left.cells()?, Vec::new()),
            (None, Some(_)) => (Vec::new(), right.cells()?),
            (Some(a), Some(b)) => match order(&a.coordinates, &b.coordinates) {
                Ordering::Less => (left.cells()?, Vec::new()),
                Ordering::Greater => (Vec::new(), right.cells()?),
                Ordering::Equal => (left.cells()?, right.cells()?),
            },
        };
        // Of duplicates the order is open.
        ours.sort_by_cached_key(|row| texts(&row.values));
        theirs.sort_by_cached_key(|row| texts(&row.values));
        comparison.add(&fields, &ours, &theirs, limit);
    }
    Ok(comparison)
}

impl CellComparison {
    /// Adds the cells with the same coordinates in both arrays.
    fn add(&mut self, fields: &[Field], left: &[Row], right: &[Row], limit: u64) {
        for at in 0..left.len().max(right.len()) {
            let pair = (left.get(at), right.get(at));
            if let (Some(a), Some(b)) = pair
                && (a.values == b.values || texts(&a.values) == texts(&b.values))
            {
                self.equal += 1;
                continue;
            }
            self.different += 1;
            let Some(row) = pair.0.or(pair.1).filter(|_| (self.listed.len() as u64) < limit) else { continue };
            let names = fields.iter().skip(row.coordinates.len()).map(|field| field.name.as_str());
            let is_shown = |at: usize| match pair {
                (Some(a), Some(b)) => texts(&a.values[at..=at]) != texts(&b.values[at..=at]),
                _ => true,
            };
            let shown: Vec<(usize, &str)> = names.enumerate().filter(|(at, _)| is_shown(*at)).collect();
            let side = |row: Option<&Row>| match row {
                Some(row) => {
                    let values: Vec<String> =
                        shown.iter().map(|(at, name)| format!("{name}={}", row.values[*at])).collect();
                    values.join(", ")
                }
                None => "(none)".to_owned(),
            };
            self.listed.push(DifferentCell {
                coordinates: texts(&row.coordinates).join(", "),
                left: side(pair.0),
                right: side(pair.1),
            });
        }
    }
}

impl Rows {
    fn read(array: &Array, fields: &[Field], ranges: Option<&[Range]>) -> Result<Self> {
        let dimensions = array.schema().dimensions.len();
        let reader = match ranges {
            Some(ranges) => {
                let selection = Selection { array, layout: Layout::RowMajor, ranges, condition: None };
                Some(selection.reader(fields.to_vec(), BUFFER)?)
            }
            None => None,
        };
        let mut rows = Self { reader, dimensions, batch: Vec::new().into_iter(), next: None };
        rows.advance()?;
        Ok(rows)
    }

    /// Moves on to the next row.
    fn advance(&mut self) -> Result<()> {
        self.next = self.batch.next();
        while self.next.is_none() {
            let Some(reader) = &mut self.reader else { return Ok(()) };
            let Some(batch) = reader.next()? else {
                self.reader = None;
                return Ok(());
            };
            let columns = batch.columns()?;
            let row = |at: usize| {
                let mut values: Vec<Value> = columns.iter().map(|column| column.value(at)).collect();
                let attributes = values.split_off(self.dimensions);
                Row { coordinates: values, values: attributes }
            };
            let rows: Vec<Row> = (0..batch.cells()).map(row).collect();
            self.batch = rows.into_iter();
            self.next = self.batch.next();
        }
        Ok(())
    }

    /// The next rows that have the same coordinates.
    fn cells(&mut self) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = Vec::new();
        while let Some(next) = &self.next {
            if rows.first().is_some_and(|first| order(&first.coordinates, &next.coordinates) != Ordering::Equal) {
                break;
            }
            rows.extend(self.next.take());
            self.advance()?;
        }
        Ok(rows)
    }
}

/// The dimensions, and the attributes that both have; none where the cells of one have no counterparts in the other.
fn common_fields(left: &Schema, right: &Schema) -> Option<Vec<Field>> {
    let dimensions = |schema: &Schema| -> Vec<_> {
        schema.dimensions.iter().map(|dimension| (dimension.name.clone(), dimension.datatype)).collect()
    };
    if left.is_dense() != right.is_dense() || dimensions(left) != dimensions(right) {
        return None;
    }
    let is_common = |field: &Field| right.fields().iter().any(|other| other.name == field.name);
    let fields: Vec<Field> = left.fields().into_iter().filter(is_common).collect();
    (fields.len() > left.dimensions.len()).then_some(fields)
}

/// The cells to compare: of sparse arrays all, of dense ones those that one of both has; none where nothing is stored.
fn ranges(left: &Array, right: &Array) -> Result<Option<Vec<Range>>> {
    let bounds = match (left.non_empty_domain()?, right.non_empty_domain()?) {
        (None, None) => return Ok(None),
        (Some(bounds), None) | (None, Some(bounds)) => bounds,
        (Some(a), Some(b)) => {
            let lesser = |a: Value, b: Value| if a.order(&b) == Some(Ordering::Greater) { b } else { a };
            let greater = |a: Value, b: Value| if a.order(&b) == Some(Ordering::Less) { b } else { a };
            a.into_iter().zip(b).map(|(a, b)| (lesser(a.0, b.0), greater(a.1, b.1))).collect()
        }
    };
    if !left.schema().is_dense() {
        return Ok(Some(Vec::new()));
    }
    let range = |(dimension, (low, high)): (&super::schema::Dimension, (Value, Value))| {
        Ok(Range {
            dimension: dimension.name.clone(),
            low: low.stored(dimension.datatype)?,
            high: high.stored(dimension.datatype)?,
        })
    };
    left.schema().dimensions.iter().zip(bounds).map(range).collect::<Result<_>>().map(Some)
}

fn order(left: &[Value], right: &[Value]) -> Ordering {
    let orders = left.iter().zip(right).map(|(a, b)| a.order(b).unwrap_or(Ordering::Equal));
    orders.into_iter().find(|order| *order != Ordering::Equal).unwrap_or(Ordering::Equal)
}

/// Values as texts, by which "not a number" equals itself.
fn texts(values: &[Value]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}
