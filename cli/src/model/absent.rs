//! Errors for a URI where the expected object is not: they say what is there instead.

use std::io::Read;

use tiledb::{Context, Vfs};

use super::error::Error;
use super::objects::{ObjectType, object_type};
use crate::import::{FileKind, SIGNATURE};

/// What a command expects at a URI.
#[derive(Clone, Copy)]
pub(crate) enum Expected {
    Array,
    ArrayOrGroup,
}

impl Expected {
    fn absence(self) -> &'static str {
        match self {
            Self::Array => "no array",
            Self::ArrayOrGroup => "no array and no group",
        }
    }
}

/// The error of a command that expects something else at a URI.
pub(crate) fn absent(ctx: &Context, uri: &str, expected: Expected) -> Error {
    Error::failed(format!("{uri} is {}{}", expected.absence(), instead(ctx, uri)))
}

/// What is there, and the command for it; empty if that cannot be found out.
fn instead(ctx: &Context, uri: &str) -> String {
    let vfs = Vfs::new(ctx);
    match object_type(ctx, uri) {
        Ok(ObjectType::Array) => ", but an array".to_owned(),
        Ok(ObjectType::Group) => ", but a group: \"tiledb-rs ls\" lists its members".to_owned(),
        Ok(ObjectType::Other) => match (vfs.is_file(uri), vfs.is_dir(uri)) {
            (Ok(true), _) => file(&vfs, uri),
            (Ok(false), Ok(true)) => ", but a folder: \"tiledb-rs ls\" lists the arrays and groups in it".to_owned(),
            (Ok(false), Ok(false)) => ": nothing is there".to_owned(),
            _ => String::new(),
        },
        Err(_) => String::new(),
    }
}

/// What a file is, and how it becomes an array.
fn file(vfs: &Vfs, uri: &str) -> String {
    let mut start = Vec::new();
    let is_read = vfs.open(uri).is_ok_and(|file| file.take(SIGNATURE as u64).read_to_end(&mut start).is_ok());
    if !is_read {
        return ", but a file".to_owned();
    }
    let name = match FileKind::of(&start) {
        FileKind::Foreign(name, route) => return format!(", but a file ({name}); {route}"),
        FileKind::ArrowFile | FileKind::ArrowStream => "an Arrow file",
        FileKind::Parquet => "a Parquet file",
        FileKind::Npy => "an NPY file",
        FileKind::Json => "a JSON file",
        FileKind::Text if start.is_empty() => return ", but an empty file".to_owned(),
        FileKind::Text => "a file",
    };
    format!(", but {name}: \"tiledb-rs import FILE ARRAY\" makes an array of CSV, JSON, Arrow, Parquet and NPY files")
}
