//! Runs one recorded query through the C interface and compares its result.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::golden::case::list;
use crate::{Array, Cells, Column, Ctx, Failure, address, borrowed, bytes, pointer, text};

/// Green, or what is wrong.
pub type Outcome = Result<(), String>;

/// The type of a result field: datatype, values per cell (`None`: variable), nullable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldType {
    pub datatype: String,
    pub cell_val_num: Option<u64>,
    nullable: bool,
}

/// The result of a query by field.
pub type QueryResult = BTreeMap<String, (FieldType, Cells)>;

/// Numbers and sizes of the datatypes, in the order of the numbers.
const DATATYPES: [(&str, usize); 18] = [
    ("INT32", 4),
    ("INT64", 8),
    ("FLOAT32", 4),
    ("FLOAT64", 8),
    ("CHAR", 1),
    ("INT8", 1),
    ("UINT8", 1),
    ("INT16", 2),
    ("UINT16", 2),
    ("UINT32", 4),
    ("UINT64", 8),
    ("STRING_ASCII", 1),
    ("STRING_UTF8", 1),
    ("STRING_UTF16", 2),
    ("STRING_UTF32", 4),
    ("STRING_UCS2", 2),
    ("STRING_UCS4", 4),
    ("ANY", 1),
];

/// Bytes of a value of a datatype.
pub fn size_of(datatype: &str) -> usize {
    match DATATYPES.iter().find(|row| row.0 == datatype) {
        Some(row) => row.1,
        None if datatype.starts_with("DATETIME_") || datatype.starts_with("TIME_") => 8,
        None => 1,
    }
}

/// Reads with buffers that grow until the query completes.
pub fn read(ctx: &Ctx<'_>, uri: &str, schema: &Value, query: &Value) -> Result<QueryResult, String> {
    let (start, end) = (query["open"]["start"].as_u64(), query["open"]["end"].as_u64());
    let array = Array::open(ctx, uri, 0, start, end).map_err(complaint)?;
    let mut room = 1 << 16;
    loop {
        match read_once(&array, schema, query, room).map_err(complaint)? {
            (1, result) => return Ok(result),
            (3, _) if room < 1 << 26 => room *= 8,
            (status, _) => return Err(format!("query status {status}")),
        }
    }
}

/// A failure as text.
pub fn complaint(failure: Failure) -> String {
    format!("{} gave {}: {}", failure.function, failure.code, failure.text)
}

fn read_once(array: &Array<'_>, schema: &Value, query: &Value, room: usize) -> Result<(u64, QueryResult), Failure> {
    Started::new(array, schema, query, room)?.submit()
}

/// A query with its buffers, ready to be submitted, once or until it completes.
pub struct Started<'a> {
    ctx: &'a Ctx<'a>,
    handle: u64,
    columns: Vec<(Column, FieldType)>,
    /// The room of each column, as its sizes were before the first submit.
    rooms: Vec<[u64; 3]>,
}

impl<'a> Started<'a> {
    /// Sets up a recorded query with buffers of about `room` bytes per field.
    pub fn new(array: &Array<'a>, schema: &Value, query: &Value, room: usize) -> Result<Started<'a>, Failure> {
        let ctx = array.ctx;
        let handle = ctx.get("query_alloc", &[array.handle, 0])?;
        let mut started = Started { ctx, handle, columns: Vec::new(), rooms: Vec::new() };
        let layout = ["row", "col", "global", "unordered"].iter().position(|name| query["layout"] == *name).unwrap();
        ctx.call("query_set_layout", &[handle, layout as u64])?;
        if query["ranges"].is_object() || query["label_ranges"].is_object() {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            let set = set_ranges(ctx, subarray, schema, query)
                .and_then(|()| ctx.call("query_set_subarray_t", &[handle, subarray]));
            ctx.free("subarray", subarray);
            set?;
        }
        if query["condition"].is_object() {
            let condition = condition(ctx, &query["condition"])?;
            let set = ctx.call("query_set_condition", &[handle, condition]);
            ctx.free("query_condition", condition);
            set?;
        }
        started.add_columns(schema, query, room)?;
        Ok(started)
    }

    fn add_columns(&mut self, schema: &Value, query: &Value, room: usize) -> Result<(), Failure> {
        for name in list(&query["fields"]) {
            let name = name.as_str().unwrap();
            let kind = field_type(schema, name);
            let cells = room / 8;
            let data = kind.cell_val_num.map_or(room * 2, |num| cells * size_of(&kind.datatype) * num as usize);
            let offsets = kind.cell_val_num.is_none().then_some(cells);
            self.columns.push((Column::with_capacity(name, data, offsets, kind.nullable.then_some(cells)), kind));
        }
        for aggregate in list(&query["aggregates"]) {
            self.columns.push(apply(self.ctx, self.handle, aggregate)?);
        }
        for (column, _) in &mut self.columns {
            column.bind(self.ctx, self.handle)?;
            self.rooms.push(*column.sizes);
        }
        Ok(())
    }

    /// Submits once and gives the status and what was read.
    pub fn submit(&mut self) -> Result<(u64, QueryResult), Failure> {
        for ((column, _), room) in self.columns.iter_mut().zip(&self.rooms) {
            *column.sizes = *room;
        }
        self.ctx.call("query_submit", &[self.handle])?;
        let status = self.ctx.get("query_get_status", &[self.handle])?;
        let cells = |(column, kind): &(Column, FieldType)| {
            (column.name.to_str().unwrap().to_owned(), (kind.clone(), column.result()))
        };
        Ok((status, self.columns.iter().map(cells).collect()))
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        self.ctx.free("query", self.handle);
    }
}

fn field_type(schema: &Value, name: &str) -> FieldType {
    if name.starts_with("__") {
        return FieldType { datatype: "UINT64".to_owned(), cell_val_num: Some(1), nullable: false };
    }
    let fields = ["dims", "attrs", "dimension_labels"].into_iter().flat_map(|part| list(&schema[part]));
    let field = fields.into_iter().find(|field| field["name"] == name).unwrap();
    FieldType {
        datatype: field["type"].as_str().unwrap().to_owned(),
        cell_val_num: field["cell_val_num"].as_u64(),
        nullable: field["nullable"].as_bool().unwrap_or(false),
    }
}

/// A recorded range end as bytes of the dimension's type.
fn value_bytes(datatype: &str, value: &Value) -> Vec<u8> {
    if let Value::String(text) = value {
        return text.as_bytes().to_vec();
    }
    match datatype {
        "FLOAT32" => (value.as_f64().unwrap() as f32).to_le_bytes().to_vec(),
        "FLOAT64" => value.as_f64().unwrap().to_le_bytes().to_vec(),
        _ => {
            let number = value.as_i64().unwrap_or_else(|| value.as_u64().unwrap() as i64);
            number.to_le_bytes()[..size_of(datatype)].to_vec()
        }
    }
}

/// Adds the ranges of a query to a subarray.
pub fn set_ranges(ctx: &Ctx<'_>, subarray: u64, schema: &Value, query: &Value) -> Result<(), Failure> {
    for (index, dimension) in list(&schema["dims"]).iter().enumerate() {
        let datatype = dimension["type"].as_str().unwrap();
        for range in list(&query["ranges"][dimension["name"].as_str().unwrap()]) {
            let (low, high) = (value_bytes(datatype, &range[0]), value_bytes(datatype, &range[1]));
            if dimension["cell_val_num"] == "var" {
                let ends = [bytes(&low), low.len() as u64, bytes(&high), high.len() as u64];
                ctx.call("subarray_add_range_var", &[&[subarray, index as u64], &ends[..]].concat())?;
            } else {
                ctx.call("subarray_add_range", &[subarray, index as u64, bytes(&low), bytes(&high), 0])?;
            }
        }
    }
    for label in list(&schema["dimension_labels"]) {
        let datatype = label["type"].as_str().unwrap();
        let name = text(label["name"].as_str().unwrap());
        for range in list(&query["label_ranges"][label["name"].as_str().unwrap()]) {
            let (low, high) = (value_bytes(datatype, &range[0]), value_bytes(datatype, &range[1]));
            if datatype == "STRING_ASCII" {
                let ends = [bytes(&low), low.len() as u64, bytes(&high), high.len() as u64];
                ctx.call("subarray_add_label_range_var", &[&[subarray, pointer(&name)], &ends[..]].concat())?;
            } else {
                ctx.call("subarray_add_label_range", &[subarray, pointer(&name), bytes(&low), bytes(&high), 0])?;
            }
        }
    }
    Ok(())
}

pub fn from_hex(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// Builds a condition handle from its recorded tree.
pub fn condition(ctx: &Ctx<'_>, node: &Value) -> Result<u64, Failure> {
    let operator = node["op"].as_str().unwrap();
    if let Some(combination) = ["AND", "OR", "NOT"].iter().position(|name| *name == operator) {
        return combined(ctx, node, combination as u64);
    }
    let number =
        ["LT", "LE", "GT", "GE", "EQ", "NE", "IN", "NOT_IN"].iter().position(|name| *name == operator).unwrap();
    let field = text(node["field"].as_str().unwrap());
    let handle = if number >= 6 {
        let values: Vec<Vec<u8>> =
            list(&node["values_hex"]).iter().map(|hex| from_hex(hex.as_str().unwrap())).collect();
        let data = values.concat();
        let starts = values.iter().scan(0u64, |at, value| {
            let start = *at;
            *at += value.len() as u64;
            Some(start.to_le_bytes())
        });
        let offsets: Vec<u8> = starts.flatten().collect();
        let sets = [bytes(&data), data.len() as u64, bytes(&offsets), offsets.len() as u64, number as u64];
        ctx.get("query_condition_alloc_set_membership", &[&[pointer(&field)], &sets[..]].concat())?
    } else {
        let handle = ctx.get("query_condition_alloc", &[])?;
        let value = node["value_hex"].as_str().map(from_hex);
        let (address, size) = value.as_ref().map_or((0, 0), |value| (bytes(value), value.len() as u64));
        ctx.call("query_condition_init", &[handle, pointer(&field), address, size, number as u64])?;
        handle
    };
    if node["use_enumeration"] == false {
        ctx.call("query_condition_set_use_enumeration", &[handle, 0])?;
    }
    Ok(handle)
}

fn combined(ctx: &Ctx<'_>, node: &Value, combination: u64) -> Result<u64, Failure> {
    let mut parts = list(&node["args"]).iter();
    let mut handle = condition(ctx, parts.next().unwrap())?;
    if combination == 2 {
        let negated = ctx.get("query_condition_negate", &[handle]);
        ctx.free("query_condition", handle);
        return negated;
    }
    for part in parts {
        let other = condition(ctx, part)?;
        let both = ctx.get("query_condition_combine", &[handle, other, combination]);
        ctx.free("query_condition", handle);
        ctx.free("query_condition", other);
        handle = both?;
    }
    Ok(handle)
}

/// Applies an aggregate to the default channel and gives its result column.
fn apply(ctx: &Ctx<'_>, query: u64, aggregate: &Value) -> Result<(Column, FieldType), Failure> {
    let mut channel = ctx.get("query_get_default_channel", &[query])?;
    let mut operation = match aggregate["op"].as_str().unwrap() {
        "COUNT" => ctx.get("aggregate_count_get", &[])?,
        operator => {
            let getter = format!("channel_operator_{}_get", operator.to_lowercase());
            let operator = ctx.get(&getter, &[])?;
            let field = text(aggregate["field"].as_str().unwrap());
            ctx.get("create_unary_aggregate", &[query, operator, pointer(&field)])?
        }
    };
    let name = aggregate["name"].as_str().unwrap();
    let c_name = text(name);
    ctx.call("channel_apply_aggregate", &[channel, pointer(&c_name), operation])?;
    let mut field = ctx.get("query_get_field", &[query, pointer(&c_name)])?;
    let datatype = ctx.get("field_datatype", &[field])?;
    let number = ctx.get("field_cell_val_num", &[field])?;
    let nullable = ctx.get("field_get_nullable", &[field])? != 0;
    let mut datatype_text = 0u64;
    ctx.api.raw("datatype_to_str", &[datatype, address(&mut datatype_text)]);
    let datatype = borrowed(datatype_text);
    ctx.api.raw("query_field_free", &[ctx.handle, address(&mut field)]);
    ctx.api.raw("query_channel_free", &[ctx.handle, address(&mut channel)]);
    if aggregate["op"] != "COUNT" {
        ctx.api.raw("aggregate_free", &[ctx.handle, address(&mut operation)]);
    }
    let var = number == u64::from(u32::MAX);
    let data = if var { 4096 } else { size_of(&datatype) * number as usize };
    let column = Column::with_capacity(name, data, var.then_some(1), nullable.then_some(1));
    Ok((column, FieldType { datatype, cell_val_num: (!var).then_some(number), nullable }))
}

/// The recorded result of a query.
pub fn recorded(expect: &Value, data: &[u8]) -> QueryResult {
    let block = |reference: &Value| -> Vec<u8> {
        let (at, len) = (reference[0].as_u64().unwrap() as usize, reference[1].as_u64().unwrap() as usize);
        data[at..at + len].to_vec()
    };
    let mut columns = QueryResult::new();
    for (name, field) in expect["fields"].as_object().unwrap() {
        let kind = FieldType {
            datatype: field["type"].as_str().unwrap().to_owned(),
            cell_val_num: field["cell_val_num"].as_u64(),
            nullable: field["nullable"].as_bool().unwrap(),
        };
        let words = |bytes: Vec<u8>| bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect();
        let cells = Cells {
            data: block(&field["data"]),
            offsets: field["offsets"].is_array().then(|| words(block(&field["offsets"]))),
            validity: field["validity"].is_array().then(|| block(&field["validity"])),
        };
        columns.insert(name.clone(), (kind, cells));
    }
    columns
}

/// Compares a result with the recorded one in the recorded order.
pub fn compare(expect: &Value, data: &[u8], result: &QueryResult, schema: &Value, query: &Value) -> Outcome {
    let expected = recorded(expect, data);
    if expected.keys().ne(result.keys()) {
        return Err("the fields differ".to_owned());
    }
    let order = query["order"].as_str().unwrap();
    let mut differing = Vec::new();
    for (name, (kind, cells)) in &expected {
        let (got_kind, got) = &result[name];
        if kind != got_kind {
            return Err(format!("{name}: {kind:?} expected, {got_kind:?} found"));
        }
        let is_dimension = list(&schema["dims"]).iter().any(|dimension| dimension["name"] == **name);
        if (order == "exact" || order == "ties" && is_dimension) && cells != got {
            differing.push(format!("{name}={}", shown(kind, got)));
        }
    }
    if !differing.is_empty() {
        return Err(differing.join(" "));
    }
    let cells = sorted_cells(result);
    if order != "exact" && sorted_cells(&expected) != cells {
        let data = cells.concat().into_iter().flat_map(|(value, valid)| value.into_iter().chain(valid)).collect();
        return Err(format!("cells={:08x}", checksum(&Cells { data, offsets: None, validity: None })));
    }
    Ok(())
}

/// A single number as such, other cells by their checksum: what is found in place of what is recorded.
fn shown(kind: &FieldType, cells: &Cells) -> String {
    if let (None, &[a, b, c, d, e, f, g, h]) = (&cells.offsets, cells.data.as_slice()) {
        let word = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        return if kind.datatype == "FLOAT64" { f64::from_bits(word).to_string() } else { (word as i64).to_string() };
    }
    format!("{:08x}", checksum(cells))
}

fn checksum(cells: &Cells) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(&cells.data);
    cells.offsets.iter().flatten().for_each(|offset| sum.update(&offset.to_le_bytes()));
    sum.update(cells.validity.as_deref().unwrap_or_default());
    sum.sum()
}

/// Every cell with all its fields, sorted.
fn sorted_cells(result: &QueryResult) -> Vec<Vec<(Vec<u8>, Option<u8>)>> {
    let columns: Vec<_> = result
        .values()
        .map(|(kind, cells)| cells.split(size_of(&kind.datatype) * kind.cell_val_num.unwrap_or(1) as usize))
        .collect();
    let count = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |i: usize| columns.iter().map(|column| column.get(i).cloned().unwrap_or_default()).collect();
    let mut cells: Vec<Vec<_>> = (0..count).map(cell).collect();
    cells.sort();
    cells
}
