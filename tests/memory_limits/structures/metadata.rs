//! Metadata of arrays and groups.

use super::*;

fn put(ctx: &Ctx<'_>, function: &str, handle: u64, count: usize) -> Result<(), Failure> {
    (0..count).try_for_each(|number| {
        let (key, value) = (text(&entry(number)), format!("value {number}"));
        let value = [value.len() as u64, bytes(value.as_bytes())];
        ctx.call(function, &[handle, pointer(&key), STRING_ASCII, value[0], value[1]])
    })
}

fn compare(ctx: &Ctx<'_>, kind: &str, handle: u64, count: usize) -> Result<(), Failure> {
    assert_eq!(ctx.get(&format!("{kind}_get_metadata_num"), &[handle])?, count as u64);
    for number in samples(count) {
        let (mut datatype, mut length, mut value) = (0u64, 0u64, 0u64);
        let output = [address(&mut datatype), address(&mut length), address(&mut value)];
        let key = text(&entry(number));
        let arguments = [handle, pointer(&key), output[0], output[1], output[2]];
        ctx.call(&format!("{kind}_get_metadata"), &arguments)?;
        let expected = format!("value {number}");
        assert_eq!(length as usize, expected.len());
        assert!(borrowed(value).starts_with(&expected));
    }
    Ok(())
}

pub fn write_array(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    create(ctx, &uri, &fields())?;
    let array = Array::open(ctx, &uri, WRITE, None, None)?;
    put(ctx, "array_put_metadata", array.handle, count)?;
    ctx.call("array_close", &[array.handle])
}

pub fn read_array(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    compare(ctx, "array", array.handle, count)
}

pub fn write_group(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let group = format!("{place}/g");
    ctx.call("group_create", &[pointer(&text(&group))])?;
    with_group(ctx, &group, WRITE, |group| put(ctx, "group_put_metadata", group, count))
}

pub fn read_group(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    with_group(ctx, &format!("{place}/g"), READ, |group| compare(ctx, "group", group, count))
}

/// A single value of zeros, such as a mask.
pub fn write_value(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    create(ctx, &uri, &fields())?;
    let array = Array::open(ctx, &uri, WRITE, None, None)?;
    let (key, value) = (text("mask"), vec![0; count]);
    let arguments = [array.handle, pointer(&key), UINT8, count as u64, bytes(&value)];
    ctx.call("array_put_metadata", &arguments)?;
    ctx.call("array_close", &[array.handle])
}

pub fn read_value(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    let (mut datatype, mut length, mut value) = (0u64, 0u64, 0u64);
    let output = [address(&mut datatype), address(&mut length), address(&mut value)];
    let key = text("mask");
    ctx.call("array_get_metadata", &[array.handle, pointer(&key), output[0], output[1], output[2]])?;
    assert_eq!((datatype as u32, length as u32), (UINT8 as u32, count as u32));
    Ok(())
}
