//! A simulated object store as a process uses it: objects appear when they are complete, and are durable; there are no directories,
//! renames or open files. The client above the requests is that of real stores: it retries, and looks for what a lost answer has done.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard};

use tiledb_core::error::{Error, ErrorKind};
use tiledb_storage::http::RequestError;
use tiledb_storage::vfs::{
    Backend, SimulatedPage, SimulatedRequests, SimulatedResponse, SimulatedStoreLimits, simulated_objects,
};

use super::process::Process;
use super::store::{Files, Node};
use crate::random::Random;

/// A multipart upload that is neither complete nor aborted.
#[derive(Clone, Debug)]
pub struct PendingUpload {
    pub path: String,
    id: String,
    parts: BTreeMap<u32, Vec<u8>>,
}

/// Requests of a process.
struct Objects(Arc<Process>);

/// The object store for a process.
pub fn objects(process: &Arc<Process>) -> Arc<dyn Backend> {
    simulated_objects(Arc::new(Objects(Arc::clone(process))), limits(process.world().seed()))
}

/// What the store accepts in a history.
fn limits(seed: u64) -> SimulatedStoreLimits {
    let mut random = Random(seed ^ 0x5703);
    SimulatedStoreLimits {
        part_bytes: random.pick(&[60, 200, 200, 2_000]),
        is_sequential: random.one_in(4),
        concurrency: 1 + random.below(4) as usize,
        read_ahead_bytes: random.pick(&[1, 16, 200, 2_000]),
        read_ahead_cache_bytes: random.pick(&[0, 300, 10_000]),
        removed_keys: random.pick(&[1, 2, 1000]),
        page_entries: random.pick(&[3, 1000, 1000]),
        max_retries: random.below(4) as u32,
    }
}

/// Parameters of processes that use the store: which ranges are read in one request.
pub fn parameters(seed: u64) -> Vec<(&'static str, String)> {
    let mut random = Random(seed ^ 0x9a7);
    let gap = random.pick(&[0_u64, 8, 64, 512_000]);
    let batch = random.pick(&[1_u64, 100, 20_000_000]);
    let part = random.pick(&[20_u64, 200, 10_000_000]);
    vec![
        ("vfs.min_batch_gap", gap.to_string()),
        ("vfs.min_batch_size", batch.to_string()),
        ("vfs.min_parallel_size", part.to_string()),
    ]
}

/// A failure that no retry changes.
fn refused(kind: ErrorKind, text: &str, path: &str) -> RequestError {
    RequestError::Permanent(Error::new(kind, format!("{text} '{path}'")))
}

fn missing(path: &str) -> RequestError {
    refused(ErrorKind::NotFound, "There is no object", path)
}

impl Objects {
    /// A request begins.
    fn call(&self, what: &str, path: &str) -> SimulatedResponse<()> {
        self.0.call(what, path).map_err(|error| match self.0.is_alive() && !self.0.is_refused() {
            true => RequestError::Transient(error),
            false => RequestError::Permanent(error),
        })
    }

    /// The request ends, after it has taken effect.
    fn end(&self) -> SimulatedResponse<()> {
        self.0.end_call().map_err(RequestError::Transient)
    }

    fn files(&self) -> MutexGuard<'_, Files> {
        self.0.world().store.files()
    }

    fn object(&self, path: &str) -> Option<Arc<Vec<u8>>> {
        self.files().get(path).flatten()
    }

    fn change(&self, nodes: Vec<(String, Option<Node>)>) {
        let origin = (self.0.world().scheduler.steps(), self.0.actor());
        self.files().apply(origin, nodes, true);
    }

    /// Runs a request that changes objects, perhaps twice: with the result of the first time.
    fn apply<T>(&self, what: &str, path: &str, effect: impl Fn() -> SimulatedResponse<T>) -> SimulatedResponse<T> {
        self.call(what, path)?;
        let result = effect();
        if self.0.is_repeated() {
            _ = effect();
        }
        self.end()?;
        result
    }
}

impl SimulatedRequests for Objects {
    fn head(&self, path: &str) -> SimulatedResponse<Option<u64>> {
        self.call("stat", path)?;
        Ok(self.object(path).map(|bytes| bytes.len() as u64))
    }

    fn has_tag_of(&self, path: &str, bytes: &[u8]) -> SimulatedResponse<bool> {
        self.call("stat", path)?;
        Ok(self.object(path).is_some_and(|object| *object == bytes))
    }

    fn initial_read(&self, path: &str, most: usize) -> SimulatedResponse<Option<(u64, u64, Vec<u8>)>> {
        self.call("open", path)?;
        let end = |bytes: Arc<Vec<u8>>| {
            let start = bytes.len().saturating_sub(most);
            (bytes.len() as u64, start as u64, bytes[start..].to_vec())
        };
        Ok(self.object(path).map(end))
    }

    fn get(&self, path: &str, offset: u64, out: &mut [u8]) -> SimulatedResponse<()> {
        self.call("read", path)?;
        let bytes = self.object(path).ok_or_else(|| missing(path))?;
        let start = offset as usize;
        let part = bytes.get(start..start + out.len());
        out.copy_from_slice(part.ok_or_else(|| refused(ErrorKind::Io, "The range is not satisfiable in", path))?);
        Ok(())
    }

    fn list(
        &self,
        prefix: &str,
        is_recursive: bool,
        most: usize,
        from: Option<&str>,
    ) -> SimulatedResponse<SimulatedPage> {
        self.call("list", prefix)?;
        let step = self.0.listed_step();
        let files = self.files().with_prefix_at(prefix, step);
        let (mut objects, mut prefixes) = (Vec::new(), Vec::<String>::new());
        let mut last: Option<String> = None;
        let is_listed =
            |name: &str| from.is_some_and(|from| name <= from || from.ends_with('/') && name.starts_with(from));
        for (name, size) in files.iter().filter(|(name, _)| !is_listed(name)) {
            let Some(size) = size else { continue };
            let folder = name[prefix.len()..].find('/').map(|slash| &name[..=prefix.len() + slash]);
            let folder = folder.filter(|_| !is_recursive);
            if folder.is_some() && folder == prefixes.last().map(String::as_str) {
                continue;
            }
            if objects.len() + prefixes.len() == most {
                return Ok((objects, prefixes, last));
            }
            match folder {
                Some(folder) => prefixes.push(folder.to_owned()),
                None => objects.push((name.clone(), *size)),
            }
            last = Some(folder.unwrap_or(name).to_owned());
        }
        Ok((objects, prefixes, None))
    }

    fn put(&self, path: &str, bytes: &[u8]) -> SimulatedResponse<()> {
        let content = Arc::new(bytes.to_vec());
        self.apply("put", path, || {
            self.change(vec![(path.to_owned(), Some(Some(Arc::clone(&content))))]);
            Ok(())
        })
    }

    fn remove(&self, paths: &[String]) -> SimulatedResponse<()> {
        self.apply("remove", &paths.join(", "), || {
            let present = paths.iter().filter(|path| self.object(path).is_some());
            self.change(present.map(|path| (path.clone(), None)).collect());
            Ok(())
        })
    }

    fn copy(&self, from: &str, to: &str) -> SimulatedResponse<()> {
        self.apply("copy", to, || {
            let content = self.object(from).ok_or_else(|| missing(from))?;
            self.change(vec![(to.to_owned(), Some(Some(content)))]);
            Ok(())
        })
    }

    fn begin_upload(&self, path: &str) -> SimulatedResponse<String> {
        self.apply("begin upload", path, || {
            let mut uploads = self.0.world().uploads();
            let id = format!("{path}#{}", self.0.world().upload_number());
            uploads.push(PendingUpload { path: path.to_owned(), id: id.clone(), parts: BTreeMap::new() });
            Ok(id)
        })
    }

    fn upload_part(&self, id: &str, number: u32, bytes: &[u8]) -> SimulatedResponse<()> {
        self.apply("upload part", id, || {
            let mut uploads = self.0.world().uploads();
            let upload = uploads.iter_mut().find(|upload| upload.id == id).ok_or_else(|| missing(id))?;
            upload.parts.insert(number, bytes.to_vec());
            Ok(())
        })
    }

    fn complete(&self, id: &str, parts: usize) -> SimulatedResponse<()> {
        self.apply("complete", id, || {
            let mut uploads = self.0.world().uploads();
            let position = uploads.iter().position(|upload| upload.id == id).ok_or_else(|| missing(id))?;
            if uploads[position].parts.len() < parts {
                return Err(refused(ErrorKind::Io, "There are parts missing of", id));
            }
            let upload = uploads.remove(position);
            drop(uploads);
            let content: Vec<u8> = upload.parts.into_values().take(parts).flatten().collect();
            self.0.world().made().insert(upload.path.clone(), id.to_owned());
            self.change(vec![(upload.path, Some(Some(Arc::new(content))))]);
            Ok(())
        })
    }

    fn is_made_by(&self, path: &str, id: &str) -> SimulatedResponse<bool> {
        self.call("stat", path)?;
        Ok(self.object(path).is_some() && self.0.world().made().get(path).is_some_and(|made| made == id))
    }

    fn abort(&self, id: &str) -> SimulatedResponse<()> {
        self.apply("abort upload", id, || {
            self.0.world().uploads().retain(|upload| upload.id != id);
            Ok(())
        })
    }

    fn uploads(&self, prefix: &str) -> SimulatedResponse<Vec<(String, String)>> {
        self.call("list uploads", prefix)?;
        let uploads = self.0.world().uploads();
        let below = uploads.iter().filter(|upload| upload.path.starts_with(prefix));
        Ok(below.map(|upload| (upload.path.clone(), upload.id.clone())).collect())
    }
}
