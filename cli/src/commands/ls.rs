//! `ls`: lists the arrays and groups in a group or folder.

use serde_json::json;
use tiledb::Vfs;

use crate::args::CommonOptions;
use crate::model::{Error, ObjectType, Result, members, object_type};
use crate::output;

/// Lists a group or folder.
pub(super) fn run(common: &CommonOptions, uri: &str) -> Result<()> {
    let ctx = common.context()?;
    match object_type(&ctx, uri)? {
        ObjectType::Array => return Err(Error::usage(format!("{uri} is an array: \"tiledb-rs info\" tells of it"))),
        ObjectType::Other if !Vfs::new(&ctx).is_dir(uri)? => {
            return Err(Error::failed(format!("{uri} is no group, and no folder")));
        }
        _ => {}
    }
    let members = members(&ctx, uri)?;
    if common.json {
        let all = members
            .iter()
            .map(|member| json!({ "name": member.label(), "type": member.object.name(), "uri": member.uri }));
        return output::json(&all.collect());
    }
    let rows: Vec<_> = members
        .iter()
        .map(|member| vec![member.object.name().to_owned(), member.label().to_owned(), member.uri.clone()])
        .collect();
    if rows.is_empty() { Ok(()) } else { output::table(&["TYPE", "NAME", "URI"], &rows) }
}
