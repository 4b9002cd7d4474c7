//! Normalizes messages before comparison.

use serde_json::Value;

/// Lists whose order is that of a hash table or of a listing, with what tells their elements apart.
const UNORDERED: [(&str, &str); 10] = [
    ("entries", "key"),
    ("enumerationPathMap", "key"),
    ("enumerations", "name"),
    ("enumerationsToAdd", "name"),
    ("enumerationsToExtend", "name"),
    ("members", "name"),
    ("arrayMetaUris", "uri"),
    ("deleteAndUpdateTileLocation", "conditionMarker"),
    ("attributesToAdd", "name"),
    ("value", "name"),
];

/// Lists of texts of which the same is true.
const UNORDERED_TEXTS: [&str; 8] = [
    "attributesToDrop",
    "enumerationsToDrop",
    "unfilteredFragmentUris",
    "consolidatedCommitUris",
    "arraySchemaUris",
    "fragmentMetaUris",
    "arrayMetaUrisToVacuum",
    "arrayMetaVacUrisToVacuum",
];

/// A message without what differs for a reason:
/// - requests and groups hold of the configuration what a server can use, never secrets of stores, and of the threads what
///   each library finds;
/// - libtiledb ends the place of an open array by a slash in its schemas;
/// - files of new enumerations have names that nobody chose;
/// - of fragments whose format has no such tables libtiledb tells as their places what lay in its memory;
/// - on aarch64 libtiledb's characters have no sign: where the format of a schema has no fill values, the fill value of a
///   `TILEDB_CHAR` is the least such number, 0 instead of 128.
pub fn normal(mut message: Value) -> Value {
    change(&mut message, "");
    message
}

fn change(value: &mut Value, name: &str) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::Array(entries)) = fields.get_mut("entries").filter(|_| name == "config") {
                entries.retain(|entry| {
                    let key = entry["key"].as_str().unwrap_or_default();
                    // A key of encrypted arrays is told by libtiledb alone.
                    let is_secret = key == "sm.encryption_key" && entry["value"] != "";
                    (key.starts_with("sm.") || key.starts_with("rest.load_")) && !is_secret
                });
            }
            if let Some(Value::String(uri)) = fields.get_mut("uri") {
                uri.truncate(uri.trim_end_matches('/').len());
            }
            let version = fields.get("version").and_then(Value::as_u64);
            if let (Some(places), Some(version)) = (fields.get_mut("gtOffsets").and_then(Value::as_object_mut), version)
            {
                const TABLES: [(&str, u64); 2] =
                    [("fragmentMinMaxSumNullCountOffset", 12), ("processedConditionsOffsets", 16)];
                places.retain(|key, _| TABLES.iter().all(|(table, since)| table != key || version >= *since));
            }
            if cfg!(target_arch = "aarch64") && fields.get("version").is_some_and(lacks_fill_values) {
                let attributes = fields.get_mut("attributes").and_then(Value::as_array_mut);
                let characters = attributes.into_iter().flatten().filter(|attribute| attribute["type"] == "CHAR");
                for attribute in characters {
                    let fill = attribute["fillValue"].as_array_mut();
                    fill.into_iter().flatten().filter(|value| **value == 128).for_each(|value| *value = 0.into());
                }
            }
            if name.starts_with("enumerationsTo") {
                fields.remove("pathName");
            }
            fields.iter_mut().for_each(|(key, value)| change(value, key));
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| change(item, name));
            if let Some((_, key)) = UNORDERED.iter().find(|row| row.0 == name) {
                items.sort_by_key(|item| item[key].as_str().map(str::to_owned));
            }
            if UNORDERED_TEXTS.contains(&name) {
                items.sort_by_key(|item| item.as_str().map(str::to_owned));
            }
        }
        _ => {}
    }
}

/// True for the versions of a schema's format that have no fill values.
fn lacks_fill_values(version: &Value) -> bool {
    version[0].as_u64().is_some_and(|version| version < 6)
}
