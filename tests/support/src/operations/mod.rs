//! The operations to be killed, each on prepared data.

use std::cell::RefCell;
use std::time::Duration;

use crate::{Api, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

pub mod clock;
pub mod extra_operations;
pub mod observer;
pub mod snapshot;

/// How an operation ended.
pub type Done = Result<(), Failure>;

/// An operation.
pub struct Operation {
    pub name: &'static str,
    pub prepare: fn(&Place<'_>) -> Done,
    pub run: fn(&Place<'_>) -> Done,
}

pub const fn operation(name: &'static str, prepare: fn(&Place<'_>) -> Done, run: fn(&Place<'_>) -> Done) -> Operation {
    Operation { name, prepare, run }
}

/// All operations.
pub const OPERATIONS: [Operation; 28] = [
    operation("dense_write", |place| place.dense(1), |place| place.write_dense(20)),
    operation("sparse_write", |place| place.sparse(1), |place| place.write_sparse(20)),
    operation("global_write", |place| place.sparse(1), |place| place.write_global(20)),
    operation("write_and_maintain", |place| place.sparse(4), |place| place.write_and_maintain()),
    operation("delete_cells", |place| place.sparse(2), |place| place.delete_cells()),
    operation("put_metadata", |place| place.sparse(1), |place| place.put_metadata("array", 30, &["new", "old"])),
    operation("evolve", |place| place.dense(1), |place| place.evolve()),
    operation("create", |_| Ok(()), |place| place.create(true)),
    operation("create_with_enumeration", |_| Ok(()), |place| place.create_enumerated()),
    operation("create_with_labels", |_| Ok(()), |place| place.create_labelled()),
    operation("create_group", |_| Ok(()), |place| place.create_group()),
    operation("delete_fragments", |place| place.sparse(3), |place| place.delete_fragments()),
    operation("consolidate_sparse", |place| place.sparse(4), |place| place.consolidate("fragments")),
    operation("consolidate_dense", |place| place.dense(4), |place| place.consolidate("fragments")),
    operation("maintain_sparse", |place| place.sparse(6), |place| place.maintain()),
    operation("maintain_dense", |place| place.dense(6), |place| place.maintain()),
    operation("maintain_duplicates", |place| place.duplicates(6), |place| place.maintain()),
    operation("maintain_deletes", |place| place.deletes(), |place| place.maintain()),
    operation("consolidate_commits", |place| place.sparse(4), |place| place.consolidate("commits")),
    operation("consolidate_fragment_metadata", |place| place.sparse(4), |place| place.consolidate("fragment_meta")),
    operation("consolidate_metadata", |place| place.with_metadata(), |place| place.consolidate("array_meta")),
    operation("vacuum_fragments", |place| place.consolidated("fragments"), |place| place.vacuum("fragments")),
    operation("vacuum_dense_fragments", |place| place.consolidated_dense(), |place| place.vacuum("fragments")),
    operation("vacuum_metadata", |place| place.consolidated_metadata(), |place| place.vacuum("array_meta")),
    operation("vacuum_fragment_metadata", |place| place.consolidated_again(), |place| place.vacuum("fragment_meta")),
    operation("vacuum_commits", |place| place.consolidated("commits"), |place| place.vacuum("commits")),
    operation("group_members", |place| place.group(), |place| place.change_group()),
    operation("group_metadata", |place| place.group(), |place| place.put_metadata("group", 1, &["new"])),
];

/// A library and the folder it works in.
pub struct Place<'a> {
    pub ctx: &'a Ctx<'a>,
    pub folder: String,
    handles: RefCell<Vec<(&'static str, u64)>>,
}

impl<'a> Place<'a> {
    pub fn new(ctx: &'a Ctx<'a>, folder: &str) -> Place<'a> {
        Place { ctx, folder: folder.to_owned(), handles: RefCell::default() }
    }

    /// Makes a handle, which is freed however the operation ends.
    pub fn hold(&self, kind: &'static str, arguments: &[u64]) -> Result<u64, Failure> {
        let handle = self.ctx.get(&format!("{kind}_alloc"), arguments)?;
        self.handles.borrow_mut().push((kind, handle));
        Ok(handle)
    }

    /// Opens an array, up to a time.
    pub fn open(&self, name: &str, query_type: u64, end: Option<u64>) -> Result<u64, Failure> {
        let array = self.hold("array", &[pointer(&text(&self.uri(name)))])?;
        if let Some(end) = end {
            self.ctx.call("array_set_open_timestamp_end", &[array, end])?;
        }
        self.ctx.call("array_open", &[array, query_type])?;
        Ok(array)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        for (kind, handle) in self.handles.take().into_iter().rev() {
            self.ctx.free(kind, handle);
        }
    }
}

/// Does something in a folder.
pub fn with<R>(api: &Api, folder: &str, run: impl FnOnce(&Place<'_>) -> R) -> R {
    run(&Place::new(&api.context(&[]), folder))
}

/// How many times as many fragments and files of metadata there are to be vacuumed.
fn scale() -> u64 {
    std::env::var("SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}

/// Tells the process that watches that what it sees must be there from now on.
fn committed() {
    println!("committed");
}

fn numbers(values: impl IntoIterator<Item = i32>) -> Cells {
    let data = values.into_iter().flat_map(i32::to_le_bytes).collect();
    Cells { data, offsets: None, validity: None }
}

fn words(values: impl IntoIterator<Item = i32>) -> Cells {
    let words: Vec<String> = values.into_iter().map(|value| "w".repeat(value as usize % 7)).collect();
    let offsets = words.iter().scan(0, |at, word| {
        *at += word.len() as u64;
        Some(*at - word.len() as u64)
    });
    Cells { offsets: Some(offsets.collect()), data: words.concat().into_bytes(), validity: None }
}

impl Place<'_> {
    pub fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.folder)
    }

    fn schema(&self, is_dense: bool) -> Result<u64, Failure> {
        let ctx = self.ctx;
        let domain = self.hold("domain", &[])?;
        for name in ["x", "y"] {
            let (name, ends, extent) = (text(name), [0i32, 7].map(i32::to_le_bytes).concat(), 4i32.to_le_bytes());
            let dimension = self.hold("dimension", &[pointer(&name), 0, bytes(&ends), bytes(&extent)])?;
            ctx.call("domain_add_dimension", &[domain, dimension])?;
        }
        let schema = self.hold("array_schema", &[u64::from(!is_dense)])?;
        ctx.call("array_schema_set_domain", &[schema, domain])?;
        ctx.call("array_schema_set_capacity", &[schema, 4])?;
        for (name, datatype, values) in [("a", 0, 1), ("s", 11, u64::from(u32::MAX))] {
            let attribute = self.hold("attribute", &[pointer(&text(name)), datatype])?;
            ctx.call("attribute_set_cell_val_num", &[attribute, values])?;
            ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        }
        Ok(schema)
    }

    pub fn create(&self, is_dense: bool) -> Done {
        let uri = text(&self.uri("array"));
        self.ctx.call("array_create", &[pointer(&uri), self.schema(is_dense)?])?;
        committed();
        Ok(())
    }

    pub fn create_enumerated(&self) -> Done {
        let (ctx, name, uri) = (self.ctx, text("e"), text(&self.uri("array")));
        let (values, starts) = (*b"onetwo", [0u64, 3]);
        let values = [pointer(&name), 11, u64::from(u32::MAX), 0, bytes(&values), 6, starts.as_ptr() as u64, 16];
        let enumeration = self.hold("enumeration", &values)?;
        let schema = self.schema(true)?;
        ctx.call("array_schema_add_enumeration", &[schema, enumeration])?;
        ctx.call("array_create", &[pointer(&uri), schema])?;
        committed();
        Ok(())
    }

    pub fn create_labelled(&self) -> Done {
        let (schema, uri) = (self.schema(true)?, text(&self.uri("array")));
        for (dimension, name) in [(0, "rows"), (1, "columns")] {
            let name = text(name);
            self.ctx.call("array_schema_add_dimension_label", &[schema, dimension, pointer(&name), 1, 1])?;
        }
        self.ctx.call("array_create", &[pointer(&uri), schema])?;
        committed();
        Ok(())
    }

    pub fn create_group(&self) -> Done {
        self.ctx.call("group_create", &[pointer(&text(&self.uri("group")))])?;
        committed();
        Ok(())
    }

    pub fn dense(&self, fragments: u64) -> Done {
        self.create(true)?;
        (1..=fragments).try_for_each(|time| self.write_dense(time))
    }

    pub fn sparse(&self, fragments: u64) -> Done {
        self.create(false)?;
        (1..=fragments).try_for_each(|time| self.write_sparse(time))
    }

    fn write(&self, layout: u64, time: u64, region: Option<[i32; 4]>, submits: Vec<Vec<(&str, Cells)>>) -> Done {
        self.write_to(self.open("array", 1, Some(time))?, layout, region, submits)
    }

    fn write_to(&self, array: u64, layout: u64, region: Option<[i32; 4]>, submits: Vec<Vec<(&str, Cells)>>) -> Done {
        let ctx = self.ctx;
        let query = self.hold("query", &[array, 1])?;
        ctx.call("query_set_layout", &[query, layout])?;
        if let Some(region) = region {
            let (subarray, ends) = (self.hold("subarray", &[array])?, region.map(i32::to_le_bytes).concat());
            ctx.call("subarray_set_subarray", &[subarray, bytes(&ends)])?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
        }
        for columns in submits {
            let mut columns: Vec<Column> =
                columns.into_iter().map(|(name, cells)| Column::filled(name, cells)).collect();
            columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
            ctx.call("query_submit", &[query])?;
        }
        ctx.call("query_finalize", &[query])?;
        committed();
        Ok(())
    }

    pub fn write_dense(&self, time: u64) -> Done {
        let first = time as i32 % 3;
        let cells = || (0..36).map(|cell| 100 * time as i32 + cell);
        let region = [first, first + 5, 2 - first, 7 - first];
        self.write(0, time, Some(region), vec![vec![("a", numbers(cells())), ("s", words(cells()))]])
    }

    fn columns(x: i32, time: u64) -> Vec<(&'static str, Cells)> {
        let cells = || (0..8).map(|y| 100 * time as i32 + y);
        vec![("x", numbers((0..8).map(|_| x))), ("y", numbers(0..8)), ("a", numbers(cells())), ("s", words(cells()))]
    }

    pub fn write_sparse(&self, time: u64) -> Done {
        self.write(3, time, None, vec![Self::columns(time as i32 % 8, time)])
    }

    /// A write whose context maintains the array afterwards.
    fn write_and_maintain(&self) -> Done {
        let (ctx, uri) = (self.ctx, text(&self.uri("array")));
        let array = self.hold("array", &[pointer(&uri)])?;
        ctx.call("array_set_config", &[array, self.maintenance()?])?;
        ctx.call("array_set_open_timestamp_end", &[array, 20])?;
        ctx.call("array_open", &[array, 1])?;
        self.write_to(array, 3, None, vec![Self::columns(4, 20)])
    }

    fn write_global(&self, time: u64) -> Done {
        let part = |x: i32, y: i32| {
            let (rows, cells) = (|| x..x + 4, move || (0..16).map(move |cell| 100 * x + 10 * y + cell));
            let coordinates = move || rows().flat_map(move |x| (y..y + 4).map(move |y| (x, y)));
            vec![
                ("x", numbers(coordinates().map(|at| at.0))),
                ("y", numbers(coordinates().map(|at| at.1))),
                ("a", numbers(cells())),
                ("s", words(cells())),
            ]
        };
        self.write(2, time, None, vec![part(0, 0), part(0, 4), part(4, 0), part(4, 4)])
    }

    pub fn delete_cells(&self) -> Done {
        self.delete_cells_at(20)
    }

    /// Deletes one cell of the first fragment.
    fn delete_cells_at(&self, time: u64) -> Done {
        let ctx = self.ctx;
        let array = self.open("array", 2, Some(time))?;
        let (query, condition) = (self.hold("query", &[array, 2])?, self.hold("query_condition", &[])?);
        let value = 104i32.to_le_bytes();
        ctx.call("query_condition_init", &[condition, pointer(&text("a")), bytes(&value), 4, 2])?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.call("query_submit", &[query])?;
        committed();
        Ok(())
    }

    fn put(&self, kind: &str, handle: u64, keys: &[&str]) -> Done {
        for key in keys {
            let (key, value) = (text(key), 7i32.to_le_bytes());
            self.ctx.call(&format!("{kind}_put_metadata"), &[handle, pointer(&key), 0, 1, bytes(&value)])?;
        }
        Ok(())
    }

    pub fn put_metadata(&self, kind: &str, time: u64, keys: &[&str]) -> Done {
        if kind == "group" {
            return self.in_group(|group| self.put("group", group, keys));
        }
        let array = self.open("array", 1, Some(time))?;
        self.put("array", array, keys)?;
        self.ctx.call("array_close", &[array])?;
        committed();
        Ok(())
    }

    pub fn with_metadata(&self) -> Done {
        self.sparse(1)?;
        let put = |time| self.put_metadata("array", time, &["old", ["one", "two", "three"][time as usize % 3]]);
        (1..=3 * scale()).try_for_each(put)
    }

    pub fn evolve(&self) -> Done {
        let ctx = self.ctx;
        let (evolution, uri) = (self.hold("array_schema_evolution", &[])?, text(&self.uri("array")));
        let attribute = self.hold("attribute", &[pointer(&text("b")), 0])?;
        ctx.call("array_schema_evolution_add_attribute", &[evolution, attribute])?;
        ctx.call("array_evolve", &[pointer(&uri), evolution])?;
        committed();
        Ok(())
    }

    fn delete_fragments(&self) -> Done {
        let uri = text(&self.uri("array"));
        self.ctx.call("array_delete_fragments_v2", &[pointer(&uri), 2, 2])?;
        committed();
        Ok(())
    }

    pub fn config(&self, settings: &[(&str, &str)]) -> Result<u64, Failure> {
        let (mut config, mut error) = (0u64, 0u64);
        self.ctx.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
        self.handles.borrow_mut().push(("config", config));
        for (key, value) in settings {
            self.ctx.api.raw("config_set", &[config, pointer(&text(key)), pointer(&text(value)), address(&mut error)]);
        }
        Ok(config)
    }

    pub fn consolidate(&self, mode: &str) -> Done {
        let (config, uri) = (self.config(&[("sm.consolidation.mode", mode)])?, text(&self.uri("array")));
        self.ctx.call("array_consolidate", &[pointer(&uri), config])?;
        committed();
        Ok(())
    }

    /// An array with fragments before and after two delete commits.
    fn deletes(&self) -> Done {
        self.sparse(3)?;
        self.delete_cells_at(4)?;
        (5..=6).try_for_each(|time| self.write_sparse(time))?;
        self.delete_cells_at(7)
    }

    /// An array that allows duplicates.
    fn duplicates(&self, fragments: u64) -> Done {
        let (schema, uri) = (self.schema(false)?, text(&self.uri("array")));
        self.ctx.call("array_schema_set_allows_dups", &[schema, 1])?;
        self.ctx.call("array_create", &[pointer(&uri), schema])?;
        (1..=fragments).try_for_each(|time| self.write_sparse(time))
    }

    /// A configuration with small bounds.
    fn maintenance(&self) -> Result<u64, Failure> {
        // Requests to a server take longer, and are repeated.
        let lease = match self.folder.contains("://") {
            true => 5000,
            false if clock::is_simulated() => clock::LEASE,
            false => 400,
        };
        self.config(&[
            ("sm.maintenance.after_write", "true"),
            ("sm.maintenance.max_fragments", "2"),
            ("sm.maintenance.max_commits", "1"),
            ("sm.maintenance.max_fragment_metadata", "1"),
            ("sm.maintenance.retention_ms", "0"),
            ("sm.maintenance.lease_ms", &lease.to_string()),
        ])
    }

    /// Maintains the array by policy, as soon as the lease of a killed maintainer has expired.
    fn maintain(&self) -> Done {
        for attempt in 0.. {
            if self.attempt_to_maintain()? {
                break;
            }
            // By a simulated clock, the lease has expired twice over after so many attempts; those in stores are longer.
            let wait = Duration::from_millis(clock::LEASE / 10);
            let attempts = if self.folder.contains("://") { 300 } else { 40 };
            assert!(attempt < attempts, "the lease does not expire");
            if !clock::wait(wait) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        committed();
        Ok(())
    }

    /// Maintains the array by policy. False if another maintainer holds the lease.
    pub fn attempt_to_maintain(&self) -> Result<bool, Failure> {
        let (config, uri) = (self.maintenance()?, text(&self.uri("array")));
        match self.ctx.call("rs_array_maintain", &[pointer(&uri), config, 0, 0, 0]) {
            Err(failure) if failure.text.contains("another maintainer holds the lease") => Ok(false),
            maintained => maintained.map(|()| true),
        }
    }

    pub fn consolidated(&self, mode: &str) -> Done {
        self.sparse(4 * scale())?;
        self.consolidate(mode)
    }

    fn consolidated_again(&self) -> Done {
        self.consolidated("fragment_meta")?;
        self.write_sparse(4 * scale() + 1)?;
        self.consolidate("fragment_meta")
    }

    fn consolidated_dense(&self) -> Done {
        self.dense(4 * scale())?;
        self.consolidate("fragments")
    }

    fn consolidated_metadata(&self) -> Done {
        self.with_metadata()?;
        self.consolidate("array_meta")
    }

    pub fn vacuum(&self, mode: &str) -> Done {
        let (config, uri) = (self.config(&[("sm.vacuum.mode", mode)])?, text(&self.uri("array")));
        self.ctx.call("array_vacuum", &[pointer(&uri), config])?;
        committed();
        Ok(())
    }

    fn in_group(&self, change: impl FnOnce(u64) -> Done) -> Done {
        let group = self.hold("group", &[pointer(&text(&self.uri("group")))])?;
        self.ctx.call("group_open", &[group, 1])?;
        change(group)?;
        self.ctx.call("group_close", &[group])?;
        committed();
        Ok(())
    }

    fn add(&self, group: u64, name: &str) -> Done {
        let (uri, name) = (text(&self.uri("array")), text(name));
        self.ctx.call("group_add_member", &[group, pointer(&uri), 0, pointer(&name)])
    }

    pub fn group(&self) -> Done {
        self.dense(1)?;
        self.create_group()?;
        self.in_group(|group| self.add(group, "first"))
    }

    fn change_group(&self) -> Done {
        self.in_group(|group| {
            self.add(group, "second")?;
            self.add(group, "third")?;
            self.ctx.call("group_remove_member", &[group, pointer(&text("first"))])
        })
    }
}
