//! Counts which functions of the interface the unmodified C programs call: `forward.c`, compiled with the names of all
//! functions, is loaded before the library and forwards the calls.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use libtest_mimic::Failed;
use tempfile::TempDir;

use support::library::root;
use support::tables::table;

/// The functions, and a file with a byte for each that is 1 once it was called.
pub struct Called {
    names: Vec<String>,
    pending: BTreeSet<String>,
    folder: TempDir,
}

impl Called {
    pub fn new() -> std::io::Result<Self> {
        let called = Self { names: functions()?, pending: pending()?, folder: tempfile::tempdir()? };
        let lines = called.names.iter().enumerate().map(|(index, name)| format!("FUNCTION({index}, {name})\n"));
        let names = called.folder.path().join("names");
        std::fs::write(&names, lines.collect::<String>())?;
        std::fs::write(called.marks(), vec![0; called.names.len()])?;
        let compiled = Command::new("cc")
            .args(["-O1", "-Wall", "-Wextra", "-shared", "-fPIC"])
            .arg(format!("-DNAMES=\"{}\"", names.display()))
            .arg(root().join("tests/capi/forward.c"))
            .arg("-o")
            .arg(called.library())
            .arg("-ldl")
            .output()?;
        let said = String::from_utf8_lossy(&compiled.stderr);
        if compiled.status.success() { Ok(called) } else { Err(std::io::Error::other(said)) }
    }

    /// What a program needs so that its calls are noted.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![("LD_PRELOAD", self.library()), ("CALLED", self.marks())]
    }

    /// How many functions are written.
    pub fn written_functions(&self) -> usize {
        self.names.iter().filter(|name| !self.pending.contains(*name)).count()
    }

    /// Fails where a function that is written was never called.
    pub fn check(&self) -> Result<(), Failed> {
        let marks = std::fs::read(self.marks())?;
        let never = self.names.iter().zip(marks).filter(|(name, mark)| *mark == 0 && !self.pending.contains(*name));
        let never: Vec<&str> = never.map(|(name, _)| name.as_str()).collect();
        if never.is_empty() {
            return Ok(());
        }
        Err(format!("no program of capi-tests calls:\n  {}", never.join("\n  ")).into())
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("forward.so")
    }

    fn marks(&self) -> PathBuf {
        self.folder.path().join("called")
    }
}

/// The functions of the interface: the original's and our own.
fn functions() -> std::io::Result<Vec<String>> {
    let own = std::fs::read_to_string(root().join("include/tiledb/tiledb_rs.h"))?;
    let declared = own
        .lines()
        .filter(|line| !line.starts_with(" *"))
        .flat_map(str::split_whitespace)
        .filter_map(|word| Some(word.split_once('(')?.0));
    let declared = declared.filter(|word| word.starts_with("tiledb_rs_")).map(str::to_owned);
    let rows = ["functions.tsv", "removed.tsv", "next.tsv"].into_iter().flat_map(table);
    let rows = rows.filter(|row| row["kind"] == "function");
    Ok(rows.map(|row| row["name"].clone()).chain(declared).collect())
}

/// The functions that are not written yet.
fn pending() -> std::io::Result<BTreeSet<String>> {
    let output = Command::new("sh").arg(root().join("tools/pending.sh")).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned).collect())
}
