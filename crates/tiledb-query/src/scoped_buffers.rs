//! Submits with buffers that are borrowed for the duration of the submit.
#![expect(unsafe_code, reason = "a query keeps addresses, which are forgotten before the memory is given back")]

use super::Query;
use tiledb_cells::columns::offsets::OffsetFormat;
use tiledb_cells::columns::user_buffer::UserPtr;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Name, QueryType};

impl Query {
    /// Reads cells of a fixed-size field into `cells`, as many as there are and fit; returns their bytes.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`] and [`Query::submit`].
    pub fn submit_into(&mut self, field: &str, cells: &mut [u8]) -> Result<u64> {
        self.submit_slice(field, cells.as_mut_ptr(), cells.len())
    }

    /// Writes cells of a field of fixed size.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`] and [`Query::submit`], and for queries that do not write.
    pub fn submit_from(&mut self, field: &str, cells: &[u8]) -> Result<()> {
        if self.kind() != QueryType::Write {
            bail!(Internal, "A query that does not write would overwrite the cells of '{field}'");
        }
        self.submit_slice(field, cells.as_ptr().cast_mut(), cells.len()).map(|_| ())
    }

    /// Clears the address of a data buffer.
    fn clear_data_buffer(&mut self, name: &str) {
        for buffers in [&mut self.cells.fields.buffers, &mut self.cells.aggregates.buffers, &mut self.labels.buffers] {
            buffers.get_mut(name).into_iter().for_each(|field| field.data = None);
        }
    }

    /// Clears the addresses of all buffers.
    fn clear_buffers(&mut self) {
        for buffers in [&mut self.cells.fields.buffers, &mut self.cells.aggregates.buffers, &mut self.labels.buffers] {
            for field in &mut buffers.fields {
                (field.data, field.offsets, field.validity) = (None, None, None);
            }
        }
    }

    /// Unsets all buffers. A query that has begun keeps the names of its fields: new buffers can be set for these and no
    /// others, and a submit fails while one is missing.
    pub fn unset_buffers(&mut self) {
        if self.has_begun() {
            self.clear_buffers();
        } else {
            for buffers in
                [&mut self.cells.fields.buffers, &mut self.cells.aggregates.buffers, &mut self.labels.buffers]
            {
                buffers.fields.clear();
            }
        }
        self.cells.fields.reset_coordinates();
    }

    fn submit_slice(&mut self, field: &str, start: *mut u8, bytes: usize) -> Result<u64> {
        let mut size = bytes as u64;
        let query = ClearBufferOnDrop { query: self, field };
        // SAFETY: both callers hold the memory until this function ends, writers by a shared borrow, which suffices for
        // them, and `size` lives as long; `query` clears both addresses before that, also if the submit panics.
        let (start, size_at) = unsafe { (UserPtr::new(start), UserPtr::new(&raw mut size)) };
        query.query.set_data_buffer(field, start, size_at)?;
        query.query.submit()?;
        drop(query);
        Ok(size)
    }
}

/// Clears the data buffer of a field of a query when dropped.
struct ClearBufferOnDrop<'a> {
    query: &'a mut Query,
    field: &'a str,
}

impl Drop for ClearBufferOnDrop<'_> {
    fn drop(&mut self) {
        self.query.clear_data_buffer(self.field);
    }
}

/// Buffers for the results of a field, and how much of them a submit filled.
pub struct ResultBuffers {
    name: Name,
    data: Vec<u64>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u64>>,
    /// Bytes of each.
    sizes: [u64; 3],
}

/// Words with the bytes that were filled of them.
type Words = (Vec<u64>, usize);

/// The filled parts of the buffers of a field.
pub struct FilledBuffers {
    /// Cells, or the values of variable ones.
    pub data: Words,
    /// Where variable cells begin.
    pub offsets: Option<Words>,
    /// A byte per cell that may be null.
    pub validity: Option<Words>,
}

impl ResultBuffers {
    /// Allocates buffers of these sizes in bytes.
    ///
    /// # Errors
    /// If the allocation fails.
    pub fn new(name: &Name, data: u64, offsets: Option<u64>, validity: Option<u64>) -> Result<ResultBuffers> {
        let words = |bytes: u64| {
            let count = usize::try_from(bytes / 8 + 1).unwrap_or(usize::MAX);
            memory::with_capacity("results", count)
        };
        Ok(ResultBuffers {
            name: name.clone(),
            data: words(data)?,
            offsets: offsets.map(words).transpose()?,
            validity: validity.map(words).transpose()?,
            sizes: [data, offsets.unwrap_or(0), validity.unwrap_or(0)],
        })
    }

    fn filled(self) -> FilledBuffers {
        let [data, offsets, validity] = self.sizes;
        FilledBuffers {
            data: set_length(self.data, data),
            offsets: self.offsets.map(|words| set_length(words, offsets)),
            validity: self.validity.map(|words| set_length(words, validity)),
        }
    }
}

/// Words whose first bytes were written.
fn set_length(mut words: Vec<u64>, bytes: u64) -> Words {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(words.capacity() * 8);
    let count = bytes.div_ceil(8);
    // SAFETY: within the capacity; a submit wrote the first `bytes`, and the rest of the last word is written here.
    unsafe {
        words.as_mut_ptr().cast::<u8>().add(bytes).write_bytes(0, count * 8 - bytes);
        words.set_len(count);
    }
    if words.capacity() > 2 * count + 1024 {
        words.shrink_to_fit();
    }
    (words, bytes)
}

impl Query {
    /// Sets buffers that live for one call of `submit`; returns their filled parts.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and those of `submit`.
    pub fn submit_into_buffers(
        &mut self,
        mut results: Vec<ResultBuffers>,
        submit: impl FnOnce(&mut Query) -> Result<()>,
    ) -> Result<Vec<FilledBuffers>> {
        let query = ClearBuffersOnDrop(self);
        for buffers in &mut results {
            let [data, offsets, validity] = &mut buffers.sizes;
            // SAFETY: `results` owns its memory, and nothing else uses it, until this function ends; `query` clears the
            // addresses before that, also if the submit panics.
            unsafe {
                let start = |words: &mut Vec<u64>| UserPtr::new(words.as_mut_ptr().cast::<u8>());
                query.0.set_data_buffer(&buffers.name, start(&mut buffers.data), UserPtr::new(data))?;
                if let Some(words) = &mut buffers.offsets {
                    query.0.set_offsets_buffer(&buffers.name, start(words), UserPtr::new(offsets))?;
                }
                if let Some(words) = &mut buffers.validity {
                    query.0.set_validity_buffer(&buffers.name, start(words), UserPtr::new(validity))?;
                }
            }
        }
        submit(query.0)?;
        drop(query);
        Ok(results.into_iter().map(ResultBuffers::filled).collect())
    }
}

/// Borrowed buffers for the results of a field.
pub struct ResultSlices<'a> {
    /// The field.
    pub name: Name,
    /// Cells, or the values of variable ones.
    pub data: &'a mut [u8],
    /// Where variable cells begin.
    pub offsets: Option<&'a mut [u64]>,
    /// A byte per cell that may be null.
    pub validity: Option<&'a mut [u8]>,
}

impl Query {
    /// Sets borrowed buffers while `submit` fills them; returns how many bytes of data, offsets and validity were filled.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], and those of `submit`.
    pub fn submit_into_slices(
        &mut self,
        mut results: Vec<ResultSlices<'_>>,
        submit: impl FnOnce(&mut Query) -> Result<()>,
    ) -> Result<Vec<[u64; 3]>> {
        let mut sizes = memory::with_capacity("buffers", results.len())?;
        for field in &results {
            let offsets = field.offsets.as_deref().map_or(0, size_of_val);
            let validity = field.validity.as_deref().map_or(0, <[u8]>::len);
            sizes.push([field.data.len(), offsets, validity].map(|bytes| bytes as u64));
        }
        let query = ClearBuffersOnDrop(self);
        for (field, [data, offsets, validity]) in results.iter_mut().zip(&mut sizes) {
            // SAFETY: the memory is borrowed exclusively, and `sizes` lives, until this function ends; `query` clears the
            // addresses before that, also if the submit panics.
            unsafe {
                query.0.set_data_buffer(&field.name, UserPtr::new(field.data.as_mut_ptr()), UserPtr::new(data))?;
                if let Some(starts) = &mut field.offsets {
                    let start = starts.as_mut_ptr().cast::<u8>();
                    query.0.set_offsets_buffer(&field.name, UserPtr::new(start), UserPtr::new(offsets))?;
                }
                if let Some(valid) = &mut field.validity {
                    query.0.set_validity_buffer(
                        &field.name,
                        UserPtr::new(valid.as_mut_ptr()),
                        UserPtr::new(validity),
                    )?;
                }
            }
        }
        submit(query.0)?;
        drop(query);
        Ok(sizes)
    }
}

/// Borrowed cells of a field, to be written.
pub struct CellSlices<'a> {
    /// The field.
    pub name: &'a Name,
    /// Cells, or the values of variable ones.
    pub data: &'a [u8],
    /// Where variable cells begin in `data`, and where the last one ends.
    pub starts: Option<&'a [u64]>,
    /// A byte per cell that may be null.
    pub validity: Option<&'a [u8]>,
}

impl Query {
    /// Sets borrowed cells as buffers while `submit` writes them.
    ///
    /// # Errors
    /// As [`Query::set_data_buffer`], for queries that do not write, and those of `submit`.
    pub fn submit_slices(
        &mut self,
        fields: &[CellSlices<'_>],
        submit: impl FnOnce(&mut Query) -> Result<()>,
    ) -> Result<()> {
        if self.kind() != QueryType::Write {
            bail!(Internal, "A query that does not write would overwrite what is lent to it");
        }
        let mut sizes = memory::with_capacity("buffers", fields.len())?;
        for field in fields {
            let starts = field.starts.map_or(0, size_of_val);
            sizes.push([field.data.len(), starts, field.validity.map_or(0, <[u8]>::len)].map(|bytes| bytes as u64));
        }
        let format = self.offset_format();
        let query = ClearBuffersOnDrop(self);
        query.0.set_offset_format(OffsetFormat { width: 8, elements: false, extra: true });
        let set = || -> Result<()> {
            for (field, [data, offsets, validity]) in fields.iter().zip(&mut sizes) {
                // SAFETY: the cells are borrowed, and `sizes` lives, until this function ends, and a write, which this
                // is, only reads them; `query` clears the addresses before that, also if the submit panics.
                unsafe {
                    let start = |bytes: &[u8]| UserPtr::new(bytes.as_ptr().cast_mut());
                    query.0.set_data_buffer(field.name, start(field.data), UserPtr::new(data))?;
                    if let Some(starts) = field.starts {
                        query.0.set_offsets_buffer(
                            field.name,
                            start(bytemuck::cast_slice(starts)),
                            UserPtr::new(offsets),
                        )?;
                    }
                    if let Some(valid) = field.validity {
                        query.0.set_validity_buffer(field.name, start(valid), UserPtr::new(validity))?;
                    }
                }
            }
            submit(query.0)
        };
        let done = set();
        query.0.set_offset_format(format);
        done
    }
}

/// Clears all buffers of a query when dropped.
struct ClearBuffersOnDrop<'a>(&'a mut Query);

impl Drop for ClearBuffersOnDrop<'_> {
    fn drop(&mut self) {
        self.0.clear_buffers();
    }
}
