//! The cells that each submit of a read returns if buffers are small or of size 0.

use crate::Scenario;
use crate::world::{
    ASCII, COL, Ends, GLOBAL, INT32, ROW, Spec, UNORDERED, VAR, World, all, attr, dense, dim, fixed, range, var,
};
use support::{Array, Column, Failure};

pub const SCENARIOS: &[Scenario] = &[
    ("deliveries_lines", lines),
    ("deliveries_boxes", boxes),
    ("deliveries_ranges", several),
    ("deliveries_no_room", no_room),
    ("deliveries_starts", starts),
    ("deliveries_coordinates", coordinates),
];

const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

/// Offsets as they are by default: it makes reads tell every submit.
const DEFAULT: (&str, &str) = ("sm.var_offsets.bitsize", "64");

fn read(world: &World<'_>, name: &str, layout: u64, ranges: &[Ends], fields: &[&str], room: (usize, usize)) {
    let mut read = all(layout, fields);
    (read.ranges, read.room, read.config) = (ranges.to_vec(), room, vec![DEFAULT]);
    world.say(&format!("{fields:?} {layout} {room:?}"));
    world.read(name, &read);
}

fn cells(count: usize) -> Vec<(&'static str, support::Cells)> {
    let ints: Vec<i32> = (0..count as i32).collect();
    let words: Vec<&str> = ["", "a", "bc", "def"].into_iter().cycle().take(count).collect();
    let validity: Vec<u8> = (0..count).map(|i| u8::from(i % 3 != 0)).collect();
    vec![("a", fixed(&ints)), ("n", fixed(&ints).nulls(&validity)), ("t", var(&words)), ("e", var(&vec![""; count]))]
}

fn spec(dims: &[crate::world::Dim]) -> Spec {
    let texts = ["t", "e"].map(|name| attr(name, ASCII, VAR, false));
    dense(dims, &[&[attr("a", INT32, 1, false), attr("n", INT32, 1, true)], &texts[..]].concat())
}

/// One dimension, written in whole, in part and not at all.
fn lines(world: &mut World<'_>) {
    for (name, region) in [("whole", Some((0, 29))), ("part", Some((7, 16))), ("none", None)] {
        world.create(name, spec(&[dim("x", 0, 29, 5)]));
        if let Some((low, high)) = region {
            world.write(name, ROW, &[range(0, low, high)], &cells((high - low + 1) as usize));
        }
        for layout in LAYOUTS {
            for (low, high) in [(0, 29), (1, 8), (3, 22)] {
                for cells in [1, 2, 3, 6, 7, 11, 14, 29, 30] {
                    read(world, name, layout, &[range(0, low, high)], &["a"], (4 * cells, 0));
                    read(world, name, layout, &[range(0, low, high)], &["a", "n"], (4 * cells + 3, 2 * cells));
                    read(world, name, layout, &[range(0, low, high)], &["t"], (2 * cells, cells + 2));
                }
            }
        }
    }
}

/// Two dimensions in all orders; in none the reference leaves cells of all tiles but the first unwritten.
fn boxes(world: &mut World<'_>) {
    for (name, tile_order, cell_order) in [("rows", ROW, ROW), ("cols", COL, COL), ("mixed", ROW, COL)] {
        world.create(name, Spec { tile_order, cell_order, ..spec(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)]) });
        world.write(name, ROW, &[range(0, 0, 9), range(1, 0, 9)], &cells(100));
        world.write(name, ROW, &[range(0, 2, 4), range(1, 3, 8)], &cells(18));
        for layout in [ROW, COL, GLOBAL] {
            for region in [[(0, 9), (0, 9)], [(1, 8), (2, 7)], [(4, 4), (0, 9)], [(2, 7), (5, 5)]] {
                let ranges = [range(0, region[0].0, region[0].1), range(1, region[1].0, region[1].1)];
                for cells in [1, 5, 9, 12, 13, 40, 60] {
                    read(world, name, layout, &ranges, &["a"], (4 * cells, 0));
                    read(world, name, layout, &ranges, &["t"], (2 * cells, cells));
                }
            }
        }
    }
}

/// Several ranges. In no order the reference leaves cells unwritten.
fn several(world: &mut World<'_>) {
    world.create("dense", spec(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)]));
    world.write("dense", ROW, &[range(0, 0, 9), range(1, 0, 9)], &cells(100));
    let on = |d: u64, ends: &[(i32, i32)]| ends.iter().map(|&(low, high)| range(d, low, high)).collect::<Vec<Ends>>();
    let sets = [
        on(0, &[(0, 2), (5, 8)]),
        [on(0, &[(1, 2), (4, 4), (6, 9)]), on(1, &[(0, 3), (5, 6), (8, 9)])].concat(),
        [on(0, &[(1, 4)]), on(1, &[(0, 0), (2, 2), (4, 4), (6, 6), (8, 9)])].concat(),
    ];
    for layout in [ROW, COL] {
        for set in &sets {
            for cells in [4, 8, 13, 21, 34, 70] {
                read(world, "dense", layout, set, &["a"], (4 * cells, 0));
            }
        }
    }
}

/// Buffers of no size, of one kind and of all.
fn no_room(world: &mut World<'_>) {
    world.create("dense", spec(&[dim("x", 0, 5, 3)]));
    world.write("dense", ROW, &[range(0, 0, 5)], &cells(6));
    world.create("sparse", Spec { dense: false, ..world.spec("dense").clone() });
    let columns = [vec![("x", fixed(&[0, 1, 2, 3, 4, 5]))], cells(6)].concat();
    world.write("sparse", UNORDERED, &[], &columns);
    for name in ["dense", "sparse"] {
        for layout in LAYOUTS.into_iter().filter(|&layout| name == "dense" || layout == GLOBAL || layout == UNORDERED) {
            for fields in [&["a"][..], &["n"], &["t"], &["e"], &["a", "t"], &["a", "e"]] {
                for room in [0usize, 1, 4, 64].into_iter().flat_map(|data| [0, 1, 16].map(|cells| (data, cells))) {
                    let submits = submit_twice(world, name, layout, fields, room);
                    world.tell(
                        &format!("{name} {layout} {fields:?} {room:?} {}", submits.clone().unwrap_or_default()),
                        submits,
                    );
                }
            }
        }
    }
}

/// Values without any room: the buffer of offsets shows where they would begin, behind what its size tells.
fn starts(world: &mut World<'_>) {
    world.create("dense", spec(&[dim("x", 0, 5, 3)]));
    world.write("dense", ROW, &[range(0, 0, 5)], &cells(6));
    world.create("sparse", Spec { dense: false, ..world.spec("dense").clone() });
    world.write("sparse", UNORDERED, &[], &[vec![("x", fixed(&[0, 1, 2, 3, 4, 5]))], cells(6)].concat());
    for (name, layouts) in [("dense", &LAYOUTS[..]), ("sparse", &[GLOBAL, UNORDERED])] {
        for &layout in layouts {
            let starts = starts_of(world, name, layout);
            world.tell(&format!("{name} {layout} {:?}", starts.clone().unwrap_or_default()), starts);
        }
    }
}

/// A query for the first six cells of an array.
fn first_six(array: &Array<'_>, spec: &Spec, layout: u64) -> Result<u64, Failure> {
    let ctx = array.ctx;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let subarray = crate::world::ranges(array, spec, &[range(0, 0, 5)], None)?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    Ok(query)
}

fn starts_of(world: &World<'_>, name: &str, layout: u64) -> Result<Vec<u64>, Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = first_six(&array, world.spec(name), layout)?;
    let mut column = Column::with_capacity("t", 0, Some(6), None);
    column.data.reserve(8);
    column.offsets = Some(vec![99; 6]);
    column.bind(&ctx, query)?;
    ctx.call("query_submit", &[query])?;
    ctx.free("query", query);
    Ok([column.offsets.unwrap_or_default(), column.sizes.to_vec()].concat())
}

/// Status, reason and sizes after each of two submits.
fn submit_twice(
    world: &World<'_>,
    name: &str,
    layout: u64,
    fields: &[&str],
    (data, cells): (usize, usize),
) -> Result<String, Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = first_six(&array, world.spec(name), layout)?;
    let columns = fields.iter().map(|field| {
        let offsets = matches!(*field, "t" | "e").then_some(cells);
        let mut column = Column::with_capacity(field, data, offsets, (*field == "n").then_some(cells));
        // Buffers of no size have an address nonetheless.
        column.data.reserve(8);
        column.offsets.iter_mut().for_each(|offsets| offsets.reserve(1));
        column.validity.iter_mut().for_each(|validity| validity.reserve(1));
        column
    });
    let mut columns: Vec<Column> = columns.collect();
    let mut submits = String::new();
    for _ in 0..2 {
        for column in &mut columns {
            column.bind(&ctx, query)?;
        }
        ctx.call("query_submit", &[query])?;
        let status = ctx.get("query_get_status", &[query])? as u32;
        let reason = ctx.get("query_get_status_details", &[query])? as u32;
        let sizes: Vec<[u64; 3]> = columns.iter().map(|column| *column.sizes).collect();
        submits += &format!(" {status} {reason} {sizes:?}");
        if status != 3 {
            break;
        }
    }
    ctx.free("query", query);
    Ok(submits)
}

/// Nothing but the coordinates of cells that meet a condition; buffers of attributes, which the reference calls full of
/// what it never wrote, are not asked for.
fn coordinates(world: &mut World<'_>) {
    for (name, region) in [("whole", [(0, 9), (0, 9)]), ("part", [(2, 4), (3, 8)])] {
        world.create(name, spec(&[dim("x", 0, 9, 2), dim("y", 0, 9, 3)]));
        let [(x0, x1), (y0, y1)] = region;
        let count = ((x1 - x0 + 1) * (y1 - y0 + 1)) as usize;
        world.write_by_ours(name, ROW, &[range(0, x0, x1), range(1, y0, y1)], &cells(count));
        for layout in [ROW, COL, GLOBAL] {
            for (operator, limit) in [(0, 20), (5, 7), (3, 1 << 20), (0, -1)] {
                for (fields, room) in [(&["x", "y"][..], 100), (&["y"], 100), (&["x", "y"], 30), (&["x"], 7)] {
                    let step = format!("{name} {layout} {operator} {limit} {fields:?} {room}");
                    let submits = matching(world, name, layout, Some((operator, limit)), fields, room);
                    world.tell(&format!("{step} {}", submits.clone().unwrap_or_default()), submits);
                }
            }
            world.tell("no condition", matching(world, name, layout, None, &["x", "y"], 100));
        }
    }
}

/// What each submit of a read of coordinates gives.
fn matching(
    world: &World<'_>,
    name: &str,
    layout: u64,
    condition: Option<(u64, i32)>,
    fields: &[&str],
    room: usize,
) -> Result<String, Failure> {
    let ctx = world.api.context(&[("sm.query.dense.qc_coords_mode", "true")]);
    let array = Array::open(&ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, layout])?;
    let subarray = crate::world::ranges(&array, world.spec(name), &[range(0, 1, 6)], None)?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    if let Some((operator, limit)) = condition {
        let (attribute, limit) = (support::text("a"), limit.to_le_bytes());
        let condition = ctx.get("query_condition_alloc", &[])?;
        let arguments = [condition, attribute.as_ptr() as u64, support::bytes(&limit), 4, operator];
        ctx.call("query_condition_init", &arguments)?;
        ctx.call("query_set_condition", &[query, condition])?;
        ctx.free("query_condition", condition);
    }
    let mut columns: Vec<Column> =
        fields.iter().map(|field| Column::with_capacity(field, 4 * room, None, None)).collect();
    let mut submits = String::new();
    for _ in 0..100 {
        for column in &mut columns {
            column.sizes[0] = 4 * room as u64;
            column.bind(&ctx, query)?;
        }
        ctx.call("query_submit", &[query])?;
        let status = ctx.get("query_get_status", &[query])? as u32;
        let results: Vec<Vec<u8>> = columns.iter().map(|column| column.result().data).collect();
        submits += &format!(" {status} {results:?}");
        if status != 3 {
            break;
        }
    }
    ctx.free("query", query);
    Ok(submits)
}
