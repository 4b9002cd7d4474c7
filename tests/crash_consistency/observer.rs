//! Observer processes that read folders repeatedly with one library each.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::operations;
use crate::snapshot::look;
use crate::support::{Api, library};

/// A process with a library; another one where it died.
pub struct Observer {
    library: PathBuf,
    process: Option<(Child, BufReader<std::process::ChildStdout>)>,
}

/// One for our library, one for the reference if it is there.
pub fn lookers() -> Vec<Observer> {
    let libraries = [Some(library::ours()), library::reference()].into_iter().flatten();
    libraries.map(|library| Observer { library, process: None }).collect()
}

impl Observer {
    /// What the library sees in a folder. The reference damages the memory of its process now and then: where it dies,
    /// another one looks again.
    pub fn look(&mut self, folder: &Path) -> String {
        let seen = self.try_look(folder);
        match seen {
            Err(_) if self.library != library::ours() => self.try_look(folder),
            seen => seen,
        }
        .unwrap_or_else(|died| died)
    }

    fn try_look(&mut self, folder: &Path) -> Result<String, String> {
        let (child, answers) = self.process.get_or_insert_with(|| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.arg("--look").arg(&self.library).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            let answers = BufReader::new(child.stdout.take().unwrap());
            (child, answers)
        });
        let asked = writeln!(child.stdin.as_mut().unwrap(), "{}", folder.display());
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        if asked.is_ok() && answer.ends_with('\n') {
            return Ok(answer.trim().to_owned());
        }
        let status = child.wait().unwrap();
        self.process = None;
        Err(format!("{answer} {status}"))
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.process.take() {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// Looks into the folders that the parent names.
pub fn serve(library: &str) {
    let api = Api::open(Path::new(library)).unwrap();
    for folder in std::io::stdin().lines() {
        let seen = match operations::with(&api, &folder.unwrap(), look) {
            Ok(seen) => seen,
            Err(failure) => format!("{}: {}", failure.function, failure.text),
        };
        println!("{}", seen.replace('\n', " "));
    }
}
