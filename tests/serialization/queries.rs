//! Queries: samples are deserialized, invalid ones are rejected, and writes are transferred between the libraries.

use std::cell::RefCell;

use serde_json::{Value, json};

use crate::world::{READ, WRITE, World, folder, sample};
use support::library_process::{self, LibraryProcess};
use support::messages::{CAPNP, on_server};
use support::{Api, Array, Cells, Column, Ctx, Failure, address};

/// `TILEDB_ROW_MAJOR`, `TILEDB_GLOBAL_ORDER` and `TILEDB_UNORDERED`.
const LAYOUTS: [u64; 3] = [0, 2, 3];

/// The samples of requests, with the name of the array that each is about.
fn requests() -> Vec<(String, &'static str)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let requests = files.filter(|file| file.starts_with("query-") && file.ends_with("-request.capnp"));
    requests.map(|file| (file.clone(), if file.contains("dense") { "dense" } else { "sparse" })).collect()
}

/// Samples are read, written again, and read by another library.
pub fn samples(world: &World<'_>, mut other: Option<&mut LibraryProcess>) {
    let requests = requests();
    assert!(requests.len() >= 8, "{}", requests.len());
    for (file, array) in requests {
        let again = on_server(world.ctx, &world.uri(array), &sample(&file), |query| {
            world.ctx.messages("serialize_query", &[query, CAPNP, 1])
        });
        let again = again.unwrap_or_else(|why| panic!("{file}: {why:?}"));
        if let Some(other) = other.as_deref_mut() {
            let read = other.read(&json!(["query", array, again])).unwrap();
            library_process::to_result(&read).unwrap_or_else(|why| panic!("{file} of ours: {why}"));
        }
    }
}

/// Reads the message of a query of an array.
pub fn read(world: &World<'_>, array: &str, message: &[u8]) -> Result<Value, Failure> {
    on_server(world.ctx, &world.uri(array), message, |_| Ok(Value::Null))
}

/// A read whose buffers were not set is refused when it is submitted.
pub fn without_buffers(world: &World<'_>) {
    let request = sample("query-dense-read-request.capnp");
    let submitted =
        on_server(world.ctx, &world.uri("dense"), &request, |query| world.ctx.call("query_submit", &[query]));
    let failure = submitted.expect_err("buffers that are nowhere");
    assert!(failure.text.contains("that a message asked for is not set"), "{failure:?}");
}

/// Samples that were cut or changed end in a query or an error.
pub fn bad(world: &World<'_>) {
    let mut refused = 0;
    for (file, array) in requests() {
        let whole = sample(&file);
        let step = (whole.len() / 40).max(1);
        for at in (0..whole.len()).step_by(step) {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            for bytes in [&whole[..at], &changed] {
                refused += usize::from(on_server(world.ctx, &world.uri(array), bytes, |_| Ok(())).is_err());
            }
        }
    }
    assert!(refused > 300, "{refused}");
}

/// Cells of the sparse array from number `from` on.
fn cells(from: u64, count: u64) -> Vec<Column> {
    let numbers = from..from + count;
    let words = |f: fn(u64) -> u64| numbers.clone().flat_map(|number| f(number).to_le_bytes()).collect::<Vec<u8>>();
    let plain = |data| Cells { data, offsets: None, validity: None };
    let texts = Cells {
        data: numbers.clone().map(|number| b'a' + number as u8).collect(),
        offsets: Some((0..count).collect()),
        validity: None,
    };
    vec![
        Column::filled("x", plain(words(|number| number))),
        Column::filled("y", texts),
        Column::filled("v", plain(words(|number| number * 7))),
        Column::filled("color", plain(numbers.clone().map(|number| number as u8).collect())),
    ]
}

/// Receives a query as a message, calls a function of it, and returns the message of the response.
pub fn submit(ctx: &Ctx<'_>, uri: &str, request: &[u8], function: &str) -> Result<Vec<u8>, Failure> {
    on_server(ctx, uri, request, |query| {
        ctx.call(function, &[query])?;
        ctx.messages("serialize_query", &[query, CAPNP, 0])
    })
}

/// Who receives a query: a context of the client's library, or another library.
#[derive(Clone, Copy)]
enum Server<'a> {
    Own(&'a Ctx<'a>),
    Other(&'a RefCell<LibraryProcess>),
}

impl Server<'_> {
    fn submit(self, uri: &str, request: &[u8], function: &str) -> Result<Vec<u8>, String> {
        match self {
            Server::Own(ctx) => submit(ctx, uri, request, function).map_err(|failure| format!("{failure:?}")),
            Server::Other(process) => {
                let response = process.borrow_mut().read_once(&json!(["submit", uri, request, function]))?;
                Ok(serde_json::from_value(library_process::to_result(&response)?).unwrap())
            }
        }
    }
}

/// Writes of one library are submitted by itself, by another one, and by both in turn; what was written is there for both.
///
/// # Errors
/// How the process of the other one died.
pub fn writes(api: &Api, other: LibraryProcess) -> Result<(), String> {
    let other = RefCell::new(other);
    let own = World::new(api);
    for (number, servers) in
        [&[Server::Own(own.ctx)][..], &[Server::Other(&other)], &[Server::Own(own.ctx), Server::Other(&other)]]
            .into_iter()
            .enumerate()
    {
        let client = World::new(api);
        for (layout, from) in [(LAYOUTS[1], 0), (LAYOUTS[2], 10)] {
            let uri = client.uri("sparse");
            write(&client, servers, &uri, layout, from)?;
            let counts = [json!(count(client.ctx, &uri, from)), other.borrow_mut().read(&json!(["count", uri, from]))?];
            assert_eq!(counts, [6, 6], "servers {number}, layout {layout}");
        }
    }
    Ok(())
}

fn write(client: &World<'_>, servers: &[Server<'_>], uri: &str, layout: u64, from: u64) -> Result<(), String> {
    let (ctx, array) = (client.ctx, client.array("sparse", WRITE));
    let query = ctx.get("query_alloc", &[array.handle, WRITE]).unwrap();
    ctx.call("query_set_layout", &[query, layout]).unwrap();
    let mut turn = servers.iter().cycle();
    let mut cross = |function: &str| {
        let request = ctx.messages("serialize_query", &[query, CAPNP, 1]).unwrap();
        let response = turn.next().unwrap().submit(uri, &request, function)?;
        let response = ctx.buffer(&response);
        ctx.call("deserialize_query", &[response.handle, CAPNP, 1, query]).map_err(|failure| format!("{failure:?}"))
    };
    // Three cells fill a tile.
    let parts = if layout == LAYOUTS[1] { vec![(from, 3), (from + 3, 3)] } else { vec![(from, 6)] };
    let mut submits: Vec<Vec<Column>> = parts.into_iter().map(|(from, count)| cells(from, count)).collect();
    for columns in &mut submits {
        columns.iter_mut().for_each(|column| column.bind(ctx, query).unwrap());
        cross("query_submit")?;
    }
    if layout == LAYOUTS[1] {
        cross("query_finalize")?;
    }
    let mut fragments = 0u32;
    ctx.call("query_get_fragment_num", &[query, address(&mut fragments)]).unwrap();
    assert_eq!(fragments, 1);
    ctx.free("query", query);
    Ok(())
}

/// How many cells there are between `from` and `from + 9`, with the values that were written.
pub fn count(ctx: &Ctx<'_>, uri: &str, from: u64) -> usize {
    let array = Array::open(ctx, uri, READ, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, READ]).unwrap();
    ctx.call("query_set_layout", &[query, LAYOUTS[2]]).unwrap();
    let mut columns = [Column::with_capacity("x", 800, None, None), Column::with_capacity("v", 800, None, None)];
    columns.iter_mut().for_each(|column| column.bind(ctx, query).unwrap());
    ctx.call("query_submit", &[query]).unwrap();
    ctx.free("query", query);
    let [x, v] = columns.map(|column| column.result().split(8));
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let pairs = x.iter().zip(&v).map(|((x, _), (v, _))| (number(x), number(v)));
    pairs.filter(|(x, v)| (from..from + 10).contains(x) && *v == 7 * x).count()
}
