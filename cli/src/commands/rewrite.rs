//! `rewrite`: copies an array with other filters.

use tiledb::{Context, maintenance};

use super::maintain::{only_arrays, print_result};
use crate::args::{CommonOptions, Rewrite};
use crate::model::{FragmentInfo, Result, advise};
use crate::progress::Progress;

/// Rewrites the array, and prints the sizes of both.
pub(super) fn run(common: &CommonOptions, arguments: &Rewrite) -> Result<()> {
    let (ctx, uri, output) = (common.context()?, &arguments.uri, &arguments.output);
    only_arrays(&ctx, uri)?;
    let progress = Progress::new(&ctx, "rewriting")?;
    let advised = arguments.profile.map(|profile| advise(&ctx, uri, profile.objective())).transpose();
    let rewritten = advised.and_then(|advised| {
        let mut rewrite = maintenance::Rewrite::new().on_progress(|done| progress.report(done));
        if let Some((_, schema)) = &advised {
            rewrite = rewrite.schema(schema);
        }
        if arguments.merge {
            rewrite = rewrite.merge();
        }
        if arguments.resume {
            rewrite = rewrite.resume();
        }
        Ok(rewrite.run(&ctx, uri, output)?)
    });
    progress.end(rewritten)?;
    let (before, after) = (bytes(&ctx, uri)?, bytes(&ctx, output)?);
    print_result(common, "rewrite", false, &[("bytes_before", before), ("bytes_after", after)])
}

/// Bytes of all fragments.
fn bytes(ctx: &Context, uri: &str) -> Result<u64> {
    Ok(FragmentInfo::load(ctx, uri)?.fragments(&[]).iter().map(|fragment| fragment.bytes).sum())
}
