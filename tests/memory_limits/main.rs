//! Memory limits: arrays far larger than the budget are read completely within it, and queries leak no memory.
//!
//! Each scenario writes an array in one process and reads it in another one, which reports by how much its peak
//! resident memory exceeded that before the array was opened. `SCALE=10` enlarges the arrays by this factor.
#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod array;
mod bombs;
mod budgets;
mod domains;
mod fixtures;
mod growth;
mod resident;
mod stores;
mod structures;
mod sweep;
mod tables;

use std::path::Path;
use std::process::Command;

use array::Shape;
use support::Api;

/// The budget of every reader.
const BUDGET: usize = 16 << 20;
/// Bytes of each result buffer: two of them.
const BUFFER: usize = 2 << 20;

/// Arrays of ten times the budget, one with a tile that has four times the budget.
/// The coordinates of a sparse tile must lie side by side, so that sparse tiles must fit.
const SHAPES: [Shape; 8] = [
    Shape { name: "dense", dense: true, tile: 1 << 17, layout: 0, dups: false },
    Shape { name: "dense_column_major", dense: true, tile: 1 << 17, layout: 1, dups: false },
    Shape { name: "dense_one_tile", dense: true, tile: 8 << 20, layout: 0, dups: false },
    Shape { name: "sparse_unordered", dense: false, tile: 10_000, layout: 3, dups: false },
    Shape { name: "sparse_duplicates", dense: false, tile: 10_000, layout: 3, dups: true },
    Shape { name: "sparse_global", dense: false, tile: 10_000, layout: 2, dups: false },
    Shape { name: "sparse_row_major", dense: false, tile: 10_000, layout: 0, dups: false },
    Shape { name: "sparse_col_major_duplicates", dense: false, tile: 10_000, layout: 1, dups: true },
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize| arguments.get(at).map_or("", String::as_str);
    let shape = || SHAPES.iter().find(|shape| shape.name == word(1)).unwrap();
    match word(0) {
        "--list" => println!("memory: test"),
        "--write" => array::write(&Api::ours(), shape(), word(2), cells(shape())),
        "--read" => read(shape(), word(2)),
        "--queries" => queries(word(2)),
        "--bomb" => bombs::child(word(1), word(2)),
        "--structure" => structures::child(&arguments),
        "--table" => tables::child(word(1), word(2)),
        "--plot" | "--budget" => budgets::run(&arguments),
        "--store" => growth::run(&arguments),
        "--scatter" => growth::scatter(&arguments),
        "--limited" => sweep::child(word(1), word(2), word(3)),
        _ => parent(word(0)),
    }
}

/// Cells of an array: ten times the budget, of 8 bytes each.
fn cells(shape: &Shape) -> u64 {
    let scale: u64 = std::env::var("SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1);
    let cells = 10 * BUDGET as u64 / 8 * scale;
    if shape.dense { cells / shape.tile * shape.tile } else { cells }
}

fn parent(filter: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut failed = 0;
    let mut run = |role: &str, name: &str, path: &Path| {
        let program = std::env::current_exe().unwrap();
        let output = Command::new(program).args([role, name]).arg(path).output().unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
        if !output.status.success() {
            failed += 1;
            println!("FAILED {role} {name}: {} {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
    };
    for shape in SHAPES.iter().filter(|shape| shape.name.contains(filter)) {
        let path = folder.path().join(shape.name);
        run("--write", shape.name, &path);
        run("--read", shape.name, &path);
        let _ = std::fs::remove_dir_all(&path);
    }
    if "queries".contains(filter) {
        let path = folder.path().join("queries");
        run("--queries", "queries", &path);
    }
    failed += budgets::parent(folder.path(), filter);
    failed += growth::parent(folder.path(), filter);
    failed += bombs::parent(folder.path(), filter);
    failed += tables::parent(folder.path(), filter);
    failed += structures::parent(folder.path(), filter);
    failed += sweep::parent(folder.path(), filter);
    println!("{failed} failed");
    std::process::exit(i32::from(failed > 0));
}

/// Reads everything, looks at every cell, and holds the peak against the budget.
fn read(shape: &Shape, path: &str) {
    let api = Api::ours();
    let ctx = api.context(&[("sm.mem.total_budget", &BUDGET.to_string())]);
    let cells = cells(shape);
    let mut reader = array::Reader::new(shape, BUFFER);
    let before = resident::now();
    resident::reset_peak();
    let submits = reader.read(&ctx, path, cells);
    let rise = resident::peak().saturating_sub(before);
    let limit = (BUDGET + 2 * BUFFER) * 6 / 5;
    println!("{}: {cells} cells in {submits} submits, peak {} of {} MiB", shape.name, rise >> 20, limit >> 20);
    assert!(rise <= limit, "{rise} bytes are more than the budget, the buffers and a fifth: {limit}");
}

/// Many queries on one open array: what they took they have given back.
fn queries(path: &str) {
    const WARM: usize = 20_000;
    const MEASURED: usize = 100_000;
    let api = Api::ours();
    let shape = Shape { name: "small", dense: true, tile: 100, layout: 0, dups: false };
    array::write(&api, &shape, path, 10_000);
    let ctx = api.context(&[]);
    let mut slices = array::Slices::new(&ctx, path);
    (0..WARM).for_each(|number| slices.read(number as u64 * 37 % 9_900));
    let before = resident::now();
    (0..MEASURED).for_each(|number| slices.read(number as u64 * 41 % 9_900));
    let after = resident::now();
    println!("{MEASURED} queries: resident {} KiB before, {} KiB behind", before >> 10, after >> 10);
    assert!(after <= before + before / 100, "resident memory grew from {before} to {after} bytes");
}
