//! Values of an enumeration.

use super::*;

pub fn write(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let (data, offsets) = texts((0..count).map(entry));
    let name = text("terms");
    let (sizes, datatype) = ([data.len() as u64, 8 * offsets.len() as u64], STRING_ASCII);
    let values = [bytes(&data), sizes[0], offsets.as_ptr() as u64, sizes[1]];
    let arguments = [&[pointer(&name), datatype, VARIABLE, 0][..], &values].concat();
    let enumeration = ctx.get("enumeration_alloc", &arguments)?;
    let schema = schema(ctx, &Fields { attributes: Vec::new(), ..fields() })?;
    ctx.call("array_schema_add_enumeration", &[schema, enumeration])?;
    let attribute = ctx.get("attribute_alloc", &[pointer(&text("t")), UINT32])?;
    ctx.call("attribute_set_enumeration_name", &[attribute, pointer(&name)])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    ctx.call("array_create", &[pointer(&text(&format!("{place}/a"))), schema])
}

pub fn read(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    let enumeration = ctx.get("array_get_enumeration", &[array.handle, pointer(&text("terms"))])?;
    for number in samples(count) {
        let value = entry(number);
        let (mut exists, mut index) = (0u64, 0u64);
        let output = [address(&mut exists), address(&mut index)];
        let arguments = [enumeration, bytes(value.as_bytes()), value.len() as u64, output[0], output[1]];
        ctx.call("enumeration_get_value_index", &arguments)?;
        assert_eq!((exists as u32, index), (1, number as u64));
    }
    let (mut offsets, mut size) = (0u64, 0u64);
    ctx.call("enumeration_get_offsets", &[enumeration, address(&mut offsets), address(&mut size)])?;
    assert_eq!(size, 8 * count as u64);
    Ok(())
}
