//! Estimates of result sizes, which must be equal.

use crate::Scenario;
use crate::dice::Dice;
use crate::world::{
    ASCII, Attr, COL, Dim, Ends, FLOAT64, GLOBAL, HILBERT, INT32, INT64, Little, ROW, Spec, UINT64, UNORDERED, VAR,
    World, attr, dense, dim, fixed, range, ranges, sparse, text_dim, text_range, var,
};
use support::{Array, Ctx, Failure, address, pointer, text};

pub const SCENARIOS: &[Scenario] = &[
    ("estimates_sparse", of_sparse),
    ("estimates_dense", of_dense),
    ("estimates_shapes", of_shapes),
    ("estimates_types", of_types),
    ("estimates_texts", of_texts),
    ("estimates_evolved", of_evolved),
    ("estimates_refused", refused),
];

/// The four calls, and whether they tell of offsets and validity.
const CALLS: [(&str, usize); 4] = [
    ("query_get_est_result_size", 1),
    ("query_get_est_result_size_nullable", 2),
    ("query_get_est_result_size_var", 2),
    ("query_get_est_result_size_var_nullable", 3),
];

fn estimate(ctx: &Ctx<'_>, query: u64, call: usize, field: &str) -> Result<[u64; 3], Failure> {
    let (mut sizes, name) = ([7u64; 3], text(field));
    let (function, count) = CALLS[call];
    let mut arguments = vec![query, pointer(&name)];
    for size in sizes.iter_mut().take(count) {
        arguments.push(address(size));
    }
    ctx.call(function, &arguments)?;
    Ok(sizes)
}

/// Tells the estimates of all fields for ranges in a layout.
fn tell(world: &World<'_>, name: &str, layout: u64, range_set: &[Ends]) {
    let ctx = world.api.context(&[]);
    let spec = world.spec(name);
    let estimates = Array::open(&ctx, &world.uri(name), 0, None, None).and_then(|array| {
        let query = ctx.get("query_alloc", &[array.handle, 0])?;
        ctx.call("query_set_layout", &[query, layout])?;
        if !range_set.is_empty() {
            let subarray = ranges(&array, spec, range_set, Some(false))?;
            ctx.call("query_set_subarray_t", &[query, subarray])?;
            ctx.free("subarray", subarray);
        }
        let dims = spec.dims.iter().map(|dim| (dim.name, if dim.ty == ASCII { 2 } else { 0 }));
        let kind = |attr: &Attr| 2 * usize::from(attr.values == VAR) + usize::from(attr.nullable);
        let fields = dims.chain(spec.attrs.iter().map(|attr| (attr.name.as_str(), kind(attr))));
        for (field, call) in fields.chain([("__coords", 0)]) {
            let sizes = estimate(&ctx, query, call, field);
            world.tell(&format!("  {field} {:?}", sizes.clone().ok()), sizes);
        }
        ctx.free("query", query);
        Ok(())
    });
    world.tell(&format!("estimates of {name} in layout {layout}, {} ranges", range_set.len()), estimates);
}

const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

/// Sets of ranges of two dimensions [0, 9].
fn sets() -> Vec<Vec<Ends>> {
    let on = |d: u64, ends: &[(i32, i32)]| ends.iter().map(|&(low, high)| range(d, low, high)).collect::<Vec<Ends>>();
    vec![
        Vec::new(),
        on(0, &[(0, 9)]),
        on(0, &[(3, 3)]),
        on(1, &[(0, 2)]),
        [on(0, &[(1, 6)]), on(1, &[(2, 7)])].concat(),
        [on(0, &[(5, 5)]), on(1, &[(5, 5)])].concat(),
        on(0, &[(0, 1), (4, 8)]),
        on(0, &[(4, 8), (0, 1)]),
        on(0, &[(2, 5), (4, 7), (4, 7)]),
        [on(0, &[(7, 8), (1, 2)]), on(1, &[(0, 4), (3, 8), (9, 9)])].concat(),
    ]
}

fn tell_sets(world: &World<'_>, name: &str) {
    for layout in LAYOUTS {
        for range_set in sets() {
            // In global order the reference takes one range only.
            let counts = [0, 1].map(|d| range_set.iter().filter(|ends| ends.0 == d).count());
            if layout != GLOBAL || counts.iter().all(|&count| count < 2) {
                tell(world, name, layout, &range_set);
            }
        }
    }
}

fn attributes() -> Vec<Attr> {
    vec![
        attr("a", INT32, 1, false),
        attr("n", INT64, 1, true),
        attr("p", INT32, 3, true),
        attr("t", ASCII, VAR, false),
        attr("v", INT32, VAR, true),
    ]
}

fn cells(count: usize) -> Vec<(&'static str, support::Cells)> {
    let words = ["", "a", "word", "much longer", "of", ""];
    let texts: Vec<&str> = (0..count).map(|i| words[i % 6]).collect();
    let numbers: Vec<String> = (0..count).map(|i| "1234".repeat(i % 4)).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    let validity: Vec<u8> = (0..count).map(|i| u8::from(i % 3 != 0)).collect();
    let ints: Vec<i32> = (0..3 * count as i32).collect();
    let longs: Vec<i64> = (0..count as i64).collect();
    vec![
        ("a", fixed(&ints[..count])),
        ("n", fixed(&longs).nulls(&validity)),
        ("p", fixed(&ints).nulls(&validity)),
        ("t", var(&texts)),
        ("v", var(&numbers).nulls(&validity)),
    ]
}

fn of_sparse(world: &mut World<'_>) {
    for (name, cell_order, dups) in
        [("row", ROW, false), ("col", COL, false), ("hilbert", HILBERT, false), ("dups", ROW, true)]
    {
        let spec = sparse(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &attributes());
        world.create(name, Spec { cell_order, dups, capacity: 3, ..spec });
        tell_sets(world, name);
        for step in [37, 11] {
            let at: Vec<i32> = (0..22).map(|i| i * step % 100).collect();
            let x: Vec<i32> = at.iter().map(|cell| cell / 10).collect();
            let y: Vec<i32> = at.iter().map(|cell| cell % 10).collect();
            let columns = [vec![("x", fixed(&x)), ("y", fixed(&y))], cells(22)].concat();
            world.write(name, UNORDERED, &[], &columns);
            tell_sets(world, name);
        }
    }
}

fn of_dense(world: &mut World<'_>) {
    for (name, tile_order) in [("row", ROW), ("col", COL)] {
        let spec = dense(&[dim("x", 0, 9, 3), dim("y", 0, 9, 4)], &attributes());
        world.create(name, Spec { tile_order, cell_order: COL - tile_order, ..spec });
        tell_sets(world, name);
        let regions = [(0, 9, 0, 9, 100), (2, 6, 3, 5, 15), (9, 9, 9, 9, 1)];
        for (x0, x1, y0, y1, count) in regions {
            world.write_by_ours(name, ROW, &[range(0, x0, x1), range(1, y0, y1)], &cells(count));
            tell_sets(world, name);
        }
    }
}

/// Dense arrays of many shapes with fragments of some cells, some of one tile.
fn of_shapes(world: &mut World<'_>) {
    for seed in 1..40 {
        let mut dice = Dice::new(seed);
        let sides: Vec<(i32, i32)> = (0..1 + dice.less(3)).map(|_| (3 + dice.below(20), 1 + dice.below(6))).collect();
        let dims: Vec<Dim> =
            sides.iter().zip(["x", "y", "z"]).map(|(&(size, by), name)| dim(name, 0, size, by)).collect();
        let attrs = [attr("t", ASCII, VAR, false), attr("v", INT32, VAR, true)];
        let (tile_order, cell_order) = (dice.less(2) as u64, dice.less(2) as u64);
        let name = format!("shape {seed}");
        world.create(&name, Spec { tile_order, cell_order, ..dense(&dims, &attrs) });
        let some = |dice: &mut Dice, high: i32| {
            let low = dice.below(high + 1);
            (low, low + dice.below((high - low + 1).min(9)))
        };
        for _ in 0..1 + dice.less(3) {
            let region: Vec<(i32, i32)> = sides.iter().map(|&(high, _)| some(&mut dice, high)).collect();
            let count: i32 = region.iter().map(|(low, high)| high - low + 1).product();
            let words: Vec<&str> = (0..count).map(|_| ["", "a", "bc", "word", "much longer"][dice.less(5)]).collect();
            let numbers: Vec<&str> = (0..count).map(|_| ["", "1234", "12345678"][dice.less(3)]).collect();
            let validity: Vec<u8> = (0..count).map(|_| dice.less(2) as u8).collect();
            let region: Vec<Ends> = region.iter().zip(0..).map(|(&(low, high), d)| range(d, low, high)).collect();
            world.write_by_ours(&name, ROW, &region, &[("t", var(&words)), ("v", var(&numbers).nulls(&validity))]);
        }
        for _ in 0..6 {
            let mut range_set = Vec::new();
            for (&(high, _), d) in sides.iter().zip(0..) {
                range_set
                    .extend((0..dice.less(3)).map(|_| some(&mut dice, high)).map(|(low, high)| range(d, low, high)));
            }
            tell(world, &name, dice.less(2) as u64, &range_set);
        }
    }
}

/// A sparse array with one dimension of a type, and cells at these coordinates.
fn line(world: &mut World<'_>, name: &str, dim: Dim, at: &[Vec<u8>]) {
    let spec = sparse(&[Dim { name: "d", ..dim }], &[attr("a", INT32, 1, false), attr("t", ASCII, VAR, false)]);
    world.create(name, Spec { capacity: 2, ..spec });
    let ints: Vec<i32> = (0..at.len() as i32).collect();
    let texts: Vec<&str> = ["x", "yy", "zzz"].into_iter().cycle().take(at.len()).collect();
    world.write(name, UNORDERED, &[], &[("d", fixed(&at.concat())), ("a", fixed(&ints)), ("t", var(&texts))]);
    for low in 0..at.len() {
        for high in low..at.len() {
            tell(world, name, UNORDERED, &[(0, at[low].clone(), at[high].clone())]);
        }
    }
}

fn of_types(world: &mut World<'_>) {
    const INT8: u64 = 5;
    let of = |ty: u64, domain: Vec<u8>, extent: Vec<u8>| Dim { name: "", ty, domain, extent };
    let at = [-128i8, -100, -3, 0, 1, 5, 50, 64, 90, 120].map(|v| vec![v as u8]);
    line(world, "i8", of(INT8, vec![128, 125], vec![1]), &at);
    line(world, "u8", of(6, vec![0, 250], vec![2]), &[0, 1, 9, 60, 125, 128, 200, 250].map(|v| vec![v]));
    let low = i64::MIN + 1;
    let at = [low, low / 3, -5, 0, 7, 1 << 40, 1 << 62, i64::MAX - 9].map(|v| [v].little());
    line(world, "i64", of(INT64, [low, i64::MAX - 9].little(), [1i64].little()), &at);
    let high = u64::MAX - 9;
    let at = [0, 3, 1 << 33, 1 << 62, 1 << 63, high].map(|v| [v].little());
    line(world, "u64", of(UINT64, [0, high].little(), [1u64].little()), &at);
    let at = [-1e300, -2.5, -0.0, f64::MIN_POSITIVE, 0.1, 0.3, 1e17, 1.5e308].map(|v| [v].little());
    line(world, "f64", of(FLOAT64, [-1.7e308, 1.7e308].little(), [1e10].little()), &at);
}

fn of_texts(world: &mut World<'_>) {
    for dups in [false, true] {
        let name = if dups { "dups" } else { "texts" };
        let spec =
            sparse(&[text_dim("k"), dim("x", 0, 9, 3)], &[attr("a", INT32, 1, true), attr("t", ASCII, VAR, false)]);
        world.create(name, Spec { capacity: 2, dups, ..spec });
        let words = ["", "a", "aa", "ab", "abc", "abd", "b", "bcd", "x", "xyz", "xz", "z"];
        let ints: Vec<i32> = (0..12).collect();
        let x: Vec<i32> = (0..12).map(|i| i * 7 % 10).collect();
        let columns = [("k", var(&words)), ("x", fixed(&x)), ("a", fixed(&ints).nulls(&[1; 12])), ("t", var(&words))];
        world.write(name, UNORDERED, &[], &columns);
        for low in words {
            for high in words.into_iter().filter(|high| *high >= low) {
                tell(world, name, UNORDERED, &[text_range(0, low, high)]);
                tell(world, name, UNORDERED, &[text_range(0, low, high), range(1, 3, 6), range(1, 5, 8)]);
            }
        }
    }
}

fn of_evolved(world: &mut World<'_>) {
    for is_dense in [false, true] {
        let name = if is_dense { "dense" } else { "sparse" };
        let spec = sparse(&[dim("x", 1, 8, 4)], &[attr("a", INT32, 1, false)]);
        world.create(name, Spec { dense: is_dense, ..spec });
        let (ints, x): (Vec<i32>, Vec<i32>) = ((0..8).collect(), (1..9).collect());
        let mut columns = vec![("a", fixed(&ints))];
        if !is_dense {
            columns.push(("x", fixed(&x)));
        }
        let (layout, region) = if is_dense { (ROW, vec![range(0, 1, 8)]) } else { (UNORDERED, Vec::new()) };
        world.write(name, layout, &region, &columns);
        let more = [attr("n", INT64, 1, true), attr("t", ASCII, VAR, false)];
        let ctx = world.api.context(&[]);
        let uri = text(&world.uri(name));
        let evolved = ctx.get("array_schema_evolution_alloc", &[]).and_then(|evolution| {
            for attr in &more {
                let attribute = crate::world::attribute(&ctx, attr)?;
                ctx.call("array_schema_evolution_add_attribute", &[evolution, attribute])?;
                ctx.free("attribute", attribute);
            }
            ctx.call("array_evolve", &[pointer(&uri), evolution])?;
            ctx.free("array_schema_evolution", evolution);
            Ok(())
        });
        world.tell("evolve", evolved);
        world.alter(name, &[&[attr("a", INT32, 1, false)], &more[..]].concat());
        for range_set in [vec![], vec![range(0, 2, 3)], vec![range(0, 1, 2), range(0, 5, 8)]] {
            tell(world, name, ROW, &range_set);
        }
    }
}

/// All calls for all fields, those there are not, too, of a query that reads and one that writes.
fn refused(world: &mut World<'_>) {
    for is_dense in [false, true] {
        let name = if is_dense { "dense" } else { "sparse" };
        let spec = sparse(&[dim("x", 1, 8, 4)], &attributes());
        world.create(name, Spec { dense: is_dense, ..spec });
        let ctx = world.api.context(&[]);
        for kind in [0, 1] {
            let array = Array::open(&ctx, &world.uri(name), kind, None, None).unwrap();
            let query = ctx.get("query_alloc", &[array.handle, kind]).unwrap();
            for (call, function) in CALLS.iter().map(|call| call.0).enumerate() {
                for field in
                    ["x", "a", "n", "p", "t", "v", "zz", "", "__coords", "__timestamps", "__delete_condition_index"]
                {
                    let step = format!("{} of {field:?} in a query of kind {kind}", function);
                    let sizes = estimate(&ctx, query, call, field);
                    world.tell(&format!("{step} {:?}", sizes.clone().ok()), sizes);
                }
                let (mut size, name) = (7u64, text("a"));
                let size = address(&mut size);
                let nowhere = |step: &str, arguments: &[u64]| {
                    world.tell(step, ctx.call(function, arguments));
                };
                nowhere("no query", &[0, pointer(&name), size, size, size]);
                nowhere("no name", &[query, 0, size, size, size]);
                nowhere("nowhere", &[query, pointer(&name), 0, size, size]);
                nowhere("nowhere", &[query, pointer(&name), size, 0, size]);
                nowhere("nowhere", &[query, pointer(&name), size, size, 0]);
            }
            ctx.free("query", query);
        }
    }
}
