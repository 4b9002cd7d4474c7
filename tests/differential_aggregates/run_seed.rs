//! Runs a scenario with aggregates instead of its queries.

use support::accepted;
use support::aggregates::{self, AggregateQuery, Answer, OPERATORS};
use support::conditions::reference_model;
use support::conditions::run_seed as arrays;
use support::conditions::scenario::{Kind, Query, Scenario, Tree};
use support::random::Random;
use support::seeds::{self, Played, phase};
use support::{Api, Array, Column, Ctx, Failure, folders, pointer, text};

/// An aggregate: operator, and the field's place among dimensions and attributes; `None` counts cells.
type AggregateSpec = Option<(&'static str, usize)>;

/// Plays a seed.
pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let mut scenario = Scenario::random(seed);
    if seed % 2 == 1 {
        let random = &mut Random::new(seed ^ 0x57b1);
        replace_strings(&mut scenario, random);
        scenario.fragments.iter_mut().for_each(|fragment| fragment.by_us = random.one_in(2));
    }
    let folder = folders::temporary().join(format!("aggregates-{}-{seed}", std::process::id()));
    let uri = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let result = compare(ours, reference, &scenario, seed, uri);
    if std::env::var_os("KEEP").is_none() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    result
}

/// Gives strings other values, some of them empty or with NULs: where the statistics of a tile are not those of all bytes.
fn replace_strings(scenario: &mut Scenario, random: &mut Random) {
    for (number, attribute) in scenario.attributes.iter_mut().enumerate() {
        if attribute.kind.number != 11 || attribute.enumeration.is_some() {
            continue;
        }
        let before = attribute.pool.clone();
        for text in &mut attribute.pool {
            let length = attribute.kind.values.map_or_else(|| random.between(0, 4), |values| values as i64);
            *text = (0..length).map(|_| *random.pick(b"\0ab")).collect();
        }
        let field = format!("a{number}");
        let deletes = scenario.deletes.iter_mut().map(|(_, tree, _)| tree);
        for tree in deletes.chain(scenario.queries.iter_mut().map(|query| &mut query.condition)) {
            replace_values(tree, &field, &before, &attribute.pool);
        }
    }
}

/// Replaces the values that a condition compares a field with.
fn replace_values(tree: &mut Tree, of_field: &str, before: &[Vec<u8>], after: &[Vec<u8>]) {
    match tree {
        Tree::Not(inner) => replace_values(inner, of_field, before, after),
        Tree::Both(left, right, _) => {
            replace_values(left, of_field, before, after);
            replace_values(right, of_field, before, after);
        }
        Tree::Leaf { field, value, members, .. } if field == of_field => {
            for value in value.iter_mut().chain(members) {
                if let Some(place) = before.iter().position(|text| text == value) {
                    value.clone_from(&after[place]);
                }
            }
        }
        Tree::Leaf { .. } => (),
    }
}

fn compare(ours: &Api, reference: &Api, scenario: &Scenario, seed: u64, uri: &str) -> Result<Played, String> {
    let config = [("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")];
    let (our_ctx, ref_ctx) = (ours.context(&config), reference.context(&config));
    let made = prepare(&our_ctx, &ref_ctx, scenario, seed, uri).map_err(|failure| format!("{failure:?}"))?;
    let scenario = &made;
    let random = &mut Random::new(seed ^ 0xa66);
    let mut played = Played::default();
    for (number, query) in scenario.queries.iter().enumerate() {
        let conditional = random.one_in(2);
        let layout = if scenario.dense { random.next() % 2 } else { 3 };
        let query = Query { layout, ..query.clone() };
        let aggregates = pick(scenario, random);
        phase(seed, "ours");
        let got = ask(&our_ctx, scenario, uri, &query, conditional, &aggregates);
        if let Ok(answers) = &got {
            check_cells(scenario, &query, conditional, &aggregates, answers)
                .map_err(|text| format!("{text}: conditional {conditional} {query:?} {scenario:?}"))?;
        }
        played.queries += 1;
        if !seeds::reference_takes(seed, number) {
            continue;
        }
        let theirs = ask(&ref_ctx, scenario, uri, &query, conditional, &aggregates);
        let reason = match (&got, &theirs) {
            (Err(a), Err(b)) if a == b => None,
            (_, Err(b)) if arrays::defect(b).is_some() => arrays::defect(b),
            (Ok(_), Err(b)) if b.text.contains("bad_alloc") => Some(&accepted::LITTLE_ROOM),
            // It looks for statistics of cells that have none.
            (Ok(_), Err(b)) if b.text.contains("Trying to access tile min metadata") => {
                Some(&accepted::ABSENT_STATISTICS)
            }
            (Err(a), _) if arrays::is_of_other_size(a) && scenario.has_odd_size(Some(&query.condition)) => {
                Some(&accepted::VALUE_SIZE)
            }
            (Ok(a), Ok(b)) => {
                let answers = aggregates.iter().zip(a.iter().zip(b)).map(|(&aggregates, (a, b))| (aggregates, a, b));
                let condition = conditional.then_some(&query.condition);
                let aggregate_query = AggregateQuery { layout, ranges: &query.ranges, condition, again: false };
                aggregates::why(scenario, &aggregate_query, answers)
                    .map_err(|text| format!("{text}: {query:?} {scenario:?}"))?
            }
            _ => return Err(format!("{got:?} but {theirs:?}: {query:?} {aggregates:?} {scenario:?}")),
        };
        played.accepted.extend(reason);
    }
    Ok(played)
}

/// The reference writes, or both do; both delete. The scenario without deletions that were refused.
fn prepare(
    ours: &Ctx<'_>,
    reference: &Ctx<'_>,
    scenario: &Scenario,
    seed: u64,
    uri: &str,
) -> Result<Scenario, Failure> {
    phase(seed, "reference");
    arrays::create(reference, scenario, uri)?;
    for fragment in &scenario.fragments {
        let writer = if fragment.by_us { ours } else { reference };
        arrays::write(writer, scenario, uri, fragment)?;
    }
    let mut made = scenario.clone();
    made.deletes.retain(|(time, tree, by_us)| {
        phase(seed, if *by_us { "ours" } else { "reference" });
        // A condition that does not fit the array is refused.
        arrays::delete(if *by_us { ours } else { reference }, uri, *time, tree).is_ok()
    });
    if scenario.consolidate {
        // What the reference consolidates lacks what it deletes.
        let by_us = seed % 2 == 1;
        let (who, api) = if by_us { ("ours", ours.api) } else { ("reference", reference.api) };
        phase(seed, who);
        made.merged = arrays::consolidate(api, uri);
    }
    Ok(made)
}

/// Name, kind and nullability of a field by its place.
fn field(scenario: &Scenario, place: usize) -> (String, Kind, bool) {
    let dimensions = scenario.dimensions.len();
    match place.checked_sub(dimensions) {
        None => (format!("d{place}"), Kind { number: 0, size: 4, values: Some(1) }, false),
        Some(number) => {
            let attribute = &scenario.attributes[number];
            (format!("a{number}"), attribute.kind, attribute.nullable)
        }
    }
}

/// Some aggregates that the array allows.
fn pick(scenario: &Scenario, random: &mut Random) -> Vec<AggregateSpec> {
    let mut aggregates: Vec<AggregateSpec> = if random.one_in(2) { vec![None] } else { Vec::new() };
    for place in 0..scenario.dimensions.len() + scenario.attributes.len() {
        let (_, kind, nullable) = field(scenario, place);
        for operator in OPERATORS {
            let text = kind.number == 11;
            let number =
                !text && (kind.number < 4 || (5..11).contains(&kind.number) || (18..40).contains(&kind.number));
            let fits = match operator {
                "null_count" => nullable,
                "min" | "max" => text || number && kind.values == Some(1),
                _ => number && kind.values == Some(1),
            };
            if fits && !random.one_in(3) {
                aggregates.push(Some((operator, place)));
            }
        }
    }
    if aggregates.is_empty() { vec![None] } else { aggregates }
}

/// Asks for the aggregates.
fn ask(
    ctx: &Ctx<'_>,
    scenario: &Scenario,
    uri: &str,
    spec: &Query,
    conditional: bool,
    aggregates: &[AggregateSpec],
) -> Result<Vec<Answer>, Failure> {
    let array = Array::open(ctx, uri, 0, None, Some(spec.end))?;
    let query = start(scenario, &array, spec, conditional)?;
    let channel = ctx.get("query_get_default_channel", &[query])?;
    let mut columns = Vec::new();
    for (number, aggregate) in aggregates.iter().enumerate() {
        let name = format!("r{number}");
        let output = text(&name);
        let column = match aggregate {
            None => {
                let operation = ctx.get("aggregate_count_get", &[])?;
                ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
                Column::with_capacity(&name, 8, None, None)
            }
            Some((operator, place)) => {
                let (field, kind, nullable) = field(scenario, *place);
                let field = text(&field);
                let operator_handle = ctx.get(&format!("channel_operator_{operator}_get"), &[])?;
                let mut operation = ctx.get("create_unary_aggregate", &[query, operator_handle, pointer(&field)])?;
                ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
                ctx.api.raw("aggregate_free", &[ctx.handle, support::address(&mut operation)]);
                let extreme = matches!(*operator, "min" | "max");
                let size = if extreme { kind.values.map_or(64, |values| kind.size * values) } else { 8 };
                let validity = (nullable && *operator != "null_count").then_some(1);
                Column::with_capacity(&name, size, (extreme && kind.values.is_none()).then_some(1), validity)
            }
        };
        columns.push(column);
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let result = ctx.call("query_submit", &[query]);
    let mut channel = channel;
    ctx.api.raw("query_channel_free", &[ctx.handle, support::address(&mut channel)]);
    ctx.free("query", query);
    result?;
    let answer = |column: &Column| {
        let cells = column.result();
        Answer { value: cells.data, valid: cells.validity.map(|validity| validity[0]) }
    };
    Ok(columns.iter().map(answer).collect())
}

/// A query with its ranges, layout and condition.
fn start(scenario: &Scenario, array: &Array<'_>, spec: &Query, conditional: bool) -> Result<u64, Failure> {
    let ctx = array.ctx;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, spec.layout])?;
    arrays::set_ranges(ctx, scenario, array, query, spec.ranges.iter().cloned())?;
    if conditional {
        let condition = arrays::condition(ctx, &spec.condition)?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.free("query_condition", condition);
    }
    Ok(query)
}

/// Our aggregates must be those of the cells that were written.
fn check_cells(
    scenario: &Scenario,
    query: &Query,
    conditional: bool,
    aggregates: &[AggregateSpec],
    answers: &[Answer],
) -> Result<(), String> {
    let condition = conditional.then_some(&query.condition);
    let model_query =
        reference_model::ModelQuery { layout: query.layout, window: (0, query.end), ranges: &query.ranges, condition };
    let selected = reference_model::select(scenario, &model_query);
    match aggregates
        .iter()
        .zip(answers)
        .find(|(aggregate, answer)| !aggregates::is_of(scenario, &selected, **aggregate, answer))
    {
        None => Ok(()),
        Some((aggregate, answer)) => Err(format!("{aggregate:?} gave {answer:?} of {} cells", selected.len())),
    }
}
