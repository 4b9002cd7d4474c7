//! `tree`: prints a group or folder with all its members, recursively.

use serde_json::{Value, json};
use tiledb::{Context, Vfs};

use crate::args::CommonOptions;
use crate::model::{Error, ObjectType, Result, members, object_type};
use crate::output;

/// Groups may hold one another: so deep at most.
const DEEPEST: usize = 64;

/// Shows all.
pub(super) fn run(common: &CommonOptions, uri: &str) -> Result<()> {
    let ctx = common.context()?;
    let object = object_type(&ctx, uri)?;
    if object == ObjectType::Other && !Vfs::new(&ctx).is_dir(uri)? {
        return Err(Error::failed(format!("{uri} is no array, no group, and no folder")));
    }
    if common.json {
        let mut root = json!({ "uri": uri, "type": object.name() });
        if object != ObjectType::Array {
            root["members"] = below(&ctx, uri, &mut vec![uri.to_owned()])?;
        }
        return output::json(&root);
    }
    output::heading(uri)?;
    if object == ObjectType::Array { Ok(()) } else { show(&ctx, uri, "", &mut vec![uri.to_owned()]) }
}

fn show(ctx: &Context, uri: &str, before: &str, above: &mut Vec<String>) -> Result<()> {
    let members = members(ctx, uri)?;
    for (at, member) in members.iter().enumerate() {
        let (branch, deeper) = if at + 1 == members.len() { ("└── ", "    ") } else { ("├── ", "│   ") };
        let is_again = above.contains(&member.uri) || above.len() > DEEPEST;
        let note = match (member.is_outside, is_again) {
            (true, _) => ", outside of the group",
            (false, true) => ", shown above",
            (false, false) => "",
        };
        output::line(&format!("{before}{branch}{} ({}{note})", member.label(), member.object.name()))?;
        if member.object == ObjectType::Group && note.is_empty() {
            above.push(member.uri.clone());
            show(ctx, &member.uri, &format!("{before}{deeper}"), above)?;
            above.pop();
        }
    }
    Ok(())
}

fn below(ctx: &Context, uri: &str, above: &mut Vec<String>) -> Result<Value> {
    let mut all = Vec::new();
    for member in members(ctx, uri)? {
        let mut one = json!({ "name": member.label(), "type": member.object.name(), "uri": member.uri });
        let is_shown = member.is_outside || above.contains(&member.uri) || above.len() > DEEPEST;
        if member.object == ObjectType::Group && !is_shown {
            above.push(member.uri.clone());
            one["members"] = below(ctx, &member.uri, above)?;
            above.pop();
        }
        all.push(one);
    }
    Ok(all.into())
}
