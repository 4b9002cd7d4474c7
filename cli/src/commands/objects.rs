//! `rm` and `mv`: arrays and groups are removed and renamed, other files never.

use serde_json::{Value as Json, json};
use tiledb::copy::ObjectCopy;
use tiledb::{Context, Vfs, object, uri};

use crate::args::{CommonOptions, Mv, Rm};
use crate::model::{
    Error, Expected, Member, ObjectType, Result, absent, files_below, is_behind_link, is_link, members, object_type,
    objects_below,
};
use crate::output;
use crate::progress::Progress;

/// Groups may hold one another: so deep at most.
const DEEPEST: usize = 64;

/// An object to be removed, and those in its folder.
struct Removal {
    uri: String,
    object: ObjectType,
    /// Type and URI of the objects inside.
    inside: Vec<(ObjectType, String)>,
    /// Symbolic links inside: what they lead to stays.
    links: Vec<String>,
    files: u64,
    bytes: u64,
}

/// Removes objects, and prints what they were.
pub(super) fn remove(common: &CommonOptions, arguments: &Rm) -> Result<()> {
    let ctx = common.context()?;
    let folders = arguments.uris.iter().map(|uri| folder(uri)).collect::<Result<Vec<_>>>()?;
    // What is in the folder of another one goes with it, and what is named twice is removed once.
    let goes_along = |at: usize| {
        let mut others = folders.iter().enumerate();
        others.any(|(other, folder)| folders[at].starts_with(folder) && (folders[at] != *folder || other < at))
    };
    // All are looked at before the first is removed.
    let all = arguments.uris.iter().map(|uri| Removal::of(&ctx, uri)).collect::<Result<Vec<_>>>()?;
    let all: Vec<_> = all.into_iter().enumerate().filter(|(at, _)| !goes_along(*at)).map(|(_, one)| one).collect();
    let mut printed = Vec::new();
    for removal in &all {
        if !arguments.dry_run {
            object::remove(&ctx, &removal.uri)?;
        }
        if common.json {
            printed.push(removal.json());
        } else {
            removal.print(arguments.dry_run)?;
        }
    }
    if common.json {
        return output::json(&json!({ "command": "rm", "dry_run": arguments.dry_run, "removed": printed }));
    }
    Ok(())
}

impl Removal {
    fn of(ctx: &Context, uri: &str) -> Result<Self> {
        let object = object_of(ctx, uri)?;
        let files = files_below(ctx, uri)?;
        let mut links = Vec::new();
        let mut bytes = 0;
        let mut count = 0;
        for file in files.iter().filter(|file| !file.is_dir) {
            count += 1;
            bytes += file.bytes;
            if is_link(&file.uri)? {
                links.push(file.uri.clone());
            }
        }
        let mut inside = Vec::new();
        if object == ObjectType::Group {
            collect(ctx, uri, &folder(uri)?, &mut inside, 0)?;
            // Some are in the folder without being members.
            for Member { object, uri: below, .. } in objects_below(ctx, uri)? {
                if !inside.iter().any(|(_, known)| *known == below) && !is_behind_link(&folder(uri)?, &below)? {
                    inside.push((object, below));
                }
            }
        }
        Ok(Self { uri: uri.to_owned(), object, inside, links, files: count, bytes })
    }

    fn print(&self, is_dry: bool) -> Result<()> {
        for (object, uri) in &self.inside {
            output::line(&format!("  {} {uri}", object.name()))?;
        }
        for link in &self.links {
            output::line(&format!("  symbolic link {link}, without what it leads to"))?;
        }
        let (done, name) = (if is_dry { "would be removed" } else { "removed" }, self.object.name());
        let (files, bytes) = (self.files, output::bytes(self.bytes));
        output::line(&format!("{}: {name} {done}, files: {files}, {bytes}", self.uri))
    }

    fn json(&self) -> Json {
        let inside = self.inside.iter().map(|(object, uri)| json!({ "type": object.name(), "uri": uri }));
        json!({
            "uri": self.uri, "type": self.object.name(), "files": self.files, "bytes": self.bytes,
            "inside": inside.collect::<Json>(), "links": self.links,
        })
    }
}

/// The objects in the folder of a group: its other members stay where they are.
fn collect(ctx: &Context, uri: &str, folder: &str, found: &mut Vec<(ObjectType, String)>, depth: usize) -> Result<()> {
    for member in members(ctx, uri)? {
        let is_known = found.iter().any(|(_, uri)| *uri == member.uri);
        let is_elsewhere = member.is_outside || !member.uri.starts_with(folder) || is_behind_link(folder, &member.uri)?;
        if is_elsewhere || is_known || member.object == ObjectType::Other {
            continue;
        }
        found.push((member.object, member.uri.clone()));
        if member.object == ObjectType::Group && depth < DEEPEST {
            collect(ctx, &member.uri, folder, found, depth + 1)?;
        }
    }
    Ok(())
}

/// The URI of an object, as that of what is in its folder begins.
fn folder(uri: &str) -> Result<String> {
    Ok(format!("{}/", uri::normalize(uri)?.trim_end_matches('/')))
}

/// The type of an object; an error if it is neither an array nor a group.
fn object_of(ctx: &Context, uri: &str) -> Result<ObjectType> {
    if uri.starts_with("tiledb://") {
        return Err(Error::usage(format!("{uri} is on a server, which this command does not support")));
    }
    match object_type(ctx, uri)? {
        ObjectType::Other => Err(absent(ctx, uri, Expected::ArrayOrGroup)),
        _ if is_link(uri)? => Err(Error::usage(format!("{uri} is a symbolic link; name what it leads to"))),
        object => Ok(object),
    }
}

/// Renames an object, or copies and removes it where its storage or file system is another one than that of the target.
fn rename_or_copy(ctx: &Context, Mv { from, to, .. }: &Mv) -> Result<()> {
    if storage(from)? == storage(to)? {
        match object::rename(ctx, from, to) {
            Err(error) if is_cross_device(&error) => {}
            renamed => return Ok(renamed?),
        }
    }
    let progress = Progress::new(ctx, "moving")?;
    // The second copy brings what was written during the first one, and compares all contents.
    for copy in [ObjectCopy::new(), ObjectCopy::new().check()] {
        let copied = copy.on_progress(|done| progress.report(done)).run(ctx, from, to);
        let summary = progress.end(copied)?;
        if !summary.is_snapshot {
            return Err(Error::failed(format!(
                "{from} was written to all the while: it is copied to {to}, and not removed; end the writers, and copy and remove it"
            )));
        }
    }
    Ok(object::remove(ctx, from)?)
}

/// The scheme of a URI, and its bucket, container or server.
fn storage(uri: &str) -> Result<String> {
    let uri = uri::normalize(uri)?;
    let Some((scheme, rest)) = uri.split_once("://") else { return Ok(uri) };
    let place = if scheme == "file" { "" } else { rest.split('/').next().unwrap_or_default() };
    Ok(format!("{scheme}://{place}"))
}

/// Whether a file system refused to rename what is to be on another one, in the words of Linux, macOS and Windows.
fn is_cross_device(error: &tiledb::Error) -> bool {
    let text = error.message().to_ascii_lowercase();
    ["cross-device", "different disk drive"].iter().any(|words| text.contains(words))
}

/// Moves an object.
pub(super) fn rename(common: &CommonOptions, arguments: &Mv) -> Result<()> {
    let (ctx, from, to) = (common.context()?, &arguments.from, &arguments.to);
    let object = object_of(&ctx, from)?;
    let (source, target) = (folder(from)?, folder(to)?);
    if target.starts_with(&source) {
        return Err(Error::usage(format!("{to} is {from}, or in it; name another place")));
    }
    let vfs = Vfs::new(&ctx);
    if vfs.is_file(to)? || vfs.is_dir(to)? || object_type(&ctx, to)? != ObjectType::Other {
        return Err(Error::usage(format!("{to} exists; name another place")));
    }
    if !arguments.dry_run {
        rename_or_copy(&ctx, arguments)?;
    }
    let name = object.name();
    if common.json {
        return output::json(
            &json!({ "command": "mv", "type": name, "from": from, "to": to, "dry_run": arguments.dry_run }),
        );
    }
    let done = if arguments.dry_run { "would be moved" } else { "moved" };
    output::line(&format!("{from}: {name} {done} to {to}"))
}
