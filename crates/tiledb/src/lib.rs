//! TileDB arrays in Rust.
//!
//! An *array* is a set of cells that are addressed by coordinates along its dimensions; each cell holds the values of named, typed
//! attributes. In a *dense* array, such as an image or temperatures on a grid, every cell exists; in a *sparse* array, such as events
//! by place and time, only those that were written. Arrays are stored in compressed tiles, in local files, in object stores (S3,
//! Azure, Google Cloud Storage) or behind a TileDB server, and a slice is read without reading the rest. Every write is atomic and
//! versioned.
//!
//! This crate creates, writes, reads and maintains arrays in the format of TileDB Embedded (libtiledb 2.30), which libtiledb reads
//! and writes too. It is the safe interface of libtiledb-rs, and needs no C library of TileDB.
//!
//! ```
//! use tiledb::{Array, ArraySchema, Attribute, Context, Dimension, Filter, attr};
//!
//! let ctx = Context::new()?;
//! let schema = ArraySchema::sparse()
//!     .dimension(Dimension::new("id", 0..=999_999_i64).tile(1000))
//!     .attribute(Attribute::new::<f64>("delay").nullable().filter(Filter::zstd(5)))
//!     .attribute(Attribute::string("origin"))
//!     .build()?;
//! Array::create(&ctx, "mem://flights", &schema)?;
//!
//! let writer = Array::open_for_writing(&ctx, "mem://flights")?;
//! writer
//!     .write()
//!     .values("id", &[11_i64, 12, 30])
//!     .optional("delay", &[Some(75.0), None, Some(90.0)])
//!     .strings("origin", &["JFK", "EWR", "JFK"])
//!     .submit()?;
//!
//! let array = Array::open(&ctx, "mem://flights")?;
//! let late = attr("delay").gt(60.0).and(attr("origin").eq("JFK"));
//! for batch in array.read().fields(["id", "delay"]).range("id", 10..20).condition(late).batches()? {
//!     let batch = batch?;
//!     assert_eq!(batch.values::<i64>("id")?, [11]);
//! }
//! # Ok::<(), tiledb::Error>(())
//! ```
//!
//! # Overview
//!
//! | to | use |
//! |---|---|
//! | configure memory, threads, credentials | [`Config`], [`Context`] |
//! | describe an array | [`ArraySchema`], [`Dimension`], [`Attribute`], [`Filter`], [`Enumeration`], [`DimensionLabel`] |
//! | create, open, delete an array | [`Array`], [`OpenOptions`] |
//! | read | [`Array::read`], [`Batch`], [`Reader`], [`Aggregate`] |
//! | select cells | ranges of [`ReadQuery`], [`Subarray`], [`Condition`] |
//! | write, delete cells | [`ArrayWriter`], [`WriteQuery`], [`GlobalWrite`], [`ArrayDeleter`] |
//! | change the schema | [`SchemaEvolution`] |
//! | store metadata | [`ArrayWriter::put_metadata`], [`Metadata`] |
//! | put arrays together | [`Group`] |
//! | consolidate, verify | [`maintenance`] |
//! | copy between stores | [`copy`] |
//! | move, list, remove arrays and groups | [`object`] |
//! | work with files | [`Vfs`] |
//!
//! # Threads
//!
//! [`Context`], [`Array`], [`ArrayWriter`] and all descriptions are `Send` and `Sync`. Queries belong to one thread at a time, which
//! may be any. A single query already uses all processors. Calls block: in an asynchronous program run them on threads that may
//! block, such as those of `tokio::task::spawn_blocking`.
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `s3`, `azure`, `gcs` (default) | the object stores |
//! | `web` (default) | web servers, read-only: `https://` URIs |
//! | `rest` (default) | TileDB servers: `tiledb://` URIs |
//! | `arrow` | record batches of arrow-rs: `ReadQuery::record_batches`, `WriteQuery::record_batches` |
//! | `ndarray` | arrays of ndarray: `ReadQuery::ndarray`, `WriteQuery::ndarray` |
//!
//! # Memory
//!
//! The library installs a global allocator, to report a lack of memory as an error: a program that links it cannot declare another
//! one. Its memory for reads and writes is limited by `sm.mem.total_budget`.
//!
//! The project is not affiliated with TileDB, Inc. "TileDB" is a trademark of TileDB, Inc.

#![forbid(unsafe_code)]
#![deny(missing_docs, missing_debug_implementations)]

mod array;
#[cfg(feature = "arrow")]
mod arrow;
mod condition;
mod config;
mod context;
pub mod copy;
mod datatype;
pub mod datetime;
mod element;
mod error;
mod fragment;
mod group;
mod handle;
#[doc(hidden)]
pub mod interop;
#[doc(hidden)]
pub mod location;
pub mod maintenance;
mod metadata;
mod name;
#[cfg(feature = "ndarray")]
mod nd;
pub mod object;
mod opaque;
mod progress;
pub mod publish;
mod query;
mod schema;
mod subarray;
pub mod uri;
mod value;
mod vfs;

/// The example of the README is run, too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use array::{Array, ArrayDeleter, ArrayWriter, OpenOptions};
#[cfg(feature = "arrow")]
pub use arrow::RecordBatches;
pub use condition::{CellCondition, Condition, FieldExpression, attr};
pub use config::{Config, ConfigBuilder};
pub use context::Context;
pub use datatype::{ArrayType, CellValNum, DataOrder, Datatype, Layout, ObjectType};
pub use element::{AttributeType, Element};
pub use error::{Error, ErrorKind, Result};
pub use fragment::{Fragment, FragmentInfo, NonEmptyDomain};
pub use group::{Group, GroupWriter, Member};
pub use metadata::{FromMetadata, Metadata, MetadataValue};
pub use progress::Progress;
pub use query::{
    Aggregate, Aggregates, Batch, Batches, Blobs, Buffers, Cells, GlobalWrite, Lists, Partition, ReadCounts, ReadQuery,
    Reader, Strings, TileMatch, WriteQuery, WriteSummary,
};
pub use schema::{
    ArraySchema, ArraySchemaBuilder, Attribute, Dimension, DimensionLabel, Enumeration, Field, FieldKind, Filter,
    FilterList, FilterOption, SchemaEvolution, WebpFormat,
};
pub use subarray::Subarray;
pub use value::Value;
pub use vfs::{DirEntry, Vfs, VfsReader, VfsWriter};
