//! Copies of arrays with other filters or in another format version.

use std::fmt;
use std::ops::ControlFlow;

use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, Location, stored};
use crate::progress::{OnProgress, Progress, go_on, report};
use crate::schema::ArraySchema;
use tiledb_array::array;
use tiledb_core::types::FormatVersion;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_maintain::maintain::{self as engine, MergedCells, RewriteOptions};

/// A copy of an array into a new one with other filters, capacity or extents of dense tiles, which is compared with the array cell by cell.
#[derive(Default)]
#[must_use = "nothing is copied before `run`"]
pub struct Rewrite<'a> {
    schema: Option<ArraySchema>,
    is_merging: bool,
    is_resuming: bool,
    on_progress: Option<OnProgress<'a>>,
}

impl<'a> Rewrite<'a> {
    /// A copy with the same schema, fragment by fragment: time travel works as before.
    pub fn new() -> Rewrite<'a> {
        Rewrite::default()
    }

    /// Sets the schema whose filters, capacity and, of a dense array, tile extents the copy gets, such as that of an [`Advice`](crate::maintenance::Advice).
    pub fn schema(self, schema: &ArraySchema) -> Rewrite<'a> {
        Rewrite { schema: Some(schema.clone()), ..self }
    }

    /// Merges all fragments into one.
    pub fn merge(self) -> Rewrite<'a> {
        Rewrite { is_merging: true, ..self }
    }

    /// Continues an interrupted copy.
    pub fn resume(self) -> Rewrite<'a> {
        Rewrite { is_resuming: true, ..self }
    }

    /// Sets a callback that receives the number of copied and compared cells, and may stop the copy.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> Rewrite<'a> {
        Rewrite { on_progress: Some(Box::new(callback)), ..self }
    }

    /// Copies the array at `from` into a new one at `to`.
    ///
    /// # Errors
    /// If the schema differs in more than filters, capacity and extents of dense tiles, there is something at `to`, storage fails, or it was stopped.
    pub fn run(mut self, ctx: &Context, from: &str, to: &str) -> Result<()> {
        let (source, target) = (location::parse(from)?, location::parse(to)?);
        let schema = self.schema.as_ref().map(|schema| &*schema.0);
        let options = RewriteOptions { schema, merge: self.is_merging, resume: self.is_resuming };
        let _running = ctx.running()?;
        let on_merged = &mut |MergedCells { cells, total }| report(&mut self.on_progress, cells, total);
        let (source, target) = (stored(&source, "rewrite")?, stored(&target, "rewrite")?);
        engine::rewrite(ctx.resources(), source, target, options, on_merged).at(from)
    }
}

/// Copies the array at `from` into a new one in an older format version, for readers that do not know newer ones.
///
/// # Errors
/// If the version cannot express a feature of the array, there is something at `to`, or storage fails.
pub fn downgrade(ctx: &Context, from: &str, to: &str, format_version: u32) -> Result<()> {
    downgrade_with(ctx, from, to, format_version, |_| ControlFlow::Continue(()))
}

/// As [`downgrade`], with a callback that receives the number of copied cells, and may stop the copy.
///
/// # Errors
/// As [`downgrade`], and if it was stopped.
pub fn downgrade_with(
    ctx: &Context,
    from: &str,
    to: &str,
    format_version: u32,
    mut on_progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<()> {
    let (source, target) = (location::parse(from)?, location::parse(to)?);
    let version = FormatVersion::writable(format_version)?;
    let _running = ctx.running()?;
    let (source, target) = (stored(&source, "downgrade")?, stored(&target, "downgrade")?);
    let on_merged = &mut |MergedCells { cells, total }| go_on(on_progress(Progress { done: cells, total }));
    engine::downgrade(ctx.resources(), source, target, version, on_merged).at(from)
}

/// Which releases of libtiledb can read an array.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compatibility {
    /// The newest format version of its files.
    pub format_version: u32,
    /// The oldest format version in which it can be written ([`downgrade`]).
    pub required_version: u32,
    /// The releases that read it, such as `libtiledb 2.16 and later`.
    pub readers: String,
    /// The features that need them.
    pub reasons: Vec<String>,
}

/// The readers, then a line for each reason.
impl fmt::Display for Compatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.readers)?;
        self.reasons.iter().try_for_each(|reason| write!(f, "\n{reason}"))
    }
}

/// Examines which releases of libtiledb can read an array.
///
/// ```
/// # use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
/// use tiledb::maintenance::compatibility;
/// # let ctx = Context::new()?;
/// # let schema = ArraySchema::dense().dimension(Dimension::new("x", 0..=9_i32)).attribute(Attribute::new::<i32>("a")).build()?;
/// # Array::create(&ctx, "mem://compatible", &schema)?;
/// let found = compatibility(&ctx, "mem://compatible")?;
/// assert!(found.required_version <= found.format_version && found.readers.starts_with("libtiledb "));
/// # Ok::<(), tiledb::Error>(())
/// ```
///
/// # Errors
/// If there is no array, or it cannot be read.
pub fn compatibility(ctx: &Context, uri: &str) -> Result<Compatibility> {
    let target = location::parse(uri)?;
    let stored = stored(&target, "examination of compatibility")?;
    let key = EncryptionKey::for_opening(ctx.resources().config())?;
    let found = array::Compatibility::of_array(ctx.resources(), stored, &key).at(uri)?;
    let text = found.text();
    let mut lines = text.lines().map(str::to_owned);
    Ok(Compatibility {
        format_version: found.version.number(),
        required_version: found.required_version().number(),
        readers: lines.next().unwrap_or_default(),
        reasons: lines.collect(),
    })
}

/// Stores the newest schema of an array in the current format version, in which new fragments are then written.
///
/// # Errors
/// If there is no array, or storage fails.
pub fn upgrade(ctx: &Context, uri: &str) -> Result<()> {
    let target = location::parse(uri)?;
    Location::of(stored(&target, "upgrade")?).upgrade(ctx.resources()).at(uri)
}
