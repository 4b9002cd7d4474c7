//! Child processes that load one library each. A test never calls both libraries in one process: a death by damaged memory would have
//! no owner.
//!
//! The parent sends requests, a line each, and receives a line for each. The child is this test program again, which calls [`serve`].

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

use super::{Api, library};

/// Arguments with which a program with the usual test harness runs the ignored test whose name follows, which calls [`serve`].
pub const HARNESS: [&str; 4] = ["--ignored", "--nocapture", "--test-threads=1", "--exact"];

/// The environment variable with the path of the library.
const LIBRARY: &str = "PROCESS_LIBRARY";

/// The beginning of a line with a response; other lines are output of the test harness and of operations.
const RESPONSE: &str = "response of the library: ";

/// The first word of a line of output that says how a process of the reference died.
pub const DIED: &str = "died:";

/// Bytes of its error output that are shown of a process that died.
const SHOWN_BYTES: u64 = 2000;

/// A process with one library, started on first use, and again after it died.
pub struct LibraryProcess {
    library: PathBuf,
    is_reference: bool,
    arguments: Vec<String>,
    process: Option<Process>,
}

struct Process {
    child: Child,
    requests: ChildStdin,
    responses: BufReader<ChildStdout>,
    errors: File,
}

/// How a process ended instead of a response.
struct Death {
    status: ExitStatus,
    errors: String,
}

impl LibraryProcess {
    /// A process with our library; with these arguments this program calls [`serve`].
    pub fn ours(arguments: &[&str]) -> LibraryProcess {
        LibraryProcess::new(library::ours(), false, arguments)
    }

    /// A process with the reference, if it is there.
    pub fn reference(arguments: &[&str]) -> Option<LibraryProcess> {
        library::reference().map(|library| LibraryProcess::new(library, true, arguments))
    }

    fn new(library: PathBuf, is_reference: bool, arguments: &[&str]) -> LibraryProcess {
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        LibraryProcess { library, is_reference, arguments, process: None }
    }

    /// The response to a request that writes nothing. The reference damages the memory of its process now and then: if it dies, the
    /// request is sent once more, to a new process.
    ///
    /// # Errors
    /// How the process of the reference died twice.
    ///
    /// # Panics
    /// If our library dies, or `handle` panicked.
    pub fn read(&mut self, request: &Value) -> Result<Value, String> {
        self.write(|_| request.clone())
    }

    /// As [`read`](Self::read), for requests that write: `request` returns one for the attempt with this number, 0 or 1, each with a
    /// folder of its own.
    pub fn write(&mut self, mut request: impl FnMut(usize) -> Value) -> Result<Value, String> {
        self.read_once(&request(0)).or_else(|_| self.read_once(&request(1)))
    }

    /// As [`read`](Self::read), but not repeated.
    pub fn read_once(&mut self, request: &Value) -> Result<Value, String> {
        let response = self.send(request).map_err(|Death { status, errors }| {
            let name = if self.is_reference { "libtiledb" } else { "libtiledb-rs" };
            format!("a process with {name} alone died ({status}) of the request {request}: {errors}")
        });
        match response {
            Ok(response) => match &response["panic"] {
                Value::String(text) => panic!("{}: {request}: {text}", self.library.display()),
                _ => Ok(response["value"].clone()),
            },
            Err(death) if self.is_reference => {
                println!("{DIED} {death}");
                Err(death)
            }
            Err(death) => panic!("{death}"),
        }
    }

    fn send(&mut self, request: &Value) -> Result<Value, Death> {
        let start = || Process::start(&self.library, &self.arguments);
        let process = self.process.get_or_insert_with(start);
        let sent = writeln!(process.requests, "{request}");
        let mut line = String::new();
        while sent.is_ok() && process.responses.read_line(&mut line).unwrap() > 0 {
            // The harness ends its own line only behind the test.
            if let Some((_, response)) = line.split_once(RESPONSE)
                && response.ends_with('\n')
            {
                return Ok(serde_json::from_str(response).unwrap());
            }
            line.clear();
        }
        let status = process.child.wait().unwrap();
        let errors = end_of(&mut process.errors);
        self.process = None;
        Err(Death { status, errors })
    }
}

impl Process {
    fn start(library: &Path, arguments: &[String]) -> Process {
        let errors = tempfile::tempfile().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(arguments).env(LIBRARY, library);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors.try_clone().unwrap());
        let mut child = command.spawn().unwrap();
        let requests = child.stdin.take().unwrap();
        let responses = BufReader::new(child.stdout.take().unwrap());
        Process { child, requests, responses, errors }
    }
}

impl Drop for LibraryProcess {
    fn drop(&mut self) {
        if let Some(Process { mut child, requests, .. }) = self.process.take() {
            drop(requests);
            _ = child.wait();
        }
    }
}

fn end_of(file: &mut File) -> String {
    let length = file.metadata().unwrap().len();
    file.seek(SeekFrom::Start(length.saturating_sub(SHOWN_BYTES))).unwrap();
    let mut end = Vec::new();
    file.read_to_end(&mut end).unwrap();
    String::from_utf8_lossy(&end).trim().replace('\n', " | ")
}

/// Responds to the requests of the parent, with the library that it names. True if there is a parent.
pub fn serve(mut handle: impl FnMut(&Api, &Value) -> Value) -> bool {
    let Some(library) = std::env::var_os(LIBRARY) else { return false };
    let api = Api::open(Path::new(&library)).unwrap();
    for request in std::io::stdin().lines() {
        let request = serde_json::from_str(&request.unwrap()).unwrap();
        let handled = catch_unwind(AssertUnwindSafe(|| handle(&api, &request)));
        let response = match handled {
            Ok(value) => json!({ "value": value }),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                json!({ "panic": text.unwrap_or("a panic") })
            }
        };
        println!("{RESPONSE}{response}");
    }
    true
}

/// The result of an operation as the value of a response.
pub fn to_value(result: Result<Value, super::Failure>) -> Value {
    match result {
        Ok(value) => json!({ "ok": value }),
        Err(failure) => json!({ "error": format!("{}: {}", failure.function, failure.text) }),
    }
}

/// The result in a value from [`to_value`].
pub fn to_result(value: &Value) -> Result<Value, String> {
    match &value["error"] {
        Value::String(error) => Err(error.clone()),
        _ => Ok(value["ok"].clone()),
    }
}
