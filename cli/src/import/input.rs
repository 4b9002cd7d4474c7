//! The input of an import: a file that can be opened again, or a pipe that is read once.

use std::fs::File;
use std::io::{Cursor, Read};

use crate::model::{Error, Result};
use crate::progress::Progress;

use super::row_file::recognize_delimiter;
use super::signature::{FileKind, SIGNATURE};

/// Bytes that are read to recognize formats.
const START: u64 = 1 << 16;

/// A file or a pipe whose format is known.
pub(crate) struct Input {
    pub name: String,
    pub kind: FileKind,
    /// Size of the file; 0 if unknown.
    pub size: u64,
    /// The beginning, by which delimiters are recognized, and whether it is all.
    start: Vec<u8>,
    is_whole: bool,
    /// The whole contents of a pipe, until they are taken.
    pipe: Option<Box<dyn Read>>,
    is_pipe: bool,
}

impl Input {
    /// Opens a file, or the standard input as `-`, and recognizes its format.
    pub(crate) fn open(name: &str, progress: &Progress) -> Result<Self> {
        let at = |error: std::io::Error| Error::failed(format!("{name}: {error}"));
        let (mut source, size): (Box<dyn Read>, Option<u64>) = if name == "-" {
            (Box::new(progress.input(std::io::stdin())), None)
        } else {
            let file = File::open(name).map_err(at)?;
            let found = file.metadata().map_err(at)?;
            // Pipes and devices are read in a thread, so that a signal ends the wait for them.
            if found.is_file() || found.is_dir() {
                (Box::new(file), Some(found.len()))
            } else {
                (Box::new(progress.input(file)), None)
            }
        };
        let mut start = Vec::new();
        source.by_ref().take(START).read_to_end(&mut start).map_err(at)?;
        let is_whole = (start.len() as u64) < START;
        let kind = FileKind::of(start.get(..SIGNATURE).unwrap_or(&start));
        if let FileKind::Foreign(what, route) = kind {
            let route = route.replace("FILE", if name == "-" { "FILE" } else { name });
            return Err(Error::failed(format!("{name} is {what}, which import does not read; {route}")));
        }
        let pipe: Option<Box<dyn Read>> = match size {
            Some(_) => None,
            None => Some(Box::new(Cursor::new(start.clone()).chain(source))),
        };
        let (name, size, is_pipe) = (name.to_owned(), size.unwrap_or(0), pipe.is_some());
        Ok(Self { name, kind, size, start, is_whole, is_pipe, pipe })
    }

    /// The delimiter of a file of text, recognized by its beginning; none if it is a comma, or not clear.
    pub(crate) fn delimiter(&self) -> Option<u8> {
        recognize_delimiter(&self.start, self.is_whole)
    }

    /// Whether the contents can be read only once.
    pub(crate) fn is_pipe(&self) -> bool {
        self.is_pipe
    }

    /// The contents of a pipe, once.
    pub(crate) fn take_pipe(&mut self) -> Result<Box<dyn Read>> {
        self.pipe.take().ok_or_else(|| Error::failed(format!("{}: a pipe is read only once", self.name)))
    }

    /// The file, from its beginning.
    pub(crate) fn file(&self) -> Result<File> {
        File::open(&self.name).map_err(|error| Error::failed(format!("{}: {error}", self.name)))
    }

    /// The contents from their beginning.
    pub(crate) fn read(&mut self) -> Result<Box<dyn Read>> {
        if self.is_pipe { self.take_pipe() } else { Ok(Box::new(self.file()?)) }
    }
}
