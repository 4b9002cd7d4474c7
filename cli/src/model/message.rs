//! Messages of the library in the words of the tool: without the names of its components, and with commands as remedies.

/// Names of components at the beginning of a message.
const COMPONENTS: [&str; 21] = [
    "TileDB internal",
    "C API",
    "Array",
    "ArrayDirectory",
    "ArraySchema",
    "Attribute",
    "Consolidator",
    "DenseReader",
    "Dimension",
    "Domain",
    "Enumeration",
    "FilterPipeline",
    "FragmentInfo",
    "GenericTileIO",
    "Group",
    "Query",
    "QueryCondition",
    "Reader",
    "Subarray",
    "VFS",
    "Writer",
];
/// Remedies for programs, and those for users of the tool.
const REMEDIES: [(&str, &str); 3] = [
    ("create the array with tiledb_array_create", "create the array with \"tiledb-rs create\" or \"tiledb-rs import\""),
    ("remove it with tiledb_rs_array_sweep", "remove it with \"tiledb-rs sweep\""),
    ("remove it with tiledb_object_remove", "remove it with \"tiledb-rs rm\""),
];
/// Causes about encryption, which name no parameter.
const ENCRYPTION: [&str; 3] = ["is encrypted with", "invalid key length for encryption type", "Cannot decrypt"];
const ENCRYPTION_REMEDY: &str =
    "; the key is the parameter sm.encryption_key, its algorithm sm.encryption_type (AES_256_GCM, NO_ENCRYPTION)";

/// A message of the library as the tool prints it.
pub(crate) fn in_words_of_the_tool(message: &str) -> String {
    let mut text = without_classes(message);
    let without_component = |text: &str| {
        let rest = COMPONENTS.iter().find_map(|name| text.strip_prefix(name)?.strip_prefix(": "));
        rest.map(str::to_owned)
    };
    while let Some(rest) = without_component(&text) {
        text = rest;
    }
    for (remedy, command) in REMEDIES {
        text = text.replace(remedy, command);
    }
    if ENCRYPTION.iter().any(|cause| text.contains(cause)) && !text.contains("sm.encryption_key") {
        text += ENCRYPTION_REMEDY;
    }
    text
}

/// The message without the classes of errors that libtiledb writes before its messages: `[TileDB::Array] Error: `.
fn without_classes(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("[TileDB::") {
        let (before, class) = rest.split_at(at);
        let end = class.find("] Error: ").filter(|&end| class["[TileDB::".len()..end].bytes().all(is_name));
        text.push_str(before);
        match end {
            Some(end) => rest = &class[end + "] Error: ".len()..],
            None => {
                text.push('[');
                rest = &class[1..];
            }
        }
    }
    text + rest
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b':' || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_left_out_and_remedies_are_commands() {
        for (message, printed) in [
            ("[TileDB::Array] Error: Cannot open array; gone", "Cannot open array; gone"),
            ("[TileDB::Array] Error: ArrayDirectory: [TileDB::IO] Error: cannot read", "cannot read"),
            ("GenericTileIO: too short", "too short"),
            ("TileDB internal: Failed to construct valid URI", "Failed to construct valid URI"),
            ("S3: Cannot list 's3://b/'", "S3: Cannot list 's3://b/'"),
            ("the value [TileDB::x y] Error: stays", "the value [TileDB::x y] Error: stays"),
            ("Arrays: more", "Arrays: more"),
        ] {
            assert_eq!(in_words_of_the_tool(message), printed);
        }
        let created = in_words_of_the_tool("check the URI, or create the array with tiledb_array_create");
        assert!(created.contains("tiledb-rs create") && !created.contains("tiledb_array_create"));
        let encrypted = in_words_of_the_tool("tile is encrypted with AES_256_GCM but given key is for NO_ENCRYPTION");
        assert!(encrypted.contains("sm.encryption_key"));
    }
}
