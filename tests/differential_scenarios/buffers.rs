//! Buffers and buffer lists.

use crate::Scenario;
use crate::world::{World, peek};
use support::{Ctx, Failure, address};

pub const SCENARIOS: &[Scenario] = &[("buffers", buffers), ("buffer_lists", lists)];

/// The bytes of a buffer as text; `None` where it has no address.
fn data(ctx: &Ctx<'_>, buffer: u64) -> Result<Option<String>, Failure> {
    let (mut start, mut size) = (1u64, 77u64);
    ctx.call("buffer_get_data", &[buffer, address(&mut start), address(&mut size)])?;
    Ok((start != 0).then(|| (start..start + size).map(|at| char::from(peek(at))).collect()))
}

fn tell(world: &World<'_>, ctx: &Ctx<'_>, buffer: u64) {
    let datatype = ctx.get("buffer_get_type", &[buffer]).map(|number| number as u32);
    world.say(&format!("  {:?} of type {:?}", data(ctx, buffer).ok(), datatype.ok()));
}

fn buffers(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let buffer = ctx.get("buffer_alloc", &[]).unwrap();
    tell(world, &ctx, buffer);
    for datatype in [0, 4, 17, 43] {
        world.tell("type", ctx.call("buffer_set_type", &[buffer, datatype]));
        tell(world, &ctx, buffer);
    }
    let mut bytes = *b"bytes";
    for size in [5, 3, 0] {
        world.tell("data", ctx.call("buffer_set_data", &[buffer, address(&mut bytes), size]));
        tell(world, &ctx, buffer);
    }
    world.tell("data", ctx.call("buffer_set_data", &[buffer, address(&mut bytes), 5]));
    bytes[0] = b'B';
    tell(world, &ctx, buffer);
    assert_eq!(&bytes, b"Bytes");
    world.tell("no data", ctx.call("buffer_set_data", &[buffer, 0, 0]));
    tell(world, &ctx, buffer);
    let mut out = 0u64;
    world.tell("nowhere", ctx.call("buffer_get_data", &[buffer, 0, address(&mut out)]));
    world.tell("no size", ctx.call("buffer_get_data", &[buffer, address(&mut out), 0]));
    world.tell("no type", ctx.call("buffer_get_type", &[buffer, 0]));
    world.tell("no handle", ctx.call("buffer_alloc", &[0]));
    ctx.free("buffer", buffer);
    world.tell("null", ctx.call("buffer_set_type", &[0, 1]));
    world.tell("null", ctx.call("buffer_set_data", &[0, 0, 0]));
}

fn lists(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let list = ctx.get("buffer_list_alloc", &[]).unwrap();
    for function in ["get_num_buffers", "get_total_size"] {
        world.say(&format!("{function} {:?}", ctx.get(&format!("buffer_list_{function}"), &[list]).ok()));
        world.tell("nowhere", ctx.call(&format!("buffer_list_{function}"), &[list, 0]));
        world.tell("null", ctx.get(&format!("buffer_list_{function}"), &[0]));
    }
    for position in [0, u64::MAX] {
        world.tell("beyond", ctx.get("buffer_list_get_buffer", &[list, position]));
    }
    if let Some(all) = world.tell("flatten", ctx.get("buffer_list_flatten", &[list])) {
        tell(world, &ctx, all);
        ctx.free("buffer", all);
    }
    world.tell("nowhere", ctx.call("buffer_list_flatten", &[list, 0]));
    world.tell("nowhere", ctx.call("buffer_list_alloc", &[0]));
    ctx.free("buffer_list", list);
}
