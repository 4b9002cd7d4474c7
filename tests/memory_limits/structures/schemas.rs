//! Attributes and dimensions.

use super::*;

fn attributes(count: usize) -> Fields {
    Fields { attributes: (0..count).map(|number| (entry(number), number % 2 == 0)).collect(), ..fields() }
}

pub fn write_attributes(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    create(ctx, &format!("{place}/a"), &attributes(count))
}

pub fn read_attributes(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    let schema = ctx.get("array_get_schema", &[array.handle])?;
    assert_eq!(ctx.get("array_schema_get_attribute_num", &[schema])? as u32, count as u32);
    for number in samples(count) {
        let attribute = ctx.get("array_schema_get_attribute_from_index", &[schema, number as u64])?;
        assert_eq!(borrowed(ctx.get("attribute_get_name", &[attribute])?), entry(number));
    }
    Ok(())
}

pub fn write_dimensions(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let dimensions = (0..count).map(|number| (entry(number), number % 2 == 0)).collect();
    create(ctx, &format!("{place}/a"), &Fields { dimensions, ..fields() })
}

pub fn read_dimensions(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    let schema = ctx.get("array_get_schema", &[array.handle])?;
    let domain = ctx.get("array_schema_get_domain", &[schema])?;
    assert_eq!(ctx.get("domain_get_ndim", &[domain])? as u32, count as u32);
    Ok(())
}
