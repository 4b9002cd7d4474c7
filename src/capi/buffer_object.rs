//! The objects of buffer and buffer list handles.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::Datatype;
use tiledb_rest::serialization::query::SerializedPart;

/// The object of a buffer handle: owned bytes or an address in the caller's memory, and the type of the values.
pub struct BufferObject(Mutex<State>);

struct State {
    datatype: Datatype,
    bytes: Bytes,
}

/// Where the bytes of a buffer are.
#[derive(Clone)]
enum Bytes {
    Own(Arc<Vec<u8>>),
    /// The caller's, valid for as long as the buffer refers to them.
    Callers(UserPtr<u8>, u64),
}

impl BufferObject {
    /// A buffer with bytes of its own; without any it has no address.
    pub(super) fn new(bytes: Vec<u8>) -> BufferObject {
        let bytes = if bytes.is_empty() { Bytes::Callers(UserPtr::NULL, 0) } else { Bytes::Own(Arc::new(bytes)) };
        BufferObject(Mutex::new(State { datatype: Datatype::Uint8, bytes }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The type of the values.
    pub(super) fn datatype(&self) -> Datatype {
        self.lock().datatype
    }

    /// Sets the type of the values.
    pub(super) fn set_datatype(&self, datatype: Datatype) {
        self.lock().datatype = datatype;
    }

    /// Where the bytes are, and how many.
    pub(super) fn data(&self) -> (*mut u8, u64) {
        match &self.lock().bytes {
            Bytes::Own(bytes) => (bytes.as_ptr().cast_mut(), bytes.len() as u64),
            Bytes::Callers(address, size) => (address.address(), *size),
        }
    }

    /// Looks at the bytes.
    ///
    /// # Errors
    /// If the caller's bytes exceed the address space, and as `see`.
    pub(super) fn with_bytes<R>(&self, see: impl FnOnce(&[u8]) -> Result<R>) -> Result<R> {
        let bytes = self.lock().bytes.clone();
        match &bytes {
            Bytes::Own(bytes) => see(bytes),
            Bytes::Callers(address, size) => see(address.as_slice(*size)?),
        }
    }

    /// The address of the bytes, for objects that live as long as they do.
    pub(super) fn place(&self) -> UserPtr<u8> {
        match &self.lock().bytes {
            Bytes::Own(bytes) => UserPtr::borrowed_from(bytes),
            Bytes::Callers(address, _) => *address,
        }
    }

    /// Replaces the contents with owned bytes.
    pub(super) fn set_bytes(&self, bytes: Vec<u8>) {
        self.lock().bytes = Bytes::Own(Arc::new(bytes));
    }

    /// Refers to bytes of the caller.
    pub(super) fn set_data(&self, address: UserPtr<u8>, size: u64) {
        self.lock().bytes = Bytes::Callers(address, size);
    }
}

/// What the handle of a list of buffers holds: the bytes of each, or where they are.
#[derive(Default)]
pub struct BufferListObject(Vec<Bytes>);

impl BufferListObject {
    /// The parts of a query.
    pub(super) fn of_query(pieces: Vec<SerializedPart>) -> BufferListObject {
        let bytes = |piece| match piece {
            SerializedPart::Owned(bytes) => Bytes::Own(Arc::new(bytes)),
            SerializedPart::Borrowed(address, size) => Bytes::Callers(address, size),
        };
        BufferListObject(pieces.into_iter().map(bytes).collect())
    }

    /// The number of buffers.
    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// The bytes of all buffers.
    pub(super) fn total_size(&self) -> u64 {
        self.0.iter().map(Bytes::size).fold(0, u64::saturating_add)
    }

    /// The buffer at a position; it shares the bytes.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn buffer(&self, position: u64) -> Result<BufferObject> {
        match usize::try_from(position).ok().and_then(|position| self.0.get(position)) {
            Some(bytes) => Ok(BufferObject(Mutex::new(State { datatype: Datatype::Uint8, bytes: bytes.clone() }))),
            None => bail!("Buffer: Cannot get buffer {position} from buffer list; index out of bounds."),
        }
    }

    /// A buffer with the concatenated bytes of all buffers.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn flatten(&self) -> Result<BufferObject> {
        let size = usize::try_from(self.total_size()).unwrap_or(usize::MAX);
        let mut all = memory::with_capacity("the bytes of buffers", size)?;
        for bytes in &self.0 {
            match bytes {
                Bytes::Own(bytes) => all.extend_from_slice(bytes),
                Bytes::Callers(address, size) => all.extend_from_slice(address.as_slice(*size)?),
            }
        }
        Ok(BufferObject::new(all))
    }
}

impl Bytes {
    fn size(&self) -> u64 {
        match self {
            Bytes::Own(bytes) => bytes.len() as u64,
            Bytes::Callers(_, size) => *size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_give_copies() {
        let list = BufferListObject::of_query(
            [&b"ab"[..], b"", b"cde"].map(|bytes| SerializedPart::Owned(bytes.to_vec())).into(),
        );
        assert_eq!((list.count(), list.total_size()), (3, 5));
        let sizes = [0, 1, 2].map(|position| list.buffer(position).unwrap().data().1);
        assert_eq!(sizes, [2, 0, 3]);
        assert!(list.buffer(3).is_err() && list.buffer(u64::MAX).is_err());
        let mut other = *b"else";
        let copy = list.buffer(0).unwrap();
        copy.set_data(UserPtr::in_test(other.as_mut_ptr()), 4);
        assert_eq!((copy.data(), copy.datatype()), ((other.as_mut_ptr(), 4), Datatype::Uint8));
        assert_eq!((list.flatten().unwrap().data().1, list.total_size()), (5, 5));
        assert!(BufferListObject::default().flatten().unwrap().data().0.is_null());
    }
}
