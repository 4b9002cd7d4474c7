//! State of a write in global order, which a server passes to the process that takes the next submit.

use std::collections::HashMap;

use super::format::{in_field, required};
use super::{domain, tile_bounds};
use crate::encoding::{Builder, List, MessageField, NumberField, View};
use crate::messages::{
    BufferedChunk, CompletedPart, FragmentMetadata, GlobalWriteState, Map, MapEntry, MapUInt64, MapUInt64Entry,
    MultiPartUploadState, SingleCoord,
};
use tiledb_array::fragment::{FieldDraft, FieldPart, FragmentDraft, FragmentName, RTree, file_name};
use tiledb_array::schema::ArraySchema;
use tiledb_cells::WriteDraft;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{Datatype, NdRange};
use tiledb_storage::vfs::{SuspendedFile, Uri};

/// libtiledb's folder for buffered bytes that are not part of an upload yet; this library locates its own differently.
const WAITING: &str = "__buffering_dir";

/// A table of a field: its position in a message, and in a draft.
struct Table<T: 'static> {
    field: MessageField<FragmentMetadata, List<List<T>>>,
    get: fn(&FieldDraft) -> &[T],
    set: fn(&mut FieldDraft) -> &mut Vec<T>,
}

macro_rules! table {
    ($field:ident, $($path:tt)+) => {
        Table { field: FragmentMetadata::$field, get: |draft| &draft.$($path)+, set: |draft| &mut draft.$($path)+ }
    };
}

/// Numbers.
const WORDS: [Table<u64>; 5] = [
    table!(TILE_OFFSETS, offsets[0]),
    table!(TILE_VAR_OFFSETS, offsets[1]),
    table!(TILE_VAR_SIZES, var_sizes),
    table!(TILE_VALIDITY_OFFSETS, offsets[2]),
    table!(TILE_NULL_COUNTS, null_counts),
];

/// Statistics.
const BYTES: [Table<u8>; 5] = [
    table!(TILE_MIN_BUFFER, minima[0]),
    table!(TILE_MIN_VAR_BUFFER, minima[1]),
    table!(TILE_MAX_BUFFER, maxima[0]),
    table!(TILE_MAX_VAR_BUFFER, maxima[1]),
    table!(TILE_SUMS, sums),
];

impl<T: NumberField> Table<T> {
    fn fill(&self, out: &mut Builder<'_, FragmentMetadata>, fields: &[FieldDraft]) -> Result<()> {
        let mut list = out.list(self.field, fields.len())?;
        fields.iter().enumerate().try_for_each(|(index, draft)| list.set_numbers(index, (self.get)(draft)))
    }

    fn read(&self, view: View<'_, FragmentMetadata>, fields: &mut [FieldDraft]) -> Result<()> {
        for (draft, numbers) in fields.iter_mut().zip(view.items(self.field)?.iter()) {
            *(self.set)(draft) = numbers?.to_vec()?;
        }
        Ok(())
    }
}

/// Bytes of files by field.
const SIZES: [(MessageField<FragmentMetadata, List<u64>>, usize); 3] = [
    (FragmentMetadata::FILE_SIZES, 0),
    (FragmentMetadata::FILE_VAR_SIZES, 1),
    (FragmentMetadata::FILE_VALIDITY_SIZES, 2),
];

const PARTS: [FieldPart; 3] = [FieldPart::Data, FieldPart::Var, FieldPart::Validity];

/// Serializes the state; `region` is the subarray of a dense write.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn fill(
    out: &mut Builder<'_, GlobalWriteState>,
    draft: &WriteDraft,
    array: &Uri,
    schema: &ArraySchema,
    region: Option<&NdRange>,
) -> Result<()> {
    let fields: Vec<_> = schema.fields().iter().filter(|field| !(schema.is_dense() && field.is_dimension)).collect();
    let mut cells = out.child(GlobalWriteState::CELLS_WRITTEN)?;
    let mut entries = cells.list(MapUInt64::ENTRIES, fields.len())?;
    for (index, field) in fields.iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapUInt64Entry::KEY, &field.name)?;
        entry.set(MapUInt64Entry::VALUE, draft.cells);
    }
    if let Some(last) = &draft.last {
        fill_cell(&mut out.child(GlobalWriteState::LAST_CELL_COORDS)?, last)?;
    }
    let Some(fragment) = &draft.fragment else { return Ok(()) };
    fill_fragment(&mut out.child(GlobalWriteState::FRAG_META)?, fragment, array, schema, region)?;
    fill_uploads(out, fragment, array, schema)
}

/// The write of a message.
///
/// # Errors
/// If the message breaks a rule.
pub(super) fn of(view: View<'_, GlobalWriteState>, schema: &ArraySchema) -> Result<WriteDraft> {
    let cells = match view.child(GlobalWriteState::CELLS_WRITTEN)? {
        Some(map) => map.items(MapUInt64::ENTRIES)?.iter().map(|entry| entry.get(MapUInt64Entry::VALUE)).max(),
        None => None,
    };
    let last = match view.child(GlobalWriteState::LAST_CELL_COORDS)? {
        Some(view) => Some(cell_of(view)?),
        None => None,
    };
    let mut fragment = match view.child(GlobalWriteState::FRAG_META)? {
        Some(view) => fragment_of(view, schema, view.get(FragmentMetadata::TILE_INDEX_BASE))?,
        None => None,
    };
    if let Some(fragment) = &mut fragment {
        read_uploads(view, fragment, schema)?;
    }
    Ok(WriteDraft { fragment, cells: cells.unwrap_or(0), last, separate: None })
}

fn fill_cell(out: &mut Builder<'_, SingleCoord>, cell: &[Vec<u8>]) -> Result<()> {
    let mut coords = out.list(SingleCoord::COORDS, cell.len())?;
    cell.iter().enumerate().try_for_each(|(index, value)| coords.set_numbers(index, value))?;
    let sizes: Vec<u64> = cell.iter().map(|value| value.len() as u64).chain([8]).collect();
    out.set_numbers(SingleCoord::SIZES, &sizes)?;
    out.set_numbers(SingleCoord::SINGLE_OFFSET, &[0])
}

fn cell_of(view: View<'_, SingleCoord>) -> Result<Vec<Vec<u8>>> {
    let coords = view.items(SingleCoord::COORDS)?;
    let mut cell = memory::with_capacity("coordinates", coords.len())?;
    for value in coords.iter() {
        cell.push(value?.to_vec()?);
    }
    Ok(cell)
}

/// Puts a fragment that is being written into a message.
///
/// # Errors
/// If memory does not suffice.
pub(super) fn fill_fragment(
    out: &mut Builder<'_, FragmentMetadata>,
    fragment: &FragmentDraft,
    array: &Uri,
    schema: &ArraySchema,
    region: Option<&NdRange>,
) -> Result<()> {
    let folder = fragment.name.folder(array);
    out.set_text(FragmentMetadata::FRAGMENT_URI, folder.relative_to(array).unwrap_or(fragment.name.as_str()))?;
    out.set(FragmentMetadata::SPARSE_TILE_NUM, if schema.is_dense() { 0 } else { fragment.tiles });
    out.set(FragmentMetadata::TILE_INDEX_BASE, fragment.tiles);
    out.set(FragmentMetadata::LAST_TILE_CELL_NUM, fragment.last_tile_cells);
    out.set(FragmentMetadata::VERSION, fragment.name.version().number());
    let (start, end) = fragment.name.timestamps();
    out.set_numbers(FragmentMetadata::TIMESTAMP_RANGE, &[start, end])?;
    for (field, part) in SIZES {
        let sizes: Vec<u64> = fragment.fields.iter().map(|draft| draft.files[part].size).collect();
        out.set_numbers(field, &sizes)?;
    }
    WORDS.iter().try_for_each(|table| table.fill(out, &fragment.fields))?;
    BYTES.iter().try_for_each(|table| table.fill(out, &fragment.fields))?;
    if let Some(bounds) = &fragment.bounds {
        tile_bounds::fill(out, fragment.fields.len(), Some(bounds.clone()))?;
    }
    for field in [FragmentMetadata::FRAGMENT_MINS, FragmentMetadata::FRAGMENT_MAXS] {
        let mut list = out.list(field, fragment.fields.len())?;
        (0..fragment.fields.len()).try_for_each(|index| list.set_numbers(index, &[]))?;
    }
    for field in [FragmentMetadata::FRAGMENT_SUMS, FragmentMetadata::FRAGMENT_NULL_COUNTS] {
        out.set_numbers(field, &vec![0; fragment.fields.len()])?;
    }
    out.set_data(FragmentMetadata::RTREE, &fragment.boxes)?;
    let around = around(fragment, schema)?;
    domain::fill(&mut out.child(FragmentMetadata::NON_EMPTY_DOMAIN)?, region.or(around.as_ref()))?;
    out.child(FragmentMetadata::GT_OFFSETS)?;
    out.set_text(FragmentMetadata::ARRAY_SCHEMA_NAME, schema.name())
}

/// The box around the tiles of a sparse fragment.
fn around(fragment: &FragmentDraft, schema: &ArraySchema) -> Result<Option<NdRange>> {
    if schema.is_dense() {
        return Ok(None);
    }
    let dimensions: Vec<(Datatype, bool)> =
        schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
    let mut boxes = RTree::builder(&dimensions);
    boxes.read(&fragment.boxes)?;
    Ok(boxes.build()?.root())
}

/// The fragment being written, of this many tiles; `None` before the first one.
///
/// # Errors
/// If the message breaks a rule.
pub(super) fn fragment_of(
    view: View<'_, FragmentMetadata>,
    schema: &ArraySchema,
    tiles: u64,
) -> Result<Option<FragmentDraft>> {
    if tiles == 0 {
        // A fragment without tiles is started again.
        return Ok(None);
    }
    let uri = required("FragmentMetadata.fragmentUri", view.text(FragmentMetadata::FRAGMENT_URI)?)?;
    let last = uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = FragmentName::parse(last).map_err(in_field("FragmentMetadata.fragmentUri"))?;
    let mut fields = vec![FieldDraft::default(); schema.field_count_in_fragment()];
    for (field, part) in SIZES {
        let sizes = view.items(field)?;
        fields.iter_mut().zip(sizes.iter()).for_each(|(draft, size)| draft.files[part].size = size);
    }
    WORDS.iter().try_for_each(|table| table.read(view, &mut fields))?;
    BYTES.iter().try_for_each(|table| table.read(view, &mut fields))?;
    let boxes = memory::copied("boxes of tiles", view.data(FragmentMetadata::RTREE)?.unwrap_or_default())?;
    let last_tile_cells = view.get(FragmentMetadata::LAST_TILE_CELL_NUM);
    let bounds = tile_bounds::of(view, schema.domain().dimensions().len())?;
    Ok(Some(FragmentDraft { name, tiles, last_tile_cells, boxes, fields, bounds }))
}

/// Puts uploads to an object store into a message, by the names of the files.
fn fill_uploads(
    out: &mut Builder<'_, GlobalWriteState>,
    fragment: &FragmentDraft,
    array: &Uri,
    schema: &ArraySchema,
) -> Result<()> {
    let uploads: Vec<(String, &SuspendedFile)> = files(fragment, schema)
        .filter_map(|(name, field, part)| Some((name, &fragment.fields.get(field)?.files[part])))
        .filter(|(_, file)| file.upload.is_some() || file.pending_bytes > 0)
        .collect();
    if uploads.is_empty() {
        return Ok(());
    }
    let mut map = out.child(GlobalWriteState::MULTI_PART_UPLOAD_STATES)?;
    let mut entries = map.list(Map::<MultiPartUploadState>::ENTRIES, uploads.len())?;
    for (index, (name, file)) in uploads.iter().enumerate() {
        let mut entry = entries.get(index)?;
        entry.set_text(MapEntry::<MultiPartUploadState>::KEY, name)?;
        let mut state = entry.child(MapEntry::<MultiPartUploadState>::VALUE)?;
        state.set(MultiPartUploadState::PART_NUMBER, file.parts.len() as u64 + 1);
        if let Some(upload) = &file.upload {
            state.set_text(MultiPartUploadState::UPLOAD_ID, upload)?;
        }
        let mut parts = state.list(MultiPartUploadState::COMPLETED_PARTS, file.parts.len())?;
        for (part, tag) in file.parts.iter().enumerate() {
            let mut one = parts.get(part)?;
            one.set_text(CompletedPart::E_TAG, tag)?;
            one.set(CompletedPart::PART_NUMBER, part as u64 + 1);
        }
        if file.pending_bytes > 0 {
            let mut chunks = state.list(MultiPartUploadState::BUFFERED_CHUNKS, 1)?;
            let mut one = chunks.get(0)?;
            let waiting = fragment.name.folder(array).join(WAITING).join(&format!("{name}_{}", file.parts.len()));
            one.set_text(BufferedChunk::URI, waiting.as_str())?;
            one.set(BufferedChunk::SIZE, file.pending_bytes);
        }
    }
    Ok(())
}

fn read_uploads(view: View<'_, GlobalWriteState>, fragment: &mut FragmentDraft, schema: &ArraySchema) -> Result<()> {
    let Some(map) = view.child(GlobalWriteState::MULTI_PART_UPLOAD_STATES)? else { return Ok(()) };
    let names: HashMap<String, (usize, usize)> =
        files(fragment, schema).map(|(name, field, part)| (name, (field, part))).collect();
    for entry in map.items(Map::<MultiPartUploadState>::ENTRIES)?.iter() {
        let name = entry.text(MapEntry::<MultiPartUploadState>::KEY)?.unwrap_or_default();
        let Some(&(field, part)) = names.get(name) else {
            bail!(Corrupt, "GlobalWriteState.multiPartUploadStates: the fragment has no file '{name}'");
        };
        let Some(state) = entry.child(MapEntry::<MultiPartUploadState>::VALUE)? else { continue };
        let file = &mut fragment.fields[field].files[part];
        file.upload = state.text(MultiPartUploadState::UPLOAD_ID)?.map(str::to_owned);
        let parts = state.items(MultiPartUploadState::COMPLETED_PARTS)?;
        file.parts = memory::with_capacity("parts of an upload", parts.len())?;
        for part in parts.iter() {
            file.parts.push(part.text(CompletedPart::E_TAG)?.unwrap_or_default().to_owned());
        }
        let chunks = state.items(MultiPartUploadState::BUFFERED_CHUNKS)?;
        file.pending_bytes = chunks.iter().map(|chunk| chunk.get(BufferedChunk::SIZE)).fold(0, u64::saturating_add);
    }
    Ok(())
}

/// The files of a fragment: name, number of the field among its tables, number of the part.
fn files(fragment: &FragmentDraft, schema: &ArraySchema) -> impl Iterator<Item = (String, usize, usize)> {
    let version = fragment.name.version();
    let coordinates = schema.attributes().len();
    schema.fields().iter().enumerate().flat_map(move |(number, field)| {
        // The slot between attributes and dimensions is for the zipped coordinates of old formats.
        let entry = number + usize::from(number >= coordinates);
        PARTS.into_iter().enumerate().map(move |(place, part)| (file_name(version, field, part), entry, place))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::encoding::{Limits, Message, MessageBuilder};
    use tiledb_array::fragment::StoredBounds;
    use tiledb_array::schema::{Attribute, Dimension, Domain};
    use tiledb_core::types::{ArrayType, CURRENT_VERSION};
    use tiledb_core::wire::WireWriter;

    fn schema() -> ArraySchema {
        let mut domain = Domain::new();
        let bounds = [0i32, 99];
        let extent = 10i32.to_le_bytes();
        let x = Dimension::new("x", Datatype::Int32, Some(bytemuck::cast_slice(&bounds)), Some(&extent));
        domain.add(Arc::new(x.unwrap()));
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_domain(Arc::new(domain)).unwrap();
        schema.add_attribute(Arc::new(Attribute::new("a", Datatype::Int32))).unwrap();
        schema
    }

    fn draft() -> WriteDraft {
        let dimensions = [(Datatype::Int32, false)];
        let mut boxes = RTree::builder(&dimensions);
        boxes.push(&[tiledb_core::types::CellRange::of(1, 5)]).unwrap();
        boxes.push(&[tiledb_core::types::CellRange::of(6, 9)]).unwrap();
        let mut w = WireWriter::new();
        boxes.write(&mut w);
        let stored = FieldDraft {
            files: [
                SuspendedFile {
                    size: 50,
                    upload: Some("id".to_owned()),
                    parts: vec!["p1".to_owned()],
                    pending_bytes: 7,
                },
                SuspendedFile::default(),
                SuspendedFile::default(),
            ],
            offsets: [vec![0, 25], vec![0, 0], vec![0, 0]],
            var_sizes: vec![0, 0],
            minima: [vec![1; 8], Vec::new()],
            maxima: [vec![2; 8], Vec::new()],
            sums: vec![3; 16],
            null_counts: Vec::new(),
        };
        let fields = vec![stored.clone(), FieldDraft::default(), stored];
        let name = FragmentName::new(3, 4, CURRENT_VERSION);
        let boxes = w.finish().unwrap();
        let bounds = StoredBounds { lower: [vec![1; 8], Vec::new()], upper: [vec![5; 8], Vec::new()] };
        let fragment = FragmentDraft { name, tiles: 2, last_tile_cells: 10, boxes, fields, bounds: Some(vec![bounds]) };
        WriteDraft {
            fragment: Some(fragment),
            cells: 20,
            last: Some(vec![9i32.to_le_bytes().to_vec()]),
            separate: None,
        }
    }

    #[test]
    fn serialized_global_write_is_read_unchanged() {
        let schema = schema();
        let draft = draft();
        let array = Uri::parse("mem://array").unwrap();
        let mut out = MessageBuilder::new();
        fill(&mut out.root().unwrap(), &draft, &array, &schema, None).unwrap();
        let bytes = out.capnp();
        let message = Message::read(&bytes, Limits::default()).unwrap();
        let back = of(message.root().unwrap(), &schema).unwrap();
        assert_eq!(format!("{back:?}"), format!("{draft:?}"));
    }
}
