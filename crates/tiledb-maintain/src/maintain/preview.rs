//! Dry run of a consolidation: lists the steps that it would execute, with the same selection.

use super::candidates::{Candidate, Candidates};
use super::consolidation_step::{MergeStep, SourceOrigin, StepSource};
use super::fragments::{exclude_unstorable, newest_schema};
use super::mode::MaintenanceTarget;
use super::settings::{ConsolidationSettings, window};
use super::{commits, directories, fragment_metadata};
use tiledb_array::array::{FragmentInfo, visible_metadata};
use tiledb_array::group::no_group;
use tiledb_core::error::Result;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// The steps that [`super::consolidate`] would execute now. From the second step on, the sizes of earlier results are
/// estimates, so the selection may differ.
///
/// # Errors
/// As [`super::consolidate`].
pub fn preview(resources: &Resources, uri: &Uri) -> Result<Vec<MergeStep>> {
    let mode = MaintenanceTarget::of_consolidation(resources.config())?;
    directories::check_exists(resources, uri)?;
    let key = EncryptionKey::for_opening(resources.config())?;
    let (sources, least) = match mode {
        MaintenanceTarget::Fragments => return of_fragments(resources, uri, &key),
        MaintenanceTarget::FragmentMetadata => (fragment_metadata::sources(resources, uri, &key)?, 2),
        MaintenanceTarget::Commits => (commits::sources(resources, uri, &key)?, 1),
        MaintenanceTarget::ArrayMetadata => (of_metadata(resources, uri)?, 2),
        MaintenanceTarget::GroupMetadata => return Err(no_group(uri)),
    };
    Ok(if sources.len() < least { Vec::new() } else { vec![MergeStep::of(sources)] })
}

/// Metadata of the array, file by file.
fn of_metadata(resources: &Resources, uri: &Uri) -> Result<Vec<StepSource>> {
    let files = visible_metadata(resources.vfs(), uri, window(resources.config())?)?.0;
    let sizes = resources.vfs().map(uri, files.len(), |index| resources.vfs().size(&files[index]))?;
    Ok(files.into_iter().zip(sizes).map(|(file, size)| StepSource::existing(file, size)).collect())
}

/// Simulates the consolidation: selects fragments in the same way, and treats selected ones as merged.
fn of_fragments(resources: &Resources, uri: &Uri, key: &EncryptionKey) -> Result<Vec<MergeStep>> {
    let settings = ConsolidationSettings::new(resources.config())?;
    let mut candidates = Candidates::load(&FragmentInfo::new(resources, uri.as_str())?, settings.window)?;
    exclude_unstorable(&mut candidates, &*newest_schema(resources, uri, key)?);
    let there = |candidate: &Candidate| StepSource {
        origin: SourceOrigin::Existing(candidate.fragment.uri()),
        cells: candidate.fragment.cell_count(),
        bytes: candidate.size,
    };
    let mut sources: Vec<StepSource> = candidates.inside.iter().map(there).collect();
    let mut steps = Vec::new();
    let mut before = usize::MAX;
    for number in 1..=u64::from(settings.steps.max(1)) {
        if candidates.inside.len() >= before {
            break;
        }
        before = candidates.inside.len();
        let Some(chosen) = candidates.choose(&settings) else { break };
        let mut step = MergeStep::of(sources[chosen.clone()].to_vec());
        let merged = candidates.merged(chosen.clone());
        step.cells = merged.dense_cells().unwrap_or(step.cells);
        // As many as there were end the work.
        let pieces = merged.pieces(step.cells, settings.max_size).clamp(1, chosen.len() as u64);
        let bytes = merged.piece(0, pieces).size;
        let piece = StepSource { origin: SourceOrigin::Step(number), cells: step.cells / pieces, bytes };
        let is_last = chosen.len() == before;
        sources.splice(chosen.clone(), (0..pieces).map(|_| piece.clone()));
        candidates.inside.splice(chosen, (0..pieces).map(|number| merged.piece(number, pieces)));
        steps.push(step);
        // A result may be at another place than its sources.
        let mut by_name: Vec<_> = std::mem::take(&mut candidates.inside).into_iter().zip(sources).collect();
        by_name.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
        (candidates.inside, sources) = by_name.into_iter().unzip();
        if is_last {
            break;
        }
    }
    Ok(steps)
}
