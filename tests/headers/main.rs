//! The C headers in `include/tiledb/` are generated from `src/capi` and committed; `BLESS=1` rewrites them. The headers
//! of the C++ interface are in the same folder. All compile without warnings, alone and together.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

mod enums;
mod examples;
mod includes;
mod print;
mod sort;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use support::library::root;
use support::tables;

fn include() -> PathBuf {
    root().join("include/tiledb")
}

/// The text of every printed header, made once for all tests.
fn printed() -> &'static BTreeMap<String, String> {
    static PRINTED: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    PRINTED.get_or_init(|| sort::headers(&print::declarations()))
}

#[test]
fn committed_headers_equal_the_generated_ones() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut stale = Vec::new();
    for (name, text) in printed() {
        let path = include().join(name);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        if bless {
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            std::fs::write(&path, text).expect("a written header");
        } else {
            stale.push(name.as_str());
        }
    }
    assert!(stale.is_empty(), "run with BLESS=1 and commit: these headers differ from src/capi: {stale:?}");
}

/// Compiles a unit made of these headers; the text of the failure, if any.
fn compile(compiler: &str, standard: &str, headers: &[&String]) -> Option<String> {
    let unit: String = headers.iter().map(|name| format!("#include <tiledb/{name}>\n")).collect();
    compile_text(compiler, standard, &unit, None).map(|text| format!("{headers:?}: {text}"))
}

/// The warnings that are errors here.
const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];

/// Compiles the headers of the language that a set of headers includes; where they lie then, compiled.
fn language_headers(compiler: &str, standard: &str, names: &[String], folder: &Path) -> Option<PathBuf> {
    let texts = names.iter().map(|name| std::fs::read_to_string(include().join(name)).expect("a header"));
    let lines = texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let lines: BTreeSet<String> = lines.filter(|line| line.starts_with("#include <")).collect();
    let header = folder.join("language.hpp");
    std::fs::write(&header, lines.into_iter().collect::<Vec<_>>().join("\n")).expect("a written header");
    let mut command = Command::new(compiler);
    command.args(STRICT).arg(format!("-std={standard}")).args(["-x", "c++-header", "-o"]);
    command.arg(folder.join("language.hpp.gch")).arg(&header);
    command.status().expect("a compiler").success().then_some(header)
}

/// Compiles a unit of this text, after one of headers that were compiled; the text of the failure, if any.
fn compile_text(compiler: &str, standard: &str, unit: &str, before: Option<&Path>) -> Option<String> {
    let language = if standard.starts_with("c++") { "c++" } else { "c" };
    let mut child = Command::new(compiler)
        .arg("-fsyntax-only")
        .args(STRICT)
        .args(before.iter().flat_map(|header| [Path::new("-include"), header]))
        .args(["-x", language])
        .arg(format!("-std={standard}"))
        .arg("-I")
        .arg(root().join("include"))
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a compiler");
    // A unit must hold one declaration at least.
    let text = format!("{unit}int the_unit_is_not_empty(void);\nint the_unit_is_not_empty(void) {{ return 0; }}\n");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the compiler reads");
    let output = child.wait_with_output().expect("the compiler ends");
    (!output.status.success())
        .then(|| format!("{compiler} -std={standard}:\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_header_compiles_alone_twice_and_in_any_order() {
    let names: Vec<String> = printed().keys().cloned().collect();
    let mut units: Vec<Vec<&String>> = names.iter().map(|name| vec![name, name]).collect();
    let half = names.len() / 2;
    units.push(names.iter().collect());
    units.push(names.iter().rev().collect());
    units.push(names[half..].iter().chain(&names[..half]).collect());
    let mut failures = Vec::new();
    for (compiler, plus) in tables::compilers() {
        for standard in if plus { ["c++17", "c++20"] } else { ["c11", "c99"] } {
            // clang repeats what gcc says; the whole set in one unit is enough for it.
            let units = if compiler.starts_with("clang") { &units[names.len()..] } else { &units[..] };
            failures.extend(units.iter().filter_map(|unit| compile(compiler, standard, unit)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The headers of the C++ interface: what lies beside the printed ones.
fn cpp_headers() -> Vec<String> {
    let entries = std::fs::read_dir(include()).expect("a directory").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file()).map(|entry| entry.file_name());
    let mut names: Vec<String> = files.map(|name| name.into_string().expect("a name")).collect();
    names.retain(|name| !printed().contains_key(name));
    names.sort();
    names
}

#[test]
fn cpp_headers_ask_for_the_standard_that_they_need() {
    for (compiler, _) in tables::compilers().into_iter().filter(|(_, plus)| *plus) {
        for header in ["tiledb", "tiledb_experimental"] {
            let failure = compile_text(compiler, "c++14", &format!("#include <tiledb/{header}>\n"), None);
            let errors = failure.unwrap_or_default();
            assert!(errors.contains("requires C++17"), "{errors}");
            assert_eq!(errors.matches("error: ").count(), 1, "{errors}");
        }
    }
}

#[test]
fn every_cpp_header_compiles_alone_and_in_any_order() {
    let names = cpp_headers();
    assert!(names.len() > 40, "these headers are all: {names:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let (forward, backward) = (names.iter().collect::<Vec<_>>(), names.iter().rev().collect::<Vec<_>>());
    let mut failures = Vec::new();
    for (compiler, _) in tables::compilers().into_iter().filter(|(_, plus)| *plus) {
        // clang repeats what gcc says; the whole set in one unit is enough for it.
        if !compiler.starts_with("clang") {
            // That each includes what it needs of the language another test tells from the preprocessor.
            let before = language_headers(compiler, "c++17", &names, folder.path()).expect("compiled headers");
            failures.extend(names.iter().filter_map(|name| {
                let unit = format!("#include <tiledb/{name}>\n").repeat(2);
                compile_text(compiler, "c++17", &unit, Some(&before)).map(|text| format!("{name}: {text}"))
            }));
        }
        failures.extend(compile(compiler, "c++17", &backward));
        failures.extend(compile(compiler, "c++20", &forward));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_header_alone_declares_what_libtiledbs_declares() {
    let (closures, names, known) = (includes::closures(), includes::names(), includes::macros());
    assert!(closures.len() > 85, "these headers are all: {:?}", closures.keys());
    let mut failures = Vec::new();
    for (compiler, plus) in tables::compilers().into_iter().filter(|(name, _)| !name.starts_with("clang")) {
        for (header, closure) in &closures {
            let for_c = header.starts_with("api/") || (header.starts_with("tiledb") && header.ends_with(".h"));
            // libtiledb's arrowio needs a header that is not installed.
            if header.starts_with("arrow") || !(plus || for_c) {
                continue;
            }
            let language = if plus { "c++" } else { "c" };
            let text = includes::preprocessed(compiler, language, header);
            let mut missing = includes::missing(&text, closure, &names);
            if plus && !for_c {
                missing.extend(includes::unknown(&text, &include().join(header)));
            }
            if !missing.is_empty() {
                failures.push(format!("{header} ({language}): {}", missing.join(", ")));
            }
            failures.extend(includes::left_over(&text, header, &known));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A program that makes its own use of the numbers of all enumerations.
#[test]
fn the_numbers_of_enumerations_can_be_included_by_themselves() {
    let mut unit = "#include <tiledb/tiledb_serialization.h>\n".to_owned();
    for row in tables::table("enum_macros.tsv") {
        let (header, name) = (&row["header"], &row["macro"]);
        let macros = format!("#define {name}(id) copy_of_##id\n#define {name}_CONCAT_ID(a, b) copy_of_##a##b\n");
        unit.push_str(&format!(
            "{macros}enum {{\n#include <tiledb/{header}>\n}};\n#undef {name}\n#undef {name}_CONCAT_ID\n"
        ));
        for constant in tables::table("enums.tsv").iter().filter(|constant| constant["enum"] == row["enum"]) {
            let (constant, value) = (&constant["constant"], &constant["value"]);
            let copy = constant.replacen("TILEDB_", "copy_of_", 1);
            unit.push_str(&format!("_Static_assert((int){copy} == {value} && (int){constant} == {value}, \"\");\n"));
        }
    }
    unit.push_str("_Static_assert(copy_of_ALWAYS_TRUE == 253 && copy_of_ALWAYS_FALSE == 254, \"\");\n");
    let failures: Vec<String> = tables::compilers()
        .into_iter()
        .filter(|(_, plus)| !plus)
        .filter_map(|(compiler, _)| compile_text(compiler, "c11", &unit, None))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_examples_in_comments_compile() {
    let (unit, count) = examples::unit(printed().values());
    assert!(count > 30, "{count} examples");
    let compilers = tables::compilers().into_iter().filter(|(_, plus)| !plus);
    let failures: Vec<String> =
        compilers.filter_map(|(compiler, _)| compile_text(compiler, "c11", &unit, None)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_names_in_comments_are_declared() {
    let unknown = examples::unknown_names(printed().values());
    assert!(unknown.is_empty(), "comments mention what no header declares: {unknown:?}");
}
