//! Queries: samples are deserialized, invalid ones are rejected, and writes are transferred between the libraries.

use crate::support::messages::{CAPNP, cross, on_server};
use crate::support::{Cells, Column, Failure, address};
use crate::world::{READ, WRITE, World, folder, sample};

/// `TILEDB_ROW_MAJOR`, `TILEDB_GLOBAL_ORDER` and `TILEDB_UNORDERED`.
const LAYOUTS: [u64; 3] = [0, 2, 3];

/// The samples of requests, with the name of the array that each is about.
fn requests() -> Vec<(String, &'static str)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let requests = files.filter(|file| file.starts_with("query-") && file.ends_with("-request.capnp"));
    requests.map(|file| (file.clone(), if file.contains("dense") { "dense" } else { "sparse" })).collect()
}

/// Samples are read, written again, and read by `judge`.
pub fn samples(world: &World<'_>, judge: Option<&World<'_>>) {
    let requests = requests();
    assert!(requests.len() >= 8, "{}", requests.len());
    for (file, array) in requests {
        let again = on_server(world.ctx, &world.uri(array), &sample(&file), |query| {
            world.ctx.messages("serialize_query", &[query, CAPNP, 1])
        });
        let again = again.unwrap_or_else(|why| panic!("{file}: {why:?}"));
        if let Some(judge) = judge {
            let read = on_server(judge.ctx, &judge.uri(array), &again, |_| Ok(()));
            read.unwrap_or_else(|why| panic!("{file} of ours: {why:?}"));
        }
    }
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

/// Writes of one library are submitted by others, each submit by the next; what was written is there for both.
pub fn writes<'a>(clients: &[&World<'a>], servers: &[&World<'a>]) {
    for (number, client) in clients.iter().enumerate() {
        for layout in [LAYOUTS[1], LAYOUTS[2]] {
            let uri = client.uri("sparse");
            let from = 20 * number as u64 + 10 * u64::from(layout == LAYOUTS[2]);
            write(client, servers, &uri, layout, from).unwrap_or_else(|why| panic!("{number} {layout}: {why:?}"));
            for reader in clients {
                assert_eq!(count(reader, &uri, from), 6, "client {number}, layout {layout}");
            }
        }
    }
}

fn write(client: &World<'_>, servers: &[&World<'_>], uri: &str, layout: u64, from: u64) -> Result<(), Failure> {
    let array = client.array("sparse", WRITE);
    let query = client.ctx.get("query_alloc", &[array.handle, WRITE])?;
    client.ctx.call("query_set_layout", &[query, layout])?;
    let mut turn = servers.iter().cycle();
    // Three cells fill a tile.
    let parts = if layout == LAYOUTS[1] { vec![(from, 3), (from + 3, 3)] } else { vec![(from, 6)] };
    let mut kept: Vec<Vec<Column>> = parts.into_iter().map(|(from, count)| cells(from, count)).collect();
    for columns in &mut kept {
        columns.iter_mut().try_for_each(|column| column.bind(client.ctx, query))?;
        let server = turn.next().unwrap().ctx;
        cross(client.ctx, query, server, uri, |there| server.call("query_submit", &[there]))?;
    }
    if layout == LAYOUTS[1] {
        let server = turn.next().unwrap().ctx;
        cross(client.ctx, query, server, uri, |there| server.call("query_finalize", &[there]))?;
    }
    let mut fragments = 0u32;
    client.ctx.call("query_get_fragment_num", &[query, address(&mut fragments)])?;
    assert_eq!(fragments, 1);
    client.ctx.free("query", query);
    Ok(())
}

/// How many cells there are between `from` and `from + 9`, with the values that were written.
fn count(world: &World<'_>, uri: &str, from: u64) -> usize {
    let array = crate::support::Array::open(world.ctx, uri, READ, None, None).unwrap();
    let query = world.ctx.get("query_alloc", &[array.handle, READ]).unwrap();
    world.ctx.call("query_set_layout", &[query, LAYOUTS[2]]).unwrap();
    let mut columns = [Column::with_capacity("x", 800, None, None), Column::with_capacity("v", 800, None, None)];
    columns.iter_mut().for_each(|column| column.bind(world.ctx, query).unwrap());
    world.ctx.call("query_submit", &[query]).unwrap();
    world.ctx.free("query", query);
    let [x, v] = columns.map(|column| column.result().split(8));
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let pairs = x.iter().zip(&v).map(|((x, _), (v, _))| (number(x), number(v)));
    pairs.filter(|(x, v)| (from..from + 10).contains(x) && *v == 7 * x).count()
}
