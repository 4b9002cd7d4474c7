//! `append`: the rows of a file to an array that exists.

use super::import;
use crate::args::{Append, CommonOptions, Import, ROW};
use crate::model::{Expected, ObjectType, Result, absent, object_type};

/// Appends rows as `import` does, which also creates arrays.
pub(super) fn run(common: &CommonOptions, arguments: &Append) -> Result<()> {
    let (ctx, uri) = (common.context()?, &arguments.array);
    if object_type(&ctx, uri)? != ObjectType::Array {
        return Err(absent(&ctx, uri, Expected::Array));
    }
    let import = Import {
        file: arguments.file.clone(),
        array: uri.clone(),
        dims: Vec::new(),
        row: ROW.to_owned(),
        types: Vec::new(),
        tile: None,
        checksum: None,
        profile: None,
        force: false,
        delimiter: arguments.delimiter.clone(),
        no_header: arguments.no_header,
        null: arguments.null.clone(),
        sample: None,
        dry_run: false,
    };
    import::run(common, &import)
}
