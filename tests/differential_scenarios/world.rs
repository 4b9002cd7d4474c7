//! Helpers of scenarios: concise schemas, writes and reads, each of which adds a line to the transcript.

use std::fmt::Write as _;

use crate::TEXT;
use support::{Api, Array, Cells, Column, Ctx, Failure, bytes, pointer, text};

/// Numbers of datatypes.
pub const INT32: u64 = 0;
pub const INT64: u64 = 1;
pub const FLOAT64: u64 = 3;
pub const UINT8: u64 = 6;
pub const UINT64: u64 = 10;
pub const ASCII: u64 = 11;
pub const UTF8: u64 = 12;
pub const ANY: u64 = 17;
/// Numbers of layouts.
pub const ROW: u64 = 0;
pub const COL: u64 = 1;
pub const GLOBAL: u64 = 2;
pub const UNORDERED: u64 = 3;
pub const HILBERT: u64 = 4;
/// The number of values per cell that means variable.
pub const VAR: u64 = u32::MAX as u64;

/// A dimension: its ends and extent as bytes of its type; none for strings.
#[derive(Clone)]
pub struct Dim {
    pub name: &'static str,
    pub ty: u64,
    pub domain: Vec<u8>,
    pub extent: Vec<u8>,
}

/// An attribute.
#[derive(Clone)]
pub struct Attr {
    pub name: String,
    pub ty: u64,
    pub values: u64,
    pub nullable: bool,
}

/// An array schema.
#[derive(Clone)]
pub struct Spec {
    pub dense: bool,
    pub dims: Vec<Dim>,
    pub attrs: Vec<Attr>,
    pub cell_order: u64,
    pub tile_order: u64,
    pub capacity: u64,
    pub dups: bool,
}

/// Little-endian bytes of numbers.
pub trait Little {
    fn little(&self) -> Vec<u8>;
}

macro_rules! le {
    ($($t:ty)*) => {$(impl Little for [$t] { fn little(&self) -> Vec<u8> { self.iter().flat_map(|v| v.to_le_bytes()).collect() } })*};
}
le!(u8 i32 i64 u32 u64 f64);

pub fn dim(name: &'static str, low: i32, high: i32, extent: i32) -> Dim {
    Dim { name, ty: INT32, domain: [low, high].little(), extent: [extent].little() }
}

pub fn text_dim(name: &'static str) -> Dim {
    Dim { name, ty: ASCII, domain: Vec::new(), extent: Vec::new() }
}

pub fn attr(name: &str, ty: u64, values: u64, nullable: bool) -> Attr {
    Attr { name: name.to_owned(), ty, values, nullable }
}

pub fn dense(dims: &[Dim], attrs: &[Attr]) -> Spec {
    Spec {
        dense: true,
        dims: dims.to_vec(),
        attrs: attrs.to_vec(),
        cell_order: ROW,
        tile_order: ROW,
        capacity: 4,
        dups: false,
    }
}

pub fn sparse(dims: &[Dim], attrs: &[Attr]) -> Spec {
    Spec { dense: false, ..dense(dims, attrs) }
}

/// Fixed-size cells.
pub fn fixed<T>(values: &[T]) -> Cells
where
    [T]: Little,
{
    Cells { data: values.little(), offsets: None, validity: None }
}

/// Variable-size cells.
pub fn var(values: &[&str]) -> Cells {
    let offsets = values.iter().scan(0, |at, value| {
        let start = *at;
        *at += value.len() as u64;
        Some(start)
    });
    Cells { offsets: Some(offsets.collect()), data: values.concat().into_bytes(), validity: None }
}

/// A range on a dimension.
pub type Ends = (u64, Vec<u8>, Vec<u8>);

pub fn range(dimension: u64, low: i32, high: i32) -> Ends {
    (dimension, [low].little(), [high].little())
}

pub fn text_range(dimension: u64, low: &str, high: &str) -> Ends {
    (dimension, low.as_bytes().to_vec(), high.as_bytes().to_vec())
}

/// How to read.
#[derive(Clone)]
pub struct Read<'a> {
    pub layout: u64,
    pub ranges: Vec<Ends>,
    pub fields: Vec<&'a str>,
    pub config: Vec<(&'a str, &'a str)>,
    /// Bytes of data and cells of offsets and validity there is room for.
    pub room: (usize, usize),
    pub window: (Option<u64>, Option<u64>),
    pub coalesce: Option<bool>,
    /// The order of the cells is not told.
    pub sorted: bool,
}

/// Reads everything in a layout.
pub fn all<'a>(layout: u64, fields: &[&'a str]) -> Read<'a> {
    Read {
        layout,
        ranges: Vec::new(),
        fields: fields.to_vec(),
        config: Vec::new(),
        room: (1 << 14, 1 << 14),
        window: (None, None),
        coalesce: None,
        sorted: false,
    }
}

/// A library, a folder, and the story so far.
pub struct World<'a> {
    pub api: &'a Api,
    /// Our library, which writes what the reference dies of.
    pub ours: &'a Api,
    folder: &'a str,
    specs: Vec<(String, Spec)>,
    time: u64,
    counts: bool,
}

impl<'a> World<'a> {
    pub fn new(api: &'a Api, ours: &'a Api, folder: &'a str) -> World<'a> {
        World { api, ours, folder, specs: Vec::new(), time: 0, counts: false }
    }

    /// Tells from now on what was counted of each write and read.
    pub fn count(&mut self) {
        self.counts = true;
    }

    fn tell_counted(&self, ctx: &Ctx<'_>) {
        if self.counts {
            crate::statistics::tell(self, ctx);
        }
    }

    /// A line of the story.
    pub fn say(&self, line: &str) {
        println!("{}", line.replace(self.folder, "FOLDER").replace('\n', " "));
    }

    /// Tells how a step went, with the text of a refusal.
    pub fn tell<T>(&self, step: &str, outcome: Result<T, Failure>) -> Option<T> {
        match outcome {
            Ok(value) => {
                self.say(&format!("{step}: ok"));
                Some(value)
            }
            Err(failure) => {
                let Failure { function, code, text, .. } = failure;
                self.say(&format!("{step}: {function} gave {code}{TEXT}{text}"));
                None
            }
        }
    }

    pub fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    pub fn spec(&self, name: &str) -> &Spec {
        &self.specs.iter().find(|spec| spec.0 == name).unwrap().1
    }

    /// Takes note of the attributes an array has from now on.
    pub fn alter(&mut self, name: &str, attrs: &[Attr]) {
        self.specs.iter_mut().find(|spec| spec.0 == name).unwrap().1.attrs = attrs.to_vec();
    }

    /// Creates an array.
    pub fn create(&mut self, name: &str, spec: Spec) {
        let ctx = self.api.context(&[]);
        let uri = text(&self.uri(name));
        let made = schema(&ctx, &spec).and_then(|schema| {
            let created = ctx.call("array_create", &[pointer(&uri), schema]);
            ctx.free("array_schema", schema);
            created
        });
        self.tell(&format!("create {name}"), made);
        self.specs.push((name.to_owned(), spec));
    }

    /// Writes a fragment, later than the one before.
    pub fn write(&mut self, name: &str, layout: u64, region: &[Ends], columns: &[(&str, Cells)]) {
        self.write_with(name, layout, region, &[columns.to_vec()], &[]);
    }

    /// As [`World::write`], but our library writes in either story: the reference dies of some dense writes
    /// of nullable variable-size cells.
    pub fn write_by_ours(&mut self, name: &str, layout: u64, region: &[Ends], columns: &[(&str, Cells)]) {
        let api = std::mem::replace(&mut self.api, self.ours);
        self.write(name, layout, region, columns);
        self.api = api;
    }

    /// Writes a fragment in several submits and under a configuration. Offsets are given in bytes, 64 bits wide,
    /// unless `config` says otherwise.
    pub fn write_with(
        &mut self,
        name: &str,
        layout: u64,
        region: &[Ends],
        submits: &[Vec<(&str, Cells)>],
        config: &[(&str, &str)],
    ) {
        self.time += 10;
        let ctx = self.api.context(config);
        let narrow = config.contains(&("sm.var_offsets.bitsize", "32"));
        let outcome = self.write_columns(&ctx, name, layout, region, submits, narrow);
        self.tell(&format!("write {name} in layout {layout} {config:?}"), outcome);
        self.tell_counted(&ctx);
    }

    /// Writes, as one line of the story whatever the columns.
    pub fn write_quietly(&mut self, name: &str, layout: u64, submits: &[Vec<(&str, Cells)>]) {
        self.time += 10;
        let ctx = self.api.context(&[]);
        let outcome = self.write_columns(&ctx, name, layout, &[], submits, false);
        self.tell(&format!("write {name}"), outcome);
    }

    fn write_columns(
        &self,
        ctx: &Ctx<'_>,
        name: &str,
        layout: u64,
        region: &[Ends],
        submits: &[Vec<(&str, Cells)>],
        narrow: bool,
    ) -> Result<(), Failure> {
        let array = Array::open(ctx, &self.uri(name), 1, None, Some(self.time))?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, layout])?;
        if !region.is_empty() {
            let subarray = ranges(&array, self.spec(name), region, None)?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        let mut buffers = Vec::new();
        for submit in submits {
            let mut columns: Vec<Column> =
                submit.iter().map(|(name, cells)| Column::filled(name, cells.clone())).collect();
            for column in &mut columns {
                if narrow {
                    narrow_offsets(column);
                }
                column.bind(ctx, query)?;
            }
            buffers.push(columns);
            ctx.call("query_submit", &[query])?;
        }
        ctx.call("query_finalize", &[query])?;
        ctx.free("query", query);
        Ok(())
    }

    /// Reads with ranges that `add` adds to the subarray.
    pub fn read_points(
        &self,
        name: &str,
        layout: u64,
        fields: &[&str],
        add: impl Fn(&Array<'_>, u64) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let ctx = self.api.context(&[]);
        let array = Array::open(&ctx, &self.uri(name), 0, None, None)?;
        let subarray = ctx.get("subarray_alloc", &[array.handle])?;
        add(&array, subarray)?;
        let outcome = self.read_subarray(&array, name, &all(layout, fields), subarray);
        ctx.free("subarray", subarray);
        outcome
    }

    /// Tells how many fragments there are, and their cells.
    pub fn fragments(&self, name: &str) {
        let ctx = self.api.context(&[]);
        let uri = text(&self.uri(name));
        let fragments = ctx.get("fragment_info_alloc", &[pointer(&uri)]).and_then(|info| {
            ctx.call("fragment_info_load", &[info])?;
            let mut cells = Vec::new();
            for number in 0..ctx.get("fragment_info_get_fragment_num", &[info])? {
                cells.push(ctx.get("fragment_info_get_cell_num", &[info, number])?);
            }
            ctx.free("fragment_info", info);
            Ok(cells)
        });
        self.tell(&format!("fragments {:?}", fragments.clone().unwrap_or_default()), fragments);
    }

    /// True if this is our library.
    pub fn is_ours(&self) -> bool {
        self.api.path == self.ours.path
    }

    /// Reads without telling under which configuration.
    pub fn read_quietly(&self, name: &str, read: &Read<'_>) {
        let ctx = self.api.context(&read.config);
        let outcome = self.read_columns(&ctx, name, read);
        self.tell(&format!("read {name} in layout {}", read.layout), outcome);
    }

    /// Reads and tells every submit until the query is complete.
    pub fn read(&self, name: &str, read: &Read<'_>) {
        let ctx = self.api.context(&read.config);
        let outcome = self.read_columns(&ctx, name, read);
        let ranges = read.ranges.len();
        let step = format!("read {name} {} {ranges} ranges {:?} {:?}", read.layout, read.config, read.window);
        self.tell(&step, outcome);
        self.tell_counted(&ctx);
    }

    fn read_columns(&self, ctx: &Ctx<'_>, name: &str, read: &Read<'_>) -> Result<(), Failure> {
        let array = Array::open(ctx, &self.uri(name), 0, read.window.0, read.window.1)?;
        let subarray = match read.ranges.as_slice() {
            [] => 0,
            ends => ranges(&array, self.spec(name), ends, read.coalesce)?,
        };
        let outcome = self.read_subarray(&array, name, read, subarray);
        if subarray != 0 {
            ctx.free("subarray", subarray);
        }
        outcome
    }

    fn read_subarray(&self, array: &Array<'_>, name: &str, read: &Read<'_>, subarray: u64) -> Result<(), Failure> {
        let ctx = array.ctx;
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        ctx.call("query_set_layout", &[query, read.layout])?;
        if subarray != 0 {
            ctx.call("query_set_subarray_t", &[query, subarray])?;
        }
        let mut columns: Vec<Column> = read.fields.iter().map(|field| self.column(name, field, read.room)).collect();
        let room: Vec<[u64; 3]> = columns.iter().map(|column| *column.sizes).collect();
        let (mut cells, mut status) = (Vec::new(), 0);
        // How offsets look is told as it is.
        let raw = read.config.iter().any(|(name, _)| name.starts_with("sm.var_offsets"));
        for _ in 0..1000 {
            for (column, room) in columns.iter_mut().zip(&room) {
                *column.sizes = *room;
                column.bind(ctx, query)?;
            }
            ctx.call("query_submit", &[query])?;
            status = ctx.get("query_get_status", &[query])?;
            if raw {
                self.say(&format!("  status {status}{}", buffers(&columns)));
            }
            cells.extend(self.cells(name, &columns));
            if status != 3 || columns.iter().all(|column| column.sizes[0] == 0) {
                break;
            }
        }
        ctx.free("query", query);
        if !raw {
            if read.sorted {
                cells.sort();
            }
            self.say(&format!("  status {status} {} cells {}", cells.len(), cells.concat()));
        }
        Ok(())
    }

    /// Buffers for a field.
    pub fn column(&self, name: &str, field: &str, (data, cells): (usize, usize)) -> Column {
        let (is_var, nullable) = (self.is_var(name, field), self.is_nullable(name, field));
        Column::with_capacity(field, data, is_var.then_some(cells), nullable.then_some(cells))
    }

    pub fn is_var(&self, name: &str, field: &str) -> bool {
        let spec = self.spec(name);
        match spec.attrs.iter().find(|attr| attr.name == field) {
            Some(attr) => attr.values == VAR,
            None => spec.dims.iter().any(|dim| dim.name == field && dim.ty == ASCII),
        }
    }

    pub fn is_nullable(&self, name: &str, field: &str) -> bool {
        self.spec(name).attrs.iter().any(|attr| attr.name == field && attr.nullable)
    }

    /// The cells of a result, each as text.
    pub fn cells(&self, name: &str, columns: &[Column]) -> Vec<String> {
        let dims = self.spec(name).dims.len();
        let split: Vec<_> = columns.iter().map(|column| column.result().split(self.cell_size(name, column))).collect();
        let count = split.iter().map(Vec::len).max().unwrap_or(0);
        let value = |cells: &Vec<(Vec<u8>, Option<u8>)>, i: usize| match cells.get(i) {
            None => "nothing".to_owned(),
            Some((value, None)) => value.escape_ascii().to_string(),
            Some((value, Some(valid))) => format!("{}|{valid}", value.escape_ascii()),
        };
        // Zipped coordinates look like those of the dimensions side by side.
        let coords = |cells: &Vec<(Vec<u8>, Option<u8>)>, i: usize| match cells.get(i) {
            None => "nothing".to_owned(),
            Some((value, _)) => {
                let coords = value.chunks((value.len() / dims).max(1));
                coords.map(|coord| coord.escape_ascii().to_string()).collect::<Vec<String>>().join(" ")
            }
        };
        let shown = |(column, cells), i| if is_zipped(column) { coords(cells, i) } else { value(cells, i) };
        let cell = |i| columns.iter().zip(&split).map(|pair| shown(pair, i)).collect::<Vec<String>>().join(" ");
        (0..count).map(|i| format!("({})", cell(i))).collect()
    }

    fn cell_size(&self, name: &str, column: &Column) -> usize {
        let spec = self.spec(name);
        let field = column.name.to_str().unwrap();
        if is_zipped(column) {
            return spec.dims.iter().map(|dim| self.api.raw("datatype_size", &[dim.ty]) as usize).sum();
        }
        let attr = spec.attrs.iter().find(|attr| attr.name == field).map(|attr| (attr.ty, attr.values));
        let (ty, values) =
            attr.unwrap_or_else(|| (spec.dims.iter().find(|dim| dim.name == field).map_or(UINT64, |dim| dim.ty), 1));
        self.api.raw("datatype_size", &[ty]) as usize * values as usize
    }
}

fn is_zipped(column: &Column) -> bool {
    column.name.to_bytes() == b"__coords"
}

/// Makes offsets 32 bits wide, two in a word; their size goes on counting eight bytes each.
fn narrow_offsets(column: &mut Column) {
    if let Some(offsets) = &mut column.offsets {
        *offsets = offsets.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |second| second << 32)).collect();
    }
}

/// Buffers as they were filled.
fn buffers(columns: &[Column]) -> String {
    let mut shown = String::new();
    for column in columns {
        let Cells { data, offsets, validity } = column.result();
        write!(shown, " {}={}", column.name.to_str().unwrap(), data.escape_ascii()).unwrap();
        if let Some(offsets) = offsets {
            write!(shown, " offsets {} bytes {offsets:?}", column.sizes[1]).unwrap();
        }
        if let Some(validity) = validity {
            write!(shown, " validity {validity:?}").unwrap();
        }
    }
    shown
}

/// Builds and checks a schema.
pub fn schema(ctx: &Ctx<'_>, spec: &Spec) -> Result<u64, Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for dim in &spec.dims {
        let name = text(dim.name);
        let or_null = |value: &Vec<u8>| if value.is_empty() { 0 } else { bytes(value) };
        let handle =
            ctx.get("dimension_alloc", &[pointer(&name), dim.ty, or_null(&dim.domain), or_null(&dim.extent)])?;
        ctx.call("domain_add_dimension", &[domain, handle])?;
        ctx.free("dimension", handle);
    }
    let schema = ctx.get("array_schema_alloc", &[u64::from(!spec.dense)])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.free("domain", domain);
    ctx.call("array_schema_set_cell_order", &[schema, spec.cell_order])?;
    ctx.call("array_schema_set_tile_order", &[schema, spec.tile_order])?;
    ctx.call("array_schema_set_capacity", &[schema, spec.capacity])?;
    if spec.dups {
        ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
    }
    for attr in &spec.attrs {
        let handle = attribute(ctx, attr)?;
        ctx.call("array_schema_add_attribute", &[schema, handle])?;
        ctx.free("attribute", handle);
    }
    ctx.call("array_schema_check", &[schema])?;
    Ok(schema)
}

/// Builds an attribute.
pub fn attribute(ctx: &Ctx<'_>, attr: &Attr) -> Result<u64, Failure> {
    let name = text(&attr.name);
    let handle = ctx.get("attribute_alloc", &[pointer(&name), attr.ty])?;
    ctx.call("attribute_set_cell_val_num", &[handle, attr.values])?;
    ctx.call("attribute_set_nullable", &[handle, u64::from(attr.nullable)])?;
    Ok(handle)
}

/// A subarray with these ranges.
pub fn ranges(array: &Array<'_>, spec: &Spec, ranges: &[Ends], coalesce: Option<bool>) -> Result<u64, Failure> {
    let ctx = array.ctx;
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    if let Some(coalesce) = coalesce {
        ctx.call("subarray_set_coalesce_ranges", &[subarray, u64::from(coalesce)])?;
    }
    add_ranges(ctx, subarray, spec, ranges)?;
    Ok(subarray)
}

/// Adds ranges to a subarray.
pub fn add_ranges(ctx: &Ctx<'_>, subarray: u64, spec: &Spec, ranges: &[Ends]) -> Result<(), Failure> {
    for (dimension, low, high) in ranges {
        if spec.dims[*dimension as usize].ty == ASCII {
            let ends = [*dimension, bytes(low), low.len() as u64, bytes(high), high.len() as u64];
            ctx.call("subarray_add_range_var", &[&[subarray], &ends[..]].concat())?;
        } else {
            ctx.call("subarray_add_range", &[subarray, *dimension, bytes(low), bytes(high), 0])?;
        }
    }
    Ok(())
}

/// A byte at an address that a library gave.
#[allow(unsafe_code, clippy::undocumented_unsafe_blocks, reason = "reads as a C program does")]
pub fn peek(address: u64) -> u8 {
    unsafe { *(address as *const u8) }
}
