//! Collects the data that the picture shows, as columns.

use serde_json::{Value as Json, json};
use tiledb::{Context, maintenance};

use super::axis::Axis;
use super::density;
use super::query::{PictureQuery, QueryArguments};
use super::tiles::Tiles;
use super::values;
use crate::analysis::{Gains, field_sizes};
use crate::args::Profile;
use crate::model::{Array, Fragment, FragmentInfo, Moments, Result, Value};
use crate::output::note;

/// The contents of a picture: array, time window and highlighted query.
pub(crate) struct PictureRequest<'a> {
    pub uri: &'a str,
    pub array: &'a Array,
    pub moments: Moments,
    /// Whether the gain of the recommended schema is measured.
    pub advises: bool,
    /// Attributes whose values are drawn; none are the first ones.
    pub fields: &'a [String],
    /// The query whose tiles are highlighted.
    pub query: QueryArguments<'a>,
}

pub(super) fn collect(ctx: &Context, request: &PictureRequest<'_>) -> Result<Json> {
    let (uri, schema) = (request.uri, request.array.schema());
    let info = FragmentInfo::load(ctx, uri)?;
    let mut fragments = info.fragments(&schema.dimensions);
    fragments.retain(|fragment| request.moments.hold(fragment.moments));
    let query = PictureQuery::new(request.array, &request.query)?;
    let tiles = Tiles::load(schema, &fragments, &query)?;
    let axes: Vec<Axis> = schema
        .dimensions
        .iter()
        .enumerate()
        .map(|(number, dimension)| {
            let sides = fragments.iter().flat_map(|fragment| sides(fragment, number));
            Axis::new(dimension, sides.chain(tiles.values(number)).chain(query.values(number)))
        })
        .collect();
    let dimensions = schema.dimensions.iter().zip(&axes).map(|(dimension, axis)| axis.json(dimension));
    let mut gains = Gains::of(&info, schema, &fragments, maintenance::orphans(ctx, uri)?.len());
    if request.advises {
        gains.measure_schema(ctx, uri, Profile::Balanced.objective())?;
    }
    let sizes = field_sizes(ctx, uri, schema, &fragments)?;
    let sizes = sizes.iter().map(|size| json!({ "name": size.name, "stored": size.stored, "decoded": size.decoded }));
    // Without values, as those of corrupt tiles, the rest is drawn.
    let shown = values::fields(request.array, request.fields)?;
    let values = if schema.is_dense() {
        values::collect(request.array, request.query.ranges, shown)
    } else {
        density::collect(request.array, request.query.ranges, shown, &axes)
    };
    let values = values.unwrap_or_else(|error| {
        note(&format!("{uri}: the values are not drawn: {error}"));
        Json::Null
    });
    let name = uri.trim_end_matches('/').rsplit('/').next().unwrap_or(uri);
    Ok(json!({
        "uri": uri, "name": name, "dense": schema.is_dense(), "version": schema.version, "capacity": schema.capacity,
        "duplicates": schema.allows_duplicates, "cell_order": schema.cell_order, "tile_order": schema.tile_order,
        "attributes": schema.attributes.len(), "dimensions": dimensions.collect::<Json>(),
        "fragments": of_fragments(&fragments, &axes, &tiles), "boxes": tiles.json(&axes),
        "fields": sizes.collect::<Json>(), "advice": gains.advice(), "to_vacuum": gains.merged,
        "advised": request.advises,
        "query": query.json(&axes), "values": values,
    }))
}

fn sides(fragment: &Fragment, number: usize) -> [&Value; 2] {
    let (low, high) = &fragment.domain[number];
    [low, high]
}

fn of_fragments(fragments: &[Fragment], axes: &[Axis], tiles: &Tiles) -> Json {
    let column = |of: &dyn Fn(&Fragment) -> u64| fragments.iter().map(of).collect::<Vec<_>>();
    let sides = axes.iter().enumerate().map(|(number, axis)| {
        let side = |which: usize| fragments.iter().map(move |fragment| axis.place(sides(fragment, number)[which]));
        json!([side(0).collect::<Vec<_>>(), side(1).collect::<Vec<_>>()])
    });
    // The part of a name besides timestamps and version.
    let name =
        |fragment: &Fragment| fragment.name().split('_').find(|part| part.len() == 32).map(|id| id[..8].to_owned());
    json!({
        "name": fragments.iter().map(|fragment| name(fragment).unwrap_or_else(|| fragment.name().to_owned())).collect::<Vec<_>>(),
        "from": column(&|fragment| fragment.moments.0), "to": column(&|fragment| fragment.moments.1),
        "cells": column(&|fragment| fragment.cells), "bytes": column(&|fragment| fragment.bytes),
        "version": column(&|fragment| fragment.version.into()),
        "read": tiles.counts.iter().map(|count| u64::from(count.1.tiles > 0)).collect::<Vec<_>>(),
        "tiles": tiles.counts.iter().map(|count| count.0).collect::<Vec<_>>(),
        "tiles_read": tiles.counts.iter().map(|count| count.1.tiles).collect::<Vec<_>>(),
        "tiles_excluded": tiles.counts.iter().map(|count| count.1.excluded).collect::<Vec<_>>(),
        "sides": sides.collect::<Json>(),
    })
}
