//! Verification of commits: which fragments are committed, and whether commit files and consolidated files match the
//! directory.

use std::collections::{HashMap, HashSet};

use super::array_listing::{ArrayListing, FragmentFolder, ListedFile};
use super::context::{VerifyContext, unless_stopped};
use super::finding::{Code, Finding, Severity};
use super::report::Report;
use tiledb_array::array::commits::ConsolidatedEntry;
use tiledb_array::array::{check_footers, commits, consolidated_footers};
use tiledb_array::condition::Predicate;
use tiledb_array::fragment::{Footer, Fragment, FragmentName};
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{Result, bail};
use tiledb_filters::tile::generic::StructurePayload;
use tiledb_storage::vfs::Uri;

/// Contents of the commit files.
#[derive(Default)]
pub(super) struct Commits {
    /// Committed fragments, with the file that says so.
    committed: HashMap<String, Uri>,
    /// Replaced ones, with the file that says so.
    replaced: HashMap<String, Uri>,
    /// Entries of consolidated commits.
    consolidated: HashSet<String>,
    /// Ignored entries, with the file that says so.
    ignored: Vec<(String, Uri)>,
    /// Consolidated footers of fragments.
    footers: HashMap<String, Vec<(Uri, Vec<u8>)>>,
}

impl Commits {
    /// Reads all files of commits and of consolidated footers.
    ///
    /// # Errors
    /// What stops the verification.
    pub(super) fn read(work: &VerifyContext<'_>, listing: &ArrayListing, report: &mut Report<'_>) -> Result<Commits> {
        let mut found = Commits::default();
        let mut unread = Vec::new();
        for file in &listing.commits {
            let bytes = match unless_stopped(work.resources.vfs().read(&file.uri))? {
                Ok(bytes) => bytes,
                Err(error) => {
                    report.report(&Finding::of(Code::Commit, &file.uri, &error).with_severity(Severity::Error))?;
                    continue;
                }
            };
            report.file(file.size)?;
            if let Err(error) = unless_stopped(found.note(work, file, &bytes, &mut unread))? {
                let code = if file.name.ends_with(".del") { Code::Deletion } else { Code::Commit };
                report.report(&Finding::of(code, &file.uri, &error).with_severity(Severity::Error))?;
            }
        }
        // Ignored entries are known once all files were read.
        let ignored: HashSet<&str> = found.ignored.iter().map(|(line, _)| line.as_str()).collect();
        for (line, uri) in unread {
            let name = commits::last_part(&line);
            match FragmentName::parse(name) {
                Err(error) => {
                    report.report(&Finding::of(Code::Commit, &uri, &error).with_severity(Severity::Error))?;
                }
                Ok(name) if !ignored.contains(line.as_str()) => {
                    found.committed.entry(name.as_str().to_owned()).or_insert(uri);
                }
                Ok(_) => (),
            }
        }
        for file in &listing.footers {
            let bytes = unless_stopped(work.resources.vfs().read(&file.uri))?;
            report.file(file.size)?;
            let read = bytes.and_then(|bytes| found.note_footers(work, file, &bytes));
            if let Err(error) = unless_stopped(read)? {
                report.report(&Finding::of(Code::Consolidated, &file.uri, &error))?;
            }
        }
        Ok(found)
    }

    fn note(
        &mut self,
        work: &VerifyContext<'_>,
        file: &ListedFile,
        bytes: &[u8],
        unread: &mut Vec<(String, Uri)>,
    ) -> Result<()> {
        let extension = file.name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension {
            "wrt" | "ok" => {
                let name = FragmentName::parse(&file.name)?;
                self.committed.insert(name.as_str().to_owned(), file.uri.clone());
            }
            "vac" => self.replaced.extend(commits::vacuumed(bytes).map(|name| (name, file.uri.clone()))),
            "ign" => self.ignored.extend(commits::ignored(bytes).map(|line| (line, file.uri.clone()))),
            "del" => condition(work, bytes)?,
            "con" => {
                if bytes.is_empty() {
                    bail!(Corrupt, "Consolidated commits: the file is empty; its commits are missing");
                }
                let mut first_other = None;
                for entry in commits::entries(bytes) {
                    match entry? {
                        ConsolidatedEntry::Delete(line, range) => {
                            self.consolidated.insert(line.to_owned());
                            condition(work, bytes.get(range.start as usize..range.end as usize).unwrap_or_default())?;
                        }
                        ConsolidatedEntry::Fragment(line) => {
                            self.consolidated.insert(line.to_owned());
                            unread.push((line.to_owned(), file.uri.clone()));
                        }
                        ConsolidatedEntry::Other(position) => _ = first_other.get_or_insert(position),
                    }
                }
                if let Some(position) = first_other {
                    let text = "names no commit, and readers ignore it; commits that were to follow may be missing";
                    bail!(Corrupt, "Consolidated commits: the line at byte {position} {text}");
                }
            }
            _ => (),
        }
        Ok(())
    }

    fn note_footers(&mut self, work: &VerifyContext<'_>, file: &ListedFile, bytes: &[u8]) -> Result<()> {
        let StructurePayload { bytes: payload, mut memory, tile_size: taken } = work.decode(bytes, &check_footers)?;
        if taken < bytes.len() {
            bail!(Corrupt, "{} bytes follow the tile", bytes.len() - taken);
        }
        let places = consolidated_footers(&payload, &mut memory)?;
        for (at, (name, offset)) in places.iter().enumerate() {
            let end = places.get(at + 1).map_or(payload.len(), |next| next.1);
            let footer = payload.get(*offset..end).unwrap_or_default().to_vec();
            let name = commits::last_part(name).to_owned();
            self.footers.entry(name).or_default().push((file.uri.clone(), footer));
        }
        Ok(())
    }

    /// True if a fragment counts.
    pub(super) fn has(&self, folder: &FragmentFolder) -> bool {
        match folder.name.version().has_commit_files() {
            true => self.committed.contains_key(folder.name.as_str()),
            false => folder.has_metadata(),
        }
    }

    /// True if a vacuum file hides a fragment.
    pub(super) fn is_replaced(&self, name: &FragmentName) -> bool {
        self.replaced.contains_key(name.as_str())
    }

    /// Checks that referenced fragments exist.
    ///
    /// # Errors
    /// Errors that stop the verification.
    pub(super) fn check(&self, listing: &ArrayListing, report: &mut Report<'_>) -> Result<()> {
        let there = &listing.fragments;
        for (name, uri) in &self.committed {
            if there.contains_key(name) {
                continue;
            }
            let is_replaced = self.replaced.contains_key(name);
            let text = format!("It commits fragment '{name}', which is not there");
            let severity = if is_replaced { Severity::Note } else { Severity::Error };
            report.report(
                &Finding { fragment: Some(name.clone()), ..Finding::new(Code::Commit, uri, text) }
                    .with_severity(severity),
            )?;
        }
        for (name, uri) in self.replaced.iter().filter(|(name, _)| !there.contains_key(*name)) {
            let text = format!("It says that fragment '{name}' was replaced, which is not there");
            let severity = if self.can_be_vacuumed(name, uri, listing) { Severity::Note } else { Severity::Warning };
            report.report(
                &Finding { fragment: Some(name.clone()), ..Finding::new(Code::Commit, uri, text) }
                    .with_severity(severity),
            )?;
        }
        for uri in self.replaced.values().collect::<HashSet<_>>() {
            let own = FragmentName::parse(uri.last_part()).ok();
            if let Some(name) = own.filter(|name| !there.contains_key(name.as_str()) && !self.hides_results(name, uri))
            {
                let text = format!("It hides fragments in favour of '{name}', which is not there");
                // A vacuum that was stopped has removed it, since it was replaced itself.
                let is_committed = self.committed.contains_key(name.as_str());
                let severity = match self.replaced.get(name.as_str()) {
                    Some(by) if !is_committed && self.can_be_vacuumed(name.as_str(), by, listing) => Severity::Note,
                    Some(_) => Severity::Warning,
                    None => Severity::Error,
                };
                report.report(&Finding::new(Code::Commit, uri, text).with_severity(severity))?;
            }
        }
        for (line, uri) in self.ignored.iter().filter(|(line, _)| !self.consolidated.contains(line)) {
            let text = format!("It takes back the commit '{line}', which no consolidated commits have");
            report.report(&Finding::new(Code::Commit, uri, text))?;
        }
        for (name, folder) in there.iter().filter(|(_, folder)| !self.has(folder)) {
            let Some(file) = folder.files.first() else { continue };
            let finding = Finding::new(Code::Orphan, &file.uri, format!("Fragment '{name}' was not committed"));
            report.report(&Finding { fragment: Some(name.clone()), ..finding })?;
        }
        Ok(())
    }

    /// True if a vacuum that was stopped can have removed a missing fragment that the vacuum file `file` lists. It removes commits
    /// before fragments, and vacuum files last; the cells are in the result of the merge, or in a later one that replaced it.
    fn can_be_vacuumed(&self, missing: &str, file: &Uri, listing: &ArrayListing) -> bool {
        let is_revoked = |name: &str| !self.committed.contains_key(name);
        let names = (FragmentName::parse(file.last_part()), FragmentName::parse(missing));
        let (Ok(result), Ok(source)) = names else { return false };
        if !covers(result.timestamps(), source.timestamps()) {
            return false;
        }
        let result_is_kept = match listing.fragments.get(result.as_str()) {
            Some(folder) => self.has(folder),
            None => self.is_replaced(&result) && is_revoked(result.as_str()),
        };
        is_revoked(missing) && (result_is_kept || self.hides_results(&result, file))
    }

    /// True if a vacuum file hides the results of a merge that a maintainer has not completed: they have its timestamps.
    fn hides_results(&self, name: &FragmentName, file: &Uri) -> bool {
        let has_times =
            |hidden: &str| FragmentName::parse(hidden).is_ok_and(|hidden| hidden.timestamps() == name.timestamps());
        self.replaced.iter().any(|(hidden, by)| by == file && has_times(hidden))
    }

    /// Compares the footers that consolidated metadata hold of a fragment with its own.
    ///
    /// # Errors
    /// What stops the verification.
    pub(super) fn compare_footer(&self, fragment: &Fragment, report: &mut Report<'_>) -> Result<()> {
        for (uri, bytes) in self.footers.get(fragment.name().as_str()).into_iter().flatten() {
            let text = match Footer::read(bytes, fragment.schema()) {
                Ok(footer) if footer == *fragment.footer() => continue,
                Ok(_) => "The footer differs from that in the fragment".to_owned(),
                Err(error) => error.text().to_owned(),
            };
            let finding = Finding::new(Code::Consolidated, uri, text);
            report.report(&Finding { fragment: Some(fragment.name().as_str().to_owned()), ..finding })?;
        }
        Ok(())
    }
}

/// True if the range of times of a merge includes that of a source.
pub(super) fn covers(merged: (u64, u64), source: (u64, u64)) -> bool {
    merged.0 <= source.0 && source.1 <= merged.1
}

/// A deletion can be loaded.
fn condition(work: &VerifyContext<'_>, bytes: &[u8]) -> Result<()> {
    Predicate::load(bytes, &work.key, StructureBudget::of(work.resources.config())?).map(drop)
}
