//! `meta`: metadata of arrays and groups.

use serde_json::{Value as Json, json};
use tiledb::{Context, Datatype, MetadataValue};

use crate::args::{CommonOptions, MetaAction, MetaSet};
use crate::import::inference::{ColumnInference, InferredType};
use crate::model::{DatatypeExt, Error, MetadataWriter, Result, Value, metadata, printed};
use crate::output;

pub(super) fn run(common: &CommonOptions, action: &MetaAction) -> Result<()> {
    let ctx = common.context()?;
    match action {
        MetaAction::List(object) => list(&ctx, common, &object.uri),
        MetaAction::Get(key) => get(&ctx, common, &key.object.uri, &key.key),
        MetaAction::Set(set) => put(&ctx, common, set),
        MetaAction::Delete(keys) => delete(&ctx, common, &keys.object.uri, &keys.keys),
    }
}

fn json_of(key: &str, value: &MetadataValue) -> Json {
    json!({ "key": key, "type": value.datatype().to_string(), "value": printed(value).json() })
}

fn list(ctx: &Context, common: &CommonOptions, uri: &str) -> Result<()> {
    let all = metadata(ctx, uri)?;
    if common.json {
        return output::json(&all.iter().map(|(key, value)| json_of(key, value)).collect());
    }
    if all.is_empty() {
        output::note(&format!("{uri} has no metadata"));
        return Ok(());
    }
    let row = |(key, value): &(String, MetadataValue)| {
        vec![key.clone(), value.datatype().to_string(), printed(value).to_string()]
    };
    output::table(&["KEY", "TYPE", "VALUE"], &all.iter().map(row).collect::<Vec<_>>())
}

/// The value of a key.
fn find<'a>(all: &'a [(String, MetadataValue)], uri: &str, key: &str) -> Result<&'a MetadataValue> {
    let found = all.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    found.ok_or_else(|| Error::failed(format!("{uri} has no metadata with the key {key:?}")))
}

fn get(ctx: &Context, common: &CommonOptions, uri: &str, key: &str) -> Result<()> {
    let all = metadata(ctx, uri)?;
    let value = find(&all, uri, key)?;
    if common.json { output::json(&json_of(key, value)) } else { output::line(&printed(value).to_string()) }
}

fn put(ctx: &Context, common: &CommonOptions, set: &MetaSet) -> Result<()> {
    let (uri, value) = (&set.object.uri, parsed(set)?);
    let object = MetadataWriter::open(ctx, uri)?;
    object.put(&set.key, &value)?;
    object.close()?;
    if common.json {
        return output::json(&json_of(&set.key, &value));
    }
    output::line(&format!("{uri}: {} is {} ({})", set.key, printed(&value), value.datatype()))
}

/// The value that the arguments spell.
fn parsed(set: &MetaSet) -> Result<MetadataValue> {
    let all = |datatype: Datatype| -> Result<Vec<u8>> {
        Ok(set.values.iter().map(|text| Value::parse(datatype, text)).collect::<Result<Vec<_>>>()?.concat())
    };
    if let Some(name) = &set.datatype {
        let datatype = Datatype::named(name)?;
        if datatype.is_text() && set.values.len() > 1 {
            return Err(Error::usage(format!("a value of {datatype} is one text: quote it, as 'two words'")));
        }
        return Ok(MetadataValue::new(datatype, all(datatype)?)?);
    }
    let is_number = |text: &String| text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    let mut inference = ColumnInference::new(false);
    set.values.iter().for_each(|text| inference.observe(text.as_bytes()));
    // As in CSV: digits after a zero, and integers beyond 64 bits, are texts.
    if let InferredType::Int | InferredType::Unsigned | InferredType::Real = inference.guess
        && set.values.iter().all(is_number)
    {
        let datatype = inference.guess.datatype();
        return Ok(MetadataValue::new(datatype, all(datatype)?)?);
    }
    match set.values.as_slice() {
        [text] => Ok(text.as_str().into()),
        _ => Err(Error::usage(
            "several values are numbers, or of the datatype that --type names; quote a text of several words",
        )),
    }
}

fn delete(ctx: &Context, common: &CommonOptions, uri: &str, keys: &[String]) -> Result<()> {
    // All exist before the first is deleted.
    let all = metadata(ctx, uri)?;
    keys.iter().try_for_each(|key| find(&all, uri, key).map(|_| ()))?;
    let object = MetadataWriter::open(ctx, uri)?;
    keys.iter().try_for_each(|key| object.delete(key))?;
    object.close()?;
    if common.json {
        return output::json(&json!({ "command": "meta delete", "uri": uri, "keys": keys }));
    }
    output::line(&format!("{uri}: deleted: {}", keys.len()))
}
