//! What may be written on the command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output::{HIDDEN, is_secret};
use crate::parameters::{check_name, names_in};
use crate::tiledb::{Checksum, Config, Context, Error, Moments, Result};

/// Looks into TileDB arrays and keeps them in order, on disks and in object stores.
///
/// A URI is a path, or s3://, azure://, gcs://, tiledb://. Parameters of the library come from the environment
/// (TILEDB_VFS_S3_REGION=...), --config and -c, the last one wins.
///
/// Exit codes: 0 fine, 1 findings or differences, 2 wrong usage, 3 an error, 130 stopped by Ctrl-C.
#[derive(Parser)]
#[command(name = "tiledb-rs", version)]
pub struct Arguments {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command understands.
#[derive(Args)]
pub struct Common {
    /// Set a parameter of the library
    #[arg(short = 'c', long, value_name = "KEY=VALUE", global = true)]
    pub set: Vec<String>,
    /// Take parameters from a file of lines "key value"
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<String>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Subcommand)]
pub enum Command {
    /// List the arrays and groups of a group or a folder
    Ls(Place),
    /// Show a group or a folder with all below it
    Tree(Place),
    /// Tell of an array: schema, fragments, bytes of each field, what maintenance would gain
    Info(Info),
    /// Print the first cells of an array
    Head(Head),
    /// Print cells of an array
    Cat(Select),
    /// Draw an array as one HTML file: fragments over space and time, tiles, overlaps, bytes of fields
    Picture(Picture),
    /// Look at every byte of arrays, and tell what is wrong with them and what to do
    Verify(Verify),
    /// Put the rows of a CSV or Arrow file into an array, which is made if it is not there
    Import(Import),
    /// Copy an array, or a group with all below it, between any two stores; run again it finishes what was interrupted
    Copy(Copy),
    /// Merge fragments, or what else is consolidated, into few
    Consolidate(Consolidate),
    /// Remove what consolidations have merged
    Vacuum(Vacuum),
    /// Remove what writers left that were killed; no writer may be at work
    Sweep(Maintain),
    /// Write the schema anew in the newest format version, so that new cells are written in it
    Upgrade(Maintain),
    /// Print a script that completes the commands in a shell
    #[command(hide = true)]
    Completion { shell: clap_complete::Shell },
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man { folder: std::path::PathBuf },
}

#[derive(Args)]
pub struct Place {
    /// A group or a folder
    pub uri: String,
}

/// An array at a time.
#[derive(Args)]
pub struct At {
    /// The array
    pub uri: String,
    /// See only what was written since, in milliseconds since 1970
    #[arg(long, value_name = "MS")]
    pub from: Option<u64>,
    /// See only what was written until then
    #[arg(long, value_name = "MS")]
    pub to: Option<u64>,
}

impl At {
    /// The window of time.
    pub fn moments(&self) -> Result<Moments> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from > to => {
                Err(Error::usage(format!("--from {from} is after --to {to}: nothing is written then")))
            }
            (from, to) => Ok(Moments { from, to }),
        }
    }
}

#[derive(Args)]
pub struct Info {
    #[command(flatten)]
    pub at: At,
    /// List all fragments, not the last ten
    #[arg(long)]
    pub all: bool,
}

#[derive(Args)]
pub struct Select {
    #[command(flatten)]
    pub at: At,
    /// Only cells of a range of a dimension; without a bound up to the domain's
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Only cells for which a condition holds, as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Only these fields
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// How cells are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Write into a file: csv, json or arrow
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
    /// Stop after so many cells
    #[arg(short = 'n', long, value_name = "CELLS")]
    pub limit: Option<u64>,
}

#[derive(Args)]
pub struct Head {
    #[command(flatten)]
    pub select: Select,
}

/// How cells are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns for people
    Table,
    /// Comma-separated values; null is an empty cell
    Csv,
    /// One JSON object per line
    Json,
    /// An Arrow file
    Arrow,
}

#[derive(Args)]
pub struct Picture {
    #[command(flatten)]
    pub at: At,
    /// The file to write, - for the standard output; NAME.html if not said
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Show which fragments and tiles a read of a range looks at
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Show which of them a condition excludes, as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
}

#[derive(Args)]
pub struct Copy {
    /// The array or group
    pub from: String,
    /// Where the copy goes: nothing is there yet, or an earlier copy
    pub to: String,
    /// Compare the contents of files that are there already, not only their sizes
    #[arg(long)]
    pub check: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct Verify {
    /// Arrays, and groups with all that is below them
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
}

#[derive(Args)]
pub struct Import {
    /// The file; - is the standard input, for CSV
    pub file: String,
    /// The array; rows are put behind those that are there
    pub array: String,
    /// Columns that become dimensions of a sparse array; without them rows are numbered in a dense one
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub dims: Vec<String>,
    /// The dimension that numbers rows
    #[arg(long, value_name = "NAME", default_value = "row")]
    pub row: String,
    /// The datatype of a column, as INT32 or STRING_ASCII
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub types: Vec<String>,
    /// Cells of a tile
    #[arg(long, value_name = "CELLS", default_value_t = 10_000)]
    pub tile: u64,
    /// Store a checksum with each chunk of cells, so that damage is found when it is read
    #[arg(long, value_enum, value_name = "md5|sha256")]
    pub checksum: Option<Checksum>,
    /// Make the array even where a folder with other files, or a group, is
    #[arg(long)]
    pub force: bool,
    /// What stands between cells; \t for a tab
    #[arg(short, long, value_name = "CHARACTER", default_value = ",")]
    pub delimiter: String,
    /// The first line holds cells; columns are called c1, c2, ...
    #[arg(long)]
    pub no_header: bool,
    /// A word that means no value, as the empty one does
    #[arg(long, value_name = "WORD")]
    pub null: Vec<String>,
    /// Look at so many rows only for datatypes: all of a file, 100000 of the standard input
    #[arg(long, value_name = "ROWS")]
    pub sample: Option<u64>,
    /// Say what the array would be, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct Maintain {
    /// The array
    pub uri: String,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub struct Vacuum {
    #[command(flatten)]
    pub maintain: Maintain,
    #[arg(long, value_enum, default_value_t = Mode::Fragments)]
    pub mode: Mode,
}

#[derive(Args)]
pub struct Consolidate {
    #[command(flatten)]
    pub maintain: Maintain,
    #[arg(long, value_enum, default_value_t = Mode::Fragments)]
    pub mode: Mode,
}

/// What is consolidated or removed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// Fragments with their cells
    Fragments,
    /// The footers of fragments, into one file
    FragmentMeta,
    /// The metadata of the array
    ArrayMeta,
    /// The files that commit fragments
    Commits,
}

impl Mode {
    /// As the library calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fragments => "fragments",
            Self::FragmentMeta => "fragment_meta",
            Self::ArrayMeta => "array_meta",
            Self::Commits => "commits",
        }
    }
}

impl Common {
    /// The parameters of the library.
    pub fn parameters(&self) -> Result<Config> {
        let mut config = Config::new()?;
        if let Some(file) = &self.config {
            if let Some((name, _)) = file.split_once('=')
                && !std::path::Path::new(file).exists()
            {
                // A parameter that was meant for -c may be a credential.
                return Err(Error::usage(format!(
                    "--config {name}={HIDDEN}: there is no such file; parameters are set by -c KEY=VALUE"
                )));
            }
            config.load(file)?;
            let text = std::fs::read(file).map_err(|error| Error::failed(format!("{file}: {error}")))?;
            for name in names_in(String::from_utf8_lossy(&text).trim_start_matches('\u{feff}')) {
                check_name(name).map_err(|why| Error::usage(format!("--config {file}: {why}")))?;
            }
        }
        for pair in &self.set {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                // What is no name may be a value, and a credential.
                let name = if check_name(pair).is_ok() { format!("-c {pair}") } else { "-c".to_owned() };
                Error::usage(format!("{name}: there is no '=': write KEY=VALUE, as sm.memory_budget=1000000"))
            })?;
            check_name(name).map_err(|why| Error::usage(format!("-c: {why}")))?;
            config.set(name, value).map_err(|error| {
                Error::usage(match is_secret(name) {
                    true => format!("-c {name}={HIDDEN}: the value is not accepted"),
                    false => format!("-c {pair}: {error}"),
                })
            })?;
        }
        Ok(config)
    }

    /// A context with them.
    pub fn context(&self) -> Result<Context> {
        Context::new(&self.parameters()?)
    }
}
