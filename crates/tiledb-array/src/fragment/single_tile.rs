//! The fragment metadata of versions 1 and 2: one generic tile without a footer.
//!
//! | field | type |
//! |---|---|
//! | version | u32 |
//! | non-empty domain | size u64, then low and high per dimension |
//! | bounding boxes of the tiles | count u64, then low and high per dimension |
//! | first and last coordinates of the tiles | count u64, then two cells of coordinates each; not used |
//! | offsets of tiles, per attribute and for the coordinates | count u64, u64 each |
//! | offsets of tiles of values, per attribute | the same |
//! | decoded sizes of tiles of values, per attribute | the same |
//! | cells of the last tile | u64 |
//! | file sizes, per attribute and of the coordinates | u64 each |
//! | sizes of files of values, per attribute | u64 each |

use super::footer::Footer;
use super::footer_layout::{FooterLayout, FooterSection};
use super::footer_words::FooterWords;
use super::{RTree, files::METADATA_FILE};
use crate::schema::{ArraySchema, read_range};
use tiledb_core::budget::StructureBudget;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::{CellRange, Datatype, FormatVersion, NdRange};
use tiledb_core::wire::WireReader;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic::{self, Check};
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Uri, Vfs};

/// A parsed metadata file: the contents of the footer of later versions, and the tables.
pub(super) struct SingleTile {
    pub(super) footer: Footer,
    /// One per word of the footer from the offsets on.
    pub(super) tables: Vec<Box<[u64]>>,
    pub(super) rtree: RTree,
}

/// True if there is a file of coordinates, which distinguishes sparse fragments from dense ones.
fn has_coordinates(vfs: &Vfs, fragment: &Uri) -> Result<bool> {
    vfs.is_file(&fragment.join("__coords.tdb"))
}

impl SingleTile {
    /// Reads the metadata of the fragment in this folder.
    ///
    /// # Errors
    /// If the file cannot be read or is corrupt.
    pub(super) fn load(
        resources: &Resources,
        fragment: &Uri,
        key: &EncryptionKey,
        schema: &ArraySchema,
    ) -> Result<SingleTile> {
        let vfs = resources.vfs();
        let budget = StructureBudget::of(resources.config())?;
        let bytes = vfs.read(&fragment.join(METADATA_FILE))?;
        let dense = !has_coordinates(vfs, fragment)?;
        let limit = |stored_bytes| Ok(budget.of_stored(stored_bytes));
        let check: Check<'_> = &|r, _| SingleTile::parse(r, schema, dense).map(drop);
        let payload = generic::decode(&bytes, key, limit, check)?.bytes;
        SingleTile::parse(&mut WireReader::new("fragment metadata", &payload), schema, dense)
    }

    fn parse(r: &mut WireReader<'_>, schema: &ArraySchema, dense: bool) -> Result<SingleTile> {
        let version = FormatVersion::from_number(r.u32()?)?;
        if version.has_footer() {
            bail!(Corrupt, "fragment metadata: of version {} where 1 or 2 must be", version.number());
        }
        if dense && !schema.is_dense() {
            bail!(Corrupt, "fragment metadata: a dense fragment in a sparse array");
        }
        let coords_size: usize = schema.domain().dimensions().iter().map(|dimension| dimension.size()).sum();
        let domain_size = r.u64()?;
        if domain_size != 2 * coords_size as u64 {
            bail!(Corrupt, "fragment metadata: a non-empty domain of {domain_size} bytes");
        }
        let non_empty_domain = read_box(r, schema)?;
        let rtree = read_boxes(r, schema, 2 * coords_size)?;
        let bounding = r.count64(2 * coords_size)?;
        r.bytes(bounding.saturating_mul(2 * coords_size))?;
        let slots = FooterLayout::new(version, schema, false, false);
        let mut tables = Vec::with_capacity(3 * slots.fields());
        for section in [FooterSection::Offsets, FooterSection::VarOffsets, FooterSection::VarSizes] {
            for _ in 0..slots.count(section) {
                let count = r.count64(8)?;
                tables.push(r.words(count)?.into_boxed_slice());
            }
        }
        let last_tile_cells = r.u64()?;
        let mut words = r.words(slots.start(FooterSection::RTree))?;
        // The tables have no places of their own.
        words.resize(slots.len(), 0);
        let footer = Footer {
            version,
            dense,
            non_empty_domain,
            sparse_tile_count: if dense { 0 } else { rtree.leaf_count() as u64 },
            last_tile_cells,
            has_timestamps: false,
            has_delete_metadata: false,
            words: FooterWords::new(words),
            slots,
            optional: Box::default(),
        };
        Ok(SingleTile { footer, tables, rtree })
    }
}

fn read_box(r: &mut WireReader, schema: &ArraySchema) -> Result<NdRange> {
    let mut ranges: Vec<CellRange> = Vec::with_capacity(schema.domain().len());
    for dimension in schema.domain().dimensions() {
        ranges.push(read_range(r, dimension)?);
    }
    Ok(ranges)
}

fn read_boxes(r: &mut WireReader, schema: &ArraySchema, box_size: usize) -> Result<RTree> {
    let dimensions: Vec<(Datatype, bool)> =
        schema.domain().dimensions().iter().map(|d| (d.datatype(), d.is_var())).collect();
    if dimensions.iter().any(|dimension| dimension.1) {
        bail!(Corrupt, "fragment metadata: of a version without string dimensions");
    }
    let mut boxes = RTree::builder(&dimensions);
    for _ in 0..r.count64(box_size)? {
        boxes.push(&read_box(r, schema)?)?;
    }
    boxes.build()
}
