//! Members of a group.

use super::*;

const ARRAY: u64 = 2;

fn uri(number: usize) -> String {
    format!("s3://institute-of-everything-production/projects/single-cell-atlas/releases/2026-11/array_{number:07}")
}

pub fn write(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let group = format!("{place}/g");
    ctx.call("group_create", &[pointer(&text(&group))])?;
    with_group(ctx, &group, WRITE, |group| {
        (0..count).try_for_each(|number| {
            let (uri, name) = (text(&uri(number)), text(&entry(number)));
            ctx.call("group_add_member_with_type", &[group, pointer(&uri), 0, pointer(&name), ARRAY])
        })
    })
}

pub fn read(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    with_group(ctx, &format!("{place}/g"), READ, |group| {
        assert_eq!(ctx.get("group_get_member_count", &[group])?, count as u64);
        for number in samples(count) {
            let (mut member, mut kind) = (0u64, 0u64);
            let name = text(&entry(number));
            let arguments = [group, pointer(&name), address(&mut member), address(&mut kind)];
            ctx.call("group_get_member_by_name_v2", &arguments)?;
            assert_eq!((ctx.take_string(member), kind as u32), (Some(uri(number)), ARRAY as u32));
        }
        Ok(())
    })
}
