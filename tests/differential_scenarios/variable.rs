//! Variable-size and nullable cells, strings and mixed kinds of dimensions, Hilbert order.

use crate::Scenario;
use crate::world::{
    ANY, ASCII, COL, Dim, FLOAT64, GLOBAL, HILBERT, INT32, INT64, Little, ROW, Spec, UINT8, UNORDERED, UTF8, VAR,
    World, all, attr, dense, dim, fixed, range, sparse, text_dim, text_range, var,
};
use support::Cells;

pub const SCENARIOS: &[Scenario] = &[
    ("variable_empty_cells", empty_cells),
    ("variable_nullable", nullable),
    ("variable_wrong_validity", wrong_validity),
    ("variable_any", any),
    ("variable_small_buffers", small_buffers),
    ("variable_many_attributes", many_attributes),
    ("strings_one_dimension", string_dimension),
    ("strings_two_dimensions", two_strings),
    ("strings_mixed_dimensions", mixed_dimensions),
    ("hilbert", hilbert),
];

const LAYOUTS: [u64; 4] = [ROW, COL, GLOBAL, UNORDERED];

fn read_in_all_layouts(world: &World<'_>, name: &str, fields: &[&str]) {
    for layout in LAYOUTS {
        world.read(name, &all(layout, fields));
    }
}

/// Empty cells first, last, between, alone, and nothing but empty cells.
fn empty_cells(world: &mut World<'_>) {
    let attrs = [attr("s", ASCII, VAR, false), attr("u", UTF8, VAR, false), attr("n", INT32, VAR, true)];
    world.create("sparse", sparse(&[dim("d", 0, 99, 10)], &attrs));
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &attrs));
    for (first, cells) in [["", "a", "bb", ""], ["x", "", "", "y"], ["", "", "", ""]].iter().enumerate() {
        let count = cells.len() as i32;
        let numbers: Vec<i32> = (0..count).collect();
        let numbers = Cells { offsets: Some(vec![0, 0, 4, 4]), ..fixed(&numbers) }.nulls(&[1, 0, 1, 0]);
        let columns = [("s", var(cells)), ("u", var(cells)), ("n", numbers)];
        let first = first as i32 * 3;
        let region = [range(0, first, first + 3)];
        world.write_by_ours("dense", ROW, &region, &columns);
        let coordinates: Vec<i32> = (first..first + 4).rev().collect();
        world.write("sparse", UNORDERED, &[], &[&columns[..], &[("d", fixed(&coordinates))]].concat());
    }
    let mut alone = [("s", var(&[""])), ("u", var(&[""])), ("n", fixed::<i32>(&[]))];
    alone[2].1.offsets = Some(vec![0]);
    alone[2].1.validity = Some(vec![0]);
    world.write("sparse", UNORDERED, &[], &[&alone[..], &[("d", fixed(&[50]))]].concat());
    let fields = ["d", "s", "u", "n"];
    read_in_all_layouts(world, "sparse", &fields);
    for layout in [ROW, COL, GLOBAL] {
        let mut read = all(layout, &fields);
        read.ranges = vec![range(0, 0, 9)];
        world.read("dense", &read);
        read.ranges = vec![range(0, 2, 7)];
        world.read("dense", &read);
    }
}

/// Validity bytes of any value.
fn nullable(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, true), attr("b", INT64, 2, true), attr("s", ASCII, VAR, true)];
    world.create("sparse", sparse(&[dim("d", 0, 99, 10)], &attrs));
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &attrs));
    let columns = |validity: &[u8]| {
        vec![
            ("a", fixed(&[1, 2, 3]).nulls(validity)),
            ("b", fixed(&[1i64, 2, 3, 4, 5, 6]).nulls(validity)),
            ("s", var(&["one", "", "three"]).nulls(validity)),
        ]
    };
    for validity in [[1u8, 0, 1], [0, 0, 0], [1, 1, 1], [2, 255, 0]] {
        let columns = columns(&validity);
        world.write_by_ours("dense", ROW, &[range(0, 4, 6)], &columns);
        world.write("sparse", UNORDERED, &[], &[&columns[..], &[("d", fixed(&[9, 3, 70]))]].concat());
        let fields = ["d", "a", "b", "s"];
        world.read("sparse", &all(ROW, &fields));
        let mut read = all(COL, &fields);
        read.ranges = vec![range(0, 3, 8)];
        world.read("dense", &read);
    }
}

/// Too few and too many validity bytes. (Of sparse writes the reference reads beyond the end of the buffer.)
fn wrong_validity(world: &mut World<'_>) {
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &[attr("a", INT32, 1, true)]));
    for validity in [&[1, 0][..], &[], &[1, 1, 1, 1]] {
        world.write("dense", ROW, &[range(0, 4, 6)], &[("a", fixed(&[1, 2, 3]).nulls(validity))]);
        world.write("dense", ROW, &[range(0, 4, 6)], &[("a", fixed(&[1, 2]).nulls(validity))]);
    }
}

fn any(world: &mut World<'_>) {
    world.create("fixed", sparse(&[dim("d", 0, 99, 10)], &[attr("a", ANY, 1, false)]));
    world.create("var", sparse(&[dim("d", 0, 99, 10)], &[attr("a", ANY, VAR, false), attr("n", ANY, VAR, true)]));
    let columns =
        [("a", var(&["a", "", "long one"])), ("n", var(&["", "x", "y"]).nulls(&[1, 0, 1])), ("d", fixed(&[5, 4, 3]))];
    world.write("var", UNORDERED, &[], &columns);
    read_in_all_layouts(world, "var", &["d", "a", "n"]);
}

/// Buffers that hold a part: each submit gives what fits.
fn small_buffers(world: &mut World<'_>) {
    let attrs = [attr("s", ASCII, VAR, false), attr("n", UINT8, VAR, true), attr("f", INT32, 1, false)];
    let mut spec = sparse(&[dim("d", 0, 99, 10)], &attrs);
    spec.capacity = 3;
    world.create("sparse", spec);
    world.create("dense", dense(&[dim("d", 0, 11, 4)], &attrs));
    let words = ["", "a", "bb", "", "dddd", "eeeee", "", "g", "hhhhhhhh", "", "", "l"];
    let validity: Vec<u8> = (0..12).map(|i| u8::from(i % 3 != 0)).collect();
    let numbers: Vec<i32> = (0..12).collect();
    let columns = [("s", var(&words)), ("n", var(&words).nulls(&validity)), ("f", fixed(&numbers))];
    world.write_by_ours("dense", ROW, &[range(0, 0, 11)], &columns);
    world.write("sparse", UNORDERED, &[], &[&columns[..], &[("d", fixed(&numbers))]].concat());
    for room in [(8, 8), (12, 12), (16, 4), (32, 32)] {
        for layout in LAYOUTS {
            let mut read = all(layout, &["s", "n", "f"]);
            read.room = room;
            world.read("sparse", &read);
            read.ranges = vec![range(0, 0, 11)];
            if layout != UNORDERED {
                world.read("dense", &read);
            }
        }
    }
}

/// Two hundred attributes of four kinds.
fn many_attributes(world: &mut World<'_>) {
    let kinds = [(INT32, 1, false), (ASCII, VAR, false), (FLOAT64, 2, true), (UTF8, VAR, true)];
    let attrs: Vec<_> = (0..200)
        .map(|i| {
            let (ty, values, nullable) = kinds[i % 4];
            attr(&format!("attribute{i}"), ty, values, nullable)
        })
        .collect();
    let columns: Vec<(&str, Cells)> = attrs
        .iter()
        .enumerate()
        .map(|(i, attr)| {
            let number = i as i32;
            let word = format!("word{i}");
            let cells = match i % 4 {
                0 => fixed(&[number, -number, 7]),
                1 => var(&[&word, "", "z"]),
                2 => fixed(&[1.0f64, 2.0, 3.0, f64::from(number), 5.0, 6.0]).nulls(&[1, 0, 1]),
                _ => var(&["", &word, "ž"]).nulls(&[0, 1, 1]),
            };
            (attr.name.as_str(), cells)
        })
        .collect();
    let fields: Vec<&str> = attrs.iter().map(|attr| attr.name.as_str()).collect();
    world.create("sparse", sparse(&[dim("d", 0, 99, 10)], &attrs));
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &attrs));
    world.write_by_ours("dense", ROW, &[range(0, 2, 4)], &columns);
    world.write("sparse", UNORDERED, &[], &[&columns[..], &[("d", fixed(&[9, 3, 70]))]].concat());
    world.write("sparse", UNORDERED, &[], &columns);
    world.write("sparse", UNORDERED, &[], &[&columns[1..], &[("d", fixed(&[9, 3, 70]))]].concat());
    let mut read = all(ROW, &fields);
    read.room = (128, 128);
    world.read("sparse", &read);
    read.ranges = vec![range(0, 1, 5)];
    world.read("dense", &read);
}

fn string_dimension(world: &mut World<'_>) {
    world.create("one", sparse(&[text_dim("k")], &[attr("a", INT32, 1, false)]));
    let keys = ["b", "", "abc", "ab", "zz", "a", "abcdefghi", "abcdefghj", "~", "B"];
    let values: Vec<i32> = (0..10).collect();
    world.write("one", UNORDERED, &[], &[("k", var(&keys)), ("a", fixed(&values))]);
    world.write("one", UNORDERED, &[], &[("k", var(&["ab", "new"])), ("a", fixed(&[100, 101]))]);
    world.write("one", UNORDERED, &[], &[("k", var(&["dup", "dup"])), ("a", fixed(&[1, 2]))]);
    world.write("one", UNORDERED, &[], &[("k", var(&["höher"])), ("a", fixed(&[1]))]);
    read_in_all_layouts(world, "one", &["k", "a"]);
    let ranges: [&[(&str, &str)]; 11] = [
        &[("", "")],
        &[("a", "a")],
        &[("a", "b")],
        &[("ab", "abcdefghi")],
        &[("", "a")],
        &[("c", "y")],
        &[("abcdefghz", "z")],
        &[("z", "a")],
        &[("a", "a"), ("zz", "zz")],
        &[("zz", "~"), ("a", "ab")],
        &[("a", "b"), ("ab", "c")],
    ];
    for ends in ranges {
        for layout in LAYOUTS {
            let mut read = all(layout, &["k", "a"]);
            read.ranges = ends.iter().map(|(low, high)| text_range(0, low, high)).collect();
            world.read("one", &read);
        }
    }
}

fn two_strings(world: &mut World<'_>) {
    for (name, cell_order, dups) in [("row", ROW, false), ("col", COL, true), ("hilbert", HILBERT, false)] {
        let spec = sparse(&[text_dim("k"), text_dim("l")], &[attr("a", ASCII, VAR, true)]);
        world.create(name, Spec { cell_order, dups, capacity: 2, ..spec });
        let (k, l) = (["b", "a", "", "a", "b", "a"], ["x", "", "z", "b", "a", "c"]);
        let a = var(&["1", "22", "", "4", "55", "6"]).nulls(&[1, 1, 1, 0, 0, 1]);
        world.write(name, UNORDERED, &[], &[("k", var(&k)), ("l", var(&l)), ("a", a)]);
        let again = [("k", var(&["a"])), ("l", var(&["b"])), ("a", var(&["again"]).nulls(&[1]))];
        if !dups {
            world.write(name, UNORDERED, &[], &again);
        }
        read_in_all_layouts(world, name, &["k", "l", "a"]);
        for layout in LAYOUTS {
            let mut read = all(layout, &["k", "l", "a"]);
            read.ranges = vec![text_range(0, "a", "a"), text_range(1, "a", "c")];
            world.read(name, &read);
            read.ranges = vec![text_range(1, "", "b"), text_range(1, "x", "z")];
            world.read(name, &read);
        }
    }
}

fn mixed_dimensions(world: &mut World<'_>) {
    let float = Dim { name: "f", ty: FLOAT64, domain: [-10.0f64, 10.0].little(), extent: [2.5f64].little() };
    let byte = Dim { name: "b", ty: UINT8, domain: vec![0, 200], extent: vec![50] };
    for (name, cell_order, tile_order) in
        [("row", ROW, ROW), ("col", COL, ROW), ("rowcol", ROW, COL), ("hilbert", HILBERT, ROW)]
    {
        let dims = [text_dim("k"), float.clone(), dim("i", -50, 50, 7), byte.clone()];
        let spec = sparse(&dims, &[attr("a", INT32, 1, false)]);
        world.create(name, Spec { cell_order, tile_order, capacity: 3, ..spec });
        let k = ["b", "a", "a", "cc", "", "b", "a", "cc"];
        let f = [0.5, -10.0, 10.0, 3.25, -0.0, 0.5, -10.0, 7.5];
        let (i, b) = ([1, -50, 50, 0, 3, 1, -49, 9], [5u8, 0, 200, 49, 50, 6, 0, 99]);
        let a: Vec<i32> = (0..8).collect();
        let columns = [("k", var(&k)), ("f", fixed(&f)), ("i", fixed(&i)), ("b", fixed(&b)), ("a", fixed(&a))];
        world.write(name, UNORDERED, &[], &columns);
        read_in_all_layouts(world, name, &["k", "f", "i", "b", "a"]);
        for layout in LAYOUTS {
            let mut read = all(layout, &["k", "f", "i", "b", "a"]);
            read.ranges = vec![text_range(0, "a", "b"), range(2, -50, 3), (3, vec![0], vec![50])];
            world.read(name, &read);
            read.ranges = vec![(1, [-10.0f64].little(), [0.0f64].little())];
            world.read(name, &read);
        }
    }
}

fn hilbert(world: &mut World<'_>) {
    for (name, dims) in [("one", 1usize), ("two", 2), ("three", 3)] {
        let all_dims = [dim("x", -8, 7, 4), dim("y", 0, 15, 4), dim("z", 0, 1000, 100)];
        let spec = sparse(&all_dims[..dims], &[attr("a", INT32, 1, false)]);
        world.create(name, Spec { cell_order: HILBERT, capacity: 4, ..spec });
        let cells: Vec<i32> = (0..16).map(|i| i * 7 % 16).collect();
        let coordinates = [
            cells.iter().map(|i| i - 8).collect::<Vec<i32>>(),
            cells.iter().map(|i| i * 5 % 16).collect(),
            cells.iter().map(|i| i * i).collect(),
        ];
        let names = ["x", "y", "z"];
        let mut columns: Vec<(&str, Cells)> =
            names.iter().zip(&coordinates).take(dims).map(|(name, cells)| (*name, fixed(cells))).collect();
        columns.push(("a", fixed(&cells)));
        world.write(name, UNORDERED, &[], &columns);
        let fields = [&names[..dims], &["a"]].concat();
        read_in_all_layouts(world, name, &fields);
        for layout in LAYOUTS {
            let mut read = all(layout, &fields);
            read.ranges = vec![range(0, -5, 3)];
            world.read(name, &read);
            read.ranges = vec![range(0, -5, -2), range(0, 0, 3)];
            world.read(name, &read);
        }
    }
}
