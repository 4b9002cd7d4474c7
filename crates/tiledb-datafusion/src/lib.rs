//! TileDB arrays as tables of [DataFusion](https://datafusion.apache.org): SQL over dense and sparse arrays.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//! use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ctx = Context::new()?;
//! let schema = ArraySchema::sparse()
//!     .dimension(Dimension::new("id", 0..=999_i64))
//!     .attribute(Attribute::string("origin"))
//!     .attribute(Attribute::new::<i32>("delay"))
//!     .build()?;
//! Array::create(&ctx, "mem://flights", &schema)?;
//!
//! let session = SessionContext::new();
//! tiledb_datafusion::register(&session, &ctx);
//! session.sql("INSERT INTO 'mem://flights' VALUES (1, 'JFK', 75), (2, 'EWR', 3)").await?.collect().await?;
//! let late = session.sql("SELECT origin, count(*) FROM 'mem://flights' WHERE delay > 60 GROUP BY origin").await?;
//! assert_eq!(late.collect().await?[0].num_rows(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Tables
//!
//! Columns are the dimensions and then the attributes, with the Arrow types of `docs/arrow.md`; attributes with an enumeration are
//! dictionaries, dates by day `Date32`, by hour and minute timestamps, and "not a time" is null. [`ArrayTable`] is the snapshot of the array when it was opened; the tables of [`register`] are opened for each query,
//! and can be written to. A dense array has a row for each cell within the bounds of what was written, also of cells that only have fill values.
//!
//! # What the engine evaluates
//!
//! | clause | evaluated by the engine |
//! |---|---|
//! | columns | only those of the query are read |
//! | comparisons, `IN`, `BETWEEN`, `IS NULL`, `AND`, `OR`, `NOT` of columns and constants | exactly, if the engine compares as DataFusion does; else it leaves out what cannot meet them, and DataFusion filters the rest |
//! | the same on dimensions | as ranges, by which fragments and tiles are pruned |
//! | `count`, `min` and `max` of integers of a sparse array without `GROUP BY` | without reading cells where the metadata suffices |
//! | `LIMIT` | the read ends |
//! | `ORDER BY` dimensions | reads return cells in this order, without a sort |
//!
//! Of dense arrays only conditions on dimensions are evaluated. Floating-point numbers are compared by DataFusion, whose order has
//! NaN above all others, if the comparison would be met by NaN.

#![deny(missing_docs, missing_debug_implementations)]

mod aggregates;
mod batches;
mod columns;
mod comparison;
mod deletions;
mod error;
mod factory;
mod fields;
mod filters;
mod insert;
mod intervals;
mod literal;
mod one_row;
mod scan;
mod table;
mod update;

pub use factory::register;
pub use table::ArrayTable;
