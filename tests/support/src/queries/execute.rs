//! Runs a query with one library.

use crate::aggregates::Answer as Total;
use crate::conditions::run_seed as arrays;
use crate::conditions::scenario::Scenario;
use crate::queries::random_query::{Aggregate, Field, RandomQuery, Window};
use crate::{Array, Column, Ctx, Failure, address, pointer, text};

/// Cells with the bytes and the validity of all their fields.
pub type Rows = Vec<Row>;

/// A cell's fields.
pub type Row = Vec<(Vec<u8>, Option<u8>)>;

/// How a query came to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    Complete,
    /// It is incomplete and gave no cell.
    Stuck,
    Failed(Failure),
}

/// What a submit left: cells, status and the reason why it is incomplete.
pub type Part = (usize, u32, u32);

#[derive(Clone, Debug)]
pub struct Answer {
    pub rows: Rows,
    pub parts: Vec<Part>,
    pub totals: Vec<Total>,
    /// What the query estimates before, by field: bytes of data, offsets and validity.
    pub estimates: Vec<[u64; 3]>,
    pub end: End,
}

/// How a query is submitted.
pub type Submit<'s> = dyn FnMut(&Ctx<'_>, u64) -> Result<(), Failure> + 's;

/// Asks, and goes on asking until the query is complete or makes no progress.
pub fn ask(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, question: &RandomQuery) -> Answer {
    let stops = question.fields.len() as u64 % 3;
    ask_by(ctx, scenario, uri, question, &mut |ctx, query| ctx.submit_read(query, stops))
}

/// Asks in another way than by submitting the query where it was made.
pub fn ask_by(
    ctx: &Ctx<'_>,
    scenario: &Scenario,
    uri: &str,
    question: &RandomQuery,
    submit: &mut Submit<'_>,
) -> Answer {
    let mut answer =
        Answer { rows: Vec::new(), parts: Vec::new(), totals: Vec::new(), estimates: Vec::new(), end: End::Stuck };
    if let Err(failure) = fill(ctx, scenario, uri, question, &mut answer, submit) {
        answer.end = End::Failed(failure);
    }
    answer
}

fn open<'a>(ctx: &'a Ctx<'a>, uri: &str, window: Window, before: Option<Window>) -> Result<Array<'a>, Failure> {
    let Some(before) = before else { return Array::open(ctx, uri, 0, window.0, window.1) };
    let array = Array::open(ctx, uri, 0, before.0, before.1)?;
    ctx.call("array_set_open_timestamp_start", &[array.handle, window.0.unwrap_or(0)])?;
    ctx.call("array_set_open_timestamp_end", &[array.handle, window.1.unwrap_or(u64::MAX)])?;
    ctx.call("array_reopen", &[array.handle])?;
    Ok(array)
}

fn fill(
    ctx: &Ctx<'_>,
    scenario: &Scenario,
    uri: &str,
    question: &RandomQuery,
    answer: &mut Answer,
    submit: &mut Submit<'_>,
) -> Result<(), Failure> {
    let array = open(ctx, uri, question.window, question.before)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    let result = submit_all(&array, query, scenario, question, answer, submit);
    ctx.free("query", query);
    result
}

fn submit_all(
    array: &Array<'_>,
    query: u64,
    scenario: &Scenario,
    question: &RandomQuery,
    answer: &mut Answer,
    submit: &mut Submit<'_>,
) -> Result<(), Failure> {
    let ctx = array.ctx;
    ctx.call("query_set_layout", &[query, question.layout])?;
    if question.ranges.iter().any(|ranges| !ranges.is_empty()) {
        arrays::set_ranges(ctx, scenario, array, query, question.ranges.iter().cloned())?;
    }
    if let Some(tree) = &question.condition {
        let condition = arrays::condition(ctx, tree)?;
        let set = ctx.call("query_set_condition", &[query, condition]);
        ctx.free("query_condition", condition);
        set?;
    }
    let fields: Vec<Field> = question.fields.iter().map(|&place| Field::of(scenario, place)).collect();
    let mut columns = Vec::new();
    for (field, room) in fields.iter().zip(&question.rooms) {
        let offsets = field.kind.values.is_none().then_some(room.offsets);
        let validity = field.nullable.then_some(room.validity);
        columns.push(Column::with_capacity(&field.name, room.data, offsets, validity));
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    for field in fields.iter().filter(|field| field.name != "__timestamps") {
        answer.estimates.push(estimate(ctx, query, field)?);
    }
    let mut totals = Vec::new();
    for (number, aggregate) in question.aggregates.iter().enumerate() {
        totals.push(apply(ctx, query, scenario, number, *aggregate)?);
    }
    totals.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    for _ in 0..20_000 {
        submit(ctx, query)?;
        let cells: Vec<_> =
            columns.iter().zip(&fields).map(|(column, field)| column.result().split(field.size())).collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or(0);
        let none = (b"missing".to_vec(), None);
        let row = |row: usize| cells.iter().map(|column| column.get(row).unwrap_or(&none).clone()).collect();
        answer.rows.extend((0..count).map(row));
        let (mut status, mut details) = (0u32, 0u32);
        ctx.call("query_get_status", &[query, address(&mut status)])?;
        ctx.call("query_get_status_details", &[query, address(&mut details)])?;
        answer.parts.push((count, status, details));
        if status == 1 {
            answer.end = End::Complete;
            answer.totals = totals.iter().map(total).collect();
            return Ok(());
        }
        if count == 0 {
            return Ok(());
        }
    }
    Ok(())
}

fn total(column: &Column) -> Total {
    let cells = column.result();
    Total { value: cells.data, valid: cells.validity.map(|validity| validity.first().copied().unwrap_or(9)) }
}

fn estimate(ctx: &Ctx<'_>, query: u64, field: &Field) -> Result<[u64; 3], Failure> {
    let name = text(&field.name);
    let [mut data, mut offsets, mut validity] = [0u64; 3];
    let (start, [d, o, v]) =
        ([query, pointer(&name)], [address(&mut data), address(&mut offsets), address(&mut validity)]);
    let (function, sizes) = match (field.kind.values.is_none(), field.nullable) {
        (false, false) => ("query_get_est_result_size", vec![d]),
        (false, true) => ("query_get_est_result_size_nullable", vec![d, v]),
        (true, false) => ("query_get_est_result_size_var", vec![o, d]),
        (true, true) => ("query_get_est_result_size_var_nullable", vec![o, d, v]),
    };
    ctx.call(function, &[&start[..], &sizes[..]].concat())?;
    Ok([data, offsets, validity])
}

/// Applies an aggregate; the buffers of its result.
fn apply(
    ctx: &Ctx<'_>,
    query: u64,
    scenario: &Scenario,
    number: usize,
    aggregate: Aggregate,
) -> Result<Column, Failure> {
    let mut channel = ctx.get("query_get_default_channel", &[query])?;
    let name = format!("r{number}");
    let output = text(&name);
    let column = match aggregate {
        None => {
            let operation = ctx.get("aggregate_count_get", &[])?;
            ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
            Column::with_capacity(&name, 8, None, None)
        }
        Some((operator, place)) => {
            let field = Field::of(scenario, place);
            let input = text(&field.name);
            let operator_handle = ctx.get(&format!("channel_operator_{operator}_get"), &[])?;
            let mut operation = ctx.get("create_unary_aggregate", &[query, operator_handle, pointer(&input)])?;
            ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
            ctx.api.raw("aggregate_free", &[ctx.handle, address(&mut operation)]);
            let extreme = matches!(operator, "min" | "max");
            let var = field.kind.values.is_none();
            let size = if !extreme {
                8
            } else if var {
                64
            } else {
                field.size()
            };
            let validity = (field.nullable && operator != "null_count").then_some(1);
            Column::with_capacity(&name, size, (extreme && var).then_some(1), validity)
        }
    };
    ctx.api.raw("query_channel_free", &[ctx.handle, address(&mut channel)]);
    Ok(column)
}
