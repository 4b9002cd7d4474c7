//! Reads of several ranges: sorted, unsorted, overlapping, adjacent, points, beyond the domain.

use crate::Scenario;
use crate::world::{
    COL, Dim, Ends, FLOAT64, GLOBAL, HILBERT, INT32, Little, ROW, Spec, UNORDERED, World, all, attr, dense, dim, fixed,
    range, sparse, text_dim, text_range, var,
};
use support::{Array, Failure, address, bytes, text};

pub const SCENARIOS: &[Scenario] = &[
    ("ranges_dense", dense_ranges),
    ("ranges_sparse", sparse_ranges),
    ("ranges_sparse_dups", sparse_dups),
    ("ranges_floats", floats),
    ("ranges_small_buffers", small_buffers),
    ("ranges_beyond_the_budget", beyond_budget),
    ("ranges_points", points),
    ("ranges_counts", counts),
    ("ranges_refused", refused),
];

/// Ranges of the first dimension.
const SETS: [&[(i32, i32)]; 13] = [
    &[(2, 3), (6, 7)],
    &[(6, 7), (2, 3)],
    &[(2, 3), (4, 5)],
    &[(4, 5), (2, 3)],
    &[(2, 5), (4, 7)],
    &[(4, 7), (2, 5)],
    &[(2, 7), (4, 5)],
    &[(4, 5), (2, 7)],
    &[(3, 3), (3, 3)],
    &[(3, 3), (4, 4), (5, 5)],
    &[(5, 5), (3, 3), (4, 4)],
    &[(0, 9), (0, 9)],
    &[(0, 1), (3, 4), (2, 6), (9, 9)],
];

fn set(dimension: u64, set: &[(i32, i32)]) -> Vec<Ends> {
    set.iter().map(|&(low, high)| range(dimension, low, high)).collect()
}

/// The layouts in which ranges are read; global order takes one range only.
const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

fn read_sets(world: &World<'_>, name: &str, fields: &[&str], layouts: &[u64]) {
    for &layout in layouts {
        for ranges in SETS {
            let mut read = all(layout, fields);
            for coalesce in [None, Some(false), Some(true)] {
                read.coalesce = coalesce;
                read.ranges = set(0, ranges);
                world.read(name, &read);
            }
            read.coalesce = None;
            read.ranges = [set(0, ranges), set(1, &[(5, 8), (1, 2)])].concat();
            world.read(name, &read);
            read.ranges = [set(0, ranges), set(1, &[(1, 4), (3, 8)])].concat();
            world.read(name, &read);
            for merge in ["true", "false"] {
                read.ranges = set(0, ranges);
                read.config = vec![("sm.merge_overlapping_ranges_experimental", merge)];
                world.read(name, &read);
            }
        }
    }
}

fn dense_ranges(world: &mut World<'_>) {
    let spec = dense(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &[attr("a", INT32, 1, false)]);
    world.create("dense", spec);
    let cells: Vec<i32> = (0..100).collect();
    world.write("dense", ROW, &[range(0, 0, 9), range(1, 0, 9)], &[("a", fixed(&cells))]);
    world.write("dense", ROW, &[range(0, 3, 3), range(1, 2, 6)], &[("a", fixed(&cells[..5]))]);
    read_sets(world, "dense", &["a"], &[ROW, COL, GLOBAL]);
}

fn prepare(world: &mut World<'_>, name: &str, cell_order: u64, dups: bool) {
    let spec = sparse(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &[attr("a", INT32, 1, false)]);
    world.create(name, Spec { cell_order, dups, capacity: 5, ..spec });
    let cells: Vec<i32> = (0..100).map(|i| i * 37 % 100).collect();
    let x: Vec<i32> = cells.iter().map(|cell| cell / 10).collect();
    let y: Vec<i32> = cells.iter().map(|cell| cell % 10).collect();
    world.write(name, UNORDERED, &[], &[("x", fixed(&x)), ("y", fixed(&y)), ("a", fixed(&cells))]);
    let again: Vec<i32> = (1000..1020).collect();
    world.write(name, UNORDERED, &[], &[("x", fixed(&x[..20])), ("y", fixed(&y[..20])), ("a", fixed(&again))]);
}

fn sparse_ranges(world: &mut World<'_>) {
    for (name, cell_order) in [("row", ROW), ("col", COL), ("hilbert", HILBERT)] {
        prepare(world, name, cell_order, false);
        read_sets(world, name, &["x", "y", "a"], &LAYOUTS);
    }
}

fn sparse_dups(world: &mut World<'_>) {
    prepare(world, "dups", ROW, true);
    read_sets(world, "dups", &["x", "y", "a"], &[UNORDERED]);
}

fn floats(world: &mut World<'_>) {
    let float = |name| Dim { name, ty: FLOAT64, domain: [-10.0f64, 10.0].little(), extent: [5.0f64].little() };
    world.create("floats", sparse(&[float("f"), text_dim("k")], &[attr("a", INT32, 1, false)]));
    let f = [-10.0, -0.0, 0.0, 10.0, 2.5, 2.5000001, -5.0, f64::MIN_POSITIVE];
    let a: Vec<i32> = (0..8).collect();
    let k = ["a", "b", "c", "d", "e", "f", "g", "h"];
    world.write("floats", UNORDERED, &[], &[("f", fixed(&f)), ("k", var(&k)), ("a", fixed(&a))]);
    let sets: [&[(f64, f64)]; 8] = [
        &[(0.0, 0.0)],
        &[(-0.0, 0.0)],
        &[(2.5, 2.5)],
        &[(-10.0, -5.0), (2.5, 10.0)],
        &[(f64::NAN, 1.0)],
        &[(0.0, f64::INFINITY)],
        &[(-11.0, 11.0)],
        &[(1.0, 0.0)],
    ];
    for layout in [ROW, COL, UNORDERED] {
        for ranges in sets {
            let mut read = all(layout, &["f", "k", "a"]);
            read.ranges = ranges.iter().map(|&(low, high)| (0, [low].little(), [high].little())).collect();
            world.read("floats", &read);
            read.ranges.push(text_range(1, "b", "f"));
            world.read("floats", &read);
        }
    }
}

fn small_buffers(world: &mut World<'_>) {
    prepare(world, "sparse", ROW, false);
    let spec = dense(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &[attr("a", INT32, 1, false)]);
    world.create("dense", spec);
    let cells: Vec<i32> = (0..100).collect();
    world.write("dense", ROW, &[range(0, 0, 9), range(1, 0, 9)], &[("a", fixed(&cells))]);
    for layout in [ROW, COL, UNORDERED] {
        for ranges in SETS {
            let mut read = all(layout, &["a"]);
            read.room = (40, 0);
            // The reference goes from range to range where not all cells fit.
            read.sorted = true;
            read.ranges = [set(0, ranges), set(1, &[(5, 8), (1, 2)])].concat();
            world.read("sparse", &read);
            if layout != UNORDERED {
                world.read("dense", &read);
            }
        }
    }
}

/// Reads in orders that tiles do not have, of more than the memory budget holds.
fn beyond_budget(world: &mut World<'_>) {
    let float = Dim { name: "f", ty: FLOAT64, domain: [-100.0f64, 100.0].little(), extent: [10.0f64].little() };
    let kinds = [("numbers", dim("k", 0, 99, 10)), ("floats", float), ("strings", text_dim("k"))];
    for (name, first) in kinds {
        let field = first.name;
        let spec = sparse(&[first, dim("y", 0, 99, 10)], &[attr("a", INT32, 1, false)]);
        world.create(name, Spec { capacity: 16, ..spec });
        for fragment in 0..3 {
            let cells: Vec<i32> = (0..400).map(|i| (i * 3 + fragment) * 7 % 1200).collect();
            let k: Vec<i32> = cells.iter().map(|cell| cell / 12).collect();
            let words: Vec<String> = k.iter().map(|k| format!("{k}word")).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let k = match name {
                "numbers" => fixed(&k),
                "floats" => fixed(&k.iter().map(|k| f64::from(*k) / 3.0).collect::<Vec<f64>>()),
                _ => var(&words),
            };
            let y: Vec<i32> = cells.iter().map(|cell| cell % 12 * 8).collect();
            world.write(name, UNORDERED, &[], &[(field, k), ("y", fixed(&y)), ("a", fixed(&cells))]);
        }
        for budget in [if name == "strings" { "60000" } else { "20000" }, "1000000"] {
            for layout in [ROW, COL] {
                let mut read = all(layout, &[field, "y", "a"]);
                // Only our library is told to keep to it: the reference gives up far above.
                if world.is_ours() {
                    read.config = vec![("sm.mem.total_budget", budget)];
                }
                world.read_quietly(name, &read);
                read.ranges = set(1, &[(3, 50), (40, 70)]);
                world.read_quietly(name, &read);
                read.ranges = set(1, &[(3, 50)]);
                read.room = (100, 16);
                // With small buffers the reference cuts strings where their order is not kept.
                read.sorted = true;
                world.read_quietly(name, &read);
            }
        }
    }
}

/// Many points at once, of numbers and of strings.
fn points(world: &mut World<'_>) {
    prepare(world, "numbers", ROW, false);
    world.create("strings", sparse(&[text_dim("k")], &[attr("a", INT32, 1, false)]));
    let keys = ["b", "", "abc", "ab", "zz"];
    world.write("strings", UNORDERED, &[], &[("k", var(&keys)), ("a", fixed(&[0, 1, 2, 3, 4]))]);
    let points: [&[i32]; 6] = [&[1, 5, 7], &[7, 1], &[3, 3, 4], &[], &[4, 10], &[-1]];
    for points in points {
        let points = fixed(points).data;
        for layout in [ROW, COL, UNORDERED] {
            let read = world.read_points("numbers", layout, &["x", "y", "a"], |array, subarray| {
                array.ctx.call("subarray_add_point_ranges", &[subarray, 0, bytes(&points), points.len() as u64 / 4])
            });
            world.tell(&format!("{points:?}"), read);
        }
    }
    for points in [&["ab", "b"][..], &["", "ab", "zz"], &["abc", "none"], &["b", "b"]] {
        let cells = var(points);
        let offsets: Vec<u8> = cells.offsets.unwrap().little();
        for layout in [ROW, UNORDERED] {
            let read = world.read_points("strings", layout, &["k", "a"], |array, subarray| {
                let data = [
                    subarray,
                    0,
                    bytes(&cells.data),
                    cells.data.len() as u64,
                    bytes(&offsets),
                    offsets.len() as u64 / 8,
                ];
                array.ctx.call("subarray_add_point_ranges_var", &data)
            });
            world.tell(&format!("{points:?}"), read);
        }
    }
}

/// What a subarray says of its ranges.
fn counts(world: &mut World<'_>) {
    prepare(world, "numbers", ROW, false);
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri("numbers"), 0, None, None).unwrap();
    for ranges in SETS {
        for coalesce in [None, Some(true), Some(false)] {
            let subarray = crate::world::ranges(&array, world.spec("numbers"), &set(0, ranges), coalesce).unwrap();
            let listed = list_ranges(&array, subarray);
            world.tell(&format!("{ranges:?} {coalesce:?} {}", listed.clone().unwrap_or_default()), listed);
            ctx.free("subarray", subarray);
        }
    }
}

fn list_ranges(array: &Array<'_>, subarray: u64) -> Result<String, Failure> {
    let ctx = array.ctx;
    let mut listed = String::new();
    for dimension in 0..2 {
        for number in 0..ctx.get("subarray_get_range_num", &[subarray, dimension])? {
            let (mut low, mut high, mut stride) = (0u64, 0u64, 0u64);
            let out = [address(&mut low), address(&mut high), address(&mut stride)];
            ctx.call("subarray_get_range", &[&[subarray, dimension, number][..], &out].concat())?;
            listed += &format!(" {dimension}:{}-{}", crate::world::peek(low), crate::world::peek(high));
        }
    }
    Ok(listed)
}

/// Ranges that are none.
fn refused(world: &mut World<'_>) {
    prepare(world, "numbers", ROW, false);
    world.create("strings", sparse(&[text_dim("k")], &[attr("a", INT32, 1, false)]));
    for config in [&[][..], &[("sm.read_range_oob", "error")], &[("sm.read_range_oob", "warn")]] {
        let ctx = world.api.context(config);
        let array = Array::open(&ctx, &world.uri("numbers"), 0, None, None).unwrap();
        for (low, high) in [(0, 10), (-1, 5), (20, 30), (5, 4), (i32::MIN, i32::MAX), (9, 9)] {
            let made = crate::world::ranges(&array, world.spec("numbers"), &[range(0, low, high)], None);
            let listed = made.and_then(|subarray| list_ranges(&array, subarray));
            world.say(&format!("{config:?} {low} {high} {}", listed.clone().unwrap_or_default()));
            world.tell("add", listed);
        }
    }
    let ctx = world.api.context(&[]);
    let array = Array::open(&ctx, &world.uri("strings"), 0, None, None).unwrap();
    for (low, high) in [("b", "a"), ("", ""), ("a", ""), ("é", "ü"), ("a", "a\0")] {
        let made = crate::world::ranges(&array, world.spec("strings"), &[text_range(0, low, high)], None);
        world.tell(&format!("{low:?} {high:?}"), made);
    }
    let array = Array::open(&ctx, &world.uri("numbers"), 0, None, None).unwrap();
    let subarray = ctx.get("subarray_alloc", &[array.handle]).unwrap();
    let name = text("z");
    let ends = [bytes(&[1, 0, 0, 0]), bytes(&[2, 0, 0, 0])];
    let add = |dimension| ctx.call("subarray_add_range", &[subarray, dimension, ends[0], ends[1], 0]);
    world.tell("dimension 2", add(2));
    let by_name = [subarray, name.as_ptr() as u64, ends[0], ends[1], 0];
    world.tell("dimension z", ctx.call("subarray_add_range_by_name", &by_name));
    world.tell("stride", ctx.call("subarray_add_range", &[subarray, 0, ends[0], ends[1], ends[0]]));
    world.tell("no low end", ctx.call("subarray_add_range", &[subarray, 0, 0, ends[1], 0]));
    let points = [subarray, 0, ends[0], 1, ends[0], 1];
    world.tell("points of text", ctx.call("subarray_add_point_ranges_var", &points));
    world.tell("points of dimension 5", ctx.call("subarray_add_point_ranges", &[subarray, 5, ends[0], 1]));
    world.tell("no points", ctx.call("subarray_add_point_ranges", &[subarray, 0, ends[0], 0]));
}
