//! The files of a history, read by libtiledb.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value as Json;

use crate::array::{KEY, TestArray};
use crate::history::STABLE;
use crate::model::Cell;
use crate::model::value::Value;
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
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
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

    /// Reads the attributes of the array at `path` among some files that all arrays have. It has this current domain.
    ///
    /// # Errors
    /// Its error.
    pub fn read(&self, files: &Files, path: &str, array: &TestArray, domain: &[(u8, u8)]) -> Result<Vec<Cell>, String> {
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
        let cells = self.request(&folder.path().join(path), array, &serde_json::json!({}))?;
        Ok(cells.iter().map(|cell| decode(array, domain, cell)).collect())
    }

    /// The cells of an array in a folder, as `read_arrays.py` encodes them.
    ///
    /// # Errors
    /// Its error.
    pub fn request(&self, path: &Path, array: &TestArray, options: &Json) -> Result<Vec<Json>, String> {
        let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Reader { requests, results, .. } = &mut *reader;
        let key = if array.shape.encrypts { KEY } else { "" };
        writeln!(requests, "{}\t{key}\t{options}", path.display()).unwrap();
        let mut line = String::new();
        results.read_line(&mut line).unwrap();
        let result: Json = serde_json::from_str(&line).unwrap();
        match result["cells"].as_array() {
            Some(cells) => Ok(cells.clone()),
            None => Err(result["error"].as_str().unwrap_or("no result").to_owned()),
        }
    }
}

/// Bytes from their digits.
pub fn bytes(json: &Json) -> Vec<u8> {
    let digits = json.as_str().unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// A cell: numbers or bytes of its coordinates, then bytes of its values, or null.
fn decode(array: &TestArray, domain: &[(u8, u8)], cell: &Json) -> Cell {
    let shape = &*array.shape;
    let mut decoded = Cell { at: Vec::new(), values: BTreeMap::new() };
    for (number, dimension) in shape.dimensions.iter().enumerate() {
        // Places of dense arrays are counted from the first of the current domain.
        let place = cell[number].as_u64().map(|at| domain[number].0 + at as u8);
        decoded.at.push(place.or_else(|| dimension.decode(&bytes(&cell[number]))).unwrap());
    }
    for number in 0..STABLE {
        let json = &cell[shape.dimensions.len() + number];
        let value = if json.is_null() { Value::Null } else { shape.attributes[number].decode(&bytes(json)) };
        decoded.values.insert(number, value);
    }
    // numpy drops the byte of a text that is a fill value.
    if decoded.values[&0] == shape.attributes[0].fill_value() {
        decoded.values.insert(2, shape.attributes[2].fill_value());
    }
    decoded
}

impl Drop for Reference {
    fn drop(&mut self) {
        let reader = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        _ = reader.child.kill();
        _ = reader.child.wait();
    }
}
