//! Executes a policy: one step after the other, each planned by what is there then.

use std::collections::HashSet;
use std::sync::Arc;

use super::lease::{MaintenanceLease, Takeover, Tombstone};
use super::merge_commit::{MergeCommit, confirm_before};
use super::plan::{PlannedMerge, plan};
use super::protocol::{JournalStage, Protection, TAKEOVER, TakeoverStep, is_vacuum_missing};
use super::settings::{GRACE, MAX_COMMITS, MAX_FOOTERS, MAX_FRAGMENTS, MaintenanceSettings, RETENTION};
use super::step::{MaintenanceStep, OnStep, StepKind, StepReason};
use crate::maintain::late_writes::late_writes;
use crate::maintain::{MaintenanceSteps, MergeCandidate};
use tiledb_array::array::{FileRemoval, FragmentInfo};
use tiledb_array::fragment::{FragmentName, timestamp_now};
use tiledb_core::error::{ErrorKind, Result};
use tiledb_core::log;

/// How often a merge is planned again because of fragments that were committed in the meantime.
const ATTEMPTS: usize = 10;

/// The grace period ends early if there are this many times as many fragments as their bound.
const CROWDED: usize = 10;

/// Maintenance of one array under a lease.
pub(super) struct Maintainer<'a> {
    steps: MaintenanceSteps<'a>,
    settings: MaintenanceSettings,
    lease: Arc<MaintenanceLease>,
    on_step: OnStep<'a>,
}

impl<'a> Maintainer<'a> {
    pub(super) fn new(
        steps: MaintenanceSteps<'a>,
        settings: MaintenanceSettings,
        lease: MaintenanceLease,
        on_step: OnStep<'a>,
    ) -> Maintainer<'a> {
        Maintainer { steps, settings, lease: Arc::new(lease), on_step }
    }

    /// Takes all steps; first those that killed maintainers journaled.
    pub(super) fn run(self, takeover: Takeover) -> Result<()> {
        let lease = self.lease.clone();
        self.take_steps(takeover).map_err(|error| match error.kind() {
            // Whoever has taken over the lease may have removed the files.
            ErrorKind::NotFound => lease.confirm().err().unwrap_or(error),
            _ => error,
        })
    }

    fn take_steps(mut self, mut takeover: Takeover) -> Result<()> {
        for step in TAKEOVER {
            match step {
                TakeoverStep::Complete => self.complete(&takeover.tombstones)?,
                TakeoverStep::RemoveOrphans => self.remove_orphans(&takeover.tombstones)?,
                TakeoverStep::RemoveTombstones => self.remove_tombstones(&takeover.tombstones)?,
                step => self.lease.take_over(step, &mut takeover)?,
            }
        }
        // What a run replaces is removed by the next one, so that readers which opened the array before can finish.
        self.vacuum()?;
        // Before a merge makes what they hide disappear for good.
        self.warn_of_late_writes()?;
        self.merge()?;
        self.consolidate_commits()?;
        self.consolidate_footers()?;
        if self.settings.retention == 0 { self.vacuum() } else { Ok(()) }
    }

    /// Completes the consolidations of killed maintainers that were committed.
    fn complete(&mut self, tombstones: &[Tombstone]) -> Result<()> {
        for Tombstone { file, journal } in tombstones {
            if let Some(name) = journal.misplaced() {
                let uri = self.steps.array().1;
                log::line(log::Level::Warn, || {
                    format!(
                        "Maintenance of '{uri}' does not complete the merge in '{}': it cannot have replaced fragment '{name}', \
                         whose cells stay visible. The file is not that of a maintainer",
                        file.uri
                    )
                });
                continue;
            }
            if self.complete_merge(&journal.created, &journal.replaced)? {
                let sources = journal.replaced.len() as u64;
                let results = journal.created.len() as u64;
                self.report(MaintenanceStep::of_files(StepKind::Recovery, sources, results, StepReason::Killed))?;
            }
        }
        Ok(())
    }

    /// Hides the fragments that a merge replaced, if that is missing after its commit. True if it was so.
    fn complete_merge(&self, created: &[FragmentName], replaced: &[FragmentName]) -> Result<bool> {
        let is_missing = |visible: &HashSet<FragmentName>| {
            is_vacuum_missing(created, replaced, |name: &FragmentName| visible.contains(name))
        };
        self.steps.complete(created, replaced, is_missing)
    }

    /// Removes the fragments of killed maintainers that will not be committed any more.
    fn remove_orphans(&self, tombstones: &[Tombstone]) -> Result<()> {
        let created: HashSet<&FragmentName> =
            tombstones.iter().flat_map(|tombstone| &tombstone.journal.created).collect();
        let mut removable = Vec::new();
        for Tombstone { journal, .. } in tombstones {
            for name in journal.begun.iter().filter(|name| !created.contains(name)).chain(&journal.created) {
                let stage = if created.contains(name) { JournalStage::Created } else { JournalStage::Begun };
                let is_fenced = self.lease.is_fenced(journal, name)?;
                let protection = if is_fenced { Protection::Fenced } else { Protection::Unfenced };
                if protection.is_removable(stage) {
                    removable.push(name.clone());
                }
            }
        }
        self.steps.remove_orphans(&self.steps.uncommitted(&removable)?)
    }

    /// Removes the tombstones that are done. Where a commit cannot be prevented, those of fragments that may still be committed
    /// stay for ten leases and the retention period, so that the vacuum file is stored then.
    fn remove_tombstones(&self, tombstones: &[Tombstone]) -> Result<()> {
        for Tombstone { file, journal } in tombstones {
            let is_fenced = |all: bool, name| Ok(all && self.lease.is_fenced(journal, name)?);
            let is_waiting = !self.steps.uncommitted(&journal.created)?.is_empty()
                && !journal.created.iter().try_fold(true, is_fenced)?
                && timestamp_now() <= file.name.timestamps().1.saturating_add(self.settings.retention);
            if !is_waiting {
                self.lease.vfs().remove_files(std::slice::from_ref(&file.uri))?;
            }
        }
        Ok(())
    }

    /// Checks for cancellation and renews the lease before a step.
    fn begin(&self) -> Result<()> {
        self.steps.array().0.cancel().check()?;
        self.lease.keep()
    }

    fn report(&mut self, step: MaintenanceStep) -> Result<()> {
        let uri = self.steps.array().1;
        log::line(log::Level::Info, || format!("Maintenance of '{uri}': {step}"));
        (self.on_step)(&step)
    }

    fn vacuum(&mut self) -> Result<()> {
        self.begin()?;
        let (until, (resources, uri)) = (retained_until(&self.settings), self.steps.array());
        let mut removed = 0;
        let lease = self.lease.clone();
        let on_removed = &mut |done, _| {
            removed = done;
            lease.keep()
        };
        let mut removal = FileRemoval::with_progress(resources.vfs(), uri, resources.cancel(), on_removed)?;
        self.steps.vacuum(until, &mut removal)?;
        if removed == 0 {
            return Ok(());
        }
        self.report(MaintenanceStep::removal(removed, &self.settings))
    }

    /// Merges fragments until their number is within the bound.
    fn merge(&mut self) -> Result<()> {
        let mut candidates = self.steps.candidates()?;
        let until = merged_until(&self.settings, candidates.len());
        exclude_young(&mut candidates, until);
        let mut before = usize::MAX;
        let mut attempts = 0;
        loop {
            self.begin()?;
            let runs = plan(&candidates, &self.settings.limits);
            let mergeable = candidates.iter().filter(|candidate| candidate.is_mergeable).count();
            // Results that are divided by the maximum fragment size are no progress.
            let Some(run) = runs.first().filter(|_| mergeable < before) else {
                self.warn(mergeable);
                return Ok(());
            };
            let created = match self.merge_run(&candidates, run) {
                Ok(created) => created,
                // A fragment that was committed since the plan may be older than those of the run, or another merge has hidden or
                // withdrawn one of them: plan again.
                Err(error) if error.kind() == ErrorKind::Invalid && attempts < ATTEMPTS => {
                    let now = self.candidates(until)?;
                    let is_known = |one: &MergeCandidate| candidates.iter().any(|known| known.name == one.name);
                    if now.len() == candidates.len() && now.iter().all(is_known) {
                        return Err(error);
                    }
                    (candidates, attempts) = (now, attempts + 1);
                    continue;
                }
                Err(error) => return Err(error),
            };
            (before, candidates) = (mergeable, self.candidates(until)?);
            let results = candidates.iter().filter(|candidate| created.contains(&candidate.name));
            let step = MaintenanceStep {
                results: created.len() as u64,
                bytes_written: results.map(|candidate| candidate.bytes).sum(),
                ..MaintenanceStep::planned(run, &self.settings)
            };
            self.report(step)?;
        }
    }

    /// The visible fragments; those that the grace period excludes are not mergeable.
    fn candidates(&self, until: u64) -> Result<Vec<MergeCandidate>> {
        let mut candidates = self.steps.candidates()?;
        exclude_young(&mut candidates, until);
        Ok(candidates)
    }

    /// Merges a run; the new fragments.
    fn merge_run(&self, candidates: &[MergeCandidate], run: &PlannedMerge) -> Result<Vec<FragmentName>> {
        let replaced: Vec<FragmentName> = run.sources.iter().map(|&at| candidates[at].name.clone()).collect();
        let names: Vec<String> = replaced.iter().map(|name| name.as_str().to_owned()).collect();
        let commit = Arc::new(MergeCommit::new(&self.lease, replaced));
        let merged =
            self.steps.merge(&names, settled_until(&self.settings), &mut |_| self.lease.keep(), commit.clone());
        if merged.is_err() {
            // Usually it was rolled back. If the commit is there nevertheless, its sources must be hidden.
            let journal = self.lease.journaled();
            self.complete_merge(&journal.created, &journal.replaced)?;
        }
        self.lease.close_journal();
        merged.map(|()| commit.created())
    }

    /// Warns if the bound cannot be met.
    fn warn(&self, mergeable: usize) {
        let bound = self.settings.limits.fragments;
        let uri = self.steps.array().1;
        if mergeable > bound {
            log::line(log::Level::Warn, || {
                format!(
                    "Maintenance of '{uri}' leaves {mergeable} fragments, more than {MAX_FRAGMENTS} = {bound}: no adjacent ones can be \
                     merged within 'sm.consolidation.max_fragment_size' and 'sm.consolidation.amplification', without hiding \
                     cells of older dense fragments"
                )
            });
        }
    }

    /// Warns if writes were committed after the fragments around them were merged.
    fn warn_of_late_writes(&self) -> Result<()> {
        let uri = self.steps.array().1;
        let visible = self.steps.dense_fragments()?;
        for (late, merged) in late_writes(&visible) {
            log::line(log::Level::Warn, || {
                format!(
                    "Fragment '{}' of '{uri}' was committed after the fragments around it were merged into '{}', and may hide newer \
                     cells: write the newest values again, and set '{GRACE}' to more than the duration of a write",
                    late.name, merged.name
                )
            });
        }
        Ok(())
    }

    fn consolidate_commits(&mut self) -> Result<()> {
        self.begin()?;
        let Some(step) = commits_step(&self.steps, &self.settings)? else { return Ok(()) };
        self.steps.consolidate_commits(&mut |step| confirm_before(&self.lease, step))?;
        self.report(step)
    }

    fn consolidate_footers(&mut self) -> Result<()> {
        self.begin()?;
        let Some(step) = footers_step(&self.steps, &self.settings)? else { return Ok(()) };
        self.steps.consolidate_footers()?;
        self.report(step)
    }
}

impl MaintenanceStep {
    fn of_files(kind: StepKind, sources: u64, results: u64, reason: StepReason) -> MaintenanceStep {
        MaintenanceStep { kind, sources, results, bytes_read: 0, bytes_written: 0, reason }
    }

    fn removal(files: u64, settings: &MaintenanceSettings) -> MaintenanceStep {
        let reason = StepReason::Replaced { parameter: RETENTION, retention: settings.retention };
        MaintenanceStep::of_files(StepKind::Vacuum, files, 0, reason)
    }

    fn planned(run: &PlannedMerge, settings: &MaintenanceSettings) -> MaintenanceStep {
        MaintenanceStep {
            kind: StepKind::Fragments,
            sources: run.sources.len() as u64,
            results: 1,
            bytes_read: run.read,
            bytes_written: run.written,
            reason: StepReason::Exceeds {
                number: run.before as u64,
                of: "fragments",
                parameter: MAX_FRAGMENTS,
                bound: settings.limits.fragments as u64,
            },
        }
    }
}

/// The time up to which fragments are merged in a run. Many times as many fragments as the bound are not tolerated for the sake of
/// writers that may be late: without an end to the grace period, frequent writes would leave thousands.
fn merged_until(settings: &MaintenanceSettings, fragments: usize) -> u64 {
    let is_crowded = fragments > settings.limits.fragments.saturating_mul(CROWDED);
    if is_crowded { u64::MAX } else { settled_until(settings) }
}

/// The time up to which all writes are committed: none takes longer than the grace period.
fn settled_until(settings: &MaintenanceSettings) -> u64 {
    timestamp_now().saturating_sub(settings.grace)
}

/// Excludes fragments from merging that are younger than `until`, and those that overlap their time: a write that began
/// earlier may still be committed, and would hide newer cells of a merged fragment. Cells of sparse arrays have timestamps.
fn exclude_young(candidates: &mut [MergeCandidate], until: u64) {
    let is_affected =
        |candidate: &MergeCandidate| candidate.tiles.is_some() || !candidate.name.version().has_touching_visibility();
    if !candidates.iter().any(is_affected) {
        return;
    }
    let is_young = |candidate: &&MergeCandidate| candidate.name.timestamps().1 > until;
    let starts = candidates.iter().filter(is_young).map(|candidate| candidate.name.timestamps().0);
    let Some(first) = starts.min() else { return };
    for candidate in candidates {
        let (_, end) = candidate.name.timestamps();
        candidate.is_mergeable &= end <= until && end < first;
    }
}

/// The time up to which readers do not need replaced fragments.
fn retained_until(settings: &MaintenanceSettings) -> u64 {
    match settings.retention {
        0 => u64::MAX,
        retention => timestamp_now().saturating_sub(retention),
    }
}

fn commits_step(steps: &MaintenanceSteps<'_>, settings: &MaintenanceSettings) -> Result<Option<MaintenanceStep>> {
    let number = steps.loose_commits()? as u64;
    let bound = settings.commits as u64;
    let reason = StepReason::Exceeds { number, of: "commits", parameter: MAX_COMMITS, bound };
    Ok((number > bound).then(|| MaintenanceStep::of_files(StepKind::Commits, number, 1, reason)))
}

fn footers_step(steps: &MaintenanceSteps<'_>, settings: &MaintenanceSettings) -> Result<Option<MaintenanceStep>> {
    let (resources, uri) = steps.array();
    let info = FragmentInfo::new(resources, uri.as_str())?;
    info.load()?;
    let loaded = info.loaded()?;
    let mut all = 0;
    let mut number = 0;
    for fragment in loaded.iter().filter(|info| info.fragment().version().has_footer()) {
        all += 1;
        number += u64::from(!fragment.is_consolidated());
    }
    let bound = settings.footers as u64;
    let reason = StepReason::Exceeds { number, of: "footers of fragments", parameter: MAX_FOOTERS, bound };
    // One file has the footers of all fragments; a single one gains nothing.
    let is_due = number > bound && all > 1;
    Ok(is_due.then(|| MaintenanceStep::of_files(StepKind::FragmentMetadata, all, 1, reason)))
}

/// Reports the steps that can be planned from what is there.
pub(super) fn preview(steps: &MaintenanceSteps<'_>, settings: &MaintenanceSettings, on_step: OnStep<'_>) -> Result<()> {
    let until = retained_until(settings);
    let mut files = 0;
    let on_listed = &mut |_: &_| {
        files += 1;
        Ok(())
    };
    steps.vacuum(until, &mut FileRemoval::dry_run(steps.array().0.vfs(), on_listed))?;
    if files > 0 {
        on_step(&MaintenanceStep::removal(files, settings))?;
    }
    let mut candidates = steps.candidates()?;
    let until = merged_until(settings, candidates.len());
    exclude_young(&mut candidates, until);
    for run in plan(&candidates, &settings.limits) {
        on_step(&MaintenanceStep::planned(&run, settings))?;
    }
    for step in [commits_step(steps, settings)?, footers_step(steps, settings)?].into_iter().flatten() {
        on_step(&step)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::maintain::DenseTileBox;
    use crate::maintain::merge_rule::CellPrecedence;
    use tiledb_core::config::Config;
    use tiledb_core::types::CURRENT_VERSION;

    /// Which fragments with these times can be merged.
    fn mergeable(is_dense: bool, times: &[(u64, u64)]) -> Vec<bool> {
        let candidate = |(start, end): &(u64, u64)| MergeCandidate {
            name: FragmentName::new(*start, *end, CURRENT_VERSION),
            bytes: 1,
            cells: 1,
            tiles: is_dense.then(|| DenseTileBox { spans: Vec::new(), tile_cells: 1 }),
            region: Vec::new(),
            replaced_by: None,
            precedence: if is_dense { CellPrecedence::LastBox } else { CellPrecedence::LatestCell },
            is_mergeable: true,
        };
        let mut candidates: Vec<MergeCandidate> = times.iter().map(candidate).collect();
        exclude_young(&mut candidates, 100);
        candidates.iter().map(|candidate| candidate.is_mergeable).collect()
    }

    #[test]
    fn crowded_arrays_have_no_grace_period() {
        let mut config = Config::default();
        config.set("sm.maintenance.max_fragments", "5").unwrap();
        let settings = MaintenanceSettings::new(&config).unwrap();
        assert!(merged_until(&settings, 50) < timestamp_now());
        assert_eq!(merged_until(&settings, 51), u64::MAX);
    }

    #[test]
    fn young_dense_fragments_and_those_that_overlap_their_time_are_not_merged() {
        assert_eq!(mergeable(true, &[(1, 1), (2, 90), (100, 100)]), [true; 3]);
        assert_eq!(mergeable(true, &[(1, 1), (2, 90), (100, 100), (101, 101)]), [true, true, true, false]);
        assert_eq!(mergeable(true, &[(1, 1), (50, 101), (60, 60), (70, 200)]), [true, false, false, false]);
        assert_eq!(mergeable(false, &[(1, 1), (50, 101), (60, 60), (70, 200)]), [true; 4]);
    }
}
