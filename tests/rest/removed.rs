//! The functions that libtiledb 2.30 removed, on a server: they return what they return of the same array or group in a folder.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use super::session::{READ, Session, StepResult, UNORDERED, uri};
use support::servers::http::Server;
use support::servers::rest::Tables;
use support::{Api, Array, Column, Ctx, Failure, address, pointer, text};

/// No other test has an array of this name, which is opened exclusively, open in this process.
const SPARSE: &str = "removed";
const EXCLUSIVE: u64 = 4;
const COMPLETED: u32 = 1;
const FAILED: u32 = 0xffff_ffff;

/// A text that the caller frees with `free()`.
fn owned(at: u64) -> String {
    let at = at as *mut c_char;
    let text = unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned();
    unsafe { libc::free(at.cast::<c_void>()) };
    text
}

/// Makes a query of the sparse array, adds ranges by `select`, and reads by `submit`.
fn read(
    ctx: &Ctx<'_>,
    uri: &str,
    select: impl Fn(u64) -> Result<(), Failure>,
    submit: impl Fn(u64) -> Result<(), Failure>,
) -> StepResult {
    let array = Array::open(ctx, uri, READ, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, READ])?;
    let mut column = Column::with_capacity("x", 400, None, None);
    let done = ctx.call("query_set_layout", &[query, UNORDERED]).and_then(|()| {
        select(query)?;
        column.bind(ctx, query)?;
        submit(query)?;
        ranges(ctx, query)
    });
    ctx.free("query", query);
    let ranges = done?;
    let mut cells: Vec<i32> =
        column.result().data.chunks_exact(4).map(|cell| i32::from_le_bytes(cell.try_into().unwrap())).collect();
    cells.sort_unstable();
    Ok(format!("{ranges} {cells:?}"))
}

/// The ranges of a query, by number and by name.
fn ranges(ctx: &Ctx<'_>, query: u64) -> StepResult {
    let x = text("x");
    let (by_number, by_name) = (
        ctx.get("query_get_range_num", &[query, 0])?,
        ctx.get("query_get_range_num_from_name", &[query, pointer(&x)])?,
    );
    let mut ranges = format!("{by_number} {by_name}");
    for (function, dimension) in [("query_get_range", 0), ("query_get_range_from_name", pointer(&x))] {
        for number in 0..by_number {
            let mut ends = [0u64; 3];
            let [low, high, stride] = &mut ends;
            ctx.call(function, &[query, dimension, number, address(low), address(high), address(stride)])?;
            let [low, high] = [ends[0], ends[1]].map(|at| unsafe { (at as *const i32).read_unaligned() });
            ranges += &format!(" [{low}, {high}]");
        }
    }
    Ok(ranges)
}

/// Runs a query on a thread of its own, and waits until its status says that it has ended.
fn submit_async(ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
    ctx.call("query_submit_async", &[query, 0, 0])?;
    loop {
        match ctx.get("query_get_status", &[query])? as u32 {
            COMPLETED => return Ok(()),
            FAILED => return Err(ctx.api.failure("query_submit_async", -1, ctx.last_error())),
            _ => std::thread::yield_now(),
        }
    }
}

/// What the functions that change nothing return.
fn answers(ctx: &Ctx<'_>, uri: impl Fn(&str) -> String) -> Vec<(&'static str, StepResult)> {
    let sparse = uri(SPARSE);
    let submit = |query| ctx.call("query_submit", &[query]);
    let (low, high, x, d) = ([1i32, 3], [2i32, 7], text("x"), text("d"));
    let end = |ends: &[i32; 2], number: usize| (&raw const ends[number]) as u64;
    let by_number =
        |query| (0..2).try_for_each(|i| ctx.call("query_add_range", &[query, 0, end(&low, i), end(&high, i), 0]));
    let by_name = |query| ctx.call("query_add_range_by_name", &[query, pointer(&x), end(&low, 1), end(&high, 1), 0]);
    let points = |query| ctx.call("query_add_point_ranges", &[query, 0, low.as_ptr() as u64, 2]);
    let subarray = |query| ctx.call("query_set_subarray", &[query, high.as_ptr() as u64]);
    let group = |act: &dyn Fn(u64) -> StepResult| {
        let at = text(&uri("g"));
        let group = ctx.get("group_alloc", &[pointer(&at)])?;
        let result = ctx.call("group_open", &[group, READ]).and_then(|()| act(group));
        ctx.free("group", group);
        result
    };
    vec![
        ("schema", {
            let at = text(&sparse);
            ctx.get("array_schema_load_with_key", &[pointer(&at), 0, 0, 0]).and_then(|schema| dumped(ctx, schema))
        }),
        ("ranges", read(ctx, &sparse, by_number, submit)),
        ("ranges by name", read(ctx, &sparse, by_name, submit)),
        ("points", read(ctx, &sparse, points, submit)),
        ("subarray", read(ctx, &sparse, subarray, submit)),
        ("asynchronous", read(ctx, &sparse, by_number, |query| submit_async(ctx, query))),
        ("fragment name", {
            let at = text(&sparse);
            ctx.get("fragment_info_alloc", &[pointer(&at)]).and_then(|info| {
                ctx.call("fragment_info_load", &[info])?;
                let name = ctx.get("fragment_info_get_fragment_name", &[info, 0]).map(support::borrowed);
                ctx.free("fragment_info", info);
                name
            })
        }),
        ("member by index", group(&|group| member(ctx, "group_get_member_by_index", group, 0))),
        ("member by name", group(&|group| member(ctx, "group_get_member_by_name", group, pointer(&d)))),
        ("no member", group(&|group| member(ctx, "group_get_member_by_index", group, 7).or_else(refused))),
        (
            "dump",
            group(&|group| {
                let mut at = 0u64;
                ctx.call("group_dump_str", &[group, address(&mut at), 1])?;
                Ok(owned(at))
            }),
        ),
    ]
}

/// The code of a call that is refused.
fn refused(failure: Failure) -> StepResult {
    Ok(format!("refused with {}", failure.code))
}

/// A schema as it is written to a stream; it is freed.
fn dumped(ctx: &Ctx<'_>, schema: u64) -> StepResult {
    let file = unsafe { libc::tmpfile() };
    let done = ctx.call("array_schema_dump", &[schema, file as u64]);
    let mut text = vec![0u8; unsafe { libc::ftell(file) } as usize];
    unsafe {
        libc::rewind(file);
        assert_eq!(libc::fread(text.as_mut_ptr().cast(), 1, text.len(), file), text.len());
        libc::fclose(file);
    }
    ctx.free("array_schema", schema);
    done.map(|()| String::from_utf8(text).unwrap())
}

/// Type and name of a member, and the last component of its URI.
fn member(ctx: &Ctx<'_>, function: &str, group: u64, which: u64) -> StepResult {
    let (mut uri, mut kind, mut name) = (0u64, 0u32, 0u64);
    ctx.call(function, &[group, which, address(&mut uri), address(&mut kind), address(&mut name)])?;
    let name = if function.ends_with("index") { owned(name) } else { String::new() };
    Ok(format!("{} {kind} {name}", owned(uri).rsplit('/').next().unwrap()))
}

/// The arrays and the group, made on the server.
fn fill(session: &Session<'_>) {
    session.create("d", false).unwrap();
    session.create(SPARSE, true).unwrap();
    session.write_dense().unwrap();
    session.write_sparse(SPARSE, &[3, 1, 2], UNORDERED).unwrap();
    session.write_sparse(SPARSE, &[7, 5, 9], UNORDERED).unwrap();
    session.create_group("g").unwrap();
    session.change_group(true, false).unwrap();
}

#[test]
fn removed_functions_on_a_server_return_what_they_return_of_files() {
    let (client, folder) = (Api::ours(), tempfile::tempdir().unwrap());
    let tables = Tables::new(Api::ours(), folder.path());
    let server = Server::start(move |_, request| Some(tables.answer(request)));
    let ctx = client.context(&[("rest.server_address", server.address.as_str()), ("rest.token", "a token")]);
    fill(&Session(&ctx));
    let local = client.context(&[]);
    let file = |name: &str| folder.path().join("ws/ts").join(name).display().to_string();
    let (on_server, in_folder) = (answers(&ctx, uri), answers(&local, file));
    for ((name, on_server), (_, in_folder)) in on_server.into_iter().zip(in_folder) {
        let (on_server, in_folder) = (on_server.unwrap(), in_folder.unwrap());
        // A dump contains the URI of a group and of its members.
        let place = format!("file://{}/", folder.path().join("ws/ts").display());
        assert_eq!(on_server.replace(&uri(""), &place), in_folder, "{name}");
        assert!(!in_folder.is_empty(), "{name}");
    }
    changes(&ctx, &file);
}

/// The functions that change an array, whose effect is seen in its folder.
fn changes(ctx: &Ctx<'_>, file: &dyn Fn(&str) -> String) {
    let fragments = |name: &str| std::fs::read_dir(format!("{}/__fragments", file(name))).unwrap().count();
    let (s, made, key) = (text(&uri(SPARSE)), text(&uri("made")), [7u8; 32]);
    let schema = ctx.get("array_schema_load_with_key", &[pointer(&s), 0, 0, 0]).unwrap();
    ctx.call("array_create_with_key", &[pointer(&made), schema, 0, 0, 0]).unwrap();
    ctx.free("array_schema", schema);
    assert!(Path::new(&file("made")).join("__schema").is_dir());

    assert_eq!(fragments(SPARSE), 2);
    // A key does not fit "not encrypted": refused before anything is sent.
    let wrong = ctx.call("array_consolidate_with_key", &[pointer(&s), 0, key.as_ptr() as u64, 32, 0]);
    assert!(wrong.is_err() && fragments(SPARSE) == 2);
    ctx.call("array_consolidate_with_key", &[pointer(&s), 0, 0, 0, 0]).unwrap();
    assert_eq!(fragments(SPARSE), 3);

    let readable = Array::open(ctx, &uri(SPARSE), READ, None, None).unwrap();
    assert!(ctx.call("array_delete_fragments", &[readable.handle, pointer(&s), 0, u64::MAX]).is_err());
    assert!(ctx.call("array_delete_array", &[readable.handle, pointer(&s)]).is_err());
    drop(readable);
    let exclusive = Array::open(ctx, &uri(SPARSE), EXCLUSIVE, None, None).unwrap();
    ctx.call("array_delete_fragments", &[exclusive.handle, pointer(&s), 0, u64::MAX]).unwrap();
    drop(exclusive);
    let info = ctx.get("fragment_info_alloc", &[pointer(&s)]).unwrap();
    ctx.call("fragment_info_load", &[info]).unwrap();
    assert_eq!(ctx.get("fragment_info_get_fragment_num", &[info]).unwrap() as u32, 0);
    ctx.free("fragment_info", info);

    let exclusive = Array::open(ctx, &uri(SPARSE), EXCLUSIVE, None, None).unwrap();
    ctx.call("array_delete_array", &[exclusive.handle, pointer(&s)]).unwrap();
    drop(exclusive);
    assert_eq!(ctx.get("object_type", &[pointer(&s)]).unwrap() as u32, 0);
}
