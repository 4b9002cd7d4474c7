//! Contents of an array's directory: one listing per folder, read once when the array is opened.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::commits::{self, PREPARED, prepared_file};
use super::relist::LISTINGS;
use super::reserved_paths::{check_stays_in_groups, no_array};
use crate::created_paths::CreatedPaths;
use crate::fragment::{Fragment, FragmentName, LEGACY_SCHEMA, METADATA_FILE, times_of};
use tiledb_core::error::{Error, ErrorContext, ErrorKind, Result};
use tiledb_core::sort;
use tiledb_core::stats::Timer;
use tiledb_core::types::FormatVersion;
use tiledb_storage::vfs::{DirItem, Uri, Vfs};

/// The folders of an array since version 12.
pub const FOLDERS: [&str; 7] =
    [SCHEMAS, ENUMERATIONS, "__fragments", "__commits", "__fragment_meta", "__meta", "__labels"];

/// The folder of schemas. With it, a folder is an array.
pub(super) const SCHEMAS: &str = "__schema";

/// The beginning of the names of folders that become that of schemas once they are complete. To libtiledb a name with a dot is no
/// fragment.
pub const STAGED_SCHEMAS: &str = "__schema.";

/// The folder of enumerations. Libraries that know none take it for a schema, and fail to open the array.
const ENUMERATIONS: &str = "__schema/__enumerations";

/// Creates the folders of an array of this version that do not exist, except those of schemas and enumerations.
///
/// # Errors
/// If storage refuses.
pub(super) fn create_data_folders(created: &mut CreatedPaths<'_>, array: &Uri) -> Result<()> {
    let folders = FOLDERS.iter().filter(|folder| !folder.starts_with(SCHEMAS));
    folders.copied().try_for_each(|folder| created.create_dir(&array.join(folder)).map(drop))
}

/// Creates the folders of an array of this version that do not exist.
///
/// # Errors
/// If storage refuses.
pub(super) fn create_folders(created: &mut CreatedPaths<'_>, array: &Uri, version: FormatVersion) -> Result<()> {
    create_data_folders(created, array)?;
    let schemas = if version.has_enumerations() { ENUMERATIONS } else { SCHEMAS };
    created.create_dir(&array.join(schemas)).map(drop)
}

/// A commit that deletes cells by a condition.
#[derive(Clone, Debug)]
pub struct DeleteCommit {
    /// The name, of which the time counts.
    pub name: FragmentName,
    /// The relative name that fragments list once they are free of the deleted cells.
    pub marker: String,
    /// The file that holds the condition.
    pub uri: Uri,
    /// Byte range of the condition's generic tile in the file; all of it for a commit file of its own.
    pub range: Option<Range<u64>>,
}

/// The commits, schemas and consolidated metadata of an array.
#[derive(Clone)]
pub struct ArrayDirectory {
    uri: Uri,
    schemas: Vec<String>,
    fragments: Vec<FragmentName>,
    /// Consolidations: names with the fragments they replace, read when they count.
    vacuums: Vec<(FragmentName, Uri)>,
    deletes: Vec<DeleteCommit>,
    fragment_metas: Vec<Uri>,
    consolidated: Vec<Uri>,
    /// Metadata files, if supplied by a message.
    supplied_metadata: Option<MetadataFiles>,
    supplied_commits: Vec<String>,
    /// Prepared vacuum files of merges that maintainers are committing.
    pending_merges: Vec<(FragmentName, Uri)>,
}

/// Files of metadata, oldest first, and those that others replaced.
#[derive(Clone, Debug, Default)]
pub struct MetadataFiles {
    /// Visible files.
    pub files: Vec<Uri>,
    /// Files replaced by a consolidation.
    pub replaced: Vec<Uri>,
    /// The files that say so.
    pub vacuums: Vec<Uri>,
}

/// Contents of an array's directory, as supplied by a message.
#[derive(Default)]
pub struct DirectoryParts {
    /// The names of the schema files, oldest first.
    pub schemas: Vec<String>,
    /// All committed fragments.
    pub fragments: Vec<FragmentName>,
    /// Consolidations, with the files that say what they replaced.
    pub vacuums: Vec<(FragmentName, Uri)>,
    /// The delete commits.
    pub deletes: Vec<DeleteCommit>,
    /// The consolidated fragment metadata.
    pub fragment_metas: Vec<Uri>,
    /// The files of metadata.
    pub metadata: MetadataFiles,
    /// The consolidated commits.
    pub commits: Vec<String>,
}

/// Names gathered from the commit files of all folders.
#[derive(Default)]
struct CommitListing {
    fragments: Vec<FragmentName>,
    ignored: Vec<Uri>,
    consolidated: Vec<Uri>,
}

impl ArrayDirectory {
    /// Lists the folders of the array at `uri`.
    ///
    /// # Errors
    /// `NotFound` if there is no array; otherwise if the storage fails or a commit file is corrupt.
    pub fn load(vfs: &Vfs, uri: &Uri) -> Result<ArrayDirectory> {
        ArrayDirectory::load_folders(vfs, uri, |_| true, true)
    }

    /// As [`ArrayDirectory::load`], also without schemas.
    ///
    /// # Errors
    /// If the storage fails or a commit file is corrupt.
    pub fn load_contents(vfs: &Vfs, uri: &Uri) -> Result<ArrayDirectory> {
        ArrayDirectory::load_folders(vfs, uri, |_| true, false)
    }

    /// Lists the commits; what else there is only where that costs little.
    ///
    /// # Errors
    /// As [`ArrayDirectory::load`].
    pub fn load_commits(vfs: &Vfs, uri: &Uri) -> Result<ArrayDirectory> {
        let is_local = !vfs.is_remote(uri)?;
        let is_listed = |folder: &str| is_local || !matches!(folder, "__schema" | "__fragment_meta");
        ArrayDirectory::load_folders(vfs, uri, is_listed, true)
    }

    fn load_folders(
        vfs: &Vfs,
        uri: &Uri,
        is_selected: impl Fn(&str) -> bool,
        is_array: bool,
    ) -> Result<ArrayDirectory> {
        check_stays_in_groups(vfs, uri)?;
        // Consolidated commits may be vacuumed after they are listed: a new listing contains what replaced them.
        for attempt in 1.. {
            if let Some(listed) = ArrayDirectory::list_folders(vfs, uri, &is_selected, is_array, attempt == LISTINGS)? {
                return Ok(listed);
            }
        }
        Err(Error::internal("An array was not listed"))
    }

    /// Lists the folders once; `None` if a listed file is gone, unless it is the last attempt.
    fn list_folders(
        vfs: &Vfs,
        uri: &Uri,
        is_selected: &impl Fn(&str) -> bool,
        is_array: bool,
        is_last: bool,
    ) -> Result<Option<ArrayDirectory>> {
        let mut directory = ArrayDirectory::empty(uri);
        let mut listing = CommitListing::default();
        let listed = timed_names(vfs, uri, Timer::ListRoot)?;
        let (folders, files): (Vec<&DirItem>, Vec<&DirItem>) = listed.iter().partition(|item| item.is_dir);
        let has_schemas = folders.iter().any(|folder| folder.name == "__schema" && !is_selected(&folder.name));
        let folders: Vec<&DirItem> = folders.into_iter().filter(|folder| is_selected(&folder.name)).collect();
        let inside = vfs.map(uri, folders.len(), |index| list_folder(vfs, uri, &folders[index].name))?;
        for (folder, inside) in folders.iter().zip(inside) {
            match (folder.name.as_str(), inside) {
                ("__schema", FolderContents::Names(names)) => directory.note_schemas(&names),
                (name, FolderContents::Names(names)) => {
                    let folder = uri.join(name);
                    names.iter().try_for_each(|file| directory.note(&folder, &file.name, &mut listing))?;
                }
                (_, FolderContents::LegacyFragment(fragment)) => listing.fragments.push(fragment),
                (_, FolderContents::Nothing) => (),
            }
        }
        for file in files {
            match file.name.as_str() {
                LEGACY_SCHEMA => directory.schemas.insert(0, LEGACY_SCHEMA.to_owned()),
                name => directory.note(uri, name, &mut listing)?,
            }
        }
        if is_array && !has_schemas {
            directory.check_exists()?;
        }
        match directory.read_consolidated(vfs, &mut listing) {
            Err(error) if !is_last && error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read?,
        }
        directory.fragments = listing.fragments;
        // Before there was a folder for commits a fragment was removed by removing its folder: without it a commit means nothing.
        let there =
            |name: &FragmentName| folders.binary_search_by(|folder| folder.name.as_str().cmp(name.as_str())).is_ok();
        directory.fragments.retain(|name| name.version().has_commits_folder() || there(name));
        sort::by(&mut directory.fragments, Ord::cmp);
        // A commit may be in its own file and in a consolidated one.
        directory.fragments.dedup();
        directory.fragments.shrink_to_fit();
        sort::by(&mut directory.deletes, |a, b| a.name.cmp(&b.name));
        Ok(Some(directory))
    }

    /// Lists only the schemas, which is all that writing needs: it costs the same however many fragments
    /// there are. The oldest is not among them where it has another place than the others.
    ///
    /// # Errors
    /// As [`ArrayDirectory::load`].
    pub fn load_schemas(vfs: &Vfs, uri: &Uri) -> Result<ArrayDirectory> {
        check_stays_in_groups(vfs, uri)?;
        let mut directory = ArrayDirectory::empty(uri);
        directory.note_schemas(&timed_names(vfs, &uri.join("__schema"), Timer::ListSchemas)?[..]);
        // Beside others an array's schema from before there was a folder for them is its oldest.
        if directory.schemas.is_empty() && vfs.is_file(&uri.join(LEGACY_SCHEMA))? {
            directory.schemas.push(LEGACY_SCHEMA.to_owned());
        }
        directory.check_exists()?;
        Ok(directory)
    }

    /// Lists the schemas again if they may be older than `fragments`, which were listed, or than a delete commit: folders are listed one
    /// after the other or concurrently, and meanwhile another process may evolve the schema and write with it. What is merged or
    /// deleted by an older schema would lose the new attributes.
    ///
    /// # Errors
    /// If the schemas cannot be listed.
    pub fn refresh_schemas(&mut self, vfs: &Vfs, fragments: &[Arc<Fragment>]) -> Result<()> {
        let listed: HashSet<&str> = self.schemas.iter().map(String::as_str).collect();
        let mut schemas = fragments.iter().map(|fragment| fragment.schema().name());
        let newest = self.schemas.last().and_then(|name| times_of(name)).map_or(0, |times| times.1);
        let is_listed = schemas.all(|name| listed.contains(name));
        if is_listed && self.deletes.iter().all(|delete| delete.name.timestamps().1 < newest) {
            return Ok(());
        }
        let oldest = self.schemas.first().filter(|name| *name == LEGACY_SCHEMA).cloned();
        self.schemas = ArrayDirectory::load_schemas(vfs, &self.uri)?.schemas;
        if let Some(oldest) = oldest.filter(|oldest| !self.schemas.contains(oldest)) {
            self.schemas.insert(0, oldest);
        }
        Ok(())
    }

    /// An empty directory.
    pub(super) fn empty(uri: &Uri) -> ArrayDirectory {
        ArrayDirectory {
            uri: uri.clone(),
            schemas: Vec::new(),
            fragments: Vec::new(),
            vacuums: Vec::new(),
            deletes: Vec::new(),
            fragment_metas: Vec::new(),
            consolidated: Vec::new(),
            supplied_metadata: None,
            supplied_commits: Vec::new(),
            pending_merges: Vec::new(),
        }
    }

    /// The directory of the array at `uri`, with supplied contents.
    pub fn from_parts(uri: &Uri, parts: DirectoryParts) -> ArrayDirectory {
        let DirectoryParts { schemas, mut fragments, vacuums, mut deletes, fragment_metas, metadata, commits } = parts;
        sort::by(&mut fragments, Ord::cmp);
        fragments.dedup();
        sort::by(&mut deletes, |a, b| a.name.cmp(&b.name));
        let supplied_metadata = Some(metadata);
        let supplied_commits = commits;
        let rest = ArrayDirectory::empty(uri);
        ArrayDirectory {
            schemas,
            fragments,
            vacuums,
            deletes,
            fragment_metas,
            supplied_metadata,
            supplied_commits,
            ..rest
        }
    }

    /// The metadata files, if supplied by a message.
    pub fn supplied_metadata(&self) -> Option<&MetadataFiles> {
        self.supplied_metadata.as_ref()
    }

    /// The consolidated commits, under the names of their original files relative to the array.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn consolidated_commits(&self, vfs: &Vfs) -> Result<Vec<String>> {
        let files = vfs.map(&self.uri, self.consolidated.len(), |index| vfs.read(&self.consolidated[index]))?;
        let mut names: HashSet<String> = self.supplied_commits.iter().cloned().collect();
        for bytes in files {
            let commits = commits::read(&bytes, &HashSet::new())?;
            names.extend(commits.fragments.into_iter().map(|name| match name.ends_with(".wrt") {
                true => format!("__commits/{name}"),
                false => name,
            }));
            names.extend(commits.deletes.into_iter().map(|delete| delete.0));
        }
        let mut names: Vec<String> = names.into_iter().collect();
        sort::by(&mut names, Ord::cmp);
        Ok(names)
    }

    fn check_exists(&self) -> Result<()> {
        match self.schemas.is_empty() {
            true => Err(Error::new(ErrorKind::NotFound, format!("Cannot open array; {}", no_array(&self.uri)))),
            false => Ok(()),
        }
    }

    fn note_schemas(&mut self, listed: &[DirItem]) {
        let files = listed.iter().filter(|item| !item.is_dir).map(|item| &item.name);
        self.schemas.extend(files.filter(|name| times_of(name).is_some()).cloned());
    }

    /// Sorts a file into what it is by its extension; others are no concern of ours.
    fn note(&mut self, folder: &Uri, file: &str, listing: &mut CommitListing) -> Result<()> {
        let Some((_, extension)) = file.rsplit_once('.') else { return Ok(()) };
        match extension {
            "con" => listing.consolidated.push(folder.join(file)),
            "ign" => listing.ignored.push(folder.join(file)),
            "meta" => self.fragment_metas.push(folder.join(file)),
            "wrt" | "ok" => listing.fragments.extend(commit_name(file)?),
            "vac" => self.vacuums.extend(commit_name(file)?.map(|name| (name, folder.join(file)))),
            "del" => self.deletes.extend(commit_name(file)?.map(|name| DeleteCommit {
                name,
                marker: format!("__commits/{file}"),
                uri: folder.join(file),
                range: None,
            })),
            PREPARED => {
                let vacuum = prepared_file(file).filter(|name| name.ends_with(".vac"));
                let name = vacuum.and_then(|name| FragmentName::parse(name).ok());
                self.pending_merges.extend(name.map(|name| (name, folder.join(file))));
            }
            _ => (),
        }
        Ok(())
    }

    fn read_consolidated(&mut self, vfs: &Vfs, listing: &mut CommitListing) -> Result<()> {
        if listing.consolidated.is_empty() {
            return Ok(());
        }
        self.consolidated.clone_from(&listing.consolidated);
        let _timer = vfs.stats().timer(Timer::ReadConsolidatedCommits);
        let read = |files: &[Uri]| vfs.map(&self.uri, files.len(), |index| vfs.read(&files[index]));
        let ignored: HashSet<String> =
            read(&listing.ignored)?.iter().flat_map(|bytes| commits::ignored(bytes)).collect();
        let files =
            vfs.map(&self.uri, listing.consolidated.len(), |index| Ok(vfs.read(&listing.consolidated[index])))?;
        let places = self.deletes.iter().map(|own| own.marker.clone()).zip(0..);
        let mut places: HashMap<String, usize> = places.collect();
        for (file, bytes) in listing.consolidated.iter().zip(files) {
            let of_file = || format!("Cannot read the consolidated commits '{file}'");
            let consolidated = bytes.and_then(|bytes| commits::read(&bytes, &ignored)).context(of_file)?;
            for name in consolidated.fragments {
                listing.fragments.push(FragmentName::parse(&name).context(of_file)?);
            }
            for (marker, range) in consolidated.deletes {
                let name = FragmentName::parse(commits::last_part(&marker)).context(of_file)?;
                let place = *places.entry(marker.clone()).or_insert(self.deletes.len());
                let delete = DeleteCommit { name, marker, uri: file.clone(), range: Some(range) };
                match self.deletes.get_mut(place) {
                    Some(own) => *own = delete,
                    None => self.deletes.push(delete),
                }
            }
        }
        Ok(())
    }

    /// The array's folder.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The names of the schema files, oldest first; that of old arrays counts as the oldest.
    pub fn schemas(&self) -> &[String] {
        &self.schemas
    }

    /// All committed fragments, by first time and name.
    pub fn fragments(&self) -> &[FragmentName] {
        &self.fragments
    }

    /// The consolidated fragment metadata.
    pub fn fragment_metas(&self) -> &[Uri] {
        &self.fragment_metas
    }

    /// Whether there are consolidated commits.
    pub fn has_consolidated_commits(&self) -> bool {
        !self.consolidated.is_empty() || !self.supplied_commits.is_empty()
    }

    /// The vacuum files: what each consolidation replaced.
    pub fn vacuums(&self) -> &[(FragmentName, Uri)] {
        &self.vacuums
    }

    /// The vacuum files whose contents do not change any more: those of merges that a maintainer is committing hide the new
    /// fragments until then. They have the timestamps of a prepared vacuum file.
    pub fn settled_vacuums(&self) -> impl Iterator<Item = &(FragmentName, Uri)> {
        self.vacuums.iter().filter(|(name, _)| !self.is_pending(name.timestamps()))
    }

    /// Merges that a maintainer is committing, by their last result: without the prepared file, it hides their sources no more.
    pub fn pending_merges(&self) -> &[(FragmentName, Uri)] {
        &self.pending_merges
    }

    /// True if a merge of these times is being committed.
    fn is_pending(&self, timestamps: (u64, u64)) -> bool {
        self.pending_merges.iter().any(|(name, _)| name.timestamps() == timestamps)
    }

    /// The directory after a merge has hidden its sources by the file `vacuum`, if nothing else has changed in it except deletes
    /// since `before` was listed. This one was listed between the commit of the new fragments and that.
    #[must_use]
    pub fn after_merge(
        mut self,
        before: &ArrayDirectory,
        created: &[FragmentName],
        vacuum: Uri,
    ) -> Option<ArrayDirectory> {
        let last = created.last()?;
        let mut expected = before.fragments.iter();
        let is_unchanged = self.fragments.len() == before.fragments.len() + created.len()
            && self.fragments.iter().all(|name| created.contains(name) || expected.next() == Some(name));
        // The merge hides its results until it hides its sources.
        let is_known = |listed: &(FragmentName, Uri)| before.vacuums.contains(listed);
        let is_hiding =
            |name: &FragmentName| name.timestamps() == last.timestamps() && self.is_pending(name.timestamps());
        let has_vacuums = before.vacuums.iter().all(|known| self.vacuums.contains(known))
            && self.vacuums.iter().all(|listed| is_known(listed) || is_hiding(&listed.0));
        if !is_unchanged || !has_vacuums {
            return None;
        }
        self.pending_merges.clone_from(&before.pending_merges);
        self.vacuums.clone_from(&before.vacuums);
        self.vacuums.push((last.clone(), vacuum));
        if self.schemas.is_empty() {
            // Commits were listed alone.
            self.schemas.clone_from(&before.schemas);
            self.fragment_metas.clone_from(&before.fragment_metas);
        }
        Some(self)
    }

    /// All delete commits, by time.
    pub fn deletes(&self) -> &[DeleteCommit] {
        &self.deletes
    }

    /// The directory with some of the delete commits.
    #[must_use]
    pub fn with_deletes(&self, is_included: impl Fn(&DeleteCommit) -> bool) -> ArrayDirectory {
        let mut directory = self.clone();
        directory.deletes.retain(is_included);
        directory
    }

    /// Divides the fragments that are visible in the window into those to read and those replaced by a consolidation.
    /// Since cells of sparse arrays are filtered by time individually, fragments of newer versions need only overlap
    /// the window there.
    ///
    /// # Errors
    /// If a vacuum file cannot be read.
    pub fn visible(
        &self,
        vfs: &Vfs,
        window: (u64, u64),
        touching: bool,
    ) -> Result<(Vec<FragmentName>, Vec<FragmentName>)> {
        let _timer = vfs.stats().timer(Timer::ChooseFragments);
        let counts = |name: &FragmentName| name.is_in(window, touching && name.version().has_touching_visibility());
        let files: Vec<&Uri> = self.vacuums.iter().filter(|vacuum| counts(&vacuum.0)).map(|vacuum| &vacuum.1).collect();
        let files = vfs.map(&self.uri, files.len(), |index| vfs.read(files[index]))?;
        let replaced: HashSet<String> = files.iter().flat_map(|bytes| commits::vacuumed(bytes)).collect();
        let counting = self.fragments.iter().filter(|name| counts(name)).cloned();
        let (mut read, replaced): (Vec<_>, Vec<_>) = counting.partition(|name| !replaced.contains(name.as_str()));
        read.shrink_to_fit();
        Ok((read, replaced))
    }
}

/// The name of a commit; `None` for the file of another program.
///
/// # Errors
/// If its format version is not read: cells and deletes must not be missing from results without notice.
fn commit_name(file: &str) -> Result<Option<FragmentName>> {
    match FragmentName::parse(file) {
        Err(error) if error.kind() == ErrorKind::Unsupported => Err(error),
        parsed => Ok(parsed.ok()),
    }
}

/// Relevant contents of a folder of an array.
enum FolderContents {
    Nothing,
    Names(Arc<Vec<DirItem>>),
    /// Fragments before there were commit files count as soon as they have metadata.
    LegacyFragment(FragmentName),
}

fn list_folder(vfs: &Vfs, array: &Uri, name: &str) -> Result<FolderContents> {
    let timer = match name {
        "__schema" => Timer::ListSchemas,
        "__commits" => Timer::ListCommits,
        "__fragment_meta" => Timer::ListFragmentMetadata,
        _ => {
            let fragment = FragmentName::parse(name).ok().filter(|name| !name.version().has_commit_files());
            return Ok(match fragment {
                Some(fragment) if vfs.is_file(&array.join(name).join(METADATA_FILE))? => {
                    FolderContents::LegacyFragment(fragment)
                }
                _ => FolderContents::Nothing,
            });
        }
    };
    Ok(FolderContents::Names(timed_names(vfs, &array.join(name), timer)?))
}

/// Lists a folder.
fn timed_names(vfs: &Vfs, folder: &Uri, timer: Timer) -> Result<Arc<Vec<DirItem>>> {
    let _timer = vfs.stats().timer(timer);
    vfs.cached_names(folder)
}

#[cfg(test)]
mod tests;
