//! The examples, which the guide quotes.
#![allow(unreachable_pub, reason = "examples are programs of their own")]
#![allow(dead_code, reason = "tests call another function than `main`")]

#[cfg(all(feature = "arrow", feature = "ndarray"))]
#[path = "../../examples/arrow.rs"]
mod arrow;
#[path = "../../examples/first_array.rs"]
mod first_array;
#[path = "../../examples/gallery/main.rs"]
mod gallery;
#[path = "../../examples/images.rs"]
mod images;
#[path = "../../examples/tables.rs"]
mod tables;

use std::path::Path;

#[test]
fn examples_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    first_array::run(&at("temperatures")).unwrap();
    first_array::run(&at("temperatures")).unwrap();
    tables::run(&at("flights")).unwrap();
    images::run(&at("image")).unwrap();
    #[cfg(all(feature = "arrow", feature = "ndarray"))]
    arrow::main().unwrap();
}

/// Replaces what differs between runs: folders, and the times and random parts of names.
fn comparable(output: &str, folder: &str) -> String {
    let output = output.replace(folder, "FOLDER").replace('\0', "\\0");
    let lines = output.lines().map(|line| {
        let name = line.rfind("__").map_or(line, |start| &line[..start]);
        let line = if name == line { line.to_owned() } else { format!("{name}__NAME") };
        match line.split_once("[1") {
            Some((label, _)) if label.starts_with("Timestamp Range") => format!("{label}[TIMES]"),
            _ if line.starts_with("Size ") => {
                line.split_once(':').map_or_else(String::new, |(label, _)| format!("{label}: BYTES"))
            }
            _ => line,
        }
    });
    lines.map(|line| line + "\n").collect()
}

#[test]
fn gallery_prints_the_expected_output() {
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/gallery/expected");
    for (name, run) in gallery::PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().to_str().unwrap();
        let mut output = Vec::new();
        if name == "using_tiledb_stats" {
            gallery::using_tiledb_stats::run_with_side(folder, 120, &mut output).unwrap();
            let statistics = String::from_utf8(output).unwrap();
            assert!(statistics.contains("\"timers\"") && statistics.contains("\"counters\""), "{statistics}");
            continue;
        }
        run(folder, &mut output).unwrap();
        let output = comparable(&String::from_utf8(output).unwrap(), folder);
        let file = expected.join(format!("{name}.txt"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &output).unwrap();
        }
        assert_eq!(output, std::fs::read_to_string(&file).unwrap(), "{name}");
    }
}
