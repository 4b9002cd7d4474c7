//! Source and target of a copy.

use std::path::{Path, PathBuf};

use super::errors::of_system;
use crate::context::Context;
use crate::datatype::ObjectType;
use crate::error::{Error, Result};
use crate::object::object_type;
use crate::uri::{local_path, normalize};

/// Absolute URIs without trailing slashes; local paths are canonical.
pub(crate) struct CopyEnds {
    pub(crate) from: String,
    pub(crate) to: String,
}

impl CopyEnds {
    /// # Errors
    /// If one is not a URI or path.
    pub(crate) fn resolve(from: &str, to: &str) -> Result<CopyEnds> {
        Ok(CopyEnds { from: whole(from)?, to: whole(to)? })
    }

    /// Why the target cannot be a copy of the source.
    pub(crate) fn conflict(&self, ctx: &Context) -> Result<Option<String>> {
        let (from, to) = (&self.from, &self.to);
        if from == to || lies_in(to, from).is_some() || lies_in(from, to).is_some() {
            return Ok(Some(format!("{from} and {to} lie in one another: copy to another place")));
        }
        reserved(ctx, to)
    }
}

/// Why the target is no place for an object: it lies among the files of an array or a group, where the library creates nothing either.
fn reserved(ctx: &Context, to: &str) -> Result<Option<String>> {
    let mut place = to;
    while let Some((folder, name)) = place.rsplit_once('/').filter(|(folder, _)| !folder.ends_with('/')) {
        if name.starts_with("__") {
            // An object with one of these names would make an array of a group.
            let is_of_group = matches!(name, "__group" | "__meta" | "__schema" | "__array_schema.tdb");
            let kind = match object_type(ctx, folder)? {
                Some(ObjectType::Array) => Some("array"),
                Some(ObjectType::Group) if is_of_group => Some("group"),
                _ => None,
            };
            if let Some(kind) = kind {
                let text = format!("{to} lies among the files of the {kind} {folder}: copy to another place");
                return Ok(Some(text));
            }
        }
        place = folder;
    }
    Ok(None)
}

/// The path relative to a folder.
pub(super) fn lies_in<'a>(uri: &'a str, folder: &str) -> Option<&'a str> {
    uri.strip_prefix(folder)?.strip_prefix('/').map(|inner| inner.trim_end_matches('/'))
}

/// The URI of a file in a folder.
pub(crate) fn below(folder: &str, name: &str) -> String {
    if name.is_empty() { folder.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}

fn whole(uri: &str) -> Result<String> {
    let path = match uri.split_once("://") {
        Some(("file", _)) => {
            let uri = normalize(uri)?;
            local_path(&uri)?.unwrap_or(uri)
        }
        Some(_) => return Ok(uri.trim_end_matches('/').to_owned()),
        None => uri.to_owned(),
    };
    let path = std::path::absolute(path).map_err(|error| of_system(&error))?;
    // A missing path has no links.
    let mut existing: &Path = &path;
    let mut rest = Vec::new();
    let resolved = loop {
        match (existing.canonicalize(), existing.parent(), existing.file_name()) {
            (Ok(resolved), _, _) => break resolved,
            (Err(_), Some(parent), Some(name)) => {
                rest.push(name);
                existing = parent;
            }
            (Err(error), _, _) => return Err(of_system(&error)),
        }
    };
    let whole: PathBuf = rest.iter().rev().fold(resolved, |path, name| path.join(name));
    let text = whole.to_str().ok_or_else(|| Error::invalid(format!("{} is no text", whole.display())))?;
    let uri = normalize(text)?;
    Ok(uri.strip_suffix('/').unwrap_or(&uri).to_owned())
}
