//! Carries out a scenario with aggregates in the place of its queries.

use crate::arrays;
use crate::model::{self, Answer, Cell, OPERATORS};
use crate::random::Random;
use crate::scenario::{Kind, Query, Scenario};
use crate::support::accepted;
use crate::support::seeds::{Played, phase};
use crate::support::{Api, Array, Column, Ctx, Failure, pointer, text};

/// An aggregate: operator, and the field's place among dimensions and attributes; `None` counts cells.
type Wanted = Option<(&'static str, usize)>;

/// Plays a seed.
pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let mut scenario = Scenario::random(seed);
    // What lies between fragments counts as written where they were consolidated.
    scenario.consolidate &= !scenario.dense;
    let folder = std::env::temp_dir().join(format!("aggregates-{}-{seed}", std::process::id()));
    let uri = folder.to_str().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let result = compare(ours, reference, &scenario, seed, uri);
    if std::env::var_os("KEEP").is_none() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    result
}

fn compare(ours: &Api, reference: &Api, scenario: &Scenario, seed: u64, uri: &str) -> Result<Played, String> {
    let config = [("sm.compute_concurrency_level", "2"), ("sm.io_concurrency_level", "2")];
    let (our_ctx, ref_ctx) = (ours.context(&config), reference.context(&config));
    prepare(&our_ctx, &ref_ctx, scenario, seed, uri).map_err(|failure| format!("{failure:?}"))?;
    let random = &mut Random::new(seed ^ 0xa66);
    let mut played = Played::default();
    for query in &scenario.queries {
        let conditional = random.one_in(2);
        // Of dense arrays the reference reads some cells wrongly against the array's own order, under conditions.
        let by_column = scenario.dense && !conditional && random.one_in(2);
        let layout = if scenario.dense { u64::from(by_column) } else { 3 };
        let query = Query { layout, ..query.clone() };
        let wanted = pick(scenario, random);
        phase(seed, "ours");
        let got = ask(&our_ctx, scenario, uri, &query, conditional, &wanted);
        if scenario.dense && conditional || got.is_err() {
            phase(seed, "reference");
            let theirs = ask(&ref_ctx, scenario, uri, &query, conditional, &wanted);
            match (&got, &theirs) {
                (Err(a), Err(b)) if a == b => {}
                (_, Err(b)) if arrays::defect(b).is_some() => {
                    played.accepted.extend(arrays::defect(b));
                    continue;
                }
                // It looks for statistics of cells that have none.
                (_, Err(b)) if b.text.ends_with("Trying to access tile min metadata that's not present") => {
                    played.accepted.push(&accepted::DENSE_CONDITIONS);
                    continue;
                }
                (Err(a), Ok(_)) if arrays::is_set_of_other_size(a) => played.accepted.push(&accepted::SET_MEMBER_SIZE),
                (Ok(a), Ok(b)) => {
                    if !check_reference(scenario, &wanted, a, b)? {
                        played.accepted.push(&accepted::DENSE_CONDITIONS);
                    }
                }
                _ => return Err(format!("{got:?} but {theirs:?}: {query:?} {wanted:?} {scenario:?}")),
            }
        } else if let Ok(answers) = &got {
            let cells =
                cells(&our_ctx, scenario, uri, &query, conditional).map_err(|failure| format!("{failure:?}"))?;
            check_cells(scenario, &wanted, &cells, answers)
                .map_err(|text| format!("{text}: conditional {conditional} {query:?} {cells:?} {scenario:?}"))?;
        }
        played.queries += 1;
    }
    Ok(played)
}

/// The reference writes, both delete.
fn prepare(ours: &Ctx<'_>, reference: &Ctx<'_>, scenario: &Scenario, seed: u64, uri: &str) -> Result<(), Failure> {
    phase(seed, "reference");
    arrays::create(reference, scenario, uri)?;
    for fragment in &scenario.fragments {
        arrays::write(reference, scenario, uri, fragment)?;
    }
    for (time, tree, by_us) in &scenario.deletes {
        phase(seed, if *by_us { "ours" } else { "reference" });
        // A condition that does not fit the array is refused.
        let _ = arrays::delete(if *by_us { ours } else { reference }, uri, *time, tree);
    }
    if scenario.consolidate {
        let (who, api) = if seed % 2 == 1 { ("ours", ours.api) } else { ("reference", reference.api) };
        phase(seed, who);
        let _ = arrays::consolidate(api, uri);
    }
    Ok(())
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
fn pick(scenario: &Scenario, random: &mut Random) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = if random.one_in(2) { vec![None] } else { Vec::new() };
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
                wanted.push(Some((operator, place)));
            }
        }
    }
    if wanted.is_empty() { vec![None] } else { wanted }
}

/// Asks for the aggregates.
fn ask(
    ctx: &Ctx<'_>,
    scenario: &Scenario,
    uri: &str,
    wanted: &Query,
    conditional: bool,
    aggregates: &[Wanted],
) -> Result<Vec<Answer>, Failure> {
    let array = Array::open(ctx, uri, 0, None, Some(wanted.end))?;
    let query = start(scenario, &array, wanted, conditional)?;
    let channel = ctx.get("query_get_default_channel", &[query])?;
    let mut columns = Vec::new();
    for (number, aggregate) in aggregates.iter().enumerate() {
        let name = format!("r{number}");
        let output = text(&name);
        let column = match aggregate {
            None => {
                let operation = ctx.get("aggregate_count_get", &[])?;
                ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
                Column::with_room(&name, 8, None, None)
            }
            Some((operator, place)) => {
                let (field, kind, nullable) = field(scenario, *place);
                let field = text(&field);
                let operator_handle = ctx.get(&format!("channel_operator_{operator}_get"), &[])?;
                let mut operation = ctx.get("create_unary_aggregate", &[query, operator_handle, pointer(&field)])?;
                ctx.call("channel_apply_aggregate", &[channel, pointer(&output), operation])?;
                ctx.api.raw("aggregate_free", &[ctx.handle, crate::support::address(&mut operation)]);
                let extreme = matches!(*operator, "min" | "max");
                let size = if extreme { kind.values.map_or(64, |values| kind.size * values) } else { 8 };
                let validity = (nullable && *operator != "null_count").then_some(1);
                Column::with_room(&name, size, (extreme && kind.values.is_none()).then_some(1), validity)
            }
        };
        columns.push(column);
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let result = ctx.call("query_submit", &[query]);
    let mut channel = channel;
    ctx.api.raw("query_channel_free", &[ctx.handle, crate::support::address(&mut channel)]);
    ctx.free("query", query);
    result?;
    let answer = |column: &Column| {
        let cells = column.result();
        Answer { value: cells.data, valid: cells.validity.map(|validity| validity[0]) }
    };
    Ok(columns.iter().map(answer).collect())
}

/// A query with its ranges, layout and condition.
fn start(scenario: &Scenario, array: &Array<'_>, wanted: &Query, conditional: bool) -> Result<u64, Failure> {
    let ctx = array.ctx;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, wanted.layout])?;
    arrays::set_ranges(ctx, scenario, array, query, wanted.ranges.iter().cloned())?;
    if conditional {
        let condition = arrays::condition(ctx, &wanted.condition)?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.free("query_condition", condition);
    }
    Ok(query)
}

/// What the query selects: how many cells, and of each field those that somebody wrote.
#[derive(Debug)]
struct Selected {
    count: usize,
    fields: Vec<Vec<Cell>>,
}

fn cells(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, query: &Query, conditional: bool) -> Result<Selected, Failure> {
    if scenario.dense {
        return Ok(dense_cells(scenario, query));
    }
    let array = Array::open(ctx, uri, 0, None, Some(query.end))?;
    let handle = start(scenario, &array, query, conditional)?;
    let places = 0..scenario.dimensions.len() + scenario.attributes.len();
    let mut columns: Vec<Column> = Vec::new();
    for place in places.clone() {
        let (name, kind, nullable) = field(scenario, place);
        let room = 4000;
        let size = kind.size * kind.values.unwrap_or(8);
        let offsets = kind.values.is_none().then_some(room);
        columns.push(Column::with_room(&name, room * size, offsets, nullable.then_some(room)));
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, handle))?;
    ctx.call("query_submit", &[handle])?;
    ctx.free("query", handle);
    let fields: Vec<Vec<Cell>> = places
        .map(|place| {
            let (_, kind, _) = field(scenario, place);
            let cells = columns[place].result().split(kind.size * kind.values.unwrap_or(1));
            cells.into_iter().map(|(bytes, validity)| (bytes, validity != Some(0))).collect()
        })
        .collect();
    Ok(Selected { count: fields[0].len(), fields })
}

/// The cells of a dense array, fragment over fragment, as often as ranges select them.
fn dense_cells(scenario: &Scenario, query: &Query) -> Selected {
    let dimensions = scenario.dimensions.len();
    let mut selected = Selected { count: 0, fields: vec![Vec::new(); dimensions + scenario.attributes.len()] };
    let whole: Vec<Vec<(i64, i64)>> = scenario.dimensions.iter().map(|&(high, _)| vec![(1, high)]).collect();
    let ranges = query.ranges.iter().zip(whole).map(|(set, whole)| if set.is_empty() { whole } else { set.clone() });
    let axes: Vec<Vec<i64>> =
        ranges.map(|ranges| ranges.iter().flat_map(|&(low, high)| low..=high).collect()).collect();
    let mut points: Vec<Vec<i64>> = vec![Vec::new()];
    for axis in &axes {
        points = points.iter().flat_map(|point| axis.iter().map(move |&at| [&point[..], &[at]].concat())).collect();
    }
    selected.count = points.len();
    for point in points {
        let inside =
            |region: &[(i64, i64)]| region.iter().zip(&point).all(|(&(low, high), at)| (low..=high).contains(at));
        let fragments = scenario.fragments.iter().filter(|fragment| fragment.time <= query.end);
        let Some(fragment) = fragments.filter(|fragment| inside(&fragment.region)).max_by_key(|f| f.time) else {
            continue;
        };
        // Cells are written in row-major order.
        let position = fragment
            .region
            .iter()
            .zip(&point)
            .fold(0, |position, (&(low, high), at)| position * (high - low + 1) + (at - low))
            as usize;
        for (place, at) in point.iter().enumerate() {
            selected.fields[place].push(((*at as i32).to_le_bytes().to_vec(), true));
        }
        for (number, attribute) in scenario.attributes.iter().enumerate() {
            let (value, valid) = fragment.values[number][position];
            let cell = (attribute.pool[value].clone(), valid || !attribute.nullable);
            selected.fields[dimensions + number].push(cell);
        }
    }
    selected
}

fn check_cells(scenario: &Scenario, wanted: &[Wanted], cells: &Selected, answers: &[Answer]) -> Result<(), String> {
    for (aggregate, answer) in wanted.iter().zip(answers) {
        let agrees = match aggregate {
            None => answer.value == (cells.count as u64).to_le_bytes(),
            Some((operator, place)) => {
                let (_, kind, nullable) = field(scenario, *place);
                model::agrees(kind, nullable, operator, &cells.fields[*place], answer)
            }
        };
        if !agrees {
            return Err(format!("{aggregate:?} gave {answer:?}"));
        }
    }
    Ok(())
}

/// What the reference has right of dense arrays under conditions: it counts padding in means and in nulls of
/// cells that are not single numbers, forgets what stood before a NaN, stops sums that overflow, cuts texts, and
/// finds values where all cells are null. False where it differs in that.
fn check_reference(scenario: &Scenario, wanted: &[Wanted], ours: &[Answer], theirs: &[Answer]) -> Result<bool, String> {
    let mut same = true;
    for ((aggregate, ours), theirs) in wanted.iter().zip(ours).zip(theirs) {
        let doubtful = aggregate.is_some_and(|(operator, place)| {
            let (_, kind, _) = field(scenario, place);
            let wide = kind.size == 8;
            operator == "mean"
                || model::is_real(kind)
                || operator == "sum" && wide
                || kind.number == 11
                || ours.valid == Some(0)
                || operator == "null_count"
                    && (kind.values != Some(1) || !(kind.number < 4 || kind.number > 4 && kind.number < 11))
        });
        if !doubtful && ours != theirs {
            return Err(format!("{aggregate:?}: {ours:?}, the reference {theirs:?}; {scenario:?}"));
        }
        same &= ours == theirs;
    }
    Ok(same)
}
