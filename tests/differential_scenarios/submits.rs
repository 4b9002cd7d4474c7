//! The cells that each submit of a sparse read returns, with status and reason, with buffers of a few cells.

use crate::Scenario;
use crate::dice::Dice;
use crate::world::{
    ASCII, COL, Dim, Ends, FLOAT64, GLOBAL, INT32, Little, ROW, Read, Spec, UNORDERED, VAR, World, all, attr, dim,
    fixed, range, sparse, text_dim, text_range, var,
};
use support::{Array, Cells, Column, Ctx, Failure};

pub const SCENARIOS: &[Scenario] = &[
    ("submits_line", line),
    ("submits_box", boxes),
    ("submits_ranges", several),
    ("submits_cube", cube),
    ("submits_texts", texts),
    ("submits_reals", reals),
    ("submits_offsets", offsets),
    ("submits_tiles", tiles),
    ("submits_overlaps", overlaps),
    ("submits_overlaps_of_reals", overlaps_of_reals),
];

const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

/// Fields of all kinds: fixed, nullable, variable, and variable ones that may be null.
const FIELDS: [&[&str]; 6] = [&["a"], &["n"], &["t"], &["u"], &["x", "a"], &["a", "t", "n", "u"]];

fn spec(dims: &[Dim], capacity: u64, dups: bool) -> Spec {
    let attrs = [
        attr("a", INT32, 1, false),
        attr("n", INT32, 1, true),
        attr("t", ASCII, VAR, false),
        attr("u", ASCII, VAR, true),
    ];
    Spec { capacity, dups, ..sparse(dims, &attrs) }
}

/// The attributes of some cells, from a number on.
fn attributes(from: i32, count: usize) -> Vec<(&'static str, Cells)> {
    let ints: Vec<i32> = (from..from + count as i32).collect();
    let words: Vec<&str> = ["", "a", "bc", "def", "ghijkl"].into_iter().cycle().take(count).collect();
    let validity: Vec<u8> = (0..count).map(|cell| u8::from(cell % 3 != 0)).collect();
    let (n, u) = (fixed(&ints).nulls(&validity), var(&words).nulls(&validity));
    vec![("a", fixed(&ints)), ("n", n), ("t", var(&words)), ("u", u)]
}

fn write(world: &mut World<'_>, name: &str, from: i32, coords: Vec<(&'static str, Cells)>, count: usize) {
    world.write(name, UNORDERED, &[], &[coords, attributes(from, count)].concat());
}

/// Reads of all fields with room for more and more cells.
fn read_all(world: &World<'_>, name: &str, layouts: &[u64], ranges: &[Ends], rooms: &[usize]) {
    let ctx = world.api.context(&[]);
    for &layout in layouts {
        for fields in FIELDS {
            let is_var = fields.iter().any(|field| world.is_var(name, field));
            // The reference's reader of duplicates in no order dies where values do not fit, and ends a submit before an
            // empty value that still does where another tile begins; without duplicates it loops.
            let least = match (layout == UNORDERED && is_var, world.spec(name).dups) {
                (true, true) => continue,
                (true, false) => 3,
                (false, _) => 1,
            };
            for &room in rooms.iter().filter(|&&room| room >= least) {
                submits(
                    world,
                    &ctx,
                    name,
                    &Read { ranges: ranges.to_vec(), room: (room, room), ..all(layout, fields) },
                );
            }
        }
    }
}

/// Tells what every submit gives; `room` counts cells, variable ones of two bytes.
fn submits(world: &World<'_>, ctx: &Ctx<'_>, name: &str, read: &Read<'_>) {
    let results = results(world, ctx, name, read);
    let (ranges, config) = (read.ranges.len(), &read.config);
    let step = format!("{name} {} {:?} {} {ranges} {config:?}", read.layout, read.fields, read.room.0);
    world.tell(&format!("{step}:{}", results.clone().unwrap_or_default()), results);
}

fn results(world: &World<'_>, ctx: &Ctx<'_>, name: &str, read: &Read<'_>) -> Result<String, Failure> {
    let array = Array::open(ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, read.layout])?;
    if !read.ranges.is_empty() {
        let subarray = crate::world::ranges(&array, world.spec(name), &read.ranges, None)?;
        ctx.call("query_set_subarray_t", &[query, subarray])?;
        ctx.free("subarray", subarray);
    }
    let room = read.room.0;
    let column = |field: &&str| match world.is_var(name, field) {
        true => Column::with_capacity(field, 2 * room, Some(room), world.is_nullable(name, field).then_some(room)),
        false => {
            let spec = world.spec(name);
            let is_real = spec.dims.iter().any(|dim| dim.name == *field && dim.ty == FLOAT64);
            let values = spec.attrs.iter().find(|attr| attr.name == *field).map_or(1, |attr| attr.values as usize);
            let size = if is_real { 8 } else { 4 * values };
            Column::with_capacity(field, size * room, None, world.is_nullable(name, field).then_some(room))
        }
    };
    let mut columns: Vec<Column> = read.fields.iter().map(column).collect();
    let sizes: Vec<[u64; 3]> = columns.iter().map(|column| *column.sizes).collect();
    let mut results = String::new();
    let mut idle = 0;
    while idle < 3 {
        for (column, sizes) in columns.iter_mut().zip(&sizes) {
            *column.sizes = *sizes;
            column.bind(ctx, query)?;
        }
        ctx.call("query_submit", &[query])?;
        let status = ctx.get("query_get_status", &[query])? as u32;
        let reason = ctx.get("query_get_status_details", &[query])? as u32;
        let cells = match read.config.is_empty() {
            true => {
                let mut cells = world.cells(name, &columns);
                if read.sorted {
                    cells.sort();
                }
                cells.concat()
            }
            false => format!("{:?}", columns.iter().map(|column| *column.sizes).collect::<Vec<_>>()),
        };
        results += &format!(" {status}/{reason}{cells}");
        idle = if columns.iter().all(|column| column.sizes.iter().all(|size| *size == 0)) { idle + 1 } else { 0 };
        if status != 3 {
            break;
        }
    }
    ctx.free("query", query);
    Ok(results)
}

/// One dimension, one fragment or several, cells of equal coordinates or not.
fn line(world: &mut World<'_>) {
    for (name, capacity, dups, fragments) in [
        ("one", 4, false, 1),
        ("dups", 3, true, 1),
        ("three", 2, false, 3),
        ("more", 5, true, 3),
        ("wide", 100, false, 2),
    ] {
        world.create(name, spec(&[dim("x", 0, 99, 10)], capacity, dups));
        for fragment in 0..fragments {
            let xs: Vec<i32> = (0..8).map(|cell| (cell * 13 + fragment * (26 + i32::from(dups))) % 97).collect();
            write(world, name, 10 * fragment, vec![("x", fixed(&xs))], 8);
        }
        read_all(world, name, &LAYOUTS, &[], &[1, 2, 3, 5, 8, 13, 24]);
        read_all(world, name, &LAYOUTS, &[range(0, 5, 60)], &[1, 2, 3, 5, 8]);
    }
}

/// Two dimensions in all orders.
fn boxes(world: &mut World<'_>) {
    for (name, tile_order, cell_order, dups) in
        [("rows", ROW, ROW, false), ("cols", COL, COL, false), ("mixed", ROW, COL, true)]
    {
        world.create(name, Spec { tile_order, cell_order, ..spec(&[dim("x", 0, 19, 5), dim("y", 0, 19, 4)], 3, dups) });
        for fragment in 0..2 {
            let (xs, ys): (Vec<i32>, Vec<i32>) = (0..10)
                .map(|cell| ((cell * 7 + fragment * 3) % 20, (cell * cell + fragment * (1 + i32::from(dups))) % 20))
                .unzip();
            write(world, name, 20 * fragment, vec![("x", fixed(&xs)), ("y", fixed(&ys))], 10);
        }
        for ranges in [vec![], vec![range(0, 2, 15), range(1, 1, 9)], vec![range(1, 4, 16)]] {
            read_all(world, name, &LAYOUTS, &ranges, &[1, 2, 4, 7, 12, 20]);
        }
    }
}

/// Several ranges, ascending and apart.
fn several(world: &mut World<'_>) {
    world.create("box", spec(&[dim("x", 1, 8, 2), dim("y", 1, 8, 2)], 4, false));
    let (xs, ys): (Vec<i32>, Vec<i32>) = (0..40).map(|cell| (1 + cell / 5, 1 + (cell * 3 + cell / 5) % 8)).unzip();
    write(world, "box", 0, vec![("x", fixed(&xs)), ("y", fixed(&ys))], 40);
    world.create("line", spec(&[dim("x", 0, 99, 10)], 4, true));
    write(world, "line", 0, vec![("x", fixed(&(0..40).map(|x| x * 2).collect::<Vec<i32>>()))], 40);
    let on = |d: u64, ends: &[(i32, i32)]| ends.iter().map(|&(low, high)| range(d, low, high)).collect::<Vec<Ends>>();
    let sets = [
        on(0, &[(1, 2), (5, 7)]),
        on(1, &[(1, 2), (4, 4), (6, 8)]),
        [on(0, &[(1, 1), (3, 4), (6, 8)]), on(1, &[(1, 3), (5, 5), (7, 8)])].concat(),
        [on(0, &[(2, 2)]), on(1, &[(1, 1), (2, 2), (4, 4), (6, 6), (8, 8)])].concat(),
    ];
    for set in &sets {
        read_all(world, "box", &[ROW, COL, UNORDERED], set, &[1, 2, 3, 5, 8, 13, 21]);
    }
    for set in [on(0, &[(1, 5), (8, 8), (20, 40), (42, 50), (60, 99)]), on(0, &[(4, 4), (8, 8), (12, 12), (16, 16)])] {
        read_all(world, "line", &[ROW, COL], &set, &[1, 2, 3, 5, 8, 13, 21]);
    }
}

/// Three dimensions, with ranges on the slowest or the fastest.
fn cube(world: &mut World<'_>) {
    world.create("cube", spec(&[dim("x", 0, 7, 2), dim("y", 0, 7, 4), dim("z", 0, 7, 3)], 4, false));
    let coords = |of: fn(i32) -> i32| fixed(&(0..40).map(of).collect::<Vec<i32>>());
    let columns =
        vec![("x", coords(|cell| cell / 5)), ("y", coords(|cell| cell * 3 % 8)), ("z", coords(|cell| cell * 5 % 8))];
    write(world, "cube", 0, columns, 40);
    let points = vec![range(0, 1, 1), range(0, 3, 3), range(1, 0, 3), range(1, 6, 7), range(2, 0, 4), range(2, 6, 7)];
    for ranges in [vec![], vec![range(2, 0, 2), range(2, 4, 6)], points] {
        read_all(world, "cube", &[ROW, COL], &ranges, &[1, 2, 4, 7, 12, 20, 39]);
    }
}

/// Strings as coordinates. In smaller buffers the reference comes to no end in rows and columns.
fn texts(world: &mut World<'_>) {
    for (name, dups) in [("texts", false), ("twice", true)] {
        world.create(name, spec(&[text_dim("x")], 3, dups));
        for fragment in 0..2 {
            let words =
                [["a", "aa", "abc", "b", "c", "ca", "cab", "dd"], ["aab", "ba", "bb", "bcd", "cc", "d", "e", "z"]];
            write(world, name, 10 * fragment, vec![("x", var(&words[fragment as usize]))], 8);
        }
        for ranges in [vec![], vec![text_range(0, "aa", "cb")], vec![text_range(0, "a", "b"), text_range(0, "c", "e")]]
        {
            read_all(world, name, &[ROW, COL], &ranges, &[8, 12, 16]);
            if ranges.len() < 2 {
                read_all(world, name, &[GLOBAL, UNORDERED], &ranges, &[1, 2, 3, 5, 8, 16]);
            }
        }
    }
}

/// Reals as coordinates, beside integers.
fn reals(world: &mut World<'_>) {
    let real = Dim { name: "x", ty: FLOAT64, domain: [-10.0, 10.0].little(), extent: [2.5].little() };
    world.create("reals", spec(&[real, dim("y", -5, 5, 2)], 4, false));
    let xs: Vec<f64> = (0..12).map(|cell| f64::from(cell * 5 % 12) * 1.5 - 9.0).collect();
    let ys: Vec<i32> = (0..12).map(|cell| cell * 3 % 11 - 5).collect();
    write(world, "reals", 0, vec![("x", fixed(&xs)), ("y", fixed(&ys))], 12);
    let some = (0, [-7.0].little(), [6.25].little());
    for ranges in [vec![], vec![some.clone()], vec![some, range(1, -3, 2)]] {
        read_all(world, "reals", &LAYOUTS, &ranges, &[1, 2, 3, 5, 8, 12]);
    }
}

/// Offsets of all kinds.
fn offsets(world: &mut World<'_>) {
    world.create("line", spec(&[dim("x", 0, 99, 10)], 4, false));
    write(world, "line", 0, vec![("x", fixed(&[1, 3, 4, 10, 22, 40, 41, 77]))], 8);
    let (narrow, elements, extra) = (
        ("sm.var_offsets.bitsize", "32"),
        ("sm.var_offsets.mode", "elements"),
        ("sm.var_offsets.extra_element", "true"),
    );
    for config in [vec![narrow], vec![elements], vec![extra], vec![narrow, elements], vec![elements, extra]] {
        let ctx = world.api.context(&config);
        for layout in LAYOUTS {
            for fields in [&["t"][..], &["u"], &["a", "t"]] {
                // With less room for values than one takes the reference runs on for ever.
                for room in [3, 4, 6, 8, 9, 12] {
                    submits(
                        world,
                        &ctx,
                        "line",
                        &Read { config: config.clone(), room: (room, room), ..all(layout, fields) },
                    );
                }
            }
        }
    }
}

/// Tiles of more cells than buffers hold, and fewer.
fn tiles(world: &mut World<'_>) {
    for (name, capacity, dups) in [("small", 2, false), ("large", 50, false), ("twice", 7, true)] {
        world.create(name, spec(&[dim("x", 0, 999, 100)], capacity, dups));
        for fragment in 0..3 {
            let xs: Vec<i32> = (0..20).map(|cell| cell * 31 % 500 + fragment * 200).collect();
            write(world, name, 30 * fragment, vec![("x", fixed(&xs))], 20);
        }
        read_all(world, name, &LAYOUTS, &[], &[3, 7, 10, 30, 59, 60]);
        read_all(world, name, &LAYOUTS, &[range(0, 130, 555)], &[3, 7, 10, 30]);
    }
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Ranges of all kinds in one to three dimensions, some of one coordinate: apart, touching, over one another, repeated.
fn overlaps(world: &mut World<'_>) {
    let ctx = world.api.context(&[]);
    for seed in 1..120 {
        let mut dice = Dice::new(seed);
        let sizes: Vec<usize> = (0..1 + dice.less(3)).map(|_| [1, 2, 3, 6, 12][dice.less(5)]).collect();
        let dims: Vec<Dim> = sizes
            .iter()
            .zip(NAMES)
            .map(|(&size, name)| dim(name, 0, size as i32 - 1, 1 + dice.less(size) as i32))
            .collect();
        let (dups, fragments) = (dice.less(3) == 0, 1 + dice.less(3));
        let (tile_order, cell_order) = (dice.less(2) as u64, dice.less(2) as u64);
        let name = format!("array {seed}");
        world.create(&name, Spec { tile_order, cell_order, ..spec(&dims, 1 + dice.less(5) as u64, dups) });
        for fragment in 0..fragments {
            let total: usize = sizes.iter().product();
            let cells: Vec<usize> = (0..total).filter(|_| dice.less(3) > 0).take(30).collect();
            let coords = (0..sizes.len()).map(|d| {
                let stride: usize = sizes[d + 1..].iter().product();
                (NAMES[d], fixed(&cells.iter().map(|cell| (cell / stride % sizes[d]) as i32).collect::<Vec<i32>>()))
            });
            write(world, &name, 100 * fragment as i32, coords.collect(), cells.len());
        }
        for _ in 0..4 {
            let (mut ranges, mut copies) = (Vec::new(), if dups { fragments } else { 1 });
            for (d, &size) in sizes.iter().enumerate() {
                let own: Vec<(usize, usize)> = (0..dice.less(5))
                    .map(|_| {
                        let low = dice.less(size);
                        (low, low + dice.less(size - low))
                    })
                    .collect();
                let times = |at| own.iter().filter(|(low, high)| (*low..=*high).contains(&at)).count();
                copies *= (0..size).map(times).max().unwrap_or(1).max(1);
                ranges.extend(own.iter().map(|&(low, high)| range(d as u64, low as i32, high as i32)));
            }
            // Duplicates come in any order, in global order also from submit to submit.
            let layout = match dice.less(4) as u64 {
                GLOBAL if dups => ROW,
                layout => layout,
            };
            // All copies of a cell fit, with values of up to six bytes; otherwise the reference comes to no end. Without an
            // order it may die of variable values, see above.
            let fields = if layout == UNORDERED { &["a"] } else { FIELDS[dice.less(FIELDS.len())] };
            let is_var = fields.iter().any(|field| world.is_var(&name, field));
            let room = if is_var { 3 * copies } else { copies } + dice.less(12);
            let read = Read { ranges, room: (room, room), sorted: dups, ..all(layout, fields) };
            submits(world, &ctx, &name, &read);
        }
    }
}

/// Reals in front of ranges of integers: the last part between two reals is not divided further.
fn overlaps_of_reals(world: &mut World<'_>) {
    let real = Dim { name: "x", ty: FLOAT64, domain: [43.0, 44.0].little(), extent: [1.0].little() };
    let wide = attr("w", INT32, 40, true);
    let spec = spec(&[real, dim("y", 23, 24, 2)], 2, false);
    world.create("reals", Spec { attrs: vec![wide], ..spec });
    let cells = fixed(&(0..160).collect::<Vec<i32>>()).nulls(&[1, 0, 1, 1]);
    let columns = [("x", fixed(&[43.0, 43.0, 44.0, 44.0])), ("y", fixed(&[23, 24, 23, 24])), ("w", cells)];
    world.write("reals", UNORDERED, &[], &columns);
    let ctx = world.api.context(&[]);
    let some = [(23, 24), (23, 23), (23, 24), (23, 24)].map(|(low, high)| range(1, low, high));
    for layout in [ROW, COL] {
        for room in [7, 9, 20, 64] {
            submits(
                world,
                &ctx,
                "reals",
                &Read { ranges: some.to_vec(), room: (room, room), ..all(layout, &["w", "x"]) },
            );
        }
    }
}
