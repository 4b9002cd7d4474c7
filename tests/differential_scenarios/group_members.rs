//! Relative group members whose URIs are unusual, or lead out of the group.

use crate::Scenario;
use crate::groups::{Group, READ, WRITE};
use crate::world::{INT32, World, attr, dense, dim};
use support::{Ctx, pointer, text};

pub const SCENARIOS: &[Scenario] = &[("group_members_spelled", spelled), ("group_members_outside", outside)];

fn some_things(world: &mut World<'_>, ctx: &Ctx<'_>) {
    for name in ["g", "g/x", "g/x/in", "out"] {
        let uri = text(&world.uri(name));
        world.tell(&format!("create {name}"), ctx.call("group_create", &[pointer(&uri)]));
    }
    world.create("g/a", dense(&[dim("d", 1, 4, 2)], &[attr("a", INT32, 1, false)]));
}

fn show(world: &World<'_>, ctx: &Ctx<'_>) {
    let group = Group::open(ctx, &world.uri("g"), READ);
    world.say(&format!("{:?}", group.members().unwrap()));
    world.say(&group.dump(false).unwrap().lines().count().to_string());
}

/// Members are listed as they were added, and opened by the URIs that are listed.
fn spelled(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    some_things(world, &ctx);
    let group = Group::open(&ctx, &world.uri("g"), WRITE);
    let spellings = ["./x", "x//in", "a/.", "./a", "././a//", "//a", "a//", "x/./in/", ".", "", "/"];
    for (number, uri) in spellings.into_iter().enumerate() {
        world.tell(&format!("add {uri:?}"), group.add(uri, true, Some(&format!("m{number}"))));
    }
    world.tell("add without a name", group.add("x/.//in", true, None));
    world.tell("close", group.close());
    show(world, &ctx);
    for uri in spellings {
        let path = text(&format!("file://{}/{}", world.uri("g"), uri.strip_prefix('/').unwrap_or(uri)));
        world.say(&format!("{uri:?} is {:?}", ctx.get("object_type", &[pointer(&path)])));
    }
}

/// What another writer stored is listed wherever it leads.
fn outside(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    some_things(world, &ctx);
    let members =
        [("up", "../out"), ("in", "./x"), ("in and up", "x/in/../../../out"), ("slash", "/../out"), ("all", "..")];
    let file = "g/__group/__1_1_00000000000000000000000000000000_2";
    std::fs::write(world.uri(file), details(&members)).unwrap();
    show(world, &ctx);
}

/// A file of details, not filtered, with relative members that are groups.
fn details(members: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut payload = [&2u32.to_le_bytes()[..], &(members.len() as u64).to_le_bytes()].concat();
    for (name, uri) in members {
        payload.extend([&2u32.to_le_bytes()[..], &[1, 1], &text(uri), &[1], &text(name), &[0]].concat());
    }
    let size = payload.len() as u32;
    let chunks = [&1u64.to_le_bytes()[..], &[size, size, 0].map(u32::to_le_bytes).concat(), &payload].concat();
    let sizes = [chunks.len() as u64, payload.len() as u64].map(u64::to_le_bytes).concat();
    let pipeline = [8u32, 65536, 0].map(u32::to_le_bytes).concat();
    [&22u32.to_le_bytes()[..], &sizes, &[4], &1u64.to_le_bytes(), &[0], &pipeline, &chunks].concat()
}
