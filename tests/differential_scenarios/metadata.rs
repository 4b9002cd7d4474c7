//! Array metadata: every datatype, changes over time, access by key and by index, empty and large values.

use crate::Scenario;
use crate::world::{INT32, World, attr, dense, dim, peek};
use support::{Array, Ctx, Failure, address, bytes, text};

pub const SCENARIOS: &[Scenario] = &[
    ("metadata_datatypes", datatypes),
    ("metadata_over_time", over_time),
    ("metadata_odd_keys", odd_keys),
    ("metadata_ten_thousand", ten_thousand),
    ("metadata_refused", refused),
];

/// Number of items that `get_metadata` gives where nothing was written: as it was before.
const UNTOUCHED: u64 = 77;

fn open<'a>(ctx: &'a Ctx<'a>, world: &World<'_>, kind: u64, start: Option<u64>, end: Option<u64>) -> Array<'a> {
    Array::open(ctx, &world.uri("array"), kind, start, end).unwrap()
}

fn create(world: &mut World<'_>) {
    world.create("array", dense(&[dim("d", 1, 4, 2)], &[attr("a", INT32, 1, false)]));
}

fn put(array: &Array<'_>, key: &str, ty: u64, count: u64, value: u64) -> Result<(), Failure> {
    let key = text(key);
    array.ctx.call("array_put_metadata", &[array.handle, key.as_ptr() as u64, ty, count, value])
}

/// A value as text.
fn value(array: &Array<'_>, ty: u64, count: u64, at: u64) -> String {
    let size = array.ctx.api.raw("datatype_size", &[ty]) as u64 * count;
    let bytes: Vec<u8> = if at == 0 { Vec::new() } else { (0..size).map(|i| peek(at + i)).collect() };
    format!("type {ty} count {count} null {} {}", at == 0, bytes.escape_ascii())
}

fn get(array: &Array<'_>, key: &str) -> Result<String, Failure> {
    let (mut ty, mut count, mut at) = (UNTOUCHED, UNTOUCHED, UNTOUCHED);
    let key = text(key);
    let out = [address(&mut ty), address(&mut count), address(&mut at)];
    array.ctx.call("array_get_metadata", &[&[array.handle, key.as_ptr() as u64][..], &out].concat())?;
    if at == 0 && count == UNTOUCHED {
        return Ok("nothing".to_owned());
    }
    Ok(value(array, ty & 0xffff_ffff, count & 0xffff_ffff, at))
}

fn has(array: &Array<'_>, key: &str) -> Result<String, Failure> {
    let (mut ty, mut exists) = (UNTOUCHED, 0u64);
    let key = text(key);
    let out = [address(&mut ty), address(&mut exists)];
    array.ctx.call("array_has_metadata_key", &[&[array.handle, key.as_ptr() as u64][..], &out].concat())?;
    Ok(format!("has {exists}{}", if exists == 1 { format!(" type {}", ty & 0xffff_ffff) } else { String::new() }))
}

fn all(array: &Array<'_>) -> Result<Vec<String>, Failure> {
    let count = array.ctx.get("array_get_metadata_num", &[array.handle])?;
    (0..count)
        .map(|number| {
            let (mut key, mut len, mut ty, mut count, mut at) = (0u64, 0u64, 0u64, 0u64, 0u64);
            let out = [address(&mut key), address(&mut len), address(&mut ty), address(&mut count), address(&mut at)];
            array.ctx.call("array_get_metadata_from_index", &[&[array.handle, number][..], &out].concat())?;
            let key: Vec<u8> = (0..len).map(|i| peek(key + i)).collect();
            Ok(format!("{} {}", key.escape_ascii(), value(array, ty, count, at)))
        })
        .collect()
}

fn datatypes(world: &mut World<'_>) {
    create(world);
    let ctx = world.api.context(&[]);
    let value = [1u8; 64];
    let array = open(&ctx, world, 1, None, Some(10));
    for ty in 0..44 {
        for count in [0, 1, 3] {
            let key = format!("{ty} {count}");
            world.tell(&key, put(&array, &key, ty, count, bytes(&value)));
        }
        let key = format!("{ty} null");
        world.tell(&key, put(&array, &key, ty, 0, 0));
        world.tell(&key, put(&array, &format!("{key} one"), ty, 1, 0));
    }
    drop(array);
    let array = open(&ctx, world, 0, None, None);
    for line in all(&array).unwrap() {
        world.say(&line);
    }
    for ty in 0..44 {
        for key in [format!("{ty} 0"), format!("{ty} 1"), format!("{ty} null")] {
            let entry = get(&array, &key);
            world.tell(&format!("{key} {}", entry.clone().unwrap_or_default()), entry);
            let entry = has(&array, &key);
            world.tell(&format!("{key} {}", entry.clone().unwrap_or_default()), entry);
        }
    }
}

/// Puts and deletes at several times, within and between openings, seen at each time.
fn over_time(world: &mut World<'_>) {
    create(world);
    let ctx = world.api.context(&[]);
    let delete = |array: &Array<'_>, key: &str| {
        let key = text(key);
        array.ctx.call("array_delete_metadata", &[array.handle, key.as_ptr() as u64])
    };
    for (time, puts, deletes) in [
        (10, &["a", "b", "c"][..], &[][..]),
        (20, &["b", "d"], &["a", "never"]),
        (21, &["e"], &["d"]),
        (30, &["a"], &["c", "b"]),
        (40, &[], &["a", "e"]),
    ] {
        let array = open(&ctx, world, 1, None, Some(time));
        for (number, key) in puts.iter().enumerate() {
            let value = [time as u8; 8];
            world.tell("put", put(&array, key, 5, number as u64 + 1, bytes(&value)));
        }
        for key in deletes {
            world.tell("delete", delete(&array, key));
        }
    }
    let array = open(&ctx, world, 1, None, Some(50));
    world.tell("put", put(&array, "x", 5, 1, bytes(&[1])));
    world.tell("delete", delete(&array, "x"));
    world.tell("delete", delete(&array, "y"));
    world.tell("put", put(&array, "y", 5, 1, bytes(&[1])));
    world.tell("put", put(&array, "z", 5, 1, bytes(&[1])));
    world.tell("put", put(&array, "z", 0, 1, bytes(&[1, 2, 3, 4])));
    drop(array);
    for (start, end) in [(0, 5), (0, 10), (0, 20), (0, 30), (0, 40), (0, 50), (15, 25), (20, 20), (30, 60), (11, 19)] {
        let array = open(&ctx, world, 0, Some(start), Some(end));
        world.say(&format!("{start} to {end}: {}", all(&array).unwrap().join(", ")));
        for key in ["a", "b", "x"] {
            world.say(&format!("{key} {} {}", get(&array, key).unwrap(), has(&array, key).unwrap()));
        }
    }
}

fn odd_keys(world: &mut World<'_>) {
    create(world);
    let ctx = world.api.context(&[]);
    let long = "k".repeat(5000);
    let keys = ["", " ", "a/b", "ž", "A", "a", "\u{1}", "__tiledb", "~", &long];
    let array = open(&ctx, world, 1, None, Some(10));
    for key in keys {
        world.tell("put", put(&array, key, 6, 2, bytes(&[1, 2])));
    }
    drop(array);
    let array = open(&ctx, world, 0, None, None);
    for line in all(&array).unwrap() {
        world.say(&line);
    }
    for key in keys {
        world.say(&format!("{key} {} {}", get(&array, key).unwrap(), has(&array, key).unwrap()));
    }
}

fn ten_thousand(world: &mut World<'_>) {
    create(world);
    let ctx = world.api.context(&[]);
    let array = open(&ctx, world, 1, None, Some(10));
    for number in 0..10_000u32 {
        let value = number.to_le_bytes();
        put(&array, &format!("key{number}"), 9, 1, bytes(&value)).unwrap();
    }
    drop(array);
    let array = open(&ctx, world, 0, None, None);
    for line in all(&array).unwrap() {
        world.say(&line);
    }
}

fn refused(world: &mut World<'_>) {
    create(world);
    let ctx = world.api.context(&[]);
    let key = text("k");
    let key = key.as_ptr() as u64;
    let value = bytes(&[1, 2, 3, 4]);
    let reading = open(&ctx, world, 0, None, None);
    let read = reading.handle;
    world.tell("put while reading", ctx.call("array_put_metadata", &[read, key, 0, 1, value]));
    world.tell("delete while reading", ctx.call("array_delete_metadata", &[read, key]));
    let writing = open(&ctx, world, 1, None, None);
    let write = writing.handle;
    let mut out = [0u64; 5];
    let out: Vec<u64> = out.iter_mut().map(address).collect();
    world.tell("get", ctx.call("array_get_metadata", &[&[write, key], &out[..3]].concat()));
    world.tell("has", ctx.call("array_has_metadata_key", &[&[write, key], &out[..2]].concat()));
    world.tell("number", ctx.call("array_get_metadata_num", &[write, out[0]]));
    world.tell("by number", ctx.call("array_get_metadata_from_index", &[&[write, 0], &out[..]].concat()));
    world.tell("no key", ctx.call("array_put_metadata", &[write, 0, 0, 1, value]));
    world.tell("datatype ANY", ctx.call("array_put_metadata", &[write, key, 17, 1, value]));
    world.tell("delete no key", ctx.call("array_delete_metadata", &[write, 0]));
    for number in [0, 1, u64::MAX] {
        let call = ctx.call("array_get_metadata_from_index", &[&[read, number], &out[..]].concat());
        world.tell(&format!("number {number}"), call);
    }
    world.tell("get no key", ctx.call("array_get_metadata", &[&[read, 0], &out[..3]].concat()));
}
