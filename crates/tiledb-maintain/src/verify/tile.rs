//! Decoding of a tile of a field with checks.

use super::finding::{Code, Finding};
use tiledb_array::fragment::{FieldPart, Fragment};
use tiledb_array::schema::Field;
use tiledb_core::budget::{Budget, Lease, MemoryKind};
use tiledb_core::error::{Error, ErrorKind, Result, bail};
use tiledb_core::pool::{Scratch, scratch, scratch_size};
use tiledb_filters::codec::StringTarget;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::{ChunkHeader, TILE_HEADER};

/// Context for decoding tiles of a fragment.
#[derive(Clone, Copy)]
pub(crate) struct TileAccess<'a> {
    pub(crate) fragment: &'a Fragment,
    pub(crate) key: &'a EncryptionKey,
    pub(crate) budget: &'a Budget,
}

/// The decoded cells of a field of a tile.
pub(crate) struct CheckedCells {
    /// Fixed cells, or the values of variable ones.
    pub(crate) data: Lease<Scratch>,
    /// Starts of variable cells, ascending and inside the values, the first being 0.
    pub(crate) starts: Option<Lease<Vec<u64>>>,
    /// One byte per cell.
    pub(crate) validity: Option<Lease<Scratch>>,
}

/// Verification of a tile of a field.
pub(crate) struct TileCheck<'a> {
    pub(crate) access: TileAccess<'a>,
    pub(crate) field: &'a Field,
    pub(crate) tile: u64,
    pub(crate) cells: u64,
    pub(crate) found: Vec<Finding>,
}

impl<'a> TileCheck<'a> {
    pub(crate) fn new(access: TileAccess<'a>, field: &'a Field, tile: u64) -> TileCheck<'a> {
        TileCheck { access, field, tile, cells: access.fragment.cells_in_tile(tile), found: Vec::new() }
    }

    /// A finding about a part of the tile.
    pub(super) fn finding(&self, code: Code, part: FieldPart, text: String) -> Finding {
        let fragment = self.access.fragment;
        Finding {
            field: Some(self.field.name.to_string()),
            fragment: Some(fragment.name().as_str().to_owned()),
            tile: Some(self.tile),
            offset: fragment.tile(self.field, part, self.tile).ok().map(|place| place.start),
            ..Finding::new(code, &fragment.file_uri(self.field, part), text)
        }
    }

    pub(super) fn wrong(&mut self, code: Code, part: FieldPart, text: String) {
        let finding = self.finding(code, part, text);
        self.found.push(finding);
    }

    /// Records an error of damaged data as a finding.
    ///
    /// # Errors
    /// Errors that stop the verification.
    pub(super) fn note<T>(&mut self, part: FieldPart, result: Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                self.wrong(Code::Tile.or_of(&error), part, error.text().to_owned());
                Ok(None)
            }
        }
    }

    /// Bytes of memory that the field of the tile takes, stored and decoded.
    pub(super) fn need(&self) -> u64 {
        let fragment = self.access.fragment;
        let stored = |part| fragment.tile(self.field, part, self.tile).map_or(0, |place| place.end - place.start);
        let mut need = 0u64;
        for part in FieldPart::of(self.field) {
            let decoded = match part {
                FieldPart::Data if self.field.is_var() => self.cells.saturating_add(4).saturating_mul(16),
                FieldPart::Data => self.fixed_size(),
                FieldPart::Var => fragment.var_tile_size(self.field, self.tile).unwrap_or(0),
                FieldPart::Validity => self.cells,
            };
            need = need.saturating_add(scratch_size(stored(part))).saturating_add(scratch_size(decoded));
        }
        need
    }

    /// Bytes of the decoded tile of a fixed field: of old coordinates those of all dimensions.
    fn fixed_size(&self) -> u64 {
        let (_, shape) = self.access.fragment.filters_of(self.field, FieldPart::Data);
        self.cells.saturating_mul(shape.cell_size as u64)
    }

    /// Decodes all parts of the tile and records damage; `None` if a part could not be decoded.
    ///
    /// # Errors
    /// Errors that stop the verification.
    pub(crate) fn decode(&mut self) -> Result<Option<CheckedCells>> {
        let budget = self.access.budget;
        let mut validity = None;
        if self.field.nullable && self.access.fragment.version().has_nullable() {
            let decoded = self.part(FieldPart::Validity, self.cells);
            let decoded = self.note(FieldPart::Validity, decoded)?;
            if let Some(bytes) = &decoded
                && let Some(cell) = bytes.iter().position(|&byte| byte > 1)
            {
                self.wrong(
                    Code::Validity,
                    FieldPart::Validity,
                    format!("Cell {cell} has the validity {}", bytes[cell]),
                );
            }
            validity = decoded;
            if validity.is_none() {
                // The values are verified nevertheless.
                self.values(budget)?;
                return Ok(None);
            }
        }
        let values = self.values(budget)?;
        Ok(values.map(|(data, starts)| CheckedCells { data, starts, validity }))
    }

    #[allow(clippy::type_complexity, reason = "values and their starts")]
    fn values(&mut self, budget: &Budget) -> Result<Option<(Lease<Scratch>, Option<Lease<Vec<u64>>>)>> {
        if !self.field.is_var() {
            let data = self.part(FieldPart::Data, self.fixed_size());
            return Ok(self.note(FieldPart::Data, data)?.map(|data| (data, None)));
        }
        let size = self.access.fragment.var_tile_size(self.field, self.tile);
        let Some(size) = self.note(FieldPart::Var, size)? else { return Ok(None) };
        let data = self.part(FieldPart::Var, size);
        let data = self.note(FieldPart::Var, data)?;
        let starts = self.starts(budget, size, data.is_some());
        let starts = self.note(FieldPart::Data, starts)?;
        let (Some(data), Some(starts)) = (data, starts) else { return Ok(None) };
        if let Some(text) = wrong_starts(&starts, size) {
            self.wrong(Code::Offsets, FieldPart::Data, text);
            return Ok(None);
        }
        Ok(Some((data, Some(starts))))
    }

    /// The starts of variable cells.
    fn starts(&self, budget: &Budget, size: u64, is_decoded: bool) -> Result<Lease<Vec<u64>>> {
        let fragment = self.access.fragment;
        let count = self.length("cells", self.cells)?;
        let room = (count.max(4) as u64).saturating_mul(8);
        let empty = || tiledb_core::memory::filled("offsets", 0u64, count);
        if !self.field.encodes_strings(fragment.version()) {
            let bytes = self.part(FieldPart::Data, self.cells.saturating_mul(8))?;
            let mut starts = budget.lease(MemoryKind::AttributeTiles, room, empty)?;
            for (start, word) in starts.slice_mut().iter_mut().zip(bytes.chunks_exact(8)) {
                *start = bytemuck::pod_read_unaligned(word);
            }
            return Ok(starts);
        }
        // They are encoded with the values; the tile of offsets is empty.
        let stored = self.stored(FieldPart::Data)?;
        check_chunks(&stored, None)?;
        if !is_decoded {
            bail!(Corrupt, "The offsets cannot be rebuilt without the values");
        }
        let (pipeline, shape) = fragment.filters_of(self.field, FieldPart::Var);
        let stored = self.stored(FieldPart::Var)?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        // Memory is reserved for the cells before they are counted against the encoded bytes.
        let mut starts = budget.lease(MemoryKind::AttributeTiles, room, empty)?;
        let target = StringTarget::Starts(starts.slice_mut(), size);
        pipeline.reverse_strings(&shape, self.access.key, &stored, target)?;
        Ok(starts)
    }

    /// A number of bytes or cells that the tile states, as a length in memory.
    ///
    /// # Errors
    /// If it exceeds the address space.
    fn length(&self, unit: &str, stated: u64) -> Result<usize> {
        match usize::try_from(stated) {
            Ok(length) if isize::try_from(length).is_ok() => Ok(length),
            _ => bail!(
                Corrupt,
                "Tile {} of field '{}' states {stated} {unit}; the limit is {}",
                self.tile,
                self.field.name,
                isize::MAX
            ),
        }
    }

    /// The stored bytes of a part.
    fn stored(&self, part: FieldPart) -> Result<Lease<Scratch>> {
        let fragment = self.access.fragment;
        let place = fragment.tile(self.field, part, self.tile)?;
        let file = fragment.file(self.field, part)?;
        if place.end > file.len() {
            bail!(Corrupt, "The tile is said to lie at bytes {place:?} of a file of {} bytes", file.len());
        }
        let size = place.end - place.start;
        let len = self.length("bytes", size)?;
        let mut stored = self.access.budget.lease(MemoryKind::FilteredTiles, scratch_size(size), || scratch(len))?;
        file.read_at(place.start, stored.slice_mut())?;
        Ok(stored)
    }

    /// Decodes a part of `size` bytes.
    fn part(&self, part: FieldPart, size: u64) -> Result<Lease<Scratch>> {
        let stored = self.stored(part)?;
        check_chunks(&stored, Some(size))?;
        let len = self.length("bytes", size)?;
        let mut data = self.access.budget.lease(MemoryKind::AttributeTiles, scratch_size(size), || scratch(len))?;
        let (pipeline, shape) = self.access.fragment.filters_of(self.field, part);
        pipeline.reverse(&shape, self.access.key, &stored, data.slice_mut())?;
        Ok(data)
    }
}

/// Describes invalid starts of cells, if there are any.
fn wrong_starts(starts: &[u64], size: u64) -> Option<String> {
    if let Some(&first) = starts.first().filter(|&&first| first != 0) {
        return Some(format!("The offset of cell 0 is {first}"));
    }
    let cell = (1..starts.len()).find(|&cell| starts[cell] < starts[cell - 1]);
    if let Some(cell) = cell {
        let start = starts[cell];
        let before = starts[cell - 1];
        return Some(format!("The offset {start} of cell {cell} is less than the {before} of the one before"));
    }
    let last = starts.last().copied().filter(|&last| last > size)?;
    Some(format!("The offset {last} of the last cell lies beyond the {size} bytes of values"))
}

/// Checks the chunk headers: the chunks must hold `size` bytes of the tile and fill its byte range in the file.
fn check_chunks(stored: &[u8], size: Option<u64>) -> Result<()> {
    let Some((head, mut rest)) = stored.split_first_chunk::<TILE_HEADER>() else {
        if stored.is_empty() && size.is_none_or(|size| size == 0) {
            return Ok(());
        }
        bail!(Corrupt, "The tile has {} stored bytes", stored.len());
    };
    let count = u64::from_le_bytes(*head);
    let mut held = 0u64;
    for chunk in 0..count {
        let Some((header, data)) = rest.split_first_chunk::<{ ChunkHeader::SIZE }>() else {
            bail!(Corrupt, "Chunk {chunk} of {count} begins behind the end of the tile");
        };
        let header = ChunkHeader::read(header);
        let Some(next) = data.get(header.stored()..) else {
            bail!(Corrupt, "Chunk {chunk} of {count} has {} bytes, {} are left", header.stored(), data.len());
        };
        held = held.saturating_add(header.original as u64);
        rest = next;
    }
    if let Some(size) = size.filter(|&size| size != held) {
        bail!(Corrupt, "The chunks hold {held} bytes of a tile of {size}");
    }
    if !rest.is_empty() {
        bail!(Corrupt, "{} bytes follow the chunks of the tile", rest.len());
    }
    Ok(())
}

impl TileCheck<'_> {
    /// The part whose chunks contradict the fragment, determined without decoding.
    pub(super) fn wrong_size(&self) -> Option<(FieldPart, Error)> {
        let expected = |part| match part {
            FieldPart::Data if self.field.encodes_strings(self.access.fragment.version()) => None,
            FieldPart::Data if self.field.is_var() => Some(self.cells.saturating_mul(8)),
            FieldPart::Data => Some(self.fixed_size()),
            FieldPart::Var => self.access.fragment.var_tile_size(self.field, self.tile).ok(),
            FieldPart::Validity => Some(self.cells),
        };
        FieldPart::of(self.field).find_map(|part| Some((part, self.walk(part, expected(part)?).err()?)))
    }

    /// Reads the headers of a part's chunks.
    fn walk(&self, part: FieldPart, size: u64) -> Result<()> {
        let fragment = self.access.fragment;
        let place = fragment.tile(self.field, part, self.tile)?;
        let file = fragment.file(self.field, part)?;
        let mut head = [0; TILE_HEADER];
        file.read_at(place.start, &mut head)?;
        let mut at = place.start + TILE_HEADER as u64;
        let mut held = 0u64;
        for _ in 0..u64::from_le_bytes(head) {
            let mut header = [0; ChunkHeader::SIZE];
            file.read_at(at, &mut header)?;
            let header = ChunkHeader::read(&header);
            held = held.saturating_add(header.original as u64);
            at = at.saturating_add((ChunkHeader::SIZE + header.stored()) as u64);
            if at > place.end || held > size {
                break;
            }
        }
        if held != size || at != place.end {
            bail!(
                Corrupt,
                "The chunks of the tile hold {held} bytes and end at {at} where {size} and {} should be",
                place.end
            );
        }
        Ok(())
    }
}
