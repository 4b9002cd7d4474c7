//! Tables, footers and names of fragments.

use std::fs::File;
use std::os::unix::fs::symlink;

use super::*;

/// One cell per tile, with texts as coordinates and values: boxes, minima and maxima are texts, too.
pub fn write_tiles(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    create(ctx, &uri, &Fields { dimensions: vec![("d".to_owned(), true)], capacity: 1, ..fields() })?;
    let mut columns = [text_column("d", (0..count).map(entry)), text_column("a", (0..count).map(entry))];
    submit(ctx, &uri, WRITE, &mut columns)
}

pub fn read_tiles(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let array = Array::open(ctx, &format!("{place}/a"), READ, None, None)?;
    for number in samples(count) {
        let subarray = ctx.get("subarray_alloc", &[array.handle])?;
        let value = entry(number);
        let end = [bytes(value.as_bytes()), value.len() as u64];
        ctx.call("subarray_add_range_var", &[subarray, 0, end[0], end[1], end[0], end[1]])?;
        let query = ctx.get("query_alloc", &[array.handle, READ])?;
        ctx.call("query_set_layout", &[query, UNORDERED])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        let condition = ctx.get("query_condition_alloc", &[])?;
        ctx.call("query_condition_init", &[condition, pointer(&text("a")), end[0], end[1], 4])?;
        ctx.call("query_set_condition", &[query, condition])?;
        let mut column = Column::with_capacity("a", 256, Some(8), None);
        column.bind(ctx, query)?;
        ctx.call("query_submit", &[query])?;
        assert_eq!(column.result().data, value.as_bytes());
        ctx.free("query", query);
        ctx.free("subarray", subarray);
    }
    Ok(())
}

/// The fragments of an array that was written once.
struct Fragments {
    uri: String,
    /// The name of the one that was written.
    last: String,
    /// The time at which it was written.
    time: u64,
}

/// The first name in a listing of a folder.
fn first_name(folder: &str) -> String {
    std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap()
}

impl Fragments {
    /// Creates an array with one cell.
    fn create(ctx: &Ctx<'_>, place: &str) -> Result<Fragments, Failure> {
        let uri = format!("{place}/a");
        create(ctx, &uri, &fields())?;
        submit(ctx, &uri, WRITE, &mut [numbers("d", 0..1), text_column("a", std::iter::once(entry(0)))])?;
        let last = first_name(&format!("{uri}/__fragments"));
        let time = last.split('_').nth(2).unwrap().parse().unwrap();
        Ok(Fragments { uri, last, time })
    }

    /// Adds earlier fragments with the same files, so that there are `count`. Their folders are links to the first one.
    fn copy(&self, count: usize) {
        for number in 1..count {
            let time = self.time - number as u64;
            let unique = &self.last.split('_').nth(4).unwrap()[8..];
            let version = self.last.rsplit('_').next().unwrap();
            let name = format!("__{time}_{time}_{number:08x}{unique}_{version}");
            symlink(&self.last, format!("{}/__fragments/{name}", self.uri)).unwrap();
            File::create(format!("{}/__commits/{name}.wrt", self.uri)).unwrap();
        }
    }
}

/// Footers of fragments, which are consolidated.
pub fn write_footers(ctx: &Ctx<'_>, meter: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let fragments = Fragments::create(ctx, place)?;
    fragments.copy(count);
    meter.restart();
    consolidate(ctx, &fragments.uri, "commits")?;
    consolidate(ctx, &fragments.uri, "fragment_meta")
}

pub fn read_footers(ctx: &Ctx<'_>, _: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let info = ctx.get("fragment_info_alloc", &[pointer(&text(&format!("{place}/a")))])?;
    ctx.call("fragment_info_load", &[info])?;
    assert_eq!(ctx.get("fragment_info_get_fragment_num", &[info])? as u32, count as u32);
    let unconsolidated = ctx.get("fragment_info_get_unconsolidated_metadata_num", &[info])?;
    assert_eq!(unconsolidated as u32, 0);
    Ok(())
}

/// Names of fragments, whose commits are consolidated and removed.
pub fn write_names(ctx: &Ctx<'_>, meter: &Meter, place: &str, count: usize) -> Result<(), Failure> {
    let fragments = Fragments::create(ctx, place)?;
    fragments.copy(count);
    meter.restart();
    consolidate(ctx, &fragments.uri, "commits")?;
    let mut config = ctx.api.config(&[("sm.vacuum.mode", "commits")]);
    ctx.call("array_vacuum", &[pointer(&text(&fragments.uri)), config])?;
    ctx.api.raw("config_free", &[address(&mut config)]);
    assert_eq!(std::fs::read_dir(format!("{}/__commits", fragments.uri)).unwrap().count(), 1);
    Ok(())
}

/// Reads one fragment, by its time.
pub fn read_names(ctx: &Ctx<'_>, _: &Meter, place: &str, _: usize) -> Result<(), Failure> {
    let uri = format!("{place}/a");
    let name = first_name(&format!("{uri}/__fragments"));
    let time = name.split('_').nth(2).unwrap().parse().unwrap();
    let array = Array::open(ctx, &uri, READ, Some(time), Some(time))?;
    let mut columns = [Column::with_capacity("d", 64, None, None)];
    submit_to(ctx, &array, READ, &mut columns)?;
    assert_eq!(columns[0].result().data, 0i64.to_le_bytes());
    Ok(())
}
