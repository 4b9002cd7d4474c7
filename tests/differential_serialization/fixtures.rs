//! Objects that one library creates and both serialize: an array with a history, and a group.

use support::random::Random;
use support::round_trip::execute;
use support::round_trip::scenario::Scenario;
use support::{Api, Array, Ctx, Failure, address, bytes, pointer, text};

/// `TILEDB_WRITE`.
const WRITE: u64 = 1;

/// Makes the array and, around it, the group. Fails where the library refuses the scenario.
pub fn make(api: &Api, array: &str, group: &str, scenario: &Scenario, random: &mut Random) -> Result<(), Failure> {
    execute::create(api, array, scenario)?;
    for write in &scenario.writes {
        execute::write(api, array, scenario, write)?;
    }
    let ctx = &execute::context(api, scenario, support::round_trip::scenario::OffsetMode::default(), None);
    for time in [15, 25] {
        if random.one_in(2) {
            let opened = Array::open(ctx, array, WRITE, None, Some(time))?;
            put_metadata(ctx, "array", opened.handle, random)?;
        }
    }
    for time in [12, 22] {
        if random.one_in(2) {
            let evolution = evolution(ctx, random, scenario, time)?;
            let outcome = ctx.call("array_evolve", &[pointer(&text(array)), evolution]);
            ctx.free("array_schema_evolution", evolution);
            // A second one may add what the first did.
            let _ = outcome;
        }
    }
    if random.one_in(4) {
        let _ = consolidate(ctx, array, random);
    }
    make_group(ctx, array, group, random)
}

/// Consolidates something of an array, and perhaps vacuums.
fn consolidate(ctx: &Ctx<'_>, array: &str, random: &mut Random) -> Result<(), Failure> {
    let mode = *random.pick(&["fragments", "fragment_meta", "commits", "array_meta"]);
    let uri = text(array);
    let mut config = ctx.api.config(&[("sm.consolidation.mode", mode), ("sm.vacuum.mode", mode)]);
    let mut outcome = ctx.call("array_consolidate", &[pointer(&uri), config]);
    if outcome.is_ok() && random.one_in(2) {
        outcome = ctx.call("array_vacuum", &[pointer(&uri), config]);
    }
    ctx.api.raw("config_free", &[address(&mut config)]);
    outcome
}

/// Puts and deletes random metadata of an array or group.
pub fn put_metadata(ctx: &Ctx<'_>, kind: &str, handle: u64, random: &mut Random) -> Result<(), Failure> {
    const TYPES: [(u64, usize); 8] = [(0, 4), (1, 8), (3, 8), (6, 1), (8, 2), (11, 1), (12, 1), (40, 1)];
    for _ in 0..random.between(0, 5) {
        let key = text(random.pick::<&str>(&["a", "b", "longer key", "é", "z"]));
        if random.one_in(5) {
            ctx.call(&format!("{kind}_delete_metadata"), &[handle, pointer(&key)])?;
            continue;
        }
        let (datatype, size) = *random.pick(&TYPES);
        let count = random.between(1, 9) as usize;
        let value: Vec<u8> = (0..count * size).map(|_| (random.next() % 120) as u8 + 1).collect();
        let args = [handle, pointer(&key), datatype, count as u64, bytes(&value)];
        ctx.call(&format!("{kind}_put_metadata"), &args)?;
    }
    Ok(())
}

/// A random evolution: attributes that come and go, enumerations, a time.
pub fn evolution(ctx: &Ctx<'_>, random: &mut Random, scenario: &Scenario, time: u64) -> Result<u64, Failure> {
    let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
    for number in 0..random.between(0, 2) {
        let (name, datatype) = (text(&format!("new{number}")), *random.pick(&[0u64, 3, 5, 9, 40, 43]));
        let attribute = ctx.get("attribute_alloc", &[pointer(&name), datatype])?;
        if random.one_in(3) {
            ctx.call("attribute_set_nullable", &[attribute, 1])?;
        }
        if random.one_in(3) {
            ctx.call("attribute_set_cell_val_num", &[attribute, u64::from(u32::MAX)])?;
        }
        ctx.call("array_schema_evolution_add_attribute", &[evolution, attribute])?;
        ctx.free("attribute", attribute);
    }
    if scenario.attributes.len() > 1 && random.one_in(3) {
        ctx.call("array_schema_evolution_drop_attribute", &[evolution, pointer(&text("a0"))])?;
    }
    if random.one_in(2) {
        let enumeration = enumeration(ctx, random)?;
        ctx.call("array_schema_evolution_add_enumeration", &[evolution, enumeration])?;
        ctx.free("enumeration", enumeration);
    }
    if random.one_in(8) {
        ctx.call("array_schema_evolution_drop_enumeration", &[evolution, pointer(&text("gone"))])?;
    }
    ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, time, time])?;
    Ok(evolution)
}

/// A random enumeration: of fixed values or of strings, perhaps empty.
fn enumeration(ctx: &Ctx<'_>, random: &mut Random) -> Result<u64, Failure> {
    let name = text(random.pick::<&str>(&["colours", "sizes"]));
    let ordered = random.next() % 2;
    let count = random.between(0, 5) as u64;
    if random.one_in(2) {
        let values: Vec<u8> = (0..count as u32).flat_map(|value| (value * 7).to_le_bytes()).collect();
        let data = if values.is_empty() { 0 } else { bytes(&values) };
        let args = [pointer(&name), 0, 1, ordered, data, values.len() as u64, 0, 0];
        return ctx.get("enumeration_alloc", &args);
    }
    let words: Vec<String> = (0..count).map(|number| "ab".repeat(number as usize)).collect();
    let data = words.concat();
    let offsets: Vec<u8> = (0..words.len()).flat_map(|i| (words[..i].concat().len() as u64).to_le_bytes()).collect();
    let place = |bytes: &[u8]| if bytes.is_empty() { 0 } else { bytes.as_ptr() as u64 };
    let sizes = (data.len() as u64, offsets.len() as u64);
    let any = u64::from(u32::MAX);
    let args = [pointer(&name), 12, any, ordered, place(data.as_bytes()), sizes.0, place(&offsets), sizes.1];
    ctx.get("enumeration_alloc", &args)
}

fn make_group(ctx: &Ctx<'_>, array: &str, group: &str, random: &mut Random) -> Result<(), Failure> {
    ctx.call("group_create", &[pointer(&text(group))])?;
    let handle = ctx.get("group_alloc", &[pointer(&text(group))])?;
    ctx.call("group_open", &[handle, WRITE])?;
    if random.one_in(2) {
        let name = text("the array");
        ctx.call("group_add_member", &[handle, pointer(&text(array)), 0, pointer(&name)])?;
    }
    if random.one_in(3) {
        ctx.call("group_add_member", &[handle, pointer(&text(group)), 0, 0])?;
    }
    put_metadata(ctx, "group", handle, random)?;
    let closed = ctx.call("group_close", &[handle]);
    ctx.free("group", handle);
    closed
}
