//! Compiles the C programs of `capi-tests/` and `examples-c/` as a user would, links them with the
//! shared library and runs each in a directory of its own, with a time limit. An example prints what
//! `examples-c/expected/NAME.txt` says; `BLESS=1` rewrites that.
//!
//! A first line `/* arguments: DATA */` gives a program arguments; `DATA` is `examples-c/data`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, unreachable_pub, reason = "a test stops at once")]

#[path = "support/tables.rs"]
mod tables;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use tables::{library, root};

/// The name the library has for the loader; see build.rs.
const SONAME: &str = match option_env!("TILEDB_RS_SONAME") {
    Some(name) => name,
    None => "libtiledb_rs.so.2.30",
};

/// No program may run longer.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let arguments = Arguments::from_args();
    let programs = Arc::new(tempfile::tempdir().expect("a directory"));
    // The programs find the library by its SONAME beside them.
    std::os::unix::fs::symlink(library(), programs.path().join(SONAME)).expect("a link");
    let mut trials = Vec::new();
    for folder in ["capi-tests", "examples-c"] {
        for source in sources(&root().join(folder)) {
            let name = format!("{folder}/{}", stem(&source));
            let programs = Arc::clone(&programs);
            trials.push(Trial::test(name, move || test(programs.path(), &source)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit();
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

/// Compiles, runs and judges one program.
fn test(programs: &Path, source: &Path) -> Result<(), Failed> {
    let is_example = source.parent().is_some_and(|folder| folder.ends_with("examples-c"));
    let program = programs.join(format!("{}-{}", if is_example { "example" } else { "test" }, stem(source)));
    compile(source, &program)?;
    let output = run(source, &program)?;
    if is_example { compare(source, &output) } else { Ok(()) }
}

fn compile(source: &Path, program: &Path) -> Result<(), Failed> {
    let (compiler, standard) =
        if source.extension().is_some_and(|extension| extension == "cpp") { ("c++", "c++17") } else { ("cc", "c11") };
    let output = Command::new(compiler)
        .args(["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(format!("-std={standard}"))
        .arg("-I")
        .arg(root().join("include"))
        .arg(source)
        .arg("-o")
        .arg(program)
        .arg(library())
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
    if std::env::var_os("BLESS").is_some() {
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
