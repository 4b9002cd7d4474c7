//! Zipped coordinates: one buffer named `__coords` with the coordinates of all dimensions, cell by cell.

use crate::Scenario;
use crate::world::{
    ASCII, COL, Dim, FLOAT64, GLOBAL, HILBERT, INT32, Little, ROW, Read, Spec, UINT8, UNORDERED, VAR, World, all, attr,
    dense, dim, fixed, range, sparse, text_dim, var,
};
use support::{Array, Cells, Column, Ctx, Failure, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("zipped_sparse_reads", sparse_reads),
    ("zipped_dense_reads", dense_reads),
    ("zipped_incomplete_reads", incomplete_reads),
    ("zipped_writes", writes),
    ("zipped_wrong_writes", wrong_writes),
    ("zipped_separate_writes", separate_writes),
    ("zipped_beside_dimensions", beside_dimensions),
    ("zipped_domains", domains),
    ("zipped_estimates", estimates),
];

const COORDS: &str = "__coords";
const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

fn plane(order: u64, dups: bool) -> Spec {
    let attrs = [attr("a", INT32, 1, false), attr("s", ASCII, VAR, true)];
    let spec = sparse(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &attrs);
    Spec { cell_order: order, dups, ..spec }
}

/// Five cells, in global order of a plane.
fn cells(from: i32) -> Vec<(&'static str, Cells)> {
    let a: Vec<i32> = (from..from + 5).collect();
    let s = var(&["one", "", "three", "4", "five"]).nulls(&[1, 1, 0, 1, 1]);
    vec![("a", fixed(&a)), ("s", s)]
}

fn zipped(coords: &[i32]) -> (&'static str, Cells) {
    (COORDS, fixed(coords))
}

fn fill(world: &mut World<'_>, name: &str, spec: Spec) {
    world.create(name, spec);
    let coords = [zipped(&[0, 0, 1, 2, 1, 5, 4, 1, 8, 8])];
    world.write(name, UNORDERED, &[], &[&cells(1), &coords[..]].concat());
    let coords = [("x", fixed(&[0, 1, 2, 4, 9])), ("y", fixed(&[1, 2, 2, 1, 9]))];
    world.write(name, UNORDERED, &[], &[&cells(11), &coords[..]].concat());
}

/// Reads. The reference dies of zipped coordinates in some reads, so it reads the dimensions there.
fn tell(world: &World<'_>, name: &str, read: &Read<'_>, dies: bool) {
    let mut read = read.clone();
    if dies && !world.is_ours() {
        let dims: Vec<&str> = world.spec(name).dims.iter().map(|dim| dim.name).collect();
        read.fields =
            read.fields.iter().flat_map(|field| if *field == COORDS { dims.clone() } else { vec![*field] }).collect();
    }
    world.read_quietly(name, &read);
}

fn sparse_reads(world: &mut World<'_>) {
    for (name, order, dups) in
        [("row", ROW, false), ("col", COL, false), ("hilbert", HILBERT, false), ("dups", ROW, true)]
    {
        fill(world, name, plane(order, dups));
        for layout in LAYOUTS {
            for fields in [&[COORDS][..], &[COORDS, "a"], &["s", COORDS, "a"], &["s", COORDS, "__timestamps"]] {
                let dies = layout == GLOBAL || layout == UNORDERED;
                let mut read = all(layout, fields);
                // Which of equal coordinates comes first is not said.
                read.sorted = dups;
                tell(world, name, &read, dies);
                read.ranges = vec![range(0, 1, 4), range(1, 1, 5)];
                tell(world, name, &read, dies);
                if layout != GLOBAL {
                    read.ranges = vec![range(0, 0, 1), range(0, 4, 9), range(1, 0, 2), range(1, 5, 9)];
                    tell(world, name, &read, dies);
                }
            }
        }
    }
}

fn dense_reads(world: &mut World<'_>) {
    for (name, order, dims) in [
        ("line", ROW, vec![dim("x", -4, 5, 3)]),
        ("plane", ROW, vec![dim("x", 0, 9, 3), dim("y", 1, 9, 4)]),
        ("columns", COL, vec![dim("x", 0, 9, 3), dim("y", 1, 9, 4)]),
        ("cube", ROW, vec![dim("x", 0, 3, 2), dim("y", 1, 4, 2), dim("z", -2, 1, 2)]),
    ] {
        let spec = dense(&dims, &[attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)]);
        world.create(name, Spec { cell_order: order, ..spec });
        let region: Vec<_> = (0..dims.len() as u64).map(|d| range(d, 1, 1 + i32::from(d == 0))).collect();
        world.write(name, ROW, &region, &[("a", fixed(&[7, 8])), ("s", var(&["x", "yz"]))]);
        // Coordinates of dense arrays the reference gives in an order only.
        for layout in [ROW, COL, GLOBAL] {
            for fields in [&[COORDS][..], &[COORDS, "a"], &["s", COORDS]] {
                let mut read = all(layout, fields);
                read.ranges = (0..dims.len() as u64).map(|d| range(d, 1, 3 - i32::from(d == 2) * 2)).collect();
                tell(world, name, &read, false);
                if layout != GLOBAL {
                    read.ranges[0] = range(0, 1, 1);
                    read.ranges.push(range(0, 3, 3));
                    tell(world, name, &read, false);
                }
                // The reference damages its memory where texts do not fit.
                for room in [(16, 1), (24, 100)].into_iter().filter(|_| !fields.contains(&"s")) {
                    read.room = room;
                    tell(world, name, &read, true);
                }
            }
        }
    }
}

fn incomplete_reads(world: &mut World<'_>) {
    for dups in [false, true] {
        let name = if dups { "dups" } else { "unique" };
        fill(world, name, plane(ROW, dups));
        for layout in LAYOUTS {
            // The reference does not go on where equal coordinates do not fit together.
            for room in [8, 12, 16, 23, 24, 40, 100].into_iter().filter(|room| !dups || *room > 23) {
                let mut read = all(layout, &[COORDS, "a"]);
                (read.room, read.sorted) = ((room, 100), dups);
                tell(world, name, &read, layout == GLOBAL || layout == UNORDERED);
            }
            let mut read = all(layout, &[COORDS]);
            read.room = (3, 100);
            if !dups {
                tell(world, name, &read, layout == GLOBAL || layout == UNORDERED);
            }
        }
    }
}

fn writes(world: &mut World<'_>) {
    let number = [attr("a", INT32, 1, false)];
    let real = |name| Dim { name, ty: FLOAT64, domain: [-1e9, 1e9].little(), extent: [1e3].little() };
    let small = |name| Dim { name, ty: UINT8, domain: vec![0, 200], extent: vec![7] };
    let reals = sparse(&[real("x"), real("y")], &number);
    let bytes = sparse(&[small("x"), small("y"), small("z")], &number);
    let line = sparse(&[dim("x", 0, 9, 3)], &number);
    for (name, spec, coords) in [
        ("reals", reals, fixed(&[0.5, -2.5, 1e6, -0.0, f64::MIN_POSITIVE, 7.0])),
        ("bytes", bytes, fixed(&[1u8, 2, 3, 200, 0, 7, 7, 7, 8])),
        ("line", line, fixed(&[5, 3, 1])),
    ] {
        world.create(name, spec);
        let columns = [(COORDS, coords), ("a", fixed(&[1, 2, 3]))];
        world.write(name, UNORDERED, &[], &columns);
        for layout in LAYOUTS {
            tell(world, name, &all(layout, &[COORDS, "a"]), layout == GLOBAL || layout == UNORDERED);
            world.read(name, &all(layout, &["x", "a"]));
        }
        world.fragments(name);
    }
    // Global order, in one submit and in several.
    for (name, order) in [("row", ROW), ("col", COL), ("hilbert", HILBERT)] {
        world.create(name, Spec { cell_order: order, ..plane(order, false) });
        let one = [cells(1), vec![zipped(&[0, 0, 1, 2, 1, 5, 4, 1, 8, 8])]].concat();
        // The reference fails within itself.
        if world.is_ours() {
            world.write_quietly(name, GLOBAL, &[one]);
        } else {
            let apart = [("x", fixed(&[0, 1, 1, 4, 8])), ("y", fixed(&[0, 2, 5, 1, 8]))];
            world.write_quietly(name, GLOBAL, &[[cells(1), apart.to_vec()].concat()]);
        }
        world.read(name, &all(ROW, &[COORDS, "a", "s"]));
        world.read(name, &all(ROW, &["x", "y", "a", "s"]));
    }
}

fn wrong_writes(world: &mut World<'_>) {
    world.create("plane", plane(ROW, false));
    let good = [0, 0, 1, 2, 1, 5, 4, 1, 8, 8];
    for (what, coords) in [
        ("outside", vec![0, 0, 1, 2, 1, 10, 4, 1, 8, 8]),
        ("twice", vec![0, 0, 1, 2, 1, 2, 4, 1, 8, 8]),
        ("short", good[..8].to_vec()),
        ("odd", good[..9].to_vec()),
        ("none", Vec::new()),
    ] {
        world.say(what);
        world.write("plane", UNORDERED, &[], &[cells(1), vec![zipped(&coords)]].concat());
    }
    world.say("coordinates alone, and cells alone");
    world.write("plane", UNORDERED, &[], &[zipped(&good)]);
    world.write("plane", UNORDERED, &[], &cells(1));
    world.write("plane", UNORDERED, &[], &[cells(1).remove(0), zipped(&good)]);
    world.create("dense", dense(&[dim("x", 0, 9, 3)], &[attr("a", INT32, 1, false)]));
    for layout in [ROW, GLOBAL] {
        world.write("dense", layout, &[range(0, 0, 2)], &[("a", fixed(&[1, 2, 3])), zipped(&[0, 1, 2])]);
    }
    world.fragments("plane");
}

fn separate_writes(world: &mut World<'_>) {
    const APART: (&str, &str) = ("sm.allow_separate_attribute_writes", "true");
    world.create("plane", plane(ROW, false));
    let good = zipped(&[0, 0, 1, 2, 1, 5, 4, 1, 8, 8]);
    let first = vec![good, cells(1).remove(0)];
    world.write_with("plane", UNORDERED, &[], &[first, vec![cells(1).remove(1)]], &[APART]);
    world.fragments("plane");
}

/// The last error of each of some buffers set one after the other.
fn set_all(world: &World<'_>, name: &str, kind: u64, fields: &[&str]) -> Result<(), Failure> {
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri(name), kind, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, kind])?;
    ctx.call("query_set_layout", &[query, UNORDERED])?;
    let mut columns: Vec<Column> = fields.iter().map(|field| Column::with_capacity(field, 80, None, None)).collect();
    for column in &mut columns {
        let bound = column.bind(&ctx, query);
        world.tell(&format!("  set {:?}", column.name), bound);
    }
    for column in &mut columns {
        tell_buffers(world, &ctx, query, column);
    }
    ctx.free("query", query);
    Ok(())
}

fn tell_buffers(world: &World<'_>, ctx: &Ctx<'_>, query: u64, column: &mut Column) {
    let (mut start, mut size) = (1u64, 1u64);
    let out = [query, pointer(&column.name), address(&mut start), address(&mut size)];
    let own = [column.data.as_mut_ptr() as u64, address(&mut column.sizes[0])];
    if world.tell("  data", ctx.call("query_get_data_buffer", &out)).is_some() {
        world.say(&format!("  its own: {}, none: {}", [start, size] == own, [start, size] == [0, 0]));
    }
    for function in ["query_get_offsets_buffer", "query_get_validity_buffer"] {
        world.tell(function, ctx.call(function, &out));
    }
    for function in ["query_set_offsets_buffer", "query_set_validity_buffer"] {
        let set = [query, pointer(&column.name), own[0], own[1]];
        world.tell(function, ctx.call(function, &set));
    }
}

fn beside_dimensions(world: &mut World<'_>) {
    world.create("plane", plane(ROW, false));
    world.create("dense", dense(&[dim("x", 0, 9, 3), dim("y", 0, 9, 3)], &[attr("a", INT32, 1, false)]));
    world.create("line", sparse(&[dim("x", 0, 9, 3)], &[attr("a", INT32, 1, false)]));
    for name in ["plane", "dense", "line"] {
        for kind in [0, 1, 2] {
            if kind == 2 && name == "dense" {
                continue;
            }
            for fields in [
                &[COORDS, "x"][..],
                &["x", COORDS],
                &[COORDS, COORDS, "a"],
                &["x", "a", COORDS, "x", "y"],
                &["a", COORDS, "y", COORDS],
            ] {
                world.say(&format!("{name} {kind} {fields:?}"));
                world.tell("set", set_all(world, name, kind, fields));
            }
        }
    }
}

fn domains(world: &mut World<'_>) {
    let a = [attr("a", INT32, 1, false)];
    let real = Dim { name: "r", ty: FLOAT64, domain: [0.0, 9.0].little(), extent: [1.0].little() };
    world.create("mixed", sparse(&[dim("x", 0, 9, 3), real], &a));
    world.create("text", sparse(&[text_dim("k")], &a));
    world.create("texts", sparse(&[text_dim("k"), text_dim("l")], &a));
    world.create("both", sparse(&[text_dim("k"), dim("x", 0, 9, 3)], &a));
    for name in ["mixed", "text", "texts", "both"] {
        for kind in [0, 1] {
            world.say(name);
            world.tell("set", set_all(world, name, kind, &[COORDS]));
        }
        tell_estimate(world, name, 0, &[]);
    }
}

fn tell_estimate(world: &World<'_>, name: &str, kind: u64, range_set: &[crate::world::Ends]) {
    let ctx = world.api.context(&[]);
    let outcome = (|| {
        let array = Array::open(&ctx, &world.uri(name), kind, None, None)?;
        let query = ctx.get("query_alloc", &[array.handle, kind])?;
        if !range_set.is_empty() {
            let subarray = crate::world::ranges(&array, world.spec(name), range_set, None)?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        let coords = text(COORDS);
        let (mut a, mut b, mut c) = (5u64, 5u64, 5u64);
        let out = [query, pointer(&coords), address(&mut a), address(&mut b), address(&mut c)];
        for (function, outputs) in [
            ("query_get_est_result_size", 1),
            ("query_get_est_result_size_nullable", 2),
            ("query_get_est_result_size_var", 2),
            ("query_get_est_result_size_var_nullable", 3),
        ] {
            world.tell(function, ctx.call(function, &out[..2 + outputs]));
        }
        world.say(&format!("  {name} {a} {b} {c}"));
        ctx.free("query", query);
        Ok::<(), Failure>(())
    })();
    world.tell("estimates", outcome);
}

fn estimates(world: &mut World<'_>) {
    fill(world, "plane", plane(ROW, false));
    world.create("dense", dense(&[dim("x", 0, 9, 3), dim("y", 0, 9, 3)], &[attr("a", INT32, 1, false)]));
    tell_estimate(world, "plane", 0, &[]);
    tell_estimate(world, "plane", 1, &[]);
    tell_estimate(world, "dense", 0, &[range(0, 1, 4), range(1, 2, 2)]);
    tell_estimate(world, "dense", 0, &[]);
}
