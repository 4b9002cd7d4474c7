//! `info`: schema, contents and recommended maintenance of an array.

use serde_json::{Value as Json, json};
use tiledb::{Datatype, Filter, MetadataValue, maintenance};

use super::maintain::readers;
use crate::analysis::{FieldSize, Gains, field_sizes};
use crate::args::{CommonOptions, Info, Profile};
use crate::model::{
    Array, Error, Field, Fragment, FragmentInfo, ObjectType, Result, Schema, Value, metadata, object_type, printed,
};
use crate::output;

/// Fragments that are listed without `--all`.
const LISTED: usize = 10;

/// The printed report.
struct ArrayReport<'a> {
    uri: &'a str,
    schema: &'a Schema,
    domain: Option<Vec<(Value, Value)>>,
    fragments: Vec<Fragment>,
    sizes: Vec<FieldSize>,
    metadata: Vec<(String, MetadataValue)>,
    gains: Gains,
    /// The libtiledb releases that read the array, then the reasons; nothing for an array on a server.
    readers: Vec<String>,
}

/// Prints information about an array.
pub(super) fn run(common: &CommonOptions, arguments: &Info) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.at.uri);
    if object_type(&ctx, uri)? == ObjectType::Group {
        return Err(Error::usage(format!("{uri} is a group: \"tiledb-rs ls\" lists it")));
    }
    let moments = arguments.at.moments()?;
    let array = Array::open(&ctx, uri, moments)?;
    let info = FragmentInfo::load(&ctx, uri)?;
    let mut fragments = info.fragments(&array.schema().dimensions);
    fragments.retain(|fragment| moments.hold(fragment.moments));
    let mut gains = Gains::of(&info, array.schema(), &fragments, maintenance::orphans(&ctx, uri)?.len());
    if arguments.advise {
        gains.measure_schema(&ctx, uri, Profile::Balanced.objective())?;
    }
    let report = ArrayReport {
        uri,
        schema: array.schema(),
        domain: array.non_empty_domain()?,
        sizes: field_sizes(&ctx, uri, array.schema(), &fragments)?,
        gains,
        fragments,
        metadata: metadata(&ctx, uri)?,
        readers: match uri.starts_with("tiledb://") {
            true => Vec::new(),
            false => readers(&ctx, uri)?,
        },
    };
    if common.json { output::json(&report.json()) } else { report.print(arguments.all) }
}

/// A timestamp in milliseconds as readable text.
pub(super) fn moment(milliseconds: u64) -> String {
    Value::Moment(Datatype::DatetimeMs, milliseconds.min(i64::MAX as u64) as i64).to_string()
}

fn filters(filters: &[Filter]) -> String {
    let one = |filter: &Filter| match filter_level(filter) {
        Some(level) if level >= 0 => format!("{} {level}", filter.name()),
        _ => filter.name().to_owned(),
    };
    filters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn bounds(pair: &(Value, Value)) -> String {
    format!("{} .. {}", pair.0, pair.1)
}

fn datatype(field: &Field) -> String {
    let values = match field.values {
        u32::MAX => " (var)".to_owned(),
        1 => String::new(),
        values => format!(" x {values}"),
    };
    let null = if field.is_nullable { ", nullable" } else { "" };
    let of = field.enumeration.as_ref().map(|all| format!(", one of {} in {:?}", all.values.len(), all.name));
    format!("{}{values}{null}{}", field.datatype, of.unwrap_or_default())
}

impl ArrayReport<'_> {
    fn print(&self, all: bool) -> Result<()> {
        let schema = self.schema;
        output::heading(self.uri)?;
        let kind = if schema.is_dense() { "dense" } else { "sparse" };
        let duplicates = if schema.allows_duplicates { ", duplicates allowed" } else { "" };
        let capacity = if schema.is_dense() { String::new() } else { format!(", {} cells per tile", schema.capacity) };
        output::line(&format!(
            "{kind} array, format version {}, cells {}, tiles {}{capacity}{duplicates}",
            schema.version, schema.cell_order, schema.tile_order
        ))?;
        if let Some((releases, reasons)) = self.readers.split_first() {
            output::line(&format!("readable by {releases}:"))?;
            reasons.iter().try_for_each(|reason| output::line(&format!("  {reason}")))?;
        }
        output::line("")?;
        let stored = self.domain.as_deref();
        let rows: Vec<_> = schema
            .dimensions
            .iter()
            .enumerate()
            .map(|(at, dimension)| {
                vec![
                    dimension.name.clone(),
                    datatype(&dimension.field()),
                    dimension.domain.as_ref().map_or(String::new(), bounds),
                    dimension.extent.as_ref().map_or(String::new(), Value::to_string),
                    stored.and_then(|all| all.get(at)).map_or("nothing".to_owned(), bounds),
                    filters(&dimension.filters),
                ]
            })
            .collect();
        output::table(&["DIMENSION", "TYPE", "DOMAIN", ">TILE", "STORED", "FILTERS"], &rows)?;
        output::line("")?;
        let rows: Vec<_> = schema
            .attributes
            .iter()
            .map(|one| vec![one.name.clone(), datatype(&one.field()), filters(&one.filters)])
            .collect();
        output::table(&["ATTRIBUTE", "TYPE", "FILTERS"], &rows)?;
        for (name, list) in [
            ("offsets", &schema.offsets_filters),
            ("validity", &schema.validity_filters),
            ("coordinates", &schema.coords_filters),
        ] {
            if !list.is_empty() {
                output::line(&format!("filters of {name}: {}", filters(list)))?;
            }
        }
        if !self.metadata.is_empty() {
            output::line("")?;
            let rows: Vec<_> =
                self.metadata.iter().map(|(key, value)| vec![key.clone(), printed(value).to_string()]).collect();
            output::table(&["METADATA", "VALUE"], &rows)?;
        }
        if !self.fragments.is_empty() {
            self.print_sizes()?;
            self.print_fragments(all)?;
        }
        let advice = self.gains.advice();
        if !advice.is_empty() {
            output::line("")?;
            output::heading("WHAT WOULD GAIN")?;
            advice.iter().try_for_each(|one| output::line(one))?;
        }
        Ok(())
    }

    fn print_sizes(&self) -> Result<()> {
        output::line("")?;
        let total: u64 = self.sizes.iter().map(|size| size.stored).sum();
        let rows: Vec<_> = self
            .sizes
            .iter()
            .map(|size| {
                let ratio = size.decoded.map(|decoded| format!("{:.1}", decoded as f64 / size.stored.max(1) as f64));
                vec![
                    size.name.clone(),
                    output::bytes(size.stored),
                    format!("{:.1} %", 100.0 * size.stored as f64 / total.max(1) as f64),
                    size.decoded.map_or(String::new(), output::bytes),
                    ratio.unwrap_or_default(),
                ]
            })
            .collect();
        output::table(&["FIELD", ">STORED", ">SHARE", ">DECODED", ">RATIO"], &rows)
    }

    fn print_fragments(&self, all: bool) -> Result<()> {
        output::line("")?;
        let count = self.fragments.len();
        let left_out = if all { 0 } else { count.saturating_sub(LISTED) };
        let rows: Vec<_> = self.fragments[left_out..]
            .iter()
            .map(|fragment| {
                let (from, to) = fragment.moments;
                let time = if from == to { moment(from) } else { format!("{} .. {}", moment(from), moment(to)) };
                let domain: Vec<String> = fragment.domain.iter().map(bounds).collect();
                vec![
                    time,
                    fragment.cells.to_string(),
                    output::bytes(fragment.bytes),
                    fragment.version.to_string(),
                    domain.join("; "),
                ]
            })
            .collect();
        output::table(&["FRAGMENT WRITTEN", ">STORED CELLS", ">BYTES", ">VERSION", "DOMAIN"], &rows)?;
        let cells: u64 = self.fragments.iter().map(|fragment| fragment.cells).sum();
        let bytes = output::bytes(self.fragments.iter().map(|fragment| fragment.bytes).sum());
        let older =
            if left_out > 0 { format!("; {left_out} older ones are not listed (--all)") } else { String::new() };
        output::line(&format!("fragments: {count}, stored cells: {cells}, {bytes}{older}"))
    }

    fn json(&self) -> Json {
        let pair = |pair: &(Value, Value)| json!([pair.0.json(), pair.1.json()]);
        let names = |list: &[Filter]| -> Json {
            list.iter().map(|filter| json!({ "name": filter.name(), "level": filter_level(filter) })).collect()
        };
        let field = |field: &Field, list: &[Filter]| {
            json!({
                "name": field.name, "type": field.datatype.to_string(), "nullable": field.is_nullable,
                "cell_values": if field.is_var() { Json::from("var") } else { field.values.into() },
                "enumeration": field.enumeration.as_ref().map(|all| all.name.clone()),
                "filters": names(list),
            })
        };
        let schema = self.schema;
        let dimensions = schema.dimensions.iter().map(|dimension| {
            let mut one = field(&dimension.field(), &dimension.filters);
            one["domain"] = dimension.domain.as_ref().map_or(Json::Null, pair);
            one["tile_extent"] = dimension.extent.as_ref().map_or(Json::Null, Value::json);
            one
        });
        let attributes = schema.attributes.iter().map(|one| field(&one.field(), &one.filters));
        let fragments = self.fragments.iter().map(|fragment| {
            json!({
                "name": fragment.name(), "timestamps": [fragment.moments.0, fragment.moments.1],
                "cells": fragment.cells, "bytes": fragment.bytes, "version": fragment.version,
                "dense": fragment.is_dense, "domain": fragment.domain.iter().map(pair).collect::<Json>(),
            })
        });
        let sizes =
            self.sizes.iter().map(|size| json!({ "name": size.name, "stored": size.stored, "decoded": size.decoded }));
        let metadata = self.metadata.iter().map(|(key, value)| (key.clone(), printed(value).json()));
        json!({
            "uri": self.uri, "dense": schema.is_dense(), "version": schema.version, "readers": self.readers,
            "allows_duplicates": schema.allows_duplicates, "capacity": schema.capacity,
            "cell_order": schema.cell_order, "tile_order": schema.tile_order,
            "dimensions": dimensions.collect::<Json>(), "attributes": attributes.collect::<Json>(),
            "non_empty_domain": self.domain.as_ref().map(|all| all.iter().map(pair).collect::<Json>()),
            "fragments": fragments.collect::<Json>(), "fields": sizes.collect::<Json>(),
            "metadata": Json::Object(metadata.collect()), "advice": self.gains.advice(),
            "to_vacuum": self.gains.merged, "left_behind": self.gains.orphans,
        })
    }
}

/// The compression level, of filters that heed one.
fn filter_level(filter: &Filter) -> Option<i32> {
    filter.level().filter(|_| matches!(filter.name(), "GZIP" | "ZSTD" | "LZ4" | "BZIP2"))
}
