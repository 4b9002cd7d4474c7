//! Serialization of fragment metadata without its tables.

use std::sync::Arc;

use super::format::{in_field, required};
use super::{domain, tile_bounds};
use crate::encoding::{Builder, List, MessageField, View};
use crate::messages::{FragmentMetadata, GenericTileOffsets};
use tiledb_array::fragment::{Footer, FooterParts, FooterSection, Fragment, FragmentName, MetadataCaching, RTree};
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CURRENT_VERSION, Datatype, FormatVersion};
use tiledb_core::wire::WireWriter;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

type Sizes = (MessageField<FragmentMetadata, List<u64>>, FooterSection);
type Places = (MessageField<GenericTileOffsets, List<u64>>, FooterSection);

/// The sizes of files.
const SIZES: [Sizes; 3] = [
    (FragmentMetadata::FILE_SIZES, FooterSection::FileSize),
    (FragmentMetadata::FILE_VAR_SIZES, FooterSection::VarFileSize),
    (FragmentMetadata::FILE_VALIDITY_SIZES, FooterSection::ValidityFileSize),
];

/// Offsets of the tables of fields.
const PLACES: [Places; 8] = [
    (GenericTileOffsets::TILE_OFFSETS, FooterSection::Offsets),
    (GenericTileOffsets::TILE_VAR_OFFSETS, FooterSection::VarOffsets),
    (GenericTileOffsets::TILE_VAR_SIZES, FooterSection::VarSizes),
    (GenericTileOffsets::TILE_VALIDITY_OFFSETS, FooterSection::ValidityOffsets),
    (GenericTileOffsets::TILE_MIN_OFFSETS, FooterSection::Minima),
    (GenericTileOffsets::TILE_MAX_OFFSETS, FooterSection::Maxima),
    (GenericTileOffsets::TILE_SUM_OFFSETS, FooterSection::Sums),
    (GenericTileOffsets::TILE_NULL_COUNT_OFFSETS, FooterSection::NullCounts),
];

/// Offsets of the tables of the bounds of tiles, by dimension.
const BOUND_PLACES: [Places; 2] = [
    (GenericTileOffsets::TILE_GLOBAL_ORDER_MIN_OFFSETS, FooterSection::LowerBounds),
    (GenericTileOffsets::TILE_GLOBAL_ORDER_MAX_OFFSETS, FooterSection::UpperBounds),
];

/// Statistics that a message has lists of, all of them empty here.
const BYTES: [MessageField<FragmentMetadata, List<List<u8>>>; 7] = [
    FragmentMetadata::TILE_MIN_BUFFER,
    FragmentMetadata::TILE_MIN_VAR_BUFFER,
    FragmentMetadata::TILE_MAX_BUFFER,
    FragmentMetadata::TILE_MAX_VAR_BUFFER,
    FragmentMetadata::TILE_SUMS,
    FragmentMetadata::FRAGMENT_MINS,
    FragmentMetadata::FRAGMENT_MAXS,
];

/// Puts a fragment into a message.
pub(super) fn fill(out: &mut Builder<'_, FragmentMetadata>, array: &Uri, fragment: &Fragment) -> Result<()> {
    let footer = fragment.footer();
    let name = fragment.name();
    let folder = name.folder(array);
    out.set_text(FragmentMetadata::FRAGMENT_URI, folder.relative_to(array).unwrap_or(name.as_str()))?;
    out.set(FragmentMetadata::HAS_TIMESTAMPS, footer.has_timestamps);
    out.set(FragmentMetadata::HAS_DELETE_META, footer.has_delete_metadata);
    out.set(FragmentMetadata::HAS_CONSOLIDATED_FOOTER, fragment.has_consolidated_footer());
    out.set(FragmentMetadata::SPARSE_TILE_NUM, footer.sparse_tile_count);
    for (field, section) in SIZES {
        fill_words(footer, section, |words| out.set_numbers(field, words))?;
    }
    if footer.version.has_footer() {
        fill_statistics(out, footer.field_count())?;
    }
    if fragment.has_tile_bounds() {
        tile_bounds::fill(out, footer.field_count(), fragment.loaded_tile_bounds())?;
    }
    out.set(FragmentMetadata::VERSION, footer.version.number());
    let (start, end) = fragment.timestamps();
    out.set_numbers(FragmentMetadata::TIMESTAMP_RANGE, &[start, end])?;
    out.set(FragmentMetadata::LAST_TILE_CELL_NUM, footer.last_tile_cells);
    let mut domain = out.child(FragmentMetadata::NON_EMPTY_DOMAIN)?;
    domain::fill(&mut domain, Some(&footer.non_empty_domain))?;
    out.set_data(FragmentMetadata::RTREE, &boxes(fragment)?)?;
    let mut places = out.child(FragmentMetadata::GT_OFFSETS)?;
    let one = |section| footer.section(section).first().copied().unwrap_or(0);
    places.set(GenericTileOffsets::RTREE, one(FooterSection::RTree));
    // Of the oldest fragments all metadata is one piece.
    for (field, section) in PLACES.into_iter().chain(BOUND_PLACES).filter(|_| footer.version.has_footer()) {
        fill_words(footer, section, |words| places.set_numbers(field, words))?;
    }
    places.set(GenericTileOffsets::FRAGMENT_MIN_MAX_SUM_NULL_COUNT_OFFSET, one(FooterSection::FragmentStats));
    places.set(GenericTileOffsets::PROCESSED_CONDITIONS_OFFSETS, one(FooterSection::Conditions));
    out.set_text(FragmentMetadata::ARRAY_SCHEMA_NAME, fragment.schema().name())
}

fn fill_words(footer: &Footer, section: FooterSection, mut set: impl FnMut(&[u64]) -> Result<()>) -> Result<()> {
    let words = footer.section(section);
    if words.is_empty() { Ok(()) } else { set(&words) }
}

/// Statistics of as many fields, none of them loaded.
fn fill_statistics(out: &mut Builder<'_, FragmentMetadata>, fields: usize) -> Result<()> {
    for field in BYTES {
        let mut list = out.list(field, fields)?;
        (0..fields).try_for_each(|index| list.set_numbers(index, &[]))?;
    }
    let mut list = out.list(FragmentMetadata::TILE_NULL_COUNTS, fields)?;
    (0..fields).try_for_each(|index| list.set_numbers(index, &[]))?;
    out.set_numbers(FragmentMetadata::FRAGMENT_SUMS, &vec![0; fields])?;
    out.set_numbers(FragmentMetadata::FRAGMENT_NULL_COUNTS, &vec![0; fields])
}

/// The bounding boxes if they are loaded, or none.
fn boxes(fragment: &Fragment) -> Result<Vec<u8>> {
    let none = RTree::builder(&[]);
    let mut w = WireWriter::new();
    match fragment.loaded_rtree() {
        // Of the oldest dense fragments the lowest level is there, without boxes.
        _ if !fragment.footer().version.has_footer() && fragment.schema().is_dense() => none.write(&mut w),
        Some(tree) => tree.write(&mut w),
        None => none.build()?.write(&mut w),
    }
    w.finish()
}

/// The fragment of a message, of the array at `array`.
pub(super) fn of(
    resources: &Resources,
    array: &Uri,
    key: &EncryptionKey,
    view: View<'_, FragmentMetadata>,
    schema_of: &dyn Fn(&str) -> Result<Arc<ArraySchema>>,
) -> Result<Fragment> {
    let uri = required("FragmentMetadata.fragmentUri", view.text(FragmentMetadata::FRAGMENT_URI)?)?;
    let last = uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let name = FragmentName::parse(last).map_err(in_field("FragmentMetadata.fragmentUri"))?;
    let is_consolidated = view.get(FragmentMetadata::HAS_CONSOLIDATED_FOOTER);
    let version = FormatVersion::from_number(view.get(FragmentMetadata::VERSION))
        .map_err(in_field("FragmentMetadata.version"))?;
    if !version.has_footer() {
        // Of these, all metadata is one piece.
        return Fragment::load(resources, array, name, key, None, MetadataCaching::Footer, schema_of);
    }
    let schema = schema_of(view.text(FragmentMetadata::ARRAY_SCHEMA_NAME)?.unwrap_or_default())?;
    let footer = footer_of(view, version, &schema)?;
    let fragment =
        Fragment::new(resources, array, name, key, schema.clone(), footer).map_err(in_field("FragmentMetadata"))?;
    let fragment = match tile_bounds::of(view, schema.domain().dimensions().len())? {
        Some(bounds) => fragment.consolidated(is_consolidated).with_tile_bounds(bounds),
        None => fragment.consolidated(is_consolidated),
    };
    match view.data(FragmentMetadata::RTREE)? {
        Some(boxes) if !schema.is_dense() && !boxes.is_empty() => {
            let dimensions: Vec<(Datatype, bool)> =
                schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
            let tree = RTree::read(boxes, CURRENT_VERSION, &dimensions).map_err(in_field("FragmentMetadata.rtree"))?;
            Ok(fragment.with_rtree(tree))
        }
        _ => Ok(fragment),
    }
}

fn footer_of(view: View<'_, FragmentMetadata>, version: FormatVersion, schema: &ArraySchema) -> Result<Footer> {
    let domain = required("FragmentMetadata.nonEmptyDomain", view.child(FragmentMetadata::NON_EMPTY_DOMAIN)?)?;
    let Some(non_empty_domain) = domain::of(domain, schema.domain())? else {
        bail!(Corrupt, "FragmentMetadata.nonEmptyDomain: nothing is there");
    };
    let places = required("FragmentMetadata.gtOffsets", view.child(FragmentMetadata::GT_OFFSETS)?)?;
    let mut sections = Vec::new();
    for (field, section) in SIZES {
        sections.push((section, view.items(field)?.to_vec()?));
    }
    for (field, section) in PLACES.into_iter().chain(BOUND_PLACES) {
        sections.push((section, places.items(field)?.to_vec()?));
    }
    sections.push((FooterSection::RTree, vec![places.get(GenericTileOffsets::RTREE)]));
    let statistics = places.get(GenericTileOffsets::FRAGMENT_MIN_MAX_SUM_NULL_COUNT_OFFSET);
    sections.push((FooterSection::FragmentStats, vec![statistics]));
    sections.push((FooterSection::Conditions, vec![places.get(GenericTileOffsets::PROCESSED_CONDITIONS_OFFSETS)]));
    let parts = FooterParts {
        version,
        non_empty_domain,
        sparse_tile_count: view.get(FragmentMetadata::SPARSE_TILE_NUM),
        last_tile_cells: view.get(FragmentMetadata::LAST_TILE_CELL_NUM),
        has_timestamps: view.get(FragmentMetadata::HAS_TIMESTAMPS),
        has_delete_metadata: view.get(FragmentMetadata::HAS_DELETE_META),
    };
    let words = |section| -> Vec<u64> {
        let known = sections.iter().find(|known| known.0 == section);
        known.map(|known| known.1.clone()).unwrap_or_default()
    };
    Footer::from_parts(parts, schema, words).map_err(in_field("FragmentMetadata"))
}
