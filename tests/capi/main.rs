//! Compiles the programs in `capi-tests/` and `examples-c/`, and in their folders `cpp`, as a user would, and runs each
//! in a directory of its own, with a time limit.
//!
//! Tests are linked with this library; the C programs among them call every function, which `capi/coverage.rs`
//! verifies. Examples are linked with `libtiledb.so.2.30`, like programs for libtiledb, and the same executable is run
//! with this library and with the reference under that name: it must print `expected/NAME.txt`. `BLESS=1` rewrites
//! these files.
//!
//! The example in Rust is compiled by `rustc` (`rust.rs`).
//!
//! A first line `/* arguments: DATA */` passes arguments to a program; `DATA` is `examples-c/data`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

mod coverage;
mod removed;
mod rust;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use coverage::Called;
use libtest_mimic::{Arguments, Failed, Trial};
use support::library::{self, root};
use support::tables;
use tempfile::TempDir;

/// The name the library has for the loader; see build.rs.
const SONAME: &str = match option_env!("TILEDB_RS_SONAME") {
    Some(name) => name,
    None => "libtiledb_rs.so.2.30",
};

/// The name the original has for the loader.
const DROP_IN: &str = "libtiledb.so.2.30";

/// Where the tests are, and the examples.
const TESTS: [&str; 2] = ["capi-tests", "capi-tests/cpp"];
const EXAMPLES: [&str; 2] = ["examples-c", "examples-c/cpp"];

/// No program may run longer.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let arguments = Arguments::from_args();
    let place = Arc::new(Place::new().expect("a place for the programs"));
    let mut trials: Vec<Trial> = sources(&TESTS).map(|source| test(&place, source)).collect();
    trials.extend(removed::trials(&place));
    trials.extend(rust::trials(&place));
    for source in sources(&EXAMPLES) {
        trials.extend(example(&place, source));
    }
    if library::reference().is_none() {
        trials.push(Trial::test("reference/ (TILEDB_REFERENCE names it)", || Ok(())).with_ignored_flag(true));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    if conclusion.has_failed() || arguments.filter.is_some() || !arguments.skip.is_empty() {
        conclusion.exit();
    }
    let name = format!("capi-tests call all {} functions", place.called.written_functions());
    let all_called = Trial::test(name, move || place.called.check());
    libtest_mimic::run(&arguments, vec![all_called]).exit();
}

/// The trial of a program of `capi-tests/`.
fn test(place: &Arc<Place>, source: PathBuf) -> Trial {
    let place = Arc::clone(place);
    Trial::test(name(&source), move || {
        let program = place.program(&source);
        compile(&source, &program, &library::ours())?;
        let counting = if is_cpp(&source) { Vec::new() } else { place.called.environment() };
        run(&source, &program, &counting).map(drop)
    })
}

/// The trials of a program of `examples-c/`: with this library and with the reference, compiled once.
fn example(place: &Arc<Place>, source: PathBuf) -> Vec<Trial> {
    let compiled = Arc::new(OnceLock::<Result<(), Failed>>::new());
    let reference = library::reference().filter(|_| !blessing()).map(|_| "reference");
    let trial = |library: &'static str| {
        let prefix = if library == "ours" { "" } else { "reference/" };
        let (place, source, compiled) = (Arc::clone(place), source.clone(), Arc::clone(&compiled));
        Trial::test(format!("{prefix}{}", name(&source)), move || {
            let program = place.program(&source);
            let import = place.folder.path().join("import").join(DROP_IN);
            compiled.get_or_init(|| compile(&source, &program, &import)).clone()?;
            let environment = vec![("LD_LIBRARY_PATH", place.folder.path().join(library))];
            compare(&source, &run(&source, &program, &environment)?, library == "reference")
        })
    };
    std::iter::once("ours").chain(reference).map(trial).collect()
}

/// Where the programs and the libraries lie.
struct Place {
    folder: TempDir,
    called: Called,
}

impl Place {
    fn new() -> std::io::Result<Self> {
        let place = Self { folder: tempfile::tempdir()?, called: Called::new()? };
        let ours = library::ours();
        // The tests find the library by its SONAME beside them; another one's may be the name of its file. Rust's compiler finds
        // it as `-ltiledb_rs`.
        let names = [SONAME.as_ref(), "libtiledb_rs.so".as_ref(), ours.file_name().expect("a library has a name")];
        for name in BTreeSet::from(names) {
            symlink(&ours, place.folder.path().join(name))?;
        }
        for (folder, library) in [("ours", Some(ours)), ("reference", library::reference())] {
            std::fs::create_dir(place.folder.path().join(folder))?;
            if let Some(library) = library {
                symlink(library, place.folder.path().join(folder).join(DROP_IN))?;
            }
        }
        std::fs::create_dir(place.folder.path().join("import"))?;
        import_library(&place.folder.path().join("import").join(DROP_IN))?;
        Ok(place)
    }

    /// Where a compiled program goes.
    fn program(&self, source: &Path) -> PathBuf {
        self.folder.path().join(name(source).replace('/', "-"))
    }
}

/// Makes a library that has the names of the interface, and nothing more, to link programs with.
fn import_library(path: &Path) -> std::io::Result<()> {
    let source = path.with_extension("c");
    let mut code = String::new();
    for row in tables::table("functions.tsv") {
        let name = &row["name"];
        let _ = if row["kind"] == "function" {
            writeln!(code, "void {name}(void) {{}}")
        } else {
            writeln!(code, "const void* {name};")
        };
    }
    std::fs::write(&source, code)?;
    let soname = format!("-Wl,-soname,{DROP_IN}");
    let output = Command::new("cc").args(["-shared", "-fPIC", "-w", &soname, "-o"]).args([path, &source]).output()?;
    if output.status.success() { Ok(()) } else { Err(std::io::Error::other(text(&output.stderr))) }
}

/// True when the expected output is to be rewritten.
fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// The C and C++ files of folders, by name.
fn sources(folders: &[&str]) -> impl Iterator<Item = PathBuf> {
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder))).flatten();
    let paths = entries.map_while(Result::ok).map(|entry| entry.path());
    let is_program = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp");
    paths.filter(is_program).collect::<BTreeSet<PathBuf>>().into_iter()
}

fn is_cpp(source: &Path) -> bool {
    source.extension().is_some_and(|extension| extension == "cpp")
}

fn stem(source: &Path) -> String {
    source.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// The path of a program below the project's folder, without its extension.
fn name(source: &Path) -> String {
    let path = source.strip_prefix(root()).expect("a source of this project");
    path.with_extension("").to_string_lossy().into_owned()
}

fn compile(source: &Path, program: &Path, library: &Path) -> Result<(), Failed> {
    let (compiler, own): (_, &[&str]) =
        if is_cpp(source) { ("c++", &["-std=c++17", "-Wconversion", "-Wshadow"]) } else { ("cc", &["-std=c11"]) };
    let output = Command::new(compiler)
        .args(["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .args(own)
        .arg("-I")
        .arg(root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        // A program that loads the library itself is not linked with it.
        .arg("-Wl,--as-needed")
        .arg(library)
        .arg("-Wl,-rpath,$ORIGIN")
        .args(["-lm", "-lpthread", "-ldl"])
        .output()?;
    if output.status.success() { Ok(()) } else { Err(text(&output.stderr).into()) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the first line asks for.
fn program_arguments(source: &Path) -> Vec<String> {
    let code = std::fs::read_to_string(source).unwrap_or_default();
    let arguments = code.lines().next().and_then(|line| line.strip_prefix("/* arguments: ")?.strip_suffix(" */"));
    let data = root().join("examples-c/data").display().to_string();
    arguments.into_iter().flat_map(str::split_whitespace).map(|word| word.replace("DATA", &data)).collect()
}

/// Runs the program with these variables in its environment; what it prints.
fn run(source: &Path, program: &Path, environment: &[(&str, PathBuf)]) -> Result<String, Failed> {
    let directory = tempfile::tempdir()?;
    // The output goes to files, so that a full pipe cannot stop the program.
    let (out, err) = (directory.path().join(".out"), directory.path().join(".err"));
    let mut child = Command::new(program)
        .args(program_arguments(source))
        // Loaders search these folders before `$ORIGIN`, and cargo's have the library of this build.
        .env("LD_LIBRARY_PATH", program.parent().unwrap_or(program))
        .envs(environment.iter().cloned())
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out)?)
        .stderr(std::fs::File::create(&err)?)
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status.to_string();
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break format!("stopped after {} s", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let printed = text(&std::fs::read(&out)?);
    if status == "exit status: 0" {
        return Ok(printed);
    }
    Err(format!("{status}\n{printed}{}", text(&std::fs::read(&err)?)).into())
}

/// True where a line with an error of the reference begins as ours, which appends the name, the value and the remedy.
fn begins_as(ours: &str, theirs: &str) -> bool {
    ["Error: ", "TileDB internal: ", "; "].iter().any(|word| theirs.contains(word)) && ours.starts_with(theirs)
}

/// Compares what an example printed with what it should print.
fn compare(source: &Path, printed: &str, by_reference: bool) -> Result<(), Failed> {
    let path = source.with_file_name("expected").join(format!("{}.txt", stem(source)));
    if blessing() {
        std::fs::write(&path, printed)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if expected == printed {
        return Ok(());
    }
    let same = |(ours, theirs): (&str, &str)| ours == theirs || by_reference && begins_as(ours, theirs);
    if expected.lines().count() == printed.lines().count() && expected.lines().zip(printed.lines()).all(same) {
        return Ok(());
    }
    let differs = expected.lines().zip(printed.lines()).position(|lines| !same(lines));
    let line = differs.unwrap_or_else(|| expected.lines().count().min(printed.lines().count()));
    let of = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
    Err(format!("line {}: expected\n  {}\nprinted\n  {}", line + 1, of(&expected), of(printed)).into())
}
