//! Fuzz targets: arbitrary bytes are imported, which must either succeed or return an error. Called by `fuzz/` and
//! `tests/fuzz_seeds.rs`.

use std::path::Path;

use clap::Parser;
use tiledb::{Config, Context, Vfs};

use crate::args::{Arguments, Command};
use crate::commands::import;
use crate::model::{Error, Result};
use crate::progress::Progress;

/// Options of the imports, selected by the lower bits of the first byte of the input.
const OPTIONS: [&[&str]; 8] = [
    &[],
    &["--dims", "x"],
    &["--dims", "x,s"],
    &["--dims", "c1", "--no-header"],
    &["--no-header", "--delimiter", ";", "--null", "NA"],
    &["--type", "x=FLOAT32", "--row", "number"],
    &["--sample", "1"],
    &["--dry-run"],
];
/// Bit of the first byte: import the rows twice.
const APPENDS: u8 = 8;
/// URI of the created arrays.
const ARRAY: &str = "mem://fuzz/array";

/// Imports whatever format follow the options.
pub struct Target {
    ctx: Context,
    vfs: Vfs,
    progress: Progress,
}

impl Target {
    /// A target with a context of its own.
    ///
    /// # Errors
    /// If the library makes no context.
    pub fn new() -> std::result::Result<Self, String> {
        let made = || {
            let config = Config::builder().threads(1).set("sm.io_concurrency_level", 1).build()?;
            let ctx = Context::with_config(config)?;
            Ok(Self { vfs: Vfs::new(&ctx), progress: Progress::hidden(), ctx })
        };
        made().map_err(|error: Error| error.to_string())
    }

    /// Imports a file that holds all but the first byte of these, which chooses options. The file is overwritten.
    ///
    /// # Errors
    /// What the import ends with, if it is not for the file or the options.
    pub fn import(&self, bytes: &[u8], file: &Path) -> std::result::Result<(), String> {
        let Some((&choice, bytes)) = bytes.split_first() else { return Ok(()) };
        let options = OPTIONS[usize::from(choice) % OPTIONS.len()];
        std::fs::write(file, bytes).map_err(|error| error.to_string())?;
        let name = file.to_str().ok_or("the name of the file is no text")?;
        // Small tiles: dense tiles are padded.
        let words = ["tiledb-rs", "--json", "import", name, ARRAY, "--tile", "3"];
        let arguments = Arguments::try_parse_from(words.iter().chain(options)).map_err(|error| error.to_string())?;
        let Command::Import(import) = &arguments.command else { return Err("no import".to_owned()) };
        let again = Arguments::try_parse_from(words).map_err(|error| error.to_string())?;
        let Command::Import(append) = &again.command else { return Err("no import".to_owned()) };
        let mut imported = import::rows(&self.ctx, &arguments.common, import, &self.progress);
        if imported.is_ok() && choice & APPENDS != 0 {
            imported = import::rows(&self.ctx, &again.common, append, &self.progress);
        }
        self.remove().map_err(|error| error.to_string())?;
        match imported {
            Ok(_) | Err(Error::Usage(_) | Error::Failed(_)) => Ok(()),
            Err(other) => Err(other.to_string()),
        }
    }

    fn remove(&self) -> Result<()> {
        if self.vfs.is_dir(ARRAY)? { Ok(self.vfs.remove_dir(ARRAY)?) } else { Ok(()) }
    }
}
