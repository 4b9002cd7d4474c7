//! Address-space limits at many sizes: every operation succeeds or returns an error, prints nothing, and succeeds in
//! the same process once the limit is lifted.

use std::path::Path;
use std::process::Command;

use support::{Api, Array, Cells, Column, Ctx, Failure, address, folders, limits, pointer, text};

/// What the program itself allocates between the limit's beginning and end may have to come from the reserve, too.
use tiledb_rs as _;

/// Cells of each fragment.
const CELLS: i32 = 30_000;
const FRAGMENTS: i32 = 3;
const STRING_ASCII: u64 = 11;
const INT64: u64 = 1;
const INT32: u64 = 0;
const ZSTD: u64 = 2;
/// Members of the group, keys of metadata.
const MEMBERS: usize = 300;
const KEYS: usize = 2_000;

type Operation = fn(&mut Work<'_>) -> Result<(), Failure>;

const OPERATIONS: [(&str, Operation); 8] = [
    ("open", |work| Array::open(&work.context()?, work.array(), 0, None, None).map(drop)),
    ("read", |work| work.read(3)),
    ("read_row_major", |work| work.read(0)),
    ("write", |work| work.write()),
    ("consolidate", |work| work.consolidate()),
    ("metadata", |work| work.metadata()),
    ("group", |work| work.group()),
    ("create", |work| work.create()),
];

/// Bytes that a process may take beyond what it has.
fn steps() -> Vec<u64> {
    let fine = (0..16).map(|step| step * (128 << 10));
    let middle = (4..48).map(|step| step * (512 << 10));
    let coarse = (2..22).map(|step| step * (16 << 20));
    let all: Vec<u64> = fine.chain(middle).chain(coarse).collect();
    // A few of each in the gate.
    let every = if std::env::var_os("SWEEP").is_some() { 1 } else { 9 };
    all.into_iter().step_by(every).collect()
}

/// Runs every operation under every limit, each in a process of its own; gives the number of failures.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let mut failed = 0;
    let original = folder.join("array");
    prepare(&Api::ours(), original.to_str().unwrap());
    for (name, _) in OPERATIONS.iter().filter(|(name, _)| "sweep".contains(filter) || name.contains(filter)) {
        let mut tally = [0; 2];
        for limit in steps() {
            let place = folder.join("place");
            let _ = std::fs::remove_dir_all(&place);
            std::fs::create_dir(&place).unwrap();
            folders::copy(&original, &place.join("array"));
            let program = std::env::current_exe().unwrap();
            let output = Command::new(program).args(["--limited", name, &limit.to_string()]).arg(&place).output();
            let output = output.unwrap();
            let said = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() || !output.stderr.is_empty() {
                failed += 1;
                let errors = String::from_utf8_lossy(&output.stderr);
                println!("FAILED {name} with {limit} bytes more: {} {said} {errors}", output.status);
            }
            if std::env::var_os("SHOW").is_some() {
                println!("{name} {limit}: {}", said.trim_end());
            }
            tally[usize::from(said.starts_with("done"))] += 1;
        }
        println!("{name}: {} errors, {} done", tally[0], tally[1]);
        if tally.contains(&0) {
            failed += 1;
            println!("FAILED {name}: the limits reach from too little to enough");
        }
    }
    failed
}

/// The child: one operation with little memory, and again with all of it.
pub fn child(name: &str, limit: &str, place: &str) {
    let operation = OPERATIONS.iter().find(|(own, _)| *own == name).unwrap().1;
    let api = Api::ours();
    let mut work = Work::new(&api, place);
    let before = limits::limit_address_space(limit.parse().unwrap());
    let limited = operation(&mut work);
    limits::set_address_space(before);
    work.again = true;
    let free = operation(&mut work);
    match limited {
        Ok(()) => println!("done"),
        Err(failure) => {
            println!("{} {} {}", failure.function, failure.code, failure.text);
            assert!(failure.code != 0 && (!failure.text.is_empty() || failure.function == "ctx_alloc"));
        }
    }
    free.unwrap();
}

/// What operations need, reserved before the limit is set.
struct Work<'a> {
    api: &'a Api,
    place: String,
    array: String,
    read: [Column; 3],
    write: [Column; 3],
    keys: Vec<String>,
    again: bool,
}

impl<'a> Work<'a> {
    fn new(api: &'a Api, place: &str) -> Work<'a> {
        let buffer = 2 << 20;
        let read = [
            Column::with_capacity("d", buffer, None, None),
            Column::with_capacity("a", buffer, None, None),
            Column::with_capacity("v", buffer, Some(buffer / 8), None),
        ];
        let keys = (0..KEYS).map(|key| format!("a key of the metadata, number {key}")).collect();
        Work {
            api,
            place: place.to_owned(),
            array: format!("{place}/array"),
            read,
            write: columns(7),
            keys,
            again: false,
        }
    }

    fn array(&self) -> &str {
        &self.array
    }

    fn context(&self) -> Result<Ctx<'a>, Failure> {
        let failure = |code: i64| self.api.failure("ctx_alloc", code as i32, String::new());
        let (mut config, mut error, mut handle) = (0u64, 0u64, 0u64);
        let code = self.api.raw("config_alloc", &[address(&mut config), address(&mut error)]);
        if code != 0 {
            return Err(failure(code));
        }
        let (name, value) = (text("sm.compute_concurrency_level"), text("3"));
        self.api.raw("config_set", &[config, pointer(&name), pointer(&value), address(&mut error)]);
        let code = self.api.raw("ctx_alloc", &[config, address(&mut handle)]);
        self.api.raw("config_free", &[address(&mut config)]);
        if code != 0 { Err(failure(code)) } else { Ok(Ctx { api: self.api, handle }) }
    }

    fn read(&mut self, layout: u64) -> Result<(), Failure> {
        let ctx = self.context()?;
        let array = Array::open(&ctx, &self.array, 0, None, None)?;
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        let mut cells = 0;
        let mut run = || {
            ctx.call("query_set_layout", &[query, layout])?;
            loop {
                for column in &mut self.read {
                    let room = [column.data.len(), column.offsets.as_ref().map_or(0, |offsets| offsets.len() * 8), 0];
                    *column.sizes = room.map(|size| size as u64);
                    column.bind(&ctx, query)?;
                }
                ctx.call("query_submit", &[query])?;
                cells += self.read[0].sizes[0] / 4;
                if ctx.get("query_get_status", &[query])? as u32 == 1 {
                    return Ok(());
                }
            }
        };
        let done = run();
        ctx.free("query", query);
        done?;
        assert_eq!(cells, (CELLS * FRAGMENTS) as u64);
        Ok(())
    }

    fn write(&mut self) -> Result<(), Failure> {
        let ctx = self.context()?;
        submit(&ctx, &self.array, &mut self.write)
    }

    fn consolidate(&mut self) -> Result<(), Failure> {
        let ctx = self.context()?;
        ctx.call("array_consolidate", &[pointer(&text(&self.array)), 0])
    }

    fn metadata(&mut self) -> Result<(), Failure> {
        let ctx = self.context()?;
        let array = Array::open(&ctx, &self.array, 1, None, None)?;
        for key in &self.keys {
            let value = key.as_bytes();
            let (length, value) = (value.len() as u64, value.as_ptr() as u64);
            ctx.call("array_put_metadata", &[array.handle, pointer(&text(key)), STRING_ASCII, length, value])?;
        }
        ctx.call("array_close", &[array.handle])?;
        let array = Array::open(&ctx, &self.array, 0, None, None)?;
        let count = ctx.get("array_get_metadata_num", &[array.handle])?;
        assert_eq!(count, KEYS as u64);
        Ok(())
    }

    fn group(&mut self) -> Result<(), Failure> {
        let ctx = self.context()?;
        let uri = text(&format!("{}/group{}", self.place, self.again));
        ctx.call("group_create", &[pointer(&uri)])?;
        let group = ctx.get("group_alloc", &[pointer(&uri)])?;
        let run = || {
            ctx.call("group_open", &[group, 1])?;
            for key in &self.keys[..MEMBERS] {
                let (array, name) = (text(&self.array), text(key));
                ctx.call("group_add_member", &[group, pointer(&array), 0, pointer(&name)])?;
            }
            ctx.call("group_close", &[group])?;
            ctx.call("group_open", &[group, 0])?;
            let count = ctx.get("group_get_member_count", &[group])?;
            assert_eq!(count, MEMBERS as u64);
            ctx.call("group_close", &[group])
        };
        let done = run();
        ctx.free("group", group);
        done
    }

    fn create(&mut self) -> Result<(), Failure> {
        let ctx = self.context()?;
        create(&ctx, &format!("{}/created{}", self.place, self.again))
    }
}

/// The cells of a fragment: every third from `first` on.
fn columns(first: i32) -> [Column; 3] {
    let column = |name, data, offsets| Column::filled(name, Cells { data, offsets, validity: None });
    let (mut starts, mut words) = (Vec::new(), Vec::new());
    for cell in 0..CELLS {
        starts.push(words.len() as u64);
        words.extend_from_slice(format!("v{cell}").as_bytes());
    }
    [
        column("d", (0..CELLS).flat_map(|cell| (cell * FRAGMENTS + first).to_le_bytes()).collect(), None),
        column("a", (0..i64::from(CELLS)).flat_map(i64::to_le_bytes).collect(), None),
        column("v", words, Some(starts)),
    ]
}

fn prepare(api: &Api, uri: &str) {
    let ctx = api.context(&[]);
    create(&ctx, uri).unwrap();
    for first in 0..FRAGMENTS {
        submit(&ctx, uri, &mut columns(first)).unwrap();
    }
}

fn submit(ctx: &Ctx<'_>, uri: &str, columns: &mut [Column]) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, 1, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    let run = || {
        ctx.call("query_set_layout", &[query, 3])?;
        for column in columns {
            column.bind(ctx, query)?;
        }
        ctx.call("query_submit", &[query])
    };
    let done = run();
    ctx.free("query", query);
    done
}

/// A sparse array; handles of steps that fail go with the process.
fn create(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    let (range, extent) = ([0, 10_000_000i32], [10_000i32]);
    let (range, extent) = (range.as_ptr() as u64, extent.as_ptr() as u64);
    let dimension = ctx.get("dimension_alloc", &[pointer(&text("d")), INT32, range, extent])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = ctx.get("array_schema_alloc", &[1])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    let filter = ctx.get("filter_alloc", &[ZSTD])?;
    let list = ctx.get("filter_list_alloc", &[])?;
    ctx.call("filter_list_add_filter", &[list, filter])?;
    ctx.call("array_schema_set_coords_filter_list", &[schema, list])?;
    for (name, datatype) in [("a", INT64), ("v", STRING_ASCII)] {
        let attribute = ctx.get("attribute_alloc", &[pointer(&text(name)), datatype])?;
        if datatype == STRING_ASCII {
            ctx.call("attribute_set_cell_val_num", &[attribute, u64::from(u32::MAX)])?;
        }
        ctx.call("attribute_set_filter_list", &[attribute, list])?;
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        ctx.free("attribute", attribute);
    }
    let created = ctx.call("array_create", &[pointer(&text(uri)), schema]);
    for (kind, handle) in [
        ("filter", filter),
        ("filter_list", list),
        ("dimension", dimension),
        ("domain", domain),
        ("array_schema", schema),
    ] {
        ctx.free(kind, handle);
    }
    created
}
