//! Runs a scenario: the reference writes, both libraries delete and read.

use crate::accepted::{self, Entry};
use crate::conditions::reference_model::{self, ModelCell, ModelQuery};
use crate::conditions::scenario::{Attribute, Fragment, Query, Scenario, Tree};
use crate::seeds::{self, Played, phase};
use crate::{Api, Array, Cells, Column, Ctx, Failure, address, bytes, folders, pointer, text};

/// Plays a seed.
pub fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let scenario = Scenario::of_all_types(seed);
    let folder = folders::temporary().join(format!("conditions-{}-{seed}", std::process::id()));
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
    let text_of = |failure: Failure| format!("{failure:?}");
    phase(seed, "reference");
    create(&ref_ctx, scenario, uri).map_err(text_of)?;
    for fragment in &scenario.fragments {
        write(&ref_ctx, scenario, uri, fragment).map_err(text_of)?;
    }
    let mut made = scenario.clone();
    made.deletes.retain(|(time, tree, by_us)| {
        let (ctx, who) = if *by_us { (&our_ctx, "ours") } else { (&ref_ctx, "reference") };
        phase(seed, who);
        // A condition that does not fit the array is refused.
        delete(ctx, uri, *time, tree).is_ok()
    });
    if scenario.consolidate {
        let (who, api) = if seed % 2 == 1 { ("ours", ours) } else { ("reference", reference) };
        phase(seed, who);
        made.merged = consolidate(api, uri);
    }
    let scenario = &made;
    let mut played = Played::default();
    for (number, query) in scenario.queries.iter().enumerate() {
        let theirs = seeds::reference_takes(seed, number).then(|| read(&ref_ctx, scenario, uri, query));
        phase(seed, "ours");
        let Some(got) = read(&our_ctx, scenario, uri, query) else {
            return Err(format!("query {number}: no end; {query:?}"));
        };
        let judged = match (&got, theirs.flatten()) {
            (Ok(rows), theirs) => judge(scenario, query, rows, theirs.as_ref()),
            (Err(a), Some(Err(b))) if *a == b => Ok(None),
            (Err(_), Some(Err(failure))) if defect(&failure).is_some() => Ok(defect(&failure)),
            (Err(failure), _) if is_of_other_size(failure) && scenario.has_odd_size(Some(&query.condition)) => {
                Ok(Some(&accepted::VALUE_SIZE))
            }
            (Err(_), None) => Ok(None),
            (Err(failure), Some(theirs)) => Err(format!("{failure:?} WANTED {theirs:?}")),
        };
        match judged {
            Ok(accepted) => played.accepted.extend(accepted),
            Err(text) => return Err(format!("query {number}: {query:?} {text} OF {scenario:?}")),
        }
        played.queries += 1;
    }
    Ok(played)
}

/// Our rows must be those of the cells that were written; why the reference, if it answers, reads others.
fn judge(
    scenario: &Scenario,
    query: &Query,
    rows: &Rows,
    theirs: Option<&Result<Rows, Failure>>,
) -> Result<Option<&'static Entry>, String> {
    let Query { layout, ranges, condition, .. } = query;
    let model_query = ModelQuery { layout: *layout, window: (0, query.end), ranges, condition: Some(condition) };
    let selected = reference_model::select(scenario, &model_query);
    let row = |cell: &ModelCell<'_>| {
        query.fields.iter().map(|&place| reference_model::value(scenario, cell, place)).collect()
    };
    let right: Rows = selected.iter().map(row).collect();
    let in_order = scenario.dense || *layout < 2 && !scenario.dups;
    if right != *rows && (in_order || sorted(&right) != sorted(rows)) {
        return Err(format!("RIGHT {} rows {right:?} GOT {} rows {rows:?}", right.len(), rows.len()));
    }
    match theirs {
        None => Ok(None),
        Some(Err(failure)) if defect(failure).is_some() => Ok(defect(failure)),
        Some(Err(failure)) if failure.text.contains("bad_alloc") => Ok(Some(&accepted::LITTLE_ROOM)),
        // With little room the reference sorts within the parts it delivers, and no further.
        Some(Ok(theirs)) if theirs == rows || !in_order && sorted(theirs) == sorted(rows) => Ok(None),
        Some(Ok(theirs)) if query.room < 100 && !scenario.dense && sorted(theirs) == sorted(rows) => Ok(None),
        Some(Ok(_)) if scenario.dense && *layout != scenario.cell_order => Ok(Some(&accepted::DENSE_CONDITIONS)),
        Some(Ok(_)) if scenario.names_missing(condition) => Ok(Some(&accepted::MISSING_MEMBERS)),
        Some(Ok(_)) if scenario.compares_characters(condition) => Ok(Some(&accepted::CHARACTERS)),
        Some(Ok(_)) if scenario.orders_characters(Some(condition)) => Ok(Some(&accepted::UNSIGNED_CHARACTERS)),
        Some(theirs) => Err(format!("GOT {} rows {rows:?} WANTED {theirs:?}", rows.len())),
    }
}

/// Consolidates the fragments of an array in little memory, since a library fills its buffers with zeros first. The times
/// of what that makes.
pub fn consolidate(api: &Api, uri: &str) -> Vec<(u64, u64)> {
    let ctx = api.context(&[("sm.compute_concurrency_level", "2"), ("sm.mem.total_budget", "20000000")]);
    let path = text(uri);
    let _ = ctx.call("array_consolidate", &[pointer(&path), 0]);
    let fragments = std::fs::read_dir(std::path::Path::new(uri).join("__fragments")).into_iter().flatten().flatten();
    let times = |name: String| -> Option<(u64, u64)> {
        let mut words = name.split('_').skip(2).map(str::parse);
        Some((words.next()?.ok()?, words.next()?.ok()?))
    };
    let times = fragments.filter_map(|entry| times(entry.file_name().into_string().ok()?));
    times.filter(|times| times.0 < times.1).collect()
}

/// Errors of the reference about its own files.
pub fn defect(failure: &Failure) -> Option<&'static Entry> {
    let text = &failure.text;
    let unreadable = ["1", "2", "4", "8"].iter().any(|size| text.ends_with(&format!("size mismatch: {size} != 0")))
        || text.ends_with("set membership data size must be greater than zero when data is provided.")
        || text.contains("processed condition set metadata that's not present")
        || text.contains("attribute may only be var-sized for ASCII strings");
    unreadable.then_some(&accepted::UNREADABLE_DELETES)
}

/// True for the refusal of a member of a set of a wrong size.
pub fn is_of_other_size(failure: &Failure) -> bool {
    failure.text.contains("Value node set member size mismatch")
}

/// Cells with the bytes and the validity of all their fields.
type Rows = Vec<Vec<(Vec<u8>, Option<u8>)>>;

fn sorted(rows: &Rows) -> Rows {
    let mut rows = rows.clone();
    rows.sort();
    rows
}

pub fn create(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str) -> Result<(), Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (number, &(high, extent)) in scenario.dimensions.iter().enumerate() {
        let name = text(&format!("d{number}"));
        let kind = scenario.dimension_kinds[number];
        let ends = [1, high + scenario.beyond.unwrap_or(0)].map(|end| scenario.coordinate(number, end)).concat();
        let extent = scenario.coordinate(number, extent - scenario.shifts[number]);
        let shape = if kind.values.is_some() { [bytes(&ends), bytes(&extent)] } else { [0, 0] };
        let dimension = ctx.get("dimension_alloc", &[pointer(&name), kind.number, shape[0], shape[1]])?;
        ctx.call("domain_add_dimension", &[domain, dimension])?;
        ctx.free("dimension", dimension);
    }
    let schema = ctx.get("array_schema_alloc", &[u64::from(!scenario.dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_tile_order", &[schema, scenario.tile_order])?;
    ctx.call("array_schema_set_cell_order", &[schema, scenario.cell_order])?;
    ctx.call("array_schema_set_capacity", &[schema, scenario.capacity])?;
    if scenario.dups {
        ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
    }
    let present = scenario.present(0);
    for (number, attribute) in scenario.attributes.iter().enumerate().filter(|(number, _)| present[*number]) {
        add_attribute(ctx, "array_schema", schema, number, attribute)?;
    }
    if scenario.beyond.is_some() {
        set_current_domain(ctx, scenario, schema, domain)?;
    }
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
    Ok(())
}

/// Makes the current domain end where the dimensions do.
fn set_current_domain(ctx: &Ctx<'_>, scenario: &Scenario, schema: u64, domain: u64) -> Result<(), Failure> {
    let mut rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
    for (number, &(high, _)) in scenario.dimensions.iter().enumerate() {
        let [low, high] = [1, high].map(|end| scenario.coordinate(number, end));
        let size = low.len() as u64;
        // A `tiledb_range_t`.
        let mut range = [bytes(&low), size, bytes(&high), size];
        ctx.call("ndrectangle_set_range", &[rectangle, number as u64, address(&mut range)])?;
    }
    let mut current = ctx.get("current_domain_create", &[])?;
    ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
    ctx.call("array_schema_set_current_domain", &[schema, current])?;
    ctx.api.raw("ndrectangle_free", &[address(&mut rectangle)]);
    ctx.api.raw("current_domain_free", &[address(&mut current)]);
    Ok(())
}

/// Adds to the schema and takes from it what changes before the fragment of this number. `time` orders schemas.
#[allow(dead_code, reason = "the questions use it")]
pub fn evolve(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, fragment: usize, time: u64) -> Result<(), Failure> {
    let (old, new) = (scenario.present(fragment - 1), scenario.present(fragment));
    if old == new {
        return Ok(());
    }
    let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
    ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, time, time])?;
    for (number, attribute) in scenario.attributes.iter().enumerate() {
        let name = text(&format!("a{number}"));
        match (old[number], new[number]) {
            (false, true) => add_attribute(ctx, "array_schema_evolution", evolution, number, attribute)?,
            (true, false) => ctx.call("array_schema_evolution_drop_attribute", &[evolution, pointer(&name)])?,
            _ => {}
        }
    }
    let uri = text(uri);
    let result = ctx.call("array_evolve", &[pointer(&uri), evolution]);
    ctx.free("array_schema_evolution", evolution);
    result
}

/// Adds an attribute to a schema or an evolution.
fn add_attribute(ctx: &Ctx<'_>, to: &str, handle_of: u64, number: usize, attribute: &Attribute) -> Result<(), Failure> {
    let name = text(&format!("a{number}"));
    let handle = ctx.get("attribute_alloc", &[pointer(&name), attribute.kind.number])?;
    let values = attribute.kind.values.map_or(u64::from(u32::MAX), |values| values as u64);
    ctx.call("attribute_set_cell_val_num", &[handle, values])?;
    ctx.call("attribute_set_nullable", &[handle, u64::from(attribute.nullable)])?;
    if let Some(filter) = attribute.filter() {
        let (list, filter) = (ctx.get("filter_list_alloc", &[])?, ctx.get("filter_alloc", &[filter])?);
        ctx.call("filter_list_add_filter", &[list, filter])?;
        ctx.call("attribute_set_filter_list", &[handle, list])?;
        ctx.free("filter", filter);
        ctx.free("filter_list", list);
    }
    if let Some((ordered, values)) = &attribute.enumeration {
        let (data, offsets) = joined(values);
        let ends = [bytes(&data), data.len() as u64, bytes(&offsets), offsets.len() as u64];
        let head = [pointer(&name), 11, u64::from(u32::MAX), u64::from(*ordered)];
        let enumeration = ctx.get("enumeration_alloc", &[&head[..], &ends[..]].concat())?;
        ctx.call(&format!("{to}_add_enumeration"), &[handle_of, enumeration])?;
        ctx.call("attribute_set_enumeration_name", &[handle, pointer(&name)])?;
        ctx.free("enumeration", enumeration);
    }
    ctx.call(&format!("{to}_add_attribute"), &[handle_of, handle])?;
    ctx.free("attribute", handle);
    Ok(())
}

/// Values one behind the other, and the bytes of their starts.
fn joined(values: &[Vec<u8>]) -> (Vec<u8>, Vec<u8>) {
    let starts = values.iter().scan(0u64, |at, value| {
        let start = *at;
        *at += value.len() as u64;
        Some(start.to_le_bytes())
    });
    let offsets = starts.flatten().collect();
    (values.concat(), offsets)
}

pub fn write(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, fragment: &Fragment) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(fragment.time))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, if scenario.dense { 0 } else { 3 }])?;
    let mut columns = Vec::new();
    if scenario.dense {
        set_ranges(ctx, scenario, &array, query, fragment.region.iter().map(|range| vec![*range]))?;
    } else {
        for number in 0..scenario.dimensions.len() {
            let cells = fragment.cells.iter().map(|cell| scenario.coordinate(number, cell[number]));
            let (data, starts) = joined(&cells.collect::<Vec<_>>());
            let starts = starts.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
            let offsets = scenario.dimension_kinds[number].values.is_none().then_some(starts);
            columns.push(Column::filled(&format!("d{number}"), Cells { data, offsets, validity: None }));
        }
    }
    let attributes = scenario.attributes.iter().zip(&fragment.values).enumerate();
    for (number, (attribute, values)) in attributes.filter(|(number, _)| fragment.present[*number]) {
        let cells: Vec<Vec<u8>> = values.iter().map(|(place, _)| attribute.pool[*place].clone()).collect();
        let (data, starts) = joined(&cells);
        let starts = starts.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        let validity = attribute.nullable.then(|| values.iter().map(|value| u8::from(value.1)).collect());
        let offsets = attribute.kind.values.is_none().then_some(starts);
        columns.push(Column::filled(&format!("a{number}"), Cells { data, offsets, validity }));
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let result = ctx.call("query_submit", &[query]).and_then(|()| ctx.call("query_finalize", &[query]));
    ctx.free("query", query);
    result
}

pub fn set_ranges(
    ctx: &Ctx<'_>,
    scenario: &Scenario,
    array: &Array<'_>,
    query: u64,
    ranges: impl Iterator<Item = Vec<(i64, i64)>>,
) -> Result<(), Failure> {
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    for (number, ranges) in ranges.enumerate() {
        for (low, high) in ranges {
            let [low, high] = [low, high].map(|end| scenario.coordinate(number, end));
            let place = [subarray, number as u64];
            if scenario.dimension_kinds[number].values.is_some() {
                ctx.call("subarray_add_range", &[&place[..], &[bytes(&low), bytes(&high), 0]].concat())?;
            } else {
                let ends = [bytes(&low), low.len() as u64, bytes(&high), high.len() as u64];
                ctx.call("subarray_add_range_var", &[&place[..], &ends[..]].concat())?;
            }
        }
    }
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    Ok(())
}

pub fn condition(ctx: &Ctx<'_>, tree: &Tree) -> Result<u64, Failure> {
    match tree {
        Tree::Not(inner) => {
            let inner = condition(ctx, inner)?;
            let negated = ctx.get("query_condition_negate", &[inner]);
            ctx.free("query_condition", inner);
            negated
        }
        Tree::Both(left, right, combination) => {
            let (left, right) = (condition(ctx, left)?, condition(ctx, right)?);
            let both = ctx.get("query_condition_combine", &[left, right, *combination]);
            ctx.free("query_condition", left);
            ctx.free("query_condition", right);
            both
        }
        Tree::Leaf { field, operator, value, members, by_index } => {
            let field = text(field);
            let handle = if members.is_empty() {
                let handle = ctx.get("query_condition_alloc", &[])?;
                let (start, size) = value.as_ref().map_or((0, 0), |value| (bytes(value), value.len() as u64));
                ctx.call("query_condition_init", &[handle, pointer(&field), start, size, *operator])?;
                handle
            } else {
                let (data, offsets) = joined(members);
                let sets = [bytes(&data), data.len() as u64, bytes(&offsets), offsets.len() as u64, *operator];
                ctx.get("query_condition_alloc_set_membership", &[&[pointer(&field)], &sets[..]].concat())?
            };
            if *by_index {
                ctx.call("query_condition_set_use_enumeration", &[handle, 0])?;
            }
            Ok(handle)
        }
    }
}

pub fn delete(ctx: &Ctx<'_>, uri: &str, time: u64, tree: &Tree) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 2, None, Some(time))?;
    let query = ctx.get("query_alloc", &[array.handle, 2])?;
    let condition = condition(ctx, tree)?;
    let result = ctx.call("query_set_condition", &[query, condition]).and_then(|()| ctx.call("query_submit", &[query]));
    ctx.free("query_condition", condition);
    ctx.free("query", query);
    result
}

/// Reads to the end; `None` where there is no progress with so little room.
fn read(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, query: &Query) -> Option<Result<Rows, Failure>> {
    let mut rows = Rows::new();
    match read_all(ctx, scenario, uri, query, &mut rows) {
        Ok(true) => Some(Ok(rows)),
        Ok(false) => None,
        Err(failure) => Some(Err(failure)),
    }
}

fn read_all(ctx: &Ctx<'_>, scenario: &Scenario, uri: &str, spec: &Query, rows: &mut Rows) -> Result<bool, Failure> {
    let array = Array::open(ctx, uri, 0, None, Some(spec.end))?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, spec.layout])?;
    set_ranges(ctx, scenario, &array, query, spec.ranges.iter().cloned())?;
    let condition = condition(ctx, &spec.condition)?;
    ctx.call("query_set_condition", &[query, condition])?;
    ctx.free("query_condition", condition);
    let dimensions = scenario.dimensions.len();
    let mut sizes = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for &field in &spec.fields {
        let attribute = field.checked_sub(dimensions).map(|number| &scenario.attributes[number]);
        let kind = attribute.map_or_else(|| scenario.dimension_kinds[field], |attribute| attribute.kind);
        let size = kind.size * kind.values.unwrap_or(8);
        let name = if field < dimensions { format!("d{field}") } else { format!("a{}", field - dimensions) };
        let offsets = kind.values.is_none().then_some(spec.room);
        let validity = attribute.filter(|attribute| attribute.nullable).map(|_| spec.room);
        columns.push(Column::with_capacity(&name, spec.room * size, offsets, validity));
        sizes.push(size);
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let mut result = Ok(false);
    for _ in 0..4000 {
        if let Err(failure) = ctx.submit_read(query, spec.room as u64 % 3) {
            result = Err(failure);
            break;
        }
        let cells: Vec<_> = columns.iter().zip(&sizes).map(|(column, size)| column.result().split(*size)).collect();
        let count = cells.first().map_or(0, Vec::len);
        rows.extend((0..count).map(|row| cells.iter().map(|column| column[row].clone()).collect()));
        let mut status = 0u32;
        ctx.call("query_get_status", &[query, address(&mut status)])?;
        if status == 1 {
            result = Ok(true);
            break;
        }
        if count == 0 {
            break;
        }
    }
    ctx.free("query", query);
    result
}
