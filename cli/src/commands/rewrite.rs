//! `rewrite`: copies an array with other filters.

use tiledb::Context;

use super::maintain::{only_arrays, print_result};
use crate::args::{CommonOptions, Rewrite};
use crate::model::maintain::RewriteOptions;
use crate::model::{FragmentInfo, Result, advise, maintain};
use crate::progress::Progress;

/// Rewrites the array, and prints the sizes of both.
pub fn run(common: &CommonOptions, arguments: &Rewrite) -> Result<()> {
    let (ctx, uri, output) = (common.context()?, &arguments.uri, &arguments.output);
    only_arrays(&ctx, uri)?;
    let progress = Progress::new(&ctx, "rewriting")?;
    let advised = arguments.profile.map(|profile| advise(&ctx, uri, profile.objective())).transpose();
    let rewritten = advised.and_then(|advised| {
        let schema = advised.as_ref().map(|(_, schema)| schema);
        let options = RewriteOptions { schema, merges: arguments.merge, resumes: arguments.resume };
        let mut report = |done, total| progress.update(done, total);
        maintain::rewrite(&ctx, uri, output, &options, &mut report)
    });
    progress.end(rewritten)?;
    let (before, after) = (bytes(&ctx, uri)?, bytes(&ctx, output)?);
    print_result(common, "rewrite", false, &[("bytes_before", before), ("bytes_after", after)])
}

/// Bytes of all fragments.
fn bytes(ctx: &Context, uri: &str) -> Result<u64> {
    Ok(FragmentInfo::load(ctx, uri)?.fragments(&[]).iter().map(|fragment| fragment.bytes).sum())
}
