//! Definition of the command line: commands, options and their help texts (`docs/tool_options.md` lists them).

use clap::{Args, Parser, Subcommand, ValueEnum};
use tiledb::maintenance::{ConsolidationMode, Objective};

mod changes;
mod common;
mod maintenance;
mod publishing;

pub(crate) use changes::{Append, Delete, Diff, Evolve, Stats, Watch};
pub(crate) use common::CommonOptions;
pub(crate) use maintenance::{LogFormat, PolicyMaintenance};
pub(crate) use publishing::{Publish, ServeFiles, View, ViewerFolder};

use crate::model::{Checksum, Error, Moments, Result};
use crate::timestamps::{first_millisecond, last_millisecond, readable};

/// Inspect, verify, copy and maintain TileDB arrays on local disks and in object stores.
///
/// A URI is a path, or starts with s3://, azure://, gcs://, https:// (to read) or tiledb://. Configuration parameters are read from the
/// environment (TILEDB_VFS_S3_REGION=...), from --config and from -c; the last of these takes precedence.
///
/// Exit codes: 0 success, 1 findings or differences, 2 invalid arguments, 3 failure, 128 and the number of the
/// signal that stopped it: 130 Ctrl-C (SIGINT), 143 SIGTERM, 129 SIGHUP.
#[derive(Parser)]
#[command(name = "tiledb-rs", version)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub common: CommonOptions,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the arrays and groups of a group or a folder
    Ls(UriArgument),
    /// List the contents of a group or a folder recursively
    Tree(UriArgument),
    /// Show the schema and fragments of an array, the size of each field, and recommended maintenance
    Info(Info),
    /// Print the first cells of an array: ten, or as many as --limit says
    Head(Head),
    /// Print cells of an array
    Cat(Select),
    /// Visualize an array in one HTML file: fragments over space and time, tiles, overlaps, sizes of fields
    Picture(Picture),
    /// Recommend filters, tiles and other properties of the schema of an array, by encoding a sample of its cells
    Advise(Advise),
    /// Check every byte of arrays, and report corruption with a remedy
    Verify(Verify),
    /// Import a CSV, JSON, Arrow, Parquet or NPY file: append its rows to an array, which is created if it does not exist
    Import(Import),
    /// Print the schema of an array as JSON, which create accepts
    Schema(SchemaArguments),
    /// Create an array from a schema in JSON, as the command schema prints it, or a group
    Create(Create),
    /// Count the cells of an array
    Count(Count),
    /// Show the number of cells and nulls, the minimum, the maximum and the mean of each field
    Stats(Stats),
    /// Compare two arrays: schemas, metadata and cells
    Diff(Diff),
    /// Append the rows of a file to an existing array
    Append(Append),
    /// Delete the cells of a sparse array that meet a query condition
    Delete(Delete),
    /// Add attributes to the schema of an array, or drop attributes
    Evolve(Evolve),
    /// Query arrays with SQL, by the program tiledb-rs-sql; see `tiledb-rs sql --help`
    #[command(disable_help_flag = true)]
    Sql {
        /// Arguments of tiledb-rs-sql
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Print new fragments of an array as they are written, until the command is stopped
    Watch(Watch),
    /// List, print, set or delete metadata of an array or a group
    Meta(Meta),
    /// Remove arrays and groups with everything in their folders
    Rm(Rm),
    /// Move or rename an array or a group; into another store or file system it is copied, compared and removed
    Mv(Mv),
    /// Copy an array, or a group recursively, from any store to any other; a second run resumes an interrupted copy
    Copy(Copy),
    /// Copy an array or group to where a web server serves it, with the index that readers at https:// need
    Publish(Publish),
    /// Serve the files of a folder over HTTP, to try a published array
    ServeFiles(ServeFiles),
    /// Show an array or group in a browser: the viewer, on a loopback address of this machine
    View(View),
    /// Keep the number of fragments of arrays within a bound: consolidate, and vacuum what readers no longer need
    Maintain(PolicyMaintenance),
    /// Consolidate fragments, fragment metadata, array metadata or commits
    Consolidate(Consolidate),
    /// Remove the files that consolidation has merged
    Vacuum(Vacuum),
    /// Remove orphaned fragments that killed writers left; no writer may be active
    Sweep(Maintain),
    /// Write the schema in the latest format version, which new fragments then use
    Upgrade(Maintain),
    /// Copy an array into a new one of an older format version, for older readers
    Downgrade(Downgrade),
    /// Copy an array with other filters, and compare the cells of both
    Rewrite(Rewrite),
    /// Print the completion script of a shell, for its folder of completions
    Completion {
        /// Shell that reads the script
        shell: clap_complete::Shell,
    },
    /// Write the manual pages to a folder
    #[command(hide = true)]
    Man { folder: std::path::PathBuf },
}

#[derive(Args)]
pub(crate) struct UriArgument {
    /// URI of a group or a folder
    pub uri: String,
}

/// An array, opened for a time window.
#[derive(Args)]
pub(crate) struct ArrayArguments {
    /// URI of the array
    pub uri: String,
    /// Ignore fragments written before this time in UTC: a year, month or day, such as 2024-05-31, from its begin on; a date and
    /// time, such as 2024-05-31T12:30:15.250; or milliseconds since 1970, such as 1717158615250ms
    #[arg(long, value_name = "TIME", value_parser = first_millisecond)]
    pub from: Option<u64>,
    /// Open the array as of this time, in the same notation; a year, month or day to its end
    #[arg(long, value_name = "TIME", value_parser = last_millisecond)]
    pub to: Option<u64>,
}

impl ArrayArguments {
    /// The time window.
    pub(crate) fn moments(&self) -> Result<Moments> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from > to => Err(Error::usage(format!(
                "--from {} is after --to {}: nothing is written then",
                readable(from),
                readable(to)
            ))),
            (from, to) => Ok(Moments { from, to }),
        }
    }
}

#[derive(Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub at: ArrayArguments,
    /// List all fragments instead of the last ten
    #[arg(long)]
    pub all: bool,
    /// Measure by a sample of the cells how small the array could be with a recommended schema
    #[arg(long)]
    pub advise: bool,
}

#[derive(Args)]
pub(crate) struct Select {
    #[command(flatten)]
    pub at: ArrayArguments,
    /// Select a range of a dimension, bounds included; an omitted bound is that of the domain. May be repeated
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Select cells by a query condition, such as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Print only these attributes and dimensions
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Output format; if omitted, that of the extension of the output file, and a table on the standard output
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// Write to a file, such as cells.parquet; - is the standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
    /// Maximum number of cells to print
    #[arg(short = 'n', long, value_name = "CELLS")]
    pub limit: Option<u64>,
}

impl Select {
    /// Whether only some of the cells are selected.
    pub(crate) fn is_selective(&self) -> bool {
        !self.range.is_empty() || self.condition.is_some() || self.at.from.is_some() || self.at.to.is_some()
    }
}

#[derive(Args)]
pub(crate) struct Head {
    #[command(flatten)]
    pub select: Select,
}

/// Output format of cells.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns
    Table,
    /// Comma-separated values; null is an empty cell
    Csv,
    /// One JSON object per line
    #[value(alias = "jsonl", alias = "ndjson")]
    Json,
    /// An Arrow file, also known as Feather
    #[value(alias = "feather")]
    Arrow,
    /// An Arrow stream, for pipes
    ArrowStream,
    /// A Parquet file, compressed with zstd
    Parquet,
    /// A file of NumPy: the values of one attribute of a dense array
    Npy,
}

impl Format {
    /// Whether it is none for a terminal.
    pub(crate) fn is_binary(self) -> bool {
        !matches!(self, Self::Table | Self::Csv | Self::Json)
    }
}

#[derive(Args)]
pub(crate) struct Picture {
    #[command(flatten)]
    pub at: ArrayArguments,
    /// Output file; - is the standard output. Default: NAME.html
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<String>,
    /// Highlight the fragments and tiles that a read of this range intersects; may be repeated
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Show which of these tiles a query condition prunes, such as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Draw the values of these attributes, which have one number in a cell. Default: the first three
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Measure by a sample of the cells how small the array could be with a recommended schema
    #[arg(long)]
    pub advise: bool,
}

#[derive(Args)]
pub(crate) struct Copy {
    /// URI of the array or group
    pub from: String,
    /// URI of the target: it does not exist yet, or is an earlier copy
    pub to: String,
    /// Compare the contents of existing files, not only their sizes
    #[arg(long)]
    pub check: bool,
    /// Print what would be done without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Advise {
    /// URI of the array
    pub uri: String,
    /// What the schema is to achieve
    #[arg(long, value_enum, default_value_t = Profile::Balanced)]
    pub profile: Profile,
    /// Number of cells that a typical query reads; 1000 if omitted
    #[arg(long, value_name = "CELLS")]
    pub query_cells: Option<u64>,
    /// Lengths of a typical query along each dimension, * for all of it; may be repeated
    #[arg(long, value_name = "LENGTH,...", conflicts_with = "query_cells")]
    pub query_sides: Vec<String>,
}

/// Objective of a recommended schema.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Profile {
    /// The least size on disk
    Small,
    /// Fast scans of data in object stores or on slow disks
    Balanced,
    /// Fast scans of data in memory or on local disks
    Fast,
}

impl Profile {
    /// As the library takes it.
    pub(crate) fn objective(self) -> Objective {
        match self {
            Self::Small => Objective::Smallest,
            Self::Balanced => Objective::Balanced,
            Self::Fast => Objective::Fastest,
        }
    }
}

#[derive(Args)]
pub(crate) struct Rewrite {
    /// URI of the array
    pub uri: String,
    /// URI of the new array
    pub output: String,
    /// Use recommended filters for this objective; without this option the filters are kept
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    /// Merge all fragments into one with the cells that a reader sees now, instead of preserving fragments and timestamps
    #[arg(long)]
    pub merge: bool,
    /// Continue an interrupted rewrite to the same URI
    #[arg(long)]
    pub resume: bool,
}

#[derive(Args)]
pub(crate) struct Verify {
    /// URIs of arrays and groups; groups are verified recursively
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
}

/// Name of the dimension that numbers rows.
pub(crate) const ROW: &str = "row";

#[derive(Args)]
pub(crate) struct Import {
    /// CSV, JSON, Arrow, Parquet or NPY file, recognized by its first bytes; - is the standard input, any of them but Parquet
    pub file: String,
    /// URI of the array; rows are appended to an existing one
    pub array: String,
    /// Columns to use as dimensions of a sparse array; without this option rows are numbered in a dense array. For an NPY file
    /// names of the dimensions
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    pub dims: Vec<String>,
    /// Name of the dimension that numbers the rows
    #[arg(long, value_name = "NAME", default_value = ROW)]
    pub row: String,
    /// Datatype of a column, such as INT32 or STRING_ASCII; may be repeated
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    pub types: Vec<String>,
    /// Number of cells per tile. Default: 10000, or what a sample of the rows recommends for a sparse array
    #[arg(long, value_name = "CELLS")]
    pub tile: Option<u64>,
    /// Append a checksum filter to all filter pipelines, so that corrupt data is detected on read
    #[arg(long, value_enum, value_name = "md5|sha256")]
    pub checksum: Option<Checksum>,
    /// Objective of the filters, which are selected by a sample of the rows; balanced if omitted
    #[arg(long, value_enum)]
    pub profile: Option<Profile>,
    /// Create the array even if the target is a group or a folder with other files
    #[arg(long)]
    pub force: bool,
    /// Field delimiter; \t is a tab. If omitted, a tab for .tsv and .tab files, otherwise a comma, or what divides all lines of a sample (; | tab)
    #[arg(short, long, value_name = "CHARACTER")]
    pub delimiter: Option<String>,
    /// The first line contains values, not column names; columns are named c1, c2 and so on
    #[arg(long)]
    pub no_header: bool,
    /// String that means null, in addition to the empty one; may be repeated
    #[arg(long, value_name = "WORD")]
    pub null: Vec<String>,
    /// Number of rows to scan for datatype inference. Default: all rows of a file, 100000 of the standard input
    #[arg(long, value_name = "ROWS")]
    pub sample: Option<u64>,
    /// Print the inferred schema without creating anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct SchemaArguments {
    #[command(flatten)]
    pub at: ArrayArguments,
}

#[derive(Args)]
pub(crate) struct Create {
    /// URI of the new array or group
    pub uri: String,
    /// File with the schema in JSON; - is the standard input
    #[arg(value_name = "FILE", required_unless_present = "group", conflicts_with = "group")]
    pub schema: Option<String>,
    /// Create an empty group instead of an array
    #[arg(long)]
    pub group: bool,
    /// Create the array or group even in a folder with other files
    #[arg(long)]
    pub force: bool,
    /// Check the schema without creating anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Count {
    #[command(flatten)]
    pub at: ArrayArguments,
    /// Count the cells in a range of a dimension, bounds included; an omitted bound is that of the domain. May be repeated
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Count the cells that meet a query condition, such as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
}

#[derive(Args)]
pub(crate) struct Meta {
    #[command(subcommand)]
    pub action: MetaAction,
}

#[derive(Subcommand)]
pub(crate) enum MetaAction {
    /// List all keys with their datatypes and values
    List(UriOfObject),
    /// Print the value of a key
    Get(MetaKey),
    /// Set the value of a key, which is created if it does not exist
    Set(MetaSet),
    /// Delete keys
    Delete(MetaKeys),
}

#[derive(Args)]
pub(crate) struct UriOfObject {
    /// URI of an array or a group
    pub uri: String,
}

#[derive(Args)]
pub(crate) struct MetaKey {
    #[command(flatten)]
    pub object: UriOfObject,
    /// Key of the value
    pub key: String,
}

#[derive(Args)]
pub(crate) struct MetaKeys {
    #[command(flatten)]
    pub object: UriOfObject,
    /// Keys to delete
    #[arg(required = true, value_name = "KEY")]
    pub keys: Vec<String>,
}

#[derive(Args)]
pub(crate) struct MetaSet {
    #[command(flatten)]
    pub object: UriOfObject,
    /// Key of the value
    pub key: String,
    /// Value: a text, or one or more numbers or dates
    #[arg(required = true, value_name = "VALUE", allow_negative_numbers = true)]
    pub values: Vec<String>,
    /// Datatype, such as INT32; if omitted that of a CSV column for numbers (INT64, UINT64, FLOAT64), otherwise STRING_UTF8
    #[arg(long = "type", value_name = "DATATYPE")]
    pub datatype: Option<String>,
}

#[derive(Args)]
pub(crate) struct Rm {
    /// URIs of arrays and groups
    #[arg(required = true, value_name = "URI")]
    pub uris: Vec<String>,
    /// Print what would be removed without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Mv {
    /// URI of the array or group
    pub from: String,
    /// New URI, where nothing may exist
    pub to: String,
    /// Print what would be moved without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Maintain {
    /// URI of the array
    pub uri: String,
    /// Print what would be done without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Downgrade {
    /// URI of the array
    pub uri: String,
    /// URI of the copy, where nothing may exist
    pub output: String,
    /// Format version of the copy, 18 to 23; the oldest one that can express the array if omitted
    #[arg(long, value_name = "VERSION")]
    pub format_version: Option<u32>,
    /// Print what would be done without writing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Vacuum {
    #[command(flatten)]
    pub maintain: Maintain,
    /// What to remove
    #[arg(long, value_enum, default_value_t = MaintenanceMode::Fragments)]
    pub mode: MaintenanceMode,
}

#[derive(Args)]
pub(crate) struct Consolidate {
    #[command(flatten)]
    pub maintain: Maintain,
    /// What to consolidate
    #[arg(long, value_enum, default_value_t = MaintenanceMode::Fragments)]
    pub mode: MaintenanceMode,
}

/// Object of a consolidation or vacuum.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MaintenanceMode {
    /// Fragments: their cells are merged
    Fragments,
    /// Footers of fragments, merged into one file
    FragmentMeta,
    /// Metadata of the array
    ArrayMeta,
    /// Commit files of fragments
    Commits,
}

impl MaintenanceMode {
    /// The value of `sm.consolidation.mode` and `sm.vacuum.mode`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Fragments => "fragments",
            Self::FragmentMeta => "fragment_meta",
            Self::ArrayMeta => "array_meta",
            Self::Commits => "commits",
        }
    }

    /// As the library takes it.
    pub(crate) fn consolidation(self) -> ConsolidationMode {
        match self {
            Self::Fragments => ConsolidationMode::Fragments,
            Self::FragmentMeta => ConsolidationMode::FragmentMetadata,
            Self::ArrayMeta => ConsolidationMode::ArrayMetadata,
            Self::Commits => ConsolidationMode::Commits,
        }
    }
}
