//! Serialization and deserialization of each kind of object.

use support::{Array, Ctx, Failure, pointer, text};

type Bytes = Result<Vec<u8>, Failure>;

/// Uses a handle and frees it.
pub fn with<T>(
    ctx: &Ctx<'_>,
    kind: &str,
    made: Result<u64, Failure>,
    act: impl FnOnce(u64) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let handle = made?;
    let outcome = act(handle);
    ctx.free(kind, handle);
    outcome
}

/// `TILEDB_JSON`.
const JSON: u64 = 0;

pub fn schema(ctx: &Ctx<'_>, uri: &str, form: u64, side: u64) -> Bytes {
    let made = ctx.get("array_schema_load", &[pointer(&text(uri))]);
    with(ctx, "array_schema", made, |schema| ctx.message("serialize_array_schema", &[schema, form, side]))
}

pub fn schema_again(ctx: &Ctx<'_>, form: u64, bytes: &[u8], side: u64) -> Bytes {
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array_schema", &[buffer.handle, form, 0]);
    with(ctx, "array_schema", made, |schema| ctx.message("serialize_array_schema", &[schema, JSON, side]))
}

pub fn array(ctx: &Ctx<'_>, uri: &str, window: (Option<u64>, Option<u64>), kind: u64, form: u64, side: u64) -> Bytes {
    let array = Array::open(ctx, uri, kind, window.0, window.1)?;
    ctx.message("serialize_array", &[array.handle, form, side])
}

pub fn array_again(ctx: &Ctx<'_>, uri: &str, form: u64, bytes: &[u8], side: u64) -> Bytes {
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array", &[buffer.handle, form, side, pointer(&text(uri))]);
    with(ctx, "array", made, |array| ctx.message("serialize_array", &[array, JSON, side]))
}

/// What a function says of an array that is open for reading.
pub fn of_array(ctx: &Ctx<'_>, uri: &str, end: u64, function: &str, args: &[u64]) -> Bytes {
    let array = Array::open(ctx, uri, 0, None, Some(end))?;
    ctx.message(function, &[&[array.handle], args].concat())
}

/// What a server answers of an array that is open for reading.
pub fn answered(ctx: &Ctx<'_>, uri: &str, function: &str, form: u64, request: &[u8]) -> Bytes {
    let array = Array::open(ctx, uri, 0, None, Some(1000))?;
    ctx.answer(function, array.handle, form, request)
}

pub fn metadata_again(ctx: &Ctx<'_>, uri: &str, form: u64, bytes: &[u8]) -> Bytes {
    let buffer = ctx.buffer(bytes);
    // Closed without a write, since no cell and no file may change: the changes are dropped with the handle's array.
    let array = Array::open(ctx, uri, 1, None, Some(1))?;
    ctx.call("deserialize_array_metadata", &[array.handle, form, buffer.handle])?;
    ctx.message("serialize_array_metadata", &[array.handle, JSON])
}

pub fn domain_again(ctx: &Ctx<'_>, uri: &str, form: u64, bytes: &[u8]) -> Bytes {
    let buffer = ctx.buffer(bytes);
    let array = Array::open(ctx, uri, 0, None, Some(1000))?;
    let function = "deserialize_array_non_empty_domain_all_dimensions";
    ctx.call(function, &[array.handle, buffer.handle, form, 1])?;
    ctx.message("serialize_array_non_empty_domain_all_dimensions", &[array.handle, JSON, 0])
}

pub fn fragment_info(ctx: &Ctx<'_>, uri: &str, form: u64, side: u64) -> Bytes {
    with(ctx, "fragment_info", ctx.get("fragment_info_alloc", &[pointer(&text(uri))]), |info| {
        ctx.call("fragment_info_load", &[info])?;
        ctx.message("serialize_fragment_info", &[info, form, side])
    })
}

pub fn fragment_info_again(ctx: &Ctx<'_>, uri: &str, form: u64, bytes: &[u8], side: u64) -> Bytes {
    let (buffer, uri) = (ctx.buffer(bytes), text(uri));
    with(ctx, "fragment_info", ctx.get("fragment_info_alloc", &[pointer(&uri)]), |info| {
        ctx.call("deserialize_fragment_info", &[buffer.handle, form, pointer(&uri), 1, info])?;
        ctx.message("serialize_fragment_info", &[info, JSON, side])
    })
}

pub fn evolution_again(ctx: &Ctx<'_>, form: u64, bytes: &[u8]) -> Bytes {
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_array_schema_evolution", &[buffer.handle, form, 0]);
    with(ctx, "array_schema_evolution", made, |evolution| {
        ctx.message("serialize_array_schema_evolution", &[evolution, JSON, 1])
    })
}

/// What is said of an open group.
pub fn group(ctx: &Ctx<'_>, uri: &str, act: impl FnOnce(u64) -> Bytes) -> Bytes {
    with(ctx, "group", ctx.get("group_alloc", &[pointer(&text(uri))]), |group| {
        ctx.call("group_open", &[group, 0])?;
        let outcome = act(group);
        ctx.call("group_close", &[group])?;
        outcome
    })
}

pub fn config_again(ctx: &Ctx<'_>, form: u64, bytes: &[u8]) -> Bytes {
    let buffer = ctx.buffer(bytes);
    let made = ctx.get("deserialize_config", &[buffer.handle, form, 0]);
    with(ctx, "config", made, |config| ctx.message("serialize_config", &[config, JSON, 1]))
}
