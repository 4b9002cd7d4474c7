//! Invalid values of parameters, and the operation that rejects them: creating, opening, reading or consolidating an
//! array.

use crate::Scenario;
use crate::outside::condition;
use crate::world::{COL, GLOBAL, INT32, ROW, UNORDERED, World, attr, dense, dim, fixed, range, ranges, sparse};
use support::{Api, Array, Column, Ctx, Failure, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("parameters_of_reads", reads),
    ("parameters_without_memory", without_memory),
    ("parameters_of_consolidation", consolidations),
    ("parameters_of_enumerations", enumerations),
];

const READS: [(&str, &str); 23] = [
    ("sm.io_concurrency_level", "0"),
    ("sm.compute_concurrency_level", "0"),
    ("sm.query.condition_evaluator", "ast"),
    ("sm.query.condition_evaluator", "datafusion"),
    ("sm.query.condition_evaluator", "other"),
    ("sm.query.condition_evaluator", ""),
    ("sm.mem.tile_upper_memory_limit", "0"),
    ("sm.mem.tile_upper_memory_limit", "x"),
    ("sm.mem.reader.sparse_global_order.ratio_array_data", "x"),
    ("sm.mem.reader.sparse_global_order.ratio_coords", "x"),
    ("sm.mem.reader.sparse_global_order.ratio_tile_ranges", "x"),
    ("sm.mem.reader.sparse_unordered_with_dups.ratio_array_data", "x"),
    ("sm.mem.reader.sparse_unordered_with_dups.ratio_coords", "x"),
    ("sm.mem.reader.sparse_unordered_with_dups.ratio_tile_ranges", "x"),
    ("sm.query.sparse_global_order.preprocess_tile_merge", "0"),
    ("sm.query.sparse_global_order.preprocess_tile_merge", "x"),
    ("sm.skip_est_size_partitioning", "true"),
    ("sm.skip_est_size_partitioning", "x"),
    ("sm.skip_unary_partitioning_budget_check", "x"),
    ("sm.partial_tile_offsets_loading", "x"),
    ("sm.max_tile_overlap_size", "0"),
    ("vfs.min_batch_gap", "0"),
    ("vfs.read_logging_mode", "x"),
];

/// A dense array, a sparse one, and one with duplicates.
fn arrays(world: &mut World<'_>) {
    world.create("dense", dense(&[dim("d", 0, 9, 5)], &[attr("a", INT32, 1, false)]));
    world.write("dense", ROW, &[range(0, 0, 9)], &[("a", fixed(&[0i32, 1, 2, 3, 4, 5, 6, 7, 8, 9]))]);
    for (name, dups) in [("sparse", false), ("duplicates", true)] {
        let mut spec = sparse(&[dim("d", 0, 9, 5)], &[attr("a", INT32, 1, false)]);
        spec.dups = dups;
        world.create(name, spec);
        for first in [1i32, 2] {
            let cells = fixed(&[first, first + 2, first + 4]);
            world.write(name, UNORDERED, &[], &[("d", cells.clone()), ("a", cells)]);
        }
    }
}

fn read(world: &World<'_>, ctx: &Ctx<'_>, name: &str, layout: u64, filtered: bool) -> Result<usize, Failure> {
    let array = Array::open(ctx, &world.uri(name), 0, None, None)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    let subarray = ranges(&array, world.spec(name), &[range(0, 0, 9)], None)?;
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    let mut column = Column::with_capacity("a", 4096, None, None);
    let mut run = || {
        ctx.call("query_set_layout", &[query, layout])?;
        if filtered {
            condition(ctx, query)?;
        }
        column.bind(ctx, query)?;
        ctx.call("query_submit", &[query])
    };
    let done = run();
    ctx.free("query", query);
    done.map(|()| column.result().data.len())
}

fn reads(world: &mut World<'_>) {
    arrays(world);
    for (name, value) in READS {
        let ctx = world.api.context(&[(name, value)]);
        for (array, layouts) in [
            ("dense", &[ROW, GLOBAL][..]),
            ("sparse", &[ROW, COL, GLOBAL, UNORDERED]),
            ("duplicates", &[ROW, UNORDERED]),
        ] {
            for &layout in layouts {
                for filtered in [false, true] {
                    let step = format!("{name}={value} {array} in layout {layout}, filtered {filtered}");
                    let bytes = read(world, &ctx, array, layout, filtered);
                    world.tell(&step, bytes.map(|bytes| world.say(&format!("{bytes} bytes"))));
                }
            }
        }
    }
}

/// Sparse reads in the order of rows or columns, which the reference does without minding the budget.
fn without_memory(world: &mut World<'_>) {
    arrays(world);
    for value in ["0", "1", "100"] {
        let ctx = world.api.context(&[("sm.mem.total_budget", value)]);
        for (array, layout) in [("sparse", ROW), ("sparse", COL), ("duplicates", ROW), ("duplicates", COL)] {
            for filtered in [false, true] {
                let bytes = read(world, &ctx, array, layout, filtered);
                let step = format!("{value} bytes, {array} in layout {layout}, filtered {filtered}");
                world.tell(&step, bytes.map(|bytes| world.say(&format!("{bytes} bytes"))));
            }
        }
    }
}

fn consolidations(world: &mut World<'_>) {
    arrays(world);
    for (name, value) in [
        ("sm.mem.consolidation.buffers_weight", "x"),
        ("sm.mem.consolidation.reader_weight", "x"),
        ("sm.mem.consolidation.writer_weight", "x"),
        ("sm.mem.consolidation.buffers_weight", "0"),
    ] {
        let ctx = world.api.context(&[(name, value)]);
        let uri = text(&world.uri("sparse"));
        world.tell(&format!("{name}={value}"), ctx.call("array_consolidate", &[pointer(&uri), 0]));
        world.fragments("sparse");
    }
}

/// Creates an array with an enumeration of 6 words of 3 letters, 66 bytes with their offsets.
fn enumerated(api: &Api, uri: &str, config: &[(&str, &str)]) -> Result<(), Failure> {
    let ctx = api.context(config);
    let words = b"onetwosixtenfourXX";
    let starts: Vec<u64> = (0..6).map(|word| word * 3).collect();
    let (name, label) = (text("e"), text("a"));
    let strings = [11, u64::from(u32::MAX), 0, words.as_ptr() as u64, 18, starts.as_ptr() as u64, 48];
    let values = ctx.get("enumeration_alloc", &[&[pointer(&name)][..], &strings].concat())?;
    let (range, extent) = ([0i32, 9], [5i32]);
    let ends = [range.as_ptr() as u64, extent.as_ptr() as u64];
    let dimension = ctx.get("dimension_alloc", &[pointer(&text("d")), 0, ends[0], ends[1]])?;
    let domain = ctx.get("domain_alloc", &[])?;
    ctx.call("domain_add_dimension", &[domain, dimension])?;
    let schema = ctx.get("array_schema_alloc", &[0])?;
    ctx.call("array_schema_set_domain", &[schema, domain])?;
    ctx.call("array_schema_add_enumeration", &[schema, values])?;
    let attribute = ctx.get("attribute_alloc", &[pointer(&label), 0])?;
    ctx.call("attribute_set_enumeration_name", &[attribute, pointer(&name)])?;
    ctx.call("array_schema_add_attribute", &[schema, attribute])?;
    ctx.call("array_create", &[pointer(&text(uri)), schema])
}

fn enumerations(world: &mut World<'_>) {
    for name in ["sm.enumerations_max_size", "sm.enumerations_max_total_size"] {
        for value in ["0", "65", "66", "x"] {
            let uri = world.uri(&format!("{name}{value}"));
            world.tell(&format!("{name}={value}"), enumerated(world.api, &uri, &[(name, value)]));
        }
    }
}
