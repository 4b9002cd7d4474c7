//! Arrays and groups on web servers: the index that readers need there, and its verification.
//!
//! A web server lists no folders. [`IndexWriter`] writes an index, `__tiledb_index.json`, into the folder of an array or group and of
//! each one in it; then they can be opened by their `https://` addresses. [`LayoutCopy`] copies arrays with filters and tiles that suit
//! readers far away. [`check`] reads a published array or group over the network
//! and compares it with its index.

mod checked;
mod digests;
mod layout_copy;
mod tree;

use crate::context::Context;
use crate::error::{AtUri, Error, ErrorKind, Result};
use digests::KnownDigests;
use tiledb_storage::vfs::{INDEX_NAME, Uri, Vfs};
use tree::PublishedTree;

pub use checked::{CheckSummary, check};
pub use layout_copy::LayoutCopy;

/// Name of the index in a folder.
pub const INDEX_FILE: &str = INDEX_NAME;

/// Name of the page that people see at the address of an array; no index lists it.
pub const PAGE_FILE: &str = crate::copy::PAGE_NAME;

/// Name of the folder in which the viewer of a published array is; no index lists its files.
pub const VIEWER_FOLDER: &str = crate::copy::VIEWER_NAME;

/// Writes indexes for an array, a group, or a folder with arrays and groups.
///
/// Indexes of inner arrays and groups are written first and that of the folder last, each by one atomic replacement: readers see the
/// former state or the new one. No other file is changed or removed, so that readers of the former state go on.
///
/// ```
/// use tiledb::publish::IndexWriter;
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("x", 0..=3_i32))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://site", &schema)?;
/// Array::open_for_writing(&ctx, "mem://site")?.write().values("a", &[1, 2, 3, 4]).submit()?;
///
/// let summary = IndexWriter::new().run(&ctx, "mem://site")?;
/// assert_eq!((summary.arrays, summary.indexes), (1, 1));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is written before `run`"]
pub struct IndexWriter {
    source: Option<String>,
    is_without_digests: bool,
}

/// What indexes list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexSummary {
    /// The number of arrays.
    pub arrays: u64,
    /// The number of groups.
    pub groups: u64,
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The number of indexes that were written.
    pub indexes: u64,
}

impl IndexWriter {
    /// A writer of indexes that list all files of the folder, with their digests.
    pub fn new() -> IndexWriter {
        IndexWriter::default()
    }

    /// Lists only the files that the source of a copy has: a vacuum of the source removes files that earlier copies left in the target,
    /// where older readers may need them.
    pub fn of_source(self, uri: &str) -> IndexWriter {
        IndexWriter { source: Some(uri.to_owned()), ..self }
    }

    /// Leaves out the digests, for which all files that no index lists yet are read once.
    pub fn without_digests(self) -> IndexWriter {
        IndexWriter { is_without_digests: true, ..self }
    }

    /// Writes the indexes of the folder at `uri`.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] if there are no files, or the folder lacks files of the source; if storage fails.
    pub fn run(&self, ctx: &Context, uri: &str) -> Result<IndexSummary> {
        let target = Uri::parse(uri).at(uri)?.without_trailing_slash();
        let _running = ctx.running()?;
        let vfs = ctx.resources().vfs();
        let mut tree = PublishedTree::list(vfs, &target).at(uri)?;
        let mut origin = target.clone();
        if let Some(source) = &self.source {
            origin = Uri::parse(source).at(source)?.without_trailing_slash();
            let listed = PublishedTree::list(vfs, &origin).at(source)?;
            tree = tree.restricted_to(&listed).map_err(|missing| missing_files(uri, &missing))?;
        }
        if tree.files.is_empty() {
            return Err(Error::new(ErrorKind::NotFound, format!("{uri} has no files")));
        }
        if !self.is_without_digests {
            let known = KnownDigests::load(vfs, &target, &tree).at(uri)?;
            known.complete(vfs, &[&origin, &target], &mut tree).at(uri)?;
        }
        let indexes = tree.indexes().at(uri)?;
        write(vfs, &target, &indexes).at(uri)?;
        Ok(IndexSummary {
            arrays: tree.arrays.len() as u64,
            groups: tree.groups.len() as u64,
            files: tree.files.len() as u64,
            bytes: tree.files.values().fold(0, |sum: u64, file| sum.saturating_add(file.size)),
            indexes: indexes.len() as u64,
        })
    }
}

/// Writes the indexes by folder, inner ones first, that of the root last.
fn write(vfs: &Vfs, root: &Uri, indexes: &[(String, String)]) -> tiledb_core::error::Result<()> {
    let put = |(folder, json): &(String, String)| {
        let folder = if folder.is_empty() { root.clone() } else { root.join_relative(folder)? };
        vfs.replace(&folder.join(INDEX_NAME), json.as_bytes())
    };
    let Some((last, inner)) = indexes.split_last() else { return Ok(()) };
    vfs.map(root, inner.len(), |at| put(&inner[at]))?;
    put(last)
}

fn missing_files(uri: &str, name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!("{uri} lacks '{name}', or has it with another size: the source has changed; copy it again"),
    )
}
