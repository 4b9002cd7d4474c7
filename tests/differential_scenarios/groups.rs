//! Groups: members over time, text dumps, metadata, rejected operations, and the state after deletion.

use std::path::Path;

use crate::Scenario;
use crate::world::{INT32, World, attr, dense, dim};
use support::walk::try_walk;
use support::{Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("groups_members", members),
    ("groups_written_by_ours", written_by_ours),
    ("groups_windows", windows),
    ("groups_refused", refused),
    ("groups_text", as_text),
    ("groups_metadata", metadata),
    ("groups_metadata_merged", merged),
    ("groups_encrypted", encrypted),
    ("groups_deleted", deleted),
    ("groups_objects", objects),
];

pub const READ: u64 = 0;
pub const WRITE: u64 = 1;
const EXCLUSIVE: u64 = 4;
const GROUP: u64 = 1;

/// A handle on a group; closed and freed when dropped.
pub struct Group<'a> {
    ctx: &'a Ctx<'a>,
    handle: u64,
}

impl<'a> Group<'a> {
    fn at(ctx: &'a Ctx<'a>, uri: &str) -> Group<'a> {
        let uri = text(uri);
        Group { ctx, handle: ctx.get("group_alloc", &[pointer(&uri)]).unwrap() }
    }

    pub fn open(ctx: &'a Ctx<'a>, uri: &str, query_type: u64) -> Group<'a> {
        let group = Group::at(ctx, uri);
        ctx.call("group_open", &[group.handle, query_type]).unwrap();
        group
    }

    pub fn add(&self, uri: &str, relative: bool, name: Option<&str>) -> Result<(), Failure> {
        let (uri, name) = (text(uri), name.map(text));
        let name = name.as_deref().map_or(0, pointer);
        self.ctx.call("group_add_member", &[self.handle, pointer(&uri), relative.into(), name])
    }

    fn add_typed(&self, uri: &str, name: &str, kind: u64) -> Result<(), Failure> {
        let (uri, name) = (text(uri), text(name));
        self.ctx.call("group_add_member_with_type", &[self.handle, pointer(&uri), 1, pointer(&name), kind])
    }

    fn remove(&self, name: &str) -> Result<(), Failure> {
        let name = text(name);
        self.ctx.call("group_remove_member", &[self.handle, pointer(&name)])
    }

    fn named(&self, name: &str) -> Result<String, Failure> {
        let name = text(name);
        let (mut uri, mut kind) = (0u64, 0u64);
        let out = [address(&mut uri), address(&mut kind)];
        self.ctx.call("group_get_member_by_name_v2", &[&[self.handle, pointer(&name)], &out[..]].concat())?;
        let relative = self.ctx.get("group_get_is_relative_uri_by_name", &[self.handle, pointer(&name)])?;
        Ok(format!("{} type {kind} relative {relative}", self.ctx.take_string(uri).unwrap()))
    }

    /// All members, sorted: libraries number them in orders of their own.
    pub fn members(&self) -> Result<Vec<String>, Failure> {
        let mut members = Vec::new();
        for index in 0..self.ctx.get("group_get_member_count", &[self.handle])? {
            let (mut uri, mut kind, mut name) = (0u64, 0u64, 0u64);
            let out = [address(&mut uri), address(&mut kind), address(&mut name)];
            self.ctx.call("group_get_member_by_index_v2", &[&[self.handle, index], &out[..]].concat())?;
            let (uri, name) = (self.ctx.take_string(uri).unwrap(), self.ctx.take_string(name));
            members.push(format!("{name:?} {uri} type {kind}"));
        }
        members.sort();
        Ok(members)
    }

    pub fn dump(&self, recursive: bool) -> Result<String, Failure> {
        let mut out = 0u64;
        self.ctx.call("group_dump_str_v2", &[self.handle, address(&mut out), recursive.into()])?;
        Ok(self.ctx.take_string(out).unwrap())
    }

    pub fn put(&self, key: &str, value: i32) -> Result<(), Failure> {
        let key = text(key);
        let value = value.to_le_bytes();
        self.ctx.call("group_put_metadata", &[self.handle, pointer(&key), INT32, 1, bytes(&value)])
    }

    fn delete_key(&self, key: &str) -> Result<(), Failure> {
        let key = text(key);
        self.ctx.call("group_delete_metadata", &[self.handle, pointer(&key)])
    }

    fn metadata(&self) -> Result<String, Failure> {
        let mut entries = String::new();
        for index in 0..self.ctx.get("group_get_metadata_num", &[self.handle])? {
            let (mut key, mut length, mut kind, mut count, mut at) = (0u64, 0u64, 0u64, 0u64, 0u64);
            let out =
                [address(&mut key), address(&mut length), address(&mut kind), address(&mut count), address(&mut at)];
            self.ctx.call("group_get_metadata_from_index", &[&[self.handle, index], &out[..]].concat())?;
            let key: Vec<u8> = (0..length).map(|i| crate::world::peek(key + i)).collect();
            let value: Vec<u8> = (0..4).map(|i| if at == 0 { 0 } else { crate::world::peek(at + i) }).collect();
            entries += &format!("{}={kind}:{count}:{value:?} ", key.escape_ascii());
        }
        Ok(entries)
    }

    pub fn close(self) -> Result<(), Failure> {
        self.ctx.call("group_close", &[self.handle])
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        let _ = self.ctx.call("group_close", &[self.handle]);
        self.ctx.free("group", self.handle);
    }
}

fn create(ctx: &Ctx<'_>, world: &World<'_>, name: &str) {
    let uri = text(&world.uri(name));
    world.tell(&format!("create {name}"), ctx.call("group_create", &[pointer(&uri)]));
}

fn at_time(time: u64) -> [(&'static str, String); 1] {
    [("sm.group.timestamp_end", time.to_string())]
}

fn context<'a>(world: &World<'a>, config: &[(&'static str, String)]) -> Ctx<'a> {
    let config: Vec<(&str, &str)> = config.iter().map(|(name, value)| (*name, value.as_str())).collect();
    world.api.context(&config)
}

fn show(world: &World<'_>, uri: &str, config: &[(&'static str, String)]) {
    let ctx = context(world, config);
    let group = Group::open(&ctx, &world.uri(uri), READ);
    world.say(&format!("{uri} {config:?}: {:?}", group.members().unwrap()));
}

/// The files and folders below one, without what is random in their names and without times of the clock.
fn tree(world: &World<'_>, folder: &str) {
    fn list(folder: &Path, at: &str, paths: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let random = |part: &&str| part.trim_end_matches(".vac").len() == 32 || part.len() == 13;
            let parts: Vec<&str> = name.split('_').map(|part| if random(&part) { "*" } else { part }).collect();
            let end = if name.ends_with(".vac") { ".vac" } else { "" };
            let shown = format!("{at}/{}{end}", parts.join("_"));
            list(&entry.path(), &shown, paths);
            paths.push(shown);
        }
    }
    let mut paths = Vec::new();
    list(Path::new(&world.uri(folder)), "", &mut paths);
    paths.sort();
    world.say(&format!("  {paths:?}"));
}

fn some_things(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for name in ["g", "g/x", "g/y", "g/x/in", "out"] {
        create(&ctx, world, name);
    }
    world.create("g/a", dense(&[dim("d", 1, 4, 2)], &[attr("a", INT32, 1, false)]));
}

fn members(world: &mut World<'_>) {
    some_things(world);
    let out = world.uri("out");
    let x = format!("file://{}", world.uri("g/x"));
    let ctx = context(world, &at_time(10));
    let group = Group::open(&ctx, &world.uri("g"), WRITE);
    for (uri, relative, name) in [
        ("x", true, Some("X")),
        ("y", true, None),
        ("a", true, Some("array")),
        ("nowhere", true, Some("n1")),
        (&out, false, None),
        (&out, false, Some("O")),
        ("", false, Some("nothing")),
        ("/x", true, Some("slash")),
        ("x/", true, Some("trailing")),
        ("y", true, Some("")),
        (&x, false, Some("whole")),
        ("x", true, Some("X")),
        ("y", true, None),
        ("z", true, Some("y")),
        ("nosuch://x", false, Some("scheme")),
    ] {
        world.tell(&format!("add {uri} {relative} {name:?}"), group.add(uri, relative, name));
    }
    for kind in [0, 1, 2, 9] {
        let name = format!("typed {kind}");
        world.tell(&name, group.add_typed(&name, &name, kind));
    }
    world.tell("close", group.close());
    show(world, "g", &[]);
    let ctx = world.api.context(&[]);
    let group = Group::open(&ctx, &world.uri("g"), READ);
    for name in ["X", "n1", "O", "whole", "x", "y", "", "typed 1", &x] {
        let member = group.named(name);
        world.tell(&format!("{name}: {}", member.clone().unwrap_or_default()), member);
    }
    for (time, remove, add) in [
        (20, &["n1", "n1", "X2"][..], &[("z", "X"), ("x", "X2"), ("z", "n1")][..]),
        (30, &["y", "y", "x", "nothere", "X2", ""], &[]),
        (40, &["Q"], &[("q", "Q")]),
        (50, &["X", "X"], &[("x", "X"), ("x", "X")]),
        (60, &[], &[("dup", "d1"), ("dup", "d2")]),
        (70, &["dup"], &[]),
        (80, &["d1", "dup", "z"], &[]),
        (90, &[], &[]),
    ] {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), if time == 50 { EXCLUSIVE } else { WRITE });
        for name in remove {
            world.tell(&format!("{time} remove {name}"), group.remove(name));
        }
        // The reference refuses to remove what was added since opening (`src/group/tests.rs`).
        for (uri, name) in add {
            world.tell(&format!("{time} add {uri} {name}"), group.add(uri, true, Some(name)));
        }
        drop(group);
        show(world, "g", &[]);
    }
    // A member given by its path is known by its URI, and found by either.
    for (time, member_uri) in [(100, out.clone()), (110, format!("file://{out}"))] {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), WRITE);
        world.tell("remove the other", group.remove("O"));
        world.tell("remove one of none", group.remove(&world.uri("nothing")));
        world.tell("remove by place", group.remove(&member_uri));
        world.tell("add again", group.add(&out, false, None));
        drop(group);
        show(world, "g", &[]);
    }
    tree(world, "g/__group");
    for time in [5, 10, 20, 45, 65, 90, 100] {
        show(world, "g", &at_time(time));
    }
}

/// What our library writes reads the same in both.
fn written_by_ours(world: &mut World<'_>) {
    some_things(world);
    for time in [10, 20, 30] {
        let config = time.to_string();
        let ctx = world.ours.context(&[("sm.group.timestamp_end", &config)]);
        let group = Group::open(&ctx, &world.uri("g"), WRITE);
        match time {
            10 => {
                group.add("x", true, Some("X")).unwrap();
                group.add("y", true, None).unwrap();
                group.add(&world.uri("out"), false, Some("out")).unwrap();
                group.add("a", true, Some("a")).unwrap();
            }
            20 => {
                group.remove("y").unwrap();
                group.add("later", true, Some("out")).unwrap();
            }
            _ => ["X", "a", "out"].iter().for_each(|name| group.remove(name).unwrap()),
        }
        group.put(&format!("k{time}"), time).unwrap();
        group.delete_key("k10").unwrap();
        group.close().unwrap();
        show(world, "g", &[]);
        let ctx = world.api.context(&[]);
        world.say(&Group::open(&ctx, &world.uri("g"), READ).metadata().unwrap());
    }
    for time in [5, 10, 20] {
        show(world, "g", &at_time(time));
    }
    // The other one goes on where ours ended.
    let ctx = context(world, &at_time(40));
    let group = Group::open(&ctx, &world.uri("g"), WRITE);
    group.add("y", true, Some("again")).unwrap();
    group.close().unwrap();
    show(world, "g", &[]);
}

fn windows(world: &mut World<'_>) {
    some_things(world);
    for (time, name) in [(10, "one"), (20, "two"), (30, "three")] {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), WRITE);
        group.add("x", true, Some(name)).unwrap();
        group.put(name, time as i32).unwrap();
        group.close().unwrap();
    }
    for (start, end) in [(0, 0), (0, 10), (0, 15), (15, 25), (15, 99), (25, 15), (31, 99), (0, u64::MAX)] {
        let window = [("sm.group.timestamp_start", start.to_string()), ("sm.group.timestamp_end", end.to_string())];
        show(world, "g", &window);
        let ctx = context(world, &window);
        world.say(&Group::open(&ctx, &world.uri("g"), READ).metadata().unwrap());
    }
    // Writing sees and repeats what lies in its window.
    let window = [("sm.group.timestamp_start", "15".to_owned()), ("sm.group.timestamp_end", "25".to_owned())];
    let ctx = context(world, &window);
    let group = Group::open(&ctx, &world.uri("g"), WRITE);
    world.tell("remove one of the window", group.remove("two"));
    drop(group);
    show(world, "g", &window);
    show(world, "g", &[]);
    // Nothing is written without a change, or without closing.
    let ctx = context(world, &at_time(50));
    Group::open(&ctx, &world.uri("g"), WRITE).close().unwrap();
    let group = Group::open(&ctx, &world.uri("g"), WRITE);
    group.add("y", true, Some("lost")).unwrap();
    ctx.free("group", group.handle);
    std::mem::forget(group);
    show(world, "g", &[]);
    tree(world, "g/__group");
}

fn refused(world: &mut World<'_>) {
    some_things(world);
    let ctx = world.api.context(&[]);
    for uri in ["g", "", "nosuch://g"] {
        let path = if uri == "g" { world.uri(uri) } else { uri.to_owned() };
        let path = text(&path);
        world.tell(&format!("create {uri}"), ctx.call("group_create", &[pointer(&path)]));
        if uri != "g" {
            world.tell(&format!("alloc {uri}"), ctx.get("group_alloc", &[pointer(&path)]));
        }
    }
    create(&ctx, world, "g/a");
    let both = Group::at(&ctx, &world.uri("g/a"));
    world.tell("open an array that is a group too", ctx.call("group_open", &[both.handle, READ]));
    let group = Group::at(&ctx, &world.uri("g"));
    let handle = group.handle;
    let key = text("k");
    let key = pointer(&key);
    let ask = |world: &World<'_>, when: &str, may_dump: bool| {
        let tell = |what: &str, outcome| world.tell(&format!("{when}: {what}"), outcome);
        tell("count", group.members().map(|members| members.join(",")));
        tell("named", group.named("none"));
        let (mut a, mut b, mut c) = (0u64, 0u64, 0u64);
        let out = [address(&mut a), address(&mut b), address(&mut c)];
        let at = ctx.call("group_get_member_by_index_v2", &[&[handle, 7], &out[..]].concat());
        tell("at", at.map(|()| String::new()));
        tell("metadata", group.metadata());
        let get = ctx.call("group_get_metadata", &[&[handle, key], &out[..]].concat());
        tell("get", get.map(|()| String::new()));
        let has = ctx.call("group_has_metadata_key", &[&[handle, key], &out[..2]].concat());
        tell("has", has.map(|()| String::new()));
        tell("add", group.add("new", true, Some("new")).map(|()| String::new()));
        tell("remove", group.remove("none").map(|()| String::new()));
        tell("put", group.put("k", 1).map(|()| String::new()));
        tell("put of any", ctx.call("group_put_metadata", &[handle, key, 17, 1, bytes(&[1])]).map(|()| String::new()));
        tell("delete", group.delete_key("k").map(|()| String::new()));
        // Ours deletes in the mode of 2.31, too.
        if when != "open for 1" {
            let none = text("/nowhere/none");
            let gone = ctx.call("group_delete_group", &[handle, pointer(&none), 0]);
            tell("delete group", gone.map(|()| String::new()));
        }
        let kind = ctx.get("group_get_query_type", &[handle]);
        world.tell(&format!("{when}: query type {:?}", kind.as_ref().ok()), kind.clone());
        world.say(&format!("{when}: open {:?}", ctx.get("group_is_open", &[handle])));
        if may_dump {
            world.tell(&format!("{when}: {:?}", group.dump(true)), group.dump(true));
        }
    };
    ask(world, "not open", false);
    for query_type in [READ, WRITE, EXCLUSIVE] {
        world.tell("open", ctx.call("group_open", &[handle, query_type]));
        // The reference writes what is added through a handle opened for the second time as of the end of all time.
        ask(world, &format!("open for {query_type}"), query_type != EXCLUSIVE);
        world.tell("open again", ctx.call("group_open", &[handle, query_type]));
        world.tell("close", ctx.call("group_close", &[handle]));
        world.tell("close again", ctx.call("group_close", &[handle]));
    }
    for query_type in [2, 3, 9] {
        world.tell("open", ctx.call("group_open", &[handle, query_type]));
    }
    for uri in ["none", ""] {
        let uri = text(&if uri.is_empty() { String::new() } else { world.uri(uri) });
        for function in ["group_consolidate_metadata", "group_vacuum_metadata"] {
            world.tell(function, ctx.call(function, &[pointer(&uri), 0]));
        }
    }
}

/// One member per group, as the order is each library's own.
fn as_text(world: &mut World<'_>) {
    some_things(world);
    let ctx = context(world, &at_time(10));
    for (uri, member, name) in [("g", "x", None), ("g/x", "in", Some("inside"))] {
        let group = Group::open(&ctx, &world.uri(uri), WRITE);
        world.tell(&format!("add {member}"), group.add(member, true, name));
    }
    let group = Group::open(&ctx, &world.uri("g/x/in"), WRITE);
    world.tell("add a", group.add(&world.uri("a"), false, Some("up")));
    drop(group);
    let group = Group::open(&ctx, &world.uri("out"), WRITE);
    group.add_typed("gone", "g", GROUP).unwrap();
    drop(group);
    for uri in ["g", "g/x", "out", "g/y"] {
        for query_type in [READ, WRITE] {
            let group = Group::open(&ctx, &world.uri(uri), query_type);
            for recursive in [false, true] {
                world.say(&format!("{uri} {recursive}: {:?}", group.dump(recursive).unwrap()));
            }
        }
    }
}

fn metadata(world: &mut World<'_>) {
    some_things(world);
    for (time, puts, deletes) in [
        (10, &["a", "b", ""][..], &[][..]),
        (20, &["b", "c", "key with ž"], &["a", "never"]),
        (30, &["a"], &["b", "c"]),
        (40, &[], &["a", ""]),
    ] {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), if time == 20 { EXCLUSIVE } else { WRITE });
        for key in puts {
            world.tell(&format!("put {key}"), group.put(key, time as i32));
        }
        for key in deletes {
            world.tell(&format!("delete {key}"), group.delete_key(key));
        }
    }
    for time in [5, 10, 20, 30, 40] {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), READ);
        world.say(&format!("{time}: {}", group.metadata().unwrap()));
        for key in ["a", "b", "", "never"] {
            let key = text(key);
            let (mut kind, mut value) = (0u64, 0u64);
            let out = [address(&mut kind), address(&mut value)];
            ctx.call("group_has_metadata_key", &[&[group.handle, pointer(&key)], &out[..]].concat()).unwrap();
            let (mut kind, mut count, mut at) = (0u64, 7u64, 7u64);
            let out = [address(&mut kind), address(&mut count), address(&mut at)];
            ctx.call("group_get_metadata", &[&[group.handle, pointer(&key)], &out[..]].concat()).unwrap();
            world.say(&format!("{key:?} {value} {count} {}", at == 0));
        }
    }
    tree(world, "g/__meta");
}

fn merged(world: &mut World<'_>) {
    some_things(world);
    let uri = text(&world.uri("g"));
    let put = |world: &World<'_>, time: u64, put: &[&str], delete: &[&str]| {
        let ctx = context(world, &at_time(time));
        let group = Group::open(&ctx, &world.uri("g"), WRITE);
        put.iter().for_each(|key| group.put(key, time as i32).unwrap());
        delete.iter().for_each(|key| group.delete_key(key).unwrap());
    };
    let run = |world: &World<'_>, function: &str, config: &[(&str, &str)]| {
        let ctx = world.api.context(config);
        world.tell(function, ctx.call(function, &[pointer(&uri), 0]));
        tree(world, "g/__meta");
        for time in [20, 99] {
            let reading = context(world, &at_time(time));
            world.say(&Group::open(&reading, &world.uri("g"), READ).metadata().unwrap());
        }
    };
    let (merge, vacuum) = ("group_consolidate_metadata", "group_vacuum_metadata");
    run(world, merge, &[]);
    put(world, 10, &["a", "b"], &[]);
    run(world, merge, &[]);
    put(world, 20, &["c"], &["a"]);
    run(world, merge, &[]);
    put(world, 30, &["d"], &[]);
    run(world, merge, &[]);
    run(world, merge, &[("sm.group.timestamp_end", "20")]);
    run(world, vacuum, &[("sm.vacuum.timestamp_end", "15")]);
    run(world, vacuum, &[]);
    put(world, 40, &[], &["b", "c", "d"]);
    run(world, merge, &[]);
    run(world, vacuum, &[]);
    for time in [50, 60, 70, 80] {
        put(world, time, &["e"], &[]);
    }
    run(world, merge, &[("sm.consolidation.timestamp_start", "55"), ("sm.consolidation.timestamp_end", "75")]);
    run(world, "array_vacuum", &[("sm.vacuum.mode", "group_meta")]);
    run(world, vacuum, &[]);
}

fn encrypted(world: &mut World<'_>) {
    some_things(world);
    let key = [
        ("sm.encryption_type", "AES_256_GCM".to_owned()),
        ("sm.encryption_key", "0123456789abcdeF0123456789abcdeF".to_owned()),
    ];
    for time in [10, 20] {
        let ctx = context(world, &[&key[..], &at_time(time)].concat());
        let group = Group::open(&ctx, &world.uri("g"), WRITE);
        world.tell("add", group.add("x", true, Some(&format!("X{time}"))));
        world.tell("put", group.put("k", time as i32));
        world.tell("close", group.close());
    }
    show(world, "g", &key);
    let ctx = context(world, &key);
    world.say(&Group::open(&ctx, &world.uri("g"), READ).metadata().unwrap());
    let uri = text(&world.uri("g"));
    world.tell("merge", ctx.call("group_consolidate_metadata", &[pointer(&uri), 0]));
    world.say(&Group::open(&ctx, &world.uri("g"), READ).metadata().unwrap());
    let plain = world.api.context(&[]);
    for query_type in [READ, WRITE] {
        let group = Group::at(&plain, &world.uri("g"));
        world.tell("open without the key", plain.call("group_open", &[group.handle, query_type]));
    }
    // Ours reads what either wrote.
    let config: Vec<(&str, &str)> = key.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let ours = world.ours.context(&config);
    let group = Group::open(&ours, &world.uri("g"), READ);
    world.say(&format!("{:?} {}", group.members().unwrap(), group.metadata().unwrap()));
}

fn deleted(world: &mut World<'_>) {
    for (case, recursive) in ["alone", "all"].into_iter().zip([0, 1]) {
        let ctx = context(world, &at_time(10));
        for name in ["", "/s", "/s/t", "/far"] {
            create(&ctx, world, &format!("{case}{name}"));
        }
        world.create(&format!("{case}/s/b"), dense(&[dim("d", 1, 4, 2)], &[attr("a", INT32, 1, false)]));
        let home = world.uri(case);
        let group = Group::open(&ctx, &format!("{home}/s"), WRITE);
        group.add("b", true, Some("b")).unwrap();
        group.add("t", true, None).unwrap();
        drop(group);
        let group = Group::open(&ctx, &home, WRITE);
        group.add("s", true, Some("s")).unwrap();
        group.add(&format!("{home}/far"), false, None).unwrap();
        group.put("k", 1).unwrap();
        drop(group);
        std::fs::write(format!("{home}/s/foreign"), "1").unwrap();
        let group = Group::open(&ctx, &home, EXCLUSIVE);
        group.add("late", true, None).unwrap();
        let uri = text(&home);
        world.tell("delete", ctx.call("group_delete_group", &[group.handle, pointer(&uri), recursive]));
        world.say(&format!("open {:?}", ctx.get("group_is_open", &[group.handle])));
        drop(group);
        tree(world, case);
    }
}

fn objects(world: &mut World<'_>) {
    some_things(world);
    let ctx = world.api.context(&[]);
    let walks = |world: &World<'_>, folder: &str| {
        for (order, most) in [(0, 99), (1, 99), (2, 99), (0, 2), (1, 3), (2, 1)] {
            let objects = try_walk(&ctx, &world.uri(folder), order, most).map(|mut objects| {
                // Both find them in an order of the file system's.
                if most == 99 {
                    objects.sort();
                }
                if most == 99 { format!("{objects:?}") } else { objects.len().to_string() }
            });
            world.tell(&format!("{folder} {order} {most}: {}", objects.clone().unwrap_or_default()), objects);
        }
    };
    let type_of = |world: &World<'_>, name: &str| {
        let uri = text(&world.uri(name));
        world.say(&format!("{name}: type {:?}", ctx.get("object_type", &[pointer(&uri)])));
    };
    let call = |world: &World<'_>, function: &str, names: &[&str]| {
        let uris: Vec<_> = names.iter().map(|name| text(&world.uri(name))).collect();
        let outcome = ctx.call(function, &uris.iter().map(|uri| pointer(uri)).collect::<Vec<_>>());
        world.tell(&format!("{function} {names:?}"), outcome);
    };
    std::fs::create_dir_all(world.uri("g/plain/hidden")).unwrap();
    create(&ctx, world, "g/plain/hidden/group");
    for folder in ["", "g", "g/a", "g/x", "none"] {
        walks(world, folder);
    }
    for name in ["g", "g/", "g/a", "g/plain", "none", "g/__group"] {
        type_of(world, name);
    }
    call(world, "object_move", &["g/x", "moved"]);
    call(world, "object_move", &["g/a", "g/y/a2"]);
    call(world, "object_move", &["g/plain", "p2"]);
    call(world, "object_remove", &["g/y"]);
    call(world, "object_remove", &["g/plain"]);
    call(world, "object_remove", &["out"]);
    for name in ["g/x", "moved", "moved/in", "g/a", "g/y", "out"] {
        type_of(world, name);
    }
    walks(world, "");
}
