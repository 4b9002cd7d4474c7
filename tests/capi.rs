//! Compiles the programs of `capi-tests/` and `examples-c/`, and of their folders `cpp`, as a user would, links them
//! with the shared library and runs each in a directory of its own, with a time limit. An example prints what
//! `expected/NAME.txt` beside it says, and the same when it is linked with the reference; `BLESS=1` rewrites that.
//!
//! A first line `/* arguments: DATA */` gives a program arguments; `DATA` is `examples-c/data`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

#[path = "support/library.rs"]
mod library;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use library::root;
use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;

/// The name the library has for the loader; see build.rs.
const SONAME: &str = match option_env!("TILEDB_RS_SONAME") {
    Some(name) => name,
    None => "libtiledb_rs.so.2.30",
};

/// Where the tests are, and the examples.
const TESTS: [&str; 2] = ["capi-tests", "capi-tests/cpp"];
const EXAMPLES: [&str; 2] = ["examples-c", "examples-c/cpp"];

/// No program may run longer.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = trials("", library::ours(), &[TESTS, EXAMPLES].concat());
    match library::reference() {
        _ if blessing() => {}
        Some(reference) => trials.extend(self::trials("reference/", reference, &EXAMPLES)),
        None => trials.push(Trial::test("reference/ (TILEDB_REFERENCE names it)", || Ok(())).with_ignored_flag(true)),
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// One trial per program of the folders, linked with the library.
fn trials(prefix: &str, library: PathBuf, folders: &[&str]) -> Vec<Trial> {
    let place = Arc::new(Place { programs: tempfile::tempdir().expect("a directory"), library });
    // The programs find the library by its SONAME beside them: the reference's is the name of its file.
    let file = place.library.file_name().expect("a library has a name");
    for name in BTreeSet::from([SONAME.as_ref(), file]) {
        std::os::unix::fs::symlink(&place.library, place.programs.path().join(name)).expect("a link");
    }
    let sources = folders.iter().flat_map(|folder| sources(&root().join(folder)));
    let trial = |source: PathBuf| {
        let name = format!("{prefix}{}", name(&source));
        let place = Arc::clone(&place);
        Trial::test(name, move || test(&place, &source))
    };
    sources.map(trial).collect()
}

/// True when the expected output is to be rewritten.
fn blessing() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Where the programs go, and the library that they are linked with.
struct Place {
    programs: TempDir,
    library: PathBuf,
}

/// The C and C++ files of a folder, by name.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().map_while(Result::ok).map(|entry| entry.path());
    let wanted = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c" || extension == "cpp");
    let mut sources: Vec<PathBuf> = entries.filter(wanted).collect();
    sources.sort();
    sources
}

fn stem(source: &Path) -> String {
    source.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

/// The path of a program below the project's folder, without its extension.
fn name(source: &Path) -> String {
    let path = source.strip_prefix(root()).expect("a source of this project");
    path.with_extension("").to_string_lossy().into_owned()
}

/// Compiles, runs and judges one program.
fn test(place: &Place, source: &Path) -> Result<(), Failed> {
    let name = name(source);
    let program = place.programs.path().join(name.replace('/', "-"));
    compile(source, &program, &place.library)?;
    let output = run(source, &program)?;
    if name.starts_with(EXAMPLES[0]) { compare(source, &output) } else { Ok(()) }
}

fn compile(source: &Path, program: &Path, library: &Path) -> Result<(), Failed> {
    let (compiler, own): (_, &[&str]) = if source.extension().is_some_and(|extension| extension == "cpp") {
        ("c++", &["-std=c++17", "-Wconversion", "-Wshadow"])
    } else {
        ("cc", &["-std=c11"])
    };
    let output = Command::new(compiler)
        .args(["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .args(own)
        .arg("-I")
        .arg(root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg(library)
        .arg("-Wl,-rpath,$ORIGIN")
        .args(["-lm", "-lpthread"])
        .output()?;
    if output.status.success() { Ok(()) } else { Err(text(&output.stderr).into()) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the first line asks for.
fn program_arguments(source: &Path) -> Vec<String> {
    let code = std::fs::read_to_string(source).unwrap_or_default();
    let asked = code.lines().next().and_then(|line| line.strip_prefix("/* arguments: ")?.strip_suffix(" */"));
    let data = root().join("examples-c/data").display().to_string();
    asked.into_iter().flat_map(str::split_whitespace).map(|word| word.replace("DATA", &data)).collect()
}

/// Runs the program; what it prints.
fn run(source: &Path, program: &Path) -> Result<String, Failed> {
    let directory = tempfile::tempdir()?;
    // The output goes to files, so that a full pipe cannot stop the program.
    let (out, err) = (directory.path().join(".out"), directory.path().join(".err"));
    let mut child = Command::new(program)
        .args(program_arguments(source))
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

/// Compares what an example printed with what it should print.
fn compare(source: &Path, printed: &str) -> Result<(), Failed> {
    let path = source.with_file_name("expected").join(format!("{}.txt", stem(source)));
    if blessing() {
        std::fs::write(&path, printed)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if expected == printed {
        return Ok(());
    }
    let differs = expected.lines().zip(printed.lines()).position(|(a, b)| a != b);
    let line = differs.unwrap_or_else(|| expected.lines().count().min(printed.lines().count()));
    let of = |text: &str| text.lines().nth(line).unwrap_or("(nothing)").to_owned();
    Err(format!("line {}: expected\n  {}\nprinted\n  {}", line + 1, of(&expected), of(printed)).into())
}
