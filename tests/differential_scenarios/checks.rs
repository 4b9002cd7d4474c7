//! Coordinate checks of writes, and writes in global order in several submits.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, HILBERT, INT32, ROW, Spec, UNORDERED, VAR, World, all, attr, dense, dim, fixed, range, sparse,
    text_dim, var,
};
use support::Cells;

pub const SCENARIOS: &[Scenario] = &[
    ("checks_duplicates", duplicates),
    ("checks_duplicate_strings", duplicate_strings),
    ("checks_out_of_domain", out_of_domain),
    ("checks_global_order", global_order),
    ("checks_missing_fields", missing_fields),
    ("checks_separate_fields", separate_fields),
    ("global_submits_sparse", global_sparse),
    ("global_submits_dense", global_dense),
    ("dense_edge_tiles", edge_tiles),
];

const DEDUP: &str = "sm.dedup_coords";
const CHECK_DUPS: &str = "sm.check_coord_dups";
const CHECK_OOB: &str = "sm.check_coord_oob";
const CHECK_ORDER: &str = "sm.check_global_order";

fn configurations() -> Vec<Vec<(&'static str, &'static str)>> {
    let mut configurations = Vec::new();
    for dedup in ["false", "true"] {
        for check in ["false", "true"] {
            configurations.push(vec![(DEDUP, dedup), (CHECK_DUPS, check)]);
        }
    }
    configurations
}

/// Equal coordinates within a write, next to each other and apart, under each way to treat them.
fn duplicates(world: &mut World<'_>) {
    for (order, cell_order) in [("row", ROW), ("col", COL), ("hilbert", HILBERT)] {
        for dups in [false, true] {
            for (number, config) in configurations().into_iter().enumerate() {
                let name = format!("{order}{dups}{number}");
                let spec = sparse(&[dim("x", 0, 99, 10), dim("y", 0, 99, 10)], &[attr("a", INT32, 1, false)]);
                world.create(&name, Spec { cell_order, dups, capacity: 2, ..spec });
                // The values of equal coordinates are equal too: which one stays is not told.
                let columns = vec![
                    ("x", fixed(&[5, 1, 5, 7, 1, 5])),
                    ("y", fixed(&[5, 2, 5, 7, 2, 6])),
                    ("a", fixed(&[1, 2, 1, 3, 2, 4])),
                ];
                world.write_with(&name, UNORDERED, &[], &[columns], &config);
                // Of global-order writes the reference leaves out cells wrongly; and what it lets in, it gives twice.
                let (dedup, check) = (config[0].1 == "true", config[1].1 == "true");
                if dedup || !(check || dups) {
                    if dedup {
                        world.read(&name, &all(UNORDERED, &["x", "y", "a"]));
                    }
                    continue;
                }
                let columns = vec![("x", fixed(&[5, 5, 7])), ("y", fixed(&[5, 5, 7])), ("a", fixed(&[8, 8, 9]))];
                world.write_with(&name, GLOBAL, &[], &[columns], &config);
                world.read(&name, &all(UNORDERED, &["x", "y", "a"]));
            }
        }
    }
}

fn duplicate_strings(world: &mut World<'_>) {
    for (number, config) in configurations().into_iter().enumerate() {
        let name = format!("strings{number}");
        world.create(&name, sparse(&[text_dim("k"), dim("i", 0, 9, 5)], &[attr("a", ASCII, VAR, false)]));
        let columns = vec![
            ("k", var(&["b", "", "b", "a", "bb"])),
            ("i", fixed(&[1, 2, 1, 2, 1])),
            ("a", var(&["one", "", "one", "", "two"])),
        ];
        world.write_with(&name, UNORDERED, &[], &[columns], &config);
        if number > 0 {
            world.read(&name, &all(UNORDERED, &["k", "i", "a"]));
        }
    }
}

fn out_of_domain(world: &mut World<'_>) {
    for (order, cell_order) in [("row", ROW), ("hilbert", HILBERT)] {
        for check in ["true", "false"] {
            for (coordinate, tile) in [(-1, "low"), (100, "high"), (i32::MIN, "least"), (i32::MAX, "greatest")] {
                let name = format!("{order}{check}{tile}");
                let spec = sparse(&[dim("x", 0, 99, 10)], &[attr("a", INT32, 1, false)]);
                world.create(&name, Spec { cell_order, ..spec });
                let columns = vec![("x", fixed(&[5, coordinate, 7])), ("a", fixed(&[1, 2, 3]))];
                if check == "true" {
                    world.write_with(&name, UNORDERED, &[], &[columns], &[(CHECK_OOB, check)]);
                    world.read(&name, &all(ROW, &["x", "a"]));
                }
            }
        }
    }
}

fn global_order(world: &mut World<'_>) {
    for (order, cell_order, tile_order) in [("row", ROW, ROW), ("col", COL, COL), ("mixed", ROW, COL)] {
        for check in ["true", "false"] {
            let name = format!("{order}{check}");
            let spec = sparse(&[dim("x", 0, 9, 5), dim("y", 0, 9, 5)], &[attr("a", INT32, 1, false)]);
            world.create(&name, Spec { cell_order, tile_order, capacity: 2, ..spec });
            for (x, y) in
                [([0, 0, 0], [0, 1, 2]), ([0, 1, 2], [0, 0, 0]), ([1, 6, 1], [1, 1, 6]), ([1, 1, 6], [1, 6, 1])]
            {
                let columns = vec![("x", fixed(&x)), ("y", fixed(&y)), ("a", fixed(&[1, 2, 3]))];
                world.write_with(&name, GLOBAL, &[], &[columns], &[(CHECK_ORDER, check)]);
            }
            if check == "true" {
                world.read(&name, &all(UNORDERED, &["x", "y", "a"]));
            }
        }
    }
}

/// Fields not given, given twice, of unequal lengths.
fn missing_fields(world: &mut World<'_>) {
    let attrs = [attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)];
    world.create("sparse", sparse(&[dim("x", 0, 9, 5), dim("y", 0, 9, 5)], &attrs));
    world.create("dense", dense(&[dim("x", 0, 9, 5)], &attrs));
    let columns = [("x", fixed(&[1, 2])), ("y", fixed(&[1, 2])), ("a", fixed(&[1, 2])), ("s", var(&["p", "q"]))];
    for left_out in 0..4 {
        let columns: Vec<(&str, Cells)> =
            columns.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, column)| column.clone()).collect();
        world.write("sparse", UNORDERED, &[], &columns);
        world.write("sparse", GLOBAL, &[], &columns);
    }
    world.write("sparse", UNORDERED, &[], &columns[2..]);
    world.write("sparse", UNORDERED, &[], &columns[2..3]);
    world.write("sparse", UNORDERED, &[], &columns[..2]);
    world.write("sparse", UNORDERED, &[], &[]);
    world.write("dense", ROW, &[range(0, 1, 2)], &columns[2..3]);
    world.write("dense", ROW, &[range(0, 1, 2)], &columns[3..]);
    world.write("dense", ROW, &[range(0, 1, 2)], &[]);
    world.write("dense", COL, &[range(0, 1, 2)], &columns[2..]);
    world.create("one", dense(&[dim("x", 0, 9, 5)], &attrs[..1]));
    for region in [&[range(0, 1, 3)][..], &[range(0, 1, 1)], &[]] {
        world.write("one", ROW, region, &columns[2..3]);
    }
    world.read("sparse", &all(ROW, &["x", "y", "a", "s"]));
}

/// Submits of any size make one fragment; tiles run across them.
fn global_sparse(world: &mut World<'_>) {
    for (number, sizes) in
        [&[1usize, 1, 1][..], &[4, 4], &[3, 6, 2], &[10, 1], &[0, 5], &[5, 0, 5], &[7, 7, 7]].iter().enumerate()
    {
        for cell_order in [ROW, HILBERT] {
            let name = format!("sparse{number}{cell_order}");
            let spec = sparse(&[dim("x", 0, 99, 10)], &[attr("a", INT32, 1, false), attr("s", ASCII, VAR, true)]);
            world.create(&name, Spec { cell_order, ..spec });
            let mut next = 0;
            let submits: Vec<Vec<(&str, Cells)>> = sizes
                .iter()
                .map(|&size| {
                    let cells: Vec<i32> = (next..next + size as i32).collect();
                    next += size as i32;
                    let words: Vec<String> = cells.iter().map(|cell| "w".repeat(*cell as usize % 5)).collect();
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    let validity: Vec<u8> = cells.iter().map(|cell| (cell % 2) as u8).collect();
                    vec![("x", fixed(&cells)), ("a", fixed(&cells)), ("s", var(&words).nulls(&validity))]
                })
                .collect();
            world.write_with(&name, GLOBAL, &[], &submits, &[]);
            world.read(&name, &all(ROW, &["x", "a", "s"]));
            world.fragments(&name);
        }
    }
    let name = "backwards";
    world.create(name, sparse(&[dim("x", 0, 99, 10)], &[attr("a", INT32, 1, false)]));
    let submit = |cells: &[i32]| vec![("x", fixed(cells)), ("a", fixed(cells))];
    world.write_with(name, GLOBAL, &[], &[submit(&[5, 6, 7, 8, 9]), submit(&[1, 2])], &[]);
    world.read(name, &all(ROW, &["x", "a"]));
}

fn global_dense(world: &mut World<'_>) {
    for (number, sizes) in [&[16usize][..], &[4, 12], &[1; 16], &[5, 6, 5], &[8], &[0, 16]].iter().enumerate() {
        for order in [ROW, COL] {
            let name = format!("dense{number}{order}");
            let attrs = [attr("a", INT32, 1, false), attr("s", ASCII, VAR, false), attr("n", INT32, 1, true)];
            let spec = dense(&[dim("x", 1, 4, 2), dim("y", 1, 8, 2)], &attrs);
            world.create(&name, Spec { cell_order: order, tile_order: order, ..spec });
            let mut next = 0;
            let submits: Vec<Vec<(&str, Cells)>> = sizes
                .iter()
                .map(|&size| {
                    let cells: Vec<i32> = (next..next + size as i32).collect();
                    next += size as i32;
                    let words: Vec<String> = cells.iter().map(|cell| "w".repeat(*cell as usize % 5)).collect();
                    let words: Vec<&str> = words.iter().map(String::as_str).collect();
                    let validity: Vec<u8> = cells.iter().map(|cell| (cell % 2) as u8).collect();
                    vec![("a", fixed(&cells)), ("s", var(&words)), ("n", fixed(&cells).nulls(&validity))]
                })
                .collect();
            world.write_with(&name, GLOBAL, &[range(0, 1, 4), range(1, 3, 6)], &submits, &[]);
            let mut read = all(ROW, &["a", "s", "n"]);
            read.ranges = vec![range(0, 1, 4), range(1, 2, 7)];
            world.read(&name, &read);
            world.fragments(&name);
        }
    }
    let name = "not_aligned";
    world.create(name, dense(&[dim("x", 1, 5, 2)], &[attr("a", INT32, 1, false)]));
    for (low, high) in [(1, 3), (2, 3), (1, 4), (3, 5), (5, 5), (1, 5)] {
        let cells: Vec<i32> = (low..=high).collect();
        world.write(name, GLOBAL, &[range(0, low, high)], &[("a", fixed(&cells))]);
    }
    world.fragments(name);
}

/// Tiles that the domain cuts off, written and read in part in either order.
fn edge_tiles(world: &mut World<'_>) {
    for order in [ROW, COL] {
        let name = format!("edge{order}");
        let spec = dense(
            &[dim("x", -3, 3, 4), dim("y", 1, 5, 3)],
            &[attr("a", INT32, 1, false), attr("s", ASCII, VAR, false)],
        );
        world.create(&name, Spec { cell_order: order, tile_order: order, ..spec });
        let regions =
            [(-3, 3, 1, 5, ROW), (3, 3, 5, 5, COL), (0, 3, 2, 4, COL), (-1, 1, 4, 5, ROW), (-3, -3, 1, 5, COL)];
        for (number, (x0, x1, y0, y1, layout)) in regions.into_iter().enumerate() {
            let count = (x1 - x0 + 1) * (y1 - y0 + 1);
            let cells: Vec<i32> = (0..count).map(|cell| cell + 100 * number as i32).collect();
            let words: Vec<String> = cells.iter().map(|cell| "w".repeat(*cell as usize % 4)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            world.write(
                &name,
                layout,
                &[range(0, x0, x1), range(1, y0, y1)],
                &[("a", fixed(&cells)), ("s", var(&words))],
            );
            for layout in [ROW, COL, GLOBAL] {
                for (x0, x1, y0, y1) in [(-3, 3, 1, 5), (1, 3, 4, 5), (-1, 2, 3, 4), (3, 3, 5, 5)] {
                    let mut read = all(layout, &["x", "y", "a", "s"]);
                    read.ranges = vec![range(0, x0, x1), range(1, y0, y1)];
                    world.read(&name, &read);
                }
            }
        }
        world.fragments(&name);
    }
}

/// Unordered writes whose submits bring some of the fields each.
fn separate_fields(world: &mut World<'_>) {
    let config = [("sm.allow_separate_attribute_writes", "true")];
    let spec =
        sparse(&[dim("x", 0, 99, 10), dim("y", 0, 99, 10)], &[attr("a", INT32, 1, true), attr("b", ASCII, VAR, false)]);
    let x = || ("x", fixed(&[50, 3, 7]));
    let y = || ("y", fixed(&[9, 11, 2]));
    let a = || ("a", fixed(&[1, 2, 3]).nulls(&[1, 0, 1]));
    let b = || ("b", var(&["one", "", "three"]));
    let submits = [
        vec![vec![x(), y()], vec![a()], vec![b()]],
        vec![vec![x(), y()], vec![b(), a()]],
        vec![vec![x(), y(), b()], vec![a()]],
        vec![vec![x(), y(), a(), b()]],
        vec![vec![x(), y()], vec![], vec![a(), b()]],
        vec![vec![x()], vec![y(), a(), b()]],
        vec![vec![a()], vec![x(), y(), b()]],
        vec![vec![x(), y(), a()]],
        vec![vec![x(), y(), a()], vec![a()]],
        vec![vec![x(), y(), a(), b()], vec![b()]],
        vec![vec![("x", fixed(&[5, 5])), ("y", fixed(&[5, 5]))], vec![a(), b()]],
        vec![
            vec![("x", fixed::<i32>(&[])), ("y", fixed::<i32>(&[]))],
            vec![("a", fixed::<i32>(&[]).nulls(&[])), ("b", var(&[]))],
        ],
        vec![],
    ];
    for (number, submits) in submits.iter().enumerate() {
        let name = format!("apart{number}");
        world.create(&name, Spec { capacity: 2, ..spec.clone() });
        world.write_with(&name, UNORDERED, &[], submits, &config);
        world.read(&name, &all(ROW, &["x", "y", "a", "b"]));
        // A second submit of all fields, which the reference refuses after it damaged the array, is another write.
        if number != 9 {
            world.write_with(&name, UNORDERED, &[], submits, &[]);
            world.read(&name, &all(ROW, &["x", "y", "a", "b"]));
        }
    }
}
