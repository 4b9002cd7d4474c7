//! The files of a history, read by libtiledb.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::array::Cell;
use crate::world::Files;

/// A process that reads arrays with libtiledb.
pub struct Reference(Mutex<Reader>);

struct Reader {
    child: Child,
    requests: ChildStdin,
    results: BufReader<ChildStdout>,
}

impl Reference {
    /// Starts it, if TileDB-Py is installed in `.venv`.
    pub fn start() -> Option<Reference> {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let python = root.join(".venv/bin/python");
        let is_required = std::env::var("REFERENCE").is_ok_and(|value| value == "required");
        if !python.exists() {
            assert!(!is_required, "the reference is missing: `make venv`");
            return None;
        }
        let mut command = Command::new(python);
        command.arg(root.join("tests/simulation/read_arrays.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (requests, results) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(Reference(Mutex::new(Reader { child, requests, results })))
    }

    /// Reads the array at `path` among some files.
    ///
    /// # Errors
    /// Its error.
    pub fn read(&self, files: &Files, path: &str) -> Result<Vec<Cell>, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, node) in files.below("") {
            let target = folder.path().join(name);
            match node {
                None => std::fs::create_dir_all(target).unwrap(),
                Some(content) => {
                    // Object stores have no directories.
                    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
                    std::fs::write(target, content.as_slice()).unwrap();
                }
            }
        }
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Reader { requests, results, .. } = &mut *reader;
        writeln!(requests, "{}", folder.path().join(path).display()).unwrap();
        let mut line = String::new();
        results.read_line(&mut line).unwrap();
        let result: Value = serde_json::from_str(&line).unwrap();
        let Some(cells) = result["cells"].as_array() else {
            return Err(result["error"].as_str().unwrap_or("no result").to_owned());
        };
        let cell = |cell: &Value| Cell {
            at: [0, 1].map(|dimension| cell[dimension].as_i64().unwrap() as u8),
            number: cell[2].as_i64().unwrap() as i32,
        };
        Ok(cells.iter().map(cell).collect())
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        let reader = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        _ = reader.child.kill();
        _ = reader.child.wait();
    }
}
