//! The user's buffers of a query, by field.

use super::input::{InputColumn, Inputs};
use super::memory::OutMem;
use super::offsets::{OffsetFormat, OffsetsOut, starts};
use super::output::{FilledCounts, OutputColumn, Outputs};
use super::user_buffer::UserBuffer;
use super::zipped::{COORDS, Zip};
use tiledb_array::schema::Field;
use tiledb_core::error::{Result, bail};
use tiledb_core::pool::Scratch;
use tiledb_core::sort;
use tiledb_core::types::{HasName, Name, NamedList};

/// The buffers of one field.
#[derive(Clone)]
pub struct FieldBuffers {
    /// The field's name as the caller gave it.
    pub name: Name,
    /// Fixed cells, or the values of variable ones.
    pub data: Option<UserBuffer>,
    /// Starts of variable cells.
    pub offsets: Option<UserBuffer>,
    /// One byte per cell of a nullable field.
    pub validity: Option<UserBuffer>,
}

impl HasName for FieldBuffers {
    fn name(&self) -> &Name {
        &self.name
    }
}

impl FieldBuffers {
    /// Memory for data; none if no buffer was set.
    fn data_out(&mut self) -> OutMem<'_> {
        self.data.as_mut().map_or_else(OutMem::none, UserBuffer::out)
    }

    /// Writes the only cell of a result.
    ///
    /// # Errors
    /// If it does not fit.
    pub fn put_one(&mut self, value: &[u8], valid: bool) -> Result<()> {
        if let Some(data) = &mut self.data {
            data.out().put(0, value)?;
            // A cell of fixed size counts even if nothing is written to it.
            data.size().set(if self.offsets.is_some() { value.len() as u64 } else { data.capacity() });
        }
        if let Some(offsets) = &mut self.offsets {
            offsets.out().put(0, &[0; 8])?;
            offsets.size().set(8);
        }
        if let Some(validity) = &mut self.validity {
            validity.out().put(0, &[u8::from(valid)])?;
            validity.size().set(1);
        }
        Ok(())
    }
}

/// The buffers that a field requires.
#[derive(Clone, Copy)]
pub struct BufferNeeds {
    /// Cells of variable length.
    pub var: bool,
    /// Cells may be null.
    pub nullable: bool,
}

/// All buffers of a query, in the order they were set first.
#[derive(Clone, Default)]
pub struct Buffers {
    /// One entry per field.
    pub fields: NamedList<FieldBuffers>,
}

impl Buffers {
    /// The buffers of a field.
    pub fn get(&self, name: &str) -> Option<&FieldBuffers> {
        self.fields.get(name)
    }

    /// The same, to be written to or replaced.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut FieldBuffers> {
        self.fields.get_mut(name)
    }

    /// The buffers of a field, made empty if there are none yet.
    pub fn entry(&mut self, name: &str) -> &mut FieldBuffers {
        let empty = || FieldBuffers { name: Name::new(name), data: None, offsets: None, validity: None };
        self.fields.get_or_push(name, empty)
    }

    /// True if no buffer was set.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Checks that every field has the buffers it needs.
    ///
    /// # Errors
    /// Naming the first field that lacks one.
    pub fn check_complete(&self, needs: impl Fn(&str) -> BufferNeeds) -> Result<()> {
        for field in &self.fields {
            let (name, needs) = (&field.name, needs(&field.name));
            if [field.data, field.offsets, field.validity].into_iter().flatten().any(|buffer| buffer.is_awaited()) {
                bail!(
                    "[TileDB::Query] Error: Cannot submit query; a buffer of '{name}' that a message asked for is not set"
                );
            }
            if needs.var && field.data.is_none() {
                bail!(
                    "[TileDB::Query] Error: Var-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Var size buffer is not set. Call tiledb_query_set_data_buffer"
                );
            }
            if needs.var && field.offsets.is_none() {
                bail!(
                    "[TileDB::Query] Error: Var-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Offsets buffer is not set. Call tiledb_query_set_offsets_buffer"
                );
            }
            if field.data.is_none() {
                bail!(
                    "[TileDB::Query] Error: Fix-Sized input attribute/dimension '{name}' is not set correctly. \n\
                     Fix size buffer is not set. Call tiledb_query_set_data_buffer"
                );
            }
            if needs.nullable && field.validity.is_none() {
                bail!(
                    "[TileDB::Query] Error: Nullable input attribute/dimension '{name}' is not set correctly \n\
                     Validity buffer is not set: call tiledb_query_set_validity_buffer"
                );
            }
        }
        Ok(())
    }

    /// Rejects validity buffers of results that are smaller than the number of cells that the field's data buffer, or
    /// of variable fields the 64-bit offsets buffer, has capacity for. `cell_size` returns the bytes of a cell of a
    /// nullable field, 0 for variable cells.
    ///
    /// # Errors
    /// Naming the field.
    pub fn check_validity(&self, extra_offset: bool, cell_size: impl Fn(&str) -> Option<usize>) -> Result<()> {
        for field in &self.fields {
            let capacity = |buffer: Option<UserBuffer>| buffer.map_or(0, |buffer| buffer.capacity());
            let Some(size) = cell_size(&field.name) else { continue };
            let cells = match size as u64 {
                0 => (capacity(field.offsets) / 8).saturating_sub(u64::from(extra_offset)),
                size => capacity(field.data) / size,
            };
            let room = capacity(field.validity);
            if room < cells {
                bail!(
                    "ReaderBase: Buffer sizes check failed; Invalid number of validity cells given for attribute '{}' \
                     ({room} < {cells})",
                    field.name
                );
            }
        }
        Ok(())
    }

    /// Rejects buffers, these or others of the query, that overlap: results would overwrite one another.
    ///
    /// # Errors
    /// Naming both fields.
    pub fn check_disjoint(&self, others: &Buffers) -> Result<()> {
        let parts = |field: &FieldBuffers| [field.data, field.offsets, field.validity];
        let spans = |field: &FieldBuffers| parts(field).into_iter().flatten().map(|buffer| buffer.span());
        let fields: Vec<&FieldBuffers> = self.fields.iter().chain(&others.fields).collect();
        let mut all: Vec<_> =
            fields.iter().enumerate().flat_map(|(index, field)| spans(field).map(move |span| (span, index))).collect();
        all.retain(|((start, end), _)| start < end);
        sort::by(&mut all, Ord::cmp);
        for pair in all.windows(2) {
            let (((_, end), a), ((start, _), b)) = (pair[0], pair[1]);
            if start < end {
                let (a, b) = (&fields[a].name, &fields[b].name);
                bail!("[TileDB::Query] Error: Cannot submit query; The buffers of '{a}' and '{b}' overlap");
            }
        }
        Ok(())
    }

    /// Limits data and validity buffers of fixed-size fields to the bytes that `most` returns, `None` for fields
    /// without a limit.
    pub fn limit(&mut self, most: impl Fn(&str) -> Option<[u64; 2]>) {
        for field in &mut self.fields {
            let Some(most) = most(&field.name) else { continue };
            let buffers = [&mut field.data, &mut field.validity];
            buffers
                .into_iter()
                .zip(most)
                .filter_map(|(buffer, most)| Some((buffer.as_mut()?, most)))
                .for_each(|(buffer, most)| buffer.limit(most));
        }
    }

    /// The number of cells in the data buffer of a fixed-size field.
    pub fn cell_count(&self, field: &Field) -> Option<u64> {
        let data = self.fields.get(&field.name)?.data.as_ref()?;
        data.size().value().checked_div(field.cell_size() as u64)
    }

    /// The names of the columns that the buffers represent.
    pub fn columns(&self, zip: &Zip<'_>) -> Vec<Name> {
        self.fields.iter().flat_map(|field| zip.names_of(&field.name).into_iter().cloned()).collect()
    }

    /// The result memory for one step. `value_size` returns the bytes of one value of a field.
    ///
    /// # Errors
    /// As `Zip::columns`.
    pub fn outputs(
        &mut self,
        format: OffsetFormat,
        zip: &Zip<'_>,
        value_size: impl Fn(&str) -> usize,
    ) -> Result<Outputs<'_>> {
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &mut self.fields {
            if field.name.as_str() == COORDS {
                columns.extend(zip.columns(field.data_out())?);
                continue;
            }
            let FieldBuffers { name, data, offsets, validity } = field;
            let size = value_size(name);
            columns.push(OutputColumn {
                name: name.clone(),
                data: data.as_mut().map_or_else(OutMem::none, UserBuffer::out),
                offsets: offsets.as_mut().map(|offsets| OffsetsOut::new(offsets.out(), format, size)),
                validity: validity.as_mut().map(UserBuffer::out),
                cells: 0,
                bytes: 0,
            });
        }
        Ok(Outputs { columns })
    }

    /// Reports to the caller how much of the columns a step has filled.
    ///
    /// # Errors
    /// If memory is lacking; no size variable has changed then.
    pub fn report(&mut self, filled: &[FilledCounts], zip: &Zip<'_>) -> Result<()> {
        let mut rest = filled;
        let mut sizes = Vec::with_capacity(self.fields.len());
        for field in &mut self.fields {
            let (own, others) = rest.split_at(zip.columns_of(&field.name).min(rest.len()));
            rest = others;
            let Some(&FilledCounts { cells, bytes, offsets }) = own.first() else { continue };
            let bytes = match field.name.as_str() {
                COORDS => zip.zip(&mut field.data_out(), cells)?,
                _ => bytes,
            };
            sizes.push([bytes as u64, offsets, cells as u64]);
        }
        for (field, sizes) in self.fields.iter().zip(sizes) {
            let buffers = [field.data, field.offsets, field.validity];
            buffers.into_iter().zip(sizes).for_each(|(buffer, size)| {
                if let Some(buffer) = buffer {
                    buffer.size().set(size);
                }
            });
        }
        Ok(())
    }

    /// Zipped coordinates, unzipped to columns.
    ///
    /// # Errors
    /// If memory is lacking.
    pub fn unzipped(&self, zip: &Zip<'_>) -> Result<Vec<Scratch>> {
        match self.get(COORDS).and_then(|field| field.data) {
            Some(coords) => zip.unzip(coords.bytes()?),
            None => Ok(Vec::new()),
        }
    }

    /// The cells of a write, with offsets converted to 64-bit byte offsets and checked; `unzipped` are the zipped
    /// coordinates. `value_size` returns the bytes of one value of a field. `cells` is the number of cells, if it is known, for
    /// [`OffsetFormat::memory_of_cells`].
    ///
    /// # Errors
    /// If offsets do not ascend inside the data.
    pub fn inputs<'a>(
        &'a self,
        (format, cells): (OffsetFormat, Option<u64>),
        (zip, unzipped): (&Zip<'_>, &'a [Scratch]),
        value_size: impl Fn(&str) -> usize,
    ) -> Result<Inputs<'a>> {
        let mut columns = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let data = field.data.as_ref().map_or(Ok(&[][..]), UserBuffer::bytes)?;
            if field.name.as_str() == COORDS {
                columns.extend(zip.inputs(data, unzipped));
                continue;
            }
            let starts = match &field.offsets {
                Some(offsets) => {
                    let start_bytes = offsets.first_bytes(format.memory_of_cells(offsets.size().value(), cells))?;
                    Some(starts(&field.name, start_bytes, data, format, value_size(&field.name))?)
                }
                None => None,
            };
            let validity = field.validity.as_ref().map(UserBuffer::bytes).transpose()?;
            columns.push(InputColumn { name: field.name.clone(), data, starts, validity });
        }
        Ok(Inputs { columns: columns.into() })
    }
}
