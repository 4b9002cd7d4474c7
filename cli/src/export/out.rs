//! The output of cells: a named file, or standard output.

use std::io::{IsTerminal, Stdout, Write};
use std::path::Path;

use crate::model::{Error, Result};
use crate::output::OutputFile;

/// The output: a named file, or standard output.
pub(crate) enum Out {
    Standard(Stdout),
    File(OutputFile),
}

impl Out {
    /// Opens the output.
    pub(crate) fn new(file: Option<&Path>) -> Result<Self> {
        Ok(match file {
            Some(file) if file != Path::new("-") => Self::File(OutputFile::create(file)?),
            _ => Self::Standard(std::io::stdout()),
        })
    }

    pub(crate) fn is_terminal(&self) -> bool {
        matches!(self, Self::Standard(out) if out.is_terminal())
    }

    /// The output for a binary format.
    pub(crate) fn binary(file: Option<&Path>) -> Result<Self> {
        let out = Self::new(file)?;
        match out.is_terminal() {
            true => Err(Error::usage("a binary format is not for a terminal: add --output FILE")),
            false => Ok(out),
        }
    }

    /// Ends it, when all was written.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut out) => Ok(out.flush()?),
            Self::File(file) => file.finish(),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}
