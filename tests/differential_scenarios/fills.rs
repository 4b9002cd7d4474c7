//! Fill values: the default of every datatype, through the attribute and in cells never written.

use crate::Scenario;
use crate::world::{Attr, VAR, World, all, attr, attribute, dense, dim, range};
use support::{Ctx, Failure, address, borrowed, bytes};

pub const SCENARIOS: &[Scenario] = &[
    ("fills_default", defaults),
    ("fills_unwritten", unwritten),
    ("fills_partly_written", partly),
    ("fills_set", set),
];

/// Every datatype has its number below this.
const DATATYPES: u64 = 44;

/// One value, three values, variable; each plain and nullable.
fn forms(ty: u64) -> Vec<Attr> {
    let forms = [(1, false), (3, false), (VAR, false), (1, true), (3, true), (VAR, true)];
    let name = |values: u64, nullable: bool| format!("a{}{nullable}", values as u32 as i32);
    forms.iter().map(|&(values, nullable)| attr(&name(values, nullable), ty, values, nullable)).collect()
}

/// The fill value as text, with its validity.
fn fill(ctx: &Ctx<'_>, attribute: u64, nullable: bool) -> Result<String, Failure> {
    let (mut value, mut size, mut valid) = (0u64, 0u64, 9u8);
    let out = [attribute, address(&mut value), address(&mut size)];
    if nullable {
        ctx.call("attribute_get_fill_value_nullable", &[&out[..], &[address(&mut valid)]].concat())?;
    } else {
        ctx.call("attribute_get_fill_value", &out)?;
    }
    let bytes: Vec<u8> = (0..size).map(|i| crate::world::peek(value + i)).collect();
    Ok(format!("{} valid {valid}", bytes.escape_ascii()))
}

fn defaults(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for ty in 0..DATATYPES {
        let mut name = 0u64;
        world.api.raw("datatype_to_str", &[ty, address(&mut name)]);
        for form in forms(ty) {
            let step = format!("{} {}", borrowed(name), form.name);
            let Some(handle) = world.tell(&step, attribute(&ctx, &form)) else { continue };
            let value = fill(&ctx, handle, form.nullable);
            if let Some(value) = world.tell("get", value) {
                world.say(&value);
            }
            world.tell("get the other way", fill(&ctx, handle, !form.nullable));
            ctx.free("attribute", handle);
        }
    }
}

/// The forms of a datatype that an attribute can have.
fn possible(world: &World<'_>, ty: u64) -> Vec<Attr> {
    let ctx = world.api.context(&[]);
    forms(ty).into_iter().filter(|form| attribute(&ctx, form).is_ok()).collect()
}

fn unwritten(world: &mut World<'_>) {
    for ty in 0..DATATYPES {
        let attrs = possible(world, ty);
        let name = format!("type{ty}");
        world.create(&name, dense(&[dim("d", 1, 6, 4)], &attrs));
        let fields: Vec<&str> = attrs.iter().map(|attr| attr.name.as_str()).collect();
        let mut read = all(0, &fields);
        read.ranges = vec![range(0, 2, 5)];
        world.read(&name, &read);
    }
}

/// One cell of six is written, with the bytes of a read; around it all cells are fill values.
fn partly(world: &mut World<'_>) {
    let size = |world: &World<'_>, ty| world.api.raw("datatype_size", &[ty]) as usize;
    for ty in 0..DATATYPES {
        let attrs = possible(world, ty);
        let name = format!("type{ty}");
        world.create(&name, dense(&[dim("d", 1, 6, 4)], &attrs));
        let columns: Vec<_> = attrs
            .iter()
            .map(|attr| {
                let values = if attr.values == VAR { 2 } else { attr.values as usize };
                let mut cells = crate::world::fixed(&vec![1u8; values * size(world, ty)]);
                cells.offsets = (attr.values == VAR).then(|| vec![0]);
                cells.validity = attr.nullable.then(|| vec![1]);
                (attr.name.as_str(), cells)
            })
            .collect();
        world.write(&name, 0, &[range(0, 3, 3)], &columns);
        let fields: Vec<&str> = attrs.iter().map(|attr| attr.name.as_str()).collect();
        for layout in [0, 1] {
            let mut read = all(layout, &fields);
            read.ranges = vec![range(0, 1, 6)];
            world.read(&name, &read);
        }
    }
}

/// Fill values of one's own, and what is refused.
fn set(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let sizes = [0usize, 1, 2, 4, 8, 12, 16, 24];
    for ty in [0, 1, 2, 4, 6, 11, 12, 13, 18, 40, 41] {
        for form in forms(ty) {
            let Some(handle) = world.tell(&form.name, attribute(&ctx, &form)) else { continue };
            for size in sizes {
                let value = vec![7u8; size];
                let call = if form.nullable {
                    ctx.call("attribute_set_fill_value_nullable", &[handle, bytes(&value), size as u64, 1])
                } else {
                    ctx.call("attribute_set_fill_value", &[handle, bytes(&value), size as u64])
                };
                world.tell(&format!("{ty} {} of {size} bytes", form.name), call);
                let value = fill(&ctx, handle, form.nullable).unwrap_or_default();
                world.say(&value);
            }
            ctx.free("attribute", handle);
        }
    }
}
