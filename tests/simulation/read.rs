//! Reads, which may go on while the array changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::array::TestArray;
use super::columns::{ColumnBuffer, TestField};
use super::model::aggregate::AggregateKind;
use super::model::cells::Selection;
use super::model::condition::Condition;
use super::model::order::Order;
use super::model::schema::Schema;
use super::model::value::Value;
use super::model::{Cell, Window};
use super::shape::{ArrayShape, TestAttribute, ValueKind};
use tiledb_array::array::OpenArray;
use tiledb_cells::Subarray;
use tiledb_cells::aggregate::operation::{Aggregate, AggregateOperator};
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{Layout, QueryType};
use tiledb_query::{Query, Status};

/// How a read is done, without influence on the cells that it returns.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub layout: Layout,
    /// Cells for which the smallest buffers of a submit have room; those of other fields have room for up to three more.
    pub cells: usize,
    pub budget: Option<u64>,
    /// Aggregates of attributes, computed with the read.
    pub aggregates: Vec<(AggregateKind, usize)>,
}

impl ReadOptions {
    /// The order of the rows, if it has one.
    pub fn order(&self) -> Option<Order> {
        match self.layout {
            Layout::RowMajor => Some(Order::Row),
            Layout::ColMajor => Some(Order::Column),
            Layout::GlobalOrder => Some(Order::Global),
            _ => None,
        }
    }
}

impl Selection {
    /// All cells of a window of an array with so many dimensions.
    pub fn all(dimensions: usize, window: Window) -> Selection {
        Selection { window, ranges: vec![Vec::new(); dimensions], condition: None, exceeds_domain: false }
    }

    /// Restricts ranges to a domain. False if there are some along a dimension, and none inside.
    pub fn clip(&mut self, domain: &[(u8, u8)]) -> bool {
        let mut is_inside = true;
        for (ranges, domain) in self.ranges.iter_mut().zip(domain) {
            let has_ranges = !ranges.is_empty();
            ranges.retain(|range| range.0 <= domain.1 && range.1 >= domain.0);
            ranges.iter_mut().for_each(|range| *range = (range.0.max(domain.0), range.1.min(domain.1)));
            is_inside &= !has_ranges || !ranges.is_empty();
        }
        is_inside
    }
}

pub struct OpenRead {
    shape: Arc<ArrayShape>,
    query: Query,
    schema: Schema,
    fields: Vec<TestField>,
    cells: usize,
    aggregates: Vec<AggregateBuffer>,
    /// The number of rows after each submit.
    submits: Vec<usize>,
    is_complete: bool,
}

impl OpenRead {
    /// # Errors
    /// As the engine.
    pub fn new(
        array: &TestArray,
        open: &Arc<OpenArray>,
        selection: &Selection,
        options: &ReadOptions,
    ) -> Result<OpenRead> {
        let subarray = array.subarray(open, &selection.ranges)?;
        OpenRead::of_subarray(array, open, &subarray, selection.condition.as_ref(), options)
    }

    /// A read of a part of the array.
    ///
    /// # Errors
    /// As the engine.
    pub fn of_subarray(
        array: &TestArray,
        open: &Arc<OpenArray>,
        subarray: &Subarray,
        condition: Option<&Condition>,
        options: &ReadOptions,
    ) -> Result<OpenRead> {
        let mut query = Query::new(open, QueryType::Read)?;
        if let Some(budget) = options.budget {
            let mut config = Config::new();
            config.set("sm.mem.total_budget", &budget.to_string())?;
            query.set_config(&config)?;
        }
        query.set_layout(options.layout)?;
        query.set_subarray(subarray)?;
        if let Some(condition) = condition {
            query.set_condition(Some(array.condition(condition)?))?;
        }
        let fields = array.fields(open);
        let mut aggregates = Vec::new();
        for (number, (kind, attribute)) in options.aggregates.iter().enumerate() {
            if fields.contains(&TestField::Attribute(*attribute)) {
                aggregates.push(AggregateBuffer::new(
                    &mut query,
                    number,
                    *kind,
                    (*attribute, &array.shape.attributes[*attribute]),
                )?);
            }
        }
        Ok(OpenRead {
            shape: Arc::clone(&array.shape),
            query,
            schema: array.schema(open)?,
            fields,
            cells: options.cells,
            aggregates,
            submits: Vec::new(),
            is_complete: false,
        })
    }

    /// The next rows; `None` after the last.
    ///
    /// # Errors
    /// As the engine, and for a submit that makes no progress.
    pub fn submit(&mut self) -> Result<Option<Vec<Cell>>> {
        if self.is_complete {
            return Ok(None);
        }
        let shape = &*self.shape;
        // Any column may be the first whose buffers are full.
        let cells = |number: usize| self.cells + (5 * number + self.submits.len()) % 4;
        let fields = self.fields.iter().enumerate();
        let mut columns: Vec<ColumnBuffer> =
            fields.map(|(number, field)| ColumnBuffer::for_results(shape, *field, cells(number))).collect();
        columns.iter_mut().try_for_each(|column| column.attach(&mut self.query))?;
        self.aggregates.iter_mut().try_for_each(|aggregate| aggregate.attach(&mut self.query))?;
        self.query.submit()?;
        self.is_complete = self.query.status() == Status::Completed;
        let count = columns.first().map_or(0, |column| column.count(shape));
        if !self.is_complete && count == 0 {
            bail!(Internal, "A submit without progress");
        }
        self.submits.push(self.submits.last().unwrap_or(&0) + count);
        let row = |position: usize| {
            let mut row = Cell { at: Vec::new(), values: BTreeMap::new() };
            for column in &columns {
                if column.count(shape) != count {
                    bail!(Internal, "Columns of different lengths");
                }
                if let Err(text) = column.deliver(shape, position, &mut row) {
                    bail!(Internal, "{text}");
                }
            }
            Ok(row)
        };
        (0..count).map(row).collect::<Result<Vec<_>>>().map(Some)
    }

    /// The aggregates of a complete read: the attribute, the kind and the result.
    pub fn aggregates(&self) -> Vec<(usize, AggregateKind, Value)> {
        self.aggregates.iter().map(|buffer| (buffer.attribute, buffer.kind, buffer.result())).collect()
    }

    /// The schema that it reads.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of rows after each submit.
    pub fn submits(&self) -> &[usize] {
        &self.submits
    }

    /// True once there are no more rows.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

/// The result of an aggregate.
struct AggregateBuffer {
    name: String,
    attribute: usize,
    kind: AggregateKind,
    /// What the result is decoded as.
    shape: TestAttribute,
    is_wide: bool,
    data: Vec<u8>,
    starts: Vec<u64>,
    validity: Vec<u8>,
    sizes: Box<[u64; 3]>,
}

impl AggregateBuffer {
    fn new(
        query: &mut Query,
        number: usize,
        kind: AggregateKind,
        (attribute, shape): (usize, &TestAttribute),
    ) -> Result<AggregateBuffer> {
        let operator = match kind {
            AggregateKind::Count => None,
            AggregateKind::Sum => Some(AggregateOperator::Sum),
            AggregateKind::Min => Some(AggregateOperator::Min),
            AggregateKind::Max => Some(AggregateOperator::Max),
            AggregateKind::Mean => Some(AggregateOperator::Mean),
            AggregateKind::NullCount => Some(AggregateOperator::NullCount),
        };
        let aggregate = match operator {
            Some(operator) => query.unary_aggregate(operator, &shape.name)?,
            None => Aggregate::Count,
        };
        let name = format!("aggregate{number}");
        query.apply_aggregate(&name, &aggregate)?;
        let is_extreme = matches!(kind, AggregateKind::Min | AggregateKind::Max);
        let is_nullable = shape.nullable && !matches!(kind, AggregateKind::Count | AggregateKind::NullCount);
        let is_text = is_extreme && shape.is_var();
        let shape = match kind {
            AggregateKind::Mean => TestAttribute::new(&name, ValueKind::Real),
            _ => shape.clone(),
        };
        Ok(AggregateBuffer {
            name,
            attribute,
            kind,
            is_wide: !is_extreme && shape.kind != ValueKind::Real
                || kind == AggregateKind::Count
                || kind == AggregateKind::NullCount,
            data: vec![0; if is_extreme { shape.cell_bytes() } else { 8 }],
            starts: vec![0; usize::from(is_text)],
            validity: vec![0; usize::from(is_nullable)],
            sizes: Box::default(),
            shape,
        })
    }

    fn attach(&mut self, query: &mut Query) -> Result<()> {
        *self.sizes = [self.data.len() as u64, 8 * self.starts.len() as u64, self.validity.len() as u64];
        let [data, starts, validity] = self.sizes.each_mut().map(|size| UserPtr::in_test(size));
        query.set_data_buffer(&self.name, UserPtr::in_test(self.data.as_mut_ptr()), data)?;
        if !self.starts.is_empty() {
            query.set_offsets_buffer(&self.name, UserPtr::in_test(self.starts.as_mut_ptr().cast()), starts)?;
        }
        if !self.validity.is_empty() {
            query.set_validity_buffer(&self.name, UserPtr::in_test(self.validity.as_mut_ptr()), validity)?;
        }
        Ok(())
    }

    fn result(&self) -> Value {
        match (self.validity.first(), self.is_wide) {
            (Some(0), _) => Value::Null,
            (_, true) => Value::Int(i64::from_le_bytes(self.data[..8].try_into().unwrap())),
            _ => self.shape.decode(&self.data[..self.sizes[0] as usize]),
        }
    }
}
