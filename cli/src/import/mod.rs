//! `import`: what a file of comma-separated values becomes.

mod columns;
mod csv_file;
mod guess;
mod propose;

pub use columns::Columns;
pub use csv_file::{CsvFile, Form};
pub use guess::Seen;
pub use propose::{Wish, propose};
