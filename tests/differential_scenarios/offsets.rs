//! Formats of offsets: width, bytes or elements, with or without the extra offset.

use crate::Scenario;
use crate::world::{
    ASCII, COL, GLOBAL, INT32, ROW, UNORDERED, VAR, World, all, attr, dense, dim, fixed, range, sparse, var,
};
use support::Cells;

pub const SCENARIOS: &[Scenario] = &[
    ("offsets_reads", reads),
    ("offsets_reads_small", small_reads),
    ("offsets_writes", writes),
    ("offsets_wrong_writes", wrong_writes),
];

const BITSIZE: &str = "sm.var_offsets.bitsize";
const EXTRA: &str = "sm.var_offsets.extra_element";
const MODE: &str = "sm.var_offsets.mode";

type Setting = [(&'static str, &'static str); 3];

fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for bits in ["64", "32"] {
        for extra in ["false", "true"] {
            for mode in ["bytes", "elements"] {
                settings.push([(BITSIZE, bits), (EXTRA, extra), (MODE, mode)]);
            }
        }
    }
    settings
}

/// The cells as integers and text, in an array of each kind.
fn prepare(world: &mut World<'_>) {
    let attrs = [attr("s", ASCII, VAR, false), attr("v", INT32, VAR, true)];
    world.create("sparse", sparse(&[dim("d", 0, 99, 10)], &attrs));
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &attrs));
}

fn columns() -> Vec<(&'static str, Cells)> {
    let v = Cells { offsets: Some(vec![0, 4, 4, 12]), ..fixed(&[1, 2, 3, 4]) };
    vec![("s", var(&["one", "", "two", "4"])), ("v", v.nulls(&[1, 1, 0, 1]))]
}

fn fill(world: &mut World<'_>) {
    prepare(world);
    world.write_by_ours("dense", ROW, &[range(0, 2, 5)], &columns());
    world.write("sparse", UNORDERED, &[], &[columns(), vec![("d", fixed(&[4, 3, 2, 1]))]].concat());
}

fn reads(world: &mut World<'_>) {
    fill(world);
    for setting in settings() {
        for layout in [ROW, COL, GLOBAL, UNORDERED] {
            let mut read = all(layout, &["s", "v"]);
            read.config = setting.to_vec();
            world.read("sparse", &read);
            read.ranges = vec![range(0, 0, 9)];
            world.read("dense", &read);
            read.ranges = vec![range(0, 90, 95)];
            world.read("sparse", &read);
        }
    }
}

/// Room for just what there is.
fn small_reads(world: &mut World<'_>) {
    fill(world);
    for setting in settings() {
        for layout in [ROW, GLOBAL, UNORDERED] {
            for room in [(1000, 5), (7, 100)] {
                let mut read = all(layout, &["s"]);
                read.config = setting.to_vec();
                read.room = room;
                world.read("sparse", &read);
                read.ranges = vec![range(0, 2, 5)];
                world.read("dense", &read);
            }
        }
    }
}

/// Offsets of a column in another form, with `last` as the closing one where there is to be one.
fn converted(cells: &Cells, size: u64, setting: &Setting, last: Option<u64>) -> Cells {
    let in_elements = setting[2].1 == "elements";
    let unit = |offset: u64| if in_elements { offset / size } else { offset };
    let mut offsets: Vec<u64> = cells.offsets.clone().unwrap_or_default();
    offsets.extend(last);
    let offsets: Vec<u64> = offsets.into_iter().map(unit).collect();
    Cells { offsets: Some(offsets), ..cells.clone() }
}

fn writes(world: &mut World<'_>) {
    prepare(world);
    for setting in settings() {
        for (sizes, extra) in [("exact", 0), ("beyond", 4), ("short", u64::MAX - 3)] {
            let mut submitted = Vec::new();
            for ((name, cells), (size, extra)) in columns().into_iter().zip([(1, extra), (4, 0)]) {
                let end = (setting[1].1 == "true").then(|| (cells.data.len() as u64).wrapping_add(extra));
                submitted.push((name, converted(&cells, size, &setting, end)));
            }
            world.say(sizes);
            world.write_with("dense", ROW, &[range(0, 2, 5)], &[submitted.clone()], &setting);
            submitted.push(("d", fixed(&[40, 30, 20, 10])));
            world.write_with("sparse", UNORDERED, &[], &[submitted], &setting);
            world.read("sparse", &all(ROW, &["d", "s", "v"]));
        }
    }
}

fn wrong_writes(world: &mut World<'_>) {
    let text = [attr("s", ASCII, VAR, false)];
    world.create("sparse", sparse(&[dim("d", 0, 99, 10)], &text));
    world.create("dense", dense(&[dim("d", 0, 9, 3)], &text));
    world.create("numbers", dense(&[dim("d", 0, 9, 3)], &[attr("v", INT32, VAR, false)]));
    let wrong: [&[u64]; 8] = [
        &[0, 3, 3, 6],
        &[1, 3, 3, 6],
        &[0, 3, 2, 6],
        &[0, 3, 3, 7],
        &[0, 3, 3, 8],
        &[0, 0, 0, 0],
        &[7, 7, 7, 7],
        &[0, 3, 3],
    ];
    let mut read = all(ROW, &["s"]);
    read.ranges = vec![range(0, 0, 9)];
    for offsets in wrong {
        for config in [&[][..], &[(EXTRA, "true")]] {
            let mut wrong = vec![columns().remove(0)];
            wrong[0].1.offsets = Some(offsets.to_vec());
            world.say(&format!("{offsets:?}"));
            world.write_with("dense", ROW, &[range(0, 2, 5)], &[wrong.clone()], config);
            world.read("dense", &read);
            // Of sparse writes the reference does not count the offsets.
            if offsets.len() == 4 && config.is_empty() {
                wrong.push(("d", fixed(&[40, 30, 20, 10])));
                world.write_with("sparse", UNORDERED, &[], &[wrong], config);
                world.read("sparse", &all(ROW, &["d", "s"]));
            }
        }
    }
    // Numbers beyond the end. (In elements the reference does not look; offsets in the middle of a number, which it stores, are in
    // `capi-tests/write_checks.c`.)
    read.fields = vec!["v"];
    for (offsets, mode) in [
        (&[0u64, 4, 4, 12][..], "bytes"),
        (&[0, 4, 4, 17], "bytes"),
        (&[0, 1, 1, 3], "elements"),
        (&[0, 1, 1, 4], "elements"),
    ] {
        let wrong = Cells { offsets: Some(offsets.to_vec()), ..fixed(&[1, 2, 3, 4]) };
        world.say(&format!("{offsets:?}"));
        world.write_with("numbers", ROW, &[range(0, 2, 5)], &[vec![("v", wrong)]], &[(MODE, mode)]);
        world.read("numbers", &read);
    }
}
