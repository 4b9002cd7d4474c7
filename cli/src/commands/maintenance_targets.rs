//! The arrays that `maintain` works on: those named, those of groups, those in folders, and those in a list.

use std::collections::HashSet;

use tiledb::{Context, Vfs};

use crate::args::PolicyMaintenance;
use crate::model::{Error, Expected, ObjectType, Result, absent, is_link, members, object_type};

/// Maximum depth of nested groups, which may be cyclic, and of folders.
const MAX_DEPTH: usize = 64;

/// What is maintained.
#[derive(Default)]
pub(super) struct MaintainedArrays {
    pub uris: Vec<String>,
    /// What cannot be maintained, and why.
    pub failures: Vec<(String, Error)>,
    known: HashSet<String>,
}

impl MaintainedArrays {
    /// Looks for the arrays of the arguments as they are now: arrays may be created and removed between two runs.
    pub(super) fn discover(ctx: &Context, arguments: &PolicyMaintenance) -> Result<Self> {
        let mut arrays = Self::default();
        for uri in &named(arguments)? {
            if let Err(error) = arrays.add(ctx, uri, arguments.recursive) {
                arrays.failures.push((uri.clone(), error));
            }
        }
        Ok(arrays)
    }

    fn add(&mut self, ctx: &Context, uri: &str, is_recursive: bool) -> Result<()> {
        match object_type(ctx, uri)? {
            ObjectType::Array => self.add_array(uri),
            ObjectType::Group => {
                self.add_group(ctx, uri, &mut Vec::new())?;
                if is_recursive {
                    self.add_folder(ctx, uri, 0)?;
                }
            }
            ObjectType::Other if is_recursive && Vfs::new(ctx).is_dir(uri)? => self.add_folder(ctx, uri, 0)?,
            ObjectType::Other => return Err(absent(ctx, uri, Expected::ArrayOrGroup)),
        }
        Ok(())
    }

    fn add_array(&mut self, uri: &str) {
        if self.known.insert(uri.trim_end_matches('/').to_owned()) {
            self.uris.push(uri.to_owned());
        }
    }

    /// Adds the arrays of a group and of its subgroups.
    fn add_group(&mut self, ctx: &Context, group: &str, above: &mut Vec<String>) -> Result<()> {
        above.push(group.to_owned());
        for member in members(ctx, group)? {
            if above.contains(&member.uri) {
                continue;
            }
            match object_type(ctx, &member.uri)? {
                _ if member.is_outside => self.add_missing(member.uri),
                ObjectType::Array => self.add_array(&member.uri),
                ObjectType::Group if above.len() < MAX_DEPTH => self.add_group(ctx, &member.uri, above)?,
                ObjectType::Group => {}
                ObjectType::Other => self.add_missing(member.uri),
            }
        }
        above.pop();
        Ok(())
    }

    /// Adds the arrays and groups in a folder and in the folders below it, which symbolic links may not make endless.
    fn add_folder(&mut self, ctx: &Context, folder: &str, depth: usize) -> Result<()> {
        for entry in Vfs::new(ctx).list(folder)?.iter().filter(|entry| entry.is_dir()) {
            let uri = entry.uri();
            match object_type(ctx, uri)? {
                ObjectType::Array => self.add_array(uri),
                // Arrays in the folder of a group may be none of its members, and members elsewhere.
                ObjectType::Group if depth < MAX_DEPTH => {
                    self.add_group(ctx, uri, &mut Vec::new())?;
                    self.add_folder(ctx, uri, depth + 1)?;
                }
                ObjectType::Other if depth < MAX_DEPTH && !is_link(uri)? => self.add_folder(ctx, uri, depth + 1)?,
                ObjectType::Group | ObjectType::Other => {}
            }
        }
        Ok(())
    }

    fn add_missing(&mut self, uri: String) {
        if self.known.insert(uri.clone()) {
            self.failures.push((uri, Error::failed("there is no array and no group that can be opened")));
        }
    }
}

/// The URIs of the arguments and of the list, a line for each; lines that begin with # are comments.
fn named(arguments: &PolicyMaintenance) -> Result<Vec<String>> {
    let mut uris = arguments.uris.clone();
    if let Some(file) = &arguments.list {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::failed(format!("--list {}: {error}", file.display())))?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        uris.extend(lines.map(str::to_owned));
    }
    Ok(uris)
}
