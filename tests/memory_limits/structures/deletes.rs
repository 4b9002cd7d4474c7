//! Conditions of deletes.

use super::*;

const EQUAL: u64 = 4;
const OR: u64 = 1;
const IN: u64 = 6;

/// An array of two cells, one of which a condition of many values deletes.
fn prepare(ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
    create(ctx, uri, &fields())?;
    let cells = ["another".to_owned(), entry(0)].into_iter();
    submit(ctx, uri, WRITE, &mut [numbers("d", 0..2), text_column("a", cells)])
}

fn delete(ctx: &Ctx<'_>, uri: &str, condition: u64) -> Result<(), Failure> {
    let array = Array::open(ctx, uri, DELETE, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, DELETE])?;
    ctx.call("query_set_condition", &[query, condition])?;
    ctx.call("query_submit", &[query])?;
    ctx.free("query", query);
    Ok(())
}

fn comparison(ctx: &Ctx<'_>, value: &str) -> Result<u64, Failure> {
    let condition = ctx.get("query_condition_alloc", &[])?;
    let value = [bytes(value.as_bytes()), value.len() as u64];
    ctx.call("query_condition_init", &[condition, pointer(&text("a")), value[0], value[1], EQUAL])?;
    Ok(condition)
}

pub fn write_set(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    prepare(ctx, &uri)?;
    let (data, offsets) = texts((0..count).map(entry));
    let values = [bytes(&data), data.len() as u64, offsets.as_ptr() as u64, 8 * offsets.len() as u64];
    let field = text("a");
    let arguments = [pointer(&field), values[0], values[1], values[2], values[3], IN];
    delete(ctx, &uri, ctx.get("query_condition_alloc_set_membership", &arguments)?)
}

/// One comparison per value, combined in pairs.
pub fn write_comparisons(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    prepare(ctx, &uri)?;
    let mut level = (0..count).map(|number| comparison(ctx, &entry(number))).collect::<Result<Vec<u64>, _>>()?;
    while level.len() > 1 {
        let mut next = Vec::new();
        for pair in level.chunks(2) {
            next.push(match pair {
                [one, other] => {
                    let both = ctx.get("query_condition_combine", &[*one, *other, OR])?;
                    ctx.free("query_condition", *one);
                    ctx.free("query_condition", *other);
                    both
                }
                _ => pair[0],
            });
        }
        level = next;
    }
    delete(ctx, &uri, level[0])
}

/// A deletion per value, whose commits are consolidated.
pub fn write_conditions(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    prepare(ctx, &uri)?;
    for number in (0..count).rev() {
        delete(ctx, &uri, comparison(ctx, &entry(number))?)?;
    }
    consolidate(ctx, &uri, "commits")
}

pub fn read(ctx: &Ctx<'_>, _: &Meter, place: &str, _: usize) -> Result<(), Failure> {
    let mut columns = [Column::with_capacity("d", 64, None, None), Column::with_capacity("a", 256, Some(8), None)];
    submit(ctx, &format!("{place}/a"), READ, &mut columns)?;
    assert_eq!(columns[0].result().data, 0i64.to_le_bytes());
    assert_eq!(columns[1].result().data, b"another");
    Ok(())
}
