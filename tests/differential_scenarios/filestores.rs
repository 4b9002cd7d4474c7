//! Filestores: the default schema for a file, imports, metadata and exports.

use std::path::Path;

use crate::Scenario;
use crate::world::{World, peek};
use support::{Array, Ctx, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("filestore_schemas", schemas),
    ("filestore_files", files),
    ("filestore_buffers", buffers),
    ("filestore_refused", refused),
];

fn content(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(i) / 5 + i / 300) as u8).collect()
}

/// Creates a filestore for a file, which need not hold all its bytes.
fn create(world: &World<'_>, ctx: &Ctx<'_>, name: &str, file: Option<&str>) {
    let (uri, file) = (text(&world.uri(name)), file.map(|file| text(&world.uri(file))));
    let file = file.as_deref().map_or(0, pointer);
    let made = ctx.get("filestore_schema_create", &[file]).and_then(|schema| {
        let dump = ctx.get("array_schema_dump_str", &[schema]).unwrap();
        let dump = ctx.take_string(dump).unwrap();
        let created = ctx.call("array_create", &[pointer(&uri), schema]);
        ctx.free("array_schema", schema);
        created.map(|()| dump)
    });
    world.tell(&format!("create {name} {}", made.clone().unwrap_or_default()), made);
}

/// Metadata and size of the file, and the fragments.
fn show(world: &World<'_>, ctx: &Ctx<'_>, name: &str) {
    let array = Array::open(ctx, &world.uri(name), 0, None, None).unwrap();
    for number in 0..ctx.get("array_get_metadata_num", &[array.handle]).unwrap() {
        let (mut key, mut length, mut kind, mut count, mut at) = (0u64, 0u64, 0u64, 0u64, 0u64);
        let out = [address(&mut key), address(&mut length), address(&mut kind), address(&mut count), address(&mut at)];
        ctx.call("array_get_metadata_from_index", &[&[array.handle, number], &out[..]].concat()).unwrap();
        let size = if at == 0 { 0 } else { ctx.api.raw("datatype_size", &[kind]) as u64 * count };
        let bytes = |from: u64, size: u64| (0..size).map(|i| peek(from + i)).collect::<Vec<u8>>();
        let (key, value) = (bytes(key, length), bytes(at, size));
        world.say(&format!("  {} {kind} {count} {}", key.escape_ascii(), value.escape_ascii()));
    }
    let uri = text(&world.uri(name));
    let size = ctx.get("filestore_size", &[pointer(&uri)]);
    world.tell(&format!("{name} size {:?}", size.as_ref().ok()), size);
    let mut fragments: Vec<_> = std::fs::read_dir(Path::new(&world.uri(name)).join("__fragments"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    fragments.sort();
    for fragment in fragments {
        let data = std::fs::read(fragment.join("a0.tdb")).unwrap();
        let sum = data.iter().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
        world.say(&format!("  data {} {sum}", data.len()));
    }
}

fn part(world: &World<'_>, ctx: &Ctx<'_>, name: &str, offset: u64, count: u64) {
    let uri = text(&world.uri(name));
    let mut room = vec![b'#'; count as usize + 4];
    let exported = ctx.call("filestore_buffer_export", &[pointer(&uri), offset, room.as_mut_ptr() as u64, count]);
    let sum = room.iter().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()));
    world.tell(&format!("{count} bytes from {offset}: {}", if exported.is_ok() { sum } else { 0 }), exported);
}

fn schemas(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let mib = 1u64 << 20;
    for size in [0, 1, 1024, mib, mib + 1, 100 * mib, 100 * mib + 1, 1024 * mib, 1024 * mib + 1, 20 << 30] {
        let file = std::fs::File::create(world.uri("sparse")).unwrap();
        file.set_len(size).unwrap();
        create(world, &ctx, &format!("for_{size}"), Some("sparse"));
    }
    create(world, &ctx, "for_none", None);
    create(world, &ctx, "for_missing", Some("missing"));
}

fn files(world: &mut World<'_>) {
    for (len, config) in
        [(1, ""), (10, ""), (1024, ""), (1025, ""), (5000, "2048"), ((1 << 20) + 1, ""), (3_000_000, "1000000")]
    {
        let config: &[_] = if config.is_empty() { &[] } else { &[("filestore.buffer_size", config)] };
        let ctx = world.api.context(config);
        let (array, copy) = (format!("a{len}"), world.uri("copy"));
        std::fs::write(world.uri("some.file.txt"), content(len)).unwrap();
        create(world, &ctx, &array, Some("some.file.txt"));
        let (uri, file, copy_uri) = (text(&world.uri(&array)), text(&world.uri("some.file.txt")), text(&copy));
        let imported = ctx.call("filestore_uri_import", &[pointer(&uri), pointer(&file), 0]);
        world.tell("import", imported);
        show(world, &ctx, &array);
        let exported = ctx.call("filestore_uri_export", &[pointer(&copy_uri), pointer(&uri)]);
        world.tell("export", exported);
        world.say(&format!("the same: {}", std::fs::read(&copy).unwrap() == content(len)));
        let len = len as u64;
        for (offset, count) in [(0, len), (len - 1, 1), (len / 3, len / 3 + 1), (0, len + 1), (len + 1, 1)] {
            part(world, &ctx, &array, offset, count);
        }
    }
    // A larger file in the array of a small one, then an empty one.
    let ctx = world.api.context(&[]);
    let array = text(&world.uri("a10"));
    for len in [2_000_000, 0] {
        std::fs::write(world.uri("other.b"), content(len)).unwrap();
        let file = text(&world.uri("other.b"));
        world.tell("import", ctx.call("filestore_uri_import", &[pointer(&array), pointer(&file), 2]));
        show(world, &ctx, "a10");
    }
    // What ours wrote, the other reads.
    let ours = world.ours.context(&[]);
    std::fs::write(world.uri("other.c"), content(70_000)).unwrap();
    let file = text(&world.uri("other.c"));
    ours.call("filestore_uri_import", &[pointer(&array), pointer(&file), 1]).unwrap();
    show(world, &ctx, "a10");
    part(world, &ctx, "a10", 3, 69_000);
}

fn buffers(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "b", None);
    let uri = text(&world.uri("b"));
    for (len, mime) in [(11, 0), (3, 1), (0, 0), (1024, 2), (4000, 0), (5, 3)] {
        let bytes = content(len);
        let room = if len == 0 { vec![0] } else { bytes };
        let imported = ctx.call("filestore_buffer_import", &[pointer(&uri), room.as_ptr() as u64, len as u64, mime]);
        world.tell(&format!("import {len} {mime}"), imported);
        show(world, &ctx, "b");
        part(world, &ctx, "b", 0, 3);
        part(world, &ctx, "b", 2, 1);
        part(world, &ctx, "b", 0, len as u64 + 1);
    }
}

fn refused(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "e", None);
    std::fs::write(world.uri("file"), "text").unwrap();
    let [array, none, file, missing] = ["e", "none", "file", "missing"].map(|name| text(&world.uri(name)));
    let [array, none, file, missing] = [&array, &none, &file, &missing].map(|text| pointer(text));
    let mut out = 0u64;
    let at = address(&mut out);
    for (function, arguments) in [
        ("filestore_uri_import", &[array, missing, 0][..]),
        ("filestore_uri_import", &[none, file, 0]),
        ("filestore_uri_import", &[0, file, 0]),
        ("filestore_uri_import", &[array, 0, 0]),
        ("filestore_uri_export", &[missing, none]),
        ("filestore_uri_export", &[0, array]),
        ("filestore_uri_export", &[missing, 0]),
        ("filestore_buffer_import", &[0, at, 1, 0]),
        ("filestore_buffer_import", &[array, 0, 1, 0]),
        ("filestore_buffer_import", &[array, 0, 0, 0]),
        ("filestore_buffer_import", &[none, at, 1, 0]),
        ("filestore_buffer_import", &[array, at, 1, 7]),
        ("filestore_buffer_export", &[0, 0, at, 1]),
        ("filestore_buffer_export", &[array, 0, 0, 1]),
        ("filestore_buffer_export", &[none, 0, at, 1]),
        ("filestore_size", &[0, at]),
        ("filestore_size", &[array, 0]),
        ("filestore_size", &[none, at]),
    ] {
        world.tell(function, ctx.call(function, arguments));
    }
    // Nothing was stored yet; the words of the reference do not help then.
    world.tell("size", ctx.call("filestore_size", &[array, at]));
    world.tell("part", ctx.call("filestore_buffer_export", &[array, 0, at, 1]));
    world.tell("export", ctx.call("filestore_uri_export", &[missing, array]));
    world.say(&format!("{}", Path::new(&world.uri("missing")).exists()));
}
