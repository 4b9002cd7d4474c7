//! Arguments of the commands that change cells or schemas, and of those that look for changes.

use clap::Args;

use super::ArrayArguments;

#[derive(Args)]
pub(crate) struct Stats {
    #[command(flatten)]
    pub at: ArrayArguments,
    /// Only the cells in a range of a dimension, bounds included; an omitted bound is that of the domain. May be repeated
    #[arg(short, long, value_name = "DIM=LOW:HIGH")]
    pub range: Vec<String>,
    /// Only the cells of a sparse array that meet a query condition, such as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub condition: Option<String>,
    /// Only these attributes and dimensions
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',')]
    pub fields: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Diff {
    /// URI of the first array
    pub left: String,
    /// URI of the second array
    pub right: String,
    /// Compare schemas and metadata only
    #[arg(long)]
    pub no_cells: bool,
    /// Maximum number of different cells to print
    #[arg(short = 'n', long, value_name = "CELLS", default_value_t = 10)]
    pub limit: u64,
}

#[derive(Args)]
pub(crate) struct Append {
    /// CSV, JSON, Arrow, Parquet or NPY file, recognized by its first bytes; - is the standard input, any of them but Parquet
    pub file: String,
    /// URI of the array, which exists
    pub array: String,
    /// Field delimiter; \t is a tab
    #[arg(short, long, value_name = "CHARACTER")]
    pub delimiter: Option<String>,
    /// The first line contains values, not column names
    #[arg(long)]
    pub no_header: bool,
    /// String that means null, in addition to the empty one; may be repeated
    #[arg(long, value_name = "WORD")]
    pub null: Vec<String>,
}

#[derive(Args)]
pub(crate) struct Delete {
    /// URI of the array
    pub uri: String,
    /// Query condition of the cells to delete, such as "a > 5 and b == 'x'"
    #[arg(short = 'w', long = "where", value_name = "CONDITION", required = true)]
    pub condition: String,
    /// Print how many cells would be deleted without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Evolve {
    /// URI of the array
    pub uri: String,
    /// Add an attribute of a datatype, such as gate=INT32 or note=STRING_UTF8; with ? behind the datatype it is nullable, and cells that
    /// exist are null. May be repeated
    #[arg(long, value_name = "NAME=TYPE")]
    pub add: Vec<String>,
    /// Drop an attribute: cells that exist lose its values for readers of the present; may be repeated
    #[arg(long, value_name = "NAME", required_unless_present = "add")]
    pub drop: Vec<String>,
    /// Print what would be changed without changing anything
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args)]
pub(crate) struct Watch {
    /// URI of the array
    pub uri: String,
    /// Seconds between two looks at the array
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub interval: u64,
    /// Begin with the fragments that exist
    #[arg(long)]
    pub all: bool,
    /// End after this number of fragments
    #[arg(short = 'n', long, value_name = "FRAGMENTS")]
    pub limit: Option<u64>,
}
