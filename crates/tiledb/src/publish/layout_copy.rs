//! Copies with filters and tiles that suit readers over a network.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::tree::PublishedTree;
use crate::array::Array;
use crate::config::Config;
use crate::context::Context;
use crate::copy::{CopyEnds, ObjectCopy, below};
use crate::datatype::ObjectType;
use crate::error::{AtUri, Error, ErrorKind, Result};
use crate::location::{self, stored};
use crate::maintenance::{Objective, Rewrite, advise_with};
use crate::object::object_type;
use crate::progress::{OnProgress, Progress};
use crate::schema::ArraySchema;
use tiledb_maintain::advise::with_extents_for_slices;
use tiledb_storage::vfs::Uri;

/// A copy of an array, or of all arrays of a group, with recommended filters, and with tiles for slices of one shape. All cells are
/// written anew and compared with those of the source, which is not changed.
///
/// ```
/// use tiledb::publish::LayoutCopy;
/// use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
///
/// let ctx = Context::new()?;
/// let schema = ArraySchema::dense()
///     .dimension(Dimension::new("y", 0..=999_i32).tile(10))
///     .dimension(Dimension::new("x", 0..=999_i32).tile(1000))
///     .attribute(Attribute::new::<i32>("a"))
///     .build()?;
/// Array::create(&ctx, "mem://rows", &schema)?;
/// Array::open_for_writing(&ctx, "mem://rows")?.write().values("a", &vec![1; 1_000_000]).submit()?;
///
/// LayoutCopy::new().slice(&[Some(200.0), Some(200.0)]).run(&ctx, "mem://rows", "mem://squares")?;
/// let copied = Array::load_schema(&ctx, "mem://squares")?;
/// assert_eq!(copied.dimensions()[1].tile_extent(), Some(&200_i32.into()));
/// # Ok::<(), tiledb::Error>(())
/// ```
#[derive(Default)]
#[must_use = "nothing is copied before `run`"]
pub struct LayoutCopy<'a> {
    objective: Option<Objective>,
    slice: Option<Vec<Option<f64>>>,
    is_merging: bool,
    on_progress: Option<OnProgress<'a>>,
}

impl fmt::Debug for LayoutCopy<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LayoutCopy")
            .field("objective", &self.objective)
            .field("slice", &self.slice)
            .field("is_merging", &self.is_merging)
            .finish_non_exhaustive()
    }
}

impl<'a> LayoutCopy<'a> {
    /// A copy with the filters and tiles of the source.
    pub fn new() -> LayoutCopy<'a> {
        LayoutCopy::default()
    }

    /// Sets the objective of recommended filters, which are selected by a sample of the cells.
    pub fn objective(self, objective: Objective) -> LayoutCopy<'a> {
        LayoutCopy { objective: Some(objective), ..self }
    }

    /// Sets the lengths of a typical slice along each dimension, `None` for all of it: tiles of dense arrays get about its shape, those
    /// of sparse arrays a capacity that suits it. Arrays with another number of dimensions keep their tiles.
    pub fn slice(self, sides: &[Option<f64>]) -> LayoutCopy<'a> {
        LayoutCopy { slice: Some(sides.to_vec()), ..self }
    }

    /// Merges all fragments of each array into one, of which readers request fewer files. The copy then has no earlier states.
    pub fn merge(self) -> LayoutCopy<'a> {
        LayoutCopy { is_merging: true, ..self }
    }

    /// Sets a callback that receives the number of copied and compared cells of the current array, and may stop the copy.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> LayoutCopy<'a> {
        LayoutCopy { on_progress: Some(Box::new(callback)), ..self }
    }

    /// Copies the array or group at `from` to `to`, where nothing is yet.
    ///
    /// # Errors
    /// If there is neither, no array has as many dimensions as the slice, there is something at `to`, an array cannot be read or
    /// written, or it was stopped.
    pub fn run(mut self, ctx: &Context, from: &str, to: &str) -> Result<()> {
        let ends = CopyEnds::resolve(from, to)?;
        if let Some(conflict) = ends.conflict(ctx)? {
            return Err(Error::invalid(conflict));
        }
        let from = ends.from.as_str();
        let to = ends.to.as_str();
        let kind =
            object_type(ctx, from)?.ok_or_else(|| Error::not_found(format!("{from} is no array, and no group")))?;
        let mut arrays = vec![String::new()];
        if kind == ObjectType::Group {
            let tree = PublishedTree::list(ctx.resources().vfs(), &Uri::parse(from).at(from)?).at(from)?;
            arrays = tree.arrays.into_iter().collect();
        }
        let mut layouts = Vec::with_capacity(arrays.len());
        for name in &arrays {
            layouts.push(self.layout(ctx, &below(from, name))?);
        }
        if let Some(slice) = &self.slice
            && layouts.iter().all(|(_, is_sliced)| !is_sliced)
        {
            return Err(Error::invalid(format!(
                "{from} has no array with {} dimensions, as the slice has",
                slice.len()
            )));
        }
        for (name, (schema, _)) in arrays.iter().zip(layouts) {
            self.rewrite(ctx, schema.as_ref(), &below(from, name), &below(to, name))?;
        }
        if kind == ObjectType::Group {
            ObjectCopy::new().without_arrays().run(ctx, from, to)?;
        }
        Ok(())
    }

    /// Brings a published copy at `to` up to date: the source is copied to the empty folder `staging`, and all files there are added.
    /// None is removed. The index of the target should then list the files of `staging` only
    /// ([`IndexWriter::of_source`](super::IndexWriter::of_source)).
    ///
    /// # Errors
    /// As [`LayoutCopy::run`]; [`ErrorKind::AlreadyExists`] if there are other arrays at `to`.
    pub fn update(self, ctx: &Context, from: &str, staging: &str, to: &str) -> Result<()> {
        self.run(ctx, from, staging)?;
        let listed = Uri::parse(staging).at(staging)?.without_trailing_slash();
        for name in PublishedTree::list(ctx.resources().vfs(), &listed).at(staging)?.arrays {
            check_alike(ctx, &below(staging, &name), &below(to, &name))?;
        }
        ObjectCopy::new().keep_other_layouts().run(ctx, staging, to)?;
        Ok(())
    }

    /// The schema of the copy of an array, `None` for that of the source; and whether it has tiles for the slice.
    fn layout(&self, ctx: &Context, uri: &str) -> Result<(Option<ArraySchema>, bool)> {
        let current = Array::load_schema(ctx, uri)?;
        let slice = self.slice.as_ref().filter(|slice| slice.len() == current.dimensions().len());
        let mut schema = match self.objective {
            Some(objective) => Some(advise_with(ctx, uri, objective, &advice_parameters(slice, "capacity")?)?.schema),
            None => None,
        };
        let Some(slice) = slice else { return Ok((schema, false)) };
        let base = schema.as_ref().unwrap_or(&current);
        if current.is_dense() {
            let target = location::parse(uri)?;
            let retiled = with_extents_for_slices(ctx.resources(), stored(&target, "publication")?, &base.0, slice);
            schema = Some(ArraySchema(Arc::new(retiled.at(uri)?)));
        } else if self.objective.is_none() {
            let advised =
                advise_with(ctx, uri, Objective::Balanced, &advice_parameters(Some(slice), "capacity,only")?)?;
            let mut own = (*current.0).clone();
            own.set_capacity(advised.schema.capacity()).at(uri)?;
            schema = Some(ArraySchema(Arc::new(own)));
        }
        Ok((schema, true))
    }

    fn rewrite(&mut self, ctx: &Context, schema: Option<&ArraySchema>, from: &str, to: &str) -> Result<()> {
        let mut rewrite = Rewrite::new();
        if let Some(schema) = schema {
            rewrite = rewrite.schema(schema);
        }
        if self.is_merging {
            rewrite = rewrite.merge();
        }
        if let Some(callback) = &mut self.on_progress {
            rewrite = rewrite.on_progress(callback);
        }
        rewrite.run(ctx, from, to)
    }
}

/// Parameters of recommendations for slices.
fn advice_parameters(slice: Option<&Vec<Option<f64>>>, properties: &str) -> Result<Config> {
    let mut config = Config::builder().set("sm.advise.properties", properties);
    if let Some(slice) = slice {
        let side = |side: &Option<f64>| side.map_or_else(|| "*".to_owned(), |length| length.to_string());
        config = config.set("sm.advise.slice_sides", slice.iter().map(side).collect::<Vec<_>>().join(","));
    }
    config.build()
}

/// Fails if an array at `uri` has other dimensions than a copy, and so is none of the same source, whose attributes may have changed.
fn check_alike(ctx: &Context, copy: &str, uri: &str) -> Result<()> {
    if object_type(ctx, uri)?.is_none() {
        return Ok(());
    }
    let domain_of = |uri: &str| -> Result<String> {
        let schema = Array::load_schema(ctx, uri)?;
        let dimensions = schema.dimensions();
        let described = dimensions.iter().map(|side| (side.name(), side.datatype(), side.domain()));
        Ok(format!("{:?} {:?}", schema.array_type(), described.collect::<Vec<_>>()))
    };
    if domain_of(copy)? == domain_of(uri)? {
        return Ok(());
    }
    Err(Error::new(ErrorKind::AlreadyExists, format!("{uri} is another array: publish to another place")))
}
