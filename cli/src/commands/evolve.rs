//! `evolve`: attributes are added to the schema of an array, or dropped.

use serde_json::json;
use tiledb::{Attribute, Context, Datatype, Filter, SchemaEvolution};

use super::maintain::only_arrays;
use crate::args::{CommonOptions, Evolve};
use crate::model::{Array, DatatypeExt, Error, Moments, Result};
use crate::output;

/// Compression level of new attributes: that of zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// Changes a schema.
pub(super) fn run(common: &CommonOptions, arguments: &Evolve) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.uri);
    only_arrays(&ctx, uri)?;
    let added = arguments.add.iter().map(|text| NewAttribute::parse(text)).collect::<Result<Vec<_>>>()?;
    check(&ctx, uri, &added, &arguments.drop)?;
    if !arguments.dry_run {
        let mut evolution = SchemaEvolution::new();
        for name in &arguments.drop {
            evolution = evolution.drop_attribute(name);
        }
        for attribute in &added {
            evolution = evolution.add_attribute(attribute.build());
        }
        tiledb::Array::evolve(&ctx, uri, &evolution).map_err(|error| Error::from(error).at(uri))?;
    }
    let names: Vec<&str> = added.iter().map(|attribute| attribute.name).collect();
    if common.json {
        return output::json(&json!({
            "command": "evolve", "uri": uri, "added": names, "dropped": arguments.drop, "dry_run": arguments.dry_run,
        }));
    }
    let would = if arguments.dry_run { "nothing is done; " } else { "" };
    let list = |what: &str, names: &[&str]| match names {
        [] => None,
        names => Some(format!("{what}: {}", names.join(", "))),
    };
    let dropped: Vec<&str> = arguments.drop.iter().map(String::as_str).collect();
    let changes: Vec<String> = [list("added", &names), list("dropped", &dropped)].into_iter().flatten().collect();
    output::line(&format!("evolve: {would}{}", changes.join("; ")))
}

/// Names are those of attributes to drop, and of no field to add.
fn check(ctx: &Context, uri: &str, added: &[NewAttribute<'_>], dropped: &[String]) -> Result<()> {
    let array = Array::open(ctx, uri, Moments::default())?;
    let schema = array.schema();
    for name in dropped {
        if !schema.attributes.iter().any(|attribute| attribute.name == *name) {
            let all: Vec<&str> = schema.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
            return Err(Error::usage(format!(
                "--drop {name}: there is no such attribute; there are {}",
                all.join(", ")
            )));
        }
    }
    if dropped.len() >= schema.attributes.len() && added.is_empty() {
        return Err(Error::usage("--drop: an array keeps one attribute at least"));
    }
    for (at, attribute) in added.iter().enumerate() {
        let is_known = schema.fields().iter().any(|field| field.name == attribute.name);
        if is_known || added[..at].iter().any(|other| other.name == attribute.name) {
            return Err(Error::usage(format!("--add {}: there is a field of this name", attribute.name)));
        }
    }
    Ok(())
}

/// An attribute as the command line names it.
struct NewAttribute<'a> {
    name: &'a str,
    datatype: Datatype,
    is_nullable: bool,
}

impl<'a> NewAttribute<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let wrong = || Error::usage(format!("--add {text}: write NAME=TYPE, such as gate=INT32 or note=STRING_UTF8?"));
        let (name, datatype) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(wrong)?;
        let (datatype, is_nullable) = match datatype.strip_suffix('?') {
            Some(datatype) => (datatype, true),
            None => (datatype, false),
        };
        Ok(Self { name, datatype: Datatype::named(datatype)?, is_nullable })
    }

    /// Cells that exist get the fill value, or null.
    fn build(&self) -> Attribute {
        let attribute = Attribute::with_datatype(self.name, self.datatype).filter(Filter::zstd(ZSTD_LEVEL));
        if self.is_nullable { attribute.fill_null() } else { attribute }
    }
}
