//! Open array: an immutable snapshot shared by queries.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::consolidated_footers::ConsolidatedFooters;
use super::relist::{LISTINGS, relist};
use super::unconsolidated::names_to_read;
use super::{
    ArrayDirectory, ArraySource, DeleteCommit, DeleteCondition, Metadata, MetadataFiles, SchemaStore, deletes,
};
use crate::fragment::{Fragment, FragmentName, MetadataCaching};
use crate::schema::{ArraySchema, CurrentDomain, Enumeration};
use tiledb_core::config::Config;
use tiledb_core::error::{ErrorKind, Result, bail};
use tiledb_core::limits::fragment::{FRAGMENTS_PER_TASK, MAX_CACHED_FRAGMENTS};
use tiledb_core::stats::{Counter, Timer};
use tiledb_core::types::{FormatVersion, Name, NamedList, NdRange, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Estimated work of loading one fragment, in bytes.
const FRAGMENT_WORK: usize = 4096;

/// The snapshot of an array at the time it was opened, bound to one context.
pub struct OpenArray {
    pub(super) opened: Arc<ArraySnapshot>,
    resources: Resources,
    handle_state: Arc<HandleState>,
}

/// State that is independent of the context.
pub(super) struct ArraySnapshot {
    uri: Uri,
    key: EncryptionKey,
    query_type: QueryType,
    timestamps: (u64, u64),
    directory: ArrayDirectory,
    schemas: SchemaStore,
    schema: Arc<ArraySchema>,
    /// Fragments to read, by first time and name.
    names: Vec<FragmentName>,
    /// Loaded when the array is opened if that is cheap, otherwise on first use.
    pub(super) fragments: OnceLock<Vec<Arc<Fragment>>>,
    pub(super) metadata: OnceLock<Metadata>,
    /// The metadata files when the array was opened, if listing them is cheap.
    listed_metadata: OnceLock<MetadataFiles>,
    /// As supplied by a message.
    non_empty_domain: Mutex<Option<Option<NdRange>>>,
    /// The server of a remote array.
    pub(super) source: Option<Arc<dyn ArraySource>>,
    delete_conditions: OnceLock<Vec<DeleteCondition>>,
    /// The arrays of labels, by the names of the labels.
    pub(super) labels: Mutex<NamedList<(Name, Arc<OpenArray>)>>,
    /// The current domain that a caller chose instead of the schema's.
    chosen_domain: Mutex<Option<CurrentDomain>>,
}

impl ArraySnapshot {
    /// An array of which only the schemas are loaded.
    pub(super) fn new(
        directory: ArrayDirectory,
        key: &EncryptionKey,
        query_type: QueryType,
        timestamps: (u64, u64),
        schemas: SchemaStore,
        schema: Arc<ArraySchema>,
        names: Vec<FragmentName>,
    ) -> ArraySnapshot {
        ArraySnapshot {
            uri: directory.uri().clone(),
            key: key.clone(),
            query_type,
            timestamps,
            directory,
            schemas,
            schema,
            names,
            fragments: OnceLock::new(),
            metadata: OnceLock::new(),
            listed_metadata: OnceLock::new(),
            non_empty_domain: Mutex::default(),
            source: None,
            delete_conditions: OnceLock::new(),
            labels: Mutex::default(),
            chosen_domain: Mutex::default(),
        }
    }

    /// The non-empty domain, if supplied by a message; `Some(None)` if there are no cells.
    pub(super) fn supplied_domain(&self) -> MutexGuard<'_, Option<Option<NdRange>>> {
        self.non_empty_domain.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenArray {
    /// Opens the array at `uri` for one query type. Reads see the fragments in the window of
    /// `timestamps`; writes use its end as the timestamp of new cells, where 0 means the time of the write.
    ///
    /// # Errors
    /// `NotFound` if there is no array; otherwise if its schema or a fragment cannot be read.
    pub fn open(
        resources: &Resources,
        uri: &Uri,
        query_type: QueryType,
        timestamps: (u64, u64),
        key: &EncryptionKey,
    ) -> Result<OpenArray> {
        OpenArray::open_timed(resources, uri, query_type, timestamps, key, timers_of(query_type))
    }

    /// Reopens an array for reading.
    ///
    /// # Errors
    /// As [`OpenArray::open`].
    pub(super) fn reopen(
        resources: &Resources,
        uri: &Uri,
        timestamps: (u64, u64),
        key: &EncryptionKey,
    ) -> Result<OpenArray> {
        let timers = [Timer::Reopen, Timer::ReopenDirectory, Timer::ReadSchemas];
        OpenArray::open_timed(resources, uri, QueryType::Read, timestamps, key, timers)
    }

    fn open_timed(
        resources: &Resources,
        uri: &Uri,
        query_type: QueryType,
        timestamps: (u64, u64),
        key: &EncryptionKey,
        [opening, directory_timer, schemas_timer]: [Timer; 3],
    ) -> Result<OpenArray> {
        resources.threads().check_computing()?;
        let stats = resources.stats();
        let _timer = stats.timer(opening);
        let list = || {
            let _timer = stats.timer(directory_timer);
            match query_type {
                QueryType::Write => ArrayDirectory::load_schemas(resources.vfs(), uri),
                _ => ArrayDirectory::load(resources.vfs(), uri),
            }
        };
        let open = |directory| {
            let _timer = stats.timer(schemas_timer);
            OpenArray::of_directory(resources, directory, query_type, timestamps, key)
        };
        relist(LISTINGS, || open(list()?))
    }

    fn of_directory(
        resources: &Resources,
        directory: ArrayDirectory,
        query_type: QueryType,
        timestamps: (u64, u64),
        key: &EncryptionKey,
    ) -> Result<OpenArray> {
        let schemas = SchemaStore::new(resources, &directory, key);
        let reads = query_type == QueryType::Read;
        let _timer = reads.then(|| resources.stats().timer(Timer::ReadAll));
        let schema = match (query_type, timestamps.1) {
            (QueryType::Read, end) => schemas.at(end)?,
            (QueryType::Delete | QueryType::Update, end @ 1..) => schemas.at(end)?,
            _ => schemas.newest()?,
        };
        check_changing(query_type, schema.version())?;
        let names = match reads {
            true => names_to_read(resources.vfs(), &directory, &schemas, &schema, timestamps)?,
            false => Vec::new(),
        };
        let is_local = !resources.vfs().is_remote(directory.uri())?;
        let array = OpenArray::of(
            resources,
            ArraySnapshot::new(directory, key, query_type, timestamps, schemas, schema, names),
        );
        if is_local {
            // Later their files may be gone.
            array.fragments()?;
            let listed = reads.then(|| super::metadata::metadata_files(resources.vfs(), array.uri(), timestamps));
            // Whoever needs them gets the error.
            if let Some(Ok(listed)) = listed {
                _ = array.opened.listed_metadata.set(listed);
            }
            if let (true, Err(error)) = (reads, array.delete_conditions())
                && error.kind() == ErrorKind::NotFound
            {
                return Err(error);
            }
        }
        Ok(array)
    }

    pub(super) fn of(resources: &Resources, opened: ArraySnapshot) -> OpenArray {
        OpenArray { opened: Arc::new(opened), resources: resources.clone(), handle_state: Arc::default() }
    }

    /// The same array for use in another context.
    #[must_use]
    pub fn in_context(self: &Arc<OpenArray>, resources: &Resources) -> Arc<OpenArray> {
        match self.resources.is(resources) {
            true => self.clone(),
            false => Arc::new(OpenArray {
                opened: self.opened.clone(),
                resources: resources.clone(),
                handle_state: self.handle_state.clone(),
            }),
        }
    }

    /// The array with some of its fragments, for merging these: it has the newest schema, all cells count, and all
    /// deletions.
    ///
    /// # Errors
    /// If the schema cannot be read.
    pub fn of_fragments(
        resources: &Resources,
        directory: ArrayDirectory,
        key: &EncryptionKey,
        fragments: Vec<Arc<Fragment>>,
    ) -> Result<OpenArray> {
        let schemas = SchemaStore::new(resources, &directory, key);
        let schema = schemas.newest()?;
        record_dropped_attributes(&schemas, &schema, &fragments)?;
        let names = fragments.iter().map(|fragment| fragment.name().clone()).collect();
        // The greatest number is the time at which living cells will be deleted.
        let window = (0, u64::MAX - 1);
        let mut opened = ArraySnapshot::new(directory, key, QueryType::Read, window, schemas, schema, names);
        opened.fragments = OnceLock::from(fragments);
        Ok(OpenArray::of(resources, opened))
    }

    /// The array's URI.
    pub fn uri(&self) -> &Uri {
        &self.opened.uri
    }

    pub fn query_type(&self) -> QueryType {
        self.opened.query_type
    }

    /// The schema as of the opening time.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.opened.schema
    }

    /// The current domain that queries keep to: the schema's, unless another was chosen.
    pub fn current_domain(&self) -> CurrentDomain {
        self.chosen_domain().unwrap_or_else(|| self.opened.schema.current_domain().clone())
    }

    /// The current domain that was chosen.
    fn chosen_domain(&self) -> Option<CurrentDomain> {
        self.opened.chosen_domain.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Chooses a current domain, for as long as the array stays open.
    pub fn choose_domain(&self, domain: CurrentDomain) {
        *self.opened.chosen_domain.lock().unwrap_or_else(PoisonError::into_inner) = Some(domain);
    }

    /// All schemas of the array.
    pub fn schemas(&self) -> &SchemaStore {
        &self.opened.schemas
    }

    /// The fragments to read, by first time and name; empty unless opened for reading. On storage where each costs a
    /// request they are loaded on first use.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn fragments(&self) -> Result<&[Arc<Fragment>]> {
        if let Some(fragments) = self.opened.fragments.get() {
            return Ok(fragments);
        }
        let ArraySnapshot { directory, schemas, key, names, .. } = &*self.opened;
        let loaded = match names.is_empty() {
            true => Vec::new(),
            false => load_fragments(&self.resources, directory, schemas, key, names)?,
        };
        record_dropped_attributes(schemas, &self.opened.schema, &loaded)?;
        Ok(self.opened.fragments.get_or_init(|| loaded))
    }

    /// Loads fragments that the array was listed with, whether readers see them or not.
    ///
    /// # Errors
    /// If the metadata of a fragment cannot be read.
    pub fn load_listed(&self, names: &[FragmentName]) -> Result<Vec<Arc<Fragment>>> {
        let ArraySnapshot { directory, schemas, key, .. } = &*self.opened;
        if names.is_empty() { Ok(Vec::new()) } else { load_fragments(&self.resources, directory, schemas, key, names) }
    }

    /// The directory at the time of opening; of an array opened for writing only the schemas.
    pub fn directory(&self) -> &ArrayDirectory {
        &self.opened.directory
    }

    /// The delete commits inside the window, by time.
    pub fn deletes(&self) -> impl Iterator<Item = &DeleteCommit> {
        self.opened.directory.deletes().iter().filter(|delete| delete.name.is_in(self.opened.timestamps, false))
    }

    /// The deletions inside the window, by time; read on first use.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn delete_conditions(&self) -> Result<&[DeleteCondition]> {
        if let Some(conditions) = self.opened.delete_conditions.get() {
            return Ok(conditions);
        }
        let conditions = deletes::read(&self.resources, self.key(), &self.deletes().collect::<Vec<_>>())?;
        Ok(self.opened.delete_conditions.get_or_init(|| conditions))
    }

    /// The enumeration with this name of the array's schema.
    ///
    /// # Errors
    /// If there is none, or its file cannot be read.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>> {
        self.schema().loaded_enumeration(name)
    }

    /// Reads all enumerations of the array's schema.
    ///
    /// # Errors
    /// As [`OpenArray::enumeration`].
    pub fn load_enumerations(&self) -> Result<()> {
        self.schema().enumerations().iter().try_for_each(|known| known.values().map(drop))
    }

    /// Reads all enumerations of all schemas of the array.
    ///
    /// # Errors
    /// If a schema or an enumeration cannot be read.
    pub fn load_enumerations_of_all_schemas(&self) -> Result<()> {
        for name in self.schemas().names() {
            let schema = self.schemas().get(name)?;
            schema.enumerations().iter().try_for_each(|known| known.values().map(drop))?;
        }
        Ok(())
    }

    /// The metadata of the window, read on first use.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn metadata(&self) -> Result<&Metadata> {
        if let Some(metadata) = self.opened.metadata.get() {
            return Ok(metadata);
        }
        let ArraySnapshot { uri, timestamps, key, source, listed_metadata, .. } = &*self.opened;
        let load = || Metadata::load(&self.resources, uri, *timestamps, key, Counter::MetadataRead);
        let metadata = match (source, listed_metadata.get()) {
            (Some(source), _) => source.metadata()?,
            (None, None) => load()?,
            (None, Some(listed)) => {
                match Metadata::load_files(&self.resources, listed.files.clone(), key, Counter::MetadataRead) {
                    // They were vacuumed since.
                    Err(error) if error.kind() == ErrorKind::NotFound => load()?,
                    loaded => loaded?,
                }
            }
        };
        Ok(self.opened.metadata.get_or_init(|| metadata))
    }

    /// The metadata files, and those that they replaced.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn metadata_files(&self) -> Result<MetadataFiles> {
        let ArraySnapshot { uri, timestamps, directory, source, listed_metadata, .. } = &*self.opened;
        if let Some(listed) = listed_metadata.get() {
            return Ok(listed.clone());
        }
        match (directory.supplied_metadata(), source) {
            (Some(supplied), _) => Ok(supplied.clone()),
            (None, Some(_)) => Ok(MetadataFiles::default()),
            (None, None) => super::metadata::metadata_files(self.resources.vfs(), uri, *timestamps),
        }
    }

    /// The server of a remote array.
    pub fn source(&self) -> Option<&Arc<dyn ArraySource>> {
        self.opened.source.as_ref()
    }

    /// The window it was opened at. The end is 0 where cells get the time of writing.
    pub fn timestamps(&self) -> (u64, u64) {
        self.opened.timestamps
    }

    /// The times of a fragment written now: twice the end of the window, or twice 0 for the time
    /// of writing.
    pub fn write_timestamps(&self) -> (u64, u64) {
        (self.opened.timestamps.1, self.opened.timestamps.1)
    }

    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    pub fn config(&self) -> &Config {
        self.resources.config()
    }

    pub fn key(&self) -> &EncryptionKey {
        &self.opened.key
    }

    /// The query type that the array's handle is currently open for, if it is: queries start only if it is theirs.
    /// Arrays without a handle stay open.
    pub fn current_query_type(&self) -> Option<QueryType> {
        self.handle_state.0.lock().unwrap_or_else(PoisonError::into_inner).unwrap_or(Some(self.opened.query_type))
    }

    /// Attaches the array to a handle.
    pub(super) fn opened_by(self, handle_state: &Arc<HandleState>) -> OpenArray {
        handle_state.set(Some(self.opened.query_type));
        OpenArray { handle_state: handle_state.clone(), ..self }
    }
}

/// The query type that a handle is open for, shared with the arrays that it opened; unknown without a handle.
#[derive(Default)]
pub(super) struct HandleState(Mutex<Option<Option<QueryType>>>);

impl HandleState {
    pub(super) fn set(&self, open_for: Option<QueryType>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(open_for);
    }
}

/// Timers of opening an array: total, listing, and loading of schemas and fragments.
fn timers_of(query_type: QueryType) -> [Timer; 3] {
    let opening = match query_type {
        QueryType::Read => Timer::OpenRead,
        QueryType::Write => Timer::OpenWrite,
        QueryType::Delete => Timer::OpenDelete,
        QueryType::Update => Timer::OpenUpdate,
        QueryType::ModifyExclusive => Timer::OpenModify,
    };
    match query_type {
        QueryType::Read => [opening, Timer::ReadDirectory, Timer::ReadSchemas],
        QueryType::Delete | QueryType::Update => [opening, Timer::ChangeDirectory, Timer::WriteSchemas],
        _ => [opening, Timer::WriteDirectory, Timer::WriteSchemas],
    }
}

/// Rejects deletions in arrays of formats that know none.
fn check_changing(query_type: QueryType, version: FormatVersion) -> Result<()> {
    let what = match query_type {
        QueryType::Delete => "deletes",
        QueryType::Update => "updates",
        _ => return Ok(()),
    };
    if !version.has_processed_conditions() {
        bail!(
            "Cannot open array for {what}; Array format version ({}) is smaller than the minimum supported version (16).",
            version.number()
        );
    }
    Ok(())
}

/// Records in fragments with older schemas which attributes were dropped before `newer`.
///
/// # Errors
/// If a schema cannot be read.
pub(super) fn record_dropped_attributes(
    schemas: &SchemaStore,
    newer: &ArraySchema,
    fragments: &[Arc<Fragment>],
) -> Result<()> {
    let older: Vec<_> = fragments.iter().filter(|fragment| fragment.schema().name() != newer.name()).collect();
    if older.is_empty() {
        return Ok(());
    }
    let dropped = schemas.dropped_between(older.iter().map(|fragment| &**fragment.schema()), newer)?;
    for fragment in older {
        if let Some(dropped) = dropped.get(fragment.schema().name()) {
            fragment.forget(dropped.clone());
        }
    }
    Ok(())
}

/// Loads fragments, from the footers of consolidated metadata where these hold them.
///
/// # Errors
/// If one cannot be read.
pub(super) fn load_fragments(
    resources: &Resources,
    directory: &ArrayDirectory,
    schemas: &SchemaStore,
    key: &EncryptionKey,
    names: &[FragmentName],
) -> Result<Vec<Arc<Fragment>>> {
    let footers = ConsolidatedFooters::load(resources, directory, key)?;
    let _timer = resources.stats().timer(Timer::LoadFragments);
    let schema_of = |name: &str| schemas.get(name);
    let keep =
        if names.len() <= MAX_CACHED_FRAGMENTS.count() { MetadataCaching::File } else { MetadataCaching::Footer };
    let load = |name: &FragmentName| {
        let footer = footers.get(name.as_str());
        Fragment::load(resources, directory.uri(), name.clone(), key, footer, keep, &schema_of).map(Arc::new)
    };
    let vfs = resources.vfs();
    if vfs.is_remote(directory.uri())? {
        let task = |index: usize| resources.cancel().check().and_then(|()| load(&names[index]));
        return vfs.map(directory.uri(), names.len(), task);
    }
    let blocks: Vec<&[FragmentName]> = names.chunks(FRAGMENTS_PER_TASK.count()).collect();
    let work = names.len() * FRAGMENT_WORK;
    let loaded = resources.pools().map(blocks.len(), work, resources.cancel(), |block| {
        blocks[block].iter().map(load).collect::<Result<Vec<_>>>()
    })?;
    Ok(loaded.into_iter().flatten().collect())
}
