//! The quick start in Rust, compiled by plain `rustc` without warnings: what it prints, that it frees its handles, and that the
//! compiler rejects uses of its types that would be wrong.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};

use crate::{Place, compare, name, run, text};
use support::library::root;
use support::tables::table;

/// Code in `run` of the example, and the error by which the compiler rejects it.
const REJECTED: [(&str, &str, &str); 4] = [
    (
        "buffers end before the query",
        "let bytes = Cell::new(0); let mut query = Query::new(&context, &array, 0)?;
         { let cells = [Cell::new(0_u32)]; query.set_data(c\"peak\", &cells, &bytes)?; }",
        "E0597",
    ),
    (
        "a size ends before the query",
        "let cells = [Cell::new(0_u32)]; let mut query = Query::new(&context, &array, 0)?;
         { let bytes = Cell::new(0); query.set_data(c\"peak\", &cells, &bytes)?; }",
        "E0597",
    ),
    (
        "a query on another thread than its buffers",
        "let mut query = Query::new(&context, &array, 0)?;
         thread::scope(|scope| { scope.spawn(|| query.submit()); });",
        "E0277",
    ),
    (
        "buffers of a type that has invalid values",
        "let (cells, bytes) = ([Cell::new(true)], Cell::new(0)); let mut query = Query::new(&context, &array, 0)?;
         query.set_data(c\"peak\", &cells, &bytes)?;",
        "E0277",
    ),
];

/// What a program does after it.
const COUNT: &str = r#"
fn main() -> ExitCode {
    unsafe extern "C" {
        fn tiledb_rs_live_handles() -> u64;
    }
    let code = program();
    match unsafe { tiledb_rs_live_handles() } {
        0 => code,
        left => {
            eprintln!("{left} handles are left");
            ExitCode::FAILURE
        }
    }
}
"#;

fn example() -> PathBuf {
    root().join("examples-c/languages/quickstart.rs")
}

/// The trials of the example. The reference has no Arrow streams: they run with this library only.
pub fn trials(place: &Arc<Place>) -> Vec<Trial> {
    let trial = |title: &str, check: fn(&Place) -> Result<(), Failed>| {
        let place = Arc::clone(place);
        Trial::test(format!("{} in Rust{title}", name(&example())), move || check(&place))
    };
    let mut trials = vec![
        trial("", prints),
        trial(": handles are freed", |place| program(place, "freed", &counted()?).map(drop)),
        trial(": a handle that is left is found", finds_handles),
        trial(": constants", |_| constants()),
    ];
    for (title, code, error) in REJECTED {
        let (place, stem) = (Arc::clone(place), title.replace(' ', "-"));
        let title = format!("{} in Rust: rejected: {title}", name(&example()));
        trials.push(Trial::test(title, move || rejects(&place, &stem, code, error)));
    }
    trials
}

fn prints(place: &Place) -> Result<(), Failed> {
    let (source, executable) = (example(), place.folder.path().join("rust-example"));
    compile(place, &source, &executable)?;
    compare(&source, &run(&source, &executable, &[])?, false)
}

/// Constants have the values of the headers; `TILEDB_OK` and `TILEDB_VAR_NUM` are no members of enumerations.
fn constants() -> Result<(), Failed> {
    let source = std::fs::read_to_string(example())?;
    let values: HashMap<String, String> = table("enums.tsv")
        .into_iter()
        .map(|mut row| (row.remove("constant").unwrap(), row.remove("value").unwrap()))
        .collect();
    let declared = source.lines().filter_map(|line| line.trim().strip_prefix("pub const ")?.split_once(": u32 = "));
    let mut wrong = Vec::new();
    for (name, value) in declared.filter(|(name, _)| *name != "TILEDB_VAR_NUM") {
        let value = value.trim_end_matches(';');
        if values.get(name).map(String::as_str) != Some(value) {
            wrong.push(format!("{name} is {value}, not {:?}", values.get(name)));
        }
    }
    if wrong.is_empty() && source.contains(": u32 = ") { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn finds_handles(place: &Place) -> Result<(), Failed> {
    let source = replaced(&counted()?, "unsafe { (self.free)(&mut self.raw) }", "let _ = self.free;")?;
    match program(place, "left", &source) {
        Err(failed) if failed.message().is_some_and(|message| message.contains("handles are left")) => Ok(()),
        Err(failed) => Err(failed),
        Ok(_) => Err("it frees nothing, and no handle is left".into()),
    }
}

fn rejects(place: &Place, stem: &str, code: &str, error: &str) -> Result<(), Failed> {
    let begin = "    // Threads share a context and an open array; each has queries of its own.\n";
    let open = "let array = Array::open(&context, uri, sys::TILEDB_READ)?;\n";
    let source = replaced(&std::fs::read_to_string(example())?, begin, &format!("{open}{code}\n"))?;
    match program(place, stem, &source) {
        Err(failed) if failed.message().is_some_and(|message| message.contains(error)) => Ok(()),
        Err(failed) => Err(failed),
        Ok(_) => Err("it compiles".into()),
    }
}

/// The example, which counts the handles that are left at its end.
fn counted() -> Result<String, Failed> {
    let source = std::fs::read_to_string(example())?;
    Ok(replaced(&source, "fn main() -> ExitCode {", "fn program() -> ExitCode {")? + COUNT)
}

fn replaced(text: &str, old: &str, new: &str) -> Result<String, Failed> {
    match text.matches(old).count() {
        1 => Ok(text.replace(old, new)),
        count => Err(format!("the example has {count} times {old:?}").into()),
    }
}

/// What a program with this source prints.
fn program(place: &Place, stem: &str, source: &str) -> Result<String, Failed> {
    let path = place.folder.path().join(format!("rust-{stem}.rs"));
    std::fs::write(&path, source)?;
    let executable = path.with_extension("");
    compile(place, &path, &executable)?;
    run(&path, &executable, &[])
}

fn compile(place: &Place, source: &Path, executable: &Path) -> Result<(), Failed> {
    let output = Command::new("rustc")
        .args(["--edition", "2024", "-D", "warnings"])
        // Where these tests are emulated, the compiler is a program of the machine beneath.
        .args(["--target", &format!("{}-unknown-linux-gnu", std::env::consts::ARCH)])
        .arg(source)
        .arg("-o")
        .arg(executable)
        .arg(format!("-L{}", place.folder.path().display()))
        .arg("-ltiledb_rs")
        .output()?;
    if output.status.success() { Ok(()) } else { Err(text(&output.stderr).into()) }
}
