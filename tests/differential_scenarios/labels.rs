//! Dimension labels: their arrays, writing and reading labels, and selecting cells by labels.

use crate::Scenario;
use crate::world::{
    ASCII, COL, FLOAT64, GLOBAL, INT32, INT64, Little, ROW, Spec, UNORDERED, World, attr, dense, dim, fixed, schema,
    sparse, var,
};
use support::{Array, Cells, Column, Ctx, Failure, address, bytes, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("labels_arrays", arrays),
    ("labels_writes", writes),
    ("labels_reads", reads),
    ("labels_incomplete_reads", incomplete),
    ("labels_of_sparse_arrays", sparse_arrays),
    ("labels_through_time", time_travel),
    ("labels_encrypted", encrypted),
    ("labels_of_many_tiles", many_tiles),
];

pub const INCREASING: u64 = 1;
pub const DECREASING: u64 = 2;
const KEY: [(&str, &str); 2] =
    [("sm.encryption_type", "AES_256_GCM"), ("sm.encryption_key", "0123456789abcdeF0123456789abcdeF")];

/// A label: its dimension, name, order and type.
pub type Label = (u64, &'static str, u64, u64);

pub const LABELS: [Label; 3] =
    [(0, "li", INCREASING, INT64), (0, "lf", DECREASING, FLOAT64), (1, "ls", INCREASING, ASCII)];

pub fn spec() -> Spec {
    dense(&[dim("r", 1, 8, 4), dim("c", 1, 6, 3)], &[attr("a", INT32, 1, false)])
}

pub fn labelled(ctx: &Ctx<'_>, spec: &Spec, labels: &[Label]) -> Result<u64, Failure> {
    let schema = schema(ctx, spec)?;
    for (dimension, name, order, ty) in labels {
        ctx.call("array_schema_add_dimension_label", &[schema, *dimension, pointer(&text(name)), *order, *ty])?;
    }
    Ok(schema)
}

pub fn create(world: &World<'_>, ctx: &Ctx<'_>, name: &str, spec: &Spec, labels: &[Label]) {
    let made = labelled(ctx, spec, labels).and_then(|schema| {
        ctx.call("array_create", &[pointer(&text(&world.uri(name))), schema])?;
        ctx.free("array_schema", schema);
        Ok(())
    });
    world.tell(&format!("create {name}"), made);
}

/// Arrays of labels as arrays of their own.
fn arrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "d", &spec(), &LABELS);
    let write = |layout, cells: &[i64]| {
        let uri = world.uri("d/__labels/l0");
        let written = submit(&ctx, &uri, layout, 5, &[], &[("label", fixed(cells))]);
        world.tell(&format!("{cells:?} in layout {layout}"), written);
    };
    write(ROW, &[1, 2, 3, 4, 5, 6, 7, 8]);
    write(ROW, &[1, 2, 3, 3, 5, 6, 7, 8]);
    write(COL, &[1, 2, 3, 4, 5, 6, 7, 0]);
    write(GLOBAL, &[1, 2, 3, 4, 5, 6, 7, 8]);
    read(world, &ctx, "d", &Read { ranges: &[(0, 1, 8)], ..reading(&["li"]) });
    read(world, &ctx, "d", &Read { chosen: &[("li", Chosen::Int(3, 5))], ..reading(&["li", "a"]) });
}

/// Writes columns into a region and tells the number of fragments.
fn submit(
    ctx: &Ctx<'_>,
    uri: &str,
    layout: u64,
    time: u64,
    region: &[(u64, i32, i32)],
    columns: &[(&str, Cells)],
) -> Result<u64, Failure> {
    let array = Array::open(ctx, uri, 1, None, Some(time))?;
    let query = ctx.get("query_alloc", &[array.handle, 1])?;
    let run = || {
        ctx.call("query_set_layout", &[query, layout])?;
        if !region.is_empty() {
            let subarray = ctx.get("subarray_alloc", &[array.handle])?;
            for (dimension, low, high) in region {
                let (low, high) = ([*low].little(), [*high].little());
                ctx.call("subarray_add_range", &[subarray, *dimension, bytes(&low), bytes(&high), 0])?;
            }
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        let mut columns: Vec<Column> =
            columns.iter().map(|(name, cells)| Column::filled(name, cells.clone())).collect();
        columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
        ctx.call("query_submit", &[query])?;
        if layout == GLOBAL {
            ctx.call("query_finalize", &[query])?;
        }
        ctx.get("query_get_fragment_num", &[query]).map(|number| number as u32 as u64)
    };
    let outcome = run();
    ctx.free("query", query);
    outcome
}

fn write(
    world: &World<'_>,
    ctx: &Ctx<'_>,
    layout: u64,
    time: u64,
    region: &[(u64, i32, i32)],
    columns: &[(&str, Cells)],
) {
    let names: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let written = submit(ctx, &world.uri("d"), layout, time, region, columns);
    world.say(&format!("{:?} fragments", written.as_ref().ok()));
    world.tell(&format!("write {names:?} to {region:?} in layout {layout}"), written);
}

#[derive(Clone, Copy)]
enum Chosen {
    Int(i64, i64),
    Float(f64, f64),
    Text(&'static str, &'static str),
}

#[derive(Clone)]
struct Read<'a> {
    layout: u64,
    ranges: &'a [(u64, i32, i32)],
    chosen: &'a [(&'a str, Chosen)],
    /// Fields with the bytes and offsets there is room for.
    fields: Vec<(&'a str, usize, usize)>,
    end: Option<u64>,
    submits: usize,
}

fn reading<'a>(fields: &[&'a str]) -> Read<'a> {
    let fields = fields.iter().map(|field| (*field, 1 << 12, if *field == "ls" { 64 } else { 0 })).collect();
    Read { layout: ROW, ranges: &[], chosen: &[], fields, end: None, submits: 2 }
}

fn subarray(ctx: &Ctx<'_>, array: u64, read: &Read<'_>) -> Result<u64, Failure> {
    let subarray = ctx.get("subarray_alloc", &[array])?;
    for (dimension, low, high) in read.ranges {
        ctx.call("subarray_add_range", &[subarray, *dimension, bytes(&[*low].little()), bytes(&[*high].little()), 0])?;
    }
    for (name, chosen) in read.chosen {
        let name = text(name);
        let (low, high) = match chosen {
            Chosen::Int(low, high) => ([*low].little(), [*high].little()),
            Chosen::Float(low, high) => ([*low].little(), [*high].little()),
            Chosen::Text(low, high) => {
                let low = [bytes(low.as_bytes()), low.len() as u64];
                let ends = [[subarray, pointer(&name)], low, [bytes(high.as_bytes()), high.len() as u64]].concat();
                ctx.call("subarray_add_label_range_var", &ends)?;
                continue;
            }
        };
        ctx.call("subarray_add_label_range", &[subarray, pointer(&name), bytes(&low), bytes(&high), 0])?;
    }
    Ok(subarray)
}

/// Reads, and tells what every submit leaves in the buffers.
fn read(world: &World<'_>, ctx: &Ctx<'_>, name: &str, read: &Read<'_>) {
    let outcome = Array::open(ctx, &world.uri(name), 0, None, read.end).and_then(|array| {
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        ctx.call("query_set_layout", &[query, read.layout])?;
        let subarray = subarray(ctx, array.handle, read)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        let room = |(name, bytes, offsets): &(&str, usize, usize)| {
            Column::with_capacity(name, *bytes, (*offsets > 0).then_some(*offsets), None)
        };
        let mut columns: Vec<Column> = read.fields.iter().map(room).collect();
        columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
        for _ in 0..read.submits {
            ctx.call("query_submit", &[query])?;
            let filled: Vec<Cells> = columns.iter().map(Column::result).collect();
            let shown = filled.iter().map(|cells| format!(" {} {:?}", cells.data.escape_ascii(), cells.offsets));
            world.say(&format!("  status {:?}{}", ctx.get("query_get_status", &[query]), shown.collect::<String>()));
        }
        let resolved = ctx.get("query_get_subarray_t", &[query])?;
        let ranges = [0, 1].map(|dimension| ctx.get("subarray_get_range_num", &[resolved, dimension]).ok());
        world.say(&format!("  ranges {ranges:?}"));
        ctx.free("subarray", resolved);
        ctx.free("subarray", subarray);
        ctx.free("query", query);
        Ok(())
    });
    let fields: Vec<&str> = read.fields.iter().map(|field| field.0).collect();
    world.tell(&format!("read {fields:?} of {name} in layout {} at {:?}", read.layout, read.end), outcome);
}

fn writes(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "d", &spec(), &LABELS);
    let li = |cells: &[i64]| ("li", fixed(cells));
    let lf = |cells: &[f64]| ("lf", fixed(cells));
    let ls = |cells: &[&str]| ("ls", var(cells));
    let a = |count: i32| ("a", fixed(&(0..count).collect::<Vec<i32>>()));
    let eight = [1, 2, 3, 4, 5, 6, 7, 8];
    let down = [8.0, 7.0, 6.0, 5.0, 4.5, 3.0, 0.0, -1.0];
    let texts = ["", "a", "ab", "b", "bb", "c"];
    write(world, &ctx, ROW, 10, &[(0, 1, 8)], &[li(&eight)]);
    write(world, &ctx, ROW, 20, &[], &[li(&eight)]);
    write(world, &ctx, ROW, 30, &[], &[li(&eight[..3])]);
    write(world, &ctx, ROW, 40, &[(0, 5, 8), (1, 1, 2)], &[li(&[101, 102, 103, 104])]);
    write(world, &ctx, COL, 45, &[(0, 7, 8)], &[li(&[203, 204])]);
    for cells in [[4, 3, 2, 1], [4, 4, 5, 6], [1, 2, 3, 3]] {
        write(world, &ctx, ROW, 50, &[(0, 5, 8)], &[li(&cells)]);
    }
    for cells in [[4.0, 4.0, 3.0, 1.0], [1.0, 2.0, 3.0, 4.0], [4.0, f64::NAN, 2.0, 1.0]] {
        write(world, &ctx, ROW, 60, &[(0, 5, 8)], &[lf(&cells)]);
    }
    for cells in [["a", "c", "b"], ["a", "a", "b"], ["", "a", "ab"]] {
        write(world, &ctx, ROW, 70, &[(1, 1, 3)], &[ls(&cells)]);
    }
    write(world, &ctx, ROW, 80, &[], &[ls(&texts), lf(&down)]);
    write(world, &ctx, ROW, 90, &[], &[a(48), li(&eight), lf(&down), ls(&texts)]);
    write(world, &ctx, ROW, 100, &[], &[a(40), li(&eight)]);
    write(world, &ctx, COL, 110, &[(0, 1, 4), (1, 1, 3)], &[a(12), li(&[11, 12, 13, 14])]);
    write(world, &ctx, GLOBAL, 120, &[], &[li(&eight)]);
    write(world, &ctx, GLOBAL, 120, &[], &[a(48), li(&eight)]);
    write(world, &ctx, ROW, 130, &[(0, 1, 1), (0, 4, 4)], &[li(&[1, 2])]);
    let bare = |cells: Cells| Cells { offsets: None, ..cells };
    write(world, &ctx, ROW, 140, &[], &[("ls", bare(var(&texts)))]);
    let starts = |starts: &[u64]| ("ls", Cells { offsets: Some(starts.to_vec()), ..var(&["abcdef"]) });
    for offsets in [[0, 1, 2, 3, 4, 3], [0, 1, 2, 3, 4, 9]] {
        write(world, &ctx, ROW, 150, &[], &[starts(&offsets)]);
    }
    for (field, function) in [("li", "query_set_offsets_buffer"), ("li", "query_set_validity_buffer")] {
        let array = Array::open(&ctx, &world.uri("d"), 1, None, None).unwrap();
        let query = ctx.get("query_alloc", &[array.handle, 1]).unwrap();
        let (mut room, mut size) = ([0u64; 4], 8u64);
        let refused = ctx.call(function, &[query, pointer(&text(field)), address(&mut room), address(&mut size)]);
        world.tell(function, refused);
        ctx.free("query", query);
    }
    for fields in [["li", "lf"], ["ls", "a"]] {
        read(world, &ctx, "d", &Read { ranges: &[(0, 1, 8), (1, 1, 6)], ..reading(&fields) });
    }
    // Cells written where labels are.
    write(world, &ctx, ROW, 190, &[], &[li(&eight)]);
    by_label(world, &ctx, &[("a", fixed(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]))]);
    by_label(world, &ctx, &[("lf", fixed(&[9.0, 8.0]))]);
    read(world, &ctx, "d", &Read { ranges: &[(0, 1, 8), (1, 1, 6)], ..reading(&["a"]) });
}

fn by_label(world: &World<'_>, ctx: &Ctx<'_>, columns: &[(&str, Cells)]) {
    let outcome = Array::open(ctx, &world.uri("d"), 1, None, Some(200)).and_then(|array| {
        let chosen = Read { chosen: &[("li", Chosen::Int(2, 3))], ..reading(&[]) };
        let subarray = subarray(ctx, array.handle, &chosen)?;
        let query = ctx.get("query_alloc", &[array.handle, 1])?;
        ctx.call("query_set_layout", &[query, ROW])?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        let mut columns: Vec<Column> =
            columns.iter().map(|(name, cells)| Column::filled(name, cells.clone())).collect();
        columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
        ctx.call("query_submit", &[query])?;
        ctx.free("query", query);
        ctx.free("subarray", subarray);
        Ok(())
    });
    world.tell("write by label", outcome);
}

/// An array with cells and labels.
fn filled(world: &World<'_>, ctx: &Ctx<'_>) {
    create(world, ctx, "d", &spec(), &LABELS);
    let columns = [
        ("a", fixed(&(0..48).collect::<Vec<i32>>())),
        ("li", fixed(&[10i64, 20, 30, 40, 50, 60, 70, 80])),
        ("lf", fixed(&[8.0, 7.0, 6.0, 5.0, 4.5, 3.0, 0.0, -1.0])),
        ("ls", var(&["", "a", "ab", "b", "bb", "c"])),
    ];
    write(world, ctx, ROW, 10, &[], &columns);
}

const ALL_COLUMNS: (u64, i32, i32) = (1, 1, 6);

fn reads(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    filled(world, &ctx);
    let tell = |request: Read<'_>| read(world, &ctx, "d", &request);
    tell(reading(&["li"]));
    tell(Read { ranges: &[(0, 3, 5)], ..reading(&["li", "lf"]) });
    tell(Read { ranges: &[(0, 3, 5)], ..reading(&["li", "ls"]) });
    tell(Read { ranges: &[(0, 7, 8), (0, 3, 5), (0, 4, 4), ALL_COLUMNS], ..reading(&["li", "ls", "a"]) });
    let chosen: [&[(&str, Chosen)]; 16] = [
        &[("li", Chosen::Int(30, 50))],
        &[("li", Chosen::Int(25, 55))],
        &[("li", Chosen::Int(i64::MIN, i64::MAX))],
        &[("li", Chosen::Int(80, 80)), ("li", Chosen::Int(10, 10)), ("li", Chosen::Int(25, 45))],
        &[("li", Chosen::Int(81, 90))],
        &[("li", Chosen::Int(0, 9))],
        &[("li", Chosen::Int(31, 39)), ("li", Chosen::Int(10, 20))],
        &[("lf", Chosen::Float(4.0, 6.0))],
        &[("lf", Chosen::Float(8.0, 8.0)), ("lf", Chosen::Float(7.0, 7.0))],
        &[("lf", Chosen::Float(0.5, 2.5))],
        &[("lf", Chosen::Float(f64::NEG_INFINITY, 0.0))],
        &[("ls", Chosen::Text("", "a"))],
        &[("ls", Chosen::Text("aa", "bbb"))],
        &[("ls", Chosen::Text("d", "z"))],
        &[("ls", Chosen::Text("b", "a"))],
        &[("ls", Chosen::Text("ab", "b")), ("li", Chosen::Int(70, 80))],
    ];
    for chosen in chosen {
        let other: &[(u64, i32, i32)] = match chosen.iter().map(|(name, _)| *name == "ls").collect::<Vec<_>>()[..] {
            [true] => &[(0, 2, 3)],
            [true, false] => &[],
            _ => &[(1, 2, 3)],
        };
        for layout in [ROW, COL] {
            tell(Read { layout, ranges: other, chosen, ..reading(&["li", "lf", "ls", "a"]) });
        }
        tell(Read { ranges: other, chosen, ..reading(&["a"]) });
        tell(Read { ranges: other, chosen, ..reading(&["ls"]) });
    }
    tell(Read { layout: GLOBAL, ranges: &[(0, 3, 5)], ..reading(&["li"]) });
    tell(Read { layout: GLOBAL, chosen: &[("li", Chosen::Int(30, 50))], ..reading(&["a"]) });
    tell(Read { layout: UNORDERED, chosen: &[("li", Chosen::Int(30, 50))], ..reading(&["li"]) });
    tell(Read { chosen: &[("li", Chosen::Int(3, 5)), ("lf", Chosen::Float(3.0, 5.0))], ..reading(&["a"]) });
    tell(Read { ranges: &[(0, 1, 2)], chosen: &[("li", Chosen::Int(3, 5))], ..reading(&["a"]) });
    tell(Read { fields: vec![("ls", 64, 0)], ranges: &[(0, 1, 2), ALL_COLUMNS], ..reading(&[]) });
    let array = Array::open(&ctx, &world.uri("d"), 0, None, None).unwrap();
    let query = ctx.get("query_alloc", &[array.handle, 0]).unwrap();
    let mut column = Column::with_capacity("a", 512, None, None);
    column.bind(&ctx, query).unwrap();
    let chosen = Read { chosen: &[("li", Chosen::Int(30, 50))], ..reading(&[]) };
    let subarray = subarray(&ctx, array.handle, &chosen).unwrap();
    ctx.call("query_set_subarray_t", &[query, subarray]).unwrap();
    let condition = ctx.get("query_condition_alloc", &[]).unwrap();
    let value = [5i32].little();
    ctx.call("query_condition_init", &[condition, pointer(&text("a")), bytes(&value), 4, 2]).unwrap();
    world.tell("condition", ctx.call("query_set_condition", &[query, condition]));
    world.tell("submit", ctx.call("query_submit", &[query]));
    ctx.free("query", query);
}

fn incomplete(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    filled(world, &ctx);
    // Of labels that vary in size ours gives more at a time, where their bytes are what is full.
    let rooms: [[(&str, usize, usize); 3]; 4] = [
        [("li", 16, 0), ("a", 512, 0), ("ls", 64, 64)],
        [("li", 64, 0), ("a", 8, 0), ("ls", 64, 64)],
        [("li", 16, 0), ("a", 8, 0), ("ls", 64, 2)],
        [("li", 64, 0), ("a", 512, 0), ("ls", 64, 2)],
    ];
    for fields in rooms {
        let request = Read {
            fields: fields.to_vec(),
            ranges: &[(1, 1, 4)],
            chosen: &[("li", Chosen::Int(30, 55))],
            submits: 9,
            ..reading(&[])
        };
        read(world, &ctx, "d", &request);
        let only: Vec<_> = fields.iter().copied().filter(|field| field.0 != "a").collect();
        read(world, &ctx, "d", &Read { fields: only, ..request });
    }
}

fn sparse_arrays(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let labels: [Label; 1] = [(0, "li", INCREASING, INT64)];
    create(world, &ctx, "d", &sparse(&[dim("x", 1, 8, 4)], &[attr("a", INT32, 1, false)]), &labels);
    let x = |cells: &[i32]| ("x", fixed(cells));
    let a = |cells: &[i32]| ("a", fixed(cells));
    let li = |cells: &[i64]| ("li", fixed(cells));
    let all = [10, 20, 30, 40, 50, 60, 70, 80];
    write(world, &ctx, UNORDERED, 10, &[], &[x(&[1, 2, 3, 4, 5, 6, 7, 8]), a(&[0, 1, 2, 3, 4, 5, 6, 7]), li(&all)]);
    write(world, &ctx, UNORDERED, 20, &[], &[x(&[1, 2, 3]), a(&[11, 12, 13]), li(&[11, 21, 31])]);
    write(world, &ctx, UNORDERED, 30, &[], &[x(&[1, 3, 5]), a(&[1, 2, 3]), li(&[11, 31, 51])]);
    write(world, &ctx, UNORDERED, 40, &[], &[x(&[3, 2, 1]), a(&[1, 2, 3]), li(&[11, 31, 51])]);
    write(world, &ctx, UNORDERED, 50, &[], &[x(&[3, 4, 5]), li(&[51, 41, 31])]);
    write(world, &ctx, UNORDERED, 60, &[], &[li(&all)]);
    write(world, &ctx, UNORDERED, 70, &[], &[x(&[4, 5]), li(&[41, 51])]);
    write(world, &ctx, UNORDERED, 80, &[(0, 1, 3)], &[li(&[11, 21, 31])]);
    write(world, &ctx, GLOBAL, 90, &[], &[x(&[1, 2]), a(&[1, 2]), li(&[11, 21])]);
    for layout in [ROW, COL, GLOBAL] {
        for fields in [&["x", "a"][..], &["x", "li"], &["li"], &["x", "a", "li"]] {
            let request = Read { layout, ..reading(fields) };
            read(world, &ctx, "d", &Read { chosen: &[("li", Chosen::Int(31, 51))], ..request.clone() });
            read(world, &ctx, "d", &Read { ranges: &[(0, 2, 3), (0, 7, 7)], ..request.clone() });
            if fields != ["x", "a"] {
                read(world, &ctx, "d", &request);
            }
        }
    }
}

fn time_travel(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    create(world, &ctx, "d", &spec(), &LABELS);
    write(world, &ctx, ROW, 10, &[], &[("li", fixed(&[1i64, 2, 3, 4, 5, 6, 7, 8]))]);
    write(world, &ctx, ROW, 20, &[(0, 3, 8)], &[("li", fixed(&[13i64, 14, 15, 16, 17, 18]))]);
    write(world, &ctx, ROW, 30, &[], &[("a", fixed(&(0..48).collect::<Vec<i32>>()))]);
    write(world, &ctx, ROW, 40, &[(0, 1, 2)], &[("ls", var(&["x", "y", "z", "zz", "zzz", "zzzz"]))]);
    for end in [5, 15, 25, 35, 45].map(Some) {
        read(world, &ctx, "d", &Read { end, ranges: &[(0, 1, 8)], ..reading(&["li"]) });
        // Where fragments meet, the reference takes more than the range.
        for chosen in [Chosen::Int(1, 2), Chosen::Int(14, 20)] {
            read(
                world,
                &ctx,
                "d",
                &Read { end, ranges: &[(1, 1, 1)], chosen: &[("li", chosen)], ..reading(&["li", "a"]) },
            );
        }
        read(
            world,
            &ctx,
            "d",
            &Read { end, ranges: &[(0, 1, 1)], chosen: &[("ls", Chosen::Text("y", "zz"))], ..reading(&["ls"]) },
        );
    }
}

fn encrypted(world: &mut World<'_>) {
    let ctx = world.api.context(&KEY);
    filled(world, &ctx);
    read(
        world,
        &ctx,
        "d",
        &Read { ranges: &[ALL_COLUMNS], chosen: &[("li", Chosen::Int(30, 50))], ..reading(&["li", "a", "ls"]) },
    );
    let without = world.api.context(&[]);
    read(world, &without, "d", &Read { ranges: &[(0, 1, 2)], ..reading(&["li"]) });
    read(world, &without, "d/__labels/l0", &Read { ranges: &[(0, 1, 2)], ..reading(&["label"]) });
}

/// Labels of more tiles than are looked at.
fn many_tiles(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    let labels: [Label; 2] = [(0, "li", DECREASING, INT64), (0, "ls", INCREASING, ASCII)];
    let wide = dense(&[dim("r", -5000, 4999, 10), dim("c", 1, 1, 1)], &[attr("a", INT32, 1, false)]);
    create(world, &ctx, "d", &wide, &labels);
    let down: Vec<i64> = (0..10_000).map(|i| 3 * (10_000 - i)).collect();
    let names: Vec<String> = (0..10_000).map(|i| format!("{i:05}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    write(
        world,
        &ctx,
        ROW,
        10,
        &[],
        &[("li", fixed(&down)), ("ls", var(&names)), ("a", fixed(&(0..10_000).collect::<Vec<i32>>()))],
    );
    let chosen = [
        ("li", Chosen::Int(2999, 3010)),
        ("li", Chosen::Int(0, 3)),
        ("li", Chosen::Int(30_000, 30_000)),
        ("li", Chosen::Int(1, 2)),
        ("ls", Chosen::Text("0123", "01241")),
        ("ls", Chosen::Text("09999", "1")),
        ("ls", Chosen::Text("", "0")),
    ];
    for chosen in chosen {
        read(world, &ctx, "d", &Read { chosen: &[chosen], submits: 1, ..reading(&["li", "ls", "a"]) });
    }
    for chosen in [[chosen[0], chosen[1]], [chosen[4], chosen[5]]] {
        read(world, &ctx, "d", &Read { chosen: &chosen, submits: 1, ..reading(&["a"]) });
    }
}
