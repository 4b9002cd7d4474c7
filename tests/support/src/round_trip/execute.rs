//! Runs a scenario with one library.

use std::ffi::CString;

use crate::round_trip::data::{Data, Shape};
use crate::round_trip::pipeline::Pipeline;
use crate::round_trip::scenario::{Attribute, Dimension, OffsetMode, Read, Scenario, Write};
use crate::round_trip::types::ANY;
use crate::{Api, Array, Ctx, Failure, address, bytes, pointer, text};

/// The key of encrypted arrays.
pub const KEY: &str = "0123456789abcdeF0123456789abcdeF";

/// A cell: its bytes and its validity.
pub type Cell = (Vec<u8>, Option<u8>);

/// A context of a scenario with this form of offsets, for a write as this one asks.
pub fn context<'a>(api: &'a Api, scenario: &Scenario, mode: OffsetMode, write: Option<&Write>) -> Ctx<'a> {
    let mut config = Vec::new();
    if scenario.encrypted {
        config.extend([("sm.encryption_type", "AES_256_GCM"), ("sm.encryption_key", KEY)]);
    }
    if mode.narrow {
        config.push(("sm.var_offsets.bitsize", "32"));
    }
    if mode.extra {
        config.push(("sm.var_offsets.extra_element", "true"));
    }
    if mode.elements {
        config.push(("sm.var_offsets.mode", "elements"));
    }
    if write.is_some_and(|write| write.dedup) {
        config.push(("sm.dedup_coords", "true"));
    }
    if write.is_some_and(|write| write.apart) {
        config.push(("sm.allow_separate_attribute_writes", "true"));
    }
    if write.is_some_and(|write| write.time.is_multiple_of(3)) {
        // Less than a tile, which is written in the smallest steps.
        config.push(("sm.mem.total_budget", "100"));
    }
    api.context(&config)
}

fn filter_list(ctx: &Ctx<'_>, pipeline: &Pipeline) -> Result<u64, Failure> {
    let list = ctx.get("filter_list_alloc", &[])?;
    for filter in &pipeline.filters {
        let handle = ctx.get("filter_alloc", &[filter.kind])?;
        for (option, value) in &filter.options {
            ctx.call("filter_set_option", &[handle, *option, bytes(value)])?;
        }
        ctx.call("filter_list_add_filter", &[list, handle])?;
        ctx.free("filter", handle);
    }
    if let Some(size) = pipeline.max_chunk {
        ctx.call("filter_list_set_max_chunk_size", &[list, u64::from(size)])?;
    }
    Ok(list)
}

fn add_dimension(ctx: &Ctx<'_>, domain: u64, number: usize, dimension: &Dimension) -> Result<(), Failure> {
    let name = text(&format!("d{number}"));
    let ends = [dimension.ty.bytes(dimension.low), dimension.ty.bytes(dimension.high)].concat();
    let extent = dimension.extent.map(|extent| dimension.ty.bytes(extent));
    let ends = if dimension.is_string() { 0 } else { bytes(&ends) };
    let extent = extent.as_ref().map_or(0, |extent| bytes(extent));
    let handle = ctx.get("dimension_alloc", &[pointer(&name), dimension.ty.number, ends, extent])?;
    if !dimension.pipeline.filters.is_empty() {
        let filters = filter_list(ctx, &dimension.pipeline)?;
        ctx.call("dimension_set_filter_list", &[handle, filters])?;
        ctx.free("filter_list", filters);
    }
    ctx.call("domain_add_dimension", &[domain, handle])?;
    ctx.free("dimension", handle);
    Ok(())
}

/// What else is done with an attribute, by number, before the schema gets it: the context, the schema, the attribute.
pub type Prepare<'a> = &'a dyn Fn(&Ctx<'_>, u64, u64, usize) -> Result<(), Failure>;

fn add_attribute(
    ctx: &Ctx<'_>,
    schema: u64,
    number: usize,
    attribute: &Attribute,
    prepare: Prepare<'_>,
) -> Result<(), Failure> {
    let Attribute { shape, pipeline, fill, .. } = attribute;
    let name = text(&format!("a{number}"));
    let handle = ctx.get("attribute_alloc", &[pointer(&name), shape.ty.number])?;
    // Older releases let nobody set what this type has anyway.
    if shape.ty.number != ANY || shape.values.is_some() {
        ctx.call("attribute_set_cell_val_num", &[handle, u64::from(shape.values.unwrap_or(u32::MAX))])?;
    }
    if shape.nullable {
        ctx.call("attribute_set_nullable", &[handle, 1])?;
    }
    let filters = filter_list(ctx, pipeline)?;
    ctx.call("attribute_set_filter_list", &[handle, filters])?;
    // The default, which depends on the processor.
    let usual = shape.is_unsigned().then(|| (vec![0x80; shape.cell_size()], 0));
    if let Some((fill, validity)) = fill.as_ref().or(usual.as_ref()) {
        let arguments = [handle, bytes(fill), fill.len() as u64, u64::from(*validity)];
        match shape.nullable {
            true => ctx.call("attribute_set_fill_value_nullable", &arguments)?,
            false => ctx.call("attribute_set_fill_value", &arguments[..3])?,
        }
    }
    prepare(ctx, schema, handle, number)?;
    ctx.call("array_schema_add_attribute", &[schema, handle])?;
    ctx.free("filter_list", filters);
    ctx.free("attribute", handle);
    Ok(())
}

/// Makes the array.
pub fn create(api: &Api, uri: &str, scenario: &Scenario) -> Result<(), Failure> {
    create_with(api, uri, scenario, &|_, _, _, _| Ok(()))
}

/// Makes the array with attributes that have more than the scenario says.
pub fn create_with(api: &Api, uri: &str, scenario: &Scenario, prepare: Prepare<'_>) -> Result<(), Failure> {
    let ctx = context(api, scenario, OffsetMode::default(), None);
    let domain = ctx.get("domain_alloc", &[])?;
    for (number, dimension) in scenario.dimensions.iter().enumerate() {
        add_dimension(&ctx, domain, number, dimension)?;
    }
    let schema = ctx.get("array_schema_alloc", &[u64::from(!scenario.dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_set_tile_order", &[schema, scenario.tile_order])?;
    ctx.call("array_schema_set_cell_order", &[schema, scenario.cell_order])?;
    ctx.call("array_schema_set_capacity", &[schema, scenario.capacity])?;
    if !scenario.dense {
        ctx.call("array_schema_set_allows_dups", &[schema, u64::from(scenario.dups)])?;
    }
    let lists = [("coords", &scenario.coords), ("offsets", &scenario.offsets), ("validity", &scenario.validity)];
    for (name, pipeline) in lists {
        if let Some(pipeline) = pipeline {
            let filters = filter_list(&ctx, pipeline)?;
            ctx.call(&format!("array_schema_set_{name}_filter_list"), &[schema, filters])?;
            ctx.free("filter_list", filters);
        }
    }
    for (number, attribute) in scenario.attributes.iter().enumerate() {
        add_attribute(&ctx, schema, number, attribute, prepare)?;
    }
    ctx.call("array_schema_check", &[schema])?;
    let uri = text(uri);
    ctx.call("array_create", &[pointer(&uri), schema])?;
    ctx.free("array_schema", schema);
    ctx.free("domain", domain);
    Ok(())
}

/// The buffers of one field, in a query's form of offsets. The sizes live at fixed addresses.
struct Buffers {
    name: CString,
    data: Vec<u8>,
    offsets: Option<Vec<u8>>,
    validity: Option<Vec<u8>>,
    /// Bytes of data, offsets and validity.
    sizes: Box<[u64; 3]>,
    mode: OffsetMode,
    value_size: usize,
}

impl Buffers {
    fn new(name: &str, data: Vec<u8>, offsets: Option<Vec<u8>>, validity: Option<Vec<u8>>) -> Buffers {
        let len = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::len) as u64;
        let sizes = Box::new([data.len() as u64, len(&offsets), len(&validity)]);
        Buffers { name: text(name), data, offsets, validity, sizes, mode: OffsetMode::default(), value_size: 1 }
    }

    /// Buffers that hold these cells, to be written.
    fn filled(name: &str, shape: Shape, data: &Data, mode: OffsetMode) -> Buffers {
        let offsets = data.offsets.as_ref().map(|offsets| {
            let end = mode.extra.then_some(data.values.len() as u64);
            let unit = if mode.elements { shape.ty.size as u64 } else { 1 };
            let width = if mode.narrow { 4 } else { 8 };
            offsets.iter().copied().chain(end).flat_map(|at| (at / unit).to_le_bytes()[..width].to_vec()).collect()
        });
        let mut buffers = Buffers::new(name, data.values.clone(), offsets, data.validity.clone());
        // Eight bytes are counted for each offset, whatever its width.
        buffers.sizes[1] *= if mode.narrow { 2 } else { 1 };
        buffers
    }

    /// Empty buffers to be read into.
    fn with_capacity(name: &str, shape: Shape, read: &Read, long: bool) -> Buffers {
        let var = shape.values.is_none();
        let values = match var {
            true => (read.room * read.var_room).max(if long { 4_000_000 } else { 0 }),
            false => read.room,
        };
        let offsets = var.then(|| vec![0; (read.room + usize::from(read.mode.extra)) * 8]);
        let validity = shape.nullable.then(|| vec![0; read.room]);
        let data = vec![0; values * shape.cell_size()];
        let buffers = Buffers::new(name, data, offsets, validity);
        Buffers { mode: read.mode, value_size: shape.ty.size, ..buffers }
    }

    fn bind(&mut self, ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
        let name = pointer(&self.name);
        let [data, offsets, validity] = &mut *self.sizes;
        // An empty vector has no memory to point at.
        self.data.reserve(8);
        ctx.call("query_set_data_buffer", &[query, name, self.data.as_mut_ptr() as u64, address(data)])?;
        if let Some(buffer) = &mut self.offsets {
            buffer.reserve(8);
            ctx.call("query_set_offsets_buffer", &[query, name, buffer.as_mut_ptr() as u64, address(offsets)])?;
        }
        if let Some(buffer) = &mut self.validity {
            buffer.reserve(8);
            ctx.call("query_set_validity_buffer", &[query, name, buffer.as_mut_ptr() as u64, address(validity)])?;
        }
        Ok(())
    }

    /// The cells read by the last submit.
    fn cells(&self, shape: Shape) -> Result<Vec<Cell>, String> {
        let [data, offsets, validity] = self.sizes.map(|size| size as usize);
        let values = self.data.get(..data).ok_or("the data size is past the buffer")?.to_vec();
        let starts = match &self.offsets {
            None => None,
            Some(buffer) => {
                let buffer = buffer.get(..offsets).ok_or("the offsets size is past the buffer")?;
                Some(self.starts(buffer, data)?)
            }
        };
        let validity = match &self.validity {
            None => None,
            Some(buffer) => Some(buffer.get(..validity).ok_or("the validity size is past the buffer")?.to_vec()),
        };
        Ok(Data { values, offsets: starts, validity }.split(shape.cell_size()))
    }

    /// The starts of cells in bytes.
    fn starts(&self, buffer: &[u8], data: usize) -> Result<Vec<u64>, String> {
        let unit = if self.mode.elements { self.value_size as u64 } else { 1 };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| (all << 8) | u64::from(byte)) * unit;
        let mut starts: Vec<u64> = buffer.chunks(if self.mode.narrow { 4 } else { 8 }).map(number).collect();
        if self.mode.extra && !starts.is_empty() {
            let end = starts.pop();
            if end != Some(data as u64) {
                return Err(format!("the extra offset is {end:?} where {data} bytes were read"));
            }
        }
        let ends = starts.iter().skip(1).copied().chain([data as u64]);
        if starts.iter().zip(ends).any(|(&start, end)| start > end) {
            return Err("offsets go down".to_owned());
        }
        Ok(starts)
    }
}

/// Ranges of each dimension.
pub fn subarray(array: &Array<'_>, scenario: &Scenario, ranges: &[Vec<(i64, i64)>]) -> Result<u64, Failure> {
    let handle = array.ctx.get("subarray_alloc", &[array.handle])?;
    for (number, (dimension, ranges)) in scenario.dimensions.iter().zip(ranges).enumerate() {
        for &(low, high) in ranges {
            let number = number as u64;
            let (low, high) = (dimension.bytes(low), dimension.bytes(high));
            let (a, b) = (bytes(&low), bytes(&high));
            match dimension.is_string() {
                true => array
                    .ctx
                    .call("subarray_add_range_var", &[handle, number, a, low.len() as u64, b, high.len() as u64])?,
                false => array.ctx.call("subarray_add_range", &[handle, number, a, b, 0])?,
            }
        }
    }
    Ok(handle)
}

/// Writes one fragment.
pub fn write(api: &Api, uri: &str, scenario: &Scenario, write: &Write) -> Result<(), Failure> {
    let ctx = &context(api, scenario, write.mode, Some(write));
    write_by(ctx, uri, scenario, write, &mut |query, is_last| {
        ctx.call("query_submit", &[query])?;
        if is_last { ctx.call("query_finalize", &[query]) } else { Ok(()) }
    })
}

/// Writes one fragment; its submits are taken by a function, which is told whether it is the last one.
pub fn write_by(
    ctx: &Ctx<'_>,
    uri: &str,
    scenario: &Scenario,
    write: &Write,
    submit: Submit<'_>,
) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(write.time))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    let result = submit_all(&array, query, scenario, write, submit);
    ctx.free("query", query);
    result
}

/// Takes a submit of a query; true for the last one.
pub type Submit<'a> = &'a mut dyn FnMut(u64, bool) -> Result<(), Failure>;

fn submit_all(
    array: &Array<'_>,
    query: u64,
    scenario: &Scenario,
    write: &Write,
    submit: Submit<'_>,
) -> Result<(), Failure> {
    let ctx = array.ctx;
    ctx.call("query_set_layout", &[query, write.layout])?;
    if scenario.dense {
        let region: Vec<_> = write.region.iter().map(|range| vec![*range]).collect();
        let region = subarray(array, scenario, &region)?;
        ctx.call("query_set_subarray_t", &[query, region])?;
        ctx.free("subarray", region);
    }
    let mut fields = scenario.fields();
    fields.rotate_left(scenario.dimensions.len());
    let (all, attributes) = (fields.len(), scenario.attributes.len());
    let groups: Vec<_> = match write.apart {
        true => std::iter::once(attributes..all).chain((0..attributes).map(|at| at..at + 1)).collect(),
        false => std::iter::once(0..all).collect(),
    };
    let (mut done, mut buffers) = (0, Vec::new());
    for (number, count) in write.submits.iter().enumerate() {
        let places: Vec<usize> = (done..done + count).collect();
        done += count;
        for group in &groups {
            for ((name, shape), data) in fields.iter().zip(&write.columns).skip(group.start).take(group.len()) {
                let part = data.gather(shape.cell_size(), &places);
                buffers.push(Buffers::filled(name, *shape, &part, write.mode));
                buffers.last_mut().map_or(Ok(()), |column| column.bind(ctx, query))?;
            }
            submit(query, number + 1 == write.submits.len() && group.end == groups[groups.len() - 1].end)?;
        }
    }
    Ok(())
}

/// What was read: the cells of each field, or why not.
pub type Answer = Result<Vec<Vec<Cell>>, Failure>;

/// Reads fields, resubmitting until the query completes.
pub fn read(api: &Api, uri: &str, scenario: &Scenario, read: &Read) -> Answer {
    let ctx = &context(api, scenario, read.mode, None);
    let array = Array::open(ctx, uri, 0, read.window.0, read.window.1)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    let result = read_all(ctx, &array, query, scenario, read);
    ctx.free("query", query);
    result
}

fn read_all(ctx: &Ctx<'_>, array: &Array<'_>, query: u64, scenario: &Scenario, read: &Read) -> Answer {
    ctx.call("query_set_layout", &[query, read.layout])?;
    let region = subarray(array, scenario, &read.ranges)?;
    ctx.call("query_set_subarray_t", &[query, region])?;
    ctx.free("subarray", region);
    let fields = scenario.fields();
    let fields: Vec<_> =
        fields.iter().zip(&read.fields).filter(|(_, is_read)| **is_read).map(|(field, _)| field).collect();
    let mut columns: Vec<Buffers> =
        fields.iter().map(|(name, shape)| Buffers::with_capacity(name, *shape, read, scenario.long)).collect();
    for column in &mut columns {
        column.bind(ctx, query)?;
    }
    let failure = |text: String| ctx.api.failure("query_submit", 0, text);
    let mut result = vec![Vec::new(); columns.len()];
    let stops = read.ranges.iter().map(Vec::len).sum::<usize>() as u64 % 4;
    for _ in 0..100_000 {
        ctx.submit_read(query, stops)?;
        for ((all, column), (name, shape)) in result.iter_mut().zip(&columns).zip(&fields) {
            all.extend(column.cells(*shape).map_err(|text| failure(format!("{name}: {text}")))?);
        }
        if ctx.get("query_get_status", &[query])? == 1 {
            return Ok(result);
        }
        if columns.iter().all(|column| column.sizes[0] == 0 && column.sizes[1] == 0) {
            break;
        }
    }
    Err(failure("the query makes no progress".to_owned()))
}

/// True if the order of the cells that a query answers is determined.
fn keeps_order(scenario: &Scenario, read: &Read) -> bool {
    // Where buffers are small the reference answers part by part of the ranges, which ours follows but for strings and in
    // Hilbert's order.
    let several = read.ranges.iter().any(|ranges| ranges.len() > 1);
    let strings = scenario.dimensions.iter().any(|dimension| dimension.is_string());
    let in_parts = read.layout < 2 && read.tight && (scenario.cell_order == 4 || several && strings);
    let in_order = scenario.dense || !scenario.dups;
    in_order && !in_parts
}

/// The result in a form in which equal results are equal: cells in any order are sorted.
pub fn comparable(scenario: &Scenario, read: &Read, fields: Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    if keeps_order(scenario, read) {
        return fields;
    }
    let count = fields.iter().map(Vec::len).max().unwrap_or(0);
    let none = (Vec::new(), None);
    let mut cells: Vec<Vec<Cell>> =
        (0..count).map(|i| fields.iter().map(|field| field.get(i).unwrap_or(&none).clone()).collect()).collect();
    cells.sort();
    (0..fields.len()).map(|field| cells.iter().map(|cell| cell[field].clone()).collect()).collect()
}
