//! Observer processes that read folders repeatedly with one library each.

use std::path::Path;

use serde_json::Value;

use crate::Failure;
use crate::library_process::{self, LibraryProcess};
use crate::operations::{self, Place};

/// The argument with which the test program is an observer.
pub const ARGUMENT: &str = "--look";

/// A process with a library.
pub struct Observer(LibraryProcess);

/// One for our library, one for the reference if it is there.
pub fn lookers() -> Vec<Observer> {
    let libraries = [Some(LibraryProcess::ours(&[ARGUMENT])), LibraryProcess::reference(&[ARGUMENT])];
    libraries.into_iter().flatten().map(Observer).collect()
}

impl Observer {
    /// What the library sees in a folder.
    pub fn look(&mut self, folder: &Path) -> String {
        let response = self.0.read(&Value::from(folder.to_str().unwrap())).unwrap();
        response.as_str().unwrap().to_owned()
    }
}

/// Takes snapshots of the folders that the parent names.
pub fn serve(take_snapshot: impl Fn(&Place<'_>) -> Result<String, Failure>) {
    library_process::serve(|api, folder| {
        let snapshot = match operations::with(api, folder.as_str().unwrap(), &take_snapshot) {
            Ok(snapshot) => snapshot,
            Err(failure) => format!("{}: {}", failure.function, failure.text),
        };
        Value::from(snapshot.replace('\n', " "))
    });
}
