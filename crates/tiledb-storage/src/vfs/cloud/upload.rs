//! Uploads of objects: buffered sequential writes, in one request or as a multipart upload.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::store::{MultipartUpload, ObjectLocation, ObjectStore};
use crate::vfs::concurrent::map_concurrently;
use crate::vfs::{FileSink, SuspendedFile, Uri};
use tiledb_core::error::{Error, ErrorKind, Result};
use tiledb_core::memory;

/// Number of times that part sizes double, so that the maximum number of parts holds the largest object (5 TiB on S3
/// with initial parts of 5 MiB).
const SIZES: u32 = 10;

/// Bytes that all uploads of a context may buffer together before they send full parts.
pub(super) struct UploadBudget {
    most: usize,
    used: AtomicUsize,
}

impl UploadBudget {
    pub(super) fn new(most: usize) -> UploadBudget {
        UploadBudget { most, used: AtomicUsize::new(0) }
    }

    pub(super) fn most(&self) -> usize {
        self.most
    }
}

/// Bytes that were written and not yet sent.
struct UploadBuffer {
    bytes: Vec<u8>,
    budget: Arc<UploadBudget>,
}

impl UploadBuffer {
    /// Capacity of this buffer: what other uploads leave of the budget.
    fn most(&self) -> usize {
        let others = self.budget.used.load(Ordering::Relaxed).saturating_sub(self.bytes.len());
        self.budget.most.saturating_sub(others)
    }

    fn add(&mut self, bytes: &[u8], step: usize) -> Result<()> {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            // Grow by a part at a time: doubling would reserve much that is never used.
            let more = bytes.len().max(if self.bytes.len() < step { self.bytes.len() } else { step });
            let reserved = self.bytes.try_reserve_exact(more);
            reserved.map_err(|_| Error::out_of_memory("parts of an upload", more))?;
        }
        self.bytes.extend_from_slice(bytes);
        self.budget.used.fetch_add(bytes.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Removes the first bytes, which were sent.
    fn drop_first(&mut self, count: usize) {
        self.bytes.drain(..count);
        self.budget.used.fetch_sub(count, Ordering::Relaxed);
    }

    fn clear(&mut self) {
        self.drop_first(self.bytes.len());
        self.bytes = Vec::new();
    }
}

impl Drop for UploadBuffer {
    fn drop(&mut self) {
        self.clear();
    }
}

/// An object that is being written. Small objects are uploaded in one request at the end, others as a multipart upload
/// with concurrent parts. After a failure the object is not published.
pub(super) struct Upload {
    store: Arc<dyn ObjectStore>,
    location: ObjectLocation,
    uri: Uri,
    buffer: UploadBuffer,
    /// Upload ID, once there are parts.
    id: Option<String>,
    /// Tags of the uploaded parts.
    tags: Vec<String>,
    /// Bytes of the uploaded parts.
    sent: u64,
    /// Temporary object that held the buffer while the upload was suspended.
    waiting: Option<ObjectLocation>,
    failed: bool,
}

impl Upload {
    /// Resumes a suspended upload.
    pub(super) fn resume_from(mut self, draft: &SuspendedFile) -> Result<Upload> {
        let pending =
            usize::try_from(draft.pending_bytes).map_err(|_| Error::out_of_memory("parts of an upload", usize::MAX))?;
        let Some(sent) = draft
            .size
            .checked_sub(draft.pending_bytes)
            .filter(|_| pending <= self.part_size(draft.parts.len() as u32 + 1))
        else {
            let text = format!("Cannot go on with '{}'; {pending} bytes are said to be no part yet", self.uri);
            return Err(Error::invalid(text));
        };
        (self.id, self.tags, self.sent) = (draft.upload.clone(), draft.parts.clone(), sent);
        if pending > 0 {
            let waiting = self.buffer_location();
            let mut bytes = memory::zeroed("parts of an upload", pending)?;
            self.store.get(&waiting, 0, &mut bytes)?;
            self.buffer.add(&bytes, pending)?;
            self.waiting = Some(waiting);
        }
        Ok(self)
    }

    /// The temporary object for buffered bytes while the upload is suspended: in a folder next to the object.
    fn buffer_location(&self) -> ObjectLocation {
        let (folder, name) = self.location.key.rsplit_once('/').unwrap_or(("", &self.location.key));
        ObjectLocation { key: format!("{folder}/__buffering_dir/{name}_{}", self.tags.len()), ..self.location.clone() }
    }

    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        location: ObjectLocation,
        uri: &Uri,
        budget: &Arc<UploadBudget>,
    ) -> Upload {
        let buffer = UploadBuffer { bytes: Vec::new(), budget: Arc::clone(budget) };
        Upload {
            store,
            location,
            uri: uri.clone(),
            buffer,
            id: None,
            tags: Vec::new(),
            sent: 0,
            waiting: None,
            failed: false,
        }
    }

    /// Whether an object of this size is uploaded in one request.
    pub(super) fn is_single_request(&self, bytes: usize) -> bool {
        let limits = self.store.limits();
        bytes <= limits.part_size || !limits.in_parts
    }

    /// Uploads the whole object in one request.
    pub(super) fn put(&self, bytes: &[u8]) -> Result<()> {
        self.fits(bytes.len())?;
        self.store.put(&self.location, bytes)
    }

    /// The size of a part by its number, from 1 on.
    fn part_size(&self, number: u32) -> usize {
        let limits = self.store.limits();
        let doublings = number.saturating_sub(1) / (limits.most_parts / SIZES).max(1);
        limits.part_size.max(1).saturating_mul(1usize.checked_shl(doublings).unwrap_or(usize::MAX))
    }

    /// Divides the buffer into parts; a short last one only at the end.
    fn cut(&self, all: bool) -> Vec<std::ops::Range<usize>> {
        let (mut cuts, mut start, mut number) = (Vec::new(), 0, self.tags.len() as u32);
        let (buffered, in_order) = (self.buffer.bytes.len(), self.store.limits().in_order);
        while start < buffered {
            number += 1;
            let size = self.part_size(number);
            // Sequential parts take all that is buffered.
            let size = match in_order {
                true if all => buffered - start,
                true => ((buffered - start) / size * size).max(size),
                false => size,
            };
            let end = start.saturating_add(size);
            if end > buffered && !all {
                break;
            }
            cuts.push(start..end.min(buffered));
            start = end;
        }
        cuts
    }

    /// Uploads full parts; at the end the rest, too.
    fn send(&mut self, all: bool) -> Result<()> {
        let cuts = self.cut(all);
        let (sent, limits) = (self.tags.len(), self.store.limits());
        if sent + cuts.len() > limits.most_parts as usize {
            return Err(self.too_large());
        }
        if self.id.is_none() {
            self.id = Some(self.store.begin_upload(&self.location)?);
        }
        let id = self.id.as_deref().unwrap_or_default();
        let parts = MultipartUpload { location: &self.location, id };
        let tags = map_concurrently(if limits.in_order { 1 } else { limits.at_once }, cuts.len(), |index| {
            let (number, cut) = ((sent + index + 1) as u32, cuts[index].clone());
            self.store.part(&parts, number, self.sent + cut.start as u64, &self.buffer.bytes[cut])
        })?;
        self.tags.extend(tags);
        let end = cuts.last().map_or(0, |cut| cut.end);
        self.buffer.drop_first(end);
        self.sent += end as u64;
        Ok(())
    }

    /// Rejects more than one request can upload, if multipart uploads are disabled.
    fn fits(&self, bytes: usize) -> Result<()> {
        let limits = self.store.limits();
        if limits.in_parts || bytes as u64 <= limits.most_whole { Ok(()) } else { Err(self.too_large()) }
    }

    #[cold]
    fn too_large(&self) -> Error {
        Error::new(ErrorKind::Unsupported, format!("'{}' is larger than an object can be", self.uri))
    }

    /// Runs a step; after a failure the upload is aborted.
    fn step<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.failed {
            return Err(Error::new(
                ErrorKind::Io,
                format!("'{}' could not be written before; nothing is stored", self.uri),
            ));
        }
        let done = step(self);
        if done.is_err() {
            self.abandon();
        }
        done
    }
}

impl FileSink for Upload {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.step(|upload| {
            let limits = upload.store.limits();
            upload.fits(upload.buffer.bytes.len().saturating_add(bytes.len()))?;
            let mut rest = bytes;
            while !rest.is_empty() {
                let size = upload.part_size(upload.tags.len() as u32 + 1);
                let budget = upload.buffer.most().max(size);
                let space = if limits.in_parts { budget.saturating_sub(upload.buffer.bytes.len()) } else { rest.len() };
                let (now, later) = rest.split_at(space.min(rest.len()));
                upload.buffer.add(now, size)?;
                rest = later;
                if limits.in_parts && upload.buffer.bytes.len() >= budget {
                    upload.send(false)?;
                }
            }
            Ok(())
        })
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn suspend(&mut self) -> Result<SuspendedFile> {
        self.step(|upload| {
            let is_full = upload.buffer.bytes.len() >= upload.part_size(upload.tags.len() as u32 + 1);
            if upload.store.limits().in_order && (is_full || upload.id.is_some()) {
                let text = format!("Cannot hand on the upload of '{}'; the store knows it by a secret", upload.uri);
                return Err(Error::new(ErrorKind::Unsupported, text));
            }
            if is_full {
                upload.send(false)?;
            }
            let (pending_bytes, before) = (upload.buffer.bytes.len() as u64, upload.waiting.take());
            let waiting = upload.buffer_location();
            if pending_bytes > 0 {
                upload.store.put(&waiting, &upload.buffer.bytes)?;
            }
            if let Some(before) = before.filter(|before| pending_bytes == 0 || before.key != waiting.key) {
                upload.store.remove_file(&before)?;
            }
            upload.buffer.clear();
            Ok(SuspendedFile {
                size: upload.sent + pending_bytes,
                upload: upload.id.take(),
                parts: std::mem::take(&mut upload.tags),
                pending_bytes,
            })
        })
    }

    fn finish(&mut self, _durable: bool) -> Result<()> {
        self.step(|upload| {
            if upload.id.is_none() && upload.is_single_request(upload.buffer.bytes.len()) {
                return upload.put(&upload.buffer.bytes);
            }
            upload.send(true)?;
            let id = upload.id.as_deref().unwrap_or_default();
            upload.store.complete(&MultipartUpload { location: &upload.location, id }, &upload.tags, upload.sent)
        })?;
        self.buffer.clear();
        self.id = None;
        self.waiting.take().map_or(Ok(()), |waiting| self.store.remove_file(&waiting))
    }

    fn abandon(&mut self) {
        self.failed = true;
        self.buffer.clear();
        if let Some(id) = self.id.take() {
            // An incomplete upload is no object, and the failure of the write is reported.
            _ = self.store.abort(&MultipartUpload { location: &self.location, id: &id });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use super::super::store::{InitialRead, ListPage, ListRequest, StoreLimits};
    use super::*;

    /// A store in memory, of parts of ten bytes.
    #[derive(Default)]
    struct Memory {
        objects: Mutex<HashMap<String, Vec<u8>>>,
        parts: Mutex<Vec<Vec<u8>>>,
    }

    fn never<T>() -> Result<T> {
        Err(Error::internal("not asked for"))
    }

    impl ObjectStore for Memory {
        fn limits(&self) -> StoreLimits {
            let (read_ahead, removed_at_once) = (0, 1);
            let (part_size, in_parts, most_whole, most_parts) = (10, true, 100, 10_000);
            StoreLimits {
                part_size,
                in_parts,
                most_whole,
                most_parts,
                in_order: false,
                at_once: 1,
                read_ahead,
                removed_at_once,
            }
        }
        fn size(&self, location: &ObjectLocation) -> Result<Option<u64>> {
            Ok(self.objects.lock().unwrap().get(&location.key).map(|bytes| bytes.len() as u64))
        }
        fn initial_read(&self, _: &ObjectLocation, _: usize) -> Result<Option<InitialRead>> {
            never()
        }
        fn get(&self, location: &ObjectLocation, offset: u64, out: &mut [u8]) -> Result<()> {
            out.copy_from_slice(&self.objects.lock().unwrap()[&location.key][offset as usize..][..out.len()]);
            Ok(())
        }
        fn list(&self, _: &ListRequest<'_>) -> Result<ListPage> {
            never()
        }
        fn put(&self, location: &ObjectLocation, bytes: &[u8]) -> Result<()> {
            self.objects.lock().unwrap().insert(location.key.clone(), bytes.to_vec());
            Ok(())
        }
        fn remove(&self, _: &str, keys: &[String]) -> Result<()> {
            keys.iter().for_each(|key| _ = self.objects.lock().unwrap().remove(key));
            Ok(())
        }
        fn copy(&self, _: &ObjectLocation, _: &ObjectLocation) -> Result<()> {
            never()
        }
        fn copy_atomically(&self, _: &ObjectLocation, _: &ObjectLocation) -> Result<()> {
            never()
        }
        fn begin_upload(&self, _: &ObjectLocation) -> Result<String> {
            Ok("upload".to_owned())
        }
        fn part(&self, _: &MultipartUpload<'_>, number: u32, offset: u64, bytes: &[u8]) -> Result<String> {
            let mut parts = self.parts.lock().unwrap();
            assert_eq!((number as usize, offset as usize), (parts.len() + 1, parts.iter().map(Vec::len).sum()));
            parts.push(bytes.to_vec());
            Ok(number.to_string())
        }
        fn complete(&self, parts: &MultipartUpload<'_>, tags: &[String], size: u64) -> Result<()> {
            let bytes = self.parts.lock().unwrap().concat();
            assert_eq!((tags.len(), size as usize), (self.parts.lock().unwrap().len(), bytes.len()));
            self.put(parts.location, &bytes)
        }
        fn abort(&self, _: &MultipartUpload<'_>) -> Result<()> {
            never()
        }
        fn create_bucket(&self, _: &str) -> Result<()> {
            never()
        }
        fn remove_bucket(&self, _: &str) -> Result<()> {
            never()
        }
        fn is_bucket(&self, _: &str) -> Result<bool> {
            never()
        }
    }

    #[test]
    fn an_upload_is_handed_on_between_any_bytes() {
        let uri = Uri::parse("s3://bucket/folder/file").unwrap();
        let bytes: Vec<u8> = (0..57).collect();
        for step in 1..=57 {
            let (store, budget) = (Arc::new(Memory::default()), Arc::new(UploadBudget::new(1000)));
            let upload = || Upload::new(store.clone(), ObjectLocation::of(&uri).unwrap(), &uri, &budget);
            let mut draft = SuspendedFile::default();
            for piece in bytes.chunks(step) {
                let mut upload = upload().resume_from(&draft).unwrap();
                upload.write(piece).unwrap();
                draft = upload.suspend().unwrap();
            }
            assert_eq!(draft.size, 57);
            upload().resume_from(&draft).unwrap().finish(true).unwrap();
            let objects = store.objects.lock().unwrap();
            assert_eq!(objects.iter().collect::<Vec<_>>(), [(&"folder/file".to_owned(), &bytes)], "{step} at a time");
        }
    }
}
