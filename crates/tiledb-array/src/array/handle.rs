//! Array handle: location, open options, and the open snapshot if there is one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::open::HandleState;
use super::open_claim::OpenClaim;
use super::{MetadataChanges, OpenArray};
use crate::fragment::{claim, read_time, reserve, wait_for};
use crate::schema::ArraySchema;
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::types::{Datatype, Name, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// A handle on an array. Its methods lock it for their duration; queries work on snapshots.
pub struct Array {
    uri: Uri,
    /// The URI as C borrows it.
    name: Name,
    state: Mutex<State>,
}

/// Opens an array for a purpose, in a time window, with a key.
pub(super) type Opening<'a> = &'a dyn Fn(&Resources, &Uri, QueryType, (u64, u64), &EncryptionKey) -> Result<OpenArray>;
/// Reopens an array for reading.
pub(super) type Reopening<'a> = &'a dyn Fn(&Resources, &Uri, (u64, u64), &EncryptionKey) -> Result<OpenArray>;

struct State {
    resources: Resources,
    /// The window to open at; an end of `u64::MAX` means now.
    start: u64,
    end: u64,
    /// The end it was last opened at.
    opened_end: u64,
    query_type: QueryType,
    open: Option<Arc<OpenArray>>,
    /// The registration of this handle, if it opened the array itself.
    claim: Option<OpenClaim>,
    handle_state: Arc<HandleState>,
    /// Metadata put and deleted since opening.
    changes: MetadataChanges,
    /// Timestamp of opening, reserved for the metadata.
    opened_at: Option<u64>,
}

impl Array {
    /// A handle that is not open.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn new(resources: &Resources, uri: &str) -> Result<Array> {
        let state = State {
            resources: resources.clone(),
            start: 0,
            end: u64::MAX,
            opened_end: u64::MAX,
            query_type: QueryType::Read,
            open: None,
            claim: None,
            handle_state: Arc::default(),
            changes: MetadataChanges::default(),
            opened_at: None,
        };
        Ok(Array::of(Uri::parse(uri)?, state))
    }

    fn of(uri: Uri, state: State) -> Array {
        Array { name: Name::of_path(uri.as_str()), uri, state: Mutex::new(state) }
    }

    /// A handle that is open, with the window that was set before: an end of `u64::MAX` means now.
    pub fn from_open(window: (u64, u64), open: OpenArray) -> Array {
        let handle_state = Arc::default();
        let uri = open.uri().clone();
        let query_type = open.query_type();
        let opened_end = open.timestamps().1;
        let state = State {
            resources: open.resources().clone(),
            start: window.0,
            end: window.1,
            opened_end,
            query_type,
            open: Some(Arc::new(open.opened_by(&handle_state))),
            claim: None,
            handle_state,
            changes: MetadataChanges::default(),
            opened_at: None,
        };
        Array::of(uri, state)
    }

    /// A handle that is not open yet, with the query type that it will be opened for.
    ///
    /// # Errors
    /// If the URI is invalid.
    pub fn unopened(resources: &Resources, uri: &str, query_type: QueryType) -> Result<Array> {
        let array = Array::new(resources, uri)?;
        array.state().query_type = query_type;
        Ok(array)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The array's URI.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The array's URI, ended by a NUL.
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The configuration it works with.
    pub fn config(&self) -> Config {
        self.state().resources.config().clone()
    }

    /// Replaces the configuration.
    ///
    /// # Errors
    /// While the array is open, and for invalid values.
    pub fn set_config(&self, config: &Config) -> Result<()> {
        let mut state = self.state();
        if state.open.is_some() {
            bail!("Array: [set_config] Cannot set a config on an open array: close '{}' first", self.uri);
        }
        let mut merged = state.resources.config().clone();
        merged.inherit(config);
        state.resources = state.resources.with_config(merged)?;
        Ok(())
    }

    /// Sets the start of the window for the next opening, in milliseconds since 1970.
    pub fn set_open_start(&self, time: u64) {
        self.state().start = time;
    }

    /// Sets the end of the window for the next opening; `u64::MAX` means now.
    pub fn set_open_end(&self, time: u64) {
        self.state().end = time;
    }

    /// The start of the window.
    pub fn open_start(&self) -> u64 {
        self.state().start
    }

    /// The end of the window as it was set; `u64::MAX` means now.
    pub fn set_end(&self) -> u64 {
        self.state().end
    }

    /// The end of the window at the last opening; `u64::MAX` before the first one, 0 where cells
    /// get the time of writing.
    pub fn open_end(&self) -> u64 {
        self.state().opened_end
    }

    /// The query type it was last opened for; reading before the first time.
    pub fn query_type(&self) -> QueryType {
        self.state().query_type
    }

    /// True while it is open.
    pub fn is_open(&self) -> bool {
        self.state().open.is_some()
    }

    /// Opens the array with the key that the configuration names. `query_type` is the number of C.
    ///
    /// # Errors
    /// If it is open, does not exist, cannot be read with the key, or cannot be opened so; if another handle has it open, and
    /// one of them is in exclusive mode.
    pub fn open(&self, query_type: u32) -> Result<()> {
        self.open_by(query_type, &OpenArray::open)
    }

    /// As [`Array::open`], by what opens arrays of another kind.
    ///
    /// # Errors
    /// As [`Array::open`].
    pub fn open_by(&self, query_type: u32, opening: Opening<'_>) -> Result<()> {
        let mut state = self.state();
        let claim = if state.open.is_none() { Some(OpenClaim::new(&self.uri, query_type)?) } else { None };
        state.open(&self.uri, query_type, opening).map_err(of_array)?;
        state.claim = claim;
        Ok(())
    }

    /// Closes the array and writes the changes of its metadata; closing a closed one does nothing.
    ///
    /// # Errors
    /// If the changes cannot be written; they are lost then, and the array is closed.
    pub fn close(&self) -> Result<()> {
        let mut state = self.state();
        let Some(open) = state.open.take() else { return Ok(()) };
        // Ends when the changes are written.
        let _claim = state.claim.take();
        state.handle_state.set(None);
        let changes = std::mem::take(&mut state.changes);
        if changes.is_empty() {
            return Ok(());
        }
        if let Some(source) = open.source() {
            return source.write_metadata(&changes);
        }
        let time = match (state.opened_end, state.opened_at) {
            (0, None) => claim(&self.uri),
            (0, Some(time)) => time,
            (end, _) => end,
        };
        if state.opened_end == 0 {
            wait_for(time);
        }
        let version = open.schema().version().of_new_fragments();
        changes.write(open.resources(), &self.uri, version, time, open.key())
    }

    /// Records metadata, written when the array is closed. `bytes` are the cells of the value; `None`
    /// makes it empty.
    ///
    /// # Errors
    /// Unless it is open for writing, and without a key or a proper datatype.
    pub fn put_metadata(&self, key: Option<&str>, datatype: u32, bytes: Option<&[u8]>) -> Result<()> {
        let mut state = self.state();
        state.check_changing(&self.uri, "Cannot put metadata;")?;
        let Some(key) = key else { bail!("Array: Cannot put metadata; Key cannot be null") };
        let datatype = Datatype::from_number(datatype)?;
        if datatype == Datatype::Any {
            bail!("Array: Cannot put metadata; Value type cannot be ANY: give key '{key}' another datatype");
        }
        state.changes.put(key, datatype, bytes.unwrap_or_default())
    }

    /// Records that metadata go when the array is closed.
    ///
    /// # Errors
    /// Unless it is open for writing, and without a key.
    pub fn delete_metadata(&self, key: Option<&str>) -> Result<()> {
        let mut state = self.state();
        state.check_changing(&self.uri, "Cannot delete metadata.")?;
        let Some(key) = key else { bail!("Array: Cannot delete metadata. Key cannot be null") };
        state.changes.delete(key)
    }

    /// The open array with its metadata loaded; `cannot` describes the operation in errors. The handle keeps the result
    /// alive until it is closed or reopened.
    ///
    /// # Errors
    /// If it is not open for reading, or the metadata cannot be read.
    pub fn with_metadata(&self, cannot: &str) -> Result<Arc<OpenArray>> {
        let Some(open) = self.opened() else {
            bail!("Array: {cannot}; Array is not open: open '{}' with TILEDB_READ", self.uri)
        };
        if open.query_type() != QueryType::Read {
            bail!("Array: {cannot}; Array was not opened in read mode: open '{}' with TILEDB_READ", self.uri);
        }
        open.metadata()?;
        Ok(open)
    }

    /// Opens the array again: at the end that was set since it was last opened, or else at the present.
    /// Where it ends then stays set.
    ///
    /// # Errors
    /// Unless it is open for reading, and as [`Array::open`]; it stays as it was then.
    pub fn reopen(&self) -> Result<()> {
        self.reopen_by(&OpenArray::reopen)
    }

    /// As [`Array::reopen`], by what opens arrays of another kind.
    ///
    /// # Errors
    /// As [`Array::reopen`].
    pub fn reopen_by(&self, opening: Reopening<'_>) -> Result<()> {
        let mut state = self.state();
        let Some(open) = &state.open else {
            bail!("[TileDB::Array] Error: Cannot reopen array; Array is not open: open '{}' first", self.uri);
        };
        if open.query_type() != QueryType::Read {
            bail!(
                "[TileDB::Array] Error: Cannot reopen array; Array was not opened in read mode: close '{}' and open it again",
                self.uri
            );
        }
        let key = open.key().clone();
        let is_new = state.end != u64::MAX && state.end != state.opened_end;
        let window = (state.start, if is_new { state.end } else { read_time() });
        let resources = state.resources.clone();
        let after = opening(&resources, &self.uri, window, &key).map_err(of_array)?;
        (state.end, state.opened_end) = (window.1, window.1);
        state.open = Some(Arc::new(after.opened_by(&state.handle_state)));
        Ok(())
    }

    /// The snapshot that queries work on.
    ///
    /// # Errors
    /// If the array is not open.
    pub fn snapshot(&self) -> Result<Arc<OpenArray>> {
        match &self.state().open {
            Some(open) => Ok(open.clone()),
            None => bail!("Array: Array '{}' is not open", self.uri),
        }
    }

    /// The snapshot, if the array is open.
    pub fn opened(&self) -> Option<Arc<OpenArray>> {
        self.state().open.clone()
    }

    /// Pending changes of metadata.
    pub fn changes<T>(&self, see: impl FnOnce(&MetadataChanges) -> T) -> T {
        see(&self.state().changes)
    }

    /// Sets metadata from a message: the contents of an array that is open for reading, or else pending changes.
    ///
    /// # Errors
    /// If the array is not open, or its metadata were loaded already.
    pub fn set_metadata(&self, supplied: MetadataChanges) -> Result<()> {
        let mut state = self.state();
        match &state.open {
            Some(open) if open.query_type() == QueryType::Read => open.set_metadata(supplied.values()?),
            _ => {
                state.check_changing(&self.uri, "Cannot deserialize metadata;")?;
                state.changes.append(&supplied)
            }
        }
    }

    /// The schema as of the opening time.
    ///
    /// # Errors
    /// If the array is not open.
    pub fn schema(&self) -> Result<Arc<ArraySchema>> {
        match &self.state().open {
            Some(open) => Ok(open.schema().clone()),
            None => {
                bail!("[TileDB::Array] Error: Cannot get array schema; Array is not open: open '{}' first", self.uri)
            }
        }
    }
}

impl State {
    fn open(&mut self, uri: &Uri, query_type: u32, opening: Opening<'_>) -> Result<()> {
        if self.open.is_some() {
            bail!("Cannot open array; Array already open. Close '{uri}' first, or reopen it");
        }
        let Ok(query_type) = QueryType::from_number(query_type) else {
            bail!("Array: Cannot open array; Unsupported query type. {query_type} is no tiledb_query_type_t");
        };
        let config = self.resources.config();
        if query_type == QueryType::Update && !config.bool("sm.allow_updates_experimental")? {
            bail!(
                "Array: Cannot open array; Update query type is only experimental, do not use. To open '{uri}' for updates \
                 set sm.allow_updates_experimental to true"
            );
        }
        let key = EncryptionKey::for_opening(config)?;
        let window = self.window(query_type);
        self.opened_at = if window.1 == 0 { reserve(uri) } else { None };
        let open = opening(&self.resources, uri, query_type, window, &key)?;
        self.opened_end = window.1;
        self.query_type = query_type;
        self.open = Some(Arc::new(open.opened_by(&self.handle_state)));
        Ok(())
    }

    /// Rejects to change metadata unless the array is open for that.
    fn check_changing(&self, uri: &Uri, cannot: &str) -> Result<()> {
        match self.open.as_ref().map(|open| open.query_type()) {
            None => bail!("Array: {cannot} Array is not open: open '{uri}' with TILEDB_WRITE"),
            Some(QueryType::Write | QueryType::ModifyExclusive) => Ok(()),
            Some(_) => bail!(
                "Array: {cannot} Array was not opened in write or modify_exclusive mode: open '{uri}' with TILEDB_WRITE"
            ),
        }
    }

    /// The window to open at: reading stops at the present, writing takes the time when it writes.
    fn window(&self, query_type: QueryType) -> (u64, u64) {
        let end = match (self.end, query_type) {
            (u64::MAX, QueryType::Read) => read_time(),
            (u64::MAX, _) => 0,
            (end, _) => end,
        };
        (self.start, end)
    }
}

fn of_array(error: Error) -> Error {
    error.prefixed("[TileDB::Array] Error: ")
}
