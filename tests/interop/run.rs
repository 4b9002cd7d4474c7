//! Carries a scenario out with both libraries and compares.

use crate::scenario::{Attribute, Dimension, Read, Scenario, Write, coordinate};
use crate::support::{Api, Array, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

/// Creates, writes and reads with both libraries; gives the number of queries compared.
pub fn round_trip(ours: &Api, reference: &Api, scenario: &Scenario, phase: impl Fn(&str)) -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sides = [("ours", ours), ("reference", reference)];
    let mut arrays = Vec::new();
    let mut failures = Vec::new();
    for (who, api) in sides {
        phase(who);
        let uri = folder.path().join(who).to_str().unwrap_or_default().to_owned();
        let ctx = api.context(&[]);
        let mut failed = create(&ctx, &uri, scenario).err();
        for fragment in &scenario.writes {
            failed = failed.or_else(|| write(&ctx, &uri, scenario, fragment).err());
        }
        failures.push(failed);
        arrays.push((who, uri));
    }
    match (&failures[0], &failures[1]) {
        (None, None) => {}
        (Some(ours), Some(reference)) if alike(ours, reference) => return Ok(0),
        (ours, reference) => return Err(format!("ours failed with {ours:?}, the reference with {reference:?}")),
    }
    let mut results: Vec<Vec<Result<Vec<Cells>, String>>> = vec![Vec::new(); scenario.reads.len()];
    for (reader, api) in sides {
        phase(reader);
        let ctx = api.context(&[]);
        for (_, uri) in &arrays {
            for (result, query) in results.iter_mut().zip(&scenario.reads) {
                let cells = read(&ctx, uri, scenario, query).map_err(|failure| format!("{failure:?}"));
                result.push(cells.map(|cells| comparable(scenario, query, cells)));
            }
        }
    }
    for (number, result) in results.iter().enumerate() {
        compare(result)
            .map_err(|text| format!("read {number}: {text}; dense {}, {:?}", scenario.dense, scenario.reads[number]))?;
    }
    Ok(results.len() as u64 * 4)
}

/// True if both libraries failed in the same way. Of filters that do not accept the cells of a write the
/// texts may differ.
fn alike(ours: &Failure, reference: &Failure) -> bool {
    ours == reference
        || ours.function == "query_submit" && reference.function == "query_submit" && ours.code == reference.code
}

/// Compares what ours read of ours and of the reference's, and the reference of both. Where the reference
/// cannot read its own array (it makes no progress with some small buffers), ours must still agree with itself.
fn compare(results: &[Result<Vec<Cells>, String>]) -> Result<(), String> {
    let names = ["ours of ours", "ours of reference", "reference of ours", "reference of reference"];
    let (standard, others) = match &results[3] {
        Ok(cells) => (cells, &results[..3]),
        Err(_) => (results[0].as_ref().map_err(|text| format!("ours of ours: {text}"))?, &results[..2]),
    };
    for (name, result) in names.iter().zip(others) {
        match result {
            Ok(cells) if cells == standard => {}
            Ok(cells) => return Err(format!("{name} differs: {}", first(cells, standard))),
            Err(text) => return Err(format!("{name}: {text}")),
        }
    }
    Ok(())
}

fn first(a: &[Cells], b: &[Cells]) -> String {
    for (field, (a, b)) in a.iter().zip(b).enumerate() {
        if a != b {
            let at = a.data.iter().zip(&b.data).position(|(x, y)| x != y);
            return format!("field {field}: {} and {} bytes, first difference at {at:?}", a.data.len(), b.data.len());
        }
    }
    "another number of fields".to_owned()
}

fn filter_list(ctx: &Ctx<'_>, filters: &[(u64, i32)]) -> Result<u64, Failure> {
    let list = ctx.get("filter_list_alloc", &[])?;
    for &(number, mut level) in filters {
        let filter = ctx.get("filter_alloc", &[number])?;
        if (1..=3).contains(&number) {
            ctx.call("filter_set_option", &[filter, 0, address(&mut level)])?;
        }
        ctx.call("filter_list_add_filter", &[list, filter])?;
        ctx.free("filter", filter);
    }
    Ok(list)
}

fn add_dimension(ctx: &Ctx<'_>, domain: u64, number: usize, dimension: &Dimension) -> Result<(), Failure> {
    let ty = dimension.ty;
    let name = text(&format!("d{number}"));
    let ends = [coordinate(ty, dimension.low), coordinate(ty, dimension.high)].concat();
    let extent = coordinate(ty, dimension.extent);
    let handle = ctx.get("dimension_alloc", &[pointer(&name), ty.number, bytes(&ends), bytes(&extent)])?;
    let filters = filter_list(ctx, &dimension.filters)?;
    ctx.call("dimension_set_filter_list", &[handle, filters])?;
    ctx.call("domain_add_dimension", &[domain, handle])?;
    ctx.free("filter_list", filters);
    ctx.free("dimension", handle);
    Ok(())
}

fn add_attribute(ctx: &Ctx<'_>, schema: u64, number: usize, attribute: &Attribute) -> Result<(), Failure> {
    let name = text(&format!("a{number}"));
    let handle = ctx.get("attribute_alloc", &[pointer(&name), attribute.number])?;
    ctx.call("attribute_set_cell_val_num", &[handle, attribute.values])?;
    let filters = filter_list(ctx, &attribute.filters)?;
    ctx.call("attribute_set_filter_list", &[handle, filters])?;
    ctx.call("array_schema_add_attribute", &[schema, handle])?;
    ctx.free("filter_list", filters);
    ctx.free("attribute", handle);
    Ok(())
}

fn create(ctx: &Ctx<'_>, uri: &str, scenario: &Scenario) -> Result<(), Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (number, dimension) in scenario.dimensions.iter().enumerate() {
        add_dimension(ctx, domain, number, dimension)?;
    }
    let schema = ctx.get("array_schema_alloc", &[u64::from(!scenario.dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_tile_order", &[schema, scenario.tile_order])?;
    ctx.call("array_schema_set_cell_order", &[schema, scenario.cell_order])?;
    ctx.call("array_schema_set_capacity", &[schema, scenario.capacity])?;
    if !scenario.dense {
        ctx.call("array_schema_set_allows_dups", &[schema, u64::from(scenario.dups)])?;
    }
    for (number, attribute) in scenario.attributes.iter().enumerate() {
        add_attribute(ctx, schema, number, attribute)?;
    }
    ctx.call("array_schema_check", &[schema])?;
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
    Ok(())
}

fn subarray(array: &Array<'_>, scenario: &Scenario, region: &[(i64, i64)]) -> Result<u64, Failure> {
    let handle = array.ctx.get("subarray_alloc", &[array.handle])?;
    for (number, (dimension, (low, high))) in scenario.dimensions.iter().zip(region).enumerate() {
        let (low, high) = (coordinate(dimension.ty, *low), coordinate(dimension.ty, *high));
        array.ctx.call("subarray_add_range", &[handle, number as u64, bytes(&low), bytes(&high), 0])?;
    }
    Ok(handle)
}

fn write(ctx: &Ctx<'_>, uri: &str, scenario: &Scenario, write: &Write) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(write.time))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    ctx.call("query_set_layout", &[query, write.layout])?;
    if scenario.dense {
        let region = subarray(&array, scenario, &write.region)?;
        ctx.call("query_set_subarray_t", &[query, region])?;
        ctx.free("subarray", region);
    }
    let mut columns = Vec::new();
    for (number, data) in write.data.iter().enumerate() {
        columns.push(filled(&format!("a{number}"), data.clone()));
    }
    if !scenario.dense {
        for (number, dimension) in scenario.dimensions.iter().enumerate() {
            let data = write.cells.iter().flat_map(|cell| coordinate(dimension.ty, cell[number])).collect();
            columns.push(filled(&format!("d{number}"), data));
        }
    }
    for column in &mut columns {
        column.bind(ctx, query)?;
    }
    ctx.call("query_submit", &[query])?;
    ctx.call("query_finalize", &[query])?;
    ctx.free("query", query);
    Ok(())
}

fn filled(name: &str, data: Vec<u8>) -> Column {
    let mut column = Column::with_room(name, 0, None, None);
    column.sizes[0] = data.len() as u64;
    column.data = data;
    column
}

/// Reads all fields, resubmitting until the query completes.
fn read(ctx: &Ctx<'_>, uri: &str, scenario: &Scenario, read: &Read) -> Result<Vec<Cells>, Failure> {
    let array = Array::open(ctx, uri, 0, read.window.0, read.window.1)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, read.layout])?;
    if let Some(region) = &read.region {
        let region = subarray(&array, scenario, region)?;
        ctx.call("query_set_subarray_t", &[query, region])?;
        ctx.free("subarray", region);
    }
    let mut columns: Vec<Column> = Vec::new();
    for (number, dimension) in scenario.dimensions.iter().enumerate() {
        columns.push(Column::with_room(&format!("d{number}"), read.room * dimension.ty.size, None, None));
    }
    for (number, attribute) in scenario.attributes.iter().enumerate() {
        columns.push(Column::with_room(&format!("a{number}"), read.room * attribute.cell_size(), None, None));
    }
    for column in &mut columns {
        column.bind(ctx, query)?;
    }
    let mut result = vec![Cells::default(); columns.len()];
    for _ in 0..100_000 {
        ctx.call("query_submit", &[query])?;
        for (all, column) in result.iter_mut().zip(&columns) {
            all.data.extend(column.result().data);
        }
        if ctx.get("query_get_status", &[query])? == 1 {
            ctx.free("query", query);
            return Ok(result);
        }
        if columns.iter().all(|column| column.sizes[0] == 0) {
            break;
        }
    }
    Err(Failure { function: "query_submit".to_owned(), code: 0, text: "the query makes no progress".to_owned() })
}

/// The result in a form in which equal results are equal: cells in any order are sorted.
fn comparable(scenario: &Scenario, read: &Read, result: Vec<Cells>) -> Vec<Cells> {
    if scenario.dense || (read.layout != 3 && !scenario.dups) {
        return result;
    }
    let dimensions = scenario.dimensions.iter().map(|dimension| dimension.ty.size);
    let sizes: Vec<usize> = dimensions.chain(scenario.attributes.iter().map(Attribute::cell_size)).collect();
    let columns: Vec<Vec<Vec<u8>>> =
        result.iter().zip(&sizes).map(|(cells, size)| cells.data.chunks(*size).map(<[u8]>::to_vec).collect()).collect();
    let count = columns.first().map_or(0, Vec::len);
    let mut cells: Vec<Vec<&[u8]>> = (0..count)
        .map(|i| columns.iter().map(|column| column.get(i).map_or(&[][..], Vec::as_slice)).collect())
        .collect();
    cells.sort();
    let sorted =
        |field: usize| Cells { data: cells.iter().flat_map(|cell| cell[field].to_vec()).collect(), ..Cells::default() };
    (0..columns.len()).map(sorted).collect()
}
