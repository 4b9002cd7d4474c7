//! The index of a directory that web servers serve: `__tiledb_index.json` ([file format](../../../../docs/format.md)).
//!
//! A web server lists no directories. The index of an array or group names its files with their sizes and digests, so that it can be
//! opened over HTTP with one request for all listings. It is untrusted: names must be plain names, and sizes and numbers are
//! limited.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::relative::check_component;
use tiledb_core::error::{Error, ErrorKind, Result, bail};

/// Name of the file.
pub const INDEX_NAME: &str = "__tiledb_index.json";

/// The version of the format that is written.
const VERSION: u64 = 1;

/// Maximum size of an index in bytes.
pub(super) const MAX_INDEX_BYTES: u64 = 16 << 20;

/// Maximum number of entries.
const MAX_ENTRIES: usize = 400_000;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 32;

/// Maximum length of a name in bytes; file systems allow 255, stores 1,024.
const MAX_NAME_BYTES: usize = 1024;

/// The entries of a folder by name.
pub type IndexFolder = BTreeMap<String, IndexEntry>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexEntry {
    /// A file with its size in bytes and the SHA-256 of its contents, if they are known.
    File(u64, Option<Box<[u8; 32]>>),
    Folder(IndexFolder),
    /// A folder with an index of its own.
    Linked,
}

/// The files of a directory tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DirectoryIndex {
    pub entries: IndexFolder,
}

/// What a path is by an index.
#[derive(Debug, PartialEq, Eq)]
pub enum IndexLookup<'a> {
    Missing,
    File(u64),
    Folder(&'a IndexFolder),
    /// The first components of the path, this many, are a folder with an index of its own.
    Linked(usize),
}

impl DirectoryIndex {
    /// Decodes an index.
    ///
    /// # Errors
    /// If it does not follow the format, is of a newer version, or exceeds a limit.
    pub fn parse(bytes: &[u8]) -> Result<DirectoryIndex> {
        let invalid = |reason: &str| Error::new(ErrorKind::Corrupt, format!("The index is invalid: {reason}"));
        // An entry has one colon and at most two commas, and takes some hundred bytes of memory when it is decoded.
        let separators = bytes.iter().filter(|byte| matches!(byte, b':' | b',')).count();
        if bytes.len() as u64 > MAX_INDEX_BYTES || separators > 3 * MAX_ENTRIES {
            return Err(invalid("it has too many entries; link the indexes of subfolders"));
        }
        let parsed: Value = serde_json::from_slice(bytes).map_err(|error| invalid(&error.to_string()))?;
        let version = parsed["tiledb_index"].as_u64().ok_or_else(|| invalid("it has no version 'tiledb_index'"))?;
        if version > VERSION {
            bail!(Newer, "The index has version {version}; this library reads versions up to {VERSION}");
        }
        let files = parsed["files"].as_object().ok_or_else(|| invalid("it has no 'files'"))?;
        let entries = folder_of(files, MAX_DEPTH).map_err(|reason| invalid(&reason))?;
        Ok(DirectoryIndex { entries })
    }

    /// Encodes the index.
    pub fn to_json(&self) -> String {
        let folder = json_of(&self.entries);
        format!("{{\"tiledb_index\":{VERSION},\"files\":{folder}}}\n")
    }

    /// What a path is, by its components.
    pub fn find(&self, path: &[&str]) -> IndexLookup<'_> {
        let mut folder = &self.entries;
        for (depth, name) in path.iter().enumerate() {
            match folder.get(*name) {
                Some(IndexEntry::Folder(inner)) => folder = inner,
                Some(IndexEntry::File(size, _)) if depth + 1 == path.len() => return IndexLookup::File(*size),
                Some(IndexEntry::Linked) => return IndexLookup::Linked(depth + 1),
                _ => return IndexLookup::Missing,
            }
        }
        IndexLookup::Folder(folder)
    }

    /// Adds a file by its relative path; its folders are added.
    ///
    /// # Errors
    /// If the path has components that are no names, or leads through a file.
    pub fn insert(&mut self, path: &str, entry: IndexEntry) -> Result<()> {
        let invalid = |reason: &str| Error::invalid(format!("'{}' cannot be listed: {reason}", path.escape_debug()));
        let mut folder = &mut self.entries;
        let (folders, name) = path.rsplit_once('/').map_or((None, path), |(folders, name)| (Some(folders), name));
        for name in folders.into_iter().flat_map(|folders| folders.split('/')) {
            check_name(name).map_err(invalid)?;
            let inner = folder.entry(name.to_owned()).or_insert_with(|| IndexEntry::Folder(IndexFolder::new()));
            let IndexEntry::Folder(inner) = inner else { return Err(invalid("a file is in place of its folder")) };
            folder = inner;
        }
        check_name(name).map_err(invalid)?;
        folder.insert(name.to_owned(), entry);
        Ok(())
    }
}

fn check_name(name: &str) -> Result<(), &'static str> {
    if name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
        return Err("a name is too long, or has control characters");
    }
    check_component(name)
}

fn folder_of(entries: &Map<String, Value>, depth: usize) -> Result<IndexFolder, String> {
    if depth == 0 {
        return Err("its folders are too deep".to_owned());
    }
    let entry = |(name, value): (&String, &Value)| {
        check_name(name).map_err(|reason| format!("the name '{}': {reason}", name.escape_debug()))?;
        let broken = || format!("the entry of '{}' makes no sense", name.escape_debug());
        let entry = match value {
            Value::Null => IndexEntry::Linked,
            Value::Object(inner) => IndexEntry::Folder(folder_of(inner, depth - 1)?),
            Value::Array(parts) => {
                let size = parts.first().and_then(Value::as_u64).ok_or_else(broken)?;
                let digest = parts.get(1).and_then(Value::as_str).and_then(digest_of).ok_or_else(broken)?;
                IndexEntry::File(size, Some(Box::new(digest)))
            }
            size => IndexEntry::File(size.as_u64().ok_or_else(broken)?, None),
        };
        Ok((name.clone(), entry))
    };
    entries.iter().map(entry).collect()
}

/// A digest of 64 hexadecimal digits.
fn digest_of(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        let digits = text.get(at..at + 2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(digest)
}

fn json_of(folder: &IndexFolder) -> String {
    let entries = folder.iter().map(|(name, entry)| {
        let value = match entry {
            IndexEntry::Linked => "null".to_owned(),
            IndexEntry::Folder(inner) => json_of(inner),
            IndexEntry::File(size, None) => size.to_string(),
            IndexEntry::File(size, Some(digest)) => {
                let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("[{size},\"{digits}\"]")
            }
        };
        format!("{}:{value}", Value::from(name.as_str()))
    });
    ["{", &entries.collect::<Vec<_>>().join(","), "}"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example() -> DirectoryIndex {
        let mut index = DirectoryIndex::default();
        for (path, entry) in [
            ("__schema/__1_1_a", IndexEntry::File(120, Some(Box::new([0xab; 32])))),
            ("__fragments/__1_1_b/a\"é.tdb", IndexEntry::File(u64::MAX, None)),
            ("member", IndexEntry::Linked),
        ] {
            index.insert(path, entry).unwrap();
        }
        index
    }

    #[test]
    fn an_index_is_decoded_as_it_was_encoded() {
        let index = example();
        assert_eq!(DirectoryIndex::parse(index.to_json().as_bytes()).unwrap(), index);
        assert_eq!(index.find(&["__schema", "__1_1_a"]), IndexLookup::File(120));
        assert!(matches!(index.find(&[]), IndexLookup::Folder(top) if top.len() == 3));
        assert!(matches!(index.find(&["__fragments"]), IndexLookup::Folder(_)));
        assert_eq!(index.find(&["member", "x", "y"]), IndexLookup::Linked(1));
        for missing in [&["x"][..], &["__schema", "__1_1_a", "x"], &["__schema", "x"]] {
            assert_eq!(index.find(missing), IndexLookup::Missing);
        }
        assert!(example().insert("__schema/__1_1_a/x", IndexEntry::Linked).is_err());
    }

    #[test]
    fn hostile_indexes_are_errors() {
        let of_files = |files: &str| format!("{{\"tiledb_index\":1,\"files\":{files}}}");
        let deep = "{\"a\":".repeat(MAX_DEPTH + 1) + "1" + &"}".repeat(MAX_DEPTH + 1);
        let many = format!("{{{}\"a\":1}}", "\"a\":1,".repeat(3 * MAX_ENTRIES / 2));
        let wide = format!("{{\"a\":[{}1]}}", "[],".repeat(3 * MAX_ENTRIES));
        let long = format!("{{\"{}\":1}}", "a".repeat(MAX_NAME_BYTES + 1));
        for files in [
            "{\"..\":1}",
            "{\".\":{}}",
            "{\"\":1}",
            "{\"a/b\":1}",
            "{\"a\\u0000\":1}",
            "{\"a\\n\":1}",
            "{\"a\":-1}",
            "{\"a\":1.5}",
            "{\"a\":\"1\"}",
            "{\"a\":true}",
            "{\"a\":[]}",
            "{\"a\":[1,\"ab\"]}",
            "{\"a\":[1,2]}",
            "{\"a\":18446744073709551616}",
            "[]",
            &deep,
            &many,
            &wide,
            &long,
        ] {
            let error = DirectoryIndex::parse(of_files(files).as_bytes()).err();
            assert!(error.is_some_and(|error| error.kind() == ErrorKind::Corrupt), "{}", &files[..files.len().min(40)]);
        }
        for bytes in
            ["", "null", "{}", "{\"files\":{}}", "{\"tiledb_index\":1}", "<html>", "{\"tiledb_index\":1,\"files\":{}"]
        {
            assert!(DirectoryIndex::parse(bytes.as_bytes()).is_err(), "{bytes}");
        }
        let newer = DirectoryIndex::parse(b"{\"tiledb_index\":2,\"files\":{}}").unwrap_err();
        assert_eq!(newer.kind(), ErrorKind::Newer);
        assert!(DirectoryIndex::parse(b"{\"tiledb_index\":1,\"files\":{},\"more\":[1]}").is_ok(), "fields are added");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 0usize..400) {
            _ = DirectoryIndex::parse(&bytes);
            let json = example().to_json();
            _ = DirectoryIndex::parse(json.get(..cut).unwrap_or(&json).as_bytes());
        }
    }
}
