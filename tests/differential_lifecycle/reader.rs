//! Reads by the reference in a process of its own: it damages the memory of its process now and then.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::actions::Actions;
use crate::model::{Row, Shape};
use crate::support::Api;

/// The first word of a line with a result; other lines are output of the test harness.
const RESULT: &str = "result ";

/// A process that reads arrays with a library; another one where it died.
pub struct Reader {
    library: PathBuf,
    /// Arguments with which this program calls [`serve`].
    arguments: &'static [&'static str],
    process: Option<Process>,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    results: BufReader<ChildStdout>,
}

impl Reader {
    /// A reader that is started on first use.
    pub fn new(library: PathBuf, arguments: &'static [&'static str]) -> Reader {
        Reader { library, arguments, process: None }
    }

    /// Reads a window as [`Actions::read`].
    ///
    /// # Errors
    /// The library's error, or how its process died twice.
    pub fn read(&mut self, uri: &str, shape: &Shape, window: (u64, u64), evolving: &[u32]) -> Result<Vec<Row>, String> {
        let request = json!([
            uri,
            [shape.dense, shape.dups, shape.encrypted],
            shape.dims,
            [shape.cell_order, shape.tile_order, shape.capacity],
            window,
            evolving
        ]);
        let request = request.to_string();
        let response = self.request(&request).or_else(|_| self.request(&request))?;
        match &response["rows"] {
            Value::Null => Err(response["error"].as_str().unwrap().to_owned()),
            rows => Ok(serde_json::from_value(rows.clone()).unwrap()),
        }
    }

    fn request(&mut self, request: &str) -> Result<Value, String> {
        let (library, arguments) = (&self.library, self.arguments);
        let process = self.process.get_or_insert_with(|| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(arguments).env("READER_LIBRARY", library);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let (requests, results) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
            Process { child, requests, results }
        });
        let sent = writeln!(process.requests, "{request}");
        let mut line = String::new();
        while sent.is_ok() && process.results.read_line(&mut line).unwrap() > 0 {
            // The harness ends its own line only behind the test.
            if let Some((_, result)) = line.split_once(RESULT)
                && result.ends_with('\n')
            {
                return Ok(serde_json::from_str(result).unwrap());
            }
            line.clear();
        }
        let status = process.child.wait().unwrap();
        self.process = None;
        Err(format!("the process of the reader ended with {status}"))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(Process { mut child, requests, .. }) = self.process.take() {
            drop(requests);
            _ = child.wait();
        }
    }
}

/// Reads what the parent requests, with the library that it names. True if there is a parent.
pub fn serve() -> bool {
    let Some(library) = std::env::var_os("READER_LIBRARY") else { return false };
    let api = Api::open(&PathBuf::from(library)).unwrap();
    for request in std::io::stdin().lines() {
        let request: Value = serde_json::from_str(&request.unwrap()).unwrap();
        let flag = |number: usize| request[1][number].as_bool().unwrap();
        let number = |number: usize| request[3][number].as_u64().unwrap();
        let shape = Shape {
            dense: flag(0),
            dups: flag(1),
            encrypted: flag(2),
            dims: serde_json::from_value(request[2].clone()).unwrap(),
            cell_order: number(0),
            tile_order: number(1),
            capacity: number(2),
        };
        let actions = Actions { api: &api, who: "reader", encrypted: shape.encrypted };
        let window = serde_json::from_value(request[4].clone()).unwrap();
        let evolving: Vec<u32> = serde_json::from_value(request[5].clone()).unwrap();
        let response = match actions.read(request[0].as_str().unwrap(), &shape, window, &evolving) {
            Ok(rows) => json!({ "rows": rows }),
            Err(failure) => json!({ "error": format!("{}: {}", failure.function, failure.text) }),
        };
        println!("{RESULT}{response}");
    }
    true
}
