//! Copies of the array: rewrites with its fragments or merged, and downgrades. A copy is an array only when it is complete.

use std::sync::Arc;

use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::types::FormatVersion;
use tiledb_maintain::maintain::{RewriteOptions, downgrade, rewrite};
use tiledb_storage::vfs::Uri;

use super::super::plan::Drawing;
use super::super::site::Site;
use super::super::state::CopiedArray;
use super::{Operation, Read, judge_labels, operation};
use crate::array::TestArray;
use crate::journal::{AFTER_ALL, Opening};
use crate::judge::{self, Returned};
use crate::model::ALWAYS;
use crate::model::cells::Selection;
use crate::world::Medium;

/// How often an array is listed whose files are removed before they are copied.
const MAX_LISTINGS: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CopyKind {
    Rewrite,
    Merge,
    /// To a format version.
    Downgrade(u32),
}

/// Copies the array to a place of its own.
#[derive(Debug)]
struct Copy(CopyKind);

pub fn draw(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let kinds = [CopyKind::Rewrite, CopyKind::Rewrite, CopyKind::Merge, CopyKind::Downgrade(21)];
    operation(Copy(drawing.generator.random.pick(&kinds)))
}

/// A copy.
pub fn copy(kind: CopyKind) -> Arc<dyn Operation> {
    Arc::new(Copy(kind))
}

impl CopyKind {
    fn run(self, site: &Site<'_>, to: &Uri) -> Result<()> {
        let resources = site.array().with_key(site.resources, &[])?;
        let from = &site.array().uri;
        match self {
            CopyKind::Downgrade(version) => {
                let version = FormatVersion::from_number(version).unwrap();
                downgrade(&resources, from, to, version, &mut |_| Ok(()))
            }
            kind => {
                let options = RewriteOptions { schema: None, merge: kind == CopyKind::Merge, resume: true };
                rewrite(&resources, from, to, options, &mut |_| Ok(()))
            }
        }
    }
}

impl Operation for Copy {
    fn run(&self, site: &Site<'_>) -> Result<()> {
        let to = Uri::parse(&format!("mem://store/copy{}", site.name))?;
        let begin = site.steps();
        let done = self.0.run(site, &to);
        let opening = (begin, site.steps());
        let is_complete = done.is_ok();
        site.state().copies.push(CopiedArray { uri: to, kind: self.0, opening, is_complete });
        done
    }

    fn may_fail(&self, error: &Error, site: &Site<'_>) -> bool {
        site.removals() >= MAX_LISTINGS && error.text().contains("faster than it can be copied")
            || error.text().contains("it has single cells")
            || error.kind() == ErrorKind::Unsupported && matches!(self.0, CopyKind::Downgrade(_))
    }
}

/// Reads a copy when all is quiet; completes it before, if it was not.
///
/// # Errors
/// As the engine.
pub fn judge_copy(site: &Site<'_>, copy: &CopiedArray) -> Result<()> {
    let schemas = format!("{}/__schema", copy.uri.path().trim_start_matches('/'));
    // Enumerations are stored before the first schema.
    let is_schema = |path: &str| !path[schemas.len() + 1..].contains('/');
    let is_array =
        site.shared.world.store.files().below(&schemas).any(|(path, node)| node.is_some() && is_schema(path));
    // Names that a crash may take back.
    let is_durable = site.shared.plan.medium != Medium::Local { syncs_directories: false };
    if copy.is_complete && !is_array && is_durable {
        site.fail(format!("{} was acknowledged, and is no array", copy.uri));
    }
    let mut opening = copy.opening;
    if !is_array {
        match copy.kind.run(site, &copy.uri) {
            Err(error) if error.kind() == ErrorKind::Unsupported || error.text().contains("it has single cells") => {
                return Ok(());
            }
            done => done.map_err(|error| error.context(format_args!("Cannot complete {}", copy.uri)))?,
        }
        opening = AFTER_ALL;
    }
    read_copy(site, &site.array().at(&copy.uri), opening)
}

fn read_copy(site: &Site<'_>, array: &TestArray, opening: Opening) -> Result<()> {
    let selection = Selection::all(array.shape.dimensions.len(), ALWAYS);
    let options = Read::all(0).options;
    let mut read = array.begin_read(site.resources, &selection, &options)?;
    let mut rows = Vec::new();
    while let Some(more) = read.submit()? {
        rows.extend(more);
    }
    let returned = Returned { schema: read.schema(), rows: &rows, submits: read.submits() };
    site.judge((opening.0.min(site.begin), opening.1), |model| {
        judge::rows(&array.shape, model, opening, (&selection, &options), returned)
            .map_err(|text| format!("of {}: {text}", array.uri))
    });
    judge_labels(site, array, Some(opening))?;
    let mut findings = array.verify(site.resources)?;
    findings.retain(|finding| !finding.contains("LateWrite"));
    if !findings.is_empty() {
        site.fail(format!("{}: {findings:?}", array.uri));
    }
    Ok(())
}
